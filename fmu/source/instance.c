/* One instance of a unit over exported code, for model exchange: docs/decisions/0060-units-in-c.md. C99, and nothing
   but the C library. What the model is stands in unit.h. */
#include "instance.h"
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = MOTION(COORDS),
    ROWS = MOTION(ROWS),
    STATES = MOTION(STATES),
    PARAMS = MOTION(PARAMS),
    INPUTS = MOTION(INPUTS),
    OUTPUTS = MOTION(OUTPUTS),
    SIZE = 2 * N + STATES,
    ALL_ROWS = ROWS + UNIT_TARGETS, /* of a start: constraints, then values that are fixed */
    GIVEN = PARAMS + INPUTS,
    EVENTS = MOTION(EVENTS),
    CONSTRAINTS = MOTION(CONSTRAINTS),
    WATCHES = EVENTS + UNIT_KINKS /* functions whose zeros count: triggers, then kinks */
};
enum { GAIN, PROJECTION, SETTINGS };
enum { POSITION, VELOCITY };
enum { TOKEN = 40, MOST_TURNS = 60, MOST_NUDGES = 3 };

#define RANK_TOL 1e-9    /* sines below are none                                   */
#define RANK_OFF 1e-7    /* the least and the most of that beside the constraints  */
#define RANK_BESIDE 1e-2 /* of the least sine on them                              */
#define RANK_MOST 1e-3
#define ROW_TOL 1e-13 /* what may be left of a row of size 1                    */
#define ROW_STUCK 1e3 /* times that, where rounding lets no less be             */
#define ROW_OFF 10    /* times that: a step has left the constraints            */
#define ROUNDING (32 * DBL_EPSILON)
#define METRIC 1e-6 /* the least of a metric, beside its largest              */
#define NUDGE 1e-2
#define FLOOR 1e-14  /* of its largest value: a trigger there is at 0                     */
#define STANDS 1e-9  /* the same of one that has just fired                               */
#define AHEAD 1e-6   /* of the time of the motion: how far to look where a trigger goes   */
#define SHRUNK 1e-6  /* the last time between two events, beside the longest              */
#define NEAREST 1e-8 /* a way onto constraints that is worth a search for the nearest     */

/* A function whose zeros count. */
typedef struct watch {
    double floor, largest;             /* what counts as 0, and how large it has been       */
    double fired_at, gap, largest_gap; /* when it fired last, and the times between         */
    int sign;                          /* the side it was on last; 0: not known, it is at 0 */
    int is_pending;                    /* it is at 0, and comes from the side of sign       */
    int shrinking, has_fired;          /* gaps in a row that were shorter than the last     */
} watch;

/* What a state that is kept consists of; all gaps are 0, so that equal states are equal bytes. */
typedef struct kept {
    char token[TOKEN];
    double start, t, rank_tol;
    double settings[SETTINGS];
    double given[GIVEN + 1]; /* what the importer set, NaN: nothing */
    double x[SIZE];          /* where it is                         */
    int is_running;          /* initialization is over              */
    int is_started;          /* there is a state                    */
    int is_changed;          /* something was set since the last event */
    int is_off;              /* the last step asked for a projection   */
    int has_stopped;         /* an event of the model said so          */
    double next;             /* when a table has its next point        */
    watch watch[WATCHES + 1];
    unsigned char active[CONSTRAINTS + 1]; /* in force      */
} kept;

