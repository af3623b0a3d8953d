/* table(x, "file.csv", "column"): a function given by points of a file. */
#include "lang/call.h"

#include "base/file.h"
#include "lang/evaluate.h"

#include <string.h>

/* The column as points, read once for each file and column of the text; NULL when that was reported. */
static const points_table *find_points(lang_context *c, const lang_node *file, const lang_node *column)
{
    const char *path = file_path(&c->memory, file->directory, file->text);
    if (!path) {
        lang_out_of_memory(c);
        return NULL;
    }
    for (const lang_table *t = c->tables; t; t = t->next)
        if (strcmp(t->file, path) == 0 && strcmp(t->column, column->text) == 0) return &t->points;
    lang_table *t = arena_alloc(&c->memory, sizeof *t);
    if (!t) {
        lang_out_of_memory(c);
        return NULL;
    }
    const mech_status status = table_read(path, column->text, 1, c->diagnostics, file->span, &t->points);
    if (status == MECH_ERR_MEMORY) lang_out_of_memory(c);
    if (status != MECH_OK) return NULL;
    *t = (lang_table){c->tables, path, column->text, t->points};
    c->tables = t;
    if (model_keep_file(c->model, path) != MECH_OK) lang_out_of_memory(c);
    return &t->points;
}

void lang_tables_free(lang_context *c)
{
    for (lang_table *t = c->tables; t; t = t->next) table_free(&t->points);
    c->tables = NULL;
}

/* table(x, "file", "column" [, smooth | linear]) */
lang_value lang_fn_table(lang_context *c, const lang_node *n, int which)
{
    const lang_node *file = n->first->next, *column = file->next, *how = column->next;
    (void)which;
    const lang_value x = lang_evaluate_scalar(c, n->first, "a number to look up");
    if (x.rank == RANK_ERROR) return x;
    if (file->kind != NODE_TEXT || column->kind != NODE_TEXT || file->op || column->op || (how && !how->op)) {
        const lang_node *wrong = file->kind != NODE_TEXT || file->op       ? file
                                 : column->kind != NODE_TEXT || column->op ? column
                                                                           : how;
        lang_error(c, MECH_ERR_MODEL, wrong->span,
                   "write table(x, \"file.csv\", \"column\") or table(x, \"file.csv\", \"column\", smooth)",
                   wrong == how ? "expected 'smooth' or 'linear'" : "expected the name of a %s in quotes",
                   wrong == file ? "file" : "column");
        return lang_no_value();
    }
    if (c->options.no_files) {
        lang_error(c, MECH_ERR_FILE, file->span, NULL, "this text may not read files");
        return lang_no_value();
    }
    const points_table *points = find_points(c, file, column);
    if (!points) return lang_no_value();
    if (points->count > LANG_MAX_POINTS) {
        lang_error(
            c, MECH_ERR_LIMIT, file->span,
            "a function of time is 'input u = file \"...\" column \"...\"', with any number of points; else thin it out",
            "the table has %zu points, and table() takes %d at most", points->count, LANG_MAX_POINTS);
        return lang_no_value();
    }
    if (!lang_spend_work(c, 8 * points->count, n->span)) return lang_no_value();
    const int is_smooth = how && strcmp(how->text, "smooth") == 0;
    return lang_take_symbol(c, mech_interpolate(c->pool, x.scalar, points->t, points->y, points->count, is_smooth));
}
