/* Bounds of watched functions: the parts of the programs that make them, run over intervals. */
#include "system/bounds.h"

#include "base/mem.h"
#include "base/try.h"
#include "system/compiled.h"
#include "system/owner.h"
#include "system/spikes.h"
#include "system/swift.h"

struct system_bounds {
    arena memory;                     /* of all arrays */
    bounds_program *motion, *signals; /* signals: all three of each input, then its switches */
    size_t count;
    unsigned char *known;          /* (count)                                                  */
    uint32_t *want;                /* (count) number of its result in motion; of those of signals in signals */
    size_t first_of_signals;       /* from here on the functions are the signals' own       */
    unsigned char *answers;        /* (events) it looks at what is in force, or at forces and accelerations */
    unsigned char *jumps;          /* (events) it has floor, sign or a comparison of what moves */
    unsigned char *moves, *states; /* (switches of the motion) 1: looks at coordinates and velocities; at states */
    size_t move_count;
    bounds_program *clock; /* functions of time alone; NULL: none                     */
    size_t clock_count;
    uint32_t *state; /* (state_count) q, v, z that the motion's part reads       */
    size_t state_count;
    system_swift *swift[SWIFT_USES]; /* see swift.h; NULL: none */
    system_spikes *spikes;           /* see spikes.h; NULL: none */
};

static system_compiled *of(const mech_system *s) { return s->compiled; }

static void add_want(want_list *l, bounds_want w)
{
    if (!mem_grow(&l->items, &l->capacity, l->count + 1, sizeof *l->items)) l->lacks_memory = 1;
    else l->items[l->count++] = w;
}

/* The functions whose zeros are the kinks of these stages. */
static void want_switches(want_list *l, const program *p, uint32_t first_stage, uint32_t last_stage)
{
    if (!p->switch_count) return;
    for (uint32_t i = p->stage_start[first_stage]; i < p->stage_start[last_stage + 1]; i++) {
        bounds_want w = {.at = i};
        if (program_switch_at(p, i, &w.plus, &w.minus)) add_want(l, w);
    }
}

void bounds_add_section(want_list *l, const mech_system *s, system_section section, const unsigned char *is_left_out,
                        uint32_t at)
{
    const system_part *part = &s->parts[section];
    for (size_t k = 0; k < part->count; k++)
        if (!is_left_out || !is_left_out[k])
            add_want(l, (bounds_want){at, (uint32_t)(part->first + k), BOUNDS_NOTHING});
}

void bounds_add_outputs(want_list *l, const program *p)
{
    for (uint32_t k = 0; k < p->output_count; k++)
        add_want(l, (bounds_want){p->stage_start[p->stage_count], p->output_first + k, BOUNDS_NOTHING});
}

mech_status bounds_list_users(const mech_system *s, const bounds_want *wants, size_t count, size_t first, size_t end,
                              arena *memory, unsigned char **uses)
{
    const program *p = of(s)->motion;
    unsigned char *marked = arena_zeroed(memory, p->input_count, 1);
    *uses = arena_zeroed(memory, count, 1);
    MECH_TRY(arena_status(memory));
    for (size_t k = first; k < end; k++) marked[k] = 1;
    return bounds_find_users(p, wants, count, marked, *uses) ? MECH_OK : MECH_ERR_MEMORY;
}

static mech_status find_moves(const mech_system *s, const bounds_want *switches, size_t count, system_bounds *b)
{
    b->move_count = count;
    MECH_TRY(bounds_list_users(s, switches, count, s->in.q, s->in.count, &b->memory, &b->moves));
    return bounds_list_users(s, switches, count, s->in.z, s->in.u, &b->memory, &b->states);
}

/* Triggers that jump where contacts and constraints come into force or go out of it. */
static mech_status find_answers(const mech_system *s, const bounds_want *triggers, system_bounds *b)
{
    const size_t count = s->parts[SECTION_TRIGGER].count;
    unsigned char *solved;
    MECH_TRY(bounds_list_users(s, triggers, count, s->in.active, s->in.q, &b->memory, &b->answers));
    MECH_TRY(bounds_list_users(s, triggers, count, s->in.lambda, s->in.count, &b->memory, &solved));
    for (size_t k = 0; k < count; k++) b->answers[k] |= solved[k];
    return MECH_OK;
}

/* Triggers that jump by themselves, as floor(x) does. */
static mech_status find_jumps(const mech_system *s, system_bounds *b)
{
    const size_t count = s->parts[SECTION_TRIGGER].count;
    b->jumps = arena_zeroed(&b->memory, count, 1);
    MECH_TRY(arena_status(&b->memory));
    for (size_t k = 0; k < count; k++) {
        int may;
        MECH_TRY(model_may_jump(of(s)->model, of(s)->model->events[k].trigger, 0, &may));
        b->jumps[k] = (unsigned char)may;
    }
    return MECH_OK;
}

