/* A word about frictions along one velocity: their load is the multiplier of a row as it is written. */
#ifndef OUTPUT_FRICTION_NOTE_H
#define OUTPUT_FRICTION_NOTE_H

#include <mech/system.h>

#include "base/text.h"

/* The matrices at a point, by columns: M (n x n), A (height x n, the rows of the system first). */
typedef struct friction_point {
    const mech_system *system;
    const double *M, *A;
    size_t height;
    const unsigned char *active; /* rows in force */
} friction_point;

/* Adds what there is to say of friction number k; returns whether there was anything. */
int friction_note(const friction_point *at, size_t k, textbuf *out);

#endif
