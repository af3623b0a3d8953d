/* From what was said to the equations M q'' = Q, A q'' = b. Every energy term is worked over its own
   support, so that a chain of N bodies costs like N:
 *
 *   L-term e (sign +1 kinetic, -1 potential):  p_i = de/dv_i   (one reverse sweep)
 *     M_ij += dp_i/dv_j     (one sweep each)
 *     Q_i  += de/dq_i - D0 p_i,   D0 = d/dt with the accelerations dropped
 *   inertias: as they stand.
 *   constraint rows:  A = d phi'/dv, b = -D0 phi';  A = d psi/dv, b = -D0 psi;  or as they stand.
     d phi'/dv is d phi/dq, unless the rates of states in phi hold velocities: then both are kept. */
#include "model/model.h"

#include "base/mem.h"
#include "base/try.h"

#include <stdlib.h>

typedef struct derivation {
    mech_model *m;
    mech_pool *p;
    expr_gradient outer, inner;
    model_entries Q;        /* contributions, column 0 */
    model_entries gradient; /* d phi/dq of the rows where it is not A, by row */
    mech_expr *energy_terms, *power_terms;
    size_t energy_count, energy_capacity, power_count, power_capacity;
    int sets_states; /* some event does */
} derivation;

static mech_status failure(const derivation *d)
{
    const mech_status status = mech_pool_status(d->p);
    if (status != MECH_OK) return status;
    if (d->m->out_of_memory) return MECH_ERR_MEMORY;
    const char *fault = expr_take_fault(d->p);
    return model_error(d->m, NULL, "the equations cannot be derived: %s", fault ? fault : "an expression has no value");
}

static mech_status push(const derivation *d, model_entries *list, size_t row, size_t column, mech_expr value)
{
    if (!value.id) return failure(d);
    if (expr_is_zero(value)) return MECH_OK;
    if (!mem_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) return MECH_ERR_MEMORY;
    list->items[list->count++] = (model_entry){(uint32_t)row, (uint32_t)column, value};
    return MECH_OK;
}

static mech_status push_expr(const derivation *d, mech_expr **list, size_t *count, size_t *capacity, mech_expr e)
{
    if (!e.id) return failure(d);
    if (!mem_grow(list, capacity, *count + 1, sizeof **list)) return MECH_ERR_MEMORY;
    (*list)[(*count)++] = e;
    return MECH_OK;
}

static mech_status add_energy(derivation *d, mech_expr e)
{
    return push_expr(d, &d->energy_terms, &d->energy_count, &d->energy_capacity, e);
}

static mech_status add_power(derivation *d, mech_expr e)
{
    return push_expr(d, &d->power_terms, &d->power_count, &d->power_capacity, e);
}

static size_t index_of(const derivation *d, mech_expr symbol) { return expr_symbol_of(d->p, symbol)->index; }

/* ---- assembling ---- */

static int by_column(const void *a, const void *b)
{
    const model_entry *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->value.id < y->value.id ? -1 : x->value.id > y->value.id;
}

static int by_row(const void *a, const void *b)
{
    const model_entry *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return x->value.id < y->value.id ? -1 : x->value.id > y->value.id;
}

/* Sorts, adds what stands in one place, and brings each sum into its shorter form. */
static mech_status assemble(const derivation *d, model_entries *list, int (*order)(const void *, const void *))
{
    if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, order);
    mech_expr few[32];
    size_t out = 0;
    for (size_t i = 0, j; i < list->count; i = j) {
        const model_entry first = list->items[i];
        for (j = i + 1; j < list->count && list->items[j].row == first.row && list->items[j].column == first.column;
             j++) {
        }
        mech_expr *terms = j - i <= 32 ? few : mem_alloc((j - i) * sizeof *terms);
        if (!terms) return MECH_ERR_MEMORY;
        for (size_t k = i; k < j; k++) terms[k - i] = list->items[k].value;
        const mech_expr sum = expr_tidy(d->p, j - i == 1 ? terms[0] : mech_sum(d->p, terms, j - i));
        if (terms != few) mem_free(terms);
        if (!sum.id) return failure(d);
        if (!expr_is_zero(sum)) list->items[out++] = (model_entry){first.row, first.column, sum};
    }
    list->count = out;
    return MECH_OK;
}

/* ---- energies and forces ---- */

