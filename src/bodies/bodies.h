/* What was said of bodies and joints, and the links that come of it.
 *
 * A link is one elementary motion: a turn, a shift, a screw or a ball. A joint of the tree is a few links in a row, of
 * which the last carries the body; bodies that are fixed to one another share one. A link's axes are those of the
 * joint's place, its origin is that place's point: so the body's own frame, and what it weighs, are constants there.
 * Link 0 is the ground. A link comes after its parent, so every recursion is a loop. */
#ifndef BODIES_BODIES_H
#define BODIES_BODIES_H

#include <mech/bodies.h>

#include "bodies/vector.h"
#include "model/model.h"

typedef enum link_kind { LINK_GROUND, LINK_TURN, LINK_SHIFT, LINK_SCREW, LINK_BALL } link_kind;

enum { LINK_MOST = 4 };    /* coordinates of a link */
enum { JOINT_VALUES = 3 }; /* coordinates that a joint has as a constraint too, at most */

typedef struct body_link {
    link_kind kind;
    size_t parent;
    size_t joint;         /* SIZE_MAX: coordinates of the body's own                                    */
    mat place_axes;       /* its axes at coordinate 0 in those of the parent, constant                  */
    vec place;            /* its origin at coordinate 0 in the parent's axes, constant                  */
    vec axis;             /* unit, in its own axes                                                      */
    mech_expr sign, lead; /* -1: the coordinate counts the other way; a screw's advance a radian        */
    mech_expr q[LINK_MOST], v[LINK_MOST], a[LINK_MOST];
    size_t count;
    /* made with the link */
    mat to_parent;                 /* its axes in those of the parent                          */
    vec offset;                    /* its origin in the parent's axes                          */
    mech_expr twice;               /* a ball: 2/(e.e)                                          */
    mat R;                         /* its axes in those of the ground                          */
    vec r;                         /* its origin                                               */
    vec w, velocity;               /* of its axes and its origin, in its own axes              */
    vec w_joint;                   /* what its own coordinates give to w                       */
    vec alpha[2], acceleration[2]; /* likewise; [0]: with q'' = 0, [1]: with q''    */
    mat spread[2];                 /* skew(alpha) + skew(w)^2: acceleration of a point x is acceleration + spread x */
} body_link;

/* A part of what a body weighs: moments about its mass centre. */
typedef struct body_mass {
    mech_expr mass;
    vec center;
    mat inertia; /* about center, in the body's axes  */
    mat axes;    /* in which it has the moments below */
    vec moments;
    int has_moments;
} body_mass;

/* A solid as it was given, for pictures. */
enum { SOLID_NUMBERS = 6 };
typedef struct body_solid {
    mech_solid_kind kind;
    mech_expr size[SOLID_NUMBERS];
    size_t size_count;
    vec at;
    mat turned;
} body_solid;

typedef struct body {
    const char *name;
    int is_tied;
    int center_asked;
    size_t link;
    mat axes;             /* in the link's             */
    vec origin;           /* in the link's axes        */
    mech_expr angle;      /* in the plane: a sum of coordinates */
    size_t joint, parent; /* by which it hangs, and on which body; SIZE_MAX */
    body_mass *masses;
    size_t mass_count, mass_capacity;
    body_solid *solids;
    size_t solid_count, solid_capacity;
    int has_values;
    /* its frame in ground axes, each entry a node of its own: reactions find forces on it by them */
    vec r, v, a, w, alpha;
    mat R;
    mech_expr turned;  /* angle, likewise */
    vec force, torque; /* of all statements on it, about r, ground axes; found when reactions are asked for */
    uint32_t origin_of;
} body;

typedef struct body_joint {
    const char *name;
    mech_joint_kind kind;
    size_t before, after;
    vec at_before, at_after;
    mat turned_before, turned_after;
    vec axis, second;
    mech_expr number;
    int by_constraint; /* asked for                                      */
    int is_done;       /* it has its coordinates or its rows             */
    int is_tree;
    int is_driven;   /* a spring or a motor acts along its coordinate */
    int is_reversed; /* in the tree: the body before hangs on the body after */
    size_t first_link, last_link;
    mech_expr coords[7];
    mech_expr rates[7]; /* none: the derivatives of coords       */
    size_t constraint;  /* SIZE_MAX: none                                 */
    size_t
        value_constraint[JOINT_VALUES]; /* of a joint that is a constraint: that of each coordinate, SIZE_MAX: none */
    mech_expr wrench[4][3];             /* symbols that stand for it, none: not asked */
    uint32_t origin_of;
} body_joint;

