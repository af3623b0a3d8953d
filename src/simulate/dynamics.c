/* The equation at (t, y): what the model gives, what stabilization, stick and laws add, and the solve. */
#include "simulate/sim.h"
#include "base/try.h"
#include "fundamental/room.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A mass that vanishes or turns negative is met where it does so by ever smaller steps. */
int sim_is_recoverable(mech_status status)
{
    return status == MECH_ERR_NOT_FINITE || status == MECH_ERR_NO_REACTION ||
           status == MECH_ERR_MANY_REACTIONS || status == MECH_ERR_INTEGRATION ||
           status == MECH_ERR_NOT_DEFINITE || status == MECH_ERR_SINGULAR_MASS;
}

mech_status sim_remember(mech_sim *s, mech_status status)
{
    if (status == MECH_OK || (status == MECH_ERR_INTERRUPTED && s->status == status)) return status; /* which has its words */
    s->status = status;
    s->status_text[0] = 0;
    s->is_contradiction = 0;
    if (status == MECH_ERR_NOT_FINITE || eval_refuses_by(s->eval, status)) {
        char *text = mech_eval_explain(s->eval);
        if (text) snprintf(s->status_text, sizeof s->status_text, "%s", text);
        mech_text_free(text);
    }
    return status;
}

mech_status sim_asked_to_stop(mech_sim *s)
{
    return sim_blame(s, MECH_ERR_INTERRUPTED, "asked to stop%s", s->has_started ? "" : " before the first step");
}

mech_status sim_poll(mech_sim *s)
{
    const volatile sig_atomic_t *flag = s->settings.interrupt_now;
    return flag && *flag ? sim_asked_to_stop(s) : MECH_OK;
}

void sim_update_active(mech_sim *s)
{
    for (size_t i = 0; i < s->m; i++) {
        const mech_row row = mech_system_row(s->system, i);
        s->active[i] = s->eq->active[i];
        s->servo[i] = (unsigned char)row.is_control;
        s->holonomic[i] = s->active[i] && !row.is_control && row.level == MECH_HOLONOMIC;
        s->velocity[i] = s->active[i] && !row.is_control && row.level != MECH_ACCELERATION_LEVEL;
    }
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const mech_friction info = mech_system_friction(s->system, k);
        const unsigned char stuck = s->friction[k].is_on && s->friction[k].mode.holds;
        for (size_t i = 0; i < info.row_count; i++) {
            const size_t row = s->m + info.first_row + i;
            s->active[row] = s->velocity[row] = stuck;
            s->holonomic[row] = s->servo[row] = 0;
        }
    }
}

/* M + alpha A'A in place of a singular M: with alpha A'b added to Q the solution is the same, as A q'' = b,
   but the matrix is definite wherever the motion is unique, and by more than rounding. */
static void regularize_mass(mech_sim *s)
{
    double most = 0, row = 0;
    for (size_t i = 0; i < s->n; i++) most = fmax(most, s->eq->M_dense[i + i * s->n]);
    for (size_t i = 0; i < s->m; i++) {
        double sum = 0;
        for (size_t j = 0; j < s->n && s->active[i]; j++)
            sum += s->A_used[i + j * s->rows] * s->A_used[i + j * s->rows];
        row = fmax(row, sum);
    }
    s->alpha = row > 0 ? 0.1 * most / row : 0;
    sim_metric_over(s, s->active);
}

void sim_metric_over(mech_sim *s, const unsigned char *mask)
{
    if (!s->has_singular_mass || s->is_sparse) return;
    memcpy(s->scratch.metric, s->eq->M_dense, s->n * s->n * sizeof(double));
    for (size_t i = 0; i < s->m; i++) {
        if (!mask[i] || s->servo[i]) continue;
        const double *a = s->A_used + i;
        for (size_t j = 0; j < s->n; j++)
            for (size_t k = 0; k < s->n && a[j * s->rows] != 0; k++)
                s->scratch.metric[k + j * s->n] += s->alpha * a[j * s->rows] * a[k * s->rows];
    }
    s->M_used = s->scratch.metric;
}

