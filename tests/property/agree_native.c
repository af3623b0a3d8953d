/* All methods, with generated code and without, agree on where a motion goes: within 100 rtol K of a reference, K the
   growth of a start disturbed by a small part, and the closer the finer rtol is.

   test_property.agree_native [FILES]   without files: a few examples; prints a line a model, and the outliers with the
   reason why */
#include "support/motion.h"

#include <stdlib.h>

enum { ROWS = 21, METHODS = 5 };
static const mech_method methods[METHODS] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                             MECH_METHOD_IRK};
static const double tolerances[] = {1e-6, 1e-8, 1e-10};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

typedef struct course { /* states at the rows by the clock */
    double *y;          /* (ROWS x width) */
    double times[ROWS];
    size_t width, rows, happened;
    int is_warned; /* the run says that it is off */
    mech_status status;
    char why[200];
} course;

static size_t models, runs, outliers, refused, apart, warned;

static void keep_rows(const motion *m, course *c)
{
    const mech_trajectory *tr = mech_sim_trajectory(m->sim);
    const double span = fabs(m->settings.until - m->settings.from);
    c->rows = 0;
    /* Rows at events are left out, as their times differ by rounding. At an event that falls on a row it is the last of
       those within that rounding. */
    for (size_t i = 0; i < mech_trajectory_rows(tr) && c->rows < ROWS; i++) {
        const double *row = mech_trajectory_row(tr, i);
        const double due = m->settings.from + (double)c->rows * (m->settings.until - m->settings.from) / (ROWS - 1);
        if (fabs(row[0] - due) > 1e-9 * span) continue;
        if (i + 1 < mech_trajectory_rows(tr) && mech_trajectory_row(tr, i + 1)[0] - row[0] <= 1e-12 * span) continue;
        memcpy(c->y + c->rows * c->width, row + 1, c->width * sizeof *row);
        c->times[c->rows++] = row[0];
    }
}

/* disturb: relative, of each number of the start; 0: none. */
static void follow(const char *path, mech_method method, double rtol, int native, double disturb, course *c)
{
    motion m;
    c->status = MECH_ERR_MODEL;
    c->why[0] = 0;
    if (!motion_read(&m, path)) return;
    CHECK(motion_derive(&m) == MECH_OK);
    const mech_sizes size = mech_system_sizes(m.system);
    c->width = 2 * size.coords + size.states;
    c->y = realloc(c->y, ROWS * (c->width + 1) * sizeof(double));
    motion_settings(&m, rtol);
    m.settings.method = method;
    m.settings.output_points = ROWS;
    m.settings.max_steps = 200000;
    c->status = mech_sim_create(m.system, &m.settings, &m.sim);
    if (c->status == MECH_OK) c->status = mech_sim_start(m.sim);
    if (c->status == MECH_OK && disturb > 0) { /* the start of one run, disturbed, is that of another */
        double *y = malloc((c->width + 1) * sizeof *y);
        memcpy(y, mech_sim_q(m.sim), size.coords * sizeof *y);
        memcpy(y + size.coords, mech_sim_v(m.sim), size.coords * sizeof *y);
        if (size.states) memcpy(y + 2 * size.coords, mech_sim_states(m.sim), size.states * sizeof *y);
        for (size_t i = 0; i < c->width; i++) y[i] += disturb * (1 + fabs(y[i])) * cos(1 + 2.4 * (double)i);
        mech_sim_free(m.sim);
        m.sim = NULL;
        c->status = mech_sim_create(m.system, &m.settings, &m.sim);
        if (c->status == MECH_OK)
            c->status = mech_sim_set_start(m.sim, y, y + size.coords, size.states ? y + 2 * size.coords : NULL, 0);
        if (c->status == MECH_OK) c->status = mech_sim_start(m.sim);
        free(y);
    }
    if (c->status == MECH_OK && native) {
        mech_motion_settings code;
        mech_motion_settings_default(&code, sizeof code);
        code.native = MECH_NATIVE_ON;
        code.with_power = code.with_check = 1;
        code.q = mech_sim_q(m.sim);
        code.v = mech_sim_v(m.sim);
        /* a model that there is no code for */
        if (motion_use_code(&m, &code) != MECH_OK) c->status = MECH_ERR_UNSUPPORTED;
    }
    if (c->status == MECH_OK) c->status = mech_sim_run(m.sim);
    if (c->status != MECH_OK && m.sim) snprintf(c->why, sizeof c->why, "%s", mech_sim_error_text(m.sim));
    if (c->status == MECH_OK) {
        m.settings = *mech_sim_settings_get(m.sim);
        keep_rows(&m, c);
        c->happened = motion_count(&m, MECH_LOG_EVENT) + motion_count(&m, MECH_LOG_IMPACT);
        /* bounces that die away: how many are told depends on the tolerance */
        if (motion_count(&m, MECH_LOG_CONTACT)) c->happened = 0;
        c->is_warned = mech_sim_warning(m.sim)[0] != 0;
    }
    motion_free(&m);
}

