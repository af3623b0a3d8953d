/* Arrays of an arena: zeros, never empty, and one question after many of them whether all were made. */
#include "check.h"

#include "base/arena.h"

#include <stdint.h>

int main(void)
{
    arena memory = {0};
    for (size_t count = 0; count < 3000; count = 2 * count + 1) { /* within the first block and past it */
        double *array = arena_zeroed(&memory, count, sizeof *array);
        CHECK(array != NULL);
        for (size_t i = 0; array && i <= count; i++) {
            CHECK(array[i] == 0);
            array[i] = 1; /* seen by the next one, should they overlap */
        }
    }
    CHECK(arena_status(&memory) == MECH_OK);
    CHECK(arena_zeroed(&memory, SIZE_MAX / sizeof(double), sizeof(double)) == NULL);
    CHECK(arena_zeroed(&memory, SIZE_MAX, 1) == NULL);
    CHECK(arena_zeroed(&memory, 4, sizeof(double)) != NULL);
    CHECK(arena_status(&memory) == MECH_ERR_MEMORY);
    CHECK(arena_status(&memory) == MECH_OK); /* told once: who tries again may succeed */
    arena_free(&memory);
    return check_report();
}
