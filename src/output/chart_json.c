/* Maps and sweeps for programs: the numbers behind the charts. */
#include "output/chart.h"
#include "output/modes.h"

#include <math.h>

static void value(textbuf *out, double x)
{
    if (isfinite(x)) text_add_double(out, x);
    else text_add(out, "null");
}

void chart_begin(textbuf *out, const char *title, const char *path)
{
    text_add(out, "{\n  \"model\": \"");
    text_add_json(out, title ? title : "");
    text_add(out, "\",\n  \"chart\": ");
    text_add_string(out, path);
}

static double axis_at(const mech_axis *axis, int k)
{
    return k + 1 == axis->count ? axis->high : axis->low + (double)k / (axis->count - 1) * (axis->high - axis->low);
}

void chart_axis(textbuf *out, const char *key, const mech_axis *axis)
{
    text_format(out, ",\n  \"%s\": {\"name\": \"", key);
    text_add_json(out, axis->name);
    text_add(out, "\", \"values\": [");
    for (int k = 0; k < axis->count; k++) {
        if (k) text_add(out, ", ");
        value(out, axis_at(axis, k));
    }
    text_add(out, "]}");
}

static void state_json(textbuf *out, const double *state, int order)
{
    text_add_char(out, '[');
    for (int i = 0; i < order; i++) {
        if (i) text_add(out, ", ");
        value(out, state[i]);
    }
    text_add_char(out, ']');
}

/* A row of the map in each line: y is constant in it. */
static void regions_json(textbuf *out, const char *key, const mech_map_result *map, const unsigned char *region)
{
    static const char *const words[] = {"stable", "marginal", "unstable", "none"};
    text_format(out, ",\n  \"%s\": [", key);
    for (int j = 0; j < map->y.count; j++) {
        text_add(out, j ? ",\n    [" : "\n    [");
        for (int i = 0; i < map->x.count; i++)
            text_format(out, "%s\"%s\"", i ? ", " : "", words[region[(size_t)i + (size_t)j * (size_t)map->x.count]]);
        text_add_char(out, ']');
    }
    text_add_char(out, ']');
}

mech_status chart_end(textbuf *out, char **text)
{
    text_add(out, "\n}\n");
    *text = text_take(out);
    return *text ? MECH_OK : MECH_ERR_MEMORY;
}

/* Points where a search of their own finds an equilibrium of another region, with the one that was followed. */
static void others_json(textbuf *out, const mech_map_result *map)
{
    const size_t columns = (size_t)map->x.count, points = columns * (size_t)map->y.count;
    int any = 0;
    text_add(out, ",\n  \"others\": [");
    for (size_t at = 0; at < points; at++) {
        if (!map->other[at]) continue;
        text_add(out, any++ ? ",\n    {\"x\": " : "\n    {\"x\": ");
        value(out, axis_at(&map->x, (int)(at % columns)));
        text_add(out, ", \"y\": ");
        value(out, axis_at(&map->y, (int)(at / columns)));
        text_add(out, ", \"equilibrium\": ");
        if (map->state && map->region[at] != MECH_REGION_NONE)
            state_json(out, map->state + at * (size_t)map->order, map->order);
        else text_add(out, "null");
        text_add_char(out, '}');
    }
    text_add_char(out, ']');
}

mech_status mech_report_map(const mech_map_result *map, const char *title, const char *path, char **text)
{
    textbuf out = {0};
    chart_begin(&out, title, path);
    chart_axis(&out, "x", &map->x);
    chart_axis(&out, "y", &map->y);
    text_format(&out,
                ",\n  \"stable\": %zu, \"marginal\": %zu, \"unstable\": %zu, \"none\": %zu, \"defective\": %zu, "
                "\"shifts_left_out\": %d",
                map->counts[0], map->counts[1], map->counts[2], map->counts[3], map->defective, map->shifts);
    if (map->has_routh)
        text_format(&out, ",\n  \"compared\": %zu, \"disagreements\": %zu", map->compared, map->disagreements);
    else text_add(&out, ",\n  \"compared\": 0, \"disagreements\": null");
    regions_json(&out, "region", map, map->region);
    if (map->has_routh) regions_json(&out, "routh", map, map->routh);
    if (map->other) others_json(&out, map);
    return chart_end(&out, text);
}

/* Where the equilibria are, and at which values a search of its own finds one of other eigenvalues. */
static void equilibria_json(textbuf *out, const mech_sweep_result *sweep)
{
    text_add(out, ",\n  \"equilibria\": [");
    for (int k = 0; k < sweep->axis.count; k++) {
        const double *state = sweep->state + (size_t)k * (size_t)sweep->order;
        text_add(out, k ? ",\n    " : "\n    ");
        if (isnan(state[0])) text_add(out, "null");
        else state_json(out, state, sweep->order);
    }
    text_add_char(out, ']');
    if (!sweep->other) return;
    text_add(out, ",\n  \"others\": [");
    for (int k = 0; k < sweep->axis.count; k++)
        text_format(out, "%s%s", k ? ", " : "", sweep->other[k] ? "true" : "false");
    text_add_char(out, ']');
}

mech_status mech_report_sweep(const mech_sweep_result *sweep, const char *title, const char *path, char **text)
{
    textbuf out = {0};
    chart_begin(&out, title, path);
    chart_axis(&out, "axis", &sweep->axis);
    text_add(&out, ",\n  \"eigenvalues\": [");
    for (int k = 0; k < sweep->axis.count; k++) {
        const size_t first = (size_t)k * (size_t)sweep->modes;
        text_add(&out, k ? ",\n    " : "\n    ");
        if (sweep->modes && !isfinite(sweep->real[first])) {
            text_add(&out, "null"); /* no equilibrium there */
            continue;
        }
        text_add_char(&out, '[');
        for (int i = 0; i < sweep->modes; i++) {
            text_add(&out, i ? ", [" : "[");
            value(&out, sweep->real[first + (size_t)i]);
            text_add(&out, ", ");
            value(&out, sweep->imaginary[first + (size_t)i]);
            text_add_char(&out, ']');
        }
        text_add_char(&out, ']');
    }
    text_add_char(&out, ']');
    equilibria_json(&out, sweep);
    return chart_end(&out, text);
}
