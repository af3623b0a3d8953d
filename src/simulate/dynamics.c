/* The equation at (t, y): what the model gives, what stabilization, stick and laws add, and the solve. */
#include "simulate/sim.h"
#include "motion/visit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A mass that vanishes or turns negative is met where it does so by ever smaller steps. */
int sim_is_recoverable(mech_status status)
{
    return status == MECH_ERR_NOT_FINITE || status == MECH_ERR_NO_REACTION || status == MECH_ERR_MANY_REACTIONS ||
           status == MECH_ERR_INTEGRATION || status == MECH_ERR_NOT_DEFINITE || status == MECH_ERR_SINGULAR_MASS;
}

int sim_rk_value(mech_status status) { return status == MECH_OK ? 0 : sim_is_recoverable(status) ? 1 : -1; }

mech_status sim_remember(mech_sim *s, mech_status status)
{
    /* which has its words */
    if (status == MECH_OK || (status == MECH_ERR_INTERRUPTED && s->log.failure == status)) return status;
    s->log.failure = status;
    s->log.failure_text[0] = 0;
    s->log.is_contradiction = 0;
    if (status == MECH_ERR_NOT_FINITE || eval_refuses_by(s->eval, status)) {
        char *text = mech_eval_explain(s->eval);
        if (text) snprintf(s->log.failure_text, sizeof s->log.failure_text, "%s", text);
        mech_text_free(text);
    }
    return status;
}

mech_status sim_asked_to_stop(mech_sim *s)
{
    return sim_blame(s, MECH_ERR_INTERRUPTED, "asked to stop%s",
                     s->advance.has_started ? "" : " before the first step");
}

mech_status sim_poll(mech_sim *s)
{
    const volatile sig_atomic_t *flag = s->settings.interrupt_now;
    return flag && *flag ? sim_asked_to_stop(s) : MECH_OK;
}

void sim_update_active(mech_sim *s)
{
    dynamics_list_rows(&s->dyn);
    for (size_t i = 0; i < s->m; i++) {
        const mech_row row = mech_system_row(s->system, i);
        s->onto.holonomic[i] = s->dyn.active[i] && !row.is_control && row.level == MECH_LEVEL_HOLONOMIC;
        s->onto.velocity[i] = s->dyn.active[i] && !row.is_control && row.level != MECH_LEVEL_ACCELERATION;
    }
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const dynamics_friction *f = &s->dyn.friction[k];
        for (size_t i = 0; i < f->law.count; i++) s->onto.velocity[s->m + f->law.first + i] = f->is_on && f->mode.holds;
    }
}

void sim_gather_rows(mech_sim *s)
{
    dynamics_gather(&s->dyn);
    /* stick has rows along the surface alone */
    for (size_t i = s->m; i < s->rows; i++) s->onto.velocity[i] &= s->dyn.active[i];
}

/* Rows that depend on one another, and the others are far from it: beside the manifold they depend to the drift alone.
   Taken for independent there, they would say the acceleration all by themselves. */
static void loosen_rank(mech_sim *s)
{
    const mech_fundamental_output *o = &s->dyn.out;
    size_t rows = 0;
    if (s->dyn.is_sparse || s->dyn.rank_tol > 0) return; /* the sparse solver takes such rows out, and looks at them */
    if (s->settings.rank_tol > 0 || s->settings.stabilize != MECH_STABILIZE_PROJECT) return;
    for (size_t i = 0; i < s->rows; i++) rows += s->dyn.active[i] && !s->dyn.servo[i];
    if (o->rank < (int)rows && o->smallest > TOL_RANK_CLEAR * o->largest) s->dyn.rank_tol = TOL_RANK_OFF;
}

/* Rows that depend on one another only on the manifold look independent beside it: only points on it count. */
static void note_rank(mech_sim *s, double t)
{
    const mech_fundamental_output *o = &s->dyn.out;
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT && t != s->t && !s->onto.is_at_point) return;
    loosen_rank(s);
    if (o->rank > 0 && o->largest > 0) sim_note_ratio(s, t, o->smallest / o->largest);
    if (o->rank > s->info.rank_most) s->info.rank_most = o->rank;
    if (s->info.rank_least < 0 || o->rank < s->info.rank_least) s->info.rank_least = o->rank;
    s->info.rank_tol = o->rank_tol;
    s->onto.fast.misses_rank = s->onto.fast.watched > 0 && (size_t)o->rank + s->onto.fast.watched > s->m;
}

