/* Reading a model from text. docs/language.md is the reference of the language. */
#ifndef MECH_LANG_H
#define MECH_LANG_H

#include <mech/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A parameter's value given from outside, in place of the one in the text. */
typedef struct mech_override {
    const char *name; /* Greek letters or their names, "m[2]" for an entry of an array */
    double value;
} mech_override;

typedef struct mech_read_options {
    size_t size;                    /* of this struct, set by mech_read_options_default                   */
    const mech_override *overrides; /* known while reading, so structural parameters may be among them    */
    size_t override_count;
    const char *include_directory;  /* where `include` and `file` look; NULL: the folder of the text      */
    int no_files;                   /* 1: `include` and tables are errors (the text is not trusted)       */
    size_t max_turns;               /* loop turns and function calls; 0: the documented limit             */
    mech_friction_reading friction; /* what statements of friction become; default: Coulomb's law        */
    int drops_zero_friction; /* 1: friction whose coefficients are 0 by the parameters' values becomes nothing; those
                                parameters cannot be set afterwards then                                 */
    mech_sampled_reading sampled; /* what the rate of a sampled value is; default: 0, it is held            */
} mech_read_options;

/* size: sizeof(mech_read_options), so that the struct may grow. */
MECH_API void mech_read_options_default(mech_read_options *options, size_t size);

/* Reads text[0..length) and gives a finished model (new, freed with mech_model_free). name stands in the
   messages. options may be NULL. diagnostics is borrowed by the model and must outlive it; it receives all
   errors and warnings. On failure *model is NULL and the status is that of the first error. */
MECH_API MECH_MUST_CHECK mech_status mech_read_text(const char *name, const char *text, size_t length,
                                                    const mech_read_options *options, mech_diagnostics *diagnostics,
                                                    mech_model **model);
MECH_API MECH_MUST_CHECK mech_status mech_read_file(const char *path, const mech_read_options *options,
                                                    mech_diagnostics *diagnostics, mech_model **model);

/* New text, freed with mech_text_free: one line "line:column kind text" for each token of the text; NULL
   when out of memory. For people who work on the language. */
MECH_API char *mech_dump_tokens(const char *text, size_t length);
/* New text: the syntax tree, one statement after the other; NULL when out of memory. Errors are left out. */
MECH_API char *mech_dump_syntax(const char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
