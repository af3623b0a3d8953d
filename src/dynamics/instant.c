/* The fundamental equation at one state: the order in which it is put together. Allocates nothing. */
#include "dynamics/instant.h"

#include "base/try.h"

#include <math.h>
#include <string.h>

void mech_instant_input_default(mech_instant_input *input, size_t size)
{
    mech_instant_input defaults = {.size = size, .weight = -1};
    if (size > sizeof defaults) memset(input, 0, size);
    memcpy(input, &defaults, size < sizeof defaults ? size : sizeof defaults);
}

mech_status instant_fail(mech_instant *s, mech_status status)
{
    s->failure = status;
    return status;
}

mech_status instant_refuse(mech_instant *s, const char *why)
{
    s->why = why;
    return instant_fail(s, MECH_ERR_ARGUMENT);
}

/* A failure of the solver, with the rows or coordinates behind it. */
static mech_status fail_in_solver(mech_instant *s, mech_status status)
{
    if (status != MECH_ERR_NOT_UNIQUE && !(status == MECH_ERR_NO_REACTION && s->culprits)) {
        int count = 0;
        const int *who = mech_fundamental_culprits(s->solver, &count);
        s->culprits = count;
        if (count > 0) memcpy(s->culprit, who, (size_t)count * sizeof *who);
    }
    return instant_fail(s, status);
}

static mech_status fail_in_eval(mech_instant *s, mech_status status)
{
    s->failed_in_eval = 1;
    return instant_fail(s, status);
}

/* ---- the start as it is written ---- */

mech_status mech_instant_start(mech_instant *s, double t, double *q, double *v, double *z)
{
    const mech_status status = mech_eval_initial(s->eval, t, q, v, z);
    return status == MECH_OK ? MECH_OK : fail_in_eval(s, status);
}

/* ---- what goes in ---- */

/* b -= gain * r with the gain that is given, else those of the model: on control rows always, on others when the model says so. */
static void subtract_gain(mech_instant *s, const mech_pattern *pattern, const double *gain, const double *given, const double *r)
{
    const int all = mech_system_stabilize(s->system) == MECH_STABILIZE_EXCESS;
    for (size_t i = 0; i < s->m && given; i++)
        if (all || mech_system_row(s->system, i).is_control) s->b[i] -= *given * r[i];
    for (size_t k = 0; k < pattern->count && !given; k++)
        if (all || mech_system_row(s->system, pattern->row[k]).is_control)
            s->b[pattern->row[k]] -= gain[k] * r[pattern->column[k]];
}

static void gather_rows(mech_instant *s, const mech_instant_input *at)
{
    const size_t n = s->n, m = s->m, rows = s->rows, nf = s->sizes.friction_rows;
    memset(s->A, 0, rows * n * sizeof *s->A);
    for (size_t j = 0; j < n && m; j++) memcpy(s->A + j * rows, s->eq->A_dense + j * m, m * sizeof *s->A);
    if (m) memcpy(s->b, s->eq->b, m * sizeof *s->b);
    subtract_gain(s, &s->pattern_damping, s->eq->damping, at->gains, s->eq->r_dot);
    subtract_gain(s, &s->pattern_stiffness, s->eq->stiffness, at->gains ? at->gains + 1 : NULL, s->eq->r);
    memset(s->S, 0, nf * n * sizeof *s->S);
    for (size_t k = 0; k < s->pattern_slip.count; k++)
        s->S[s->pattern_slip.row[k] + s->pattern_slip.column[k] * nf] = s->eq->slip_A[k];
    for (size_t i = 0; i < m; i++) {
        const int is_control = mech_system_row(s->system, i).is_control;
        s->active[i] = s->eq->active[i] && !(is_control && at->given);
        s->servo[i] = s->active[i] && is_control;
        s->natural[i] = s->active[i] && !is_control;
    }
    for (size_t i = s->given_first; i < rows; i++) {
        const size_t j = i - s->given_first;
        const int on = at->given && isfinite(at->given[j]);
        s->A[i + j * rows] = on;
        s->b[i] = on ? at->given[j] : 0;
        s->active[i] = s->servo[i] = (unsigned char)on;
        s->natural[i] = 0;
    }
}

static int any(const unsigned char *mask, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mask[i]) return 1;
    return 0;
}

