/* One unit for all rows, and the parts of a problem; see room.h. */
#include "contact/room.h"

#include <math.h>
#include <string.h>

static contact_kind kind_of(const contact_point *a, int rests)
{
    const int slides = a->is_sliding && !rests;
    if (a->tangents == 0 || fmax(a->mu, slides || rests ? 0 : a->mu_static) <= 0) return KIND_SMOOTH;
    if (slides) return KIND_SLIDER;
    return a->tangents == 1 ? KIND_PLANAR : KIND_CONE;
}

/* sqrt(W_ii) is the unit of own accelerations; a cone has one for both of its tangential rows. */
static void set_units(part *s, size_t i, double largest)
{
    const size_t first = s->first[i], end = s->first[i + 1];
    double sum = 0;
    for (size_t r = first; r < end; r++) {
        const double own = s->W[r + r * s->rows];
        if (r > first) sum += own / (double)(end - first - 1);
        s->unit[r] = own;
    }
    for (size_t r = first; r < end; r++) {
        const double own = r > first ? sum : s->unit[r];
        s->unit[r] = 1 / sqrt(own > DBL_EPSILON * largest ? own : largest > 0 ? largest : 1);
    }
}

static void set_contact(part *s, size_t i, const contact_point *a, int rests)
{
    const size_t first = s->first[i];
    const double ratio = a->tangents > 0 ? s->unit[first] / s->unit[first + 1] : 0;
    double length = 0;
    s->contact_of[i] = i;
    s->kind[i] = kind_of(a, rests);
    s->mu[i] = a->mu * ratio;
    s->hold[i] = rests ? s->mu[i] : fmax(a->mu, a->mu_static) * ratio;
    s->restitution[i] = a->restitution;
    s->was[i] = a->was;
    for (size_t t = 0; t < a->tangents; t++) length = hypot(length, a->slip[t]);
    for (size_t t = 0; t < CONTACT_TANGENTS; t++)
        s->d[CONTACT_TANGENTS * i + t] = t < a->tangents && length > 0 ? a->slip[t] / length : 0;
}

void part_scale(contact_room *room, const contact_problem *p, int rests)
{
    part *s = &room->whole;
    double largest = 0;
    room->one_is_enough = p->one_is_enough;
    s->contacts = p->contacts;
    s->rows = p->rows;
    s->first[0] = 0;
    for (size_t i = 0; i < p->contacts; i++) s->first[i + 1] = s->first[i] + 1 + p->point[i].tangents;
    memcpy(s->W, p->W, p->rows * p->rows * sizeof *s->W);
    for (size_t r = 0; r < p->rows; r++) largest = fmax(largest, p->W[r + r * p->rows]);
    for (size_t i = 0; i < p->contacts; i++) {
        set_units(s, i, largest);
        set_contact(s, i, &p->point[i], rests);
    }
    s->scale = 0;
    for (size_t r = 0; r < p->rows; r++) {
        s->row_of[r] = r;
        s->c[r] = s->unit[r] * p->c[r];
        s->size[r] = fmax(fabs(s->c[r]), p->size ? s->unit[r] * p->size[r] : 0);
        s->scale = fmax(s->scale, s->size[r]);
        for (size_t k = 0; k < p->rows; k++) s->W[k + r * p->rows] *= s->unit[k] * s->unit[r];
    }
}

static int is_coupled(const part *s, size_t i, size_t k)
{
    for (size_t r = s->first[i]; r < s->first[i + 1]; r++)
        for (size_t c = s->first[k]; c < s->first[k + 1]; c++)
            if (fabs(s->W[r + c * s->rows]) > TOL_CONTACT_COUPLED) return 1;
    return 0;
}

/* Contacts that hang together with the first that is not yet taken; returns how many, in order. */
static size_t gather(contact_room *room)
{
    const part *s = &room->whole;
    size_t count = 0, most = 0;
    unsigned char *taken = room->is_taken;
    for (size_t i = 0; i < s->contacts && count == 0; i++)
        if (!taken[i]) taken[i] = 2, count = 1, most = i;
    for (int grows = count > 0; grows;) {
        grows = 0;
        for (size_t i = 0; i < s->contacts; i++)
            for (size_t k = 0; k < s->contacts && taken[i] == 2; k++)
                if (!taken[k] && is_coupled(s, i, k)) taken[k] = 2, grows = 1, most = k > most ? k : most;
    }
    count = 0;
    for (size_t i = 0; i < s->contacts; i++)
        if (taken[i] == 2) room->queue[count++] = i, taken[i] = 1;
    return count;
}