struct instance {
    instance_log *log;
    void *user;
    int logs_events;
    kept now;
    MOTION(type) motion;
    unit_code code;
    double u[3 * INPUTS + 1];
    double rates[SIZE], lambda[ROWS + 1], outputs[OUTPUTS + 1];
    int has_rates;              /* and multipliers and outputs, at now.t and now.x */
    small_solve solve;          /* of Newton's method: ALL_ROWS                    */
    double *numbers, *A, *left; /* its memory; (ALL_ROWS x N), (ALL_ROWS)          */
    int *integers;
    unsigned char *active; /* (ALL_ROWS) */
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int
say(const instance *i, int is_error, const char *format, ...)
{
    char words[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (i->log) i->log(i->user, is_error, words);
    return 0;
}

/* ---- life ---- */

static void clear(instance *i)
{
    memset(&i->now, 0, sizeof i->now);
    strcpy(i->now.token, unit_token);
    i->now.settings[GAIN] = unit_gain;
    for (int k = 0; k < GIVEN; k++) i->now.given[k] = NAN;
    i->now.rank_tol = RANK_TOL;
    i->has_rates = 0;
    MOTION(start)(&i->motion);
    for (int c = 0; c < CONSTRAINTS; c++)
        i->now.active[c] = unit_first_row[c] == unit_first_row[c + 1] || i->motion.active[unit_first_row[c]];
}

static int make_room(instance *i)
{
    const size_t rows = (size_t)ALL_ROWS + 1;
    i->numbers = malloc((small_doubles(N, ALL_ROWS) + 1) * sizeof *i->numbers);
    i->integers = malloc((small_integers(N, ALL_ROWS) + 1) * sizeof *i->integers);
    i->A = calloc(rows * N, sizeof *i->A);
    i->left = calloc(rows, sizeof *i->left);
    i->active = calloc(rows, 1);
    if (!i->numbers || !i->integers || !i->A || !i->left || !i->active) return say(i, 1, "out of memory");
    small_place(&i->solve, N, ALL_ROWS, i->numbers, i->integers);
    return 1;
}

instance *instance_create(const char *resources, const char *token, int is_exchange, instance_log *log, void *user)
{
    instance *i = calloc(1, sizeof *i);
    (void)resources; /* all is in the code */
    if (!i) return NULL;
    i->log = log;
    i->user = user;
    int is_good = token && strcmp(token, unit_token) == 0;
    if (!is_good) say(i, 1, "the unit is %s, and %s was asked for", unit_token, token ? token : "nothing");
    if (is_good && !is_exchange) is_good = say(i, 1, "the unit is for model exchange");
    if (is_good) is_good = make_room(i);
    if (is_good) {
        clear(i);
        return i;
    }
    instance_free(i);
    return NULL;
}

void instance_free(instance *i)
{
    if (!i) return;
    free(i->numbers);
    free(i->integers);
    free(i->A);
    free(i->left);
    free(i->active);
    free(i);
}

void instance_log_events(instance *i, int is_on) { i->logs_events = is_on; }

/* ---- what was set ---- */

/* Parameters as they are set, and those that follow; constraints that are in force. */
static void take_parameters(instance *i)
{
    double p[PARAMS + 1];
    MOTION(start)(&i->motion);
    memcpy(p, i->motion.p, PARAMS * sizeof *p);
    for (int k = 0; k < PARAMS; k++)
        if (!isnan(i->now.given[k])) p[k] = i->now.given[k];
    MOTION(set_parameters)(&i->motion, p);
    unit_set_parameters(&i->code, i->motion.p);
    for (int c = 0; c < CONSTRAINTS; c++) MOTION(set_active)(&i->motion, c, i->now.active[c]);
}

/* Signals, or what was set in their place. What is held between the points of a table is so until its event came. */
static void take_inputs(instance *i, double t)
{
    const double next = i->now.next;
    MOTION(inputs)
    (&i->motion, UNIT_TIMES > 0 && t >= next ? next - 24 * DBL_EPSILON * fabs(next) - 2 * DBL_MIN : t, i->u);
    for (int k = 0; k < INPUTS; k++) {
        if (isnan(i->now.given[PARAMS + k])) continue;
        i->u[k] = i->now.given[PARAMS + k];
        i->u[INPUTS + k] = 0;
        i->u[2 * INPUTS + k] = 0;
    }
}

/* ---- the equation ---- */

static int are_finite(const double *x, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++) sum += x[k] - x[k];
    return sum == 0;
}

/* The equation at (t, x), factored, with excess variables in b. 1 done, 0 failed and said, -1 not here. */
static int factor(instance *i, double t, const double *x, double *b)
{
    MOTION(type) *m = &i->motion;
    const double gain = i->now.settings[GAIN];
    take_inputs(i, t);
    MOTION(equation)(m, t, x, x + N, x + 2 * N, i->u);
    for (int k = 0; k < ROWS; k++) b[k] = m->b[k] - 2 * gain * m->r_dot[k] - gain * gain * m->r[k];
    const small_status status = small_factor(&m->robust, m->M, m->A, m->active, i->now.rank_tol, 0);
    if (status == SMALL_NOT_FINITE || !are_finite(m->Q, N) || !are_finite(b, ROWS)) return -1;
    return status == SMALL_OK ? 1 : say(i, 1, "at t = %.10g: the motion is not unique: a mass is missing", t);
}

static int solve(instance *i, double t, const double *x, double *qdd, double *lambda)
{
    double b[ROWS + 1];
    const int result = factor(i, t, x, b);
    if (result == 1) small_ideal(&i->motion.robust, i->motion.M, i->motion.Q, b, qdd, NULL, lambda);
    return result != 1 || are_finite(qdd, N) ? result : -1;
}

static void take_rates(instance *i, double t, const double *x, double *qdd, double *lambda, double *rates)
{
    if (STATES) (void)MOTION(rate_motion)(i->code.rate, t, x, x + N, x + 2 * N, i->u, qdd, lambda, rates, i->code.work);
}

/* Behind the multipliers: which constraints are in force. */
static void list_active(const instance *i, double *to)
{
    for (int c = 0; c < CONSTRAINTS; c++) to[c] = i->now.active[c];
}

/* Rates, multipliers and outputs where the importer is. */
static int look_here(instance *i)
{
    kept *now = &i->now;
    double lambda[ROWS + CONSTRAINTS + 1];
    if (i->has_rates) return 1;
    double *qdd = i->rates + N;
    const int result = solve(i, now->t, now->x, qdd, lambda);
    if (result != 1) return result;
    memcpy(i->rates, now->x + N, N * sizeof *i->rates);
    memcpy(i->lambda, lambda, ROWS * sizeof *lambda);
    list_active(i, lambda + ROWS);
    take_rates(i, now->t, now->x, qdd, lambda, i->rates + 2 * N);
    MOTION(outputs)(&i->motion, now->t, now->x, now->x + N, now->x + 2 * N, i->u, qdd, i->lambda, i->outputs);
    i->has_rates = are_finite(i->rates, SIZE);
    return i->has_rates ? 1 : -1;
}

/* ---- onto the constraints: Newton's method, the least change in the metric M ---- */

static int belongs(int row, int level) { return level == POSITION ? unit_level[row] == 0 : unit_level[row] < 2; }

/* Of each initial value: what it is to be, what it is here, and how that changes. */
static void take_targets(instance *i, double t, const double *x)
{
    double qdd[N] = {0}, lambda[ROWS + CONSTRAINTS + 1] = {0};
    list_active(i, lambda + ROWS);
    (void)MOTION(initial_motion)(i->code.initial, t, x, x + N, x + 2 * N, i->u, qdd, lambda, i->code.target,
                                 i->code.work);
}

/* Rows of that level at (t, x), and how much is left of them: the largest as a multiple of what may be. HUGE_VAL: some
   value is not finite. */
static double look_at_rows(instance *i, double t, const double *x, int level, int with_targets, double *norm)
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
    return are_finite(m->M, N * N) ? most : HUGE_VAL;
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
    return are_finite(change, N);
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
    (void)look_at_rows(i, t, x, level, with_targets, &start);
    for (int turn = 0; turn < 12; turn++, part /= 2) {
        for (int j = 0; j < N; j++) moved[j] = before[j + (moved - x)] + part * change[j];
        pin(i, x, with_targets);
        *excess = look_at_rows(i, t, x, level, with_targets, &norm);
        if (*excess < HUGE_VAL && (norm < (1 - 0.1 * part) * start || *excess <= 1)) return 1;
    }
    memcpy(x, before, sizeof before);
    *excess = look_at_rows(i, t, x, level, with_targets, &norm);
    return 0;
}

