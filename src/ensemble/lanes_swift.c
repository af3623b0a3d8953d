/* Do five points of a stretch tell what is measured between them? They do while what goes into its functions stays in a
   box in which none of them goes far: one for each lane, made anew where the lane leaves it. */
#include "ensemble/lanes.h"

#include "base/mem.h"
#include "system/swift.h"

#include <string.h>

static const system_swift *of(const lanes_code *c)
{
    return c->measures ? system_swift_get(c->system, SWIFT_MEASURES) : NULL;
}

size_t lanes_swift_inputs(const lanes_code *c)
{
    const system_swift *swift = of(c);
    return swift ? system_swift_inputs(swift) : 0;
}

mech_status lanes_swift_create(lanes *w)
{
    const system_swift *swift = w->swift = of(w->code);
    if (!swift) return MECH_OK;
    w->swift_inputs = system_swift_inputs(swift);
    w->swift_lane = mem_zeroed(LANES_KEPT * w->swift_inputs + 1, sizeof *w->swift_lane);
    w->swift_room = mem_zeroed(system_swift_room(swift) + 1, sizeof *w->swift_room);
    return w->swift_lane && w->swift_room ? MECH_OK : MECH_ERR_MEMORY;
}

/* Row 0 of a point: its time; then the inputs. */
static double *kept(const lanes *w, size_t point, size_t row)
{
    return w->swift_kept + (point * (1 + w->swift_inputs) + row) * LANES;
}

void lanes_swift_keep(lanes *w, int point)
{
    if (!w->swift) return;
    const uint32_t *slot = system_swift_slots(w->swift);
    const size_t inputs = w->swift_inputs;
    memcpy(kept(w, (size_t)point, 0), w->time, sizeof(lanes_row));
    for (size_t k = 0; k < inputs; k++) memcpy(kept(w, (size_t)point, 1 + k), w->inputs[slot[k]], sizeof(lanes_row));
}

void lanes_swift_begin(lanes *w, size_t j)
{
    const size_t inputs = w->swift_inputs;
    for (size_t k = 0; k < inputs; k++) { /* empty */
        w->swift_low[k * LANES + j] = 1;
        w->swift_high[k * LANES + j] = 0;
    }
}

/* A box around what this lane spans, twice as wide again on both sides. 0: somewhere in it a function goes far. */
static int make_box(lanes *w, size_t j)
{
    const size_t inputs = w->swift_inputs;
    double *low = w->swift_lane, *high = low + inputs;
    for (size_t k = 0; k < inputs; k++) {
        low[k] = high[k] = kept(w, 0, 1 + k)[j];
        for (size_t i = 1; i < LANES_KEPT; i++) {
            const double x = kept(w, i, 1 + k)[j];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
        const double more = 2 * (high[k] - low[k]);
        low[k] -= more;
        high[k] += more;
    }
    const int is_slow = system_swift_is_slow_within(w->swift, low, high, w->swift_room);
    for (size_t k = 0; k < inputs && is_slow; k++) {
        w->swift_low[k * LANES + j] = low[k];
        w->swift_high[k * LANES + j] = high[k];
    }
    return is_slow;
}

static int is_slow(lanes *w, size_t j)
{
    const size_t inputs = w->swift_inputs;
    const double *samples[LANES_KEPT];
    double t[LANES_KEPT];
    for (size_t i = 0; i < LANES_KEPT; i++) {
        double *sample = w->swift_lane + i * inputs;
        t[i] = kept(w, i, 0)[j];
        for (size_t k = 0; k < inputs; k++) sample[k] = kept(w, i, 1 + k)[j];
        samples[i] = sample;
    }
    return system_swift_judge(w->swift, t, samples, LANES_KEPT, w->swift_room) == SWIFT_SLOW;
}

void lanes_swift_find(lanes *w, const int64_t *is_looked_at, int64_t *is_swift)
{
    _Alignas(64) lanes_mask is_out = {0};
    memset(is_swift, 0, sizeof(lanes_mask));
    for (size_t i = 0; w->swift && i < LANES_KEPT; i++)
        lanes_vectors_get()->outside(w->swift_inputs, kept(w, i, 1), w->swift_low, w->swift_high, is_out);
    for (size_t j = 0; j < LANES; j++)
        if (is_looked_at[j] && is_out[j] && !make_box(w, j) && !is_slow(w, j)) is_swift[j] = -1;
}
