/* What `mech run` says at its end, and the figure it draws. */
#include "common.h"
#include "run.h"
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_plot(const mech_sim *sim, const mech_system *system, const char *path, const char *title, const char *show)
{
    mech_sheet *sheet;
    char *why;
    const mech_status status = mech_run_sheet(sim, system, short_path(title), show, &sheet, &why);
    if (why) say("mech run: --show: %s\n", why);
    const int is_wrong = why != NULL;
    mech_text_free(why);
    if (is_wrong) return EXIT_USAGE;
    const int code = status == MECH_OK ? draw_sheet("run", sheet, path) : figure_code("run", path, status);
    if (status == MECH_OK) mech_run_sheet_free(sheet);
    return code;
}

int run_summary_text(const mech_sim *sim, const mech_system *system, int is_verbose, const char *path, size_t rows,
                     const char *figure, const char *page)
{
    char *text = NULL;
    const char *drawn = figure && strcmp(figure, "-") != 0 ? figure : NULL;
    const mech_sim_settings *settings = mech_sim_settings_get(sim);
    if (is_verbose) text = mech_sim_audit_text(sim);
    else if (mech_report_run(sim, system, MECH_OK, path, MECH_REPORT_TEXT, &text) != MECH_OK) text = NULL;
    if (!text) {
        say("mech run: no account, for want of memory; the rows are in '%s'\n", path);
        return 0;
    }
    fputs(text, stdout);
    mech_text_free(text);
    const int follows = rows > settings->output_points && settings->output_points == 101;
    if (rows) printf("%zu rows%s in %s", rows, follows ? ", closer where the motion bends," : "", path);
    else printf("rows in %s", path);
    printf("%s%s", drawn ? ", figure in " : "", drawn ? drawn : "");
    printf("%s%s\n", page ? ", page in " : "", page ? page : "");
    if (mech_sim_info_get(sim).rows_are_coarse)
        printf("the motion is faster than these rows show: --points N for more of them\n");
    return 1;
}

int run_summary_json(const mech_sim *sim, const mech_system *system, mech_status status, const char *path)
{
    char *text = NULL;
    const mech_status written = mech_report_run(sim, system, status, path, MECH_REPORT_JSON, &text);
    return show_text(written, text);
}
