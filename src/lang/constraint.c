/* Names of constraints: one, foot[3], or all of foot; their forces and multipliers. */
#include "lang/evaluate.h"

#include "lang/call.h"

#include <string.h>

static void unknown_constraint(lang_context *c, uint32_t name, mech_span span)
{
    const lang_name *n = &c->names.items[name];
    lang_guess guess;
    const lang_binding *b = lang_global(c, name);
    if (n->is_suspect) return;
    if (b && b->kind == BIND_JOINT) {
        lang_error(
            c, MECH_ERR_MODEL, span,
            "a joint that places its body is one where 'by constraint' stands behind it; its force is NAME.force",
            "joint '%s' is no constraint", n->text);
        return;
    }
    lang_guess_start(&guess, n->text);
    for (size_t i = 0; i < c->model->constraints_count && i < 20000; i++) {
        const char *known = c->model->constraints[i].name;
        const uint32_t full = lang_find(&c->names, known, strlen(known));
        lang_guess_try(&guess, full ? lang_text_within(c, full, c->scope.part) : known);
    }
    for (size_t i = 1; i < c->names.count && i < 20000; i++)
        if (c->names.items[i].family) lang_guess_try(&guess, c->names.items[i].text);
    lang_guess_in_parts(c, &guess);
    const char *hint = lang_hint(c, &guess);
    lang_error(c, MECH_ERR_MODEL, span, hint ? hint : "a constraint is declared before it is used",
               "there is no constraint '%s'", n->text);
}

/* The constraint of exactly this name + 1, or 0: a joint may have become one since it was written. */
static uint32_t constraint_of(lang_context *c, uint32_t full)
{
    lang_name *n = &c->names.items[full];
    const lang_binding *b = n->constraint ? NULL : lang_global(c, full);
    if (!b || b->kind != BIND_JOINT) return n->constraint;
    const size_t number = mech_bodies_joint_constraint(c->bodies, b->thing);
    if (number != SIZE_MAX) n->constraint = (uint32_t)number + 1;
    return n->constraint;
}

/* The name of the constraint, or of the family, with these indices; 0 when nothing is called so. */
static uint32_t find_name(lang_context *c, uint32_t base, const lang_title *t, const int64_t *indices)
{
    const uint32_t full = base ? lang_indexed_name(c, base, indices, t->index_count) : 0;
    return full && (constraint_of(c, full) || (!t->indices && c->names.items[full].family)) ? full : 0;
}

/* What the title refers to: an argument, the part's own or one of all; or what it would be called. */
static uint32_t find_full(lang_context *c, const lang_title *t, const int64_t *indices)
{
    uint32_t base = t->name, full;
    if (t->within) {
        const uint32_t part = lang_thing(c, t->within, NULL);
        base = part ? lang_member_name(c, part, t->name) : 0;
    } else {
        const lang_binding *b = lang_lookup(c, t->name);
        if (b && b->stands_for) base = b->stands_for;
        else if (c->scope.part && (full = find_name(c, lang_find_within(c, c->scope.part, t->name), t, indices)) != 0)
            return full;
    }
    return base ? lang_indexed_name(c, base, indices, t->index_count) : 0;
}

const size_t *lang_find_constraints(lang_context *c, const lang_title *t, size_t *count)
{
    int64_t indices[2];
    if (!t->name || !lang_title_indices(c, t, indices)) return NULL;
    const uint32_t full = find_full(c, t, indices);
    if (!full) return NULL;
    const lang_name *n = &c->names.items[full];
    if (constraint_of(c, full)) {
        size_t *one = lang_scratch_take(c, 1, sizeof *one);
        if (!one) return NULL;
        *one = n->constraint - 1;
        *count = 1;
        return one;
    }
    if (!t->indices && n->family) {
        *count = c->families[n->family - 1].count;
        return c->families[n->family - 1].members;
    }
    if (!c->names.items[t->name].is_suspect) unknown_constraint(c, full, t->span);
    return NULL;
}

const size_t *lang_list_constraints(lang_context *c, const lang_item *names, size_t *count)
{
    size_t total = 0, capacity = 16;
    size_t *all = lang_scratch_take(c, capacity, sizeof *all);
    for (const lang_item *i = names; i && all; i = i->next) {
        size_t more = 0;
        const size_t *list = lang_find_constraints(c, &i->title, &more);
        if (!list) return NULL;
        if (total + more > capacity) {
            capacity = 2 * (total + more);
            size_t *wider = lang_scratch_take(c, capacity, sizeof *wider);
            if (!wider) return NULL;
            for (size_t k = 0; k < total; k++) wider[k] = all[k];
            all = wider;
        }
        for (size_t k = 0; k < more; k++) all[total++] = list[k];
    }
    *count = total;
    return all;
}