/* The largest difference over rows that both have, beside the largest number of its column. */
static double difference(const course *a, const course *b)
{
    double worst = 0;
    for (size_t j = 0; j < a->width; j++) {
        double size = 0, error = 0;
        for (size_t i = 0, k = 0; i < a->rows; i++) {
            while (k < b->rows && b->times[k] < a->times[i]) k++;
            if (k == b->rows || b->times[k] != a->times[i]) continue;
            size = fmax(size, fabs(a->y[i * a->width + j]));
            error = fmax(error, fabs(a->y[i * a->width + j] - b->y[k * a->width + j]));
        }
        worst = fmax(worst, error / (1 + size));
    }
    return worst;
}

static void agree(const char *path)
{
    static course reference, disturbed, other;
    const double small = 1e-7;
    follow(path, MECH_METHOD_RK8, 1e-12, 0, 0, &reference);
    models++;
    if (reference.status != MECH_OK) {
        printf("%s: no reference: %s\n", path, reference.why);
        refused++;
        return;
    }
    if (reference.is_warned) {
        printf("%s: the reference is warned of\n", path);
        warned++;
        return;
    }
    follow(path, MECH_METHOD_RK8, 1e-12, 0, small, &disturbed);
    const double growth = disturbed.status == MECH_OK ? fmax(1, difference(&reference, &disturbed) / small) : HUGE_VAL;
    double most = 0;
    for (int k = 0; k < METHODS; k++)
        for (int native = 0; native < 2; native++) {
            double before = HUGE_VAL;
            for (int r = 0; r < TOLERANCES; r++) {
                follow(path, methods[k], tolerances[r], native, 0, &other);
                if (other.status == MECH_ERR_UNSUPPORTED) break;
                runs++;
                if (other.status != MECH_OK) {
                    printf("%s: %s%s at rtol %g ends: %s\n", path, mech_method_word(methods[k]),
                           native ? " native" : "", tolerances[r], other.why);
                    refused++;
                    continue;
                }
                if (other.is_warned) {
                    printf("%s: %s%s at rtol %g is warned of\n", path, mech_method_word(methods[k]),
                           native ? " native" : "", tolerances[r]);
                    warned++;
                    continue;
                }
                const double error = difference(&reference, &other), allowed = 100 * tolerances[r] * growth;
                most = fmax(most, error / allowed);
                const int is_near = error <= allowed,
                          shrinks = error <= fmax(before, 100 * tolerances[TOLERANCES - 1] * growth);
                if (!is_near || !shrinks || other.happened != reference.happened) {
                    printf("%s: %s%s at rtol %g: error %.2g, allowed %.2g (K = %.3g)%s; events %zu, %zu\n", path,
                           mech_method_word(methods[k]), native ? " native" : "", tolerances[r], error, allowed, growth,
                           shrinks ? "" : ", not less than before", other.happened, reference.happened);
                    outliers += !is_near || !shrinks;
                    apart += other.happened != reference.happened;
                }
                before = error;
            }
        }
    printf("%s: K = %.3g, at most %.2g of what is allowed\n", path, growth, most);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"hoop-on-cylinder",  "knife-edge",      "rotating-hoop", "rough-bead",
                                        "bouncing-pendulum", "double-pendulum", "rolling-coin"};
    char path[200];
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) agree(argv[i]);
    for (size_t i = 0; argc == 1 && i < sizeof usual / sizeof *usual; i++) {
        snprintf(path, sizeof path, "examples/%s/model.mech", usual[i]);
        agree(path);
    }
    printf("%zu models, %zu runs, %zu outliers, %zu ended early, %zu with other events, %zu warned of\n", models, runs,
           outliers, refused, apart, warned);
    CHECK(outliers == 0 && apart == 0 && (argc > 1 || refused == 0)); /* a random model may have no motion */
    return check_report();
}
