/* Whether linear nonholonomic rows are integrable: Frobenius' test on all constraints together.
 *
 * Each holonomic row and each row linear in the velocities is a differential form over (q, t),
 * w = sum a_k dq_k + a_0 dt. A row is integrable together with the others when dw is zero on all vectors that
 * the forms annihilate, and when that stays so after the rows that fail are taken out. Refuted is what is
 * clearly not zero at random points of the holonomic rows; proven is what is zero identically, by symbols;
 * all else is undecided. Rows that share no coordinates are tested apart. */
#include "model/integrable.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

/* ---- the forms of a group ---- */

static mech_expr import_symbol(forms *f, uint32_t id)
{
    const mech_pool *from = f->m->pool;
    const size_t number = from->nodes[id].first;
    const expr_symbol s = from->symbols[number];
    if (f->shared->image[number]) return (mech_expr){f->shared->image[number]};
    const mech_expr symbol = expr_symbol_create(f->pool, s.name, (expr_class)s.class_bit, s.order, (uint32_t)number);
    if (!symbol.id) return symbol;
    f->shared->image[number] = symbol.id;
    if (s.class_bit == EXPR_TIME) expr_symbol_set_dot(f->pool, symbol, EXPR_ONE);
    /* u, u', u'' of an input: a chain of three */
    if (s.class_bit == EXPR_INPUT && s.dot.id) expr_symbol_set_dot(f->pool, symbol, import_symbol(f, s.dot.id));
    return symbol;
}

static mech_expr import_number(forms *f, uint32_t id)
{
    const expr_number *n = expr_number_of(f->m->pool, (mech_expr){id});
    return n->den ? mech_rational(f->pool, n->num, n->den) : mech_number(f->pool, n->value);
}

/* image: of the operands that are expressions; numbers are made anew */
static mech_expr import_node(forms *f, uint32_t id, const mech_expr *image)
{
    const mech_pool *from = f->m->pool;
    const expr_node n = from->nodes[id];
    const uint32_t *o = &from->operands[n.first];
    if (n.kind == EXPR_NUM) return import_number(f, id);
    if (n.kind == EXPR_PI) return mech_pi(f->pool);
    if (n.kind == EXPR_SYM) return import_symbol(f, id);
    if (n.kind == EXPR_HELD) return image[from->local[o[0]]];
    mech_expr *parts = mem_alloc((n.count + 1) * sizeof *parts), result = {0};
    size_t count = 0;
    if (!parts) return result;
    if (n.kind == EXPR_FUN) {
        for (uint32_t i = 0; i < n.count; i++) parts[count++] = image[from->local[o[i]]];
        result = mech_call(f->pool, (mech_function)n.function, parts, count);
    } else if (n.kind == EXPR_ADD) {
        parts[count++] = import_number(f, o[0]);
        for (uint32_t i = 1; i < n.count; i += 2)
            parts[count++] = mech_mul(f->pool, import_number(f, o[i]), image[from->local[o[i + 1]]]);
        result = mech_sum(f->pool, parts, count);
    } else {
        for (uint32_t i = 0; i < n.count; i += 2)
            parts[count++] = mech_pow(f->pool, image[from->local[o[i]]], import_number(f, o[i + 1]));
        result = mech_product(f->pool, parts, count);
    }
    mem_free(parts);
    return result;
}

/* An expression of the model in the forms' own pool. */
static mech_status import(forms *f, mech_expr e, mech_expr *out)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    *out = EXPR_ZERO;
    if (expr_is_zero(e)) return MECH_OK;
    mech_status status = expr_reachable(f->m->pool, &e, 1, &ids, &capacity, &count);
    mech_expr *image = status == MECH_OK ? mem_alloc(count * sizeof *image) : NULL;
    if (!image) status = MECH_ERR_MEMORY;
    for (size_t i = 0; i < count && status == MECH_OK; i++) {
        image[i] = import_node(f, ids[i], image);
        if (!image[i].id) status = mech_pool_status(f->pool) == MECH_OK ? MECH_ERR_MEMORY : mech_pool_status(f->pool);
        *out = image[i];
    }
    mem_free(image);
    mem_free(ids);
    return status;
}

