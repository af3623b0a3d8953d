/* What is known of the whole model: kinetic, potential, energy, control(NAME), friction(NAME). They stand in outputs
   and events, and in what these are made of. */
#include "lang/call.h"

#include "lang/bodies.h"
#include "lang/evaluate.h"

#include <string.h>

static const char *const totals[MECH_TOTAL_COUNT] = {"kinetic", "potential", "energy"};

int lang_is_total(const lang_context *c, uint32_t name)
{
    for (int k = 0; k < MECH_TOTAL_COUNT; k++)
        if (strcmp(lang_text_of(c, name), totals[k]) == 0) return 1;
    return 0;
}

int lang_refuse_late(lang_context *c, const lang_node *n)
{
    const lang_statement_kind kind = c->statement_kind;
    if (kind == STATEMENT_OUTPUT || kind == STATEMENT_MEASURE || kind == STATEMENT_EVENT || kind == STATEMENT_EVERY ||
        kind == STATEMENT_LET)
        return 0;
    lang_error(c, MECH_ERR_MODEL, n->span, "it may stand in outputs, measures, events and samples",
               "'%s' follows from the whole model, and cannot be a part of it", lang_text_of(c, n->name));
    return 1;
}

int lang_total(lang_context *c, const lang_node *n, lang_value *value)
{
    const char *text = lang_text_of(c, n->name);
    for (int k = 0; k < MECH_TOTAL_COUNT; k++) {
        if (strcmp(text, totals[k]) != 0) continue;
        *value =
            lang_refuse_late(c, n) ? lang_no_value() : lang_take_symbol(c, mech_model_total(c->model, (mech_total)k));
        return 1;
    }
    return 0;
}

/* "name", or "name[1]" and so on where there are several: how many of `count` names they are, from *first on. */
static size_t find_named(const char *name, const char *(*name_of)(const mech_model *m, size_t i), const mech_model *m,
                         size_t count, size_t *first)
{
    const size_t length = strlen(name);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const char *text = name_of(m, i);
        if (strncmp(text, name, length) != 0 || (text[length] && (text[length] != '[' || strchr(text + length, '.'))))
            continue;
        if (!text[length]) {
            *first = i;
            return 1;
        }
        if (!found++) *first = i;
    }
    return found;
}

static const char *actuator_name(const mech_model *m, size_t i) { return m->actuators[i].name; }

/* A name as it would be called in full; NULL when reported. */
static const char *full_name(lang_context *c, const lang_node *a, const char *what)
{
    lang_title t;
    int64_t indices[2];
    if (!lang_title_of(a, &t) || t.index_count > 2) {
        lang_error(c, MECH_ERR_MODEL, a->span, NULL, "expected the name of %s", what);
        return NULL;
    }
    if (!lang_title_indices(c, &t, indices)) return NULL;
    uint32_t base = t.name;
    if (t.within) {
        const uint32_t part = lang_thing(c, t.within, NULL);
        base = part ? lang_member_name(c, part, t.name) : 0;
    } else {
        const lang_binding *b = lang_lookup(c, t.name);
        if (b && b->stands_for) base = b->stands_for;
        else if (c->scope.part) base = lang_own_name(c, t.name, t.span);
    }
    const uint32_t full = base ? lang_indexed_name(c, base, indices, t.index_count) : 0;
    return full ? lang_text_of(c, full) : NULL;
}

