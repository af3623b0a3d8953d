/* Which coordinates are dependent: pivots at all points of the sample at once, then exchanges. */
#include "fundamental/null_room.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

enum { MOST_COORDS = 40, MOST_EXCHANGES = 400, MOST_WIDE = 8, ROUNDS = 3, COARSE = 8 };
static const double LEAST = 1e-3; /* margin of a choice that serves                             */
static const double GOOD = 1e-2;  /* margin above which only the cost counts                    */

/* ---- the sample ---- */

static void *give(size_t count, size_t size, int *done)
{
    void *memory = mem_zeroed(count + 1, size);
    *done = *done && memory;
    return memory;
}

static int allocate(null_room *k)
{
    int done = 1;
    const size_t all = k->rows * k->n;
    k->entry = give(all, sizeof *k->entry, &done);
    k->same = give(all, 1, &done);
    k->changed = give(all, 1, &done);
    k->weight = give(k->n, sizeof *k->weight, &done);
    k->value = give(k->samples->count * all, sizeof *k->value, &done);
    k->scratch = give(k->samples->count * all, sizeof *k->scratch, &done);
    k->row_on = give(k->rows, 1, &done);
    k->column_on = give(k->n, 1, &done);
    k->match = give(k->n, sizeof *k->match, &done);
    k->number = give(k->rows, sizeof *k->number, &done);
    k->there = give(all, 1, &done);
    k->across = give(k->rows, sizeof *k->across, &done);
    k->down = give(k->n, sizeof *k->down, &done);
    k->most = give(k->samples->count * k->rows, sizeof *k->most, &done);
    return done;
}

static void free_room(null_room *k)
{
    mem_free(k->row_of);
    mem_free(k->entry);
    mem_free(k->same);
    mem_free(k->changed);
    mem_free(k->weight);
    mem_free(k->value);
    mem_free(k->scratch);
    mem_free(k->row_on);
    mem_free(k->column_on);
    mem_free(k->match);
    mem_free(k->number);
    mem_free(k->there);
    mem_free(k->across);
    mem_free(k->down);
    mem_free(k->most);
}

/* Rows that take part: not monitored, with entries. */
static mech_status list_rows(null_room *k)
{
    const plan_spec *s = k->spec;
    k->row_of = mem_zeroed(s->m + 1, sizeof *k->row_of);
    unsigned char *has = mem_zeroed(s->m + 1, 1);
    if (k->row_of && has) {
        for (size_t i = 0; i < s->A.count; i++) has[s->A.row[i]] = 1;
        for (uint32_t r = 0; r < s->m; r++)
            if (has[r] && !(s->monitored && s->monitored[r])) k->row_of[k->rows++] = r;
    }
    mem_free(has);
    return k->row_of && has ? MECH_OK : MECH_ERR_MEMORY;
}

/* Columns whose entries are of very different size (metres, radians of a small mechanism) are weighted, in
   coarse powers of two: models of one scale stay as they are. */
static void weigh_columns(null_room *k)
{
    const size_t n = k->n, all = k->rows * n;
    for (size_t j = 0; j < n; j++) {
        double most = 0;
        for (size_t s = 0; s < k->samples->count; s++)
            for (size_t i = 0; i < k->rows; i++) most = fmax(most, fabs(k->value[s * all + i * n + j]));
        const int power = most > 0 && isfinite(most) ? -ilogb(most) : 0;
        k->weight[j] = (power + (power > 0 ? COARSE / 2 : -COARSE / 2)) / COARSE * COARSE;
    }
    int same = 1; /* a scale that all columns share is none */
    for (size_t j = 1; j < n; j++) same = same && k->weight[j] == k->weight[0];
    for (size_t j = 0; j < n && same; j++) k->weight[j] = 0;
}

