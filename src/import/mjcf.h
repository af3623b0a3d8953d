/* MJCF: what its readers share. */
#ifndef IMPORT_MJCF_H
#define IMPORT_MJCF_H

#include "import/import.h"

typedef struct mjcf_class { /* of defaults */
    const char *name;
    const xml_node *node;
    int parent; /* -1: none */
} mjcf_class;

typedef struct mjcf_joint {
    const char *given, *name; /* given: NULL when the file gives none */
    import_kind kind;
    int parent, child; /* bodies           */
    double ref;        /* its coordinate in the file where ours is 0 */
    pose home;         /* of a free joint  */
    mech_span span;
} mjcf_joint;

typedef struct mjcf_body {
    const char *given;
    int number; /* of the body; IMPORT_GROUND: the world */
    pose home;  /* in the world, when all joints are where the file has them */
} mjcf_body;

typedef struct mjcf_site {
    const char *given;
    int body;    /* in `bodies` of mjcf */
    double p[3]; /* in its body         */
} mjcf_site;

typedef struct mjcf {
    importer *c;
    double degree;    /* one unit of an angle, in radians */
    int is_global;    /* poses are those in the world, not in the parent */
    char order[4];    /* of Euler's angles                */
    int from_geoms;   /* -1: where there is no inertial   */
    double groups[2]; /* of geoms that weigh              */
    double least_mass, total_mass;
    mjcf_class *classes;
    size_t class_count, class_capacity;
    strmap class_names, body_names, joint_names, site_names;
    mjcf_body *bodies;
    size_t body_count, body_capacity;
    mjcf_joint *joints;
    size_t joint_count, joint_capacity;
    mjcf_site *sites;
    size_t site_count, site_capacity;
    size_t geoms, unnamed, equalities, defaults;
    import_names limits, frictions, refs, still, springs;
    strmap files; /* that were included */
} mjcf;

/* A value of an element, its own or that of its classes; *at: the element that has it. */
const char *mjcf_value(mjcf *m, const xml_node *node, const char *children, const char *attribute, const xml_node **at);
size_t mjcf_numbers(mjcf *m, const xml_node *node, const char *children, const char *attribute, double *out,
                    size_t fewest, size_t most);
double mjcf_number(mjcf *m, const xml_node *node, const char *children, const char *attribute, double otherwise);
void mjcf_read_classes(mjcf *m, xml_node *root);
/* The class of what is inside a body or frame: its own childclass, else that of around. */
const char *mjcf_children(mjcf *m, const xml_node *node, const char *around);

/* pos and one of quat, axisangle, euler, xyaxes, zaxis. */
pose mjcf_pose(mjcf *m, const xml_node *node, const char *children);
/* Two points as ends of the third axis of a geom or site: 1 when it has them. */
int mjcf_from_to(mjcf *m, const xml_node *node, const char *children, pose *at, double *half);

/* What the geoms of a body weigh, added to it; `frame` is theirs in the body. */
void mjcf_weigh_geom(mjcf *m, const xml_node *geom, const char *children, const pose *frame, import_body *b);
/* Takes the sums about the body's origin to its mass centre. */
void mjcf_center(import_body *b);

void mjcf_read_bodies(mjcf *m, xml_node *worldbody);
void mjcf_read_equalities(mjcf *m, xml_node *section);
void mjcf_read_actuators(mjcf *m, xml_node *section);
void mjcf_read_keyframe(mjcf *m, xml_node *section);
/* Where free joints begin, when there is no keyframe. */
void mjcf_put_home(mjcf *m);

#endif
