/* Linearization of what control keeps and of what slides: closed forms, and differences of instants, which solve the
   equation without any derivative. */
#include "unit/analyze/helpers.h"

#include <mech/instant.h>

#include <math.h>
#include <string.h>

static double entry(const subject *s, int row, int column) { return s->l->A[row + column * s->l->order]; }

static int is(double got, double want) { return fabs(got - want) <= 1e-12 * (1 + fabs(want)); }

/* ---- closed forms ---- */

/* A pendulum of length l on a cart that control keeps at 0: x'' = -B x' - K x whatever hangs on it, and
   l th'' = -g th - x''. What control keeps is motion, not a constraint. */
static void cart(void)
{
    subject s;
    const double zero[2] = {0, 0}, l = 0.7, g = 9.81, B = 5, K = 11;
    if (!subject_text(
            &s,
            "coord x, th\nlet p = [x + 0.7*sin(th), -0.7*cos(th)]\nkinetic 3/2*x'^2 + dot(p', p')\npotential 2*9.81*p[2]\n"
            "actuator x'\ncontrol path: x = 0\nstabilize excess on path B = 5, K = 11\noutput push = x''\n"))
        return;
    if (subject_linearize(&s, zero, zero, NULL, NULL)) {
        CHECK(s.l->kind == MECH_POINT_EQUILIBRIUM && s.l->freedom == 4 && s.l->rank_position == 0);
        CHECK(is(entry(&s, 2, 0), -K) && is(entry(&s, 2, 1), 0) && is(entry(&s, 2, 2), -B) && is(entry(&s, 2, 3), 0));
        CHECK(is(entry(&s, 3, 0), K / l) && is(entry(&s, 3, 1), -g / l) && is(entry(&s, 3, 2), B / l) &&
              is(entry(&s, 3, 3), 0));
        CHECK(is(s.l->C[0], -K) && is(s.l->C[2], -B));
        CHECK(has_mode(s.l->motion, -B / 2, sqrt(K - B * B / 4), 1e-9, 1) &&
              has_mode(s.l->motion, 0, sqrt(g / l), 1e-7, 1));
    }
    const double other_B[1] = {2}, other_K[1] = {4}; /* gains that are given take the place of the model's */
    if (subject_linearize(&s, zero, zero, other_B, other_K)) CHECK(is(entry(&s, 2, 0), -4) && is(entry(&s, 2, 2), -2));
    CHECK(mech_analyze_obstacle(s.system) == NULL && mech_equilibrium_obstacle(s.system) != NULL);
    CHECK(mech_equilibrium_find(s.system, s.eval, NULL, &s.equilibrium) == MECH_ERR_UNSUPPORTED);
    subject_free(&s);
}

/* Two carts of 1 and 3 kg, both pushed, kept at a distance: of all pushes the least. With x2 - x1 = r, the pushes of
   least u1^2 + u2^2 are opposite for equal weights: u2 = u, u1 = -u with u (1 + 1/3) = -B r' - K r + c (1 + 1/3) r, for
   a spring of stiffness c between them. */
static void least(void)
{
    subject s;
    const double zero[2] = {0, 0}, B = 3, K = 2;
    const double c = 7;
    if (!subject_text(
            &s,
            "coord x1, x2\nkinetic x1'^2/2 + 3/2*x2'^2\npotential 7/2*(x2 - x1)^2\ncontrol apart: x2 - x1 = 0 weight identity\n"
            "stabilize excess on apart B = 3, K = 2\n"))
        return;
    if (subject_linearize(&s, zero, zero, NULL, NULL)) {
        /* u of least |u|^2 with -u1 + u2/3 = d is u1 = -9/10 d, u2 = 3/10 d; d = -B r' - K r + c (1 + 1/3) r */
        const double d = -K + c * 4 / 3, x1 = -0.9 * d + c, x2 = (0.3 * d - c) / 3;
        CHECK(is(entry(&s, 2, 1), x1) && is(entry(&s, 2, 0), -x1) && is(entry(&s, 3, 1), x2) &&
              is(entry(&s, 3, 0), -x2));
        CHECK(is(entry(&s, 2, 3), 0.9 * B) && is(entry(&s, 3, 3), -0.1 * B) && is(entry(&s, 3, 2), 0.1 * B));
    }
    subject_free(&s);
}

