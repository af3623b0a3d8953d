/* Contacts with friction as complementarity problems, in contact coordinates: numbers only, no model.
 *
 * k contacts. Contact i has one normal row and 0, 1 or 2 tangential rows, in this order; rows of contact i stand after
 * those of contact i - 1. Along the rows w = W l + c: l forces (impulses), w accelerations (velocities after), c the
 * same without contact forces, W = J inv(M) J' after rows that hold both ways were taken out: symmetric, positive
 * semidefinite, of any rank. w > 0 along a normal opens the contact, l >= 0 pushes.
 *
 *     normal      0 <= ln, 0 <= wn, ln wn = 0
 *     slides      lt = -mu ln d, d the direction of its velocity
 *     rests       it holds, wt = 0 and |lt| <= mu_static ln, or begins to slide, lt = -mu ln wt/|wt|
 *
 * Answers are compared as motions: two sets of forces with the same w are one. Decision 0026, docs/numerics.md. */
#ifndef CONTACT_CONTACT_H
#define CONTACT_CONTACT_H

#include "base/try.h"

#include <stddef.h>

enum {
    CONTACT_TANGENTS = 2,    /* tangential rows of a contact, at most                                             */
    CONTACT_ALL_MODES = 6,   /* contacts that rest or slide in a plane, of which all modes are tried              */
    CONTACT_MOTIONS_MOST = 8 /* motions that are kept; more are counted                                           */
};

typedef enum contact_mode {
    CONTACT_UNKNOWN, /* given only: nothing is known of what it did before                                        */
    CONTACT_OPENS,   /* ln = 0: it leaves, or touches without force                                               */
    CONTACT_HOLDS,   /* wn = 0 and, with friction, wt = 0                                                         */
    CONTACT_SLIDES   /* wn = 0; it slides, or begins to                                                           */
} contact_mode;

typedef struct contact_point {
    size_t tangents;    /* 0: no friction, 1: in a plane, 2: a cone                                               */
    double mu;          /* of sliding                                                                             */
    double mu_static;   /* of rest, >= mu; impulses do not look at it                                             */
    double restitution; /* impulses only, 0 <= e <= 1                                                             */
    int is_sliding;     /* accelerations only: its velocity along the surface is not 0 ...                        */
    double slip[CONTACT_TANGENTS]; /* ... and this; any length                                                    */
    contact_mode was; /* its mode until now: of several motions the one that goes on is chosen                  */
} contact_point;

typedef struct contact_problem {
    size_t contacts;
    const contact_point *point; /* (contacts)                                                                     */
    size_t rows;                /* contact_rows(contacts, point)                                                  */
    const double *W;            /* rows x rows, column-major                                                      */
    const double *c;            /* rows: accelerations without contact forces, or velocities before the impact    */
    const double *size;         /* rows: sum of the absolute terms that c was made of, its rounding; NULL: |c|    */
    int one_is_enough;          /* any motion will do: whether it is the only one is not looked at                */
} contact_problem;

typedef enum contact_verdict {
    CONTACT_ONE,     /* one motion, or one found where uniqueness was not examined                                */
    CONTACT_SEVERAL, /* several; the chosen one is told                                                           */
    CONTACT_NONE,    /* no motion meets the laws: proven where is_examined, else none was found                   */
    CONTACT_FAILED   /* the method did not come to its end; `residual` says how near it came                      */
} contact_verdict;

typedef struct contact_motion { /* borrowed, valid until the next call with the same room                         */
    const double *l;            /* rows: forces or impulses                                                       */
    const double *w;            /* rows: accelerations, or velocities after the impact                            */
    const contact_mode *mode;   /* contacts                                                                       */
} contact_motion;

typedef struct contact_answer {
    contact_verdict verdict;
    int is_examined;  /* all modes were tried: what is said of uniqueness is proven    */
    int is_continuum; /* motions fill a range: CONTACT_SEVERAL                         */
    size_t motions;   /* found; motion[0] is the chosen one                            */
    size_t kept;      /* so many of them stand in motion                               */
    contact_motion motion[CONTACT_MOTIONS_MOST];
    const unsigned char *is_force_unique; /* contacts: of the chosen motion                                */
    const unsigned char *is_without;      /* contacts, accelerations: coupled to others with no motion     */
    double residual;    /* of the chosen motion: what of the laws is not met, by the size of the terms             */
    double energy;      /* impulses: change of the kinetic energy, <= 0; work beyond contact rows is not in it     */
    double scaled_by;   /* impulses: part of the expansion that the balance of energy allowed, 1: all              */
    const char *reason; /* CONTACT_FAILED, CONTACT_NONE: a few words, a constant text                             */
} contact_answer;

typedef struct contact_room contact_room; /* workspace, made once; one thread                                     */

/* 1 + tangents of each. */
size_t contact_rows(size_t contacts, const contact_point *point);
/* For problems of up to so many contacts and rows. Fails with MECH_ERR_MEMORY only. */
MECH_MUST_CHECK mech_status contact_create(size_t contacts, size_t rows, contact_room **room);
void contact_free(contact_room *room);

/* Accelerations. No allocation; cannot fail but by its verdict. */
void contact_accelerations(contact_room *room, const contact_problem *p, contact_answer *answer);

/* Impulses: c velocities before, all contacts that touch, whether hit or not. With is_jammed an impulse without
   approach is looked for, and P = 0 is none: after accelerations without a motion, and with the contacts alone that
   the answer said are without. */
void contact_impulses(contact_room *room, const contact_problem *p, int is_jammed, contact_answer *answer);

/* Where there is no motion or there are several accelerations: the contact whose friction brings it about, so that with
   a smaller coefficient there is one, and the coefficient from which on. p->contacts: no single one does. Costs some
   forty solves. */
size_t contact_blame(contact_room *room, const contact_problem *p, double *mu);

/* The coefficient from which on a contact that slides along d (+-1) in a plane is pressed on by its own friction:
   Wnn - mu d Wnt = 0; HUGE_VAL: none. */
double contact_limit(double Wnn, double Wnt, double d);

#endif
