/* The list of what is wrong with a model, with its places. */
#include "base/diagnostics.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct source {
    const char *name, *text;
    size_t length;
} source;

struct mech_diagnostics {
    arena memory;
    source *sources;
    size_t source_count, source_capacity;
    mech_diagnostic *items;
    size_t count, capacity;
    size_t error_count;
    int failed;
};

mech_diagnostics *mech_diagnostics_create(void) { return mem_zeroed(1, sizeof(mech_diagnostics)); }

void mech_diagnostics_free(mech_diagnostics *list)
{
    if (!list) return;
    arena_free(&list->memory);
    mem_free(list->sources);
    mem_free(list->items);
    mem_free(list);
}

size_t mech_diagnostics_count(const mech_diagnostics *list) { return list ? list->count : 0; }

size_t mech_diagnostics_error_count(const mech_diagnostics *list) { return list ? list->error_count : 0; }

const mech_diagnostic *mech_diagnostics_get(const mech_diagnostics *list, size_t index)
{
    return list && index < list->count ? &list->items[index] : NULL;
}

int diagnostics_failed(const mech_diagnostics *list) { return list->failed; }

uint32_t diagnostics_add_source(mech_diagnostics *list, const char *name, const char *text, size_t length)
{
    if (!mem_grow(&list->sources, &list->source_capacity, list->source_count + 1, sizeof(source))) return 0;
    source s = {arena_text(&list->memory, name, strlen(name)), arena_text(&list->memory, text, length), length};
    if (!s.name || !s.text) return 0;
    list->sources[list->source_count++] = s;
    return (uint32_t)list->source_count;
}

static const source *find_source(const mech_diagnostics *list, uint32_t number)
{
    return number >= 1 && number <= list->source_count ? &list->sources[number - 1] : NULL;
}

const char *diagnostics_source_name(const mech_diagnostics *list, uint32_t number)
{
    const source *s = find_source(list, number);
    return s ? s->name : NULL;
}

const char *diagnostics_source_text(const mech_diagnostics *list, uint32_t number, size_t *length)
{
    const source *s = find_source(list, number);
    *length = s ? s->length : 0;
    return s ? s->text : NULL;
}

/* Continuation bytes of UTF-8 do not count as characters. */
static int characters(const char *from, const char *to)
{
    int count = 0;
    for (; from < to; from++) count += ((unsigned char)*from & 0xC0) != 0x80;
    return count;
}

int diagnostics_line(const mech_diagnostics *list, mech_span span)
{
    const source *s = find_source(list, span.source);
    if (!s || span.start > s->length) return 0;
    int line = 1;
    for (const char *p = s->text; p < s->text + span.start; p++) line += *p == '\n';
    return line;
}

/* Fills file, line, column, length and source_line from the span. */
static void locate(mech_diagnostics *list, mech_span span, mech_diagnostic *d)
{
    const source *s = find_source(list, span.source);
    d->length = 1;
    if (!s) return;
    d->file = s->name;
    if (span.start == MECH_SPAN_WHOLE) return;
    const char *text_end = s->text + s->length;
    const char *at = s->text + (span.start < s->length ? span.start : s->length);
    const char *begin = at, *end = at;
    while (begin > s->text && begin[-1] != '\n') begin--;
    while (end < text_end && *end != '\n' && *end != '\r') end++;
    const char *stop = span.end > span.start && s->text + span.end < end ? s->text + span.end : end;
    if (span.end <= span.start) stop = at;
    d->line = diagnostics_line(list, span);
    d->column = characters(begin, at) + 1;
    d->length = characters(at, stop);
    if (d->length < 1) d->length = 1;
    enum { LONGEST_SHOWN = 2000 };
    if (end - begin <= LONGEST_SHOWN) {
        d->source_line = arena_text(&list->memory, begin, (size_t)(end - begin));
        if (!d->source_line) list->failed = 1;
    }
}

static const char *keep(mech_diagnostics *list, const char *s)
{
    const char *copy = s ? arena_text(&list->memory, s, strlen(s)) : NULL;
    if (s && !copy) list->failed = 1;
    return copy;
}