static mech_status bound_motion(const mech_system *s, system_bounds *b)
{
    const program *p = of(s)->motion;
    const uint32_t end = p->stage_start[STAGE_EVENT + 1];
    const size_t events = s->parts[SECTION_TRIGGER].count, slips = s->parts[SECTION_SLIP].count;
    want_list all = {0}, chosen = {0};
    unsigned char *uses = NULL;
    want_switches(&all, p, STAGE_CONSTRAINT,
                  STAGE_REACTION); /* they come before the end, where the others are looked at */
    const size_t switches = all.count;
    bounds_add_section(&all, s, SECTION_TRIGGER, NULL, end);
    bounds_add_section(&all, s, SECTION_SLIP, NULL, end);
    /* what looks at the solution is not known */
    mech_status status = all.lacks_memory
                             ? MECH_ERR_MEMORY
                             : bounds_list_users(s, all.items, all.count, s->in.lambda, s->in.count, &b->memory, &uses);
    for (size_t k = 0; k < all.count && status == MECH_OK; k++)
        if (!uses[k]) add_want(&chosen, all.items[k]);
    if (chosen.lacks_memory) status = MECH_ERR_MEMORY;
    if (status == MECH_OK) status = bounds_create(p, chosen.items, chosen.count, &b->motion);
    if (status == MECH_OK) status = find_moves(s, all.items, switches, b);
    if (status == MECH_OK) status = find_answers(s, all.items + switches, b);
    if (status == MECH_OK) status = find_jumps(s, b);
    uint32_t next = 0;
    for (size_t k = 0; k < all.count && status == MECH_OK; k++) {
        const size_t to = k < switches ? events + slips + k : k - switches;
        b->known[to] = !uses[k];
        if (b->known[to]) b->want[to] = next++;
    }
    mem_free(all.items);
    mem_free(chosen.items);
    return status;
}

static mech_status bound_signals(const mech_system *s, system_bounds *b)
{
    const program *p = of(s)->signals;
    want_list all = {0};
    want_switches(&all, p, 1, 1);
    const size_t switches = all.count;
    bounds_add_outputs(&all, p);
    const mech_status status = all.lacks_memory ? MECH_ERR_MEMORY : bounds_create(p, all.items, all.count, &b->signals);
    for (size_t k = 0; k < switches && status == MECH_OK; k++) {
        b->known[b->first_of_signals + k] = 1;
        b->want[b->first_of_signals + k] = (uint32_t)k;
    }
    mem_free(all.items);
    return status;
}

unsigned char *bounds_list_kinds(const mech_system *s, arena *memory)
{
    const system_inputs *in = &s->in;
    unsigned char *kind = arena_zeroed(memory, in->count, 1);
    for (size_t k = 0; kind && k < in->count; k++) {
        const int is_clock = k == in->t || (k >= in->u && k < in->active),
                  is_fixed = k < in->t || (k >= in->active && k < in->q);
        kind[k] = is_clock ? 1 : is_fixed ? 0 : 2;
    }
    return kind;
}

/* Do time or inputs stand anywhere? */
static int has_clock(const system_compiled *c)
{
    unsigned classes = 0;
    for (size_t k = 0; k < c->equation.count; k++)
        if (c->equation.items[k].value.id) classes |= expr_classes(c->model->pool, c->equation.items[k].value);
    return (classes & (EXPR_TIME | EXPR_INPUT)) != 0;
}

static mech_status bound_clock(const mech_system *s, system_bounds *b)
{
    const program *p = of(s)->motion;
    if (!has_clock(of(s))) return MECH_OK;
    unsigned char *kind = bounds_list_kinds(s, &b->memory);
    bounds_want *wants = NULL;
    if (!kind) return MECH_ERR_MEMORY;
    const uint32_t equation = (uint32_t)s->parts[SECTION_TRIGGER].first - p->output_first;
    mech_status status = bounds_find_clock(p, kind, p->stage_start[STAGE_EVENT + 1], equation, &wants, &b->clock_count);
    if (status == MECH_OK) status = bounds_create(p, wants, b->clock_count, &b->clock);
    mem_free(wants);
    return status;
}

