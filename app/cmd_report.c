/* mech report: all that is known about a model, on one page. */
#include "common.h"
#include "guard.h"
#include "page.h"
#include "run.h"
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of the model; what it includes is named there. */
static char *source_of(const char *path)
{
    FILE *file = open_regular(path);
    char *text = malloc(1 << 20);
    size_t length = file && text ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (text) text[length] = '\0';
    if (file) fclose(file);
    return text;
}

static void add_equations(page *p, const mech_model *model)
{
    enum { LONGEST = 60000 };
    mech_equations_options options;
    char *text = NULL;
    mech_equations_options_default(&options, sizeof options);
    options.format = MECH_REPORT_LATEX;
    p->lacks_memory |= mech_report_equations(model, &options, &text) == MECH_ERR_MEMORY;
    if (text && strlen(text) > LONGEST) {
        snprintf(text, 200, "The equations are long: %zu letters. mech derive prints them.", strlen(text));
        page_add(p, MECH_SECTION_WORDS, "Equations", text);
    } else page_add(p, MECH_SECTION_LATEX, "Equations", text);
}

/* The start of the run as one instant: its forces, and their geometry. */
static void add_instant(page *p, const mech_sim *sim, const mech_system *system)
{
    enum { LARGEST = 200 };
    mech_instant *instant = NULL;
    mech_instant_input at;
    mech_instant_report report;
    char *text = NULL, *svg = NULL;
    const mech_sizes sizes = mech_system_sizes(system);
    mech_instant_input_default(&at, sizeof at);
    mech_instant_report_default(&report, sizeof report);
    at.t = mech_sim_time(sim);
    at.q = mech_sim_q(sim);
    at.v = mech_sim_v(sim);
    at.z = mech_sim_states(sim);
    at.skip_diagnosis = sizes.coords > LARGEST || sizes.rows > LARGEST;
    report.start = "where the run begins";
    mech_status status = mech_instant_create(system, 0, &instant);
    if (status == MECH_OK) status = mech_instant_solve(instant, &at);
    if (status == MECH_OK) status = mech_report_instant(instant, &report, &text);
    page_add(p, MECH_SECTION_TEXT, "The first instant", text);
    if (status == MECH_OK && mech_instant_picture(instant, &svg) == MECH_OK) page_add(p, MECH_SECTION_SVG, NULL, svg);
    p->lacks_memory |= status == MECH_ERR_MEMORY;
    mech_instant_free(instant);
}

static char *copy_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (copy) strcpy(copy, text);
    return copy;
}

/* Motion, or why there is none; the exit code of it. */
static int add_motion(page *p, const cli_args *args, const mech_model *model, const mech_system *system,
                      mech_sim_settings *settings)
{
    mech_sim *sim = NULL;
    settings->follow = MECH_FOLLOW_ROWS | MECH_FOLLOW_KEPT;
    settings->columns |= MECH_COLUMNS_ACCELERATIONS | MECH_COLUMNS_MULTIPLIERS;
    mech_status status = mech_sim_create(system, settings, &sim);
    if (status == MECH_OK) status = mech_sim_start(sim);
    page first = {.count = 0};
    if (status == MECH_OK) {
        add_instant(&first, sim, system);
        status = mech_sim_advance(sim, mech_sim_settings_get(sim)->until);
    }
    if (sim && mech_sim_has_started(sim)) page_add_run(p, sim, model, system, cli_value(args, "--show"));
    for (size_t k = 0; k < first.count; k++)
        page_add(p, first.sections[k].kind, first.sections[k].title, first.made[k]);
    p->lacks_memory |= first.lacks_memory;
    const char *why = sim ? mech_sim_error_text(sim) : mech_status_text(status);
    if (status != MECH_OK) {
        page_add(p, MECH_SECTION_WORDS, sim && mech_sim_has_started(sim) ? NULL : "Motion",
                 copy_of(*why ? why : mech_status_text(status)));
        say("mech report: %s\n", *why ? why : mech_status_text(status));
    }
    mech_sim_free(sim);
    return exit_code(status);
}

/* Motions of the modes about an equilibrium near the start, as pictures. */
static void add_shapes(page *p, const mech_linear_result *l)
{
    enum { FRAMES = 49, MOST_MODES = 8 };
    static const double reach = 0.2;
    const mech_modes_result *m = l->motion;
    const size_t order = (size_t)l->order, n = (size_t)l->n;
    double *numbers = malloc((FRAMES * (order + 1) + 2 * order) * sizeof *numbers);
    if (!numbers || !p->scene || mech_scene_is_empty(p->scene)) {
        free(numbers);
        return;
    }
    double *times = numbers + FRAMES * order, *re = times + FRAMES, *im = re + order;
    for (int k = 0, shown = 0; k < m->n - m->zero && shown < MOST_MODES; k++) {
        char name[100];
        if (!(m->imaginary[k] > 0) || mech_linear_shape(l, k, re, im) != MECH_OK) continue;
        shown++;
        for (size_t f = 0; f < FRAMES; f++) {
            const double angle = 6.283185307179586 * (double)f / (FRAMES - 1);
            times[f] = (double)f / (FRAMES - 1);
            for (size_t i = 0; i < order; i++)
                numbers[f * order + i] = (i < n       ? l->q[i]
                                          : i < 2 * n ? l->v[i - n]
                                                      : l->z[i - 2 * n]) +
                                         reach * (re[i] * cos(angle) - im[i] * sin(angle));
        }
        snprintf(name, sizeof name, "mode %d: %.4g rad/s, %.4g Hz", shown, m->imaginary[k],
                 m->imaginary[k] / 6.283185307179586);
        p->lacks_memory |= mech_scene_add_frames(p->scene, name, times, numbers, FRAMES, 1, 0.5) == MECH_ERR_MEMORY;
    }
    free(numbers);
}

