/* Across a kink: where the equation changes over, by its own switches, by a point of a table, or by what the caller
   set. What moves with the clock may begin to move otherwise there. Velocities that constraints ask for jump by an
   impulse of theirs. Where no constraint is, the momentum dL/dv stays: M dv = -(jump of dL/dv at the same velocities).
   */
#include "simulate/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SLOPES = EVAL_USES_SLOPE | EVAL_USES_SECOND | EVAL_SHOWS_SLOPE | EVAL_SHOWS_SECOND };

static mech_status make_side(mech_sim *s, sim_side *side)
{
    return SIM_MAKE_KEPT(s, ARRAY_OF(side->momentum, s->kink.momentum_count),
                         ARRAY_OF(side->inputs, 3 * s->sizes.inputs), ARRAY_OF(side->primed, s->kink.primed_count));
}

mech_status sim_kink_create(mech_sim *s)
{
    s->kink.momentum_now = eval_momentum(s->eval, &s->kink.momentum_coord, &s->kink.momentum_count);
    s->kink.primed_now = eval_primed(s->eval, &s->kink.primed_count);
    for (size_t i = 0; i < s->sizes.inputs; i++) s->kink.has_slopes |= (eval_input_uses(s->eval, i) & SLOPES) != 0;
    s->kink.kept_time = (double)NAN;
    s->kink.ahead.t = HUGE_VAL;
    s->kink.near_until = -HUGE_VAL;
    MECH_TRY(make_side(s, &s->kink.before));
    MECH_TRY(make_side(s, &s->kink.kept));
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(s->kink.primed_is_told, s->kink.primed_count),
                           ARRAY_OF(s->kink.input_is_told, s->sizes.inputs)));
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->kink.momentum_further, s->kink.momentum_count),
                      ARRAY_OF(s->kink.impulse, s->n));
}

size_t sim_switched(const mech_sim *s)
{
    const size_t k = sim_first_fired(s, s->events.first_switch, s->events.count);
    return k < s->events.count ? k - s->events.first_switch : SIZE_MAX;
}

switch_driver sim_kink_driver(const mech_sim *s, size_t kink)
{
    if (kink == SIZE_MAX) return SWITCH_BY_CLOCK;
    switch_driver most = system_switch_driver(s->system, kink);
    for (size_t k = s->events.first_switch; k < s->events.count; k++) {
        const switch_driver other = system_switch_driver(s->system, k - s->events.first_switch);
        if (s->events.watch[k].outcome == WATCH_FIRED && other > most) most = other;
    }
    return most;
}

/* ---- momentum ---- */

/* The point set last has `before` behind it: what the momentum has jumped by, as the impulse that undoes it. SIZE_MAX:
   not at all; or the coordinate whose momentum jumps most. */
static size_t find_impulse(mech_sim *s, const double *before)
{
    const uint32_t *coord = s->kink.momentum_coord;
    const double *now = s->kink.momentum_now;
    size_t most = SIZE_MAX;
    memset(s->kink.impulse, 0, s->n * sizeof *s->kink.impulse);
    for (size_t k = 0; k < s->kink.momentum_count; k++) {
        const double jump = now[k] - before[k], size = sim_momentum_size(s, coord[k]) + fabs(now[k]) + fabs(before[k]);
        if (!(fabs(jump) > TOL_JUMP_MOMENTUM * size)) continue;
        s->kink.impulse[coord[k]] = -jump;
        if (most == SIZE_MAX || fabs(jump) > fabs(s->kink.impulse[most])) most = coord[k];
    }
    return most;
}

/* ---- sides ---- */

void sim_copy_inputs(const mech_sim *s, double *to)
{
    for (size_t i = 0; i < s->sizes.inputs; i++) {
        const double u[3] = {s->eq->u[i], s->eq->u_dot[i], s->eq->u_ddot[i]};
        memcpy(to + 3 * i, u, sizeof u);
    }
}

/* At the point set last. */
static void copy_side(const mech_sim *s, const sim_side *to)
{
    memcpy(to->momentum, s->kink.momentum_now, s->kink.momentum_count * sizeof *to->momentum);
    sim_copy_inputs(s, to->inputs);
    memcpy(to->primed, s->kink.primed_now, s->kink.primed_count * sizeof *to->primed);
}