/* Who is weighed, and how. */
static mech_status choose_weight(mech_instant *s, const mech_instant_input *at)
{
    const size_t actuators = s->sizes.actuators;
    mech_instant_result *r = &s->result;
    int has_servo = any(s->servo, s->rows);
    const double *W = at->weight == MECH_WEIGHT_GIVEN ? at->W : s->eq->W;
    r->weight = at->weight >= 0 ? (mech_weight)at->weight : mech_system_weight(s->system);
    /* without another word each actuator counts alike: M^-1 weighs forces on coordinates, not on actuators */
    if (at->weight < 0 && actuators && r->weight == MECH_WEIGHT_NATURE) r->weight = MECH_WEIGHT_IDENTITY;
    if (r->weight == MECH_WEIGHT_NATURE && has_servo && actuators)
        return instant_refuse(s, "the weight of nature weighs forces on the coordinates; for actuators say "
                                 "identity or give a weight");
    if (r->weight == MECH_WEIGHT_NATURE && has_servo && mech_system_allows_negative_mass(s->system))
        return instant_refuse(s, "with negative mass allowed there is no weight of nature, as u' M^-1 u need not have a least "
                                 "value: say identity or give a weight");
    if (r->weight == MECH_WEIGHT_GIVEN && !W) return instant_refuse(s, "no weight is given");
    r->is_reweighted =
        !has_servo && at->weight >= 0 && r->weight != MECH_WEIGHT_NATURE && any(s->natural, s->rows);
    if (r->is_reweighted) {
        if (s->has_laws || s->sizes.frictions)
            return instant_refuse(
                s, "laws and friction need nature's force of constraint: no other weight with them");
        memcpy(s->servo, s->natural, s->rows);
        has_servo = 1;
    }
    if (!has_servo) return MECH_OK;
    s->in.servo = s->servo;
    s->in.weight = r->weight;
    s->in.W = r->weight == MECH_WEIGHT_GIVEN ? W : NULL;
    if (!actuators || r->is_reweighted) return MECH_OK;
    memset(s->G, 0, s->n * actuators * sizeof *s->G);
    for (size_t k = 0; k < s->pattern_G.count; k++)
        s->G[s->pattern_G.row[k] + s->pattern_G.column[k] * s->n] = s->eq->G[k];
    s->in.actuators = (int)actuators;
    s->in.G = s->G;
    return MECH_OK;
}

static mech_status gather(mech_instant *s, const mech_instant_input *at)
{
    if (at->z && s->sizes.states) mech_eval_set_states(s->eval, at->z);
    mech_status status = mech_eval_position(s->eval, at->t, at->q);
    if (status == MECH_OK) status = mech_eval_velocity(s->eval, at->v);
    if (status != MECH_OK) return fail_in_eval(s, status);
    for (size_t k = 0; k < s->sizes.laws; k++) {
        const mech_law law = mech_system_law(s->system, k);
        s->law[k].is_on = laws_is_on(s->system, &law, s->eq->active);
    }
    gather_rows(s, at);
    instant_friction_begin(s);
    s->in = (mech_fundamental_input){.size = sizeof s->in,
                                     .M = s->eq->M_dense,
                                     .Q = s->eq->Q,
                                     .A = s->A,
                                     .b = s->b,
                                     .active = s->active,
                                     .rank_tol = at->rank_tol,
                                     .allows_indefinite = mech_system_allows_negative_mass(s->system)};
    s->out = (mech_fundamental_output){.size = sizeof s->out,
                                       .qdd = s->qdd,
                                       .Qi = s->Qi,
                                       .Qni = s->Qni,
                                       .Qc = s->Qc,
                                       .u = s->u,
                                       .lambda = s->lambda,
                                       .total = s->total};
    return choose_weight(s, at);
}

/* ---- the solve ---- */

static mech_status solve_once(mech_instant *s)
{
    s->in.C = NULL;
    s->culprits = 0;
    const mech_status status = s->has_laws || instant_friction_slides(s)
                                   ? instant_solve_laws(s)
                                   : mech_fundamental_solve(s->solver, &s->in, &s->out);
    if (status == MECH_OK) return status;
    return s->failed_in_eval ? instant_fail(s, status) : fail_in_solver(s, status);
}

mech_fundamental_input instant_natural(const mech_instant *s)
{
    mech_fundamental_input in = s->in;
    in.C = NULL;
    in.servo = NULL;
    in.G = in.W = NULL;
    in.active = s->natural;
    return in;
}

mech_status instant_diagnose(mech_instant *s, const unsigned char *mask, int with_solution)
{
    mech_fundamental_input equation = instant_natural(s);
    equation.C = s->in.C;
    equation.active = mask;
    /* off the constraints dependent rows disagree by their drift: no conflict */
    const double drift = fmax(s->result.drift, s->result.drift_rate);
    const mech_diagnosis_input input = {.size = sizeof input,
                                        .equation = &equation,
                                        .solution = with_solution ? &s->out : NULL,
                                        .group_sizes = s->group_sizes,
                                        .groups = (int)s->result.groups,
                                        .conflict_abs = 100 * drift};
    return mech_diagnosis_run(s->diagnosis, &input);
}

