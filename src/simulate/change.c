/* What the caller changed since the last step: parameters, inputs, constraints in force, or what C functions answer.
   The state stays as it is; velocities follow where constraints ask for others, as behind a kink, and the integrator
   begins anew: no slope of before the change goes on. */
#include "simulate/sim.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

/* C functions may read what the caller changes: what they give here, as a number. */
static mech_status look_at_functions(mech_sim *s, uint64_t *print)
{
    *print = 0;
    if (!eval_has_functions(s->eval)) return MECH_OK;
    MECH_TRY(sim_set_point(s, s->t, s->y));
    MECH_TRY(sim_remember(s, mech_eval_reaction(s->eval, s->dyn.lambda, s->dyn.total)));
    *print = eval_fingerprint(s->eval);
    return MECH_OK;
}

mech_status sim_note_functions(mech_sim *s) { return look_at_functions(s, &s->caller.outside.functions); }

mech_status sim_compare_functions(mech_sim *s)
{
    uint64_t now;
    MECH_TRY(look_at_functions(s, &now));
    s->caller.outside.functions_changed |= now != s->caller.outside.functions;
    return MECH_OK;
}

/* Parameters, or what C functions answer. */
static int has_other_numbers(const mech_sim *s)
{
    return s->caller.outside.functions_changed || eval_changes_get(s->eval).params != s->caller.outside.seen.params;
}

/* Inputs, or constraints in force. */
static int has_been_set(const mech_sim *s)
{
    return s->caller.outside.was_set || eval_changes_get(s->eval).others != s->caller.outside.seen.others;
}

int sim_is_changed(const mech_sim *s)
{
    return s->t >= s->advance.held_until || sim_clocks_are_due(s) || has_other_numbers(s) || has_been_set(s);
}

void sim_know_changes(mech_sim *s)
{
    s->caller.outside.seen = eval_changes_get(s->eval);
    s->caller.outside.functions_changed = s->caller.outside.was_set = 0;
}

/* Constraints that the caller put in force or took out, marked; until it is their turn what was in force stays so. */
static int find_switched(mech_sim *s)
{
    int some = 0;
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        size_t count;
        const size_t row = mech_system_constraint_rows(s->system, c, &count);
        s->caller.outside.is_switched[c] = count > 0 && (s->eq->active[row] != 0) != (s->dyn.active[row] != 0);
        if (s->caller.outside.is_switched[c]) eval_put_in_force(s->eval, c, s->dyn.active[row]);
        some |= s->caller.outside.is_switched[c];
    }
    return some;
}

/* Constraints that were switched, as by `impose` and `release` of an event; or the state is another one: onto the
   constraints, as after `set`. */
static mech_status carry_out(mech_sim *s, int is_placed, int sees)
{
    sim_friction_let_go(s);
    for (size_t c = 0; c < s->sizes.constraints; c++)
        if (s->caller.outside.is_switched[c])
            MECH_TRY(sim_put_in_force(s, c, !s->dyn.active[mech_system_constraint_rows(s->system, c, NULL)]));
    if (is_placed) MECH_TRY(sim_place_beside_contacts(s, sees));
    if (is_placed) MECH_TRY(sim_leave_contacts(s));
    MECH_TRY(sim_project_acted(s, is_placed && sees));
    return s->sizes.frictions ? sim_friction_settle_all(s) : MECH_OK;
}

/* What the start found out about the numbers of the model. */
static mech_status look_anew(mech_sim *s)
{
    MECH_TRY(sim_gains(s));
    if (!s->dyn.is_sparse) s->dyn.has_singular_mass = 0;
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    if (!s->dyn.is_sparse) s->dyn.has_singular_mass = (s->dyn.out.flags & MECH_FUNDAMENTAL_SINGULAR_MASS) != 0;
    sim_mass_begin(s);
    MECH_TRY(sim_clocks_place(s, 0));
    return sim_delays_check(s);
}

/* Another state. It has not been on the way: triggers jump from where it leaves them, by what else was set. */
static mech_status place(mech_sim *s, const double *to, int sees, int has_new_numbers)
{
    if (sees && !has_new_numbers) MECH_TRY(sim_events_see(s));
    if (sees) sim_see_before_set(s);
    SIM_SCRATCH(s);
    double *values = sim_take_state(s);
    for (size_t i = 0; i < 2 * s->n; i++) values[i] = to[i] != s->y[i] ? to[i] : (double)NAN;
    memcpy(s->y + 2 * s->n, to + 2 * s->n, (s->ny - 2 * s->n) * sizeof *to);
    MECH_TRY(sim_put(s, values));
    if (sees) sim_see_after_set(s, 1);
    return MECH_OK;
}

