/* Small dense systems, column-major. */
#include "contact/room.h"

#include <math.h>

static void swap(double *a, double *b)
{
    const double t = *a;
    *a = *b;
    *b = t;
}

static void swap_rows(size_t rows, size_t columns, double *A, size_t i, size_t k)
{
    for (size_t j = 0; j < columns && i != k; j++) swap(&A[i + j * rows], &A[k + j * rows]);
}

static void swap_columns(size_t rows, double *A, size_t j, size_t k)
{
    for (size_t i = 0; i < rows && j != k; i++) swap(&A[i + j * rows], &A[i + k * rows]);
}

/* The largest entry from row and column k on. */
static double largest(size_t rows, size_t columns, const double *A, size_t k, size_t *at_row, size_t *at_column)
{
    double most = 0;
    *at_row = *at_column = k;
    for (size_t j = k; j < columns; j++)
        for (size_t i = k; i < rows; i++)
            if (fabs(A[i + j * rows]) > most) most = fabs(A[i + j * rows]), *at_row = i, *at_column = j;
    return most;
}

static void eliminate(size_t rows, size_t columns, double *A, size_t k)
{
    for (size_t i = k + 1; i < rows; i++) A[i + k * rows] /= A[k + k * rows];
    for (size_t j = k + 1; j < columns; j++) {
        const double f = A[k + j * rows];
        if (f == 0) continue;
        for (size_t i = k + 1; i < rows; i++) A[i + j * rows] -= A[i + k * rows] * f;
    }
}

static size_t factor(size_t rows, size_t columns, double *A, size_t *row, size_t *column, double tolerance)
{
    size_t rank = 0, r, c;
    double first = 0;
    for (; rank < rows && rank < columns; rank++) {
        const double pivot = largest(rows, columns, A, rank, &r, &c);
        if (rank == 0) first = pivot;
        if (!(pivot > tolerance * first)) break;
        if (row) row[rank] = r;
        if (column) column[rank] = c;
        swap_rows(rows, columns, A, rank, r);
        swap_columns(rows, A, rank, c);
        eliminate(rows, columns, A, rank);
    }
    return rank;
}

size_t gauss_factor(size_t n, double *A, size_t *row, size_t *column, double tolerance)
{
    return factor(n, n, A, row, column, tolerance);
}

void gauss_solve(size_t n, const double *LU, const size_t *row, const size_t *column, const double *b, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = b[i];
    for (size_t k = 0; k < n; k++) swap(&x[k], &x[row[k]]);
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) x[i] -= LU[i + k * n] * x[k];
    for (size_t k = n; k-- > 0;) {
        x[k] /= LU[k + k * n];
        for (size_t i = 0; i < k; i++) x[i] -= LU[i + k * n] * x[k];
    }
    for (size_t k = n; k-- > 0;) swap(&x[k], &x[column[k]]);
}

size_t gauss_null(size_t rows, size_t columns, double *A, size_t *column, double tolerance, double *null)
{
    const size_t rank = factor(rows, columns, A, NULL, column, tolerance);
    for (size_t f = rank; f < columns; f++) {
        double *x = null + (f - rank) * columns;
        for (size_t j = 0; j < columns; j++) x[j] = j == f ? 1 : 0;
        for (size_t k = rank; k-- > 0;) {
            double sum = -A[k + f * rows];
            for (size_t j = k + 1; j < rank; j++) sum -= A[k + j * rows] * x[j];
            x[k] = sum / A[k + k * rows];
        }
        for (size_t k = rank; k-- > 0;) swap(&x[k], &x[column[k]]);
    }
    return columns - rank;
}
