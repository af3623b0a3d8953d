/* Functions with a scale of their own: where they stand in a program, and what is a short way for their arguments. */
#include "compile/swift.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

/* ---- where they stand ---- */

static void add(swift_list *l, uint32_t op, bounds_want w)
{
    if (!mem_grow(&l->wants, &l->want_capacity, l->count + 1, sizeof *l->wants) ||
        !mem_grow(&l->op, &l->op_capacity, l->count + 1, sizeof *l->op)) {
        l->lacks_memory = 1;
        return;
    }
    l->op[l->count] = op;
    l->wants[l->count++] = w;
}

/* What of instruction `at` is to be looked at. moves: (slots) is it of a kind that counts? */
static void add_instruction(swift_list *l, const program *p, uint32_t at, const unsigned char *moves)
{
    const program_instruction *i = &p->code[at];
    const bounds_want first = {at, i->a, BOUNDS_NOTHING}, second = {at, i->b, BOUNDS_NOTHING};
    switch (i->op) {
    case PROGRAM_SIN:
    case PROGRAM_COS:
    case PROGRAM_SINCOS:
    case PROGRAM_CALL + MECH_FUNCTION_SIN:
    case PROGRAM_CALL + MECH_FUNCTION_COS:
    case PROGRAM_CALL + MECH_FUNCTION_TAN:
    case PROGRAM_CALL + MECH_FUNCTION_SINH:
    case PROGRAM_CALL + MECH_FUNCTION_COSH:
    case PROGRAM_CALL + MECH_FUNCTION_TANH:
    case PROGRAM_CALL + MECH_FUNCTION_ATAN:
    case PROGRAM_CALL + MECH_FUNCTION_EXP:
    case PROGRAM_CALL + MECH_FUNCTION_LOG:
        if (moves[i->a]) add(l, i->op, first);
        break;
    case PROGRAM_DIV:
        if (moves[i->b]) add(l, i->op, second);
        break;
    case PROGRAM_POW:
    case PROGRAM_CALL + MECH_FUNCTION_POW:
        if (!moves[i->a] && !moves[i->b]) break;
        add(l, PROGRAM_POW, first);
        add(l, PROGRAM_COPY, second);
        break;
    case PROGRAM_CALL + MECH_FUNCTION_ATAN2:
        if (moves[i->a] || moves[i->b]) add(l, i->op, (bounds_want){at + 1, i->out, BOUNDS_NOTHING});
        break;
    default: break;
    }
}

static void add_kink(swift_list *l, const program *p, uint32_t at, const unsigned char *moves)
{
    bounds_want w = {.at = at};
    if (!p->switch_count || !program_switch_at(p, at, &w.plus, &w.minus)) return;
    const int has_minus = w.minus != PROGRAM_NOTHING && w.minus != PROGRAM_WHOLE;
    if (moves[w.plus] || (has_minus && moves[w.minus])) add(l, SWIFT_KINK, w);
}

mech_status swift_find(const program *p, const bounds_want *of, size_t of_count, const unsigned char *kind, int least,
                       uint32_t kinks_from, swift_list *list)
{
    *list = (swift_list){0};
    if (!of_count) return MECH_OK;
    const uint32_t end = of[of_count - 1].at;
    unsigned char *needed = mem_zeroed(p->slot_count + 1, 1), *runs = mem_zeroed(end + 1, 1),
                  *moves = mem_zeroed(p->slot_count + 1, 1);
    const int has_room = needed && runs && moves;
    if (has_room) {
        bounds_find_needed(p, of, of_count, needed, runs);
        for (uint32_t k = 0; k < p->input_count; k++) moves[k] = kind[k] >= least;
    }
    for (uint32_t at = 0; has_room && at < end; at++) {
        const program_instruction *i = &p->code[at];
        const uint32_t *read = &i->a;
        const int arity = program_arity(i->op);
        unsigned char some = 0;
        if (runs[at]) add_instruction(list, p, at, moves);
        if (runs[at] && at >= kinks_from) add_kink(list, p, at, moves);
        for (int k = 0; k < arity; k++) some |= moves[read[k]];
        moves[i->out] = some;
        if (i->op == PROGRAM_SINCOS) moves[i->b] = some;
    }
    mem_free(needed);
    mem_free(runs);
    mem_free(moves);
    if (has_room && !list->lacks_memory) return MECH_OK;
    swift_list_free(list);
    return MECH_ERR_MEMORY;
}

void swift_list_free(swift_list *list)
{
    mem_free(list->wants);
    mem_free(list->op);
    *list = (swift_list){0};
}

/* ---- a short way ---- */

static const double most_width = 2, most_value = 1.5; /* of an argument, of the value of atan2 */
static const double most_ratio = 4, most_growth = 4;  /* of a divisor; of the logarithm of a power */
static const double most_tame = 4;                    /* powers up to this have no scale */

