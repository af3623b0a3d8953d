/* The runs of a plan: blocks of consecutive runs are dealt out to threads, each with a worker of the backend, and
   handed on in their order. docs/decisions/0029-ensemble.md. */
#include "ensemble/backend.h"
#include "ensemble/ranks.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/text.h"
#include "base/system.h"
#include "base/try.h"
#include "system/visit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS_A_THREAD = 4, MOST_THREADS = 1024 };

typedef struct block {
    ensemble_rows rows; /* first: a block is found by them */
    int is_done;
} block;

typedef struct ensemble {
    ensemble_job job;
    ensemble_native native;
    mech_ensemble_settings settings;
    const ensemble_backend *on;
    void *shared;       /* of the backend */
    size_t first, end;  /* runs */
    size_t rank, ranks; /* of processes; 0 and 1 where there is one */
    size_t block;       /* so many follow one another: few where there are few, so that no thread waits */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    /* under the lock */
    block *blocks; /* a ring */
    size_t block_count;
    size_t taken, handed;        /* blocks, since the beginning */
    int code;                    /* ensemble_code_kind of all ranks; 0: none has made a whole run */
    mech_status status;          /* MECH_OK, or what ended it   */
    volatile sig_atomic_t stops; /* the same, for the runs      */
    mech_ensemble_info info;
} ensemble;

void mech_ensemble_settings_default(mech_ensemble_settings *settings, size_t size)
{
    const mech_ensemble_settings defaults = {0};
    options_default(settings, size, &defaults, sizeof defaults);
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
    __atomic_store_n(&e->stops, 1, __ATOMIC_RELAXED);
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
                                                 .reason = r->reason[k] ? r->reason[k] : "",
                                                 .measure_is_choice = r->is_choice + k * e->job.measures};
            e->info.done++;
            e->info.failed += result.status != MECH_OK;
            if (e->settings.on_run && e->settings.on_run(e->settings.user, &result) != 0)
                end_with(e, MECH_ERR_INTERRUPTED);
        }
        empty_block(b);
        pthread_cond_broadcast(&e->moved);
    }
}

static size_t blocks_left(const ensemble *e) { return (e->end - e->first + e->block - 1) / e->block - e->taken; }

/* Whether there is another block, now or later. */
static int has_more(const ensemble *e) { return e->status == MECH_OK && blocks_left(e) > 0; }

static int has_room(const ensemble *e) { return e->taken - e->handed < e->block_count; }

static block *next_block(ensemble *e)
{
    block *b = &e->blocks[e->taken % e->block_count];
    b->rows.first = e->first + e->taken++ * e->block;
    b->rows.count = e->end - b->rows.first < e->block ? e->end - b->rows.first : e->block;
    return b;
}

/* The next block of runs, or NULL: there is none, or it is over. */
static block *take_block(ensemble *e)
{
    pthread_mutex_lock(&e->lock);
    while (has_more(e) && !has_room(e)) pthread_cond_wait(&e->moved, &e->lock);
    block *b = has_more(e) ? next_block(e) : NULL;
    pthread_mutex_unlock(&e->lock);
    return b;
}

/* A machine without the compiler of the others would give other last digits. */
static void compare_code(ensemble *e, int code)
{
    if (e->code == 0) e->code = code;
    if (code == 0 || code == e->code || e->status != MECH_OK) return;
    snprintf(e->info.why, sizeof e->info.why,
             "ranks make whole runs by different code: all need the same --native, and a compiler or none");
    end_with(e, MECH_ERR_UNSUPPORTED);
}

static void give_block(ensemble *e, block *b, mech_status status, int code)
{
    pthread_mutex_lock(&e->lock);
    if (status == MECH_OK) compare_code(e, code);
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
    memset(rows->is_choice, 0, rows->count * e->job.measures);
    return e->on->run_block(worker, rows);
}

