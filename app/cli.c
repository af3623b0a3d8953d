#include "cli.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Edits (insert, delete, change, swap) from a to b, at most 30 letters looked at. */
static size_t distance(const char *a, const char *b)
{
    enum { MOST = 31 };
    size_t rows[3][MOST + 1] = {{0}};
    const size_t la = strlen(a) < MOST ? strlen(a) : MOST, lb = strlen(b) < MOST ? strlen(b) : MOST;
    for (size_t j = 0; j <= lb; j++) rows[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            const size_t change = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = change;
            if (last[j] + 1 < now[j]) now[j] = last[j] + 1;
            if (now[j - 1] + 1 < now[j]) now[j] = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
    }
    return rows[la % 3][lb];
}

/* The same but for small and capital letters. */
static int is_alike(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return !*a && !*b;
}

const char *cli_nearest(const char *word, const char *const *known, size_t count)
{
    const char *best = NULL;
    const size_t length = strlen(word);
    for (size_t i = 0; i < count; i++)
        if (is_alike(word, known[i])) return known[i];
    size_t least = length < 3 ? 1 : length / 3 + 1; /* a short name gets no guess */
    for (size_t i = 0; i < count; i++) {
        const size_t d = distance(word, known[i]);
        if (d >= least) continue;
        least = d;
        best = known[i];
    }
    return best;
}

static const cli_option *find_option(const cli_command *c, const char *word, size_t length)
{
    for (const cli_option *o = c->options; o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, word, length) == 0) return o;
    return NULL;
}

/* What other programs call it, where the command has it. */
static const char *other_option(const cli_command *c, const char *word)
{
    static const char *const words[][2] = {
        {"--latex", "--format latex"},
        {"--text", "--format text"},
        {"--end", "--until"},
        {"--tend", "--until"},
        {"--to", "--until"},
        {"--start-time", "--from"},
        {"--dt", "--step"},
        {"--tol", "--rtol"},
        {"--reltol", "--rtol"},
        {"--abstol", "--atol"},
        {"--output", "-o"},
        {"--out", "-o"},
        {"--param", "--set"},
        {"-p", "--set"},
        {"--solver", "--method"},
        {"--t", "--at"},
        {"--time", "--at"},
        {"--figure", "--plot"},
        {"--initial", "--state"},
    };
    if (strcmp(word, "--y") == 0 && strstr(c->operands, "COLUMN")) return c->operands;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], word) == 0 && find_option(c, words[i][1], strcspn(words[i][1], " ")))
            return words[i][1];
    return NULL;
}

static void unknown_option(const cli_command *c, const char *word, char *message, size_t size)
{
    const char *names[CLI_MOST_OPTIONS];
    size_t count = 0;
    for (const cli_option *o = c->options; o->name && count < CLI_MOST_OPTIONS; o++) names[count++] = o->name;
    const char *other = other_option(c, word), *near = other ? other : cli_nearest(word, names, count);
    if (near) snprintf(message, size, "there is no option '%s'; did you mean '%s'?", word, near);
    else snprintf(message, size, "there is no option '%s'; 'mech help %s' lists the options", word, c->name);
}

/* One word that starts with '-': its value may be in it or be the next word. Words used, 0: off. */
static int take_option(const cli_command *c, int left, char *const *words, cli_args *args, char *message, size_t size)
{
    const char *word = words[0], *equals = strchr(word, '=');
    const size_t length = equals && word[1] == '-' ? (size_t)(equals - word) : strlen(word);
    const cli_option *o = find_option(c, word, length);
    if (!o) {
        unknown_option(c, word, message, size);
        return 0;
    }
    const int inside = word[length] == '=';
    if (inside && !o->value) {
        snprintf(message, size, "option '%s' takes no value", o->name);
        return 0;
    }
    if (o->value && !inside && left < 2) {
        snprintf(message, size, "option '%s' wants a value: %s %s", o->name, o->name, o->value);
        return 0;
    }
    if (args->given_count == CLI_MOST_VALUES) {
        snprintf(message, size, "more than %d options", CLI_MOST_VALUES);
        return 0;
    }
    args->given[args->given_count].option = o;
    args->given[args->given_count++].value = !o->value ? "" : inside ? word + length + 1 : words[1];
    return o->value && !inside ? 2 : 1;
}

int cli_parse(const cli_command *c, int count, char *const *words, cli_args *args, char *message, size_t size)
{
    int only_operands = 0;
    args->command = c->name;
    args->operand_count = args->given_count = 0;
    for (int i = 0; i < count;) {
        if (!only_operands && strcmp(words[i], "--") == 0) {
            only_operands = 1;
            i++;
        } else if (!only_operands && words[i][0] == '-' && words[i][1] != '\0') {
            const int used = take_option(c, count - i, words + i, args, message, size);
            if (!used) return 0;
            i += used;
        } else if (args->operand_count == c->most) {
            snprintf(message, size, "'%s' is one word too many: mech %s %s%s", words[i], c->name, c->operands,
                     strchr(words[i], '=') ? "; a list has no spaces in it, and every value an option before it" : "");
            return 0;
        } else {
            args->operands[args->operand_count++] = words[i++];
        }
    }
    if (args->operand_count >= c->fewest) return 1;
    snprintf(message, size, "something is missing: mech %s %s", c->name, c->operands);
    return 0;
}

const char *cli_value(const cli_args *args, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i].option->name, name) == 0) value = args->given[i].value;
    return value;
}

void cli_help(const cli_command *c)
{
    printf("mech %s %s\n  %s\n", c->name, c->operands, c->summary);
    for (const cli_option *o = c->options; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        printf("  %-24s %s\n", left, o->help);
    }
}
