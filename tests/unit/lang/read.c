/* The calls around the language: options, overrides, files, dumps, tokens, nearest names. */
#include "check.h"
#include "lang/lexer.h"
#include "lang/names.h"
#include "model/model.h"

#include <mech/lang.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static mech_diagnostics *list;

static mech_model *read_model(const char *text, const mech_override *overrides, size_t count)
{
    mech_model *m = NULL;
    mech_read_options options;
    mech_diagnostics_free(list);
    list = mech_diagnostics_create();
    mech_read_options_default(&options, sizeof options);
    options.overrides = overrides;
    options.override_count = count;
    const mech_status status = mech_read_text("text", text, strlen(text), &options, list, &m);
    CHECK((status == MECH_OK) == (m != NULL));
    return m;
}

static void overrides(void)
{
    const char *text = "param N = 2, m = 1, k = 2*m, \xCE\xB1 = 1\ncoord x[1..N]\nkinetic m*dot(x', x')/2 + alpha*k\n";
    const mech_override given[] = {{"N", 5}, {"m", 0.1}, {"alpha", 3}};
    mech_model *m = read_model(text, given, 3);
    CHECK(m && mech_model_coord_count(m) == 5);
    double value = 0;
    CHECK(m && model_constant(m, m->params[2].symbol, &value) == MECH_OK && value == 0.2);
    CHECK(m && m->params[0].is_structural && !m->params[1].is_structural);
    mech_model_free(m);

    const mech_override greek[] = {{"\xCE\xB1", 4}};
    m = read_model(text, greek, 1);
    CHECK(m && model_constant(m, m->params[3].symbol, &value) == MECH_OK && value == 4);
    mech_model_free(m);

    const mech_override misspelt[] = {{"mm", 1}};
    CHECK(!read_model("param mu = 1\ncoord x\nkinetic x'^2", misspelt, 1));
    CHECK(mech_diagnostics_count(list) == 1);
    CHECK_TEXT(mech_diagnostics_get(list, 0)->message, "there is no parameter 'mm' to set");
    const mech_override entry[] = {{"m[2]", 7}};
    m = read_model("param m[1..2] = 1\ncoord x\nkinetic m[2]*x'^2", entry, 1);
    CHECK(m && model_constant(m, m->params[1].symbol, &value) == MECH_OK && value == 7);
    mech_model_free(m);
}

