/* Runs tests/lang/NAME.test: model texts and what must come of them. See tests/lang/README.md.
   `test_lang.cases --show FILE` prints the file with what comes of it now. */
#include "check.h"
#include "model/model.h"

#include "base/mem.h"
#include "base/text.h"

#include <dirent.h>
#include <mech/lang.h>
#include <stdlib.h>

static int show;

typedef struct list {
    char **items;
    size_t count, capacity;
} list;

static void push(list *l, char *item)
{
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 64;
        l->items = realloc(l->items, l->capacity * sizeof *l->items);
    }
    l->items[l->count++] = item;
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    textbuf t = {0};
    char buffer[4096];
    size_t n;
    text_add(&t, "");
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0) text_add_n(&t, buffer, n);
    fclose(f);
    return text_take(&t);
}

static const char *const severities[] = {"note", "warning", "error"};

/* "=> error 1:26: message" and the lines under it, as a test file writes them */
static void describe(textbuf *out, const mech_diagnostic *d)
{
    text_format(out, "=> %s %d:%d: %s\n", severities[d->severity], d->line, d->column, d->message);
    char *all = mech_diagnostic_format(d);
    const char *rest = all ? strchr(all, '\n') : NULL;
    if (rest) text_add(out, rest + 1);
    mech_text_free(all);
}

static void add_names(textbuf *out, const char *name)
{
    if (out->length > 0) text_add(out, ", ");
    text_add(out, name);
}

static void add_expr(textbuf *out, const mech_model *m, mech_expr e)
{
    char *text = e.id ? mech_print(m->pool, e, MECH_PRINT_TEXT) : NULL;
    text_add(out, text ? text : "none");
    mech_text_free(text);
}

/* What a finished model says to the left side of a check; 0 when the question is not known. */
static int answer(textbuf *out, const mech_model *m, const char *key)
{
    unsigned i = 0, j = 0;
    char name[100];
    text_add(out, "");
    if (sscanf(key, "M[%u,%u]", &i, &j) == 2) add_expr(out, m, mech_model_M(m, i - 1, j - 1));
    else if (sscanf(key, "A[%u,%u]", &i, &j) == 2) add_expr(out, m, mech_model_A(m, i - 1, j - 1));
    else if (sscanf(key, "Q[%u]", &i) == 1) add_expr(out, m, mech_model_Q(m, i - 1));
    else if (sscanf(key, "b[%u]", &i) == 1) add_expr(out, m, mech_model_b(m, i - 1));
    else if (sscanf(key, "output%*[ ]%99s", name) == 1) {
        for (size_t k = 0; k < m->outputs_count; k++)
            if (strcmp(m->outputs[k].name, name) == 0) add_expr(out, m, m->outputs[k].value);
    } else if (strcmp(key, "coords") == 0)
        for (size_t k = 0; k < m->coords_count; k++) add_names(out, m->coords[k].name);
    else if (strcmp(key, "constraints") == 0)
        for (size_t k = 0; k < m->constraints_count; k++) add_names(out, m->constraints[k].name);
    else if (strcmp(key, "outputs") == 0)
        for (size_t k = 0; k < m->outputs_count; k++) add_names(out, m->outputs[k].name);
    else if (strcmp(key, "events") == 0)
        for (size_t k = 0; k < m->events_count; k++) add_names(out, m->events[k].name);
    else if (strcmp(key, "structural") == 0) {
        for (size_t k = 0; k < m->params_count; k++)
            if (m->params[k].is_structural) add_names(out, m->params[k].name);
    } else if (strcmp(key, "initial") == 0 || strcmp(key, "guess") == 0) {
        for (size_t k = 0; k < m->initials_count; k++) {
            if (m->initials[k].is_fixed != (key[0] == 'i')) continue;
            if (out->length > 0) text_add(out, ", ");
            add_expr(out, m, m->initials[k].target);
            text_add(out, " = ");
            add_expr(out, m, m->initials[k].value);
        }
    } else return 0;
    return 1;
}

typedef struct test_case {
    const char *file;
    int line;
    textbuf title, text;
    list checks; /* "=> key = value", answered one by one       */
    textbuf log; /* all expected diagnostics, one after another */
} test_case;

