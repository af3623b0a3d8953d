/* What events do: stop, record, release, impose, impact, set; and what follows from them. */
#include "simulate/sim.h"
#include "dynamics/sides.h"
#include "fundamental/visit.h"

#include <math.h>
#include <string.h>

static mech_status not_finite(mech_sim *s, size_t event)
{
    const mech_status status = mech_eval_start(s->eval);
    char *text = status == MECH_ERR_NOT_FINITE ? mech_eval_explain(s->eval) : NULL;
    sim_blame(s, MECH_ERR_NOT_FINITE, "in event %s: %s", mech_system_name(s->system, MECH_ITEM_EVENT, event),
              text ? text : "the value of an action");
    mech_text_free(text);
    return MECH_ERR_NOT_FINITE;
}

static void set_active(mech_sim *s, size_t constraint, int is_active)
{
    sim_contact *contact = &s->contacts.list[constraint];
    const int leaves = !is_active && (contact->state == CONTACT_LEFT || sim_is_in_force(s, constraint));
    contact->state = leaves ? CONTACT_LEFT : CONTACT_APART;
    eval_put_in_force(s->eval, constraint, is_active);
    sim_update_active(s);
}

static mech_status lose_contact(mech_sim *s, size_t constraint)
{
    const char *name = sim_name(s, MECH_ITEM_CONSTRAINT, constraint);
    set_active(s, constraint, 0);
    return sim_log_add(s, MECH_LOG_RELEASE, name, "contact on %s is lost", name);
}

static int is_one_sided(const mech_sim *s, size_t constraint) { return mech_system_side(s->system, constraint) != 0; }

/* Which way a contact pushes: along the row that moves its trigger, against a clear approach; else, as its speed is all
   rounding, back to the side its trigger came from. Without such a row (a trigger by the clock) it is the fastest one.
   */
static void find_push(mech_sim *s, size_t event, size_t constraint)
{
    sim_contact *contact = &s->contacts.list[constraint];
    size_t count;
    const size_t first = mech_system_constraint_rows(s->system, constraint, &count);
    const int is_found = sim_find_push(s, event, constraint, s->events.watch[event].sign);
    for (size_t i = 0; i < count && !is_found && contact->push == 0; i++)
        if (fabs(s->eq->r_dot[first + i]) > fabs(s->eq->r_dot[sim_normal_row(s, constraint)])) contact->normal = i;
    const double rate = s->eq->r_dot[sim_normal_row(s, constraint)];
    if (fabs(rate) > sim_small_speed(s, constraint) || contact->push == 0) contact->push = rate > 0 ? -1 : 1;
}

/* Those of one `impact`. */
static mech_status mark_struck(mech_sim *s, size_t event, const mech_action_info *action, double e)
{
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    for (size_t i = 0; i < action->constraint_count; i++) {
        const size_t c = action->constraints[i];
        s->contacts.list[c].is_struck = 1;
        s->contacts.list[c].restitution = e;
        if (!is_one_sided(s, c)) find_push(s, event, c);
    }
    return MECH_OK;
}

/* The rows in force, and contacts, answer to velocities that do not meet them; contacts may open. */
static mech_status push(mech_sim *s)
{
    MECH_TRY(sim_impact(s, NULL));
    for (size_t c = 0; c < s->sizes.constraints; c++)
        if (s->contacts.list[c].share == SHARE_OPENS && s->contacts.list[c].state == CONTACT_CLOSED)
            MECH_TRY(lose_contact(s, c));
    return MECH_OK;
}

/* Contacts in force, listed in is_out (constraints), out of it for a while. */
static mech_status take_contacts_out(mech_sim *s, unsigned char *is_out)
{
    MECH_TRY(sim_set_point(s, s->t, s->y));
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        is_out[c] = (unsigned char)sim_is_unilateral(s, c);
        if (is_out[c]) eval_put_in_force(s->eval, c, 0);
    }
    sim_update_active(s);
    return MECH_OK;
}

static void put_contacts_back(mech_sim *s, const unsigned char *is_out)
{
    for (size_t c = 0; c < s->sizes.constraints; c++)
        if (is_out[c]) eval_put_in_force(s->eval, c, 1);
    sim_update_active(s);
}

