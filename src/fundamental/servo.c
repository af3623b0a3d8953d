/* Control forces: servo rows kept by actuators, and inverse dynamics.

   Natural constraints come first. With g(f) = Q' L^-1 f (small.h) the acceleration that a force f still
   causes in row a of the system is g(a)_2 . g(f)_2, because P M^-1 = L^-T Q [0 0; 0 I] Q' L^-1. So the servo
   problem

       minimise u' W u   subject to   A_s P M^-1 G u = b_s - A_s q_n''

   is again an equation of the same form, with W for M and the reach of the actuators for A. */
#include "fundamental/room.h"

#include "base/try.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

static double norm(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* column j of the directions u is measured along: of G, of I, or, for nature, of L: u = L v and v'v = u'M^-1
 * u */
static void direction(const mech_fundamental *f, const mech_fundamental_input *in, int j, double *out)
{
    const int n = f->n;
    if (in->G) {
        memcpy(out, &AT(in->G, 0, j, n), (size_t)n * sizeof *out);
        return;
    }
    memset(out, 0, (size_t)n * sizeof *out);
    if (in->servo && in->weight == MECH_WEIGHT_NATURE)
        memcpy(out + j, &AT(f->natural.L, j, j, f->natural.ld), (size_t)(n - j) * sizeof *out);
    else out[j] = 1;
}

/* the weight of the control problem, g x g */
static const double *weight(mech_fundamental *f, const mech_fundamental_input *in, int g)
{
    if (in->weight == MECH_WEIGHT_GIVEN) return in->W;
    memset(f->matrix, 0, (size_t)g * (size_t)g * sizeof *f->matrix);
    for (int j = 0; j < g; j++) AT(f->matrix, j, j, g) = 1;
    return f->matrix;
}

/* the control problem of f->reach (rows x g) in the weight, factored */
static mech_status factor_control(mech_fundamental *f, const mech_fundamental_input *in, int rows, int g)
{
    const double tol = in->rank_tol > 0 ? in->rank_tol : f->settings.rank_tol;
    small_place(&f->control, g, rows, f->control.L, f->control.order);
    const small_status status = small_factor(&f->control, weight(f, in, g), f->reach, NULL, tol, 0);
    if (status == SMALL_NOT_FINITE) return MECH_ERR_NOT_FINITE;
    if (status != SMALL_OK || f->control.semi) return MECH_ERR_ARGUMENT; /* W is not definite */
    return MECH_OK;
}

/* f->u = the least u with reach u = f->target, in the weight; W itself is not read, as it is definite */
static void least_control(mech_fundamental *f, int g)
{
    memset(f->vectors, 0, (size_t)g * sizeof *f->vectors);
    small_ideal(&f->control, NULL, f->vectors, f->target, f->u, NULL, NULL);
}

/* scaled servo rows: entry i of `scaled` is [0; K^-1 g_2] (K = I when M is definite); returns their number */
static int scale_servo_rows(mech_fundamental *f, const mech_fundamental_input *in, double *scaled)
{
    const int n = f->n, r = f->natural.rank;
    int count = 0;
    for (int i = 0; i < f->m; i++) {
        if (!f->mask_servo[i]) continue;
        double *row = &AT(scaled, 0, count++, n);
        for (int j = 0; j < n; j++) f->dqdd[j] = AT(in->A, i, j, f->m);
        small_forward(&f->natural, f->dqdd, f->natural.g);
        memset(row, 0, (size_t)n * sizeof *row);
        small_complete(&f->natural, f->natural.g, row);
        memcpy(row, f->natural.g, (size_t)r * sizeof *row); /* only for its length */
    }
    return count;
}

/* reach (count x g): row i . direction j behind the rank; what is rounding is nothing */
static void find_reach(mech_fundamental *f, const mech_fundamental_input *in, const double *scaled, int count, int g)
{
    const int n = f->n, r = f->natural.rank;
    for (int j = 0; j < g; j++) {
        double *gamma = f->natural.g;
        direction(f, in, j, f->dqdd);
        small_forward(&f->natural, f->dqdd, gamma);
        for (int i = 0; i < count; i++) {
            const double *row = &AT(scaled, 0, i, n);
            double entry = 0;
            for (int k = r; k < n; k++) entry += row[k] * gamma[k];
            if (fabs(entry) <= 16 * DBL_EPSILON * n * norm(n, row) * norm(n, gamma)) entry = 0;
            AT(f->reach, i, j, count) = entry;
        }
    }
}

/* What the rounding of q_j is a part of: it may be all that is left of large forces. */
static double push_on(const mech_fundamental *f, const mech_fundamental_input *in, int j)
{
    const double mass = fabs(AT(in->M, j, j, f->n));
    return mass > 0 ? (fabs(in->Q[j]) + fabs(f->Qi[j])) / mass : 0;
}

/* What the rounding of u is a part of in row k of the reach: u comes as a whole, in its weight, so that its small
   entries carry the rounding of the large ones. */
static double push_of_control(const mech_fundamental *f, const mech_fundamental_input *in, int k, int count, int g)
{
    double length = 0, reach = 0;
    for (int j = 0; j < g; j++) {
        const double W = in->weight == MECH_WEIGHT_GIVEN ? AT(in->W, j, j, g) : 1, entry = AT(f->reach, k, j, count);
        length += W * f->u[j] * f->u[j];
        reach += entry * entry / W;
    }
    return sqrt(length * reach);
}

/* servo rows that the control misses; the terms of row i set the scale */
static mech_status judge_servo(mech_fundamental *f, const mech_fundamental_input *in, int count, int g)
{
    for (int i = 0, k = 0; i < f->m; i++) {
        if (!f->mask_servo[i]) continue;
        double miss = f->target[k], size = fabs(in->b[i]), rounding = push_of_control(f, in, k, count, g);
        for (int j = 0; j < f->n; j++) {
            size += fabs(AT(in->A, i, j, f->m) * f->qdd[j]);
            rounding += fabs(AT(in->A, i, j, f->m)) * push_on(f, in, j);
        }
        for (int j = 0; j < g; j++) {
            const double term = AT(f->reach, k, j, count) * f->u[j];
            miss -= term;
            size += fabs(term);
        }
        if (!(fabs(miss) <= 1e-8 * size) && !(fabs(miss) <= 1e-13 * rounding)) f->culprit[f->culprits++] = i;
        k++;
    }
    return f->culprits ? MECH_ERR_NOT_REALISABLE : MECH_OK;
}

static int directions(const mech_fundamental *f, const mech_fundamental_input *in)
{
    return in->G ? in->actuators : f->n;
}

mech_status fundamental_control_prepare(mech_fundamental *f, const mech_fundamental_input *in)
{
    const int g = directions(f, in);
    if (in->weight == MECH_WEIGHT_NATURE && f->natural.semi) /* no M^-1, or none that weighs */
        return f->natural.indefinite ? MECH_ERR_NOT_DEFINITE : MECH_ERR_SINGULAR_MASS;
    const int count = scale_servo_rows(f, in, f->scratch);
    find_reach(f, in, f->scratch, count, g);
    return factor_control(f, in, count, g);
}

void fundamental_control_aim(mech_fundamental *f, const mech_fundamental_input *in, const double *qdd, const double *b)
{
    const int n = f->n, g = directions(f, in);
    int count = 0;
    for (int i = 0; i < f->m; i++) {
        double miss = b ? b[i] : 0;
        for (int j = 0; j < n && f->mask_servo[i]; j++) miss -= AT(in->A, i, j, f->m) * qdd[j];
        if (f->mask_servo[i]) f->target[count++] = miss;
    }
    least_control(f, g);
    memset(f->Qc, 0, (size_t)n * sizeof *f->Qc);
    for (int j = 0; j < g; j++) {
        direction(f, in, j, f->dqdd);
        for (int i = 0; i < n; i++) f->Qc[i] += f->dqdd[i] * f->u[j];
    }
}

mech_status fundamental_control(mech_fundamental *f, const mech_fundamental_input *in)
{
    const int n = f->n, g = directions(f, in);
    MECH_TRY(fundamental_control_prepare(f, in));
    fundamental_control_aim(f, in, f->qdd, in->b);
    MECH_TRY(judge_servo(f, in, f->control.m, g));
    if (!in->G) memcpy(f->u, f->Qc, (size_t)n * sizeof *f->u);
    for (int i = 0; i < n; i++) f->force[i] = in->Q[i] + f->Qc[i];
    return MECH_OK;
}

/* ---- inverse dynamics ---- */

/* rows in force that q'' breaks */
static mech_status judge_given(mech_fundamental *f, const mech_fundamental_input *in, const double *qdd)
{
    for (int i = 0; i < f->m; i++) {
        double miss = in->b[i], size = fabs(in->b[i]);
        if (in->active && !in->active[i]) continue;
        for (int j = 0; j < f->n; j++) {
            miss -= AT(in->A, i, j, f->m) * qdd[j];
            size += fabs(AT(in->A, i, j, f->m) * qdd[j]);
        }
        if (!(fabs(miss) <= 1e-8 * size)) f->culprit[f->culprits++] = i;
    }
    return f->culprits ? MECH_ERR_CONFLICT : MECH_OK;
}

/* force = M q'' - Q - Qni: what constraints and actuators must give */
static mech_status needed_force(mech_fundamental *f, const mech_fundamental_input *in, const double *qdd)
{
    const int n = f->n;
    int given = 0;
    MECH_TRY(fundamental_law(f, in, &given));
    memset(f->Qni, 0, (size_t)n * sizeof *f->Qni);
    if (given) small_nonideal(&f->natural, in->M, f->C, f->dqdd, f->Qni, NULL);
    for (int i = 0; i < n; i++) {
        double sum = -in->Q[i] - f->Qni[i];
        for (int j = 0; j < n; j++) sum += (i >= j ? AT(in->M, i, j, n) : AT(in->M, j, i, n)) * qdd[j];
        f->force[i] = sum;
    }
    return MECH_OK;
}

/* coordinates where the force that nobody gives stands out: x = Q [0; miss], scaled */
static mech_status judge_reach(mech_fundamental *f, int rows, int g, double scale)
{
    const int n = f->n, r = f->natural.rank;
    double *missing = f->dqdd, worst = 0, largest = 0;
    memset(missing, 0, (size_t)n * sizeof *missing);
    for (int i = 0; i < rows; i++) {
        double miss = f->target[i];
        for (int j = 0; j < g; j++) miss -= AT(f->reach, i, j, rows) * f->u[j];
        missing[r + i] = miss;
        worst = fmax(worst, fabs(miss));
    }
    if (worst <= 1e-9 * scale) return MECH_OK;
    if (!(worst <= DBL_MAX)) return MECH_ERR_NOT_FINITE;
    small_backward(&f->natural, missing, missing); /* in the direction in which it would accelerate */
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(missing[i]) / f->natural.scale[i]);
    for (int i = 0; i < n; i++)
        if (fabs(missing[i]) / f->natural.scale[i] > 1e-8 * largest) f->culprit[f->culprits++] = i;
    return MECH_ERR_NOT_REALISABLE;
}

