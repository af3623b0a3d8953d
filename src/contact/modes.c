/* All modes of contacts in a plane. Each is A x = b, x >= 0, with inequalities on accelerations; see decision 0026. */
#include "contact/room.h"

#include <math.h>
#include <string.h>

enum { OPEN, HOLD, SLIDE, SLIDE_BACK };

static int options_of(contact_kind kind) { return kind == KIND_PLANAR ? 4 : 2; }

/* What the number-th option of a kind is. */
static int option_at(contact_kind kind, int number) { return kind == KIND_SLIDER && number ? SLIDE : number; }

static double *reach_of(const contact_room *room, size_t i, size_t option)
{
    return room->reach + (OPTIONS * i + option) * room->now.rows;
}

static void fill_reach(contact_room *room)
{
    const part *s = &room->now;
    double l[1 + CONTACT_TANGENTS];
    for (size_t i = 0; i < s->contacts; i++)
        for (size_t o = 0; o < OPTIONS; o++) {
            double *column = reach_of(room, i, o);
            part_force(s, i, o, l);
            memset(column, 0, s->rows * sizeof *column);
            for (size_t t = 0; t < s->first[i + 1] - s->first[i]; t++)
                for (size_t r = 0; r < s->rows; r++) column[r] += l[t] * s->W[r + (s->first[i] + t) * s->rows];
        }
}

/* ---- one mode ---- */

typedef struct mode_system {
    size_t unknowns, bounds;
    size_t row[2 * CONTACT_ALL_MODES];   /* of the equation w = 0            */
    size_t owner[2 * CONTACT_ALL_MODES]; /* contact of an unknown            */
    size_t which[2 * CONTACT_ALL_MODES]; /* its option                       */
    size_t bound[CONTACT_ALL_MODES];     /* rows with sign w >= 0            */
    double sign[CONTACT_ALL_MODES];
    int has_slides;
} mode_system;

static void add_unknown(mode_system *m, size_t i, size_t option, size_t row)
{
    m->owner[m->unknowns] = i;
    m->which[m->unknowns] = option;
    m->row[m->unknowns++] = row;
}

static void add_bound(mode_system *m, size_t row, double sign)
{
    m->bound[m->bounds] = row;
    m->sign[m->bounds++] = sign;
}

static void list_mode(const part *s, const int *option, mode_system *m)
{
    m->unknowns = m->bounds = 0;
    m->has_slides = 0;
    for (size_t i = 0; i < s->contacts; i++) {
        const size_t n = s->first[i];
        const int is_planar = s->kind[i] == KIND_PLANAR;
        if (option[i] == OPEN) add_bound(m, n, 1);
        else if (option[i] == HOLD) {
            add_unknown(m, i, OPTION_EDGE, n);
            if (is_planar) add_unknown(m, i, OPTION_EDGE + 1, n + 1);
        } else {
            m->has_slides = 1;
            add_unknown(m, i, option[i] == SLIDE ? OPTION_SLIDE : OPTION_SLIDE + 1, n);
            if (is_planar) add_bound(m, n + 1, option[i] == SLIDE ? 1 : -1);
        }
    }
}

static const double *column_of(const contact_room *room, const mode_system *m, size_t j)
{
    return reach_of(room, m->owner[j], m->which[j]);
}

/* l and w of x, and per row the size of its terms. */
static void put_together(const contact_room *room, const mode_system *m, const double *x, double *l, double *w,
                         double *terms)
{
    const part *s = &room->now;
    double force[1 + CONTACT_TANGENTS];
    memset(l, 0, s->rows * sizeof *l);
    for (size_t r = 0; r < s->rows; r++) w[r] = s->c[r], terms[r] = fmax(s->size[r], s->scale);
    for (size_t j = 0; j < m->unknowns; j++) {
        const size_t i = m->owner[j];
        const double *column = column_of(room, m, j);
        part_force(s, i, m->which[j], force);
        for (size_t t = 0; t < s->first[i + 1] - s->first[i]; t++) l[s->first[i] + t] += force[t] * x[j];
        for (size_t r = 0; r < s->rows; r++) w[r] += column[r] * x[j], terms[r] += fabs(column[r] * x[j]);
    }
}

static int meets_laws(const contact_room *room, const mode_system *m, const double *x, const double *w,
                      const double *terms)
{
    double most = room->now.scale;
    for (size_t j = 0; j < m->unknowns; j++) most = fmax(most, fabs(x[j]));
    for (size_t j = 0; j < m->unknowns; j++)
        if (!(x[j] >= -TOL_CONTACT * most) || !(fabs(w[m->row[j]]) <= TOL_CONTACT * terms[m->row[j]])) return 0;
    for (size_t b = 0; b < m->bounds; b++)
        if (!(m->sign[b] * w[m->bound[b]] >= -TOL_CONTACT * terms[m->bound[b]])) return 0;
    return 1;
}