mech_status sim_answer_jump(mech_sim *s, const double *impulse)
{
    SIM_SCRATCH(s);
    unsigned char *is_out = sim_take_mask(s); /* each constraint has a row at least */
    MECH_TRY(take_contacts_out(s, is_out));
    const mech_status status = sim_impact(s, impulse);
    put_contacts_back(s, is_out);
    return status == MECH_OK ? sim_leave_contacts(s) : status;
}

mech_status sim_put(mech_sim *s, const double *values)
{
    SIM_SCRATCH(s);
    unsigned char *is_out = sim_take_mask(s);
    mech_assemble_options at = {.size = sizeof at,
                                .t = s->t,
                                .q = s->y,
                                .v = s->y + s->n,
                                .z = s->y + 2 * s->n,
                                .atol = s->settings.atol,
                                .row_tol = s->settings.projection_tol,
                                .interrupt = s->settings.interrupt_now};
    fundamental_forget(s->assembly->solver); /* what it did last is not saved */
    const int has_closed = sim_has_contact(s, CONTACT_CLOSED);
    if (has_closed) MECH_TRY(take_contacts_out(s, is_out));
    const mech_status status = mech_assembly_follow(s->assembly, &at, values);
    if (has_closed) put_contacts_back(s, is_out);
    if (status == MECH_ERR_INTERRUPTED) return sim_asked_to_stop(s);
    if (status == MECH_OK) memcpy(s->y, mech_assembly_q(s->assembly), 2 * s->n * sizeof *s->y);
    return sim_remember(s, status);
}

mech_status sim_place_beside_contacts(mech_sim *s, int sees)
{
    if (!sim_has_contact(s, CONTACT_CLOSED)) return MECH_OK;
    SIM_SCRATCH(s);
    unsigned char *is_out = sim_take_mask(s);
    double *kept = sim_take_state(s);
    int is_beyond = 0;
    memcpy(kept, s->y, s->ny * sizeof *kept);
    if (sees) sim_see_before_set(s);
    MECH_TRY(take_contacts_out(s, is_out));
    mech_status status = sim_project_jump(s);
    put_contacts_back(s, is_out);
    if (status == MECH_OK) status = sim_set_point(s, s->t, s->y);
    for (size_t c = 0; c < s->sizes.constraints && status == MECH_OK; c++)
        is_beyond |= sim_side_at(s, c) == MECH_SIDE_BEYOND;
    if (is_beyond) memcpy(s->y, kept, s->ny * sizeof *kept);
    if (sees) sim_see_after_set(s, 0);
    return status;
}

mech_status sim_leave_contacts(mech_sim *s)
{
    const int has_closed = sim_has_contact(s, CONTACT_CLOSED);
    if (s->sizes.contacts) MECH_TRY(sim_touch_leave(s));
    return has_closed ? push(s) : MECH_OK;
}

/* One-sided ones are settled together, when all has happened. */
static int ends_at_rest(const mech_sim *s, size_t constraint)
{
    const sim_contact *contact = &s->contacts.list[constraint];
    return contact->is_struck && contact->restitution == 0 && contact->share != SHARE_OPENS &&
           !is_one_sided(s, constraint);
}

/* Bounces that died away by a method whose errors are larger than the last of them. */
static int may_end_early(const mech_sim *s, const sim_contact *contact, const char *name)
{
    if (!sim_methods[s->method.kind].is_multistep || contact->rest_at == 0) return 0;
    for (size_t i = 0; i < s->log.count; i++)
        if (s->log.happened[i].kind == MECH_LOG_IMPACT && s->log.happened[i].name == name) return 1;
    return 0;
}

/* Contact: what was struck and ended at rest is in force until it would have to pull. */
static mech_status close_contacts(mech_sim *s)
{
    for (size_t c = 0; c < s->sizes.constraints; c++)
        if (ends_at_rest(s, c)) set_active(s, c, 1);
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        sim_contact *contact = &s->contacts.list[c];
        const char *name = sim_name(s, MECH_ITEM_CONSTRAINT, c);
        if (!ends_at_rest(s, c)) continue;
        MECH_TRY(sim_accelerate(s, s->t, s->y));
        if (contact->push * s->dyn.total[sim_normal_row(s, c)] < 0) { /* it leaves by itself */
            set_active(s, c, 0);
            continue;
        }
        contact->state = CONTACT_CLOSED;
        MECH_TRY(sim_log_add(s, MECH_LOG_CONTACT, name, "impacts on %s have died away: it stays in contact", name));
        if (may_end_early(s, contact, name))
            MECH_TRY(sim_log_add(s, MECH_LOG_NOTE, name,
                                 "impacts on %s died away; by adams and bdf that may be early, like the root of rtol: "
                                 "rk8 and rk5 follow them farther, a one-sided constraint to their end",
                                 name));
    }
    return MECH_OK;
}

