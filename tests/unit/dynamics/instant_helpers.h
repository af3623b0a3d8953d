/* An instant of a model text, for the tests. */
#ifndef TESTS_SYSTEM_INSTANT_HELPERS_H
#define TESTS_SYSTEM_INSTANT_HELPERS_H

#include "check.h"

#include <mech/instant.h>
#include <mech/lang.h>

typedef struct bench_model {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_instant *instant;
    mech_instant_input at;
    double q[64], v[64], z[16];
} bench_model;

static inline void finish_opening(bench_model *b, mech_status status, unsigned flags)
{
    if (status != MECH_OK) {
        char *text = mech_diagnostics_format(b->diagnostics);
        fprintf(stderr, "%s\n", text ? text : "?");
        mech_text_free(text);
    }
    CHECK(status == MECH_OK);
    CHECK(mech_system_from_model(b->model, b->diagnostics, &b->system) == MECH_OK);
    CHECK(mech_instant_create(b->system, flags, &b->instant) == MECH_OK);
    mech_instant_input_default(&b->at, sizeof b->at);
    CHECK(mech_instant_start(b->instant, 0, b->q, b->v, b->z) == MECH_OK);
    b->at.q = b->q;
    b->at.v = b->v;
    b->at.z = b->z;
}

static inline void open_text(bench_model *b, const char *text, unsigned flags)
{
    *b = (bench_model){.diagnostics = mech_diagnostics_create()};
    finish_opening(b, mech_read_text("test", text, strlen(text), NULL, b->diagnostics, &b->model), flags);
}

static inline void open_file(bench_model *b, const char *path, unsigned flags)
{
    *b = (bench_model){.diagnostics = mech_diagnostics_create()};
    finish_opening(b, mech_read_file(path, NULL, b->diagnostics, &b->model), flags);
}

static inline const mech_instant_result *solved(bench_model *b)
{
    const mech_status status = mech_instant_solve(b->instant, &b->at);
    if (status != MECH_OK) {
        char *text = mech_instant_explain(b->instant);
        fprintf(stderr, "%s\n", text ? text : "?");
        mech_text_free(text);
    }
    CHECK(status == MECH_OK);
    return mech_instant_get(b->instant);
}

static inline void set_param(bench_model *b, const char *name, double value)
{
    CHECK(mech_eval_set_param(mech_instant_eval(b->instant), name, value) == MECH_OK);
}

/* Whether the words of the last failure hold this. */
static inline int says(const bench_model *b, const char *words)
{
    char *text = mech_instant_explain(b->instant);
    const int found = text && strstr(text, words);
    if (!found) fprintf(stderr, "'%s' is not in: %s\n", words, text ? text : "?");
    mech_text_free(text);
    return found;
}

static inline void close_bench(bench_model *b)
{
    mech_instant_free(b->instant);
    mech_system_free(b->system);
    mech_model_free(b->model);
    mech_diagnostics_free(b->diagnostics);
}

#endif
