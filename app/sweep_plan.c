/* --vary: grids, distributions and tables. */
#include "common.h"
#include "say.h"
#include "sweep.h"

#include <mech/output.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char forms[] = "k=1:10:50, k=log:1:100:20, k=uniform:0:1, k=normal:1:0.1 or table.csv";

/* A finite number that ends at a ':' or the end: 1, and where it ends. */
static int take_number(const char **text, double *value)
{
    char *end;
    *value = strtod(*text, &end);
    if (end == *text || (*end && *end != ':') || !isfinite(*value)) return 0;
    *text = *end ? end + 1 : end;
    return 1;
}

static int wrong_form(const char *text)
{
    say("mech sweep: --vary takes %s, not '%s'\n", forms, text);
    return EXIT_USAGE;
}

static int plan_failed(const mech_plan *plan, mech_status status)
{
    const char *why = mech_plan_error_text(plan);
    say("mech sweep: %s\n", *why ? why : mech_status_text(status));
    return status == MECH_ERR_MEMORY ? exit_code(status) : EXIT_USAGE;
}

static int vary_name(const char *text, const char *equals, mech_plan *plan)
{
    static const struct {
        const char *word;
        mech_spread spread;
        int has_count;
    } kinds[] = {{"log:", MECH_SPREAD_LOG, 1},
                 {"uniform:", MECH_SPREAD_UNIFORM, 0},
                 {"normal:", MECH_SPREAD_NORMAL, 0},
                 {"grid:", MECH_SPREAD_GRID, 1}};
    char name[256];
    const char *rest = equals + 1;
    double a, b, count = 0;
    size_t k = 0;
    if (equals == text || (size_t)(equals - text) >= sizeof name) return wrong_form(text);
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = 0;
    while (k < 4 && strncmp(rest, kinds[k].word, strlen(kinds[k].word)) != 0) k++;
    if (k < 4) rest += strlen(kinds[k].word);
    else k = 3;
    if (!take_number(&rest, &a) || !take_number(&rest, &b)) return wrong_form(text);
    if (kinds[k].has_count && !(take_number(&rest, &count) && count >= 1 && count <= 1e15 && count == floor(count)))
        return wrong_form(text);
    if (*rest) return wrong_form(text);
    const mech_status status = mech_plan_vary(plan, name, kinds[k].spread, a, b, (size_t)count);
    return status == MECH_OK ? EXIT_OK : plan_failed(plan, status);
}

static int vary_table(const char *path, mech_plan *plan)
{
    mech_table table = {.size = sizeof table};
    char *why = NULL;
    mech_status status = mech_table_read(path, &table, &why);
    if (status != MECH_OK) {
        say("mech sweep: the table '%s' cannot be read: %s\n", path, why ? why : mech_status_text(status));
        mech_text_free(why);
        return exit_code(status);
    }
    int code = EXIT_OK;
    if (table.cut_line) {
        say("mech sweep: the last line of '%s' (%zu) has no line end, or begins with '#', as one that was cut off while "
            "it was written: end it, or take it out\n",
            path, table.cut_line);
        code = EXIT_USAGE;
    } else {
        status = mech_plan_table(plan, (const char *const *)table.names, table.columns, table.data, table.rows);
        if (status != MECH_OK) code = plan_failed(plan, status);
    }
    mech_table_free(&table);
    mech_text_free(why);
    return code;
}

static int whole_number(const cli_args *args, const char *option, double most, uint64_t *value)
{
    const char *text = cli_value(args, option);
    char *end;
    if (!text) return 1;
    errno = 0;
    *value = strtoumax(text, &end, 10);
    if (end != text && *end == 0 && errno == 0 && text[0] != '-' && (double)*value <= most) return 1;
    say("mech sweep: %s takes a whole number from 0 to %g, not '%s'\n", option, most, text);
    return 0;
}

static int sample(const cli_args *args, mech_plan *plan)
{
    const char *word = cli_value(args, "--sequence");
    uint64_t samples = 0, seed = 0;
    size_t drawn = 0;
    for (size_t i = 0; i < mech_plan_columns(plan); i++) {
        const mech_spread spread = mech_plan_spread(plan, i, NULL);
        drawn += spread == MECH_SPREAD_UNIFORM || spread == MECH_SPREAD_NORMAL;
    }
    if (!whole_number(args, "--samples", 1e15, &samples) || !whole_number(args, "--seed", 0x1p64, &seed))
        return EXIT_USAGE;
    if (word && strcmp(word, "random") != 0 && strcmp(word, "sobol") != 0) {
        say("mech sweep: --sequence takes random or sobol, not '%s'\n", word);
        return EXIT_USAGE;
    }
    if (drawn && samples == 0) {
        say("mech sweep: how often is to be drawn? --samples 1000, for one\n");
        return EXIT_USAGE;
    }
    if (!drawn && samples) {
        say("mech sweep: --samples is for what is drawn: --vary k=uniform:0:1 or --vary k=normal:1:0.1\n");
        return EXIT_USAGE;
    }
    if (!drawn) return EXIT_OK;
    const mech_status status = mech_plan_sample(
        plan, (size_t)samples, word && strcmp(word, "sobol") == 0 ? MECH_SEQUENCE_SOBOL : MECH_SEQUENCE_RANDOM, seed);
    return status == MECH_OK ? EXIT_OK : plan_failed(plan, status);
}

static int is_vary(const cli_args *args, size_t i) { return strcmp(args->given[i].option->name, "--vary") == 0; }

int sweep_plan(const cli_args *args, mech_plan *plan)
{
    int code = EXIT_OK;
    for (size_t i = 0; i < args->given_count && code == EXIT_OK; i++) {
        if (!is_vary(args, i)) continue;
        const char *text = args->given[i].value, *equals = strchr(text, '=');
        code = equals                     ? vary_name(text, equals, plan)
               : has_ending(text, ".csv") ? vary_table(text, plan)
                                          : wrong_form(text);
    }
    if (code == EXIT_OK && mech_plan_columns(plan) == 0) {
        say("mech sweep: what is to vary? --vary %s\n", forms);
        return EXIT_USAGE;
    }
    return code == EXIT_OK ? sample(args, plan) : code;
}

void sweep_tables(const cli_args *args, const char **tables)
{
    size_t count = 0;
    for (size_t i = 0; i < args->given_count; i++)
        if (is_vary(args, i) && !strchr(args->given[i].value, '=')) tables[count++] = args->given[i].value;
    tables[count] = NULL;
}
