/* What names mean: globals for the whole text, locals for loops and calls. */
#include "lang/context.h"

#include "base/mem.h"
#include "base/text.h"
#include "lang/call.h"

#include <stdio.h>
#include <string.h>

const char *lang_text_of(const lang_context *c, uint32_t name) { return c->names.items[name].text; }

enum { FULL_NAME = 2 * LANG_MAX_NAME + 66 };

/* "part.name", its length; longer than FULL_NAME when there is no room. */
static size_t join(const lang_context *c, uint32_t part, uint32_t name, char text[FULL_NAME])
{
    return (size_t)snprintf(text, FULL_NAME, "%s.%s", lang_text_of(c, part), lang_text_of(c, name));
}

uint32_t lang_own_name(lang_context *c, uint32_t name, mech_span span)
{
    char text[FULL_NAME];
    if (!c->scope.part) return name;
    const size_t length = join(c, c->scope.part, name, text);
    if (length > LANG_MAX_NAME) {
        lang_error(c, MECH_ERR_LIMIT, span, NULL,
                   "with the names of its parts before it this name is longer than %d bytes", LANG_MAX_NAME);
        return 0;
    }
    const uint32_t full = lang_intern(&c->names, text, length);
    if (!full) lang_out_of_memory(c);
    return full;
}

uint32_t lang_find_within(lang_context *c, uint32_t part, uint32_t name)
{
    char text[FULL_NAME];
    const size_t length = join(c, part, name, text);
    return length < FULL_NAME ? lang_find(&c->names, text, length) : 0;
}

lang_binding *lang_global(lang_context *c, uint32_t full)
{
    const uint32_t global = full ? c->names.items[full].global : 0;
    return global ? &c->globals[global - 1] : NULL;
}

static int is_visible(const lang_context *c, size_t local)
{
    return local >= c->frame_base || (local >= c->frame_low && local < c->frame_limit);
}

lang_binding *lang_lookup(lang_context *c, uint32_t name)
{
    for (uint32_t at = c->names.items[name].local; at; at = c->locals[at - 1].below)
        if (is_visible(c, at - 1)) return &c->locals[at - 1];
    lang_binding *own = c->scope.part ? lang_global(c, lang_find_within(c, c->scope.part, name)) : NULL;
    return own ? own : lang_global(c, name);
}

int lang_is_moving(lang_context *c, const char *text, size_t length)
{
    const uint32_t name = lang_find(&c->names, text, length);
    const lang_binding *b = name ? lang_lookup(c, name) : NULL;
    return b && (b->kind == BIND_COORD || b->kind == BIND_STATE);
}

static void report_cycle(lang_context *c, uint32_t name, mech_span span)
{
    lang_error(c, MECH_ERR_MODEL, span, "a name means one thing: give the new value a name of its own",
               "'%s' is defined through itself: %s -> %s", lang_text_of(c, name), lang_text_of(c, name),
               lang_text_of(c, name));
}

/* The statement below that declares a name, or NULL. */
static const lang_statement *declared_below(const lang_statement *first, uint32_t name)
{
    for (const lang_statement *s = first; s; s = s->next) {
        if (s->kind == STATEMENT_INCLUDE && declared_below(s->body, name)) return declared_below(s->body, name);
        if (s->kind >= STATEMENT_COMPONENT && s->kind != STATEMENT_POINT && s->title.name == name) return s;
        if (s->kind != STATEMENT_PARAM && s->kind != STATEMENT_COORD && s->kind != STATEMENT_LET &&
            s->kind != STATEMENT_STATE && s->kind != STATEMENT_SAMPLED && s->kind != STATEMENT_INPUT &&
            s->kind != STATEMENT_OUTPUT)
            continue;
        for (const lang_item *i = s->items; i; i = i->next)
            if (i->title.name == name && (i->value || s->kind != STATEMENT_OUTPUT))
                return s; /* `output x` declares no x */
    }
    return NULL;
}

/* Does the place lie in a statement of this kind? */
static int stands_in(const lang_statement *first, lang_statement_kind kind, mech_span span)
{
    const lang_statement *last = NULL;
    for (const lang_statement *s = first; s; s = s->next)
        if (s->span.source == span.source && s->span.start <= span.start) last = s;
    return last && last->kind == kind;
}

