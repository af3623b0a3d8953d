/* The table of names, and the nearest name to a misspelt one. */
#include "lang/names.h"

#include "base/mem.h"

#include <string.h>

int lang_names_start(lang_names *names, arena *memory)
{
    *names = (lang_names){.memory = memory, .count = 1, .table_size = 1024};
    names->table = mem_zeroed(names->table_size, sizeof *names->table);
    return names->table && mem_grow(&names->items, &names->capacity, 256, sizeof *names->items);
}

void lang_names_free(lang_names *names)
{
    mem_free(names->items);
    mem_free(names->table);
    *names = (lang_names){0};
}

/* FNV-1a */
static uint32_t hash_of(const char *text, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

/* Slot of the name, or the free slot where it belongs. */
static uint32_t *slot_of(const lang_names *names, const char *text, size_t length, uint32_t hash)
{
    const size_t mask = names->table_size - 1;
    size_t at = hash & mask;
    while (names->table[at]) {
        const lang_name *n = &names->items[names->table[at]];
        if (n->hash == hash && n->length == length && memcmp(n->text, text, length) == 0) break;
        at = (at + 1) & mask;
    }
    return &names->table[at];
}

uint32_t lang_find(const lang_names *names, const char *text, size_t length)
{
    return *slot_of(names, text, length, hash_of(text, length));
}

static int widen(lang_names *names)
{
    uint32_t *table = mem_zeroed(names->table_size * 2, sizeof *table);
    if (!table) return 0;
    mem_free(names->table);
    names->table = table;
    names->table_size *= 2;
    for (size_t i = 1; i < names->count; i++) {
        const lang_name *n = &names->items[i];
        *slot_of(names, n->text, n->length, n->hash) = (uint32_t)i;
    }
    return 1;
}

uint32_t lang_intern(lang_names *names, const char *text, size_t length)
{
    const uint32_t hash = hash_of(text, length);
    uint32_t *slot = slot_of(names, text, length, hash);
    if (*slot) return *slot;
    if (names->count * 2 > names->table_size) {
        if (!widen(names)) return 0;
        slot = slot_of(names, text, length, hash);
    }
    if (!mem_grow(&names->items, &names->capacity, names->count + 1, sizeof *names->items)) return 0;
    const char *copy = arena_text(names->memory, text, length);
    if (!copy) return 0;
    names->items[names->count] = (lang_name){.text = copy, .length = (uint32_t)length, .hash = hash};
    *slot = (uint32_t)names->count;
    return (uint32_t)names->count++;
}

enum { LONGEST_GUESS = 40 };

static int least(int a, int b) { return a < b ? a : b; }

int lang_distance(const char *a, const char *b, int limit)
{
    const size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST_GUESS || n > LONGEST_GUESS) return limit + 1;
    if ((m > n ? m - n : n - m) > (size_t)limit) return limit + 1;
    int rows[3][LONGEST_GUESS + 1];
    int *two_back = rows[0], *back = rows[1], *row = rows[2];
    for (size_t j = 0; j <= n; j++) back[j] = (int)j;
    for (size_t i = 1; i <= m; i++) {
        row[0] = (int)i;
        int smallest = row[0];
        for (size_t j = 1; j <= n; j++) {
            int best = least(back[j] + 1, row[j - 1] + 1);
            best = least(best, back[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = least(best, two_back[j - 2] + 1);
            row[j] = best;
            smallest = least(smallest, best);
        }
        if (smallest > limit) return limit + 1;
        int *free_row = two_back;
        two_back = back;
        back = row;
        row = free_row;
    }
    return back[n] <= limit ? back[n] : limit + 1;
}

void lang_guess_start(lang_guess *guess, const char *wanted)
{
    /* a third of the letters may be wrong; a name of one or two letters gets no guess but a swap of case */
    const size_t length = strlen(wanted);
    *guess = (lang_guess){.wanted = wanted, .distance = length < 3 ? 1 : (int)(length < 12 ? length / 3 : 4) + 1};
}

static int same_but_case(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        const char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        const char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y) return 0;
    }
    return *a == *b;
}

void lang_guess_try(lang_guess *guess, const char *candidate)
{
    const int distance =
        same_but_case(guess->wanted, candidate) ? 0 : lang_distance(guess->wanted, candidate, guess->distance - 1);
    if (distance >= guess->distance) return;
    guess->distance = distance;
    guess->best = candidate;
}