void sim_keep_side(mech_sim *s, double since)
{
    if (!s->kink.momentum_count && !s->kink.primed_count && !s->kink.has_slopes) return;
    s->kink.kept_time = sim_set_point(s, s->t, s->y) == MECH_OK ? s->t : (double)NAN;
    s->kink.kept_since = since;
    copy_side(s, &s->kink.kept);
}

void sim_keep_side_once(mech_sim *s, double since)
{
    if (s->kink.kept_time != s->t) sim_keep_side(s, since);
}

/* ---- the jump ---- */

/* h at s->t, s->y; what is left of the last solve has no part in it. */
static double energy_here(mech_sim *s)
{
    MECH_IGNORE(mech_eval_output(s->eval));
    return isfinite(s->eq->energy[3]) ? s->eq->energy[3] : 0;
}

/* A corner of a constraint strikes, and the balance counts that as an impact: who reads how well energy was kept wants
   to know, of the first one. */
static mech_status tell_energy(mech_sim *s, const char *name, double jump)
{
    if (s->kink.is_corner_told || !(fabs(jump) > TOL_JUMP_ENERGY * s->info.energy_scale)) return MECH_OK;
    s->kink.is_corner_told = 1;
    return sim_log_add(s, MECH_LOG_NOTE, NULL,
                       "%s has a corner, which strikes as an impact without restitution and %s %.6g of energy", name,
                       jump < 0 ? "takes" : "gives", fabs(jump));
}

/* Of the rows that hold both ways, the one whose rate is missed most. */
static sim_miss find_equation(mech_sim *s)
{
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        size_t count;
        const size_t first = mech_system_constraint_rows(s->system, c, &count);
        if (sim_is_unilateral(s, c)) memset(s->onto.velocity + first, 0, count);
    }
    const sim_miss found = sim_look_at_misses(s, s->y).rate;
    sim_update_active(s);
    return found;
}

/* To velocities that meet the rows behind the kink. Rows that hold both ways give what impulses it takes; friction on
   them gives none. Contacts only push: what they are left by, or struck with, is their own. */
static mech_status bring_about(mech_sim *s, int has_other_rate, const double *impulse)
{
    const int has_closed = sim_has_contact(s, CONTACT_CLOSED);
    if (has_closed) sim_friction_let_go(s);
    if (has_closed || impulse) MECH_TRY(sim_answer_jump(s, impulse));
    if (has_other_rate) {
        memset(s->onto.velocity + s->m, 0, s->dyn.nf);
        const mech_status status = sim_project_velocity(s, s->t, s->y, 1);
        if (s->dyn.nf) sim_update_active(s);
        MECH_TRY(status);
    }
    if (has_closed && s->sizes.contacts) return sim_touch_settle(s);
    return has_closed && s->sizes.frictions ? sim_friction_settle_all(s) : MECH_OK;
}

/* The velocity that a moving constraint asks for may be another one behind the kink. A constraint whose place jumps
   asks for what no motion can do, but for a contact that falls away. pushed: the coordinate whose momentum
   s->kink.impulse keeps, or SIZE_MAX. */
