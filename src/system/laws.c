#include "system/laws.h"

int laws_is_on(const mech_system *system, const mech_law *law, const unsigned char *active)
{
    for (size_t k = 0; k < law->constraint_count; k++)
        if (active[mech_system_constraint_rows(system, law->constraints[k], NULL)]) return 1;
    return law->constraint_count == 0;
}

void laws_add(const mech_system *system, mech_law_kind kind, const mech_equation *at, double *sum)
{
    const mech_pattern C = mech_system_pattern(system, MECH_MATRIX_C);
    for (size_t k = 0; k < C.count; k++) {
        const mech_law law = mech_system_law(system, C.column[k]);
        if (law.kind == kind && laws_is_on(system, &law, at->active)) sum[C.row[k]] += at->C[k];
    }
}

int laws_are_explicit(const mech_system *system)
{
    const size_t count = mech_system_sizes(system).laws;
    for (size_t k = 0; k < count; k++) {
        const mech_law law = mech_system_law(system, k);
        if (law.kind != MECH_LAW_C || law.uses_reaction) return 0;
    }
    return 1;
}
