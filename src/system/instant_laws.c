/* Laws of constraints that do work: by what they look at, and whether what they look at is unique. */
#include "system/instant.h"

#include "base/try.h"
#include "fundamental/room.h"

#include <math.h>
#include <string.h>

static size_t law_count(const mech_instant *s) { return s->sizes.laws + s->sizes.frictions; }

/* C of each law at the multipliers set last in the evaluation; what is given as z becomes C = M^(1/2) z. */
static mech_status columns(mech_instant *s)
{
    const size_t n = s->n;
    memset(s->columns, 0, n * law_count(s) * sizeof *s->columns);
    for (size_t k = 0; k < s->pattern_C.count; k++)
        if (s->law[s->pattern_C.column[k]].is_on)
            s->columns[s->pattern_C.row[k] + n * s->pattern_C.column[k]] += s->eq->C[k];
    for (size_t k = 0; k < s->sizes.laws; k++) {
        double *column = s->columns + n * k;
        if (s->law[k].kind != MECH_LAW_Z || !s->law[k].is_on) continue;
        memcpy(s->trial, column, n * sizeof *column);
        if (!fundamental_symmetric_root((int)n, s->in.M, s->trial, s->root_vectors, s->root_matrix, s->root_d,
                                        column))
            return MECH_ERR_NOT_DEFINITE;
    }
    return MECH_OK;
}

/* C (n) = sum of the laws and of friction that slides, for given multipliers (NULL: as they are) */
static mech_status law_at(mech_instant *s, const double *lambda, const double *total, double *C)
{
    if (s->has_laws) {
        const mech_status status = mech_eval_reaction(s->eval, lambda, total);
        s->failed_in_eval = status != MECH_OK;
        MECH_TRY(status);
        MECH_TRY(columns(s));
    }
    memset(C, 0, s->n * sizeof *C);
    for (size_t k = 0; k < s->sizes.laws; k++)
        for (size_t i = 0; i < s->n; i++) C[i] += s->columns[i + k * s->n];
    instant_friction_law(s, total, C, NULL, s->columns + s->n * s->sizes.laws);
    return MECH_OK;
}

/* The solver's callback: the same with the derivative by the total multipliers. Laws by z have none here:
 * they are repeated instead. */
static mech_status reaction_law(void *user, const double *total, double *C, double *dC)
{
    mech_instant *s = user;
    MECH_TRY(law_at(s, NULL, total, C));
    if (!dC) return MECH_OK;
    for (size_t k = 0; k < s->pattern_C_reaction.count; k++) {
        const size_t entry = s->pattern_C_reaction.row[k], row = s->pattern_C_reaction.column[k];
        if (s->law[s->pattern_C.column[entry]].is_on)
            dC[s->pattern_C.row[entry] + row * s->n] += s->eq->C_reaction[k];
    }
    memset(s->trial, 0, s->n * sizeof *s->trial);
    instant_friction_law(s, total, s->trial, dC, NULL);
    return MECH_OK;
}

/* ---- uniqueness ---- */

/* 1 when C at lambda + step w differs from s->C, which is C at lambda; either sign of step is tried */
static mech_status moves(mech_instant *s, const double *lambda, const double *w, double step, int *does)
{
    double *moved = s->work;
    *does = 0;
    for (int sign = -1; sign <= 1 && !*does; sign += 2) {
        double apart = 0, size = 0;
        for (size_t i = 0; i < s->rows; i++) moved[i] = lambda[i] + sign * step * w[i];
        MECH_TRY(law_at(s, moved, moved, s->a)); /* a is free until the solution is delivered */
        for (size_t j = 0; j < s->n; j++) {
            apart = fmax(apart, fabs(s->a[j] - s->C[j]));
            size = fmax(size, fmax(fabs(s->a[j]), fabs(s->C[j])));
        }
        *does = apart > 1e-9 * size;
    }
    return MECH_OK;
}

/* the rows of w that the laws read, one by one */
static mech_status blame(mech_instant *s, const double *lambda, const double *w, double step)
{
    double *one = s->e; /* (rows) free as above */
    s->culprits = 0;
    for (size_t i = 0; i < s->rows; i++) {
        int does = 0;
        memset(one, 0, s->rows * sizeof *one);
        one[i] = 1;
        if (w[i] != 0) MECH_TRY(moves(s, lambda, one, step, &does));
        if (does) s->culprit[s->culprits++] = (int)i;
    }
    return MECH_ERR_NOT_UNIQUE;
}

