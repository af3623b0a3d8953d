/* Kinks at the point: abs(x) at x = 0 has no derivative there, though the formula gives a number; nor has the load of
   what slides, N = |lambda|, where its reaction is 0. Looked at from both sides, along directions of the tangent
   space and along each input, nearer and nearer: what is smooth comes together, what jumps does not. */
#include "analyze/dense.h"
#include "analyze/linear.h"
#include "system/compiled.h"

#include "base/try.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 3 };
#define NEARER 16 /* the second look: as many times closer                                      */

/* What is compared: A, the accelerations, z', and the outputs' derivatives after them. */
typedef struct view {
    double *kinks; /* (kinks) values of those in the text */
    double *load;  /* (m) total multipliers, which load friction */
    double *A, *a, *rate, *C;
} view;

typedef struct looker {
    mech_linear *l;
    size_t kinks, all; /* in the text; and behind them each friction */
    size_t n, N, nz, ny;
    view side[2];
    double *x, *direction;  /* (N) */
    double *jump;           /* (1 + outputs) of the equation, then of each output; far, then close */
    unsigned char *is_near; /* (all) changes over here */
    unsigned char *kinked;  /* (input_height x inputs) what jumps by an input */
} looker;

/* What changes over, at the point that was solved last. */
static mech_status see(const looker *k, view *v)
{
    const tangent *t = &k->l->t;
    if (t->m) memcpy(v->load, t->reaction, t->m * sizeof *v->load);
    return k->kinks ? compiled_kinks(t->system, t->eval->slots, v->kinks) : MECH_OK;
}

static double sign(double x) { return (double)((x > 0) - (x < 0)); }

/* Is kink i on another side there than here? */
static int changes(const looker *k, size_t i)
{
    const view *here = &k->side[0], *there = &k->side[1];
    if (i < k->kinks) return sign(here->kinks[i]) != sign(there->kinks[i]);
    const friction_law *law = &k->l->t.at_point.d.friction[i - k->kinks].law;
    double product = 0;
    for (size_t r = 0; r < law->row_count; r++)
        if (k->l->t.e->active[law->rows[r]]) product += here->load[law->rows[r]] * there->load[law->rows[r]];
    return product < 0;
}

static const char *name_of(looker *k, size_t i)
{
    const mech_system *system = k->l->t.system;
    if (i < k->kinks) return system->kink_text[i];
    const mech_friction friction = mech_system_friction(system, i - k->kinks);
    return arena_format(&k->l->t.memory, "the load of friction on %s",
                        mech_system_name(system, MECH_ITEM_CONSTRAINT, friction.constraints[0]));
}

static mech_status look_from(looker *k, double way, view *v)
{
    mech_linear *l = k->l;
    for (size_t i = 0; i < k->N; i++) k->x[i] = l->q[i] + way * k->direction[i]; /* q, v, z stand together */
    MECH_TRY(linear_at(l, l->o.t, k->x));
    memcpy(v->A, l->A, k->N * k->N * sizeof *v->A);
    memcpy(v->a, l->t.a, k->n * sizeof *v->a);
    if (k->nz) memcpy(v->rate, l->t.e->rate, k->nz * sizeof *v->rate);
    if (k->ny) memcpy(v->C, l->C, k->ny * k->N * sizeof *v->C);
    return see(k, v);
}

/* Both sides; jump[0] of the equation relative to its size, jump[1 + i] of output i. */
static mech_status compare(looker *k, double way, double *jump)
{
    const view *here = &k->side[0], *there = &k->side[1];
    MECH_TRY(look_from(k, way, &k->side[0]));
    MECH_TRY(look_from(k, -way, &k->side[1]));
    const double size = 1 + dense_largest(here->A, k->N * k->N);
    jump[0] = fmax(dense_difference(here->A, there->A, k->N * k->N), dense_difference(here->a, there->a, k->n));
    jump[0] = fmax(jump[0], dense_difference(here->rate, there->rate, k->nz)) / size;
    for (size_t i = 0; i < k->ny; i++) {
        double largest = 0, scale = 1;
        for (size_t j = 0; j < k->N; j++) {
            largest = fmax(largest, fabs(here->C[i + j * k->ny] - there->C[i + j * k->ny]));
            scale = fmax(scale, fabs(here->C[i + j * k->ny]));
        }
        jump[1 + i] = largest / scale;
    }
    return MECH_OK;
}

/* One direction. Where nothing changes over there is nothing to compare. */
static mech_status try_direction(looker *k, int *has_kink)
{
    double *far = k->jump, *close = k->jump + 1 + k->ny;
    const double way = TOL_KINK_NEAR * (1 + dense_largest(k->l->q, k->N));
    int any = 0;
    MECH_TRY(compare(k, way, far));
    for (size_t i = 0; i < k->all; i++) {
        const int is_near = changes(k, i);
        k->is_near[i] |= (unsigned char)is_near;
        any |= is_near;
    }
    if (!any) return MECH_OK;
    MECH_TRY(compare(k, way / NEARER, close));
    for (size_t i = 0; i <= k->ny; i++) {
        if (!(close[i] > TOL_KINK_JUMP && close[i] > 0.5 * far[i])) continue;
        if (i == 0) *has_kink = 1;
        else k->l->undefined[i - 1] = 1;
    }
    return MECH_OK;
}

