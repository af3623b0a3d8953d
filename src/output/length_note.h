/* A word about Euler parameters: a constraint keeps the length of coordinates along which M has no mass. */
#ifndef OUTPUT_LENGTH_NOTE_H
#define OUTPUT_LENGTH_NOTE_H

#include "base/text.h"
#include "model/model.h"

/* Adds what there is to say of the first such constraint at q, where M (n x n) is this; returns whether there was
   anything. */
int length_note(const mech_model *model, const double *q, const double *M, textbuf *out);

#endif
