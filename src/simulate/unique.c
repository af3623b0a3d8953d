/* What of a run is a choice of multipliers (dynamics/unique.h): laws and events that look at it are refused, unless the
   model says `allow leastnorm`; outputs, measures and columns of multipliers and forces are marked. */
#include "dynamics/unique.h"
#include "simulate/sim.h"
#include "system/sizes.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_SIZE = 200 };

mech_status sim_unique_create(mech_sim *s)
{
    sim_places *at = &s->unique.at;
    at->holds = s->n;
    at->events = at->holds + (s->sizes.frictions ? FRICTION_MOST * s->n : 0);
    at->actions = at->events + 2 * s->sizes.events;
    at->outputs = at->actions + s->sizes.actions;
    at->measures = at->outputs + s->sizes.outputs;
    at->forces = at->measures + s->sizes.measures;
    at->count = at->forces + s->record.force_columns;
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->unique.work, unique_room(s->rows, at->count)),
                        ARRAY_OF(s->unique.does, at->count)));
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(s->unique.is_choice, s->sizes.measures)));
    if (s->dyn.nf == 0 || s->dyn.is_sparse) return MECH_OK;
    return mech_diagnosis_create((int)s->n, (int)s->rows, &s->unique.of_all);
}

/* It holds, or has given way where others still hold it at rest. */
static int rests(const mech_sim *s, const dynamics_friction *f)
{
    return f->is_on && (f->mode.holds || friction_norm(s->eq->slip + f->law.first, f->law.count) <= f->slip_floor);
}

/* The force along the coordinates that all which rests can hold by together, for each direction: several feet of a
   table share it as they like, and where the sum is the same whatever bears them, so is what moves. What slides is in
   C. */
static void add_holds(const mech_sim *s, const double *total, double *values)
{
    memset(values, 0, FRICTION_MOST * s->n * sizeof *values);
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const dynamics_friction *f = &s->dyn.friction[k];
        if (!rests(s, f)) continue;
        const double mu = f->mode.holds ? s->eq->static_mu[k] : dynamics_mu(&s->dyn, k),
                     most = mu * friction_load(&f->law, s->eq->active, total);
        for (size_t a = 0; a < f->law.count; a++)
            for (size_t j = 0; j < s->n; j++) values[a * s->n + j] += most * s->dyn.S[f->law.first + a + j * s->dyn.nf];
    }
}

/* C, without what rests. */
static void look_at_laws(mech_sim *s, const double *lambda, const double *total, double *C)
{
    SIM_SCRATCH(s);
    unsigned char *slides = sim_take_mask(s); /* each friction has a row at least */
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        slides[k] = !s->dyn.friction[k].mode.holds;
        if (rests(s, &s->dyn.friction[k])) s->dyn.friction[k].mode.holds = 1;
    }
    MECH_IGNORE(dynamics_law(&s->dyn, lambda, total, C, NULL));
    for (size_t k = 0; k < s->sizes.frictions; k++) s->dyn.friction[k].mode.holds = !slides[k];
}

static void put(const mech_sim *s, double *to, const double *trigger, const double *condition, const double *action,
                const double *output, const double *measure)
{
    const sim_places *at = &s->unique.at;
    for (size_t k = 0; k < s->sizes.events; k++) {
        to[at->events + 2 * k] = trigger[k];
        to[at->events + 2 * k + 1] = condition[k];
    }
    memcpy(to + at->actions, action, s->sizes.actions * sizeof *to);
    memcpy(to + at->outputs, output, s->sizes.outputs * sizeof *to);
    memcpy(to + at->measures, measure, s->sizes.measures * sizeof *to);
}

void sim_place_values(mech_sim *s, const double *lambda, const double *total, double *values)
{
    sim_show(s, lambda, total);
    sim_evaluate_start(s);
    put(s, values, s->eq->trigger, s->eq->condition, s->eq->action, s->eq->output, s->eq->measure);
}