/* -dL/dt at fixed q and v: what makes h change by itself. */
static mech_status explicit_power(derivation *d, mech_expr e, mech_expr sign)
{
    MECH_TRY(expr_gradient_of(d->p, e, EXPR_TIME | EXPR_INPUT | EXPR_STATE, &d->inner));
    for (size_t i = 0; i < d->inner.count; i++) {
        const mech_expr rate =
            mech_mul(d->p, d->inner.items[i].derivative, expr_symbol_of(d->p, d->inner.items[i].symbol)->dot);
        MECH_TRY(add_power(d, mech_neg(d->p, mech_mul(d->p, sign, rate))));
    }
    return MECH_OK;
}

/* Where an input or a function with a kink stands, slopes may jump, and with them the momentum: Q does not show that.
   */
static mech_status look_for_jumps(derivation *d, mech_expr e, int *may_jump)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    *may_jump = (expr_classes(d->p, e) & EXPR_INPUT) != 0;
    if (*may_jump || !d->p->has_kinks) return MECH_OK;
    const mech_status status = expr_reachable(d->p, &e, 1, &ids, &capacity, &count);
    for (size_t i = 0; i < count && status == MECH_OK && !*may_jump; i++) {
        const expr_node *n = &d->p->nodes[ids[i]];
        *may_jump = n->kind == EXPR_FUN && expr_function_has_kink((mech_function)n->function);
    }
    mem_free(ids);
    return status;
}

/* dL/dv of one term: where it may jump with the clock, or by what events set. */
static mech_status note_momentum(derivation *d, size_t i, mech_expr p_i, int may_jump)
{
    model_equations *to = &d->m->equations;
    if (may_jump) MECH_TRY(push(d, &to->momentum, i, 0, p_i));
    return d->sets_states && expr_classes(d->p, p_i) & EXPR_STATE ? push(d, &to->settable, i, 0, p_i) : MECH_OK;
}

/* One momentum p_i = d(sign*e)/dv_i: its row of M and its share of Q and h. */
static mech_status momentum(derivation *d, size_t i, mech_expr v, mech_expr p_i, int may_jump)
{
    model_entries *M = &d->m->equations.M;
    MECH_TRY(note_momentum(d, i, p_i, may_jump));
    MECH_TRY(push(d, &d->Q, i, 0, mech_neg(d->p, expr_dot_free(d->p, p_i))));
    MECH_TRY(add_energy(d, mech_mul(d->p, v, p_i)));
    MECH_TRY(expr_gradient_of(d->p, p_i, EXPR_VELOCITY, &d->inner));
    for (size_t k = 0; k < d->inner.count; k++) {
        const size_t j = index_of(d, d->inner.items[k].symbol);
        if (j <= i) MECH_TRY(push(d, M, i, j, d->inner.items[k].derivative));
        if (expr_classes(d->p, d->inner.items[k].derivative) & EXPR_VELOCITY)
            d->m->equations.not_quadratic = d->m->origin;
    }
    return MECH_OK;
}

static mech_status lagrange_term(derivation *d, mech_expr e, mech_expr sign)
{
    int may_jump;
    MECH_TRY(look_for_jumps(d, e, &may_jump));
    MECH_TRY(expr_gradient_of(d->p, e, EXPR_COORD, &d->outer));
    for (size_t i = 0; i < d->outer.count; i++)
        MECH_TRY(push(d, &d->Q, index_of(d, d->outer.items[i].symbol), 0,
                      mech_mul(d->p, sign, d->outer.items[i].derivative)));
    MECH_TRY(expr_gradient_of(d->p, e, EXPR_VELOCITY, &d->outer));
    for (size_t i = 0; i < d->outer.count; i++) {
        const mech_expr v = d->outer.items[i].symbol, slope = mech_mul(d->p, sign, d->outer.items[i].derivative);
        MECH_TRY(momentum(d, index_of(d, v), v, slope, may_jump));
    }
    MECH_TRY(add_energy(d, mech_neg(d->p, mech_mul(d->p, sign, e))));
    return explicit_power(d, e, sign);
}

/* force along (dV/dv): Q_i += dV/dv_i * F, and its power v_i*Q_i. */
static mech_status impressed(derivation *d, mech_expr force, mech_expr velocity)
{
    MECH_TRY(expr_gradient_of(d->p, velocity, EXPR_VELOCITY, &d->outer));
    for (size_t i = 0; i < d->outer.count; i++) {
        const mech_expr v = d->outer.items[i].symbol, share = mech_mul(d->p, d->outer.items[i].derivative, force);
        MECH_TRY(push(d, &d->Q, index_of(d, v), 0, share));
        MECH_TRY(add_power(d, mech_mul(d->p, v, share)));
    }
    return MECH_OK;
}

