/* Onto the constraints in the mass metric: the fundamental solve itself, with the residual in place of b
   and no force. dq = M^(-1/2) B^+ (-r): the least change that removes the residual, at any rank. Where M may be
   indefinite it measures nothing: the diagonal of |M| takes its place, but not in impulses. */
#include "simulate/sim.h"
#include "assemble/onto.h"
#include "fundamental/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ITERATIONS = 12 };

/* M says nothing about some direction that these rows do not fix either: there any metric will do. */
static const double *regular_metric(mech_sim *s)
{
    const mech_pattern *p = &s->dyn.pattern_M;
    const size_t count = s->dyn.is_sparse ? p->count : s->n * s->n;
    double largest = 0;
    for (size_t k = 0; k < p->count; k++) largest = fmax(largest, p->row[k] == p->column[k] ? s->eq->M[k] : 0);
    memcpy(s->dyn.metric, s->dyn.is_sparse ? s->eq->M : s->eq->M_dense, count * sizeof(double));
    for (size_t k = 0; k < count; k++) {
        double *entry = &s->dyn.metric[k];
        if (s->dyn.is_sparse ? p->row[k] == p->column[k] : k % (s->n + 1) == 0)
            *entry += TOL_METRIC_MORE * (*entry > TOL_METRIC * largest ? *entry : largest > 0 ? largest : 1);
    }
    return s->dyn.metric;
}

/* What rounding leaves of each row, into `size`: from the sum of |A_ij x_j|; A: by pattern, or the gradient. */
static void row_rounding(const mech_sim *s, const double *A, const double *x, double *size)
{
    memset(size, 0, s->rows * sizeof *size);
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++)
        size[s->dyn.pattern_A.row[k]] += fabs(A[k] * x[s->dyn.pattern_A.column[k]]);
    for (size_t i = s->m; i < s->rows; i++)
        for (size_t j = 0; j < s->n; j++) size[i] += fabs(s->dyn.A[i + j * s->rows] * x[j]);
    for (size_t i = 0; i < s->rows; i++) size[i] *= TOL_SUM;
}

/* No further progress: fine at rounding, and for the small part that a singular position leaves over, which
   goes as soon as it is passed. */
static int is_good_enough(int iteration, double part, double last, int is_missed)
{
    if (iteration > 2 && part > 0.5 * last && part < 100) return 1;
    return iteration > 0 && is_missed && part > 0.1 * last && part < TOL_LEFT_OVER;
}

/* "; there it contradicts b", when the rows in `mask` cannot all be met; else nothing. */
static void name_others(mech_sim *s, const unsigned char *mask, size_t worst, const double *residual, char *text,
                        size_t size)
{
    size_t used = 0;
    text[0] = 0;
    if (worst >= s->m || !sim_make_dense(s)) return;
    if (sim_diagnose_rows(s, mask, residual, TOL_RANK) != MECH_OK) return;
    const mech_diagnosis_result *found = mech_diagnosis_get(s->unique.of_system);
    for (int k = 0; k < found->conflicts; k++) {
        const unsigned char *member = found->in_conflict + (size_t)k * s->m;
        for (size_t i = 0; member[worst] && i < s->m && used + 1 < size; i++) {
            if (!member[i] || i == worst) continue;
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "; there it contradicts ",
                                     sim_row_name(s, i));
        }
        if (used) return;
    }
}

/* One way onto the constraints: of positions, or of velocities. */
typedef struct projection {
    mech_sim *s;
    double t, *y;
    int at_velocity;
    int keeps_rates; /* those of the constraints stay as they are: V alone is brought to 0 */
    int is_impulse;  /* M change = A' p, whatever M is                            */
    int is_exact;    /* what is within the leeway is removed, too                 */
    /* (n) positions: of all that meet the rows those nearest to these are sought, in the metric of the place before; or
       NULL */
    const double *from;
    const unsigned char *mask; /* (rows) of that level                                      */
    unsigned char *kept;       /* (rows) at a singular position itself: those of them that hold (beside.c); else NULL */
    double *left;              /* (rows) what is left of them, negative                     */
    size_t worst;
    int is_missed; /* at a singular position part of it is in no row's reach    */
} projection;

static double *moving(const projection *p) { return p->y + (p->at_velocity ? p->s->n : 0); }

