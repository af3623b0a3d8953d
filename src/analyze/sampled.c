/* A loop that samples, over one period: the plant by the exponential of its matrix with the samples held, after the
   samples were taken. */
#include <mech/analyze.h>

#include "analyze/dense.h"
#include "analyze/eigen.h"
#include "base/mem.h"
#include "base/tolerances.h"
#include "base/try.h"
#include "system/owner.h"

#include <math.h>
#include <string.h>

struct mech_sampled {
    mech_sampled_result result;
    double *numbers; /* real, imaginary */
};

/* E = exp(A), A (n x n) destroyed: a Pade approximant of order 6 of A/2^s with |A|/2^s <= 1/2, squared s times (Moler
   and Van Loan 2003, method 3; its error is below the rounding there). */
static mech_status exponential(double *A, size_t n, double *E)
{
    enum { ORDER = 6 };
    const size_t cells = n * n;
    double *X = mem_alloc((3 * cells + 1) * sizeof *X), *D = X + cells, *Y = D + cells, c = 1;
    int squarings = 0, exponent;
    if (!X) return MECH_ERR_MEMORY;
    if (frexp(dense_norm(A, n), &exponent) > 0 && exponent > -1) squarings = exponent + 1;
    for (size_t i = 0; i < cells; i++) {
        A[i] = ldexp(A[i], -squarings);
        X[i] = E[i] = D[i] = i % (n + 1) == 0;
    }
    for (int k = 1; k <= ORDER; k++) {
        c *= (double)(ORDER - k + 1) / (double)(k * (2 * ORDER - k + 1));
        dense_multiply(n, n, n, A, X, Y);
        memcpy(X, Y, cells * sizeof *X);
        for (size_t i = 0; i < cells; i++) {
            E[i] += c * X[i];
            D[i] += (k % 2 ? -c : c) * X[i];
        }
    }
    const int is_regular = dense_solve(n, D, n, E);
    for (int k = 0; k < squarings && is_regular; k++) {
        dense_multiply(n, n, n, E, E, Y);
        memcpy(E, Y, cells * sizeof *E);
    }
    mem_free(X);
    return is_regular ? MECH_OK : MECH_ERR_NOT_FINITE;
}

/* All clocks have one period and tick together. */
static mech_status find_period(const mech_system *system, mech_eval *eval, double *period, const char **why)
{
    double first = 0;
    const mech_status status = mech_eval_start(eval);
    (void)status; /* the values are looked at one by one */
    for (size_t k = 0; k < system_every_count(system); k++) {
        double T, from;
        eval_clock(eval, k, &T, &from);
        if (k == 0) *period = T, first = from;
        if (T == *period && from == first) continue;
        *why = "its clocks have several periods or first instants: the map over one period is that of one";
        return MECH_ERR_UNSUPPORTED;
    }
    return MECH_OK;
}

/* Constraints that samples move leave no space that both the motion and the samples keep. */
static int moves_constraints(const mech_system *system, const mech_linear_result *l)
{
    const size_t N = (size_t)l->order;
    for (size_t j = (size_t)l->freedom; j < N; j++)
        for (size_t k = 0; k < (size_t)l->states; k++)
            if (system_is_sampled(system, k) && fabs(l->basis[2 * (size_t)l->n + k + j * N]) > TOL_LINEAR_RANK)
                return 1;
    return 0;
}

/* The tangent space's own: T' X T. */
static void reduce(const mech_linear_result *l, const double *X, double *work, double *to)
{
    const size_t N = (size_t)l->order, f = (size_t)l->freedom;
    dense_multiply(N, N, f, X, l->basis, work);
    dense_multiply_transposed(f, N, f, l->basis, work, to);
}

