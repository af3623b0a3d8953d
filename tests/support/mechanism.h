/* Mechanisms built by the calls of bodies.h, and one instant of them. */
#ifndef TESTS_SUPPORT_MECHANISM_H
#define TESTS_SUPPORT_MECHANISM_H

#include "check.h"

#include <mech/bodies.h>
#include <mech/instant.h>
#include <mech/model.h>
#include <mech/system.h>

#include <stdlib.h>

typedef struct mechanism {
    mech_diagnostics *list;
    mech_model *model;
    mech_pool *pool;
    mech_bodies *bodies;
    mech_system *system;
    mech_instant *instant;
    const mech_instant_result *at; /* after mechanism_at */
    mech_expr scratch[64][9];
    size_t used, outputs;
} mechanism;

/* Numbers as expressions; good for 64 calls of them. */
static inline const mech_expr *numbers(mechanism *m, size_t count, const double *x)
{
    mech_expr *list = m->scratch[m->used++ % 64];
    for (size_t i = 0; i < count; i++) list[i] = mech_number(m->pool, x[i]);
    return list;
}
#define N2(m, a, b) numbers(m, 2, (const double[]){a, b})
#define N3(m, a, b, c) numbers(m, 3, (const double[]){a, b, c})

static inline mechanism *mechanism_open(size_t dimension, double gx, double gy, double gz)
{
    mechanism *m = calloc(1, sizeof *m);
    m->list = mech_diagnostics_create();
    CHECK(mech_model_create(m->list, &m->model) == MECH_OK);
    m->pool = mech_model_pool(m->model);
    CHECK(mech_bodies_create(m->model, N3(m, gx, gy, gz), dimension, &m->bodies) == MECH_OK);
    return m;
}

static inline void mechanism_say(mechanism *m)
{
    if (mech_diagnostics_count(m->list) == 0) return;
    char *text = mech_diagnostics_format(m->list);
    fprintf(stderr, "%s\n", text ? text : "");
    mech_text_free(text);
}

static inline void mechanism_finish(mechanism *m)
{
    const mech_status status = mech_bodies_finish(m->bodies);
    CHECK(status == MECH_OK && mech_model_finish(m->model) == MECH_OK);
    CHECK(mech_system_from_model(m->model, m->list, &m->system) == MECH_OK);
    if (mech_diagnostics_error_count(m->list)) mechanism_say(m);
    CHECK(mech_instant_create(m->system, 0, &m->instant) == MECH_OK);
}

/* At this state, which meets the constraints. */
static inline void mechanism_at(mechanism *m, const double *q, const double *v)
{
    mech_instant_input in;
    mech_instant_input_default(&in, sizeof in);
    in.q = q;
    in.v = v;
    const mech_status status = mech_instant_solve(m->instant, &in);
    if (status != MECH_OK) {
        char *why = mech_instant_explain(m->instant);
        fprintf(stderr, "%s\n", why ? why : "");
        mech_text_free(why);
    }
    CHECK(status == MECH_OK);
    m->at = mech_instant_get(m->instant);
}

static inline void mechanism_close(mechanism *m)
{
    mech_instant_free(m->instant);
    mech_system_free(m->system);
    mech_bodies_free(m->bodies);
    mech_model_free(m->model);
    mech_diagnostics_free(m->list);
    free(m);
}

/* ---- saying things ---- */

static inline size_t add_body(mechanism *m, const char *name, double mass, const double *center, const double *inertia,
                              size_t count)
{
    size_t body = 0;
    CHECK(mech_bodies_body(m->bodies, name, &body) == MECH_OK);
    const mech_expr *c = center ? numbers(m, 3, center) : NULL, *i = inertia ? numbers(m, count, inertia) : NULL;
    if (mass >= 0) CHECK(mech_bodies_mass(m->bodies, body, mech_number(m->pool, mass), c, i, i ? count : 0) == MECH_OK);
    return body;
}

static inline size_t add_rod(mechanism *m, const char *name, double length, double mass)
{
    size_t body = 0;
    const mech_solid rod = {.size = sizeof(mech_solid),
                            .kind = MECH_SOLID_ROD,
                            .extent = numbers(m, 4, (const double[]){0, 0, length, 0}),
                            .extent_count = 4,
                            .mass = mech_number(m->pool, mass)};
    CHECK(mech_bodies_body(m->bodies, name, &body) == MECH_OK);
    CHECK(mech_bodies_solid(m->bodies, body, &rod) == MECH_OK);
    return body;
}

static inline mech_place point_of(mechanism *m, size_t body, double x, double y, double z)
{
    return (mech_place){body, N3(m, x, y, z), NULL};
}

static inline size_t add_joint(mechanism *m, const char *name, mech_joint joint)
{
    size_t number = SIZE_MAX;
    joint.size = sizeof joint;
    CHECK(mech_bodies_joint(m->bodies, name, &joint, &number) == MECH_OK);
    return number;
}

/* Outputs for a vector; the number of the first. */
static inline size_t show(mechanism *m, const char *name, const mech_expr *list, size_t count)
{
    const size_t first = m->outputs;
    char full[40];
    for (size_t i = 0; i < count; i++) {
        snprintf(full, sizeof full, "%s_%zu", name, i + 1);
        CHECK(mech_model_output(m->model, full, list[i], NULL) == MECH_OK);
    }
    m->outputs += count;
    return first;
}

static inline size_t show_wrench(mechanism *m, const char *name, size_t joint, mech_wrench which, size_t count)
{
    mech_expr e[3];
    CHECK(mech_bodies_joint_wrench(m->bodies, joint, which, e) == MECH_OK);
    return show(m, name, e, count);
}

static inline void near_list(const double *got, const double *want, size_t count, double bound)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(got[i] - want[i]) <= bound * (1 + fabs(want[i])))) fprintf(stderr, "entry %zu:\n", i);
        CHECK_NEAR(got[i], want[i], bound);
    }
}

/* ---- chains as tables: a line a joint, as engines exchange them ---- */

typedef struct chain_row {
    int parent; /* 0: the ground, else the number of a row, from 1 */
    int is_free;
    double R[9], p[3], axis[3], mass, center[3], inertia[9];
} chain_row;

/* Bodies b1, b2, ..., joints j1, j2, ... */
static inline void add_chain(mechanism *m, const chain_row *rows, size_t count)
{
    char name[32];
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "b%zu", i + 1);
        add_body(m, name, rows[i].mass, rows[i].center, rows[i].inertia, 9);
        snprintf(name, sizeof name, "j%zu", i + 1);
        add_joint(m, name,
                  (mech_joint){.kind = rows[i].is_free ? MECH_JOINT_FREE : MECH_JOINT_REVOLUTE,
                               .before = {(size_t)rows[i].parent, numbers(m, 3, rows[i].p), numbers(m, 9, rows[i].R)},
                               .after = {i + 1, NULL, NULL},
                               .axis = numbers(m, 3, rows[i].axis)});
    }
}

#endif
