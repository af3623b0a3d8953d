/* Laws given by z, C = M^(1/2) z, beside laws that look at reactions; and the force of each law by itself. */
#include "simulate/sim.h"
#include "base/try.h"
#include "fundamental/room.h"

#include <stdio.h>
#include <string.h>

typedef struct root_room {                /* s->root_work */
    double *vectors, *matrix, *d, *z, *C; /* (n x n) (n x n) (n) (n) (n): M = V diag(d) V' */
} root_room;

static root_room room_of(const mech_sim *s)
{
    double *block = s->root_work;
    root_room r = {.vectors = block, .matrix = block + s->n * s->n, .d = block + 2 * s->n * s->n};
    r.z = r.d + s->n;
    r.C = r.z + s->n;
    return r;
}

mech_status sim_laws_create(mech_sim *s)
{
    const size_t n = s->n;
    if (s->sizes.laws + s->sizes.frictions == 0) return MECH_OK;
    s->root_work = arena_alloc(&s->memory, (2 * n * n + 3 * n) * sizeof(double));
    return s->root_work ? MECH_OK : MECH_ERR_MEMORY;
}

mech_status sim_root_laws(mech_sim *s, double *C, double *dC)
{
    const int n = (int)s->n;
    const root_room r = room_of(s);
    sim_gather_laws(s, MECH_LAW_Z, r.z);
    if (!fundamental_symmetric_root(n, s->eq->M_dense, r.z, r.vectors, r.matrix, r.d, r.C))
        return MECH_ERR_NOT_DEFINITE;
    for (size_t i = 0; i < s->n; i++) C[i] += r.C[i];
    for (size_t row = 0; dC && row < s->m; row++) {
        if (!laws_z_slope(s->system, s->eq, row, r.z)) continue;
        fundamental_power(n, r.vectors, r.d, 0.5, r.z, r.C);
        for (size_t i = 0; i < s->n; i++) dC[i + row * s->n] += r.C[i];
    }
    return MECH_OK;
}

/* ---- the force of each law ---- */

/* The constraints that law k is on; behind the laws, friction k - laws. */
static const size_t *constraints_of(const mech_sim *s, size_t k, size_t *count)
{
    if (k < s->sizes.laws) {
        const mech_law law = mech_system_law(s->system, k);
        *count = law.constraint_count;
        return law.constraints;
    }
    const mech_friction f = mech_system_friction(s->system, k - s->sizes.laws);
    *count = f.constraint_count;
    return f.constraints;
}

void sim_law_name(const mech_sim *s, size_t k, size_t from, textbuf *name)
{
    size_t count, same = 1;
    const size_t *list = constraints_of(s, k, &count);
    for (size_t c = 0; c < count; c++)
        text_format(name, "%s%s", c ? "+" : "", mech_system_name(s->system, MECH_ITEM_CONSTRAINT, list[c]));
    for (size_t i = from; i < k; i++) { /* several on one constraint */
        size_t others;
        const size_t *other = constraints_of(s, i, &others);
        same += others == count && memcmp(other, list, count * sizeof *list) == 0;
    }
    if (same > 1) text_format(name, "#%zu", same);
}

/* C of law k alone at the multipliers evaluated last; friction's only while it slips. */
static mech_status column_of(mech_sim *s, size_t k, const root_room *r, double *C)
{
    memset(C, 0, s->n * sizeof *C);
    if (k >= s->sizes.laws) {
        sim_friction_force(s, k - s->sizes.laws, 0, C);
        return MECH_OK;
    }
    const mech_law law = mech_system_law(s->system, k);
    if (!laws_is_on(s->system, &law, s->eq->active)) return MECH_OK;
    for (size_t i = 0; i < s->pattern_C.count; i++)
        if (s->pattern_C.column[i] == k) C[s->pattern_C.row[i]] += s->eq->C[i];
    if (law.kind != MECH_LAW_Z) return MECH_OK;
    memcpy(r->z, C, s->n * sizeof *C);
    return fundamental_symmetric_root((int)s->n, s->eq->M_dense, r->z, r->vectors, r->matrix, r->d, C)
               ? MECH_OK
               : MECH_ERR_NOT_DEFINITE;
}

mech_status sim_law_forces(mech_sim *s, double *to)
{
    const size_t laws = s->sizes.laws, count = laws + s->sizes.frictions;
    if (count == 0) return MECH_OK;
    const root_room r = room_of(s);
    unsigned char *natural = s->scratch.row_mask;
    for (size_t i = 0; i < s->rows; i++) natural[i] = s->active[i] && !s->servo[i];
    const mech_fundamental_input in = {
        .size = sizeof in, .M = s->M_used, .Q = s->scratch.zero, .A = s->A_used, .b = s->b, .active = natural,
        .allows_indefinite = mech_system_allows_negative_mass(s->system)};
    mech_fundamental_output out = {.size = sizeof out};
    MECH_TRY(mech_fundamental_ideal(s->solver, &in, &out));
    for (size_t k = 0; k < count; k++, to += s->n) {
        MECH_TRY(column_of(s, k, &r, r.C));
        out.Qni = to;
        MECH_TRY(mech_fundamental_nonideal(s->solver, r.C, &out));
    }
    for (size_t k = 0; k < s->sizes.frictions; k++, to += s->n) {
        memset(to, 0, s->n * sizeof *to);
        sim_friction_force(s, k, 1, to);
    }
    return MECH_OK;
}
