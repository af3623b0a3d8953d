/* Dotted names: leg[2].slide. What is declared in a part is a global whose full name begins with that of the part. */
#include "lang/bodies.h"

#include <string.h>

uint32_t lang_member_name(lang_context *c, uint32_t part, uint32_t name)
{
    const char *text = arena_format(&c->memory, "%s.%s", lang_text_of(c, part), lang_text_of(c, name));
    const uint32_t full = text ? lang_intern(&c->names, text, strlen(text)) : 0;
    if (!full) lang_out_of_memory(c);
    return full;
}

/* Reports that a part does not hold this name, with the nearest it holds. */
static void unknown_member(lang_context *c, uint32_t part, const lang_node *n)
{
    lang_guess guess;
    if (c->names.items[n->name].is_suspect) return;
    lang_guess_start(&guess, lang_text_of(c, n->name));
    for (size_t i = 0; i < c->global_count; i++) {
        const char *text = lang_text_within(c, c->globals[i].name, part);
        if (text != lang_text_of(c, c->globals[i].name) && !strpbrk(text, ".[")) lang_guess_try(&guess, text);
    }
    lang_error(c, MECH_ERR_MODEL, n->mark, lang_hint(c, &guess), "'%s' holds no '%s'", lang_text_of(c, part),
               lang_text_of(c, n->name));
}

static uint32_t resolve(lang_context *c, const lang_node *n, lang_binding **binding, lang_binding **of);

/* What lies within a thing: the full name. 0 when reported, or when it is a value of a body, joint or spring, which
   is *of. */
static uint32_t find_member(lang_context *c, const lang_node *n, lang_binding **of)
{
    const lang_node *within = n->first;
    lang_binding *b = NULL, *outer = NULL;
    const size_t errors = lang_error_count(c);
    const uint32_t part = resolve(c, within, &b, &outer);
    if (lang_error_count(c) > errors) return 0;
    if (outer && outer->kind == BIND_JOINT && strcmp(lang_text_of(c, within->name), "load") == 0) *of = outer;
    else if (within->kind == NODE_NAME && !b) lang_unknown_name(c, within->name, within->span);
    else if (b && (b->kind == BIND_JOINT || b->kind == BIND_SPRING)) *of = b;
    else if (b && (b->kind == BIND_PART || b->kind == BIND_BODY)) {
        const uint32_t full = lang_member_name(c, part, n->name);
        if (!full || c->names.items[full].global || c->names.items[full].constraint || c->names.items[full].family)
            return full;
        if (b->kind == BIND_BODY) *of = b;
        else unknown_member(c, part, n);
    } else if (b && b->kind == BIND_FAMILY)
        lang_error(c, MECH_ERR_MODEL, within->span, NULL, "'%s' needs an index: %s[1]", lang_text_of(c, b->name),
                   lang_text_of(c, b->name));
    else if (b)
        lang_error(c, MECH_ERR_MODEL, within->span, "a product is x*y; a '.' leads to what a part holds: NAME.x",
                   "this is %s, which holds no names", lang_binding_word(b->kind));
    else
        lang_error(c, MECH_ERR_MODEL, within->span, "a product is x*y; a '.' leads to what a part holds: NAME.x",
                   "this is a value, which holds no names");
    return 0;
}

/* One of a family: the full name, 0 when reported or when the node is no such thing. */
static uint32_t find_indexed(lang_context *c, const lang_node *n)
{
    lang_binding *b = NULL, *of = NULL;
    int64_t indices[2];
    const uint32_t base = resolve(c, n->first, &b, &of);
    if (!base || !b || b->kind != BIND_FAMILY) return 0;
    const lang_title t = {.name = base, .span = n->span, .indices = n->first->next, .index_count = n->count - 1};
    if (!lang_title_indices(c, &t, indices)) return 0;
    const uint32_t full = lang_indexed_name(c, base, indices, t.index_count);
    if (full && !c->names.items[full].global) {
        lang_error(c, MECH_ERR_MODEL, n->span, NULL, "there is no '%s'", lang_text_of(c, full));
        return 0;
    }
    return full;
}

static uint32_t resolve(lang_context *c, const lang_node *n, lang_binding **binding, lang_binding **of)
{
    uint32_t full = 0;
    if (n->kind == NODE_NAME) {
        lang_binding *b = lang_lookup(c, n->name);
        if (!b) return 0;
        *binding = b;
        const int is_global = b >= c->globals && b < c->globals + c->global_count;
        return b->stands_for ? b->stands_for : is_global ? b->name : 0;
    }
    if (n->kind == NODE_INDEX) full = find_indexed(c, n);
    else if (n->kind == NODE_MEMBER) full = find_member(c, n, of);
    *binding = lang_global(c, full);
    return full;
}

uint32_t lang_thing(lang_context *c, const lang_node *n, lang_binding **binding)
{
    lang_binding *b = NULL, *of = NULL;
    const uint32_t full = resolve(c, n, &b, &of);
    if (binding) *binding = b;
    return full;
}

lang_value lang_member(lang_context *c, const lang_node *n)
{
    lang_binding *b = NULL, *of = NULL;
    const uint32_t full = resolve(c, n, &b, &of);
    if (of) return lang_thing_member(c, of, n);
    if (b) return lang_value_of(c, b, n->span);
    if (full)
        lang_error(c, MECH_ERR_MODEL, n->mark, "its force is force(NAME), its multiplier lambda(NAME)",
                   "'%s' is %s, not a value", lang_text_of(c, full), lang_binding_word(BIND_CONSTRAINT));
    return lang_no_value();
}

uint32_t lang_refer(lang_context *c, const lang_title *t)
{
    int64_t indices[2];
    const uint32_t part = t->within ? lang_thing(c, t->within, NULL) : 0;
    if ((t->within && !part) || !lang_title_indices(c, t, indices)) return 0;
    const uint32_t base = part ? lang_member_name(c, part, t->name) : t->name;
    return base ? lang_indexed_name(c, base, indices, t->index_count) : 0;
}
