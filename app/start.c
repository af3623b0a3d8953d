#include "start.h"

#include "common.h"
#include "say.h"

#include <mech/simulate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int start_begin(start_facts *facts, const mech_system *system, mech_instant *instant, double t, double *q,
                double *v, double *z)
{
    *facts = (start_facts){.system = system, .words = "initial values as written"};
    const mech_status status = mech_instant_start(instant, t, q, v, z);
    if (status == MECH_OK) return EXIT_OK;
    char *why = mech_instant_explain(instant);
    say("mech: the start: %s\n", why ? why : mech_status_text(status));
    mech_text_free(why);
    return exit_code(status);
}

void start_fix(start_facts *facts, double *list, size_t index, double value)
{
    list[index] = value;
    facts->is_changed = 1;
    facts->words = "initial values as written, changed by --state";
}

/* What moved, with names of their own: those of the run end with it. */
static int keep_moves(start_facts *facts, const mech_sim *sim)
{
    const size_t count = mech_sim_move_count(sim);
    facts->moves = calloc(count + 1, sizeof *facts->moves);
    if (!facts->moves) return 0;
    for (size_t i = 0; i < count; i++) {
        const mech_sim_move move = mech_sim_move_get(sim, i);
        char *name = malloc(strlen(move.name) + 1);
        if (!name) return 0;
        facts->moves[facts->move_count++] = (mech_report_move){strcpy(name, move.name), move.from, move.to};
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

/* The assembly of a run. Only that it cannot be met ends here: what else a run finds wrong the instant says
 * better. */
static int assembled(start_facts *facts, mech_sim *sim, double *q, double *v, double *z)
{
    const mech_sizes sizes = mech_system_sizes(facts->system);
    mech_status status =
        facts->is_changed ? mech_sim_set_start(sim, q, v, sizes.states ? z : NULL, 0) : MECH_OK;
    if (status == MECH_OK) status = mech_sim_start(sim);
    if (status == MECH_ERR_CONFLICT || status == MECH_ERR_NO_START || status == MECH_ERR_MEMORY) {
        const char *why = mech_sim_error_text(sim);
        say("mech: %s\n", *why ? why : mech_status_text(status));
        return exit_code(status);
    }
    memcpy(q, mech_sim_q(sim), sizes.coords * sizeof *q);
    memcpy(v, mech_sim_v(sim), sizes.coords * sizeof *v);
    if (sizes.states) memcpy(z, mech_sim_states(sim), sizes.states * sizeof *z);
    return keep_moves(facts, sim) ? EXIT_OK : show_text(MECH_ERR_MEMORY, NULL);
}

int start_assemble(start_facts *facts, double t, double *q, double *v, double *z)
{
    mech_sim_settings settings;
    mech_sim *sim = NULL;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.from = t;
    settings.until = t + 1;
    const mech_status status = mech_sim_create(facts->system, &settings, &sim);
    if (status != MECH_OK) return show_text(status, NULL);
    const int code = assembled(facts, sim, q, v, z);
    mech_sim_free(sim);
    return code;
}

void start_end(start_facts *facts)
{
    for (size_t i = 0; i < facts->move_count; i++) free((char *)(uintptr_t)facts->moves[i].name);
    free(facts->moves);
    facts->moves = NULL;
    facts->move_count = 0;
}
