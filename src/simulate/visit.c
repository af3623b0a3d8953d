/* Saving and restoring are one walk: a field of struct mech_sim that a later step may read before it is written is
   visited here, an array where it is made, and so both are saved and restored. Left out: what creating and starting
   the run makes again, scratch, and what is derived (A, M, Q as used in a solve). See
   docs/decisions/0012-checkpoints.md. */
#include "simulate/sim.h"
#include "fundamental/visit.h"
#include "motion/visit.h"
#include "system/visit.h"

#include <assert.h>

mech_status sim_make_kept(mech_sim *s, const arena_array *arrays, size_t count)
{
    MECH_TRY(arena_make(&s->memory.arena, arrays, count));
    assert(s->memory.kept.count + count <= sizeof s->memory.kept.list / sizeof *s->memory.kept.list);
    for (size_t k = 0; k < count; k++, s->memory.kept.count++) {
        memcpy(&s->memory.kept.list[s->memory.kept.count].array, arrays[k].pointer, sizeof(void *));
        s->memory.kept.list[s->memory.kept.count].size = arrays[k].count * arrays[k].size;
    }
    return MECH_OK;
}

/* Fields of the run, of its last solve, at which the audit and the watch on the rank look back, and of its parts, whose
   arrays are listed where they are made. */
static void visit_fields(mech_sim *s, state_walk *w)
{
    double *by_coordinate[] = {s->dyn.qdd, s->dyn.Qi, s->dyn.Qni, s->dyn.Qc, s->dyn.C, s->dyn.Q_used};
    double *by_row[] = {s->dyn.lambda, s->dyn.total, s->dyn.b};
    STATE_FIELDS(w, s->t, s->info);
    STATE_ARRAY(w, s->y, s->ny);
    STATE_ARRAY(w, s->dyn.active, s->rows);
    STATE_ARRAY(w, s->dyn.servo, s->rows);
    STATE_FIELD(w, s->dyn.has_singular_mass);
    for (size_t k = 0; k < sizeof by_coordinate / sizeof *by_coordinate; k++) STATE_ARRAY(w, by_coordinate[k], s->n);
    for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++) STATE_ARRAY(w, by_row[k], s->rows);
    STATE_ARRAY(w, s->dyn.u, s->sizes.actuators > s->n ? s->sizes.actuators : s->n);
    STATE_FIELD(w, s->dyn.alpha);
    STATE_FIELD(w, s->dyn.rank_tol);
    STATE_FIELDS(w, s->dyn.out.rank, s->dyn.out.flags);
    STATE_FIELDS(w, s->advance.horizon, s->advance.held_until);
    STATE_FIELDS(w, s->method.may_turn_stiff, s->method.has_told_anew);
    STATE_FIELD(w, s->onto.is_at_point);
    STATE_FIELDS(w, s->events.turn, s->events.strides);
    STATE_FIELDS(w, s->kink.kept_time, s->kink.is_corner_told);
    STATE_FIELD(w, s->unique.is_due);
    STATE_FIELDS(w, s->leeway.farthest, s->leeway.atol_is_own);
    STATE_FIELDS(w, s->mass.is_on, s->mass.slack);
    STATE_FIELD(w, s->audit);
    STATE_FIELDS(w, s->onto.fast.has_check, s->onto.fast.least_margin);
    STATE_FIELD(w, s->record.next_output);
    STATE_FIELDS(w, s->record.follow.last, s->record.follow.coarse);
    STATE_FIELDS(w, s->measures.until, s->measures.unresolved_time);
    STATE_FIELDS(w, s->method.moreau.deepest, s->method.moreau.deepest_at);
}

/* What exists before the start; sparse makes its solver last. */

void sim_visit_run(mech_sim *s, state_walk *w)
{
    visit_fields(s, w);
    for (size_t k = 0; k < s->memory.kept.count; k++)
        state_bytes(w, s->memory.kept.list[k].array, s->memory.kept.list[k].size);
    sim_friction_visit(s, w);
    sim_singular_visit(s, w);
    sim_delays_visit(s, w);
    sim_sparse_visit(s, w);
    fundamental_visit(s->dyn.solver, w);
}

mech_status sim_visit(mech_sim *s, state_walk *w)
{
    MECH_TRY(sim_stepper_visit(s, w)); /* first: making a stepper changes the counts */
    sim_visit_run(s, w);
    sim_outside_visit(s, w);
    eval_visit(s->eval, w);
    motion_visit(s->eval, w);
    sim_log_visit(s, w);
    sim_rows_visit(s, w);
    if (w->lacks_memory) return MECH_ERR_MEMORY;
    return w->failed || (w->reads && w->at != w->end) ? MECH_ERR_FILE : MECH_OK;
}
