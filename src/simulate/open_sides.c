/* Contacts that may press or not, while others hold the same motion: a block at rest by friction against a stop. Which
   it is, and the instant at which it changes, is one choice of many, though the motion is not. */
#include "simulate/sim.h"
#include "base/try.h"
#include "dynamics/sides.h"

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

static int is_in_force(const mech_sim *s, size_t constraint)
{
    return s->eq->active[sim_normal_row(s, constraint)] != 0;
}

/* With these multipliers: contacts that are in force push, and what rests holds. */
static int is_admissible(const mech_sim *s, const double *total, double rounding)
{
    for (size_t c = 0; c < s->sizes.constraints; c++)
        if (s->contact[c].state == CONTACT_CLOSED && is_in_force(s, c) &&
            s->contact[c].push * total[sim_normal_row(s, c)] < -rounding)
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

/* Rows in force, those of friction that constraints stop, and that of the contact: which depend on one another. */
static mech_status diagnose(mech_sim *s, size_t row, const mech_diagnosis_result **found)
{
    const size_t mark = sim_mark(s);
    unsigned char *natural = sim_take_mask(s);
    double *zero = sim_take_rows(s);
    mech_status status;
    for (size_t i = 0; i < s->rows; i++) natural[i] = i == row || (s->dyn.active[i] && !s->dyn.servo[i]);
    memset(zero, 0, s->rows * sizeof *zero);
    if (s->unique.diagnosis) {
        dynamics_put_stopped(&s->dyn, natural);
        mech_fundamental_input equation = dynamics_question(&s->dyn, s->zero, zero, natural);
        equation.rank_tol = s->dyn.out.rank_tol;
        const mech_diagnosis_input input = {.size = sizeof input, .equation = &equation};
        status = mech_diagnosis_run(s->unique.diagnosis, &input);
    } else status = sim_diagnose_rows(s, natural, NULL, s->dyn.out.rank_tol);
    sim_release(s, mark);
    *found = mech_diagnosis_get(s->unique.diagnosis ? s->unique.diagnosis : s->diagnosis);
    return status;
}

/* Are there other multipliers of the same motion, with which the contact bears a little more, or a little less? w
   (rows): what they differ by; total (rows): scratch. */
static int is_open(const mech_sim *s, size_t constraint, const mech_diagnosis_result *found, double *w, double *total)
{
    const size_t row = sim_normal_row(s, constraint), rows = (size_t)found->m;
    const double share = TOL_OPEN_SHARE * largest(s);
    for (size_t i = 0; i < 2 * rows; i++) {
        const size_t extra = i / 2;
        if (!found->redundant[extra]) continue;
        memset(w, 0, s->rows * sizeof *w);
        for (size_t k = 0; k < rows; k++) w[k] = k == extra ? 1 : -found->depends[extra + k * rows];
        if (w[row] == 0) continue;
        const double more = i % 2 ? -share : share;
        for (size_t k = 0; k < s->rows; k++)
            total[k] = s->dyn.total[k] + s->contact[constraint].push * more * w[k] / w[row];
        if (s->contact[constraint].push * total[row] >= 0 && is_admissible(s, total, TOL_OPEN_ROUNDING * largest(s)))
            return 1;
    }
    return 0;
}

/* ---- who looks at it ---- */

/* Trigger and condition of each event, outputs, measures. */
static size_t value_count(const mech_sim *s) { return 2 * s->sizes.events + s->sizes.outputs + s->sizes.measures; }

static mech_status look(mech_sim *s, double *values)
{
    MECH_TRY(sim_set_point(s, s->t, s->y));
    mech_status status = dynamics_show(&s->dyn, s->dyn.lambda, s->dyn.total);
    status = mech_eval_output(s->eval);
    status = mech_eval_start(s->eval);
    (void)status; /* what is not finite is compared as it is */
    for (size_t k = 0; k < s->sizes.events; k++, values += 2) {
        values[0] = s->eq->trigger[k];
        values[1] = s->eq->condition[k];
    }
    memcpy(values, s->eq->output, s->sizes.outputs * sizeof *values);
    memcpy(values + s->sizes.outputs, s->eq->measure, s->sizes.measures * sizeof *values);
    return MECH_OK;
}

static int differ(double a, double b) { return memcmp(&a, &b, sizeof a) != 0; }

/* Whose values change with active(constraint), all else as it is, into `does` (value_count). */
static mech_status find_readers(mech_sim *s, size_t constraint, unsigned char *does)
{
    const size_t count = value_count(s);
    const int is_on = is_in_force(s, constraint);
    double *here = s->unique.readers_work, *there = here + count;
    MECH_TRY(look(s, here));
    eval_put_in_force(s->eval, constraint, !is_on);
    const mech_status status = look(s, there);
    eval_put_in_force(s->eval, constraint, is_on);
    MECH_TRY(status);
    for (size_t k = 0; k < count; k++) does[k] = (unsigned char)differ(here[k], there[k]);
    return sim_accelerate(s, s->t, s->y);
}

static void mark_readers(mech_sim *s, const unsigned char *does)
{
    const unsigned char *outputs = does + 2 * s->sizes.events, *measures = outputs + s->sizes.outputs;
    for (size_t k = 0; k < s->sizes.outputs; k++) s->record.is_choice[s->record.first_output + k] |= outputs[k];
    for (size_t k = 0; k < s->sizes.measures; k++) {
        const size_t event = mech_system_measure(s->system, k).event;
        s->unique.is_choice[k] |= measures[k];
        if (event != SIZE_MAX) s->unique.is_choice[k] |= does[2 * event] | does[2 * event + 1];
    }
}

/* ---- in words ---- */

/* Those with a row in w, but for the contact; returns how many, *has_friction: friction is among them. */
static size_t list_others(const mech_sim *s, size_t constraint, const double *w, char *names, int *has_friction)
{
    size_t count = 0, last = SIZE_MAX, used = 0;
    names[0] = 0;
    *has_friction = 0;
    for (size_t row = 0; row < s->rows; row++) {
        const int is_friction = row >= s->m;
        const size_t k = is_friction ? sim_friction_of(s, row) : mech_system_row(s->system, row).constraint,
                     owner = is_friction ? s->sizes.constraints + k : k;
        if (w[row] == 0 || owner == last || owner == constraint) continue;
        last = owner;
        *has_friction |= is_friction;
        const char *name = is_friction ? sim_friction_name(s, k) : mech_system_name(s->system, MECH_ITEM_CONSTRAINT, k);
        if (used < NAMES_SIZE)
            used += (size_t)snprintf(names + used, NAMES_SIZE - used, "%s%s%s", count ? ", " : "",
                                     is_friction ? "friction on " : "", name ? name : "?");
        count++;
    }
    return count;
}

static void list_events(const mech_sim *s, const unsigned char *does, char *names)
{
    size_t used = 0;
    names[0] = 0;
    for (size_t k = 0; k < s->sizes.events && used < NAMES_SIZE; k++)
        if ((does[2 * k] || does[2 * k + 1]) && !sim_is_own_event(s, k))
            used += (size_t)snprintf(names + used, NAMES_SIZE - used, "%s event %s", used ? "," : ", as",
                                     mech_system_name(s->system, MECH_ITEM_EVENT, k));
}

static mech_status tell(mech_sim *s, size_t constraint, const double *w, const unsigned char *does)
{
    const char *name = mech_system_name(s->system, MECH_ITEM_CONSTRAINT, constraint);
    char others[NAMES_SIZE], events[NAMES_SIZE];
    int has_friction;
    const size_t count = list_others(s, constraint, w, others, &has_friction);
    list_events(s, does, events);
    s->contact[constraint].is_told_open = 1;
    return sim_happened(
        s, MECH_HAPPENED_NOTE, name,
        "contact on %s %s at an instant that is one choice of many, since %s hold%s the same motion; so "
        "is what reads active(%s)%s: look at what they bear together, or leave %s out",
        name, is_in_force(s, constraint) ? "begins" : "is lost", others, count > 1 ? "" : "s", name, events,
        has_friction ? "the friction" : "one of them");
}

/* ---- all of them ---- */

/* Did it change its side here, from touching to touching? */
static int has_changed(const mech_sim *s, size_t constraint)
{
    const char *name = mech_system_name(s->system, MECH_ITEM_CONSTRAINT, constraint);
    if (is_in_force(s, constraint)) return s->contact[constraint].pressed_at == s->t;
    for (size_t k = s->log.count; k-- > 0 && s->log.happened[k].t == s->t;)
        if (s->log.happened[k].kind == MECH_HAPPENED_RELEASE && s->log.happened[k].name == name) return 1;
    return 0;
}

/* A contact that changed its side here, and touches. */
static int is_news(const mech_sim *s, size_t constraint)
{
    const int is_on = is_in_force(s, constraint);
    if (s->contact[constraint].push == 0 || s->contact[constraint].state != (is_on ? CONTACT_CLOSED : CONTACT_LEFT) ||
        !has_changed(s, constraint))
        return 0;
    return !mech_system_side(s->system, constraint) ||
           side_at(s->system, s->eq, constraint, sim_small_speed(s, constraint)) == MECH_SIDE_TOUCHES;
}

static mech_status look_at(mech_sim *s, size_t constraint, double *w, double *total)
{
    unsigned char *does = s->unique.readers;
    const mech_diagnosis_result *found;
    MECH_TRY(diagnose(s, sim_normal_row(s, constraint), &found));
    if (!is_open(s, constraint, found, w, total)) return MECH_OK;
    MECH_TRY(find_readers(s, constraint, does));
    mark_readers(s, does);
    return s->contact[constraint].is_told_open ? MECH_OK : tell(s, constraint, w, does);
}

mech_status sim_check_open_sides(mech_sim *s)
{
    mech_status status = MECH_OK;
    if (s->way.method == SIM_MOREAU) return MECH_OK;
    const size_t mark = sim_mark(s);
    double *w = sim_take_rows(s), *total = sim_take_rows(s);
    for (size_t c = 0; c < s->sizes.constraints && status == MECH_OK; c++) {
        if (!is_news(s, c)) continue;
        if (!sim_make_dense(s)) break; /* too large to say */
        status = look_at(s, c, w, total);
    }
    sim_release(s, mark);
    return status;
}

mech_status sim_open_sides_create(mech_sim *s)
{
    return ARENA_MAKE(&s->memory, ARRAY_OF(s->unique.readers_work, 2 * value_count(s)),
                      ARRAY_OF(s->unique.readers, value_count(s)));
}
