/* Saving and restoring are one walk: a field of struct mech_sim that a later step may read before it is written is
   visited here or by the part it belongs to, and so is saved and restored. Left out: what creating and starting the run
   makes again, scratch, and what is derived (A, M, Q as used in a solve). See docs/decisions/0012-checkpoints.md. */
#include "simulate/sim.h"

#include "base/try.h"
#include "fundamental/state.h"
#include "motion/visit.h"
#include "system/state.h"

static void visit_point(mech_sim *s, state_walk *w)
{
    STATE_FIELD(w, s->t);
    STATE_ARRAY(w, s->y, s->ny);
    STATE_FIELDS(w, s->has_started, s->info);
    STATE_ARRAY(w, s->dyn.active, s->rows);
    STATE_ARRAY(w, s->dyn.servo, s->rows);
    STATE_FIELD(w, s->dyn.has_singular_mass);
}

/* The last solve: the audit and the watch on the rank look back at it. */
static void visit_solution(mech_sim *s, state_walk *w)
{
    double *by_coordinate[] = {s->dyn.qdd, s->dyn.Qi, s->dyn.Qni, s->dyn.Qc, s->dyn.C, s->dyn.Q_used};
    for (size_t k = 0; k < sizeof by_coordinate / sizeof *by_coordinate; k++) STATE_ARRAY(w, by_coordinate[k], s->n);
    STATE_ARRAY(w, s->dyn.lambda, s->rows);
    STATE_ARRAY(w, s->dyn.total, s->rows);
    STATE_ARRAY(w, s->dyn.b, s->rows);
    STATE_ARRAY(w, s->dyn.u, s->sizes.actuators > s->n ? s->sizes.actuators : s->n);
    STATE_FIELD(w, s->dyn.alpha);
    STATE_FIELD(w, s->dyn.rank_tol);
    STATE_FIELDS(w, s->dyn.out.rank, s->dyn.out.flags);
}

/* The parts that exist before the start; sparse makes its solver last. */
static void (*const visits[])(mech_sim *, state_walk *) = {
    sim_advance_visit, sim_method_visit,   sim_project_visit, sim_control_visit, sim_given_rows_visit,
    sim_contact_visit, sim_friction_visit, sim_events_visit,  sim_kinks_visit,   sim_unique_visit,
    sim_leeway_visit,  sim_singular_visit, sim_mass_visit,    sim_audit_visit,   sim_fast_visit,
    sim_record_visit,  sim_follow_visit,   sim_clocks_visit,  sim_delays_visit,  sim_sparse_visit,
    sim_measure_visit, sim_moreau_visit,
};

void sim_visit_run(mech_sim *s, state_walk *w)
{
    visit_point(s, w);
    visit_solution(s, w);
    for (size_t k = 0; k < sizeof visits / sizeof *visits; k++) visits[k](s, w);
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
