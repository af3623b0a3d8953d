/* Stability: Routh-Hurwitz, linearization on the constraints, equilibria and steady motions, gains.
 *
 * Matrices are column-major. Polynomials are given with the highest power first. */
#ifndef MECH_ANALYZE_H
#define MECH_ANALYZE_H

#include <mech/base.h>
#include <mech/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- verdicts ---- */

typedef enum mech_verdict {
    MECH_STABLE,    /* all roots to the left of the axis                                              */
    MECH_MARGINAL,  /* none to the right, those on the axis simple (or semisimple)                    */
    MECH_REPEATED,  /* none to the right, repeated ones on the axis: the matrix must decide           */
    MECH_DEFECTIVE, /* repeated ones on the axis without enough eigenvectors: grows like a power of t */
    MECH_UNSTABLE,  /* at least one to the right                                                      */
    MECH_UNDECIDED  /* too near to the axis for the accuracy of what was given                        */
} mech_verdict;
/* "asymptotically stable", ...: static text. */
MECH_API const char *mech_verdict_text(mech_verdict verdict);

/* ---- Routh-Hurwitz ---- */

typedef struct mech_routh mech_routh;

typedef enum mech_routh_row {
    MECH_ROUTH_PLAIN,
    MECH_ROUTH_ZERO_PIVOT, /* began with a zero: the row was extended by itself, shifted (Benidir and Picinbono) */
    MECH_ROUTH_ZERO_ROW    /* was zero: the derivative of the auxiliary polynomial stands in its place           */
} mech_routh_row;

typedef struct mech_routh_result {
    int degree;
    int is_exact;
    mech_verdict verdict;
    int right, left, axis; /* roots on either side and on the imaginary axis; -1: undecided  */
    int zero;              /* of those on the axis, at the origin                            */
    int repeated;          /* highest multiplicity of a root on the axis; -1: undecided      */
    int rows, columns;     /* of the array: degree + 1, degree/2 + 1                         */
    const double *array;            /* (rows x columns); NaN where floating arithmetic gave up */
    const unsigned char *row_kind;  /* (rows) mech_routh_row                                   */
    int sign_changes;               /* in the first column                                     */
} mech_routh_result;

/* New result in *routh. Coefficients (degree + 1), highest power first, the first not zero. Exact: the
   doubles, or decimal texts such as "99.98", "1e-3" or "1/3", as the rationals they are. MECH_ERR_ARGUMENT,
   MECH_ERR_LIMIT (degree above 200, numbers of more than 4000 digits), MECH_ERR_UNSUPPORTED (built without GMP),
   MECH_ERR_MEMORY. */
MECH_API MECH_MUST_CHECK mech_status mech_routh_exact(const double *coefficients, int degree, mech_routh **routh);
MECH_API MECH_MUST_CHECK mech_status mech_routh_exact_text(const char *const *coefficients, int degree,
                                                           mech_routh **routh);
/* Floating: coefficient k is known within error[k] (NULL: within half a unit in its last place). The answer
   holds for every polynomial within the bounds, or it is undecided. */
MECH_API MECH_MUST_CHECK mech_status mech_routh_floating(const double *coefficients, const double *error, int degree,
                                                         mech_routh **routh);
MECH_API void mech_routh_free(mech_routh *routh);
/* Borrowed, valid until mech_routh_free. */
MECH_API const mech_routh_result *mech_routh_get(const mech_routh *routh);
/* An entry of the array as text: exact where the array is. Borrowed; NULL outside. */
MECH_API const char *mech_routh_entry(const mech_routh *routh, int row, int column);

/* Roots of a polynomial as eigenvalues of its companion matrix. */
MECH_API MECH_MUST_CHECK mech_status mech_polynomial_roots(const double *coefficients, int degree, double *real,
                                                           double *imaginary);
/* Eigenvalues of A (n x n), in the order of their real parts, largest first; pairs stand together. */
MECH_API MECH_MUST_CHECK mech_status mech_eigenvalues(int n, const double *A, double *real, double *imaginary);
/* Coefficients (n + 1) of det(s I - A), highest power first: exact for the doubles in A, then rounded. */
MECH_API MECH_MUST_CHECK mech_status mech_characteristic(int n, const double *A, double *coefficients);
/* The exact count for det(s I - A), the doubles in A taken as they are. */
MECH_API MECH_MUST_CHECK mech_status mech_routh_matrix(int n, const double *A, mech_routh **routh);

#ifdef __cplusplus
}
#endif
#endif
