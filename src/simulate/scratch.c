/* The stack of scratch numbers. */
#include "simulate/sim.h"

#include <assert.h>

/* More than all who take together: see who calls sim_take_... */
enum { STATES = 36, COORDS = 20, ROWS = 26, MASKS = 12 };

mech_status sim_scratch_create(mech_sim *s)
{
    s->memory.scratch.size = STATES * s->ny + COORDS * s->n + (ROWS + MASKS) * s->rows;
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->memory.scratch.room, s->memory.scratch.size));
}

size_t sim_mark(const mech_sim *s) { return s->memory.scratch.used; }
void sim_release(mech_sim *s, size_t mark) { s->memory.scratch.used = mark; }

static double *take(mech_sim *s, size_t count)
{
    double *taken = s->memory.scratch.room + s->memory.scratch.used;
    s->memory.scratch.used += count;
    assert(s->memory.scratch.used <= s->memory.scratch.size);
    return taken;
}

double *sim_take_state(mech_sim *s) { return take(s, s->ny); }
double *sim_take_coords(mech_sim *s) { return take(s, s->n); }
double *sim_take_rows(mech_sim *s) { return take(s, s->rows); }
unsigned char *sim_take_mask(mech_sim *s) { return (unsigned char *)take(s, s->rows); }
