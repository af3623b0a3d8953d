/* Expressions at a point as ratios of polynomials in the symbols. Functions of symbols become variables of
 * their own. */
#include "analyze/integer_gmp.h"
#include "analyze/pencil_gmp.h"

#include "base/mem.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* A double that is a short decimal is taken as that; noise is zero; else twelve digits of it. */
static void set_double(pencil *p, ratio *to, double value)
{
    char text[NUMBER_TEXT_SIZE];
    mpq_t q;
    mpq_init(q);
    if (fabs(value) > 1e-12) {
        number_general(value, 12, text);
        double back;
        if (!number_read(text, strlen(text), &back) || back != value) p->is_inexact = 1;
        (void)integer_read(q, text);
    } else if (value != 0) {
        p->is_inexact = 1;
    }
    if (!isfinite(value)) p->g.status = MECH_ERR_NOT_FINITE;
    ratio_set_rational(&p->g, to, q);
    mpq_clear(q);
}

static void set_inexact(pencil *p, ratio *to, double value)
{
    set_double(p, to, value);
    p->is_inexact = 1;
}

/* Coordinates come from an iteration: 1e-17 is 0, 1.2000000000000002 is 1.2. Whether that is an equilibrium
   the residual tells. */
static void set_coordinate(pencil *p, ratio *to, double value)
{
    char text[NUMBER_TEXT_SIZE];
    double back;
    number_general(value, 14, text);
    if (fabs(value) < 1e-12) back = 0;
    else if (strlen(text) > 12 || !number_read(text, strlen(text), &back)) back = value;
    set_double(p, to, back);
}

static void set_node_number(pencil *p, ratio *to, const expr_number *number)
{
    mpq_t q;
    if (number->den == 0) {
        set_inexact(p, to, number->value);
        return;
    }
    mpq_init(q);
    mpq_set_si(q, number->num, (unsigned long)number->den);
    ratio_set_rational(&p->g, to, q);
    mpq_clear(q);
}

/* ---- variables that stand for functions ---- */

static double value_of_symbol(void *user, const expr_symbol *s)
{
    const pencil *p = user;
    switch (s->class_bit) {
    case EXPR_PARAM: return ratio_value(&p->params[s->index], p->nominal);
    case EXPR_TIME: return p->options->t;
    case EXPR_COORD: return p->options->q[s->index];
    case EXPR_VELOCITY: return p->options->v[s->index];
    case EXPR_STATE: return p->options->z ? p->options->z[s->index] : 0;
    default: return 0;
    }
}

static void name_variable(pencil *p, int k, mech_expr e, unsigned root)
{
    for (int format = 0; format < 2; format++) {
        char *text = mech_print(p->model->pool, e, format ? MECH_PRINT_LATEX : MECH_PRINT_TEXT);
        if (!text) p->g.status = MECH_ERR_MEMORY;
        if (root == 1) snprintf(p->name[format][k], POLY_NAME, "%s", text ? text : "?");
        else if (root == 2)
            snprintf(p->name[format][k], POLY_NAME, format ? "\\sqrt{%s}" : "sqrt(%s)", text ? text : "?");
        else snprintf(p->name[format][k], POLY_NAME, format ? "(%s)^{1/%u}" : "(%s)^(1/%u)", text ? text : "?", root);
        mem_free(text);
    }
}

/* to = the variable for e^(1/root) */
static void opaque(pencil *p, mech_expr e, unsigned root, ratio *to)
{
    int k = 1;
    while (k < p->variables && (p->node[k] != e.id || p->root[k] != root)) k++;
    if (k == POLY_VARIABLES) {
        p->g.status = MECH_ERR_LIMIT;
        return;
    }
    if (k == p->variables) {
        double value;
        p->variables++;
        p->node[k] = e.id;
        p->root[k] = root;
        name_variable(p, k, e, root);
        if (expr_evaluate(p->model->pool, e, value_of_symbol, p, &value) != MECH_OK) p->g.status = MECH_ERR_MEMORY;
        else p->nominal[k] = root == 1 ? value : pow(value, 1.0 / root);
    }
    ratio_set_variable(&p->g, to, k, 1);
}

