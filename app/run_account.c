/* What `mech run` says at its end, and the figure it draws. */
#include "common.h"
#include "run.h"
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mech_status run_table(const mech_trajectory *trajectory, mech_table *table)
{
    *table = (mech_table){.rows = mech_trajectory_rows(trajectory), .columns = mech_trajectory_columns(trajectory)};
    table->names = malloc((table->columns + 1) * sizeof *table->names);
    table->data = malloc((table->rows * table->columns + 1) * sizeof *table->data);
    if (!table->names || !table->data) return MECH_ERR_MEMORY;
    for (size_t j = 0; j < table->columns; j++) table->names[j] = (char *)mech_trajectory_name(trajectory, j);
    for (size_t i = 0; i < table->rows; i++)
        memcpy(table->data + i * table->columns, mech_trajectory_row(trajectory, i), table->columns * sizeof *table->data);
    return MECH_OK;
}

void run_table_free(mech_table *table)
{
    free(table->names);
    free(table->data);
}

/* The columns worth a look: outputs if there are any, else the first coordinates. */
static size_t choose_columns(const mech_trajectory *trajectory, const mech_system *system, size_t *chosen)
{
    enum { MOST = 8 };
    const mech_sizes sizes = mech_system_sizes(system);
    size_t count = 0;
    for (size_t i = 0; i < sizes.coords && count < MOST; i++) {
        const size_t column = mech_trajectory_find(trajectory, mech_system_name(system, MECH_ITEM_COORD, i));
        if (column != SIZE_MAX) chosen[count++] = column;
    }
    for (size_t i = 0; i < sizes.outputs && count < 2 * MOST; i++) {
        const size_t column = mech_trajectory_find(trajectory, mech_system_name(system, MECH_ITEM_OUTPUT, i));
        if (column != SIZE_MAX) chosen[count++] = column;
    }
    return count;
}

/* Events of the model, for the marks. */
static size_t event_marks(const mech_sim *sim, double *times, const char **names, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < mech_sim_happening_count(sim) && count < most; i++) {
        const mech_happening h = mech_sim_happening_get(sim, i);
        if (h.kind != MECH_HAPPENED_EVENT) continue;
        times[count] = h.t;
        names[count++] = h.name;
    }
    return count;
}

/* The file with the folder it lies in: enough to know it by. */
static const char *short_path(const char *path)
{
    const char *last = strrchr(path, '/'), *before = last;
    while (before && before > path && before[-1] != '/') before--;
    return before ? before : path;
}

int run_plot(const mech_sim *sim, const mech_system *system, const char *path, const char *title)
{
    enum { MOST_MARKS = 40 };
    const mech_trajectory *trajectory = mech_sim_trajectory(sim);
    size_t chosen[16];
    double times[MOST_MARKS];
    const char *names[MOST_MARKS];
    mech_table table;
    mech_status status = run_table(trajectory, &table);
    const char **units = malloc((table.columns + 1) * sizeof *units);
    if (!units) status = MECH_ERR_MEMORY;
    for (size_t i = 0; units && i < table.columns; i++) units[i] = mech_trajectory_unit(trajectory, i);
    if (status == MECH_OK) {
        const mech_figure figure = {.size = sizeof figure, .table = &table, .x = 0, .y = chosen,
                                    .y_count = choose_columns(trajectory, system, chosen), .units = units, .title = short_path(title),
                                    .marks = times, .mark_names = names, .mark_count = event_marks(sim, times, names, MOST_MARKS)};
        status = mech_figure_write(&figure, path);
    }
    free(units);
    run_table_free(&table);
    return figure_code("run", path, status);
}

