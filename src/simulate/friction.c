/* Dry friction in a run: slip with the total reaction, stick as rows V = 0 (the law: dynamics/friction_law.h). */
#include "simulate/sim.h"
#include "base/text.h"
#include "base/try.h"
#include "dynamics/friction_note.h"

#include <float.h>
#include <math.h>
#include <string.h>

static mech_status look_at(mech_sim *s)
{
    MECH_TRY(sim_set_point(s, s->t, s->y));
    sim_gather_rows(s);
    return MECH_OK;
}

const char *sim_friction_name(const mech_sim *s, size_t friction)
{
    const mech_friction f = mech_system_friction(s->system, friction);
    return f.name ? f.name : mech_system_name(s->system, MECH_ITEM_CONSTRAINT, f.constraints[0]);
}

size_t sim_friction_of(const mech_sim *s, size_t row)
{
    size_t k = 0;
    while (k + 1 < s->sizes.frictions && s->dyn.friction[k + 1].law.first <= row - s->m) k++;
    return k;
}

/* Where it comes into force first: a load or a velocity that may be off by a factor. */
static mech_status tell_note(mech_sim *s, size_t friction)
{
    textbuf text = {0};
    mech_status status = MECH_OK;
    if (!s->dyn.friction[friction].is_on || s->dyn.friction[friction].is_known) return status;
    if (friction_note(s->system, s->eq, friction, &text))
        status = text.failed ? MECH_ERR_MEMORY
                             : sim_log_add(s, MECH_LOG_NOTE, sim_friction_name(s, friction), "%s", text.data);
    text_free(&text);
    return status;
}

mech_status sim_friction_turn_on(mech_sim *s)
{
    MECH_TRY(look_at(s));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        s->dyn.friction[k].is_on = friction_is_on(&s->dyn.friction[k].law, s->eq->active);
        MECH_TRY(tell_note(s, k));
    }
    sim_update_active(s);
    sim_gather_rows(s);
    return MECH_OK;
}

int sim_friction_needs_reaction(const mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->dyn.friction[k].is_on && s->dyn.friction[k].mode.holds) return 1;
    return 0;
}

/* The coefficients are compared at rest alone: that of sliding may grow with the speed. */
mech_status sim_friction_check(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const double mu = s->eq->mu[k], at_rest = s->eq->static_mu[k];
        if (!s->dyn.friction[k].is_on) continue;
        if (mu < 0 || at_rest < 0)
            return sim_fail(s, MECH_ERR_MODEL,
                            "at t = %.10g: the coefficient of friction on %s is %g, and a negative one pushes",
                            *s->eq->t, sim_friction_name(s, k), fmin(mu, at_rest));
        if (s->dyn.friction[k].mode.holds && at_rest < mu * (1 - TOL_FRICTION_STATIC))
            return sim_fail(
                s, MECH_ERR_MODEL,
                "at t = %.10g: the coefficient of friction on %s is %g at rest, below %g of sliding: between the two it "
                "would neither hold nor slide",
                *s->eq->t, sim_friction_name(s, k), at_rest, mu);
    }
    return MECH_OK;
}

static double speed_of(const mech_sim *s, const dynamics_friction *f)
{
    return friction_norm(s->eq->slip + f->law.first, f->law.count);
}

/* What moved so far tells rest from rounding. The slower it slides the faster V/|V| turns, and no step is short enough
   for where sliding begins. Below the speed `slow` the direction is that kept from the last step, turned by what of V
   points beside it: what is left there settles within slow/(friction/mass), and the error in V is this speed times the
   angle turned in a step. */
static void note_speed(mech_sim *s, dynamics_friction *f)
{
    const size_t k = (size_t)(f - s->dyn.friction);
    const friction_state at = dynamics_friction_state(&s->dyn, k);
    f->slip_floor = fmax(f->slip_floor, friction_rest_speed(&f->law, &at, s->eq->slip + f->law.first, s->eq->v));
    f->slow = f->law.count > 1 ? fmax(f->slip_floor, 1e4 * s->settings.atol) : HUGE_VAL;
}

