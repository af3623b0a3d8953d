/* mech run: the motion of a model, to a file, with an account at the end. */
#include "common.h"
#include "guard.h"
#include "page.h"
#include "run.h"
#include "say.h"

#include <mech/output.h>
#include <mech/simulate.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A run that is asked to stop ends within two seconds or so: with a checkpoint to write after the step it is in, unless
   that takes too long or it is asked again; else within the step, at the next solve; and where even that does not end,
   all at once. The files are fit for that at any moment; only rows on standard output may end amid one. */
enum { STEP_PATIENCE = 5, SOLVE_PATIENCE = 2 };
static volatile sig_atomic_t interrupted, is_urgent, waits_for_step; /* interrupted: the signal's number */
static char last_words[4400];

static void on_signal(int number)
{
    if (interrupted || !waits_for_step) is_urgent = 1;
    interrupted = number;
    (void)alarm(is_urgent ? SOLVE_PATIENCE : STEP_PATIENCE);
}

static void on_alarm(int number)
{
    (void)number;
    if (is_urgent) {
        const ssize_t count = write(2, last_words, strlen(last_words));
        (void)count;
        _exit(EXIT_SIGNAL + interrupted);
    }
    is_urgent = 1;
    (void)alarm(SOLVE_PATIENCE);
}

/* rows: the file they go to, or NULL. */
static void watch_signals(const char *rows, int keeps_checkpoints)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    waits_for_step = keeps_checkpoints;
    snprintf(last_words, sizeof last_words, "\nmech run: interrupted amid a computation that takes long%s%s%s\n",
             rows ? "; the rows so far are in '" : "", rows ? rows : "", rows ? ".part'" : "");
}

/* From here on a signal ends the process at once: results are written aside and take their name last. */
static void stop_watching(void)
{
    (void)alarm(0);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGALRM, SIG_DFL);
}

typedef struct sink { /* where the rows go */
    const char *path;
    int is_mat, to_stdout;
    mech_csv *csv;
    mech_status status;
    mech_sim *sim;
    const mech_model *model;
    size_t rows;            /* so far */
    mech_motion_code *code; /* NULL: none                                       */
    run_checkpoint checkpoint;
    int is_muted;               /* while a run that is taken up starts              */
    volatile sig_atomic_t stop; /* interrupted, and the checkpoint of it is written */
    /* the progress bar */
    int show_progress;
    struct timespec began, shown;
} sink;

static double seconds_since(struct timespec then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then.tv_sec) + (double)(now.tv_nsec - then.tv_nsec) / 1e9;
}

/* Whether all went well with standard output so far; what did not is told when the command ends. */
static mech_status output_status(void)
{
    if (!ferror(stdout)) return MECH_OK;
    say_output_failed();
    return MECH_ERR_FILE;
}

static int on_row(void *user, const double *row, size_t columns)
{
    sink *s = user;
    if (s->is_muted) return 0;
    s->rows++;
    if (s->to_stdout) {
        for (size_t i = 0; i < columns; i++) printf("%s%.17g", i ? "," : "", row[i]);
        putchar('\n');
        s->status = output_status();
    } else if (s->csv) {
        s->status = mech_csv_row(s->csv, row);
    }
    return s->status != MECH_OK;
}

static int on_progress(void *user, double t, double from, double until)
{
    sink *s = user;
    enum { WIDTH = 30 };
    const int asked = interrupted != 0;
    run_checkpoint_write(&s->checkpoint, s->sim, s->csv, from, until, asked);
    s->stop = asked;
    if (!s->show_progress || seconds_since(s->shown) < 0.1) return 0;
    clock_gettime(CLOCK_MONOTONIC, &s->shown);
    const double part = until > from ? (t - from) / (until - from) : 1, spent = seconds_since(s->began);
    const int full = part < 0 ? 0 : part > 1 ? WIDTH : (int)(part * WIDTH);
    fprintf(stderr, "\r[%.*s%.*s] t = %-10.4g %5.1f %%  %.3g s/s ", full, "##############################",
            WIDTH - full, "..............................", t, 100 * part, spent > 0 ? (t - from) / spent : 0);
    return 0;
}

static void clear_progress(const sink *s)
{
    if (s->show_progress) fprintf(stderr, "\r%78s\r", "");
}

/* The names of the trajectory's columns as a list; freed by the caller. */
static const char **column_names(const mech_trajectory *trajectory, size_t *columns)
{
    *columns = mech_trajectory_columns(trajectory);
    const char **names = malloc((*columns + 1) * sizeof *names);
    for (size_t i = 0; names && i < *columns; i++) names[i] = mech_trajectory_name(trajectory, i);
    return names;
}

