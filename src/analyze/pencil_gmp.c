/* The pencil: M s^2 + F_v s + F_q on the left, -A' for the multipliers, and below it the rows: as they are
   (the motion's own modes) or twice differentiated with the gains (those of the excess variables too). */
#include "analyze/pencil_gmp.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- preparation ---- */

static mech_status add_symbol(pencil *p, const char *name)
{
    const mech_model *m = p->model;
    if (p->variables == POLY_VARIABLES) return MECH_ERR_LIMIT;
    const int k = p->variables;
    mech_expr symbol = {0};
    for (size_t i = 0; i < m->params_count; i++) {
        if (!mech_same_name(m->params[i].name, name)) continue;
        name = m->params[i].name;
        symbol = m->params[i].symbol;
        p->nominal[k] = m->params[i].number;
    }
    const int is_B = strcmp(name, "B") == 0, is_K = strcmp(name, "K") == 0;
    if (!symbol.id && !is_B && !is_K) return MECH_ERR_ARGUMENT;
    char *latex = symbol.id ? mech_print(m->pool, symbol, MECH_PRINT_LATEX) : NULL;
    if (symbol.id && !latex) return MECH_ERR_MEMORY;
    snprintf(p->name[0][k], POLY_NAME, "%s", name);
    snprintf(p->name[1][k], POLY_NAME, "%s", latex ? latex : name);
    mem_free(latex);
    if (!symbol.id) {
        *(is_B ? &p->gain_B : &p->gain_K) = k;
        p->nominal[k] = 100;
    }
    p->node[k] = symbol.id ? symbol.id : UINT32_MAX - (uint32_t)k;
    p->root[k] = 1;
    p->variables++;
    return MECH_OK;
}

static mech_status allocate(pencil *p)
{
    const mech_model *m = p->model;
    p->params = ratio_list(&p->g, m->params_count);
    p->rho = ratio_list(&p->g, m->rows_count);
    p->reaction = mem_zeroed(m->rows_count + 1, sizeof *p->reaction);
    if (!p->params || !p->rho || !p->reaction) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < m->rows_count; i++) {
        p->reaction[i] = m->rows[i].reaction;
        if (!p->reaction[i].id) p->reaction[i] = expr_symbol_create(m->pool, "reaction", EXPR_REACTION, 0, (uint32_t)i);
    }
    return mech_pool_status(m->pool);
}

/* Rows of constraints that wait for an event are not in force. */
static int is_waiting(const pencil *p, size_t row)
{
    return p->model->constraints[p->model->rows[row].constraint].waits;
}

/* Rows that are independent at the point, in their order, holonomic ones before the others. */
static mech_status choose_rows(pencil *p)
{
    const mech_model *m = p->model;
    const size_t n = m->coords_count;
    double basis[PENCIL_MOST][PENCIL_MOST];
    ratio entry = {0};
    for (int level = 0; level < 3; level++)
        for (size_t i = 0; i < m->rows_count && p->g.status == MECH_OK; i++) {
            if ((int)m->rows[i].level != level || is_waiting(p, i)) continue;
            double row[PENCIL_MOST] = {0}, own = 0, left = 0;
            for (size_t j = 0; j < n; j++) {
                pencil_convert(p, mech_model_A(m, i, j), &entry);
                if (p->g.status == MECH_OK) row[j] = ratio_value(&entry, p->nominal);
                own += row[j] * row[j];
            }
            for (int turn = 0; turn < 2; turn++)
                for (size_t k = 0; k < p->row_count; k++) {
                    double along = 0;
                    for (size_t j = 0; j < n; j++) along += row[j] * basis[k][j];
                    for (size_t j = 0; j < n; j++) row[j] -= along * basis[k][j];
                }
            for (size_t j = 0; j < n; j++) left += row[j] * row[j];
            if (!(left > 1e-18 * own) || p->row_count == n) continue;
            for (size_t j = 0; j < n; j++) basis[p->row_count][j] = row[j] / sqrt(left);
            p->rows[p->row_count++] = i;
        }
    ratio_clear(&entry);
    return p->g.status;
}

/* ---- multipliers at the point: [M -A'; A 0] [a; rho] = [Q + C; b] ---- */

