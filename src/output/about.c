/* What a CSV file cannot say stands beside it, in NAME.csv-metadata.json: the units of its columns, which of them
   are not unique, and the events, in the form of the W3C's "Metadata Vocabulary for Tabular Data". */
#include "output/about.h"

#include "base/draft.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "base/system.h"

#include <string.h>

char *about_path(const char *path)
{
    textbuf name = {0};
    text_format(&name, "%s-metadata.json", path);
    return text_take(&name);
}

/* Of a column whose values are one choice of many. */
static const char choice[] = "not unique: one choice of many";

static void put_events(textbuf *out, const mech_sim *sim)
{
    size_t written = 0;
    for (size_t i = 0; i < mech_sim_log_count(sim); i++) {
        const mech_log_entry h = mech_sim_log_get(sim, i);
        if (h.kind != MECH_LOG_EVENT) continue;
        text_add(out, written++ ? ",\n    {\"event\": " : "\n    {\"event\": ");
        text_add_string(out, h.name);
        text_add(out, ", \"t\": ");
        text_add_double(out, h.t);
        text_add_char(out, '}');
    }
}

static void begin(textbuf *out, const char *url)
{
    const char *name = strrchr(url, '/');
    text_add(out, "{\"@context\": \"http://www.w3.org/ns/csvw\", \"url\": ");
    text_add_string(out, name ? name + 1 : url);
    text_add(out, ",\n  \"tableSchema\": {\"columns\": [");
}

static void put_column(textbuf *out, size_t place, const char *name, const char *unit, int is_choice)
{
    text_add(out, place ? ",\n    {\"titles\": " : "\n    {\"titles\": ");
    text_add_string(out, name);
    if (unit && *unit) {
        text_add(out, ", \"schema:unitText\": ");
        text_add_string(out, unit);
    }
    if (is_choice) {
        text_add(out, ", \"dc:description\": ");
        text_add_string(out, choice);
    }
    text_add_char(out, '}');
}

/* Beside `path`; frees the text. */
static mech_status finish(textbuf *out, const char *path)
{
    text_add(out, "]}\n");
    char *about = about_path(path), *part = about ? draft_path(about) : NULL;
    mech_status status = part && !out->failed ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = draft_put(part, about, out->data, out->length, SYSTEM_FOLLOWS_LINKS);
    mem_free(part);
    mem_free(about);
    text_free(out);
    return status;
}

mech_status mech_about_write(const char *path, const mech_sim *sim)
{
    const mech_trajectory *t = mech_sim_trajectory(sim);
    textbuf out = {0};
    begin(&out, path);
    for (size_t j = 0; j < mech_trajectory_columns(t); j++)
        put_column(&out, j, mech_trajectory_name(t, j), mech_trajectory_unit(t, j), mech_trajectory_is_choice(t, j));
    text_add(&out, "]},\n  \"notes\": [");
    put_events(&out, sim);
    return finish(&out, path);
}

mech_status about_write(const char *path, const char *url, const about_columns *columns)
{
    textbuf out = {0};
    begin(&out, url);
    for (size_t j = 0; j < columns->count; j++)
        put_column(&out, j, columns->names[j], columns->units[j], columns->is_choice[j]);
    for (const char *const *name = columns->texts; *name; name++) put_column(&out, 1, *name, NULL, 0);
    text_add(&out, "]},\n  \"notes\": [");
    if (columns->made_by) {
        text_add(&out, "{\"made_by\": ");
        text_add_string(&out, columns->made_by);
        text_add_char(&out, '}');
    }
    return finish(&out, path);
}

/* ---- read back: all of JSON, of which titles with units or the mark, and events with times, are kept ---- */

enum { DEEPEST = 16 };

typedef struct reader {
    const char *at, *end;
    mech_table *table;
    textbuf made_by;
    size_t event_capacity;
    int failed, lacks_memory;
} reader;

typedef struct item { /* what an object says */
    textbuf title, unit, about, event;
    double t;
    int has_time;
} item;

static int accept(reader *r, char c)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')) r->at++;
    if (r->at >= r->end || *r->at != c) return 0;
    r->at++;
    return 1;
}

static void add_letter(textbuf *out, unsigned code)
{
    if (code < 0x80) text_add_char(out, (char)code);
    else {
        if (code < 0x800) text_add_char(out, (char)(0xC0 | code >> 6));
        else {
            text_add_char(out, (char)(0xE0 | code >> 12));
            text_add_char(out, (char)(0x80 | (code >> 6 & 63)));
        }
        text_add_char(out, (char)(0x80 | (code & 63)));
    }
}

