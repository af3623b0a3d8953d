/* Eigenvalues of a symmetric matrix by Jacobi's method, and its root: slow and accurate. Free of dependencies; also put
   into exported code, where it stands in one file with others: so all its names begin with small_. */
#ifndef FUNDAMENTAL_ROOT_H
#define FUNDAMENTAL_ROOT_H

#ifndef SMALL_PART
#define SMALL_PART
#endif

/* S (n x n, full, destroyed) = V diag(d) V'; V may not be NULL. */
SMALL_PART void small_eigen(int n, double *S, double *V, double *d);
/* y = V diag(d^power) V' x */
SMALL_PART void small_power(int n, const double *vectors, const double *d, double power, const double *x, double *y);
/* C = M^(1/2) z; vectors, matrix: n x n work, d: n work. 0 when M is indefinite. */
SMALL_PART int small_symmetric_root(int n, const double *M, const double *z, double *vectors, double *matrix, double *d,
                                    double *C);
/* Steps that one-sided singular values share: columns p, q of X (rows high) times [c s; -s c]; and the tangent of the
   rotation that makes [app apq; apq aqq] diagonal, the smaller of the two. */
SMALL_PART void small_rotate(int rows, double *X, int p, int q, double c, double s);
SMALL_PART double small_tangent(double app, double apq, double aqq);

#endif