/* Is it shown by `output NAME` alone? */
static int is_only_shown(const lang_statement *first, uint32_t name)
{
    for (const lang_statement *s = first; s; s = s->next)
        for (const lang_item *i = s->kind == STATEMENT_OUTPUT ? s->items : NULL; i; i = i->next)
            if (i->title.name == name && !i->value) return 1;
    return 0;
}

const char *lang_text_within(const lang_context *c, uint32_t name, uint32_t part)
{
    const lang_name *n = &c->names.items[name], *p = &c->names.items[part];
    return part && n->length > p->length + 1 && n->text[p->length] == '.' && memcmp(n->text, p->text, p->length) == 0
               ? n->text + p->length + 1
               : n->text;
}

void lang_guess_in_parts(const lang_context *c, lang_guess *guess)
{
    enum { MOST = 20000 };
    const size_t length = strlen(guess->wanted);
    for (size_t i = 1; i < c->names.count && i < MOST && !guess->best; i++) {
        const lang_name *n = &c->names.items[i];
        if ((!n->global && !n->constraint) || n->length < length + 2 || n->text[n->length - length - 1] != '.')
            continue;
        if (strcmp(n->text + n->length - length, guess->wanted) == 0) guess->best = n->text;
    }
}

void lang_unknown_name(lang_context *c, uint32_t name, mech_span span)
{
    const lang_name *n = &c->names.items[name];
    if (n->is_suspect) return; /* it was reported already, or its declaration was */
    if (n->is_defining) {
        report_cycle(c, name, span);
        return;
    }
    lang_guess guess;
    lang_guess_start(&guess, n->text);
    enum { MOST = 20000 };
    for (size_t i = 0; i < c->local_count && i < MOST; i++)
        if (is_visible(c, i)) lang_guess_try(&guess, lang_text_of(c, c->locals[i].name));
    for (size_t i = 0; i < c->global_count && i < MOST; i++)
        lang_guess_try(&guess, lang_text_within(c, c->globals[i].name, c->scope.part));
    lang_guess_in_parts(c, &guess);
    const lang_statement *text = c->part_count > 0 ? c->parts[c->part_count - 1]->body : c->statements;
    const char *meant = lang_name_meant(c, n->text, guess.best), *hint = meant ? meant : lang_hint(c, &guess);
    const lang_statement *below = declared_below(text, name);
    if (below && below->kind == STATEMENT_STATE && stands_in(text, STATEMENT_STATE, span))
        hint = arena_format(
            &c->memory,
            "it is declared on line %d: move that above its first use; states that drive one another are one vector: "
            "state z[1..2]: z' = [z[2], -z[1]]",
            diagnostics_line(c->diagnostics, below->span));
    else if (below)
        hint = arena_format(&c->memory, "it is declared on line %d: move that above its first use",
                            diagnostics_line(c->diagnostics, below->span));
    else if (!hint && is_only_shown(text, name))
        hint = "`output NAME` alone shows what 'let' has named; else write: output NAME = ...";
    const uint32_t own = c->scope.part ? lang_find_within(c, c->scope.part, name) : 0;
    if (n->constraint || n->family || (own && (c->names.items[own].constraint || c->names.items[own].family)))
        hint = "it is the name of a constraint; its force is force(NAME), its multiplier lambda(NAME)";
    else if (n->builtin) hint = lang_builtin_usage(n->builtin - 1u);
    if (!hint && !c->told_declaring++)
        hint = arena_format(&c->memory, "nothing above declares it: param %s = value, or coord %s", n->text, n->text);
    lang_error(c, MECH_ERR_MODEL, span, hint, "unknown name '%s'", lang_text_of(c, name));
    c->names.items[name].is_suspect = 1; /* told once: where it is used again, too, is no news */
}

static const char *const reserved[] = {"and", "or", "not", "in", "for", "if", "else", "where"};