/* Along V, or a vector in its place. */
static void slide_along(dynamics_friction *f, const double *V)
{
    const double size = friction_norm(V, f->law.count);
    f->mode.holds = f->mode.is_full = 0;
    for (size_t a = 0; a < f->law.count && size > 0; a++) f->mode.direction[a] = V[a] / size;
}

/* V of each friction by a unit of impulse, where nothing but masses stands in its way: the largest since it rested. */
static void note_responses(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const friction_law *law = &s->dyn.friction[k].law;
        double response = 0;
        for (size_t j = 0; j < s->n; j++) {
            const double mass = fabs(s->eq->M_dense[j + j * s->n]);
            if (mass > 0) response += pow(friction_norm(s->dyn.S + law->first + j * s->dyn.nf, law->count), 2) / mass;
        }
        s->friction.response[k] = fmax(s->friction.response[k], response);
    }
}

void sim_friction_follow(mech_sim *s)
{
    note_responses(s);
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        dynamics_friction *f = &s->dyn.friction[k];
        if (!f->is_on) continue;
        note_speed(s, f);
        if (f->mode.holds || f->mode.is_full) continue;
        dynamics_way at;
        dynamics_way_of(&s->dyn, k, &at);
        /* else there was no force yet, and no way to say where to */
        slide_along(f, friction_norm(at.d, f->law.count) > 0 ? at.d : s->eq->slip + f->law.first);
    }
}

/* ---- where sliding begins ---- */

/* V at a time within the last step, as its interpolant has it; NAN: not known. */
static double keeping_at(mech_sim *s, size_t friction, double t, double *speed)
{
    SIM_SCRATCH(s);
    double *y = sim_take_state(s);
    if (s->stepper->ops->dense(s->stepper, t, y) != 0 || sim_set_point(s, t, y) != MECH_OK) return NAN;
    *speed = speed_of(s, &s->dyn.friction[friction]);
    return dynamics_keeping(&s->dyn, friction);
}

/* The direction settles within |V|/V', and a step far longer than that may pass its error test while its interpolant
   swings: V seems to turn back, and would be brought to rest or sent elsewhere. */
static int is_led_astray(mech_sim *s, size_t friction)
{
    const sim_stepper *st = s->stepper;
    const dynamics_friction *f = &s->dyn.friction[friction];
    const double slow = f->slow, h = st->t - st->t_old;
    double speed = 0, inside = 0;
    if (!f->is_on || f->mode.holds || f->law.count == 1 || !(h * f->size.rate > 4 * slow)) return 0;
    if (isnan(keeping_at(s, friction, st->t_old, &speed))) return 0;
    if (speed > 1e3 * slow || !(h * f->size.rate > 4 * speed)) return 0;
    for (double part = 1; part > 0.005; part /= 2)
        if (keeping_at(s, friction, st->t_old + part * h, &inside) < -0.1 * slow) return 1;
    return 0;
}

/* Where in the last step V has come down to an eighth, else its end. Near rest V is no larger than what the stages of a
   long step miss of it, also across constraints, and V/|V| points anywhere. */
static double before_rest(mech_sim *s, size_t friction)
{
    enum { HALVINGS = 5 };
    const dynamics_friction *f = &s->dyn.friction[friction];
    double from = s->stepper->t_old, to = s->stepper->t, speed = 0, inside = 0;
    if (!f->is_on || f->mode.holds || f->law.count == 1) return to;
    const double least = keeping_at(s, friction, from, &speed) / 8;
    if (!(speed > 1e3 * f->slow) || !(keeping_at(s, friction, to, &inside) < least)) return to;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = from + (to - from) / 2;
        if (keeping_at(s, friction, middle, &inside) < least) to = middle;
        else from = middle;
    }
    return to;
}

