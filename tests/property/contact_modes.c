/* Random problems of up to six contacts in a plane against another program over all modes, compared as motions. The
   other one asks of each mode whether forces >= 0 and slacks >= 0 exist, by least squares with unknowns that are not
   negative (Lawson and Hanson), in the units given; it shares no line with the room. */
#include "check.h"
#include "contact/contact.h"
#include "support/random_numbers.h"

#include <stdlib.h>

enum { MOST = 6, ROWS = 2 * MOST, COLUMNS = 2 * MOST, KEPT = 64 };

typedef struct problem {
    contact_point point[MOST];
    double W[ROWS * ROWS], c[ROWS];
    contact_problem p;
} problem;

/* ---- the other program ---- */

/* x of the passive columns by normal equations, others 0. */
static void least_squares(size_t m, size_t n, double A[ROWS][COLUMNS], const double *b, const int *passive, double *x)
{
    double N[COLUMNS][COLUMNS + 1], rest[ROWS];
    size_t list[COLUMNS], k = 0;
    for (size_t j = 0; j < n; j++) {
        x[j] = 0;
        if (passive[j]) list[k++] = j;
    }
    for (int again = 0; again < 4;
         again++) { /* normal equations lose half of the digits: what is left is solved again */
        for (size_t r = 0; r < m; r++) {
            rest[r] = b[r];
            for (size_t j = 0; j < n; j++) rest[r] -= A[r][j] * x[j];
        }
        for (size_t i = 0; i < k; i++) {
            for (size_t j = 0; j < k; j++) {
                N[i][j] = 0;
                for (size_t r = 0; r < m; r++) N[i][j] += A[r][list[i]] * A[r][list[j]];
            }
            N[i][k] = 0;
            for (size_t r = 0; r < m; r++) N[i][k] += A[r][list[i]] * rest[r];
        }
        for (size_t i = 0; i < k; i++) {
            if (!(N[i][i] > 1e-13)) N[i][i] = 1e-13;
            for (size_t r = i + 1; r < k; r++) {
                const double f = N[r][i] / N[i][i];
                for (size_t j = i; j <= k; j++) N[r][j] -= f * N[i][j];
            }
        }
        for (size_t i = k; i-- > 0;) {
            for (size_t j = i + 1; j < k; j++) N[i][k] -= N[i][j] * N[j][k];
            N[i][k] /= N[i][i];
        }
        for (size_t i = 0; i < k; i++) x[list[i]] += N[i][k];
    }
}

static double miss_of(size_t m, size_t n, double A[ROWS][COLUMNS], const double *b, const double *x, double *rest)
{
    double worst = 0;
    for (size_t r = 0; r < m; r++) {
        rest[r] = b[r];
        for (size_t j = 0; j < n; j++) rest[r] -= A[r][j] * x[j];
        worst = fmax(worst, fabs(rest[r]));
    }
    return worst;
}

static double not_negative(size_t m, size_t n, double A[ROWS][COLUMNS], const double *b, double *x)
{
    int passive[COLUMNS] = {0};
    double rest[ROWS], z[COLUMNS], size = 0;
    for (size_t j = 0; j < n; j++) x[j] = 0;
    for (size_t r = 0; r < m; r++) size = fmax(size, fabs(b[r]));
    for (int step = 0; step < 200; step++) {
        size_t enter = n;
        double most = 1e-11 * size;
        if (miss_of(m, n, A, b, x, rest) <= 1e-12 * size) break;
        for (size_t j = 0; j < n; j++) {
            double g = 0;
            for (size_t r = 0; r < m; r++) g += A[r][j] * rest[r];
            if (!passive[j] && g > most) most = g, enter = j;
        }
        if (enter == n) break;
        passive[enter] = 1;
        for (;;) {
            double part = 1;
            least_squares(m, n, A, b, passive, z);
            for (size_t j = 0; j < n; j++)
                if (passive[j] && z[j] <= 0) part = fmin(part, x[j] / (x[j] - z[j]));
            if (part >= 1) break;
            for (size_t j = 0; j < n; j++)
                if (passive[j]) {
                    x[j] += part * (z[j] - x[j]);
                    if (x[j] <= 1e-14 * size) x[j] = 0, passive[j] = 0;
                }
        }
        for (size_t j = 0; j < n; j++) x[j] = z[j];
    }
    return miss_of(m, n, A, b, x, rest);
}

