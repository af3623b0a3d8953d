/* Spaces set anew: what it makes of a few texts, written by hand; and of every shipped model the same syntax, the same
   comments, and itself when formatted again. */
#include <glob.h>
#include <stdlib.h>

#include <mech/lang.h>
#include <mech/outline.h>

#include "check.h"

static void becomes(const char *text, const char *wanted)
{
    char *made = NULL, *again = NULL;
    CHECK(mech_format(text, strlen(text), &made) == MECH_OK);
    CHECK_TEXT(made ? made : "", wanted);
    CHECK(mech_format(wanted, strlen(wanted), &again) == MECH_OK);
    CHECK_TEXT(again ? again : "", wanted);
    mech_text_free(made);
    mech_text_free(again);
}

static void refused(const char *text, size_t length)
{
    char *made = NULL;
    CHECK(mech_format(text, length, &made) == MECH_ERR_SYNTAX);
    CHECK(made == NULL);
}

static void by_hand(void)
{
    becomes("", "");
    becomes("\n\n  \n", "");
    becomes("# only a comment  \t", "# only a comment\n");
    becomes("param   m=2   \"kg\" ,r = .5\"m\"", "param m = 2 \"kg\", r = .5 \"m\"\n");
    becomes("\xEF\xBB\xBF"
            "coord x\r\n\r\n\r\nkinetic   x ' ^ 2 / 2\t# half\r\n",
            "coord x\n\nkinetic x'^2/2  # half\n");
    becomes("potential   -m * g*y+ k/2 *(x-l)^2", "potential -m*g*y + k/2*(x - l)^2\n");
    becomes("let a=-b- -c", "let a = -b - -c\n");
    becomes("let f( a,b )=a  -  b*-1", "let f(a, b) = a - b*-1\n");
    becomes("event e : x falls through   -1->set x' = -x' ;", "event e: x falls through -1 -> set x' = -x';\n");
    becomes("gravity   [ 0,-9.81 ]", "gravity [0, -9.81]\n");
    becomes("coord q [1 .. N + 1], p[1..3 , i - 1]", "coord q [1..N+1], p[1..3, i-1]\n");
    becomes("for i in 1 .. N - 1{\ncoord x[i ]\n   # within\n if i>1 {\n force 1 on x[ i ]'\n}\n  }",
            "for i in 1..N-1 {\n    coord x[i]\n    # within\n    if i > 1 {\n        force 1 on x[i]'\n    }\n}\n");
    becomes("for i in 1..3 {coord x[i]}", "for i in 1..3 { coord x[i] }\n");
    becomes("kinetic m/2*(x'^2   # first\n\n +y'^2\n )", "kinetic m/2*(x'^2  # first\n\n    + y'^2\n)\n");
    becomes("initial x=1,\n# and\ny=2", "initial x = 1,\n    # and\n    y = 2\n");
    becomes("param \xCE\xB1 = 1, x = \"# no comment\"", "param \xCE\xB1 = 1, x = \"# no comment\"\n");
    refused("output n = leg [2] .x", 21);
    refused("let a = 1 $ 2", 13);
    refused("let a = \"open\n", 14);
    refused("let a\0b", 7);
    refused("let \xFF = 1", 9);
    char *made = NULL;
    CHECK(mech_format(NULL, 0, &made) == MECH_ERR_ARGUMENT);
    CHECK(mech_format("", 0, NULL) == MECH_ERR_ARGUMENT);
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 20);
    const size_t length = f && text ? fread(text, 1, (1 << 20) - 1, f) : 0;
    if (f) fclose(f);
    if (text) text[length] = '\0';
    return text;
}

/* All comments, one a line, without spaces at their ends. */
static char *comments(const char *text)
{
    char *list = malloc(strlen(text) + 2), *to = list;
    int is_quoted = 0, is_comment = 0;
    for (const char *c = text; list && *c; c++) {
        if (*c == '\n') {
            while (is_comment && strchr(" \t\r", to[-1])) to--;
            if (is_comment) *to++ = '\n';
            is_quoted = is_comment = 0;
        } else if (*c == '"' && !is_comment) is_quoted = !is_quoted;
        else if (*c == '#' && !is_quoted) is_comment = 1;
        if (is_comment && *c != '\n') *to++ = *c;
    }
    if (list) *to = '\0';
    return list;
}

static void same_model(const char *path)
{
    char *text = read_all(path), *made = NULL, *again = NULL;
    CHECK(text && mech_format(text, strlen(text), &made) == MECH_OK);
    if (!made) {
        printf("not formatted: %s\n", path);
        free(text);
        return;
    }
    CHECK(mech_format(made, strlen(made), &again) == MECH_OK);
    CHECK_TEXT(again ? again : "", made);
    char *before = mech_dump_syntax(text, strlen(text)), *after = mech_dump_syntax(made, strlen(made));
    CHECK(before && after && strcmp(before, after) == 0);
    char *said = comments(text), *kept = comments(made);
    CHECK(said && kept && strcmp(said, kept) == 0);
    free(said);
    free(kept);
    mech_text_free(before);
    mech_text_free(after);
    mech_text_free(made);
    mech_text_free(again);
    free(text);
}

int main(void)
{
    by_hand();
    static const char *const places[] = {"examples/*/*.mech", "tests/app/*.mech", "bench/models/*.mech",
                                         "tests/robots/*.mech"};
    size_t models = 0;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        glob_t found = {0};
        if (glob(places[p], 0, NULL, &found) == 0)
            for (size_t i = 0; i < found.gl_pathc; i++) same_model(found.gl_pathv[i]);
        models += found.gl_pathc;
        globfree(&found);
    }
    CHECK(models > 90);
    printf("%zu models\n", models);
    return check_report();
}
