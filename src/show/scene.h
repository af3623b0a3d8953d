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

/* All of it for the page's script. */
void scene_json(const mech_scene *scene, textbuf *out);
void scene_number(textbuf *out, double value);

#endif
