/* `include`. */
#include "lang/include.h"

#include "base/file.h"
#include "base/mem.h"

#include <string.h>

/* 1 when the file may be included here: no cycle, not too deep. */
static int may_include(lang_parser *p, const char *path, mech_span span)
{
    int depth = 1;
    for (const lang_parser *f = p; f; f = f->parent, depth++)
        if (strcmp(f->path, path) == 0) {
            lang_error(p->c, MECH_ERR_SYNTAX, span, NULL, "'%s' includes itself", path);
            return 0;
        }
    if (depth > LANG_MAX_INCLUDE) {
        lang_error(p->c, MECH_ERR_LIMIT, span, NULL, "files include files more than %d deep", LANG_MAX_INCLUDE);
        return 0;
    }
    return 1;
}

lang_statement *lang_include(lang_parser *p, const char *file, mech_span span)
{
    lang_context *c = p->c;
    const char *path = file_path(&c->memory, p->directory, file), *problem = NULL;
    const char *directory = path ? file_directory(&c->memory, path) : NULL;
    char *text = NULL;
    size_t length = 0;
    if (!directory) {
        lang_out_of_memory(c);
        return NULL;
    }
    if (c->options.no_files) {
        lang_error(c, MECH_ERR_FILE, span, NULL, "this text may not read files");
        return NULL;
    }
    if (!may_include(p, path, span)) return NULL;
    const mech_status status = file_read(path, &text, &length, &problem);
    if (status == MECH_ERR_MEMORY) lang_out_of_memory(c);
    else if (status != MECH_OK) lang_error(c, status, span, NULL, "cannot include '%s': %s", path, problem);
    if (status != MECH_OK) return NULL;
    lang_statement *first = lang_parse(c, p, path, directory, text, length);
    mem_free(text);
    return first;
}
