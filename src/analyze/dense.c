#include "analyze/dense.h"

#include "base/mem.h"
#include "base/tolerances.h"
#include "fundamental/room.h"

#include <float.h>
#include <math.h>
#include <string.h>

void dense_scatter(mech_pattern pattern, const double *values, size_t rows, size_t columns, double *X)
{
    memset(X, 0, rows * columns * sizeof *X);
    for (size_t k = 0; k < pattern.count; k++)
        if (pattern.column[k] < columns) X[pattern.row[k] + pattern.column[k] * rows] += values[k];
}

void dense_multiply(size_t m, size_t k, size_t n, const double *A, const double *B, double *C)
{
    memset(C, 0, m * n * sizeof *C);
    for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < k; l++) {
            const double b = B[l + j * k];
            if (b == 0) continue;
            for (size_t i = 0; i < m; i++) C[i + j * m] += A[i + l * m] * b;
        }
}

void dense_multiply_transposed(size_t m, size_t k, size_t n, const double *A, const double *B, double *C)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++) sum += A[l + i * k] * B[l + j * k];
            C[i + j * m] = sum;
        }
}

static void swap_rows(size_t n, size_t columns, double *X, size_t a, size_t b)
{
    for (size_t j = 0; j < columns; j++) {
        const double keep = X[a + j * n];
        X[a + j * n] = X[b + j * n];
        X[b + j * n] = keep;
    }
}

int dense_solve(size_t n, double *A, size_t columns, double *B)
{
    const double scale = dense_largest(A, n * n);
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(A[i + k * n]) > fabs(A[pivot + k * n])) pivot = i;
        if (!(fabs(A[pivot + k * n]) > (double)n * DBL_EPSILON * scale)) return 0;
        if (pivot != k) {
            swap_rows(n, n, A, k, pivot);
            swap_rows(n, columns, B, k, pivot);
        }
        for (size_t i = k + 1; i < n; i++) {
            const double factor = A[i + k * n] / A[k + k * n];
            if (factor == 0) continue;
            for (size_t j = k + 1; j < n; j++) A[i + j * n] -= factor * A[k + j * n];
            for (size_t j = 0; j < columns; j++) B[i + j * n] -= factor * B[k + j * n];
        }
    }
    for (size_t j = 0; j < columns; j++)
        for (size_t k = n; k-- > 0;) {
            B[k + j * n] /= A[k + k * n];
            for (size_t i = 0; i < k; i++) B[i + j * n] -= A[i + k * n] * B[k + j * n];
        }
    return 1;
}

void dense_solve_complex(double complex *M, double complex *b, size_t n, double little)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (cabs(M[i + k * n]) > cabs(M[best + k * n])) best = i;
        for (size_t j = 0; j < n && best != k; j++) {
            const double complex held = M[k + j * n];
            M[k + j * n] = M[best + j * n];
            M[best + j * n] = held;
        }
        const double complex held = b[k];
        b[k] = b[best];
        b[best] = held;
        if (cabs(M[k + k * n]) < little) M[k + k * n] = little;
        for (size_t i = k + 1; i < n; i++) {
            const double complex factor = M[i + k * n] / M[k + k * n];
            for (size_t j = k + 1; j < n && factor != 0; j++) M[i + j * n] -= factor * M[k + j * n];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= M[k + j * n] * b[j];
        b[k] /= M[k + k * n];
    }
}

int dense_is_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

double dense_difference(const double *a, const double *b, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

double dense_norm(const double *A, size_t n)
{
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += fabs(A[i + j * n]);
        most = fmax(most, sum);
    }
    return most;
}

double dense_largest(const double *x, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]);
    return largest;
}

/* X = D V with orthogonal columns; sigma their lengths. All of them are freed with X. */
static mech_status decompose(size_t rows, size_t columns, const double *D, double **X, double **V, double **sigma)
{
    *X = mem_zeroed(columns * (rows + columns + 1) + 1, sizeof **X);
    if (!*X) return MECH_ERR_MEMORY;
    *V = *X + rows * columns;
    *sigma = *V + columns * columns;
    if (rows && columns) memcpy(*X, D, rows * columns * sizeof **X);
    fundamental_svd((int)rows, (int)columns, *X, *V);
    for (size_t j = 0; j < columns; j++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) sum += (*X)[i + j * rows] * (*X)[i + j * rows];
        (*sigma)[j] = sqrt(sum);
    }
    return MECH_OK;
}

mech_status dense_null_space(size_t rows, size_t columns, const double *D, double tolerance, double *basis,
                             size_t *rank, double *values)
{
    double *X, *V, *sigma;
    const mech_status status = decompose(rows, columns, D, &X, &V, &sigma);
    if (status == MECH_OK) {
        const double limit = tolerance * dense_largest(sigma, columns);
        size_t next = 0;
        for (int part = 0; part < 2; part++) {
            for (size_t j = 0; j < columns; j++) {
                if ((sigma[j] > limit) != part) continue;
                memcpy(basis + next * columns, V + j * columns, columns * sizeof *basis);
                if (values) values[next] = sigma[j];
                next++;
            }
            if (part == 0) *rank = columns - next;
        }
    }
    mem_free(X);
    return status;
}

mech_status dense_least_squares(size_t rows, size_t columns, const double *A, const double *b, double *x, size_t *rank)
{
    double *X, *V, *sigma;
    const mech_status status = decompose(rows, columns, A, &X, &V, &sigma);
    if (status == MECH_OK) {
        const double limit = TOL_NULL * dense_largest(sigma, columns);
        memset(x, 0, columns * sizeof *x);
        *rank = 0;
        for (size_t j = 0; j < columns; j++) {
            if (!(sigma[j] > limit)) continue;
            double along = 0;
            for (size_t i = 0; i < rows; i++) along += X[i + j * rows] * b[i];
            along /= sigma[j] * sigma[j];
            for (size_t i = 0; i < columns; i++) x[i] += along * V[i + j * columns];
            (*rank)++;
        }
    }
    mem_free(X);
    return status;
}
