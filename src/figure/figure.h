/* Inside the room: axes with their ticks, how wide letters are, curves as paths. */
#ifndef FIGURE_FIGURE_H
#define FIGURE_FIGURE_H

#include <mech/figure.h>

#include "base/text.h"

enum { MOST_TICKS = 24, TICK_TEXT = 24, AXIS_NOTE = 64, CURVE_COLOURS = 8 };
enum { FONT_SIZE = 12, TICK_SIZE = 11 };
extern const char *const figure_colours[CURVE_COLOURS];

typedef struct figure_axis {
    double low, high; /* of the range; on a logarithmic axis of the logarithms */
    int is_log;
    int count;
    double ticks[MOST_TICKS]; /* values */
    char labels[MOST_TICKS][TICK_TEXT];
    char note[AXIS_NOTE]; /* what the labels leave out: "×10⁻³", "+ 1.25" */
} figure_axis;

/* The range of values from low to high with about `most` ticks; pads: a little room at both ends. */
void figure_axis_make(figure_axis *axis, double low, double high, int is_log, int pads, int most);
/* Fewer ticks, until labels of this size fit along so many pixels. */
void figure_axis_thin(figure_axis *axis, double pixels, double size);
/* Where a value lies, from 0 to 1. NaN: nowhere. */
double figure_axis_place(const figure_axis *axis, double value);
double figure_widest_label(const figure_axis *axis, double size);

/* How wide a text is in pixels, in letters of this size. */
double figure_text_width(const char *text, double size);
/* The text, cut to the width with "..." at its end. */
void figure_text_fit(textbuf *out, const char *text, double size, double width);

/* Ranges of all curves of a panel; 0: no point is finite (and above 0 where the axis is logarithmic). */
int figure_range(const mech_panel *panel, double x[2], double y[2]);
double figure_x(const mech_curve *curve, size_t k);
double figure_y(const mech_curve *curve, size_t k);

/* A rectangle on the sheet, in pixels from the top left. */
typedef struct figure_box {
    double left, top, width, height;
} figure_box;
/* A curve as the data of an SVG path; `jumps` receives the upright pieces of a jump. */
void figure_path(const mech_curve *curve, const mech_panel *panel, const figure_axis *x, const figure_axis *y,
                 const figure_box *box, textbuf *path, textbuf *jumps);
/* A number with one decimal at most: 12.5, 7. */
void figure_pixel(textbuf *out, double value);
/* Text of a user in XML. */
void figure_escape(textbuf *out, const char *text);

mech_status figure_check(const mech_sheet *sheet);

#endif
