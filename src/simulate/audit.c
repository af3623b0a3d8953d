/* The account of a run: residuals, energy balance. */
#include "simulate/sim.h"

#include <math.h>

void sim_audit_begin(mech_sim *s)
{
    s->singular.start.ratio = s->singular.narrow.ratio = HUGE_VAL;
    s->singular.seen_count = 0;
    if (sim_accelerate(s, s->t, s->y) != MECH_OK) return; /* the run itself will say so */
    const sim_energies e = sim_energy(s);
    s->audit.energy_start = s->info.energy_first = s->info.energy_last = e.h;
    s->audit.work_start = s->y[s->ny - 1];
    s->info.energy_scale = fmax(fabs(e.h), e.kinetic);
    sim_judge_weigh(s);
}

void sim_largest_residuals(const mech_sim *s, const double *r, const double *r_dot, double *phi, double *phi_dot,
                           double *psi)
{
    *phi = *phi_dot = *psi = 0;
    for (size_t i = 0; i < s->m; i++) {
        if (!s->onto.velocity[i]) continue;
        double *rate = s->onto.holonomic[i] ? phi_dot : psi;
        if (s->onto.holonomic[i]) *phi = fmax(*phi, fabs(r[i]));
        *rate = fmax(*rate, fabs(r_dot[i]));
    }
}

double sim_balance(const mech_sim *s, double h, double w)
{
    return h - s->audit.energy_start - (w - s->audit.work_start) - s->info.event_energy;
}

void sim_audit_note(mech_sim *s, const double *r, const double *r_dot, double h, double kinetic, double w)
{
    double phi, phi_dot, psi;
    mech_sim_info *info = &s->info;
    sim_largest_residuals(s, r, r_dot, &phi, &phi_dot, &psi);
    info->phi = fmax(info->phi, phi);
    info->phi_dot = fmax(info->phi_dot, phi_dot);
    info->psi = fmax(info->psi, psi);
    s->audit.judge.phi = phi;
    s->audit.judge.rate = fmax(phi_dot, psi);
    if (h != 0 || kinetic != 0) info->has_energy = 1;
    info->energy_scale = fmax(info->energy_scale, fmax(fabs(h), kinetic));
    s->audit.last_balance = sim_balance(s, h, w);
    info->balance_error = fmax(info->balance_error, fabs(s->audit.last_balance));
}

void sim_audit_drift(mech_sim *s, double phi, double velocity)
{
    s->info.raw_phi = fmax(s->info.raw_phi, phi);
    s->info.raw_velocity = fmax(s->info.raw_velocity, velocity);
}

/* Residuals and energy need no solve: the multipliers are those of the last evaluation. */
mech_status sim_audit_step(mech_sim *s)
{
    /* a step that meets the constraints as it is is not evaluated again at its end: no solve told singular values */
    if (s->dyn.out.rank > 0 && s->singular.narrow.ratio == HUGE_VAL &&
        s->settings.stabilize == MECH_STABILIZE_PROJECT && !sim_hides_ends(s))
        MECH_TRY(sim_accelerate(s, s->t, s->y));
    MECH_TRY(sim_audit_rank(s));
    MECH_TRY(sim_set_point(s, s->t, s->y));
    const sim_energies e = sim_energy(s);
    for (int k = 0; k < 4; k++) /* kinetic, potential, dissipation, h: the state alone decides */
        if (!isfinite(s->eq->energy[k])) return sim_remember(s, mech_eval_output(s->eval));
    sim_audit_note(s, s->eq->r, s->eq->r_dot, e.h, e.kinetic, s->y[s->ny - 1]);
    sim_judge_weigh(s);
    sim_judge_step(s);
    s->info.energy_last = e.h;
    return MECH_OK;
}

mech_sim_info mech_sim_info_get(const mech_sim *sim)
{
    mech_sim_info info = sim->info;
    info.size = sizeof info;
    info.method = (mech_method)(sim->method.kind + 1); /* behind auto */
    info.method_text = sim_methods[sim->method.kind].name;
    info.stabilize = (mech_stabilize)sim->settings.stabilize;
    info.power_integral = sim->y[sim->ny - 1] - sim->audit.work_start;
    if (sim->stepper) sim_add_counts(sim->stepper, &info);
    if (info.rank_least < 0) info.rank_least = 0;
    const mech_fundamental_sparse_info sparse = mech_fundamental_sparse_info_get(sim->dyn.solver);
    info.solves += sparse.solves;
    info.robust += sparse.robust;
    info.explained = sim->audit.judge.energy;
    info.resolution = sim->events.resolver ? sim_resolution(sim) : 0;
    if (sim->onto.fast.uses_motion) {
        const mech_counts fast = mech_eval_counts(sim->eval);
        info.fast = fast.motions;
        info.fast_fallbacks = fast.fallbacks;
        info.fast_robust = fast.robust;
    }
    return info;
}