/* x'' = -k/m x - mu g x'/|v|, y'' = -mu g y'/|v|; at rest there is no derivative. */
static void block(void)
{
    subject s;
    const double q[3] = {0.2, 0, 0}, v[3] = {3, 4, 0}, zero[3] = {0, 0, 0}, mug = 0.3 * 9.81;
    if (!subject_text(
            &s, "coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\npotential 2*9.81*z + 7/2*x^2\nconstraint table: z = 0\n"
                "friction on table: 0.3, along [x', y']\noutput load = reaction(table)\n"))
        return;
    if (subject_linearize(&s, q, v, NULL, NULL)) {
        CHECK(s.l->freedom == 4 && s.l->kind == MECH_POINT_FROZEN);
        CHECK(is(entry(&s, 3, 0), -3.5) && is(entry(&s, 3, 3), -mug * (1.0 / 5 - 9.0 / 125)) &&
              is(entry(&s, 3, 4), mug * 12 / 125));
        CHECK(is(entry(&s, 4, 3), mug * 12 / 125) && is(entry(&s, 4, 4), -mug * (1.0 / 5 - 16.0 / 125)));
        for (int j = 0; j < 6; j++) CHECK(is(entry(&s, 5, j), 0) && is(s.l->C[j], 0));
    }
    mech_linear_options o;
    const char *why = NULL;
    mech_linear_free(s.linear);
    mech_linear_options_default(&o, sizeof o);
    o.q = zero;
    o.v = zero;
    o.why = &why;
    CHECK(mech_linearize(s.system, s.eval, &o, &s.linear) == MECH_ERR_UNSUPPORTED && why && strstr(why, "at rest"));
    subject_free(&s);
}

/* A block that a belt drags against a spring: steady where it rests while the belt runs on, and mu(speed) makes it
   swing: x'' = -k x + mu(w - x') g, so dx''/dx' = -g dmu/ds, with mu = 0.2 + 0.3 exp(-s). */
static void belt(void)
{
    subject s;
    const double speed = 2, mu = 0.2 + 0.3 * exp(-speed), g = 9.81, k = 4, q[2] = {mu * g / k, 0}, zero[2] = {0, 0};
    if (!subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + 2*x^2\nconstraint floor: y = 0\n"
                          "friction on floor: 0.2 + 0.3*exp(-abs(x' - 2)), along x' - 2\n"))
        return;
    if (subject_linearize(&s, q, zero, NULL, NULL)) {
        CHECK(s.l->kind == MECH_POINT_EQUILIBRIUM && s.l->motion->verdict == MECH_VERDICT_UNSTABLE);
        CHECK(is(entry(&s, 2, 0), -k) && is(entry(&s, 2, 2), g * 0.3 * exp(-speed)));
    }
    subject_free(&s);
}

static mech_status spring(void *user, const mech_point *at, double *u)
{
    (void)user;
    u[0] = -6 * at->q[0] - 2 * at->v[0];
    return MECH_OK;
}

static mech_status slope_of_spring(void *user, const mech_point *at, double *slope)
{
    (void)user, (void)at;
    slope[0] = -6, slope[1] = -2;
    return MECH_OK;
}