/* The speed below which an impact is the last. What touched and was pressed on from rest is no impact, but as fast as
   it sank in before its trigger was sure of it. */
static double died_away(const mech_sim *s, size_t constraint)
{
    const double slow = fmax(sim_small_speed(s, constraint), sim_rest_speed(s, constraint));
    if (!is_one_sided(s, constraint) || s->contacts.list[constraint].state != CONTACT_LEFT) return slow;
    return fmax(slow, sim_sinking_speed(s, constraint));
}

/* Is it slow enough to be the last? Then the speed it leaves with is 0. */
static mech_status judge(mech_sim *s, size_t constraint, double approach, double slow)
{
    sim_contact *contact = &s->contacts.list[constraint];
    const char *name = sim_name(s, MECH_ITEM_CONSTRAINT, constraint);
    const double e = contact->restitution;
    if (e < 0)
        return sim_fail(
            s, MECH_ERR_MODEL,
            "at t = %.10g: the coefficient of restitution on %s is %g, and a negative one lets it go on through", s->t,
            name, e);
    const double gap = sim_gap_beyond(s, constraint);
    if (gap != 0 && is_one_sided(s, constraint)) return sim_fail_beyond(s, constraint);
    if (gap != 0)
        return sim_fail(
            s, MECH_ERR_MODEL,
            "at t = %.10g: an impact on %s, which is not touched there: it is missed by %.3g. The event must cross where the constraint is "
            "met; `impose` puts the state onto it from afar",
            s->t, name, gap);
    if (approach > contact->fastest) contact->fastest = approach;
    if (approach > slow && e > 1) contact->driven = fmax(contact->driven, e);
    contact->rest_at = e > 0 ? s->t + sim_bounces_left(s, constraint) : 0;
    if (is_one_sided(s, constraint) && contact->state == CONTACT_LEFT) {
        contact->state = CONTACT_APART;
        if (approach <= slow) contact->pressed_at = s->t;
    }
    if (approach <= slow) {
        contact->restitution = 0;
        return MECH_OK;
    }
    return sim_log_add(s, MECH_LOG_IMPACT, name,
                       e > 1 ? "impact on %s with speed %.6g; restitution %.6g adds energy"
                             : "impact on %s with speed %.6g",
                       name, approach, e);
}

/* What is struck slower than what counts as died away opens others no faster: a block that rocks from corner to corner
   comes to rest on both. */
static mech_status judge_all(mech_sim *s)
{
    double slow = 0;
    int is_fast = 0;
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        if (!s->contacts.list[c].is_struck || sim_is_joined(s, c)) continue;
        const double most = died_away(s, c), approach = sim_approach(s, c);
        is_fast |= approach > most;
        slow = fmax(slow, most);
        MECH_TRY(judge(s, c, approach, most));
    }
    s->contacts.touch.slow = is_fast ? 0 : slow;
    return MECH_OK;
}

/* One-sided constraints that are touched at an impact elsewhere answer to it; those on velocities, which have no gap,
   also where they are open: they are passed while the impact lasts. */
static mech_status mark_touched(mech_sim *s)
{
    sim_evaluate_start(s);
    for (size_t i = 0; i < s->sizes.contacts; i++) {
        const size_t c = s->contacts.press.constraint[i];
        const double e = s->eq->action[mech_system_event(s->system, sim_own_event(s, i)).first_action];
        const mech_side place = sim_side_at(s, c);
        const int answers = place == MECH_SIDE_TOUCHES || place == MECH_SIDE_STRIKES || !side_has_gap(s->system, c);
        if (s->contacts.list[c].is_struck || !answers || sim_is_in_force(s, c)) continue;
        if (!isfinite(e)) return not_finite(s, sim_own_event(s, i));
        s->contacts.list[c].is_struck = 1;
        s->contacts.list[c].restitution = e;
    }
    return MECH_OK;
}