/* to: where the state is put, NULL: it stays. samples: those that are due are taken. */
static mech_status take(mech_sim *s, const double *to, int samples)
{
    const int is_placed = to != NULL;
    const int is_fixed = s->method.kind == SIM_MOREAU; /* contacts and events are its own business */
    const int has_new_numbers = has_other_numbers(s);
    const double changed_before = s->info.event_energy, h_before = s->info.energy_last, step = sim_step_behind(s);
    const int is_set = has_been_set(s), is_changed = is_set || sim_clocks_are_due(s);
    sim_know_changes(s);
    if (!is_placed && !is_fixed && !has_new_numbers) MECH_TRY(sim_events_see(s));
    if (!is_placed) sim_keep_side_once(s, s->t);
    const double points = eval_hold(s->eval, s->t);
    sim_delays_pass(s, s->t < s->delays.others && !has_new_numbers && !is_placed && !is_changed);
    s->kink.ahead = (sim_kink){.t = HUGE_VAL};
    s->log.failure = MECH_OK;
    s->onto.fast.is_end = 0;
    const int switches = find_switched(s), sees = !is_fixed && (!is_placed || switches || is_set || has_new_numbers);
    if (is_placed) MECH_TRY(place(s, to, sees, has_new_numbers));
    if (has_new_numbers) MECH_TRY(look_anew(s));
    if (samples) MECH_TRY(sim_clocks_tick(s));
    s->delays.others = fmin(points, sim_clocks_next(s));
    s->advance.held_until = sim_delays_stop(s);
    if (!is_placed) MECH_TRY(sim_look_at_set(s, has_new_numbers));
    if (is_set) s->kink.set_time = s->t;
    if (!is_placed) MECH_TRY(sim_follow_jump(s, !has_new_numbers));
    if (switches || is_placed) MECH_TRY(carry_out(s, is_placed, sees));
    else MECH_TRY(sim_friction_pass_kink(s));
    if (is_fixed && is_placed) MECH_TRY(sim_moreau_place(s));
    if (s->sizes.contacts && !is_fixed) MECH_TRY(sim_touch_settle(s));
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    if (s->sizes.frictions) MECH_TRY(sim_friction_check(s));
    MECH_TRY(sim_check_given(s));
    MECH_TRY(sim_check_unique(s, 1));
    s->info.energy_last = sim_energy(s).h;
    s->info.event_energy = changed_before + (s->info.energy_last - h_before);
    /* a trigger that jumps over 0 with an input, a parameter or a constraint has passed it */
    if (sees) MECH_TRY(sim_events_passed(s));
    if (sim_fire_jumped(s) || (sees && sim_has_event(s))) return sim_act_on_events(s, 1);
    return sim_restart(s, step);
}

mech_status sim_take_changes(mech_sim *s, int samples)
{
    if (!sim_is_changed(s)) return MECH_OK;
    sim_keep_good(s);
    const mech_status status = take(s, NULL, samples);
    return status == MECH_OK ? MECH_OK : sim_go_back(s, status);
}

mech_status mech_sim_set_state(mech_sim *s, const double *q, const double *v, const double *states)
{
    if (!s) return MECH_ERR_ARGUMENT;
    if (!s->advance.has_started) return mech_sim_set_start(s, q, v, states, 0);
    MECH_TRY(sim_must_be(s, SIM_WHOLE));
    SIM_SCRATCH(s);
    double *to = sim_take_state(s);
    memcpy(to, s->y, s->ny * sizeof *to);
    MECH_TRY(sim_take_values(s, to, q, v, states, "go on with"));
    sim_keep_good(s);
    mech_status status = take(s, to, 1);
    if (status == MECH_OK) status = sim_note_functions(s);
    if (status != MECH_OK) return sim_go_back(s, status);
    sim_keep_side(s, s->t);
    sim_keep_good(s);
    return MECH_OK;
}

/* What the caller set and no step has taken up yet. What is due by the clock is so in the run that is taken up, too. */
void sim_outside_visit(mech_sim *s, state_walk *w)
{
    int has_others = has_other_numbers(s), is_set = has_been_set(s);
    STATE_FIELD(w, has_others);
    STATE_FIELD(w, is_set);
    STATE_FIELD(w, s->caller.outside.functions);
    if (!w->reads) return;
    sim_know_changes(s);
    s->caller.outside.functions_changed = has_others;
    s->caller.outside.was_set = is_set;
}

mech_status sim_caller_create(mech_sim *s)
{
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->caller.given.y_start, s->ny),
                      ARRAY_OF(s->caller.given.active_first, s->sizes.constraints),
                      ARRAY_OF(s->caller.outside.is_switched, s->sizes.constraints));
}
