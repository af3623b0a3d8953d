#include "start.h"

#include "common.h"

#include <stdio.h>
#include <stdlib.h>

int start_begin(start_facts *facts, const mech_system *system, mech_instant *instant, double t, double *q, double *v,
                double *z)
{
    *facts = (start_facts){.system = system, .words = "initial values as written"};
    const mech_status status = mech_instant_start(instant, t, q, v, z);
    if (status == MECH_OK) return EXIT_OK;
    char *why = mech_instant_explain(instant);
    fprintf(stderr, "mech: the start: %s\n", why ? why : mech_status_text(status));
    mech_text_free(why);
    return exit_code(status);
}

void start_fix(start_facts *facts, double *list, size_t coord, double value)
{
    list[coord] = value;
    facts->is_changed = 1;
    facts->words = "initial values as written, changed by --state";
}

int start_assemble(start_facts *facts, double t, double *q, double *v, double *z)
{
    (void)facts, (void)t, (void)q, (void)v, (void)z;
    return EXIT_OK;
}

void start_end(start_facts *facts)
{
    free(facts->moves);
    facts->moves = NULL;
}
