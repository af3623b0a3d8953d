/* Parts of `mech sweep`: what varies, and what becomes of the runs. */
#ifndef APP_SWEEP_H
#define APP_SWEEP_H

#include "cli.h"

#include <mech/ensemble.h>

/* The options --vary, --samples, --sequence and --seed into a plan: EXIT_OK, or the exit code after a message. */
int sweep_plan(const cli_args *args, mech_plan *plan);
/* Tables that --vary reads, as a list that ends with NULL: (CLI_MOST_VALUES + 1). */
void sweep_tables(const cli_args *args, const char **tables);

/* A digest of all that the rows follow from: what the model was read from, tables, options, this version. Of what
   cannot be read twice, such as a pipe, it is another each time. */
enum { SWEEP_MARK = 64 };
void sweep_mark(const cli_args *args, const mech_system *system, char mark[SWEEP_MARK]);

/* The folder of --trajectories, made where it is not there: 1, or 0. */
int sweep_make_folder(const char *folder);
/* A mech_ensemble_look: the rows of a run to FOLDER/run-NUMBER.csv. */
int sweep_write_rows(void *folder, size_t run, const mech_sim *sim);

/* The unit of what varies, NULL where it has none. */
const char *sweep_unit(const mech_system *system, const mech_plan *plan, size_t column);
/* The figure of all runs, data (runs x (columns and measures)): EXIT_OK, or the exit code after a message. */
int sweep_plot(const mech_system *system, const mech_plan *plan, const double *data, const char *title,
               const char *path);

#endif
