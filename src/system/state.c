#include "system/state.h"

#include "fundamental/state.h"
#include "system/compiled.h"
#include "system/motion.h"
#include "system/system.h"

#include <string.h>

static void list_names(const mech_system *s, mech_item item, const char *title, textbuf *text)
{
    text_add(text, title);
    for (size_t i = 0; i < s->names[item].count; i++)
        text_format(text, "%s %s", i ? "," : "", s->names[item].name[i]);
    text_add_char(text, '\n');
}

/* Equations and tables as one number: the programs in words, which are the same for the same model. */
static void add_equations(const mech_system *s, textbuf *text)
{
    uint64_t sum = STATE_SUM;
    char *dump = s->kind->dump ? mech_system_dump(s) : NULL;
    if (s->kind->dump && !dump) text->failed = 1;
    if (dump) sum = state_sum(sum, dump, strlen(dump));
    mech_text_free(dump);
    if (s->kind->prepare == compiled_prepare_jacobian) {
        const system_compiled *c = s->implementation;
        for (size_t i = 0; i < c->table_count; i++) {
            sum = state_sum(sum, c->tables[i].t, c->tables[i].count * sizeof *c->tables[i].t);
            sum = state_sum(sum, c->tables[i].y, c->tables[i].count * sizeof *c->tables[i].y);
        }
    }
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
    add_equations(s, text);
    text_format(text, "sizes %zu rows, %zu frictions, %zu actions, %zu inputs, %zu values\n", k->rows,
                k->frictions, k->actions, k->inputs, s->slot_count);
    for (size_t i = 0; i < k->params; i++) {
        text_format(text, "parameter %s = ", s->names[MECH_ITEM_PARAM].name[i]);
        text_add_double(text, e->slots[s->in.p + i]);
        text_add_char(text, '\n');
    }
    text_format(text, "acceleration by %s\n",
                !e->motion        ? "the full solve"
                : s->motion->code ? "native code"
                                  : "the interpreted plan");
}

static void motion_visit(eval_motion *m, const system_motion *of, const mech_sizes *k, state_walk *w)
{
    STATE_ARRAY(w, m->slots, of->plain->slot_count);
    STATE_ARRAY(w, m->k, of->size.kept);
    STATE_ARRAY(w, m->w, of->size.work);
    STATE_ARRAY(w, m->more, 1 + k->states);
    STATE_ARRAY(w, m->lambda, k->rows);
    STATE_FIELD(w, m->parameters);
    STATE_FIELD(w, m->parameter_flags);
    if (m->robust) fundamental_visit(m->robust, w);
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
    if (e->motion) motion_visit(e->motion, s->motion, &s->sizes, w);
    if (!w->reads) return;
    state_must(w, e->fresh >= -1 && e->fresh < STAGE_COUNT);
    e->jacobian_parameters = SIZE_MAX;
    system_spread(e);
}
