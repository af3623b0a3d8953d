/* Dry friction at rest: which frictions hold and which begin to slide, and where to. What an instant and a run share.
 *
 * A friction with V = 0 either holds, V' = 0 with |ft| <= mu_s N, or begins to slide along d with V' = a d, a >= 0, and
 * the force of sliding, -mu N d. Each choice for all of them is an equation to solve; an answer is one that all of them
 * meet. To hold comes first: what rests stays at rest where it can. Several that hold the same motion share what it
 * takes, and the least forces may ask more of one than it bears: that one bears all it can, mu_s N, and the others hold
 * the rest, with it at rest (it is full). One friction along a single velocity always has an
 * answer, and only one: with W the response of V' to its force f and N = |n + c f|, h(f) = |f| - mu |n + c f| is
 * positive at the force that would hold it and not positive at 0, and |n + c f| is convex. */
#ifndef DYNAMICS_FRICTION_MODES_H
#define DYNAMICS_FRICTION_MODES_H

#include "dynamics/friction_law.h"

typedef struct friction_mode {
    int rests;    /* V = 0: it holds or begins to slide; others slide along V, and are left alone */
    int gave_way; /* it held until now, and what is asked of it has risen to its bound            */
    int holds;
    int is_full; /* it does not hold, and bears mu_s N at rest, since others hold what it would move */
    /* of sliding: unit vector, or 0 while there is no force; entries beyond V's are 0 */
    double direction[FRICTION_MOST];
} friction_mode;

/* One friction in a motion; entries beyond V's are 0. */
typedef struct friction_look {
    double pull[FRICTION_MOST]; /* ft, what the rows V = 0 need of it while it holds */
    double bound;               /* mu_s N                                            */
    double rate[FRICTION_MOST]; /* V' along the surface                              */
    friction_sizes size;
    int has_reserve; /* mu_s > mu */
} friction_look;

typedef struct friction_modes {
    size_t count;
    void *user;
    friction_mode *(*mode)(void *user, size_t k);
    /* Orthonormal directions in which V may slide; returns how many. */
    size_t (*surface)(void *user, size_t k, double basis[FRICTION_MOST][FRICTION_MOST]);
    /* The motion with the modes as they stand, of those that friction_accepts takes. */
    int (*solve)(void *user); /* 0: done */
    /* In a motion of which these are q'' and the total multipliers; NULL: in that solved last. */
    void (*look)(void *user, size_t k, const double *qdd, const double *total, friction_look *look);
    /* Do the rows in force hold it at rest, whatever pushes it? NULL: it is not asked, and none is full. */
    int (*is_held)(void *user, size_t k);
    int asks_all; /* those that hold have to bear it too; else only those that begin to slide have to go on */
    /* what `solve` gives where a choice has no motion, or several: then others are tried; all else ends the search */
    int no_reaction, many_reactions, not_realisable;
} friction_modes;

/* Chooses for all that rest; the last solve is that of the choice. 0; no_reaction: no choice meets all; many_reactions:
   several motions do; not_realisable: control asks for what no choice allows. */
SMALL_PART int friction_choose_modes(friction_modes *p);
/* Is a motion with the modes as they stand one to count? */
SMALL_PART int friction_accepts(const friction_modes *p, const double *qdd, const double *total);

#endif
