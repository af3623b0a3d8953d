/* A system's identity in words, and what an evaluation remembers. */
#ifndef SYSTEM_VISIT_H
#define SYSTEM_VISIT_H

#include <mech/system.h>

#include "base/visit.h"

/* A line a fact: what must be the same for an evaluation of one system to go on in another. */
void system_identity(const mech_eval *eval, textbuf *text);
void eval_visit(mech_eval *eval, state_walk *walk);

#endif