/* All that is marked, at once. */
static mech_status strike(mech_sim *s)
{
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    if (s->sizes.contacts) MECH_TRY(mark_touched(s));
    MECH_TRY(judge_all(s));
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT) MECH_TRY(sim_project_struck(s));
    MECH_TRY(push(s));
    MECH_TRY(close_contacts(s));
    for (size_t c = 0; c < s->sizes.constraints; c++) s->contacts.list[c].is_struck = 0;
    return MECH_OK;
}

mech_status sim_put_in_force(mech_sim *s, size_t constraint, int is_active)
{
    const size_t row = mech_system_constraint_rows(s->system, constraint, NULL);
    const int is_servo = mech_system_row(s->system, row).is_control; /* it gives no impulse: it comes to its path */
    /* from afar the impulse comes where it is put */
    const int jumps =
        is_active && !is_servo && (sim_gap_beyond(s, constraint) == 0 || sim_has_contact(s, CONTACT_CLOSED));
    set_active(s, constraint, is_active);
    return jumps ? sim_answer_jump(s, NULL) : MECH_OK;
}

mech_status sim_project_acted(mech_sim *s, int after_set)
{
    if (after_set) sim_see_before_set(s);
    const mech_status status = sim_project_jump(s);
    if (after_set) sim_see_after_set(s, 0);
    return status;
}

/* One that is no `set`. Each is done wholly, onto the constraints, before the next. */
static mech_status act(mech_sim *s, size_t event, const mech_action_info *action, double value)
{
    const int imposes = action->kind == MECH_ACTION_IMPOSE;
    if (imposes || action->kind == MECH_ACTION_RELEASE)
        for (size_t k = 0; k < action->constraint_count; k++)
            MECH_TRY(sim_put_in_force(s, action->constraints[k], imposes));
    if (action->kind == MECH_ACTION_IMPACT) {
        MECH_TRY(mark_struck(s, event, action, value));
        MECH_TRY(strike(s));
    }
    if (action->kind == MECH_ACTION_STOP) s->advance.has_stopped = 1;
    return SIM_JUMPS >> action->kind & 1 ? sim_project_acted(s, 0) : MECH_OK;
}

/* The first behind the `set`s that stand together from action `i` on, before `end`. */
static size_t behind_sets(const mech_sim *s, size_t i, size_t end)
{
    while (i < end && mech_system_action(s->system, i).kind == MECH_ACTION_SET) i++;
    return i;
}

/* Where in y a `set` puts its value: q, v and z stand there in this order. SIZE_MAX: nowhere. */
static size_t place_of_set(const mech_sim *s, size_t i)
{
    const mech_action_info action = mech_system_action(s->system, i);
    return action.variable == MECH_VARIABLE_EXPRESSION ? SIZE_MAX : (size_t)action.variable * s->n + action.index;
}

/* Tells, once of each event, which values that it set the constraints undid. */
static mech_status tell_undone(mech_sim *s, size_t event, size_t first, size_t end)
{
    const char *name = sim_name(s, MECH_ITEM_EVENT, event);
    int some = 0;
    for (size_t i = first; i < end && !s->events.watch[event].has_told; i++) {
        const size_t at = place_of_set(s, i);
        const double asked = s->record.row[i];
        if (at >= 2 * s->n || !(fabs(s->y[at] - asked) > TOL_GIVEN * fmax(1, fabs(asked)))) continue;
        some = 1;
        MECH_TRY(sim_log_add(s, MECH_LOG_NOTE, name, "event %s sets %s = %.6g, and the constraints make it %.6g", name,
                             s->assembly->names[at], asked, s->y[at]));
    }
    s->events.watch[event].has_told |= some;
    return MECH_OK;
}

/* The first state that these set; SIZE_MAX: none. */
static size_t first_state(const mech_sim *s, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const size_t at = place_of_set(s, i);
        if (at != SIZE_MAX && at >= 2 * s->n) return at - 2 * s->n;
    }
    return SIZE_MAX;
}

