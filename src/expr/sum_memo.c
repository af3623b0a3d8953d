/* Sums that collecting met before. What is collected is added up again, and collected again inside: down a chain of
   bodies each sum would be worked out twice as often as the one above it. */
#include "expr/sum_memo.h"

#include "base/mem.h"

#include <string.h>

enum { FIRST_SLOTS = 256, MOST_WORDS = 1 << 22 };

typedef struct memo_slot {
    uint32_t hash, result; /* result 0: free */
    uint32_t first, count; /* its sum: c0, then pairs (node, number) */
} memo_slot;

struct expr_sum_memo {
    memo_slot *slots; /* open addressing, a power of two */
    size_t size, count;
    uint32_t *words;
    size_t word_count, word_capacity;
    uint32_t age; /* how often all was forgotten */
};

static uint32_t hash_of(uint32_t c0, const expr_pairs *terms)
{
    uint64_t h = c0;
    for (size_t i = 0; i < terms->count; i++) {
        h = (h ^ terms->items[i].node) * UINT64_C(0x9E3779B97F4A7C15);
        h = (h ^ (h >> 29) ^ terms->items[i].number) * UINT64_C(0xBF58476D1CE4E5B9);
    }
    return (uint32_t)(h >> 32);
}

static int is_same(const expr_sum_memo *m, const memo_slot *s, uint32_t hash, uint32_t c0, const expr_pairs *terms)
{
    if (s->hash != hash || s->count != 1 + 2 * terms->count || m->words[s->first] != c0) return 0;
    for (size_t i = 0; i < terms->count; i++)
        if (m->words[s->first + 1 + 2 * i] != terms->items[i].node ||
            m->words[s->first + 2 + 2 * i] != terms->items[i].number)
            return 0;
    return 1;
}

uint32_t sum_memo_find(const expr_sum_memo *m, uint32_t c0, const expr_pairs *terms)
{
    if (!m || !m->size) return 0; /* it has no slots when there was no memory for the first */
    const uint32_t hash = hash_of(c0, terms);
    for (size_t at = hash & (m->size - 1); m->slots[at].result; at = (at + 1) & (m->size - 1))
        if (is_same(m, &m->slots[at], hash, c0, terms)) return m->slots[at].result;
    return 0;
}

static int rehash(expr_sum_memo *m, size_t size)
{
    memo_slot *slots = mem_zeroed(size, sizeof *slots);
    if (!slots) return 0;
    for (size_t i = 0; i < m->size; i++) {
        if (!m->slots[i].result) continue;
        size_t at = m->slots[i].hash & (size - 1);
        while (slots[at].result) at = (at + 1) & (size - 1);
        slots[at] = m->slots[i];
    }
    mem_free(m->slots);
    m->slots = slots;
    m->size = size;
    return 1;
}

static void forget(expr_sum_memo *m)
{
    memset(m->slots, 0, m->size * sizeof *m->slots);
    m->count = m->word_count = 0;
    m->age++;
}

int sum_memo_keep(expr_sum_memo **memo, uint32_t c0, const expr_pairs *terms, sum_memo_key *key)
{
    if (!*memo && !(*memo = mem_zeroed(1, sizeof **memo))) return 0;
    expr_sum_memo *m = *memo;
    if (2 * m->count >= m->size && !rehash(m, m->size ? 2 * m->size : FIRST_SLOTS)) return 0;
    if (m->word_count > MOST_WORDS) forget(m);
    *key = (sum_memo_key){hash_of(c0, terms), (uint32_t)m->word_count, (uint32_t)(1 + 2 * terms->count), m->age};
    if (!mem_grow(&m->words, &m->word_capacity, m->word_count + key->count, sizeof *m->words)) return 0;
    uint32_t *word = m->words + m->word_count;
    *word++ = c0;
    for (size_t i = 0; i < terms->count; i++) {
        *word++ = terms->items[i].node;
        *word++ = terms->items[i].number;
    }
    m->word_count += key->count;
    return 1;
}

void sum_memo_give(expr_sum_memo *m, const sum_memo_key *key, uint32_t result)
{
    if (!result || key->age != m->age || 2 * m->count >= m->size) return; /* forgotten on the way, or full */
    size_t at = key->hash & (m->size - 1);
    while (m->slots[at].result) at = (at + 1) & (m->size - 1);
    m->slots[at] = (memo_slot){key->hash, result, key->first, key->count};
    m->count++;
}

void sum_memo_free(expr_sum_memo *m)
{
    if (!m) return;
    mem_free(m->slots);
    mem_free(m->words);
    mem_free(m);
}
