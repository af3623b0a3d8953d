/* URDF: links with their inertia, and the tree of joints between them. */
#include "import/import.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

typedef struct urdf_joint {
    xml_node *node;
    const char *given, *type;
    import_kind kind;
    int parent, child, next; /* links; the next joint of the same parent */
    import_joint joint;
    int is_known; /* its type is one         */
    int is_put;   /* it hangs on the root    */
} urdf_joint;

typedef struct urdf {
    importer *c;
    strmap links, joints; /* by the names of the file */
    urdf_joint *all;
    size_t count, capacity;
    int *parent_joint, *first_joint, *last_joint; /* of each link; -1: none */
    import_names limits, frictions, massless, still;
} urdf;

static const char *need(importer *c, const xml_node *node, const char *attribute, const char *of)
{
    const char *value = import_value(c, node, attribute);
    if (!value) import_error(c, node->span, NULL, "%s has no %s", of, attribute);
    return value;
}

/* <origin xyz rpy>: fixed axes, roll first. */
static pose read_origin(importer *c, const xml_node *node)
{
    pose out = pose_none();
    double rpy[3] = {0}, turn[9];
    xml_node *origin = import_child(node, "origin");
    if (!origin) return out;
    import_numbers(c, origin, "xyz", out.p, 3, 3);
    import_numbers(c, origin, "rpy", rpy, 3, 3);
    for (int axis = 0; axis < 3; axis++) {
        double cosine, sine;
        import_cos_sin(c, rpy[axis], &cosine, &sine);
        rotation_about(axis, cosine, sine, turn);
        rotation_times(turn, out.R, out.R);
    }
    return out;
}

