/* Another program run on a text, without a shell. */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <mech/base.h>

/* Runs arguments[0] (looked up in PATH) with `input` on its standard input, its output in the file `output`, and
   waits. So the name of a file is never part of what the program reads: some programs run an output that starts with
   '|'. MECH_ERR_UNSUPPORTED: there is no such program; MECH_ERR_FILE: it failed. */
mech_status spawn_with_input(const char *const *arguments, const char *input, size_t length, const char *output);

#endif
