/* Is the mass matrix certain to stay positive semi-definite? */
#ifndef SYSTEM_MASS_H
#define SYSTEM_MASS_H

#include <mech/system.h>

/* 1 where M depends on parameters alone, or where the energies are sums of squares with factors that are not
   negative for the parameters' present values: what is definite at the start then stays so. 0: not known, a
   run has to look. A system of C functions is taken at its word. */
int mass_is_certain(const mech_eval *eval);

#endif