/* 1: the rows of the level are met. */
static int meet_rows(instance *i, double t, double *x, int level, int with_targets)
{
    double change[N], norm, excess = look_at_rows(i, t, x, level, with_targets, &norm);
    int nudges = 0;
    for (int turn = 0; turn < MOST_TURNS && excess > 1; turn++) {
        const int is_found = excess < HUGE_VAL && find_change(i, change);
        if (is_found && step_down(i, t, x, level, with_targets, change, &excess)) continue;
        if (excess <= ROW_STUCK || nudges == MOST_NUDGES || !with_targets) break;
        nudge(level == POSITION ? x : x + N, nudges++);
        pin(i, x, with_targets);
        excess = look_at_rows(i, t, x, level, with_targets, &norm);
    }
    return excess <= ROW_STUCK;
}

/* Rows that depend on one another on the constraints alone look independent beside them. */
static void look_at_rank(instance *i)
{
    double b[ROWS + 1];
    int rows = 0;
    small_solve *s = &i->motion.robust;
    i->now.rank_tol = RANK_TOL;
    i->has_rates = 0;
    for (int k = 0; k < ROWS; k++) rows += i->motion.active[k];
    if (rows == 0 || factor(i, i->now.t, i->now.x, b) != 1 || s->rank <= 0 || s->rank >= rows) return;
    i->now.rank_tol = fmin(fmax(RANK_BESIDE * small_smallest(s) / s->largest, RANK_OFF), RANK_MOST);
}

/* The nearest of the positions that meet the rows, in the metric of the place before: Newton's steps onto curved rows end
   beside it, by the square of the way. */
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
        (void)look_at_rows(i, now->t, here, POSITION, 0, &norm);
        memcpy(metric, i->motion.M, sizeof metric);
        if (look_at_rows(i, now->t, now->x, POSITION, 0, &norm) == HUGE_VAL) break;
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

static int project(instance *i)
{
    kept *now = &i->now;
    if (ROWS == 0) return 1;
    take_inputs(i, now->t);
    if (meet_rows(i, now->t, now->x, POSITION, 0) && meet_rows(i, now->t, now->x, VELOCITY, 0)) return 1;
    return say(i, 1, "at t = %.10g: the state could not be brought back onto the constraints", now->t);
}

