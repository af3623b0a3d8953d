/* The characteristic polynomial in symbols: puts pencil, factors, array and conditions together. */
#include "analyze/routh_gmp.h"
#include "analyze/symbolic.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

void mech_symbolic_options_default(mech_symbolic_options *options, size_t size)
{
    const mech_symbolic_options o = {.full = -1};
    options_default(options, size, &o, sizeof o);
}

void mech_symbolic_free(mech_symbolic *s)
{
    if (!s) return;
    poly_clear(&s->whole);
    for (int k = 0; k < SYMBOLIC_MOST_FACTORS; k++) poly_clear(&s->factor[k]);
    for (int k = 0; k < 3 * SYMBOLIC_MOST_FACTORS; k++) poly_clear(&s->marginal[k]);
    for (int k = 0; k < SYMBOLIC_MOST_CONDITIONS; k++) poly_clear(&s->condition[k]);
    arena_free(&s->memory);
    mem_free(s);
}

const mech_symbolic_result *mech_symbolic_get(const mech_symbolic *s) { return &s->result; }

/* ---- texts ---- */

const char *symbolic_keep(mech_symbolic *s, textbuf *text)
{
    const char *kept = text->failed ? NULL : arena_format(&s->memory, "%s", text->data ? text->data : "");
    if (!kept) s->g.status = MECH_ERR_MEMORY;
    text_free(text);
    return kept;
}

poly_style symbolic_style(mech_symbolic *s, int format)
{
    return (poly_style){s->p.name[format == 1], format == 1, format == 2};
}

static const char **new_list(mech_symbolic *s, int count)
{
    const char **list = arena_zeroed(&s->memory, (size_t)count, sizeof *list);
    if (!list) s->g.status = MECH_ERR_MEMORY;
    return list;
}

static void print_factors(mech_symbolic *s, int format)
{
    s->result.polynomial[format] = symbolic_monic(s, &s->whole, format);
    const char **list = new_list(s, s->factor_count);
    for (int k = 0; list && k < s->factor_count; k++) list[k] = symbolic_monic(s, &s->factor[k], format);
    s->result.factors[format] = list;
    s->result.factor_count = s->factor_count;
}

static const char *condition_text(mech_symbolic *s, const poly *condition, int format)
{
    const poly_style style = symbolic_style(s, format);
    textbuf out = {0};
    poly_print(condition, &style, &out);
    return symbolic_keep(s, &out);
}

static void print_conditions(mech_symbolic *s, int format)
{
    const char **list = new_list(s, s->condition_count), **symbols = new_list(s, s->p.variables);
    const char **marginal = new_list(s, s->marginal_count);
    int kept = 0;
    for (int k = 0; marginal && k < s->marginal_count; k++) /* of constant ones the array has said it */
        if (!poly_is_constant(&s->marginal[k])) marginal[kept++] = condition_text(s, &s->marginal[k], format);
    for (int k = 0; k < s->marginal_count; k++) /* one that always fails: no values make it marginal */
        if (poly_is_constant(&s->marginal[k]) && poly_leading_sign(&s->marginal[k]) <= 0) kept = 0;
    s->result.marginal[format] = marginal;
    s->result.marginal_count = kept;
    for (int k = 0; list && k < s->condition_count; k++) list[k] = condition_text(s, &s->condition[k], format);
    for (int k = 1; symbols && k < s->p.variables; k++) symbols[k - 1] = s->p.name[format == 1][k];
    s->result.conditions[format] = list;
    s->result.condition_count = s->condition_count;
    s->result.symbols[format] = symbols;
    s->result.symbol_count = s->p.variables - 1;
    s->result.nominal = s->p.nominal + 1;
}

static void print_array(mech_symbolic *s, const ratio *array, int format)
{
    const poly_style style = symbolic_style(s, format);
    const int cells = s->result.rows * s->result.columns;
    textbuf out = {0};
    const char **list = new_list(s, cells);
    for (int i = 0; list && i < cells; i++) {
        ratio_print(&array[i], &style, &out);
        list[i] = symbolic_keep(s, &out);
    }
    s->result.array[format] = list;
}

static mech_status write_texts(mech_symbolic *s)
{
    const int degree = s->result.degree, columns = degree / 2 + 1, rows = s->result.is_cut ? 0 : degree + 1,
              cells = rows * columns;
    ratio *array = ratio_list(&s->g, (size_t)cells);
    unsigned char *kind = arena_zeroed(&s->memory, (size_t)degree + 1, 1);
    s->result.rows = rows;
    s->result.columns = columns;
    s->result.row_kind = kind;
    mech_status status = array && kind ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK && rows) status = symbolic_array(s, &s->whole, array, kind);
    for (int format = 0; format < SYMBOLIC_FORMATS && status == MECH_OK; format++) {
        print_factors(s, format);
        print_conditions(s, format);
        print_array(s, array, format);
        status = s->g.status;
    }
    ratio_list_free(array, (size_t)cells);
    return status;
}

