/* Dry friction at a state; see friction_law.h for the mathematics. */
#include "dynamics/friction_law.h"

#include "base/tolerances.h"

#include <math.h>
#include <string.h>

double friction_dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

double friction_norm(const double *a, size_t count) { return sqrt(friction_dot(a, a, count)); }

/* By elimination with diagonal pivots. */
void friction_solve(size_t count, double G[FRICTION_MOST][FRICTION_MOST], double *x)
{
    size_t order[FRICTION_MOST] = {0, 1, 2}, rank = 0;
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, G[i][i]);
    for (; rank < count; rank++) {
        size_t best = rank;
        for (size_t i = rank + 1; i < count; i++)
            if (G[order[i]][order[i]] > G[order[best]][order[best]]) best = i;
        const size_t p = order[best];
        order[best] = order[rank];
        order[rank] = p;
        if (!(G[p][p] > TOL_FRICTION_PIVOT * largest)) break;
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

int friction_is_on(const friction_law *law, const unsigned char *active)
{
    if (law->row_count == 0) return 1;
    for (size_t i = 0; i < law->row_count; i++)
        if (active[law->rows[i]]) return 1;
    return 0;
}

static const double *friction_w(const friction_law *law, size_t i) { return law->w + i * FRICTION_MOST; }

static const double *friction_column(const friction_state *at, size_t j) { return at->S + j * at->S_height; }

/* w of loading row i by least squares, (S S') w = S A_row'. Returns the part of the row that is left. */
static double friction_see_row(const friction_law *law, const friction_state *at, size_t i)
{
    double G[FRICTION_MOST][FRICTION_MOST] = {{0}}, *w = law->w + i * FRICTION_MOST, left = 0, size = 0;
    const double *row = at->A + law->rows[i];
    memset(w, 0, FRICTION_MOST * sizeof *w);
    for (size_t j = 0; j < at->n; j++) {
        const double *S = friction_column(at, j);
        for (size_t a = 0; a < law->count; a++) {
            for (size_t b = 0; b < law->count; b++) G[a][b] += S[a] * S[b];
            w[a] += S[a] * row[j * at->A_height];
        }
    }
    friction_solve(law->count, G, w);
    for (size_t j = 0; j < at->n; j++) {
        const double entry = row[j * at->A_height], rest = entry - friction_dot(friction_column(at, j), w, law->count);
        left += rest * rest;
        size += entry * entry;
    }
    return size > 0 ? sqrt(left / size) : 0;
}

void friction_find_seen(friction_law *law, const friction_state *at)
{
    for (size_t i = 0; i < law->row_count; i++)
        law->is_seen[i] = law->count > 1 && law->may_be_seen[i] && friction_see_row(law, at, i) < TOL_FRICTION_SURFACE;
}

void friction_see(const friction_law *law, const friction_state *at)
{
    for (size_t i = 0; i < law->row_count; i++)
        if (law->is_seen[i]) law->is_seen[i] = friction_see_row(law, at, i) < TOL_FRICTION_UNSEEN;
}

/* One more direction, by Gram-Schmidt. */
static void friction_add_direction(const friction_law *law, const double *w, friction_normal *normal)
{
    double e[FRICTION_MOST] = {0};
    memcpy(e, w, law->count * sizeof *e);
    friction_remove_normal(law, normal, e);
    const double size = friction_norm(e, law->count);
    if (normal->rank >= law->count || !(size > TOL_FRICTION_SURFACE * friction_norm(w, law->count))) return;
    for (size_t a = 0; a < law->count; a++) normal->basis[normal->rank][a] = e[a] / size;
    normal->rank++;
}

void friction_find_normal(const friction_law *law, const unsigned char *active, friction_normal *normal)
{
    *normal = (friction_normal){.rank = 0};
    for (size_t i = 0; i < law->row_count; i++)
        if (law->is_seen[i] && active[law->rows[i]]) friction_add_direction(law, friction_w(law, i), normal);
}

double friction_remove_normal(const friction_law *law, const friction_normal *normal, double *x)
{
    double removed = 0;
    for (size_t k = 0; k < normal->rank; k++) {
        const double part = friction_dot(normal->basis[k], x, law->count);
        removed += part * part;
        for (size_t a = 0; a < law->count; a++) x[a] -= part * normal->basis[k][a];
    }
    return removed;
}

size_t friction_surface(const friction_law *law, const friction_normal *normal,
                        double basis[FRICTION_MOST][FRICTION_MOST])
{
    friction_normal all = *normal;
    memset(basis, 0, FRICTION_MOST * sizeof *basis);
    while (all.rank < law->count) { /* of the axes that which stands out most */
        double best[FRICTION_MOST] = {0}, most = 0;
        for (size_t axis = 0; axis < law->count; axis++) {
            double e[FRICTION_MOST] = {0};
            e[axis] = 1;
            friction_remove_normal(law, &all, e);
            if (friction_norm(e, law->count) > most) most = friction_norm(e, law->count), memcpy(best, e, sizeof e);
        }
        for (size_t a = 0; a < law->count; a++)
            all.basis[all.rank][a] = basis[all.rank - normal->rank][a] = best[a] / most;
        all.rank++;
    }
    return law->count - normal->rank;
}

double friction_force(const friction_law *law, const unsigned char *active, const double *lambda, double *f)
{
    double unseen = 0;
    memset(f, 0, law->count * sizeof *f);
    for (size_t i = 0; i < law->row_count; i++) {
        const double l = active[law->rows[i]] ? lambda[law->rows[i]] : 0;
        if (!law->is_seen[i]) unseen += l * l;
        for (size_t a = 0; law->is_seen[i] && a < law->count; a++) f[a] += friction_w(law, i)[a] * l;
    }
    return unseen;
}

/* dN/dlambda of what one constraint loads that only pushes. */
static double friction_signed_slope(const friction_law *law)
{
    return (double)law->side * (law->is_seen[0] ? friction_norm(friction_w(law, 0), law->count) : 1);
}

double friction_load(const friction_law *law, const unsigned char *active, const double *lambda)
{
    double f[FRICTION_MOST];
    if (law->row_count == 0) return 1;
    if (law->side) return lambda[law->rows[0]] * friction_signed_slope(law);
    const double unseen = friction_force(law, active, lambda, f);
    return sqrt(friction_dot(f, f, law->count) + unseen);
}

/* N dN/dlambda of loading row i */
static double friction_load_slope(const friction_law *law, const unsigned char *active, const double *lambda, size_t i)
{
    double slope = 0;
    if (!law->is_seen[i]) return lambda[law->rows[i]];
    for (size_t k = 0; k < law->row_count; k++)
        if (law->is_seen[k] && active[law->rows[k]])
            slope += lambda[law->rows[k]] * friction_dot(friction_w(law, i), friction_w(law, k), law->count);
    return slope;
}

void friction_slip(const friction_law *law, const friction_state *at, const double *lambda, double mu, double N,
                   const double *d, double *C, double *dC, double *column)
{
    for (size_t j = 0; j < at->n; j++) {
        /* generalized force of N = 1 along j */
        const double pull = -mu * friction_dot(friction_column(at, j), d, law->count);
        C[j] += pull * N;
        if (column) column[j] = pull * N;
        if (law->side && dC && at->active[law->rows[0]])
            dC[j + law->rows[0] * at->n] += pull * friction_signed_slope(law);
        for (size_t i = 0; dC && !law->side && N > 0 && i < law->row_count; i++)
            if (at->active[law->rows[i]])
                dC[j + law->rows[i] * at->n] += pull * friction_load_slope(law, at->active, lambda, i) / N;
    }
}

/* What coordinate j has to move: its own mass or, where it has none, the largest that a constraint of the friction
   moves with it. */
static double friction_mass(const friction_law *law, const friction_state *at, size_t j)
{
    double mass = fabs(at->M[j + j * at->n]);
    if (mass > 0) return mass;
    for (size_t i = 0; i < law->row_count; i++) {
        const double *A = at->A + law->rows[i];
        for (size_t k = 0; k < at->n && at->active[law->rows[i]]; k++)
            if (A[k * at->A_height] != 0)
                mass = fmax(mass, fabs(at->M[k + k * at->n]) * pow(A[j * at->A_height] / A[k * at->A_height], 2));
    }
    return mass;
}

/* Does a constraint beside those of the friction leave coordinate j next to no mass of its own, as a parameter of Euler
   near 1? What presses on it presses on the constraint. */
static int friction_is_held(const friction_law *law, const friction_state *at, size_t j)
{
    const double mass = fabs(at->M[j + j * at->n]);
    for (size_t i = 0; i < at->rows; i++) {
        const double *A = at->A + i, own = A[j * at->A_height];
        size_t l = 0;
        while (l < law->row_count && law->rows[l] != i) l++;
        if (!at->active[i] || l < law->row_count || own == 0) continue;
        for (size_t k = 0; k < at->n; k++) {
            const double other = A[k * at->A_height];
            if (other != 0 && mass * pow(other / own, 2) < TOL_FRICTION_HELD * fabs(at->M[k + k * at->n])) return 1;
        }
    }
    return 0;
}

/* What presses on coordinate j, term by term, per unit of its mass; own: what the friction itself may press with. */
static double friction_push_on(const friction_state *at, size_t j, double mass, double own, const double *qdd,
                               const double *total)
{
    double sum = fabs(at->Q[j]) + own;
    for (size_t i = 0; i < at->A_height; i++) sum += fabs(at->A[i + j * at->A_height] * total[i]);
    return fabs(qdd[j]) + (mass > 0 ? sum / mass : 0);
}

friction_sizes friction_rate(const friction_law *law, const friction_state *at, const double *b, double bound,
                             const double *qdd, const double *total, double *rate)
{
    double terms[FRICTION_MOST] = {0}, response = 0;
    for (size_t a = 0; a < law->count; a++) rate[a] = -b[a], terms[a] = fabs(b[a]);
    for (size_t j = 0; j < at->n; j++) {
        const double *S = friction_column(at, j), mass = friction_mass(law, at, j), size = friction_norm(S, law->count);
        if (!(size > 0)) continue;
        const double push = friction_push_on(at, j, mass, size * bound, qdd, total);
        for (size_t a = 0; a < law->count; a++) {
            rate[a] += S[a] * qdd[j];
            terms[a] += fabs(S[a]) * push;
        }
        if (mass > 0) response += size * size / mass;
    }
    const double size = friction_norm(terms, law->count);
    return (friction_sizes){.rate = size, .force = response > 0 ? size / response : 0};
}

/* The largest of |x_j| m_j^power: what is worth the same in any unit of its coordinate, for velocities (1/2) and forces
   (-1/2). */
static double friction_largest(const friction_law *law, const friction_state *at, const double *x, double power)
{
    double most = 0;
    for (size_t j = 0; j < at->n; j++) {
        const double mass = friction_mass(law, at, j);
        if (mass > 0 && !(power < 0 && friction_is_held(law, at, j))) most = fmax(most, fabs(x[j]) * pow(mass, power));
    }
    return most;
}

double friction_rest_speed(const friction_law *law, const friction_state *at, const double *V, const double *v)
{
    const double fastest = friction_largest(law, at, v, 0.5), hardest = friction_largest(law, at, at->Q, -0.5);
    double floor[FRICTION_MOST] = {0}, rest[FRICTION_MOST];
    memcpy(rest, V, law->count * sizeof *V);
    for (size_t j = 0; j < at->n; j++) {
        const double *S = friction_column(at, j), root = sqrt(friction_mass(law, at, j));
        const double speed = root > 0 ? fastest / root : fabs(v[j]), rate = root > 0 ? hardest / root : 0;
        for (size_t a = 0; a < law->count; a++) {
            rest[a] -= S[a] * v[j];
            floor[a] += fabs(S[a]) * (TOL_FRICTION_REST * speed + TOL_FRICTION_MOMENT * rate);
        }
    }
    for (size_t a = 0; a < law->count; a++) floor[a] += TOL_FRICTION_REST * fabs(rest[a]); /* of belts and the like */
    return friction_norm(floor, law->count);
}
