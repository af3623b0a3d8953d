/* Dry friction: slip with the total reaction, stick as rows V = 0.
 *
 * V = S q' are the velocities friction acts along. A multiplier of a constraint that loads it is a force;
 * where the row lies in the range of S' (V is the whole velocity of a point), w = V's components of a unit
 * multiplier, A_row = S' w, and the force on the point is w*lambda however the constraint was written.
 * Where it does not (V is a speed along the surface), the multiplier itself is the force: the constraint
 * must then be written as a length. With f the force of all rows on V and P the projector onto the w:
 *     N^2 = |P f|^2 + sum of lambda^2 over the unseen rows        ft = (I - P) f
 * Slip: C = -S' mu N V/|V|.  Stick while |ft| <= mu_s N. */
#include "simulate/sim.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

static double dot3(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static double norm3(const double *a, size_t count) { return sqrt(dot3(a, a, count)); }

mech_status sim_friction_create(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const mech_friction info = mech_system_friction(s->system, k);
        sim_friction *f = &s->friction[k];
        if (info.row_count > SIM_MAX_SLIP) return MECH_ERR_UNSUPPORTED;
        f->count = info.row_count;
        size_t rows = 0, count;
        for (size_t c = 0; c < info.constraint_count; c++) {
            mech_system_constraint_rows(s->system, info.constraints[c], &count);
            rows += count;
        }
        size_t *list = arena_alloc(&s->memory, (rows + 1) * sizeof *list);
        unsigned char *seen = arena_alloc(&s->memory, rows + 1);
        f->w = arena_alloc(&s->memory, (rows + 1) * SIM_MAX_SLIP * sizeof(double));
        if (!list || !seen || !f->w) return MECH_ERR_MEMORY;
        memset(seen, 0, rows + 1);
        f->rows = list;
        f->is_seen = seen;
        for (size_t c = 0; c < info.constraint_count; c++) {
            const size_t first = mech_system_constraint_rows(s->system, info.constraints[c], &count);
            for (size_t i = 0; i < count; i++) list[f->row_count++] = first + i;
        }
    }
    return MECH_OK;
}

/* By elimination with complete pivoting. */
void sim_small_solve(size_t count, double G[SIM_MAX_SLIP][SIM_MAX_SLIP], double r[SIM_MAX_SLIP])
{
    size_t order[SIM_MAX_SLIP] = {0, 1, 2}, rank = 0;
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, G[i][i]);
    for (; rank < count; rank++) { /* diagonal pivots: G is positive semi-definite */
        size_t best = rank;
        for (size_t i = rank + 1; i < count; i++)
            if (G[order[i]][order[i]] > G[order[best]][order[best]]) best = i;
        const size_t swap = order[best];
        order[best] = order[rank];
        order[rank] = swap;
        const size_t p = order[rank];
        if (!(G[p][p] > 1e-12 * largest)) break;
        for (size_t i = rank + 1; i < count; i++) {
            const size_t row = order[i];
            const double factor = G[row][p] / G[p][p];
            for (size_t j = rank; j < count; j++) G[row][order[j]] -= factor * G[p][order[j]];
            r[row] -= factor * r[p];
        }
    }
    for (size_t i = rank; i < count; i++) r[order[i]] = 0;
    for (size_t i = rank; i-- > 0;) {
        const size_t p = order[i];
        for (size_t j = i + 1; j < rank; j++) r[p] -= G[p][order[j]] * r[order[j]];
        r[p] /= G[p][p];
    }
}

/* w of one row by least squares: (S S') w = S A_row'. Returns the part of the row that is left. */
static double see_row(const mech_sim *s, size_t first, size_t count, size_t row, double *w)
{
    double G[SIM_MAX_SLIP][SIM_MAX_SLIP] = {{0}}, r[SIM_MAX_SLIP] = {0}, left = 0, size = 0;
    const double *A = s->A_used;
    for (size_t j = 0; j < s->n; j++) {
        const double *S = A + first + j * s->rows;
        for (size_t a = 0; a < count; a++) {
            for (size_t b = 0; b < count; b++) G[a][b] += S[a] * S[b];
            r[a] += S[a] * A[row + j * s->rows];
        }
    }
    sim_small_solve(count, G, r);
    memcpy(w, r, count * sizeof *w);
    for (size_t j = 0; j < s->n; j++) {
        const double a = A[row + j * s->rows], rest = a - dot3(A + first + j * s->rows, w, count);
        left += rest * rest;
        size += a * a;
    }
    return size > 0 ? sqrt(left / size) : 0;
}

