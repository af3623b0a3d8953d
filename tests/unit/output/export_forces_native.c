/* Exported C with control, friction, laws of reactions and by z, and negative masses: by hand, and beside an instant of
 * the library at states in general position. */
#include "check.h"
#include "support/exported.h"

#include <mech/instant.h>
#include <mech/lang.h>

enum { MOST = 100 };

typedef struct code { /* what a test calls */
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    void *library, *s;
    int (*acceleration)(void *s, double t, const double *q, const double *v, const double *z, const double *u,
                        double *qdd, double *lambda);
    void (*inputs)(void *s, double t, double *u);
    void (*outputs)(void *s, double t, const double *q, const double *v, const double *z, const double *u,
                    const double *qdd, const double *lambda, double *y);
    void (*forces)(const void *s, const double *qdd, double *Qi, double *Qni, double *Qc);
    void (*set_active)(void *s, int constraint, int is_active);
    /* with friction */
    int (*settle)(void *s, double t, const double *q, double *v, const double *z, const double *u);
} code;

static void *symbol(const code *c, const char *name)
{
    void *found = c->library ? dlsym(c->library, name) : NULL;
    CHECK(found != NULL);
    return found;
}

static void finish(code *c, const char *flags)
{
    void (*start)(void *);
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    CHECK(mech_system_create(c->model, &with, c->diagnostics, &c->system) == MECH_OK);
    c->library = exported_load(c->system, 0, flags);
    c->s = calloc(1, 16 << 20);
    *(void **)&start = symbol(c, "made_start");
    *(void **)&c->acceleration = symbol(c, "made_acceleration");
    *(void **)&c->inputs = symbol(c, "made_inputs");
    *(void **)&c->outputs = symbol(c, "made_outputs");
    *(void **)&c->forces = symbol(c, "made_forces");
    *(void **)&c->set_active = symbol(c, "made_set_active");
    if (mech_system_sizes(c->system).frictions) *(void **)&c->settle = symbol(c, "made_settle");
    start(c->s);
}

static void of_text(const char *text, code *c)
{
    *c = (code){.diagnostics = mech_diagnostics_create()};
    const mech_status status = mech_read_text("test", text, strlen(text), NULL, c->diagnostics, &c->model);
    if (status != MECH_OK) fprintf(stderr, "%s%s\n", text, mech_diagnostics_get(c->diagnostics, 0)->message);
    CHECK(status == MECH_OK);
    finish(c, "-O0");
}

static void of_file(const char *path, const char *flags, code *c)
{
    *c = (code){.diagnostics = mech_diagnostics_create()};
    CHECK(mech_read_file(path, NULL, c->diagnostics, &c->model) == MECH_OK);
    finish(c, flags);
}

static void drop(code *c)
{
    free(c->s);
    if (c->library) dlclose(c->library);
    mech_system_free(c->system);
    mech_model_free(c->model);
    mech_diagnostics_free(c->diagnostics);
}

/* ---- beside the library ---- */

