/* Laws given by z, C = M^(1/2) z; and the force of each law by itself. */
#include "dynamics/dynamics.h"

#include "base/try.h"
#include "fundamental/room.h"
#include "fundamental/root.h"
#include "system/laws.h"

#include <string.h>

typedef struct root_room {                /* d->root */
    double *vectors, *matrix, *d, *z, *C; /* (n x n) (n x n) (n) (n) (n): M = V diag(d) V' */
} root_room;

static root_room room_of(const dynamics *d)
{
    root_room r = {.vectors = d->root, .matrix = d->root + d->n * d->n, .d = d->root + 2 * d->n * d->n};
    r.z = r.d + d->n;
    r.C = r.z + d->n;
    return r;
}

mech_status dynamics_root_laws(dynamics *d, double *C, double *dC)
{
    const int n = (int)d->n;
    const root_room r = room_of(d);
    memset(r.z, 0, d->n * sizeof *r.z);
    laws_add(d->system, MECH_LAW_Z, d->eq, r.z);
    if (!small_symmetric_root(n, d->eq->M_dense, r.z, r.vectors, r.matrix, r.d, r.C)) return MECH_ERR_NOT_DEFINITE;
    for (size_t i = 0; i < d->n; i++) C[i] += r.C[i];
    for (size_t row = 0; dC && row < d->m; row++) {
        if (!laws_z_slope(d->system, d->eq, row, r.z)) continue;
        small_power(n, r.vectors, r.d, 0.5, r.z, r.C);
        for (size_t i = 0; i < d->n; i++) dC[i + row * d->n] += r.C[i];
    }
    return MECH_OK;
}

void dynamics_find_z(dynamics *d, const double *C, double *z)
{
    const root_room r = room_of(d);
    memcpy(r.matrix, d->eq->M_dense, d->n * d->n * sizeof *r.matrix);
    small_eigen((int)d->n, r.matrix, r.vectors, r.d);
    small_power((int)d->n, r.vectors, r.d, -0.5, C, z);
}

mech_status dynamics_column(dynamics *d, size_t k, double *C)
{
    const root_room r = room_of(d);
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
    memcpy(r.z, C, d->n * sizeof *C);
    return small_symmetric_root((int)d->n, d->eq->M_dense, r.z, r.vectors, r.matrix, r.d, C) ? MECH_OK
                                                                                             : MECH_ERR_NOT_DEFINITE;
}

mech_status dynamics_split(dynamics *d, const unsigned char *natural, const double *no_force, double *to)
{
    const root_room r = room_of(d);
    mech_fundamental_input in = dynamics_question(d, no_force, d->b, natural);
    in.rank_tol = d->rank_tol;
    mech_fundamental_output out = {.size = sizeof out};
    MECH_TRY(mech_fundamental_ideal(d->solver, &in, &out));
    for (size_t k = 0; k < d->sizes.laws + d->sizes.frictions; k++, to += d->n) {
        MECH_TRY(dynamics_column(d, k, r.C));
        out.Qni = to;
        MECH_TRY(mech_fundamental_nonideal(d->solver, r.C, &out));
    }
    return MECH_OK;
}
