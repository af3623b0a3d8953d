/* Names and where they stand, from the tree alone. A first walk lists what is declared, with the stretch of text in
   which it is seen; in a second one each name looks for the innermost declaration that is seen where it stands. */
#include <mech/outline.h>

#include "base/mem.h"
#include "lang/call.h"
#include "lang/include.h"
#include "lang/parser.h"

#include <stdlib.h>
#include <string.h>

/* Constraints have names of their own beside values, and so has what no expression speaks of. */
typedef enum space { SPACE_VALUE, SPACE_CONSTRAINT, SPACE_OTHER } space;

typedef struct entry {
    mech_outline_name shown;
    mech_span seen; /* source 0: everywhere */
    uint32_t name;
    space space;
    const lang_node *made_of; /* of a part: names its component           */
    size_t below;             /* the one before it of this name + 1, or 0 */
} entry;

struct mech_outline {
    lang_context *c; /* names, tree, the source */
    char *text;
    size_t length;
    entry *entries;
    size_t count, capacity;
    mech_outline_place *places;
    size_t place_count, place_capacity;
    size_t *newest; /* by the number of a name: its last entry + 1, or 0 */
    size_t newest_count, newest_capacity;
};

/* Where a walk stands. */
typedef struct walk {
    mech_outline *o;
    int is_resolving; /* the second walk                                */
    mech_span seen;   /* what is declared here is seen there            */
    size_t holder;    /* the component around, or NONE                  */
} walk;

#define NONE SIZE_MAX

/* ---- lists ---- */

static void add_place(mech_outline *o, mech_span at, size_t number)
{
    if (at.source != o->c->source || number == NONE || o->c->fatal != MECH_OK) return;
    if (!mem_grow(&o->places, &o->place_capacity, o->place_count + 1, sizeof *o->places)) lang_out_of_memory(o->c);
    else o->places[o->place_count++] = (mech_outline_place){at.start, at.end, number};
}

/* The name that begins there, without indices. In other files only its start is asked for. */
static mech_span name_at(const mech_outline *o, mech_span span, size_t start)
{
    lang_lexer x;
    const mech_span at = {span.source, (uint32_t)start, (uint32_t)start};
    if (span.source != o->c->source) return at;
    lang_lexer_start(&x, o->text, o->length);
    x.at = start;
    const lang_token t = lang_lexer_next(&x);
    return t.kind == TOK_NAME ? (mech_span){span.source, t.start, t.end} : at;
}

static int is_seen(const entry *e, mech_span at)
{
    return e->seen.source == 0 || (e->seen.source == at.source && e->seen.start <= at.start && at.start < e->seen.end);
}

/* 1: a is the better meaning of a name: of the space that is wanted, then seen on the shorter stretch, then earlier. */
static int is_better(const entry *a, const entry *b, space wanted)
{
    if ((a->space == wanted) != (b->space == wanted)) return a->space == wanted;
    if (!a->seen.source != !b->seen.source) return b->seen.source == 0;
    return a->seen.end - a->seen.start <= b->seen.end - b->seen.start;
}

/* What a name means at a place; within a holder when there is one. */
static size_t find(const mech_outline *o, uint32_t name, size_t holder, mech_span at, space wanted)
{
    size_t best = NONE;
    for (size_t i = name < o->newest_count ? o->newest[name] : 0; i; i = o->entries[i - 1].below) {
        const entry *e = &o->entries[i - 1];
        if (holder == NONE ? !is_seen(e, at) : e->shown.holder != holder) continue;
        if (best == NONE || is_better(e, &o->entries[best], wanted)) best = i - 1;
    }
    return best;
}

static int hold_name(mech_outline *o, uint32_t name)
{
    const size_t had = o->newest_count, need = (size_t)name + 1;
    if (need <= had) return 1;
    if (!mem_grow(&o->newest, &o->newest_capacity, need, sizeof *o->newest)) return 0;
    memset(o->newest + had, 0, (need - had) * sizeof *o->newest);
    o->newest_count = need;
    return 1;
}

typedef struct declaration {
    uint32_t name;
    const char *keyword, *unit;
    space space;
    mech_span at, by, seen; /* the name, what declares it, where it is seen */
    size_t holder;
    const lang_node *made_of;
} declaration;

