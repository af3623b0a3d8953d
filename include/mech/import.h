/* Robots from files: URDF and MJCF as text in the language of docs/language.md. */
#ifndef MECH_IMPORT_H
#define MECH_IMPORT_H

#include <mech/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_import_options {
    size_t size;          /* of this struct, set by mech_import_options_default                              */
    int is_free;          /* 1: the root of a URDF moves freely; else it is fixed to the ground              */
    int imposes_limits;   /* 1: limits of joints, as one-sided constraints JOINT_low and JOINT_high          */
    int imposes_friction; /* 1: dry friction of joints, a torque or force of that bound; else it is told     */
    int keeps_angles;     /* 1: angles stay as written; else those within 1e-10 of right angles are exact    */
    int no_files;         /* 1: a file that names others is an error (it is not trusted)                     */
    int is_part;          /* 1: what a model says once is left out of the text: gravity                      */
    const char *place;    /* what the root is tied to, as in a joint; NULL: "ground"                         */
} mech_import_options;

/* size: sizeof(mech_import_options), so that the struct may grow. */
MECH_API void mech_import_options_default(mech_import_options *options, size_t size);

/* The model (new, freed with mech_text_free) that a URDF or MJCF file describes. What is left out of it is said in
   comments at its head, and as notes in the list; name stands in messages, and its folder is where a file that names
   others looks. options may be NULL. On failure *model is NULL and the list says why. */
MECH_API MECH_MUST_CHECK mech_status mech_import_text(const char *name, const char *text, size_t length,
                                                      const mech_import_options *options, mech_diagnostics *diagnostics,
                                                      char **model);
MECH_API MECH_MUST_CHECK mech_status mech_import_file(const char *path, const mech_import_options *options,
                                                      mech_diagnostics *diagnostics, char **model);

#ifdef __cplusplus
}
#endif
#endif
