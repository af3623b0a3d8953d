/* mech sweep: many runs of a model, one row each. */
#include "common.h"
#include "guard.h"
#include "run.h"
#include "say.h"
#include "sweep.h"

#include <mech/output.h>

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted; /* the signal's number */

static void on_signal(int number) { interrupted = number; }

static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal,
                               .sa_flags = (int)SA_RESETHAND}; /* asked twice, it ends at once */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

enum { MOST_NOTES = 3, NOTE_SIZE = 600 };

typedef struct sweep {
    const cli_args *args;
    const mech_system *system;
    const mech_sim_settings *settings;
    mech_motion_code *code; /* for whole runs; NULL: none was needed, or can be had */
    mech_plan *plan;
    const char *path;
    mech_runs *file;
    mech_status file_status;
    size_t columns, measures, first, runs;
    double *row;
    double *all;              /* (runs x (columns + measures)) for the figure; NULL: none */
    unsigned char *is_choice; /* (measures) one choice of many, in one run at least */
    char first_failure[600];
    size_t failed, warned, noted;
    size_t notes; /* of different kinds, the first of each */
    struct {
        size_t run;
        char text[NOTE_SIZE];
    } note[MOST_NOTES];
    int show_progress;
    struct timespec began, shown;
} sweep;

static double seconds_since(struct timespec then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then.tv_sec) + (double)(now.tv_nsec - then.tv_nsec) / 1e9;
}

static void show_progress(sweep *s, size_t done)
{
    if (!s->show_progress || seconds_since(s->shown) < 0.2) return;
    clock_gettime(CLOCK_MONOTONIC, &s->shown);
    const double spent = seconds_since(s->began), now = (double)(done - s->first),
                 left = spent * (double)(s->runs - done) / fmax(now, 1);
    fprintf(stderr, "\r%zu of %zu runs, %zu failed, about %.3g s left        ", done, s->runs, s->failed, left);
}

/* Beyond a number: times and sizes do not make a note another one. */
static const char *beyond_number(const char *text)
{
    char *end = NULL;
    if (!isdigit((unsigned char)*text) && !(*text == '-' && isdigit((unsigned char)text[1]))) return text;
    (void)strtod(text, &end);
    return end;
}

static int is_alike(const char *a, const char *b)
{
    for (;; a++, b++) {
        a = beyond_number(a);
        b = beyond_number(b);
        if (*a != *b) return 0;
        if (!*a) return 1;
    }
}

static void keep_note(sweep *s, size_t run, const char *text)
{
    char cut[NOTE_SIZE];
    snprintf(cut, sizeof cut, "%s", text);
    s->noted++;
    for (size_t i = 0; i < s->notes; i++)
        if (is_alike(cut, s->note[i].text)) return;
    if (s->notes == MOST_NOTES) return;
    s->note[s->notes].run = run;
    memcpy(s->note[s->notes++].text, cut, sizeof cut);
}

static int on_run(void *user, const mech_ensemble_result *r)
{
    static const char note[] = "note: ";
    sweep *s = user;
    const int is_noted = r->status == MECH_OK && strncmp(r->reason, note, sizeof note - 1) == 0;
    const int is_warned = r->status == MECH_OK && *r->reason && !is_noted;
    if (is_noted) keep_note(s, r->run, r->reason + sizeof note - 1);
    s->row[0] = (double)r->run;
    memcpy(s->row + 1, r->values, s->columns * sizeof *s->row);
    if (s->measures) memcpy(s->row + 1 + s->columns, r->measures, s->measures * sizeof *s->row);
    if (r->status != MECH_OK && s->failed == 0)
        snprintf(s->first_failure, sizeof s->first_failure, "run %zu: %s", r->run, r->reason);
    s->failed += r->status != MECH_OK;
    s->warned += is_warned != 0;
    for (size_t i = 0; i < s->measures && s->file_status == MECH_OK; i++)
        if (r->measure_is_choice[i]) s->file_status = mech_runs_mark(s->file, 1 + s->columns + i);
    if (s->file_status == MECH_OK)
        s->file_status = mech_runs_row(s->file, s->row,
                                       r->status != MECH_OK ? "failed"
                                       : is_warned          ? "warning"
                                                            : "ok",
                                       r->reason);
    const size_t width = s->columns + s->measures;
    if (s->all) memcpy(s->all + r->run * width, s->row + 1, width * sizeof *s->row);
    show_progress(s, r->run + 1);
    return s->file_status != MECH_OK;
}

