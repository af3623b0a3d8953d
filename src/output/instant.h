/* What the two reports of an instant share. */
#ifndef OUTPUT_INSTANT_H
#define OUTPUT_INSTANT_H

#include <mech/output.h>

#include "base/text.h"

typedef struct instant_view {
    const mech_instant *instant;
    const mech_system *system;
    const mech_instant_result *r;
    const mech_diagnosis_result *d; /* NULL: skipped */
    const mech_instant_report *options;
} instant_view;

/* Whether a group is there at all: friction that holds and given accelerations only in force. */
int instant_shows_group(const instant_view *view, const mech_group *group);
/* The least singular value that the rank counts: the true one where all were found (*is_true), else an estimate. */
double instant_least_singular(const instant_view *view, int *is_true);
/* "rod", or "loop.2" where the group has several rows. */
void instant_row_name(const instant_view *view, size_t row, textbuf *out);
const mech_group *instant_group_of(const instant_view *view, size_t row);
/* "position", ... of a row that contradicts those it depends on; NULL: it does not, as far as is known. */
const char *instant_contradiction(const instant_view *view, size_t row);
const char *instant_weight_word(mech_weight weight);
/* What is to be said about law k, freed with mem_free; NULL: nothing, or out of memory, after which *out has failed. */
char *instant_law_note(const instant_view *view, size_t k, textbuf *out);
const char *instant_mode_word(mech_friction_mode mode);
/* Friction whose bound is given, whatever it bears: it has no normal load. */
int instant_bound_is_given(const mech_system *system, size_t friction);

void instant_text(const instant_view *view, textbuf *out);
void instant_json(const instant_view *view, textbuf *out);

#endif
