/* The sum of what explicit laws give, all constraints in force: C (n) of the robust solve. */
#ifndef TESTS_SUPPORT_LAW_FORCE_H
#define TESTS_SUPPORT_LAW_FORCE_H

#include <mech/system.h>

#include <string.h>

/* At the point the evaluation stands at; 0: it has no value there. */
static inline int law_force(const mech_system *system, mech_eval *e, double *C)
{
    const mech_pattern p = mech_system_pattern(system, MECH_MATRIX_C);
    memset(C, 0, mech_system_sizes(system).coords * sizeof *C);
    if (p.count && mech_eval_reaction(e, NULL, NULL) != MECH_OK) return 0;
    for (size_t i = 0; i < p.count; i++) C[p.row[i]] += mech_eval_equation(e)->C[i];
    return 1;
}

#endif
