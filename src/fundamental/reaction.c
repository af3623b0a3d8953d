/* Laws that depend on the total reaction: lambda = lambda_i + delta(C(lambda)), where A' delta(C) + C = Qni.

   Only the multipliers that the law reads are unknown, x. Where a law such as mu |x| does not change sign it
   is linear, and one Newton step from any point of that region lands on its only possible solution: so a
   start in each pattern of signs finds every solution of such a law. None or several is Painleve's paradox.
   Theory: x + B|x| = r has exactly one solution for every r if and only if det(I + B S) > 0 for every pattern
   S of signs.

   Where several multipliers press together, N = |x|, there is no such region. But all solutions lie on the half-line
   base + N delta(C) of C at N = 1, and N - |base + N delta| is concave: Newton's method from the far end finds the
   farther one of two. So where the law alone would push each multiplier is a start too.

   Where there are servo rows the control answers the law, u = u_0 + U C, so that delta(C) has the part of G U C too:
   still linear in C, and the same method. The ideal multipliers then depend on the law as well, and stand behind the
   total ones. */
#include "fundamental/room.h"

#include "base/try.h"

#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

enum { PATTERN_ROWS = 6, NEWTON_STEPS = 30, PLACES = 4096 };

typedef struct newton {
    mech_fundamental *f;
    const mech_fundamental_input *in;
    mech_reaction_law law;
    fundamental_accepts accepts;
    void *user;
    int all;                /* multipliers: m total ones, and with servo rows m ideal ones behind them */
    int count;              /* those the law reads                        */
    double scale;           /* size of those without the law              */
    double *C, *dC;         /* n, n x all                                 */
    double *moved;          /* n: C with one multiplier moved             */
    double *base;           /* all: multipliers without the law           */
    double *base_qdd, *qdd; /* n: q'' without the law, and at x   */
    double *lambda;         /* all: where the law is evaluated            */
    double *delta;          /* all                                        */
    double *zero;           /* m                                          */
    double *J;              /* count x count                              */
    double *F, *x;          /* count                                      */
    double *found;          /* count: the solution                        */
    double *pushed;         /* count: the last start by what the law pushes */
    int solutions;
} newton;

/* the law at nw->lambda */
static mech_status evaluate(newton *nw, int with_derivative)
{
    mech_fundamental *f = nw->f;
    memset(nw->C, 0, (size_t)f->n * sizeof *nw->C);
    if (with_derivative) memset(nw->dC, 0, (size_t)f->n * (size_t)nw->all * sizeof *nw->dC);
    return nw->law(nw->user, nw->lambda, nw->C, with_derivative ? nw->dC : NULL);
}

/* Column k of dC where the law does not know it (NaN): by a difference away from 0, where |x| has its kink. It steers
   Newton's method alone, which ends where the law itself stands. */
static mech_status complete_column(newton *nw, int k)
{
    const mech_fundamental *f = nw->f;
    const size_t n = (size_t)f->n;
    double *column = &AT(nw->dC, 0, k, f->n), keep = nw->lambda[k];
    size_t i = 0;
    while (i < n && !isnan(column[i])) i++;
    if (i == n) return MECH_OK;
    const double step = (keep < 0 ? -1e-7 : 1e-7) * fmax(fabs(keep), nw->scale);
    memset(nw->moved, 0, n * sizeof *nw->moved);
    nw->lambda[k] = keep + step;
    const mech_status status = nw->law(nw->user, nw->lambda, nw->moved, NULL);
    nw->lambda[k] = keep;
    for (i = 0; i < n; i++) column[i] = (nw->moved[i] - nw->C[i]) / step;
    return status;
}

/* nw->lambda: those without the law, then all plus, all minus, where no |x| hides, and of sizes that no difference or
   |x| takes for the same; and the law there */
static mech_status probe(newton *nw, int place)
{
    for (int k = 0; k < nw->all; k++) {
        const double size = nw->scale * (1.3 + 0.5 * sin(1 + 2.1 * k));
        nw->lambda[k] = place == 0 ? nw->base[k] : place == 1 ? size : -1.2 * size;
    }
    return evaluate(nw, 1);
}

