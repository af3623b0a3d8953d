/* Greek letters by themselves or by name. */
#include "base/greek.h"

#include <mech/base.h>

#include <string.h>

/* U+0391 .. U+03C9 in order; NULL where there is no letter. */
static const char *const capitals[] = {
    "Alpha", "Beta",    "Gamma", "Delta", "Epsilon", "Zeta",  "Eta", "Theta",   "Iota", "Kappa", "Lambda", "Mu",   "Nu",
    "Xi",    "Omicron", "Pi",    "Rho",   NULL,      "Sigma", "Tau", "Upsilon", "Phi",  "Chi",   "Psi",    "Omega"};
static const char *const smalls[] = {
    "alpha", "beta",    "gamma", "delta", "epsilon", "zeta",  "eta", "theta",   "iota", "kappa", "lambda", "mu",   "nu",
    "xi",    "omicron", "pi",    "rho",   "sigma",   "sigma", "tau", "upsilon", "phi",  "chi",   "psi",    "omega"};

static const char *letter(unsigned code)
{
    if (code >= 0x391 && code <= 0x3A9) return capitals[code - 0x391];
    if (code >= 0x3B1 && code <= 0x3C9) return smalls[code - 0x3B1];
    switch (code) {
    case 0x00B5: return "mu";
    case 0x03D1: return "theta";
    case 0x03D5: return "phi";
    case 0x03D6: return "pi";
    case 0x03F0: return "kappa";
    case 0x03F1: return "rho";
    case 0x03F5: return "epsilon";
    default: return NULL;
    }
}

int greek_letter(const char *at, size_t available, size_t *size, const char **spelling)
{
    const unsigned char *s = (const unsigned char *)at;
    if (available < 2 || (s[0] & 0xE0) != 0xC0) return 0;
    *size = 2;
    *spelling = letter((unsigned)(s[0] & 0x1F) << 6 | (unsigned)(s[1] & 0x3F));
    return *spelling != NULL;
}

/* The next byte of a name with its letters spelt out, 0 at the end. */
typedef struct spelling {
    const char *at, *end, *word; /* word: the rest of a letter's name */
} spelling;

static int next_byte(spelling *s)
{
    size_t size;
    if (s->word && *s->word) return *s->word++;
    if (s->at == s->end) return 0;
    if (!greek_letter(s->at, (size_t)(s->end - s->at), &size, &s->word)) return *s->at++;
    s->at += size;
    return *s->word++;
}

int greek_same(const char *a, size_t a_length, const char *b, size_t b_length)
{
    spelling x = {a, a + a_length, NULL}, y = {b, b + b_length, NULL};
    int byte;
    while ((byte = next_byte(&x)) == next_byte(&y))
        if (byte == 0) return 1;
    return 0;
}

int mech_same_name(const char *a, const char *b) { return greek_same(a, strlen(a), b, strlen(b)); }