static void read_inertial(importer *c, xml_node *inertial, import_body *b)
{
    static const char *const entries[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const int rows[] = {0, 0, 0, 1, 1, 2}, columns[] = {0, 1, 2, 1, 2, 2};
    double I[9] = {0};
    xml_node *mass = import_child(inertial, "mass"), *inertia = import_child(inertial, "inertia");
    if (!mass || !inertia) {
        import_error(c, inertial->span, NULL, "the inertial of link '%s' has no <%s>", b->given,
                     mass ? "inertia" : "mass");
        return;
    }
    const pose at = read_origin(c, inertial);
    if (need(c, mass, "value", "<mass>")) b->mass = import_number(c, mass, "value", 0);
    if (b->mass < 0) import_error(c, xml_place(mass, "value"), NULL, "the mass of link '%s' is negative", b->given);
    for (int k = 0; k < 6; k++)
        if (need(c, inertia, entries[k], "<inertia>"))
            I[3 * rows[k] + columns[k]] = I[3 * columns[k] + rows[k]] = import_number(c, inertia, entries[k], 0);
    memcpy(b->center, at.p, sizeof b->center);
    rotate_inertia(at.R, I, b->inertia);
    b->is_weighed = 1;
    if (c->errors == 0) import_check_inertia(c, b, "link");
}

static void read_link(urdf *u, xml_node *node)
{
    importer *c = u->c;
    import_body b = {.node = node, .given = need(c, node, "name", "a link")};
    node->is_read = 1;
    if (!b.given) return;
    b.name = import_new_name(c, xml_place(node, "name"), "link", b.given);
    if (!b.name) return;
    xml_node *inertial = import_child(node, "inertial");
    if (inertial) read_inertial(c, inertial, &b);
    const int number = import_add_body(c, &b);
    if (number == IMPORT_GROUND ||
        (strmap_get(&u->links, b.given) == SIZE_MAX && !strmap_put(&u->links, b.given, (size_t)number)))
        import_out_of_memory(c);
}

static int read_type(urdf_joint *j)
{
    static const struct {
        const char *word;
        import_kind kind;
    } types[] = {{"revolute", IMPORT_REVOLUTE}, {"continuous", IMPORT_REVOLUTE}, {"prismatic", IMPORT_PRISMATIC},
                 {"fixed", IMPORT_FIXED},       {"floating", IMPORT_FREE},       {"planar", IMPORT_PLANAR}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(j->type, types[i].word) == 0) {
            j->kind = types[i].kind;
            return 1;
        }
    return 0;
}

/* Gazebo and Simbody mean the ground by a parent called world that is no link. */
static size_t add_world(urdf *u, const xml_node *node)
{
    importer *c = u->c;
    import_body b = {.node = node, .given = "world", .name = import_new_name(c, node->span, "link", "world")};
    const int number = b.name ? import_add_body(c, &b) : IMPORT_GROUND;
    if (number == IMPORT_GROUND || !strmap_put(&u->links, "world", (size_t)number)) {
        import_out_of_memory(c);
        return SIZE_MAX;
    }
    import_note(c, "there is no link 'world': as a parent it is the ground");
    if (c->options.is_free)
        import_error(c, node->span, "leave --free, or 'free' in a model",
                     "the file ties itself to the world, which does not move");
    return (size_t)number;
}

/* The link that <parent> or <child> names, -1 after an error. */
static int read_end(urdf *u, const urdf_joint *j, const char *which)
{
    importer *c = u->c;
    xml_node *end = import_child(j->node, which);
    const char *link = end ? import_value(c, end, "link") : NULL;
    if (!link) {
        import_error(c, end ? end->span : j->node->span, NULL, "joint '%s' has no %s", j->given, which);
        return -1;
    }
    size_t number = strmap_get(&u->links, link);
    if (number == SIZE_MAX && strcmp(link, "world") == 0 && strcmp(which, "parent") == 0) number = add_world(u, end);
    if (number == SIZE_MAX)
        import_error(c, xml_place(end, "link"), NULL, "joint '%s' has the %s '%s', and there is no such link", j->given,
                     which, link);
    return number == SIZE_MAX ? -1 : (int)number;
}

static void read_axis(urdf *u, urdf_joint *j)
{
    double *axis = j->joint.axis;
    axis[0] = 1;
    xml_node *node = import_child(j->node, "axis");
    if (j->kind == IMPORT_FIXED || j->kind == IMPORT_FREE) return; /* they have none, whatever is written */
    if (node && import_numbers(u->c, node, "xyz", axis, 3, 3) == 3) import_axis(u->c, node, "xyz", axis);
}

static int has_coordinate(const urdf_joint *j) { return j->kind == IMPORT_REVOLUTE || j->kind == IMPORT_PRISMATIC; }

/* Does the file limit it? */
static int has_range(const urdf_joint *j)
{
    return import_child(j->node, "limit") && strcmp(j->type, "continuous") != 0 && j->kind != IMPORT_FIXED;
}

/* Joint limits and friction that are not imposed are read to be told. */
static void read_bounds(urdf *u, const urdf_joint *j, const xml_node *dynamics)
{
    if (has_range(j) && !(u->c->options.imposes_limits && has_coordinate(j))) import_add_name(&u->limits, j->given);
    if (dynamics && import_number(u->c, dynamics, "friction", 0) != 0 && j->kind != IMPORT_FIXED &&
        !(u->c->options.imposes_friction && has_coordinate(j)))
        import_add_name(&u->frictions, j->given);
}

static void read_joint(urdf *u, xml_node *node)
{
    importer *c = u->c;
    urdf_joint j = {.node = node, .next = -1, .given = need(c, node, "name", "a joint")};
    node->is_read = 1;
    if (!j.given) return;
    j.joint = (import_joint){
        .given = j.given, .node = node, .name = import_new_name(c, xml_place(node, "name"), "joint", j.given)};
    j.type = import_value(c, node, "type");
    j.is_known = j.type && read_type(&j);
    if (!j.is_known)
        import_error(c, j.type ? xml_place(node, "type") : node->span,
                     "there are revolute, continuous, prismatic, fixed, floating and planar",
                     j.type ? "joint '%s' is of the type '%s', which is none" : "joint '%s' has no type", j.given,
                     j.type);
    j.parent = read_end(u, &j, "parent");
    j.child = read_end(u, &j, "child");
    if (!j.joint.name || !j.is_known || j.parent < 0 || j.child < 0) return;
    j.joint.before = read_origin(c, node);
    read_axis(u, &j);
    read_bounds(u, &j, import_child(node, "dynamics"));
    if (u->parent_joint[j.child] >= 0) {
        import_error(c, node->span, "a loop is closed by a joint in the model: joint NAME: A at p to B at q, spherical",
                     "link '%s' is the child of '%s' and of '%s': URDF knows trees only", c->bodies[j.child].given,
                     u->all[u->parent_joint[j.child]].given, j.given);
        return;
    }
    if (!mem_grow(&u->all, &u->capacity, u->count + 1, sizeof j) || !strmap_put(&u->joints, j.given, u->count)) {
        import_out_of_memory(c);
        return;
    }
    u->parent_joint[j.child] = (int)u->count;
    if (u->first_joint[j.parent] < 0) u->first_joint[j.parent] = (int)u->count;
    else u->all[u->last_joint[j.parent]].next = (int)u->count;
    u->last_joint[j.parent] = (int)u->count;
    u->all[u->count++] = j;
}

/* The one link that is no child, -1 after an error. */
static int find_root(urdf *u, const xml_node *robot)
{
    importer *c = u->c;
    int root = -1;
    for (size_t i = 0; i < c->body_count; i++) {
        if (u->parent_joint[i] >= 0) continue;
        if (root >= 0) {
            import_error(c, c->bodies[i].node->span, "a joint has to tie one of them to the rest",
                         "links '%s' and '%s' are both roots: neither is the child of a joint", c->bodies[root].given,
                         c->bodies[i].given);
            return -1;
        }
        root = (int)i;
    }
    if (root < 0)
        import_error(c, robot->span, NULL,
                     c->body_count ? "no link is the root: each is the child of a joint" : "there is no link");
    return root;
}

/* The joint after this one: down to a child, else back to where another one waits; -1: none. */
static int next_joint(const urdf *u, int at)
{
    int next = u->first_joint[u->all[at].child];
    while (next < 0 && at >= 0) {
        next = u->all[at].next;
        at = u->parent_joint[u->all[at].parent];
    }
    return next;
}

/* Joints from the root on, each before those that hang on its child; 0 when some hang on none. */
static int walk_tree(urdf *u, int root)
{
    for (int at = u->first_joint[root]; at >= 0; at = next_joint(u, at)) {
        urdf_joint *j = &u->all[at];
        j->joint.parent = j->parent;
        j->joint.child = j->child;
        j->joint.kind = j->kind;
        j->is_put = 1;
        import_add_joint(u->c, &j->joint);
    }
    for (size_t i = 0; i < u->count; i++)
        if (!u->all[i].is_put) {
            import_error(u->c, u->all[i].node->span, NULL,
                         "joint '%s' does not hang on the root '%s': it belongs to a ring, or hangs on one",
                         u->all[i].given, u->c->bodies[root].given);
            return 0;
        }
    return 1;
}

/* Without both ends the file says nothing of the place: effort and velocity have limits, too. */
static void put_limits(urdf *u, const urdf_joint *j)
{
    importer *c = u->c;
    const xml_node *limit = has_range(j) ? import_child(j->node, "limit") : NULL;
    if (!limit || !c->options.imposes_limits || !has_coordinate(j)) return;
    if (!import_value(c, limit, "lower") && !import_value(c, limit, "upper")) return;
    const double range[2] = {import_number(c, limit, "lower", 0), import_number(c, limit, "upper", 0)};
    import_put_limits(c, limit->span, j->joint.name, range);
}

static void put_mimic(urdf *u, const urdf_joint *j)
{
    importer *c = u->c;
    xml_node *mimic = import_child(j->node, "mimic");
    if (!mimic) return;
    const char *of = need(c, mimic, "joint", "<mimic>");
    if (!of) return;
    const size_t number = strmap_get(&u->joints, of);
    const urdf_joint *other = number == SIZE_MAX ? NULL : &u->all[number];
    if (!other || other == j || !has_coordinate(other) || !has_coordinate(j)) {
        import_error(c, xml_place(mimic, "joint"), NULL,
                     !other       ? "joint '%s' follows '%s', and there is no such joint"
                     : other == j ? "joint '%s' follows itself, '%s'"
                                  : "joint '%s' cannot follow '%s': both must be revolute, continuous or prismatic",
                     j->given, of);
        return;
    }
    const double factor = import_number(c, mimic, "multiplier", 1), offset = import_number(c, mimic, "offset", 0);
    const char *given = arena_format(&c->memory, "%s_mimic", j->joint.name);
    const char *name = given ? import_new_name(c, mimic->span, "constraint", given) : NULL;
    if (!name) {
        import_out_of_memory(c);
        return;
    }
    text_format(&c->rest, "constraint %s: %s = ", name, j->joint.name);
    import_put_number(&c->rest, factor);
    text_format(&c->rest, "*%s", other->joint.name);
    if (offset != 0) {
        text_add(&c->rest, " + ");
        import_put_number(&c->rest, offset);
    }
    text_add_char(&c->rest, '\n');
}

static void put_damping(urdf *u, const urdf_joint *j)
{
    importer *c = u->c;
    xml_node *dynamics = xml_child(j->node, "dynamics");
    const double damping = dynamics ? import_number(c, dynamics, "damping", 0) : 0;
    if (damping == 0 || j->kind == IMPORT_FIXED) return;
    if (damping < 0)
        import_error(c, xml_place(dynamics, "damping"), NULL, "the damping of joint '%s' is negative", j->given);
    if (!has_coordinate(j)) {
        import_warning(c, xml_place(dynamics, "damping"), "the damping of joint '%s' is left out: it is %s", j->given,
                       j->type);
        return;
    }
    text_add(&c->rest, "dissipation ");
    import_put_number(&c->rest, damping / 2);
    text_format(&c->rest, "*%s'^2\n", j->joint.name);
}

static void put_friction(urdf *u, const urdf_joint *j)
{
    importer *c = u->c;
    const xml_node *dynamics = xml_child(j->node, "dynamics");
    const double friction =
        dynamics && c->options.imposes_friction && has_coordinate(j) ? import_number(c, dynamics, "friction", 0) : 0;
    if (friction < 0)
        import_error(c, xml_place(dynamics, "friction"), NULL, "the friction of joint '%s' is negative", j->given);
    if (friction > 0) import_put_friction(c, j->joint.name, j->kind, friction);
}

/* What the root hangs on; whether its inertia counts. */
static void tie_root(urdf *u, int root)
{
    importer *c = u->c;
    const import_body *b = &c->bodies[root];
    import_joint j = {.parent = IMPORT_GROUND,
                      .child = root,
                      .given = "root_joint",
                      .before = pose_none(),
                      .kind = c->options.is_free ? IMPORT_FREE : IMPORT_FIXED};
    j.name = import_new_name(c, b->node->span, "joint", j.given);
    import_add_joint(c, &j);
}

static void note_links(urdf *u)
{
    importer *c = u->c;
    for (size_t i = 0; i < c->joint_count; i++) { /* parents come first */
        const import_joint *j = &c->joints[i];
        import_body *b = &c->bodies[j->child];
        b->is_still = j->kind == IMPORT_FIXED && (j->parent == IMPORT_GROUND || c->bodies[j->parent].is_still);
        if (b->is_still && b->mass > 0) import_add_name(&u->still, b->given);
    }
    if (u->still.count)
        import_note(
            c,
            "fixed to the ground, so that their inertia does not count: %s (--free, or 'free' in a model, lets the root move)",
            import_list(c, &u->still));
    for (size_t i = 0; i < c->body_count; i++)
        if (!c->bodies[i].is_weighed && u->parent_joint[i] >= 0 && u->all[u->parent_joint[i]].kind != IMPORT_FIXED)
            import_add_name(&u->massless, c->bodies[i].given);
    if (u->massless.count)
        import_note(c, "links on moving joints without inertia have none here either: %s",
                    import_list(c, &u->massless));
    if (u->limits.count) import_note(c, "limits are not imposed: %s", import_list(c, &u->limits));
    if (u->frictions.count) import_note(c, "friction is not imposed: %s", import_list(c, &u->frictions));
}

static void read_tree(urdf *u, xml_node *robot)
{
    importer *c = u->c;
    for (xml_node *n = xml_child(robot, "joint"); n; n = xml_named(n->next, "joint")) read_joint(u, n);
    const int root = c->errors ? -1 : find_root(u, robot);
    if (root < 0) return;
    tie_root(u, root);
    if (!walk_tree(u, root)) return;
    for (size_t i = 0; i < u->count; i++) {
        put_damping(u, &u->all[i]);
        put_friction(u, &u->all[i]);
        put_limits(u, &u->all[i]);
        put_mimic(u, &u->all[i]);
    }
    note_links(u);
}

void import_urdf(importer *c, xml_node *robot)
{
    urdf u = {.c = c};
    robot->is_read = 1;
    import_value(c, robot, "name");
    import_value(c, robot, "version");
    c->gravity[2] = -9.81;
    if (!c->options.is_part) import_note(c, "URDF says nothing about gravity: 9.81 along -z");
    for (xml_node *n = xml_child(robot, "link"); n; n = xml_named(n->next, "link")) read_link(&u, n);
    const size_t size = (c->body_count + 2) * sizeof(int); /* the world may come */
    u.parent_joint = mem_alloc(size);
    u.first_joint = mem_alloc(size);
    u.last_joint = mem_alloc(size);
    if (u.parent_joint && u.first_joint && u.last_joint && !c->is_out_of_memory) {
        memset(u.parent_joint, -1, size);
        memset(u.first_joint, -1, size);
        read_tree(&u, robot);
    } else import_out_of_memory(c);
    static const char *const known[] = {"axis xyz",       "limit lower",       "limit upper",     "limit effort",
                                        "limit velocity", "dynamics friction", "dynamics damping"};
    import_note_unread(c, robot, known, sizeof known / sizeof *known);
    strmap_free(&u.links);
    strmap_free(&u.joints);
    mem_free(u.all);
    mem_free(u.parent_joint);
    mem_free(u.first_joint);
    mem_free(u.last_joint);
    text_free(&u.limits.text);
    text_free(&u.frictions.text);
    text_free(&u.massless.text);
    text_free(&u.still.text);
}
