/* The law of a statement of friction, as its system has it. */
#include "dynamics/dynamics.h"

#include "base/try.h"

int dynamics_may_see(const mech_system *system, const mech_friction *info, size_t row)
{
    const mech_pattern A = mech_system_pattern(system, MECH_MATRIX_A),
                       S = mech_system_pattern(system, MECH_MATRIX_SLIP);
    for (size_t i = 0; i < A.count; i++) {
        size_t k = 0;
        if (A.row[i] != row) continue;
        while (k < S.count && !(S.column[k] == A.column[i] && S.row[k] - info->first_row < info->row_count)) k++;
        if (k == S.count) return 0;
    }
    return 1;
}

mech_status dynamics_create_friction(const mech_system *system, size_t k, arena *memory, friction_law *law)
{
    const mech_friction info = mech_system_friction(system, k);
    size_t rows = 0, count = 0;
    if (info.row_count > FRICTION_MOST) return MECH_ERR_UNSUPPORTED;
    for (size_t c = 0; c < info.constraint_count; c++) {
        mech_system_constraint_rows(system, info.constraints[c], &count);
        rows += count;
    }
    size_t *loading;
    unsigned char *may;
    *law = (friction_law){.first = info.first_row, .count = info.row_count};
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(loading, rows), ARRAY_OF(may, rows), ARRAY_OF(law->is_seen, rows),
                        ARRAY_OF(law->w, rows * FRICTION_MOST)));
    law->rows = loading;
    law->may_be_seen = may;
    for (size_t c = 0; c < info.constraint_count; c++) {
        const size_t first = mech_system_constraint_rows(system, info.constraints[c], &count);
        for (size_t i = first; i < first + count; i++)
            if (!mech_system_row(system, i).is_torque) loading[law->row_count++] = i;
    }
    for (size_t i = 0; i < law->row_count; i++) may[i] = (unsigned char)dynamics_may_see(system, &info, loading[i]);
    if (info.constraint_count == 1) law->side = mech_system_side(system, info.constraints[0]);
    return MECH_OK;
}
