/* Bodies and joints: a mechanism as it is drawn, made into coordinates, masses, forces and constraints of a model.
 *
 *   mech_bodies_create     gravity, in the plane or in space
 *   mech_bodies_body, ...  bodies and what they weigh; then joints, springs, motors
 *   mech_bodies_finish     hands masses and weights to the model; before mech_model_finish
 *
 * The order of the calls is the tree. The joint that first ties a body to what hangs on the ground gives the body its
 * coordinates. A joint between two bodies that have theirs closes a loop: it is a constraint of its name. A joint
 * between two bodies that have none waits until one of them is tied.
 *
 * Vectors have as many entries as gravity, 2 or 3; angular velocities and torques have 1 in the plane, 3 in space.
 * Matrices are given and returned row by row. What is given is an expression of the model's pool, of parameters and
 * numbers only unless said otherwise. A call that cannot accept what it is given adds a diagnostic to the model's list
 * and returns MECH_ERR_MODEL, as the calls of model.h do. */
#ifndef MECH_BODIES_H
#define MECH_BODIES_H

#include <mech/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_bodies mech_bodies;

/* The body that does not move; it needs no name and weighs nothing. */
enum { MECH_GROUND = 0 };

/* dimension: 2 (the plane x, y) or 3. The model must outlive it. */
MECH_API MECH_MUST_CHECK mech_status mech_bodies_create(mech_model *model, const mech_expr *gravity, size_t dimension,
                                                        mech_bodies **bodies);
MECH_API void mech_bodies_free(mech_bodies *bodies);
/* Once all is said: masses, weights and the reactions asked for. A body that is never tied is an error. */
MECH_API MECH_MUST_CHECK mech_status mech_bodies_finish(mech_bodies *bodies);

typedef enum mech_coordinates {
    MECH_COORDINATES_RELATIVE, /* along the tree, the coordinates of joints                            */
    MECH_COORDINATES_ABSOLUTE  /* each body has its own, BODY.r and BODY.e (BODY.angle); joints are constraints */
} mech_coordinates;
/* For the joints after it. */
MECH_API mech_status mech_bodies_coordinates(mech_bodies *bodies, mech_coordinates how);

/* ---- bodies ---- */
MECH_API mech_status mech_bodies_body(mech_bodies *bodies, const char *name, size_t *body);
/* SIZE_MAX when there is none of that name. */
MECH_API size_t mech_bodies_find_body(const mech_bodies *bodies, const char *name);

/* Adds to a body: mass at center (NULL: at its origin), inertia about center in the body's axes. inertia_count 0: none
   (a particle); 1: in the plane; 3: moments about its axes; 9: the matrix, which must be symmetric. */
MECH_API mech_status mech_bodies_mass(mech_bodies *bodies, size_t body, mech_expr mass, const mech_expr *center,
                                      const mech_expr *inertia, size_t inertia_count);

typedef enum mech_solid_kind {
    MECH_SOLID_ROD,      /* extent: one end, the other end; thin. Density: per length                     */
    MECH_SOLID_BOX,      /* extent: edges along its axes (2 in the plane, then density is per area)        */
    MECH_SOLID_CYLINDER, /* extent: radius, height along its third axis; in space                         */
    MECH_SOLID_SPHERE,   /* extent: radius; in space                                                      */
    MECH_SOLID_DISC      /* extent: radius; thin, its third axis is the normal. Density: per area         */
} mech_solid_kind;
typedef struct mech_solid {
    size_t size; /* sizeof(mech_solid) */
    mech_solid_kind kind;
    const mech_expr *extent; /* (extent_count) by its kind                                  */
    size_t extent_count;     /* rod: twice the dimension                                    */
    mech_expr mass;          /* or                                                          */
    mech_expr density;       /* one of the two                                              */
    const mech_expr *at;     /* its middle (a rod: added to both ends); NULL: the origin    */
    const mech_expr *turned; /* its axes in those of the body, a rotation; NULL: the same   */
} mech_solid;
/* Adds a solid to a body. */
MECH_API mech_status mech_bodies_solid(mech_bodies *bodies, size_t body, const mech_solid *solid);

/* ---- joints ---- */
/* A point of a body with axes there: a value, without `size`. */
typedef struct mech_place {
    size_t body;
    const mech_expr *at;     /* in the body's axes; NULL: its origin            */
    const mech_expr *turned; /* the axes of the place in the body's, a rotation; NULL: the same */
} mech_place;

