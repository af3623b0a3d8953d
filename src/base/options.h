/* Structs of options that callers give with the size that they know: it is their first field. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <mech/base.h>

#include <stddef.h>
#include <string.h>

/* As much of the defaults (of `known` bytes) as the caller's struct has room for; what it has beyond is 0. */
static inline void options_default(void *options, size_t size, const void *defaults, size_t known)
{
    memset(options, 0, size);
    memcpy(options, defaults, size < known ? size : known);
    memcpy(options, &size, sizeof size);
}

/* The largest struct that is believed: what is larger was never set. */
enum { OPTIONS_MOST = 1 << 16 };
/* For lists of diagnostics, and where else a call has words. */
#define OPTIONS_UNSIZED                                                                                                \
    "the options that were given do not say how large they are: their first field, size, is set by the default "       \
    "function, or to sizeof of the struct"

/* Fields follow the size in every version of a struct. */
static inline int options_have_size(size_t size) { return size > sizeof size && size <= OPTIONS_MOST; }

/* What a caller gives over the defaults, which stand in *options (of `known` bytes); given NULL leaves them.
   MECH_ERR_ARGUMENT: its size was never set. A shorter struct is of an older version, whose program does not know the
   fields behind; of a longer one what is not known here is not looked at. */
static inline mech_status options_take(void *options, size_t known, const void *given)
{
    size_t size;
    if (!given) return MECH_OK;
    memcpy(&size, given, sizeof size);
    if (!options_have_size(size)) return MECH_ERR_ARGUMENT;
    memcpy(options, given, size < known ? size : known);
    memcpy(options, &known, sizeof known);
    return MECH_OK;
}

#endif
