/* Functions nobody called are never evaluated: look at least at their names. */
#include "lang/statement.h"

#include "lang/call.h"

/* Names below n that mean nothing. As deep as the tree, which has a limit. */
static void check_names(lang_context *c, const lang_node *n)
{
    const size_t locals = c->local_count;
    const lang_node *child = n->first;
    if (n->kind == NODE_NAME && !lang_lookup(c, n->name) && !lang_is_total(c, n->name))
        lang_unknown_name(c, n->name, n->span);
    if (n->kind == NODE_CALL) {
        const lang_binding *b = lang_lookup(c, n->name);
        const uint16_t builtin = c->names.items[n->name].builtin;
        if (!b && !builtin) lang_unknown_function(c, n);
        if ((!b || b->kind != BIND_FUNCTION) && builtin && lang_builtin_names_constraint(builtin - 1u) && child)
            child = child->next;
    }
    if ((n->kind == NODE_SUM || n->kind == NODE_EACH) &&
        !lang_bind_local(c, n->name, BIND_VALUE, lang_no_value(), n->mark))
        return;
    for (; child; child = child->next) check_names(c, child);
    lang_drop_locals(c, locals);
}

void lang_check_functions(lang_context *c)
{
    for (size_t i = 0; i < c->global_count && !lang_is_over(c); i++) {
        const lang_item *f = c->globals[i].function;
        if (!f || f->word || c->globals[i].scope.part) continue; /* a part's arguments are gone */
        for (const lang_node *a = f->arguments; a; a = a->next)
            if (!lang_bind_local(c, a->name, BIND_VALUE, lang_no_value(), a->span)) return;
        for (const lang_item *w = f->items; w; w = w->next) {
            check_names(c, w->value);
            if (!lang_bind_local(c, w->title.name, BIND_VALUE, lang_no_value(), w->title.span)) return;
        }
        check_names(c, f->value);
        lang_drop_locals(c, 0);
    }
}