/* a[1] and a[2] are one name, which two statements declare. */
static void declare(mech_outline *o, const declaration *d)
{
    lang_context *c = o->c;
    for (size_t i = d->name < o->newest_count ? o->newest[d->name] : 0; i; i = o->entries[i - 1].below) {
        const entry *e = &o->entries[i - 1];
        if (e->space == d->space && e->shown.holder == d->holder && e->seen.source == d->seen.source &&
            e->seen.start == d->seen.start)
            return;
    }
    if (c->fatal != MECH_OK) return;
    if (!hold_name(o, d->name) || !mem_grow(&o->entries, &o->capacity, o->count + 1, sizeof *o->entries)) {
        lang_out_of_memory(c);
        return;
    }
    const char *file = d->at.source == c->source ? NULL : diagnostics_source_name(c->diagnostics, d->at.source);
    o->entries[o->count] = (entry){.name = d->name,
                                   .space = d->space,
                                   .seen = d->seen,
                                   .made_of = d->made_of,
                                   .below = o->newest[d->name],
                                   .shown = {.name = lang_text_of(c, d->name),
                                             .keyword = d->keyword,
                                             .unit = d->unit,
                                             .file = file,
                                             .start = d->at.start,
                                             .end = d->at.end,
                                             .from = d->by.start,
                                             .to = d->by.end,
                                             .holder = d->holder,
                                             .seen_from = d->seen.start,
                                             .seen_to = d->seen.source ? d->seen.end : SIZE_MAX}};
    o->newest[d->name] = ++o->count;
}

/* ---- paths: leg[2].foot ---- */

/* What holds the names behind a '.': a body itself, the component of a part. */
static size_t holder_of(const mech_outline *o, size_t number)
{
    if (number == NONE) return NONE;
    const entry *e = &o->entries[number];
    if (strcmp(e->shown.keyword, "body") == 0) return number;
    return e->made_of ? find(o, e->made_of->name, NONE, e->made_of->span, SPACE_VALUE) : NONE;
}

static void visit(walk *w, const lang_node *n, space wanted);

static void visit_all(walk *w, const lang_node *first, space wanted)
{
    for (const lang_node *n = first; n; n = n->next) visit(w, n, wanted);
}

/* The entry that a path leads to; its names are places of theirs. */
static size_t visit_path(walk *w, const lang_node *n, space wanted)
{
    size_t number = NONE;
    mech_span at = n->mark;
    if (n->kind == NODE_INDEX) {
        visit_all(w, n->first->next, SPACE_VALUE);
        return visit_path(w, n->first, wanted);
    }
    if (n->kind == NODE_NAME) number = find(w->o, n->name, NONE, at = n->span, wanted);
    else if (n->kind == NODE_MEMBER) {
        const size_t holder = holder_of(w->o, visit_path(w, n->first, SPACE_VALUE));
        if (holder != NONE) number = find(w->o, n->name, holder, at, wanted);
    } else visit(w, n, wanted);
    if (w->is_resolving) add_place(w->o, at, number);
    return number;
}

/* ---- expressions ---- */

static void declare_local(walk *w, uint32_t name, const char *keyword, mech_span at, mech_span seen)
{
    const declaration d = {.name = name, .keyword = keyword, .at = at, .by = at, .seen = seen, .holder = NONE};
    if (w->is_resolving) add_place(w->o, at, find(w->o, name, NONE, at, SPACE_VALUE));
    else declare(w->o, &d);
}

/* sum(i in a..b: e) and [e for i in a..b]: the index stands after '(' or after 'for'. */
static mech_span index_of(const mech_outline *o, const lang_node *n)
{
    lang_lexer x;
    if (n->span.source != o->c->source) return n->span;
    lang_lexer_start(&x, o->text, o->length);
    x.at = n->kind == NODE_SUM ? n->span.start : n->first->span.end;
    lang_token t = lang_lexer_next(&x);
    while (t.kind != TOK_END && t.kind != TOK_NAME) t = lang_lexer_next(&x); /* 'sum' or 'for' */
    do t = lang_lexer_next(&x);
    while (t.kind == TOK_LPAREN || t.kind == TOK_NEWLINE);
    return (mech_span){n->span.source, t.start, t.end};
}

