/* A chain of blocks, each twice the one before it. */
#include "base/arena.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct arena_block {
    arena_block *next;
    size_t used, size;
    max_align_t data[];
};

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

static arena_block *add_block(arena *a, size_t bytes)
{
    size_t size = a->blocks ? a->blocks->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    if (size < bytes) size = bytes;
    if (size > SIZE_MAX - sizeof(arena_block)) return NULL;
    arena_block *block = mem_alloc(sizeof *block + size);
    if (!block) return NULL;
    block->next = a->blocks;
    block->used = 0;
    block->size = size;
    a->blocks = block;
    return block;
}

void *arena_alloc(arena *a, size_t bytes)
{
    const size_t align = sizeof(max_align_t);
    if (bytes > SIZE_MAX - align) return NULL;
    bytes = (bytes + align - 1) / align * align;
    arena_block *block = a->blocks;
    if (!block || block->size - block->used < bytes) block = add_block(a, bytes);
    if (!block) return NULL;
    void *place = (char *)block->data + block->used;
    block->used += bytes;
    return place;
}

void *arena_zeroed(arena *a, size_t count, size_t size)
{
    void *array = count < SIZE_MAX / size - 1 ? arena_alloc(a, (count + 1) * size) : NULL;
    if (array) memset(array, 0, (count + 1) * size);
    else a->lacks_memory = 1;
    return array;
}

void arena_doubles(arena *a, size_t count, ...)
{
    va_list places;
    va_start(places, count);
    for (double **to; (to = va_arg(places, double **));) *to = arena_zeroed(a, count, sizeof **to);
    va_end(places);
}

mech_status arena_status(arena *a)
{
    const mech_status status = a->lacks_memory ? MECH_ERR_MEMORY : MECH_OK;
    a->lacks_memory = 0;
    return status;
}

mech_status arena_make(arena *a, const arena_array *arrays, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        void *array = arena_zeroed(a, arrays[k].count, arrays[k].size);
        memcpy(arrays[k].pointer, &array, sizeof array);
    }
    return arena_status(a);
}

char *arena_text(arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc(a, length + 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_format(arena *a, const char *format, ...)
{
    char few[128]; /* most are short, and are worked out once */
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(few, sizeof few, format, args);
    va_end(args);
    const int is_short = length >= 0 && (size_t)length < sizeof few;
    char *text = length < 0 ? NULL : is_short ? arena_text(a, few, (size_t)length) : arena_alloc(a, (size_t)length + 1);
    if (text && !is_short) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void arena_free(arena *a)
{
    while (a->blocks) {
        arena_block *next = a->blocks->next;
        mem_free(a->blocks);
        a->blocks = next;
    }
}
