/* The solver's life, and the order in which the equation is put together. */
#include "fundamental/motion.h"
#include "fundamental/reaction.h"
#include "fundamental/room.h"
#include "fundamental/root.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/try.h"

#include <float.h>
#include <math.h>
#include <string.h>

static size_t length(int n) { return (size_t)n * sizeof(double); }
static int larger(int a, int b) { return a > b ? a : b; }

void mech_fundamental_settings_default(mech_fundamental_settings *settings, size_t size)
{
    const mech_fundamental_settings s = {.rank_tol = 1e-10, .refine = 1};
    options_default(settings, size, &s, sizeof s);
}

static int settings_are_sound(const mech_fundamental_settings *s)
{
    return s->rank_tol >= 0 && s->rank_tol < 1 && s->zero_tol >= 0 && s->zero_tol < 1 && s->refine >= 0 &&
           s->actuators >= 0;
}

/* hand out `count` doubles of the one block */
static double *take(double **next, size_t count)
{
    double *part = *next;
    *next += count;
    return part;
}

/* All arrays in one block of doubles: with next == NULL only the size is found. */
static size_t place(mech_fundamental *f, double *block, int *integers)
{
    const size_t n = (size_t)f->n, m = (size_t)f->m, g = (size_t)f->settings.actuators;
    const size_t rows = (size_t)larger(f->n, f->m), natural = small_doubles(f->n, f->m);
    const size_t square = n > g ? n * n : g * g; /* W may be larger than M */
    const size_t control = small_doubles(f->settings.actuators, (int)rows);
    const size_t scratch = small_reaction_room(f->n, f->m); /* the control problem needs n m */
    if (!block) return natural + control + 9 * n + 5 * m + 2 * square + rows * g + rows + g + scratch;
    double *next = block,
           **const vectors[] = {&f->qdd, &f->Qi, &f->Qni, &f->C, &f->force, &f->dqdd, &f->Qc, &f->qdd_ideal, &f->zero};
    double **const by_row[] = {&f->lambda, &f->dlambda, &f->total, &f->miss, &f->lambda_ideal};
    small_place(&f->natural, f->n, f->m, take(&next, natural), integers);
    small_place(&f->control, f->settings.actuators, (int)rows, take(&next, control),
                integers + small_integers(f->n, f->m));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = take(&next, n);
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++) *by_row[i] = take(&next, m);
    f->vectors = take(&next, square);
    f->matrix = take(&next, square);
    f->reach = take(&next, rows * g);
    f->target = take(&next, rows);
    f->u = take(&next, g);
    f->scratch = take(&next, scratch);
    return (size_t)(next - block);
}

static mech_status allocate(mech_fundamental *f)
{
    const int rows = larger(f->n, f->m), from = f->settings.lapack_from;
    const size_t integers = small_integers(f->n, f->m) + small_integers(f->settings.actuators, rows);
    f->numbers = mem_zeroed(place(f, NULL, NULL), sizeof(double));
    f->integers = mem_zeroed(integers + (size_t)rows, sizeof(int));
    f->mask = mem_zeroed(4 * (size_t)f->m + 1, 1);
    if (!f->numbers || !f->integers || !f->mask) return MECH_ERR_MEMORY;
    place(f, f->numbers, f->integers);
    f->culprit = f->integers + integers;
    f->mask_servo = f->mask + f->m;
    f->mask_read = f->mask_servo + f->m;
    const int limit = from ? from : fundamental_dense_from();
    if (limit > 0 && f->n + f->m >= limit) return fundamental_dense_create(&f->dense, f->n, f->m);
    return MECH_OK;
}

