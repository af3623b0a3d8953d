/* One expression in every place of the language where one can stand: constants, parameters, time, inputs, tables,
   states, positions and velocities, in models with and without other parameters, states, inputs and tables. Values are
   worked out here. */
#include "support/motion.h"

#include <mech/lanes.h>

#define PI 3.14159265358979323846

enum {
    CONSTANT = 1,
    PARAMETER = 2,
    COMPUTED = 4,
    TIME = 8,
    INPUT = 16,
    TABLE = 32,
    STATE = 64,
    POSITION = 128,
    VELOCITY = 256
};
enum {
    FIXED = CONSTANT | PARAMETER | COMPUTED,
    CLOCK = FIXED | TIME,
    STILL = CLOCK | INPUT | TABLE | STATE | POSITION,
    ALL = STILL | VELOCITY
};

/* The point of evaluation; coordinates x, y. */
static const double T = 1.25, Q[2] = {0.3, -0.4}, V[2] = {0.7, 1.1}, ACC[2] = {-0.9, 0.6}, Z = 1.4;

typedef struct jet { /* value, total time derivatives at the point, derivatives by y and y' */
    double f, d, dd, by_y, by_v;
} jet;

static const struct {
    unsigned kind;
    const char *text, *declared;
} kinds[] = {
    {CONSTANT, "(sqrt(2)*pi)", ""},
    {PARAMETER, "(sqrt(c)*pi)", "param c = 1.7\n"},
    {COMPUTED, "(pi^power/4)", "param root = sqrt(2), power = root*exp(1)/3\n"},
    {TIME, "exp(sin(pi*t)/2)", ""},
    {INPUT, "(sqrt(3)*u)", "input u = 2 + cos(pi*t)/sqrt(5)\n"},
    {TABLE, "(pi*(w + 1))", "input w = file \"tests/support/hat.csv\" column \"u\"\n"},
    {STATE, "(sqrt(2)*z)", "state z: z' = z/pi\n"},
    {POSITION, "exp(y/sqrt(7))", ""},
    {VELOCITY, "exp(y'/sqrt(7))", ""},
};

static jet value_of(unsigned kind)
{
    const double s = sin(PI * T), c = cos(PI * T), e = exp(s / 2), r = 1 / sqrt(7);
    switch (kind) {
    case CONSTANT: return (jet){.f = sqrt(2) * PI};
    case PARAMETER: return (jet){.f = sqrt(1.7) * PI};
    case COMPUTED: return (jet){.f = pow(PI, sqrt(2) * exp(1) / 3) / 4};
    case TIME: return (jet){.f = e, .d = e * PI * c / 2, .dd = e * PI * PI * (c * c / 4 - s / 2)};
    case INPUT:
        return (jet){.f = sqrt(3) * (2 + c / sqrt(5)), .d = -sqrt(0.6) * PI * s, .dd = -sqrt(0.6) * PI * PI * c};
    case TABLE: return (jet){.f = 1.25 * PI, .d = PI}; /* up the hat, between 1 and 2 */
    case STATE: return (jet){.f = sqrt(2) * Z, .d = sqrt(2) * Z / PI, .dd = sqrt(2) * Z / (PI * PI)};
    case POSITION: {
        const double f = exp(Q[1] * r);
        return (jet){f, f * r * V[1], f * r * (r * V[1] * V[1] + ACC[1]), f * r, 0};
    }
    default: {
        const double f = exp(V[1] * r);
        return (jet){f, f * r * ACC[1], (double)NAN, 0, f * r};
    }
    }
}

typedef struct look {
    const mech_equation *e;
    mech_eval *eval;
    const mech_system *system;
    jet at;
} look;

#define NEAR(got, want) CHECK_NEAR(got, want, 1e-14)

/* A q'' - b of the only row. */
static double missed(const look *l) { return l->e->A_dense[0] * ACC[0] + l->e->A_dense[1] * ACC[1] - l->e->b[0]; }