static void add_line(textbuf *t, const char *what, double value)
{
    text_format(t, "%-22s %.10g\n", what, value); /* the JSON report has all digits */
}

static void add_constraints(const mech_sim *sim, const mech_sim_info *i, textbuf *t)
{
    text_format(t, "%-22s %.3g in positions, %.3g in velocities, %.3g nonholonomic\n", "constraints missed by", i->phi,
                i->phi_dot, i->psi);
    text_format(t, "%-22s %.3g in positions, %.3g in velocities, before it is corrected\n", "drift of a step",
                i->raw_phi, i->raw_velocity);
    text_format(t, "%-22s %d to %d of %zu", "independent rows", i->rank_least, i->rank_most, sim->m + sim->dyn.nf);
    if (sim->dyn.nf) text_format(t, " (%zu of constraints, %zu of friction that sticks)", sim->m, sim->dyn.nf);
    text_add_char(t, '\n');
    if (i->smallest_singular > 0)
        text_format(t, "%-22s %.3g at t = %.6g\n", "least singular value", i->smallest_singular, i->smallest_time);
    text_format(t, "%-22s %zu\n", "near-singular passages", i->near_singular);
    if (i->solves) text_format(t, "%-22s %zu; the rank was in doubt in %zu\n", "sparse solves", i->solves, i->robust);
}

static void add_energy(const mech_sim_info *i, textbuf *t)
{
    add_line(t, "energy at the start", i->energy_first);
    add_line(t, "energy at the end", i->energy_last);
    add_line(t, "changed by power", i->power_integral);
    if (i->event_energy != 0) add_line(t, "changed by events", i->event_energy);
    text_format(t, "%-22s %.3g; the errors of the steps explain %.2g, the largest energy is %.3g\n",
                "balance missed by", i->balance_error, i->explained, i->energy_scale);
}

static void add_log(const mech_sim *sim, textbuf *t)
{
    enum { MOST_SHOWN = 12 };
    const size_t count = mech_sim_log_count(sim);
    for (size_t i = 0; i < count && i < MOST_SHOWN; i++) {
        const mech_log_entry h = mech_sim_log_get(sim, i);
        text_format(t, "%-22s t = %-12.8g %s\n", i ? "" : "what happened", h.t, h.text);
    }
    if (count > MOST_SHOWN)
        text_format(t, "%-22s ... and %zu more; the JSON report lists them all\n", "", count - MOST_SHOWN);
}

/* Of what is not unique (mech_sim_output_is_choice). */
static const char *looks_at(int reason)
{
    return reason == 2 ? "looks at whether a constraint is active, which is" : "uses multipliers that are";
}

char *mech_sim_audit_text(const mech_sim *sim)
{
    static const char *const ways[] = {"project", "excess", "none"};
    const mech_sim_info i = mech_sim_info_get(sim);
    textbuf t = {0};
    text_format(&t, "%-22s %s, stabilize %s\n", "method", i.method_text, ways[i.stabilize]);
    add_line(&t, "time reached", sim->t);
    text_format(&t, "%-22s %zu, %zu rejected, %zu evaluations\n", "steps", i.steps, i.rejected, i.evaluations);
    if (sim->m) add_constraints(sim, &i, &t);
    if (i.fast)
        text_format(
            &t, "%-22s %zu by generated code, of which %zu were done again with more care and %zu by the full solve\n",
            "accelerations", i.fast, i.fast_fallbacks, i.fast_robust);
    if (i.has_energy) add_energy(&i, &t);
    if (i.resolution > 0) text_format(&t, "%-22s %.3g\n", "triggers resolved to", i.resolution);
    text_format(&t, "%-22s %zu\n", "events", i.events);
    for (size_t k = 0; k < sim->sizes.outputs; k++)
        if (mech_sim_output_is_choice(sim, k))
            text_format(&t, "%-22s output %s %s not unique\n", "one choice of many",
                        mech_system_name(sim->system, MECH_ITEM_OUTPUT, k),
                        looks_at(mech_sim_output_is_choice(sim, k)));
    for (size_t k = 0; k < sim->sizes.measures; k++) {
        const char *name = mech_system_name(sim->system, MECH_ITEM_MEASURE, k);
        const double value = mech_sim_measure(sim, k);
        if (isnan(value)) text_format(&t, "%-22s %s did not happen\n", "measure", name);
        else text_format(&t, "%-22s %s = %.17g\n", "measure", name, value);
        if (mech_sim_measure_is_choice(sim, k))
            text_format(&t, "%-22s measure %s %s not unique\n", "one choice of many", name,
                        looks_at(mech_sim_measure_is_choice(sim, k)));
    }
    add_log(sim, &t);
    return text_take(&t);
}
