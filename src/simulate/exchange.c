#include "simulate/exchange.h"
#include "base/mem.h"
#include "dynamics/derivative.h"
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

struct exchange {
    mech_sim *s;
    arena memory;
    double gain;
    double rank_tol;         /* while the importer integrates; 0: that of the run        */
    dynamics_gains gains[2]; /* B and K: ours on natural rows, the model's on control's   */
    size_t room;             /* entries that they have room for                           */
    double *y;               /* (ny) the point of a call                                  */
    double *inputs, seen;    /* (3 x inputs) and slopes, when they were looked at last     */
    derivative by;           /* by.d NULL: not made yet                                   */
    double *qdd_x, *slopes;  /* (n x columns), (x and outputs x columns)                  */
};

/* ---- before there is a run ---- */

const char *exchange_obstacle(const mech_system *system)
{
    if (mech_system_delays(system))
        return "there are delays, and an importer does not tell which of the states that it tries belong to the motion: "
               "co-simulation (--kind cs) keeps their history";
    mech_eval *eval = NULL;
    if (mech_eval_create(system, MECH_STORAGE_SPARSE, &eval) != MECH_OK) return "there is no memory for an evaluation";
    const char *why = NULL;
    if (eval_uses_jumping_slope(eval))
        why = "the equation uses the slope of an input that may jump, an impulse that an importer is not told: write "
              "it by min and max, or as a table";
    else if (eval_has_jumping_momentum(eval))
        why = "the energy of motion holds what the clock drives, and that has kinks: velocities jump there by what "
              "momentum was just before, which an importer does not tell";
    mech_eval_free(eval);
    return why;
}

size_t exchange_indicator_count(const mech_system *system)
{
    const mech_sizes k = mech_system_sizes(system);
    return k.events + k.frictions + k.constraints + mech_system_switch_count(system);
}

mech_status exchange_gain(const mech_system *system, double *gain)
{
    enum { STEPS = 100 };
    mech_sim_settings settings;
    mech_sim *sim = NULL;
    double rate = 0;
    *gain = 1;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.rtol = TOL_TRIAL;
    settings.atol = TOL_TRIAL_ABSOLUTE;
    settings.method = MECH_METHOD_RK8;
    settings.keep_trajectory = settings.rows_at_events = 0;
    settings.output_points = 2;
    settings.max_steps = STEPS;
    mech_status status = mech_sim_create(system, &settings, &sim);
    if (status == MECH_OK) {
        status = mech_sim_run(sim);
        const double length = mech_sim_has_started(sim) ? mech_sim_time(sim) - mech_sim_settings_get(sim)->from : 0;
        if (length > 0) rate = 0.3 * (double)mech_sim_info_get(sim).steps / length;
    }
    mech_sim_free(sim);
    if (status == MECH_ERR_MEMORY) return status;
    if (!(rate > 0) || !isfinite(rate)) return MECH_OK; /* what is wrong is said when the unit is used */
    const double digits = pow(10, 1 - floor(log10(rate)));
    *gain = round(rate * digits) / digits; /* two are said */
    return MECH_OK;
}

/* ---- the run as the importer sees it ---- */

/* Entries of control's rows as the run has them, and ours on all others. */
static void list_gains(const exchange *e, const dynamics_gains *own, double value, dynamics_gains *to)
{
    const dynamics *d = &e->s->dyn;
    to->count = 0;
    for (size_t k = 0; k < own->count && to->count < e->room; k++) {
        if (!d->servo[own->row[k]]) continue;
        to->row[to->count] = own->row[k];
        to->column[to->count] = own->column[k];
        to->value[to->count++] = own->value[k];
    }
    for (size_t i = 0; i < d->m && to->count < e->room && value > 0; i++) {
        if (d->servo[i]) continue;
        to->row[to->count] = to->column[to->count] = (uint32_t)i;
        to->value[to->count++] = value;
    }
}