static void see_force(const look *l) { NEAR(l->e->Q[0], l->at.f); }
static void see_potential(const look *l) { NEAR(l->e->Q[0], -l->at.f); }
static void see_dissipation(const look *l)
{
    NEAR(l->e->Q[0], -l->at.f * V[0]);
    NEAR(l->e->energy[2], l->at.f * V[0] * V[0] / 2);
}
static void see_kinetic(const look *l)
{
    NEAR(l->e->M_dense[0], l->at.f);
    NEAR(l->e->Q[0], -V[0] * (l->at.d - l->at.by_v * ACC[1]));
    NEAR(l->e->energy[0], (l->at.f * V[0] * V[0] + V[1] * V[1]) / 2);
}
static void see_mass(const look *l) { NEAR(l->e->M_dense[0], l->at.f); }
static void see_holonomic(const look *l)
{
    NEAR(l->e->r[0], Q[0] - l->at.f);
    NEAR(l->e->r_dot[0], V[0] - l->at.d);
    NEAR(missed(l), ACC[0] - l->at.dd);
}
static void see_nonholonomic(const look *l)
{
    NEAR(l->e->r_dot[0], V[0] - l->at.f);
    NEAR(missed(l), ACC[0] - l->at.d);
}
static void see_second(const look *l) { NEAR(missed(l), ACC[0] - l->at.f); }
static void see_actuator(const look *l) { NEAR(l->e->G[0], l->at.f); }
static void see_weight(const look *l) { NEAR(l->e->W[0], l->at.f); }
static void see_law(const look *l) { NEAR(l->e->C[0], l->at.f); }
static void see_friction(const look *l)
{
    NEAR(l->e->mu[0], l->at.f);
    NEAR(l->e->static_mu[0], 3 * l->at.f);
    NEAR(l->e->slip[0], V[0] / l->at.f);
}
static void see_event(const look *l)
{
    NEAR(l->e->trigger[0], l->at.f * Q[0] - 1 / l->at.f);
    NEAR(l->e->condition[0], l->at.f > 1.3 ? 1 : 0);
    NEAR(l->e->action[0], l->at.f);
    NEAR(l->e->action[1], l->at.f / 8);
}
static void see_output(const look *l)
{
    NEAR(l->e->output[0], l->at.f);
    NEAR(l->e->output[1], l->at.d);
    NEAR(l->e->output[2], 2 * l->at.f);
}
static void see_start(const look *l)
{
    NEAR(l->e->target_value[0], l->at.f);
    NEAR(l->e->target[1], l->at.f * V[0]);
    NEAR(l->e->target_value[2], l->at.f / 3);
}
static void see_steady(const look *l)
{
    NEAR(l->e->steady_value[0], l->at.f);
    NEAR(l->e->steady[1], l->at.f * V[1]);
}
static void see_rate(const look *l)
{
    const size_t last = mech_system_sizes(l->system).states - 1;
    NEAR(l->e->rate[last], l->at.f);
}
static void see_input(const look *l)
{
    const size_t last = mech_system_sizes(l->system).inputs - 1;
    NEAR(l->e->u[last], l->at.f);
    NEAR(l->e->u_dot[last], l->at.d);
    NEAR(l->e->u_ddot[last], l->at.dd);
    NEAR(l->e->Q[0], l->at.f + l->at.d);
}
static void see_param(const look *l) { NEAR(l->e->p[mech_system_find(l->system, MECH_ITEM_PARAM, "own")], l->at.f); }
static void see_gains(const look *l)
{
    NEAR(l->e->damping[0], l->at.f);
    NEAR(l->e->stiffness[0], l->at.f / 2);
}
static void see_option(const look *l)
{
    double until = 0, rtol = 0;
    CHECK(mech_eval_option(l->eval, "until", &until, NULL) && mech_eval_option(l->eval, "rtol", &rtol, NULL));
    NEAR(until, l->at.f);
    NEAR(1e6 * rtol, l->at.f);
}

