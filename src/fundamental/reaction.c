/* Laws that depend on the total reaction: lambda = lambda_i + delta(C(lambda)), where A' delta(C) + C = Qni.

   Only the multipliers that the law reads are unknown, x. Where a law such as mu |x| does not change sign it
   is linear, and one Newton step from any point of that region lands on its only possible solution: so a
   start in each pattern of signs finds every solution of such a law. None or several is Painleve's paradox.
   Theory: x + B|x| = r has exactly one solution for every r if and only if det(I + B S) > 0 for every pattern
   S of signs. */
#include "fundamental/room.h"

#include "base/try.h"

#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

enum { PATTERN_ROWS = 6, NEWTON_STEPS = 30, PLACES = 4096 };

typedef struct newton {
    mech_fundamental *f;
    mech_reaction_law law;
    void *user;
    int count;      /* multipliers the law reads                  */
    double scale;   /* size of the ideal ones                     */
    double *C, *dC; /* n, n x m                                   */
    double *base;   /* m: multipliers without the law             */
    double *lambda; /* m: where the law is evaluated              */
    double *delta;  /* m                                          */
    double *J;      /* count x count                              */
    double *F, *x;  /* count                                      */
    double *found;  /* count: the solution                        */
    int solutions;
} newton;

/* the law at nw->lambda */
static mech_status evaluate(newton *nw, int with_derivative)
{
    mech_fundamental *f = nw->f;
    memset(nw->C, 0, (size_t)f->n * sizeof *nw->C);
    if (with_derivative) memset(nw->dC, 0, (size_t)f->n * (size_t)f->m * sizeof *nw->dC);
    return nw->law(nw->user, nw->lambda, nw->C, with_derivative ? nw->dC : NULL);
}

/* mark the multipliers by which the law has a derivative at nw->lambda */
static mech_status mark_read(newton *nw, unsigned char *read)
{
    MECH_TRY(evaluate(nw, 1));
    for (int k = 0; k < nw->f->m; k++)
        for (int i = 0; i < nw->f->n && !read[k]; i++) read[k] = AT(nw->dC, i, k, nw->f->n) != 0;
    return MECH_OK;
}

/* Which multipliers the law reads: tried at the ideal ones and at all plus, all minus, where no |x| hides. */
static mech_status find_read(newton *nw)
{
    mech_fundamental *f = nw->f;
    unsigned char *read = f->mask_servo; /* no servo rows here: free */
    memset(read, 0, (size_t)f->m);
    for (int k = 0; k < f->m; k++) nw->scale = fmax(nw->scale, fabs(nw->base[k]));
    if (!(nw->scale > 0)) nw->scale = 1;
    for (int try = 0; try < 3; try++) {
        for (int k = 0; k < f->m; k++)
            nw->lambda[k] = try == 0 ? nw->base[k] : try == 1 ? nw->scale : -nw->scale;
        MECH_TRY(mark_read(nw, read));
    }
    nw->count = 0;
    for (int k = 0; k < f->m; k++)
        if (read[k]) f->culprit[nw->count++] = k; /* the list of unknowns; culprit is free until a failure */
    return MECH_OK;
}

static void add_delta(newton *nw, const double *C, double *out)
{
    small_nonideal(&nw->f->natural, nw->f->M, C, nw->f->dqdd, NULL, out);
}

/* F = x - base - delta(C(x)), J = I - delta(dC) */
static mech_status linearize(newton *nw)
{
    const mech_fundamental *f = nw->f;
    const int *which = f->culprit;
    memcpy(nw->lambda, nw->base, (size_t)f->m * sizeof *nw->lambda);
    for (int i = 0; i < nw->count; i++) nw->lambda[which[i]] = nw->x[i];
    MECH_TRY(evaluate(nw, 1));
    add_delta(nw, nw->C, nw->delta);
    for (int i = 0; i < nw->count; i++) nw->F[i] = nw->x[i] - nw->base[which[i]] - nw->delta[which[i]];
    for (int k = 0; k < nw->count; k++) {
        add_delta(nw, &AT(nw->dC, 0, which[k], f->n), nw->delta);
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

/* keep a solution unless it is known */
static void note_solution(newton *nw)
{
    double apart = 0, size = nw->scale;
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

static void place(newton *nw)
{
    const size_t n = (size_t)nw->f->n, m = (size_t)nw->f->m;
    double *next = nw->f->scratch;
    nw->C = next;
    nw->dC = nw->C + n;
    nw->base = nw->dC + n * m;
    nw->lambda = nw->base + m;
    nw->delta = nw->lambda + m;
    nw->F = nw->delta + m;
    nw->x = nw->F + m;
    nw->found = nw->x + m;
    nw->J = nw->found + m;
}

static mech_status find_reaction(newton *nw)
{
    mech_fundamental *f = nw->f;
    MECH_TRY(find_read(nw));
    nw->solutions = 0;
    for (int p = 0; p < PLACES && start(nw, p); p++) MECH_TRY(iterate(nw));
    if (nw->solutions == 1) {
        memcpy(nw->x, nw->found, (size_t)nw->count * sizeof *nw->x);
        MECH_TRY(linearize(nw)); /* C at the solution */
        return MECH_OK;
    }
    f->culprits = nw->count; /* the rows whose reaction the law reads */
    return nw->solutions == 0 ? MECH_ERR_NO_REACTION : MECH_ERR_MANY_REACTIONS;
}

mech_status mech_fundamental_solve_law(mech_fundamental *f, const mech_fundamental_input *in,
                                       mech_reaction_law law, void *user, mech_fundamental_output *out)
{
    int given = 0;
    newton nw = {.f = f, .law = law, .user = user};
    MECH_TRY(fundamental_check(f, in));
    if (f->sparse) return MECH_ERR_UNSUPPORTED;
    if (!law || !out || out->size != sizeof *out || in->servo) return MECH_ERR_ARGUMENT;
    MECH_TRY(fundamental_factor(f, in));
    MECH_TRY(fundamental_law(f, in, &given));
    f->M = in->M;
    place(&nw);
    memcpy(f->force, in->Q, (size_t)f->n * sizeof *f->force);
    fundamental_ideal(f, in);
    memcpy(nw.base, f->lambda, (size_t)f->m * sizeof *nw.base);
    if (given) {
        add_delta(&nw, f->C, nw.delta);
        for (int k = 0; k < f->m; k++) nw.base[k] += nw.delta[k];
    }
    MECH_TRY(find_reaction(&nw));
    for (int i = 0; i < f->n; i++) f->C[i] = nw.C[i] + (given ? f->C[i] : 0);
    memset(f->Qc, 0, (size_t)f->n * sizeof *f->Qc);
    fundamental_nonideal(f, in->M, 1);
    return fundamental_deliver(f, in, out);
}
