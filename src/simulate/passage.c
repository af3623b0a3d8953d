/* Near-singular positions: which steps may be taken through them, and the account of the passages.
   Through a singular position proper the velocities go on smoothly, and what
   an error estimate sees there is rounding. Where the constraints only come near to one, the motion may turn round in a
   moment: a light crank takes a heavy slider through its dead centre. No step may jump over that. */
#include "simulate/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A passage that moves the energy balance by so many times rtol is told. */
static const double MOST_MOVED = 100;

/* Ladders through singular positions change their velocities by up to 0.005 in a step at the floor; cranks at dead
   centres by 0.2 and more in one that is too long. */
static const double MOST_CHANGE = 1.0 / 32;

/* a'M b at the point evaluated last. */
static double in_metric(const mech_sim *s, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < s->dyn.pattern_M.count; k++) {
        const size_t i = s->dyn.pattern_M.row[k], j = s->dyn.pattern_M.column[k];
        sum += s->eq->M[k] * (i == j ? a[i] * b[i] : a[i] * b[j] + a[j] * b[i]);
    }
    return sum;
}

int sim_is_plain_step(void *sim, double t, const double *from, const double *to)
{
    mech_sim *s = sim;
    const double *before = from + s->n, *after = to + s->n;
    if (sim_set_position(s, t, from) != MECH_OK) return 0;
    SIM_SCRATCH(s);
    double *change = sim_take_coords(s);
    for (size_t i = 0; i < s->n; i++) change[i] = after[i] - before[i];
    const double size = fmax(in_metric(s, before, before), in_metric(s, after, after));
    return in_metric(s, change, change) <= MOST_CHANGE * MOST_CHANGE * size;
}

static void forget(sim_sample *sample) { sample->ratio = HUGE_VAL; }

static void keep(const mech_sim *s, sim_sample *to, double t, double ratio)
{
    to->t = t;
    to->ratio = ratio;
    memcpy(to->y, s->eq->q, s->n * sizeof(double));
    memcpy(to->y + s->n, s->eq->v, s->n * sizeof(double));
    if (s->nz) memcpy(to->y + 2 * s->n, s->eq->z, s->nz * sizeof(double));
}

static void copy(const mech_sim *s, sim_sample *to, const sim_sample *from)
{
    to->t = from->t;
    to->ratio = from->ratio;
    memcpy(to->y, from->y, (s->ny - 1) * sizeof(double));
}

/* ---- steps that leave the branch ---- */

/* Where two branches of the motion all but touch, the stages of a long step may all lie beyond the gap, on the other
   branch, and see nothing of it. The step's own interpolant has to cross it, away from the constraints. */
enum { LOOKS = 15, MOST_HALVINGS = 12 };
static const double MOST_AWAY = 10; /* distance from the constraints, in units of the tolerance */

/* Where the parabola through the squares of three ratios is least, and that square. Near a singular position the square
   is a parabola: c^2 (t - t0)^2 through one, with g^2 added beside one. */
static double least_square(const sim_sample *a, const sim_sample *m, const sim_sample *b, double *t)
{
    const double left = m->t - a->t, right = b->t - m->t, middle = m->ratio * m->ratio;
    const double fall = (middle - a->ratio * a->ratio) / left, rise = (b->ratio * b->ratio - middle) / right;
    const double bend = (rise - fall) / (left + right), slope = (fall * right + rise * left) / (left + right);
    *t = m->t - slope / (2 * bend);
    return middle - slope * slope / (4 * bend);
}

typedef enum dip { NO_DIP, UNSEEN_DIP, SEEN_DIP } dip;

/* Has the least singular value a minimum near 0 inside the last step? Seen by a stage, or only by where the values
   lead. */
static dip dip_inside(const mech_sim *s)
{
    const sim_stepper *st = s->stepper;
    const sim_sample *narrow = &s->singular.narrow, *seen = s->singular.seen + s->singular.seen_count;
    const double hair = TOL_PASSAGE_HAIR * (st->t - st->t_old), low = SIM_NEAR * s->singular.largest_ratio;
    if (narrow->ratio != HUGE_VAL && narrow->t > st->t_old + hair && narrow->t < st->t - hair) {
        double t;
        const int has_ends = s->singular.start.ratio != HUGE_VAL && s->singular.last.t > narrow->t;
        if (narrow->ratio < low) return SEEN_DIP;
        return has_ends && least_square(&s->singular.start, narrow, &s->singular.last, &t) < low * low ? UNSEEN_DIP
                                                                                                       : NO_DIP;
    }
    /* or of long ago */
    if (s->singular.projects_stages || s->singular.seen_count < 2 || seen[-1].t < st->t_old - hair) return NO_DIP;
    const double slope = (seen[-1].ratio - seen[-2].ratio) / (seen[-1].t - seen[-2].t);
    return seen[-1].ratio + slope * (st->t - seen[-1].t) < 0.5 * low ? UNSEEN_DIP : NO_DIP; /* half: to come below it */
}

