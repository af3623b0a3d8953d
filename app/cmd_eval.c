/* mech eval: one instant of a model, every force and why. */
#include "common.h"
#include "state_option.h"
#include "start.h"
#include "say.h"

#include <mech/output.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* coordinates or rows: beyond it a diagnosis takes longer than a person waits */
enum { LARGEST_DIAGNOSED = 200 };
#define SYMMETRIC 1e-12 /* of two entries of a weight: they are one where they differ by less */

typedef struct job {
    const cli_args *args;
    opened file;
    mech_system *system;
    mech_instant *instant;
    mech_instant_input at;
    double *q, *v, *z, *given, *W, gains[2];
    start_facts start;
    int is_assembled; /* moved onto the constraints */
} job;

static int complain(const char *what, const char *about)
{
    if (about) say("mech eval: %s '%s'\n", what, about);
    else say("mech eval: %s\n", what);
    return EXIT_USAGE;
}

static int read_number(const char *option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*value)) return EXIT_OK;
    say("mech eval: %s wants a number, not '%s'\n", option, text);
    return EXIT_USAGE;
}

/* ---- names ---- */

/* One value of the state: "x", "x'" or a first-order state. */
static int set_state(job *j, const char *assignment)
{
    state_value given;
    const int code = read_state(j->system, "eval", assignment, &given);
    if (code != EXIT_OK) return code;
    double *list = given.variable == MECH_VARIABLE_Z ? j->z : given.variable == MECH_VARIABLE_V ? j->v : j->q;
    start_fix(&j->start, list, given.variable, given.index, given.value);
    return EXIT_OK;
}

/* --inverse "x=1,y''=0": accelerations by coordinate. */
static int read_inverse(job *j, const char *text)
{
    const size_t n = mech_system_sizes(j->system).coords;
    char part[256], name[128];
    j->given = malloc(n * sizeof *j->given);
    if (!j->given) return show_text(MECH_ERR_MEMORY, NULL);
    for (size_t i = 0; i < n; i++) j->given[i] = (double)NAN;
    while (*text) {
        const size_t length = strcspn(text, ",");
        double value;
        if (length >= sizeof part) return complain("--inverse takes NAME=VALUE,...", NULL);
        memcpy(part, text, length);
        part[length] = '\0';
        if (!split_assignment(part, name, sizeof name, &value)) return EXIT_USAGE;
        for (size_t end = strlen(name); end > 0 && name[end - 1] == '\''; end--) name[end - 1] = '\0';
        const size_t coord = mech_system_find(j->system, MECH_ITEM_COORD, name);
        if (coord == SIZE_MAX) return unknown_coordinate(j->system, "eval", name);
        if (!isnan(j->given[coord])) return complain("--inverse gives twice the acceleration of", name);
        j->given[coord] = value;
        text += length + (text[length] == ',');
    }
    j->at.given = j->given;
    return EXIT_OK;
}

/* ---- weight ---- */

/* Numbers of a square matrix, row by row, separated by blanks, commas or lines; # starts a comment. */
static int read_matrix(FILE *in, double *W, size_t count)
{
    size_t found = 0;
    char word[64];
    for (int c = getc(in); c != EOF;) {
        size_t length = 0;
        if (c == '#')
            while (c != EOF && c != '\n') c = getc(in);
        while (c != EOF && !strchr(" \t\r\n,;#", c) && length + 1 < sizeof word) {
            word[length++] = (char)c;
            c = getc(in);
        }
        if (length == 0) {
            if (c != EOF && c != '#') c = getc(in);
            continue;
        }
        char *end;
        word[length] = '\0';
        const double value = strtod(word, &end);
        if (*end != '\0' || !isfinite(value) || found == count) return 0;
        W[found++] = value;
    }
    return found == count;
}

static int read_weight(job *j, const char *word)
{
    if (!word) return EXIT_OK;
    if (strcmp(word, "nature") == 0 || strcmp(word, "identity") == 0) {
        j->at.weight = *word == 'n' ? MECH_WEIGHT_NATURE : MECH_WEIGHT_IDENTITY;
        return EXIT_OK;
    }
    const mech_sizes sizes = mech_system_sizes(j->system);
    const int has_control = sizes.rows > sizes.natural_rows || cli_value(j->args, "--inverse");
    const size_t k = has_control && sizes.actuators ? sizes.actuators : sizes.coords;
    FILE *in = open_regular(word);
    if (!in) return complain("--weight takes nature, identity or a file of numbers, not", word);
    j->W = malloc(k * k * sizeof *j->W);
    const int fits = j->W && read_matrix(in, j->W, k * k);
    fclose(in);
    if (!fits) {
        say("mech eval: '%s' is not a matrix of %zu x %zu numbers\n", word, k, k);
        return EXIT_USAGE;
    }
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < a; b++)
            if (fabs(j->W[a + b * k] - j->W[b + a * k]) > SYMMETRIC * (fabs(j->W[a + b * k]) + fabs(j->W[b + a * k])))
                return complain("a weight is symmetric, unlike the one of", word);
    j->at.weight = MECH_WEIGHT_GIVEN;
    j->at.W = j->W;
    return EXIT_OK;
}

/* ---- the run ---- */

