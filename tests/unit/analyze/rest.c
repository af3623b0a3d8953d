/* Where the search for equilibria and steady motions begins and ends, and what dry friction holds. */
#include "unit/analyze/helpers.h"

static mech_status find(subject *s, mech_equilibrium **e)
{
    mech_equilibrium_options o;
    mech_equilibrium_options_default(&o, sizeof o);
    return mech_equilibrium_find(s->system, s->eval, &o, e);
}

/* Conical pendulum: cos(theta) = g/(l Omega^2); at rest the search would stop at the singular pole. */
static void steady_begins_moving(void)
{
    subject s;
    if (subject_text(&s, "param Omega = 4\ncoord theta, phi\nkinetic (theta'^2 + sin(theta)^2*phi'^2)/2\n"
                         "potential -9.81*cos(theta)\ninitial theta = 0.7\nsteady phi' = Omega\n") &&
        subject_find(&s, NULL, NULL)) {
        CHECK(s.e->is_steady && s.e->beginnings == 1);
        CHECK_NEAR(s.e->q[0], acos(9.81 / 16), 1e-12);
        CHECK_NEAR(s.e->v[1], 4, 1e-14);
        CHECK(s.e->q[1] == 0 && s.e->family == 1);
    }
    subject_free(&s);
    /* the same in Cartesian coordinates on the sphere: x y' - y x' = Omega (x^2 + y^2) */
    if (subject_text(&s, "param Omega = 4\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
                         "constraint rod: x^2 + y^2 + z^2 = 1\ninitial x = 0.6, z = -0.8\n"
                         "steady x*y' - y*x' = Omega*0.6^2\n")) {
        mech_equilibrium *e = NULL; /* in fixed axes nothing is steady: the search must say so and not hang */
        CHECK(find(&s, &e) == MECH_ERR_NO_EQUILIBRIUM);
        mech_equilibrium_free(e);
    }
    subject_free(&s);
}

/* A top that begins beside the upright: accelerations vanish for an instant in many motions of these angles,
   only one of them is steady. */
static void steady_is_not_an_instant(void)
{
    subject s;
    if (subject_file(&s, "examples/sleeping-top/model.mech") && subject_find(&s, NULL, NULL) &&
        subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK_NEAR(s.e->q[0], 0, 1e-12);
        CHECK_NEAR(s.e->v[1], 0, 1e-12);
        CHECK(s.l->kind == MECH_POINT_STEADY && s.e->family == 1);
        CHECK(has_mode(s.l->motion, 0, 14.27200187265876, 1e-12, 1)); /* (C w +- sqrt(C^2 w^2 - 4 A m g l))/2A */
        CHECK(has_mode(s.l->motion, 0, 5.727998127341235, 1e-12, 1));
    }
    subject_free(&s);
}

/* The crank of Andrews' mechanism balances the spring at two places with the loops as they are assembled: -0.1246,
   beside the guess of -0.0617, and -2.9990. By hand: the moment of the spring about the crank through the loop P = B +
   ss*across(gamma), zero of moment - mom, to 1e-15. */
static void nearest(void)
{
    subject s;
    if (subject_file(&s, "examples/andrews/model.mech") && subject_find(&s, NULL, NULL)) {
        CHECK_NEAR(s.e->q[0], -0.124563686889, 1e-11);
        CHECK_NEAR(s.e->q[1], 0.047359420596, 1e-11);
        CHECK_NEAR(s.e->q[2], 0.454936015418, 1e-11);
        CHECK(s.e->beginnings == 1 && s.e->family == 0);
    }
    subject_free(&s);
}

