/* Laws that depend on the total reaction; see reaction.h. */
#include "fundamental/reaction.h"

#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

enum { SMALL_PATTERN_ROWS = 6, SMALL_NEWTON_STEPS = 30, SMALL_PLACES = 4096 };

/* Of laws that jump: powers of 4 and of 2 that its starts span, samples that are kept, how often a stretch is halved
   in search of what it hides, and then for its change of sign; and the most calls of the law. */
enum { SMALL_RUNGS = 3, SMALL_NEAR_RUNGS = 8, SMALL_HALVINGS = 10, SMALL_BISECTIONS = 60, SMALL_CALLS = 2000 };

/* How the law goes with the multipliers, as the probes see it: a line on each side of 0, a curve that bends one way,
   not at all, in any other way. */
enum { SMALL_PLAIN, SMALL_CURVED, SMALL_FLAT, SMALL_JUMPS };

/* Parts of the multipliers: a step for a difference, what is solved, what is the same solution; what a pivot must
   exceed; what parts samples; and what of a force is no change of its line. */
#if defined(SMALL_SINGLE)
#define SMALL_STEP 1e-3
#define SMALL_SOLVED 1e-5
#define SMALL_SAME 1e-3
#define SMALL_PIVOT 1e-6
#define SMALL_MISSED 1e-4
#define SMALL_STRAIGHT 1e-3
#else
#define SMALL_STEP 1e-7
#define SMALL_SOLVED 1e-12
#define SMALL_SAME 1e-7
#define SMALL_PIVOT 1e-13
#define SMALL_MISSED 1e-9
#define SMALL_STRAIGHT 1e-5
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
static double small_place_of(const small_reaction *r, int place, int k)
{
    const double size = r->scale * (1.3 + 0.5 * sin(1 + 2.1 * (double)k));
    return place == 0 ? r->base[k] : place == 1 ? size : -1.2 * size;
}
static int small_probe(small_reaction *r, int place)
{
    if (place == 0) memcpy(r->lambda, r->base, (size_t)r->all * sizeof *r->lambda);
    for (int k = 0; k < r->all && place > 0; k++) r->lambda[k] = small_place_of(r, place, k);
    return small_evaluate(r, 1);
}

/* The law at a probe in three numbers: a sum of its forces, what its slopes make of that from 0 to here, and they. */
static void small_note_probe(small_reaction *r, int place)
{
    const int n = r->natural->n;
    double *note = r->probe[place];
    note[0] = note[1] = note[2] = 0;
    double weight = 1;
    for (int i = 0; i < n; i++, weight += 0.4) note[0] += weight * r->C[i];
    for (int k = 0; k < r->all; k++) {
        const double *column = &AT(r->dC, 0, k, n);
        double slope = 0;
        weight = 1;
        for (int i = 0; i < n; i++, weight += 0.4) slope += weight * column[i];
        note[1] += slope * r->lambda[k];
        note[2] += slope;
    }
}

/* Does the change from probe a to b lie between what the slopes at both make of it? By the multiplier k alone. */
static int small_bends(const small_reaction *r, int a, int b, int k, double limit)
{
    const double *from = r->probe[a], *to = r->probe[b];
    const double way = small_place_of(r, b, k) - small_place_of(r, a, k), change = to[0] - from[0];
    return !(change > fmax(from[2] * way, to[2] * way) + limit) && !(change < fmin(from[2] * way, to[2] * way) - limit);
}

