#include "analysis.h"
#include "guard.h"
#include "start.h"
#include "state_option.h"
#include "say.h"

#include <mech/assemble.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int analysis_complain(const analysis *a, const char *what, const char *about)
{
    if (about) say("mech %s: %s '%s'\n", a->word, what, about);
    else say("mech %s: %s\n", a->word, what);
    return EXIT_USAGE;
}

/* Where no equilibrium is found: 1 after saying that the constraints cannot even be met, or not from there. */
static int explain_conflict(const analysis *a)
{
    mech_assemble_options options;
    mech_eval *eval = NULL;
    mech_assembly *assembly = NULL;
    mech_assemble_options_default(&options, sizeof options);
    options.t = a->t;
    mech_status status = mech_eval_create(a->system, MECH_STORAGE_DENSE, &eval);
    if (status == MECH_OK) status = mech_assembly_create(eval, &assembly);
    if (status == MECH_OK) status = mech_assemble(assembly, &options);
    const int conflicts = status == MECH_ERR_CONFLICT || status == MECH_ERR_NO_START;
    if (conflicts) say("mech %s: %s: %s\n", a->word, a->args->operands[0], mech_assembly_error_text(assembly));
    mech_assembly_free(assembly);
    mech_eval_free(eval);
    return conflicts;
}

/* What is in the way of the analysis: of the state that was looked at last, of the matrix, or of the search, unless the
   point is given. */
static const char *obstacle_of(const analysis *a)
{
    const int only_rests = strcmp(a->word, "equilibrium") == 0;
    const char *linear = a->why ? a->why : only_rests ? NULL : mech_analyze_obstacle(a->system);
    return linear || cli_value(a->args, "--here") ? linear : mech_equilibrium_obstacle(a->system);
}

int analysis_failed(const analysis *a, mech_status status)
{
    if ((status == MECH_ERR_NO_EQUILIBRIUM || status == MECH_ERR_NO_START) && explain_conflict(a)) return EXIT_CONFLICT;
    const char *obstacle = status == MECH_ERR_UNSUPPORTED && a->system ? obstacle_of(a) : NULL;
    char *why = a->eval && status == MECH_ERR_NOT_FINITE ? mech_eval_explain(a->eval) : NULL;
    say("mech %s: %s: %s\n", a->word, a->args->operands[0], obstacle ? obstacle : why ? why : mech_status_text(status));
    analysis_why(a, status);
    mech_text_free(why);
    return exit_code(status);
}

int analysis_may_write(const analysis *a, const char *what, const char *path)
{
    const guard_file file = {.what = what, .option = "-o", .path = path};
    return guard_files(a->word, a->system, NULL, &file, 1);
}

int analysis_write(const analysis *a, const char *path)
{
    const mech_status status = mech_linear_write(path, a->system, mech_linear_get(a->linear));
    if (status == MECH_OK) return EXIT_OK;
    say("mech %s: '%s' cannot be written: %s\n", a->word, path, mech_status_text(status));
    return EXIT_NUMBERS; /* as mech run ends: the model is not to blame */
}

mech_report_format analysis_format(const analysis *a)
{
    return cli_value(a->args, "--json") ? MECH_REPORT_JSON : MECH_REPORT_TEXT;
}

/* ---- where to look ---- */

static int set_state(analysis *a, const char *assignment)
{
    state_value given;
    const int code = read_state(a->system, a->word, assignment, &given);
    if (code != EXIT_OK) return code;
    const size_t n = a->sizes.coords;
    const size_t first = given.variable == MECH_VARIABLE_Q ? 0 : given.variable == MECH_VARIABLE_V ? n : 2 * n;
    a->begin[first + given.index] = given.value;
    return EXIT_OK;
}

