/* The builder: energies, masses, forces and actuators, taken as given and checked. */
#include "model/model.h"

#include "base/try.h"
#include "base/text.h"

static mech_status add_term(mech_model *m, model_term *t, mech_expr value)
{
    if (!t) return MECH_ERR_MEMORY;
    *t = (model_term){value, m->origin};
    return MECH_OK;
}

static mech_status check_energy(mech_model *m, mech_expr e, const char *what)
{
    MODEL_NEED(e);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    const unsigned classes = expr_classes(m->pool, e);
    if (classes & EXPR_ACCELERATION) return model_error(m, NULL, "a %s energy may not depend on accelerations", what);
    if (classes & EXPR_REACTION) return model_error(m, NULL, "a %s energy may not depend on reactions", what);
    return MECH_OK;
}

mech_status mech_model_kinetic(mech_model *m, mech_expr e)
{
    MECH_TRY(check_energy(m, e, "kinetic"));
    if (!expr_is_zero(e) && !(expr_classes(m->pool, e) & EXPR_VELOCITY))
        diagnostics_add(m->diagnostics, MECH_SEVERITY_WARNING, MECH_ERR_MODEL, model_span(m, m->origin),
                        "velocities are primes: x' is the velocity of x",
                        "this kinetic energy has no velocities in it");
    return add_term(m, MODEL_PUSH(m, kinetic), e);
}

mech_status mech_model_potential(mech_model *m, mech_expr e)
{
    MECH_TRY(check_energy(m, e, "potential"));
    return add_term(m, MODEL_PUSH(m, potential), e);
}

mech_status mech_model_dissipation(mech_model *m, mech_expr e)
{
    MODEL_NEED(e);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    if (expr_classes(m->pool, e) & (EXPR_ACCELERATION | EXPR_REACTION))
        return model_error(m, NULL, "a dissipation function may not depend on accelerations or reactions");
    return add_term(m, MODEL_PUSH(m, dissipation), e);
}

static int coord_index(const mech_model *m, mech_expr e, size_t *index)
{
    if (!expr_is_symbol(m->pool, e) || expr_symbol_of(m->pool, e)->class_bit != EXPR_COORD) return 0;
    *index = expr_symbol_of(m->pool, e)->index;
    return 1;
}

mech_status mech_model_mass(mech_model *m, mech_expr a, mech_expr b, mech_expr mass)
{
    size_t i, j;
    MODEL_NEED(a);
    MODEL_NEED(b);
    MODEL_NEED(mass);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    if (!coord_index(m, a, &i) || !coord_index(m, b, &j)) return model_error(m, NULL, "a mass belongs to coordinates");
    if (expr_classes(m->pool, mass) & (EXPR_ACCELERATION | EXPR_REACTION | EXPR_VELOCITY))
        return model_error(m, NULL, "a mass may depend on positions, time and parameters only");
    model_mass *entry = MODEL_PUSH(m, masses);
    if (!entry) return MECH_ERR_MEMORY;
    *entry = (model_mass){i > j ? i : j, i > j ? j : i, mass, m->origin};
    return MECH_OK;
}

/* The coordinates' numbers; each once. */
static mech_status keep_coords(mech_model *m, const mech_expr *coords, size_t count, model_inertia *t)
{
    size_t *kept = arena_alloc(&m->memory, (count + 1) * sizeof *kept);
    if (!kept) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        MODEL_NEED(coords[i]);
        if (!coord_index(m, coords[i], &kept[i])) return MECH_ERR_ARGUMENT;
        for (size_t k = 0; k < i; k++)
            if (kept[k] == kept[i]) return MECH_ERR_ARGUMENT;
    }
    t->coords = kept;
    t->count = count;
    return MECH_OK;
}

/* All are there and hold nothing of these classes. */
static mech_status check_all(mech_model *m, const mech_expr *list, size_t count, unsigned classes)
{
    for (size_t i = 0; i < count; i++) {
        MODEL_NEED(list[i]);
        if (expr_classes(m->pool, list[i]) & classes) return MECH_ERR_ARGUMENT;
    }
    return MECH_OK;
}

mech_status model_add_inertia(mech_model *m, const mech_expr *coords, size_t count, const mech_expr *mass,
                              const mech_expr *force, mech_expr kinetic, mech_expr potential)
{
    const size_t entries = count * (count + 1) / 2;
    const unsigned solved = EXPR_ACCELERATION | EXPR_REACTION;
    model_inertia t = {.kinetic = kinetic, .potential = potential.id ? potential : EXPR_ZERO, .origin = m->origin};
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    MECH_TRY(check_all(m, mass, entries, solved | EXPR_VELOCITY));
    MECH_TRY(check_all(m, force, count, solved));
    MECH_TRY(check_all(m, &t.kinetic, 1, solved));
    MECH_TRY(check_all(m, &t.potential, 1, solved | EXPR_VELOCITY));
    MECH_TRY(keep_coords(m, coords, count, &t));
    t.mass = model_copy(m, mass, entries);
    t.force = model_copy(m, force, count);
    model_inertia *item = MODEL_PUSH(m, inertias);
    if (!item || m->out_of_memory) return MECH_ERR_MEMORY;
    *item = t;
    return MECH_OK;
}

mech_status mech_model_force(mech_model *m, const mech_expr *force, const mech_expr *velocity, size_t count)
{
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        MODEL_NEED(force[i]);
        MODEL_NEED(velocity[i]);
        if (expr_classes(m->pool, force[i]) & (EXPR_ACCELERATION | EXPR_REACTION))
            return model_error(
                m,
                expr_classes(m->pool, force[i]) & EXPR_ACCELERATION
                    ? "what is proportional to an acceleration is a mass: add it to 'kinetic'"
                    : "a force that depends on a reaction is a law of its constraint: nonideal on NAME: ...",
                "an impressed force may not depend on accelerations or reactions");
        if (!(expr_classes(m->pool, velocity[i]) & EXPR_VELOCITY) && !expr_is_zero(velocity[i]))
            return model_error(m, "a force acts on a velocity: force F on x'",
                               "there is no velocity in what the force acts on");
    }
    model_force *f = MODEL_PUSH(m, forces);
    if (!f) return MECH_ERR_MEMORY;
    *f = (model_force){model_copy(m, force, count), model_copy(m, velocity, count), count, m->origin};
    return f->force && f->velocity ? MECH_OK : MECH_ERR_MEMORY;
}

mech_status mech_model_actuator(mech_model *m, const char *name, const mech_expr *velocity, size_t count)
{
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    if (name) MECH_TRY(model_check_name(m, name));
    for (size_t i = 0; i < count; i++) {
        MODEL_NEED(velocity[i]);
        if (!(expr_classes(m->pool, velocity[i]) & EXPR_VELOCITY))
            return model_error(m, "an actuator acts on a velocity: actuator x'",
                               "there is no velocity in what the actuator acts on");
        model_actuator *a = MODEL_PUSH(m, actuators);
        if (!a) return MECH_ERR_MEMORY;
        char number[TEXT_ROW];
        const char *shown = name ? arena_format(&m->memory, "%s%s", name, text_row(number, i, count))
                                 : arena_format(&m->memory, "actuator_%zu", m->actuators_count);
        *a = (model_actuator){shown, velocity[i], m->origin};
        if (!shown) return MECH_ERR_MEMORY;
    }
    return MECH_OK;
}
