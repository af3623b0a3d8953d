/* Onto the constraints, by Newton's method, the least change in the metric M; and the start. */
#include "within.h"

enum { MOST_TURNS = 60, MOST_NUDGES = 3 };

#define RANK_OFF 1e-7    /* the least and the most of that beside the constraints  */
#define RANK_BESIDE 1e-2 /* of the least sine on them                              */
#define RANK_MOST 1e-3
#define ROW_TOL 1e-13 /* what may be left of a row of size 1                    */
#define ROW_STUCK 1e3 /* times that, where rounding lets no less be             */
#define ROUNDING (32 * DBL_EPSILON)
#define METRIC 1e-6 /* the least of a metric, beside its largest              */
#define NUDGE 1e-2
#define NEAREST 1e-8 /* a way onto constraints that is worth a search for the nearest     */

static int belongs(int row, int level) { return level == POSITION ? unit_level[row] == 0 : unit_level[row] < 2; }

/* Of each initial value: what it is to be, what it is here, and how that changes. */
static void take_targets(instance *i, double t, const double *x)
{
    double qdd[N] = {0}, lambda[ROWS + CONSTRAINTS + 1] = {0};
    instance_list_active(i, lambda + ROWS);
    (void)MOTION(initial_motion)(i->code.initial, t, x, x + N, x + 2 * N, i->u, qdd, lambda, i->code.target,
                                 i->code.work);
}

/* Rows of that level at (t, x), and how much is left of them: the largest as a multiple of what may be. HUGE_VAL: some
   value is not finite. */
double instance_look_at_rows(instance *i, double t, const double *x, int level, int with_targets, double *norm)
{
    MOTION(type) *m = &i->motion;
    const double *moved = level == POSITION ? x : x + N;
    double most = 0;
    MOTION(equation)(m, t, x, x + N, x + 2 * N, i->u);
    if (with_targets) take_targets(i, t, x);
    memset(i->A, 0, (size_t)ALL_ROWS * N * sizeof *i->A);
    for (int k = 0; k < ROWS; k++) {
        i->active[k] = m->active[k] && belongs(k, level);
        i->left[k] = i->active[k] ? -(level == POSITION ? m->r[k] : m->r_dot[k]) : 0;
        for (int j = 0; j < N && i->active[k]; j++) i->A[k + ALL_ROWS * j] = m->A[k + ROWS * j];
    }
    for (int k = 0; k < UNIT_TARGETS; k++) {
        const int row = ROWS + k;
        i->active[row] = with_targets && unit_target_is_fixed[k] && unit_target_level[k] == level;
        i->left[row] = i->active[row] ? i->code.target[k] - i->code.target[UNIT_TARGETS + k] : 0;
    }
    for (int k = 0; k < UNIT_GRADIENTS; k++) {
        const int row = ROWS + unit_gradient_row[k], at = unit_gradient_column[k] - (level == POSITION ? 0 : N);
        if (i->active[row] && at >= 0 && at < N) i->A[row + ALL_ROWS * at] = i->code.target[2 * UNIT_TARGETS + k];
    }
    *norm = 0;
    for (int k = 0; k < ALL_ROWS; k++) {
        double size = 0;
        for (int j = 0; j < N; j++) size += fabs(i->A[k + ALL_ROWS * j] * moved[j]);
        if (i->left[k] - i->left[k] != 0) return HUGE_VAL;
        *norm = hypot(*norm, i->left[k]);
        most = fmax(most, fabs(i->left[k]) / (ROW_TOL + ROUNDING * size));
    }
    return instance_are_finite(m->M, N * N) ? most : HUGE_VAL;
}