static void visit(walk *w, const lang_node *n, space wanted)
{
    if (!n) return;
    if (n->kind == NODE_NAME || n->kind == NODE_MEMBER || n->kind == NODE_INDEX) {
        visit_path(w, n, wanted);
        return;
    }
    const unsigned builtin = n->kind == NODE_CALL ? w->o->c->names.items[n->name].builtin : 0;
    if (n->kind == NODE_SUM || n->kind == NODE_EACH) declare_local(w, n->name, "index", index_of(w->o, n), n->span);
    if (n->kind == NODE_CALL && w->is_resolving) {
        const mech_span at = name_at(w->o, n->span, n->span.start);
        add_place(w->o, at, find(w->o, n->name, NONE, at, SPACE_VALUE));
    }
    const int names_one = builtin && lang_builtin_names_constraint(builtin - 1u);
    for (const lang_node *e = n->first; e; e = e->next)
        visit(w, e, names_one && e == n->first ? SPACE_CONSTRAINT : SPACE_VALUE);
}

/* ---- statements ---- */

/* What a statement's own name is, or -1: it has none to declare. */
static int space_of(lang_statement_kind kind)
{
    switch (kind) {
    case STATEMENT_CONSTRAINT:
    case STATEMENT_CONTROL: return SPACE_CONSTRAINT;
    case STATEMENT_EVENT:
    case STATEMENT_ACTUATOR: return SPACE_OTHER;
    case STATEMENT_COMPONENT:
    case STATEMENT_PART:
    case STATEMENT_IMPORT:
    case STATEMENT_BODY:
    case STATEMENT_POINT:
    case STATEMENT_JOINT:
    case STATEMENT_SPRING:
    case STATEMENT_DAMPER:
    case STATEMENT_MEASURE:
    case STATEMENT_MOTOR: return SPACE_VALUE;
    default: return -1;
    }
}

/* Do the entries of its list declare their titles? */
static int has_declarations(lang_statement_kind kind)
{
    return kind == STATEMENT_PARAM || kind == STATEMENT_COORD || kind == STATEMENT_LET || kind == STATEMENT_STATE ||
           kind == STATEMENT_SAMPLED || kind == STATEMENT_INPUT || kind == STATEMENT_OUTPUT;
}

static void declare_title(walk *w, const lang_title *t, const lang_statement *s, const lang_item *i, space own)
{
    mech_outline *o = w->o;
    if (!t->name) return;
    declaration d = {.name = t->name,
                     .keyword = lang_statement_word(s->kind),
                     .unit = i ? i->unit : NULL,
                     .space = own,
                     .seen = w->seen,
                     .holder = w->holder,
                     .by = i && i->next ? i->span : s->span};
    if (i && i->next && i->value) d.by.end = i->value->span.end;
    d.made_of = s->kind == STATEMENT_PART ? s->a : NULL;
    if (t->within) { /* a point of a body, which is seen behind the body's name */
        walk quiet = *w;
        quiet.is_resolving = 0;
        d.holder = visit_path(&quiet, t->within, SPACE_VALUE);
        d.seen = (mech_span){w->o->c->source, 0, 0};
        d.at = name_at(o, t->span, (size_t)t->within->span.end + 1);
    } else d.at = name_at(o, t->span, t->span.start);
    visit_all(w, t->indices, SPACE_VALUE);
    if (!w->is_resolving) {
        declare(o, &d);
        return;
    }
    if (t->within) visit(w, t->within, SPACE_VALUE);
    add_place(o, d.at, find(o, t->name, t->within ? d.holder : w->holder, d.at, own));
}

/* A title that refers to something: output x, impact wall. */
static void visit_title(walk *w, const lang_title *t, space wanted)
{
    if (!t->name) return;
    size_t holder = NONE, start = t->span.start;
    if (t->within) {
        holder = holder_of(w->o, visit_path(w, t->within, SPACE_VALUE));
        start = (size_t)t->within->span.end + 1;
        if (holder == NONE) return;
    }
    visit_all(w, t->indices, SPACE_VALUE);
    const mech_span at = name_at(w->o, t->span, start);
    if (w->is_resolving) add_place(w->o, at, find(w->o, t->name, holder, at, wanted));
}

