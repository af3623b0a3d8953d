/* M = P' L L' P, X = L^-1 P A' = H R, column by column, and then
       y = H R^-T (b - A a0),   a = a0 + P' L^-T y,   lambda = R^-1 H' y,   M a0 = Q.
   H is kept as Householder's reflections, each over the rows that are not 0 in its column. After a reflection the rows
   that it leaves have the same pattern, so the next one that meets one of them meets all: reflections form a tree, and
   those that a column meets are the ways from its rows to the root. Columns of L form such a tree too. */
#include "fundamental/sparse_qr.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    uint32_t at;
    double value;
} entry;

typedef struct columns { /* column k: list[start[k] .. start[k + 1]) */
    size_t *start;
    entry *list;
    size_t count, used, capacity;
} columns;

typedef struct work {
    const sparse *s;
    uint32_t *order, *place; /* (n) of M: which coordinate comes when, and when each comes         */
    columns M, A;            /* lower triangle in this order; rows of A as columns                 */
    columns L;               /* the diagonal first                                                 */
    columns V, R;            /* reflections, the pivot first; columns of R, the diagonal last      */
    double *tau;             /* (m) of reflections: I - tau v v'                                   */
    uint32_t *column;        /* (m) the row of A that made a reflection                            */
    uint32_t *first;         /* (n) reflection that meets a row first                              */
    uint32_t *parent;        /* (n + m) in the tree of columns of L, then in that of reflections   */
    unsigned char *is_done;  /* (n) rows that were a pivot                                         */
    double *x;               /* (n) 0 between uses                                                 */
    uint32_t *rows, *met;    /* (n) (n + m) what is not 0 in x; nodes of a tree                    */
    uint32_t *mark, *seen;   /* (n) (n + m) as stamp says                                          */
    size_t row_count, met_count;
    uint32_t stamp;
    double *miss, *y, *z; /* (m) (n) (m) */
} work;

/* ---- columns and trees ---- */

static mech_status add(columns *c, uint32_t at, double value)
{
    if (!mem_grow(&c->list, &c->capacity, c->used + 1, sizeof *c->list)) return MECH_ERR_MEMORY;
    c->list[c->used++] = (entry){at, value};
    return MECH_OK;
}

static void end_column(columns *c) { c->start[++c->count] = c->used; }

/* Entries sorted by column; those of a column in the order given. */
static mech_status sort_columns(columns *c, size_t count, size_t entries, const uint32_t *column, const uint32_t *row,
                                const double *value)
{
    c->list = mem_alloc((entries + 1) * sizeof *c->list);
    if (!c->list) return MECH_ERR_MEMORY;
    c->count = count;
    for (size_t k = 0; k < entries; k++) c->start[column[k] + 1]++;
    for (size_t i = 0; i < count; i++) c->start[i + 1] += c->start[i];
    for (size_t k = entries; k-- > 0;) c->list[--c->start[column[k] + 1]] = (entry){row[k], value[k]};
    for (size_t i = 0; i < count; i++) c->start[i] = c->start[i + 1];
    c->start[count] = entries;
    return MECH_OK;
}

static void begin(work *w)
{
    w->stamp++;
    w->row_count = w->met_count = 0;
}

static void touch(work *w, uint32_t row)
{
    if (w->mark[row] == w->stamp) return;
    w->mark[row] = w->stamp;
    w->rows[w->row_count++] = row;
}

/* The way from a node to the root, as far as it is new. */
static void climb(work *w, uint32_t node)
{
    for (; node != PLAN_NONE && w->seen[node] != w->stamp; node = w->parent[node]) {
        w->seen[node] = w->stamp;
        w->met[w->met_count++] = node;
    }
}

static int ascending(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

static void sort(uint32_t *list, size_t count)
{
    if (count > 1) qsort(list, count, sizeof *list, ascending);
}

/* ---- M = P' L L' P ---- */

static mech_status order_mass(work *w)
{
    const sparse *s = w->s;
    size_t *start = mem_zeroed(s->n + 2, sizeof *start);
    uint32_t *list = mem_alloc((2 * s->M_count + 1) * sizeof *list);
    unsigned char *pair = mem_zeroed(s->n + 1, 1);
    mech_status status = start && list && pair ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        for (size_t k = 0; k < s->M_count; k++) {
            if (s->M_row[k] == s->M_column[k]) continue;
            start[s->M_row[k] + 2]++;
            start[s->M_column[k] + 2]++;
        }
        for (size_t i = 2; i <= s->n + 1; i++) start[i] += start[i - 1];
        for (size_t k = 0; k < s->M_count; k++) {
            if (s->M_row[k] == s->M_column[k]) continue;
            list[start[s->M_row[k] + 1]++] = s->M_column[k];
            list[start[s->M_column[k] + 1]++] = s->M_row[k];
        }
        status = plan_order(&(plan_graph){s->n, start, list}, w->order, pair);
    }
    for (uint32_t i = 0; status == MECH_OK && i < s->n; i++) w->place[w->order[i]] = i;
    mem_free(start);
    mem_free(list);
    mem_free(pair);
    return status;
}

