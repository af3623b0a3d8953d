/* Values of elements, from themselves or from their classes, and poses. */
#include "import/mjcf.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { MOST_DEFAULTS = 500 };

static void add_class(mjcf *m, const xml_node *node, const char *name, int parent)
{
    if (!mem_grow(&m->classes, &m->class_capacity, m->class_count + 1, sizeof *m->classes) ||
        !strmap_put(&m->class_names, name, m->class_count)) {
        import_out_of_memory(m->c);
        return;
    }
    m->classes[m->class_count++] = (mjcf_class){name, node, parent};
}

static void read_class(mjcf *m, xml_node *node, int parent)
{
    importer *c = m->c;
    const char *name = import_value(c, node, "class");
    node->is_read = 1;
    if (!name && parent >= 0) {
        import_error(c, node->span, NULL, "a default within another has no class");
        return;
    }
    if (!name) name = "main";
    if (strmap_get(&m->class_names, name) != SIZE_MAX) {
        import_error(c, xml_place(node, "class"), NULL, "there are two defaults of the class '%s'", name);
        return;
    }
    const int number = (int)m->class_count;
    add_class(m, node, name, parent);
    for (xml_node *n = node->first; n && !c->is_out_of_memory; n = n->next) {
        if (++m->defaults == MOST_DEFAULTS)
            import_error(c, n->span, NULL, "defaults hold more than %d elements", MOST_DEFAULTS);
        n->is_read = 1;
        if (strcmp(n->name, "default") == 0) read_class(m, n, number);
    }
}

/* Several defaults at the top are one. */
static void join_defaults(mjcf *m, xml_node *root)
{
    xml_node *first = xml_child(root, "default");
    const char *class = first ? xml_value(first, "class") : NULL;
    for (xml_node *n = first ? xml_named(first->next, "default") : NULL; n; n = xml_named(n->next, "default")) {
        const char *own = xml_value(n, "class");
        n->is_read = 1;
        if (own && strcmp(own, class ? class : "main") != 0)
            import_error(m->c, xml_place(n, "class"), "write it within the first <default>",
                         "the defaults at the top are of two classes, '%s' and '%s'", class ? class : "main", own);
        if (!n->first) continue;
        if (first->last) first->last->next = n->first;
        else first->first = n->first;
        first->last = n->last;
        for (xml_node *child = n->first; child; child = child->next) child->parent = first;
        n->first = n->last = NULL;
    }
}

void mjcf_read_classes(mjcf *m, xml_node *root)
{
    join_defaults(m, root);
    static const xml_node none = {.name = "default"};
    xml_node *first = xml_child(root, "default");
    if (first) read_class(m, first, -1);
    else add_class(m, &none, "main", -1);
}

const char *mjcf_children(mjcf *m, const xml_node *node, const char *around)
{
    const char *own = import_value(m->c, node, "childclass");
    if (own && strmap_get(&m->class_names, own) == SIZE_MAX)
        import_error(m->c, xml_place(node, "childclass"), NULL, "there is no default of the class '%s'", own);
    return own ? own : around;
}

static int class_of(mjcf *m, const xml_node *node, const char *children)
{
    const char *own = import_value(m->c, node, "class"), *name = own ? own : children ? children : "main";
    const size_t number = strmap_get(&m->class_names, name);
    if (number != SIZE_MAX) return (int)number;
    if (own) import_error(m->c, xml_place(node, "class"), NULL, "there is no default of the class '%s'", own);
    if (m->class_count == 0 || !strmap_put(&m->class_names, name, 0)) import_out_of_memory(m->c); /* told once */
    return m->class_count ? 0 : -1;
}

/* Defaults of actuators of all kinds are one. */
static int is_default_of(const xml_node *element, const xml_node *node)
{
    static const char *const actuators[] = {"general", "motor", "position", "velocity"};
    int a = 0, b = 0;
    if (strcmp(element->name, node->name) == 0) return 1;
    for (size_t i = 0; i < sizeof actuators / sizeof *actuators; i++) {
        a |= strcmp(element->name, actuators[i]) == 0;
        b |= strcmp(node->name, actuators[i]) == 0;
    }
    return a && b;
}

const char *mjcf_value(mjcf *m, const xml_node *node, const char *children, const char *attribute, const xml_node **at)
{
    const char *value = import_value(m->c, node, attribute);
    *at = node;
    for (int k = value ? -1 : class_of(m, node, children); k >= 0 && !value; k = m->classes[k].parent)
        for (const xml_node *n = m->classes[k].node->first; n; n = n->next) {
            const char *found = xml_value(n, attribute);
            if (!found || !is_default_of(n, node)) continue;
            if (strcmp(n->name, node->name) != 0) import_value(m->c, n, attribute); /* it is looked at there, too */
            value = found;                                                          /* the last one counts */
            *at = n;
        }
    return value;
}

