/* The exact count of roots on either side of the imaginary axis, and Routh's array in rationals.

   p(i w) = i^n (f0(w) - i f1(w)): the index of f1/f0 over the real line, from Sturm's chain, is left - right
   (Gantmacher, ch. XV), whatever vanishes on the way. The chain ends in the factor whose roots are symmetric
   about the origin; those on the axis are its real roots, counted with their multiplicity by further chains.
 */
#include "analyze/dense.h"
#include "analyze/integer_gmp.h"
#include "analyze/routh.h"
#include "analyze/routh_gmp.h"

#include "base/mem.h"
#include "base/try.h"

#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static mech_status read_text(mpq_t value, const char *text)
{
    const char *slash = strchr(text, '/');
    if (!integer_read(value, text)) return MECH_ERR_ARGUMENT;
    if (!slash) return MECH_OK;
    mpq_t under;
    mpq_init(under);
    const int usable = integer_read(under, slash + 1) && mpq_sgn(under) != 0 && !strchr(slash + 1, '/');
    if (usable) mpq_div(value, value, under);
    mpq_clear(under);
    return usable ? MECH_OK : MECH_ERR_ARGUMENT;
}

mpq_t *rational_list(size_t count)
{
    mpq_t *list = mem_alloc(count * sizeof *list);
    for (size_t i = 0; list && i < count; i++) mpq_init(list[i]);
    return list;
}

void rational_list_free(mpq_t *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) mpq_clear(list[i]);
    mem_free(list);
}

/* ---- the count ---- */

/* The two halves of p(i w), as integers. c[0] is the highest power. */
static void halves(const mpq_t *c, int degree, integer_poly *f0, integer_poly *f1)
{
    mpz_t common, factor;
    mpz_init_set_ui(common, 1);
    mpz_init(factor);
    for (int k = 0; k <= degree; k++) mpz_lcm(common, common, mpq_denref(c[k]));
    for (int k = 0; k <= degree; k++) {
        integer_poly *half = k % 2 ? f1 : f0;
        mpz_divexact(factor, common, mpq_denref(c[k]));
        if (k / 2 % 2) mpz_neg(factor, factor);
        mpz_mul(half->c[degree - k], mpq_numref(c[k]), factor);
    }
    integer_trim(f0);
    integer_trim(f1);
    mpz_clears(common, factor, NULL);
}

/* Real roots of a with their multiplicity; *highest receives the largest one. a is destroyed. */
static int real_roots(integer_poly *a, integer_poly *work, int *highest)
{
    int count = 0;
    *highest = 0;
    while (a->degree > 0) {
        integer_derivative(work, a);
        const int distinct = integer_index(a, work); /* a = gcd(a, a'): each root once less */
        count += distinct;
        if (distinct > 0) (*highest)++;
    }
    return count;
}

static mech_status count_roots(const mpq_t *c, int degree, mech_routh_result *r)
{
    integer_poly f0 = {0}, f1 = {0};
    mech_status status = MECH_ERR_MEMORY;
    if (integer_init(&f0, degree) && integer_init(&f1, degree)) {
        halves(c, degree, &f0, &f1);
        const int difference = integer_index(&f0, &f1); /* left - right; f0 = symmetric factor */
        r->zero = 0;
        while (r->zero < degree && mpq_sgn(c[degree - r->zero]) == 0) r->zero++;
        r->axis = real_roots(&f0, &f1, &r->repeated);
        r->right = (degree - r->axis - difference) / 2;
        r->left = degree - r->axis - r->right;
        status = MECH_OK;
    }
    integer_clear(&f0);
    integer_clear(&f1);
    return status;
}

/* ---- the array ---- */

/* Row k of the array from the two above it. */
static void plain_row(mpq_t *row, const mpq_t *above, const mpq_t *top, int columns)
{
    mpq_t product;
    mpq_init(product);
    for (int j = 0; j < columns; j++) {
        mpq_set_ui(row[j], 0, 1);
        if (j + 1 == columns) break;
        mpq_mul(product, top[0], above[j + 1]);
        mpq_div(product, product, above[0]);
        mpq_sub(row[j], top[j + 1], product);
    }
    mpq_clear(product);
}

