/* Exact derivatives of a compiled model: gradients of the expressions, as a second program over the same
   inputs. Multipliers and accelerations are held: what is differentiated is M a - Q - A^T reaction and
   A a - b, row by row, so that the cost follows the pattern. */
#include "system/compiled.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

enum { WITH_TIME = EXPR_COORD | EXPR_VELOCITY | EXPR_STATE | EXPR_INPUT | EXPR_TIME };
enum { WITH_ALL = WITH_TIME | EXPR_ACCELERATION | EXPR_REACTION };

typedef struct deriver {
    collector c;
    arena *memory;    /* of all arrays */
    mech_expr *terms; /* products of one coordinate's equation after the other  */
    size_t *start;    /* (n + 1) where a coordinate's terms start               */
    unsigned more;    /* classes besides: EXPR_PARAM, or 0                      */
} deriver;

static void derive_value(deriver *d, mech_expr value, size_t row, unsigned classes)
{
    collect_partials(&d->c, 1, value, row, classes | d->more);
}

static void derive_all(deriver *d, const mech_expr *values, size_t count, unsigned classes)
{
    for (size_t i = 0; i < count; i++) derive_value(d, values[i], i, classes);
}

static void derive_entries(deriver *d, const model_entries *entries, unsigned classes)
{
    for (size_t i = 0; i < entries->count; i++) derive_value(d, entries->items[i].value, i, classes);
}

/* ---- the equation of each coordinate as one expression ---- */

/* One product of a coordinate's equation: counted while there is no place for it, then made. */
static void put_term(deriver *d, size_t *next, size_t coordinate, mech_expr a, int is_negative, mech_expr b)
{
    mech_pool *pool = d->c.model->pool;
    if (next) d->terms[next[coordinate]++] = mech_mul(pool, is_negative ? mech_neg(pool, a) : a, b);
    else d->start[coordinate + 1]++;
}

static void put_terms(deriver *d, size_t *next)
{
    const mech_model *m = d->c.model;
    const model_entries *M = &m->equations.M, *A = &m->equations.A;
    for (size_t k = 0; k < M->count; k++) {
        const model_entry *x = &M->items[k];
        put_term(d, next, x->row, x->value, 0, m->coords[x->column].a);
        if (x->row != x->column) put_term(d, next, x->column, x->value, 0, m->coords[x->row].a);
    }
    for (size_t k = 0; k < A->count; k++)
        put_term(d, next, A->items[k].column, A->items[k].value, 1, d->c.reaction[A->items[k].row]);
}

static mech_status gather_terms(deriver *d)
{
    const mech_model *m = d->c.model;
    const size_t n = m->coords_count;
    MECH_TRY(ARENA_MAKE(d->memory, ARRAY_OF(d->start, n)));
    put_terms(d, NULL);
    for (size_t i = 0; i < n; i++) d->start[i + 1] += d->start[i] + 1; /* and one for Q */
    size_t *next;
    MECH_TRY(ARENA_MAKE(d->memory, ARRAY_OF(next, n), ARRAY_OF(d->terms, d->start[n])));
    memcpy(next, d->start, (n + 1) * sizeof *next);
    for (size_t i = 0; i < n; i++) d->terms[next[i]++] = mech_neg(m->pool, m->equations.Q[i]);
    put_terms(d, next);
    return mech_pool_status(m->pool);
}

static void derive_motion(deriver *d)
{
    for (size_t i = 0; i < d->c.model->coords_count && d->c.status == MECH_OK; i++) {
        const mech_expr *terms = d->terms + d->start[i];
        derive_value(d, mech_sum(d->c.model->pool, terms, d->start[i + 1] - d->start[i]), i, WITH_TIME);
    }
}

/* A a - b of one row; A's entries stand by row. */
static void derive_rows(deriver *d)
{
    const mech_model *m = d->c.model;
    const model_entries *A = &m->equations.A;
    mech_expr *terms = arena_zeroed(d->memory, m->coords_count, sizeof *terms);
    if (!terms) d->c.status = MECH_ERR_MEMORY;
    size_t k = 0;
    for (size_t row = 0; row < m->rows_count && d->c.status == MECH_OK; row++) {
        size_t count = 0;
        terms[count++] = mech_neg(m->pool, m->equations.b[row]);
        for (; k < A->count && A->items[k].row == row; k++)
            terms[count++] = mech_mul(m->pool, A->items[k].value, m->coords[A->items[k].column].a);
        derive_value(d, mech_sum(m->pool, terms, count), row, WITH_TIME);
    }
}

/* The entries of slip_A stand as collect.c lists them: by velocity, then by the gradient's order. */
static void derive_slip_A(deriver *d, mech_expr V, size_t *entry)
{
    collect_gradient(&d->c, V, EXPR_VELOCITY);
    const size_t count = d->c.gradient.count;
    mech_expr *entries = arena_zeroed(d->memory, count, sizeof *entries);
    if (!entries) d->c.status = MECH_ERR_MEMORY;
    for (size_t p = 0; entries && p < count; p++) entries[p] = d->c.gradient.items[p].derivative;
    for (size_t p = 0; entries && p < count; p++) derive_value(d, entries[p], (*entry)++, WITH_TIME);
}

static void derive_friction(deriver *d, system_derivative part)
{
    const mech_model *m = d->c.model;
    size_t row = 0, entry = 0;
    for (size_t k = 0; k < m->frictions_count && d->c.status == MECH_OK; k++) {
        const model_friction *f = &m->frictions[k];
        if (part == DERIVATIVE_MU) derive_value(d, f->mu, k, WITH_TIME);
        for (size_t i = 0; i < f->count && d->c.status == MECH_OK; i++, row++) {
            const mech_expr V = f->velocity[i];
            if (part == DERIVATIVE_SLIP) derive_value(d, V, row, WITH_TIME);
            if (part == DERIVATIVE_SLIP_ROW) derive_value(d, mech_dot(m->pool, V), row, WITH_TIME);
            if (part == DERIVATIVE_SLIP_A) derive_slip_A(d, V, &entry);
        }
    }
}

