/* Figures say what the numbers say: paths are read back from the SVG and compared with closed forms; labels are all
   different, none overlaps its neighbour. */
#include "check.h"

#include <mech/output.h>

#include "figure/figure.h"

#include <stdlib.h>

enum { COUNT = 2001 };
static double t[COUNT], x[COUNT];

static char *svg_of(const mech_panel *panel)
{
    const mech_sheet sheet = {.size = sizeof sheet, .panels = panel, .panel_count = 1};
    char *text = NULL;
    CHECK(mech_sheet_svg(&sheet, MECH_SVG_FILE, &text) == MECH_OK);
    return text;
}

/* The numbers behind an attribute or within a path. */
static size_t numbers(const char *at, double *values, size_t most)
{
    size_t count = 0;
    while (*at && *at != '"' && count < most) {
        char *end;
        const double value = strtod(at, &end);
        if (end == at) at++;
        else values[count++] = value, at = end;
    }
    return count;
}

static double tick_value(const char *svg, const char *label)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, ">%s</text>", label);
    return strstr(svg, wanted) ? atof(label) : (double)NAN;
}

/* sin over ten periods: each point of the path lies on it, and its crests are there. */
static void shows_a_sine(void)
{
    static double points[8 * COUNT];
    double box[4], range[3], lowest = 1e9, highest = -1e9;
    for (size_t k = 0; k < COUNT; k++) t[k] = (double)k * 0.01, x[k] = sin(3.14159265358979 * t[k]);
    const mech_curve curve = {.x = t, .y = x, .count = COUNT, .name = "x"};
    const mech_panel panel = {
        .size = sizeof panel, .curves = &curve, .curve_count = 1, .x_label = "t [s]", .is_time = 1};
    char *svg = svg_of(&panel);
    CHECK(numbers(strstr(svg, "data-box=\"") + 10, box, 4) == 4 &&
          numbers(strstr(svg, "data-x=\"") + 8, range, 3) == 3);
    CHECK_NEAR(range[0], 0, 0);
    CHECK_NEAR(range[1], 20, 0);
    const size_t count = numbers(strstr(strstr(svg, "<path class=\"curve"), " d=\"") + 4, points, 8 * COUNT);
    CHECK(count > 1000);
    for (size_t k = 0; k + 1 < count; k += 2)
        lowest = fmin(lowest, points[k + 1]), highest = fmax(highest, points[k + 1]);
    for (size_t k = 0; k + 1 < count; k += 2) { /* crests are 1 and -1: they give the scale */
        const double at = range[1] * (points[k] - box[0]) / box[2];
        const double value = 1 - 2 * (points[k + 1] - lowest) / (highest - lowest);
        CHECK(fabs(value - sin(3.14159265358979 * at)) < 0.02); /* a tenth of a pixel is 0.0046 s, 0.015 of the sine */
    }
    mech_text_free(svg);
}

/* A jump at one time is no slope: the line is interrupted, and an upright piece stands there. */
static void shows_a_jump(void)
{
    const double at[] = {0, 1, 1, 2}, value[] = {0, 1, -1, 0};
    double points[16];
    const mech_curve curve = {.x = at, .y = value, .count = 4};
    const mech_panel panel = {.size = sizeof panel, .curves = &curve, .curve_count = 1, .is_time = 1};
    char *svg = svg_of(&panel);
    const char *jump = strstr(svg, " jump\" d=\"");
    CHECK(jump && numbers(jump + 10, points, 16) == 4 && points[0] == points[2] && points[1] != points[3]);
    mech_text_free(svg);
}

static void has_different_labels(double low, double high, int is_log)
{
    figure_axis axis;
    figure_axis_make(&axis, low, high, is_log, 0, 8);
    figure_axis_thin(&axis, 500, 11);
    CHECK(axis.count >= 2);
    for (int k = 0; k + 1 < axis.count; k++) {
        const double apart = figure_axis_place(&axis, axis.ticks[k + 1]) - figure_axis_place(&axis, axis.ticks[k]);
        CHECK(strcmp(axis.labels[k], axis.labels[k + 1]) != 0);
        CHECK(500 * apart > (figure_text_width(axis.labels[k], 11) + figure_text_width(axis.labels[k + 1], 11)) / 2);
        CHECK(strlen(axis.labels[k]) < 12); /* a raised digit has three bytes */
    }
}

/* A low panel asks for few numbers: it has three or more all the same, whatever the range. */
static void says_its_scale(void)
{
    for (int most = 3; most < 8; most++)
        for (double half = 1; half < 10; half += 0.1) {
            figure_axis axis;
            figure_axis_make(&axis, -half * 1e-11, half * 1e-11, 0, 1, most);
            CHECK(axis.count >= 3 && axis.count <= 2 * most + 3 && strcmp(axis.note, "") != 0);
            for (int k = 0; k < axis.count; k++) CHECK(strlen(axis.labels[k]) < 6);
        }
}

