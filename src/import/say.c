/* What is said about a file: errors with their places, notes that stand at the head of the text too. */
#include "import/import.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void import_out_of_memory(importer *c) { c->is_out_of_memory = 1; }

/* In the arena. A name in a file may be as long as the file: what is said is not. */
static char *formatted(importer *c, const char *format, va_list args)
{
    char buffer[4096];
    const int length = vsnprintf(buffer, sizeof buffer, format, args);
    if (length >= (int)sizeof buffer) strcpy(buffer + sizeof buffer - 4, "...");
    char *text = length < 0 ? NULL : arena_text(&c->memory, buffer, strlen(buffer));
    if (!text) import_out_of_memory(c);
    return text;
}

void import_error(importer *c, mech_span span, const char *hint, const char *format, ...)
{
    va_list args;
    if (c->errors++ >= MECH_DIAGNOSTICS_MAX) return;
    va_start(args, format);
    const char *text = formatted(c, format, args);
    va_end(args);
    if (text) diagnostics_add(c->list, MECH_SEVERITY_ERROR, MECH_ERR_MODEL, span, hint, "%s", text);
}

/* A comment is one line, and what a file calls a thing may hold any character. */
static void put_comment(textbuf *t, const char *text)
{
    text_add(t, "# ");
    for (; *text; text++) text_add_char(t, (unsigned char)*text < 0x20 ? '?' : *text);
    text_add_char(t, '\n');
}

void import_warning(importer *c, mech_span span, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = formatted(c, format, args);
    va_end(args);
    if (!text) return;
    diagnostics_add(c->list, MECH_SEVERITY_WARNING, MECH_OK, span, NULL, "%s", text);
    put_comment(&c->head, text);
}

void import_note(importer *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = formatted(c, format, args);
    va_end(args);
    if (!text) return;
    put_comment(&c->head, text);
    if (mem_grow(&c->notes, &c->note_capacity, c->note_count + 1, sizeof *c->notes)) c->notes[c->note_count++] = text;
    else import_out_of_memory(c);
}

/* All in one, once for a file: a model is read often. */
static void show_together(importer *c)
{
    textbuf line = {0};
    int is_told = 0;
    for (size_t i = 0; i < c->note_count; i++) text_format(&line, "%s%s", i ? "; " : "", c->notes[i]);
    if (line.failed) import_out_of_memory(c);
    for (size_t i = 0; !line.failed && i < mech_diagnostics_count(c->list); i++)
        is_told |= strcmp(mech_diagnostics_get(c->list, i)->message, line.data) == 0;
    if (!line.failed && !is_told)
        diagnostics_add(c->list, MECH_SEVERITY_NOTE, MECH_OK, c->whole, NULL, "%s", line.data);
    text_free(&line);
}

void import_show_notes(importer *c)
{
    if (c->options.is_part && c->note_count > 0) {
        show_together(c);
        return;
    }
    for (size_t i = 0; i < c->note_count; i++)
        diagnostics_add(c->list, MECH_SEVERITY_NOTE, MECH_OK, c->whole, NULL, "%s", c->notes[i]);
}

void import_add_name(import_names *names, const char *name)
{
    enum { SHOWN = 8 };
    if (names->count++ < SHOWN) text_format(&names->text, "%s%s", names->count > 1 ? ", " : "", name);
}

const char *import_list(importer *c, import_names *names)
{
    enum { SHOWN = 8 };
    if (names->count > SHOWN) text_format(&names->text, " and %zu more", names->count - SHOWN);
    const char *copy =
        names->text.failed || !names->text.data ? NULL : arena_text(&c->memory, names->text.data, names->text.length);
    if (!copy) import_out_of_memory(c);
    text_free(&names->text);
    names->count = 0;
    return copy ? copy : "";
}

typedef struct counts {
    strmap map;
    import_count *all;
    size_t count, capacity;
} counts;

static void count_one(importer *c, counts *t, const char *what)
{
    const size_t at = strmap_get(&t->map, what);
    if (at != SIZE_MAX) {
        t->all[at].times++;
        return;
    }
    if (!mem_grow(&t->all, &t->capacity, t->count + 1, sizeof *t->all) || !strmap_put(&t->map, what, t->count)) {
        import_out_of_memory(c);
        return;
    }
    t->all[t->count++] = (import_count){what, 1};
}

static void count_attributes(importer *c, const xml_node *node, counts *t)
{
    for (size_t i = 0; i < node->attribute_count; i++) {
        const char *name = node->attributes[i].name;
        if (strncmp(name, "xmlns", 5) == 0 || strncmp(name, "xml:", 4) == 0) continue;
        const char *key = arena_format(&c->memory, "%s %s", node->name, name);
        if (!key) import_out_of_memory(c);
        else if (strmap_get(&c->asked, key) == SIZE_MAX) count_one(c, t, key);
    }
}

/* The next node of the tree in the order of the file; what is in one that was not read is passed over. */
static xml_node *next_node(const xml_node *node, const xml_node *root)
{
    if (node->is_read && node->first) return node->first;
    while (node != root && !node->next) node = node->parent;
    return node == root ? NULL : node->next;
}

static void note_counts(importer *c, const counts *t, const char *title)
{
    enum { SHOWN = 60 };
    textbuf line = {0};
    if (t->count == 0) return;
    for (size_t i = 0; i < t->count && i < SHOWN; i++)
        text_format(&line, t->all[i].times > 1 ? "%s%s (%zu)" : "%s%s", i ? ", " : "", t->all[i].what, t->all[i].times);
    if (t->count > SHOWN) text_format(&line, " and %zu more", t->count - SHOWN);
    if (line.failed) import_out_of_memory(c);
    else import_note(c, "%s: %s", title, line.data);
    text_free(&line);
}

static void free_counts(counts *t)
{
    strmap_free(&t->map);
    mem_free(t->all);
}

/* "visual"; in sections whose elements are named for themselves "tendon spatial". */
static const char *unread_name(importer *c, const xml_node *node)
{
    static const char *const sections[] = {"contact", "tendon", "sensor"};
    for (size_t i = 0; node->parent && i < sizeof sections / sizeof *sections; i++)
        if (strcmp(node->parent->name, sections[i]) == 0) {
            const char *name = arena_format(&c->memory, "%s %s", sections[i], node->name);
            if (!name) import_out_of_memory(c);
            return name ? name : node->name;
        }
    return node->name;
}

void import_note_unread(importer *c, xml_node *root, const char *const *known, size_t known_count)
{
    counts elements = {0}, attributes = {0};
    for (size_t i = 0; i < known_count; i++)
        if (!strmap_put(&c->asked, known[i], 1)) import_out_of_memory(c);
    for (xml_node *node = root; node; node = next_node(node, root)) {
        if (node->is_read) count_attributes(c, node, &attributes);
        else count_one(c, &elements, unread_name(c, node));
    }
    note_counts(c, &elements, "left out");
    note_counts(c, &attributes, "not read");
    free_counts(&elements);
    free_counts(&attributes);
}
