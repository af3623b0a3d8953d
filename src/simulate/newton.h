/* (I - gamma J) x = r of a sparse run by the equation itself. With q' = v, v' = a and the equation's
   derivatives M da - A' dl + F_q dq + F_v dv + F_z dz = 0      A da + R_q dq + R_v dv + R_z dz = 0 and dq =
   r_q + gamma dv, gamma da = dv - r_v, mu = gamma dl: (M + gamma F_v + gamma^2 F_q) dv + gamma F_z dz - A' mu
   = M r_v - gamma F_q r_q (A + gamma R_v + gamma^2 R_q) dv + gamma R_z dz         = A r_v - gamma R_q r_q dz
   - gamma (Z_v + gamma Z_q) dv - gamma Z_z dz          = r_z + gamma Z_q r_q as sparse as M and A are, where
   J itself is full. */
#ifndef SIMULATE_NEWTON_H
#define SIMULATE_NEWTON_H

#include "simulate/sim.h"

typedef struct newton newton;

/* NULL in *result, and MECH_OK, where the build has no KLU or the run needs a dense J. */
MECH_MUST_CHECK mech_status newton_create(mech_sim *s, newton **result);
void newton_free(newton *k);
/* How many values stand for J. */
size_t newton_values(const newton *k);
/* The callbacks of sim_problem, for a sim with a newton. */
int newton_jacobian(void *sim, double t, const double *y, double *values);
int newton_factor(void *sim, double gamma, const double *values);
int newton_solve(void *sim, double gamma, const double *values, const double *r, double *x);

#endif
