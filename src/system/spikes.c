/* Functions that may be spikes along the motion. */
#include "system/spikes.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"
#include "system/compiled.h"
#include "system/swift.h"

#include <math.h>

struct system_spikes {
    bounds_program *cut;
    uint32_t *op, *at; /* (count) as swift_list has them; where in the program */
    size_t count;
    uint32_t *state; /* (state_count) */
    size_t state_count;
    int reads_clock; /* or inputs */
    int reads_rates; /* states, of whose inside the ends of a step tell nothing */
};

static int may_be_spike(uint32_t op)
{
    switch (op) {
    case PROGRAM_CALL + MECH_FUNCTION_EXP:
    case PROGRAM_CALL + MECH_FUNCTION_SINH:
    case PROGRAM_CALL + MECH_FUNCTION_COSH:
    case PROGRAM_CALL + MECH_FUNCTION_TANH:
    case PROGRAM_CALL + MECH_FUNCTION_ATAN:
    case PROGRAM_DIV:
    case PROGRAM_POW:
    case PROGRAM_COPY: return 1; /* an exponent */
    default: return 0;
    }
}

static mech_status list_inputs(const mech_system *s, system_spikes *w)
{
    const size_t n = s->sizes.coords;
    const system_inputs *in = &s->in;
    w->state = mem_alloc((w->cut->input_count + 1) * sizeof *w->state);
    if (!w->state) return MECH_ERR_MEMORY;
    for (size_t k = 0; k < w->cut->input_count; k++) {
        const size_t slot = w->cut->input[k];
        w->reads_clock |= slot == in->t || (slot >= in->u && slot < in->active);
        w->reads_rates |= slot >= in->z && slot < in->u;
        if (slot >= in->q && slot < in->lambda) w->state[w->state_count++] = (uint32_t)(slot - in->q);
        else if (slot >= in->z && slot < in->u) w->state[w->state_count++] = (uint32_t)(2 * n + slot - in->z);
    }
    return MECH_OK;
}

static mech_status make(const mech_system *s, swift_list *found, system_spikes *w)
{
    MECH_TRY(bounds_create(s->compiled->motion, found->wants, found->count, &w->cut));
    w->at = mem_alloc((found->count + 1) * sizeof *w->at);
    if (!w->at) return MECH_ERR_MEMORY;
    for (size_t k = 0; k < found->count; k++) w->at[k] = found->wants[k].at;
    w->count = found->count;
    w->op = found->op;
    found->op = NULL;
    return list_inputs(s, w);
}

mech_status system_spikes_create(const mech_system *s, system_spikes **result)
{
    swift_list found;
    size_t kept = 0;
    *result = NULL;
    MECH_TRY(system_swift_equation(s, &found));
    for (size_t k = 0; k < found.count; k++) {
        if (!may_be_spike(found.op[k])) continue;
        found.op[kept] = found.op[k];
        found.wants[kept++] = found.wants[k];
    }
    found.count = kept;
    system_spikes *w = kept ? mem_zeroed(1, sizeof *w) : NULL;
    const mech_status status = !kept ? MECH_OK : w ? make(s, &found, w) : MECH_ERR_MEMORY;
    swift_list_free(&found);
    if (status == MECH_OK) *result = w;
    else system_spikes_free(w);
    return status;
}

void system_spikes_free(system_spikes *w)
{
    if (!w) return;
    bounds_free(w->cut);
    mem_free(w->op);
    mem_free(w->at);
    mem_free(w->state);
    mem_free(w);
}

const bounds_program *system_spikes_part(const system_spikes *w) { return w->cut; }
size_t system_spikes_count(const system_spikes *w) { return w->count; }

const uint32_t *system_spikes_states(const system_spikes *w, size_t *count)
{
    *count = w->state_count;
    return w->state;
}

int system_spikes_need_inside(const mech_system *s)
{
    const system_spikes *w = system_spikes_get(s);
    return w && w->reads_rates;
}

/* ---- a stretch ---- */

static const bound *range_of(const system_spikes *w, const bound *room, size_t k) { return &room[w->cut->result[k]]; }

static const bound *exponent_of(const system_spikes *w, const bound *room, size_t k)
{
    return w->op[k] == PROGRAM_POW ? range_of(w, room, k + 1) : NULL;
}