/* Marks the multipliers by which the law has a derivative; *lacks: some are not known. */
static void mark_read(newton *nw, int *lacks)
{
    for (int k = 0; k < nw->all; k++)
        for (int i = 0; i < nw->f->n; i++) {
            const double slope = AT(nw->dC, i, k, nw->f->n);
            if (isnan(slope)) *lacks = 1;
            else if (slope != 0) nw->f->mask_read[k] = 1;
        }
}

/* Which multipliers the law reads. */
static mech_status find_read(newton *nw)
{
    enum { PROBES = 3 };
    mech_fundamental *f = nw->f;
    const size_t size = (size_t)f->n * sizeof *nw->C;
    int lacks = 0, changes = 0;
    memset(f->mask_read, 0, (size_t)nw->all);
    for (int k = 0; k < nw->all; k++) nw->scale = fmax(nw->scale, fabs(nw->base[k]));
    if (!(nw->scale > 0)) nw->scale = 1;
    for (int place = 0; place < PROBES; place++) {
        const mech_status status = probe(nw, place);
        if (place > 0 && status == MECH_ERR_NOT_FINITE) continue; /* a law need not have a value there */
        MECH_TRY(status);
        mark_read(nw, &lacks);
        if (place == 0) memcpy(nw->moved, nw->C, size);
        else changes |= memcmp(nw->moved, nw->C, size) != 0;
    }
    for (int place = 0; place < PROBES && lacks && changes; place++) {
        mech_status status = probe(nw, place);
        for (int k = 0; k < nw->all && status == MECH_OK; k++) status = complete_column(nw, k);
        if (place > 0 && status == MECH_ERR_NOT_FINITE) continue;
        MECH_TRY(status);
        mark_read(nw, &lacks);
    }
    nw->count = 0;
    for (int k = 0; k < nw->all; k++) { /* the list of unknowns; culprit is free until a failure */
        if (!f->mask_read[k]) continue;
        if (nw->count == f->m)
            return MECH_ERR_UNSUPPORTED; /* all total and ideal ones at once: there is no room for it */
        f->culprit[nw->count++] = k;
    }
    return MECH_OK;
}

/* What a force C adds to the multipliers, into nw->delta, and to q'', into f->dqdd: with the control's answer. */
static void respond(newton *nw, const double *C)
{
    mech_fundamental *f = nw->f;
    double *ideal = nw->delta + f->m;
    small_nonideal(&f->natural, f->M, C, f->dqdd, NULL, nw->delta);
    if (!nw->in->servo) return;
    memcpy(nw->qdd, f->dqdd, (size_t)f->n * sizeof *nw->qdd);
    fundamental_control_aim(f, nw->in, nw->qdd, NULL);
    small_ideal(&f->natural, f->M, f->Qc, nw->zero, f->dqdd, NULL, ideal);
    for (int k = 0; k < f->m; k++) nw->delta[k] += ideal[k];
    for (int i = 0; i < f->n; i++) f->dqdd[i] += nw->qdd[i];
}

/* F = x - base - delta(C(x)), J = I - delta(dC) */
static mech_status linearize(newton *nw)
{
    const mech_fundamental *f = nw->f;
    const int *which = f->culprit;
    memcpy(nw->lambda, nw->base, (size_t)nw->all * sizeof *nw->lambda);
    for (int i = 0; i < nw->count; i++) nw->lambda[which[i]] = nw->x[i];
    MECH_TRY(evaluate(nw, 1));
    respond(nw, nw->C);
    for (int i = 0; i < nw->count; i++) nw->F[i] = nw->x[i] - nw->base[which[i]] - nw->delta[which[i]];
    for (int k = 0; k < nw->count; k++) {
        MECH_TRY(complete_column(nw, which[k]));
        respond(nw, &AT(nw->dC, 0, which[k], f->n));
        for (int i = 0; i < nw->count; i++) AT(nw->J, i, k, nw->count) = (i == k) - nw->delta[which[i]];
    }
    return MECH_OK;
}

