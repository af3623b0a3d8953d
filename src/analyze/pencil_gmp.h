/* The linear pencil of a model at a point, entries ratios of polynomials in s and the symbols. */
#ifndef ANALYZE_PENCIL_GMP_H
#define ANALYZE_PENCIL_GMP_H

#include <mech/analyze.h>

#include "analyze/poly_gmp.h"
#include "model/model.h"

enum { PENCIL_MOST = 12 };

typedef struct pencil {
    algebra g;
    mech_model *model; /* a twin of the one that was given */
    const mech_symbolic_options *options;
    /* variables: 0 is s, then symbols, then functions of them */
    int variables;
    uint32_t node[POLY_VARIABLES]; /* what it stands for: a parameter's symbol, a function, the base of a root */
    unsigned root[POLY_VARIABLES]; /* variable = node^(1/root) */
    char name[2][POLY_VARIABLES][POLY_NAME];
    double nominal[POLY_VARIABLES];
    int gain_B, gain_K; /* variables, 0: not symbols */
    int is_inexact, holds;
    ratio *params;       /* (params) value of each */
    ratio *rho;          /* (rows) multipliers at the point */
    mech_expr *reaction; /* (rows) their symbols */
    ratio **memo;        /* by expression id */
    size_t memo_size;
    size_t rows[PENCIL_MOST]; /* independent rows, holonomic ones first */
    size_t row_count;
} pencil;

/* Names, parameters, rows and multipliers at the point. */
mech_status pencil_prepare(pencil *p, const mech_model *model, const mech_symbolic_options *options);
void pencil_free(pencil *p);
/* det of the pencil as a polynomial in s with positive leading coefficient at the present values; is_full:
   with the excess variables' dynamics. */
mech_status pencil_determinant(pencil *p, int is_full, poly *result);

/* convert_gmp.c: an expression at the point. Failures stay in p->g. */
void pencil_convert(pencil *p, mech_expr e, ratio *to);
void pencil_forget(pencil *p); /* values of symbols changed */
mech_status pencil_prepare_params(pencil *p);

#endif
