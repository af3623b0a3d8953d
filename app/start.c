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

/* What moved, with names of their own: those of the assembly end with it. */
static int keep_moves(start_facts *facts, const mech_assembly *assembly)
{
    const size_t count = mech_assembly_move_count(assembly);
    facts->moves = calloc(count + 1, sizeof *facts->moves);
    if (!facts->moves) return 0;
    for (; facts->move_count < count; facts->move_count++) {
        const mech_move move = mech_assembly_move(assembly, facts->move_count);
        char *name = malloc(strlen(move.name) + 1);
        if (!name) return 0;
        facts->moves[facts->move_count] = (mech_report_move){strcpy(name, move.name), move.from, move.to};
    }
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
static int assembled(start_facts *facts, const mech_assembly *assembly, mech_status status, double *q, double *v,
                     double *z)
{
    const mech_sizes sizes = mech_system_sizes(facts->system);
    if (status == MECH_ERR_CONFLICT || status == MECH_ERR_NO_START || status == MECH_ERR_MEMORY) {
        say("mech: %s\n", mech_assembly_error_text(assembly));
        return exit_code(status);
    }
    memcpy(q, mech_assembly_q(assembly), sizes.coords * sizeof *q);
    memcpy(v, mech_assembly_v(assembly), sizes.coords * sizeof *v);
    if (sizes.states) memcpy(z, mech_assembly_z(assembly), sizes.states * sizeof *z);
    return keep_moves(facts, assembly) ? EXIT_OK : show_text(MECH_ERR_MEMORY, NULL);
}

int start_assemble(start_facts *facts, double t, double *q, double *v, double *z)
{
    mech_eval *eval = NULL;
    mech_assembly *assembly = NULL;
    mech_status status = mech_eval_create(facts->system, MECH_STORAGE_DENSE, &eval);
    if (status == MECH_OK) status = mech_assembly_create(eval, &assembly);
    const int code = status == MECH_OK
                         ? assembled(facts, assembly, mech_assemble_changed(assembly, t, facts->changes), q, v, z)
                         : show_text(status, NULL);
    mech_assembly_free(assembly);
    mech_eval_free(eval);
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
