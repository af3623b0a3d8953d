/* Frobenius' test in symbols: fraction-free elimination of the forms gives vectors X that they annihilate;
   dw(X_f, X_g) must be zero identically. Entries are polynomials in symbols, roots and pairs s, c with
   s^2 + c^2 = 1 that stand for sin and cos of one argument each, so that zero is seen as zero. */
#include "model/integrable.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>

/* Where the test gives up. */
enum { MOST_NODES = 60000, MOST_TERMS = 500, MOST_FACTORS = 16, MOST_MULTIPLE = 3, MOST_SUMMANDS = 4 };

static int is_exhausted(const forms *f) { return mech_pool_size(f->pool) > MOST_NODES; }

/* mem_alloc whose failure the pool remembers, so that it ends in an error and not in a verdict. */
static void *take_memory(forms *f, size_t bytes)
{
    void *block = mem_alloc(bytes);
    if (!block && f->pool->status == MECH_OK) f->pool->status = MECH_ERR_MEMORY;
    return block;
}

/* ---- sin and cos as symbols ---- */

typedef struct sine_pair {
    mech_expr s, c;
} sine_pair;

static sine_pair atom_of(forms *f, mech_expr argument, int is_hyperbolic)
{
    const sine_pair none = {{0}, {0}};
    for (size_t i = 0; i < f->atom_count; i++)
        if (f->atoms[i].argument.id == argument.id && f->atoms[i].is_hyperbolic == is_hyperbolic)
            return (sine_pair){f->atoms[i].sine, f->atoms[i].cosine};
    if (!mem_grow(&f->atoms, &f->atom_capacity, f->atom_count + 1, sizeof *f->atoms)) {
        f->pool->status = MECH_ERR_MEMORY;
        return none;
    }
    forms_atom atom = {.argument = argument, .is_hyperbolic = is_hyperbolic};
    atom.sine = expr_symbol_create(f->pool, "s", EXPR_REACTION, 0, (uint32_t)f->atom_count);
    atom.cosine = expr_symbol_create(f->pool, "c", EXPR_REACTION, 1, (uint32_t)f->atom_count);
    for (size_t p = 0; p < f->points; p++) {
        const double u = forms_value(f, argument, p);
        atom.at[p][0] = is_hyperbolic ? sinh(u) : sin(u);
        atom.at[p][1] = is_hyperbolic ? cosh(u) : cos(u);
    }
    f->atoms[f->atom_count++] = atom;
    return (sine_pair){atom.sine, atom.cosine};
}

static sine_pair add_angles(mech_pool *p, sine_pair a, sine_pair b, int is_hyperbolic)
{
    const mech_expr ss = mech_mul(p, a.s, b.s), cc = mech_mul(p, a.c, b.c), cs = mech_mul(p, a.c, b.s),
                    sc = mech_mul(p, a.s, b.c);
    return (sine_pair){mech_add(p, sc, cs), is_hyperbolic ? mech_add(p, cc, ss) : mech_sub(p, cc, ss)};
}

/* A short sum with small whole coefficients is taken apart by the theorems of addition. */
static sine_pair sincos_of(forms *f, mech_expr argument, int is_hyperbolic)
{
    mech_pool *p = f->pool;
    const expr_node n = *expr_at(p, argument);
    if (n.kind != EXPR_ADD || n.count > 1 + 2 * MOST_SUMMANDS) return atom_of(f, argument, is_hyperbolic);
    for (uint32_t i = 1; i < n.count; i += 2) {
        const expr_number *k = expr_number_of(p, (mech_expr){p->operands[n.first + i]});
        if (k->den != 1 || k->num > MOST_MULTIPLE || k->num < -MOST_MULTIPLE)
            return atom_of(f, argument, is_hyperbolic);
    }
    sine_pair sum = {EXPR_ZERO, EXPR_ONE};
    const mech_expr c0 = {p->operands[n.first]};
    if (!expr_is_zero(c0)) sum = atom_of(f, c0, is_hyperbolic);
    for (uint32_t i = 1; i < n.count; i += 2) {
        const int64_t k = expr_number_of(p, (mech_expr){p->operands[n.first + i]})->num;
        sine_pair one = atom_of(f, (mech_expr){p->operands[n.first + i + 1]}, is_hyperbolic);
        if (k < 0) one.s = mech_neg(p, one.s);
        for (int64_t turn = 0; turn < (k < 0 ? -k : k); turn++) sum = add_angles(p, sum, one, is_hyperbolic);
    }
    return sum;
}

