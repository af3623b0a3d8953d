/* The run: start, and steps (step.c) up to where it is asked to go. */
#include "simulate/settings.h"
#include "simulate/sim.h"
#include "fundamental/visit.h"
#include "system/visit.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* A run without an end is as long as one unit of time, however often it was taken on: nothing changes while it goes. */
double sim_span(const mech_sim *s)
{
    const double length = isinf(s->settings.until) ? 1 : fabs(s->advance.horizon - s->settings.from);
    return fmax(length, 1e9 * DBL_EPSILON * fabs(s->t));
}

double sim_rounding(double t) { return 8 * DBL_EPSILON * fabs(t); }

double sim_resolution(const mech_sim *s)
{
    return s->settings.resolution > 0 ? s->settings.resolution : TOL_RESOLUTION * sim_span(s);
}

/* What is a kink of the clock at the very start has no side there: the run begins a hair behind it. */
static double start_time(mech_sim *s)
{
    const double from = s->settings.from, hair = fmax(TOL_HAIR * sim_span(s), sim_rounding(from));
    double *now = s->events.values + s->events.first_switch, *later = now + s->events.count;
    const double times[2] = {from, from + hair};
    double *const values[2] = {now, later};
    for (int k = 0; k < 2 && s->events.switch_count; k++) {
        mech_status status = sim_set_point(s, times[k], s->y);
        if (status == MECH_OK) status = mech_eval_switches(s->eval, values[k]);
        if (status != MECH_OK) return from; /* the assembly says what is wrong, or mends it */
    }
    for (size_t k = 0; k < s->events.switch_count; k++)
        if (fabs(now[k]) <= DBL_EPSILON * fabs(from) && later[k] != now[k]) return times[1];
    return from;
}

/* Settings, and the state onto the constraints. */
static mech_status find_start(mech_sim *s)
{
    char why[SIM_ERROR_SIZE / 2];
    memcpy(s->y, s->caller.given.y_start, s->ny * sizeof(double));
    for (size_t c = 0; c < s->sizes.constraints; c++)
        s->caller.given.active_first[c] = (unsigned char)sim_is_in_force(s, c);
    s->leeway.atol_is_own = isnan(s->settings.atol) && !mech_eval_option(s->eval, "atol", NULL, NULL);
    settings_resolve(&s->settings, s->eval, s->system);
    sim_follow_begin(s);
    const mech_status status = settings_check(&s->settings, s->record.trajectory.columns, why, sizeof why);
    if (status != MECH_OK) return sim_fail(s, status, "%s", why);
    s->t = s->settings.from;
    /* nobody has said how far */
    s->advance.horizon = s->advance.end = isfinite(s->settings.until) ? s->settings.until : s->t + 1;
    s->advance.held_until = eval_hold(s->eval, s->t);
    s->t = start_time(s);
    sim_update_active(s);
    MECH_TRY(sim_gains(s));
    return sim_assemble(s);
}

static mech_status begin(mech_sim *s)
{
    MECH_TRY(find_start(s));
    MECH_TRY(sim_delays_begin(s));
    MECH_TRY(sim_leeway_begin(s));
    sim_update_active(s);
    if (s->dyn.is_sparse) MECH_TRY(sim_sparse_settle(s));
    MECH_TRY(sim_choose_method(s));
    if (s->method.kind == SIM_MOREAU) MECH_TRY(sim_moreau_begin(s));
    else if (s->sizes.contacts) MECH_TRY(sim_touch_settle(s));
    else if (s->sizes.frictions) MECH_TRY(sim_friction_settle_all(s));
    if (s->sizes.frictions) MECH_TRY(sim_friction_check(s));
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    MECH_TRY(sim_check_given(s));
    MECH_TRY(sim_path_begin(s));
    MECH_TRY(sim_check_unique(s, 1));
    if (!s->dyn.is_sparse) s->dyn.has_singular_mass = (s->dyn.out.flags & MECH_FUNDAMENTAL_SINGULAR_MASS) != 0;
    sim_mass_begin(s);
    sim_audit_begin(s);
    s->measures.until = s->settings.from;
    MECH_TRY(sim_measure_point(s));
    MECH_TRY(sim_clocks_place(s, 1));
    s->delays.others = s->advance.held_until = fmin(s->advance.held_until, sim_clocks_next(s));
    MECH_TRY(sim_row_first(s));
    MECH_TRY(sim_restart(s, s->settings.first_step));
    return sim_note_functions(s);
}

mech_status sim_find_start(mech_sim *s)
{
    s->settings = s->caller.given.settings;
    s->log.failure = MECH_OK;
    s->log.error[0] = 0;
    fundamental_forget(s->assembly->solver);
    eval_forget(s->eval);
    return find_start(s);
}

