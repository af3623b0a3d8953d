/* Outputs, start, events and options of the run. */
#include "lang/statement.h"

#include "base/mem.h"
#include "lang/parser.h"

#include <string.h>

enum { TAKEN_OUTPUT = 1, TAKEN_EVENT = 2 };

/* Marks a name as that of an output or event: 0 when it is one already, which is reported. */
static int take(lang_context *c, uint32_t full, uint8_t what, const lang_title *t)
{
    lang_name *n = &c->names.items[full];
    if (n->is_taken & what) {
        const char *hint =
            lang_loop_depth(c) > 0 ? "inside a loop each needs its own name: give it the loop's index" : NULL;
        lang_error(c, MECH_ERR_MODEL, t->span, hint, "there is an %s '%s' already",
                   what == TAKEN_OUTPUT ? "output" : "event", n->text);
        return 0;
    }
    n->is_taken |= what;
    return 1;
}

/* `output x` alone: the value of the name itself. */
static lang_value evaluate_title(lang_context *c, const lang_title *t)
{
    lang_node name = {.kind = t->within ? NODE_MEMBER : NODE_NAME,
                      .name = t->name,
                      .span = t->span,
                      .mark = t->span,
                      .count = t->within ? 1 : 0,
                      .first = (lang_node *)(uintptr_t)t->within,
                      .next = t->indices};
    const lang_node entry = {
        .kind = NODE_INDEX, .span = t->span, .mark = t->span, .first = &name, .count = t->index_count + 1};
    return lang_evaluate(c, t->indices ? &entry : &name);
}

lang_value lang_kept(lang_context *c, lang_value v)
{
    if (v.rank <= RANK_SCALAR) return v;
    mech_expr *items = arena_alloc(&c->memory, lang_size(&v) * sizeof *items);
    if (!items) {
        lang_out_of_memory(c);
        return lang_no_value();
    }
    memcpy(items, v.items, lang_size(&v) * sizeof *items);
    v.items = items;
    return v;
}

/* Lets later statements use the output by its name. 0 when the name means something else already; `output E`
   alone shows a named value under its own name. */
static const char *output_hint(lang_binding_kind kind)
{
    return kind == BIND_COORD || kind == BIND_STATE
               ? "it is a column of every run; any other value has a name of its own: output shown = ..."
               : "give the output a name of its own: output shown = ...";
}

static int bind_output(lang_context *c, const lang_item *i, uint32_t full, lang_value v)
{
    const lang_title *t = &i->title;
    const uint32_t base = lang_own_name(c, t->name, t->span); /* of all of the family */
    const lang_binding *constant = lang_global(c, t->name),
                       *b = constant && !constant->span.source ? constant : lang_global(c, base);
    if (!base) return 0;
    if (!i->value && b && b->kind == BIND_VALUE && b->span.source) return 1;
    if (b && (!t->indices || b->kind != BIND_FAMILY)) {
        if (b->kind == BIND_OUTPUT || !b->span.source) return lang_may_declare(c, t->name, t->span) != 0;
        lang_error(c, MECH_ERR_MODEL, t->span, output_hint(b->kind), "'%s' is %s already", lang_text_of(c, t->name),
                   lang_binding_word(b->kind));
        return 0;
    }
    if (!b && !lang_may_declare(c, t->name, t->span)) return 0;
    if (!b && t->indices && !lang_bind_global(c, base, BIND_FAMILY, lang_scalar(EXPR_ZERO), t->span)) return 0;
    if (!c->names.items[full].global) lang_bind_global(c, full, BIND_OUTPUT, lang_kept(c, v), t->span);
    return 1;
}

/* `output leg[2].push` alone: what a part holds is shown under its full name, which must not be a column already. */
static const char *shown_name(lang_context *c, const lang_title *t, uint32_t *full)
{
    *full = lang_refer(c, t);
    const lang_binding *b = lang_global(c, *full);
    if (!b || b->kind == BIND_VALUE || b->kind == BIND_PARAM) return *full ? lang_text_of(c, *full) : NULL;
    lang_error(c, MECH_ERR_MODEL, t->span, output_hint(b->kind), "'%s' is %s already", lang_text_of(c, *full),
               lang_binding_word(b->kind));
    return NULL;
}

