/* A run looked at and driven from outside, between its steps. */
#include "support/motion.h"

static const char pendulum[] =
    "param g = 9.81\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\nconstraint rod: x^2 + y^2 = 1\n"
    "output N = reaction(rod), height = y\ninitial x = 0.6\nguess y = -0.8\nsimulate until 2, points 7\n";

/* What is told between two advances is the row that the trajectory has there, and looking changes nothing. */
static void looks(void)
{
    motion seen, plain;
    if (!motion_read(&seen, pendulum) || !motion_read(&plain, pendulum)) return;
    motion_must_run(&plain);
    const mech_trajectory *rows = mech_sim_trajectory(plain.sim);
    double row[32], outputs[2];
    seen.settings.columns = plain.settings.columns;
    CHECK(mech_sim_create(seen.system, &seen.settings, &seen.sim) == MECH_OK);
    CHECK(mech_sim_row_now(seen.sim, row) == MECH_ERR_ARGUMENT &&
          mech_sim_outputs_now(seen.sim, outputs) == MECH_ERR_ARGUMENT);
    CHECK(strstr(mech_sim_error_text(seen.sim), "mech_sim_start") != NULL);
    CHECK(mech_sim_start(seen.sim) == MECH_OK);
    CHECK(mech_sim_row_now(seen.sim, row) == MECH_OK && mech_sim_outputs_now(seen.sim, outputs) == MECH_OK);
    CHECK(memcmp(row, mech_trajectory_row(rows, 0), mech_trajectory_columns(rows) * sizeof *row) == 0);
    CHECK_NEAR(outputs[1], -0.8, 1e-14);
    CHECK(mech_sim_advance(seen.sim, 2) == MECH_OK);
    CHECK(mech_sim_row_now(seen.sim, row) == MECH_OK && mech_sim_outputs_now(seen.sim, outputs) == MECH_OK);
    CHECK(memcmp(row, mech_trajectory_row(rows, mech_trajectory_rows(rows) - 1),
                 mech_trajectory_columns(rows) * sizeof *row) == 0);
    CHECK(outputs[0] == row[mech_trajectory_find(rows, "N")] &&
          outputs[1] == row[mech_trajectory_find(rows, "height")]);
    CHECK(mech_trajectory_rows(mech_sim_trajectory(seen.sim)) == mech_trajectory_rows(rows)); /* nothing was recorded */
    motion_free(&seen);
    motion_free(&plain);
}

/* The rows as one block, across the chunks they are kept in. */
static void copies(void)
{
    motion m;
    if (!motion_read(&m, pendulum)) return;
    m.settings.output_points = 700;
    motion_must_run(&m);
    const mech_trajectory *t = mech_sim_trajectory(m.sim);
    const size_t rows = mech_trajectory_rows(t), columns = mech_trajectory_columns(t), y = mech_trajectory_find(t, "y");
    double *all = malloc(rows * columns * sizeof *all), *one = malloc(rows * sizeof *one);
    CHECK(rows == 700);
    mech_trajectory_copy(t, all);
    mech_trajectory_copy_column(t, y, one);
    for (size_t k = 0; k < rows; k++) {
        CHECK(memcmp(all + k * columns, mech_trajectory_row(t, k), columns * sizeof *all) == 0);
        CHECK(one[k] == all[k * columns + y]);
    }
    free(all);
    free(one);
    motion_free(&m);
}

/* An output without a value is told by name, and the run goes on. */
static void meets_no_number(void)
{
    motion m;
    double y[1];
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\noutput bad = 1/(x - 1)\ninitial x' = 1\nsimulate until 2\n")) return;
    m.settings.until = INFINITY;
    m.settings.output_points = 0;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 1) == MECH_OK);
    if (mech_sim_q(m.sim)[0] == 1) {
        CHECK(mech_sim_outputs_now(m.sim, y) == MECH_ERR_NOT_FINITE &&
              strstr(mech_sim_error_text(m.sim), "bad") != NULL);
    }
    CHECK(mech_sim_advance(m.sim, 2) == MECH_OK && mech_sim_outputs_now(m.sim, y) == MECH_OK);
    CHECK_NEAR(y[0], 1, 1e-9);
    motion_free(&m);
}

