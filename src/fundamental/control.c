/* Rows kept by control; see control.h. */
#include "fundamental/control.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

/* Parts of a whole by which a row may be missed: of its terms, and of what rounding is a part of. */
#if defined(SMALL_SINGLE)
#define SMALL_REACHED 1e-4
#define SMALL_ROUNDED 1e-6
#else
#define SMALL_REACHED 1e-8
#define SMALL_ROUNDED 1e-13
#endif

static double small_length(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Of G, of I, or, for nature, of L: u = L v and v'v = u'M^-1 u */
void small_control_direction(const small_control *c, int j, double *out)
{
    const int n = c->natural->n;
    if (c->G) {
        memcpy(out, &AT(c->G, 0, j, n), (size_t)n * sizeof *out);
        return;
    }
    memset(out, 0, (size_t)n * sizeof *out);
    if (c->by_nature) memcpy(out + j, &AT(c->natural->L, j, j, c->natural->ld), (size_t)(n - j) * sizeof *out);
    else out[j] = 1;
}

static const double *small_weight(small_control *c)
{
    if (c->W) return c->W;
    memset(c->unit, 0, (size_t)c->g * (size_t)c->g * sizeof *c->unit);
    for (int j = 0; j < c->g; j++) AT(c->unit, j, j, c->g) = 1;
    return c->unit;
}

small_status small_control_factor(small_control *c, int rows)
{
    small_place(c->least, c->g, rows, c->least->L, c->least->order);
    const small_status status = small_factor(c->least, small_weight(c), c->reach, NULL, c->rank_tol, 0);
    return status == SMALL_OK && c->least->semi ? SMALL_INDEFINITE : status;
}

/* W itself is not read, as it is definite. */
void small_control_least(small_control *c)
{
    memset(c->none, 0, (size_t)c->g * sizeof *c->none);
    small_ideal(c->least, NULL, c->none, c->target, c->u, NULL, NULL);
}

/* Entry i of `scaled` is [0; K^-1 g_2] (K = I when M is definite); returns their number. */
static int small_scale_rows(small_control *c)
{
    small_solve *s = c->natural;
    const int n = s->n, r = s->rank;
    int count = 0;
    for (int i = 0; i < c->m; i++) {
        if (!c->servo[i]) continue;
        double *row = &AT(c->scaled, 0, count++, n);
        for (int j = 0; j < n; j++) c->direction[j] = AT(c->A, i, j, c->m);
        small_forward(s, c->direction, s->g);
        memset(row, 0, (size_t)n * sizeof *row);
        small_complete(s, s->g, row);
        memcpy(row, s->g, (size_t)r * sizeof *row); /* only for its length */
    }
    return count;
}

/* Row i . direction j behind the rank; what is rounding is nothing. */
static void small_find_reach(small_control *c, int count)
{
    small_solve *s = c->natural;
    const int n = s->n, r = s->rank;
    for (int j = 0; j < c->g; j++) {
        double *gamma = s->g;
        small_control_direction(c, j, c->direction);
        small_forward(s, c->direction, gamma);
        for (int i = 0; i < count; i++) {
            const double *row = &AT(c->scaled, 0, i, n);
            double entry = 0;
            for (int k = r; k < n; k++) entry += row[k] * gamma[k];
            if (fabs(entry) <= 16 * DBL_EPSILON * (double)n * small_length(n, row) * small_length(n, gamma)) entry = 0;
            AT(c->reach, i, j, count) = entry;
        }
    }
}

small_status small_control_prepare(small_control *c)
{
    const int count = small_scale_rows(c);
    small_find_reach(c, count);
    return small_control_factor(c, count);
}

void small_control_aim(small_control *c, const double *qdd, const double *b)
{
    const int n = c->natural->n;
    int count = 0;
    for (int i = 0; i < c->m; i++) {
        double miss = b ? b[i] : 0;
        for (int j = 0; j < n && c->servo[i]; j++) miss -= AT(c->A, i, j, c->m) * qdd[j];
        if (c->servo[i]) c->target[count++] = miss;
    }
    small_control_least(c);
    memset(c->Qc, 0, (size_t)n * sizeof *c->Qc);
    for (int j = 0; j < c->g; j++) {
        small_control_direction(c, j, c->direction);
        for (int i = 0; i < n; i++) c->Qc[i] += c->direction[i] * c->u[j];
    }
}

/* What the rounding of q_j is a part of: it may be all that is left of large forces. */
static double small_push_on(int n, const double *M, const double *Q, const double *Qi, int j)
{
    const double mass = fabs(AT(M, j, j, n));
    return mass > 0 ? (fabs(Q[j]) + fabs(Qi[j])) / mass : 0;
}

/* What the rounding of u is a part of in row k of the reach: u comes as a whole, in its weight, so that its small
   entries carry the rounding of the large ones. */
static double small_push_of_control(const small_control *c, int k)
{
    double length = 0, reach = 0;
    for (int j = 0; j < c->g; j++) {
        const double W = c->W ? AT(c->W, j, j, c->g) : 1, entry = AT(c->reach, k, j, c->least->m);
        length += W * c->u[j] * c->u[j];
        reach += entry * entry / W;
    }
    return sqrt(length * reach);
}

/* The terms of row i set the scale. */
int small_control_missed(const small_control *c, const double *M, const double *Q, const double *Qi, const double *qdd,
                         const double *b, int *which)
{
    const int n = c->natural->n;
    int missed = 0;
    for (int i = 0, k = 0; i < c->m; i++) {
        if (!c->servo[i]) continue;
        double miss = c->target[k], size = fabs(b[i]), rounding = small_push_of_control(c, k);
        for (int j = 0; j < n; j++) {
            size += fabs(AT(c->A, i, j, c->m) * qdd[j]);
            rounding += fabs(AT(c->A, i, j, c->m)) * small_push_on(n, M, Q, Qi, j);
        }
        for (int j = 0; j < c->g; j++) {
            const double term = AT(c->reach, k, j, c->least->m) * c->u[j];
            miss -= term;
            size += fabs(term);
        }
        if (!(fabs(miss) <= SMALL_REACHED * size) && !(fabs(miss) <= SMALL_ROUNDED * rounding)) {
            if (which) which[missed] = i;
            missed++;
        }
        k++;
    }
    return missed;
}
