/* Dry friction at one instant. V = S q' are the velocities friction acts along; the convention of its load is
   that of a run (decision 0005). Where the row of a constraint lies in the range of S' its multiplier shows
   as a force w lambda on V, A_row = S' w; where it does not, the multiplier itself is a load. With f the sum
   of the w lambda, and P the projector onto the w:  N^2 = |P f|^2 + sum of lambda^2 over the unseen rows.

   Sliding: C = -S' mu N V/|V|. At rest the rows (I - P) V = 0 are imposed: the directions that the
   constraints already hold are left to them, so that their multipliers stay unique. They hold while |ft| <=
   mu_s N. */
#include "system/instant.h"

#include <math.h>
#include <string.h>

static double inner(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static double norm(const double *a, size_t count) { return sqrt(inner(a, a, count)); }

static const double *S_column(const mech_instant *s, const instant_friction *f, size_t j)
{
    return s->S + f->first + j * s->sizes.friction_rows;
}

/* x = G^+ x for a small semi-definite G by elimination with diagonal pivots; directions in which G is 0 get 0
 */
static void least_squares(size_t count, double G[INSTANT_MAX_SLIP][INSTANT_MAX_SLIP], double *x)
{
    size_t order[INSTANT_MAX_SLIP] = {0, 1, 2}, rank = 0;
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, G[i][i]);
    for (; rank < count; rank++) {
        size_t best = rank;
        for (size_t i = rank + 1; i < count; i++)
            if (G[order[i]][order[i]] > G[order[best]][order[best]]) best = i;
        const size_t p = order[best];
        order[best] = order[rank];
        order[rank] = p;
        if (!(G[p][p] > 1e-12 * largest)) break;
        for (size_t i = rank + 1; i < count; i++) {
            const size_t row = order[i];
            const double factor = G[row][p] / G[p][p];
            for (size_t j = rank; j < count; j++) G[row][order[j]] -= factor * G[p][order[j]];
            x[row] -= factor * x[p];
        }
    }
    for (size_t i = rank; i < count; i++) x[order[i]] = 0;
    for (size_t i = rank; i-- > 0;) {
        const size_t p = order[i];
        for (size_t j = i + 1; j < rank; j++) x[p] -= G[p][order[j]] * x[order[j]];
        x[p] /= G[p][p];
    }
}

/* w of one row: S' w = A_row' by least squares. Returns the part of the row that is left. */
static double see_row(const mech_instant *s, const instant_friction *f, size_t row, double *w)
{
    double G[INSTANT_MAX_SLIP][INSTANT_MAX_SLIP] = {{0}}, left = 0, size = 0;
    memset(w, 0, INSTANT_MAX_SLIP * sizeof *w);
    for (size_t j = 0; j < s->n; j++) {
        const double *S = S_column(s, f, j);
        for (size_t a = 0; a < f->count; a++) {
            for (size_t b = 0; b < f->count; b++) G[a][b] += S[a] * S[b];
            w[a] += S[a] * s->A[row + j * s->rows];
        }
    }
    least_squares(f->count, G, w);
    for (size_t j = 0; j < s->n; j++) {
        const double entry = s->A[row + j * s->rows], rest = entry - inner(S_column(s, f, j), w, f->count);
        left += rest * rest;
        size += entry * entry;
    }
    return size > 0 ? sqrt(left / size) : 0;
}

/* One more normal direction, by Gram-Schmidt. */
static void add_direction(instant_friction *f, const double *w)
{
    double e[INSTANT_MAX_SLIP] = {0};
    memcpy(e, w, f->count * sizeof *e);
    for (size_t k = 0; k < f->rank; k++) {
        const double part = inner(f->basis[k], e, f->count);
        for (size_t a = 0; a < f->count; a++) e[a] -= part * f->basis[k][a];
    }
    const double size = norm(e, f->count);
    if (f->rank >= f->count || !(size > 1e-9 * norm(w, f->count))) return;
    for (size_t a = 0; a < f->count; a++) f->basis[f->rank][a] = e[a] / size;
    f->rank++;
}

static void see_rows(const mech_instant *s, instant_friction *f)
{
    f->rank = 0;
    for (size_t i = 0; i < f->loading_count; i++) {
        double *w = f->w + i * INSTANT_MAX_SLIP;
        f->is_seen[i] = f->count > 1 && see_row(s, f, f->loading[i], w) < 1e-9;
        if (f->is_seen[i] && s->eq->active[f->loading[i]]) add_direction(f, w);
    }
}

/* x = (I - P) x */
static void remove_normal(const instant_friction *f, double *x)
{
    for (size_t k = 0; k < f->rank; k++) {
        const double part = inner(f->basis[k], x, f->count);
        for (size_t a = 0; a < f->count; a++) x[a] -= part * f->basis[k][a];
    }
}

static double load(const mech_instant *s, const instant_friction *f, const double *total)
{
    double force[INSTANT_MAX_SLIP] = {0}, unseen = 0;
    for (size_t i = 0; i < f->loading_count; i++) {
        const double l = s->eq->active[f->loading[i]] ? total[f->loading[i]] : 0;
        if (!f->is_seen[i]) unseen += l * l;
        for (size_t a = 0; f->is_seen[i] && a < f->count; a++) force[a] += f->w[i * INSTANT_MAX_SLIP + a] * l;
    }
    return sqrt(inner(force, force, f->count) + unseen);
}

/* dN/dlambda of loading row i, times N */
static double load_slope(const mech_instant *s, const instant_friction *f, const double *total, size_t i)
{
    double slope = 0;
    if (!f->is_seen[i]) return total[f->loading[i]];
    for (size_t k = 0; k < f->loading_count; k++)
        if (f->is_seen[k] && s->eq->active[f->loading[k]])
            slope += total[f->loading[k]] *
                     inner(f->w + i * INSTANT_MAX_SLIP, f->w + k * INSTANT_MAX_SLIP, f->count);
    return slope;
}

