/* No input crashes or hangs the reader: each of these ends soon, with a clear status. */
#include "check.h"

#include "base/text.h"

#include <mech/lang.h>
#include <stdlib.h>
#include <time.h>

/* Of this process, so that a busy machine does not matter. */
static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

enum { LONGEST_RUN = 60 }; /* with sanitizers, on a slow machine; each takes a fraction of it */

static size_t max_turns; /* 0: the documented limit */
static int tried;

/* Reads a text and gives its status; says so when it takes too long or fails without a message. */
static mech_status status_of(const char *what, const char *text, size_t length)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *m = NULL;
    mech_read_options options;
    tried++;
    mech_read_options_default(&options, sizeof options);
    options.max_turns = max_turns;
    const double start = seconds();
    const mech_status status = mech_read_text("hostile", text, length, &options, d, &m);
    const double took = seconds() - start;
    CHECK(took < LONGEST_RUN);
    CHECK((status == MECH_OK) == (m != NULL));
    CHECK(status == MECH_OK || mech_diagnostics_error_count(d) > 0);
    CHECK(mech_diagnostics_count(d) <= 100);
    if (took > LONGEST_RUN / 10.0) fprintf(stderr, "%.60s took %.1f s\n", what, took);
    char *all = mech_diagnostics_format(d);
    CHECK(all != NULL);
    mech_text_free(all);
    mech_model_free(m);
    mech_diagnostics_free(d);
    return status;
}

static mech_status read(const char *text) { return status_of(text, text, strlen(text)); }

/* head + part*count + middle + last*count + tail */
static mech_status read_many(const char *head, const char *part, size_t count, const char *middle, const char *last,
                             const char *tail)
{
    textbuf t = {0};
    text_add(&t, head);
    for (size_t i = 0; i < count; i++) text_add(&t, part);
    text_add(&t, middle);
    for (size_t i = 0; i < count; i++) text_add(&t, last);
    text_add(&t, tail);
    const mech_status status = status_of(part, t.data, t.length);
    text_free(&t);
    return status;
}

