/* Routh's array of rational coefficients. */
#ifndef ANALYZE_ROUTH_GMP_H
#define ANALYZE_ROUTH_GMP_H

#include <mech/analyze.h>

#include <gmp.h>

/* New list, each 0; NULL: out of memory. */
mpq_t *rational_list(size_t count);
void rational_list_free(mpq_t *list, size_t count); /* NULL is fine */
/* c (degree + 1): highest power first. MECH_ERR_ARGUMENT: c[0] is 0. */
mech_status routh_rationals(const mpq_t *c, int degree, mech_routh **routh);

#endif