/* The name of an entry of a value, as it stands in columns. */
static const char *entry_name(const lang_value *v, size_t k, const char *name, char *buffer, size_t size)
{
    if (v->rank == RANK_SCALAR) return name;
    lang_write_entry(name, v, k, buffer, size);
    return buffer;
}

static void run_output(lang_context *c, const lang_item *i)
{
    uint32_t full = 0;
    const char *name = i->title.within ? shown_name(c, &i->title, &full) : lang_full_title(c, &i->title, &full);
    const lang_value v = i->value ? lang_evaluate(c, i->value) : evaluate_title(c, &i->title);
    char entry[LANG_MAX_NAME + 100];
    if (!name || (!i->title.within && !bind_output(c, i, full, v)) || v.rank == RANK_ERROR) return;
    if (!take(c, full, TAKEN_OUTPUT, &i->title)) return;
    for (size_t k = 0; k < lang_size(&v); k++)
        lang_take_status(
            c, mech_model_output(c->model, entry_name(&v, k, name, entry, sizeof entry), lang_items(&v)[k], i->unit));
}

void lang_run_output(lang_context *c, const lang_statement *s)
{
    for (const lang_item *i = s->items; i && !lang_is_over(c); i = i->next) run_output(c, i);
}

/* What a title refers to: the part's own event or one of all; 0, reported, when there is none. */
static uint32_t find_event(lang_context *c, const lang_title *t)
{
    int64_t indices[2];
    lang_guess guess;
    const uint32_t own = c->scope.part && !t->within ? lang_find_within(c, c->scope.part, t->name) : 0;
    if (own && lang_title_indices(c, t, indices)) {
        const uint32_t full = lang_indexed_name(c, own, indices, t->index_count);
        if (full && c->names.items[full].is_taken & TAKEN_EVENT) return full;
    }
    const uint32_t full = lang_refer(c, t);
    if (!full || c->names.items[full].is_taken & TAKEN_EVENT) return full;
    if (c->names.items[t->name].is_suspect) return 0;
    lang_guess_start(&guess, lang_text_of(c, full));
    for (size_t i = 1; i < c->names.count; i++)
        if (c->names.items[i].is_taken & TAKEN_EVENT) lang_guess_try(&guess, c->names.items[i].text);
    const char *hint = lang_hint(c, &guess);
    lang_error(c, MECH_ERR_MODEL, t->span, hint ? hint : "an event is declared before it is used",
               "there is no event '%s'", lang_text_of(c, full));
    return 0;
}

void lang_run_measure(lang_context *c, const lang_statement *s)
{
    const lang_item *i = s->items;
    const mech_measure_kind kind = (mech_measure_kind)s->word;
    char entry[LANG_MAX_NAME + 100];
    const lang_value v = i->value ? lang_evaluate(c, i->value) : lang_no_value();
    const uint32_t event = i->value ? 0 : find_event(c, &i->title);
    if (i->value ? v.rank == RANK_ERROR : !event) return;
    const lang_binding *b = lang_name_thing(c, &s->title, BIND_MEASURE);
    if (!b) return;
    const char *name = lang_text_of(c, b->name);
    if (event) lang_take_status(c, mech_model_measure_event(c->model, name, kind, lang_text_of(c, event), i->unit));
    for (size_t k = 0; !event && k < lang_size(&v); k++)
        lang_take_status(c, mech_model_measure(c->model, entry_name(&v, k, name, entry, sizeof entry), kind,
                                               lang_items(&v)[k], i->unit));
}

/* Entry k of a value that is one number for all or of the target's shape. */
static mech_expr spread(const lang_value *v, size_t k) { return v->rank == RANK_SCALAR ? v->scalar : v->items[k]; }