sim_step_result sim_keep_way(mech_sim *s)
{
    enum { MOST_HALVINGS = 60 };
    sim_stepper *st = s->stepper;
    sim_step_result result = SIM_STEPPED;
    const mech_status status = s->log.failure;
    if (!st->ops->step_shorter) return result;
    for (size_t k = 0; k < s->sizes.frictions && result == SIM_STEPPED; k++) {
        const double t = before_rest(s, k);
        if (t < st->t) result = st->ops->step_shorter(st, t);
    }
    for (size_t k = 0; k < s->sizes.frictions; k++)
        for (int i = 0; i < MOST_HALVINGS && result == SIM_STEPPED && is_led_astray(s, k); i++)
            result = st->ops->step_shorter(st, st->t_old + (st->t - st->t_old) / 2);
    if (result == SIM_STEPPED) s->log.failure = status;
    return result;
}

/* Slip: the speed in the kept direction. Stick: what is left of mu_s N. Both fall through 0 when it ends. */
double sim_friction_value(const mech_sim *s, size_t friction)
{
    const dynamics_friction *f = &s->dyn.friction[friction];
    if (!f->is_on) return 1;
    if (!f->mode.holds) return dynamics_keeping(&s->dyn, friction);
    double ft[FRICTION_MOST];
    return s->eq->static_mu[friction] * friction_load(&f->law, s->eq->active, s->dyn.total) -
           dynamics_stick_force(&s->dyn, friction, s->dyn.total, ft);
}

/* A hundred times what the error of a step may make of V, as in sim_noticeable: within a step, between its ends, it is
   larger. */
static double step_error(const mech_sim *s, const dynamics_friction *f)
{
    const double *S = s->dyn.S + f->law.first;
    double sum = 0;
    for (size_t j = 0; j < s->n; j++) sum += friction_norm(S + j * s->dyn.nf, f->law.count);
    return 100 * s->settings.atol * sum;
}

/* Time is known no better than events are found, and speed no better than time and the error of a step. What began
   behind 0 is as good as on it until it has come through. */
double sim_friction_floor(const mech_sim *s, size_t friction, double value)
{
    const dynamics_friction *f = &s->dyn.friction[friction];
    const double time = fmax(s->settings.event_tol * sim_span(s), 4 * DBL_EPSILON * fabs(s->t));
    if (f->mode.holds) return TOL_FRICTION_RESERVE * f->size.force;
    const double behind = value < 0 ? 2 * s->friction.behind[friction] : 0;
    if (f->law.count > 1) return fmax(f->slow, behind);
    return fmax(fmax(TOL_FRICTION_SPEED * f->slip_floor, fmax(4 * time * f->size.rate, behind)),
                f->is_on ? step_error(s, f) : 0);
}

/* ---- what rests: it holds, or begins to slide ---- */

mech_status sim_friction_tell(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        dynamics_friction *f = &s->dyn.friction[k];
        const char *name = sim_friction_name(s, k);
        const int was_stuck = s->friction.is_told_stuck[k];
        const int is_stuck = f->mode.holds || f->mode.is_full;
        s->friction.is_told_stuck[k] = (unsigned char)is_stuck;
        f->mode.rests = 0;
        if (!f->is_on || was_stuck == is_stuck) continue;
        if (was_stuck) MECH_TRY(sim_log_add(s, MECH_LOG_SLIP, name, "friction on %s slips", name));
        else MECH_TRY(sim_log_add(s, MECH_LOG_STICK, name, "friction on %s sticks", name));
    }
    return MECH_OK;
}

/* The sum of M_jj v_j^2, or of what velocities differ by. */
static double size_of_motion(const mech_sim *s, const double *v, const double *from)
{
    double sum = 0;
    for (size_t j = 0; j < s->n; j++) sum += fabs(s->eq->M_dense[j + j * s->n]) * pow(v[j] - (from ? from[j] : 0), 2);
    return sum;
}

/* Did it take much of the motion to stop what was next to nothing? Then V passes 0 by itself: where constraints all but
   prescribe it, as the height of a bead does at the top of its ring, or with its own factor, as (1 - x)*x' does. slip:
   of V before, by its response, as size_of_motion. first: where the step began, or NULL. */
static int stopped_too_much(mech_sim *s, const double *before, double slip, const double *first)
{
    const double taken = size_of_motion(s, s->y + s->n, before + s->n);
    return first && taken > TOL_FRICTION_TAKEN * slip &&
           taken > TOL_FRICTION_PART * size_of_motion(s, first + s->n, NULL);
}

