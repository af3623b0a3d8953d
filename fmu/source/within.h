/* What the sources of an instance over exported code have in common: docs/decisions/0043-units-in-c.md. What the
   model is stands in unit.h. C99, and nothing but the C library. */
#ifndef WITHIN_H
#define WITHIN_H

#include "instance.h"
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = MOTION(COORDS),
    ROWS = MOTION(ROWS),
    STATES = MOTION(STATES),
    PARAMS = MOTION(PARAMS),
    INPUTS = MOTION(INPUTS),
    OUTPUTS = MOTION(OUTPUTS),
    SIZE = 2 * N + STATES,
    ALL_ROWS = ROWS + UNIT_TARGETS, /* of a start: constraints, then values that are fixed */
    GIVEN = PARAMS + INPUTS,
    EVENTS = MOTION(EVENTS),
    CONSTRAINTS = MOTION(CONSTRAINTS),
    WATCHES = EVENTS + UNIT_KINKS /* functions whose zeros count: triggers, then kinks */
};
enum { GAIN, PROJECTION, SETTINGS };
enum { POSITION, VELOCITY };
enum { TOKEN = 40 };

#define RANK_TOL 1e-9 /* sines below are none                                   */

/* A function whose zeros count. */
typedef struct watch {
    double floor, largest;             /* what counts as 0, and how large it has been       */
    double fired_at, gap, largest_gap; /* when it fired last, and the times between         */
    int sign;                          /* the side it was on last; 0: not known, it is at 0 */
    int is_pending;                    /* it is at 0, and comes from the side of sign       */
    int shrinking, has_fired;          /* gaps in a row that were shorter than the last     */
} watch;

/* What a state that is kept consists of; all gaps are 0, so that equal states are equal bytes. */
typedef struct kept {
    char token[TOKEN];
    double start, t, rank_tol;
    double settings[SETTINGS];
    double given[GIVEN + 1]; /* what the importer set, NaN: nothing */
    double x[SIZE];          /* where it is                         */
    int is_running;          /* initialization is over              */
    int is_started;          /* there is a state                    */
    int is_changed;          /* something was set since the last event */
    int is_off;              /* the last step asked for a projection   */
    int has_stopped;         /* an event of the model said so          */
    double next;             /* when a table has its next point        */
    watch watch[WATCHES + 1];
    unsigned char active[CONSTRAINTS + 1]; /* in force      */
} kept;

struct instance {
    instance_log *log;
    void *user;
    int logs_events;
    kept now;
    MOTION(type) motion;
    unit_code code;
    double u[3 * INPUTS + 1];
    double rates[SIZE], lambda[ROWS + 1], outputs[OUTPUTS + 1];
    int has_rates;              /* and multipliers and outputs, at now.t and now.x */
    small_solve solve;          /* of Newton's method: ALL_ROWS                    */
    double *numbers, *A, *left; /* its memory; (ALL_ROWS x N), (ALL_ROWS)          */
    int *integers;
    unsigned char *active; /* (ALL_ROWS) */
};

/* instance.c. To the importer; 0. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int instance_say(const instance *i, int is_error, const char *format, ...);
/* Parameters as they are set, and those that follow; constraints that are in force. */
void instance_take_parameters(instance *i);
/* Signals at t, or what was set in their place. */
void instance_take_inputs(instance *i, double t);
int instance_are_finite(const double *x, int count);
/* Accelerations and multipliers at (t, x), with excess variables. 1 done, 0 failed and said, -1 not here. */
int instance_solve(instance *i, double t, const double *x, double *qdd, double *lambda);
/* The same, as far as the factored equation, with its right side. */
int instance_factor(instance *i, double t, const double *x, double *b);
/* Behind multipliers: which constraints are in force. */
void instance_list_active(const instance *i, double *to);
/* Rates, multipliers and outputs where the importer is. As solve. */
int instance_look_here(instance *i);

/* onto.c. How far rows of a level are off at (t, x), by what may be left of them, and all together. */
double instance_look_at_rows(instance *i, double t, const double *x, int level, int with_targets, double *norm);
/* Which sines are none beside the constraints. */
void instance_look_at_rank(instance *i);
/* Positions and velocities onto the constraints; the same after a state was set, or a constraint put in force. */
int instance_project(instance *i);
int instance_project_from_afar(instance *i);
/* 1: there is a state, if need be that of the start. */
int instance_ensure_start(instance *i);

/* events.c. The first point of a table after t, and a hair: there the piece after it is the one. */
double instance_next_time(double t);
/* Values of what is watched at (t, x), and of the conditions of events. As solve. */
int instance_watch_values(instance *i, double t, const double *x, double *values, double *conditions);
/* On which side all of them are, at the start and after what happened. As solve. */
int instance_begin_watches(instance *i);

#endif
