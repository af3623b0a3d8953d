/* Making and freeing a run: everything it needs is sized from the system here. */
#include "simulate/newton.h"
#include "simulate/settings.h"
#include "simulate/sim.h"
#include "simulate/turns.h"
#include "base/mem.h"
#include "base/try.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static double *doubles(mech_sim *s, size_t count)
{
    double *block = count < SIZE_MAX / sizeof *block ? arena_alloc(&s->memory, (count + 1) * sizeof *block) : NULL;
    if (block) memset(block, 0, (count + 1) * sizeof *block);
    else s->trouble.lacks_memory = 1;
    return block;
}

static void *cleared(mech_sim *s, size_t count, size_t size)
{
    void *block = arena_alloc(&s->memory, (count + 1) * size);
    if (block) memset(block, 0, (count + 1) * size);
    else s->trouble.lacks_memory = 1;
    return block;
}

static void measure(mech_sim *s)
{
    s->sizes = mech_system_sizes(s->system);
    s->n = s->sizes.coords;
    s->m = s->sizes.rows;
    s->nz = s->sizes.states;
    s->nf = s->sizes.friction_rows;
    s->rows = s->m + s->nf;
    s->ny = 2 * s->n + s->nz + 1;
    s->onto.is_linear = 1;
    for (size_t row = 0; row < s->sizes.rows; row++) s->onto.is_linear &= mech_system_row(s->system, row).is_linear;
    for (size_t row = 0; row < s->sizes.rows; row++)
        s->given_rows.exist |= mech_system_row(s->system, row).level == MECH_LEVEL_ACCELERATION;
    s->pattern_M = mech_system_pattern(s->system, MECH_MATRIX_M);
    s->pattern_A = mech_system_pattern(s->system, MECH_MATRIX_A);
    s->info.rank_least = -1;
}

static void allocate_state(mech_sim *s)
{
    const size_t rows = s->rows;
    s->y = doubles(s, s->ny);
    s->onto.holonomic = cleared(s, rows, 1);
    s->onto.velocity = cleared(s, rows, 1);
    s->events.was_stuck = cleared(s, s->sizes.frictions, sizeof *s->events.was_stuck);
    s->contact = cleared(s, s->sizes.constraints, sizeof *s->contact);
    s->outside.is_switched = cleared(s, s->sizes.constraints, 1);
    s->given.active_first = cleared(s, s->sizes.constraints, 1);
    s->scratch.row_size = doubles(s, rows);
    s->scratch.row_scale = doubles(s, rows);
    s->scratch.row_work = doubles(s, rows);
    s->scratch.row_mask = cleared(s, rows, 1);
    s->sparse.monitored = cleared(s, s->m, 1);
    s->control.path = cleared(s, s->m, sizeof *s->control.path);
    s->control.has_gains = cleared(s, s->m, 1);
    s->given_rows.A_before = doubles(s, s->pattern_A.count);
    s->sparse.mass_weight = doubles(s, s->m);
}

static void allocate_work(mech_sim *s)
{
    const size_t n = s->n, rows = s->rows;
    s->scratch.y_work = doubles(s, s->ny);
    s->scratch.y_stage = doubles(s, s->ny);
    s->scratch.y_row = doubles(s, s->ny);
    s->given.y_start = doubles(s, s->ny);
    s->mass.scale = doubles(s, s->n);
    s->mass.y = doubles(s, s->ny);
    s->mass.order = arena_alloc(&s->memory, (s->n + 1) * sizeof *s->mass.order);
    if (!s->mass.order) s->trouble.lacks_memory = 1;
    s->good.y = doubles(s, s->ny);
    s->scratch.zero = doubles(s, n);
    s->scratch.residual = doubles(s, rows);
    s->scratch.delta = doubles(s, n);
    s->singular.start.y = doubles(s, s->ny - 1);
    s->singular.narrow.y = doubles(s, s->ny - 1);
    for (int k = 0; k < 3; k++) s->singular.seen[k].y = doubles(s, s->ny - 1);
    s->singular.passage_y = doubles(s, s->ny - 1);
}

static mech_status make_eval(mech_sim *s)
{
    mech_eval_free(s->eval);
    MECH_TRY(mech_eval_create(s->system, s->dyn.is_sparse ? MECH_STORAGE_SPARSE : MECH_STORAGE_DENSE, &s->eval));
    s->eq = mech_eval_equation(s->eval);
    dynamics_use(&s->dyn, s->eval);
    return mech_assembly_create(s->eval, &s->assembly);
}

static mech_status make_tools(mech_sim *s)
{
    mech_fundamental_settings solver = sim_solver_settings(s);
    solver.actuators = (int)s->sizes.actuators;
    if (s->n > INT_MAX || s->rows > INT_MAX) return MECH_ERR_LIMIT;
    MECH_TRY(sim_sparse_create(s));
    mech_status status = make_eval(s);
    /* `initial` values of many coordinates fill in too much */
    if (status != MECH_OK && status != MECH_ERR_MEMORY && s->dyn.is_sparse) {
        sim_sparse_leave(s);
        status = make_eval(s);
    }
    MECH_TRY(status);
    eval_own(s->eval);
    if (s->dyn.is_sparse) return MECH_OK;
    s->scratch.metric = s->dyn.metric = doubles(s, s->n * s->n);
    if (s->trouble.lacks_memory) return MECH_ERR_MEMORY;
    MECH_TRY(mech_fundamental_create((int)s->n, (int)s->rows, &solver, &s->dyn.solver));
    return mech_diagnosis_create((int)s->n, (int)s->m, &s->diagnosis);
}

