/* Names and places: every shipped model is read again with each of its own names replaced wherever the outline says
   that it stands. A place that is missed, or one too many, is an unknown name or another model. */
#include <glob.h>
#include <stdlib.h>

#include <mech/lang.h>
#include <mech/outline.h>

#include "check.h"

static char *read_all(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 20);
    *length = f && text ? fread(text, 1, (1 << 20) - 1, f) : 0;
    if (f) fclose(f);
    if (text) text[*length] = '\0';
    return text;
}

static mech_model *read_model(const char *path, const char *text, mech_diagnostics *diagnostics)
{
    mech_model *model = NULL;
    const mech_status status = mech_read_text(path, text, strlen(text), NULL, diagnostics, &model);
    if (status != MECH_OK) {
        char *words = mech_diagnostics_format(diagnostics);
        fprintf(stderr, "%s\n", words ? words : "");
        mech_text_free(words);
    }
    CHECK(status == MECH_OK);
    return model;
}

/* New names: "renamed" and the number of the old one. */
static char *renamed(const char *text, size_t length, const mech_outline *o)
{
    const size_t places = mech_outline_place_count(o);
    char *made = malloc(length + 20 * places + 1);
    size_t from = 0, to = 0;
    for (size_t i = 0; made && i < places; i++) {
        const mech_outline_place *p = mech_outline_place_at(o, i);
        if (mech_outline_name_at(o, p->name)->file) continue;
        memcpy(made + to, text + from, p->start - from);
        to += p->start - from;
        to += (size_t)sprintf(made + to, "renamed%zu", p->name);
        from = p->end;
    }
    if (made) strcpy(made + to, text + from);
    return made;
}

static void check_model(const char *path)
{
    size_t length, mistakes = 1;
    char *text = read_all(path, &length);
    mech_outline *o = NULL;
    CHECK(mech_outline_create(path, text, length, &o, &mistakes) == MECH_OK);
    CHECK(mistakes == 0);
    CHECK(mech_outline_place_count(o) >= mech_outline_name_count(o) / 2);
    char *other = renamed(text, length, o);
    mech_diagnostics *d = mech_diagnostics_create(), *e = mech_diagnostics_create();
    mech_model *a = read_model(path, text, d), *b = read_model(path, other, e);
    if (a && b) {
        CHECK(mech_model_coord_count(a) == mech_model_coord_count(b));
        CHECK(mech_model_constraint_count(a) == mech_model_constraint_count(b));
        CHECK(mech_model_param_count(a) == mech_model_param_count(b));
    }
    if (check_failures) fprintf(stderr, "%s\n", path);
    mech_model_free(a);
    mech_model_free(b);
    mech_diagnostics_free(d);
    mech_diagnostics_free(e);
    mech_outline_free(o);
    free(other);
    free(text);
}

/* What stands at a byte; what a path holds. */
static void check_places(void)
{
    static const char text[] = "component c { coord x; point }\ncomponent k { coord x; kinetic x'^2 }\n"
                               "part a[1]: k\npart b: k\noutput y = a[1].x + b.x\n";
    mech_outline *o = NULL;
    size_t mistakes = 0;
    CHECK(mech_outline_create(NULL, text, sizeof text - 1, &o, &mistakes) == MECH_OK);
    CHECK(mistakes == 1); /* `point }` */
    const size_t member = (size_t)(strstr(text, "].x") - text) + 2;
    const mech_outline_place *p = mech_outline_find(o, member);
    CHECK(p && p->start == member && p->end == member + 1);
    CHECK(p && p == mech_outline_find(o, member + 1)); /* right behind it */
    const mech_outline_name *n = p ? mech_outline_name_at(o, p->name) : NULL;
    CHECK(n && strcmp(n->keyword, "coord") == 0 && n->start == (size_t)(strstr(text, "k { coord x") - text) + 10);
    CHECK(n && mech_outline_holder_before(o, member) == n->holder);
    CHECK(mech_outline_holder_before(o, 3) == SIZE_MAX);
    CHECK(mech_outline_find(o, 1) == NULL); /* a keyword */
    mech_outline_free(o);
    CHECK(mech_outline_create(NULL, NULL, 3, &o, NULL) == MECH_ERR_ARGUMENT && !o);
    CHECK(mech_outline_create(NULL, NULL, 0, &o, NULL) == MECH_OK && mech_outline_name_count(o) == 0);
    mech_outline_free(o);
    CHECK(mech_outline_name_at(NULL, 0) == NULL && mech_outline_find(NULL, 0) == NULL);
}

static void check_words(void)
{
    const char *word, *usage;
    size_t count = 0;
    int is_statement;
    for (; (word = mech_language_word(count, &is_statement, &usage)) != NULL; count++) {
        CHECK(usage && strstr(usage, word));
        CHECK(count > 0 || (is_statement && strcmp(word, "param") == 0));
    }
    CHECK(count > 60);
}

int main(void)
{
    glob_t found = {0};
    CHECK(glob("examples/*/model*.mech", 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) check_model(found.gl_pathv[i]);
    globfree(&found);
    check_places();
    check_words();
    return check_report();
}