/* da/dx_k for all k; time moves the inputs along. *is_known = 0 where an input has no further derivative. */
static mech_status partials(forms *f, mech_expr a, expr_gradient *g, mech_expr *out, int *is_known)
{
    for (size_t k = 0; k <= f->n; k++) out[k] = EXPR_ZERO;
    MECH_TRY(expr_gradient_of(f->pool, a, EXPR_COORD | EXPR_TIME | EXPR_INPUT, g));
    for (size_t i = 0; i < g->count; i++) {
        const expr_symbol *s = expr_symbol_of(f->pool, g->items[i].symbol);
        size_t k = 0;
        if (s->class_bit == EXPR_COORD) {
            while (k < f->n && expr_at(f->m->pool, f->m->coords[f->coord[k]].q)->first != s->index) k++;
            out[k] = g->items[i].derivative;
        } else if (!s->dot.id) {
            *is_known = 0;
        } else {
            out[f->n] = mech_add(f->pool, out[f->n], mech_mul(f->pool, g->items[i].derivative, s->dot));
        }
    }
    return mech_pool_status(f->pool);
}

/* d_kl = da_l/dx_k - da_k/dx_l */
static mech_status differentiate(forms *f, size_t j, expr_gradient *g, int *is_known)
{
    const size_t width = f->n + 1;
    mech_expr slope[FORMS_MOST + 1], *d = f->d + j * width * width;
    for (size_t k = 0; k < width * width; k++) d[k] = EXPR_ZERO;
    for (size_t l = 0; l < width && !f->is_exact[j]; l++) {
        MECH_TRY(partials(f, f->a[j * width + l], g, slope, is_known));
        for (size_t k = 0; k < width; k++) {
            if (k == l || expr_is_zero(slope[k])) continue;
            d[k * width + l] = mech_add(f->pool, d[k * width + l], slope[k]);
            d[l * width + k] = mech_sub(f->pool, d[l * width + k], slope[k]);
        }
    }
    return mech_pool_status(f->pool);
}

/* Entries of the rows of A that the group has, and a_0. */
static mech_status import_rows(forms *f, int *is_known)
{
    const model_equations *e = &f->m->equations;
    const size_t width = f->n + 1;
    expr_gradient g = {0};
    mech_status status = MECH_OK;
    for (size_t k = 0; k < f->count * width; k++) f->a[k] = EXPR_ZERO;
    for (size_t j = 0; j < f->count; j++) {
        const size_t *first = f->shared->first_entry + f->row[j];
        for (size_t i = first[0]; i < first[1] && status == MECH_OK; i++) {
            size_t k = 0;
            while (k < f->n && f->coord[k] != e->A.items[i].column) k++;
            if (k < f->n) status = import(f, e->A.items[i].value, &f->a[j * width + k]);
        }
    }
    for (size_t j = 0; j < f->count && status == MECH_OK; j++) {
        status = import(f, e->a0[f->row[j]], &f->a[j * width + f->n]);
        if (status == MECH_OK && f->is_exact[j]) status = import(f, f->m->rows[f->row[j]].residual, &f->phi[j]);
        if (status == MECH_OK) status = differentiate(f, j, &g, is_known);
    }
    expr_gradient_free(&g);
    return status;
}

static mech_status import_signals(forms *f)
{
    for (size_t i = 0; i < f->m->inputs_count; i++) {
        if (!f->m->inputs[i].signal.id) continue;
        MECH_TRY(import(f, f->m->inputs[i].signal, &f->signal[3 * i]));
        f->signal[3 * i + 1] = mech_dot(f->pool, f->signal[3 * i]);
        f->signal[3 * i + 2] = mech_dot(f->pool, f->signal[3 * i + 1]);
    }
    return mech_pool_status(f->pool);
}

static mech_status forms_fill(forms *f, int *is_known)
{
    const size_t width = f->n + 1;
    f->pool = mech_pool_create();
    f->signal = mem_zeroed(3 * f->m->inputs_count + 1, sizeof *f->signal);
    f->a = mem_zeroed(f->count * width, sizeof *f->a);
    f->d = mem_zeroed(f->count * width * width, sizeof *f->d);
    if (!f->pool || !f->signal || !f->a || !f->d) return MECH_ERR_MEMORY;
    MECH_TRY(import_rows(f, is_known));
    return import_signals(f);
}