static mech_status follow_jump(mech_sim *s, const sim_misses *before, size_t pushed)
{
    MECH_TRY(sim_set_point(s, s->t, s->y));
    sim_misses after = sim_look_at_misses(s, s->y);
    for (; after.phi.part > 10 * before->phi.part + 1; after = sim_look_at_misses(s, s->y)) {
        int falls_away;
        MECH_TRY(sim_touch_fall_away(s, after.phi.row, &falls_away));
        if (falls_away) continue;
        return sim_fail(s, MECH_ERR_MODEL,
                        "at t = %.10g: constraint %s jumps by %.6g, and no motion can follow: give it a ramp", s->t,
                        sim_row_name(s, after.phi.row), after.phi.size);
    }
    const double rest = 10 * before->rate.part + 1;
    const int has_other_rate = after.rate.part > rest;
    if (!has_other_rate && pushed == SIZE_MAX) return MECH_OK;
    const sim_miss equation = find_equation(s);
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    const double h = sim_energy(s).h;
    const double was = pushed != SIZE_MAX ? s->y[s->n + pushed] : 0;
    MECH_TRY(bring_about(s, has_other_rate, pushed != SIZE_MAX ? s->kink.impulse : NULL));
    MECH_TRY(sim_energy_jumped(s, h));
    if (has_other_rate) {
        const char *name = sim_row_name(s, after.rate.row);
        MECH_TRY(sim_log_add(s, MECH_LOG_SWITCH, NULL, "the velocity that %s asks for jumps by %.6g", name,
                             after.rate.size));
        if (!(equation.part > rest)) return MECH_OK;
        return tell_energy(s, sim_row_name(s, equation.row), s->info.energy_last - h);
    }
    return sim_log_add(s, MECH_LOG_SWITCH, NULL, "what moves with the clock jumps in its slope, and %s by %.6g with it",
                       s->assembly->names[s->n + pushed], s->y[s->n + pushed] - was);
}

mech_status sim_follow_jump(mech_sim *s, int keeps_momentum)
{
    size_t pushed = SIZE_MAX;
    if (keeps_momentum && s->kink.momentum_count && s->kink.kept_time == s->t) {
        MECH_TRY(sim_set_point(s, s->t, s->y));
        pushed = find_impulse(s, s->kink.kept.momentum);
    }
    return s->m || pushed != SIZE_MAX ? follow_jump(s, &(sim_misses){0}, pushed) : MECH_OK;
}

/* A point on the way across, x from here along the slope (ny). */
static mech_status set_point_at(mech_sim *s, const double *slope, double x)
{
    SIM_SCRATCH(s);
    return sim_set_point(s, s->t + x, sim_state_along(s, slope, x));
}

/* What is primed and has jumped, and is not only fast: its slope had no impulse. Said once of each. slope: the way
   across, NULL where time stands still. */
static mech_status tell_primed(mech_sim *s, const double *before, const double *slope, const char *where)
{
    size_t most = SIZE_MAX;
    const double *now = s->kink.primed_now;
    for (size_t k = 0; k < s->kink.primed_count; k++) {
        const double jump = fabs(now[k] - before[k]);
        if (s->kink.primed_is_told[k] || !(jump > TOL_JUMP_SLOPE * (fabs(now[k]) + fabs(before[k])))) continue;
        const double behind = now[k];
        if (slope) MECH_TRY(set_point_at(s, slope, 2 * s->kink.gap));
        const double further = fabs(now[k] - behind);
        if (slope) MECH_TRY(sim_set_point(s, s->t, s->y));
        if (further > 0.1 * jump) continue;
        s->kink.primed_is_told[k] = 1;
        if (most == SIZE_MAX || jump > fabs(now[most] - before[most])) most = k;
    }
    if (most == SIZE_MAX) return MECH_OK;
    return sim_log_add(s, MECH_LOG_NOTE, NULL,
                       "what is primed jumps by %.6g at a %s, and its slope gives no impulse there: make it "
                       "change over a width, or write what it moves as a constraint",
                       now[most] - before[most], where);
}

/* An input and its slope, here and on the side before, over a width that is as good as none. One that a caller sets
   now and then, with its slope, goes on as its slopes say; passed: the times since it was, and since it could be. */
static int has_jumped(const double *before, const double *now, double width, const double passed[2])
{
    const double jump = now[0] - before[0], steep = fmax(fabs(before[1]), fabs(now[1]));
    if (!(fabs(jump) > TOL_JUMP_SLOPE * (fabs(now[0]) + fabs(before[0])) + 40 * width * steep)) return 0;
    for (int k = 0; k < 2 && now[1] != 0; k++)
        if (fabs(jump - passed[k] * (before[1] + now[1]) / 2) <= 0.1 * passed[k] * steep) return 0;
    return 1;
}

/* What jumps has a slope without bound. No motion follows a force or an energy that holds it; where it is only shown
   the slope leaves the jump out, and that is said once. */
