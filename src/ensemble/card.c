/* Runs on a card: each thread of the host starts the runs of its block, sends them, waits, and makes those whole that
   the card was in doubt about. While one waits, others start theirs. docs/decisions/0034-cuda.md. */
#include "ensemble/card.h"
#include "ensemble/backend.h"

#include "base/mem.h"
#include "base/try.h"
#include "motion/motion.h"
#include "simulate/settings.h"
#include "simulate/sim.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LEAST_RUNS = 1024, MOST_RUNS = 16384, MOST_STEPS = 200000 };

typedef struct shared {
    const card_kind *kind;
    void *program;
    int is_fixed;
    int may_begin_as_written; /* the card sees whether that is on the constraints */
    unsigned char *is_choice; /* (measures) of the model's own run, near its start */
    pthread_mutex_t lock;
    char why[CARD_REASON]; /* under the lock: what the card failed of first */
} shared;

typedef struct worker {
    const ensemble_job *job;
    shared *on;
    mech_sim *sim;   /* of starts that are assembled    */
    mech_eval *eval; /* of starts as they are written   */
    mech_sim *whole; /* of runs in doubt; NULL: none was */
    void *line;
    size_t rows, handed_on;
    double *start, *measures, *ended; /* (rows x MOST_RUNS), (measures x MOST_RUNS), (MOST_RUNS) */
    int *states;
    unsigned *steps;
    uint32_t *moved; /* (MOST_RUNS)     */
    double *written; /* (2n + states)   */
} worker;

/* ---- what workers share ---- */

static void end(void *of)
{
    shared *s = of;
    if (!s) return;
    if (s->program) s->kind->unload(s->program);
    pthread_mutex_destroy(&s->lock);
    mem_free(s->is_choice);
    mem_free(s);
}

static int projects(const ensemble_job *job)
{
    const int way = job->run.stabilize < 0 ? (int)mech_system_stabilize(job->plan->system) : job->run.stabilize;
    return way == MECH_STABILIZE_PROJECT;
}

/* Do `initial` and `guess` speak of coordinates, velocities and states alone? */
static int has_plain_start(const mech_system *s)
{
    for (size_t k = 0; k < s->sizes.targets; k++)
        if (mech_system_target(s, k).variable == MECH_VARIABLE_EXPRESSION) return 0;
    return 1;
}

/* Which measures use multipliers that are not unique, which a card does not see: judged once, on the model's own run a
   little way from its start. Runs in which others depend on one another are in doubt, and made whole. */
static void look_at_choices(const ensemble_job *job, shared *s, mech_sim *sim)
{
    enum { PARTS = 100 };
    const double t = mech_sim_time(sim), until = sim->settings.until;
    const mech_status status = mech_sim_advance(sim, t + (until - t) / PARTS);
    (void)status; /* how far runs get is theirs to say */
    for (size_t k = 0; k < job->measures; k++) s->is_choice[k] = mech_sim_measure_is_choice(sim, k) != 0;
}

/* A card looks at measures at a few points of each step, and halves stretches where these do not tell. What is much
   narrower than a step falls between them: whether there is such a thing is judged once, along the model's own run. */
static mech_status look_at_measures(mech_sim *sim, char why[CARD_REASON])
{
    if (!sim->measures.swift || !isfinite(sim->settings.until)) return MECH_OK;
    const mech_status status = mech_sim_advance(sim, sim->settings.until);
    (void)status;
    if (!sim->measures.narrow) return MECH_OK;
    snprintf(why, CARD_REASON,
             "a measure changes within a small part of a step, which a card may miss: --on auto looks closer");
    return MECH_ERR_UNSUPPORTED;
}

/* Rows that depend on others where the model itself starts: taken out and watched, as native code has it. A model whose
   own start is moved onto the constraints has others that are: they need not be tried as they are written. */