/* Leading zeros of a row; columns: all of it. */
static int leading_zeros(const mpq_t *row, int columns)
{
    int zeros = 0;
    while (zeros < columns && mpq_sgn(row[zeros]) == 0) zeros++;
    return zeros;
}

/* row += (-1)^zeros * (row shifted left by its leading zeros) */
static void extend_row(mpq_t *row, int columns, int zeros)
{
    for (int j = 0; j + zeros < columns; j++) {
        if (zeros % 2) mpq_sub(row[j], row[j], row[j + zeros]);
        else mpq_add(row[j], row[j], row[j + zeros]);
    }
}

/* derivative of the auxiliary polynomial `above`, whose powers start at `power` and fall by two */
static void derivative_row(mpq_t *row, const mpq_t *above, int columns, int power)
{
    mpq_t factor;
    mpq_init(factor);
    for (int j = 0; j < columns; j++) {
        mpq_set_si(factor, power - 2 * j > 0 ? power - 2 * j : 0, 1);
        mpq_mul(row[j], above[j], factor);
    }
    mpq_clear(factor);
}

static void fill_array(const mpq_t *c, int degree, mpq_t *array, int columns, unsigned char *kind)
{
    for (int k = 0; k <= degree; k++) mpq_set(array[k % 2 * columns + k / 2], c[k]);
    for (int row = 1; row <= degree; row++) {
        mpq_t *now = array + (size_t)row * (size_t)columns, *above = now - columns;
        if (row > 1) plain_row(now, (const mpq_t *)above, (const mpq_t *)(above - columns), columns);
        const int zeros = leading_zeros((const mpq_t *)now, columns);
        if (zeros == columns) {
            kind[row] = MECH_ROUTH_ZERO_ROW;
            derivative_row(now, (const mpq_t *)above, columns, degree - row + 1);
        } else if (zeros > 0) {
            kind[row] = MECH_ROUTH_ZERO_PIVOT;
            extend_row(now, columns, zeros);
        }
    }
}

static mech_status keep_array(mpq_t *array, mech_routh *r)
{
    const int rows = r->result.rows, columns = r->result.columns;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            mpq_t *entry = &array[i * columns + j];
            const size_t at = (size_t)i + (size_t)j * (size_t)rows;
            const size_t digits = mpz_sizeinbase(mpq_numref(*entry), 10) + mpz_sizeinbase(mpq_denref(*entry), 10);
            char *full = arena_alloc(&r->memory, digits + 4);
            if (!full) return MECH_ERR_MEMORY;
            r->array[at] = mpq_get_d(*entry);
            r->full[at] = mpq_get_str(full, 10, *entry);
            r->text[at] = digits > 24 ? arena_format(&r->memory, "%.10g", r->array[at]) : full;
            if (!r->text[at]) return MECH_ERR_MEMORY;
        }
    r->result.sign_changes = routh_sign_changes(r);
    return MECH_OK;
}

mech_status routh_rationals(const mpq_t *c, int degree, mech_routh **routh)
{
    const size_t cells = (size_t)(degree + 1) * (size_t)(degree / 2 + 1);
    *routh = NULL;
    if (mpq_sgn(c[0]) == 0) return MECH_ERR_ARGUMENT;
    mech_routh *r = routh_new(degree);
    mpq_t *array = rational_list(cells);
    mech_status status = r && array ? count_roots(c, degree, &r->result) : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        r->result.is_exact = 1;
        routh_judge(&r->result);
        fill_array(c, degree, array, r->result.columns, r->row_kind);
        status = keep_array(array, r);
    }
    rational_list_free(array, cells);
    if (status == MECH_OK) *routh = r;
    else mech_routh_free(r);
    return status;
}

