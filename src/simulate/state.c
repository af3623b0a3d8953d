/* Saving and restoring are one walk: a field of struct mech_sim that a later step may read before it is
   written is visited here, and so is saved and restored. Left out: what creating and starting the run makes
   again, scratch, and what is derived (A, M, Q as used in a solve). See docs/decisions/0012-checkpoints.md.
 */
#include "simulate/state.h"
#include "simulate/turns.h"

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
    STATE_FIELD(w, s->may_turn_stiff);
    STATE_ARRAY(w, s->active, s->rows);
    STATE_ARRAY(w, s->servo, s->rows);
    STATE_ARRAY(w, s->holonomic, s->rows);
    STATE_ARRAY(w, s->velocity, s->rows);
}

static void visit_contacts(mech_sim *s, state_walk *w)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        STATE_FIELD(w, f->is_on);
        STATE_FIELD(w, f->is_known);
        STATE_FIELD(w, f->mode.holds);
        STATE_FIELD(w, f->mode.direction);
        STATE_FIELD(w, f->slip_floor);
        STATE_FIELD(w, f->size);
        STATE_ARRAY(w, f->law.is_seen, f->law.row_count);
        STATE_ARRAY(w, f->law.w, f->law.row_count * FRICTION_MOST);
    }
    STATE_ARRAY(w, s->contact, s->sizes.constraints);
}

/* The last solve: the audit and the watch on the rank look back at it. */
static void visit_solution(mech_sim *s, state_walk *w)
{
    double *by_coordinate[] = {s->qdd, s->Qi, s->Qni, s->Qc, s->C, s->Q_used};
    for (size_t k = 0; k < sizeof by_coordinate / sizeof *by_coordinate; k++)
        STATE_ARRAY(w, by_coordinate[k], s->n);
    STATE_ARRAY(w, s->lambda, s->rows);
    STATE_ARRAY(w, s->total, s->rows);
    STATE_ARRAY(w, s->b, s->rows);
    STATE_ARRAY(w, s->u, s->sizes.actuators > s->n ? s->sizes.actuators : s->n);
    STATE_FIELD(w, s->alpha);
    STATE_FIELD(w, s->out.rank);
    STATE_FIELD(w, s->out.servo_rank);
    STATE_FIELD(w, s->out.smallest);
    STATE_FIELD(w, s->out.largest);
    STATE_FIELD(w, s->out.rank_tol);
    STATE_FIELD(w, s->out.zero_tol);
    STATE_FIELD(w, s->out.residual);
    STATE_FIELD(w, s->out.flags);
}

static void visit_events(mech_sim *s, state_walk *w)
{
    STATE_ARRAY(w, s->watch, s->watch_count);
    STATE_FIELD(w, s->watched_until);
    STATE_FIELD(w, s->open_watch);
    STATE_FIELD(w, s->open_count);
    STATE_FIELD(w, s->open_since);
    STATE_FIELD(w, s->open_until);
    STATE_FIELD(w, s->unresolved);
    STATE_FIELD(w, s->unresolved_watch);
    STATE_FIELD(w, s->unresolved_time);
    sim_turns_visit(s, w);
    STATE_FIELD(w, s->switch_gap);
    STATE_FIELD(w, s->gap_left);
    STATE_FIELD(w, s->gap_kink);
    STATE_FIELD(w, s->kink_ahead.t);
    STATE_FIELD(w, s->kink_ahead.hair);
    STATE_FIELD(w, s->kink_ahead.number);
    STATE_ARRAY(w, s->momentum, s->momentum_count);
    STATE_FIELD(w, s->momentum_time);
    STATE_ARRAY(w, s->A_before, s->pattern_A.count);
    STATE_FIELD(w, s->horizon);
    STATE_FIELD(w, s->has_been_asked);
    STATE_FIELD(w, s->instant_events);
    STATE_FIELD(w, s->last_event_time);
    STATE_FIELD(w, s->kinks_since);
    STATE_FIELD(w, s->kinks);
    STATE_FIELD(w, s->strides_since);
    STATE_FIELD(w, s->strides);
    STATE_FIELD(w, s->must_check_unique);
    STATE_ARRAY(w, s->is_choice, s->is_choice ? s->sizes.outputs : 0);
    STATE_FIELD(w, s->next_output);
}

/* What the caller set and no step has taken up yet. */
static void visit_changes(mech_sim *s, state_walk *w)
{
    int is_changed = sim_is_changed(s);
    STATE_FIELD(w, is_changed);
    STATE_FIELD(w, s->held_until);
    STATE_FIELD(w, s->functions);
    if (!w->reads) return;
    sim_know_changes(s);
    s->functions_changed = is_changed;
}

