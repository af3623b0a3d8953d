/* One-sided constraints at a state: which are open, struck or touched, and which of those that are touched press. See
   docs/decisions/0025-one-sided.md. */
#ifndef DYNAMICS_SIDES_H
#define DYNAMICS_SIDES_H

#include <mech/instant.h>

#include "dynamics/dynamics.h"

/* Is it of positions? Of velocities there is no gap: it stands in the way at any place. */
int side_has_gap(const mech_system *system, size_t constraint);
/* How well a state is known where nobody but the model says it: its atol, or the default. */
double side_atol(mech_eval *eval);
/* At the point set last (velocity at least). speed: an approach up to this is none, besides rounding and atol. */
mech_side side_at(const mech_system *system, const mech_equation *eq, size_t constraint, double speed, double atol);
/* How far beyond: r, or the rate of one on velocities. */
double side_excess(const mech_system *system, const mech_equation *eq, size_t constraint);

/* Those that touch: they press, or are out of force. */
typedef struct sides {
    dynamics *d;
    void *user;
    size_t count;
    const size_t *constraint;    /* (count)                                                          */
    const unsigned char *leaves; /* (constraints) it just lifted off: it comes back only if clearly pressed; or NULL */
    const unsigned char *stays;  /* (constraints) it stays in force though it bears nothing; or NULL */
    void (*put)(void *user, size_t constraint, int is_in_force);
    mech_status (*solve)(void *user); /* q'' and multipliers in d, with those in force as they stand */
} sides;

typedef struct sides_found {
    int is_found;
    int is_examined; /* all sets were tried, or the motion is known to be unique */
    int motions;     /* different ones that were found                           */
} sides_found;

enum { SIDES_ALL = 6 /* so many with friction at once, of which all sets are tried */ };

/* From those in force on: reaction and acceleration complementary. The last solve is that of the choice. is_found 0: no
   set of them gives a motion. */
MECH_MUST_CHECK mech_status sides_choose(const sides *p, sides_found *found);

/* 1: those in force are a choice, by the motion that was solved last. */
int sides_stand(const sides *p);

#endif
