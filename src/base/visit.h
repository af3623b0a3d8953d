/* One walk over what changes in a thing, that writes it or reads it back: a field that is visited is both. */
#ifndef BASE_VISIT_H
#define BASE_VISIT_H

#include "base/text.h"

#include <stdint.h>
#include <string.h>

typedef struct state_walk {
    int reads;  /* 0: fields go to `out`; 1: they come from `at`     */
    int clears; /* neither: they become 0                            */
    int failed; /* reading: too short, or a value that makes no sense */
    int lacks_memory;
    textbuf out;
    const unsigned char *at, *end;
} state_walk;

void state_bytes(state_walk *w, void *field, size_t size);
/* The same where it is read back, which resets a run: hundreds of fields of a few bytes. */
static inline void state_field(state_walk *w, void *field, size_t size)
{
    if (!w->reads || w->failed || (size_t)(w->end - w->at) < size) {
        state_bytes(w, field, size);
        return;
    }
    memcpy(field, w->at, size);
    w->at += size;
}
/* How many of something follow: *count is what there is, or what comes back. Reading, each takes at least
   `least` bytes, so that a wrong count is found before it is believed. */
void state_count(state_walk *w, size_t *count, size_t least);
/* Reading: the value must hold. */
void state_must(state_walk *w, int holds);

#define STATE_FIELD(walk, field) state_field((walk), &(field), sizeof(field))
/* Fields that stand in one struct one after the other, from the first to the last. */
#define STATE_FIELDS(walk, first, last)                                                                                \
    state_bytes((walk), &(first), (size_t)((const char *)(&(last) + 1) - (const char *)&(first)))
#define STATE_ARRAY(walk, array, count) state_bytes((walk), (array), (count) * sizeof *(array))

/* FNV-1a over bytes, begun with STATE_SUM or with the sum of what came before. */
#define STATE_SUM UINT64_C(0xcbf29ce484222325)
uint64_t state_sum(uint64_t sum, const void *bytes, size_t size);

#endif