static mech_status list_states(const mech_system *s, system_bounds *b)
{
    const size_t n = s->sizes.coords;
    b->state = arena_zeroed(&b->memory, b->motion->input_count, sizeof *b->state);
    if (!b->state) return MECH_ERR_MEMORY;
    for (size_t k = 0; k < b->motion->input_count; k++) {
        const size_t slot = b->motion->input[k];
        if (slot >= s->in.q && slot < s->in.q + n) b->state[b->state_count++] = (uint32_t)(slot - s->in.q);
        else if (slot >= s->in.v && slot < s->in.v + n) b->state[b->state_count++] = (uint32_t)(n + slot - s->in.v);
        else if (slot >= s->in.z && slot < s->in.z + s->sizes.states)
            b->state[b->state_count++] = (uint32_t)(2 * n + slot - s->in.z);
    }
    return MECH_OK;
}

mech_status system_bounds_create(mech_system *s, system_bounds **result)
{
    const size_t of_motion = s->parts[SECTION_TRIGGER].count + s->parts[SECTION_SLIP].count;
    *result = NULL;
    system_bounds *b = mem_zeroed(1, sizeof *b);
    if (!b) return MECH_ERR_MEMORY;
    b->count = of_motion + mech_system_switch_count(s);
    b->first_of_signals = b->count - program_switch_count(of(s)->signals, 1);
    b->known = arena_zeroed(&b->memory, b->count, 1);
    b->want = arena_zeroed(&b->memory, b->count, sizeof *b->want);
    mech_status status = arena_status(&b->memory);
    if (status == MECH_OK) status = bound_motion(s, b);
    if (status == MECH_OK) status = bound_signals(s, b);
    if (status == MECH_OK) status = list_states(s, b);
    if (status == MECH_OK) status = bound_clock(s, b);
    int has_swift = 0;
    for (int k = 0; k < SWIFT_USES && status == MECH_OK; k++) {
        status = system_swift_create(s, (swift_use)k, b->known, &b->swift[k]);
        has_swift |= b->swift[k] != NULL;
    }
    if (status == MECH_OK) status = system_spikes_create(s, &b->spikes);
    if (status == MECH_OK && (b->count + b->clock_count || has_swift || b->spikes)) *result = b;
    else system_bounds_free(b);
    return status;
}

void system_bounds_free(system_bounds *b)
{
    if (!b) return;
    bounds_free(b->motion);
    bounds_free(b->signals);
    bounds_free(b->clock);
    for (int k = 0; k < SWIFT_USES; k++) system_swift_free(b->swift[k]);
    system_spikes_free(b->spikes);
    arena_free(&b->memory);
    mem_free(b);
}

switch_driver system_switch_driver(const mech_system *s, size_t index)
{
    const system_bounds *b = system_bounds_get(s);
    if (!b) return SWITCH_BY_MOTION;
    if (index >= b->move_count) return SWITCH_BY_CLOCK; /* of a signal */
    return b->moves[index] ? SWITCH_BY_MOTION : b->states[index] ? SWITCH_BY_STATES : SWITCH_BY_CLOCK;
}

const system_swift *system_swift_get(const mech_system *s, swift_use use)
{
    const system_bounds *b = system_bounds_get(s);
    return b ? b->swift[use] : NULL;
}

const system_spikes *system_spikes_get(const mech_system *s)
{
    const system_bounds *b = system_bounds_get(s);
    return b ? b->spikes : NULL;
}

int system_trigger_answers(const mech_system *s, size_t event)
{
    const system_bounds *b = system_bounds_get(s);
    return b && b->answers[event];
}

int system_trigger_may_jump(const mech_system *s, size_t event)
{
    const system_bounds *b = system_bounds_get(s);
    return !b || b->jumps[event];
}

size_t system_bounds_count(const system_bounds *b) { return b->count; }
const unsigned char *system_bounds_known(const system_bounds *b) { return b->known; }

const uint32_t *system_bounds_states(const system_bounds *b, size_t *count)
{
    *count = b->state_count;
    return b->state;
}

size_t system_bounds_room(const system_bounds *b) { return b->motion->slot_count + b->signals->slot_count; }

/* An input by points: steps end at each point, so that it is a straight line here. */
static bound of_table(const points_table *table, double from, double to, int derivative)
{
    double u[2], rate[2];
    table_at(table, from, &u[0], &rate[0]);
    table_at(table, to, &u[1], &rate[1]);
    const double *ends = derivative == 0 ? u : rate, zero[2] = {0, 0}, *slopes = derivative == 0 ? rate : zero;
    if (derivative == 2) return bound_of(0);
    return (bound){ends[0] < ends[1] ? ends[0] : ends[1], ends[0] < ends[1] ? ends[1] : ends[0],
                   slopes[0] < slopes[1] ? slopes[0] : slopes[1], slopes[0] < slopes[1] ? slopes[1] : slopes[0]};
}

