/* First-order states in constraints: phi(t, q, z) = 0 has phi' = phi_q v + phi_z z'(t, q, v, z) + phi_t. Against the
   same motion written without states, and closed forms. */
#include "support/motion.h"

/* A state with a closed form, s = cos(2t)/4, in place of the function itself: the same motion in as many steps, and no
   more drift. */
static void same_as_a_function(void)
{
    static const char *const texts[] = {
        "coord x, y, w\nkinetic (x'^2 + y'^2 + 2*w'^2)/2\npotential (x - 1)^2 + y^2/2 + w^2\n"
        "constraint c: y = cos(2*t)/4 + sin(x)/2\nsimulate until 50, points 501\n",
        "coord x, y, w\nkinetic (x'^2 + y'^2 + 2*w'^2)/2\npotential (x - 1)^2 + y^2/2 + w^2\n"
        "state s: s' = -sin(2*t)/2\ninitial s = 1/4\nconstraint c: y = s + sin(x)/2\nsimulate until 50, points 501\n"};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                          MECH_METHOD_IRK};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        double x[2] = {0, 0}, steps[2] = {0, 0};
        for (int i = 0; i < 2; i++) {
            motion m;
            if (!motion_read(&m, texts[i])) return;
            if (motion_derive(&m) != MECH_OK) CHECK(0);
            motion_settings(&m, 1e-8);
            m.settings.method = methods[k];
            if (motion_may_run(&m)) {
                const mech_sim_info info = mech_sim_info_get(m.sim);
                x[i] = motion_end(&m, "x");
                steps[i] = (double)info.steps;
                CHECK(info.raw_phi < 1e-5 && info.raw_velocity < 1e-5);
            }
            motion_free(&m);
        }
        CHECK_NEAR(x[0], x[1], 1e-5);
        CHECK(steps[1] <= 1.2 * steps[0]);
    }
}

static const mech_method all_methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                          MECH_METHOD_IRK};

/* Runs a text by one method (of all_methods) or by code made at the start. 0: the method is not there. */
static int run_by(motion *m, const char *text, size_t k)
{
    if (!motion_read(m, text)) return 0;
    if (motion_derive(m) != MECH_OK) CHECK(0);
    motion_settings(m, 1e-10);
    m->settings.columns = MECH_COLUMNS_MULTIPLIERS | MECH_COLUMNS_FORCES;
    if (k < 5) {
        m->settings.method = all_methods[k];
        return motion_may_run(m);
    }
    mech_motion_settings code;
    mech_motion_settings_default(&code, sizeof code);
    code.native = MECH_NATIVE_OFF; /* the interpreter's tape: the same graph */
    CHECK(mech_sim_create(m->system, &m->settings, &m->sim) == MECH_OK && mech_sim_start(m->sim) == MECH_OK);
    code.t = mech_sim_time(m->sim);
    code.q = mech_sim_q(m->sim);
    code.v = mech_sim_v(m->sim);
    code.z = mech_sim_states(m->sim);
    code.with_power = code.with_check = 1;
    CHECK(motion_use_code(m, &code) == MECH_OK);
    CHECK(mech_sim_run(m->sim) == MECH_OK);
    return 1;
}

