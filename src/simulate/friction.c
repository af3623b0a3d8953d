/* Dry friction in a run: slip with the total reaction, stick as rows V = 0 (the law: dynamics/friction_law.h). */
#include "simulate/sim.h"
#include "base/try.h"

#include <float.h>
#include <math.h>
#include <string.h>

mech_status sim_friction_create(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        MECH_TRY(friction_law_create(s->system, k, &s->memory, &s->friction[k].law));
    return MECH_OK;
}

/* At the point of the last sim_gather_rows. */
static friction_state state_of(const mech_sim *s, const friction_law *law)
{
    return (friction_state){.S = s->A_used + s->m + law->first,
                            .A = s->A_used,
                            .S_height = s->rows,
                            .A_height = s->rows,
                            .n = s->n,
                            .active = s->eq->active,
                            .M = s->eq->M_dense,
                            .Q = s->eq->Q};
}

static void see_rows(const mech_sim *s, size_t friction)
{
    const friction_law *law = &s->friction[friction].law;
    const friction_state at = state_of(s, law);
    friction_see(law, &at);
}

static mech_status look_at(mech_sim *s)
{
    MECH_TRY(sim_set_point(s, s->t, s->y));
    sim_gather_rows(s);
    return MECH_OK;
}

/* Which rows show in V's components is seen where the friction comes into force first: before, V need have no value. */
static mech_status turn_on(mech_sim *s)
{
    MECH_TRY(look_at(s));
    for (size_t k = 0; k < s->sizes.frictions; k++)
        s->friction[k].is_on = friction_is_on(&s->friction[k].law, s->eq->active);
    sim_update_active(s);
    sim_gather_rows(s);
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        const friction_state at = state_of(s, &f->law);
        if (f->is_on && !f->is_known) friction_find_seen(&f->law, &at);
        f->is_known |= f->is_on;
    }
    return MECH_OK;
}

int sim_friction_slips(const mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->friction[k].is_on && !s->friction[k].mode.holds) return 1;
    return 0;
}

int sim_friction_needs_reaction(const mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->friction[k].is_on && s->friction[k].mode.holds) return 1;
    return 0;
}

/* Normal and tangential force from multipliers; stick rows included when stuck. */
static double loads(const mech_sim *s, size_t friction, const double *lambda, double *tangential)
{
    const sim_friction *f = &s->friction[friction];
    const double *stick = lambda + s->m + f->law.first;
    double force[FRICTION_MOST] = {0};
    friction_normal normal;
    const double unseen = friction_force(&f->law, s->eq->active, lambda, force);
    for (size_t a = 0; f->mode.holds && a < f->law.count; a++) force[a] += stick[a];
    friction_find_normal(&f->law, s->eq->active, &normal);
    const double seen = friction_remove_normal(&f->law, &normal, force);
    if (tangential) memcpy(tangential, force, f->law.count * sizeof *force);
    return sqrt(unseen + seen);
}

/* A stick row V = 0 also holds what the constraint itself holds (V may be the whole velocity of a point), so the least-norm
   multipliers share the load. It belongs to the constraint: the stick's part along its directions w is moved there. */
void sim_friction_hand_back(const mech_sim *s, double *lambda)
{
    enum { SWEEPS = 100 };
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const sim_friction *f = &s->friction[k];
        double *stick = lambda + s->m + f->law.first;
        if (!f->is_on || !f->mode.holds) continue;
        see_rows(s, k);
        double moved = 1;
        for (int sweep = 0; sweep < SWEEPS && moved > 0; sweep++) { /* one is enough where the w are orthogonal */
            moved = 0;
            for (size_t i = 0; i < f->law.row_count; i++) {
                const double *w = f->law.w + i * FRICTION_MOST, size = friction_dot(w, w, f->law.count);
                if (!f->law.is_seen[i] || !s->eq->active[f->law.rows[i]] || !(size > 0)) continue;
                const double part = friction_dot(w, stick, f->law.count) / size;
                lambda[f->law.rows[i]] += part;
                for (size_t a = 0; a < f->law.count; a++) stick[a] -= part * w[a];
                if (fabs(part) > 1e-15 * fabs(lambda[f->law.rows[i]])) moved = 1;
            }
        }
    }
}