static mech_status look_at_start(const ensemble_job *job, shared *s, mech_motion_code **code, char why[CARD_REASON])
{
    mech_motion_settings settings;
    mech_sim *sim = NULL;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_OFF;
    MECH_TRY(mech_sim_create(job->plan->system, &job->run, &sim));
    if (mech_sim_start(sim) == MECH_OK) {
        settings.t = mech_sim_time(sim);
        settings.q = mech_sim_q(sim);
        settings.v = mech_sim_v(sim);
        settings.z = mech_sim_states(sim);
        if (mech_assembly_move_count(sim->assembly) > 0) s->may_begin_as_written = 0;
    }
    mech_status status = mech_motion_code_create(job->plan->system, &settings, code);
    if (status == MECH_OK && mech_sim_has_started(sim)) {
        look_at_choices(job, s, sim);
        status = look_at_measures(sim, why);
        if (status != MECH_OK) mech_motion_code_free(*code);
    }
    mech_sim_free(sim);
    return status;
}

static mech_status make_program(const ensemble_job *job, shared *s, char why[CARD_REASON])
{
    mech_motion_code *code = NULL;
    MECH_TRY(look_at_start(job, s, &code, why));
    card_source source = {
        .system = job->plan->system, .monitored = code->monitored, .projects = projects(job), .is_fixed = s->is_fixed};
    mech_status status = card_source_make(&source);
    mech_motion_code_free(code);
    if (status == MECH_ERR_LIMIT)
        snprintf(why, CARD_REASON, "its equations are more than %d statements, which take minutes to compile",
                 (int)CARD_MOST_STATEMENTS);
    if (status == MECH_ERR_LIMIT) return MECH_ERR_UNSUPPORTED;
    MECH_TRY(status);
    status = s->kind->load(source.text.data, source.text.length, &s->program, why);
    text_free(&source.text);
    return status;
}

mech_status card_begin(const card_kind *kind, const ensemble_job *job, void **result, char why[CARD_REASON])
{
    *result = NULL;
    if (!card_serves(job->plan->system, &job->run, why)) return MECH_ERR_UNSUPPORTED;
    shared *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    pthread_mutex_init(&s->lock, NULL);
    s->kind = kind;
    s->is_fixed = job->step > 0;
    s->may_begin_as_written = has_plain_start(job->plan->system) && (projects(job) || !job->plan->system->sizes.rows);
    s->is_choice = mem_zeroed(job->measures + 1, 1);
    const mech_status status = s->is_choice ? make_program(job, s, why) : MECH_ERR_MEMORY;
    if (status == MECH_OK) *result = s;
    else end(s);
    return status;
}

static mech_status begin(const ensemble_job *job, void **result, char why[ENSEMBLE_WHY_SIZE])
{
    return card_begin(&card_cuda, job, result, why);
}

static const char *explain(const void *of) { return ((const shared *)of)->why; }

/* ---- a worker ---- */

static void free_worker(void *of)
{
    worker *w = of;
    if (!w) return;
    if (w->line) w->on->kind->close(w->line);
    mech_sim_free(w->sim);
    mech_sim_free(w->whole);
    mech_eval_free(w->eval);
    void *const all[] = {w->start, w->measures, w->ended, w->states, w->steps, w->moved, w->written};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    mem_free(w);
}

/* The first trouble is the one that is told; the sweep ends, and what was handed out stays. */
static mech_status told(worker *w, mech_status status, const char *why)
{
    if (status != MECH_ERR_UNSUPPORTED) return status;
    pthread_mutex_lock(&w->on->lock);
    if (!w->on->why[0]) snprintf(w->on->why, CARD_REASON, "%s", why);
    pthread_mutex_unlock(&w->on->lock);
    return MECH_ERR_UNSUPPORTED;
}

