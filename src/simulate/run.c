/* The run: start, step, look for events, project, account. */
#include "simulate/newton.h"
#include "simulate/settings.h"
#include "simulate/sim.h"
#include "simulate/turns.h"
#include "base/mem.h"
#include "base/try.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Time, status and its words, the coordinate or constraint behind it. */
static mech_status fail_at(mech_sim *s, mech_status status)
{
    char who[160] = "";
    int count = 0;
    const int *culprits = mech_fundamental_culprits(s->dyn.solver, &count);
    size_t used = 0;
    if (status == MECH_ERR_SINGULAR_MASS || status == MECH_ERR_NOT_DEFINITE ||
        status == MECH_ERR_NOT_REALISABLE) {
        for (int k = 0; k < count && used < sizeof who - 1; k++) {
            char name[128];
            if (status == MECH_ERR_NOT_REALISABLE) sim_row_name(s, (size_t)culprits[k], name, sizeof name);
            else
                snprintf(name, sizeof name, "%s",
                         mech_system_name(s->system, MECH_ITEM_COORD, (size_t)culprits[k]));
            used += (size_t)snprintf(who + used, sizeof who - used, "%s%s", k ? ", " : "", name);
        }
    }
    const int told = s->trouble.status == status && s->trouble.text[0];
    if (told && s->trouble.is_contradiction) status = MECH_ERR_CONFLICT;
    return sim_fail(s, status, "at t = %.10g: %s%s%s%s%s", s->t, mech_status_text(status), told ? ": " : "",
                    told ? s->trouble.text : "", used ? ": " : "", who);
}

/* A run without an end is as long as one unit of time, however often it was taken on: nothing changes while it goes. */
double sim_span(const mech_sim *s)
{
    const double length = isinf(s->settings.until) ? 1 : fabs(s->call.horizon - s->settings.from);
    return fmax(length, 1e9 * DBL_EPSILON * fabs(s->t));
}

double sim_resolution(const mech_sim *s) { return s->settings.resolution > 0 ? s->settings.resolution : TOL_RESOLUTION * sim_span(s); }

/* How the equation is found a hair ahead, where the motion is driven. */
static mech_status look_ahead(mech_sim *s)
{
    const double hair = TOL_AHEAD * sim_span(s);
    const int has_rates = s->nz && sim_accelerate(s, s->t, s->y) == MECH_OK;
    memcpy(s->scratch.y_work, s->y, s->ny * sizeof(double));
    for (size_t i = 0; i < s->n; i++) s->scratch.y_work[i] += hair * s->y[s->n + i];
    for (size_t i = 0; has_rates && i < s->nz; i++) s->scratch.y_work[2 * s->n + i] += hair * s->eq->rate[i];
    return sim_accelerate(s, s->t + hair, s->scratch.y_work);
}

/* Accelerations without bound are what a mass that is about to vanish gives. */
static int is_lost_mass(mech_status status)
{
    return status == MECH_ERR_NOT_DEFINITE || status == MECH_ERR_SINGULAR_MASS;
}

/* Signs of the kinks' functions x from here along s->scratch.y_row, into values; 0: not known. */
static int switches_ahead(mech_sim *s, double x, double *values)
{
    for (size_t i = 0; i < s->ny; i++) s->scratch.y_work[i] = s->y[i] + x * s->scratch.y_row[i];
    return sim_watch_values(s, s->t + x, s->scratch.y_work, values) == 0;
}

/* Far from 0 the clock may be too coarse for a step that ends before a kink and one that is short enough to cross it. *gap: to
   just beyond it, when there is one within a few ticks; its number among the kinks, or SIZE_MAX. */
static size_t kink_at_hand(mech_sim *s, double *gap)
{
    const double tick = 2 * DBL_EPSILON * fabs(s->t);
    double *here = s->events.values + 3 * s->events.count, *there = s->events.values + 4 * s->events.count, low = 0, high = fmax(64 * tick, TOL_TICKS * sim_span(s));
    if (s->events.switch_count == 0 || sim_rhs(s, s->t, s->y, s->scratch.y_row) != 0) return SIZE_MAX;
    if (!switches_ahead(s, 0, here) || !switches_ahead(s, high, there)) return SIZE_MAX;
    size_t k = s->events.first_switch;
    while (k < s->events.count && !(here[k] * there[k] < 0)) k++;
    if (k == s->events.count) return SIZE_MAX;
    while (high - low > 2 * tick) {
        const double middle = low + (high - low) / 2;
        if (!switches_ahead(s, middle, there)) return SIZE_MAX;
        if (here[k] * there[k] < 0) high = middle;
        else low = middle;
    }
    *gap = high + 4 * tick;
    return k - s->events.first_switch;
}

