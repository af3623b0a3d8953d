/* The operations of the null-space plan: q''_D = p - Y s, H s = N'g, lambda; see docs/decisions/0009. */
#include "fundamental/null_room.h"
#include "fundamental/plan_write.h"

#include "base/mem.h"

#include <string.h>

typedef struct writing {
    plan_writer to;
    const null_room *k;
    const null_split *split;
    size_t n, rows, free_count;
    uint32_t *free;          /* (free_count) independent columns                                  */
    uint32_t *A;             /* (rows x n) slots; within blocks of LU their factors               */
    uint32_t *M;             /* (n x n) slots                                                     */
    uint32_t *norm;          /* (rows) slots of the 1-norms                                       */
    uint32_t *inverse;       /* (rows) by place in the split: of a pivot, or the first of a pair  */
    uint32_t *Y, *W;         /* (n x free_count): A_D^-1 A_I, and M N                             */
    uint32_t *p, *g;         /* (n)                                                               */
    uint32_t *H, *f;         /* (free_count x free_count), (free_count)                           */
    uint32_t *s;             /* (free_count)                                                      */
    uint32_t *side, *result; /* (rows), (n) of one solve                                          */
    unsigned char *watched;  /* (m)                                                               */
} writing;

static uint32_t product(writing *w, uint32_t a, uint32_t b) { return plan_multiply(&w->to, 1, a, b, PLAN_NONE); }
static uint32_t plus(writing *w, uint32_t c, uint32_t a, uint32_t b) { return plan_multiply(&w->to, 1, a, b, c); }
static uint32_t minus(writing *w, uint32_t c, uint32_t a, uint32_t b) { return plan_multiply(&w->to, -1, a, b, c); }

static uint32_t negative(writing *w, uint32_t a)
{
    return a == PLAN_NONE ? a : plan_emit(&w->to, (plan_op){.code = PLAN_NEG, .a = a}, 1);
}

static size_t block_width(const writing *w, size_t b) { return w->split->start[b + 1] - w->split->start[b]; }

/* ---- factors ---- */

static uint32_t add_norm(writing *w, uint32_t a, int power, uint32_t c)
{
    return plan_emit(&w->to, (plan_op){.code = PLAN_NORM, .a = a, .c = c, .d = (uint32_t)(power + PLAN_BIAS)}, 1);
}

static void make_norms(writing *w)
{
    for (size_t i = 0; i < w->rows; i++) {
        w->norm[i] = PLAN_NONE;
        for (size_t j = 0; j < w->n; j++)
            if (w->A[i * w->n + j] != PLAN_NONE)
                w->norm[i] = add_norm(w, w->A[i * w->n + j], w->k->weight[j], w->norm[i]);
    }
}

enum { WHOLE_POWER = 3 }; /* PLAN_PART*2^-3 = 1.2e-4, the root of PLAN_DOUBT */

/* Of a row that is small beside what was combined in it nothing but rounding may be left. */
static void look_at_combined(writing *w)
{
    const plan_entries *wholes = &w->k->spec->wholes;
    for (size_t i = 0; i < w->rows; i++) {
        uint32_t whole = PLAN_NONE;
        for (uint32_t k = 0; k < wholes->count; k++)
            if (wholes->row[k] == w->k->row_of[i])
                whole = add_norm(w, w->to.p->whole_first + k, w->k->weight[wholes->column[k]], whole);
        if (whole != PLAN_NONE) plan_look_at_row(&w->to, w->norm[i], WHOLE_POWER, whole);
    }
}

/* Slots beside which a pivot in these columns is guarded. */
static uint32_t unweighted(writing *w, uint32_t norm, int power)
{
    return power ? add_norm(w, norm, -power, PLAN_NONE) : norm;
}

static void factor_one(writing *w, size_t place)
{
    const uint32_t row = w->split->row[place], column = w->split->column[place];
    const uint32_t whole = unweighted(w, w->norm[row], w->k->weight[column]);
    w->inverse[place] = plan_emit(&w->to, (plan_op){.code = PLAN_SOLVE, .a = w->A[row * w->n + column], .b = whole}, 1);
}

static void factor_pair(writing *w, size_t place)
{
    const uint32_t *row = w->split->row + place, *column = w->split->column + place;
    const int power = w->k->weight[column[0]] + w->k->weight[column[1]];
    const uint32_t whole = unweighted(w, product(w, w->norm[row[0]], w->norm[row[1]]), power);
    plan_op op = {.code = PLAN_SOLVE2, .e = whole};
    op.a = w->A[row[0] * w->n + column[0]];
    op.b = w->A[row[0] * w->n + column[1]];
    op.c = w->A[row[1] * w->n + column[0]];
    op.d = w->A[row[1] * w->n + column[1]];
    w->inverse[place] = plan_emit(&w->to, op, 4);
}

