/* mech derive: the equations of motion in symbols. */
#include "common.h"
#include "say.h"

#include <mech/output.h>
#include <mech/show.h>

#include <stdio.h>
#include <string.h>

static int read_format(const char *word, mech_report_format *format)
{
    if (!word || strcmp(word, "text") == 0) *format = MECH_REPORT_TEXT;
    else if (strcmp(word, "latex") == 0 || strcmp(word, "html") == 0) *format = MECH_REPORT_LATEX;
    else if (strcmp(word, "json") == 0) *format = MECH_REPORT_JSON;
    else return 0;
    return 1;
}

/* The equations typeset, as a page: new text in place of *text. */
static mech_status make_page(const char *path, char **text)
{
    const mech_section section = {.kind = MECH_SECTION_LATEX, .title = "Equations", .text = *text};
    const mech_page page = {.size = sizeof page, .title = short_path(path), .sections = &section, .count = 1};
    char *html = NULL;
    const mech_status status = mech_page_html(&page, &html);
    mech_text_free(*text);
    *text = html;
    return status;
}

static int run(const cli_args *args)
{
    const char *format = cli_value(args, "--format");
    const int is_page = format && strcmp(format, "html") == 0 && !cli_value(args, "--json");
    mech_equations_options options;
    mech_equations_options_default(&options, sizeof options);
    if (!read_format(format, &options.format)) {
        say("mech derive: --format takes text, latex, html or json, not '%s'\n", format);
        return EXIT_USAGE;
    }
    if (cli_value(args, "--json")) options.format = MECH_REPORT_JSON;
    options.only = cli_value(args, "--only");
    options.normalize = cli_value(args, "--normalize") != NULL;
    options.expand = cli_value(args, "--expand") != NULL;
    opened file;
    int code = open_model(args, args->operands[0], &file);
    if (code == EXIT_OK) {
        char *text = NULL;
        mech_status status = mech_report_equations(file.model, &options, &text);
        if (status == MECH_OK && is_page) status = make_page(args->operands[0], &text);
        if (status == MECH_ERR_ARGUMENT) {
            say("mech derive: --only takes a list of M Q A b a r r' C G T V D h power, not '%s'\n", options.only);
            code = EXIT_USAGE;
        } else {
            code = show_text(status, text);
        }
    }
    close_model(&file);
    return code;
}

static const cli_option options[] = {
    {"--format", "text|latex|html|json", "how to write them (default: text)"},
    {"--json", NULL, "the same as --format json"},
    {"--only", "M,Q,A,b,...", "these parts only: M Q A b a r r' C G T V D h power"},
    {"--normalize", NULL, "divide each constraint row by its common factor"},
    {"--expand", NULL, "write everything out; without it long equations name what they share"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

const cli_command command_derive = {"derive", "FILE", "print the equations of motion in symbols", 1, 1, options, run};
