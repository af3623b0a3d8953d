/* --bode, --nyquist and --step of `mech linearize`. */
#ifndef APP_LINEAR_FIGURES_H
#define APP_LINEAR_FIGURES_H

#include "analysis.h"

/* The names of files: 1, or 0 after a message. */
int linear_figures_make_sense(const cli_args *args);
/* Those that are asked for: EXIT_OK, or the exit code after a message. */
int linear_figures(const analysis *a);

#endif
