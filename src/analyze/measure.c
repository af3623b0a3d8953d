/* What counts as one: of each coordinate, velocity and state, and of time, so that nothing depends on the units a
   model is written in. A coordinate times the root of its mass has one unit for all of them; time is that of the
   fastest rate at which forces answer. How large coordinates are is told by the largest of them; where all are 0, or
   what rounding leaves of it, by 1 in that which is the least by mass. */
#include "analyze/dense.h"
#include "analyze/tangent.h"

#include "system/sizes.h"
#include "base/tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 10 };

size_t measure_room(const mech_system *system)
{
    const size_t values = system_sizes_room(system), slopes = system_sizes_jacobian_room(system);
    return values > slopes ? values : slopes;
}

/* ---- coordinates ---- */

/* Largest |A_ik| one_k of a row; coordinates that are not known yet have 0. */
static double width_of(const tangent *t, size_t row)
{
    double width = 0;
    for (size_t k = 0; k < t->n && t->e->active[row]; k++)
        width = fmax(width, fabs(t->e->A_dense[row + k * t->m]) * t->one[k]);
    return width;
}

/* A coordinate without mass goes as far as the rows make it follow the others. What is rounding of a row does not. */
static double bound_by_rows(const tangent *t, size_t j)
{
    const double *column = t->e->A_dense + j * t->m;
    double way = 0, largest = 0;
    for (size_t i = 0; i < t->m; i++) largest = fmax(largest, t->e->active[i] ? fabs(column[i]) : 0);
    for (size_t i = 0; i < t->m; i++) {
        const double entry = fabs(column[i]), width = entry > DBL_EPSILON * largest ? width_of(t, i) : 0;
        if (width > 0 && (way == 0 || width / entry < way)) way = width / entry;
    }
    return way;
}

/* one = 1/sqrt(mass): all have one unit. */
static void weigh(tangent *t)
{
    const size_t n = t->n;
    for (size_t i = 0; i < n; i++) {
        const double mass = fmax(t->mass[i], fabs(t->e->M_dense[i * (n + 1)]));
        t->one[i] = mass > 0 ? 1 / sqrt(mass) : 0;
    }
    for (int more = 1; more;) {
        more = 0;
        for (size_t i = 0; i < n; i++)
            if (t->one[i] == 0 && (t->one[i] = bound_by_rows(t, i)) > 0) more = 1;
    }
    for (size_t i = 0; i < n; i++)
        if (!(t->one[i] > 0)) t->one[i] = 1;
}

/* Largest of the coordinates times the root of its mass; *is_zero: all are 0. */
static double size_of(const tangent *t, const double *x, int *is_zero)
{
    double size = 0, least = (double)INFINITY;
    for (size_t i = 0; i < t->n; i++) {
        size = fmax(size, fabs(x[i]) / t->one[i]);
        least = fmin(least, 1 / t->one[i]);
    }
    *is_zero = !(size > TOL_ONE * least);
    return *is_zero ? least : size;
}

