/* mech stability: modes and Routh's criterion at an equilibrium, maps and sweeps over parameters. */
#include "analysis.h"
#include "say.h"

#include <mech/simulate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SYMBOLS = 8 };

static int complain_status(const char *what, mech_status status)
{
    say("mech stability: %s: %s\n", what, mech_status_text(status));
    return exit_code(status);
}

/* ---- the report ---- */

/* "K,B" taken apart into buffer; the count, 0 after a message. */
static size_t split_names(const char *text, char *buffer, size_t size, const char **names)
{
    size_t count = 0;
    if (snprintf(buffer, size, "%s", text) >= (int)size) return 0;
    for (char *s = strtok(buffer, ","); s && count < MOST_SYMBOLS; s = strtok(NULL, ",")) names[count++] = s;
    if (count == 0) say("mech stability: --symbols wants names of parameters, such as K,B\n");
    return count;
}

/* The polynomial with the symbols of --symbols, or none: then the exact array at the present values. */
static int make_symbolic(analysis *a, mech_symbolic **symbolic, mech_routh **routh)
{
    char buffer[256];
    const char *names[MOST_SYMBOLS], *list = cli_value(a->args, "--symbols");
    mech_symbolic_options o;
    mech_symbolic_options_default(&o, sizeof o);
    o.t = a->at.t;
    o.q = a->at.q;
    o.v = a->at.v;
    o.z = a->at.z;
    o.symbols = names;
    if (list && !(o.symbol_count = split_names(list, buffer, sizeof buffer, names))) return EXIT_USAGE;
    for (size_t k = 0; k < o.symbol_count; k++)
        if (!analysis_may_vary(a, names[k]) || !analysis_has_param(a, names[k])) return EXIT_USAGE;
    const mech_status status = mech_symbolic_create(a->file.model, &o, symbolic);
    if (status == MECH_ERR_LIMIT && list)
        return analysis_complain(
                   a,
                   "the polynomial in symbols grows too large (coordinates, rows and states may be 12; fewer symbols, or numbers of fewer digits, keep it short): in",
                   list),
               EXIT_MODEL;
    if (status != MECH_OK && list) return complain_status("the polynomial in symbols", status);
    if (status != MECH_OK) return status == MECH_ERR_MEMORY ? complain_status("the polynomial", status) : EXIT_OK;
    const mech_status exact = mech_symbolic_routh(*symbolic, NULL, routh);
    return exact == MECH_ERR_MEMORY ? complain_status("Routh's array", exact) : EXIT_OK;
}

static int report(analysis *a)
{
    mech_symbolic *symbolic = NULL;
    mech_routh *routh = NULL;
    const char *format = cli_value(a->args, "--format");
    mech_report_format how = analysis_format(a);
    if (format && strcmp(format, "latex") == 0) how = MECH_REPORT_LATEX;
    else if (format && strcmp(format, "json") == 0) how = MECH_REPORT_JSON;
    else if (format && strcmp(format, "text") != 0)
        return analysis_complain(a, "--format takes text, latex or json, not", format);
    const mech_linear_result *l = mech_linear_get(a->linear);
    const int means_nothing = mech_linear_doubt(l) != NULL; /* neither would the polynomial */
    if (means_nothing && how == MECH_REPORT_LATEX)
        return analysis_complain(a, "there is no Routh array to show: see the report without --format", NULL);
    int code = means_nothing ? EXIT_OK : make_symbolic(a, &symbolic, &routh);
    if (code == EXIT_OK) {
        char *text = NULL;
        const mech_status status = mech_report_stability(
            a->system, l, routh, symbolic ? mech_symbolic_get(symbolic) : NULL, a->args->operands[0], how, &text);
        code = show_text(status, text);
    }
    mech_routh_free(routh);
    mech_symbolic_free(symbolic);
    return code;
}

/* ---- charts ---- */

static int wants_json(const analysis *a)
{
    const char *format = cli_value(a->args, "--format");
    return analysis_format(a) == MECH_REPORT_JSON || (format && strcmp(format, "json") == 0);
}