static mech_status fail_step(mech_sim *s, sim_step_result result)
{
    /* steps cut short before a value that is not finite end in any of the results; the value is what to say */
    const int has_failed = (result == SIM_RHS_FAILED && s->trouble.status != MECH_OK) || s->trouble.status == MECH_ERR_NOT_FINITE;
    const mech_status why = s->trouble.status;
    if (s->stepper->lacks_memory) return fail_at(s, MECH_ERR_MEMORY);
    if (has_failed && why != MECH_ERR_SINGULAR_MASS) return fail_at(s, why);
    const mech_status ahead = look_ahead(s);
    if (is_lost_mass(ahead)) return fail_at(s, ahead); /* a mass that is just 0 is less to say than one below */
    if (has_failed) return fail_at(s, why);
    if (ahead == MECH_ERR_NOT_FINITE) return fail_at(s, ahead);
    const size_t worst = s->stepper->ops->worst(s->stepper);
    char where[160] = "";
    if (worst < 2 * s->n) snprintf(where, sizeof where, "; the error is largest in %s", s->assembly->names[worst]);
    return sim_fail(s, MECH_ERR_INTEGRATION, "at t = %.10g: %s%s", s->t,
                    result != SIM_STEP_TOO_SMALL /* or a derivative that has no value */
                        ? "the implicit equations of a step have no solution in reach"
                        : "the step became too small for the clock",
                    where);
}

static const sim_problem *problem_of(mech_sim *s, sim_problem *problem)
{
    *problem =
        (sim_problem){.n = s->ny, .n_control = s->ny - 1, .f = sim_rhs, .user = s, .floor = &s->singular.step_floor,
                      .may_force = sim_is_plain_step};
    if (sim_has_jacobian(s)) problem->jacobian = sim_jacobian;
    if (s->implicit.newton) {
        problem->jacobian = newton_jacobian;
        problem->jacobian_values = newton_values(s->implicit.newton);
        problem->jacobian_factor = newton_factor;
        problem->jacobian_solve = newton_solve;
    }
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT && s->rows)
        problem->project = sim_project_for_stepper;
    return problem;
}

/* The pairs integrate the power at their own order over any step they take. Multistep methods start at order one: where
   the motion is so plain that they stride, the power must have a say or the balance means nothing. */
static double power_tolerance(mech_sim *s)
{
    double h = 0, power, kinetic = 0;
    if (sim_accelerate(s, s->t, s->y) == MECH_OK) sim_energy(s, &h, &power, &kinetic);
    return 100 * s->settings.rtol * fmax(fabs(h), kinetic) + 1e3 * s->settings.atol;
}

mech_status sim_use_method(mech_sim *s, sim_method method)
{
    sim_problem problem;
    sim_stepper *stepper;
    if (method == SIM_BDF || method == SIM_IRK) {
        if (!s->implicit.newton) MECH_TRY(newton_create(s, &s->implicit.newton));
        if (!s->implicit.newton) MECH_TRY(sim_jacobian_create(s));
    }
    const int is_same = s->stepper && s->way.method == method && s->stepper->ops->forget; /* it needs no other one */
    if (is_same) stepper = s->stepper;
    else MECH_TRY(sim_stepper_create(method, problem_of(s, &problem), &stepper));
    for (size_t i = 0; i + 1 < s->ny; i++) s->scratch.y_work[i] = s->settings.atol;
    const int is_pair = method == SIM_RK8 || method == SIM_RK5;
    if (!is_pair && s->audit.power_tolerance == 0) s->audit.power_tolerance = power_tolerance(s);
    s->scratch.y_work[s->ny - 1] = is_pair ? 0 : s->audit.power_tolerance;
    stepper->ops->set_tolerance(stepper, s->settings.rtol, s->scratch.y_work, s->settings.max_step);
    if (s->stepper && !is_same) {
        const rk_counts c = s->stepper->ops->counts(s->stepper);
        s->way.counts_before.steps += c.steps;
        s->way.counts_before.rejected += c.rejected;
        s->way.counts_before.evaluations += c.evaluations;
        s->way.counts_before.factorizations += c.factorizations;
        sim_stepper_free(s->stepper);
    }
    s->stepper = stepper;
    s->way.method = method;
    return MECH_OK;
}

