/* Clocks: values that are sampled at from + k*period and held between (clocks.c). */
#ifndef SIMULATE_CLOCKS_H
#define SIMULATE_CLOCKS_H

#include <mech/simulate.h>

typedef struct sim_clock {
    double period, from;
    double first, step, parts; /* whole numbers: instants are (first + k*step)/parts; parts 0: these are no quotients */
    int64_t next;              /* k of the instant that comes next */
} sim_clock;

typedef struct sim_clocks {
    sim_clock *items; /* (count) */
    size_t count;
} sim_clocks;

MECH_MUST_CHECK mech_status sim_clocks_create(mech_sim *s);
/* Periods with the parameters as they are; the instants that come next: from here on, or after here where the run is
   under way. */
MECH_MUST_CHECK mech_status sim_clocks_place(mech_sim *s, int is_start);
/* The next instant of all clocks; HUGE_VAL: there are none. */
double sim_clocks_next(const mech_sim *s);
int sim_clocks_are_due(const mech_sim *s);
/* Sets what is due here, clock by clock. */
MECH_MUST_CHECK mech_status sim_clocks_tick(mech_sim *s);

#endif