mech_status mech_fundamental_create(int n, int m, const mech_fundamental_settings *settings, mech_fundamental **solver)
{
    mech_fundamental_settings s;
    mech_fundamental_settings_default(&s, sizeof s);
    if (!solver) return MECH_ERR_ARGUMENT;
    *solver = NULL;
    MECH_TRY(options_take(&s, sizeof s, settings));
    if (n < 1 || m < 0 || n > 20000 || m > 20000 || !settings_are_sound(&s)) return MECH_ERR_ARGUMENT;
    if (s.actuators == 0 || s.actuators > n) s.actuators = larger(n, s.actuators);
    mech_fundamental *f = mem_zeroed(1, sizeof *f);
    if (!f) return MECH_ERR_MEMORY;
    f->n = n;
    f->m = m;
    f->settings = s;
    const mech_status status = allocate(f);
    if (status != MECH_OK) mech_fundamental_free(f);
    else *solver = f;
    return status;
}

void mech_fundamental_free(mech_fundamental *f)
{
    if (!f) return;
    fundamental_sparse_free(f->sparse);
    fundamental_dense_free(&f->dense);
    mem_free(f->numbers);
    mem_free(f->integers);
    mem_free(f->mask);
    mem_free(f);
}

const int *mech_fundamental_culprits(const mech_fundamental *f, int *count)
{
    *count = f->culprits;
    return f->culprit;
}

/* ---- what goes in ---- */

mech_status fundamental_check(const mech_fundamental *f, const mech_fundamental_input *in)
{
    if (!f || !in || in->size != sizeof *in || !in->M || !in->Q || (f->m > 0 && (!in->A || !in->b)))
        return MECH_ERR_ARGUMENT;
    if ((in->C && in->z) || in->rank_tol < 0 || !(in->rank_tol < 1)) return MECH_ERR_ARGUMENT;
    if (in->G && (in->actuators < 1 || in->actuators > f->settings.actuators)) return MECH_ERR_ARGUMENT;
    if (in->weight == MECH_WEIGHT_GIVEN && in->servo && !in->W) return MECH_ERR_ARGUMENT;
    if (in->weight == MECH_WEIGHT_NATURE && in->servo && in->G) return MECH_ERR_ARGUMENT;
    return MECH_OK;
}

mech_status fundamental_status(mech_fundamental *f, const small_solve *s, small_status status)
{
    f->culprits = s->culprits;
    memcpy(f->culprit, s->culprit, (size_t)s->culprits * sizeof *f->culprit);
    switch (status) {
    case SMALL_OK: return MECH_OK;
    case SMALL_NOT_FINITE: return MECH_ERR_NOT_FINITE;
    case SMALL_INDEFINITE: return MECH_ERR_NOT_DEFINITE;
    case SMALL_UNDETERMINED: return MECH_ERR_SINGULAR_MASS;
    }
    return MECH_ERR_ARGUMENT;
}

mech_status fundamental_factor(mech_fundamental *f, const mech_fundamental_input *in)
{
    const double rank_tol = in->rank_tol > 0 ? in->rank_tol : f->settings.rank_tol;
    const unsigned char *natural = in->active;
    f->phase = 0;
    f->M = NULL;
    f->culprits = 0;
    if (in->servo) {
        for (int i = 0; i < f->m; i++) {
            const int on = !in->active || in->active[i];
            f->mask[i] = on && !in->servo[i];
            f->mask_servo[i] = on && in->servo[i];
        }
        natural = f->mask;
    }
    f->natural.may_be_indefinite = in->allows_indefinite;
    const small_status status =
        f->dense.work
            ? fundamental_dense_factor(&f->dense, &f->natural, in->M, in->A, natural, rank_tol, f->settings.zero_tol)
            : small_factor(&f->natural, in->M, in->A, natural, rank_tol, f->settings.zero_tol);
    return fundamental_status(f, &f->natural, status);
}

mech_status fundamental_law(mech_fundamental *f, const mech_fundamental_input *in, int *given)
{
    *given = in->C || in->z;
    if (in->C) memcpy(f->C, in->C, length(f->n));
    if (in->z && !small_symmetric_root(f->n, in->M, in->z, f->vectors, f->matrix, f->dqdd, f->C))
        return MECH_ERR_NOT_DEFINITE;
    return MECH_OK;
}

