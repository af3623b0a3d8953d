/* A sheet as SVG. Every text is measured before it is placed. */
#include "figure/figure.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

const char *const figure_colours[CURVE_COLOURS] = {"#0b6fb3", "#d1495b", "#2a9d5c", "#d98e04",
                                                   "#6a4c93", "#3a3a3a", "#17a2b8", "#8d6e63"};

enum { GAP = 14, TITLE = 28, NOTE = 20, LABEL = 22, TICKS = 18, X_LABEL = 18, LEGEND_LINE = 16, BAR = 14 };

typedef struct frame { /* a panel on the sheet */
    const mech_panel *panel;
    figure_axis x, y;
    figure_box box;     /* of the axes */
    double left, right; /* margins: numbers, and legend or colour bar */
    int shows_x_label;
} frame;

void figure_escape(textbuf *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '&') text_add(out, "&amp;");
        else if (*s == '<') text_add(out, "&lt;");
        else if (*s == '>') text_add(out, "&gt;");
        else if (*s == '"') text_add(out, "&quot;");
        else if ((unsigned char)*s >= 0x20) text_add_char(out, *s);
    }
}

static void put_text(textbuf *out, const char *style, double x, double y, const char *anchor, const char *text,
                     double size, double width)
{
    text_format(out, "<text class=\"%s\" x=\"", style);
    figure_pixel(out, x);
    text_add(out, "\" y=\"");
    figure_pixel(out, y);
    text_add(out, "\"");
    if (*anchor) text_format(out, " text-anchor=\"%s\"", anchor);
    text_add(out, ">");
    figure_text_fit(out, text, size, width);
    text_add(out, "</text>\n");
}

static void put_line(textbuf *out, const char *style, double x1, double y1, double x2, double y2)
{
    text_format(out, "<path class=\"%s\" d=\"M", style);
    figure_pixel(out, x1);
    text_add_char(out, ' ');
    figure_pixel(out, y1);
    text_add_char(out, ' ');
    figure_pixel(out, x2);
    text_add_char(out, ' ');
    figure_pixel(out, y2);
    text_add(out, "\"/>\n");
}

static size_t named_curves(const mech_panel *p)
{
    size_t count = 0;
    for (size_t k = 0; k < p->curve_count; k++) count += p->curves[k].name != NULL;
    return count;
}

static int has_legend(const mech_panel *p) { return named_curves(p) > 1 || (p->field && p->field->kinds); }

/* The curve whose dots are coloured by a value, or NULL. */
static const mech_curve *shaded(const mech_panel *p)
{
    for (size_t k = 0; k < p->curve_count; k++)
        if (p->curves[k].shade && p->curves[k].kind == MECH_CURVE_DOTS) return &p->curves[k];
    return NULL;
}

static int has_bar(const mech_panel *p) { return (p->field && !p->field->kinds) || shaded(p); }

static double legend_width(const mech_panel *p, double most)
{
    double width = 0;
    if (has_bar(p) && !has_legend(p)) return BAR + 52;
    if (!has_legend(p)) return GAP;
    for (size_t k = 0; k < p->curve_count; k++)
        if (p->curves[k].name) width = fmax(width, figure_text_width(p->curves[k].name, FONT_SIZE));
    for (size_t k = 0; p->field && k < p->field->kinds; k++)
        width = fmax(width, figure_text_width(p->field->kind_names[k], FONT_SIZE));
    return fmin(width * 1.04 + 2, most) + 38;
}

static double panel_height(const mech_panel *p, size_t panels)
{
    const double lines = (double)(named_curves(p) + (p->field ? p->field->kinds : 0)) * LEGEND_LINE + 8;
    return fmax(has_legend(p) ? lines : 0, panels == 1 ? 320 : panels <= 4 ? 190 : 150);
}

/* One unit as long on both axes: the axis with room to spare shows more. */
static void equalize(frame *f)
{
    const double per_x = (f->x.high - f->x.low) / f->box.width, per_y = (f->y.high - f->y.low) / f->box.height;
    figure_axis *wide = per_x < per_y ? &f->x : &f->y;
    const double half = (per_x < per_y ? per_y * f->box.width : per_x * f->box.height) / 2,
                 middle = (wide->low + wide->high) / 2;
    wide->low = middle - half;
    wide->high = middle + half;
}

