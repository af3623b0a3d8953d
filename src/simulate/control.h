/* Gains, and the paths of control (gains.c, path.c). */
#ifndef SIMULATE_CONTROL_H
#define SIMULATE_CONTROL_H

#include <mech/simulate.h>

/* A control row without gains: what the tolerance of a step may make of r and r' at most, and what the errors of the
   steps have made of them. */
typedef struct sim_path {
    double place, rate, place_error, rate_error;
} sim_path;

typedef struct sim_control {
    size_t counts[2];         /* of B and K, how many gains: 0, 1, m, m*m                  */
    double *gains[2];         /* as they are given; dyn.B, dyn.K list them                 */
    sim_path *path;           /* (m)                                                       */
    unsigned char *has_gains; /* (m) the model or the settings give them                   */
} sim_control;

MECH_MUST_CHECK mech_status sim_control_create(mech_sim *s);

/* B and K at s->t, s->y; which control rows have them. */
MECH_MUST_CHECK mech_status sim_gains(mech_sim *s);

/* Control rows without gains have to be on their path (path.c). */
double sim_path_time(const mech_sim *s);
/* At the start and after a step: at the point of the last sim_set_point. */
MECH_MUST_CHECK mech_status sim_path_begin(mech_sim *s);
MECH_MUST_CHECK mech_status sim_path_step(mech_sim *s);
/* After anything sudden. */
MECH_MUST_CHECK mech_status sim_path_check(mech_sim *s);

#endif
