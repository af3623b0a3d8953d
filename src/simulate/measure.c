/* What is kept of a run: extrema, means, final values, times and counts of events. Along a step each value is a
   function of time by the step's dense output; it is interpolated at Chebyshev points on stretches that are halved
   until the interpolant tells, and cut where the value has a kink. The state has no part in it, so steps are the same
   with measures and without. docs/decisions/0029-ensemble.md. */
#include "simulate/sim.h"
#include "base/chebyshev.h"
#include "integrate/root.h"
#include "system/sizes.h"
#include "system/swift.h"

#include <math.h>
#include <string.h>

enum { POINTS = CHEBYSHEV_MOST + 1, MOST_STRETCHES = 400, MOST_DEPTH = 48 };

typedef struct stretch {
    double a, b;
} stretch;

/* Stretches of a step that wait to be looked at, the next one last. */
typedef struct stretches {
    stretch waiting[MOST_DEPTH];
    size_t count, seen, most; /* so many are looked at, and how many may be */
    double length;            /* of the step */
} stretches;

static mech_measure_kind kind_of(const mech_sim *s, size_t k) { return mech_system_measure(s->system, k).kind; }

static size_t functions(const mech_sim *s) { return s->sizes.measures + s->measures.kinks; }

static int is_integral(mech_measure_kind kind) { return kind == MECH_MEASURE_MEAN || kind == MECH_MEASURE_RMS; }

static int is_extremum(mech_measure_kind kind) { return kind == MECH_MEASURE_MAX || kind == MECH_MEASURE_MIN; }

mech_status sim_measure_create(mech_sim *s)
{
    sim_measures *m = &s->measures;
    (void)eval_measure_kinks(s->eval, &m->kinks);
    m->swift = system_swift_get(s->system, SWIFT_MEASURES);
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(m->list, s->sizes.measures), ARRAY_OF(m->kink_size, m->kinks)));
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(m->values, POINTS * functions(s)), ARRAY_OF(m->point, functions(s)),
                        ARRAY_OF(m->inputs, m->swift ? POINTS * system_swift_inputs(m->swift) : 0),
                        ARRAY_OF(m->room, m->swift ? system_swift_room(m->swift) : 0)));
    for (size_t k = 0; k < s->sizes.measures; k++) {
        const double none = (double)NAN;
        m->along_steps |= is_integral(kind_of(s, k)) || is_extremum(kind_of(s, k));
        m->list[k] = (sim_measure){.best = none, .last = none, .first = none};
    }
    return MECH_OK;
}

/* ---- values ---- */

/* Velocity and, where somebody looks at them, multipliers, forces and accelerations. */
static mech_status set_point(mech_sim *s, double t, const double *y)
{
    if (!eval_measures_need_motion(s->eval)) return sim_set_point(s, t, y);
    MECH_TRY(sim_accelerate(s, t, y));
    sim_moreau_put_forces(s);
    const mech_status status = dynamics_show(&s->dyn, s->dyn.lambda, s->dyn.total);
    return status == MECH_ERR_NOT_FINITE ? MECH_OK : sim_remember(s, status); /* values are looked at one by one */
}

/* All functions at (t, y), where the evaluation is to be: measured values, squared for rms, then those of their
   kinks. */
static mech_status look(mech_sim *s, double t, const double *y, double *values)
{
    size_t kinks;
    sim_moreau_show(s, 1);
    mech_status status = set_point(s, t, y);
    if (status == MECH_OK) status = sim_remember(s, eval_measure(s->eval));
    sim_moreau_show(s, 0);
    MECH_TRY(status);
    const double *kink = eval_measure_kinks(s->eval, &kinks);
    for (size_t k = 0; k < s->sizes.measures; k++) {
        const double value = s->eq->measure[k];
        values[k] = kind_of(s, k) == MECH_MEASURE_RMS ? value * value : value;
        s->measures.list[k].size = fmax(s->measures.list[k].size, fabs(values[k]));
    }
    for (size_t k = 0; k < kinks; k++) {
        values[s->sizes.measures + k] = isfinite(kink[k]) ? kink[k] : 0;
        s->measures.kink_size[k] = fmax(s->measures.kink_size[k], fabs(values[s->sizes.measures + k]));
    }
    return MECH_OK;
}

