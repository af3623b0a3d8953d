/* Property: what is printed as text reads back to the same node, for every derived entry of random systems
   and of every shipped model. A model's own text gets one output more for each entry, written as the entry
   was printed; read again, output and entry must be one node. Likewise for the whole report, whose shared parts
   are read back as values of the language. `print SEED` repeats one system. */
#include <glob.h>

#include <mech/lang.h>
#include <mech/output.h>

#include "base/mem.h"
#include "check.h"
#include "support/random_system.h"

enum { SYSTEMS = 200, MOST_ENTRIES = 4000, MOST_TEXT = 4000000 };
static size_t entries_compared, names_read;
static const char *subject;

/* ---- the entries of a model in one list ---- */

typedef struct entries {
    mech_expr list[MOST_ENTRIES];
    size_t count;
} entries;

static void add_entry(entries *all, mech_expr e)
{
    if (e.id && all->count < MOST_ENTRIES) all->list[all->count++] = e;
}

static void collect_entries(const mech_model *m, entries *all)
{
    const model_equations *e = &m->equations;
    all->count = 0;
    add_entry(all, e->energy);
    add_entry(all, e->power);
    for (size_t i = 0; i < m->coords_count; i++) add_entry(all, e->Q[i]);
    for (size_t i = 0; i < m->rows_count; i++) {
        add_entry(all, e->b[i]);
        add_entry(all, e->r_dot[i]);
        add_entry(all, e->a0[i]);
    }
    for (size_t i = 0; i < e->M.count; i++) add_entry(all, e->M.items[i].value);
    for (size_t i = 0; i < e->A.count; i++) add_entry(all, e->A.items[i].value);
    for (size_t i = 0; i < e->C.count; i++) add_entry(all, e->C.items[i].value);
    for (size_t i = 0; i < e->G.count; i++) add_entry(all, e->G.items[i].value);
}

/* The same in the order of the report for programs. */
static void collect_reported(const mech_model *m, entries *all)
{
    const model_equations *e = &m->equations;
    const model_entries *const matrices[] = {&e->C, &e->G};
    const mech_expr *const rows[] = {e->b, e->a0, e->r, e->r_dot};
    const mech_expr scalars[] = {e->kinetic, e->potential, e->dissipation, e->energy, e->power};
    all->count = 0;
    for (size_t i = 0; i < e->M.count; i++) add_entry(all, e->M.items[i].value);
    for (size_t i = 0; i < m->coords_count; i++) add_entry(all, e->Q[i]);
    for (size_t i = 0; i < e->A.count; i++) add_entry(all, e->A.items[i].value);
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < m->rows_count; i++) add_entry(all, rows[k][i]);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < matrices[k]->count; i++) add_entry(all, matrices[k]->items[i].value);
    for (size_t k = 0; k < 5; k++) add_entry(all, scalars[k]);
}

/* ---- there and back ---- */

static mech_model *read_model(const char *name, const char *text, mech_diagnostics *list)
{
    mech_model *m = NULL;
    const mech_status status = mech_read_text(name, text, strlen(text), NULL, list, &m);
    CHECK(status == MECH_OK);
    if (status != MECH_OK) {
        char *messages = mech_diagnostics_format(list);
        fprintf(stderr, "%s: %.2000s\n", subject, messages ? messages : "");
        mech_text_free(messages);
    }
    return m;
}

/* A value of its own for each symbol. */
static double some_value(void *user, const expr_symbol *s)
{
    (void)user;
    return 0.3 + 0.1 * sin(1 + 3.7 * s->index + 1.3 * s->order + s->class_bit);
}

/* What holds values that stay as they were made (bodies) is written out, and reads back as another form of the same
   number. */
static int is_same_number(const mech_model *m, mech_expr got, mech_expr want)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    double a = 0, b = 1;
    int holds = 0;
    CHECK(expr_reachable(m->pool, &want, 1, &ids, &capacity, &count) == MECH_OK);
    for (size_t i = 0; i < count; i++) holds |= m->pool->nodes[ids[i]].kind == EXPR_HELD;
    mem_free(ids);
    CHECK(expr_evaluate(m->pool, got, some_value, NULL, &a) == MECH_OK &&
          expr_evaluate(m->pool, want, some_value, NULL, &b) == MECH_OK);
    return holds && fabs(a - b) <= 1e-10 * (1 + fabs(b));
}

