/* Hand a failure on to the caller. */
#ifndef BASE_TRY_H
#define BASE_TRY_H

#include <mech/base.h>

#define MECH_TRY(call)                                                                                                 \
    do {                                                                                                               \
        const mech_status try_status_ = (call);                                                                        \
        if (try_status_ != MECH_OK) return try_status_;                                                                \
    } while (0)

/* What fails is looked at by its values, or elsewhere. */
#define MECH_IGNORE(call)                                                                                              \
    do {                                                                                                               \
        const mech_status ignored_status_ = (call);                                                                    \
        (void)ignored_status_;                                                                                         \
    } while (0)

#endif