/* The same inside the last step, on the constraints as a row would be. */
static mech_status look_inside(mech_sim *s, double t, double *values)
{
    SIM_SCRATCH(s);
    double *y = sim_take_state(s);
    if (t == s->stepper->t) memcpy(y, s->stepper->y, s->ny * sizeof *y);
    else MECH_TRY(sim_dense(s, t, y));
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT && s->rows) MECH_TRY(sim_project_inside(s, t, y));
    return look(s, t, y, values);
}

static void take_extremum(mech_sim *s, size_t k, double value)
{
    sim_measure *m = &s->measures.list[k];
    const int is_better = kind_of(s, k) == MECH_MEASURE_MAX ? value > m->best : value < m->best;
    if (!is_better && !isnan(m->best)) return;
    m->best = value;
    m->absolute = fabs(value);
    m->unknown = 0;
}

static void take_extrema(mech_sim *s, const double *values)
{
    for (size_t k = 0; k < s->sizes.measures; k++)
        if (is_extremum(kind_of(s, k))) take_extremum(s, k, values[k]);
}

/* ---- a stretch ---- */

static double tolerance(const mech_sim *s, size_t k)
{
    const double size = k < s->sizes.measures ? s->measures.list[k].size : s->measures.kink_size[k - s->sizes.measures];
    return s->settings.rtol * size + s->settings.atol;
}

/* The interpolant of function k by every `stride`-th of the points. */
static chebyshev interpolant(const mech_sim *s, size_t k, int stride)
{
    double f[POINTS];
    const int degree = CHEBYSHEV_MOST / stride;
    for (int j = 0; j <= degree; j++) f[j] = s->measures.values[(size_t)(j * stride) * functions(s) + k];
    return chebyshev_through(f, degree);
}

/* Whether the interpolant is all that is asked of function k. */
static int is_resolved(const mech_sim *s, size_t k, const chebyshev *p, double part)
{
    const double most = tolerance(s, k), tail = chebyshev_tail(p);
    if (tail <= most) return 1;
    const mech_measure_kind kind = kind_of(s, k);
    if (k >= s->sizes.measures) return 0;
    if (is_integral(kind)) return tail * part <= most;
    if (!is_extremum(kind)) return 1;
    /* no matter where it is beyond what is known already */
    const double sign = kind == MECH_MEASURE_MAX ? 1 : -1;
    return sign * s->measures.list[k].best > chebyshev_bound(p, sign) + 8 * tail;
}

static int are_resolved(const mech_sim *s, size_t from, size_t to, int stride, double part)
{
    for (size_t k = from; k < to; k++) {
        const chebyshev p = interpolant(s, k, stride);
        if (!is_resolved(s, k, &p, part)) return 0;
    }
    return 1;
}

/* Where a kink lies inside (-1, 1), by its interpolant: its number, or SIZE_MAX. What rounding makes of a function that
   stays at 0 is none. */
static size_t find_kink(const mech_sim *s, int stride, double *low, double *high)
{
    for (size_t k = s->sizes.measures; k < functions(s); k++) {
        const chebyshev p = interpolant(s, k, stride);
        const double side = chebyshev_at(&p, 0) > 0 ? 1 : -1, most = tolerance(s, k);
        double at;
        if (side * chebyshev_peak(&p, -side, &at) > -most) continue;
        (void)chebyshev_peak(&p, side, low);
        if (!(side * chebyshev_at(&p, *low) > most)) continue;
        *high = at;
        return k;
    }
    return SIZE_MAX;
}

typedef struct kink_search {
    mech_sim *s;
    size_t function;
    mech_status status;
} kink_search;

static int kink_value(void *user, double t, double *value)
{
    kink_search *x = user;
    double *values = x->s->measures.point;
    x->status = look_inside(x->s, t, values);
    *value = values[x->function];
    return x->status != MECH_OK;
}

/* The time between low and high at which function k passes 0; *width: how well it is known. */
static mech_status locate(mech_sim *s, size_t k, double low, double high, double *at, double *width)
{
    kink_search x = {.s = s, .function = k};
    root_bracket found = {.a = low, .b = high};
    const double least = TOL_KINK_TIME * fmax(fabs(s->stepper->t), s->stepper->t - s->stepper->t_old);
    if (kink_value(&x, low, &found.fa) == 0 && kink_value(&x, high, &found.fb) == 0 && found.fa * found.fb < 0)
        (void)root_narrow(kink_value, &x, least, &found);
    *at = found.fb == 0 ? found.b : found.a + (found.b - found.a) / 2;
    *width = found.fb == 0 ? 0 : fabs(found.b - found.a);
    return x.status;
}