/* w at the point of the last sim_gather_rows. */
static void see_rows(const mech_sim *s, size_t friction)
{
    sim_friction *f = &s->friction[friction];
    const size_t first = s->m + mech_system_friction(s->system, friction).first_row;
    for (size_t i = 0; i < f->row_count; i++)
        if (f->is_seen[i]) see_row(s, first, f->count, f->rows[i], f->w + i * SIM_MAX_SLIP);
}

mech_status sim_friction_begin(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        const mech_friction info = mech_system_friction(s->system, k);
        unsigned char *seen = (unsigned char *)(uintptr_t)f->is_seen;
        f->is_on = 0;
        for (size_t i = 0; i < f->row_count; i++) {
            seen[i] = f->count > 1 &&
                      see_row(s, s->m + info.first_row, f->count, f->rows[i], f->w + i * SIM_MAX_SLIP) < 1e-9;
            if (s->eq->active[f->rows[i]]) f->is_on = 1;
        }
    }
    return MECH_OK;
}

int sim_friction_slips(const mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->friction[k].is_on && !s->friction[k].is_stuck) return 1;
    return 0;
}

int sim_friction_needs_reaction(const mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->friction[k].is_on && s->friction[k].is_stuck) return 1;
    return 0;
}

/* Normal and tangential force from multipliers; stick rows included when stuck. dN: N by lambda of rows. */
static double loads(const mech_sim *s, size_t friction, const double *lambda, double *tangential)
{
    const sim_friction *f = &s->friction[friction];
    const size_t first = s->m + mech_system_friction(s->system, friction).first_row;
    double force[SIM_MAX_SLIP] = {0}, unseen = 0, basis[SIM_MAX_SLIP][SIM_MAX_SLIP] = {{0}};
    size_t rank = 0;
    for (size_t i = 0; i < f->row_count; i++) {
        const double l = s->eq->active[f->rows[i]] ? lambda[f->rows[i]] : 0;
        if (!f->is_seen[i]) {
            unseen += l * l;
            continue;
        }
        double e[SIM_MAX_SLIP]; /* Gram-Schmidt: the normal directions */
        const double *w = f->w + i * SIM_MAX_SLIP;
        for (size_t a = 0; a < f->count; a++) force[a] += w[a] * l, e[a] = w[a];
        for (size_t k = 0; k < rank; k++) {
            const double part = dot3(basis[k], e, f->count);
            for (size_t a = 0; a < f->count; a++) e[a] -= part * basis[k][a];
        }
        const double size = norm3(e, f->count);
        if (rank < f->count && size > 1e-9 * norm3(w, f->count)) {
            for (size_t a = 0; a < f->count; a++) basis[rank][a] = e[a] / size;
            rank++;
        }
    }
    if (f->is_stuck)
        for (size_t a = 0; a < f->count; a++) force[a] += lambda[first + a];
    double normal = unseen;
    for (size_t k = 0; k < rank; k++) {
        const double part = dot3(basis[k], force, f->count);
        normal += part * part;
        for (size_t a = 0; a < f->count; a++) force[a] -= part * basis[k][a];
    }
    if (tangential) memcpy(tangential, force, f->count * sizeof *force);
    return sqrt(normal);
}

/* A stick row V = 0 also holds what the constraint itself holds (V may be the whole velocity of a point), so the least-norm
   multipliers share the load. It belongs to the constraint: the stick's part along its directions w is moved there. */
void sim_friction_hand_back(const mech_sim *s, double *lambda)
{
    enum { SWEEPS = 100 };
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const sim_friction *f = &s->friction[k];
        double *stick = lambda + s->m + mech_system_friction(s->system, k).first_row;
        if (!f->is_on || !f->is_stuck) continue;
        see_rows(s, k);
        double moved = 1;
        for (int sweep = 0; sweep < SWEEPS && moved > 0; sweep++) { /* one is enough where the w are orthogonal */
            moved = 0;
            for (size_t i = 0; i < f->row_count; i++) {
                const double *w = f->w + i * SIM_MAX_SLIP, size = dot3(w, w, f->count);
                if (!f->is_seen[i] || !s->eq->active[f->rows[i]] || !(size > 0)) continue;
                const double part = dot3(w, stick, f->count) / size;
                lambda[f->rows[i]] += part;
                for (size_t a = 0; a < f->count; a++) stick[a] -= part * w[a];
                if (fabs(part) > 1e-15 * fabs(lambda[f->rows[i]])) moved = 1;
            }
        }
    }
}

