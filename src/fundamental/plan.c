/* Making the plan: elimination on the pattern, every operation written down. Variables 0..n-1 are
   coordinates, n..n+m-1 rows. An entry (i, j) of [M A'; A S] is the slot that holds it now. */
#include "fundamental/plan_write.h"

#include "base/mem.h"
#include "base/try.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry { /* of the hash table; key 0: free */
    uint64_t key;
    uint32_t slot;
} entry;

typedef struct set {
    uint32_t *items;
    size_t count, capacity;
} set;

typedef struct pivot {        /* one or two variables, and what back substitution needs of them */
    uint32_t var[2], inverse; /* inverse: first slot                          */
    int width;                /* 0: a front, whose number is `inverse`        */
    size_t first, count;      /* of its neighbours in `kept`                  */
} pivot;

typedef struct weight { /* of a neighbour: w = entry * inverse */
    uint32_t var, w[2];
} weight;

typedef struct making {
    const plan_spec *spec;
    plan *p;
    entry *table; /* a power of two */
    size_t table_size, entry_count;
    set *near;              /* (n + m) neighbours, also eliminated ones          */
    unsigned char *is_gone; /* (n + m)                                           */
    uint32_t *f;            /* (n + m) slots of the right side                   */
    uint32_t *reference;    /* (n + m) slots of the diagonal that guards look at */
    uint32_t *x;            /* (n + m) slots of the solution                     */
    uint32_t *joined;       /* (m) rows that S joins to a row, itself with them; 0: few, its pivots say all */
    uint32_t *work;         /* (m) slots of f'S^-1f of what was eliminated below a row; PLAN_NONE: nothing */
    uint32_t *limit;        /* (m) slots that `above` must stay below            */
    uint32_t *above;        /* (m) slots of S_ii lambda_i^2, summed up from the last row eliminated */
    uint32_t *mark, stamp;  /* (n + m)                                           */
    unsigned char *watched; /* (m) monitored, or without entries: 0 = b          */
    uint32_t *rank;         /* (n + m) when a variable is eliminated, once that is known */
    pivot *pivots;
    size_t pivot_count;
    weight *kept;
    size_t kept_count, kept_capacity;
    plan_writer writer;
    size_t cut_capacity, front_capacity;
} making;

/* ---- entries ---- */

static uint64_t key_of(uint32_t i, uint32_t j) { return (i > j ? (uint64_t)i << 32 | j : (uint64_t)j << 32 | i) + 1; }

static size_t find(const making *k, uint64_t key)
{
    uint64_t h = key * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(h ^ h >> 32) & (k->table_size - 1);
    while (k->table[at].key && k->table[at].key != key) at = (at + 1) & (k->table_size - 1);
    return at;
}

static uint32_t get(const making *k, uint32_t i, uint32_t j)
{
    const entry *e = &k->table[find(k, key_of(i, j))];
    return e->key ? e->slot : PLAN_NONE;
}

static void enlarge(making *k)
{
    const size_t old_size = k->table_size;
    entry *old = k->table, *table = mem_zeroed(2 * old_size, sizeof *table);
    if (!table) {
        k->writer.status = MECH_ERR_MEMORY;
        return;
    }
    k->table = table;
    k->table_size = 2 * old_size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].key) table[find(k, old[i].key)] = old[i];
    mem_free(old);
}

static void add_near(making *k, uint32_t i, uint32_t j)
{
    set *s = &k->near[i];
    if (!mem_grow(&s->items, &s->capacity, s->count + 1, sizeof *s->items)) k->writer.status = MECH_ERR_MEMORY;
    else s->items[s->count++] = j;
}

static void put(making *k, uint32_t i, uint32_t j, uint32_t slot)
{
    if (k->writer.status != MECH_OK) return;
    entry *e = &k->table[find(k, key_of(i, j))];
    if (!e->key) {
        e->key = key_of(i, j);
        k->entry_count++;
        if (i != j) {
            add_near(k, i, j);
            add_near(k, j, i);
        }
    }
    e->slot = slot;
    if (2 * k->entry_count > k->table_size) enlarge(k);
}