static mech_status open_sink(sink *s, const mech_trajectory *trajectory)
{
    size_t columns;
    const char **names = column_names(trajectory, &columns);
    mech_status status = names ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK && s->to_stdout)
        for (size_t i = 0; i < columns; i++) {
            const char *quote = strchr(names[i], ',') ? "\"" : ""; /* e[2,3] is one field */
            printf("%s%s%s%s%s", i ? "," : "", quote, names[i], quote, i + 1 == columns ? "\n" : "");
        }
    else if (status == MECH_OK && !s->is_mat) status = mech_csv_open(s->path, names, columns, &s->csv);
    free(names);
    return status;
}

static mech_status write_mat(const char *path, const mech_trajectory *trajectory)
{
    mech_table table;
    mech_status status = mech_table_from_run(trajectory, &table);
    if (status == MECH_OK) status = mech_mat_write(path, &table);
    mech_table_free(&table);
    return status;
}

/* After a good run: the file takes its name. */
static mech_status close_sink(sink *s, const mech_trajectory *trajectory)
{
    if (s->to_stdout) {
        (void)fflush(stdout);
        return output_status();
    }
    if (s->is_mat) return write_mat(s->path, trajectory);
    mech_csv *csv = s->csv;
    s->csv = NULL;
    const mech_status status = mech_csv_commit(csv);
    return status == MECH_OK ? mech_about_write(s->path, s->sim) : status;
}

static int file_failed(const sink *s, mech_status status)
{
    if (s->to_stdout)
        return status == MECH_ERR_MEMORY ? show_text(status, NULL) : EXIT_NUMBERS; /* told at the end of the command */
    if (status == MECH_ERR_MEMORY)
        say("mech run: '%s' cannot be written: out of memory; an earlier one is untouched\n", s->path);
    else if (status == MECH_ERR_LIMIT)
        say("mech run: '%s' cannot be written: more than the 2 GiB that a variable of a MATLAB 5 file holds; an earlier one is untouched\n",
            s->path);
    else
        say("mech run: '%s' cannot be written (the disk is full, or another run is writing it); an earlier one is untouched\n",
            s->path);
    return EXIT_NUMBERS;
}

static void report_failure(const mech_sim *sim, const mech_system *system, const sink *s, mech_status status)
{
    const char *why = mech_sim_error_text(sim);
    say("mech run: %s\n", why && *why ? why : mech_status_text(status));
    if (!mech_sim_has_started(sim)) return;
    const double *q = mech_sim_q(sim), *v = mech_sim_v(sim), *z = mech_sim_states(sim);
    const size_t n = mech_system_sizes(system).coords, states = mech_system_sizes(system).states;
    say("  last good state: t = %.17g", mech_sim_time(sim));
    for (size_t i = 0; q && v && i < n && i < 8; i++) {
        const char *name = mech_system_name(system, MECH_ITEM_COORD, i);
        say(", %s = %.10g, %s' = %.10g", name, q[i], name, v[i]);
    }
    for (size_t i = 0; z && n + i < 8 && i < states; i++)
        say(", %s = %.10g", mech_system_name(system, MECH_ITEM_STATE, i), z[i]);
    say(n + states > 8 ? ", ...\n" : "\n");
    if (mech_csv_has_rows(s->csv))
        say("  the rows so far are in '%s.part'; an earlier '%s' is untouched\n", s->path, s->path);
    if (s->checkpoint.is_written && status == MECH_ERR_INTERRUPTED)
        say("  to go on: the same command with --resume %s\n", s->checkpoint.path);
}

/* More rows than a run may write: whoever asked for them is told. */
static int failure_code(const cli_args *args, const mech_sim *sim, mech_status status)
{
    if (status == MECH_ERR_INTERRUPTED && interrupted) return EXIT_SIGNAL + interrupted;
    const int asks = cli_value(args, "--points") || cli_value(args, "--step") || cli_value(args, "--until") ||
                     cli_value(args, "--from");
    return status == MECH_ERR_LIMIT && !mech_sim_has_started(sim) && asks ? EXIT_USAGE : exit_code(status);
}

/* How many pictures show the motion: 25 for a second of it, within bounds. */
static size_t picture_count(const mech_sim *sim, double *span)
{
    enum { A_SECOND = 25, FEWEST = 50, MOST = 500 };
    const mech_trajectory *t = mech_sim_curve(sim);
    *span = mech_trajectory_row(t, mech_trajectory_rows(t) - 1)[0] - mech_trajectory_row(t, 0)[0];
    const double wanted = *span * A_SECOND;
    return wanted >= MOST ? MOST : wanted <= FEWEST ? FEWEST : (size_t)wanted;
}

