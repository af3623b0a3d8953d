/* Arguments of functions with a scale of their own, over what a few samples span. */
#include "system/swift.h"

#include "base/mem.h"
#include "base/try.h"
#include "compile/swift.h"
#include "system/compiled.h"

#include <math.h>
#include <string.h>

enum { MOTION, SIGNALS, PARTS };

typedef struct swift_part {
    bounds_program *cut; /* NULL: none */
    uint32_t *op;        /* (count) */
    size_t count;
} swift_part;

struct system_swift {
    arena memory; /* of what it is made by, and of the list below */
    swift_part part[PARTS];
    uint32_t *slot; /* (slot_count) of the evaluation: inputs of the parts, one after the other */
    size_t slot_count;
};

static const system_compiled *of(const mech_system *s) { return s->compiled; }

/* ---- which functions ---- */

/* What reactions and accelerations follow from. */
static void want_equation(want_list *l, const mech_system *s, uint32_t at)
{
    static const system_section sections[] = {
        SECTION_A,         SECTION_M,    SECTION_G,      SECTION_Q,      SECTION_B, SECTION_A0,        SECTION_MU,
        SECTION_STATIC_MU, SECTION_SLIP, SECTION_SLIP_A, SECTION_SLIP_B, SECTION_C, SECTION_C_REACTION};
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) bounds_add_section(l, s, sections[k], NULL, at);
}

/* Is anything watched that samples are asked for? */
static int has_sampled(const mech_system *s, const unsigned char *trigger_is_bounded)
{
    for (size_t k = 0; k < s->parts[SECTION_TRIGGER].count; k++)
        if (!trigger_is_bounded[k]) return 1;
    for (size_t c = 0; c < s->sizes.constraints; c++)
        if (s->constraints[c].side) return 1;
    return s->sizes.frictions > 0;
}

static void want_values(want_list *l, const mech_system *s, swift_use use, const unsigned char *trigger_is_bounded)
{
    const program *p = of(s)->motion;
    const uint32_t end = p->stage_start[(use == SWIFT_WATCHES ? STAGE_EVENT : STAGE_OUTPUT) + 1];
    if (use == SWIFT_WATCHES) {
        if (!has_sampled(s, trigger_is_bounded)) return;
        want_equation(l, s, end);
        bounds_add_section(l, s, SECTION_TRIGGER, trigger_is_bounded, end);
        return;
    }
    if (s->measures_need_motion) want_equation(l, s, end);
    bounds_add_section(l, s, SECTION_MEASURE, NULL, end);
    bounds_add_section(l, s, SECTION_MEASURE_KINK, NULL, end);
}

static mech_status make_part(const program *p, const want_list *values, const unsigned char *kind, int least,
                             uint32_t kinks_from, swift_part *part)
{
    swift_list found;
    MECH_TRY(swift_find(p, values->items, values->count, kind, least, kinks_from, &found));
    mech_status status = found.count ? bounds_create(p, found.wants, found.count, &part->cut) : MECH_OK;
    if (status == MECH_OK) {
        part->op = found.op;
        part->count = found.count;
        found.op = NULL;
    }
    swift_list_free(&found);
    return status;
}

mech_status system_swift_equation(const mech_system *s, swift_list *found)
{
    const program *p = of(s)->motion;
    const uint32_t end = p->stage_start[STAGE_EVENT];
    want_list values = {0};
    arena memory = {0};
    const unsigned char *kind = bounds_list_kinds(s, &memory);
    *found = (swift_list){0};
    want_equation(&values, s, end);
    bounds_add_section(&values, s, SECTION_RATE, NULL, end);
    const mech_status status =
        kind && !values.lacks_memory ? swift_find(p, values.items, values.count, kind, 2, end, found) : MECH_ERR_MEMORY;
    mem_free(values.items);
    arena_free(&memory);
    return status;
}

/* The clock turns steps by itself in the equation (simulate/turns.c); in what is measured it does not. */
static mech_status make_motion(const mech_system *s, swift_use use, const want_list *values, system_swift *w)
{
    const program *p = of(s)->motion;
    const unsigned char *kind = bounds_list_kinds(s, &w->memory);
    if (!kind) return MECH_ERR_MEMORY;
    const int is_watch = use == SWIFT_WATCHES;
    return make_part(p, values, kind, is_watch ? 2 : 1,
                     is_watch ? p->stage_start[STAGE_EVENT] : p->stage_start[p->stage_count], &w->part[MOTION]);
}

