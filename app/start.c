#include "start.h"

#include "common.h"
#include "say.h"

#include <mech/assemble.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int start_begin(start_facts *facts, const mech_system *system, mech_instant *instant, double t, double *q, double *v,
                double *z)
{
    *facts = (start_facts){.system = system, .words = "initial values as written"};
    const mech_sizes sizes = mech_system_sizes(system);
    const size_t order = 2 * sizes.coords + sizes.states;
    facts->changes = malloc((order + 1) * sizeof *facts->changes);
    if (!facts->changes) return show_text(MECH_ERR_MEMORY, NULL);
    for (size_t i = 0; i < order; i++) facts->changes[i] = (double)NAN;
    const mech_status status = mech_instant_start(instant, t, q, v, z);
    if (status == MECH_OK) return EXIT_OK;
    char *why = mech_instant_explain(instant);
    say("mech: the start: %s\n", why ? why : mech_status_text(status));
    mech_text_free(why);
    return exit_code(status);
}

void start_fix(start_facts *facts, double *list, mech_variable variable, size_t index, double value)
{
    const size_t n = mech_system_sizes(facts->system).coords;
    list[index] = value;
    facts->changes[(variable == MECH_VARIABLE_Q ? 0 : variable == MECH_VARIABLE_V ? n : 2 * n) + index] = value;
    facts->is_changed = 1;
    facts->words = "initial values as written, changed by --state";
}

/* ---- what --state changes ---- */

static size_t order_of(const mech_system *system)
{
    const mech_sizes sizes = mech_system_sizes(system);
    return 2 * sizes.coords + sizes.states;
}

static void stand_at(mech_assemble_options *at, const double *x, size_t n)
{
    at->q = x;
    at->v = x + n;
    at->z = x + 2 * n;
}

int start_find(const mech_system *system, double t, const double *changes, int is_needed, double *x)
{
    mech_eval *eval = NULL;
    mech_assembly *assembly = NULL;
    int has_start = 1, code;
    mech_status status = mech_eval_create(system, MECH_STORAGE_DENSE, &eval);
    if (status == MECH_OK) status = mech_assembly_create(eval, &assembly);
    if (status == MECH_OK) status = mech_assembly_changed_start(assembly, t, changes, x, &has_start);
    code = status == MECH_OK ? EXIT_OK : show_text(status, NULL);
    if (code == EXIT_OK && !has_start && is_needed) {
        say("mech: the start: %s\n", mech_assembly_error_text(assembly));
        code = exit_code(MECH_ERR_NO_START);
    }
    mech_assembly_free(assembly);
    mech_eval_free(eval);
    return code;
}

/* ---- onto the constraints ---- */

/* One that moved, with a name of its own: those of the assembly end with it. */
static int add_move(start_facts *facts, const char *name, const char *prime, double from, double to)
{
    char *copy = malloc(strlen(name) + strlen(prime) + 1);
    if (!copy) return 0;
    strcpy(copy, name);
    facts->moves[facts->move_count++] = (mech_report_move){strcat(copy, prime), from, to};
    return 1;
}

/* From x to y (2n): what moved, but for rounding beside what moved most, as an assembly tells it. */
static int compare(start_facts *facts, const double *x, const double *y)
{
    const double rounding = 1e-12;
    const size_t n = mech_system_sizes(facts->system).coords;
    double most[2] = {0, 0};
    for (size_t i = 0; i < 2 * n; i++) most[i / n] = fmax(most[i / n], fabs(y[i] - x[i]));
    for (size_t i = 0; i < 2 * n; i++) {
        if (!(fabs(y[i] - x[i]) > rounding * fmax(fabs(x[i]), most[i / n]))) continue;
        const char *name = mech_system_name(facts->system, MECH_ITEM_COORD, i % n);
        if (!add_move(facts, name, i < n ? "" : "'", x[i], y[i])) return 0;
    }
    return 1;
}