struct mech_bodies {
    mech_model *model;
    mech_pool *pool;
    size_t dimension;
    vec gravity;
    mech_coordinates coordinates;
    int is_finished;
    int wrench_asked;
    size_t gear; /* 1 + a constraint that ties joints by their coordinates, 0: none */
    body *bodies;
    size_t body_count, body_capacity;
    body_joint *joints;
    size_t joint_count, joint_capacity;
    body_link *links;
    size_t link_count, link_capacity;
    strmap body_names, joint_names;
};

/* MECH_OK, or why an expression was not made. */
mech_status bodies_failure(const mech_bodies *b);
/* A struct of a caller, into `to`, where zeros stand; without its size it is refused, in words. */
mech_status bodies_take(mech_bodies *b, void *to, size_t size, const void *given);
/* Entries of a constant (parameters and numbers): a vector of the dimension, a rotation row by row. NULL: zero,
   identity. */
mech_status bodies_vector(mech_bodies *b, const mech_expr *list, const char *what, vec *v);
mech_status bodies_rotation(mech_bodies *b, const mech_expr *list, const char *what, mat *m);
mech_status bodies_constant(mech_bodies *b, mech_expr e, const char *what, double *value);
/* Its number. */
double bodies_number(const mech_bodies *b, mech_expr e);

/* link.c */
/* A link on a parent, its motion and its place in ground axes made; its number. Coordinates are its own fields. */
mech_status bodies_add_link(mech_bodies *b, const body_link *link, size_t *number);
/* What a rate of 1 of coordinate k gives to its angular velocity and its velocity, in its own axes. */
void bodies_link_rate(const mech_bodies *b, const body_link *link, size_t k, vec *w, vec *v);

/* joint.c */
mech_status bodies_tie_freely(mech_bodies *b, size_t body);
/* Links for the steps of a joint, from the place on `parent` to the place on `child`. number: SIZE_MAX: coordinates of
   the body's own. */
mech_status bodies_hang(mech_bodies *b, body_joint *j, size_t number, size_t parent, size_t child);
/* Two unit vectors across a unit vector: across[0], across[1], axis is right-handed. */
void bodies_across(const mech_bodies *b, vec axis, vec across[2]);

/* value.c */
mech_status bodies_need_tied(mech_bodies *b, size_t body);
/* Its frame in ground axes. */
mech_status bodies_make_values(mech_bodies *b, body *k);
/* A point and axes of a place, ground axes. */
mech_status bodies_place(mech_bodies *b, size_t body, vec at, vec *point);
/* A direction fixed in a place. */
vec bodies_direction(mech_bodies *b, size_t body, mat turned, vec direction);

/* joint.c: a new coordinate of the model */
mech_expr bodies_coord(mech_bodies *b, const char *name, model_coord_role role);

/* loop.c: the joint as conditions */
mech_status bodies_close(mech_bodies *b, size_t joint);
mech_expr bodies_loop_coord(mech_bodies *b, size_t joint, size_t k);
/* Adds what the joint's conditions exert to the forces on its bodies. */
mech_status bodies_loop_forces(mech_bodies *b, size_t joint);
mech_status bodies_loop_wrench(mech_bodies *b, size_t joint, mech_wrench which, vec *value);

/* start.c */
/* Guesses for bodies with coordinates of their own, from what is said of joints. */
mech_status bodies_guess_starts(mech_bodies *b);

/* inertia.c, reaction.c: at the end */
/* The force on a mass and the torque about the origin of its frame that a motion of the frame needs. */
struct link_mass;
void bodies_newton_euler(mech_pool *p, const struct link_mass *m, vec acceleration, mat spread, vec *force,
                         vec *torque);
mech_status bodies_add_inertia(mech_bodies *b);
mech_status bodies_add_reactions(mech_bodies *b);
/* bearing.c: warnings of what friction on a joint may not know: the pull of constraints, its radius. */
mech_status bodies_warn_bearings(const mech_bodies *b);

/* mass.c: what a link carries, about its origin, in its axes */
typedef struct link_mass {
    mech_expr mass;
    vec moment; /* mass times centre */
    mat inertia;
} link_mass;
link_mass bodies_no_mass(void);
void bodies_body_mass(const mech_bodies *b, const body *k, link_mass *sum);
/* Adds what another frame carries, in our axes; its origin is at the offset. */
void bodies_shift_mass(mech_pool *p, const link_mass *from, vec offset, link_mass *sum);

/* thin.c: a body that turns without an inertia about some axis, in words for those whom it stops; NULL: none. */
const char *bodies_thin(mech_bodies *b);

#endif