static int prepare(job *j)
{
    mech_status status = mech_system_from_model(j->file.model, j->file.diagnostics, &j->system);
    if (status != MECH_OK) {
        return report_diagnostics(&j->file, status);
    }
    const mech_sizes sizes = mech_system_sizes(j->system);
    if (sizes.coords == 0) return complain("the model has no coordinates", NULL);
    status = mech_instant_create(j->system, cli_value(j->args, "--inverse") ? MECH_INSTANT_INVERSE : 0, &j->instant);
    j->q = calloc(sizes.coords, sizeof *j->q);
    j->v = calloc(sizes.coords, sizeof *j->v);
    j->z = calloc(sizes.states + 1, sizeof *j->z);
    if (status == MECH_OK && (!j->q || !j->v || !j->z)) status = MECH_ERR_MEMORY;
    if (status != MECH_OK) return show_text(status, NULL);
    j->at.q = j->q;
    j->at.v = j->v;
    j->at.z = j->z;
    j->at.skip_diagnosis = sizes.coords > LARGEST_DIAGNOSED || sizes.rows > LARGEST_DIAGNOSED;
    return EXIT_OK;
}

static int read_options(job *j)
{
    const char *at = cli_value(j->args, "--at"), *tolerance = cli_value(j->args, "--rank-tol");
    const char *inverse = cli_value(j->args, "--inverse"), *start = cli_value(j->args, "--start"),
               *gains = cli_value(j->args, "--gains");
    int code = EXIT_OK;
    double from = 0;
    if (mech_eval_option(mech_instant_eval(j->instant), "from", &from, NULL) && isfinite(from)) j->at.t = from;
    if (at) code = read_number("--at", at, &j->at.t);
    if (code == EXIT_OK && tolerance) code = read_number("--rank-tol", tolerance, &j->at.rank_tol);
    if (code == EXIT_OK && tolerance && !(j->at.rank_tol > 0 && j->at.rank_tol < 1))
        code = complain("--rank-tol lies between 0 and 1, unlike", tolerance);
    if (code == EXIT_OK && start && strcmp(start, "as-given") != 0 && strcmp(start, "assemble") != 0)
        code = complain("--start takes assemble or as-given, not", start);
    if (code == EXIT_OK && gains && !read_pair(gains, j->gains))
        code = complain("--gains wants two numbers, B,K, not", gains);
    if (gains) j->at.gains = j->gains;
    if (code == EXIT_OK && inverse) code = read_inverse(j, inverse);
    return code == EXIT_OK ? read_weight(j, cli_value(j->args, "--weight")) : code;
}

static int find_state(job *j)
{
    const char *start = cli_value(j->args, "--start");
    int code = start_begin(&j->start, j->system, j->instant, j->at.t, j->q, j->v, j->z);
    for (size_t i = 0; i < j->args->given_count && code == EXIT_OK; i++)
        if (strcmp(j->args->given[i].option->name, "--state") == 0) code = set_state(j, j->args->given[i].value);
    if (code != EXIT_OK || (start && strcmp(start, "as-given") == 0)) return code;
    j->is_assembled = 1;
    return start_assemble(&j->start, j->at.t, j->q, j->v, j->z);
}

static int report(job *j, mech_status solved)
{
    mech_instant_report options;
    mech_contradictions found = {0};
    char *text = NULL, *words = solved == MECH_OK ? NULL : mech_instant_explain(j->instant);
    const char *why = words;
    if (solved == MECH_OK && !j->is_assembled) { /* else the assembly has seen to it */
        solved = mech_find_contradictions(j->instant, &found);
        why = found.rows ? found.words : NULL;
        if (solved == MECH_ERR_MEMORY) return show_text(solved, NULL);
    }
    int code = exit_code(solved);
    mech_instant_report_default(&options, sizeof options);
    options.format = cli_value(j->args, "--json") ? MECH_REPORT_JSON : MECH_REPORT_TEXT;
    options.title = j->args->operands[0];
    options.start = j->start.words;
    options.moves = j->start.moves;
    options.move_count = j->start.move_count;
    options.failure = why;
    options.contradicts = found.rows;
    if (solved == MECH_OK || solved == MECH_ERR_CONFLICT) {
        const mech_status written = mech_report_instant(j->instant, &options, &text);
        const int shown = show_text(written, text);
        if (code == EXIT_OK) code = shown;
    }
    if (why) say("mech eval: %s: %s\n", j->args->operands[0], why);
    mech_text_free(words);
    mech_contradictions_clear(&found);
    return code;
}

static int run(const cli_args *args)
{
    job j = {.args = args};
    mech_instant_input_default(&j.at, sizeof j.at);
    int code = open_model(args, args->operands[0], &j.file);
    if (code == EXIT_OK) code = prepare(&j);
    if (code == EXIT_OK) code = read_options(&j);
    if (code == EXIT_OK) code = find_state(&j);
    if (code == EXIT_OK) code = report(&j, mech_instant_solve(j.instant, &j.at));
    start_end(&j.start);
    mech_instant_free(j.instant);
    mech_system_free(j.system);
    close_model(&j.file);
    free(j.q);
    free(j.v);
    free(j.z);
    free(j.given);
    free(j.W);
    return code;
}

static const cli_option options[] = {
    {"--at", "TIME", "the instant (default: where the model's simulation begins, else 0)"},
    OPTION_SET,
    {"--state", "NAME=VALUE", "another start: x=1, x'=2 or a state; may be repeated"},
    {"--start", "assemble|as-given", "move the start onto the constraints (default), or take it as written"},
    {"--weight", "nature|identity|FILE", "of the force that keeps the constraints; FILE: a matrix W"},
    {"--gains", "B,K", "gains of control, and of the excess variables where the model has them (default: the model's)"},
    {"--rank-tol", "X", "a row depends on others when less than this part of it is left (default 1e-10)"},
    {"--inverse", "NAME=VALUE,...", "accelerations; prints the actuator forces that produce them, the others follow"},
    {"--json", NULL, "all of it, for a program"},
    {NULL, NULL, NULL},
};

const cli_command command_eval = {"eval",  "FILE", "one instant: accelerations and every force, explained", 1, 1,
                                  options, run};