static void *work(void *of)
{
    ensemble *e = of;
    void *worker = NULL;
    mech_status status = MECH_OK;
    for (block *b; (b = take_block(e)) != NULL;) {
        if (!worker) status = e->on->create(&e->job, e->shared, &worker);
        if (status == MECH_OK) status = make_block(e, worker, &b->rows);
        give_block(e, b, status, ensemble_code_kind(&e->job));
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

/* ---- several processes ---- */

/* The last blocks go to those that have none, so that all end together. */
static int take_for_another(void *of, size_t has, ensemble_rows **rows)
{
    ensemble *e = of;
    pthread_mutex_lock(&e->lock);
    if (e->settings.interrupt && *e->settings.interrupt) end_with(e, MECH_ERR_INTERRUPTED);
    const int answer = !has_more(e) ? -1 : has_room(e) && (!has || blocks_left(e) > e->ranks * e->info.threads);
    if (answer == 1) *rows = &next_block(e)->rows;
    pthread_mutex_unlock(&e->lock);
    return answer;
}

static void give_for_another(void *of, ensemble_rows *rows, mech_status status, int code)
{
    give_block(of, (block *)rows, status, code);
}

static void refuse_another(void *of, const char *why)
{
    ensemble *e = of;
    pthread_mutex_lock(&e->lock);
    if (e->status == MECH_OK) snprintf(e->info.why, sizeof e->info.why, "%s", why);
    end_with(e, MECH_ERR_UNSUPPORTED);
    pthread_mutex_unlock(&e->lock);
}

/* A number for all that decides what the runs give: processes that differ in it must not work together. Code for whole
   runs is not in it: that is told when it is made. */
static mech_status identity(const ensemble *e, uint64_t *sum)
{
    const mech_sim_settings *run = &e->job.run;
    const double numbers[] = {run->from,           run->until,
                              run->rtol,           run->atol,
                              run->max_step,       run->first_step,
                              run->projection_tol, run->rank_tol,
                              run->event_tol,      run->impact_speed,
                              run->resolution,     (double)run->method,
                              (double)run->start,  (double)run->stabilize};
    double *values = mem_zeroed(e->job.columns + 1, sizeof *values);
    mech_sim *sim = NULL;
    textbuf text = {0};
    mech_status status = values ? ensemble_make_sim(&e->job, NULL, &sim) : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        text_format(&text, "%s %s %zu runs\n", mech_version(), mech_on_word(e->on->on), mech_plan_runs(e->job.plan));
        system_identity(mech_sim_eval(sim), &text);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) text_add_double(&text, numbers[k]);
        for (size_t i = 0; i < e->job.columns; i++) text_format(&text, "%s\n", mech_plan_name(e->job.plan, i));
        *sum = state_sum(STATE_SUM, text.data, text.length);
        for (size_t k = 0; k < 3; k++) { /* the first, the last, and one between */
            mech_plan_point(e->job.plan, k * ((mech_plan_runs(e->job.plan) - 1) / 2), values);
            *sum = state_sum(*sum, values, e->job.columns * sizeof *values);
        }
        if (text.failed) status = MECH_ERR_MEMORY;
    }
    mech_sim_free(sim);
    text_free(&text);
    mem_free(values);
    return status;
}

typedef struct other { /* a worker of another rank */
    const ensemble *e;
    uint64_t identity;
    size_t number;
    mech_status status;
} other;

static void *work_for_another(void *of)
{
    other *o = of;
    o->status = ranks_work(&o->e->job, o->e->on, o->e->shared, o->identity, o->number);
    return NULL;
}

/* Threads that cannot be had are done without: their work is asked for when the others are through. */
static mech_status be_another(const ensemble *e, uint64_t sum)
{
    pthread_t threads[MOST_THREADS];
    other *others = mem_zeroed(e->info.threads, sizeof *others), spare;
    size_t count = 0;
    mech_status status = MECH_OK;
    for (size_t i = 0; others && i < e->info.threads; i++) others[i] = (other){e, sum, i, MECH_OK};
    while (others && count + 1 < e->info.threads &&
           pthread_create(&threads[count], NULL, work_for_another, &others[count]) == 0)
        count++;
    for (size_t i = count; i < e->info.threads; i++) {
        spare = (other){e, sum, i, MECH_OK};
        (void)work_for_another(&spare);
        if (status == MECH_OK) status = spare.status;
    }
    for (size_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        if (status == MECH_OK) status = others[i].status;
    }
    mem_free(others);
    return status;
}

