/* Exported C: what its parts share. */
#ifndef OUTPUT_EXPORT_H
#define OUTPUT_EXPORT_H

#include <mech/output.h>

#include "base/text.h"
#include "motion/motion.h"

typedef struct exporter {
    const mech_system *system;
    const mech_model *model;
    const char *name;
    mech_eval *eval;
    emit_result fast, equation, output, signal, trigger, slope, follow; /* sizes of the pairs of functions */
    int with_jacobian, is_single;
    size_t equation_count, event_count; /* events: 0 where they look at what the code has not */
    textbuf functions;
    mech_expr *values;
    emit_place *places;
    size_t count, capacity, place_capacity;
    mech_status status;
} exporter;

/* Text of the frame; every $ in it is the name. */
void export_add_frame(const exporter *x, textbuf *to, const char *text);
/* How a parameter gets its value: the caller gives it; it follows from others; it shaped the code and stays. */
typedef enum export_param { EXPORT_FREE, EXPORT_FOLLOWS, EXPORT_FIXED } export_param;
export_param export_param_kind(const exporter *x, size_t param);
static inline size_t at_least_one(size_t count) { return count ? count : 1; }

/* export_functions.c: the functions of the model, as text, and their sizes. */
MECH_MUST_CHECK mech_status export_functions(exporter *x);
/* export_header.c: NAME.h */
void export_header(const exporter *x, textbuf *to);

#endif