mech_status sim_start_stepper(mech_sim *s, double step)
{
    const double end = s->call.horizon > s->t ? s->call.horizon : s->t + sim_span(s); /* it may be taken on */
    if (s->stepper->ops->start(s->stepper, s->t, s->y, end, step) == 0) return MECH_OK;
    if (s->stepper->lacks_memory) return MECH_ERR_MEMORY;
    return s->trouble.status != MECH_OK ? s->trouble.status : MECH_ERR_INTEGRATION;
}

mech_status sim_restart(mech_sim *s, double step)
{
    memset(s->given_rows.A_before, 0, s->pattern_A.count * sizeof *s->given_rows.A_before);
    MECH_TRY(sim_path_check(s));
    MECH_TRY(sim_start_stepper(s, step));
    return sim_events_begin(s);
}

/* Why a method of SUNDIALS cannot be had. */
static const char *why_not(const mech_sim *s)
{
    if (s->settings.method == MECH_METHOD_ADAMS || sim_has_jacobian(s)) return "this build has no SUNDIALS";
    return sim_why_no_jacobian(s);
}

/* It needs SUNDIALS, but no derivatives. */
static int has_adams(mech_sim *s)
{
    sim_problem problem;
    sim_stepper *stepper;
    if (sim_stepper_create(SIM_ADAMS, problem_of(s, &problem), &stepper) != MECH_OK) return 0;
    sim_stepper_free(stepper);
    return 1;
}

static mech_status choose_method(mech_sim *s)
{
    static const sim_method of[] = {
        [MECH_METHOD_AUTO] = SIM_RK8, [MECH_METHOD_RK8] = SIM_RK8,     [MECH_METHOD_RK5] = SIM_RK5,
        [MECH_METHOD_BDF] = SIM_BDF,  [MECH_METHOD_ADAMS] = SIM_ADAMS, [MECH_METHOD_IRK] = SIM_IRK};
    s->way.may_turn_stiff = s->settings.method == MECH_METHOD_AUTO;
    const mech_status status = sim_use_method(s, of[s->settings.method]);
    if (status == MECH_ERR_UNSUPPORTED)
        return sim_fail(s, status, "method %s is not available here: %s; %s are", mech_method_word(s->settings.method),
                        why_not(s), has_adams(s) ? "rk8, rk5 and adams" : "rk8 and rk5");
    MECH_TRY(status);
    return sim_happened(s, MECH_HAPPENED_METHOD, NULL, "method %s: %s", mech_method_word(s->settings.method),
                        sim_method_name(s->way.method));
}

/* Stiff for good: the same steps always lead here. */
static mech_status turn_stiff(mech_sim *s)
{
    s->way.may_turn_stiff = 0;
    const mech_status status = sim_use_method(s, SIM_BDF);
    if (status == MECH_ERR_UNSUPPORTED)
        return sim_happened(
            s, MECH_HAPPENED_METHOD, NULL,
            "the problem is stiff, but the stiff method is not available (%s): %s goes on", why_not(s),
            sim_method_name(s->way.method));
    MECH_TRY(status);
    MECH_TRY(sim_happened(s, MECH_HAPPENED_METHOD, NULL, "the problem is stiff: %s from here on",
                          sim_method_name(s->way.method)));
    return sim_restart(s, 0);
}

/* Which control rows have gains: all where the settings give some, else those that the model names. */
static void find_given_gains(mech_sim *s, const mech_pattern *B, const mech_pattern *K)
{
    const int all = s->settings.damping || s->settings.stiffness;
    memset(s->control.has_gains, all, s->m);
    for (size_t k = 0; k < B->count; k++) s->control.has_gains[B->row[k]] = 1;
    for (size_t k = 0; k < K->count; k++) s->control.has_gains[K->row[k]] = 1;
}