/* The evaluation's rows, then those of stick; and the mass matrix of the solve. */
static void gather(mech_sim *s, const double *values, const double *dense)
{
    if (s->is_sparse) {
        s->M_used = s->eq->M;
        s->A_used = values;
        return;
    }
    s->M_used = s->eq->M_dense;
    if (s->nf == 0) {
        s->A_used = dense;
        if (s->has_singular_mass) regularize_mass(s);
        return;
    }
    const size_t rows = s->rows;
    for (size_t j = 0; j < s->n; j++) {
        memcpy(s->A + j * rows, dense + j * s->m, s->m * sizeof(double));
        memset(s->A + j * rows + s->m, 0, s->nf * sizeof(double));
    }
    for (size_t k = 0; k < s->pattern_slip.count; k++)
        s->A[s->m + s->pattern_slip.row[k] + s->pattern_slip.column[k] * rows] = s->eq->slip_A[k];
    for (size_t k = 0; k < s->sizes.frictions; k++) /* what is off need have no value */
        for (size_t j = 0; j < s->n && !s->friction[k].is_on; j++)
            memset(s->A + s->m + s->friction[k].law.first + j * rows, 0, s->friction[k].law.count * sizeof(double));
    s->A_used = s->A;
    if (s->has_singular_mass) regularize_mass(s);
}

void sim_gather_rows(mech_sim *s) { gather(s, s->eq->A, s->eq->A_dense); }
void sim_gather_gradient(mech_sim *s) { gather(s, s->eq->gradient, s->eq->gradient_dense); }

/* x -= gain * r over the first m rows; gain: one number, one for each row, or a full matrix. */
static void subtract_gain(const mech_sim *s, const double *gain, size_t count, const double *r, double *x)
{
    const size_t m = s->m;
    if (count == 1)
        for (size_t i = 0; i < m; i++) x[i] -= gain[0] * r[i];
    else if (count == m)
        for (size_t i = 0; i < m; i++) x[i] -= gain[i] * r[i];
    else if (count == m * m)
        for (size_t j = 0; j < m; j++)
            for (size_t i = 0; i < m; i++) x[i] -= gain[i + j * m] * r[j];
}

/* b - B r' - K r: on all rows for excess, on control rows always (nothing else holds them). */
static void gather_b(mech_sim *s)
{
    const mech_equation *eq = s->eq;
    const int all = s->settings.stabilize == MECH_STABILIZE_EXCESS;
    if (s->m) memcpy(s->b, eq->b, s->m * sizeof(double));
    if (s->nf) memcpy(s->b + s->m, eq->slip_b, s->nf * sizeof(double));
    if (all || s->has_control) {
        subtract_gain(s, s->B, s->gain_B, eq->r_dot, s->b);
        subtract_gain(s, s->K, s->gain_K, eq->r, s->b);
        if (!all)
            for (size_t i = 0; i < s->m; i++)
                if (!s->servo[i]) s->b[i] = eq->b[i];
        if (all && s->gain_B == 1)
            for (size_t i = 0; i < s->nf; i++) s->b[s->m + i] -= s->B[0] * eq->slip[i];
    }
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (!s->friction[k].is_on) memset(s->b + s->m + s->friction[k].law.first, 0, s->friction[k].law.count * sizeof(double));
}

void sim_gather_laws(const mech_sim *s, mech_law_kind kind, double *C)
{
    memset(C, 0, s->n * sizeof *C);
    laws_add(s->system, kind, s->eq, C);
}

