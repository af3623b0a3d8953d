/* A sheet as a file. What is not SVG is made of it by rsvg-convert; nothing passes through a shell. */
#include "figure/figure.h"

#include "base/draft.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "base/system.h"

#include <string.h>

mech_status mech_sheet_write(const mech_sheet *sheet, const char *path)
{
    static const char *const png[] = {"rsvg-convert", "--format", "png", "--zoom", "1.5", NULL};
    static const char *const pdf[] = {"rsvg-convert", "--format", "pdf", NULL};
    const char *ending = strrchr(path, '.');
    const int is_svg = ending && strcmp(ending, ".svg") == 0, is_png = ending && strcmp(ending, ".png") == 0;
    if (!is_svg && !is_png && !(ending && strcmp(ending, ".pdf") == 0)) return MECH_ERR_ARGUMENT;
    if (figure_check(sheet) != MECH_OK) return MECH_ERR_ARGUMENT;
    if (!draft_may_replace(path)) return MECH_ERR_FILE;
    char *text = NULL, *part = draft_path(path);
    mech_status status = part ? mech_sheet_svg(sheet, MECH_SVG_FILE, &text) : MECH_ERR_MEMORY;
    if (status == MECH_OK && is_svg) status = draft_put(part, path, text, strlen(text), SYSTEM_FOLLOWS_LINKS);
    else if (part && text) {
        if (status == MECH_OK) status = spawn_with_input(is_png ? png : pdf, text, strlen(text), part);
        status = draft_finish(status, part, path);
    }
    mem_free(text);
    mem_free(part);
    return status;
}
