/* Dry friction at one instant: what slides, what holds, what gives way (the law: friction_law.h).

   At rest the rows (I - P) V = 0 are imposed: the directions that the constraints already hold are left to
   them, so that their multipliers stay unique. They hold while |ft| <= mu_s N. */
#include "system/instant.h"

#include <math.h>
#include <string.h>

static friction_state state_of(const mech_instant *s, const friction_law *law)
{
    return (friction_state){.S = s->S + law->first,
                            .A = s->A,
                            .S_height = s->sizes.friction_rows,
                            .A_height = s->rows,
                            .n = s->n,
                            .active = s->eq->active};
}

static mech_instant_law *law_of(const mech_instant *s, size_t friction)
{
    return &s->law[s->sizes.laws + friction];
}

static int slides(const mech_instant_law *law)
{
    return law->mode == MECH_FRICTION_SLIDES || law->mode == MECH_FRICTION_GIVES_WAY;
}

void instant_friction_begin(mech_instant *s)
{
    double fastest = 0;
    for (size_t i = 0; i < s->n; i++) fastest = fmax(fastest, fabs(s->eq->v[i]));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        instant_friction *f = &s->friction[k];
        mech_instant_law *law = law_of(s, k);
        const friction_state at = state_of(s, &f->law);
        law->is_on = friction_is_on(&f->law, s->eq->active); /* else V need have no value */
        const double *V = s->eq->slip + f->law.first, speed = law->is_on ? friction_norm(V, f->law.count) : 0;
        friction_find_seen(&f->law, &at);
        friction_find_normal(&f->law, s->eq->active, &f->normal);
        law->speed = speed;
        law->asked = law->allowed = 0;
        law->mode = !law->is_on                           ? MECH_FRICTION_OFF
                    : speed > fmax(1e-9 * fastest, 1e-12) ? MECH_FRICTION_SLIDES
                                                          : MECH_FRICTION_HOLDS;
        f->is_forced = 0;
        for (size_t a = 0; a < f->law.count; a++) f->direction[a] = speed > 0 ? V[a] / speed : 0;
    }
}

int instant_friction_slides(const mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (slides(law_of(s, k))) return 1;
    return 0;
}

static void one_law(const mech_instant *s, size_t k, const double *total, double *C, double *dC, double *column)
{
    const instant_friction *f = &s->friction[k];
    const friction_state at = state_of(s, &f->law);
    const double N = friction_load(&f->law, s->eq->active, total);
    friction_slip(&f->law, &at, total, s->eq->mu[k], N, f->direction, C, dC, column);
}

void instant_friction_law(const mech_instant *s, const double *total, double *C, double *dC, double *columns)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        double *column = columns ? columns + k * s->n : NULL;
        if (column) memset(column, 0, s->n * sizeof *column);
        if (slides(law_of(s, k))) one_law(s, k, total, C, dC, column);
    }
}

void instant_friction_rows(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const instant_friction *f = &s->friction[k];
        const int holds = law_of(s, k)->mode == MECH_FRICTION_HOLDS;
        const double *S = s->S + f->law.first;
        double x[FRICTION_MOST] = {0};
        for (size_t j = 0; j < s->n; j++) {
            memcpy(x, S + j * s->sizes.friction_rows, f->law.count * sizeof *x);
            friction_remove_normal(&f->law, &f->normal, x);
            for (size_t a = 0; a < f->law.count; a++) s->A[s->m + f->law.first + a + j * s->rows] = holds ? x[a] : 0;
        }
        memcpy(x, s->eq->slip_b + f->law.first, f->law.count * sizeof *x);
        friction_remove_normal(&f->law, &f->normal, x);
        for (size_t a = 0; a < f->law.count; a++) {
            const size_t row = s->m + f->law.first + a;
            s->b[row] = holds ? x[a] : 0;
            s->active[row] = s->natural[row] = (unsigned char)holds;
            s->servo[row] = 0;
        }
    }
}

/* what the rows V = 0 need of friction */
static double needed(const mech_instant *s, const instant_friction *f, double *ft)
{
    memcpy(ft, s->total + s->m + f->law.first, f->law.count * sizeof *ft);
    friction_remove_normal(&f->law, &f->normal, ft);
    return friction_norm(ft, f->law.count);
}

/* V' along the direction in which it would slide */
static double sliding_acceleration(const mech_instant *s, const instant_friction *f)
{
    const friction_state at = state_of(s, &f->law);
    return friction_acceleration(&f->law, &at, s->eq->slip_b + f->law.first, s->qdd, f->direction);
}

int instant_friction_settle(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        instant_friction *f = &s->friction[k];
        mech_instant_law *law = law_of(s, k);
        double ft[FRICTION_MOST] = {0};
        if (law->mode == MECH_FRICTION_GIVES_WAY && sliding_acceleration(s, f) < 0) {
            law->mode = MECH_FRICTION_HOLDS;
            f->is_forced = 1;
            return 1;
        }
        if (law->mode != MECH_FRICTION_HOLDS || f->is_forced) continue;
        const double pull = needed(s, f, ft), bound = s->eq->static_mu[k] * friction_load(&f->law, s->eq->active, s->total);
        law->asked = pull;
        law->allowed = bound;
        if (pull <= bound * (1 + 1e-12) || !(pull > 0)) continue;
        law->mode = MECH_FRICTION_GIVES_WAY;
        for (size_t a = 0; a < f->law.count; a++) f->direction[a] = -ft[a] / pull;
        return 1;
    }
    return 0;
}

void instant_friction_report(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const instant_friction *f = &s->friction[k];
        mech_instant_law *law = law_of(s, k);
        double ft[FRICTION_MOST] = {0};
        law->normal = friction_load(&f->law, s->eq->active, s->total);
        law->bound = (law->mode == MECH_FRICTION_HOLDS ? s->eq->static_mu[k] : s->eq->mu[k]) * law->normal;
        if (!law->is_on) law->bound = 0; /* its coefficient need have no value */
        law->tangential = law->bound;
        if (law->mode == MECH_FRICTION_HOLDS) law->tangential = needed(s, f, ft);
    }
}