mech_status sim_set_position(mech_sim *s, double t, const double *y)
{
    s->onto.has_factors = 0;
    return eval_place(s->eval, EVAL_POSITION, t, y, y + s->n, y + 2 * s->n);
}

mech_status sim_set_point(mech_sim *s, double t, const double *y)
{
    s->onto.has_factors = 0;
    return sim_remember(s, eval_place(s->eval, EVAL_VELOCITY, t, y, y + s->n, y + 2 * s->n));
}

/* Is what is in force also what the velocities were projected onto? Then its factors serve. */
static int masks_are_same(const mech_sim *s)
{
    for (size_t i = 0; i < s->m; i++)
        if (s->dyn.active[i] != (s->onto.velocity[i] && !s->sparse.monitored[i])) return 0;
    return 1;
}

mech_status sim_accelerate(mech_sim *s, double t, const double *y)
{
    MECH_TRY(sim_poll(s));
    if (!(s->onto.is_at_point && s->rows)) MECH_TRY(sim_set_point(s, t, y));
    sim_gather_rows(s);
    dynamics_gather_sides(&s->dyn);
    MECH_TRY(sim_remember(s, dynamics_solve(&s->dyn, s->onto.has_factors && masks_are_same(s))));
    note_rank(s, t);
    return sim_is_singular(s) ? sim_solve_beside(s, t, y) : MECH_OK;
}

static mech_status project_and_accelerate(mech_sim *s, double t, double *y)
{
    MECH_TRY(sim_project(s, t, y));
    s->onto.is_at_point = 1;
    const mech_status status = sim_accelerate(s, t, y);
    s->onto.is_at_point = 0;
    return status;
}

mech_status sim_accelerate_onto(mech_sim *s, double t, double *y)
{
    SIM_SCRATCH(s);
    double *given = sim_take_state(s);
    const int was_there = sim_stands_on_singular(s, t);
    memcpy(given, y, s->ny * sizeof *y);
    MECH_TRY(project_and_accelerate(s, t, y));
    if (was_there || !sim_stands_on_singular(s, t)) return MECH_OK;
    memcpy(y, given, s->ny * sizeof *y); /* now that it is known to be singular */
    return project_and_accelerate(s, t, y);
}

mech_status sim_project_inside(mech_sim *s, double t, double *y)
{
    return s->singular.projects_stages ? sim_accelerate_onto(s, t, y) : sim_project(s, t, y);
}

/* Terms of the kinetic energy that may cancel in their sum: its size where masses may be negative. */
static double kinetic_size(const mech_sim *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->dyn.pattern_M.count; k++) {
        const size_t i = s->dyn.pattern_M.row[k], j = s->dyn.pattern_M.column[k];
        sum += (i == j ? 0.5 : 1) * fabs(s->eq->M[k] * s->eq->v[i] * s->eq->v[j]);
    }
    return sum;
}

void sim_show(mech_sim *s, const double *lambda, const double *total)
{
    MECH_IGNORE(dynamics_show(&s->dyn, lambda, total));
    MECH_IGNORE(mech_eval_output(s->eval));
}

void sim_show_solved(mech_sim *s) { sim_show(s, s->dyn.lambda, s->dyn.total); }

sim_energies sim_energy(mech_sim *s)
{
    const double *e = s->eq->energy;
    sim_show_solved(s);
    double sum = e[4];
    for (size_t i = 0; i < s->n; i++) sum += (s->dyn.Qi[i] + s->dyn.Qni[i] + s->dyn.Qc[i]) * s->eq->v[i];
    const double kinetic = mech_system_allows_negative_mass(s->system) ? kinetic_size(s) : isfinite(e[0]) ? e[0] : 0;
    return (sim_energies){.h = isfinite(e[3]) ? e[3] : 0, .power = isfinite(sum) ? sum : 0, .kinetic = kinetic};
}

void sim_evaluate_start(mech_sim *s) { MECH_IGNORE(mech_eval_start(s->eval)); }

mech_status sim_energy_jumped(mech_sim *s, double h)
{
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    s->info.energy_last = sim_energy(s).h;
    s->info.event_energy += s->info.energy_last - h;
    return MECH_OK;
}

static int is_near_singular(const mech_sim *s)
{
    const mech_fundamental_output *o = &s->dyn.out;
    if (s->dyn.has_singular_mass) return 1;
    return o->rank > 0 && o->smallest < SIM_NEAR * s->singular.largest_ratio * o->largest;
}