static mech_status status_in_row;
static int look_in_row(void *user, const double *row, size_t columns)
{
    double now[32];
    (void)row;
    (void)columns;
    motion *m = user;
    if (m->sim && mech_sim_has_started(m->sim)) status_in_row = mech_sim_row_now(m->sim, now);
    return 0;
}

static void is_refused_in_rows(void)
{
    motion m;
    if (!motion_read(&m, pendulum)) return;
    m.settings.on_row = look_in_row;
    m.settings.user = &m;
    status_in_row = MECH_OK;
    motion_must_run(&m);
    CHECK(status_in_row == MECH_ERR_ARGUMENT);
    motion_free(&m);
}

/* ---- driving ---- */

static int started(motion *m, const char *text, double until)
{
    if (!motion_read(m, text)) return 0;
    m->settings.until = until;
    m->settings.output_points = isinf(until) ? 0 : 11;
    CHECK(mech_sim_create(m->system, &m->settings, &m->sim) == MECH_OK && mech_sim_start(m->sim) == MECH_OK);
    return 1;
}

static size_t index_of(const motion *m, mech_item item, const char *name)
{
    return mech_system_find(m->system, item, name);
}

/* y'' = u - g, u and g changed on the way: parabolas. */
static void sets_input_and_param(void)
{
    motion m;
    double y = 0, v = 2, u = 1, g = 10, t = 0;
    if (!started(&m,
                 "param g = 10\ncoord y\ninput u = 0\nkinetic y'^2/2\npotential g*y\nforce u on y'\ninitial y' = 2\n",
                 INFINITY))
        return;
    const size_t input = index_of(&m, MECH_ITEM_INPUT, "u"), param = index_of(&m, MECH_ITEM_PARAM, "g");
    for (int k = 0; k < 50; k++) {
        const double h = 0.01 * (1 + k % 3);
        if (k % 2) u = sin(3.0 * k);
        if (k % 5 == 0) g = 5 + k % 7;
        CHECK(mech_sim_set_input(m.sim, input, u) == MECH_OK && mech_sim_set_param(m.sim, param, g) == MECH_OK);
        CHECK(mech_sim_advance(m.sim, t += h) == MECH_OK);
        y += v * h + (u - g) * h * h / 2;
        v += (u - g) * h;
        CHECK_NEAR(mech_sim_q(m.sim)[0], y, 1e-13);
        CHECK_NEAR(mech_sim_v(m.sim)[0], v, 1e-13);
    }
    CHECK(mech_sim_info_get(m.sim).balance_error < 1e-11);
    motion_free(&m);
}

/* A pendulum whose rod is let go flies; caught again where the rod is met it goes on round it with the part of its
   speed along the circle. */
static void sets_active(void)
{
    motion m;
    if (!started(&m,
                 "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1, y = 0, y' = 1\n",
                 INFINITY))
        return;
    CHECK(mech_sim_advance(m.sim, 0.5) == MECH_OK); /* no weight: at the angle 0.5 */
    CHECK_NEAR(mech_sim_q(m.sim)[0], cos(0.5), 1e-10);
    CHECK(mech_sim_set_active(m.sim, 0, 0) == MECH_OK && mech_sim_advance(m.sim, 1.5) == MECH_OK);
    CHECK_NEAR(mech_sim_q(m.sim)[0], cos(0.5) - sin(0.5), 1e-10); /* straight on for 1 */
    CHECK_NEAR(mech_sim_q(m.sim)[1], sin(0.5) + cos(0.5), 1e-10);
    const double q[2] = {0, 1}, v[2] = {-0.8, 0.6};
    CHECK(mech_sim_set_state(m.sim, q, v, NULL) == MECH_OK && mech_sim_set_active(m.sim, 0, 1) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 2.5) == MECH_OK);
    CHECK_NEAR(mech_sim_q(m.sim)[0], -sin(0.8), 1e-10);
    CHECK_NEAR(mech_sim_q(m.sim)[1], cos(0.8), 1e-10);
    const mech_sim_info info = mech_sim_info_get(m.sim);
    CHECK_NEAR(info.event_energy, 0.32 - 0.5, 1e-9); /* the catch takes the speed along the rod */
    CHECK(info.balance_error < 1e-9);
    motion_free(&m);
}