/* What was looked at last stands for so long. */
static void add_to_integrals(mech_sim *s, double length)
{
    for (size_t k = 0; k < s->sizes.measures; k++) s->measures.list[k].integral += length * s->measures.point[k];
}

/* x from -1 to 1. */
static double time_at(const stretch *piece, double x)
{
    return piece->a + (piece->b - piece->a) / 2 + (piece->b - piece->a) / 2 * x;
}

static void push(stretches *w, double a, double b)
{
    if (b > a && w->count < MOST_DEPTH) w->waiting[w->count++] = (stretch){a, b};
}

/* Both sides of a kink are looked at by themselves; what lies between them is as on the second. */
static mech_status cut_at(mech_sim *s, stretches *w, const stretch *piece, size_t k, double low, double high)
{
    double at, width;
    MECH_TRY(locate(s, k, time_at(piece, low), time_at(piece, high), &at, &width));
    const double gap = fmax(2 * width, TOL_KINK_CUT * w->length), before = fmax(at - gap, piece->a),
                 behind = fmin(at + gap, piece->b);
    MECH_TRY(look_inside(s, behind, s->measures.point));
    take_extrema(s, s->measures.point);
    add_to_integrals(s, behind - before);
    push(w, behind, piece->b);
    push(w, piece->a, before);
    return MECH_OK;
}

/* Its share, what is not known of it, and how much there is of either sign. */
static void take_integral(sim_measure *m, const stretch *piece, const chebyshev *p)
{
    const double length = piece->b - piece->a, share = length / 2 * chebyshev_integral(p),
                 unknown = length * chebyshev_tail(p);
    m->integral += share;
    m->absolute += fabs(share);
    m->unknown += unknown;
    if (!(unknown > m->worst)) return;
    m->worst = unknown;
    m->worst_time = piece->a;
}

/* In a stretch that is a hair: does the function only jump at one of its ends, where the motion begins on a kink? Both
   sides were looked at then. */
static int jumps_at_end(const mech_sim *s, size_t k, int stride)
{
    const double *values = s->measures.values + k;
    const size_t height = functions(s), last = POINTS - 1, step = (size_t)stride;
    for (size_t end = 0; end <= last; end += last) {
        const size_t first = end ? 0 : step, behind = end ? last - step : last;
        double low = values[first * height], high = low;
        for (size_t j = first; j <= behind; j += step) {
            low = fmin(low, values[j * height]);
            high = fmax(high, values[j * height]);
        }
        if (high - low <= tolerance(s, k) && isfinite(values[end * height])) return 1;
    }
    return 0;
}

/* Its highest or lowest point in the stretch; `before` it the best was another one. Where the interpolant does not
   tell, as beside a pole, neither is the best known. */
static mech_status take_peak(mech_sim *s, const stretch *piece, size_t k, const chebyshev *p, double before, int jumps)
{
    const double sign = kind_of(s, k) == MECH_MEASURE_MAX ? 1 : -1, tail = chebyshev_tail(p);
    sim_measure *m = &s->measures.list[k];
    double at;
    const double peak = chebyshev_peak(p, sign, &at);
    if (sign * peak > sign * m->best && fabs(at) != 1) {
        MECH_TRY(look_inside(s, time_at(piece, at), s->measures.point));
        take_extremum(s, k, s->measures.point[k]);
    }
    if (m->best == before || tail <= tolerance(s, k) || jumps) return MECH_OK;
    m->unknown = tail;
    m->worst_time = piece->a;
    return MECH_OK;
}

/* What the interpolants say of the stretch. */
static mech_status take_stretch(mech_sim *s, const stretch *piece, int stride, int is_hair)
{
    for (size_t k = 0; k < s->sizes.measures; k++) {
        sim_measure *m = &s->measures.list[k];
        const mech_measure_kind kind = kind_of(s, k);
        if (!is_integral(kind) && !is_extremum(kind)) continue;
        const chebyshev p = interpolant(s, k, stride);
        if (is_integral(kind)) take_integral(m, piece, &p);
        if (!is_extremum(kind)) continue;
        const double before = m->best;
        for (int j = 0; j < POINTS; j += stride) take_extremum(s, k, s->measures.values[(size_t)j * functions(s) + k]);
        MECH_TRY(take_peak(s, piece, k, &p, before, is_hair && jumps_at_end(s, k, stride)));
    }
    return MECH_OK;
}

