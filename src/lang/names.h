/* Names are numbers; what a name means hangs on its number, so every lookup is O(1). */
#ifndef LANG_NAMES_H
#define LANG_NAMES_H

#include "base/arena.h"

#include <stdint.h>

typedef struct lang_name {
    const char *text; /* canonical */
    uint32_t length, hash;
    uint32_t global;     /* its binding among the globals + 1, or 0                        */
    uint32_t local;      /* the innermost local binding + 1, or 0                          */
    uint32_t constraint; /* the constraint of exactly this name + 1, or 0                  */
    uint32_t family;     /* the family of indexed constraints with this name + 1, or 0     */
    uint16_t builtin;    /* built-in function + 1, or 0                                    */
    uint8_t is_suspect;  /* stood in a statement that could not be read, or was reported    */
    uint8_t is_taken;    /* an output, event, control or actuator has it: bits, see take() */
    uint8_t is_defining; /* its value is being computed                                    */
    uint8_t is_declared; /* some statement above gives it to a thing: it is no unit        */
    uint8_t is_bound;    /* stands somewhere as the name of a constraint                   */
    uint8_t is_value;    /* stands somewhere as a value, in a text with control statements */
} lang_name;

typedef struct lang_names {
    arena *memory;    /* borrowed */
    lang_name *items; /* number 0 is not used */
    size_t count, capacity;
    uint32_t *table; /* hash table of numbers, a power of two, 0 = free */
    size_t table_size;
} lang_names;

/* 1 done, 0 out of memory. */
int lang_names_start(lang_names *names, arena *memory);
void lang_names_free(lang_names *names);
/* The number of a canonical name, made when it is new; 0 when out of memory. */
uint32_t lang_intern(lang_names *names, const char *text, size_t length);
/* The number of a name that exists already, else 0. */
uint32_t lang_find(const lang_names *names, const char *text, size_t length);

/* ---- did you mean ---- */
typedef struct lang_guess {
    const char *wanted; /* what was written */
    const char *best;   /* nearest so far, or NULL */
    int distance;
} lang_guess;
void lang_guess_start(lang_guess *guess, const char *wanted);
/* Keeps candidate when it is nearer than all before and near enough to be meant. */
void lang_guess_try(lang_guess *guess, const char *candidate);
/* Damerau-Levenshtein distance (insert, delete, replace, swap neighbours), or limit + 1 when it is larger. */
int lang_distance(const char *a, const char *b, int limit);

#endif