static int is_within(const system_spikes *w, const bound *room, size_t k, double slack)
{
    return swift_is_within(w->op[k], range_of(w, room, k), exponent_of(w, room, k), slack);
}

spikes_verdict system_spikes_judge(const system_spikes *w, const bound *room, int is_last, size_t *which)
{
    spikes_verdict worst = SPIKES_NONE;
    for (size_t k = 0; k < w->count; k++) {
        if (w->op[k] == PROGRAM_COPY) continue;
        const swift_spike spike = swift_spike_of(w->op[k], range_of(w, room, k), exponent_of(w, room, k));
        if (spike != SWIFT_TOP && !(spike == SWIFT_RISES && is_last)) continue;
        const spikes_verdict v = is_within(w, room, k, 1)                             ? SPIKES_WITHIN
                                 : w->op[k] == PROGRAM_DIV || w->op[k] == PROGRAM_POW ? SPIKES_NEAR
                                                                                      : SPIKES_FAR;
        if (v <= worst) continue;
        worst = v;
        *which = k;
    }
    return worst;
}

/* ---- a step, by its ends ---- */

/* A spike that is narrower than a quarter of the step has arguments go at least that much farther in the whole: its
   flanks are parabolas, or steeper. */
static const double STEP_SLACK = 3;

static int all_are_within(const system_spikes *w, const bound *room)
{
    for (size_t k = 0; k < w->count; k++)
        if (!is_within(w, room, k, STEP_SLACK)) return 0;
    return 1;
}

void system_spikes_leave(const system_spikes *w, spikes_box *box)
{
    for (size_t k = 0; k < w->state_count; k++) box->low[k] = HUGE_VAL, box->high[k] = -HUGE_VAL;
    box->more = 8;
}

typedef struct step {
    double t0, t1;
    const double *y0, *y1;
    size_t stride;
} step;

/* Coefficients of a polynomial (count), and those of its slope, and a little more. */
static bound hull(const double *x, int count, const double *slope, double more)
{
    bound b = {x[0], x[0], slope[0], slope[0]};
    for (int i = 1; i < count; i++) {
        b.low = x[i] < b.low ? x[i] : b.low;
        b.high = x[i] > b.high ? x[i] : b.high;
    }
    for (int i = 1; i + 1 < count; i++) {
        b.slope_low = slope[i] < b.slope_low ? slope[i] : b.slope_low;
        b.slope_high = slope[i] > b.slope_high ? slope[i] : b.slope_high;
    }
    const double width = more * (b.high - b.low), change = 2 * more * (b.slope_high - b.slope_low);
    return (bound){b.low - width, b.high + width, b.slope_low - change, b.slope_high + change};
}

/* By the cubic through positions and velocities at the ends, and its slope. *middle: in the middle of the step. */
static bound over_step(const mech_system *s, const step *x, size_t i, double *middle)
{
    const size_t n = s->sizes.coords, q = (i < n ? i : i - n) * x->stride, v = q + n * x->stride;
    const double q0 = x->y0[q], q1 = x->y1[q], v0 = x->y0[v], v1 = x->y1[v], h = x->t1 - x->t0;
    const double most = 3 * (q1 - q0) / h - v0 - v1;
    const double place[] = {q0, q0 + h * v0 / 3, q1 - h * v1 / 3, q1}, speed[] = {v0, most, v1},
                 change[] = {2 * (most - v0) / h, 2 * (v1 - most) / h};
    *middle = i < n ? (q0 + q1) / 2 + h * (v0 - v1) / 8 : (v0 + 2 * most + v1) / 4;
    return i < n ? hull(place, 4, speed, 0.125) : hull(speed, 3, change, 0.25);
}

static void bound_step(const mech_eval *e, const system_spikes *w, const step *x, bound *y)
{
    double middle;
    for (size_t k = 0; k < w->state_count; k++) y[k] = over_step(e->system, x, w->state[k], &middle);
}

static int is_in_box(const system_spikes *w, const spikes_box *box, const bound *y)
{
    for (size_t k = 0; k < w->state_count; k++)
        if (!(y[k].low >= box->low[k] && y[k].high <= box->high[k])) return 0;
    return 1;
}

