/* param, coord, let, state, input: statements that make names. */
#include "lang/statement.h"

#include "lang/call.h"
#include "lang/lexer.h"
#include "base/file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The full name under which a symbol may be declared here, 0 when reported. */
static uint32_t may_make(lang_context *c, const lang_title *t, const char *what, const char *hint)
{
    const uint32_t full = lang_may_declare(c, t->name, t->span);
    if (!full || lang_loop_depth(c) == 0) return full;
    lang_error(c, MECH_ERR_MODEL, t->span, hint, "%s cannot be declared inside a loop", what);
    return 0;
}

/* The shape x[1..K] or x[1..5, 1..4] asks for, its entries in the arena and not set. */
static lang_value declared_shape(lang_context *c, const lang_title *t)
{
    int64_t last[2] = {1, 1};
    size_t i = 0;
    if (!t->indices) return lang_scalar(EXPR_ZERO);
    if (t->index_count > 2) {
        lang_error(c, MECH_ERR_MODEL, t->span, NULL, "an array has one range or two: a vector or a matrix");
        return lang_no_value();
    }
    for (const lang_node *n = t->indices; n; n = n->next, i++) {
        int64_t first = 0;
        if (n->kind != NODE_RANGE) {
            lang_error(c, MECH_ERR_MODEL, n->span, "write x[1..N]", "a declaration takes a range");
            return lang_no_value();
        }
        if (!lang_integer(c, n->first, "the first index", &first)) return lang_no_value();
        if (!lang_integer(c, n->first->next, "the last index", &last[i])) return lang_no_value();
        if (first == 1 && last[i] >= 1) continue;
        lang_error(c, MECH_ERR_MODEL, n->span, NULL, first != 1 ? "indices count from 1" : "this range is empty");
        return lang_no_value();
    }
    const size_t rows = (size_t)last[0], columns = (size_t)last[1];
    if (rows > LANG_MAX_VALUE || columns > LANG_MAX_VALUE || rows * columns > LANG_MAX_VALUE) {
        lang_error(c, MECH_ERR_LIMIT, t->span, NULL, "an array may have at most %d entries", LANG_MAX_VALUE);
        return lang_no_value();
    }
    if (rows * columns > 1 && !lang_spend_statements(c, LANG_PER_ENTRY * rows * columns, t->span))
        return lang_no_value();
    mech_expr *items = arena_alloc(&c->memory, rows * columns * sizeof *items);
    if (!items) {
        lang_out_of_memory(c);
        return lang_no_value();
    }
    return (lang_value){
        .rank = (int)t->index_count, .rows = (uint32_t)rows, .columns = (uint32_t)columns, .items = items};
}

enum { ENTRY_NAME = LANG_MAX_NAME + 48 };

static void set_entry(lang_value *v, size_t k, mech_expr e)
{
    if (v->rank == RANK_SCALAR) v->scalar = e;
    else v->items[k] = e;
}

/* The value given from outside for a parameter, or the one of the text. */
static mech_expr overridden(lang_context *c, const char *name, mech_expr value)
{
    for (size_t i = 0; i < c->options.override_count; i++) {
        char canonical[LANG_MAX_NAME + 1];
        const char *given = c->options.overrides[i].name;
        if (!given || !lang_canonical(given, strlen(given), canonical) || strcmp(canonical, name) != 0) continue;
        c->overrides_used[i] = 1;
        if (!isfinite(c->options.overrides[i].value)) {
            lang_error(c, MECH_ERR_MODEL, (mech_span){c->source, MECH_SPAN_WHOLE, MECH_SPAN_WHOLE}, NULL,
                       "the value given for parameter '%s' is not a finite number", name);
            continue;
        }
        value = mech_number(c->pool, c->options.overrides[i].value);
    }
    return value;
}

/* The values of a parameter, or those that sampled values begin with: of its shape (one number stands for all), of
   numbers and parameters only. */
static lang_value param_values(lang_context *c, const lang_item *i, const lang_value *shape)
{
    const lang_value v = lang_evaluate(c, i->value);
    if (v.rank == RANK_ERROR) return v;
    if (!lang_same_shape(&v, shape) && v.rank != RANK_SCALAR) {
        char have[LANG_SHAPE_TEXT], want[LANG_SHAPE_TEXT];
        lang_error(c, MECH_ERR_MODEL, i->value->span,
                   shape->rank == RANK_SCALAR ? "write NAME[1..3] = [1, 2, 3]" : NULL, "'%s' is %s, its value %s",
                   lang_text_of(c, i->title.name), lang_shape(shape, want), lang_shape(&v, have));
        return lang_no_value();
    }
    for (size_t k = 0; k < lang_size(&v); k++)
        if (expr_classes(c->pool, lang_items(&v)[k]) & ~(unsigned)EXPR_PARAM) {
            lang_error(c, MECH_ERR_MODEL, i->value->span, "use 'let' for a named expression",
                       "a value that stands here is made of numbers and parameters");
            return lang_no_value();
        }
    return v;
}

