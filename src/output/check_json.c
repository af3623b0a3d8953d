/* The report of `mech check` for a program. */
#include "output/check.h"

#include "output/equations.h"

static void put_name(const mech_model *m, size_t row, textbuf *out)
{
    textbuf name = {0};
    equations_row_name(m, row, &name);
    text_add_char(out, '"');
    if (name.data) text_add_json(out, name.data);
    text_add_char(out, '"');
    out->failed |= name.failed;
    text_free(&name);
}

/* Rows for which member(set) is nonzero, as a list of names. */
static void put_rows(const check_facts *facts, const unsigned char *member, textbuf *out)
{
    int first = 1;
    text_add_char(out, '[');
    for (int row = 0; row < facts->diagnosis->m; row++) {
        if (!member[row]) continue;
        if (!first) text_add(out, ", ");
        put_name(facts->model, (size_t)row, out);
        first = 0;
    }
    text_add_char(out, ']');
}

static void put_row_list(const mech_model *m, textbuf *out)
{
    text_add(out, "  \"rows\": [");
    for (size_t row = 0; row < m->rows_count; row++) {
        text_add(out, row ? ",\n    {\"name\": " : "\n    {\"name\": ");
        put_name(m, row, out);
        text_add(out, ", ");
        equations_row_json(m, row, out);
        text_add_char(out, '}');
    }
    text_add(out, m->rows_count ? "\n  ],\n" : "],\n");
}

static void put_note(textbuf *out, const char *key, const char *note)
{
    if (!note) return;
    text_format(out, ", \"%s\": \"", key);
    text_add_json(out, note);
    text_add_char(out, '"');
}

static void put_initial(const check_facts *facts, textbuf *out)
{
    const mech_diagnosis_result *d = facts->diagnosis;
    text_format(out, "  \"initial\": {\"rank\": %d, \"control_rank\": %d, \"degrees_of_freedom\": %zu", facts->rank,
                facts->control_rank, facts->freedom);
    text_format(out, ", \"status\": \"%s\"", mech_status_text(facts->status));
    if (facts->is_indefinite) text_add(out, ", \"indefinite_mass\": true");
    put_note(out, "friction", facts->friction);
    put_note(out, "no_mass", facts->length);
    if (d) {
        text_add(out, ", \"redundant\": ");
        put_rows(facts, d->redundant, out);
        text_add(out, ", \"conflicts\": [");
        for (int set = 0; set < d->conflicts; set++) {
            if (set) text_add(out, ", ");
            put_rows(facts, d->in_conflict + (size_t)set * (size_t)d->m, out);
        }
        text_add_char(out, ']');
    }
    text_add_char(out, '}');
}

void check_json(const check_facts *facts, textbuf *out)
{
    const mech_model *m = facts->model;
    text_add(out, "{\n  \"coordinates\": [");
    for (size_t i = 0; i < m->coords_count; i++) {
        if (i) text_add(out, ", ");
        text_add_string(out, m->coords[i].name);
    }
    text_add(out, "],\n  \"parameters\": {");
    for (size_t i = 0; i < m->params_count; i++) {
        text_add(out, i ? ", \"" : "\"");
        text_add_json(out, m->params[i].name);
        text_add(out, "\": ");
        text_add_double(out, m->params[i].number);
    }
    text_add(out, "},\n");
    put_row_list(m, out);
    if (m->mechanism) check_bodies_json(facts, out);
    if (facts->has_numbers) put_initial(facts, out);
    else text_format(out, "  \"initial\": null, \"status\": \"%s\"", mech_status_text(facts->status));
    text_add(out, "\n}\n");
}
