/* Which backend makes the runs: the one that is asked for, else the first that serves the model. Never by the number of
   threads or runs: what run k gives must not depend on them. */
#include "ensemble/backend.h"

#include <stdio.h>
#include <string.h>

static const char *const words[MECH_ON_COUNT] = {
    [MECH_ON_AUTO] = "auto", [MECH_ON_LANES] = "lanes", [MECH_ON_THREADS] = "threads",
    [MECH_ON_MPI] = "mpi",   [MECH_ON_CUDA] = "cuda",
};

mech_on mech_on_find(const char *word)
{
    for (int k = 0; word && k < MECH_ON_COUNT; k++)
        if (strcmp(words[k], word) == 0) return (mech_on)k;
    return MECH_ON_COUNT;
}

const char *mech_on_word(mech_on on) { return (unsigned)on < MECH_ON_COUNT ? words[on] : "?"; }

static const ensemble_backend *const backends[MECH_ON_COUNT] = {
    [MECH_ON_LANES] = &ensemble_lanes,
    [MECH_ON_THREADS] = &ensemble_threads,
    [MECH_ON_CUDA] = &ensemble_cuda,
};

/* In this order; the last serves every model. */
static const mech_on by_itself[] = {MECH_ON_LANES, MECH_ON_THREADS};

static mech_status begin(mech_on on, const ensemble_job *job, const ensemble_backend **taken, void **shared, char *why)
{
    *shared = NULL;
    *taken = backends[on];
    const int is_asked_too_much = *taken && job->step > 0 && !(*taken)->has_equal_steps;
    if (*taken && !is_asked_too_much) return (*taken)->begin(job, shared, why);
    snprintf(why, ENSEMBLE_WHY_SIZE,
             is_asked_too_much ? "its runs choose their steps: equal ones are made by cuda" : "this build has none");
    return MECH_ERR_UNSUPPORTED;
}

mech_status ensemble_choose(mech_on on, const ensemble_job *job, const ensemble_backend **taken, void **shared,
                            char why[ENSEMBLE_WHY_SIZE])
{
    why[0] = 0;
    if (on != MECH_ON_AUTO) return begin(on, job, taken, shared, why);
    mech_status status = MECH_ERR_UNSUPPORTED;
    for (size_t i = 0; i < sizeof by_itself / sizeof *by_itself && status == MECH_ERR_UNSUPPORTED; i++)
        status = begin(by_itself[i], job, taken, shared, why);
    return status;
}