static void read_escape(reader *r, textbuf *out)
{
    static const char names[] = "bfnrt", letters[] = "\b\f\n\r\t";
    const char c = *r->at++, *known = c ? strchr(names, c) : NULL;
    unsigned code = 0;
    if (c != 'u') {
        text_add_char(out, known ? letters[known - names] : c);
        return;
    }
    for (int k = 0; k < 4 && r->at < r->end; k++, r->at++) {
        const char *digit = strchr("0123456789abcdef", *r->at | 0x20);
        if (!*r->at || !digit) r->failed = 1;
        else code = 16 * code + (unsigned)(digit - "0123456789abcdef");
    }
    add_letter(out, code);
}

static void read_string(reader *r, textbuf *out)
{
    if (!accept(r, '"')) r->failed = 1;
    while (!r->failed && r->at < r->end && *r->at != '"') {
        if (*r->at != '\\') text_add_char(out, *r->at++);
        else if (++r->at < r->end) read_escape(r, out);
    }
    if (r->at >= r->end) r->failed = 1;
    else r->at++;
    r->lacks_memory |= out->failed;
}

static void read_value(reader *r, int depth, textbuf *text, double *number);

static void keep_column(reader *r, const item *i)
{
    mech_table *t = r->table;
    const int is_choice = i->about.length && strcmp(i->about.data, choice) == 0;
    for (size_t j = 0; j < t->columns; j++) {
        textbuf unit = {0};
        if (strcmp(t->names[j], i->title.data) != 0) continue;
        if (is_choice) t->is_choice[j] = 1;
        if (t->units[j] || !i->unit.length) continue;
        text_add(&unit, i->unit.data);
        t->units[j] = text_take(&unit);
        r->lacks_memory |= !t->units[j];
    }
}

static void keep_event(reader *r, item *i)
{
    mech_table *t = r->table;
    if (!mem_grow(&t->events, &r->event_capacity, t->event_count + 1, sizeof *t->events)) r->lacks_memory = 1;
    else t->events[t->event_count++] = (mech_table_event){.name = text_take(&i->event), .t = i->t};
}

static void read_object(reader *r, int depth)
{
    item i = {0};
    if (accept(r, '}')) return;
    do {
        textbuf key = {0}, other = {0};
        read_string(r, &key);
        if (!accept(r, ':')) r->failed = 1;
        const char *name = key.data ? key.data : "";
        const int is_time = strcmp(name, "t") == 0;
        if (!r->failed)
            read_value(r, depth + 1,
                       strcmp(name, "titles") == 0            ? &i.title
                       : strcmp(name, "schema:unitText") == 0 ? &i.unit
                       : strcmp(name, "dc:description") == 0  ? &i.about
                       : strcmp(name, "event") == 0           ? &i.event
                       : strcmp(name, "made_by") == 0         ? &r->made_by
                                                              : &other,
                       is_time ? &i.t : NULL);
        i.has_time |= is_time;
        text_free(&key);
        text_free(&other);
    } while (!r->failed && accept(r, ','));
    if (!accept(r, '}')) r->failed = 1;
    if (!r->failed && i.title.length) keep_column(r, &i);
    if (!r->failed && i.event.length && i.has_time) keep_event(r, &i);
    text_free(&i.title);
    text_free(&i.unit);
    text_free(&i.about);
    text_free(&i.event);
}

static void read_value(reader *r, int depth, textbuf *text, double *number)
{
    textbuf other = {0};
    if (depth > DEEPEST) r->failed = 1;
    else if (accept(r, '{')) read_object(r, depth);
    else if (accept(r, '[')) {
        while (!r->failed && !accept(r, ']')) {
            read_value(r, depth + 1, &other, NULL);
            (void)accept(r, ',');
        }
    } else if (r->at < r->end && *r->at == '"') read_string(r, text);
    else {
        const char *start = r->at;
        while (r->at < r->end && !strchr(",}] \n\r\t", *r->at)) r->at++;
        if (r->at == start) r->failed = 1;
        double value;
        if (number && number_read(start, (size_t)(r->at - start), &value)) *number = value;
    }
    text_free(&other);
}

mech_status about_read(const char *path, mech_table *table, char **made_by)
{
    if (made_by) *made_by = NULL;
    char *about = about_path(path), *bytes = NULL;
    size_t size = 0;
    table->units = mem_zeroed(table->columns + 1, sizeof *table->units);
    table->is_choice = mem_zeroed(table->columns + 1, sizeof *table->is_choice);
    mech_status status =
        about && table->units && table->is_choice ? mech_checkpoint_read(about, &bytes, &size) : MECH_ERR_MEMORY;
    mem_free(about);
    if (status == MECH_ERR_FILE) return MECH_OK; /* nothing is said about it */
    if (status != MECH_OK) return status;
    reader r = {.at = bytes, .end = bytes + size, .table = table};
    textbuf text = {0};
    read_value(&r, 0, &text, NULL);
    text_free(&text);
    mech_text_free(bytes);
    if (made_by && r.made_by.length && !(*made_by = text_take(&r.made_by))) r.lacks_memory = 1;
    else text_free(&r.made_by);
    return r.lacks_memory ? MECH_ERR_MEMORY : MECH_OK; /* what is not whole says what it says */
}
