/* Writing a plan down, operation by operation: shared by the Schur plan and the null-space plan. */
#ifndef FUNDAMENTAL_PLAN_WRITE_H
#define FUNDAMENTAL_PLAN_WRITE_H

#include "fundamental/plan.h"

typedef struct plan_writer {
    plan *p;
    size_t capacity, most;
    mech_status status; /* the first failure; nothing is written after it */
} plan_writer;

/* Places of the inputs: M, A, Q, b, wholes; the results follow. */
void plan_number_inputs(plan *p, const plan_spec *spec);
/* Appends an operation with so many results; returns the slot of the first. */
uint32_t plan_emit(plan_writer *w, plan_op op, uint32_t results);
/* c + sign a*b, where any may be PLAN_NONE. */
uint32_t plan_multiply(plan_writer *w, int sign, uint32_t a, uint32_t b, uint32_t c);
/* Weak unless left, times 2^power, is clear beside the whole. */
void plan_look_at_row(plan_writer *w, uint32_t left, uint32_t power, uint32_t whole);
/* Watched rows: by how much A x = b is missed, beside the size of the terms of A x. */
void plan_monitor(plan_writer *w, const plan_spec *spec, const unsigned char *watched, const uint32_t *x);

#endif