/* Names that differ at their ends are told apart when they are cut. */
static void cuts_the_middle(void)
{
    textbuf cut = {0};
    figure_text_fit(&cut, "leg[1].hook.angle[2]", 12, 80);
    CHECK(strncmp(cut.data, "leg[1]", 6) == 0 && strstr(cut.data, "...") &&
          strcmp(cut.data + strlen(cut.data) - 3, "[2]") == 0);
    CHECK(figure_text_width(cut.data, 12) <= 80);
    text_free(&cut);
    figure_text_fit(&cut, "short", 12, 80);
    CHECK(strcmp(cut.data, "short") == 0);
    text_free(&cut);
}

/* Names of users are text, whatever they hold; a curve without a finite point is no reason to fail. */
static void takes_any_name(void)
{
    const double at[] = {0, 1}, none[] = {(double)NAN, (double)INFINITY};
    const mech_curve curves[] = {
        {.x = at, .y = at, .count = 2, .name = "</text><script>\"&'"},
        {.x = at, .y = none, .count = 2, .name = "θ a name that is much longer than the legend has room for it"}};
    const mech_panel panel = {.size = sizeof panel, .curves = curves, .curve_count = 2, .y_label = "<b>"};
    char *svg = svg_of(&panel);
    CHECK(!strstr(svg, "<script") && strstr(svg, "&lt;script&gt;") && strstr(svg, "..."));
    CHECK(!isnan(tick_value(svg, "0.0")));
    mech_text_free(svg);
    const mech_sheet empty = {.size = sizeof empty};
    CHECK(mech_sheet_svg(&empty, MECH_SVG_FILE, &svg) == MECH_ERR_ARGUMENT && !svg);
}

/* 40 curves of one unit: five panels, eight different colours in each. */
static void arranges_many(void)
{
    mech_series series[40];
    mech_sheet *sheet;
    for (int k = 0; k < 40; k++)
        series[k] = (mech_series){.curve = {.x = t, .y = x, .count = COUNT, .name = "x"}, .unit = "m"};
    const mech_plot plot = {.size = sizeof plot, .series = series, .count = 40};
    CHECK(mech_plot_sheet(&plot, &sheet) == MECH_OK);
    CHECK(sheet->panel_count == 5);
    for (size_t k = 0; k < sheet->panel_count; k++) CHECK(sheet->panels[k].curve_count == 8);
    mech_plot_sheet_free(sheet);
}

/* A terminal of 60 columns: no line is longer. */
static void fits_a_terminal(void)
{
    const mech_curve curve = {.x = t, .y = x, .count = COUNT, .name = "x"};
    const mech_panel panel = {.size = sizeof panel, .curves = &curve, .curve_count = 1, .x_label = "t [s]"};
    const mech_sheet sheet = {.size = sizeof sheet, .panels = &panel, .panel_count = 1};
    char *text = NULL;
    CHECK(mech_sheet_text(&sheet, 60, &text) == MECH_OK);
    size_t letters = 0, most = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '\n') letters = 0;
        else if (((unsigned char)*c & 0xC0) != 0x80) letters++;
        if (letters > most) most = letters;
    }
    CHECK(most > 50 && most <= 60);
    mech_text_free(text);
}

/* 3 sin(2 pi 5 t) + 0.5 sin(2 pi 20 t): amplitudes 3 and 0.5 there, next to nothing between. */
static void finds_frequencies(void)
{
    const double turn = 2 * 3.14159265358979;
    double *frequency, *amplitude, at_5 = 0, at_20 = 0, between = 0;
    size_t bins;
    for (size_t k = 0; k < COUNT; k++)
        t[k] = (double)k * 0.002, x[k] = 7 + 3 * sin(turn * 5 * t[k]) + 0.5 * sin(turn * 20 * t[k]);
    CHECK(mech_spectrum(t, x, 1, COUNT, &frequency, &amplitude, &bins) == MECH_OK);
    for (size_t k = 0; k < bins; k++) {
        if (fabs(frequency[k] - 5) < 0.01) at_5 = amplitude[k];
        if (fabs(frequency[k] - 20) < 0.01) at_20 = amplitude[k];
        if (frequency[k] > 8 && frequency[k] < 17) between = fmax(between, amplitude[k]);
    }
    CHECK_NEAR(at_5, 3, 0.01);
    CHECK_NEAR(at_20, 0.5, 0.01);
    CHECK(between < 1e-3);
    mech_text_free((char *)frequency);
    mech_text_free((char *)amplitude);
    CHECK(mech_spectrum(t, x, 1, 7, &frequency, &amplitude, &bins) == MECH_ERR_ARGUMENT);
}

int main(void)
{
    shows_a_sine();
    shows_a_jump();
    has_different_labels(0, 10, 0);
    has_different_labels(1.010, 1.0102, 0);
    has_different_labels(1, 1 + 1e-9, 0);
    has_different_labels(-1e-12, 1e-12, 0);
    has_different_labels(123456789, 123456790, 0);
    has_different_labels(-5e7, 3e8, 0);
    has_different_labels(5, 5, 0);
    has_different_labels(1e-12, 1e12, 1);
    has_different_labels(2, 3, 1);
    says_its_scale();
    cuts_the_middle();
    takes_any_name();
    arranges_many();
    fits_a_terminal();
    finds_frequencies();
    return check_report();
}
