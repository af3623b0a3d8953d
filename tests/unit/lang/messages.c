/* Every message the product can give is met by a wrong model (tests/lang/bad) or a wrong call (tests/app):
   the texts are read off the sources, so that a new message without a case fails here. tests/lang/bad/UNMET
   holds the few that no small case can meet, each with its reason. `test_lang.messages --show` lists what is
   not met. */
#include "check.h"

#include "base/mem.h"
#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>

typedef struct place {
    const char *folder;
    const char *calls; /* words of which one stands in the statement, with '|' between; NULL: any text with a blank */
    const char *skip;  /* files of the folder that hold no messages */
} place;

static const place places[] = {
    {"src/lang", NULL, "dump.c"},
    {"src/import", "import_error(|diagnostics_add(", NULL},
    {"src/model", "model_error(|diagnostics_add(|check_list(|missing(", NULL},
    {"src/expr", "fault(|fault =", NULL},
    {"src/system", "COMPLAIN(|diagnostics_add(|instant_refuse(|&text,", "callbacks.c"},
    {"src/simulate", "sim_fail(|sim_blame(", NULL},
    {"app", "say(|complain(|complain_status(|message, size", "say.c"},
};

typedef struct corpus {
    textbuf met, unmet;
    size_t count, found, excused;
    int show;
} corpus;

static void add_file(textbuf *to, const char *path)
{
    char buffer[4096];
    size_t n;
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    while (f && (n = fread(buffer, 1, sizeof buffer, f)) > 0) text_add_n(to, buffer, n);
    if (f) fclose(f);
    text_add(to, "\n");
}

static int ends_in(const char *name, const char *ending)
{
    const size_t n = strlen(name), k = strlen(ending);
    return n > k && strcmp(name + n - k, ending) == 0;
}

static void add_folder(textbuf *to, const char *folder, const char *ending)
{
    DIR *d = opendir(folder);
    CHECK(d != NULL);
    for (struct dirent *e; d && (e = readdir(d));) {
        textbuf path = {0};
        text_format(&path, "%s/%s", folder, e->d_name);
        if (ends_in(e->d_name, ending)) add_file(to, path.data);
        text_free(&path);
    }
    if (d) closedir(d);
}

/* Where a printf conversion ends; p points at its '%'. */
static const char *after_conversion(const char *p)
{
    for (p++; *p && !isalpha((unsigned char)*p) && *p != '%';) p++;
    while (*p == 'l' || *p == 'z' || *p == 'h' || *p == 'j') p++;
    return *p ? p + 1 : p;
}

/* Whether the fixed parts of a format stand in [line, end) one after the other. */
static int matches_line(const char *format, const char *line, const char *end)
{
    while (*format) {
        const char *stop = format;
        while (*stop && *stop != '%' && *stop != '\n') stop++;
        const size_t n = (size_t)(stop - format);
        while (n && line + n <= end && memcmp(line, format, n) != 0) line++;
        if (line + n > end) return 0;
        line += n;
        format = *stop == '%' ? after_conversion(stop) : *stop ? stop + 1 : stop;
    }
    return 1;
}

static int is_in(const char *format, const textbuf *text)
{
    const char *line = text->data ? text->data : "";
    while (*line) {
        const char *end = strchr(line, '\n');
        if (!end) end = line + strlen(line);
        if (matches_line(format, line, end)) return 1;
        line = *end ? end + 1 : end;
    }
    return 0;
}

/* Words with a blank between, not only signs and conversions. */
static int is_sentence(const char *text)
{
    size_t letters = 0;
    for (const char *p = text; *p;) {
        if (*p == '%') {
            p = after_conversion(p);
            continue;
        }
        letters += isalpha((unsigned char)*p) != 0;
        p++;
    }
    return letters >= 4 && strchr(text, ' ') != NULL;
}

