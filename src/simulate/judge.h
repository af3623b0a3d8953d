/* Is the account of a run within what its steps' own errors explain? docs/motion.md. */
#ifndef SIMULATE_JUDGE_H
#define SIMULATE_JUDGE_H

#include "base/state.h"

#include <mech/base.h>

/* What an error of the size of the tolerance, in every component of the state, does to the energy and to the
   constraints; and the sums over the steps taken so far, each with the part of the tolerance that its error was
   estimated at. */
typedef struct sim_judge {
    double energy_weight, position_weight, velocity_weight;
    double energy, position, velocity; /* allowed so far                                  */
    double phi, rate;                  /* residuals at the point noted last               */
    /* the largest at ends of steps: rows between them have the interpolant's error too */
    double most_balance, most_phi, most_rate;
    double last;              /* the balance at the end of the last step         */
    double worst, worst_time; /* what a step's balance missed most, beside what it was allowed; when */
    double worst_miss;        /* and by how much                                 */
} sim_judge;

struct mech_sim;
/* At a point with all of M, Q, A evaluated. */
void sim_judge_weigh(struct mech_sim *s);
/* After a step: its balance stands in s->audit.last_balance, its residuals in s->audit.judge. */
void sim_judge_step(struct mech_sim *s);
/* At the end of the run: the warning into s->warning, or "". */
void sim_judge_close(struct mech_sim *s);
void sim_judge_visit(struct mech_sim *s, state_walk *w);

#endif
