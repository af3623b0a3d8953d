/* Newton's method on the laws as projections, for any contacts and cones in space (Alart and Curnier):

       ln = max(0, ln - wn),   lt = P(lt - wt),  P onto the disk of radius mu max(0, ln - wn) + bias

   It is piecewise smooth; a step goes only as far as it lessens the residual. Starts: Lemke's method with cones of four
   edges, then sweeps contact by contact. What is found meets the laws whatever way it was found. */
#include "contact/room.h"

#include <math.h>
#include <string.h>

enum { STEPS = 60, HALVINGS = 12, SWEEPS = 200, STARTS = 8, BOLD_STEPS = 12, GRADES = 16 };

typedef struct search {
    contact_room *room;
    const part *s;
    const double *bias;
    double *l, *w, *F;
} search;

static size_t tangents_of(const part *s, size_t i) { return s->first[i + 1] - s->first[i] - 1; }

static int has_friction(const part *s, size_t i) { return s->kind[i] == KIND_PLANAR || s->kind[i] == KIND_CONE; }

/* What contact i's forces should be by its own law, with l and w as they are. */
static void project(const search *q, size_t i, const double *l, const double *w, double *to)
{
    const part *s = q->s;
    const size_t tangents = tangents_of(s, i);
    double y[CONTACT_TANGENTS] = {0};
    const double pressed = fmax(0, l[0] - w[0]);
    to[0] = pressed;
    for (size_t t = 0; t < tangents; t++) {
        y[t] = l[t + 1] - w[t + 1];
        to[t + 1] = s->kind[i] == KIND_SLIDER ? -s->mu[i] * s->d[CONTACT_TANGENTS * i + t] * l[0] : 0;
    }
    if (!has_friction(s, i)) return;
    const double bound = s->mu[i] * pressed + (q->bias ? q->bias[i] : 0), length = hypot(y[0], y[1]);
    for (size_t t = 0; t < tangents; t++) to[t + 1] = length > bound ? bound * y[t] / length : y[t];
}

/* F = l - projection, and its largest entry by the size of the problem. */
static double look(search *q)
{
    const part *s = q->s;
    double worst = 0, most = s->scale, to[1 + CONTACT_TANGENTS];
    part_motion(s, q->l, q->w);
    for (size_t i = 0; i < s->contacts; i++) {
        const size_t first = s->first[i];
        project(q, i, q->l + first, q->w + first, to);
        for (size_t r = first; r < s->first[i + 1]; r++) {
            q->F[r] = q->l[r] - to[r - first];
            worst = fmax(worst, fabs(q->F[r]));
            most = fmax(most, fabs(q->l[r]));
        }
    }
    return most > 0 ? worst / most : 0;
}

static double length_of(const search *q)
{
    double sum = 0;
    for (size_t r = 0; r < q->s->rows; r++) sum += q->F[r] * q->F[r];
    return sqrt(sum);
}

/* J = dF/dl, column-major in room->lu. */
static void differentiate(const search *q, double *J)
{
    const part *s = q->s;
    const size_t n = s->rows;
    memset(J, 0, n * n * sizeof *J);
    for (size_t i = 0; i < s->contacts; i++) {
        const size_t first = s->first[i], tangents = tangents_of(s, i);
        const int presses = q->l[first] - q->w[first] > 0;
        double y[CONTACT_TANGENTS] = {0};
        for (size_t t = 0; t < tangents; t++) y[t] = q->l[first + 1 + t] - q->w[first + 1 + t];
        const double length = hypot(y[0], y[1]);
        const double bound = s->mu[i] * (presses ? q->l[first] - q->w[first] : 0) + (q->bias ? q->bias[i] : 0);
        for (size_t c = 0; c < n; c++) {
            const double *W = s->W + c * n;
            J[first + c * n] = presses ? W[first] : c == first;
            for (size_t t = 0; t < tangents; t++) {
                const size_t r = first + 1 + t;
                double *own = &J[r + c * n];
                *own = c == r;
                if (s->kind[i] == KIND_SLIDER && c == first) *own += s->mu[i] * s->d[CONTACT_TANGENTS * i + t];
                if (!has_friction(s, i)) continue;
                if (length <= bound) {
                    *own = W[r];
                    continue;
                }
                double along = 0;
                for (size_t k = 0; k < tangents; k++)
                    along += y[k] / length * ((c == first + 1 + k) - W[first + 1 + k]);
                *own -= bound / length * ((c == r) - W[r] - along * y[t] / length);
                if (presses) *own -= s->mu[i] * y[t] / length * ((c == first) - W[first]);
            }
        }
    }
}

