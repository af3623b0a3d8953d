/* Values and failures in words. */
#include "system/system.h"

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "system/compiled.h"
#include "system/owner.h"

#include <math.h>

static void add_name(const mech_system *s, mech_item item, size_t index, textbuf *text)
{
    const char *name = mech_system_name(s, item, index);
    if (name) text_add(text, name);
    else text_format(text, "%zu", index + 1);
}

static void add_one(const mech_system *s, system_index kind, size_t index, textbuf *text)
{
    static const char *const energies[ENERGY_COUNT] = {"kinetic", "potential", "dissipation", "h", "power"};
    if (kind == INDEX_ROW) text_add(text, s->row_names[index]);
    else if (kind == INDEX_OPTION) text_add(text, s->options[index].name);
    else if (kind == INDEX_ENERGY) text_add(text, energies[index]);
    else if (kind == INDEX_NUMBER || kind == INDEX_LAW)
        text_format(text, "%s%zu", kind == INDEX_LAW ? "law " : "", index + 1);
    else add_name(s, (mech_item)kind, index, text);
}

static void add_index(const mech_system *s, system_section section, size_t k, textbuf *text)
{
    /* the gradient has the pattern of A */
    const system_part *part = &s->parts[section == SECTION_GRADIENT ? SECTION_A : section];
    const system_section_info *info = &system_sections[section];
    add_one(s, info->row, part->row ? part->row[k] : k, text);
    if (info->column >= INDEX_UNSAID) return;
    text_add(text, ", ");
    add_one(s, info->column, part->column[k], text);
}

void system_describe_slot(const mech_system *s, size_t slot, textbuf *text)
{
    for (int k = 0; k < SECTION_COUNT; k++) {
        const system_part *part = &s->parts[k];
        if (slot < part->first || slot - part->first >= part->count) continue;
        text_format(text, "%s[", system_sections[k].text);
        add_index(s, (system_section)k, slot - part->first, text);
        text_add_char(text, ']');
        return;
    }
    text_format(text, "slot %zu", slot);
}

static void add_value(textbuf *text, double value)
{
    if (isnan(value)) text_add(text, "nan");
    else if (isinf(value)) text_add(text, value > 0 ? "inf" : "-inf");
    else text_add_double(text, value);
}

static double input_value(void *eval, const expr_symbol *symbol)
{
    const mech_eval *e = eval;
    const system_inputs *in = &e->system->in;
    const size_t first = symbol->class_bit == EXPR_PARAM   ? in->p
                         : symbol->class_bit == EXPR_TIME  ? in->t
                         : symbol->class_bit == EXPR_COORD ? in->q
                         : symbol->class_bit == EXPR_STATE ? in->z
                         : symbol->class_bit == EXPR_INPUT ? in->u
                                                           : SIZE_MAX;
    if (first == in->u && symbol->index >= EXPR_DELAYED) return e->slots[in->delay + symbol->index - EXPR_DELAYED];
    return first == SIZE_MAX ? (double)NAN : e->slots[first + (first == in->t ? 0 : symbol->index)];
}

/* Where that is why: a spring whose ends lie on one another. */
static void explain_gap(const mech_eval *e, textbuf *text)
{
    const mech_model *m = system_model(e->system);
    mech_pool *own =
        m && m->gaps_count ? expr_pool_copy(m->pool) : NULL; /* a walk marks nodes: threads share the model's */
    double square = 1;
    for (size_t i = 0; own && i < m->gaps_count && square != 0; i++) {
        if (expr_evaluate(own, m->gaps[i].square, input_value, (void *)(uintptr_t)e, &square) != MECH_OK) break;
        if (square != 0) continue;
        text_format(
            text,
            "; the two ends of %s lie on one another, where it has no direction: give it a length of 0, or keep "
            "its ends apart",
            m->gaps[i].name);
    }
    mech_pool_free(own);
}

static void explain_slot(const mech_eval *e, textbuf *text)
{
    const mech_system *s = e->system;
    char number[NUMBER_TEXT_SIZE];
    number_general(e->slots[s->in.t], 9, number);
    system_describe_slot(s, e->failed_slot, text);
    text_add(text, " is ");
    add_value(text, e->slots[e->failed_slot]);
    text_format(text, " at t = %s", number);
    char *expression = compiled_expression(s, e->failed_slot);
    if (expression) text_format(text, ": %s", expression);
    mem_free(expression);
    explain_gap(e, text);
}