/* ---- operations ---- */

static uint32_t emit(making *k, plan_op op, uint32_t results) { return plan_emit(&k->writer, op, results); }

static uint32_t multiply(making *k, int sign, uint32_t a, uint32_t b, uint32_t c)
{
    return plan_multiply(&k->writer, sign, a, b, c);
}

/* A new part begins. first, second: the variables of its pivot. */
static void cut(making *k, uint32_t kind, uint32_t first, uint32_t second)
{
    const uint32_t n = (uint32_t)k->spec->n;
    plan *p = k->p;
    if (k->writer.status != MECH_OK) return;
    if (!mem_grow(&p->cuts, &k->cut_capacity, p->cut_count + 1, sizeof *p->cuts)) k->writer.status = MECH_ERR_MEMORY;
    else
        p->cuts[p->cut_count++] =
            (plan_cut){p->op_count, kind, {first - n, second == PLAN_NONE ? PLAN_NONE : second - n}};
}

/* ---- one pivot ---- */

static void invert(making *k, pivot *v)
{
    const int is_row = v->var[0] >= k->spec->n;
    const uint32_t a = get(k, v->var[0], v->var[0]);
    const uint32_t c = v->width == 2 ? get(k, v->var[1], v->var[1]) : a;
    if (a == PLAN_NONE || c == PLAN_NONE) { /* a coordinate without mass */
        k->writer.status = MECH_ERR_SINGULAR_MASS;
        return;
    }
    plan_op op = {.code = is_row ? PLAN_PIVOT : PLAN_INVERT, .a = a, .b = k->reference[v->var[0]]};
    if (v->width == 2) {
        op.code = is_row ? PLAN_PIVOT2 : PLAN_INVERT2;
        op.b = get(k, v->var[0], v->var[1]);
        op.c = c;
        op.d = k->reference[v->var[0]];
        op.e = k->reference[v->var[1]];
    }
    v->inverse = emit(k, op, v->width == 2 ? 3 : 1);
}

/* w = (x0, x1) * inverse, of a neighbour's entries or of the right side */
static void times_inverse(making *k, const pivot *v, const uint32_t x[2], uint32_t w[2])
{
    const uint32_t inv = v->inverse;
    w[1] = PLAN_NONE;
    if (v->width == 1) {
        w[0] = multiply(k, 1, x[0], inv, PLAN_NONE);
        return;
    }
    w[0] = multiply(k, 1, x[1], inv + 1, multiply(k, 1, x[0], inv, PLAN_NONE));
    w[1] = multiply(k, 1, x[0], inv + 1, multiply(k, 1, x[1], inv + 2, PLAN_NONE));
}

static int by_rank(const void *x, const void *y)
{
    const weight *a = x, *b = y; /* w[0] holds the rank until the weights are made */
    return a->w[0] < b->w[0] ? -1 : a->w[0] > b->w[0];
}

/* Neighbours that are still there, each once and the first to go first, into kept. */
static void list_neighbours(making *k, pivot *v)
{
    k->stamp++;
    v->first = k->kept_count;
    for (int side = 0; side < v->width; side++) k->is_gone[v->var[side]] = 1;
    for (int side = 0; side < v->width; side++) {
        const set *near = &k->near[v->var[side]];
        for (size_t i = 0; i < near->count; i++) {
            const uint32_t u = near->items[i];
            if (k->is_gone[u] || k->mark[u] == k->stamp) continue;
            k->mark[u] = k->stamp;
            if (!mem_grow(&k->kept, &k->kept_capacity, k->kept_count + 1, sizeof *k->kept)) {
                k->writer.status = MECH_ERR_MEMORY;
                return;
            }
            k->kept[k->kept_count++] = (weight){u, {k->rank[u], PLAN_NONE}};
        }
    }
    v->count = k->kept_count - v->first;
    if (v->count) qsort(k->kept + v->first, v->count, sizeof *k->kept, by_rank);
}

