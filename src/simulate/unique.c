/* What of a run is a choice of multipliers (dynamics/unique.h): laws and events that look at it are refused, unless the
   model says `allow leastnorm`; outputs are marked. */
#include "dynamics/unique.h"
#include "simulate/sim.h"
#include "base/try.h"
#include "system/sizes.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_SIZE = 200 };

/* Values that may look at multipliers, one after the other: C (n), loads of friction, then by event trigger and
   condition, actions, outputs, measures. */
typedef struct places {
    size_t loads, events, actions, outputs, measures, count;
} places;

static places places_of(const mech_sim *s)
{
    places at = {.loads = s->n, .events = s->n + s->sizes.frictions};
    at.actions = at.events + 2 * s->sizes.events;
    at.outputs = at.actions + s->sizes.actions;
    at.measures = at.outputs + s->sizes.outputs;
    at.count = at.measures + s->sizes.measures;
    return at;
}

mech_status sim_unique_create(mech_sim *s)
{
    const places at = places_of(s);
    s->unique.work = arena_alloc(&s->memory, unique_room(s->rows, at.count) * sizeof(double));
    s->unique.does = arena_alloc(&s->memory, at.count + 1);
    s->unique.is_choice = arena_alloc(&s->memory, at.count - at.outputs + 1);
    if (!s->unique.work || !s->unique.does || !s->unique.is_choice) return MECH_ERR_MEMORY;
    memset(s->unique.is_choice, 0, at.count - at.outputs + 1);
    return MECH_OK;
}

static void values_at(void *sim, const double *lambda, const double *total, double *values)
{
    mech_sim *s = sim;
    const places at = places_of(s);
    mech_status status = dynamics_show(&s->dyn, lambda, total);
    status = mech_eval_output(s->eval);
    status = mech_eval_start(s->eval);
    for (size_t k = 0; k < s->sizes.frictions; k++)
        values[at.loads + k] =
            s->dyn.friction[k].is_on ? friction_load(&s->dyn.friction[k].law, s->eq->active, total) : 0;
    for (size_t k = 0; k < s->sizes.events; k++) {
        values[at.events + 2 * k] = s->eq->trigger[k];
        values[at.events + 2 * k + 1] = s->eq->condition[k];
    }
    memcpy(values + at.actions, s->eq->action, s->sizes.actions * sizeof *values);
    memcpy(values + at.outputs, s->eq->output, s->sizes.outputs * sizeof *values);
    memcpy(values + at.measures, s->eq->measure, s->sizes.measures * sizeof *values);
    if (s->dyn.has_laws || s->sizes.frictions) status = dynamics_law(&s->dyn, lambda, total, values, NULL);
    (void)status;
}

static void sizes_there(void *sim, double *sizes)
{
    mech_sim *s = sim;
    const places at = places_of(s);
    system_value_sizes size;
    if (!system_sizes_values(s->eval, s->leeway.work, &size)) return;
    for (size_t k = 0; k < s->sizes.events; k++) {
        sizes[at.events + 2 * k] = size.trigger[k];
        sizes[at.events + 2 * k + 1] = size.condition[k];
    }
    memcpy(sizes + at.actions, size.action, s->sizes.actions * sizeof *sizes);
    memcpy(sizes + at.outputs, size.output, s->sizes.outputs * sizeof *sizes);
}

/* Names of the constraints with a row in w, into `names`: those that value `item` reads, or the others. */
static void list_names(unique_probe *p, size_t item, int that_it_reads, char *names)
{
    const mech_sim *s = p->user;
    size_t last = SIZE_MAX, used = 0;
    names[0] = 0;
    for (size_t row = 0; row < s->m && used < NAMES_SIZE; row++) {
        const size_t owner = mech_system_row(s->system, row).constraint;
        if (p->w[row] == 0 || owner == last || unique_reads(p, item, row) != that_it_reads) continue;
        last = owner;
        const char *name = mech_system_name(s->system, MECH_ITEM_CONSTRAINT, owner);
        used += (size_t)snprintf(names + used, NAMES_SIZE - used, "%s%s", used ? ", " : "", name ? name : "?");
    }
}

