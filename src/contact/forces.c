/* Of one motion: which forces are unique, and which set of them is told: the least, in own units, where these push and
   lie in their cones; else the middle of the extreme ones. */
#include "contact/room.h"

#include <math.h>
#include <string.h>

enum { OPTION_ROW = OPTIONS }; /* a force along one row of a cone */

typedef struct forces {
    contact_room *room;
    const part *s;
    const found_motion *f;
    size_t count;
    int has_cones;
} forces;

static void add(forces *a, size_t i, size_t option)
{
    a->room->owner[a->count] = i;
    a->room->place[a->count++] = option;
}

/* Forces that the motion leaves to contact i. */
static void list_contact(forces *a, size_t i)
{
    const part *s = a->s;
    const size_t first = s->first[i], rows = s->first[i + 1] - first;
    const double *w = a->f->w + first, none = TOL_CONTACT_SAME * s->scale;
    if (w[0] > none) return;
    if (s->kind[i] == KIND_SMOOTH) add(a, i, OPTION_EDGE);
    else if (s->kind[i] == KIND_SLIDER) add(a, i, OPTION_SLIDE);
    else if (hypot(w[1], rows > 2 ? w[2] : 0) > none) add(a, i, w[1] > 0 || rows > 2 ? OPTION_SLIDE : OPTION_SLIDE + 1);
    else if (s->kind[i] == KIND_PLANAR) add(a, i, OPTION_EDGE), add(a, i, OPTION_EDGE + 1);
    else
        for (size_t t = 0; t < rows; t++) add(a, i, OPTION_ROW + t);
    a->has_cones |= s->kind[i] == KIND_CONE;
}

static void force_of(const forces *a, size_t j, double *l)
{
    const part *s = a->s;
    const size_t i = a->room->owner[j], option = a->room->place[j], first = s->first[i];
    const double *w = a->f->w + first;
    double force[1 + CONTACT_TANGENTS] = {0};
    if (option >= OPTION_ROW) force[option - OPTION_ROW] = 1;
    else part_force(s, i, option, force);
    if (s->kind[i] == KIND_CONE && option < OPTION_ROW)
        for (size_t t = 1; t <= CONTACT_TANGENTS; t++) force[t] = -s->mu[i] * w[t] / hypot(w[1], w[2]);
    for (size_t t = 0; t < s->first[i + 1] - first; t++) l[first + t] = force[t];
}

/* K: what the forces do along the rows. */
static void fill(const forces *a, double *K)
{
    const size_t n = a->s->rows;
    double *l = a->room->work[0];
    for (size_t j = 0; j < a->count; j++) {
        memset(l, 0, n * sizeof *l);
        force_of(a, j, l);
        for (size_t r = 0; r < n; r++) {
            double sum = 0;
            for (size_t c = 0; c < n; c++) sum += a->s->W[r + c * n] * l[c];
            K[r + j * n] = sum;
        }
    }
}