/* ---- a motion among those found ---- */

static contact_mode mode_of(int option)
{
    return option == OPEN ? CONTACT_OPENS : option == HOLD ? CONTACT_HOLDS : CONTACT_SLIDES;
}

void modes_rank(const part *s, found_motion *f)
{
    f->changes = f->sliders = f->opens = 0;
    f->force = 0;
    for (size_t i = 0; i < s->contacts; i++) {
        f->changes += s->was[i] != CONTACT_UNKNOWN && s->was[i] != f->mode[i];
        f->sliders += f->mode[i] == CONTACT_SLIDES && s->kind[i] != KIND_SLIDER;
        f->opens += f->mode[i] == CONTACT_OPENS;
        f->force += f->l[s->first[i]];
    }
}

static int is_before(const found_motion *a, const found_motion *b)
{
    if (a->changes != b->changes) return a->changes < b->changes;
    if (a->sliders != b->sliders) return a->sliders < b->sliders;
    if (a->opens != b->opens) return a->opens < b->opens;
    return a->force < b->force;
}

static int is_same(const part *s, const double *a, const double *b)
{
    double most = s->scale, gap = 0;
    for (size_t r = 0; r < s->rows; r++) {
        most = fmax(most, fmax(fabs(a[r]), fabs(b[r])));
        gap = fmax(gap, fabs(a[r] - b[r]));
    }
    return gap <= TOL_CONTACT_SAME * most;
}

static void copy_motion(const part *s, const found_motion *from, found_motion *to)
{
    memcpy(to->l, from->l, s->rows * sizeof *to->l);
    memcpy(to->w, from->w, s->rows * sizeof *to->w);
    memcpy(to->mode, from->mode, s->contacts * sizeof *to->mode);
    to->changes = from->changes, to->sliders = from->sliders, to->opens = from->opens;
    to->force = from->force;
    to->is_range = from->is_range;
}

/* The new motion stands in the place after the last. One that is known keeps the better of its two modes. */
static void keep(contact_room *room)
{
    found_motion *now = &room->list[room->found];
    modes_rank(&room->now, now);
    for (size_t k = 0; k < room->found; k++)
        if (is_same(&room->now, room->list[k].w, now->w)) {
            now->is_range |= room->list[k].is_range;
            if (is_before(now, &room->list[k])) copy_motion(&room->now, now, &room->list[k]);
            room->list[k].is_range = now->is_range;
            return;
        }
    if (room->found + 1 < FOUND_MOST) room->found++;
    else room->is_overfull = 1;
}

/* ---- singular modes ---- */

/* x of the mode and slacks of its bounds. */
static int begin_polyhedron(contact_room *room, const mode_system *m)
{
    const part *s = &room->now;
    polyhedron *p = &room->polyhedron;
    p->rows = m->unknowns + m->bounds;
    p->columns = m->unknowns + m->bounds;
    for (size_t r = 0; r < p->rows; r++) {
        double *own = p->T + r * (p->columns + 1);
        const size_t bound = r - m->unknowns;
        const int is_bound = r >= m->unknowns;
        const size_t row = is_bound ? m->bound[bound] : m->row[r];
        for (size_t j = 0; j < p->columns; j++) own[j] = j < m->unknowns ? column_of(room, m, j)[row] : 0;
        if (is_bound) own[r] = -m->sign[bound];
        own[p->columns] = -s->c[row];
    }
    return polyhedron_begin(p, TOL_CONTACT * s->scale);
}

/* Does w change along what the forces leave open? Then x is moved to the middle of the extremes met. */
static int spread(contact_room *room, const mode_system *m, double *x)
{
    const part *s = &room->now;
    polyhedron *p = &room->polyhedron;
    double *sum = room->objective + p->columns, *at = sum + p->columns, count = 0;
    int is_range = 0;
    memset(sum, 0, p->columns * sizeof *sum);
    for (size_t r = 0; r < s->rows; r++) {
        double end[2] = {0, 0};
        int is_bounded = 1;
        for (int side = 0; side < 2; side++) {
            for (size_t j = 0; j < p->columns; j++)
                room->objective[j] = j >= m->unknowns ? 0 : (side ? -1 : 1) * column_of(room, m, j)[r];
            is_bounded &= polyhedron_maximize(p, room->objective);
            polyhedron_point(p, at);
            for (size_t j = 0; j < p->columns; j++)
                sum[j] += at[j], end[side] += (side ? -1 : 1) * room->objective[j] * at[j];
            count++;
        }
        is_range |= !is_bounded || end[0] - end[1] > TOL_CONTACT_SAME * fmax(s->scale, fabs(end[0]));
    }
    for (size_t j = 0; j < m->unknowns && is_range; j++) x[j] = sum[j] / count;
    return is_range;
}

