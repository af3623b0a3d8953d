#include "common.h"
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

int exit_code(mech_status status)
{
    switch (status) {
    case MECH_OK: return EXIT_OK;
    case MECH_ERR_CONFLICT:
    case MECH_ERR_NO_START:
    case MECH_ERR_OFF_PATH:
    case MECH_ERR_NOT_REALISABLE: return EXIT_CONFLICT;
    case MECH_ERR_MEMORY:
    case MECH_ERR_NOT_FINITE:
    case MECH_ERR_INTEGRATION:
    case MECH_ERR_NO_EQUILIBRIUM:
    case MECH_ERR_INTERRUPTED:
    case MECH_ERR_NO_REACTION:
    case MECH_ERR_MANY_REACTIONS: return EXIT_NUMBERS;
    case MECH_ERR_ARGUMENT: return EXIT_USAGE;
    default: return EXIT_MODEL;
    }
}

int read_pair(const char *text, double pair[2])
{
    char *end;
    for (int i = 0; i < 2; i++, text = end + 1) {
        pair[i] = strtod(text, &end);
        if (end == text || *end != (i == 0 ? ',' : '\0') || !isfinite(pair[i])) return 0;
    }
    return 1;
}

const char *plain_number_hint(const char *text)
{
    const int is_expression = strpbrk(text, "*/()^") || strstr(text, "pi") || (strpbrk(text, "+") && text[0] != '+');
    return is_expression ? ": a plain number is expected here, as 1.5708 for pi/2; expressions are not read" : "";
}

int split_assignment(const char *text, char *name, size_t size, double *value)
{
    const char *equals = strchr(text, '=');
    char *end;
    if (!equals || equals == text || (size_t)(equals - text) >= size) {
        say("mech: '%s' is not of the form NAME=VALUE\n", text);
        return 0;
    }
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    *value = strtod(equals + 1, &end);
    if (end != equals + 1 && *end == '\0' && isfinite(*value)) return 1;
    say("mech: '%s' is not a finite number, in '%s'%s\n", equals + 1, text, plain_number_hint(equals + 1));
    return 0;
}

/* The --set values; the names live in `names`. */
int read_overrides(const cli_args *args, mech_override *overrides, char (*names)[SET_NAME], size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[i].option->name, "--set") != 0) continue;
        if (!split_assignment(args->given[i].value, names[*count], sizeof names[0], &overrides[*count].value)) return 0;
        overrides[*count].name = names[*count];
        (*count)++;
    }
    return 1;
}

void print_diagnostics(opened *model)
{
    say_diagnostics(model->diagnostics, model->shown);
    model->shown = mech_diagnostics_count(model->diagnostics);
}

FILE *open_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
}

char *read_whole(const char *path, size_t *length)
{
    FILE *file = open_regular(path);
    char *text = NULL;
    *length = 0;
    for (size_t capacity = 0; file;) {
        if (*length == capacity) {
            char *grown = realloc(text, capacity = capacity ? 2 * capacity : 65536);
            if (!grown) break;
            text = grown;
        }
        const size_t got = fread(text + *length, 1, capacity - *length, file);
        *length += got;
        if (got == 0) {
            fclose(file);
            return text;
        }
    }
    say("mech: '%s' cannot be read\n", path);
    if (file) fclose(file);
    free(text);
    return NULL;
}

int thread_count(const cli_args *args, const char *word, size_t *count)
{
    const char *text = cli_value(args, "--threads");
    char *end;
    if (!text) return 1;
    const long value = strtol(text, &end, 10);
    *count = (size_t)value;
    if (end != text && !*end && value >= 1 && value <= 1024) return 1;
    say("mech %s: --threads takes a whole number from 1 to 1024, not '%s'\n", word, text);
    return 0;
}

int has_ending(const char *path, const char *ending)
{
    const char *last = strrchr(path, '.');
    return last && strcmp(last, ending) == 0;
}