/* How far r is beyond the tolerance of its rows, at the point evaluated last. */
static double largest_part(mech_sim *s, const double *q)
{
    SIM_SCRATCH(s);
    double most = 0, *size = sim_take_rows(s);
    sim_row_errors(s, s->eq->gradient, q, size);
    for (size_t i = 0; i < s->m; i++)
        if (s->onto.holonomic[i]) most = fmax(most, fabs(s->eq->r[i]) / fmax(size[i], s->leeway.row[i]));
    return most;
}

/* Does the interpolant of the last step come away from the constraints? */
static int leaves_constraints(mech_sim *s)
{
    SIM_SCRATCH(s);
    const sim_stepper *st = s->stepper;
    double *y = sim_take_state(s), *there = sim_take_state(s);
    const double h = st->t - st->t_old, least = fmax(s->settings.rtol, TOL_PASSAGE_RTOL);
    double worst = -1, at = st->t, away = 0;
    for (int k = 1; k <= LOOKS; k++) {
        const double t = st->t_old + h * k / (LOOKS + 1);
        if (st->ops->dense(s->stepper, t, y) != 0) return 0;
        if (sim_set_position(s, t, y) != MECH_OK) return 0;
        const double part = largest_part(s, y);
        if (part > worst) worst = part, at = t;
    }
    if (st->ops->dense(s->stepper, at, y) != 0) return 0;
    memcpy(there, y, s->ny * sizeof *y);
    if (sim_project(s, at, y) != MECH_OK) return 1;
    for (size_t i = 0; i < s->n; i++)
        away = fmax(away, fabs(y[i] - there[i]) /
                              (fmax(s->settings.atol, TOL_PASSAGE_RTOL * s->leeway.reach[i]) + least * fabs(there[i])));
    return away > MOST_AWAY;
}

sim_step_result sim_keep_branch(mech_sim *s)
{
    sim_stepper *st = s->stepper;
    const mech_status status = s->log.failure;
    sim_step_result result = SIM_STEPPED;
    if (s->m == 0 || s->settings.stabilize != MECH_STABILIZE_PROJECT || !st->ops->step_shorter) return result;
    for (int k = 0; k < MOST_HALVINGS && result == SIM_STEPPED; k++) {
        const dip inside = dip_inside(s);
        if (inside == NO_DIP || (inside == SEEN_DIP && !leaves_constraints(s))) break;
        s->singular.last.t = st->t_old;
        result = st->ops->step_shorter(st, st->t_old + (st->t - st->t_old) / 2);
    }
    if (result == SIM_STEPPED) s->log.failure = status;
    return result;
}

/* ---- what the steps saw ---- */

void sim_note_ratio(mech_sim *s, double t, double ratio)
{
    const size_t rejected = s->stepper ? s->stepper->counts.rejected : 0;
    if (ratio < SIM_NEAR * s->singular.largest_ratio) s->singular.step_floor = SIM_FLOOR * s->singular.clear_step;
    const int rejected_now = rejected != s->singular.seen_rejected;
    /* what an attempt saw that failed is not on the way */
    if (rejected_now) copy(s, &s->singular.narrow, &s->singular.start);
    s->singular.seen_rejected = rejected;
    if (t == s->t) keep(s, &s->singular.start, t, ratio);
    if (rejected_now || !(t < s->singular.last.t)) s->singular.last.t = t, s->singular.last.ratio = ratio;
    if (ratio < s->singular.narrow.ratio) keep(s, &s->singular.narrow, t, ratio);
}

/* ---- between the samples ---- */

/* The ratio at t between two samples, by the cubic through their positions and velocities, brought onto the
   constraints. */