static void law_force(pencil *p, size_t coordinate, ratio *to)
{
    const model_entries *C = &p->model->equations.C;
    ratio term = {0};
    for (size_t k = 0; k < C->count; k++) {
        if (C->items[k].row != coordinate) continue;
        pencil_convert(p, C->items[k].value, &term);
        ratio_add(&p->g, to, to, &term, 1);
    }
    ratio_clear(&term);
}

static ratio *cell(ratio *X, size_t size, size_t i, size_t j) { return &X[i + j * size]; }

static void fill_equation(pencil *p, ratio *X, size_t size)
{
    const mech_model *m = p->model;
    const size_t n = m->coords_count;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) pencil_convert(p, mech_model_M(m, i, j), cell(X, size, i, j));
        pencil_convert(p, mech_model_Q(m, i), cell(X, size, i, size));
        law_force(p, i, cell(X, size, i, size));
    }
    for (size_t k = 0; k < p->row_count; k++) {
        for (size_t j = 0; j < n; j++) {
            pencil_convert(p, mech_model_A(m, p->rows[k], j), cell(X, size, n + k, j));
            ratio_copy(&p->g, cell(X, size, j, n + k), cell(X, size, n + k, j));
            poly_negate(&cell(X, size, j, n + k)->num);
        }
        pencil_convert(p, mech_model_b(m, p->rows[k]), cell(X, size, n + k, size));
    }
}

/* Gauss and Jordan on size rows and size + 1 columns; 0: singular. */
static int eliminate(algebra *g, ratio *X, size_t size)
{
    ratio factor = {0}, product = {0};
    int regular = 1;
    for (size_t k = 0; k < size && regular && g->status == MECH_OK; k++) {
        size_t pivot = k;
        while (pivot < size && ratio_is_zero(cell(X, size, pivot, k))) pivot++;
        regular = pivot < size;
        for (size_t j = 0; regular && pivot != k && j <= size; j++)
            ratio_swap(cell(X, size, k, j), cell(X, size, pivot, j));
        for (size_t i = 0; regular && i < size && g->status == MECH_OK; i++) {
            if (i == k || ratio_is_zero(cell(X, size, i, k))) continue;
            ratio_divide(g, &factor, cell(X, size, i, k), cell(X, size, k, k));
            for (size_t j = k; j <= size; j++) {
                if (ratio_is_zero(cell(X, size, k, j))) continue;
                ratio_multiply(g, &product, &factor, cell(X, size, k, j));
                ratio_add(g, cell(X, size, i, j), cell(X, size, i, j), &product, -1);
            }
        }
    }
    ratio_clear(&factor);
    ratio_clear(&product);
    return regular;
}

/* Zero whatever the symbols are: looked at in a few places around the present values. */
static int vanishes(const pencil *p, const ratio *r)
{
    double values[POLY_VARIABLES];
    for (int turn = 0; turn < 4; turn++) {
        for (int k = 0; k < POLY_VARIABLES; k++) values[k] = p->nominal[k] * (1 + turn * 0.37 / (1 + k));
        if (!(fabs(ratio_value(r, values)) < 1e-7)) return 0;
    }
    return 1;
}

static mech_status solve_multipliers(pencil *p)
{
    const size_t n = p->model->coords_count, size = n + p->row_count, cells = size * (size + 1);
    ratio *X = ratio_list(&p->g, cells);
    if (X) fill_equation(p, X, size);
    if (p->g.status == MECH_OK && !eliminate(&p->g, X, size)) p->g.status = MECH_ERR_SINGULAR_MASS;
    p->holds = 1;
    for (size_t i = 0; i < size && p->g.status == MECH_OK; i++) {
        ratio *x = cell(X, size, i, size);
        ratio_divide(&p->g, x, x, cell(X, size, i, i));
        if (i < n) p->holds = p->holds && vanishes(p, x);
        else ratio_copy(&p->g, &p->rho[p->rows[i - n]], x);
    }
    ratio_list_free(X, cells);
    pencil_forget(p);
    return p->g.status;
}