/* The same after a state was set, or a constraint put in force. */
static int project_from_afar(instance *i)
{
    double from[N];
    memcpy(from, i->now.x, sizeof from);
    if (ROWS == 0) return 1;
    take_inputs(i, i->now.t);
    if (meet_rows(i, i->now.t, i->now.x, POSITION, 0)) come_nearest(i, from);
    return project(i);
}

/* ---- triggers and kinks ---- */

/* The first point of a table after t, and a hair: there the piece after it is the one. */
static double next_time(double t)
{
    double next = HUGE_VAL;
    for (int k = 0; k < UNIT_TIMES; k++) {
        const double after = unit_times[k] + 8 * DBL_EPSILON * fabs(unit_times[k]) + DBL_MIN;
        if (after > t && after < next) next = after;
    }
    return next;
}

/* Values of what is watched at (t, x), and of the conditions of events. As solve. */
static int watch_values(instance *i, double t, const double *x, double *values, double *conditions)
{
    double qdd[N], lambda[ROWS + CONSTRAINTS + 1], g[2 * EVENTS + 1], sides[2 * UNIT_KINKS + 1] = {0};
    take_inputs(i, t);
    if (EVENTS > 0) {
        const int result = solve(i, t, x, qdd, lambda);
        if (result != 1) return result;
        MOTION(triggers)(&i->motion, t, x, x + N, x + 2 * N, i->u, qdd, lambda, g);
        memcpy(values, g, EVENTS * sizeof *g);
        memcpy(conditions, g + EVENTS, EVENTS * sizeof *g);
    }
    if (UNIT_KINKS > 0) {
        memset(qdd, 0, sizeof qdd);
        memset(lambda, 0, sizeof lambda);
        list_active(i, lambda + ROWS);
        (void)MOTION(kink_motion)(i->code.kink, t, x, x + N, x + 2 * N, i->u, qdd, lambda, sides, i->code.work);
    }
    for (int k = 0; k < UNIT_KINKS; k++)
        values[EVENTS + k] =
            unit_is_floor[k] ? sin(3.14159265358979323846 * sides[2 * k]) : sides[2 * k] - sides[2 * k + 1];
    return are_finite(values, WATCHES) ? 1 : -1;
}

/* Which way a trigger goes from here: a `set` may have turned it round. */
static int way_ahead(instance *i, int k, double value)
{
    double x[SIZE], values[WATCHES + 1], conditions[EVENTS + 1];
    const double dt = AHEAD / unit_gain;
    i->has_rates = 0;
    if (look_here(i) != 1) return 0;
    for (int j = 0; j < SIZE; j++) x[j] = i->now.x[j] + dt * i->rates[j];
    i->has_rates = 0;
    if (watch_values(i, i->now.t + dt, x, values, conditions) != 1) return 0;
    return values[k] > value ? 1 : values[k] < value ? -1 : 0;
}

/* On which side all of them are, at the start and after what happened. */
static int begin_watches(instance *i)
{
    double values[WATCHES + 1], conditions[EVENTS + 1];
    i->has_rates = 0;
    if (WATCHES == 0) return 1;
    const int result = watch_values(i, i->now.t, i->now.x, values, conditions);
    if (result != 1) return result;
    for (int k = 0; k < WATCHES; k++) {
        watch *w = &i->now.watch[k];
        const double size = fabs(values[k]);
        w->largest = fmax(w->largest, size);
        w->floor = FLOOR * w->largest;
        w->is_pending = 0;
        if (w->has_fired && size <= STANDS * w->largest) {
            w->is_pending = k < EVENTS && unit_sets[k] && way_ahead(i, k, values[k]) == w->sign;
            w->sign = w->is_pending ? w->sign : 0;
            w->floor = fmax(w->floor, 4 * size);
        } else w->sign = size <= w->floor ? 0 : values[k] > 0 ? 1 : -1;
        w->has_fired = 0;
    }
    return 1;
}

/* Has it passed 0? Its side is noted where it was not known. */
static int has_crossed(watch *w, double value)
{
    if (w->sign == 0 && fabs(value) > w->floor) w->sign = value > 0 ? 1 : -1;
    if (w->is_pending ? w->sign * value < -w->floor : w->sign * value < 0 || (w->sign != 0 && value == 0)) return 1;
    if (w->is_pending && w->sign * value > w->floor) w->is_pending = 0;
    w->largest = fmax(w->largest, fabs(value));
    return 0;
}

/* ---- the start ---- */

static int meet_both(instance *i, double *x)
{
    return meet_rows(i, i->now.t, x, POSITION, 1) && meet_rows(i, i->now.t, x, VELOCITY, 1);
}