/* The slower it slides the faster V/|V| turns, and no step is short enough for where sliding begins. Below this speed the direction is that kept
   from the last step, turned by what of V points beside it: what is left there settles within slow_speed/(friction/mass), and the error in V is
   this speed times the angle turned in a step. */
double sim_friction_slow(const mech_sim *s, size_t friction)
{
    const sim_friction *f = &s->friction[friction];
    return f->law.count > 1 ? fmax(f->slip_floor, 1e4 * s->settings.atol) : HUGE_VAL;
}

/* How far V is from leaving the kept direction: past a reversal, or faster than slowly by a turn of 60 degrees. */
static double keeping(const mech_sim *s, size_t friction)
{
    const sim_friction *f = &s->friction[friction];
    const double *V = s->eq->slip + f->law.first;
    return friction_dot(V, f->mode.direction, f->law.count) - 0.5 * fmax(friction_norm(V, f->law.count) - sim_friction_slow(s, friction), 0);
}

void sim_friction_direction(const mech_sim *s, size_t friction, sim_direction *at)
{
    const sim_friction *f = &s->friction[friction];
    const double *V = s->eq->slip + f->law.first, *kept = f->mode.direction, speed = friction_norm(V, f->law.count);
    const double slow = sim_friction_slow(s, friction);
    *at = (sim_direction){.over = HUGE_VAL};
    memcpy(at->d, kept, f->law.count * sizeof *kept);
    if (!(speed > 0) || f->law.count == 1 || !(keeping(s, friction) > 0)) return;
    at->over = fmax(speed, slow);
    for (size_t a = 0; a < f->law.count; a++) {
        at->along[a] = V[a] / speed;
        at->beside[a] = speed > slow ? at->along[a] : kept[a];
        at->d[a] = speed > slow ? at->along[a] : kept[a] + (V[a] - speed * kept[a]) / slow;
    }
}

static void one_law(mech_sim *s, size_t k, const double *lambda, double *C, double *dC)
{
    const sim_friction *f = &s->friction[k];
    const friction_state at = state_of(s, &f->law);
    sim_direction direction;
    friction_see(&f->law, &at);
    sim_friction_direction(s, k, &direction);
    friction_slip(&f->law, &at, lambda, s->eq->mu[k], loads(s, k, lambda, NULL), direction.d, C, dC, NULL);
}

void sim_friction_law(mech_sim *s, const double *lambda, double *C, double *dC)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->friction[k].is_on && !s->friction[k].mode.holds) one_law(s, k, lambda, C, dC);
}

void sim_friction_force(mech_sim *s, size_t k, int with_stick, double *C)
{
    const sim_friction *f = &s->friction[k];
    const size_t first = s->m + f->law.first;
    if (!f->is_on) return;
    if (!f->mode.holds) one_law(s, k, s->total, C, NULL);
    else if (with_stick)
        for (size_t j = 0; j < s->n; j++) C[j] += friction_dot(s->A_used + first + j * s->rows, s->total + first, f->law.count);
}

static const char *name_of(const mech_sim *s, size_t friction)
{
    return mech_system_name(s->system, MECH_ITEM_CONSTRAINT, mech_system_friction(s->system, friction).constraints[0]);
}

/* The coefficients are compared at rest alone: that of sliding may grow with the speed. */
mech_status sim_friction_check(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const double mu = s->eq->mu[k], at_rest = s->eq->static_mu[k];
        if (!s->friction[k].is_on) continue;
        if (mu < 0 || at_rest < 0)
            return sim_fail(s, MECH_ERR_MODEL, "at t = %.10g: the coefficient of friction on %s is %g, and a negative one pushes",
                            *s->eq->t, name_of(s, k), fmin(mu, at_rest));
        if (s->friction[k].mode.holds && at_rest < mu * (1 - 1e-6))
            return sim_fail(s, MECH_ERR_MODEL,
                            "at t = %.10g: the coefficient of friction on %s is %g at rest, below %g of sliding: between the two it "
                            "would neither hold nor slide",
                            *s->eq->t, name_of(s, k), at_rest, mu);
    }
    return MECH_OK;
}

static double speed_of(const mech_sim *s, const sim_friction *f) { return friction_norm(s->eq->slip + f->law.first, f->law.count); }

/* What moved so far tells rest from rounding. */
static void note_speed(mech_sim *s, sim_friction *f)
{
    const friction_state at = state_of(s, &f->law);
    f->slip_floor = fmax(f->slip_floor, friction_rest_speed(&f->law, &at, s->eq->slip + f->law.first, s->eq->v));
}