/* x'' = u(x, x')/2 + w, u by a function in C. */
static void law_in_c(void)
{
    subject s;
    const double q[1] = {0.4}, v[1] = {0.1};
    const size_t inputs[1] = {0};
    if (!subject_text(&s,
                      "coord x\ninput u = 0\ninput w = 0\nstate i: i' = u - i\nkinetic x'^2\nforce u + 2*w on x'\n"))
        return;
    const mech_input_law law = {
        .size = sizeof law, .inputs = inputs, .count = 1, .u = spring, .slope = slope_of_spring};
    CHECK(mech_eval_set_law(s.eval, &law) == MECH_OK);
    if (subject_linearize(&s, q, v, NULL, NULL)) {
        CHECK(is(entry(&s, 1, 0), -3) && is(entry(&s, 1, 1), -1) && is(s.l->E[1], 0.5) && is(s.l->E[4], 1));
        CHECK(is(entry(&s, 2, 0), -6) && is(entry(&s, 2, 1), -2) && is(entry(&s, 2, 2), -1));
    }
    subject_free(&s);
}

/* ---- differences of instants ---- */

static void accelerate(mech_instant *instant, const double *x, size_t n, double *qdd)
{
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.q = x;
    at.v = x + n;
    at.z = x + 2 * n;
    at.skip_diagnosis = 1;
    CHECK(mech_instant_solve(instant, &at) == MECH_OK);
    memcpy(qdd, mech_instant_get(instant)->qdd, n * sizeof *qdd);
}

/* d q''/dx_j by central differences of order 8. */
static void difference(mech_instant *instant, const double *x, size_t n, size_t N, size_t j, double *slope)
{
    static const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double h = 2e-3;
    double moved[16], plus[8], minus[8];
    memset(slope, 0, n * sizeof *slope);
    for (int k = 0; k < 4; k++) {
        memcpy(moved, x, N * sizeof *x);
        moved[j] += (k + 1) * h;
        accelerate(instant, moved, n, plus);
        moved[j] -= 2 * (k + 1) * h;
        accelerate(instant, moved, n, minus);
        for (size_t i = 0; i < n; i++) slope[i] += weight[k] * (plus[i] - minus[i]) / h;
    }
}

static void compare(const char *what, const char *text, const double *x)
{
    subject s;
    mech_instant *instant = NULL;
    double worst = 0, slope[8];
    if (!subject_text(&s, text)) return;
    const mech_sizes sizes = mech_system_sizes(s.system);
    const size_t n = sizes.coords, N = 2 * n + sizes.states;
    mech_linear_options o;
    mech_linear_options_default(&o, sizeof o);
    o.q = x;
    o.v = x + n;
    o.z = x + 2 * n;
    const mech_status status = mech_linearize(s.system, s.eval, &o, &s.linear);
    CHECK(status == MECH_OK && mech_instant_create(s.system, 0, &instant) == MECH_OK);
    s.l = status == MECH_OK ? mech_linear_get(s.linear) : NULL;
    for (size_t j = 0; s.l && instant && j < N; j++) {
        difference(instant, x, n, N, j, slope);
        for (size_t i = 0; i < n; i++) {
            const double error = fabs(entry(&s, (int)(n + i), (int)j) - slope[i]) / (1 + fabs(slope[i]));
            if (error > 1e-8)
                fprintf(stderr, "%s: d a%zu/d x%zu is %.12g, not %.12g\n", what, i, j, slope[i],
                        entry(&s, (int)(n + i), (int)j));
            worst = fmax(worst, error);
        }
    }
    CHECK(worst < 1e-8);
    printf("%-40s %.1e\n", what, worst);
    mech_instant_free(instant);
    subject_free(&s);
}

#define ARM "coord a, b, c\nkinetic (a'^2 + (2 + cos(a))*b'^2 + 3*c'^2)/2 + a'*b'*cos(b)/3\npotential 3*sin(a) + b*c\n"

