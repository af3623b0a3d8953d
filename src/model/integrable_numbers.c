/* Frobenius' test in numbers, at random points that satisfy the holonomic rows. */
#include "model/integrable.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { STARTS = 12, NEWTON = 40 };

/* The same points in every run. */
static double next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1; /* -1 to 1 */
}

typedef struct lookup {
    const forms *f;
    const double *value;
    size_t point;
} lookup;

static double symbol_value(void *user, const expr_symbol *symbol)
{
    const lookup *l = user;
    if (symbol->class_bit != EXPR_REACTION) return l->value[symbol->index];
    return l->f->atoms[symbol->index].at[l->point][symbol->order];
}

static double value_with(forms *f, mech_expr e, const double *value, size_t point)
{
    lookup l = {f, value, point};
    double result;
    const mech_status status = expr_evaluate(f->pool, e, symbol_value, &l, &result);
    if (status == MECH_OK) return result;
    if (f->pool->status == MECH_OK) f->pool->status = status;
    return (double)NAN;
}

double forms_value(forms *f, mech_expr e, size_t point) { return value_with(f, e, f->shared->value[point], point); }

/* ---- points ---- */

static size_t symbol_number(const mech_model *m, mech_expr symbol) { return expr_at(m->pool, symbol)->first; }

/* Parameters as given, time at random, coordinates near their start. */
static void start_point(forms *f, double *value, double spread, uint64_t *random)
{
    const mech_model *m = f->m;
    for (size_t i = 0; i < f->n; i++) value[symbol_number(m, m->coords[f->coord[i]].q)] = f->shared->start[f->coord[i]];
    for (size_t i = 0; i < f->pool->symbol_count; i++) {
        const size_t number = f->pool->symbols[i].index;
        const expr_symbol *s = &m->pool->symbols[number];
        if (s->class_bit == EXPR_PARAM) value[number] = m->params[s->index].number;
        else value[number] = (s->class_bit == EXPR_COORD ? value[number] : 0) + spread * next_random(random);
    }
}

/* x with M x = b for a symmetric positive matrix of size n, by rows, overwritten: 1 done. */
static int solve_symmetric(double *M, double *b, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (!(M[k * n + k] > 0)) return 0;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = M[i * n + k] / M[k * n + k];
            for (size_t j = k; j < n; j++) M[i * n + j] -= factor * M[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= M[k * n + j] * b[j];
        b[k] /= M[k * n + k];
    }
    return 1;
}

/* One Gauss-Newton step of least norm towards phi = 0: the largest residual before it, NaN when it fails. */
static double newton_step(forms *f, double *value, double *J, double *M)
{
    const size_t n = f->n;
    double r[FORMS_MOST], worst = 0, trace = 0;
    size_t h = 0;
    for (size_t j = 0; j < f->count; j++) {
        if (!f->is_exact[j]) continue;
        r[h] = -value_with(f, f->phi[j], value, 0);
        if (!(fabs(r[h]) <= worst)) worst = fabs(r[h]);
        for (size_t k = 0; k < n; k++) J[h * n + k] = value_with(f, f->a[j * (n + 1) + k], value, 0);
        h++;
    }
    if (!h || !isfinite(worst)) return worst;
    for (size_t i = 0; i < h; i++) {
        for (size_t j = 0; j < h; j++) {
            M[i * h + j] = 0;
            for (size_t k = 0; k < n; k++) M[i * h + j] += J[i * n + k] * J[j * n + k];
        }
        trace += M[i * h + i];
    }
    /* rows may depend on one another */
    for (size_t i = 0; i < h; i++) M[i * h + i] += 1e-12 * trace;
    if (!solve_symmetric(M, r, h)) return (double)NAN;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < h; i++) value[symbol_number(f->m, f->m->coords[f->coord[k]].q)] += J[i * n + k] * r[i];
    return worst;
}

/* 1 when the point was brought onto the holonomic rows. */
static int project(forms *f, double *value, double *work)
{
    double before = HUGE_VAL;
    for (int k = 0; k < NEWTON; k++) {
        const double worst = newton_step(f, value, work, work + FORMS_MOST * FORMS_MOST);
        if (!isfinite(worst)) return 0;
        if (before <= 1e-11) return 1; /* and one step more */
        before = worst;
    }
    return 0;
}

/* Inputs take the values of their signals. A column of a file may hold anything: nothing is refuted there. */
static void set_inputs(forms *f, double *value)
{
    for (size_t i = 0; i < f->m->inputs_count; i++) {
        const model_input *u = &f->m->inputs[i];
        const mech_expr symbols[3] = {u->symbol, u->first, u->second};
        for (size_t k = 0; k < 3; k++) {
            const size_t number = symbol_number(f->m, symbols[k]);
            if (!f->shared->image[number]) continue;
            if (f->signal[3 * i + k].id) value[number] = value_with(f, f->signal[3 * i + k], value, 0);
            else f->has_others = 1;
        }
    }
}