void sim_friction_follow(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        if (!f->is_on) continue;
        note_speed(s, f);
        if (f->mode.holds) continue;
        sim_direction at;
        sim_friction_direction(s, k, &at);
        const double size = friction_norm(at.d, f->law.count);
        for (size_t a = 0; a < f->law.count; a++) f->mode.direction[a] = at.d[a] / size;
    }
}

/* Slip: the speed in the kept direction. Stick: what is left of mu_s N. Both fall through 0 when it ends. */
double sim_friction_value(const mech_sim *s, size_t friction)
{
    const sim_friction *f = &s->friction[friction];
    if (!f->is_on) return 1;
    if (!f->mode.holds) return keeping(s, friction);
    double ft[FRICTION_MOST];
    see_rows(s, friction);
    const double N = loads(s, friction, s->total, ft);
    return s->eq->static_mu[friction] * N - friction_norm(ft, f->law.count);
}

/* A hundred times what the error of a step may make of V, as in sim_noticeable: within a step, between its ends, it is larger. */
static double step_error(const mech_sim *s, const sim_friction *f)
{
    const double *S = s->A_used + s->m + f->law.first;
    double sum = 0;
    for (size_t j = 0; j < s->n; j++) sum += friction_norm(S + j * s->rows, f->law.count);
    return 100 * s->settings.atol * sum;
}

/* Time is known no better than events are found, and speed no better than time and the error of a step. */
double sim_friction_floor(const mech_sim *s, size_t friction)
{
    const sim_friction *f = &s->friction[friction];
    const double time = fmax(s->settings.event_tol * sim_span(s), 4 * DBL_EPSILON * fabs(s->t));
    if (f->mode.holds) return 1e-12 * f->size.force;
    if (f->law.count > 1) return sim_friction_slow(s, friction);
    return fmax(fmax(1e-3 * f->slip_floor, 4 * time * f->size.rate), f->is_on ? step_error(s, f) : 0);
}

/* ---- what rests: it holds, or begins to slide ---- */

static friction_mode *mode_of(void *user, size_t k) { return &((mech_sim *)user)->friction[k].mode; }

static size_t surface_of(void *user, size_t k, double basis[FRICTION_MOST][FRICTION_MOST])
{
    mech_sim *s = user;
    friction_normal normal;
    see_rows(s, k);
    friction_find_normal(&s->friction[k].law, s->eq->active, &normal);
    return friction_surface(&s->friction[k].law, &normal, basis);
}

static mech_status solve(void *user)
{
    mech_sim *s = user;
    sim_update_active(s);
    return sim_accelerate(s, s->t, s->y);
}

static void look(void *user, size_t k, const double *qdd, const double *total, friction_look *at)
{
    mech_sim *s = user;
    sim_friction *f = &s->friction[k];
    const friction_state state = state_of(s, &f->law);
    friction_normal normal;
    if (!qdd) qdd = s->qdd, total = s->total;
    *at = (friction_look){.bound = 0};
    see_rows(s, k);
    at->bound = s->eq->static_mu[k] * loads(s, k, total, at->pull);
    f->size = at->size = friction_rate(&f->law, &state, s->eq->slip_b + f->law.first, qdd, total, at->rate);
    friction_find_normal(&f->law, s->eq->active, &normal);
    friction_remove_normal(&f->law, &normal, at->rate);
}

int sim_friction_accepts(void *sim, const double *qdd, const double *total)
{
    mech_sim *s = sim;
    memcpy(s->scratch.residual, total, s->rows * sizeof *total);
    sim_friction_hand_back(s, s->scratch.residual);
    return friction_accepts(s->modes, qdd, s->scratch.residual);
}

/* V = 0 of all that rests, exactly: what is left of it comes from the error of a step and of the time found. Where a constraint prescribes V
   it stays as it is. */
static mech_status bring_to_rest(mech_sim *s)
{
    int rests = 0;
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        if (f->mode.rests) f->mode.holds = rests = 1;
    }
    if (!rests) return MECH_OK;
    sim_update_active(s);
    memcpy(s->scratch.y_row, s->y, s->ny * sizeof *s->y);
    const mech_status status = sim_project_velocity(s, s->t, s->y, 0);
    if (status != MECH_ERR_INTEGRATION) return status;
    memcpy(s->y, s->scratch.y_row, s->ny * sizeof *s->y);
    s->status = MECH_OK;
    return MECH_OK;
}

