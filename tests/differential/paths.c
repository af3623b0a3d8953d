/* A model at many states by every door of the library: paths MODEL STATES [native]. STATES has a line "t q... v...
   z..." for each state. Prints "NAME STATE STATUS qdd... lambda... rate..." for each state and way: instant (one
   instant solved), run (the start of a run, as given), motion (the plan at once), lanes (many states at once), native
   (compiled code, on request). A way that the model does not have prints "NAME none". Written for
   tests/differential/compare.py; nothing is checked here. */
#include <mech/mech.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    mech_system *system;
    mech_sizes sizes;
    size_t count, width; /* states; numbers of one */
    double *states;
} job;

static const double *at(const job *j, size_t k) { return j->states + k * j->width; }

static void put(const char *name, size_t k, mech_status status, const double *x, size_t nx, const double *y, size_t ny,
                const double *z, size_t nz)
{
    printf("%s %zu %d", name, k, (int)status);
    for (size_t i = 0; i < nx && status == MECH_OK; i++) printf(" %.17g", x[i]);
    for (size_t i = 0; i < ny && status == MECH_OK; i++) printf(" %.17g", y[i]);
    for (size_t i = 0; i < nz && status == MECH_OK; i++) printf(" %.17g", z[i]);
    printf("\n");
}

static int by_instant(const job *j)
{
    const size_t n = j->sizes.coords;
    mech_instant *instant = NULL;
    if (mech_instant_create(j->system, 0, &instant) != MECH_OK) return printf("instant none\n"), 0;
    for (size_t k = 0; k < j->count; k++) {
        const double *s = at(j, k);
        mech_instant_input in;
        mech_instant_input_default(&in, sizeof in);
        in.t = s[0];
        in.q = s + 1;
        in.v = s + 1 + n;
        in.z = j->sizes.states ? s + 1 + 2 * n : NULL;
        in.skip_diagnosis = 1;
        const mech_status status = mech_instant_solve(instant, &in);
        const mech_instant_result *r = mech_instant_get(instant);
        const double *rate = mech_eval_equation(mech_instant_eval(instant))->rate;
        put("instant", k, status, r->qdd, n, r->lambda, j->sizes.rows, rate, j->sizes.states);
    }
    mech_instant_free(instant);
    return 0;
}

static int by_run(const job *j)
{
    const size_t n = j->sizes.coords;
    for (size_t k = 0; k < j->count; k++) {
        const double *s = at(j, k);
        mech_sim_settings settings;
        mech_sim *sim = NULL;
        mech_sim_forces f = {0};
        mech_sim_settings_default(&settings, sizeof settings);
        settings.from = s[0];
        settings.until = s[0] + 1;
        settings.output_points = 2;
        settings.start = MECH_START_AS_GIVEN;
        settings.method = MECH_METHOD_RK8;
        mech_status status = mech_sim_create(j->system, &settings, &sim);
        if (status == MECH_OK)
            status = mech_sim_set_start(sim, s + 1, s + 1 + n, j->sizes.states ? s + 1 + 2 * n : NULL, 1);
        if (status == MECH_OK) status = mech_sim_start(sim);
        if (status == MECH_OK) status = mech_sim_forces_now(sim, &f);
        put("run", k, status, f.qdd, n, f.lambda, j->sizes.rows,
            sim ? mech_eval_equation(mech_sim_eval(sim))->rate : NULL, j->sizes.states);
        mech_sim_free(sim);
    }
    return 0;
}

static void by_lanes(const job *j, const mech_motion_code *code);