static void say_pictures(const mech_sim *sim, const char *path)
{
    double span;
    const size_t count = picture_count(sim, &span);
    printf("%zu pictures in %s, 25 a second: a second shows %.3g of the motion\n", count, path,
           span * 25 / (double)count);
}

/* The motion as a film or as pictures: EXIT_OK, or the exit code after a message. */
static int film(const sink *s, const mech_system *system, const char *path)
{
    const char *by = NULL;
    double span;
    mech_scene *scene = NULL;
    mech_status status = mech_scene_create(s->model, system, &scene);
    if (status == MECH_OK) status = mech_scene_film(scene, s->sim, picture_count(s->sim, &span), path, &by);
    mech_scene_free(scene);
    if (status == MECH_OK) return EXIT_OK;
    if (status == MECH_ERR_UNSUPPORTED)
        say("mech run: '%s' is made by the program %s, which is not installed (Debian: %s); frame-%%04d.svg and .html need none\n",
            path, by, strcmp(by, "ffmpeg") == 0 ? "ffmpeg" : "librsvg2-bin");
    else if (status == MECH_ERR_ARGUMENT)
        say("mech run: nothing is drawn of this model, so that --animate has no pictures: a 'draw' statement would show it\n");
    else if (status == MECH_ERR_FILE && by)
        say("mech run: '%s' could not be made: %s failed, or there was no room for it\n", path, by);
    else if (status == MECH_ERR_FILE) say("mech run: '%s' could not be written: there was no room for it\n", path);
    else return show_text(status, NULL);
    return EXIT_NUMBERS;
}

/* The motion as a page: EXIT_OK, or the exit code after a message. */
static int animate(const cli_args *args, const sink *s, const mech_system *system, const char *path)
{
    if (!has_ending(path, ".html")) return film(s, system, path);
    page p = {.count = 0};
    page_add_run(&p, s->sim, s->model, system, cli_value(args, "--show"));
    const int code = page_write(&p, "run", short_path(args->operands[0]), path);
    page_free(&p);
    return code;
}

static int finish_run(const cli_args *args, mech_sim *sim, const mech_system *system, sink *s, mech_status status)
{
    stop_watching();
    clear_progress(s);
    if (status != MECH_OK) {
        if (s->status != MECH_OK) return file_failed(s, s->status);
        report_failure(sim, system, s, status);
        if (cli_value(args, "--json")) (void)run_summary_json(sim, system, status, NULL);
        return failure_code(args, sim, status);
    }
    const mech_trajectory *trajectory = mech_sim_trajectory(sim);
    status = close_sink(s, trajectory);
    if (status != MECH_OK) return file_failed(s, status);
    run_checkpoint_end(&s->checkpoint);
    const char *figure = cli_value(args, "--plot");
    const int drawn = figure ? run_plot(sim, system, figure, args->operands[0], cli_value(args, "--show")) : EXIT_OK;
    if (drawn != EXIT_OK) return drawn;
    const char *moving = cli_value(args, "--animate");
    const int shown = moving ? animate(args, s, system, moving) : EXIT_OK;
    if (shown != EXIT_OK) return shown;
    const int is_verbose = cli_value(args, "--verbose") != NULL, is_page = moving && has_ending(moving, ".html");
    if (cli_value(args, "--json")) {
        const int code = run_summary_json(sim, system, MECH_OK, s->to_stdout ? NULL : s->path);
        if (code != EXIT_OK) return code;
    } else if (!cli_value(args, "--quiet") && !s->to_stdout &&
               !run_summary_text(sim, system, is_verbose, s->path, s->checkpoint.resume ? 0 : s->rows, figure,
                                 is_page ? moving : NULL))
        return EXIT_NUMBERS;
    else if (!cli_value(args, "--quiet") && !s->to_stdout && moving && !is_page) say_pictures(sim, moving);
    if (!*mech_sim_warning(sim) || cli_value(args, "--allow-imbalance")) return EXIT_OK;
    say("mech run: warning: %s\n", mech_sim_warning(sim));
    say("  the rows are written; --allow-imbalance takes this for a success\n");
    return EXIT_IMBALANCE;
}

