/* One instance of a unit over exported code, for model exchange: its life, what is set, the equation, variables and
   derivatives. docs/decisions/0043-units-in-c.md */
#include "within.h"

#include <stdarg.h>

int instance_say(const instance *i, int is_error, const char *format, ...)
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
    if (!i->numbers || !i->integers || !i->A || !i->left || !i->active) return instance_say(i, 1, "out of memory");
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
    if (!is_good) instance_say(i, 1, "the unit is %s, and %s was asked for", unit_token, token ? token : "nothing");
    if (is_good && !is_exchange) is_good = instance_say(i, 1, "the unit is for model exchange");
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
void instance_take_parameters(instance *i)
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
void instance_take_inputs(instance *i, double t)
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

int instance_are_finite(const double *x, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++) sum += x[k] - x[k];
    return sum == 0;
}

/* The equation at (t, x), factored, with excess variables in b. 1 done, 0 failed and said, -1 not here. */
int instance_factor(instance *i, double t, const double *x, double *b)
{
    MOTION(type) *m = &i->motion;
    const double gain = i->now.settings[GAIN];
    instance_take_inputs(i, t);
    MOTION(equation)(m, t, x, x + N, x + 2 * N, i->u);
    for (int k = 0; k < ROWS; k++) b[k] = m->b[k] - 2 * gain * m->r_dot[k] - gain * gain * m->r[k];
    const small_status status = small_factor(&m->robust, m->M, m->A, m->active, i->now.rank_tol, 0);
    if (status == SMALL_NOT_FINITE || !instance_are_finite(m->Q, N) || !instance_are_finite(b, ROWS)) return -1;
    return status == SMALL_OK ? 1 : instance_say(i, 1, "at t = %.10g: the motion is not unique: a mass is missing", t);
}

int instance_solve(instance *i, double t, const double *x, double *qdd, double *lambda)
{
    double b[ROWS + 1];
    const int result = instance_factor(i, t, x, b);
    if (result == 1) small_ideal(&i->motion.robust, i->motion.M, i->motion.Q, b, qdd, NULL, lambda);
    return result != 1 || instance_are_finite(qdd, N) ? result : -1;
}

static void take_rates(instance *i, double t, const double *x, double *qdd, double *lambda, double *rates)
{
    if (STATES) (void)MOTION(rate_motion)(i->code.rate, t, x, x + N, x + 2 * N, i->u, qdd, lambda, rates, i->code.work);
}

/* Behind the multipliers: which constraints are in force. */
void instance_list_active(const instance *i, double *to)
{
    for (int c = 0; c < CONSTRAINTS; c++) to[c] = i->now.active[c];
}

/* Rates, multipliers and outputs where the importer is. */
int instance_look_here(instance *i)
{
    kept *now = &i->now;
    double lambda[ROWS + CONSTRAINTS + 1];
    if (i->has_rates) return 1;
    double *qdd = i->rates + N;
    const int result = instance_solve(i, now->t, now->x, qdd, lambda);
    if (result != 1) return result;
    memcpy(i->rates, now->x + N, N * sizeof *i->rates);
    memcpy(i->lambda, lambda, ROWS * sizeof *lambda);
    instance_list_active(i, lambda + ROWS);
    take_rates(i, now->t, now->x, qdd, lambda, i->rates + 2 * N);
    MOTION(outputs)(&i->motion, now->t, now->x, now->x + N, now->x + 2 * N, i->u, qdd, i->lambda, i->outputs);
    i->has_rates = instance_are_finite(i->rates, SIZE);
    return i->has_rates ? 1 : -1;
}

/* ---- phases ---- */

int instance_setup(instance *i, double start, double tolerance)
{
    (void)tolerance; /* the importer integrates */
    i->now.start = start;
    i->now.is_started = i->has_rates = 0;
    return 1;
}