static void visit_account(mech_sim *s, state_walk *w)
{
    STATE_ARRAY(w, s->leeway, s->rows);
    STATE_ARRAY(w, s->leeway_rate, s->rows);
    STATE_ARRAY(w, s->path, s->m);
    STATE_ARRAY(w, s->reach, 2 * s->n + s->nz);
    STATE_ARRAY(w, s->root_mass, s->n);
    STATE_ARRAY(w, s->extent, s->n);
    STATE_FIELD(w, s->farthest);
    STATE_FIELD(w, s->fastest);
    STATE_FIELD(w, s->atol_is_own);
    STATE_FIELD(w, s->info);
    STATE_FIELD(w, s->counts_before);
    sim_sample *samples[] = {&s->start, &s->narrow, &s->seen[0], &s->seen[1], &s->seen[2]};
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        STATE_FIELD(w, samples[k]->t);
        STATE_FIELD(w, samples[k]->ratio);
        STATE_ARRAY(w, samples[k]->y, s->ny - 1);
    }
    STATE_FIELD(w, s->last.t);
    STATE_FIELD(w, s->last.ratio);
    STATE_FIELD(w, s->seen_count);
    STATE_FIELD(w, s->seen_rejected);
    STATE_FIELD(w, s->last_balance);
    sim_judge_visit(s, w);
    STATE_FIELD(w, s->clear_balance);
    STATE_FIELD(w, s->largest_ratio);
    STATE_FIELD(w, s->passage_ratio);
    STATE_FIELD(w, s->passage_time);
    STATE_ARRAY(w, s->passage_y, s->ny - 1);
    STATE_FIELD(w, s->energy_start);
    STATE_FIELD(w, s->work_start);
    STATE_FIELD(w, s->in_passage);
    STATE_FIELD(w, s->clear_step);
    STATE_FIELD(w, s->step_floor);
    STATE_FIELD(w, s->projects_stages);
    STATE_FIELD(w, s->is_at_projected);
    STATE_FIELD(w, s->has_singular_mass);
    STATE_FIELD(w, s->watches_mass);
    STATE_FIELD(w, s->mass_slack);
    STATE_ARRAY(w, s->mass_scale, s->n);
    STATE_FIELD(w, s->has_check);
    STATE_FIELD(w, s->is_settled);
    STATE_FIELD(w, s->settled);
    STATE_FIELD(w, s->least_margin);
    STATE_FIELD(w, s->has_told_anew);
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
    s->happening_made = ++s->happening_count;
}

static void visit_log(mech_sim *s, state_walk *w)
{
    size_t count = s->happening_count;
    state_count(w, &count, 1);
    if (w->reads) {
        sim_log_free(s);
        if (!mem_grow(&s->happenings, &s->happening_capacity, count, sizeof *s->happenings))
            w->lacks_memory = w->failed = 1;
    }
    for (size_t k = 0; k < count && !w->failed; k++) {
        sim_happening *h = &s->happenings[k];
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
    size_t rows = s->trajectory.rows;
    const size_t columns = s->trajectory.columns;
    state_count(w, &rows, columns * sizeof(double));
    if (w->reads) trajectory_clear(&s->trajectory);
    for (size_t k = 0; k < rows && !w->failed; k++) {
        double *row = w->reads ? trajectory_next(&s->trajectory)
                               : (double *)(uintptr_t)mech_trajectory_row(&s->trajectory, k);
        if (!row) {
            w->lacks_memory = w->failed = 1;
            return;
        }
        STATE_ARRAY(w, row, columns);
        if (w->reads) s->trajectory.rows++;
    }
}

/* The method, its stepper, and what that remembers. */
static mech_status visit_stepper(mech_sim *s, state_walk *w)
{
    sim_method method = s->method;
    double step = s->stepper->h_next;
    STATE_FIELD(w, method);
    STATE_FIELD(w, step);
    STATE_FIELD(w, s->power_tolerance);
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
    visit_contacts(s, w);
    visit_solution(s, w);
    visit_events(s, w);
    visit_account(s, w);
    sim_sparse_visit(s, w);
    fundamental_visit(s->solver, w);
}

mech_status sim_visit(mech_sim *s, state_walk *w)
{
    MECH_TRY(visit_stepper(s, w)); /* first: making a stepper changes the counts */
    sim_visit_run(s, w);
    visit_changes(s, w);
    eval_visit(s->eval, w);
    motion_visit(s->eval, w);
    visit_log(s, w);
    visit_rows(s, w);
    if (w->lacks_memory) return MECH_ERR_MEMORY;
    return w->failed || (w->reads && w->at != w->end) ? MECH_ERR_FILE : MECH_OK;
}
