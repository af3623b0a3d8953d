/* Moreau and Jean's time stepping: one step of length h from (q, v) is

       q_m = q + h/2 v,   v_f = v + h a(q_m, v),   v+ = v_f + inv(M) J' P,   q+ = q_m + h/2 v+

   with the impulses P of all contacts that would be beyond at q_m + h/2 v_f, by the law of impacts (room `contact`)
   from v_f on. It does not look for the instant of an impact: many contacts cost one problem a step. Restitution acts
   in the step in which a contact closes. The work of P is never positive; what else the balance misses is the error of
   a, of order h. */
#include "base/mem.h"
#include "dynamics/sides.h"
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

typedef struct moreau {
    sim_stepper base;
    mech_sim *s;
    double *y, *y_old, *now, *slope; /* (ny) of `block`; the first three change places */
    double t_first;                  /* steps end at t_first + k h */
    size_t number;
    double block[]; /* (4 x ny) */
} moreau;

static moreau *of(const sim_stepper *st) { return (moreau *)(uintptr_t)st; }

mech_status sim_moreau_create(mech_sim *s)
{
    const size_t k = s->sizes.contacts;
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(s->method.moreau.closed, k), ARRAY_OF(s->method.moreau.force, s->rows),
                           ARRAY_OF(s->method.moreau.qdd, s->n)));
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->method.moreau.point, k), ARRAY_OF(s->method.moreau.W, k * k),
                      ARRAY_OF(s->method.moreau.c, k), ARRAY_OF(s->method.moreau.row, k),
                      ARRAY_OF(s->method.moreau.stays, k));
}

/* ---- one step ---- */

static size_t row_of(const mech_sim *s, size_t which)
{
    return mech_system_constraint_rows(s->system, s->contacts.press.constraint[which], NULL);
}

/* One on velocities has none. */
static int has_gap(const mech_sim *s, size_t which)
{
    return side_has_gap(s->system, s->contacts.press.constraint[which]);
}

/* At the point set last; below 0 it is beyond. */
static double gap_of(const mech_sim *s, size_t which)
{
    return has_gap(s, which)
               ? mech_system_side(s->system, s->contacts.press.constraint[which]) * s->eq->r[row_of(s, which)]
               : 0;
}

/* Would it be beyond at the end of the step, with nothing to hold it? At (q_m, v_f). */
static int is_met(const mech_sim *s, size_t which, double h)
{
    const double rate =
        mech_system_side(s->system, s->contacts.press.constraint[which]) * s->eq->r_dot[row_of(s, which)];
    return !has_gap(s, which) || gap_of(s, which) + h / 2 * rate <= 0;
}

/* Along a row of the problem, with the velocities v before the step; free: those its forces would end with. */
static double speed_before(const mech_sim *s, size_t row, const double *v, const double *free)
{
    double speed = s->contacts.press.c[row];
    for (size_t j = 0; j < s->n; j++) speed += s->contacts.press.J[row * s->n + j] * (v[j] - free[j]);
    return speed;
}

/* Speed is given back in the step in which a contact closes, and of it what was there before the step: what the forces
   of the step add is no bounce, or what has come to rest would hop with each step for ever. */
static mech_status take_restitution(mech_sim *s, size_t which, double before, double free, contact_point *to)
{
    const double e = s->eq->action[mech_system_event(s->system, sim_own_event(s, which)).first_action];
    if (!has_gap(s, which) || s->method.moreau.closed[which]) return MECH_OK;
    if (!(e >= 0 && e <= 1))
        return sim_blame(s, MECH_ERR_MODEL, "the coefficient of restitution on %s is %g, and lies between 0 and 1",
                         mech_system_name(s->system, MECH_ITEM_CONSTRAINT, s->contacts.press.constraint[which]), e);
    to->restitution = before < 0 && free < 0 ? e * fmin(1, before / free) : 0;
    return MECH_OK;
}

