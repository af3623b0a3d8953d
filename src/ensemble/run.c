/* The runs of a plan: blocks of consecutive runs are dealt out to threads, each with a worker of the backend, and
   handed on in their order. docs/decisions/0029-ensemble.md. */
#include "ensemble/backend.h"

#include "base/mem.h"
#include "base/try.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS_A_THREAD = 4, MOST_THREADS = 1024 };

typedef struct block {
    ensemble_rows rows;
    int is_done;
} block;

typedef struct ensemble {
    ensemble_job job;
    mech_ensemble_settings settings;
    const ensemble_backend *on;
    void *shared;      /* of the backend */
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

/* ---- blocks, under the lock ---- */

static void empty_block(block *b)
{
    for (size_t k = 0; b->rows.reason && k < b->rows.count; k++) {
        mem_free(b->rows.reason[k]);
        b->rows.reason[k] = NULL;
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
        const ensemble_rows *r = &b->rows;
        for (size_t k = 0; k < r->count && e->status == MECH_OK; k++) {
            const mech_ensemble_result result = {.size = sizeof result,
                                                 .run = r->first + k,
                                                 .values = r->values + k * e->job.columns,
                                                 .measures = r->measures + k * e->job.measures,
                                                 .t = r->t[k],
                                                 .status = r->status[k],
                                                 .reason = r->reason[k] ? r->reason[k] : ""};
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
static block *take_block(ensemble *e)
{
    pthread_mutex_lock(&e->lock);
    const size_t all = (e->end - e->first + e->block - 1) / e->block;
    while (e->status == MECH_OK && e->taken < all && e->taken - e->handed >= e->block_count)
        pthread_cond_wait(&e->moved, &e->lock);
    block *b = NULL;
    if (e->status == MECH_OK && e->taken < all) {
        b = &e->blocks[e->taken % e->block_count];
        b->rows.first = e->first + e->taken++ * e->block;
        b->rows.count = e->end - b->rows.first < e->block ? e->end - b->rows.first : e->block;
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

/* ---- a thread ---- */

static mech_status make_block(ensemble *e, void *worker, ensemble_rows *rows)
{
    for (size_t k = 0; k < rows->count; k++)
        mech_plan_point(e->job.plan, rows->first + k, rows->values + k * e->job.columns);
    return e->on->run_block(worker, rows);
}

static void *work(void *of)
{
    ensemble *e = of;
    void *worker = NULL;
    mech_status status = e->on->create(&e->job, e->shared, &worker);
    for (block *b; (b = take_block(e)) != NULL;) {
        if (status == MECH_OK) status = make_block(e, worker, &b->rows);
        give_block(e, b, status);
        if (status != MECH_OK) break;
    }
    if (worker && e->on->handed_on) {
        pthread_mutex_lock(&e->lock);
        e->info.handed_on += e->on->handed_on(worker);
        pthread_mutex_unlock(&e->lock);
    }
    e->on->free(worker);
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

static mech_status make_rows(const ensemble *e, ensemble_rows *r)
{
    r->values = mem_zeroed(e->block * e->job.columns + 1, sizeof(double));
    r->measures = mem_zeroed(e->block * e->job.measures + 1, sizeof(double));
    r->t = mem_zeroed(e->block, sizeof *r->t);
    r->status = mem_zeroed(e->block, sizeof *r->status);
    r->reason = mem_zeroed(e->block, sizeof *r->reason);
    return r->values && r->measures && r->t && r->status && r->reason ? MECH_OK : MECH_ERR_MEMORY;
}

static mech_status allocate(ensemble *e)
{
    e->block_count = e->info.threads * BLOCKS_A_THREAD;
    e->blocks = mem_zeroed(e->block_count, sizeof *e->blocks);
    for (size_t i = 0; e->blocks && i < e->block_count; i++) MECH_TRY(make_rows(e, &e->blocks[i].rows));
    return e->blocks ? MECH_OK : MECH_ERR_MEMORY;
}

static void release(ensemble *e)
{
    for (size_t i = 0; e->blocks && i < e->block_count; i++) {
        const ensemble_rows *r = &e->blocks[i].rows;
        empty_block(&e->blocks[i]);
        void *const all[] = {r->values, r->measures, r->t, r->status, r->reason};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
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
    mech_sim_settings *run = &e->job.run;
    const mech_sim_settings *given = e->settings.run;
    mech_sim_settings_default(run, sizeof *run);
    if (given) memcpy(run, given, given->size < sizeof *run ? given->size : sizeof *run);
    run->size = sizeof *run;
    run->keep_trajectory = run->rows_at_events = 0;
    run->output_points = 2;
    run->output_step = 0;
    run->columns = 0;
    run->on_row = NULL;
    run->on_progress = NULL;
    run->interrupt = e->job.stops = &e->stops;
    run->interrupt_now = e->settings.interrupt;
}

/* Few runs are dealt out in small blocks, so that every thread has some. */
static void size_blocks(ensemble *e, size_t runs)
{
    e->info.threads = thread_count(e->settings.threads, runs);
    if (e->on->most_workers && e->info.threads > e->on->most_workers) e->info.threads = e->on->most_workers;
    e->block = runs / (8 * e->info.threads);
    if (e->block < e->on->least) e->block = e->on->least;
    if (e->block > e->on->most) e->block = e->on->most;
    if (e->block > runs) e->block = runs ? runs : 1;
}

static mech_status run_on(ensemble *e)
{
    MECH_TRY(ensemble_choose(e->settings.on, &e->job, &e->on, &e->shared, e->info.why));
    e->info.on = e->on->on;
    size_blocks(e, e->end - e->first);
    mech_status status = allocate(e);
    if (status == MECH_OK) go(e);
    if (status == MECH_OK) status = e->status;
    release(e);
    e->on->end(e->shared);
    return status;
}

mech_status mech_ensemble_run(const mech_plan *plan, const mech_ensemble_settings *settings, mech_ensemble_info *info)
{
    if (!plan || !settings || settings->size == 0) return MECH_ERR_ARGUMENT;
    ensemble e = {.job.plan = plan, .info.size = sizeof e.info};
    memcpy(&e.settings, settings, settings->size < sizeof e.settings ? settings->size : sizeof e.settings);
    e.job.code = e.settings.code;
    e.job.columns = plan->column_count;
    e.job.measures = mech_system_sizes(plan->system).measures;
    e.first = e.settings.first;
    e.end = mech_plan_runs(plan);
    if (e.settings.last && e.settings.last < e.end) e.end = e.settings.last;
    if (e.end == 0 || e.first > e.end || (unsigned)e.settings.on >= MECH_ON_COUNT) return MECH_ERR_ARGUMENT;
    set_up_runs(&e);
    const mech_status status = run_on(&e);
    if (info) *info = e.info;
    return status;
}
