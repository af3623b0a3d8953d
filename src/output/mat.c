/* A table as a MATLAB 5 file. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "base/text.h"
#include "output/mat_file.h"

#include <string.h>

enum { LONGEST = 63, ROOM = 40 }; /* of a name; and of what is kept of one that gets a number */

/* What isalpha says hangs on the locale. */
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Words of MATLAB's language and of Octave's, which cannot be variables. Those that begin with an underscore
   get a letter in front anyway. */
static int is_keyword(const char *name)
{
    static const char *const words[] = {"break",
                                        "case",
                                        "catch",
                                        "classdef",
                                        "continue",
                                        "do",
                                        "else",
                                        "elseif",
                                        "end",
                                        "end_try_catch",
                                        "end_unwind_protect",
                                        "endarguments",
                                        "endclassdef",
                                        "endenumeration",
                                        "endevents",
                                        "endfor",
                                        "endfunction",
                                        "endif",
                                        "endmethods",
                                        "endparfor",
                                        "endproperties",
                                        "endspmd",
                                        "endswitch",
                                        "endwhile",
                                        "for",
                                        "function",
                                        "global",
                                        "if",
                                        "otherwise",
                                        "parfor",
                                        "persistent",
                                        "return",
                                        "spmd",
                                        "switch",
                                        "try",
                                        "until",
                                        "unwind_protect",
                                        "unwind_protect_cleanup",
                                        "while"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0) return 1;
    return 0;
}

/* A name MATLAB accepts: letters, digits, underscores, a letter in front. x' -> x_dot, x[1] -> x_1, end ->
   end_. */
static char *identifier(const char *name)
{
    textbuf out = {0};
    if (!is_letter(*name)) text_add(&out, "c_");
    for (; *name; name++) {
        if (name[0] == '\'' && name[1] == '\'') {
            text_add(&out, "_ddot");
            name++;
        } else if (*name == '\'') {
            text_add(&out, "_dot");
        } else if (is_letter(*name) || is_digit(*name)) {
            text_add_char(&out, *name);
        } else if (*name != ']' && *name != ')') {
            text_add_char(&out, '_');
        }
    }
    if (out.length > LONGEST) out.data[out.length = LONGEST] = '\0';
    if (out.data && is_keyword(out.data)) text_add_char(&out, '_');
    return text_take(&out);
}

/* The identifier of column j, different from all in `taken`: where x_dot stands beside x', or long names are
   cut, the number of the column is added, and one more if there is such a name too. */
static char *own_identifier(const char *name, size_t j, const strmap *taken)
{
    char *natural = identifier(name), *own = natural;
    for (size_t k = 1; own && strmap_get(taken, own) != SIZE_MAX; k++) {
        textbuf out = {0};
        text_add_n(&out, natural, strlen(natural) < ROOM ? strlen(natural) : ROOM);
        text_format(&out, "_c%zu", j + 1);
        if (k > 1) text_format(&out, "_%zu", k);
        if (own != natural) mem_free(own);
        own = text_take(&out);
    }
    if (own != natural) mem_free(natural);
    return own;
}

/* A name for each column, `given` (columns); 0: out of memory. */
static int choose_names(const mech_table *t, char **given)
{
    static const char *const ours[] = {"data", "names", "variables", "units", "not_unique"};
    strmap taken = {0};
    int ok = 1;
    for (size_t i = 0; i < sizeof ours / sizeof *ours && ok; i++) ok = strmap_put(&taken, ours[i], 0);
    for (size_t j = 0; j < t->columns && ok; j++) {
        given[j] = own_identifier(t->names[j], j, &taken);
        ok = given[j] && strmap_put(&taken, given[j], j);
    }
    strmap_free(&taken);
    return ok;
}

static void write_columns(mat_file *f, const mech_table *t, double *by_column)
{
    for (size_t j = 0; j < t->columns; j++)
        for (size_t i = 0; i < t->rows; i++) by_column[j * t->rows + i] = t->data[i * t->columns + j];
    mat_file_matrix(f, "data", by_column, t->rows, t->columns);
    char **given = mem_zeroed(t->columns + 1, sizeof *given);
    if (!given || !choose_names(t, given)) f->status = MECH_ERR_MEMORY;
    for (size_t j = 0; j < t->columns && f->status == MECH_OK; j++)
        mat_file_matrix(f, given[j], by_column + j * t->rows, t->rows, 1);
    mat_file_texts(f, "names", t->names, t->columns);
    mat_file_texts(f, "variables", given, t->columns);
    if (t->units) mat_file_texts(f, "units", t->units, t->columns);
    for (size_t j = 0; t->is_choice && j < t->columns; j++) by_column[j] = t->is_choice[j];
    if (t->is_choice) mat_file_matrix(f, "not_unique", by_column, t->columns, 1);
    for (size_t j = 0; given && j < t->columns; j++) mem_free(given[j]);
    mem_free(given);
}

mech_status mech_mat_write(const char *path, const mech_table *table)
{
    mat_file f;
    if (table->size != sizeof *table) return MECH_ERR_ARGUMENT;
    double *by_column = mem_alloc(((table->rows + 1) * table->columns + 1) * sizeof *by_column);
    if (!by_column) return MECH_ERR_MEMORY;
    mat_file_open(&f, path);
    if (f.status == MECH_OK) write_columns(&f, table, by_column);
    const mech_status status = mat_file_close(&f);
    mem_free(by_column);
    return status;
}