/* Rates that hold velocities: A is d phi'/dv, and the gradient of phi is another row. Closed forms. */
static void closed_forms(void)
{
    static const struct {
        const char *text;
        double x, y, vx, vy; /* at t = 2 */
    } cases[] = {
        /* x' = 2 y' by the rate; y = 1/2 at the start as s says. (1, 3) + lambda (1, -2) with lambda = 1 */
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nstate s: s' = 3*y' - x'\nconstraint c: y = s\nforce 1 on x'\nforce 3 on y'\n"
         "initial s = 0.5, x = 0.3\nsimulate until 2\n",
         4.3, 2.5, 4, 2},
        /* y' = x', both accelerated by the mean force 2; x = 0 is not moved */
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nstate s: s' = x'\nconstraint c: y = s\nforce 1 on x'\nforce 3 on y'\n"
         "initial x' = 1, s = 0.5\nsimulate until 2\n",
         6, 6.5, 5, 5},
        /* a clutch that closes at t = 1: y is put where s is, 1, and half the speed is lost to each */
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nstate s: s' = x'\nconstraint c: y = s\ninitial x' = 1, y = 3\ninitial release c\n"
         "event on: t rises through 1 -> impose c\nsimulate until 2\n",
         1.5, 1.5, 0.5, 0.5},
        /* a law on a place that a state carries along: x + s moves twice as fast as x */
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nstate s: s' = x'\nconstraint floor: y = 0\nnonideal on floor: x + s = -1/2\ninitial x' = 5\n"
         "simulate until 2\n",
         8, 0, 3, 0},
        /* y moves s as well and drops out of phi' = x'; to lie on phi, x and y share the way. More rows stand behind.
           */
        {"coord x, y, w\nkinetic (x'^2 + y'^2 + w'^2)/2\nstate s: s' = y'\nconstraint c: x + y = s\nconstraint d: w = 0\n"
         "initial s = 2, y' = 1\nsimulate until 2\n",
         1, 3, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 6; k++) {
            motion m;
            if (run_by(&m, cases[i].text, k)) {
                CHECK_NEAR(motion_end(&m, "x"), cases[i].x, 1e-8);
                CHECK_NEAR(motion_end(&m, "y"), cases[i].y, 1e-8);
                CHECK_NEAR(motion_end(&m, "x'"), cases[i].vx, 1e-8);
                CHECK_NEAR(motion_end(&m, "y'"), cases[i].vy, 1e-8);
                CHECK(mech_sim_info_get(m.sim).phi < 1e-8);
            }
            motion_free(&m);
        }
}

/* What a state integrates may as well be said of the velocities: y = s with s' = f is y' = f, in the motion and in
   every force. */
static void same_as_velocities(void)
{
    static const char *const rates[] = {"w*x'", "x'^2/3 + w'", "sin(x)*w' - y/2 + t*x'", "cos(w)*y' + x"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (size_t k = 0; k < 6; k++) {
            static const char *const columns[] = {"x",         "y",           "w",           "x'", "w'",
                                                  "lambda(c)", "force(c, x)", "force(c, w)", "fx", "fw"};
            double end[2][10] = {{0}};
            int has_run = 1;
            for (int form = 0; form < 2; form++) {
                char text[600];
                motion m;
                snprintf(
                    text, sizeof text,
                    "coord x, y, w\nkinetic (x'^2 + y'^2 + 2*w'^2)/2 + x'*w'/5\npotential x^2 + w^2/2 + x*w/3\nforce sin(t) on w'\n%s%s%s\n"
                    "initial x = 0.3, w = 1, x' = 0.5, w' = -0.2\noutput fx = force(c, x), fw = force(c, w)\nsimulate until 2\n",
                    form ? "state s: s' = " : "constraint c: y' = ", rates[i], form ? "\nconstraint c: y = s" : "");
                if (!run_by(&m, text, k)) has_run = 0;
                for (size_t c = 0; has_run && c < 10; c++) end[form][c] = motion_end(&m, columns[c]);
                motion_free(&m);
            }
            for (size_t c = 0; has_run && c < 10; c++) /* no column where A has no entry */
                if (!isnan(end[0][c]) || !isnan(end[1][c])) CHECK_NEAR(end[0][c], end[1][c], 1e-6);
            if (i < 3) CHECK_NEAR(end[1][6], end[1][8], 1e-12); /* the column and the output are one force */
        }
}

/* A floor y = 0 written as y = s with s' = 2 y', from s = 2 at y = 1: the gap phi = y - s = -y opens as y rises, though
   its gradient is 1. */
static void contact(void)
{
    for (size_t k = 0; k < 5; k++) {
        motion m;
        if (run_by(
                &m,
                "param e = 0.5\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nstate s: s' = 2*y'\nconstraint floor: y = s\n"
                "initial y = 1, s = 2, x' = 1\nevent hit: y - s rises through 0 -> impact floor restitution e\n"
                "output N = force(floor, y)\nsimulate until 3\n",
                k)) {
            /* it strikes, and leaves with half of it; at 0.8 it has struck once */
            const double first = sqrt(0.2), speed = 10 * first;
            CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 0), first, 1e-7);
            CHECK_NEAR(motion_at(&m, 0.6, "y"), speed / 2 * (0.6 - first) - 5 * (0.6 - first) * (0.6 - first), 1e-6);
            CHECK_NEAR(motion_end(&m, "y"), 0, 1e-6); /* all bounces take sqrt(0.2)*(1 + 2) = 1.34 */
            CHECK_NEAR(motion_end(&m, "N"), 10, 1e-6);
            CHECK_NEAR(motion_end(&m, "x"), 3, 1e-6);
        }
        motion_free(&m);
    }
}

