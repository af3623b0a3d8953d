/* What is drawn of a model, and where it is in each frame. Bodies are shapes with a place and axes; what `draw` says is
   a list of numbers. All of it is one program beside that of the system, run at the rows of a trajectory. */
#include "show/scene.h"

#include "base/mem.h"
#include "base/try.h"
#include "system/compiled.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const mech_bodies *mechanism(const mech_scene *s) { return s->model->mechanism; }

static size_t solids_of(const mech_bodies *b)
{
    size_t count = 0;
    for (size_t i = 0; b && i < b->body_count; i++) count += b->bodies[i].solid_count;
    return count;
}

/* ---- the program ---- */

typedef struct lister {
    program_output *items;
    size_t count;
} lister;

static void list(lister *l, mech_expr e) { l->items[l->count++] = (program_output){e, 0}; }

static void list_vector(lister *l, vec v)
{
    for (int i = 0; i < 3; i++) list(l, v.x[i]);
}

static void list_matrix(lister *l, mat m)
{
    for (int i = 0; i < 9; i++) list(l, m.x[i / 3][i % 3]);
}

static size_t value_count(const mech_scene *s)
{
    const mech_bodies *b = mechanism(s);
    size_t count = b ? b->body_count * SCENE_BODY_NUMBERS + solids_of(b) * SCENE_SOLID_NUMBERS + b->joint_count * 6 : 0;
    for (size_t i = 0; i < s->model->drawings_count; i++) count += s->model->drawings[i].count + 1;
    return count;
}

/* Bodies, then solids, then the points of joints, then drawings. */
static void list_all(const mech_scene *s, lister *l)
{
    const mech_bodies *b = mechanism(s);
    for (size_t i = 0; b && i < b->body_count; i++) {
        const body *k = &b->bodies[i];
        const body_link *link = &b->links[k->is_tied || i == MECH_GROUND ? k->link : 0];
        list_vector(l, link->r);
        list_matrix(l, link->R);
        list_vector(l, k->origin);
        list_matrix(l, k->axes);
    }
    for (size_t i = 0; b && i < b->body_count; i++)
        for (size_t j = 0; j < b->bodies[i].solid_count; j++) {
            const body_solid *solid = &b->bodies[i].solids[j];
            for (size_t n = 0; n < SOLID_NUMBERS; n++) list(l, n < solid->size_count ? solid->size[n] : (mech_expr){0});
            list_vector(l, solid->at);
            list_matrix(l, solid->turned);
        }
    for (size_t j = 0; b && j < b->joint_count; j++) {
        list_vector(l, b->joints[j].at_before);
        list_vector(l, b->joints[j].at_after);
    }
    for (size_t i = 0; i < s->model->drawings_count; i++) {
        const model_drawing *d = &s->model->drawings[i];
        for (size_t k = 0; k < d->count; k++) list(l, d->values[k]);
        list(l, d->when.id ? d->when : EXPR_ONE);
    }
}

static mech_status make_program(mech_scene *s)
{
    s->value_count = value_count(s);
    arena memory = {0};
    const program_input *inputs = compiled_inputs(s->system, s->model, 1, &memory);
    lister l = {.items = mem_zeroed(s->value_count + 1, sizeof *l.items)};
    mech_status status = inputs && l.items ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        mech_expr unknown;
        list_all(s, &l);
        const program_spec spec = {s->model->pool, inputs, s->system->in.count, l.items, l.count, 1, NULL};
        status = program_create(&spec, &unknown, &s->program);
    }
    arena_free(&memory);
    mem_free(l.items);
    if (status == MECH_OK) s->slots = mem_zeroed(s->program->slot_count + 1, sizeof *s->slots);
    return status == MECH_OK && !s->slots ? MECH_ERR_MEMORY : status;
}

mech_status mech_scene_create(const mech_model *model, const mech_system *system, mech_scene **scene)
{
    mech_scene *s = mem_zeroed(1, sizeof *s);
    *scene = NULL;
    if (!s) return MECH_ERR_MEMORY;
    s->model = model;
    s->system = system;
    const mech_bodies *b = mechanism(s);
    s->dimension = b ? b->dimension : model->drawings_count ? model->drawings[0].dimension : 2;
    s->skips_drawings = b && model->drawings_count && model->drawings[0].dimension != b->dimension;
    mech_status status = make_program(s);
    if (status == MECH_OK) status = mech_eval_create(system, MECH_STORAGE_SPARSE, &s->eval);
    if (status == MECH_OK) program_reset(s->program, s->slots);
    if (status == MECH_OK) *scene = s;
    else mech_scene_free(s);
    return status;
}