static mech_status blame_row(const projection *p)
{
    mech_sim *s = p->s;
    const double left = p->at_velocity ? p->left[p->worst] : p->worst < s->m ? -p->left[p->worst] : 0;
    char others[256];
    name_others(s, p->mask, p->worst, p->left, others, sizeof others);
    const mech_status status = sim_blame(
        s, MECH_ERR_INTEGRATION, "the %s at t = %.6g could not be brought back onto constraint %s: %.3g is left%s",
        p->at_velocity ? "velocities" : "positions", p->t, sim_row_name(s, p->worst), left, others);
    s->log.is_contradiction = others[0] != 0;
    return status;
}

/* To the nearest point: the change from where it was that meets the rows as they are here, A (x + delta - from) = A (x
   - from) - r. */
static void ask_from_there(const projection *p)
{
    const mech_sim *s = p->s;
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++) {
        const size_t i = s->dyn.pattern_A.row[k], j = s->dyn.pattern_A.column[k];
        if (p->mask[i]) p->left[i] += s->eq->gradient[k] * (p->y[j] - p->from[j]);
    }
}

/* Are these the rows that the metric of the motion is over? */
static int is_over_active(const mech_sim *s, const unsigned char *mask)
{
    for (size_t i = 0; i < s->m; i++)
        if (!s->dyn.servo[i] && !mask[i] != !s->dyn.active[i]) return 0;
    return 1;
}

/* The change of what moves that removes what is left. */
static mech_status change(projection *p, double *delta)
{
    mech_sim *s = p->s;
    unsigned flags = 0;
    dynamics_metric_over(&s->dyn, p->mask);
    mech_fundamental_input in = dynamics_question(&s->dyn, s->memory.zero, p->left, p->mask);
    in.rank_tol = s->dyn.rank_tol;
    in.is_quick = 1;
    in.is_same = s->onto.has_factors;
    int is_own_metric = in.allows_indefinite && !p->is_impulse; /* then the factors are of no use to the motion */
    if (is_own_metric) {
        assemble_plain_metric(&s->dyn.pattern_M, s->eq->M, s->n, s->dyn.is_sparse, s->dyn.metric);
        in.M = s->dyn.metric;
    }
    MECH_TRY(sim_poll(s));
    SIM_SCRATCH(s);
    if (s->dyn.is_sparse) { /* rows that depend on others come along, as far as they are met at all */
        unsigned char *mask = sim_take_mask(s);
        for (size_t i = 0; i < s->rows; i++) mask[i] = p->mask[i] && !(i < s->m && s->sparse.monitored[i]);
        in.active = mask;
    }
    if (p->kept) {
        in.is_same = 0;
        in.rank_tol = fmax(in.rank_tol, TOL_SINGULAR_ROWS);
    }
    if (p->from) ask_from_there(p);
    mech_status status = fundamental_motion(s->dyn.solver, &in, delta, &flags);
    if (status == MECH_ERR_SINGULAR_MASS) { /* a mass that is lost is told */
        in.M = regular_metric(s);
        in.is_same = 0;
        is_own_metric = 1;
        status = fundamental_motion(s->dyn.solver, &in, delta, &flags);
    }
    for (size_t i = 0; p->from && i < s->n; i++) delta[i] -= p->y[i] - p->from[i];
    p->is_missed = (flags & MECH_FUNDAMENTAL_MISSED) != 0;
    if (!is_over_active(s, p->mask)) dynamics_metric_over(&s->dyn, s->dyn.active);
    if (p->at_velocity) s->onto.has_factors = s->dyn.is_sparse && s->onto.is_linear && !is_own_metric;
    else if (status == MECH_OK) s->info.projections++;
    return status;
}

/* Evaluates the rows at y and what is left of them. */
static mech_status set_rows(projection *p, int turn)
{
    mech_sim *s = p->s;
    double *left = p->left;
    if (p->at_velocity) {
        MECH_TRY(mech_eval_velocity(s->eval, p->y + s->n));
        sim_gather_rows(s);
        for (size_t i = 0; i < s->m; i++) left[i] = p->mask[i] && !p->keeps_rates ? -s->eq->r_dot[i] : 0;
        if (s->dyn.nf) dynamics_stick_speeds(&s->dyn, left + s->m);
        for (size_t i = s->m; i < s->rows; i++) left[i] = p->mask[i] ? -left[i] : 0;
        return MECH_OK;
    }
    const mech_status status = turn == 0 && !p->from
                                   ? sim_set_position(s, p->t, p->y)
                                   : eval_place(s->eval, EVAL_CONSTRAINT, p->t, p->y, NULL, p->y + 2 * s->n);
    s->onto.has_factors = 0;
    if (status != MECH_OK) return status;
    dynamics_gather_gradient(&s->dyn);
    for (size_t i = 0; i < s->rows; i++) left[i] = i < s->m && p->mask[i] ? -s->eq->r[i] : 0;
    return MECH_OK;
}