/* From the start, or from a checkpoint: the exit code. */
static int begin_and_run(const cli_args *args, mech_system *system, mech_sim *sim, sink *s)
{
    const char *resume = s->checkpoint.resume;
    s->status = resume ? MECH_OK : open_sink(s, mech_sim_trajectory(sim));
    if (s->status != MECH_OK) return file_failed(s, s->status);
    s->is_muted = resume != NULL;
    mech_status status = run_native_start(args, system, sim, &interrupted, &s->code);
    s->is_muted = 0;
    const int taken = status == MECH_OK && resume
                          ? run_checkpoint_take_up(&s->checkpoint, sim, s->path, !s->is_mat, &s->csv)
                          : EXIT_OK;
    if (taken != EXIT_OK) return taken;
    if (status == MECH_OK) status = mech_sim_run(sim);
    return finish_run(args, sim, system, s, status);
}

static int run_system(const cli_args *args, mech_system *system, mech_sim_settings *settings, sink *s)
{
    mech_sim *sim = NULL;
    settings->interrupt = &s->stop;
    settings->interrupt_now = &is_urgent;
    settings->on_row = on_row;
    settings->on_progress = on_progress;
    settings->user = s;
    mech_status status = mech_sim_create(system, settings, &sim);
    if (status != MECH_OK) {
        say("mech run: %s\n", mech_status_text(status));
        return exit_code(status);
    }
    watch_signals(s->to_stdout || s->is_mat ? NULL : s->path, s->checkpoint.path != NULL);
    clock_gettime(CLOCK_MONOTONIC, &s->began);
    s->shown = s->began;
    s->sim = sim;
    const int code = begin_and_run(args, system, sim, s);
    mech_csv_abandon(s->csv);
    mech_sim_free(sim);
    mech_motion_code_free(s->code);
    return code;
}

/* model.csv for some/where/model.mech */
static void default_path(const char *model, char *path, size_t size)
{
    const char *base = strrchr(model, '/');
    base = base ? base + 1 : model;
    const char *ending = strrchr(base, '.');
    const size_t length = ending && ending > base ? (size_t)(ending - base) : strlen(base);
    snprintf(path, size, "%.*s.csv", (int)length, base);
}

/* What can be said before the model is read. */
static int names_make_sense(const cli_args *args, const sink *s)
{
    const char *figure = cli_value(args, "--plot"), *moving = cli_value(args, "--animate");
    if (!s->to_stdout && !s->is_mat && !has_ending(s->path, ".csv"))
        say("mech run: -o takes a name that ends in .csv or .mat, or - for standard output, not '%s'\n", s->path);
    else if (figure && !is_figure(figure))
        say("mech run: a figure's name ends in .svg, .pdf or .png, or is - for the terminal, not '%s'\n", figure);
    else if (moving && !has_ending(moving, ".html") && !mech_film_is_name(moving))
        say("mech run: --animate takes a name that ends in .html, .gif or .mp4, or a numbered one such as frame-%%04d.svg or frame-%%04d.png, not '%s'\n",
            moving);
    else if (cli_value(args, "--show") && !figure && !moving)
        say("mech run: --show chooses the curves of --plot, which is not there\n");
    else if (s->to_stdout && figure && strcmp(figure, "-") == 0)
        say("mech run: rows and a figure cannot both go to standard output\n");
    else if (s->to_stdout && cli_value(args, "--json"))
        say("mech run: rows and --json cannot both go to standard output\n");
    else return 1;
    return 0;
}

/* A checkpoint may take the place of the one the run goes on from; nothing else may. */
static int files_make_sense(const cli_args *args, const mech_system *system, const sink *s)
{
    const run_checkpoint *c = &s->checkpoint;
    const char *figure = cli_value(args, "--plot");
    const char *const reads[] = {c->resume && !guard_is_same(c->resume, c->path) ? c->resume : NULL, NULL};
    const guard_file writes[] = {
        {.what = "the rows", .option = "-o", .path = s->to_stdout ? NULL : s->path},
        {.what = "the figure", .option = "--plot", .path = figure && strcmp(figure, "-") != 0 ? figure : NULL},
        {.what = "the page", .option = "--animate", .path = cli_value(args, "--animate")},
        {.what = "the checkpoint", .option = "--checkpoint", .path = c->path, .may_fail = 1}};
    return guard_files("run", system, reads, writes, sizeof writes / sizeof *writes);
}

/* Methods that want exact derivatives, at once or later. */
static int may_turn_stiff(mech_method method)
{
    return method != MECH_METHOD_RK5 && method != MECH_METHOD_RK8 && method != MECH_METHOD_ADAMS &&
           method != MECH_METHOD_MOREAU;
}

