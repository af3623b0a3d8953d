/* Runs of model texts for tests: read, run, look at columns by name. */
#ifndef TESTS_MOTION_H
#define TESTS_MOTION_H

#include <mech/lang.h>
#include <mech/simulate.h>

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct motion {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_sim_settings settings;
    mech_sim *sim;
    mech_motion_code *code;
} motion;

static inline void motion_settings(motion *m, double rtol)
{
    mech_sim_settings_default(&m->settings, sizeof m->settings);
    m->settings.output_points = 11;
    m->settings.rtol = rtol;
    m->settings.atol = 1e-3 * rtol;
}

/* 1 when the model stands; text is a file under examples/ when it ends in ".mech". */
static inline int motion_read_with(motion *m, const char *text, const mech_override *overrides, size_t count)
{
    mech_read_options options;
    memset(m, 0, sizeof *m);
    mech_read_options_default(&options, sizeof options);
    options.overrides = overrides;
    options.override_count = count;
    m->diagnostics = mech_diagnostics_create();
    const size_t length = strlen(text);
    mech_status status = length > 5 && strcmp(text + length - 5, ".mech") == 0
                             ? mech_read_file(text, &options, m->diagnostics, &m->model)
                             : mech_read_text("test", text, length, &options, m->diagnostics, &m->model);
    if (status == MECH_OK) status = mech_system_from_model(m->model, m->diagnostics, &m->system);
    if (status != MECH_OK) {
        char *why = mech_diagnostics_format(m->diagnostics);
        fprintf(stderr, "%s", why ? why : "no memory");
        mech_text_free(why);
    }
    CHECK(status == MECH_OK);
    motion_settings(m, 1e-11);
    return status == MECH_OK;
}

static inline int motion_read(motion *m, const char *text) { return motion_read_with(m, text, NULL, 0); }

/* The same system with exact derivatives, before there is a run of it. */
static inline mech_status motion_derive(motion *m)
{
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    mech_system_free(m->system);
    return mech_system_create(m->model, &with, m->diagnostics, &m->system);
}

/* Code for the run there is. */
static inline mech_status motion_use_code(motion *m, const mech_motion_settings *settings)
{
    mech_motion_code *code = NULL;
    mech_status status = mech_motion_code_create(m->system, settings, &code);
    if (status == MECH_OK) status = mech_sim_use_motion(m->sim, code);
    if (status == MECH_OK) mech_motion_code_free(m->code);
    if (status == MECH_OK) m->code = code;
    else mech_motion_code_free(code);
    return status;
}

static inline mech_status motion_run(motion *m)
{
    mech_status status = mech_sim_create(m->system, &m->settings, &m->sim);
    if (status == MECH_OK) status = mech_sim_run(m->sim);
    return status;
}

/* Runs and says why not. */
static inline void motion_must_run(motion *m)
{
    const mech_status status = motion_run(m);
    if (status != MECH_OK) fprintf(stderr, "%s\n", m->sim ? mech_sim_error_text(m->sim) : mech_status_text(status));
    CHECK(status == MECH_OK);
}

/* 0: a build without SUNDIALS has not this method, and nothing has run. */
static inline int motion_has_method(const motion *m, mech_status status)
{
    return status != MECH_ERR_UNSUPPORTED || !strstr(mech_sim_error_text(m->sim), "this build has no SUNDIALS");
}

/* As motion_must_run; 0 where the method is not there. */
static inline int motion_may_run(motion *m)
{
    const mech_status status = motion_run(m);
    if (!motion_has_method(m, status)) return 0;
    if (status != MECH_OK) fprintf(stderr, "%s\n", m->sim ? mech_sim_error_text(m->sim) : mech_status_text(status));
    CHECK(status == MECH_OK);
    return 1;
}

/* The row by the clock at time t. */
static inline double motion_at(const motion *m, double t, const char *column)
{
    const mech_trajectory *tr = mech_sim_trajectory(m->sim);
    const size_t k = mech_trajectory_find(tr, column);
    if (k == SIZE_MAX) return (double)NAN;
    for (size_t i = mech_trajectory_rows(tr); i-- > 0;)
        if (fabs(mech_trajectory_row(tr, i)[0] - t) <= 1e-9) return mech_trajectory_row(tr, i)[k];
    return (double)NAN;
}

static inline double motion_end(const motion *m, const char *column)
{
    const mech_trajectory *tr = mech_sim_trajectory(m->sim);
    const size_t k = mech_trajectory_find(tr, column), rows = mech_trajectory_rows(tr);
    return k == SIZE_MAX || rows == 0 ? (double)NAN : mech_trajectory_row(tr, rows - 1)[k];
}

/* Time of the n-th (from 0) happening of a kind. */
static inline double motion_when(const motion *m, mech_log_kind kind, size_t n)
{
    for (size_t k = 0; k < mech_sim_log_count(m->sim); k++) {
        const mech_log_entry h = mech_sim_log_get(m->sim, k);
        if (h.kind == kind && n-- == 0) return h.t;
    }
    return (double)NAN;
}

static inline size_t motion_count(const motion *m, mech_log_kind kind)
{
    size_t count = 0;
    for (size_t k = 0; k < mech_sim_log_count(m->sim); k++) count += mech_sim_log_get(m->sim, k).kind == kind;
    return count;
}

static inline void motion_free(motion *m)
{
    mech_sim_free(m->sim);
    mech_motion_code_free(m->code);
    mech_system_free(m->system);
    mech_model_free(m->model);
    mech_diagnostics_free(m->diagnostics);
    memset(m, 0, sizeof *m);
}

/* Whether the run's words hold both. */
static inline int motion_says(const motion *m, const char *a, const char *b)
{
    const char *text = m->sim ? mech_sim_error_text(m->sim) : "";
    const int does = strstr(text, a) && strstr(text, b);
    if (!does) fprintf(stderr, "no '%s' and '%s' in: %s\n", a, b, text);
    return does;
}

/* A run that must fail, and what it must say. */
static inline void motion_refused(const char *text, mech_status want, const char *a, const char *b)
{
    motion m;
    if (motion_read(&m, text)) {
        CHECK(motion_run(&m) == want);
        CHECK(motion_says(&m, a, b));
    }
    motion_free(&m);
}

#endif