static void forms_clear(forms *f)
{
    for (size_t i = 0; f->pool && i < f->pool->symbol_count; i++)
        if (f->pool->symbols[i].class_bit != EXPR_REACTION) f->shared->image[f->pool->symbols[i].index] = 0;
    mech_pool_free(f->pool);
    mem_free(f->signal);
    mem_free(f->a);
    mem_free(f->d);
    mem_free(f->atoms);
    for (size_t p = 0; p < FORMS_POINTS; p++) {
        mem_free(f->A[p]);
        mem_free(f->D[p]);
    }
}

/* ---- the verdict ---- */

/* Takes out what is not zero in numbers, until the rest stays. What fails at once is refuted; what fails
   only without others is, if these others were all that can be missing. */
static mech_status refute(forms *f, model_integrable *verdict)
{
    forms_finding finding[FORMS_MOST];
    int is_sure = !f->has_others, is_complete;
    for (int again = 1; again;) {
        again = 0;
        MECH_TRY(forms_test_numbers(f, finding, &is_complete));
        const int was_sure = is_sure;
        for (size_t j = 0; j < f->count; j++) {
            if (finding[j] == FORMS_ZERO) continue;
            verdict[j] =
                finding[j] == FORMS_NONZERO && was_sure ? MODEL_INTEGRABLE_REFUTED : MODEL_INTEGRABLE_UNDECIDED;
            is_sure = is_sure && finding[j] == FORMS_NONZERO && is_complete;
            f->is_in[j] = 0;
            again = 1;
        }
    }
    return MECH_OK;
}

static int is_closed(const forms *f, size_t j)
{
    const size_t size = (f->n + 1) * (f->n + 1);
    for (size_t k = 0; k < size; k++)
        if (!expr_is_zero(f->d[j * size + k])) return 0;
    return 1;
}

/* Whether a row is integrable by itself: then it is with any others. */
static mech_status prove_alone(forms *f, size_t j, int *is_proven)
{
    int is_in[FORMS_MOST], is_asked[FORMS_MOST] = {0}, is_zero[FORMS_MOST] = {0};
    mech_status status = MECH_OK;
    memcpy(is_in, f->is_in, sizeof is_in);
    memset(f->is_in, 0, sizeof f->is_in);
    f->is_in[j] = is_asked[j] = 1;
    *is_proven = is_closed(f, j);
    if (!*is_proven) status = forms_test_symbols(f, is_asked, is_zero);
    if (is_zero[j]) *is_proven = 1;
    memcpy(f->is_in, is_in, sizeof is_in);
    return status;
}

/* What is zero by symbols, each row alone or else together; takes out what is not, until the rest stays. */
static mech_status prove(forms *f, model_integrable *verdict)
{
    int is_asked[FORMS_MOST] = {0}, is_zero[FORMS_MOST], again = 0;
    for (size_t j = 0; j < f->count; j++) {
        int is_proven;
        if (!f->is_in[j] || f->is_exact[j]) continue;
        MECH_TRY(prove_alone(f, j, &is_proven));
        verdict[j] = is_proven ? MODEL_INTEGRABLE_PROVEN : MODEL_INTEGRABLE_UNDECIDED;
        is_asked[j] = !is_proven;
        again |= is_asked[j];
    }
    while (again) {
        again = 0;
        MECH_TRY(forms_test_symbols(f, is_asked, is_zero));
        for (size_t j = 0; j < f->count; j++) {
            if (!is_asked[j]) continue;
            verdict[j] = is_zero[j] ? MODEL_INTEGRABLE_PROVEN : MODEL_INTEGRABLE_UNDECIDED;
            if (is_zero[j]) continue;
            f->is_in[j] = is_asked[j] = 0;
            again = 1;
        }
    }
    return MECH_OK;
}

static mech_status decide(forms *f, model_integrable *verdict)
{
    int is_known = 1;
    MECH_TRY(forms_fill(f, &is_known));
    if (!is_known) return MECH_OK;
    MECH_TRY(forms_sample(f));
    if (f->points < 2) return MECH_OK;
    MECH_TRY(refute(f, verdict));
    return prove(f, verdict);
}