/* The least change that meets the rows seen last, to first order. */
static int find_change(instance *i, double *change)
{
    MOTION(type) *m = &i->motion;
    static const double zero[N] = {0};
    double metric[N * N], largest = 0;
    if (small_factor(&i->solve, m->M, i->A, i->active, RANK_TOL, 0) != SMALL_OK) {
        memset(metric, 0, sizeof metric);
        for (int j = 0; j < N; j++) largest = fmax(largest, fabs(m->M[j * (N + 1)]));
        for (int j = 0; j < N; j++)
            metric[j * (N + 1)] = fmax(fabs(m->M[j * (N + 1)]), METRIC * (largest > 0 ? largest : 1));
        if (small_factor(&i->solve, metric, i->A, i->active, RANK_TOL, 0) != SMALL_OK) return 0;
        small_ideal(&i->solve, metric, zero, i->left, change, NULL, NULL);
    } else small_ideal(&i->solve, m->M, zero, i->left, change, NULL, NULL);
    return instance_are_finite(change, N);
}

/* Values that are fixed are carried exactly. */
static void pin(const instance *i, double *x, int with_targets)
{
    for (int k = 0; k < UNIT_TARGETS && with_targets; k++) {
        const double value = i->code.target[k];
        double *at = &x[unit_target[k] < 0 ? 0 : unit_target[k]];
        if (unit_target[k] >= 0 && unit_target_is_fixed[k] && fabs(*at - value) <= 1e-9 * (1 + fabs(value)))
            *at = value;
    }
}

/* Steps from guesses where a gradient vanishes: the same ones every time. */
static void nudge(double *moved, int count)
{
    double size = NUDGE / 10;
    for (int j = 0; j < N; j++) size = fmax(size, NUDGE * fabs(moved[j]));
    for (int j = 0; j < N; j++) moved[j] += size * (count + 1) * (1 + 0.37 * cos(1.0 + 2.1 * j));
}

/* Halves the step until less is left. 0: it does not. */
static int step_down(instance *i, double t, double *x, int level, int with_targets, const double *change,
                     double *excess)
{
    double before[SIZE], norm, start;
    double *moved = level == POSITION ? x : x + N, part = 1;
    memcpy(before, x, sizeof before);
    (void)instance_look_at_rows(i, t, x, level, with_targets, &start);
    for (int turn = 0; turn < 12; turn++, part /= 2) {
        for (int j = 0; j < N; j++) moved[j] = before[j + (moved - x)] + part * change[j];
        pin(i, x, with_targets);
        *excess = instance_look_at_rows(i, t, x, level, with_targets, &norm);
        if (*excess < HUGE_VAL && (norm < (1 - 0.1 * part) * start || *excess <= 1)) return 1;
    }
    memcpy(x, before, sizeof before);
    *excess = instance_look_at_rows(i, t, x, level, with_targets, &norm);
    return 0;
}

/* 1: the rows of the level are met. */
static int meet_rows(instance *i, double t, double *x, int level, int with_targets)
{
    double change[N], norm, excess = instance_look_at_rows(i, t, x, level, with_targets, &norm);
    int nudges = 0;
    for (int turn = 0; turn < MOST_TURNS && excess > 1; turn++) {
        const int is_found = excess < HUGE_VAL && find_change(i, change);
        if (is_found && step_down(i, t, x, level, with_targets, change, &excess)) continue;
        if (excess <= ROW_STUCK || nudges == MOST_NUDGES || !with_targets) break;
        nudge(level == POSITION ? x : x + N, nudges++);
        pin(i, x, with_targets);
        excess = instance_look_at_rows(i, t, x, level, with_targets, &norm);
    }
    return excess <= ROW_STUCK;
}

/* Rows that depend on one another on the constraints alone look independent beside them. */
void instance_look_at_rank(instance *i)
{
    double b[ROWS + 1];
    int rows = 0;
    small_solve *s = &i->motion.robust;
    i->now.rank_tol = RANK_TOL;
    i->has_rates = 0;
    for (int k = 0; k < ROWS; k++) rows += i->motion.active[k];
    if (rows == 0 || instance_factor(i, i->now.t, i->now.x, b) != 1 || s->rank <= 0 || s->rank >= rows) return;
    i->now.rank_tol = fmin(fmax(RANK_BESIDE * small_smallest(s) / s->largest, RANK_OFF), RANK_MOST);
}

/* The nearest of the positions that meet the rows, in the metric of the place before: Newton's steps onto curved rows
   end beside it, by the square of the way. */