static mech_status set_up(worker *w)
{
    const mech_sizes k = mech_system_sizes(w->job->plan->system);
    char why[CARD_REASON] = "";
    w->rows = CARD_SETTINGS + k.params + 2 * k.coords + k.states;
    w->start = mem_zeroed(w->rows * MOST_RUNS, sizeof *w->start);
    w->measures = mem_zeroed(k.measures * MOST_RUNS + 1, sizeof *w->measures);
    w->ended = mem_zeroed(MOST_RUNS, sizeof *w->ended);
    w->states = mem_zeroed(MOST_RUNS, sizeof *w->states);
    w->steps = mem_zeroed(MOST_RUNS, sizeof *w->steps);
    w->moved = mem_zeroed(MOST_RUNS, sizeof *w->moved);
    w->written = mem_zeroed(2 * k.coords + k.states + 1, sizeof *w->written);
    if (!w->start || !w->measures || !w->ended || !w->states || !w->steps || !w->moved || !w->written)
        return MECH_ERR_MEMORY;
    MECH_TRY(ensemble_make_sim(w->job, NULL, &w->sim));
    MECH_TRY(mech_eval_create(w->job->plan->system, MECH_STORAGE_SPARSE, &w->eval));
    const card_shape shape = {.runs = MOST_RUNS, .rows = w->rows, .measures = k.measures};
    return told(w, w->on->kind->open(w->on->program, &shape, &w->line, why), why);
}

static mech_status create(const ensemble_job *job, void *of, void **result)
{
    worker *w = mem_zeroed(1, sizeof *w);
    if (!w) return MECH_ERR_MEMORY;
    w->job = job;
    w->on = of;
    *result = w;
    return set_up(w);
}

/* ---- a block ---- */

typedef struct begun { /* a run that has a start */
    const mech_sim_settings *settings;
    const double *p, *q, *v, *z;
    int is_as_written;
} begun;

/* Into column k of `count`. */
static void put(worker *w, size_t count, size_t k, const begun *b)
{
    const mech_sim_settings *s = b->settings;
    const mech_sizes *sizes = &w->job->plan->system->sizes;
    const double settings[CARD_SETTINGS] = {[CARD_FROM] = s->from,
                                            [CARD_UNTIL] = s->until,
                                            [CARD_RTOL] = s->rtol,
                                            [CARD_ATOL] = s->atol,
                                            [CARD_MAX_STEP] = s->max_step,
                                            [CARD_FIRST_STEP] = s->first_step,
                                            [CARD_AS_WRITTEN] = b->is_as_written};
    double *to = w->start + k;
    for (size_t i = 0; i < CARD_SETTINGS; i++, to += count) *to = settings[i];
    for (size_t i = 0; i < sizes->params; i++, to += count) *to = b->p[i];
    for (size_t i = 0; i < sizes->coords; i++, to += count) *to = b->q[i];
    for (size_t i = 0; i < sizes->coords; i++, to += count) *to = b->v[i];
    for (size_t i = 0; i < sizes->states; i++, to += count) *to = b->z[i];
}

/* The start as the model writes it, which the card finds on the constraints or not. 0: it is to be assembled. */
static int begin_as_written(worker *w, const ensemble_rows *rows, size_t k)
{
    const ensemble_job *job = w->job;
    const size_t n = job->plan->system->sizes.coords;
    double *q = w->written, *v = q + n, *z = v + n;
    mech_sim_settings settings = job->run;
    char why[CARD_REASON];
    if (!w->on->may_begin_as_written ||
        ensemble_set_values(job->plan, w->eval, rows->values + k * job->columns) != MECH_OK)
        return 0;
    settings_resolve(&settings, w->eval, job->plan->system);
    if (settings_check(&settings, 1, why, sizeof why) != MECH_OK || !isfinite(settings.until) ||
        mech_eval_initial(w->eval, settings.from, q, v, z) != MECH_OK)
        return 0;
    put(w, rows->count, k, &(begun){&settings, mech_eval_equation(w->eval)->p, q, v, z, 1});
    return 1;
}

/* The assembled start of a run. One that fails is a column of what is no number: the card leaves it at once, and its
   words are made by a whole run. */
static mech_status begin_assembled(worker *w, const ensemble_rows *rows, size_t k, size_t column, size_t count)
{
    const ensemble_job *job = w->job;
    mech_sim *s = w->sim;
    mech_status status = ensemble_set_values(job->plan, s->eval, rows->values + k * job->columns);
    if (status == MECH_OK) status = sim_find_start(s);
    if (status == MECH_ERR_MEMORY || status == MECH_ERR_INTERRUPTED) return status;
    if (status != MECH_OK) {
        for (size_t row = 0; row < w->rows; row++) w->start[row * count + column] = (double)NAN;
        return MECH_OK;
    }
    put(w, count, column,
        &(begun){&s->settings, mech_eval_equation(s->eval)->p, s->y, s->y + s->n, s->y + 2 * s->n, 0});
    return MECH_OK;
}

