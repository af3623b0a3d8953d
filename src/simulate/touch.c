/* One-sided constraints in a run: which are in force at the start and after anything sudden. Between these a contact
   that is in force is a row like any other, and its reaction is watched. */
#include "simulate/sim.h"
#include "dynamics/sides.h"

#include <math.h>
#include <stdio.h>

int sim_is_own_event(const mech_sim *s, size_t event) { return event + s->sizes.contacts >= s->sizes.events; }

/* Beyond it by more than a step errs: it would be met from the wrong side, and never. One on velocities is struck. */
static mech_status look_beyond(mech_sim *s, size_t constraint)
{
    if (s->advance.has_started && (!side_has_gap(s->system, constraint) || sim_gap_beyond(s, constraint) == 0))
        return MECH_OK;
    return sim_fail_beyond(s, constraint);
}

mech_status sim_fail_beyond(mech_sim *s, size_t constraint)
{
    return sim_fail(s, MECH_ERR_NO_START, "at t = %.10g: the state is beyond %s by %.6g, where nothing can be", s->t,
                    sim_name(s, MECH_ITEM_CONSTRAINT, constraint), fabs(side_excess(s->system, s->eq, constraint)));
}

/* Those that touch, into list. One on velocities that something sudden put beyond it is struck at this instant. */
static mech_status list_touched(mech_sim *s, size_t *list, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < s->sizes.contacts; i++) {
        const size_t c = s->contacts.press.constraint[i];
        const mech_side place = sim_side_at(s, c);
        const int is_on = sim_is_in_force(s, c);
        sim_watch *own = &s->events.watch[sim_own_event(s, i)];
        if (place == MECH_SIDE_BEYOND) MECH_TRY(look_beyond(s, c));
        if (place == MECH_SIDE_BEYOND && !is_on && s->advance.has_started && !side_has_gap(s->system, c))
            own->jump = JUMP_SEEN;
        else if (own->jump == JUMP_SEEN) own->jump = JUMP_NONE;
        /* what is in force and left within what counts as died away stays */
        if (place == MECH_SIDE_TOUCHES || is_on) list[(*count)++] = c;
    }
    return MECH_OK;
}

static void put(void *user, size_t constraint, int is_in_force)
{
    mech_sim *s = user;
    eval_put_in_force(s->eval, constraint, is_in_force);
    sim_update_active(s);
}

static mech_status solve(void *user)
{
    mech_sim *s = user;
    if (s->sizes.frictions) MECH_TRY(sim_friction_try(s));
    return sim_accelerate(s, s->t, s->y);
}

static mech_status tell(mech_sim *s, size_t constraint, int was_on, int is_on)
{
    sim_contact *contact = &s->contacts.list[constraint];
    const char *name = sim_name(s, MECH_ITEM_CONSTRAINT, constraint);
    const int was_left = contact->state == CONTACT_LEFT;
    contact->state = is_on ? CONTACT_CLOSED : CONTACT_LEFT;
    if (!is_on) contact->idle_at = s->t;
    if (is_on && !was_on && was_left) contact->pressed_at = s->t;
    if (is_on == was_on || (was_left && !is_on)) return MECH_OK;
    if (!is_on) return sim_log_add(s, MECH_LOG_RELEASE, name, "contact on %s is lost", name);
    if (contact->rest_at > s->t)
        return sim_log_add(s, MECH_LOG_CONTACT, name,
                           "contact on %s: its bounces, too small to follow, end at t = %.14g", name, contact->rest_at);
    return sim_log_add(s, MECH_LOG_CONTACT, name, "contact on %s", name);
}

/* What the choice found out besides. */
static mech_status judge(mech_sim *s, const sides *p, const sides_found *found)
{
    const char *name = sim_name(s, MECH_ITEM_CONSTRAINT, p->constraint[0]);
    if (!found->is_found) {
        const double limit = p->count == 1 ? sim_blow_limit(s, p->constraint[0]) : HUGE_VAL;
        char below[80] = "a smaller coefficient has an answer";
        if (limit < HUGE_VAL) snprintf(below, sizeof below, "below a coefficient of %.11g there is an answer", limit);
        return sim_fail(s, MECH_ERR_NO_REACTION,
                        "at t = %.10g: no force of the contact on %s meets the law of friction (Painleve's paradox): "
                        "friction loads its own contact too strongly for a rigid body; %s",
                        s->t, name, below);
    }
    if (found->motions > 1)
        return sim_log_add(s, MECH_LOG_NOTE, name,
                           "contact on %s and its friction allow %d motions (Painleve): that with least change goes on",
                           name, found->motions);
    if (!found->is_examined)
        return sim_log_add(s, MECH_LOG_NOTE, name,
                           "%zu contacts with friction: whether the motion is unique was not examined", p->count);
    return MECH_OK;
}

