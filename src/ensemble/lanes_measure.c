/* What is measured along a step of lanes: simulate/measure.c for all lanes together. Each value is interpolated at 5,
   else 9 Chebyshev points of a stretch; a lane whose interpolant does not tell has its stretch halved. */
#include "ensemble/lanes.h"

#include "base/tolerances.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

enum { MOST_STRETCHES = 400 };

static int is_integral(mech_measure_kind kind) { return kind == MECH_MEASURE_MEAN || kind == MECH_MEASURE_RMS; }
static int is_extremum(mech_measure_kind kind) { return kind == MECH_MEASURE_MAX || kind == MECH_MEASURE_MIN; }

typedef struct piece { /* of each lane's step, as parts of it */
    lanes_row a, b;
    lanes_mask is_looked_at, is_swift; /* swift: what is measured goes too far in it */
    int is_last[LANES];
} piece;

/* ---- values ---- */

/* At theta (a row) of the step, into to: (measures) rows. */
static void look(lanes *w, const double *theta, double *to)
{
    const lanes_code *c = w->code;
    const system_inputs *in = &c->system->in;
    _Alignas(64) lanes_mask doubt = {0};
    double *y = w->work;
    lanes_vectors_get()->interpolate(c->ny - 1, 3 + c->table->dense_rows, w->dense, theta, y);
    for (size_t j = 0; j < LANES; j++) w->time[j] = w->clock.t[j] + theta[j] * w->clock.used[j];
    w->inputs[in->t] = w->time;
    for (size_t i = 0; i < c->n; i++) {
        w->inputs[in->q + i] = y + i * LANES;
        w->inputs[in->v + i] = y + (c->n + i) * LANES;
    }
    for (size_t i = 0; i < c->nz; i++) w->inputs[in->z + i] = y + (2 * c->n + i) * LANES;
    for (size_t i = 0; i < c->measures; i++) w->outputs[i] = to + i * LANES;
    tape_run_lanes(c->measure, w->inputs, w->measure_slots, c->measures, 0, w->outputs, doubt);
    for (size_t j = 0; j < LANES; j++) w->doubt[j] |= doubt[j] & w->clock.is_accepted[j];
    for (size_t i = 0; i < c->measures; i++)
        for (size_t j = 0; c->kind[i] == MECH_MEASURE_RMS && j < LANES; j++) to[i * LANES + j] *= to[i * LANES + j];
}

static double *value_row(lanes *w, int point, size_t measure)
{
    return w->values + ((size_t)point * w->code->measures + measure) * LANES;
}

/* Points first, first + 2, ... of the stretches, and how large the values are there. */
static void look_at_points(lanes *w, const piece *p, int first)
{
    _Alignas(64) lanes_row theta;
    for (int point = first; point < LANES_POINTS; point += 2) {
        const double x = chebyshev_point(point);
        for (size_t j = 0; j < LANES; j++) theta[j] = p->a[j] + (p->b[j] - p->a[j]) * (0.5 + 0.5 * x);
        look(w, theta, value_row(w, point, 0));
        if (first == 0) lanes_swift_keep(w, point / 2);
        for (size_t i = 0; i < w->code->measures; i++) {
            const double *value = value_row(w, point, i);
            double *size = w->size + i * LANES;
            for (size_t j = 0; j < LANES; j++)
                if (p->is_looked_at[j] && fabs(value[j]) > size[j]) size[j] = fabs(value[j]);
        }
    }
}

/* ---- a stretch ---- */

/* The interpolant of a measure in one lane. */
static chebyshev interpolant(lanes *w, size_t measure, size_t lane, int stride)
{
    double f[LANES_POINTS];
    const int degree = CHEBYSHEV_MOST / stride;
    for (int j = 0; j <= degree; j++) f[j] = value_row(w, j * stride, measure)[lane];
    return chebyshev_through(f, degree);
}