/* ---- the file ---- */

static const char **column_names(const sweep *s)
{
    const char **names = malloc((1 + s->columns + s->measures) * sizeof *names);
    if (!names) return NULL;
    names[0] = "run";
    for (size_t i = 0; i < s->columns; i++) names[1 + i] = mech_plan_name(s->plan, i);
    for (size_t i = 0; i < s->measures; i++)
        names[1 + s->columns + i] = mech_system_name(s->system, MECH_ITEM_MEASURE, i);
    return names;
}

static int file_failed(const sweep *s, mech_status status)
{
    if (status == MECH_ERR_UNSUPPORTED)
        say("mech sweep: '%s' asks for HDF5, which the core build has not, and others by its library (on Debian: libhdf5-103-1); a name "
            "that ends in .csv needs none\n",
            s->path);
    else if (status == MECH_ERR_MODEL)
        say("mech sweep: 'run', 'status' and 'reason' are columns of the file already: give what is varied or measured "
            "another name in the model\n");
    else
        say("mech sweep: '%s' cannot be written (%s); an earlier one is untouched\n", s->path,
            status == MECH_ERR_MEMORY ? "out of memory" : "the disk is full, or another one is writing it");
    return status == MECH_ERR_MODEL ? EXIT_MODEL : EXIT_NUMBERS;
}

/* Runs were made, and the file fails: what stands is not lost. */
static int rows_failed(const sweep *s, mech_status status)
{
    const int code = file_failed(s, status);
    say("  the rows that were written are in '%s.part'; with more room, the same command with --resume goes on\n",
        s->path);
    return code;
}

/* Are the rows that stand those of this plan? The last one tells. MECH_ERR_ARGUMENT: they are not. */
static mech_status compare_plan(const sweep *s, size_t rows)
{
    double *values = malloc((s->columns + 1) * sizeof *values);
    if (!values) return MECH_ERR_MEMORY;
    int is_same = rows == 0 || (rows <= s->runs && s->row[0] == (double)(rows - 1));
    if (rows && is_same) {
        mech_plan_point(s->plan, rows - 1, values);
        for (size_t i = 0; i < s->columns; i++) is_same &= values[i] == s->row[1 + i];
    }
    free(values);
    return is_same ? MECH_OK : MECH_ERR_ARGUMENT;
}

static int go_on(sweep *s, const char *const *names, const char *mark)
{
    mech_status status = mech_runs_resume(s->path, names, 1 + s->columns + s->measures, &s->first, s->row, &s->file);
    if (status == MECH_OK) status = compare_plan(s, s->first);
    if (status == MECH_ERR_FILE)
        say("mech sweep: there is no '%s.part' to go on with, or another one is writing it\n", s->path);
    else if (status == MECH_ERR_ARGUMENT)
        say("mech sweep: '%s.part' is of another sweep: --resume wants the same model and the same options\n", s->path);
    else if (status == MECH_OK && (status = mech_runs_made_by(s->file, mark)) == MECH_ERR_ARGUMENT)
        say("mech sweep: '%s.part' is of a model, data or options that were others, or of an earlier version: without "
            "--resume the sweep begins anew\n",
            s->path);
    else return status == MECH_OK ? EXIT_OK : file_failed(s, status);
    return EXIT_USAGE;
}

static int give_units(sweep *s)
{
    mech_status status = MECH_OK;
    for (size_t i = 0; i < s->columns && status == MECH_OK; i++)
        status = mech_runs_unit(s->file, 1 + i, sweep_unit(s->system, s->plan, i));
    for (size_t i = 0; i < s->measures && status == MECH_OK; i++)
        status = mech_runs_unit(s->file, 1 + s->columns + i, mech_system_unit(s->system, MECH_ITEM_MEASURE, i));
    return status == MECH_OK;
}