/* Rows that depend on one another on the manifold alone look independent beside it. */
static double rank_beside(const mech_sim *s)
{
    const mech_fundamental_output *o = &s->dyn.out;
    size_t rows = 0;
    for (size_t i = 0; i < s->rows; i++) rows += s->dyn.active[i] && !s->dyn.servo[i];
    if (o->rank <= 0 || o->rank >= (int)rows || !(o->largest > 0)) return s->dyn.rank_tol;
    return fmin(fmax(TOL_RANK_BESIDE * o->smallest / o->largest, TOL_RANK_OFF), TOL_RANK_BESIDE_MOST);
}

static void look_anew(exchange *e)
{
    mech_sim *s = e->s;
    list_gains(e, &s->dyn.B, 2 * e->gain, &e->gains[0]);
    list_gains(e, &s->dyn.K, e->gain * e->gain, &e->gains[1]);
    e->rank_tol = s->dyn.rank_tol;
    if (s->m && sim_accelerate(s, s->t, s->y) == MECH_OK) e->rank_tol = rank_beside(s);
}

void exchange_set_gain(exchange *e, double gain)
{
    e->gain = gain;
    look_anew(e);
}

/* What a call of the importer finds in place of the run's own: gains, and the tolerance of the rank. Called again, it
   puts back what was there. */
static void swap(exchange *e)
{
    dynamics *d = &e->s->dyn;
    const dynamics_gains B = d->B, K = d->K;
    const double rank_tol = d->rank_tol;
    d->B = e->gains[0];
    d->K = e->gains[1];
    d->rank_tol = e->rank_tol;
    e->gains[0] = B;
    e->gains[1] = K;
    e->rank_tol = rank_tol;
    d->gains_on_all = !d->gains_on_all;
    d->stick_damping = d->gains_on_all ? 2 * e->gain : 0;
}

static size_t size_of(const mech_sim *s) { return 2 * s->n + s->nz; }

static const double *point(exchange *e, const double *x)
{
    memcpy(e->y, x, size_of(e->s) * sizeof *x);
    e->y[e->s->ny - 1] = 0;
    return e->y;
}

static int answer(exchange *e, mech_status status)
{
    mech_sim *s = e->s;
    if (status == MECH_OK) return 1;
    if (sim_is_recoverable(status)) return 0;
    if (!s->log.error[0]) (void)sim_fail_at(s, status);
    return -1;
}

static mech_status solve(exchange *e, double t, const double *y, double *outputs)
{
    mech_sim *s = e->s;
    MECH_TRY(sim_accelerate(s, t, y));
    if (!outputs) return MECH_OK;
    sim_show_solved(s);
    memcpy(outputs, s->eq->output, s->sizes.outputs * sizeof *outputs);
    return MECH_OK;
}

int exchange_rates(exchange *e, double t, const double *x, double *rates, double *outputs)
{
    mech_sim *s = e->s;
    swap(e);
    const mech_status status = solve(e, t, point(e, x), outputs);
    swap(e);
    if (status != MECH_OK) return answer(e, status);
    memcpy(rates, x + s->n, s->n * sizeof *rates);
    memcpy(rates + s->n, s->dyn.qdd, s->n * sizeof *rates);
    if (s->nz) memcpy(rates + 2 * s->n, s->eq->rate, s->nz * sizeof *rates);
    return 1;
}

int exchange_indicators(exchange *e, double t, const double *x, double *values)
{
    mech_sim *s = e->s;
    s->log.failure = MECH_OK;
    swap(e);
    const int result = sim_watch_values(s, t, point(e, x), values);
    swap(e);
    if (result != 0) return answer(e, s->log.failure != MECH_OK ? s->log.failure : MECH_ERR_NOT_FINITE);
    sim_events_shift(s, values);
    return 1;
}

/* ---- derivatives ---- */

static mech_status make_derivative(exchange *e)
{
    mech_sim *s = e->s;
    if (derivative_obstacle(s->system)) return MECH_ERR_UNSUPPORTED;
    MECH_TRY(derivative_create(&s->dyn, DERIVATIVE_INPUTS | DERIVATIVE_MULTIPLIERS, &e->memory, &e->by));
    const size_t columns = e->by.columns, rows = size_of(s) + s->sizes.outputs;
    e->qdd_x = arena_alloc(&e->memory, (s->n * columns + 1) * sizeof(double));
    e->slopes = arena_alloc(&e->memory, (rows * columns + 1) * sizeof(double));
    if (e->qdd_x && e->slopes) return MECH_OK;
    e->by.d = NULL;
    return MECH_ERR_MEMORY;
}

