/* The linear system from inputs to outputs: Bode's and Nyquist's figures, the answer to a step; as figures or
   numbers. */
#include "linear_figures.h"

#include "guard.h"
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { BODE, NYQUIST, STEP, KINDS } kind;
static const char *const options[KINDS] = {"--bode", "--nyquist", "--step"};

typedef struct table { /* columns of numbers with names, x first */
    const analysis *a;
    const mech_linear_result *l;
    kind kind;
    size_t rows, pairs, columns; /* columns: 1 + pairs times 1 or 2 */
    double *x;                   /* (rows) */
    double *data;                /* (rows x columns) */
    char **names;                /* (columns) */
} table;

static void name_pair(const table *t, size_t pair, const char *what, char *to, size_t size)
{
    const size_t outputs = (size_t)t->l->outputs;
    snprintf(to, size, "%s%s from %s%s", what, mech_system_name(t->a->system, MECH_ITEM_OUTPUT, pair % outputs),
             mech_system_name(t->a->system, MECH_ITEM_INPUT, pair / outputs), *what ? ")" : "");
}

static int name_columns(table *t)
{
    static const char *const words[KINDS][2] = {{"amplitude(", "phase("}, {"re(", "im("}, {"", ""}};
    for (size_t k = 0; k < t->columns; k++) {
        char name[300];
        const size_t each = t->kind == STEP ? 1 : 2;
        if (k == 0) snprintf(name, sizeof name, "%s", t->kind == STEP ? "t" : "omega");
        else name_pair(t, (k - 1) / each, words[t->kind][(k - 1) % each], name, sizeof name);
        t->names[k] = malloc(strlen(name) + 1);
        if (!t->names[k]) return 0;
        strcpy(t->names[k], name);
    }
    return 1;
}

/* The answer at each frequency or time, computed pair by pair, into its columns. */
static mech_status fill(table *t, double until)
{
    const size_t cells = t->rows * t->pairs, each = t->kind == STEP ? 1 : 2;
    double *first = malloc((each * cells + 1) * sizeof *first), *second = first ? first + cells : NULL;
    mech_status status = first ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK && t->kind == BODE) status = mech_linear_bode(t->l, t->x, t->rows, first, second);
    for (size_t k = 0; k < t->rows && status == MECH_OK && t->kind == NYQUIST; k++)
        status = mech_linear_frequency(t->l, t->x[k], first + k * t->pairs, second + k * t->pairs);
    const double dt = until / (double)(t->rows - 1);
    if (status == MECH_OK && t->kind == STEP) status = mech_linear_step(t->l, dt, t->rows, first);
    for (size_t k = 0; k < t->rows && status == MECH_OK; k++) {
        double *row = t->data + k * t->columns;
        row[0] = t->kind == STEP ? dt * (double)k : t->x[k];
        for (size_t c = 0; c < each * t->pairs; c++) row[1 + c] = first[c % each * cells + k * t->pairs + c / each];
    }
    free(first);
    return status;
}

static mech_status write_numbers(const table *t, const char *path)
{
    mech_csv *csv = NULL;
    mech_status status = mech_csv_open(path, (const char *const *)t->names, t->columns, &csv);
    for (size_t k = 0; k < t->rows && status == MECH_OK; k++) status = mech_csv_row(csv, t->data + k * t->columns);
    if (status == MECH_OK) return mech_csv_commit(csv);
    mech_csv_abandon(csv);
    return status;
}

/* A curve of column y over column x. */
static mech_curve curve_of(const table *t, size_t x, size_t y, const char *name)
{
    return (mech_curve){.x = t->data + x,
                        .y = t->data + y,
                        .x_stride = t->columns,
                        .y_stride = t->columns,
                        .count = t->rows,
                        .name = name};
}

/* Two panels for Bode, one for the others; the legend has the pairs. */
static int draw(const table *t, const char *path)
{
    const size_t panels = t->kind == BODE ? 2 : 1;
    mech_curve *curves = malloc(2 * t->pairs * sizeof *curves);
    char(*names)[300] = malloc(t->pairs * sizeof *names);
    int code = EXIT_NUMBERS;
    if (curves && names) {
        for (size_t p = 0; p < t->pairs; p++) {
            name_pair(t, p, "", names[p], sizeof names[p]);
            curves[p] = t->kind == NYQUIST ? curve_of(t, 1 + 2 * p, 2 + 2 * p, names[p])
                        : t->kind == STEP  ? curve_of(t, 0, 1 + p, names[p])
                                           : curve_of(t, 0, 1 + 2 * p, names[p]);
            curves[t->pairs + p] = t->kind == BODE ? curve_of(t, 0, 2 + 2 * p, names[p]) : curves[p];
        }
        const mech_panel panel[2] = {{.size = sizeof *panel,
                                      .curves = curves,
                                      .curve_count = t->pairs,
                                      .log_x = t->kind == BODE,
                                      .log_y = t->kind == BODE,
                                      .equal_axes = t->kind == NYQUIST,
                                      .is_time = t->kind != NYQUIST,
                                      .x_label = t->kind == BODE   ? "frequency [rad/s]"
                                                 : t->kind == STEP ? "t [s]"
                                                                   : "real part",
                                      .y_label = t->kind == BODE   ? t->pairs > 1 ? "amplitude" : names[0]
                                                   : t->kind == STEP ? t->pairs > 1 ? "after a step of 1" : names[0]
                                                                     : "imaginary part"},
                                     {.size = sizeof *panel,
                                      .curves = curves + t->pairs,
                                      .curve_count = t->pairs,
                                      .log_x = 1,
                                      .is_time = 1,
                                      .x_label = "frequency [rad/s]",
                                      .y_label = "phase [deg]"}};
        const mech_sheet sheet = {
            .size = sizeof sheet, .panels = panel, .panel_count = panels, .title = short_path(t->a->args->operands[0])};
        code = draw_sheet("linearize", &sheet, path);
    } else code = show_text(MECH_ERR_MEMORY, NULL);
    free(curves);
    free(names);
    return code;
}