static int open_file(sweep *s)
{
    const char **names = column_names(s);
    s->row = malloc((1 + s->columns + s->measures) * sizeof *s->row);
    s->is_choice = calloc(s->measures + 1, 1);
    if (!names || !s->row || !s->is_choice) {
        free(names);
        return file_failed(s, MECH_ERR_MEMORY);
    }
    int code = EXIT_OK;
    char mark[SWEEP_MARK];
    sweep_mark(s->args, s->system, mark);
    if (cli_value(s->args, "--resume")) code = go_on(s, names, mark);
    else {
        mech_status status = mech_runs_open(s->path, names, 1 + s->columns + s->measures, &s->file);
        if (status == MECH_OK) status = mech_runs_made_by(s->file, mark);
        if (status != MECH_OK) code = file_failed(s, status);
    }
    free(names);
    return code == EXIT_OK && !give_units(s) ? file_failed(s, MECH_ERR_MEMORY) : code;
}

/* ---- the runs ---- */

/* Code for whole runs, made where the model itself starts; without one where it does not. */
static const mech_motion_code *make_code(void *user)
{
    sweep *s = user;
    mech_sim *sim = NULL;
    if (mech_sim_create(s->system, s->settings, &sim) != MECH_OK) return NULL;
    const mech_status status = run_native_start(s->args, s->system, sim, &interrupted, &s->code);
    (void)status; /* whether runs can start is theirs to say */
    mech_sim_free(sim);
    return s->code;
}

/* "note: measures share, pull are not unique": one line, however many. */
static void note_choices(const sweep *s)
{
    size_t count = 0, said = 0;
    for (size_t i = 0; i < s->measures; i++) count += s->is_choice[i];
    if (count == 0) return;
    printf("note: measure%s ", count > 1 ? "s" : "");
    for (size_t i = 0; i < s->measures; i++)
        if (s->is_choice[i]) printf("%s%s", said++ ? ", " : "", mech_system_name(s->system, MECH_ITEM_MEASURE, i));
    printf(" %s not unique, in one run at least: %s one choice of many\n", count > 1 ? "are" : "is",
           count > 1 ? "they are" : "it is");
}

static void say_choices_json(const sweep *s)
{
    size_t said = 0;
    printf(",\n  \"least_norm_measures\": [");
    for (size_t i = 0; i < s->measures; i++) {
        if (!s->is_choice[i]) continue;
        if (said++) printf(", ");
        say_json_text(mech_system_name(s->system, MECH_ITEM_MEASURE, i));
    }
    printf("]");
}

static void say_account(const sweep *s, const mech_ensemble_info *info)
{
    if (cli_value(s->args, "--quiet")) return;
    if (cli_value(s->args, "--json")) {
        printf(
            "{\n  \"runs\": %zu,\n  \"failed\": %zu,\n  \"warned\": %zu,\n  \"noted\": %zu,\n  \"on\": \"%s\",\n  \"made_whole\": %zu,\n  \"ranks\": %zu,\n  \"threads\": %zu,\n  \"file\": ",
            s->runs, s->failed, s->warned, s->noted, mech_on_word(info->on), info->handed_on, info->ranks,
            info->threads);
        say_json_text(s->path);
        say_choices_json(s);
        printf("\n}\n");
        say_json_is_written();
        return;
    }
    const char *on = info->on == MECH_ON_THREADS ? "" : mech_on_word(info->on), *and = *on ? " on " : "";
    printf("%zu runs by ", s->runs - s->first);
    if (info->ranks > 1) printf("%zu ranks with ", info->ranks);
    printf("%zu thread%s%s%s%s: ", info->threads, info->threads == 1 ? "" : "s", info->ranks > 1 ? " each" : "", and,
           on);
    if (s->failed == 0 && s->warned == 0) printf("all went well%s", s->noted ? "" : "\n");
    else printf("%zu failed, %zu with a warning%s", s->failed, s->warned, s->noted ? "" : "\n");
    if (s->noted) printf(", %zu with a note\n", s->noted);
    if (info->handed_on)
        printf("%zu of them were made whole, one at a time: they were in doubt on %s\n", info->handed_on, on);
    if (s->failed) printf("the first that failed: %s\n", s->first_failure);
    for (size_t i = 0; i < s->notes; i++) printf("note: run %zu: %s\n", s->note[i].run, s->note[i].text);
    note_choices(s);
    printf("rows in %s\n", s->path);
}

