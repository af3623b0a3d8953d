/* Bodies of MJCF: a body may hang on several joints, which become bodies without mass between them. */
#include "import/mjcf.h"

#include "base/mem.h"

#include <string.h>

typedef struct reading { /* one body */
    xml_node *node;
    int parent;           /* in `bodies` of mjcf */
    const char *children; /* class               */
    import_body body;
    pose inside;        /* the frame of what stands in it, in the body */
    size_t first_joint; /* its own, in `joints` of mjcf and of the importer */
} reading;

static void read_inertial(mjcf *m, const xml_node *node, const pose *frame, import_body *b)
{
    importer *c = m->c;
    double d[6] = {0}, I[9] = {0};
    const pose local = mjcf_pose(m, node, NULL), at = pose_times(frame, &local);
    b->mass = import_number(c, node, "mass", -1);
    if (b->mass < 0)
        import_error(c, xml_place(node, "mass"), NULL,
                     xml_value(node, "mass") ? "the mass of body '%s' is negative"
                                             : "the inertial of body '%s' has no mass",
                     b->given);
    if (import_numbers(c, node, "fullinertia", d, 6, 6)) {
        const double full[9] = {d[0], d[3], d[4], d[3], d[1], d[5], d[4], d[5], d[2]};
        memcpy(I, full, sizeof I);
    } else if (import_numbers(c, node, "diaginertia", d, 3, 3)) {
        for (int i = 0; i < 3; i++) I[4 * i] = d[i];
    }
    memcpy(b->center, at.p, sizeof b->center);
    rotate_inertia(at.R, I, b->inertia);
    b->is_weighed = 1;
}

/* What stands in the body and in its frames weighs. */
static void weigh_inside(mjcf *m, xml_node *node, const char *children, const pose *frame, import_body *b)
{
    for (xml_node *n = node->first; n; n = n->next) {
        if (strcmp(n->name, "geom") == 0) mjcf_weigh_geom(m, n, children, frame, b);
        if (strcmp(n->name, "frame") == 0) {
            const pose local = mjcf_pose(m, n, NULL), inner = pose_times(frame, &local);
            weigh_inside(m, n, mjcf_children(m, n, children), &inner, b);
        }
    }
}

static void weigh(mjcf *m, reading *r)
{
    import_body *b = &r->body;
    xml_node *inertial = import_child(r->node, "inertial");
    if (inertial && m->from_geoms != 1) read_inertial(m, inertial, &r->inside, b);
    else if (m->from_geoms != 0) {
        weigh_inside(m, r->node, r->children, &r->inside, b);
        mjcf_center(b);
    }
    if (b->mass < m->least_mass) b->mass = m->least_mass;
    if (m->c->errors == 0) import_check_inertia(m->c, b, "body");
}

static const char *word_of(mjcf *m, const xml_node *node, const char *children, const char *attribute)
{
    const xml_node *at;
    const char *value = mjcf_value(m, node, children, attribute, &at);
    return value ? value : "";
}

static int read_kind(mjcf *m, const xml_node *node, const char *children, import_kind *kind)
{
    const char *type = strcmp(node->name, "freejoint") == 0 ? "free" : word_of(m, node, children, "type");
    if (!*type || strcmp(type, "hinge") == 0) *kind = IMPORT_REVOLUTE;
    else if (strcmp(type, "slide") == 0) *kind = IMPORT_PRISMATIC;
    else if (strcmp(type, "ball") == 0) *kind = IMPORT_SPHERICAL;
    else if (strcmp(type, "free") == 0) *kind = IMPORT_FREE;
    else {
        import_error(m->c, xml_place(node, "type"), "there are hinge, slide, ball and free",
                     "a joint of the type '%s' is none", type);
        return 0;
    }
    return 1;
}

/* What stands in for the name of something that has none. */
static const char *name_or(mjcf *m, const xml_node *node, const char *what, size_t number)
{
    const char *given = import_value(m->c, node, "name");
    if (given && *given) return given;
    m->unnamed++;
    given = arena_format(&m->c->memory, "%s%zu", what, number);
    if (!given) import_out_of_memory(m->c);
    return given ? given : what;
}

static void put_dashpot(mjcf *m, const mjcf_joint *j, double damping)
{
    importer *c = m->c;
    const char *before = j->parent == IMPORT_GROUND ? NULL : c->bodies[j->parent].name,
               *after = c->bodies[j->child].name;
    text_add(&c->rest, "dissipation ");
    import_put_number(&c->rest, damping / 2);
    if (j->kind == IMPORT_REVOLUTE || j->kind == IMPORT_PRISMATIC) text_format(&c->rest, "*%s'^2\n", j->name);
    else if (j->kind == IMPORT_FREE)
        text_format(&c->rest, "*(dot(%s.r', %s.r') + dot(%s.w, %s.w))\n", j->name, j->name, after, after);
    else if (before) text_format(&c->rest, "*dot(%s.w - %s.w, %s.w - %s.w)\n", after, before, after, before);
    else text_format(&c->rest, "*dot(%s.w, %s.w)\n", after, after);
}