static void deep_nesting(void)
{
    const char *head = "coord x\nkinetic x'^2 + ";
    CHECK(read_many(head, "(", 150, "x", ")", "\n") == MECH_OK);
    CHECK(read_many(head, "(", 100000, "x", ")", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many(head, "[", 100000, "x", "]", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many(head, "sin(", 100000, "x", ")", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many(head, "-", 100000, "x", "", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many(head, "not ", 100000, "x", "", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many(head, "x^", 100000, "x", "", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many(head, "", 100000, "x", "'", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many(head, "", 100000, "x", "[1]", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many("coord x\n", "if 1 {", 100000, "kinetic x'^2", "}", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many("coord x\n", "for i in 1..1 {", 100000, "kinetic x'^2", "}", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many("coord x\n", "if 0 {} else ", 100000, "if 1 { kinetic x'^2 }", "", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many("coord x\nkinetic x'^2\n", "{", 100000, "", "}", "\n") == MECH_ERR_SYNTAX);
}

static void long_texts(void)
{
    CHECK(read_many("coord x\nkinetic x'^2", " + x", 200000, "", "", "\n") == MECH_OK);
    CHECK(read_many("coord x\nkinetic x'^2", "*x", 200000, "", "", "\n") == MECH_OK);
    CHECK(read_many("coord x\nkinetic x'^2 + (1 < x", " and x", 20000, ")", "", "\n") == MECH_OK);
    CHECK(read_many("coord x\nkinetic x'^2\nlet v = [x", ", x", 200000, "]", "", "\n") == MECH_OK);
    CHECK(read_many("coord x\nkinetic x'^2\n", "potential x; ", 100000, "", "", "\n") == MECH_OK);
    CHECK(read_many("coord x\nkinetic x'^2\n", "\n", 2000000, "", "", "\n") == MECH_OK);
    CHECK(read_many("coord x\nkinetic x'^2\n#", "comment ", 1000000, "", "", "\n") == MECH_OK);
    CHECK(read_many("coord x\nkinetic x'^2 +", " x", 2000000, "", "", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many("coord ", "x", 1000000, "", "", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many("coord x \"", "x", 1000000, "", "", "\n") == MECH_ERR_SYNTAX);
    CHECK(read_many("coord x\nkinetic ", "9", 1000000, "*x'^2", "", "\n") != MECH_ERR_MEMORY);
    CHECK(read_many("coord x\nkinetic 1e", "9", 1000, "*x'^2", "", "\n") == MECH_ERR_MODEL);
}

static void loops(void)
{
    CHECK(read("coord x\nkinetic x'^2\nfor i in 1..1000000000 { }") == MECH_ERR_LIMIT);
    CHECK(read("coord x\nkinetic x'^2\nfor i in 1..100000 { for j in 1..100000 { } }") == MECH_ERR_LIMIT);
    CHECK(read("coord x\nkinetic sum(i in 1..1000000000000: x'^2)") == MECH_ERR_LIMIT);
    CHECK(read("coord x\nkinetic x'^2\nlet v = [x for i in 1..10000000]") == MECH_ERR_LIMIT);
    CHECK(read("coord x[1..100000000]\nkinetic dot(x', x')") == MECH_ERR_LIMIT);
    CHECK(read("coord x[1..100000, 1..100000]") == MECH_ERR_LIMIT);
    CHECK(read("coord x[1..1e300]") == MECH_ERR_LIMIT);
    CHECK(read("coord x\nkinetic x'^2\nlet v = zeros(100000)\nfor i in 1..1000000 { let w = v + v }") ==
          MECH_ERR_LIMIT);
    CHECK(read("coord x\nkinetic x'^2\nlet I = identity(90)\nfor i in 1..1000000 { let w = I*I }") == MECH_ERR_LIMIT);
}

/* What loops write out is counted in statements, and in all the loops around each of them. */
static void statements(void)
{
    const char *head = "coord x\nkinetic x'^2\n";
    CHECK(read("coord x\nkinetic x'^2\nfor i in 1..3000000 { potential x }") == MECH_ERR_LIMIT);
    CHECK(read("coord x\nkinetic x'^2\nfor i in 1..990000 { potential x }") == MECH_OK);
    CHECK(read("coord x\nkinetic x'^2\nfor i in 1..990000 { force x*i on x' }") == MECH_OK);
    CHECK(read_many(head, "for i in 1..2 {", 150, "potential x", "}", "\n") == MECH_ERR_LIMIT);
}

/* y0 = x + 1, y1 = sin(y0)*y0, y2 = sin(y1)*y1, ...: yN is a product of N factors, each over products of up
 * to N. */
static mech_status products(int count, const char *last)
{
    textbuf t = {0};
    text_add(&t, "coord x\nkinetic x'^2\nlet y0 = x + 1\n");
    for (int i = 1; i <= count; i++) text_format(&t, "let y%d = sin(y%d)*y%d\n", i, i - 1, i - 1);
    text_format(&t, last, count);
    const mech_status status = status_of(last, t.data, t.length);
    text_free(&t);
    return status;
}

static void shared_products(void)
{
    CHECK(products(900, "output y = y%d'\n") == MECH_OK);
    CHECK(products(900, "potential y%d\n") == MECH_ERR_LIMIT);
    CHECK(products(40000, "output y = y%d'\n") == MECH_ERR_LIMIT);
}

/* f40 calls f39 twice, which calls f38 twice, ... */
static void macro_explosion(void)
{
    textbuf t = {0};
    text_add(&t, "coord x\nlet f0(s) = s + x\n");
    for (int i = 1; i <= 40; i++) text_format(&t, "let f%d(s) = f%d(s) - 2*f%d(s)\n", i, i - 1, i - 1);
    text_add(&t, "kinetic f40(x')\n");
    max_turns = 300000;
    CHECK(status_of("macros", t.data, t.length) == MECH_ERR_LIMIT);
    max_turns = 0;
    text_free(&t);
    text_add(&t, "coord x\nlet f0(s) = s\n");
    for (int i = 1; i <= 5000; i++) text_format(&t, "let f%d(s) = f%d(s)\n", i, i - 1);
    text_add(&t, "kinetic f5000(x')\n");
    CHECK(status_of("calls", t.data, t.length) == MECH_ERR_LIMIT);
    text_free(&t);
}

static void numbers(void)
{
    CHECK(read("coord x\nkinetic x'^2\noutput a = 2^10^9") != MECH_OK);
    CHECK(read("coord x\nkinetic x'^2\noutput a = 10^10^10") != MECH_OK);
    CHECK(read("coord x\nkinetic x'^2\noutput a = 3^-1000000000") != MECH_ERR_MEMORY);
    CHECK(read("coord x\nkinetic x'^2\noutput a = x^1000000000") == MECH_OK);
    CHECK(read("coord x\nkinetic x'^2\noutput a = (x + 1)^1000000000") == MECH_OK);
    CHECK(read("coord x\nkinetic x'^2\noutput a = 1e308*1e308") != MECH_OK);
    CHECK(read("coord x\nkinetic x'^2\noutput a = 1e999") != MECH_OK);
    CHECK(read("coord x\nkinetic x'^2\noutput a = 0^-1") != MECH_OK);
    CHECK(read("coord x[1..3]\nkinetic dot(x', x')\noutput a = x[9e15], b = x[-9e15]") != MECH_OK);
}

static void bytes(void)
{
    static const char nul[] = "coord x\nkinetic x'\0^2";
    CHECK(status_of("nul", nul, sizeof nul - 1) == MECH_ERR_SYNTAX);
    CHECK(read("coord x\nkinetic x'^2 # \xFF\n") == MECH_ERR_SYNTAX);
    CHECK(read("coord \xC0\x80") == MECH_ERR_SYNTAX);
    CHECK(read("coord \xED\xA0\x80") == MECH_ERR_SYNTAX);
    CHECK(read("coord \xCE") == MECH_ERR_SYNTAX);
    CHECK(read("coord \xF5\x80\x80\x80") == MECH_ERR_SYNTAX);
    CHECK(read("\xEF\xBB\xBF"
               "coord x\nkinetic x'^2") == MECH_OK);
    CHECK(read("coord x\r\nkinetic x'^2\r\n") == MECH_OK);
    CHECK(read("") != MECH_OK);
    CHECK(read("\n") != MECH_OK);
    CHECK(read("coord x\nkinetic x'^2 \xF0\x9F\x98\x80") == MECH_ERR_SYNTAX);
    CHECK(status_of("none", NULL, 0) != MECH_OK);
}

/* 10 MB: random bytes, random printable signs, random words */
static void junk(void)
{
    enum { SIZE = 10 * 1000 * 1000 };
    static const char *const words[] = {"coord", "x", "kinetic", "for",        "in",    "{",   "}",  "(",
                                        ")",     "[", "]",       "1",          "..",    "+",   "*",  "'",
                                        "=",     ":", "let",     "constraint", "event", "->",  "if", "else",
                                        ",",     ";", "\n",      "\"",         "where", "sum", "on", "param"};
    unsigned state = 12345;
    char *text = malloc(SIZE);
    for (int kind = 0; kind < 3; kind++) {
        size_t used = 0;
        while (used + 12 < SIZE) {
            state = state * 1664525u + 1013904223u;
            const unsigned random = state >> 8;
            if (kind == 0) text[used++] = (char)(random & 0xFF);
            else if (kind == 1) text[used++] = (char)(random % 96 == 95 ? '\n' : 32 + random % 95);
            else {
                const char *word = words[random % (sizeof words / sizeof *words)];
                memcpy(text + used, word, strlen(word));
                used += strlen(word);
                text[used++] = ' ';
            }
        }
        CHECK(status_of("junk", text, used) == MECH_ERR_SYNTAX);
    }
    memset(text, 'a', SIZE);
    CHECK(status_of("one word", text, SIZE) == MECH_ERR_SYNTAX);
    memset(text, '(', SIZE);
    CHECK(status_of("brackets", text, SIZE) == MECH_ERR_SYNTAX);
    memset(text, '}', SIZE);
    CHECK(status_of("braces", text, SIZE) == MECH_ERR_SYNTAX);
    memset(text, ';', SIZE);
    CHECK(status_of("semicolons", text, SIZE) != MECH_OK);
    free(text);
}

static void too_large(void)
{
    enum { SIZE = 65 * 1024 * 1024 };
    char *text = malloc(SIZE);
    memset(text, ' ', SIZE);
    CHECK(status_of("65 MB", text, SIZE) == MECH_ERR_LIMIT);
    free(text);
}

int main(void)
{
    deep_nesting();
    long_texts();
    loops();
    statements();
    shared_products();
    macro_explosion();
    numbers();
    bytes();
    junk();
    too_large();
    printf("figure: hostile texts read in bounded time: %d\n", tried);
    return check_report();
}
