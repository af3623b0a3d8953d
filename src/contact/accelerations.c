/* Accelerations: part by part, and put together in the units given. */
#include "contact/room.h"

#include <math.h>
#include <string.h>

static int is_enumerable(const part *s)
{
    if (s->contacts > CONTACT_ALL_MODES) return 0;
    for (size_t i = 0; i < s->contacts; i++)
        if (s->kind[i] == KIND_CONE) return 0;
    return 1;
}

static int is_smooth(const part *s)
{
    for (size_t i = 0; i < s->contacts; i++)
        if (s->kind[i] != KIND_SMOOTH) return 0;
    return 1;
}

contact_verdict part_solve(contact_room *room, int *is_examined, double *residual, const char **reason)
{
    const part *s = &room->now;
    *is_examined = is_smooth(s);
    if (room->one_is_enough && newton_search(room, residual, reason) == CONTACT_ONE) return CONTACT_ONE;
    if (is_enumerable(s)) {
        modes_search(room, is_examined);
        if (room->found == 0) *reason = "no modes of the contacts meet all laws";
        return room->found == 0                            ? CONTACT_NONE
               : room->found > 1 || room->list[0].is_range ? CONTACT_SEVERAL
                                                           : CONTACT_ONE;
    }
    /* without friction the motion is that of a convex quadratic program: there is no other */
    *is_examined = is_smooth(s);
    return newton_search(room, residual, reason);
}

void answer_begin(contact_room *room, contact_answer *a)
{
    const part *s = &room->whole;
    memset(a, 0, sizeof *a);
    a->is_examined = 1;
    a->motions = a->kept = 1;
    a->scaled_by = 1;
    a->is_force_unique = room->is_force_unique;
    a->is_without = room->is_without;
    memset(room->is_without, 0, s->contacts);
    memset(room->is_force_unique, 1, s->contacts);
    memset(room->is_taken, 0, s->contacts);
    for (size_t k = 0; k < CONTACT_MOTIONS_MOST; k++)
        a->motion[k] = (contact_motion){.l = room->l[k], .w = room->w[k], .mode = room->mode[k]};
}

/* A motion of the part, into the k-th of the whole. Where a law asks for 0 it is 0: the residual says what it was. */
void answer_write(contact_room *room, const found_motion *f, size_t k)
{
    const part *s = &room->now;
    for (size_t i = 0; i < s->contacts; i++) {
        const int is_closed = f->mode[i] != CONTACT_OPENS;
        const int holds = f->mode[i] == CONTACT_HOLDS && s->kind[i] != KIND_SMOOTH;
        room->mode[k][s->contact_of[i]] = f->mode[i];
        for (size_t r = s->first[i]; r < s->first[i + 1]; r++) {
            const int is_still = is_closed && (r == s->first[i] || holds);
            room->l[k][s->row_of[r]] = f->l[r] * s->unit[r];
            room->w[k][s->row_of[r]] = is_still ? 0 : f->w[r] / s->unit[r];
        }
    }
}

/* One part's verdict beside those before. */
static contact_verdict join(contact_verdict a, contact_verdict b)
{
    if (a == CONTACT_FAILED || b == CONTACT_FAILED) return CONTACT_FAILED;
    if (a == CONTACT_NONE || b == CONTACT_NONE) return CONTACT_NONE;
    return a == CONTACT_SEVERAL || b == CONTACT_SEVERAL ? CONTACT_SEVERAL : CONTACT_ONE;
}

/* The chosen motion of a part into all that are kept, and its others with the chosen ones of the parts before. */
static void add_part(contact_room *room, contact_answer *a)
{
    const part *s = &room->now;
    for (size_t k = 0; k < CONTACT_MOTIONS_MOST; k++) answer_write(room, &room->list[0], k);
    for (size_t j = 1; j < room->found && a->kept < CONTACT_MOTIONS_MOST; j++) {
        const size_t k = a->kept++;
        memcpy(room->l[k], room->l[0], room->whole.rows * sizeof *room->l[0]);
        memcpy(room->w[k], room->w[0], room->whole.rows * sizeof *room->w[0]);
        memcpy(room->mode[k], room->mode[0], room->whole.contacts * sizeof *room->mode[0]);
        answer_write(room, &room->list[j], k);
    }
    for (size_t i = 0; i < s->contacts; i++) room->is_force_unique[s->contact_of[i]] = room->is_own_unique[i];
    a->motions *= room->found;
}

void contact_accelerations(contact_room *room, const contact_problem *p, contact_answer *a)
{
    part_scale(room, p, 0);
    answer_begin(room, a);
    while (part_next(room)) {
        int is_examined;
        double residual = 0;
        const contact_verdict own = part_solve(room, &is_examined, &residual, &a->reason);
        a->verdict = join(a->verdict, own);
        a->is_examined &= is_examined;
        if (room->found > 0) {
            found_motion *best = &room->list[0];
            forces_settle(room, best, room->is_own_unique);
            residual = part_residual(&room->now, best->l, best->w, best->mode);
            for (size_t k = 0; k < room->found; k++) a->is_continuum |= room->list[k].is_range;
            add_part(room, a);
        } else {
            a->motions = 0;
            for (size_t i = 0; i < room->now.contacts; i++) room->is_without[room->now.contact_of[i]] = 1;
        }
        a->residual = fmax(a->residual, residual);
    }
    if (a->verdict == CONTACT_NONE || a->verdict == CONTACT_FAILED) a->motions = a->kept = 0;
}

double contact_limit(double Wnn, double Wnt, double d) { return d * Wnt > 0 ? Wnn / (d * Wnt) : HUGE_VAL; }
