/* The equation at a singular position itself, where a step has to end: an event, a sample or the end of the run is
   there. Rounding is all that rows say there, of velocities by the square of the distance and of accelerations by its
   cube, though the motion goes on smoothly. So neither is asked for: positions and velocities are brought onto those
   rows alone that hold, and accelerations and forces are the means of those before and behind, a little along the
   motion, as many as make their error one of the fourth order. */
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

enum { LOOKS = 12, VECTORS = 6 };

static double ratio_of(const mech_fundamental_output *o) { return o->largest > 0 ? o->smallest / o->largest : 0; }

int sim_is_singular(const mech_sim *s)
{
    const mech_fundamental_output *o = &s->dyn.out;
    if (s->singular.is_beside || s->dyn.is_sparse || s->settings.stabilize != MECH_STABILIZE_PROJECT) return 0;
    if (!s->singular.projects_stages || s->dyn.has_control || s->sizes.frictions) return 0;
    if (s->singular.largest_ratio == 0 || !(s->singular.clear_step > 0)) return 0;
    /* steps of our own pairs at fine tolerances are short there; the equations of implicit ones have no solution */
    const double near =
        sim_methods[s->method.kind].is_pair ? fmin(TOL_SINGULAR, TOL_SINGULAR_RTOL * s->settings.rtol) : TOL_SINGULAR;
    return o->rank < s->singular.clear_rank || ratio_of(o) < near * s->singular.largest_ratio;
}

/* The vectors of a solution and their lengths. */
static void solution(const mech_sim *s, double *vector[VECTORS], size_t size[VECTORS])
{
    const dynamics *d = &s->dyn;
    double *const all[VECTORS] = {d->qdd, d->Qi, d->Qni, d->Qc, d->lambda, d->total};
    for (size_t k = 0; k < VECTORS; k++) {
        vector[k] = all[k];
        size[k] = k < 4 ? s->n : s->rows;
    }
}

/* The equation a while before or behind, on the constraints. */
static mech_status solve_aside(mech_sim *s, double t, const double *y, double way)
{
    SIM_SCRATCH(s);
    double *there = sim_take_state(s);
    memcpy(there, y, s->ny * sizeof *y);
    for (size_t i = 0; i < s->n; i++) there[i] += way * y[s->n + i];
    MECH_TRY(sim_project(s, t + way, there));
    return sim_accelerate(s, t + way, there);
}

static void measure_rows(const mech_sim *s, const double *A, double *square)
{
    memset(square, 0, s->rows * sizeof *square);
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++) square[s->dyn.pattern_A.row[k]] += A[k] * A[k];
}

int sim_stands_on_singular(const mech_sim *s, double t)
{
    return !s->singular.is_beside && fabs(t - s->singular.at) < s->singular.length;
}

void sim_leave_lost_rows(mech_sim *s, const double *A, const unsigned char *mask, unsigned char *kept)
{
    SIM_SCRATCH(s);
    double *square = sim_take_rows(s);
    measure_rows(s, A, square);
    for (size_t i = 0; i < s->rows; i++)
        kept[i] = mask[i] && !(square[i] < TOL_SINGULAR_PART * TOL_SINGULAR_PART * s->singular.aside[i]);
}

/* How long to go along, so that rows tell enough. 0: nothing does. */
static double find_length(mech_sim *s, double t, const double *y)
{
    const double largest = s->singular.largest_ratio;
    double length = TOL_ASIDE_FIRST * s->singular.clear_step;
    for (int k = 0; k < LOOKS; k++) {
        if (solve_aside(s, t, y, length) != MECH_OK || s->dyn.out.rank < s->singular.clear_rank) return 0;
        const double ratio = ratio_of(&s->dyn.out);
        if (ratio >= TOL_ASIDE * largest && ratio <= TOL_ASIDE_MOST * largest) {
            measure_rows(s, s->eq->A, s->singular.aside);
            return length;
        }
        length *= ratio < TOL_ASIDE * largest ? 2 : 0.5;
    }
    return 0;
}

static mech_status add_aside(mech_sim *s, double t, const double *y, double way, double weight, double *const *sum)
{
    double *vector[VECTORS];
    size_t size[VECTORS];
    MECH_TRY(solve_aside(s, t, y, way));
    solution(s, vector, size);
    for (size_t k = 0; k < VECTORS; k++)
        for (size_t i = 0; i < size[k]; i++) sum[k][i] += weight * vector[k][i];
    return MECH_OK;
}

static mech_status take_means(mech_sim *s, double t, const double *y, double length)
{
    SIM_SCRATCH(s);
    double *sum[VECTORS], *vector[VECTORS];
    size_t size[VECTORS];
    solution(s, vector, size);
    for (size_t k = 0; k < VECTORS; k++) {
        sum[k] = k < 4 ? sim_take_coords(s) : sim_take_rows(s);
        memset(sum[k], 0, size[k] * sizeof(double));
    }
    for (int side = -1; side <= 1; side += 2) { /* what is of the second order cancels */
        MECH_TRY(add_aside(s, t, y, side * length, 2. / 3, sum));
        MECH_TRY(add_aside(s, t, y, side * 2 * length, -1. / 6, sum));
    }
    MECH_TRY(sim_set_point(s, t, y));
    sim_gather_rows(s);
    for (size_t k = 0; k < VECTORS; k++) memcpy(vector[k], sum[k], size[k] * sizeof(double));
    return MECH_OK;
}

mech_status sim_solve_beside(mech_sim *s, double t, const double *y)
{
    SIM_SCRATCH(s);
    double *kept = sim_take_state(s), *vector[VECTORS], *own[VECTORS];
    size_t size[VECTORS];
    const mech_fundamental_output out = s->dyn.out;
    const mech_status failure = s->log.failure;
    memcpy(kept, y, s->ny * sizeof *y); /* it may be what the run stands on */
    solution(s, vector, size);
    for (size_t k = 0; k < VECTORS; k++) {
        own[k] = k < 4 ? sim_take_coords(s) : sim_take_rows(s);
        memcpy(own[k], vector[k], size[k] * sizeof(double));
    }
    s->singular.is_beside = 1;
    const double length = find_length(s, t, kept);
    const int is_known = length > 0 && take_means(s, t, kept, length) == MECH_OK;
    s->singular.is_beside = 0;
    s->dyn.out = out;
    s->log.failure = failure;
    if (is_known) {
        s->singular.at = t;
        s->singular.length = length;
        return sim_poll(s);
    }
    if (out.rank < s->singular.clear_rank) s->singular.clear_rank = out.rank; /* for good */
    for (size_t k = 0; k < VECTORS; k++) memcpy(vector[k], own[k], size[k] * sizeof(double));
    MECH_TRY(sim_set_point(s, t, kept));
    sim_gather_rows(s);
    return sim_poll(s);
}
