/* The options of `mech run`, which `mech sweep` has too. */
#include "common.h"
#include "run.h"
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABOVE_0 1e-300 /* the least that is taken of what has to be above 0 */

static int number(const cli_args *args, const char *name, double least, double *value)
{
    const char *text = cli_value(args, name);
    char *end;
    if (!text) return 1;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*value) && *value >= least) return 1;
    if (isfinite(least))
        say("mech %s: %s takes a number that is at least %g, not '%s'%s\n", args->command, name, least, text,
            plain_number_hint(text));
    else say("mech %s: %s takes a number, not '%s'%s\n", args->command, name, text, plain_number_hint(text));
    return 0;
}

static int word(const cli_args *args, const char *name, const char *const *words, size_t count, int *index)
{
    const char *text = cli_value(args, name);
    if (!text) return 1;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], text) != 0) continue;
        *index = (int)i;
        return 1;
    }
    say("mech %s: %s takes ", args->command, name);
    for (size_t i = 0; i < count; i++) say("%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", words[i]);
    say(", not '%s'\n", text);
    return 0;
}

static int columns(const cli_args *args, unsigned *mask)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"accelerations", MECH_COLUMNS_ACCELERATIONS},
                 {"multipliers", MECH_COLUMNS_MULTIPLIERS},
                 {"forces", MECH_COLUMNS_FORCES},
                 {"residuals", MECH_COLUMNS_RESIDUALS},
                 {"inputs", MECH_COLUMNS_INPUTS}};
    enum { KINDS = sizeof known / sizeof *known };
    for (const char *p = cli_value(args, "--columns"); p && *p;) {
        const size_t length = strcspn(p, ",");
        size_t k = 0;
        while (k < KINDS && (strlen(known[k].name) != length || strncmp(known[k].name, p, length) != 0)) k++;
        if (k == KINDS) {
            say("mech %s: --columns takes accelerations, multipliers, forces, residuals, inputs, not '%.*s'\n",
                args->command, (int)length, p);
            return 0;
        }
        *mask |= known[k].bit;
        p += length + (p[length] == ',');
    }
    return 1;
}

static int gains(const cli_args *args, mech_sim_settings *s, run_gains *g)
{
    const char *text = cli_value(args, "--gains");
    double pair[2];
    if (!text) return 1;
    if (!read_pair(text, pair)) {
        say("mech %s: --gains takes two numbers with a comma between, as in --gains 100,100, not '%s'\n", args->command,
            text);
        return 0;
    }
    g->damping = pair[0];
    g->stiffness = pair[1];
    s->damping = &g->damping;
    s->stiffness = &g->stiffness;
    s->damping_count = s->stiffness_count = 1;
    return 1;
}

int run_settings(const cli_args *args, mech_sim_settings *s, run_gains *g)
{
    static const char *const stabilizers[] = {"project", "excess", "none"}, *const starts[] = {"assemble", "as-given"};
    static const char *const methods[] = {"auto", "rk8", "rk5", "bdf", "adams", "irk", "moreau"};
    double points = 0;
    int start = 0, method = -1;
    if (!number(args, "--until", -HUGE_VAL, &s->until) || !number(args, "--from", -HUGE_VAL, &s->from) ||
        !number(args, "--points", -HUGE_VAL, &points) || !number(args, "--step", ABOVE_0, &s->output_step) ||
        !number(args, "--rtol", 0, &s->rtol) || !number(args, "--atol", 0, &s->atol) ||
        !number(args, "--max-step", ABOVE_0, &s->max_step) || !number(args, "--resolution", ABOVE_0, &s->resolution) ||
        !number(args, "--rank-tol", 0, &s->rank_tol))
        return 0;
    if (cli_value(args, "--rank-tol") && !(s->rank_tol > 0 && s->rank_tol < 1)) {
        say("mech %s: --rank-tol lies between 0 and 1, unlike '%s'\n", args->command, cli_value(args, "--rank-tol"));
        return 0;
    }
    if (cli_value(args, "--points") && !(points >= 2 && points <= 1e9 && points == floor(points))) {
        say("mech %s: --points takes a whole number from 2 to 1e9, not '%s'\n", args->command,
            cli_value(args, "--points"));
        return 0;
    }
    if (cli_value(args, "--points") && cli_value(args, "--step")) {
        say("mech %s: --points and --step are two ways to say the same: give one\n", args->command);
        return 0;
    }
    if (!word(args, "--stabilize", stabilizers, 3, &s->stabilize) || !word(args, "--start", starts, 2, &start) ||
        !word(args, "--method", methods, 7, &method))
        return 0;
    if (points > 0) s->output_points = (size_t)points;
    if (method >= 0) s->method = mech_method_find(methods[method]);
    s->start = start ? MECH_START_AS_GIVEN : MECH_START_ASSEMBLE;
    return columns(args, &s->columns) && gains(args, s, g);
}
