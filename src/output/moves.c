#include "output/moves.h"

enum { MOST = 4 }; /* before "and N more" */

void moves_text(mech_move (*of)(const void *owner, size_t i), const void *owner, size_t count, textbuf *out)
{
    for (size_t i = 0; i < count && i < MOST; i++) {
        const mech_move move = of(owner, i);
        text_format(out, "%s%s from %.6g to %.6g", i ? ", " : "", move.name, move.from, move.to);
    }
    if (count > MOST) text_format(out, " and %zu more", count - MOST);
}
