/* The command as a function: what main() does, callable from tests. */
#ifndef APP_APP_H
#define APP_APP_H

#include "cli.h"

/* The commands, `count` of them. */
const cli_command *const *app_commands(size_t *count);
/* Runs `mech argv[1] ...`; the exit code. */
int app_main(int argc, char **argv);
/* The end of it: what was said as JSON where that is wanted, a full disk; the exit code. */
int app_end(int code, int argc, char **argv);

#endif