/* Input number i, or one of its two derivatives. */
static bound of_input(const mech_eval *e, const system_bounds *b, const bound *signals, size_t i, int derivative,
                      double from, double to)
{
    const mech_system *s = e->system;
    const size_t places[3] = {s->in.u, s->in.u_dot, s->in.u_ddot};
    if (e->input_is_set[i]) return bound_of(e->slots[places[derivative] + i]);
    if (of(s)->tables[i].count) return of_table(&of(s)->tables[i], from, to, derivative);
    const size_t switches = b->count - b->first_of_signals;
    return signals[b->signals->result[switches + 3 * i + (size_t)derivative]];
}

static void run_signals(const mech_eval *e, const system_bounds *b, bound t, bound *signals)
{
    const mech_system *s = e->system;
    bounds_reset(b->signals, signals);
    for (size_t k = 0; k < b->signals->input_count; k++)
        signals[k] = b->signals->input[k] < s->sizes.params ? bound_of(e->slots[s->in.p + b->signals->input[k]]) : t;
    bounds_run(b->signals, signals);
}

/* Inputs of a part of the motion. y: of the states it reads, in order. */
static void place_inputs(const mech_eval *e, const system_bounds *b, const bounds_program *part, bound t,
                         const bound *y, const bound *signals, bound *slots)
{
    const mech_system *s = e->system;
    const system_inputs *in = &s->in;
    const size_t inputs = s->sizes.inputs;
    bounds_reset(part, slots);
    for (size_t k = 0, next = 0; k < part->input_count; k++) {
        const size_t slot = part->input[k];
        const int is_state = (slot >= in->q && slot < in->lambda) || (slot >= in->z && slot < in->u);
        if (slot == in->t) slots[k] = t;
        else if (is_state) slots[k] = y[next++];
        else if (slot >= in->u && slot < in->active)
            slots[k] = of_input(e, b, signals, (slot - in->u) % inputs, (int)((slot - in->u) / inputs), t.low, t.high);
        else slots[k] = bound_of(e->slots[slot]); /* parameters, and which rows are in force */
    }
}

static void run_part(const mech_eval *e, const system_bounds *b, const bounds_program *part, bound t, const bound *y,
                     const bound *signals, bound *slots)
{
    place_inputs(e, b, part, t, y, signals, slots);
    bounds_run(part, slots);
}

void system_bounds_over(const mech_eval *e, double from, double to, const bound *y, bound *room, bound *result)
{
    const system_bounds *b = of(e->system)->bounds;
    bound *motion = room, *signals = room + b->motion->slot_count;
    const bound t = {from, to, 1, 1};
    run_signals(e, b, t, signals);
    run_part(e, b, b->motion, t, y, signals, motion);
    for (size_t k = 0; k < b->count; k++)
        if (b->known[k])
            result[k] = k < b->first_of_signals ? motion[b->motion->result[b->want[k]]]
                                                : signals[b->signals->result[b->want[k]]];
}

size_t system_spikes_room(const mech_system *s)
{
    const system_bounds *b = of(s)->bounds;
    return system_spikes_part(b->spikes)->slot_count + b->signals->slot_count;
}

void system_spikes_over(const mech_eval *e, double from, double to, const bound *y, int with_slopes, bound *room)
{
    const system_bounds *b = of(e->system)->bounds;
    const bounds_program *part = system_spikes_part(b->spikes);
    const bound t = {from, to, 1, 1};
    if (e->system->sizes.inputs) run_signals(e, b, t, room + part->slot_count);
    place_inputs(e, b, part, t, y, room + part->slot_count, room);
    (with_slopes ? bounds_run : bounds_run_values)(part, room);
}

size_t system_clock_count(const system_bounds *b) { return b->clock_count; }
size_t system_clock_room(const system_bounds *b) { return b->clock->slot_count + b->signals->slot_count; }

void system_clock_over(const mech_eval *e, double from, double to, bound *room, bound *result)
{
    const system_bounds *b = of(e->system)->bounds;
    bound *clock = room, *signals = room + b->clock->slot_count;
    const bound t = {from, to, 1, 1};
    run_signals(e, b, t, signals);
    run_part(e, b, b->clock, t, NULL, signals, clock);
    for (size_t k = 0; k < b->clock_count; k++) result[k] = clock[b->clock->result[k]];
}

const system_bounds *system_bounds_get(const mech_system *s) { return s->compiled ? of(s)->bounds : NULL; }
