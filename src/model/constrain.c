/* The builder: constraints, their classification, and the laws and controls that belong to them. */
#include "model/model.h"

#include "base/mem.h"
#include "base/try.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* The class a row is linear in: positions, velocities or accelerations. */
static unsigned level_class(model_level level)
{
    return level == MODEL_HOLONOMIC ? EXPR_COORD : level == MODEL_NONHOLONOMIC ? EXPR_VELOCITY : EXPR_ACCELERATION;
}

/* Whether v.dpsi/dv = k*psi for a small k: then an ideal force does no work on psi = 0. */
static int is_homogeneous(mech_model *m, mech_expr psi, const expr_gradient *g)
{
    mech_pool *p = m->pool;
    mech_expr power = EXPR_ZERO;
    for (size_t i = 0; i < g->count; i++)
        power = mech_add(p, power, mech_mul(p, g->items[i].symbol, g->items[i].derivative));
    for (int k = 1; k <= 4; k++) {
        const mech_expr difference = mech_sub(p, power, mech_mul(p, mech_rational(p, k, 1), psi));
        if (expr_is_zero(expr_expand(p, difference, 200))) return 1;
    }
    return 0;
}

/* A velocity, or a held value of nothing, as a component of a body's velocity that is always 0. */
static int is_nothing_at_rest(mech_model *m, mech_expr e)
{
    const expr_node *n = expr_at(m->pool, e);
    if (n->kind == EXPR_HELD) return expr_is_zero((mech_expr){m->pool->operands[n->first]});
    return n->kind == EXPR_SYM && (expr_classes(m->pool, e) & EXPR_VELOCITY) != 0;
}

/* psi with its velocities set to zero; psi is linear in them. */
static mech_expr at_rest(mech_model *m, mech_expr psi)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0, found = 0;
    mech_expr result = {0}, *nodes = NULL;
    if (expr_reachable(m->pool, &psi, 1, &ids, &capacity, &count) == MECH_OK)
        nodes = mem_alloc((2 * count + 1) * sizeof *nodes);
    for (size_t i = 0; nodes && i < count; i++)
        if (is_nothing_at_rest(m, (mech_expr){ids[i]})) nodes[found++].id = ids[i];
    for (size_t i = 0; nodes && i < found; i++) nodes[count + i] = EXPR_ZERO;
    if (nodes) result = expr_replace(m->pool, psi, nodes, nodes + count, found);
    else m->out_of_memory = 1;
    mem_free(nodes);
    mem_free(ids);
    return result;
}

static void classify_velocity_form(mech_model *m, model_row *row, mech_expr psi, const expr_gradient *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (expr_classes(m->pool, g->items[i].derivative) & EXPR_VELOCITY) row->is_linear = 0;
    if (!row->is_linear) {
        row->is_acatastatic = !is_homogeneous(m, psi, g);
        return;
    }
    const mech_expr rest = at_rest(m, psi);
    row->is_acatastatic = rest.id && !expr_is_zero(expr_expand(m->pool, rest, 200));
}

/* Time, and what moves with it whatever the coordinates do: e depends on its course. */
static int moves_by_itself(mech_model *m, mech_expr e)
{
    return (expr_classes(m->pool, e) & (EXPR_TIME | EXPR_INPUT | EXPR_STATE)) != 0;
}

mech_status model_virtual_gradient(mech_model *m, mech_expr e, expr_gradient *g, int *by_states)
{
    *by_states = 0;
    MECH_TRY(expr_gradient_of(m->pool, e, EXPR_STATE, g));
    for (size_t i = 0; i < g->count; i++) {
        const mech_expr rate = expr_symbol_of(m->pool, g->items[i].symbol)->dot;
        *by_states |= rate.id && expr_classes(m->pool, rate) & EXPR_VELOCITY;
    }
    if (!*by_states && !expr_has_given_dot(m->pool, e)) return expr_gradient_of(m->pool, e, EXPR_COORD, g);
    return expr_gradient_of(m->pool, mech_dot(m->pool, e), EXPR_VELOCITY, g);
}

void model_classify_by_states(mech_model *m, model_row *row, mech_expr r_dot, const expr_gradient *g)
{
    row->by_states = 1;
    row->is_rheonomic = moves_by_itself(m, r_dot);
    classify_velocity_form(m, row, r_dot, g);
}

