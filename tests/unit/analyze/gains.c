/* Gains of the excess variables. */
#include "unit/analyze/helpers.h"

static int stand(subject *s, const char *text, const double *q)
{
    const double rest[4] = {0};
    return subject_text(s, text) && mech_eval_position(s->eval, 0, q) == MECH_OK &&
           mech_eval_velocity(s->eval, rest) == MECH_OK;
}

static int mentions(const mech_gains_result *g, const char *word)
{
    for (int k = 0; k < g->warning_count; k++)
        if (strstr(g->warnings[k], word)) return 1;
    return 0;
}

static const char *const rod = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.8*y\nconstraint rod: x^2 + y^2 = 1\n"
                               "constraint twice: 2*x^2 + 2*y^2 = 2\nconstraint slow: x' = 0\n";

/* What the model says: a run of 4 s from t = 1, an implicit method, a pendulum that hangs after the search and swings
   with sqrt(9.8); gains of its own on the first of two rows, one number on all rows. */
static void of_the_model(void)
{
    subject s;
    mech_gains_options o;
    double B[9], K[9];
    mech_gains_options_default(&o, sizeof o);
    if (subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.8*y\nconstraint rod: x^2 + y^2 = 1\n"
                         "guess x = 0.3, y = -0.9\nstabilize excess B = 5, K = 7\n"
                         "simulate from 1, until 5, method bdf\n")) {
        const double q[2] = {0.3, -0.9}, v[2] = {0};
        mech_equilibrium_options begin;
        mech_equilibrium_options_default(&begin, sizeof begin);
        begin.t = 1;
        begin.q = q;
        begin.v = v;
        for (int k = 0; k < 2; k++) {
            CHECK(mech_gains_look(s.system, s.eval, k ? NULL : &begin, &o) == MECH_OK);
            CHECK(o.is_implicit && fabs(o.time_scale - (k ? 5 : 4)) < 1e-15 && o.decay == 0 && o.damping == 1);
            CHECK_NEAR(o.fastest, sqrt(9.8), 1e-9);
            CHECK_NEAR(mech_eval_equation(s.eval)->q[1], -1, 1e-12);
        }
        CHECK(mech_gains_of_model(s.eval, B, K) && B[0] == 5 && K[0] == 7);
    }
    subject_free(&s);
    if (subject_text(&s, "coord x, y, w\nkinetic (x'^2 + y'^2 + w'^2)/2\nconstraint a: x = y\nconstraint b: x' = w'*y\n"
                         "constraint c: w'' = -w\n")) {
        mech_gains_fill(s.system, 3, 2, B, K);
        for (int i = 0; i < 9; i++) CHECK(B[i] == (i == 0 || i == 4 ? 3 : 0) && K[i] == (i == 0 ? 2 : 0));
        CHECK(!mech_gains_of_model(s.eval, B, K) && B[0] == 0 && K[0] == 0);
    }
    subject_free(&s);
}

int main(void)
{
    of_the_model();
    const double q[2] = {0, -1};
    subject s;
    mech_gains *g;
    mech_gains_options o;
    if (!stand(&s, rod, q)) return 1;
    mech_gains_options_default(&o, sizeof o);
    o.decay = 8;
    CHECK(mech_gains_create(s.system, s.eval, &o, &g) == MECH_OK);
    const mech_gains_result *r = mech_gains_get(g);
    CHECK_NEAR(r->B[0], 16, 1e-15);
    CHECK_NEAR(r->K[0], 64, 1e-15);
    CHECK_NEAR(r->B[8], 8, 1e-15); /* nonholonomic: s + B */
    CHECK_NEAR(r->K[8], 0, 1e-15);
    CHECK(r->modes->n == 5 && r->modes->verdict == MECH_VERDICT_STABLE && r->modes->agree && r->warning_count == 0 &&
          r->independent == 2);
    CHECK_NEAR(r->decay, 8, 1e-6);
    mech_gains_free(g);
    o.damping = 1.25; /* the slower root of s^2 + 2.5 w s + w^2 is -w/2 */
    CHECK(mech_gains_create(s.system, s.eval, &o, &g) == MECH_OK);
    r = mech_gains_get(g);
    CHECK_NEAR(r->B[0], 40, 1e-14);
    CHECK_NEAR(r->K[0], 256, 1e-14);
    mech_gains_free(g);
    o.damping = 0.5; /* -w/2 +- i */
    CHECK(mech_gains_create(s.system, s.eval, &o, &g) == MECH_OK);
    r = mech_gains_get(g);
    CHECK_NEAR(r->B[0], 16, 1e-14);
    CHECK_NEAR(r->K[0], 256, 1e-14);
    mech_gains_free(g);
    o.damping = 0;

    /* unequal gains on dependent rows, a step they do not bear, a motion much slower than they are */
    const double B[9] = {16, 0, 0, 0, 10, 0, 0, 0, 8}, K[9] = {64, 0, 0, 0, 25, 0, 0, 0, 0};
    o.B = B;
    o.K = K;
    o.step = 0.5;
    o.fastest = 0.2;
    CHECK(mech_gains_create(s.system, s.eval, &o, &g) == MECH_OK);
    r = mech_gains_get(g);
    CHECK(mentions(r, "K differs") && mentions(r, "B differs") && mentions(r, "rod, twice") && !mentions(r, "slow"));
    CHECK(mentions(r, "unstable with these gains") && mentions(r, "stiff"));
    mech_gains_free(g);
    subject_free(&s);

    /* document 002, Eqs. (7)-(8): full matrices */
    if (!stand(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x = 0\nconstraint b: y = 0\n", q)) return 1;
    const double A[4] = {2, 0.5, 0.5, 1}, C[4] = {8, 1, 1, 6}, W[4] = {20, 2, 2, 9};
    double full_B[4], full_K[4];
    CHECK(mech_gains_from_energies(2, A, C, W, full_B, full_K) == MECH_OK);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(A[i] * full_B[2 * j] + A[i + 2] * full_B[2 * j + 1], C[i + 2 * j], 1e-14);
            CHECK_NEAR(A[i] * full_K[2 * j] + A[i + 2] * full_K[2 * j + 1], W[i + 2 * j], 1e-14);
        }
    mech_gains_options_default(&o, sizeof o);
    o.B = full_B;
    o.K = full_K;
    CHECK(mech_gains_create(s.system, s.eval, &o, &g) == MECH_OK);
    r = mech_gains_get(g);
    CHECK(!r->is_diagonal && r->modes->n == 4 && r->modes->verdict == MECH_VERDICT_STABLE && r->warning_count == 0);
    mech_gains_free(g);
    const double undamped[4] = {0};
    o.B = undamped;
    CHECK(mech_gains_create(s.system, s.eval, &o, &g) == MECH_OK);
    CHECK(mech_gains_get(g)->modes->verdict == MECH_VERDICT_MARGINAL && mentions(mech_gains_get(g), "do not decay"));
    mech_gains_free(g);
    const double singular[4] = {1, 1, 1, 1};
    CHECK(mech_gains_from_energies(2, singular, C, W, full_B, full_K) == MECH_ERR_ARGUMENT);
    subject_free(&s);
    return check_report();
}
