#include "base/visit.h"

#include <string.h>

void state_bytes(state_walk *w, void *field, size_t size)
{
    if (size == 0 || w->failed) return;
    if (w->clears) {
        memset(field, 0, size);
        return;
    }
    if (!w->reads) {
        text_add_n(&w->out, field, size);
        w->lacks_memory |= w->out.failed;
        return;
    }
    if ((size_t)(w->end - w->at) < size) {
        w->failed = 1;
        return;
    }
    memcpy(field, w->at, size);
    w->at += size;
}

void state_count(state_walk *w, size_t *count, size_t least)
{
    uint64_t number = *count;
    STATE_FIELD(w, number);
    if (!w->reads) return;
    if (w->failed || (least && number > (uint64_t)(w->end - w->at) / least)) {
        w->failed = 1;
        number = 0;
    }
    *count = (size_t)number;
}

void state_must(state_walk *w, int holds)
{
    if (w->reads && !holds) w->failed = 1;
}

uint64_t state_sum(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *c = bytes;
    for (size_t i = 0; i < size; i++) sum = (sum ^ c[i]) * UINT64_C(0x100000001b3);
    return sum;
}
