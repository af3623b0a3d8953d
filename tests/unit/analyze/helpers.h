/* A model text, its equilibrium and the linear system about it. */
#ifndef TESTS_ANALYZE_HELPERS_H
#define TESTS_ANALYZE_HELPERS_H

#include "check.h"

#include <mech/analyze.h>
#include <mech/lang.h>

#include <stdlib.h>

typedef struct subject {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_eval *eval;
    mech_equilibrium *equilibrium;
    mech_linear *linear;
    const mech_equilibrium_result *e;
    const mech_linear_result *l;
} subject;

static inline int subject_open(subject *s, mech_status read)
{
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    if (read == MECH_OK) read = mech_system_create(s->model, &with, s->diagnostics, &s->system);
    if (read == MECH_OK) read = mech_eval_create(s->system, MECH_STORAGE_DENSE, &s->eval);
    CHECK(read == MECH_OK);
    char *text = mech_diagnostics_format(s->diagnostics);
    if (text) fputs(text, stderr);
    mech_text_free(text);
    return read == MECH_OK;
}

static inline int subject_text(subject *s, const char *text)
{
    *s = (subject){.diagnostics = mech_diagnostics_create()};
    return subject_open(s, mech_read_text("test", text, strlen(text), NULL, s->diagnostics, &s->model));
}

static inline int subject_file(subject *s, const char *path)
{
    *s = (subject){.diagnostics = mech_diagnostics_create()};
    return subject_open(s, mech_read_file(path, NULL, s->diagnostics, &s->model));
}

/* Equilibrium or steady motion from the model's own beginning, or from q, v. */
static inline int subject_find(subject *s, const double *q, const double *v)
{
    mech_equilibrium_options o;
    mech_equilibrium_options_default(&o, sizeof o);
    o.q = q;
    o.v = v;
    const mech_status status = mech_equilibrium_find(s->system, s->eval, &o, &s->equilibrium);
    CHECK(status == MECH_OK);
    if (status == MECH_OK) s->e = mech_equilibrium_get(s->equilibrium);
    return status == MECH_OK;
}

static inline int subject_linearize(subject *s, const double *q, const double *v, const double *B, const double *K)
{
    mech_linear_options o;
    mech_linear_options_default(&o, sizeof o);
    o.q = q;
    o.v = v;
    o.z = s->e ? s->e->z : NULL;
    o.B = B;
    o.K = K;
    mech_linear_free(s->linear);
    const mech_status status = mech_linearize(s->system, s->eval, &o, &s->linear);
    CHECK(status == MECH_OK);
    s->l = status == MECH_OK ? mech_linear_get(s->linear) : NULL;
    return status == MECH_OK;
}

static inline void subject_free(subject *s)
{
    mech_linear_free(s->linear);
    mech_equilibrium_free(s->equilibrium);
    mech_eval_free(s->eval);
    mech_system_free(s->system);
    mech_model_free(s->model);
    mech_diagnostics_free(s->diagnostics);
}

/* 1 when the modes hold re + i im (and no fewer than `times`). */
static inline int has_mode(const mech_modes_result *m, double re, double im, double tolerance, int times)
{
    int count = 0;
    for (int k = 0; k < m->n - m->zero; k++)
        count += fabs(m->real[k] - re) <= tolerance * (1 + fabs(re)) &&
                 fabs(m->imaginary[k] - im) <= tolerance * (1 + fabs(im));
    if (count >= times) return 1;
    fprintf(stderr, "no mode %.15g %+.15g i among", re, im);
    for (int k = 0; k < m->n - m->zero; k++) fprintf(stderr, "  %.15g %+.15g i", m->real[k], m->imaginary[k]);
    fprintf(stderr, "  and %d at zero\n", m->zero);
    return 0;
}

#endif