/* ideal: (rows), or NULL: as they are */
static mech_status law_at(mech_sim *s, const double *ideal, const double *total, double *C, double *dC)
{
    memset(C, 0, s->n * sizeof *C);
    if (s->has_laws) {
        MECH_TRY(mech_eval_reaction(s->eval, ideal, total));
        sim_gather_laws(s, MECH_LAW_C, C);
        if (dC) laws_add_slopes(s->system, s->eq, dC);
        if (s->laws_use_root) MECH_TRY(sim_root_laws(s, C, dC));
    }
    sim_friction_law(s, total, C, dC);
    return MECH_OK;
}

mech_status sim_reaction_law(mech_sim *s, const double *total, double *C, double *dC) { return law_at(s, NULL, total, C, dC); }

/* The solver's callback: under control the ideal multipliers stand behind the total ones. */
static mech_status reaction_law(void *user, const double *lambda, double *C, double *dC)
{
    mech_sim *s = user;
    if (dC && s->has_control) laws_lack_slopes(s->system, s->eq, dC + s->n * s->rows);
    return law_at(s, s->has_control ? lambda + s->rows : NULL, lambda, C, dC);
}

static void fill_input(mech_sim *s, mech_fundamental_input *in)
{
    *in = (mech_fundamental_input){
        .size = sizeof *in, .M = s->M_used, .Q = s->eq->Q, .A = s->A_used, .b = s->b, .active = s->active,
        .allows_indefinite = mech_system_allows_negative_mass(s->system)};
    if (s->has_singular_mass && !s->is_sparse) {
        memcpy(s->Q_used, s->eq->Q, s->n * sizeof(double));
        for (size_t i = 0; i < s->m; i++)
            for (size_t j = 0; j < s->n && s->active[i] && !s->servo[i]; j++)
                s->Q_used[j] += s->alpha * s->A_used[i + j * s->rows] * s->b[i];
        in->Q = s->Q_used;
    }
    if (!s->has_control) return;
    in->servo = s->servo;
    in->weight = mech_system_weight(s->system);
    if (s->sizes.actuators) {
        memset(s->G, 0, s->n * s->sizes.actuators * sizeof(double));
        for (size_t k = 0; k < s->pattern_G.count; k++)
            s->G[s->pattern_G.row[k] + s->pattern_G.column[k] * s->n] = s->eq->G[k];
        if (in->weight == MECH_WEIGHT_NATURE)
            in->weight = MECH_WEIGHT_IDENTITY; /* M^-1 is over coordinates */
        in->actuators = (int)s->sizes.actuators;
        in->G = s->G;
    }
    in->W = in->weight == MECH_WEIGHT_GIVEN ? s->eq->W : NULL;
}

/* Laws that look at multipliers, and friction that slides. */
static mech_status solve_reactions(mech_sim *s, const mech_fundamental_input *in)
{
    if (s->has_laws && !s->has_control) { /* under control the ideal multipliers come with the total ones */
        MECH_TRY(mech_fundamental_ideal(s->solver, in, &s->out));
        MECH_TRY(mech_eval_reaction(s->eval, s->lambda, s->lambda));
    }
    return fundamental_solve_law(s->solver, in, reaction_law, s->modes ? sim_friction_accepts : NULL, s, &s->out);
}

/* Laws on top of the ideal part, by what they look at. */
static mech_status solve_with_laws(mech_sim *s, mech_fundamental_input *in)
{
    if (s->laws_use_reaction || sim_friction_slips(s)) return solve_reactions(s, in);
    MECH_TRY(mech_eval_reaction(s->eval, NULL, NULL));
    sim_gather_laws(s, MECH_LAW_C, s->C);
    in->C = s->C;
    if (s->laws_use_root) MECH_TRY(sim_root_laws(s, s->C, NULL));
    return mech_fundamental_solve(s->solver, in, &s->out);
}

/* Rows that depend on one another only on the manifold look independent beside it: only points on it count.
 */
