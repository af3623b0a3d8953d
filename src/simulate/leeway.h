/* What counts as nothing (leeway.c). */
#ifndef SIMULATE_LEEWAY_H
#define SIMULATE_LEEWAY_H

#include <mech/simulate.h>

typedef struct sim_leeway {
    double *row, *rate;                                    /* (rows) */
    double *reach, *root_mass, *extent, farthest, fastest; /* (2n + nz), (n), (n) the same */
    int atol_is_own;                                       /* nobody gave it */
    double *work;                                          /* see system/sizes.h */
} sim_leeway;

MECH_MUST_CHECK mech_status sim_leeway_create(mech_sim *s);
/* At the start: that of each row in s->leeway.row, of its velocity in s->leeway.rate; how far coordinates and
   velocities come, 1 at most, in s->leeway.reach. */
MECH_MUST_CHECK mech_status sim_leeway_begin(mech_sim *s);
/* No less than at the point set last. */
void sim_leeway_look(mech_sim *s);
/* At the end of a step: looks where the motion has grown. */
MECH_MUST_CHECK mech_status sim_leeway_follow(mech_sim *s, double t, const double *y);
/* At the end of the run: tells of coordinates that are small beside an atol that nobody gave. */
MECH_MUST_CHECK mech_status sim_leeway_close(mech_sim *s);
/* The largest reach of a coordinate. */
double sim_reach_most(const mech_sim *s);
/* A coordinate, velocity or state i with value x is known no better than this: the tolerance of projections, and
   rounding. */
double sim_unknown_part(const mech_sim *s, size_t i, double x);
/* What the error of a step in x (positions, with the gradient, or velocities, with A) may make of each row, into
   `error` (m). */
void sim_row_errors(const mech_sim *s, const double *A, const double *x, double *error);
/* The rows in force that miss most at y, the point set last, beside what is noticeable in them: a hundred times what
   the error of a step may make of them, or their leeway. By rows: a velocity that is large for a moment, of a crank at
   its dead centre, must not let the others drift. */
typedef struct sim_miss {
    double part, size;
    size_t row;
} sim_miss;
typedef struct sim_misses {
    sim_miss phi, rate;
} sim_misses;
sim_misses sim_look_at_misses(mech_sim *s, const double *y);

#endif