/* Target and value; the value is a number or of the target's shape. */
static int evaluate_setting(lang_context *c, const lang_item *i, lang_value *target, lang_value *value)
{
    *target = lang_evaluate(c, i->target);
    *value = lang_evaluate(c, i->value);
    if (target->rank == RANK_ERROR || value->rank == RANK_ERROR) return 0;
    if (value->rank == RANK_SCALAR || lang_same_shape(target, value)) return 1;
    char x[LANG_SHAPE_TEXT], y[LANG_SHAPE_TEXT];
    lang_error(c, MECH_ERR_MODEL, i->value->span, NULL, "the left side is %s, its value %s", lang_shape(target, x),
               lang_shape(value, y));
    return 0;
}

static void release_initially(lang_context *c, const lang_statement *s)
{
    for (const lang_item *i = s->items; i && !lang_is_over(c); i = i->next) {
        size_t count = 0;
        const size_t *list = lang_find_constraints(c, &i->title, &count);
        lang_set_place(c, s, i->span);
        for (size_t k = 0; list && k < count; k++) lang_take_status(c, mech_model_initial_release(c->model, list[k]));
    }
}

/* A second guess would take the place of the first. What a part guesses may be guessed better outside. 0: reported. */
static int is_first_guess(lang_context *c, mech_expr x, mech_span span)
{
    const expr_symbol *symbol = expr_is_symbol(c->pool, x) ? expr_symbol_of(c->pool, x) : NULL;
    const unsigned of = symbol ? symbol->class_bit & (EXPR_COORD | EXPR_VELOCITY | EXPR_STATE) : 0;
    if (!of) return 1;
    const size_t slot = 3 * (size_t)symbol->index + (of == EXPR_COORD      ? 0
                                                     : of == EXPR_VELOCITY ? 1
                                                                           : 2),
                 before = c->guess_capacity;
    if (!mem_grow(&c->guesses, &c->guess_capacity, slot + 1, sizeof *c->guesses)) {
        lang_out_of_memory(c);
        return 0;
    }
    for (size_t i = before; i < c->guess_capacity; i++) c->guesses[i] = (lang_said){0};
    lang_said *said = &c->guesses[slot];
    if (said->span.source && said->part == c->scope.part) {
        lang_error(c, MECH_ERR_MODEL, span, "leave one of them", "%s%s is guessed in %s already", symbol->name,
                   of == EXPR_VELOCITY ? "'" : "", lang_line_of(c, said->span, span));
        return 0;
    }
    *said = (lang_said){.span = span, .part = c->scope.part};
    return 1;
}

void lang_run_initial(lang_context *c, const lang_statement *s)
{
    if (s->word) {
        release_initially(c, s);
        return;
    }
    for (const lang_item *i = s->items; i && !lang_is_over(c); i = i->next) {
        lang_value target, value;
        if (!evaluate_setting(c, i, &target, &value)) continue;
        lang_set_place(c, s, i->span);
        for (size_t k = 0; k < lang_size(&target); k++) {
            const mech_expr x = lang_items(&target)[k], to = spread(&value, k);
            if (s->kind == STATEMENT_GUESS && !is_first_guess(c, x, i->span)) break;
            lang_take_status(c, s->kind == STATEMENT_STEADY
                                    ? mech_model_steady(c->model, x, to)
                                    : mech_model_initial(c->model, x, to, s->kind == STATEMENT_INITIAL));
        }
    }
}

/* `set v = ...` is one action for each entry. Returns how many were written, 0 when reported. */
static size_t set_actions(lang_context *c, const lang_item *i, mech_action *actions, size_t room)
{
    lang_value target, value;
    if (!evaluate_setting(c, i, &target, &value)) return 0;
    if (lang_size(&target) > room) {
        lang_error(c, MECH_ERR_LIMIT, i->span, NULL, "an event may set at most %zu entries at once", room);
        return 0;
    }
    for (size_t k = 0; k < lang_size(&target); k++)
        actions[k] =
            (mech_action){.kind = MECH_ACTION_SET, .target = lang_items(&target)[k], .value = spread(&value, k)};
    return lang_size(&target);
}

