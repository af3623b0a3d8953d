/* What a start moved, in words. */
#ifndef OUTPUT_MOVES_H
#define OUTPUT_MOVES_H

#include <mech/assemble.h>

#include "base/text.h"

/* "x from 0 to 1, y' from 0 to 2 and 3 more". of: number i of `count` moves. */
void moves_text(mech_move (*of)(const void *owner, size_t i), const void *owner, size_t count, textbuf *out);

#endif