mech_status mech_fundamental_inverse(mech_fundamental *f, const mech_fundamental_input *in, const double *qdd,
                                     double *u, double *lambda)
{
    MECH_TRY(fundamental_check(f, in));
    if (f->sparse) return MECH_ERR_UNSUPPORTED;
    if (!qdd || in->servo || (in->weight == MECH_WEIGHT_GIVEN && !in->W)) return MECH_ERR_ARGUMENT;
    MECH_TRY(fundamental_factor(f, in));
    MECH_TRY(judge_given(f, in, qdd));
    MECH_TRY(needed_force(f, in, qdd));
    const int n = f->n, r = f->natural.rank, rows = n - r, g = in->G ? in->actuators : n;
    double *need = f->natural.g, scale;
    small_forward(&f->natural, f->force, need);
    scale = norm(n, need);
    memcpy(f->target, need + r, (size_t)rows * sizeof *need);
    for (int j = 0; j < g; j++) {
        double *gamma = f->natural.g;
        direction(f, in, j, f->dqdd);
        small_forward(&f->natural, f->dqdd, gamma);
        const double noise = 16 * DBL_EPSILON * n * norm(n, gamma);
        for (int i = 0; i < rows; i++) AT(f->reach, i, j, rows) = fabs(gamma[r + i]) <= noise ? 0 : gamma[r + i];
    }
    MECH_TRY(factor_control(f, in, rows, g));
    least_control(f, g);
    MECH_TRY(judge_reach(f, rows, g, scale));
    for (int j = 0; j < g; j++) {
        direction(f, in, j, f->dqdd);
        for (int i = 0; i < n; i++) f->force[i] -= f->dqdd[i] * f->u[j];
    }
    small_forward(&f->natural, f->force, f->natural.g);
    if (lambda) small_multipliers(&f->natural, f->natural.g, lambda);
    if (u) memcpy(u, f->u, (size_t)g * sizeof *u);
    return MECH_OK;
}