static lang_value make_param(lang_context *c, const lang_item *i, uint32_t full, int is_sampled)
{
    char name[ENTRY_NAME];
    lang_value shape = declared_shape(c, &i->title);
    const lang_value v = shape.rank == RANK_ERROR ? shape : param_values(c, i, &shape);
    if (v.rank == RANK_ERROR) return v;
    for (size_t k = 0; k < lang_size(&shape); k++) {
        lang_write_entry(lang_text_of(c, full), &shape, k, name, sizeof name);
        const mech_expr given = v.rank == RANK_SCALAR ? v.scalar : v.items[k];
        const lang_value symbol =
            lang_take_symbol(c, is_sampled ? mech_model_sampled(c->model, name, given, i->unit)
                                           : mech_model_param(c->model, name, overridden(c, name, given), i->unit));
        if (symbol.rank == RANK_ERROR) return symbol;
        set_entry(&shape, k, symbol.scalar);
    }
    return shape;
}

static void run_values(lang_context *c, const lang_statement *s, int is_sampled)
{
    for (const lang_item *i = s->items; i && !lang_is_over(c); i = i->next) {
        const uint32_t full =
            may_make(c, &i->title, is_sampled ? "a sampled value" : "a parameter", "declare it before the loop");
        if (!full) continue;
        lang_set_place(c, s, (mech_span){i->title.span.source, i->title.span.start, i->value->span.end});
        c->names.items[i->title.name].is_defining = 1;
        const lang_value v = make_param(c, i, full, is_sampled);
        c->names.items[i->title.name].is_defining = 0;
        lang_bind_global(c, full, is_sampled ? BIND_STATE : BIND_PARAM, v, i->title.span);
    }
}

void lang_run_param(lang_context *c, const lang_statement *s) { run_values(c, s, 0); }

void lang_run_sampled(lang_context *c, const lang_statement *s) { run_values(c, s, 1); }

static lang_value make_coord(lang_context *c, const lang_item *i, uint32_t full, const char *unit, int is_state)
{
    char name[ENTRY_NAME];
    lang_value shape = declared_shape(c, &i->title);
    if (shape.rank == RANK_ERROR) return shape;
    for (size_t k = 0; k < lang_size(&shape); k++) {
        lang_write_entry(lang_text_of(c, full), &shape, k, name, sizeof name);
        const lang_value symbol = lang_take_symbol(c, is_state ? mech_model_state(c->model, name, unit)
                                                               : mech_model_coord(c->model, name, unit));
        if (symbol.rank == RANK_ERROR) return symbol;
        set_entry(&shape, k, symbol.scalar);
    }
    return shape;
}

void lang_run_coord(lang_context *c, const lang_statement *s)
{
    for (const lang_item *i = s->items; i && !lang_is_over(c); i = i->next) {
        const lang_item *labelled = i; /* a label counts for the names before it that have none */
        while (labelled->next && !labelled->unit) labelled = labelled->next;
        const uint32_t full = may_make(c, &i->title, "a coordinate", "declare them all before the loop: coord x[1..N]");
        if (!full) continue;
        lang_set_place(c, s, i->title.span);
        const lang_value v = make_coord(c, i, full, labelled->unit, 0);
        lang_bind_global(c, full, BIND_COORD, v, i->title.span);
    }
}

/* A name may be given once per scope; inside a loop it lives for one turn. The full name, 0 when reported. */
static uint32_t may_let(lang_context *c, const lang_title *t)
{
    const uint32_t local = c->names.items[t->name].local;
    if (local && local - 1 >= c->turn_base && lang_loop_depth(c) > 0) {
        lang_error(c, MECH_ERR_MODEL, t->span,
                   "inside a loop a name lives for one turn; give the second one another name",
                   "'%s' is declared twice", lang_text_of(c, t->name));
        return 0;
    }
    return lang_may_declare(c, t->name, t->span);
}

