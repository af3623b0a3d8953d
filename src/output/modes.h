/* Parts that the reports of stability share. */
#ifndef OUTPUT_MODES_H
#define OUTPUT_MODES_H

#include <mech/output.h>

#include "base/text.h"

/* "0.5 +- 2 i" for each eigenvalue, one a line after the first, which stands where the text stands. */
void modes_text(const mech_modes_result *m, const char *indent, textbuf *out);
void modes_json(const mech_modes_result *m, textbuf *out);
void modes_number(textbuf *out, double value); /* six digits, point */
/* "x", "y'", "z" for the states x = (q, v, z) */
void modes_state_name(const mech_system *system, size_t n, size_t k, textbuf *out);
/* "name": value, ... of the point */
void modes_point_text(const mech_system *system, const double *q, const double *v, const double *z, textbuf *out);
void modes_point_json(const mech_system *system, const double *q, const double *v, const double *z, textbuf *out);
void modes_matrix_json(const double *X, size_t rows, size_t columns, textbuf *out);
const char *modes_kind_text(const mech_linear_result *l);
/* The point of a linear system, with what is wrong there. */
void point_text(const mech_system *system, const mech_linear_result *l, textbuf *out);
void point_json(const mech_system *system, const mech_linear_result *l, textbuf *out);
/* Its kinks; l may be NULL. */
void point_kinks_text(const mech_linear_result *l, textbuf *out);
void point_kinks_json(const mech_linear_result *l, textbuf *out);
/* A line for each output without derivatives. */
void point_outputs_text(const mech_system *system, const mech_linear_result *l, textbuf *out);
/* A line about those that are one choice of many. */
void point_choices_text(const mech_system *system, const mech_linear_result *l, textbuf *out);
void point_inputs_text(const mech_system *system, const mech_linear_result *l, textbuf *out);
/* Array, factors and conditions of Routh's criterion. */
/* shifts: zero modes that are in the array and not among the modes of the motion. */
void routh_text(const mech_routh *routh, int shifts, textbuf *out);
void routh_latex(const mech_routh *routh, textbuf *out);
void routh_json(const mech_routh *routh, textbuf *out);
void symbolic_text(const mech_symbolic_result *s, int with_array, textbuf *out);
void symbolic_latex(const mech_symbolic_result *s, textbuf *out);
void symbolic_json(const mech_symbolic_result *s, textbuf *out);

/* How the coordinates move in each mode, a line each; what hardly moves is left out. */
void modes_shapes_text(const mech_system *system, const mech_linear_result *linear, textbuf *out);
/* [{"eigenvalue": [re, im], "real": [...], "imaginary": [...]}, ...] over coordinates, velocities and states. */
void modes_shapes_json(const mech_linear_result *linear, textbuf *out);

#endif