static mech_status look_at_slopes(mech_sim *s, const sim_side *side, double width, const double passed[2])
{
    static const char *const marks[3] = {"", "'", "''"};
    for (size_t i = 0; i < s->sizes.inputs && s->kink.has_slopes; i++) {
        const unsigned uses = eval_input_uses(s->eval, i);
        const double *before = side->inputs + 3 * i, now[3] = {s->eq->u[i], s->eq->u_dot[i], s->eq->u_ddot[i]};
        const char *name = mech_system_name(s->system, MECH_ITEM_INPUT, i);
        for (int k = 0; k < 2; k++) {
            const unsigned used = k ? EVAL_USES_SECOND : EVAL_USES_SLOPE,
                           shown = k ? EVAL_SHOWS_SECOND : EVAL_SHOWS_SLOPE;
            if (!(uses & (used | shown)) || !has_jumped(before + k, now + k, width, passed)) continue;
            if (uses & used)
                return sim_fail(
                    s, MECH_ERR_MODEL,
                    "at t = %.10g: input %s%s jumps by %.6g, and its slope %s%s, which the model uses, is an impulse there that nothing gives: "
                    "make it change over a width, or write what it moves as a constraint",
                    s->t, name, marks[k], now[k] - before[k], name, marks[k + 1]);
            if (s->kink.input_is_told[i] & shown) continue;
            s->kink.input_is_told[i] |= (unsigned char)shown;
            MECH_TRY(sim_log_add(s, MECH_LOG_NOTE, NULL,
                                 "input %s%s jumps by %.6g, and its slope %s%s, which is looked at, leaves that out: "
                                 "make it change over a width",
                                 name, marks[k], now[k] - before[k], name, marks[k + 1]));
        }
    }
    return MECH_OK;
}

mech_status sim_look_at_set(mech_sim *s, int has_new_numbers)
{
    if (s->kink.kept_time != s->t || (!s->kink.has_slopes && !s->kink.primed_count)) return MECH_OK;
    MECH_TRY(sim_set_point(s, s->t, s->y));
    const double passed[2] = {s->t - s->kink.set_time, s->t - s->kink.kept_since};
    MECH_TRY(look_at_slopes(s, &s->kink.kept, sim_rounding(s->t), passed));
    return has_new_numbers ? MECH_OK : tell_primed(s, s->kink.kept.primed, NULL, "value that is set or held");
}

/* On the other side, at s->t, s->y: who is pushed (see follow_jump), and the work that the clock did. */
static mech_status look_behind(mech_sim *s, const double *slope, size_t kink, double energy, size_t *pushed)
{
    const char *name = kink == SIZE_MAX ? "a table" : mech_system_switch_name(s->system, kink);
    char where[200];
    snprintf(where, sizeof where, "kink of %s", name);
    MECH_TRY(sim_set_point(s, s->t, s->y));
    MECH_TRY(look_at_slopes(s, &s->kink.before, s->kink.gap, (const double[2]){0, 0}));
    MECH_TRY(tell_primed(s, s->kink.before.primed, slope, where));
    *pushed = find_impulse(s, s->kink.before.momentum);
    if (*pushed != SIZE_MAX) { /* or is it only fast? */
        const double jump = fabs(s->kink.impulse[*pushed]);
        memcpy(s->kink.momentum_further, s->kink.momentum_now, s->kink.momentum_count * sizeof(double));
        MECH_TRY(set_point_at(s, slope, 2 * s->kink.gap));
        const size_t further = find_impulse(s, s->kink.momentum_further);
        if (further != SIZE_MAX && fabs(s->kink.impulse[further]) > 0.1 * jump) *pushed = SIZE_MAX;
        MECH_TRY(sim_set_point(s, s->t, s->y));
        if (*pushed != SIZE_MAX) *pushed = find_impulse(s, s->kink.before.momentum);
    }
    if (sim_kink_driver(s, kink) == SWITCH_BY_MOTION) {
        if (*pushed == SIZE_MAX) return MECH_OK;
        return sim_fail(
            s, MECH_ERR_MODEL,
            "at t = %.10g: the momentum along %s jumps by %.6g at a kink of %s: an energy of motion that jumps with the position leaves open "
            "what the velocity does. Make it change over a width",
            s->t, mech_system_name(s->system, MECH_ITEM_COORD, *pushed), -s->kink.impulse[*pushed],
            mech_system_switch_name(s->system, kink));
    }
    const double work = energy_here(s) - energy - 2 * s->kink.gap * slope[s->ny - 1];
    if (fabs(work) > TOL_JUMP_ENERGY * s->info.energy_scale) s->info.event_energy += work;
    return MECH_OK;
}