/* An inertia that only the joint's own rate has, as of a rotor behind a gear. */
static void put_armature(mjcf *m, const mjcf_joint *j, double armature)
{
    importer *c = m->c;
    const char *before = j->parent == IMPORT_GROUND ? NULL : c->bodies[j->parent].name,
               *after = c->bodies[j->child].name;
    if (j->kind == IMPORT_REVOLUTE || j->kind == IMPORT_PRISMATIC) {
        const char *name = import_new_name(c, j->span, "motor", arena_format(&c->memory, "%s_rotor", j->name));
        text_format(&c->rest, "motor %s on %s: %s 0, rotor ", name ? name : "", j->name,
                    j->kind == IMPORT_REVOLUTE ? "torque" : "force");
        import_put_number(&c->rest, armature);
        text_add_char(&c->rest, '\n');
        return;
    }
    text_add(&c->rest, "kinetic ");
    import_put_number(&c->rest, armature / 2);
    if (j->kind == IMPORT_FREE)
        text_format(&c->rest, "*(dot(%s.r', %s.r') + dot(%s.w, %s.w))\n", j->name, j->name, after, after);
    else if (before) text_format(&c->rest, "*dot(%s.w - %s.w, %s.w - %s.w)\n", after, before, after, before);
    else text_format(&c->rest, "*dot(%s.w, %s.w)\n", after, after);
}

static void put_spring(mjcf *m, const mjcf_joint *j, double stiffness, double rest)
{
    importer *c = m->c;
    if (j->kind == IMPORT_SPHERICAL || j->kind == IMPORT_FREE) {
        import_add_name(&m->springs, j->given ? j->given : j->name);
        return;
    }
    const char *name = import_new_name(c, j->span, "spring", arena_format(&c->memory, "%s_spring", j->name));
    text_format(&c->rest, "spring %s on %s: stiffness ", name ? name : "", j->name);
    import_put_number(&c->rest, stiffness);
    text_format(&c->rest, ", %s ", j->kind == IMPORT_REVOLUTE ? "angle" : "length");
    import_put_number(&c->rest, rest);
    text_add_char(&c->rest, '\n');
}

static void put_passive(mjcf *m, const xml_node *node, const char *children, const mjcf_joint *j)
{
    const double unit = j->kind == IMPORT_REVOLUTE ? m->degree : 1;
    const double damping = mjcf_number(m, node, children, "damping", 0),
                 armature = mjcf_number(m, node, children, "armature", 0),
                 stiffness = mjcf_number(m, node, children, "stiffness", 0),
                 rest = mjcf_number(m, node, children, "springref", 0) * unit - j->ref;
    double range[2];
    const char *said = j->given ? j->given : j->name;
    if (stiffness != 0) put_spring(m, j, stiffness, rest);
    if (damping != 0) put_dashpot(m, j, damping);
    if (armature != 0) put_armature(m, j, armature);
    if (mjcf_numbers(m, node, children, "range", range, 2, 2) &&
        strcmp(word_of(m, node, children, "limited"), "false") != 0) {
        for (int k = 0; k < 2; k++) range[k] = range[k] * unit - j->ref;
        if (m->c->options.imposes_limits && (j->kind == IMPORT_REVOLUTE || j->kind == IMPORT_PRISMATIC))
            import_put_limits(m->c, j->span, j->name, range);
        else import_add_name(&m->limits, said);
    }
    const double friction = mjcf_number(m, node, children, "frictionloss", 0);
    if (friction > 0 && m->c->options.imposes_friction && (j->kind == IMPORT_REVOLUTE || j->kind == IMPORT_PRISMATIC))
        import_put_friction(m->c, j->name, j->kind, friction);
    else if (friction != 0) import_add_name(&m->frictions, said);
}

static void keep_joint(mjcf *m, const mjcf_joint *j)
{
    importer *c = m->c;
    if (!mem_grow(&m->joints, &m->joint_capacity, m->joint_count + 1, sizeof *j) ||
        (j->given && !strmap_put(&m->joint_names, j->given, m->joint_count)))
        import_out_of_memory(c);
    else m->joints[m->joint_count++] = *j;
}