/* The work of impulses that change v by dv, as the balance of a step sees it: with the mean of the velocities before
   the step and those after. What rows in force answer to them is in it: what the clock drives works on that too. */
static double work_of(const mech_sim *s, const double *v, const double *after, const double *dv)
{
    double work = 0;
    for (size_t k = 0; k < s->dyn.pattern_M.count; k++) {
        const size_t i = s->dyn.pattern_M.row[k], j = s->dyn.pattern_M.column[k];
        const double half = s->eq->M[k] / 2;
        work += half * (v[i] + after[i]) * dv[j];
        if (i != j) work += half * (v[j] + after[j]) * dv[i];
    }
    return work;
}

/* What the law of impacts makes never positive is the work from v_f on. */
static mech_status look_at_work(mech_sim *s, const contact_answer *answer)
{
    const sim_press *p = &s->contacts.press;
    double size = 0;
    for (size_t r = 0; r < p->problem.rows; r++) size += fabs(answer->motion[0].l[r]) * p->size[r];
    if (!(answer->energy <= TOL_CONTACT * size))
        return sim_blame(s, MECH_ERR_INTEGRATION, "the impulses of contacts would have done work, %.3g",
                         answer->energy);
    return MECH_OK;
}

/* Impulses of what is closed at (t, now): v changes in now, and forces are their mean over h. v: before the step. */
static mech_status press(mech_sim *s, double t, double h, const double *v, double *now)
{
    sim_press *p = &s->contacts.press;
    contact_answer answer;
    size_t count = 0;
    MECH_TRY(sim_set_point(s, t, now));
    sim_gather_rows(s);
    sim_evaluate_start(s);
    memset(s->method.moreau.force, 0, s->rows * sizeof *s->method.moreau.force);
    for (size_t i = 0; i < s->sizes.contacts; i++)
        if (is_met(s, i, h)) p->list[count++] = i;
    if (count > 0) {
        MECH_TRY(sim_press_gather(s, count));
        p->problem.one_is_enough = 1;
        for (size_t i = 0, row = 0; i < count; row += 1 + p->point[i].tangents, i++) {
            s->method.moreau.stays[i] = s->method.moreau.closed[p->list[i]];
            MECH_TRY(take_restitution(s, p->list[i], speed_before(s, row, v, now + s->n), p->c[row], &p->point[i]));
        }
        contact_impulses(p->room, &p->problem, 0, &answer);
        if (answer.verdict == CONTACT_FAILED || answer.verdict == CONTACT_NONE)
            return sim_blame(s, MECH_ERR_NO_REACTION, "the impulses of %zu contacts were not found: %s (residual %.2g)",
                             count, answer.reason, answer.residual);
        MECH_TRY(look_at_work(s, &answer));
        SIM_SCRATCH(s);
        double *dv = sim_take_coords(s);
        memset(dv, 0, s->n * sizeof *dv);
        for (size_t r = 0; r < p->problem.rows; r++)
            for (size_t j = 0; j < s->n; j++) dv[j] += answer.motion[0].l[r] * p->change[r * s->n + j];
        for (size_t j = 0; j < s->n; j++) now[s->n + j] += dv[j];
        s->info.event_energy += work_of(s, v, now + s->n, dv);
    }
    p->problem.contacts = count;
    memset(s->method.moreau.closed, 0, s->sizes.contacts);
    for (size_t i = 0, row = 0; i < count; row += 1 + p->point[i].tangents, i++) {
        const double side = mech_system_side(s->system, p->constraint[p->list[i]]);
        s->method.moreau.closed[p->list[i]] = 1;
        s->method.moreau.stays[i] &= answer.motion[0].l[row] > 0 && answer.motion[0].mode[i] != CONTACT_OPENS;
        s->method.moreau.force[row_of(s, p->list[i])] = side * answer.motion[0].l[row] / h;
    }
    return MECH_OK;
}

/* What was pressed on follows its constraint as velocities do, and would sink in where that is curved: positions are
   moved back, by mass, as little as gaps >= 0 ask for. What has just closed or leaves is left where it is. */