/* ---- what comes out ---- */

static void copy(double *to, const double *from, int count)
{
    if (to) memcpy(to, from, length(count));
}

/* Rows i to i + count of the function below; count is a constant where it is called. */
static inline void subtract_some(int i, int count, int n, int m, const double *A, const double *b, const double *x,
                                 double *miss, double *size)
{
    double off[4], all[4];
    for (int k = 0; k < count; k++) {
        off[k] = b[i + k];
        all[k] = fabs(b[i + k]);
    }
    A += i;
    for (int j = 0; j < n; j++, A += m)
        for (int k = 0; k < count; k++) {
            const double term = A[k] * x[j];
            off[k] -= term;
            all[k] += fabs(term);
        }
    for (int k = 0; k < count; k++) {
        miss[i + k] = off[k];
        size[i + k] = all[k];
    }
}

/* miss = b - A x over all rows; size: sum of the magnitudes of the terms. By few rows, which stay in
   registers. */
static void subtract_rows(int n, int m, const double *A, const double *b, const double *x, double *miss, double *size)
{
    int i = 0;
    for (; i + 4 <= m; i += 4) subtract_some(i, 4, n, m, A, b, x, miss, size);
    for (; i + 2 <= m; i += 2) subtract_some(i, 2, n, m, A, b, x, miss, size);
    if (i < m) subtract_some(i, 1, n, m, A, b, x, miss, size);
}

static int in_force(const mech_fundamental_input *in, int i) { return !in->active || in->active[i]; }

/* what f->qdd misses the rows by, into f->miss, and the size of their terms, into f->target */
static void look_at_rows(mech_fundamental *f, const mech_fundamental_input *in)
{
    if (!f->looked) subtract_rows(f->n, f->m, in->A, in->b, f->qdd, f->miss, f->target);
    f->looked = 1;
}

static void judge_rows(mech_fundamental *f, const mech_fundamental_input *in, mech_fundamental_output *out)
{
    out->residual = 0;
    look_at_rows(f, in);
    for (int i = 0; i < f->m; i++) {
        const double miss = fabs(f->miss[i]);
        if (!in_force(in, i)) continue;
        if (!(miss <= out->residual)) out->residual = miss;
        if (miss > 1e-8 * f->target[i]) out->flags |= MECH_FUNDAMENTAL_MISSED;
    }
}

/* a = D (D M D)^-1 D Q for an indefinite M; 0 when it has no inverse */
static int free_of_sign(mech_fundamental *f, const mech_fundamental_input *in, double *a)
{
    const int n = f->n;
    double *scale = f->vectors, *K = f->matrix;
    int *order = f->natural.culprit, *columns = f->culprit; /* free until a failure */
    small_scale_any(n, in->M, scale, a);
    for (size_t j = 0; j < (size_t)n; j++)
        for (size_t i = j; i < (size_t)n; i++)
            K[i + j * (size_t)n] = K[j + i * (size_t)n] = scale[i] * in->M[i + j * (size_t)n] * scale[j];
    if (small_lu(K, n, n, 32 * DBL_EPSILON * n, order, columns) < n) return 0;
    for (int j = 0; j < n; j++) a[j] = scale[j] * in->Q[j];
    small_lu_solve(K, n, n, order, columns, a, f->natural.y);
    for (int j = 0; j < n; j++) a[j] *= scale[j];
    return 1;
}

/* a and e, or NaN where M has no inverse */
static void deliver_free(mech_fundamental *f, const mech_fundamental_input *in, mech_fundamental_output *out)
{
    double *a = f->dqdd;
    if (!out->a && !out->e) return;
    if (!f->natural.semi) small_free_acceleration(&f->natural, in->Q, a);
    else if (!f->natural.indefinite || !free_of_sign(f, in, a))
        for (int j = 0; j < f->n; j++) a[j] = NAN;
    copy(out->a, a, f->n);
    if (!out->e) return;
    subtract_rows(f->n, f->m, in->A, in->b, a, f->miss, f->target);
    copy(out->e, f->miss, f->m);
}