static void values_at(void *sim, const double *lambda, const double *total, double *values)
{
    mech_sim *s = sim;
    sim_place_values(s, lambda, total, values);
    if (s->sizes.frictions) add_holds(s, total, values + s->unique.at.holds);
    sim_row_forces(s, lambda, total, values + s->unique.at.forces);
    if (s->dyn.has_laws || s->sizes.frictions) look_at_laws(s, lambda, total, values);
}

static void sizes_there(void *sim, double *sizes)
{
    mech_sim *s = sim;
    system_value_sizes size;
    if (system_sizes_values(s->eval, s->leeway.work, &size))
        put(s, sizes, size.trigger, size.condition, size.action, size.output, size.measure);
}

size_t sim_list_owners(const mech_sim *s, const double *w, size_t but, char *names, size_t size)
{
    size_t count = 0, last = SIZE_MAX, used = 0;
    names[0] = 0;
    for (size_t row = 0; row < s->rows; row++) {
        const int is_friction = row >= s->m;
        const size_t k = is_friction ? sim_friction_of(s, row) : mech_system_row(s->system, row).constraint,
                     owner = is_friction ? s->sizes.constraints + k : k;
        if (w[row] == 0 || owner == last || owner == but) continue;
        last = owner;
        const char *name = is_friction ? sim_friction_name(s, k) : mech_system_name(s->system, MECH_ITEM_CONSTRAINT, k);
        if (used < size)
            used += (size_t)snprintf(names + used, size - used, "%s%s%s", count ? ", " : "",
                                     is_friction ? "friction on " : "", name ? name : "?");
        count++;
    }
    return count;
}

int sim_has_friction_in(const mech_sim *s, const double *w)
{
    for (size_t row = s->m; row < s->rows; row++)
        if (w[row] != 0) return 1;
    return 0;
}

/* Those with a row in w that value `item` reads, or the others. */
static void list_names(unique_probe *p, size_t item, int that_it_reads, char *names)
{
    mech_sim *s = p->user;
    SIM_SCRATCH(s);
    double *w = sim_take_rows(s);
    for (size_t row = 0; row < s->rows; row++) w[row] = p->w[row] != 0 && unique_reads(p, item, row) == that_it_reads;
    (void)sim_list_owners(s, w, SIZE_MAX, names, NAMES_SIZE);
}

static mech_status refuse(unique_probe *p, size_t item)
{
    mech_sim *s = p->user;
    const sim_places *at = &s->unique.at;
    const int by_friction = sim_has_friction_in(s, p->w);
    char reads[NAMES_SIZE], others[NAMES_SIZE], who[NAMES_SIZE] = "a law";
    size_t event = SIZE_MAX;
    if (item < at->events && !s->dyn.has_laws) snprintf(who, sizeof who, "friction");
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
        "at t = %.10g: %s uses the reaction of %s, which is not unique because %s%s%s%s; %s, or `allow leastnorm` takes "
        "the smallest",
        s->t, who, reads, by_friction ? "friction holds the same motion" : "constraints depend on one another",
        others[0] ? " (it depends on " : "", others, others[0] ? ")" : "",
        by_friction ? "look at what they give together" : "write the constraint once, look at a sum that is unique");
}

mech_status sim_diagnose_all(mech_sim *s, size_t also, const mech_diagnosis_result **found)
{
    SIM_SCRATCH(s);
    unsigned char *natural = sim_take_mask(s);
    for (size_t i = 0; i < s->rows; i++) natural[i] = i == also || (s->dyn.active[i] && !s->dyn.servo[i]);
    *found = mech_diagnosis_get(s->unique.of_all ? s->unique.of_all : s->unique.of_system);
    if (!s->unique.of_all) return sim_diagnose_rows(s, natural, NULL, s->dyn.out.rank_tol);
    dynamics_put_stopped(&s->dyn, natural);
    mech_fundamental_input equation = dynamics_question(&s->dyn, s->memory.zero, s->memory.zero, natural);
    equation.rank_tol = s->dyn.out.rank_tol;
    const mech_diagnosis_input input = {.size = sizeof input, .equation = &equation};
    return mech_diagnosis_run(s->unique.of_all, &input);
}