/* The numbers of all forms at a point: 1 when they are finite. */
static int numbers_at(forms *f, size_t point)
{
    const size_t width = f->n + 1;
    for (size_t j = 0; j < f->count; j++) {
        double *a = f->A[point] + j * width, *d = f->D[point] + j * width * width, size = 0;
        for (size_t k = 0; k < width; k++) {
            a[k] = forms_value(f, f->a[j * width + k], point);
            if (!(fabs(a[k]) <= size)) size = fabs(a[k]);
        }
        for (size_t k = 0; k < width * width; k++) {
            const mech_expr e = f->d[j * width * width + k];
            d[k] = expr_is_zero(e) ? 0 : forms_value(f, e, point);
            if (!isfinite(d[k])) return 0;
        }
        if (!isfinite(size)) return 0;
        if (size < 1e-9) continue; /* 0 = 0 here */
        for (size_t k = 0; k < width; k++) a[k] /= size;
        for (size_t k = 0; k < width * width; k++) d[k] /= size;
    }
    return 1;
}

mech_status forms_sample(forms *f)
{
    static const double spreads[3] = {0.7, 0.2, 1.5};
    const size_t width = f->n + 1;
    uint64_t random = 2;
    double *work = mem_alloc(2 * FORMS_MOST * FORMS_MOST * sizeof *work);
    mech_status status = work ? MECH_OK : MECH_ERR_MEMORY;
    for (int start = 0; start < STARTS && f->points < FORMS_POINTS && status == MECH_OK; start++) {
        const size_t p = f->points;
        double *value = f->shared->value[p];
        if (!f->A[p]) f->A[p] = mem_zeroed(f->count * width, sizeof(double));
        if (!f->D[p]) f->D[p] = mem_zeroed(f->count * width * width, sizeof(double));
        if (!f->A[p] || !f->D[p]) {
            status = MECH_ERR_MEMORY;
            break;
        }
        start_point(f, value, spreads[start % 3], &random);
        set_inputs(f, value);
        if (project(f, value, work) && numbers_at(f, p)) f->points++;
    }
    mem_free(work);
    return status == MECH_OK ? mech_pool_status(f->pool) : status;
}

/* ---- the test ---- */

/* Gauss-Jordan with full pivoting: row p of W gets a 1 in column[p], zeros elsewhere in that column. 0 when
   the rank is not clear. */
static int eliminate(double *W, size_t rows, size_t width, size_t *column, size_t *rank)
{
    for (*rank = 0; *rank < rows; ++*rank) {
        size_t best_row = 0, best_column = 0;
        double best = 0;
        for (size_t i = *rank; i < rows; i++)
            for (size_t k = 0; k < width; k++)
                if (fabs(W[i * width + k]) > best) {
                    best = fabs(W[i * width + k]);
                    best_row = i;
                    best_column = k;
                }
        if (best < 1e-9) return 1;
        if (best < 1e-4) return 0;
        for (size_t k = 0; k < width; k++) {
            const double swap = W[*rank * width + k];
            W[*rank * width + k] = W[best_row * width + k];
            W[best_row * width + k] = swap;
        }
        const double pivot = W[*rank * width + best_column];
        for (size_t k = 0; k < width; k++) W[*rank * width + k] /= pivot;
        for (size_t i = 0; i < rows; i++) {
            const double factor = W[i * width + best_column];
            if (i == *rank || factor == 0) continue;
            for (size_t k = 0; k < width; k++) W[i * width + k] -= factor * W[*rank * width + k];
            W[i * width + best_column] = 0;
        }
        column[*rank] = best_column;
    }
    return 1;
}

/* The vectors that all rows in the ideal annihilate, by column of X, largest entry 1: how many, or SIZE_MAX
   when that is not clear. left: leave out rows marked there. */
static size_t annihilated(const forms *f, size_t point, const forms_finding *left, double *W, double *X, size_t *rank)
{
    const size_t width = f->n + 1;
    size_t rows = 0, column[FORMS_MOST + 1], count = 0;
    int is_pivot[FORMS_MOST + 1] = {0};
    for (size_t j = 0; j < f->count; j++)
        if (f->is_in[j] && !(left && left[j] == FORMS_NONZERO))
            memcpy(W + width * rows++, f->A[point] + width * j, width * sizeof *W);
    if (!eliminate(W, rows, width, column, rank)) return SIZE_MAX;
    for (size_t p = 0; p < *rank; p++) is_pivot[column[p]] = 1;
    for (size_t k = 0; k < width; k++) {
        if (is_pivot[k]) continue;
        double *x = X + width * count++, size = 1;
        for (size_t l = 0; l < width; l++) x[l] = l == k;
        for (size_t p = 0; p < *rank; p++) {
            x[column[p]] = -W[p * width + k];
            if (fabs(x[column[p]]) > size) size = fabs(x[column[p]]);
        }
        for (size_t l = 0; l < width; l++) x[l] /= size;
    }
    return count;
}

