/* Explicit Runge-Kutta pairs of our own: one accepted step at a time, with error control, dense output and
   a detector of stiffness. Lean on purpose: for small systems the cost of the integrator itself counts. */
#ifndef INTEGRATE_RK_H
#define INTEGRATE_RK_H

#include <mech/base.h>

#include "base/state.h"

/* 0: done; > 0: not here, a smaller step may help; < 0: give up. */
typedef int (*rk_rhs)(void *user, double t, const double *y, double *ydot);

typedef enum rk_pair { RK_PAIR_5, RK_PAIR_8 } rk_pair;

typedef enum rk_result {
    RK_STEPPED,
    RK_STEP_TOO_SMALL, /* the error test cannot be met with a step the clock can resolve */
    RK_RHS_FAILED      /* the right-hand side gave up                                     */
} rk_result;

typedef struct rk rk;

/* n components, of which the first n_control take part in the error test. One allocation. */
MECH_MUST_CHECK mech_status rk_create(rk_pair pair, size_t n, size_t n_control, rk_rhs f, void *user, rk **out);
void rk_free(rk *r);

/* rtol > 0; atol (n_control) absolute tolerance of each component, copied. max_step 0: none. */
void rk_set_tolerance(rk *r, double rtol, const double *atol, double max_step);

/* Is the step from (t, from) to `to` plain, so that an error in it can only be rounding? */
typedef int (*rk_judge)(void *user, double t, const double *from, const double *to);

/* Steps no longer than *floor are accepted when a shorter one has no smaller error and may_force (NULL: always) says
   1: for places where rounding, not the step, makes it. Borrowed; looked at in each attempt, so f may change it.
   NULL: none. */
void rk_set_floor(rk *r, const double *floor, rk_judge may_force);

/* Begin (or begin again) at (t, y) towards t_end; step 0: choose the first one. The old step size is
   kept when step < 0. Returns what f returned. */
int rk_start(rk *r, double t, const double *y, double t_end, double step);
/* One accepted step towards t_limit and never past it. */
rk_result rk_step(rk *r, double t_limit);
/* The last step again with another end, without error test: t_end inside or near it. */
rk_result rk_step_again(rk *r, double t_end);
/* The last step is not good enough for another reason than its error: again from its start, never past t_limit,
   before y is replaced. */
rk_result rk_step_shorter(rk *r, double t_limit);
/* Replace y at the end of the step (a projection): the slope is evaluated anew in the next step. */
void rk_replace(rk *r, const double *y);
/* The same where the slope at the new y is known. */
void rk_replace_with(rk *r, const double *y, const double *slope);

/* Interpolant of the last step, valid on [rk_previous_time, rk_time]. Returns what f returned for the
   stages that only the interpolant needs (evaluated once, at the first call after a step). */
int rk_dense(rk *r, double t, double *y);

double rk_time(const rk *r);
double rk_previous_time(const rk *r);
double rk_next_step(const rk *r);
const double *rk_state(const rk *r);          /* at rk_time          */
const double *rk_previous_state(const rk *r); /* at rk_previous_time */
double rk_free_error(const rk *r); /* of its last component, where that stands outside the error test; absolute */
double rk_error(const rk *r);      /* of the last accepted step, beside the tolerance */
int rk_is_stiff(const rk *r);      /* since the last rk_start */
/* Component whose error was largest when a step last failed. */
size_t rk_worst(const rk *r);

typedef struct rk_counts {
    size_t steps, rejected, evaluations;
    size_t factorizations; /* of Newton's matrix; explicit pairs have none */
} rk_counts;
rk_counts rk_counts_get(const rk *r);

/* All that the next step depends on, and the last one's interpolant. */
void rk_forget(rk *r); /* as it was made: no step, no slope, nothing counted */
void rk_visit(rk *r, state_walk *w);

#endif