static void arguments(void)
{
    mech_model *m = NULL;
    mech_diagnostics *d = mech_diagnostics_create();
    CHECK(mech_read_text("a", "coord x", 7, NULL, NULL, &m) == MECH_ERR_ARGUMENT);
    CHECK(mech_read_text("a", NULL, 7, NULL, d, &m) == MECH_ERR_ARGUMENT);
    CHECK(mech_read_text("a", "coord x", 7, NULL, d, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_read_file(NULL, NULL, d, &m) == MECH_ERR_ARGUMENT);
    CHECK(mech_read_file("no/such/file.mech", NULL, d, &m) == MECH_ERR_FILE && !m);
    CHECK(mech_read_file("tests", NULL, d, &m) == MECH_ERR_FILE && !m);
    CHECK(mech_diagnostics_error_count(d) == 2);
    mech_diagnostics_free(d);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    if (!f) return;
    fputs(text, f);
    fclose(f);
}

static void remove_file(const char *folder, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static mech_status read_in(const char *folder, const char *name, mech_model **m)
{
    char path[300];
    mech_diagnostics_free(list);
    list = mech_diagnostics_create();
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return mech_read_file(path, NULL, list, m);
}

static void includes(void)
{
    char folder[] = "/tmp/mech_read_XXXXXX";
    mech_model *m = NULL;
    CHECK(mkdtemp(folder) != NULL);
    write_file(folder, "main.mech", "include \"part.mech\"\nkinetic x'^2\n");
    write_file(folder, "part.mech", "coord x\n");
    CHECK(read_in(folder, "main.mech", &m) == MECH_OK);
    mech_model_free(m);
    /* cycles, also through another file and by a longer path */
    write_file(folder, "self.mech", "include \"self.mech\"\n");
    CHECK(read_in(folder, "self.mech", &m) == MECH_ERR_SYNTAX);
    write_file(folder, "a.mech", "include \"./b.mech\"\n");
    write_file(folder, "b.mech", "include \"x/../a.mech\"\n");
    CHECK(read_in(folder, "a.mech", &m) == MECH_ERR_SYNTAX);
    CHECK(strstr(mech_diagnostics_get(list, 0)->message, "includes itself") != NULL);
    CHECK(strstr(mech_diagnostics_get(list, 0)->file, "b.mech") != NULL);
    /* an error inside an included file has its place there */
    write_file(folder, "part.mech", "coord x\nkinetic z'^2\n");
    CHECK(read_in(folder, "main.mech", &m) == MECH_ERR_MODEL);
    CHECK(strstr(mech_diagnostics_get(list, 0)->file, "part.mech") != NULL && mech_diagnostics_get(list, 0)->line == 2);
    /* 17 files deep */
    for (int i = 0; i < 18; i++) {
        char name[30], text[60];
        snprintf(name, sizeof name, "deep%d.mech", i);
        snprintf(text, sizeof text, "include \"deep%d.mech\"\n", i + 1);
        write_file(folder, name, text);
    }
    CHECK(read_in(folder, "deep0.mech", &m) == MECH_ERR_LIMIT);
    /* a text that is not trusted */
    mech_read_options options;
    mech_read_options_default(&options, sizeof options);
    options.no_files = 1;
    options.include_directory = folder;
    const char *text = "include \"part.mech\"\n";
    CHECK(mech_read_text("text", text, strlen(text), &options, list, &m) == MECH_ERR_FILE);
    const char *names[] = {"main.mech", "part.mech", "self.mech", "a.mech", "b.mech"};
    for (size_t i = 0; i < 5; i++) remove_file(folder, names[i]);
    for (int i = 0; i < 18; i++) {
        char name[30];
        snprintf(name, sizeof name, "deep%d.mech", i);
        remove_file(folder, name);
    }
    rmdir(folder);
}

static void dumps(void)
{
    const char *text = "coord x[1..2] \"m\"\nkinetic -x[1]'^2/2 # half\n";
    char *tokens = mech_dump_tokens(text, strlen(text));
    CHECK_TEXT(tokens, "1:1 NAME coord\n1:7 NAME x\n1:8 LBRACKET [\n1:9 NUMBER 1\n1:10 RANGE ..\n1:12 NUMBER "
                       "2\n1:13 RBRACKET ]\n"
                       "1:15 STRING \"m\"\n1:18 NEWLINE\n2:1 NAME kinetic\n2:9 MINUS -\n2:10 NAME x\n2:11 "
                       "LBRACKET [\n2:12 NUMBER 1\n"
                       "2:13 RBRACKET ]\n2:14 PRIME '\n2:15 CARET ^\n2:16 NUMBER 2\n2:17 SLASH /\n2:18 "
                       "NUMBER 2\n2:26 NEWLINE\n");
    mech_text_free(tokens);
    char *tree = mech_dump_syntax(text, strlen(text));
    CHECK_TEXT(tree, "coord { x[(range 1 2)] \"m\" }\nkinetic (multiply (negate (power (prime (index x 1)) 2)) / 2)\n");
    mech_text_free(tree);
    text = "for i in 1..2 { let f(s) = a where a = s }\nif 1 < 2 { allow leastnorm } else { }\n";
    tree = mech_dump_syntax(text, strlen(text));
    CHECK_TEXT(tree, "for i (range 1 2)\n    let { f : s a where a s }\nif (compare '<' 1 2)\n    allow { "
                     "\"leastnorm\" }\n");
    mech_text_free(tree);
}

static void nearest(void)
{
    CHECK(lang_distance("theta", "thata", 3) == 1);
    CHECK(lang_distance("contcat", "contact", 3) == 1);
    CHECK(lang_distance("abc", "xyz", 2) == 3);
    CHECK(lang_distance("", "ab", 3) == 2);
    lang_guess guess;
    lang_guess_start(&guess, "potental");
    lang_guess_try(&guess, "param");
    lang_guess_try(&guess, "potential");
    CHECK_TEXT(guess.best, "potential");
    lang_guess_start(&guess, "q");
    lang_guess_try(&guess, "x");
    CHECK(guess.best == NULL);
}

static void utf8(void)
{
    char name[300];
    CHECK(lang_canonical("\xCE\xB1_1", 4, name) == 7);
    CHECK_TEXT(name, "alpha_1");
    CHECK(lang_canonical("\xCF\x95", 2, name) == 3);
    CHECK_TEXT(name, "phi");
    CHECK(lang_utf8_invalid("a\xCE\xB1", 3) == 3);
    CHECK(lang_utf8_invalid("a\xCE", 2) == 1);
    CHECK(lang_utf8_invalid("ab\0c", 4) == 2);
}

/* Provenance: each statement's nodes and items know their loop indices. */
static void provenance(void)
{
    mech_model *m = read_model("coord x[1..3]\nfor i in 1..3 {\n for j in 1..2 { kinetic j*x[i]'^2 }\n}\n", NULL, 0);
    CHECK(m && m->kinetic_count == 6);
    if (m) {
        const model_origin *o = &m->origins[m->kinetic[5].origin - 1];
        CHECK(o->index_count == 2 && o->indices[0] == 3 && o->indices[1] == 2);
        CHECK(diagnostics_line(list, o->span) == 3);
    }
    mech_model_free(m);
}

/* A chain of many links is read and derived in well under a second (sanitizers are slower). */
static void chain(void)
{
    const char *text = "param N = 10000, m = 1, l = 1, g = 9.81\n"
                       "coord x[1..N], y[1..N], a[1..N]\n"
                       "let tip(i, s) = [x[i] + s*l/2*cos(a[i]), y[i] + s*l/2*sin(a[i])]\n"
                       "for i in 1..N { kinetic m/2*(x[i]'^2 + y[i]'^2) + m*l^2/24*a[i]'^2; potential "
                       "m*g*y[i]; initial x[i] = i - 1/2 }\n"
                       "constraint foot: tip(1, -1) = 0\n"
                       "for i in 1..N-1 { constraint joint[i]: tip(i+1, -1) = tip(i, 1) }\n";
    const clock_t start = clock();
    mech_model *m = read_model(text, NULL, 0);
    const double took = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(m && mech_model_row_count(m) == 20000);
    CHECK(took < 40); /* about two with sanitizers */
    mech_model_free(m);
}

int main(void)
{
    overrides();
    arguments();
    includes();
    dumps();
    nearest();
    utf8();
    provenance();
    chain();
    mech_diagnostics_free(list);
    return check_report();
}