/* ---- building ---- */

/* Array and conditions grow with every symbol, and are given up where that is too much. */
static void cut(mech_symbolic *s)
{
    s->g = (algebra){0};
    s->condition_count = s->marginal_count = s->result.never = 0;
    s->result.is_cut = 1;
}

static mech_status build(mech_symbolic *s, const mech_model *model, const mech_symbolic_options *o)
{
    pencil *p = &s->p;
    poly motion = {0}, gains = {0};
    mech_status status = pencil_prepare(p, model, o);
    const int is_full = o->full < 0 ? p->gain_B || p->gain_K : o->full;
    if (status == MECH_OK) status = pencil_determinant(p, 0, &motion);
    if (status == MECH_OK && is_full) status = pencil_determinant(p, 1, &s->whole);
    s->result.is_exact = !p->is_inexact;
    s->result.holds = p->holds;
    s->result.is_full = is_full;
    s->result.asked = (int)o->symbol_count;
    if (status == MECH_OK && is_full && poly_divide(&s->g, &gains, &s->whole, &motion)) {
        status = symbolic_factor(s, &gains); /* what the gains govern first */
        if (status == MECH_OK) status = symbolic_factor(s, &motion);
    } else if (status == MECH_OK) {
        if (!is_full) poly_copy(&s->g, &s->whole, &motion);
        status = symbolic_factor(s, &s->whole);
    }
    s->result.degree = (int)poly_degree(&s->whole, 0);
    if (status == MECH_OK) status = s->g.status;
    if (status == MECH_OK) status = symbolic_conditions(s);
    if (status == MECH_OK) status = write_texts(s);
    if (status == MECH_ERR_LIMIT && s->result.degree > 0) { /* the polynomial stands, without them */
        cut(s);
        status = write_texts(s);
    }
    poly_clears(&motion, &gains, NULL);
    return status;
}

mech_status mech_symbolic_create(const mech_model *model, const mech_symbolic_options *options, mech_symbolic **result)
{
    mech_symbolic_options o;
    *result = NULL;
    mech_symbolic_options_default(&o, sizeof o);
    if (!options || !options->q || !options->v) return MECH_ERR_ARGUMENT;
    MECH_TRY(options_take(&o, sizeof o, options));
    mech_symbolic *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    s->result.size = sizeof s->result;
    const mech_status status = build(s, model, &o);
    pencil_free(&s->p);
    if (status == MECH_OK) *result = s;
    else mech_symbolic_free(s);
    return status;
}

/* ---- with numbers in ---- */

double mech_symbolic_condition(const mech_symbolic *s, int condition, const double *values)
{
    double all[POLY_VARIABLES];
    memcpy(all, s->p.nominal, sizeof all);
    for (int k = 1; values && k < s->p.variables; k++) all[k] = values[k - 1];
    if (condition >= 0 && condition < s->condition_count) return poly_value(&s->condition[condition], all);
    for (int k = 0, at = s->condition_count; k < s->marginal_count; k++)
        if (!poly_is_constant(&s->marginal[k]) && at++ == condition) return poly_value(&s->marginal[k], all);
    return (double)NAN;
}

/* The rational value of p with the variables at these numbers. */
static void exact_value(const poly *p, const mpq_t *values, mpq_t sum)
{
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(sum, 0, 1);
    for (size_t i = 0; i < p->count; i++) {
        mpq_set_z(term, p->terms[i].c);
        for (int k = 0; k < POLY_VARIABLES; k++)
            for (unsigned e = 0; e < p->terms[i].e[k]; e++) mpq_mul(term, term, values[k]);
        mpq_add(sum, sum, term);
    }
    mpq_clear(term);
}

mech_status mech_symbolic_routh(const mech_symbolic *s, const double *values, mech_routh **routh)
{
    const size_t degree = (size_t)s->result.degree;
    algebra g = {0};
    poly part = {0};
    mpq_t *at = rational_list(POLY_VARIABLES), *c = rational_list(degree + 1);
    mech_status status = at && c ? MECH_OK : MECH_ERR_MEMORY;
    *routh = NULL;
    for (int k = 1; k < s->p.variables && status == MECH_OK; k++)
        mpq_set_d(at[k], values ? values[k - 1] : s->p.nominal[k]);
    for (size_t k = 0; k <= degree && status == MECH_OK; k++) {
        poly_coefficient(&g, &part, &s->whole, 0, (unsigned)(degree - k));
        exact_value(&part, (const mpq_t *)at, c[k]);
        status = g.status;
    }
    for (size_t k = degree + 1; status == MECH_OK && mpq_sgn(c[0]) != 0 && k-- > 0;) mpq_div(c[k], c[k], c[0]);
    if (status == MECH_OK) status = routh_rationals((const mpq_t *)c, (int)degree, routh);
    poly_clear(&part);
    rational_list_free(at, POLY_VARIABLES);
    rational_list_free(c, degree + 1);
    return status;
}