int figure_code(const char *word, const char *path, mech_status status)
{
    const int is_svg = has_ending(path, ".svg");
    if (status == MECH_OK) return EXIT_OK;
    if (status == MECH_ERR_UNSUPPORTED)
        say("mech %s: '%s' is made by the program rsvg-convert, which is not installed (Debian: librsvg2-bin); .svg needs none\n",
            word, path);
    else if (status == MECH_ERR_ARGUMENT)
        say("mech %s: a figure's name ends in .svg, .pdf or .png, not '%s'\n", word, path);
    else
        say("mech %s: the figure '%s' could not be drawn: %s\n", word, path,
            status == MECH_ERR_FILE
                ? is_svg ? "there was no room for it" : "rsvg-convert failed, or there was no room for it"
                : mech_status_text(status));
    return status == MECH_ERR_ARGUMENT ? EXIT_USAGE : EXIT_NUMBERS;
}

const char *short_path(const char *path)
{
    const char *last = strrchr(path, '/'), *before = last;
    while (before && before > path && before[-1] != '/') before--;
    return before ? before : path;
}

int is_figure(const char *path)
{
    return strcmp(path, "-") == 0 || has_ending(path, ".svg") || has_ending(path, ".pdf") || has_ending(path, ".png");
}

static int terminal_columns(void)
{
    const char *said = getenv("COLUMNS");
    struct winsize size;
    if (said && atoi(said) > 0) return atoi(said);
    return ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int draw_sheet(const char *word, const mech_sheet *sheet, const char *path)
{
    char *text = NULL;
    if (strcmp(path, "-") != 0) return figure_code(word, path, mech_sheet_write(sheet, path));
    const mech_status status = mech_sheet_text(sheet, terminal_columns(), &text);
    return show_text(status, text);
}

static int read_model(const cli_args *args, const char *path, mech_friction_reading friction, int drops_zero_friction,
                      mech_sampled_reading sampled, int is_again, opened *out)
{
    mech_override overrides[CLI_MOST_VALUES];
    char(*names)[128] = malloc(CLI_MOST_VALUES * sizeof *names);
    mech_read_options options;
    *out = (opened){.diagnostics = mech_diagnostics_create()};
    mech_read_options_default(&options, sizeof options);
    options.overrides = overrides;
    options.friction = friction;
    options.drops_zero_friction = drops_zero_friction;
    options.sampled = sampled;
    if (!names || !out->diagnostics) {
        free(names);
        return show_text(MECH_ERR_MEMORY, NULL);
    }
    const int usable = read_overrides(args, overrides, names, &options.override_count);
    const mech_status status =
        usable ? mech_read_file(path, &options, out->diagnostics, &out->model) : MECH_ERR_ARGUMENT;
    free(names);
    if (status != MECH_OK || !is_again) print_diagnostics(out);
    if (usable && status != MECH_OK && mech_diagnostics_error_count(out->diagnostics) == 0)
        say("mech: %s: %s\n", path, mech_status_text(status));
    return exit_code(status);
}

int open_model(const cli_args *args, const char *path, opened *out)
{
    return read_model(args, path, MECH_FRICTION_READING_DRY, 0, MECH_SAMPLED_HELD, 0, out);
}

int open_model_without_zero_friction(const cli_args *args, const char *path, opened *out)
{
    return read_model(args, path, MECH_FRICTION_READING_DRY, 1, MECH_SAMPLED_RELAXED, 0, out);
}

int open_model_again(const cli_args *args, const char *path, mech_friction_reading friction, opened *out)
{
    return read_model(args, path, friction, 1, MECH_SAMPLED_RELAXED, 1, out);
}

int report_diagnostics(opened *model, mech_status status)
{
    print_diagnostics(model);
    if (mech_diagnostics_error_count(model->diagnostics) == 0) say("mech: %s\n", mech_status_text(status));
    return exit_code(status);
}

void close_model(opened *model)
{
    mech_model_free(model->model);
    mech_diagnostics_free(model->diagnostics);
}

int show_text(mech_status status, char *text)
{
    if (status != MECH_OK) {
        say("mech: %s\n", mech_status_text(status));
        mech_text_free(text);
        return exit_code(status);
    }
    say_json_is_written();
    const int bad = fputs(text, stdout) == EOF || fflush(stdout) == EOF;
    if (bad) say_output_failed();
    mech_text_free(text);
    return bad ? EXIT_NUMBERS : EXIT_OK;
}

int find_part(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"", "../lib/mechanician/", "../" MECH_LIBDIR "/mechanician/"};
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return 0;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int made = snprintf(path, size, "%s/%s%s", self, places[i], name);
        if (made > 0 && (size_t)made < size && access(path, R_OK) == 0) return 1;
    }
    return 0;
}
