/* The exact Jacobian of the stiff methods against central differences of order 8 of the right-hand side, for
   everything that adds to it: states, gains of every shape, stick, slip, laws that look at multipliers,
   control. */
#include "support/motion.h"
#include "simulate/sim.h"

static double component(mech_sim *s, const double *y, size_t column, double step, size_t row)
{
    double moved[64], f[64];
    memcpy(moved, y, s->ny * sizeof *y);
    moved[column] += step;
    CHECK(sim_rhs(s, s->t + 1e-300, moved, f) == 0);
    return f[row];
}

/* d f_row / d y_column */
static double difference(mech_sim *s, const double *y, size_t column, size_t row)
{
    static const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double h = 4e-3;
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += weight[k] * (component(s, y, column, (k + 1) * h, row) - component(s, y, column, -(k + 1) * h, row));
    return sum / h;
}

static void compare(mech_sim *s, const char *what)
{
    double y[64], J[64 * 64], worst = 0;
    memcpy(y, s->y, s->ny * sizeof *y);
    CHECK(sim_jacobian_create(s) == MECH_OK);
    CHECK(s->method.implicit.derivative != NULL);
    if (!s->method.implicit.derivative) return;
    CHECK(sim_jacobian(s, s->t, y, J) == 0);
    for (size_t c = 0; c + 1 < s->ny; c++)
        for (size_t i = 0; i + 1 < s->ny; i++) {
            const double want = difference(s, y, c, i), got = J[i + c * s->ny];
            const double error = fabs(got - want) / (1 + fabs(want));
            if (error > worst) worst = error;
            if (error > 1e-8) fprintf(stderr, "%s: d f%zu / d y%zu is %.12g, not %.12g\n", what, i, c, want, got);
        }
    CHECK(worst < 1e-8);
    CHECK(!s->sizes.frictions || s->dyn.friction[0].mode.holds == (strncmp(what, "stick", 5) == 0));
    printf("%-34s %.1e\n", what, worst);
}

static void check_with(const char *what, const char *text, const mech_sim_settings *more)
{
    motion m;
    if (!motion_read(&m, text)) return;
    CHECK(motion_derive(&m) == MECH_OK);
    m.settings.method = MECH_METHOD_RK8;
    if (more) {
        m.settings.stabilize = more->stabilize;
        m.settings.damping = more->damping;
        m.settings.stiffness = more->stiffness;
        m.settings.damping_count = more->damping_count;
        m.settings.stiffness_count = more->stiffness_count;
    }
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    const mech_status status = m.sim ? mech_sim_start(m.sim) : MECH_ERR_MEMORY;
    if (status != MECH_OK) fprintf(stderr, "%s: %s\n", what, m.sim ? mech_sim_error_text(m.sim) : "");
    CHECK(status == MECH_OK);
    if (status == MECH_OK) compare(m.sim, what);
    motion_free(&m);
}

static void check(const char *what, const char *text) { check_with(what, text, NULL); }

#define CHAIN                                                                                                          \
    "coord x, y, z\nkinetic (x'^2 + (2 + sin(x))*y'^2 + z'^2)/2 + x'*y'/4\npotential 9.81*z + x^2*y\n"                 \
    "constraint ball: x^2 + y^2 + z^2 = 1\nconstraint roll: x*y' = z'*y + 1/10\n"                                      \
    "initial x = 0.6, y = 0.5, x' = 0.3\nguess z = 0.6\nsimulate until 5\n"

/* r and r' depend on states, r' also by the velocities in their rates. */
#define STATES                                                                                                         \
    "coord x, y, z\nkinetic (x'^2 + (2 + sin(x))*y'^2 + z'^2)/2 + x'*y'/4\npotential 9.81*z + x^2*y\n"                 \
    "state w: w' = -w*x + y'/3\nstate u: u' = cos(y) - u\n"                                                            \
    "constraint ball: x^2 + y^2 + z^2 = 1 + w/5\nconstraint tie: x*w/3 + y*u = z/4 + t/9\n"                            \
    "initial x = 0.6, w = 0.7, u = 0.4, x' = 0.3\nguess z = 0.6, y = 0.5\nsimulate until 5\n"

static void plain(void)
{
    check("plain", CHAIN);
    check("states in the rows", STATES);
    check("state", CHAIN "state w: w' = -w*x + y'\nforce w^2 on z'\ninitial w = 0.7\n");
}