static void note_rank(mech_sim *s, double t)
{
    const mech_fundamental_output *o = &s->out;
    if (s->modes) return; /* only tried */
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT && t != s->t && !s->is_at_projected) return;
    if (o->rank > 0 && o->largest > 0) sim_note_ratio(s, t, o->smallest / o->largest);
    if (o->rank > s->info.rank_most) s->info.rank_most = o->rank;
    if (s->info.rank_least < 0 || o->rank < s->info.rank_least) s->info.rank_least = o->rank;
    s->info.rank_tol = o->rank_tol;
}

mech_status sim_set_position(mech_sim *s, double t, const double *y)
{
    if (s->nz) eval_take_states(s->eval, y + 2 * s->n);
    eval_take_velocity(s->eval, y + s->n);
    s->has_factors = 0;
    return mech_eval_position(s->eval, t, y);
}

mech_status sim_set_point(mech_sim *s, double t, const double *y)
{
    mech_status status = sim_set_position(s, t, y);
    if (status == MECH_OK) status = mech_eval_velocity(s->eval, y + s->n);
    return status == MECH_OK ? status : sim_remember(s, status);
}

/* Is what is in force also what the velocities were projected onto? Then its factors serve. */
static int masks_are_same(const mech_sim *s)
{
    for (size_t i = 0; i < s->m; i++)
        if (s->active[i] != (s->velocity[i] && !s->monitored[i])) return 0;
    return 1;
}

mech_status sim_accelerate(mech_sim *s, double t, const double *y)
{
    mech_status status = sim_poll(s);
    if (status == MECH_OK && !(s->is_at_projected && s->rows)) status = sim_set_point(s, t, y);
    if (status != MECH_OK) return status;
    sim_gather_rows(s);
    gather_b(s);
    mech_fundamental_input in;
    fill_input(s, &in);
    in.is_same = s->has_factors && masks_are_same(s);
    if (!s->has_laws && s->sizes.frictions == 0) status = mech_fundamental_solve(s->solver, &in, &s->out);
    else if (!s->has_laws && !sim_friction_slips(s)) status = mech_fundamental_solve(s->solver, &in, &s->out);
    else status = solve_with_laws(s, &in);
    if (status != MECH_OK) return sim_remember(s, status);
    if (s->sizes.frictions) {
        sim_friction_hand_back(s, s->lambda);
        sim_friction_hand_back(s, s->total);
    }
    note_rank(s, t);
    return MECH_OK;
}

/* Terms of the kinetic energy that may cancel in their sum: its size where masses may be negative. */
static double kinetic_size(const mech_sim *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->pattern_M.count; k++) {
        const size_t i = s->pattern_M.row[k], j = s->pattern_M.column[k];
        sum += (i == j ? 0.5 : 1) * fabs(s->eq->M[k] * s->eq->v[i] * s->eq->v[j]);
    }
    return sum;
}

void sim_energy(mech_sim *s, double *h, double *power, double *kinetic)
{
    const double *v = s->eq->v;
    mech_status status = mech_eval_reaction(s->eval, s->lambda, s->total);
    if (status == MECH_OK) status = mech_eval_acceleration(s->eval, s->qdd);
    status = mech_eval_output(s->eval); /* an output that is not finite is no failure of the motion */
    (void)status;
    const double *e = s->eq->energy;
    double sum = e[4];
    for (size_t i = 0; i < s->n; i++) sum += (s->Qi[i] + s->Qni[i] + s->Qc[i]) * v[i];
    *h = isfinite(e[3]) ? e[3] : 0;
    *power = isfinite(sum) ? sum : 0;
    *kinetic = isfinite(e[0]) ? e[0] : 0;
    if (mech_system_allows_negative_mass(s->system)) *kinetic = kinetic_size(s);
}

/* Near a singular position the rows must agree with one another to more than a stage of a step does: there
   the stages are projected before they are evaluated. So they are throughout where M is singular on the
   manifold: beside it M may be nearly singular, which costs all digits. */
