/* A model, its run and what comes out of it, by one object: the first header to read.
 *
 *     mech_easy *easy = mech_easy_open("pendulum.mech");
 *     mech_easy_set(easy, "l", 2);
 *     if (mech_easy_run(easy) == MECH_OK) printf("%g\n", mech_easy_value(easy, "theta"));
 *     else puts(mech_easy_error(easy));
 *     mech_easy_close(easy);
 *
 * Nothing needs to be looked at on the way: a model that is wrong, or a name that does not exist, is what the next
 * mech_easy_run or mech_easy_advance returns, without running, and mech_easy_error says it in words. Every call takes
 * NULL, which is what opening gives when there is no memory.
 *
 * It owns diagnostics, model, system and run, and hands them out: whatever the other headers can do is open from here.
 * An object belongs to one thread at a time. */
#ifndef MECH_EASY_H
#define MECH_EASY_H

#include <mech/lang.h>
#include <mech/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_easy mech_easy;

/* Reads a model from a file, or from text. Never NULL but when out of memory. */
MECH_API mech_easy *mech_easy_open(const char *path);
MECH_API mech_easy *mech_easy_open_text(const char *text);
MECH_API void mech_easy_close(mech_easy *easy);

/* What went wrong, in words: the model's errors with their places, or why the last run ended, or the name that does not
   exist. "" when nothing did. Borrowed, valid until the next call. */
MECH_API const char *mech_easy_error(const mech_easy *easy);
/* "", or what to know about a run that went well: warnings about the model, and an account that does not balance.
   Borrowed. */
MECH_API const char *mech_easy_warning(const mech_easy *easy);

/* A parameter, or an input that keeps this value, by its name. Between two advances it takes effect at once. A
   parameter that shapes the model (N in `coord x[1..N]`) has it read again, and the run begins anew. */
MECH_API mech_status mech_easy_set(mech_easy *easy, const char *name, double value);
/* The settings of the next run: change them before it. NULL without memory. */
MECH_API mech_sim_settings *mech_easy_settings(mech_easy *easy);

/* A whole run, from the start to its end. */
MECH_API mech_status mech_easy_run(mech_easy *easy);
/* The run on to time t; the first time from its start. */
MECH_API mech_status mech_easy_advance(mech_easy *easy, double t);
/* The next advance begins at the start again, with what is set as it is. */
MECH_API mech_status mech_easy_reset(mech_easy *easy);

/* Where the run is: a column of the trajectory ("t", "theta", "theta'", an output, "equation.h"), a parameter or an
   input; or a measure of what it was so far. NaN where there is none of that name, and then the next run says so. */
MECH_API double mech_easy_value(mech_easy *easy, const char *name);
/* A column of all rows so far, one after the other; *rows (may be NULL) is how many. NULL: there is none of that name.
   Borrowed, valid until the next call. */
MECH_API const double *mech_easy_column(mech_easy *easy, const char *name, size_t *rows);

/* What it is made of; borrowed. NULL where there is none: the model is wrong, or nothing has run yet. */
MECH_API const mech_diagnostics *mech_easy_diagnostics(const mech_easy *easy);
MECH_API mech_model *mech_easy_model(const mech_easy *easy);
MECH_API mech_system *mech_easy_system(const mech_easy *easy);
MECH_API mech_sim *mech_easy_sim(const mech_easy *easy);

#ifdef __cplusplus
}
#endif
#endif
