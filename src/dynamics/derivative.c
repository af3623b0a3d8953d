/* Exact derivatives of the solved equation: the equation differentiated at fixed q'' and multipliers is the equation
   again, with other right sides:
       M da - A' dl = -d(M a - Q - A' l - C)      A da = -d(A a - b)
   on the factors of the equation itself, one column after the other. Laws that look at multipliers, slipping
   friction and control add unknowns: derivative_general.c. */
#include "dynamics/derivative.h"

#include "base/try.h"
#include "system/laws.h"
#include "system/owner.h"

#include <math.h>
#include <string.h>

/* Does a law look at the ideal multipliers, lambda or force? Then their derivative is needed too. */
static int laws_look_at_ideal(const mech_system *system)
{
    const mech_pattern p = mech_system_pattern(system, MECH_MATRIX_D_C);
    const mech_columns at = mech_system_columns(system);
    for (size_t k = 0; k < p.count; k++)
        if (p.column[k] >= at.lambda && p.column[k] < at.reaction) return 1;
    return 0;
}

const char *derivative_obstacle(const mech_system *system)
{
    const mech_sizes sizes = mech_system_sizes(system);
    if (!mech_system_has_jacobian(system))
        return "it needs derivatives of the equation: mech_system_options.with_derivatives; a system of C functions has none";
    for (size_t k = 0; k < sizes.laws; k++)
        if (mech_system_law(system, k).kind == MECH_LAW_Z)
            return "a law given by z has no exact derivative, that of the root of M: give it by C";
    if (sizes.rows > sizes.natural_rows && laws_look_at_ideal(system))
        return "control beside a law that looks at lambda() or force() has no exact derivative: let it look at reaction()";
    return NULL;
}

/* ---- columns ---- */

/* Where a law gives inputs, what an entry by one of them does goes to the columns of the state, too, through the
   law. */
static void add_entry(const derivative *r, size_t row, size_t c, double value, size_t height, double *into)
{
    const dynamics *d = r->d;
    const size_t column = r->place[c], inputs = d->sizes.inputs;
    if (column != SIZE_MAX) into[row + column * height] += value;
    if (!r->law_slope) return;
    const size_t input = c - mech_system_columns(d->system).u; /* those before wrap around */
    for (size_t j = 0; input < inputs && j < 2 * d->n + d->sizes.states; j++)
        into[row + j * height] += value * r->law_slope[input + j * inputs];
}

void derivative_scatter(const derivative *r, mech_matrix which, const double *values, size_t height, double *into)
{
    const mech_pattern p = mech_system_pattern(r->d->system, which);
    for (size_t k = 0; k < p.count; k++) add_entry(r, p.row[k], p.column[k], values[k], height, into);
}

mech_status derivative_at(derivative *r, const double *a, const double *l, double *F, double *R, mech_jacobian *at)
{
    const dynamics *d = r->d;
    mech_jacobian own;
    if (!at) at = &own;
    /* laws and events at multipliers that are only a means need not be finite */
    MECH_IGNORE(mech_eval_reaction(d->eval, NULL, l));
    MECH_IGNORE(mech_eval_acceleration(d->eval, a));
    r->law_slope = eval_law_slope(d->eval);
    MECH_TRY(mech_eval_jacobian(d->eval, at));
    memset(F, 0, d->n * r->columns * sizeof *F);
    derivative_scatter(r, MECH_MATRIX_D_MOTION, at->motion, d->n, F);
    if (!R) return MECH_OK;
    memset(R, 0, d->rows * r->columns * sizeof *R);
    derivative_scatter(r, MECH_MATRIX_D_ROW, at->row, d->rows, R);
    return MECH_OK;
}

/* Laws: entry k of C stands in coordinate row[k]; silent ones do not count. */
static int law_is_on(const dynamics *d, size_t entry)
{
    const mech_law law = mech_system_law(d->system, d->pattern_C.column[entry]);
    return laws_is_on(d->system, &law, d->eq->active);
}

static void add_laws(const derivative *r, const double *values, double *F)
{
    const dynamics *d = r->d;
    const mech_pattern p = mech_system_pattern(d->system, MECH_MATRIX_D_C);
    for (size_t k = 0; k < p.count; k++)
        if (law_is_on(d, p.row[k])) add_entry(r, d->pattern_C.row[p.row[k]], p.column[k], -values[k], d->n, F);
}

