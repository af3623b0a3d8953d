/* Errors, budgets and scratch memory of the reader. */
#include "lang/context.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE = 1000 };

static int was_reported(const lang_context *c, mech_span span)
{
    for (size_t i = 0; i < c->reported_count; i++)
        if (memcmp(&c->reported[i], &span, sizeof span) == 0) return 1;
    return 0;
}

static void report(lang_context *c, mech_status status, mech_span span, const char *hint, const char *message)
{
    if (span.source && span.start != MECH_SPAN_WHOLE && was_reported(c, span)) return;
    if (c->reported_count < MECH_DIAGNOSTICS_MAX) c->reported[c->reported_count++] = span;
    diagnostics_add(c->diagnostics, MECH_SEVERITY_ERROR, status, span, hint, "%s", message);
    if (c->call_count > 0)
        diagnostics_add(c->diagnostics, MECH_SEVERITY_NOTE, MECH_OK, c->call_span, NULL, "'%s' was called here",
                        lang_text_of(c, c->calls[0]->title.name));
    if (c->part_count > 0)
        diagnostics_add(c->diagnostics, MECH_SEVERITY_NOTE, MECH_OK, c->part_spans[c->part_count - 1], NULL,
                        "this is in part '%s', made here", lang_text_of(c, c->scope.part));
    if (diagnostics_failed(c->diagnostics)) lang_out_of_memory(c);
}

void lang_error(lang_context *c, mech_status status, mech_span span, const char *hint, const char *format, ...)
{
    char message[MESSAGE];
    va_list args;
    if (lang_is_over(c)) return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    report(c, status, span, hint, message);
}

void lang_warn(lang_context *c, mech_span span, const char *hint, const char *format, ...)
{
    char message[MESSAGE];
    va_list args;
    if (was_reported(c, span)) return;
    if (c->reported_count < MECH_DIAGNOSTICS_MAX) c->reported[c->reported_count++] = span;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diagnostics_add(c->diagnostics, MECH_SEVERITY_WARNING, MECH_OK, span, hint, "%s", message);
    if (diagnostics_failed(c->diagnostics)) lang_out_of_memory(c);
}

void lang_limit(lang_context *c, mech_span span, const char *format, ...)
{
    char message[MESSAGE];
    va_list args;
    if (c->fatal != MECH_OK) return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    report(c, MECH_ERR_LIMIT, span, "loops, sums and functions are written out when the model is read", message);
    if (c->fatal == MECH_OK) c->fatal = MECH_ERR_LIMIT;
}

void lang_out_of_memory(lang_context *c) { c->fatal = MECH_ERR_MEMORY; }

const char *lang_line_of(lang_context *c, mech_span span, mech_span beside)
{
    const int line = diagnostics_line(c->diagnostics, span);
    const char *text =
        span.source == beside.source
            ? arena_format(&c->memory, "line %d", line)
            : arena_format(&c->memory, "line %d of %s", line, diagnostics_source_name(c->diagnostics, span.source));
    if (!text) lang_out_of_memory(c);
    return text ? text : "";
}

size_t lang_error_count(const lang_context *c) { return mech_diagnostics_error_count(c->diagnostics) - c->first_error; }

int lang_is_over(const lang_context *c) { return c->fatal != MECH_OK || lang_error_count(c) >= MECH_DIAGNOSTICS_MAX; }

const char *lang_hint(lang_context *c, const lang_guess *guess)
{
    if (!guess->best) return NULL;
    const char *hint = arena_format(&c->memory, "did you mean '%s'?", guess->best);
    if (!hint) lang_out_of_memory(c);
    return hint;
}

/* A pool that is full or without memory ends the reading. */
static void check_pool(lang_context *c, mech_span span)
{
    const mech_status status = mech_pool_status(c->pool);
    if (status == MECH_ERR_MEMORY) lang_out_of_memory(c);
    else if (status == MECH_ERR_LIMIT) lang_limit(c, span, "%s", model_too_large);
}

int lang_check_fault(lang_context *c, mech_span span)
{
    const char *fault = expr_take_fault(c->pool);
    check_pool(c, span);
    if (fault) lang_error(c, MECH_ERR_MODEL, span, NULL, "%s", fault);
    return !fault && c->fatal == MECH_OK;
}

void lang_take_status(lang_context *c, mech_status status)
{
    check_pool(c, model_span(c->model, c->model->origin));
    if (status == MECH_ERR_MEMORY) lang_out_of_memory(c);
    else if (status != MECH_OK && lang_error_count(c) == c->statement_errors && c->fatal == MECH_OK) c->fatal = status;
}