/* The model's gains, and defaults: `servo` of control rows that have none at all, `otherwise` of constraints where none has one. */
static void fill_gains(const mech_sim *s, const mech_pattern *pattern, const double *model, double otherwise, double servo, size_t count, double *gain)
{
    const size_t m = s->m, next = count == m * m ? m + 1 : 1; /* the diagonal of a matrix, or a list */
    int is_natural = 0;
    for (size_t k = 0; k < pattern->count; k++) {
        gain[pattern->row[k] + pattern->column[k] * m] = model[k];
        is_natural |= !mech_system_row(s->system, pattern->row[k]).is_control;
    }
    for (size_t i = 0; i < (count == 1 ? 1 : m); i++) {
        const int is_control = mech_system_row(s->system, i).is_control;
        if (is_control ? !s->control.has_gains[i] : !is_natural) gain[i * next] = is_control ? servo : otherwise;
    }
}

/* Their list; its room is made once, as the count stays. */
static mech_status list_gains(mech_sim *s, const double *gain, size_t count, dynamics_gains *to)
{
    const size_t entries = count > s->m ? count : s->m;
    if (!to->value) {
        to->row = arena_alloc(&s->memory, entries * sizeof *to->row);
        to->column = arena_alloc(&s->memory, entries * sizeof *to->column);
        to->value = arena_alloc(&s->memory, entries * sizeof *to->value);
    }
    if (!to->row || !to->column || !to->value) return MECH_ERR_MEMORY;
    dynamics_list_gains(&s->dyn, gain, count, to);
    return MECH_OK;
}

mech_status sim_gains(mech_sim *s)
{
    const mech_sim_settings *o = &s->settings;
    const double tau = sim_path_time(s) / 10, servo_tau = sim_path_time(s);
    const mech_pattern B = mech_system_pattern(s->system, MECH_MATRIX_DAMPING);
    const mech_pattern K = mech_system_pattern(s->system, MECH_MATRIX_STIFFNESS);
    const size_t m = s->m;
    if (m == 0) return MECH_OK;
    const mech_status status = sim_set_position(s, s->t, s->y); /* the model's gains stand there */
    (void)status;
    find_given_gains(s, &B, &K);
    const struct {
        const double *given;
        size_t given_count;
        const mech_pattern *pattern;
        const double *model;
        double otherwise, servo;
        double **into;
        size_t *count;
    } which[2] = {
        {o->damping, o->damping_count, &B, s->eq->damping, 2 / tau, 2 / servo_tau, &s->control.B, &s->control.count_B},
        {o->stiffness, o->stiffness_count, &K, s->eq->stiffness, 1 / (tau * tau), 1 / (servo_tau * servo_tau), &s->control.K,
         &s->control.count_K}};
    for (int k = 0; k < 2; k++) {
        size_t count = which[k].given ? which[k].given_count : which[k].pattern->count ? m * m : s->dyn.has_control ? m : 1;
        if (count != 1 && count != m && count != m * m)
            return sim_fail(s, MECH_ERR_ARGUMENT, "%zu gains are given for %zu rows: 1, one for each row, or a matrix", count, m);
        for (size_t i = 0; which[k].given && i < count; i++)
            if (!isfinite(which[k].given[i])) return sim_fail(s, MECH_ERR_ARGUMENT, "a gain is %g", which[k].given[i]);
        double *gain = *which[k].into ? *which[k].into : arena_alloc(&s->memory, count * sizeof *gain); /* the count stays */
        if (!gain) return MECH_ERR_MEMORY;
        memset(gain, 0, count * sizeof *gain);
        if (which[k].given) memcpy(gain, which[k].given, count * sizeof *gain);
        else fill_gains(s, which[k].pattern, which[k].model, which[k].otherwise, which[k].servo, count, gain);
        *which[k].into = gain;
        *which[k].count = count;
        MECH_TRY(list_gains(s, gain, count, k == 0 ? &s->dyn.B : &s->dyn.K));
    }
    s->dyn.gains_on_all = o->stabilize == MECH_STABILIZE_EXCESS;
    s->dyn.stick_damping = s->dyn.gains_on_all && s->control.count_B == 1 ? s->control.B[0] : 0;
    return MECH_OK;
}

