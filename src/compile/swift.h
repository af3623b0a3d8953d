/* Functions with a scale of their own, as sin, exp or a quotient: where their arguments go a short way over a stretch,
   a few samples tell what the function does there. docs/decisions/0015-triggers.md. */
#ifndef COMPILE_SWIFT_H
#define COMPILE_SWIFT_H

#include "compile/bounds.h"

enum { SWIFT_KINK = PROGRAM_OP_COUNT + 1 }; /* in place of an instruction: what a kink looks at */

/* What is to be bounded: an argument, an exponent behind it (PROGRAM_POW), the value itself (atan2). */
typedef struct swift_list {
    bounds_want *wants;
    uint32_t *op; /* (count) of the function; of an exponent PROGRAM_COPY */
    size_t count, want_capacity, op_capacity;
    int lacks_memory;
} swift_list;

/* The functions that the `of_count` values `of` are made of. kind: (input_count) 0: constant, 1: the clock's, 2: moves;
   least: functions of inputs below this kind are left out. Kinks: those from instruction kinks_from on. Freed with
   swift_list_free. */
MECH_MUST_CHECK mech_status swift_find(const program *p, const bounds_want *of, size_t of_count,
                                       const unsigned char *kind, int least, uint32_t kinks_from, swift_list *list);
void swift_list_free(swift_list *list);

/* Is this a short way? range: of what was wanted; exponent: the next, where the instruction is a power. */
int swift_is_short(uint32_t op, const bound *range, const bound *exponent);

/* What a function that is much more at some arguments than at others does over a stretch, beside which its rest may be
   nothing: exp, sinh, cosh, quotients, powers; tanh and atan are steps, and change much at some. */
typedef enum swift_spike {
    SWIFT_NO_SPIKE,
    SWIFT_FALLS, /* all the way */
    SWIFT_RISES,
    SWIFT_TOP /* it may have one inside */
} swift_spike;
swift_spike swift_spike_of(uint32_t op, const bound *range, const bound *exponent);
/* swift_is_short, or `slack` times as far. No range with an infinite end is, since the other end tells something. */
int swift_is_within(uint32_t op, const bound *range, const bound *exponent, double slack);

#endif