static int run(const cli_args *args)
{
    char path[4096];
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    run_gains gains;
    if (!run_settings(args, &settings, &gains) || !run_native_is_known(args)) return EXIT_USAGE;
    default_path(args->operands[0], path, sizeof path);
    sink s = {.path = cli_value(args, "-o") ? cli_value(args, "-o") : path};
    const char *ending = strrchr(s.path, '.');
    s.to_stdout = strcmp(s.path, "-") == 0;
    s.is_mat = ending && strcmp(ending, ".mat") == 0;
    s.show_progress = isatty(2) && !cli_value(args, "--quiet");
    settings.keep_trajectory = s.is_mat || cli_value(args, "--plot") || cli_value(args, "--animate");
    settings.follow =
        MECH_FOLLOW_ROWS | (cli_value(args, "--plot") || cli_value(args, "--animate") ? MECH_FOLLOW_KEPT : 0);
    if (cli_value(args, "--animate")) settings.columns |= MECH_COLUMNS_ACCELERATIONS | MECH_COLUMNS_MULTIPLIERS;
    if (!run_checkpoint_options(args, s.path, &s.checkpoint) || !names_make_sense(args, &s)) return EXIT_USAGE;
    opened file;
    int code = open_model(args, args->operands[0], &file);
    mech_system *system = NULL;
    if (code == EXIT_OK) {
        const mech_system_options with = {.size = sizeof with, .with_derivatives = may_turn_stiff(settings.method)};
        const mech_status status = mech_system_create(file.model, &with, file.diagnostics, &system);
        code = status == MECH_OK ? files_make_sense(args, system, &s) : report_diagnostics(&file, status);
        s.model = file.model;
        if (code == EXIT_OK) code = run_system(args, system, &settings, &s);
    }
    mech_system_free(system);
    close_model(&file);
    return code;
}

static const cli_option options[] = {
    {"-o", "FILE", "where the rows go: .csv, .mat, or - for standard output (default: the model's name with .csv)"},
    {"--until", "T", "end time (default: what the model says, else 1)"},
    {"--from", "T", "start time (default: what the model says, else 0)"},
    {"--points", "N",
     "rows from start to end, evenly (default: what the model says, else 101 and more where the motion bends: at most 12801)"},
    {"--step", "H", "time between rows, in place of --points"},
    {"--rtol", "E", "relative error per step (default: 1e-9)"},
    {"--atol", "E", "absolute error per step, in the units of the model (default: 1e-12)"},
    {"--max-step", "H", "longest step (default: none)"},
    {"--resolution", "T",
     "crossings of events and kinks farther apart than this are not missed (default: a millionth of the run)"},
    {"--method", "auto|rk8|rk5|bdf|adams|irk|moreau",
     "integrator (default: auto, which is rk8 and, for stiff problems, bdf)"},
    {"--stabilize", "project|excess|none", "how the motion is kept on the constraints (default: project)"},
    {"--gains", "B,K", "damping and stiffness of control and of the excess variables (default: the model's)"},
    {"--start", "assemble|as-given", "whether the start is first moved onto the constraints (default: assemble)"},
    {"--columns", "LIST", "further columns: accelerations, multipliers, forces, residuals, inputs"},
    {"--rank-tol", "E",
     "a row depends on others when less than this part of it is left (default: 1e-10; 1e-7 without projection)"},
    {"--native", "auto|on|off",
     "compile the equations when that pays (auto), always (on: what is in the way is said), or never"},
    {"--no-native", NULL, "the same as --native off"},
    {"--checkpoint", "FILE", "now and then write FILE, from which a run that was ended goes on"},
    {"--checkpoint-every", "T",
     "model time between two (default: a hundredth of the whole, and 1000 steps of bdf or adams)"},
    {"--checkpoint-steps", "N", "steps between two, in place of --checkpoint-every"},
    {"--resume", "FILE", "go on from a checkpoint, with the same model and options"},
    {"--plot", "FILE", "draw the motion, whatever the rows: .svg, .pdf or .png; - draws on the terminal"},
    {"--animate", "FILE",
     "the motion as a page that moves (.html), as a film (.gif, .mp4), or as pictures (frame-%04d.svg or .png); the rows have accelerations and multipliers too, for arrows"},
    {"--show", "NAME,...", "which curves (default: coordinates, states, inputs, outputs and forces of control)"},
    {"--allow-imbalance", NULL,
     "no warning, and no exit code 5, where the account misses by more than the errors of the steps explain"},
    {"--verbose", NULL, "the whole account at the end, in place of three lines"},
    {"--json", NULL, "the whole account for a program"},
    {"--quiet", NULL, "no progress and no account"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

const cli_command command_run = {"run", "FILE", "integrate the motion and report every force", 1, 1, options, run};
