/* Frames of a scene as SVG, seen as the page's player sees them at first (page/player.js has the same shapes). In the
   plane the third entry of every vector is 0. */
#include "show/frame.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double YAW = -0.6, PITCH = 0.35, TURN = 6.283185307179586; /* the player's view at first */
static const char *const palette[] = {"#0b6fb3", "#d1495b", "#2a9d5c", "#d98e04", "#6a4c93", "#17a2b8", "#8d6e63"};
static const char INK[] = "#222", SOFT[] = "#666", RULE[] = "#ddd";
enum { PALETTE = sizeof palette / sizeof *palette, RING = 96, FACETS = 16, MOST_POINTS = 128 };

typedef struct spot {
    double x[3];
} spot;

/* A place and axes: a point of a thing becomes at + R p. */
typedef struct pose {
    spot at;
    double R[9];
} pose;

static const double same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static spot plus(spot a, double s, spot b)
{
    return (spot){{a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]}};
}

static spot turned(const double R[9], spot p)
{
    spot r;
    for (int i = 0; i < 3; i++) r.x[i] = R[3 * i] * p.x[0] + R[3 * i + 1] * p.x[1] + R[3 * i + 2] * p.x[2];
    return r;
}

static spot put(const pose *p, double x, double y, double z) { return plus(p->at, 1, turned(p->R, (spot){{x, y, z}})); }

static spot spot_of(const double *values, size_t dimension)
{
    return (spot){{values[0], values[1], dimension == 3 ? values[2] : 0}};
}

/* ---- onto the picture: pieces of text with a depth ---- */

static spot project(const frame_view *w, spot p)
{
    const spot d = plus(p, -1, (spot){{w->middle[0], w->middle[1], w->middle[2]}});
    if (w->is_flat) return (spot){{w->width / 2 + w->scale * d.x[0], w->height / 2 - w->scale * d.x[1], 0}};
    const double cy = cos(YAW), sy = sin(YAW), cp = cos(PITCH), sp = sin(PITCH);
    const double x = cy * d.x[0] - sy * d.x[1], y = sy * d.x[0] + cy * d.x[1], depth = cp * y - sp * d.x[2];
    const double near = w->scale / (1 + depth / (6 * w->radius));
    return (spot){{w->width / 2 + near * x, w->height / 2 - near * (cp * d.x[2] + sp * y), depth}};
}

static void see(frame_view *w, spot p)
{
    for (int i = 0; i < 3; i++) {
        if (!isfinite(p.x[i])) continue;
        w->low[i] = fmin(w->low[i], p.x[i]);
        w->high[i] = fmax(w->high[i], p.x[i]);
    }
}

/* The piece that begins where the text ends now. */
static int begin(frame_view *w, double depth)
{
    if (!isfinite(depth) || !mem_grow(&w->pieces, &w->capacity, w->count + 1, sizeof *w->pieces)) {
        w->text.failed |= isfinite(depth) != 0;
        return 0;
    }
    w->pieces[w->count] = (frame_piece){depth, w->count, w->text.length, 0};
    w->count++;
    return 1;
}

static void poly(frame_view *w, const spot *points, size_t count, const char *colour, double width, int is_filled)
{
    double depth = 0;
    for (size_t k = 0; k < count; k++) {
        if (w->is_measuring) see(w, points[k]);
        const spot on = project(w, points[k]);
        depth += (on.x[2] + 0 * (on.x[0] + on.x[1])) / (double)count;
    }
    if (w->is_measuring || !begin(w, depth)) return;
    text_add(&w->text, "<path d=\"");
    for (size_t k = 0; k < count; k++) {
        const spot on = project(w, points[k]);
        text_format(&w->text, "%c%.2f %.2f", k ? 'L' : 'M', on.x[0], on.x[1]);
    }
    text_format(&w->text, "\" stroke=\"%s\" stroke-width=\"%.3g\"", colour, width);
    if (is_filled) text_format(&w->text, " fill=\"%s\" fill-opacity=\"0.45\"", colour);
    text_add(&w->text, "/>\n");
}

