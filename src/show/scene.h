/* A scene: what is drawn, and sets of frames. */
#ifndef SHOW_SCENE_H
#define SHOW_SCENE_H

#include <mech/show.h>

#include "base/text.h"
#include "bodies/bodies.h"
#include "compile/program.h"
#include "model/model.h"

struct mech_scene {
    const mech_model *model;
    const mech_system *system;
    size_t dimension;
    int skips_drawings; /* of another dimension than the bodies */
    program *program;
    double *slots;
    size_t value_count;
    mech_eval *eval;
    textbuf sets, names; /* JSON, a list without its brackets; a line each */
    size_t set_count;
};

enum { SCENE_BODY_NUMBERS = 24, SCENE_SOLID_NUMBERS = SOLID_NUMBERS + 12 }; /* r, R of the link, origin, axes in it */
/* The place and axes of a body in the ground's, out of its numbers. */
void scene_place(const double *numbers, double r[3], double R[9]);
/* All values (value_count) at a time of a run, between two rows by a straight line; room: (columns of the run). Values:
   bodies, their solids, points of joints, drawings. */
mech_status scene_values_at(mech_scene *scene, const mech_sim *sim, double t, double *room, double *values);

/* All of it for the page's script. */
void scene_json(const mech_scene *scene, textbuf *out);
void scene_number(textbuf *out, double value);

#endif