static void visit_item(walk *w, const lang_statement *s, const lang_item *i)
{
    const int declares = has_declarations(s->kind) && (s->kind != STATEMENT_OUTPUT || i->value);
    const mech_span seen = {i->span.source, i->span.start, s->kind == STATEMENT_LET ? i->span.end : s->span.end};
    const int names_constraints = s->kind == STATEMENT_FRICTION || s->kind == STATEMENT_NONIDEAL ||
                                  s->kind == STATEMENT_STABILIZE || (s->kind == STATEMENT_INITIAL && s->word == 1);
    if (declares) declare_title(w, &i->title, s, i, SPACE_VALUE);
    else if (s->kind == STATEMENT_OUTPUT) visit_title(w, &i->title, SPACE_VALUE);
    else if (s->kind == STATEMENT_MEASURE) visit_title(w, &i->title, SPACE_OTHER); /* an event, or none */
    if (s->kind == STATEMENT_JOINT || s->kind == STATEMENT_SPRING || s->kind == STATEMENT_DAMPER)
        visit(w, i->arguments, SPACE_VALUE); /* 'turned' */
    else
        for (const lang_node *a = i->arguments; a; a = a->next)
            declare_local(w, a->name, "argument", a->span, s->kind == STATEMENT_COMPONENT ? s->span : seen);
    visit(w, i->target, names_constraints ? SPACE_CONSTRAINT : SPACE_VALUE);
    visit(w, i->value, SPACE_VALUE);
    for (const lang_item *inner = i->items; inner; inner = inner->next) {
        if (s->kind == STATEMENT_LET) declare_local(w, inner->title.name, "where", inner->title.span, seen);
        else if (inner->target) visit(w, inner->target, SPACE_CONSTRAINT);
        else visit_title(w, &inner->title, SPACE_CONSTRAINT);
        visit(w, inner->value, SPACE_VALUE);
    }
}

static void visit_statements(walk *w, const lang_statement *first);

static void visit_component(walk *w, const lang_statement *s)
{
    walk inner = *w;
    const mech_span at = s->title.span;
    inner.seen = s->span;
    inner.holder = find(w->o, s->title.name, NONE, at, SPACE_VALUE);
    for (const lang_item *i = s->items; i; i = i->next) visit_item(&inner, s, i);
    visit_statements(&inner, s->body);
}

static void visit_statements(walk *w, const lang_statement *first)
{
    for (const lang_statement *s = first; s && w->o->c->fatal == MECH_OK; s = s->next) {
        const int own = space_of(s->kind);
        if (own >= 0) declare_title(w, &s->title, s, NULL, (space)own);
        if (s->kind == STATEMENT_IMPORT) continue; /* its block is made from the file */
        if (s->kind == STATEMENT_COMPONENT) {
            visit_component(w, s);
            continue;
        }
        if (s->kind == STATEMENT_FOR) declare_local(w, s->title.name, "index", s->title.span, s->span);
        for (const lang_item *i = s->items; i; i = i->next) visit_item(w, s, i);
        visit(w, s->a, SPACE_VALUE);
        visit(w, s->b, SPACE_VALUE);
        visit(w, s->c, SPACE_VALUE);
        visit_statements(w, s->body);
        visit_statements(w, s->other);
    }
}

/* ---- the outline ---- */