static void round_piece(frame_view *w, spot p, double pixels, double nearer, const char *colour, double opacity)
{
    const spot on = project(w, p);
    if (w->is_measuring) see(w, p);
    if (w->is_measuring || !begin(w, on.x[2] - nearer + 0 * (on.x[0] + on.x[1] + pixels))) return;
    text_format(&w->text, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"%s\"", on.x[0], on.x[1], pixels, colour);
    if (opacity < 1)
        text_format(&w->text, " fill-opacity=\"%.3g\" stroke=\"%s\" stroke-width=\"1.2\"", opacity, colour);
    text_add(&w->text, "/>\n");
}

static void dot(frame_view *w, spot p, const char *colour, double pixels)
{
    round_piece(w, p, pixels, 0.01 * w->radius, colour, 1);
}

static void ball(frame_view *w, spot p, double r, const char *colour)
{
    const spot on = project(w, p),
               edge = project(w, plus(p, r, (spot){{cos(w->is_flat ? 0 : YAW), -sin(w->is_flat ? 0 : YAW), 0}}));
    for (int i = 0; i < 6 && w->is_measuring; i++) {
        spot side = {{0, 0, 0}};
        side.x[i % 3] = i < 3 ? r : -r;
        if (i % 3 < 2 || !w->is_flat) see(w, plus(p, 1, side));
    }
    round_piece(w, p, hypot(edge.x[0] - on.x[0], edge.x[1] - on.x[1]), 0, colour, 0.55);
}

static void ring(const pose *p, double r, double z, spot *points, size_t sides)
{
    for (size_t k = 0; k <= sides; k++) {
        const double angle = TURN * (double)k / (double)sides;
        points[k] = put(p, r * cos(angle), r * sin(angle), z);
    }
}

static void circle(frame_view *w, const pose *p, double r, const char *colour, double width, int is_filled)
{
    spot points[RING + 1];
    ring(p, r, 0, points, RING);
    poly(w, points, RING + 1, colour, width, is_filled);
    poly(w, (spot[]){p->at, put(p, r, 0, 0)}, 2, colour, 1, 0);
}

static void tube(frame_view *w, const pose *p, double r, double h, const char *colour)
{
    spot low[FACETS + 1], high[FACETS + 1];
    ring(p, r, -h / 2, low, FACETS);
    ring(p, r, h / 2, high, FACETS);
    for (int k = 0; k < FACETS; k++) poly(w, (spot[]){low[k], low[k + 1], high[k + 1], high[k]}, 4, colour, 0.6, 1);
    poly(w, low, FACETS + 1, colour, 1, 1);
    poly(w, high, FACETS + 1, colour, 1, 1);
}

static void box(frame_view *w, const pose *p, const double *size, const char *colour)
{
    static const double around[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    for (int side = 0; side < (w->is_flat ? 1 : 6); side++) {
        const int axis = w->is_flat ? 2 : side % 3, j = (axis + 1) % 3, k = (axis + 2) % 3;
        spot points[5];
        for (int i = 0; i < 5; i++) {
            double at[3] = {0, 0, 0};
            if (!w->is_flat) at[axis] = (side < 3 ? 0.5 : -0.5) * size[axis];
            at[j] = around[i][0] * size[j] / 2;
            at[k] = around[i][1] * size[k] / 2;
            points[i] = put(p, at[0], at[1], at[2]);
        }
        poly(w, points, 5, colour, w->is_flat ? 1.4 : 1, 1);
    }
}

/* From p to q: the third axis of the pose (the first in the plane) goes along, its middle is p. */
static double along(const frame_view *w, spot p, spot q, pose *out)
{
    const spot d = plus(q, -1, p);
    const double length = sqrt(d.x[0] * d.x[0] + d.x[1] * d.x[1] + d.x[2] * d.x[2]), n = length > 0 ? length : 1e-300;
    const double u[3] = {d.x[0] / n, d.x[1] / n, d.x[2] / n};
    const double a[3] = {fabs(u[2]) < 0.9 ? 0 : 1, 0, fabs(u[2]) < 0.9 ? 1 : 0};
    double v[3] = {u[1] * a[2] - u[2] * a[1], u[2] * a[0] - u[0] * a[2], u[0] * a[1] - u[1] * a[0]};
    const double across = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] = w->is_flat ? (i == 0 ? -u[1] : i == 1 ? u[0] : 0) : v[i] / (across > 0 ? across : 1);
    const double s[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    out->at = p;
    for (int i = 0; i < 3; i++) out->R[3 * i] = v[i], out->R[3 * i + 1] = s[i], out->R[3 * i + 2] = u[i];
    return length;
}

static void spring(frame_view *w, spot p, spot q, const char *colour, double width)
{
    enum { BENDS = 48 };
    spot points[BENDS + 3];
    pose a;
    const double length = along(w, p, q, &a), r = w->is_measuring ? 0 : 0.035 * w->radius;
    points[0] = p;
    for (int k = 0; k <= BENDS; k++)
        points[k + 1] =
            put(&a, r * sin(k * TURN / 6), w->is_flat ? 0 : r * cos(k * TURN / 6), length * (0.1 + 0.8 * k / BENDS));
    points[BENDS + 2] = q;
    poly(w, points, BENDS + 3, colour, width, 0);
}

static void arrow(frame_view *w, spot p, spot q, const char *colour, double width)
{
    pose a;
    const double length = along(w, p, q, &a), head = fmin(0.06 * w->radius, length / 2);
    if (w->is_measuring) see(w, p);
    if (w->is_measuring || !(length > 1e-9 * w->radius)) return;
    poly(w, (spot[]){p, q}, 2, colour, width, 0);
    poly(w, (spot[]){put(&a, head / 2, 0, length - head), q, put(&a, -head / 2, 0, length - head)}, 3, colour, width,
         1);
}

/* ---- bodies, and what `draw` says ---- */

static pose pose_in(const pose *p, const double at[3], const double R[9])
{
    pose r = {.at = put(p, at[0], at[1], at[2])};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r.R[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) r.R[3 * i + j] += p->R[3 * i + k] * R[3 * k + j];
        }
    return r;
}