static void put_grid(const frame *f, textbuf *out)
{
    const figure_box *b = &f->box;
    for (int k = 0; k < f->x.count; k++) {
        const double x = b->left + figure_axis_place(&f->x, f->x.ticks[k]) * b->width;
        put_line(out, "grid", x, b->top, x, b->top + b->height);
        put_text(out, "tick", x, b->top + b->height + 14, "middle", f->x.labels[k], TICK_SIZE, 1e9);
    }
    for (int k = 0; k < f->y.count; k++) {
        const double y = b->top + (1 - figure_axis_place(&f->y, f->y.ticks[k])) * b->height;
        put_line(out, "grid", b->left, y, b->left + b->width, y);
        put_text(out, "tick", b->left - 6, y + 4, "end", f->y.labels[k], TICK_SIZE, 1e9);
    }
}

static void put_labels(const frame *f, textbuf *out)
{
    const figure_box *b = &f->box;
    const mech_panel *p = f->panel;
    for (int is_x = 0; is_x < 2; is_x++) {
        const char *name = is_x ? p->x_label : p->y_label, *note = is_x ? f->x.note : f->y.note;
        if (is_x && !f->shows_x_label && !*note) continue;
        textbuf label = {0};
        if (name && (!is_x || f->shows_x_label)) text_add(&label, name);
        if (*note) text_format(&label, "%s%s", label.length ? "   " : "", note);
        if (label.length && is_x)
            put_text(out, "label", b->left + b->width / 2, b->top + b->height + TICKS + 14, "middle", label.data,
                     FONT_SIZE, b->width + f->left);
        else if (label.length)
            put_text(out, "label", b->left - f->left + 4, b->top - 8, "", label.data, FONT_SIZE, b->width + f->left);
        out->failed |= label.failed;
        text_free(&label);
    }
}

/* Too many marks for names: what they are of, and how many, above the axes. */
static void put_mark_count(const frame *f, textbuf *out)
{
    const mech_panel *p = f->panel;
    textbuf words = {0};
    text_format(&words, "%zu marks", p->mark_count);
    const char *first = p->mark_names ? p->mark_names[0] : NULL;
    int is_one = first != NULL;
    for (size_t k = 1; k < p->mark_count && is_one; k++)
        is_one = p->mark_names[k] && strcmp(p->mark_names[k], first) == 0;
    if (is_one) text_format(&words, ": %s", first);
    put_text(out, "markname", f->box.left + f->box.width, f->box.top - 4, "end", words.data ? words.data : "",
             TICK_SIZE, f->box.width / 2);
    out->failed |= words.failed;
    text_free(&words);
}

/* Events: lines while they can be told apart, else ticks at the upper edge; names where there is room. */
static void put_marks(const frame *f, textbuf *out)
{
    const figure_box *b = &f->box;
    const mech_panel *p = f->panel;
    const int is_crowded = (double)p->mark_count > b->width / 8;
    double free_from = -1e9, drawn = -1e9;
    if (!p->mark_count) return;
    text_format(out, "<path class=\"mark%s\" d=\"", is_crowded ? " rug" : "");
    for (size_t k = 0; k < p->mark_count; k++) {
        const double place = figure_axis_place(&f->x, p->marks[k]);
        if (!(place >= 0 && place <= 1) || (is_crowded && fabs(place * b->width - drawn) < 0.5)) continue;
        drawn = place * b->width;
        text_add_char(out, 'M');
        figure_pixel(out, b->left + drawn);
        text_add_char(out, ' ');
        figure_pixel(out, b->top);
        text_add(out, "v");
        figure_pixel(out, is_crowded ? 7 : b->height);
    }
    text_add(out, "\"/>\n");
    if (is_crowded) {
        put_mark_count(f, out);
        return;
    }
    for (size_t k = 0; k < p->mark_count && p->mark_names; k++) {
        const double x = b->left + figure_axis_place(&f->x, p->marks[k]) * b->width + 3;
        const double width = p->mark_names[k] ? figure_text_width(p->mark_names[k], TICK_SIZE) : 1e9;
        if (!(x >= free_from && x + width < b->left + b->width)) continue;
        put_text(out, "markname", x, b->top + 12, "", p->mark_names[k], TICK_SIZE, 1e9);
        free_from = x + width + 8;
    }
}