static mech_status push_out(mech_sim *s, double t, double *now)
{
    sim_press *p = &s->contacts.press;
    contact_answer answer;
    size_t count = 0, row = 0;
    MECH_TRY(sim_set_position(s, t, now));
    for (size_t i = 0; i < s->sizes.contacts; i++)
        if (-gap_of(s, i) > s->method.moreau.deepest)
            s->method.moreau.deepest = -gap_of(s, i), s->method.moreau.deepest_at = i;
    for (size_t i = 0; i < p->problem.contacts; row += 1 + p->point[i].tangents, i++) {
        if (!s->method.moreau.stays[i] || !has_gap(s, p->list[i])) continue;
        s->method.moreau.row[count] = row;
        s->method.moreau.c[count] = gap_of(s, p->list[i]);
        s->method.moreau.point[count++] = (contact_point){.tangents = 0};
    }
    if (count == 0) return MECH_OK;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            s->method.moreau.W[i + k * count] =
                p->W[s->method.moreau.row[i] + s->method.moreau.row[k] * p->problem.rows];
    const contact_problem gaps = {.contacts = count,
                                  .point = s->method.moreau.point,
                                  .rows = count,
                                  .W = s->method.moreau.W,
                                  .c = s->method.moreau.c};
    contact_accelerations(p->room, &gaps, &answer);
    if (answer.motions == 0) return MECH_OK; /* the next step meets it again */
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < s->n; j++)
            now[j] += answer.motion[0].l[i] * p->change[s->method.moreau.row[i] * s->n + j];
    return MECH_OK;
}

/* The velocities before the step are those of its beginning: at q_m, where forces are taken, they miss the rows in
   force by h/2, and reactions would do work there that they do not do. Their work goes with the mean of the
   velocities before and after instead, which misses by h^2. At the point set last; the power of the step was taken
   with v. */
static double work_of_reactions(const mech_sim *s, double h, const double *v, const double *after)
{
    double power = 0;
    if (s->singular.projects_stages) return 0; /* there v was brought onto the rows */
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++) {
        const size_t i = s->dyn.pattern_A.row[k], j = s->dyn.pattern_A.column[k];
        if (s->onto.velocity[i]) power += s->dyn.lambda[i] * s->eq->A[k] * (after[j] - v[j]) / 2;
    }
    return h * power;
}

/* From (t, y) over h, into m->now. */
static sim_step_result move(moreau *m, double t, double h)
{
    mech_sim *s = m->s;
    const size_t n = s->n;
    double *now = m->now, *slope = m->slope;
    memcpy(now, m->y, s->ny * sizeof *now);
    for (size_t i = 0; i < n; i++) now[i] += h / 2 * now[n + i];
    if (sim_rhs(s, t + h / 2, now, slope) != 0) return SIM_RHS_FAILED;
    for (size_t i = n; i < s->ny; i++) now[i] += h * slope[i];
    const mech_status status = press(s, t + h / 2, h, m->y + n, now); /* dyn.lambda stays that of sim_rhs */
    if (status != MECH_OK) {
        s->log.failure = status;
        return SIM_RHS_FAILED;
    }
    now[s->ny - 1] += work_of_reactions(s, h, m->y + n, now + n);
    for (size_t i = 0; i < n; i++) {
        s->method.moreau.qdd[i] = (now[n + i] - m->y[n + i]) / h;
        now[i] += h / 2 * now[n + i];
    }
    if (push_out(s, t + h, now) != MECH_OK) return SIM_RHS_FAILED;
    return SIM_STEPPED;
}

/* ---- the stepper ---- */

static void set_tolerance(sim_stepper *st, double rtol, const double *atol, double max_step)
{
    (void)rtol;
    (void)atol;
    st->h_next = max_step;
}

static void begin_at(moreau *m, double t)
{
    m->t_first = t;
    m->number = 0;
}

