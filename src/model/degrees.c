/* Angles whose unit says degrees, and which stand in sin, cos or tan as they are. */
#include "model/model.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

typedef struct labelled {
    const char *name, *unit;
    uint32_t origin;
} labelled;

static int says_degrees(const char *unit)
{
    static const char *const words[] = {"deg", "degree", "degrees", "\xC2\xB0"};
    for (size_t i = 0; unit && i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], unit) == 0) return 1;
    return 0;
}

static labelled label_of(const mech_model *m, const expr_symbol *s)
{
    const size_t i = s->index;
    const int is_position = s->order == 0;
    if (s->class_bit == EXPR_COORD) return (labelled){m->coords[i].name, m->coords[i].unit, m->coords[i].origin};
    if (s->class_bit == EXPR_PARAM) return (labelled){m->params[i].name, m->params[i].unit, m->params[i].origin};
    if (s->class_bit == EXPR_STATE) return (labelled){m->states[i].name, m->states[i].unit, m->states[i].origin};
    if (s->class_bit == EXPR_INPUT && is_position && i < m->inputs_count)
        return (labelled){m->inputs[i].name, m->inputs[i].unit, m->inputs[i].origin};
    return (labelled){0};
}

/* Warns of a symbol, once. */
static void take_symbol(mech_model *m, mech_expr e, mech_function function, unsigned char *told)
{
    if (!expr_is_symbol(m->pool, e) || told[m->pool->nodes[e.id].first]) return;
    const labelled l = label_of(m, expr_symbol_of(m->pool, e));
    if (!says_degrees(l.unit)) return;
    told[m->pool->nodes[e.id].first] = 1;
    diagnostics_add(m->diagnostics, MECH_SEVERITY_WARNING, MECH_ERR_MODEL, model_span(m, l.origin),
                    arena_format(&m->memory, "write %s(rad(%s)), or give it in radians: a unit is a label",
                                 expr_function_name(function), l.name),
                    "'%s' is said to be in degrees, and %s takes radians", l.name, expr_function_name(function));
}

/* Is the factor as small as pi/180, as in 0.01745*phi? */
static int makes_radians(const mech_pool *p, mech_expr factor) { return fabs(expr_number_of(p, factor)->value) < 0.1; }

static int any_degrees(const mech_model *m)
{
    for (size_t i = 0; i < m->pool->symbol_count; i++)
        if (says_degrees(label_of(m, &m->pool->symbols[i]).unit)) return 1;
    return 0;
}

mech_status model_check_degrees(mech_model *m)
{
    const mech_pool *p = m->pool;
    if (!any_degrees(m)) return MECH_OK;
    unsigned char *told = mem_zeroed(p->symbol_count, 1);
    if (!told) return MECH_ERR_MEMORY;
    for (uint32_t i = 1; i < p->node_count; i++) {
        const mech_function f = (mech_function)p->nodes[i].function;
        if (p->nodes[i].kind != EXPR_FUN ||
            (f != MECH_FUNCTION_SIN && f != MECH_FUNCTION_COS && f != MECH_FUNCTION_TAN))
            continue;
        const mech_expr angle = {expr_operands(p, &p->nodes[i])[0]};
        const expr_node *sum = expr_at(p, angle);
        take_symbol(m, angle, f, told);
        for (uint32_t k = 2; sum->kind == EXPR_ADD && k < sum->count; k += 2) { /* c0, then pairs: factor, term */
            const uint32_t *pair = &expr_operands(p, sum)[k - 1];
            if (!makes_radians(p, (mech_expr){pair[0]})) take_symbol(m, (mech_expr){pair[1]}, f, told);
        }
    }
    mem_free(told);
    return MECH_OK;
}
