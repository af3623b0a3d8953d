/* The matrix of an implicit method by pattern: see implicit.h. */
#include "dynamics/implicit.h"
#include "base/mem.h"
#include "base/try.h"
#include "fundamental/lu.h"

#include <string.h>

/* Blocks of values, in this order. */
enum { PART_M, PART_A, PART_MOTION, PART_ROW, PART_RATE, PARTS };

typedef struct term { /* matrix[entry] += sign * gamma^power * values[value] */
    int entry;
    uint32_t value;
    signed char sign;
    unsigned char power;
} term;

typedef struct place { /* before entries are numbered */
    uint32_t row, column;
    term what;
} place;

struct implicit {
    arena memory; /* of all arrays */
    size_t n, m, nz, size;
    size_t first[PARTS + 1];
    mech_pattern pattern[PARTS];
    mech_columns columns;
    term *terms;
    size_t term_count;
    int *start, *row; /* compressed columns */
    double *value;
    size_t entries;
    double *right; /* (size) */
    lu *factors;
};

size_t implicit_values(const implicit *k) { return k ? k->first[PARTS] : 0; }

void implicit_free(implicit *k)
{
    if (!k) return;
    lu_free(k->factors);
    arena_free(&k->memory);
    mem_free(k);
}

/* ---- the pattern: dv, dz, mu ---- */

typedef struct listing {
    place *items;
    size_t count, capacity;
    int failed;
} listing;

static void put(listing *l, size_t row, size_t column, uint32_t value, int sign, int power)
{
    if (l->failed || !mem_grow(&l->items, &l->capacity, l->count + 1, sizeof *l->items)) {
        l->failed = 1;
        return;
    }
    l->items[l->count++] =
        (place){(uint32_t)row, (uint32_t)column, {0, value, (signed char)sign, (unsigned char)power}};
}

/* Which of q, v, z a column of the derivatives belongs to: 0, 1, 2, and *at within it; -1: none. */
static int variable_of(const implicit *k, size_t column, size_t *at)
{
    const mech_columns *c = &k->columns;
    if (column >= c->q && column < c->q + k->n) return *at = column - c->q, 0;
    if (column >= c->v && column < c->v + k->n) return *at = column - c->v, 1;
    if (column >= c->z && column < c->z + k->nz) return *at = column - c->z, 2;
    return -1;
}

static void list_matrices(const implicit *k, listing *l)
{
    for (uint32_t i = 0; i < k->pattern[PART_M].count; i++) {
        const uint32_t r = k->pattern[PART_M].row[i], c = k->pattern[PART_M].column[i];
        put(l, r, c, (uint32_t)k->first[PART_M] + i, 1, 0);
        if (r != c) put(l, c, r, (uint32_t)k->first[PART_M] + i, 1, 0);
    }
    const size_t mu = k->n + k->nz;
    for (uint32_t i = 0; i < k->pattern[PART_A].count; i++) {
        const uint32_t r = k->pattern[PART_A].row[i], c = k->pattern[PART_A].column[i];
        put(l, mu + r, c, (uint32_t)k->first[PART_A] + i, 1, 0);
        put(l, c, mu + r, (uint32_t)k->first[PART_A] + i, -1, 0);
    }
}

static void list_derivatives(const implicit *k, listing *l)
{
    const size_t first_row[PARTS] = {[PART_MOTION] = 0, [PART_ROW] = k->n + k->nz, [PART_RATE] = k->n};
    for (int part = PART_MOTION; part < PARTS; part++) {
        const mech_pattern *p = &k->pattern[part];
        const int sign = part == PART_RATE ? -1 : 1;
        for (uint32_t i = 0; i < p->count; i++) {
            size_t at;
            const int which = variable_of(k, p->column[i], &at);
            if (which < 0) continue;
            put(l, first_row[part] + p->row[i], which == 2 ? k->n + at : at, (uint32_t)k->first[part] + i, sign,
                which == 0 ? 2 : 1);
        }
    }
}

/* Ones on the diagonal for states, and room for them where a row is not in force; value UINT32_MAX stands
 * for 1. */
static void list_ones(const implicit *k, listing *l)
{
    for (size_t i = 0; i < k->nz; i++) put(l, k->n + i, k->n + i, UINT32_MAX, 1, 0);
    for (size_t r = 0; r < k->m; r++) put(l, k->n + k->nz + r, k->n + k->nz + r, UINT32_MAX, 0, 0);
}

/* Entries by column, then row; terms of one place share it. */
static mech_status compress(implicit *k, listing *l)
{
    place *sorted = mem_alloc((l->count + 1) * sizeof *sorted);
    size_t *start = mem_zeroed(k->size + 2, sizeof *start);
    const int done = ARENA_MAKE(&k->memory, ARRAY_OF(k->terms, l->count), ARRAY_OF(k->start, k->size),
                                ARRAY_OF(k->row, l->count)) == MECH_OK &&
                     sorted && start;
    for (int pass = 0; done && pass < 2; pass++) { /* by row, then by column, each keeping the order before */
        const place *from = pass ? sorted : l->items;
        place *to = pass ? l->items : sorted;
        memset(start, 0, (k->size + 2) * sizeof *start);
        for (size_t i = 0; i < l->count; i++) start[(pass ? from[i].column : from[i].row) + 1]++;
        for (size_t i = 0; i < k->size; i++) start[i + 1] += start[i];
        for (size_t i = 0; i < l->count; i++) to[start[pass ? from[i].column : from[i].row]++] = from[i];
    }
    for (size_t i = 0; done && i < l->count; i++) {
        const place *p = &l->items[i];
        if (i == 0 || p->row != p[-1].row || p->column != p[-1].column) {
            k->row[k->entries++] = (int)p->row;
            k->start[p->column + 1] = (int)k->entries;
        }
        k->terms[i] = p->what;
        k->terms[i].entry = (int)k->entries - 1;
    }
    for (size_t c = 0; done && c < k->size; c++)
        if (k->start[c + 1] == 0) k->start[c + 1] = k->start[c];
    k->term_count = l->count;
    mem_free(sorted);
    mem_free(start);
    return done ? MECH_OK : MECH_ERR_MEMORY;
}

