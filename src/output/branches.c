/* Equilibria over a parameter: as text, as numbers, and as a figure. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/tolerances.h"
#include "output/chart.h"

#include <math.h>
#include <stdio.h>

enum { MOST_PANELS = 6, LABEL = 300 };

static const char *const words[] = {"stable", "marginal", "unstable", "none"};

/* ---- text ---- */

static void range(textbuf *out, const mech_branches_result *r, size_t from, size_t to)
{
    text_format(out, "%s ", words[r->region[from]]);
    if (from == to) text_format(out, "at %.6g", r->value[from]);
    else text_format(out, "from %.6g to %.6g", r->value[from], r->value[to]);
}

static void describe(textbuf *out, const mech_branches_result *r, const mech_system *system, size_t branch)
{
    const size_t first = r->first[branch], end = r->first[branch + 1];
    text_format(out, "  %zu: ", branch + 1);
    for (size_t from = first, at = first; at < end; at++) {
        if (at + 1 < end && r->region[at + 1] == r->region[from]) continue;
        if (from != first) text_add(out, ", ");
        range(out, r, from, at);
        from = at + 1;
    }
    text_add(out, "; ");
    const size_t n = mech_system_sizes(system).coords;
    for (size_t i = 0; i < n && i < MOST_PANELS; i++) {
        const double a = r->state[first * (size_t)r->order + i], b = r->state[(end - 1) * (size_t)r->order + i];
        text_format(out, "%s%s = %.6g", i ? ", " : "", mech_system_name(system, MECH_ITEM_COORD, i), a);
        if (fabs(a - b) > TOL_SHOWN_SAME * (1 + fabs(a))) text_format(out, " to %.6g", b);
    }
    text_add_char(out, '\n');
}

static void as_text(textbuf *out, const mech_branches_result *r, const mech_system *system, const char *path)
{
    if (path) text_format(out, "%s: ", path);
    text_format(out, "%zu branch%s of equilibria over %s\n", r->branches, r->branches == 1 ? "" : "es", r->axis.name);
    for (size_t i = 0; i < r->branches; i++) describe(out, r, system, i);
}

/* ---- numbers ---- */

static void as_json(textbuf *out, const mech_branches_result *r, const mech_system *system, const char *title,
                    const char *path)
{
    const size_t n = mech_system_sizes(system).coords;
    chart_begin(out, title, path);
    chart_axis(out, "axis", &r->axis);
    text_add(out, ",\n  \"coordinates\": [");
    for (size_t i = 0; i < n; i++) {
        if (i) text_add(out, ", ");
        text_add_string(out, mech_system_name(system, MECH_ITEM_COORD, i));
    }
    text_add(out, "],\n  \"branches\": [");
    for (size_t b = 0; b < r->branches; b++) {
        text_add(out, b ? ",\n    [" : "\n    [");
        for (size_t at = r->first[b]; at < r->first[b + 1]; at++) {
            text_add(out, at == r->first[b] ? "{\"value\": " : ",\n     {\"value\": ");
            text_add_double(out, r->value[at]);
            text_format(out, ", \"region\": \"%s\", \"q\": [", words[r->region[at]]);
            for (size_t i = 0; i < n; i++) {
                if (i) text_add(out, ", ");
                text_add_double(out, r->state[at * (size_t)r->order + i]);
            }
            text_add(out, "]}");
        }
        text_add_char(out, ']');
    }
    text_add_char(out, ']');
}

mech_status mech_report_branches(const mech_branches_result *r, const mech_system *system, const char *title,
                                 const char *path, mech_report_format format, char **text)
{
    textbuf out = {0};
    if (format == MECH_REPORT_JSON) {
        as_json(&out, r, system, title, path);
        return chart_end(&out, text);
    }
    as_text(&out, r, system, path);
    *text = text_take(&out);
    return *text ? MECH_OK : MECH_ERR_MEMORY;
}

/* ---- the figure ---- */

static void chart_label(char label[LABEL], const char *name, const char *unit)
{
    snprintf(label, LABEL, "%.100s%s%.100s%s", name, unit ? " [" : "", unit ? unit : "", unit ? "]" : "");
}

/* Pieces between points, with gaps: those that are unstable, or the others. */
static size_t pieces(const mech_branches_result *r, size_t coordinate, int is_unstable, double *x, double *y)
{
    size_t count = 0;
    for (size_t b = 0; b < r->branches; b++)
        for (size_t at = r->first[b]; at + 1 < r->first[b + 1]; at++) {
            if ((r->region[at] == MECH_REGION_UNSTABLE) != is_unstable) continue;
            const int goes_on = count > 0 && at > r->first[b] && x[count - 1] == r->value[at] &&
                                (r->region[at - 1] == MECH_REGION_UNSTABLE) == is_unstable;
            if (!goes_on) {
                if (count) x[count] = y[count] = (double)NAN, count++;
                x[count] = r->value[at];
                y[count++] = r->state[at * (size_t)r->order + coordinate];
            }
            x[count] = r->value[at + 1];
            y[count++] = r->state[(at + 1) * (size_t)r->order + coordinate];
        }
    return count;
}

mech_status mech_branches_write(const mech_branches_result *r, const mech_system *system, const char *title,
                                const char *path)
{
    const size_t n = mech_system_sizes(system).coords, panels = n < MOST_PANELS ? n : MOST_PANELS;
    const size_t room = 3 * r->first[r->branches] + 1;
    double *numbers = mem_zeroed(4 * panels * room, sizeof *numbers);
    mech_panel panel[MOST_PANELS];
    mech_curve curve[MOST_PANELS][2];
    char labels[MOST_PANELS + 1][LABEL];
    if (!numbers) return MECH_ERR_MEMORY;
    const size_t param = mech_system_find(system, MECH_ITEM_PARAM, r->axis.name);
    chart_label(labels[MOST_PANELS], r->axis.name,
                param == SIZE_MAX ? NULL : mech_system_unit(system, MECH_ITEM_PARAM, param));
    for (size_t i = 0; i < panels; i++) {
        size_t curves = 0;
        for (int is_unstable = 0; is_unstable < 2; is_unstable++) {
            double *x = numbers + (2 * i + (size_t)is_unstable) * 2 * room, *y = x + room;
            const size_t count = pieces(r, i, is_unstable, x, y);
            if (count == 0) continue;
            curve[i][curves++] = (mech_curve){.x = x,
                                              .y = y,
                                              .count = count,
                                              .name = is_unstable ? "unstable" : "stable",
                                              .kind = is_unstable ? MECH_CURVE_DASHED : MECH_CURVE_LINE,
                                              .colour = 1 + is_unstable};
        }
        chart_label(labels[i], mech_system_name(system, MECH_ITEM_COORD, i),
                    mech_system_unit(system, MECH_ITEM_COORD, i));
        panel[i] = (mech_panel){.size = sizeof panel[i],
                                .curves = curve[i],
                                .curve_count = curves,
                                .x_label = labels[MOST_PANELS],
                                .y_label = labels[i]};
    }
    const mech_sheet sheet = {.size = sizeof sheet, .panels = panel, .panel_count = panels, .title = title};
    const mech_status status = mech_sheet_write(&sheet, path);
    mem_free(numbers);
    return status;
}