static void solid(frame_view *w, const body_solid *kind, const double *v, const pose *p, size_t dimension,
                  const char *colour)
{
    const double *size = v, *at = v + SOLID_NUMBERS;
    const pose own = pose_in(p, at, at + 3);
    switch (kind->kind) {
    case MECH_SOLID_ROD: {
        spot ends[2];
        for (size_t k = 0; k < 2; k++) {
            const spot end = plus(spot_of(size + k * dimension, dimension), 1, spot_of(at, 3));
            ends[k] = put(p, end.x[0], end.x[1], end.x[2]);
        }
        poly(w, ends, 2, colour, 4, 0);
        return;
    }
    case MECH_SOLID_BOX: box(w, &own, size, colour); return;
    case MECH_SOLID_CYLINDER: tube(w, &own, size[0], size[1], colour); return;
    case MECH_SOLID_SPHERE: ball(w, own.at, size[0], colour); return;
    case MECH_SOLID_DISC: circle(w, &own, size[0], colour, 1.6, 1); return;
    }
}

static int slides(mech_joint_kind kind)
{
    return kind == MECH_JOINT_PRISMATIC || kind == MECH_JOINT_CYLINDRICAL || kind == MECH_JOINT_SCREW ||
           kind == MECH_JOINT_DISTANCE || kind == MECH_JOINT_SLOT;
}

static const char *body_colour(size_t number) { return number == MECH_GROUND ? SOFT : palette[(number - 1) % PALETTE]; }

static pose body_pose(const double *v, size_t number)
{
    pose p;
    scene_place(v + number * SCENE_BODY_NUMBERS, p.at.x, p.R);
    return p;
}

/* One side of a joint: a pin, and a line to it where its body has no solid. */
static void joint_side(frame_view *w, const mech_bodies *b, size_t number, const double *point, int has_pin,
                       const double *v, spot *first, int *has_first)
{
    const pose p = body_pose(v, number);
    const spot at = put(&p, point[0], point[1], point[2]);
    if (has_pin) dot(w, at, INK, 3.5);
    if (number == MECH_GROUND || b->bodies[number].solid_count) return;
    poly(w, (spot[]){*has_first ? *first : p.at, at}, 2, body_colour(number), 4, 0);
    if (!*has_first) *first = at;
    *has_first = 1;
}