static mech_status refuse(unique_probe *p, const places *at, size_t item)
{
    mech_sim *s = p->user;
    char reads[NAMES_SIZE], others[NAMES_SIZE], who[NAMES_SIZE] = "a law";
    size_t event = SIZE_MAX;
    if (item >= at->actions)
        for (event = 0; item - at->actions >= mech_system_event(s->system, event).first_action +
                                                  mech_system_event(s->system, event).action_count;)
            event++;
    else if (item >= at->events) event = (item - at->events) / 2;
    if (event != SIZE_MAX) {
        const char *name = mech_system_name(s->system, MECH_ITEM_EVENT, event);
        snprintf(who, sizeof who, "event %.180s", name ? name : "?");
    }
    list_names(p, item, 1, reads);
    list_names(p, item, 0, others);
    return sim_fail(
        s, MECH_ERR_NOT_UNIQUE,
        "at t = %.10g: %s uses the reaction of %s, which is not unique because constraints depend on one "
        "another%s%s%s; write the constraint once, look at a sum that is unique, or `allow leastnorm` takes the "
        "smallest",
        s->t, who, reads, others[0] ? " (it depends on " : "", others, others[0] ? ")" : "");
}

static mech_status diagnose(mech_sim *s)
{
    const size_t mark = sim_mark(s);
    unsigned char *natural = sim_take_mask(s);
    for (size_t i = 0; i < s->m; i++) natural[i] = s->eq->active[i] && !s->dyn.servo[i];
    const mech_status status = sim_diagnose_rows(s, natural, NULL, s->dyn.out.rank_tol);
    sim_release(s, mark);
    return status;
}

static mech_status check_values(mech_sim *s, const mech_diagnosis_result *found)
{
    const places at = places_of(s);
    const int allowed = mech_system_allows_leastnorm(s->system);
    unsigned char *does = s->unique.does;
    unique_probe p = {.rows = s->rows,
                      .count = at.count,
                      .lambda = s->dyn.lambda,
                      .total = s->dyn.total,
                      .values = values_at,
                      .sizes = sizes_there,
                      .user = s};
    unique_begin(&p, s->unique.work);
    if (!unique_reads_any(&p)) return MECH_OK;
    for (size_t i = 0; i < s->m; i++) {
        if (!found->redundant[i]) continue;
        unique_aim(&p, found, i);
        if (!unique_changes(&p, does)) continue;
        for (size_t k = 0; k < at.count - at.outputs; k++) s->unique.is_choice[k] |= does[at.outputs + k];
        for (size_t k = 0; k < at.outputs && !allowed; k++)
            if (does[k]) return refuse(&p, &at, k);
    }
    return MECH_OK;
}

mech_status sim_check_unique(mech_sim *s)
{
    s->unique.is_due = 0;
    if (!(s->dyn.out.flags & MECH_FUNDAMENTAL_REDUNDANT)) return MECH_OK;
    if (!s->dyn.laws_use_reaction && s->sizes.frictions + s->sizes.events + s->sizes.outputs + s->sizes.measures == 0)
        return MECH_OK;
    if (!sim_make_dense(s)) return MECH_OK; /* too large to say which */
    MECH_TRY(diagnose(s));
    const mech_diagnosis_result *found = mech_diagnosis_get(s->diagnosis);
    MECH_TRY(check_values(s, found));
    return sim_accelerate(s, s->t, s->y); /* the evaluation as it was */
}

int mech_sim_output_is_choice(const mech_sim *sim, size_t output)
{
    return output < sim->sizes.outputs && sim->unique.is_choice[output];
}

int mech_sim_measure_is_choice(const mech_sim *sim, size_t measure)
{
    return measure < sim->sizes.measures && sim->unique.is_choice[sim->sizes.outputs + measure];
}

void sim_unique_visit(mech_sim *s, state_walk *w)
{
    STATE_FIELD(w, s->unique.is_due);
    STATE_ARRAY(w, s->unique.is_choice, s->unique.is_choice ? s->sizes.outputs + s->sizes.measures : 0);
}