static double value_at(const mech_axis *axis, size_t k)
{
    return axis->low + (axis->high - axis->low) * (double)k / (axis->count - 1);
}

static void print_state(const analysis *a, const double *q, const double *z)
{
    for (size_t i = 0; i < a->sizes.coords; i++)
        printf("%s%s = %.6g", i ? ", " : "", mech_system_name(a->system, MECH_ITEM_COORD, i), q[i]);
    for (size_t i = 0; i < a->sizes.states; i++)
        printf(", %s = %.6g", mech_system_name(a->system, MECH_ITEM_STATE, i), z[i]);
}

/* The equilibrium that was followed to where one run alone finds another; NULL: where is not known. */
static void print_followed(const analysis *a, const double *state)
{
    printf("; followed there: ");
    if (state && isnan(state[0])) printf("none");
    else if (state) print_state(a, state, state + 2 * a->sizes.coords);
    else printf("another");
    printf("\n");
}

static void print_map_others(const analysis *a, const mech_map_result *r)
{
    size_t at = 0;
    if (r->others == 0) return;
    while (!r->other[at]) at++;
    const size_t columns = (size_t)r->x.count;
    printf("at %zu point%s a run of that point alone finds another equilibrium than the one followed from the model's "
           "values, and another region: first at %s = %.6g, %s = %.6g",
           r->others, r->others == 1 ? "" : "s", r->x.name, value_at(&r->x, at % columns), r->y.name,
           value_at(&r->y, at / columns));
    print_followed(a, r->state ? r->state + at * (size_t)r->order : NULL);
}

static void print_sweep_others(const analysis *a, const mech_sweep_result *r)
{
    size_t at = 0;
    if (r->others == 0) return;
    while (!r->other[at]) at++;
    printf("at %zu value%s a run of that value alone finds another equilibrium than the one followed from the model's "
           "values, and other eigenvalues: first at %s = %.6g",
           r->others, r->others == 1 ? "" : "s", r->axis.name, value_at(&r->axis, at));
    print_followed(a, r->state + at * (size_t)r->order);
}

static void print_map(const analysis *a, const mech_map_result *r, const char *path)
{
    printf("%s: %zu stable, %zu marginal, %zu unstable, %zu without equilibrium\n", path, r->counts[0], r->counts[1],
           r->counts[2], r->counts[3]);
    if (r->defective)
        printf("%zu of the marginal points %s defective on the axis: %s like a power of time\n", r->defective,
               r->defective == 1 ? "is" : "are", r->defective == 1 ? "it grows" : "they grow");
    if (r->has_routh)
        printf("Routh's criterion, exact at %zu points: %zu disagreement%s\n", r->compared, r->disagreements,
               r->disagreements == 1 ? "" : "s");
    else printf("Routh's criterion in these symbols is not available here; the map is by eigenvalues\n");
    if (r->shifts)
        printf("%d zero mode%s left out everywhere: shifts of coordinates that nothing depends on\n", r->shifts,
               r->shifts == 1 ? "" : "s");
    print_map_others(a, r);
}

static int draw_map(analysis *a, const char *text, const char *path)
{
    char names[2][128];
    mech_axis axes[2];
    mech_map *map;
    const char *comma = strchr(text, ',');
    if (!comma)
        return analysis_complain(a, "--map wants two parameters, p=LOW:HIGH:POINTS,q=LOW:HIGH:POINTS, not", text);
    if (!analysis_axis(a, text, (size_t)(comma - text), names[0], sizeof names[0], &axes[0]) ||
        !analysis_axis(a, comma + 1, strlen(comma + 1), names[1], sizeof names[1], &axes[1]))
        return EXIT_USAGE;
    if (mech_same_name(names[0], names[1]))
        return analysis_complain(a, "--map wants two different parameters, not twice", names[0]);
    mech_status status = mech_map_create(a->system, a->eval, a->file.model, &a->at, &axes[0], &axes[1], &map);
    if (status != MECH_OK) return complain_status("the map", status);
    const mech_map_result *r = mech_map_get(map);
    char *object = NULL;
    int code = EXIT_OK;
    if (path) status = mech_map_write(r, a->args->operands[0], path);
    if (status != MECH_OK) {
        code = figure_code("stability", path, status);
    } else if (wants_json(a)) {
        status = mech_report_map(r, a->args->operands[0], path, &object);
        code = show_text(status, object);
    } else {
        print_map(a, r, path);
    }
    mech_map_free(map);
    return code;
}

