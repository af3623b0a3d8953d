/* `--state NAME=VALUE`: a variable of the state named on the command line. */
#ifndef APP_STATE_OPTION_H
#define APP_STATE_OPTION_H

#include <mech/system.h>

typedef struct state_value {
    mech_variable variable; /* q, v or a first-order state */
    size_t index;
    double value;
} state_value;

/* "x=1", "x'=2" or a state taken apart for the command `word`: EXIT_OK, or EXIT_USAGE after a message. */
int read_state(const mech_system *system, const char *word, const char *assignment, state_value *out);
/* Says that there is no such coordinate, and which one was probably meant; EXIT_USAGE. */
int unknown_coordinate(const mech_system *system, const char *word, const char *name);

#endif
