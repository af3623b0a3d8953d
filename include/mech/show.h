/* A model to look at: the scene that its bodies, joints and `draw` statements make, moving, and a page that holds all
 * that is known about the model in one file.
 *
 *     mech_scene_create      what is drawn, of a finished model and its system
 *     mech_scene_add_run     its frames in a run
 *     mech_scene_film        a run as pictures, or as a film
 *     mech_page_write        the file: texts, equations, figures and the scene
 *
 * The page needs no network and no other file; docs/see.md shows it. */
#ifndef MECH_SHOW_H
#define MECH_SHOW_H

#include <mech/output.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_scene mech_scene;
/* New scene in *scene. Model and system are borrowed and must outlive it. */
MECH_API MECH_MUST_CHECK mech_status mech_scene_create(const mech_model *model, const mech_system *system,
                                                       mech_scene **scene);
MECH_API void mech_scene_free(mech_scene *scene);
/* Whether there is anything to draw. */
MECH_API int mech_scene_is_empty(const mech_scene *scene);
/* The frames of a run, from mech_sim_curve, at most `most` of them. With `draw` statements that look at accelerations
   or multipliers the run has MECH_COLUMNS_ACCELERATIONS and MECH_COLUMNS_MULTIPLIERS. *left_out (may be NULL): rows
   that have no frame. */
MECH_API MECH_MUST_CHECK mech_status mech_scene_add_run(mech_scene *scene, const mech_sim *sim, size_t most,
                                                        size_t *left_out);
/* Frames of motions that the caller makes: states (frames x (2n + states)), one after the other. is_loop: played over
   and over, `rate` of its time in a second. */
MECH_API MECH_MUST_CHECK mech_status mech_scene_add_frames(mech_scene *scene, const char *name, const double *times,
                                                           const double *states, size_t frames, int is_loop,
                                                           double rate);

/* The motion of a run as pictures, evenly in time: 25 a second in a film. The name says what is made: .gif or .mp4
   (by the programs rsvg-convert and ffmpeg), or a file for each picture, .svg or .png (by rsvg-convert), with its
   number from 1 on in place of %d, or of %04d with zeros before it. MECH_ERR_ARGUMENT: another name, no frames, or
   nothing is drawn. MECH_ERR_UNSUPPORTED: a program is missing, MECH_ERR_FILE: it failed, or a file cannot be
   written; *by (may be NULL) names it, NULL: none. */
MECH_API MECH_MUST_CHECK mech_status mech_scene_film(mech_scene *scene, const mech_sim *sim, size_t frames,
                                                     const char *path, const char **by);
/* Whether mech_scene_film knows what a file of this name is. */
MECH_API int mech_film_is_name(const char *path);

typedef enum mech_section_kind {
    MECH_SECTION_TEXT,  /* as it is, letters of one width                        */
    MECH_SECTION_LATEX, /* equations as mech_report_equations writes them        */
    MECH_SECTION_SVG,   /* of mech_sheet_svg with MECH_SVG_PAGE; others unchecked */
    MECH_SECTION_SCENE, /* where the scene stands                                */
    MECH_SECTION_WORDS  /* a paragraph                                           */
} mech_section_kind;
typedef struct mech_section {
    mech_section_kind kind;
    const char *title; /* NULL: it goes on with the section before */
    const char *text;
} mech_section;
typedef struct mech_page {
    size_t size; /* sizeof(mech_page) */
    const char *title;
    const mech_section *sections;
    size_t count;
    const mech_scene *scene; /* or NULL: nothing moves */
} mech_page;
/* New text in *html, freed with mech_text_free. */
MECH_API MECH_MUST_CHECK mech_status mech_page_html(const mech_page *page, char **html);
/* To a file, written aside and renamed. */
MECH_API MECH_MUST_CHECK mech_status mech_page_write(const mech_page *page, const char *path);

/* The geometry of an instant, as in Udwadia and Kalaba's picture of it: scaled accelerations in the plane of the free
   directions and those that constraints hold. SVG for a page. MECH_ERR_ARGUMENT: no constraint is in force. */
MECH_API MECH_MUST_CHECK mech_status mech_instant_picture(const mech_instant *instant, char **svg);

#ifdef __cplusplus
}
#endif
#endif