static void copy_contact(const part *s, size_t from, part *to, size_t i)
{
    to->contact_of[i] = from;
    to->kind[i] = s->kind[from];
    to->mu[i] = s->mu[from];
    to->hold[i] = s->hold[from];
    to->restitution[i] = s->restitution[from];
    to->was[i] = s->was[from];
    memcpy(to->d + CONTACT_TANGENTS * i, s->d + CONTACT_TANGENTS * from, CONTACT_TANGENTS * sizeof *to->d);
    to->first[i + 1] = to->first[i];
    for (size_t r = s->first[from]; r < s->first[from + 1]; r++) {
        const size_t own = to->first[i + 1]++;
        to->row_of[own] = r;
        to->unit[own] = s->unit[r];
        to->c[own] = s->c[r];
        to->size[own] = s->size[r];
        to->scale = fmax(to->scale, s->size[r]);
    }
}

int part_next(contact_room *room)
{
    const part *s = &room->whole;
    part *to = &room->now;
    to->contacts = gather(room);
    to->first[0] = 0;
    to->scale = 0;
    for (size_t i = 0; i < to->contacts; i++) copy_contact(s, room->queue[i], to, i);
    to->rows = to->first[to->contacts];
    for (size_t c = 0; c < to->rows; c++)
        for (size_t r = 0; r < to->rows; r++) to->W[r + c * to->rows] = s->W[to->row_of[r] + to->row_of[c] * s->rows];
    return to->contacts > 0;
}

void part_force(const part *s, size_t i, size_t option, double l[1 + CONTACT_TANGENTS])
{
    const double *d = s->d + CONTACT_TANGENTS * i;
    l[0] = 1;
    l[1] = l[2] = 0;
    if (s->kind[i] == KIND_SLIDER) l[1] = -s->mu[i] * d[0], l[2] = -s->mu[i] * d[1];
    if (s->kind[i] == KIND_PLANAR)
        l[1] = option == OPTION_EDGE       ? s->hold[i]
               : option == OPTION_EDGE + 1 ? -s->hold[i]
               : option == OPTION_SLIDE    ? -s->mu[i]
                                           : s->mu[i];
}

void part_motion(const part *s, const double *l, double *w)
{
    memcpy(w, s->c, s->rows * sizeof *w);
    for (size_t c = 0; c < s->rows; c++)
        for (size_t r = 0; r < s->rows && l[c] != 0; r++) w[r] += s->W[r + c * s->rows] * l[c];
}

/* Of one contact, in own units. */
static double misses(const part *s, size_t i, const double *l, const double *w, contact_mode mode)
{
    const size_t tangents = s->first[i + 1] - s->first[i] - 1;
    const int rests = s->kind[i] == KIND_PLANAR || s->kind[i] == KIND_CONE;
    double worst = fmax(-l[0], mode == CONTACT_OPENS ? fmax(-w[0], fabs(l[0])) : fabs(w[0]));
    double length = 0, force = 0;
    for (size_t t = 1; t <= tangents; t++) length = hypot(length, w[t]), force = hypot(force, l[t]);
    if (mode == CONTACT_OPENS || s->kind[i] == KIND_SMOOTH) return fmax(worst, force);
    if (rests && mode == CONTACT_HOLDS) return fmax(worst, fmax(length, force - s->hold[i] * l[0]));
    for (size_t t = 1; t <= tangents; t++) {
        const double d = !rests ? s->d[CONTACT_TANGENTS * i + t - 1] : length > 0 ? w[t] / length : 0;
        if (!rests || length > TOL_CONTACT * s->scale) worst = fmax(worst, fabs(l[t] + s->mu[i] * l[0] * d));
    }
    return fmax(worst, force - fmax(s->hold[i], s->mu[i]) * l[0]);
}

double part_residual(const part *s, const double *l, const double *w, const contact_mode *mode)
{
    double worst = 0, size = s->scale;
    for (size_t i = 0; i < s->contacts; i++) {
        const size_t first = s->first[i];
        worst = fmax(worst, misses(s, i, l + first, w + first, mode[i]));
        for (size_t r = first; r < s->first[i + 1]; r++) size = fmax(size, fabs(l[r]));
    }
    return size > 0 ? worst / size : 0;
}