mech_status sim_check_given(mech_sim *s)
{
    if (!s->given_rows.exist) return MECH_OK;
    const mech_pattern A = mech_system_pattern(s->system, MECH_MATRIX_A);
    char names[300] = "";
    for (size_t row = 0; row < s->sizes.rows; row++) {
        const mech_row about = mech_system_row(s->system, row);
        if (about.level != MECH_LEVEL_ACCELERATION || about.is_control || !s->eq->active[row]) continue;
        double miss = -s->eq->b[row], size = fabs(miss), turn = 0;
        for (size_t k = 0; k < A.count; k++) {
            if (A.row[k] != row) continue;
            const double term = s->eq->A[k] * s->dyn.qdd[A.column[k]];
            miss += term;
            size += fabs(term);
            turn += s->eq->A[k] * s->given_rows.A_before[k];
            s->given_rows.A_before[k] = s->eq->A[k];
        }
        if (turn < 0) {
            char name[128];
            sim_row_name(s, row, name, sizeof name);
            return sim_fail(s, MECH_ERR_SINGULAR_MASS, "at t = %.10g: what constraint %s holds q'' by passes through 0, and no motion goes on behind that", s->t, name);
        }
        if (!(fabs(miss) > TOL_GIVEN_ROW * size + TOL_GIVEN_ROW_LEAST)) continue;
        const size_t used = strlen(names);
        char name[128];
        sim_row_name(s, row, name, sizeof name);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
    }
    if (!names[0]) return MECH_OK;
    return sim_fail(s, MECH_ERR_CONFLICT, "at t = %.10g: no acceleration meets these constraints together: %s", s->t, names);
}

/* What is a kink of the clock at the very start has no side there: the run begins a hair behind it. */
static double start_time(mech_sim *s)
{
    const double from = s->settings.from, hair = fmax(TOL_HAIR * sim_span(s), 8 * DBL_EPSILON * fabs(from));
    double *now = s->events.values + s->events.first_switch, *later = now + s->events.count;
    const double times[2] = {from, from + hair};
    double *const values[2] = {now, later};
    for (int k = 0; k < 2 && s->events.switch_count; k++) {
        mech_status status = sim_set_point(s, times[k], s->y);
        if (status == MECH_OK) status = mech_eval_switches(s->eval, values[k]);
        if (status != MECH_OK) return from; /* the assembly says what is wrong, or mends it */
    }
    for (size_t k = 0; k < s->events.switch_count; k++)
        if (fabs(now[k]) <= DBL_EPSILON * fabs(from) && later[k] != now[k]) return times[1];
    return from;
}

static mech_status begin(mech_sim *s)
{
    s->t = s->settings.from;
    s->call.horizon = s->call.end = isfinite(s->settings.until) ? s->settings.until : s->t + 1; /* nobody has said how far */
    s->call.held_until = eval_hold(s->eval, s->t);
    s->t = start_time(s);
    sim_update_active(s);
    MECH_TRY(sim_gains(s));
    MECH_TRY(sim_assemble(s));
    MECH_TRY(sim_leeway_begin(s));
    sim_update_active(s);
    if (s->dyn.is_sparse) MECH_TRY(sim_sparse_settle(s));
    MECH_TRY(choose_method(s));
    if (s->sizes.frictions) {
        MECH_TRY(sim_friction_settle_all(s));
        MECH_TRY(sim_friction_check(s));
    }
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    MECH_TRY(sim_check_given(s));
    MECH_TRY(sim_path_begin(s));
    MECH_TRY(sim_check_unique(s));
    s->unique.is_due = 1;
    if (!s->dyn.is_sparse) s->dyn.has_singular_mass = (s->dyn.out.flags & MECH_FUNDAMENTAL_SINGULAR_MASS) != 0;
    sim_mass_begin(s);
    sim_audit_begin(s);
    return sim_row_add_as(s, s->settings.from, s->t, s->y);
}