/* One joint of a body: from `parent` at `before` to the body it moves, which is the last one or stands in between. */
static void read_joint(mjcf *m, reading *r, xml_node *node, const char *children, const pose *frame, int parent,
                       const pose *before, int child)
{
    importer *c = m->c;
    import_joint j = {.node = node, .parent = parent, .child = child, .before = *before, .axis = {0, 0, 1}};
    mjcf_joint about = {
        .given = import_value(c, node, "name"), .parent = parent, .child = child, .span = node->span, .home = *before};
    const int is_free_joint = strcmp(node->name, "freejoint") == 0;
    if (!read_kind(m, node, children, &j.kind)) return;
    about.kind = j.kind;
    j.given = name_or(m, node, "joint", m->joint_count + 1);
    j.name = about.name = import_new_name(c, xml_place(node, "name"), "joint", j.given);
    if (!j.name) return;
    if (j.kind == IMPORT_FREE) {
        if (r->parent != 0 || m->joint_count > r->first_joint)
            import_error(c, node->span, NULL, "the free joint '%s' is not the only joint of a body of the world",
                         j.given);
        j.before = pose_none();
    } else {
        mjcf_numbers(m, node, children, "pos", j.after, 3, 3);
        if (mjcf_numbers(m, node, children, "axis", j.axis, 3, 3)) import_axis(c, node, "axis", j.axis);
        pose_point(frame, j.after, j.after);
        rotate(frame->R, j.axis, j.axis);
        pose_point(before, j.after, j.before.p);
        about.ref = mjcf_number(m, node, children, "ref", 0) * (j.kind == IMPORT_REVOLUTE ? m->degree : 1);
        if (about.ref != 0) import_add_name(&m->refs, j.given);
    }
    import_add_joint(c, &j);
    keep_joint(m, &about);
    if (!is_free_joint) put_passive(m, node, children, &about);
}

typedef struct found_joint {
    xml_node *node;
    const char *children;
    pose frame;
} found_joint;
enum { MOST_JOINTS = 6 };

/* The joints of a body, those in its frames too; how many there are. */
static size_t find_joints(mjcf *m, xml_node *node, const char *children, const pose *frame, found_joint *out,
                          size_t count)
{
    for (xml_node *n = node->first; n; n = n->next) {
        const int is_frame = strcmp(n->name, "frame") == 0;
        if (is_frame) {
            const pose local = mjcf_pose(m, n, NULL), inner = pose_times(frame, &local);
            count = find_joints(m, n, mjcf_children(m, n, children), &inner, out, count);
        }
        if (strcmp(n->name, "joint") != 0 && strcmp(n->name, "freejoint") != 0) continue;
        n->is_read = 1;
        if (count < MOST_JOINTS) out[count] = (found_joint){n, children, *frame};
        count++;
    }
    return count;
}

/* A body without mass between two joints. */
static int add_carrier(mjcf *m, const reading *r, const found_joint *j)
{
    importer *c = m->c;
    const char *joint = import_value(c, j->node, "name");
    import_body b = {.node = j->node, .is_weighed = 1};
    b.given = joint ? arena_format(&c->memory, "%s_%s", r->body.given, joint)
                    : arena_format(&c->memory, "%s_%zu", r->body.given, m->joint_count + 1);
    b.name = b.given ? import_new_name(c, j->node->span, "body", b.given) : NULL;
    if (!b.name) import_out_of_memory(c);
    return b.name ? import_add_body(c, &b) : IMPORT_GROUND;
}

static void tie(mjcf *m, reading *r, int number, const pose *at)
{
    importer *c = m->c;
    found_joint found[MOST_JOINTS];
    const pose none = pose_none();
    int parent = m->bodies[r->parent].number;
    pose before = *at;
    const size_t count = find_joints(m, r->node, r->children, &r->inside, found, 0);
    r->first_joint = m->joint_count;
    if (count > MOST_JOINTS)
        import_error(c, r->node->span, NULL, "body '%s' has more than %d joints", r->body.given, MOST_JOINTS);
    for (size_t i = 0; i < count && count <= MOST_JOINTS && !c->is_out_of_memory; i++) {
        const int child = i + 1 == count ? number : add_carrier(m, r, &found[i]);
        read_joint(m, r, found[i].node, found[i].children, &found[i].frame, parent, &before, child);
        parent = child;
        before = none;
    }
    if (count) return;
    import_joint j = {.node = r->node, .parent = parent, .child = number, .before = *at, .kind = IMPORT_FIXED};
    j.given = arena_format(&c->memory, "%s_fixed", r->body.name);
    j.name = j.given ? import_new_name(c, r->node->span, "joint", j.given) : NULL;
    if (j.name) import_add_joint(c, &j);
    else import_out_of_memory(c);
    import_body *b = &c->bodies[number];
    b->is_still = parent == IMPORT_GROUND || c->bodies[parent].is_still;
    if (b->is_still && b->mass > 0) import_add_name(&m->still, b->given);
}

