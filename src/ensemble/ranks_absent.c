#include "ensemble/ranks.h"

#include <stdio.h>

mech_status mech_ensemble_join(const char *part, size_t *rank, size_t *ranks, char *why, size_t size)
{
    (void)part;
    *rank = 0;
    *ranks = 1;
    if (why && size) snprintf(why, size, "the core build has no MPI");
    return MECH_ERR_UNSUPPORTED;
}

mech_status ranks_join(size_t *rank, size_t *ranks, char why[ENSEMBLE_WHY_SIZE])
{
    return mech_ensemble_join(NULL, rank, ranks, why, ENSEMBLE_WHY_SIZE);
}

void ranks_deal(ranks_dealer *dealer, const ensemble_job *job) { (void)dealer, (void)job; }

void ranks_dismiss(size_t workers) { (void)workers; }

mech_status ranks_work(const ensemble_job *job, const ensemble_backend *on, void *shared, uint64_t identity,
                       size_t worker)
{
    (void)job, (void)on, (void)shared, (void)identity, (void)worker;
    return MECH_ERR_UNSUPPORTED;
}
