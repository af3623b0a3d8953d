/* Calls. A user's function is a macro with lexical scope: its body sees its arguments, its where parts,
   what stood around its definition, and all globals. */
#include "lang/call.h"

#include "lang/evaluate.h"

#include <stdio.h>
#include <string.h>

/* Pushes the where parts; they stay for the value. */
static int bind_where(lang_context *c, const lang_item *let)
{
    for (const lang_item *w = let->items; w; w = w->next) {
        const lang_value v = lang_evaluate(c, w->value);
        if (lang_is_over(c) || !lang_bind_local(c, w->title.name, BIND_VALUE, v, w->title.span)) return 0;
    }
    return 1;
}

lang_value lang_evaluate_let(lang_context *c, const lang_item *let)
{
    const size_t locals = c->local_count;
    const lang_value v = bind_where(c, let) ? lang_evaluate(c, let->value) : lang_no_value();
    lang_drop_locals(c, locals);
    return v;
}

/* "'f' is defined through itself: f -> g -> f" */
static void report_cycle(lang_context *c, size_t first, const lang_node *n)
{
    char path[300];
    size_t used = 0;
    for (size_t i = first; i < c->call_count && used + 40 < sizeof path; i++)
        used +=
            (size_t)snprintf(path + used, sizeof path - used, "%.30s -> ", lang_text_of(c, c->calls[i]->title.name));
    snprintf(path + used, sizeof path - used, "%.30s", lang_text_of(c, n->name));
    lang_error(c, MECH_ERR_MODEL, n->mark,
               "a function is a formula, written out where it is used; it cannot call itself",
               "'%s' is defined through itself: %s", lang_text_of(c, n->name), path);
}

/* 1 when the function may be entered now. */
static int may_enter(lang_context *c, const lang_item *function, const lang_node *n)
{
    for (size_t i = 0; i < c->call_count; i++)
        if (c->calls[i] == function) {
            report_cycle(c, i, n);
            return 0;
        }
    if (function->argument_count != n->count) {
        lang_error(c, MECH_ERR_MODEL, n->span, NULL, "'%s' takes %u argument%s, not %u", lang_text_of(c, n->name),
                   function->argument_count, function->argument_count == 1 ? "" : "s", n->count);
        return 0;
    }
    if (c->call_count == LANG_MAX_EVALUATION) {
        lang_limit(c, n->span, "functions are nested more than %d deep", LANG_MAX_EVALUATION);
        return 0;
    }
    return lang_spend_turn(c, n->mark);
}

/* Values of the arguments, in the caller's scope; NULL when one failed. */
static lang_value *evaluate_arguments(lang_context *c, const lang_node *n)
{
    size_t i = 0;
    lang_value *v = lang_scratch_take(c, n->count + 1, sizeof *v);
    for (const lang_node *a = n->first; a && v; a = a->next) {
        v[i] = lang_evaluate(c, a);
        if (v[i++].rank == RANK_ERROR) return NULL;
    }
    return v;
}

/* scope: that of the function's definition, which its text sees. */
static lang_value call_user(lang_context *c, const lang_node *n, const lang_item *function, lang_scope scope)
{
    if (!may_enter(c, function, n)) return lang_no_value();
    const lang_value *v = evaluate_arguments(c, n);
    const size_t base = c->frame_base, low = c->frame_low, limit = c->frame_limit, locals = c->local_count;
    const lang_scope caller = c->scope;
    size_t i = 0;
    if (!v) return lang_no_value();
    for (const lang_node *a = function->arguments; a; a = a->next)
        if (!lang_bind_local(c, a->name, BIND_VALUE, v[i++], a->span)) return lang_no_value();
    if (c->call_count == 0) c->call_span = n->span;
    ((lang_item *)function)->word = 1;
    c->calls[c->call_count++] = function;
    c->frame_base = locals;
    c->frame_low = scope.low;
    c->frame_limit = scope.limit;
    c->scope = scope;
    const lang_value r = lang_evaluate_let(c, function);
    c->call_count--;
    c->frame_base = base;
    c->frame_low = low;
    c->frame_limit = limit;
    c->scope = caller;
    lang_drop_locals(c, locals);
    return r;
}

void lang_unknown_function(lang_context *c, const lang_node *n)
{
    lang_guess guess;
    if (c->names.items[n->name].is_suspect) return;
    if (c->names.items[n->name].is_defining) {
        lang_error(c, MECH_ERR_MODEL, n->mark, "a name means one thing: give the new value a name of its own",
                   "'%s' is defined through itself: %s -> %s", lang_text_of(c, n->name), lang_text_of(c, n->name),
                   lang_text_of(c, n->name));
        return;
    }
    lang_guess_start(&guess, lang_text_of(c, n->name));
    for (unsigned i = 0; lang_builtin_name(i); i++) lang_guess_try(&guess, lang_builtin_name(i));
    for (size_t i = 0; i < c->global_count && i < 20000; i++)
        if (c->globals[i].kind == BIND_FUNCTION)
            lang_guess_try(&guess, lang_text_within(c, c->globals[i].name, c->scope.part));
    const char *meant = lang_function_meant(lang_text_of(c, n->name));
    lang_error(c, MECH_ERR_MODEL, n->mark, meant ? meant : lang_hint(c, &guess), "unknown function '%s'",
               lang_text_of(c, n->name));
    c->names.items[n->name].is_suspect = 1;
}

lang_value lang_call(lang_context *c, const lang_node *n)
{
    const lang_binding *b = lang_lookup(c, n->name);
    const uint16_t builtin = c->names.items[n->name].builtin;
    if (b && b->kind == BIND_FUNCTION) return call_user(c, n, b->function, b->scope);
    if (builtin) return lang_builtin_call(c, builtin - 1u, n);
    if (!b) lang_unknown_function(c, n);
    else if (b->value.rank != RANK_ERROR)
        lang_error(
            c, MECH_ERR_MODEL, n->mark,
            b->value.rank == RANK_VECTOR ? "an entry has its index in square brackets: x[1]"
            : b->kind == BIND_COORD || b->kind == BIND_STATE
                ? "it is a function of time already: write its name alone, and 'initial x = 1' for its start; a product needs a '*'"
                : "a product needs a '*' between its factors",
            "'%s' is %s, not a function", lang_text_of(c, n->name), lang_binding_word(b->kind));
    return lang_no_value();
}