void mech_scene_free(mech_scene *s)
{
    if (!s) return;
    program_free(s->program);
    mem_free(s->slots);
    mech_eval_free(s->eval);
    text_free(&s->sets);
    text_free(&s->names);
    mem_free(s);
}

int mech_scene_is_empty(const mech_scene *s) { return !mechanism(s) && !s->model->drawings_count; }

/* ---- one frame ---- */

/* What the equation has besides the state; any may be NULL. */
typedef struct moment {
    double t;
    const double *q, *v, *z, *a, *lambda, *reaction;
} moment;

static void put(double *slots, size_t at, const double *from, size_t count)
{
    if (from && count) memcpy(slots + at, from, count * sizeof *from);
}

/* All values at a moment; s->slots from output_first on. */
static const double *evaluate(mech_scene *s, const moment *m, mech_status *status)
{
    const system_inputs *in = &s->system->in;
    const mech_sizes sizes = mech_system_sizes(s->system);
    const mech_status seen = mech_eval_state(s->eval, m->t, m->q, m->v, sizes.states ? m->z : NULL);
    const mech_equation *eq = mech_eval_equation(s->eval);
    if (seen == MECH_ERR_MEMORY) *status = seen;
    put(s->slots, in->p, eq->p, sizes.params);
    put(s->slots, in->t, &m->t, 1);
    put(s->slots, in->q, m->q, sizes.coords);
    put(s->slots, in->v, m->v, sizes.coords);
    put(s->slots, in->z, m->z, sizes.states);
    put(s->slots, in->u, eq->u, sizes.inputs);
    put(s->slots, in->u_dot, eq->u_dot, sizes.inputs);
    put(s->slots, in->u_ddot, eq->u_ddot, sizes.inputs);
    put(s->slots, in->a, m->a, m->a ? sizes.coords : 0);
    put(s->slots, in->lambda, m->lambda, m->lambda ? sizes.natural_rows : 0);
    put(s->slots, in->reaction, m->reaction, m->reaction ? sizes.natural_rows : 0);
    for (size_t c = 0; c < sizes.constraints; c++) {
        size_t rows;
        const size_t first = mech_system_constraint_rows(s->system, c, &rows);
        s->slots[in->active + c] = rows ? eq->active[first] : 1;
    }
    program_run(s->program, 0, s->slots);
    return s->slots + s->program->output_first;
}

/* ---- numbers as JSON ---- */

void scene_number(textbuf *out, double value)
{
    if (!isfinite(value)) text_add(out, "null");
    else text_format(out, "%.5g", value == 0 ? 0.0 : value);
}

static void put_numbers(textbuf *out, const double *values, size_t count)
{
    text_add_char(out, '[');
    for (size_t k = 0; k < count; k++) {
        if (k) text_add_char(out, ',');
        scene_number(out, values[k]);
    }
    text_add_char(out, ']');
}

void scene_place(const double *v, double r[3], double R[9])
{
    const double *place = v, *link = v + 3, *origin = v + 12, *axes = v + 15;
    for (int i = 0; i < 3; i++) {
        r[i] = place[i];
        for (int j = 0; j < 3; j++) {
            r[i] += link[3 * i + j] * origin[j];
            R[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) R[3 * i + j] += link[3 * i + k] * axes[3 * k + j];
        }
    }
}

/* Euler parameters of a rotation, scalar first. */
static void parameters_of(const double R[9], double e[4])
{
    const double trace = R[0] + R[4] + R[8];
    const double squares[4] = {1 + trace, 1 + 2 * R[0] - trace, 1 + 2 * R[4] - trace, 1 + 2 * R[8] - trace};
    int most = 0;
    for (int k = 1; k < 4; k++)
        if (squares[k] > squares[most]) most = k;
    const double s = sqrt(fmax(squares[most], 1e-300)), half = 0.5 / s;
    const double a = R[7] - R[5], b = R[2] - R[6], c = R[3] - R[1], d = R[3] + R[1], f = R[2] + R[6], g = R[7] + R[5];
    const double table[4][4] = {{s * s, a, b, c}, {a, s * s, d, f}, {b, d, s * s, g}, {c, f, g, s * s}};
    for (int k = 0; k < 4; k++) e[k] = table[most][k] * half;
}