/* Inputs by expressions, where what is measured looks at them. */
static mech_status make_signals(const mech_system *s, const want_list *values, system_swift *w)
{
    const program *p = of(s)->signals;
    want_list outputs = {0};
    unsigned char *kind = arena_zeroed(&w->memory, p->input_count, 1), *uses;
    MECH_TRY(bounds_list_users(s, values->items, values->count, s->in.u, s->in.active, &w->memory, &uses));
    kind[s->sizes.params] = 1;
    if (memchr(uses, 1, values->count)) bounds_add_outputs(&outputs, p);
    const mech_status status = outputs.lacks_memory
                                   ? MECH_ERR_MEMORY
                                   : make_part(p, &outputs, kind, 1, p->stage_start[p->stage_count], &w->part[SIGNALS]);
    mem_free(outputs.items);
    return status;
}

static size_t inputs_of(const swift_part *part) { return part->cut ? part->cut->input_count : 0; }

static mech_status list_slots(const mech_system *s, system_swift *w)
{
    w->slot = arena_zeroed(&w->memory, inputs_of(&w->part[MOTION]) + inputs_of(&w->part[SIGNALS]), sizeof *w->slot);
    if (!w->slot) return MECH_ERR_MEMORY;
    for (size_t k = 0; k < inputs_of(&w->part[MOTION]); k++) w->slot[w->slot_count++] = w->part[MOTION].cut->input[k];
    for (size_t k = 0; k < inputs_of(&w->part[SIGNALS]); k++) {
        const uint32_t input = w->part[SIGNALS].cut->input[k];
        w->slot[w->slot_count++] = (uint32_t)(input < s->sizes.params ? s->in.p + input : s->in.t);
    }
    return MECH_OK;
}

mech_status system_swift_create(const mech_system *s, swift_use use, const unsigned char *trigger_is_bounded,
                                system_swift **result)
{
    want_list values = {0};
    *result = NULL;
    want_values(&values, s, use, trigger_is_bounded);
    system_swift *w = values.count && !values.lacks_memory ? mem_zeroed(1, sizeof *w) : NULL;
    mech_status status = values.lacks_memory || (values.count && !w) ? MECH_ERR_MEMORY : MECH_OK;
    if (w && status == MECH_OK) status = make_motion(s, use, &values, w);
    if (w && status == MECH_OK && use == SWIFT_MEASURES) status = make_signals(s, &values, w);
    if (w && status == MECH_OK) status = list_slots(s, w);
    mem_free(values.items);
    if (w && status == MECH_OK && w->part[MOTION].count + w->part[SIGNALS].count) *result = w;
    else system_swift_free(w);
    return status;
}

void system_swift_free(system_swift *w)
{
    if (!w) return;
    for (int k = 0; k < PARTS; k++) {
        bounds_free(w->part[k].cut);
        mem_free(w->part[k].op);
    }
    arena_free(&w->memory);
    mem_free(w);
}

/* ---- a stretch ---- */

static size_t slots_of(const swift_part *part) { return part->cut ? part->cut->slot_count : 0; }

size_t system_swift_inputs(const system_swift *w) { return w->slot_count; }
size_t system_swift_room(const system_swift *w)
{
    const size_t a = slots_of(&w->part[MOTION]), b = slots_of(&w->part[SIGNALS]);
    return 2 * (a > b ? a : b);
}

void system_swift_take(const system_swift *w, const mech_eval *e, double *to)
{
    for (size_t k = 0; k < w->slot_count; k++) to[k] = e->slots[w->slot[k]];
}

typedef struct span { /* samples of the inputs of one part */
    const double *t;
    const double *const *samples;
    size_t count, first;
} span;

/* All an input is at samples, and a little more. */
static bound range_of(const span *x, size_t k)
{
    const size_t at = x->first + k;
    double low = x->samples[0][at], high = low;
    for (size_t i = 1; i < x->count; i++) {
        const double value = x->samples[i][at];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    const double more = (high - low) / 8;
    return (bound){low - more, high + more, 0, 0};
}

/* The same of its slope. */
static void add_slope(const span *x, size_t k, bound *range)
{
    const size_t at = x->first + k;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 1; i < x->count; i++) {
        const double slope = (x->samples[i][at] - x->samples[i - 1][at]) / (x->t[i] - x->t[i - 1]);
        low = slope < low ? slope : low;
        high = slope > high ? slope : high;
    }
    const double more = (high - low) / 2;
    range->slope_low = low - more;
    range->slope_high = high + more;
}