/* (J' J + damping) step = -J' F, into room->x: what J leaves open is left. */
static void damped_step(const search *q)
{
    contact_room *room = q->room;
    const size_t n = q->s->rows;
    double *A = room->A, *J = room->lu, most = 0;
    for (size_t c = 0; c < n; c++) {
        double *b = &room->b[c];
        *b = 0;
        for (size_t r = 0; r < n; r++) *b -= J[r + c * n] * q->F[r];
        for (size_t k = 0; k < n; k++) {
            double sum = 0;
            for (size_t r = 0; r < n; r++) sum += J[r + c * n] * J[r + k * n];
            A[k + c * n] = sum;
        }
        most = fmax(most, A[c + c * n]);
    }
    for (size_t c = 0; c < n; c++) A[c + c * n] += TOL_CONTACT_DAMPING * most;
    if (gauss_factor(n, A, room->pivot_row, room->pivot_column, 0) == n)
        gauss_solve(n, A, room->pivot_row, room->pivot_column, room->b, room->x);
    else memset(room->x, 0, n * sizeof *room->x);
}

static void find_step(const search *q)
{
    contact_room *room = q->room;
    const size_t n = q->s->rows;
    differentiate(q, room->lu);
    memcpy(room->A, room->lu, n * n * sizeof *room->A);
    for (size_t r = 0; r < n; r++) room->b[r] = -q->F[r];
    if (gauss_factor(n, room->A, room->pivot_row, room->pivot_column, TOL_CONTACT_RANK) == n)
        gauss_solve(n, room->A, room->pivot_row, room->pivot_column, room->b, room->x);
    else damped_step(q);
}

/* From q->l; its residual. A corner that no step leads down from is passed by a few whole steps, and the best is
   kept. */
static double descend(search *q)
{
    const size_t n = q->s->rows, bytes = n * sizeof(double);
    double *from = q->room->work[3], *best = q->room->work[7], residual = look(q), least = residual;
    int bold = 0;
    memcpy(best, q->l, bytes);
    for (int step = 0; step < STEPS && residual > TOL_CONTACT_NEWTON; step++) {
        const double before = length_of(q);
        double fraction = 1;
        find_step(q);
        memcpy(from, q->l, bytes);
        for (int k = 0; k <= HALVINGS; k++, fraction /= 2) {
            for (size_t r = 0; r < n; r++) q->l[r] = from[r] + fraction * q->room->x[r];
            residual = look(q);
            if (length_of(q) < before) break;
        }
        if (!(length_of(q) < before)) {
            if (++bold > BOLD_STEPS) break;
            for (size_t r = 0; r < n; r++) q->l[r] = from[r] + q->room->x[r];
            residual = look(q);
        }
        if (residual < least) least = residual, memcpy(best, q->l, bytes);
    }
    memcpy(q->l, best, bytes);
    return look(q);
}

/* Each contact in turn takes the force its law asks for: slow, and seldom stuck. */
static void sweep(search *q)
{
    const part *s = q->s;
    double to[1 + CONTACT_TANGENTS];
    for (int k = 0; k < SWEEPS; k++)
        for (size_t i = 0; i < s->contacts; i++) {
            const size_t first = s->first[i];
            part_motion(s, q->l, q->w);
            project(q, i, q->l + first, q->w + first, to);
            for (size_t r = first; r < s->first[i + 1]; r++) q->l[r] = to[r - first];
        }
}