/* ---- the ensemble ---- */

static size_t thread_count(const ensemble *e, size_t runs)
{
    size_t count = e->settings.threads ? e->settings.threads : system_processors() * (e->on->waits ? 2 : 1);
    if (count > MOST_THREADS) count = MOST_THREADS;
    return count > runs ? runs ? runs : 1 : count;
}

static mech_status make_rows(const ensemble *e, ensemble_rows *r)
{
    r->values = mem_zeroed(e->block * e->job.columns + 1, sizeof(double));
    r->measures = mem_zeroed(e->block * e->job.measures + 1, sizeof(double));
    r->is_choice = mem_zeroed(e->block * e->job.measures + 1, 1);
    r->t = mem_zeroed(e->block, sizeof *r->t);
    r->status = mem_zeroed(e->block, sizeof *r->status);
    r->reason = mem_zeroed(e->block, sizeof *r->reason);
    return r->values && r->measures && r->is_choice && r->t && r->status && r->reason ? MECH_OK : MECH_ERR_MEMORY;
}

static mech_status allocate(ensemble *e)
{
    e->block_count = e->ranks * e->info.threads * BLOCKS_A_THREAD;
    e->blocks = mem_zeroed(e->block_count, sizeof *e->blocks);
    for (size_t i = 0; e->blocks && i < e->block_count; i++) MECH_TRY(make_rows(e, &e->blocks[i].rows));
    return e->blocks ? MECH_OK : MECH_ERR_MEMORY;
}

static void release(ensemble *e)
{
    for (size_t i = 0; e->blocks && i < e->block_count; i++) {
        const ensemble_rows *r = &e->blocks[i].rows;
        empty_block(&e->blocks[i]);
        void *const all[] = {r->values, r->measures, r->is_choice, r->t, r->status, r->reason};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    }
    mem_free(e->blocks);
}

/* Threads that cannot be had are done without; the caller's is one of them. With other processes it deals out. */
static void go(ensemble *e, uint64_t sum)
{
    pthread_t threads[MOST_THREADS];
    size_t count = 0;
    const size_t own = e->ranks > 1 ? 0 : 1;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->moved, NULL);
    while (count + own < e->info.threads && pthread_create(&threads[count], NULL, work, e) == 0) count++;
    if (own) (void)work(e);
    else {
        ranks_dealer dealer = {.of = e,
                               .workers = e->info.threads,
                               .identity = sum,
                               .take = take_for_another,
                               .give = give_for_another,
                               .refuse = refuse_another};
        ranks_deal(&dealer, &e->job);
        e->info.handed_on += dealer.handed_on;
    }
    for (size_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
    if (own) e->info.threads = count + 1;
    pthread_cond_destroy(&e->moved);
    pthread_mutex_destroy(&e->lock);
}

static mech_status set_up_runs(ensemble *e)
{
    mech_sim_settings *run = &e->job.run;
    mech_sim_settings_default(run, sizeof *run);
    if (options_take(run, sizeof *run, e->settings.run) != MECH_OK) {
        snprintf(e->info.why, sizeof e->info.why, "%s", OPTIONS_UNSIZED);
        return MECH_ERR_ARGUMENT;
    }
    e->job.on_end = e->settings.on_end;
    e->job.on_end_user = e->settings.on_end_user;
    run->keep_trajectory = run->rows_at_events = e->job.on_end != NULL;
    if (!e->job.on_end) {
        run->output_points = 2;
        run->output_step = 0;
        run->columns = 0;
    }
    run->on_row = NULL;
    run->on_progress = NULL;
    run->interrupt = e->job.stops = &e->stops;
    run->interrupt_now = e->settings.interrupt;
    return MECH_OK;
}