/* Where friction is held or left out the start is still that of the model as it is: held, nothing moves. */
static int find_start(const analysis *a)
{
    const mech_sizes with_friction = a->friction_system ? mech_system_sizes(a->friction_system) : a->sizes;
    const int is_same = with_friction.coords == a->sizes.coords && with_friction.states == a->sizes.states;
    const int is_needed = cli_value(a->args, "--here") && !cli_value(a->args, "--state");
    return start_find(a->friction_system && is_same ? a->friction_system : a->system, a->t, a->begin, is_needed, a->x);
}

static int read_gains(analysis *a)
{
    const char *text = cli_value(a->args, "--gains");
    const size_t m = a->sizes.rows;
    if (!text) return EXIT_OK;
    double pair[2];
    if (!read_pair(text, pair)) return analysis_complain(a, "--gains wants two numbers, B,K, not", text);
    a->gains = calloc(2 * m * m + 1, sizeof *a->gains);
    if (!a->gains) return show_text(MECH_ERR_MEMORY, NULL);
    a->at.B = a->gains;
    a->at.K = a->gains + m * m;
    mech_gains_fill(a->system, pair[0], pair[1], a->gains, a->gains + m * m);
    return EXIT_OK;
}

/* System and guess from the file that is open. */
static int prepare(analysis *a)
{
    const cli_args *args = a->args;
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    mech_status status = mech_system_create(a->file.model, &with, a->file.diagnostics, &a->system);
    if (status != MECH_OK) {
        return report_diagnostics(&a->file, status);
    }
    a->sizes = mech_system_sizes(a->system);
    if (a->sizes.coords == 0) return analysis_complain(a, "the model has no coordinates", NULL);
    status = mech_eval_create(a->system, MECH_STORAGE_DENSE, &a->eval);
    const size_t order = 2 * a->sizes.coords + a->sizes.states;
    a->x = calloc(2 * order + 1, sizeof *a->x);
    if (status == MECH_OK && !a->x) status = MECH_ERR_MEMORY;
    if (status != MECH_OK) return analysis_failed(a, status);
    a->begin = a->x + order;
    for (size_t i = 0; i < order; i++) a->begin[i] = NAN;
    double from;
    const char *at = cli_value(args, "--at");
    if (mech_eval_option(a->eval, "from", &from, NULL) && isfinite(from)) a->t = from;
    if (at) {
        char *end;
        a->t = strtod(at, &end);
        if (end == at || *end || !isfinite(a->t)) return analysis_complain(a, "--at wants a number, not", at);
    }
    int code = EXIT_OK;
    for (size_t i = 0; i < args->given_count && code == EXIT_OK; i++)
        if (strcmp(args->given[i].option->name, "--state") == 0) code = set_state(a, args->given[i].value);
    if (code == EXIT_OK) code = find_start(a);
    return code == EXIT_OK ? read_gains(a) : code;
}

/* Friction does not matter to gains, and equilibria know how to deal with it. */
static int looks_for_obstacle(const analysis *a)
{
    return strcmp(a->word, "gains") != 0 && (strcmp(a->word, "equilibrium") != 0 || a->sizes.frictions == 0);
}

int analysis_open(analysis *a, const cli_args *args, const char *word)
{
    *a = (analysis){.args = args, .word = word};
    mech_linear_options_default(&a->at, sizeof a->at);
    a->at.why = &a->why;
    int code = open_model_without_zero_friction(args, args->operands[0], &a->file);
    if (code == EXIT_OK) code = prepare(a);
    if (code == EXIT_OK && looks_for_obstacle(a) && obstacle_of(a)) return analysis_failed(a, MECH_ERR_UNSUPPORTED);
    return code;
}

static void drop(analysis *a)
{
    mech_equilibrium_free(a->equilibrium);
    mech_eval_free(a->eval);
    free(a->x);
    free(a->gains);
    a->equilibrium = NULL;
    a->eval = NULL;
    a->x = a->gains = NULL;
}

