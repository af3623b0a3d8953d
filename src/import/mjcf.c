/* MJCF: the file and what it includes, settings, then its sections in turn. */
#include "import/mjcf.h"

#include "base/file.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { MOST_INCLUDED = 16 };

static xml_node *read_included(mjcf *m, const xml_node *node, const char *file)
{
    importer *c = m->c;
    const char *folder = file_directory(&c->memory, c->path),
               *path = folder ? file_path(&c->memory, folder, file) : NULL, *problem = NULL;
    char *text = NULL;
    size_t length = 0;
    xml_node *root = NULL;
    if (!path) {
        import_out_of_memory(c);
        return NULL;
    }
    if (strmap_get(&m->files, path) != SIZE_MAX || strcmp(path, c->path) == 0) {
        import_error(c, xml_place(node, "file"), NULL, "'%s' is included twice", path);
        return NULL;
    }
    mech_status status = strmap_put(&m->files, path, 1) ? file_read(path, &text, &length, &problem) : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        const char *kept = arena_text(&c->memory, text, length);
        const uint32_t source = kept ? diagnostics_add_source(c->list, path, text, length) : 0;
        status = source ? xml_read(&c->memory, c->list, source, kept, length, &root) : MECH_ERR_MEMORY;
        if (status != MECH_OK) c->errors++;
    } else if (problem) import_error(c, xml_place(node, "file"), NULL, "cannot include '%s': %s", path, problem);
    if (status == MECH_ERR_MEMORY) import_out_of_memory(c);
    mem_free(text);
    return root;
}

/* In place of each include what the file holds; `depth` bounds files in files. */
static void include_all(mjcf *m, xml_node *parent, int depth)
{
    importer *c = m->c;
    for (xml_node *n = parent->first, *before = NULL; n && !c->is_out_of_memory; before = n, n = n->next) {
        if (strcmp(n->name, "include") != 0) {
            include_all(m, n, depth);
            continue;
        }
        const char *file = import_value(c, n, "file");
        n->is_read = 1;
        if (!file || c->options.no_files || depth >= MOST_INCLUDED) {
            import_error(c, n->span, NULL,
                         !file                 ? "<include> has no file"
                         : c->options.no_files ? "this text may not read files"
                                               : "files include files more than 16 deep");
            continue;
        }
        xml_node *root = read_included(m, n, file);
        if (!root || !root->first) continue;
        include_all(m, root, depth + 1);
        for (xml_node *child = root->first; child; child = child->next) child->parent = parent;
        root->last->next = n->next;
        if (before) before->next = root->first;
        else parent->first = root->first;
        if (parent->last == n) parent->last = root->last;
        n = root->last;
    }
}

static int is_word(const char *value, const char *word) { return value && strcmp(value, word) == 0; }

static void read_compiler(mjcf *m, xml_node *node)
{
    importer *c = m->c;
    const char *angle = import_value(c, node, "angle"), *order = import_value(c, node, "eulerseq"),
               *geoms = import_value(c, node, "inertiafromgeom");
    node->is_read = 1;
    import_value(c, node, "autolimits");
    if (angle) m->degree = is_word(angle, "radian") ? 1 : 3.14159265358979323846 / 180;
    if (angle && !is_word(angle, "radian") && !is_word(angle, "degree"))
        import_error(c, xml_place(node, "angle"), NULL, "angle is degree or radian, not '%s'", angle);
    if (order && strlen(order) == 3 && strspn(order, "xyzXYZ") == 3) memcpy(m->order, order, 4);
    else if (order)
        import_error(c, xml_place(node, "eulerseq"), NULL, "eulerseq is three of x y z X Y Z, not '%s'", order);
    if (geoms) m->from_geoms = is_word(geoms, "true") ? 1 : is_word(geoms, "false") ? 0 : -1;
    m->is_global = is_word(import_value(c, node, "coordinate"), "global");
    import_numbers(c, node, "inertiagrouprange", m->groups, 2, 2);
    m->least_mass = import_number(c, node, "boundmass", m->least_mass);
    m->total_mass = import_number(c, node, "settotalmass", m->total_mass);
}

static void read_option(mjcf *m, xml_node *node)
{
    importer *c = m->c;
    node->is_read = 1;
    import_numbers(c, node, "gravity", c->gravity, 3, 3);
    double wind[3] = {0};
    import_numbers(c, node, "wind", wind, 3, 3);
    if (import_number(c, node, "density", 0) != 0 || import_number(c, node, "viscosity", 0) != 0)
        import_note(c, "the medium around is left out: its density and viscosity");
    xml_node *flag = import_child(node, "flag");
    if (flag && is_word(import_value(c, flag, "gravity"), "disable")) memset(c->gravity, 0, sizeof c->gravity);
}