static int is_near_singular(const mech_sim *s)
{
    const mech_fundamental_output *o = &s->out;
    if (s->has_singular_mass) return 1;
    return o->rank > 0 && o->smallest < SIM_NEAR * s->singular.largest_ratio * o->largest;
}

static mech_status accelerate_stage(mech_sim *s, double t, const double *y, const double **used)
{
    *used = y;
    if (!s->singular.projects_stages) {
        MECH_TRY(sim_accelerate(s, t, y));
        if (s->settings.stabilize != MECH_STABILIZE_PROJECT || !is_near_singular(s)) return MECH_OK;
        s->singular.projects_stages = 1; /* for the rest of the run: a mechanism passes such positions again */
    }
    memcpy(s->scratch.y_stage, y, s->ny * sizeof *y);
    *used = s->scratch.y_stage;
    MECH_TRY(sim_project(s, t, s->scratch.y_stage));
    s->is_at_projected = 1;
    const mech_status status = sim_accelerate(s, t, s->scratch.y_stage);
    s->is_at_projected = 0;
    return status;
}

mech_status mech_sim_use_motion(mech_sim *s, const mech_motion_code *code)
{
    const int how = s->settings.stabilize < 0 ? (int)mech_system_stabilize(s->system) : s->settings.stabilize; /* before the start it may be open */
    if (how == MECH_STABILIZE_EXCESS) return MECH_ERR_UNSUPPORTED;
    MECH_TRY(mech_eval_use_motion(s->eval, code));
    s->fast.uses_motion = s->fast.has_check = 1;
    return MECH_OK;
}

int sim_hides_ends(const mech_sim *s)
{
    return s->stepper && (s->stepper->projects_itself || s->stepper->restarts_on_replace);
}

/* The same at once, where it may be: 1 done, 0 not, and nothing happened. The end of a step takes the full
   solve, which watches the rank, unless settle.c has looked at it; methods that hide it have their stages looked at. */
static int rhs_at_once(mech_sim *s, double t, const double *y, double *ydot)
{
    if (!s->fast.uses_motion || s->singular.projects_stages || (t == s->t && !s->fast.is_settled) || is_near_singular(s)) return 0;
    const int looks = sim_hides_ends(s) && s->rows > 0;
    mech_motion_check check;
    mech_motion motion = {.size = sizeof motion,
                          .qdd = ydot + s->n,
                          .rate = s->nz ? ydot + 2 * s->n : NULL,
                          .wants_power = 1,
                          .leaves_doubt = 1,
                          .lambda = looks ? s->lambda : NULL,
                          .check = looks ? &check : NULL};
    if (s->nz) eval_take_states(s->eval, y + 2 * s->n);
    if (mech_eval_motion(s->eval, t, y, y + s->n, &motion) != MECH_OK || motion.flags & MECH_MOTION_DOUBT)
        return 0;
    if (looks && sim_rank_is_due(s, motion.flags & MECH_MOTION_CHECKED ? check.margin : HUGE_VAL)) return 0;
    memcpy(ydot, y + s->n, s->n * sizeof *y);
    ydot[s->ny - 1] = isfinite(motion.power) ? motion.power : 0;
    return 1;
}

int sim_rhs(void *sim, double t, const double *y, double *ydot)
{
    mech_sim *s = sim;
    if (sim_poll(s) != MECH_OK) return -1;
    if (rhs_at_once(s, t, y, ydot)) return 0;
    const mech_status status = accelerate_stage(s, t, y, &y);
    if (status != MECH_OK) return sim_is_recoverable(status) ? 1 : -1;
    double h, kinetic;
    memcpy(ydot, y + s->n, s->n * sizeof *y);
    memcpy(ydot + s->n, s->qdd, s->n * sizeof *y);
    if (s->nz) memcpy(ydot + 2 * s->n, s->eq->rate, s->nz * sizeof *y);
    sim_energy(s, &h, &ydot[s->ny - 1], &kinetic);
    return 0;
}
