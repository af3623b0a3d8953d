/* The k-th allocation fails in every report and every file: a clean status each time, nothing left behind, no
   half file under the name, and an earlier file as it was. */
#include "base/visit.h"
#include "support/mem_fault.h"
#include "unit/analyze/helpers.h"

#include <mech/output.h>
#include <mech/simulate.h>

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const text =
    "param m = 1 \"kg\", l = 1, g = 9.8\ncoord x \"m\", y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
    "constraint rod: x^2 + y^2 = l^2\nconstraint again: sqrt(x^2 + y^2) = l\nstate f: f' = x - f\noutput a = "
    "f\n"
    "event low: x falls through 0 -> record\ninitial x = 1\nguess y = -0.9\nsimulate until 2, points 31\n";
static char folder[256], path[300];
static uint64_t seen; /* checksum of all texts of an act */

static mech_status report(mech_status status, char **made)
{
    CHECK(status == MECH_OK || !*made);
    if (*made) seen = state_sum(seen, *made, strlen(*made));
    mech_text_free(*made);
    *made = NULL;
    return status;
}

static mech_status equations(subject *s, mech_report_format format)
{
    char *made = NULL;
    mech_equations_options o;
    mech_equations_options_default(&o, sizeof o);
    o.format = format;
    o.normalize = format == MECH_REPORT_TEXT;
    return report(mech_report_equations(s->model, &o, &made), &made);
}
static mech_status equations_text(subject *s) { return equations(s, MECH_REPORT_TEXT); }
static mech_status equations_latex(subject *s) { return equations(s, MECH_REPORT_LATEX); }
static mech_status equations_json(subject *s) { return equations(s, MECH_REPORT_JSON); }

static mech_status model(subject *s)
{
    char *made = NULL;
    return report(mech_report_model(s->model, &made), &made);
}

static mech_status check(subject *s, mech_report_format format)
{
    char *made = NULL;
    return report(mech_report_check(s->model, format, s->diagnostics, &made), &made);
}
static mech_status check_text(subject *s) { return check(s, MECH_REPORT_TEXT); }
static mech_status check_json(subject *s) { return check(s, MECH_REPORT_JSON); }

static mech_status export_c(subject *s)
{
    mech_exported files;
    const mech_status status = mech_export_c(s->system, "it", NULL, &files);
    mech_exported_free(&files);
    return status;
}

/* With control, friction, laws of reactions and by z, and parameters that follow. */
static mech_status export_forces(subject *s)
{
    static const char forces[] = "param m = 2, J = m/2\ncoord x, y, a\nkinetic m/2*(x'^2 + y'^2) + J*a'^2\n"
                                 "constraint floor: y = 0\nfriction on floor: 0.2, along x'\ncontrol go: a = t\n"
                                 "stabilize excess on go, B = 1, K = 2\nnonideal on floor: a = -reaction(floor)*a'\n"
                                 "nonideal z on floor: a = -a'\noutput F = [friction(floor), control(a)]\n";
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_exported files = {0};
    (void)s;
    if (!d) return MECH_ERR_MEMORY;
    mech_status status = mech_read_text("forces", forces, strlen(forces), NULL, d, &model);
    if (status == MECH_OK) status = mech_system_from_model(model, d, &system);
    if (status == MECH_OK) status = mech_export_c(system, "it", NULL, &files);
    mech_exported_free(&files);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(d);
    return status;
}

static mech_status stability(subject *s)
{
    char *made = NULL;
    mech_status status =
        report(mech_report_equilibrium(s->system, s->e, s->l, "title", MECH_REPORT_TEXT, &made), &made);
    if (status == MECH_OK)
        status = report(mech_report_equilibrium(s->system, s->e, s->l, "title", MECH_REPORT_JSON, &made), &made);
    for (int k = 0; k < 4 && status == MECH_OK; k++) {
        const mech_report_format format = k % 2 ? MECH_REPORT_JSON : MECH_REPORT_TEXT;
        if (k < 2) status = report(mech_report_linear(s->system, s->l, "title", format, &made), &made);
        else status = report(mech_report_stability(s->system, s->l, NULL, NULL, "title", format, &made), &made);
    }
    return status;
}

