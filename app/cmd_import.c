/* mech import: a robot's file as a model. */
#include "common.h"
#include "say.h"

#include <mech/import.h>

#include <string.h>

static int run(const cli_args *args)
{
    mech_import_options options;
    char *text = NULL;
    const char *exact = cli_value(args, "--exact-angles");
    opened file = {.diagnostics = mech_diagnostics_create()};
    if (!file.diagnostics) return show_text(MECH_ERR_MEMORY, NULL);
    mech_import_options_default(&options, sizeof options);
    options.is_free = cli_value(args, "--free") != NULL;
    options.imposes_friction = cli_value(args, "--friction") != NULL;
    options.imposes_limits = cli_value(args, "--limits") != NULL;
    options.keeps_angles = exact && strcmp(exact, "off") == 0;
    int code = EXIT_USAGE;
    if (exact && strcmp(exact, "on") != 0 && !options.keeps_angles)
        say("mech import: --exact-angles takes on or off, not '%s'\n", exact);
    else {
        const mech_status status = mech_import_file(args->operands[0], &options, file.diagnostics, &text);
        print_diagnostics(&file);
        if (status != MECH_OK && mech_diagnostics_error_count(file.diagnostics) > 0) code = exit_code(status);
        else code = show_text(status, text);
    }
    close_model(&file);
    return code;
}

static const cli_option options[] = {
    {"--free", NULL, "the root of a URDF moves freely (default: it is fixed to the ground)"},
    {"--exact-angles", "on|off", "angles within 1e-10 of multiples of pi/2 are exact (default: on)"},
    {"--friction", NULL, "impose dry friction of joints (default: it is told, and left out)"},
    {"--limits", NULL, "impose the limits of joints: one-sided constraints, without restitution"},
    {NULL, NULL, NULL},
};

const cli_command command_import = {"import", "FILE", "write a URDF or MJCF file as a model", 1, 1, options, run};
