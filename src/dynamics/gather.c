/* What goes into a solve: rows in force, right sides with gains, masses. */
#include "dynamics/dynamics.h"

#include <math.h>
#include <string.h>

void dynamics_list_rows(dynamics *d)
{
    for (size_t i = 0; i < d->m; i++) {
        d->active[i] = d->eq->active[i];
        d->servo[i] = (unsigned char)mech_system_row(d->system, i).is_control;
    }
}

/* ---- masses ---- */

/* M + alpha A'A in place of a singular M: with alpha A'b added to Q the solution is the same, as A q'' = b,
   but the matrix is definite wherever the motion is unique, and by more than rounding. */
static void regularize_mass(dynamics *d)
{
    double most = 0, row = 0;
    for (size_t i = 0; i < d->n; i++) most = fmax(most, d->eq->M_dense[i + i * d->n]);
    for (size_t i = 0; i < d->m; i++) {
        double sum = 0;
        for (size_t j = 0; j < d->n && d->active[i]; j++)
            sum += d->A_used[i + j * d->rows] * d->A_used[i + j * d->rows];
        row = fmax(row, sum);
    }
    d->alpha = row > 0 ? 0.1 * most / row : 0;
    dynamics_metric_over(d, d->active);
}

void dynamics_metric_over(dynamics *d, const unsigned char *mask)
{
    if (!d->has_singular_mass || d->is_sparse) return;
    memcpy(d->metric, d->eq->M_dense, d->n * d->n * sizeof(double));
    for (size_t i = 0; i < d->m; i++) {
        if (!mask[i] || d->servo[i]) continue;
        const double *a = d->A_used + i;
        size_t count = 0;
        for (size_t j = 0; j < d->n; j++)
            if (a[j * d->rows] != 0) d->touched[count++] = j;
        for (size_t j = 0; j < count; j++) {
            const size_t column = d->touched[j];
            const double part = d->alpha * a[column * d->rows];
            for (size_t k = 0; k < count; k++)
                d->metric[d->touched[k] + column * d->n] += part * a[d->touched[k] * d->rows];
        }
    }
    d->M_used = d->metric;
}

/* ---- rows ---- */

/* Those of the evaluation; and the mass matrix of the solve. */
static void gather(dynamics *d, const double *values, const double *dense)
{
    d->M_used = d->is_sparse ? d->eq->M : d->eq->M_dense;
    d->A_used = d->is_sparse ? values : dense;
    if (d->is_sparse) return;
    if (d->rows > d->m) {
        for (size_t j = 0; j < d->n && d->m; j++) memcpy(d->A + j * d->rows, dense + j * d->m, d->m * sizeof(double));
        d->A_used = d->A;
    }
    if (d->has_singular_mass) regularize_mass(d);
}

/* What friction's directions are, and the rows V = 0 of what holds: one for each direction in which V may slide, and
   none for those that the constraints hold, of which rounding would make rows of its own. */
static void put_stick(dynamics *d, size_t k)
{
    dynamics_friction *f = &d->friction[k];
    const friction_state at = dynamics_friction_state(d, k);
    if (f->is_on && f->is_known) friction_see(&f->law, &at);
    else if (f->is_on) friction_find_seen(&f->law, &at);
    f->is_known |= f->is_on;
    friction_find_normal(&f->law, d->eq->active, &f->normal);
    f->directions = friction_surface(&f->law, &f->normal, f->surface);
    for (size_t a = 0; a < f->law.count; a++) {
        const size_t row = d->m + f->law.first + a;
        const int holds = f->is_on && f->mode.holds && a < f->directions;
        for (size_t j = 0; j < d->n; j++)
            d->A[row + j * d->rows] = holds ? friction_dot(f->surface[a], at.S + j * d->nf, f->law.count) : 0;
        d->active[row] = (unsigned char)holds;
        d->servo[row] = 0;
    }
}