/* Along w friction shares with what stops it: nothing moves there, however much it could hold. */
static int has_stopped(const mech_sim *s, const double *w)
{
    for (size_t i = s->m; i < s->rows; i++)
        if (w[i] != 0 && !s->dyn.active[i]) return 1;
    return 0;
}

void sim_mark_choices(mech_sim *s, const unsigned char *does, unsigned char mark)
{
    const sim_places *at = &s->unique.at;
    sim_record *r = &s->record;
    for (size_t k = 0; k < s->sizes.outputs; k++)
        if (does[at->outputs + k]) r->is_choice[r->first_output + k] |= mark;
    for (size_t k = 0; k < s->sizes.measures; k++)
        if (does[at->measures + k]) s->unique.is_choice[k] |= mark;
    for (size_t k = 0; k < r->force_columns; k++)
        if (does[at->forces + k]) r->is_choice[r->first_force + k] |= mark;
}

static mech_status check_values(mech_sim *s, const mech_diagnosis_result *found)
{
    const sim_places *at = &s->unique.at;
    const int allowed = mech_system_allows_leastnorm(s->system);
    unsigned char *does = s->unique.does;
    unique_probe p = {.rows = s->rows,
                      .count = at->count,
                      .lambda = s->dyn.lambda,
                      .total = s->dyn.total,
                      .values = values_at,
                      .sizes = sizes_there,
                      .user = s};
    unique_begin(&p, &s->dyn, s->unique.work);
    if (!unique_reads_any(&p)) return MECH_OK;
    for (size_t row = 0; unique_next(&p, found, &row, does);) {
        sim_mark_choices(s, does, 1);
        for (size_t k = 0; k < at->outputs && !allowed; k++)
            if (does[k] && !(k >= at->holds && k < at->events && has_stopped(s, p.w))) return refuse(&p, k);
    }
    return MECH_OK;
}

static mech_status check_multipliers(mech_sim *s)
{
    const mech_diagnosis_result *found;
    SIM_SCRATCH(s);
    /* may rows in force, and friction that constraints stop, depend on one another? */
    if (!(s->dyn.out.flags & MECH_FUNDAMENTAL_REDUNDANT) &&
        !(s->unique.of_all && dynamics_put_stopped(&s->dyn, sim_take_mask(s)) > 0))
        return MECH_OK;
    const size_t looking = s->sizes.frictions + s->sizes.events + s->sizes.outputs + s->sizes.measures;
    if (!s->dyn.laws_use_reaction && looking + s->record.force_columns == 0) return MECH_OK;
    if (!sim_make_dense(s)) return MECH_OK; /* too large to say which */
    MECH_TRY(sim_diagnose_all(s, SIZE_MAX, &found));
    MECH_TRY(check_values(s, found));
    return sim_accelerate(s, s->t, s->y); /* the evaluation as it was */
}

mech_status sim_check_unique(mech_sim *s, int is_due)
{
    s->unique.is_due = is_due;
    MECH_TRY(check_multipliers(s));
    return sim_check_open_sides(s);
}

/* Multipliers before sides. */
static int reason_of(unsigned marks) { return marks & 1 ? 1 : marks ? 2 : 0; }

int mech_sim_output_is_choice(const mech_sim *sim, size_t output)
{
    return output < sim->sizes.outputs ? reason_of(sim->record.is_choice[sim->record.first_output + output]) : 0;
}

int mech_sim_measure_is_choice(const mech_sim *sim, size_t measure)
{
    return measure < sim->sizes.measures ? reason_of(sim->unique.is_choice[measure]) : 0;
}
