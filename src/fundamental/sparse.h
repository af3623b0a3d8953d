/* The elimination plan as a solver of numbers: factors of [M A'; A 0] for one pattern, as many right sides as
   wanted, refined where digits are missing. Knows when it does not know. */
#ifndef FUNDAMENTAL_SPARSE_H
#define FUNDAMENTAL_SPARSE_H

#include "fundamental/plan.h"

typedef struct sparse_spec {
    size_t n, m;
    plan_entries M; /* lower triangle */
    plan_entries A;
    const unsigned char *monitored; /* (m) rows left out of the elimination; NULL: none */
    const double *mass_weight;      /* (m) weight w of w a'a for rows a that make M definite; NULL: all 0     */
    size_t most_ops;
} sparse_spec;

typedef struct sparse_boost { /* slots[target] += weight * A[first] * A[second] */
    uint32_t target, first, second;
    double weight;
} sparse_boost;

typedef struct sparse {
    size_t n, m;
    plan *p;
    plan_op *factor, *solve; /* the plan's operations: of M and A alone, and the rest */
    size_t factor_count, solve_count;
    uint32_t *pivot_row; /* (2 for each pivot of rows, in their order)         */
    uint32_t *M_row, *M_column, *A_row, *A_column;
    size_t M_count, M_given, A_count; /* M_count: with what the boosts add     */
    sparse_boost *boost;
    size_t boost_count;
    double *mass_weight; /* (m)                                                */
    unsigned char *left; /* (m) monitored or without entries                   */
    double *slots;
    /* of the last factorisation */
    unsigned char *active;  /* (m)                                             */
    unsigned char *dropped; /* (m) in force, but not in the elimination        */
    size_t rank, dropped_count;
    int is_definite; /* M                                                      */
    double ratio;    /* least squared part of a row that was left and kept     */
    double least;    /* pivot                                                  */
    double largest;  /* row norm of A M^(-1/2)                                 */
    uint32_t weakest;
    size_t refinements; /* since creation                                      */
    /* work */
    double *Q, *b, *da, *dl, *y; /* (n) (m) (n) (m) (m)                        */
} sparse;

/* MECH_ERR_SINGULAR_MASS when a diagonal entry of M is in no pattern, MECH_ERR_LIMIT, MECH_ERR_MEMORY. */
MECH_MUST_CHECK mech_status sparse_create(const sparse_spec *spec, sparse **result);
void sparse_free(sparse *s);

/* Values by pattern; active NULL: all. Rows of which less than `drop` is left, squared, are dropped. 0: M is
   not definite, and nothing may be solved. */
int sparse_factor(sparse *s, const double *M, const double *A, const unsigned char *active, double drop);
/* M a = Q + A' lambda, A a = b. 0: a row is neither clearly kept nor dropped, or refinement does not settle.
 * Multipliers of dropped rows are 0. */
int sparse_solve(sparse *s, const double *Q, const double *b, double *a, double *lambda);
/* One right side without refinement. plain: Q as it is; else Q + w a'b for the rows that joined M. */
void sparse_run(sparse *s, const double *Q, const double *b, int plain, double *a, double *lambda);
/* miss = b - A a and size, the sum of the magnitudes of its terms, over all rows; A of the factorisation. */
void sparse_miss(const sparse *s, const double *b, const double *a, double *miss, double *size);
/* Sum of |A_rj| */
double sparse_row_size(const sparse *s, size_t row);
/* force = A' lambda */
void sparse_force(const sparse *s, const double *lambda, double *force);
/* Least singular value of A M^(-1/2) over the kept rows, an estimate. */
double sparse_smallest(sparse *s);
/* lambda becomes the one of least norm with the same A' lambda. 0: too many rows depend on others, or no
 * memory. */
int sparse_least_norm(sparse *s, double *lambda);
/* chosen (m): of the dependencies at the last factorisation the rows with the largest shares. 0: as it was
 * dropped. */
int sparse_choose_dropped(sparse *s, unsigned char *chosen);

#endif