/* The modes, the polynomial and Routh's array, as far as there are any: small models have them. */
static mech_status stability_text(const mech_model *model, const mech_system *system, const mech_linear_result *l,
                                  const mech_equilibrium_result *at, double t, char **text)
{
    mech_symbolic_options o;
    mech_symbolic *symbolic = NULL;
    mech_routh *routh = NULL;
    mech_status status = MECH_OK;
    mech_symbolic_options_default(&o, sizeof o);
    o.t = t;
    o.q = at->q;
    o.v = at->v;
    o.z = at->z;
    if (!mech_linear_doubt(l)) status = mech_symbolic_create(model, &o, &symbolic);
    if (status == MECH_OK && symbolic) status = mech_symbolic_routh(symbolic, NULL, &routh);
    if (status != MECH_ERR_MEMORY)
        status = mech_report_stability(system, l, routh, symbolic ? mech_symbolic_get(symbolic) : NULL,
                                       "about an equilibrium near the start", MECH_REPORT_TEXT, text);
    mech_routh_free(routh);
    mech_symbolic_free(symbolic);
    return status;
}

/* Where there is an equilibrium near the start: what happens beside it. Nothing is said where there is none. */
static void add_stability(page *p, const mech_model *model, const mech_system *system)
{
    enum { LARGEST = 120 };
    mech_eval *eval = NULL;
    mech_equilibrium *found = NULL;
    mech_linear *linear = NULL;
    mech_equilibrium_options search;
    mech_linear_options options;
    char *text = NULL;
    if (mech_equilibrium_obstacle(system) || mech_analyze_obstacle(system) ||
        mech_system_sizes(system).coords > LARGEST)
        return;
    mech_equilibrium_options_default(&search, sizeof search);
    mech_linear_options_default(&options, sizeof options);
    mech_status status = mech_eval_create(system, MECH_STORAGE_DENSE, &eval);
    if (status == MECH_OK) status = mech_equilibrium_find(system, eval, &search, &found);
    if (status == MECH_OK) {
        const mech_equilibrium_result *r = mech_equilibrium_get(found);
        options.t = search.t;
        options.q = r->q;
        options.v = r->v;
        options.z = r->z;
        status = mech_linearize(system, eval, &options, &linear);
    }
    if (status == MECH_OK) {
        const mech_linear_result *l = mech_linear_get(linear);
        status = stability_text(model, system, l, mech_equilibrium_get(found), search.t, &text);
        if (!l->kink_count && !mech_linear_doubt(l)) add_shapes(p, l);
    }
    if (status == MECH_OK) page_add(p, MECH_SECTION_TEXT, "Stability", text);
    p->lacks_memory |= status == MECH_ERR_MEMORY;
    mech_linear_free(linear);
    mech_equilibrium_free(found);
    mech_eval_free(eval);
}

static int make(const cli_args *args, opened *file, mech_sim_settings *settings, const char *path)
{
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    const guard_file writes[] = {{.what = "the page", .option = "-o", .path = path}};
    mech_system *system = NULL;
    page p = {.count = 0};
    char *check = NULL;
    mech_status status = mech_system_create(file->model, &with, file->diagnostics, &system);
    int code = status == MECH_OK ? guard_files("report", system, NULL, writes, 1) : report_diagnostics(file, status);
    if (code == EXIT_OK) {
        code = add_motion(&p, args, file->model, system, settings);
        add_stability(&p, file->model, system);
        page_add_needed(&p, "Model", source_of(args->operands[0]));
        status = mech_report_check(file->model, MECH_REPORT_TEXT, file->diagnostics, &check);
        p.lacks_memory |= status == MECH_ERR_MEMORY;
        page_add(&p, MECH_SECTION_TEXT, "What it is", check);
        add_equations(&p, file->model);
        const int written = page_write(&p, "report", short_path(args->operands[0]), path);
        if (written != EXIT_OK) code = written;
        else if (!cli_value(args, "--quiet")) printf("page in %s\n", path);
    }
    page_free(&p);
    mech_system_free(system);
    return code;
}

static int run(const cli_args *args)
{
    const char *path = cli_value(args, "-o") ? cli_value(args, "-o") : "report.html";
    mech_sim_settings settings;
    run_gains gains;
    opened file;
    mech_sim_settings_default(&settings, sizeof settings);
    if (!run_settings(args, &settings, &gains)) return EXIT_USAGE;
    if (!has_ending(path, ".html")) {
        say("mech report: -o takes a name that ends in .html, not '%s'\n", path);
        return EXIT_USAGE;
    }
    int code = open_model(args, args->operands[0], &file);
    if (code == EXIT_OK) code = make(args, &file, &settings, path);
    close_model(&file);
    return code;
}

static const cli_option options[] = {
    {"-o", "FILE.html", "the page (default: report.html)"},
    {"--until", "T", "end time (default: what the model says, else 1)"},
    {"--from", "T", "start time (default: what the model says, else 0)"},
    {"--rtol", "E", "relative error per step (default: 1e-9)"},
    {"--atol", "E", "absolute error per step, in the units of the model (default: 1e-12)"},
    {"--method", "auto|rk8|rk5|bdf|adams|irk|moreau", "integrator (default: auto)"},
    {"--show", "NAME,...", "which curves (default: coordinates, states, inputs, outputs and forces of control)"},
    {"--quiet", NULL, "no word about where it is"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

const cli_command command_report = {
    "report", "FILE", "all about a model on one page: equations, forces, figures, the motion", 1, 1, options, run};
