/* Whose friction it is: the contact without which there would be one motion, and its coefficient from which on there is
   not. */
#include "contact/room.h"

#include <math.h>
#include <string.h>

/* Has the part with contact i one motion, when its coefficients are so large a part of what they are? */
static int is_single(contact_room *room, const contact_problem *p, size_t i, double fraction, contact_verdict *verdict)
{
    int is_examined, is_in = 0;
    double residual;
    const char *reason;
    part_scale(room, p, 0);
    room->whole.mu[i] *= fraction;
    room->whole.hold[i] *= fraction;
    if (fraction == 0) room->whole.kind[i] = KIND_SMOOTH;
    memset(room->is_taken, 0, p->contacts);
    while (!is_in && part_next(room))
        for (size_t k = 0; k < room->now.contacts; k++) is_in |= room->now.contact_of[k] == i;
    *verdict = part_solve(room, &is_examined, &residual, &reason);
    return is_examined && *verdict == CONTACT_ONE;
}

size_t contact_blame(contact_room *room, const contact_problem *p, double *mu)
{
    size_t blamed = p->contacts, candidates = 0;
    double low = 0, high = 1;
    contact_verdict verdict;
    *mu = HUGE_VAL;
    for (size_t i = 0; i < p->contacts; i++) {
        if (p->point[i].tangents == 0 || is_single(room, p, i, 1, &verdict) || !is_single(room, p, i, 0, &verdict))
            continue;
        candidates++;
        blamed = i;
    }
    if (candidates != 1) return p->contacts;
    while (high - low > TOL_CONTACT_BLAME * high) {
        const double middle = (low + high) / 2;
        if (is_single(room, p, blamed, middle, &verdict)) low = middle;
        else high = middle;
        if (middle == low && middle == high) break;
    }
    *mu = high * p->point[blamed].mu;
    return blamed;
}