static size_t make_action(lang_context *c, const lang_item *i, mech_action *actions, size_t room)
{
    *actions = (mech_action){.kind = (mech_action_kind)i->word};
    if (i->word == MECH_ACTION_SET) return set_actions(c, i, actions, room);
    if (i->items) {
        actions->constraints = lang_list_constraints(c, i->items, &actions->constraint_count);
        if (!actions->constraints) return 0;
    }
    if (i->word == MECH_ACTION_IMPACT) {
        const lang_value e = lang_evaluate_scalar(c, i->value, "the coefficient of restitution");
        if (e.rank == RANK_ERROR) return 0;
        actions->value = e.scalar;
    }
    return 1;
}

/* Of `set`s that stand together the last would win. 0: reported. */
static int are_set_once(lang_context *c, const mech_action *actions, size_t count, size_t made, mech_span span)
{
    size_t first = count;
    while (first > 0 && actions[first - 1].kind == MECH_ACTION_SET) first--;
    for (size_t k = count; k < count + made; k++)
        for (size_t i = first; i < k && actions[k].kind == MECH_ACTION_SET; i++) {
            const mech_expr x = actions[k].target;
            if (actions[i].target.id != x.id || !expr_is_symbol(c->pool, x)) continue;
            const expr_symbol *symbol = expr_symbol_of(c->pool, x);
            lang_error(c, MECH_ERR_MODEL, span, "leave one of them", "this event sets %s%s already", symbol->name,
                       symbol->class_bit == EXPR_VELOCITY ? "'" : "");
            return 0;
        }
    return 1;
}

void lang_run_event(lang_context *c, const lang_statement *s)
{
    enum { ROOM = 1000 }; /* entries one `set` may have */
    uint32_t full = 0;
    size_t items = 0, count = 0;
    int failed = 0;
    const char *name = lang_full_title(c, &s->title, &full);
    const lang_value at = lang_evaluate_scalar(c, s->a, "a number that passes a value");
    const lang_value level = lang_evaluate_scalar(c, s->b, "the value to pass");
    const lang_value when = s->c ? lang_evaluate_scalar(c, s->c, "a condition") : lang_scalar((mech_expr){0});
    for (const lang_item *i = s->items; i; i = i->next) items++;
    mech_action *actions = lang_scratch_take(c, items + ROOM, sizeof *actions);
    for (const lang_item *i = s->items; i && actions; i = i->next) {
        const size_t made = make_action(c, i, actions + count, items + ROOM - count);
        failed |= made == 0 || !are_set_once(c, actions, count, made, i->span);
        count += made;
    }
    if (!name || !actions || failed || at.rank == RANK_ERROR || level.rank == RANK_ERROR || when.rank == RANK_ERROR) {
        c->names.items[s->title.name].is_suspect = 1;
        return;
    }
    if (!take(c, full, TAKEN_EVENT, &s->title)) return;
    const mech_expr trigger = mech_sub(c->pool, at.scalar, level.scalar);
    if (!lang_check_fault(c, s->a->span)) return;
    lang_take_status(c,
                     mech_model_event(c->model, name, trigger, (mech_direction)s->word, when.scalar, actions, count));
}

void lang_run_every(lang_context *c, const lang_statement *s)
{
    size_t count = 0, room = 0;
    int failed = 0;
    const lang_value period = lang_evaluate_scalar(c, s->a, "a period");
    const lang_value from = s->b ? lang_evaluate_scalar(c, s->b, "a time") : lang_scalar((mech_expr){0});
    mech_expr *targets = NULL, *values = NULL;
    for (const lang_item *i = s->items; i && !lang_is_over(c); i = i->next) {
        lang_value target, value;
        if (!evaluate_setting(c, i, &target, &value)) {
            failed = 1;
            continue;
        }
        const size_t more = lang_size(&target);
        if (count + more > room) {
            mech_expr *wider[2];
            room = 2 * (count + more);
            for (int k = 0; k < 2; k++) {
                wider[k] = lang_scratch_take(c, room, sizeof *wider[k]);
                if (!wider[k]) return;
                if (count) memcpy(wider[k], k ? values : targets, count * sizeof *wider[k]);
            }
            targets = wider[0], values = wider[1];
        }
        for (size_t k = 0; k < more; k++, count++) {
            targets[count] = lang_items(&target)[k];
            values[count] = spread(&value, k);
        }
    }
    if (failed || period.rank == RANK_ERROR || from.rank == RANK_ERROR) return;
    lang_take_status(c, mech_model_every(c->model, period.scalar, from.scalar, targets, values, count));
}