static void entries_of(const making *k, const pivot *v, uint32_t u, uint32_t x[2])
{
    x[0] = get(k, u, v->var[0]);
    x[1] = v->width == 2 ? get(k, u, v->var[1]) : PLAN_NONE;
}

/* M and S lose what the pivot takes, S gains A M^-1 A' */
static void update(making *k, const pivot *v)
{
    const size_t n = k->spec->n;
    const int is_row = v->var[0] >= n;
    for (size_t i = 0; i < v->count; i++) {
        const weight wu = k->kept[v->first + i];
        const uint32_t u = wu.var;
        for (int side = 0; side < v->width; side++) k->f[u] = multiply(k, -1, wu.w[side], k->f[v->var[side]], k->f[u]);
        for (size_t j = 0; j <= i; j++) {
            const uint32_t t = k->kept[v->first + j].var;
            const int sign = !is_row && u >= n && t >= n ? 1 : -1;
            uint32_t x[2];
            entries_of(k, v, t, x);
            uint32_t now = get(k, u, t);
            if (now == PLAN_NONE) k->p->fill++;
            now = multiply(k, sign, wu.w[0], x[0], now);
            now = multiply(k, sign, wu.w[1], x[1], now);
            if (now != PLAN_NONE) put(k, u, t, now);
        }
    }
}

/* ---- rows that were combined ---- */

enum { SQUARED_POWER = 17 }; /* PLAN_PART*2^-17 = 7.6e-9, as PLAN_DOUBT */

/* S_ii M_jj is at least A_ij^2: small beside the square of what was combined in any column, nothing but
   rounding may be left of the row. */
static void look_at_combined(making *k)
{
    const plan_entries *wholes = &k->spec->wholes;
    const uint32_t n = (uint32_t)k->spec->n;
    for (uint32_t i = 0; i < wholes->count; i++) {
        if (k->is_gone[n + wholes->row[i]]) continue;
        const uint32_t whole = k->p->whole_first + i;
        const uint32_t left =
            multiply(k, 1, k->reference[n + wholes->row[i]], k->reference[wholes->column[i]], PLAN_NONE);
        plan_look_at_row(&k->writer, left, SQUARED_POWER, multiply(k, 1, whole, whole, PLAN_NONE));
    }
}

/* ---- rows that hold what hardly has mass ---- */

/* A M^-1 A' is about the sum of A_ij^2/M_jj, unless M lets the row move far more easily than its diagonal says: then
   M^-1 is large along the row, all of it cancels in q'', and as many digits with it. Euler parameters have mass along
   their own direction only by what else stands in the kinetic energy. */
static void look_at_mobility(making *k)
{
    const plan_spec *s = k->spec;
    const uint32_t n = (uint32_t)s->n;
    uint32_t *inverse = k->x, *sum = k->x + n; /* the solution is not known yet */
    k->stamp++;
    for (size_t i = 0; i < s->M.count; i++) /* elsewhere it is that sum */
        if (s->M.row[i] != s->M.column[i]) k->mark[s->M.row[i]] = k->mark[s->M.column[i]] = k->stamp;
    for (size_t i = 0; i < s->A.count; i++)
        if (k->mark[s->A.column[i]] == k->stamp) k->mark[n + s->A.row[i]] = k->stamp;
    for (uint32_t i = 0; i < n; i++) inverse[i] = PLAN_NONE;
    for (uint32_t i = 0; i < s->A.count; i++) {
        const uint32_t row = s->A.row[i], column = s->A.column[i], a = k->p->A_first + i;
        if (k->is_gone[n + row] || k->mark[n + row] != k->stamp) continue;
        if (inverse[column] == PLAN_NONE) {
            const plan_op op = {.code = PLAN_INVERT, .a = k->reference[column], .b = k->reference[column]};
            inverse[column] = emit(k, op, 1);
        }
        sum[row] = multiply(k, 1, multiply(k, 1, a, inverse[column], PLAN_NONE), a, sum[row]);
    }
    for (uint32_t row = 0; row < s->m; row++)
        if (sum[row] != PLAN_NONE)
            (void)emit(k, (plan_op){.code = PLAN_CLEAR, .a = sum[row], .b = k->reference[n + row]}, 0);
}

