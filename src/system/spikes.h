/* Functions of the motion that the equation holds and that may be spikes: what their arguments do over a stretch, and
   whether they may have a top in it. docs/decisions/0015-triggers.md. */
#ifndef SYSTEM_SPIKES_H
#define SYSTEM_SPIKES_H

#include "compile/bounds.h"
#include "system/system.h"

typedef struct system_spikes system_spikes;

/* For a compiled model; *result is NULL where there is no such function. */
MECH_MUST_CHECK mech_status system_spikes_create(const mech_system *system, system_spikes **result);
void system_spikes_free(system_spikes *w);

/* bounds.c. NULL: there is none. */
const system_spikes *system_spikes_get(const mech_system *system);
const bounds_program *system_spikes_part(const system_spikes *w);
/* Ranges of the arguments, (system_spikes_part)->result in room, over [from, to]: y has the bounds of the states that
   they look at. Without slopes those in room mean nothing. */
void system_spikes_over(const mech_eval *eval, double from, double to, const bound *y, int with_slopes, bound *room);

/* How many functions; slots of room, cleared when it was new. */
size_t system_spikes_count(const system_spikes *w);
size_t system_spikes_room(const mech_system *system);
/* Which of (q, v, states). */
const uint32_t *system_spikes_states(const system_spikes *w, size_t *count);

typedef enum spikes_verdict {
    SPIKES_NONE,   /* no top                                                              */
    SPIKES_WITHIN, /* arguments of those that may have one go a short way: one look tells */
    SPIKES_NEAR,   /* a divisor comes near 0: the nearer, the narrower                    */
    SPIKES_FAR     /* arguments go far                                                    */
} spikes_verdict;
/* Of the ranges that stand in room. is_last: what rises all the way has its top at the end. *which: the number of one
   that has, where there is one. */
spikes_verdict system_spikes_judge(const system_spikes *w, const bound *room, int is_last, size_t *which);

/* 1: system_spikes_may_hide never says 0, since the ends of a step tell nothing of the inside of states. */
int system_spikes_need_inside(const mech_system *system);

/* A box of states in which all arguments go a short way, whatever the motion does there. */
typedef struct spikes_box {
    double *low, *high; /* (states) */
    double more;        /* how much wider than a step the next one is made */
    double *middle;     /* (count) scratch */
} spikes_box;
void system_spikes_leave(const system_spikes *w, spikes_box *box); /* parameters, or rows in force, are others now */

/* Of a step from (t0, y0) to (t1, y1), components `stride` apart, before anything is known of its inside but that q' =
   v: may one of them have a top of which stages tell nothing? y: (states); room: (system_spikes_room). */
int system_spikes_may_hide(const mech_eval *eval, double t0, const double *y0, double t1, const double *y1,
                           size_t stride, spikes_box *box, bound *y, bound *room);

/* "Q[x]", the part of the equation that function number k stands in; freed with mem_free. NULL: out of memory. */
char *system_spikes_name(const mech_system *system, size_t k);

#endif