static void put_pose(const mech_scene *s, const double *values, textbuf *out)
{
    double r[3], R[9], pose[7];
    scene_place(values, r, R);
    if (s->dimension == 2) {
        pose[0] = r[0], pose[1] = r[1], pose[2] = atan2(R[3], R[0]);
    } else {
        memcpy(pose, r, sizeof r);
        parameters_of(R, pose + 3);
    }
    for (size_t k = 0; k < (s->dimension == 2 ? 3U : 7U); k++) {
        if (out->length && out->data[out->length - 1] != '[') text_add_char(out, ',');
        scene_number(out, pose[k]);
    }
}

/* ---- sets of frames ---- */

typedef struct frames {
    textbuf times, *pose, *draws; /* (bodies), (drawings) */
    size_t bodies, drawings;
} frames;

static mech_status begin(const mech_scene *s, frames *f)
{
    *f = (frames){.bodies = mechanism(s) ? mechanism(s)->body_count : 0,
                  .drawings = s->skips_drawings ? 0 : s->model->drawings_count};
    f->pose = mem_zeroed(f->bodies + 1, sizeof *f->pose);
    f->draws = mem_zeroed(f->drawings + 1, sizeof *f->draws);
    return f->pose && f->draws ? MECH_OK : MECH_ERR_MEMORY;
}

static mech_status add_frame(mech_scene *s, frames *f, const moment *m, int is_first)
{
    mech_status status = MECH_OK;
    const double *v = evaluate(s, m, &status), *drawn = v + s->value_count;
    if (!is_first) text_add_char(&f->times, ',');
    text_format(&f->times, "%.9g", m->t);
    for (size_t k = 0; k < f->bodies; k++) put_pose(s, v + k * SCENE_BODY_NUMBERS, &f->pose[k]);
    for (size_t k = s->model->drawings_count; k-- > 0;) drawn -= s->model->drawings[k].count + 1;
    for (size_t k = 0; k < f->drawings; k++) {
        const model_drawing *d = &s->model->drawings[k];
        for (size_t i = 0; i <= d->count; i++) {
            if (i == d->count && !d->when.id) continue;
            if (f->draws[k].length) text_add_char(&f->draws[k], ',');
            scene_number(&f->draws[k], drawn[i]);
        }
        drawn += d->count + 1;
    }
    return status;
}

static void put_lists(textbuf *out, const char *key, textbuf *items, size_t count)
{
    text_format(out, ",\"%s\":[", key);
    for (size_t k = 0; k < count; k++) {
        text_format(out, "%s[%s]", k ? "," : "", items[k].data ? items[k].data : "");
        out->failed |= items[k].failed;
        text_free(&items[k]);
    }
    text_add_char(out, ']');
}

static mech_status end(mech_scene *s, frames *f, const char *name, int is_loop, double rate, mech_status status)
{
    textbuf *out = &s->sets;
    if (s->set_count++) text_add_char(out, ',');
    text_add(out, "{\"name\":");
    text_add_string(out, name);
    text_format(out, ",\"t\":[%s]", f->times.data ? f->times.data : "");
    if (is_loop) text_format(out, ",\"loops\":1,\"rate\":%.6g", rate);
    put_lists(out, "pose", f->pose, f->bodies);
    put_lists(out, "draws", f->draws, f->drawings);
    text_add(out, "}\n");
    out->failed |= f->times.failed;
    text_free(&f->times);
    mem_free(f->pose);
    mem_free(f->draws);
    text_add(&s->names, name);
    text_add_char(&s->names, '\n');
    return status == MECH_OK && out->failed ? MECH_ERR_MEMORY : status;
}

/* The first column whose name begins so, NULL: there is none. */
static const double *columns_at(const mech_trajectory *t, const double *row, const char *start, const char *ending)
{
    for (size_t j = 0; j < mech_trajectory_columns(t); j++) {
        const char *name = mech_trajectory_name(t, j);
        const size_t length = strlen(name), tail = strlen(ending);
        if (strncmp(name, start, strlen(start)) == 0 && length >= tail && strcmp(name + length - tail, ending) == 0)
            return row + j;
    }
    return NULL;
}

static moment moment_of(const mech_scene *s, const mech_trajectory *t, const double *row)
{
    const mech_sizes sizes = mech_system_sizes(s->system);
    return (moment){.t = row[0],
                    .q = row + 1,
                    .v = row + 1 + sizes.coords,
                    .z = sizes.states ? columns_at(t, row, mech_system_name(s->system, MECH_ITEM_STATE, 0), "") : NULL,
                    .a = columns_at(t, row, "", "''"),
                    .lambda = columns_at(t, row, "lambda(", ""),
                    .reaction = columns_at(t, row, "reaction(", "")};
}