/* R gets the gains times the derivatives `values` of r or r'. */
static void add_gain(const derivative *r, const dynamics_gains *gains, mech_matrix which, const double *values,
                     double *R)
{
    const dynamics *d = r->d;
    const mech_pattern p = mech_system_pattern(d->system, which);
    for (size_t g = 0; g < gains->count; g++) {
        if (!d->gains_on_all && !d->servo[gains->row[g]]) continue;
        for (size_t k = 0; k < p.count; k++)
            if (p.row[k] == gains->column[g])
                add_entry(r, gains->row[g], p.column[k], gains->value[g] * values[k], d->rows, R);
    }
}

static void add_gains(const derivative *r, const mech_jacobian *at, double *R)
{
    const dynamics *d = r->d;
    if (!d->gains_on_all && !d->has_control) return;
    add_gain(r, &d->B, MECH_MATRIX_D_R_DOT, at->r_dot, R);
    add_gain(r, &d->K, MECH_MATRIX_D_R, at->r, R);
}

/* ---- laws that look at the ideal part ---- */

/* Right sides (n, rows) of column c, from F and R. */
static void turn(const derivative *r, double *F, double *R)
{
    const dynamics *d = r->d;
    for (size_t i = 0; i < d->n; i++) F[i] = -F[i];
    for (size_t i = 0; i < d->rows; i++) R[i] = d->active[i] ? -R[i] : 0;
    for (size_t i = 0; d->has_singular_mass && !d->is_sparse && i < d->m; i++)
        for (size_t j = 0; j < d->n && d->active[i] && !d->servo[i]; j++)
            F[j] += d->alpha * d->A_used[i + j * d->rows] * R[i];
}

/* F -= dC/dlambda dlambda: the ideal multipliers' own derivative, from the equation with C = 0. */
static mech_status add_ideal(derivative *r, const mech_jacobian *point)
{
    dynamics *d = r->d;
    const size_t n = d->n, rows = d->rows;
    const mech_pattern p = mech_system_pattern(d->system, MECH_MATRIX_D_C);
    const mech_columns at = mech_system_columns(d->system);
    double *by = r->law; /* (n x rows), taken again later */
    memset(by, 0, n * rows * sizeof *by);
    for (size_t k = 0; k < p.count; k++) {
        const size_t entry = p.row[k], c = p.column[k];
        if (c >= at.lambda && c < at.lambda + d->m && law_is_on(d, entry))
            by[d->pattern_C.row[entry] + (c - at.lambda) * n] += point->C[k];
    }
    MECH_TRY(mech_fundamental_again(d->solver, d->has_singular_mass ? d->Q_used : d->eq->Q, d->b, r->a, NULL));
    MECH_TRY(derivative_at(r, r->a, d->lambda, r->F2, r->R2, NULL));
    add_gains(r, point, r->R2); /* r and r' do not look at accelerations */
    for (size_t c = 0; c < r->columns; c++) {
        double *f = r->F2 + c * n, *g = r->R2 + c * rows, *dl = r->lambda ? r->lambda + c * rows : r->dl;
        turn(r, f, g);
        MECH_TRY(mech_fundamental_again(d->solver, f, g, r->a, dl));
        for (size_t row = 0; row < d->m; row++)
            for (size_t i = 0; i < n; i++) r->F[i + c * n] -= by[i + row * n] * dl[row];
    }
    return MECH_OK;
}

/* ---- the plain solve ---- */

mech_status derivative_solve_columns(derivative *r, double *to, size_t height)
{
    const dynamics *d = r->d;
    for (size_t c = 0; c < r->columns; c++) {
        double *F = r->F + c * d->n, *R = r->R + c * d->rows;
        turn(r, F, R);
        MECH_TRY(mech_fundamental_again(d->solver, F, R, to + c * height, r->total ? r->total + c * d->rows : NULL));
    }
    return MECH_OK;
}

/* ---- all of it ---- */