static int draw_sweep(analysis *a, const char *text, const char *path)
{
    char name[128];
    mech_axis axis;
    mech_sweep *sweep;
    if (!analysis_axis(a, text, strlen(text), name, sizeof name, &axis)) return EXIT_USAGE;
    mech_status status = mech_sweep_create(a->system, a->eval, &a->at, &axis, &sweep);
    if (status != MECH_OK) return complain_status("the sweep", status);
    const mech_sweep_result *r = mech_sweep_get(sweep);
    char *object = NULL;
    int code = EXIT_OK;
    if (path) status = mech_sweep_write(r, a->args->operands[0], path);
    if (status != MECH_OK) {
        code = figure_code("stability", path, status);
    } else if (wants_json(a)) {
        status = mech_report_sweep(r, a->args->operands[0], path, &object);
        code = show_text(status, object);
    } else {
        printf("%s: %d eigenvalues at %d values of %s\n", path, r->modes, axis.count, axis.name);
        print_sweep_others(a, r);
    }
    mech_sweep_free(sweep);
    return code;
}

static int draw_branches(analysis *a, const char *text, const char *path)
{
    char name[128];
    mech_axis axis;
    mech_branches *branches;
    if (!analysis_axis(a, text, strlen(text), name, sizeof name, &axis)) return EXIT_USAGE;
    mech_status status = mech_branches_create(a->system, a->eval, &a->at, &axis, &branches);
    if (status != MECH_OK) return complain_status("the branches", status);
    const mech_branches_result *r = mech_branches_get(branches);
    char *report = NULL;
    int code = EXIT_OK;
    if (path) status = mech_branches_write(r, a->system, a->args->operands[0], path);
    if (status != MECH_OK) {
        code = figure_code("stability", path, status);
    } else {
        status = mech_report_branches(r, a->system, a->args->operands[0], path,
                                      wants_json(a) ? MECH_REPORT_JSON : MECH_REPORT_TEXT, &report);
        code = show_text(status, report);
    }
    mech_branches_free(branches);
    return code;
}

/* ---- the linear answer beside the motion ---- */

static int draw_response(analysis *a, const double *start, const char *text, const char *path)
{
    char *end, *why = NULL;
    const double until = strtod(text, &end);
    if (end == text || *end || !(until > 0) || !isfinite(until))
        return analysis_complain(a, "--response wants a time above 0, not", text);
    const mech_status status = mech_response_write(a->system, mech_linear_get(a->linear), a->t, start, until,
                                                   a->args->operands[0], path, &why);
    if (why) say("mech stability: the run: %s\n", why);
    else if (status == MECH_OK)
        printf("%s: the motion and the linear answer to the same start over %g s\n", path, until);
    const int code = why ? exit_code(status) : figure_code("stability", path, status);
    mech_text_free(why);
    return code;
}

static int chart(analysis *a, const double *start)
{
    const char *map = cli_value(a->args, "--map"), *sweep = cli_value(a->args, "--sweep"),
               *response = cli_value(a->args, "--response"), *branches = cli_value(a->args, "--branches");
    const char *path = cli_value(a->args, "-o"), *format = cli_value(a->args, "--format");
    if ((map != NULL) + (sweep != NULL) + (response != NULL) + (branches != NULL) > 1)
        return analysis_complain(a, "one of --map, --sweep, --branches and --response at a time", NULL);
    if (response && wants_json(a))
        return analysis_complain(a, "--response has no JSON: 'mech run' writes the motion", NULL);
    if (format && strcmp(format, "json") != 0 && strcmp(format, "text") != 0)
        return analysis_complain(a, "charts take --format text or json, not", format);
    if (cli_value(a->args, "--threads") && !map && !sweep)
        return analysis_complain(a, "--threads is of --map and --sweep", NULL);
    a->at.threads = 0; /* one for each processor */
    a->at.begin = a->begin;
    if (!thread_count(a->args, a->word, &a->at.threads)) return EXIT_USAGE;
    if (branches) return draw_branches(a, branches, path);
    if (!path && !wants_json(a)) return analysis_complain(a, "a chart wants a file: -o map.svg (or .pdf, .png)", NULL);
    if (map) return draw_map(a, map, path);
    return sweep ? draw_sweep(a, sweep, path) : draw_response(a, start, response, path);
}