/* @ is the expression. */
static const struct {
    const char *name, *text;
    unsigned kinds;
    void (*see)(const look *l);
} places[] = {
    {"force", "force @ on x'\n", ALL, see_force},
    {"force along", "force 1 on @*x'\n", ALL, see_force},
    {"let", "let e = @\nlet f(s) = e*s + s*@ where r = @\nforce f(1)/2 on x'\n", ALL, see_force},
    {"potential", "potential @*x\n", STILL, see_potential},
    {"dissipation", "dissipation @/2*x'^2\n", STILL, see_dissipation},
    {"kinetic", "kinetic (@ - 1)/2*x'^2\n", STILL, see_kinetic},
    {"mass", "mass x = @ - 1\n", STILL, see_mass},
    {"holonomic", "constraint k: x = @\n", STILL, see_holonomic},
    {"nonholonomic", "constraint k: x' = @\n", ALL, see_nonholonomic},
    {"accelerations", "constraint k: x'' = @\n", ALL, see_second},
    {"control", "control k: x = @\n", STILL, see_holonomic},
    {"actuator", "control k: x = t\nactuator @*x'\n", STILL, see_actuator},
    {"weight", "control k: x = t weight [[@, 0], [0, 1]]\n", STILL, see_weight},
    {"nonideal", "constraint k: y = 0\nnonideal on k: x = @\n", ALL, see_law},
    {"friction", "constraint k: y = 0\nfriction on k: @, along x'/@, static 3*@\n", ALL, see_friction},
    {"event",
     "constraint k: y = 0\nevent e: @*x crosses through 1/@ when @ > 1.3 -> set x' = @, impact k restitution @/8\n",
     ALL, see_event},
    {"output", "output a = @, b = @', sum2 = a + @\n", ALL, see_output},
    {"initial", "initial x = @, @*x' = 1\nguess y = @/3\n", CLOCK, see_start},
    {"steady", "steady x' = @, @*y' = 1\n", FIXED, see_steady},
    {"state", "state s: s' = @\n", ALL, see_rate},
    {"input", "input n = @\nforce n + n' on x'\n", CLOCK, see_input},
    {"param", "param own = @\n", FIXED, see_param},
    {"gains", "constraint k: x = 0\nstabilize excess on k, B = @, K = @/2\n", FIXED, see_gains},
    {"simulate", "simulate until @, rtol 1e-6*@\n", FIXED, see_option},
};

/* What stands beside, and has no part. */
static const char *const company[] = {"param beside = 2\n", "state idle: idle' = -idle*sqrt(2)\n",
                                      "input hum = sin(pi*t)\n",
                                      "input hat = file \"tests/support/hat.csv\" column \"u\"\n"};
enum {
    COMPANIES = sizeof company / sizeof *company,
    KINDS = sizeof kinds / sizeof *kinds,
    PLACES = sizeof places / sizeof *places
};

static void fill_in(char *to, size_t size, const char *pattern, const char *expression)
{
    size_t at = strlen(to);
    for (; *pattern && at + 1 < size; pattern++) {
        if (*pattern == '@') at += (size_t)snprintf(to + at, size - at, "%s", expression);
        else to[at++] = *pattern;
        to[at] = 0;
    }
}