/* Where a law has no value at a probe that probe says nothing. */
static int small_kind(const small_reaction *r, int changes)
{
    double size = 0;
    int is_plain = 1, read = 0, last = 0;
    for (int k = 0; k < r->all; k++)
        if (r->read[k]) read++, last = k;
    if (!read) return changes ? SMALL_JUMPS : SMALL_FLAT;
    for (int p = 0; p < SMALL_PROBES; p++) {
        const double here = fabs(r->probe[p][0]) + fabs(r->probe[p][1]);
        if (here > size) size = here;
    }
    const double limit = SMALL_STRAIGHT * size;
    for (int p = 1; p < SMALL_PROBES; p++)
        is_plain &= !(fabs(r->probe[p][0] - r->probe[p][1] - (r->probe[0][0] - r->probe[0][1])) > limit);
    if (is_plain) return SMALL_PLAIN;
    return read == 1 && small_bends(r, 0, 1, last, limit) && small_bends(r, 0, 2, last, limit) &&
                   small_bends(r, 1, 2, last, limit)
               ? SMALL_CURVED
               : SMALL_JUMPS;
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

/* Is the law at r->lambda another one than r->moved? */
static int small_differs(small_reaction *r)
{
    return small_evaluate(r, 0) == 0 && memcmp(r->moved, r->C, (size_t)r->natural->n * sizeof *r->C) != 0;
}

static double small_grown(double x, double by, int times)
{
    for (int i = 0; i < times; i++) x *= by;
    return x;
}

static double small_rung(const small_reaction *r, int i)
{
    return small_grown((i & 1 ? -1.07 : 1.07) / (1 << (2 * SMALL_RUNGS)) * r->scale, 4, i / 2);
}
enum { SMALL_LADDER = 2 * (2 * SMALL_RUNGS + 1) };

/* A law that is flat at the probes: has it a step by all multipliers together? */
static int small_sees_steps(small_reaction *r)
{
    memcpy(r->lambda, r->base, (size_t)r->all * sizeof *r->lambda);
    if (small_evaluate(r, 0) != 0) return 0;
    memcpy(r->moved, r->C, (size_t)r->natural->n * sizeof *r->C);
    for (int i = 0; i < SMALL_LADDER; i++) {
        for (int k = 0; k < r->all; k++) r->lambda[k] = small_rung(r, i) * (1 + 0.3 * sin((double)(2 * k)));
        if (small_differs(r)) return 1;
    }
    return 0;
}

/* Marks the multipliers by which alone the law steps, from those without it; all total ones where there is none. */
static void small_mark_stepped(small_reaction *r)
{
    int any = 0;
    memcpy(r->lambda, r->base, (size_t)r->all * sizeof *r->lambda);
    if (small_evaluate(r, 0) != 0) return;
    memcpy(r->moved, r->C, (size_t)r->natural->n * sizeof *r->C);
    for (int k = 0; k < r->all; k++) {
        if (r->read[k]) continue;
        for (int i = 0; i < SMALL_LADDER && !r->read[k]; i++) {
            r->lambda[k] = small_rung(r, i);
            if (small_differs(r)) any = r->read[k] = 1;
        }
        r->lambda[k] = r->base[k];
    }
    if (!any) memset(r->read, 1, (size_t)r->m);
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
        r->probe[place][0] = r->probe[place][1] = r->probe[place][2] = (double)NAN;
        if (place > 0 && status == r->no_value) continue; /* a law need not have a value there */
        if (status) return status;
        small_mark_read(r, &lacks);
        small_note_probe(r, place);
        if (place == 0) memcpy(r->moved, r->C, size);
        else changes |= memcmp(r->moved, r->C, size) != 0;
    }
    for (int place = 0; place < SMALL_PROBES && lacks && changes; place++) {
        int status = small_probe(r, place);
        for (int k = 0; k < r->all && status == 0; k++) status = small_complete_column(r, k);
        if (place > 0 && status == r->no_value) continue;
        if (status) return status;
        small_mark_read(r, &lacks);
        small_note_probe(r, place);
    }
    r->kind = small_kind(r, changes);
    if (r->kind == SMALL_FLAT && small_sees_steps(r)) r->kind = SMALL_JUMPS;
    /* one of steps alone has no slope anywhere */
    if (r->kind == SMALL_JUMPS && !memchr(r->read, 1, (size_t)r->all)) small_mark_stepped(r);
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
    if (!small_is_accepted(r)) {
        r->refused = 1;
        return;
    }
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
        if (off <= SMALL_SAME * size && !r->misses && small_is_accepted(r)) { /* missed by less than tells two apart */
            memcpy(r->near, r->x, (size_t)r->count * sizeof *r->x);
            r->misses = 1;
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
    return 5 * N + 2 * N * R + 3 * 2 * R + 6 * R + R * R;
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
                       {&r->found, m},     {&r->J, m * m},      {&r->pushed, m},   {&r->near, m}};
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

/* ---- one multiplier, and a law that jumps ----

   The zeros of F = x - T(x), T = base + delta(C(x)), are looked for among samples in order: around 0 and base at
   distances that grow by powers, and at each T that is met, which is the solution where the law is flat about it. A
   stretch between two of them is halved until F changes its sign along a line (then it is Newton's), or bends by less
   than what keeps it from 0. Where the law jumps past the solution its sign changes without one. What may be passed by
   is a part of the law narrower than the samples that no other part sends to. */

static double small_size_at(const small_reaction *r, double x) { return fmax(r->scale, fabs(x)); }

/* *F at x; no_value: it has none there */
static int small_value(small_reaction *r, double x, double *F)
{
    *F = (double)NAN;
    if (--r->calls < 0) return r->no_value;
    memcpy(r->lambda, r->base, (size_t)r->all * sizeof *r->lambda);
    r->lambda[r->which[0]] = x;
    const int status = small_evaluate(r, 0);
    if (status) return status;
    small_respond(r, r->C);
    *F = x - r->base[r->which[0]] - r->delta[r->which[0]];
    return 0;
}

static int small_search_at(small_reaction *r, double x)
{
    r->x[0] = x;
    return small_search(r, &r->stray);
}

/* Is y a solution, where the law is flat about it? */
static int small_is_fixed(small_reaction *r, double y, int *is_fixed)
{
    double F;
    const int status = small_value(r, y, &F);
    *is_fixed = status == 0 && fabs(F) <= SMALL_MISSED * small_size_at(r, y);
    if (status) return status == r->no_value ? 0 : status;
    return *is_fixed ? small_search_at(r, y) : 0;
}

/* One change of sign between a and b: to the last digit, where a line ends in it or a jump. */
static int small_bisect(small_reaction *r, double a, double Fa, double b, double Fb)
{
    int status = 0;
    for (int i = 0; i < SMALL_BISECTIONS && b - a > 0; i++) {
        double F;
        const double middle = a + (b - a) / 2;
        int is_fixed = 0;
        if (middle <= a || middle >= b) break;
        status = small_value(r, middle, &F);
        if (status) return status == r->no_value ? 0 : status;
        if (middle - F > a && middle - F < b) status = small_is_fixed(r, middle - F, &is_fixed);
        if (status || is_fixed) return status;
        if ((F < 0) == (Fa < 0)) a = middle, Fa = F;
        else b = middle, Fb = F;
    }
    const double limit = 1e3 * SMALL_MISSED * small_size_at(r, a);
    if (fabs(Fa) <= limit) status = small_search_at(r, a);
    if (status == 0 && fabs(Fb) <= limit) status = small_search_at(r, b);
    return status;
}

/* Between a and b, where F is Fa and Fb. */
static int small_between(small_reaction *r, double a, double Fa, double b, double Fb, int depth)
{
    const double size = fmax(small_size_at(r, a), fabs(b)), middle = a + (b - a) / 2;
    const int changes = (Fa < 0) != (Fb < 0);
    double F;
    int is_fixed = 0, status = 0;
    if (r->solutions > 1 || !(b - a > SMALL_SAME * size)) return 0;
    if (depth == 0) return changes ? small_bisect(r, a, Fa, b, Fb) : 0;
    status = small_value(r, middle, &F);
    if (status) return status == r->no_value ? 0 : status;
    const double y = middle - F;
    double bend = fabs(F - (Fa + Fb) / 2);
    if (y > a && y < b) status = small_is_fixed(r, y, &is_fixed);
    if (status) return status;
    if (is_fixed) { /* and beside it */
        double below, above;
        const double apart = 0.1 * SMALL_SAME * size;
        status = small_value(r, y - apart, &below);
        if (status == 0 && y - apart > a) status = small_between(r, a, Fa, y - apart, below, depth - 1);
        if (status == 0) status = small_value(r, y + apart, &above);
        if (status == 0 && y + apart < b) status = small_between(r, y + apart, above, b, Fb, depth - 1);
        return status == r->no_value ? 0 : status;
    }
    if (bend <= SMALL_MISSED * size) { /* a line, or steps that meet it three times */
        r->x[0] = middle;
        status = small_linearize(r);
        if (status) return status == r->no_value ? 0 : status;
        bend = fabs(r->J[0] * (b - a) - (Fb - Fa)) / 4;
        if (bend <= SMALL_STRAIGHT * fabs(Fb - Fa)) return changes ? small_search_at(r, middle) : 0;
    }
    if (!changes && (F < 0) == (Fa < 0) && fmin(fabs(F), fmin(fabs(Fa), fabs(Fb))) > 4 * bend) return 0;
    status = small_between(r, a, Fa, middle, F, depth - 1);
    return status ? status : small_between(r, middle, F, b, Fb, depth - 1);
}

typedef struct small_samples { /* in order */
    int count;
    double x[SMALL_SAMPLES], F[SMALL_SAMPLES], to[SMALL_SAMPLES]; /* to: where the line there crosses 0 */
} small_samples;

static int small_add_sample(small_reaction *r, small_samples *s, double x)
{
    const double apart = SMALL_MISSED * small_size_at(r, x);
    int at = s->count;
    while (at > 0 && s->x[at - 1] > x) at--;
    if (s->count == SMALL_SAMPLES || !isfinite(x)) return 0;
    if ((at > 0 && x - s->x[at - 1] <= apart) || (at < s->count && s->x[at] - x <= apart)) return 0;
    r->x[0] = x;
    const int status = small_linearize(r);
    const double F = r->F[0];
    if (status) return status == r->no_value ? 0 : status;
    memmove(s->x + at + 1, s->x + at, (size_t)(s->count - at) * sizeof *s->x);
    memmove(s->F + at + 1, s->F + at, (size_t)(s->count - at) * sizeof *s->F);
    memmove(s->to + at + 1, s->to + at, (size_t)(s->count - at) * sizeof *s->to);
    s->x[at] = x;
    s->to[at] = x - F / r->J[0];
    s->F[at] = F;
    s->count++;
    return fabs(F) <= SMALL_MISSED * small_size_at(r, x) ? small_search_at(r, x) : 0;
}

static int small_scan(small_reaction *r)
{
    const double base = r->base[r->which[0]];
    small_samples s;
    int status = 0, before = 0;
    s.count = 0;
    r->calls = SMALL_CALLS;
    for (int i = 0; i < SMALL_LADDER && status == 0; i++) status = small_add_sample(r, &s, small_rung(r, i));
    for (int i = 0; i < 2 * SMALL_NEAR_RUNGS && status == 0; i++) {
        const double apart = small_grown(r->scale / (1 << (SMALL_NEAR_RUNGS - 2)), 2, i / 2);
        status = small_add_sample(r, &s, i & 1 ? base - apart : base + apart);
    }
    if (status == 0) status = small_add_sample(r, &s, 0);
    if (status == 0) status = small_add_sample(r, &s, base);
    while (status == 0 && s.count > before && r->solutions < 2) {
        before = s.count;
        for (int i = 0; i < s.count && status == 0; i++) status = small_add_sample(r, &s, s.to[i]);
    }
    /* a solution of its own is between none of the others: it is passed on either side */
    for (int i = 0; i + 1 < s.count && status == 0 && r->solutions < 2; i++) {
        double a = s.x[i], Fa = s.F[i], b = s.x[i + 1], Fb = s.F[i + 1];
        const double apart = 0.1 * SMALL_SAME * fmax(small_size_at(r, a), fabs(b));
        if (fabs(Fa) <= SMALL_MISSED * small_size_at(r, a)) status = small_value(r, a += apart, &Fa);
        if (status == 0 && fabs(Fb) <= SMALL_MISSED * small_size_at(r, b)) status = small_value(r, b -= apart, &Fb);
        if (status == 0) status = small_between(r, a, Fa, b, Fb, SMALL_HALVINGS);
        else if (status == r->no_value) status = 0;
    }
    return status;
}

/* Several multipliers, and a law that jumps: from each alone and all together moved. */
static int small_start_ladder(small_reaction *r)
{
    int status = 0;
    for (int k = 0; k <= r->count && k < SMALL_PLACES; k++)
        for (int i = 0; i < SMALL_LADDER && status == 0 && r->solutions < 2; i++) {
            for (int j = 0; j < r->count; j++)
                r->x[j] = j == k || k == r->count ? small_rung(r, i) : r->base[r->which[j]];
            status = small_search(r, &r->stray);
        }
    return status;
}

/* What the starts by signs do not tell. A curve, as reaction^2, may have another solution far away; the one that goes
   on from no law is meant. */
static int small_search_on(small_reaction *r)
{
    if (r->count == 0 || r->solutions > 1 || r->kind != SMALL_JUMPS) return 0;
    return r->count == 1 ? small_scan(r) : small_start_ladder(r);
}

/* From all starts: the one solution by the multipliers that are read, and C there. */
static int small_find_one(small_reaction *r)
{
    int status = small_list_read(r);
    r->solutions = r->refused = r->stray = r->misses = 0;
    for (int p = 0; status == 0 && p < SMALL_PLACES && small_start_signs(r, p); p++)
        status = small_search(r, &r->stray);
    for (int i = 0; status == 0 && i < r->count && r->count > 1; i++)
        if (small_start_pushed(r, i)) status = small_search(r, &r->stray);
    if (status == 0) status = small_search_on(r);
    /* a jump that no probe saw */
    if (status == 0 && !r->solutions && !r->misses && !r->refused && r->count == 1 && r->kind != SMALL_JUMPS)
        status = small_scan(r);
    if (status) return status;
    if (r->solutions > 1) return SMALL_REACTION_SEVERAL;
    if (r->solutions == 0 && !r->misses) return r->stray ? r->stray : SMALL_REACTION_NONE;
    memcpy(r->x, r->solutions ? r->found : r->near, (size_t)r->count * sizeof *r->x);
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
    small_mark_stepped(r);
    r->kind = SMALL_JUMPS;
    return small_find_one(r);
}