/* control(NAME) of an actuator, control(x) along coordinates */
lang_value lang_fn_control(lang_context *c, const lang_node *n, int which)
{
    const lang_node *a = n->first;
    size_t first = 0;
    (void)which;
    if (lang_refuse_late(c, n)) return lang_no_value();
    const char *name =
        a->kind == NODE_NAME || a->kind == NODE_INDEX || a->kind == NODE_MEMBER ? full_name(c, a, "an actuator") : NULL;
    const size_t count = name ? find_named(name, actuator_name, c->model, c->model->actuators_count, &first) : 0;
    if (count) {
        lang_value r = lang_make(c, count == 1 ? RANK_SCALAR : RANK_VECTOR, count, 1, n->span);
        for (size_t k = 0; r.rank != RANK_ERROR && k < count; k++) {
            const mech_expr e = mech_model_control_at(c->model, first + k);
            if (!e.id) return lang_take_symbol(c, e);
            if (count == 1) r.scalar = e;
            else r.items[k] = e;
        }
        return r;
    }
    lang_title t;
    if (name && lang_title_of(a, &t) && !lang_lookup(c, t.name) &&
        mech_model_find_constraint(c->model, name) != SIZE_MAX) {
        lang_error(c, MECH_ERR_MODEL, a->span,
                   "name where it acts: control(x) along a coordinate, control(NAME) of an actuator",
                   "'%s' is what is asked for; its force has no place of its own", name);
        return lang_no_value();
    }
    const lang_value v = lang_evaluate(c, a);
    lang_value r = v.rank == RANK_ERROR ? v : lang_make_like(c, &v, n->span);
    for (size_t k = 0; r.rank != RANK_ERROR && k < lang_size(&v); k++) {
        const mech_expr x = lang_items(&v)[k];
        if (!expr_is_symbol(c->pool, x) || expr_symbol_of(c->pool, x)->class_bit != EXPR_COORD) {
            lang_error(c, MECH_ERR_MODEL, a->span,
                       "write control(x) along a coordinate, or control(NAME) of an actuator",
                       "expected a coordinate or an actuator");
            return lang_no_value();
        }
        const mech_expr e = mech_model_control_along(c->model, x);
        if (!e.id) return lang_take_symbol(c, e);
        if (r.rank == RANK_SCALAR) r.scalar = e;
        else r.items[k] = e;
    }
    return r;
}

/* The frictions of a list on a constraint, or with a bound of this name: how many; the first. */
static size_t frictions_on(const model_friction *list, size_t count, size_t constraint, const char *name, size_t *first)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        const model_friction *f = &list[k];
        int is_on = f->name && strcmp(f->name, name) == 0;
        for (size_t i = 0; i < f->constraint_count && !is_on; i++) is_on = f->constraints[i] == constraint;
        if (is_on && !found++) *first = k;
    }
    return found;
}

/* The force of friction `k` along component i. Held, it is the reaction of what holds it; left out, there is none. */
static mech_expr force_along(mech_model *m, size_t k, int is_aside, size_t i)
{
    if (!is_aside) return mech_model_friction_along(m, k, i);
    const model_friction *f = &m->set_aside[k];
    size_t row = 0;
    if (f->held == SIZE_MAX || expr_is_zero(f->velocity[i])) return EXPR_ZERO;
    for (size_t j = 0; j < i; j++) row += !expr_is_zero(f->velocity[j]);
    return mech_model_reaction(m, f->held, row);
}

/* friction(NAME): along the velocity of its statement, a number or a vector as that is */
lang_value lang_fn_friction(lang_context *c, const lang_node *n, int which)
{
    mech_model *m = c->model;
    size_t first = 0, constraint;
    lang_title t;
    (void)which;
    const char *name = lang_refuse_late(c, n) ? NULL : full_name(c, n->first, "a constraint or joint");
    if (!name) return lang_no_value();
    constraint = mech_model_find_constraint(m, name);
    if (constraint == SIZE_MAX && c->scope.part && lang_title_of(n->first, &t) && !t.within) {
        constraint = mech_model_find_constraint(m, lang_text_of(c, t.name)); /* one of all, seen from within a part */
        if (constraint != SIZE_MAX) name = lang_text_of(c, t.name);
    }
    size_t found = frictions_on(m->frictions, m->frictions_count, constraint, name, &first);
    const int is_aside = !found;
    if (is_aside) found = frictions_on(m->set_aside, m->set_aside_count, constraint, name, &first);
    if (found != 1) {
        if (found)
            lang_error(c, MECH_ERR_MODEL, n->first->span, "'mech run --columns forces' tells them apart",
                       "there are %zu frictions on '%s'", found, name);
        else
            lang_error(c, MECH_ERR_MODEL, n->first->span, "it is declared before: friction on NAME: mu, along x'",
                       "there is no friction on '%s'", name);
        return lang_no_value();
    }
    const size_t count = is_aside ? m->set_aside[first].count : m->frictions[first].count;
    lang_value r = lang_make(c, count == 1 ? RANK_SCALAR : RANK_VECTOR, count, 1, n->span);
    for (size_t k = 0; r.rank != RANK_ERROR && k < count; k++) {
        const mech_expr e = force_along(m, first, is_aside, k);
        if (!e.id) return lang_take_symbol(c, e);
        if (count == 1) r.scalar = e;
        else r.items[k] = e;
    }
    return r;
}