size_t mjcf_numbers(mjcf *m, const xml_node *node, const char *children, const char *attribute, double *out,
                    size_t fewest, size_t most)
{
    const xml_node *at;
    const char *text = mjcf_value(m, node, children, attribute, &at);
    return text ? import_parse(m->c, xml_place(at, attribute), attribute, text, out, fewest, most) : 0;
}

double mjcf_number(mjcf *m, const xml_node *node, const char *children, const char *attribute, double otherwise)
{
    double value = otherwise;
    return mjcf_numbers(m, node, children, attribute, &value, 1, 1) ? value : otherwise;
}

/* About `axis` of length 1 by an angle with this cosine and sine. */
static void rotation_axis(const double n[3], double cosine, double sine, double R[9])
{
    const double cross_entries[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    for (int i = 0; i < 9; i++)
        R[i] = (i % 4 == 0 ? cosine : 0) + (1 - cosine) * n[i / 3] * n[i % 3] + sine * cross_entries[i];
}

static void turn_euler(mjcf *m, const double angles[3], double R[9])
{
    double turn[9], cosine, sine;
    for (int k = 0; k < 3; k++) {
        const char letter = m->order[k];
        const int is_fixed = letter >= 'X' && letter <= 'Z'; /* about axes that stay; else about axes that turn along */
        import_cos_sin(m->c, angles[k] * m->degree, &cosine, &sine);
        rotation_about((is_fixed ? letter - 'X' : letter - 'x'), cosine, sine, turn);
        if (is_fixed) rotation_times(turn, R, R);
        else rotation_times(R, turn, R);
    }
}

/* The shortest turn that takes the third axis there. */
static void turn_z(const double direction[3], double R[9])
{
    const double z[3] = {0, 0, 1};
    double axis[3], n[3] = {direction[0], direction[1], direction[2]};
    normalise(n, 3);
    cross(z, n, axis);
    const double sine = length3(axis);
    if (!normalise(axis, 3)) axis[0] = 1;
    rotation_axis(axis, n[2], sine, R);
}

static int turn_xy(const double v[6], double R[9])
{
    double x[3] = {v[0], v[1], v[2]}, y[3] = {v[3], v[4], v[5]}, z[3];
    if (!normalise(x, 3)) return 0;
    const double along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    for (int i = 0; i < 3; i++) y[i] -= along * x[i];
    if (!(length3(y) > 1e-12 * length3(v + 3)) || !normalise(y, 3)) return 0;
    cross(x, y, z);
    for (int i = 0; i < 3; i++) {
        R[3 * i] = x[i];
        R[3 * i + 1] = y[i];
        R[3 * i + 2] = z[i];
    }
    return 1;
}

static int turn_by(mjcf *m, const char *what, double *v, double R[9])
{
    double cosine, sine;
    if (strcmp(what, "quat") == 0) {
        if (!normalise(v, 4)) return 0;
        rotation_quaternion(v, R);
    } else if (strcmp(what, "axisangle") == 0) {
        if (!normalise(v, 3)) return 0;
        import_cos_sin(m->c, v[3] * m->degree, &cosine, &sine);
        rotation_axis(v, cosine, sine, R);
    } else if (strcmp(what, "euler") == 0) turn_euler(m, v, R);
    else if (strcmp(what, "xyaxes") == 0) return turn_xy(v, R);
    else if (!(length3(v) > 0)) return 0;
    else turn_z(v, R);
    return 1;
}

pose mjcf_pose(mjcf *m, const xml_node *node, const char *children)
{
    static const struct {
        const char *name;
        size_t count;
    } ways[] = {{"quat", 4}, {"axisangle", 4}, {"euler", 3}, {"xyaxes", 6}, {"zaxis", 3}};
    pose out = pose_none();
    const char *given = NULL;
    mjcf_numbers(m, node, children, "pos", out.p, 3, 3);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        double v[6];
        if (!mjcf_numbers(m, node, children, ways[i].name, v, ways[i].count, ways[i].count)) continue;
        if (given)
            import_error(m->c, xml_place(node, ways[i].name), NULL, "the attitude is given twice, by %s and by %s",
                         given, ways[i].name);
        else if (!turn_by(m, ways[i].name, v, out.R))
            import_error(m->c, xml_place(node, ways[i].name), NULL, "%s has no direction", ways[i].name);
        given = ways[i].name;
    }
    if (given) import_exact(m->c, out.R);
    return out;
}

int mjcf_from_to(mjcf *m, const xml_node *node, const char *children, pose *at, double *half)
{
    double ends[6], along[3];
    if (!mjcf_numbers(m, node, children, "fromto", ends, 6, 6)) return 0;
    for (int i = 0; i < 3; i++) {
        along[i] = ends[i] - ends[3 + i];
        at->p[i] = (ends[i] + ends[3 + i]) / 2;
    }
    *half = length3(along) / 2;
    if (!(*half > 0)) {
        import_error(m->c, node->span, NULL, "the two points of fromto are one");
        *half = 1;
        return 1;
    }
    turn_z(along, at->R);
    import_exact(m->c, at->R);
    return 1;
}
