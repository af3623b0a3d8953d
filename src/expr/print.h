/* What the printers share: the order in which terms and factors are shown, and how a term splits into
   numerator and denominator. */
#ifndef EXPR_PRINT_H
#define EXPR_PRINT_H

#include "base/text.h"
#include "expr/intern.h"
#include "expr/rational.h"
#include "expr/shared.h"

/* What text and LaTeX are written with: shared parts that have names stand there by name, but for the one
   that is being defined. */
typedef struct printer {
    mech_pool *pool;
    const print_names *names; /* NULL: everything written out */
    uint32_t defining;        /* node, or 0                   */
} printer;
/* The number of the name that stands for a node here, or 0. */
static inline uint32_t printer_name(const printer *w, uint32_t node)
{
    return w->names && node < w->names->limit && node != w->defining ? w->names->number[node] : 0;
}

/* Terms coef*node of a sum, or the one term of anything else, in the order they are shown: highest time
   derivatives first, parameters and constants last, a positive term in front where there is one. The
   constant is a term with node 1. */
int print_terms(mech_pool *pool, mech_expr e, expr_pairs *terms);
/* Writes the terms with their signs between them; `write` writes |coef|*node. */
typedef void (*print_term_writer)(const printer *w, expr_pair term, textbuf *out, int depth);
void print_signed_terms(const printer *w, mech_expr e, print_term_writer write, textbuf *out, int depth);
/* Factors base^exponent of a node in the order they are shown: parameters, time, coordinates, functions,
   velocities, sums. */
int print_factors(mech_pool *pool, uint32_t node, expr_pairs *factors);
/* The same, a product that has a name being one factor. */
int print_shown_factors(const printer *w, uint32_t node, expr_pairs *factors);
/* Factors that stand with the number: parameters and pi. */
int print_is_parameter(const mech_pool *pool, uint32_t node);

void print_text(const printer *w, mech_expr e, textbuf *out);
void print_latex_symbol(const expr_symbol *symbol, textbuf *out);
void print_latex(const printer *w, mech_expr e, textbuf *out);
void print_c(mech_pool *pool, mech_expr e, textbuf *out);
/* A number as a person writes it: 2, 1/3, 9.81, 1e-30. Sign included. */
void print_number(expr_number number, textbuf *out);

#endif