static int ratio_between(mech_sim *s, const sim_sample *a, const sim_sample *b, double t, sim_sample *found)
{
    SIM_SCRATCH(s);
    const size_t n = s->n;
    double *y = sim_take_state(s);
    const double h = b->t - a->t, x = (t - a->t) / h, x1 = 1 - x;
    memcpy(y, s->y, s->ny * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        const double rise = b->y[i] - a->y[i], bend_a = h * a->y[n + i] - rise, bend_b = rise - h * b->y[n + i];
        y[i] = a->y[i] + x * rise + x * x1 * (x1 * bend_a + x * bend_b);
        y[n + i] = x1 * a->y[n + i] + x * b->y[n + i];
    }
    for (size_t i = 2 * n; i < s->ny - 1; i++) y[i] = x1 * a->y[i] + x * b->y[i];
    if (sim_accelerate_onto(s, t, y) != MECH_OK || s->dyn.out.rank == 0 || !(s->dyn.out.largest > 0)) return 0;
    keep(s, found, t, s->dyn.out.smallest / s->dyn.out.largest);
    return 1;
}

/* The last three samples a, m, b have their least in the middle, not low enough for a passage, but the least between
   them may be: steps as long as the method likes must not decide what is counted. 1: it is, and is in m. */
static int finds_dip(mech_sim *s, double low)
{
    enum { MOST_LOOKS = 6 };
    /* over long steps the parabola is rough: what is seen there decides */
    const double near = SIM_NEAR * s->singular.largest_ratio;
    sim_sample *a = &s->singular.seen[0], *m = &s->singular.seen[1], *b = &s->singular.seen[2],
               *new = &s->singular.narrow;
    for (int look = 0; look < MOST_LOOKS; look++) {
        double t;
        if (!(a->t < m->t && m->t < b->t && m->ratio < a->ratio && m->ratio < b->ratio)) return 0;
        if (!(least_square(a, m, b, &t) < near * near) || !(a->t < t && t < b->t) || t == m->t) return 0;
        if (!(t < m->t ? ratio_between(s, a, m, t, new) : ratio_between(s, m, b, t, new))) return 0;
        const int is_lower = new->ratio < m->ratio;
        sim_sample *out = (t < m->t) == is_lower ? b : a; /* the end that the new one makes needless */
        if (is_lower) {
            copy(s, out, m);
            copy(s, m, new);
        } else {
            copy(s, out, new);
        }
        if (m->ratio < low) return 1;
    }
    return 0;
}

static void note_least(mech_sim *s, const sim_sample *at)
{
    if (s->info.smallest_singular != 0 && at->ratio >= s->info.smallest_singular) return;
    s->info.smallest_singular = at->ratio;
    s->info.smallest_time = at->t;
}

static void enter_passage(mech_sim *s, const sim_sample *at)
{
    s->singular.in_passage = 1;
    copy(s, &s->singular.passage, at);
}

static mech_status look_between(mech_sim *s)
{
    const double floor = s->singular.step_floor, low = TOL_ENTER * s->singular.largest_ratio;
    const mech_status status = s->log.failure;
    const sim_sample *m = &s->singular.seen[1];
    if (s->singular.seen_count < 3 || s->singular.in_passage || m->ratio < low ||
        s->settings.stabilize != MECH_STABILIZE_PROJECT)
        return MECH_OK;
    if (finds_dip(s, low)) {
        note_least(s, m);
        enter_passage(s, m);
    }
    s->singular.step_floor = floor;
    s->log.failure = status;
    if (s->singular.narrow.ratio != HUGE_VAL) { /* it looked, and the samples are others now */
        sim_sample found = s->singular.seen[0];
        s->singular.seen[0] = s->singular.seen[2];
        s->singular.seen[2] = found;
        s->singular.seen_count = 1;
    }
    forget(&s->singular.narrow);
    return sim_poll(s);
}

/* ---- the account ---- */

/* Names of the constraints of marked rows, six at most. */
static void list_owners(const mech_sim *s, const unsigned char *marked, char *names, size_t size)
{
    size_t count = 0, last = SIZE_MAX;
    for (size_t i = 0; i < s->m && count < 6; i++) {
        const size_t owner = mech_system_row(s->system, i).constraint;
        if (!marked[i] || owner == last) continue;
        last = owner;
        count++;
        sim_list(names, size, mech_system_name(s->system, MECH_ITEM_CONSTRAINT, owner));
    }
}

/* The constraints that nearly depend on one another at the narrowest point of the passage. */
static void passage_names(mech_sim *s, char *names, size_t size)
{
    names[0] = 0;
    if (sim_set_point(s, s->singular.passage.t, s->singular.passage.y) != MECH_OK) return;
    if (s->dyn.is_sparse) {
        SIM_SCRATCH(s);
        unsigned char *dependent = sim_take_mask(s);
        if (sim_sparse_dependent(s, dependent)) list_owners(s, dependent, names, size);
        return;
    }
    if (!sim_make_dense(s) ||
        sim_diagnose_rows(s, s->dyn.active, NULL, fmin(4 * s->singular.passage.ratio, 0.05)) != MECH_OK)
        return;
    list_owners(s, mech_diagnosis_get(s->unique.of_system)->redundant, names, size);
}

