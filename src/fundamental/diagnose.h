/* What diagnose.c and conflict.c share. */
#ifndef FUNDAMENTAL_DIAGNOSE_H
#define FUNDAMENTAL_DIAGNOSE_H

#include "fundamental/room.h"

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

#define NOTHING 1e-7 /* of a vector of unit length: rows that take part by less do not take part */

struct mech_diagnosis {
    int n, m;
    small_solve s;
    double *numbers;
    int *integers;
    unsigned char *bytes;
    double *T, *Np, *Z, *root, *vectors, *matrix; /* n x n                                          */
    double *null;                                 /* m x count: orthonormal w, rows at unit length               */
    double *depends, *filter, *trial;             /* m x m                                                      */
    double *B, *rows;                             /* m x n: work; n x m: scaled rows                             */
    double *sigma, *work[3], *x[8];               /* n                                                           */
    double *b, *size, *t, *length;                /* m; b and the size of its terms, rows at unit length (0: 0 = 0) */
    int *pivot;                                   /* m                                                           */
    unsigned char *redundant, *unique_lambda, *unique_force, *alive, *spare; /* m                   */
    unsigned char *in_conflict; /* m x m at most                                               */
    mech_diagnosis_result result;
};

/* Makes vector `from` of W (m x count) the one that alone, of from..count-1 and of those before it, has a
   part in row i: 0 when none of from..count-1 has. pivot[from] = i. */
int fundamental_eliminate(int m, double *W, int from, int count, int i, int *pivot);
int fundamental_find_conflicts(mech_diagnosis *d, const mech_diagnosis_input *in, int count);

#endif