/* One that is struck is no contact at rest: its event comes at once. */
static mech_status leave(mech_sim *s, size_t constraint, int is_told)
{
    const char *name = sim_name(s, MECH_ITEM_CONSTRAINT, constraint);
    put(s, constraint, 0);
    s->contacts.list[constraint].state = CONTACT_APART;
    return is_told ? sim_log_add(s, MECH_LOG_RELEASE, name, "contact on %s is lost", name) : MECH_OK;
}

mech_status sim_touch_fall_away(mech_sim *s, size_t row, int *is_left)
{
    *is_left = 0;
    for (size_t i = 0; i < s->sizes.contacts && !*is_left; i++) {
        const size_t c = s->contacts.press.constraint[i];
        *is_left = sim_normal_row(s, c) == row && mech_system_side(s->system, c) * s->eq->r[row] > 0;
        if (*is_left) MECH_TRY(leave(s, c, 1));
    }
    return MECH_OK;
}

mech_status sim_touch_leave(mech_sim *s)
{
    MECH_TRY(sim_set_point(s, s->t, s->y));
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        const mech_side place = sim_side_at(s, c);
        if (place == MECH_SIDE_BEYOND) MECH_TRY(look_beyond(s, c));
        if (place != MECH_SIDE_OPEN && place != MECH_SIDE_STRIKES) continue;
        if (sim_is_in_force(s, c)) MECH_TRY(leave(s, c, place == MECH_SIDE_OPEN));
    }
    return MECH_OK;
}

/* Those that touch are tried in force, but for those that have just lifted off. What bears nothing is left out of force
   once; if it is pressed on at once again, its load only begins to grow. */
static void prepare(mech_sim *s, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t c = s->contacts.touch.list[i];
        s->contacts.touch.was_on[c] = (unsigned char)sim_is_in_force(s, c);
        s->contacts.touch.leaves[c] = s->contacts.list[c].state == CONTACT_LEFT;
        s->contacts.touch.stays[c] = s->t - s->contacts.list[c].idle_at <= TOL_AHEAD * sim_span(s);
        if (!s->contacts.touch.leaves[c]) put(s, c, 1);
    }
}

static mech_status ask(mech_sim *s, sides *p)
{
    *p = (sides){.d = &s->dyn,
                 .user = s,
                 .constraint = s->contacts.touch.list,
                 .leaves = s->contacts.touch.leaves,
                 .stays = s->contacts.touch.stays,
                 .put = put,
                 .solve = solve};
    MECH_TRY(sim_set_point(s, s->t, s->y));
    return list_touched(s, s->contacts.touch.list, &p->count);
}

mech_status sim_touch_pass_kink(mech_sim *s)
{
    sides p;
    if (!s->sizes.contacts) return MECH_OK;
    MECH_TRY(ask(s, &p));
    for (size_t c = 0; c < s->sizes.constraints; c++)
        s->contacts.touch.leaves[c] = s->contacts.list[c].state == CONTACT_LEFT;
    if (p.count) MECH_TRY(sim_accelerate(s, s->t, s->y));
    return p.count == 0 || sides_stand(&p) ? MECH_OK : sim_touch_settle(s);
}

mech_status sim_touch_settle(mech_sim *s)
{
    sides p;
    sides_found found;
    MECH_TRY(ask(s, &p));
    const size_t count = p.count;
    if (!count) return s->sizes.frictions ? sim_friction_settle_all(s) : MECH_OK;
    prepare(s, count);
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT) MECH_TRY(sim_project(s, s->t, s->y));
    MECH_TRY(sides_choose(&p, &found));
    MECH_TRY(judge(s, &p, &found));
    for (size_t i = 0; i < count; i++) {
        const size_t c = s->contacts.touch.list[i];
        MECH_TRY(tell(s, c, s->contacts.touch.was_on[c], sim_is_in_force(s, c)));
    }
    return sim_friction_tell(s);
}
