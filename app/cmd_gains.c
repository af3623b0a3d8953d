/* mech gains: B and K of the excess variables, proposed and examined. */
#include "analysis.h"
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int positive(const analysis *a, const char *option, double *value)
{
    const char *text = cli_value(a->args, option);
    char *end;
    if (!text) return 1;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && *value > 0 && isfinite(*value)) return 1;
    say("mech gains: %s wants a number above 0, not '%s'\n", option, text);
    return 0;
}

/* m x m numbers, row by row, from a file: 1 done, 0 after a message. */
static int read_matrix(const char *path, size_t m, double *X)
{
    FILE *file = open_regular(path);
    size_t found = 0;
    double value;
    while (file && found < m * m && fscanf(file, " %lf%*[ ,;]", &value) == 1) {
        X[found / m + found % m * m] = value;
        found++;
    }
    if (file) fclose(file);
    if (found == m * m) return 1;
    say("mech gains: '%s' does not hold %zu x %zu numbers\n", path, m, m);
    return 0;
}

/* --energies A,C,W: files of Deressa's matrices. */
static int read_energies(const analysis *a, double *B, double *K)
{
    const size_t m = a->sizes.rows, cells = m * m;
    char paths[1024], *next = paths;
    double *X = calloc(3 * cells + 1, sizeof *X);
    int ok = X && snprintf(paths, sizeof paths, "%s", cli_value(a->args, "--energies")) < (int)sizeof paths;
    for (size_t k = 0; k < 3 && ok; k++) {
        char *comma = strchr(next, ',');
        if (comma) *comma = '\0';
        ok = (k == 2) == !comma && read_matrix(next, m, X + k * cells);
        next = comma ? comma + 1 : next;
    }
    if (ok && mech_gains_from_energies((int)m, X, X + cells, X + 2 * cells, B, K) != MECH_OK) {
        say("mech gains: the first of the matrices is singular\n");
        ok = 0;
    } else if (!ok) {
        say("mech gains: --energies takes three files, A,C,W, with one row of numbers for each "
            "constraint row\n");
    }
    free(X);
    return ok;
}

static int propose(analysis *a)
{
    mech_gains_options o;
    const size_t m = a->sizes.rows;
    mech_gains *gains = NULL;
    char *text = NULL;
    mech_gains_options_default(&o, sizeof o);
    const mech_equilibrium_options begin = analysis_begin(a);
    const mech_status seen = mech_gains_look(a->system, a->eval, &begin, &o);
    if (seen != MECH_OK) return analysis_failed(a, seen);
    if (!positive(a, "--decay", &o.decay) || !positive(a, "--time", &o.time_scale) ||
        !positive(a, "--damping", &o.damping) || !positive(a, "--step", &o.step))
        return EXIT_USAGE;
    double *given = calloc(2 * m * m + 1, sizeof *given);
    int code = given ? EXIT_OK : show_text(MECH_ERR_MEMORY, NULL);
    if (code == EXIT_OK && cli_value(a->args, "--energies")) {
        if (!read_energies(a, given, given + m * m)) code = EXIT_USAGE;
        o.B = given;
    } else if (code == EXIT_OK && cli_value(a->args, "--model")) {
        if (!mech_gains_of_model(a->eval, given, given + m * m))
            code = analysis_complain(a, "the model has no gains: it has no 'stabilize' with values", NULL);
        o.B = given;
    } else if (code == EXIT_OK && a->gains) {
        memcpy(given, a->gains, 2 * m * m * sizeof *given);
        o.B = given;
    }
    if (o.B) o.K = given + m * m;
    if (code == EXIT_OK) {
        mech_status status = mech_gains_create(a->system, a->eval, &o, &gains);
        if (status == MECH_OK)
            status =
                mech_report_gains(a->system, mech_gains_get(gains), a->args->operands[0], analysis_format(a), &text);
        code = show_text(status, text);
    }
    mech_gains_free(gains);
    free(given);
    return code;
}

static int run(const cli_args *args)
{
    analysis a;
    int code = analysis_open(&a, args, "gains");
    if (code == EXIT_OK && a.sizes.frictions) code = analysis_set_friction_aside(&a, MECH_FRICTION_READING_LEFT_OUT);
    if (code == EXIT_OK) code = propose(&a);
    analysis_close(&a);
    return code;
}

static const cli_option options[] = {
    {"--decay", "RATE", "wanted decay of the drift, 1/s (default: 100 over the time scale)"},
    {"--time", "T", "time scale of the run, s (default: the model's, else 10)"},
    {"--damping", "D", "1 is critical (default)"},
    {"--step", "H", "the run's fixed step, to see whether it bears the gains"},
    {"--model", NULL, "examine the model's own gains"},
    {"--energies", "A,C,W", "examine B = A^-1 C, K = A^-1 W (Deressa); three files of numbers"},
    OPTION_GAINS,
    OPTION_STATE,
    OPTION_TIME,
    OPTION_SET,
    {"--json", NULL, "for a program"},
    {NULL, NULL, NULL},
};

const cli_command command_gains = {"gains", "FILE", "gains B and K that hold the drift down", 1, 1, options, run};