static int colour_of(const mech_panel *p, size_t curve)
{
    const int given = p->curves[curve].colour;
    return given > 0 ? (given - 1) % CURVE_COLOURS : (int)(curve % CURVE_COLOURS);
}

static const char *kind_style(mech_curve_kind kind)
{
    return kind == MECH_CURVE_DASHED ? " dashed"
           : kind == MECH_CURVE_DOTS ? " dots"
           : kind == MECH_CURVE_BARS ? " bars"
                                     : "";
}

/* From dark blue over green to yellow, evenly lighter: readable without colours too. */
static void shade(double part, int rgb[3])
{
    static const double stops[5][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    const double at = fmin(fmax(part, 0), 1) * 4;
    const int k = at >= 4 ? 3 : (int)at;
    for (int i = 0; i < 3; i++) rgb[i] = (int)lround(stops[k][i] + (at - k) * (stops[k + 1][i] - stops[k][i]));
}

enum { SHADES = 64 };

static void put_shade(textbuf *out, int class)
{
    int rgb[3];
    shade((class + 0.5) / SHADES, rgb);
    text_format(out, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static void range_of(const double *values, size_t count, double *low, double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(values[k])) continue;
        *low = fmin(*low, values[k]);
        *high = fmax(*high, values[k]);
    }
}

static int shade_class(double value, double low, double high)
{
    if (!isfinite(value)) return -1;
    return high > low ? (int)fmin(floor((value - low) / (high - low) * SHADES), SHADES - 1) : SHADES / 2;
}

static void put_shaded(const frame *f, const mech_curve *c, textbuf *out)
{
    double low, high;
    range_of(c->shade, c->count, &low, &high);
    for (int class = 0; class < SHADES; class ++) {
        textbuf path = {0};
        for (size_t k = 0; k < c->count; k++) {
            const double x = figure_x(c, k), y = figure_y(c, k);
            const mech_curve one = {.x = &x, .y = &y, .count = 1, .kind = MECH_CURVE_DOTS};
            if (shade_class(c->shade[k], low, high) == class)
                figure_path(&one, f->panel, &f->x, &f->y, &f->box, &path, NULL);
        }
        if (path.length) {
            text_add(out, "<path class=\"curve dots\" stroke=\"");
            put_shade(out, class);
            text_format(out, "\" d=\"%s\"/>\n", path.data);
        }
        out->failed |= path.failed;
        text_free(&path);
    }
}

static void put_curves(const frame *f, textbuf *out)
{
    for (size_t k = 0; k < f->panel->curve_count; k++) {
        const mech_curve *c = &f->panel->curves[k];
        textbuf path = {0}, jumps = {0};
        if (c->shade && c->kind == MECH_CURVE_DOTS) {
            put_shaded(f, c, out);
            continue;
        }
        figure_path(c, f->panel, &f->x, &f->y, &f->box, &path, &jumps);
        const int colour = colour_of(f->panel, k);
        text_format(out, "<path class=\"curve c%d%s\" d=\"%s\"/>\n", colour, kind_style(c->kind),
                    path.data ? path.data : "");
        if (jumps.length) text_format(out, "<path class=\"curve c%d jump\" d=\"%s\"/>\n", colour, jumps.data);
        out->failed |= path.failed | jumps.failed;
        text_free(&path);
        text_free(&jumps);
    }
}

static void put_legend(const frame *f, textbuf *out)
{
    const mech_panel *p = f->panel;
    const double x = f->box.left + f->box.width + 10;
    double y = f->box.top + 12;
    if (!has_legend(p)) return;
    for (size_t k = 0; p->field && k < p->field->kinds; k++, y += LEGEND_LINE) {
        text_add(out, "<rect x=\"");
        figure_pixel(out, x);
        text_add(out, "\" y=\"");
        figure_pixel(out, y - 9);
        text_format(out, "\" width=\"18\" height=\"10\" fill=\"%s\"/>\n", p->field->kind_colours[k]);
        put_text(out, "label", x + 24, y, "", p->field->kind_names[k], FONT_SIZE, f->right - 36);
    }
    for (size_t k = 0; k < p->curve_count; k++) {
        if (!p->curves[k].name) continue;
        text_format(out, "<path class=\"curve c%d%s\" d=\"M", colour_of(p, k), kind_style(p->curves[k].kind));
        const mech_curve_kind kind = p->curves[k].kind;
        figure_pixel(out, kind == MECH_CURVE_DOTS ? x + 9 : kind == MECH_CURVE_RINGS ? x + 5 : x);
        text_add_char(out, ' ');
        figure_pixel(out, y - 4);
        text_add(out, kind == MECH_CURVE_DOTS    ? "h0\"/>\n"
                      : kind == MECH_CURVE_RINGS ? "a4 4 0 1 0 8 0a4 4 0 1 0 -8 0\"/>\n"
                                                 : "h18\"/>\n");
        text_add(out, "<g><title>");
        figure_escape(out, p->curves[k].name);
        text_add(out, "</title>");
        put_text(out, "label", x + 24, y, "", p->curves[k].name, FONT_SIZE, f->right - 36);
        text_add(out, "</g>");
        y += LEGEND_LINE;
    }
}

/* ---- fields ---- */

static int class_of(const mech_field *f, double value, double low, double high)
{
    if (!f->kinds) return shade_class(value, low, high);
    return value >= 0 && value < (double)f->kinds ? (int)value : -1;
}

static void put_rect(textbuf *out, double left, double top, double width, double height, const char *fill)
{
    text_add(out, "<rect x=\"");
    figure_pixel(out, left);
    text_add(out, "\" y=\"");
    figure_pixel(out, top);
    text_add(out, "\" width=\"");
    figure_pixel(out, width);
    text_add(out, "\" height=\"");
    figure_pixel(out, height);
    text_format(out, "\" fill=\"%s\"/>\n", fill);
}

static const char *fill_of(const mech_field *f, int class, textbuf *buffer)
{
    if (f && f->kinds) return f->kind_colours[class];
    buffer->length = 0;
    put_shade(buffer, class);
    return buffer->data ? buffer->data : "";
}

static void put_bar(const frame *f, double low, double high, const char *name, textbuf *out)
{
    const figure_box *b = &f->box;
    const double lines = has_legend(f->panel) ? (double)(named_curves(f->panel) * LEGEND_LINE + 30) : 0;
    const double left = b->left + b->width + 10, top = b->top + lines, height = b->height - lines;
    figure_axis axis;
    textbuf buffer = {0}, label = {0};
    if (!(low <= high) || height < 40) return;
    figure_axis_make(&axis, low, high, 0, 0, (int)(height / 40));
    for (int k = 0; k < SHADES; k++)
        put_rect(out, left, top + height * (1 - (k + 1.0) / SHADES), BAR, height / SHADES + 0.5,
                 fill_of(NULL, k, &buffer));
    for (int k = 0; k < axis.count; k++)
        put_text(out, "tick", left + BAR + 4, top + (1 - figure_axis_place(&axis, axis.ticks[k])) * height + 4, "",
                 axis.labels[k], TICK_SIZE, 1e9);
    text_format(&label, "%s%s%s", name ? name : "", *axis.note ? " " : "", axis.note);
    put_text(out, "label", b->left + b->width + f->right - 4, top - 8, "end", label.data ? label.data : "", FONT_SIZE,
             lines > 0 ? f->right - 14 : b->width / 2 + f->right);
    out->failed |= label.failed | buffer.failed;
    text_free(&label);
    text_free(&buffer);
}

static void put_field(const frame *f, textbuf *out)
{
    const mech_field *field = f->panel->field;
    const figure_box *b = &f->box;
    double low, high;
    textbuf buffer = {0};
    if (!field) return;
    range_of(field->values, field->x_count * field->y_count, &low, &high);
    const double width = b->width / (double)field->x_count, height = b->height / (double)field->y_count;
    for (size_t j = 0; j < field->y_count; j++)
        for (size_t i = 0, end; i < field->x_count; i = end) {
            const double *row = field->values + j * field->x_count;
            const int class = class_of(field, row[i], low, high);
            end = i + 1;
            while (end < field->x_count && class_of(field, row[end], low, high) == class) end++;
            if (class < 0) continue;
            put_rect(out, b->left + width * (double)i, b->top + b->height - height * (double)(j + 1),
                     width * (double)(end - i) + 0.3, height + 0.3, fill_of(field, class, &buffer));
        }
    if (!field->kinds) put_bar(f, low, high, field->label, out);
    out->failed |= buffer.failed;
    text_free(&buffer);
}

/* ---- the sheet ---- */

static void put_frame(const frame *f, textbuf *out)
{
    const figure_box *b = &f->box;
    text_format(out, "<g class=\"panel\" data-x=\"%.9g %.9g %d\" data-time=\"%d\" data-box=\"", f->x.low, f->x.high,
                f->x.is_log, f->panel->is_time);
    figure_pixel(out, b->left);
    text_add_char(out, ' ');
    figure_pixel(out, b->top);
    text_add_char(out, ' ');
    figure_pixel(out, b->width);
    text_add_char(out, ' ');
    figure_pixel(out, b->height);
    text_add(out, "\">\n");
    put_field(f, out);
    put_grid(f, out);
    text_add(out, "<path class=\"axis\" d=\"M");
    figure_pixel(out, b->left);
    text_add_char(out, ' ');
    figure_pixel(out, b->top);
    text_add_char(out, 'v');
    figure_pixel(out, b->height);
    text_add_char(out, 'h');
    figure_pixel(out, b->width);
    text_add(out, "\"/>\n");
    put_curves(f, out);
    if (shaded(f->panel)) {
        double low, high;
        range_of(shaded(f->panel)->shade, shaded(f->panel)->count, &low, &high);
        put_bar(f, low, high, f->panel->shade_label, out);
    }
    put_marks(f, out);
    put_labels(f, out);
    put_legend(f, out);
    text_add(out, "</g>\n");
}

static void put_style(textbuf *out)
{
    text_add(
        out,
        "<style>text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;fill:#333;font-size:12px}"
        ".title{font-size:14px;font-weight:bold}.tick,.markname{font-size:11px;fill:#555}.note{font-size:11px;fill:#777}"
        "path{fill:none;stroke-linejoin:round}.grid{stroke:#e3e3e3;stroke-width:.8}.axis{stroke:#444}"
        ".mark{stroke:#999;stroke-dasharray:4 3;stroke-width:.8}.rug{stroke-dasharray:none}"
        ".curve{stroke-width:1.5}.dashed{stroke-dasharray:6 4;stroke-width:2}.jump{stroke-dasharray:1 3;stroke-width:1.2}"
        ".dots{stroke-width:2.6;stroke-linecap:round}.bars{stroke-width:.5;fill-opacity:.6}");
    for (int k = 0; k < CURVE_COLOURS; k++)
        text_format(out, ".c%d{stroke:%s}.bars.c%d{fill:%s}", k, figure_colours[k], k, figure_colours[k]);
    text_add(out, "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

typedef struct plan { /* how the sheet is divided */
    frame *frames;
    size_t count, columns, rows;
    double width, height, column_width;
} plan;

static mech_status make_frames(const mech_sheet *s, plan *p)
{
    for (size_t k = 0; k < p->count; k++) {
        double x[2], y[2];
        frame *f = &p->frames[k];
        f->panel = &s->panels[k];
        if (!figure_range(f->panel, x, y)) x[0] = y[0] = f->panel->log_x || f->panel->log_y ? 1 : 0, x[1] = y[1] = 1;
        f->box.height = panel_height(f->panel, p->count);
        const int is_map = f->panel->field != NULL;
        figure_axis_make(&f->x, x[0], x[1], f->panel->log_x, !is_map && !f->panel->is_time && !f->panel->log_x, 10);
        figure_axis_make(&f->y, y[0], y[1], f->panel->log_y, !is_map, (int)(f->box.height / 34));
        if (f->panel->mark_count && !is_map) /* room for them above the curves */
            f->y.high += (f->y.high - f->y.low) * (f->panel->mark_names ? 12 : 6) / f->box.height;
        f->left = figure_widest_label(&f->y, TICK_SIZE) + 14;
        f->right = legend_width(f->panel, p->columns == 1 ? 190 : 90);
    }
    return MECH_OK;
}

/* Margins are the same in a column of panels, so that their axes stand below one another. */
static void place(const mech_sheet *s, plan *p)
{
    double top = s->title ? TITLE + 6 : 6;
    for (size_t k = 0; k < p->count; k++)
        for (size_t other = k % p->columns; other < p->count; other += p->columns) {
            p->frames[k].left = fmax(p->frames[k].left, p->frames[other].left);
            p->frames[k].right = fmax(p->frames[k].right, p->frames[other].right);
        }
    for (size_t row = 0; row < p->rows; row++) {
        double height = 0;
        int has_label = 0;
        for (size_t k = row * p->columns; k < (row + 1) * p->columns && k < p->count; k++) {
            frame *f = &p->frames[k];
            const frame *below = k + p->columns < p->count ? f + p->columns : NULL;
            const char *label = f->panel->x_label, *next = below ? below->panel->x_label : NULL;
            f->shows_x_label = label && !(next && strcmp(label, next) == 0);
            f->box.left = p->column_width * (double)(k % p->columns) + f->left;
            f->box.width = p->column_width - f->left - f->right;
            f->box.top = top + LABEL;
            if (f->panel->equal_axes && !f->panel->log_x && !f->panel->log_y) equalize(f);
            figure_axis_thin(&f->x, f->box.width, TICK_SIZE);
            if (f->panel->equal_axes) figure_axis_make(&f->y, f->y.low, f->y.high, 0, 0, (int)(f->box.height / 34));
            has_label |= f->shows_x_label || *f->x.note;
            height = fmax(height, f->box.height);
        }
        top += LABEL + height + TICKS + (has_label ? X_LABEL : 0) + 6;
    }
    p->height = top + (s->note ? NOTE : 4);
}

mech_status figure_check(const mech_sheet *s)
{
    if (!s || s->size != sizeof *s || !s->panel_count) return MECH_ERR_ARGUMENT;
    for (size_t k = 0; k < s->panel_count; k++) {
        const mech_panel *p = &s->panels[k];
        if (p->size != sizeof *p || (!p->curve_count && !p->field)) return MECH_ERR_ARGUMENT;
        if (p->field && (p->field->size != sizeof *p->field || p->field->x_count < 2 || p->field->y_count < 2))
            return MECH_ERR_ARGUMENT;
    }
    return MECH_OK;
}

mech_status mech_sheet_svg(const mech_sheet *s, mech_svg_use use, char **text)
{
    textbuf out = {0};
    *text = NULL;
    if (figure_check(s) != MECH_OK) return MECH_ERR_ARGUMENT;
    plan p = {.count = s->panel_count, .columns = s->columns};
    if (!p.columns) p.columns = p.count <= 4 ? 1 : p.count <= 12 ? 2 : 3;
    if (p.columns > p.count) p.columns = p.count;
    p.rows = (p.count + p.columns - 1) / p.columns;
    p.width = p.columns == 1 ? 720 : 1080;
    p.column_width = p.width / (double)p.columns;
    p.frames = mem_zeroed(p.count, sizeof *p.frames);
    if (!p.frames) return MECH_ERR_MEMORY;
    mech_status status = make_frames(s, &p);
    place(s, &p);
    text_format(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" viewBox=\"0 0 %d %d\"", (int)p.width,
                (int)ceil(p.height));
    if (use == MECH_SVG_FILE) text_format(&out, " width=\"%d\" height=\"%d\"", (int)p.width, (int)ceil(p.height));
    text_add(&out, ">\n");
    if (use == MECH_SVG_FILE) put_style(&out);
    if (s->title) put_text(&out, "title", p.width / 2, 20, "middle", s->title, 14 * 1.08, p.width - 20);
    for (size_t k = 0; k < p.count; k++) put_frame(&p.frames[k], &out);
    if (s->note) put_text(&out, "note", 8, ceil(p.height) - 6, "", s->note, TICK_SIZE, p.width - 16);
    text_add(&out, "</svg>\n");
    mem_free(p.frames);
    if (out.failed) status = MECH_ERR_MEMORY;
    if (status == MECH_OK) *text = text_take(&out);
    text_free(&out);
    return status == MECH_OK && !*text ? MECH_ERR_MEMORY : status;
}