lang_value lang_take_symbol(lang_context *c, mech_expr symbol)
{
    if (symbol.id) return lang_scalar(symbol);
    lang_take_status(c, lang_error_count(c) == c->statement_errors ? MECH_ERR_MEMORY : MECH_OK);
    return lang_no_value();
}

static size_t most_turns(const lang_context *c) { return c->options.max_turns ? c->options.max_turns : LANG_MAX_TURNS; }

int lang_has_turns(lang_context *c, size_t count, mech_span span)
{
    if (count <= most_turns(c)) return 1;
    lang_limit(c, span, "this range has %zu turns; a model may take %zu in all", count, most_turns(c));
    return 0;
}

int lang_spend_turn(lang_context *c, mech_span span)
{
    const size_t most = most_turns(c);
    if (c->turns++ < most) return !lang_is_over(c);
    lang_limit(c, span, "this model takes more than %zu loop turns and function calls to read", most);
    return 0;
}

int lang_spend_statements(lang_context *c, size_t count, mech_span span)
{
    enum {
        LOOPS = 4
    }; /* each instance keeps the turns of the loops around it: where they are many it counts for more */
    c->instances += count * (1 + c->loop_count / LOOPS);
    if (c->instances <= LANG_MAX_STATEMENTS) return 1;
    lang_limit(
        c, span,
        "this model has more than %d statements when its loops are written out (an entry of a declared array counts as %d)",
        LANG_MAX_STATEMENTS, LANG_PER_ENTRY);
    return 0;
}

int lang_spend_steps(lang_context *c, size_t count, mech_span span)
{
    c->steps += count;
    if (c->steps <= LANG_MAX_STEPS) return 1;
    lang_limit(c, span, "this model takes more than %d operations to read", LANG_MAX_STEPS);
    return 0;
}

int lang_spend_entries(lang_context *c, size_t count, mech_span span)
{
    if (count > LANG_MAX_VALUE) {
        lang_error(c, MECH_ERR_LIMIT, span, NULL, "a vector or matrix may have at most %d entries; this one has %zu",
                   LANG_MAX_VALUE, count);
        return 0;
    }
    return lang_spend_work(c, count, span);
}

int lang_spend_work(lang_context *c, size_t count, mech_span span)
{
    c->entries += count;
    if (c->entries <= LANG_MAX_ENTRIES) return 1;
    lang_limit(c, span, "this model computes more than %d entries of vectors and matrices", LANG_MAX_ENTRIES);
    return 0;
}

struct lang_scratch_block {
    lang_scratch_block *below;
    size_t used, size;
    max_align_t data[];
};

/* A block with room for `bytes`: the spare one when it is large enough. */
static int push_block(lang_context *c, size_t bytes)
{
    enum { USUAL = 64 * 1024 };
    lang_scratch_block *b = c->spare;
    if (b && b->size >= bytes) c->spare = NULL;
    else {
        const size_t size = bytes > USUAL ? bytes : USUAL;
        b = mem_alloc(sizeof *b + size);
        if (!b) return 0;
        b->size = size;
    }
    b->used = 0;
    b->below = c->scratch;
    c->scratch = b;
    return 1;
}

void *lang_scratch_take(lang_context *c, size_t count, size_t size)
{
    enum { ALIGN = _Alignof(max_align_t) };
    const size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (!c->scratch || c->scratch->size - c->scratch->used < bytes)
        if (!push_block(c, bytes)) {
            lang_out_of_memory(c);
            return NULL;
        }
    void *at = (char *)c->scratch->data + c->scratch->used;
    c->scratch->used += bytes;
    return at;
}

lang_mark lang_scratch_mark(const lang_context *c)
{
    return (lang_mark){c->scratch, c->scratch ? c->scratch->used : 0};
}

void lang_scratch_release(lang_context *c, lang_mark mark)
{
    while (c->scratch != mark.block) {
        lang_scratch_block *b = c->scratch;
        c->scratch = b->below;
        if (c->spare) mem_free(c->spare);
        c->spare = b;
    }
    if (c->scratch) c->scratch->used = mark.used;
}

void lang_scratch_free(lang_context *c)
{
    lang_scratch_release(c, (lang_mark){NULL, 0});
    mem_free(c->spare);
    c->spare = NULL;
}