/* Unit vector of sliding for V; the kept direction below the floor and past a reversal. */
static int sliding_direction(const sim_friction *f, const double *V, double *d)
{
    const double speed = norm3(V, f->count), along = dot3(V, f->direction, f->count);
    const int follows = speed > f->slip_floor && along > 0.5 * speed;
    for (size_t a = 0; a < f->count; a++) d[a] = follows ? V[a] / speed : f->direction[a];
    return follows;
}

int sim_friction_direction(const mech_sim *s, size_t friction, double *d)
{
    return sliding_direction(&s->friction[friction], s->eq->slip + mech_system_friction(s->system, friction).first_row, d);
}

static void one_law(mech_sim *s, size_t k, const double *lambda, double *C, double *dC)
{
    sim_friction *f = &s->friction[k];
    const size_t first = mech_system_friction(s->system, k).first_row;
    double d[SIM_MAX_SLIP];
    see_rows(s, k);
    sliding_direction(f, s->eq->slip + first, d);
    const double mu = s->eq->mu[k], N = loads(s, k, lambda, NULL);
    for (size_t j = 0; j < s->n; j++) {
        const double *S = s->A_used + s->m + first + j * s->rows;
        const double pull = -mu * dot3(S, d, f->count); /* generalized force of N = 1 along j */
        C[j] += pull * N;
        if (!dC) continue;
        for (size_t i = 0; i < f->row_count; i++) {
            const size_t row = f->rows[i];
            if (!s->eq->active[row]) continue;
            double slope = lambda[row]; /* N dN/dlambda */
            if (f->is_seen[i]) {
                slope = 0;
                for (size_t o = 0; o < f->row_count; o++)
                    if (f->is_seen[o] && s->eq->active[f->rows[o]])
                        slope += lambda[f->rows[o]] *
                                 dot3(f->w + i * SIM_MAX_SLIP, f->w + o * SIM_MAX_SLIP, f->count);
            }
            if (N > 0) dC[j + row * s->n] += pull * slope / N;
        }
    }
}

void sim_friction_law(mech_sim *s, const double *lambda, double *C, double *dC)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->friction[k].is_on && !s->friction[k].is_stuck) one_law(s, k, lambda, C, dC);
}

void sim_friction_force(mech_sim *s, size_t k, int with_stick, double *C)
{
    const sim_friction *f = &s->friction[k];
    const size_t first = s->m + mech_system_friction(s->system, k).first_row;
    if (!f->is_on) return;
    if (!f->is_stuck) one_law(s, k, s->total, C, NULL);
    else if (with_stick)
        for (size_t j = 0; j < s->n; j++) C[j] += dot3(s->A_used + first + j * s->rows, s->total + first, f->count);
}

mech_status sim_friction_check(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const double mu = fmin(s->eq->mu[k], s->eq->static_mu[k]);
        if (mu >= 0) continue;
        return sim_fail(s, MECH_ERR_MODEL, "at t = %.10g: the coefficient of friction on %s is %g, and a negative one pushes",
                        *s->eq->t,
                        mech_system_name(s->system, MECH_ITEM_CONSTRAINT,
                                         mech_system_friction(s->system, k).constraints[0]),
                        mu);
    }
    return MECH_OK;
}

double sim_friction_speed(const mech_sim *s, size_t friction)
{
    return norm3(s->eq->slip + mech_system_friction(s->system, friction).first_row,
                 s->friction[friction].count);
}

void sim_friction_follow(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        if (!f->is_on || f->is_stuck) continue;
        const double *V = s->eq->slip + mech_system_friction(s->system, k).first_row;
        double d[SIM_MAX_SLIP];
        sliding_direction(f, V, d);
        memcpy(f->direction, d, sizeof f->direction);
    }
}

