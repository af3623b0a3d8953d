/* Helpers on top of the allocation seam. */
#include "base/mem.h"

#include <stdint.h>
#include <string.h>

int mem_make_room(void *array_address, size_t *capacity, size_t need, size_t size)
{
    size_t wanted = *capacity ? *capacity : 8;
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2) return 0;
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / size) return 0;
    void *old;
    memcpy(&old, array_address, sizeof old);
    void *grown = mem_resize(old, wanted * size);
    if (!grown) return 0;
    memcpy(array_address, &grown, sizeof grown);
    *capacity = wanted;
    return 1;
}

char *mem_text(const char *text, size_t length)
{
    char *copy = mem_alloc(length + 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}
