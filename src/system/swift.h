/* Whether a few samples of a stretch tell what happens between them: they do where no function with a scale of its own,
   of those that what is sampled is made of, goes far. docs/decisions/0015-triggers.md. */
#ifndef SYSTEM_SWIFT_H
#define SYSTEM_SWIFT_H

#include "compile/swift.h"
#include "system/system.h"

typedef struct system_swift system_swift;

/* bounds.c: what is to be looked at */
typedef struct want_list {
    bounds_want *items;
    size_t count, capacity;
    int lacks_memory;
} want_list;
/* Values of a section as they are before instruction `at`, but for those left out (NULL: none); all that a program
   gives. */
void bounds_add_section(want_list *list, const mech_system *system, system_section section,
                        const unsigned char *is_left_out, uint32_t at);
void bounds_add_outputs(want_list *list, const program *p);
/* Which of them (count) look at inputs [first, end) of the system. */
MECH_MUST_CHECK mech_status bounds_list_users(const mech_system *system, const bounds_want *wants, size_t count,
                                              size_t first, size_t end, arena *memory, unsigned char **uses);
/* Of each input of the system: 0, a number; 1, it moves with time alone; 2, with the motion. NULL: no memory. */
unsigned char *bounds_list_kinds(const mech_system *system, arena *memory);

typedef enum swift_use {
    SWIFT_WATCHES, /* reactions, accelerations, and triggers that look at them */
    SWIFT_MEASURES,
    SWIFT_USES
} swift_use;

/* For a compiled model; *result is NULL where there is no such function. trigger_is_bounded: (events) those that
   samples are not asked for. */
MECH_MUST_CHECK mech_status system_swift_create(const mech_system *system, swift_use use,
                                                const unsigned char *trigger_is_bounded, system_swift **result);
void system_swift_free(system_swift *w);

/* All functions with a scale of their own that the motion goes into and that the equation and the rates of states are
   made of, of the program of the motion. */
MECH_MUST_CHECK mech_status system_swift_equation(const mech_system *system, swift_list *found);

/* NULL: any samples do. */
const system_swift *system_swift_get(const mech_system *system, swift_use use);
/* How many numbers are kept of a sample, and room for system_swift_judge. */
size_t system_swift_inputs(const system_swift *w);
size_t system_swift_room(const system_swift *w);
/* Those numbers, where the evaluation stands: with what was sampled up to date. */
void system_swift_take(const system_swift *w, const mech_eval *eval, double *to);
/* Their slots of the evaluation (inputs of the system). */
const uint32_t *system_swift_slots(const system_swift *w);
/* 1: samples tell of any stretch in which those numbers stay between these. */
int system_swift_is_slow_within(const system_swift *w, const double *low, const double *high, bound *room);
typedef enum swift_verdict {
    SWIFT_SLOW,
    SWIFT_NEAR, /* a divisor near 0, or kinks that lie together: the nearer, the narrower */
    SWIFT_FAST
} swift_verdict;
/* SWIFT_SLOW: samples (count, odd, in order of time either way, both ends and the middle among them) at times t tell
   what is between them. */
swift_verdict system_swift_judge(const system_swift *w, const double *t, const double *const *samples, size_t count,
                                 bound *room);

#endif