static mech_status linear_file(subject *s)
{
    const mech_status status = mech_linear_write(path, s->system, s->l);
    return status == MECH_ERR_UNSUPPORTED ? MECH_OK : status;
}

static const char *const names[2] = {"a,\"b\"", "c"};

static mech_status csv(subject *s)
{
    mech_csv *csv;
    mech_csv_mark mark;
    (void)s;
    mech_status status = mech_csv_open(path, names, 2, &csv);
    for (int i = 0; i < 300 && status == MECH_OK; i++) status = mech_csv_row(csv, (const double[]){i, 1.0 / 3});
    if (status == MECH_OK) status = mech_csv_mark_now(csv, &mark);
    if (status == MECH_OK) {
        mech_csv_abandon(csv);
        csv = NULL;
        status = mech_csv_resume(path, 2, &mark, &csv);
    }
    if (status == MECH_OK) status = mech_csv_row(csv, (const double[]){1, 2});
    if (status == MECH_OK) return mech_csv_commit(csv);
    mech_csv_abandon(csv);
    return status;
}

/* Results of runs; as HDF5 they are made from the lines. */
static mech_status runs_file(const char *file, const char *const *columns)
{
    mech_runs *runs = NULL;
    size_t rows;
    double last[2];
    mech_status status = mech_runs_open(file, columns, 2, &runs);
    if (status == MECH_ERR_UNSUPPORTED) return MECH_OK;
    for (int i = 0; i < 300 && status == MECH_OK; i++)
        status = mech_runs_row(runs, (const double[]){i, 1.0 / 3}, "failed", "a \"reason\", with words");
    if (status == MECH_OK) status = mech_runs_mark(runs, 1);
    mech_runs_abandon(runs);
    runs = NULL;
    if (status == MECH_OK) status = mech_runs_resume(file, columns, 2, &rows, last, &runs);
    if (status == MECH_OK) CHECK(rows == 300 && last[0] == 299 && last[1] == 1.0 / 3);
    if (status == MECH_OK) CHECK(mech_runs_is_marked(runs, 1) && !mech_runs_is_marked(runs, 0));
    if (status == MECH_OK) status = mech_runs_unit(runs, 1, "kg");
    if (status == MECH_OK) status = mech_runs_row(runs, (const double[]){1, (double)NAN}, "ok", "");
    if (status == MECH_OK) return mech_runs_commit(runs);
    mech_runs_abandon(runs);
    return status;
}
static mech_status runs_csv(subject *s) { return (void)s, runs_file(path, names); }
static mech_status runs_hdf5(subject *s)
{
    static const char *const columns[2] = {"run", "c"};
    char file[320];
    (void)s;
    snprintf(file, sizeof file, "%s.h5", path);
    const mech_status status = runs_file(file, columns);
    unlink(file);
    snprintf(file, sizeof file, "%s.h5.part", path);
    unlink(file);
    return status;
}

static mech_status mat(subject *s)
{
    static char a[] = "x'[1]", b[] = "t";
    static char *columns[2] = {a, b};
    static double data[6] = {1, 2, 3, 4, 5, 6};
    const mech_table table = {.size = sizeof table, .rows = 3, .columns = 2, .names = columns, .data = data};
    (void)s;
    return mech_mat_write(path, &table);
}

static mech_status read_table(subject *s)
{
    mech_table table;
    char *why = NULL, from[300];
    (void)s;
    snprintf(from, sizeof from, "%s/rows.csv", folder);
    const mech_status status = mech_table_read(from, &table, &why);
    mech_text_free(why);
    if (status == MECH_OK) mech_table_free(&table);
    return status;
}

