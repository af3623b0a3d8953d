/* Laws that depend on the total reaction; see reaction.h. */
#include "fundamental/reaction.h"

#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

enum { SMALL_PATTERN_ROWS = 6, SMALL_NEWTON_STEPS = 30, SMALL_PLACES = 4096, SMALL_PROBES = 3 };

/* Parts of the multipliers: a step for a difference, what is solved, what is the same solution; and what a pivot must
   exceed. */
#if defined(SMALL_SINGLE)
#define SMALL_STEP 1e-3
#define SMALL_SOLVED 1e-5
#define SMALL_SAME 1e-3
#define SMALL_PIVOT 1e-6
#else
#define SMALL_STEP 1e-7
#define SMALL_SOLVED 1e-12
#define SMALL_SAME 1e-7
#define SMALL_PIVOT 1e-13
#endif

/* the law at r->lambda */
static int small_evaluate(small_reaction *r, int with_derivative)
{
    const size_t n = (size_t)r->natural->n;
    memset(r->C, 0, n * sizeof *r->C);
    if (with_derivative) memset(r->dC, 0, n * (size_t)r->all * sizeof *r->dC);
    return r->law(r->user, r->lambda, r->C, with_derivative ? r->dC : NULL);
}

/* Column k of dC where the law does not know it (NaN): by a difference away from 0, where |x| has its kink. It steers
   Newton's method alone, which ends where the law itself stands. */
static int small_complete_column(small_reaction *r, int k)
{
    const size_t n = (size_t)r->natural->n;
    double *column = &AT(r->dC, 0, k, n), keep = r->lambda[k];
    size_t i = 0;
    while (i < n && !isnan(column[i])) i++;
    if (i == n) return 0;
    const double step = (keep < 0 ? -SMALL_STEP : SMALL_STEP) * fmax(fabs(keep), r->scale);
    memset(r->moved, 0, n * sizeof *r->moved);
    r->lambda[k] = keep + step;
    const int status = r->law(r->user, r->lambda, r->moved, NULL);
    r->lambda[k] = keep;
    for (i = 0; i < n; i++) column[i] = (r->moved[i] - r->C[i]) / step;
    return status;
}

/* r->lambda: those without the law, then all plus, all minus, where no |x| hides, and of sizes that no difference or
   |x| takes for the same; and the law there */
static int small_probe(small_reaction *r, int place)
{
    for (int k = 0; k < r->all; k++) {
        const double size = r->scale * (1.3 + 0.5 * sin(1 + 2.1 * (double)k));
        r->lambda[k] = place == 0 ? r->base[k] : place == 1 ? size : -1.2 * size;
    }
    return small_evaluate(r, 1);
}

/* Marks the multipliers by which the law has a derivative; *lacks: some are not known. */
static void small_mark_read(small_reaction *r, int *lacks)
{
    for (int k = 0; k < r->all; k++)
        for (int i = 0; i < r->natural->n; i++) {
            const double slope = AT(r->dC, i, k, r->natural->n);
            if (isnan(slope)) *lacks = 1;
            else if (slope != 0) r->read[k] = 1;
        }
}

static int small_list_read(small_reaction *r)
{
    r->count = 0;
    for (int k = 0; k < r->all; k++) {
        if (!r->read[k]) continue;
        if (r->count == r->m) return SMALL_REACTION_ROOM;
        r->which[r->count++] = k;
    }
    return 0;
}

/* Which multipliers the law reads. */
static int small_find_read(small_reaction *r)
{
    const size_t size = (size_t)r->natural->n * sizeof *r->C;
    int lacks = 0, changes = 0;
    memset(r->read, 0, (size_t)r->all);
    r->scale = 0;
    for (int k = 0; k < r->all; k++) r->scale = fmax(r->scale, fabs(r->base[k]));
    if (!(r->scale > 0)) r->scale = 1;
    for (int place = 0; place < SMALL_PROBES; place++) {
        const int status = small_probe(r, place);
        if (place > 0 && status == r->no_value) continue; /* a law need not have a value there */
        if (status) return status;
        small_mark_read(r, &lacks);
        if (place == 0) memcpy(r->moved, r->C, size);
        else changes |= memcmp(r->moved, r->C, size) != 0;
    }
    for (int place = 0; place < SMALL_PROBES && lacks && changes; place++) {
        int status = small_probe(r, place);
        for (int k = 0; k < r->all && status == 0; k++) status = small_complete_column(r, k);
        if (place > 0 && status == r->no_value) continue;
        if (status) return status;
        small_mark_read(r, &lacks);
    }
    /* one of steps alone has no slope anywhere */
    if (changes && !memchr(r->read, 1, (size_t)r->all)) memset(r->read, 1, (size_t)r->m);
    return 0;
}