static void read_site(mjcf *m, const xml_node *node, const char *children, const pose *frame, int body)
{
    importer *c = m->c;
    double half;
    pose at = pose_none();
    if (!mjcf_from_to(m, node, children, &at, &half)) at = mjcf_pose(m, node, children);
    at = pose_times(frame, &at);
    mjcf_site site = {.given = name_or(m, node, "site", m->site_count + 1), .body = body};
    memcpy(site.p, at.p, sizeof site.p);
    if (!mem_grow(&m->sites, &m->site_capacity, m->site_count + 1, sizeof site)) {
        import_out_of_memory(c);
        return;
    }
    if (!strmap_put(&m->site_names, site.given, m->site_count)) import_out_of_memory(c);
    m->sites[m->site_count++] = site;
    const int number = m->bodies[body].number;
    const char *name = import_new_name(c, xml_place(node, "name"), "site", site.given);
    text_format(&c->rest,
                "point %s.%s = ", number == IMPORT_GROUND ? c->origin ? c->origin : "ground" : c->bodies[number].name,
                name ? name : "");
    import_put_vector(&c->rest, site.p, 3);
    text_add_char(&c->rest, '\n');
}

static void read_body(mjcf *m, xml_node *node, int parent, const char *children, const pose *frame);

static void refuse_maker(mjcf *m, const xml_node *n)
{
    static const char *const makers[] = {"composite", "flexcomp", "replicate", "attach"};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(n->name, makers[i]) == 0)
            import_error(m->c, n->span, "MuJoCo writes the file out whole: mj_saveLastXML, or 'compile in.xml out.xml'",
                         "<%s> makes bodies that do not stand in the file", n->name);
}

/* Sites, geoms and bodies inside a body, the world or a frame of theirs. */
static void read_inside(mjcf *m, xml_node *node, int body, const char *children, const pose *frame)
{
    for (xml_node *n = node->first; n && !m->c->is_out_of_memory; n = n->next) {
        refuse_maker(m, n);
        if (strcmp(n->name, "geom") == 0) {
            m->geoms++;
            n->is_read = 1;
        } else if (strcmp(n->name, "site") == 0) {
            n->is_read = 1;
            read_site(m, n, children, frame, body);
        } else if (strcmp(n->name, "body") == 0) read_body(m, n, body, children, frame);
        else if (strcmp(n->name, "frame") == 0) {
            const pose local = mjcf_pose(m, n, NULL), inner = pose_times(frame, &local);
            n->is_read = 1;
            read_inside(m, n, body, mjcf_children(m, n, children), &inner);
        }
    }
}

static int keep_body(mjcf *m, const char *given, int number, const pose *home)
{
    if (!mem_grow(&m->bodies, &m->body_capacity, m->body_count + 1, sizeof *m->bodies) ||
        !strmap_put(&m->body_names, given, m->body_count)) {
        import_out_of_memory(m->c);
        return -1;
    }
    m->bodies[m->body_count] = (mjcf_body){given, number, *home};
    return (int)m->body_count++;
}

static void read_body(mjcf *m, xml_node *node, int parent, const char *children, const pose *frame)
{
    importer *c = m->c;
    reading r = {.node = node, .parent = parent, .children = mjcf_children(m, node, children), .body = {.node = node}};
    node->is_read = 1;
    r.body.given = name_or(m, node, "body", m->body_count);
    r.body.name = import_new_name(c, xml_place(node, "name"), "body", r.body.given);
    if (!r.body.name) return;
    const pose local = mjcf_pose(m, node, NULL), at = pose_times(frame, &local),
               home = pose_times(&m->bodies[parent].home, &at);
    r.inside = m->is_global ? pose_inverse(&home) : pose_none();
    if (m->is_global && !xml_value(node, "pos"))
        import_error(c, node->span, "write its place in the world: pos=\"x y z\"",
                     "body '%s' has no pos, and coordinates are global", r.body.given);
    weigh(m, &r);
    const int number = import_add_body(c, &r.body),
              kept = number == IMPORT_GROUND ? -1 : keep_body(m, r.body.given, number, &home);
    if (kept < 0) return;
    tie(m, &r, number, &at);
    read_inside(m, node, kept, r.children, &r.inside);
}

void mjcf_read_bodies(mjcf *m, xml_node *worldbody)
{
    const pose none = pose_none();
    worldbody->is_read = 1;
    if (m->body_count == 0 && keep_body(m, "world", IMPORT_GROUND, &none) < 0) return;
    read_inside(m, worldbody, 0, mjcf_children(m, worldbody, NULL), &none);
}
