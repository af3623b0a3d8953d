/* Rows that stand as A q'' = b in the model: nothing but q'' can meet them. */
#include "simulate/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

mech_status sim_check_given(mech_sim *s)
{
    if (!s->given_rows.exist) return MECH_OK;
    const mech_pattern A = mech_system_pattern(s->system, MECH_MATRIX_A);
    char names[300] = "";
    for (size_t row = 0; row < s->sizes.rows; row++) {
        const mech_row about = mech_system_row(s->system, row);
        if (about.level != MECH_LEVEL_ACCELERATION || about.is_control || !s->eq->active[row]) continue;
        double miss = -s->eq->b[row], size = fabs(miss), turn = 0;
        for (size_t k = 0; k < A.count; k++) {
            if (A.row[k] != row) continue;
            const double term = s->eq->A[k] * s->dyn.qdd[A.column[k]];
            miss += term;
            size += fabs(term);
            turn += s->eq->A[k] * s->given_rows.A_before[k];
            s->given_rows.A_before[k] = s->eq->A[k];
        }
        if (turn < 0)
            return sim_fail(
                s, MECH_ERR_SINGULAR_MASS,
                "at t = %.10g: what constraint %s holds q'' by passes through 0, and no motion goes on behind that",
                s->t, sim_row_name(s, row));
        if (fabs(miss) > TOL_GIVEN_ROW * size + TOL_GIVEN_ROW_LEAST)
            sim_list(names, sizeof names, sim_row_name(s, row));
    }
    if (!names[0]) return MECH_OK;
    return sim_fail(s, MECH_ERR_CONFLICT, "at t = %.10g: no acceleration meets these constraints together: %s", s->t,
                    names);
}

mech_status sim_given_rows_create(mech_sim *s)
{
    for (size_t row = 0; row < s->m; row++)
        s->given_rows.exist |= mech_system_row(s->system, row).level == MECH_LEVEL_ACCELERATION;
    return SIM_MAKE_KEPT(s, ARRAY_OF(s->given_rows.A_before, s->dyn.pattern_A.count));
}