/* The point must lie on the constraints, and move as `steady` says, whatever the symbols are. */
static mech_status check_rows(pencil *p)
{
    const mech_model *m = p->model;
    ratio value = {0};
    for (size_t i = 0; i < m->steadies_count && p->g.status == MECH_OK; i++) {
        pencil_convert(p, mech_sub(m->pool, m->steadies[i].velocity, m->steadies[i].value), &value);
        if (p->g.status == MECH_OK && !vanishes(p, &value)) p->holds = 0;
    }
    for (size_t i = 0; i < m->rows_count && p->g.status == MECH_OK; i++) {
        const mech_expr both[2] = {m->equations.r[i], m->equations.r_dot[i]};
        for (int k = 0; k < 2; k++) {
            if (!both[k].id || is_waiting(p, i)) continue;
            pencil_convert(p, both[k], &value);
            if (p->g.status == MECH_OK && !vanishes(p, &value)) p->holds = 0;
        }
    }
    ratio_clear(&value);
    return p->g.status;
}

mech_status pencil_prepare(pencil *p, const mech_model *given, const mech_symbolic_options *options)
{
    const mech_model *model = p->model = model_twin(given);
    if (!model) return MECH_ERR_MEMORY;
    p->options = options;
    p->variables = 1;
    p->root[0] = 1;
    p->name[0][0][0] = p->name[1][0][0] = 's';
    if (model->coords_count + model->states_count > PENCIL_MOST) return MECH_ERR_LIMIT;
    if (model->frictions_count) return MECH_ERR_UNSUPPORTED;
    for (size_t i = 0; i < model->constraints_count; i++)
        if (model->constraints[i].is_control) return MECH_ERR_UNSUPPORTED;
    for (size_t i = 0; i < model->laws_count; i++)
        if (model->laws[i].kind == MECH_LAW_Z) return MECH_ERR_UNSUPPORTED;
    for (size_t i = 0; i < model->equations.C.count; i++)
        if (expr_classes(model->pool, model->equations.C.items[i].value) & EXPR_REACTION) return MECH_ERR_UNSUPPORTED;
    for (size_t i = 0; i < options->symbol_count; i++) MECH_TRY(add_symbol(p, options->symbols[i]));
    MECH_TRY(allocate(p));
    MECH_TRY(pencil_prepare_params(p));
    MECH_TRY(choose_rows(p));
    if (model->coords_count + p->row_count + model->states_count > PENCIL_MOST) return MECH_ERR_LIMIT;
    MECH_TRY(solve_multipliers(p));
    return check_rows(p);
}

void pencil_free(pencil *p)
{
    pencil_forget(p);
    mem_free(p->memo);
    ratio_list_free(p->params, p->model ? p->model->params_count : 0);
    ratio_list_free(p->rho, p->model ? p->model->rows_count : 0);
    mem_free(p->reaction);
    model_twin_free(p->model);
}

/* ---- the pencil ---- */

/* entry += value * s^power */
static void add_entry(pencil *p, ratio *entry, const ratio *value, unsigned power)
{
    ratio term = {0};
    ratio_set_variable(&p->g, &term, 0, power);
    ratio_multiply(&p->g, &term, &term, value);
    ratio_add(&p->g, entry, entry, &term, 1);
    ratio_clear(&term);
}

/* Row `at` of X gets factor * gradient of e: by q, v (times s), a (times s^2), states, multipliers. */
static void add_gradient(pencil *p, mech_expr e, const ratio *factor, ratio *X, size_t size, size_t at)
{
    const mech_model *m = p->model;
    expr_gradient gradient = {0};
    ratio value = {0};
    const unsigned all = EXPR_COORD | EXPR_VELOCITY | EXPR_ACCELERATION | EXPR_STATE | EXPR_REACTION;
    if (p->g.status == MECH_OK && e.id && expr_classes(m->pool, e) & all)
        p->g.status = expr_gradient_of(m->pool, e, all, &gradient);
    for (size_t i = 0; i < gradient.count && p->g.status == MECH_OK; i++) {
        const expr_symbol *s = expr_symbol_of(m->pool, gradient.items[i].symbol);
        const unsigned power = s->class_bit == EXPR_VELOCITY ? 1 : s->class_bit == EXPR_ACCELERATION ? 2 : 0;
        size_t column = s->index;
        if (s->class_bit == EXPR_STATE) column += m->coords_count + p->row_count;
        if (s->class_bit == EXPR_REACTION) {
            size_t k = 0;
            while (k < p->row_count && p->reaction[p->rows[k]].id != gradient.items[i].symbol.id) k++;
            if (k == p->row_count) continue;
            column = m->coords_count + k;
        }
        pencil_convert(p, gradient.items[i].derivative, &value);
        ratio_multiply(&p->g, &value, &value, factor);
        add_entry(p, cell(X, size, at, column), &value, power);
    }
    ratio_clear(&value);
    expr_gradient_free(&gradient);
}

