/* Parts of `mech run`: its options, its tables and figures, its account. */
#ifndef APP_RUN_H
#define APP_RUN_H

#include "cli.h"

#include <mech/output.h>
#include <mech/simulate.h>

#include <signal.h>

typedef struct run_gains {
    double damping, stiffness;
} run_gains;

/* The options into the settings: 1 done, 0 after a message. */
int run_settings(const cli_args *args, mech_sim_settings *settings, run_gains *gains);

/* Coordinates and outputs over time with the events marked: EXIT_OK, or the exit code after a message. */
int run_plot(const mech_sim *sim, const mech_system *system, const char *path, const char *title, const char *show);

/* ---- run_native.c ---- */

/* The word of --native: 1 known, 0 after a message. */
int run_native_is_known(const cli_args *args);
/* Starts the run, then makes code for it. What cannot be had is no failure: the run goes without, and says so where
   code was asked for. interrupt: ends the compiler when it is not 0. */
mech_status run_native_start(const cli_args *args, const mech_system *system, mech_sim *sim,
                             const volatile sig_atomic_t *interrupt, mech_motion_code **code);

/* ---- run_checkpoint.c ---- */

typedef struct run_checkpoint {
    const char *path;   /* where it is written; NULL: nowhere     */
    const char *resume; /* what is taken up; NULL: nothing        */
    double every;       /* model time between two; 0: not by it   */
    double steps;       /* steps between two; 0: not by them      */
    double last;        /* number of the last one, by time or steps */
    double least;       /* steps from one to the next at least, of methods that begin anew at each; 0: none */
    double at_steps;    /* where the last one was                 */
    int is_written, has_failed;
} run_checkpoint;

/* The options: 1 done, 0 after a message. */
int run_checkpoint_options(const cli_args *args, const char *rows, run_checkpoint *c);
/* Writes one where the run stands, if it is due or asked for. */
void run_checkpoint_write(run_checkpoint *c, mech_sim *sim, mech_csv *csv, double from, double until, int is_asked);
/* The run in c->resume goes on in `sim`, its rows in *csv (is_csv) where they ended: EXIT_OK, or the exit code
   after a message. */
int run_checkpoint_take_up(run_checkpoint *c, mech_sim *sim, const char *path, int is_csv, mech_csv **csv);
/* The run is over and its rows are safe: what was written is of no more use. */
void run_checkpoint_end(const run_checkpoint *c);

/* The account: a few lines, or all of it. 1 done, 0 after a message. */
int run_summary_text(const mech_sim *sim, const mech_system *system, int is_verbose, const char *path, size_t rows,
                     const char *figure, const char *page);
/* EXIT_OK, or the exit code after a message. */
int run_summary_json(const mech_sim *sim, const mech_system *system, mech_status status, const char *path);

#endif