/* LU in the order of the split; L has ones. */
static void factor_many(writing *w, size_t first, size_t end)
{
    const uint32_t *row = w->split->row, *column = w->split->column;
    for (size_t k = first; k < end; k++) {
        factor_one(w, k);
        for (size_t i = k + 1; i < end; i++) {
            uint32_t *x = w->A + row[i] * w->n;
            const uint32_t *from = w->A + row[k] * w->n;
            if (x[column[k]] == PLAN_NONE) continue;
            x[column[k]] = product(w, x[column[k]], w->inverse[k]);
            for (size_t j = k + 1; j < end; j++) x[column[j]] = minus(w, x[column[j]], x[column[k]], from[column[j]]);
        }
    }
}

/* A pair with an entry that is 0 in structure is two blocks, so that all four are there. */
static void factor(writing *w)
{
    for (size_t b = 0; b < w->split->blocks; b++) {
        const size_t first = w->split->start[b];
        if (block_width(w, b) == 1) factor_one(w, first);
        else if (block_width(w, b) == 2) factor_pair(w, first);
        else factor_many(w, first, w->split->start[b + 1]);
    }
}

/* ---- A_D x = side ---- */

static void solve_pair(writing *w, size_t place)
{
    const uint32_t inv = w->inverse[place], *row = w->split->row + place, *column = w->split->column + place;
    const uint32_t x = w->side[row[0]], y = w->side[row[1]];
    w->result[column[0]] = plus(w, product(w, x, inv), y, inv + 1);
    w->result[column[1]] = plus(w, product(w, x, inv + 2), y, inv + 3);
}

static void solve_many(writing *w, size_t first, size_t end)
{
    const uint32_t *row = w->split->row, *column = w->split->column;
    for (size_t i = first; i < end; i++)
        for (size_t k = first; k < i; k++)
            w->side[row[i]] = minus(w, w->side[row[i]], w->A[row[i] * w->n + column[k]], w->side[row[k]]);
    for (size_t k = end; k-- > first;) {
        uint32_t x = w->side[row[k]];
        for (size_t j = k + 1; j < end; j++) x = minus(w, x, w->A[row[k] * w->n + column[j]], w->result[column[j]]);
        w->result[column[k]] = product(w, x, w->inverse[k]);
    }
}

static int is_in(const writing *w, size_t b, uint32_t column)
{
    for (size_t i = w->split->start[b]; i < w->split->start[b + 1]; i++)
        if (w->split->column[i] == column) return 1;
    return 0;
}

/* side is used up; result: of the dependent columns. */
static void solve(writing *w)
{
    for (size_t j = 0; j < w->n; j++) w->result[j] = PLAN_NONE;
    for (size_t b = 0; b < w->split->blocks; b++) {
        const size_t first = w->split->start[b], end = w->split->start[b + 1];
        for (size_t i = first; i < end; i++) {
            const uint32_t row = w->split->row[i];
            for (uint32_t j = 0; j < w->n; j++)
                if (w->split->is_dependent[j] && !is_in(w, b, j))
                    w->side[row] = minus(w, w->side[row], w->A[row * w->n + j], w->result[j]);
        }
        if (end - first == 1)
            w->result[w->split->column[first]] = product(w, w->side[w->split->row[first]], w->inverse[first]);
        else if (end - first == 2) solve_pair(w, first);
        else solve_many(w, first, end);
    }
}

/* ---- A_D' x = side, side by column, x by row ---- */

static void solve_many_across(writing *w, size_t first, size_t end, uint32_t *side, uint32_t *x)
{
    const uint32_t *row = w->split->row, *column = w->split->column;
    for (size_t k = first; k < end; k++) {
        uint32_t z = side[column[k]];
        for (size_t l = first; l < k; l++) z = minus(w, z, w->A[row[l] * w->n + column[k]], x[row[l]]);
        x[row[k]] = product(w, z, w->inverse[k]);
    }
    for (size_t k = end; k-- > first;)
        for (size_t i = k + 1; i < end; i++)
            x[row[k]] = minus(w, x[row[k]], w->A[row[i] * w->n + column[k]], x[row[i]]);
}

static void solve_across(writing *w, uint32_t *side, uint32_t *x)
{
    for (size_t b = w->split->blocks; b-- > 0;) {
        const size_t first = w->split->start[b], end = w->split->start[b + 1];
        const uint32_t *row = w->split->row + first, *column = w->split->column + first;
        for (size_t i = first; i < end; i++) /* rows of later blocks are known */
            for (size_t r = end; r < w->rows; r++) {
                const uint32_t c = w->split->column[i], other = w->split->row[r];
                side[c] = minus(w, side[c], w->A[other * w->n + c], x[other]);
            }
        const uint32_t inv = w->inverse[first];
        if (end - first == 1) {
            x[row[0]] = product(w, side[column[0]], inv);
        } else if (end - first == 2) {
            x[row[0]] = plus(w, product(w, side[column[0]], inv), side[column[1]], inv + 2);
            x[row[1]] = plus(w, product(w, side[column[0]], inv + 1), side[column[1]], inv + 3);
        } else {
            solve_many_across(w, first, end, side, x);
        }
    }
}