int analysis_set_friction_aside(analysis *a, mech_friction_reading instead)
{
    drop(a);
    if (a->friction_system) {
        mech_system_free(a->system);
        close_model(&a->file);
    } else {
        a->with_friction = a->file;
        a->friction_system = a->system;
    }
    a->file = (opened){0};
    a->system = NULL;
    int code = open_model_again(a->args, a->args->operands[0], instead, &a->file);
    if (code == EXIT_OK) code = prepare(a);
    if (code == EXIT_OK && strcmp(a->word, "gains") != 0 && obstacle_of(a))
        return analysis_failed(a, MECH_ERR_UNSUPPORTED);
    return code;
}

mech_equilibrium_options analysis_begin(const analysis *a)
{
    const size_t n = a->sizes.coords;
    mech_equilibrium_options o;
    mech_equilibrium_options_default(&o, sizeof o);
    o.t = a->t;
    o.q = a->x;
    o.v = a->x + n;
    o.z = a->x + 2 * n;
    return o;
}

/* The point found last, into x. */
static void take_point(analysis *a)
{
    const size_t n = a->sizes.coords;
    const mech_equilibrium_result *r = mech_equilibrium_get(a->equilibrium);
    memcpy(a->x, r->q, n * sizeof *a->x);
    memcpy(a->x + n, r->v, n * sizeof *a->x);
    memcpy(a->x + 2 * n, r->z, a->sizes.states * sizeof *a->x);
}

static mech_status find(analysis *a)
{
    const mech_equilibrium_options begin = analysis_begin(a);
    const mech_status status = mech_equilibrium_find(a->system, a->eval, &begin, &a->equilibrium);
    if (status == MECH_OK) take_point(a);
    return status;
}

static void stand(analysis *a)
{
    const size_t n = a->sizes.coords;
    a->at.t = a->t;
    a->at.q = a->x;
    a->at.v = a->x + n;
    a->at.z = a->x + 2 * n;
}

int analysis_find(analysis *a)
{
    const mech_status status = cli_value(a->args, "--here") ? MECH_OK : find(a);
    if (status != MECH_OK) return analysis_failed(a, status);
    stand(a);
    return EXIT_OK;
}

int analysis_linearize(analysis *a)
{
    const mech_status status = mech_linearize(a->system, a->eval, &a->at, &a->linear);
    return status == MECH_OK ? EXIT_OK : analysis_failed(a, status);
}

int analysis_has_kink(const analysis *a)
{
    const mech_linear_result *l = mech_linear_get(a->linear);
    if (l->kink_count == 0) return 0;
    say("mech %s: %s: %s changes over at the very point where it would be linearized%s\n", a->word,
        a->args->operands[0], l->kinks[0], l->kink_count > 1 ? ", and so do others" : "");
    say("  the derivatives of the two sides differ: go beside it with --here and --state, or give the corner a width\n");
    return 1;
}

int analysis_meets_event(const analysis *a)
{
    const mech_linear_result *l = mech_linear_get(a->linear);
    if (l->event_count == 0) return 0;
    say("mech %s: %s: event %s stands at its threshold at the very point where it would be linearized%s\n", a->word,
        a->args->operands[0], l->events[0], l->event_count > 1 ? ", and so do others" : "");
    say("  modes are of the motion without it: a chart of them wants a model without the event\n");
    return 1;
}

void analysis_close(analysis *a)
{
    mech_linear_free(a->linear);
    mech_equilibrium_free(a->rest);
    drop(a);
    mech_system_free(a->system);
    mech_system_free(a->friction_system);
    close_model(&a->file);
    close_model(&a->with_friction);
}

/* ---- under dry friction ---- */

/* Which friction fails, and by how much. */
static void print_friction(const mech_equilibrium_result *r)
{
    for (int k = 0; k < r->frictions; k++) {
        const mech_instant_law *f = &r->friction[k];
        if (f->mode == MECH_FRICTION_MODE_SLIDES)
            say("  %s slides at %.6g even where all coordinates rest: write it as a force\n", f->name, f->speed);
        if (f->mode == MECH_FRICTION_MODE_GIVES_WAY)
            say("  %s slips where it began: %.6g is asked of it, %.6g is the most it bears\n", f->name, f->asked,
                f->allowed);
    }
}

