/* Whole runs, one after the other on each thread: what serves every model. */
#include "ensemble/backend.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

mech_status ensemble_set_values(const mech_plan *plan, mech_eval *eval, const double *values)
{
    for (size_t i = 0; i < plan->column_count; i++) {
        const plan_column *c = &plan->columns[i];
        MECH_TRY(c->param != SIZE_MAX ? mech_eval_set_param_at(eval, c->param, values[i])
                                      : mech_eval_set_initial(eval, c->target, values[i]));
    }
    return MECH_OK;
}

/* The same for every whole run of the process, whoever asks first. */
static const mech_motion_code *code_of(const ensemble_job *job)
{
    ensemble_native *n = job->native;
    if (!n) return NULL;
    pthread_mutex_lock(&n->lock);
    if (!n->kind) {
        if (!n->code && n->make) n->code = n->make(n->user);
        const int kind = !n->code ? 1 : mech_motion_code_info(n->code).is_native ? 3 : 2;
        __atomic_store_n(&n->kind, kind, __ATOMIC_RELAXED);
    }
    const mech_motion_code *code = n->code;
    pthread_mutex_unlock(&n->lock);
    return code;
}

int ensemble_code_kind(const ensemble_job *job)
{
    return job->native ? __atomic_load_n(&job->native->kind, __ATOMIC_RELAXED) : 0;
}

mech_status ensemble_make_sim(const ensemble_job *job, const mech_motion_code *code, mech_sim **sim)
{
    MECH_TRY(mech_sim_create(job->plan->system, &job->run, sim));
    if (!code) return MECH_OK;
    const mech_status status = mech_sim_use_motion(*sim, code);
    return status == MECH_ERR_UNSUPPORTED ? MECH_OK : status; /* it goes without */
}

static int is_note(const mech_log_entry *h)
{
    return h->kind == MECH_LOG_NOTE || h->kind == MECH_LOG_BEYOND || h->kind == MECH_LOG_SINGULAR;
}

int ensemble_has_notes(const mech_sim *sim)
{
    for (size_t i = 0; i < mech_sim_log_count(sim); i++) {
        const mech_log_entry h = mech_sim_log_get(sim, i);
        if (is_note(&h)) return 1;
    }
    return 0;
}

/* Notes of a run in one line, the first few of them. */
static void put_notes(const mech_sim *sim, textbuf *t)
{
    enum { MOST = 3 };
    size_t count = 0;
    for (size_t i = 0; i < mech_sim_log_count(sim); i++) {
        const mech_log_entry h = mech_sim_log_get(sim, i);
        if (!is_note(&h) || ++count > MOST) continue;
        text_add(t, count > 1 ? "; " : "note: ");
        if (h.kind != MECH_LOG_SINGULAR) text_format(t, "at t = %.6g: ", h.t); /* a passage says when it was */
        text_add(t, h.text);
    }
    if (count > MOST) text_format(t, "; %zu more of this kind", count - MOST);
}

static mech_status keep_words(ensemble_rows *rows, size_t k, const char *words)
{
    if (*words) rows->reason[k] = mem_text(words, strlen(words));
    return *words && !rows->reason[k] ? MECH_ERR_MEMORY : MECH_OK;
}

static mech_status keep_notes(ensemble_rows *rows, size_t k, const mech_sim *sim)
{
    textbuf notes = {0};
    put_notes(sim, &notes);
    const mech_status status = notes.failed ? MECH_ERR_MEMORY : keep_words(rows, k, notes.data ? notes.data : "");
    text_free(&notes);
    return status;
}

static mech_status whole_run(const ensemble_job *job, mech_sim *sim, ensemble_rows *rows, size_t k)
{
    double *measures = rows->measures + k * job->measures;
    unsigned char *is_choice = rows->is_choice + k * job->measures;
    char driven[200];
    MECH_TRY(mech_sim_reset(sim));
    mech_status status = ensemble_set_values(job->plan, mech_sim_eval(sim), rows->values + k * job->columns);
    if (status == MECH_OK) status = mech_sim_run(sim);
    if (status == MECH_ERR_MEMORY || status == MECH_ERR_INTERRUPTED) return status;
    if (job->on_end && job->on_end(job->on_end_user, rows->first + k, sim) != 0) return MECH_ERR_FILE;
    const char *words = status == MECH_OK ? mech_sim_warning(sim) : mech_sim_error_text(sim);
    if (status != MECH_OK && !*words) words = mech_status_text(status);
    if (!*words && sim_says_driven(sim, driven, sizeof driven)) words = driven;
    for (size_t i = 0; i < job->measures; i++) {
        measures[i] = status == MECH_OK ? mech_sim_measure(sim, i) : (double)NAN;
        is_choice[i] = status == MECH_OK && mech_sim_measure_is_choice(sim, i);
    }
    rows->t[k] = mech_sim_has_started(sim) ? mech_sim_time(sim) : (double)NAN;
    rows->status[k] = status;
    rows->reason[k] = NULL;
    return *words ? keep_words(rows, k, words) : keep_notes(rows, k, sim);
}

mech_status ensemble_whole_run(const ensemble_job *job, mech_sim **sim, ensemble_rows *rows, size_t k)
{
    if (!*sim) {
        const mech_motion_code *code = code_of(job);
        if (ensemble_is_over(job)) return MECH_ERR_INTERRUPTED; /* the compiler may have been cut short */
        MECH_TRY(ensemble_make_sim(job, code, sim));
    }
    return whole_run(job, *sim, rows, k);
}

/* ---- the backend ---- */

typedef struct worker {
    const ensemble_job *job;
    mech_sim *sim;
} worker;

static mech_status begin(const ensemble_job *job, void **shared, char *why)
{
    (void)job, (void)shared, (void)why;
    return MECH_OK;
}

static void end(void *shared) { (void)shared; }

static void free_worker(void *of)
{
    worker *w = of;
    if (!w) return;
    mech_sim_free(w->sim);
    mem_free(w);
}

static mech_status create(const ensemble_job *job, void *shared, void **result)
{
    (void)shared;
    worker *w = mem_zeroed(1, sizeof *w);
    if (!w) return MECH_ERR_MEMORY;
    w->job = job;
    *result = w;
    return MECH_OK;
}

static mech_status run_block(void *of, ensemble_rows *rows)
{
    worker *w = of;
    for (size_t k = 0; k < rows->count; k++) {
        if (ensemble_is_over(w->job)) return MECH_ERR_INTERRUPTED;
        MECH_TRY(ensemble_whole_run(w->job, &w->sim, rows, k));
    }
    return MECH_OK;
}

const ensemble_backend ensemble_threads = {.on = MECH_ON_THREADS,
                                           .least = 1,
                                           .most = 16,
                                           .begin = begin,
                                           .end = end,
                                           .create = create,
                                           .run_block = run_block,
                                           .free = free_worker};