unsigned fundamental_flags(const small_solve *s)
{
    const unsigned mass = s->indefinite ? MECH_FUNDAMENTAL_INDEFINITE_MASS
                          : s->semi     ? MECH_FUNDAMENTAL_SINGULAR_MASS
                                        : 0;
    return mass | (s->rank < s->rows ? MECH_FUNDAMENTAL_REDUNDANT : 0);
}

/* Flags and residual of f->qdd. */
static mech_status judge_motion(mech_fundamental *f, const mech_fundamental_input *in, mech_fundamental_output *out)
{
    double sum = 0;
    out->flags = fundamental_flags(&f->natural);
    for (int j = 0; j < f->n; j++) sum += fabs(f->qdd[j]);
    judge_rows(f, in, out);
    return sum <= DBL_MAX && out->residual <= DBL_MAX ? MECH_OK : MECH_ERR_NOT_FINITE;
}

mech_status fundamental_deliver(mech_fundamental *f, const mech_fundamental_input *in, mech_fundamental_output *out)
{
    const small_solve *s = &f->natural;
    mech_fundamental_output o = *out;
    MECH_TRY(judge_motion(f, in, &o));
    o.rank = s->rank;
    o.servo_rank = in->servo ? f->control.rank : 0;
    o.largest = s->largest;
    o.rank_tol = s->rank_tol;
    o.zero_tol = s->zero_tol;
    o.smallest = small_smallest(&f->natural);
    deliver_free(f, in, &o);
    copy(o.qdd, f->qdd, f->n);
    copy(o.Qi, f->Qi, f->n);
    copy(o.Qni, f->Qni, f->n);
    copy(o.lambda, f->lambda, f->m);
    copy(o.reaction, f->total, f->m);
    copy(o.Qc, f->Qc, f->n);
    if (in->servo) copy(o.u, f->u, in->G ? in->actuators : f->n);
    *out = o;
    return MECH_OK;
}

/* ---- the equation ---- */

static void add(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] += x[i];
}

/* 1 when a natural row is missed by more than rounding */
static int refinement_helps(mech_fundamental *f, const mech_fundamental_input *in)
{
    const double limit = 4 * DBL_EPSILON * f->n;
    look_at_rows(f, in);
    for (int i = 0; i < f->natural.rows; i++) {
        const int row = f->natural.row[i];
        if (fabs(f->miss[row]) > limit * f->target[row]) return 1;
    }
    return 0;
}

/* the ideal motion under the force f->force */
void fundamental_ideal(mech_fundamental *f, const mech_fundamental_input *in)
{
    small_ideal(&f->natural, in->M, f->force, in->b, f->qdd, f->Qi, f->lambda);
    f->looked = 0;
    for (int step = 0; step < f->settings.refine && refinement_helps(f, in); step++) {
        small_ideal(&f->natural, in->M, f->zero, f->miss, f->dqdd, f->Qni, f->dlambda);
        add(f->n, f->dqdd, f->qdd);
        add(f->n, f->Qni, f->Qi);
        add(f->m, f->dlambda, f->lambda);
        f->looked = 0;
    }
}

/* the part of f->C, added to f->qdd and f->lambda */
void fundamental_nonideal(mech_fundamental *f, const double *M, int given)
{
    memcpy(f->total, f->lambda, length(f->m));
    memset(f->Qni, 0, length(f->n));
    if (!given) return;
    small_nonideal(&f->natural, M, f->C, f->dqdd, f->Qni, f->dlambda);
    add(f->n, f->dqdd, f->qdd);
    add(f->m, f->dlambda, f->total);
    f->looked = 0;
}