/* v.m.v/2 of an entry of the lower triangle of M. */
static mech_expr squares(derivation *d, const model_mass *mass, mech_expr m)
{
    const mech_expr half = mass->i == mass->j ? mech_rational(d->p, 1, 2) : EXPR_ONE;
    return mech_product(d->p, (mech_expr[]){half, d->m->coords[mass->i].v, d->m->coords[mass->j].v, m}, 4);
}

/* A mass given directly: M as it stands, h = v.M.v/2, and the power v.M'.v/2 of its change. */
static mech_status direct_mass(derivation *d, const model_mass *mass)
{
    MECH_TRY(push(d, &d->m->equations.M, mass->i, mass->j, mass->value));
    MECH_TRY(add_energy(d, squares(d, mass, mass->value)));
    return add_power(d, squares(d, mass, mech_dot(d->p, mass->value)));
}

/* v.dT/dv of what holds more than squares of velocities, and the momentum where it may jump. */
static mech_status inertia_momentum(derivation *d, mech_expr kinetic, int may_jump)
{
    MECH_TRY(expr_gradient_of(d->p, kinetic, EXPR_VELOCITY, &d->outer));
    for (size_t i = 0; i < d->outer.count; i++) {
        const mech_expr v = d->outer.items[i].symbol, p_i = d->outer.items[i].derivative;
        MECH_TRY(note_momentum(d, index_of(d, v), p_i, may_jump));
        MECH_TRY(add_energy(d, mech_mul(d->p, v, p_i)));
    }
    return MECH_OK;
}

/* Its shares as they stand. By what is known of them h changes with time, inputs and states alone; without these T is
   a square of the velocities, and h = T + V. */
static mech_status inertia_term(derivation *d, const model_inertia *t)
{
    const unsigned own = EXPR_TIME | EXPR_INPUT | EXPR_STATE;
    int may_jump;
    for (size_t i = 0, k = 0; i < t->count; i++) {
        for (size_t j = 0; j <= i; j++, k++) {
            const size_t a = t->coords[i], b = t->coords[j];
            MECH_TRY(push(d, &d->m->equations.M, a > b ? a : b, a > b ? b : a, t->mass[k]));
        }
        MECH_TRY(push(d, &d->Q, t->coords[i], 0, t->force[i]));
    }
    MECH_TRY(look_for_jumps(d, t->kinetic, &may_jump));
    const int is_square = !may_jump && !(expr_classes(d->p, t->kinetic) & own);
    if (!is_square) MECH_TRY(inertia_momentum(d, t->kinetic, may_jump));
    MECH_TRY(add_energy(d, is_square ? t->kinetic : mech_neg(d->p, t->kinetic)));
    MECH_TRY(add_energy(d, t->potential));
    MECH_TRY(explicit_power(d, t->kinetic, EXPR_ONE));
    return explicit_power(d, t->potential, EXPR_MINUS_ONE);
}

static mech_status derive_motion(derivation *d)
{
    mech_model *m = d->m;
    for (size_t i = 0; i < m->kinetic_count; i++) {
        m->origin = m->kinetic[i].origin;
        MECH_TRY(lagrange_term(d, m->kinetic[i].value, EXPR_ONE));
    }
    for (size_t i = 0; i < m->potential_count; i++) {
        m->origin = m->potential[i].origin;
        MECH_TRY(lagrange_term(d, m->potential[i].value, EXPR_MINUS_ONE));
    }
    for (size_t i = 0; i < m->masses_count; i++) {
        m->origin = m->masses[i].origin;
        MECH_TRY(direct_mass(d, &m->masses[i]));
    }
    for (size_t i = 0; i < m->inertias_count; i++) {
        m->origin = m->inertias[i].origin;
        MECH_TRY(inertia_term(d, &m->inertias[i]));
    }
    for (size_t i = 0; i < m->dissipation_count; i++) {
        m->origin = m->dissipation[i].origin;
        MECH_TRY(impressed(d, EXPR_MINUS_ONE, m->dissipation[i].value));
    }
    for (size_t i = 0; i < m->forces_count; i++) {
        m->origin = m->forces[i].origin;
        for (size_t k = 0; k < m->forces[i].count; k++)
            MECH_TRY(impressed(d, m->forces[i].force[k], m->forces[i].velocity[k]));
    }
    MECH_TRY(assemble(d, &m->equations.M, by_column));
    MECH_TRY(assemble(d, &d->Q, by_row));
    MECH_TRY(assemble(d, &m->equations.momentum, by_row));
    MECH_TRY(assemble(d, &m->equations.settable, by_row));
    for (size_t i = 0; i < m->coords_count; i++) m->equations.Q[i] = EXPR_ZERO;
    for (size_t i = 0; i < d->Q.count; i++) m->equations.Q[d->Q.items[i].row] = d->Q.items[i].value;
    return MECH_OK;
}