static double time_of(const stretch *piece, int j)
{
    return j == 0 ? piece->b : j == CHEBYSHEV_MOST ? piece->a : time_at(piece, chebyshev_point(j));
}

static double *inputs_at(const sim_measures *m, int j) { return m->inputs + (size_t)j * system_swift_inputs(m->swift); }

static mech_status look_at_points(mech_sim *s, const stretch *piece, int first, int stride)
{
    const sim_measures *m = &s->measures;
    for (int j = first; j < POINTS; j += stride) {
        MECH_TRY(look_inside(s, time_of(piece, j), m->values + (size_t)j * functions(s)));
        if (m->swift) system_swift_take(m->swift, s->eval, inputs_at(m, j));
    }
    return MECH_OK;
}

/* Does what is measured go so far between every other of the points that they tell nothing? */
static swift_verdict judge(const mech_sim *s, const stretch *piece)
{
    const sim_measures *m = &s->measures;
    const double *inputs[POINTS];
    double t[POINTS];
    size_t count = 0;
    if (!m->swift) return SWIFT_SLOW;
    for (int j = 0; j < POINTS; j += 2) t[count] = time_of(piece, j), inputs[count++] = inputs_at(m, j);
    return system_swift_judge(m->swift, t, inputs, count, m->room);
}

static void halve(stretches *w, const stretch *piece)
{
    push(w, piece->a + (piece->b - piece->a) / 2, piece->b);
    push(w, piece->a, piece->a + (piece->b - piece->a) / 2);
}

/* One stretch: taken, or cut in two that wait. */
static mech_status look_along(mech_sim *s, stretches *w, const stretch *piece)
{
    const size_t measures = s->sizes.measures, all = functions(s);
    const double part = (piece->b - piece->a) / w->length;
    const int has_room = w->count + 2 <= MOST_DEPTH;
    MECH_TRY(look_at_points(s, piece, 0, 2));
    const swift_verdict swift = judge(s, piece);
    const int is_finest = !has_room || !(piece->b - piece->a > sim_resolution(s));
    s->measures.narrow |= swift != SWIFT_SLOW && part <= 0.25;
    if (swift != SWIFT_SLOW && !is_finest) {
        halve(w, piece);
        w->most += MOST_STRETCHES;
        return MECH_OK;
    }
    if (swift == SWIFT_FAST && s->measures.unresolved++ == 0) s->measures.unresolved_time = piece->a;
    const int is_last = ++w->seen > w->most || !has_room || part < TOL_KINK_CUT || swift == SWIFT_FAST;
    for (int stride = 2; stride; stride--) { /* 5 points, then 9 */
        double low, high;
        if (stride == 1) MECH_TRY(look_at_points(s, piece, 1, 2));
        if (!is_last && !are_resolved(s, measures, all, stride, part)) continue;
        const size_t kink = is_last ? SIZE_MAX : find_kink(s, stride, &low, &high);
        if (kink != SIZE_MAX) return cut_at(s, w, piece, kink, low, high);
        if (is_last || are_resolved(s, 0, measures, stride, part))
            return take_stretch(s, piece, stride, part < TOL_KINK_CUT);
    }
    halve(w, piece);
    return MECH_OK;
}

/* ---- the run ---- */

mech_status sim_measure_point(mech_sim *s)
{
    if (s->sizes.measures == 0) return MECH_OK;
    MECH_TRY(look(s, s->t, s->y, s->measures.point));
    take_extrema(s, s->measures.point);
    for (size_t k = 0; k < s->sizes.measures; k++) s->measures.list[k].last = s->measures.point[k];
    return MECH_OK;
}

/* Fixed steps have no inside, and their forces are means: what they end with stands for the whole of them. */
static mech_status take_end(mech_sim *s)
{
    MECH_TRY(look_inside(s, s->stepper->t, s->measures.point));
    take_extrema(s, s->measures.point);
    add_to_integrals(s, s->stepper->t - s->measures.until);
    s->measures.until = s->stepper->t;
    return MECH_OK;
}

