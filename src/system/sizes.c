#include "system/sizes.h"

#include "system/compiled.h"

#include <math.h>

size_t system_sizes_room(const mech_system *system) { return system->compiled ? system->slot_count : 0; }

static void own_sizes(const mech_eval *e, double *work)
{
    for (size_t i = 0; i < e->system->slot_count; i++) work[i] = fabs(e->slots[i]);
}

int system_sizes_look(mech_eval *e, int with_start, double *work, system_sizes *to)
{
    const mech_system *s = e->system;
    *to = (system_sizes){0};
    if (!s->compiled) return 0;
    own_sizes(e, work);
    compiled_sizes(s, with_start ? STAGE_START : STAGE_VELOCITY, e->slots, work);
    to->r = work + s->parts[SECTION_R].first;
    to->r_dot = work + s->parts[SECTION_R_DOT].first;
    to->Q = work + s->parts[SECTION_Q].first;
    to->slip = work + s->parts[SECTION_SLIP].first;
    to->target = work + s->parts[SECTION_TARGET].first;
    to->target_value = work + s->parts[SECTION_TARGET_VALUE].first;
    return 1;
}

/* The largest of some inputs is the size of each. */
static void largest_of(double *work, size_t first, size_t count)
{
    double most = 0;
    for (size_t i = first; i < first + count; i++) most = fmax(most, work[i]);
    for (size_t i = first; i < first + count; i++) work[i] = most;
}

int system_sizes_values(mech_eval *e, double *work, system_value_sizes *to)
{
    const mech_system *s = e->system;
    *to = (system_value_sizes){0};
    if (!s->compiled) return 0;
    own_sizes(e, work);
    largest_of(work, s->in.q, s->sizes.coords);
    largest_of(work, s->in.v, s->sizes.coords);
    compiled_sizes(s, STAGE_START, e->slots, work);
    to->trigger = work + s->parts[SECTION_TRIGGER].first;
    to->condition = work + s->parts[SECTION_CONDITION].first;
    to->action = work + s->parts[SECTION_ACTION].first;
    to->output = work + s->parts[SECTION_OUTPUT].first;
    to->measure = work + s->parts[SECTION_MEASURE].first;
    return 1;
}

size_t system_sizes_jacobian_room(const mech_system *system) { return system->jacobian_count; }

void system_sizes_jacobian(mech_eval *e, double *work, system_slopes *to)
{
    const mech_system *s = e->system;
    compiled_jacobian_sizes(s, e->jacobian, work);
    to->motion = work + s->derivatives[DERIVATIVE_MOTION].first;
    to->row = work + s->derivatives[DERIVATIVE_ROW].first;
    to->rate = work + s->derivatives[DERIVATIVE_RATE].first;
}
