/* Diagnostics and the texts they point into. A span is a place in one of the registered sources. */
#ifndef BASE_DIAGNOSTICS_H
#define BASE_DIAGNOSTICS_H

#include <mech/base.h>

typedef struct mech_span {
    uint32_t source; /* 1, 2, ... as registered; 0: no place */
    uint32_t start;  /* byte offset of the first character   */
    uint32_t end;    /* byte offset after the last           */
} mech_span;
/* As a start: the file as a whole, no line of it. */
#define MECH_SPAN_WHOLE UINT32_MAX

/* Keeps a copy of name and text for the life of the list. Returns the source's number, 0 when out of memory. */
uint32_t diagnostics_add_source(mech_diagnostics *list, const char *name, const char *text, size_t length);
/* Borrowed name and text of a source; NULL when there is none. */
const char *diagnostics_source_name(const mech_diagnostics *list, uint32_t source);
const char *diagnostics_source_text(const mech_diagnostics *list, uint32_t source, size_t *length);
/* Line (from 1) of a span's start; 0 when it has no place. */
int diagnostics_line(const mech_diagnostics *list, mech_span span);

/* Adds one. hint may be NULL. After MECH_DIAGNOSTICS_MAX errors only the count goes on. */
enum { MECH_DIAGNOSTICS_MAX = 100 };
void diagnostics_add(mech_diagnostics *list, mech_severity severity, mech_status status, mech_span span,
                     const char *hint, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* 1 when an allocation failed while adding: the list may be short. */
int diagnostics_failed(const mech_diagnostics *list);

#endif