/* Of unit length and without pattern. */
static void choose_direction(looker *k, int number)
{
    const mech_linear *l = k->l;
    double *direction = k->direction;
    const size_t freedom = (size_t)l->result.freedom;
    double length = 0;
    memset(direction, 0, k->N * sizeof *direction);
    for (size_t j = 0; j < freedom; j++) {
        const double part = fmod(0.6180339887498949 * (double)((j + 1) * (size_t)(number + 1)), 1) + 0.2;
        const int flips = (int)((j * (size_t)number / 2) % 2);
        for (size_t i = 0; i < k->N; i++) direction[i] += (flips ? -part : part) * l->basis[i + j * k->N];
    }
    for (size_t i = 0; i < k->N; i++) length += direction[i] * direction[i];
    for (size_t i = 0; i < k->N && length > 0; i++) direction[i] /= sqrt(length);
}

/* Entries of the columns of an input, below. */
static size_t input_height(const looker *k) { return 3 * (k->N + k->ny) + 4 * k->l->t.m; }

static mech_status allocate(looker *k)
{
    for (view *v = k->side; v < k->side + 2; v++)
        MECH_TRY(ARENA_MAKE(&k->l->t.memory, ARRAY_OF(v->kinks, k->kinks), ARRAY_OF(v->load, k->l->t.m),
                            ARRAY_OF(v->A, k->N * k->N), ARRAY_OF(v->a, k->n), ARRAY_OF(v->rate, k->nz),
                            ARRAY_OF(v->C, k->ny * k->N)));
    return ARENA_MAKE(&k->l->t.memory, ARRAY_OF(k->x, k->N), ARRAY_OF(k->direction, k->N),
                      ARRAY_OF(k->jump, 2 * (1 + k->ny)), ARRAY_OF(k->is_near, k->all),
                      ARRAY_OF(k->kinked, input_height(k) * k->l->t.sizes.inputs));
}

/* Names of the kinks that the equation has at the point. */
static mech_status keep_names(looker *k)
{
    mech_linear *l = k->l;
    MECH_TRY(ARENA_MAKE(&l->t.memory, ARRAY_OF(l->kinks, k->all)));
    for (size_t i = 0; i < k->all; i++) {
        if (!k->is_near[i] || (i >= l->t.system->kinks_in_equation && i < k->kinks)) continue;
        const char *name = name_of(k, i);
        if (!name) return MECH_ERR_MEMORY;
        l->kinks[l->result.kink_count++] = name;
    }
    l->result.kinks = l->kinks;
    return MECH_OK;
}

static mech_status look(looker *k)
{
    int has_kink = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        choose_direction(k, i);
        const mech_status status = try_direction(k, &has_kink);
        if (status == MECH_ERR_MEMORY) return status; /* a side without values is told elsewhere */
    }
    return has_kink ? keep_names(k) : MECH_OK;
}

/* ---- inputs ---- */

/* The columns of input i: of E and D, of those by its rates, and of the rows that may move with it. */
enum { INPUT_COLUMNS = 8 };
typedef struct input_column {
    double *at;
    size_t count;
} input_column;
static void columns_of(const mech_linear *l, size_t i, input_column to[INPUT_COLUMNS])
{
    const size_t nu = l->t.sizes.inputs, ny = l->t.sizes.outputs, rows = 2 * l->t.m;
    for (size_t k = 0; k < 3; k++) {
        to[2 * k] = (input_column){l->E + (i + k * nu) * l->N, l->N};
        to[2 * k + 1] = (input_column){l->D + (i + k * nu) * ny, ny};
    }
    to[6] = (input_column){l->rows_u + i * rows, rows};
    to[7] = (input_column){l->rows_u + (i + nu) * rows, rows};
}

/* At another value of input i: its columns, and then as many values: those of accelerations, rates and outputs where
   E and D have their derivatives, and 0 for the others. */
