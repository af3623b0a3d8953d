/* Laws that depend on the total reaction: lambda = lambda_i + delta(C(lambda)), where A' delta(C) + C = Qni. Over the
   robust solve, and like it free of dependencies and allocation. Also put into exported code, where it stands in one
   file with others: so all its names begin with small_.

   Only the multipliers that the law reads are unknown, x. Where a law such as mu |x| does not change sign it
   is linear, and one Newton step from any point of that region lands on its only possible solution: so a
   start in each pattern of signs finds every solution of such a law. None or several is Painleve's paradox.
   Theory: x + B|x| = r has exactly one solution for every r if and only if det(I + B S) > 0 for every pattern
   S of signs.

   Where several multipliers press together, N = |x|, there is no such region. But all solutions lie on the half-line
   base + N delta(C) of C at N = 1, and N - |base + N delta| is concave: Newton's method from the far end finds the
   farther one of two. So where the law alone would push each multiplier is a start too.

   Where there are servo rows the control answers the law, u = u_0 + U C, so that delta(C) has the part of G U C too:
   still linear in C, and the same method. The ideal multipliers then depend on the law as well, and stand behind the
   total ones. */
#ifndef FUNDAMENTAL_REACTION_H
#define FUNDAMENTAL_REACTION_H

#include "fundamental/control.h"

/* What a search ends in; any other number is what the law gave up with. */
enum {
    SMALL_REACTION_FOUND = 0,
    SMALL_REACTION_NONE = -1,
    SMALL_REACTION_SEVERAL = -2,
    SMALL_REACTION_ROOM = -3 /* all total and ideal multipliers at once: there is no room for it */
};

/* Places at which the law is looked at before the search, and samples that the search keeps. */
enum { SMALL_PROBES = 3, SMALL_SAMPLES = 96 };

typedef struct small_reaction {
    small_solve *natural; /* M and the natural rows in force, factored                                     */
    const double *M;
    int m;                  /* rows                                                                          */
    small_control *control; /* prepared; NULL: there is none                                                 */
    /* C (n) at multipliers (`all`), and dC (n x all, or NULL), both 0 before; NaN where it does not know a derivative.
       0: done; `no_value`: it has none there; anything else ends the search. */
    int (*law)(void *user, const double *lambda, double *C, double *dC);
    int no_value;
    /* whether a motion counts, by its q'' and total multipliers; NULL: all do */
    int (*accepts)(void *user, const double *qdd, const double *total);
    void *user;
    double *room;        /* small_reaction_room(n, m)                                                     */
    int *which;          /* (m) multipliers that the law reads                                            */
    unsigned char *read; /* (2 m) work                                                                    */
    /* made */
    int all;                /* multipliers: m total ones, and with control m ideal ones behind them */
    int count;              /* those the law reads                        */
    double scale;           /* size of those without the law              */
    double *C, *dC;         /* n, n x all                                 */
    double *moved;          /* n: C with one multiplier moved             */
    double *base;           /* all: multipliers without the law           */
    double *base_qdd, *qdd; /* n: q'' without the law, and at x           */
    double *dqdd;           /* n: what a force adds to it                 */
    double *lambda;         /* all: where the law is evaluated            */
    double *delta;          /* all                                        */
    double *zero;           /* m                                          */
    double *J;              /* count x count                              */
    double *F, *x;          /* count                                      */
    double *found;          /* count: the solution                        */
    double *pushed;         /* count: the last start by what the law pushes */
    double *near;           /* count: a solution but for rounding, beside a jump    */
    double probe[SMALL_PROBES][3];
    int kind;              /* how the law goes with the multipliers                */
    int solutions, misses; /* found, and near                                      */
    int refused;           /* a solution that does not count was found             */
    int stray;             /* what Newton's method left with where the law has no values */
    int calls;             /* of the law that are left                             */
} small_reaction;

#ifndef SMALL_LEAN
/* Doubles of room. */
size_t small_reaction_room(int n, int m);
#endif
/* Finds C of the one motion there is, from the motion without the law: q'' (n), total and ideal multipliers (m). */
SMALL_PART int small_reaction_find(small_reaction *r, const double *qdd, const double *total, const double *ideal);

#endif
