/* From a file to the text of a model. */
#include "import/import.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/options.h"

#include <string.h>

void mech_import_options_default(mech_import_options *options, size_t size)
{
    const mech_import_options all = {0};
    if (options && size >= sizeof options->size) options_default(options, size, &all, sizeof all);
}

static void importer_free(importer *c)
{
    strmap_free(&c->taken);
    strmap_free(&c->asked);
    mem_free(c->bodies);
    mem_free(c->joints);
    mem_free(c->things);
    mem_free(c->notes);
    text_free(&c->renamed.text);
    text_free(&c->head);
    text_free(&c->rest);
    arena_free(&c->memory);
}

/* Elements of xacro are a program that writes URDF. */
static const xml_node *find_xacro(const xml_node *node)
{
    for (const xml_node *root = node; node;) {
        if (strncmp(node->name, "xacro:", 6) == 0) return node;
        if (node->first) node = node->first;
        else {
            while (node != root && !node->next) node = node->parent;
            node = node == root ? NULL : node->next;
        }
    }
    return NULL;
}

static void read_root(importer *c, xml_node *root)
{
    const xml_node *xacro = find_xacro(root);
    const char *command = arena_format(&c->memory, "write it out first: xacro '%s' > robot.urdf", c->path);
    if (xacro) import_error(c, xacro->span, command, "this is xacro, which makes URDF");
    else if (strcmp(root->name, "robot") == 0) import_urdf(c, root);
    else if (strcmp(root->name, "mujoco") == 0) import_mjcf(c, root);
    else
        import_error(c, root->span, "URDF begins with <robot>, MJCF with <mujoco>",
                     strcmp(root->name, "sdf") == 0 ? "SDF is not read: <%s>" : "<%s> is neither URDF nor MJCF",
                     root->name);
}

static void note_numbers(importer *c)
{
    if (c->exact)
        import_note(
            c,
            "%zu angle%s within 1e-10 of a multiple of pi/2 %s exact (--exact-angles off, or 'angles as written', leaves them)",
            c->exact, c->exact > 1 ? "s" : "", c->exact > 1 ? "are" : "is");
    if (c->unit)
        import_note(c, c->unit > 1 ? "%zu axes are brought to length 1" : "%zu axis is brought to length 1", c->unit);
    if (c->renamed.count) import_note(c, "names: %s", import_list(c, &c->renamed));
}

static mech_status import_tree(importer *c, xml_node *root, char **model)
{
    textbuf out = {0};
    text_add(&c->head, "# From ");
    text_add_json(&c->head, c->path);
    text_add(&c->head, "\n");
    if (c->options.place) {
        c->origin = import_new_name(c, c->whole, "body", "origin");
        import_new_name(c, c->whole, "joint", "origin_joint");
    }
    read_root(c, root);
    note_numbers(c);
    c->is_out_of_memory |= c->head.failed || c->rest.failed || c->renamed.text.failed;
    if (!c->is_out_of_memory && !c->errors) import_write(c, &out);
    if (!c->is_out_of_memory && !c->errors) *model = text_take(&out);
    text_free(&out);
    if (*model) import_show_notes(c);
    if (c->is_out_of_memory) {
        mech_text_free(*model);
        *model = NULL;
    }
    return c->is_out_of_memory || (!c->errors && !*model) ? MECH_ERR_MEMORY : c->errors ? MECH_ERR_MODEL : MECH_OK;
}

mech_status mech_import_text(const char *name, const char *text, size_t length, const mech_import_options *options,
                             mech_diagnostics *diagnostics, char **model)
{
    if (model) *model = NULL;
    if (!model || !diagnostics || (!text && length > 0)) return MECH_ERR_ARGUMENT;
    importer c = {.list = diagnostics, .path = name ? name : "robot"};
    if (options_take(&c.options, sizeof c.options, options) != MECH_OK) {
        diagnostics_add(diagnostics, MECH_SEVERITY_ERROR, MECH_ERR_ARGUMENT, (mech_span){0}, NULL, OPTIONS_UNSIZED);
        return MECH_ERR_ARGUMENT;
    }
    xml_node *root = NULL;
    const uint32_t source = diagnostics_add_source(diagnostics, c.path, text ? text : "", length);
    c.whole = (mech_span){source, MECH_SPAN_WHOLE, MECH_SPAN_WHOLE};
    mech_status status = source ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK && length > FILE_MOST_BYTES) {
        diagnostics_add(diagnostics, MECH_SEVERITY_ERROR, MECH_ERR_LIMIT, c.whole, NULL,
                        "the text is larger than 64 MB");
        status = MECH_ERR_LIMIT;
    }
    if (status == MECH_OK) status = xml_read(&c.memory, diagnostics, source, text ? text : "", length, &root);
    if (status == MECH_OK) status = import_tree(&c, root, model);
    importer_free(&c);
    if (!diagnostics_failed(diagnostics)) return status;
    mech_text_free(*model);
    *model = NULL;
    return MECH_ERR_MEMORY;
}

mech_status mech_import_file(const char *path, const mech_import_options *options, mech_diagnostics *diagnostics,
                             char **model)
{
    char *text = NULL;
    size_t length = 0;
    if (model) *model = NULL;
    if (!path || !diagnostics || !model) return MECH_ERR_ARGUMENT;
    mech_status status = file_read_or_say(path, "file", diagnostics, &text, &length);
    if (status == MECH_OK) status = mech_import_text(path, text, length, options, diagnostics, model);
    mem_free(text);
    return status;
}