static int finish(sweep *s, mech_status status, const mech_ensemble_info *info)
{
    if (s->show_progress) fprintf(stderr, "\r%70s\r", "");
    if (s->file_status != MECH_OK) return rows_failed(s, s->file_status);
    if (status == MECH_ERR_FILE) {
        say("mech sweep: the rows of a run cannot be written to '%s'\n", cli_value(s->args, "--trajectories"));
        say("  %zu of %zu runs are done, in '%s.part'; the same command with --resume goes on\n", s->first + info->done,
            s->runs, s->path);
        return EXIT_NUMBERS;
    }
    const char *on = cli_value(s->args, "--on");
    if (status == MECH_ERR_UNSUPPORTED) say("mech sweep: --on %s: %s\n", on ? on : "auto", info->why);
    if (status == MECH_ERR_UNSUPPORTED && info->threads == 0) return EXIT_USAGE; /* it never began */
    if (status != MECH_OK) {
        if (status != MECH_ERR_UNSUPPORTED)
            say("mech sweep: %s\n", interrupted ? "interrupted" : mech_status_text(status));
        say("  %zu of %zu runs are done, in '%s.part'; the same command with --resume goes on\n", s->first + info->done,
            s->runs, s->path);
        return interrupted ? EXIT_SIGNAL + interrupted : exit_code(status);
    }
    mech_runs *file = s->file;
    for (size_t i = 0; i < s->measures; i++)
        s->is_choice[i] = (unsigned char)mech_runs_is_marked(file, 1 + s->columns + i);
    s->file = NULL;
    status = mech_runs_commit(file);
    if (status != MECH_OK) return rows_failed(s, status);
    const char *figure = cli_value(s->args, "--plot");
    const int drawn = figure ? sweep_plot(s->system, s->plan, s->all, s->args->operands[0], figure) : EXIT_OK;
    if (drawn != EXIT_OK) return drawn;
    say_account(s, info);
    return s->runs > s->first && s->failed == s->runs - s->first ? EXIT_NUMBERS : EXIT_OK;
}

static int on_what(const cli_args *args, mech_on *on)
{
    const char *word = cli_value(args, "--on");
    if (!word || (*on = mech_on_find(word)) != MECH_ON_COUNT) return 1;
    say("mech sweep: --on takes auto, lanes, threads, mpi or cuda, not '%s'\n", word);
    return 0;
}

/* This process as one of several: 1, and which one; 0 after a message. */
static int join_ranks(size_t *rank)
{
    char part[4096], why[300];
    size_t ranks;
    const int is_there = find_part("mpi.so", part, sizeof part);
    if (mech_ensemble_join(is_there ? part : NULL, rank, &ranks, why, sizeof why) == MECH_OK) return 1;
    say("mech sweep: --on mpi: %s\n", why);
    return 0;
}

/* The runs of this process; those of all of them come to rank 0. */
static int run_some(sweep *s, mech_ensemble_settings *all, size_t rank)
{
    mech_ensemble_info info = {.size = sizeof info};
    watch_signals();
    clock_gettime(CLOCK_MONOTONIC, &s->began);
    s->shown = s->began;
    all->make_code = make_code;
    all->make_code_user = s;
    all->first = s->first;
    all->interrupt = &interrupted;
    all->on_run = rank == 0 ? on_run : NULL;
    all->user = s;
    const mech_status status = mech_ensemble_run(s->plan, all, &info);
    int code = EXIT_OK;
    if (rank == 0) code = finish(s, status, &info);
    else if (status != MECH_OK) {
        say("mech sweep: rank %zu: %s\n", rank, interrupted ? "interrupted" : mech_status_text(status));
        code = interrupted ? EXIT_SIGNAL + interrupted : exit_code(status);
    }
    return code;
}

/* Rank 0 has no file: the others wait for their first runs, and are told that there are none. */
static void send_others_away(const sweep *s, mech_ensemble_settings *all)
{
    static const volatile sig_atomic_t at_once = 1;
    all->interrupt = &at_once;
    const mech_status status = mech_ensemble_run(s->plan, all, NULL);
    (void)status;
}

