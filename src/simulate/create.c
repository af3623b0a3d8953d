/* Making and freeing a run: everything it needs is sized from the system here. */
#include "simulate/settings.h"
#include "simulate/spikes.h"
#include "simulate/turns.h"
#include "base/mem.h"
#include "base/options.h"

#include <limits.h>
#include <math.h>
#include <string.h>

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
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->dyn.metric, s->n * s->n)));
    MECH_TRY(mech_fundamental_create((int)s->n, (int)s->rows, &solver, &s->dyn.solver));
    return mech_diagnosis_create((int)s->n, (int)s->m, &s->unique.of_system);
}

static mech_status poll(void *sim) { return sim_poll(sim); }

/* In this order: the evaluation is what events, kinks and rows are numbered by. */
static mech_status (*const creates[])(mech_sim *) = {
    sim_scratch_create, sim_advance_create,    sim_caller_create,  sim_project_create,
    sim_control_create, sim_given_rows_create, sim_contact_create, sim_friction_create,
    sim_mass_create,    sim_passage_create,    make_tools,         sim_blow_create,
    sim_leeway_create,  sim_events_create,     sim_kink_create,    sim_turns_create,
    sim_spikes_create,  sim_rows_create,       sim_unique_create,  sim_measure_create,
    sim_follow_create,  sim_clocks_create,     sim_delays_create,  sim_press_create,
    sim_moreau_create,
};

static mech_status create(mech_sim *s)
{
    s->sizes = mech_system_sizes(s->system);
    s->n = s->sizes.coords;
    s->m = s->sizes.rows;
    s->nz = s->sizes.states;
    s->rows = s->m + s->sizes.friction_rows;
    s->ny = 2 * s->n + s->nz + 1;
    s->info.rank_least = -1;
    if (s->n == 0) return MECH_ERR_ARGUMENT;
    MECH_TRY(
        ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->y, s->ny), ARRAY_OF(s->memory.zero, s->n > s->rows ? s->n : s->rows)));
    MECH_TRY(dynamics_create(&s->dyn, s->system, 0, &s->memory.arena));
    s->dyn.poll = poll;
    s->dyn.user = s;
    for (size_t k = 0; k < sizeof creates / sizeof *creates; k++) MECH_TRY(creates[k](s));
    return MECH_OK;
}

mech_status mech_sim_create(const mech_system *system, const mech_sim_settings *settings, mech_sim **sim)
{
    if (!sim) return MECH_ERR_ARGUMENT;
    *sim = NULL;
    if (!system) return MECH_ERR_ARGUMENT;
    mech_sim_settings given;
    MECH_TRY(settings_take(&given, settings));
    mech_sim *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    s->system = system;
    s->settings = s->caller.given.settings = given;
    const mech_status status = create(s);
    if (status == MECH_OK) *sim = s;
    else mech_sim_free(s);
    return status;
}

void mech_sim_free(mech_sim *sim)
{
    if (!sim) return;
    sim_method_free(sim);
    contact_free(sim->contacts.touch.room);
    sim_record_free(sim);
    sim_press_free(sim);
    sim_delays_free(sim);
    sim_log_free(sim);
    mem_free(sim->caller.fresh.bytes);
    mech_diagnosis_free(sim->unique.of_system);
    mech_diagnosis_free(sim->unique.of_all);
    mech_assembly_free(sim->assembly);
    mech_fundamental_free(sim->dyn.solver);
    mech_eval_free(sim->eval);
    arena_free(&sim->memory.arena);
    mem_free(sim);
}

const mech_sim_settings *mech_sim_settings_get(const mech_sim *sim) { return &sim->settings; }
mech_eval *mech_sim_eval(mech_sim *sim) { return sim->eval; }
double mech_sim_time(const mech_sim *sim) { return sim->t; }
const double *mech_sim_q(const mech_sim *sim) { return sim->y; }
const double *mech_sim_v(const mech_sim *sim) { return sim->y + sim->n; }
const double *mech_sim_states(const mech_sim *sim) { return sim->y + 2 * sim->n; }
int mech_sim_has_started(const mech_sim *sim) { return sim->advance.has_started; }
int mech_sim_has_stopped(const mech_sim *sim) { return sim->advance.has_stopped; }
const mech_trajectory *mech_sim_trajectory(const mech_sim *sim) { return &sim->record.trajectory; }
const mech_trajectory *mech_sim_curve(const mech_sim *sim)
{
    return sim->record.follow.how == MECH_FOLLOW_KEPT ? &sim->record.curve : &sim->record.trajectory;
}

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
    MECH_TRY(sim_take_values(sim, sim->caller.given.y_start, q, v, states, "start with"));
    sim->caller.given.has_q |= q != NULL;
    sim->caller.given.has_v |= v != NULL;
    sim->caller.given.has_z |= states != NULL;
    sim->caller.given.is_fixed = is_fixed;
    return MECH_OK;
}

mech_status mech_sim_forces_now(mech_sim *sim, mech_sim_forces *forces)
{
    if (!sim->advance.has_started) MECH_TRY(sim_must_be(sim, SIM_STILL));
    if (!sim->log.error[0] && !sim->advance.is_in_row) MECH_TRY(sim_take_changes(sim, 0));
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