static int ensure_start(instance *i)
{
    kept *now = &i->now;
    if (now->is_started) return 1;
    take_parameters(i);
    now->t = now->start;
    now->next = next_time(now->t);
    memset(now->x, 0, sizeof now->x);
    take_inputs(i, now->t);
    for (int pass = 0; pass < 2; pass++) { /* twice, for values that use other variables */
        take_targets(i, now->t, now->x);
        if (!are_finite(i->code.target, UNIT_TARGETS) && pass) return say(i, 1, "an initial value is not finite");
        for (int k = 0; k < UNIT_TARGETS; k++)
            if (unit_target[k] >= 0 && i->code.target[k] - i->code.target[k] == 0)
                now->x[unit_target[k]] = i->code.target[k];
    }
    if (!meet_both(i, now->x)) {
        memcpy(now->x, unit_start, sizeof now->x);
        if (!meet_both(i, now->x))
            return say(i, 1, "no start was found that meets the constraints and the initial values");
    }
    memset(now->watch, 0, sizeof now->watch);
    for (int k = 0; k < EVENTS; k++) now->watch[k].fired_at = now->t;
    look_at_rank(i);
    now->is_started = 1;
    now->is_changed = now->has_stopped = 0;
    if (begin_watches(i) == 1) return 1;
    now->is_started = 0;
    return say(i, 1, "a trigger has no value at the start");
}

int instance_setup(instance *i, double start, double tolerance)
{
    (void)tolerance; /* the importer integrates */
    i->now.start = start;
    i->now.is_started = i->has_rates = 0;
    return 1;
}

int instance_start(instance *i)
{
    i->now.is_running = ensure_start(i);
    return i->now.is_running;
}

int instance_reset(instance *i)
{
    clear(i);
    return 1;
}

/* ---- variables: kind after kind, as the description numbers them ---- */

typedef enum kind {
    TIME,
    PARAM,
    INPUT,
    OUTPUT,
    COORD,
    SPEED,
    STATE,
    ACCELERATION,
    RATE,
    SETTING,
    INDICATOR,
    KINDS
} kind;

static kind kind_of(size_t *reference)
{
    static const size_t counts[KINDS] = {1, PARAMS, INPUTS, OUTPUTS, N, N, STATES, N, STATES, SETTINGS, WATCHES};
    for (int k = 0; k < KINDS; k++) {
        if (*reference < counts[k]) return (kind)k;
        *reference -= counts[k];
    }
    return KINDS;
}

static int get_indicator(instance *i, size_t index, double *value)
{
    double all[WATCHES + 1] = {0};
    const int result = instance_indicators(i, all, WATCHES);
    if (result == 1) *value = all[index];
    return result == 1;
}

int instance_get(instance *i, size_t reference, double *value)
{
    size_t index = reference;
    const kind which = kind_of(&index);
    if (which == KINDS) return say(i, 1, "there is no variable %lu", (unsigned long)reference);
    if (which == SETTING) {
        *value = i->now.settings[index];
        return 1;
    }
    if (!ensure_start(i)) return 0;
    if ((which == OUTPUT || which == ACCELERATION || which == RATE) && look_here(i) != 1)
        return say(i, 1, "the motion has no rates where it is");
    if (which == INPUT) take_inputs(i, i->now.t);
    switch (which) {
    case TIME: *value = i->now.t; break;
    case PARAM: *value = i->motion.p[index]; break;
    case INPUT: *value = i->u[index]; break;
    case OUTPUT: *value = i->outputs[index]; break;
    case COORD: *value = i->now.x[index]; break;
    case SPEED: *value = i->now.x[N + index]; break;
    case STATE: *value = i->now.x[2 * N + index]; break;
    case ACCELERATION: *value = i->rates[N + index]; break;
    case RATE: *value = i->rates[2 * N + index]; break;
    case INDICATOR: return get_indicator(i, index, value);
    case SETTING:
    case KINDS: break;
    }
    return 1;
}

/* 1: it may be set. */
static int check_set(instance *i, kind which, size_t index, size_t reference, double value)
{
    if (which != PARAM && which != INPUT && which != SETTING)
        return say(i, 1, "variable %lu is neither a parameter nor an input: it cannot be set",
                   (unsigned long)reference);
    if (value - value != 0)
        return say(i, 1, "variable %lu is set to a value that is not finite", (unsigned long)reference);
    if (which == SETTING && value < 0)
        return say(i, 1, "'%s' is not negative", index == GAIN ? "excess gain" : "projection at steps");
    if (which == PARAM && unit_is_fixed[index])
        return say(i, 1, "parameter %s cannot be set: it shaped the model, or follows from others", unit_names[index]);
    if (which == INPUT && unit_uses_slope[index])
        return say(i, 1,
                   "the model uses the slope of input %s, which model exchange does not tell: it keeps its own signal",
                   unit_names[PARAMS + index]);
    return 1;
}