/* What slides from here on may stand on the other side of 0, where a projection has put it. */
static void note_behind(mech_sim *s, size_t friction)
{
    s->friction.behind[friction] = fmax(-dynamics_keeping(&s->dyn, friction), 0);
}

/* V = 0 of all that rests, exactly: what is left of it comes from the error of a step and of the time found. Where a
   constraint prescribes V it stays as it is. */
static mech_status bring_to_rest(mech_sim *s)
{
    SIM_SCRATCH(s);
    double *before = sim_take_state(s), *first = sim_take_state(s), slip = 0;
    note_responses(s);
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        dynamics_friction *f = &s->dyn.friction[k];
        const double response = s->friction.response[k], speed = speed_of(s, f);
        if (f->mode.rests) f->mode.holds = 1;
        if (f->mode.rests && speed > 0) slip += response > 0 ? pow(speed, 2) / response : HUGE_VAL;
    }
    sim_update_active(s);
    if (!(slip > 0)) return MECH_OK;
    if (!s->advance.has_started || s->stepper->ops->dense(s->stepper, s->stepper->t_old, first) != 0) first = NULL;
    memcpy(before, s->y, s->ny * sizeof *before);
    MECH_TRY(sim_stop_sliding(s));
    const int is_passed = stopped_too_much(s, before, slip, first);
    if (is_passed) memcpy(s->y, before, s->ny * sizeof *before);
    MECH_TRY(look_at(s));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        dynamics_friction *f = &s->dyn.friction[k];
        if (!is_passed && f->is_on && !f->mode.rests) /* brought to rest along with others */
            f->mode.rests = f->mode.holds = speed_of(s, f) <= f->slip_floor;
        else if (is_passed && f->mode.rests && !s->friction.is_told_stuck[k]) {
            f->mode.rests = f->mode.holds = 0;
            for (size_t a = 0; a < f->law.count; a++) f->mode.direction[a] = -f->mode.direction[a];
            note_behind(s, k);
        }
    }
    sim_update_active(s);
    return MECH_OK;
}

/* What rests (mode.rests) is brought to rest and held or let go; others slide along V. */
static mech_status choose(mech_sim *s)
{
    memset(s->friction.behind, 0, s->sizes.frictions * sizeof *s->friction.behind);
    MECH_TRY(bring_to_rest(s));
    MECH_TRY(look_at(s));
    MECH_TRY(sim_friction_check(s));
    const mech_status status = dynamics_choose(&s->dyn);
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const friction_mode *mode = &s->dyn.friction[k].mode;
        if (mode->rests) s->friction.response[k] = 0;
        if (mode->rests && !mode->holds) note_behind(s, k);
    }
    sim_update_active(s);
    return sim_remember(s, status);
}

mech_status sim_friction_try(mech_sim *s)
{
    MECH_TRY(sim_friction_turn_on(s));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        dynamics_friction *f = &s->dyn.friction[k];
        f->mode.rests = f->mode.holds = f->mode.is_full = 0;
        if (!f->is_on) continue;
        note_speed(s, f);
        f->mode.rests = speed_of(s, f) <= f->slip_floor;
        if (!f->mode.rests) slide_along(f, s->eq->slip + f->law.first);
    }
    return choose(s);
}

/* At the start and after anything sudden: what slides keeps sliding, what rests is settled. */
mech_status sim_friction_settle_all(mech_sim *s)
{
    MECH_TRY(sim_friction_try(s));
    return sim_friction_tell(s);
}

/* V may have left its direction by coming to rest or by a turn, a single one by a jump as well: that of a start off its
   constraints. It rests when what is left of it is a step's error. */
static int has_stopped(const mech_sim *s, size_t friction)
{
    const dynamics_friction *f = &s->dyn.friction[friction];
    const double error = 10 * fmax(1, s->settings.rtol / TOL_FRICTION_REST) * f->slip_floor;
    const double slow = f->law.count == 1 ? TOL_FRICTION_STOPPED / TOL_FRICTION_REST * f->slip_floor : f->slow;
    return speed_of(s, f) <= fmax(slow, error);
}

