/* The results of a run as arrays, and failures by name.

   Lesson: mech_trajectory_copy hands out all rows at once (row after row, as NumPy or a plotting library wants them),
   mech_trajectory_copy_column one column; what goes wrong has a name for programs and a sentence for people. */
#include <mech/easy.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char oscillator[] =
    "coord x\nkinetic x'^2/2\npotential 2*x^2\ninitial x = 1\nsimulate until 3 step 0.01 rtol 1e-12\n"; /* x = cos 2t */

/* Largest miss of the closed form over all rows; 1 where there are none. */
static double miss_of(const mech_trajectory *run)
{
    const size_t rows = mech_trajectory_rows(run), columns = mech_trajectory_columns(run);
    const size_t t = mech_trajectory_find(run, "t"), x = mech_trajectory_find(run, "x"),
                 v = mech_trajectory_find(run, "x'");
    double *all = calloc(rows * columns + 1, sizeof *all), *only_x = calloc(rows + 1, sizeof *only_x), miss = 1;
    if (all && only_x && rows == 301 && t != SIZE_MAX && x != SIZE_MAX && v != SIZE_MAX) {
        mech_trajectory_copy(run, all);
        mech_trajectory_copy_column(run, x, only_x);
        miss = 0;
        for (size_t k = 0; k < rows; k++) {
            const double *row = all + k * columns;
            miss = fmax(miss, fmax(fabs(row[x] - cos(2 * row[t])), fabs(row[v] + 2 * sin(2 * row[t]))));
            if (only_x[k] != row[x]) miss = 1;
        }
    }
    free(all);
    free(only_x);
    return miss;
}

int main(void)
{
    mech_easy *good = mech_easy_open_text(oscillator),
              *bad = mech_easy_open_text("coord x\nkinetic y'^2/2\nsimulate until 1\n");
    double miss = 1;
    if (mech_easy_run(good) == MECH_OK) miss = miss_of(mech_sim_trajectory(mech_easy_sim(good)));
    const mech_status status = mech_easy_run(bad);
    printf("301 rows at once, off the closed form by %.1e\n%s: %s\n%s\n", miss, mech_status_name(status),
           mech_status_text(status), mech_easy_error(bad));
    mech_easy_close(good);
    mech_easy_close(bad);
    return miss < 1e-10 && status != MECH_OK ? 0 : 1;
}