/* The `set`s of an event that stand together, from action *next on, before `end`; *next: the first behind them. */
static mech_status set_all(mech_sim *s, size_t event, size_t *next, size_t end)
{
    SIM_SCRATCH(s);
    double *values = sim_take_state(s), *momentum = sim_take_coords(s);
    const size_t first = *next, behind = *next = behind_sets(s, first, end), state = first_state(s, first, behind);
    const int looks = state != SIZE_MAX && !s->events.watch[event].has_told_momentum && sim_momentum_here(s, momentum);
    for (size_t i = 0; i < 2 * s->n; i++) values[i] = (double)NAN;
    sim_see_before_set(s);
    for (size_t i = first; i < behind; i++) {
        const size_t at = place_of_set(s, i);
        if (at != SIZE_MAX) *(at < 2 * s->n ? &values[at] : &s->y[at]) = s->record.row[i];
    }
    if (looks) MECH_TRY(sim_tell_momentum(s, event, state, momentum, values));
    MECH_TRY(sim_put(s, values));
    sim_see_after_set(s, 0);
    MECH_TRY(sim_place_beside_contacts(s, 1));
    MECH_TRY(sim_leave_contacts(s));
    MECH_TRY(sim_project_acted(s, 1));
    return tell_undone(s, event, first, behind);
}

/* Bounces that are written as `set` die away like 1, e, e^2, ...: infinitely many in a finite time, and no contact at
   the end of it. Where the times between them have shrunk to nothing, that is what this is. */
static mech_status guard_against_accumulation(mech_sim *s, size_t k)
{
    enum { FEWEST = 2, MOST_FREQUENT = 200, MOST_STRIKES = 20000 };
    sim_watch *w = &s->events.watch[k];
    const double gap = s->t - w->fired_at;
    const char *name = mech_system_name(s->system, MECH_ITEM_EVENT, k);
    const int sets = s->events.does[k] & SIM_SETS, strikes = s->events.does[k] & SIM_STRIKES;
    w->shrinking = gap < w->gap ? w->shrinking + 1 : 0;
    w->gap = gap;
    w->fired_at = s->t;
    w->largest_gap = fmax(w->largest_gap, gap);
    const double close = fmin(sim_resolution(s), TOL_FREQUENT * sim_span(s));
    /* what impacts and sets do has guards of its own; of bounces without loss there are many */
    w->frequent = gap < close && !sets ? w->frequent + 1 : 0;
    if (w->frequent > (strikes ? MOST_STRIKES : MOST_FREQUENT))
        return sim_fail(
            s, MECH_ERR_INTEGRATION,
            "at t = %.10g: event %s is not resolved: it happened %d times in a row within less than %.3g of the one before",
            s->t, name, w->frequent, close);
    if (!sets || w->shrinking < FEWEST || gap > TOL_ACCUMULATES * w->largest_gap) return MECH_OK;
    return sim_fail(
        s, MECH_ERR_INTEGRATION,
        "at t = %.10g: event %s accumulates: the last two came %.2g apart, each sooner than the one before. "
        "Bounces written as `set` never come to rest; `event %s: ... -> impact NAME restitution e` on a "
        "constraint NAME ends in contact",
        s->t, name, gap, name);
}

/* The action of an event that is an impact before anything else moves; 0: none. Those of all that fired come together,
   or the order of the events would set a bar rotating that lands on both ends at once. */
static size_t first_strike(const mech_sim *s, size_t event)
{
    const mech_event_info info = mech_system_event(s->system, event);
    for (size_t i = info.first_action; i < info.first_action + info.action_count; i++) {
        const mech_action_kind kind = mech_system_action(s->system, i).kind;
        if (kind == MECH_ACTION_IMPACT) return i + 1;
        if (kind != MECH_ACTION_RECORD && kind != MECH_ACTION_STOP) return 0;
    }
    return 0;
}

/* The event at which those come, in the order of the text; with one-sided constraints among them, before all: SIZE_MAX.
   sizes.events: there are none. */
static size_t strikes_at(const mech_sim *s)
{
    size_t first = s->sizes.events;
    for (size_t k = s->sizes.events; k-- > 0;) {
        if (s->events.watch[k].outcome != WATCH_FIRED || !first_strike(s, k)) continue;
        if (sim_is_own_event(s, k)) return SIZE_MAX;
        first = k;
    }
    return first;
}