/* ---- groups of rows that share coordinates ---- */

typedef struct grouping {
    mech_model *m;
    size_t *parent;                                          /* of each coordinate; a root is its own        */
    size_t *root;                                            /* of each row; SIZE_MAX: it takes no part      */
    size_t *first_coord, *next_coord, *first_row, *next_row; /* lists by root, ending in SIZE_MAX */
    int with_control;
    forms_shared shared;
} grouping;

static size_t find_root(const grouping *g, size_t i)
{
    while (g->parent[i] != i) i = g->parent[i] = g->parent[g->parent[i]];
    return i;
}

static int is_candidate(const grouping *g, const model_row *r)
{
    return r->level == MODEL_NONHOLONOMIC && r->is_linear &&
           g->m->constraints[r->constraint].is_control == g->with_control;
}

/* A row that binds velocities: not one of accelerations, and of control only when that is looked at. */
static int takes_part(const grouping *g, const model_row *r)
{
    return r->level != MODEL_ACCELERATION && (g->with_control || !g->m->constraints[r->constraint].is_control);
}

static mech_status join_rows(const grouping *g)
{
    const mech_pool *p = g->m->pool;
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    mech_status status = MECH_OK;
    for (size_t i = 0; i < g->m->coords_count; i++) g->parent[i] = i;
    for (size_t row = 0; row < g->m->rows_count && status == MECH_OK; row++) {
        g->root[row] = SIZE_MAX;
        if (!takes_part(g, &g->m->rows[row])) continue;
        status = expr_reachable(g->m->pool, &g->m->rows[row].residual, 1, &ids, &capacity, &count);
        for (size_t i = 0; i < count && status == MECH_OK; i++) {
            const expr_node *n = &p->nodes[ids[i]];
            if (n->kind != EXPR_SYM || !(n->classes & (EXPR_COORD | EXPR_VELOCITY))) continue;
            const size_t root = find_root(g, p->symbols[n->first].index);
            if (g->root[row] == SIZE_MAX) g->root[row] = root;
            else g->parent[root] = find_root(g, g->root[row]);
        }
    }
    mem_free(ids);
    return status;
}

static void make_lists(const grouping *g)
{
    for (size_t i = 0; i < g->m->coords_count; i++) g->first_coord[i] = g->first_row[i] = SIZE_MAX;
    for (size_t i = g->m->coords_count; i-- > 0;) {
        const size_t root = find_root(g, i);
        g->next_coord[i] = g->first_coord[root];
        g->first_coord[root] = i;
    }
    for (size_t row = g->m->rows_count; row-- > 0;) {
        if (g->root[row] == SIZE_MAX) continue;
        g->root[row] = find_root(g, g->root[row]);
        g->next_row[row] = g->first_row[g->root[row]];
        g->first_row[g->root[row]] = row;
    }
}

/* The group with this root: 1, or 0 when it is too large. */
static int gather(const grouping *g, size_t root, forms *f)
{
    for (size_t i = g->first_coord[root]; i != SIZE_MAX; i = g->next_coord[i]) {
        if (f->n == FORMS_MOST) return 0;
        f->coord[f->n++] = i;
    }
    for (size_t row = g->first_row[root]; row != SIZE_MAX; row = g->next_row[row]) {
        const model_row *r = &g->m->rows[row];
        if (!r->is_linear || (expr_classes(g->m->pool, r->residual) & EXPR_STATE)) {
            f->has_others = 1;
            continue;
        }
        if (f->count == FORMS_MOST) return 0;
        f->is_exact[f->count] = r->level == MODEL_HOLONOMIC;
        f->is_in[f->count] = 1;
        f->row[f->count++] = row;
    }
    return 1;
}