/* ---- what comes out ---- */

static void find_drift(mech_instant *s)
{
    s->result.drift = s->result.drift_rate = 0;
    for (size_t i = 0; i < s->m; i++) {
        if (!s->eq->active[i] || mech_system_row(s->system, i).is_control) continue;
        s->result.drift = fmax(s->result.drift, fabs(s->eq->r[i]));
        s->result.drift_rate = fmax(s->result.drift_rate, fabs(s->eq->r_dot[i]));
    }
}

static int has_gains(const mech_instant *s, size_t row)
{
    for (size_t k = 0; k < s->pattern_damping.count; k++)
        if (s->pattern_damping.row[k] == row) return 1;
    for (size_t k = 0; k < s->pattern_stiffness.count; k++)
        if (s->pattern_stiffness.row[k] == row) return 1;
    return 0;
}

/* What a hundred steps of a run at its default tolerance may make of r and r'. */
static void find_off_path(mech_instant *s, const double *gains)
{
    enum { STEPS = 100 };
    const double rtol = 1e-9, atol = 1e-12;
    for (size_t i = 0; i < s->m; i++) {
        double place = 0, rate = 0;
        s->off_path[i] = 0;
        if (!s->servo[i] || gains || has_gains(s, i)) continue;
        for (size_t j = 0; j < s->n; j++) {
            place += fabs(s->eq->gradient_dense[i + j * s->m]) * (atol + rtol * fabs(s->eq->q[j]));
            rate += fabs(s->eq->A_dense[i + j * s->m]) * (atol + rtol * fabs(s->eq->v[j]));
        }
        const int is_holonomic = mech_system_row(s->system, i).level == MECH_LEVEL_HOLONOMIC;
        s->off_path[i] = (is_holonomic && fabs(s->eq->r[i]) > STEPS * place) || fabs(s->eq->r_dot[i]) > STEPS * rate;
    }
}

/* a = M^-1 Q, e = b - A a of all rows in force, with the numbers of the last solve */
static mech_status free_motion(mech_instant *s)
{
    const mech_fundamental_input in = instant_natural(s);
    mech_fundamental_output out = {.size = sizeof out, .a = s->a, .e = s->e};
    return mech_fundamental_solve(s->solver, &in, &out);
}

/* Another weight than nature's: what holds the rows is no A' lambda. */
static void rename_reweighted(mech_instant *s)
{
    memcpy(s->Qi, s->Qc, s->n * sizeof *s->Qi);
    memset(s->Qc, 0, s->n * sizeof *s->Qc);
    s->out.rank = s->out.servo_rank;
    s->out.servo_rank = 0;
    for (size_t i = 0; i < s->rows; i++)
        if (s->active[i]) s->lambda[i] = s->total[i] = (double)NAN;
}

/* Servo rows have no multipliers: what follows them is Qc. */
static void rename_servo(mech_instant *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (s->servo[i]) s->lambda[i] = s->total[i] = (double)NAN;
}

static void find_forces(mech_instant *s)
{
    memset(s->force, 0, s->n * s->result.groups * sizeof *s->force);
    for (size_t g = 0; g < s->result.groups; g++)
        for (size_t i = s->group[g].first_row; i < s->group[g].first_row + s->group[g].row_count; i++)
            for (size_t j = 0; s->active[i] && j < s->n; j++)
                s->force[j + g * s->n] += s->A[i + j * s->rows] * s->lambda[i];
}

static double find_zwang(const mech_instant *s)
{
    double sum = 0;
    if (s->out.flags & MECH_FUNDAMENTAL_INDEFINITE_MASS) return (double)NAN; /* nothing is least there */
    for (size_t j = 0; j < s->n; j++)
        for (size_t i = 0; i < s->n; i++)
            sum += (s->qdd[i] - s->a[i]) * s->in.M[i + j * s->n] * (s->qdd[j] - s->a[j]);
    return sum;
}

