/* Every shipped model is read: examples/NAME/model*.mech, each with its page and picture. */
#include <glob.h>
#include <unistd.h>

#include <mech/lang.h>

#include "check.h"

static void check_model(const char *path)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    const mech_status status = mech_read_file(path, NULL, diagnostics, &model);
    if (status != MECH_OK) {
        char *text = mech_diagnostics_format(diagnostics);
        fprintf(stderr, "%s is refused: %s\n%s\n", path, mech_status_text(status), text ? text : "");
        mech_text_free(text);
    }
    CHECK(status == MECH_OK);
    CHECK(status != MECH_OK || mech_model_coord_count(model) > 0);
    CHECK(mech_diagnostics_error_count(diagnostics) == 0);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

/* The folder of a model also has README.md and picture.svg. */
static void check_folder(const char *path)
{
    char file[512];
    const int folder = (int)(strrchr(path, '/') - path);
    snprintf(file, sizeof file, "%.*s/README.md", folder, path);
    CHECK(access(file, R_OK) == 0);
    snprintf(file, sizeof file, "%.*s/picture.svg", folder, path);
    CHECK(access(file, R_OK) == 0);
}

int main(void)
{
    glob_t found = {0};
    CHECK(glob("examples/*/model*.mech", 0, NULL, &found) == 0);
    CHECK(found.gl_pathc >= 32);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        check_model(found.gl_pathv[i]);
        check_folder(found.gl_pathv[i]);
    }
    printf("%zu models read\n", found.gl_pathc);
    globfree(&found);
    return check_report();
}