static void ends_where_the_model_lives(void)
{
    static const struct {
        const char *text;
        mech_status status;
        double x;
    } cases[] = {
        {"coord x\nkinetic x'^2/2\npotential x^2/2 - log(x)\ninitial x = 2\n", MECH_OK, 1},
        {"coord x\nkinetic x'^2/2\npotential x^2/2 - log(x)\ninitial x = -5\n", MECH_ERR_NO_EQUILIBRIUM, 0},
        {"coord x\nkinetic x'^2/2\npotential log(x)\ninitial x = 1\n", MECH_ERR_NO_EQUILIBRIUM, 0},
        {"coord x\nkinetic x'^2/2\npotential exp(-x)\n", MECH_ERR_NO_EQUILIBRIUM, 0},
        {"coord x\nkinetic x'^2/2\npotential x^4/4\ninitial x = 1\n", MECH_OK, 0},
        {"coord x\nkinetic x'^2/2\nconstraint one: x = 1\nconstraint two: x = 2\n", MECH_ERR_NO_START, 0},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint drive: x = 2*t\n", MECH_ERR_NO_EQUILIBRIUM, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s;
        if (!subject_text(&s, cases[k].text)) continue;
        mech_equilibrium *e = NULL;
        const mech_status status = find(&s, &e);
        CHECK(status == cases[k].status);
        if (status != cases[k].status) fprintf(stderr, "case %zu: %s\n", k, mech_status_text(status));
        if (status == MECH_OK) CHECK_NEAR(mech_equilibrium_get(e)->q[0], cases[k].x, 1e-3);
        mech_equilibrium_free(e);
        subject_free(&s);
    }
}

/* A block on a rough incline with a pendulum hanging from it: the block rests where it is while
   tan(alpha) <= mu_s, the pendulum hangs down. Total weight 2 m g: N = 2 m g cos(alpha), needed 2 m g
   sin(alpha). */
static const char *const block =
    "param g = 9.81, alpha = 0.4, mu = 0.3, mu_s = 0.5\ncoord x, y, theta\n"
    "let bob = [x*cos(alpha) - y*sin(alpha) + sin(theta), x*sin(alpha) + y*cos(alpha) - cos(theta)]\n"
    "kinetic (x'^2 + y'^2)/2 + dot(bob', bob')/2\npotential g*(x*sin(alpha) + y*cos(alpha)) + g*bob[2]\n"
    "constraint plane: y = 0\nfriction on plane: mu, along x', static mu_s\ninitial x = 3, theta = 0.3\n";

static int read_as(subject *s, mech_friction_reading friction, double alpha)
{
    mech_read_options o;
    const mech_override given = {"alpha", alpha};
    mech_read_options_default(&o, sizeof o);
    o.friction = friction;
    o.overrides = &given;
    o.override_count = 1;
    *s = (subject){.diagnostics = mech_diagnostics_create()};
    return subject_open(s, mech_read_text("test", block, strlen(block), &o, s->diagnostics, &s->model));
}

static void friction_holds(void)
{
    static const double slopes[] = {0.4, 0.46, 0.47, 0.6}; /* atan(0.5) = 0.46365 */
    for (int k = 0; k < 4; k++) {
        subject rough, held;
        mech_equilibrium *rest = NULL;
        const double alpha = slopes[k];
        const int open =
            read_as(&rough, MECH_FRICTION_READING_DRY, alpha) & read_as(&held, MECH_FRICTION_READING_HELD, alpha);
        if (open && subject_find(&held, NULL, NULL)) {
            CHECK(mech_equilibrium_hold(rough.system, held.e, &rest) == MECH_OK);
            const mech_equilibrium_result *r = mech_equilibrium_get(rest);
            CHECK_NEAR(r->q[0], 3, 1e-14);
            CHECK_NEAR(r->q[2], 0, 1e-12);
            CHECK(r->frictions == 1 && r->rows == 1 && r->rank == 1);
            CHECK(r->holds == (tan(alpha) <= 0.5));
            CHECK_NEAR(r->friction[0].asked, 2 * 9.81 * sin(alpha), 1e-11);
            CHECK_NEAR(r->friction[0].allowed, 0.5 * 2 * 9.81 * cos(alpha), 1e-11);
            if (r->holds) CHECK_NEAR(r->lambda[0], 2 * 9.81 * cos(alpha), 1e-11);
            if (r->holds) CHECK_NEAR(r->reaction[0], 2 * 9.81 * cos(alpha), 1e-11);
        }
        mech_equilibrium_free(rest);
        subject_free(&rough);
        subject_free(&held);
    }
}

typedef struct readings {
    double alpha;
    subject now;
    int count;
} readings;

static mech_status read_next(void *user, mech_friction_reading how, mech_rest_reading *reading)
{
    readings *r = user;
    if (r->count++) subject_free(&r->now);
    if (!read_as(&r->now, how, r->alpha)) return MECH_ERR_MODEL;
    reading->system = r->now.system;
    reading->eval = r->now.eval;
    return MECH_OK;
}