/* M's lower triangle in its order */
static mech_status take_mass(work *w)
{
    const sparse *s = w->s;
    uint32_t *row = mem_alloc((s->M_count + 1) * sizeof *row), *column = mem_alloc((s->M_count + 1) * sizeof *column);
    mech_status status = row && column ? MECH_OK : MECH_ERR_MEMORY;
    for (size_t k = 0; status == MECH_OK && k < s->M_count; k++) {
        const uint32_t i = w->place[s->M_row[k]], j = w->place[s->M_column[k]];
        row[k] = i > j ? i : j;
        column[k] = i > j ? j : i;
    }
    if (status == MECH_OK) status = sort_columns(&w->M, s->n, s->M_count, column, row, s->slots);
    mem_free(row);
    mem_free(column);
    return status;
}

/* Column j, less what columns before it take away; those are listed at the first row that each has still to come to:
   head (n) by rows, next (n), at (n). */
static mech_status factor_column(work *w, uint32_t j, uint32_t *head, uint32_t *next, size_t *at)
{
    columns *L = &w->L;
    begin(w);
    touch(w, j);
    for (size_t e = w->M.start[j]; e < w->M.start[j + 1]; e++) {
        touch(w, w->M.list[e].at);
        w->x[w->M.list[e].at] += w->M.list[e].value;
    }
    const double whole = w->x[j];
    for (uint32_t k = head[j], after; k != PLAN_NONE; k = after) {
        const double factor = L->list[at[k]].value;
        after = next[k];
        for (size_t e = at[k]; e < L->start[k + 1]; e++) {
            touch(w, L->list[e].at);
            w->x[L->list[e].at] -= factor * L->list[e].value;
        }
        if (++at[k] == L->start[k + 1]) continue;
        const uint32_t row = L->list[at[k]].at;
        next[k] = head[row];
        head[row] = k;
    }
    sort(w->rows, w->row_count);
    const int is_definite = w->x[j] > PLAN_MASS * whole && whole > 0;
    const double root = is_definite ? sqrt(w->x[j]) : 1;
    at[j] = L->used + 1;
    mech_status status = is_definite ? MECH_OK : MECH_ERR_SINGULAR_MASS;
    for (size_t i = 0; i < w->row_count; i++) {
        if (status == MECH_OK) status = add(L, w->rows[i], i ? w->x[w->rows[i]] / root : root);
        w->x[w->rows[i]] = 0;
    }
    end_column(L);
    if (status != MECH_OK || w->row_count < 2) return status;
    const uint32_t row = w->rows[1];
    w->parent[j] = row;
    next[j] = head[row];
    head[row] = j;
    return MECH_OK;
}

static mech_status factor_mass(work *w)
{
    const size_t n = w->s->n;
    MECH_TRY(order_mass(w));
    MECH_TRY(take_mass(w));
    uint32_t *head = mem_alloc((n + 1) * sizeof *head), *next = mem_alloc((n + 1) * sizeof *next);
    size_t *at = mem_alloc((n + 1) * sizeof *at);
    mech_status status = head && next && at ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) memset(head, 0xff, n * sizeof *head);
    for (uint32_t j = 0; status == MECH_OK && j < n; j++) status = factor_column(w, j, head, next, at);
    mem_free(head);
    mem_free(next);
    mem_free(at);
    return status;
}

/* x = L'^-1 x */
static void solve_above(const columns *L, double *x)
{
    for (size_t j = L->count; j-- > 0;) {
        const entry *e = L->list + L->start[j], *end = L->list + L->start[j + 1];
        double sum = x[j];
        for (const entry *i = e + 1; i < end; i++) sum -= i->value * x[i->at];
        x[j] = sum / e->value;
    }
}

static void solve_below(const columns *L, double *x)
{
    for (size_t j = 0; j < L->count; j++) {
        const entry *e = L->list + L->start[j], *end = L->list + L->start[j + 1];
        x[j] /= e->value;
        for (const entry *i = e + 1; i < end && x[j] != 0; i++) x[i->at] -= i->value * x[j];
    }
}

/* ---- X = H R ---- */

