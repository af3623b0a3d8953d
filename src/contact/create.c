/* The workspace: two blocks, cut into what the problems need. */
#include "base/mem.h"
#include "contact/room.h"

#include <string.h>

/* Cuts pieces off a block; without one it only counts. */
typedef struct cutter {
    char *block;
    size_t used;
} cutter;

static void *cut(cutter *c, size_t count, size_t size)
{
    void *piece = c->block ? c->block + c->used : NULL;
    c->used += (count * size + 15) / 16 * 16;
    return piece;
}

static double *numbers(cutter *c, size_t count) { return cut(c, count, sizeof(double)); }

static size_t *counts(cutter *c, size_t count) { return cut(c, count, sizeof(size_t)); }

static void cut_part(cutter *c, size_t k, size_t n, part *s)
{
    s->first = counts(c, k + 1);
    s->contact_of = counts(c, k);
    s->row_of = counts(c, n);
    s->kind = cut(c, k, sizeof *s->kind);
    s->was = cut(c, k, sizeof *s->was);
    s->mu = numbers(c, k);
    s->hold = numbers(c, k);
    s->restitution = numbers(c, k);
    s->d = numbers(c, CONTACT_TANGENTS * k);
    s->unit = numbers(c, n);
    s->c = numbers(c, n);
    s->size = numbers(c, n);
    s->W = numbers(c, n * n);
}

/* Everything for k contacts with n rows. */
static void cut_all(cutter *c, contact_room *room)
{
    const size_t k = room->contacts, n = room->rows, wide = 2 * (k > n ? k : n) + 2;
    cut_part(c, k, n, &room->whole);
    cut_part(c, k, n, &room->now);
    for (size_t i = 0; i < FOUND_MOST; i++) {
        found_motion *f = &room->list[i];
        f->l = numbers(c, n), f->w = numbers(c, n);
        f->mode = cut(c, k, sizeof *f->mode);
    }
    for (size_t i = 0; i < CONTACT_MOTIONS_MOST; i++) {
        room->l[i] = numbers(c, n), room->w[i] = numbers(c, n);
        room->mode[i] = cut(c, k, sizeof *room->mode[i]);
    }
    room->reach = numbers(c, n * OPTIONS * k);
    room->A = numbers(c, n * n);
    room->lu = numbers(c, n * n);
    room->null = numbers(c, n * n);
    room->b = numbers(c, n);
    room->x = numbers(c, wide);
    room->pivot_row = counts(c, n);
    room->pivot_column = counts(c, n);
    room->owner = counts(c, wide);
    room->place = counts(c, wide);
    room->polyhedron.T = numbers(c, n * wide);
    room->polyhedron.basis = counts(c, n);
    room->objective = numbers(c, 3 * wide);
    room->tableau = numbers(c, 2 * n * (4 * n + 2)); /* Lemke's problem has at most 2 n unknowns */
    room->basic = counts(c, 2 * n);
    for (size_t i = 0; i < WORKS; i++) room->work[i] = numbers(c, n);
    room->before = numbers(c, n);
    room->P = numbers(c, n);
    room->is_force_unique = cut(c, k, 1);
    room->is_taken = cut(c, k, 1);
    room->is_without = cut(c, k, 1);
    room->is_own_unique = cut(c, k, 1);
    room->queue = counts(c, k);
}

size_t contact_rows(size_t contacts, const contact_point *point)
{
    size_t rows = contacts;
    for (size_t i = 0; i < contacts; i++) rows += point[i].tangents;
    return rows;
}

mech_status contact_create(size_t contacts, size_t rows, contact_room **room)
{
    cutter c = {.block = NULL};
    contact_room *r = mem_zeroed(1, sizeof *r);
    *room = NULL;
    if (!r) return MECH_ERR_MEMORY;
    r->contacts = contacts, r->rows = rows;
    cut_all(&c, r);
    r->block = mem_zeroed(c.used, 1);
    if (!r->block) {
        contact_free(r);
        return MECH_ERR_MEMORY;
    }
    c = (cutter){.block = r->block};
    cut_all(&c, r);
    *room = r;
    return MECH_OK;
}

void contact_free(contact_room *room)
{
    if (!room) return;
    mem_free(room->block);
    mem_free(room);
}