mech_status model_classify_row(mech_model *m, const char *name, model_row *row)
{
    const unsigned classes = expr_classes(m->pool, row->residual);
    if (classes & EXPR_REACTION)
        return model_error(m, "a law that depends on reactions is written: nonideal on NAME: ...",
                           "constraint '%s' may not depend on reactions", name);
    row->level = classes & EXPR_ACCELERATION ? MODEL_ACCELERATION
                 : classes & EXPR_VELOCITY   ? MODEL_NONHOLONOMIC
                                             : MODEL_HOLONOMIC;
    row->is_linear = 1;
    row->is_rheonomic = moves_by_itself(m, row->residual);
    if (!(classes & (EXPR_COORD | EXPR_VELOCITY | EXPR_ACCELERATION))) {
        if (expr_is_zero(row->residual)) {
            diagnostics_add(m->diagnostics, MECH_SEVERITY_WARNING, MECH_ERR_MODEL, model_span(m, m->origin), NULL,
                            "constraint '%s' holds by itself: both sides are the same", name);
            return MECH_OK;
        }
        return model_error(m, "a constraint relates coordinates, velocities or accelerations",
                           "there is no coordinate in constraint '%s'", name);
    }
    expr_gradient g = {0};
    mech_status status = expr_gradient_of(m->pool, row->residual, level_class(row->level), &g);
    if (status == MECH_OK && row->level == MODEL_NONHOLONOMIC) classify_velocity_form(m, row, row->residual, &g);
    if (row->level == MODEL_HOLONOMIC) row->is_acatastatic = row->is_rheonomic;
    for (size_t i = 0; status == MECH_OK && row->level == MODEL_ACCELERATION && i < g.count; i++)
        if (expr_classes(m->pool, g.items[i].derivative) & EXPR_ACCELERATION)
            status = model_error(m, NULL, "constraint '%s' is not linear in the accelerations", name);
    expr_gradient_free(&g);
    return status;
}

/* Takes the name and adds the rows; *number receives the constraint's. */
static mech_status add_constraint(mech_model *m, const char *name, const mech_expr *residual, size_t rows,
                                  int is_control, size_t *number)
{
    if (m->is_finished || rows == 0) return MECH_ERR_ARGUMENT;
    if (strmap_get(&m->constraint_names, name) != SIZE_MAX)
        return model_error(m, "inside a loop let the name carry the index: constraint NAME[i]: ...",
                           "there are two constraints named '%s'", name);
    if (!is_control && m->constraints_count && m->constraints[m->constraints_count - 1].is_control)
        return model_error(m, "move the 'control' statements below all constraints",
                           "constraint '%s' stands after a control", name);
    const char *kept = model_keep(m, name);
    if (!kept) return MECH_ERR_MEMORY;
    const size_t first = m->rows_count;
    for (size_t i = 0; i < rows; i++) {
        if (!residual[i].id) {
            m->rows_count = first;
            if (mech_pool_status(m->pool) != MECH_OK) return mech_pool_status(m->pool);
            const char *fault = expr_take_fault(m->pool);
            return model_error(m, NULL, "constraint '%s' has no value: %s", name,
                               fault ? fault : "a part of it is missing");
        }
        model_row row = {.residual = residual[i], .constraint = m->constraints_count};
        const mech_status status = model_classify_row(m, name, &row);
        model_row *place = status == MECH_OK ? MODEL_PUSH(m, rows) : NULL;
        if (!place) {
            m->rows_count = first;
            return status == MECH_OK ? MECH_ERR_MEMORY : status;
        }
        *place = row;
    }
    model_constraint *c =
        strmap_put(&m->constraint_names, kept, m->constraints_count) ? MODEL_PUSH(m, constraints) : NULL;
    if (!c) return MECH_ERR_MEMORY;
    *c = (model_constraint){
        .name = kept, .first_row = first, .row_count = rows, .is_control = is_control, .origin = m->origin};
    if (number) *number = m->constraints_count - 1;
    return MECH_OK;
}

mech_status mech_model_constraint(mech_model *m, const char *name, const mech_expr *residual, size_t rows,
                                  size_t *constraint)
{
    MECH_TRY(model_check_name(m, name));
    return add_constraint(m, name, residual, rows, 0, constraint);
}

size_t mech_model_find_constraint(const mech_model *m, const char *name)
{
    return strmap_get(&m->constraint_names, name);
}

size_t mech_model_constraint_rows(const mech_model *m, size_t constraint)
{
    return constraint < m->constraints_count ? m->constraints[constraint].row_count : 0;
}

/* ---- reactions in expressions ---- */

