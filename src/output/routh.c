/* Routh's array as a table: powers of s down the side. */
#include "output/modes.h"

#include <string.h>

static const char *const row_notes[] = {"", "   (began with 0: extended by itself, shifted)",
                                        "   (was a row of zeros: derivative of the auxiliary polynomial)"};

/* Any array: entry(i, j) from either kind of result. */
typedef struct table {
    int is_full; /* numbers without rounding */
    int rows, columns;
    const mech_routh *routh;
    const mech_symbolic_result *symbolic;
    int format;
    const unsigned char *kind;
} table;

static const char *entry(const table *t, int i, int j)
{
    if (t->routh) return (t->is_full ? mech_routh_entry_full : mech_routh_entry)(t->routh, i, j);
    return t->symbolic->array[t->format][i * t->columns + j];
}

static void table_text(const table *t, textbuf *out)
{
    size_t width = 1;
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->columns; j++) {
            const size_t length = strlen(entry(t, i, j));
            if (length > width) width = length > 34 ? 34 : length;
        }
    for (int i = 0; i < t->rows; i++) {
        text_format(out, "  s^%-3d", t->rows - 1 - i);
        const int used = (t->rows - 1 - i) / 2 + 1; /* the rest is zero */
        for (int j = 0; j < used; j++) text_format(out, "  %-*s", j + 1 < used ? (int)width : 0, entry(t, i, j));
        text_format(out, "%s\n", row_notes[t->kind[i]]);
    }
}

static void table_latex(const table *t, textbuf *out)
{
    text_add(out, "\\begin{array}{c|");
    for (int j = 0; j < t->columns; j++) text_add_char(out, 'c');
    text_add(out, "}\n");
    for (int i = 0; i < t->rows; i++) {
        text_format(out, "s^{%d}", t->rows - 1 - i);
        for (int j = 0; j < t->columns; j++) text_format(out, " & %s", entry(t, i, j));
        text_add(out, i + 1 < t->rows ? " \\\\\n" : "\n");
    }
    text_add(out, "\\end{array}\n");
}

static void table_json(const table *t, textbuf *out)
{
    static const char *const kinds[] = {"plain", "zero pivot", "zero row"};
    text_add(out, "[");
    for (int i = 0; i < t->rows; i++) {
        text_format(out, "%s{\"power\": %d, \"kind\": \"%s\", \"entries\": [", i ? ", " : "", t->rows - 1 - i,
                    kinds[t->kind[i]]);
        for (int j = 0; j < t->columns; j++) {
            if (j) text_add(out, ", ");
            text_add_string(out, entry(t, i, j));
        }
        text_add(out, "]}");
    }
    text_add_char(out, ']');
}

static table of_routh(const mech_routh *routh)
{
    const mech_routh_result *r = mech_routh_get(routh);
    return (table){.rows = r->rows, .columns = r->columns, .routh = routh, .kind = r->row_kind};
}

static table of_symbolic(const mech_symbolic_result *s, int format)
{
    return (table){.rows = s->rows, .columns = s->columns, .symbolic = s, .format = format, .kind = s->row_kind};
}

void routh_text(const mech_routh *routh, int shifts, textbuf *out)
{
    const mech_routh_result *r = mech_routh_get(routh);
    const table t = of_routh(routh);
    text_format(out, "Routh array  (%s; %d sign change%s in the first column)\n", r->is_exact ? "exact" : "floating",
                r->sign_changes, r->sign_changes == 1 ? "" : "s");
    table_text(&t, out);
    text_format(out, "             %d right, %d left, %d on the axis", r->right, r->left, r->axis);
    if (r->zero && shifts)
        text_format(out, " (%d at 0, %d of them the shift%s above)", r->zero, shifts, shifts == 1 ? "" : "s");
    else if (r->zero) text_format(out, " (%d at 0)", r->zero);
    text_format(out, ": %s\n", mech_verdict_text(r->verdict));
}

void routh_latex(const mech_routh *routh, textbuf *out)
{
    const table t = of_routh(routh);
    table_latex(&t, out);
}

void routh_json(const mech_routh *routh, textbuf *out)
{
    const mech_routh_result *r = mech_routh_get(routh);
    table t = of_routh(routh);
    t.is_full = 1;
    text_format(out,
                "{\"degree\": %d, \"exact\": %s, \"right\": %d, \"left\": %d, \"axis\": %d, \"zero\": %d, "
                "\"repeated\": %d, "
                "\"sign_changes\": %d, \"verdict\": \"%s\", \"array\": ",
                r->degree, r->is_exact ? "true" : "false", r->right, r->left, r->axis, r->zero, r->repeated,
                r->sign_changes, mech_verdict_text(r->verdict));
    table_json(&t, out);
    text_add_char(out, '}');
}

/* ---- in symbols ---- */

