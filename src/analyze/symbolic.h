/* What a symbolic result keeps. */
#ifndef ANALYZE_SYMBOLIC_H
#define ANALYZE_SYMBOLIC_H

#include <mech/analyze.h>

#include "analyze/pencil_gmp.h"
#include "base/arena.h"

enum { SYMBOLIC_MOST_FACTORS = 32, SYMBOLIC_MOST_CONDITIONS = 64 };

struct mech_symbolic {
    mech_symbolic_result result;
    arena memory; /* all texts and lists */
    algebra g;
    pencil p;                           /* variables, their names and values; the rest of it is freed */
    poly whole;                         /* in s */
    poly factor[SYMBOLIC_MOST_FACTORS]; /* their product is `whole` up to a factor free of s */
    int factor_count;
    poly condition[SYMBOLIC_MOST_CONDITIONS]; /* each > 0 */
    int condition_count;
    poly marginal[3 * SYMBOLIC_MOST_FACTORS]; /* each > 0 */
    int marginal_count;
};

/* factor_gmp.c: splits p into s->factor. */
mech_status symbolic_factor(mech_symbolic *s, const poly *p);
/* array_gmp.c: Routh's array (rows x columns, by row; all 0 before) of the monic p. */
mech_status symbolic_array(mech_symbolic *s, const poly *p, ratio *array, unsigned char *kind);
/* Conditions that each factor is Hurwitz. */
mech_status symbolic_conditions(mech_symbolic *s);
enum { SYMBOLIC_FORMATS = 3 }; /* as mech_symbolic_result has them */
/* Monic p in s as text. */
const char *symbolic_monic(mech_symbolic *s, const poly *p, int format);
/* symbolic_gmp.c: a copy that lasts as long as the result; the text is freed. */
const char *symbolic_keep(mech_symbolic *s, textbuf *text);
poly_style symbolic_style(mech_symbolic *s, int format);

#endif