/* Until the card is done, or has left its runs because it is over. */
static mech_status wait(worker *w, char why[CARD_REASON])
{
    const struct timespec pause = {.tv_nsec = 100000};
    for (int is_done = 0;;) {
        const int stops = ensemble_is_over(w->job);
        MECH_TRY(w->on->kind->ask(w->line, stops, &is_done, why));
        if (is_done) return stops ? MECH_ERR_INTERRUPTED : MECH_OK;
        nanosleep(&pause, NULL);
    }
}

/* So many columns of `start`. */
static mech_status make_on_card(worker *w, size_t count)
{
    const size_t given = w->job->run.max_steps, most = w->on->is_fixed ? UINT32_MAX : MOST_STEPS;
    const card_block block = {.count = count,
                              .start = w->start,
                              .measures = w->measures,
                              .ended = w->ended,
                              .states = w->states,
                              .steps = w->steps,
                              .step = w->job->step,
                              .most_steps = (unsigned)(given && given < most ? given : most)};
    char why[CARD_REASON] = "";
    mech_status status = w->on->kind->send(w->line, &block, why);
    if (status == MECH_OK) status = wait(w, why);
    if (status == MECH_OK) status = w->on->kind->fetch(w->line, &block, why);
    return told(w, status, why);
}

/* Row k from a column of what came back. */
static mech_status hand_out(worker *w, ensemble_rows *rows, size_t k, size_t column, size_t count)
{
    const size_t measures = w->job->measures;
    if (w->states[column] != CARD_DONE) {
        if (ensemble_is_over(w->job)) return MECH_ERR_INTERRUPTED;
        w->handed_on++;
        return ensemble_whole_run(w->job, &w->whole, rows, k);
    }
    for (size_t i = 0; i < measures; i++) rows->measures[k * measures + i] = w->measures[i * count + column];
    memcpy(rows->is_choice + k * measures, w->on->is_choice, measures);
    rows->t[k] = w->ended[column];
    rows->status[k] = MECH_OK;
    rows->reason[k] = NULL;
    return MECH_OK;
}

/* Runs that were moved, once more: from assembled starts. */
static mech_status run_moved(worker *w, ensemble_rows *rows)
{
    size_t count = 0;
    for (size_t k = 0; k < rows->count; k++)
        if (w->states[k] == CARD_MOVED) w->moved[count++] = (uint32_t)k;
    for (size_t i = 0; i < count; i++) {
        if (ensemble_is_over(w->job)) return MECH_ERR_INTERRUPTED;
        MECH_TRY(begin_assembled(w, rows, w->moved[i], i, count));
    }
    if (count) MECH_TRY(make_on_card(w, count));
    for (size_t i = 0; i < count; i++) MECH_TRY(hand_out(w, rows, w->moved[i], i, count));
    return MECH_OK;
}

static mech_status run_block(void *of, ensemble_rows *rows)
{
    worker *w = of;
    for (size_t k = 0; k < rows->count; k++) {
        if (ensemble_is_over(w->job)) return MECH_ERR_INTERRUPTED;
        if (!begin_as_written(w, rows, k)) MECH_TRY(begin_assembled(w, rows, k, k, rows->count));
    }
    MECH_TRY(make_on_card(w, rows->count));
    for (size_t k = 0; k < rows->count; k++)
        if (w->states[k] != CARD_MOVED) MECH_TRY(hand_out(w, rows, k, k, rows->count));
    return run_moved(w, rows);
}

static size_t handed_on(const void *of) { return ((const worker *)of)->handed_on; }

const ensemble_backend ensemble_cuda = {.on = MECH_ON_CUDA,
                                        .least = LEAST_RUNS,
                                        .most = MOST_RUNS,
                                        .has_equal_steps = 1,
                                        .waits = 1,
                                        .begin = begin,
                                        .end = end,
                                        .create = create,
                                        .run_block = run_block,
                                        .handed_on = handed_on,
                                        .explain = explain,
                                        .free = free_worker};
