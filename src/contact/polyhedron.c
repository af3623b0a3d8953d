/* The simplex method on a dense tableau, by Bland's rule: it ends; see room.h. Columns of artificial variables are not
   kept: once they have left they never come back. */
#include "contact/room.h"

#include <math.h>

static double *row_of(const polyhedron *p, size_t r) { return p->T + r * (p->columns + 1); }

static void pivot(polyhedron *p, size_t r, size_t j)
{
    double *own = row_of(p, r);
    const double by = own[j];
    for (size_t k = 0; k <= p->columns; k++) own[k] /= by;
    own[j] = 1;
    for (size_t i = 0; i < p->rows; i++) {
        double *other = row_of(p, i);
        const double f = other[j];
        if (i == r || f == 0) continue;
        for (size_t k = 0; k <= p->columns; k++) other[k] -= f * own[k];
        other[j] = 0;
    }
    p->basis[r] = j;
}

/* The row that bounds column j first; of several the one whose variable comes first. rows: none does. */
static size_t bounding_row(const polyhedron *p, size_t j)
{
    size_t best = p->rows;
    double least = HUGE_VAL;
    for (size_t r = 0; r < p->rows; r++) {
        const double *own = row_of(p, r);
        if (!(own[j] > TOL_CONTACT_PIVOT)) continue;
        const double ratio = fmax(own[p->columns], 0) / own[j];
        if (ratio < least || (ratio == least && p->basis[r] < p->basis[best])) best = r, least = ratio;
    }
    return best;
}

/* First column whose gain is positive, that is not in the basis; columns: none. gain_of: objective, NULL: less of the
   artificial variables. */
static size_t entering(const polyhedron *p, const double *objective)
{
    for (size_t j = 0; j < p->columns; j++) {
        double gain = objective ? objective[j] : 0, size = fabs(gain);
        for (size_t r = 0; r < p->rows; r++) {
            const int is_artificial = p->basis[r] >= p->columns;
            const double weight = objective ? (is_artificial ? 0 : -objective[p->basis[r]]) : is_artificial;
            gain += weight * row_of(p, r)[j];
            size = fmax(size, fabs(weight * row_of(p, r)[j]));
        }
        if (gain > TOL_CONTACT_PIVOT * fmax(size, 1)) return j;
    }
    return p->columns;
}

static size_t most_steps(const polyhedron *p) { return 50 * (p->rows + p->columns + 1); }

static double infeasibility(const polyhedron *p)
{
    double sum = 0;
    for (size_t r = 0; r < p->rows; r++)
        if (p->basis[r] >= p->columns) sum += fabs(row_of(p, r)[p->columns]);
    return sum;
}

/* Artificial variables at 0 leave for any column that has something in their row, or the row is 0 = 0. */
static void drive_out(polyhedron *p)
{
    for (size_t r = 0; r < p->rows; r++) {
        double *own = row_of(p, r), most = 0;
        size_t at = 0;
        if (p->basis[r] < p->columns) continue;
        for (size_t j = 0; j < p->columns; j++)
            if (fabs(own[j]) > most) most = fabs(own[j]), at = j;
        own[p->columns] = 0;
        if (most > TOL_CONTACT_SAME) pivot(p, r, at);
        else
            for (size_t j = 0; j < p->columns; j++) own[j] = 0;
    }
}

int polyhedron_begin(polyhedron *p, double allowed)
{
    double most = 0;
    for (size_t r = 0; r < p->rows; r++) {
        double *own = row_of(p, r);
        const int is_negative = own[p->columns] < 0;
        for (size_t j = 0; j <= p->columns && is_negative; j++) own[j] = -own[j];
        p->basis[r] = p->columns + r;
    }
    for (size_t step = 0; infeasibility(p) > 0; step++) {
        const size_t j = entering(p, NULL);
        if (j == p->columns) break;
        const size_t r = bounding_row(p, j);
        if (r == p->rows) break;
        if (step == most_steps(p)) {
            p->is_doubtful = 1;
            return 0;
        }
        pivot(p, r, j);
    }
    for (size_t r = 0; r < p->rows; r++) most = fmax(most, fabs(row_of(p, r)[p->columns]));
    if (infeasibility(p) > allowed + TOL_SUM * most) return 0;
    drive_out(p);
    return 1;
}

int polyhedron_maximize(polyhedron *p, const double *objective)
{
    for (size_t step = 0; step < most_steps(p); step++) {
        const size_t j = entering(p, objective);
        if (j == p->columns) return 1;
        const size_t r = bounding_row(p, j);
        if (r == p->rows) return 0;
        pivot(p, r, j);
    }
    p->is_doubtful = 1;
    return 1;
}

void polyhedron_point(const polyhedron *p, double *x)
{
    for (size_t j = 0; j < p->columns; j++) x[j] = 0;
    for (size_t r = 0; r < p->rows; r++)
        if (p->basis[r] < p->columns) x[p->basis[r]] = fmax(row_of(p, r)[p->columns], 0);
}