/* A state that stands in the energy of motion is set at t = 1: velocities stay, as those of a stage that drops off, and
   the momentum dL/dq' jumps: that is noted, with the velocity that keeps it. By hand: of (x' + w)^2/2 it is x' + w, of
   (1 + z) x'^2/2 with x = y it is (2 + z) x' in all. Nothing is noted where it stays (what rests, or is led by a
   constraint whatever its mass), or where the velocity is set as well. */
static void set_in_kinetic(void)
{
    static const struct {
        const char *text;
        double x, v; /* at t = 2 */
        const char *note;
    } cases[] = {
        {"state w: w' = 0\nstate z: z' = w\nkinetic (x + z)'^2/2\nevent e: t rises through 1 -> set w = 1\n", 0, 0,
         "event e sets w, and velocities stay: the momentum dL/dx' jumps by 1. Where it is to stay, set the velocity as "
         "well: x' = -1 keeps it here"},
        {"state w: w' = 0\nstate z: z' = w\nkinetic (x + z)'^2/2\nevent e: t rises through 1 -> set w = 1, set x' = -1\n",
         -1, -1, NULL},
        {"input w = if(t < 1, 0, 1)\nstate z: z' = w\nkinetic (x + z)'^2/2\n", -1, -1, NULL},
        {"state z: z' = 0\nkinetic (1 + z)*x'^2/2\nevent e: t rises through 1 -> set z = 1\ninitial x' = 1\n", 2, 1,
         "the momentum dL/dx' jumps by 1. Where it is to stay, set the velocity as well: x' = 0.5 keeps"},
        {"state z: z' = 0\nkinetic (1 + z)*x'^2/2\nevent e: t rises through 1 -> set z = 1\n", 0, 0, NULL},
        {"state z: z' = 0\nkinetic (1 + z)*x'^2/2\nevent e: t rises through 1 -> set z = z\n"
         "initial x' = 1\n",
         2, 1, NULL},
        {"state z: z' = 0\nkinetic (1 + z)*x'^2/2\nconstraint c: x = y\nevent e: t rises through 1 -> set z = 1\n"
         "initial x' = 1\n",
         2, 1, "the momentum dL/dx' jumps by 1. Where it is to stay, set the velocity as well: x' = 0.666667 keeps"},
        {"state z: z' = 0\nkinetic (1 + z)*x'^2/2\nconstraint c: x = t\nevent e: t rises through 1 -> set z = 1\n", 2,
         1, NULL},
        {"state z: z' = 0\nkinetic x'^2/2\npotential z*y\nevent e: t rises through 1 -> set z = 1\ninitial x' = 1\n", 2,
         1, NULL},
        {"state z: z' = 0\nkinetic (1 + z^2)*x'^2/2\nevent e: t rises through 0.5 -> set z = 1\n"
         "event f: t rises through 1 -> set z = 0\ninitial x' = 1\n",
         2, 1, "the momentum dL/dx' jumps by -1."},
        {"state z: z' = 0\nkinetic (1 + sin(3*t)^2)*(1 + z)*x'^2/2\nforce 3*sin(6*t)*(1 + z)*x' on x'\n"
         "event e: t rises through 1 -> set z = 1\nevent f: x rises through 1.5 -> set z = 2\ninitial x' = 1\n",
         2, 1, "event f sets z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        motion m;
        char text[400];
        size_t notes = 0;
        int is_said = 0;
        snprintf(text, sizeof text, "coord x, y\nkinetic y'^2/2\n%ssimulate until 2\n", cases[i].text);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x"), cases[i].x, 1e-9);
        CHECK_NEAR(motion_end(&m, "x'"), cases[i].v, 1e-9);
        for (size_t k = 0; k < mech_sim_log_count(m.sim); k++) {
            const mech_log_entry h = mech_sim_log_get(m.sim, k);
            notes += h.kind == MECH_LOG_NOTE;
            is_said |= h.kind == MECH_LOG_NOTE && cases[i].note && strstr(h.text, cases[i].note);
        }
        CHECK((notes > 0) == (cases[i].note != NULL) && is_said == (cases[i].note != NULL));
        motion_free(&m);
    }
}

/* Where two rows hold x and y, in whatever directions, nothing could keep the momentum: what rounding leaves of a
   change is no reason for a note. */
static void held_by_rows(void)
{
    for (int i = 1; i <= 12; i++) {
        motion m;
        char text[400];
        const double a = 1. / (i + 2), b = 0.7, c = 1. / (i + 6), d = -0.3;
        snprintf(text, sizeof text,
                 "coord x, y\nstate z: z' = 0\nkinetic (1 + z)*x'^2/2 + y'^2/2\nconstraint one: %.17g*x + %.17g*y = t\n"
                 "constraint two: %.17g*x + %.17g*y = 0.3*t\ninitial z = 1\nevent e: t rises through 1 -> set z = 2.3\n"
                 "simulate until 2\n",
                 a, b, c, d);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x'"), (d - 0.3 * b) / (a * d - b * c), 1e-9);
        CHECK(motion_count(&m, MECH_LOG_EVENT) == 1 && motion_count(&m, MECH_LOG_NOTE) == 0);
        motion_free(&m);
    }
}

/* Once of each event, however often it happens; what a C program sets between two advances is its own affair. */
static void noted_once(void)
{
    motion m;
    if (!motion_read(&m, "coord x\nstate z: z' = 0\nkinetic (1 + z)*x'^2/2\n"
                         "event e: sin(7*t) crosses through 0 -> set z = z + 1\ninitial x' = 1\nsimulate until 3\n"))
        return;
    motion_must_run(&m);
    CHECK(motion_count(&m, MECH_LOG_EVENT) == 6 && motion_count(&m, MECH_LOG_NOTE) == 1);
    CHECK_NEAR(motion_end(&m, "x"), 3, 1e-9);
    motion_free(&m);
    if (!motion_read(&m, "coord x\nstate z: z' = 0\nkinetic (1 + z)*x'^2/2\ninitial x' = 1\nsimulate until 3\n"))
        return;
    CHECK(mech_sim_create(m.system, NULL, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 1) == MECH_OK && mech_sim_set_state(m.sim, NULL, NULL, (double[]){1}) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 2) == MECH_OK && motion_count(&m, MECH_LOG_NOTE) == 0);
    CHECK_NEAR(mech_sim_v(m.sim)[0], 1, 1e-12);
    motion_free(&m);
}