/* All terms of one energy: a list of what its writer gives. */
static mech_expr sum_of(derivation *d, const mech_expr *list, size_t count)
{
    if (!list) d->m->out_of_memory = 1;
    return list ? mech_sum(d->p, list, count) : (mech_expr){0};
}

static mech_expr sum_of_terms(derivation *d, const model_term *terms, size_t count)
{
    mech_expr *list = mem_alloc((count + 1) * sizeof *list);
    for (size_t i = 0; list && i < count; i++) list[i] = terms[i].value;
    const mech_expr sum = sum_of(d, list, count);
    mem_free(list);
    return sum;
}

/* v.M.v/2 of masses given directly, and what inertias bring; which: 0 kinetic, 1 potential. */
static mech_expr sum_of_given(derivation *d, int which)
{
    const mech_model *m = d->m;
    const size_t masses = which ? 0 : m->masses_count, count = masses + m->inertias_count;
    mech_expr *list = mem_alloc((count + 1) * sizeof *list);
    for (size_t i = 0; list && i < masses; i++) list[i] = squares(d, &m->masses[i], m->masses[i].value);
    for (size_t i = 0; list && i < m->inertias_count; i++)
        list[masses + i] = which ? m->inertias[i].potential : m->inertias[i].kinetic;
    const mech_expr sum = sum_of(d, list, count);
    mem_free(list);
    return sum;
}

static mech_status derive_energy(derivation *d)
{
    mech_model *m = d->m;
    model_equations *e = &m->equations;
    e->kinetic = mech_add(d->p, sum_of_terms(d, m->kinetic, m->kinetic_count), sum_of_given(d, 0));
    e->potential = mech_add(d->p, sum_of_terms(d, m->potential, m->potential_count), sum_of_given(d, 1));
    e->dissipation = sum_of_terms(d, m->dissipation, m->dissipation_count);
    e->energy = expr_tidy(d->p, mech_sum(d->p, d->energy_terms, d->energy_count));
    e->power = expr_tidy(d->p, mech_sum(d->p, d->power_terms, d->power_count));
    return e->kinetic.id && e->potential.id && e->dissipation.id && e->energy.id && e->power.id ? MECH_OK : failure(d);
}

/* ---- constraints ---- */

/* e with the accelerations in g set to zero. */
static mech_expr without(derivation *d, mech_expr e, const expr_gradient *g)
{
    mech_expr *symbols = mem_alloc((2 * g->count + 1) * sizeof *symbols), result = {0};
    if (!symbols) d->m->out_of_memory = 1;
    if (!symbols) return result;
    for (size_t i = 0; i < g->count; i++) {
        symbols[i] = g->items[i].symbol;
        symbols[g->count + i] = EXPR_ZERO;
    }
    result = mech_substitute(d->p, e, symbols, symbols + g->count, g->count);
    mem_free(symbols);
    return result;
}

static mech_status push_row(derivation *d, size_t row)
{
    for (size_t i = 0; i < d->outer.count; i++)
        MECH_TRY(push(d, &d->m->equations.A, row, index_of(d, d->outer.items[i].symbol),
                      expr_tidy(d->p, d->outer.items[i].derivative)));
    return MECH_OK;
}

/* A and b read off a row given in accelerations. */
static mech_status given_row(derivation *d, size_t row, mech_expr f)
{
    MECH_TRY(expr_gradient_of(d->p, f, EXPR_ACCELERATION, &d->outer));
    const mech_expr rest = without(d, f, &d->outer);
    d->m->equations.b[row] = expr_tidy(d->p, mech_neg(d->p, rest));
    if (!d->m->equations.b[row].id) return failure(d);
    return push_row(d, row);
}