static void gains(void)
{
    static const double B[] = {3, 0.5, -0.7, 5}, K[] = {10, 2, 1, 7};
    for (size_t count = 1; count <= 4; count *= 2) {
        const mech_sim_settings more = {.stabilize = MECH_STABILIZE_EXCESS,
                                        .damping = B,
                                        .stiffness = K,
                                        .damping_count = count,
                                        .stiffness_count = count};
        check_with(count == 1 ? "one gain" : count == 2 ? "gains by row" : "matrices of gains", CHAIN, &more);
        check_with("the same, states in the rows", STATES, &more);
        check_with("the same, law of the ideal part",
                   CHAIN "nonideal on ball: [x, y, z] = -1/10*lambda(ball)*[x', y', z'] + lambda(roll)*[x, 0, 1]\n",
                   &more);
    }
}

static void friction(void)
{
    check("stick", "coord x, y, phi\nkinetic (x'^2 + y'^2 + (1 + x^2)*phi'^2)/2\npotential 9.81*y + x^2/2\n"
                   "constraint floor: y = sin(x)/10\nfriction on floor: 0.9, along x' - y*phi' - 1/2\n"
                   "initial x = 0.1, phi' = 0.4\ninitial x' - y*phi' = 1/2\nsimulate until 5\n");
    check("stick, velocity of a point",
          "coord x, y, z\nlet r = [x, y, z]\nkinetic (dot(r', r') + x*x'*z')/2\npotential 9.81*z + x*y\n"
          "constraint wire: x^2 + z^2 = 1\nconstraint wall: y = x^2/5\nfriction on wire, wall: 0.9, along r'\n"
          "initial x = 0.3\nguess z = -0.9\nsimulate until 1\n");
    check("slip, speed", "coord x, y, theta\nlet tip = [x - cos(theta), y - sin(theta)]\n"
                         "kinetic (x'^2 + y'^2)/2 + theta'^2/6\npotential 9.81*y\nconstraint ground: tip[2] = 0\n"
                         "friction on ground: 0.3 + x^2/10, along tip[1]'\n"
                         "initial theta = 1.3, theta' = 0.2, x = 0.1, x' = -1\nguess y = 1\nsimulate until 1\n");
    check("slip, velocity of a point", "coord x, y, z\nlet r = [x, y, z]\nkinetic dot(r', r')/2\npotential 9.81*z\n"
                                       "constraint wire: x^2 + z^2 = 1\nconstraint wall: y = x^2/5\n"
                                       "friction on wire, wall: 0.2, along r'\n"
                                       "initial x = 0.8, x' = 0.7\nguess z = -0.6\nsimulate until 1\n");
    check("slip in two directions", "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 10*z + x*y\n"
                                    "constraint table: z = 0\nfriction on table: 0.4 + y/20, along [x' - y, y' + x]\n"
                                    "initial x = 0.3, y = 0.2, x' = 3, y' = 4\nsimulate until 2\n");
}

static void laws(void)
{
    check("law of the reaction", CHAIN "nonideal on ball: [x, y, z] = -1/10*reaction(ball)^2*[x', y', z']\n");
    check("law of the ideal part", CHAIN "nonideal on ball: [x, y, z] = -1/10*lambda(ball)*[x', y', z'] + [x, 0, 1]\n");
    check("law of both", CHAIN "nonideal on roll: [x, y, z] = 1/10*[reaction(ball), lambda(roll)*x, reaction(roll)]\n");
    /* stages are projected where M is singular */
    const mech_sim_settings no_projection = {.stabilize = MECH_STABILIZE_NONE};
    check_with(
        "law of the ideal part, no mass",
        "coord x, y, w\nkinetic (x'^2 + (2 + sin(x))*y'^2)/2\npotential 9.81*y + x^2*w\nconstraint link: w = x*y + x\nconstraint bowl: y = x^2/3\n"
        "nonideal on bowl: [x, y] = -1/10*lambda(bowl)*[x', y'] + lambda(link)*[x, 1]/5\ninitial x = 0.6, x' = 0.3\nsimulate until 1\n",
        &no_projection);
    check("law of the state", CHAIN "nonideal on ball: [x, y, z] = -1/10*[x'*y, y'^2, z]\n");
}

#define ARM                                                                                                            \
    "coord a, b, c\nkinetic (a'^2 + (2 + cos(a))*b'^2 + 3*c'^2)/2 + a'*b'*cos(b)/3\npotential 3*sin(a) + "             \
    "b*c\n"                                                                                                            \
    "initial a = 0.4, b = 0.3, a' = 0.5, b' = -0.2, c' = 0.1\nsimulate until 3\n"

static void check_servo(const char *what, const char *text)
{
    static const double B = 60, K = 900;
    const mech_sim_settings more = {
        .stabilize = -1, .damping = &B, .stiffness = &K, .damping_count = 1, .stiffness_count = 1};
    check_with(what, text, &more);
}