static const double *leeway_of(const projection *p) { return p->at_velocity ? p->s->leeway.rate : p->s->leeway.row; }

/* The largest residual, as a multiple of what may be left; its row is p->worst. */
static double excess(projection *p, double *largest)
{
    mech_sim *s = p->s;
    SIM_SCRATCH(s);
    double most = 0, *rounding = sim_take_rows(s);
    *largest = 0;
    row_rounding(s, p->at_velocity ? s->eq->A : s->eq->gradient, moving(p), rounding);
    for (size_t i = 0; i < s->rows; i++) {
        if (!p->mask[i]) continue;
        const double size = fabs(p->left[i]);
        const double part = size > 0 ? size / (leeway_of(p)[i] + rounding[i]) : size;
        if (!(part <= most)) {
            most = part;
            p->worst = i;
        }
        if (!(size <= *largest)) *largest = size;
    }
    return most;
}

/* The rows at y; *part: the excess. */
static mech_status look(projection *p, int turn, double *part)
{
    mech_sim *s = p->s;
    double largest;
    MECH_TRY(set_rows(p, turn));
    if (p->kept && turn == 0) {
        sim_leave_lost_rows(s, p->at_velocity ? s->eq->A : s->eq->gradient, p->mask, p->kept);
        p->mask = p->kept;
    }
    *part = excess(p, &largest);
    /* after one correction the terms of the row may have grown, unless its leeway is the largest there is */
    const int may_grow = turn == 1 && leeway_of(p)[p->worst] < TOL_LEAST && !(s->settings.projection_tol > 0);
    if (*part > 1 && (isinf(*part) || may_grow)) {
        sim_leeway_look(s);
        *part = excess(p, &largest);
    }
    if (turn == 0) *(p->at_velocity ? &s->audit.drift_velocity : &s->audit.drift_phi) = largest;
    return MECH_OK;
}

/* Once round; o->size: the excess. */
static mech_status go_on(onto *o)
{
    projection *p = o->user;
    const mech_sim *s = p->s;
    const int may_stay = !s->singular.projects_stages && !s->onto.is_asked && !p->is_exact;
    const double last = o->turn ? o->size : HUGE_VAL;
    MECH_TRY(look(p, o->turn, &o->size));
    o->is_done = (o->size <= 1 && (o->turn > 0 || may_stay || o->size == 0)) ||
                 is_good_enough(o->turn, o->size, last, p->is_missed);
    if (!isfinite(o->size)) o->most = o->turn; /* no change helps */
    return o->is_done || o->turn == o->most ? MECH_OK : change(p, o->delta);
}

static mech_status bring(projection *p)
{
    mech_sim *s = p->s;
    SIM_SCRATCH(s);
    p->left = sim_take_rows(s);
    if (sim_stands_on_singular(s, p->t)) p->kept = sim_take_mask(s);
    onto o = {
        .n = s->n, .x = moving(p), .delta = sim_take_coords(s), .most = MOST_ITERATIONS, .user = p, .look = go_on};
    const mech_status status = onto_rows(&o);
    if (status != MECH_OK) return sim_remember(s, status);
    return o.is_done ? MECH_OK : blame_row(p);
}

static mech_status project_position(mech_sim *s, double t, double *y)
{
    return bring(&(projection){.s = s, .t = t, .y = y, .mask = s->onto.holonomic});
}

mech_status sim_project_velocity(mech_sim *s, double t, double *y, int is_impulse)
{
    const mech_status status = sim_set_position(s, t, y);
    if (status != MECH_OK) return sim_remember(s, status);
    return bring(
        &(projection){.s = s, .t = t, .y = y, .at_velocity = 1, .is_impulse = is_impulse, .mask = s->onto.velocity});
}