/* V = dw_j(X_f, X_g) for f < g; the largest in size. */
static double on_pairs(const forms *f, size_t point, size_t j, const double *X, size_t count, double *V)
{
    const size_t width = f->n + 1;
    const double *d = f->D[point] + j * width * width;
    double y[FORMS_MOST + 1], largest = 0;
    for (size_t a = 0; a < count; a++) {
        for (size_t l = 0; l < width; l++) {
            y[l] = 0;
            for (size_t k = 0; k < width; k++) y[l] += X[a * width + k] * d[k * width + l];
        }
        for (size_t b = a + 1; b < count; b++) {
            double sum = 0;
            for (size_t l = 0; l < width; l++) sum += y[l] * X[b * width + l];
            *V++ = sum;
            if (fabs(sum) > largest) largest = fabs(sum);
        }
    }
    return largest;
}

typedef struct tally {
    int zero[FORMS_MOST], nonzero[FORMS_MOST], good;
} tally;

typedef struct workspace {
    double *W, *X, *V;
} workspace;

static void test_point(forms *f, size_t point, const workspace *w, tally *t)
{
    const size_t width = f->n + 1;
    size_t rank;
    const size_t count = annihilated(f, point, NULL, w->W, w->X, &rank);
    if (count == SIZE_MAX) return;
    t->good++;
    for (size_t j = 0; j < f->count; j++) {
        if (!f->is_in[j] || f->is_exact[j]) continue;
        double size = 0;
        for (size_t k = 0; k < width * width; k++) size = fmax(size, fabs(f->D[point][j * width * width + k]));
        const double largest = on_pairs(f, point, j, w->X, count, w->V);
        const int is_rounding = size < 1e-11; /* forms are of size 1: dw is 0 by an identity, as sin^2 + cos^2 = 1 */
        t->zero[j] += is_rounding || largest <= 1e-9 * size;
        t->nonzero[j] += !is_rounding && largest > 1e-6 * size;
    }
}

/* Whether the rows found nonzero stay independent as dw on the annihilated vectors. */
static int is_complete_at(forms *f, size_t point, const forms_finding *finding, const workspace *w)
{
    size_t rank_all, rank_rest, rank_d, rows = 0, column[FORMS_MOST + 1];
    if (annihilated(f, point, finding, w->W, w->X, &rank_rest) == SIZE_MAX) return 0;
    const size_t count = annihilated(f, point, NULL, w->W, w->X, &rank_all);
    if (count == SIZE_MAX) return 0;
    const size_t pairs = count * (count - (count > 0)) / 2;
    for (size_t j = 0; j < f->count; j++) {
        if (finding[j] != FORMS_NONZERO) continue;
        const double largest = on_pairs(f, point, j, w->X, count, w->V + rows * pairs);
        for (size_t k = 0; k < pairs && largest > 0; k++) w->V[rows * pairs + k] /= largest;
        rows++;
    }
    return eliminate(w->V, rows, pairs, column, &rank_d) && rank_d == rank_all - rank_rest;
}

static void conclude(forms *f, const workspace *w, forms_finding *finding, int *is_complete)
{
    tally t = {{0}, {0}, 0};
    for (size_t p = 0; p < f->points; p++) test_point(f, p, w, &t);
    for (size_t j = 0; j < f->count; j++) {
        finding[j] = FORMS_ZERO;
        if (!f->is_in[j] || f->is_exact[j]) continue;
        if (t.nonzero[j] >= 2) finding[j] = FORMS_NONZERO;
        else if (t.good < 2 || t.zero[j] < t.good) finding[j] = FORMS_UNCLEAR;
    }
    *is_complete = f->points > 0;
    for (size_t p = 0; p < f->points && *is_complete; p++) *is_complete = is_complete_at(f, p, finding, w);
}

mech_status forms_test_numbers(forms *f, forms_finding *finding, int *is_complete)
{
    const size_t width = f->n + 1;
    workspace w = {mem_alloc(f->count * width * sizeof(double)), mem_alloc(width * width * sizeof(double)),
                   mem_alloc((f->count * width * width + 1) * sizeof(double))};
    const mech_status status = w.W && w.X && w.V ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) conclude(f, &w, finding, is_complete);
    mem_free(w.W);
    mem_free(w.X);
    mem_free(w.V);
    return status;
}