/* The constraints an argument of force(), lambda(), ... names. */
static const size_t *argument(lang_context *c, const lang_node *n, size_t *count)
{
    const lang_node *a = n->first;
    lang_title t;
    if (!lang_title_of(a, &t)) {
        lang_error(c, MECH_ERR_MODEL, a->span, NULL, "expected the name of a constraint");
        return NULL;
    }
    return lang_find_constraints(c, &t, count);
}

/* lambda(NAME), reaction(NAME): a number for one row, else a vector */
lang_value lang_fn_multiplier(lang_context *c, const lang_node *n, int which)
{
    size_t count = 0, rows = 0, at = 0;
    const size_t *list = argument(c, n, &count);
    if (!list) return lang_no_value();
    for (size_t i = 0; i < count; i++) rows += mech_model_constraint_rows(c->model, list[i]);
    lang_value r = lang_make(c, rows == 1 ? RANK_SCALAR : RANK_VECTOR, rows, 1, n->span);
    if (r.rank == RANK_ERROR) return r;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < mech_model_constraint_rows(c->model, list[i]); k++, at++) {
            const mech_expr e = which == WHICH_LAMBDA ? mech_model_lambda(c->model, list[i], k)
                                                      : mech_model_reaction(c->model, list[i], k);
            if (!e.id) return lang_take_symbol(c, e);
            if (rows == 1) r.scalar = e;
            else r.items[at] = e;
        }
    return r;
}

lang_value lang_fn_active(lang_context *c, const lang_node *n, int which)
{
    size_t count = 0;
    const size_t *list = argument(c, n, &count);
    (void)which;
    if (!list) return lang_no_value();
    if (count != 1) {
        lang_error(c, MECH_ERR_MODEL, n->first->span, "name one of them: active(foot[1])", "'%s' is %zu constraints",
                   lang_text_of(c, n->first->name), count);
        return lang_no_value();
    }
    return lang_take_symbol(c, mech_model_active(c->model, list[0]));
}

/* The force of all listed constraints along one coordinate. */
static mech_expr force_along(lang_context *c, const size_t *list, size_t count, mech_expr coord)
{
    const lang_mark mark = lang_scratch_mark(c);
    mech_expr *terms = lang_scratch_take(c, count, sizeof *terms);
    if (!terms) return (mech_expr){0};
    for (size_t i = 0; i < count; i++) terms[i] = mech_model_force_of(c->model, list[i], coord);
    const mech_expr sum = mech_sum(c->pool, terms, count);
    lang_scratch_release(c, mark);
    return sum;
}

/* The coordinates a force is asked along: those of the second argument, or all. */
static lang_value force_coordinates(lang_context *c, const lang_node *n)
{
    if (n->count == 1) {
        lang_value all = lang_make(c, RANK_VECTOR, c->model->coords_count, 1, n->span);
        for (size_t i = 0; all.rank != RANK_ERROR && i < c->model->coords_count; i++)
            all.items[i] = c->model->coords[i].q;
        return all;
    }
    const lang_node *a = n->first->next;
    const lang_value v = lang_evaluate(c, a);
    for (size_t i = 0; v.rank != RANK_ERROR && i < lang_size(&v); i++) {
        const mech_expr e = lang_items(&v)[i];
        if (expr_is_symbol(c->pool, e) && expr_symbol_of(c->pool, e)->class_bit == EXPR_COORD) continue;
        lang_error(c, MECH_ERR_MODEL, a->span, "write force(NAME, x) with a coordinate x", "expected a coordinate");
        return lang_no_value();
    }
    return v;
}

/* force(NAME), force(NAME, coordinates) */
lang_value lang_fn_force(lang_context *c, const lang_node *n, int which)
{
    size_t count = 0;
    (void)which;
    const size_t *list = argument(c, n, &count);
    const lang_value along = list ? force_coordinates(c, n) : lang_no_value();
    if (along.rank == RANK_ERROR) return along;
    lang_value r = lang_make_like(c, &along, n->span);
    if (!lang_spend_work(c, count * lang_size(&along), n->span)) return lang_no_value();
    for (size_t i = 0; r.rank != RANK_ERROR && i < lang_size(&along); i++) {
        const mech_expr e = force_along(c, list, count, lang_items(&along)[i]);
        if (!e.id) return lang_take_symbol(c, e);
        if (r.rank == RANK_SCALAR) r.scalar = e;
        else r.items[i] = e;
    }
    return r;
}
