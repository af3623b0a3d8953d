/* What the readers of URDF and MJCF share: numbers out of attributes, names that the language takes, an account of what
   is left out, and bodies and joints on their way to text. */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "base/strmap.h"
#include "base/text.h"
#include "import/rotate.h"
#include "import/xml.h"

#include <mech/import.h>

enum { IMPORT_GROUND = -1, IMPORT_MOST_NAME = 150 };

typedef struct import_body {
    const char *name, *given; /* as the language has it, as the file has it */
    const xml_node *node;
    double mass, center[3], inertia[9]; /* about the mass centre, in the body's axes */
    int is_weighed;                     /* the file says what it weighs                    */
    int is_still;                       /* it hangs on the ground by fixed joints only     */
} import_body;

typedef enum import_kind {
    IMPORT_REVOLUTE,
    IMPORT_PRISMATIC,
    IMPORT_SPHERICAL,
    IMPORT_PLANAR,
    IMPORT_FIXED,
    IMPORT_FREE
} import_kind;

typedef struct import_joint {
    const char *name, *given;
    const xml_node *node;
    import_kind kind;
    int parent, child; /* bodies, or IMPORT_GROUND               */
    pose before;       /* its place in the parent                */
    double after[3];   /* its point in the child, in whose axes: */
    double axis[3];
} import_joint;

typedef struct import_count { /* how often something was met */
    const char *what;
    size_t times;
} import_count;

typedef struct import_names { /* for a sentence: the first few, and how many there are */
    textbuf text;
    size_t count;
} import_names;

typedef struct import_thing { /* who has a name */
    const char *kind, *given;
} import_thing;

typedef struct importer {
    arena memory;
    mech_diagnostics *list;
    mech_import_options options;
    const char *path;
    mech_span whole; /* the file */
    int is_out_of_memory;
    size_t errors;

    import_body *bodies;
    size_t body_count, body_capacity;
    import_joint *joints; /* in the order of the text: parents first */
    size_t joint_count, joint_capacity;

    strmap taken; /* names of the language to things */
    import_thing *things;
    size_t thing_count, thing_capacity;
    import_names renamed;

    strmap asked; /* "joint damping": attributes that some reader looks at */
    size_t exact; /* angles that were taken as exact    */
    size_t unit;  /* axes that were made to length 1    */
    double gravity[3];
    const char *origin; /* the body that stands for the ground when the whole is tied to something else, or NULL */
    const char **notes;
    size_t note_count, note_capacity;
    textbuf head, rest; /* comments before, statements after bodies and joints */
} importer;

/* ---- what is said; the first sentence of errors makes the import fail ---- */
void import_error(importer *c, mech_span span, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void import_warning(importer *c, mech_span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A line at the head of the text, and a note, which is shown when there is a text. */
void import_note(importer *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void import_show_notes(importer *c);
void import_out_of_memory(importer *c);
void import_add_name(import_names *names, const char *name);
/* ", a, b and 3 more" of a list, in the arena; frees the list. */
const char *import_list(importer *c, import_names *names);
/* What no reader looked at: elements by name, then attributes. */
void import_note_unread(importer *c, xml_node *root, const char *const *known, size_t known_count);

/* ---- attributes ---- */
const char *import_value(importer *c, const xml_node *node, const char *attribute);
/* How many numbers there are, 0 when the attribute is not there or after an error; others than fewest..most are one. */
size_t import_numbers(importer *c, const xml_node *node, const char *attribute, double *out, size_t fewest,
                      size_t most);
double import_number(importer *c, const xml_node *node, const char *attribute, double otherwise);
/* From text, which stands at a place in the file. */
size_t import_parse(importer *c, mech_span span, const char *attribute, const char *text, double *out, size_t fewest,
                    size_t most);
/* The first child of that name, which is read then. */
xml_node *import_child(const xml_node *node, const char *name);

/* ---- angles and axes; what is within 1e-10 of a right angle is exact, unless told otherwise ---- */
void import_cos_sin(importer *c, double angle, double *cosine, double *sine);
void import_exact(importer *c, double R[9]);
/* To length 1; 0 after an error, when it has none. */
int import_axis(importer *c, const xml_node *node, const char *attribute, double axis[3]);

/* ---- names ---- */
/* A new name of the language for what the file calls so: others have it after an error only. kind: "link". NULL when
   out of memory, also while `given` was made. */
const char *import_new_name(importer *c, mech_span span, const char *kind, const char *given);

/* ---- bodies and joints ---- */
int import_add_body(importer *c, const import_body *body); /* its number, IMPORT_GROUND: out of memory */
void import_add_joint(importer *c, const import_joint *joint);
/* Warns when an inertia is none that matter could have. */
void import_check_inertia(importer *c, const import_body *body, const char *kind);

/* ---- text ---- */
void import_put_number(textbuf *t, double value);
void import_put_vector(textbuf *t, const double *v, int count);
/* Dry friction with a bound, on a joint with one coordinate. */
void import_put_friction(importer *c, const char *joint, import_kind kind, double bound);
/* One-sided constraints at the ends of the range of a joint with one coordinate. */
void import_put_limits(importer *c, mech_span span, const char *joint, const double range[2]);
/* Bodies, joints and the rest; what the language reads. */
void import_write(importer *c, textbuf *out);

/* ---- the formats ---- */
void import_urdf(importer *c, xml_node *root);
void import_mjcf(importer *c, xml_node *root);

#endif
