/* The LaTeX of our own printers as MathML: what they write, and no more. What is not known stands as its word. */
#include "show/show.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 200 };

typedef struct reader {
    const char *at;
    int depth;
} reader;

typedef struct word {
    const char *name, *shown;
} word;

static const word letters[] = {
    {"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"},   {"delta", "δ"},  {"epsilon", "ϵ"}, {"zeta", "ζ"},   {"eta", "η"},
    {"theta", "θ"}, {"iota", "ι"},  {"kappa", "κ"},   {"lambda", "λ"}, {"mu", "μ"},      {"nu", "ν"},     {"xi", "ξ"},
    {"pi", "π"},    {"rho", "ρ"},   {"sigma", "σ"},   {"tau", "τ"},    {"upsilon", "υ"}, {"phi", "φ"},    {"chi", "χ"},
    {"psi", "ψ"},   {"omega", "ω"}, {"Gamma", "Γ"},   {"Delta", "Δ"},  {"Theta", "Θ"},   {"Lambda", "Λ"}, {"Xi", "Ξ"},
    {"Pi", "Π"},    {"Sigma", "Σ"}, {"Upsilon", "Υ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},     {"Omega", "Ω"},  {NULL, NULL}};
static const word signs[] = {{"cdot", "·"},  {"le", "≤"},     {"ge", "≥"},     {"ne", "≠"},   {"lt", "&lt;"},
                             {"gt", "&gt;"}, {"lfloor", "⌊"}, {"rfloor", "⌋"}, {"land", "∧"}, {"lor", "∨"},
                             {"lnot", "¬"},  {"quad", " "},   {NULL, NULL}};

static const char *find(const word *list, const char *name, size_t length)
{
    for (; list->name; list++)
        if (strlen(list->name) == length && strncmp(list->name, name, length) == 0) return list->shown;
    return NULL;
}

static void blanks(reader *r)
{
    for (;;) {
        if (*r->at == ' ' || *r->at == '\n') r->at++;
        else if (r->at[0] == '\\' && r->at[1] && strchr(";,:! ", r->at[1])) r->at += 2;
        else return;
    }
}

static int accept(reader *r, const char *text)
{
    blanks(r);
    const size_t length = strlen(text);
    if (strncmp(r->at, text, length) != 0) return 0;
    r->at += length;
    return 1;
}

static void put_row(reader *r, textbuf *out);

/* A group in braces, or one thing. */
static void put_atom(reader *r, textbuf *out);
static void put_group(reader *r, textbuf *out)
{
    if (!accept(r, "{")) {
        put_atom(r, out);
        return;
    }
    text_add(out, "<mrow>");
    put_row(r, out);
    (void)accept(r, "}");
    text_add(out, "</mrow>");
}

static void put_upright(reader *r, textbuf *out)
{
    textbuf name = {0};
    (void)accept(r, "{");
    while (*r->at && *r->at != '}') {
        if (*r->at == '\\' && r->at[1]) r->at++;
        text_add_char(&name, *r->at++);
    }
    if (*r->at) r->at++;
    text_add(out, "<mi mathvariant=\"normal\">");
    page_escape(out, name.data ? name.data : "");
    text_add(out, "</mi>");
    out->failed |= name.failed;
    text_free(&name);
}

static void put_matrix(reader *r, textbuf *out)
{
    text_add(out, "<mtable class=\"matrix\"><mtr><mtd>");
    for (;;) {
        put_row(r, out);
        if (accept(r, "&")) text_add(out, "</mtd><mtd>");
        else if (accept(r, "\\\\")) {
            if (accept(r, "\\end{")) break;
            text_add(out, "</mtd></mtr><mtr><mtd>");
        } else {
            (void)accept(r, "\\end{");
            break;
        }
    }
    while (*r->at && *r->at != '}') r->at++;
    if (*r->at) r->at++;
    text_add(out, "</mtd></mtr></mtable>");
}

static void put_fence(reader *r, textbuf *out)
{
    blanks(r);
    if (*r->at == '\\') r->at++; /* \left\lfloor, \left\{ */
    const char *start = r->at;
    size_t length = isalpha((unsigned char)*start) ? strspn(start, "abcdefghijklmnopqrstuvwxyz") : 1;
    const char *sign = find(signs, start, length);
    r->at += *start ? length : 0;
    if (length == 1 && *start == '.') return;
    text_add(out, "<mo>");
    if (sign) text_add(out, sign);
    else if (*start == '<') text_add(out, "&lt;");
    else text_add_n(out, start, *start ? length : 0);
    text_add(out, "</mo>");
}

static void put_command(reader *r, textbuf *out)
{
    const char *name = r->at + 1;
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    r->at = name + (length ? length : *name ? 1 : 0);
#define IS(text) (length == sizeof text - 1 && strncmp(name, text, length) == 0)
    const char *letter = find(letters, name, length), *sign = find(signs, name, length);
    if (IS("frac")) {
        text_add(out, "<mfrac>");
        put_group(r, out);
        put_group(r, out);
        text_add(out, "</mfrac>");
    } else if (IS("sqrt")) {
        text_add(out, "<msqrt>");
        put_group(r, out);
        text_add(out, "</msqrt>");
    } else if (IS("dot") || IS("ddot")) {
        text_add(out, "<mover>");
        put_group(r, out);
        text_format(out, "<mo>%s</mo></mover>", IS("dot") ? "˙" : "¨");
    } else if (IS("mathrm") || IS("text") || IS("operatorname") || IS("mathit")) put_upright(r, out);
    else if (IS("left")) {
        text_add(out, "<mrow>");
        put_fence(r, out);
        put_row(r, out);
        (void)accept(r, "\\right");
        put_fence(r, out);
        text_add(out, "</mrow>");
    } else if (IS("begin")) {
        while (*r->at && *r->at != '}') r->at++;
        if (*r->at) r->at++;
        put_matrix(r, out);
    } else if (letter) text_format(out, "<mi>%s</mi>", letter);
    else if (sign) text_format(out, "<mo>%s</mo>", sign);
    else if (length) text_format(out, "<mi>%.*s</mi>", (int)length, name);
    else text_format(out, "<mo>%.*s</mo>", 1, name);
#undef IS
}

static void put_plain(reader *r, textbuf *out)
{
    const unsigned char c = (unsigned char)*r->at;
    if (isdigit(c) || c == '.') {
        const size_t length = strspn(r->at, "0123456789.");
        text_format(out, "<mn>%.*s</mn>", (int)length, r->at);
        r->at += length;
        return;
    }
    size_t length = 1;
    while (c >= 0xC0 && ((unsigned char)r->at[length] & 0xC0) == 0x80) length++;
    if (isalpha(c) || c >= 0x80) text_format(out, "<mi>%.*s</mi>", (int)length, r->at);
    else if (c == '-') text_add(out, "<mo>−</mo>");
    else if (c == '<') text_add(out, "<mo>&lt;</mo>");
    else if (c == '&') text_add(out, "<mo>&amp;</mo>");
    else if (strchr("()[]", c)) text_format(out, "<mo stretchy=\"false\">%c</mo>", c);
    else text_format(out, "<mo>%c</mo>", c);
    r->at += length;
}

static void put_atom(reader *r, textbuf *out)
{
    blanks(r);
    if (!*r->at || ++r->depth > DEEPEST) return;
    if (*r->at == '{') put_group(r, out);
    else if (*r->at == '\\') put_command(r, out);
    else put_plain(r, out);
    r->depth--;
}

/* A name, a number or a fraction, and no sign: a product has a little room between its factors. */
static int is_factor(const textbuf *atom)
{
    return atom->data && strncmp(atom->data, "<mo>", 4) != 0 && strncmp(atom->data, "<mo ", 4) != 0;
}

static int is_function(const textbuf *atom)
{
    static const char *const names[] = {"<mi>sin</mi>", "<mi>cos</mi>", "<mi>tan</mi>",
                                        "<mi>exp</mi>", "<mi>log</mi>", "<mi>ln</mi>"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(atom->data, names[k]) == 0) return 1;
    return strstr(atom->data, "normal") != NULL;
}

/* What follows up to the end of a group, a cell or a fence. */
static void put_row(reader *r, textbuf *out)
{
    int follows_factor = 0;
    for (;;) {
        textbuf atom = {0}, low = {0}, high = {0};
        blanks(r);
        const int is_end = !*r->at || *r->at == '}' || *r->at == '&' || strncmp(r->at, "\\\\", 2) == 0 ||
                           strncmp(r->at, "\\right", 6) == 0 || strncmp(r->at, "\\end", 4) == 0 ||
                           strncmp(r->at, "\\]", 2) == 0;
        if (is_end || r->depth > DEEPEST) return;
        put_atom(r, &atom);
        if (accept(r, "_")) put_group(r, &low);
        if (accept(r, "^")) put_group(r, &high);
        const char *tag = low.data && high.data ? "msubsup" : low.data ? "msub" : high.data ? "msup" : "mrow";
        if (follows_factor && is_factor(&atom)) text_add(out, "<mspace width=\"0.17em\"/>");
        follows_factor = is_factor(&atom) && !is_function(&atom);
        text_format(out, "<%s>%s%s%s</%s>", tag, atom.data ? atom.data : "", low.data ? low.data : "",
                    high.data ? high.data : "", tag);
        out->failed |= atom.failed | low.failed | high.failed;
        text_free(&atom);
        text_free(&low);
        text_free(&high);
    }
}

void page_math(const char *latex, textbuf *out)
{
    for (const char *at = strstr(latex, "\\["); at; at = strstr(at, "\\[")) {
        reader r = {.at = at + 2};
        text_add(out, "<math display=\"block\"><mrow>");
        put_row(&r, out);
        text_add(out, "</mrow></math>\n");
        const char *end = strstr(r.at, "\\]");
        if (!end) return;
        at = end + 2;
    }
}
