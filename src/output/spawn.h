/* Another program run on a text, without a shell. */
#ifndef OUTPUT_SPAWN_H
#define OUTPUT_SPAWN_H

#include <mech/base.h>

/* Runs arguments[0] (looked up in PATH) with `input` on its standard input, its own output discarded, and waits.
   MECH_ERR_UNSUPPORTED: there is no such program; MECH_ERR_FILE: it failed. */
mech_status spawn_with_input(const char *const *arguments, const char *input, size_t length);

#endif