static mech_status strike_together(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.events; k++) {
        const size_t first = s->events.watch[k].outcome == WATCH_FIRED ? first_strike(s, k) : 0;
        if (first == 0) continue;
        const mech_action_info action = mech_system_action(s->system, first - 1);
        if (!isfinite(s->record.row[first - 1])) return not_finite(s, k);
        MECH_TRY(mark_struck(s, k, &action, s->record.row[first - 1]));
    }
    MECH_TRY(strike(s));
    return sim_project_acted(s, 0);
}

static mech_status tell_events(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.events; k++) {
        if (s->events.watch[k].outcome != WATCH_FIRED) continue;
        const char *name = mech_system_name(s->system, MECH_ITEM_EVENT, k);
        MECH_TRY(guard_against_accumulation(s, k));
        if (sim_is_own_event(s, k)) continue; /* what it does is told */
        s->info.events++;
        sim_measure_event(s, k);
        MECH_TRY(sim_log_add(s, MECH_LOG_EVENT, name, "event %s", name ? name : "?"));
    }
    return MECH_OK;
}

/* Has this event values that are still to be used? */
static int has_values(const mech_sim *s, size_t event, int has_struck)
{
    const mech_event_info info = mech_system_event(s->system, event);
    const size_t done = has_struck ? first_strike(s, event) : 0;
    int some = 0;
    for (size_t i = info.first_action; i < info.first_action + info.action_count; i++)
        some |= i + 1 != done && SIM_VALUED >> mech_system_action(s->system, i).kind & 1;
    return some;
}

/* The values of the actions of all events, from this one on, at the last evaluation: into s->record.row, which is at
   least as long. */
static void take_values(mech_sim *s, size_t from)
{
    sim_evaluate_start(s);
    for (size_t k = from; k < s->sizes.events; k++) {
        const mech_event_info info = mech_system_event(s->system, k);
        for (size_t i = info.first_action; i < info.first_action + info.action_count; i++)
            s->record.row[i] = s->eq->action[i];
    }
}

/* Other rows in force or another state: which contacts press, what sticks. */
static mech_status settle_acted(mech_sim *s)
{
    if (s->sizes.contacts) return sim_touch_settle(s);
    return s->sizes.frictions ? sim_friction_settle_all(s) : MECH_OK;
}

/* Events before this one have changed something: its values are those of the state that they left. */
static mech_status take_values_anew(mech_sim *s, size_t event, int has_struck)
{
    if (!has_values(s, event, has_struck)) return MECH_OK;
    MECH_TRY(settle_acted(s));
    MECH_TRY(sim_watch_here(s));
    sim_show_solved(s);
    take_values(s, event);
    sim_friction_let_go(s);
    return MECH_OK;
}

/* The actions of an event in turn, but for the first impact, which was done with those of others. */
static mech_status act_event(mech_sim *s, size_t event)
{
    const mech_event_info info = mech_system_event(s->system, event);
    const size_t done = first_strike(s, event), end = info.first_action + info.action_count;
    for (size_t i = info.first_action; i < end; i++)
        if (i + 1 != done && SIM_VALUED >> mech_system_action(s->system, i).kind & 1 && !isfinite(s->record.row[i]))
            return not_finite(s, event);
    for (size_t i = info.first_action; i < end;) {
        const mech_action_info action = mech_system_action(s->system, i);
        if (action.kind == MECH_ACTION_SET) MECH_TRY(set_all(s, event, &i, end));
        else if (++i != done) MECH_TRY(act(s, event, &action, s->record.row[i - 1]));
    }
    return MECH_OK;
}

/* Events of one instant act in the order of the text, each on what the one before left; one event takes all its values
   before it acts. *has_left: a contact that would have to pull is left. */
static mech_status act_all(mech_sim *s, int *has_left)
{
    const size_t strikes = strikes_at(s);
    int has_struck = strikes == SIZE_MAX;
    unsigned before = has_struck ? SIM_STRIKES : 0; /* what those before did */
    MECH_TRY(tell_events(s));
    if (has_struck) MECH_TRY(strike_together(s));
    for (size_t k = 0; k < s->sizes.events; k++) {
        if (s->events.watch[k].outcome != WATCH_FIRED) continue;
        if (before & SIM_CHANGES) MECH_TRY(take_values_anew(s, k, has_struck));
        if (k == strikes) MECH_TRY(strike_together(s));
        has_struck |= k == strikes;
        MECH_TRY(act_event(s, k));
        before |= s->events.does[k];
    }
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        if (s->events.watch[s->events.first_contact + c].outcome != WATCH_FIRED ||
            s->contacts.list[c].state != CONTACT_CLOSED)
            continue;
        MECH_TRY(lose_contact(s, c));
        *has_left = 1;
    }
    return MECH_OK;
}