/* How near 0 it comes, and how far from it. */
static double near_of(const bound *a) { return a->low > 0 ? a->low : a->high < 0 ? -a->high : 0; }
static double far_of(const bound *a) { return -a->low > a->high ? -a->low : a->high; }

/* slack: so many times as far is allowed. */
static int is_short_power(const bound *a, const bound *n, double slack)
{
    const double near = near_of(a), far = far_of(a), most = far_of(n);
    if (n->low >= 0 && n->high <= most_tame) return 1;
    if (!isfinite(most)) return 1;
    if (n->low < 0) return near > 0 && most * log(far / near) <= log(slack * most_ratio);
    if (pow(far, n->low) <= 1e-12 && far < 1) return 1; /* nothing, beside what it is at 1 */
    return near > 0 && most * log(far / near) <= slack * most_growth;
}

static int is_short(uint32_t op, const bound *a, const bound *exponent, double slack)
{
    const double width = a->high - a->low, most = slack * most_width;
    if (!isfinite(width)) return 1;
    switch (op) {
    case PROGRAM_CALL + MECH_FUNCTION_EXP: return width <= most || a->high < -150;   /* e^-150 is 1e-65 */
    case PROGRAM_CALL + MECH_FUNCTION_TANH: return width <= most || near_of(a) > 19; /* 1 to rounding */
    case PROGRAM_CALL + MECH_FUNCTION_ATAN: return width <= most || width <= slack * near_of(a);
    case PROGRAM_DIV:
    case PROGRAM_CALL + MECH_FUNCTION_LOG: return far_of(a) <= slack * most_ratio * near_of(a);
    case PROGRAM_POW: return is_short_power(a, exponent, slack);
    case PROGRAM_CALL + MECH_FUNCTION_ATAN2: return width <= most_value || !isfinite(a->slope_high - a->slope_low);
    case SWIFT_KINK: return near_of(a) > 0 || a->slope_low > 0 || a->slope_high < 0 || width == 0;
    case PROGRAM_COPY: return 1;
    default: return width <= most;
    }
}

int swift_is_short(uint32_t op, const bound *a, const bound *exponent) { return is_short(op, a, exponent, 1); }

/* ---- spikes ---- */

/* 1: the farther an argument is from 0, the higher; -1: the nearer; 0: the larger it is. */
static int reach_of(uint32_t op, const bound *exponent)
{
    switch (op) {
    case PROGRAM_CALL + MECH_FUNCTION_EXP: return 0;
    case PROGRAM_CALL + MECH_FUNCTION_SINH:
    case PROGRAM_CALL + MECH_FUNCTION_COSH: return 1;
    case PROGRAM_POW: return exponent->low < 0 ? -1 : 1;
    default: return -1;
    }
}

static double height_of(uint32_t op, const bound *a, const bound *exponent)
{
    const double near = near_of(a), far = far_of(a);
    switch (op) {
    case PROGRAM_CALL + MECH_FUNCTION_EXP: return a->high;
    case PROGRAM_CALL + MECH_FUNCTION_SINH:
    case PROGRAM_CALL + MECH_FUNCTION_COSH: return far;
    case PROGRAM_CALL + MECH_FUNCTION_TANH: return near > 19 ? -HUGE_VAL : -2 * near; /* of their slopes */
    case PROGRAM_CALL + MECH_FUNCTION_ATAN: return -2 * log(hypot(1, near));
    case PROGRAM_DIV: return -log(near);
    case PROGRAM_POW:
        if (!isfinite(far_of(exponent))) return -HUGE_VAL;
        if (exponent->low < 0) return exponent->low * log(near);
        return exponent->high > most_tame ? exponent->high * log(far) : -HUGE_VAL;
    default: return -HUGE_VAL;
    }
}

/* Where an argument came from was asked; or it is nothing, as in swift_is_short. */
static int is_nothing(uint32_t op, const bound *a, const bound *exponent)
{
    return (!isfinite(a->low) && !isfinite(a->high)) || height_of(op, a, exponent) < -150;
}

swift_spike swift_spike_of(uint32_t op, const bound *a, const bound *exponent)
{
    const int reach = reach_of(op, exponent), side = reach == 0 || a->low > 0 ? 1 : a->high < 0 ? -1 : 0;
    const int way = side * (reach < 0 ? -1 : 1);
    if (is_nothing(op, a, exponent)) return SWIFT_NO_SPIKE;
    if (exponent && (exponent->slope_low != 0 || exponent->slope_high != 0)) return SWIFT_TOP;
    if (way * a->slope_low > 0 && way * a->slope_high > 0) return SWIFT_RISES;
    return way * a->slope_low < 0 && way * a->slope_high < 0 ? SWIFT_FALLS : SWIFT_TOP;
}

int swift_is_within(uint32_t op, const bound *a, const bound *exponent, double slack)
{
    return isfinite(a->high - a->low) && is_short(op, a, exponent, slack);
}