typedef void (*collector)(const mech_model *m, entries *all);

/* Outputs from `first` on are the entries from..to-1. */
static void compare_outputs(const mech_model *m, size_t first, collector collect, size_t from, size_t to)
{
    static entries all;
    collect(m, &all);
    if (to > all.count) to = all.count;
    CHECK(m->outputs_count == first + to - from);
    for (size_t k = from; k < to && first + k - from < m->outputs_count; k++) {
        const mech_expr read = m->outputs[first + k - from].value;
        entries_compared++;
        check_count++;
        if (read.id == all.list[k].id) continue;
        if (is_same_number(m, read, all.list[k])) continue;
        check_failures++;
        char *got = mech_print(m->pool, read, MECH_PRINT_TEXT);
        char *want = mech_print(m->pool, all.list[k], MECH_PRINT_TEXT);
        fprintf(stderr, "%s: entry %zu reads back as\n  %.600s\nnot as\n  %.600s\n", subject, k, got, want);
        mech_text_free(got);
        mech_text_free(want);
    }
}

/* The entries from `from` on as outputs behind the text, as many as one text may hold; the number of the first that is
   left. */
static size_t write_lot(FILE *f, const mech_pool *p, const entries *all, size_t from)
{
    size_t length = 0, k = from;
    for (; k < all->count; k++) {
        char *printed = mech_print(p, all->list[k], MECH_PRINT_TEXT);
        length += printed ? strlen(printed) : 0;
        const int is_full = k > from && length > MOST_TEXT;
        if (!is_full) fprintf(f, "output round_trip_%zu = %s\n", k, printed ? printed : "");
        mech_text_free(printed);
        if (is_full) break;
    }
    return k;
}

static void round_trip(const char *name, const char *text)
{
    static entries all;
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = read_model(name, text, list);
    if (m) collect_entries(m, &all);
    for (size_t from = 0, to; m && from < all.count; from = to) {
        char *longer = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&longer, &size);
        fprintf(f, "%s\n", text);
        to = write_lot(f, m->pool, &all, from);
        fclose(f);
        mech_model *again = read_model(name, longer, list);
        if (again) compare_outputs(again, m->outputs_count, collect_entries, from, to);
        mech_model_free(again);
        free(longer);
    }
    mech_model_free(m);
    mech_diagnostics_free(list);
}

/* ---- the whole report, there and back ---- */

/* The next quoted text that is no key, ended in place; NULL after the last. */
static char *next_string(char **at)
{
    for (;;) {
        char *first = strchr(*at, '"'), *last = first ? strchr(first + 1, '"') : NULL;
        if (!last) return NULL;
        *at = last + 1;
        if (**at == ':') continue;
        *last = '\0';
        return first + 1;
    }
}

/* The report as statements: names as values, entries as outputs. */
static char *report_statements(char *report)
{
    char *text = NULL, *part;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    char *where = strstr(report, "\n  \"where\": "), *equation = strstr(report, "\n  \"equation\": ");
    if (where) {
        *equation = '\0';
        for (char *name; (name = next_string(&where)) != NULL && (part = next_string(&where)) != NULL; names_read++)
            fprintf(f, "let %s = %s\n", name, part);
    }
    equation++;
    for (size_t k = 0; (part = next_string(&equation)) != NULL; k++)
        fprintf(f, "output round_trip_%zu = %s\n", k, part);
    fclose(f);
    return text;
}

static void report_round_trip(const char *name, const char *text)
{
    mech_equations_options options;
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = read_model(name, text, list);
    char *report = NULL, *longer = NULL;
    size_t size = 0;
    mech_equations_options_default(&options, sizeof options);
    options.format = MECH_REPORT_JSON;
    if (m && mech_report_equations(m, &options, &report) == MECH_OK) {
        const size_t outputs = m->outputs_count;
        char *statements = report_statements(report);
        FILE *f = open_memstream(&longer, &size);
        fprintf(f, "%s\n%s", text, statements);
        fclose(f);
        free(statements);
        mech_model_free(m);
        m = read_model(name, longer, list);
        if (m) compare_outputs(m, outputs, collect_reported, 0, MOST_ENTRIES);
        free(longer);
    }
    CHECK(report != NULL);
    mech_text_free(report);
    mech_model_free(m);
    mech_diagnostics_free(list);
}