static void differences(void)
{
    const double arm[6] = {0.4, 0.3, 0.1, 0.5, -0.2, 0.1}, bent[8] = {0.4, 0.3, 0.1, 0.04, 0.5, -0.2, 0.1, -0.4};
    const double rod[6] = {0.1, 0.96, 1.3, -1, 0.05, 0.2}, wire[6] = {0.8, 0.128, -0.6, 0.7, 0.22, 0.93},
                 held[5] = {0.4, 0.3, 0.5, -0.2, 0.6};
    compare("nature's weight, off its path", ARM "control path: a*b + c = 1/8\nstabilize excess on path B = 3, K = 5\n",
            arm);
    compare("actuators that turn",
            ARM "actuator cos(b)*a' + c'\nactuator b' - a*a'\nactuator c'\ncontrol path: sin(a) + b = 1/2 + t\n"
                "control level: c = t\nstabilize excess on path, level B = 3, K = 5\n",
            arm);
    compare("weights of the state",
            ARM "actuator a'\nactuator b'\ncontrol path: sin(a) + b = 1/2 weight [[2 + a^2, b], [b, 3]]\n", arm);
    compare(
        "control of a state",
        "coord a, b\nkinetic (a'^2 + (2 + cos(a))*b'^2)/2 + a'*b'*cos(b)/3\npotential 3*sin(a)\nstate w: w' = -w*b + a'/2\n"
        "force w^2 on b'\ncontrol path: a + b = w\nstabilize excess on path B = 3, K = 5\n",
        held);
    compare(
        "control, constraint, law of its reaction",
        ARM
        "coord e\nkinetic e'^2 + e'*a'/5\nconstraint link: a^2 + e = 0.2\nactuator a' + c'/3\nactuator b' - sin(c)*a'\n"
        "control path: b + a = 0.7\nstabilize excess on path B = 3, K = 5\nnonideal on link: [a, b, e] = -1/10*reaction(link)*[a', b', e'*a]\n",
        bent);
    compare(
        "control beside friction",
        ARM
        "coord e\nkinetic e'^2 + e'*a'/5\nconstraint link: a^2 + e = 0.2\nactuator a' + c'/3\nactuator b' - sin(c)*a'\n"
        "control path: b + a = 0.7\nfriction on link: 0.3 + b/10, along a' + b*e'\n",
        bent);
    compare(
        "friction that loads itself",
        "coord x, y, theta\nlet tip = [x - cos(theta), y - sin(theta)]\nkinetic (x'^2 + y'^2)/2 + theta'^2/6\npotential 9.81*y\n"
        "constraint ground: tip[2] = 0\nfriction on ground: 0.3 + x^2/10, along tip[1]'\n",
        rod);
    compare(
        "friction along the velocity of a point",
        "coord x, y, z\nlet r = [x, y, z]\nkinetic dot(r', r')/2\npotential 9.81*z\nconstraint wire: x^2 + z^2 = 1\nconstraint wall: y = x^2/5\n"
        "friction on wire, wall: 0.2, along r'\n",
        wire);
}

/* ---- what is not unique ---- */

/* link says again what bind says, so its reaction is a choice: an instant refuses the law, and so does linearization.
   */
static void not_unique(void)
{
    static const char *const text =
        "coord p[1..3], s, x\nkinetic s'^2 + dot(p', p')\nconstraint bind: x = t\nconstraint link: x = t\n"
        "nonideal on link: p[2] = 0.1*reaction(link)\n";
    const double q[5] = {0}, v[5] = {0, 0, 0, 0, 1};
    for (int allowed = 0; allowed < 2; allowed++) {
        subject s;
        char all[400];
        snprintf(all, sizeof all, "%s%s", text, allowed ? "allow leastnorm\n" : "");
        if (!subject_text(&s, all)) return;
        mech_linear_options o;
        mech_linear_options_default(&o, sizeof o);
        o.q = q;
        o.v = v;
        CHECK(mech_linearize(s.system, s.eval, &o, &s.linear) == (allowed ? MECH_OK : MECH_ERR_NOT_UNIQUE));
        subject_free(&s);
    }
}

int main(void)
{
    cart();
    least();
    block();
    belt();
    law_in_c();
    differences();
    not_unique();
    return check_report();
}