/* What a force C adds to the multipliers, into r->delta, and to q'', into r->dqdd: with the control's answer. */
static void small_respond(small_reaction *r, const double *C)
{
#if defined(SMALL_LEAN)
    small_ideal(r->natural, r->M, C, r->zero, r->dqdd, NULL, r->delta);
#else
    small_nonideal(r->natural, r->M, C, r->dqdd, NULL, r->delta);
#endif
#if !defined(SMALL_UNCONTROLLED)
    const int n = r->natural->n;
    double *ideal = r->delta + r->m;
    if (!r->control) return;
    memcpy(r->qdd, r->dqdd, (size_t)n * sizeof *r->qdd);
    small_control_aim(r->control, r->qdd, NULL);
    small_ideal(r->natural, r->M, r->control->Qc, r->zero, r->dqdd, NULL, ideal);
    for (int k = 0; k < r->m; k++) r->delta[k] += ideal[k];
    for (int i = 0; i < n; i++) r->dqdd[i] += r->qdd[i];
#endif
}

/* F = x - base - delta(C(x)), J = I - delta(dC) */
static int small_linearize(small_reaction *r)
{
    const int *which = r->which;
    memcpy(r->lambda, r->base, (size_t)r->all * sizeof *r->lambda);
    for (int i = 0; i < r->count; i++) r->lambda[which[i]] = r->x[i];
    int status = small_evaluate(r, 1);
    if (status) return status;
    small_respond(r, r->C);
    for (int i = 0; i < r->count; i++) r->F[i] = r->x[i] - r->base[which[i]] - r->delta[which[i]];
    for (int k = 0; k < r->count; k++) {
        status = small_complete_column(r, which[k]);
        if (status) return status;
        small_respond(r, &AT(r->dC, 0, which[k], r->natural->n));
        for (int i = 0; i < r->count; i++) AT(r->J, i, k, r->count) = (i == k) - r->delta[which[i]];
    }
    return 0;
}

/* F = J^-1 F with row exchanges: 0 when J is singular */
static int small_gauss(int n, double *J, double *F)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(AT(J, i, k, n)) > fabs(AT(J, best, k, n))) best = i;
        if (!(fabs(AT(J, best, k, n)) > SMALL_PIVOT)) return 0;
        for (int j = k; j < n && best != k; j++) {
            const double keep = AT(J, k, j, n);
            AT(J, k, j, n) = AT(J, best, j, n);
            AT(J, best, j, n) = keep;
        }
        const double keep = F[k];
        F[k] = F[best];
        F[best] = keep;
        for (int i = k + 1; i < n; i++) {
            const double ratio = AT(J, i, k, n) / AT(J, k, k, n);
            for (int j = k; j < n; j++) AT(J, i, j, n) -= ratio * AT(J, k, j, n);
            F[i] -= ratio * F[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) F[k] -= AT(J, k, j, n) * F[j];
        F[k] /= AT(J, k, k, n);
    }
    return 1;
}

/* Is the motion of the solution x one that counts? */
static int small_is_accepted(small_reaction *r)
{
    if (!r->accepts) return 1;
    small_respond(r, r->C);
    for (int k = 0; k < r->m; k++) r->delta[k] += r->base[k];
    for (int i = 0; i < r->natural->n; i++) r->qdd[i] = r->base_qdd[i] + r->dqdd[i];
    return r->accepts(r->user, r->qdd, r->delta);
}

/* keep a solution unless it is known */
static void small_note_solution(small_reaction *r)
{
    double apart = 0, size = r->scale;
    if (!small_is_accepted(r)) return;
    for (int i = 0; i < r->count; i++) size = fmax(size, fabs(r->x[i]));
    for (int i = 0; i < r->count; i++) apart = fmax(apart, fabs(r->x[i] - r->found[i]));
    if (r->solutions && apart <= SMALL_SAME * size) return;
    if (!r->solutions) memcpy(r->found, r->x, (size_t)r->count * sizeof *r->x);
    r->solutions++;
}

/* Newton from r->x */
static int small_iterate(small_reaction *r)
{
    for (int step = 0; step < SMALL_NEWTON_STEPS; step++) {
        double off = 0, size = r->scale;
        const int status = small_linearize(r);
        if (status) return status;
        for (int i = 0; i < r->count; i++) {
            off = fmax(off, fabs(r->F[i]));
            size = fmax(size, fabs(r->x[i]));
        }
        if (off <= SMALL_SOLVED * size) {
            small_note_solution(r);
            return 0;
        }
        if (!small_gauss(r->count, r->J, r->F)) return 0;
        for (int i = 0; i < r->count; i++) r->x[i] -= r->F[i];
    }
    return 0;
}

/* the start of pattern p: every sign for few unknowns; else the ideal ones and each single change of sign */
static int small_start_signs(small_reaction *r, int p)
{
    const int k = r->count, few = k <= SMALL_PATTERN_ROWS;
    if (p >= (few ? 1 << k : k + 1)) return 0;
    for (int i = 0; i < k; i++) {
        const double ideal = r->base[r->which[i]], size = fmax(fabs(ideal), 1e-3 * r->scale);
        if (few) r->x[i] = p >> i & 1 ? -size : size;
        else r->x[i] = p == i + 1 ? -ideal : ideal;
    }
    return 1;
}