static mech_status test_group(const grouping *g, size_t root)
{
    model_integrable verdict[FORMS_MOST];
    forms *f = mem_zeroed(1, sizeof *f);
    if (!f) return MECH_ERR_MEMORY;
    f->m = g->m;
    f->shared = &g->shared;
    mech_status status = MECH_OK;
    for (size_t j = 0; j < FORMS_MOST; j++) verdict[j] = MODEL_INTEGRABLE_UNDECIDED;
    if (gather(g, root, f)) status = decide(f, verdict);
    else f->count = 0;
    if (status == MECH_ERR_LIMIT) status = MECH_OK; /* of the forms' pool */
    for (size_t row = g->first_row[root]; row != SIZE_MAX; row = g->next_row[row])
        if (is_candidate(g, &g->m->rows[row])) g->m->rows[row].integrable = MODEL_INTEGRABLE_UNDECIDED;
    for (size_t j = 0; j < f->count; j++) {
        model_row *r = &g->m->rows[f->row[j]];
        if (is_candidate(g, r)) r->integrable = verdict[j];
    }
    forms_clear(f);
    mem_free(f);
    return status;
}

static double start_value(void *user, const expr_symbol *symbol)
{
    const mech_model *m = user;
    return symbol->class_bit == EXPR_PARAM ? m->params[symbol->index].number : 0; /* and t = 0 */
}

/* Where each coordinate starts by the model's own word, else 0; and where the rows of A begin. */
static mech_status fill_shared(const grouping *g)
{
    mech_model *m = g->m;
    const forms_shared *s = &g->shared;
    for (size_t i = 0; i < m->initials_count; i++) {
        const mech_expr target = m->initials[i].target;
        double x;
        if (!expr_is_symbol(m->pool, target) || expr_symbol_of(m->pool, target)->class_bit != EXPR_COORD) continue;
        MECH_TRY(expr_evaluate(m->pool, m->initials[i].value, start_value, m, &x));
        if (isfinite(x)) s->start[expr_symbol_of(m->pool, target)->index] = x;
    }
    size_t row = 0;
    for (size_t i = 0; i < m->equations.A.count; i++)
        while (row <= m->equations.A.items[i].row) s->first_entry[row++] = i;
    while (row <= m->rows_count) s->first_entry[row++] = m->equations.A.count;
    return MECH_OK;
}

static int allocate(grouping *g)
{
    const size_t n = g->m->coords_count, rows = g->m->rows_count, symbols = g->m->pool->symbol_count;
    forms_shared *s = &g->shared;
    int ok =
        (g->parent = mem_zeroed(3 * n + 1, sizeof *g->parent)) && (g->root = mem_zeroed(2 * rows + 1, sizeof *g->root));
    ok = ok && (g->first_row = mem_zeroed(n + 1, sizeof *g->first_row)) &&
         (s->image = mem_zeroed(symbols + 1, sizeof *s->image));
    ok = ok && (s->start = mem_zeroed(n + 1, sizeof *s->start));
    ok = ok && (s->first_entry = mem_zeroed(rows + 1, sizeof *s->first_entry));
    for (size_t p = 0; p < FORMS_POINTS && ok; p++)
        ok = (s->value[p] = mem_zeroed(symbols + 1, sizeof(double))) != NULL;
    if (!ok) return 0;
    g->first_coord = g->parent + n;
    g->next_coord = g->parent + 2 * n;
    g->next_row = g->root + rows;
    return 1;
}

static void release(grouping *g)
{
    mem_free(g->parent);
    mem_free(g->root);
    mem_free(g->first_row);
    mem_free(g->shared.image);
    mem_free(g->shared.start);
    mem_free(g->shared.first_entry);
    for (size_t p = 0; p < FORMS_POINTS; p++) mem_free(g->shared.value[p]);
}

static mech_status test_rows(mech_model *m, int with_control)
{
    grouping g = {.m = m, .with_control = with_control};
    size_t candidates = 0;
    for (size_t row = 0; row < m->rows_count; row++) candidates += (size_t)is_candidate(&g, &m->rows[row]);
    if (!candidates) return MECH_OK;
    mech_status status = allocate(&g) ? fill_shared(&g) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = join_rows(&g);
    if (status == MECH_OK) make_lists(&g);
    for (size_t row = 0; row < m->rows_count && status == MECH_OK; row++) {
        const model_row *r = &m->rows[row];
        if (is_candidate(&g, r) && r->integrable == MODEL_INTEGRABLE_NONE) status = test_group(&g, g.root[row]);
    }
    release(&g);
    return status;
}

mech_status model_test_integrable(mech_model *m)
{
    MECH_TRY(test_rows(m, 0));
    return test_rows(m, 1);
}