/* x'' = -4 x from another state at t = 1; a state beside its constraint is moved onto it. */
static void sets_state(void)
{
    motion m;
    const double x = 0.25, v = 3, z = 2;
    if (started(&m, "coord x\nstate w: w' = -w\nkinetic x'^2/2\npotential 2*x^2\ninitial x = 1, w = 1\n", INFINITY)) {
        CHECK(mech_sim_advance(m.sim, 1) == MECH_OK && mech_sim_set_state(m.sim, &x, &v, &z) == MECH_OK);
        CHECK(mech_sim_q(m.sim)[0] == x && mech_sim_v(m.sim)[0] == v && mech_sim_states(m.sim)[0] == z &&
              mech_sim_time(m.sim) == 1);
        CHECK_NEAR(mech_sim_info_get(m.sim).event_energy, (9 + 4 * 0.0625) / 2 - 2, 1e-9);
        CHECK(mech_sim_advance(m.sim, 2) == MECH_OK);
        CHECK_NEAR(mech_sim_q(m.sim)[0], 0.25 * cos(2.0) + 1.5 * sin(2.0), 1e-9);
        CHECK_NEAR(mech_sim_states(m.sim)[0], 2 * exp(-1.0), 1e-9);
        CHECK(mech_sim_set_state(m.sim, NULL, &v, NULL) == MECH_OK && mech_sim_v(m.sim)[0] == 3);
        CHECK(mech_sim_set_state(m.sim, &(double){NAN}, NULL, NULL) == MECH_ERR_ARGUMENT);
        CHECK_TEXT(mech_sim_error_text(m.sim), "a run cannot go on with x = nan");
        CHECK(mech_sim_advance(m.sim, 3) == MECH_OK);
        CHECK(mech_sim_info_get(m.sim).balance_error < 1e-8);
    }
    motion_free(&m);
    if (started(&m, pendulum, 2)) {
        const double q[2] = {1.2, -1.6}, w[2] = {1, 1};
        CHECK(mech_sim_set_state(m.sim, q, w, NULL) == MECH_OK);
        CHECK_NEAR(mech_sim_q(m.sim)[0], 0.6, 1e-10);
        CHECK_NEAR(mech_sim_q(m.sim)[1], -0.8, 1e-10);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 0.8 * 1.4, 1e-9); /* the part along the circle, (0.8, 0.6) */
        CHECK_NEAR(mech_sim_v(m.sim)[1], 0.6 * 1.4, 1e-9);
    }
    motion_free(&m);
    if (motion_read(&m, pendulum)) { /* before the start: the start */
        const double q[2] = {1, 0};
        CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK &&
              mech_sim_set_state(m.sim, q, NULL, NULL) == MECH_OK);
        CHECK(mech_sim_start(m.sim) == MECH_OK && mech_sim_q(m.sim)[0] == 1 && mech_sim_q(m.sim)[1] == 0);
    }
    motion_free(&m);
}

/* A trigger that jumps over 0 with what is set has passed it: an event on an input is a command. A state put beyond it
   has not. */
