/* The one seam through which the library allocates. tests/support/mem_fault.c is its twin that
   counts calls and fails the k-th; linked first, it takes this one's place. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t bytes);
void *mem_zeroed(size_t count, size_t size); /* NULL also when count * size overflows */
void *mem_resize(void *block, size_t bytes); /* the old block stays valid on failure  */
void mem_free(void *block);

/* Grow *array (of *capacity elements of the given size) to hold at least `need`: 1 done, 0 failed. */
int mem_make_room(void *array_address, size_t *capacity, size_t need, size_t size);
static inline int mem_grow(void *array_address, size_t *capacity, size_t need, size_t size)
{
    return need <= *capacity || mem_make_room(array_address, capacity, need, size);
}

/* New copy of the first `length` bytes with a final NUL; NULL when out of memory. */
char *mem_text(const char *text, size_t length);

#endif
