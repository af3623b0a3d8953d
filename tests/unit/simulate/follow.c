/* Rows that follow the motion: a straight line between two of them misses x(t) by little, where 101 rows would show
   another motion. Closed forms. */
#include "check.h"

#include <mech/easy.h>

#include <stdlib.h>

static double largest_miss(const double *t, const double *x, size_t rows, double omega)
{
    double most = 0;
    for (size_t k = 0; k + 1 < rows; k++)
        for (int part = 1; part < 8; part++) {
            const double at = t[k] + part / 8.0 * (t[k + 1] - t[k]), line = x[k] + part / 8.0 * (x[k + 1] - x[k]);
            most = fmax(most, fabs(line - cos(omega * at)));
        }
    return most;
}

static int holds(const double *t, size_t rows, double time)
{
    for (size_t k = 0; k < rows; k++)
        if (fabs(t[k] - time) < 1e-12) return 1;
    return 0;
}

static double *column(const mech_trajectory *from, const char *name, size_t *rows)
{
    *rows = mech_trajectory_rows(from);
    double *values = malloc((*rows + 1) * sizeof *values);
    mech_trajectory_copy_column(from, mech_trajectory_find(from, name), values);
    return values;
}

/* x = cos(omega t) over 10 s. 1/500 of the range 2 is 0.004. */
static void follows(unsigned follow, size_t points, double omega)
{
    char text[200];
    size_t rows;
    snprintf(text, sizeof text,
             "param k = %.17g\ncoord x\nkinetic x'^2/2\npotential k/2*x^2\ninitial x = 1\nsimulate until 10\n",
             omega * omega);
    mech_easy *easy = mech_easy_open_text(text);
    mech_sim_settings *settings = mech_easy_settings(easy);
    settings->follow = follow;
    settings->output_points = points;
    CHECK(mech_easy_run(easy) == MECH_OK);
    const mech_sim *sim = mech_easy_sim(easy);
    const mech_trajectory *curve = mech_sim_curve(sim);
    double *t = column(curve, "t", &rows), *x = column(curve, "x", &rows);
    CHECK(largest_miss(t, x, rows, omega) < 0.005);
    CHECK(rows < 101 + (size_t)(130 * omega)); /* 10 s have 1.6 omega periods, each with 35 to 70 rows, and the start */
    for (size_t k = 0; k + 1 < rows; k++) CHECK(t[k + 1] > t[k]);
    for (size_t k = 0; k <= 100; k++) CHECK(holds(t, rows, 0.1 * (double)k));
    for (size_t k = 0; k < rows; k++) CHECK_NEAR(x[k], cos(omega * t[k]), 1e-6);
    if (points) CHECK(mech_trajectory_rows(mech_sim_trajectory(sim)) == points);
    free(t);
    free(x);
    mech_easy_close(easy);
}

/* An output that only the clock moves is followed too; and at a kink there is a row on both sides. */
static void follows_outputs(void)
{
    size_t rows;
    mech_easy *easy = mech_easy_open_text("coord x\nkinetic x'^2/2\ninput u = sin(40*t)\noutput fast = u\n"
                                          "output pull = if(x > 0.33, 1, 0)\nforce if(x > 0.33, 0, 0) on x'\n"
                                          "initial x' = 0.1\nsimulate until 5\n");
    mech_easy_settings(easy)->follow = MECH_FOLLOW_ROWS;
    CHECK(mech_easy_run(easy) == MECH_OK);
    const mech_trajectory *curve = mech_sim_curve(mech_easy_sim(easy));
    double *t = column(curve, "t", &rows), *fast = column(curve, "fast", &rows);
    for (size_t k = 0; k + 1 < rows; k++)
        CHECK(fabs((fast[k] + fast[k + 1]) / 2 - sin(40 * (t[k] + t[k + 1]) / 2)) < 0.01);
    CHECK(rows > 500 && rows < 6000);
    free(t);
    free(fast);
    mech_easy_close(easy);
    easy = mech_easy_open_text(
        "coord x\nkinetic x'^2/2\nforce if(x > 0.333, -1, 1) on x'\noutput pull = if(x > 0.333, -1, 1)\n"
        "simulate until 1\n");
    mech_easy_settings(easy)->follow = MECH_FOLLOW_ROWS;
    CHECK(mech_easy_run(easy) == MECH_OK);
    curve = mech_sim_curve(mech_easy_sim(easy));
    t = column(curve, "t", &rows);
    double *pull = column(curve, "pull", &rows);
    const double kink = sqrt(0.666);
    for (size_t k = 0; k + 1 < rows; k++)
        if (pull[k] != pull[k + 1]) CHECK(fabs(t[k] - kink) < 1e-6 && t[k + 1] - t[k] < 1e-6);
    free(t);
    free(pull);
    mech_easy_close(easy);
}

int main(void)
{
    follows(MECH_FOLLOW_ROWS, 0, 1);
    follows(MECH_FOLLOW_ROWS, 0, 37);
    follows(MECH_FOLLOW_KEPT, 11, 37);
    follows(MECH_FOLLOW_ROWS | MECH_FOLLOW_KEPT, 11, 100);
    follows_outputs();
    return check_report();
}