static void try_singular(contact_room *room, const mode_system *m)
{
    found_motion *now = &room->list[room->found];
    double *x = room->x;
    if (!begin_polyhedron(room, m)) return;
    polyhedron_point(&room->polyhedron, x);
    /* where nothing slides W is symmetric and forces that are left open move nothing */
    if (m->has_slides) now->is_range = spread(room, m, x);
    put_together(room, m, x, now->l, now->w, room->work[0]);
    if (meets_laws(room, m, x, now->w, room->work[0])) keep(room);
}

/* ---- all of them ---- */

static void try_mode(contact_room *room, const int *option)
{
    const part *s = &room->now;
    found_motion *now = &room->list[room->found];
    mode_system m;
    list_mode(s, option, &m);
    const size_t n = m.unknowns;
    for (size_t j = 0; j < n; j++) {
        const double *column = column_of(room, &m, j);
        for (size_t e = 0; e < n; e++) room->A[e + j * n] = column[m.row[e]];
        room->b[j] = -s->c[m.row[j]];
    }
    for (size_t i = 0; i < s->contacts; i++) now->mode[i] = mode_of(option[i]);
    now->is_range = 0;
    if (gauss_factor(n, room->A, room->pivot_row, room->pivot_column, TOL_CONTACT_RANK) < n) {
        try_singular(room, &m);
        return;
    }
    gauss_solve(n, room->A, room->pivot_row, room->pivot_column, room->b, room->x);
    put_together(room, &m, room->x, now->l, now->w, room->work[0]);
    if (meets_laws(room, &m, room->x, now->w, room->work[0])) keep(room);
}

/* Whatever its force: it stays closed and moves along. */
static int moves_along(const part *s, const found_motion *f, size_t i)
{
    const double *w = f->w + s->first[i], none = TOL_CONTACT_SAME * s->scale;
    return s->kind[i] == KIND_PLANAR && w[0] <= none && fabs(w[1]) > none;
}

/* Does a let fewer begin to slide than b because it holds one of the others by more than sliding would? */
static int holds_by_rest(contact_room *room, const found_motion *a, const found_motion *b)
{
    part *s = &room->now;
    double *hold = s->hold, *less = room->work[9];
    int fewer = 0, more = 0, by_rest;
    memcpy(less, hold, s->contacts * sizeof *less);
    for (size_t i = 0; i < s->contacts; i++) {
        const int a_slides = moves_along(s, a, i), b_slides = moves_along(s, b, i);
        more |= a_slides && !b_slides;
        fewer |= b_slides && !a_slides;
        if (b_slides && !a_slides) less[i] = s->mu[i];
    }
    if (more || !fewer) return 0;
    s->hold = less;
    by_rest = !forces_exist(room, a);
    s->hold = hold;
    return by_rest;
}

static void drop_what_rests(contact_room *room)
{
    size_t left = 0;
    unsigned char dropped[FOUND_MOST] = {0};
    for (size_t b = 0; b < room->found; b++)
        for (size_t a = 0; a < room->found && !dropped[b]; a++)
            dropped[b] = a != b && holds_by_rest(room, &room->list[a], &room->list[b]);
    for (size_t k = 0; k < room->found; k++)
        if (!dropped[k] && left++ < k) copy_motion(&room->now, &room->list[k], &room->list[left - 1]);
    room->found = left;
}

/* The best comes first; the place after the last is free and serves to swap. */
static void sort(contact_room *room)
{
    const part *s = &room->now;
    found_motion *spare = &room->list[room->found];
    for (size_t i = 1; i < room->found; i++)
        for (size_t k = i; k > 0 && is_before(&room->list[k], &room->list[k - 1]); k--) {
            copy_motion(s, &room->list[k], spare);
            copy_motion(s, &room->list[k - 1], &room->list[k]);
            copy_motion(s, spare, &room->list[k - 1]);
        }
}

static void try_all(contact_room *room)
{
    const part *s = &room->now;
    int option[CONTACT_ALL_MODES] = {0}, all = 1;
    fill_reach(room);
    for (size_t i = 0; i < s->contacts; i++) all *= options_of(s->kind[i]);
    for (int number = 0; number < all; number++) {
        for (size_t i = 0, rest = (size_t)number; i < s->contacts; rest /= (size_t)options_of(s->kind[i]), i++)
            option[i] = option_at(s->kind[i], (int)(rest % (size_t)options_of(s->kind[i])));
        try_mode(room, option);
    }
}

void modes_search(contact_room *room, int *is_examined)
{
    const part *s = &room->now;
    int has_static = 0;
    room->found = 0;
    room->is_overfull = 0;
    room->polyhedron.is_doubtful = 0;
    try_all(room);
    for (size_t i = 0; i < s->contacts; i++) has_static |= s->kind[i] == KIND_PLANAR && s->hold[i] > s->mu[i];
    if (has_static) drop_what_rests(room);
    sort(room);
    *is_examined = !room->polyhedron.is_doubtful && !room->is_overfull;
}