/* Slip: speed along the kept direction. Stick: what is left of mu_s N. Both fall through 0 when it ends. */
double sim_friction_value(const mech_sim *s, size_t friction)
{
    const sim_friction *f = &s->friction[friction];
    if (!f->is_on) return 1;
    if (!f->is_stuck)
        return dot3(s->eq->slip + mech_system_friction(s->system, friction).first_row, f->direction,
                    f->count);
    double ft[SIM_MAX_SLIP];
    see_rows(s, friction);
    const double N = loads(s, friction, s->total, ft);
    return s->eq->static_mu[friction] * N - norm3(ft, f->count);
}

/* V' = slip_A q'' - slip_b along the kept direction. */
static double sliding_acceleration(const mech_sim *s, size_t friction)
{
    const sim_friction *f = &s->friction[friction];
    const size_t first = mech_system_friction(s->system, friction).first_row;
    double sum = 0;
    for (size_t a = 0; a < f->count; a++) {
        double rate = -s->eq->slip_b[first + a];
        for (size_t j = 0; j < s->n; j++) rate += s->A_used[s->m + first + a + j * s->rows] * s->qdd[j];
        sum += rate * f->direction[a];
    }
    return sum;
}

static mech_status stick(mech_sim *s, size_t friction)
{
    s->friction[friction].is_stuck = 1;
    sim_update_active(s);
    return sim_accelerate(s, s->t, s->y);
}

mech_status sim_friction_settle(mech_sim *s, size_t friction, int has_given_way)
{
    sim_friction *f = &s->friction[friction];
    if (!f->is_on) return MECH_OK;
    const int was_stuck = f->is_stuck;
    MECH_TRY(stick(s, friction));
    double ft[SIM_MAX_SLIP];
    see_rows(s, friction);
    const double N = loads(s, friction, s->total, ft), pull = norm3(ft, f->count);
    const double bound = s->eq->static_mu[friction] * N;
    /* at the end of stick the two are equal to rounding: then it slips */
    const int holds = has_given_way ? pull < bound * (1 - 1e-9) : pull <= bound * (1 + 1e-12);
    const char *name = mech_system_name(s->system, MECH_ITEM_CONSTRAINT,
                                        mech_system_friction(s->system, friction).constraints[0]);
    if (holds || pull == 0) {
        MECH_TRY(sim_project_velocity(s, s->t, s->y));
        if (was_stuck) return MECH_OK;
        return sim_happened(s, MECH_HAPPENED_STICK, name, "friction on %s sticks", name);
    }
    f->is_stuck = 0;
    sim_update_active(s);
    for (size_t a = 0; a < f->count; a++) f->direction[a] = -ft[a] / pull;
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    if (sliding_acceleration(s, friction) < 0) { /* sliding would be pushed back at once: it stays */
        MECH_TRY(stick(s, friction));
        return sim_project_velocity(s, s->t, s->y);
    }
    if (!was_stuck && !has_given_way) return MECH_OK; /* it only turned round */
    return sim_happened(s, MECH_HAPPENED_SLIP, name, "friction on %s slips", name);
}

/* At the start and after anything sudden: what slides keeps sliding, what rests is settled. */
mech_status sim_friction_settle_all(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        sim_friction *f = &s->friction[k];
        f->is_on = 0;
        for (size_t i = 0; i < f->row_count; i++)
            if (s->eq->active[f->rows[i]]) f->is_on = 1;
        sim_update_active(s);
        mech_status status = mech_eval_position(s->eval, s->t, s->y);
        if (status == MECH_OK) status = mech_eval_velocity(s->eval, s->y + s->n);
        if (status != MECH_OK) return sim_remember(s, status);
        const double *V = s->eq->slip + mech_system_friction(s->system, k).first_row;
        const double speed = norm3(V, f->count);
        double scale = 0;
        for (size_t i = 0; i < s->n; i++) scale = fmax(scale, fabs(s->y[s->n + i]));
        f->slip_floor = 1e-9 * fmax(scale, f->slip_floor * 1e9);
        if (f->slip_floor == 0) f->slip_floor = s->settings.atol;
        if (speed > f->slip_floor) {
            f->is_stuck = 0;
            for (size_t a = 0; a < f->count; a++) f->direction[a] = V[a] / speed;
            sim_update_active(s);
        } else {
            MECH_TRY(sim_friction_settle(s, k, 0));
        }
    }
    return MECH_OK;
}