/* Rows of `slopes` from `first` on: what looks at the point, and through q'' and multipliers at all the rest. */
static void chain(exchange *e, mech_matrix which, const double *values, size_t first)
{
    const mech_sim *s = e->s;
    const mech_pattern p = mech_system_pattern(s->system, which);
    const mech_columns at = mech_system_columns(s->system);
    const size_t height = size_of(s) + s->sizes.outputs;
    derivative_scatter(&e->by, which, values, height, e->slopes + first);
    for (size_t k = 0; k < p.count; k++) {
        const size_t column = p.column[k];
        const double *through = column < at.a          ? NULL
                                : column < at.lambda   ? e->qdd_x + (column - at.a)
                                : column < at.reaction ? e->by.lambda + (column - at.lambda)
                                : column < at.t        ? e->by.total + (column - at.reaction)
                                                       : NULL;
        const size_t stride = column < at.lambda ? s->n : s->dyn.rows;
        for (size_t c = 0; through && c < e->by.columns; c++)
            e->slopes[first + p.row[k] + c * height] += values[k] * through[c * stride];
    }
}

static mech_status find_slopes(exchange *e, double t, const double *y)
{
    mech_sim *s = e->s;
    const size_t n = s->n, size = size_of(s), height = size + s->sizes.outputs;
    mech_jacobian at;
    MECH_TRY(sim_accelerate(s, t, y));
    MECH_TRY(derivative_find(&e->by, e->qdd_x, n, &at));
    MECH_TRY(dynamics_show(&s->dyn, s->dyn.lambda, s->dyn.total));
    MECH_TRY(mech_eval_jacobian(s->eval, &at));
    memset(e->slopes, 0, height * e->by.columns * sizeof *e->slopes);
    for (size_t c = 0; c < e->by.columns; c++) {
        if (c >= n && c < 2 * n) e->slopes[c - n + c * height] = 1;
        memcpy(e->slopes + n + c * height, e->qdd_x + c * n, n * sizeof(double));
    }
    chain(e, MECH_MATRIX_D_RATE, at.rate, 2 * n);
    chain(e, MECH_MATRIX_D_OUTPUT, at.output, size);
    return MECH_OK;
}

int exchange_slopes(exchange *e, double t, const double *x, const double **slopes)
{
    mech_status status = e->by.d ? MECH_OK : make_derivative(e);
    if (status == MECH_OK) {
        swap(e);
        status = find_slopes(e, t, point(e, x));
        swap(e);
    }
    *slopes = e->slopes;
    return status == MECH_ERR_UNSUPPORTED || status == MECH_ERR_MEMORY ? -1 : answer(e, status);
}

/* ---- steps and events ---- */

static void stand(exchange *e, double t, const double *x)
{
    mech_sim *s = e->s;
    s->t = t;
    memcpy(s->y, x, size_of(s) * sizeof *x);
    s->log.failure = MECH_OK;
    s->onto.fast.is_end = 0;
    sim_keep_good(s);
}

/* Inputs at s->t, s->y. What an importer sets at an event jumps from there. */
static void see_inputs(exchange *e)
{
    mech_sim *s = e->s;
    if (!s->kink.has_slopes || sim_set_point(s, s->t, s->y) != MECH_OK) return;
    sim_copy_inputs(s, e->inputs);
    e->seen = s->t;
}

/* The side before what was set: its inputs, if they were seen at this instant. All else is as it is now. */
static void keep_side(exchange *e)
{
    mech_sim *s = e->s;
    sim_keep_side(s, s->t);
    if (s->kink.has_slopes && e->seen == s->t)
        memcpy(s->kink.kept.inputs, e->inputs, 3 * s->sizes.inputs * sizeof *e->inputs);
}