static int start(sim_stepper *st, double t, const double *y, double t_end, double step)
{
    moreau *m = of(st);
    (void)t_end;
    (void)step;
    memcpy(m->y, y, m->s->ny * sizeof *y);
    memcpy(m->y_old, y, m->s->ny * sizeof *y);
    st->t = st->t_old = t;
    st->h_next = m->s->settings.max_step;
    begin_at(m, t);
    return 0;
}

static sim_step_result step(sim_stepper *st, double t_limit)
{
    moreau *m = of(st);
    const double h = m->s->settings.max_step, due = m->t_first + (double)(m->number + 1) * h;
    const int is_cut = due > t_limit - TOL_STEP_DUE * h;
    const double end = is_cut ? t_limit : due;
    const sim_step_result result = move(m, st->t, end - st->t);
    st->counts.evaluations++;
    if (result != SIM_STEPPED) return result;
    double *old = m->y_old;
    m->y_old = m->y, m->y = m->now, m->now = old;
    st->y = m->y, st->y_old = m->y_old;
    st->t_old = st->t, st->t = end;
    st->counts.steps++;
    m->number++;
    if (is_cut) begin_at(m, end);
    return SIM_STEPPED;
}

static void replace(sim_stepper *st, const double *y, const double *slope)
{
    (void)slope;
    memcpy(of(st)->y, y, of(st)->s->ny * sizeof *y);
}

static int dense(sim_stepper *st, double t, double *y)
{
    const moreau *m = of(st);
    const double part = st->t > st->t_old ? (t - st->t_old) / (st->t - st->t_old) : 1;
    for (size_t i = 0; i < m->s->ny; i++) y[i] = m->y_old[i] + part * (m->y[i] - m->y_old[i]);
    return 0;
}

static void visit(sim_stepper *st, state_walk *w)
{
    moreau *m = of(st);
    STATE_FIELDS(w, st->t, st->counts);
    STATE_FIELDS(w, m->t_first, m->number);
    STATE_ARRAY(w, m->y, m->s->ny);
    STATE_ARRAY(w, m->y_old, m->s->ny);
}

static void free_stepper(sim_stepper *st) { mem_free(st); }

static const sim_stepper_ops moreau_ops = {
    .set_tolerance = set_tolerance,
    .start = start,
    .step = step,
    .replace = replace,
    .dense = dense,
    .visit = visit,
    .free = free_stepper,
};

/* ---- what it does not serve ---- */

/* Friction that is not on one one-sided constraint alone. */
static int has_other_friction(const mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const mech_friction f = mech_system_friction(s->system, k);
        if (f.constraint_count != 1 || mech_system_side(s->system, f.constraints[0]) == 0) return 1;
        for (size_t j = 0; j < k; j++)
            if (mech_system_friction(s->system, j).constraints[0] == f.constraints[0]) return 1;
    }
    return 0;
}

static const char *why_not(const mech_sim *s)
{
    if (!(s->settings.max_step > 0)) return "takes steps of one length: give it as max_step";
    if (s->sizes.events > s->sizes.contacts)
        return "knows no events but one-sided constraints, for it looks for no instants: auto or rk8 does";
    if (s->sizes.laws)
        return "knows no laws of non-ideal constraints, whose forces follow reactions at instants: auto or rk8 does";
    if (s->dyn.has_control)
        return "knows no control, which gives accelerations where impulses have none: auto or rk8 does";
    if (s->given_rows.exist)
        return "knows no constraints on accelerations, which impulses would not keep: auto or rk8 does";
    if (eval_uses_jumping_slope(s->eval))
        return "sees no input jump, and the equation uses the slope of one that may: write it by min and max, or as a "
               "table; auto and rk8 look";
    if (eval_has_jumping_momentum(s->eval))
        return "sees no kinks, and the energy of motion holds what the clock drives, which has some: auto or rk8 does";
    if (has_other_friction(s)) return "knows friction on a one-sided constraint alone, one for each: auto or rk8 does";
    if (eval_reads_forces(s->eval))
        return "gives no friction(), whose force is an impulse of each step: auto or rk8 does";
    if (s->settings.columns & MECH_COLUMNS_FORCES)
        return "has no columns of forces; reaction() of an output is their mean";
    return NULL;
}