typedef struct rereading {
    analysis *a;
    int code; /* EXIT_OK, or the exit code after a message */
} rereading;

static mech_status read_again(void *user, mech_friction_reading how, mech_rest_reading *reading)
{
    rereading *r = user;
    r->code = analysis_set_friction_aside(r->a, how);
    reading->system = r->a->system;
    reading->eval = r->a->eval;
    reading->search = analysis_begin(r->a);
    return r->code == EXIT_OK ? MECH_OK : MECH_ERR_MODEL;
}

int analysis_find_rest(analysis *a)
{
    rereading r = {.a = a, .code = EXIT_OK};
    const mech_status status = mech_equilibrium_rest(a->friction_system ? a->friction_system : a->system, read_again,
                                                     &r, &a->equilibrium, &a->rest);
    if (r.code != EXIT_OK) return r.code;
    if (status == MECH_OK) {
        take_point(a);
        stand(a);
        return EXIT_OK;
    }
    if (status != MECH_ERR_NO_EQUILIBRIUM) return analysis_failed(a, status);
    say("mech %s: %s: no equilibrium was found that friction holds\n", a->word, a->args->operands[0]);
    if (a->rest) print_friction(mech_equilibrium_get(a->rest));
    fputs("  begin elsewhere with --state NAME=VALUE\n", stderr);
    return exit_code(MECH_ERR_NO_EQUILIBRIUM);
}

/* Nothing is set by a value that is no number; what cannot be set at all is told first. */
int analysis_may_vary(const analysis *a, const char *param)
{
    if (mech_eval_set_param(a->eval, param, NAN) != MECH_ERR_MODEL) return 1;
    say("mech %s: '%s' cannot be varied: its value shaped the model while it was read (a loop, a size, a condition, or friction that is 0 with it)\n",
        a->word, param);
    return 0;
}

int analysis_has_param(const analysis *a, const char *name)
{
    if (mech_system_find(a->system, MECH_ITEM_PARAM, name) != SIZE_MAX) return 1;
    const int is_gain = strcmp(name, "B") == 0 || strcmp(name, "K") == 0;
    if (is_gain && a->sizes.rows) return 1;
    const char **known = malloc((a->sizes.params + 1) * sizeof *known);
    for (size_t i = 0; known && i < a->sizes.params; i++) known[i] = mech_system_name(a->system, MECH_ITEM_PARAM, i);
    const char *near = known ? cli_nearest(name, known, a->sizes.params) : NULL;
    say("mech %s: the model has no parameter '%s'%s", a->word, name,
        is_gain ? ", and no constraints that it could be a gain of" : "");
    if (near) say("; did you mean '%s'?\n", near);
    else say("; 'mech check' lists them\n");
    free(known);
    return 0;
}

int analysis_axis(const analysis *a, const char *text, size_t length, char *name, size_t size, mech_axis *axis)
{
    char copy[256], extra;
    double low, high;
    int count;
    if (length >= sizeof copy) length = sizeof copy - 1;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *equals = strchr(copy, '=');
    if (equals) *equals = '\0';
    if (!equals || strlen(copy) >= size || sscanf(equals + 1, "%lf:%lf:%d%c", &low, &high, &count, &extra) != 3 ||
        count < 2 || count > 2000 || !(low < high)) {
        if (equals) *equals = '=';
        say("mech %s: '%s' is not of the form NAME=LOW:HIGH:POINTS with LOW < HIGH and 2 to 2000 points\n", a->word,
            copy);
        return 0;
    }
    snprintf(name, size, "%s", copy);
    *axis = (mech_axis){name, low, high, count};
    if (!analysis_may_vary(a, name)) return 0;
    return analysis_has_param(a, name);
}
