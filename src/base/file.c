/* Whole files, and paths beside the file that names them. */
#include "base/file.h"

#include "base/diagnostics.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *file_directory(arena *memory, const char *path)
{
    const char *slash = strrchr(path, '/');
    return arena_text(memory, path, slash ? (size_t)(slash - path) + 1 : 0);
}

/* Takes "./", "//" and "name/../" out of a path, in place. */
static void tidy_path(char *path)
{
    char *out = path;
    const char *in = path;
    if (*in == '/') *out++ = *in++;
    char *const root = out;
    while (*in) {
        const size_t n = strcspn(in, "/");
        if (n == 0 || (n == 1 && in[0] == '.')) {
            /* nothing */
        } else if (n == 2 && in[0] == '.' && in[1] == '.' && out > root &&
                   !(out - root >= 3 && memcmp(out - 3, "../", 3) == 0)) {
            out--;
            while (out > root && out[-1] != '/') out--;
        } else {
            memmove(out, in, n);
            out += n;
            if (in[n]) *out++ = '/';
        }
        in += n + (in[n] == '/');
    }
    *out = '\0';
}

const char *file_path(arena *memory, const char *directory, const char *file)
{
    const size_t length = strlen(directory);
    const char *join = length == 0 || directory[length - 1] == '/' ? "" : "/";
    char *path =
        file[0] == '/' ? arena_text(memory, file, strlen(file)) : arena_format(memory, "%s%s%s", directory, join, file);
    if (path) tidy_path(path);
    return path && !*path ? "." : path;
}

/* All bytes up to the limit. */
static mech_status read_stream(FILE *stream, char **text, size_t *length, const char **problem)
{
    size_t capacity = 0, used = 0;
    char *data = NULL;
    for (;;) {
        if (!mem_grow(&data, &capacity, used + 64 * 1024, 1)) {
            mem_free(data);
            return MECH_ERR_MEMORY;
        }
        const size_t got = fread(data + used, 1, capacity - used, stream);
        used += got;
        if (got == 0 || used > FILE_MOST_BYTES) break;
    }
    *problem = ferror(stream) ? "it cannot be read" : used > FILE_MOST_BYTES ? "it is larger than 64 MB" : NULL;
    if (*problem) {
        mem_free(data);
        return used > FILE_MOST_BYTES ? MECH_ERR_LIMIT : MECH_ERR_FILE;
    }
    *text = data;
    *length = used;
    return MECH_OK;
}

mech_status file_read(const char *path, char **text, size_t *length, const char **problem)
{
    struct stat about;
    *problem = NULL;
    const int found = stat(path, &about) == 0;
    if (!found || !S_ISREG(about.st_mode)) {
        *problem = !found && errno == ENOENT ? "there is no such file" : "it is not a file that can be read";
        return MECH_ERR_FILE;
    }
    FILE *stream = fopen(path, "rb");
    if (!stream && errno == ENOMEM) return MECH_ERR_MEMORY;
    if (!stream) {
        *problem = "it cannot be opened";
        return MECH_ERR_FILE;
    }
    const mech_status status = read_stream(stream, text, length, problem);
    fclose(stream);
    return status;
}

mech_status file_read_or_say(const char *path, const char *what, mech_diagnostics *diagnostics, char **text,
                             size_t *length)
{
    const char *problem = NULL;
    const mech_status status = file_read(path, text, length, &problem);
    if (!problem) return status;
    const mech_span whole = {diagnostics_add_source(diagnostics, path, "", 0), MECH_SPAN_WHOLE, MECH_SPAN_WHOLE};
    diagnostics_add(diagnostics, MECH_SEVERITY_ERROR, status, whole, NULL, "the %s cannot be read: %s", what, problem);
    return status;
}