mech_status routh_exact(const double *values, const char *const *texts, int degree, mech_routh **routh)
{
    mpq_t *c = rational_list((size_t)degree + 1);
    mech_status status = c ? MECH_OK : MECH_ERR_MEMORY;
    for (int k = 0; k <= degree && status == MECH_OK; k++) {
        if (values) mpq_set_d(c[k], values[k]);
        else status = read_text(c[k], texts[k]);
    }
    if (status == MECH_OK) status = routh_rationals((const mpq_t *)c, degree, routh);
    rational_list_free(c, (size_t)degree + 1);
    return status;
}

/* ---- the characteristic polynomial: Faddeev and LeVerrier in rationals ---- */

enum { MOST_STATES = 60 };

/* B = A (B + c I), and c_next = - trace / k */
static void leverrier_step(int n, mpq_t *A, mpq_t *B, mpq_t *work, mpq_t c, int k, mpq_t next)
{
    mpq_t product;
    mpq_init(product);
    for (int i = 0; i < n; i++) mpq_add(B[i + i * n], B[i + i * n], c);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            mpq_set_ui(work[i + j * n], 0, 1);
            for (int l = 0; l < n; l++) {
                if (mpq_sgn(A[i + l * n]) == 0 || mpq_sgn(B[l + j * n]) == 0) continue;
                mpq_mul(product, A[i + l * n], B[l + j * n]);
                mpq_add(work[i + j * n], work[i + j * n], product);
            }
        }
    mpq_set_ui(next, 0, 1);
    for (int i = 0; i < n * n; i++) mpq_swap(B[i], work[i]);
    for (int i = 0; i < n; i++) mpq_add(next, next, B[i + i * n]);
    mpq_set_si(product, -k, 1);
    mpq_div(next, next, product);
    mpq_clear(product);
}

/* c (n + 1), highest power first */
static mech_status characteristic(int n, const double *A, mpq_t *c)
{
    const size_t cells = (size_t)n * (size_t)n + 1;
    mpq_t *X = rational_list(cells), *B = rational_list(cells), *work = rational_list(cells);
    mech_status status = X && B && work ? MECH_OK : MECH_ERR_MEMORY;
    for (int i = 0; i < n * n && status == MECH_OK; i++) mpq_set_d(X[i], A[i]);
    if (status == MECH_OK) mpq_set_ui(c[0], 1, 1);
    for (int k = 1; k <= n && status == MECH_OK; k++) leverrier_step(n, X, B, work, c[k - 1], k, c[k]);
    rational_list_free(X, cells);
    rational_list_free(B, cells);
    rational_list_free(work, cells);
    return status;
}

static mech_status check_matrix(int n, const double *A)
{
    if (n < 0 || (n > 0 && !A)) return MECH_ERR_ARGUMENT;
    if (n > MOST_STATES) return MECH_ERR_LIMIT;
    return dense_is_finite(A, (size_t)n * (size_t)n) ? MECH_OK : MECH_ERR_NOT_FINITE;
}

mech_status mech_characteristic(int n, const double *A, double *coefficients)
{
    MECH_TRY(check_matrix(n, A));
    mpq_t *c = rational_list((size_t)n + 1);
    if (!c) return MECH_ERR_MEMORY;
    const mech_status status = characteristic(n, A, c);
    for (int k = 0; k <= n && status == MECH_OK; k++) coefficients[k] = mpq_get_d(c[k]);
    rational_list_free(c, (size_t)n + 1);
    return status;
}

mech_status mech_routh_matrix(int n, const double *A, mech_routh **routh)
{
    *routh = NULL;
    MECH_TRY(check_matrix(n, A));
    mpq_t *c = rational_list((size_t)n + 1);
    mech_status status = c ? characteristic(n, A, c) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = routh_rationals((const mpq_t *)c, n, routh);
    rational_list_free(c, (size_t)n + 1);
    return status;
}
