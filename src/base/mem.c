/* Plain allocation: malloc and friends behind the seam. */
#include "base/mem.h"

#include <stdlib.h>

void *mem_alloc(size_t bytes) { return malloc(bytes ? bytes : 1); }

void *mem_zeroed(size_t count, size_t size) { return calloc(count ? count : 1, size ? size : 1); }

void *mem_resize(void *block, size_t bytes) { return realloc(block, bytes ? bytes : 1); }

void mem_free(void *block) { free(block); }
