/* What makes the runs of an ensemble: threads with whole runs, or others that are faster where they serve. A backend is
   begun once, which says whether it serves, and has workers, each used by one thread, that make blocks of consecutive
   runs. What run k gives depends on the job and on k alone, never on the block, the worker or their number. */
#ifndef ENSEMBLE_BACKEND_H
#define ENSEMBLE_BACKEND_H

#include "ensemble/plan.h"

#include <pthread.h>

enum { ENSEMBLE_WHY_SIZE = 300 };

typedef struct ensemble_native { /* code for whole runs, made when the first one is due */
    mech_ensemble_code make;     /* or NULL */
    void *user;
    pthread_mutex_t lock;
    /* under the lock */
    const mech_motion_code *code; /* or NULL */
    int kind;                     /* 0: not yet made; else whether there is code, and what. Read without the lock too */
} ensemble_native;

typedef struct ensemble_job { /* constant while runs are made */
    const mech_plan *plan;
    ensemble_native *native; /* or NULL                              */
    mech_sim_settings run;   /* of each run, with what interrupts it */
    size_t columns, measures;
    double step;                        /* of equal steps; 0: each run chooses its own */
    const volatile sig_atomic_t *stops; /* not 0: it is over                  */
    mech_ensemble_look on_end;          /* or NULL                            */
    void *on_end_user;
} ensemble_job;

/* Another thread may say so at any time. */
static inline int ensemble_is_over(const ensemble_job *job)
{
    const volatile sig_atomic_t *now = job->run.interrupt_now;
    return __atomic_load_n(job->stops, __ATOMIC_RELAXED) || (now && *now);
}

typedef struct ensemble_rows { /* of a block, row k of run first + k */
    size_t first, count;
    double *values;           /* (count x columns), made before the backend is asked */
    double *measures;         /* (count x measures)                                  */
    unsigned char *is_choice; /* (count x measures) 0 before the backend is asked    */
    double *t;                /* (count)                                             */
    mech_status *status;      /* (count)                                             */
    char **reason;            /* (count) NULL, or words by mem_text                  */
} ensemble_rows;

typedef struct ensemble_backend {
    mech_on on;
    size_t least, most;  /* runs in a block, where there are as many     */
    size_t most_workers; /* at a time; 0: as many as threads are wanted  */
    int has_equal_steps; /* ensemble_job.step may be above 0             */
    int waits; /* 1: its threads wait for others' work: two a processor, so that one of them has something to do */
    /* What its workers share (may stay NULL). MECH_ERR_UNSUPPORTED: it does not serve, and why says why. */
    mech_status (*begin)(const ensemble_job *job, void **shared, char why[ENSEMBLE_WHY_SIZE]);
    void (*end)(void *shared);
    mech_status (*create)(const ensemble_job *job, void *shared, void **worker);
    /* MECH_OK also where runs fail: each is a result. Else the ensemble is over. */
    mech_status (*run_block)(void *worker, ensemble_rows *rows);
    /* How many runs of its blocks were made whole because it could not; NULL: none. */
    size_t (*handed_on)(const void *worker);
    void (*free)(void *worker);
    /* In words why a worker failed with MECH_ERR_UNSUPPORTED, or ""; NULL: none does. */
    const char *(*explain)(const void *shared);
} ensemble_backend;

extern const ensemble_backend ensemble_threads, ensemble_lanes, ensemble_cuda;

/* The backend that is asked for, begun; for MECH_ON_AUTO the first that serves the model. MECH_ERR_UNSUPPORTED: why. */
MECH_MUST_CHECK mech_status ensemble_choose(mech_on on, const ensemble_job *job, const ensemble_backend **taken,
                                            void **shared, char why[ENSEMBLE_WHY_SIZE]);

/* threads.c: row k by a whole run on *sim, which is made where it is NULL, with the code of the job where it serves.
   MECH_ERR_MEMORY, MECH_ERR_INTERRUPTED: it is no result. */
MECH_MUST_CHECK mech_status ensemble_whole_run(const ensemble_job *job, mech_sim **sim, ensemble_rows *rows, size_t k);
/* 1: a run has notes, which its row carries. */
int ensemble_has_notes(const mech_sim *sim);
/* What the whole runs of this process go by, as a number; 0: it has made none. */
int ensemble_code_kind(const ensemble_job *job);
/* A run by this code where it serves; NULL: without. */
MECH_MUST_CHECK mech_status ensemble_make_sim(const ensemble_job *job, const mech_motion_code *code, mech_sim **sim);
/* What varies, into an evaluation: of a run, before its start. */
MECH_MUST_CHECK mech_status ensemble_set_values(const mech_plan *plan, mech_eval *eval, const double *values);

#endif