mech_status mech_sim_use_motion(mech_sim *s, const mech_motion_code *code)
{
    /* before the start it may be open */
    const int how = s->settings.stabilize < 0 ? (int)mech_system_stabilize(s->system) : s->settings.stabilize;
    if (how == MECH_STABILIZE_EXCESS) return MECH_ERR_UNSUPPORTED;
    MECH_TRY(mech_eval_use_motion(s->eval, code));
    s->onto.fast.uses_motion = s->onto.fast.has_check = 1;
    s->onto.fast.watched = mech_motion_code_info(code).monitored;
    return MECH_OK;
}

mech_status sim_dense(mech_sim *s, double t, double *y)
{
    return s->stepper->ops->dense(s->stepper, t, y) == 0 ? MECH_OK : sim_remember(s, sim_why(s));
}

int sim_hides_ends(const mech_sim *s)
{
    return s->stepper && (s->stepper->projects_itself || s->stepper->restarts_on_replace);
}

int sim_move_at_once(mech_sim *s, double t, const double *y, double *ydot, mech_motion_check *check, unsigned *flags)
{
    mech_motion motion = {.size = sizeof motion,
                          .qdd = ydot + s->n,
                          .rate = s->nz ? ydot + 2 * s->n : NULL,
                          .wants_power = 1,
                          .leaves_doubt = 1,
                          .lambda = check || s->method.kind == SIM_MOREAU ? s->dyn.lambda : NULL,
                          .check = check};
    const mech_status status = motion_at(s->eval, t, y, y + s->n, y + 2 * s->n, &motion);
    *flags = status == MECH_OK ? motion.flags : MECH_MOTION_DOUBT;
    memcpy(ydot, y + s->n, s->n * sizeof *y);
    ydot[s->ny - 1] = isfinite(motion.power) ? motion.power : 0;
    return !(*flags & MECH_MOTION_DOUBT);
}

/* The same at once, where it may be: 1 done, 0 not, and nothing happened. The end of a step takes the full solve,
   which watches the rank, unless fast_end.c has looked at it; methods that hide it have their stages looked at. */
static int rhs_at_once(mech_sim *s, double t, const double *y, double *ydot)
{
    if (!s->onto.fast.uses_motion || s->onto.fast.misses_rank || s->singular.projects_stages ||
        (t == s->t && !s->onto.fast.is_end) || is_near_singular(s))
        return 0;
    const int looks = sim_hides_ends(s) && s->rows > 0;
    mech_motion_check check;
    unsigned flags;
    if (!sim_move_at_once(s, t, y, ydot, looks ? &check : NULL, &flags)) return 0;
    return !looks || !sim_rank_is_due(s, flags & MECH_MOTION_CHECKED ? check.margin : HUGE_VAL);
}

/* Near a singular position the rows must agree with one another to more than a stage of a step does: from there on the
   stages are projected before they are evaluated, as a mechanism passes such positions again. So they are throughout
   where M is singular on the manifold: beside it M may be nearly singular, which costs all digits. */
static mech_status rhs_by_solve(mech_sim *s, double t, const double *y, double *ydot)
{
    SIM_SCRATCH(s);
    if (!s->singular.projects_stages) {
        MECH_TRY(sim_accelerate(s, t, y));
        s->singular.projects_stages = s->settings.stabilize == MECH_STABILIZE_PROJECT && is_near_singular(s);
    }
    if (s->singular.projects_stages) {
        double *stage = sim_take_state(s);
        memcpy(stage, y, s->ny * sizeof *y);
        MECH_TRY(sim_accelerate_onto(s, t, stage));
        y = stage;
    }
    sim_load_see(s);
    memcpy(ydot, y + s->n, s->n * sizeof *y);
    memcpy(ydot + s->n, s->dyn.qdd, s->n * sizeof *y);
    if (s->nz) memcpy(ydot + 2 * s->n, s->eq->rate, s->nz * sizeof *y);
    ydot[s->ny - 1] = sim_energy(s).power;
    return MECH_OK;
}

int sim_rhs(void *sim, double t, const double *y, double *ydot)
{
    mech_sim *s = sim;
    if (sim_poll(s) != MECH_OK) return -1;
    if (rhs_at_once(s, t, y, ydot)) return 0;
    const mech_status status = rhs_by_solve(s, t, y, ydot);
    return sim_is_held_back(s, status) ? 1 : sim_rk_value(status);
}
