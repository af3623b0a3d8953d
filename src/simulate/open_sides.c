/* Contacts that may press or not, while others hold the same motion: a block at rest by friction against a stop. Which
   it is, and the instant at which it changes, is one choice of many, though the motion is not. */
#include "simulate/sim.h"
#include "dynamics/unique.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_SIZE = 160 };

/* ---- is it open? ---- */

static double largest(const mech_sim *s)
{
    double most = 0;
    for (size_t i = 0; i < s->rows; i++) most = fmax(most, s->dyn.active[i] ? fabs(s->dyn.total[i]) : 0);
    return most;
}

/* With these multipliers: contacts that are in force push, and what rests holds. */
static int is_admissible(const mech_sim *s, const double *total, double rounding)
{
    for (size_t c = 0; c < s->sizes.constraints; c++)
        if (s->contacts.list[c].state == CONTACT_CLOSED && sim_is_in_force(s, c) &&
            s->contacts.list[c].push * total[sim_normal_row(s, c)] < -rounding)
            return 0;
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const dynamics_friction *f = &s->dyn.friction[k];
        double F[FRICTION_MOST];
        if (!f->is_on || (!f->mode.holds && friction_norm(s->eq->slip + f->law.first, f->law.count) > f->slip_floor))
            continue;
        dynamics_friction_along(&s->dyn, k, total, F);
        if (friction_norm(F, f->law.count) >
            s->eq->static_mu[k] * friction_load(&f->law, s->eq->active, total) + rounding)
            return 0;
    }
    return 1;
}

/* Are there other multipliers of the same motion, with which the contact bears a little more, or a little less? w
   (rows): what they differ by; total (rows): scratch. */
static int is_open(const mech_sim *s, size_t constraint, const mech_diagnosis_result *found, double *w, double *total)
{
    const size_t row = sim_normal_row(s, constraint);
    const double share = TOL_OPEN_SHARE * largest(s);
    for (size_t i = 0; i < 2 * (size_t)found->m; i++) {
        if (!found->redundant[i / 2]) continue;
        unique_aim(&(unique_probe){.rows = s->rows, .w = w}, found, i / 2);
        if (w[row] == 0) continue;
        const double more = i % 2 ? -share : share;
        for (size_t k = 0; k < s->rows; k++)
            total[k] = s->dyn.total[k] + s->contacts.list[constraint].push * more * w[k] / w[row];
        if (s->contacts.list[constraint].push * total[row] >= 0 &&
            is_admissible(s, total, TOL_OPEN_ROUNDING * largest(s)))
            return 1;
    }
    return 0;
}

/* ---- who looks at it ---- */

static mech_status look(mech_sim *s, double *values)
{
    MECH_TRY(sim_set_point(s, s->t, s->y));
    sim_place_values(s, s->dyn.lambda, s->dyn.total, values);
    return MECH_OK;
}

static int reads_it(const mech_sim *s, const unsigned char *does, size_t event)
{
    const size_t trigger = s->unique.at.events + 2 * event;
    return does[trigger] || does[trigger + 1];
}

/* Whose values change with active(constraint), all else as it is, into `does`: of events, outputs, measures. */
static mech_status find_readers(mech_sim *s, size_t constraint, unsigned char *does)
{
    const sim_places at = s->unique.at;
    const int is_on = sim_is_in_force(s, constraint);
    double *here = s->unique.work, *there = here + at.count;
    MECH_TRY(look(s, here));
    eval_put_in_force(s->eval, constraint, !is_on);
    const mech_status status = look(s, there);
    eval_put_in_force(s->eval, constraint, is_on);
    MECH_TRY(status);
    memset(does, 0, at.count);
    for (size_t k = at.events; k < at.forces; k++) does[k] = memcmp(here + k, there + k, sizeof *here) != 0;
    for (size_t k = 0; k < s->sizes.measures; k++) {
        const size_t event = mech_system_measure(s->system, k).event;
        if (event != SIZE_MAX) does[at.measures + k] |= (unsigned char)reads_it(s, does, event);
    }
    return sim_accelerate(s, s->t, s->y);
}

/* ---- in words ---- */

static void list_events(const mech_sim *s, const unsigned char *does, char *names)
{
    size_t used = 0;
    names[0] = 0;
    for (size_t k = 0; k < s->sizes.events && used < NAMES_SIZE; k++)
        if (reads_it(s, does, k) && !sim_is_own_event(s, k))
            used += (size_t)snprintf(names + used, NAMES_SIZE - used, "%s event %s", used ? "," : ", as",
                                     mech_system_name(s->system, MECH_ITEM_EVENT, k));
}

static mech_status tell(mech_sim *s, size_t constraint, const double *w, const unsigned char *does)
{
    const char *name = mech_system_name(s->system, MECH_ITEM_CONSTRAINT, constraint);
    char others[NAMES_SIZE], events[NAMES_SIZE];
    const size_t count = sim_list_owners(s, w, constraint, others, sizeof others);
    list_events(s, does, events);
    s->contacts.list[constraint].is_told_open = 1;
    return sim_log_add(s, MECH_LOG_NOTE, name,
                       "contact on %s %s at an instant that is one choice of many, since %s hold%s the same motion; so "
                       "is what reads active(%s)%s: look at what they bear together, or leave %s out",
                       name, sim_is_in_force(s, constraint) ? "begins" : "is lost", others, count > 1 ? "" : "s", name,
                       events, sim_has_friction_in(s, w) ? "the friction" : "one of them");
}

/* ---- all of them ---- */

/* Did it change its side here, from touching to touching? */
static int has_changed(const mech_sim *s, size_t constraint)
{
    const char *name = mech_system_name(s->system, MECH_ITEM_CONSTRAINT, constraint);
    if (sim_is_in_force(s, constraint)) return s->contacts.list[constraint].pressed_at == s->t;
    for (size_t k = s->log.count; k-- > 0 && s->log.happened[k].t == s->t;)
        if (s->log.happened[k].kind == MECH_LOG_RELEASE && s->log.happened[k].name == name) return 1;
    return 0;
}

/* A contact that changed its side here, and touches. */
static int is_news(const mech_sim *s, size_t constraint)
{
    const int is_on = sim_is_in_force(s, constraint);
    if (s->contacts.list[constraint].push == 0 ||
        s->contacts.list[constraint].state != (is_on ? CONTACT_CLOSED : CONTACT_LEFT) || !has_changed(s, constraint))
        return 0;
    return !mech_system_side(s->system, constraint) || sim_side_at(s, constraint) == MECH_SIDE_TOUCHES;
}

static mech_status look_at(mech_sim *s, size_t constraint, double *w, double *total)
{
    unsigned char *does = s->unique.does;
    const mech_diagnosis_result *found;
    MECH_TRY(sim_diagnose_all(s, sim_normal_row(s, constraint), &found));
    if (!is_open(s, constraint, found, w, total)) return MECH_OK;
    MECH_TRY(find_readers(s, constraint, does));
    sim_mark_choices(s, does, 2);
    return s->contacts.list[constraint].is_told_open ? MECH_OK : tell(s, constraint, w, does);
}

mech_status sim_check_open_sides(mech_sim *s)
{
    if (s->method.kind == SIM_MOREAU) return MECH_OK;
    SIM_SCRATCH(s);
    double *w = sim_take_rows(s), *total = sim_take_rows(s);
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        if (!is_news(s, c)) continue;
        if (!sim_make_dense(s)) break; /* too large to say */
        MECH_TRY(look_at(s, c, w, total));
    }
    return MECH_OK;
}
