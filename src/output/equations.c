/* Which parts of the equations are shown, and rows divided by their common factor. */
#include "output/equations.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/try.h"

#include <string.h>

static const char *const part_names[PART_COUNT] = {"M", "Q", "A", "b", "a", "r", "r'",
                                                   "C", "G", "T", "V", "D", "h", "power"};

void mech_equations_options_default(mech_equations_options *options, size_t size)
{
    const mech_equations_options defaults = {.format = MECH_REPORT_TEXT};
    options_default(options, size, &defaults, sizeof defaults);
}

static mech_status parse_parts(const char *only, unsigned *parts)
{
    *parts = 0;
    if (!only) *parts = (1u << PART_COUNT) - 1;
    for (const char *p = only; p && *p;) {
        const size_t length = strcspn(p, ", ");
        int known = length == 0;
        for (int i = 0; i < PART_COUNT; i++) {
            if (strlen(part_names[i]) != length || strncmp(part_names[i], p, length) != 0) continue;
            *parts |= 1u << i;
            known = 1;
        }
        if (!known) return MECH_ERR_ARGUMENT;
        p += length + (p[length] != '\0');
    }
    return MECH_OK;
}

static mech_status find_rows(equations_view *view)
{
    const size_t m = view->model->rows_count;
    view->row_start = mem_zeroed(m + 1, sizeof *view->row_start);
    if (!view->row_start) return MECH_ERR_MEMORY;
    for (size_t row = 0, at = 0; row <= m; row++) {
        while (at < view->A.count && view->A.items[at].row < row) at++;
        view->row_start[row] = at;
    }
    return MECH_OK;
}

static mech_expr divided(mech_pool *p, mech_expr e, mech_expr factor)
{
    return e.id ? expr_tidy(p, mech_div(p, e, factor)) : e;
}

static mech_status own_copies(equations_view *view, const model_equations *e, size_t m)
{
    view->owned = 1;
    view->A = (model_entries){mem_alloc((e->A.count + 1) * sizeof *e->A.items), e->A.count, e->A.count + 1};
    view->b = mem_alloc((m + 1) * sizeof *view->b);
    view->r = mem_alloc((m + 1) * sizeof *view->r);
    view->r_dot = mem_alloc((m + 1) * sizeof *view->r_dot);
    view->a0 = mem_alloc((m + 1) * sizeof *view->a0);
    if (!view->A.items || !view->b || !view->r || !view->r_dot || !view->a0) return MECH_ERR_MEMORY;
    if (e->A.count) memcpy(view->A.items, e->A.items, e->A.count * sizeof *e->A.items);
    return MECH_OK;
}

static mech_status normalize(equations_view *view, mech_model *model)
{
    const model_equations *e = &model->equations;
    mech_pool *p = model->pool;
    MECH_TRY(own_copies(view, e, model->rows_count));
    for (size_t row = 0, at = 0; row < model->rows_count; row++) {
        const mech_expr factor = model_row_factor(model, row);
        for (; at < view->A.count && view->A.items[at].row == row; at++)
            view->A.items[at].value = divided(p, view->A.items[at].value, factor);
        view->b[row] = divided(p, e->b[row], factor);
        view->r[row] = divided(p, e->r[row], factor);
        view->r_dot[row] = divided(p, e->r_dot[row], factor);
        view->a0[row] = divided(p, e->a0[row], factor);
    }
    return mech_pool_status(p);
}

static void close_view(equations_view *view)
{
    mem_free(view->row_start);
    print_names_free(&view->names);
    if (!view->owned) return;
    mem_free(view->A.items);
    mem_free(view->b);
    mem_free(view->r);
    mem_free(view->r_dot);
    mem_free(view->a0);
}

static mech_status open_view(mech_model *model, const mech_equations_options *options, equations_view *view)
{
    const model_equations *e = &model->equations;
    *view = (equations_view){.model = model, .A = e->A, .b = e->b, .r = e->r, .r_dot = e->r_dot, .a0 = e->a0};
    MECH_TRY(parse_parts(options->only, &view->parts));
    if (options->normalize) MECH_TRY(normalize(view, model));
    if (!options->expand) MECH_TRY(equations_name_shared(view));
    return find_rows(view);
}