/* Coefficients of the interpolants of a measure: (degree + 1) rows. */
static void interpolants(lanes *w, size_t measure, int stride, lanes_row *c)
{
    const int degree = CHEBYSHEV_MOST / stride;
    for (int k = 0; k <= degree; k++) {
        memset(c[k], 0, sizeof c[k]);
        for (int i = 0; i <= degree; i++) {
            const double *f = value_row(w, i * stride, measure);
            const double weight = chebyshev_weight(degree, k, i);
            for (size_t j = 0; j < LANES; j++) c[k][j] += weight * f[j];
        }
    }
}

static double bound(lanes_row *c, int degree, double sign, size_t j)
{
    double sum = 0;
    for (int k = degree; k > 0; k--) sum += fabs(c[k][j]);
    return sign * c[0][j] + sum;
}

static int is_resolved(const lanes *w, size_t i, lanes_row *c, int degree, double part, size_t j)
{
    const size_t at = i * LANES + j;
    const double most = w->clock.rtol[j] * w->size[at] + w->clock.atol[j],
                 tail = fabs(c[degree][j]) + fabs(c[degree - 1][j]);
    const mech_measure_kind kind = w->code->kind[i];
    if (tail <= most) return 1;
    if (is_integral(kind)) return tail * part <= most;
    if (!is_extremum(kind)) return 1;
    const double sign = kind == MECH_MEASURE_MAX ? 1 : -1;
    return sign * w->best[at] > bound(c, degree, sign, j) + 8 * tail;
}

/* Those that are looked at and told by every `stride`-th point, or told to be taken as they are. */
static void find_told(lanes *w, const piece *p, int stride, int64_t *told)
{
    const int degree = CHEBYSHEV_MOST / stride;
    _Alignas(64) lanes_row c[LANES_POINTS];
    for (size_t j = 0; j < LANES; j++) told[j] = p->is_looked_at[j] & ~p->is_swift[j];
    for (size_t i = 0; i < w->code->measures; i++) {
        interpolants(w, i, stride, c);
        for (size_t j = 0; j < LANES; j++)
            if (told[j] && !is_resolved(w, i, c, degree, p->b[j] - p->a[j], j)) told[j] = 0;
    }
    for (size_t j = 0; stride == 1 && j < LANES; j++) {
        if (!p->is_last[j]) continue;
        told[j] = p->is_looked_at[j];
        w->doubt[j] |= p->is_swift[j]; /* as beside a pole: a whole run judges it */
    }
}

static void take_extremum(lanes *w, size_t i, size_t j, double value)
{
    double *best = &w->best[i * LANES + j];
    const int is_better = w->code->kind[i] == MECH_MEASURE_MAX ? value > *best : value < *best;
    if (is_better || isnan(*best)) *best = value;
}

/* Does the interpolant rise or fall all through? |T_k'| <= k^2. */
static int is_monotone(lanes_row *c, int degree, size_t j)
{
    double sum = 0;
    for (int k = 2; k <= degree; k++) sum += k * k * fabs(c[k][j]);
    return fabs(c[1][j]) > sum;
}

/* Where it may be better than what is known inside the stretch, the value there is looked at. */
static void look_at_peaks(lanes *w, const piece *p, const int64_t *told, int stride, size_t i, lanes_row *c)
{
    const int degree = CHEBYSHEV_MOST / stride;
    const double sign = w->code->kind[i] == MECH_MEASURE_MAX ? 1 : -1;
    _Alignas(64) lanes_row theta = {0};
    lanes_mask is_peak = {0};
    int64_t found = 0;
    for (size_t j = 0; j < LANES; j++) {
        double at;
        if (!told[j] || is_monotone(c, degree, j) || !(bound(c, degree, sign, j) > sign * w->best[i * LANES + j]))
            continue;
        const chebyshev f = interpolant(w, i, j, stride);
        if (!(sign * chebyshev_peak(&f, sign, &at) > sign * w->best[i * LANES + j]) || fabs(at) == 1) continue;
        theta[j] = p->a[j] + (p->b[j] - p->a[j]) * (0.5 + 0.5 * at);
        found |= is_peak[j] = -1;
    }
    if (!found) return;
    look(w, theta, w->point);
    for (size_t j = 0; j < LANES; j++)
        if (is_peak[j]) take_extremum(w, i, j, w->point[i * LANES + j]);
}