/* d phi'/dv into d->outer; where it is not d phi/dq, that one into d->gradient. */
static mech_status holonomic_gradients(derivation *d, size_t row)
{
    model_row *r = &d->m->rows[row];
    int by_states;
    MECH_TRY(model_virtual_gradient(d->m, r->residual, &d->outer, &by_states));
    if (!by_states) return MECH_OK;
    model_classify_by_states(d->m, r, d->m->equations.r_dot[row], &d->outer);
    MECH_TRY(expr_gradient_of(d->p, r->residual, EXPR_COORD, &d->inner));
    for (size_t i = 0; i < d->inner.count; i++)
        MECH_TRY(push(d, &d->gradient, row, index_of(d, d->inner.items[i].symbol),
                      expr_tidy(d->p, d->inner.items[i].derivative)));
    return MECH_OK;
}

static mech_status derive_row(derivation *d, size_t row)
{
    const model_row *r = &d->m->rows[row];
    model_equations *e = &d->m->equations;
    const mech_expr none = {0}, f = r->residual;
    e->r[row] = r->level == MODEL_HOLONOMIC ? f : none;
    e->r_dot[row] = r->level == MODEL_HOLONOMIC ? mech_dot(d->p, f) : r->level == MODEL_NONHOLONOMIC ? f : none;
    if (r->level != MODEL_ACCELERATION && !e->r_dot[row].id) return failure(d);
    if (r->level == MODEL_ACCELERATION) return given_row(d, row, f);
    if (r->level == MODEL_HOLONOMIC) MECH_TRY(holonomic_gradients(d, row));
    else MECH_TRY(expr_gradient_of(d->p, f, EXPR_VELOCITY, &d->outer));
    e->b[row] = expr_tidy(d->p, mech_neg(d->p, expr_dot_free(d->p, e->r_dot[row])));
    if (!e->b[row].id) return failure(d);
    return push_row(d, row);
}

/* A's entries get those of d phi/dq beside them. Where A has no entry there it gets one that is zero: one pattern
   serves both. */
static mech_status place_gradient(derivation *d)
{
    model_entries *A = &d->m->equations.A, *g = &d->gradient;
    if (g->count == 0) return MECH_OK;
    MECH_TRY(assemble(d, g, by_row));
    for (size_t i = 0, k = 0, count = A->count; i < g->count; i++) {
        while (k < count && (A->items[k].row < g->items[i].row ||
                             (A->items[k].row == g->items[i].row && A->items[k].column < g->items[i].column)))
            k++;
        if (k < count && A->items[k].row == g->items[i].row && A->items[k].column == g->items[i].column) continue;
        if (!mem_grow(&A->items, &A->capacity, A->count + 1, sizeof *A->items)) return MECH_ERR_MEMORY;
        A->items[A->count++] = (model_entry){g->items[i].row, g->items[i].column, EXPR_ZERO};
    }
    qsort(A->items, A->count, sizeof *A->items, by_row);
    mech_expr *gradient = d->m->equations.gradient = mem_zeroed(A->count, sizeof *gradient);
    if (!gradient) return MECH_ERR_MEMORY;
    for (size_t i = 0, k = 0; k < A->count; k++) {
        const int here = i < g->count && g->items[i].row == A->items[k].row && g->items[i].column == A->items[k].column;
        const model_row *row = &d->m->rows[A->items[k].row];
        gradient[k] = here                                              ? g->items[i++].value
                      : row->by_states || row->level != MODEL_HOLONOMIC ? EXPR_ZERO
                                                                        : A->items[k].value;
    }
    return MECH_OK;
}

/* a_j0 of the velocity form: r' with the velocities at rest, where r' is linear in them. */
static mech_status derive_velocity_form(derivation *d, size_t row)
{
    model_equations *e = &d->m->equations;
    const mech_expr r_dot = e->r_dot[row];
    e->a0[row] = (mech_expr){0};
    if (!r_dot.id || !d->m->rows[row].is_linear) return MECH_OK;
    MECH_TRY(expr_gradient_of(d->p, r_dot, EXPR_VELOCITY, &d->outer));
    e->a0[row] = expr_tidy(d->p, without(d, r_dot, &d->outer));
    return e->a0[row].id ? MECH_OK : failure(d);
}

