/* The part of a program that is bounded, cut out of its code. */
#include "compile/bounds.h"

#include "base/mem.h"

#include <string.h>

enum { NOT_NEEDED = 0, NEEDED = 1 };

/* What comes after the last wanted value is nobody's. */
static uint32_t last_place(const bounds_want *wants, size_t count) { return count ? wants[count - 1].at : 0; }

static int has_minus(const bounds_want *w) { return w->minus != BOUNDS_NOTHING && w->minus != PROGRAM_WHOLE; }

int bounds_find_users(const program *p, const bounds_want *wants, size_t count, const unsigned char *marked,
                      unsigned char *uses)
{
    const uint32_t end = last_place(wants, count);
    size_t next = 0;
    if (!count) return 1;
    unsigned char *does = mem_zeroed(p->slot_count + 1, 1);
    if (!does) return 0;
    memcpy(does, marked, p->input_count);
    for (uint32_t at = 0; at <= end; at++) {
        for (; next < count && wants[next].at == at; next++)
            uses[next] = does[wants[next].plus] || (has_minus(&wants[next]) && does[wants[next].minus]);
        if (at == end) break;
        const program_instruction *i = &p->code[at];
        const uint32_t *read = &i->a;
        const int arity = program_arity(i->op);
        unsigned char some = 0;
        for (int k = 0; k < arity; k++) some |= does[read[k]];
        does[i->out] = some;
        if (i->op == PROGRAM_SINCOS) does[i->b] = some;
    }
    mem_free(does);
    return 1;
}

typedef struct clock_list {
    bounds_want *items;
    size_t count, capacity;
    int lacks_memory;
} clock_list;

/* Once for each value that a slot has. */
static void list_clock(clock_list *l, unsigned char *kind, uint32_t slot, uint32_t at)
{
    enum { CLOCK = 1, LISTED = 4 };
    if (kind[slot] != CLOCK) return;
    kind[slot] |= LISTED;
    if (!mem_grow(&l->items, &l->capacity, l->count + 1, sizeof *l->items)) l->lacks_memory = 1;
    else l->items[l->count++] = (bounds_want){at, slot, BOUNDS_NOTHING};
}

mech_status bounds_find_clock(const program *p, const unsigned char *kind, uint32_t end, uint32_t output_count,
                              bounds_want **wants, size_t *count)
{
    enum { KINDS = 3 };
    clock_list l = {0};
    unsigned char *is = mem_zeroed(p->slot_count + 1, 1);
    if (!is) return MECH_ERR_MEMORY;
    memcpy(is, kind, p->input_count);
    for (uint32_t at = 0; at < end; at++) {
        const program_instruction *i = &p->code[at];
        const uint32_t *read = &i->a;
        const int arity = program_arity(i->op);
        unsigned char mixed = 0;
        for (int k = 0; k < arity; k++) mixed |= is[read[k]] & KINDS;
        for (int k = 0; k < arity && mixed > 1; k++) list_clock(&l, is, read[k], at);
        is[i->out] = mixed > 1 ? 2 : mixed;
        if (i->op == PROGRAM_SINCOS) is[i->b] = is[i->out];
    }
    for (uint32_t k = 0; k < output_count; k++) list_clock(&l, is, p->output_first + k, end);
    mem_free(is);
    if (l.lacks_memory) {
        mem_free(l.items);
        return MECH_ERR_MEMORY;
    }
    *wants = l.items;
    *count = l.count;
    return MECH_OK;
}

void bounds_find_needed(const program *p, const bounds_want *wants, size_t count, unsigned char *needed,
                        unsigned char *runs)
{
    size_t next = count;
    for (uint32_t at = last_place(wants, count);; at--) {
        for (; next > 0 && wants[next - 1].at == at; next--) {
            needed[wants[next - 1].plus] = NEEDED;
            if (has_minus(&wants[next - 1])) needed[wants[next - 1].minus] = NEEDED;
        }
        if (at == 0) break;
        const program_instruction *i = &p->code[at - 1];
        const int is_pair = i->op == PROGRAM_SINCOS;
        runs[at - 1] = needed[i->out] || (is_pair && needed[i->b]);
        if (!runs[at - 1]) continue;
        const uint32_t *read = &i->a;
        const int arity = program_arity(i->op);
        needed[i->out] = NOT_NEEDED;
        if (is_pair) needed[i->b] = NOT_NEEDED;
        for (int k = 0; k < arity; k++) needed[read[k]] = NEEDED;
    }
}

