/* Coordinates that occur nowhere: every derivative by them vanishes, not only at the point (x^4 has none at
   0) but at one beside it, with velocities, accelerations and multipliers of no special values. */
#include "analyze/dense.h"
#include "analyze/inertia.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

/* Numbers without pattern in (0.3, 1.1). */
static double odd(size_t k) { return 0.3 + 0.8 * fmod(0.6180339887498949 * (double)(k + 1), 1); }

static double column_size(const tangent *t, size_t j)
{
    double size = fmax(dense_largest(t->motion + j * t->n, t->n), dense_largest(t->C_x + j * t->n, t->n));
    size = fmax(size, fmax(dense_largest(t->row + j * t->m, t->m), dense_largest(t->r_x + j * t->m, t->m)));
    return fmax(size, fmax(dense_largest(t->r_dot_x + j * t->m, t->m),
                           dense_largest(t->rate_x + j * t->sizes.states, t->sizes.states)));
}

static mech_status look(tangent *t, mech_eval *eval, double time, const double *x, double *moved,
                        unsigned char *is_cyclic)
{
    const size_t n = t->n, nz = t->sizes.states;
    double *a = moved + 2 * n + nz, *reaction = a + n;
    for (size_t k = 0; k < 2 * n + nz; k++) moved[k] = x[k] + odd(k) * (k < n ? 0.1 * (1 + fabs(x[k])) : 1);
    for (size_t k = 0; k < n; k++) a[k] = odd(k + 7);
    for (size_t k = 0; k < t->m; k++) reaction[k] = odd(k + 13);
    mech_eval_set_states(eval, moved + 2 * n);
    MECH_TRY(mech_eval_position(eval, time, moved));
    MECH_TRY(mech_eval_velocity(eval, moved + n));
    MECH_TRY(mech_eval_reaction(eval, reaction, reaction));
    MECH_TRY(mech_eval_acceleration(eval, a));
    MECH_TRY(tangent_scatter(t, eval));
    const double scale = 1e-12 * (1 + dense_largest(t->motion, n * t->columns));
    for (size_t j = 0; j < n; j++) is_cyclic[j] = is_cyclic[j] && column_size(t, j) <= scale;
    return MECH_OK;
}

mech_status cyclic_find(tangent *t, mech_eval *eval, double time, const double *x, unsigned char *is_cyclic)
{
    const size_t n = t->n;
    const double scale = 1e-12 * (1 + dense_largest(t->motion, n * t->columns));
    int any = 0;
    for (size_t j = 0; j < n; j++) any |= is_cyclic[j] = column_size(t, j) <= scale ? 1 : 0;
    if (!any) return MECH_OK;
    double *moved = mem_alloc((3 * n + t->sizes.states + t->m) * sizeof *moved);
    if (!moved) return MECH_ERR_MEMORY;
    const mech_status status = look(t, eval, time, x, moved, is_cyclic);
    mem_free(moved);
    return status == MECH_ERR_MEMORY ? status : MECH_OK; /* where nothing can be seen the first look holds */
}
