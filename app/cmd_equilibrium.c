/* mech equilibrium: where a model can rest, or move steadily, and what holds it there. */
#include "analysis.h"

static int run(const cli_args *args)
{
    analysis a;
    int code = analysis_open(&a, args, "equilibrium");
    if (code == EXIT_OK) code = a.sizes.frictions ? analysis_find_rest(&a) : analysis_find(&a);
    if (code == EXIT_OK) code = analysis_linearize(&a);
    if (code == EXIT_OK) {
        char *text = NULL;
        const mech_status status = mech_report_equilibrium(
            a.rest ? a.friction_system : a.system, mech_equilibrium_get(a.rest ? a.rest : a.equilibrium),
            mech_linear_get(a.linear), args->operands[0], analysis_format(&a), &text);
        code = show_text(status, text);
    }
    analysis_close(&a);
    return code;
}

static const cli_option options[] = {
    OPTION_STATE, OPTION_TIME, OPTION_SET, {"--json", NULL, "for a program"}, {NULL, NULL, NULL},
};

const cli_command command_equilibrium = {
    "equilibrium", "FILE", "find an equilibrium or steady motion and its forces", 1, 1, options, run};