/* Friction comes on by degrees, each answer the start of the next. */
static double by_degrees(search *q)
{
    part *s = &q->room->now;
    double *mu = s->mu, *less = q->room->work[0], residual = HUGE_VAL;
    const double *bias = q->bias;
    if (bias) return HUGE_VAL;
    memset(q->l, 0, s->rows * sizeof *q->l);
    s->mu = less;
    for (int grade = 0; grade <= GRADES; grade++) {
        for (size_t i = 0; i < s->contacts; i++) less[i] = mu[i] * grade / GRADES;
        residual = descend(q);
    }
    s->mu = mu;
    return residual;
}

int newton_forces(contact_room *room, const double *bias, double *l, double *residual)
{
    search q = {.room = room, .s = &room->now, .bias = bias, .l = l, .w = room->work[4], .F = room->work[5]};
    double *best = room->work[6], least = HUGE_VAL;
    for (int start = 0; start < STARTS; start++) {
        if (start == 0 && !lemke_forces(room, bias, l)) continue;
        if (start == 1 || start == 2) memset(l, 0, q.s->rows * sizeof *l);
        if (start >= 2) sweep(&q);
        *residual = start == STARTS - 1 ? by_degrees(&q) : descend(&q);
        if (*residual <= TOL_CONTACT) return 1;
        if (*residual < least) least = *residual, memcpy(best, l, q.s->rows * sizeof *l);
    }
    memcpy(l, best, q.s->rows * sizeof *l);
    *residual = least;
    return 0;
}

/* Modes by what the forces do. */
static void name_modes(const part *s, found_motion *f)
{
    double most = s->scale;
    for (size_t r = 0; r < s->rows; r++) most = fmax(most, fabs(f->l[r]));
    for (size_t i = 0; i < s->contacts; i++) {
        const double *l = f->l + s->first[i], *w = f->w + s->first[i], none = TOL_CONTACT * most;
        const double speed = tangents_of(s, i) ? hypot(w[1], tangents_of(s, i) > 1 ? w[2] : 0) : 0;
        const int may_hold = s->kind[i] == KIND_SMOOTH || (has_friction(s, i) && speed <= none);
        const int is_open = l[0] <= none && (w[0] > none || s->was[i] == CONTACT_OPENS);
        f->mode[i] = is_open ? CONTACT_OPENS : may_hold ? CONTACT_HOLDS : CONTACT_SLIDES;
    }
}

/* Some that hold by mu_static slide: they answer with mu from here on. 0: none. */
static int give_way(part *s, const found_motion *f, const double *mu)
{
    int changed = 0;
    for (size_t i = 0; i < s->contacts; i++)
        if (has_friction(s, i) && f->mode[i] == CONTACT_SLIDES && s->mu[i] > mu[i]) s->mu[i] = mu[i], changed = 1;
    return changed;
}

contact_verdict newton_search(contact_room *room, double *residual, const char **reason)
{
    part *s = &room->now;
    found_motion *f = &room->list[0];
    double *mu = room->work[8];
    int is_found, has_cones = 0;
    memcpy(mu, s->mu, s->contacts * sizeof *mu);
    for (size_t i = 0; i < s->contacts; i++) {
        has_cones |= s->kind[i] == KIND_CONE;
        if (has_friction(s, i)) s->mu[i] = s->hold[i];
    }
    do {
        is_found = newton_forces(room, NULL, f->l, residual);
        part_motion(s, f->l, f->w);
        name_modes(s, f);
    } while (is_found && give_way(s, f, mu));
    memcpy(s->mu, mu, s->contacts * sizeof *mu);
    f->is_range = 0;
    modes_rank(s, f);
    room->found = (size_t)is_found;
    room->is_overfull = 0;
    if (!is_found) *reason = has_cones ? "Newton's method came to no end" : "no motion was found";
    return is_found ? CONTACT_ONE : has_cones ? CONTACT_FAILED : CONTACT_NONE;
}