static void notes_text(const mech_symbolic_result *s, textbuf *out)
{
    if (!s->holds && s->symbol_count) {
        text_add(out, "             the point is an equilibrium only for the present values:");
        for (int k = 0; k < s->symbol_count; k++)
            text_format(out, "%s %s = %.7g", k ? "," : "", s->symbols[0][k], s->nominal[k]);
        text_add_char(out, '\n');
    }
    if (!s->is_exact) text_add(out, "             numbers that are not rational were rounded to 12 digits\n");
}

/* The factors, equal ones as powers. */
static void factors_text(const mech_symbolic_result *s, int format, textbuf *out)
{
    if (s->factor_count < 2) return;
    text_add(out, format ? "\\[ p(s) = " : "           = ");
    for (int k = 0; k < s->factor_count; k++) {
        const char *factor = s->factors[format][k];
        int before = 0, times = 0;
        for (int i = 0; i < s->factor_count; i++) {
            times += strcmp(s->factors[format][i], factor) == 0;
            before += i < k && strcmp(s->factors[format][i], factor) == 0;
        }
        if (before) continue;
        const int bare = strlen(factor) == 1;
        text_format(out, bare ? "%s%s" : format ? "%s\\left(%s\\right)" : "%s(%s)", k ? " " : "", factor);
        if (times > 1) text_format(out, format ? "^{%d}" : "^%d", times);
    }
    text_add(out, format ? " \\]\n" : "\n");
}

void symbolic_text(const mech_symbolic_result *s, int with_array, textbuf *out)
{
    const table t = of_symbolic(s, 0);
    text_format(out, "Polynomial   %s\n", s->polynomial[0]);
    factors_text(s, 0, out);
    notes_text(s, out);
    if (!with_array) return;
    if (s->is_cut) {
        text_add(
            out,
            "             its Routh array and conditions are too large in these symbols: fewer of them, or --map, may do\n");
        return;
    }
    text_add(out, "Routh array  (in symbols)\n");
    table_text(&t, out);
    text_add(out, "Conditions   ");
    if (s->never)
        text_format(out, "never asymptotically stable, because of the factor %s%s", s->why_never[0],
                    s->condition_count ? "; the others need " : "");
    else if (!s->condition_count) text_add(out, "asymptotically stable without any");
    for (int k = 0; k < s->condition_count; k++) text_format(out, "%s%s > 0", k ? ", " : "", s->conditions[0][k]);
    text_add_char(out, '\n');
    for (int k = 0; k < s->marginal_count; k++)
        text_format(out, "%s%s > 0", k ? ", " : "             on the axis, marginal, where ", s->marginal[0][k]);
    if (s->marginal_count) text_add_char(out, '\n');
}

void symbolic_latex(const mech_symbolic_result *s, textbuf *out)
{
    const table t = of_symbolic(s, 1);
    text_format(out, "\\[ p(s) = %s \\]\n", s->polynomial[1]);
    factors_text(s, 1, out);
    if (s->is_cut) return;
    text_add(out, "\\[\n");
    table_latex(&t, out);
    text_add(out, "\\]\n");
    if (s->condition_count) {
        text_add(out, "\\[ ");
        for (int k = 0; k < s->condition_count; k++)
            text_format(out, "%s%s > 0", k ? ",\\quad " : "", s->conditions[1][k]);
        text_add(out, " \\]\n");
    }
}

static void list_json(const char *key, const char *const *list, int count, textbuf *out)
{
    text_format(out, "\"%s\": [", key);
    for (int k = 0; k < count; k++) {
        if (k) text_add(out, ", ");
        text_add_string(out, list[k]);
    }
    text_add_char(out, ']');
}

void symbolic_json(const mech_symbolic_result *s, textbuf *out)
{
    const table t = of_symbolic(s, 2);
    text_format(out, "{\"degree\": %d, \"exact\": %s, \"holds\": %s, \"full\": %s, \"cut\": %s, ", s->degree,
                s->is_exact ? "true" : "false", s->holds ? "true" : "false", s->is_full ? "true" : "false",
                s->is_cut ? "true" : "false");
    list_json("symbols", s->symbols[2], s->symbol_count, out);
    text_add(out, ", \"polynomial\": \"");
    text_add_json(out, s->polynomial[2]);
    text_add(out, "\", ");
    list_json("factors", s->factors[2], s->factor_count, out);
    text_add(out, ", ");
    list_json("conditions", s->conditions[2], s->condition_count, out);
    text_add(out, ", ");
    list_json("marginal", s->marginal[2], s->marginal_count, out);
    text_add(out, ", \"never\": ");
    text_add_string(out, s->never ? s->why_never[2] : NULL);
    text_add(out, ", \"array\": ");
    table_json(&t, out);
    text_add_char(out, '}');
}
