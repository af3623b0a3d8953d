/* The momentum dL/dq' where an event sets a state that stands in the energy of motion: velocities stay, so that it
   jumps, and the run says so. */
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

double sim_momentum_size(const mech_sim *s, size_t coord)
{
    const double *v = s->y + s->n;
    double size = 0;
    for (size_t k = 0; k < s->dyn.pattern_M.count; k++) {
        const size_t i = s->dyn.pattern_M.row[k], j = s->dyn.pattern_M.column[k];
        if (i == coord) size += fabs(s->eq->M[k] * v[j]);
        else if (j == coord) size += fabs(s->eq->M[k] * v[i]);
    }
    return size;
}

int sim_momentum_here(mech_sim *s, double *to)
{
    const uint32_t *coord;
    size_t count;
    const double *now = eval_settable(s->eval, &coord, &count);
    if (count == 0) return 0;
    const mech_status status = sim_set_point(s, s->t, s->y);
    if (status != MECH_OK) s->log.failure = MECH_OK; /* who goes on from here says so */
    memcpy(to, now, count * sizeof *to);
    return status == MECH_OK;
}

/* The impulses that would keep the momentum of the coordinates whose velocities are not set. 0: it stays. */
static int find_impulse(const mech_sim *s, const double *before, const double *values, double *impulse)
{
    const uint32_t *coord;
    size_t count;
    int some = 0;
    const double *now = eval_settable(s->eval, &coord, &count);
    memset(impulse, 0, s->n * sizeof *impulse);
    for (size_t k = 0; k < count; k++) {
        const double jump = now[k] - before[k], size = sim_momentum_size(s, coord[k]) + fabs(now[k]) + fabs(before[k]);
        if (isfinite(values[s->n + coord[k]]) || !(fabs(jump) > TOL_JUMP_MOMENTUM * size)) continue;
        impulse[coord[k]] = -jump;
        some = 1;
    }
    return some;
}

/* What they would change velocities by, beside the constraints in force. */
static mech_status find_change(mech_sim *s, const double *impulse, double *change)
{
    SIM_SCRATCH(s);
    unsigned char *mask = sim_take_mask(s);
    sim_gather_rows(s);
    memcpy(mask, s->onto.velocity, s->m);
    memset(mask + s->m, 0, s->dyn.nf);
    dynamics_metric_over(&s->dyn, mask);
    const mech_fundamental_input in = dynamics_question(&s->dyn, impulse, s->memory.zero, mask);
    mech_fundamental_output out = {.size = sizeof out, .qdd = change};
    const mech_status status = mech_fundamental_solve(s->dyn.solver, &in, &out);
    dynamics_metric_over(&s->dyn, s->dyn.active);
    return status;
}

/* The coordinate that would change most of those that are pushed; SIZE_MAX: constraints hold what is pushed. */
static size_t find_most(const mech_sim *s, const double *impulse, const double *change)
{
    size_t most = SIZE_MAX;
    double work = 0, of_free = 0;
    for (size_t k = 0; k < s->dyn.pattern_M.count; k++) {
        const size_t i = s->dyn.pattern_M.row[k];
        if (s->dyn.pattern_M.column[k] == i && s->eq->M[k] != 0) of_free += fabs(impulse[i] * impulse[i] / s->eq->M[k]);
    }
    for (size_t i = 0; i < s->n; i++) {
        work += impulse[i] * change[i];
        if (impulse[i] != 0 && (most == SIZE_MAX || fabs(change[i]) > fabs(change[most]))) most = i;
    }
    return fabs(work) > TOL_JUMP_MOMENTUM * of_free ? most : SIZE_MAX;
}

mech_status sim_tell_momentum(mech_sim *s, size_t event, size_t state, const double *before, const double *values)
{
    SIM_SCRATCH(s);
    double *here = sim_take_coords(s), *impulse = sim_take_coords(s), *change = sim_take_coords(s);
    const char *name = sim_name(s, MECH_ITEM_EVENT, event), *set = sim_name(s, MECH_ITEM_STATE, state);
    if (!sim_momentum_here(s, here) || !find_impulse(s, before, values, impulse)) return MECH_OK;
    const mech_status status = find_change(s, impulse, change);
    if (status != MECH_OK) return status == MECH_ERR_MEMORY ? status : MECH_OK;
    const size_t i = find_most(s, impulse, change);
    if (i == SIZE_MAX) return MECH_OK;
    s->events.watch[event].has_told_momentum = 1;
    const char *velocity = s->assembly->names[s->n + i];
    return sim_log_add(s, MECH_LOG_NOTE, name,
                       "event %s sets %s, and velocities stay: the momentum dL/d%s jumps by %.6g. Where it is to "
                       "stay, set the velocity as well: %s = %.6g keeps it here",
                       name, set, velocity, -impulse[i], velocity, s->y[s->n + i] + change[i]);
}
