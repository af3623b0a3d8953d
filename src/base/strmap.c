/* Open addressing, FNV-1a. */
#include "base/strmap.h"

#include "base/mem.h"

#include <string.h>

static uint32_t hash_of(const char *key)
{
    uint32_t h = 2166136261u;
    for (; *key; key++) h = (h ^ (unsigned char)*key) * 16777619u;
    return h;
}

static strmap_slot *slot_for(const strmap *map, const char *key, uint32_t hash)
{
    size_t at = hash & (map->size - 1);
    while (map->slots[at].key && (map->slots[at].hash != hash || strcmp(map->slots[at].key, key) != 0))
        at = (at + 1) & (map->size - 1);
    return &map->slots[at];
}

static int grow(strmap *map)
{
    strmap bigger = {.size = map->size ? 2 * map->size : 16, .count = map->count};
    bigger.slots = mem_zeroed(bigger.size, sizeof *bigger.slots);
    if (!bigger.slots) return 0;
    for (size_t i = 0; i < map->size; i++)
        if (map->slots[i].key) *slot_for(&bigger, map->slots[i].key, map->slots[i].hash) = map->slots[i];
    mem_free(map->slots);
    *map = bigger;
    return 1;
}

int strmap_put(strmap *map, const char *key, size_t value)
{
    if (2 * (map->count + 1) > map->size && !grow(map)) return 0;
    const uint32_t hash = hash_of(key);
    strmap_slot *slot = slot_for(map, key, hash);
    if (!slot->key) map->count++;
    *slot = (strmap_slot){key, hash, value};
    return 1;
}

size_t strmap_get(const strmap *map, const char *key)
{
    if (!map->size) return SIZE_MAX;
    const strmap_slot *slot = slot_for(map, key, hash_of(key));
    return slot->key ? slot->value : SIZE_MAX;
}

void strmap_free(strmap *map)
{
    mem_free(map->slots);
    *map = (strmap){0};
}