int sim_has_event(const mech_sim *s) { return sim_first_fired(s, 0, s->events.first_switch) < s->events.first_switch; }

/* Friction that reached 0 speed, or whose stick gave way. */
static mech_status act_friction(mech_sim *s, int *changes)
{
    SIM_SCRATCH(s);
    unsigned char *has_fired = sim_take_mask(s); /* each friction has a row at least */
    int any = 0;
    for (size_t k = 0; k < s->sizes.frictions; k++)
        any |= has_fired[k] =
            s->events.watch[s->events.first_friction + k].outcome == WATCH_FIRED && s->dyn.friction[k].is_on;
    *changes |= any;
    return any ? sim_friction_act(s, has_fired) : MECH_OK;
}

static mech_status guard_against_endless(mech_sim *s)
{
    if (fabs(s->t - s->events.last_time) > TOL_INSTANT * sim_span(s)) s->events.at_instant = 0;
    s->events.last_time = s->t;
    if (++s->events.at_instant <= s->settings.max_events) return MECH_OK;
    const size_t k = sim_first_fired(s, 0, s->sizes.events);
    const char *name = k < s->sizes.events ? mech_system_name(s->system, MECH_ITEM_EVENT, k) : NULL;
    return sim_blame(s, MECH_ERR_INTEGRATION, "%s%s: %zu times without the clock advancing",
                     name ? "event " : "friction or contact", name ? name : "", s->events.at_instant - 1);
}

/* has_row: that of the state before it is there. */
static mech_status act_once(mech_sim *s, int must_restart, int has_row)
{
    unsigned does = 0; /* all that those do that have fired */
    for (size_t k = 0; k < s->sizes.events; k++)
        if (s->events.watch[k].outcome == WATCH_FIRED) does |= s->events.does[k];
    const int moves = (does & SIM_JUMPS) != 0;
    int changes = (does & SIM_CHANGES) != 0;
    MECH_TRY(guard_against_endless(s));
    if (s->settings.rows_at_events && !has_row) MECH_TRY(sim_row_at_event(s));
    MECH_TRY(sim_measure_point(s));
    MECH_TRY(sim_note_triggers(s));
    const double h = sim_energy(s).h; /* shows reactions to what has a value */
    take_values(s, 0);
    if (moves) sim_friction_let_go(s);
    MECH_TRY(act_all(s, &changes));
    if (changes && (s->sizes.contacts || s->sizes.frictions)) MECH_TRY(settle_acted(s));
    else {
        MECH_TRY(act_friction(s, &changes));
        if (changes) MECH_TRY(sim_touch_pass_kink(s)); /* what slides now may press on what it touches */
        sim_friction_forget(s);
    }
    if (changes) MECH_TRY(sim_measure_bounces(s));
    /* what comes to stick is brought to rest: that takes a little, too */
    if (moves || (changes && s->sizes.frictions)) MECH_TRY(sim_energy_jumped(s, h));
    if (changes) { /* other rows in force: what was unique may not be so any more */
        MECH_TRY(sim_accelerate(s, s->t, s->y));
        MECH_TRY(sim_check_unique(s, 1));
        if (s->settings.rows_at_events) MECH_TRY(sim_row_at_event(s));
        MECH_TRY(sim_measure_point(s));
        MECH_TRY(sim_see_jumps(s));
    }
    return must_restart || changes || sim_switched(s) != SIZE_MAX ? sim_restart(s, 0) : sim_events_begin(s);
}

/* Impulses, contacts and rows that come and go make forces and velocities jump: what passes its threshold by that
   happens at the same instant. */
mech_status sim_act_on_events(mech_sim *s, int must_restart)
{
    MECH_TRY(act_once(s, must_restart, 0));
    while (sim_fire_jumped(s)) MECH_TRY(act_once(s, 0, 1));
    return MECH_OK;
}