/* ---- the multipliers as a whole ---- */

/* lambda'S lambda is small beside the sum of S_ii lambda_i^2 where multipliers are much larger than what they
   do together, through however many harmless pivots. The first is the sum of f'S^-1f of all pivots, taken on
   the way up the tree of the elimination, the second is taken on the way down and looked at where a branch
   ends: so that neither waits for other branches, and alike pivots have alike operations. */

enum { FEW = 3, LINE = 32, POWER = 3 }; /* PLAN_PART*2^-3 = 1.2e-4 */

static size_t mark_joined(making *k, uint32_t *list, uint32_t row)
{
    const size_t n = k->spec->n;
    size_t count = 0;
    list[count++] = row;
    k->joined[row] = 1;
    for (size_t i = 0; i < count; i++) {
        const set *near = &k->near[n + list[i]];
        for (size_t j = 0; j < near->count; j++) {
            const uint32_t u = near->items[j];
            if (u < n || k->is_gone[u] || k->joined[u - n]) continue;
            k->joined[u - n] = 1;
            list[count++] = u - (uint32_t)n;
        }
    }
    return count;
}

/* When M is eliminated. */
static mech_status find_joined(making *k)
{
    const size_t m = k->spec->m;
    uint32_t *list = mem_zeroed(m + 1, sizeof *list);
    if (!list) return MECH_ERR_MEMORY;
    for (uint32_t row = 0; row < m; row++) {
        k->work[row] = PLAN_NONE;
        if (k->joined[row] || k->is_gone[k->spec->n + row]) continue;
        const size_t count = mark_joined(k, list, row);
        for (size_t i = 0; i < count; i++) k->joined[list[i]] = (uint32_t)count;
    }
    for (size_t row = 0; row < m; row++)
        if (k->joined[row] < FEW || k->spec->pivots_only) k->joined[row] = 0;
    mem_free(list);
    return MECH_OK;
}

static uint32_t add(making *k, uint32_t a, uint32_t b)
{
    if (a == PLAN_NONE || b == PLAN_NONE) return a == PLAN_NONE ? b : a;
    return emit(k, (plan_op){.code = PLAN_ADD, .a = a, .b = b}, 1);
}

/* Along a line of alike rows lambda'S lambda is small by the square of their number, and no digits are lost.
 */
static uint32_t power_of(uint32_t rows)
{
    uint32_t power = POWER;
    for (uint32_t line = LINE; line < rows; line *= 2) power += 2;
    return power;
}

/* f'S^-1f of the pivot and all below it, to the row that goes next. */
static void pass_up(making *k, const pivot *v)
{
    const size_t n = k->spec->n;
    const uint32_t f[2] = {k->f[v->var[0]], v->width == 2 ? k->f[v->var[1]] : PLAN_NONE};
    uint32_t z[2], sum = k->work[v->var[0] - n];
    if (v->width == 2) sum = add(k, sum, k->work[v->var[1] - n]);
    times_inverse(k, v, f, z);
    for (int side = 0; side < v->width; side++) sum = multiply(k, 1, f[side], z[side], sum);
    if (v->count) {
        uint32_t *next = &k->work[k->kept[v->first].var - n];
        *next = add(k, *next, sum);
    } else {
        const uint32_t power = PLAN_BIAS + power_of(k->joined[v->var[0] - n]);
        k->limit[v->var[0] - n] = emit(k, (plan_op){.code = PLAN_ROOM, .a = sum, .d = power}, 1);
    }
}