/* "lambda(contact)", or "lambda(foot[1])[2]" where a constraint has several rows. */
static mech_expr reaction_symbol(mech_model *m, const char *what, const model_constraint *c, size_t row)
{
    char number[TEXT_ROW];
    const char *name = arena_format(&m->memory, "%s(%s)%s", what, c->name, text_row(number, row, c->row_count));
    if (!name) m->out_of_memory = 1;
    return name ? expr_symbol_create(m->pool, name, EXPR_REACTION, 0, (uint32_t)(c->first_row + row)) : (mech_expr){0};
}

/* What looks at multipliers would see 0 at a control: the force that follows it has another shape for every weight. */
static mech_status refuse_control(mech_model *m, size_t constraint, const char *what)
{
    if (constraint >= m->constraints_count) return MECH_ERR_ARGUMENT;
    if (!m->constraints[constraint].is_control) return MECH_OK;
    return model_error(
        m, "runs and 'mech eval' give its force: control(x) along coordinates, or control(NAME) of actuators",
        "'%s' is a control, which has no multiplier: %s", m->constraints[constraint].name, what);
}

static model_row *row_of(mech_model *m, size_t constraint, size_t row)
{
    if (constraint >= m->constraints_count || row >= m->constraints[constraint].row_count) return NULL;
    if (refuse_control(m, constraint, "lambda, reaction and force are those of constraints") != MECH_OK) return NULL;
    return &m->rows[m->constraints[constraint].first_row + row];
}

mech_expr mech_model_lambda(mech_model *m, size_t constraint, size_t row)
{
    model_row *r = row_of(m, constraint, row);
    if (!r) return (mech_expr){0};
    if (!r->lambda.id) r->lambda = reaction_symbol(m, "lambda", &m->constraints[constraint], row);
    return r->lambda;
}

mech_expr mech_model_reaction(mech_model *m, size_t constraint, size_t row)
{
    model_row *r = row_of(m, constraint, row);
    if (!r) return (mech_expr){0};
    if (!r->reaction.id) r->reaction = reaction_symbol(m, "reaction", &m->constraints[constraint], row);
    return r->reaction;
}

mech_expr mech_model_active(mech_model *m, size_t constraint)
{
    if (constraint >= m->constraints_count) return (mech_expr){0};
    model_constraint *c = &m->constraints[constraint];
    if (c->active.id) return c->active;
    const char *name = arena_format(&m->memory, "active(%s)", c->name);
    if (!name) m->out_of_memory = 1;
    if (name) c->active = expr_symbol_create(m->pool, name, EXPR_REACTION, 0, (uint32_t)constraint);
    return c->active;
}

/* The entry of A of a row and a coordinate. */
static mech_expr entry_of_A(mech_model *m, const model_row *row, const model_coord *c)
{
    if (row->level == MODEL_ACCELERATION) return mech_derivative(m->pool, row->residual, c->a);
    if (row->level == MODEL_NONHOLONOMIC) return mech_derivative(m->pool, row->residual, c->v);
    if (!(expr_classes(m->pool, row->residual) & EXPR_STATE)) return mech_derivative(m->pool, row->residual, c->q);
    return mech_derivative(m->pool, mech_dot(m->pool, row->residual), c->v); /* rates of states may bring velocities */
}

mech_expr mech_model_force_of(mech_model *m, size_t constraint, mech_expr coord)
{
    if (constraint >= m->constraints_count || !coord.id || !expr_is_symbol(m->pool, coord)) return (mech_expr){0};
    const size_t index = expr_symbol_of(m->pool, coord)->index;
    if (expr_symbol_of(m->pool, coord)->class_bit != EXPR_COORD || index >= m->coords_count) return (mech_expr){0};
    mech_expr sum = EXPR_ZERO;
    for (size_t i = 0; i < m->constraints[constraint].row_count; i++) {
        const model_row *row = row_of(m, constraint, i);
        if (!row) return (mech_expr){0};
        const mech_expr entry = entry_of_A(m, row, &m->coords[index]);
        if (expr_is_zero(entry)) continue;
        sum = mech_add(m->pool, sum, mech_mul(m->pool, entry, mech_model_lambda(m, constraint, i)));
    }
    return sum;
}

/* ---- laws, control, stabilization ---- */

/* Copies a list of constraint numbers; NULL with n = 0 or when out of memory. */
static const size_t *copy_numbers(mech_model *m, const size_t *list, size_t n, mech_status *status)
{
    size_t *copy = n ? arena_alloc(&m->memory, n * sizeof *copy) : NULL;
    *status = n && !copy ? MECH_ERR_MEMORY : MECH_OK;
    for (size_t i = 0; copy && i < n; i++) {
        if (list[i] >= m->constraints_count) *status = MECH_ERR_ARGUMENT;
        copy[i] = list[i];
    }
    return copy;
}

