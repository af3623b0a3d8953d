/* One-sided constraints at a state; see sides.h. Without friction the motion is unique, and changing the first that is
   on the wrong side comes to an end (Murty 1974). Where one of them loads friction neither holds: there all sets are
   tried. */
#include "dynamics/sides.h"

#include "base/try.h"
#include "base/tolerances.h"

#include <math.h>

/* ---- where it stands ---- */

/* Sums of |entry x| over a row, and of |entry|. */
static double row_size(const mech_system *system, const double *entries, size_t row, const double *x, double *weight)
{
    const mech_pattern A = mech_system_pattern(system, MECH_MATRIX_A);
    double sum = 0;
    *weight = 0;
    for (size_t k = 0; k < A.count; k++) {
        if (A.row[k] != row) continue;
        sum += fabs(entries[k] * x[A.column[k]]);
        *weight += fabs(entries[k]);
    }
    return sum;
}

int side_has_gap(const mech_system *system, size_t constraint)
{
    return mech_system_row(system, mech_system_constraint_rows(system, constraint, NULL)).level == MECH_LEVEL_HOLONOMIC;
}

double side_excess(const mech_system *system, const mech_equation *eq, size_t constraint)
{
    const size_t row = mech_system_constraint_rows(system, constraint, NULL);
    return side_has_gap(system, constraint) ? eq->r[row] : eq->r_dot[row];
}

double side_atol(mech_eval *eval)
{
    double atol;
    return mech_eval_option(eval, "atol", &atol, NULL) && atol > 0 ? atol : TOL_ATOL;
}

mech_side side_at(const mech_system *system, const mech_equation *eq, size_t constraint, double speed, double atol)
{
    const int side = mech_system_side(system, constraint);
    const size_t row = mech_system_constraint_rows(system, constraint, NULL);
    double weight;
    if (!side) return MECH_SIDE_NONE;
    const int has_gap = side_has_gap(system, constraint);
    if (has_gap) {
        const double near = TOL_TOUCH * row_size(system, eq->gradient, row, eq->q, &weight);
        const double gap = side * eq->r[row], most = near + 10 * atol * weight;
        if (gap < -most) return MECH_SIDE_BEYOND;
        if (gap > most) return MECH_SIDE_OPEN;
    }
    const double near = TOL_TOUCH * row_size(system, eq->A, row, eq->v, &weight);
    const double rate = side * eq->r_dot[row], slow = fmax(speed, near + 10 * atol * weight);
    if (rate > slow) return MECH_SIDE_OPEN;
    if (rate < -slow) return has_gap ? MECH_SIDE_STRIKES : MECH_SIDE_BEYOND;
    return MECH_SIDE_TOUCHES;
}

/* ---- which of those that touch press ---- */

static size_t row_of(const sides *p, size_t i)
{
    return mech_system_constraint_rows(p->d->system, p->constraint[i], NULL);
}

static int is_in_force(const sides *p, size_t i) { return p->d->eq->active[row_of(p, i)] != 0; }

/* What the applied force alone would accelerate a coordinate by, about: where contacts hold all of it q'' is rounding,
   and this is what that is to be compared with. */
static double driven(const sides *p, size_t coord)
{
    const mech_pattern M = mech_system_pattern(p->d->system, MECH_MATRIX_M);
    for (size_t k = 0; k < M.count; k++)
        if (M.row[k] == coord && M.column[k] == coord && p->d->eq->M[k] > 0)
            return fabs(p->d->eq->Q[coord] / p->d->eq->M[k]);
    return 0;
}

/* What r'' is, and what it is made of. */
static double acceleration(const sides *p, size_t row, double *size)
{
    const mech_pattern A = mech_system_pattern(p->d->system, MECH_MATRIX_A);
    double sum = -p->d->eq->b[row];
    *size = fabs(sum);
    for (size_t k = 0; k < A.count; k++) {
        if (A.row[k] != row) continue;
        const double part = p->d->eq->A[k] * p->d->qdd[A.column[k]];
        sum += part;
        *size += fabs(part) + fabs(p->d->eq->A[k]) * driven(p, A.column[k]);
    }
    return sum;
}

/* The first that pulls, or sinks in, by more than rounding in the motion solved last; count: none does. */
static size_t first_wrong(const sides *p)
{
    double most = 0, size;
    for (size_t i = 0; i < p->d->m; i++) most = fmax(most, p->d->active[i] ? fabs(p->d->total[i]) : 0);
    for (size_t i = 0; i < p->count; i++) {
        const size_t row = row_of(p, i);
        const int side = mech_system_side(p->d->system, p->constraint[i]);
        if (is_in_force(p, i)) {
            if (side * p->d->total[row] < -TOL_PRESSES * most) return i;
        } else {
            const double part = p->leaves && p->leaves[p->constraint[i]] ? TOL_SEPARATES : TOL_PRESSES;
            const double sinks = -side * acceleration(p, row, &size);
            if (sinks > part * size) return i;
        }
    }
    return p->count;
}