static mech_expr function_image(forms *f, const expr_node *n, const mech_expr *image)
{
    mech_expr arguments[3] = {{0}, {0}, {0}};
    const mech_expr first = {f->pool->operands[n->first]};
    const mech_function kind = (mech_function)n->function;
    if (kind == MECH_FUNCTION_SIN || kind == MECH_FUNCTION_COS || kind == MECH_FUNCTION_TAN ||
        kind == MECH_FUNCTION_SINH || kind == MECH_FUNCTION_COSH || kind == MECH_FUNCTION_TANH) {
        const sine_pair x =
            sincos_of(f, first, kind == MECH_FUNCTION_SINH || kind == MECH_FUNCTION_COSH || kind == MECH_FUNCTION_TANH);
        if (kind == MECH_FUNCTION_SIN || kind == MECH_FUNCTION_SINH) return x.s;
        return kind == MECH_FUNCTION_COS || kind == MECH_FUNCTION_COSH ? x.c : mech_div(f->pool, x.s, x.c);
    }
    for (uint32_t i = 0; i < n->count && i < 3; i++)
        arguments[i] = image[f->pool->local[f->pool->operands[n->first + i]]];
    return mech_call(f->pool, kind, arguments, n->count);
}

static mech_expr node_image(forms *f, uint32_t id, const mech_expr *image)
{
    mech_pool *p = f->pool;
    const expr_node n = p->nodes[id];
    if (n.kind == EXPR_FUN) return function_image(f, &n, image);
    if (n.kind != EXPR_ADD && n.kind != EXPR_MUL) return (mech_expr){id};
    mech_expr *parts = take_memory(f, (n.count + 1) * sizeof *parts), result = {0};
    size_t count = 0;
    if (!parts) return result;
    if (n.kind == EXPR_ADD) parts[count++].id = p->operands[n.first];
    for (uint32_t i = n.kind == EXPR_ADD; i < n.count; i += 2) {
        const uint32_t a = p->operands[n.first + i], b = p->operands[n.first + i + 1];
        if (n.kind == EXPR_ADD) parts[count++] = mech_mul(p, (mech_expr){a}, image[p->local[b]]);
        else parts[count++] = mech_pow(p, image[p->local[a]], (mech_expr){b});
    }
    result = n.kind == EXPR_ADD ? mech_sum(p, parts, count) : mech_product(p, parts, count);
    mem_free(parts);
    return result;
}

/* e with all sines and cosines replaced by their symbols; none on failure. */
static mech_expr with_atoms(forms *f, mech_expr e)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    mech_expr result = {0};
    if (expr_is_zero(e)) return e;
    const mech_status status = expr_reachable(f->pool, &e, 1, &ids, &capacity, &count);
    if (status != MECH_OK) f->pool->status = status;
    mech_expr *image = status == MECH_OK ? take_memory(f, count * sizeof *image) : NULL;
    for (size_t i = 0; image && i < count; i++) {
        image[i] = node_image(f, ids[i], image);
        if (!image[i].id) break;
        if (i + 1 == count) result = image[i];
    }
    mem_free(image);
    mem_free(ids);
    return result;
}

/* ---- normal form ---- */

/* The sum of rule(term) over the terms of e. */
static mech_expr map_terms(forms *f, mech_expr e, mech_expr (*rule)(forms *f, mech_expr term, void *user), void *user)
{
    const expr_node n = *expr_at(f->pool, e);
    if (n.kind != EXPR_ADD) return rule(f, e, user);
    mech_expr *terms = take_memory(f, (n.count + 1) * sizeof *terms), result = {0};
    size_t count = 0;
    if (!terms) return result;
    terms[count++] = rule(f, (mech_expr){f->pool->operands[n.first]}, user);
    for (uint32_t i = 1; i < n.count; i += 2) {
        const mech_expr coef = {f->pool->operands[n.first + i]}, node = {f->pool->operands[n.first + i + 1]};
        terms[count++] = mech_mul(f->pool, coef, rule(f, node, user));
    }
    result = mech_sum(f->pool, terms, count);
    mem_free(terms);
    return result;
}

