/* (I - gamma J) x = r of the motion by the equation itself, for implicit methods on large systems: J is full, and what
   stands here is as sparse as M and A are. With q' = v, v' = a and the derivatives of the equation,
       M da - A' dl + F_q dq + F_v dv + F_z dz = 0        A da + R_q dq + R_v dv + R_z dz = 0,
   and dq = r_q + gamma dv, gamma da = dv - r_v, mu = gamma dl:
       (M + gamma F_v + gamma^2 F_q) dv + gamma F_z dz - A' mu = M r_v - gamma F_q r_q
       (A + gamma R_v + gamma^2 R_q) dv + gamma R_z dz         = A r_v - gamma R_q r_q
       dz - gamma (Z_v + gamma Z_q) dv - gamma Z_z dz          = r_z + gamma Z_q r_q
   For equations without laws, control, friction and gains: F and R are then the system's own derivatives. */
#ifndef DYNAMICS_IMPLICIT_H
#define DYNAMICS_IMPLICIT_H

#include "dynamics/dynamics.h"

typedef struct implicit implicit;

/* MECH_ERR_UNSUPPORTED: the build has no KLU. */
MECH_MUST_CHECK mech_status implicit_create(const mech_system *system, implicit **result);
void implicit_free(implicit *k);
/* How many values stand for J. */
size_t implicit_values(const implicit *k);
/* They, at the point of the last dynamics_solve. is_out (m): rows that are not in force, or depend on others; they
   stand as mu = 0. */
MECH_MUST_CHECK mech_status implicit_take(const implicit *k, const dynamics *d, const unsigned char *is_out,
                                          double *values);
MECH_MUST_CHECK mech_status implicit_factor(implicit *k, double gamma, const double *values,
                                            const unsigned char *is_out);
/* r, x: (2n + states) */
MECH_MUST_CHECK mech_status implicit_solve(implicit *k, double gamma, const double *values, const unsigned char *is_out,
                                           const double *r, double *x);

#endif