void diagnostics_add(mech_diagnostics *list, mech_severity severity, mech_status status, mech_span span,
                     const char *hint, const char *format, ...)
{
    if (severity == MECH_SEVERITY_ERROR) list->error_count++;
    if (list->count >= MECH_DIAGNOSTICS_MAX) return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *message = length < 0 ? NULL : arena_alloc(&list->memory, (size_t)length + 1);
    if (message) vsnprintf(message, (size_t)length + 1, format, again);
    va_end(again);
    if (!message || !mem_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
        list->failed = 1;
        return;
    }
    mech_diagnostic d = {.severity = severity, .status = status, .message = message, .hint = keep(list, hint)};
    locate(list, span, &d);
    list->items[list->count++] = d;
}

static const char *severity_word(mech_severity severity)
{
    return severity == MECH_SEVERITY_ERROR ? "error" : severity == MECH_SEVERITY_WARNING ? "warning" : "note";
}

/* What a text may do to a terminal stays in the text: control characters are shown as '?'. */
static void add_plain(textbuf *t, const char *from, const char *to)
{
    for (; from < to; from++) {
        const unsigned char c = (unsigned char)*from;
        text_add_char(t, c == '\t' || (c >= 0x20 && c != 0x7F) ? *from : '?');
    }
}

/* `count` characters on from here, or the end. */
static const char *ahead(const char *p, int count)
{
    for (; *p && count > 0; count--) {
        p++;
        while (((unsigned char)*p & 0xC0) == 0x80) p++;
    }
    return p;
}

/* The line, and under it a caret with a tail below the place. Tabs are kept so that they line up. Of a long
   line only the part around the place is shown. */
static void format_line(textbuf *t, const mech_diagnostic *d)
{
    enum { WIDEST = 160, BEFORE = 60 };
    const char *line = d->source_line, *end = line + strlen(line);
    const int is_long = characters(line, end) > WIDEST,
              skipped = is_long && d->column > BEFORE ? d->column - BEFORE : 0;
    const char *from = ahead(line, skipped), *to = is_long ? ahead(from, WIDEST) : end,
               *at = ahead(line, d->column - 1);
    const int room = characters(at, to), tail = d->length < room || !room ? d->length : room;
    text_add(t, skipped ? "    ... " : "    ");
    add_plain(t, from, to);
    text_add(t, *to ? " ...\n    " : "\n    ");
    if (skipped) text_add(t, "    ");
    for (const char *p = from; p < at; p++)
        if (((unsigned char)*p & 0xC0) != 0x80) text_add_char(t, *p == '\t' ? '\t' : ' ');
    text_add_char(t, '^');
    for (int i = 1; i < tail; i++) text_add_char(t, '~');
    text_add_char(t, '\n');
}

static void format_one(textbuf *t, const mech_diagnostic *d)
{
    if (d->file) add_plain(t, d->file, d->file + strlen(d->file));
    if (d->file && d->line) text_format(t, ":%d:%d", d->line, d->column);
    text_format(t, "%s%s: ", d->file ? ": " : "", severity_word(d->severity));
    add_plain(t, d->message, d->message + strlen(d->message));
    text_add_char(t, '\n');
    if (d->source_line) format_line(t, d);
    if (!d->hint) return;
    text_add(t, "  hint: ");
    add_plain(t, d->hint, d->hint + strlen(d->hint));
    text_add_char(t, '\n');
}

char *mech_diagnostic_format(const mech_diagnostic *diagnostic)
{
    textbuf t = {0};
    format_one(&t, diagnostic);
    return text_take(&t);
}

char *mech_diagnostics_format(const mech_diagnostics *list)
{
    textbuf t = {0};
    for (size_t i = 0; i < mech_diagnostics_count(list); i++) format_one(&t, &list->items[i]);
    if (list && list->error_count > MECH_DIAGNOSTICS_MAX)
        text_format(&t, "... %zu errors in all; the first %d are shown\n", list->error_count, MECH_DIAGNOSTICS_MAX);
    return text_take(&t);
}

void mech_text_free(char *s) { mem_free(s); }
