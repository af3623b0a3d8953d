/* Pages of `mech report` and `mech run --animate`. */
#ifndef APP_PAGE_H
#define APP_PAGE_H

#include <mech/show.h>

enum { PAGE_MOST_SECTIONS = 24, PAGE_MOST_FRAMES = 1000 };

typedef struct page {
    mech_section sections[PAGE_MOST_SECTIONS];
    char *made[PAGE_MOST_SECTIONS]; /* texts that are the page's */
    size_t count;
    mech_scene *scene;
    int lacks_memory;
} page;

/* A section; `text` is taken over (mech_text_free), NULL: no section. */
void page_add(page *p, mech_section_kind kind, const char *title, char *text);
/* The same for a text that only lack of memory can keep from being there. */
void page_add_needed(page *p, const char *title, char *text);
/* The scene of a run, its figures and its account. show: NULL, or which curves. */
void page_add_run(page *p, const mech_sim *sim, const mech_model *model, const mech_system *system, const char *show);
/* To the file: EXIT_OK, or the exit code after a message. */
int page_write(page *p, const char *word, const char *title, const char *path);
void page_free(page *p);

#endif