mech_status sim_measure_step(mech_sim *s)
{
    const sim_stepper *st = s->stepper;
    const double from = fmax(st->t_old, s->measures.until);
    if (!s->measures.along_steps || !(st->t > from)) return MECH_OK;
    if (s->method.kind == SIM_MOREAU) return take_end(s);
    stretches w = {.most = MOST_STRETCHES, .length = st->t - from};
    if (from > s->measures.until) { /* a kink was crossed by a hair */
        MECH_TRY(look_inside(s, from, s->measures.point));
        add_to_integrals(s, from - s->measures.until);
    }
    push(&w, from, st->t);
    while (w.count) {
        const stretch piece = w.waiting[--w.count];
        MECH_TRY(look_along(s, &w, &piece));
    }
    s->measures.until = st->t;
    return MECH_OK;
}

/* Integrals over the bounces of this contact that are left out, up to when they have ended: it is taken as closed from
   now on, and is open for all of that time but instants. */
static mech_status open_for(mech_sim *s, size_t constraint, double length)
{
    MECH_TRY(look(s, s->t, s->y, s->measures.point));
    memcpy(s->measures.values, s->measures.point, s->sizes.measures * sizeof(double));
    eval_put_in_force(s->eval, constraint, 0);
    mech_status status = sim_friction_turn_on(s);
    if (status == MECH_OK) status = look(s, s->t, s->y, s->measures.point);
    eval_put_in_force(s->eval, constraint, 1);
    MECH_TRY(sim_friction_turn_on(s));
    for (size_t k = 0; k < s->sizes.measures && status == MECH_OK; k++)
        if (is_integral(kind_of(s, k)))
            s->measures.list[k].integral += length * (s->measures.point[k] - s->measures.values[k]);
    return status;
}

mech_status sim_measure_bounces(mech_sim *s)
{
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        sim_contact *contact = &s->contacts.list[c];
        const double length = fmin(contact->rest_at, s->settings.until) - s->t;
        const int is_left_out = contact->state == CONTACT_CLOSED && length > 0;
        contact->rest_at = 0;
        if (is_left_out && s->measures.along_steps) MECH_TRY(open_for(s, c, length));
    }
    return MECH_OK;
}

void sim_measure_event(mech_sim *s, size_t event)
{
    for (size_t k = 0; k < s->sizes.measures; k++) {
        if (mech_system_measure(s->system, k).event != event) continue;
        if (s->measures.list[k].happened++ == 0) s->measures.list[k].first = s->t;
    }
}

/* How large the terms are that the value is made of, where the run stands: what they cancel to is known to their
   errors only. */
static double size_of_terms(mech_sim *s, size_t k)
{
    system_value_sizes size;
    if (look(s, s->t, s->y, s->measures.point) != MECH_OK) return 0;
    MECH_IGNORE(mech_eval_output(s->eval)); /* sizes of what is not finite are not asked for */
    sim_evaluate_start(s);
    if (!system_sizes_values(s->eval, s->leeway.work, &size) || !isfinite(size.measure[k])) return 0;
    return kind_of(s, k) == MECH_MEASURE_RMS ? size.measure[k] * size.measure[k] : size.measure[k];
}

size_t sim_measure_in_doubt(mech_sim *s, size_t from)
{
    const double part = TOL_MEASURE_DOUBT * s->settings.rtol, length = s->t - s->settings.from;
    for (size_t k = from; k < s->sizes.measures; k++) {
        const sim_measure *m = &s->measures.list[k];
        const double over = is_integral(kind_of(s, k)) ? length : 1;
        const double most = part * m->absolute + s->settings.atol * over;
        if (m->unknown > most && m->unknown > most + part * over * size_of_terms(s, k)) return k;
    }
    return SIZE_MAX;
}

double mech_sim_measure(const mech_sim *sim, size_t measure)
{
    if (!sim->advance.has_started || measure >= sim->sizes.measures) return (double)NAN;
    const sim_measure *m = &sim->measures.list[measure];
    const double length = sim->measures.until - sim->settings.from, mean = length > 0 ? m->integral / length : m->last;
    switch (kind_of(sim, measure)) {
    case MECH_MEASURE_MAX:
    case MECH_MEASURE_MIN: return m->best;
    case MECH_MEASURE_MEAN: return mean;
    case MECH_MEASURE_RMS: return sqrt(fmax(mean, 0));
    case MECH_MEASURE_FINAL: return m->last;
    case MECH_MEASURE_TIME: return m->first;
    case MECH_MEASURE_COUNT: return (double)m->happened;
    }
    return (double)NAN;
}