/* The interpreted plan on many states too. */
static void by_motion(const job *j, const char *name, mech_native native)
{
    const size_t n = j->sizes.coords, m = j->sizes.rows, nz = j->sizes.states;
    mech_motion_settings settings;
    mech_eval *eval = NULL;
    mech_motion_code *code = NULL;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = native;
    settings.cache = "";
    mech_status made = mech_motion_code_create(j->system, &settings, &code);
    if (made == MECH_OK && native == MECH_NATIVE_ON && !mech_motion_code_info(code).is_native)
        made = MECH_ERR_UNSUPPORTED;
    double *out = calloc(n + m + nz + 1, sizeof *out);
    if (made == MECH_OK) made = mech_eval_create(j->system, MECH_STORAGE_DENSE, &eval);
    if (made == MECH_OK) made = mech_eval_use_motion(eval, code);
    if (made != MECH_OK) printf("%s none\n", name);
    for (size_t k = 0; made == MECH_OK && out && k < j->count; k++) {
        const double *s = at(j, k);
        mech_motion motion = {.size = sizeof motion, .qdd = out, .lambda = out + n, .rate = out + n + m};
        if (nz) mech_eval_set_states(eval, s + 1 + 2 * n);
        const mech_status status = mech_eval_motion(eval, s[0], s + 1, s + 1 + n, &motion);
        put(name, k, status, out, n, out + n, m, out + n + m, nz);
    }
    if (made == MECH_OK && native == MECH_NATIVE_OFF) by_lanes(j, code);
    mech_eval_free(eval);
    mech_motion_code_free(code);
    free(out);
}

static void by_lanes(const job *j, const mech_motion_code *code)
{
    const size_t n = j->sizes.coords, m = j->sizes.rows, nz = j->sizes.states, c = j->count,
                 total = (3 * n + m + 2 * nz + 1) * c;
    mech_lanes *lanes = NULL;
    if (mech_lanes_create(code, c, &lanes) != MECH_OK) {
        printf("lanes none\n");
        return;
    }
    double *block = calloc(total + 1, sizeof *block);
    if (!block) return;
    double *t = block, *q = t + c, *v = q + n * c, *z = v + n * c, *qdd = z + nz * c, *lambda = qdd + n * c,
           *rate = lambda + m * c;
    for (size_t k = 0; k < c; k++) {
        const double *s = at(j, k);
        t[k] = s[0];
        for (size_t i = 0; i < n; i++) q[i * c + k] = s[1 + i], v[i * c + k] = s[1 + n + i];
        for (size_t i = 0; i < nz; i++) z[i * c + k] = s[1 + 2 * n + i];
    }
    const mech_lanes_states states = {.size = sizeof states, .t = t, .q = q, .v = v, .z = nz ? z : NULL};
    size_t failed = c;
    const mech_status status = mech_lanes_motion(lanes, &states, qdd, lambda, rate, &failed);
    for (size_t k = 0; k < c; k++) { /* which failed is known of the first one only */
        double out[4096];
        if (n + m + nz > sizeof out / sizeof *out) break;
        for (size_t i = 0; i < n; i++) out[i] = qdd[i * c + k];
        for (size_t i = 0; i < m; i++) out[n + i] = lambda[i * c + k];
        for (size_t i = 0; i < nz; i++) out[n + m + i] = rate[i * c + k];
        put("lanes", k, k == failed ? status : MECH_OK, out, n + m + nz, NULL, 0, NULL, 0);
    }
    mech_lanes_free(lanes);
    free(block);
}

/* All numbers of a file. */
static double *read_numbers(const char *path, size_t *count)
{
    FILE *file = fopen(path, "r");
    double *list = NULL, x;
    size_t room = 0;
    *count = 0;
    if (!file) return NULL;
    while (fscanf(file, "%lf", &x) == 1) {
        if (*count == room) {
            double *more = realloc(list, (room = 2 * room + 64) * sizeof *list);
            if (!more) break;
            list = more;
        }
        list[(*count)++] = x;
    }
    fclose(file);
    return list;
}

int main(int count, char **words)
{
    if (count < 3) return 2;
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    job j = {0};
    size_t numbers = 0;
    mech_status status = mech_read_file(words[1], NULL, diagnostics, &model);
    if (status == MECH_OK) status = mech_system_from_model(model, diagnostics, &j.system);
    if (status == MECH_OK) {
        j.sizes = mech_system_sizes(j.system);
        j.width = 1 + 2 * j.sizes.coords + j.sizes.states;
        j.states = read_numbers(words[2], &numbers);
        j.count = numbers / j.width;
        by_instant(&j);
        by_run(&j);
        by_motion(&j, "motion", MECH_NATIVE_OFF);
        if (count > 3) by_motion(&j, "native", MECH_NATIVE_ON);
    }
    free(j.states);
    mech_system_free(j.system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return status == MECH_OK ? 0 : 1;
}