static void come_nearest(instance *i, const double *from)
{
    kept *now = &i->now;
    double way = 0, size = 0, last = HUGE_VAL, part = 1, norm, met[N], change[N];
    for (int j = 0; j < N; j++) {
        way = fmax(way, fabs(now->x[j] - from[j]));
        size = fmax(size, fabs(now->x[j]));
    }
    if (!(way > NEAREST * size)) return;
    memcpy(met, now->x, sizeof met);
    for (int turn = 0; turn < 200 && last > 1e-12 * way && part > 0.01; turn++) {
        double step = 0, metric[N * N], here[SIZE];
        memcpy(here, now->x, sizeof here);
        memcpy(here, from, N * sizeof *here);
        (void)instance_look_at_rows(i, now->t, here, POSITION, 0, &norm);
        memcpy(metric, i->motion.M, sizeof metric);
        if (instance_look_at_rows(i, now->t, now->x, POSITION, 0, &norm) == HUGE_VAL) break;
        for (int k = 0; k < ROWS; k++)
            for (int j = 0; j < N; j++) i->left[k] += i->A[k + ALL_ROWS * j] * (now->x[j] - from[j]);
        memcpy(i->motion.M, metric, sizeof metric);
        if (!find_change(i, change)) break;
        for (int j = 0; j < N; j++) {
            change[j] -= now->x[j] - from[j];
            step = fmax(step, fabs(change[j]));
        }
        if (step > 0.9 * last) part /= 2; /* it goes to and fro */
        for (int j = 0; j < N; j++) now->x[j] += part * change[j];
        last = step;
    }
    if (!(last <= 1e-9 * way)) memcpy(now->x, met, sizeof met);
}

int instance_project(instance *i)
{
    kept *now = &i->now;
    if (ROWS == 0) return 1;
    instance_take_inputs(i, now->t);
    if (meet_rows(i, now->t, now->x, POSITION, 0) && meet_rows(i, now->t, now->x, VELOCITY, 0)) return 1;
    return instance_say(i, 1, "at t = %.10g: the state could not be brought back onto the constraints", now->t);
}

/* The same after a state was set, or a constraint put in force. */
int instance_project_from_afar(instance *i)
{
    double from[N];
    memcpy(from, i->now.x, sizeof from);
    if (ROWS == 0) return 1;
    instance_take_inputs(i, i->now.t);
    if (meet_rows(i, i->now.t, i->now.x, POSITION, 0)) come_nearest(i, from);
    return instance_project(i);
}

/* ---- the start ---- */

static int meet_both(instance *i, double *x)
{
    return meet_rows(i, i->now.t, x, POSITION, 1) && meet_rows(i, i->now.t, x, VELOCITY, 1);
}

int instance_ensure_start(instance *i)
{
    kept *now = &i->now;
    if (now->is_started) return 1;
    instance_take_parameters(i);
    now->t = now->start;
    now->next = instance_next_time(now->t);
    memset(now->x, 0, sizeof now->x);
    instance_take_inputs(i, now->t);
    for (int pass = 0; pass < 2; pass++) { /* twice, for values that use other variables */
        take_targets(i, now->t, now->x);
        if (!instance_are_finite(i->code.target, UNIT_TARGETS) && pass)
            return instance_say(i, 1, "an initial value is not finite");
        for (int k = 0; k < UNIT_TARGETS; k++)
            if (unit_target[k] >= 0 && i->code.target[k] - i->code.target[k] == 0)
                now->x[unit_target[k]] = i->code.target[k];
    }
    if (!meet_both(i, now->x)) {
        memcpy(now->x, unit_start, sizeof now->x);
        if (!meet_both(i, now->x))
            return instance_say(i, 1, "no start was found that meets the constraints and the initial values");
    }
    memset(now->watch, 0, sizeof now->watch);
    for (int k = 0; k < EVENTS; k++) now->watch[k].fired_at = now->t;
    instance_look_at_rank(i);
    now->is_started = 1;
    now->is_changed = now->has_stopped = 0;
    if (instance_begin_watches(i) == 1) return 1;
    now->is_started = 0;
    return instance_say(i, 1, "a trigger has no value at the start");
}
