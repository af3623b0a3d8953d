/* Points on the constraints: a walk along the manifold and random points brought onto it. Only numbers decide
   which coordinates may be solved for, so these points should show where the motion goes. */
#include "motion/motion.h"

#include "assemble/onto.h"
#include "base/try.h"
#include "base/tolerances.h"
#include "fundamental/motion.h"

#include <math.h>
#include <string.h>

enum { MOST_COORDS = 40, WALK = 10, APART = 5, ATTEMPTS = 12, NEWTON = 30, WORK = 256 };
static const double STEP = 0.15; /* radians, or that part of the size of the mechanism */
static const double PI = 3.14159265358979323846;

typedef struct sampling {
    const mech_system *system;
    mech_eval *eval;
    mech_fundamental *solver;
    size_t n, rows;
    double t;
    const double *z; /* (states), or NULL */
    uint64_t random;
    unsigned char *on;        /* (rows) those that speak of positions */
    double *unit;             /* (n x n) */
    double *q, *step, *along; /* (n) the point, a change of it, the direction of the walk */
    double *size;             /* (n) the largest entry of each column at the start */
    double *side, *zero;      /* (rows), (n + rows) */
} sampling;

/* In [-1, 1). */
static double random_real(sampling *s)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(s->random >> 40) * 0x1p-23 - 1;
}

/* x closest to f with A x = side, over the rows in `on`, NULL: all; A: of the evaluation. */
static mech_status nearest(sampling *s, const double *A, const double *f, const double *side, const unsigned char *on,
                           double *x)
{
    unsigned flags;
    const mech_fundamental_input in = {.size = sizeof in, .M = s->unit, .Q = f, .A = A, .b = side, .active = on};
    return fundamental_motion(s->solver, &in, x, &flags);
}

static mech_status look(onto *o)
{
    sampling *s = o->user;
    double most = 0;
    MECH_TRY(eval_place(s->eval, EVAL_CONSTRAINT, s->t, s->q, NULL, s->z));
    for (size_t k = 0; k < s->rows; k++) {
        s->side[k] = s->on[k] ? -s->eval->equation.r[k] : 0;
        most = fmax(most, fabs(s->side[k]));
    }
    o->is_done = o->turn > 0 && o->moved <= TOL_SAMPLE * (1 + o->size);
    if (o->is_done || o->turn == o->most) return MECH_OK;
    if (!isfinite(most)) return MECH_ERR_NOT_FINITE;
    return nearest(s, s->eval->equation.gradient_dense, s->zero, s->side, s->on, o->delta);
}

/* No change of q is longer than a radian; 1 when q meets the constraints. */
static int project(sampling *s)
{
    onto o = {.n = s->n, .x = s->q, .delta = s->step, .longest = 1, .most = NEWTON, .user = s, .look = look};
    return onto_rows(&o) == MECH_OK && o.is_done;
}

static int keep(sampling *s, motion_samples *to)
{
    const mech_system *system = s->system;
    const system_part *A = &system->parts[SECTION_A];
    const size_t inputs = system->in.count;
    if (eval_place(s->eval, EVAL_VELOCITY, s->t, s->q, s->along, s->z) != MECH_OK) return 0;
    memcpy(to->inputs + to->count * inputs, s->eval->slots, inputs * sizeof(double));
    memcpy(to->A + to->count * A->count, s->eval->slots + A->first, A->count * sizeof(double));
    to->count++;
    return 1;
}

/* s->size says what a step of a coordinate means for the rows; the least of those that mean something. */
static double least_column(const sampling *s)
{
    double least = HUGE_VAL;
    for (size_t j = 0; j < s->n; j++) {
        s->size[j] = 0;
        for (size_t i = 0; i < s->rows; i++) s->size[j] = fmax(s->size[j], fabs(s->eval->A_dense[i + j * s->rows]));
        if (s->size[j] > 0) least = fmin(least, s->size[j]);
    }
    return least;
}

