/* What a solver remembers from one solve to the next: a run that is taken up again needs it. */
#ifndef FUNDAMENTAL_VISIT_H
#define FUNDAMENTAL_VISIT_H

#include <mech/fundamental.h>

#include "base/visit.h"

/* As it was made. */
void fundamental_forget(mech_fundamental *solver);
void fundamental_visit(mech_fundamental *solver, state_walk *walk);

#endif