/* Behind each: its coordinates; its conditions as a constraint in space (plane). */
typedef enum mech_joint_kind {
    MECH_JOINT_REVOLUTE,    /* angle about `axis`                             5 (2)             */
    MECH_JOINT_PRISMATIC,   /* length along `axis`                            5 (2)             */
    MECH_JOINT_SCREW,       /* angle about `axis`; it advances by `number` a turn   5           */
    MECH_JOINT_CYLINDRICAL, /* .angle about and .slide along `axis`           4                 */
    MECH_JOINT_UNIVERSAL,   /* .angle[1] about `axis`, fixed before, .angle[2] about `second`, fixed after   4 */
    MECH_JOINT_SPHERICAL,   /* .e[1..4]: Euler parameters, scalar first       3                 */
    MECH_JOINT_PLANAR,      /* .x, .y across `axis`, .angle about it          3                 */
    MECH_JOINT_FIXED,       /* none                                           6 (3)             */
    MECH_JOINT_FREE,        /* .r, then .e (plane: .angle)                    none              */
    MECH_JOINT_DISTANCE,    /* the points keep the distance `number`          1                 */
    MECH_JOINT_SLOT,        /* the point before stays on the line through the point after along `axis`  2 (1) */
    MECH_JOINT_KINDS
} mech_joint_kind;
/* The coordinate of a joint moves the place after relative to the place before: turns it, shifts it. At 0 their axes
   agree, and their points. `axis` is given in the axes of the place after, of any length but 0. In the plane a revolute
   joint has none. Written with the places exchanged the motion is the same; coordinates, force and torque have the
   other sign. */
typedef struct mech_joint {
    size_t size; /* sizeof(mech_joint) */
    mech_joint_kind kind;
    mech_place before, after;
    const mech_expr *axis, *second;
    mech_expr number;  /* pitch or distance; a distance may depend on time */
    int by_constraint; /* as conditions, never as coordinates; 2: because other statements ask for that */
} mech_joint;
MECH_API mech_status mech_bodies_joint(mech_bodies *bodies, const char *name, const mech_joint *joint, size_t *number);
/* SIZE_MAX when there is none of that name. */
MECH_API size_t mech_bodies_find_joint(const mech_bodies *bodies, const char *name);
/* MECH_JOINT_KINDS when there is none */
MECH_API mech_joint_kind mech_bodies_joint_kind(const mech_bodies *bodies, size_t joint);
/* The word of the language for a kind: "revolute". */
MECH_API const char *mech_joint_kind_name(mech_joint_kind kind);
/* The bodies before and after `to`: MECH_GROUND where there is no such joint. */
MECH_API size_t mech_bodies_joint_before(const mech_bodies *bodies, size_t joint);
MECH_API size_t mech_bodies_joint_after(const mech_bodies *bodies, size_t joint);
/* The constraint that the joint is; SIZE_MAX where it gives coordinates, or waits. */
MECH_API size_t mech_bodies_joint_constraint(const mech_bodies *bodies, size_t joint);

/* 1: a spring or a motor acts along its coordinate. */
MECH_API int mech_bodies_joint_is_driven(const mech_bodies *bodies, size_t joint);
/* The joint that a constraint of the model comes from: its conditions, or that of one of its values. SIZE_MAX: none. */
MECH_API size_t mech_bodies_joint_of(const mech_bodies *bodies, size_t constraint);

/* ---- values: expressions of the motion, for statements of the model ---- */
/* They are to be had once a body is tied to the ground: else none, or MECH_ERR_MODEL. */
typedef enum mech_body_value {
    MECH_BODY_ORIGIN,   /* r                                                            */
    MECH_BODY_ATTITUDE, /* R: turns components in the body's axes into those in the ground's */
    MECH_BODY_CENTER,   /* c: the mass centre                                           */
    MECH_BODY_OMEGA,    /* w: angular velocity, ground axes                             */
    MECH_BODY_ANGLE     /* in the plane: how far it has turned                          */
} mech_body_value;
MECH_API mech_status mech_bodies_value(mech_bodies *bodies, size_t body, mech_body_value what, mech_expr *value);
/* The place of a point of the body, in ground axes; its mech_dot is the velocity. */
MECH_API mech_status mech_bodies_point(mech_bodies *bodies, size_t body, const mech_expr *at, mech_expr *value);
/* Coordinate k of a body that has its own (no joint gives it coordinates): r, then e (in the plane: angle). None for
   other bodies. */
MECH_API mech_expr mech_bodies_own_coord(const mech_bodies *bodies, size_t body, size_t k);
/* Components of a vector in the body's axes. */
MECH_API mech_status mech_bodies_axes(mech_bodies *bodies, size_t body, const mech_expr *vector, mech_expr *value);

/* How many coordinates the kind of a joint has, and what follows its name in theirs: "", ".angle", ".e[2]". */
MECH_API size_t mech_bodies_joint_count(const mech_bodies *bodies, size_t joint);
MECH_API const char *mech_bodies_joint_part(const mech_bodies *bodies, size_t joint, size_t k);
/* The value of one: a coordinate of the model where the joint gives it. Where the joint is a constraint, it is a
   coordinate of its own with a condition of its name and `.value`, made when it is first asked for (so before any
   control); an angle counts its turns. None, with an error, for Euler parameters and what a free joint has. */