mech_status sim_moreau_stepper(mech_sim *s, sim_stepper **out)
{
    const char *why = why_not(s);
    *out = NULL;
    if (why) return sim_fail(s, MECH_ERR_UNSUPPORTED, "method moreau %s", why);
    if (s->kink.primed_count || eval_shows_jumping_slope(s->eval))
        MECH_TRY(
            sim_log_add(s, MECH_LOG_NOTE, NULL,
                        "what is primed may jump, and its slope leaves that out: method moreau does not see where"));
    moreau *m = mem_zeroed(1, sizeof *m + 4 * s->ny * sizeof *m->block);
    if (!m) return MECH_ERR_MEMORY;
    m->base.ops = &moreau_ops;
    m->base.worst = SIZE_MAX;
    m->s = s;
    m->base.y = m->y = m->block;
    m->base.y_old = m->y_old = m->y + s->ny;
    m->now = m->y_old + s->ny;
    m->slope = m->now + s->ny;
    *out = &m->base;
    return MECH_OK;
}

/* ---- around it ---- */

/* What rests is not struck by the step that comes. */
mech_status sim_moreau_place(mech_sim *s)
{
    MECH_TRY(sim_set_point(s, s->t, s->y));
    for (size_t i = 0; i < s->sizes.contacts; i++)
        s->method.moreau.closed[i] = sim_side_at(s, s->contacts.press.constraint[i]) == MECH_SIDE_TOUCHES;
    return MECH_OK;
}

mech_status sim_moreau_begin(mech_sim *s)
{
    const double energy = s->info.event_energy;
    for (size_t i = 0; i < s->sizes.contacts; i++) eval_put_in_force(s->eval, s->contacts.press.constraint[i], 0);
    sim_update_active(s);
    MECH_TRY(sim_moreau_place(s));
    SIM_SCRATCH(s);
    unsigned char *closed = sim_take_mask(s);
    memcpy(closed, s->method.moreau.closed, s->sizes.contacts);
    s->stepper->ops->start(s->stepper, s->t, s->y, s->advance.end, 0);
    const sim_step_result result =
        move(of(s->stepper), s->t, s->settings.max_step); /* for the forces of the first row */
    memcpy(s->method.moreau.closed, closed, s->sizes.contacts);
    s->info.event_energy = energy;
    s->method.moreau.deepest = 0;
    return result == SIM_STEPPED ? MECH_OK : sim_why(s);
}

mech_status sim_moreau_close(mech_sim *s)
{
    if (s->method.kind != SIM_MOREAU || !(s->method.moreau.deepest > 0)) return MECH_OK;
    const char *name =
        mech_system_name(s->system, MECH_ITEM_CONSTRAINT, s->contacts.press.constraint[s->method.moreau.deepest_at]);
    return sim_log_add(s, MECH_LOG_METHOD, name,
                       "contacts went beyond by at most %.3g, that on %s: in proportion to max_step",
                       s->method.moreau.deepest, name);
}

void sim_moreau_show(mech_sim *s, int is_shown)
{
    if (s->method.kind != SIM_MOREAU) return;
    for (size_t i = 0; i < s->sizes.contacts; i++)
        eval_put_in_force(s->eval, s->contacts.press.constraint[i], is_shown && s->method.moreau.closed[i]);
}

void sim_moreau_put_forces(mech_sim *s)
{
    if (s->method.kind != SIM_MOREAU) return;
    memcpy(s->dyn.qdd, s->method.moreau.qdd, s->n * sizeof *s->dyn.qdd);
    for (size_t i = 0; i < s->sizes.contacts; i++) {
        const size_t row = row_of(s, i);
        s->dyn.lambda[row] = s->dyn.total[row] = s->method.moreau.force[row];
    }
}
