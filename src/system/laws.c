#include "system/laws.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

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

void laws_add_slopes(const mech_system *system, const mech_equation *at, double *dC)
{
    const mech_pattern C = mech_system_pattern(system, MECH_MATRIX_C),
                       slopes = mech_system_pattern(system, MECH_MATRIX_C_REACTION);
    const size_t n = system->sizes.coords;
    for (size_t k = 0; k < slopes.count; k++) {
        const size_t entry = slopes.row[k];
        const mech_law law = mech_system_law(system, C.column[entry]);
        if (law.kind == MECH_LAW_C && laws_is_on(system, &law, at->active))
            dC[C.row[entry] + slopes.column[k] * n] += at->C_reaction[k];
    }
    if (!system->compiled) laws_lack_slopes(system, at, dC); /* given by functions, that are not differentiated */
}

void laws_lack_slopes(const mech_system *system, const mech_equation *at, double *dC)
{
    for (size_t k = 0; k < system->sizes.laws; k++) {
        const mech_law law = mech_system_law(system, k);
        if (!law.uses_reaction || !laws_is_on(system, &law, at->active)) continue;
        for (size_t i = 0; i < system->sizes.coords * system->sizes.rows; i++) dC[i] = (double)NAN;
    }
}

int laws_z_slope(const mech_system *system, const mech_equation *at, size_t row, double *dz)
{
    const mech_pattern C = mech_system_pattern(system, MECH_MATRIX_C),
                       slopes = mech_system_pattern(system, MECH_MATRIX_C_REACTION);
    int any = 0;
    memset(dz, 0, system->sizes.coords * sizeof *dz);
    for (size_t k = 0; k < slopes.count; k++) {
        const size_t entry = slopes.row[k];
        if (slopes.column[k] != row) continue;
        const mech_law law = mech_system_law(system, C.column[entry]);
        if (law.kind != MECH_LAW_Z || !laws_is_on(system, &law, at->active)) continue;
        dz[C.row[entry]] += at->C_reaction[k];
        any = 1;
    }
    return any;
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