static mech_status figure(subject *s)
{
    static char a[] = "t", b[] = "x";
    static char *columns[2] = {a, b};
    static double data[6] = {1, 2, 3, 4, 5, 6};
    static const size_t y[1] = {1};
    const mech_table table = {.size = sizeof table, .rows = 3, .columns = 2, .names = columns, .data = data};
    const mech_figure drawn = {.size = sizeof drawn, .table = &table, .y = y, .y_count = 1, .title = "it's"};
    char svg[310];
    (void)s;
    snprintf(svg, sizeof svg, "%s.svg", path);
    const mech_status status = mech_figure_write(&drawn, svg);
    unlink(svg);
    return status == MECH_ERR_UNSUPPORTED ? MECH_OK : status;
}

/* A run as a table and a figure, and beside the linear answer. */
static mech_status run_figures(subject *s)
{
    mech_sim_settings settings;
    mech_sim *sim = NULL;
    mech_table table = {.size = sizeof table};
    const double start[5] = {0.1, -0.99, 0, 0, 0};
    char svg[310];
    snprintf(svg, sizeof svg, "%s.svg", path);
    mech_sim_settings_default(&settings, sizeof settings);
    settings.rtol = 1e-5;
    mech_status status = mech_sim_create(s->system, &settings, &sim);
    if (status == MECH_OK) status = mech_sim_run(sim);
    if (status == MECH_OK) status = mech_table_from_run(mech_sim_trajectory(sim), &table);
    if (status == MECH_OK)
        CHECK(table.rows == mech_trajectory_rows(mech_sim_trajectory(sim)) &&
              table.data[0] == mech_trajectory_row(mech_sim_trajectory(sim), 0)[0]);
    if (status == MECH_OK) CHECK_TEXT(table.names[0], "t");
    mech_table_free(&table);
    if (status == MECH_OK) status = mech_run_write(sim, s->system, "run", svg);
    if (status == MECH_OK) status = mech_response_write(s->system, s->l, 0, start, 0.5, "response", svg, NULL);
    mech_sim_free(sim);
    unlink(svg);
    return status == MECH_ERR_UNSUPPORTED ? MECH_OK : status;
}

/* A run that is saved, written, read and taken up. */
static mech_status checkpoint_with(subject *s, mech_method method)
{
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.method = method;
    settings.rtol = 1e-5;
    mech_sim *sim = NULL, *again = NULL;
    char *bytes = NULL, *read = NULL, *audit = NULL, *account = NULL, *json = NULL;
    size_t size;
    mech_status status = mech_sim_create(s->system, &settings, &sim);
    if (status == MECH_OK) status = mech_sim_start(sim);
    if (status == MECH_OK) status = mech_sim_advance(sim, 0.7);
    if (status == MECH_OK) status = mech_sim_save(sim, "note", 4, &bytes, &size);
    if (status == MECH_OK) status = mech_checkpoint_write(path, bytes, size);
    if (status == MECH_OK) status = mech_checkpoint_read(path, &read, &size);
    if (status == MECH_OK) status = mech_sim_create(s->system, &settings, &again);
    if (status == MECH_OK) status = mech_sim_restore(again, read, size, NULL, NULL);
    if (status == MECH_OK) status = mech_sim_run(again);
    if (status == MECH_OK && !(audit = mech_sim_audit_text(again))) status = MECH_ERR_MEMORY;
    if (status == MECH_OK) status = mech_report_run(again, s->system, MECH_OK, "a.csv", MECH_REPORT_TEXT, &account);
    if (status == MECH_OK) status = mech_report_run(again, s->system, MECH_OK, "a.csv", MECH_REPORT_JSON, &json);
    mech_text_free(audit);
    mech_text_free(account);
    mech_text_free(json);
    mech_text_free(bytes);
    mech_text_free(read);
    mech_sim_free(sim);
    mech_sim_free(again);
    return status;
}
static mech_status checkpoint(subject *s) { return checkpoint_with(s, MECH_METHOD_RK8); }
static mech_status checkpoint_bdf(subject *s)
{
    const mech_status status = checkpoint_with(s, MECH_METHOD_BDF);
    return status == MECH_ERR_UNSUPPORTED ? MECH_OK : status;
}

