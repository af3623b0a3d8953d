/* Pictures of numbers: a sheet of panels with curves, dots, bars or a map of cells.
 *
 *     mech_curve curve = {.x = t, .y = x, .count = rows, .name = "x"};
 *     mech_panel panel = {.size = sizeof panel, .curves = &curve, .curve_count = 1, .x_label = "t [s]", .y_label = "x [m]"};
 *     mech_sheet sheet = {.size = sizeof sheet, .panels = &panel, .panel_count = 1};
 *     mech_status status = mech_sheet_write(&sheet, "x.svg");
 *
 * Everything is borrowed for the call. Points that are not finite are gaps. No text overlaps another, and none is cut
 * but names that are longer than their place, which end in "...". */
#ifndef MECH_FIGURE_H
#define MECH_FIGURE_H

#include <mech/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mech_curve_kind {
    MECH_CURVE_LINE,
    MECH_CURVE_DASHED,
    MECH_CURVE_DOTS,
    MECH_CURVE_BARS, /* from 0 to y, centred at x */
    MECH_CURVE_RINGS /* larger than dots, and hollow */
} mech_curve_kind;

typedef struct mech_curve {
    const double *x, *y;
    size_t count;
    size_t x_stride, y_stride; /* from one to the next; 0: 1. The columns of a table by rows have its width    */
    const char *name;          /* in the legend, or NULL                                                       */
    mech_curve_kind kind;
    int colour;          /* 1 to 8; 0: the next one of its panel                                                      */
    double width;        /* of bars, in the units of x; 0: as wide as they lie apart                                  */
    const double *shade; /* of dots, one each: they are coloured by it, beside a bar; or NULL                  */
} mech_curve;

/* Cells of equal size, coloured by their values. */
typedef struct mech_field {
    size_t size;                                         /* sizeof(mech_field)                              */
    double x_low, x_high, y_low, y_high;                 /* middles of the first and the last cells         */
    size_t x_count, y_count;                             /* at least 2                                      */
    const double *values;                                /* (x_count x y_count), x fastest; NaN: left empty */
    const char *label;                                   /* of the colour bar, or NULL                      */
    size_t kinds;                                        /* 0, or values are 0, 1, ... kinds - 1            */
    const char *const *kind_names, *const *kind_colours; /* (kinds) "#8fd0a5"                               */
} mech_field;

typedef struct mech_panel {
    size_t size; /* sizeof(mech_panel)                                                                         */
    const mech_curve *curves;
    size_t curve_count;
    const mech_field *field;       /* below the curves, or NULL                                                */
    const char *x_label, *y_label; /* with units: "x [m]"; or NULL                                             */
    const char *shade_label;       /* of the bar beside shaded dots                                            */
    const double *marks;           /* places on the horizontal axis, each a thin line                          */
    const char *const *mark_names; /* or NULL; names stand where there is room                                 */
    size_t mark_count;
    int log_x, log_y;
    int equal_axes; /* one unit is as long on both axes                                                        */
    int is_time;    /* x does not decrease, and two points at one x are a jump                                 */
} mech_panel;

typedef struct mech_sheet {
    size_t size; /* sizeof(mech_sheet)                                                                         */
    const mech_panel *panels;
    size_t panel_count;
    size_t columns;           /* of panels; 0: 1 up to four panels, then 2 or 3                                 */
    const char *title, *note; /* above; below, in small letters; or NULL                                       */
} mech_sheet;

typedef enum mech_svg_use {
    MECH_SVG_FILE, /* stands alone                                                                             */
    MECH_SVG_PAGE  /* a part of a page, which gives the colours by its style                                   */
} mech_svg_use;
/* New text in *text, freed with mech_text_free. MECH_ERR_ARGUMENT: a struct without its size, or nothing to draw. */
MECH_API MECH_MUST_CHECK mech_status mech_sheet_svg(const mech_sheet *sheet, mech_svg_use use, char **text);
/* For a terminal of so many columns (at least 40), in dots of the Braille letters; each curve has its own axes. */
MECH_API MECH_MUST_CHECK mech_status mech_sheet_text(const mech_sheet *sheet, int columns, char **text);
/* To PATH by its ending: .svg; .png and .pdf by the program rsvg-convert, MECH_ERR_UNSUPPORTED without it. Written
   aside and renamed. MECH_ERR_ARGUMENT: another ending, or as above. */
MECH_API MECH_MUST_CHECK mech_status mech_sheet_write(const mech_sheet *sheet, const char *path);

#ifdef __cplusplus
}
#endif
#endif