static void motion_row(pencil *p, size_t i, const ratio *one, ratio *X, size_t size)
{
    const mech_model *m = p->model;
    mech_pool *pool = m->pool;
    mech_expr sum = mech_neg(pool, mech_model_Q(m, i));
    for (size_t j = 0; j < m->coords_count; j++)
        sum = mech_add(pool, sum, mech_mul(pool, mech_model_M(m, i, j), m->coords[j].a));
    for (size_t k = 0; k < p->row_count; k++)
        sum = mech_sub(pool, sum, mech_mul(pool, mech_model_A(m, p->rows[k], i), p->reaction[p->rows[k]]));
    for (size_t k = 0; k < m->equations.C.count; k++)
        if (m->equations.C.items[k].row == i) sum = mech_sub(pool, sum, m->equations.C.items[k].value);
    add_gradient(p, sum, one, X, size, i);
}

/* The gain on a row as a ratio: a symbol, or the model's, or none. */
static void gain_of(pencil *p, size_t row, int is_K, ratio *to)
{
    const mech_model *m = p->model;
    const int variable = is_K ? p->gain_K : p->gain_B;
    ratio_set_integer(&p->g, to, 0);
    if (variable) {
        ratio_set_variable(&p->g, to, variable, 1);
        return;
    }
    for (size_t k = m->stabilizers_count; k-- > 0;) {
        const model_stabilize *s = &m->stabilizers[k];
        const mech_expr *gain = is_K ? s->stiffness : s->damping;
        const size_t count = is_K ? s->stiffness_count : s->damping_count;
        size_t place = row;
        int speaks = s->constraint_count == 0;
        for (size_t c = 0, before = 0; c < s->constraint_count; c++) {
            const model_constraint *owner = &m->constraints[s->constraints[c]];
            if (row >= owner->first_row && row - owner->first_row < owner->row_count) {
                speaks = 1;
                place = before + row - owner->first_row;
            }
            before += owner->row_count;
        }
        if (!speaks || count == 0 || !gain[0].id) continue;
        pencil_convert(p, gain[count == 1 ? 0 : place < count ? place : 0], to);
        return;
    }
}

static void constraint_row(pencil *p, size_t k, int is_full, const ratio *one, ratio *X, size_t size)
{
    const mech_model *m = p->model;
    mech_pool *pool = m->pool;
    const size_t row = p->rows[k], at = m->coords_count + k;
    const model_level level = m->rows[row].level;
    if (!is_full && level != MODEL_ACCELERATION) {
        add_gradient(p, level == MODEL_HOLONOMIC ? m->equations.r[row] : m->equations.r_dot[row], one, X, size, at);
        return;
    }
    mech_expr sum = mech_neg(pool, mech_model_b(m, row));
    for (size_t j = 0; j < m->coords_count; j++)
        sum = mech_add(pool, sum, mech_mul(pool, mech_model_A(m, row, j), m->coords[j].a));
    add_gradient(p, sum, one, X, size, at);
    ratio gain = {0};
    gain_of(p, row, 0, &gain);
    if (!ratio_is_zero(&gain)) add_gradient(p, m->equations.r_dot[row], &gain, X, size, at);
    gain_of(p, row, 1, &gain);
    if (!ratio_is_zero(&gain) && level == MODEL_HOLONOMIC) add_gradient(p, m->equations.r[row], &gain, X, size, at);
    ratio_clear(&gain);
}

static void fill_pencil(pencil *p, int is_full, ratio *X, size_t size)
{
    const mech_model *m = p->model;
    ratio one = {0};
    ratio_set_integer(&p->g, &one, 1);
    for (size_t i = 0; i < m->coords_count; i++) motion_row(p, i, &one, X, size);
    for (size_t k = 0; k < p->row_count; k++) constraint_row(p, k, is_full, &one, X, size);
    for (size_t i = 0; i < m->states_count; i++) {
        const size_t at = m->coords_count + p->row_count + i;
        add_gradient(p, mech_neg(m->pool, m->states[i].rate), &one, X, size, at);
        add_entry(p, cell(X, size, at, at), &one, 1);
    }
    ratio_clear(&one);
}

