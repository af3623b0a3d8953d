/* Rows made shorter: where entries of two rows are the same expression up to a number, one row less the other
   has fewer. A' = E A, b' = E b, lambda = E' lambda'; E is the product of the steps. What symbols do not show
   to be 0 may still be, but for rounding: so rows remember how large the entries were that were combined in
   them, and are judged beside that. */
#include "motion/motion.h"

#include "base/try.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

typedef struct row {
    model_entry *items;  /* by column */
    model_entry *wholes; /* of columns that both rows of a step had: the sizes of the entries, added */
    size_t count, whole_count;
    int is_mixed; /* a difference is left of two entries, here or in a row subtracted from this one */
} row;

typedef struct rows {
    const mech_model *model;
    const unsigned char *monitored;
    arena *memory;         /* of all arrays */
    row *at;               /* (m) */
    uint32_t *column_list; /* rows that had an entry in a column at the start, by column */
    size_t *column_start;
    uint32_t *tried, stamp; /* (m) */
    motion_rows *out;
} rows;

/* An entry is number * core. */
static mech_expr core_of(const mech_pool *p, mech_expr e, mech_expr *number)
{
    const expr_node *n = expr_at(p, e);
    *number = EXPR_ONE;
    if (n->kind == EXPR_NUM) {
        *number = e;
        return EXPR_ONE;
    }
    if (n->kind != EXPR_ADD || n->count != 3 || expr_operands(p, n)[0] != EXPR_ID_ZERO) return e;
    *number = (mech_expr){expr_operands(p, n)[1]};
    return (mech_expr){expr_operands(p, n)[2]};
}

/* x = factor * y with a number: that number, else none. */
static mech_expr ratio(mech_pool *p, mech_expr x, mech_expr y)
{
    mech_expr a, b;
    if (core_of(p, x, &a).id != core_of(p, y, &b).id) return (mech_expr){0};
    return mech_div(p, a, b);
}

/* The entry of x in this column, or NULL; *i goes on from column to column. */
static const model_entry *next_in(const row *x, uint32_t column, size_t *i)
{
    while (*i < x->count && x->items[*i].column < column) ++*i;
    return *i < x->count && x->items[*i].column == column ? &x->items[*i] : NULL;
}

/* Entries that vanish from x when factor * y is subtracted, less those that appear. */
static int gain_of(mech_pool *p, const row *x, const row *y, mech_expr factor)
{
    int gain = 0;
    size_t i = 0;
    for (size_t k = 0; k < y->count; k++) {
        const model_entry *e = next_in(x, y->items[k].column, &i);
        if (!e) gain--;
        else if (ratio(p, e->value, y->items[k].value).id == factor.id) gain++;
    }
    return gain;
}

/* The factor that gains most, or none. */
static mech_expr best_factor(mech_pool *p, const row *x, const row *y, int *best)
{
    mech_expr found = {0};
    size_t i = 0;
    *best = 0;
    for (size_t k = 0; k < y->count; k++) {
        const model_entry *e = next_in(x, y->items[k].column, &i);
        const mech_expr factor = e ? ratio(p, e->value, y->items[k].value) : (mech_expr){0};
        if (!factor.id || factor.id == found.id) continue;
        const int gain = gain_of(p, x, y, factor);
        if (gain <= *best) continue;
        *best = gain;
        found = factor;
    }
    return found;
}

static const model_entry *find(const model_entry *items, size_t count, uint32_t column)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].column == column) return &items[i];
    return NULL;
}

/* How large entries were in a column, as a sum; none when there was no entry. */
static mech_expr whole_of(mech_pool *p, const row *x, uint32_t column)
{
    const model_entry *whole = find(x->wholes, x->whole_count, column), *item = find(x->items, x->count, column);
    if (whole || !item) return whole ? whole->value : (mech_expr){0};
    return mech_call(p, MECH_FUNCTION_ABS, &item->value, 1);
}

/* To made, which is x - factor * y */
static void add_whole(mech_pool *p, row *made, const row *x, const row *y, mech_expr factor, uint32_t column)
{
    if (find(made->wholes, made->whole_count, column)) return;
    const mech_expr before = whole_of(p, x, column), size = mech_call(p, MECH_FUNCTION_ABS, &factor, 1);
    mech_expr whole = whole_of(p, y, column);
    if (whole.id) whole = mech_mul(p, size, whole);
    if (before.id) whole = whole.id ? mech_add(p, before, whole) : before;
    made->wholes[made->whole_count++] = (model_entry){x->items[0].row, column, whole};
}

/* left = x - something with the same core: a product by a number, which loses nothing. */
static int is_multiple(mech_pool *p, mech_expr left, mech_expr x)
{
    const mech_expr part = ratio(p, left, x);
    return part.id && fabs(expr_number_of(p, part)->value) > TOL_CLEAR;
}

/* x -= factor * y */
static mech_status subtract(arena *memory, mech_pool *p, row *x, const row *y, mech_expr factor)
{
    row made = {.is_mixed = x->is_mixed || y->is_mixed};
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(made.items, x->count + y->count),
                        ARRAY_OF(made.wholes, x->count + x->whole_count + y->whole_count)));
    size_t i = 0, k = 0;
    while (i < x->count || k < y->count) {
        const int takes_x = i < x->count && (k == y->count || x->items[i].column <= y->items[k].column);
        const int takes_y = k < y->count && (i == x->count || y->items[k].column <= x->items[i].column);
        model_entry e = takes_x ? x->items[i] : y->items[k];
        const mech_expr before = e.value;
        e.row = x->items[0].row;
        if (takes_y) {
            const mech_expr part = mech_mul(p, factor, y->items[k].value);
            e.value = takes_x ? mech_sub(p, e.value, part) : mech_neg(p, part);
        }
        i += (size_t)takes_x;
        k += (size_t)takes_y;
        if (expr_is_zero(e.value)) continue;
        made.is_mixed |= takes_x && takes_y && !is_multiple(p, e.value, before);
        made.items[made.count++] = e;
    }
    for (i = 0, k = 0; i < x->count; i++)
        if (next_in(y, x->items[i].column, &k)) add_whole(p, &made, x, y, factor, x->items[i].column);
    for (i = 0; i < x->whole_count; i++) add_whole(p, &made, x, y, factor, x->wholes[i].column);
    for (k = 0; k < y->whole_count; k++) add_whole(p, &made, x, y, factor, y->wholes[k].column);
    *x = made;
    return mech_pool_status(p);
}

