/* The solver on numbers: factors with guards, right sides with refinement, the rank's watch. */
#include "fundamental/sparse.h"

#include "base/mem.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double CLEAR = 1e-5; /* what is left of a squared row: above this no digit is missed */
static const double SETTLED = 1e-13;
static const double VAGUE = 1e-11; /* below this, rounding may have left what should have vanished */
enum { MOST_STEPS = 6, FEW = 4 };

/* ---- factors ---- */

static void note(sparse *s, double d, double whole, uint32_t row)
{
    s->rank++;
    if (d / whole < s->ratio) s->ratio = d / whole;
    if (d >= s->least) return;
    s->least = d;
    s->weakest = row;
}

static void leave_out(sparse *s, uint32_t row)
{
    s->dropped[row] = 1;
    s->dropped_count++;
}

/* 1/d, or 0 for a row that depends on those before it or is not in force (whole = 0) */
static double invert_row(sparse *s, double d, double whole, uint32_t row, double drop)
{
    if (!(whole > 0)) {
        if (s->active[row]) leave_out(s, row);
        return 0;
    }
    if (whole > s->largest) s->largest = whole;
    if (!(d > drop * whole)) {
        leave_out(s, row);
        return 0;
    }
    note(s, d, whole, row);
    return 1 / d;
}

/* [a b; b c] of two rows; the one of which more is left goes first. */
static void invert_rows(sparse *s, const double *x, const plan_op *op, const uint32_t *row, double drop, double *out)
{
    const double a = x[op->a], b = x[op->b], c = x[op->c], d = x[op->d], e = x[op->e];
    const int second_first = d > 0 ? e > 0 && c * d > a * e : 1;
    const double first = second_first ? c : a, whole = second_first ? e : d, other = second_first ? d : e;
    const double det = a * c - b * b;
    out[0] = out[1] = out[2] = 0;
    if (d > s->largest) s->largest = d;
    if (e > s->largest) s->largest = e;
    if (first > drop * whole && det > drop * (first * other)) {
        const double scale = 1 / det;
        out[0] = c * scale;
        out[1] = -b * scale;
        out[2] = a * scale;
        note(s, first, whole, row[second_first]);
        note(s, det / first, other, row[!second_first]);
        return;
    }
    out[second_first ? 2 : 0] = invert_row(s, first, whole, row[second_first], drop);
    if (s->active[row[!second_first]]) leave_out(s, row[!second_first]);
}

static int invert_mass2(const double *x, const plan_op *op, double *out)
{
    const double a = x[op->a], b = x[op->b], c = x[op->c], det = a * c - b * b, scale = 1 / det;
    out[0] = c * scale;
    out[1] = -b * scale;
    out[2] = a * scale;
    return det > PLAN_MASS * (x[op->d] * x[op->e]) && a > 0;
}

static void run_factor(sparse *s, double drop)
{
    double *const x = s->slots;
    const uint32_t *row = s->pivot_row;
    const plan_op *const end = s->factor + s->factor_count;
    int ok = 1;
    for (const plan_op *i = s->factor; i != end; i++) {
        const double a = x[i->a], b = x[i->b];
        double *out = &x[i->out];
        switch (i->code) {
        case PLAN_MUL: *out = a * b; break;
        case PLAN_NEGMUL: *out = -(a * b); break;
        case PLAN_MULADD: *out = x[i->c] + a * b; break;
        case PLAN_MULSUB: *out = x[i->c] - a * b; break;
        case PLAN_INVERT:
            *out = 1 / a;
            ok = ok && a > PLAN_MASS * b && a > 0;
            break;
        case PLAN_INVERT2: ok = invert_mass2(x, i, out) && ok; break;
        case PLAN_PIVOT:
            *out = invert_row(s, a, b, *row, drop);
            row += 2;
            break;
        default:
            invert_rows(s, x, i, row, drop, out);
            row += 2;
            break;
        }
    }
    s->is_definite = ok;
}

int sparse_factor(sparse *s, const double *M, const double *A, const unsigned char *active, double drop)
{
    double *const x = s->slots, *const a = s->slots + s->p->A_first;
    memcpy(x, M, s->M_given * sizeof *x);
    if (s->M_count > s->M_given) memset(x + s->M_given, 0, (s->M_count - s->M_given) * sizeof *x);
    s->rank = s->dropped_count = 0;
    s->largest = 0;
    s->ratio = 1;
    s->least = HUGE_VAL;
    s->weakest = PLAN_NONE;
    for (size_t r = 0; r < s->m; r++) {
        s->active[r] = !active || active[r];
        s->dropped[r] = s->active[r] && s->left[r];
        s->dropped_count += s->dropped[r];
    }
    if (active)
        for (size_t k = 0; k < s->A_count; k++) a[k] = active[s->A_row[k]] ? A[k] : 0;
    else if (s->A_count) memcpy(a, A, s->A_count * sizeof *a);
    for (size_t k = 0; k < s->boost_count; k++) {
        const sparse_boost *w = &s->boost[k];
        x[w->target] += w->weight * a[w->first] * a[w->second];
    }
    run_factor(s, drop > PLAN_DROP ? drop : PLAN_DROP);
    s->largest = sqrt(s->largest);
    return s->is_definite;
}

/* ---- right sides ---- */

static void run_solve(const sparse *s)
{
    double *const x = s->slots;
    const plan_op *const end = s->solve + s->solve_count;
    for (const plan_op *i = s->solve; i != end; i++) {
        const double product = x[i->a] * x[i->b];
        x[i->out] = i->code == PLAN_MULADD   ? x[i->c] + product
                    : i->code == PLAN_MULSUB ? x[i->c] - product
                    : i->code == PLAN_MUL    ? product
                                             : -product;
    }
}

