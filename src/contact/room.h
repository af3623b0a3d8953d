/* What the files of the room share. A scaled problem has one unit for all rows, and is one part: contacts that W
   couples. */
#ifndef CONTACT_ROOM_H
#define CONTACT_ROOM_H

#include "contact/contact.h"

#include "base/tolerances.h"

enum {
    OPTION_EDGE = 0,  /* columns of forces of a contact: two edges of its cone (one without friction) ... */
    OPTION_SLIDE = 2, /* ... and sliding, one way and the other                                           */
    OPTIONS = 4,
    WORKS = 10,
    FOUND_MOST = 64 /* motions of a part that are kept while modes are tried                               */
};

typedef enum contact_kind {
    KIND_SMOOTH, /* without friction: one unknown                       */
    KIND_SLIDER, /* slides along d: one unknown                         */
    KIND_PLANAR, /* rests, one tangential row                           */
    KIND_CONE    /* rests, two of them                                  */
} contact_kind;

typedef struct part {
    size_t contacts, rows;
    size_t *first;      /* contacts + 1: rows of contact i are first[i] ... first[i + 1] - 1         */
    size_t *contact_of; /* contacts: number in the problem as given                                  */
    size_t *row_of;     /* rows: the same                                                            */
    contact_kind *kind;
    double *mu, *hold; /* contacts: coefficients of sliding and of rest, in the units of the rows     */
    double *d;         /* CONTACT_TANGENTS x contacts: unit vector of sliding                        */
    double *restitution;
    contact_mode *was;
    double *unit; /* rows: l = unit * own l, own w = unit * w                                        */
    double *W, *c;
    double *size; /* rows: terms of c                                                                */
    double scale; /* largest of them                                                                 */
} part;

typedef struct found_motion {
    double *l, *w;
    contact_mode *mode;
    int changes, sliders, opens; /* what it is ranked by */
    double force;
    int is_range;
} found_motion;

/* {x >= 0: A x = b}, x being its columns; row-major, b last. */
typedef struct polyhedron {
    size_t rows, columns;
    double *T;       /* rows x (columns + 1)                                   */
    size_t *basis;   /* rows; columns or more: none, the row is 0 = 0          */
    int is_doubtful; /* a search was cut off: the answer is not proven       */
} polyhedron;

struct contact_room {
    size_t contacts, rows; /* there is room for */
    void *block;
    part whole, now;
    int one_is_enough;
    /* of `now` */
    size_t found;
    int is_overfull; /* more motions than are kept */
    found_motion list[FOUND_MOST];
    double *reach;                 /* rows x OPTIONS x contacts: W times the force of an option   */
    double *A, *lu, *null, *b, *x; /* systems                                     */
    size_t *pivot_row, *pivot_column, *owner, *place;
    polyhedron polyhedron;
    double *tableau, *objective; /* Lemke's; of a polyhedron                      */
    size_t *basic;
    double *work[WORKS], *before, *P; /* rows each */
    /* the answer, in the units given */
    double *l[CONTACT_MOTIONS_MOST], *w[CONTACT_MOTIONS_MOST];
    contact_mode *mode[CONTACT_MOTIONS_MOST];
    unsigned char *is_force_unique, *is_own_unique, *is_taken, *is_without;
    size_t *queue;
};

/* ---- scale.c ---- */
/* The problem with one unit for all rows, into room->whole. `rests`: sliding is not looked at (impulses). */
void part_scale(contact_room *room, const contact_problem *p, int rests);
/* The next part of it, into room->now; 0: there is none. Begin with room->is_taken cleared. */
int part_next(contact_room *room);
/* Force of an option along the rows of contact i. */
void part_force(const part *s, size_t i, size_t option, double l[1 + CONTACT_TANGENTS]);
/* w = W l + c */
void part_motion(const part *s, const double *l, double *w);
/* What of the laws l, w with these modes do not meet, by the size of the terms. */
double part_residual(const part *s, const double *l, const double *w, const contact_mode *mode);

/* ---- gauss.c: column-major ---- */
size_t gauss_factor(size_t n, double *A, size_t *row, size_t *column, double tolerance); /* complete pivots: rank */
void gauss_solve(size_t n, const double *LU, const size_t *row, const size_t *column, const double *b, double *x);
/* {x: A x = 0} of a rows x columns matrix, which is spoilt, as columns of null; returns how many. column: work. */
size_t gauss_null(size_t rows, size_t columns, double *A, size_t *column, double tolerance, double *null);

/* ---- polyhedron.c ---- */
/* 1: not empty; x stands at a vertex. `allowed`: what counts as 0, beside the rounding of x. */
int polyhedron_begin(polyhedron *p, double allowed);
/* Largest objective; 0: unbounded. x stays where it is largest. */
int polyhedron_maximize(polyhedron *p, const double *objective);
void polyhedron_point(const polyhedron *p, double *x);

/* ---- motions of room->now ---- */
/* All modes in a plane, into room->list, the best first. */
void modes_search(contact_room *room, int *is_examined);
/* One motion into room->list; CONTACT_ONE, _NONE or _FAILED. */
contact_verdict newton_search(contact_room *room, double *residual, const char **reason);
/* Forces of one motion with the coefficients room->now.mu, all contacts as they are; 0: none found. bias (contacts) or
   NULL: what the bound of friction is beside mu ln. */
int lemke_forces(contact_room *room, const double *bias, double *l);
int newton_forces(contact_room *room, const double *bias, double *l, double *residual);
/* Changes, sliders, opens and force of a motion. */
void modes_rank(const part *s, found_motion *f);
/* Of a motion without cones at rest: are there forces for it, with the coefficients as they are? Of any: which forces
   are unique (contacts of the part), and the set that is told. */
int forces_exist(contact_room *room, const found_motion *f);
void forces_settle(contact_room *room, found_motion *f, unsigned char *is_unique);

/* ---- flow.c ---- */
/* Impulses P of contact i of a part through its impact, by Coulomb's law and Stronge's restitution; u: its velocities
   before. With is_jammed it need not approach. NULL, or why there are none. */
const char *flow_impact(const part *s, size_t i, int is_jammed, const double *u, double P[1 + CONTACT_TANGENTS]);

/* ---- accelerations.c: a part, and the answer ---- */
contact_verdict part_solve(contact_room *room, int *is_examined, double *residual, const char **reason);
void answer_begin(contact_room *room, contact_answer *a);
void answer_write(contact_room *room, const found_motion *f, size_t k);

#endif