static void finish_case(test_case *t)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *m = NULL;
    textbuf log = {0};
    const char *text = t->text.data ? t->text.data : "";
    const mech_status status = mech_read_text("case", text, t->text.length, NULL, d, &m);
    text_add(&log, "");
    text_add(&t->log, "");
    for (size_t i = 0; i < mech_diagnostics_count(d); i++) describe(&log, mech_diagnostics_get(d, i));
    check_count++;
    if (show) printf("%s%s", t->title.data ? t->title.data : "", text);
    for (size_t i = 0; i < t->checks.count; i++) {
        char *key = t->checks.items[i] + 3, *equals = strstr(key, " = ");
        const char *want = equals ? equals + 3 : "";
        textbuf got = {0};
        if (equals) *equals = '\0';
        const int known = m && answer(&got, m, key);
        check_count++;
        if (show) printf("=> %s = %s\n", key, known ? got.data : "?");
        else if (!known || strcmp(got.data, want) != 0) {
            check_failures++;
            fprintf(stderr, "%s:%d: %s is\n  %s\nwant\n  %s\n", t->file, t->line, key, known ? got.data : "(no answer)",
                    want);
        }
        text_free(&got);
    }
    if (show) printf("%s", log.data);
    else if (strcmp(log.data, t->log.data) != 0) {
        check_failures++;
        fprintf(stderr, "%s:%d: got\n%s\nwant\n%s\n", t->file, t->line, log.data, t->log.data);
    }
    CHECK((m != NULL) == (status == MECH_OK));
    text_free(&log);
    mech_model_free(m);
    mech_diagnostics_free(d);
}

static void clear_case(test_case *t)
{
    text_free(&t->title);
    text_free(&t->text);
    text_free(&t->log);
    free(t->checks.items);
}

static int is_diagnostic(const char *line)
{
    return strncmp(line, "=> error ", 9) == 0 || strncmp(line, "=> warning ", 11) == 0 ||
           strncmp(line, "=> note ", 8) == 0;
}

static void run_file(const char *path)
{
    char *all = read_all(path);
    CHECK(all != NULL);
    if (!all) return;
    test_case t = {.file = path, .line = 1};
    int number = 0, in_log = 0, any = 0;
    for (char *line = all, *next; line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end) *end = '\0';
        number++;
        const int closes = strcmp(line, "---") == 0;
        if (closes || !next) {
            if (any) finish_case(&t);
            if (closes && show) printf("---\n");
            clear_case(&t);
            t = (test_case){.file = path, .line = number + 1};
            in_log = any = 0;
            continue;
        }
        any = 1;
        if (strncmp(line, "##", 2) == 0 && t.text.length == 0) text_format(&t.title, "%s\n", line);
        else if (is_diagnostic(line) || (in_log && strncmp(line, "=>", 2) != 0)) {
            in_log = 1;
            text_format(&t.log, "%s\n", line);
        } else if (strncmp(line, "=> ", 3) == 0) push(&t.checks, line);
        else text_format(&t.text, "%s\n", line);
    }
    clear_case(&t);
    mem_free(all);
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int main(int argc, char **argv)
{
    static const char folder[] = "tests/lang";
    if (argc == 3 && strcmp(argv[1], "--show") == 0) {
        show = 1;
        run_file(argv[2]);
        return 0;
    }
    list paths = {0};
    DIR *d = opendir(folder);
    CHECK(d != NULL);
    for (struct dirent *e; d && (e = readdir(d));) {
        const size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 5, ".test") != 0) continue;
        char *path = malloc(n + sizeof folder + 2);
        sprintf(path, "%s/%s", folder, e->d_name);
        push(&paths, path);
    }
    if (d) closedir(d);
    if (paths.count) qsort(paths.items, paths.count, sizeof *paths.items, compare);
    CHECK(paths.count >= 2);
    for (size_t i = 0; i < paths.count; i++) {
        run_file(paths.items[i]);
        free(paths.items[i]);
    }
    free(paths.items);
    return check_report();
}