static mech_status check_list(mech_model *m, const mech_expr *list, size_t count, unsigned forbidden, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        if (!list[i].id) return mech_pool_status(m->pool) != MECH_OK ? mech_pool_status(m->pool) : MECH_ERR_MODEL;
        if (expr_classes(m->pool, list[i]) & forbidden) return model_error(m, NULL, "%s", what);
    }
    return MECH_OK;
}

mech_status mech_model_nonideal(mech_model *m, mech_law_kind kind, const size_t *constraints, size_t constraint_count,
                                const mech_expr *position, const mech_expr *force, size_t count)
{
    mech_status status;
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    MECH_TRY(check_list(m, force, count, EXPR_ACCELERATION, "a law may not depend on accelerations"));
    for (size_t i = 0; i < count; i++)
        if (model_holds_late(m, force[i]))
            return model_error(
                m, "energies of the whole model and forces of control and friction stand in outputs and events",
                "a law may look at reactions, but not at what follows from it");
    MECH_TRY(
        check_list(m, position, count, EXPR_VELOCITY | EXPR_ACCELERATION | EXPR_REACTION,
                   "the left side of a law is a position: its virtual displacement is what the law's force works on"));
    for (size_t i = 0; i < count; i++)
        if (!(expr_classes(m->pool, position[i]) & EXPR_COORD))
            return model_error(m, "write: nonideal on NAME: [x, y] = [force along x, force along y]",
                               "there is no coordinate on the left side of the law");
    model_law law = {.kind = kind, .constraint_count = constraint_count, .count = count, .origin = m->origin};
    law.constraints = copy_numbers(m, constraints, constraint_count, &status);
    MECH_TRY(status);
    law.position = model_copy(m, position, count);
    law.force = model_copy(m, force, count);
    model_law *place = law.position && law.force ? MODEL_PUSH(m, laws) : NULL;
    if (!place) return MECH_ERR_MEMORY;
    *place = law;
    return MECH_OK;
}

mech_status mech_model_read_friction(mech_model *m, mech_friction_reading how)
{
    if (m->is_finished || m->frictions_count) return MECH_ERR_ARGUMENT;
    m->friction_reading = how;
    return MECH_OK;
}

/* "friction on a, b", and if there is one of that name a number behind it. */
static const char *name_friction(mech_model *m, const model_friction *f)
{
    const char *name =
        arena_format(&m->memory, "friction on %s", f->name ? f->name : m->constraints[f->constraints[0]].name);
    for (size_t i = 1; name && i < f->constraint_count; i++)
        name = arena_format(&m->memory, "%s, %s", name, m->constraints[f->constraints[i]].name);
    const char *first = name;
    for (size_t k = 2; name && strmap_get(&m->constraint_names, name) != SIZE_MAX; k++)
        name = arena_format(&m->memory, "%s (%zu)", first, k);
    return name;
}

/* V = 0, without the components that are nothing. */
static mech_status hold_friction(mech_model *m, const model_friction *f)
{
    const char *name = name_friction(m, f);
    mech_expr *rows = mem_alloc(f->count * sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; rows && i < f->count; i++)
        if (!expr_is_zero(f->velocity[i])) rows[count++] = f->velocity[i];
    mech_status status = name && rows ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK && count) status = add_constraint(m, name, rows, count, 0, NULL);
    mem_free(rows);
    return status;
}

/* Pushed by a force between the two, a body whose coefficient at rest is the smaller one could neither rest nor
   slide. */
static mech_status check_coefficients(mech_model *m, mech_expr mu, mech_expr static_mu)
{
    const mech_expr coefficients[] = {mu, static_mu};
    double value[2];
    int is_known = 1;
    for (int i = 0; i < 2; i++) {
        if (model_constant(m, coefficients[i], &value[i]) != MECH_OK) is_known = 0; /* a run looks at it */
        else if (value[i] < 0)
            return model_error(m, "friction opposes the motion by itself",
                               "a coefficient of friction is not negative: %g", value[i]);
    }
    if (is_known && value[1] < value[0])
        return model_error(
            m, "between the two it would neither hold nor slide; leave out 'static' where both are the same",
            "the coefficient of friction at rest is at least that of sliding: %g is below %g", value[1], value[0]);
    return check_list(m, coefficients, 2, EXPR_ACCELERATION | EXPR_REACTION,
                      "a coefficient of friction may not depend on accelerations or reactions");
}

