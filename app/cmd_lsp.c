/* mech lsp: the language server. */
#include "cli.h"
#include "lsp.h"

static int run(const cli_args *args)
{
    (void)args;
    return lsp_serve(stdin, stdout);
}

/* Editors say so; there is no other way. */
static const cli_option options[] = {{"--stdio", NULL, "messages come and go by the standard streams (the only way)"},
                                     {NULL, NULL, NULL}};

const cli_command command_lsp = {"lsp", "", "serve an editor: errors, names, completion", 0, 0, options, run};