uint32_t lang_may_declare(lang_context *c, uint32_t name, mech_span span)
{
    const char *text = lang_text_of(c, name);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(text, reserved[i]) == 0) {
            lang_error(c, MECH_ERR_SYNTAX, span, "choose another name", "'%s' is a word of the language", text);
            c->names.items[name].is_suspect = 1;
            return 0;
        }
    const uint32_t full = lang_own_name(c, name, span);
    const lang_binding *constant = lang_global(c, name),
                       *b = constant && !constant->span.source ? constant : lang_global(c, full);
    if (!b) return full;
    if (!b->span.source) {
        lang_error(c, MECH_ERR_MODEL, span, "choose another name", "'%s' is %s", text,
                   b->kind == BIND_TIME ? "the time" : "a number of the language");
        return 0;
    }
    const int repeats = lang_loop_depth(c) > 0 && memcmp(&b->span, &span, sizeof span) == 0;
    const char *hint = repeats ? arena_format(&c->memory, "inside a loop each needs its own name: %s[i]", text)
                               : arena_format(&c->memory, "it is %s, declared on line %d", lang_binding_word(b->kind),
                                              diagnostics_line(c->diagnostics, b->span));
    if (!hint) lang_out_of_memory(c);
    lang_error(c, MECH_ERR_MODEL, span, hint, "'%s' is declared twice", text);
    return 0;
}

lang_binding *lang_bind_global(lang_context *c, uint32_t name, lang_binding_kind kind, lang_value value, mech_span span)
{
    if (!mem_grow(&c->globals, &c->global_capacity, c->global_count + 1, sizeof *c->globals)) {
        lang_out_of_memory(c);
        return NULL;
    }
    lang_binding *b = &c->globals[c->global_count++];
    *b = (lang_binding){.kind = kind, .name = name, .value = value, .span = span};
    c->names.items[name].global = (uint32_t)c->global_count;
    return b;
}

lang_binding *lang_bind_local(lang_context *c, uint32_t name, lang_binding_kind kind, lang_value value, mech_span span)
{
    if (!mem_grow(&c->locals, &c->local_capacity, c->local_count + 1, sizeof *c->locals)) {
        lang_out_of_memory(c);
        return NULL;
    }
    lang_binding *b = &c->locals[c->local_count++];
    *b = (lang_binding){.kind = kind, .name = name, .value = value, .span = span, .below = c->names.items[name].local};
    c->names.items[name].local = (uint32_t)c->local_count;
    return b;
}

lang_binding *lang_bind_index(lang_context *c, uint32_t name, int64_t index, mech_span span)
{
    lang_binding *b = lang_bind_local(c, name, BIND_VALUE, lang_scalar((mech_expr){0}), span);
    if (!b) return NULL;
    b->has_number = 1;
    b->number = (double)index;
    return b;
}

void lang_drop_locals(lang_context *c, size_t count)
{
    while (c->local_count > count) {
        const lang_binding *b = &c->locals[--c->local_count];
        c->names.items[b->name].local = b->below;
    }
}

const char *lang_binding_word(lang_binding_kind kind)
{
    static const char *const words[] = {"a named value", "the time",   "a parameter",
                                        "a coordinate",  "a state",    "an input",
                                        "an output",     "a function", "a name with an index",
                                        "a component",   "a part",     "a constraint",
                                        "a body",        "a point",    "a joint",
                                        "a spring",      "a motor",    "a measure"};
    return words[kind];
}

static size_t append(char *text, size_t used, size_t size, const char *more)
{
    size_t length = strlen(more);
    if (length > size - 1 - used) length = size - 1 - used;
    memcpy(text + used, more, length + 1);
    text[used + length] = '\0';
    return used + length;
}

size_t lang_write_name(const char *base, const int64_t *indices, size_t count, char *text, size_t size)
{
    size_t used = append(text, 0, size, base);
    for (size_t i = 0; i < count; i++) {
        char digits[TEXT_INTEGER];
        used = append(text, used, size, i == 0 ? "[" : ",");
        used = append(text, used, size, text_integer(digits, indices[i]));
    }
    return count ? append(text, used, size, "]") : used;
}

void lang_write_entry(const char *base, const lang_value *of, size_t entry, char *text, size_t size)
{
    const int64_t indices[2] = {(int64_t)(entry / of->columns) + 1, (int64_t)(entry % of->columns) + 1};
    (void)lang_write_name(base, indices, (size_t)of->rank, text, size); /* as many indices as its rank says */
}

uint32_t lang_indexed_name(lang_context *c, uint32_t base, const int64_t *indices, size_t count)
{
    if (count == 0) return base;
    char text[FULL_NAME + 64];
    const size_t length = lang_write_name(lang_text_of(c, base), indices, count, text, sizeof text);
    const uint32_t name = lang_intern(&c->names, text, length);
    if (!name) lang_out_of_memory(c);
    return name;
}