static mech_status add_friction(mech_model *m, model_friction f, const size_t *constraints, const mech_expr *velocity)
{
    mech_status status;
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    if (!f.static_mu.id) f.static_mu = f.mu;
    if (!f.count)
        return model_error(m, "write: friction on NAME: mu, along x'", "friction needs a velocity to act along");
    for (size_t i = 0; i < f.constraint_count; i++)
        MECH_TRY(refuse_control(m, constraints[i], "friction needs the load of a constraint"));
    MECH_TRY(check_coefficients(m, f.mu, f.static_mu));
    MECH_TRY(check_list(m, velocity, f.count, EXPR_ACCELERATION | EXPR_REACTION, "friction acts along a velocity"));
    for (size_t i = 0; i < f.count; i++)
        if (!(expr_classes(m->pool, velocity[i]) & EXPR_VELOCITY) && !expr_is_zero(velocity[i]))
            return model_error(m, "write: friction on NAME: mu, along x'",
                               "there is no velocity in what the friction acts along");
    f.origin = m->origin;
    f.constraints = copy_numbers(m, constraints, f.constraint_count, &status);
    MECH_TRY(status);
    f.velocity = model_copy(m, velocity, f.count);
    const int is_dry = m->friction_reading == MECH_FRICTION_READING_DRY;
    f.held = SIZE_MAX;
    if (f.velocity && m->friction_reading == MECH_FRICTION_READING_HELD) {
        const size_t before = m->constraints_count;
        MECH_TRY(hold_friction(m, &f));
        if (m->constraints_count > before) f.held = before;
    }
    model_friction *place = !f.velocity ? NULL : is_dry ? MODEL_PUSH(m, frictions) : MODEL_PUSH(m, set_aside);
    if (!place) return MECH_ERR_MEMORY;
    *place = f;
    return MECH_OK;
}

mech_status mech_model_friction(mech_model *m, const size_t *constraints, size_t constraint_count, mech_expr mu,
                                const mech_expr *velocity, size_t count, mech_expr static_mu)
{
    return add_friction(
        m, (model_friction){.constraint_count = constraint_count, .mu = mu, .static_mu = static_mu, .count = count},
        constraints, velocity);
}

mech_status mech_model_friction_bound(mech_model *m, const char *name, mech_expr bound, const mech_expr *velocity,
                                      size_t count, mech_expr static_bound)
{
    MECH_TRY(model_check_name(m, name));
    const char *kept = model_keep(m, name);
    if (!kept) return MECH_ERR_MEMORY;
    return add_friction(m, (model_friction){.name = kept, .mu = bound, .static_mu = static_bound, .count = count}, NULL,
                        velocity);
}

mech_status mech_model_control(mech_model *m, const char *name, const mech_expr *residual, size_t rows,
                               mech_weight weight, const mech_expr *given, size_t given_size)
{
    MECH_TRY(model_check_name(m, name));
    MECH_TRY(add_constraint(m, name, residual, rows, 1, NULL));
    m->weight = weight;
    if (weight != MECH_WEIGHT_GIVEN) return MECH_OK;
    MECH_TRY(check_list(m, given, given_size, EXPR_ACCELERATION | EXPR_REACTION,
                        "a weight may not depend on accelerations or reactions"));
    m->given_weight = model_copy(m, given, given_size);
    m->given_weight_size = given_size;
    return m->given_weight ? MECH_OK : MECH_ERR_MEMORY;
}

mech_status mech_model_stabilize(mech_model *m, mech_stabilize how, const size_t *constraints, size_t constraint_count,
                                 const mech_expr *damping, size_t damping_count, const mech_expr *stiffness,
                                 size_t stiffness_count)
{
    mech_status status;
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    const unsigned forbidden = ~(unsigned)EXPR_PARAM;
    MECH_TRY(check_list(m, damping, damping_count, forbidden, "the gains B and K may use numbers and parameters only"));
    MECH_TRY(
        check_list(m, stiffness, stiffness_count, forbidden, "the gains B and K may use numbers and parameters only"));
    model_stabilize s = {.how = how,
                         .constraint_count = constraint_count,
                         .damping_count = damping_count,
                         .stiffness_count = stiffness_count,
                         .origin = m->origin};
    s.constraints = copy_numbers(m, constraints, constraint_count, &status);
    MECH_TRY(status);
    s.damping = model_copy(m, damping, damping_count);
    s.stiffness = model_copy(m, stiffness, stiffness_count);
    if ((damping_count && !s.damping) || (stiffness_count && !s.stiffness)) return MECH_ERR_MEMORY;
    model_stabilize *place = MODEL_PUSH(m, stabilizers);
    if (!place) return MECH_ERR_MEMORY;
    *place = s;
    return MECH_OK;
}