static mech_status start(mech_sim *s)
{
    char why[SIM_ERROR_SIZE / 2];
    memcpy(s->y, s->given.y_start, s->ny * sizeof(double));
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        size_t rows;
        const size_t first = mech_system_constraint_rows(s->system, c, &rows);
        s->given.active_first[c] = rows > 0 && s->eq->active[first];
    }
    s->leeway.atol_is_own = isnan(s->settings.atol) && !mech_eval_option(s->eval, "atol", NULL, NULL);
    settings_resolve(&s->settings, s->eval, s->system);
    mech_status status = settings_check(&s->settings, s->record.trajectory.columns, why, sizeof why);
    if (status != MECH_OK) return sim_fail(s, status, "%s", why);
    status = begin(s);
    if (status == MECH_OK) status = sim_restart(s, s->settings.first_step);
    if (status == MECH_OK) status = sim_note_functions(s);
    if (status != MECH_OK) return s->trouble.error[0] ? status : fail_at(s, status);
    s->record.next_output = 1;
    s->has_started = 1;
    sim_know_changes(s);
    return MECH_OK;
}

mech_status mech_sim_start(mech_sim *sim)
{
    if (!sim) return MECH_ERR_ARGUMENT;
    MECH_TRY(sim_must_be(sim, SIM_FRESH));
    sim->call.is_moving = 1;
    const mech_status status = start(sim);
    sim->call.is_moving = 0;
    return status;
}

static int is_noticeable(mech_sim *s, const unsigned char *mask, const double *A, const double *r, const double *x, const double *leeway)
{
    const double *most = sim_noticeable(s, A, x, leeway);
    for (size_t i = 0; i < s->m; i++)
        if (mask[i] && fabs(r[i]) > most[i]) return 1;
    return 0;
}

/* Does the drift ask for a projection? Methods that lose their history by it (Adams) wait until the drift is
   larger than their own error; rows of the trajectory are projected all the same. */
static int must_project(mech_sim *s)
{
    const double *y = s->stepper->y;
    if (s->settings.stabilize != MECH_STABILIZE_PROJECT || s->rows == 0) return 0;
    if (s->stepper->projects_itself) return 0;
    if (!s->stepper->restarts_on_replace) return 1;
    if (sim_set_point(s, s->stepper->t, y) != MECH_OK) return 0;
    double phi, phi_dot, psi;
    sim_largest_residuals(s, &phi, &phi_dot, &psi);
    sim_audit_drift(s, phi, fmax(phi_dot, psi));
    return is_noticeable(s, s->onto.holonomic, s->eq->gradient, s->eq->r, y, s->leeway.row) ||
           is_noticeable(s, s->onto.velocity, s->eq->A, s->eq->r_dot, y + s->n, s->leeway.rate);
}

/* After a step (or the part of it before an event): rows, projection, account. */
static mech_status settle_step(mech_sim *s, int found)
{
    sim_stepper *st = s->stepper;
    int is_done = 0;
    MECH_TRY(sim_leeway_follow(s, st->t, st->y));
    MECH_TRY(sim_rows_due(s));
    if (!found) MECH_TRY(sim_settle_at_once(s, &is_done));
    if (is_done) return MECH_OK;
    memcpy(s->y, st->y, s->ny * sizeof(double));
    if (st->projects_itself) sim_audit_drift(s, s->audit.step_phi, s->audit.step_velocity);
    /* at a kink the velocity asked for may be that behind it: sim_cross_kink looks */
    if (found ? s->settings.stabilize == MECH_STABILIZE_PROJECT && sim_has_event(s) : must_project(s)) {
        MECH_TRY(sim_project(s, st->t, s->y));
        sim_audit_drift(s, s->audit.drift_phi, s->audit.drift_velocity);
        st->ops->replace(st, s->y);
    }
    s->t = st->t;
    MECH_TRY(sim_audit_step(s));
    if (!found) MECH_TRY(sim_path_step(s)); /* else what happens here may change it */
    if (s->dyn.is_sparse) MECH_TRY(sim_sparse_follow(s));
    if (s->unique.is_due && s->rows) {
        MECH_TRY(sim_accelerate(s, s->t, s->y));
        MECH_TRY(sim_check_unique(s));
    }
    if (s->given_rows.exist) {
        MECH_TRY(sim_accelerate(s, s->t, s->y));
        MECH_TRY(sim_check_given(s));
    }
    if (s->sizes.frictions == 0) return MECH_OK;
    sim_friction_follow(s);
    return sim_friction_check(s);
}