typedef struct motions {
    size_t count;
    double w[KEPT][ROWS];
} motions;

static int is_same(size_t rows, const double *a, const double *b, double size)
{
    double most = size;
    for (size_t r = 0; r < rows; r++) most = fmax(most, fmax(fabs(a[r]), fabs(b[r])));
    for (size_t r = 0; r < rows; r++)
        if (fabs(a[r] - b[r]) > 1e-6 * most) return 0;
    return 1;
}

static double size_of(const problem *q)
{
    double size = 0;
    for (size_t r = 0; r < q->p.rows; r++) size = fmax(size, fabs(q->c[r]));
    return size;
}

/* Columns: forces (ln, lt) times W; then slacks. */
static int try_mode(const problem *q, const double *hold, const int *mode, double *w)
{
    const size_t n = q->p.rows;
    double force[COLUMNS][ROWS] = {{0}}, A[ROWS][COLUMNS], b[ROWS], x[COLUMNS];
    size_t row[ROWS], columns = 0, rows = 0, slack[ROWS];
    double sign[ROWS];
    for (size_t i = 0, r = 0; i < q->p.contacts; r += 1 + q->point[i].tangents, i++) {
        const contact_point *a = &q->point[i];
        const int rests = a->tangents && !a->is_sliding;
        sign[rows] = mode[i] == 0, row[rows++] = r;
        if (rests && mode[i]) sign[rows] = mode[i] == 2 ? 1 : mode[i] == 3 ? -1 : 0, row[rows++] = r + 1;
        if (mode[i] == 0) continue;
        force[columns][r] = 1;
        if (a->is_sliding && a->tangents) force[columns][r + 1] = a->slip[0] > 0 ? -a->mu : a->mu;
        if (rests) force[columns][r + 1] = mode[i] == 1 ? hold[i] : mode[i] == 2 ? -a->mu : a->mu;
        columns++;
        if (!rests || mode[i] != 1) continue;
        force[columns][r] = 1, force[columns][r + 1] = -hold[i];
        columns++;
    }
    const size_t forces = columns;
    for (size_t e = 0; e < rows; e++)
        if (sign[e] != 0) slack[columns++] = e;
    for (size_t e = 0; e < rows; e++) {
        b[e] = -q->c[row[e]];
        for (size_t j = 0; j < columns; j++) {
            A[e][j] = 0;
            for (size_t k = 0; k < n && j < forces; k++) A[e][j] += q->W[row[e] + k * n] * force[j][k];
            if (j >= forces && slack[j] == e) A[e][j] = -sign[e];
        }
    }
    const double miss = not_negative(rows, columns, A, b, x);
    double most = size_of(q);
    for (size_t j = 0; j < columns; j++) most = fmax(most, x[j]);
    /* forces without end come ever nearer to what no forces do */
    if (miss > 1e-10 * most || most > 1e6 * size_of(q)) return 0;
    double l[ROWS] = {0};
    for (size_t r = 0; r < n; r++)
        for (size_t j = 0; j < forces; j++) l[r] += force[j][r] * x[j];
    for (size_t r = 0; r < n; r++) {
        w[r] = q->c[r];
        for (size_t k = 0; k < n; k++) w[r] += q->W[r + k * n] * l[k];
    }
    return 1;
}

static void all_modes(const problem *q, const double *hold, motions *out)
{
    int kinds[MOST], all = 1, mode[MOST];
    out->count = 0;
    for (size_t i = 0; i < q->p.contacts; i++) {
        kinds[i] = q->point[i].tangents && !q->point[i].is_sliding ? 4 : 2;
        all *= kinds[i];
    }
    for (int number = 0; number < all; number++) {
        int rest = number, is_known = 0;
        for (size_t i = 0; i < q->p.contacts; i++) mode[i] = rest % kinds[i], rest /= kinds[i];
        if (!try_mode(q, hold, mode, out->w[out->count])) continue;
        for (size_t a = 0; a < out->count && !is_known; a++)
            is_known = is_same(q->p.rows, out->w[a], out->w[out->count], size_of(q));
        if (!is_known && out->count + 1 < KEPT) out->count++;
    }
}