static void commands(void)
{
    motion m;
    double n = 0;
    if (!started(
            &m,
            "param edge = 5\ncoord x\ninput u = 0\nkinetic x'^2/2\nstate n: n' = 0\nevent on: u rises through 0.5 -> set n = n + 1\n"
            "event off: u falls through 0.5 -> set n = n + 10\nevent over: x rises through edge -> set n = n + 100\ninitial x = 1\n",
            INFINITY))
        return;
    for (int k = 1; k <= 30; k++) {
        const int is = k % 3 == 0;
        CHECK(mech_sim_set_input(m.sim, 0, is) == MECH_OK && mech_sim_advance(m.sim, 0.1 * k) == MECH_OK);
        n += is ? 1 : k % 3 == 1 && k > 1 ? 10 : 0;
        CHECK(mech_sim_states(m.sim)[0] == n);
    }
    CHECK(mech_sim_set_param(m.sim, 0, 0.5) == MECH_OK && mech_sim_advance(m.sim, 3.1) == MECH_OK &&
          mech_sim_states(m.sim)[0] == (n += 100));
    const double beyond = -7, back = 7;
    CHECK(mech_sim_set_state(m.sim, &beyond, NULL, NULL) == MECH_OK && mech_sim_advance(m.sim, 3.2) == MECH_OK);
    CHECK(mech_sim_set_state(m.sim, &back, NULL, NULL) == MECH_OK && mech_sim_advance(m.sim, 3.3) == MECH_OK);
    CHECK(mech_sim_states(m.sim)[0] == n);
    /* both at once: the input is a command, the state is none */
    CHECK(mech_sim_set_input(m.sim, 0, 0) == MECH_OK && mech_sim_set_state(m.sim, &beyond, NULL, NULL) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 3.4) == MECH_OK && mech_sim_states(m.sim)[0] == (n += 10));
    CHECK(mech_sim_set_input(m.sim, 0, 1) == MECH_OK && mech_sim_set_state(m.sim, &back, NULL, NULL) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 3.5) == MECH_OK && mech_sim_states(m.sim)[0] == (n += 1));
    CHECK(mech_sim_q(m.sim)[0] == back);
    motion_free(&m);
}

/* A constraint is put in force or taken out, and the state elsewhere, at once: what looks at the constraint jumps, also
   at its force, 3 while it holds x. What looks at the place does not; a body that rests on a floor is lifted off it. */
static void commands_and_places(void)
{
    motion m;
    const double up[2] = {0, 1}, low[2] = {0, 0}, rest[2] = {0, 0};
    if (!started(&m,
                 "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce 3 on x'\nforce -1 on y'\nconstraint c: x = 0\n"
                 "constraint floor: y >= 0\nstate n: n' = 0\nevent off: active(c) falls through 0.5 -> set n = n + 1\n"
                 "event on: active(c) rises through 0.5 -> set n = n + 10\n"
                 "event slack: force(c, x) rises through -1 -> set n = n + 100\n"
                 "event high: y rises through 0.5 -> set n = n + 1000\noutput N = reaction(floor)\n",
                 INFINITY))
        return;
    const size_t c = index_of(&m, MECH_ITEM_CONSTRAINT, "c");
    CHECK(mech_sim_advance(m.sim, 1) == MECH_OK && mech_sim_states(m.sim)[0] == 0);
    CHECK(mech_sim_set_active(m.sim, c, 0) == MECH_OK && mech_sim_set_state(m.sim, up, rest, NULL) == MECH_OK);
    CHECK(mech_sim_states(m.sim)[0] == 101);
    CHECK_NEAR(mech_sim_q(m.sim)[1], 1, 1e-12);
    CHECK(mech_sim_advance(m.sim, 2) == MECH_OK && mech_sim_states(m.sim)[0] == 101);
    CHECK_NEAR(mech_sim_q(m.sim)[0], 1.5, 1e-10);
    CHECK_NEAR(mech_sim_q(m.sim)[1], 0.5, 1e-10);
    CHECK(mech_sim_set_active(m.sim, c, 1) == MECH_OK && mech_sim_set_state(m.sim, low, rest, NULL) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 3) == MECH_OK && mech_sim_states(m.sim)[0] == 111);
    CHECK_NEAR(mech_sim_q(m.sim)[0], 0, 1e-12);
    CHECK_NEAR(mech_sim_q(m.sim)[1], 0, 1e-12);
    motion_free(&m);
}