/* What a column of the derivatives is taken by. */
static void add_column(const mech_system *s, size_t column, textbuf *text)
{
    const mech_columns c = mech_system_columns(s);
    if (column < c.v) add_name(s, MECH_ITEM_COORD, column, text);
    else if (column < c.z) add_name(s, MECH_ITEM_COORD, column - c.v, text);
    else if (column < c.u) add_name(s, MECH_ITEM_STATE, column - c.z, text);
    else if (column < c.a) add_name(s, MECH_ITEM_INPUT, (column - c.u) % s->sizes.inputs, text);
    else if (column >= c.p) add_name(s, MECH_ITEM_PARAM, column - c.p, text);
    else text_add(text, column < c.lambda ? "an acceleration" : column < c.t ? "a multiplier" : "t");
    if ((column >= c.v && column < c.z) || (column >= c.u_dot && column < c.u_ddot)) text_add_char(text, '\'');
}

static void explain_derivative(const mech_eval *e, textbuf *text)
{
    static const struct {
        const char *before;
        system_index row;
        const char *after;
    } words[DERIVATIVE_COUNT] = {
        [DERIVATIVE_MOTION] = {"the equation of ", INDEX_COORD, ""},
        [DERIVATIVE_ROW] = {"constraint ", INDEX_ROW, ""},
        [DERIVATIVE_R] = {"constraint ", INDEX_ROW, ""},
        [DERIVATIVE_R_DOT] = {"constraint ", INDEX_ROW, ""},
        [DERIVATIVE_RATE] = {"", INDEX_STATE, "'"},
        [DERIVATIVE_C] = {"a law of a constraint", INDEX_NONE, ""},
        [DERIVATIVE_STEADY] = {"what 'steady' number ", INDEX_NUMBER, " fixes"},
    };
    const mech_system *s = e->system;
    const system_part *part = &s->derivatives[e->failed_part];
    const int is_told = words[e->failed_part].before != NULL;
    text_format(text, "the derivative of %s", is_told ? words[e->failed_part].before : "a value");
    if (is_told && words[e->failed_part].row != INDEX_NONE)
        add_one(s, words[e->failed_part].row, part->row[e->failed_entry], text);
    text_format(text, "%s by ", is_told ? words[e->failed_part].after : "");
    add_column(s, part->column[e->failed_entry], text);
    text_add(text, " is not finite here");
}

char *system_target_text(const mech_system *s, size_t target)
{
    textbuf text = {0};
    char *left = compiled_expression(s, s->parts[SECTION_TARGET].first + target),
         *right = compiled_expression(s, s->parts[SECTION_TARGET_VALUE].first + target);
    if (left && right) text_format(&text, "%s = %s", left, right);
    mem_free(left);
    mem_free(right);
    return text_take(&text);
}

const char *system_thin(const mech_system *s)
{
    const mech_model *m = system_model(s);
    return m && m->thin ? m->thin : "";
}

char *mech_system_output_text(const mech_system *s, size_t output)
{
    if (output >= s->sizes.outputs) return NULL;
    return compiled_expression(s, s->parts[SECTION_OUTPUT].first + output);
}

/* The evaluation did not fail, so what is made of it did: numbers of very different size, as a rule. */
static void explain_solve(const mech_eval *e, textbuf *text)
{
    const system_part *part = &e->system->parts[SECTION_M];
    double least = HUGE_VAL, most = 0;
    for (size_t k = 0; k < part->count; k++) {
        const double size = fabs(mech_eval_equation(e)->M[k]);
        if (size > 0) least = fmin(least, size);
        most = fmax(most, size);
    }
    text_add(text, "the equation of motion has no finite solution here");
    if (!(most > 0)) return;
    char digits[2][NUMBER_TEXT_SIZE];
    number_general(least, 3, digits[0]);
    number_general(most, 3, digits[1]);
    text_format(text, ": the entries of the mass matrix go from %s to %s in size", digits[0], digits[1]);
}

char *mech_eval_explain(const mech_eval *e)
{
    const mech_system *s = e->system;
    textbuf text = {0};
    const char *param = mech_system_name(s, MECH_ITEM_PARAM, e->failed_param);
    if (e->failure != MECH_OK && e->refusal) text_add(&text, e->refusal);
    else if (e->failure == MECH_ERR_NOT_FINITE && e->failed_slot == SYSTEM_FAILED_DERIVATIVE)
        explain_derivative(e, &text);
    else if (e->failure == MECH_ERR_NOT_FINITE && e->failed_slot != SIZE_MAX) explain_slot(e, &text);
    else if (e->failure == MECH_ERR_NOT_FINITE && param)
        text_format(&text, "the parameter '%s' needs a finite value", param);
    else if (e->failure == MECH_ERR_MODEL && param)
        text_format(&text,
                    "the parameter '%s' shaped the model when it was read (a bound, an index or a condition), so it "
                    "cannot be set afterwards",
                    param);
    else if (e->failure == MECH_OK) explain_solve(e, &text);
    else text_add(&text, mech_status_text(e->failure));
    return text_take(&text);
}