/* Phi (f x f), into to; room: 2 N N + 3 f f + N f. */
static mech_status map_of(const mech_system *system, const mech_linear_result *l, double period, double *room,
                          double *to)
{
    const size_t N = (size_t)l->order, f = (size_t)l->freedom, first = 2 * (size_t)l->n;
    double *flow = room, *jump = flow + N * N, *work = jump + N * N, *A = work + N * f, *J = A + f * f, *E = J + f * f;
    memcpy(flow, l->A, N * N * sizeof *flow);
    memset(jump, 0, N * N * sizeof *jump);
    for (size_t i = 0; i < N; i++) jump[i + i * N] = 1;
    for (size_t k = 0; k < (size_t)l->states; k++)
        for (size_t j = 0; system_is_sampled(system, k) && j < N; j++) {
            jump[first + k + j * N] += flow[first + k + j * N];
            flow[first + k + j * N] = 0;
        }
    reduce(l, flow, work, A);
    reduce(l, jump, work, J);
    for (size_t i = 0; i < f * f; i++) A[i] *= period;
    MECH_TRY(exponential(A, f, E));
    dense_multiply(f, f, f, E, J, to);
    return MECH_OK;
}

static void sort(double *real, double *imaginary, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && hypot(real[k], imaginary[k]) > hypot(real[k - 1], imaginary[k - 1]); k--) {
            const double r = real[k], m = imaginary[k];
            real[k] = real[k - 1], imaginary[k] = imaginary[k - 1];
            real[k - 1] = r, imaginary[k - 1] = m;
        }
}

static mech_status find(mech_sampled *s, const mech_system *system, const mech_linear_result *l)
{
    const size_t N = (size_t)l->order, f = (size_t)l->freedom;
    double *room = mem_zeroed(2 * N * N + 4 * f * f + N * f + 1, sizeof *room);
    if (!room) return MECH_ERR_MEMORY;
    double *map = room + 2 * N * N + 3 * f * f + N * f, *real = s->numbers, *imaginary = real + f;
    mech_status status = map_of(system, l, s->result.period, room, map);
    if (status == MECH_OK) status = mech_eigenvalues((int)f, map, real, imaginary);
    mem_free(room);
    MECH_TRY(status);
    sort(real, imaginary, f);
    for (size_t k = 0; k < f; k++) {
        const double size = hypot(real[k], imaginary[k]) - 1;
        s->result.circle += fabs(size) <= TOL_CIRCLE;
        s->result.outside += size > TOL_CIRCLE;
    }
    return MECH_OK;
}

mech_status mech_sampled_create(const mech_system *system, mech_eval *eval, const mech_linear_result *l,
                                const char **why, mech_sampled **sampled)
{
    const char *unheard;
    double period = 0;
    if (!system || !eval || !l || !sampled) return MECH_ERR_ARGUMENT;
    *sampled = NULL;
    if (!why) why = &unheard;
    *why = "the model does not sample, or was not read with sampled values relaxed";
    if (!system_every_count(system) || !system_is_relaxed(system)) return MECH_ERR_UNSUPPORTED;
    MECH_TRY(find_period(system, eval, &period, why));
    *why = "a sampled value moves a constraint, and its jumps are impulses that no matrix tells";
    if (moves_constraints(system, l)) return MECH_ERR_UNSUPPORTED;
    *why = NULL;
    mech_sampled *s = mem_zeroed(1, sizeof *s);
    if (s) s->numbers = mem_zeroed(2 * (size_t)l->freedom + 1, sizeof *s->numbers);
    if (!s || !s->numbers) {
        mem_free(s);
        return MECH_ERR_MEMORY;
    }
    s->result = (mech_sampled_result){.size = sizeof s->result,
                                      .period = period,
                                      .count = l->freedom,
                                      .real = s->numbers,
                                      .imaginary = s->numbers + l->freedom};
    const mech_status status = find(s, system, l);
    if (status == MECH_OK) *sampled = s;
    else mech_sampled_free(s);
    return status;
}

void mech_sampled_free(mech_sampled *s)
{
    if (!s) return;
    mem_free(s->numbers);
    mem_free(s);
}

const mech_sampled_result *mech_sampled_get(const mech_sampled *s) { return &s->result; }