mech_status mech_sim_start(mech_sim *s)
{
    if (!s) return MECH_ERR_ARGUMENT;
    MECH_TRY(sim_must_be(s, SIM_FRESH));
    s->advance.is_moving = 1;
    const mech_status status = begin(s);
    s->advance.is_moving = 0;
    if (status != MECH_OK) return s->log.error[0] ? status : sim_fail_at(s, status);
    s->record.next_output = 1;
    s->advance.has_started = 1;
    s->kink.set_time = s->t;
    sim_know_changes(s);
    return MECH_OK;
}

void sim_keep_good(mech_sim *s)
{
    s->advance.good.t = s->t;
    memcpy(s->advance.good.y, s->y, s->ny * sizeof(double));
}

mech_status sim_go_back(mech_sim *s, mech_status status)
{
    if (!s->log.error[0]) status = sim_fail_at(s, status);
    s->t = s->advance.good.t;
    memcpy(s->y, s->advance.good.y, s->ny * sizeof(double));
    return status;
}

static mech_status look_outside(mech_sim *s, size_t steps)
{
    const mech_sim_settings *o = &s->settings;
    MECH_TRY(sim_poll(s));
    /* a signal, or another thread */
    if (o->interrupt && __atomic_load_n(o->interrupt, __ATOMIC_RELAXED)) return sim_asked_to_stop(s);
    if (o->on_progress && o->on_progress(o->user, s->t, o->from, o->until) != 0)
        return sim_blame(s, MECH_ERR_INTERRUPTED, "stopped by the caller");
    if (o->max_steps && steps >= o->max_steps)
        return sim_blame(s, MECH_ERR_LIMIT, "%zu steps were allowed", o->max_steps);
    return MECH_OK;
}

static mech_status move(mech_sim *s)
{
    double since = s->t; /* what may be set could be */
    sim_keep_good(s);
    mech_status status = sim_compare_functions(s);
    for (size_t steps = mech_sim_info_get(s).steps;
         status == MECH_OK && s->t < s->advance.end && !s->advance.has_stopped; steps++) {
        sim_keep_good(s);
        if (s->settings.on_progress && s->t > s->settings.from) {
            sim_keep_side_once(s, since);
            since = s->t;
        }
        status = look_outside(s, steps);
        if (status == MECH_OK) status = sim_take_changes(s, 1);
        if (status == MECH_OK && s->advance.has_stopped) break; /* by what changed here: nothing moves any more */
        if (status == MECH_OK) status = sim_step(s);
        if (status == MECH_OK) status = sim_guard_against_standstill(s);
    }
    if (status == MECH_OK) status = sim_measure_point(s);
    if (status == MECH_OK) status = sim_note_functions(s);
    sim_keep_side(s, since);
    return status == MECH_OK ? MECH_OK : sim_go_back(s, status);
}

mech_status mech_sim_advance(mech_sim *s, double t_end)
{
    if (!s) return MECH_ERR_ARGUMENT;
    MECH_TRY(sim_must_be(s, SIM_STILL));
    if (!isfinite(t_end)) return sim_refuse(s, "a run goes on to a finite time, not to %g", t_end);
    if (t_end < s->t)
        return sim_refuse(s, "the run is at t = %.17g, and %.17g lies before it: runs go forward", s->t, t_end);
    if (t_end == s->t || s->advance.has_stopped) return MECH_OK;
    s->advance.horizon = s->advance.has_been_asked ? fmax(s->advance.horizon, t_end) : t_end;
    s->advance.has_been_asked = 1;
    s->advance.end = t_end;
    /* without an end one call may ask for any time, and nothing is nearer to standing still for that -- sim_span */
    s->advance.length = isinf(s->settings.until) ? fmin(t_end - s->t, 1) : t_end - s->t;
    /* what the caller cuts short says nothing about the motion: the guards count anew */
    s->events.kinks = s->events.strides = (sim_stretch){.since = s->t};
    s->advance.is_moving = 1;
    const mech_status status = move(s);
    s->advance.is_moving = 0;
    return status;
}

mech_status mech_sim_run(mech_sim *sim)
{
    if (!sim) return MECH_ERR_ARGUMENT;
    if (!sim->advance.has_started) MECH_TRY(mech_sim_start(sim));
    if (isinf(sim->settings.until))
        return sim_refuse(sim, "a run without an end has none to run to: mech_sim_advance takes it on");
    const clock_t began = clock(); /* here, and not in each advance, where it would cost as much as a step */
    const mech_status status = mech_sim_advance(sim, fmax(sim->settings.until, sim->t));
    sim->info.seconds += (double)(clock() - began) / CLOCKS_PER_SEC;
    mech_status closed = sim_audit_close(sim);
    if (closed == MECH_OK) closed = sim_leeway_close(sim);
    if (closed == MECH_OK) closed = sim_moreau_close(sim);
    if (status == MECH_OK) sim_judge_close(sim);
    return status != MECH_OK ? status : closed;
}

mech_status sim_advance_create(mech_sim *s) { return ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->advance.good.y, s->ny)); }