static mech_status look_at_step(exchange *e, int *is_off)
{
    mech_sim *s = e->s;
    MECH_TRY(sim_leeway_follow(s, s->t, s->y));
    MECH_TRY(sim_events_note(s));
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    if (s->sizes.frictions) {
        sim_friction_follow(s);
        MECH_TRY(sim_friction_check(s));
    }
    for (size_t i = 0; i < s->m; i++)
        *is_off |= (s->onto.holonomic[i] && fabs(s->eq->r[i]) > s->leeway.row[i]) ||
                   (s->onto.velocity[i] && fabs(s->eq->r_dot[i]) > s->leeway.rate[i]);
    return MECH_OK;
}

mech_status exchange_step(exchange *e, double t, const double *x, int *is_off)
{
    mech_sim *s = e->s;
    *is_off = 0;
    stand(e, t, x);
    const mech_status status = look_at_step(e, is_off);
    if (status == MECH_OK) see_inputs(e);
    return status == MECH_OK || s->log.error[0] ? status : sim_fail_at(s, status);
}

/* Behind a kink, or a point of a table: what was drawn along may begin to move otherwise. */
static mech_status pass(mech_sim *s)
{
    MECH_TRY(sim_follow_jump(s, 0));
    MECH_TRY(sim_friction_pass_kink(s));
    MECH_TRY(sim_touch_pass_kink(s));
    MECH_TRY(sim_events_passed(s));
    return sim_has_event(s) ? sim_act_on_events(s, 1) : sim_restart(s, 0);
}

static mech_status act(exchange *e, double next, int must_project)
{
    mech_sim *s = e->s;
    MECH_TRY(sim_events_crossed(s));
    const int is_changed = sim_is_changed(s), passes = s->t >= next || sim_switched(s) != SIZE_MAX;
    if (!is_changed && !passes && !sim_has_event(s) && !must_project) return MECH_OK;
    /* velocities that are asked for may jump: then impulses bring them about */
    if (is_changed || (passes && !sim_has_event(s))) MECH_TRY(sim_project_struck(s));
    else MECH_TRY(sim_project(s, s->t, s->y));
    if (is_changed) keep_side(e);
    if (is_changed) return sim_take_changes(s, 1);
    if (sim_has_event(s)) return sim_act_on_events(s, 1);
    return pass(s);
}

mech_status exchange_event(exchange *e, double t, double *x, int must_project, int *is_moved)
{
    mech_sim *s = e->s;
    const double next = exchange_next(e);
    *is_moved = 0;
    stand(e, t, x);
    const mech_status status = act(e, next, must_project);
    if (status != MECH_OK) return sim_go_back(s, status);
    *is_moved = memcmp(x, s->y, size_of(s) * sizeof *x) != 0;
    memcpy(x, s->y, size_of(s) * sizeof *x);
    look_anew(e);
    see_inputs(e);
    return MECH_OK;
}

double exchange_next(const exchange *e)
{
    const mech_sim *s = e->s;
    const double point = s->sizes.inputs ? eval_next_point(s->eval, s->t, 0) : HUGE_VAL,
                 hair = fmax(TOL_HAIR * sim_span(s), sim_rounding(point));
    return fmin(s->advance.held_until, point + hair);
}

/* ---- life ---- */

mech_status exchange_create(mech_sim *sim, exchange **made)
{
    exchange *e = mem_zeroed(1, sizeof *e);
    *made = e;
    if (!e) return MECH_ERR_MEMORY;
    e->s = sim;
    e->room = sim->dyn.B.count + sim->dyn.K.count + sim->m;
    e->y = arena_alloc(&e->memory, sim->ny * sizeof *e->y);
    e->inputs = arena_zeroed(&e->memory, 3 * sim->sizes.inputs + 1, sizeof *e->inputs);
    mech_status status = e->y && e->inputs ? MECH_OK : MECH_ERR_MEMORY;
    for (int k = 0; k < 2 && status == MECH_OK; k++)
        status = dynamics_make_gains(&e->gains[k], e->room + 1, &e->memory);
    if (status == MECH_OK) look_anew(e), see_inputs(e);
    else exchange_free(e), *made = NULL;
    return status;
}

void exchange_free(exchange *e)
{
    if (!e) return;
    arena_free(&e->memory);
    mem_free(e);
}
