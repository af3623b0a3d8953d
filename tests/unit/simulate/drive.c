/* A run looked at and driven from outside, between its steps. */
#include "support/motion.h"

static const char pendulum[] = "param g = 9.81\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\nconstraint rod: x^2 + y^2 = 1\n"
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
    CHECK(mech_sim_row_now(seen.sim, row) == MECH_ERR_ARGUMENT && mech_sim_outputs_now(seen.sim, outputs) == MECH_ERR_ARGUMENT);
    CHECK(strstr(mech_sim_error_text(seen.sim), "mech_sim_start") != NULL);
    CHECK(mech_sim_start(seen.sim) == MECH_OK);
    CHECK(mech_sim_row_now(seen.sim, row) == MECH_OK && mech_sim_outputs_now(seen.sim, outputs) == MECH_OK);
    CHECK(memcmp(row, mech_trajectory_row(rows, 0), mech_trajectory_columns(rows) * sizeof *row) == 0);
    CHECK_NEAR(outputs[1], -0.8, 1e-14);
    CHECK(mech_sim_advance(seen.sim, 2) == MECH_OK);
    CHECK(mech_sim_row_now(seen.sim, row) == MECH_OK && mech_sim_outputs_now(seen.sim, outputs) == MECH_OK);
    CHECK(memcmp(row, mech_trajectory_row(rows, mech_trajectory_rows(rows) - 1), mech_trajectory_columns(rows) * sizeof *row) == 0);
    CHECK(outputs[0] == row[mech_trajectory_find(rows, "N")] && outputs[1] == row[mech_trajectory_find(rows, "height")]);
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
        CHECK(mech_sim_outputs_now(m.sim, y) == MECH_ERR_NOT_FINITE && strstr(mech_sim_error_text(m.sim), "bad") != NULL);
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

int main(void)
{
    looks();
    copies();
    meets_no_number();
    is_refused_in_rows();
    return check_report();
}
