/* A step in which a spike may hide from its stages is taken again, shorter, until it may not: lanes do not look into
   their steps. docs/decisions/0015-triggers.md. */
#include "ensemble/lanes.h"

#include "base/mem.h"
#include "simulate/sim.h"
#include "system/spikes.h"

struct lanes_spikes {
    const system_spikes *of;
    bound *y, *room;
    double *numbers; /* those of the boxes */
    spikes_box box[LANES];
};

static const double as_if = 256; /* the error of a step that is about half as long next */

mech_status lanes_spikes_create(lanes *w)
{
    const mech_system *system = w->code->system;
    const system_spikes *of = system_spikes_get(system);
    if (!of) return MECH_OK;
    lanes_spikes *x = w->spikes = mem_zeroed(1, sizeof *x);
    if (!x) return MECH_ERR_MEMORY;
    size_t states;
    (void)system_spikes_states(of, &states);
    const size_t count = system_spikes_count(of);
    x->of = of;
    x->y = mem_zeroed(states + 1, sizeof *x->y);
    x->room = mem_zeroed(system_spikes_room(system) + 1, sizeof *x->room);
    x->numbers = mem_zeroed(LANES * 2 * states + count + 1, sizeof *x->numbers);
    if (!x->y || !x->room || !x->numbers) return MECH_ERR_MEMORY;
    for (size_t j = 0; j < LANES; j++) {
        x->box[j].middle = x->numbers;
        x->box[j].low = x->numbers + count + 2 * j * states;
        x->box[j].high = x->box[j].low + states;
    }
    return MECH_OK;
}

void lanes_spikes_free(lanes *w)
{
    if (!w->spikes) return;
    mem_free(w->spikes->y);
    mem_free(w->spikes->room);
    mem_free(w->spikes->numbers);
    mem_free(w->spikes);
}

void lanes_spikes_begin(lanes *w, size_t j)
{
    if (w->spikes) system_spikes_leave(w->spikes->of, &w->spikes->box[j]);
}

void lanes_spikes_judge(lanes *w)
{
    lanes_spikes *x = w->spikes;
    lanes_clock *c = &w->clock;
    for (size_t j = 0; x && j < LANES; j++)
        if (w->has_run[j] && c->error[j] <= 1 &&
            system_spikes_may_hide(w->run[j].sim->eval, c->t[j], w->y + j, c->t_new[j], w->y_new + j, LANES, &x->box[j],
                                   x->y, x->room))
            c->error[j] = as_if;
}
