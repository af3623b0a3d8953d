/* The command line: a table of commands, each with a table of options. Parsing touches nothing outside. */
#ifndef APP_CLI_H
#define APP_CLI_H

#include <stddef.h>

/* Exit codes. */
enum {
    EXIT_OK = 0,
    EXIT_MODEL = 1,
    EXIT_USAGE = 2,
    EXIT_CONFLICT = 3,
    EXIT_NUMBERS = 4,
    EXIT_IMBALANCE = 5,
    EXIT_SIGNAL = 128
}; /* 128 + the signal's number, as shells count */

typedef struct cli_option {
    const char *name;  /* "--json", "-o"                            */
    const char *value; /* what stands for its value in the help, NULL: takes none */
    const char *help;
} cli_option;

enum { CLI_MOST_OPTIONS = 32, CLI_MOST_VALUES = 256 };

typedef struct cli_args {
    const char *command;                   /* its name */
    const char *operands[CLI_MOST_VALUES]; /* what is not an option */
    size_t operand_count;
    struct {
        const cli_option *option;
        const char *value; /* "" when it takes none */
    } given[CLI_MOST_VALUES];
    size_t given_count;
} cli_args;

typedef struct cli_command {
    const char *name, *operands, *summary;
    size_t fewest, most;       /* operands */
    const cli_option *options; /* ends with a NULL name */
    int (*run)(const cli_args *args);
} cli_command;

/* 1 done; 0 and a message when the words are off. */
int cli_parse(const cli_command *command, int count, char *const *words, cli_args *args, char *message,
              size_t message_size);
/* The last value given to an option, NULL when it was not given ("" when it takes none). */
const char *cli_value(const cli_args *args, const char *name);
/* The known word nearest to `word`, NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *known, size_t count);
/* Prints a command's usage and options to standard output. */
void cli_help(const cli_command *command);

extern const cli_command command_check, command_derive, command_eval, command_run, command_plot, command_report;
extern const cli_command command_equilibrium, command_linearize, command_stability, command_gains;
extern const cli_command command_export, command_import, command_fmt, command_lsp, command_sweep;

#endif
