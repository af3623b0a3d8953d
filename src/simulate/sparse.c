/* Large systems: solver and assembler by pattern, and what is found out about the mechanism at its start. */
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

enum { SMALL = 48, MOST_MISSED = 20 };

/* ---- the solvers ---- */

static mech_fundamental_pattern pattern_of(const mech_sim *s)
{
    mech_fundamental_pattern p = assemble_pattern(s->n, s->m, &s->dyn.pattern_M, &s->dyn.pattern_A);
    p.monitored = s->sparse.monitored;
    p.mass_weight = s->sparse.mass_weight;
    return p;
}

static mech_status make_solver(mech_sim *s)
{
    const mech_fundamental_settings settings = sim_solver_settings(s);
    const mech_fundamental_pattern pattern = pattern_of(s);
    const mech_fundamental_sparse_info before = mech_fundamental_sparse_info_get(s->dyn.solver);
    mech_fundamental *solver;
    MECH_TRY(mech_fundamental_create_sparse(&pattern, &settings, &solver));
    s->info.solves += before.solves;
    s->info.robust += before.robust;
    mech_fundamental_free(s->dyn.solver);
    s->dyn.solver = solver;
    s->onto.has_factors = 0;
    return MECH_OK;
}

mech_status sim_sparse_create(mech_sim *s)
{
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->sparse.monitored, s->m), ARRAY_OF(s->sparse.mass_weight, s->m)));
    if (s->dyn.has_control || s->dyn.has_laws || s->sizes.frictions || s->sizes.actuators || s->n + s->rows < SMALL ||
        mech_system_allows_negative_mass(s->system))
        return MECH_OK;
    mech_status status = make_solver(s);
    /* by the plan's operations one after the other, against dense algebra at several at once */
    const double size = (double)(s->n + s->rows);
    s->dyn.is_sparse = status == MECH_OK &&
                       (double)mech_fundamental_sparse_info_get(s->dyn.solver).operations < size * size * size / 24;
    if (s->dyn.is_sparse) return ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->dyn.metric, s->dyn.pattern_M.count));
    sim_sparse_leave(s);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

void sim_sparse_leave(mech_sim *s)
{
    mech_fundamental_free(s->dyn.solver);
    s->dyn.solver = NULL;
    s->dyn.is_sparse = 0;
}

/* ---- the start ---- */

/* Rows that depend on others at a projected state, as the elimination sees it: it works with squares, of which
   rounding may leave 1e-13, and calls what is below 1e-11 vague. Should a row have been only weak, the run
   notices: it is looked at all the time (sim_sparse_follow). */
static int finds_monitored(mech_sim *s)
{
    SIM_SCRATCH(s);
    sim_gather_rows(s);
    mech_fundamental_input in = dynamics_question(&s->dyn, s->eq->Q, s->eq->b, s->dyn.active);
    in.rank_tol = fmax(TOL_MONITORED, s->settings.rank_tol);
    mech_fundamental_output out = {.size = sizeof out, .qdd = sim_take_coords(s)};
    int found = 0;
    const size_t robust = mech_fundamental_sparse_info_get(s->dyn.solver).robust;
    if (mech_fundamental_solve(s->dyn.solver, &in, &out) != MECH_OK) return 0; /* the run will say so */
    const mech_fundamental_sparse_info info = mech_fundamental_sparse_info_get(s->dyn.solver);
    if (info.robust != robust || s->settings.stabilize != MECH_STABILIZE_PROJECT) return 0;
    (void)mech_fundamental_choose_monitored(s->dyn.solver, s->sparse.monitored);
    for (size_t i = 0; i < s->m; i++) found |= s->sparse.monitored[i];
    return found;
}

mech_status sim_sparse_settle(mech_sim *s)
{
    const mech_fundamental_pattern pattern = pattern_of(s);
    int has_weight = 0;
    MECH_TRY(sim_set_point(s, s->t, s->y));
    const mech_status status = mech_fundamental_find_mass(&pattern, s->eq->M, s->eq->A, s->sparse.mass_weight);
    if (status == MECH_ERR_MEMORY) return status;
    s->dyn.has_singular_mass = status != MECH_OK;
    for (size_t i = 0; i < s->m; i++) {
        if (s->dyn.has_singular_mass || !s->onto.holonomic[i]) s->sparse.mass_weight[i] = 0;
        has_weight |= s->sparse.mass_weight[i] > 0;
    }
    if (has_weight) MECH_TRY(make_solver(s));
    return finds_monitored(s) ? make_solver(s) : MECH_OK;
}

int sim_sparse_unmonitor(mech_sim *s)
{
    int had = 0;
    for (size_t i = 0; i < s->m; i++) {
        had |= s->sparse.monitored[i];
        s->sparse.monitored[i] = 0;
    }
    return had && make_solver(s) == MECH_OK;
}

mech_status sim_sparse_follow(mech_sim *s)
{
    const mech_fundamental_sparse_info info = mech_fundamental_sparse_info_get(s->dyn.solver);
    if (info.monitored_missed < MOST_MISSED || sim_sparse_unmonitor(s)) return MECH_OK;
    return MECH_ERR_MEMORY;
}

void sim_sparse_visit(mech_sim *s, state_walk *w)
{
    if (!s->dyn.is_sparse) return;
    STATE_ARRAY(w, s->sparse.monitored, s->m);
    STATE_ARRAY(w, s->sparse.mass_weight, s->m);
    STATE_FIELD(w, s->onto.is_linear);
    if (!w->reads || w->failed) return;
    const mech_sim_info kept = s->info; /* which counts the solver that goes */
    if (make_solver(s) != MECH_OK) w->lacks_memory = w->failed = 1;
    s->info = kept;
}

/* ---- rare things ---- */

int sim_make_dense(mech_sim *s)
{
    if (!s->dyn.is_sparse) {
        s->sparse.M_full = (double *)s->eq->M_dense;
        s->sparse.A_full = (double *)s->eq->A_dense;
        return 1;
    }
    if (!assemble_make_dense(&s->memory.arena, &s->dyn.pattern_M, s->eq->M, s->n, s->m, &s->sparse.M_full,
                             &s->sparse.A_full, &s->unique.of_system))
        return 0;
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++)
        s->sparse.A_full[s->dyn.pattern_A.row[k] + s->dyn.pattern_A.column[k] * s->m] = s->eq->A[k];
    return 1;
}

/* Once for the weakest pivot, once more with rows dropped up to four times that. */
int sim_sparse_dependent(mech_sim *s, unsigned char *rows)
{
    SIM_SCRATCH(s);
    sim_gather_rows(s);
    mech_fundamental_input in = dynamics_question(&s->dyn, s->memory.zero, s->memory.zero, s->dyn.active);
    in.is_quick = 1;
    mech_fundamental_output out = {.size = sizeof out, .qdd = sim_take_coords(s)};
    if (mech_fundamental_solve(s->dyn.solver, &in, &out) != MECH_OK) return 0;
    in.rank_tol = fmin(4 * mech_fundamental_sparse_info_get(s->dyn.solver).weakest, 0.05);
    if (mech_fundamental_solve(s->dyn.solver, &in, &out) != MECH_OK) return 0;
    s->onto.has_factors = 0;
    memcpy(rows, mech_fundamental_sparse_info_get(s->dyn.solver).dropped, s->m);
    for (size_t i = 0; i < s->m; i++)
        if (s->sparse.monitored[i]) rows[i] = 0;
    return 1;
}
