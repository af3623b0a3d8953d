/* mech fmt: a model with its spaces set anew. */
#include "common.h"
#include "say.h"

#include <mech/outline.h>
#include <mech/output.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line that differs, from 1. */
static size_t first_change(const char *a, size_t length, const char *b)
{
    size_t line = 1;
    for (size_t i = 0; i < length && a[i] == b[i]; i++) line += a[i] == '\n';
    return line;
}

static int replace(const char *path, const char *made)
{
    /* aside first, as a checkpoint is written: a full disk leaves the text that was there */
    if (mech_checkpoint_write(path, made, strlen(made)) == MECH_OK) return EXIT_OK;
    say("mech fmt: '%s' cannot be written; links and what is no file are not replaced\n", path);
    return EXIT_NUMBERS;
}

static int run(const cli_args *args)
{
    const char *path = args->operands[0];
    char *made = NULL;
    size_t length;
    if (cli_value(args, "--check") && cli_value(args, "--write")) {
        say("mech fmt: --check looks, --write replaces: one of them\n");
        return EXIT_USAGE;
    }
    char *text = read_whole(path, &length);
    if (!text) return EXIT_MODEL;
    const mech_status status = mech_format(text, length, &made);
    int code = EXIT_MODEL;
    if (status == MECH_ERR_SYNTAX) say("mech fmt: '%s' has mistakes: 'mech check %s' says where\n", path, path);
    else if (status != MECH_OK) code = show_text(status, NULL);
    else {
        const int is_same = strlen(made) == length && memcmp(made, text, length) == 0;
        if (cli_value(args, "--check")) {
            if (!is_same)
                say("mech fmt: '%s' is not formatted, from line %zu on\n", path, first_change(text, length, made));
            code = is_same ? EXIT_OK : EXIT_MODEL;
        } else if (cli_value(args, "--write")) code = is_same ? EXIT_OK : replace(path, made);
        else code = fwrite(made, 1, strlen(made), stdout) == strlen(made) ? EXIT_OK : EXIT_NUMBERS;
    }
    mech_text_free(made);
    free(text);
    return code;
}

static const cli_option options[] = {
    {"--write", NULL, "replace the file (default: print the text)"},
    {"--check", NULL, "print nothing; exit code 1 where the text would change"},
    {NULL, NULL, NULL},
};

const cli_command command_fmt = {"fmt", "FILE", "set indentation and spaces of a model anew", 1, 1, options, run};