/* Gains by column, or NULL and count 0 when they are not given. 0 when reported. */
static int evaluate_gain(lang_context *c, const lang_node *n, const mech_expr **gain, size_t *count)
{
    *gain = NULL;
    *count = 0;
    if (!n) return 1;
    const lang_value v = lang_evaluate(c, n);
    if (v.rank == RANK_ERROR) return 0;
    *gain = lang_by_column(c, &v);
    *count = lang_size(&v);
    return *gain != NULL;
}

/* All constraints are held in one way; gains of controls alone say none. 0: reported. */
static int is_held_alike(lang_context *c, const lang_statement *s, const size_t *list, size_t count)
{
    int speaks = count == 0;
    for (size_t i = 0; i < count; i++) speaks |= !c->model->constraints[list[i]].is_control;
    if (!speaks) return 1;
    if (c->held.span.source && c->held.how != s->word) {
        lang_error(c, MECH_ERR_MODEL, s->span, "all constraints are held in one way: leave one of them",
                   "'stabilize %s' was given in %s", lang_stabilizers[c->held.how],
                   lang_line_of(c, c->held.span, s->span));
        return 0;
    }
    c->held = (lang_said){.span = s->span, .how = s->word};
    return 1;
}

void lang_run_stabilize(lang_context *c, const lang_statement *s)
{
    const mech_expr *damping, *stiffness;
    size_t damping_count, stiffness_count, count = 0;
    const size_t *list = s->items ? lang_list_constraints(c, s->items, &count) : NULL;
    const int good =
        evaluate_gain(c, s->a, &damping, &damping_count) & evaluate_gain(c, s->b, &stiffness, &stiffness_count);
    if (!good || (s->items && !list) || !is_held_alike(c, s, list, count)) return;
    lang_take_status(c, mech_model_stabilize(c->model, (mech_stabilize)s->word, list, count, damping, damping_count,
                                             stiffness, stiffness_count));
}

/* Each option once, in all statements together. 0: reported. */
static int is_first_option(lang_context *c, int word, mech_span span)
{
    const lang_said *same = &c->run_options[word], *rows = word == RUN_STEP     ? &c->run_options[RUN_POINTS]
                                                           : word == RUN_POINTS ? &c->run_options[RUN_STEP]
                                                                                : same;
    if (same->span.source)
        lang_error(c, MECH_ERR_MODEL, span, "write one statement: simulate until 10, step 0.1", "'%s' was given in %s",
                   lang_run_options[word], lang_line_of(c, same->span, span));
    else if (rows->span.source)
        lang_error(c, MECH_ERR_MODEL, span, "leave one of them", "step and points both say how many rows");
    return !same->span.source && !rows->span.source;
}

void lang_run_simulate(lang_context *c, const lang_statement *s)
{
    for (const lang_item *i = s->items; i && !lang_is_over(c); i = i->next) {
        lang_value v = lang_scalar((mech_expr){0});
        if (i->value) v = lang_evaluate_scalar(c, i->value, "a number");
        if (v.rank == RANK_ERROR) continue;
        lang_set_place(c, s, i->span);
        if (!is_first_option(c, i->word, i->span)) continue;
        const mech_status status = mech_model_simulate(c->model, lang_run_options[i->word], v.scalar, i->text);
        if (status == MECH_OK) c->run_options[i->word].span = i->span;
        lang_take_status(c, status);
    }
}

void lang_run_allow(lang_context *c, const lang_statement *s)
{
    for (const lang_item *i = s->items; i; i = i->next) lang_take_status(c, mech_model_allow(c->model, i->text));
}
