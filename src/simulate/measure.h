/* What is kept of a run (measure.c). */
#ifndef SIMULATE_MEASURE_H
#define SIMULATE_MEASURE_H

#include <mech/simulate.h>

typedef struct sim_measure {
    double best;              /* max, min: so far                                           */
    double integral;          /* mean, rms                                                  */
    double size;              /* the largest |value| met: what errors of it are measured by */
    double last;              /* where the run stood last                                   */
    double first;             /* of an event: when; NaN: not yet                            */
    size_t happened;          /* of an event: how often                                     */
    double absolute;          /* of the integral: the sum of |shares| of stretches, ...     */
    double unknown;           /* ... and of what their interpolants may miss; of the best: the same */
    double worst, worst_time; /* the largest of these, and where                   */
} sim_measure;

typedef struct sim_measures {
    sim_measure *list; /* (measures)                                                              */
    size_t kinks;
    double *kink_size;                /* (kinks) as size                                                         */
    int along_steps;                  /* some are looked at along the steps                                      */
    double until;                     /* so far they are                                                         */
    int narrow;                       /* a quarter of a step, and less, told nothing of one of them              */
    size_t unresolved;                /* stretches as short as the resolution that tell nothing, ...             */
    double unresolved_time;           /* ... and where the first was                                             */
    double *values;                   /* (9 x (measures + kinks)) scratch                                        */
    double *point;                    /* (measures + kinks) scratch                                              */
    const struct system_swift *swift; /* NULL: any samples tell; else what it keeps of each of the 9, and its room */
    double *inputs;
    struct bound *room;
} sim_measures;

MECH_MUST_CHECK mech_status sim_measure_create(mech_sim *s);
/* After a step, before it is projected; at s->t and s->y, where the run starts, a row stands or an advance ends. */
MECH_MUST_CHECK mech_status sim_measure_step(mech_sim *s);
MECH_MUST_CHECK mech_status sim_measure_point(mech_sim *s);
/* At s->t: of contacts that were struck here and closed, the bounces that were left out. */
MECH_MUST_CHECK mech_status sim_measure_bounces(mech_sim *s);
/* The first one, from this on, that is not known to the tolerance, as over a pole; SIZE_MAX: none. */
size_t sim_measure_in_doubt(mech_sim *s, size_t from);
/* An event happens at s->t. */
void sim_measure_event(mech_sim *s, size_t event);

#endif
