/* For checkpoints: which code an evaluation uses, in a line, and what it remembers of it. */
#ifndef MOTION_VISIT_H
#define MOTION_VISIT_H

#include <mech/motion.h>

#include "base/state.h"

void motion_identity(const mech_eval *eval, textbuf *text);
void motion_visit(mech_eval *eval, state_walk *walk);
/* As it was when the code was first used: see eval_forget. */
void motion_forget(mech_eval *eval);

#endif
