/* One-sided constraints at one instant: those that touch and press are in force; the others are not. */
#include "dynamics/instant.h"

#include "base/try.h"
#include "dynamics/sides.h"
#include "system/owner.h"

#include <math.h>
#include <stdio.h>

typedef struct question {
    mech_instant *s;
    const mech_instant_input *at;
} question;

static void put(void *user, size_t constraint, int is_in_force)
{
    eval_put_in_force(((question *)user)->s->d.eval, constraint, is_in_force);
}

static mech_status solve(void *user)
{
    const question *x = user;
    MECH_TRY(instant_gather(x->s, x->at));
    return instant_friction_solve(x->s);
}

/* Where each stands, and those that touch into s->touched; none of them in force. */
static mech_status look(mech_instant *s, const mech_instant_input *at, size_t *count)
{
    const dynamics *d = &s->d;
    const double atol = side_atol(d->eval);
    *count = 0;
    for (size_t c = 0; c < d->sizes.constraints; c++)
        if (mech_system_side(d->system, c)) eval_put_in_force(s->d.eval, c, 0);
    MECH_TRY(instant_gather(s, at));
    for (size_t c = 0; c < d->sizes.constraints; c++) {
        const mech_side place = side_at(d->system, d->eq, c, 0, atol);
        s->side[c] = (unsigned char)place;
        if (place == MECH_SIDE_TOUCHES) s->touched[(*count)++] = c;
        if (place != MECH_SIDE_BEYOND) continue;
        snprintf(s->words, sizeof s->words, "the state is beyond '%s' by %.6g, where nothing can be",
                 mech_system_name(d->system, MECH_ITEM_CONSTRAINT, c), fabs(side_excess(d->system, d->eq, c)));
        return instant_refuse(s, s->words);
    }
    return MECH_OK;
}

mech_status instant_sides_solve(mech_instant *s, const mech_instant_input *at)
{
    question x = {.s = s, .at = at};
    sides p = {.d = &s->d, .user = &x, .constraint = s->touched, .put = put, .solve = solve};
    sides_found found;
    MECH_TRY(look(s, at, &p.count));
    for (size_t i = 0; i < p.count; i++) put(&x, s->touched[i], 1);
    if (!p.count) return solve(&x);
    MECH_TRY(sides_choose(&p, &found));
    if (found.is_found && found.motions < 2) return MECH_OK;
    s->culprits = 0;
    for (size_t i = 0; i < p.count; i++)
        s->culprit[s->culprits++] = (int)mech_system_constraint_rows(s->d.system, s->touched[i], NULL);
    return instant_fail(s, found.is_found ? MECH_ERR_MANY_REACTIONS : MECH_ERR_NO_REACTION);
}