int instance_set(instance *i, size_t reference, double value)
{
    kept *now = &i->now;
    size_t index = reference;
    const kind which = kind_of(&index);
    if (!check_set(i, which, index, reference, value)) return 0;
    i->has_rates = 0;
    if (which == SETTING) {
        now->settings[index] = value;
        return 1;
    }
    const size_t k = which == PARAM ? index : PARAMS + index;
    if (now->given[k] == value) return 1;
    now->given[k] = value;
    if (!now->is_running) now->is_started = 0; /* the start is another */
    else if (which == PARAM) take_parameters(i);
    now->is_changed = 1;
    return 1;
}

int instance_advance(instance *i, double from, double t, int *has_ended)
{
    (void)from;
    (void)t;
    *has_ended = 0;
    return say(i, 1, "the unit is for model exchange");
}

double instance_time(const instance *i) { return i->now.is_started ? i->now.t : i->now.start; }

/* ---- the importer says where the state is ---- */

void instance_counts(const instance *i, size_t *states, size_t *indicators)
{
    (void)i;
    *states = SIZE;
    *indicators = WATCHES;
}

static int is_ready(instance *i, size_t count, size_t wanted)
{
    if (count != wanted)
        return say(i, 1, "%lu values are handed over, and there are %lu", (unsigned long)count, (unsigned long)wanted);
    return ensure_start(i);
}

int instance_set_time(instance *i, double t)
{
    if (!ensure_start(i)) return 0;
    if (t - t != 0) return say(i, 1, "the time is not finite");
    i->now.t = t;
    i->has_rates = 0;
    return 1;
}

int instance_set_states(instance *i, const double *x, size_t count)
{
    if (!is_ready(i, count, SIZE)) return 0;
    if (!are_finite(x, SIZE)) return say(i, 1, "a state is not finite");
    memcpy(i->now.x, x, sizeof i->now.x);
    i->has_rates = 0;
    return 1;
}

int instance_get_states(instance *i, double *x, size_t count)
{
    if (!is_ready(i, count, SIZE)) return 0;
    memcpy(x, i->now.x, sizeof i->now.x);
    return 1;
}

int instance_rates(instance *i, double *rates, size_t count)
{
    if (!is_ready(i, count, SIZE)) return 0;
    const int result = look_here(i);
    if (result == 1) memcpy(rates, i->rates, sizeof i->rates);
    return result;
}

int instance_indicators(instance *i, double *values, size_t count)
{
    double conditions[EVENTS + 1];
    if (!is_ready(i, count, WATCHES)) return 0;
    i->has_rates = 0;
    const int result = watch_values(i, i->now.t, i->now.x, values, conditions);
    for (int k = 0; k < WATCHES && result == 1; k++) {
        const watch *w = &i->now.watch[k];
        if (w->is_pending) values[k] += w->sign * w->floor; /* it counts where it leaves the rounding of 0 */
    }
    return result;
}

/* ---- directional derivatives ---- */

/* M da - A' dl = -dF, A da = -dR - 2 g dr' - g^2 dr: F = M a - Q - A' l and R = A a - b at fixed a, l. */
enum { IN_F, IN_R, IN_r, IN_r_dot, IN_RATE, IN_OUTPUT, PARTS };

typedef struct slope {
    double seed[SIZE + INPUTS + N + ROWS]; /* of x, the inputs, then of a and the multipliers       */
    double F[N], R[ROWS + 1], r[ROWS + 1], r_dot[ROWS + 1], rate[STATES + 1], output[OUTPUTS + 1];
} slope;

/* What the entries of the parts from `first` on, before `end`, make of the seed in columns of [from, to). */
static void spread(const double *entry, int first, int end, int from, int to, slope *s)
{
    double *const into[PARTS] = {s->F, s->R, s->r, s->r_dot, s->rate, s->output};
    for (int part = first; part < end; part++)
        for (int k = unit_entry_first[part]; k < unit_entry_first[part + 1]; k++)
            if (unit_entry_column[k] >= from && unit_entry_column[k] < to)
                into[part][unit_entry_row[k]] += entry[k] * s->seed[unit_entry_column[k]];
}

