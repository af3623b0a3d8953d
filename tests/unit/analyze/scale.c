/* Equilibria, verdicts and eigenvalues in other units: from a thousand millionth to a thousand million times in length,
   time and mass. Values in closed form, or the eigenvalues of small matrices written down by hand and given to another
   program. */
#include "helpers.h"

typedef struct unit {
    double length, time, mass;
} unit;

enum { MOST_Q = 4, MOST_MODES = 2 };

/* g = 9.81 L/T^2 stands before each text. Modes: those with an imaginary part >= 0, real and imaginary; one that is
   real counts alone. */
typedef struct subject_in_units {
    const char *name, *text;
    int n;
    int is_length[MOST_Q];
    double q[MOST_Q];
    int modes, alone;
    double mode[MOST_MODES][2];
    int zero, rank, right;
    mech_point_kind kind;
} subject_in_units;

static const subject_in_units subjects[] = {
    {"pendulum",
     "coord a\nkinetic M*L^2/2*a'^2\npotential -M*g*L*cos(a)\ninitial a = 0.5\n",
     1,
     {0},
     {0},
     1,
     0,
     {{0, 3.132091952673165}},
     0,
     0,
     0,
     0},
    {"spring",
     "coord x\nkinetic M/2*x'^2\npotential 36*M/T^2/2*x^2 - M*9*L/T^2*x\n",
     1,
     {1},
     {0.25},
     1,
     0,
     {{0, 6}},
     0,
     0,
     0,
     0},
    {"rod",
     "coord x, y\nkinetic M/2*(x'^2 + y'^2)\npotential M*g*y\nconstraint rod: x^2 + y^2 = L^2\ninitial x = 0.6*L, y = -0.7*L\n",
     2,
     {1, 1},
     {0, -1},
     1,
     0,
     {{0, 3.132091952673165}},
     0,
     1,
     0,
     0},
    {"rod said twice",
     "coord x, y\nkinetic M/2*(x'^2 + y'^2)\npotential M*g*y\nconstraint one: x^2 + y^2 = L^2\nconstraint two: (x^2 + y^2)/L = L\ninitial x = 0.6*L, y = -0.7*L\n",
     2,
     {1, 1},
     {0, -1},
     1,
     0,
     {{0, 3.132091952673165}},
     0,
     1,
     0,
     0},
    /* M = [3 1; 1 1], C = [0.3 0; 0 0], K = [10 0; 0 g] */
    {"cart",
     "coord x, a\nkinetic M*x'^2 + M/2*((x' + L*cos(a)*a')^2 + (L*sin(a)*a')^2)\npotential -M*g*L*cos(a) + 5*M/T^2*(x - 0.3*L)^2\nforce -0.3*M/T*x' on x'\n"
     "initial x = 0.1*L, a = 0.4\n",
     2,
     {1, 0},
     {0.3, 0},
     2,
     0,
     {{-0.03774171554730163, 4.0970899765532485}, {-0.0372582844526983, 1.708922567256846}},
     0,
     0,
     0,
     0},
    /* M = [4 6; 6 12], K = [4g 0; 0 6g] by the angles */
    {"two rods",
     "coord x1, y1, x2, y2\nkinetic M/2*(x1'^2 + y1'^2 + 3*x2'^2 + 3*y2'^2)\npotential M*g*(y1 + 3*y2)\nconstraint one: x1^2 + y1^2 = L^2\n"
     "constraint two: (x2 - x1)^2 + (y2 - y1)^2 = 4*L^2\ninitial x1 = 0.3*L, y1 = -0.9*L, x2 = 0.7*L, y2 = -2.8*L\n",
     4,
     {1, 1, 1, 1},
     {0, -1, 0, -3},
     2,
     0,
     {{0, 7.442097846813327}, {0, 1.864183370394759}},
     0,
     2,
     0,
     0},
    /* g/2 sin(a) + 6 (a - 0.4) = 0; w^2 = 3 (g/2 cos(a) + 6) */
    {"lengths beside an angle",
     "coord x, y, a\nkinetic M/2*(x'^2 + y'^2) + M*L^2/24*a'^2\npotential M*g*y + 3*M*L^2/T^2*(a - 0.4)^2\nconstraint ex: x = L/2*sin(a)\n"
     "constraint ey: y = -L/2*cos(a)\ninitial a = 0.3\n",
     3,
     {1, 1, 0},
     {0.1095483140448277, -0.4878515828507025, 0.22088850653670672},
     1,
     0,
     {{0, 5.688362864945956}},
     0,
     2,
     0,
     0},
    {"without a mass",
     "coord x, y\nkinetic M/2*x'^2\npotential 4*M/T^2/2*y^2 - M*g*x\nconstraint two: y = 2*x\ninitial x = L\n",
     2,
     {1, 1},
     {0.613125, 1.22625},
     1,
     0,
     {{0, 4}},
     0,
     1,
     0,
     0},
    /* a conical pendulum at 5/T: cos(th) = g/25, w^2 = 25 (1 + 3 cos(th)^2); its azimuth goes on */
    {"conical pendulum",
     "coord th, ph\nkinetic M*L^2/2*(th'^2 + sin(th)^2*ph'^2)\npotential -M*g*L*cos(th)\nsteady ph' = 5/T\ninitial th = 1\n",
     2,
     {0, 0},
     {1.1675569038050428, 0},
     1,
     0,
     {{0, 6.04552164829471}},
     1,
     0,
     0,
     MECH_POINT_STEADY},
    /* s^3 + 0.6 s^2 + 1.05 s + 0.8 */
    {"a state",
     "coord x\nstate z: z' = -(z - 3*M*L/T^2)/(2*T) - 0.3*M/T^3*x\nkinetic M/2*x'^2\npotential M/T^2/2*x^2\nforce z - 0.1*M/T*x' on x'\n",
     1,
     {1},
     {1.875},
     2,
     1,
     {{0.05472184021816279, 1.0604950012387524}, {-0.7094436804363254, 0}},
     0,
     0,
     2,
     0},
    {"a free mass beside a slow one",
     "coord x, y\nkinetic M/2*(x'^2 + y'^2)\npotential 1e-4*M/T^2/2*(y - L)^2\n",
     2,
     {1, 1},
     {0, 1},
     1,
     0,
     {{0, 1e-2}},
     1,
     0,
     0,
     0},
    {"fast and slow",
     "coord x, y\nkinetic M/2*(x'^2 + y'^2)\npotential M/T^2/2*(x - L)^2 + 1e-7*M/T^2/2*y^2\n",
     2,
     {1, 1},
     {1, 0},
     2,
     0,
     {{0, 1}, {0, 3.1622776601683794e-4}},
     0,
     0,
     0,
     0},
    /* s^4 + 7 s^2 + 1 */
    {"held by a gyroscope",
     "coord a, b\nkinetic M*L^2/2*(a'^2 + b'^2) + 3*M*L^2/T*a'*b\npotential -M*L^2/T^2*(a^2 + b^2)/2\ninitial a = 0.1\n",
     2,
     {0, 0},
     {0, 0},
     2,
     0,
     {{0, 2.618033988749895}, {0, 0.3819660112501052}},
     0,
     0,
     0,
     0},
    {"upright",
     "coord a\nkinetic M*L^2/2*a'^2\npotential M*g*L*cos(a)\ninitial a = 0.1\n",
     1,
     {0},
     {0},
     2,
     2,
     {{3.132091952673165, 0}, {-3.132091952673165, 0}},
     0,
     0,
     1,
     0},
};

