/* Runs by several processes: rank 0 deals out the blocks of an ensemble and gets their rows, the others make them. What
   they say to one another goes through the part that speaks MPI (mpi/mpi.c). docs/decisions/0035-many-machines.md. */
#ifndef ENSEMBLE_RANKS_H
#define ENSEMBLE_RANKS_H

#include "ensemble/backend.h"

/* Joined before; else joins with what is found: MECH_ERR_UNSUPPORTED and why. */
MECH_MUST_CHECK mech_status ranks_join(size_t *rank, size_t *ranks, char why[ENSEMBLE_WHY_SIZE]);

typedef struct ranks_dealer { /* of rank 0 */
    void *of;
    size_t workers;    /* of each other rank                                          */
    uint64_t identity; /* of model, plan and settings: of all ranks the same          */
    /* The next block for one who has so many: 1; 0: none can be had at the moment; -1: there is none, or it is over. */
    int (*take)(void *of, size_t has, ensemble_rows **rows);
    void (*give)(void *of, ensemble_rows *rows, mech_status status, int code); /* ensemble_code_kind */
    void (*refuse)(void *of, const char *why);                                 /* it is over; words about why */
    size_t handed_on;
} ranks_dealer;

/* Until every worker of the others was told that it is over. */
void ranks_deal(ranks_dealer *dealer, const ensemble_job *job);
/* The same before any block was dealt out. */
void ranks_dismiss(size_t workers);
/* A worker of another rank, in a thread of its own, until it is told so. */
MECH_MUST_CHECK mech_status ranks_work(const ensemble_job *job, const ensemble_backend *on, void *shared,
                                       uint64_t identity, size_t worker);

#endif