mech_status scene_values_at(mech_scene *s, const mech_sim *sim, double time, double *room, double *values)
{
    const mech_trajectory *t = mech_sim_curve(sim);
    size_t low = 0, high = mech_trajectory_rows(t) - 1; /* the last row at or before the time */
    mech_status status = MECH_OK;
    while (low < high) {
        const size_t middle = (low + high + 1) / 2;
        if (mech_trajectory_row(t, middle)[0] <= time) low = middle;
        else high = middle - 1;
    }
    const size_t next = low + 1 < mech_trajectory_rows(t) ? low + 1 : low;
    const double *a = mech_trajectory_row(t, low), *b = mech_trajectory_row(t, next);
    const double part = b[0] > a[0] ? fmin(fmax((time - a[0]) / (b[0] - a[0]), 0), 1) : 0;
    for (size_t j = 0; j < mech_trajectory_columns(t); j++) room[j] = a[j] + part * (b[j] - a[j]);
    const moment m = moment_of(s, t, room);
    memcpy(values, evaluate(s, &m, &status), s->value_count * sizeof *values);
    return status;
}

mech_status mech_scene_add_run(mech_scene *s, const mech_sim *sim, size_t most, size_t *left_out)
{
    const mech_trajectory *t = mech_sim_curve(sim);
    const size_t rows = mech_trajectory_rows(t), count = rows > most ? most : rows;
    frames f;
    mech_status status = begin(s, &f);
    if (left_out) *left_out = rows - count;
    for (size_t k = 0; k < count && status == MECH_OK; k++) {
        const moment m = moment_of(s, t, mech_trajectory_row(t, count > 1 ? k * (rows - 1) / (count - 1) : 0));
        status = add_frame(s, &f, &m, k == 0);
    }
    return end(s, &f, "motion", 0, 1, status);
}

mech_status mech_scene_add_frames(mech_scene *s, const char *name, const double *times, const double *states,
                                  size_t count, int is_loop, double rate)
{
    const mech_sizes sizes = mech_system_sizes(s->system);
    const size_t width = 2 * sizes.coords + sizes.states;
    frames f;
    mech_status status = begin(s, &f);
    for (size_t k = 0; k < count && status == MECH_OK; k++) {
        const double *at = states + k * width;
        const moment m = {.t = times[k], .q = at, .v = at + sizes.coords, .z = at + 2 * sizes.coords};
        status = add_frame(s, &f, &m, k == 0);
    }
    return end(s, &f, name, is_loop, rate, status);
}

/* ---- shapes ---- */

static void put_place(const mech_scene *s, textbuf *out, const double at[3], const double R[9])
{
    static const double same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    text_add(out, ",\"at\":");
    put_numbers(out, at, s->dimension);
    if (memcmp(R, same, sizeof same) == 0) return;
    const double turn[2] = {R[0], R[3]};
    text_add(out, ",\"R\":");
    put_numbers(out, s->dimension == 2 ? turn : R, s->dimension == 2 ? 2 : 9);
}

static void put_solid(const mech_scene *s, const body_solid *solid, const double *v, textbuf *out)
{
    static const char *const kinds[] = {"rod", "box", "cylinder", "sphere", "disc"};
    const double *size = v, *at = v + SOLID_NUMBERS, *R = at + 3;
    text_format(out, "{\"k\":\"%s\"", kinds[solid->kind]);
    if (solid->kind == MECH_SOLID_ROD) {
        double ends[2][3] = {{0}};
        for (size_t k = 0; k < 2; k++)
            for (size_t i = 0; i < s->dimension; i++) ends[k][i] = size[k * s->dimension + i] + at[i];
        text_add(out, ",\"a\":");
        put_numbers(out, ends[0], s->dimension);
        text_add(out, ",\"b\":");
        put_numbers(out, ends[1], s->dimension);
    } else {
        text_add(out, ",\"s\":");
        put_numbers(out, size, solid->size_count);
        put_place(s, out, at, R);
    }
    text_add_char(out, '}');
}

