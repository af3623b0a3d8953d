/* Coordinates that lose their inertia: sin(theta)^2 phi'^2 at theta = 0. A matrix is not called nearly
   singular for small entries (that may be the units) but when its determinant on the constraints,
   det(Z' M Z), changes twofold within a millionth of a coordinate. */
#include "analyze/dense.h"
#include "analyze/tangent.h"

#include "base/try.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

typedef struct inertia {
    const tangent *t;
    size_t n, m, order; /* order: of Z' M Z */
    double *A, *Z, *MZ, *R, *q;
    size_t *pivot;
    double logarithm; /* of the determinant */
    double smallest, largest;
} inertia;

/* Z' M Z where the evaluation stands. */
static mech_status project_mass(inertia *x)
{
    size_t rank;
    for (size_t j = 0; j < x->n; j++)
        for (size_t i = 0; i < x->m; i++)
            x->A[i + j * x->m] = tangent_binds(x->t, i) ? x->t->e->A_dense[i + j * x->m] : 0;
    MECH_TRY(dense_null_space(x->m, x->n, x->A, TOL_INERTIA_RANK, x->Z, &rank, NULL));
    x->order = x->n - rank;
    dense_multiply(x->n, x->n, x->order, x->t->e->M_dense, x->Z, x->MZ);
    dense_multiply_transposed(x->order, x->n, x->order, x->Z, x->MZ, x->R);
    return MECH_OK;
}

/* R = L D L' with the largest pivots first; the order of the pivots in x->pivot, L below the diagonal. */
static void factor(inertia *x)
{
    const size_t k = x->order;
    double *R = x->R;
    x->logarithm = 0;
    x->smallest = x->largest = 1;
    for (size_t i = 0; i < k; i++) x->pivot[i] = i;
    for (size_t s = 0; s < k; s++) {
        size_t best = s;
        for (size_t i = s + 1; i < k; i++)
            if (R[x->pivot[i] * (k + 1)] > R[x->pivot[best] * (k + 1)]) best = i;
        const size_t p = x->pivot[best];
        x->pivot[best] = x->pivot[s];
        x->pivot[s] = p;
        const double d = R[p * (k + 1)];
        if (s == 0) x->largest = d;
        x->smallest = d;
        x->logarithm += d > 0 ? log(d) : -(double)INFINITY;
        for (size_t i = s + 1; i < k && d > 0; i++) {
            const size_t row = x->pivot[i];
            const double factor = R[row + p * k] / d;
            for (size_t j = s + 1; j < k; j++) R[row + x->pivot[j] * k] -= factor * R[p + x->pivot[j] * k];
            R[row + p * k] = factor;
        }
    }
}

/* The coordinate that the weakest direction moves most: L' w = e_last, then Z w. */
static int weakest(const inertia *x)
{
    const size_t k = x->order;
    double *w = x->MZ, most = 0; /* its entries are not needed any more */
    int found = -1;
    for (size_t s = k; s-- > 0;) {
        w[x->pivot[s]] = s + 1 == k;
        for (size_t i = s + 1; i < k; i++) w[x->pivot[s]] -= x->R[x->pivot[i] + x->pivot[s] * k] * w[x->pivot[i]];
    }
    for (size_t i = 0; i < x->n; i++) {
        double sum = 0;
        for (size_t j = 0; j < k; j++) sum += x->Z[i + j * x->n] * w[j];
        if (fabs(sum) > most * (1 + TOL_MORE)) {
            most = fabs(sum);
            found = (int)i;
        }
    }
    return found;
}

/* Twofold within a millionth of coordinate j? */
static mech_status changes_along(inertia *x, double time, const double *q, size_t j, int *changes)
{
    const double before = x->logarithm;
    const size_t order = x->order;
    *changes = 0;
    for (int side = -1; side <= 1 && !*changes; side += 2) {
        memcpy(x->q, q, x->n * sizeof *q);
        x->q[j] += side * TOL_INERTIA_PROBE * (1 + fabs(q[j]));
        const mech_status status = mech_eval_state(x->t->eval, time, x->q, NULL, q + 2 * x->n);
        if (status == MECH_ERR_NOT_FINITE) continue;
        MECH_TRY(status);
        MECH_TRY(project_mass(x));
        factor(x);
        *changes = x->order == order && fabs(x->logarithm - before) > log(2);
    }
    x->logarithm = before;
    x->order = order;
    return MECH_OK;
}

static mech_status look(inertia *x, double time, const double *q, int *weak, int *along)
{
    MECH_TRY(mech_eval_state(x->t->eval, time, q, NULL, q + 2 * x->n));
    MECH_TRY(project_mass(x));
    factor(x);
    if (x->order == 0 || x->smallest > TOL_INERTIA_DOUBT * x->largest) return MECH_OK;
    const int found = weakest(x);
    for (size_t j = 0; j < x->n; j++) {
        int changes;
        MECH_TRY(changes_along(x, time, q, j, &changes));
        if (!changes) continue;
        *weak = found;
        *along = (int)j;
        return MECH_OK;
    }
    return MECH_OK;
}

mech_status inertia_look(const tangent *t, double time, const double *q, int *weak, int *along)
{
    const size_t n = t->n, m = t->m;
    inertia x = {.t = t, .n = n, .m = m};
    *weak = *along = -1;
    if (mech_system_allows_negative_mass(t->system))
        return MECH_OK; /* pivots by size alone are those of a definite matrix */
    arena memory = {0};
    mech_status status = ARENA_MAKE(&memory, ARRAY_OF(x.A, m * n), ARRAY_OF(x.Z, n * n), ARRAY_OF(x.MZ, n * n),
                                    ARRAY_OF(x.R, n * n), ARRAY_OF(x.q, n), ARRAY_OF(x.pivot, n));
    if (status == MECH_OK) status = look(&x, time, q, weak, along);
    arena_free(&memory);
    return status;
}
