/* Coordinates that occur nowhere: every derivative by them vanishes, not only at the point (x^4 has none at
   0) but at one beside it, with velocities, accelerations and multipliers of no special values. */
#include "analyze/tangent.h"

#include "base/mem.h"
#include "base/try.h"
#include "base/tolerances.h"

#include <math.h>

/* Numbers without pattern in (0.3, 1.1). */
static double odd(size_t k) { return 0.3 + 0.8 * fmod(0.6180339887498949 * (double)(k + 1), 1); }

/* Row i of X (rows x columns) feels coordinate j: its entry is more than rounding beside the row's others and
   `least`, in the system's own units. */
static int row_feels(const tangent *t, const double *X, size_t rows, size_t i, size_t j, double least)
{
    double size = least;
    for (size_t k = 0; k < 2 * t->n + t->sizes.states; k++) size = fmax(size, fabs(X[i + k * rows]) * t->one[k]);
    return fabs(X[i + j * rows]) * t->one[j] > TOL_CYCLIC * size;
}

static int feels(const tangent *t, const double *X, size_t rows, size_t j)
{
    for (size_t i = 0; i < rows; i++)
        if (row_feels(t, X, rows, i, j, 0)) return 1;
    return 0;
}

/* Mass times one of acceleration. */
static double one_of_force(const tangent *t, size_t i)
{
    double force = 0;
    for (size_t k = 0; k < t->n; k++)
        force = fmax(force, fabs(t->e->M_dense[i + k * t->n]) * t->one[t->n + k] / t->time);
    return force;
}

/* Something depends on coordinate j; forces count beside the masses they move. */
static int matters(const tangent *t, size_t j)
{
    for (size_t i = 0; i < t->n; i++)
        if (row_feels(t, t->motion, t->n, i, j, one_of_force(t, i))) return 1;
    return feels(t, t->C_x, t->n, j) || feels(t, t->row, t->m, j) || feels(t, t->r_x, t->m, j) ||
           feels(t, t->r_dot_x, t->m, j) || feels(t, t->rate_x, t->sizes.states, j) ||
           feels(t, t->others, tangent_others(t), j);
}

/* A multiplier whose force is one where it acts. */
static double one_of_reaction(const tangent *t, size_t row)
{
    double one = 0;
    for (size_t j = 0; j < t->n; j++) {
        const double entry = fabs(t->e->A_dense[row + j * t->m]), force = one_of_force(t, j);
        if (entry > 0 && force > 0 && (one == 0 || force / entry < one)) one = force / entry;
    }
    return one > 0 ? one : 1;
}

static mech_status look(tangent *t, double time, const double *x, double *moved, unsigned char *is_cyclic)
{
    const size_t n = t->n, nz = t->sizes.states;
    double *a = moved + 2 * n + nz, *reaction = a + n;
    for (size_t k = 0; k < 2 * n + nz; k++) moved[k] = x[k] + odd(k) * (k < n ? 0.1 : 1) * t->one[k];
    for (size_t k = 0; k < n; k++) a[k] = odd(k + 7) * t->one[n + k] / t->time;
    for (size_t k = 0; k < t->m; k++) reaction[k] = odd(k + 13) * one_of_reaction(t, k);
    MECH_TRY(tangent_stand(t, time, moved));
    MECH_TRY(tangent_scatter(t, a, reaction, reaction));
    for (size_t j = 0; j < n; j++) is_cyclic[j] = is_cyclic[j] && !matters(t, j);
    return MECH_OK;
}

mech_status cyclic_find(tangent *t, double time, const double *x, unsigned char *is_cyclic)
{
    const size_t n = t->n;
    int any = 0;
    for (size_t j = 0; j < n; j++) any |= is_cyclic[j] = !matters(t, j);
    if (!any) return MECH_OK;
    double *moved = mem_alloc((3 * n + t->sizes.states + t->m) * sizeof *moved);
    if (!moved) return MECH_ERR_MEMORY;
    const mech_status status = look(t, time, x, moved, is_cyclic);
    mem_free(moved);
    return status == MECH_ERR_MEMORY ? status : MECH_OK; /* where nothing can be seen the first look holds */
}