static mech_instant_law *law_of(const mech_instant *s, size_t friction)
{
    return &s->law[s->sizes.laws + friction];
}

static int slides(const mech_instant_law *law)
{
    return law->mode == MECH_FRICTION_SLIDES || law->mode == MECH_FRICTION_GIVES_WAY;
}

void instant_friction_begin(mech_instant *s)
{
    double fastest = 0;
    for (size_t i = 0; i < s->n; i++) fastest = fmax(fastest, fabs(s->eq->v[i]));
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        instant_friction *f = &s->friction[k];
        mech_instant_law *law = law_of(s, k);
        const double *V = s->eq->slip + f->first, speed = norm(V, f->count);
        see_rows(s, f);
        law->is_on = 0;
        for (size_t i = 0; i < f->loading_count; i++) law->is_on |= s->eq->active[f->loading[i]];
        law->speed = speed;
        law->asked = law->allowed = 0;
        law->mode = !law->is_on                           ? MECH_FRICTION_OFF
                    : speed > fmax(1e-9 * fastest, 1e-12) ? MECH_FRICTION_SLIDES
                                                          : MECH_FRICTION_HOLDS;
        f->is_forced = 0;
        for (size_t a = 0; a < f->count; a++) f->direction[a] = speed > 0 ? V[a] / speed : 0;
    }
}

int instant_friction_slides(const mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (slides(law_of(s, k))) return 1;
    return 0;
}

static void one_law(const mech_instant *s, size_t k, const double *total, double *C, double *dC,
                    double *column)
{
    const instant_friction *f = &s->friction[k];
    const double N = load(s, f, total);
    for (size_t j = 0; j < s->n; j++) {
        const double pull = -s->eq->mu[k] * inner(S_column(s, f, j), f->direction, f->count);
        C[j] += pull * N;
        if (column) column[j] = pull * N;
        for (size_t i = 0; dC && N > 0 && i < f->loading_count; i++)
            if (s->eq->active[f->loading[i]])
                dC[j + f->loading[i] * s->n] += pull * load_slope(s, f, total, i) / N;
    }
}

void instant_friction_law(const mech_instant *s, const double *total, double *C, double *dC, double *columns)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        double *column = columns ? columns + k * s->n : NULL;
        if (column) memset(column, 0, s->n * sizeof *column);
        if (slides(law_of(s, k))) one_law(s, k, total, C, dC, column);
    }
}

void instant_friction_rows(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const instant_friction *f = &s->friction[k];
        const int holds = law_of(s, k)->mode == MECH_FRICTION_HOLDS;
        double x[INSTANT_MAX_SLIP] = {0};
        for (size_t j = 0; j < s->n; j++) {
            memcpy(x, S_column(s, f, j), f->count * sizeof *x);
            remove_normal(f, x);
            for (size_t a = 0; a < f->count; a++) s->A[s->m + f->first + a + j * s->rows] = holds ? x[a] : 0;
        }
        memcpy(x, s->eq->slip_b + f->first, f->count * sizeof *x);
        remove_normal(f, x);
        for (size_t a = 0; a < f->count; a++) {
            const size_t row = s->m + f->first + a;
            s->b[row] = holds ? x[a] : 0;
            s->active[row] = s->natural[row] = (unsigned char)holds;
            s->servo[row] = 0;
        }
    }
}

/* what the rows V = 0 need of friction */
static double needed(const mech_instant *s, const instant_friction *f, double *ft)
{
    memcpy(ft, s->total + s->m + f->first, f->count * sizeof *ft);
    remove_normal(f, ft);
    return norm(ft, f->count);
}

/* V' along the direction in which it would slide */
static double sliding_acceleration(const mech_instant *s, const instant_friction *f)
{
    double sum = -inner(s->eq->slip_b + f->first, f->direction, f->count);
    for (size_t j = 0; j < s->n; j++) sum += inner(S_column(s, f, j), f->direction, f->count) * s->qdd[j];
    return sum;
}

int instant_friction_settle(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        instant_friction *f = &s->friction[k];
        mech_instant_law *law = law_of(s, k);
        double ft[INSTANT_MAX_SLIP] = {0};
        if (law->mode == MECH_FRICTION_GIVES_WAY && sliding_acceleration(s, f) < 0) {
            law->mode = MECH_FRICTION_HOLDS;
            f->is_forced = 1;
            return 1;
        }
        if (law->mode != MECH_FRICTION_HOLDS || f->is_forced) continue;
        const double pull = needed(s, f, ft), bound = s->eq->static_mu[k] * load(s, f, s->total);
        law->asked = pull;
        law->allowed = bound;
        if (pull <= bound * (1 + 1e-12) || !(pull > 0)) continue;
        law->mode = MECH_FRICTION_GIVES_WAY;
        for (size_t a = 0; a < f->count; a++) f->direction[a] = -ft[a] / pull;
        return 1;
    }
    return 0;
}

void instant_friction_report(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const instant_friction *f = &s->friction[k];
        mech_instant_law *law = law_of(s, k);
        double ft[INSTANT_MAX_SLIP] = {0};
        law->normal = load(s, f, s->total);
        law->bound = (law->mode == MECH_FRICTION_HOLDS ? s->eq->static_mu[k] : s->eq->mu[k]) * law->normal;
        law->tangential = law->mode == MECH_FRICTION_OFF ? 0 : law->bound;
        if (law->mode == MECH_FRICTION_HOLDS) law->tangential = needed(s, f, ft);
    }
}
