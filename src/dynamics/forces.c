/* Laws given by z, C = M^(1/2) z; and the force of each law by itself. */
#include "dynamics/dynamics.h"

#include "base/try.h"
#include "fundamental/room.h"
#include "fundamental/root.h"
#include "system/laws.h"

#include <string.h>

mech_status dynamics_root_laws(dynamics *d, double *C, double *dC)
{
    const int n = (int)d->n;
    memset(d->root.z, 0, d->n * sizeof *d->root.z);
    laws_add(d->system, MECH_LAW_Z, d->eq, d->root.z);
    if (!small_symmetric_root(n, d->eq->M_dense, d->root.z, d->root.vectors, d->root.matrix, d->root.d, d->root.C))
        return MECH_ERR_NOT_DEFINITE;
    for (size_t i = 0; i < d->n; i++) C[i] += d->root.C[i];
    for (size_t row = 0; dC && row < d->m; row++) {
        if (!laws_z_slope(d->system, d->eq, row, d->root.z)) continue;
        small_power(n, d->root.vectors, d->root.d, 0.5, d->root.z, d->root.C);
        for (size_t i = 0; i < d->n; i++) dC[i + row * d->n] += d->root.C[i];
    }
    return MECH_OK;
}

void dynamics_find_z(dynamics *d, const double *C, double *z)
{
    memcpy(d->root.matrix, d->eq->M_dense, d->n * d->n * sizeof *d->root.matrix);
    small_eigen((int)d->n, d->root.matrix, d->root.vectors, d->root.d);
    small_power((int)d->n, d->root.vectors, d->root.d, -0.5, C, z);
}

mech_status dynamics_column(dynamics *d, size_t k, double *C)
{
    memset(C, 0, d->n * sizeof *C);
    if (k >= d->sizes.laws) {
        dynamics_friction_force(d, k - d->sizes.laws, 0, C);
        return MECH_OK;
    }
    const mech_law law = mech_system_law(d->system, k);
    if (!laws_is_on(d->system, &law, d->eq->active)) return MECH_OK;
    for (size_t i = 0; i < d->pattern_C.count; i++)
        if (d->pattern_C.column[i] == k) C[d->pattern_C.row[i]] += d->eq->C[i];
    if (law.kind != MECH_LAW_Z) return MECH_OK;
    memcpy(d->root.z, C, d->n * sizeof *C);
    return small_symmetric_root((int)d->n, d->eq->M_dense, d->root.z, d->root.vectors, d->root.matrix, d->root.d, C)
               ? MECH_OK
               : MECH_ERR_NOT_DEFINITE;
}

mech_status dynamics_split(dynamics *d, const unsigned char *natural, const double *no_force, double *to)
{
    const mech_fundamental_input in = dynamics_equation(d, no_force, natural);
    mech_fundamental_output out = {.size = sizeof out};
    MECH_TRY(mech_fundamental_ideal(d->solver, &in, &out));
    for (size_t k = 0; k < d->sizes.laws + d->sizes.frictions; k++, to += d->n) {
        MECH_TRY(dynamics_column(d, k, d->root.C));
        out.Qni = to;
        MECH_TRY(mech_fundamental_nonideal(d->solver, d->root.C, &out));
    }
    return MECH_OK;
}