/* F = J^-1 F with row exchanges: 0 when J is singular */
static int gauss(int n, double *J, double *F)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(AT(J, i, k, n)) > fabs(AT(J, best, k, n))) best = i;
        if (!(fabs(AT(J, best, k, n)) > 1e-13)) return 0;
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
static int is_accepted(newton *nw)
{
    const mech_fundamental *f = nw->f;
    if (!nw->accepts) return 1;
    respond(nw, nw->C);
    for (int k = 0; k < f->m; k++) nw->delta[k] += nw->base[k];
    for (int i = 0; i < f->n; i++) nw->qdd[i] = nw->base_qdd[i] + f->dqdd[i];
    return nw->accepts(nw->user, nw->qdd, nw->delta);
}

/* keep a solution unless it is known */
static void note_solution(newton *nw)
{
    double apart = 0, size = nw->scale;
    if (!is_accepted(nw)) return;
    for (int i = 0; i < nw->count; i++) size = fmax(size, fabs(nw->x[i]));
    for (int i = 0; i < nw->count; i++) apart = fmax(apart, fabs(nw->x[i] - nw->found[i]));
    if (nw->solutions && apart <= 1e-7 * size) return;
    if (!nw->solutions) memcpy(nw->found, nw->x, (size_t)nw->count * sizeof *nw->x);
    nw->solutions++;
}

/* Newton from nw->x */
static mech_status iterate(newton *nw)
{
    for (int step = 0; step < NEWTON_STEPS; step++) {
        double off = 0, size = nw->scale;
        MECH_TRY(linearize(nw));
        for (int i = 0; i < nw->count; i++) {
            off = fmax(off, fabs(nw->F[i]));
            size = fmax(size, fabs(nw->x[i]));
        }
        if (off <= 1e-12 * size) {
            note_solution(nw);
            return MECH_OK;
        }
        if (!gauss(nw->count, nw->J, nw->F)) return MECH_OK;
        for (int i = 0; i < nw->count; i++) nw->x[i] -= nw->F[i];
    }
    return MECH_OK;
}

/* the start of pattern p: every sign for few unknowns; else the ideal ones and each single change of sign */
static int start(newton *nw, int p)
{
    const int k = nw->count, few = k <= PATTERN_ROWS;
    if (p >= (few ? 1 << k : k + 1)) return 0;
    for (int i = 0; i < k; i++) {
        const double ideal = nw->base[nw->f->culprit[i]], size = fmax(fabs(ideal), 1e-3 * nw->scale);
        if (few) nw->x[i] = p >> i & 1 ? -size : size;
        else nw->x[i] = p == i + 1 ? -ideal : ideal;
    }
    return 1;
}

/* The start where the law pushes to if it sees the multiplier i alone. 0: nowhere, or as from an earlier one. */
static int start_pushed(newton *nw, int i)
{
    const mech_fundamental *f = nw->f;
    double size = 0, apart = 0, toward = 0;
    memset(nw->lambda, 0, (size_t)nw->all * sizeof *nw->lambda);
    nw->lambda[f->culprit[i]] = nw->scale;
    if (evaluate(nw, 0) != MECH_OK) return 0;
    respond(nw, nw->C);
    for (int k = 0; k < nw->count; k++) {
        nw->x[k] = nw->delta[f->culprit[k]];
        size += nw->x[k] * nw->x[k];
        toward += nw->x[k] * nw->pushed[k];
    }
    size = sqrt(size);
    for (int k = 0; k < nw->count && size > 0; k++) {
        nw->x[k] /= size;
        apart = fmax(apart, fabs(nw->x[k] - (toward < 0 ? -1 : 1) * nw->pushed[k]));
        nw->pushed[k] = nw->x[k];
    }
    for (int k = 0; k < nw->count; k++) nw->x[k] *= 1e3 * nw->scale;
    return apart > 1e-6;
}

static void place(newton *nw)
{
    const size_t n = (size_t)nw->f->n, m = (size_t)nw->f->m;
    double *next = nw->f->scratch;
    struct {
        double **to;
        size_t count;
    } const parts[] = {{&nw->C, n},          {&nw->moved, n},    {&nw->qdd, n},        {&nw->base_qdd, n},
                       {&nw->dC, 2 * n * m}, {&nw->base, 2 * m}, {&nw->lambda, 2 * m}, {&nw->delta, 2 * m},
                       {&nw->zero, m},       {&nw->F, m},        {&nw->x, m},          {&nw->found, m},
                       {&nw->J, m * m},      {&nw->pushed, m}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].to = next;
        next += parts[i].count;
    }
    memset(nw->zero, 0, m * sizeof *nw->zero);
    memset(nw->pushed, 0, m * sizeof *nw->pushed);
}