static mech_status make(const mech_system *system, implicit *k)
{
    static const mech_matrix which[PARTS] = {MECH_MATRIX_M, MECH_MATRIX_A, MECH_MATRIX_D_MOTION, MECH_MATRIX_D_ROW,
                                             MECH_MATRIX_D_RATE};
    const mech_sizes sizes = mech_system_sizes(system);
    listing l = {0};
    k->n = sizes.coords;
    k->m = sizes.rows;
    k->nz = sizes.states;
    k->size = k->n + k->m + k->nz;
    k->columns = mech_system_columns(system);
    for (int part = 0; part < PARTS; part++) {
        k->pattern[part] = mech_system_pattern(system, which[part]);
        k->first[part + 1] = k->first[part] + k->pattern[part].count;
    }
    list_matrices(k, &l);
    list_derivatives(k, &l);
    list_ones(k, &l);
    mech_status status = l.failed ? MECH_ERR_MEMORY : compress(k, &l);
    mem_free(l.items);
    MECH_TRY(status);
    MECH_TRY(ARENA_MAKE(&k->memory, ARRAY_OF(k->value, k->entries), ARRAY_OF(k->right, k->size)));
    return lu_create(k->size, k->start, k->row, &k->factors);
}

mech_status implicit_create(const mech_system *system, implicit **result)
{
    *result = NULL;
    implicit *k = mem_zeroed(1, sizeof *k);
    if (!k) return MECH_ERR_MEMORY;
    const mech_status status = make(system, k);
    if (status == MECH_OK) *result = k;
    else implicit_free(k);
    return status;
}

/* ---- numbers ---- */

mech_status implicit_take(const implicit *k, const dynamics *d, const unsigned char *is_out, double *values)
{
    mech_jacobian by;
    mech_status status = mech_eval_reaction(d->eval, d->lambda, d->total);
    status = mech_eval_acceleration(d->eval, d->qdd);
    status = mech_eval_jacobian(d->eval, &by);
    if (status != MECH_OK) return status;
    const double *const parts[PARTS] = {d->eq->M, d->eq->A, by.motion, by.row, by.rate};
    for (int part = 0; part < PARTS; part++) {
        const size_t count = k->first[part + 1] - k->first[part];
        if (count) memcpy(values + k->first[part], parts[part], count * sizeof *values);
    }
    for (int part = PART_A; part <= PART_ROW; part += PART_ROW - PART_A)
        for (size_t i = 0; i < k->pattern[part].count; i++)
            if (is_out[k->pattern[part].row[i]]) values[k->first[part] + i] = 0;
    return MECH_OK;
}

mech_status implicit_factor(implicit *k, double gamma, const double *values, const unsigned char *is_out)
{
    const double power[3] = {1, gamma, gamma * gamma};
    memset(k->value, 0, k->entries * sizeof *k->value);
    for (size_t i = 0; i < k->term_count; i++) {
        const term *w = &k->terms[i];
        k->value[w->entry] += w->sign * (w->value == UINT32_MAX ? 1 : power[w->power] * values[w->value]);
    }
    for (size_t c = k->n + k->nz; c < k->size; c++)
        for (int i = k->start[c]; i < k->start[c + 1]; i++)
            if ((size_t)k->row[i] == c && is_out[c - k->n - k->nz]) k->value[i] = 1;
    return lu_factor(k->factors, k->value);
}

/* right[first + row] += factor * part x, over the columns of one variable; part may be a matrix without
 * variables */
static void add_product(const implicit *k, const double *values, int part, int variable, double factor, const double *x,
                        double *right)
{
    const mech_pattern *p = &k->pattern[part];
    for (size_t i = 0; i < p->count; i++) {
        size_t at = p->column[i];
        if (variable >= 0 && variable_of(k, p->column[i], &at) != variable) continue;
        right[p->row[i]] += factor * values[k->first[part] + i] * x[at];
        if (part == PART_M && p->row[i] != p->column[i])
            right[p->column[i]] += factor * values[k->first[part] + i] * x[p->row[i]];
    }
}

mech_status implicit_solve(implicit *k, double gamma, const double *values, const unsigned char *is_out,
                           const double *r, double *x)
{
    double *const right = k->right, *const state = right + k->n, *const row = state + k->nz;
    const double *const rq = r, *const rv = r + k->n;
    memset(right, 0, k->size * sizeof *right);
    if (k->nz) memcpy(state, r + 2 * k->n, k->nz * sizeof *state);
    add_product(k, values, PART_M, -1, 1, rv, right);
    add_product(k, values, PART_MOTION, 0, -gamma, rq, right);
    add_product(k, values, PART_A, -1, 1, rv, row);
    add_product(k, values, PART_ROW, 0, -gamma, rq, row);
    add_product(k, values, PART_RATE, 0, gamma, rq, state);
    for (size_t i = 0; i < k->m; i++)
        if (is_out[i]) row[i] = 0;
    MECH_TRY(lu_solve(k->factors, right));
    for (size_t i = 0; i < k->n; i++) x[i] = rq[i] + gamma * right[i];
    memcpy(x + k->n, right, k->n * sizeof *x);
    if (k->nz) memcpy(x + 2 * k->n, state, k->nz * sizeof *x);
    return MECH_OK;
}