static void fill_result(mech_instant *s)
{
    const mech_fundamental_output *o = &s->out;
    mech_instant_result *r = &s->result;
    r->n = s->n, r->m = s->m, r->rows = s->rows;
    r->laws = s->sizes.laws + s->sizes.frictions;
    r->t = *s->eq->t, r->q = s->eq->q, r->v = s->eq->v, r->z = s->eq->z;
    r->active = s->active;
    r->M = s->in.M, r->Q = s->in.Q, r->A = s->A, r->b = s->b;
    r->C = r->laws ? s->C : NULL;
    r->r = s->eq->r, r->r_dot = s->eq->r_dot;
    r->qdd = s->qdd, r->a = s->a, r->e = s->e;
    r->Qi = s->Qi, r->Qni = s->Qni, r->Qc = s->Qc;
    r->actuators = !s->in.servo || r->is_reweighted ? 0 : s->in.G ? s->sizes.actuators : s->n;
    r->u = r->actuators ? s->u : NULL;
    r->lambda = s->lambda, r->total = s->total, r->force = s->force;
    r->rank = o->rank, r->servo_rank = o->servo_rank, r->dof = (int)s->n - o->rank - o->servo_rank;
    r->smallest = o->smallest, r->largest = o->largest, r->rank_tol = o->rank_tol, r->residual = o->residual;
    r->flags = o->flags;
    r->zwang = find_zwang(s);
    r->group = s->group, r->law = s->law;
    r->output = s->eq->output, r->energy = s->eq->energy;
    r->off_path = s->off_path;
    r->output_is_choice = NULL;
}

/* Outputs and energies: one that is not finite is no failure of the instant. */
static void evaluate_outputs(mech_instant *s)
{
    mech_status status = mech_eval_reaction(s->eval, s->lambda, s->total);
    status = mech_eval_acceleration(s->eval, s->qdd);
    status = mech_eval_output(s->eval);
    (void)status;
}

static mech_status conflict(mech_instant *s)
{
    const mech_diagnosis_result *d = mech_diagnosis_get(s->diagnosis);
    s->culprits = 0;
    for (int i = 0; i < (int)s->rows; i++)
        for (int k = 0; k < d->conflicts; k++)
            if (d->in_conflict[(size_t)i + (size_t)k * s->rows]) {
                s->culprit[s->culprits++] = i;
                break;
            }
    return instant_fail(s, MECH_ERR_CONFLICT);
}

static mech_status finish(mech_instant *s, const mech_instant_input *at)
{
    mech_instant_result *r = &s->result;
    const unsigned char *mask = r->is_reweighted ? s->active : s->natural;
    instant_friction_report(s);
    if (s->sizes.laws + s->sizes.frictions) MECH_TRY(fail_in_solver(s, instant_split_laws(s)));
    MECH_TRY(fail_in_solver(s, free_motion(s)));
    if (r->is_reweighted) rename_reweighted(s);
    else rename_servo(s);
    find_forces(s);
    evaluate_outputs(s);
    fill_result(s);
    if (at->skip_diagnosis && !(s->out.flags & MECH_FUNDAMENTAL_MISSED)) return MECH_OK;
    MECH_TRY(fail_in_solver(s, instant_diagnose(s, mask, 1)));
    r->diagnosis = mech_diagnosis_get(s->diagnosis);
    MECH_TRY(instant_fail(s, instant_mark_choices(s, r->diagnosis)));
    r->output_is_choice = s->output_is_choice;
    evaluate_outputs(s);
    if (r->C && !(r->flags & (MECH_FUNDAMENTAL_SINGULAR_MASS | MECH_FUNDAMENTAL_INDEFINITE_MASS))) {
        instant_find_z(s);
        r->law_z = s->law_z;
    }
    if (r->is_reweighted) {
        r->smallest = r->rank > 0 ? r->diagnosis->sigma[r->rank - 1] : 0;
        r->largest = r->diagnosis->m > 0 ? r->diagnosis->sigma[0] : 0;
    }
    return r->diagnosis->conflicts ? conflict(s) : MECH_OK;
}

mech_status mech_instant_solve(mech_instant *s, const mech_instant_input *input)
{
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    s->failed_in_eval = s->culprits = 0;
    s->why = NULL;
    s->result.diagnosis = NULL;
    s->result.law_z = NULL;
    if (!input) return instant_refuse(s, "no input is given");
    memcpy(&at, input, input->size < sizeof at ? input->size : sizeof at);
    if (!at.q || !at.v) return instant_refuse(s, "q and v are needed");
    if (at.given && s->given_first == s->rows)
        return instant_refuse(s, "given accelerations need an instant created with MECH_INSTANT_INVERSE");
    if (at.weight >= 0 && at.weight > MECH_WEIGHT_GIVEN) return instant_refuse(s, "there is no such weight");
    MECH_TRY(gather(s, &at));
    find_drift(s);
    find_off_path(s, at.gains);
    MECH_TRY(instant_friction_solve(s, solve_once));
    return finish(s, &at);
}