/* The same in one call: the block rests up to tan(alpha) = mu; beyond, nothing holds it and both readings are tried. */
static void rest_in_one_call(void)
{
    static const double slopes[] = {0.4, 0.6};
    for (size_t k = 0; k < 2; k++) {
        subject rough;
        readings r = {.alpha = slopes[k]};
        mech_equilibrium *found = NULL, *rest = NULL;
        if (read_as(&rough, MECH_FRICTION_READING_DRY, r.alpha)) {
            const mech_status status = mech_equilibrium_rest(rough.system, read_next, &r, &found, &rest);
            CHECK(status == (tan(r.alpha) <= 0.5 ? MECH_OK : MECH_ERR_NO_EQUILIBRIUM));
            CHECK(r.count == (status == MECH_OK ? 1 : 2) && rest);
            if (rest) CHECK_NEAR(mech_equilibrium_get(rest)->friction[0].asked, 2 * 9.81 * sin(r.alpha), 1e-11);
            if (rest) CHECK(mech_equilibrium_get(rest)->holds == (status == MECH_OK));
        }
        mech_equilibrium_free(found);
        mech_equilibrium_free(rest);
        if (r.count) subject_free(&r.now);
        subject_free(&rough);
    }
}

/* What a model says of its start: plain variables; what expressions ask for and what has no value is left at 0. */
static void initial_values(void)
{
    subject s;
    double q[3], v[3], z[1];
    if (subject_text(
            &s,
            "param a = 3\ncoord x, y, w\nstate s: s' = -s\nkinetic (x'^2 + y'^2 + w'^2)/2\ninitial x = 2, y = 2*a, x' = t + a, s = 5, w - x = 1\n")) {
        CHECK(mech_eval_initial(s.eval, 3, q, v, z) == MECH_OK);
        CHECK(q[0] == 2 && q[1] == 6 && q[2] == 0 && v[0] == 6 && v[1] == 0 && z[0] == 5);
    }
    subject_free(&s);
    if (subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = log(t), y = 4\n")) {
        CHECK(mech_eval_initial(s.eval, 0, q, v, NULL) == MECH_ERR_NOT_FINITE && q[0] == 0 && q[1] == 4);
    }
    subject_free(&s);
}

static int says(const char *text, mech_unrest kind, const char *words)
{
    subject s;
    mech_equilibrium *e = NULL;
    mech_unrest found = MECH_UNREST_UNKNOWN;
    if (!subject_text(&s, text)) return 0;
    CHECK(find(&s, &e) == MECH_ERR_NO_EQUILIBRIUM);
    char *why = mech_equilibrium_explain(s.system, s.eval, MECH_ERR_NO_EQUILIBRIUM, &found);
    const int is_so = found == kind && why && strcmp(why, words) == 0;
    if (!is_so) fprintf(stderr, "%d: %s", (int)found, why ? why : "no memory\n");
    mech_text_free(why);
    mech_equilibrium_free(e);
    subject_free(&s);
    return is_so;
}

/* What is in the way of an equilibrium: free fall, a state that counts, a support that moves, none that is seen. */
static void why_there_is_none(void)
{
    CHECK(says("coord x\nkinetic x'^2\nforce 3 on x'\n", MECH_UNREST_DRIVEN,
               "x'' is 1.5 at each of 8 states that were looked at: nothing balances what drives it; a force, a "
               "constraint or 'steady' would\n"));
    CHECK(says(
        "coord x\nkinetic x'^2/2\npotential x^2\nstate s: s' = 2\n", MECH_UNREST_DRIVEN,
        "s never rests: its rate, or what a sample adds to it, is 2 at each of 8 states that were looked at; leave "
        "it out of the model here\n"));
    CHECK(says("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint belt: x = 2*t\npotential y^2\n", MECH_UNREST_MOVING,
               "nothing rests while constraints move; at rest velocities miss belt by -2\n"
               "say with 'steady' which velocities stay constant, or hold the constraints still\n"));
    CHECK(says("coord x\nkinetic x'^2/2\nforce 1 + x^2 on x'\n", MECH_UNREST_UNKNOWN, ""));
}

int main(void)
{
    why_there_is_none();
    steady_begins_moving();
    steady_is_not_an_instant();
    ends_where_the_model_lives();
    nearest();
    friction_holds();
    rest_in_one_call();
    initial_values();
    return check_report();
}
