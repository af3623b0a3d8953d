/* Many states of one model at once: what ensembles, sweeps and particle filters ask for. Each operation of
   the interpreter serves 32 states, in vectors as wide as the processor has; no compiler is needed.

       mech_motion_code_create(system, NULL, &code);
       mech_lanes_create(code, 10000, &lanes);
       mech_lanes_take(lanes, 17, eval);            (only where states differ in their parameters)
       mech_lanes_motion(lanes, &states, qdd, NULL, NULL, NULL);

   Arrays hold all states of one coordinate side by side: coordinate i of state j is q[i*count + j]. */
#ifndef MECH_LANES_H
#define MECH_LANES_H

#include <mech/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_lanes mech_lanes;

/* Room for `count` states with the parameters the model gives. The code is borrowed and may be shared.
   MECH_ERR_UNSUPPORTED where rows wait for an event, or only stages serve. */
MECH_API MECH_MUST_CHECK mech_status mech_lanes_create(const mech_motion_code *code, size_t count, mech_lanes **lanes);
MECH_API void mech_lanes_free(mech_lanes *lanes);

/* State `state` takes the parameters of this evaluation, and its inputs where they were set. MECH_ERR_UNSUPPORTED: a
   law in C gives them. */
MECH_API MECH_MUST_CHECK mech_status mech_lanes_take(mech_lanes *lanes, size_t state, mech_eval *eval);

typedef struct mech_lanes_states {
    size_t size;         /* sizeof(mech_lanes_states)                  */
    const double *t;     /* (count) or NULL: 0                         */
    const double *q, *v; /* (coords x count)                          */
    const double *z;     /* (states x count), NULL when there are none */
} mech_lanes_states;

/* The same q'' as mech_eval_motion gives. Where rows depend on one another lambda is one choice, not that of least
   norm. qdd (coords x count), lambda (rows x count) or NULL, rate (states x count) or NULL. Where the rank of a
   state is in doubt the robust solve gives its result. Returns the first failure of a state; *failed (may be
   NULL) says which. */
MECH_API MECH_MUST_CHECK mech_status mech_lanes_motion(mech_lanes *lanes, const mech_lanes_states *states, double *qdd,
                                                       double *lambda, double *rate, size_t *failed);
typedef struct mech_lanes_moving { /* states as above, moved in place */
    size_t size;                   /* sizeof(mech_lanes_moving)                  */
    double *t;                     /* (count) or NULL: 0                         */
    double *q, *v;                 /* (coords x count)                           */
    double *z;                     /* (states x count), NULL when there are none */
} mech_lanes_moving;

/* So many steps of length h by the classical Runge-Kutta method, all states by themselves: no error control, no
   projection, no events. Where the code of the lanes is native, the steps are compiled too, at the first call; they
   have other roundings than the interpreter's. A state that comes into doubt is done alone, by the robust solve.
   MECH_ERR_UNSUPPORTED: the model has inputs. Else as mech_lanes_motion. */
MECH_API MECH_MUST_CHECK mech_status mech_lanes_rk4(mech_lanes *lanes, const mech_lanes_moving *states, double h,
                                                    size_t steps, size_t *failed);
/* How many states the robust solve answered since creation. */
MECH_API size_t mech_lanes_robust(const mech_lanes *lanes);

#ifdef __cplusplus
}
#endif
#endif