/* x = L^-1 P of a row of A, what is not 0 in it in rows */
static void take_row(work *w, uint32_t r)
{
    const columns *L = &w->L;
    begin(w);
    for (size_t e = w->A.start[r]; e < w->A.start[r + 1]; e++) {
        if (w->A.list[e].value == 0) continue;
        const uint32_t i = w->place[w->A.list[e].at];
        w->x[i] += w->A.list[e].value;
        climb(w, i);
    }
    sort(w->met, w->met_count);
    for (size_t k = 0; k < w->met_count; k++) {
        const uint32_t j = w->met[k];
        touch(w, j);
        w->x[j] /= L->list[L->start[j]].value;
        for (size_t e = L->start[j] + 1; e < L->start[j + 1]; e++) w->x[L->list[e].at] -= L->list[e].value * w->x[j];
    }
}

/* x = (I - tau v v') x */
static void reflect(const work *w, size_t k, double *x)
{
    const entry *v = w->V.list + w->V.start[k], *end = w->V.list + w->V.start[k + 1];
    double sum = 0;
    for (const entry *i = v; i < end; i++) sum += i->value * x[i->at];
    sum *= w->tau[k];
    for (const entry *i = v; i < end; i++) x[i->at] -= sum * i->value;
}

/* The reflections before this column meet it; their pivots give the column of R. */
static mech_status reflect_column(work *w)
{
    const uint32_t trees = (uint32_t)w->s->n;
    const size_t count = w->row_count;
    w->met_count = 0;
    for (size_t i = 0; i < count; i++)
        if (w->first[w->rows[i]] != PLAN_NONE) climb(w, trees + w->first[w->rows[i]]);
    sort(w->met, w->met_count);
    for (size_t i = 0; i < w->met_count; i++) {
        const uint32_t k = w->met[i] - trees, pivot = w->V.list[w->V.start[k]].at;
        for (size_t e = w->V.start[k]; e < w->V.start[k + 1]; e++) touch(w, w->V.list[e].at);
        reflect(w, k, w->x);
        MECH_TRY(add(&w->R, k, w->x[pivot]));
    }
    return MECH_OK;
}

/* What is left of the column becomes the next reflection. */
static mech_status make_reflection(work *w, uint32_t column, uint32_t pivot, double left)
{
    const uint32_t k = (uint32_t)w->V.count, node = (uint32_t)w->s->n + k;
    const double own = w->x[pivot], diagonal = own > 0 ? -left : left;
    MECH_TRY(add(&w->V, pivot, own - diagonal));
    for (size_t i = 0; i < w->row_count; i++) {
        const uint32_t row = w->rows[i];
        if (w->is_done[row]) continue;
        if (row != pivot) MECH_TRY(add(&w->V, row, w->x[row]));
        if (w->first[row] == PLAN_NONE) w->first[row] = k;
    }
    for (size_t i = 0; i < w->met_count; i++) {
        const uint32_t met = w->met[i], size = (uint32_t)(w->V.start[met - w->s->n + 1] - w->V.start[met - w->s->n]);
        if (w->parent[met] == PLAN_NONE && size > 1) w->parent[met] = node; /* a pivot alone leaves no rows */
    }
    end_column(&w->V);
    w->is_done[pivot] = 1;
    w->tau[k] = 1 / (left * (left + fabs(own)));
    w->column[k] = column;
    MECH_TRY(add(&w->R, k, diagonal));
    end_column(&w->R);
    return MECH_OK;
}

static mech_status factor_column_of_rows(work *w, uint32_t column, double tolerance)
{
    const size_t used = w->R.used;
    take_row(w, column);
    mech_status status = reflect_column(w);
    uint32_t pivot = PLAN_NONE;
    double left = 0;
    for (size_t i = 0; i < w->row_count; i++) {
        const uint32_t row = w->rows[i];
        if (w->is_done[row]) continue;
        left += w->x[row] * w->x[row];
        if (pivot == PLAN_NONE || fabs(w->x[row]) > fabs(w->x[pivot])) pivot = row;
    }
    left = sqrt(left);
    if (status == MECH_OK && pivot != PLAN_NONE && left > tolerance) status = make_reflection(w, column, pivot, left);
    else w->R.used = used; /* it depends on those before it */
    for (size_t i = 0; i < w->row_count; i++) w->x[w->rows[i]] = 0;
    return status;
}

/* In the order of the elimination, which fills little; then those that it left. */
static mech_status factor_rows(work *w, double tolerance)
{
    const sparse *s = w->s;
    unsigned char *is_taken = mem_zeroed(s->m + 1, 1);
    mech_status status = is_taken ? MECH_OK : MECH_ERR_MEMORY;
    for (size_t i = 0; status == MECH_OK && i < 3 * s->m; i++) {
        const uint32_t r = i < 2 * s->m ? s->pivot_row[i] : (uint32_t)(i - 2 * s->m);
        if (is_taken[r] || (i < 2 * s->m && s->left[r])) continue;
        is_taken[r] = 1;
        status = factor_column_of_rows(w, r, tolerance);
    }
    mem_free(is_taken);
    return status;
}

