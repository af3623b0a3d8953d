/* The equation where it is smooth: solved at a state that nothing is known of, and differentiated there. What a
   linearization and slopes hold. */
#ifndef DYNAMICS_SMOOTH_H
#define DYNAMICS_SMOOTH_H

#include "dynamics/derivative.h"
#include "dynamics/unique.h"

typedef struct smooth {
    dynamics d;
    derivative by;              /* of q'' and the multipliers                              */
    mech_diagnosis *diagnosis;  /* only where a law looks at reactions: n, d.rows          */
    double *probe;              /* (unique_room)                                           */
    unsigned char *does, *mark; /* (n), (d.rows)                                          */
    int *culprit, culprits;     /* (d.rows) of a reaction that is not unique               */
    const char *why;            /* of MECH_ERR_UNSUPPORTED: static words                   */
} smooth;

/* Why friction that rests is in the way. */
#define SMOOTH_AT_REST                                                                                                 \
    "dry friction has no derivative at rest: look where it slides, with --here, or set its coefficient to 0, "         \
    "or write its force as a law; 'mech equilibrium' tells whether it holds"

/* Why a one-sided constraint is. */
#define SMOOTH_TOUCHES                                                                                                 \
    "a one-sided constraint that touches has no derivative: the motion is another one on either side. "                \
    "Where it presses write it with '='"

/* Its memory from the arena, but for what smooth_free frees. wants: as derivative_create. MECH_ERR_UNSUPPORTED:
   derivative_obstacle. */
MECH_MUST_CHECK mech_status smooth_create(smooth *s, const mech_system *system, unsigned wants, arena *memory);
void smooth_free(smooth *s);
/* At the point set last. MECH_ERR_UNSUPPORTED: friction rests there, or what control answers to is
   not unique, see why. MECH_ERR_NOT_UNIQUE: a law looks at what is not. */
MECH_MUST_CHECK mech_status smooth_solve(smooth *s);

#endif
