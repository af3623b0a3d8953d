/* The runs of a plan, by threads. Each has its own run object, reset from run to run; blocks of consecutive runs are
   dealt out, and handed on in their order. docs/decisions/0029-ensemble.md. */
#include "ensemble/plan.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { MOST_IN_BLOCK = 16, BLOCKS_A_THREAD = 4, MOST_THREADS = 1024 };

typedef struct block { /* of runs that follow one another */
    double *values;    /* (MOST_IN_BLOCK x columns)              */
    double *measures;  /* (MOST_IN_BLOCK x measures)             */
    double t[MOST_IN_BLOCK];
    mech_status status[MOST_IN_BLOCK];
    char *reason[MOST_IN_BLOCK]; /* or NULL */
    size_t count;
    int is_done;
} block;

typedef struct ensemble {
    const mech_plan *plan;
    mech_ensemble_settings settings;
    mech_sim_settings run;
    size_t columns, measures;
    size_t first, end; /* runs */
    size_t block;      /* so many follow one another: few where there are few, so that no thread waits */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    /* under the lock */
    block *blocks; /* a ring */
    size_t block_count;
    size_t taken, handed;        /* blocks, since the beginning */
    mech_status status;          /* MECH_OK, or what ended it   */
    volatile sig_atomic_t stops; /* the same, for the runs      */
    mech_ensemble_info info;
} ensemble;

void mech_ensemble_settings_default(mech_ensemble_settings *settings, size_t size)
{
    memset(settings, 0, size);
    settings->size = size;
}

/* ---- one run ---- */

/* What varies, into a run before its start. */
static mech_status set_values(const mech_plan *plan, mech_sim *sim, const double *values)
{
    mech_eval *eval = mech_sim_eval(sim);
    for (size_t i = 0; i < plan->column_count; i++) {
        const plan_column *c = &plan->columns[i];
        MECH_TRY(c->param != SIZE_MAX ? mech_eval_set_param_at(eval, c->param, values[i])
                                      : mech_eval_set_initial(eval, c->target, values[i]));
    }
    return MECH_OK;
}

/* MECH_ERR_MEMORY, MECH_ERR_INTERRUPTED: it is no result, and ends the ensemble. */
static mech_status make_run(ensemble *e, mech_sim *sim, size_t run, block *b, size_t k)
{
    double *values = b->values + k * e->columns, *measures = b->measures + k * e->measures;
    mech_plan_point(e->plan, run, values);
    MECH_TRY(mech_sim_reset(sim));
    mech_status status = set_values(e->plan, sim, values);
    if (status == MECH_OK) status = mech_sim_run(sim);
    if (status == MECH_ERR_MEMORY || status == MECH_ERR_INTERRUPTED) return status;
    const char *words = status == MECH_OK ? mech_sim_warning(sim) : mech_sim_error_text(sim);
    if (status != MECH_OK && !*words) words = mech_status_text(status);
    for (size_t i = 0; i < e->measures; i++) measures[i] = status == MECH_OK ? mech_sim_measure(sim, i) : (double)NAN;
    b->t[k] = mech_sim_has_started(sim) ? mech_sim_time(sim) : (double)NAN;
    b->status[k] = status;
    b->reason[k] = *words ? mem_text(words, strlen(words)) : NULL;
    return *words && !b->reason[k] ? MECH_ERR_MEMORY : MECH_OK;
}

/* ---- blocks, under the lock ---- */

static void empty_block(block *b)
{
    for (size_t k = 0; k < MOST_IN_BLOCK; k++) {
        mem_free(b->reason[k]);
        b->reason[k] = NULL;
    }
    b->is_done = 0;
}

static void end_with(ensemble *e, mech_status status)
{
    if (e->status == MECH_OK) e->status = status;
    e->stops = 1;
    pthread_cond_broadcast(&e->moved);
}

/* Those that are done and whose turn it is, to the caller. */
static void hand_out(ensemble *e)
{
    for (block *b; (b = &e->blocks[e->handed % e->block_count])->is_done && e->status == MECH_OK; e->handed++) {
        const size_t run = e->first + e->handed * e->block;
        for (size_t k = 0; k < b->count && e->status == MECH_OK; k++) {
            const mech_ensemble_result result = {.size = sizeof result,
                                                 .run = run + k,
                                                 .values = b->values + k * e->columns,
                                                 .measures = b->measures + k * e->measures,
                                                 .t = b->t[k],
                                                 .status = b->status[k],
                                                 .reason = b->reason[k] ? b->reason[k] : ""};
            e->info.done++;
            e->info.failed += result.status != MECH_OK;
            if (e->settings.on_run && e->settings.on_run(e->settings.user, &result) != 0)
                end_with(e, MECH_ERR_INTERRUPTED);
        }
        empty_block(b);
        pthread_cond_broadcast(&e->moved);
    }
}

/* The next block of runs, or NULL: there is none, or it is over. */
static block *take_block(ensemble *e, size_t *first)
{
    pthread_mutex_lock(&e->lock);
    const size_t all = (e->end - e->first + e->block - 1) / e->block;
    while (e->status == MECH_OK && e->taken < all && e->taken - e->handed >= e->block_count)
        pthread_cond_wait(&e->moved, &e->lock);
    block *b = NULL;
    if (e->status == MECH_OK && e->taken < all) {
        b = &e->blocks[e->taken % e->block_count];
        *first = e->first + e->taken++ * e->block;
        b->count = e->end - *first < e->block ? e->end - *first : e->block;
    }
    pthread_mutex_unlock(&e->lock);
    return b;
}