/* ---- what samples ---- */

static void print_point(const analysis *a, const mech_linear_result *l)
{
    printf("%s\nPoint        ", a->args->operands[0]);
    print_state(a, l->q, l->z);
    printf("\n");
}

static int stays(const mech_linear_result *l)
{
    return l->kind == MECH_POINT_EQUILIBRIUM || l->kind == MECH_POINT_STEADY;
}

static void print_sampled_verdict(const mech_linear_result *l, const mech_sampled_result *r)
{
    const char *doubt = mech_linear_doubt(l);
    const char *where = r->outside  ? "some lie outside the unit circle"
                        : r->circle ? "some lie on the unit circle"
                                    : "all lie inside the unit circle";
    const char *what = !stays(l)    ? "of the frozen matrix"
                       : r->outside ? "unstable"
                       : r->circle  ? "not decided"
                                    : "stable";
    if (doubt) printf("Verdict      none: %s\n", doubt);
    else printf("Verdict      %s: %s\n", what, where);
}

static void print_sampled(const analysis *a, const mech_linear_result *l, const mech_sampled_result *r)
{
    print_point(a, l);
    if (!stays(l))
        printf("             the loop does not stay there: eigenvalues of a frozen point tell nothing of stability\n");
    for (int k = 0; k < l->event_count; k++)
        printf("Event        %s: at its threshold at this very point; eigenvalues are of the loop without it\n",
               l->events[k]);
    printf("Sampling     every %.9g\nEigenvalues  of the map over one period, by size\n", r->period);
    for (int k = 0; k < r->count; k++) {
        const double size = hypot(r->real[k], r->imaginary[k]);
        if (r->imaginary[k] == 0) printf("             %-16.12g size %.9g\n", r->real[k], size);
        else if (r->imaginary[k] > 0)
            printf("             %.12g +- %.12g i   size %.9g\n", r->real[k], r->imaginary[k], size);
    }
    print_sampled_verdict(l, r);
}

static void print_sampled_json(const mech_linear_result *l, const mech_sampled_result *r)
{
    const char *doubt = mech_linear_doubt(l);
    printf("{\"period\": %.17g, \"eigenvalues\": [", r->period);
    for (int k = 0; k < r->count; k++) printf("%s[%.17g, %.17g]", k ? ", " : "", r->real[k], r->imaginary[k]);
    printf("], \"outside\": %d, \"circle\": %d, \"frozen\": %s, \"doubt\": %s%s%s, \"events_at_threshold\": [",
           r->outside, r->circle, stays(l) ? "false" : "true", doubt ? "\"" : "", doubt ? doubt : "null",
           doubt ? "\"" : "");
    for (int k = 0; k < l->event_count; k++)
        printf("%s\"%s\"", k ? ", " : "", l->events[k]); /* names: no quotes in them */
    printf("]}\n");
}

static int report_sampled(analysis *a)
{
    mech_sampled *sampled = NULL;
    const char *why = NULL;
    const mech_linear_result *l = mech_linear_get(a->linear);
    if (cli_value(a->args, "--symbols"))
        return analysis_complain(a, "a loop that samples has eigenvalues over one period, and no polynomial in symbols",
                                 NULL);
    if (l->kink_count) return analysis_complain(a, "the equations have a kink at this point:", l->kinks[0]);
    const mech_status status = mech_sampled_create(a->system, a->eval, l, &why, &sampled);
    if (status == MECH_ERR_UNSUPPORTED) return analysis_complain(a, why, NULL), EXIT_MODEL;
    if (status != MECH_OK) return analysis_failed(a, status);
    if (wants_json(a)) print_sampled_json(l, mech_sampled_get(sampled));
    else print_sampled(a, l, mech_sampled_get(sampled));
    mech_sampled_free(sampled);
    return EXIT_OK;
}