/* A force along a coordinate that the row acts on, as its multiplier: what its own is to be compared with. */
static double load_scale(const sides *p, size_t row)
{
    const mech_pattern A = mech_system_pattern(p->d->system, MECH_MATRIX_A);
    double most = 0;
    for (size_t i = 0; i < p->d->m; i++) most = fmax(most, p->d->active[i] ? fabs(p->d->total[i]) : 0);
    for (size_t k = 0; k < A.count; k++)
        if (A.row[k] == row && p->d->eq->A[k] != 0) most = fmax(most, fabs(p->d->eq->Q[A.column[k]] / p->d->eq->A[k]));
    return most;
}

/* What touches and bears nothing is left out of force: the motion is the same, and a reaction that stays 0 would be
   watched in vain. */
static mech_status leave_idle(const sides *p)
{
    int some = 0;
    for (size_t i = 0; i < p->count; i++) {
        const size_t row = row_of(p, i);
        if (!is_in_force(p, i) || (p->stays && p->stays[p->constraint[i]])) continue;
        if (fabs(p->d->total[row]) > TOL_PRESSES * load_scale(p, row)) continue;
        p->put(p->user, p->constraint[i], 0);
        some = 1;
    }
    return some ? p->solve(p->user) : MECH_OK;
}

static mech_status change_sides(const sides *p, sides_found *found)
{
    enum { MOST = 10000 };
    for (int turn = 0; turn < MOST; turn++) {
        MECH_TRY(p->solve(p->user));
        const size_t wrong = first_wrong(p);
        found->is_found = wrong == p->count;
        if (found->is_found) return MECH_OK;
        p->put(p->user, p->constraint[wrong], !is_in_force(p, wrong));
    }
    return MECH_OK;
}

/* Does friction look at the reaction of one of them? */
static int load_friction(const sides *p)
{
    for (size_t k = 0; k < p->d->sizes.frictions; k++)
        for (size_t r = 0; r < p->d->friction[k].law.row_count; r++)
            for (size_t i = 0; i < p->count; i++)
                if (p->d->friction[k].law.rows[r] == row_of(p, i)) return 1;
    return 0;
}

/* What a set of contacts without a motion ends with. */
static int is_of_choice(mech_status status)
{
    return status == MECH_ERR_NOT_REALISABLE || status == MECH_ERR_NO_REACTION || status == MECH_ERR_MANY_REACTIONS;
}

/* Sets as bits. */
static unsigned set_now(const sides *p)
{
    unsigned set = 0;
    for (size_t i = 0; i < p->count; i++) set |= (unsigned)is_in_force(p, i) << i;
    return set;
}

static void put_set(const sides *p, unsigned set)
{
    for (size_t i = 0; i < p->count; i++) p->put(p->user, p->constraint[i], (set >> i) & 1);
}

static int bits_of(unsigned set)
{
    int count = 0;
    for (; set; set &= set - 1) count++;
    return count;
}

/* How a set differs from that in force; of two as near the one with more in force. */
static int distance(unsigned set, unsigned from) { return 16 * bits_of(set ^ from) + 8 - bits_of(set); }

/* Do two motions differ along the contacts? rates: r'' of each. */
static int is_same(const sides *p, const double *rates, double *sizes)
{
    int same = 1;
    for (size_t i = 0; i < p->count; i++) {
        double size;
        const double rate = acceleration(p, row_of(p, i), &size);
        same &= fabs(rate - rates[i]) <= TOL_SAME_MOTION * fmax(size, sizes[i]);
    }
    return same;
}

static mech_status try_all(const sides *p, sides_found *found)
{
    const unsigned from = set_now(p), end = 1u << p->count;
    unsigned best = 0;
    double rates[SIDES_ALL], sizes[SIDES_ALL];
    mech_status last = MECH_OK;
    for (unsigned set = 0; set < end; set++) {
        put_set(p, set);
        const mech_status status = p->solve(p->user);
        if (status != MECH_OK && !is_of_choice(status)) return status;
        if (status == MECH_ERR_MANY_REACTIONS) last = status;
        if (status != MECH_OK || first_wrong(p) < p->count) continue;
        if (!found->motions) {
            for (size_t i = 0; i < p->count; i++) rates[i] = acceleration(p, row_of(p, i), &sizes[i]);
            found->motions = 1;
            best = set;
        } else {
            if (!is_same(p, rates, sizes)) found->motions++;
            if (distance(set, from) < distance(best, from)) best = set;
        }
    }
    found->is_found = found->motions > 0;
    put_set(p, found->is_found ? best : from);
    if (!found->is_found) return last;
    return p->solve(p->user);
}

int sides_stand(const sides *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (is_in_force(p, i) && fabs(p->d->total[row_of(p, i)]) <= TOL_PRESSES * load_scale(p, row_of(p, i))) return 0;
    return first_wrong(p) == p->count;
}

mech_status sides_choose(const sides *p, sides_found *found)
{
    const int has_friction = load_friction(p);
    *found = (sides_found){.is_examined = !has_friction || p->count <= SIDES_ALL};
    if (has_friction && p->count <= SIDES_ALL) MECH_TRY(try_all(p, found));
    else MECH_TRY(change_sides(p, found));
    if (found->is_found && !found->motions) found->motions = 1;
    return found->is_found ? leave_idle(p) : MECH_OK;
}