void sparse_run(sparse *s, const double *Q, const double *b, int plain, double *a, double *lambda)
{
    const plan *p = s->p;
    double *const Qs = s->slots + p->Q_first, *const bs = s->slots + p->b_first;
    const double *const A = s->slots + p->A_first;
    if (Q) memcpy(Qs, Q, s->n * sizeof *Qs);
    else memset(Qs, 0, s->n * sizeof *Qs);
    for (size_t r = 0; r < s->m; r++) bs[r] = b && s->active[r] ? b[r] : 0;
    if (!plain && b && s->boost_count)
        for (size_t k = 0; k < s->A_count; k++) {
            const double w = s->mass_weight[s->A_row[k]];
            if (w > 0) Qs[s->A_column[k]] += w * A[k] * bs[s->A_row[k]];
        }
    run_solve(s);
    for (size_t i = 0; i < s->n; i++) a[i] = s->slots[p->qdd[i]];
    if (lambda)
        for (size_t r = 0; r < s->m; r++)
            lambda[r] = p->lambda[r] == PLAN_NONE || s->dropped[r] ? 0 : s->slots[p->lambda[r]];
}

void sparse_miss(const sparse *s, const double *b, const double *a, double *miss, double *size)
{
    const double *const A = s->slots + s->p->A_first;
    for (size_t r = 0; r < s->m; r++) {
        miss[r] = b && s->active[r] ? b[r] : 0;
        if (size) size[r] = fabs(miss[r]);
    }
    for (size_t k = 0; k < s->A_count; k++) {
        const double term = A[k] * a[s->A_column[k]];
        miss[s->A_row[k]] -= term;
        if (size) size[s->A_row[k]] += fabs(term);
    }
}

double sparse_row_size(const sparse *s, size_t row)
{
    const double *const A = s->slots + s->p->A_first;
    double sum = 0;
    for (size_t k = 0; k < s->A_count; k++)
        if (s->A_row[k] == row) sum += fabs(A[k]);
    return sum;
}

void sparse_force(const sparse *s, const double *lambda, double *force)
{
    const double *const A = s->slots + s->p->A_first;
    memset(force, 0, s->n * sizeof *force);
    for (size_t k = 0; k < s->A_count; k++) force[s->A_column[k]] += A[k] * lambda[s->A_row[k]];
}

/* s->Q = what is left of M a = Q + A' lambda, M and Q with the rows that joined them */
static void residual(sparse *s, const double *Q, const double *b, const double *a, const double *lambda)
{
    const double *const M = s->slots, *const A = s->slots + s->p->A_first;
    sparse_force(s, lambda, s->Q);
    for (size_t i = 0; Q && i < s->n; i++) s->Q[i] += Q[i];
    for (size_t k = 0; k < s->M_count; k++) {
        s->Q[s->M_row[k]] -= M[k] * a[s->M_column[k]];
        if (s->M_row[k] != s->M_column[k]) s->Q[s->M_column[k]] -= M[k] * a[s->M_row[k]];
    }
    for (size_t k = 0; s->boost_count && b && k < s->A_count; k++) {
        const uint32_t r = s->A_row[k];
        if (s->mass_weight[r] > 0 && s->active[r]) s->Q[s->A_column[k]] += s->mass_weight[r] * A[k] * b[r];
    }
}

static double size_of(const double *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

int sparse_solve(sparse *s, const double *Q, const double *b, double *a, double *lambda)
{
    sparse_run(s, Q, b, 0, a, lambda);
    if (s->ratio > CLEAR) return 1;
    if (s->ratio < VAGUE) return 0;
    double last = HUGE_VAL;
    for (int step = 0; step < MOST_STEPS; step++) {
        sparse_miss(s, b, a, s->b, NULL);
        residual(s, Q, b, a, lambda);
        sparse_run(s, s->Q, s->b, 1, s->da, s->dl);
        s->refinements++;
        const double change = size_of(s->da, s->n), whole = size_of(a, s->n);
        if (!(change < 0.25 * last)) return change <= 1e-9 * whole; /* stands: at rounding, or lost */
        for (size_t i = 0; i < s->n; i++) a[i] += s->da[i];
        for (size_t r = 0; r < s->m; r++) lambda[r] += s->dl[r];
        if (change <= SETTLED * whole) return 1;
        last = change;
    }
    return 0;
}

/* ---- the rank ---- */

/* Inverse iterations from the weakest pivot: S y = x, smallest^2 = x'y / y'y. Where few rows depend on others
   y is the one of least norm, so that they count too: the rows that were kept may be close to one another
   where all are not. */
double sparse_smallest(sparse *s)
{
    const int has_few = s->dropped_count > 0 && s->dropped_count <= FEW;
    double estimate = 0;
    if (s->weakest == PLAN_NONE) return 0;
    memset(s->b, 0, s->m * sizeof *s->b);
    s->b[s->weakest] = 1;
    for (int step = 0; step < (has_few ? 3 : 2); step++) {
        double both = 0, own = 0;
        sparse_run(s, NULL, s->b, 1, s->da, s->y);
        if (has_few && !sparse_least_norm(s, s->y)) return estimate;
        for (size_t r = 0; r < s->m; r++) {
            both += s->y[r] * s->b[r];
            own += s->y[r] * s->y[r];
        }
        if (!(own > 0 && both > 0)) return estimate;
        estimate = sqrt(both / own);
        for (size_t r = 0; r < s->m; r++) s->b[r] = s->y[r] / sqrt(own);
    }
    return estimate;
}
