/* The force of each law, and its name. */
#include "simulate/sim.h"

#include <string.h>

typedef struct law_place {
    const size_t *constraints;
    size_t count;
} law_place;

/* The constraints that law k is on; behind the laws, friction k - laws. */
static law_place place_of(const mech_sim *s, size_t k)
{
    const mech_law law = mech_system_law(s->system, k);
    if (k < s->sizes.laws) return (law_place){law.constraints, law.constraint_count};
    const mech_friction f = mech_system_friction(s->system, k - s->sizes.laws);
    return (law_place){f.constraints, f.constraint_count};
}

void sim_law_name(const mech_sim *s, size_t k, size_t from, textbuf *name)
{
    size_t same = 1;
    const law_place on = place_of(s, k);
    const char *given = k < s->sizes.laws ? NULL : mech_system_friction(s->system, k - s->sizes.laws).name;
    if (given) {
        text_add(name, given);
        return;
    }
    for (size_t c = 0; c < on.count; c++)
        text_format(name, "%s%s", c ? "+" : "", mech_system_name(s->system, MECH_ITEM_CONSTRAINT, on.constraints[c]));
    for (size_t i = from; i < k; i++) { /* several on one constraint */
        const law_place other = place_of(s, i);
        same += other.count == on.count &&
                memcmp(other.constraints, on.constraints, on.count * sizeof *on.constraints) == 0;
    }
    if (same > 1) text_format(name, "#%zu", same);
}

mech_status sim_law_forces(mech_sim *s, double *to)
{
    if (s->sizes.laws + s->sizes.frictions == 0) return MECH_OK;
    SIM_SCRATCH(s);
    unsigned char *natural = sim_take_mask(s);
    for (size_t i = 0; i < s->rows; i++) natural[i] = s->dyn.active[i] && !s->dyn.servo[i];
    MECH_TRY(dynamics_split(&s->dyn, natural, s->memory.zero, to));
    to += s->n * (s->sizes.laws + s->sizes.frictions);
    for (size_t k = 0; k < s->sizes.frictions; k++, to += s->n) {
        memset(to, 0, s->n * sizeof *to);
        dynamics_friction_force(&s->dyn, k, 1, to);
    }
    return MECH_OK;
}
