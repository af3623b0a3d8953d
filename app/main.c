/* mech: the command line, a thin shell over the library. */
#include "cli.h"

#include <mech/base.h>

#include <stdio.h>
#include <string.h>

static const cli_command *const commands[] = {
    &command_check,
    &command_derive,
    &command_eval,
    &command_run,
    &command_plot,
    &command_equilibrium,
    &command_linearize,
    &command_stability,
    &command_gains,
    &command_export,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) names[i] = commands[i]->name;
    const char *near = cli_nearest(name, names, COMMANDS);
    fprintf(stderr, "mech: there is no command '%s'", name);
    if (near) fprintf(stderr, "; did you mean '%s'?\n", near);
    else fprintf(stderr, "; 'mech help' lists the commands\n");
    return EXIT_USAGE;
}

static int overview(void)
{
    printf("Mechanician %s: constrained mechanical systems, from the page to the motion\n\n", mech_version());
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  mech %-11s %-18s %s\n", commands[i]->name, commands[i]->operands, commands[i]->summary);
    printf("  mech %-11s %-18s %s\n", "help", "[COMMAND]", "this text, or a command's options");
    printf("\nA model is a text file, for instance examples/pendulum-two-coordinates/model.mech.\n");
    return EXIT_OK;
}

static int help(int count, char *const *words)
{
    if (count == 0) return overview();
    const cli_command *command = find_command(words[0]);
    if (!command) return unknown_command(words[0]);
    cli_help(command);
    return EXIT_OK;
}

static int wants_help(int count, char *const *words)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) return 1;
    return 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) return overview();
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) return printf("mech %s\n", mech_version()) < 0;
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return help(argc - 2, argv + 2);
    const cli_command *command = find_command(name);
    if (!command) return unknown_command(name);
    if (wants_help(argc - 2, argv + 2)) return help(1, &argv[1]);
    static cli_args args;
    char message[256];
    if (!cli_parse(command, argc - 2, argv + 2, &args, message, sizeof message)) {
        fprintf(stderr, "mech %s: %s\n", name, message);
        return EXIT_USAGE;
    }
    return command->run(&args);
}

/* What was said must have arrived: a full disk behind standard output is a failure, whatever the command thought. */
int main(int argc, char **argv)
{
    const int code = dispatch(argc, argv);
    const int is_lost = fflush(stdout) == EOF || ferror(stdout);
    if (!is_lost || code != EXIT_OK) return code;
    fprintf(stderr, "mech: standard output cannot be written\n");
    return EXIT_NUMBERS;
}
