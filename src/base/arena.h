/* Memory that lives as long as its owner and is freed at once. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <mech/base.h>

typedef struct arena_block arena_block;
typedef struct arena {
    arena_block *blocks; /* newest first */
    int lacks_memory;    /* an array could not be made, and nobody has asked yet */
} arena;

void *arena_alloc(arena *a, size_t bytes);               /* aligned, not cleared; NULL when out of memory */
void *arena_zeroed(arena *a, size_t count, size_t size); /* an array, with room for one more: none is empty */
/* Several at once, each into its pointer: ARENA_MAKE(memory, ARRAY_OF(x, n), ARRAY_OF(y, m)), with the status below. */
typedef struct arena_array {
    void *pointer;
    size_t count, size;
} arena_array;
mech_status arena_make(arena *a, const arena_array *arrays, size_t count);
#define ARRAY_OF(pointer, count)                                                                                       \
    {                                                                                                                  \
        &(pointer), (count), sizeof *(pointer)                                                                         \
    }
#define ARENA_LIST(...)                                                                                                \
    (const arena_array[]){__VA_ARGS__}, sizeof((const arena_array[]){__VA_ARGS__}) / sizeof(arena_array)
#define ARENA_MAKE(memory, ...) arena_make((memory), ARENA_LIST(__VA_ARGS__))
/* Arrays of so many doubles each, where these `double **` say; NULL ends them. */
void arena_doubles(arena *a, size_t count, ...) __attribute__((sentinel));
mech_status arena_status(arena *a); /* MECH_ERR_MEMORY: of the arrays since it was last asked one was not made */
char *arena_text(arena *a, const char *text, size_t length);                                 /* NUL-terminated copy */
char *arena_format(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3))); /* printf into the arena */
void arena_free(arena *a);

#endif