/* s^2 = 1 - c^2, or c^2 - 1 where they are hyperbolic. */
static mech_expr lower_sines(forms *f, mech_expr term, void *user)
{
    (void)user;
    mech_pool *p = f->pool;
    const expr_node n = *expr_at(p, term);
    mech_expr result = term;
    if (n.kind != EXPR_MUL) return term;
    for (uint32_t i = 0; i < n.count; i += 2) {
        const mech_expr base = {p->operands[n.first + i]};
        const expr_number k = *expr_number_of(p, (mech_expr){p->operands[n.first + i + 1]});
        if (!expr_is_symbol(p, base) || k.den != 1 || k.num < 2) continue;
        const expr_symbol *s = expr_symbol_of(p, base);
        if (s->class_bit != EXPR_REACTION || s->order != 0) continue;
        const forms_atom *atom = &f->atoms[s->index];
        const int64_t half = k.num / 2;
        const mech_expr c2 = mech_mul(p, atom->cosine, atom->cosine);
        const mech_expr s2 = atom->is_hyperbolic ? mech_sub(p, c2, EXPR_ONE) : mech_sub(p, EXPR_ONE, c2);
        result = mech_mul(p, result, mech_pow(p, base, mech_rational(p, -2 * half, 1)));
        result = mech_mul(p, result, mech_pow(p, s2, mech_rational(p, half, 1)));
    }
    return result;
}

static mech_expr normal(forms *f, mech_expr e)
{
    uint32_t before = 0;
    while (e.id && e.id != before && !is_exhausted(f)) { /* roots may have met and become sums again */
        before = e.id;
        e = expr_expand(f->pool, e, MOST_TERMS);
        if (e.id) e = map_terms(f, e, lower_sines, NULL);
    }
    return e;
}

typedef struct denominators {
    mech_expr base[MOST_FACTORS];
    int64_t power[MOST_FACTORS];
    size_t count;
    mech_expr product;
} denominators;

/* Notes the bases with negative exponents. */
static mech_expr note_denominators(forms *f, mech_expr term, void *user)
{
    denominators *d = user;
    const expr_node n = *expr_at(f->pool, term);
    for (uint32_t i = 0; n.kind == EXPR_MUL && i < n.count; i += 2) {
        const uint32_t base = f->pool->operands[n.first + i];
        const double k = expr_number_of(f->pool, (mech_expr){f->pool->operands[n.first + i + 1]})->value;
        if (k >= 0 || k < -64) continue;
        size_t at = 0;
        while (at < d->count && d->base[at].id != base) at++;
        if (at == MOST_FACTORS) continue;
        if (at == d->count) d->base[d->count++].id = base, d->power[at] = 0;
        if ((int64_t)ceil(-k) > d->power[at]) d->power[at] = (int64_t)ceil(-k);
    }
    return term;
}

static mech_expr times_denominators(forms *f, mech_expr term, void *user)
{
    return mech_mul(f->pool, term, ((denominators *)user)->product);
}

/* All entries times what clears their denominators, in normal form: 1 done. */
static int clear_denominators(forms *f, mech_expr *entries, size_t count)
{
    for (int round = 0; round < 4; round++) {
        denominators d = {.count = 0, .product = EXPR_ONE};
        for (size_t i = 0; i < count; i++) {
            entries[i] = normal(f, entries[i]);
            if (!entries[i].id || !map_terms(f, entries[i], note_denominators, &d).id) return 0;
        }
        if (d.count == 0) return 1;
        for (size_t i = 0; i < d.count; i++)
            d.product =
                mech_mul(f->pool, d.product, mech_pow(f->pool, d.base[i], mech_rational(f->pool, d.power[i], 1)));
        for (size_t i = 0; i < count && d.product.id; i++)
            entries[i] = map_terms(f, entries[i], times_denominators, &d);
        if (!d.product.id || is_exhausted(f)) return 0;
    }
    return 0;
}

static int is_zero_identically(forms *f, mech_expr e)
{
    return e.id && clear_denominators(f, &e, 1) && expr_is_zero(e);
}

/* ---- elimination ---- */

typedef struct elimination {
    mech_expr *P;    /* rows x width, polynomials                  */
    double *numbers; /* of P at each point: rows x points x width */
    size_t rows, width, rank;
    size_t column[FORMS_MOST]; /* of the pivot in row 0, 1, ... */
    mech_expr *X, product;     /* vectors by row; their common factor, the product of the pivots */
    size_t vectors;
} elimination;

