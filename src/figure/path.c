/* Curves as paths: as many points as can be seen. */
#include "figure/figure.h"

#include <math.h>
#include <stdlib.h>

double figure_x(const mech_curve *c, size_t k) { return c->x[k * (c->x_stride ? c->x_stride : 1)]; }
double figure_y(const mech_curve *c, size_t k) { return c->y[k * (c->y_stride ? c->y_stride : 1)]; }

static void include(double range[2], double value)
{
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

static double bar_width(const mech_curve *c)
{
    if (c->width > 0) return c->width;
    return c->count > 1 ? fabs(figure_x(c, 1) - figure_x(c, 0)) : 1;
}

int figure_range(const mech_panel *p, double x[2], double y[2])
{
    x[0] = y[0] = HUGE_VAL;
    x[1] = y[1] = -HUGE_VAL;
    for (size_t i = 0; i < p->curve_count; i++) {
        const mech_curve *c = &p->curves[i];
        const double half = c->kind == MECH_CURVE_BARS ? bar_width(c) / 2 : 0;
        for (size_t k = 0; k < c->count; k++) {
            const double a = figure_x(c, k), b = figure_y(c, k);
            if (!isfinite(a) || !isfinite(b) || (p->log_x && a <= 0) || (p->log_y && b <= 0)) continue;
            include(x, a - half);
            include(x, a + half);
            include(y, b);
            if (half > 0 && !p->log_y) include(y, 0);
        }
    }
    if (p->field) {
        const mech_field *f = p->field;
        const double dx = (f->x_high - f->x_low) / (double)(f->x_count - 1) / 2,
                     dy = (f->y_high - f->y_low) / (double)(f->y_count - 1) / 2;
        include(x, f->x_low - dx);
        include(x, f->x_high + dx);
        include(y, f->y_low - dy);
        include(y, f->y_high + dy);
    }
    return x[0] <= x[1] && y[0] <= y[1];
}

void figure_pixel(textbuf *out, double value)
{
    const long tenths = lround(value * 10), whole = tenths / 10, rest = labs(tenths % 10);
    const char *sign = tenths < 0 && whole == 0 ? "-" : "";
    if (rest) text_format(out, "%s%ld.%ld", sign, whole, rest);
    else text_format(out, "%ld", whole);
}

typedef struct pen {
    textbuf *out;
    int is_down;
    double x, y; /* where it was put last */
} pen;

static void put(pen *p, double x, double y)
{
    text_add_char(p->out, p->is_down ? ' ' : 'M');
    figure_pixel(p->out, x);
    text_add_char(p->out, ' ');
    figure_pixel(p->out, y);
    p->is_down = 1;
    p->x = x;
    p->y = y;
}

/* The points that fall into one column of pixels: first, least, most, last. */
typedef struct bin {
    double column; /* number; NaN: empty */
    double x[4], y[4];
    size_t at[4]; /* in what order they came */
} bin;

static void flush(bin *b, pen *p)
{
    static const int order[3] = {1, 2, 3};
    if (isnan(b->column)) return;
    put(p, b->x[0], b->y[0]);
    size_t done = b->at[0];
    const int swapped = b->at[2] < b->at[1];
    for (int k = 0; k < 3; k++) {
        const int i = swapped && k < 2 ? 3 - order[k] : order[k];
        if (b->at[i] <= done) continue;
        put(p, b->x[i], b->y[i]);
        done = b->at[i];
    }
    b->column = (double)NAN;
}

static void collect(bin *b, pen *p, size_t k, double x, double y)
{
    const double column = floor(x * 2);
    if (column != b->column) {
        flush(b, p);
        *b = (bin){.column = column, .x = {x, x, x, x}, .y = {y, y, y, y}, .at = {k, k, k, k}};
        return;
    }
    b->x[3] = x, b->y[3] = y, b->at[3] = k;
    if (y < b->y[1]) b->x[1] = x, b->y[1] = y, b->at[1] = k;
    if (y > b->y[2]) b->x[2] = x, b->y[2] = y, b->at[2] = k;
}

static int jumps_between(const mech_panel *panel, const figure_axis *x, const figure_axis *y, const mech_curve *c,
                         size_t k)
{
    if (!panel->is_time || k == 0) return 0;
    const double apart = figure_axis_place(x, figure_x(c, k)) - figure_axis_place(x, figure_x(c, k - 1));
    const double high = figure_axis_place(y, figure_y(c, k)) - figure_axis_place(y, figure_y(c, k - 1));
    return fabs(apart) < 1e-9 && fabs(high) > 0.004;
}

static void draw_line(const mech_curve *c, const mech_panel *panel, const figure_axis *ax, const figure_axis *ay,
                      const figure_box *box, textbuf *path, textbuf *jumps)
{
    pen p = {.out = path};
    bin b = {.column = (double)NAN};
    const int crowded = (double)c->count > 2 * box->width;
    for (size_t k = 0; k < c->count; k++) {
        const double x = box->left + figure_axis_place(ax, figure_x(c, k)) * box->width;
        const double y = box->top + (1 - figure_axis_place(ay, figure_y(c, k))) * box->height;
        if (!isfinite(x) || !isfinite(y)) {
            flush(&b, &p);
            p.is_down = 0;
            continue;
        }
        if (jumps_between(panel, ax, ay, c, k)) {
            const int was_down = p.is_down || !isnan(b.column);
            flush(&b, &p);
            if (was_down && jumps) {
                pen q = {.out = jumps};
                put(&q, p.x, p.y);
                put(&q, x, y);
            }
            p.is_down = 0;
        }
        if (crowded && panel->is_time) collect(&b, &p, k, x, y);
        else if (!crowded || !p.is_down || hypot(x - p.x, y - p.y) >= 0.4 || k + 1 == c->count) put(&p, x, y);
    }
    flush(&b, &p);
}

static void draw_rings(const mech_curve *c, const figure_axis *ax, const figure_axis *ay, const figure_box *box,
                       textbuf *path)
{
    for (size_t k = 0; k < c->count; k++) {
        const double x = box->left + figure_axis_place(ax, figure_x(c, k)) * box->width;
        const double y = box->top + (1 - figure_axis_place(ay, figure_y(c, k))) * box->height;
        if (!isfinite(x) || !isfinite(y)) continue;
        pen p = {.out = path};
        put(&p, x - 4, y);
        text_add(path, "a4 4 0 1 0 8 0a4 4 0 1 0 -8 0");
    }
}

static void draw_dots(const mech_curve *c, const figure_axis *ax, const figure_axis *ay, const figure_box *box,
                      textbuf *path)
{
    double last_x = -1, last_y = -1;
    for (size_t k = 0; k < c->count; k++) {
        const double x = box->left + figure_axis_place(ax, figure_x(c, k)) * box->width;
        const double y = box->top + (1 - figure_axis_place(ay, figure_y(c, k))) * box->height;
        if (!isfinite(x) || !isfinite(y) || (fabs(x - last_x) < 0.2 && fabs(y - last_y) < 0.2)) continue;
        pen p = {.out = path};
        put(&p, x, y);
        text_add(path, "h0");
        last_x = x;
        last_y = y;
    }
}

static void draw_bars(const mech_curve *c, const figure_axis *ax, const figure_axis *ay, const figure_box *box,
                      textbuf *path)
{
    const double half = bar_width(c) / 2, zero = ay->is_log ? 0 : fmin(fmax(figure_axis_place(ay, 0), 0), 1);
    for (size_t k = 0; k < c->count; k++) {
        const double left = box->left + figure_axis_place(ax, figure_x(c, k) - half) * box->width;
        const double right = box->left + figure_axis_place(ax, figure_x(c, k) + half) * box->width;
        const double top = box->top + (1 - figure_axis_place(ay, figure_y(c, k))) * box->height;
        const double foot = box->top + (1 - zero) * box->height;
        if (!isfinite(left + right + top)) continue;
        pen p = {.out = path};
        put(&p, left, foot);
        put(&p, left, top);
        put(&p, right, top);
        put(&p, right, foot);
        text_add_char(path, 'z');
    }
}

void figure_path(const mech_curve *c, const mech_panel *panel, const figure_axis *x, const figure_axis *y,
                 const figure_box *box, textbuf *path, textbuf *jumps)
{
    if (c->kind == MECH_CURVE_DOTS) draw_dots(c, x, y, box, path);
    else if (c->kind == MECH_CURVE_BARS) draw_bars(c, x, y, box, path);
    else if (c->kind == MECH_CURVE_RINGS) draw_rings(c, x, y, box, path);
    else draw_line(c, panel, x, y, box, path, jumps);
}