static int slides(const problem *q, const double *w, size_t i, size_t r)
{
    double most = size_of(q);
    for (size_t k = 0; k < q->p.rows; k++) most = fmax(most, fabs(w[k]));
    return q->point[i].tangents && !q->point[i].is_sliding && w[r] < 1e-7 * most && fabs(w[r + 1]) > 1e-7 * most;
}

/* Does a let fewer of those at rest slide than b, and could not with mu in place of mu_static at them? */
static int is_calmer(const problem *q, const double *a, const double *b)
{
    static motions less;
    double hold[MOST];
    int fewer = 0;
    for (size_t i = 0, r = 0; i < q->p.contacts; r += 1 + q->point[i].tangents, i++) {
        if (slides(q, a, i, r) && !slides(q, b, i, r)) return 0;
        const int is_held = slides(q, b, i, r) && !slides(q, a, i, r);
        hold[i] = is_held ? q->point[i].mu : q->point[i].mu_static;
        fewer |= is_held;
    }
    if (!fewer) return 0;
    all_modes(q, hold, &less);
    for (size_t k = 0; k < less.count; k++)
        if (is_same(q->p.rows, less.w[k], a, size_of(q))) return 0;
    return 1;
}

static void other_program(const problem *q, motions *out)
{
    double hold[MOST];
    int dropped[KEPT] = {0}, is_rough = 0;
    size_t left = 0;
    for (size_t i = 0; i < q->p.contacts; i++) {
        hold[i] = q->point[i].mu_static;
        is_rough |= q->point[i].mu_static > q->point[i].mu;
    }
    all_modes(q, hold, out);
    for (size_t b = 0; b < out->count && is_rough; b++)
        for (size_t a = 0; a < out->count && !dropped[b]; a++)
            dropped[b] = a != b && is_calmer(q, out->w[a], out->w[b]);
    for (size_t k = 0; k < out->count; k++)
        if (!dropped[k]) memmove(out->w[left++], out->w[k], sizeof out->w[k]);
    out->count = left;
}

/* ---- problems ---- */

static double between(double low, double high) { return low + (high - low) * (random_signed() + 1) / 2; }

/* Contacts on one or two bodies in a plane, some as feet of one body on a floor; or rows at random: then W is
   regular. */
static void make(size_t contacts, problem *q)
{
    const int is_loose = between(0, 1) < 0.3, is_rough = between(0, 1) < 0.3, is_flat = between(0, 1) < 0.3;
    const size_t bodies = between(0, 1) < 0.5 ? 1 : 2, freedom = is_loose ? ROWS + 1 : 3 * bodies;
    double J[ROWS][ROWS + 1] = {{0}}, mass[ROWS + 1], a[ROWS + 1];
    size_t rows = 0;
    for (size_t f = 0; f < freedom; f++)
        mass[f] = f % 3 == 2 ? between(0.05, 0.4) : 1, a[f] = f % 3 == 1 ? between(-2, 0.2) : between(-1, 1);
    for (size_t i = 0; i < contacts; i++) {
        contact_point *at = &q->point[i];
        const double angle = is_flat ? 0 : between(-1, 1), x = between(-1, 1), y = is_flat ? -1 : between(-1.5, 0);
        const size_t body = is_flat || between(0, 1) < 0.5 ? 0 : bodies - 1;
        *at = (contact_point){.tangents = between(0, 1) < 0.8, .mu = between(0.05, 3)};
        at->mu_static = at->mu * (is_rough ? 1.4 : 1);
        at->is_sliding = at->tangents && between(0, 1) < 0.4;
        at->slip[0] = between(-1, 1);
        for (size_t t = 0; t <= at->tangents; t++, rows++) {
            for (size_t f = 0; f < freedom && is_loose; f++) J[rows][f] = between(-1, 1);
            if (is_loose) continue;
            const double dx = t ? cos(angle) : sin(angle), dy = t ? -sin(angle) : cos(angle);
            J[rows][3 * body] = dx, J[rows][3 * body + 1] = dy, J[rows][3 * body + 2] = x * dy - y * dx;
            if (body == 1 && i % 2) /* between the two */
                J[rows][0] = -dx, J[rows][1] = -dy, J[rows][2] = -(y * dy - x * dx);
        }
    }
    for (size_t r = 0; r < rows; r++) {
        q->c[r] = 0;
        for (size_t f = 0; f < freedom; f++) q->c[r] += J[r][f] * a[f];
        for (size_t k = 0; k < rows; k++) {
            double sum = 0;
            for (size_t f = 0; f < freedom; f++) sum += J[r][f] * J[k][f] / mass[f];
            q->W[r + k * rows] = sum;
        }
    }
    q->p = (contact_problem){.contacts = contacts, .point = q->point, .rows = rows, .W = q->W, .c = q->c};
}