/* y (n) = H R^-T e;  lambda (m) += R^-1 H' y */
static void with_rows(work *w, const double *e, double *y, double *lambda)
{
    const columns *R = &w->R;
    double *z = w->z;
    memset(y, 0, w->s->n * sizeof *y);
    for (size_t k = 0; k < R->count; k++) {
        const size_t last = R->start[k + 1] - 1;
        double sum = e[w->column[k]];
        for (size_t i = R->start[k]; i < last; i++) sum -= R->list[i].value * z[R->list[i].at];
        z[k] = sum / R->list[last].value;
        y[w->V.list[w->V.start[k]].at] = z[k];
    }
    for (size_t k = R->count; k-- > 0;) {
        const size_t last = R->start[k + 1] - 1;
        reflect(w, k, y);
        z[k] /= R->list[last].value;
        for (size_t i = R->start[k]; i < last; i++) z[R->list[i].at] -= R->list[i].value * z[k];
        lambda[w->column[k]] += z[k];
    }
}

/* ---- the solve ---- */

static void solve(work *w, const double *Q, const double *b, double *a, double *lambda)
{
    const sparse *s = w->s;
    const double *A = s->slots + s->p->A_first;
    memset(lambda, 0, s->m * sizeof *lambda);
    for (size_t i = 0; i < s->n; i++) w->y[w->place[i]] = Q ? Q[i] : 0;
    for (size_t k = 0; s->boost_count && b && k < s->A_count; k++)
        if (s->active[s->A_row[k]])
            w->y[w->place[s->A_column[k]]] += s->mass_weight[s->A_row[k]] * A[k] * b[s->A_row[k]];
    solve_below(&w->L, w->y);
    solve_above(&w->L, w->y);
    for (size_t i = 0; i < s->n; i++) a[i] = w->y[w->place[i]];
    for (int step = 0; step < 3 && s->m; step++) { /* the first, and refinement */
        sparse_miss(s, b, a, w->miss, NULL);
        with_rows(w, w->miss, w->y, lambda);
        solve_above(&w->L, w->y);
        for (size_t i = 0; i < s->n; i++) a[i] += w->y[w->place[i]];
    }
}

static mech_status prepare(work *w)
{
    const sparse *s = w->s;
    const size_t n = s->n, m = s->m;
    columns *const by_n[] = {&w->M, &w->L}, *const by_m[] = {&w->A, &w->V, &w->R};
    uint32_t **const words[] = {&w->order, &w->place, &w->first, &w->rows, &w->mark, &w->column};
    uint32_t **const trees[] = {&w->parent, &w->met, &w->seen};
    for (size_t i = 0; i < sizeof by_n / sizeof *by_n; i++)
        if (!(by_n[i]->start = mem_zeroed(n + 1, sizeof(size_t)))) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < sizeof by_m / sizeof *by_m; i++)
        if (!(by_m[i]->start = mem_zeroed(m + 1, sizeof(size_t)))) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!(*words[i] = mem_zeroed((n > m ? n : m) + 1, sizeof(uint32_t)))) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        if (!(*trees[i] = mem_zeroed(n + m + 1, sizeof(uint32_t)))) return MECH_ERR_MEMORY;
    double **const numbers[] = {&w->tau, &w->x, &w->y, &w->z, &w->miss};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(*numbers[i] = mem_zeroed((n > m ? n : m) + 1, sizeof(double)))) return MECH_ERR_MEMORY;
    w->is_done = mem_zeroed(n + 1, 1);
    if (!w->is_done) return MECH_ERR_MEMORY;
    memset(w->first, 0xff, n * sizeof *w->first); /* PLAN_NONE */
    memset(w->parent, 0xff, (n + m) * sizeof *w->parent);
    return sort_columns(&w->A, m, s->A_count, s->A_row, s->A_column, s->slots + s->p->A_first);
}

static void finish(work *w)
{
    void *const blocks[] = {w->order,   w->place,   w->first,   w->rows,    w->mark,    w->column,  w->parent,
                            w->met,     w->seen,    w->tau,     w->x,       w->y,       w->z,       w->miss,
                            w->is_done, w->M.start, w->L.start, w->A.start, w->V.start, w->R.start, w->M.list,
                            w->L.list,  w->A.list,  w->V.list,  w->R.list};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(blocks[i]);
}

mech_status sparse_qr_solve(const sparse *s, double rank_tol, const double *Q, const double *b, double *a,
                            double *lambda, size_t *rank)
{
    work w = {.s = s};
    mech_status status = prepare(&w);
    if (status == MECH_OK) status = factor_mass(&w);
    if (status == MECH_OK) status = factor_rows(&w, rank_tol * s->largest);
    if (status == MECH_OK) solve(&w, Q, b, a, lambda);
    *rank = w.V.count;
    finish(&w);
    return status;
}