static void pass_down(making *k, const pivot *v)
{
    const size_t n = k->spec->n, row = v->var[0] - n;
    const int is_end = k->work[row] == PLAN_NONE && (v->width == 1 || k->work[v->var[1] - n] == PLAN_NONE);
    uint32_t sum = PLAN_NONE;
    if (v->count) {
        const size_t next = k->kept[v->first].var - n;
        sum = k->above[next];
        k->limit[row] = k->limit[next];
    }
    for (int side = 0; side < v->width; side++) {
        const uint32_t x = k->x[v->var[side]];
        sum = multiply(k, 1, multiply(k, 1, k->reference[v->var[side]], x, PLAN_NONE), x, sum);
    }
    for (int side = 0; side < v->width; side++) {
        k->above[v->var[side] - n] = sum;
        k->limit[v->var[side] - n] = k->limit[row];
    }
    if (is_end) (void)emit(k, (plan_op){.code = PLAN_CLEAR, .a = k->limit[row], .b = sum}, 0);
}

static int is_joined(const making *k, const pivot *v)
{
    return v->var[0] >= k->spec->n && k->joined[v->var[0] - k->spec->n] != 0;
}

/* ---- a pivot, all of it ---- */

static void eliminate(making *k, uint32_t first, uint32_t second)
{
    pivot v = {.var = {first, second}, .width = second == PLAN_NONE ? 1 : 2};
    if (first >= k->spec->n) cut(k, PLAN_FORWARD, first, second);
    invert(k, &v);
    if (k->writer.status != MECH_OK) return;
    list_neighbours(k, &v);
    for (size_t i = 0; i < v.count && k->writer.status == MECH_OK; i++) {
        weight *w = &k->kept[v.first + i];
        uint32_t x[2];
        entries_of(k, &v, w->var, x);
        times_inverse(k, &v, x, w->w);
    }
    if (k->writer.status == MECH_OK) update(k, &v);
    if (k->writer.status == MECH_OK && is_joined(k, &v)) pass_up(k, &v);
    k->pivots[k->pivot_count++] = v;
}

/* ---- a front, all of it ---- */

static size_t count_left(const making *k, uint32_t var)
{
    const set *near = &k->near[var];
    size_t count = 0;
    for (size_t i = 0; i < near->count; i++) count += near->items[i] < k->spec->n && !k->is_gone[near->items[i]];
    return count;
}