/* ---- nodes ---- */

/* Walks leave out the numbers inside sums and products: they are made when asked for. */
static const ratio *value_at(pencil *p, uint32_t id)
{
    static const ratio none;
    if (!p->memo[id]) {
        p->memo[id] = mem_zeroed(1, sizeof *p->memo[id]);
        if (!p->memo[id] || !expr_is_number(p->model->pool, (mech_expr){id})) {
            if (p->g.status == MECH_OK) p->g.status = p->memo[id] ? MECH_ERR_ARGUMENT : MECH_ERR_MEMORY;
            return &none;
        }
        set_node_number(p, p->memo[id], expr_number_of(p->model->pool, (mech_expr){id}));
    }
    return p->memo[id];
}

static void convert_sum(pencil *p, const expr_node *n, const uint32_t *operands, ratio *to)
{
    ratio term = {0};
    ratio_copy(&p->g, to, value_at(p, operands[0]));
    for (uint32_t i = 1; i + 1 < n->count; i += 2) {
        ratio_multiply(&p->g, &term, value_at(p, operands[i]), value_at(p, operands[i + 1]));
        ratio_add(&p->g, to, to, &term, 1);
    }
    ratio_clear(&term);
}

/* base^(num/den), den > 1 */
static void convert_root(pencil *p, uint32_t base, long num, unsigned den, ratio *to)
{
    mpq_t q;
    mpq_init(q);
    if (!ratio_number(value_at(p, base), q)) {
        opaque(p, (mech_expr){base}, den, to);
        ratio_power(&p->g, to, to, (int)num);
    } else if (den == 2 && mpq_sgn(q) >= 0 && mpz_perfect_square_p(mpq_numref(q)) &&
               mpz_perfect_square_p(mpq_denref(q))) {
        mpz_sqrt(mpq_numref(q), mpq_numref(q));
        mpz_sqrt(mpq_denref(q), mpq_denref(q));
        ratio_set_rational(&p->g, to, q);
        ratio_power(&p->g, to, to, (int)num);
    } else {
        set_inexact(p, to, pow(mpq_get_d(q), (double)num / den));
    }
    mpq_clear(q);
}

static void convert_product(pencil *p, const expr_node *n, const uint32_t *operands, ratio *to)
{
    ratio factor = {0};
    ratio_set_integer(&p->g, to, 1);
    for (uint32_t i = 0; i + 1 < n->count && p->g.status == MECH_OK; i += 2) {
        const expr_number *power = expr_number_of(p->model->pool, (mech_expr){operands[i + 1]});
        const ratio *base = value_at(p, operands[i]);
        if (power->den == 0 || llabs(power->num) > 100 || power->den > 12) {
            p->g.status = MECH_ERR_LIMIT;
        } else if (power->num < 0 && ratio_is_zero(base)) {
            p->g.status = MECH_ERR_NOT_FINITE;
        } else if (power->den == 1) {
            ratio_power(&p->g, &factor, base, (int)power->num);
        } else {
            convert_root(p, operands[i], (long)power->num, (unsigned)power->den, &factor);
        }
        if (p->g.status == MECH_OK) ratio_multiply(&p->g, to, to, &factor);
    }
    ratio_clear(&factor);
}