/* ---- the equation of the independent coordinates ---- */

static void make_columns(writing *w)
{
    for (size_t d = 0; d < w->free_count; d++) {
        for (size_t i = 0; i < w->rows; i++) w->side[i] = w->A[i * w->n + w->free[d]];
        solve(w);
        for (size_t j = 0; j < w->n; j++) w->Y[j * w->free_count + d] = w->result[j];
    }
    for (size_t i = 0; i < w->rows; i++) w->side[i] = w->to.p->b_first + w->k->row_of[i];
    solve(w);
    memcpy(w->p, w->result, w->n * sizeof *w->p);
}

/* Errors of s and b come back through A_D^-1, which no block shows alone: A_D is as good as A up to the size
   of Y, and so are H and q''_D = p - Y s. */
static void bound_columns(writing *w)
{
    uint32_t sum = PLAN_NONE;
    for (size_t j = 0; j < w->n; j++)
        for (size_t d = 0; d < w->free_count; d++)
            if (w->Y[j * w->free_count + d] != PLAN_NONE)
                sum = add_norm(w, w->Y[j * w->free_count + d], w->k->weight[w->free[d]] - w->k->weight[j], sum);
    if (sum != PLAN_NONE) (void)plan_emit(&w->to, (plan_op){.code = PLAN_BOUND, .a = sum}, 0);
}

/* W = M N, g = Q - M p, H = N'W, f = N'g */
static void make_reduced(writing *w)
{
    const size_t n = w->n, count = w->free_count;
    for (size_t i = 0; i < n; i++) {
        w->g[i] = w->to.p->Q_first + (uint32_t)i;
        for (size_t d = 0; d < count; d++) w->W[i * count + d] = w->M[i * n + w->free[d]];
        for (size_t j = 0; j < n; j++) {
            w->g[i] = minus(w, w->g[i], w->M[i * n + j], w->p[j]);
            for (size_t d = 0; d < count; d++)
                w->W[i * count + d] = minus(w, w->W[i * count + d], w->M[i * n + j], w->Y[j * count + d]);
        }
    }
    for (size_t c = 0; c < count; c++) {
        w->f[c] = w->g[w->free[c]];
        for (size_t d = 0; d <= c; d++) w->H[c * count + d] = w->W[w->free[c] * count + d];
        for (size_t i = 0; i < n; i++) {
            const uint32_t y = w->Y[i * count + c];
            w->f[c] = minus(w, w->f[c], y, w->g[i]);
            for (size_t d = 0; d <= c; d++) w->H[c * count + d] = minus(w, w->H[c * count + d], y, w->W[i * count + d]);
        }
    }
}

/* L D L' of H, lower triangle; 0 when a coordinate moves no mass. H has the square of Y: what M would bear
   may cost it digits, so a pivot that is not clear beside its diagonal is weak. */
static int solve_reduced(writing *w)
{
    const size_t count = w->free_count;
    uint32_t *H = w->H, *diagonal = w->side, *inverse = w->s; /* inverse k is used before s k is made */
    for (size_t k = 0; k < count; k++) diagonal[k] = H[k * count + k];
    for (size_t k = 0; k < count; k++) {
        const uint32_t pivot = H[k * count + k];
        if (pivot == PLAN_NONE) return 0;
        inverse[k] = plan_emit(&w->to, (plan_op){.code = PLAN_INVERT, .a = pivot, .b = diagonal[k]}, 1);
        if (pivot != diagonal[k])
            (void)plan_emit(&w->to, (plan_op){.code = PLAN_CLEAR, .a = pivot, .b = diagonal[k]}, 0);
        for (size_t i = k + 1; i < count; i++) {
            const uint32_t factor = product(w, H[i * count + k], inverse[k]);
            if (factor == PLAN_NONE) continue;
            for (size_t j = k + 1; j <= i; j++) H[i * count + j] = minus(w, H[i * count + j], factor, H[j * count + k]);
            w->f[i] = minus(w, w->f[i], factor, w->f[k]);
            H[k * count + i] = factor; /* the upper triangle keeps it */
        }
    }
    for (size_t k = count; k-- > 0;) {
        uint32_t x = product(w, w->f[k], inverse[k]);
        for (size_t i = k + 1; i < count; i++) x = minus(w, x, H[k * count + i], w->s[i]);
        w->s[k] = x;
    }
    return 1;
}