static void give_block(ensemble *e, block *b, mech_status status)
{
    pthread_mutex_lock(&e->lock);
    b->is_done = status == MECH_OK;
    if (status != MECH_OK) end_with(e, status);
    hand_out(e);
    pthread_mutex_unlock(&e->lock);
}

static int is_interrupted(const ensemble *e)
{
    return e->stops || (e->settings.interrupt && *e->settings.interrupt != 0);
}

/* ---- a thread ---- */

static void *work(void *of)
{
    ensemble *e = of;
    mech_sim *sim = NULL;
    size_t first = 0;
    mech_status status = mech_sim_create(e->plan->system, &e->run, &sim);
    if (status == MECH_OK && e->settings.code) {
        status = mech_sim_use_motion(sim, e->settings.code);
        if (status == MECH_ERR_UNSUPPORTED) status = MECH_OK; /* it goes without */
    }
    for (block *b; (b = take_block(e, &first)) != NULL;) {
        for (size_t k = 0; k < b->count && status == MECH_OK; k++) {
            status = is_interrupted(e) ? MECH_ERR_INTERRUPTED : make_run(e, sim, first + k, b, k);
        }
        give_block(e, b, status);
        if (status != MECH_OK) break;
    }
    mech_sim_free(sim);
    return NULL;
}

/* ---- the ensemble ---- */

static size_t thread_count(size_t wanted, size_t runs)
{
    const long processors = wanted ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = wanted ? wanted : processors > 0 ? (size_t)processors : 1;
    if (count > MOST_THREADS) count = MOST_THREADS;
    return count > runs ? runs ? runs : 1 : count;
}

static mech_status allocate(ensemble *e)
{
    e->block_count = e->info.threads * BLOCKS_A_THREAD;
    e->blocks = mem_zeroed(e->block_count, sizeof *e->blocks);
    for (size_t i = 0; e->blocks && i < e->block_count; i++) {
        e->blocks[i].values = mem_zeroed(MOST_IN_BLOCK * e->columns + 1, sizeof(double));
        e->blocks[i].measures = mem_zeroed(MOST_IN_BLOCK * e->measures + 1, sizeof(double));
        if (!e->blocks[i].values || !e->blocks[i].measures) return MECH_ERR_MEMORY;
    }
    return e->blocks ? MECH_OK : MECH_ERR_MEMORY;
}

static void release(ensemble *e)
{
    for (size_t i = 0; e->blocks && i < e->block_count; i++) {
        empty_block(&e->blocks[i]);
        mem_free(e->blocks[i].values);
        mem_free(e->blocks[i].measures);
    }
    mem_free(e->blocks);
}

/* Threads that cannot be had are done without; the caller's is one of them. */
static void go(ensemble *e)
{
    pthread_t threads[MOST_THREADS];
    size_t count = 0;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->moved, NULL);
    while (count + 1 < e->info.threads && pthread_create(&threads[count], NULL, work, e) == 0) count++;
    (void)work(e);
    for (size_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
    e->info.threads = count + 1;
    pthread_cond_destroy(&e->moved);
    pthread_mutex_destroy(&e->lock);
}

static void set_up_runs(ensemble *e)
{
    mech_sim_settings_default(&e->run, sizeof e->run);
    const mech_sim_settings *given = e->settings.run;
    if (given) memcpy(&e->run, given, given->size < sizeof e->run ? given->size : sizeof e->run);
    e->run.size = sizeof e->run;
    e->run.keep_trajectory = e->run.rows_at_events = 0;
    e->run.output_points = 2;
    e->run.output_step = 0;
    e->run.columns = 0;
    e->run.on_row = NULL;
    e->run.on_progress = NULL;
    e->run.interrupt = &e->stops;
    e->run.interrupt_now = e->settings.interrupt;
}

mech_status mech_ensemble_run(const mech_plan *plan, const mech_ensemble_settings *settings, mech_ensemble_info *info)
{
    if (!plan || !settings || settings->size == 0) return MECH_ERR_ARGUMENT;
    ensemble e = {.plan = plan, .info.size = sizeof e.info};
    memcpy(&e.settings, settings, settings->size < sizeof e.settings ? settings->size : sizeof e.settings);
    e.columns = plan->column_count;
    e.measures = mech_system_sizes(plan->system).measures;
    e.first = e.settings.first;
    e.end = mech_plan_runs(plan);
    if (e.settings.last && e.settings.last < e.end) e.end = e.settings.last;
    if (e.end == 0 || e.first > e.end) return MECH_ERR_ARGUMENT;
    set_up_runs(&e);
    const size_t runs = e.end - e.first;
    e.info.threads = thread_count(e.settings.threads, runs);
    e.block = runs / (8 * e.info.threads);
    if (e.block < 1) e.block = 1;
    if (e.block > MOST_IN_BLOCK) e.block = MOST_IN_BLOCK;
    mech_status status = allocate(&e);
    if (status == MECH_OK) go(&e);
    if (status == MECH_OK) status = e.status;
    release(&e);
    if (info) *info = e.info;
    return status;
}