static void take_numbers(forms *f, elimination *e, size_t row)
{
    for (size_t p = 0; p < f->points; p++) {
        double *numbers = e->numbers + (row * FORMS_POINTS + p) * e->width;
        for (size_t k = 0; k < e->width; k++) {
            const mech_expr entry = e->P[row * e->width + k];
            numbers[k] = expr_is_zero(entry) ? 0 : forms_value(f, entry, p);
        }
    }
}

/* How good a pivot is, smaller is better: numbers, then parameters, then short ones. SIZE_MAX: not clearly
   different from zero at one of the points. */
static size_t pivot_rank(forms *f, const elimination *e, size_t row, size_t k)
{
    const mech_expr entry = e->P[row * e->width + k];
    if (expr_is_zero(entry)) return SIZE_MAX;
    if (expr_is_number(f->pool, entry)) return 0;
    for (size_t p = 0; p < f->points; p++) {
        const double *numbers = e->numbers + (row * FORMS_POINTS + p) * e->width;
        double size = 0;
        for (size_t l = 0; l < e->width; l++) size = fmax(size, fabs(numbers[l]));
        if (!(fabs(numbers[k]) > 1e-5 * size)) return SIZE_MAX;
    }
    const size_t cost = expr_cost(f->pool, entry);
    return 1 + cost + (expr_classes(f->pool, entry) & ~(unsigned)EXPR_PARAM ? 1000 : 0);
}

static void swap_rows(elimination *e, size_t a, size_t b)
{
    for (size_t k = 0; k < e->width; k++) {
        const mech_expr swap = e->P[a * e->width + k];
        e->P[a * e->width + k] = e->P[b * e->width + k];
        e->P[b * e->width + k] = swap;
    }
    for (size_t k = 0; k < FORMS_POINTS * e->width; k++) {
        const double swap = e->numbers[a * FORMS_POINTS * e->width + k];
        e->numbers[a * FORMS_POINTS * e->width + k] = e->numbers[b * FORMS_POINTS * e->width + k];
        e->numbers[b * FORMS_POINTS * e->width + k] = swap;
    }
}

/* row -= entry/pivot * pivot row, times the pivot where it is no number: 1 done. */
static int clear_entry(forms *f, elimination *e, size_t row, size_t pivot_row, size_t k)
{
    mech_pool *p = f->pool;
    mech_expr *target = e->P + row * e->width;
    const mech_expr *source = e->P + pivot_row * e->width;
    const mech_expr factor = target[k], pivot = source[k];
    const int is_number = expr_is_number(p, pivot);
    if (expr_is_zero(factor)) return 1;
    const mech_expr ratio = is_number ? mech_div(p, factor, pivot) : factor;
    for (size_t l = 0; l < e->width; l++) {
        const mech_expr kept = is_number ? target[l] : mech_mul(p, target[l], pivot);
        target[l] = l == k ? EXPR_ZERO : normal(f, mech_sub(p, kept, mech_mul(p, ratio, source[l])));
        if (!target[l].id) return 0;
    }
    take_numbers(f, e, row);
    return !is_exhausted(f);
}

static int eliminate(forms *f, elimination *e)
{
    for (e->rank = 0; e->rank < e->rows; e->rank++) {
        size_t best = SIZE_MAX, best_row = 0, best_column = 0;
        for (size_t row = e->rank; row < e->rows && best; row++) {
            for (size_t k = 0; k < e->width && best; k++) {
                const size_t rank = pivot_rank(f, e, row, k);
                if (rank >= best) continue;
                best = rank;
                best_row = row;
                best_column = k;
            }
        }
        /* rows that are zero, or look so: to go on without them can only make the test harder to pass */
        if (best == SIZE_MAX) return 1;
        swap_rows(e, e->rank, best_row);
        e->column[e->rank] = best_column;
        for (size_t row = 0; row < e->rows; row++)
            if (row != e->rank && !clear_entry(f, e, row, e->rank, best_column)) return 0;
    }
    return 1;
}