mech_status sim_stop_sliding(mech_sim *s)
{
    SIM_SCRATCH(s);
    double *kept = sim_take_state(s);
    memcpy(kept, s->y, s->ny * sizeof *kept);
    MECH_TRY(sim_set_point(s, s->t, s->y));
    projection p = {.s = s, .t = s->t, .y = s->y, .at_velocity = 1, .is_exact = 1, .mask = s->onto.velocity};
    p.keeps_rates = s->settings.start == MECH_START_AS_GIVEN && !s->advance.has_started;
    const mech_status status = bring(&p);
    if (status != MECH_ERR_INTEGRATION) return status;
    memcpy(s->y, kept, s->ny * sizeof *kept);
    s->log.failure = MECH_OK;
    return MECH_OK;
}

static double largest_of(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* To the nearest of the positions that meet the rows. Newton's steps onto curved rows end beside the nearest point, by
   the square of the way. Where going on towards it does not come closer and closer, as beyond a centre of curvature, it
   stays there. */
static mech_status project_nearest(mech_sim *s, double t, double *y)
{
    enum { MOST_TURNS = 200 };
    SIM_SCRATCH(s);
    double *from = sim_take_coords(s), *delta = sim_take_coords(s), *kept = sim_take_coords(s);
    projection p = {.s = s, .t = t, .y = y, .mask = s->onto.holonomic, .from = from, .left = sim_take_rows(s)};
    double last = HUGE_VAL, part = 1; /* of each step that is taken */
    memcpy(from, y, s->n * sizeof *y);
    MECH_TRY(project_position(s, t, y));
    for (size_t i = 0; i < s->n; i++) delta[i] = y[i] - from[i];
    const double way = largest_of(s->n, delta);
    if (!(way > TOL_NEAREST_WAY * largest_of(s->n, y))) return MECH_OK;
    memcpy(kept, y, s->n * sizeof *y);
    for (int turn = 0; turn < MOST_TURNS && last > TOL_NEAREST_DONE * way; turn++) {
        mech_status status = set_rows(&p, turn);
        if (status == MECH_OK) status = change(&p, delta);
        if (status != MECH_OK) return sim_remember(s, status);
        const double step = largest_of(s->n, delta);
        if (step > 0.9 * last) part /= 2; /* it goes to and fro */
        for (size_t i = 0; i < s->n; i++) y[i] += part * delta[i];
        last = step;
        if (!(part > 0.01)) break;
    }
    if (last > TOL_NEAREST * way) memcpy(y, kept, s->n * sizeof *y);
    return project_position(s, t, y);
}

static mech_status project(mech_sim *s, double t, double *y, int is_impulse)
{
    if (s->rows == 0) return MECH_OK;
    mech_status status = is_impulse ? project_nearest(s, t, y) : project_position(s, t, y);
    if (status == MECH_OK) status = sim_project_velocity(s, t, y, is_impulse);
    if (status != MECH_ERR_INTEGRATION || !s->dyn.is_sparse || !sim_sparse_unmonitor(s)) return status;
    MECH_TRY(project_position(s, t, y)); /* with all rows in force */
    return sim_project_velocity(s, t, y, is_impulse);
}

mech_status sim_project(mech_sim *s, double t, double *y) { return project(s, t, y, 0); }
mech_status sim_project_jump(mech_sim *s) { return project(s, s->t, s->y, 1); }

mech_status sim_project_struck(mech_sim *s)
{
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        size_t count;
        const size_t first = mech_system_constraint_rows(s->system, c, &count);
        for (size_t i = first; s->contacts.list[c].is_struck && i < first + count; i++)
            s->onto.holonomic[i] = mech_system_row(s->system, i).level == MECH_LEVEL_HOLONOMIC;
    }
    const mech_status status = project_position(s, s->t, s->y);
    sim_update_active(s);
    return status;
}

int sim_project_for_stepper(void *sim, double t, double *y)
{
    mech_sim *s = sim;
    if (s->t < s->kink.near_until) return 0; /* who steps over the corner is drawn to what lies behind it */
    s->onto.is_asked = 1;
    const mech_status status = sim_project(s, t, y);
    s->onto.is_asked = 0;
    s->audit.step_phi = s->audit.drift_phi;
    s->audit.step_velocity = s->audit.drift_velocity;
    return sim_rk_value(status);
}

mech_status sim_project_create(mech_sim *s)
{
    s->onto.is_linear = 1;
    for (size_t row = 0; row < s->m; row++) s->onto.is_linear &= mech_system_row(s->system, row).is_linear;
    return SIM_MAKE_KEPT(s, ARRAY_OF(s->onto.holonomic, s->rows), ARRAY_OF(s->onto.velocity, s->rows));
}