/* Few runs are dealt out in small blocks, so that every thread has some. */
static void size_blocks(ensemble *e, size_t runs)
{
    e->info.threads = thread_count(e, runs);
    if (e->on->most_workers && e->info.threads > e->on->most_workers) e->info.threads = e->on->most_workers;
    e->block = runs / (8 * e->ranks * e->info.threads);
    if (e->block < e->on->least) e->block = e->on->least;
    if (e->block > e->on->most) e->block = e->on->most;
    if (e->block > runs) e->block = runs ? runs : 1;
}

/* The backend of this process; of MPI's, that which the model asks for by itself. */
static mech_status choose(ensemble *e)
{
    const int is_mpi = e->settings.on == MECH_ON_MPI;
    mech_on on = is_mpi ? MECH_ON_AUTO : e->settings.on;
    if (e->job.on_end && on == MECH_ON_AUTO) on = MECH_ON_THREADS;
    if (e->job.on_end && on != MECH_ON_THREADS) {
        snprintf(e->info.why, sizeof e->info.why, "whole runs, with their rows, are made by threads alone");
        return MECH_ERR_UNSUPPORTED;
    }
    if (is_mpi) MECH_TRY(ranks_join(&e->rank, &e->ranks, e->info.why));
    if (is_mpi && e->settings.threads == 0) e->settings.threads = 1;
    e->info.ranks = e->ranks;
    MECH_TRY(ensemble_choose(on, &e->job, &e->on, &e->shared, e->info.why));
    e->info.on = e->on->on;
    return MECH_OK;
}

static mech_status run_on(ensemble *e)
{
    uint64_t sum = 0;
    MECH_TRY(choose(e));
    size_blocks(e, e->end - e->first);
    mech_status status = e->ranks > 1 ? identity(e, &sum) : MECH_OK;
    if (e->rank > 0) status = be_another(e, sum); /* one without an identity is refused by rank 0 */
    else {
        if (status == MECH_OK) status = allocate(e);
        if (status == MECH_OK) go(e, sum);
        else if (e->ranks > 1) ranks_dismiss(e->info.threads);
        if (status == MECH_OK) status = e->status;
        release(e);
    }
    if (status == MECH_ERR_UNSUPPORTED && e->on->explain)
        snprintf(e->info.why, sizeof e->info.why, "%s", e->on->explain(e->shared));
    e->on->end(e->shared);
    return status;
}

mech_status mech_ensemble_run(const mech_plan *plan, const mech_ensemble_settings *settings, mech_ensemble_info *info)
{
    if (!plan || !settings) return MECH_ERR_ARGUMENT;
    ensemble e = {.job.plan = plan, .ranks = 1, .info.size = sizeof e.info, .info.ranks = 1};
    mech_ensemble_settings_default(&e.settings, sizeof e.settings);
    MECH_TRY(options_take(&e.settings, sizeof e.settings, settings));
    e.native =
        (ensemble_native){.make = e.settings.make_code, .user = e.settings.make_code_user, .code = e.settings.code};
    e.job.native = &e.native;
    e.job.step = e.settings.step;
    e.job.columns = plan->column_count;
    e.job.measures = mech_system_sizes(plan->system).measures;
    e.first = e.settings.first;
    e.end = mech_plan_runs(plan);
    if (e.settings.last && e.settings.last < e.end) e.end = e.settings.last;
    if (e.end == 0 || e.first > e.end || (unsigned)e.settings.on >= MECH_ON_COUNT || !(e.settings.step >= 0))
        return MECH_ERR_ARGUMENT;
    mech_status status = set_up_runs(&e);
    if (status == MECH_OK) {
        pthread_mutex_init(&e.native.lock, NULL);
        status = run_on(&e);
        pthread_mutex_destroy(&e.native.lock);
    }
    if (info) *info = e.info;
    return status;
}