/* An input given by points has a kink at each: steps end a hair before, and the next begins a hair after. So at a kink that is known. */
static double before_point(const mech_sim *s, double *gap, size_t *kink)
{
    const double point = s->sizes.inputs ? eval_next_point(s->eval, s->t, 0) : HUGE_VAL, end = fmin(s->call.end, s->call.held_until);
    const int is_kink = s->kink.ahead.t < point;
    const double t = is_kink ? s->kink.ahead.t : point, hair = fmax(is_kink ? s->kink.ahead.hair : TOL_HAIR * sim_span(s), 8 * DBL_EPSILON * fabs(t));
    *gap = 0;
    *kink = is_kink ? s->kink.ahead.number : SIZE_MAX;
    if (!(t - hair < end)) return end;
    const double before = fmax(t - hair, s->t);
    *gap = t + hair - before;
    return before;
}

static mech_status pass_point(mech_sim *s, double gap, size_t kink)
{
    const double step = s->stepper->h_next;
    const int is_multistep = s->way.method == SIM_BDF || s->way.method == SIM_ADAMS; /* it begins at order one again */
    s->kink.gap = gap;
    return sim_pass_kink(s, kink, step > 0 && !is_multistep ? step : 0);
}

void sim_keep_good(mech_sim *s)
{
    s->good.t = s->t;
    memcpy(s->good.y, s->y, s->ny * sizeof(double));
}

mech_status sim_go_back(mech_sim *s, mech_status status)
{
    if (!s->trouble.error[0]) status = fail_at(s, status);
    s->t = s->good.t;
    memcpy(s->y, s->good.y, s->ny * sizeof(double));
    return status;
}

/* What the solve says of M a hair ahead, where it is no longer definite, with its coordinate. */
static mech_status lose_mass(mech_sim *s)
{
    return is_lost_mass(look_ahead(s)) ? s->trouble.status : sim_remember(s, MECH_ERR_NOT_DEFINITE);
}

/* The last step was cut off where a mass is lost: what stands of it is settled as far as M allows. */
static mech_status settle_loss(mech_sim *s)
{
    if (s->stepper->t <= s->t) return lose_mass(s);
    const mech_status status = settle_step(s, 0);
    if (status != MECH_OK && !sim_is_recoverable(status)) return status;
    s->t = s->stepper->t;
    memcpy(s->y, s->stepper->y, s->ny * sizeof(double));
    sim_keep_good(s);
    return lose_mass(s);
}

static mech_status one_step(mech_sim *s)
{
    sim_stepper *st = s->stepper;
    double gap;
    size_t kink;
    const double point = before_point(s, &gap, &kink);
    s->trouble.status = MECH_OK;
    if (s->kink.gap_left > 0) return pass_point(s, s->kink.gap_left, s->kink.gap_kink);
    s->audit.step_phi = s->audit.step_velocity = 0;
    if (gap > 0 && point <= s->t) return pass_point(s, gap, kink);
    sim_step_result result = st->ops->step(st, sim_before_turn(s, point));
    if (result == SIM_STEPPED) result = sim_keep_branch(s);
    if (result == SIM_STEP_TOO_SMALL) {
        const size_t near = kink_at_hand(s, &s->kink.gap);
        if (near != SIZE_MAX) return sim_pass_kink(s, near, 0);
    }
    if (result != SIM_STEPPED) return fail_step(s, result);
    int found = 0, is_gone = 0, is_void = 0;
    MECH_TRY(sim_mass_look(s, &is_gone));
    if (!is_gone || st->t > s->t) MECH_TRY(sim_events_look(s, &found, &is_void));
    if (is_void) return MECH_OK;
    if (is_gone && !found) return settle_loss(s);
    MECH_TRY(settle_step(s, found));
    if (found) sim_keep_good(s);
    if (found) return sim_events_act(s);
    if (gap > 0 && s->t >= point) return pass_point(s, gap, kink);
    if (s->way.may_turn_stiff && st->ops->is_stiff(st)) return turn_stiff(s);
    return MECH_OK;
}

/* Steps that all but stand still would go on for ever: a hundred thousand of them within a millionth of what is asked for, or within a ten
   thousandth when they began at a kink, onto which both sides drive the motion. */
