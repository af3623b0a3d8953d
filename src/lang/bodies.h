/* Bodies and joints: words of their statements, and names that stand for them. */
#ifndef LANG_BODIES_H
#define LANG_BODIES_H

#include "lang/evaluate.h"

#include <mech/bodies.h>

/* In the order of lang_body_words, lang_spring_words, lang_motor_words; lang_joint_kinds has that of mech_joint_kind.
   */
enum {
    BODY_MASS,
    BODY_CENTER,
    BODY_INERTIA,
    BODY_ROD,
    BODY_BOX,
    BODY_CYLINDER,
    BODY_SPHERE,
    BODY_DISC,
    BODY_DENSITY,
    BODY_AT,
    BODY_TURNED
};
enum { SPRING_STIFFNESS, SPRING_LENGTH, SPRING_ANGLE, SPRING_DAMPING, SPRING_WORDS };
enum { MOTOR_TORQUE, MOTOR_FORCE, MOTOR_ANGLE, MOTOR_LENGTH, MOTOR_SPEED, MOTOR_ROTOR, MOTOR_GEAR, MOTOR_WORDS };
extern const char *const lang_body_words[], *const lang_joint_kinds[], *const lang_spring_words[],
                                                                           *const lang_motor_words[];

/* body.c */
/* 1 after `gravity`; reports otherwise. */
int lang_need_bodies(lang_context *c, mech_span span);
/* Entries of a vector or a square matrix of the dimension of gravity; NULL when it is another, which is reported. */
const mech_expr *lang_entries(lang_context *c, const lang_node *n, int rank, const char *what);

/* member.c: what bodies, joints and springs hold. */
/* The value of a body's or a joint's member; an error value when reported. `of`: what stands before the '.'. */
lang_value lang_thing_member(lang_context *c, const lang_binding *of, const lang_node *n);
/* A joint as a value: its coordinate. A point: its place. */
lang_value lang_joint_value(lang_context *c, const lang_binding *joint, mech_span span);
lang_value lang_point_value(lang_context *c, const lang_binding *point, mech_span span);
/* The joint and its coordinate a path names: J, J.angle, J.angle[2]; 0 when reported. */
int lang_joint_coordinate(lang_context *c, const lang_node *n, size_t *joint, size_t *coordinate);
/* The body a path names; SIZE_MAX when reported. */
size_t lang_body_of(lang_context *c, const lang_node *n);

/* joint.c */
/* Does the coordinate of a joint turn it? */
int lang_joint_turns(const lang_context *c, size_t joint, size_t k);
/* Whether a text refers to a joint of this name as a constraint, or as a value. */
void lang_scan_joints(lang_context *c, const lang_statement *first);

#endif