/* The start where the law pushes to if it sees the multiplier i alone. 0: nowhere, or as from an earlier one. */
static int small_start_pushed(small_reaction *r, int i)
{
    double size = 0, apart = 0, toward = 0;
    memset(r->lambda, 0, (size_t)r->all * sizeof *r->lambda);
    r->lambda[r->which[i]] = r->scale;
    if (small_evaluate(r, 0) != 0) return 0;
    small_respond(r, r->C);
    for (int k = 0; k < r->count; k++) {
        r->x[k] = r->delta[r->which[k]];
        size += r->x[k] * r->x[k];
        toward += r->x[k] * r->pushed[k];
    }
    size = sqrt(size);
    for (int k = 0; k < r->count && size > 0; k++) {
        r->x[k] /= size;
        apart = fmax(apart, fabs(r->x[k] - (toward < 0 ? -1 : 1) * r->pushed[k]));
        r->pushed[k] = r->x[k];
    }
    for (int k = 0; k < r->count; k++) r->x[k] *= 1e3 * r->scale;
    return apart > 1e-6;
}

#ifndef SMALL_LEAN
size_t small_reaction_room(int n, int m)
{
    const size_t N = (size_t)n, R = (size_t)m;
    return 5 * N + 2 * N * R + 3 * 2 * R + 5 * R + R * R;
}
#endif

static void small_place_reaction(small_reaction *r)
{
    const size_t n = (size_t)r->natural->n, m = (size_t)r->m;
    double *next = r->room;
    struct {
        double **to;
        size_t count;
    } const parts[] = {{&r->C, n},         {&r->moved, n},      {&r->qdd, n},      {&r->base_qdd, n},
                       {&r->dqdd, n},      {&r->dC, 2 * n * m}, {&r->base, 2 * m}, {&r->lambda, 2 * m},
                       {&r->delta, 2 * m}, {&r->zero, m},       {&r->F, m},        {&r->x, m},
                       {&r->found, m},     {&r->J, m * m},      {&r->pushed, m}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].to = next;
        next += parts[i].count;
    }
    memset(r->zero, 0, m * sizeof *r->zero);
    memset(r->pushed, 0, m * sizeof *r->pushed);
}

/* *stray: Newton's method left where the law has values, and no solution was found from there. */
static int small_search(small_reaction *r, int *stray)
{
    const int status = small_iterate(r);
    if (status != r->no_value) return status;
    *stray = status;
    return 0;
}

/* From all starts: the one solution by the multipliers that are read, and C there. */
static int small_find_one(small_reaction *r)
{
    int stray = 0, status = small_list_read(r);
    r->solutions = 0;
    for (int p = 0; status == 0 && p < SMALL_PLACES && small_start_signs(r, p); p++) status = small_search(r, &stray);
    for (int i = 0; status == 0 && i < r->count && r->count > 1; i++)
        if (small_start_pushed(r, i)) status = small_search(r, &stray);
    if (status) return status;
    if (r->solutions > 1) return SMALL_REACTION_SEVERAL;
    if (r->solutions == 0) return stray ? stray : SMALL_REACTION_NONE;
    memcpy(r->x, r->found, (size_t)r->count * sizeof *r->x);
    return small_linearize(r);
}

/* Is the law another one at the solution, by multipliers that count as not read? One that jumps, or is flat wherever it
   was looked at, reads without a slope. */
static int small_reads_more(small_reaction *r)
{
    const size_t size = (size_t)r->natural->n * sizeof *r->C;
    int moves = 0;
    small_respond(r, r->C);
    for (int k = 0; k < r->all; k++) {
        if (r->read[k] || r->delta[k] == 0) continue;
        r->lambda[k] += r->delta[k];
        moves = 1;
    }
    if (!moves) return 0;
    memcpy(r->moved, r->C, size);
    const int status = small_evaluate(r, 0), differs = memcmp(r->moved, r->C, size) != 0;
    memcpy(r->C, r->moved, size);
    return status != 0 || differs;
}

int small_reaction_find(small_reaction *r, const double *qdd, const double *total, const double *ideal)
{
    const size_t n = (size_t)r->natural->n, m = (size_t)r->m;
    r->all = r->control ? 2 * r->m : r->m;
    small_place_reaction(r);
    memcpy(r->base, total, m * sizeof *r->base);
    memcpy(r->base + m, ideal, m * sizeof *r->base);
    memcpy(r->base_qdd, qdd, n * sizeof *r->base_qdd);
    int status = small_find_read(r);
    if (status == 0) status = small_find_one(r);
    if (status != SMALL_REACTION_FOUND || !small_reads_more(r)) return status;
    memset(r->read, 1, (size_t)r->all);
    return small_find_one(r);
}