/* D = product of the pivots;  X_f = D d/dx_f - sum over pivot rows of (D/d_p) P_pf d/dx_p. */
static int make_vectors(forms *f, elimination *e)
{
    mech_pool *p = f->pool;
    int is_pivot[FORMS_MOST + 1] = {0};
    e->product = EXPR_ONE;
    for (size_t r = 0; r < e->rank; r++) {
        const mech_expr pivot = e->P[r * e->width + e->column[r]];
        int is_new = !expr_is_number(p, pivot);
        is_pivot[e->column[r]] = 1;
        for (size_t q = 0; q < r; q++) is_new = is_new && e->P[q * e->width + e->column[q]].id != pivot.id;
        if (is_new) e->product = mech_mul(p, e->product, pivot);
    }
    e->vectors = 0;
    for (size_t k = 0; k < e->width; k++) {
        if (is_pivot[k]) continue;
        mech_expr *x = e->X + e->width * e->vectors++;
        for (size_t l = 0; l < e->width; l++) x[l] = l == k ? e->product : EXPR_ZERO;
        for (size_t r = 0; r < e->rank; r++) {
            const mech_expr pivot = e->P[r * e->width + e->column[r]];
            const mech_expr share = mech_div(p, mech_mul(p, e->product, e->P[r * e->width + k]), pivot);
            x[e->column[r]] = mech_neg(p, share);
        }
        for (size_t l = 0; l < e->width; l++)
            if (!x[l].id || !(x[l] = normal(f, x[l])).id) return 0;
    }
    return !is_exhausted(f);
}

/* ---- the test ---- */

static int push_term(forms *f, mech_expr **terms, size_t *capacity, size_t count, mech_expr term)
{
    if (!mem_grow(terms, capacity, count + 1, sizeof **terms)) {
        f->pool->status = MECH_ERR_MEMORY;
        return 0;
    }
    (*terms)[count] = term;
    return 1;
}

/* dw_j(X_a, X_b), not multiplied out. */
static mech_expr on_pair(forms *f, const elimination *e, const mech_expr *d, size_t a, size_t b)
{
    mech_expr *terms = NULL, result = {0};
    size_t capacity = 0, count = 0;
    int ok = 1;
    for (size_t k = 0; k < e->width && ok; k++) {
        for (size_t l = 0; l < e->width && ok; l++) {
            const mech_expr parts[3] = {d[k * e->width + l], e->X[a * e->width + k], e->X[b * e->width + l]};
            if (expr_is_zero(parts[0]) || expr_is_zero(parts[1]) || expr_is_zero(parts[2])) continue;
            ok = push_term(f, &terms, &capacity, count, mech_product(f->pool, parts, 3));
            count++;
        }
    }
    if (ok) result = count ? mech_sum(f->pool, terms, count) : EXPR_ZERO;
    mem_free(terms);
    return result;
}

static int passes(forms *f, const elimination *e, size_t j, mech_expr *d)
{
    for (size_t k = 0; k < e->width * e->width; k++) {
        d[k] = with_atoms(f, f->d[j * e->width * e->width + k]);
        if (!d[k].id) return 0;
    }
    for (size_t a = 0; a < e->vectors; a++)
        for (size_t b = a + 1; b < e->vectors; b++)
            if (is_exhausted(f) || !is_zero_identically(f, on_pair(f, e, d, a, b))) return 0;
    return 1;
}

/* The polynomials of all rows in the ideal. */
static int take_rows(forms *f, elimination *e)
{
    for (size_t j = 0; j < f->count; j++) {
        if (!f->is_in[j]) continue;
        mech_expr *row = e->P + e->width * e->rows++;
        for (size_t k = 0; k < e->width; k++) {
            row[k] = with_atoms(f, f->a[j * e->width + k]);
            if (!row[k].id) return 0;
        }
        if (!clear_denominators(f, row, e->width)) return 0;
        take_numbers(f, e, e->rows - 1);
    }
    return 1;
}

mech_status forms_test_symbols(forms *f, const int *is_asked, int *is_zero)
{
    const size_t width = f->n + 1;
    elimination e = {.width = width};
    e.P = mem_zeroed(f->count * width, sizeof *e.P);
    e.X = mem_zeroed(width * width, sizeof *e.X);
    e.numbers = mem_zeroed(f->count * FORMS_POINTS * width, sizeof *e.numbers);
    mech_expr *d = mem_zeroed(width * width, sizeof *d);
    const int is_out = !e.P || !e.X || !e.numbers || !d;
    const int ready = !is_out && take_rows(f, &e) && eliminate(f, &e) && make_vectors(f, &e);
    for (size_t j = 0; j < f->count; j++) is_zero[j] = ready && is_asked[j] && passes(f, &e, j, d);
    mem_free(e.P);
    mem_free(e.X);
    mem_free(e.numbers);
    mem_free(d);
    return is_out ? MECH_ERR_MEMORY : mech_pool_status(f->pool);
}