static int laws_are_met(const problem *q, const contact_motion *m)
{
    double size = size_of(q);
    for (size_t r = 0; r < q->p.rows; r++) size = fmax(size, fabs(m->l[r]));
    for (size_t i = 0, r = 0; i < q->p.contacts; r += 1 + q->point[i].tangents, i++) {
        const contact_point *a = &q->point[i];
        double w[2] = {q->c[r], 0};
        for (size_t t = 0; t <= a->tangents; t++) {
            w[t] = q->c[r + t];
            for (size_t k = 0; k < q->p.rows; k++) w[t] += q->W[r + t + k * q->p.rows] * m->l[k];
            if (fabs(w[t] - m->w[r + t]) > 1e-9 * size) return 0;
        }
        if (m->l[r] < -1e-10 * size || w[0] < -1e-9 * size || fabs(fmin(m->l[r], w[0])) > 1e-9 * size) return 0;
        if (!a->tangents) continue;
        const double f = m->l[r + 1], N = m->l[r];
        if (a->is_sliding && fabs(f + a->mu * N * (a->slip[0] > 0 ? 1 : -1)) > 1e-9 * size) return 0;
        if (a->is_sliding) continue;
        const int slides = fabs(w[1]) > 1e-8 * size;
        if (slides && fabs(f + a->mu * N * (w[1] > 0 ? 1 : -1)) > 1e-9 * size) return 0;
        if (!slides && fabs(f) > a->mu_static * N + 1e-9 * size) return 0;
    }
    return 1;
}

int main(void)
{
    static motions other;
    const size_t share[MOST] = {90, 120, 120, 110, 45, 15};
    contact_room *room;
    size_t none = 0, one = 0, several = 0, ranges = 0, number = 0;
    if (contact_create(MOST, ROWS, &room) != MECH_OK) return 1;
    for (size_t k = 0; k < MOST; k++)
        for (size_t i = 0; i < share[k]; i++, number++) {
            problem q;
            contact_answer a;
            make(k + 1, &q);
            contact_accelerations(room, &q.p, &a);
            other_program(&q, &other);
            const double size = size_of(&q);
            int is_right = a.is_examined && a.verdict != CONTACT_FAILED;
            for (size_t m = 0; m < a.kept; m++) is_right &= laws_are_met(&q, &a.motion[m]);
            /* the middle of a range, and a corner of it */
            if (a.is_continuum)
                is_right &=
                    other.count > 1 || (other.count == 1 && !is_same(q.p.rows, other.w[0], a.motion[0].w, size));
            else is_right &= a.motions == other.count;
            for (size_t m = 0; m < a.kept && !a.is_continuum; m++) {
                int is_there = 0;
                for (size_t o = 0; o < other.count; o++) is_there |= is_same(q.p.rows, other.w[o], a.motion[m].w, size);
                is_right &= is_there;
            }
            if (!is_right)
                fprintf(
                    stderr,
                    "problem %zu of %zu contacts: %zu motions (range %d, examined %d, residual %g), %zu by the other\n",
                    number, k + 1, a.motions, a.is_continuum, a.is_examined, a.residual, other.count);
            CHECK(is_right);
            none += a.verdict == CONTACT_NONE, one += a.verdict == CONTACT_ONE;
            several += a.verdict == CONTACT_SEVERAL, ranges += (size_t)a.is_continuum;
        }
    printf("%zu problems: %zu without a motion, %zu with one, %zu with several (%zu of them a range)\n", number, none,
           one, several, ranges);
    CHECK(none > 5 && one > 200 && several > 20);
    contact_free(room);
    return check_report();
}