/* 1 when the function of these numbers is a rational we know. */
static int exact_function(mech_function f, const mpq_t *x, mpq_t y)
{
    const int zero = mpq_sgn(x[0]) == 0;
    mpq_set_ui(y, 0, 1);
    switch (f) {
    case MECH_FUNCTION_SIN:
    case MECH_FUNCTION_TAN:
    case MECH_FUNCTION_ASIN:
    case MECH_FUNCTION_ATAN:
    case MECH_FUNCTION_SINH:
    case MECH_FUNCTION_TANH: return zero;
    case MECH_FUNCTION_COS:
    case MECH_FUNCTION_COSH:
    case MECH_FUNCTION_EXP: mpq_set_ui(y, 1, 1); return zero;
    case MECH_FUNCTION_LOG: return mpq_cmp_ui(x[0], 1, 1) == 0;
    case MECH_FUNCTION_ABS: mpq_abs(y, x[0]); return 1;
    case MECH_FUNCTION_SIGN: mpq_set_si(y, mpq_sgn(x[0]), 1); return 1;
    case MECH_FUNCTION_ATAN2: return zero && mpq_sgn(x[1]) > 0;
    case MECH_FUNCTION_MIN: mpq_set(y, mpq_cmp(x[0], x[1]) < 0 ? x[0] : x[1]); return 1;
    case MECH_FUNCTION_MAX: mpq_set(y, mpq_cmp(x[0], x[1]) > 0 ? x[0] : x[1]); return 1;
    case MECH_FUNCTION_LESS: mpq_set_si(y, mpq_cmp(x[0], x[1]) < 0, 1); return 1;
    case MECH_FUNCTION_LESS_EQUAL: mpq_set_si(y, mpq_cmp(x[0], x[1]) <= 0, 1); return 1;
    case MECH_FUNCTION_EQUAL: mpq_set_si(y, mpq_equal(x[0], x[1]) != 0, 1); return 1;
    case MECH_FUNCTION_AND: mpq_set_si(y, !zero && mpq_sgn(x[1]) != 0, 1); return 1;
    case MECH_FUNCTION_OR: mpq_set_si(y, !zero || mpq_sgn(x[1]) != 0, 1); return 1;
    case MECH_FUNCTION_NOT: mpq_set_si(y, zero, 1); return 1;
    case MECH_FUNCTION_IF: mpq_set(y, zero ? x[2] : x[1]); return 1;
    case MECH_FUNCTION_FLOOR: mpz_fdiv_q(mpq_numref(y), mpq_numref(x[0]), mpq_denref(x[0])); return 1;
    default: return 0;
    }
}

static void convert_function(pencil *p, uint32_t id, const expr_node *n, const uint32_t *operands, ratio *to)
{
    mpq_t x[3], y;
    int numbers = 1;
    for (int i = 0; i < 3; i++) mpq_init(x[i]);
    mpq_init(y);
    for (uint32_t i = 0; i < n->count && i < 3; i++) numbers = numbers && ratio_number(value_at(p, operands[i]), x[i]);
    if (!numbers) {
        opaque(p, (mech_expr){id}, 1, to);
    } else if (exact_function((mech_function)n->function, (const mpq_t *)x, y)) {
        ratio_set_rational(&p->g, to, y);
    } else {
        set_inexact(p, to, expr_apply((mech_function)n->function, mpq_get_d(x[0]), mpq_get_d(x[1]), mpq_get_d(x[2])));
    }
    for (int i = 0; i < 3; i++) mpq_clear(x[i]);
    mpq_clear(y);
}

static void convert_input(pencil *p, const expr_symbol *s, ratio *to)
{
    mech_expr signal = p->model->inputs[s->index].signal;
    if (!signal.id) {
        p->is_inexact = 1;
        ratio_set_integer(&p->g, to, 0);
        return;
    }
    for (unsigned k = 0; k < s->order; k++) signal = mech_dot(p->model->pool, signal);
    pencil_convert(p, signal, to);
}

/* A velocity that `steady` prescribes moves with the symbols; any other is the number it has at the point. */
static void convert_velocity(pencil *p, size_t index, ratio *to)
{
    const mech_model *m = p->model;
    const double there = p->options->v[index];
    for (size_t k = 0; k < m->steadies_count; k++) {
        if (m->steadies[k].velocity.id != m->coords[index].v.id) continue;
        pencil_convert(p, m->steadies[k].value, to);
        if (p->g.status != MECH_OK) return;
        if (fabs(ratio_value(to, p->nominal) - there) <= 1e-9 * (1 + fabs(there))) return;
    }
    ratio_set_integer(&p->g, to, 0);
    set_coordinate(p, to, there);
}