static int load(null_room *k)
{
    const plan_spec *s = k->spec;
    const size_t n = k->n, all = k->rows * n;
    for (size_t i = 0; i < all; i++) k->entry[i] = PLAN_NONE;
    for (size_t r = 0; r < k->rows; r++)
        for (uint32_t e = 0; e < s->A.count; e++) {
            if (s->A.row[e] != k->row_of[r]) continue;
            const size_t at = r * n + s->A.column[e];
            k->entry[at] = e;
            k->same[at] = 1;
            for (size_t p = 0; p < k->samples->count; p++) {
                k->value[p * all + at] = k->samples->A[p * s->A.count + e];
                k->same[at] &= k->value[p * all + at] == k->value[at];
            }
        }
    weigh_columns(k);
    for (size_t row = 0; row < k->samples->count * k->rows; row++) {
        double *x = k->value + row * n, norm = 0;
        for (size_t j = 0; j < n; j++) norm += fabs(x[j] = ldexp(x[j], k->weight[j]));
        if (!(norm > 0) || !isfinite(norm)) return 0;
        for (size_t j = 0; j < n; j++) x[j] /= norm;
    }
    return 1;
}

/* ---- splits ---- */

static int split_create(const null_room *k, null_split *s)
{
    int done = 1;
    *s = (null_split){0};
    s->is_dependent = give(k->n, 1, &done);
    s->row = give(k->rows, sizeof *s->row, &done);
    s->column = give(k->rows, sizeof *s->column, &done);
    s->start = give(k->rows + 1, sizeof *s->start, &done);
    return done;
}

static void split_free(null_split *s)
{
    mem_free(s->is_dependent);
    mem_free(s->row);
    mem_free(s->column);
    mem_free(s->start);
}

static void split_copy(const null_room *k, null_split *to, const null_split *from)
{
    memcpy(to->is_dependent, from->is_dependent, k->n);
    memcpy(to->row, from->row, k->rows * sizeof *to->row);
    memcpy(to->column, from->column, k->rows * sizeof *to->column);
    memcpy(to->start, from->start, (k->rows + 1) * sizeof *to->start);
    to->blocks = from->blocks;
    to->margin = from->margin;
    to->has_turned = from->has_turned;
    to->cost = from->cost;
}

/* Blocks, margin and cost of the dependent columns; margin -1: they do not serve. */
static mech_status rate(null_room *k, null_split *s)
{
    s->margin = -1;
    s->has_turned = 0;
    if (!null_make_blocks(k, s)) return MECH_OK;
    double margin = HUGE_VAL;
    for (size_t b = 0; b < s->blocks; b++) {
        const size_t first = s->start[b], width = s->start[b + 1] - first;
        double own;
        if (width > MOST_WIDE) return MECH_OK; /* many pivots in a fixed order: one is always small somewhere */
        if (width == 2) {
            own = null_determinant(k, s->row + first, s->column + first, &s->has_turned);
        } else {
            memset(k->row_on, 0, k->rows);
            memset(k->column_on, 0, k->n);
            for (size_t i = first; i < first + width; i++) k->row_on[s->row[i]] = k->column_on[s->column[i]] = 1;
            own = null_eliminate(k, width, s->row + first, s->column + first, &s->has_turned);
            if (own < 0) return MECH_OK;
        }
        margin = fmin(margin, own);
    }
    plan *p = NULL;
    const mech_status status = null_write(k, s, &p);
    if (status == MECH_ERR_UNSUPPORTED || status == MECH_ERR_LIMIT) return MECH_OK;
    MECH_TRY(status);
    s->cost = plan_cost(p);
    s->margin = margin;
    plan_free(p);
    return MECH_OK;
}

/* A partition whose determinants keep their signs along the walk does not become singular on the way. */
static int split_is_better(const null_split *x, const null_split *y)
{
    const int x_good = x->margin >= GOOD && !x->has_turned, y_good = y->margin >= GOOD && !y->has_turned;
    if (x_good && y_good) return x->cost != y->cost ? x->cost < y->cost : x->margin > 1.01 * y->margin;
    if (x_good != y_good) return x_good;
    return x->margin > 1.01 * y->margin;
}

