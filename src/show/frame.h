/* A frame of a scene as a picture. */
#ifndef SHOW_FRAME_H
#define SHOW_FRAME_H

#include "show/scene.h"

/* A piece of the picture: its text, and how far away it is. */
typedef struct frame_piece {
    double depth;
    size_t number, first, length;
} frame_piece;

typedef struct frame_view {
    double width, height;
    int is_flat, is_measuring;
    double middle[3], radius, scale; /* radius: half of the largest extent; scale: pixels for a length of 1 */
    double low[3], high[3];
    textbuf text;
    frame_piece *pieces;
    size_t count, capacity;
} frame_view;

/* Where all frames fit. values: (frames x stride), what scene_values gives. */
void frame_measure(frame_view *view, const mech_scene *scene, const double *values, size_t frames, size_t stride);
/* New text in *svg. */
mech_status frame_svg(frame_view *view, const mech_scene *scene, const double *values, size_t frame, size_t stride,
                      double t, char **svg);
void frame_free(frame_view *view);

#endif
