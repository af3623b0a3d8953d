/* Dry friction in a run: slip with the total reaction, stick as rows V = 0 (the law: system/friction_law.h). */
#include "simulate/sim.h"
#include "base/try.h"

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
                            .active = s->eq->active};
}

static void see_rows(const mech_sim *s, size_t friction)
{
    const friction_law *law = &s->friction[friction].law;
    const friction_state at = state_of(s, law);
    friction_see(law, &at);
}

/* Which rows show in V's components is seen where the friction comes into force first: before, V need have no value. */
static mech_status turn_on(mech_sim *s)
{
    MECH_TRY(sim_set_point(s, s->t, s->y));
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
        if (s->friction[k].is_on && !s->friction[k].is_stuck) return 1;
    return 0;
}

int sim_friction_needs_reaction(const mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->friction[k].is_on && s->friction[k].is_stuck) return 1;
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
    for (size_t a = 0; f->is_stuck && a < f->law.count; a++) force[a] += stick[a];
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
        if (!f->is_on || !f->is_stuck) continue;
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

/* Unit vector of sliding for V; the kept direction below the floor and past a reversal. */
static int sliding_direction(const sim_friction *f, const double *V, double *d)
{
    const double speed = friction_norm(V, f->law.count), along = friction_dot(V, f->direction, f->law.count);
    const int follows = speed > f->slip_floor && along > 0.5 * speed;
    for (size_t a = 0; a < f->law.count; a++) d[a] = follows ? V[a] / speed : f->direction[a];
    return follows;
}

int sim_friction_direction(const mech_sim *s, size_t friction, double *d)
{
    return sliding_direction(&s->friction[friction], s->eq->slip + s->friction[friction].law.first, d);
}

static void one_law(mech_sim *s, size_t k, const double *lambda, double *C, double *dC)
{
    const sim_friction *f = &s->friction[k];
    const friction_state at = state_of(s, &f->law);
    double d[FRICTION_MOST];
    friction_see(&f->law, &at);
    sliding_direction(f, s->eq->slip + f->law.first, d);
    friction_slip(&f->law, &at, lambda, s->eq->mu[k], loads(s, k, lambda, NULL), d, C, dC, NULL);
}

void sim_friction_law(mech_sim *s, const double *lambda, double *C, double *dC)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->friction[k].is_on && !s->friction[k].is_stuck) one_law(s, k, lambda, C, dC);
}

void sim_friction_force(mech_sim *s, size_t k, int with_stick, double *C)
{
    const sim_friction *f = &s->friction[k];
    const size_t first = s->m + f->law.first;
    if (!f->is_on) return;
    if (!f->is_stuck) one_law(s, k, s->total, C, NULL);
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
        if (s->friction[k].is_stuck && at_rest < mu * (1 - 1e-6))
            return sim_fail(s, MECH_ERR_MODEL,
                            "at t = %.10g: the coefficient of friction on %s is %g at rest, below %g of sliding: between the two it "
                            "would neither hold nor slide",
                            *s->eq->t, name_of(s, k), at_rest, mu);
    }
    return MECH_OK;
}

double sim_friction_speed(const mech_sim *s, size_t friction)
{
    return friction_norm(s->eq->slip + s->friction[friction].law.first,
                 s->friction[friction].law.count);
}

void sim_friction_follow(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        if (!f->is_on || f->is_stuck) continue;
        const double *V = s->eq->slip + f->law.first;
        double d[FRICTION_MOST];
        sliding_direction(f, V, d);
        memcpy(f->direction, d, sizeof f->direction);
    }
}

/* Slip: speed along the kept direction. Stick: what is left of mu_s N. Both fall through 0 when it ends. */
double sim_friction_value(const mech_sim *s, size_t friction)
{
    const sim_friction *f = &s->friction[friction];
    if (!f->is_on) return 1;
    if (!f->is_stuck)
        return friction_dot(s->eq->slip + s->friction[friction].law.first, f->direction,
                    f->law.count);
    double ft[FRICTION_MOST];
    see_rows(s, friction);
    const double N = loads(s, friction, s->total, ft);
    return s->eq->static_mu[friction] * N - friction_norm(ft, f->law.count);
}

/* V' along the kept direction. */
static double sliding_acceleration(const mech_sim *s, size_t friction)
{
    const sim_friction *f = &s->friction[friction];
    const friction_state at = state_of(s, &f->law);
    return friction_acceleration(&f->law, &at, s->eq->slip_b + f->law.first, s->qdd, f->direction);
}

