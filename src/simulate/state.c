/* Saving and restoring are one walk: a field of struct mech_sim that a later step may read before it is
   written is visited here or by the part it belongs to, and so is saved and restored. Left out: what creating and
   starting the run makes again, scratch, and what is derived (A, M, Q as used in a solve). See
   docs/decisions/0012-checkpoints.md.
 */
#include "simulate/state.h"

#include "base/mem.h"
#include "base/try.h"
#include "fundamental/state.h"
#include "motion/visit.h"
#include "system/state.h"

#include <string.h>

static void visit_point(mech_sim *s, state_walk *w)
{
    STATE_FIELD(w, s->t);
    STATE_ARRAY(w, s->y, s->ny);
    STATE_FIELD(w, s->has_started);
    STATE_FIELD(w, s->has_stopped);
    STATE_FIELD(w, s->way.may_turn_stiff);
    STATE_ARRAY(w, s->dyn.active, s->rows);
    STATE_ARRAY(w, s->dyn.servo, s->rows);
    STATE_ARRAY(w, s->onto.holonomic, s->rows);
    STATE_ARRAY(w, s->onto.velocity, s->rows);
    STATE_ARRAY(w, s->contact, s->sizes.constraints);
    STATE_ARRAY(w, s->given_rows.A_before, s->pattern_A.count);
    STATE_FIELD(w, s->call.horizon);
    STATE_FIELD(w, s->call.has_been_asked);
    STATE_FIELD(w, s->record.next_output);
    STATE_ARRAY(w, s->control.path, s->m);
    STATE_FIELD(w, s->info);
    STATE_FIELD(w, s->way.counts_before);
    STATE_FIELD(w, s->onto.is_at_point);
    STATE_FIELD(w, s->dyn.has_singular_mass);
    STATE_FIELD(w, s->way.has_told_anew);
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
    STATE_FIELD(w, s->dyn.out.rank);
    STATE_FIELD(w, s->dyn.out.servo_rank);
    STATE_FIELD(w, s->dyn.out.smallest);
    STATE_FIELD(w, s->dyn.out.largest);
    STATE_FIELD(w, s->dyn.out.rank_tol);
    STATE_FIELD(w, s->dyn.rank_tol);
    STATE_FIELD(w, s->dyn.out.zero_tol);
    STATE_FIELD(w, s->dyn.out.residual);
    STATE_FIELD(w, s->dyn.out.flags);
}

/* The name is the system's own; it is found there again. */
static const char *own_name(const mech_sim *s, const char *name)
{
    static const mech_item items[] = {MECH_ITEM_CONSTRAINT, MECH_ITEM_EVENT};
    const size_t counts[] = {s->sizes.constraints, s->sizes.events};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < counts[k]; i++) {
            const char *known = mech_system_name(s->system, items[k], i);
            if (known && strcmp(known, name) == 0) return known;
        }
    return NULL;
}

/* A text of the log; reading: new, or NULL. An absent one is empty. */
static char *visit_text(const char *text, state_walk *w)
{
    size_t length = text ? strlen(text) : 0;
    state_count(w, &length, 1);
    if (!w->reads) {
        state_bytes(w, (char *)(uintptr_t)text, length);
        return NULL;
    }
    char *read = w->failed ? NULL : mem_text((const char *)w->at, length);
    if (!read && !w->failed) w->lacks_memory = w->failed = 1;
    if (read) w->at += length;
    return read;
}

static void read_happening(mech_sim *s, sim_happening *h, state_walk *w)
{
    char *name = visit_text(NULL, w);
    h->text = visit_text(NULL, w);
    h->name = name && *name ? own_name(s, name) : NULL;
    mem_free(name);
    if (!h->text) return;
    h->capacity = strlen(h->text) + 1;
    s->record.happening_made = ++s->record.happening_count;
}

static void visit_log(mech_sim *s, state_walk *w)
{
    size_t count = s->record.happening_count;
    state_count(w, &count, 1);
    if (w->reads) {
        sim_log_free(s);
        if (!mem_grow(&s->record.happenings, &s->record.happening_capacity, count, sizeof *s->record.happenings))
            w->lacks_memory = w->failed = 1;
    }
    for (size_t k = 0; k < count && !w->failed; k++) {
        sim_happening *h = &s->record.happenings[k];
        if (w->reads) *h = (sim_happening){.kind = MECH_HAPPENED_EVENT};
        STATE_FIELD(w, h->kind);
        STATE_FIELD(w, h->t);
        if (w->reads) {
            read_happening(s, h, w);
            continue;
        }
        visit_text(h->name, w);
        visit_text(h->text, w);
    }
}

/* Rows that are kept are the caller's result: they come back. */
static void visit_rows(mech_sim *s, state_walk *w)
{
    size_t rows = s->record.trajectory.rows;
    const size_t columns = s->record.trajectory.columns;
    state_count(w, &rows, columns * sizeof(double));
    if (w->reads) trajectory_clear(&s->record.trajectory);
    for (size_t k = 0; k < rows && !w->failed; k++) {
        double *row = w->reads ? trajectory_next(&s->record.trajectory)
                               : (double *)(uintptr_t)mech_trajectory_row(&s->record.trajectory, k);
        if (!row) {
            w->lacks_memory = w->failed = 1;
            return;
        }
        STATE_ARRAY(w, row, columns);
        if (w->reads) s->record.trajectory.rows++;
    }
}

/* The method, its stepper, and what that remembers. */
static mech_status visit_stepper(mech_sim *s, state_walk *w)
{
    sim_method method = s->way.method;
    double step = s->stepper->h_next;
    STATE_FIELD(w, method);
    STATE_FIELD(w, step);
    STATE_FIELD(w, s->audit.power_tolerance);
    if (w->reads) {
        if (w->failed || (unsigned)method > SIM_IRK) return MECH_ERR_FILE;
        MECH_TRY(sim_use_method(s, method));
        s->stepper->h_next = step;
    }
    if (s->stepper->ops->visit) s->stepper->ops->visit(s->stepper, w);
    return MECH_OK;
}

void sim_visit_run(mech_sim *s, state_walk *w)
{
    visit_point(s, w);
    sim_friction_visit(s, w);
    visit_solution(s, w);
    sim_events_visit(s, w);
    sim_kinks_visit(s, w);
    sim_unique_visit(s, w);
    sim_leeway_visit(s, w);
    sim_singular_visit(s, w);
    sim_mass_visit(s, w);
    sim_audit_visit(s, w);
    sim_fast_visit(s, w);
    sim_sparse_visit(s, w);
    fundamental_visit(s->dyn.solver, w);
}

mech_status sim_visit(mech_sim *s, state_walk *w)
{
    MECH_TRY(visit_stepper(s, w)); /* first: making a stepper changes the counts */
    sim_visit_run(s, w);
    sim_outside_visit(s, w);
    eval_visit(s->eval, w);
    motion_visit(s->eval, w);
    visit_log(s, w);
    visit_rows(s, w);
    if (w->lacks_memory) return MECH_ERR_MEMORY;
    return w->failed || (w->reads && w->at != w->end) ? MECH_ERR_FILE : MECH_OK;
}
