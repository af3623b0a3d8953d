/* The fundamental equation at one state: the order in which it is put together. Allocates nothing. */
#include "dynamics/instant.h"

#include "base/options.h"
#include "base/try.h"
#include "base/tolerances.h"
#include "system/laws.h"

#include <math.h>
#include <string.h>

void mech_instant_input_default(mech_instant_input *input, size_t size)
{
    const mech_instant_input o = {.weight = -1};
    options_default(input, size, &o, sizeof o);
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

mech_status instant_in_solver(mech_instant *s, mech_status status)
{
    if (status == MECH_OK) return status;
    const int *who = mech_fundamental_culprits(s->d.solver, &s->culprits);
    if (s->culprits > 0) memcpy(s->culprit, who, (size_t)s->culprits * sizeof *who);
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
    const mech_status status = mech_eval_initial(s->d.eval, t, q, v, z);
    return status == MECH_OK ? MECH_OK : fail_in_eval(s, status);
}

/* ---- what goes in ---- */

/* Rows in force: those of the model, less its control where accelerations are given; and these. */
static void list_rows(mech_instant *s, const double *given)
{
    dynamics *d = &s->d;
    dynamics_list_rows(d);
    for (size_t i = 0; i < d->m; i++) {
        if ((given || s->is_bare) && d->servo[i]) d->active[i] = 0;
        d->servo[i] &= d->active[i];
    }
    for (size_t i = s->given_first; i < d->rows; i++) {
        const size_t j = i - s->given_first;
        const int on = given && isfinite(given[j]);
        d->A[i + j * d->rows] = on;
        d->b[i] = on ? given[j] : 0;
        d->active[i] = d->servo[i] = (unsigned char)on;
    }
}

/* Who is weighed, and how. */
static mech_status choose_weight(mech_instant *s, const mech_instant_input *at)
{
    dynamics *d = &s->d;
    mech_instant_result *r = &s->result;
    const size_t actuators = d->sizes.actuators;
    d->has_control = memchr(d->servo, 1, d->rows) != NULL;
    d->actuators = actuators;
    d->W = at->weight == MECH_WEIGHT_GIVEN ? at->W : d->eq->W;
    r->weight = at->weight >= 0 ? (mech_weight)at->weight : mech_system_weight(d->system);
    /* without another word each actuator counts alike: M^-1 weighs forces on coordinates, not on actuators */
    if (at->weight < 0 && actuators && r->weight == MECH_WEIGHT_NATURE) r->weight = MECH_WEIGHT_IDENTITY;
    if (r->weight == MECH_WEIGHT_NATURE && d->has_control && actuators)
        return instant_refuse(s, "the weight of nature weighs forces on the coordinates; for actuators say "
                                 "identity or give a weight");
    if (r->weight == MECH_WEIGHT_NATURE && d->has_control && mech_system_allows_negative_mass(d->system))
        return instant_refuse(
            s, "with negative mass allowed there is no weight of nature, as u' M^-1 u need not have a least "
               "value: say identity or give a weight");
    if (r->weight == MECH_WEIGHT_GIVEN && !d->W) return instant_refuse(s, "no weight is given");
    d->weight = r->weight;
    r->is_reweighted =
        !d->has_control && at->weight >= 0 && r->weight != MECH_WEIGHT_NATURE && memchr(d->active, 1, d->rows);
    if (!r->is_reweighted) return MECH_OK;
    if (d->has_laws || d->sizes.frictions)
        return instant_refuse(s, "laws and friction need nature's force of constraint: no other weight with them");
    memcpy(d->servo, d->active, d->rows);
    d->has_control = 1;
    d->actuators = 0;
    return MECH_OK;
}

mech_status instant_gather(mech_instant *s, const mech_instant_input *at)
{
    dynamics *d = &s->d;
    const mech_status status = mech_eval_state(s->d.eval, at->t, at->q, at->v, at->z);
    if (status != MECH_OK) return fail_in_eval(s, status);
    for (size_t k = 0; k < d->sizes.laws; k++) {
        const mech_law law = mech_system_law(d->system, k);
        s->law[k].is_on = laws_is_on(d->system, &law, d->eq->active);
    }
    list_rows(s, at->given);
    d->rank_tol = at->rank_tol;
    dynamics_take_gains(d, at->gains);
    d->gains_on_all &= !s->is_bare;
    MECH_TRY(choose_weight(s, at));
    dynamics_meet(d);
    dynamics_gather_sides(d);
    return MECH_OK;
}

/* ---- the solve ---- */

/* The rows of friction are there once what rests has been chosen. */
static void find_natural(mech_instant *s)
{
    for (size_t i = 0; i < s->d.rows; i++)
        s->natural[i] = s->d.active[i] && (!s->d.servo[i] || s->result.is_reweighted);
}

mech_fundamental_input instant_natural(mech_instant *s)
{
    find_natural(s);
    return dynamics_equation(&s->d, s->d.eq->Q, s->natural);
}

/* Each law at the reaction found. */
static mech_status find_laws(mech_instant *s)
{
    dynamics *d = &s->d;
    memset(s->C, 0, d->n * sizeof *s->C);
    if (!d->has_laws && !d->sizes.frictions) return MECH_OK;
    MECH_TRY(dynamics_law(d, d->lambda, d->total, s->C, NULL));
    for (size_t k = 0; k < d->sizes.laws + d->sizes.frictions; k++)
        MECH_TRY(dynamics_column(d, k, s->columns + k * d->n));
    find_natural(s);
    return dynamics_split(d, s->natural, s->zero, s->column_parts);
}

/* Over the natural rows in force, and friction that constraints stop, with the solution if there is one. */
static mech_status diagnose(mech_instant *s, const mech_fundamental_output *solution)
{
    mech_fundamental_input equation = instant_natural(s);
    dynamics_put_stopped(&s->d, s->natural);
    if (s->d.has_laws || dynamics_slides(&s->d)) equation.C = s->C;
    /* off the constraints dependent rows disagree by their drift: no conflict */
    const double drift = fmax(s->result.drift, s->result.drift_rate);
    const mech_diagnosis_input input = {.size = sizeof input,
                                        .equation = &equation,
                                        .solution = solution,
                                        .group_sizes = s->group_sizes,
                                        .groups = (int)s->result.groups,
                                        .conflict_abs = 100 * drift};
    return mech_diagnosis_run(s->diagnosis, &input);
}

/* ---- what comes out ---- */

static void find_drift(mech_instant *s)
{
    s->result.drift = s->result.drift_rate = 0;
    for (size_t i = 0; i < s->d.m; i++) {
        if (!s->d.eq->active[i] || mech_system_row(s->d.system, i).is_control) continue;
        s->result.drift = fmax(s->result.drift, fabs(s->d.eq->r[i]));
        s->result.drift_rate = fmax(s->result.drift_rate, fabs(s->d.eq->r_dot[i]));
    }
}

static int has_gain(const dynamics_gains *gains, size_t row)
{
    for (size_t k = 0; k < gains->count; k++)
        if (gains->row[k] == row) return 1;
    return 0;
}

/* What a hundred steps of a run at its default tolerance may make of r and r'. */
static void find_off_path(mech_instant *s, const double *gains)
{
    enum { STEPS = 100 };
    for (size_t i = 0; i < s->d.m; i++) {
        double place = 0, rate = 0;
        s->off_path[i] = 0;
        if (!s->d.servo[i] || gains || has_gain(&s->d.B, i) || has_gain(&s->d.K, i)) continue;
        for (size_t j = 0; j < s->d.n; j++) {
            place += fabs(s->d.eq->gradient_dense[i + j * s->d.m]) * (TOL_ATOL + TOL_RTOL * fabs(s->d.eq->q[j]));
            rate += fabs(s->d.eq->A_dense[i + j * s->d.m]) * (TOL_ATOL + TOL_RTOL * fabs(s->d.eq->v[j]));
        }
        const int is_holonomic = mech_system_row(s->d.system, i).level == MECH_LEVEL_HOLONOMIC;
        s->off_path[i] =
            (is_holonomic && fabs(s->d.eq->r[i]) > STEPS * place) || fabs(s->d.eq->r_dot[i]) > STEPS * rate;
    }
}

/* a = M^-1 Q, e = b - A a of all rows in force, with the numbers of the last solve */
static mech_status free_motion(mech_instant *s)
{
    const mech_fundamental_input in = instant_natural(s);
    mech_fundamental_output out = {.size = sizeof out, .a = s->a, .e = s->e};
    return mech_fundamental_solve(s->d.solver, &in, &out);
}

/* Servo rows have no multipliers: what follows them is Qc. With another weight than nature's all rows are such, and
   what holds them is no A' lambda. */
static void rename_servo(mech_instant *s)
{
    if (s->result.is_reweighted) {
        memcpy(s->d.Qi, s->d.Qc, s->d.n * sizeof *s->d.Qi);
        memset(s->d.Qc, 0, s->d.n * sizeof *s->d.Qc);
        s->d.out.rank = s->d.out.servo_rank;
        s->d.out.servo_rank = 0;
    }
    for (size_t i = 0; i < s->d.rows; i++)
        if (s->d.servo[i]) s->d.lambda[i] = s->d.total[i] = (double)NAN;
}

static void find_forces(mech_instant *s)
{
    memset(s->force, 0, s->d.n * s->result.groups * sizeof *s->force);
    for (size_t g = 0; g < s->result.groups; g++)
        for (size_t i = s->group[g].first_row; i < s->group[g].first_row + s->group[g].row_count; i++)
            for (size_t j = 0; s->d.active[i] && j < s->d.n; j++)
                s->force[j + g * s->d.n] += s->d.A_used[i + j * s->d.rows] * s->d.lambda[i];
}

static double find_zwang(const mech_instant *s)
{
    double sum = 0;
    if (s->d.out.flags & MECH_FUNDAMENTAL_INDEFINITE_MASS) return (double)NAN; /* nothing is least there */
    for (size_t j = 0; j < s->d.n; j++)
        for (size_t i = 0; i < s->d.n; i++)
            sum += (s->d.qdd[i] - s->a[i]) * s->d.M_used[i + j * s->d.n] * (s->d.qdd[j] - s->a[j]);
    return sum;
}

static void fill_result(mech_instant *s)
{
    const mech_fundamental_output *o = &s->d.out;
    mech_instant_result *r = &s->result;
    r->n = s->d.n, r->m = s->d.m, r->rows = s->d.rows;
    r->laws = s->d.sizes.laws + s->d.sizes.frictions;
    r->t = *s->d.eq->t, r->q = s->d.eq->q, r->v = s->d.eq->v, r->z = s->d.eq->z;
    r->active = s->d.active;
    r->M = s->d.M_used, r->Q = s->d.eq->Q, r->A = s->d.A_used, r->b = s->d.b;
    r->C = r->laws ? s->C : NULL;
    r->r = s->d.eq->r, r->r_dot = s->d.eq->r_dot;
    r->qdd = s->d.qdd, r->a = s->a, r->e = s->e;
    r->Qi = s->d.Qi, r->Qni = s->d.Qni, r->Qc = s->d.Qc;
    r->actuators = !s->d.has_control || r->is_reweighted ? 0 : s->d.actuators ? s->d.actuators : s->d.n;
    r->u = r->actuators ? s->d.u : NULL;
    r->lambda = s->d.lambda, r->reaction = s->d.total, r->force = s->force;
    r->rank = o->rank, r->servo_rank = o->servo_rank, r->dof = (int)s->d.n - o->rank - o->servo_rank;
    r->smallest = o->smallest, r->largest = o->largest, r->rank_tol = o->rank_tol, r->residual = o->residual;
    r->flags = o->flags;
    r->zwang = find_zwang(s);
    r->group = s->group, r->law = s->law;
    r->output = s->d.eq->output, r->energy = s->d.eq->energy;
    r->off_path = s->off_path;
    r->side = s->side;
    r->output_is_choice = NULL;
}

static mech_status conflict(mech_instant *s)
{
    const mech_diagnosis_result *d = mech_diagnosis_get(s->diagnosis);
    s->culprits = 0;
    for (int i = 0; i < (int)s->d.rows; i++)
        for (int k = 0; k < d->conflicts; k++)
            if (d->in_conflict[(size_t)i + (size_t)k * s->d.rows]) {
                s->culprit[s->culprits++] = i;
                break;
            }
    return instant_fail(s, MECH_ERR_CONFLICT);
}

static mech_status finish(mech_instant *s, const mech_instant_input *at)
{
    mech_instant_result *r = &s->result;
    instant_friction_report(s);
    MECH_TRY(instant_in_solver(s, find_laws(s)));
    if (!s->is_bare) MECH_TRY(instant_in_solver(s, free_motion(s))); /* else it came with the solution */
    rename_servo(s);
    find_forces(s);
    dynamics_show_outputs(&s->d, s->d.lambda, s->d.total);
    fill_result(s);
    if (at->skip_diagnosis && !(s->d.out.flags & MECH_FUNDAMENTAL_MISSED)) return MECH_OK;
    MECH_TRY(instant_in_solver(s, diagnose(s, &s->d.out)));
    r->diagnosis = mech_diagnosis_get(s->diagnosis);
    memset(s->output_is_choice, 0, s->d.sizes.outputs);
    if (!r->is_reweighted)
        dynamics_mark_outputs(&s->d, r->diagnosis, s->probe, s->size_work, s->does, s->output_is_choice);
    r->output_is_choice = s->output_is_choice;
    dynamics_show_outputs(&s->d, s->d.lambda, s->d.total);
    if (r->C && !(r->flags & (MECH_FUNDAMENTAL_SINGULAR_MASS | MECH_FUNDAMENTAL_INDEFINITE_MASS))) {
        dynamics_find_z(&s->d, s->C, s->law_z);
        r->law_z = s->law_z;
    }
    if (r->is_reweighted) {
        r->smallest = r->rank > 0 ? r->diagnosis->sigma[r->rank - 1] : 0;
        r->largest = r->diagnosis->m > 0 ? r->diagnosis->sigma[0] : 0;
    }
    return r->diagnosis->conflicts ? conflict(s) : MECH_OK;
}

/* Where the equation of the constraints alone has no solution, their rank and what depends on what is known all the
   same. */
static mech_status look_at_rows(mech_instant *s, const mech_instant_input *at, mech_status failure)
{
    s->result.flags = s->d.out.flags;
    s->result.rank = s->d.out.rank;
    if (at->skip_diagnosis) return failure;
    const mech_status status = diagnose(s, NULL);
    if (status == MECH_ERR_MEMORY) return instant_fail(s, status);
    if (status == MECH_OK) s->result.diagnosis = mech_diagnosis_get(s->diagnosis);
    return failure;
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
    if (options_take(&at, sizeof at, input) != MECH_OK) return instant_refuse(s, OPTIONS_UNSIZED);
    if (!at.q || !at.v) return instant_refuse(s, "q and v are needed");
    if (at.given && s->given_first == s->d.rows)
        return instant_refuse(s, "given accelerations need an instant created with MECH_INSTANT_INVERSE");
    if (at.weight >= 0 && at.weight > MECH_WEIGHT_GIVEN) return instant_refuse(s, "there is no such weight");
    MECH_TRY(s->d.sizes.contacts ? instant_sides_solve(s, &at) : instant_gather(s, &at));
    find_drift(s);
    find_off_path(s, at.gains);
    const mech_status status = s->d.sizes.contacts ? MECH_OK : instant_friction_solve(s);
    if (status != MECH_OK) return s->is_bare && !s->failed_in_eval ? look_at_rows(s, &at, status) : status;
    return finish(s, &at);
}
