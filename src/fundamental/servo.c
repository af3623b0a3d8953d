/* Control forces in the solver, and inverse dynamics; the mathematics are in control.h. */
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

small_control fundamental_control_of(mech_fundamental *f, const mech_fundamental_input *in)
{
    return (small_control){.natural = &f->natural,
                           .least = &f->control,
                           .m = f->m,
                           .A = in->A,
                           .servo = f->mask_servo,
                           .g = in->G ? in->actuators : f->n,
                           .G = in->G,
                           .W = in->weight == MECH_WEIGHT_GIVEN ? in->W : NULL,
                           .by_nature = in->servo && in->weight == MECH_WEIGHT_NATURE,
                           .rank_tol = in->rank_tol > 0 ? in->rank_tol : f->settings.rank_tol,
                           .scaled = f->scratch,
                           .reach = f->reach,
                           .target = f->target,
                           .direction = f->dqdd,
                           .unit = f->matrix,
                           .none = f->vectors,
                           .u = f->u,
                           .Qc = f->Qc};
}

static mech_status status_of(small_status status)
{
    if (status == SMALL_NOT_FINITE) return MECH_ERR_NOT_FINITE;
    return status == SMALL_OK ? MECH_OK : MECH_ERR_ARGUMENT; /* W is not definite */
}

mech_status fundamental_control_prepare(mech_fundamental *f, const mech_fundamental_input *in)
{
    small_control c = fundamental_control_of(f, in);
    if (in->weight == MECH_WEIGHT_NATURE && f->natural.semi) /* no M^-1, or none that weighs */
        return f->natural.indefinite ? MECH_ERR_NOT_DEFINITE : MECH_ERR_SINGULAR_MASS;
    return status_of(small_control_prepare(&c));
}

void fundamental_control_aim(mech_fundamental *f, const mech_fundamental_input *in, const double *qdd, const double *b)
{
    small_control c = fundamental_control_of(f, in);
    small_control_aim(&c, qdd, b);
}

mech_status fundamental_control(mech_fundamental *f, const mech_fundamental_input *in)
{
    const int n = f->n;
    MECH_TRY(fundamental_control_prepare(f, in));
    fundamental_control_aim(f, in, f->qdd, in->b);
    const small_control c = fundamental_control_of(f, in);
    f->culprits = small_control_missed(&c, in->M, in->Q, f->Qi, f->qdd, in->b, f->culprit);
    if (f->culprits) return MECH_ERR_NOT_REALISABLE;
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
    small_control c = fundamental_control_of(f, in);
    const int n = f->n, r = f->natural.rank, rows = n - r, g = c.g;
    double *need = f->natural.g, scale;
    small_forward(&f->natural, f->force, need);
    scale = norm(n, need);
    memcpy(f->target, need + r, (size_t)rows * sizeof *need);
    for (int j = 0; j < g; j++) {
        double *gamma = f->natural.g;
        small_control_direction(&c, j, f->dqdd);
        small_forward(&f->natural, f->dqdd, gamma);
        const double noise = 16 * DBL_EPSILON * n * norm(n, gamma);
        for (int i = 0; i < rows; i++) AT(f->reach, i, j, rows) = fabs(gamma[r + i]) <= noise ? 0 : gamma[r + i];
    }
    MECH_TRY(status_of(small_control_factor(&c, rows)));
    small_control_least(&c);
    MECH_TRY(judge_reach(f, rows, g, scale));
    for (int j = 0; j < g; j++) {
        small_control_direction(&c, j, f->dqdd);
        for (int i = 0; i < n; i++) f->force[i] -= f->dqdd[i] * f->u[j];
    }
    small_forward(&f->natural, f->force, f->natural.g);
    if (lambda) small_multipliers(&f->natural, f->natural.g, lambda);
    if (u) memcpy(u, f->u, (size_t)g * sizeof *u);
    return MECH_OK;
}