mech_status mech_fundamental_solve(mech_fundamental *f, const mech_fundamental_input *in, mech_fundamental_output *out)
{
    int given = 0;
    MECH_TRY(fundamental_check(f, in));
    if (!out || out->size != sizeof *out) return MECH_ERR_ARGUMENT;
    if (f->sparse) return in->allows_indefinite ? MECH_ERR_UNSUPPORTED : fundamental_sparse_solve(f, in, out);
    MECH_TRY(fundamental_factor(f, in));
    MECH_TRY(fundamental_law(f, in, &given));
    memcpy(f->force, in->Q, length(f->n));
    if (out->Qc || in->servo) memset(f->Qc, 0, length(f->n));
    fundamental_ideal(f, in);
    fundamental_nonideal(f, in->M, given);
    if (in->servo) {
        MECH_TRY(fundamental_control(f, in)); /* force = Q + Qc, and the motion under it */
        fundamental_ideal(f, in);
        fundamental_nonideal(f, in->M, given);
    }
    MECH_TRY(fundamental_deliver(f, in, out));
    f->M = in->M;
    return MECH_OK;
}

mech_status fundamental_motion(mech_fundamental *f, const mech_fundamental_input *in, double *qdd, unsigned *flags)
{
    mech_fundamental_output out = {.size = sizeof out, .qdd = qdd};
    if (!f || f->sparse || !in || in->C || in->z || in->servo) {
        const mech_status status = mech_fundamental_solve(f, in, &out);
        *flags = out.flags;
        return status;
    }
    MECH_TRY(fundamental_check(f, in));
    MECH_TRY(fundamental_factor(f, in));
    small_ideal(&f->natural, in->M, in->Q, in->b, f->qdd, NULL, NULL);
    f->looked = 0;
    for (int step = 0; step < f->settings.refine && refinement_helps(f, in); step++) {
        small_ideal(&f->natural, in->M, f->zero, f->miss, f->dqdd, NULL, NULL);
        add(f->n, f->dqdd, f->qdd);
        f->looked = 0;
    }
    MECH_TRY(judge_motion(f, in, &out));
    *flags = out.flags;
    copy(qdd, f->qdd, f->n);
    f->M = in->M;
    return MECH_OK;
}

mech_status mech_fundamental_again(mech_fundamental *f, const double *Q, const double *b, double *qdd, double *lambda)
{
    if (f && f->sparse) return fundamental_sparse_again(f, Q, b, qdd, lambda);
    if (!f || !f->M || !Q || !qdd || (f->m > 0 && !b)) return MECH_ERR_ARGUMENT;
    small_ideal(&f->natural, f->M, Q, b, qdd, NULL, lambda);
    return MECH_OK;
}

mech_status mech_fundamental_ideal(mech_fundamental *f, const mech_fundamental_input *in, mech_fundamental_output *out)
{
    if (!in || in->C || in->z || in->servo) return MECH_ERR_ARGUMENT;
    if (f && f->sparse) return MECH_ERR_UNSUPPORTED;
    MECH_TRY(mech_fundamental_solve(f, in, out));
    memcpy(f->qdd_ideal, f->qdd, length(f->n));
    memcpy(f->lambda_ideal, f->lambda, length(f->m));
    f->phase = 1;
    return MECH_OK;
}

mech_status mech_fundamental_nonideal(mech_fundamental *f, const double *C, mech_fundamental_output *out)
{
    if (!f || !C || !out || out->size != sizeof *out || f->phase != 1) return MECH_ERR_ARGUMENT;
    memcpy(f->C, C, length(f->n));
    memcpy(f->qdd, f->qdd_ideal, length(f->n));
    memcpy(f->lambda, f->lambda_ideal, length(f->m));
    fundamental_nonideal(f, f->M, 1);
    double sum = 0;
    for (int j = 0; j < f->n; j++) sum += fabs(f->qdd[j]);
    if (!(sum <= DBL_MAX)) return MECH_ERR_NOT_FINITE;
    copy(out->qdd, f->qdd, f->n);
    copy(out->Qni, f->Qni, f->n);
    copy(out->reaction, f->total, f->m);
    return MECH_OK;
}