static void sum_up(const forces *a, const double *x, double *l)
{
    double *one = a->room->work[0];
    memset(l, 0, a->s->rows * sizeof *l);
    for (size_t j = 0; j < a->count; j++) {
        memset(one, 0, a->s->rows * sizeof *one);
        force_of(a, j, one);
        for (size_t r = 0; r < a->s->rows; r++) l[r] += x[j] * one[r];
    }
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Forces that move nothing, taken out of l; they are made orthonormal on the way, in place. */
static void take_out(const forces *a, size_t nulls, double *null, double *l)
{
    const size_t n = a->s->rows;
    double *span = a->room->lu; /* n x nulls */
    size_t kept = 0;
    for (size_t k = 0; k < nulls; k++) {
        double *own = span + kept * n;
        sum_up(a, null + k * a->count, own);
        const double before = sqrt(dot(n, own, own));
        for (int twice = 0; twice < 2; twice++)
            for (size_t j = 0; j < kept; j++) {
                const double along = dot(n, own, span + j * n);
                for (size_t r = 0; r < n; r++) own[r] -= along * span[j * n + r];
            }
        const double length = sqrt(dot(n, own, own));
        if (!(length > TOL_CONTACT_SAME * before)) continue;
        for (size_t r = 0; r < n; r++) own[r] /= length;
        kept++;
    }
    for (size_t j = 0; j < kept; j++) {
        const double along = dot(n, l, span + j * n);
        for (size_t r = 0; r < n; r++) l[r] -= along * span[j * n + r];
    }
}

static int pushes(const forces *a, const double *l)
{
    const part *s = a->s;
    double most = s->scale;
    for (size_t r = 0; r < s->rows; r++) most = fmax(most, fabs(l[r]));
    for (size_t i = 0; i < s->contacts; i++) {
        const double *own = l + s->first[i];
        const size_t rows = s->first[i + 1] - s->first[i];
        const double bound = fmax(s->hold[i], s->mu[i]) * own[0];
        if (own[0] < -TOL_CONTACT * most) return 0;
        if (s->kind[i] == KIND_SMOOTH || rows == 1) continue;
        if (hypot(own[1], rows > 2 ? own[2] : 0) > bound + TOL_CONTACT * most) return 0;
    }
    return 1;
}

/* All forces of the motion, from K in room->A. */
static int begin_polyhedron(const forces *a)
{
    polyhedron *p = &a->room->polyhedron;
    p->rows = a->s->rows, p->columns = a->count;
    for (size_t r = 0; r < p->rows; r++) {
        for (size_t j = 0; j < a->count; j++) p->T[r * (a->count + 1) + j] = a->room->A[r + j * p->rows];
        p->T[r * (a->count + 1) + a->count] = a->f->w[r] - a->s->c[r];
    }
    return polyhedron_begin(p, TOL_CONTACT_SAME * a->s->scale);
}

int forces_exist(contact_room *room, const found_motion *f)
{
    forces a = {.room = room, .s = &room->now, .f = f};
    for (size_t i = 0; i < a.s->contacts; i++) list_contact(&a, i);
    fill(&a, room->A);
    return begin_polyhedron(&a);
}

/* How far each force reaches; the middle of the extreme ones into x. 0: rounding hides it. */
static int extremes(const forces *a, double *x, unsigned char *is_unique)
{
    contact_room *room = a->room;
    polyhedron *p = &room->polyhedron;
    double *at = room->objective + a->count, count = 0;
    if (!begin_polyhedron(a)) return 0;
    memset(x, 0, a->count * sizeof *x);
    for (size_t j = 0; j < a->count; j++) {
        double end[2];
        int is_bounded = 1;
        for (int side = 0; side < 2; side++) {
            memset(room->objective, 0, a->count * sizeof *x);
            room->objective[j] = side ? -1 : 1;
            is_bounded &= polyhedron_maximize(p, room->objective);
            polyhedron_point(p, at);
            end[side] = at[j];
            for (size_t k = 0; k < a->count; k++) x[k] += at[k];
            count++;
        }
        if (is_bounded && end[0] - end[1] <= TOL_CONTACT_SAME * fmax(a->s->scale, end[0])) continue;
        is_unique[room->owner[j]] = 0;
    }
    for (size_t j = 0; j < a->count; j++) x[j] /= count;
    return 1;
}

void forces_settle(contact_room *room, found_motion *f, unsigned char *is_unique)
{
    forces a = {.room = room, .s = &room->now, .f = f};
    const size_t n = a.s->rows;
    memset(is_unique, 1, a.s->contacts);
    for (size_t i = 0; i < a.s->contacts; i++) list_contact(&a, i);
    if (a.count == 0) return;
    fill(&a, room->A);
    const size_t nulls = gauss_null(n, a.count, room->A, room->pivot_column, TOL_CONTACT_RANK, room->null);
    if (nulls == 0) return;
    double *least = room->work[1];
    memcpy(least, f->l, n * sizeof *least);
    take_out(&a, nulls, room->null, least);
    const int is_least = pushes(&a, least);
    if (is_least) memcpy(f->l, least, n * sizeof *least);
    if (!a.has_cones) {
        fill(&a, room->A);
        if (extremes(&a, room->x, is_unique)) {
            if (!is_least) sum_up(&a, room->x, f->l);
            return;
        }
    }
    for (size_t k = 0; k < nulls * a.count; k++) /* not looked at closer: what the rows leave open */
        if (fabs(room->null[k]) > TOL_CONTACT_SAME) is_unique[room->owner[k % a.count]] = 0;
}