static swift_verdict verdict_of(uint32_t op)
{
    return op == SWIFT_KINK || op == PROGRAM_DIV || op == PROGRAM_POW ? SWIFT_NEAR : SWIFT_FAST;
}

/* Of all arguments; kinks: at most one of them lies in the stretch. */
static swift_verdict judge_ranges(const swift_part *part, const bound *slots)
{
    size_t kinks = 0;
    swift_verdict worst = SWIFT_SLOW;
    for (size_t k = 0; k < part->count; k++) {
        const bound *range = &slots[part->cut->result[k]],
                    *exponent = part->op[k] == PROGRAM_POW ? &slots[part->cut->result[k + 1]] : NULL;
        if (worst < verdict_of(part->op[k]) && !swift_is_short(part->op[k], range, exponent))
            worst = verdict_of(part->op[k]);
        kinks += part->op[k] == SWIFT_KINK && range->low <= 0 && range->high >= 0 && range->low < range->high;
    }
    return worst == SWIFT_SLOW && kinks > 1 ? SWIFT_NEAR : worst;
}

/* In a short stretch a value is what it is in the middle and what its slope adds. */
static void tighten(const swift_part *part, const span *x, bound *slots, bound *middle)
{
    const double half = fabs(x->t[x->count - 1] - x->t[0]) / 2;
    bounds_reset(part->cut, middle);
    for (size_t k = 0; k < part->cut->input_count; k++) {
        add_slope(x, k, &slots[k]);
        middle[k] = bound_of(x->samples[x->count / 2][x->first + k]);
    }
    bounds_run(part->cut, middle);
    bounds_reset(part->cut, slots);
    bounds_run(part->cut, slots);
    for (size_t k = 0; k < part->count; k++) {
        bound *a = &slots[part->cut->result[k]];
        const bound *m = &middle[part->cut->result[k]];
        const double most = half * (-a->slope_low > a->slope_high ? -a->slope_low : a->slope_high);
        if (!isfinite(most)) continue;
        if (m->low - most > a->low) a->low = m->low - most;
        if (m->high + most < a->high) a->high = m->high + most;
    }
}

static swift_verdict judge_part(const swift_part *part, const span *x, bound *room)
{
    if (!part->count) return SWIFT_SLOW;
    bounds_reset(part->cut, room);
    for (size_t k = 0; k < part->cut->input_count; k++) room[k] = range_of(x, k);
    bounds_run(part->cut, room);
    if (judge_ranges(part, room) == SWIFT_SLOW) return SWIFT_SLOW;
    tighten(part, x, room, room + part->cut->slot_count);
    return judge_ranges(part, room);
}

const uint32_t *system_swift_slots(const system_swift *w) { return w->slot; }

int system_swift_is_slow_within(const system_swift *w, const double *low, const double *high, bound *room)
{
    size_t first = 0;
    for (int i = 0; i < PARTS; first += inputs_of(&w->part[i++])) {
        const swift_part *part = &w->part[i];
        if (!part->count) continue;
        bounds_reset(part->cut, room);
        for (size_t k = 0; k < part->cut->input_count; k++) room[k] = (bound){low[first + k], high[first + k], 0, 0};
        bounds_run(part->cut, room);
        if (judge_ranges(part, room) != SWIFT_SLOW) return 0;
        for (size_t k = 0; k < part->count; k++) { /* a part of what is not known may be far */
            const bound *range = &room[part->cut->result[k]];
            if (!isfinite(range->high - range->low) || !isfinite(range->slope_high - range->slope_low)) return 0;
        }
    }
    return 1;
}

swift_verdict system_swift_judge(const system_swift *w, const double *t, const double *const *samples, size_t count,
                                 bound *room)
{
    const span motion = {t, samples, count, 0}, signals = {t, samples, count, inputs_of(&w->part[MOTION])};
    const swift_verdict first = judge_part(&w->part[MOTION], &motion, room);
    if (first == SWIFT_FAST) return first;
    const swift_verdict second = judge_part(&w->part[SIGNALS], &signals, room);
    return first > second ? first : second;
}