MECH_API mech_expr mech_bodies_joint_coord(mech_bodies *bodies, size_t joint, size_t k);

/* What the body before exerts on the body after, about the point after, in ground axes. Reactions of constraints are
   total ones. */
typedef enum mech_wrench {
    MECH_WRENCH_FORCE,
    MECH_WRENCH_TORQUE, /* the reaction of the joint                          */
    MECH_WRENCH_LOAD_FORCE,
    MECH_WRENCH_LOAD_TORQUE /* with what acts on its coordinates: motors, springs */
} mech_wrench;
/* For outputs and events. Also before the body after is complete: it stands for what mech_bodies_finish finds. */
MECH_API mech_status mech_bodies_joint_wrench(mech_bodies *bodies, size_t joint, mech_wrench which, mech_expr *value);

/* ---- springs, dampers, motors ---- */
/* Between two places: tension stiffness*(d - length) + damping*d' at the distance d. Each may be none: 0. *tension (may
   be NULL) receives it. They may depend on time. */
MECH_API mech_status mech_bodies_spring(mech_bodies *bodies, const mech_place *before, const mech_place *after,
                                        mech_expr stiffness, mech_expr length, mech_expr damping, mech_expr *tension);
/* On coordinate k of a joint: stiffness*(J - rest) + damping*J'. */
MECH_API mech_status mech_bodies_spring_on(mech_bodies *bodies, size_t joint, size_t k, mech_expr stiffness,
                                           mech_expr rest, mech_expr damping, mech_expr *tension);

typedef enum mech_motor_kind {
    MECH_MOTOR_EFFORT, /* a torque or force `drive` of the motor; the joint gets gear*drive */
    MECH_MOTOR_PLACE,  /* the coordinate is `drive`, by a constraint of the motor's name     */
    MECH_MOTOR_SPEED   /* its rate is                                                        */
} mech_motor_kind;
/* On coordinate k of a joint. rotor: its moment of inertia (its mass along a prismatic joint), none: 0; gear: turns of
   the rotor for one of the joint, none: 1. The coordinate gets the inertia gear^2*rotor; that the rotor is carried
   about belongs to the mass of its body. *constraint (may be NULL): the number of the constraint, SIZE_MAX with an
   effort. drive may be any expression that a force (effort) or a constraint of the model may hold. */
typedef struct mech_motor {
    size_t size; /* sizeof(mech_motor) */
    mech_motor_kind kind;
    mech_expr drive, rotor, gear;
} mech_motor;
MECH_API mech_status mech_bodies_motor(mech_bodies *bodies, const char *name, size_t joint, size_t k,
                                       const mech_motor *motor, size_t *constraint);

/* ---- what was made of it ---- */
MECH_API size_t mech_bodies_body_count(const mech_bodies *bodies); /* with the ground */
MECH_API size_t mech_bodies_joint_total(const mech_bodies *bodies);
MECH_API const char *mech_bodies_body_name(const mech_bodies *bodies, size_t body);
MECH_API const char *mech_bodies_joint_name(const mech_bodies *bodies, size_t joint);
/* The joint by which a body hangs in the tree, SIZE_MAX: none (the ground, a body with coordinates of its own, not
   tied); and the body at the other side of it. */
MECH_API size_t mech_bodies_parent_joint(const mech_bodies *bodies, size_t body);
MECH_API size_t mech_bodies_parent_body(const mech_bodies *bodies, size_t body);

/* The joints of the loop that a joint closes, itself last: how many of them were written, at most `room`. 0: it closes
   none. */
MECH_API size_t mech_bodies_loop(const mech_bodies *bodies, size_t joint, size_t *list, size_t room);
/* Whether by their axes these joints leave motion in one plane only. */
MECH_API int mech_bodies_loop_is_planar(const mech_bodies *bodies, const size_t *joints, size_t count);
/* What a row of the constraint of a joint holds: "along z", "tilt about x", "turn about its axis". */
enum { MECH_CONDITION_TEXT = 32 };
MECH_API void mech_bodies_condition(const mech_bodies *bodies, size_t joint, size_t row,
                                    char text[MECH_CONDITION_TEXT]);
/* by_constraint as it was given. */
MECH_API int mech_bodies_by_constraint(const mech_bodies *bodies, size_t joint);
/* A constraint of the model that ties coordinates of several joints by their names (a gear) where the wrench of a joint
   is asked for: what it exerts is no force on a body, and is not in the forces of joints. SIZE_MAX: none. */
MECH_API size_t mech_bodies_gear(const mech_bodies *bodies);

#ifdef __cplusplus
}
#endif
#endif
