/* What is primed and may jump: its slope leaves the jump out, and a run says so where it happens. */
#include "model/model.h"

#include "base/mem.h"
#include "expr/pool.h"

static int jumps(mech_function function)
{
    return function == MECH_FUNCTION_SIGN || function == MECH_FUNCTION_LESS || function == MECH_FUNCTION_LESS_EQUAL ||
           function == MECH_FUNCTION_FLOOR;
}

mech_status model_may_jump(const mech_model *m, mech_expr e, int bends, int *may)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    *may = 0;
    if (!e.id || !m->pool->has_kinks) return MECH_OK;
    const mech_status status = expr_reachable(m->pool, &e, 1, &ids, &capacity, &count);
    for (size_t i = 0; i < count && status == MECH_OK && !*may; i++) {
        const expr_node *n = &m->pool->nodes[ids[i]];
        const mech_function function = (mech_function)n->function;
        *may = n->kind == EXPR_FUN && (n->classes & ~(unsigned)EXPR_PARAM) &&
               (bends ? expr_function_has_kink(function) : jumps(function));
    }
    mem_free(ids);
    return status;
}

mech_status model_note_primed(mech_model *m, mech_expr e)
{
    const unsigned known = EXPR_PARAM | EXPR_TIME | EXPR_COORD | EXPR_VELOCITY | EXPR_STATE | EXPR_INPUT;
    int may_jump;
    if (!e.id || !m->pool->has_kinks || (expr_classes(m->pool, e) & ~known)) return MECH_OK;
    for (size_t i = 0; i < m->primed_count; i++)
        if (m->primed[i].id == e.id) return MECH_OK;
    const mech_status status = model_may_jump(m, e, 0, &may_jump);
    if (status != MECH_OK || !may_jump) return status;
    mech_expr *to = MODEL_PUSH(m, primed);
    if (!to) return MECH_ERR_MEMORY;
    *to = e;
    return MECH_OK;
}
