/* Components and parts: statements that are written out under the name of each part. */
#include "lang/bodies.h"
#include "lang/statement.h"

#include <stdio.h>
#include <string.h>

void lang_run_component(lang_context *c, const lang_statement *s)
{
    const uint32_t full = lang_may_declare(c, s->title.name, s->title.span);
    if (!full) return;
    if (lang_loop_depth(c) > 0) {
        lang_error(c, MECH_ERR_MODEL, s->title.span, "declare it before the loop",
                   "a component cannot be declared inside a loop");
        return;
    }
    lang_binding *b = lang_bind_global(c, full, BIND_COMPONENT, lang_no_value(), s->title.span);
    if (b) b->component = s;
}

static const lang_statement *find_component(lang_context *c, const lang_node *n)
{
    lang_guess guess;
    const lang_binding *b = lang_lookup(c, n->name);
    if (b && b->kind == BIND_COMPONENT) return b->component;
    if (c->names.items[n->name].is_suspect) return NULL;
    lang_guess_start(&guess, lang_text_of(c, n->name));
    for (size_t i = 0; i < c->global_count; i++)
        if (c->globals[i].kind == BIND_COMPONENT) lang_guess_try(&guess, lang_text_of(c, c->globals[i].name));
    const char *hint = lang_hint(c, &guess);
    lang_error(c, MECH_ERR_MODEL, n->kind == NODE_CALL ? n->mark : n->span,
               hint ? hint : "a component is declared before its parts: component NAME(a, b) { ... }",
               "there is no component '%s'", lang_text_of(c, n->name));
    return NULL;
}

/* "'a' holds itself: a -> b -> a" */
static int holds_itself(lang_context *c, const lang_statement *component, const lang_node *n)
{
    char path[300] = "";
    size_t used = 0, first = 0;
    while (first < c->part_count && c->parts[first] != component) first++;
    if (first == c->part_count) return 0;
    for (size_t i = first; i < c->part_count && used + 40 < sizeof path; i++)
        used +=
            (size_t)snprintf(path + used, sizeof path - used, "%.30s -> ", lang_text_of(c, c->parts[i]->title.name));
    const char *name = lang_text_of(c, component->title.name);
    lang_error(c, MECH_ERR_MODEL, n->mark, NULL, "component '%s' holds itself: %s%.30s", name, path, name);
    return 1;
}

/* 1 when the part can be made of this component now. */
static int may_enter(lang_context *c, const lang_statement *component, const lang_node *n)
{
    const lang_item *i = component->items;
    const uint32_t given = n->kind == NODE_CALL ? n->count : 0;
    if (holds_itself(c, component, n)) return 0;
    if (i->argument_count != given) {
        lang_error(c, MECH_ERR_MODEL, n->span, NULL, "component '%s' takes %u argument%s, not %u",
                   lang_text_of(c, i->title.name), i->argument_count, i->argument_count == 1 ? "" : "s", given);
        return 0;
    }
    if (c->part_count == LANG_MAX_PARTS) {
        lang_limit(c, n->span, "parts are nested more than %d deep", LANG_MAX_PARTS);
        return 0;
    }
    return lang_spend_turn(c, n->span);
}

/* What an argument stands for: a thing with a name stays that thing, all else is its value. 0 when reported. */
static int read_argument(lang_context *c, const lang_node *n, lang_binding *argument)
{
    lang_binding *b = NULL;
    lang_title t;
    const size_t errors = lang_error_count(c);
    const int is_path = n->kind == NODE_NAME || n->kind == NODE_MEMBER || n->kind == NODE_INDEX;
    const uint32_t full = is_path ? lang_thing(c, n, &b) : 0;
    if (full && b) {
        *argument = *b;
        argument->stands_for = full;
        return b->kind >= BIND_FUNCTION || b->value.rank != RANK_ERROR;
    }
    if (full || (n->kind == NODE_NAME && !b && lang_title_of(n, &t) && c->names.items[n->name].constraint)) {
        *argument =
            (lang_binding){.kind = BIND_CONSTRAINT, .value = lang_no_value(), .stands_for = full ? full : n->name};
        return 1;
    }
    if (n->kind == NODE_NAME && !b && strcmp(lang_text_of(c, n->name), "ground") == 0) {
        *argument =
            (lang_binding){.kind = BIND_BODY, .value = lang_no_value(), .thing = MECH_GROUND, .stands_for = n->name};
        return 1;
    }
    if (n->kind == NODE_MEMBER && lang_error_count(c) > errors) return 0;
    *argument = (lang_binding){.kind = BIND_VALUE, .value = lang_evaluate(c, n)};
    return argument->value.rank != RANK_ERROR;
}

