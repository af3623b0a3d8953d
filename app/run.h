/* Parts of `mech run`: its options, its tables and figures, its account. */
#ifndef APP_RUN_H
#define APP_RUN_H

#include "cli.h"

#include <mech/output.h>
#include <mech/simulate.h>

typedef struct run_gains {
    double damping, stiffness;
} run_gains;

/* The options into the settings: 1 done, 0 after a message. */
int run_settings(const cli_args *args, mech_sim_settings *settings, run_gains *gains);

/* A trajectory as a table that borrows its names; freed by run_table_free. */
mech_status run_table(const mech_trajectory *trajectory, mech_table *table);
void run_table_free(mech_table *table);

/* Coordinates and outputs over time with the events marked: 1 done, 0 after a message. */
int run_plot(const mech_sim *sim, const mech_system *system, const char *path, const char *title);

void run_summary_text(const mech_sim *sim, const char *path, const char *figure);
void run_summary_json(const mech_sim *sim, const mech_system *system, mech_status status, const char *path);

#endif
