#include "say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct said {
    char *file, *message, *hint; /* file and hint may be NULL */
    int line, column;
    const char *severity;
} said;

/* One process, one command: what it said so far. */
static struct {
    said *items;
    size_t count, capacity;
    char line[4096]; /* the message being put together */
    size_t used;
    int json_is_written;
    int output_failed, output_cause; /* errno of the first failure; 0: not known */
} all;

static char *copy(const char *text)
{
    char *result = text ? malloc(strlen(text) + 1) : NULL;
    return result ? strcpy(result, text) : NULL;
}

static void remember(const char *file, int line, int column, const char *severity, const char *message,
                     const char *hint)
{
    if (all.count == all.capacity) {
        said *more = realloc(all.items, (2 * all.capacity + 16) * sizeof *more);
        if (!more) return;
        all.items = more;
        all.capacity = 2 * all.capacity + 16;
    }
    all.items[all.count++] = (said){copy(file), copy(message), copy(hint), line, column, severity};
}

/* Names of files and of columns come from outside: they must not steer the terminal. */
static void make_plain(char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < 0x20 && *text != '\n' && *text != '\t') || *text == 0x7F) *text = '?';
}

void say(const char *format, ...)
{
    const size_t room = sizeof all.line - all.used;
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(all.line + all.used, room, format, args);
    va_end(args);
    if (length < 0) return;
    all.used += (size_t)length < room ? (size_t)length : room - 1;
    const size_t n = strlen(format);
    if (n == 0 || format[n - 1] != '\n') return;
    while (all.used > 0 && all.line[all.used - 1] == '\n') all.line[--all.used] = '\0';
    for (char *p = all.line; *p; p++)
        if (*p == '\n') *p = '?';
    make_plain(all.line);
    fprintf(stderr, "%s\n", all.line);
    remember(NULL, 0, 0, "error", all.line, NULL);
    all.used = 0;
    all.line[0] = '\0';
}

void say_diagnostics(const mech_diagnostics *diagnostics, size_t from)
{
    static const char *const severities[] = {"note", "warning", "error"};
    char *whole = from == 0 ? mech_diagnostics_format(diagnostics) : NULL;
    if (whole) fputs(whole, stderr);
    for (size_t i = from; i < mech_diagnostics_count(diagnostics); i++) {
        const mech_diagnostic *d = mech_diagnostics_get(diagnostics, i);
        char *text = whole ? NULL : mech_diagnostic_format(d);
        if (text) fputs(text, stderr);
        mech_text_free(text);
        remember(d->file, d->line, d->column, severities[d->severity], d->message, d->hint);
    }
    mech_text_free(whole);
}

void say_output_failed(void)
{
    if (!all.output_failed) all.output_cause = errno;
    all.output_failed = 1;
}

int say_about_output(void)
{
    const int cause = all.output_cause;
    if (all.output_failed)
        say("mech: standard output cannot be written%s%s\n", cause ? ": " : "", cause ? strerror(cause) : "");
    return all.output_failed;
}

void say_json_is_written(void) { all.json_is_written = 1; }

void say_json_text(const char *text)
{
    if (!text) {
        printf("null");
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') printf("\\%c", *text);
        else if ((unsigned char)*text < 0x20) printf("\\u%04x", (unsigned)(unsigned char)*text);
        else putchar(*text);
    }
    putchar('"');
}

static void write_object(int code)
{
    printf("{\n  \"exit\": %d,\n  \"errors\": [", code);
    for (size_t i = 0; i < all.count; i++) {
        const said *s = &all.items[i];
        printf("%s\n    {\"severity\": \"%s\", \"file\": ", i ? "," : "", s->severity);
        say_json_text(s->file);
        printf(", \"line\": %d, \"column\": %d, \"message\": ", s->line, s->column);
        say_json_text(s->message);
        printf(", \"hint\": ");
        say_json_text(s->hint);
        putchar('}');
    }
    printf("%s]\n}\n", all.count ? "\n  " : "");
}

void say_end(int code, int json)
{
    if (json && code != 0 && !all.json_is_written) write_object(code);
    for (size_t i = 0; i < all.count; i++) {
        free(all.items[i].file);
        free(all.items[i].message);
        free(all.items[i].hint);
    }
    free(all.items);
    memset(&all, 0, sizeof all);
}
