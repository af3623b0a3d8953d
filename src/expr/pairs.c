/* Lists of (node, number) under construction. */
#include "expr/intern.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void pairs_init(expr_pairs *list)
{
    list->items = list->local;
    list->count = 0;
    list->capacity = PAIRS_LOCAL;
}

int pairs_push(mech_pool *p, expr_pairs *list, uint32_t node, uint32_t number)
{
    if (!node || !number) return 0;
    if (list->count == list->capacity) {
        const int was_local = list->items == list->local;
        expr_pair *grown = was_local ? mem_alloc(2 * list->capacity * sizeof *grown)
                                     : mem_resize(list->items, 2 * list->capacity * sizeof *grown);
        if (!grown) {
            if (p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
            return 0;
        }
        if (was_local) memcpy(grown, list->local, sizeof list->local);
        list->items = grown;
        list->capacity *= 2;
    }
    list->items[list->count++] = (expr_pair){node, number};
    return 1;
}

static int by_node(const void *a, const void *b)
{
    const uint32_t x = ((const expr_pair *)a)->node, y = ((const expr_pair *)b)->node;
    return x < y ? -1 : x > y;
}

void pairs_sort(expr_pairs *list)
{
    size_t sorted = 1;
    while (sorted < list->count && list->items[sorted - 1].node <= list->items[sorted].node) sorted++;
    if (sorted >= list->count) return;
    if (list->count > 32) {
        qsort(list->items, list->count, sizeof *list->items, by_node);
        return;
    }
    for (size_t i = sorted; i < list->count; i++) {
        const expr_pair moving = list->items[i];
        size_t j = i;
        for (; j > 0 && list->items[j - 1].node > moving.node; j--) list->items[j] = list->items[j - 1];
        list->items[j] = moving;
    }
}

void pairs_free(expr_pairs *list)
{
    if (list->items != list->local) mem_free(list->items);
    pairs_init(list);
}
