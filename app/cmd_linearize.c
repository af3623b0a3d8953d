/* mech linearize: the linear system about an equilibrium or steady motion. */
#include "analysis.h"
#include "linear_figures.h"
#include "say.h"

#include <stdio.h>

static int run(const cli_args *args)
{
    analysis a;
    const char *path = cli_value(args, "-o");
    if (path && !has_ending(path, ".mat")) {
        say("mech linearize: -o takes a name that ends in .mat, not '%s'\n", path);
        return EXIT_USAGE;
    }
    if (!linear_figures_make_sense(args)) return EXIT_USAGE;
    int code = analysis_open(&a, args, "linearize");
    if (code == EXIT_OK) code = analysis_may_write(&a, "the linear system", path);
    if (code == EXIT_OK) code = analysis_find(&a);
    if (code == EXIT_OK && mech_system_samples(a.system)) {
        code = analysis_complain(
            &a,
            "the model samples ('every'), and no one matrix tells its motion: mech stability has its eigenvalues over one period",
            NULL);
        code = EXIT_MODEL;
    }
    if (code == EXIT_OK) code = analysis_linearize(&a);
    if (code == EXIT_OK && analysis_has_kink(&a)) code = EXIT_MODEL;
    if (code == EXIT_OK && path) code = analysis_write(&a, path);
    if (code == EXIT_OK) code = linear_figures(&a);
    if (code == EXIT_OK) {
        char *text = NULL;
        const mech_status status =
            mech_report_linear(a.system, mech_linear_get(a.linear), args->operands[0], analysis_format(&a), &text);
        code = show_text(status, text);
    }
    analysis_close(&a);
    return code;
}

static const cli_option options[] = {
    {"-o", "FILE.mat", "A, B, C, D for ss(A, B, C, D) in Octave and MATLAB"},
    {"--bode", "FILE",
     "amplitude and phase from inputs to outputs over frequency: .svg, .pdf, .png, .csv, or - (terminal)"},
    {"--nyquist", "FILE", "the same in the complex plane"},
    {"--step", "FILE", "the outputs after a step of 1 of each input"},
    OPTION_STATE,
    OPTION_HERE,
    OPTION_TIME,
    OPTION_GAINS,
    OPTION_SET,
    {"--json", NULL, "for a program"},
    {NULL, NULL, NULL},
};

const cli_command command_linearize = {
    "linearize", "FILE", "the linear system about an equilibrium, all of it and on the constraints", 1, 1,
    options,     run};