/* A spatial chain of rotations whose own names are c1, s and w[2]: the names of the report keep clear. */
static void names_taken(void)
{
    static const char text[] = "param J = 2\ncoord c1, s, w[1..2]\nlet s7 = sin(c1)*cos(s), s_3(x) = x*sin(x)\n"
                               "let p = [cos(c1)*s7, sin(s)*s7*cos(w[1]), s_3(w[2])*cos(c1)*sin(w[1])]\n"
                               "kinetic J*dot(p', p')/2\n";
    const size_t before = names_read;
    subject = "names that are taken";
    report_round_trip(subject, text);
    CHECK(names_read > before);
}

/* ---- random systems as text ---- */

static void write_list(FILE *f, const mech_pool *p, const char *before, const mech_expr *list, size_t count)
{
    fputs(before, f);
    for (size_t i = 0; i < count; i++) {
        char *text = mech_print(p, list[i], MECH_PRINT_TEXT);
        fprintf(f, "%s%s", i == 0 ? "[" : ", ", text ? text : "");
        mech_text_free(text);
    }
    fputs("]", f);
}

static void write_terms(FILE *f, const mech_pool *p, const char *word, const model_term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *text = mech_print(p, terms[i].value, MECH_PRINT_TEXT);
        fprintf(f, "%s %s\n", word, text ? text : "");
        mech_text_free(text);
    }
}

static char *system_text(const mech_model *m)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    for (size_t i = 0; i < m->coords_count; i++) fprintf(f, "coord %s\n", m->coords[i].name);
    fprintf(f, "param a = 0.7, b = 1.3\n");
    for (size_t i = 0; i < m->inputs_count; i++) fprintf(f, "input u = t\n");
    for (size_t i = 0; i < m->states_count; i++) {
        char *rate = mech_print(m->pool, m->states[i].rate, MECH_PRINT_TEXT);
        fprintf(f, "state xi: xi' = %s\n", rate ? rate : "");
        mech_text_free(rate);
    }
    write_terms(f, m->pool, "kinetic", m->kinetic, m->kinetic_count);
    write_terms(f, m->pool, "potential", m->potential, m->potential_count);
    write_terms(f, m->pool, "dissipation", m->dissipation, m->dissipation_count);
    for (size_t i = 0; i < m->forces_count; i++) {
        write_list(f, m->pool, "force ", m->forces[i].force, m->forces[i].count);
        write_list(f, m->pool, " on ", m->forces[i].velocity, m->forces[i].count);
        fputs("\n", f);
    }
    for (size_t i = 0; i < m->rows_count; i++) {
        fprintf(f, "constraint c%zu: ", i);
        write_list(f, m->pool, "", &m->rows[i].residual, 1);
        fputs(" = [0]\n", f);
    }
    for (size_t i = 0; i < m->actuators_count; i++) {
        write_list(f, m->pool, "actuator ", &m->actuators[i].velocity, 1);
        fputs("\n", f);
    }
    fclose(f);
    return text;
}

static void random_one(uint64_t seed)
{
    char name[64];
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    random_system s;
    random_state = seed;
    snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
    subject = name;
    CHECK(mech_model_create(list, &m) == MECH_OK && random_system_create(&s, m) == MECH_OK);
    char *text = system_text(m);
    mech_model_free(m);
    mech_diagnostics_free(list);
    round_trip(name, text);
    report_round_trip(name, text);
    free(text);
}

/* ---- shipped models ---- */

static void shipped_one(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    if (!f) return;
    subject = path;
    CHECK(getdelim(&text, &size, 0, f) > 0);
    fclose(f);
    round_trip(path, text);
    report_round_trip(path, text);
    free(text);
}

int main(int argc, char **argv)
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 1 ? 1 : SYSTEMS;
    for (uint64_t seed = first; seed < first + count; seed++) random_one(seed);
    printf("%llu random systems, seeds %llu to %llu: %zu entries\n", (unsigned long long)count,
           (unsigned long long)first, (unsigned long long)(first + count - 1), entries_compared);
    if (argc > 1) return check_report();
    names_taken();
    glob_t found = {0};
    CHECK(glob("examples/*/model*.mech", 0, NULL, &found) == 0);
    entries_compared = names_read = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) shipped_one(found.gl_pathv[i]);
    printf("%zu shipped models: %zu entries, %zu names for what they share\n", found.gl_pathc, entries_compared,
           names_read);
    globfree(&found);
    return check_report();
}