/* Laws may not change along null(A'): w of each redundant row i is e_i - sum of depends(i, k) e_k. */
static mech_status check_unique(mech_instant *s)
{
    const size_t rows = s->rows;
    double *w = s->work + rows, step = 0;
    if (!(s->laws_read || instant_friction_slides(s)) || mech_system_allows_leastnorm(s->system))
        return MECH_OK;
    if (!(s->out.flags & MECH_FUNDAMENTAL_REDUNDANT)) return MECH_OK;
    MECH_TRY(instant_diagnose(s, s->natural, 0));
    const mech_diagnosis_result *d = mech_diagnosis_get(s->diagnosis);
    for (size_t i = 0; i < rows; i++) step = fmax(step, fabs(s->lambda[i]));
    if (!(step > 0)) step = 1;
    MECH_TRY(law_at(s, s->lambda, s->lambda, s->C));
    for (size_t i = 0; i < rows; i++) {
        int does = 0;
        if (!d->redundant[i]) continue;
        for (size_t k = 0; k < rows; k++) w[k] = k == i ? 1 : -d->depends[i + k * rows];
        MECH_TRY(moves(s, s->lambda, w, step, &does));
        if (does) return blame(s, s->lambda, w, step);
    }
    return MECH_OK;
}

/* ---- the solve ---- */

/* With control, and for laws whose derivative is not known, the law is repeated until it stands. */
static mech_status repeat(mech_instant *s)
{
    double *before = s->work;
    for (int i = 0; i < 500; i++) {
        double change = 0, size = 0;
        MECH_TRY(law_at(s, s->lambda, s->total, s->C));
        memcpy(before, s->total, s->rows * sizeof *before);
        s->in.C = s->C;
        MECH_TRY(mech_fundamental_solve(s->solver, &s->in, &s->out));
        for (size_t k = 0; k < s->rows; k++) {
            change = fmax(change, fabs(s->total[k] - before[k]));
            size = fmax(size, fabs(s->total[k]));
        }
        if (change <= 1e-13 * size) return MECH_OK;
    }
    s->culprits = 0;
    for (size_t k = 0; k < s->rows; k++)
        if (s->natural[k]) s->culprit[s->culprits++] = (int)k;
    return MECH_ERR_NO_REACTION;
}

mech_status instant_solve_laws(mech_instant *s)
{
    const int newton = s->pattern_C_reaction.count > 0 || instant_friction_slides(s);
    s->in.C = NULL;
    MECH_TRY(s->in.servo ? mech_fundamental_solve(s->solver, &s->in, &s->out)
                         : mech_fundamental_ideal(s->solver, &s->in, &s->out));
    MECH_TRY(check_unique(s));
    if (s->in.servo || s->laws_need_repeat) return repeat(s);
    MECH_TRY(law_at(s, s->lambda, s->lambda, s->C));
    if (!newton) {
        s->in.C = s->C;
        return mech_fundamental_solve(s->solver, &s->in, &s->out);
    }
    MECH_TRY(mech_fundamental_solve_law(s->solver, &s->in, reaction_law, s, &s->out));
    MECH_TRY(law_at(s, NULL, s->total, s->C)); /* each law at the reaction found */
    s->in.C = s->C;
    return MECH_OK;
}

mech_status instant_split_laws(mech_instant *s)
{
    mech_fundamental_input in = s->in;
    mech_fundamental_output out = {.size = sizeof out};
    in.C = NULL;
    in.servo = NULL;
    in.G = in.W = NULL;
    in.active = s->natural;
    MECH_TRY(mech_fundamental_ideal(s->solver, &in, &out));
    for (size_t k = 0; k < law_count(s); k++) {
        out.Qni = s->column_parts + k * s->n;
        MECH_TRY(mech_fundamental_nonideal(s->solver, s->columns + k * s->n, &out));
    }
    return MECH_OK;
}

void instant_find_z(mech_instant *s)
{
    memcpy(s->root_matrix, s->in.M, s->n * s->n * sizeof *s->root_matrix);
    fundamental_eigen((int)s->n, s->root_matrix, s->root_vectors, s->root_d);
    fundamental_power((int)s->n, s->root_vectors, s->root_d, -0.5, s->C, s->law_z);
}