static void run_let(lang_context *c, const lang_item *i)
{
    const lang_title *t = &i->title;
    lang_value v = lang_scalar(EXPR_ZERO);
    if (i->arguments && c->names.items[t->name].builtin &&
        !lang_builtin_may_be_hidden(c->names.items[t->name].builtin - 1u)) {
        lang_error(c, MECH_ERR_MODEL, t->span, "choose another name", "'%s' is a function of the language",
                   lang_text_of(c, t->name));
        return;
    }
    const uint32_t full = may_let(c, t);
    const int is_local = lang_loop_depth(c) > 0;
    if (!full) return;
    if (!i->arguments) {
        c->names.items[t->name].is_defining = 1;
        v = lang_evaluate_let(c, i);
        c->names.items[t->name].is_defining = 0;
    }
    const lang_binding_kind kind = i->arguments ? BIND_FUNCTION : BIND_VALUE;
    if (c->scope.part && !is_local) v = lang_kept(c, v); /* the part's names outlive its statements */
    lang_binding *b =
        is_local ? lang_bind_local(c, t->name, kind, v, t->span) : lang_bind_global(c, full, kind, v, t->span);
    if (!b) return;
    b->function = i->arguments ? i : NULL;
    b->scope = c->scope;
    if (is_local) b->scope.limit = c->local_count - 1;
    else if (model_keep_let(c->model, lang_text_of(c, full)) != MECH_OK) lang_out_of_memory(c);
}

void lang_run_let(lang_context *c, const lang_statement *s)
{
    for (const lang_item *i = s->items; i && !lang_is_over(c); i = i->next) run_let(c, i);
}

/* The left side of a state's equation must be its own first derivative. */
static int is_rate_of(lang_context *c, const lang_item *i)
{
    const lang_node *n = i->target;
    if (n->kind == NODE_PRIME && n->op == 1 && n->first->kind == NODE_NAME && n->first->name == i->title.name) return 1;
    const char *hint = arena_format(&c->memory, "write state %s: %s' = ...", lang_text_of(c, i->title.name),
                                    lang_text_of(c, i->title.name));
    lang_error(c, MECH_ERR_MODEL, n->span, hint, "the left side must be %s'", lang_text_of(c, i->title.name));
    return 0;
}

void lang_run_state(lang_context *c, const lang_statement *s)
{
    const lang_item *i = s->items;
    const uint32_t full =
        may_make(c, &i->title, "a state", "declare them all before the loop: state z[1..N]: z' = [... for i in 1..N]");
    if (!full) return;
    const lang_value v = make_coord(c, i, full, i->unit, 1);
    lang_bind_global(c, full, BIND_STATE, v, i->title.span);
    if (v.rank == RANK_ERROR || !is_rate_of(c, i)) return;
    const lang_value rate = lang_evaluate(c, i->value);
    if (rate.rank == RANK_ERROR) return;
    if (!lang_same_shape(&rate, &v)) {
        char have[LANG_SHAPE_TEXT], want[LANG_SHAPE_TEXT];
        lang_error(c, MECH_ERR_MODEL, i->value->span, NULL, "the state is %s, its rate %s", lang_shape(&v, want),
                   lang_shape(&rate, have));
        return;
    }
    for (size_t k = 0; k < lang_size(&v); k++)
        lang_take_status(c, mech_model_state_rate(c->model, lang_items(&v)[k], lang_items(&rate)[k]));
}

static lang_value make_input(lang_context *c, const lang_statement *s, uint32_t full)
{
    const lang_item *i = s->items;
    const char *name = lang_text_of(c, full);
    if (i->text && c->options.no_files) {
        lang_error(c, MECH_ERR_FILE, s->span, NULL, "this text may not read files");
        return lang_no_value();
    }
    if (i->text) {
        const char *path = file_path(&c->memory, s->directory, i->text);
        if (!path) lang_out_of_memory(c);
        if (!path) return lang_no_value();
        return lang_take_symbol(c, i->next->is_held
                                       ? mech_model_input_held(c->model, name, path, i->next->text, i->unit)
                                       : mech_model_input_table(c->model, name, path, i->next->text, i->unit));
    }
    const lang_value v = lang_evaluate_scalar(c, i->value, "a number for the input");
    return v.rank == RANK_ERROR ? v : lang_take_symbol(c, mech_model_input(c->model, name, v.scalar, i->unit));
}

void lang_run_input(lang_context *c, const lang_statement *s)
{
    const lang_title *t = &s->items->title;
    const uint32_t full = may_make(c, t, "an input", "declare it before the loop");
    if (full) lang_bind_global(c, full, BIND_INPUT, make_input(c, s, full), t->span);
}
