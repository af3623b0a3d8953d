/* What the room adds to the state of an evaluation that uses it. */
#include "motion/visit.h"

#include "fundamental/visit.h"
#include "motion/motion.h"

#include <string.h>

void motion_identity(const mech_eval *e, textbuf *text)
{
    text_format(text, "acceleration by %s\n",
                !e->motion              ? "the full solve"
                : e->motion->of->native ? "native code"
                                        : "the interpreted plan");
}

void motion_visit(mech_eval *e, state_walk *w)
{
    eval_motion *m = e->motion;
    if (!m) return;
    const mech_motion_code *of = m->of;
    const mech_sizes *k = &e->system->sizes;
    const size_t plain = of->plain->slot_count, null = of->null ? of->null->slot_count : 0;
    STATE_ARRAY(w, m->slots, plain > null ? plain : null);
    if (m->tape_slots) STATE_ARRAY(w, m->tape_slots, of->tape->slot_count);
    if (m->values) STATE_ARRAY(w, m->values, of->tape->output_count);
    STATE_ARRAY(w, m->k, of->size.kept);
    STATE_ARRAY(w, m->w, of->size.work);
    STATE_ARRAY(w, m->more, 1 + k->states + motion_check_count(e->system));
    STATE_ARRAY(w, m->lambda, k->rows);
    STATE_ARRAY(w, m->refined, 2 * (k->coords + k->rows));
    STATE_FIELD(w, m->parameters);
    STATE_FIELD(w, m->parameter_flags);
    if (m->robust) fundamental_visit(m->robust, w);
}

void motion_forget(mech_eval *e)
{
    const mech_sizes *k = &e->system->sizes;
    eval_motion *m = e->motion;
    if (!m) return;
    if (k->rows) memset(m->lambda, 0, k->rows * sizeof *m->lambda);
    memset(m->refined, 0, 2 * (k->coords + k->rows) * sizeof *m->refined);
    if (m->robust) fundamental_forget(m->robust);
}