static void bodies(frame_view *w, const mech_scene *s, const double *v)
{
    const mech_bodies *b = s->model->mechanism;
    if (!b) return;
    const double *values = v + b->body_count * SCENE_BODY_NUMBERS;
    for (size_t i = 0; i < b->body_count; i++) {
        const pose p = body_pose(v, i);
        for (size_t j = 0; j < b->bodies[i].solid_count; j++, values += SCENE_SOLID_NUMBERS)
            solid(w, &b->bodies[i].solids[j], values, &p, s->dimension, body_colour(i));
    }
    for (size_t i = 0; i < b->body_count; i++) {
        spot first = {{0, 0, 0}};
        int has_first = 0;
        for (size_t j = 0; j < b->joint_count; j++) {
            if (!b->joints[j].is_done) continue;
            const int has_pin = b->joints[j].kind != MECH_JOINT_FREE;
            if (b->joints[j].before == i) joint_side(w, b, i, values + 6 * j, has_pin, v, &first, &has_first);
            if (b->joints[j].after == i) joint_side(w, b, i, values + 6 * j + 3, has_pin, v, &first, &has_first);
        }
    }
    for (size_t j = 0; j < b->joint_count; j++) {
        const body_joint *k = &b->joints[j];
        if (!k->is_done || !slides(k->kind)) continue;
        const pose before = body_pose(v, k->before), after = body_pose(v, k->after);
        const double *at = values + 6 * j;
        poly(w, (spot[]){put(&before, at[0], at[1], at[2]), put(&after, at[3], at[4], at[5])}, 2, body_colour(k->after),
             2.5, 0);
    }
}

/* Where a point has been, through the frames so far. */
static void trace(frame_view *w, const double *values, size_t offset, size_t frame, size_t stride, size_t dimension,
                  const char *colour)
{
    spot points[MOST_POINTS];
    size_t count = 0;
    for (size_t f = 0; f <= frame; f++) {
        points[count++] = spot_of(values + f * stride + offset, dimension);
        if (count < MOST_POINTS && f < frame) continue;
        if (count > 1) poly(w, points, count, colour, 1.2, 0);
        points[0] = points[count - 1];
        count = 1;
    }
}

static void drawing(frame_view *w, const model_drawing *d, const double *v, const char *colour)
{
    const size_t n = d->dimension;
    const double width = d->width > 0 ? d->width : 2;
    const spot p = spot_of(v, n);
    pose own = {.at = p};
    memcpy(own.R, same, sizeof same);
    switch (d->kind) {
    case MECH_DRAW_POINT: dot(w, p, colour, 2 + width); return;
    case MECH_DRAW_TRACE: dot(w, p, colour, 3); return;
    case MECH_DRAW_LINE: {
        spot points[MOST_POINTS];
        size_t count = 0;
        for (size_t k = 0; k < d->count / n; k++) {
            points[count++] = spot_of(v + k * n, n);
            if (count < MOST_POINTS && k + 1 < d->count / n) continue;
            poly(w, points, count, colour, width, 0);
            points[0] = points[count - 1];
            count = 1;
        }
        return;
    }
    case MECH_DRAW_CIRCLE:
        if (d->turned == 1) own.R[0] = own.R[4] = cos(v[n + 1]), own.R[3] = sin(v[n + 1]), own.R[1] = -own.R[3];
        else if (d->turned) memcpy(own.R, v + n + 1, sizeof own.R);
        circle(w, &own, v[n], colour, width, 0);
        return;
    case MECH_DRAW_BOX:
        if (d->turned && n == 3) memcpy(own.R, v + 2 * n, sizeof own.R);
        else if (d->turned) own.R[0] = own.R[4] = v[2 * n], own.R[3] = v[2 * n + 2], own.R[1] = -own.R[3];
        box(w, &own, v + n, colour);
        return;
    case MECH_DRAW_CYLINDER: {
        pose a;
        const double length = along(w, p, spot_of(v + n, n), &a), r = v[2 * n];
        if (w->is_flat) {
            poly(w,
                 (spot[]){put(&a, r, 0, 0), put(&a, r, 0, length), put(&a, -r, 0, length), put(&a, -r, 0, 0),
                          put(&a, r, 0, 0)},
                 5, colour, 1.4, 1);
            return;
        }
        a.at = put(&a, 0, 0, length / 2);
        tube(w, &a, r, length, colour);
        return;
    }
    case MECH_DRAW_SPHERE: ball(w, p, v[n], colour); return;
    case MECH_DRAW_SPRING: spring(w, p, spot_of(v + n, n), colour, width); return;
    case MECH_DRAW_ARROW: arrow(w, p, plus(p, v[2 * n], spot_of(v + n, n)), colour, width); return;
    }
}