static mech_status look_at_input(looker *k, size_t i, double u, double *column, view *v)
{
    mech_linear *l = k->l;
    mech_eval *eval = l->t.eval;
    const mech_equation *e = l->t.e;
    input_column from[INPUT_COLUMNS];
    double *values = column + input_height(k);
    MECH_TRY(mech_eval_set_input(eval, i, u, e->u_dot[i], e->u_ddot[i]));
    MECH_TRY(linear_at(l, l->o.t, l->q));
    columns_of(l, i, from);
    for (size_t b = 0; b < INPUT_COLUMNS; column += from[b++].count)
        if (from[b].count) memcpy(column, from[b].at, from[b].count * sizeof *column);
    memset(values, 0, input_height(k) * sizeof *values);
    memcpy(values + k->n, l->t.a, k->n * sizeof *values);
    if (k->nz) memcpy(values + 2 * k->n, e->rate, k->nz * sizeof *values);
    MECH_IGNORE(mech_eval_output(eval)); /* one without a value is told elsewhere */
    if (k->ny) memcpy(values + k->N, e->output, k->ny * sizeof *values);
    return see(k, v);
}

/* Entries (half) of the columns of input i that jump by u, into jump, relative to the largest; the kink that changes
   over there, or SIZE_MAX. columns: (4 x half). */
static mech_status compare_input(looker *k, size_t i, double u, double way, double *columns, double *jump, size_t *kink)
{
    const size_t half = input_height(k);
    double size = 1, *const side[2] = {columns, columns + 2 * half};
    *kink = SIZE_MAX;
    for (int s = 0; s < 2; s++) MECH_TRY(look_at_input(k, i, s ? u - way : u + way, side[s], &k->side[s]));
    for (size_t c = k->all; c-- > 0;)
        if (changes(k, c)) *kink = c;
    for (size_t e = 0; e < half; e++) size = fmax(size, fabs(side[0][e]));
    for (size_t e = 0; e < half; e++)
        jump[e] = fmax(fabs(side[0][e] - side[1][e]), fabs(side[0][half + e] - side[1][half + e])) / size;
    return MECH_OK;
}

/* kinked: (half x inputs). */
static mech_status try_input(looker *k, size_t i, double *work, unsigned char *kinked)
{
    const size_t half = input_height(k);
    double *far = work + 4 * half, *close = far + half;
    const double u = k->l->t.e->u[i], way = TOL_KINK_NEAR * (1 + fabs(u));
    size_t kink;
    MECH_TRY(compare_input(k, i, u, way, work, far, &kink));
    if (kink == SIZE_MAX) return MECH_OK;
    MECH_TRY(compare_input(k, i, u, way / NEARER, work, close, &kink));
    for (size_t e = 0; e < half; e++)
        if (close[e] > TOL_KINK_JUMP && close[e] > 0.5 * far[e]) kinked[e] = 1;
    if (kink == SIZE_MAX || !memchr(kinked, 1, half)) return MECH_OK;
    k->l->input_kinks[i] = name_of(k, kink);
    return k->l->input_kinks[i] ? MECH_OK : MECH_ERR_MEMORY;
}

/* Each input by itself, as it was given behind it. */
static mech_status look_at_inputs(looker *k)
{
    mech_eval *eval = k->l->t.eval;
    const mech_equation *e = k->l->t.e;
    const size_t half = input_height(k);
    double *work = arena_zeroed(&k->l->t.memory, 6 * half, sizeof *work);
    mech_status status = work ? MECH_OK : MECH_ERR_MEMORY;
    for (size_t i = 0; i < k->l->t.sizes.inputs && status == MECH_OK; i++) {
        const double u[3] = {e->u[i], e->u_dot[i], e->u_ddot[i]};
        const unsigned char was = eval->input_is_set[i];
        const mech_status found = try_input(k, i, work, k->kinked + i * half);
        status = mech_eval_set_input(eval, i, u[0], u[1], u[2]);
        eval->input_is_set[i] = was;
        if (found == MECH_ERR_MEMORY) status = found; /* a side without values is told elsewhere */
    }
    return status;
}

/* What jumps has no derivative. */
static void mark_inputs(const looker *k)
{
    const size_t half = input_height(k);
    for (size_t i = 0; i < k->l->t.sizes.inputs; i++) {
        const unsigned char *kinked = k->kinked + i * half;
        input_column to[INPUT_COLUMNS];
        columns_of(k->l, i, to);
        for (size_t b = 0; b < INPUT_COLUMNS; kinked += to[b++].count)
            for (size_t e = 0; e < to[b].count; e++)
                if (kinked[e]) to[b].at[e] = (double)NAN;
    }
}

mech_status kink_look(mech_linear *l)
{
    const size_t kinks = l->t.system->kink_count, all = kinks + l->t.sizes.frictions;
    if (all == 0) return MECH_OK;
    looker k = {
        .l = l, .kinks = kinks, .all = all, .n = l->t.n, .N = l->N, .nz = l->t.sizes.states, .ny = l->t.sizes.outputs};
    MECH_TRY(allocate(&k));
    if (l->result.freedom) MECH_TRY(look(&k));
    if (l->t.sizes.inputs) MECH_TRY(look_at_inputs(&k));
    MECH_TRY(linear_at(l, l->o.t, l->q));
    point_mark_undefined(l);
    mark_inputs(&k);
    return MECH_OK;
}