static int read_in(subject *s, const char *text, const unit *u)
{
    char whole[1000];
    snprintf(whole, sizeof whole, "param L = %.17g, T = %.17g, M = %.17g\nlet g = 9.81*L/T^2\n%s", u->length, u->time,
             u->mass, text);
    return subject_text(s, whole);
}

static int has_scaled_mode(const mech_modes_result *m, double time, const double *mode)
{
    for (int k = 0; k < m->n - m->zero; k++)
        if (fabs(m->real[k] * time - mode[0]) <= 1e-9 && fabs(m->imaginary[k] * time - mode[1]) <= 1e-9) return 1;
    return 0;
}

static void look(const subject_in_units *c, const unit *u)
{
    const int before = check_failures;
    subject s;
    if (read_in(&s, c->text, u) && subject_find(&s, NULL, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        const mech_modes_result *m = s.l->motion;
        for (int i = 0; i < c->n; i++) CHECK_NEAR(s.e->q[i] / (c->is_length[i] ? u->length : 1), c->q[i], 1e-9);
        CHECK(s.e->rank == c->rank);
        CHECK(s.l->kind == c->kind);
        CHECK(m->zero == c->zero && m->right == c->right);
        CHECK(m->n - m->zero == 2 * c->modes - c->alone);
        for (int k = 0; k < c->modes; k++) CHECK(has_scaled_mode(m, u->time, c->mode[k]));
    }
    subject_free(&s);
    if (check_failures > before) fprintf(stderr, "%s in units of %g, %g, %g\n", c->name, u->length, u->time, u->mass);
}

/* What falls has no equilibrium, and what is held aside is not at one. */
static void none(const unit *u)
{
    const int before = check_failures;
    const double angle = 0.5, still[2] = {0, 0}, aside[2] = {0.6 * u->length, -0.8 * u->length};
    subject s;
    if (read_in(&s, "coord x\nkinetic M/2*x'^2\npotential M*g*x\n", u))
        CHECK(mech_equilibrium_find(s.system, s.eval, NULL, &s.equilibrium) == MECH_ERR_NO_EQUILIBRIUM);
    subject_free(&s);
    if (read_in(&s, subjects[0].text, u) && subject_linearize(&s, &angle, still, NULL, NULL))
        CHECK(s.l->kind == MECH_POINT_FROZEN);
    subject_free(&s);
    if (read_in(&s, subjects[2].text, u) && subject_linearize(&s, aside, still, NULL, NULL))
        CHECK(s.l->kind == MECH_POINT_FROZEN);
    subject_free(&s);
    const double off[2] = {0.6 * u->length, -0.8001 * u->length};
    if (read_in(&s, subjects[2].text, u) && subject_linearize(&s, off, still, NULL, NULL))
        CHECK(s.l->kind == MECH_POINT_OFF);
    subject_free(&s);
    if (check_failures > before) fprintf(stderr, "none in units of %g, %g, %g\n", u->length, u->time, u->mass);
}

static void all_in(const unit *u)
{
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) look(&subjects[k], u);
    none(u);
}