static int run(const cli_args *args)
{
    analysis a;
    double *start = NULL;
    const int wants_chart = cli_value(args, "--map") || cli_value(args, "--sweep") || cli_value(args, "--response") ||
                            cli_value(args, "--branches");
    const char *path = cli_value(args, "-o");
    if (path && !wants_chart && !has_ending(path, ".mat")) {
        say("mech stability: -o takes a name that ends in .mat, or .svg, .pdf or .png with a chart, not '%s'\n", path);
        return EXIT_USAGE;
    }
    if (path && wants_chart && !has_ending(path, ".svg") && !has_ending(path, ".pdf") && !has_ending(path, ".png")) {
        say("mech stability: -o takes a name that ends in .svg, .pdf or .png for a chart, not '%s'\n", path);
        return EXIT_USAGE;
    }
    int code = analysis_open(&a, args, "stability");
    if (code == EXIT_OK) code = analysis_may_write(&a, wants_chart ? "the chart" : "the linear system", path);
    if (code == EXIT_OK) {
        const size_t N = 2 * a.sizes.coords + a.sizes.states;
        start = malloc((N + 1) * sizeof *start);
        if (start) memcpy(start, a.x, N * sizeof *start);
        else code = show_text(MECH_ERR_MEMORY, NULL);
    }
    if (code == EXIT_OK) code = analysis_find(&a);
    if (code == EXIT_OK) code = analysis_linearize(&a);
    const int samples = code == EXIT_OK && mech_system_samples(a.system);
    if (samples && (wants_chart || path))
        code =
            analysis_complain(&a, "a loop that samples has eigenvalues over one period: no charts, and no file", NULL);
    if (samples && code == EXIT_OK) {
        code = report_sampled(&a);
        free(start);
        analysis_close(&a);
        return code;
    }
    if (code == EXIT_OK && (wants_chart || path) && analysis_has_kink(&a)) code = EXIT_MODEL;
    if (code == EXIT_OK && wants_chart && !cli_value(args, "--response") && analysis_meets_event(&a)) code = EXIT_MODEL;
    if (code == EXIT_OK && wants_chart) {
        code = chart(&a, start);
    } else if (code == EXIT_OK) {
        if (path) code = analysis_write(&a, path);
        if (code == EXIT_OK) code = report(&a);
    }
    free(start);
    analysis_close(&a);
    return code;
}

static const cli_option options[] = {
    {"--symbols", "K,B,...",
     "parameters to keep as letters: for which values is it stable? B, K: gains of constraints, unless the model has them"},
    {"--format", "text|latex|json", "how to write it (default: text)"},
    {"--map", "p=LO:HI:N,q=LO:HI:N", "stable, marginal and unstable regions over two parameters; with -o or --json"},
    {"--sweep", "p=LO:HI:N", "root locus over one parameter; with -o or --json"},
    {"--branches", "p=LO:HI:N", "equilibria over one parameter and their stability: a bifurcation diagram with -o"},
    {"--response", "T", "the motion from the start and the linear answer to it, over T seconds; with -o"},
    {"--threads", "N", "points of --map and --sweep at a time (default: one a processor); the chart is the same"},
    {"-o", "FILE", "the chart (.svg, .pdf, .png), or the linear system (.mat)"},
    OPTION_STATE,
    OPTION_HERE,
    OPTION_TIME,
    OPTION_GAINS,
    OPTION_SET,
    {"--json", NULL, "the same as --format json"},
    {NULL, NULL, NULL},
};

const cli_command command_stability = {"stability", "FILE", "modes, Routh's criterion, maps of stability", 1, 1,
                                       options,     run};
