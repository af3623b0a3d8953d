/* What the commands on stability share: a model, its equilibrium or steady motion, and the linear system
 * there. */
#ifndef APP_ANALYSIS_H
#define APP_ANALYSIS_H

#include "common.h"

#include <mech/analyze.h>
#include <mech/output.h>

typedef struct analysis {
    const cli_args *args;
    const char *word; /* the command */
    opened file;
    mech_system *system;
    opened with_friction; /* the model with its friction, where `file` holds it or leaves it out */
    mech_system *friction_system;
    mech_eval *eval;
    mech_sizes sizes;
    double *x;     /* (2n + states) the guess, then the point */
    double *begin; /* (2n + states) what --state says of it, NaN: nothing */
    double t;
    mech_equilibrium *equilibrium;
    mech_equilibrium *rest; /* the same under friction */
    mech_linear_options at;
    mech_linear *linear;
    double *gains;   /* (2 m m) B, K of --gains */
    const char *why; /* what was in the way of the linearization asked for last */
} analysis;

#define OPTION_STATE                                                                                                   \
    {                                                                                                                  \
        "--state", "NAME=VALUE", "where to look: x=1, x'=2 or a state; may be repeated"                                \
    }
#define OPTION_HERE                                                                                                    \
    {                                                                                                                  \
        "--here", NULL, "take that state as it is, look for no equilibrium"                                            \
    }
#define OPTION_TIME                                                                                                    \
    {                                                                                                                  \
        "--at", "TIME", "inputs and moving constraints at this time (default: where the simulation begins)"            \
    }
#define OPTION_GAINS                                                                                                   \
    {                                                                                                                  \
        "--gains", "B,K", "gains of the excess variables on all rows (default: the model's, else 0)"                   \
    }

/* Model, system with its derivatives, guess. EXIT_OK or the exit code, after a message. */
int analysis_open(analysis *a, const cli_args *args, const char *word);
/* Takes the model with its friction aside and goes on with it held or left out. */
int analysis_set_friction_aside(analysis *a, mech_friction_reading instead);
/* The equilibrium or steady motion (or the state itself with --here). */
int analysis_find(analysis *a);
/* The same with dry friction: held where it stands if friction can, else where none is needed. */
int analysis_find_rest(analysis *a);
int analysis_linearize(analysis *a);
/* 1 after a message: a kink stands at the point, there is no linear system. */
int analysis_has_kink(const analysis *a);
/* 1 after a message: an event stands at its threshold there, and no chart of modes tells of it. */
int analysis_meets_event(const analysis *a);
void analysis_close(analysis *a);
/* Whether the file of -o (may be NULL) may be written, asked before anything is computed: EXIT_OK, or the code after
   a message. */
int analysis_may_write(const analysis *a, const char *what, const char *path);
/* The linear system as a .mat file. EXIT_OK or the exit code, after a message. */
int analysis_write(const analysis *a, const char *path);
mech_report_format analysis_format(const analysis *a);
/* 1: the parameter can be set; 0 after a message when its value shaped the model. */
int analysis_may_vary(const analysis *a, const char *param);
/* 1: there is such a parameter, or it is a gain of constraints; 0 after a message. */
int analysis_has_param(const analysis *a, const char *name);
/* "p=lo:hi:n": 1 done, 0 after a message. The name is copied. */
int analysis_axis(const analysis *a, const char *text, size_t length, char *name, size_t size, mech_axis *axis);
int analysis_complain(const analysis *a, const char *what, const char *about);
/* Where a search for an equilibrium begins: at x. */
mech_equilibrium_options analysis_begin(const analysis *a);
/* A failure that is not the command line's. */
int analysis_failed(const analysis *a, mech_status status);
/* What can be said of a failed search: lines on stderr. The evaluation stands where the search left it. */
void analysis_why(const analysis *a, mech_status status);

#endif
