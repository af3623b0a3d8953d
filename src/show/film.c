/* A run as pictures or as a film: SVG of our own, PNG by rsvg-convert, GIF and MP4 by ffmpeg. Nothing passes through a
   shell. */
#include "show/frame.h"

#include "base/draft.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "base/system.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 800, HEIGHT = 600, MOST_DIGITS = 9 };
typedef enum film_kind { FILM_NONE, FILM_SVG, FILM_PNG, FILM_GIF, FILM_MP4 } film_kind;

/* Where the number of a picture stands in its name; *end: behind it; *digits: at least so many. NULL: nowhere, or
   twice. */
static const char *number_in(const char *path, const char **end, int *digits)
{
    const char *at = strchr(path, '%'), *p = at ? at + 1 : NULL;
    if (!at || strchr(p, '%')) return NULL;
    *digits = 1;
    if (*p == '0' && p[1] > '0' && p[1] <= '0' + MOST_DIGITS && p[2] == 'd') *digits = p[1] - '0', p += 2;
    *end = p + 1;
    return *p == 'd' ? at : NULL;
}

static film_kind kind_of(const char *path)
{
    static const char *const endings[] = {"", ".svg", ".png", ".gif", ".mp4"};
    const char *ending = strrchr(path, '.'), *end;
    int digits;
    film_kind kind = FILM_NONE;
    for (int k = FILM_SVG; ending && k <= FILM_MP4; k++)
        if (strcmp(ending, endings[k]) == 0) kind = (film_kind)k;
    return (kind == FILM_SVG || kind == FILM_PNG) && !number_in(path, &end, &digits) ? FILM_NONE : kind;
}

int mech_film_is_name(const char *path) { return kind_of(path) != FILM_NONE; }

static char *numbered(const char *path, size_t number)
{
    textbuf name = {0};
    const char *end;
    int digits;
    const char *at = number_in(path, &end, &digits);
    text_add_n(&name, path, (size_t)(at - path));
    text_format(&name, "%0*zu%s", digits, number, end);
    char *result = name.failed ? NULL : text_take(&name);
    text_free(&name);
    return result;
}

static mech_status write_bytes(const char *part, const char *bytes, size_t length)
{
    const int file = system_open(part, O_WRONLY | O_CREAT | O_TRUNC, SYSTEM_FOLLOWS_LINKS);
    const int is_written = file >= 0 && draft_write(file, bytes, length);
    return file >= 0 && close(file) == 0 && is_written ? MECH_OK : MECH_ERR_FILE;
}

static mech_status as_png(const char *svg, const char *part, const char **by)
{
    static const char *const words[] = {"rsvg-convert", "--format", "png", NULL};
    const mech_status status = spawn_with_input(words, svg, strlen(svg), part);
    if (status != MECH_OK) *by = words[0];
    return status;
}

/* One picture to a file of its own. */
static mech_status write_picture(const char *path, const char *svg, film_kind kind, const char **by)
{
    if (!draft_may_replace(path)) return MECH_ERR_FILE;
    char *part = draft_path(path);
    if (!part) return MECH_ERR_MEMORY;
    const mech_status status = kind == FILM_SVG ? write_bytes(part, svg, strlen(svg)) : as_png(svg, part, by);
    const mech_status result = draft_finish(status, part, path);
    mem_free(part);
    return result;
}

/* One picture more of a film, as PNG behind those before it. */
static mech_status add_picture(const char *part, const char *svg, textbuf *film, const char **by)
{
    char block[1 << 14];
    size_t count;
    mech_status status = as_png(svg, part, by);
    FILE *file = status == MECH_OK ? fopen(part, "rb") : NULL;
    if (status == MECH_OK && !file) status = MECH_ERR_FILE;
    while (file && (count = fread(block, 1, sizeof block, file)) > 0) text_add_n(film, block, count);
    if (file) fclose(file);
    return status == MECH_OK && film->failed ? MECH_ERR_MEMORY : status;
}