static void everything(frame_view *w, const mech_scene *s, const double *values, size_t frame, size_t stride)
{
    const mech_bodies *b = s->model->mechanism;
    const double *v = values + frame * stride;
    size_t at = s->value_count;
    bodies(w, s, v);
    if (s->skips_drawings) return;
    for (size_t k = s->model->drawings_count; k-- > 0;) at -= s->model->drawings[k].count + 1;
    for (size_t k = 0; k < s->model->drawings_count; k++) {
        const model_drawing *d = &s->model->drawings[k];
        const char *colour = d->colour ? d->colour : palette[(k + (b ? b->body_count : 0)) % PALETTE];
        if (v[at + d->count] != 0) {
            if (d->kind == MECH_DRAW_TRACE && !w->is_measuring)
                trace(w, values, at, frame, stride, d->dimension, colour);
            drawing(w, d, v + at, colour);
        }
        at += d->count + 1;
    }
}

/* ---- the picture ---- */

void frame_measure(frame_view *w, const mech_scene *s, const double *values, size_t frames, size_t stride)
{
    double half[3], most = 1e-12;
    for (int i = 0; i < 3; i++) w->low[i] = HUGE_VAL, w->high[i] = -HUGE_VAL;
    w->is_flat = s->dimension == 2;
    w->radius = w->scale = 1;
    w->is_measuring = 1;
    for (size_t f = 0; f < frames; f++) everything(w, s, values, f, stride);
    w->is_measuring = 0;
    for (int i = 0; i < 3; i++) {
        const int is_seen = w->high[i] >= w->low[i];
        w->middle[i] = is_seen ? (w->low[i] + w->high[i]) / 2 : 0;
        half[i] = is_seen ? (w->high[i] - w->low[i]) / 2 : 0;
        most = fmax(most, half[i]);
    }
    w->radius = most * (w->is_flat ? 1.08 : 1.3);
    w->scale = w->is_flat
                   ? fmin(0.46 * w->width / fmax(half[0], 1e-3 * most), 0.46 * w->height / fmax(half[1], 1e-3 * most))
                   : 0.9 * fmin(w->width, w->height) / (2 * w->radius);
}

static int by_depth(const void *a, const void *b)
{
    const frame_piece *x = a, *y = b;
    if (x->depth != y->depth) return x->depth > y->depth ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The floor in space: nine lines each way, below all that moves. */
static void ground(frame_view *w)
{
    const double z = w->middle[2] - w->radius / 1.3, r = w->radius;
    if (w->is_flat) return;
    for (int k = -4; k <= 4; k++) {
        const double x = w->middle[0] + k * r / 4, y = w->middle[1] + k * r / 4;
        poly(w, (spot[]){{{x, w->middle[1] - r, z}}, {{x, w->middle[1] + r, z}}}, 2, RULE, 0.7, 0);
        poly(w, (spot[]){{{w->middle[0] - r, y, z}}, {{w->middle[0] + r, y, z}}}, 2, RULE, 0.7, 0);
    }
}

mech_status frame_svg(frame_view *w, const mech_scene *s, const double *values, size_t frame, size_t stride, double t,
                      char **svg)
{
    textbuf out = {0};
    *svg = NULL;
    w->count = 0;
    w->text.length = 0;
    ground(w);
    const size_t floor = w->count;
    everything(w, s, values, frame, stride);
    for (size_t k = 0; k < w->count; k++)
        w->pieces[k].length = (k + 1 < w->count ? w->pieces[k + 1].first : w->text.length) - w->pieces[k].first;
    if (w->count > floor + 1) qsort(w->pieces + floor, w->count - floor, sizeof *w->pieces, by_depth);
    text_format(&out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
                w->width, w->height, w->width, w->height);
    text_add(
        &out,
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<g fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n");
    for (size_t k = 0; k < w->count; k++) text_add_n(&out, w->text.data + w->pieces[k].first, w->pieces[k].length);
    text_format(
        &out,
        "</g>\n<text x=\"12\" y=\"%.0f\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"14\" fill=\"%s\">t = %.4g</text>\n</svg>\n",
        w->height - 12, SOFT, t);
    out.failed |= w->text.failed;
    if (!out.failed) *svg = text_take(&out);
    text_free(&out);
    return *svg ? MECH_OK : MECH_ERR_MEMORY;
}

void frame_free(frame_view *w)
{
    text_free(&w->text);
    mem_free(w->pieces);
}