/* One step along the manifold, in a direction that changes slowly. */
static int step_along(sampling *s, double least)
{
    double longest = 0;
    for (size_t j = 0; j < s->n; j++) s->step[j] = s->along[j] + 0.1 * random_real(s);
    if (eval_place(s->eval, EVAL_CONSTRAINT, s->t, s->q, NULL, s->z) != MECH_OK) return 0;
    if (nearest(s, s->eval->A_dense, s->step, s->zero, NULL, s->along) != MECH_OK) return 0;
    for (size_t j = 0; j < s->n; j++)
        longest = fmax(longest, fabs(s->along[j]) * (s->size[j] > 0 ? s->size[j] / least : 1));
    if (!(longest > TOL_SAMPLE)) return 0; /* nothing can move */
    for (size_t j = 0; j < s->n; j++) {
        s->along[j] /= longest;
        s->q[j] += STEP * s->along[j];
    }
    return project(s);
}

static void walk(sampling *s, motion_samples *to)
{
    const int stride = s->n >= WORK / 2 ? 2 : (int)(WORK / s->n) < 40 ? (int)(WORK / s->n) : 40;
    if (!keep(s, to)) return;
    const double least = least_column(s);
    for (int i = 1; i < WALK && isfinite(least); i++) {
        for (int k = 0; k < stride; k++)
            if (!step_along(s, least)) return;
        if (!keep(s, to)) return;
    }
}

/* A random point on the constraints about `middle`. */
static int random_point(sampling *s, const double *middle)
{
    for (size_t j = 0; j < s->n; j++) {
        s->q[j] = middle[j] + PI * random_real(s);
        s->along[j] = random_real(s);
    }
    return project(s);
}

static void take_samples(sampling *s, const double *start, motion_samples *to)
{
    const double *middle = start ? start : s->zero;
    memcpy(s->q, middle, s->n * sizeof *s->q);
    for (size_t j = 0; j < s->n; j++) s->along[j] = random_real(s);
    int found = start && project(s);
    for (int i = 0; i < ATTEMPTS && !found; i++) found = random_point(s, middle);
    if (!found) return;
    walk(s, to);
    to->walk = to->count;
    for (int i = 0, more = 0; i < ATTEMPTS && more < APART; i++)
        if (random_point(s, middle)) more += keep(s, to);
}

static mech_status open_sampling(sampling *s, arena *memory)
{
    const size_t n = s->n, rows = s->rows;
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(s->unit, n * n), ARRAY_OF(s->q, n), ARRAY_OF(s->step, n),
                        ARRAY_OF(s->along, n), ARRAY_OF(s->size, n), ARRAY_OF(s->side, rows),
                        ARRAY_OF(s->zero, n + rows), ARRAY_OF(s->on, rows)));
    for (size_t i = 0; i < n; i++) s->unit[i + i * n] = 1;
    for (size_t i = 0; i < rows; i++) s->on[i] = s->system->rows[i].level == MECH_LEVEL_HOLONOMIC;
    MECH_TRY(mech_eval_create(s->system, MECH_STORAGE_DENSE, &s->eval));
    return mech_fundamental_create((int)n, (int)rows, NULL, &s->solver);
}

mech_status motion_samples_make(const mech_system *system, const mech_motion_settings *given, arena *memory,
                                motion_samples *to)
{
    const size_t n = system->sizes.coords, rows = system->sizes.rows, most = WALK + APART;
    *to = (motion_samples){0};
    if (rows == 0 || n > MOST_COORDS || n > 2 * rows) return MECH_OK; /* too many are left free */
    sampling s = {.system = system, .n = n, .rows = rows, .t = given->t, .z = given->z, .random = 20261115};
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(to->inputs, most * system->in.count),
                        ARRAY_OF(to->A, most * system->parts[SECTION_A].count)));
    const mech_status status = open_sampling(&s, memory);
    if (status == MECH_OK) take_samples(&s, given->q, to);
    mech_eval_free(s.eval);
    mech_fundamental_free(s.solver);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}
