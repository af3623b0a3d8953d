#include "page.h"

#include "common.h"
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void page_add(page *p, mech_section_kind kind, const char *title, char *text)
{
    if (p->count == PAGE_MOST_SECTIONS || (!text && kind != MECH_SECTION_SCENE)) {
        mech_text_free(text);
        return;
    }
    p->made[p->count] = text;
    p->sections[p->count++] = (mech_section){.kind = kind, .title = title, .text = text};
}

void page_add_needed(page *p, const char *title, char *text)
{
    p->lacks_memory |= !text;
    page_add(p, MECH_SECTION_TEXT, title, text);
}

static char *frames_note(size_t left_out)
{
    char *note = malloc(200);
    if (note)
        snprintf(note, 200, "The animation shows %d frames; %zu rows between them are in the figures alone.",
                 PAGE_MOST_FRAMES, left_out);
    return note;
}

static void add_figures(page *p, const mech_sim *sim, const mech_system *system, const char *show)
{
    mech_sheet *sheet = NULL;
    char *svg = NULL, *why = NULL;
    const mech_status status = mech_run_sheet(sim, system, NULL, show, &sheet, &why);
    p->lacks_memory |= status == MECH_ERR_MEMORY;
    if (why) page_add(p, MECH_SECTION_WORDS, NULL, why);
    if (status == MECH_OK) p->lacks_memory |= mech_sheet_svg(sheet, MECH_SVG_PAGE, &svg) != MECH_OK;
    page_add(p, MECH_SECTION_SVG, NULL, svg);
    mech_run_sheet_free(sheet);
}

void page_add_run(page *p, const mech_sim *sim, const mech_model *model, const mech_system *system, const char *show)
{
    size_t left_out = 0;
    mech_status status = mech_scene_create(model, system, &p->scene);
    if (status == MECH_OK) status = mech_scene_add_run(p->scene, sim, PAGE_MOST_FRAMES, &left_out);
    p->lacks_memory |= status == MECH_ERR_MEMORY;
    page_add(p, MECH_SECTION_SCENE, "Motion", NULL);
    if (left_out && !mech_scene_is_empty(p->scene)) page_add(p, MECH_SECTION_WORDS, NULL, frames_note(left_out));
    add_figures(p, sim, system, show);
    page_add_needed(p, "Account", mech_sim_audit_text(sim));
}

int page_write(page *p, const char *word, const char *title, const char *path)
{
    const mech_page whole = {
        .size = sizeof whole, .title = title, .sections = p->sections, .count = p->count, .scene = p->scene};
    const mech_status status = p->lacks_memory ? MECH_ERR_MEMORY : mech_page_write(&whole, path);
    if (status == MECH_OK) return EXIT_OK;
    if (status == MECH_ERR_MEMORY) return show_text(status, NULL);
    say("mech %s: the page '%s' could not be written: there was no room for it\n", word, path);
    return EXIT_NUMBERS;
}

void page_free(page *p)
{
    for (size_t k = 0; k < p->count; k++) mech_text_free(p->made[k]);
    mech_scene_free(p->scene);
    p->scene = NULL;
    p->count = 0;
}