mech_status sim_friction_act(mech_sim *s, const unsigned char *has_fired)
{
    MECH_TRY(look_at(s));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        dynamics_friction *f = &s->dyn.friction[k];
        f->mode.rests = 0;
        if (!f->is_on) continue;
        note_speed(s, f);
        f->mode.rests = f->mode.holds || speed_of(s, f) <= f->slip_floor;
        /* what slides where another still holds all of it at rest gave way before */
        f->mode.gave_way = f->mode.rests && has_fired[k] == f->mode.holds;
        if (!has_fired[k] || f->mode.rests) continue;
        f->mode.rests = has_stopped(s, k);
        if (!f->mode.rests) slide_along(f, s->eq->slip + f->law.first);
    }
    MECH_TRY(choose(s));
    return sim_friction_tell(s);
}

void sim_friction_forget(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) s->dyn.friction[k].mode.gave_way = 0;
}

void sim_friction_let_go(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        dynamics_friction *f = &s->dyn.friction[k];
        /* it does not slide yet: no force */
        if (f->mode.holds) memset(f->mode.direction, 0, sizeof f->mode.direction);
        f->mode.holds = f->mode.is_full = 0;
    }
    sim_update_active(s);
}

int sim_is_held_back(const mech_sim *s, mech_status status)
{
    return status == MECH_ERR_NOT_REALISABLE && sim_friction_needs_reaction(s);
}

/* What holds and cannot any more, as a force has jumped: it gives way here, not after the next step. */
static mech_status give_way(mech_sim *s)
{
    int any = 0;
    if (!sim_friction_needs_reaction(s)) return MECH_OK;
    const mech_status status = sim_accelerate(s, s->t, s->y);
    if (sim_is_held_back(s, status)) return sim_friction_settle_all(s);
    MECH_TRY(status);
    SIM_SCRATCH(s);
    unsigned char *is_over = sim_take_mask(s); /* each friction has a row at least */
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const dynamics_friction *f = &s->dyn.friction[k];
        const double value = sim_friction_value(s, k);
        is_over[k] = f->is_on && f->mode.holds && value < -sim_friction_floor(s, k, value);
        any |= is_over[k];
    }
    return any ? sim_friction_act(s, is_over) : MECH_OK;
}

mech_status sim_friction_pass_kink(mech_sim *s)
{
    int jumps = 0;
    if (s->sizes.frictions == 0) return MECH_OK;
    MECH_TRY(sim_set_point(s, s->t, s->y));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const dynamics_friction *f = &s->dyn.friction[k];
        if (!f->is_on) continue;
        jumps |= f->mode.holds ? speed_of(s, f) > f->slip_floor : dynamics_keeping(&s->dyn, k) < -f->slip_floor;
    }
    if (!jumps) return give_way(s);
    sim_friction_let_go(s);
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT) MECH_TRY(sim_project(s, s->t, s->y));
    return sim_friction_settle_all(s);
}

void sim_friction_visit(mech_sim *s, state_walk *w)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        dynamics_friction *f = &s->dyn.friction[k];
        STATE_FIELD(w, f->is_on);
        STATE_FIELD(w, f->is_known);
        STATE_FIELD(w, f->mode);
        STATE_FIELD(w, f->slip_floor);
        STATE_FIELD(w, f->slow);
        STATE_FIELD(w, f->size);
        STATE_ARRAY(w, f->law.is_seen, f->law.row_count);
        STATE_ARRAY(w, f->law.w, f->law.row_count * FRICTION_MOST);
    }
}

mech_status sim_friction_create(mech_sim *s)
{
    sim_friction *f = &s->friction;
    const size_t count = s->sizes.frictions;
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(f->is_told_stuck, count), ARRAY_OF(f->behind, count),
                           ARRAY_OF(f->response, count), ARRAY_OF(f->load_largest, count)));
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(f->load_first, s->m), ARRAY_OF(f->load_least, count),
                      ARRAY_OF(f->load_most, count));
}
