/* Structs of options that callers give with the size that they know: it is their first field. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stddef.h>
#include <string.h>

/* As much of the defaults (of `known` bytes) as the caller's struct has room for; what it has beyond is 0. */
static inline void options_default(void *options, size_t size, const void *defaults, size_t known)
{
    memset(options, 0, size);
    memcpy(options, defaults, size < known ? size : known);
    memcpy(options, &size, sizeof size);
}

#endif