/* 1: as the library says; 0: the library has no answer, and so has the code. */
static int beside_instant(code *c, mech_instant *instant, double t, const double *q, const double *v, double bound)
{
    const mech_sizes k = mech_system_sizes(c->system);
    double z[MOST] = {0}, u[MOST] = {0}, qdd[MOST], lambda[MOST], Qi[MOST], Qni[MOST], Qc[MOST], y[MOST], scale = 0;
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.t = t, at.q = q, at.v = v, at.z = z, at.skip_diagnosis = 1;
    c->inputs(c->s, t, u);
    double speeds[MOST];
    memcpy(speeds, v, k.coords * sizeof *v);
    if (c->settle) {
        if (c->settle(c->s, t, q, speeds, z, u) >= 0) CHECK(difference(speeds, v, k.coords) <= 1e-6);
    }
    const int status = c->acceleration(c->s, t, q, v, z, u, qdd, lambda);
    if (mech_instant_solve(instant, &at) != MECH_OK) {
        CHECK(status < 0);
        return 0;
    }
    const mech_instant_result *r = mech_instant_get(instant);
    CHECK(status == 0 || status == 1);
    double error = 0, size = 1;
    for (size_t i = 0; i < k.coords; i++) {
        size = fmax(size, fabs(r->qdd[i]));
        error = fmax(error, fabs(qdd[i] - r->qdd[i]));
    }
    error /= size;
    if (!(error <= bound)) fprintf(stderr, "error %.1e, status %d\n", error, status);
    CHECK(error <= bound);
    c->forces(c->s, qdd, Qi, Qni, Qc);
    for (size_t i = 0; i < k.coords; i++)
        scale = fmax(scale, fabs(r->Q[i]) + fabs(r->Qi[i]) + fabs(r->Qni[i]) + (r->u ? fabs(r->Qc[i]) : 0));
    for (size_t i = 0; i < k.coords; i++) {
        /* what friction that holds gives is an ideal force there */
        if (!c->settle) CHECK_NEAR(Qi[i], r->Qi[i], 10 * bound * scale);
        CHECK_NEAR(Qi[i] + Qni[i], r->Qi[i] + r->Qni[i], 10 * bound * scale);
        if (r->u) CHECK_NEAR(Qc[i], r->Qc[i], 10 * bound * scale);
    }
    c->outputs(c->s, t, q, v, z, u, qdd, lambda, y);
    for (size_t i = 0; i < k.outputs; i++) CHECK_NEAR(y[i], r->output[i], 100 * bound * fmax(1, scale));
    return 1;
}

static void compare(code *c, int least, double bound)
{
    const mech_sizes k = mech_system_sizes(c->system);
    mech_instant *instant = NULL;
    double q[MOST], v[MOST];
    int answers = 0;
    CHECK(mech_instant_create(c->system, 0, &instant) == MECH_OK);
    for (int round = 0; round < 12; round++) {
        for (size_t i = 0; i < k.coords; i++) {
            q[i] = 0.5 + 0.4 * sin((double)(i + 1) * 1.7 + round);
            v[i] = c->settle && round % 3 == 2 ? 0 : cos((double)(i + 1) * 2.3 + round); /* friction: at rest too */
        }
        answers += beside_instant(c, instant, 0.3 + 0.1 * round, q, v, bound);
    }
    CHECK(answers >= least);
    mech_instant_free(instant);
    drop(c);
}

static void example(const char *path, int least)
{
    code c;
    of_file(path, "-O0", &c);
    compare(&c, least, 1e-11);
}

static void text(const char *text)
{
    code c;
    of_text(text, &c);
    compare(&c, 12, 1e-11);
}

/* Control with constraints and laws beside it; total and ideal multipliers; laws of several. */
static void mixtures(void)
{
    text("param m = 2, g = 9.81, B = 3, K = 5\ncoord x, y, s\nlet r = [x, y]\nkinetic m/2*dot(r', r') + s'^2\n"
         "potential m*g*y + s^2\nconstraint wire: y = x^2 + s/3\ncontrol go: s = sin(2*t) weight diag(1, 2, 3)\n"
         "stabilize excess on go, B = 3, K = g\n"
         "output push = control(s), other = control(x)*x', wall = force(wire)\n");
    text("param mu = 0.3, c = 0.2\ncoord x, y, w\nkinetic x'^2 + y'^2/2 + w'^2 + x'*w'/3\npotential 9.81*y\n"
         "constraint floor: y + w/5 = 0\nconstraint wall: x = y + sin(w)\n"
         "nonideal on floor: x = -mu*abs(reaction(floor))*tanh(x')\n"
         "nonideal on wall: [w, y] = [-c*reaction(wall)*w', lambda(wall)*0.1*y']\n"
         "nonideal on floor, wall: w = -0.05*norm([reaction(floor), reaction(wall)])*w'\n"
         "output N = reaction(floor), ideal = lambda(floor)\n");
    text("param mu = 0.3\ncoord x, y, s\nkinetic (x'^2 + y'^2)/2 + s'^2 + x'*s'/4\npotential 9.81*y\n"
         "constraint floor: y = 0.1*x\nactuator motor: s' + x'\ncontrol go: s = t^2\n"
         "nonideal on floor: x = -mu*abs(reaction(floor))*tanh(x')\nnonideal on floor: s = -0.1*lambda(floor)\n"
         "output power = control(motor)*s', N = reaction(floor)\n");
    text("coord x, y\nkinetic x'^2 + y'^2 + x'*y'\npotential 3*x*y\nconstraint c: x + y^2 = 1\n"
         "nonideal z on c: [x, y] = [-0.3*x', 0.2*abs(reaction(c))*tanh(y')]\nnonideal on c: y = -y'\n");
    text("coord x, y\nkinetic x'^2/2 - y'^2\nforce [1, x*y] on [x', y']\nallow negative mass\n"
         "constraint c: x + 0.3*y = t\n");
    text("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0.2*x^2\n"
         "nonideal on floor: x = -0.2*x'\noutput N = reaction(floor)\n"
         "event lift: reaction(floor) falls through 0 -> release floor\n");
}

