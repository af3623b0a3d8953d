/* Names that the language takes, one thing a name. */
#include "import/import.h"

#include "base/mem.h"

#include <string.h>

static int is_one_of(const char *name, const char *const *words)
{
    while (*words && strcmp(*words, name) != 0) words++;
    return *words != NULL;
}

/* Words that are no names in the language, and what the text itself uses. */
static int is_reserved(const char *name)
{
    static const char *const words[] = {"and",   "else", "for", "ground", "if",    "in",       "not",          "or",
                                        "where", "t",    "pi",  "dot",    "place", "place_at", "place_turned", NULL};
    return is_one_of(name, words);
}

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Values that bodies and joints have: a point of that name would hide one. */
static int is_value(const char *name)
{
    static const char *const words[] = {"r",     "R",     "c",      "w",    "e",    "x",     "y", "angle",
                                        "slide", "force", "torque", "load", "unit", "value", NULL};
    return is_one_of(name, words);
}

/* Each character that is no letter or digit becomes one _. */
static char *cleaned(importer *c, const char *given)
{
    const size_t length = strlen(given);
    char *name = arena_alloc(&c->memory, length + 8), *out = name;
    if (!name) return NULL;
    if (!is_letter(*given) && *given >= '0' && *given <= '9') *out++ = '_';
    for (const char *p = given; *p; p++) {
        if (((unsigned char)*p & 0xC0) == 0x80) continue;
        *out++ = is_letter(*p) || (*p >= '0' && *p <= '9') ? *p : '_';
    }
    *out = '\0';
    if (is_reserved(name)) strcpy(out, "_");
    return name;
}

static void take(importer *c, const char *name, const char *kind, const char *given)
{
    if (!mem_grow(&c->things, &c->thing_capacity, c->thing_count + 1, sizeof *c->things) ||
        !strmap_put(&c->taken, name, c->thing_count)) {
        import_out_of_memory(c);
        return;
    }
    c->things[c->thing_count++] = (import_thing){kind, given};
    if (strcmp(name, given) == 0) return;
    const char *pair = arena_format(&c->memory, "'%s' is %s", given, name);
    if (pair) import_add_name(&c->renamed, pair);
    else import_out_of_memory(c);
}

static void refuse_name(importer *c, mech_span span, const char *kind, const char *given, const char *name)
{
    const import_thing *other = &c->things[strmap_get(&c->taken, name)];
    if (strcmp(other->kind, kind) != 0)
        import_error(c, span, "give one of them another name in the file",
                     "%s '%s' and %s '%s' would both be called %s", other->kind, other->given, kind, given, name);
    else if (strcmp(other->given, given) == 0)
        import_error(c, span, NULL, "there are two %ss called '%s'", kind, given);
    else
        import_error(c, span, "give one of them another name in the file", "%ss '%s' and '%s' would both be called %s",
                     kind, other->given, given, name);
}

const char *import_new_name(importer *c, mech_span span, const char *kind, const char *given)
{
    char *name = given ? cleaned(c, given) : NULL;
    if (!name) {
        import_out_of_memory(c);
        return NULL;
    }
    if (!*given || strlen(name) > IMPORT_MOST_NAME)
        import_error(c, span, NULL, *given ? "this name is longer than %d bytes" : "this name is empty",
                     IMPORT_MOST_NAME);
    size_t other = strmap_get(&c->taken, name);
    /* files keep links and joints apart, the language does not */
    if ((other != SIZE_MAX && strcmp(c->things[other].kind, kind) != 0) ||
        (strcmp(kind, "site") == 0 && is_value(name))) {
        name = arena_format(&c->memory, "%s_%s", name, kind);
        if (!name) {
            import_out_of_memory(c);
            return NULL;
        }
        other = strmap_get(&c->taken, name);
    }
    if (other != SIZE_MAX) refuse_name(c, span, kind, given, name);
    else take(c, name, kind, given);
    return name;
}
