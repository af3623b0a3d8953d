/* Laws of constraints that do work: by what they look at, and whether what they look at is unique. */
#include "dynamics/instant.h"

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

/* Adds the derivative by the total multipliers; the root of M stands since law_at. */
static void add_slopes(mech_instant *s, const double *total, double *dC)
{
    laws_add_slopes(s->system, s->eq, dC);
    for (size_t row = 0; row < s->m && s->has_laws; row++) {
        double *dz = s->law_z, *column = s->trial; /* free until the solution stands */
        if (!laws_z_slope(s->system, s->eq, row, dz)) continue;
        fundamental_power((int)s->n, s->root_vectors, s->root_d, 0.5, dz, column);
        for (size_t i = 0; i < s->n; i++) dC[i + row * s->n] += column[i];
    }
    memset(s->trial, 0, s->n * sizeof *s->trial);
    instant_friction_law(s, total, s->trial, dC, NULL);
}

/* The solver's callback: under control the ideal multipliers stand behind the total ones, else they are as they were set. */
static mech_status reaction_law(void *user, const double *lambda, double *C, double *dC)
{
    mech_instant *s = user;
    MECH_TRY(law_at(s, s->in.servo ? lambda + s->rows : NULL, lambda, C));
    if (dC) add_slopes(s, lambda, dC);
    if (dC && s->in.servo) laws_lack_slopes(s->system, s->eq, dC + s->n * s->rows);
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

/* w of each redundant row i is e_i - sum of depends(i, k) e_k. */
static mech_status check_along_null(mech_instant *s)
{
    const size_t rows = s->rows;
    double *w = s->work + rows, step = 0;
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

mech_status instant_check_unique(mech_instant *s, int is_solved)
{
    if (!(s->laws_read || instant_friction_slides(s)) || mech_system_allows_leastnorm(s->system)) return MECH_OK;
    const mech_fundamental_input natural = instant_natural(s);
    mech_fundamental_output out = {.size = sizeof out, .lambda = is_solved ? NULL : s->lambda};
    MECH_TRY(mech_fundamental_ideal(s->solver, &natural, &out));
    if (!(out.flags & MECH_FUNDAMENTAL_REDUNDANT)) return MECH_OK;
    MECH_TRY(check_along_null(s));
    return is_solved ? law_at(s, s->lambda, s->total, s->C) : MECH_OK;
}

/* ---- the solve ---- */

mech_status instant_solve_laws(mech_instant *s)
{
    s->in.C = NULL;
    if (!s->in.servo) { /* laws that look at the ideal multipliers find them; under control they come with the total ones */
        MECH_TRY(mech_fundamental_ideal(s->solver, &s->in, &s->out));
        MECH_TRY(law_at(s, s->lambda, s->lambda, s->C));
    }
    MECH_TRY(fundamental_solve_law(s->solver, &s->in, reaction_law, instant_friction_accepts, s, &s->out));
    MECH_TRY(law_at(s, s->lambda, s->total, s->C)); /* each law at the reaction found */
    s->in.C = s->C;
    return MECH_OK;
}

mech_status instant_split_laws(mech_instant *s)
{
    const mech_fundamental_input in = instant_natural(s);
    mech_fundamental_output out = {.size = sizeof out};
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