/* To the other side, which is some rounding away, with the slope of this one; no farther than to the end of this
   advance. */
static mech_status cross(mech_sim *s, size_t kink)
{
    SIM_SCRATCH(s);
    double *slope = sim_take_state(s), energy = 0;
    size_t pushed = SIZE_MAX;
    const int is_cut = s->t + s->kink.gap > s->advance.end,
              looks = !is_cut && (s->kink.momentum_count || s->kink.primed_count || s->kink.has_slopes ||
                                  sim_kink_driver(s, kink) != SWITCH_BY_MOTION);
    const double gap = is_cut ? s->advance.end - s->t : s->kink.gap;
    MECH_TRY(sim_set_point(s, s->t - s->kink.gap, s->y)); /* the step may have ended a hair behind the kink */
    const sim_misses before = sim_look_at_misses(s, s->y);
    if (sim_rhs(s, s->t, s->y, slope) != 0) return s->log.failure;
    if (looks) { /* on this side: momentum, inputs, h */
        MECH_TRY(set_point_at(s, slope, -s->kink.gap));
        copy_side(s, &s->kink.before);
        energy = energy_here(s);
    }
    for (size_t i = 0; i < s->ny; i++) s->y[i] += gap * slope[i];
    s->kink.gap_left = is_cut ? s->kink.gap - gap : 0;
    s->kink.gap_kink = kink;
    s->t = is_cut ? s->advance.end : s->t + gap;
    if (looks) MECH_TRY(look_behind(s, slope, kink, energy, &pushed));
    return pushed != SIZE_MAX || (s->m && !is_cut) ? follow_jump(s, &before, pushed) : MECH_OK;
}

/* Forces on both sides of a kink may point at it: then the motion slides along it, to and fro in ever more steps. */
static mech_status guard_against_sliding(mech_sim *s, const char *name)
{
    const size_t count = sim_count_within(s, &s->events.kinks, TOL_STANDSTILL_KINK * s->advance.length);
    if (count <= 10 * s->settings.max_events) return MECH_OK;
    return sim_fail(
        s, MECH_ERR_INTEGRATION,
        "at t = %.10g: a kink of %s was crossed %zu times within %.2g: the motion is driven onto it from both "
        "sides and cannot leave it. Dry friction is `friction on`, which can hold; other switches need a width",
        s->t, name, count - 1, s->t - s->events.kinks.since);
}

mech_status sim_pass_kink(mech_sim *s, size_t kink, double step)
{
    s->kink.ahead = (sim_kink){.t = HUGE_VAL};
    s->kink.near_until = -HUGE_VAL;
    MECH_TRY(sim_events_see(s));
    if (kink != SIZE_MAX) MECH_TRY(sim_follow_kink(s, 0));
    MECH_TRY(cross(s, kink));
    MECH_TRY(sim_friction_pass_kink(s));
    MECH_TRY(sim_touch_pass_kink(s));
    if (kink != SIZE_MAX) MECH_TRY(sim_follow_kink(s, 1));
    if (kink != SIZE_MAX && s->kink.gap_left == 0) {
        const char *name = mech_system_switch_name(s->system, kink);
        MECH_TRY(guard_against_sliding(s, name));
        MECH_TRY(sim_log_add(s, MECH_LOG_SWITCH, NULL, "a kink of %s", name));
    }
    MECH_TRY(sim_events_passed(s));
    if (sim_has_event(s)) MECH_TRY(sim_act_on_events(s, 1));
    else MECH_TRY(sim_restart(s, s->kink.gap_left > 0 ? s->stepper->h_next : step));
    return sim_rows_due(s); /* a row may be due within the gap, and this advance may end there */
}

mech_status sim_events_act(mech_sim *s)
{
    return sim_has_event(s) ? sim_act_on_events(s, 0) : sim_pass_kink(s, sim_switched(s), 0);
}