static int make(const analysis *a, kind which, const char *path)
{
    const mech_linear_result *l = mech_linear_get(a->linear);
    table t = {.a = a, .l = l, .kind = which, .pairs = (size_t)l->inputs * (size_t)l->outputs};
    double until = 0;
    t.columns = 1 + t.pairs * (which == STEP ? 1 : 2);
    t.x = malloc(mech_linear_frequencies(l, NULL) * sizeof *t.x);
    t.names = calloc(t.columns, sizeof *t.names);
    t.rows = which == STEP ? mech_linear_times(l, &until) : t.x ? mech_linear_frequencies(l, t.x) : 0;
    t.data = malloc((t.rows * t.columns + 1) * sizeof *t.data);
    mech_status status = t.x && t.names && t.data && name_columns(&t) ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = fill(&t, until);
    int code = EXIT_OK;
    if (status == MECH_OK && has_ending(path, ".csv")) status = write_numbers(&t, path);
    else if (status == MECH_OK) code = draw(&t, path);
    if (status == MECH_ERR_FILE)
        say("mech linearize: '%s' cannot be written (the disk is full, or another run is writing it)\n", path);
    if (status != MECH_OK) code = status == MECH_ERR_FILE ? EXIT_NUMBERS : show_text(status, NULL);
    for (size_t k = 0; t.names && k < t.columns; k++) free(t.names[k]);
    free(t.names);
    free(t.data);
    free(t.x);
    return code;
}

int linear_figures_make_sense(const cli_args *args)
{
    for (int k = 0; k < KINDS; k++) {
        const char *path = cli_value(args, options[k]);
        if (!path || is_figure(path) || has_ending(path, ".csv")) continue;
        say("mech linearize: %s takes a figure (.svg, .pdf, .png, or - for the terminal) or a .csv file, not '%s'\n",
            options[k], path);
        return 0;
    }
    return 1;
}

/* Constraints that move with an input may contradict one another as soon as it does. */
static int may_move(const analysis *a, const char *option)
{
    const mech_linear_result *l = mech_linear_get(a->linear);
    for (size_t u = 0; u < (size_t)l->inputs; u++)
        for (size_t i = 0; i < (size_t)l->order; i++)
            if (isnan(l->by_input[i + u * (size_t)l->order]) && !l->input_kinks[u]) {
                say("mech linearize: %s: the constraints contradict one another as soon as the input %s moves\n",
                    option, mech_system_name(a->system, MECH_ITEM_INPUT, u));
                return 0;
            }
    return 1;
}

/* A step has infinite rates: outputs that these act on directly have no answer to it. */
static int is_finite_after_a_step(const analysis *a)
{
    const mech_linear_result *l = mech_linear_get(a->linear);
    const size_t outputs = (size_t)l->outputs, pairs = outputs * (size_t)l->inputs;
    for (size_t k = 0; k < pairs; k++) {
        if (!(fabs(l->reduced_D1[k]) > 0) && !(fabs(l->reduced_D2[k]) > 0)) continue;
        say("mech linearize: --step: output %s follows %s of the input %s, which a step makes infinite: --bode takes it, "
            "and 'mech run' an input that rises smoothly\n",
            mech_system_name(a->system, MECH_ITEM_OUTPUT, k % outputs),
            fabs(l->reduced_D2[k]) > 0 ? "the second derivative" : "the rate",
            mech_system_name(a->system, MECH_ITEM_INPUT, k / outputs));
        return 0;
    }
    return 1;
}

int linear_figures(const analysis *a)
{
    const mech_linear_result *l = mech_linear_get(a->linear);
    int code = EXIT_OK;
    for (int k = 0; k < KINDS && code == EXIT_OK; k++) {
        const char *path = cli_value(a->args, options[k]);
        const guard_file file = {
            .what = "the figure", .option = options[k], .path = path && strcmp(path, "-") != 0 ? path : NULL};
        if (!path) continue;
        if (!l->inputs || !l->outputs) {
            say("mech linearize: %s goes from inputs to outputs, and the model has no %s: write %s\n", options[k],
                l->inputs ? "output" : "input", l->inputs ? "output y = x" : "input u = 0, and a force u on x'");
            return EXIT_MODEL;
        }
        if (!may_move(a, options[k])) return EXIT_MODEL;
        if (k == STEP && !is_finite_after_a_step(a)) return EXIT_MODEL;
        code = guard_files("linearize", a->system, NULL, &file, 1);
        if (code == EXIT_OK) code = make(a, (kind)k, path);
    }
    return code;
}
