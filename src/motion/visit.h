/* What runs ask besides: which code an evaluation uses, in a line, and what it remembers of it, for checkpoints; a
   state with its z. */
#ifndef MOTION_VISIT_H
#define MOTION_VISIT_H

#include <mech/motion.h>

#include "base/visit.h"

void motion_identity(const mech_eval *eval, textbuf *text);
void motion_visit(mech_eval *eval, state_walk *walk);
/* As it was when the code was first used: see eval_forget. */
void motion_forget(mech_eval *eval);

/* mech_eval_motion at a state with its z; NULL: as they were set last. */
MECH_MUST_CHECK mech_status motion_at(mech_eval *eval, double t, const double *q, const double *v, const double *z,
                                      mech_motion *out);

#endif