/* What the energy balance says of the passage: nothing, where the tolerance holds. */
static void passage_error(const mech_sim *s, char *text, size_t size)
{
    const double moved = fabs(s->audit.last_balance - s->audit.clear_balance),
                 allowed = s->settings.rtol * s->info.energy_scale;
    text[0] = 0;
    if (moved > MOST_MOVED * allowed && allowed > 0)
        snprintf(
            text, size,
            "; the energy balance moved by %.2g there, %.2g times rtol: what follows is in doubt, a smaller rtol tells",
            moved, moved / allowed);
}

static mech_status close_passage(mech_sim *s)
{
    char names[256], error[160];
    const double now = s->t;
    s->singular.in_passage = 0;
    s->info.near_singular++;
    passage_names(s, names, sizeof names);
    passage_error(s, error, sizeof error);
    s->t = s->singular.passage.t;
    const mech_status status =
        sim_log_add(s, MECH_LOG_SINGULAR, NULL,
                    "near-singular passage at t = %.6g (least singular value %.2g of the largest so far)%s%s%s",
                    s->singular.passage.t, s->singular.passage.ratio, names[0] ? ": " : "", names, error);
    s->t = now;
    return status;
}

/* The last three samples in seen, at times that rise. */
static void push(mech_sim *s, const sim_sample *at)
{
    if (s->singular.seen_count > 0 && !(at->t > s->singular.seen[s->singular.seen_count - 1].t))
        s->singular.seen_count = 0;
    if (s->singular.seen_count == 3) {
        copy(s, &s->singular.seen[0], &s->singular.seen[1]);
        copy(s, &s->singular.seen[1], &s->singular.seen[2]);
        s->singular.seen_count = 2;
    }
    copy(s, &s->singular.seen[s->singular.seen_count++], at);
}

mech_status sim_audit_rank(mech_sim *s)
{
    /* seen by an attempt that reached farther */
    if (s->singular.narrow.t > s->t) copy(s, &s->singular.narrow, &s->singular.start);
    const double ratio = s->singular.narrow.ratio;
    if (ratio == HUGE_VAL) return MECH_OK;
    if (ratio > s->singular.largest_ratio) s->singular.largest_ratio = ratio;
    if (ratio > SIM_NEAR * s->singular.largest_ratio) {
        if (s->t != s->singular.at) s->singular.clear_rank = s->dyn.out.rank;
        s->singular.clear_step = fmax(s->stepper->t - s->stepper->t_old, 0.9 * s->singular.clear_step);
        s->singular.step_floor = 0;
        s->audit.clear_balance = s->audit.last_balance;
    }
    note_least(s, &s->singular.narrow);
    push(s, &s->singular.narrow);
    if (ratio < TOL_ENTER * s->singular.largest_ratio && (!s->singular.in_passage || ratio < s->singular.passage.ratio))
        enter_passage(s, &s->singular.narrow);
    forget(&s->singular.narrow);
    forget(&s->singular.start);
    s->singular.last.t = s->t;
    MECH_TRY(look_between(s));
    return s->singular.in_passage && ratio > TOL_LEAVE * s->singular.largest_ratio ? close_passage(s) : MECH_OK;
}

mech_status sim_audit_close(mech_sim *s) { return s->singular.in_passage ? close_passage(s) : MECH_OK; }

void sim_singular_visit(mech_sim *s, state_walk *w)
{
    sim_singular *x = &s->singular;
    sim_sample *samples[] = {&x->start, &x->narrow, &x->last, &x->seen[0], &x->seen[1], &x->seen[2], &x->passage};
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        STATE_FIELDS(w, samples[k]->t, samples[k]->ratio);
        if (samples[k]->y) STATE_ARRAY(w, samples[k]->y, s->ny - 1);
    }
    STATE_FIELDS(w, x->seen_count, x->length);
    STATE_ARRAY(w, x->aside, s->rows);
}

mech_status sim_passage_create(mech_sim *s)
{
    sim_singular *x = &s->singular;
    const size_t size = s->ny - 1;
    x->at = NAN;
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(x->start.y, size), ARRAY_OF(x->narrow.y, size),
                      ARRAY_OF(x->seen[0].y, size), ARRAY_OF(x->seen[1].y, size), ARRAY_OF(x->seen[2].y, size),
                      ARRAY_OF(x->passage.y, size), ARRAY_OF(x->aside, s->rows));
}
