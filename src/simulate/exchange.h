/* A run whose steps somebody else takes: model exchange (docs/decisions/0037-model-exchange.md). The state is handed
   over with each call, x = (q, v, z). What is in force, what holds, and on which side triggers were, stays as it is
   from one event to the next. */
#ifndef SIMULATE_EXCHANGE_H
#define SIMULATE_EXCHANGE_H

#include <mech/simulate.h>

typedef struct exchange exchange;

/* NULL, or in words why a system cannot be taken over. Static. */
const char *exchange_obstacle(const mech_system *system);
/* How many functions of a run are watched, before there is one. */
size_t exchange_indicator_count(const mech_system *system);
/* The rate, per unit of time, that goes with the motion, from a short run of the system's own: it is neither lost in
   the motion nor does it cost steps. 1 where there is no motion. MECH_ERR_MEMORY. */
MECH_MUST_CHECK mech_status exchange_gain(const mech_system *system, double *gain);

/* Of a run that has been started, or was restored; the run outlives it. */
MECH_MUST_CHECK mech_status exchange_create(mech_sim *sim, exchange **made);
void exchange_free(exchange *e);
/* How fast what is off the constraints comes back; 0: not at all. */
void exchange_set_gain(exchange *e, double gain);

/* x' = (v, q'', z'); `outputs` may be NULL. 1: done, 0: not here, where a smaller step may help, -1: failed. */
int exchange_rates(exchange *e, double t, const double *x, double *rates, double *outputs);
/* (exchange_indicator_count) something may happen where one of them passes 0. Signs as above. */
int exchange_indicators(exchange *e, double t, const double *x, double *values);
/* d(x', outputs)/d(x, inputs) by column: (size of x + outputs) x (size of x + inputs). Signs as above; -1 where the
   system has no derivatives. */
int exchange_slopes(exchange *e, double t, const double *x, const double **slopes);
/* After a step that the importer accepts. *is_off: by more than a run would leave it off the constraints. */
MECH_MUST_CHECK mech_status exchange_step(exchange *e, double t, const double *x, int *is_off);
/* What happens at (t, x), by what is watched, by the clock or by what was set; x becomes the state after it, on the
   constraints where anything happened or must_project. *is_moved: x is another one. */
MECH_MUST_CHECK mech_status exchange_event(exchange *e, double t, double *x, int must_project, int *is_moved);
/* When something is bound to happen next; HUGE_VAL: nothing is. */
double exchange_next(const exchange *e);

#endif