void dynamics_gather(dynamics *d)
{
    gather(d, d->eq->A, d->eq->A_dense);
    if (d->nf == 0) return;
    memset(d->S, 0, d->nf * d->n * sizeof *d->S);
    for (size_t k = 0; k < d->pattern_slip.count; k++)
        d->S[d->pattern_slip.row[k] + d->pattern_slip.column[k] * d->nf] = d->eq->slip_A[k];
    for (size_t k = 0; k < d->sizes.frictions; k++) {
        const friction_law *law = &d->friction[k].law;
        for (size_t j = 0; j < d->n && !d->friction[k].is_on; j++) /* what is off need have no value */
            memset(d->S + law->first + j * d->nf, 0, law->count * sizeof(double));
        put_stick(d, k);
    }
}

void dynamics_gather_gradient(dynamics *d) { gather(d, d->eq->gradient, d->eq->gradient_dense); }

/* ---- right sides ---- */

mech_status dynamics_make_gains(dynamics_gains *gains, size_t count, arena *memory)
{
    return ARENA_MAKE(memory, ARRAY_OF(gains->row, count), ARRAY_OF(gains->column, count),
                      ARRAY_OF(gains->value, count));
}

static void take_gains(const dynamics *d, mech_matrix which, const double *values, const double *given,
                       dynamics_gains *to)
{
    const mech_pattern pattern = mech_system_pattern(d->system, which);
    to->count = given ? d->m : pattern.count;
    for (size_t k = 0; k < to->count; k++) {
        to->row[k] = given ? (uint32_t)k : pattern.row[k];
        to->column[k] = given ? (uint32_t)k : pattern.column[k];
        to->value[k] = given ? *given : values[k];
    }
}

void dynamics_take_gains(dynamics *d, const double given[2])
{
    d->gains_on_all = mech_system_stabilize(d->system) == MECH_STABILIZE_EXCESS;
    take_gains(d, MECH_MATRIX_DAMPING, d->eq->damping, given, &d->B);
    take_gains(d, MECH_MATRIX_STIFFNESS, d->eq->stiffness, given ? given + 1 : NULL, &d->K);
}

void dynamics_list_gains(const dynamics *d, const double *gain, size_t count, dynamics_gains *to)
{
    const size_t m = d->m, entries = count == m * m && m > 1 ? count : m;
    to->count = 0;
    for (size_t k = 0; gain && k < entries; k++) {
        const double x = gain[count == 1 ? 0 : k];
        if (x == 0) continue;
        to->row[to->count] = (uint32_t)(entries > m ? k % m : k);
        to->column[to->count] = (uint32_t)(entries > m ? k / m : k);
        to->value[to->count++] = x;
    }
}

static void subtract(const dynamics *d, const dynamics_gains *gains, const double *r)
{
    for (size_t k = 0; k < gains->count; k++)
        if (d->gains_on_all || d->servo[gains->row[k]]) d->b[gains->row[k]] -= gains->value[k] * r[gains->column[k]];
}

void dynamics_gather_sides(dynamics *d)
{
    if (d->m) memcpy(d->b, d->eq->b, d->m * sizeof(double));
    if (d->gains_on_all || d->has_control) subtract(d, &d->B, d->eq->r_dot);
    if (d->gains_on_all || d->has_control) subtract(d, &d->K, d->eq->r);
    for (size_t k = 0; k < d->sizes.frictions; k++) {
        const dynamics_friction *f = &d->friction[k];
        const double *V = d->eq->slip + f->law.first, *V_b = d->eq->slip_b + f->law.first;
        for (size_t a = 0; a < f->law.count; a++) {
            const size_t row = d->m + f->law.first + a;
            d->b[row] = d->active[row] ? friction_dot(f->surface[a], V_b, f->law.count) : 0;
            if (d->active[row] && d->stick_damping != 0)
                d->b[row] -= d->stick_damping * friction_dot(f->surface[a], V, f->law.count);
        }
    }
}

void dynamics_stick_speeds(const dynamics *d, double *V)
{
    for (size_t k = 0; k < d->sizes.frictions; k++) {
        const dynamics_friction *f = &d->friction[k];
        for (size_t a = 0; a < f->law.count; a++)
            V[f->law.first + a] = d->active[d->m + f->law.first + a]
                                      ? friction_dot(f->surface[a], d->eq->slip + f->law.first, f->law.count)
                                      : 0;
    }
}