/* Forces that balance to the last bit have no rate, though rounding leaves one: a bead on a hoop at its critical speed
   does not move. */
static void balanced(void)
{
    static const char text[] =
        "param W = 3\ncoord th, ph\nkinetic (th'^2 + sin(th)^2*ph'^2)/2\npotential -W^2*cos(th)\nconstraint turns: ph = W*t\ninitial th = 0\n";
    subject s;
    const double q[2] = {0, 0}, v[2] = {0, 3};
    if (subject_text(&s, text) && subject_linearize(&s, q, v, NULL, NULL))
        CHECK(s.l->motion->n == 2 && s.l->motion->zero == 2 && s.l->motion->longest_chain == 2);
    subject_free(&s);
}

int main(void)
{
    static const double scales[] = {1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9};
    enum { SCALES = sizeof scales / sizeof *scales };
    for (int k = 0; k < SCALES; k++) {
        all_in(&(unit){scales[k], 1, 1});
        all_in(&(unit){1, scales[k], 1});
        all_in(&(unit){1, 1, scales[k]});
    }
    for (int k = 0; k < 30; k++) /* and together, not by powers of ten alone */
        all_in(&(unit){3.7 * scales[k % SCALES], 0.61 * scales[(k * 3 + 1) % SCALES],
                       1.9 * scales[(k * 5 + k / SCALES) % SCALES]});
    balanced();
    return check_report();
}