static mech_status poll(void *sim) { return sim_poll(sim); }

static mech_status create(mech_sim *s)
{
    measure(s);
    if (s->n == 0) return MECH_ERR_ARGUMENT;
    MECH_TRY(dynamics_create(&s->dyn, s->system, 0, &s->memory));
    s->dyn.poll = poll;
    s->dyn.user = s;
    allocate_state(s);
    if (!s->trouble.lacks_memory) allocate_work(s);
    if (s->trouble.lacks_memory) return MECH_ERR_MEMORY;
    MECH_TRY(make_tools(s));
    MECH_TRY(sim_leeway_create(s));
    MECH_TRY(sim_events_create(s));
    MECH_TRY(sim_kink_create(s));
    MECH_TRY(sim_turns_create(s));
    MECH_TRY(sim_unique_create(s));
    return sim_rows_create(s);
}

mech_status mech_sim_create(const mech_system *system, const mech_sim_settings *settings, mech_sim **sim)
{
    if (!sim) return MECH_ERR_ARGUMENT;
    *sim = NULL;
    if (!system) return MECH_ERR_ARGUMENT;
    mech_sim *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    s->system = system;
    settings_take(&s->settings, settings);
    s->given.settings = s->settings;
    const mech_status status = create(s);
    if (status != MECH_OK) {
        mech_sim_free(s);
        return status;
    }
    *sim = s;
    return MECH_OK;
}

void mech_sim_free(mech_sim *sim)
{
    if (!sim) return;
    sim_stepper_free(sim->stepper);
    newton_free(sim->implicit.newton);
    mech_diagnosis_free(sim->diagnosis);
    mech_assembly_free(sim->assembly);
    mech_fundamental_free(sim->dyn.solver);
    mech_eval_free(sim->eval);
    trajectory_release(&sim->record.trajectory);
    sim_log_free(sim);
    mem_free(sim->fresh.bytes);
    mem_free(sim->record.happenings);
    arena_free(&sim->memory);
    mem_free(sim);
}

const mech_sim_settings *mech_sim_settings_get(const mech_sim *sim) { return &sim->settings; }
mech_eval *mech_sim_eval(mech_sim *sim) { return sim->eval; }
double mech_sim_time(const mech_sim *sim) { return sim->t; }
const double *mech_sim_q(const mech_sim *sim) { return sim->y; }
const double *mech_sim_v(const mech_sim *sim) { return sim->y + sim->n; }
const double *mech_sim_states(const mech_sim *sim) { return sim->y + 2 * sim->n; }
int mech_sim_has_started(const mech_sim *sim) { return sim->has_started; }
int mech_sim_has_stopped(const mech_sim *sim) { return sim->has_stopped; }
const mech_trajectory *mech_sim_trajectory(const mech_sim *sim) { return &sim->record.trajectory; }

mech_status sim_take_values(mech_sim *s, double *y, const double *q, const double *v, const double *z, const char *what)
{
    const struct {
        const double *values;
        size_t count;
        mech_item item;
        const char *dash;
    } given[] = {{q, s->n, MECH_ITEM_COORD, ""}, {v, s->n, MECH_ITEM_COORD, "'"}, {z, s->nz, MECH_ITEM_STATE, ""}};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; given[k].values && i < given[k].count; i++)
            if (!isfinite(given[k].values[i]))
                return sim_refuse(s, "a run cannot %s %s%s = %g", what, mech_system_name(s->system, given[k].item, i),
                                  given[k].dash, given[k].values[i]);
    if (q) memcpy(y, q, s->n * sizeof *q);
    if (v) memcpy(y + s->n, v, s->n * sizeof *v);
    if (z && s->nz) memcpy(y + 2 * s->n, z, s->nz * sizeof *z);
    return MECH_OK;
}

mech_status mech_sim_set_start(mech_sim *sim, const double *q, const double *v, const double *states, int is_fixed)
{
    MECH_TRY(sim_must_be(sim, SIM_FRESH));
    MECH_TRY(sim_take_values(sim, sim->given.y_start, q, v, states, "start with"));
    sim->given.has_q |= q != NULL;
    sim->given.has_v |= v != NULL;
    sim->given.has_z |= states != NULL;
    sim->given.is_fixed = is_fixed;
    return MECH_OK;
}

mech_status mech_sim_forces_now(mech_sim *sim, mech_sim_forces *forces)
{
    if (!sim->has_started) MECH_TRY(sim_must_be(sim, SIM_STILL));
    if (!sim->trouble.error[0] && !sim->call.is_in_row) MECH_TRY(sim_take_changes(sim));
    MECH_TRY(sim_accelerate(sim, sim->t, sim->y));
    *forces = (mech_sim_forces){.size = sizeof *forces,
                                .qdd = sim->dyn.qdd,
                                .Qi = sim->dyn.Qi,
                                .Qni = sim->dyn.Qni,
                                .Qc = sim->dyn.Qc,
                                .lambda = sim->dyn.lambda,
                                .reaction = sim->dyn.total,
                                .u = sim->dyn.has_control ? sim->dyn.u : NULL,
                                .active = sim->dyn.active,
                                .rank = sim->dyn.out.rank,
                                .flags = sim->dyn.out.flags |
                                         (sim->dyn.has_singular_mass ? MECH_FUNDAMENTAL_SINGULAR_MASS : 0)};
    return MECH_OK;
}
