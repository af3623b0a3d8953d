/* Impacts, part by part: of one contact by its flow, of several by compression, expansion and the balance of energy. */
#include "contact/room.h"

#include <math.h>
#include <string.h>

typedef struct impact {
    contact_room *room;
    part *s;
    double *before, *P; /* rows: velocities before, impulses */
    int is_jammed;
    int is_examined;
    double scaled_by, residual;
    const char *reason;
} impact;

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Change of the kinetic energy by impulses P from velocities u. */
static double energy_of(const part *s, const double *u, const double *P)
{
    double sum = 0;
    for (size_t c = 0; c < s->rows; c++)
        for (size_t r = 0; r < s->rows; r++) sum += P[r] * s->W[r + c * s->rows] * P[c];
    return dot(s->rows, P, u) + sum / 2;
}

static int approaches(const part *s, size_t i)
{
    const size_t n = s->first[i];
    return s->c[n] < -TOL_CONTACT * s->size[n];
}

/* ---- one contact ---- */

/* Contact i alone, where the others are let go; 0: they are not, or it cannot be. */
static int hit_alone(impact *m, size_t i)
{
    const part *s = m->s;
    double own[1 + CONTACT_TANGENTS];
    memset(m->P, 0, s->rows * sizeof *m->P);
    m->reason = flow_impact(s, i, m->is_jammed, s->c + s->first[i], own);
    if (m->reason) return 0;
    memcpy(m->P + s->first[i], own, (s->first[i + 1] - s->first[i]) * sizeof *own);
    part_motion(s, m->P, m->room->work[0]);
    for (size_t k = 0; k < s->contacts; k++)
        if (m->room->work[0][s->first[k]] < -TOL_CONTACT * s->scale) return 0;
    return 1;
}

/* The only one that is hit; contacts: there are none or several. */
static size_t only_one(const part *s)
{
    size_t only = s->contacts, count = 0;
    for (size_t i = 0; i < s->contacts; i++)
        if (approaches(s, i)) only = i, count++;
    return count == 1 ? only : s->contacts;
}

static int one_contact(impact *m)
{
    const part *s = m->s;
    if (!m->is_jammed) return only_one(s) < s->contacts && hit_alone(m, only_one(s));
    for (size_t i = 0; i < s->contacts; i++)
        if (s->kind[i] != KIND_SMOOTH && hit_alone(m, i)) return 1;
    return 0;
}

/* ---- several ---- */

static int is_nothing(const part *s, const double *P)
{
    for (size_t r = 0; r < s->rows; r++)
        if (fabs(P[r]) > TOL_CONTACT * s->scale) return 0;
    return 1;
}

/* Of all motions of compression the one that takes most energy; a jam wants one that does something. */
static int compress(impact *m)
{
    contact_room *room = m->room;
    const part *s = m->s;
    double least = HUGE_VAL;
    size_t best = room->found, count = 0;
    const contact_verdict verdict = part_solve(room, &m->is_examined, &m->residual, &m->reason);
    if (verdict == CONTACT_NONE || verdict == CONTACT_FAILED) return 0;
    best = room->found;
    for (size_t k = 0; k < room->found; k++) {
        const double energy = energy_of(s, s->c, room->list[k].l);
        if (m->is_jammed && is_nothing(s, room->list[k].l)) continue;
        count++;
        if (energy < least) least = energy, best = k;
    }
    if (best == room->found) {
        m->reason = "no impulse without approach";
        return 0;
    }
    forces_settle(room, &room->list[best], room->is_own_unique);
    memcpy(m->P, room->list[best].l, s->rows * sizeof *m->P);
    room->found = count;
    return 1;
}

/* What expansion may give back: e^2 of what the normal impulses took, and never more than all that was taken. */
static double share_of(const impact *m, const double *after)
{
    const part *s = m->s;
    const double taken = fmax(0, -energy_of(s, m->before, m->P));
    double all = 0, back = 0;
    for (size_t i = 0; i < s->contacts; i++) {
        const size_t n = s->first[i];
        const double own = fmax(0, -m->P[n] * (m->before[n] + after[n]) / 2);
        all += own;
        back += s->restitution[i] * s->restitution[i] * own;
    }
    return all > taken ? back * taken / all : back;
}

/* Poisson's expansion: at least e of the compression, more where contacts would sink in, with friction. */
static int expand(impact *m)
{
    contact_room *room = m->room;
    part *s = m->s;
    double *given = room->work[1], *bias = room->work[2], *more = room->work[8], *after = room->work[9];
    int is_any = 0;
    memset(given, 0, s->rows * sizeof *given);
    memset(bias, 0, s->rows * sizeof *bias);
    part_motion(s, m->P, after);
    for (size_t i = 0; i < s->contacts; i++) {
        given[s->first[i]] = s->restitution[i] * m->P[s->first[i]];
        bias[i] = s->mu[i] * given[s->first[i]];
        is_any |= given[s->first[i]] > 0;
    }
    if (!is_any) return 1;
    const double share = share_of(m, after);
    memcpy(s->c, after, s->rows * sizeof *after);
    part_motion(s, given, more);
    memcpy(s->c, more, s->rows * sizeof *more);
    const int is_found = newton_forces(room, bias, more, &m->residual);
    memcpy(s->c, after, s->rows * sizeof *after);
    if (!is_found) {
        m->reason = "no expansion was found";
        return 0;
    }
    for (size_t r = 0; r < s->rows; r++) more[r] += given[r];
    const double along = dot(s->rows, more, after), gain = energy_of(s, after, more), square = gain - along;
    if (gain > share + TOL_CONTACT_ENERGY * fmax(share, -energy_of(s, m->before, m->P)))
        m->scaled_by = 2 * share / (along + sqrt(along * along + 4 * square * share));
    if (gain > share && along <= 0 && share <= 0) m->scaled_by = square > 0 ? -along / square : 0;
    for (size_t r = 0; r < s->rows; r++) m->P[r] += m->scaled_by * more[r];
    return 1;
}