static mech_status apply(rows *r, uint32_t to, uint32_t from, mech_expr factor)
{
    mech_pool *p = r->model->pool;
    motion_rows *out = r->out;
    MECH_TRY(subtract(r->memory, p, &r->at[to], &r->at[from], factor));
    out->b[to] = mech_sub(p, out->b[to], mech_mul(p, factor, out->b[from]));
    out->steps[out->step_count++] = (motion_step){to, from, expr_number_of(p, factor)->value};
    return mech_pool_status(p);
}

/* One row against all that share a column with it: the best step, if there is one. */
static mech_status shorten(rows *r, uint32_t to, int *changed)
{
    const row *x = &r->at[to];
    uint32_t chosen = 0;
    mech_expr chosen_factor = {0};
    int most = 0;
    r->stamp++;
    r->tried[to] = r->stamp;
    for (size_t i = 0; i < x->count; i++) {
        const uint32_t column = x->items[i].column;
        for (size_t k = r->column_start[column]; k < r->column_start[column + 1]; k++) {
            const uint32_t from = r->column_list[k];
            int gain;
            if (r->tried[from] == r->stamp || (r->monitored && r->monitored[from])) continue;
            r->tried[from] = r->stamp;
            if (r->at[from].count == 0) continue;
            const mech_expr factor = best_factor(r->model->pool, x, &r->at[from], &gain);
            if (gain <= most) continue;
            most = gain;
            chosen = from;
            chosen_factor = factor;
        }
    }
    if (most == 0) return MECH_OK;
    *changed = 1;
    return apply(r, to, chosen, chosen_factor);
}

/* The entries stand by row in items, which has room for all. */
static void load(rows *r, model_entry *items)
{
    const model_entries *A = &r->model->equations.A;
    const size_t n = r->model->coords_count;
    for (size_t k = 0; k < A->count; k++) {
        row *x = &r->at[A->items[k].row];
        r->column_start[A->items[k].column + 1]++;
        if (expr_is_zero(A->items[k].value)) continue;
        if (x->count++ == 0) x->items = items;
        *items++ = A->items[k];
    }
    for (size_t j = 0; j < n; j++) r->column_start[j + 1] += r->column_start[j];
    for (size_t k = A->count; k-- > 0;) r->column_list[--r->column_start[A->items[k].column + 1]] = A->items[k].row;
    for (size_t j = 0; j < n; j++) r->column_start[j] = r->column_start[j + 1]; /* they moved to their starts */
    r->column_start[n] = A->count;
}

static void append(motion_entries *to, const model_entry *items, size_t count)
{
    for (size_t i = 0; i < count; i++, to->count++) {
        to->row[to->count] = items[i].row;
        to->column[to->count] = items[i].column;
        to->value[to->count] = items[i].value;
    }
}

enum { LONG_COLUMN = 64, PASSES = 8 };

static mech_status shorten_all(rows *r)
{
    const size_t m = r->model->rows_count, n = r->model->coords_count;
    int is_cheap = 1; /* columns that very many rows share would cost their square */
    for (size_t j = 0; j < n; j++) is_cheap = is_cheap && r->column_start[j + 1] - r->column_start[j] <= LONG_COLUMN;
    int changed = is_cheap;
    for (int pass = 0; changed && pass < PASSES; pass++) {
        changed = 0;
        for (uint32_t i = 0; i < m; i++)
            if (r->at[i].count) MECH_TRY(shorten(r, i, &changed));
    }
    return MECH_OK;
}

mech_status motion_rows_make(const mech_model *model, const unsigned char *monitored, arena *memory, motion_rows *out)
{
    const size_t m = model->rows_count, n = model->coords_count, entries = model->equations.A.count;
    rows r = {.model = model, .monitored = monitored, .memory = memory, .out = out};
    model_entry *items;
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(r.at, m), ARRAY_OF(r.tried, m), ARRAY_OF(r.column_start, n + 1),
                        ARRAY_OF(r.column_list, entries), ARRAY_OF(items, entries), ARRAY_OF(out->b, m),
                        ARRAY_OF(out->steps, PASSES * m)));
    if (m) memcpy(out->b, model->equations.b, m * sizeof *out->b);
    load(&r, items);
    MECH_TRY(shorten_all(&r));
    size_t left = 0, wholes = 0;
    for (size_t i = 0; i < m; i++) {
        left += r.at[i].count;
        wholes += r.at[i].whole_count;
    }
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(out->A.row, left), ARRAY_OF(out->A.column, left), ARRAY_OF(out->A.value, left),
                        ARRAY_OF(out->wholes.row, wholes), ARRAY_OF(out->wholes.column, wholes),
                        ARRAY_OF(out->wholes.value, wholes)));
    for (size_t i = 0; i < m; i++) {
        const row *x = &r.at[i];
        const int is_watched = x->count == 0 || (monitored && monitored[i]);
        append(&out->A, x->items, x->count);
        if (x->is_mixed || is_watched) append(&out->wholes, x->wholes, x->whole_count);
    }
    return MECH_OK;
}