static int by_rank_of(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* Variables that are left and touch one of the first `count` of the list are added to it: coordinates or rows, by their
   rank. Returns the new count. */
static size_t add_touched(making *k, uint64_t *list, size_t count, int are_rows)
{
    const size_t n = k->spec->n, first = count;
    k->stamp++;
    for (size_t i = 0; i < first; i++) {
        const set *near = &k->near[(uint32_t)list[i]];
        k->mark[(uint32_t)list[i]] = k->stamp;
        for (size_t j = 0; j < near->count; j++) {
            const uint32_t u = near->items[j];
            if (k->is_gone[u] || k->mark[u] == k->stamp || (u >= n) != are_rows) continue;
            k->mark[u] = k->stamp;
            list[count++] = (uint64_t)k->rank[u] << 32 | u;
        }
    }
    qsort(list + first, count - first, sizeof *list, by_rank_of);
    return count;
}

/* The coordinates that are left where var is, if M joins all of them to one another: their number, else 0. */
static size_t find_front(making *k, uint32_t var, uint64_t *list)
{
    const size_t left = count_left(k, var);
    if (!k->spec->front || left + 1 < k->spec->front) return 0;
    list[0] = var;
    const size_t count = add_touched(k, list, 1, 0);
    for (size_t i = 0; i < count; i++) {
        if (count_left(k, (uint32_t)list[i]) != left) return 0;
        for (size_t j = 0; j < i; j++)
            if (get(k, (uint32_t)list[i], (uint32_t)list[j]) == PLAN_NONE) return 0;
    }
    return count;
}

static plan_front *add_front(making *k, size_t size, size_t rows)
{
    plan *p = k->p;
    if (!mem_grow(&p->fronts, &k->front_capacity, p->front_count + 1, sizeof *p->fronts)) return NULL;
    plan_front *f = &p->fronts[p->front_count++];
    *f = (plan_front){.size = (uint32_t)size, .rows = (uint32_t)rows};
    f->entries = mem_alloc((plan_front_entries(f) + size + rows) * sizeof *f->entries);
    f->whole = f->entries ? f->entries + plan_front_entries(f) : NULL;
    f->lambda = f->entries ? f->whole + size : NULL;
    return f->entries ? f : NULL;
}

/* What is left of [M A'; A -S], S with the other sign, is -S. */
static uint32_t negative(making *k, uint32_t slot)
{
    return slot == PLAN_NONE ? slot : emit(k, (plan_op){.code = PLAN_NEG, .a = slot}, 1);
}

static void take_rows(making *k, const plan_front *f, const uint64_t *list, uint32_t left)
{
    const size_t all = f->size + f->rows;
    for (size_t j = f->size; j < all; j++) {
        const uint32_t t = (uint32_t)list[j];
        for (size_t i = j; i < all; i++) {
            const uint32_t u = (uint32_t)list[i];
            if (get(k, u, t) == PLAN_NONE) k->p->fill++;
            const uint32_t now = negative(k, left++);
            put(k, u, t, now);
        }
        k->f[t] = left++;
    }
}

static void eliminate_front(making *k, const uint64_t *list, size_t size, size_t count)
{
    const uint32_t n = (uint32_t)k->spec->n;
    plan_front *f = add_front(k, size, count - size);
    if (!f) {
        k->writer.status = MECH_ERR_MEMORY;
        return;
    }
    uint32_t *to = f->entries;
    for (size_t j = 0; j < count; j++) {
        const uint32_t t = (uint32_t)list[j];
        for (size_t i = j; i < count; i++) {
            const uint32_t slot = get(k, (uint32_t)list[i], t);
            *to++ = t >= n ? negative(k, slot) : slot;
        }
        *to++ = k->f[t];
    }
    for (size_t i = 0; i < size; i++) {
        f->whole[i] = k->reference[(uint32_t)list[i]];
        k->is_gone[(uint32_t)list[i]] = 1;
    }
    pivot v = {
        .var = {(uint32_t)list[0], PLAN_NONE}, .inverse = (uint32_t)k->p->front_count - 1, .first = k->kept_count};
    if (!mem_grow(&k->kept, &k->kept_capacity, k->kept_count + count, sizeof *k->kept)) {
        k->writer.status = MECH_ERR_MEMORY;
        return;
    }
    for (size_t i = 0; i < count; i++) k->kept[k->kept_count++] = (weight){(uint32_t)list[i], {PLAN_NONE, PLAN_NONE}};
    v.count = count;
    const plan_op op = {.code = PLAN_FRONT, .a = v.inverse};
    take_rows(k, f, list, emit(k, op, (uint32_t)(f->rows * (f->rows + 1) / 2 + f->rows)));
    k->pivots[k->pivot_count++] = v;
}

static void substitute_front(making *k, const pivot *v)
{
    const plan_front *f = &k->p->fronts[v->inverse];
    const weight *all = k->kept + v->first;
    for (size_t i = 0; i < f->rows; i++) f->lambda[i] = k->x[all[f->size + i].var];
    const uint32_t x = emit(k, (plan_op){.code = PLAN_BACK, .a = v->inverse}, f->size);
    for (uint32_t i = 0; i < f->size; i++) k->x[all[i].var] = x + i;
}

/* ---- phases ---- */

/* Graph of the entries among variables first .. first+count, their order, and the elimination. */
static mech_status eliminate_part(making *k, uint32_t first, size_t count)
{
    size_t total = 0, used = 0;
    for (size_t i = 0; i < count; i++) total += k->near[first + i].count;
    size_t *start = mem_zeroed(count + 1, sizeof *start);
    uint32_t *list = mem_zeroed(total + 1, sizeof *list), *order = mem_zeroed(count + 1, sizeof *order);
    unsigned char *pair = mem_zeroed(count + 1, 1);
    uint64_t *front = mem_alloc((k->spec->n + k->spec->m + 1) * sizeof *front);
    mech_status status = start && list && order && pair && front ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        for (size_t i = 0; i < count; i++) {
            const set *near = &k->near[first + i];
            for (size_t j = 0; j < near->count; j++)
                if (near->items[j] >= first && near->items[j] < first + count) list[used++] = near->items[j] - first;
            start[i + 1] = used;
        }
        status = plan_order(&(plan_graph){count, start, list}, order, pair);
        for (uint32_t i = 0; status == MECH_OK && i < count; i++) k->rank[first + order[i]] = first + i;
    }
    for (size_t i = 0; status == MECH_OK && i < count; i++) {
        const uint32_t var = first + order[i];
        if (k->is_gone[var]) continue; /* monitored, or with the front */
        const size_t size = var < k->spec->n ? find_front(k, var, front) : 0;
        if (size) {
            eliminate_front(k, front, size, add_touched(k, front, size, 1));
        } else {
            eliminate(k, var, pair[i] ? first + order[i + 1] : PLAN_NONE);
            i += pair[i];
        }
        status = k->writer.status;
    }
    mem_free(front);
    mem_free(start);
    mem_free(list);
    mem_free(order);
    mem_free(pair);
    return status;
}