static void convert_symbol(pencil *p, mech_expr e, ratio *to)
{
    const expr_symbol s = *expr_symbol_of(p->model->pool, e);
    const mech_symbolic_options *o = p->options;
    ratio_set_integer(&p->g, to, 0);
    switch (s.class_bit) {
    case EXPR_PARAM: ratio_copy(&p->g, to, &p->params[s.index]); return;
    case EXPR_TIME: set_double(p, to, o->t); return;
    case EXPR_COORD: set_coordinate(p, to, o->q[s.index]); return;
    case EXPR_VELOCITY: convert_velocity(p, s.index, to); return;
    case EXPR_STATE: set_coordinate(p, to, o->z ? o->z[s.index] : 0); return;
    case EXPR_INPUT: convert_input(p, &s, to); return;
    case EXPR_ACCELERATION: return;
    default: break;
    }
    for (size_t i = 0; i < p->model->rows_count; i++) {
        if (p->reaction[i].id == e.id) ratio_copy(&p->g, to, &p->rho[i]);
        if (p->model->rows[i].lambda.id == e.id) p->g.status = MECH_ERR_UNSUPPORTED;
    }
    for (size_t i = 0; i < p->model->constraints_count; i++)
        if (p->model->constraints[i].active.id == e.id) ratio_set_integer(&p->g, to, !p->model->constraints[i].waits);
}

static void convert_node(pencil *p, uint32_t id, ratio *to)
{
    const expr_node n = *expr_at(p->model->pool, (mech_expr){id});
    const uint32_t *operands = expr_operands(p->model->pool, &n);
    switch ((expr_kind)n.kind) {
    case EXPR_NUM: set_node_number(p, to, expr_number_of(p->model->pool, (mech_expr){id})); break;
    case EXPR_PI: set_inexact(p, to, 3.14159265358979323846); break;
    case EXPR_SYM: convert_symbol(p, (mech_expr){id}, to); break;
    case EXPR_ADD: convert_sum(p, &n, operands, to); break;
    case EXPR_MUL: convert_product(p, &n, operands, to); break;
    case EXPR_FUN: convert_function(p, id, &n, operands, to); break;
    case EXPR_HELD: ratio_copy(&p->g, to, value_at(p, operands[0])); break;
    case EXPR_NONE: p->g.status = MECH_ERR_ARGUMENT; break;
    }
}

static int grow_memo(pencil *p)
{
    const size_t need = mech_pool_size(p->model->pool) + 1, before = p->memo_size;
    if (need <= before) return 1;
    if (!mem_grow(&p->memo, &p->memo_size, need, sizeof *p->memo)) return 0;
    memset(p->memo + before, 0, (p->memo_size - before) * sizeof *p->memo);
    return 1;
}

void pencil_convert(pencil *p, mech_expr e, ratio *to)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    if (p->g.status == MECH_OK && !e.id) p->g.status = MECH_ERR_ARGUMENT;
    if (p->g.status != MECH_OK) return;
    if (!grow_memo(p)) p->g.status = MECH_ERR_MEMORY;
    else p->g.status = expr_reachable(p->model->pool, &e, 1, &ids, &capacity, &count);
    for (size_t i = 0; i < count && p->g.status == MECH_OK; i++) {
        if (p->memo[ids[i]]) continue;
        ratio *value = mem_zeroed(1, sizeof *value);
        if (!value) {
            p->g.status = MECH_ERR_MEMORY;
            break;
        }
        convert_node(p, ids[i], value); /* may grow the memo: inputs are converted on the way */
        p->memo[ids[i]] = value;
    }
    if (p->g.status == MECH_OK) ratio_copy(&p->g, to, p->memo[e.id]);
    mem_free(ids);
}

void pencil_forget(pencil *p)
{
    for (size_t i = 0; i < p->memo_size; i++) {
        if (!p->memo[i]) continue;
        ratio_clear(p->memo[i]);
        mem_free(p->memo[i]);
        p->memo[i] = NULL;
    }
}

mech_status pencil_prepare_params(pencil *p)
{
    const mech_model *m = p->model;
    for (size_t i = 0; i < m->params_count && p->g.status == MECH_OK; i++) {
        int variable = 0;
        for (int k = 1; k < p->variables; k++)
            if (p->node[k] == m->params[i].symbol.id) variable = k;
        if (variable) ratio_set_variable(&p->g, &p->params[i], variable, 1);
        else pencil_convert(p, m->params[i].value, &p->params[i]);
    }
    return p->g.status;
}