typedef struct cut { /* a program being cut out */
    const program *p;
    bounds_program *b;
    uint32_t *place; /* (slots of p) where each stands in b; UINT32_MAX: not yet */
} cut;

static uint32_t place_of(cut *c, uint32_t slot)
{
    if (c->place[slot] == UINT32_MAX) c->place[slot] = (uint32_t)c->b->slot_count++;
    return c->place[slot];
}

static void place_start(cut *c, const unsigned char *needed)
{
    const program *p = c->p;
    for (uint32_t k = 0; k < p->input_count; k++) {
        if (!needed[k]) continue;
        c->b->input[c->b->input_count++] = k;
        (void)place_of(c, k);
    }
    for (uint32_t k = p->input_count; k < p->slot_count; k++) {
        if (!needed[k]) continue;
        const uint32_t from_image = k - p->input_count;
        c->b->constant[c->b->constant_count++] =
            from_image < p->constant_count + p->output_count ? p->image[from_image] : 0;
        (void)place_of(c, k);
    }
}

static void cut_code(cut *c, const bounds_want *wants, size_t count, const unsigned char *runs)
{
    const program *p = c->p;
    bounds_program *b = c->b;
    const uint32_t end = last_place(wants, count);
    size_t next = 0;
    for (uint32_t at = 0; at <= end; at++) {
        for (; next < count && wants[next].at == at; next++) { /* kept in a slot of its own: theirs may be used again */
            program_instruction keep = {.op = PROGRAM_COPY, .a = place_of(c, wants[next].plus)};
            if (has_minus(&wants[next])) keep.op = PROGRAM_SUB, keep.b = place_of(c, wants[next].minus);
            if (wants[next].minus == PROGRAM_WHOLE) keep.op = BOUNDS_OP_TURN;
            keep.out = b->result[next] = (uint32_t)b->slot_count++;
            b->code[b->code_count++] = keep;
        }
        if (at == end) break;
        if (!runs[at]) continue;
        const program_instruction *i = &p->code[at];
        const int arity = program_arity(i->op);
        program_instruction copy = {.op = i->op, .a = place_of(c, i->a)};
        if (arity > 1 || i->op == PROGRAM_SINCOS) copy.b = place_of(c, i->b);
        if (arity > 2) copy.c = place_of(c, i->c);
        copy.out = place_of(c, i->out);
        b->code[b->code_count++] = copy;
    }
}

mech_status bounds_create(const program *p, const bounds_want *wants, size_t count, bounds_program **result)
{
    const uint32_t end = last_place(wants, count);
    unsigned char *needed = mem_zeroed(p->slot_count + 1, 1), *runs = mem_zeroed(end + 1, 1);
    uint32_t *place = mem_alloc((p->slot_count + 1) * sizeof *place);
    bounds_program *b = mem_zeroed(1, sizeof *b);
    *result = NULL;
    int has_room = needed && runs && place && b;
    if (has_room) {
        size_t length = count, fixed = 0;
        memset(place, 0xff, (p->slot_count + 1) * sizeof *place);
        bounds_find_needed(p, wants, count, needed, runs);
        for (uint32_t at = 0; at < end; at++) length += runs[at];
        for (uint32_t k = p->input_count; k < p->slot_count; k++) fixed += needed[k];
        b->code = mem_alloc((length + 1) * sizeof *b->code);
        b->input = mem_alloc((p->input_count + 1) * sizeof *b->input);
        b->constant = mem_alloc((fixed + 1) * sizeof *b->constant);
        b->result = mem_alloc((count + 1) * sizeof *b->result);
        has_room = b->code && b->input && b->constant && b->result;
    }
    if (has_room) {
        cut c = {p, b, place};
        place_start(&c, needed);
        cut_code(&c, wants, count, runs);
    }
    mem_free(needed);
    mem_free(runs);
    mem_free(place);
    if (!has_room) bounds_free(b);
    else *result = b;
    return has_room ? MECH_OK : MECH_ERR_MEMORY;
}

void bounds_free(bounds_program *b)
{
    if (!b) return;
    mem_free(b->code);
    mem_free(b->input);
    mem_free(b->constant);
    mem_free(b->result);
    mem_free(b);
}

void bounds_reset(const bounds_program *b, bound *slots)
{
    for (size_t k = 0; k < b->constant_count; k++) slots[b->input_count + k] = bound_of(b->constant[k]);
}
