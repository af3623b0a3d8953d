/* Many runs of one system: what varies, and what is kept of each run.
 *
 *     mech_plan *plan;
 *     mech_plan_create(system, &plan);
 *     mech_plan_vary(plan, "k", MECH_SPREAD_GRID, 1, 10, 50);
 *     mech_ensemble_settings settings;
 *     mech_ensemble_settings_default(&settings, sizeof settings);
 *     settings.on_run = keep;
 *     mech_ensemble_run(plan, &settings, NULL);
 *     mech_plan_free(plan);
 *
 * What is kept are the measures of the model. Runs are made by several threads, each with a run of its own; what run k
 * gives depends on the system, the settings and the values of k alone, never on the threads. Finished runs are handed
 * out in the order of their numbers, one at a time. */
#ifndef MECH_ENSEMBLE_H
#define MECH_ENSEMBLE_H

#include <mech/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what varies ---- */

typedef struct mech_plan mech_plan;

typedef enum mech_spread {
    MECH_SPREAD_GRID,    /* count values from a to b, both included                */
    MECH_SPREAD_LOG,     /* the same, with equal ratios; a and b above 0           */
    MECH_SPREAD_UNIFORM, /* drawn between a and b                                  */
    MECH_SPREAD_NORMAL   /* drawn with mean a and standard deviation b             */
} mech_spread;

typedef enum mech_sequence {
    MECH_SEQUENCE_RANDOM, /* Philox 4x32-10 by the seed and the number of the sample */
    MECH_SEQUENCE_SOBOL   /* Sobol's points, shifted by the seed; up to 64 names      */
} mech_sequence;

/* The system is borrowed and must outlive the plan. */
MECH_API MECH_MUST_CHECK mech_status mech_plan_create(const mech_system *system, mech_plan **plan);
MECH_API void mech_plan_free(mech_plan *plan);
/* A parameter, or the start of a coordinate x, of its velocity x' or of a state, that `initial` or `guess` of the model
   speaks of. count: of grids. MECH_ERR_ARGUMENT, MECH_ERR_MODEL (a parameter that shapes the model), MECH_ERR_MEMORY:
   mech_plan_error_text says it. */
MECH_API MECH_MUST_CHECK mech_status mech_plan_vary(mech_plan *plan, const char *name, mech_spread spread, double a,
                                                    double b, size_t count);
/* Columns by name, each row is a point: data (rows x columns, by row) is copied. */
MECH_API MECH_MUST_CHECK mech_status mech_plan_table(mech_plan *plan, const char *const *names, size_t columns,
                                                     const double *data, size_t rows);
/* How what is drawn is drawn: so often, at every point of the grids and tables. */
MECH_API MECH_MUST_CHECK mech_status mech_plan_sample(mech_plan *plan, size_t samples, mech_sequence sequence,
                                                      uint64_t seed);
MECH_API const char *mech_plan_error_text(const mech_plan *plan);

/* Grids and tables multiply; the last one given changes fastest, samples fastest of all. 0 while what is drawn has no
   mech_plan_sample. */
MECH_API size_t mech_plan_runs(const mech_plan *plan);
MECH_API size_t mech_plan_columns(const mech_plan *plan);
MECH_API const char *mech_plan_name(const mech_plan *plan, size_t column);
/* How the values of a column are spread; *count: of grids and tables, else the samples. A table's is
   MECH_SPREAD_GRID. */
MECH_API mech_spread mech_plan_spread(const mech_plan *plan, size_t column, size_t *count);
/* The values of a run (columns), from its number alone. */
MECH_API void mech_plan_point(const mech_plan *plan, size_t run, double *values);

/* ---- the runs ---- */

/* Of one run; borrowed until the callback returns. */
#define MECH_ENSEMBLE_RESULT_FIELDS(X)                                                                                 \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(size_t, run, "its number")                                                                                       \
    X(const double *, values, "(columns of the plan)")                                                                 \
    X(const double *, measures, "(measures of the system); NaN where the run failed")                                  \
    X(double, t, "where it ended; NaN: it did not begin")                                                              \
    X(mech_status, status, "MECH_OK, or why it failed")                                                                \
    X(const char *, reason,                                                                                            \
      "in words; \"\"; of a run that went well, what mech_sim_warning says, else \"note: \" and what the "             \
      "account of such a run notes (happenings of the kinds SINGULAR, BEYOND and NOTE)")                               \
    X(const unsigned char *, measure_is_choice,                                                                        \
      "(measures) 1: its value uses multipliers that are not unique, so that it is one choice of many, as "            \
      "mech_sim_measure_is_choice has it; of runs on a card as the model itself starts. 0 where the run "              \
      "failed")
