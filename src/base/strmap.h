/* Names to numbers. Keys are borrowed: they must outlive the map. */
#ifndef BASE_STRMAP_H
#define BASE_STRMAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct strmap_slot {
    const char *key; /* NULL: free */
    uint32_t hash;
    size_t value;
} strmap_slot;

typedef struct strmap {
    strmap_slot *slots;
    size_t size, count; /* size is a power of two */
} strmap;

int strmap_put(strmap *map, const char *key, size_t value); /* replaces; 0: out of memory */
size_t strmap_get(const strmap *map, const char *key);      /* SIZE_MAX: not there        */
void strmap_free(strmap *map);

#endif
