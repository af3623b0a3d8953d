/* mech check: what a model says, and whether it can move. */
#include "common.h"
#include "say.h"

#include <mech/output.h>
#include <mech/system.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int dump_text(const char *path, char *(*dump)(const char *, size_t))
{
    size_t length;
    char *text = read_whole(path, &length);
    if (!text) return EXIT_MODEL;
    char *shown = dump(text, length);
    free(text);
    return show_text(shown ? MECH_OK : MECH_ERR_MEMORY, shown);
}

static int dump_program(opened *file)
{
    mech_system *system = NULL;
    mech_status status = mech_system_from_model(file->model, file->diagnostics, &system);
    char *text = status == MECH_OK ? mech_system_dump(system) : NULL;
    if (status == MECH_OK && !text) status = MECH_ERR_MEMORY;
    mech_system_free(system);
    return status == MECH_OK ? show_text(status, text) : report_diagnostics(file, status);
}

static int show(opened *file, const char *path, const char *what, int json)
{
    char *text = NULL;
    mech_status status;
    if (what && strcmp(what, "program") == 0) return dump_program(file);
    if (what && strcmp(what, "equations") == 0) status = mech_report_equations(file->model, NULL, &text);
    else if (what) status = mech_report_model(file->model, &text);
    else status = mech_report_check(file->model, json ? MECH_REPORT_JSON : MECH_REPORT_TEXT, file->diagnostics, &text);
    if (status != MECH_OK && !text) return report_diagnostics(file, status);
    const int code = show_text(MECH_OK, text);
    if (status == MECH_OK) return code;
    say("mech check: %s: %s\n", path,
        status == MECH_ERR_CONFLICT ? "constraints, or initial values, contradict one another; see 'initial state'"
                                    : mech_status_text(status));
    return exit_code(status);
}

static int run(const cli_args *args)
{
    static const char *const dumps[] = {"tokens", "syntax", "model", "equations", "program"};
    const char *dump = cli_value(args, "--dump"), *path = args->operands[0];
    size_t known = 0;
    while (dump && known < 5 && strcmp(dumps[known], dump) != 0) known++;
    if (dump && known == 5) {
        say("mech check: --dump takes tokens, syntax, model, equations or program, not '%s'\n", dump);
        return EXIT_USAGE;
    }
    if (dump && known == 0) return dump_text(path, mech_dump_tokens);
    if (dump && known == 1) return dump_text(path, mech_dump_syntax);
    opened file;
    int code = open_model(args, path, &file);
    if (code == EXIT_OK) code = show(&file, path, dump, cli_value(args, "--json") != NULL);
    close_model(&file);
    return code;
}

static const cli_option options[] = {
    {"--json", NULL, "for a program"},
    {"--dump", "tokens|syntax|model|equations|program", "what the reader made of it, stage by stage"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

const cli_command command_check = {"check", "FILE", "read a model and report what it is", 1, 1, options, run};