static void look_up(corpus *c, const char *path, const char *text)
{
    if (!is_sentence(text)) return;
    c->count++;
    if (is_in(text, &c->met)) c->found++;
    else if (is_in(text, &c->unmet)) c->excused++;
    else if (c->show) printf("%s: %s\n", path, text);
    else {
        check_failures++;
        fprintf(stderr, "%s: no case in tests/lang/bad or tests/app meets: %s\n", path, text);
    }
}

/* Whether one of the words stands between from and to. */
static int has_call(const char *words, const char *from, const char *to)
{
    while (*words) {
        const size_t n = strcspn(words, "|");
        for (const char *p = from; p + n <= to; p++)
            if (memcmp(p, words, n) == 0) return 1;
        words += n + (words[n] == '|');
    }
    return 0;
}

/* One literal: its text without quotes and escapes, appended. Returns where it ends. */
static const char *take_literal(const char *p, textbuf *to)
{
    for (p++; *p && *p != '"'; p++) {
        if (*p != '\\') text_add_char(to, *p);
        else if (*++p == 'n') text_add_char(to, '\n');
        else if (*p == '"' || *p == '\\') text_add_char(to, *p);
        else text_add_char(to, '?');
    }
    return *p ? p + 1 : p;
}

static const char *skip_blank(const char *p)
{
    while (isspace((unsigned char)*p)) p++;
    return p;
}

/* Literals that touch are one; PRId64 between them is a conversion. */
static const char *take_text(const char *p, textbuf *to)
{
    for (;;) {
        p = take_literal(p, to);
        const char *next = skip_blank(p);
        if (strncmp(next, "PRI", 3) == 0) {
            while (isalnum((unsigned char)*next)) next++;
            text_add_char(to, 'd');
            next = skip_blank(next);
        }
        if (*next != '"') return p;
        p = next;
    }
}

static void scan(corpus *c, const char *path, const char *source, const char *calls)
{
    const char *statement = source;
    for (const char *p = source; *p;) {
        if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else if (p[0] == '/' && p[1] == '/') p += strcspn(p, "\n");
        else if (*p == '#' && (p == source || p[-1] == '\n')) p += strcspn(p, "\n");
        else if (*p == '\'') p += p[1] == '\\' ? 4 : 3;
        else if (*p == '"') {
            textbuf text = {0};
            const char *end = take_text(p, &text);
            if (text.data && (!calls || has_call(calls, statement, p))) look_up(c, path, text.data);
            text_free(&text);
            p = end;
        } else {
            if (*p == ';' || ((*p == '{' || *p == '}') && p[1] == '\n')) statement = p + 1;
            p++;
        }
    }
}

static void scan_folder(corpus *c, const place *where)
{
    DIR *d = opendir(where->folder);
    CHECK(d != NULL);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!ends_in(e->d_name, ".c") || (where->skip && strstr(where->skip, e->d_name))) continue;
        textbuf path = {0}, text = {0};
        text_format(&path, "%s/%s", where->folder, e->d_name);
        add_file(&text, path.data);
        scan(c, path.data, text.data, where->calls);
        text_free(&text);
        text_free(&path);
    }
    if (d) closedir(d);
}

int main(int argc, char **argv)
{
    corpus c = {.show = argc > 1 && strcmp(argv[1], "--show") == 0};
    add_folder(&c.met, "tests/lang/bad", ".expected");
    add_folder(&c.met, "tests/import/bad", ".expected");
    add_folder(&c.met, "tests/app", ".expected");
    add_file(&c.met, "tests/unit/model/refusals.c"); /* what only a C program can do wrong */
    add_file(&c.unmet, "tests/lang/bad/UNMET");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) scan_folder(&c, &places[i]);
    CHECK(c.count > 300);
    printf("figure: messages: %zu of %zu met by a case, %zu that no small case can meet\n", c.found, c.count,
           c.excused);
    text_free(&c.met);
    text_free(&c.unmet);
    return check_report();
}