static void take(lanes *w, const piece *p, const int64_t *told, int stride)
{
    const int degree = CHEBYSHEV_MOST / stride;
    _Alignas(64) lanes_row c[LANES_POINTS];
    for (size_t i = 0; i < w->code->measures; i++) {
        const mech_measure_kind kind = w->code->kind[i];
        if (!is_integral(kind) && !is_extremum(kind)) continue;
        interpolants(w, i, stride, c);
        for (int point = 0; is_extremum(kind) && point < LANES_POINTS; point += stride)
            for (size_t j = 0; j < LANES; j++)
                if (told[j]) take_extremum(w, i, j, value_row(w, point, i)[j]);
        if (is_extremum(kind)) look_at_peaks(w, p, told, stride, i, c);
        for (size_t j = 0; is_integral(kind) && j < LANES; j++) {
            double sum = 0;
            for (int k = degree; k >= 0; k -= 2) sum += 2 * c[k][j] / (1 - (double)k * k);
            if (told[j]) w->integral[i * LANES + j] += 0.5 * (p->b[j] - p->a[j]) * w->clock.used[j] * sum;
        }
    }
}

/* ---- all of them ---- */

static void push(lanes_stretches *s, double a, double b)
{
    s->a[s->count] = a;
    s->b[s->count++] = b;
}

/* The next stretch of every lane that has one. 0: none has. */
static int next_piece(lanes *w, piece *p)
{
    int found = 0;
    for (size_t j = 0; j < LANES; j++) {
        lanes_stretches *s = &w->run[j].stretches;
        const int has = s->count > 0 && !w->doubt[j];
        p->is_looked_at[j] = -(int64_t)has;
        p->a[j] = has ? s->a[--s->count] : 0;
        p->b[j] = has ? s->b[s->count] : 1;
        p->is_last[j] =
            has && (++s->seen > s->most || s->count + 2 > LANES_DEPTH || p->b[j] - p->a[j] < TOL_LANES_STRETCH);
        found |= has;
    }
    return found;
}

static void halve(lanes *w, const piece *p, const int64_t *told)
{
    for (size_t j = 0; j < LANES; j++) {
        if (!p->is_looked_at[j] || told[j]) continue;
        const double middle = p->a[j] + (p->b[j] - p->a[j]) / 2;
        push(&w->run[j].stretches, middle, p->b[j]);
        push(&w->run[j].stretches, p->a[j], middle);
        if (p->is_swift[j]) w->run[j].stretches.most += MOST_STRETCHES;
    }
}

static int are_all(const piece *p, const int64_t *told)
{
    int64_t left = 0;
    for (size_t j = 0; j < LANES; j++) left |= p->is_looked_at[j] & ~told[j];
    return left == 0;
}

void lanes_measure(lanes *w)
{
    piece p;
    _Alignas(64) lanes_mask told, early;
    for (size_t j = 0; j < LANES; j++) {
        w->run[j].stretches.count = w->run[j].stretches.seen = 0;
        w->run[j].stretches.most = MOST_STRETCHES;
        if (w->clock.is_accepted[j]) push(&w->run[j].stretches, 0, 1);
    }
    while (next_piece(w, &p)) {
        look_at_points(w, &p, 0);
        lanes_swift_find(w, p.is_looked_at, p.is_swift);
        find_told(w, &p, 2, early);
        take(w, &p, early, 2);
        if (are_all(&p, early)) continue;
        for (size_t j = 0; j < LANES; j++) p.is_looked_at[j] &= ~early[j];
        look_at_points(w, &p, 1);
        find_told(w, &p, 1, told);
        take(w, &p, told, 1);
        halve(w, &p, told);
    }
}
