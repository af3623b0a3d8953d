/* The force of each law, and its name. */
#include "simulate/sim.h"

#include <string.h>

/* The constraints that law k is on; behind the laws, friction k - laws. */
static const size_t *constraints_of(const mech_sim *s, size_t k, size_t *count)
{
    if (k < s->sizes.laws) {
        const mech_law law = mech_system_law(s->system, k);
        *count = law.constraint_count;
        return law.constraints;
    }
    const mech_friction f = mech_system_friction(s->system, k - s->sizes.laws);
    *count = f.constraint_count;
    return f.constraints;
}

void sim_law_name(const mech_sim *s, size_t k, size_t from, textbuf *name)
{
    size_t count, same = 1;
    const size_t *list = constraints_of(s, k, &count);
    const char *given = k < s->sizes.laws ? NULL : mech_system_friction(s->system, k - s->sizes.laws).name;
    if (given) {
        text_add(name, given);
        return;
    }
    for (size_t c = 0; c < count; c++)
        text_format(name, "%s%s", c ? "+" : "", mech_system_name(s->system, MECH_ITEM_CONSTRAINT, list[c]));
    for (size_t i = from; i < k; i++) { /* several on one constraint */
        size_t others;
        const size_t *other = constraints_of(s, i, &others);
        same += others == count && memcmp(other, list, count * sizeof *list) == 0;
    }
    if (same > 1) text_format(name, "#%zu", same);
}

mech_status sim_law_forces(mech_sim *s, double *to)
{
    if (s->sizes.laws + s->sizes.frictions == 0) return MECH_OK;
    SIM_SCRATCH(s);
    unsigned char *natural = sim_take_mask(s);
    for (size_t i = 0; i < s->rows; i++) natural[i] = s->dyn.active[i] && !s->dyn.servo[i];
    MECH_TRY(dynamics_split(&s->dyn, natural, s->zero, to));
    to += s->n * (s->sizes.laws + s->sizes.frictions);
    for (size_t k = 0; k < s->sizes.frictions; k++, to += s->n) {
        memset(to, 0, s->n * sizeof *to);
        dynamics_friction_force(&s->dyn, k, 1, to);
    }
    return MECH_OK;
}
