/* Every block of the pages for readers is read: ```mech must be accepted, ```mech-error refused. tests/scripts/docs.sh
   runs them. */
#include "check.h"

#include "base/text.h"

#include <mech/lang.h>
#include <stdlib.h>

static void check_block(const char *page, const char *text, size_t length, int line, int must_fail)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *m = NULL;
    const mech_status status = mech_read_text(page, text, length, NULL, d, &m);
    CHECK((status != MECH_OK) == must_fail);
    if ((status != MECH_OK) != must_fail) {
        char *all = mech_diagnostics_format(d);
        fprintf(stderr, "%s:%d: %s\n%s", page, line, mech_status_text(status), all ? all : "");
        mech_text_free(all);
    }
    mech_model_free(m);
    mech_diagnostics_free(d);
}

static void check_page(const char *page, int *good, int *bad)
{
    FILE *f = fopen(page, "rb");
    CHECK(f != NULL);
    if (!f) return;
    char line[4096];
    textbuf block = {0};
    int number = 0, start = 0, inside = 0, must_fail = 0;
    while (fgets(line, sizeof line, f)) {
        number++;
        if (!inside && (strcmp(line, "```mech\n") == 0 || strcmp(line, "```mech-error\n") == 0)) {
            inside = 1;
            start = number;
            must_fail = strcmp(line, "```mech\n") != 0;
        } else if (inside && strncmp(line, "```", 3) == 0) {
            check_block(page, block.data ? block.data : "", block.length, start, must_fail);
            *good += !must_fail;
            *bad += must_fail;
            text_free(&block);
            inside = 0;
        } else if (inside) text_add(&block, line);
    }
    fclose(f);
}

int main(void)
{
    static const char *const pages[] = {"README.md",        "docs/language.md", "docs/bodies.md",  "docs/motion.md",
                                        "docs/numerics.md", "docs/status.md",   "docs/glossary.md"};
    int good = 0, bad = 0;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) check_page(pages[i], &good, &bad);
    CHECK(good >= 40);
    CHECK(bad >= 5);
    return check_report();
}
