/* What the commands share: reading the model with its --set values, and speaking to the user. */
#ifndef APP_COMMON_H
#define APP_COMMON_H

#include "cli.h"

#include <mech/figure.h>
#include <mech/lang.h>

#include <stdio.h>

/* The option every command that reads a model has. */
#define OPTION_SET                                                                                                     \
    {                                                                                                                  \
        "--set", "NAME=VALUE", "give a parameter another value; may be repeated"                                       \
    }

typedef struct opened {
    mech_diagnostics *diagnostics;
    mech_model *model;
    size_t shown; /* diagnostics that were printed already */
} opened;

/* Reads the model file and prints what is wrong with it to standard error. EXIT_OK or the exit code. */
int open_model(const cli_args *args, const char *path, opened *out);
/* The same, but friction whose coefficient is 0 is not there: it has no force, and a derivative. */
int open_model_without_zero_friction(const cli_args *args, const char *path, opened *out);
/* The same with friction read otherwise, and without the warnings that were shown before. */
int open_model_again(const cli_args *args, const char *path, mech_friction_reading friction, opened *out);
void close_model(opened *model);
/* Prints what was added to the diagnostics since (or the status in words); the exit code. */
int report_diagnostics(opened *model, mech_status status);
/* What is added to the refusal of a text that is no number: words where it looks like an expression, else "". */
const char *plain_number_hint(const char *text);
/* "name=value" taken apart: 1 done, 0 after a message. The name is copied into `name`. */
int split_assignment(const char *text, char *name, size_t size, double *value);
/* The values of --set (CLI_MOST_VALUES at most), their names in `names`: 1 done, 0 after a message. */
enum { SET_NAME = 128 };
int read_overrides(const cli_args *args, mech_override *overrides, char (*names)[SET_NAME], size_t *count);
/* "B,K": two finite numbers. 1 done, 0 when it is something else. */
int read_pair(const char *text, double pair[2]);
/* Prints a text the library handed out and frees it; EXIT_OK, or a message and the code of the status. */
int show_text(mech_status status, char *text);
/* What the list holds and was not printed yet, to standard error. */
void print_diagnostics(opened *model);
/* A regular file to read, NULL when there is none: devices and pipes may never end. */
FILE *open_regular(const char *path);
/* All of a file, freed with free(); NULL after a message. */
char *read_whole(const char *path, size_t *length);
/* The exit code of a figure that was drawn, or not: then after a message. */
int figure_code(const char *word, const char *path, mech_status status);
/* The name of a figure: .svg, .pdf, .png, or - for the terminal. */
int is_figure(const char *path);
/* A sheet to its file, or to the terminal; the exit code, after a message where it could not be drawn. */
int draw_sheet(const char *word, const mech_sheet *sheet, const char *path);
/* The file with the folder it lies in: enough to know it by. */
const char *short_path(const char *path);
/* Whether a file's name ends so: ".csv". */
int has_ending(const char *path, const char *ending);
/* --threads, where it is given. 0 after a message. */
int thread_count(const cli_args *args, const char *word, size_t *count);
/* A part of this program that is a file of its own (fmu.so), beside it or where it is installed: 1 when it is there. */
int find_part(const char *name, char *path, size_t size);
/* The exit code a status stands for. */
int exit_code(mech_status status);

#endif