/* What moved: since x (2n), where the changes were made; NULL: as the assembly has it. */
static int keep_moves(start_facts *facts, const mech_assembly *assembly, const double *x)
{
    size_t count = mech_assembly_move_count(assembly);
    facts->moves = calloc(2 * mech_system_sizes(facts->system).coords + 1, sizeof *facts->moves);
    if (!facts->moves) return 0;
    for (size_t i = 0; i < count && !x; i++) {
        const mech_move move = mech_assembly_move(assembly, i);
        if (!add_move(facts, move.name, "", move.from, move.to)) return 0;
    }
    if (x && !compare(facts, x, mech_assembly_q(assembly))) return 0;
    count = facts->move_count;
    if (mech_system_sizes(facts->system).rows == 0) {
        facts->words = facts->is_changed ? "initial values, changed by --state" : "initial values";
        return 1;
    }
    facts->words = facts->is_changed ? count ? "changed by --state, then moved onto the constraints"
                                             : "changed by --state; it lies on the constraints"
                   : count           ? "initial values, moved onto the constraints"
                                     : "initial values; they lie on the constraints";
    return 1;
}

/* Only that it cannot be met ends here: what else is wrong the instant says better. */
static int assembled(start_facts *facts, const mech_assembly *assembly, mech_status status, const double *x, double *q,
                     double *v, double *z)
{
    const mech_sizes sizes = mech_system_sizes(facts->system);
    if (status == MECH_ERR_CONFLICT || status == MECH_ERR_NO_START || status == MECH_ERR_MEMORY) {
        say("mech: %s\n", mech_assembly_error_text(assembly));
        return exit_code(status);
    }
    memcpy(q, mech_assembly_q(assembly), sizes.coords * sizeof *q);
    memcpy(v, mech_assembly_v(assembly), sizes.coords * sizeof *v);
    if (sizes.states) memcpy(z, mech_assembly_z(assembly), sizes.states * sizeof *z);
    return keep_moves(facts, assembly, x) ? EXIT_OK : show_text(MECH_ERR_MEMORY, NULL);
}

/* The model's own start into x with the changes, then onto the constraints. 0 in *is_met: there is no way so. */
static mech_status assemble_changed(const start_facts *facts, mech_assembly *assembly, double t, double *x, int *is_met)
{
    const size_t n = mech_system_sizes(facts->system).coords, order = order_of(facts->system);
    mech_assemble_options options;
    double *followed = malloc((order + 1) * sizeof *followed);
    *is_met = 0;
    if (!followed) return MECH_ERR_MEMORY;
    mech_status status = mech_assembly_changed_start(assembly, t, NULL, x, is_met);
    for (size_t i = 0; i < order; i++)
        if (!isnan(facts->changes[i])) x[i] = facts->changes[i];
    if (status == MECH_OK && *is_met) {
        status = mech_assembly_changed_start(assembly, t, facts->changes, followed, NULL);
        mech_assemble_options_default(&options, sizeof options);
        options.t = t;
        stand_at(&options, followed, n);
        if (status == MECH_OK) status = mech_assemble(assembly, &options);
        *is_met = status == MECH_OK;
    }
    free(followed);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

/* x: room for 2n + states. */
static int assemble_with(start_facts *facts, mech_assembly *assembly, double t, double *x, double *q, double *v,
                         double *z)
{
    mech_assemble_options options;
    int is_met = 0;
    mech_assemble_options_default(&options, sizeof options);
    options.t = t;
    if (facts->is_changed) {
        const mech_status status = assemble_changed(facts, assembly, t, x, &is_met);
        if (status != MECH_OK || is_met) return assembled(facts, assembly, status, x, q, v, z);
        options.q = q; /* values as they are written may have a way */
        options.v = v;
        options.z = z;
    }
    return assembled(facts, assembly, mech_assemble(assembly, &options), NULL, q, v, z);
}

int start_assemble(start_facts *facts, double t, double *q, double *v, double *z)
{
    mech_eval *eval = NULL;
    mech_assembly *assembly = NULL;
    double *x = malloc((order_of(facts->system) + 1) * sizeof *x);
    mech_status status = x ? mech_eval_create(facts->system, MECH_STORAGE_DENSE, &eval) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = mech_assembly_create(eval, &assembly);
    const int code = status == MECH_OK ? assemble_with(facts, assembly, t, x, q, v, z) : show_text(status, NULL);
    mech_assembly_free(assembly);
    mech_eval_free(eval);
    free(x);
    return code;
}

void start_end(start_facts *facts)
{
    for (size_t i = 0; i < facts->move_count; i++) free((char *)(uintptr_t)facts->moves[i].name);
    free(facts->moves);
    free(facts->changes);
    facts->moves = NULL;
    facts->changes = NULL;
    facts->move_count = 0;
}
