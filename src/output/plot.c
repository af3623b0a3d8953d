/* Curves by their names and units to a sheet: what has one unit and one horizontal axis shares a panel, at most eight
   of them. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/text.h"

#include <string.h>

enum { MOST_IN_PANEL = 8 };

typedef struct sheet_owner { /* the sheet is the first of it */
    mech_sheet sheet;
    mech_panel *panels;
    mech_curve *curves;
    char **labels; /* of the panels */
} sheet_owner;

static int is_same(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static int belong_together(const mech_series *a, const mech_series *b)
{
    if (a->panel || b->panel) return a->panel == b->panel;
    return is_same(a->unit, b->unit) && is_same(a->x_label, b->x_label);
}

/* Which panel each curve stands in. Groups that are too large are divided evenly. */
static size_t find_panels(const mech_plot *p, size_t *panel)
{
    size_t count = 0;
    for (size_t k = 0; k < p->count; k++) panel[k] = SIZE_MAX;
    for (size_t k = 0; k < p->count; k++) {
        size_t members = 0, seen = 0;
        if (panel[k] != SIZE_MAX) continue;
        for (size_t i = k; i < p->count; i++) members += belong_together(&p->series[k], &p->series[i]) ? 1 : 0;
        const size_t parts = (members + MOST_IN_PANEL - 1) / MOST_IN_PANEL, each = (members + parts - 1) / parts;
        for (size_t i = k; i < p->count; i++)
            if (belong_together(&p->series[k], &p->series[i])) panel[i] = count + seen++ / each;
        count += parts;
    }
    return count;
}

/* "x [m]" for one curve, "[m]" for several. */
static char *label_of(const mech_series *s, int is_alone)
{
    textbuf label = {0};
    if (is_alone && s->curve.name) text_add(&label, s->curve.name);
    if (s->unit && *s->unit) text_format(&label, "%s[%s]", label.length ? " " : "", s->unit);
    return text_take(&label);
}

static int fill_panel(const mech_plot *p, const size_t *panel, size_t which, sheet_owner *o, size_t *next)
{
    const mech_series *first = NULL;
    mech_panel *into = &o->panels[which];
    *into = (mech_panel){.size = sizeof *into,
                         .curves = o->curves + *next,
                         .marks = p->marks,
                         .mark_names = p->mark_names,
                         .mark_count = p->mark_count,
                         .log_x = p->log_x,
                         .log_y = p->log_y,
                         .equal_axes = p->equal_axes,
                         .is_time = p->is_time};
    for (size_t k = 0; k < p->count; k++) {
        if (panel[k] != which) continue;
        if (!first) first = &p->series[k];
        o->curves[(*next)++] = p->series[k].curve;
        into->curve_count++;
    }
    if (!first) return 0;
    into->x_label = first->x_label;
    o->labels[which] = label_of(first, into->curve_count == 1);
    into->y_label = o->labels[which];
    return o->labels[which] != NULL;
}

mech_status mech_plot_sheet(const mech_plot *plot, mech_sheet **sheet)
{
    *sheet = NULL;
    if (plot->size != sizeof *plot || !plot->count) return MECH_ERR_ARGUMENT;
    sheet_owner *o = mem_zeroed(1, sizeof *o);
    size_t *panel = mem_alloc(plot->count * sizeof *panel), next = 0;
    if (!o || !panel) {
        mem_free(o);
        mem_free(panel);
        return MECH_ERR_MEMORY;
    }
    const size_t count = find_panels(plot, panel);
    o->panels = mem_zeroed(count, sizeof *o->panels);
    o->curves = mem_zeroed(plot->count, sizeof *o->curves);
    o->labels = mem_zeroed(count, sizeof *o->labels);
    o->sheet = (mech_sheet){
        .size = sizeof o->sheet, .panels = o->panels, .panel_count = count, .title = plot->title, .note = plot->note};
    int is_whole = o->panels && o->curves && o->labels;
    for (size_t k = 0; is_whole && k < count; k++) is_whole = fill_panel(plot, panel, k, o, &next);
    mem_free(panel);
    *sheet = &o->sheet;
    if (is_whole) return MECH_OK;
    mech_plot_sheet_free(*sheet);
    *sheet = NULL;
    return MECH_ERR_MEMORY;
}

void mech_plot_sheet_free(mech_sheet *sheet)
{
    sheet_owner *o = (sheet_owner *)(void *)sheet;
    if (!o) return;
    for (size_t k = 0; o->labels && k < o->sheet.panel_count; k++) mem_free(o->labels[k]);
    mem_free(o->labels);
    mem_free(o->panels);
    mem_free(o->curves);
    mem_free(o);
}
