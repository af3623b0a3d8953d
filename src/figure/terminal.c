/* A sheet for people without a screen: each curve in its own axes, eight dots to a letter. */
#include "figure/figure.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 10, NUMBERS = 11, LEAST = 40, MOST = 400 };

typedef struct canvas {
    int columns;         /* of letters */
    unsigned char *dots; /* (columns x ROWS) */
} canvas;

static void dot(canvas *c, int x, int y) /* from the top left */
{
    static const unsigned char bit[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    if (x < 0 || y < 0 || x >= 2 * c->columns || y >= 4 * ROWS) return;
    c->dots[y / 4 * c->columns + x / 2] |= bit[y % 4][x % 2];
}

static void line(canvas *c, int x0, int y0, int x1, int y1)
{
    const int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);
    for (int k = 0; k <= steps; k++) {
        const double part = steps ? (double)k / steps : 0;
        dot(c, x0 + (int)lround(part * (x1 - x0)), y0 + (int)lround(part * (y1 - y0)));
    }
}

static void draw(canvas *c, const mech_curve *curve, const figure_axis *ax, const figure_axis *ay)
{
    int is_down = 0, last_x = 0, last_y = 0;
    memset(c->dots, 0, (size_t)c->columns * ROWS);
    for (size_t k = 0; k < curve->count; k++) {
        const double px = figure_axis_place(ax, figure_x(curve, k)), py = figure_axis_place(ay, figure_y(curve, k));
        if (!isfinite(px) || !isfinite(py)) {
            is_down = 0;
            continue;
        }
        const int x = (int)lround(px * (2 * c->columns - 1)), y = (int)lround((1 - py) * (4 * ROWS - 1));
        if (curve->kind == MECH_CURVE_BARS)
            line(c, x, y, x, (int)lround((1 - fmax(figure_axis_place(ay, 0), 0)) * (4 * ROWS - 1)));
        else if (is_down && curve->kind != MECH_CURVE_DOTS && curve->kind != MECH_CURVE_RINGS)
            line(c, last_x, last_y, x, y);
        else dot(c, x, y);
        is_down = 1;
        last_x = x;
        last_y = y;
    }
}

static void put_cell(textbuf *out, unsigned char dots)
{
    const char letter[4] = {(char)0xE2, (char)(0xA0 + (dots >> 6)), (char)(0x80 + (dots & 63)), 0};
    text_add(out, dots ? letter : " ");
}

static size_t letters(const char *text)
{
    size_t count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void spaces(textbuf *out, size_t count)
{
    while (count--) text_add_char(out, ' ');
}

static void put_axes(const canvas *c, const figure_axis *ax, const figure_axis *ay, textbuf *out)
{
    for (int row = 0; row < ROWS; row++) {
        const char *label = "";
        for (int k = 0; k < ay->count; k++)
            if ((int)lround((1 - figure_axis_place(ay, ay->ticks[k])) * (ROWS - 1)) == row) label = ay->labels[k];
        const size_t wide = letters(label);
        spaces(out, wide < NUMBERS - 2 ? NUMBERS - 2 - wide : 0);
        text_format(out, "%s %s", label, *label ? "┤" : "│");
        int end = c->columns;
        while (end > 0 && !c->dots[row * c->columns + end - 1]) end--;
        for (int k = 0; k < end; k++) put_cell(out, c->dots[row * c->columns + k]);
        text_add_char(out, '\n');
    }
    spaces(out, NUMBERS - 1);
    text_add(out, "└");
    for (int k = 0; k < c->columns; k++) text_add(out, "─");
    text_add_char(out, '\n');
    size_t used = 0;
    for (int k = 0; k < ax->count; k++) {
        const size_t wide = letters(ax->labels[k]);
        const double middle = NUMBERS + figure_axis_place(ax, ax->ticks[k]) * (c->columns - 1);
        const size_t from = middle > (double)wide / 2 ? (size_t)(middle - (double)wide / 2 + 0.5) : 0;
        if (k && from < used + 2) continue;
        spaces(out, from > used ? from - used : 0);
        text_add(out, ax->labels[k]);
        used = (from > used ? from : used) + wide;
    }
    text_add_char(out, '\n');
}

static void put_title(const mech_panel *p, const mech_curve *c, const figure_axis *ay, textbuf *out)
{
    const char *label = p->y_label ? p->y_label : "";
    if (c->name && p->curve_count > 1) text_format(out, "%s%s%s", c->name, *label ? "   " : "", label);
    else text_add(out, *label ? label : c->name ? c->name : "");
    if (*ay->note) text_format(out, "   %s", ay->note);
    text_add_char(out, '\n');
}

static void put_marks(const mech_panel *p, const figure_axis *ax, const canvas *c, textbuf *out)
{
    size_t used = 0;
    if (!p->mark_count) return;
    spaces(out, NUMBERS);
    for (size_t k = 0; k < p->mark_count; k++) {
        const double place = figure_axis_place(ax, p->marks[k]);
        const size_t at = place >= 0 && place <= 1 ? (size_t)(place * (c->columns - 1)) : 0;
        if (!(place >= 0 && place <= 1) || (used && at < used)) continue;
        spaces(out, at - used);
        text_add(out, "▴");
        used = at + 1;
    }
    text_add_char(out, '\n');
}

mech_status mech_sheet_text(const mech_sheet *s, int columns, char **text)
{
    textbuf out = {0};
    *text = NULL;
    if (figure_check(s) != MECH_OK) return MECH_ERR_ARGUMENT;
    columns = columns < LEAST ? LEAST : columns > MOST ? MOST : columns;
    canvas c = {.columns = columns - NUMBERS - 1};
    c.dots = mem_alloc((size_t)c.columns * ROWS);
    if (!c.dots) return MECH_ERR_MEMORY;
    if (s->title) text_format(&out, "%s\n\n", s->title);
    for (size_t k = 0; k < s->panel_count; k++) {
        const mech_panel *p = &s->panels[k];
        double all_x[2], all_y[2];
        (void)figure_range(p, all_x, all_y);
        for (size_t i = 0; i < p->curve_count; i++) {
            mech_panel alone = *p;
            double x[2], y[2];
            figure_axis ax, ay;
            alone.curves = &p->curves[i];
            alone.curve_count = 1;
            alone.field = NULL;
            if (!figure_range(&alone, x, y)) continue;
            if (p->is_time) memcpy(x, all_x, sizeof x);
            figure_axis_make(&ax, x[0], x[1], p->log_x, 0, (c.columns) / 12);
            figure_axis_make(&ay, y[0], y[1], p->log_y, 0, 4);
            draw(&c, &p->curves[i], &ax, &ay);
            put_title(p, &p->curves[i], &ay, &out);
            put_axes(&c, &ax, &ay, &out);
            put_marks(p, &ax, &c, &out);
            if (i + 1 == p->curve_count && p->x_label) {
                spaces(&out, NUMBERS);
                text_format(&out, "%s%s%s%s\n", p->x_label, *ax.note ? "   " : "", ax.note,
                            p->mark_count ? "   (▴ events)" : "");
            }
            text_add_char(&out, '\n');
        }
        if (p->field) text_add(&out, "a map of cells: name a file for it, such as map.svg, in place of -\n\n");
    }
    if (s->note) text_format(&out, "%s\n", s->note);
    mem_free(c.dots);
    *text = out.failed ? NULL : text_take(&out);
    text_free(&out);
    return *text ? MECH_OK : MECH_ERR_MEMORY;
}