/* Nothing of it is read, but what stands in it is counted one by one. */
static void count_section(mjcf *m, xml_node *node)
{
    (void)m;
    node->is_read = 1;
}

static void scale_mass(mjcf *m)
{
    importer *c = m->c;
    double sum = 0;
    for (size_t i = 0; i < c->body_count; i++) sum += c->bodies[i].mass;
    if (!(m->total_mass > 0) || !(sum > 0)) return;
    for (size_t i = 0; i < c->body_count; i++) {
        c->bodies[i].mass *= m->total_mass / sum;
        for (int k = 0; k < 9; k++) c->bodies[i].inertia[k] *= m->total_mass / sum;
    }
    import_note(c, "masses and inertias are scaled by %g, to a sum of %g (settotalmass)", m->total_mass / sum,
                m->total_mass);
}

static void note_all(mjcf *m)
{
    importer *c = m->c;
    if (m->unnamed) import_note(c, "things without a name have got one: %zu", m->unnamed);
    if (m->still.count)
        import_note(c, "fixed to the ground, so that their inertia does not count: %s", import_list(c, &m->still));
    if (m->refs.count) import_note(c, "joints whose ref is not 0 count from there: %s", import_list(c, &m->refs));
    if (m->limits.count) import_note(c, "limits are not imposed: %s", import_list(c, &m->limits));
    if (m->frictions.count) import_note(c, "friction is not imposed: %s", import_list(c, &m->frictions));
    if (m->springs.count)
        import_note(c, "stiffness of ball and free joints is left out: %s", import_list(c, &m->springs));
    if (m->geoms) import_note(c, "geoms do not touch one another: %zu", m->geoms);
    if (c->options.is_part && (c->gravity[0] != 0 || c->gravity[1] != 0 || c->gravity[2] != -9.81))
        import_note(c, "the file has the gravity [%g, %g, %g]; that of the model counts", c->gravity[0], c->gravity[1],
                    c->gravity[2]);
}

static void read_sections(mjcf *m, xml_node *root)
{
    static const struct {
        const char *name;
        void (*read)(mjcf *m, xml_node *node);
    } sections[] = {{"compiler", read_compiler},       {"option", read_option},
                    {"worldbody", mjcf_read_bodies},   {"equality", mjcf_read_equalities},
                    {"actuator", mjcf_read_actuators}, {"contact", count_section},
                    {"tendon", count_section},         {"sensor", count_section}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !m->c->is_out_of_memory; i++)
        for (xml_node *n = xml_child(root, sections[i].name); n; n = xml_named(n->next, sections[i].name))
            sections[i].read(m, n);
    xml_node *keys = xml_child(root, "keyframe");
    if (m->c->errors || m->c->is_out_of_memory) return;
    if (keys) mjcf_read_keyframe(m, keys);
    else mjcf_put_home(m);
}

static void mjcf_free(mjcf *m)
{
    strmap *maps[] = {&m->class_names, &m->body_names, &m->joint_names, &m->site_names, &m->files};
    import_names *lists[] = {&m->limits, &m->frictions, &m->refs, &m->still, &m->springs};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) strmap_free(maps[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) text_free(&lists[i]->text);
    mem_free(m->classes);
    mem_free(m->bodies);
    mem_free(m->joints);
    mem_free(m->sites);
}

void import_mjcf(importer *c, xml_node *root)
{
    mjcf m = {.c = c, .degree = 3.14159265358979323846 / 180, .order = "xyz", .from_geoms = -1, .groups = {0, 5}};
    root->is_read = 1;
    c->gravity[2] = -9.81;
    import_value(c, root, "model");
    if (c->options.is_free)
        import_error(c, root->span, "write <freejoint/> in the body", "MJCF says itself what moves freely");
    include_all(&m, root, 1);
    if (!c->errors && !c->is_out_of_memory) {
        mjcf_read_classes(&m, root);
        if (!c->errors) read_sections(&m, root);
        scale_mass(&m);
        note_all(&m);
        /* of planes */
        static const char *const known[] = {"geom pos",  "geom quat", "geom euler",
                                            "geom size", "geom type", "geom fromto"};
        import_note_unread(c, root, known, sizeof known / sizeof *known);
    }
    mjcf_free(&m);
}