/* Wider than the step, as far as arguments allow; where they did not, not at every step. */
static void make_box(const mech_eval *e, const system_spikes *w, spikes_box *box, bound *y, bound *room)
{
    if (box->more < 1) {
        box->more *= 1.25;
        return;
    }
    for (size_t k = 0; k < w->state_count; k++) {
        const double more = box->more * (y[k].high - y[k].low);
        y[k].low -= more;
        y[k].high += more;
    }
    system_spikes_over(e, 0, 0, y, 0, room);
    const int is_tame = all_are_within(w, room);
    box->more = is_tame ? fmin(2 * box->more, 64) : fmin(box->more / 2, 0.25);
    for (size_t k = 0; is_tame && k < w->state_count; k++) box->low[k] = y[k].low, box->high[k] = y[k].high;
}

/* With slopes: each argument is what it is in the middle and what its slope adds. */
static void look_closer(const mech_eval *e, const system_spikes *w, const step *x, double *middle, bound *y,
                        bound *room)
{
    const double h = x->t1 - x->t0, t = x->t0 + h / 2;
    for (size_t k = 0; k < w->state_count; k++) {
        double value;
        (void)over_step(e->system, x, w->state[k], &value);
        y[k] = bound_of(value);
    }
    system_spikes_over(e, t, t, y, 0, room);
    for (size_t k = 0; k < w->count; k++) middle[k] = range_of(w, room, k)->low;
    bound_step(e, w, x, y);
    system_spikes_over(e, x->t0, x->t1, y, 1, room);
    for (size_t k = 0; k < w->count; k++) {
        bound *a = &room[w->cut->result[k]];
        const double most = 0.625 * h * fmax(-a->slope_low, a->slope_high);
        if (!isfinite(most) || !isfinite(middle[k])) continue;
        a->low = fmax(a->low, middle[k] - most);
        a->high = fmin(a->high, middle[k] + most);
    }
}

int system_spikes_may_hide(const mech_eval *e, double t0, const double *y0, double t1, const double *y1, size_t stride,
                           spikes_box *box, bound *y, bound *room)
{
    const system_spikes *w = system_spikes_get(e->system);
    const step x = {t0, t1, y0, y1, stride};
    size_t which;
    if (w->reads_rates) return 1;
    bound_step(e, w, &x, y);
    if (!w->reads_clock && is_in_box(w, box, y)) return 0;
    system_spikes_over(e, t0, t1, y, 0, room);
    if (!all_are_within(w, room)) {
        look_closer(e, w, &x, box->middle, y, room);
        return !all_are_within(w, room) && system_spikes_judge(w, room, 1, &which) > SPIKES_WITHIN;
    }
    if (!w->reads_clock) make_box(e, w, box, y, room);
    return 0;
}

/* ---- its name ---- */

/* The first part of the equation that the value of this instruction goes into. */
char *system_spikes_name(const mech_system *s, size_t k)
{
    static const system_section sections[] = {SECTION_Q, SECTION_RATE, SECTION_M, SECTION_B,
                                              SECTION_A, SECTION_C,    SECTION_MU};
    const program *p = s->compiled->motion;
    const uint32_t at = system_spikes_get(s)->at[k];
    unsigned char *from = mem_zeroed(p->slot_count + 1, 1);
    size_t found = SIZE_MAX;
    textbuf text = {0};
    if (!from) return NULL;
    for (uint32_t i = at; i < p->stage_start[STAGE_EVENT]; i++) {
        const program_instruction *x = &p->code[i];
        const uint32_t *read = &x->a;
        unsigned char some = i == at;
        for (int j = 0; j < program_arity(x->op); j++) some |= from[read[j]];
        from[x->out] = some;
        if (x->op == PROGRAM_SINCOS) from[x->b] = some;
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections && found == SIZE_MAX; i++)
        for (size_t j = 0; j < s->parts[sections[i]].count && found == SIZE_MAX; j++)
            if (from[s->parts[sections[i]].first + j]) found = s->parts[sections[i]].first + j;
    mem_free(from);
    if (found == SIZE_MAX) text_add(&text, "the equation");
    else system_describe_slot(s, found, &text);
    return text_take(&text);
}