static void frictions(void)
{
    /* in a plane, two that load one another, along a belt, with a law and control beside */
    text("param mu = 0.4\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2 + x'*y'/3\npotential 9.81*z + 2*x - 3*y\n"
         "constraint table: z = 0.1*x + 0.2*sin(y)\nfriction on table: mu, along [x', y', z'], static 0.5\n"
         "output F = norm(friction(table)), N = reaction(table)\n");
    text("param mu = 0.3\ncoord x, y, a, b\nkinetic x'^2 + y'^2 + a'^2/2 + b'^2/2 + a'*y'/4\n"
         "potential 9.81*(y + b) + 3*x - a\nconstraint floor: y = 0\nconstraint shelf: b = y/3\n"
         "friction on floor: mu, along x'\nfriction on shelf: 2*mu, along a' - x', static 0.9\n"
         "output F = [friction(floor), friction(shelf)]\n");
    text("coord x, y, s\nkinetic (x'^2 + y'^2)/2 + s'^2 + x'*s'/5\npotential 9.81*y + 4*x^2\nconstraint belt: y = 0\n"
         "friction on belt: 0.2, along x' - 0.5 + s', static 0.4\ncontrol go: s = t^2 weight identity\n"
         "nonideal on belt: s = -0.1*reaction(belt)*s'\noutput F = friction(belt), P = control(s)\n");
}

/* ---- by hand ---- */

static int solve_at(code *c, double t, const double *q, const double *v, double *qdd, double *lambda, double *Qc)
{
    const int status = c->acceleration(c->s, t, q, v, NULL, NULL, qdd, lambda);
    if (status >= 0) c->forces(c->s, qdd, NULL, NULL, Qc);
    return status;
}

/* A pendulum is driven along a path that it is off: m l^2 a + m g l sin is the torque for the acceleration asked for.
   */
static void servo_by_hand(void)
{
    code c;
    const double m = 2, l = 0.7, g = 9.81, t = 0.4, q = 0.5, v = -0.3, w = 3, B = 8, K = 16;
    const double path = 0.2 * sin(w * t), speed = 0.2 * w * cos(w * t),
                 asked = -w * w * path - B * (v - speed) - K * (q - path);
    double qdd[2], lambda[1], Qc[2];
    of_text("param m = 2, l = 0.7, g = 9.81\ncoord a\nkinetic m/2*(l*a')^2\npotential -m*g*l*cos(a)\n"
            "actuator motor: a'\ncontrol path: a = 0.2*sin(3*t)\nstabilize excess on path, B = 8, K = 16\n",
            &c);
    CHECK(solve_at(&c, t, &q, &v, qdd, lambda, Qc) == 0);
    CHECK_NEAR(qdd[0], asked, 1e-13);
    CHECK_NEAR(Qc[0], m * l * l * asked + m * g * l * sin(q), 1e-13);
    CHECK_NEAR(lambda[0], 0, 0); /* a control has no multiplier */
    c.set_active(c.s, 0, 0);
    CHECK(solve_at(&c, t, &q, &v, qdd, lambda, Qc) == 0);
    CHECK_NEAR(qdd[0], -g / l * sin(q), 1e-13);
    CHECK_NEAR(Qc[0], 0, 0);
    drop(&c);
}