/* Each row times the least common denominator of it. */
static void clear_denominators(algebra *g, const ratio *X, size_t size, poly *Y)
{
    poly common = {0}, part = {0};
    for (size_t i = 0; i < size && g->status == MECH_OK; i++) {
        poly_set_one(g, &common);
        for (size_t j = 0; j < size && g->status == MECH_OK; j++) {
            const poly *den = &X[i + j * size].den;
            poly_gcd(g, &part, &common, den);
            if (g->status == MECH_OK && poly_divide(g, &part, den, &part)) poly_multiply(g, &common, &common, &part);
        }
        for (size_t j = 0; j < size && g->status == MECH_OK; j++) {
            (void)poly_divide(g, &part, &common, &X[i + j * size].den);
            poly_multiply(g, &Y[i + j * size], &X[i + j * size].num, &part);
        }
    }
    poly_clears(&common, &part, NULL);
}

/* The row with the fewest terms in column k; size: none. */
static size_t shortest_pivot(const poly *Y, size_t size, size_t k)
{
    size_t best = size;
    for (size_t i = k; i < size; i++) {
        const size_t count = Y[i + k * size].count;
        if (count && (best == size || count < Y[best + k * size].count)) best = i;
    }
    return best;
}

/* Bareiss: every division is exact. The sign is not kept. */
static void determinant(algebra *g, poly *Y, size_t size, poly *result)
{
    poly last = {0}, product = {0};
    poly_set_one(g, &last);
    for (size_t k = 0; k + 1 < size && g->status == MECH_OK; k++) {
        const size_t pivot = shortest_pivot(Y, size, k);
        if (pivot == size) {
            g->status = MECH_ERR_SINGULAR_MASS;
            break;
        }
        for (size_t j = k; j < size && pivot != k; j++) poly_swap(&Y[k + j * size], &Y[pivot + j * size]);
        for (size_t i = k + 1; i < size; i++)
            for (size_t j = k + 1; j < size && g->status == MECH_OK; j++) {
                poly *y = &Y[i + j * size];
                poly_multiply(g, &product, &Y[i + k * size], &Y[k + j * size]);
                poly_multiply(g, y, y, &Y[k + k * size]);
                poly_add(g, y, y, &product, -1);
                if (g->status == MECH_OK) (void)poly_divide(g, y, y, &last);
            }
        poly_copy(g, &last, &Y[k + k * size]);
    }
    if (size) poly_swap(result, &Y[size * size - 1]);
    else poly_set_one(g, result);
    poly_clears(&last, &product, NULL);
}

/* No common factor free of s, leading coefficient positive at the present values. */
static void normalise(pencil *p, poly *d)
{
    poly content = {0};
    poly_primitive(&p->g, d, &content, 0);
    poly_coefficient(&p->g, &content, d, 0, poly_degree(d, 0));
    if (p->g.status == MECH_OK && poly_value(&content, p->nominal) < 0) poly_negate(d);
    poly_clear(&content);
}

mech_status pencil_determinant(pencil *p, int is_full, poly *result)
{
    const size_t size = p->model->coords_count + p->row_count + p->model->states_count, cells = size * size;
    ratio *X = ratio_list(&p->g, cells);
    poly *Y = mem_zeroed(cells + 1, sizeof *Y);
    if (!Y) p->g.status = MECH_ERR_MEMORY;
    if (X && Y) {
        fill_pencil(p, is_full, X, size);
        if (p->g.status == MECH_OK) clear_denominators(&p->g, X, size, Y);
        if (p->g.status == MECH_OK) determinant(&p->g, Y, size, result);
        if (p->g.status == MECH_OK && poly_is_zero(result)) p->g.status = MECH_ERR_SINGULAR_MASS;
        if (p->g.status == MECH_OK) normalise(p, result);
    }
    ratio_list_free(X, cells);
    for (size_t i = 0; Y && i < cells; i++) poly_clear(&Y[i]);
    mem_free(Y);
    return p->g.status;
}
