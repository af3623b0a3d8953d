/* Texts, addresses and positions of the language server. */
#include "lsp.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *text, size_t length)
{
    char *made = malloc(length + 1);
    if (!made) return NULL;
    memcpy(made, text, length);
    made[length] = '\0';
    return made;
}

static int hex(char c)
{
    const char *const digits = "0123456789abcdef0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)((at - digits) % 16) : -1;
}

char *lsp_path(const char *uri)
{
    const char *const scheme = "file://";
    if (strncmp(uri, scheme, strlen(scheme)) != 0) return NULL;
    char *path = copy(uri + strlen(scheme), strlen(uri) - strlen(scheme)), *to = path;
    for (const char *from = path; from && *from; from++) {
        const int high = *from == '%' ? hex(from[1]) : -1, low = high >= 0 ? hex(from[2]) : -1;
        *to++ = low >= 0 ? (char)(16 * high + low) : *from;
        if (low >= 0) from += 2;
    }
    if (to) *to = '\0';
    return path;
}

char *lsp_uri(const char *path)
{
    char *uri = malloc(strlen("file://") + 3 * strlen(path) + 1), *to = uri;
    if (!uri) return NULL;
    to += sprintf(to, "file://");
    for (; *path; path++) {
        const int is_plain = strchr("/-._~", *path) || (*path >= '0' && *path <= '9') ||
                             (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z');
        if (is_plain) *to++ = *path;
        else to += sprintf(to, "%%%02X", (unsigned char)*path);
    }
    *to = '\0';
    return uri;
}

lsp_text *lsp_text_create(const char *uri, const char *text)
{
    lsp_text *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->length = strlen(text);
    t->uri = copy(uri, strlen(uri));
    t->path = lsp_path(uri);
    t->text = copy(text, t->length);
    if (t->uri && t->text && mech_outline_create(t->path, t->text, t->length, &t->outline, &t->mistakes) == MECH_OK)
        return t;
    lsp_text_free(t);
    return NULL;
}

void lsp_text_free(lsp_text *t)
{
    if (!t) return;
    mech_outline_free(t->outline);
    free(t->uri);
    free(t->path);
    free(t->text);
    free(t);
}

/* Bytes of the character that starts here, and how many units of UTF-16 it is. */
static size_t character(const char *text, size_t length, size_t at, size_t *units)
{
    const unsigned char lead = (unsigned char)text[at];
    size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    *units = bytes == 4 ? 2 : 1;
    return at + bytes <= length ? bytes : length - at;
}

lsp_position lsp_position_of(const char *text, size_t length, size_t byte)
{
    lsp_position p = {0, 0};
    for (size_t at = 0, units; at < byte && at < length;) {
        const int is_end = text[at] == '\n';
        at += character(text, length, at, &units);
        p.line += is_end ? 1 : 0;
        p.column = is_end ? 0 : p.column + units;
    }
    return p;
}

static size_t line_start(const char *text, size_t length, size_t line)
{
    size_t at = 0;
    for (; line > 0 && at < length; line--) {
        const char *end = memchr(text + at, '\n', length - at);
        at = end ? (size_t)(end - text) + 1 : length;
    }
    return at;
}

static size_t along_line(const char *text, size_t length, size_t at, size_t columns, int counts_units)
{
    while (columns > 0 && at < length && text[at] != '\n' && text[at] != '\r') {
        size_t units;
        const size_t bytes = character(text, length, at, &units), step = counts_units ? units : 1;
        if (step > columns) break; /* within a character */
        columns -= step;
        at += bytes;
    }
    return at;
}

size_t lsp_byte_of(const char *text, size_t length, lsp_position p)
{
    return along_line(text, length, line_start(text, length, p.line), p.column, 1);
}

size_t lsp_byte_of_place(const char *text, size_t length, int line, int column)
{
    if (line < 1) return 0;
    return along_line(text, length, line_start(text, length, (size_t)line - 1), column > 1 ? (size_t)column - 1 : 0, 0);
}

static int is_letter(unsigned char c)
{
    return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

size_t lsp_word(const char *text, size_t length, size_t byte, size_t *end)
{
    size_t start = byte;
    while (start > 0 && is_letter((unsigned char)text[start - 1])) start--;
    for (*end = byte; *end < length && is_letter((unsigned char)text[*end]);) ++*end;
    return start;
}