/* Two carts keep a distance: the least u'Wu with u2/m2 - u1/m1 = a, a = -c w^2 sin(w t). */
static void weights_by_hand(void)
{
    static const char *const words[] = {"weight nature", "weight identity", "weight diag(1, 4)"};
    static const double inverse[3][2] = {{1, 3}, {1, 1}, {1, 0.25}}; /* W^-1 */
    const double q[2] = {0, 1}, v[2] = {0, 0.2}, a = -0.1 * 4 * sin(2 * 0.3), mass[2] = {1, 3};
    for (int k = 0; k < 3; k++) {
        code c;
        char model[300];
        double qdd[2], lambda[1], Qc[2];
        snprintf(model, sizeof model,
                 "coord x1, x2\nkinetic x1'^2/2 + 3*x2'^2/2\ncontrol gap: x2 - x1 = 1 + 0.1*sin(2*t) %s\n", words[k]);
        const double s = a / (inverse[k][0] / (mass[0] * mass[0]) + inverse[k][1] / (mass[1] * mass[1]));
        of_text(model, &c);
        CHECK(solve_at(&c, 0.3, q, v, qdd, lambda, Qc) == 0);
        CHECK_NEAR(Qc[0], -inverse[k][0] / mass[0] * s, 1e-15);
        CHECK_NEAR(Qc[1], inverse[k][1] / mass[1] * s, 1e-15);
        CHECK_NEAR(qdd[1] - qdd[0], a, 1e-15);
        drop(&c);
    }
}

/* A trolley cannot move the load that hangs straight down; a little beside it, it can. */
static void unreachable(void)
{
    code c;
    const double v[2] = {0, 0}, straight[2] = {0, 0}, beside[2] = {0, 0.1};
    double qdd[2], lambda[1], Qc[2];
    of_file("examples/path-following/model-crane.mech", "-O2", &c);
    CHECK(solve_at(&c, 0, straight, v, qdd, lambda, Qc) == -3);
    CHECK(solve_at(&c, 0, beside, v, qdd, lambda, Qc) == 0);
    CHECK_NEAR(qdd[0] + cos(0.1) * qdd[1], 0.2, 1e-12); /* the load's, as asked */
    drop(&c);
}

/* A rod slides on its end: N (1/m + l^2 cos (cos - mu sin)/J) = g - l sin w^2 while it slides to the left; with mu so
   large that the bracket is negative there is no N. */
static void rod_by_hand(void)
{
    const double l = 1, g = 9.81, J = 1.0 / 3, a = 1.3, w = 0.4;
    for (int k = 0; k < 2; k++) {
        code c;
        char model[600];
        const double mu = k ? 2 : 0.3, q[3] = {0, l * sin(a), a}, v[3] = {-1, l * w * cos(a), w};
        const double N = (g - l * sin(a) * w * w) / (1 + l * l * cos(a) * (cos(a) - mu * sin(a)) / J);
        double qdd[3], lambda[1], Qc[3], Qni[3], y[1];
        snprintf(model, sizeof model,
                 "param mu = %g\ncoord x, y, a\nlet tip = [x - cos(a), y - sin(a)]\nkinetic (x'^2 + y'^2)/2 + a'^2/6\n"
                 "potential 9.81*y\nconstraint ground: tip[2] = 0\n"
                 "nonideal on ground: tip[1] = -mu*abs(reaction(ground))*sign(tip[1]')\noutput N = reaction(ground)\n",
                 mu);
        of_text(model, &c);
        const int status = solve_at(&c, 0, q, v, qdd, lambda, Qc);
        CHECK(status == (k ? -4 : 0));
        if (k == 0) {
            CHECK_NEAR(qdd[0], mu * N, 1e-12);
            CHECK_NEAR(qdd[1], N - g, 1e-12);
            CHECK_NEAR(qdd[2], l * N * (mu * sin(a) - cos(a)) / J, 1e-12);
            c.outputs(c.s, 0, q, v, NULL, NULL, qdd, lambda, y);
            CHECK_NEAR(y[0], N, 1e-12);
            c.forces(c.s, qdd, NULL, Qni, NULL);
            CHECK_NEAR(Qni[0] * v[0] < 0, 1, 0); /* it takes energy */
        }
        drop(&c);
    }
}

