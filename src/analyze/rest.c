/* An equilibrium under dry friction: the point comes from the model with friction held or left out, the
   forces and what each friction has to bear from the instant of the model as it is. */
#include "analyze/dense.h"
#include "analyze/search.h"

#include "base/mem.h"
#include "base/try.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

static mech_status solve(const mech_system *with_friction, mech_equilibrium *rest)
{
    const mech_equilibrium_result *r = &rest->result;
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.t = r->t;
    at.q = r->q;
    at.v = r->v;
    at.z = r->z;
    MECH_TRY(mech_instant_create(with_friction, 0, &rest->instant));
    return mech_instant_solve(rest->instant, &at);
}

static mech_status keep_point(mech_equilibrium *rest, const mech_equilibrium_result *found)
{
    const size_t n = (size_t)found->n, states = (size_t)found->states;
    rest->result = *found;
    rest->result.size = sizeof rest->result;
    double *q, *v, *z;
    MECH_TRY(ARENA_MAKE(&rest->memory, ARRAY_OF(q, n), ARRAY_OF(v, n), ARRAY_OF(z, states)));
    memcpy(q, found->q, n * sizeof *q);
    memcpy(v, found->v, n * sizeof *v);
    if (states) memcpy(z, found->z, states * sizeof *z);
    rest->result.q = q;
    rest->result.v = v;
    rest->result.z = z;
    return MECH_OK;
}

/* Nothing accelerates, relative to the forces: by the roots of the masses both have one unit for all coordinates. */
static int is_still(const mech_instant_result *i)
{
    double most = 0, pull = 0;
    for (size_t j = 0; j < i->n; j++) {
        const double root = sqrt(fabs(i->M[j * (i->n + 1)]));
        double force = fabs(i->Q[j]);
        for (size_t k = 0; k < i->rows; k++)
            if (i->active[k]) force += fabs(i->A[k + j * i->rows] * i->reaction[k]);
        most = fmax(most, root * fabs(i->qdd[j]));
        if (root > 0) pull = fmax(pull, force / root);
    }
    return most <= TOL_REST_PULL * pull;
}

/* 1: nothing moves. What gives way may be stopped by constraints. */
static int rests(const mech_instant_result *i)
{
    for (size_t k = 0; k < i->laws; k++)
        if (i->law[k].is_friction && i->law[k].mode == MECH_FRICTION_MODE_SLIDES) return 0;
    return is_still(i);
}

/* Rank of the model's own rows, those of friction left out. */
static mech_status rank_of(const mech_instant_result *i, int *rank)
{
    double *A = mem_zeroed(i->m * i->n + i->n * i->n, sizeof *A);
    size_t found = 0;
    if (!A) return MECH_ERR_MEMORY;
    for (size_t j = 0; j < i->n; j++)
        for (size_t k = 0; k < i->m; k++) A[k + j * i->m] = i->active[k] ? i->A[k + j * i->rows] : 0;
    const mech_status status = dense_null_space(i->m, i->n, A, TOL_NULL, A + i->m * i->n, &found, NULL);
    *rank = (int)found;
    mem_free(A);
    return status;
}

static mech_status deliver(const mech_system *with_friction, mech_equilibrium *rest)
{
    const mech_instant_result *i = mech_instant_get(rest->instant);
    const mech_sizes sizes = mech_system_sizes(with_friction);
    mech_equilibrium_result *r = &rest->result;
    r->rows = (int)i->m;
    r->constraints = (int)sizes.constraints;
    r->lambda = i->lambda;
    r->reaction = i->reaction;
    r->Qi = i->Qi;
    r->Qni = i->Qni;
    r->unique_lambda = i->diagnosis->unique_lambda;
    r->unique_force = i->diagnosis->unique_force;
    r->residual = dense_largest(i->qdd, i->n);
    r->frictions = (int)sizes.frictions;
    r->friction = i->law + sizes.laws;
    r->holds = rests(i);
    return rank_of(i, &r->rank);
}

mech_status mech_equilibrium_hold(const mech_system *with_friction, const mech_equilibrium_result *found,
                                  mech_equilibrium **result)
{
    *result = NULL;
    if ((size_t)found->n != mech_system_sizes(with_friction).coords ||
        (size_t)found->states != mech_system_sizes(with_friction).states)
        return MECH_ERR_ARGUMENT;
    mech_equilibrium *rest = mem_zeroed(1, sizeof *rest);
    if (!rest) return MECH_ERR_MEMORY;
    mech_status status = keep_point(rest, found);
    if (status == MECH_OK) status = solve(with_friction, rest);
    if (status == MECH_OK) status = deliver(with_friction, rest);
    if (status == MECH_OK) *result = rest;
    else mech_equilibrium_free(rest);
    return status;
}

/* One reading; *holds: friction holds what is found in it. */
static mech_status try_reading(const mech_system *with_friction, mech_rest_read read, void *user,
                               mech_friction_reading how, mech_equilibrium **found, mech_equilibrium **rest, int *holds)
{
    mech_rest_reading reading = {.size = sizeof reading};
    mech_equilibrium *next = NULL;
    mech_equilibrium_free(*found);
    *found = NULL;
    mech_equilibrium_options_default(&reading.search, sizeof reading.search);
    MECH_TRY(read(user, how, &reading));
    const mech_status status = mech_equilibrium_find(reading.system, reading.eval, &reading.search, found);
    if (status == MECH_ERR_MEMORY || status == MECH_ERR_NO_START) return status;
    if (status != MECH_OK) return MECH_OK; /* the other reading may have one */
    MECH_TRY(mech_equilibrium_hold(with_friction, mech_equilibrium_get(*found), &next));
    mech_equilibrium_free(*rest);
    *rest = next;
    *holds = next->result.holds;
    return MECH_OK;
}

mech_status mech_equilibrium_rest(const mech_system *with_friction, mech_rest_read read, void *user,
                                  mech_equilibrium **found, mech_equilibrium **rest)
{
    static const mech_friction_reading readings[] = {MECH_FRICTION_READING_HELD, MECH_FRICTION_READING_LEFT_OUT};
    int holds = 0;
    *found = *rest = NULL;
    for (int k = 0; k < 2; k++) {
        MECH_TRY(try_reading(with_friction, read, user, readings[k], found, rest, &holds));
        if (holds) return MECH_OK;
    }
    return MECH_ERR_NO_EQUILIBRIUM;
}
