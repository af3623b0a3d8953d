/* The motion from a start, and what the linear system at a point makes of the same start: one figure. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"

#include <stdio.h>
#include <string.h>

enum { POINTS = 401 };

typedef struct response {
    const mech_system *system;
    const mech_linear_result *linear;
    double from, until;       /* times from `from` to from + until */
    size_t n, order, width;   /* order: 2n + states; width: columns of the table, t and two for each coordinate */
    double *run, *answer;     /* (POINTS x order) the motion, and what the linear system makes of its start */
    double *data;             /* (POINTS x width) */
    char **names;             /* (width) */
    const char **units;       /* (width) */
    size_t *columns, *panels; /* (width - 1) */
    unsigned char *dashed;
} response;

static mech_status run_from(response *r, const double *start, char **why)
{
    mech_sim_settings settings;
    mech_sim *sim = NULL;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.from = r->from;
    settings.until = r->from + r->until;
    settings.output_points = POINTS;
    settings.rows_at_events = 0;
    mech_status status = mech_sim_create(r->system, &settings, &sim);
    if (status == MECH_OK) status = mech_sim_set_start(sim, start, start + r->n, start + 2 * r->n, 0);
    if (status == MECH_OK) status = mech_sim_run(sim);
    if (status != MECH_OK && why) {
        textbuf words = {0};
        text_add(&words, sim ? mech_sim_error_text(sim) : mech_status_text(status));
        *why = text_take(&words);
    }
    const mech_trajectory *t = sim ? mech_sim_trajectory(sim) : NULL;
    for (size_t k = 0; status == MECH_OK && k < POINTS && k < mech_trajectory_rows(t);
         k++) /* t, coordinates, velocities, states */
        memcpy(r->run + k * r->order, mech_trajectory_row(t, k) + 1, r->order * sizeof *r->run);
    mech_sim_free(sim);
    return status;
}

/* From where the run began, on the constraints; the point itself may move steadily. */
static mech_status answer(response *r, double *offset)
{
    const mech_linear_result *l = r->linear;
    for (size_t k = 0; k < r->order; k++)
        offset[k] = r->run[k] - (k < r->n ? l->q[k] : k < 2 * r->n ? l->v[k - r->n] : l->z[k - 2 * r->n]);
    MECH_TRY(mech_linear_response((int)r->order, l->A, offset, r->until / (POINTS - 1), POINTS, r->answer));
    for (size_t k = 0; k < POINTS; k++) {
        const double time = r->until * (double)k / (POINTS - 1);
        double *row = r->data + k * r->width;
        row[0] = r->from + time;
        for (size_t i = 0; i < r->n; i++) {
            row[1 + 2 * i] = r->run[k * r->order + i];
            row[2 + 2 * i] = r->answer[k * r->order + i] + l->q[i] + l->v[i] * time;
        }
    }
    return MECH_OK;
}

static char *name_of(const char *coord, int is_linear)
{
    textbuf name = {0};
    text_add(&name, coord);
    if (is_linear) text_add(&name, " linear");
    return text_take(&name);
}

static mech_status draw(response *r, const char *title, const char *path)
{
    static char time[] = "t";
    r->names[0] = time;
    for (size_t i = 0; i < 2 * r->n; i++) {
        r->names[1 + i] = name_of(mech_system_name(r->system, MECH_ITEM_COORD, i / 2), i % 2);
        if (!r->names[1 + i]) return MECH_ERR_MEMORY;
        r->units[1 + i] = mech_system_unit(r->system, MECH_ITEM_COORD, i / 2);
        r->columns[i] = 1 + i;
        r->panels[i] = i / 2;
        r->dashed[i] = i % 2;
    }
    const mech_table table = {
        .size = sizeof table, .rows = POINTS, .columns = r->width, .names = r->names, .data = r->data};
    const mech_figure figure = {.size = sizeof figure,
                                .table = &table,
                                .y = r->columns,
                                .y_count = 2 * r->n,
                                .units = r->units,
                                .title = title,
                                .panels = r->panels,
                                .dashed = r->dashed};
    return mech_figure_write(&figure, path);
}

mech_status mech_response_write(const mech_system *system, const mech_linear_result *linear, double t,
                                const double *start, double until, const char *title, const char *path, char **why)
{
    const size_t n = (size_t)linear->n, order = (size_t)linear->order, width = 2 * n + 1;
    response r = {
        .system = system, .linear = linear, .from = t, .until = until, .n = n, .order = order, .width = width};
    if (why) *why = NULL;
    double *numbers = mem_zeroed(2 * POINTS * order + POINTS * width + order + 1, sizeof *numbers);
    size_t *indices = mem_zeroed(2 * width, sizeof *indices);
    r.names = mem_zeroed(width, sizeof *r.names);
    r.units = mem_zeroed(width, sizeof *r.units);
    r.dashed = mem_zeroed(width, 1);
    mech_status status = numbers && indices && r.names && r.units && r.dashed ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        r.run = numbers;
        r.answer = r.run + POINTS * order;
        r.data = r.answer + POINTS * order;
        r.columns = indices;
        r.panels = indices + width;
        status = run_from(&r, start, why);
    }
    if (status == MECH_OK) status = answer(&r, r.data + POINTS * width);
    if (status == MECH_OK) status = draw(&r, title, path);
    for (size_t i = 1; r.names && i < width; i++) mem_free(r.names[i]);
    mem_free(r.names);
    mem_free(r.units);
    mem_free(r.dashed);
    mem_free(indices);
    mem_free(numbers);
    return status;
}