static void put(const char *file, const char *content)
{
    FILE *f = fopen(file, "w");
    CHECK(f && fputs(content, f) >= 0);
    if (f) fclose(f);
}

static int holds(const char *file, const char *content)
{
    char buffer[64] = "";
    FILE *f = fopen(file, "r");
    if (!f) return 0;
    const size_t length = fread(buffer, 1, sizeof buffer - 1, f);
    fclose(f);
    return length == strlen(content) && memcmp(buffer, content, length) == 0;
}

static int open_subject(subject *s)
{
    const double low[2] = {0, -1}, rest[2] = {0, 0};
    return subject_text(s, text) && subject_find(s, low, rest) && subject_linearize(s, s->e->q, s->e->v, NULL, NULL);
}

/* needs_new: the act makes expressions, so every trial has its own model. */
static void try_all(const char *name, mech_status (*act)(subject *), int needs_new)
{
    subject s;
    size_t hits = 0, gone_on = 0;
    if (!open_subject(&s)) return;
    seen = STATE_SUM;
    CHECK(act(&s) == MECH_OK);
    const uint64_t whole = seen;
    if (needs_new) subject_free(&s);
    for (size_t k = 1; k < 100000; k++) {
        if (needs_new && !open_subject(&s)) return; /* a pool that failed stays failed */
        seen = STATE_SUM;
        put(path, "earlier");
        const size_t live = mem_fault_live();
        mem_fault_set(k);
        const mech_status status = act(&s);
        const int hit = mem_fault_hit();
        mem_fault_set(0);
        if (needs_new) subject_free(&s);
        else CHECK(mem_fault_live() == live);
        CHECK(status != MECH_OK || seen == whole); /* all of it, or an error */
        if (!hit) {
            CHECK(status == MECH_OK);
            break;
        }
        hits++;
        gone_on += status == MECH_OK;
        CHECK(status == MECH_ERR_MEMORY || status == MECH_OK);
        if ((status != MECH_ERR_MEMORY && status != MECH_OK) || (status == MECH_OK && seen != whole))
            fprintf(stderr, "%s, allocation %zu: %s\n", name, k, mech_status_text(status));
        if (status != MECH_OK && act != checkpoint && act != checkpoint_bdf) CHECK(holds(path, "earlier"));
        if (check_failures > 20) break;
    }
    printf("%s: %zu failures, %zu of them without loss\n", name, hits, gone_on);
    if (!needs_new) subject_free(&s);
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/mech-test.XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/rows.csv", folder);
    put(path, "a,\"b,c\"\n1,2\n3,4\n");
    snprintf(path, sizeof path, "%s/result", folder);
    try_all("table read", read_table, 0);
    try_all("equations as text", equations_text, 1);
    try_all("equations as LaTeX", equations_latex, 0);
    try_all("equations as JSON", equations_json, 0);
    try_all("model", model, 0);
    try_all("check", check_text, 1);
    try_all("check as JSON", check_json, 1);
    try_all("export", export_c, 1);
    try_all("export of forces", export_forces, 0);
    try_all("stability", stability, 0);
    try_all("state space", linear_file, 0);
    try_all("CSV", csv, 0);
    try_all("runs", runs_csv, 0);
    try_all("runs, HDF5", runs_hdf5, 0);
    try_all("MAT", mat, 0);
    try_all("drawing", figure, 0);
    try_all("run", run_figures, 0);
    try_all("checkpoint", checkpoint, 0);
    try_all("checkpoint, bdf", checkpoint_bdf, 0);
    CHECK(mem_fault_live() == 0);
    char part[320];
    const char *const left[] = {"result",
                                "result.part",
                                "rows.csv",
                                "result-metadata.json",
                                "result.part-metadata.json",
                                "result.h5.part-metadata.json"};
    for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
        snprintf(part, sizeof part, "%s/%s", folder, left[k]);
        unlink(part);
    }
    CHECK(rmdir(folder) == 0);
    return check_report();
}