/* x = inverse * f - w' x, plus for the multipliers a coordinate feels */
static void substitute(making *k)
{
    const size_t n = k->spec->n;
    for (size_t i = k->pivot_count; i-- > 0;) {
        const pivot *v = &k->pivots[i];
        const int is_row = v->var[0] >= n;
        const uint32_t f[2] = {k->f[v->var[0]], v->width == 2 ? k->f[v->var[1]] : PLAN_NONE};
        uint32_t x[2];
        if (is_row) cut(k, PLAN_BACKWARD, v->var[0], v->width == 2 ? v->var[1] : PLAN_NONE);
        else if (i + 1 == k->pivot_count || k->pivots[i + 1].var[0] >= n) cut(k, PLAN_PLAIN, (uint32_t)n, PLAN_NONE);
        if (v->width == 0) {
            substitute_front(k, v);
            continue;
        }
        times_inverse(k, v, f, x);
        for (size_t j = 0; j < v->count; j++) {
            const weight *w = &k->kept[v->first + j];
            const int sign = !is_row && w->var >= n ? 1 : -1;
            for (int side = 0; side < v->width; side++) x[side] = multiply(k, sign, w->w[side], k->x[w->var], x[side]);
        }
        for (int side = 0; side < v->width; side++) k->x[v->var[side]] = x[side];
        if (is_joined(k, v)) pass_down(k, v);
    }
}

static void load(making *k)
{
    const plan_spec *s = k->spec;
    plan *p = k->p;
    const uint32_t n = (uint32_t)s->n, m = (uint32_t)s->m;
    plan_number_inputs(p, s);
    for (uint32_t i = 0; i < s->M.count; i++) put(k, s->M.row[i], s->M.column[i], i);
    memset(k->watched, 1, m);
    for (uint32_t i = 0; i < s->A.count; i++) {
        if (s->monitored && s->monitored[s->A.row[i]]) continue;
        k->watched[s->A.row[i]] = 0;
        put(k, n + s->A.row[i], s->A.column[i], p->A_first + i);
    }
    for (uint32_t i = 0; i < n + m; i++) k->rank[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        k->f[i] = p->Q_first + i;
        k->reference[i] = get(k, i, i);
    }
    for (uint32_t i = 0; i < m; i++) {
        k->f[n + i] = p->b_first + i;
        k->x[n + i] = PLAN_NONE;
        k->is_gone[n + i] = k->watched[i];
        p->watched += k->watched[i];
    }
}