/* *stray: Newton's method left where the law has values, and no solution was found from there. */
static mech_status search_from_here(newton *nw, mech_status *stray)
{
    const mech_status status = iterate(nw);
    if (status != MECH_ERR_NOT_FINITE) return status;
    *stray = status;
    return MECH_OK;
}

static mech_status find_reaction(newton *nw)
{
    mech_fundamental *f = nw->f;
    mech_status stray = MECH_OK;
    MECH_TRY(find_read(nw));
    nw->solutions = 0;
    for (int p = 0; p < PLACES && start(nw, p); p++) MECH_TRY(search_from_here(nw, &stray));
    for (int i = 0; i < nw->count && nw->count > 1; i++)
        if (start_pushed(nw, i)) MECH_TRY(search_from_here(nw, &stray));
    if (nw->solutions == 0) MECH_TRY(stray);
    if (nw->solutions == 1) {
        memcpy(nw->x, nw->found, (size_t)nw->count * sizeof *nw->x);
        MECH_TRY(linearize(nw)); /* C at the solution */
        return MECH_OK;
    }
    f->culprits = nw->count; /* the rows whose reaction the law reads */
    for (int i = 0; i < nw->count; i++) f->culprit[i] %= f->m;
    return nw->solutions == 0 ? MECH_ERR_NO_REACTION : MECH_ERR_MANY_REACTIONS;
}

/* The motion under Q and the law f->C (given: there is one), with the least control where there are servo rows;
   whether it reaches them is asked where `must_reach`. */
static mech_status move(mech_fundamental *f, const mech_fundamental_input *in, int given, int must_reach)
{
    memcpy(f->force, in->Q, (size_t)f->n * sizeof *f->force);
    memset(f->Qc, 0, (size_t)f->n * sizeof *f->Qc);
    fundamental_ideal(f, in);
    fundamental_nonideal(f, in->M, given);
    if (!in->servo) return MECH_OK;
    if (must_reach) MECH_TRY(fundamental_control(f, in));
    else {
        MECH_TRY(fundamental_control_prepare(f, in));
        fundamental_control_aim(f, in, f->qdd, in->b);
        for (int i = 0; i < f->n; i++) f->force[i] += f->Qc[i];
    }
    fundamental_ideal(f, in);
    fundamental_nonideal(f, in->M, given);
    return MECH_OK;
}

mech_status fundamental_solve_law(mech_fundamental *f, const mech_fundamental_input *in, mech_reaction_law law,
                                  fundamental_accepts accepts, void *user, mech_fundamental_output *out)
{
    int given = 0;
    newton nw = {
        .f = f, .in = in, .all = in && in->servo ? 2 * f->m : f->m, .law = law, .accepts = accepts, .user = user};
    MECH_TRY(fundamental_check(f, in));
    if (f->sparse) return MECH_ERR_UNSUPPORTED;
    if (!law || !out || out->size != sizeof *out) return MECH_ERR_ARGUMENT;
    MECH_TRY(fundamental_factor(f, in));
    MECH_TRY(fundamental_law(f, in, &given));
    f->M = in->M;
    MECH_TRY(move(f, in, given, 0));
    place(&nw);
    memcpy(nw.base, f->total, (size_t)f->m * sizeof *nw.base);
    memcpy(nw.base + f->m, f->lambda, (size_t)f->m * sizeof *nw.base);
    memcpy(nw.base_qdd, f->qdd, (size_t)f->n * sizeof *nw.base_qdd);
    MECH_TRY(find_reaction(&nw));
    for (int i = 0; i < f->n; i++) f->C[i] = nw.C[i] + (given ? f->C[i] : 0);
    if (given || in->servo) MECH_TRY(move(f, in, 1, 1));
    else fundamental_nonideal(f, in->M, 1); /* the ideal motion still stands */
    return fundamental_deliver(f, in, out);
}

mech_status mech_fundamental_solve_law(mech_fundamental *f, const mech_fundamental_input *in, mech_reaction_law law,
                                       void *user, mech_fundamental_output *out)
{
    return fundamental_solve_law(f, in, law, NULL, user, out);
}