static mech_status guard_against_standstill(mech_sim *s)
{
    enum { MOST = 100000 };
    const int at_kink = s->events.kinks && s->t - s->events.kinks_since <= TOL_STANDSTILL_KINK * s->call.length;
    if (s->t - s->events.strides_since > (at_kink ? TOL_STANDSTILL_KINK : TOL_STANDSTILL) * s->call.length) s->events.strides_since = s->t, s->events.strides = 0;
    if (++s->events.strides <= MOST) return MECH_OK;
    const mech_status ahead = look_ahead(s);
    if (is_lost_mass(ahead)) return s->trouble.status;
    if (ahead == MECH_ERR_NOT_FINITE) return fail_at(s, ahead);
    return sim_blame(s, MECH_ERR_INTEGRATION, "%d steps took the clock only %.2g on%s: no step of %s resolves what happens here%s", (int)MOST,
                     s->t - s->events.strides_since, at_kink ? ", at a kink that the motion is driven onto from both sides" : "", sim_method_name(s->way.method),
                     at_kink ? ". Dry friction is `friction on`, which can hold; other switches need a width" : "");
}

static mech_status look_outside(mech_sim *s, size_t steps)
{
    const mech_sim_settings *o = &s->settings;
    MECH_TRY(sim_poll(s));
    if (o->interrupt && *o->interrupt) return sim_asked_to_stop(s);
    if (o->on_progress && o->on_progress(o->user, s->t, o->from, o->until) != 0)
        return sim_blame(s, MECH_ERR_INTERRUPTED, "stopped by the caller");
    if (o->max_steps && steps >= o->max_steps)
        return sim_blame(s, MECH_ERR_LIMIT, "%zu steps were allowed", o->max_steps);
    return MECH_OK;
}

/* What the caller cuts short says nothing about the motion: the guards count anew. */
static void ask_for(mech_sim *s, double t_end)
{
    s->call.horizon = s->call.has_been_asked ? fmax(s->call.horizon, t_end) : t_end;
    s->call.has_been_asked = 1;
    s->call.end = t_end;
    s->call.length = t_end - s->t;
    s->events.kinks_since = s->events.strides_since = s->t;
    s->events.kinks = s->events.strides = 0;
}

static mech_status move(mech_sim *s)
{
    sim_keep_good(s);
    mech_status status = sim_compare_functions(s);
    for (size_t steps = mech_sim_info_get(s).steps; status == MECH_OK && s->t < s->call.end && !s->has_stopped; steps++) {
        sim_keep_good(s);
        status = look_outside(s, steps);
        if (status == MECH_OK) status = sim_take_changes(s);
        if (status == MECH_OK) status = one_step(s);
        if (status == MECH_OK) status = guard_against_standstill(s);
    }
    if (status == MECH_OK) status = sim_note_functions(s);
    sim_keep_momentum(s);
    return status == MECH_OK ? MECH_OK : sim_go_back(s, status);
}

mech_status mech_sim_advance(mech_sim *sim, double t_end)
{
    mech_sim *s = sim;
    if (!s) return MECH_ERR_ARGUMENT;
    MECH_TRY(sim_must_be(s, SIM_STILL));
    if (!isfinite(t_end)) return sim_refuse(s, "a run goes on to a finite time, not to %g", t_end);
    if (t_end < s->t) return sim_refuse(s, "the run is at t = %.17g, and %.17g lies before it: runs go forward", s->t, t_end);
    if (t_end == s->t || s->has_stopped) return MECH_OK;
    ask_for(s, t_end);
    s->call.is_moving = 1;
    const mech_status status = move(s);
    s->call.is_moving = 0;
    return status;
}

mech_status mech_sim_run(mech_sim *sim)
{
    if (!sim) return MECH_ERR_ARGUMENT;
    if (!sim->has_started) MECH_TRY(mech_sim_start(sim));
    if (isinf(sim->settings.until)) return sim_refuse(sim, "a run without an end has none to run to: mech_sim_advance takes it on");
    const clock_t began = clock(); /* here, and not in each advance, where it would cost as much as a step */
    const mech_status status = mech_sim_advance(sim, fmax(sim->settings.until, sim->t));
    sim->info.seconds += (double)(clock() - began) / CLOCKS_PER_SEC;
    mech_status closed = sim_audit_close(sim);
    if (closed == MECH_OK) closed = sim_leeway_close(sim);
    if (status == MECH_OK) sim_judge_close(sim);
    return status != MECH_OK ? status : closed;
}