mech_status tangent_weigh(tangent *t, double time, const double *x)
{
    const size_t n = t->n;
    const double largest = dense_largest(x, n), raw = largest > TOL_ONE ? largest : 1;
    int is_zero;
    double *beside = t->work;
    memset(t->mass, 0, n * sizeof *t->mass);
    mech_status status = mech_eval_state(t->eval, time, x, NULL, x + 2 * n);
    if (status != MECH_OK) return status == MECH_ERR_MEMORY ? status : MECH_OK;
    weigh(t);
    const double size = size_of(t, x, &is_zero);
    for (size_t i = 0; i < n; i++) {
        const double way = size * t->one[i];
        t->mass[i] = fabs(t->e->M_dense[i * (n + 1)]);
        beside[i] = x[i] + 0.1 * (0.5 + fmod(0.6180339887498949 * (double)(i + 1), 1)) *
                               (way > TOL_ONE_WAY * raw && way < raw ? way : raw);
    }
    status = mech_eval_state(t->eval, time, beside, NULL, x + 2 * n);
    for (size_t i = 0; i < n && status == MECH_OK; i++) t->mass[i] = fmax(t->mass[i], fabs(t->e->M_dense[i * (n + 1)]));
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

/* ---- time ---- */

/* The fastest rate in a matrix of derivatives by q (rate^2) and v (rate), times one of each column and of its row. */
static double fastest(const tangent *t, mech_matrix which, const double *slopes, const double *row_one)
{
    const mech_pattern p = mech_system_pattern(t->system, which);
    double rate = 0;
    for (size_t k = 0; k < p.count; k++) {
        const size_t c = p.column[k];
        if (c >= 2 * t->n) continue;
        const double part = slopes[k] * t->one[c % t->n] * row_one[p.row[k]];
        rate = fmax(rate, c < t->n ? sqrt(part) : part);
    }
    return rate;
}

/* With which control brings the state back to its path. */
static double fastest_control(const tangent *t)
{
    double rate = 0;
    for (size_t k = 0; k < t->at_point.d.B.count; k++)
        if (t->at_point.d.B.row[k] >= t->sizes.natural_rows) rate = fmax(rate, fabs(t->at_point.d.B.value[k]));
    for (size_t k = 0; k < t->at_point.d.K.count; k++)
        if (t->at_point.d.K.row[k] >= t->sizes.natural_rows) rate = fmax(rate, sqrt(fabs(t->at_point.d.K.value[k])));
    return rate;
}

/* With one = 1/sqrt(mass). The sizes of the terms, not of their sum: what rounding leaves of forces that balance is
   no rate. */
static double fastest_rate(tangent *t)
{
    const size_t n = t->n, nz = t->sizes.states;
    system_slopes slopes;
    system_sizes_jacobian(t->eval, t->size_work, &slopes);
    double rate = fastest(t, MECH_MATRIX_D_MOTION, slopes.motion, t->one);
    for (size_t i = 0; i < t->m; i++) {
        const double width = width_of(t, i);
        t->row_one[i] = width > 0 ? 1 / width : 0;
    }
    rate = fmax(rate, fastest(t, MECH_MATRIX_D_ROW, slopes.row, t->row_one));
    for (size_t j = 0; j < 2 * n; j++)
        for (size_t i = 0; i < n; i++) {
            const double part = fabs(t->C_x[i + j * n]) * t->one[i] * t->one[j % n];
            rate = fmax(rate, j < n ? sqrt(part) : part);
        }
    rate = fmax(rate, fastest_control(t));
    const mech_pattern p = mech_system_pattern(t->system, MECH_MATRIX_D_RATE);
    for (size_t k = 0; k < p.count && nz; k++)
        if (p.column[k] == t->at.z + p.row[k]) rate = fmax(rate, slopes.rate[k]);
    return rate;
}

/* Largest force over the root of its mass: the terms of Q, and the reactions. */
static double strongest(const tangent *t)
{
    system_sizes sizes;
    const double *Q = system_sizes_look(t->eval, 0, t->size_work, &sizes) ? sizes.Q : t->e->Q;
    double most = 0;
    for (size_t j = 0; j < t->n; j++) {
        double force = fabs(Q[j]);
        for (size_t i = 0; i < t->m; i++)
            if (tangent_binds(t, i)) force += fabs(t->e->A_dense[i + j * t->m] * t->reaction[i]);
        most = fmax(most, force * t->one[j]);
    }
    return most;
}

/* ---- states ---- */

/* What makes its rate, and what it makes of others and of rows, come out alike: a row in which it stands beside
   coordinates is as long by it as by these. */
static double one_of_state(const tangent *t, size_t k, double size)
{
    const size_t n = t->n, nz = t->sizes.states, column = t->at.z + k;
    double felt = 0, feels = 0;
    for (size_t j = 0; j < 2 * n + nz; j++)
        if (j != column) feels = fmax(feels, fabs(t->rate_x[k + j * nz]) * t->one[j] * t->time);
    for (size_t i = 0; i < n; i++) { /* M^-1 F_z in units of acceleration */
        const double weight = t->one[i] / size;
        felt = fmax(felt, fabs(t->motion[i + column * n]) * weight / size * t->time * t->time);
    }
    for (size_t i = 0; i < t->m; i++)
        if (tangent_binds(t, i)) felt = fmax(felt, fabs(t->r_x[i + column * t->m]) * t->row_one[i] / size);
    for (size_t i = 0; i < nz; i++)
        if (i != k) felt = fmax(felt, fabs(t->rate_x[i + column * nz]) / t->one[2 * n + i] * t->time);
    return feels > 0 && felt > 0 ? sqrt(feels / felt) : feels > 0 ? feels : felt > 0 ? 1 / felt : 1;
}

void tangent_measure(tangent *t, const double *x)
{
    const size_t n = t->n, nz = t->sizes.states;
    int is_zero;
    weigh(t);
    const double size = size_of(t, x, &is_zero);
    const double force = strongest(t), rate = fmax(fastest_rate(t), is_zero ? 0 : sqrt(force / size));
    t->has_time = rate > 0 && rate < (double)INFINITY;
    t->time = t->has_time ? 1 / rate : 1;
    t->pull = force / size * t->time * t->time;
    for (size_t i = 0; i < n; i++) {
        t->one[i] *= size;
        t->one[n + i] = t->one[i] / t->time;
    }
    for (size_t i = 0; i < nz; i++) t->one[2 * n + i] = 1;
    for (int sweep = 0; sweep < SWEEPS && nz; sweep++)
        for (size_t i = 0; i < nz; i++) t->one[2 * n + i] = one_of_state(t, i, size);
}

double tangent_speed(const tangent *t, const double *v)
{
    double most = 0;
    for (size_t i = 0; i < t->n; i++) most = fmax(most, fabs(v[i]) / t->one[t->n + i]);
    return most;
}
