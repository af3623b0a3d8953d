/* The balance as a judge. A step of a method with error control errs in y by e |tolerance|, e its own estimate (at most
   1): the energy by |dE/dy . error|, the constraints by |A . error|. Over a run these add up. What misses by more than
   a hundred times their sum was not made by the steps' errors: something was not seen. */
#include "simulate/resolve.h"
#include "simulate/spikes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PATIENCE = 100; /* estimates are of the lower order of a pair, in a mean norm */
static const double ROWS = 10;      /* interpolants err by more than steps do */

void sim_judge_weigh(mech_sim *s)
{
    sim_judge *j = &s->audit.judge;
    const mech_sim_settings *o = &s->settings;
    const double *q = s->y, *v = s->y + s->n;
    double energy = 0, position = 0, velocity = 0;
    for (size_t k = 0; k < s->dyn.pattern_M.count; k++) { /* |M v| . |error of v|, by the entries */
        const size_t a = s->dyn.pattern_M.row[k], b = s->dyn.pattern_M.column[k];
        const double m = fabs(s->eq->M[k]);
        energy += m * fabs(v[b]) * (o->atol + o->rtol * fabs(v[a]));
        if (a != b) energy += m * fabs(v[a]) * (o->atol + o->rtol * fabs(v[b]));
    }
    for (size_t i = 0; i < s->n; i++) energy += fabs(s->eq->Q[i]) * (o->atol + o->rtol * fabs(q[i]));
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++) {
        const double a = fabs(s->eq->A[k]);
        const size_t i = s->dyn.pattern_A.column[k];
        if (!s->onto.velocity[s->dyn.pattern_A.row[k]]) continue;
        position += a * (o->atol + o->rtol * fabs(q[i]));
        velocity += a * (o->atol + o->rtol * fabs(v[i]));
    }
    j->energy_weight = energy;
    j->position_weight = position;
    j->velocity_weight = velocity;
}

void sim_judge_step(mech_sim *s)
{
    sim_judge *j = &s->audit.judge;
    /* its norm is a mean; one that stands beyond the tolerance, as steps at the floor do, explains no more than that */
    const double part = fmin(s->stepper->error, 1) * sqrt((double)(2 * s->n));
    /* the power integrated is in no error test, or in a weaker one: its own error counts */
    const double miss = fabs(s->audit.last_balance - j->last);
    const double power = s->stepper->free_error + s->audit.power_tolerance +
                         (s->audit.power_tolerance > 0 ? s->settings.rtol * fabs(s->y[s->ny - 1]) : 0);
    const double allowed = part * j->energy_weight + power + 100 * DBL_EPSILON * s->info.energy_scale;
    j->energy += allowed;
    j->velocity += part * j->velocity_weight;
    j->position += part * j->position_weight + (s->stepper->t - s->stepper->t_old) * j->velocity;
    j->last = s->audit.last_balance;
    j->most_balance = fmax(j->most_balance, fabs(s->audit.last_balance));
    j->most_phi = fmax(j->most_phi, j->phi);
    j->most_rate = fmax(j->most_rate, j->rate);
    if (!(miss > j->worst * allowed)) return;
    j->worst = miss / allowed;
    j->worst_miss = miss;
    j->worst_time = s->t;
}

/* All measures that are not known to the tolerance; why, where nothing else was told. */
static void warn_of_measures(mech_sim *s)
{
    enum { ROOM = 200 }; /* for one of them */
    char *const warning = s->log.warning;
    const size_t size = sizeof s->log.warning;
    for (size_t k = sim_measure_in_doubt(s, 0); k != SIZE_MAX; k = sim_measure_in_doubt(s, k + 1)) {
        const sim_measure *m = &s->measures.list[k];
        const char *name = mech_system_name(s->system, MECH_ITEM_MEASURE, k);
        const double part = m->unknown / m->absolute;
        const size_t used = strlen(warning);
        if (used == 0) {
            snprintf(
                warning, size,
                "measure %s may be off by %.2g of itself: near t = %.6g it changes within less than the resolution, "
                "%.3g, as a value does that is very fast or grows without bound; give a finer one, or a value that is bounded",
                name, part, m->worst_time, sim_resolution(s));
        } else if (size - used > ROOM) {
            snprintf(warning + used, size - used, "; measure %.100s may be off by %.2g of itself near t = %.6g", name,
                     part, m->worst_time);
        } else {
            snprintf(warning + used, size - used, "; and so may others");
            return;
        }
    }
}

void sim_judge_close(mech_sim *s)
{
    const sim_judge *j = &s->audit.judge;
    const mech_sim_info *i = &s->info;
    double place = 0, rate = 0; /* what projections leave */
    for (size_t row = 0; row < s->m; row++) {
        place = fmax(place, 100 * s->leeway.row[row]);
        rate = fmax(rate, 100 * s->leeway.rate[row]);
    }
    /* steps that the clock or rounding ends are not judged by it */
    const double allowed = PATIENCE * j->energy + TOL_BALANCE * i->energy_scale;
    char *const warning = s->log.warning;
    const size_t size = sizeof s->log.warning;
    warning[0] = 0;
    if (s->method.kind == SIM_MOREAU) {
        if (i->has_energy && j->most_balance > TOL_FIXED_BALANCE * i->energy_scale)
            snprintf(
                warning, size,
                "the energy balance misses by %.3g: steps of one length err in proportion to it. Give a shorter max_step",
                j->most_balance);
        return;
    }
    if (!sim_spikes_warn(s, warning, size) && s->events.unresolved) {
        const char *kind, *name = sim_watch_name(s, s->events.unresolved_watch, &kind);
        snprintf(
            warning, size,
            "%s%s may have passed its threshold and come back unseen in %zu stretches of time, first at t = %.6g: it changes within less than the "
            "resolution, %.3g; give a finer one",
            kind, name, s->events.unresolved, s->events.unresolved_time, sim_resolution(s));
    }
    warn_of_measures(s);
    if (warning[0]) return;
    if (s->measures.unresolved)
        snprintf(warning, size,
                 "what is measured may have gone up or down and come back unseen in %zu stretches of time, first at "
                 "t = %.6g: it changes within less than the resolution, %.3g; give a finer one",
                 s->measures.unresolved, s->measures.unresolved_time, sim_resolution(s));
    else if (i->has_energy && j->most_balance > allowed)
        snprintf(
            warning, size,
            "the energy balance misses by %.3g, %.2g times what the errors of the steps explain; most of it (%.3g) in the step that ends at t = %.6g. "
            "Something there changes within less than a step and was not seen: try a finer resolution, a shorter max_step, or another method",
            j->most_balance, j->most_balance / j->energy, j->worst_miss, j->worst_time);
    else if (i->has_energy && i->balance_error > ROWS * allowed)
        snprintf(
            warning, size,
            "the energy balance of rows between steps misses by %.3g, %.2g times what the errors of the steps explain: "
            "something changes within less than a step. Try a shorter max_step, or another method",
            i->balance_error, i->balance_error / j->energy);
    /* off the constraints from the start, as it was asked for */
    else if (s->settings.start != MECH_START_ASSEMBLE) return;
    else if (j->most_phi > PATIENCE * j->position + place || j->most_rate > PATIENCE * j->velocity + rate)
        snprintf(
            warning, size,
            "the constraints are missed by %.3g in positions and %.3g in velocities, more than a hundred times what the errors of the steps explain (%.3g and %.3g): "
            "try a shorter max_step, another method, or stabilize project",
            j->most_phi, j->most_rate, j->position, j->velocity);
}

const char *mech_sim_warning(const mech_sim *sim) { return sim->log.warning; }