static int equal_steps(const cli_args *args, double *step)
{
    const char *text = cli_value(args, "--equal-steps");
    char *end;
    if (!text) return 1;
    *step = strtod(text, &end);
    if (end != text && !*end && *step > 0 && isfinite(*step)) return 1;
    say("mech sweep: --equal-steps takes a length of time above 0, not '%s'\n", text);
    return 0;
}

static int want_trajectories(const cli_args *args, mech_ensemble_settings *all)
{
    static char folder[3000];
    const char *wanted = cli_value(args, "--trajectories");
    static const char *const rows[] = {"--points", "--step", "--columns"};
    for (size_t k = 0; k < 3 && !wanted; k++) {
        if (!cli_value(args, rows[k])) continue;
        say("mech sweep: %s is for the rows of whole runs: --trajectories FOLDER keeps them\n", rows[k]);
        return 0;
    }
    if (!wanted) return 1;
    if (snprintf(folder, sizeof folder, "%s", wanted) >= (int)sizeof folder || !sweep_make_folder(folder)) {
        say("mech sweep: the folder '%s' of --trajectories cannot be made\n", wanted);
        return 0;
    }
    all->on_end = sweep_write_rows;
    all->on_end_user = folder;
    return 1;
}

static int run_all(sweep *s)
{
    mech_ensemble_settings all;
    size_t rank = 0;
    mech_ensemble_settings_default(&all, sizeof all);
    all.run = s->settings;
    if (!thread_count(s->args, "sweep", &all.threads) || !on_what(s->args, &all.on) || !equal_steps(s->args, &all.step))
        return EXIT_USAGE;
    enum { MOST_SHOWN = 1000000000 }; /* numbers of a figure */
    const size_t numbers = s->columns + s->measures;
    if (cli_value(s->args, "--plot") && s->runs <= MOST_SHOWN / (numbers + 1))
        s->all = calloc(s->runs, numbers * sizeof *s->all);
    if (cli_value(s->args, "--plot") && !s->all) {
        say("mech sweep: there is no memory for a figure of %zu runs; the rows alone need none\n", s->runs);
        return EXIT_NUMBERS;
    }
    if (!want_trajectories(s->args, &all)) return EXIT_USAGE;
    if (all.on == MECH_ON_MPI && !join_ranks(&rank)) return EXIT_USAGE;
    const int code = rank == 0 ? open_file(s) : EXIT_OK;
    if (code == EXIT_OK) return run_some(s, &all, rank);
    if (all.on == MECH_ON_MPI) send_others_away(s, &all);
    return code;
}

static int files_make_sense(const sweep *s)
{
    const char *tables[CLI_MOST_VALUES + 1];
    const char *figure = cli_value(s->args, "--plot");
    const guard_file writes[] = {
        {.what = "the rows", .option = "-o", .path = s->path},
        {.what = "the figure", .option = "--plot", .path = figure && strcmp(figure, "-") != 0 ? figure : NULL}};
    sweep_tables(s->args, tables);
    if (figure && !is_figure(figure)) {
        say("mech sweep: a figure's name ends in .svg, .pdf or .png, or is - for the terminal, not '%s'\n", figure);
        return EXIT_USAGE;
    }
    if (figure && cli_value(s->args, "--resume")) {
        say("mech sweep: a figure is of all runs, and --resume makes those that are left\n");
        return EXIT_USAGE;
    }
    if (has_ending(s->path, ".csv") || mech_runs_is_hdf5(s->path))
        return guard_files("sweep", s->system, tables, writes, 2);
    say("mech sweep: -o takes a name that ends in .csv, .h5 or .hdf5, not '%s'\n", s->path);
    return EXIT_USAGE;
}

static int with_system(const cli_args *args, const mech_system *system, const mech_sim_settings *settings)
{
    char path[4096];
    const char *base = strrchr(args->operands[0], '/'), *given = cli_value(args, "-o");
    base = base ? base + 1 : args->operands[0];
    snprintf(path, sizeof path, "%.*s.sweep.csv", (int)strcspn(base, "."), base);
    sweep s = {.args = args, .system = system, .settings = settings, .path = given ? given : path};
    s.show_progress = isatty(2) && !cli_value(args, "--quiet");
    s.measures = mech_system_sizes(system).measures;
    if (s.measures == 0) {
        say("mech sweep: the model has no measure, so that nothing would be kept of a run: measure NAME: max of expression\n");
        return EXIT_MODEL;
    }
    int code = files_make_sense(&s);
    if (code == EXIT_OK) code = mech_plan_create(system, &s.plan) == MECH_OK ? sweep_plan(args, s.plan) : EXIT_NUMBERS;
    if (code == EXIT_OK) {
        s.columns = mech_plan_columns(s.plan);
        s.runs = mech_plan_runs(s.plan);
        code = run_all(&s);
    }
    mech_motion_code_free(s.code);
    mech_runs_abandon(s.file);
    mech_plan_free(s.plan);
    free(s.row);
    free(s.is_choice);
    free(s.all);
    return code;
}