/* Nobody derives the forces of control and friction: a derivative that has no value says so. */
static void derive_output(deriver *d, mech_expr value, size_t row)
{
    mech_model *m = (mech_model *)(uintptr_t)d->c.model;
    const mech_expr minus = EXPR_MINUS_ONE;
    if (value.id && model_holds_late(m, value))
        collect_add(&d->c, 1, mech_call(m->pool, MECH_FUNCTION_LOG, &minus, 1), row, d->c.columns.q);
    else derive_value(d, value, row, WITH_ALL);
}

static void derive_part(deriver *d, system_derivative part)
{
    const mech_model *m = d->c.model;
    const model_equations *e = &m->equations;
    switch (part) {
    case DERIVATIVE_MOTION: derive_motion(d); break;
    case DERIVATIVE_ROW: derive_rows(d); break;
    case DERIVATIVE_R: derive_all(d, e->r, m->rows_count, WITH_TIME); break;
    case DERIVATIVE_R_DOT: derive_all(d, e->r_dot, m->rows_count, WITH_ALL); break;
    case DERIVATIVE_RATE:
        for (size_t i = 0; i < m->states_count; i++) derive_value(d, m->states[i].rate, i, WITH_ALL);
        break;
    case DERIVATIVE_C: derive_entries(d, &e->C, WITH_ALL); break;
    case DERIVATIVE_OUTPUT:
        for (size_t i = 0; i < m->outputs_count; i++) derive_output(d, m->outputs[i].value, i);
        break;
    case DERIVATIVE_STEADY:
        for (size_t i = 0; i < m->steadies_count; i++) derive_value(d, m->steadies[i].velocity, i, WITH_ALL);
        break;
    case DERIVATIVE_SLIP:
    case DERIVATIVE_SLIP_A:
    case DERIVATIVE_SLIP_ROW:
    case DERIVATIVE_MU: derive_friction(d, part); break;
    case DERIVATIVE_G: derive_entries(d, &e->G, WITH_TIME); break;
    case DERIVATIVE_W: derive_all(d, m->given_weight, m->given_weight_size, WITH_TIME); break;
    case DERIVATIVE_COUNT: break;
    }
}

/* ---- the program ---- */

static mech_status take_reactions(deriver *d)
{
    const mech_model *m = d->c.model;
    MECH_TRY(ARENA_MAKE(&d->c.system->memory, ARRAY_OF(d->c.reaction, m->rows_count)));
    for (size_t i = 0; i < m->rows_count; i++) {
        mech_expr *symbol = &d->c.reaction[i];
        *symbol = m->rows[i].reaction;
        if (!symbol->id) *symbol = expr_symbol_create(m->pool, "reaction", EXPR_REACTION, 0, (uint32_t)i);
    }
    return mech_pool_status(m->pool);
}

static mech_status compile_derivatives(mech_system *s, system_compiled *c, const deriver *d)
{
    program_input *inputs = compiled_inputs(s, c->model, 2, d->memory);
    if (!inputs) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < s->sizes.rows; i++) inputs[s->in.reaction + i].symbol = d->c.reaction[i];
    const program_spec spec = {c->model->pool, inputs, s->in.count, d->c.items, d->c.count, 2, NULL};
    return program_create(&spec, NULL, &c->derivatives);
}

static mech_status derive(mech_system *s, system_compiled *c, deriver *d)
{
    MECH_TRY(take_reactions(d));
    MECH_TRY(gather_terms(d));
    for (int k = 0; k < DERIVATIVE_COUNT; k++) {
        s->derivatives[k].first = d->c.count;
        derive_part(d, (system_derivative)k);
        s->derivatives[k].count = d->c.count - s->derivatives[k].first;
        MECH_TRY(d->c.status);
    }
    MECH_TRY(mech_pool_status(c->model->pool));
    MECH_TRY(compile_derivatives(s, c, d));
    for (int k = 0; k < DERIVATIVE_COUNT; k++) collect_place(&d->c, &s->derivatives[k], c->derivatives->output_first);
    s->jacobian_count = c->derivatives->slot_count;
    s->compilations++;
    return MECH_OK;
}

mech_status compiled_derive(mech_system *s, int with_parameters, arena *memory)
{
    system_compiled *c = s->compiled;
    deriver d = {.c = {.system = s, .model = c->model, .columns = mech_system_columns(s)},
                 .memory = memory,
                 .more = with_parameters ? EXPR_PARAM : 0};
    const mech_status status = derive(s, c, &d);
    c->slopes = d.c;
    return status == MECH_OK ? compiled_find_kinks(s, memory) : status;
}

void compiled_jacobian(const mech_system *s, const double *slots, double *jacobian, int is_first, int is_new)
{
    const program *p = s->compiled->derivatives;
    if (is_first) program_reset(p, jacobian);
    memcpy(jacobian, slots, s->in.count * sizeof *slots);
    if (is_new) program_run(p, 0, jacobian);
    program_run(p, 1, jacobian);
}

void compiled_jacobian_sizes(const mech_system *s, double *jacobian, double *sizes)
{
    const program *p = s->compiled->derivatives;
    for (size_t i = 0; i < s->jacobian_count; i++) sizes[i] = fabs(jacobian[i]);
    for (uint32_t stage = 0; stage < 2; stage++) program_run_sizes(p, stage, jacobian, sizes);
}