static mech_status place_columns(derivative *r, unsigned wants, arena *memory)
{
    const dynamics *d = r->d;
    const mech_columns at = mech_system_columns(d->system);
    const struct {
        unsigned flag;
        size_t first, end;
    } more[] = {{DERIVATIVE_INPUTS, at.u, at.u_dot},
                {DERIVATIVE_INPUT_RATES, at.u_dot, at.a},
                {DERIVATIVE_PARAMETERS, at.p, at.count},
                {DERIVATIVE_TIME, at.t, at.t + 1}};
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(r->place, at.count)));
    for (size_t c = 0; c < at.count; c++) r->place[c] = c < at.u ? c : SIZE_MAX; /* q, v, z stand first there, too */
    r->columns = at.u;
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        for (size_t c = more[k].first; wants & more[k].flag && c < more[k].end; c++) r->place[c] = r->columns++;
    return MECH_OK;
}

mech_status derivative_create(dynamics *d, unsigned wants, arena *memory, derivative *r)
{
    *r = (derivative){.d = d, .looks_at_ideal = d->has_laws && laws_look_at_ideal(d->system)};
    MECH_TRY(place_columns(r, wants, memory));
    const size_t n = d->n, rows = d->rows, columns = r->columns;
    const int wants_l = (wants & DERIVATIVE_MULTIPLIERS) != 0;
    derivative_measure(r);
    const int is_plain = r->size == 0 && !r->looks_at_ideal && !d->has_control && !(wants_l && d->has_laws);
    const size_t more = is_plain ? 0 : columns;
    MECH_TRY(ARENA_MAKE(
        memory, ARRAY_OF(r->F, n * columns), ARRAY_OF(r->R, rows * columns), ARRAY_OF(r->F2, n * more),
        ARRAY_OF(r->F0, n * more), ARRAY_OF(r->R2, rows * more), ARRAY_OF(r->law, is_plain ? 0 : n * rows),
        ARRAY_OF(r->dl, rows), ARRAY_OF(r->l, rows), ARRAY_OF(r->s, rows), ARRAY_OF(r->slip, d->nf * columns),
        ARRAY_OF(r->slip_A, d->nf * n * columns), ARRAY_OF(r->mu, d->sizes.frictions * columns), ARRAY_OF(r->a, n),
        ARRAY_OF(r->p, n), ARRAY_OF(r->u, r->forces), ARRAY_OF(r->zero, n > rows ? n : rows),
        ARRAY_OF(r->K, r->size * r->size), ARRAY_OF(r->x, 2 * r->size),
        ARRAY_OF(r->work, 2 * r->size + (r->forces + rows) * columns), ARRAY_OF(r->order, 2 * r->size)));
    if (wants_l || r->size > 0) MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(r->total, rows * columns)));
    return wants_l ? ARENA_MAKE(memory, ARRAY_OF(r->lambda, rows * columns)) : MECH_OK;
}

/* Of the ideal multipliers: where there are no laws they are the total ones. */
static void finish_multipliers(derivative *r)
{
    const dynamics *d = r->d;
    if (!r->lambda) return;
    if (!d->has_laws && !dynamics_slides(d)) memcpy(r->lambda, r->total, d->rows * r->columns * sizeof *r->lambda);
    else if (d->has_control) /* that of the control without the laws is not looked for */
        for (size_t i = 0; i < d->rows * r->columns; i++) r->lambda[i] = (double)NAN;
}

mech_status derivative_find(derivative *r, double *to, size_t height, mech_jacobian *at)
{
    dynamics *d = r->d;
    /* the law's own derivatives stand at the ideal and the total multipliers found */
    if (d->has_laws) MECH_IGNORE(mech_eval_reaction(d->eval, d->lambda, d->total));
    memcpy(r->l, d->total, d->rows * sizeof *r->l);
    if (d->has_control) MECH_TRY(derivative_solve_control(r));
    MECH_TRY(derivative_at(r, d->qdd, r->l, r->F, r->R, at));
    add_laws(r, at->C, r->F);
    add_gains(r, at, r->R);
    if (d->sizes.frictions) derivative_take_friction(r, at);
    if (r->looks_at_ideal || (r->lambda && (d->has_laws || dynamics_slides(d)) && !d->has_control))
        MECH_TRY(add_ideal(r, at));
    if (d->has_control) MECH_TRY(derivative_solve_controlled(r, at, to, height));
    else if (d->laws_use_reaction || dynamics_slides(d)) MECH_TRY(derivative_solve_laws(r, to, height));
    else MECH_TRY(derivative_solve_columns(r, to, height));
    finish_multipliers(r);
    return MECH_OK;
}