static mech_status tell_changes(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        const char *name = name_of(s, k);
        const int was_stuck = f->was_stuck;
        f->was_stuck = f->mode.gave_way = f->mode.rests = 0;
        if (!f->is_on || was_stuck == f->mode.holds) continue;
        if (was_stuck) MECH_TRY(sim_happened(s, MECH_HAPPENED_SLIP, name, "friction on %s slips", name));
        else MECH_TRY(sim_happened(s, MECH_HAPPENED_STICK, name, "friction on %s sticks", name));
    }
    return MECH_OK;
}

/* What rests (mode.rests) is brought to rest and held or let go; others slide along V. was_stuck: what held before. */
static mech_status settle(mech_sim *s)
{
    friction_modes modes = {
        .count = s->sizes.frictions, .user = s, .mode = mode_of, .surface = surface_of, .solve = solve, .look = look};
    MECH_TRY(bring_to_rest(s));
    MECH_TRY(look_at(s));
    MECH_TRY(sim_friction_check(s));
    s->modes = &modes;
    const mech_status status = friction_choose_modes(&modes);
    s->modes = NULL;
    sim_update_active(s);
    if (status != MECH_OK) return sim_remember(s, status);
    return tell_changes(s);
}

static void slide_along(mech_sim *s, sim_friction *f)
{
    const double *V = s->eq->slip + f->law.first, speed = speed_of(s, f);
    f->mode.holds = 0;
    for (size_t a = 0; a < f->law.count && speed > 0; a++) f->mode.direction[a] = V[a] / speed;
}

/* At the start and after anything sudden: what slides keeps sliding, what rests is settled. */
mech_status sim_friction_settle_all(mech_sim *s)
{
    MECH_TRY(turn_on(s));
    MECH_TRY(look_at(s));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        f->was_stuck |= f->mode.holds;
        f->mode.rests = f->mode.holds = 0;
        if (!f->is_on) continue;
        note_speed(s, f);
        f->mode.rests = speed_of(s, f) <= f->slip_floor;
        if (!f->mode.rests) slide_along(s, f);
    }
    return settle(s);
}

/* V may have left its direction by coming to rest or by a turn. It rests when what is left of it is a step's error. */
static int has_stopped(const mech_sim *s, size_t friction)
{
    const sim_friction *f = &s->friction[friction];
    const double error = 10 * fmax(1, s->settings.rtol / FRICTION_AT_REST) * f->slip_floor;
    return f->law.count == 1 || speed_of(s, f) <= fmax(sim_friction_slow(s, friction), error);
}

mech_status sim_friction_act(mech_sim *s, const unsigned char *has_fired)
{
    MECH_TRY(look_at(s));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        f->was_stuck = f->mode.holds;
        f->mode.rests = 0;
        if (!f->is_on) continue;
        note_speed(s, f);
        f->mode.gave_way = has_fired[k] && f->mode.holds;
        f->mode.rests = f->mode.holds || speed_of(s, f) <= f->slip_floor;
        if (!has_fired[k] || f->mode.rests) continue;
        f->mode.rests = has_stopped(s, k);
        if (!f->mode.rests) slide_along(s, f);
    }
    return settle(s);
}

void sim_friction_let_go(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        f->was_stuck = f->mode.holds;
        f->mode.holds = 0;
        if (f->was_stuck) memset(f->mode.direction, 0, sizeof f->mode.direction); /* it does not slide yet: no force */
    }
    sim_update_active(s);
}

mech_status sim_friction_pass_kink(mech_sim *s)
{
    int jumps = 0;
    if (s->sizes.frictions == 0) return MECH_OK;
    MECH_TRY(sim_set_point(s, s->t, s->y));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const sim_friction *f = &s->friction[k];
        if (!f->is_on) continue;
        jumps |= f->mode.holds ? speed_of(s, f) > f->slip_floor : keeping(s, k) < -f->slip_floor;
    }
    if (!jumps) return MECH_OK;
    sim_friction_let_go(s);
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT) MECH_TRY(sim_project(s, s->t, s->y));
    return sim_friction_settle_all(s);
}

void sim_friction_visit(mech_sim *s, state_walk *w)
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
}
