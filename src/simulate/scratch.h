/* Numbers of one call, on a stack (scratch.c). What is taken is not cleared, and is another's after its block ended.
   Nothing is allocated after creation: no function that takes is entered twice at a time, and there is room for what
   all of them take. */
#ifndef SIMULATE_SCRATCH_H
#define SIMULATE_SCRATCH_H

#include <mech/simulate.h>

#include "base/arena.h"

typedef struct sim_scratch {
    double *room;
    size_t size, used;
} sim_scratch;

/* Arrays that are visited. */
typedef struct sim_kept {
    struct {
        void *array;
        size_t size; /* in bytes */
    } list[48];
    size_t count;
} sim_kept;

typedef struct sim_memory {
    arena arena;
    const double *zero; /* (n, and rows) */
    sim_kept kept;
    sim_scratch scratch;
} sim_memory;

MECH_MUST_CHECK mech_status sim_scratch_create(mech_sim *s);
size_t sim_mark(const mech_sim *s);
void sim_release(mech_sim *s, size_t mark);
/* SIM_SCRATCH(s): what is taken behind it is given back at the end of the block, however that is left. */
typedef struct sim_scratch_block {
    mech_sim *s;
    size_t mark;
} sim_scratch_block;
static inline void sim_scratch_end(const sim_scratch_block *b) { sim_release(b->s, b->mark); }
#define SIM_SCRATCH(sim)                                                                                               \
    __attribute__((cleanup(sim_scratch_end))) const sim_scratch_block scratch_block_ = {(sim), sim_mark(sim)}
/* (ny) a state; (n) one number a coordinate; (rows) one a row, or a flag a row. */
double *sim_take_state(mech_sim *s);
double *sim_take_coords(mech_sim *s);
double *sim_take_rows(mech_sim *s);
unsigned char *sim_take_mask(mech_sim *s);

#endif