/* Everything at the point, by the stages. */
static void evaluate(motion *m, unsigned kind, void (*see)(const look *l))
{
    mech_eval *eval = NULL;
    double z[4] = {Z, Z, Z, Z};
    CHECK(mech_eval_create(m->system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    mech_eval_set_states(eval, z);
    CHECK(mech_eval_position(eval, T, Q) == MECH_OK && mech_eval_velocity(eval, V) == MECH_OK);
    CHECK(mech_eval_reaction(eval, NULL, NULL) == MECH_OK && mech_eval_acceleration(eval, ACC) == MECH_OK);
    CHECK(mech_eval_output(eval) == MECH_OK && mech_eval_start(eval) == MECH_OK);
    const look l = {mech_eval_equation(eval), eval, m->system, value_of(kind)};
    see(&l);
    mech_eval_free(eval);
}

static void sweep(void)
{
    size_t models = 0;
    for (size_t p = 0; p < PLACES; p++)
        for (size_t k = 0; k < KINDS; k++)
            for (unsigned with = 0; with < 1 << COMPANIES && (places[p].kinds & kinds[k].kind); with++) {
                char text[2000] = "";
                motion m;
                for (unsigned c = 0; c < COMPANIES; c++)
                    if (with >> c & 1) fill_in(text, sizeof text, company[c], "");
                fill_in(text, sizeof text, kinds[k].declared, "");
                fill_in(text, sizeof text, "coord x, y\nkinetic (x'^2 + y'^2)/2\n", "");
                fill_in(text, sizeof text, places[p].text, kinds[k].text);
                const int before = check_failures;
                if (motion_read(&m, text)) evaluate(&m, kinds[k].kind, places[p].see);
                if (check_failures > before) fprintf(stderr, "%s:\n%s\n", places[p].name, text);
                motion_free(&m);
                models++;
            }
    printf("%zu models\n", models);
}

/* All that moves in one model, each on a coordinate of its own, y moved by 0.6: accelerations by the interpreted plan,
   by native code and in lanes. */
static void accelerations(motion *m, unsigned kind, mech_native native)
{
    enum { MOST = 40 };
    mech_motion_settings how;
    mech_motion_settings_default(&how, sizeof how);
    how.native = native;
    mech_motion_code *code = NULL;
    CHECK(mech_motion_code_create(m->system, &how, &code) == MECH_OK);
    const mech_sizes n = mech_system_sizes(m->system);
    const jet e = value_of(kind);
    const double want[] = {e.f, -e.f, -e.f * V[0], (1 - V[0] * (e.d - e.by_v * ACC[1])) / e.f, 1 / e.f, e.dd, e.d,
                           e.f, e.f,  ACC[1]};
    double q[10], v[10], qdd[10], rows[7][10 * MOST], z[2 * MOST], t[MOST];
    /* at x = 0 the potential does not push y */
    for (int i = 0; i < 10; i++) q[i] = i == 9 ? Q[1] : 0, v[i] = i == 9 ? V[1] : V[0];
    mech_eval *eval = NULL;
    mech_lanes *lanes = NULL;
    CHECK(mech_eval_create(m->system, MECH_STORAGE_SPARSE, &eval) == MECH_OK &&
          mech_eval_use_motion(eval, code) == MECH_OK);
    for (size_t i = 0; i < 2 * MOST; i++) z[i] = Z;
    for (size_t i = 0; i < MOST; i++) t[i] = T;
    mech_eval_set_states(eval, z);
    mech_motion got = {.size = sizeof got, .qdd = qdd};
    CHECK(mech_eval_motion(eval, T, q, v, &got) == MECH_OK);
    for (size_t i = 0; i < n.coords; i++) CHECK_NEAR(qdd[i], want[i], 1e-13);
    for (size_t i = 0; i < n.coords; i++)
        for (size_t j = 0; j < MOST; j++) rows[0][i * MOST + j] = q[i], rows[1][i * MOST + j] = v[i];
    CHECK(mech_lanes_create(code, MOST, &lanes) == MECH_OK);
    for (int mixed = 0; mixed < 2; mixed++) {
        for (size_t j = 0; mixed && j < MOST; j++) CHECK(mech_lanes_take(lanes, j, eval) == MECH_OK);
        const mech_lanes_states states = {.size = sizeof states, .t = t, .q = rows[0], .v = rows[1], .z = z};
        CHECK(mech_lanes_motion(lanes, &states, rows[2], NULL, NULL, NULL) == MECH_OK);
        for (size_t i = 0; i < n.coords; i++)
            for (size_t j = 0; j < MOST; j += MOST - 1) CHECK_NEAR(rows[2][i * MOST + j], want[i], 1e-13);
    }
    mech_lanes_free(lanes);
    mech_eval_free(eval);
    mech_motion_code_free(code);
}

static void paths(void)
{
    static const char everything[] =
        "coord f, p, d, k, m, h, n, a, l, y\nmass [f, p, d, h, n, a, l] = identity(7)\n"
        "force @ on f'\npotential @*p\ndissipation @/2*d'^2\nkinetic @/2*k'^2\nforce 1 on k'\nmass m = @\nforce 1 on m'\n"
        "constraint hc: h = @\nconstraint nc: n' = @\nconstraint ac: a'' = @\nnonideal on ac: l = @\n"
        "constraint yc: y'' = 3/5\nmass y = 1\n";
    for (size_t k = 0; k < KINDS; k++)
        for (unsigned with = 0; with < 2 && kinds[k].kind != VELOCITY; with++) {
            char text[2000] = "";
            motion m;
            if (with) fill_in(text, sizeof text, company[0], "");
            fill_in(text, sizeof text, kinds[k].declared, "");
            fill_in(text, sizeof text, everything, kinds[k].text);
            const int before = check_failures;
            if (motion_read(&m, text)) {
                accelerations(&m, kinds[k].kind, MECH_NATIVE_OFF);
                accelerations(&m, kinds[k].kind, MECH_NATIVE_ON);
            }
            if (check_failures > before) fprintf(stderr, "%s\n", text);
            motion_free(&m);
        }
}

/* An input without parameters, as found: u = sin(2 pi t) on a unit mass from rest gives x(1) = 1/(2 pi). */
static void driven(void)
{
    motion m;
    if (!motion_read(
            &m, "coord x\nkinetic x'^2/2\ninput u = sin(2*pi*t)\nforce u on x'\noutput uu = u\nsimulate until 1\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "x"), 1 / (2 * PI), 1e-9);
    CHECK_NEAR(motion_at(&m, 0.5, "x'"), 1 / PI, 1e-9);
    CHECK_NEAR(motion_at(&m, 0.3, "uu"), sin(0.6 * PI), 1e-14);
    motion_free(&m);
}

int main(void)
{
    sweep();
    paths();
    driven();
    return check_report();
}