/* One dependent for one independent column, while it helps. */
static mech_status exchange(null_room *k, null_split *best, null_split *trial, null_split *winner)
{
    for (int round = 0; round < ROUNDS; round++) {
        int improved = 0;
        split_copy(k, winner, best);
        for (size_t in = 0; in < k->n; in++)
            for (size_t out = 0; out < k->n && !best->is_dependent[in]; out++) {
                if (!best->is_dependent[out]) continue;
                split_copy(k, trial, best);
                trial->is_dependent[in] = 1;
                trial->is_dependent[out] = 0;
                MECH_TRY(rate(k, trial));
                if (!split_is_better(trial, winner)) continue;
                split_copy(k, winner, trial);
                improved = 1;
            }
        split_copy(k, best, winner);
        if (!improved) break;
    }
    return MECH_OK;
}

static mech_status choose(null_room *k, null_split split[3])
{
    for (int i = 0; i < 3; i++)
        if (!split_create(k, &split[i])) return MECH_ERR_MEMORY;
    memset(k->row_on, 1, k->rows);
    memset(k->column_on, 1, k->n);
    int has_turned = 0;
    if (null_eliminate(k, k->rows, split[0].row, split[0].column, &has_turned) < 0) return MECH_ERR_UNSUPPORTED;
    for (size_t i = 0; i < k->rows; i++) split[0].is_dependent[split[0].column[i]] = 1;
    MECH_TRY(rate(k, &split[0]));
    if (k->rows * k->rows * (k->n - k->rows) <= MOST_EXCHANGES) MECH_TRY(exchange(k, &split[0], &split[1], &split[2]));
    return split[0].margin >= LEAST ? MECH_OK : MECH_ERR_UNSUPPORTED;
}

/* Slot of the size of A_D^-1 A_I; PLAN_NONE: it is 0. */
static uint32_t find_bounded(const plan *p)
{
    for (size_t i = 0; i < p->op_count; i++)
        if (p->ops[i].code == PLAN_BOUND) return p->ops[i].a;
    return PLAN_NONE;
}

/* The blocks are clear at every point; what they do together must be so too. */
static mech_status check_bound(const plan *p, const plan_samples *samples)
{
    const uint32_t at = find_bounded(p);
    const size_t entries = p->Q_first - p->A_first;
    double *slots = mem_zeroed(p->slot_count + 1, sizeof *slots); /* A alone decides */
    mech_status status = slots ? MECH_OK : MECH_ERR_MEMORY;
    for (size_t k = 0; k < samples->count && status == MECH_OK && at != PLAN_NONE; k++) {
        memcpy(slots + p->A_first, samples->A + k * entries, entries * sizeof *slots);
        (void)plan_run(p, slots);
        if (!(PLAN_PART * slots[at] < 1)) status = MECH_ERR_UNSUPPORTED;
    }
    mem_free(slots);
    return status;
}

static mech_status create(const plan_spec *spec, const plan_samples *samples, plan **result)
{
    null_room k = {.spec = spec, .samples = samples, .n = spec->n};
    null_split split[3] = {{0}};
    mech_status status = list_rows(&k);
    if (status == MECH_OK && (k.rows == 0 || k.rows > k.n)) status = MECH_ERR_UNSUPPORTED;
    if (status == MECH_OK && !allocate(&k)) status = MECH_ERR_MEMORY;
    if (status == MECH_OK && !load(&k)) status = MECH_ERR_UNSUPPORTED;
    if (status == MECH_OK) status = choose(&k, split);
    if (status == MECH_OK) status = null_write(&k, &split[0], result);
    if (status == MECH_OK) {
        (*result)->has_turned = split[0].has_turned;
        status = check_bound(*result, samples);
        if (status != MECH_OK) {
            plan_free(*result);
            *result = NULL;
        }
    }
    for (int i = 0; i < 3; i++) split_free(&split[i]);
    free_room(&k);
    return status;
}

/* At all points, or else at those of the walk: others may lie on branches that the motion never reaches. */
mech_status plan_create_null(const plan_spec *spec, const plan_samples *samples, plan **result)
{
    *result = NULL;
    if (samples->count == 0 || spec->n == 0 || spec->n > MOST_COORDS || spec->m == 0) return MECH_ERR_UNSUPPORTED;
    const mech_status status = create(spec, samples, result);
    if (status != MECH_ERR_UNSUPPORTED || samples->walk < 4 || samples->walk == samples->count) return status;
    const plan_samples walk = {samples->walk, samples->walk, samples->A};
    return create(spec, &walk, result);
}