static int run(const cli_args *args)
{
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    run_gains gains;
    if (!run_settings(args, &settings, &gains) || !run_native_is_known(args)) return EXIT_USAGE;
    opened file;
    int code = open_model(args, args->operands[0], &file);
    mech_system *system = NULL;
    if (code == EXIT_OK) {
        const int is_explicit = settings.method == MECH_METHOD_RK5 || settings.method == MECH_METHOD_RK8 ||
                                settings.method == MECH_METHOD_ADAMS;
        const mech_system_options with = {.size = sizeof with, .with_derivatives = !is_explicit};
        const mech_status status = mech_system_create(file.model, &with, file.diagnostics, &system);
        code = status == MECH_OK ? with_system(args, system, &settings) : report_diagnostics(&file, status);
    }
    mech_system_free(system);
    close_model(&file);
    return code;
}

static const cli_option options[] = {
    {"--vary", "WHAT", "k=1:10:50, k=log:1:100:20, k=uniform:0:1, k=normal:1:0.1, or table.csv; may be repeated"},
    {"--samples", "N", "how often what is drawn is drawn"},
    {"--sequence", "random|sobol", "how it is drawn (default: random)"},
    {"--seed", "S", "a whole number: others draw others (default: 0)"},
    {"-o", "FILE", "where the rows go, one a run: .csv, or .h5 for HDF5 (default: the model's name with .sweep.csv)"},
    {"--trajectories", "FOLDER", "keep the rows of each run too, in FOLDER/run-NUMBER.csv"},
    {"--points", "N", "rows of each, with --trajectories (default: what the model says, else 101)"},
    {"--step", "H", "time between the rows of each, with --trajectories"},
    {"--columns", "LIST", "further columns of each, with --trajectories: accelerations, multipliers, forces, ..."},
    {"--plot", "FILE", "draw the measures: over one name, a map over two, else histograms; .svg, .pdf, .png or -"},
    {"--resume", NULL, "go on with a sweep that was ended, with the same model and options"},
    {"--threads", "N", "runs at a time (default: one a processor); the rows are the same"},
    {"--on", "auto|lanes|threads|mpi|cuda", "what makes the runs (default: auto, by the model)"},
    {"--equal-steps", "H", "steps of about this length, of order 4 and without an error test; with --on cuda"},
    {"--until", "T", "end time (default: what the model says, else 1)"},
    {"--from", "T", "start time (default: what the model says, else 0)"},
    {"--rtol", "E", "relative error per step (default: 1e-9)"},
    {"--atol", "E", "absolute error per step, in the units of the model (default: 1e-12)"},
    {"--max-step", "H", "longest step (default: none)"},
    {"--resolution", "T", "crossings of events and kinks farther apart than this are not missed"},
    {"--method", "auto|rk8|rk5|bdf|adams|irk|moreau", "integrator (default: auto)"},
    {"--stabilize", "project|excess|none", "how the motion is kept on the constraints (default: project)"},
    {"--gains", "B,K", "damping and stiffness of control and of the excess variables (default: the model's)"},
    {"--start", "assemble|as-given", "whether the start is first moved onto the constraints (default: assemble)"},
    {"--rank-tol", "E", "a row depends on others when less than this part of it is left"},
    {"--native", "auto|on|off", "compile the equations when that pays (auto), always (on), or never"},
    {"--no-native", NULL, "the same as --native off"},
    {"--json", NULL, "the account for a program"},
    {"--quiet", NULL, "no progress and no account"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

const cli_command command_sweep = {"sweep", "FILE", "many runs over parameters and starts, one row each", 1, 1,
                                   options, run};
