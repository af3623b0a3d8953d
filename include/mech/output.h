/* What people and programs read: derived equations and reports as text, LaTeX or JSON. */
#ifndef MECH_OUTPUT_H
#define MECH_OUTPUT_H

#include <mech/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mech_report_format { MECH_REPORT_TEXT, MECH_REPORT_LATEX, MECH_REPORT_JSON } mech_report_format;

typedef struct mech_equations_options {
    size_t size; /* set by the default function; lets the struct grow                                   */
    mech_report_format format;
    const char *only; /* "M,Q,A,b": these parts only; NULL: all. Parts: M Q A b a r r' C G T V D h power */
    int normalize;    /* divide each row of A q'' = b by its common factor                              */
} mech_equations_options;

MECH_API void mech_equations_options_default(mech_equations_options *options, size_t size);

/* The derived equations of a finished model. New text in *text, freed with mech_text_free.
   MECH_ERR_ARGUMENT: `only` names a part that does not exist. With `normalize` expressions are made in the
   model's pool: do not use the model in another thread meanwhile. */
MECH_API MECH_MUST_CHECK mech_status mech_report_equations(mech_model *model, const mech_equations_options *options,
                                                           char **text);

/* What the user said, item by item, for people who work on a model: new text in *text. */
MECH_API MECH_MUST_CHECK mech_status mech_report_model(const mech_model *model, char **text);

/* The report of `mech check`: coordinates, constraints with their classification, rank and degrees of freedom at
   the initial state, what is missing. Text or JSON. What is wrong with input tables goes to diagnostics. Compiles
   the model: do not use it in another thread meanwhile. */
MECH_API MECH_MUST_CHECK mech_status mech_report_check(const mech_model *model, mech_report_format format,
                                                       mech_diagnostics *diagnostics, char **text);

#ifdef __cplusplus
}
#endif
#endif