/* The arguments as locals, read in the scope around the part; 0 when one failed. */
static int bind_arguments(lang_context *c, const lang_node *call, const lang_item *component)
{
    lang_binding *all = lang_scratch_take(c, component->argument_count + 1, sizeof *all);
    size_t count = 0;
    int good = all != NULL;
    for (const lang_node *n = call->kind == NODE_CALL ? call->first : NULL; n && all; n = n->next)
        good &= read_argument(c, n, &all[count++]);
    count = 0;
    for (const lang_node *name = component->arguments; name && good; name = name->next) {
        lang_binding *b = lang_bind_local(c, name->name, all[count].kind, all[count].value, name->span);
        if (!b) return 0;
        const lang_binding fresh = *b;
        *b = all[count++];
        b->name = fresh.name;
        b->below = fresh.below;
        b->span = fresh.span;
    }
    return good;
}

lang_binding *lang_name_thing(lang_context *c, const lang_title *t, lang_binding_kind kind)
{
    uint32_t full = 0;
    const uint32_t base = lang_own_name(c, t->name, t->span);
    const lang_binding *family = lang_global(c, base);
    if (!base || (!(t->indices && family && family->kind == BIND_FAMILY) && !lang_may_declare(c, t->name, t->span)))
        return NULL;
    if (!lang_full_title(c, t, &full)) return NULL;
    if (t->indices && c->names.items[full].global) {
        lang_error(c, MECH_ERR_MODEL, t->span, "each needs its own name: give it the loop's index",
                   "'%s' is declared twice", lang_text_of(c, full));
        return NULL;
    }
    if (!t->indices && lang_loop_depth(c) > 0) {
        const char *hint =
            arena_format(&c->memory, "inside a loop each needs its own name: %s[i]", lang_text_of(c, t->name));
        lang_error(c, MECH_ERR_MODEL, t->span, hint, "'%s' would be declared in each turn", lang_text_of(c, t->name));
        return NULL;
    }
    if (t->indices && !family && !lang_bind_global(c, base, BIND_FAMILY, lang_scalar(EXPR_ZERO), t->span)) return NULL;
    if (c->names.items[full].constraint) {
        lang_error(c, MECH_ERR_MODEL, t->span, "choose another name", "there is a constraint '%s' already",
                   lang_text_of(c, full));
        return NULL;
    }
    return lang_bind_global(c, full, kind, lang_no_value(), t->span);
}

/* Writes the component out as the part that s names. */
static void make_part(lang_context *c, const lang_statement *s, const lang_statement *component)
{
    const lang_scope outer = c->scope;
    const size_t base = c->frame_base, low = c->frame_low, limit = c->frame_limit, locals = c->local_count,
                 turn = c->turn_base;
    const lang_binding *part = lang_name_thing(c, &s->title, BIND_PART);
    const uint32_t full = part ? part->name : 0;
    if (!full) c->names.items[s->title.name].is_suspect = 1;
    if (full && bind_arguments(c, s->a, component->items)) {
        c->parts[c->part_count] = component;
        c->part_spans[c->part_count++] = s->span;
        c->scope = (lang_scope){full, locals, c->local_count, c->loop_count};
        c->frame_base = c->frame_low = c->frame_limit = locals;
        c->turn_base = c->local_count;
        lang_run_statements(c, component->body);
        c->part_count--;
        c->scope = outer;
        c->frame_base = base;
        c->frame_low = low;
        c->frame_limit = limit;
        c->turn_base = turn;
    }
    lang_drop_locals(c, locals);
}

void lang_run_part(lang_context *c, const lang_statement *s)
{
    const lang_statement *component = find_component(c, s->a);
    if (component && may_enter(c, component, s->a)) make_part(c, s, component);
    else c->names.items[s->title.name].is_suspect = 1;
}

/* The file's text is the statement's own component. */
void lang_run_import(lang_context *c, const lang_statement *s)
{
    if (!s->body) c->names.items[s->title.name].is_suspect = 1; /* reported */
    else if (!lang_need_bodies(c, s->span)) c->names.items[s->title.name].is_suspect = 1;
    else if (c->dimension != 3) {
        c->names.items[s->title.name].is_suspect = 1;
        lang_error(c, MECH_ERR_MODEL, s->span, "write: gravity [0, 0, -9.81]",
                   "a robot's file is about bodies in space, and gravity is a vector of %zu", c->dimension);
    } else if (c->part_count == LANG_MAX_PARTS)
        lang_limit(c, s->span, "parts are nested more than %d deep", LANG_MAX_PARTS);
    else if (lang_spend_turn(c, s->span)) make_part(c, s, s);
}