int instance_start(instance *i)
{
    i->now.is_running = instance_ensure_start(i);
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
    if (which == KINDS) return instance_say(i, 1, "there is no variable %lu", (unsigned long)reference);
    if (which == SETTING) {
        *value = i->now.settings[index];
        return 1;
    }
    if (!instance_ensure_start(i)) return 0;
    if ((which == OUTPUT || which == ACCELERATION || which == RATE) && instance_look_here(i) != 1)
        return instance_say(i, 1, "the motion has no rates where it is");
    if (which == INPUT) instance_take_inputs(i, i->now.t);
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
        return instance_say(i, 1, "variable %lu is neither a parameter nor an input: it cannot be set",
                            (unsigned long)reference);
    if (value - value != 0)
        return instance_say(i, 1, "variable %lu is set to a value that is not finite", (unsigned long)reference);
    if (which == SETTING && value < 0)
        return instance_say(i, 1, "'%s' is not negative", index == GAIN ? "excess gain" : "projection at steps");
    if (which == PARAM && unit_is_fixed[index])
        return instance_say(i, 1, "parameter %s cannot be set: it shaped the model, or follows from others",
                            unit_names[index]);
    if (which == INPUT && unit_uses_slope[index])
        return instance_say(
            i, 1, "the model uses the slope of input %s, which model exchange does not tell: it keeps its own signal",
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
    else if (which == PARAM) instance_take_parameters(i);
    now->is_changed = 1;
    return 1;
}

int instance_advance(instance *i, double from, double t, int *has_ended)
{
    (void)from;
    (void)t;
    *has_ended = 0;
    return instance_say(i, 1, "the unit is for model exchange");
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
        return instance_say(i, 1, "%lu values are handed over, and there are %lu", (unsigned long)count,
                            (unsigned long)wanted);
    return instance_ensure_start(i);
}

int instance_set_time(instance *i, double t)
{
    if (!instance_ensure_start(i)) return 0;
    if (t - t != 0) return instance_say(i, 1, "the time is not finite");
    i->now.t = t;
    i->has_rates = 0;
    return 1;
}

int instance_set_states(instance *i, const double *x, size_t count)
{
    if (!is_ready(i, count, SIZE)) return 0;
    if (!instance_are_finite(x, SIZE)) return instance_say(i, 1, "a state is not finite");
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
    const int result = instance_look_here(i);
    if (result == 1) memcpy(rates, i->rates, sizeof i->rates);
    return result;
}

int instance_indicators(instance *i, double *values, size_t count)
{
    double conditions[EVENTS + 1];
    if (!is_ready(i, count, WATCHES)) return 0;
    i->has_rates = 0;
    const int result = instance_watch_values(i, i->now.t, i->now.x, values, conditions);
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
    const int result = instance_factor(i, now->t, now->x, b);
    if (result != 1) return result;
    small_ideal(&m->robust, m->M, m->Q, b, a, NULL, lambda);
    instance_list_active(i, lambda + ROWS);
    (void)MOTION(along_motion)(i->code.along, now->t, now->x, now->x + N, now->x + 2 * N, i->u, a, lambda, entry,
                               i->code.work);
    spread(entry, 0, PARTS, 0, SIZE + INPUTS, s);
    for (int k = 0; k < N; k++) force[k] = -s->F[k];
    for (int k = 0; k < ROWS; k++) side[k] = -s->R[k] - 2 * gain * s->r_dot[k] - gain * gain * s->r[k];
    small_ideal(&m->robust, m->M, force, side, qdd, NULL, qdd + N);
    spread(entry, IN_RATE, PARTS, SIZE + INPUTS, SIZE + INPUTS + N + ROWS, s);
    return instance_are_finite(qdd, N + ROWS) && instance_are_finite(s->rate, STATES) &&
                   instance_are_finite(s->output, OUTPUTS)
               ? 1
               : -1;
}

int instance_slope(instance *i, const unsigned *unknown, size_t unknowns, const unsigned *known, size_t knowns,
                   const double *along, double *found)
{
    slope s;
    memset(&s, 0, sizeof s);
    if (!instance_ensure_start(i)) return 0;
    for (size_t c = 0; c < knowns; c++) {
        size_t index = known[c];
        const kind which = kind_of(&index);
        if (which != COORD && which != SPEED && which != STATE && which != INPUT)
            return instance_say(i, 1, "there is no derivative by variable %u: there are those by states and inputs",
                                known[c]);
        s.seed[(which == COORD ? 0 : which == SPEED ? N : which == STATE ? 2 * N : SIZE) + (int)index] += along[c];
    }
    const int result = find_slope(i, &s);
    if (result != 1) return result;
    for (size_t r = 0; r < unknowns; r++) {
        size_t index = unknown[r];
        const kind which = kind_of(&index);
        if (which != SPEED && which != ACCELERATION && which != RATE && which != OUTPUT)
            return instance_say(i, 1, "variable %u has no directional derivative: states, their rates and outputs do",
                                unknown[r]);
        found[r] = which == SPEED          ? s.seed[N + index]
                   : which == ACCELERATION ? s.seed[SIZE + INPUTS + index]
                   : which == RATE         ? s.rate[index]
                                           : s.output[index];
    }
    i->has_rates = 0; /* the equation was looked at again */
    return 1;
}

/* ---- states that it may come back to ---- */

int instance_keep(instance *i, void **state)
{
    if (!*state) *state = calloc(1, sizeof(kept));
    if (!*state) return instance_say(i, 1, "out of memory");
    memcpy(*state, &i->now, sizeof i->now);
    return 1;
}

int instance_return(instance *i, const void *state)
{
    if (!state || strcmp(((const kept *)state)->token, unit_token) != 0)
        return instance_say(i, 1, "this is no state of the unit");
    memcpy(&i->now, state, sizeof i->now);
    i->has_rates = 0;
    instance_take_parameters(i);
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