/* Off their paths, with gains; and on one without. */
static void control(void)
{
    check_servo("control, nature's weight", ARM "control path: a*b + c = t^2/2 + 1/8\n");
    check_servo("control, states in the rows",
                ARM "state w: w' = -w*b + a'/2\ninitial w = 0.2\ncontrol path: a*b + c = t^2/2 + w*a + w/3\n");
    check_servo("control, identity", ARM "control path: a*b + c = t^2/2 + 1/8 weight identity\n");
    check_servo("control, actuators",
                ARM "actuator a'\nactuator b' - a'\ncontrol path: sin(a) + b = 1/2 + t weight identity\n");
    check_servo("control, turning actuators", ARM "actuator cos(b)*a' + c'\nactuator b' - a*a'\nactuator c'\n"
                                                  "control path: sin(a) + b = 1/2 + t\ncontrol level: c = t\n");
    check_servo("control with a constraint", ARM "coord e\nkinetic e'^2 + e'*a'/5\nconstraint link: a^2 + e = "
                                                 "0.2\nactuator a'\nactuator b' - sin(c)*a'\n"
                                                 "control path: b + a = t + 0.7\n");
    check_servo("control, weights of the state",
                ARM "actuator a'\nactuator b'\n"
                    "control path: sin(a) + b = 1/2 + t weight [[2 + a^2, b], [b, 3]]\n");
    check("control on its path",
          "coord a, b\nkinetic (a'^2 + (2 + cos(a))*b'^2)/2 + a'*b'*cos(b)/3\npotential 3*sin(a)\n"
          "control path: a + a^2*b = t\ninitial b = 0.3, b' = -0.2\nsimulate until 3\n");
}

/* Forces that answer to reactions beside control, which answers to them. */
static void control_with_laws(void)
{
    static const char *const bent = ARM
        "coord e\nkinetic e'^2 + e'*a'/5\nconstraint link: a^2 + e = 0.2\nactuator a' + c'/3\nactuator b' - sin(c)*a'\n"
        "control path: b + a = t + 0.7\n";
    char text[1000];
    snprintf(text, sizeof text, "%snonideal on link: [a, b, e] = -1/10*reaction(link)*[a', b', e'*a]\n", bent);
    check_servo("control with a law of the reaction", text);
    snprintf(text, sizeof text, "%snonideal on link: [a, b, e] = -1/10*[a', b'^2, e'*a]\n", bent);
    check_servo("control with a law of the state", text);
    snprintf(text, sizeof text, "%sfriction on link: 0.3 + b/10, along a' + b*e'\n", bent);
    check_servo("control with friction that slides", text);
    check_servo("control of nature's weight with friction",
                ARM "coord e\nkinetic e'^2 + e'*a'/5\nconstraint link: a^2 + e = 0.2\n"
                    "friction on link: 0.3 + b/10, along a' + b*e'\ncontrol path: b + a = t + 0.7\n");
    check_servo(
        "control with friction in two directions",
        "coord x, y, z\nkinetic (x'^2 + 2*y'^2 + z'^2)/2\npotential 10*z + x*y\nconstraint table: z = x*y/9\n"
        "friction on table: 0.4, along [x' - y, y' + x]\nactuator x'\ncontrol path: x = sin(t)\ninitial x = 0.1, y = 0.2, x' = 2, y' = 1\nsimulate until 2\n");
}

/* What has no exact derivative says so, and names another method. */
static void refusals(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + (1 + x^2)*y'^2)/2\nconstraint line: y = x\n"
                         "nonideal z on line: [x, y] = [-x', 0]\ninitial x' = 1\nsimulate until 1, method bdf\n")) {
        motion_free(&m);
        return;
    }
    CHECK(motion_derive(&m) == MECH_OK);
    CHECK(motion_run(&m) == MECH_ERR_UNSUPPORTED);
    CHECK(strstr(mech_sim_error_text(m.sim), "bdf") && strstr(mech_sim_error_text(m.sim), "given by z") &&
          strstr(mech_sim_error_text(m.sim), "rk8"));
    motion_free(&m);
    if (!motion_read(
            &m, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint line: y = x\nnonideal on line: x = -lambda(line)*x'\n"
                "control path: x = t\ninitial x' = 1\nsimulate until 1, method bdf\n"))
        return;
    CHECK(motion_derive(&m) == MECH_OK);
    CHECK(motion_run(&m) == MECH_ERR_UNSUPPORTED);
    CHECK(strstr(mech_sim_error_text(m.sim), "lambda()") != NULL);
    motion_free(&m);
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\nsimulate until 1, method bdf\n")) return;
    CHECK(motion_run(&m) == MECH_ERR_UNSUPPORTED);
    CHECK(strstr(mech_sim_error_text(m.sim), "with_derivatives") != NULL);
    motion_free(&m);
}

int main(void)
{
    plain();
    gains();
    friction();
    laws();
    control();
    control_with_laws();
    refusals();
    return check_report();
}