/* The ideal force of a circle, m v^2/R, rubs: the bead loses mu v^2/R. */
static void circle_by_hand(void)
{
    code c;
    const double q[2] = {1.5, 0}, v[2] = {0, 3};
    double qdd[2], lambda[1], Qc[2];
    of_file("examples/rough-circle/model.mech", "-O2", &c);
    CHECK(solve_at(&c, 0, q, v, qdd, lambda, Qc) == 0);
    CHECK_NEAR(qdd[0], -9 / 1.5, 1e-13);
    CHECK_NEAR(qdd[1], -0.2 * 9 / 1.5, 1e-13);
    drop(&c);
}

/* C = M^(1/2) z by hand: M = [2 1; 1 2] has the root [a b; b a], a, b = (sqrt 3 +- 1)/2. Along the free direction
   (1, 1) of x - y = 0: 3 x'' = (C_1 + C_2)/2 = (a + b)(z_1 + z_2)/2. */
static void root_by_hand(void)
{
    code c;
    const double q[2] = {0.2, 0.2}, v[2] = {1, 1};
    double qdd[2], lambda[1], Qc[2];
    of_text("coord x, y\nkinetic x'^2 + y'^2 + x'*y'\nconstraint c: x = y\nnonideal z on c: [x, y] = [-0.4*x', 1]\n",
            &c);
    CHECK(solve_at(&c, 0, q, v, qdd, lambda, Qc) == 0);
    CHECK_NEAR(qdd[0], sqrt(3) * (-0.4 + 1) / 6, 1e-14);
    CHECK_NEAR(qdd[1], qdd[0], 1e-14);
    drop(&c);
}

/* A floor written twice: what of its weight each row bears is a choice, and so is what a law makes of one of them. The
   sum is none. */
static void choices(void)
{
    static const char twice[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n"
                                "constraint again: y = 0\n";
    static const struct {
        const char *law;
        int status;
        double a;
    } of[] = {{"nonideal on floor: x = -0.1*reaction(floor)\n", -6, 0},
              {"nonideal on floor: x = -0.1*lambda(floor)\n", -6, 0},
              {"nonideal on floor: x = -0.1*(reaction(floor) + reaction(again))\n", 1, -0.981},
              {"nonideal on floor: x = -0.1*reaction(floor)\nallow leastnorm\n", 1, -0.4905}};
    const double q[2] = {0, 0}, v[2] = {1, 0};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        code c;
        char model[400];
        double qdd[2], lambda[2], Qc[2];
        snprintf(model, sizeof model, "%s%s", twice, of[k].law);
        of_text(model, &c);
        CHECK(solve_at(&c, 0, q, v, qdd, lambda, Qc) == of[k].status);
        if (of[k].status >= 0) CHECK_NEAR(qdd[0], of[k].a, 1e-13);
        drop(&c);
    }
}

/* What friction says of itself: NAME.h has the struct, which this test compiles into the code. */
static const char friction_look[] =
    "\n#ifdef WITH_FRICTION\nint made_seen(const made *s, int k, double *g, double *f);\n"
    "int made_seen(const made *s, int k, double *g, double *f)\n"
    "{ *g = s->indicator[k]; *f = s->friction[k]; return s->holds[k]; }\n#endif\n";

/* A block on an incline: it slides by g (sin -+ mu cos), it holds where mu is above the slope, and the indicator is
   what is left of mu N. */
