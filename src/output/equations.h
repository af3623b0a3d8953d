/* The derived equations laid out for the printers: parts, and rows divided where asked. */
#ifndef OUTPUT_EQUATIONS_H
#define OUTPUT_EQUATIONS_H

#include <mech/output.h>

#include "base/text.h"
#include "expr/shared.h"
#include "model/model.h"

typedef enum equations_part {
    PART_M,
    PART_Q,
    PART_A,
    PART_B,
    PART_VELOCITY,
    PART_R,
    PART_R_DOT,
    PART_C,
    PART_G,
    PART_T,
    PART_V,
    PART_D,
    PART_H,
    PART_POWER,
    PART_COUNT
} equations_part;

typedef struct equations_view {
    const mech_model *model;
    model_entries A;               /* divided where asked; not owned unless `owned` */
    mech_expr *b, *r, *r_dot, *a0; /* (m), likewise                                 */
    int owned;
    unsigned parts;    /* bit (1 << part) */
    size_t *row_start; /* (m + 1) into A */
    print_names names; /* for what long equations share; none where they are short */
} equations_view;

static inline int shows_part(const equations_view *view, equations_part part) { return (view->parts >> part) & 1; }
/* Names for what the shown equations share, where they are long: see expr/shared.h. */
mech_status equations_name_shared(equations_view *view);
/* An expression, and what name number 1 ... count stands for. */
void equations_put(const equations_view *view, mech_expr e, mech_print_format format, textbuf *out);
void equations_put_definition(const equations_view *view, uint32_t number, mech_print_format format, textbuf *out);
/* The constraint's name, with the row's number where it has several: "foot[2].1". */
void equations_row_name(const mech_model *model, size_t row, textbuf *out);
/* "holonomic, scleronomic": how a row is classified. */
void equations_row_kind(const mech_model *model, size_t row, textbuf *out);
/* The same for JSON, `"level": "holonomic", "linear": true, ...`. */
void equations_row_json(const mech_model *model, size_t row, textbuf *out);

void equations_text(const equations_view *view, textbuf *out);
void equations_latex(const equations_view *view, textbuf *out);
void equations_json(const equations_view *view, textbuf *out);

#endif