static void refuses(void)
{
    motion m;
    CHECK(mech_sim_set_input(NULL, 0, 1) == MECH_ERR_ARGUMENT && mech_sim_set_param(NULL, 0, 1) == MECH_ERR_ARGUMENT);
    CHECK(mech_sim_set_active(NULL, 0, 1) == MECH_ERR_ARGUMENT &&
          mech_sim_set_state(NULL, NULL, NULL, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_sim_reset(NULL) == MECH_ERR_ARGUMENT);
    if (!started(&m, pendulum, 2)) return;
    CHECK(mech_sim_set_input(m.sim, 0, 1) == MECH_ERR_ARGUMENT &&
          strstr(mech_sim_error_text(m.sim), "no such input") != NULL);
    CHECK(mech_sim_set_param(m.sim, 9, 1) == MECH_ERR_ARGUMENT &&
          strstr(mech_sim_error_text(m.sim), "no such parameter") != NULL);
    CHECK(mech_sim_set_param(m.sim, 0, INFINITY) == MECH_ERR_NOT_FINITE &&
          strstr(mech_sim_error_text(m.sim), "g") != NULL);
    CHECK(mech_sim_set_active(m.sim, 1, 1) == MECH_ERR_ARGUMENT &&
          strstr(mech_sim_error_text(m.sim), "no such constraint") != NULL);
    CHECK(mech_sim_advance(m.sim, 1) == MECH_OK); /* it stands as it was */
    motion_free(&m);
}

/* ---- reset ---- */

/* After a failure, from another start and with another parameter: as a new run. */
static void resets(void)
{
    motion m;
    const double x = 2;
    if (!motion_read(
            &m,
            "param k = 4\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\nforce if(t > 0.5, 1, 0)*sqrt(k - 4) on x'\ninitial x = 1\nsimulate until 1\n"))
        return;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    CHECK(mech_sim_run(m.sim) == MECH_OK);
    CHECK_NEAR(mech_sim_q(m.sim)[0], cos(2.0), 1e-9);
    CHECK(mech_sim_reset(m.sim) == MECH_OK && mech_sim_set_param(m.sim, 0, 1) == MECH_OK &&
          mech_sim_run(m.sim) == MECH_ERR_NOT_FINITE);
    CHECK(mech_sim_set_param(m.sim, 0, 4) != MECH_OK);
    CHECK(mech_sim_reset(m.sim) == MECH_OK && !*mech_sim_error_text(m.sim) &&
          mech_trajectory_rows(mech_sim_trajectory(m.sim)) == 0);
    CHECK(mech_sim_set_param(m.sim, 0, 4) == MECH_OK && mech_sim_set_start(m.sim, &x, NULL, NULL, 0) == MECH_OK &&
          mech_sim_run(m.sim) == MECH_OK);
    CHECK_NEAR(mech_sim_q(m.sim)[0], 2 * cos(2.0), 1e-9);
    CHECK(mech_trajectory_rows(mech_sim_trajectory(m.sim)) == 11);
    CHECK(mech_sim_reset(m.sim) == MECH_OK && mech_sim_run(m.sim) == MECH_OK); /* the start that was given stays */
    CHECK_NEAR(mech_sim_q(m.sim)[0], 2 * cos(2.0), 1e-9);
    motion_free(&m);
}

/* Constraints in force go back to those of the start, whatever events or the caller did. */
static void resets_constraints(void)
{
    motion m;
    if (!started(
            &m,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\nevent edge: x rises through 1 -> release floor\ninitial x' = 1\n",
            2))
        return;
    for (int turn = 0; turn < 3; turn++) {
        CHECK(mech_sim_run(m.sim) == MECH_OK);
        CHECK_NEAR(mech_sim_q(m.sim)[1], -5, 1e-9);
        CHECK(mech_sim_reset(m.sim) == MECH_OK);
    }
    motion_free(&m);
}

/* ---- without an end ---- */

#ifdef __SANITIZE_ADDRESS__
enum { TURNS = 50000 };
#else
enum { TURNS = 1000000 };
#endif

static void goes_on_for_ever(void)
{
    motion m;
    if (!started(&m, "coord x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\nsimulate until 1, method rk5\n",
                 INFINITY))
        return;
    for (int k = 1; k <= TURNS; k++)
        if (mech_sim_advance(m.sim, 1e-3 * k) != MECH_OK) {
            fprintf(stderr, "%s\n", mech_sim_error_text(m.sim));
            CHECK(0);
            break;
        }
    CHECK_NEAR(mech_sim_q(m.sim)[0], cos(1e-3 * TURNS), 1e-9);
    CHECK(mech_sim_info_get(m.sim).seconds == 0); /* advances are not timed */
    motion_free(&m);
}

/* A servo keeps its gains, whatever the length of the run, from the first millisecond on and after every change. */
static void keeps_its_gains(void)
{
    static const char servo[] = "param m = 1\ncoord x\nkinetic m*x'^2/2\nactuator motor: x'\ncontrol path: x = 0\n"
                                "stabilize excess on path, B = 200, K = 10000\ninitial x = 1\n";
    motion fine, coarse, finite;
    double t = 0;
    if (!started(&fine, servo, INFINITY) || !started(&coarse, servo, INFINITY) || !started(&finite, servo, 1)) return;
    for (int k = 1; k <= 50; k++) {
        CHECK(mech_sim_set_param(fine.sim, 0, 1 + k % 2) == MECH_OK &&
              mech_sim_advance(fine.sim, t = 1e-3 * k) == MECH_OK);
        CHECK(mech_sim_set_param(finite.sim, 0, 1 + k % 2) == MECH_OK && mech_sim_advance(finite.sim, t) == MECH_OK);
    }
    CHECK(mech_sim_advance(coarse.sim, t) == MECH_OK);
    /* x'' = -200 x' - 1e4 x, whatever the mass is */
    const double exact = (1 + 100 * t) * exp(-100 * t);
    const int starts_on_path = mech_sim_move_count(coarse.sim) > 0;
    if (!starts_on_path) {
        CHECK_NEAR(mech_sim_q(coarse.sim)[0], exact, 1e-9);
        CHECK_NEAR(mech_sim_q(fine.sim)[0], exact, 1e-9);
        CHECK_NEAR(mech_sim_q(finite.sim)[0], exact, 1e-9);
    }
    CHECK(!starts_on_path);
    motion_free(&fine);
    motion_free(&coarse);
    motion_free(&finite);
}

/* Code does not know the gains of excess variables: it is refused, also where only the model asks for them. */
static void has_no_code_for_excess(void)
{
    motion m;
    if (!motion_read(
            &m,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\nstabilize excess\ninitial x = 1\nsimulate until 1\n"))
        return;
    mech_motion_code *code = NULL;
    CHECK(mech_motion_code_create(m.system, NULL, &code) == MECH_OK &&
          mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    CHECK(mech_sim_use_motion(m.sim, code) == MECH_ERR_UNSUPPORTED);
    mech_motion_code_free(code);
    motion_free(&m);
}

static int stops_after(void *user, double t, double from, double until)
{
    size_t *left = user;
    (void)t, (void)from, (void)until;
    return (*left)-- == 0;
}

static mech_status oscillates(double until, size_t steps)
{
    motion m;
    if (!motion_read(&m,
                     "param k = 4e7\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\ninitial x = 1\nsimulate until 1\n"))
        return MECH_ERR_MODEL;
    m.settings.until = until;
    m.settings.output_points = isinf(until) ? 0 : 2;
    m.settings.on_progress = stops_after;
    m.settings.user = &steps;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    const mech_status status = mech_sim_advance(m.sim, 1e8);
    CHECK(status != MECH_ERR_INTEGRATION || strstr(mech_sim_error_text(m.sim), "100000 steps took the clock only"));
    motion_free(&m);
    return status;
}

/* A run without an end may be taken far by one call: its steps do not stand still because they are short beside that.
   Of a run that has an end as far away they do: it would never come there. */
static void goes_far(void)
{
    CHECK(oscillates(INFINITY, 250000) == MECH_ERR_INTERRUPTED);
    CHECK(oscillates(1e8, 250000) == MECH_ERR_INTEGRATION);
}

int main(void)
{
    looks();
    copies();
    meets_no_number();
    is_refused_in_rows();
    sets_input_and_param();
    sets_active();
    sets_state();
    commands();
    commands_and_places();
    refuses();
    resets();
    resets_constraints();
    goes_on_for_ever();
    goes_far();
    keeps_its_gains();
    has_no_code_for_excess();
    return check_report();
}
