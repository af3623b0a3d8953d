/* What the printers share: the order in which terms and factors are shown, and how a term splits into
   numerator and denominator. */
#ifndef EXPR_PRINT_H
#define EXPR_PRINT_H

#include "base/text.h"
#include "expr/intern.h"
#include "expr/rational.h"

/* Terms coef*node of a sum, or the one term of anything else, in the order they are shown: highest time
   derivatives first, parameters and constants last, a positive term in front where there is one. The
   constant is a term with node 1. */
int print_terms(mech_pool *pool, mech_expr e, expr_pairs *terms);
/* Factors base^exponent of a node in the order they are shown: parameters, time, coordinates, functions,
   velocities, sums. */
int print_factors(mech_pool *pool, uint32_t node, expr_pairs *factors);
/* Factors that stand with the number: parameters and pi. */
int print_is_parameter(const mech_pool *pool, uint32_t node);

void print_text(mech_pool *pool, mech_expr e, textbuf *out);
void print_latex(mech_pool *pool, mech_expr e, textbuf *out);
void print_c(mech_pool *pool, mech_expr e, textbuf *out);
/* A number as a person writes it: 2, 1/3, 9.81, 1e-30. Sign included. */
void print_number(expr_number number, textbuf *out);

#endif
