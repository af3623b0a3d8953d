#include "system/sizes.h"

#include "system/system.h"

#include <math.h>

size_t system_sizes_room(const mech_system *system) { return system->kind->sizes ? system->slot_count : 0; }

int system_sizes_look(mech_eval *e, int with_start, double *work, system_sizes *to)
{
    const mech_system *s = e->system;
    *to = (system_sizes){0};
    if (!s->kind->sizes) return 0;
    s->kind->sizes(s, with_start ? STAGE_START : STAGE_VELOCITY, e->slots, work);
    to->r = work + s->parts[SECTION_R].first;
    to->r_dot = work + s->parts[SECTION_R_DOT].first;
    to->Q = work + s->parts[SECTION_Q].first;
    to->slip = work + s->parts[SECTION_SLIP].first;
    to->target = work + s->parts[SECTION_TARGET].first;
    to->target_value = work + s->parts[SECTION_TARGET_VALUE].first;
    return 1;
}

size_t system_sizes_jacobian_room(const mech_system *system) { return system->jacobian_count; }

void system_sizes_jacobian(mech_eval *e, double *work, system_slopes *to)
{
    const mech_system *s = e->system;
    if (s->kind->jacobian_sizes) s->kind->jacobian_sizes(s, e->jacobian, work);
    for (size_t i = 0; !s->kind->jacobian_sizes && i < s->jacobian_count; i++) work[i] = fabs(e->jacobian[i]);
    to->motion = work + s->derivatives[DERIVATIVE_MOTION].first;
    to->row = work + s->derivatives[DERIVATIVE_ROW].first;
    to->rate = work + s->derivatives[DERIVATIVE_RATE].first;
}