static void make_results(writing *w)
{
    plan *p = w->to.p;
    const size_t count = w->free_count;
    for (size_t j = 0; j < w->n; j++) {
        uint32_t x = w->p[j], force = w->g[j]; /* Q - M q'' */
        for (size_t d = 0; d < count; d++) {
            x = minus(w, x, w->Y[j * count + d], w->s[d]);
            force = minus(w, force, w->W[j * count + d], w->s[d]);
        }
        p->qdd[j] = x;
        p->reaction[j] = negative(w, force);
    }
    for (size_t d = 0; d < count; d++) p->qdd[w->free[d]] = w->s[d];
    plan_monitor(&w->to, w->k->spec, w->watched, p->qdd);
    memcpy(w->result, p->reaction, w->n * sizeof *w->result);
    for (size_t i = 0; i < w->rows; i++) w->side[i] = PLAN_NONE;
    solve_across(w, w->result, w->side);
    for (size_t i = 0; i < p->m; i++) p->lambda[i] = PLAN_NONE;
    for (size_t i = 0; i < w->rows; i++) p->lambda[w->k->row_of[i]] = w->side[i];
    p->blocks = w->split->blocks + count;
}

/* ---- all of it ---- */

static void load(writing *w)
{
    const plan_spec *s = w->k->spec;
    const size_t n = w->n;
    plan_number_inputs(w->to.p, s);
    for (size_t i = 0; i < w->rows * n; i++)
        w->A[i] = w->k->entry[i] == PLAN_NONE ? PLAN_NONE : w->to.p->A_first + w->k->entry[i];
    for (size_t i = 0; i < n * n; i++) w->M[i] = PLAN_NONE;
    for (uint32_t i = 0; i < s->M.count; i++)
        w->M[s->M.row[i] * n + s->M.column[i]] = w->M[s->M.column[i] * n + s->M.row[i]] = i;
    for (size_t i = 0; i < w->free_count * w->free_count; i++) w->H[i] = PLAN_NONE;
    w->free_count = 0;
    for (uint32_t j = 0; j < n; j++)
        if (!w->split->is_dependent[j]) w->free[w->free_count++] = j;
    memset(w->watched, 1, s->m);
    for (size_t i = 0; i < w->rows; i++) w->watched[w->k->row_of[i]] = 0;
    w->to.p->watched = s->m - w->rows;
}

static int allocate(writing *w, uint32_t **memory)
{
    const size_t n = w->n, rows = w->rows, count = w->free_count, most = rows > count ? rows : count;
    struct {
        uint32_t **to;
        size_t size;
    } parts[] = {{&w->free, count},      {&w->A, rows * n},  {&w->M, n * n},   {&w->norm, rows}, {&w->inverse, rows},
                 {&w->Y, n * count},     {&w->W, n * count}, {&w->p, n},       {&w->g, n},       {&w->f, count},
                 {&w->H, count * count}, {&w->s, count},     {&w->side, most}, {&w->result, n}};
    size_t total = 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) total += parts[i].size;
    uint32_t *at = *memory = mem_zeroed(total, sizeof *at);
    w->watched = mem_zeroed(w->k->spec->m + 1, 1);
    for (size_t i = 0; at && i < sizeof parts / sizeof *parts; at += parts[i++].size) *parts[i].to = at;
    plan *p = w->to.p;
    p->n = n;
    p->m = w->k->spec->m;
    p->qdd = mem_zeroed(n + 1, sizeof *p->qdd);
    p->lambda = mem_zeroed(p->m + 1, sizeof *p->lambda);
    p->reaction = mem_zeroed(n + 1, sizeof *p->reaction);
    return *memory && w->watched && p->qdd && p->lambda && p->reaction;
}

mech_status null_write(const null_room *k, const null_split *split, plan **result)
{
    *result = NULL;
    plan *p = mem_zeroed(1, sizeof *p);
    if (!p) return MECH_ERR_MEMORY;
    writing w = {.to = {.p = p, .most = k->spec->most_ops},
                 .k = k,
                 .split = split,
                 .n = k->n,
                 .rows = k->rows,
                 .free_count = k->n - k->rows};
    uint32_t *memory = NULL;
    mech_status status = allocate(&w, &memory) ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        load(&w);
        make_norms(&w);
        look_at_combined(&w);
        factor(&w);
        make_columns(&w);
        bound_columns(&w);
        make_reduced(&w);
        const int has_mass = solve_reduced(&w);
        if (has_mass) make_results(&w);
        status = has_mass ? w.to.status : MECH_ERR_UNSUPPORTED;
    }
    mem_free(memory);
    mem_free(w.watched);
    if (status == MECH_OK) *result = p;
    else plan_free(p);
    return status;
}