static mech_status make(making *k)
{
    const plan_spec *s = k->spec;
    load(k);
    MECH_TRY(k->writer.status);
    MECH_TRY(eliminate_part(k, 0, s->n));
    for (uint32_t i = 0; i < s->m; i++) {
        const uint32_t row = (uint32_t)s->n + i;
        k->p->diagonal[i] = PLAN_NONE;
        if (k->is_gone[row]) continue;
        k->p->diagonal[i] = k->reference[row] = get(k, row, row);
    }
    look_at_combined(k);
    const size_t cost = plan_cost(k->p);
    if (!s->pivots_only) look_at_mobility(k);
    k->p->mobility = plan_cost(k->p) - cost;
    MECH_TRY(find_joined(k));
    MECH_TRY(eliminate_part(k, (uint32_t)s->n, s->m));
    substitute(k);
    plan_monitor(&k->writer, s, k->watched, k->x);
    MECH_TRY(k->writer.status);
    memcpy(k->p->qdd, k->x, s->n * sizeof *k->x);
    if (s->m) memcpy(k->p->lambda, k->x + s->n, s->m * sizeof *k->x);
    k->p->blocks = k->pivot_count;
    return MECH_OK;
}

static mech_status allocate(making *k)
{
    const size_t n = k->spec->n, m = k->spec->m, all = n + m + 1;
    plan *p = k->p;
    p->n = n;
    p->m = m;
    p->qdd = mem_zeroed(n + 1, sizeof *p->qdd);
    p->lambda = mem_zeroed(m + 1, sizeof *p->lambda);
    p->diagonal = mem_zeroed(m + 1, sizeof *p->diagonal);
    k->table_size = 1024;
    k->table = mem_zeroed(k->table_size, sizeof *k->table);
    k->near = mem_zeroed(all, sizeof *k->near);
    k->is_gone = mem_zeroed(all, 1);
    k->f = mem_zeroed(all, sizeof *k->f);
    k->reference = mem_zeroed(all, sizeof *k->reference);
    k->x = mem_zeroed(all, sizeof *k->x);
    k->mark = mem_zeroed(all, sizeof *k->mark);
    k->pivots = mem_zeroed(all, sizeof *k->pivots);
    k->watched = mem_zeroed(m + 1, 1);
    k->rank = mem_zeroed(all, sizeof *k->rank);
    k->joined = mem_zeroed(4 * m + 4, sizeof *k->joined);
    k->work = k->joined ? k->joined + m + 1 : NULL;
    k->limit = k->joined ? k->work + m + 1 : NULL;
    k->above = k->joined ? k->limit + m + 1 : NULL;
    const int done = p->qdd && p->lambda && p->diagonal && k->table && k->near && k->is_gone && k->f && k->reference &&
                     k->x && k->mark && k->pivots && k->watched && k->rank && k->joined;
    return done ? MECH_OK : MECH_ERR_MEMORY;
}

mech_status plan_create(const plan_spec *spec, plan **result)
{
    *result = NULL;
    if (spec->n == 0 || spec->n + spec->m > UINT32_MAX / 8 || spec->M.count + spec->A.count > UINT32_MAX / 8)
        return MECH_ERR_ARGUMENT;
    plan *p = mem_zeroed(1, sizeof *p);
    if (!p) return MECH_ERR_MEMORY;
    making k = {.spec = spec, .p = p, .writer = {.p = p, .most = spec->most_ops}};
    mech_status status = allocate(&k);
    if (status == MECH_OK) status = make(&k);
    for (size_t i = 0; k.near && i < spec->n + spec->m; i++) mem_free(k.near[i].items);
    mem_free(k.table);
    mem_free(k.near);
    mem_free(k.is_gone);
    mem_free(k.f);
    mem_free(k.reference);
    mem_free(k.x);
    mem_free(k.mark);
    mem_free(k.pivots);
    mem_free(k.watched);
    mem_free(k.rank);
    mem_free(k.joined);
    mem_free(k.kept);
    if (status == MECH_OK) *result = p;
    else plan_free(p);
    return status;
}

void plan_free(plan *p)
{
    if (!p) return;
    mem_free(p->ops);
    mem_free(p->cuts);
    mem_free(p->qdd);
    mem_free(p->lambda);
    mem_free(p->diagonal);
    mem_free(p->reaction);
    for (size_t i = 0; i < p->front_count; i++) mem_free(p->fronts[i].entries);
    mem_free(p->fronts);
    mem_free(p);
}
