/* The state a command starts from: the model's, changed by --state, moved onto the constraints. */
#ifndef APP_START_H
#define APP_START_H

#include "cli.h"

#include <mech/output.h>

typedef struct start_facts {
    const mech_system *system;
    const char *words;       /* where the state comes from */
    mech_report_move *moves; /* what the assembly moved    */
    size_t move_count;
    int is_changed;  /* by --state                 */
    double *changes; /* (2n + states) what --state says, NaN: nothing */
} start_facts;

/* The model's values of `initial` and `guess` into q, v, z. EXIT_OK or the exit code, after a message. */
int start_begin(start_facts *facts, const mech_system *system, mech_instant *instant, double t, double *q, double *v,
                double *z);
/* Another value for one coordinate, velocity or state; list is q, v or z. */
void start_fix(start_facts *facts, double *list, mech_variable variable, size_t index, double value);
/* mech_assembly_changed_start of a system. is_needed: without a start of its own it ends with the reason. EXIT_OK or
   the exit code, after a message. */
int start_find(const mech_system *system, double t, const double *changes, int is_needed, double *x);
/* Moves q and v onto the constraints. */
int start_assemble(start_facts *facts, double t, double *q, double *v, double *z);
void start_end(start_facts *facts);

#endif