/* `energy` in an action is what the model has there: a ball that falls from 1 m keeps 9.81, half of it in motion at
   half the height. */
static void energies_in_actions(void)
{
    motion m;
    if (!motion_read(&m,
                     "coord y\nstate E: E' = 0\nstate T: T' = 0\nstate V: V' = 0\nkinetic y'^2/2\npotential 9.81*y\n"
                     "initial y = 1\nevent half: y falls through 0.5 -> set E = energy, set T = kinetic, set V = "
                     "potential\nsimulate until 0.4\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "E"), 9.81, 1e-11);
    CHECK_NEAR(motion_end(&m, "T"), 9.81 / 2, 1e-11);
    CHECK_NEAR(motion_end(&m, "V"), 9.81 / 2, 1e-11);
    motion_free(&m);
}

/* The column of the balance: what the energy misses of its start and the work of the forces. A brake takes energy, and
   none is missing. */
static void balance_of_rows(void)
{
    motion m;
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\nforce -x' on x'\ninitial x' = 1\nsimulate until 1\n")) return;
    m.settings.columns = MECH_COLUMNS_RESIDUALS;
    motion_must_run(&m);
    for (int i = 0; i <= 10; i++) {
        CHECK_NEAR(motion_at(&m, 0.1 * i, "equation.h"), exp(-0.2 * i) / 2, 1e-10);
        CHECK_NEAR(motion_at(&m, 0.1 * i, "equation.balance"), 0, 1e-10);
    }
    motion_free(&m);
}

int main(void)
{
    energies_in_actions();
    balance_of_rows();
    set_in_kinetic();
    noted_once();
    held_by_rows();
    closed_forms();
    same_as_velocities();
    contact();
    same_as_a_function();
    return check_report();
}