static void incline_by_hand(void)
{
    const double g = 9.81, a = 0.5;
    static const struct {
        double mu, v;
        int holds;
    } of[] = {{0.3, 2, 0}, {0.3, -2, 0}, {0.3, 0, 0}, {0.7, 2, 0}, {0.7, 0, 1}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        code c;
        char model[400];
        const double q[2] = {0, 0}, mu = of[i].mu, down = g * sin(a), most = mu * g * cos(a);
        double v[2] = {of[i].v, 0}, qdd[2], lambda[1], left, force;
        int (*look)(const void *, int, double *, double *);
        snprintf(model, sizeof model,
                 "param mu = %g\ncoord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*(y*cos(0.5) - x*sin(0.5))\n"
                 "constraint plane: y = 0\nfriction on plane: mu, along x'\n",
                 mu);
        of_text(model, &c);
        *(void **)&look = symbol(&c, "made_seen");
        CHECK(c.acceleration(c.s, 0, q, v, NULL, NULL, qdd, lambda) == -7);
        CHECK(c.settle(c.s, 0, q, v, NULL, NULL) == 0);
        CHECK(c.acceleration(c.s, 0, q, v, NULL, NULL, qdd, lambda) == 0);
        CHECK_NEAR(qdd[0], of[i].holds ? 0 : of[i].v < 0 ? down + most : down - most, 1e-13);
        CHECK(look(c.s, 0, &left, &force) == of[i].holds);
        CHECK_NEAR(left, of[i].holds ? 2 * (most - down) : fabs(of[i].v), 1e-12);
        CHECK_NEAR(force, of[i].holds ? -2 * down : of[i].v < 0 ? 2 * most : -2 * most, 1e-12);
        CHECK_NEAR(lambda[0], 2 * g * cos(a), 1e-12);
        drop(&c);
    }
}

/* In a plane: against V; at rest it holds up to mu m g, and gives way along the pull. */
static void plane_by_hand(void)
{
    code c;
    const double q[3] = {0, 0, 0}, most = 0.5 * 9.81;
    double v[3] = {3, 4, 0}, still[3] = {0, 0, 0}, u[6] = {0}, qdd[3], lambda[1];
    of_text("coord x, y, z\ninput fx = 0\ninput fy = 0\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
            "force [fx, fy] on [x', y']\nconstraint table: z = 0\nfriction on table: 0.5, along [x', y', z']\n",
            &c);
    CHECK(c.settle(c.s, 0, q, v, NULL, u) == 0);
    CHECK(c.acceleration(c.s, 0, q, v, NULL, u, qdd, lambda) == 0);
    CHECK_NEAR(qdd[0], -0.6 * most, 1e-13);
    CHECK_NEAR(qdd[1], -0.8 * most, 1e-13);
    u[0] = 3, u[1] = -3.8; /* |u| = 4.84 < 4.905 */
    CHECK(c.settle(c.s, 0, q, still, NULL, u) == 0);
    CHECK(c.acceleration(c.s, 0, q, still, NULL, u, qdd, lambda) == 0);
    CHECK_NEAR(fabs(qdd[0]) + fabs(qdd[1]), 0, 1e-13);
    u[0] = 6, u[1] = -8;
    CHECK(c.settle(c.s, 0, q, still, NULL, u) == 0);
    CHECK(c.acceleration(c.s, 0, q, still, NULL, u, qdd, lambda) == 0);
    CHECK_NEAR(qdd[0], 0.6 * (10 - most), 1e-11);
    CHECK_NEAR(qdd[1], -0.8 * (10 - most), 1e-11);
    drop(&c);
}