static mech_status make_film(const char *part, const textbuf *film, film_kind kind, const char **by)
{
    static const char *const gif[] = {"ffmpeg",
                                      "-loglevel",
                                      "error",
                                      "-f",
                                      "image2pipe",
                                      "-c:v",
                                      "png",
                                      "-framerate",
                                      "25",
                                      "-i",
                                      "pipe:0",
                                      "-filter_complex",
                                      "split[a][b];[a]palettegen[p];[b][p]paletteuse",
                                      "-f",
                                      "gif",
                                      "pipe:1",
                                      NULL};
    static const char *const mp4[] = {"ffmpeg", "-loglevel", "error",      "-f",        "image2pipe",
                                      "-c:v",   "png",       "-framerate", "25",        "-i",
                                      "pipe:0", "-pix_fmt",  "yuv420p",    "-movflags", "frag_keyframe+empty_moov",
                                      "-f",     "mp4",       "pipe:1",     NULL};
    const mech_status status = spawn_with_input(kind == FILM_GIF ? gif : mp4, film->data, film->length, part);
    if (status != MECH_OK) *by = "ffmpeg";
    return status;
}

typedef struct shots { /* what all pictures are made from */
    double *values, *times;
    size_t count, stride;
} shots;

static mech_status take(mech_scene *s, const mech_sim *sim, size_t count, shots *out)
{
    const mech_trajectory *t = mech_sim_curve(sim);
    const size_t rows = mech_trajectory_rows(t);
    *out = (shots){.count = count, .stride = s->value_count};
    out->values = mem_zeroed(count * s->value_count + 1, sizeof *out->values);
    out->times = mem_zeroed(count + 1, sizeof *out->times);
    double *room = mem_zeroed(mech_trajectory_columns(t) + 1, sizeof *room);
    mech_status status = out->values && out->times && room ? MECH_OK : MECH_ERR_MEMORY;
    for (size_t k = 0; k < count && status == MECH_OK; k++) {
        const double from = mech_trajectory_row(t, 0)[0], until = mech_trajectory_row(t, rows - 1)[0];
        out->times[k] = count > 1 ? from + (until - from) * (double)k / (double)(count - 1) : until;
        status = scene_values_at(s, sim, out->times[k], room, out->values + k * out->stride);
    }
    mem_free(room);
    return status;
}

static mech_status each(const mech_scene *s, const shots *all, const char *path, film_kind kind, const char **by)
{
    const int is_film = kind == FILM_GIF || kind == FILM_MP4;
    frame_view view = {.width = WIDTH, .height = HEIGHT};
    textbuf film = {0};
    char *part = is_film ? draft_path(path) : NULL;
    mech_status status = is_film && !part                      ? MECH_ERR_MEMORY
                         : is_film && !draft_may_replace(path) ? MECH_ERR_FILE
                                                               : MECH_OK;
    frame_measure(&view, s, all->values, all->count, all->stride);
    for (size_t k = 0; k < all->count && status == MECH_OK; k++) {
        char *svg = NULL, *name = is_film ? NULL : numbered(path, k + 1);
        status = frame_svg(&view, s, all->values, k, all->stride, all->times[k], &svg);
        if (status == MECH_OK && !is_film && !name) status = MECH_ERR_MEMORY;
        if (status == MECH_OK)
            status = is_film ? add_picture(part, svg, &film, by) : write_picture(name, svg, kind, by);
        mem_free(svg);
        mem_free(name);
    }
    if (status == MECH_OK && is_film) status = make_film(part, &film, kind, by);
    if (part) status = draft_finish(status, part, path);
    mem_free(part);
    text_free(&film);
    frame_free(&view);
    return status;
}

mech_status mech_scene_film(mech_scene *s, const mech_sim *sim, size_t frames, const char *path, const char **by)
{
    const char *none = NULL;
    const film_kind kind = kind_of(path);
    shots all;
    if (!by) by = &none;
    *by = NULL;
    if (kind == FILM_NONE || frames == 0 || mech_scene_is_empty(s) || mech_trajectory_rows(mech_sim_curve(sim)) == 0)
        return MECH_ERR_ARGUMENT;
    mech_status status = take(s, sim, frames, &all);
    if (status == MECH_OK) status = each(s, &all, path, kind, by);
    mem_free(all.values);
    mem_free(all.times);
    return status;
}
