/* The fundamental equation for dense systems in one dependency-free file: no allocation, no LAPACK.
   Also compiled into exported code, browser and GPU builds. Matrices are column-major.

       M = L L',  B = A L^-T,  B' P = Q [R11 R12; 0 0],  [R11 R12] = [T 0] Z
       p = Q' L' q'':  the rows fix p1 (rank entries), the forces fix p2

   For M that is only semi-definite L' is replaced by the diagonal 1/D, and p2 by the solution of
   K p2 = (Q' D f)_2 - H21 p1,  H = Q' (D M D) Q,  K = H22.  So it is for M of any sign, where that is allowed:
   K is then symmetric and need only be regular. */
#ifndef FUNDAMENTAL_SMALL_H
#define FUNDAMENTAL_SMALL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum small_status {
    SMALL_OK,
    SMALL_NOT_FINITE,  /* M or A has an entry that is no number           */
    SMALL_INDEFINITE,  /* M: culprit[0] is the coordinate                 */
    SMALL_UNDETERMINED /* K is singular: culprit[0..culprits)             */
} small_status;

typedef struct small_solve {
    int n, m;              /* coordinates; rows there is room for                          */
    int ld;                /* n padded to a multiple of four: stride of L, X and V         */
    int high;              /* rows padded: stride of B                                     */
    int rows, rank;        /* active rows; independent ones among them                     */
    int semi;              /* M is not definite: L holds H and the factor of K             */
    int indefinite;        /* and has negative masses: K is factored by small_lu           */
    int may_be_indefinite; /* set by the caller, kept from solve to solve: that is no failure */
    int needs_no_root;     /* so is this: M nearly singular is solved as a singular one, to full digits */
    int culprits;          /* coordinates behind a failure                                 */
    double rank_tol;       /* see small_least                                              */
    double zero_tol;
    double largest;        /* largest row norm of B                                        */
    double *L;             /* n x n: factor of M below the diagonal, or H; padding is zero */
    double *scale;         /* n: 1/L_jj, or D                                              */
    double *X;             /* n x m: T above, reflectors of Z to the right                 */
    double *V;             /* n x min(n,m): reflectors of Q with their 1; padding is zero  */
    double *B;             /* rows x n: A of the active rows, then B                (m x n) */
    double *tau, *zeta;    /* scalars of the reflectors of Q, of Z               (min(n,m)) */
    double *inverse;       /* 1/T_kk                                             (min(n,m)) */
    double *least, *left;  /* by place: what a row must keep, what is left of it, squared (m) */
    double *weight;        /* 1/squared norm of the row, 0 for a zero row            (m)   */
    double *since;         /* `left` when it was last computed afresh                (m)   */
    double *g, *c, *p, *y; /* work vectors                                          (ld)  */
    double *t;             /* work vector                                            (m)   */
    int *row;              /* row of A in place j: the permutation P                 (m)   */
    int *place;            /* work of other factorisations                           (m)   */
    int *order;            /* pivot order of K                                       (n)   */
    int *column;           /* that of its columns, where they have their own         (n)   */
    int *culprit;          /* (n) */
} small_solve;

/* Memory it needs, and the solver placed in that memory. n >= 1, m >= 0. */
size_t small_doubles(int n, int m);
size_t small_integers(int n, int m);
void small_place(small_solve *s, int n, int m, double *numbers, int *integers);

/* The one rule of rank: the squared norm that row i of A must keep after the rows before it were taken out, to count
   as independent; one that is 0 = 0 all of it. own2: squared norm of the row in B; largest2: of the largest row. */
double small_least(const small_solve *s, const double *A, int i, double own2, double largest2);

/* Factors M (lower triangle read) and the rows of A (m x n) that are active (NULL: all).
   zero_tol 0 means rounding level. */
small_status small_factor(small_solve *s, const double *M, const double *A, const unsigned char *active,
                          double rank_tol, double zero_tol);

/* The ideal motion: qdd, Qi (n) and lambda (m; 0 for rows not active), any of which may be NULL but qdd.
   With Q = 0 and b what A qdd = b was missed by, it gives the correction: one step of refinement. */
void small_ideal(small_solve *s, const double *M, const double *Q, const double *b, double *qdd, double *Qi,
                 double *lambda);
/* The part of the law C: its acceleration dqdd (n), Qni (n), and what it adds to the multipliers, with
   A' dlambda + C = Qni. Any may be NULL but dqdd. */
void small_nonideal(small_solve *s, const double *M, const double *C, double *dqdd, double *Qni, double *dlambda);

/* Smallest singular value kept, by inverse iteration on T: an estimate from above, good to a few per cent. */
double small_smallest(small_solve *s);
/* a = M^-1 f, for definite M only. */
void small_free_acceleration(const small_solve *s, const double *f, double *a);

/* The operations all this is made of; arrays of length n unless said. */
void small_forward(const small_solve *s, const double *f, double *g);          /* g = Q' L^-1 f          */
void small_backward(small_solve *s, const double *p, double *x);               /* x = L^-T Q p           */
void small_fix_rows(small_solve *s, const double *b, double *c);               /* c = T^-T (Z P'b)_1     */
void small_multipliers(const small_solve *s, const double *h, double *lambda); /* P Z' [T^-1 h; 0]       */
void small_complete(const small_solve *s, const double *g, double *p);         /* p2 from g2 and p1      */

/* K (n x n, any sign) = P' L U Q' in place, the largest entry next: n, or how many pivots stand above `limit`. */
int small_lu(double *K, int n, int ld, double limit, int *order, int *columns);
/* x = K^-1 x; y: work (n) */
void small_lu_solve(const double *K, int n, int ld, const int *order, const int *columns, double *x, double *y);
/* D with entries of D M D of at most 1, and 1 or nearly in each row that is not zero; 0 for those that are. */
void small_scale_any(int n, const double *M, double *scale, double *work);

/* w (m): the k-th of an orthonormal basis of the w in null(A'), k < rows - rank. */
void small_null_row(const small_solve *s, int k, double *w);

/* Steps of small_factor that another factorisation into the same structure shares. */
void small_list_rows(small_solve *s, const unsigned char *active); /* which are active  */
void small_take_rows(small_solve *s, const double *A);             /* B = listed rows   */
void small_transpose_rows(small_solve *s);                         /* X = B'            */
int small_mass_is_clear(double pivot, double diagonal);            /* 1: definite there */
void small_start(small_solve *s, double rank_tol, double zero_tol);
void small_trapezoid(small_solve *s);       /* [R11 R12] = [T 0] Z */
void small_finish(small_solve *s);          /* 1/T_kk            */
void small_take_reflectors(small_solve *s); /* V from below the diagonal of X */

#ifdef __cplusplus
}
#endif
#endif
