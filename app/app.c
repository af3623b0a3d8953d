/* The table of commands, and what happens around a command: help, errors as JSON, a full disk. */
#include "app.h"
#include "say.h"

#include <mech/base.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const cli_command *const commands[] = {
    &command_check, &command_derive, &command_eval,        &command_run,       &command_sweep,
    &command_plot,  &command_report, &command_equilibrium, &command_linearize, &command_stability,
    &command_gains, &command_export, &command_import,      &command_fmt,       &command_lsp,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

const cli_command *const *app_commands(size_t *count)
{
    *count = COMMANDS;
    return commands;
}

static const cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

/* What other programs call it. */
static const char *other_command(const char *name)
{
    static const char *const words[][2] = {{"simulate", "run"},    {"sim", "run"},          {"integrate", "run"},
                                           {"solve", "run"},       {"equations", "derive"}, {"draw", "plot"},
                                           {"modes", "stability"}, {"validate", "check"},   {"format", "fmt"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], name) == 0) return words[i][1];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) names[i] = commands[i]->name;
    const char *other = other_command(name), *near = other ? other : cli_nearest(name, names, COMMANDS),
               *ending = strrchr(name, '.');
    if (ending && strcmp(ending, ".mech") == 0)
        say("mech: what is to be done with '%s'? mech run %s, for one; 'mech help' lists the commands\n", name, name);
    else if (near) say("mech: there is no command '%s'; did you mean '%s'?\n", name, near);
    else say("mech: there is no command '%s'; 'mech help' lists the commands\n", name);
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

/* Commands and options with tabs between, of which manual pages and completion are made (tools/make-pages). */
static int help_table(void)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        printf("%s\t%s\t%s\n", commands[i]->name, commands[i]->operands, commands[i]->summary);
        for (const cli_option *o = commands[i]->options; o->name; o++)
            printf("\t%s\t%s\t%s\n", o->name, o->value ? o->value : "", o->help);
    }
    return EXIT_OK;
}

static int help(int count, char *const *words)
{
    if (count == 0) return overview();
    if (strcmp(words[0], "--table") == 0) return help_table();
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

static int is_word(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int run_words(int argc, char **argv)
{
    if (argc < 2) return overview();
    const char *name = argv[1];
    if (is_word(name, "--version", "version")) return printf("mech %s\n", mech_version()) < 0 ? EXIT_NUMBERS : EXIT_OK;
    if (strcmp(name, "help") == 0 || is_word(name, "--help", "-h")) return help(argc - 2, argv + 2);
    const cli_command *command = find_command(name);
    if (!command) return unknown_command(name);
    if (wants_help(argc - 2, argv + 2)) return help(1, &argv[1]);
    cli_args args;
    char message[1024];
    if (cli_parse(command, argc - 2, argv + 2, &args, message, sizeof message)) return command->run(&args);
    say("mech %s: %s\n", name, message);
    return EXIT_USAGE;
}

/* Whether the answer is for a program: --json, or --format json. */
static int wants_json(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) return 0;
        if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "--format=json") == 0) return 1;
        if (strcmp(argv[i], "--format") == 0 && i + 1 < argc && strcmp(argv[i + 1], "json") == 0) return 1;
    }
    return 0;
}

int app_end(int code, int argc, char **argv)
{
    if (fflush(stdout) == EOF) say_output_failed();
    errno = 0; /* what was lost before has no cause that is still known */
    if (ferror(stdout)) say_output_failed();
    const int is_lost = say_about_output();
    if (is_lost && code == EXIT_OK) code = EXIT_NUMBERS;
    say_end(code, !is_lost && wants_json(argc, argv));
    return fflush(stdout) == EOF && code == EXIT_OK ? EXIT_NUMBERS : code;
}

int app_main(int argc, char **argv) { return app_end(run_words(argc, argv), argc, argv); }