static mech_status stick(mech_sim *s, size_t friction)
{
    s->friction[friction].is_stuck = 1;
    sim_update_active(s);
    return sim_accelerate(s, s->t, s->y);
}

mech_status sim_friction_settle(mech_sim *s, size_t friction, int has_given_way)
{
    sim_friction *f = &s->friction[friction];
    if (!f->is_on) return MECH_OK;
    const int was_stuck = f->is_stuck;
    MECH_TRY(stick(s, friction));
    MECH_TRY(sim_friction_check(s));
    double ft[FRICTION_MOST];
    see_rows(s, friction);
    const double N = loads(s, friction, s->total, ft), pull = friction_norm(ft, f->law.count);
    const double bound = s->eq->static_mu[friction] * N;
    /* at the end of stick the two are equal to rounding: then it slips */
    const int holds = has_given_way ? pull < bound * (1 - 1e-9) : pull <= bound * (1 + 1e-12);
    const char *name = name_of(s, friction);
    if (holds || pull == 0) {
        MECH_TRY(sim_project_velocity(s, s->t, s->y, 0));
        if (was_stuck) return MECH_OK;
        return sim_happened(s, MECH_HAPPENED_STICK, name, "friction on %s sticks", name);
    }
    f->is_stuck = 0;
    sim_update_active(s);
    for (size_t a = 0; a < f->law.count; a++) f->direction[a] = -ft[a] / pull;
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    if (sliding_acceleration(s, friction) < 0) { /* sliding would be pushed back at once: it stays */
        MECH_TRY(stick(s, friction));
        return sim_project_velocity(s, s->t, s->y, 0);
    }
    if (!was_stuck && !has_given_way) return MECH_OK; /* it only turned round */
    return sim_happened(s, MECH_HAPPENED_SLIP, name, "friction on %s slips", name);
}

void sim_friction_let_go(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        f->was_stuck = f->is_stuck;
        f->is_stuck = 0;
        if (f->was_stuck) memset(f->direction, 0, sizeof f->direction); /* it does not slide yet: no force */
    }
    sim_update_active(s);
}

/* What was let go and did not begin to slide is held again, before any one is tried: they hold one another. */
static mech_status hold_again(mech_sim *s)
{
    double scale = 0;
    MECH_TRY(sim_set_point(s, s->t, s->y));
    for (size_t i = 0; i < s->n; i++) scale = fmax(scale, fabs(s->y[s->n + i]));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        if (!f->is_on) continue;
        f->slip_floor = 1e-9 * fmax(scale, f->slip_floor * 1e9);
        if (f->slip_floor == 0) f->slip_floor = s->settings.atol;
        if (f->was_stuck && sim_friction_speed(s, k) <= f->slip_floor) f->is_stuck = 1, f->was_stuck = 0;
    }
    sim_update_active(s);
    return MECH_OK;
}

/* At the start and after anything sudden: what slides keeps sliding, what rests is settled. */
mech_status sim_friction_settle_all(mech_sim *s)
{
    MECH_TRY(turn_on(s));
    MECH_TRY(hold_again(s));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        const int was_stuck = f->was_stuck || f->is_stuck;
        f->was_stuck = 0;
        if (!f->is_on) continue;
        MECH_TRY(sim_set_point(s, s->t, s->y));
        const double *V = s->eq->slip + f->law.first;
        const double speed = friction_norm(V, f->law.count);
        if (speed > f->slip_floor) {
            f->is_stuck = 0;
            for (size_t a = 0; a < f->law.count; a++) f->direction[a] = V[a] / speed;
            sim_update_active(s);
            if (was_stuck) MECH_TRY(sim_happened(s, MECH_HAPPENED_SLIP, name_of(s, k), "friction on %s slips", name_of(s, k)));
        } else {
            MECH_TRY(sim_friction_settle(s, k, 0));
        }
    }
    return MECH_OK;
}

mech_status sim_friction_pass_kink(mech_sim *s)
{
    int jumps = 0;
    if (s->sizes.frictions == 0) return MECH_OK;
    MECH_TRY(sim_set_point(s, s->t, s->y));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const sim_friction *f = &s->friction[k];
        const double *V = s->eq->slip + f->law.first;
        if (!f->is_on) continue;
        jumps |= f->is_stuck ? sim_friction_speed(s, k) > f->slip_floor : friction_dot(V, f->direction, f->law.count) < -f->slip_floor;
    }
    if (!jumps) return MECH_OK;
    sim_friction_let_go(s);
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT) MECH_TRY(sim_project(s, s->t, s->y));
    return sim_friction_settle_all(s);
}