static mech_status derive_constraints(derivation *d)
{
    mech_model *m = d->m;
    for (size_t row = 0; row < m->rows_count; row++) {
        m->origin = m->constraints[m->rows[row].constraint].origin;
        MECH_TRY(derive_row(d, row));
        MECH_TRY(derive_velocity_form(d, row));
    }
    MECH_TRY(assemble(d, &m->equations.A, by_row));
    return place_gradient(d);
}

/* C(coord, law) += (d position'/dv)' force;  G(coord, actuator) = dV/dv */
static mech_status derive_laws(derivation *d)
{
    mech_model *m = d->m;
    for (size_t law = 0; law < m->laws_count; law++) {
        const model_law *l = &m->laws[law];
        m->origin = l->origin;
        for (size_t k = 0; k < l->count; k++) {
            int by_states;
            MECH_TRY(model_virtual_gradient(m, l->position[k], &d->outer, &by_states));
            for (size_t i = 0; i < d->outer.count; i++) {
                const mech_expr share = mech_mul(d->p, d->outer.items[i].derivative, l->force[k]);
                MECH_TRY(push(d, &m->equations.C, index_of(d, d->outer.items[i].symbol), law, share));
            }
        }
    }
    for (size_t a = 0; a < m->actuators_count; a++) {
        m->origin = m->actuators[a].origin;
        MECH_TRY(expr_gradient_of(d->p, m->actuators[a].velocity, EXPR_VELOCITY, &d->outer));
        for (size_t i = 0; i < d->outer.count; i++)
            MECH_TRY(push(d, &m->equations.G, index_of(d, d->outer.items[i].symbol), a, d->outer.items[i].derivative));
    }
    MECH_TRY(assemble(d, &m->equations.C, by_column));
    return assemble(d, &m->equations.G, by_column);
}

/* ---- the whole ---- */

static mech_status allocate(mech_model *m)
{
    model_equations *e = &m->equations;
    const size_t n = m->coords_count, rows = m->rows_count;
    e->Q = mem_zeroed(n, sizeof *e->Q);
    e->b = mem_zeroed(rows, sizeof *e->b);
    e->r = mem_zeroed(rows, sizeof *e->r);
    e->r_dot = mem_zeroed(rows, sizeof *e->r_dot);
    e->a0 = mem_zeroed(rows, sizeof *e->a0);
    return e->Q && e->b && e->r && e->r_dot && e->a0 ? MECH_OK : MECH_ERR_MEMORY;
}

void model_equations_free(model_equations *e)
{
    mem_free(e->M.items);
    mem_free(e->A.items);
    mem_free(e->gradient);
    mem_free(e->C.items);
    mem_free(e->G.items);
    mem_free(e->momentum.items);
    mem_free(e->settable.items);
    mem_free(e->Q);
    mem_free(e->b);
    mem_free(e->r);
    mem_free(e->r_dot);
    mem_free(e->a0);
    *e = (model_equations){0};
}

static mech_status derive_all(derivation *d)
{
    MECH_TRY(allocate(d->m));
    MECH_TRY(derive_motion(d));
    MECH_TRY(derive_energy(d));
    MECH_TRY(derive_constraints(d));
    return derive_laws(d);
}

static int sets_states(const mech_model *m)
{
    for (size_t k = 0; k < m->events_count; k++)
        for (size_t i = 0; i < m->events[k].action_count; i++) {
            const mech_action *action = &m->events[k].actions[i];
            if (action->kind == MECH_ACTION_SET && expr_classes(m->pool, action->target) & EXPR_STATE) return 1;
        }
    return 0;
}

mech_status model_derive(mech_model *m)
{
    derivation d = {.m = m, .p = m->pool, .sets_states = sets_states(m)};
    m->derivations++;
    const mech_status status = derive_all(&d);
    expr_gradient_free(&d.outer);
    expr_gradient_free(&d.inner);
    mem_free(d.Q.items);
    mem_free(d.gradient.items);
    mem_free(d.energy_terms);
    mem_free(d.power_terms);
    m->origin = 0;
    return status;
}

mech_expr model_entry_at(const model_entries *entries, size_t row, size_t column)
{
    for (size_t i = 0; i < entries->count; i++)
        if (entries->items[i].row == row && entries->items[i].column == column) return entries->items[i].value;
    return EXPR_ZERO;
}