mech_status mech_report_equations(const mech_model *model, const mech_equations_options *options, char **text)
{
    mech_equations_options chosen;
    *text = NULL;
    if (!model->is_finished) return MECH_ERR_ARGUMENT;
    mech_equations_options_default(&chosen, sizeof chosen);
    MECH_TRY(options_take(&chosen, sizeof chosen, options));
    mech_model *twin = model_twin(model);
    if (!twin) return MECH_ERR_MEMORY;
    equations_view view;
    mech_status status = open_view(twin, &chosen, &view);
    textbuf out = {0};
    if (status == MECH_OK) {
        if (chosen.format == MECH_REPORT_JSON) equations_json(&view, &out);
        else if (chosen.format == MECH_REPORT_LATEX) equations_latex(&view, &out);
        else equations_text(&view, &out);
        *text = text_take(&out);
        if (!*text) status = MECH_ERR_MEMORY;
    }
    close_view(&view);
    model_twin_free(twin);
    return status;
}

void equations_row_name(const mech_model *m, size_t row, textbuf *out)
{
    const model_constraint *c = &m->constraints[m->rows[row].constraint];
    char number[TEXT_ROW];
    text_add(out, c->name);
    text_add(out, text_row(number, row - c->first_row, c->row_count));
}

/* What is written without derivatives may bind velocities all the same, by the rates of its states. */
static const char *level_word(const model_row *r)
{
    static const char *const levels[] = {"holonomic", "nonholonomic", "acceleration"};
    return r->by_states ? "nonholonomic by its states" : levels[r->level];
}

void equations_row_kind(const mech_model *m, size_t row, textbuf *out)
{
    const model_row *r = &m->rows[row];
    text_add(out, level_word(r));
    if (r->level == MODEL_ACCELERATION) text_add(out, "-level");
    if (r->level == MODEL_NONHOLONOMIC || r->by_states) text_add(out, r->is_linear ? ", linear" : ", nonlinear");
    text_add(out, r->is_rheonomic ? ", rheonomic" : ", scleronomic");
    text_add(out, r->is_acatastatic ? ", acatastatic" : ", catastatic");
    if (m->constraints[r->constraint].side)
        text_add(out, m->constraints[r->constraint].side > 0 ? ", one-sided (>=)" : ", one-sided (<=)");
    if (r->level != MODEL_NONHOLONOMIC || !r->is_linear) return;
    text_add(out, r->integrable == MODEL_INTEGRABLE_PROVEN    ? ", integrable together with the others"
                  : r->integrable == MODEL_INTEGRABLE_REFUTED ? ", not integrable"
                                                              : ", integrability undecided");
}

static const char *truth(int is_true) { return is_true ? "true" : "false"; }

void equations_row_json(const mech_model *m, size_t row, textbuf *out)
{
    static const char *const integrable[] = {[MODEL_INTEGRABLE_NONE] = "null",
                                             [MODEL_INTEGRABLE_PROVEN] = "true",
                                             [MODEL_INTEGRABLE_REFUTED] = "false",
                                             [MODEL_INTEGRABLE_UNDECIDED] = "\"undecided\""};
    const model_row *r = &m->rows[row];
    text_format(
        out,
        "\"level\": \"%s\", \"linear\": %s, \"rheonomic\": %s, \"acatastatic\": %s, \"integrable\": %s, \"control\": %s, "
        "\"one_sided\": %s",
        level_word(r), truth(r->is_linear), truth(r->is_rheonomic), truth(r->is_acatastatic), integrable[r->integrable],
        truth(m->constraints[r->constraint].is_control),
        !m->constraints[r->constraint].side      ? "null"
        : m->constraints[r->constraint].side > 0 ? "\">=\""
                                                 : "\"<=\"");
}