static int find_slope(instance *i, slope *s)
{
    MOTION(type) *m = &i->motion;
    kept *now = &i->now;
    const double gain = now->settings[GAIN];
    double b[ROWS + 1], lambda[ROWS + CONSTRAINTS + 1], force[N], side[ROWS + 1];
    double entry[UNIT_ENTRIES + 1], *qdd = s->seed + SIZE + INPUTS;
    double a[N];
    const int result = factor(i, now->t, now->x, b);
    if (result != 1) return result;
    small_ideal(&m->robust, m->M, m->Q, b, a, NULL, lambda);
    list_active(i, lambda + ROWS);
    (void)MOTION(along_motion)(i->code.along, now->t, now->x, now->x + N, now->x + 2 * N, i->u, a, lambda, entry,
                               i->code.work);
    spread(entry, 0, PARTS, 0, SIZE + INPUTS, s);
    for (int k = 0; k < N; k++) force[k] = -s->F[k];
    for (int k = 0; k < ROWS; k++) side[k] = -s->R[k] - 2 * gain * s->r_dot[k] - gain * gain * s->r[k];
    small_ideal(&m->robust, m->M, force, side, qdd, NULL, qdd + N);
    spread(entry, IN_RATE, PARTS, SIZE + INPUTS, SIZE + INPUTS + N + ROWS, s);
    return are_finite(qdd, N + ROWS) && are_finite(s->rate, STATES) && are_finite(s->output, OUTPUTS) ? 1 : -1;
}

int instance_slope(instance *i, const unsigned *unknown, size_t unknowns, const unsigned *known, size_t knowns,
                   const double *along, double *found)
{
    slope s;
    memset(&s, 0, sizeof s);
    if (!ensure_start(i)) return 0;
    for (size_t c = 0; c < knowns; c++) {
        size_t index = known[c];
        const kind which = kind_of(&index);
        if (which != COORD && which != SPEED && which != STATE && which != INPUT)
            return say(i, 1, "there is no derivative by variable %u: there are those by states and inputs", known[c]);
        s.seed[(which == COORD ? 0 : which == SPEED ? N : which == STATE ? 2 * N : SIZE) + (int)index] += along[c];
    }
    const int result = find_slope(i, &s);
    if (result != 1) return result;
    for (size_t r = 0; r < unknowns; r++) {
        size_t index = unknown[r];
        const kind which = kind_of(&index);
        if (which != SPEED && which != ACCELERATION && which != RATE && which != OUTPUT)
            return say(i, 1, "variable %u has no directional derivative: states, their rates and outputs do",
                       unknown[r]);
        found[r] = which == SPEED          ? s.seed[N + index]
                   : which == ACCELERATION ? s.seed[SIZE + INPUTS + index]
                   : which == RATE         ? s.rate[index]
                                           : s.output[index];
    }
    i->has_rates = 0; /* the equation was looked at again */
    return 1;
}

/* ---- steps and events ---- */

int instance_completed_step(instance *i, int *wants_event, int *has_ended)
{
    kept *now = &i->now;
    double norm, values[WATCHES + 1], conditions[EVENTS + 1];
    *wants_event = 0;
    *has_ended = now->has_stopped;
    if (!ensure_start(i)) return 0;
    now->is_off = i->has_rates = 0;
    if (WATCHES > 0 && watch_values(i, now->t, now->x, values, conditions) == 1)
        for (int k = 0; k < WATCHES; k++) (void)has_crossed(&now->watch[k], values[k]);
    if (now->settings[PROJECTION] > 0) {
        take_inputs(i, now->t);
        for (int level = POSITION; level <= VELOCITY; level++)
            now->is_off |= look_at_rows(i, now->t, now->x, level, 0, &norm) > ROW_OFF;
    }
    *wants_event = now->is_off;
    return 1;
}

/* What has passed 0 here, and whether it does something. */
typedef struct passage {
    int fires[EVENTS + 1], has_event, has_kink;
    double conditions[EVENTS + 1];
} passage;

static int find_passages(instance *i, passage *p)
{
    double values[WATCHES + 1];
    memset(p, 0, sizeof *p);
    if (WATCHES == 0) return 1;
    i->has_rates = 0;
    const int result = watch_values(i, i->now.t, i->now.x, values, p->conditions);
    for (int k = 0; k < WATCHES && result == 1; k++) {
        watch *w = &i->now.watch[k];
        if (!has_crossed(w, values[k])) continue;
        const int is_wanted =
            k >= EVENTS || ((MOTION(direction)[k] == 0 || MOTION(direction)[k] == -w->sign) && p->conditions[k] != 0);
        w->has_fired = is_wanted;
        if (k < EVENTS) p->has_event |= p->fires[k] = is_wanted;
        else p->has_kink = 1;
        if (is_wanted) continue;
        w->sign = -w->sign;
        w->is_pending = 0;
    }
    return result;
}

/* Bounces that are written as `set` are infinitely many in a finite time. */
static int check_gaps(instance *i, int k)
{
    watch *w = &i->now.watch[k];
    const double gap = i->now.t - w->fired_at;
    w->shrinking = w->gap > 0 && gap < w->gap ? w->shrinking + 1 : 0;
    w->gap = gap;
    w->fired_at = i->now.t;
    w->largest_gap = fmax(w->largest_gap, gap);
    if (!unit_sets[k] || w->shrinking < 2 || gap > SHRUNK * w->largest_gap) return 1;
    return say(i, 1,
               "at t = %.10g: event %s accumulates: the last two came %.2g apart, each sooner than the one before",
               i->now.t, unit_event_names[k], gap);
}