/* ---- the whole ---- */

static void name_modes(const part *s, const double *w, contact_mode *mode)
{
    for (size_t i = 0; i < s->contacts; i++) {
        const size_t n = s->first[i], rows = s->first[i + 1] - n;
        const double none = TOL_CONTACT * s->scale;
        const double speed = rows > 1 ? hypot(w[n + 1], rows > 2 ? w[n + 2] : 0) : 0;
        mode[i] = w[n] > none                                    ? CONTACT_OPENS
                  : s->kind[i] == KIND_SMOOTH || !(speed > none) ? CONTACT_HOLDS
                                                                 : CONTACT_SLIDES;
    }
}

/* 0: failed. The motion of the part is left in room->list[0]. */
static contact_verdict meet(impact *m)
{
    contact_room *room = m->room;
    part *s = m->s;
    found_motion *f = &room->list[0];
    int is_hit = m->is_jammed;
    contact_verdict verdict = CONTACT_ONE;
    memcpy(m->before, s->c, s->rows * sizeof *m->before);
    memset(room->is_own_unique, 1, s->contacts);
    memset(m->P, 0, s->rows * sizeof *m->P);
    room->found = 1;
    m->is_examined = 1;
    for (size_t i = 0; i < s->contacts; i++) is_hit |= approaches(s, i);
    if (is_hit && !one_contact(m)) {
        if (s->contacts == 1) return m->is_jammed ? CONTACT_NONE : CONTACT_FAILED;
        m->reason = NULL;
        if (!compress(m)) return m->is_jammed ? CONTACT_NONE : CONTACT_FAILED;
        if (!expand(m)) return CONTACT_FAILED;
        verdict = room->found > 1 ? CONTACT_SEVERAL : CONTACT_ONE;
        memcpy(s->c, m->before, s->rows * sizeof *s->c);
    }
    m->reason = NULL;
    memcpy(f->l, m->P, s->rows * sizeof *f->l);
    part_motion(s, f->l, f->w);
    name_modes(s, f->w, f->mode);
    return verdict;
}

/* What of P >= 0, |Pt| <= mu P, un >= 0 is not met after an impact, by the size of the velocities. */
static double misses(const part *s, const double *P, const double *w)
{
    double worst = 0, size = s->scale;
    for (size_t i = 0; i < s->contacts; i++) {
        const size_t n = s->first[i], rows = s->first[i + 1] - n;
        const double force = rows > 1 ? hypot(P[n + 1], rows > 2 ? P[n + 2] : 0) : 0;
        worst = fmax(worst, fmax(-P[n], fmax(-w[n], force - (s->kind[i] == KIND_SMOOTH ? 0 : s->mu[i] * P[n]))));
        size = fmax(size, fabs(P[n]));
    }
    return size > 0 ? worst / size : 0;
}

void contact_impulses(contact_room *room, const contact_problem *p, int is_jammed, contact_answer *a)
{
    impact m = {.room = room, .s = &room->now, .before = room->before, .P = room->P, .is_jammed = is_jammed};
    int is_moved = 0;
    part_scale(room, p, 1);
    answer_begin(room, a);
    while (part_next(room)) {
        m.scaled_by = 1;
        const contact_verdict own = meet(&m);
        found_motion *f = &room->list[0];
        if (own == CONTACT_NONE && is_jammed) { /* another part may be the one that jams */
            memset(f->l, 0, room->now.rows * sizeof *f->l);
            memcpy(f->w, room->now.c, room->now.rows * sizeof *f->w);
            name_modes(&room->now, f->w, f->mode);
        } else if (own == CONTACT_FAILED) {
            a->verdict = CONTACT_FAILED;
            a->residual = m.residual;
            a->reason = m.reason ? m.reason : "the impact came to no end";
            return;
        } else {
            is_moved = 1;
            if (own == CONTACT_SEVERAL && a->verdict == CONTACT_ONE) a->verdict = CONTACT_SEVERAL;
        }
        answer_write(room, f, 0);
        for (size_t i = 0; i < room->now.contacts; i++)
            room->is_force_unique[room->now.contact_of[i]] = room->is_own_unique[i];
        a->motions *= room->found;
        a->is_examined &= m.is_examined;
        a->energy += energy_of(&room->now, m.before, f->l);
        a->scaled_by = fmin(a->scaled_by, m.scaled_by);
        a->residual = fmax(a->residual, misses(&room->now, f->l, f->w));
    }
    if (is_jammed && !is_moved) {
        a->verdict = CONTACT_NONE;
        a->reason = "no impulse without approach";
    }
}