/* One step of fourth order, and friction settled where it says so. */
static int step(code *c, double t, double h, size_t n, double *y)
{
    double k[4][2 * MOST], at[2 * MOST], lambda[MOST], g = 1, force;
    static const double part[4] = {0, 0.5, 0.5, 1};
    int (*look)(const void *, int, double *, double *);
    *(void **)&look = symbol(c, "made_seen");
    for (int j = 0; j < 4; j++) {
        for (size_t i = 0; i < 2 * n; i++) at[i] = y[i] + (j ? part[j] * h * k[j - 1][i] : 0);
        memcpy(k[j], at + n, n * sizeof *at);
        CHECK(c->acceleration(c->s, t + part[j] * h, at, at + n, NULL, NULL, k[j] + n, lambda) == 0);
    }
    for (size_t i = 0; i < 2 * n; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    CHECK(c->acceleration(c->s, t + h, y, y + n, NULL, NULL, k[0], lambda) == 0);
    const int held = look(c->s, 0, &g, &force);
    if (g < 0) CHECK(c->settle(c->s, t + h, y, y + n, NULL, NULL) == 0);
    return look(c->s, 0, &g, &force) != held;
}

/* A block rides on a belt until k x = mu_s m g, t = x/v, then slides and is caught again where x' = v: the spring and
   mu g make a circle around x_0 = mu m g/k, which it leaves at the same speed, at 2 x_0 - x. And one that is thrown
   up an incline stops after v_0/(g (sin + mu cos)), and stays. */
static void runs_by_hand(void)
{
    code c;
    const double h = 1e-4, rides = 0.4 * 9.81 / 10, middle = 0.2 * 9.81 / 10, w = sqrt(10);
    const double slides =
        2 * (acos(-1) - atan(w * (rides - middle) / 0.5)) / w; /* from one end of the ride to the other */
    double y[4] = {0, 0, 0.5, 0}, t = 0, when[2] = {0};
    int count = 0;
    of_file("examples/belt-block/model.mech", "-O2", &c);
    CHECK(c.settle(c.s, 0, y, y + 2, NULL, NULL) == 0);
    for (int i = 0; i < 30000 && count < 2; i++, t = h * i)
        if (step(&c, t, h, 2, y)) when[count++] = t + h;
    CHECK_NEAR(when[0], rides / 0.5, 2 * h);
    CHECK_NEAR(when[1] - when[0], slides, 3 * h);
    CHECK_NEAR(y[0], 2 * middle - rides, 3 * h * 0.5);
    CHECK_NEAR(y[2], 0.5, 1e-13); /* brought to rest on the belt */
    drop(&c);
    of_text("coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*(y*cos(0.5) - x*sin(0.5))\n"
            "constraint plane: y = 0\nfriction on plane: 0.7, along x'\n",
            &c);
    const double a = 9.81 * (sin(0.5) + 0.7 * cos(0.5));
    double x[4] = {0, 0, -2, 0};
    CHECK(c.settle(c.s, 0, x, x + 2, NULL, NULL) == 0);
    for (int i = 0; i < 3000; i++) step(&c, i * h, h, 2, x);
    CHECK_NEAR(x[0], -2.0 * 2 / (2 * a), 1e-7);
    CHECK_NEAR(x[2], 0, 1e-14);
    drop(&c);
}

/* Single precision: a block that slides down an incline, and one that holds. */
static void single_friction(void)
{
    static const char model[] = "param mu = 0.3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                "potential 9.81*(y*cos(0.5) - x*sin(0.5))\nconstraint plane: y = 0\n"
                                "friction on plane: mu, along x'\n";
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *m = NULL;
    mech_system *of = NULL;
    void (*start)(void *), (*set)(void *, const float *), *s = calloc(1, 1 << 20);
    int (*acceleration)(void *s, float t, const float *q, const float *v, const float *z, const float *u, float *qdd,
                        float *lambda);
    int (*settle)(void *s, float t, const float *q, float *v, const float *z, const float *u);
    const float q[2] = {0, 0}, rough = 0.7f;
    float v[2] = {1, 0}, still[2] = {0, 0}, qdd[2], lambda[1];
    CHECK(mech_read_text("test", model, strlen(model), NULL, d, &m) == MECH_OK);
    CHECK(mech_system_from_model(m, d, &of) == MECH_OK);
    exported_more = NULL;
    void *library = exported_load(of, 1, "-O0 -Wdouble-promotion");
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&set = dlsym(library, "made_set_parameters");
    *(void **)&acceleration = dlsym(library, "made_acceleration");
    *(void **)&settle = dlsym(library, "made_settle");
    start(s);
    CHECK(settle(s, 0, q, v, NULL, NULL) == 0 && acceleration(s, 0, q, v, NULL, NULL, qdd, lambda) == 0);
    CHECK_NEAR((double)qdd[0], 9.81 * (sin(0.5) - 0.3 * cos(0.5)), 1e-5);
    set(s, &rough);
    CHECK(settle(s, 0, q, still, NULL, NULL) == 0 && acceleration(s, 0, q, still, NULL, NULL, qdd, lambda) == 0);
    CHECK_NEAR((double)qdd[0], 0, 1e-5);
    free(s);
    dlclose(library);
    mech_system_free(of);
    mech_model_free(m);
    mech_diagnostics_free(d);
}

/* Single precision: the pendulum's torque and the rod again, but for rounding. */
static void single(void)
{
    static const char model[] = "param mu = 0.3\ncoord x, y, a, p\nlet tip = [x - cos(a), y - sin(a)]\n"
                                "kinetic (x'^2 + y'^2)/2 + a'^2/6 + p'^2\npotential 9.81*y - 3*cos(p)\n"
                                "constraint ground: tip[2] = 0\nactuator motor: p'\ncontrol turn: p = t^2\n"
                                "nonideal on ground: tip[1] = -mu*abs(reaction(ground))*sign(tip[1]')\n";
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *m = NULL;
    mech_system *of = NULL;
    void (*start)(void *), *s = calloc(1, 1 << 20);
    int (*acceleration)(void *s, float t, const float *q, const float *v, const float *z, const float *u, float *qdd,
                        float *lambda);
    void (*forces)(const void *s, const float *qdd, float *Qi, float *Qni, float *Qc);
    const double a = 1.3, N = 9.81 / (1 + 3 * cos(a) * (cos(a) - 0.3 * sin(a)));
    const float q[4] = {0, (float)sin(a), (float)a, 0.5f}, v[4] = {-1, 0, 0, 0.2f};
    float qdd[4], lambda[2], Qc[4];
    CHECK(mech_read_text("test", model, strlen(model), NULL, d, &m) == MECH_OK);
    CHECK(mech_system_from_model(m, d, &of) == MECH_OK);
    void *library = exported_load(of, 1, "-O0 -Wdouble-promotion");
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&acceleration = dlsym(library, "made_acceleration");
    *(void **)&forces = dlsym(library, "made_forces");
    start(s);
    CHECK(acceleration(s, 0, q, v, NULL, NULL, qdd, lambda) == 0);
    forces(s, qdd, NULL, NULL, Qc);
    CHECK_NEAR((double)qdd[0], 0.3 * N, 1e-4);
    CHECK_NEAR((double)qdd[1], N - 9.81, 1e-4);
    CHECK_NEAR((double)qdd[3], 2, 1e-5);
    CHECK_NEAR((double)Qc[3], 2 * 2 + 3 * sin(0.5), 1e-5);
    free(s);
    dlclose(library);
    mech_system_free(of);
    mech_model_free(m);
    mech_diagnostics_free(d);
}

int main(void)
{
    exported_begin();
    exported_more = friction_look;
    example("examples/path-following/model.mech", 12);
    example("examples/path-following/model-crane.mech", 12);
    example("examples/path-following/model-two-carts.mech", 12);
    example("examples/hoop-on-cylinder/model-least-effort.mech", 12);
    example("examples/ur5/model-circle.mech", 12);
    example("examples/rough-circle/model.mech", 12);
    example("examples/sliding-rod/model-ideal-load.mech", 12);
    example("examples/incline-block/model.mech", 12);
    example("examples/belt-block/model.mech", 12);
    example("examples/rough-bead/model.mech", 8);
    example("examples/rough-circle/model-friction.mech", 8);
    example("examples/sliding-rod/model.mech", 8);
    mixtures();
    frictions();
    incline_by_hand();
    plane_by_hand();
    runs_by_hand();
    servo_by_hand();
    weights_by_hand();
    unreachable();
    rod_by_hand();
    circle_by_hand();
    root_by_hand();
    choices();
    single_friction();
    single();
    exported_end();
    return check_report();
}