int run_summary_text(const mech_sim *sim, const char *path, const char *figure)
{
    char *audit = mech_sim_audit_text(sim);
    if (!audit) {
        say("mech run: no account, for want of memory; the rows are in '%s'\n", path);
        return 0;
    }
    fputs(audit, stdout);
    mech_text_free(audit);
    enum { MOST_SHOWN = 12 };
    const size_t count = mech_sim_happening_count(sim);
    for (size_t i = 0; i < count && i < MOST_SHOWN; i++) {
        const mech_happening h = mech_sim_happening_get(sim, i);
        printf("%s t = %-12.8g %s\n", i ? "             " : "happened     ", h.t, h.text);
    }
    if (count > MOST_SHOWN) printf("              ... and %zu more; --json lists them all\n", count - MOST_SHOWN);
    printf("rows          %s\n", path);
    if (figure) printf("figure        %s\n", figure);
    return 1;
}

static void json_number(const char *key, double value)
{
    if (isfinite(value)) printf(",\n  \"%s\": %.17g", key, value);
    else printf(",\n  \"%s\": null", key);
}

static void json_happenings(const mech_sim *sim)
{
    static const char *const kinds[] = {"event", "switch", "stick", "slip", "impact", "contact", "release", "method", "singular", "beyond"};
    printf(",\n  \"happenings\": [");
    for (size_t i = 0; i < mech_sim_happening_count(sim); i++) {
        const mech_happening h = mech_sim_happening_get(sim, i);
        printf("%s\n    {\"t\": %.17g, \"kind\": \"%s\", \"name\": ", i ? "," : "", h.t, kinds[h.kind]);
        say_json_text(h.name);
        printf(", \"text\": ");
        say_json_text(h.text);
        putchar('}');
    }
    printf("]");
}

/* Outputs whose value is the least-norm choice of multipliers. */
static void json_choices(const mech_sim *sim, const mech_system *system)
{
    size_t count = 0;
    printf(",\n  \"least_norm_outputs\": [");
    for (size_t k = 0; k < mech_system_sizes(system).outputs; k++) {
        if (!mech_sim_output_is_choice(sim, k)) continue;
        printf("%s", count++ ? ", " : "");
        say_json_text(mech_system_name(system, MECH_ITEM_OUTPUT, k));
    }
    printf("]");
}

static void json_state(const mech_sim *sim, const mech_system *system)
{
    const double *q = mech_sim_q(sim), *v = mech_sim_v(sim);
    printf(",\n  \"state\": {");
    for (size_t i = 0; mech_sim_has_started(sim) && i < mech_system_sizes(system).coords; i++) {
        const char *name = mech_system_name(system, MECH_ITEM_COORD, i);
        printf("%s\n    ", i ? "," : "");
        say_json_text(name);
        printf(": [%.17g, %.17g]", q[i], v[i]);
    }
    printf("}");
}

void run_summary_json(const mech_sim *sim, const mech_system *system, mech_status status, const char *path)
{
    const mech_sim_info info = mech_sim_info_get(sim);
    say_json_is_written();
    printf("{\n  \"status\": ");
    say_json_text(mech_status_text(status));
    printf(",\n  \"error\": ");
    say_json_text(mech_sim_error_text(sim));
    printf(",\n  \"file\": ");
    if (path) say_json_text(path);
    else printf("null");
    printf(",\n  \"method\": \"%s\"", mech_method_word(info.method));
    json_number("t", mech_sim_has_started(sim) ? mech_sim_time(sim) : (double)NAN);
    json_number("largest_phi", info.phi);
    json_number("largest_phi_dot", info.phi_dot);
    json_number("largest_psi", info.psi);
    json_number("energy_first", info.energy_first);
    json_number("energy_last", info.energy_last);
    json_number("energy_balance_error", info.balance_error);
    json_number("smallest_singular", info.smallest_singular);
    printf(",\n  \"warning\": ");
    say_json_text(mech_sim_warning(sim));
    printf(",\n  \"steps\": %zu,\n  \"rejected\": %zu,\n  \"evaluations\": %zu,\n  \"events\": %zu,\n  \"near_singular\": %zu",
           info.steps, info.rejected, info.evaluations, info.events, info.near_singular);
    if (info.solves) printf(",\n  \"sparse_solves\": %zu,\n  \"robust_solves\": %zu", info.solves, info.robust);
    json_choices(sim, system);
    json_happenings(sim);
    json_state(sim, system);
    printf("\n}\n");
}
