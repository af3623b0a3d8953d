#include "system/visit.h"

#include "system/compiled.h"
#include "system/owner.h"
#include "system/system.h"

#include <string.h>

static void list_names(const mech_system *s, mech_item item, const char *title, textbuf *text)
{
    text_add(text, title);
    for (size_t i = 0; i < s->names[item].count; i++) text_format(text, "%s %s", i ? "," : "", s->names[item].name[i]);
    text_add_char(text, '\n');
}

/* ---- equations, tables and rules as one number ---- */

static uint64_t sum_program(uint64_t sum, const program *p)
{
    const size_t constants = (size_t)p->constant_count + p->output_count;
    sum = state_sum(sum, p->stage_start, sizeof p->stage_start);
    sum = state_sum(sum, p->code, p->stage_start[p->stage_count] * sizeof *p->code);
    return state_sum(sum, p->image, constants * sizeof *p->image);
}

static uint64_t sum_compiled(uint64_t sum, const system_compiled *c)
{
    sum = sum_program(sum_program(sum_program(sum, c->motion), c->params), c->signals);
    for (size_t i = 0; i < c->table_count; i++) {
        sum = state_sum(sum, c->tables[i].t, c->tables[i].count * sizeof *c->tables[i].t);
        sum = state_sum(sum, c->tables[i].y, c->tables[i].count * sizeof *c->tables[i].y);
        sum = state_sum(sum, &c->tables[i].is_held, sizeof c->tables[i].is_held);
    }
    return sum;
}

static uint64_t sum_list(uint64_t sum, const size_t *list, size_t count)
{
    sum = state_sum(sum, &count, sizeof count);
    return state_sum(sum, list, count * sizeof *list);
}

static uint64_t sum_rules(uint64_t sum, const mech_system *s)
{
    const mech_sizes *k = &s->sizes;
    for (size_t i = 0; i < k->rows; i++) {
        const size_t facts[] = {s->rows[i].constraint, (size_t)s->rows[i].level, (size_t)s->rows[i].is_control};
        sum = state_sum(sum, facts, sizeof facts);
    }
    for (size_t i = 0; i < k->events; i++) {
        const mech_event_info *e = &s->events[i];
        const size_t facts[] = {(size_t)e->direction, (size_t)e->has_condition, e->first_action, e->action_count};
        sum = state_sum(sum, facts, sizeof facts);
    }
    for (size_t i = 0; i < k->actions; i++) {
        const mech_action_info *a = &s->actions[i];
        const size_t facts[] = {(size_t)a->kind, (size_t)a->variable, a->index};
        sum = sum_list(state_sum(sum, facts, sizeof facts), a->constraints, a->constraint_count);
    }
    for (size_t i = 0; i < k->laws; i++) {
        const size_t facts[] = {(size_t)s->laws[i].kind, (size_t)s->laws[i].uses_reaction,
                                (size_t)s->laws[i].uses_ideal_only};
        sum = sum_list(state_sum(sum, facts, sizeof facts), s->laws[i].constraints, s->laws[i].constraint_count);
    }
    for (size_t i = 0; i < k->frictions; i++)
        sum = sum_list(sum, s->frictions[i].constraints, s->frictions[i].constraint_count);
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        const system_part *part = &s->parts[i];
        sum = state_sum(sum, &part->count, sizeof part->count);
        if (part->row) sum = state_sum(sum, part->row, part->count * sizeof *part->row);
        if (part->column) sum = state_sum(sum, part->column, part->count * sizeof *part->column);
    }
    return sum;
}

static void add_equations(const mech_system *s, textbuf *text)
{
    uint64_t sum = sum_rules(STATE_SUM, s);
    if (s->compiled) sum = sum_compiled(sum, s->compiled);
    text_format(text, "equations %016llx\n", (unsigned long long)sum);
}

void system_identity(const mech_eval *e, textbuf *text)
{
    const mech_system *s = e->system;
    const mech_sizes *k = &s->sizes;
    list_names(s, MECH_ITEM_COORD, "coordinates", text);
    list_names(s, MECH_ITEM_STATE, "states", text);
    list_names(s, MECH_ITEM_CONSTRAINT, "constraints", text);
    list_names(s, MECH_ITEM_EVENT, "events", text);
    for (size_t i = 0; i < k->params; i++) {
        text_format(text, "parameter %s = ", s->names[MECH_ITEM_PARAM].name[i]);
        text_add_double(text, e->slots[s->in.p + i]);
        text_add_char(text, '\n');
    }
    add_equations(s, text);
    if (e->law) text_format(text, "a law in C for %zu inputs\n", e->law->given.count);
    text_format(text, "sizes %zu rows, %zu frictions, %zu actions, %zu inputs, %zu values\n", k->rows, k->frictions,
                k->actions, k->inputs, s->slot_count);
}

void eval_forget(mech_eval *e)
{
    const mech_system *s = e->system;
    const mech_sizes *k = &s->sizes;
    const struct {
        size_t first, count;
    } inputs[] = {{s->in.t, 1},         {s->in.q, k->coords},    {s->in.z, k->states},
                  {s->in.v, k->coords}, {s->in.lambda, k->rows}, {s->in.reaction, k->rows},
                  {s->in.a, k->coords}};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i].count) memset(e->slots + inputs[i].first, 0, inputs[i].count * sizeof *e->slots);
    for (size_t i = 0; i < k->inputs; i++)
        if (e->input_is_set[i] == INPUT_HELD) e->input_is_set[i] = INPUT_BY_SIGNAL;
    e->fresh = -1;
    e->counts.motions = e->counts.robust = e->counts.fallbacks = 0;
    e->jacobian_parameters = SIZE_MAX;
}

mech_status eval_copy(mech_eval *e, mech_eval **copy)
{
    const mech_system *s = e->system;
    *copy = NULL;
    if (e->law) return MECH_ERR_UNSUPPORTED;
    state_walk w = {.reads = 0};
    eval_visit(e, &w);
    mech_status status = w.lacks_memory ? MECH_ERR_MEMORY : MECH_OK;
    if (status == MECH_OK) status = mech_eval_create(s, e->M_dense ? MECH_STORAGE_DENSE : MECH_STORAGE_SPARSE, copy);
    if (status == MECH_OK) {
        w.reads = 1;
        w.at = (const unsigned char *)w.out.data;
        w.end = w.at + w.out.length;
        eval_visit(*copy, &w);
        memcpy((*copy)->target_given, e->target_given, s->sizes.targets * sizeof *e->target_given);
    }
    text_free(&w.out);
    return status;
}

/* Derivatives are computed anew before they are used; M and A as full matrices follow from the slots. */
void eval_visit(mech_eval *e, state_walk *w)
{
    const mech_system *s = e->system;
    STATE_ARRAY(w, e->slots, s->slot_count);
    STATE_ARRAY(w, e->scratch, s->scratch_count);
    STATE_ARRAY(w, e->active, s->sizes.rows);
    STATE_FIELD(w, e->released);
    STATE_ARRAY(w, e->param_is_set, s->sizes.params);
    STATE_ARRAY(w, e->input_is_set, s->sizes.inputs);
    STATE_FIELD(w, e->fresh);
    STATE_FIELD(w, e->counts);
    if (!w->reads) return;
    state_must(w, e->fresh >= -1 && e->fresh < STAGE_COUNT);
    e->jacobian_parameters = SIZE_MAX;
    system_spread(e);
}