/* Values of all actions at the state as it is. */
static int action_values(instance *i, double *values)
{
    kept *now = &i->now;
    double lambda[ROWS + CONSTRAINTS + 1];
    i->has_rates = 0;
    const int result = look_here(i);
    if (result != 1) return result;
    memcpy(lambda, i->lambda, ROWS * sizeof *lambda);
    list_active(i, lambda + ROWS);
    (void)MOTION(action_motion)(i->code.action, now->t, now->x, now->x + N, now->x + 2 * N, i->u, i->rates + N, lambda,
                                values, i->code.work);
    return 1;
}

static void put_in_force(instance *i, int constraint, int is_active)
{
    i->now.active[constraint] = (unsigned char)is_active;
    MOTION(set_active)(&i->motion, constraint, is_active);
}

/* One event; the `set`s of it all take their values before any of them. */
static int act(instance *i, int event, const double *values, int *moves)
{
    kept *now = &i->now;
    if (i->logs_events) say(i, 0, "t = %.12g: event %s", now->t, unit_event_names[event]);
    if (!check_gaps(i, event)) return 0;
    for (int a = unit_action_first[event]; a < unit_action_first[event + 1]; a++) {
        const int kind = unit_action_kind[a];
        *moves |= kind == UNIT_SET || kind == UNIT_IMPOSE;
        if (kind == UNIT_STOP) now->has_stopped = 1;
        if (kind == UNIT_SET) {
            if (values[a] - values[a] != 0)
                return say(i, 1, "at t = %.10g: in event %s the value of a 'set' is not finite", now->t,
                           unit_event_names[event]);
            now->x[unit_action_place[a]] = values[a];
        }
        if (kind == UNIT_RELEASE || kind == UNIT_IMPOSE)
            for (int c = unit_struck_first[a]; c < unit_struck_first[a + 1]; c++)
                put_in_force(i, unit_struck[c], kind == UNIT_IMPOSE);
    }
    return 1;
}

static int act_all(instance *i, const passage *p)
{
    double values[UNIT_ACTIONS + 1] = {0};
    int moves = 0, is_known = 0;
    for (int k = 0; k < EVENTS; k++) {
        if (!p->fires[k]) continue;
        const int result = is_known ? 1 : action_values(i, values);
        if (result != 1) return result;
        is_known = !unit_sets[k]; /* the next one sees what this one sets */
        if (!act(i, k, values, &moves)) return 0;
    }
    return moves ? project_from_afar(i) : 1;
}

int instance_event(instance *i, int *is_moved, int *has_ended, double *next)
{
    kept *now = &i->now;
    double before[SIZE];
    passage p;
    *is_moved = *has_ended = 0;
    *next = HUGE_VAL;
    if (!ensure_start(i)) return 0;
    memcpy(before, now->x, sizeof before);
    const int is_due = now->t >= now->next;
    now->next = next_time(now->t);
    int result = find_passages(i, &p);
    const int happens = now->is_changed || now->is_off || p.has_event || p.has_kink || is_due;
    if (result == 1 && happens) result = project(i);
    if (result == 1 && p.has_event) result = act_all(i, &p);
    now->is_changed = now->is_off = 0;
    look_at_rank(i);
    if (result == 1 && happens) result = begin_watches(i);
    *is_moved = memcmp(before, now->x, sizeof before) != 0;
    *has_ended = now->has_stopped;
    *next = now->next;
    return result;
}

/* ---- states that it may come back to ---- */

int instance_keep(instance *i, void **state)
{
    if (!*state) *state = calloc(1, sizeof(kept));
    if (!*state) return say(i, 1, "out of memory");
    memcpy(*state, &i->now, sizeof i->now);
    return 1;
}

int instance_return(instance *i, const void *state)
{
    if (!state || strcmp(((const kept *)state)->token, unit_token) != 0)
        return say(i, 1, "this is no state of the unit");
    memcpy(&i->now, state, sizeof i->now);
    i->has_rates = 0;
    take_parameters(i);
    return 1;
}

void instance_state_free(void **state)
{
    free(*state);
    *state = NULL;
}

size_t instance_state_size(const void *state)
{
    (void)state;
    return sizeof(kept);
}

int instance_state_write(const void *state, void *bytes, size_t size)
{
    if (size < sizeof(kept)) return 0;
    memcpy(bytes, state, sizeof(kept));
    return 1;
}

int instance_state_read(const void *bytes, size_t size, void **state)
{
    kept *made = size == sizeof(kept) ? calloc(1, sizeof *made) : NULL;
    if (!made) return 0;
    memcpy(made, bytes, size);
    made->token[TOKEN - 1] = '\0';
    *state = made;
    return 1;
}
