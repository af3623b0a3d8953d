/* Numbers of one call, on a stack: mark, take, release (scratch.c). What is taken is not cleared, and is another's
   after its mark was released. Nothing is allocated after creation: no function that takes is entered twice at a time,
   and there is room for what all of them take. */
#ifndef SIMULATE_SCRATCH_H
#define SIMULATE_SCRATCH_H

#include <mech/simulate.h>

typedef struct sim_scratch {
    double *room;
    size_t size, used;
} sim_scratch;

MECH_MUST_CHECK mech_status sim_scratch_create(mech_sim *s);
size_t sim_mark(const mech_sim *s);
void sim_release(mech_sim *s, size_t mark);
/* (ny) a state; (n) one number a coordinate; (rows) one a row, or a flag a row. */
double *sim_take_state(mech_sim *s);
double *sim_take_coords(mech_sim *s);
double *sim_take_rows(mech_sim *s);
unsigned char *sim_take_mask(mech_sim *s);

#endif