typedef struct mech_ensemble_result {
    MECH_ENSEMBLE_RESULT_FIELDS(MECH_FIELD)
} mech_ensemble_result;

/* What is not 0 ends the ensemble (MECH_ERR_INTERRUPTED). Called by one thread at a time. */
typedef int (*mech_ensemble_done)(void *user, const mech_ensemble_result *result);

/* A run that is over, well or not, as it stands, with its rows. Called by the threads that make the runs, several at a
   time, and with MPI in the process that made it. What is not 0 ends the ensemble. */
typedef int (*mech_ensemble_look)(void *user, size_t run, const mech_sim *sim);

/* Code for whole runs, or NULL: they go without. Called once at most, by the thread that makes the first whole run,
   while others that have one wait. The code must outlive the ensemble, and be the same whenever it is asked for. */
typedef const mech_motion_code *(*mech_ensemble_code)(void *user);

/* What makes the runs. */
typedef enum mech_on {
    MECH_ON_AUTO,    /* the fastest of this machine's that serves the model, by the model alone */
    MECH_ON_LANES,   /* several runs at once on each thread, by the vectors of the processor     */
    MECH_ON_THREADS, /* whole runs, one at a time on each thread: serves every model             */
    MECH_ON_MPI,     /* several processes, on one machine or many                                */
    MECH_ON_CUDA,    /* a graphics card                                                          */
    MECH_ON_COUNT
} mech_on;
MECH_API mech_on mech_on_find(const char *word); /* "auto", "lanes", ...; MECH_ON_COUNT: none */
MECH_API const char *mech_on_word(mech_on on);

typedef struct mech_ensemble_settings {
    size_t size;                            /* set by mech_ensemble_settings_default                            */
    const mech_sim_settings *run;           /* of each run; NULL: what the model says. Rows, columns and callbacks
                                               do not count: no rows are made                                   */
    const mech_motion_code *code;           /* NULL, or code of the system that whole runs use where they can    */
    size_t threads;                         /* 0: as many as there are processors, and twice that for a card; with
                                               MPI: one in each process                                         */
    size_t first, last;                     /* runs from this one on, and before that one; 0: to the end         */
    const volatile sig_atomic_t *interrupt; /* NULL, or what ends it when it is not 0                            */
    mech_ensemble_done on_run;
    void *user;
    mech_on on;  /* default: MECH_ON_AUTO                                             */
    double step; /* above 0: equal steps of about this length, by the classical method of order 4, and no error test;
                    MECH_ON_CUDA alone                                                */
    /* NULL, or who wants whole runs: their rows are kept then, as `run` says. Only MECH_ON_THREADS makes such, which
       MECH_ON_AUTO takes then */
    mech_ensemble_look on_end;
    void *on_end_user;
    mech_ensemble_code make_code; /* NULL, or who makes `code` when it is needed: lanes and cards need none, but for
                                     runs in doubt */
    void *make_code_user;
} mech_ensemble_settings;
MECH_API void mech_ensemble_settings_default(mech_ensemble_settings *settings, size_t size);

typedef struct mech_ensemble_info {
    size_t size;
    size_t threads;
    size_t done, failed; /* runs that were handed out; of them, those that failed */
    mech_on on;          /* what made them                                        */
    size_t handed_on;    /* runs that it began and that were made whole, since it could not go on */
    char why[300];       /* why what was asked for does not serve; "" */
    size_t ranks;        /* processes, each with so many threads; 1: this one */
} mech_ensemble_info;

/* MECH_ON_MPI: this process as one of those that `mpirun` started; from then on until it ends. All of them make the
   same calls; rank 0 gets the runs. part: the path of the part that speaks MPI, mpi.so; $MECH_MPI goes before it, and
   NULL leaves the search to the loader. MPI that the program began itself is used as it is, if it knows threads
   (MPI_THREAD_SERIALIZED). MECH_ERR_UNSUPPORTED: why (size), which may be NULL, says why. */
MECH_API MECH_MUST_CHECK mech_status mech_ensemble_join(const char *part, size_t *rank, size_t *ranks, char *why,
                                                        size_t size);

/* All runs of the plan. MECH_OK also where runs failed: each is a result. MECH_ERR_INTERRUPTED: what was handed out is
   what there is, from `first` on without a gap. MECH_ERR_UNSUPPORTED: `on` does not serve, info->why says why.
   MECH_ERR_ARGUMENT, MECH_ERR_MEMORY. info may be NULL. */
MECH_API MECH_MUST_CHECK mech_status mech_ensemble_run(const mech_plan *plan, const mech_ensemble_settings *settings,
                                                       mech_ensemble_info *info);

#ifdef __cplusplus
}
#endif
#endif