/* The points of joints on a body: pins; and lines between them where it has no solid. */
static void put_joints(const mech_scene *s, size_t number, const double *points, int has_shapes, textbuf *out)
{
    const mech_bodies *b = mechanism(s);
    const double *first = NULL;
    static const double origin[3] = {0, 0, 0};
    for (size_t j = 0; j < b->joint_count; j++)
        for (int side = 0; side < 2; side++) {
            const double *at = points + 6 * j + 3 * side;
            if ((side ? b->joints[j].after : b->joints[j].before) != number || !b->joints[j].is_done) continue;
            if (b->joints[j].kind != MECH_JOINT_FREE) { /* what holds nothing has no pin */
                text_format(out, "%s{\"k\":\"pin\",\"at\":", has_shapes ? "," : "");
                put_numbers(out, at, s->dimension);
                text_add_char(out, '}');
                has_shapes = 1;
            }
            if (number == MECH_GROUND || b->bodies[number].solid_count) continue;
            const double *from = first ? first : origin;
            text_add(out, has_shapes ? ",{\"k\":\"rod\",\"a\":" : "{\"k\":\"rod\",\"a\":");
            has_shapes = 1;
            put_numbers(out, from, s->dimension);
            text_add(out, ",\"b\":");
            put_numbers(out, at, s->dimension);
            text_add_char(out, '}');
            if (!first) first = at;
        }
}

static void put_bodies(const mech_scene *s, textbuf *out)
{
    const mech_bodies *b = mechanism(s);
    const double *v = s->slots + s->program->output_first;
    const double *solid = b ? v + b->body_count * SCENE_BODY_NUMBERS : NULL;
    const double *points = b ? solid + solids_of(b) * SCENE_SOLID_NUMBERS : NULL;
    for (size_t i = 0; b && i < b->body_count; i++) {
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        text_add_string(out, b->bodies[i].name ? b->bodies[i].name : "ground");
        text_add(out, ",\"shapes\":[");
        for (size_t j = 0; j < b->bodies[i].solid_count; j++, solid += SCENE_SOLID_NUMBERS) {
            if (j) text_add_char(out, ',');
            put_solid(s, &b->bodies[i].solids[j], solid, out);
        }
        put_joints(s, i, points, b->bodies[i].solid_count > 0, out);
        text_add(out, "]}");
    }
}

/* Between the points of joints that slide: the line they slide along. */
static void put_slides(const mech_scene *s, textbuf *out)
{
    const mech_bodies *b = mechanism(s);
    const double *points = b ? s->slots + s->program->output_first + b->body_count * SCENE_BODY_NUMBERS +
                                   solids_of(b) * SCENE_SOLID_NUMBERS
                             : NULL;
    int is_first = 1;
    for (size_t j = 0; b && j < b->joint_count; j++) {
        const body_joint *joint = &b->joints[j];
        const mech_joint_kind kind = joint->kind;
        if (!joint->is_done || (kind != MECH_JOINT_PRISMATIC && kind != MECH_JOINT_CYLINDRICAL &&
                                kind != MECH_JOINT_SCREW && kind != MECH_JOINT_DISTANCE && kind != MECH_JOINT_SLOT))
            continue;
        text_format(out, "%s[%zu,", is_first ? "" : ",", joint->before);
        put_numbers(out, points + 6 * j, s->dimension);
        text_format(out, ",%zu,", joint->after);
        put_numbers(out, points + 6 * j + 3, s->dimension);
        text_add_char(out, ']');
        is_first = 0;
    }
}

static void put_drawings(const mech_scene *s, textbuf *out)
{
    static const char *const kinds[] = {"point",    "line",   "trace",  "circle", "box",
                                        "cylinder", "sphere", "spring", "arrow"};
    for (size_t i = 0; i < s->model->drawings_count && !s->skips_drawings; i++) {
        const model_drawing *d = &s->model->drawings[i];
        text_format(out, "%s{\"k\":\"%s\",\"w\":%zu", i ? "," : "", kinds[d->kind], d->count + (d->when.id ? 1 : 0));
        if (d->kind == MECH_DRAW_LINE) text_format(out, ",\"n\":%zu", d->count / d->dimension);
        if (d->turned) text_format(out, ",\"%s\":1", d->turned == 1 ? "turn" : "frame");
        if (d->when.id) text_add(out, ",\"when\":1");
        if (d->width > 0) text_format(out, ",\"width\":%.4g", d->width);
        if (d->colour) {
            text_add(out, ",\"colour\":");
            text_add_string(out, d->colour);
        }
        text_add_char(out, '}');
    }
}

void scene_json(const mech_scene *s, textbuf *out)
{
    text_format(out, "{\"scene\":{\"dim\":%zu,\"bodies\":[", s->dimension);
    put_bodies(s, out);
    text_add(out, "],\"slides\":[");
    put_slides(s, out);
    text_add(out, "],\"draws\":[");
    put_drawings(s, out);
    text_format(out, "]},\n\"sets\":[%s]}", s->sets.data ? s->sets.data : "");
    out->failed |= s->sets.failed;
}