static int by_start(const void *a, const void *b)
{
    const mech_outline_place *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Sorted, each place once. */
static void order_places(mech_outline *o)
{
    size_t kept = 0;
    if (o->place_count == 0) return;
    qsort(o->places, o->place_count, sizeof *o->places, by_start);
    for (size_t i = 1; i < o->place_count; i++)
        if (o->places[i].start != o->places[kept].start) o->places[++kept] = o->places[i];
    o->place_count = kept + 1;
}

static mech_status build(mech_outline *o, const char *path, size_t *mistakes)
{
    lang_context *c = o->c;
    const char *directory = file_directory(&c->memory, path ? path : "text");
    c->options.no_files = !path;
    c->diagnostics = mech_diagnostics_create();
    if (!directory || !c->diagnostics || !lang_names_start(&c->names, &c->memory) || !lang_builtin_start(c))
        return MECH_ERR_MEMORY;
    const lang_statement *first = lang_parse(c, NULL, path ? path : "text", directory, o->text, o->length);
    for (int pass = 0; pass < 2; pass++) {
        walk w = {.o = o, .is_resolving = pass, .holder = NONE};
        visit_statements(&w, first);
    }
    order_places(o);
    if (mistakes) *mistakes = mech_diagnostics_error_count(c->diagnostics);
    return c->fatal == MECH_ERR_MEMORY || diagnostics_failed(c->diagnostics) ? MECH_ERR_MEMORY : MECH_OK;
}

mech_status mech_outline_create(const char *path, const char *text, size_t length, mech_outline **outline,
                                size_t *mistakes)
{
    if (outline) *outline = NULL;
    if (!outline || (!text && length > 0)) return MECH_ERR_ARGUMENT;
    if (length > LANG_MAX_FILE) return MECH_ERR_LIMIT;
    mech_outline *o = mem_zeroed(1, sizeof *o);
    if (!o) return MECH_ERR_MEMORY;
    o->c = mem_zeroed(1, sizeof *o->c);
    o->text = mem_text(text ? text : "", length);
    o->length = length;
    const mech_status status = o->c && o->text ? build(o, path, mistakes) : MECH_ERR_MEMORY;
    if (status == MECH_OK) *outline = o;
    else mech_outline_free(o);
    return status;
}

void mech_outline_free(mech_outline *o)
{
    if (!o) return;
    if (o->c) {
        lang_names_free(&o->c->names);
        arena_free(&o->c->memory);
        mech_diagnostics_free(o->c->diagnostics);
    }
    mem_free(o->c);
    mem_free(o->text);
    mem_free(o->entries);
    mem_free(o->places);
    mem_free(o->newest);
    mem_free(o);
}

size_t mech_outline_name_count(const mech_outline *o) { return o ? o->count : 0; }

const mech_outline_name *mech_outline_name_at(const mech_outline *o, size_t number)
{
    return o && number < o->count ? &o->entries[number].shown : NULL;
}

size_t mech_outline_place_count(const mech_outline *o) { return o ? o->place_count : 0; }

const mech_outline_place *mech_outline_place_at(const mech_outline *o, size_t number)
{
    return o && number < o->place_count ? &o->places[number] : NULL;
}

const mech_outline_place *mech_outline_find(const mech_outline *o, size_t byte)
{
    size_t low = 0, high = o ? o->place_count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (o->places[middle].end < byte) low = middle + 1;
        else high = middle;
    }
    return o && low < o->place_count && o->places[low].start <= byte ? &o->places[low] : NULL;
}

/* The start of the path that ends at this byte: names, '.' and indices without spaces. */
static size_t path_start(const char *text, size_t byte)
{
    size_t open = 0;
    while (byte > 0) {
        const unsigned char before = (unsigned char)text[byte - 1];
        const int is_letter = before == '_' || before >= 0x80 || (before >= '0' && before <= '9') ||
                              (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
        if (before == '\n' || (open == 0 && !is_letter && before != '.' && before != ']')) break;
        open += before == ']';
        open -= before == '[' && open > 0;
        byte--;
    }
    return byte;
}

size_t mech_outline_holder_before(const mech_outline *o, size_t byte)
{
    lang_lexer x;
    char name[LANG_MAX_NAME + 1];
    if (!o || byte == 0 || byte > o->length || o->text[byte - 1] != '.') return NONE;
    const size_t start = path_start(o->text, byte);
    mech_span at = {o->c->source, (uint32_t)start, (uint32_t)byte};
    size_t holder = NONE;
    lang_lexer_start(&x, o->text, byte);
    x.at = start;
    int depth = 0;
    for (lang_token t = lang_lexer_next(&x); t.kind != TOK_END && t.kind != TOK_BAD; t = lang_lexer_next(&x)) {
        depth += (t.kind == TOK_LBRACKET) - (t.kind == TOK_RBRACKET);
        if (depth > 0 || t.kind != TOK_NAME) continue;
        const size_t length = lang_canonical(o->text + t.start, t.end - t.start, name);
        const uint32_t number = length ? lang_find(&o->c->names, name, length) : 0;
        holder = holder_of(o, number ? find(o, number, holder, at, SPACE_VALUE) : NONE);
        if (holder == NONE) return NONE;
    }
    return holder;
}

const char *mech_language_word(size_t number, int *is_statement, const char **usage)
{
    const int begins = number < STATEMENT_COUNT;
    const unsigned function = begins ? 0 : (unsigned)(number - STATEMENT_COUNT);
    if (is_statement) *is_statement = begins;
    if (usage) *usage = begins ? lang_statement_usage((lang_statement_kind)number) : lang_builtin_usage(function);
    return begins ? lang_statement_word((lang_statement_kind)number) : lang_builtin_name(function);
}
