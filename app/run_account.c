/* What `mech run` says at its end, and the figure it draws. */
#include "common.h"
#include "run.h"
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file with the folder it lies in: enough to know it by. */
static const char *short_path(const char *path)
{
    const char *last = strrchr(path, '/'), *before = last;
    while (before && before > path && before[-1] != '/') before--;
    return before ? before : path;
}

int run_plot(const mech_sim *sim, const mech_system *system, const char *path, const char *title)
{
    return figure_code("run", path, mech_run_write(sim, system, short_path(title), path));
}

int run_summary_text(const mech_sim *sim, const mech_system *system, int is_verbose, const char *path,
                     const char *figure)
{
    char *text = NULL;
    if (is_verbose) text = mech_sim_audit_text(sim);
    else if (mech_report_run(sim, system, MECH_OK, path, MECH_REPORT_TEXT, &text) != MECH_OK) text = NULL;
    if (!text) {
        say("mech run: no account, for want of memory; the rows are in '%s'\n", path);
        return 0;
    }
    fputs(text, stdout);
    mech_text_free(text);
    printf("rows in %s%s%s\n", path, figure ? ", figure in " : "", figure ? figure : "");
    return 1;
}

int run_summary_json(const mech_sim *sim, const mech_system *system, mech_status status, const char *path)
{
    char *text = NULL;
    const mech_status written = mech_report_run(sim, system, status, path, MECH_REPORT_JSON, &text);
    return show_text(written, text);
}
