/* What holds between bodies and joints of MJCF, drives them, and where they begin. */
#include "import/mjcf.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

static const mjcf_joint *find_joint(mjcf *m, const xml_node *node, const char *attribute)
{
    const char *name = import_value(m->c, node, attribute);
    if (!name) return NULL;
    const size_t k = strmap_get(&m->joint_names, name);
    if (k == SIZE_MAX) import_error(m->c, xml_place(node, attribute), NULL, "there is no joint '%s'", name);
    return k == SIZE_MAX ? NULL : &m->joints[k];
}

/* The world when the attribute is not there; NULL after an error. */
static const mjcf_body *find_body(mjcf *m, const xml_node *node, const char *attribute)
{
    const char *name = import_value(m->c, node, attribute);
    /* a file without <worldbody> has not even that */
    const size_t k = strmap_get(&m->body_names, name ? name : "world");
    if (k == SIZE_MAX)
        import_error(m->c, xml_place(node, attribute), NULL, "there is no body '%s'", name ? name : "world");
    return k == SIZE_MAX ? NULL : &m->bodies[k];
}

static const char *equality_name(mjcf *m, const xml_node *node)
{
    importer *c = m->c;
    const char *given = import_value(c, node, "name");
    if (!given || !*given) given = arena_format(&c->memory, "equality%zu", ++m->equalities);
    const char *name = given ? import_new_name(c, node->span, "constraint", given) : NULL;
    if (!name) import_out_of_memory(c);
    return name;
}

static const mjcf_site *find_site(mjcf *m, const xml_node *node, const char *attribute)
{
    const char *name = import_value(m->c, node, attribute);
    const size_t k = name ? strmap_get(&m->site_names, name) : SIZE_MAX;
    if (k == SIZE_MAX)
        import_error(m->c, name ? xml_place(node, attribute) : node->span, NULL, "there is no site '%s'",
                     name ? name : attribute);
    return k == SIZE_MAX ? NULL : &m->sites[k];
}

/* <connect site1 site2>: 0 after an error. */
static int connect_sites(mjcf *m, const xml_node *node, const mjcf_body **one, const mjcf_body **two, pose *a, pose *b)
{
    const mjcf_site *first = find_site(m, node, "site1"), *second = find_site(m, node, "site2");
    if (!first || !second) return 0;
    *one = &m->bodies[first->body];
    *two = &m->bodies[second->body];
    *a = *b = pose_none();
    memcpy(a->p, first->p, sizeof a->p);
    memcpy(b->p, second->p, sizeof b->p);
    return 1;
}

/* The poses of the two places that a connect or weld holds together, each in its body; 0 after an error. */
static int read_places(mjcf *m, const xml_node *node, const mjcf_body **one, const mjcf_body **two, pose *a, pose *b)
{
    importer *c = m->c;
    const int is_weld = strcmp(node->name, "weld") == 0;
    if (import_value(c, node, "site1") || import_value(c, node, "site2")) {
        if (!is_weld) return connect_sites(m, node, one, two, a, b);
        import_error(c, node->span, "name bodies in their place: body1, body2 and relpose",
                     "<weld> between sites is not read");
        return 0;
    }
    if (!import_value(c, node, "body1")) {
        import_error(c, node->span, NULL, "<%s> has no body1", node->name);
        return 0;
    }
    *one = find_body(m, node, "body1");
    *two = find_body(m, node, "body2");
    if (!*one || !*two) return 0;
    *a = *b = pose_none();
    const pose world = pose_inverse(&(*two)->home);
    pose relative = pose_times(&world, &(*one)->home); /* body 1 in body 2, where the file has them */
    if (!is_weld) {
        if (!import_numbers(c, node, "anchor", a->p, 3, 3) && c->errors == 0)
            import_error(c, node->span, NULL, "<connect> has no anchor");
        pose_point(&relative, a->p, b->p);
        return 1;
    }
    double given[7];
    if (import_numbers(c, node, "relpose", given, 7, 7) && normalise(given + 3, 4)) { /* body 2 in body 1 */
        memcpy(a->p, given, sizeof a->p);
        rotation_quaternion(given + 3, a->R);
    } else *a = pose_inverse(&relative);
    import_exact(c, a->R);
    return 1;
}

static void put_closing(mjcf *m, const xml_node *node)
{
    importer *c = m->c;
    const mjcf_body *one, *two;
    pose a, b;
    if (!read_places(m, node, &one, &two, &a, &b)) return;
    import_joint j = {
        .node = node, .parent = one->number, .child = two->number, .before = a, .name = equality_name(m, node)};
    j.kind = strcmp(node->name, "weld") == 0 ? IMPORT_FIXED : IMPORT_SPHERICAL;
    memcpy(j.after, b.p, sizeof j.after);
    if (one == two) import_error(c, node->span, NULL, "<%s> ties body '%s' to itself", node->name, one->given);
    if (j.name) import_add_joint(c, &j);
}

static int has_coordinate(const mjcf_joint *j) { return j->kind == IMPORT_REVOLUTE || j->kind == IMPORT_PRISMATIC; }

/* y - y0 = a0 + a1*(x - x0) + ..., and our coordinates are these differences. */
static void put_polynomial(mjcf *m, const xml_node *node)
{
    importer *c = m->c;
    double a[5] = {0, 1, 0, 0, 0};
    const mjcf_joint *y = find_joint(m, node, "joint1"), *x = find_joint(m, node, "joint2");
    const char *name = equality_name(m, node);
    if (!xml_value(node, "joint1")) import_error(c, node->span, NULL, "<joint> has no joint1");
    import_numbers(c, node, "polycoef", a, 1, 5); /* what is not given stays, as in MuJoCo: one number leaves a1 = 1 */
    if (!y || !name || (xml_value(node, "joint2") && !x)) return;
    if (!has_coordinate(y) || (x && !has_coordinate(x))) {
        import_error(c, node->span, NULL, "<joint> between joints that are not hinges or slides");
        return;
    }
    text_format(&c->rest, "constraint %s: %s = ", name, y->name);
    import_put_number(&c->rest, a[0]);
    for (int k = 1; k < 5 && x; k++) {
        if (a[k] == 0) continue;
        text_add(&c->rest, " + ");
        import_put_number(&c->rest, a[k]);
        text_format(&c->rest, k > 1 ? "*%s^%d" : "*%s", x->name, k);
    }
    text_add_char(&c->rest, '\n');
}

void mjcf_read_equalities(mjcf *m, xml_node *section)
{
    section->is_read = 1;
    size_t count = 0;
    for (xml_node *n = section->first; n; n = n->next) {
        const int is_joint = strcmp(n->name, "joint") == 0,
                  is_closing = strcmp(n->name, "connect") == 0 || strcmp(n->name, "weld") == 0;
        if (!is_joint && !is_closing) continue;
        const char *active = import_value(m->c, n, "active");
        n->is_read = 1;
        if (active && strcmp(active, "false") == 0) {
            import_note(m->c, "an equality that is not active is left out: %s",
                        xml_value(n, "name") ? xml_value(n, "name") : n->name);
            continue;
        }
        count++;
        if (is_joint) put_polynomial(m, n);
        else put_closing(m, n);
    }
    if (count) import_note(m->c, "equalities are soft in MuJoCo, and exact here: %zu", count);
}

/* The force of an actuator is gain*control + bias[0] + bias[1]*length + bias[2]*velocity. */
static int read_law(mjcf *m, const xml_node *n, double *gain, double bias[3])
{
    const xml_node *at;
    double three[10] = {1};
    bias[0] = bias[1] = bias[2] = 0;
    *gain = 1;
    if (strcmp(n->name, "motor") == 0) return 1;
    if (strcmp(n->name, "position") == 0) {
        *gain = mjcf_number(m, n, NULL, "kp", 1);
        bias[1] = -*gain;
        bias[2] = -mjcf_number(m, n, NULL, "kv", 0);
        return 1;
    }
    if (strcmp(n->name, "velocity") == 0) {
        *gain = mjcf_number(m, n, NULL, "kv", 1);
        bias[2] = -*gain;
        return 1;
    }
    const char *dynamics = mjcf_value(m, n, NULL, "dyntype", &at), *gain_type = mjcf_value(m, n, NULL, "gaintype", &at),
               *bias_type = mjcf_value(m, n, NULL, "biastype", &at);
    if ((dynamics && strcmp(dynamics, "none") != 0) || (gain_type && strcmp(gain_type, "fixed") != 0)) return 0;
    if (bias_type && strcmp(bias_type, "none") != 0 && strcmp(bias_type, "affine") != 0) return 0;
    mjcf_numbers(m, n, NULL, "gainprm", three, 1, 10);
    *gain = three[0];
    memset(three, 0, sizeof three);
    mjcf_numbers(m, n, NULL, "biasprm", three, 1, 10);
    if (bias_type && strcmp(bias_type, "affine") == 0) memcpy(bias, three, 3 * sizeof *bias);
    return 1;
}

static void put_term(textbuf *t, double factor, const char *what, int *is_first)
{
    if (factor == 0) return;
    text_add(t, *is_first ? "" : " + ");
    import_put_number(t, factor);
    text_add(t, what);
    *is_first = 0;
}

/* input NAME = 0, and a motor whose torque is made of it. */
static void put_actuator(mjcf *m, const xml_node *n, const mjcf_joint *j, const double gain, const double bias[3],
                         double gear)
{
    importer *c = m->c;
    textbuf *t = &c->rest;
    const char *given = import_value(c, n, "name");
    if (!given || !*given) given = arena_format(&c->memory, "%s_control", j->name);
    const char *name = given ? import_new_name(c, xml_place(n, "name"), "input", given) : NULL;
    const char *motor_given = name ? arena_format(&c->memory, "%s_motor", name) : NULL,
               *motor = motor_given ? import_new_name(c, n->span, "motor", motor_given) : NULL;
    if (!motor) {
        import_out_of_memory(c);
        return;
    }
    int is_first = 1;
    const char *u = arena_format(&c->memory, "*%s", name), *q = arena_format(&c->memory, "*%s", j->name),
               *v = arena_format(&c->memory, "*%s'", j->name);
    if (!u || !q || !v) import_out_of_memory(c);
    else {
        text_format(t, "input %s = 0\nmotor %s on %s: %s ", name, motor, j->name,
                    j->kind == IMPORT_REVOLUTE ? "torque" : "force");
        put_term(t, gear * gain, u, &is_first);
        put_term(t, gear * (bias[0] + bias[1] * gear * j->ref), "", &is_first);
        put_term(t, gear * gear * bias[1], q, &is_first);
        put_term(t, gear * gear * bias[2], v, &is_first);
        text_add(t, is_first ? "0\n" : "\n");
    }
}

void mjcf_read_actuators(mjcf *m, xml_node *section)
{
    importer *c = m->c;
    import_names others = {0};
    section->is_read = 1;
    for (xml_node *n = section->first; n; n = n->next) {
        static const char *const kinds[] = {"motor", "position", "velocity", "general"};
        int is_known = 0;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) is_known |= strcmp(n->name, kinds[i]) == 0;
        if (!is_known) continue;
        double gain, bias[3], gear[6] = {1};
        n->is_read = 1;
        const char *at_joint = import_value(c, n, "joint") ? "joint" : "jointinparent",
                   *name = import_value(c, n, "name");
        const mjcf_joint *j = find_joint(m, n, at_joint);
        mjcf_numbers(m, n, NULL, "gear", gear, 1, 6);
        if (!j && xml_value(n, at_joint)) continue;
        if (!j || !has_coordinate(j) || !read_law(m, n, &gain, bias)) import_add_name(&others, name ? name : n->name);
        else put_actuator(m, n, j, gain, bias, gear[0]);
    }
    if (others.count)
        import_note(c, "actuators that are no plain force on a hinge or slide are left out: %s",
                    import_list(c, &others));
    text_free(&others.text);
}

static void put_state(importer *c, const char *joint, const char *what, const double *v, int count)
{
    text_format(&c->rest, "initial %s%s = ", joint, what);
    if (count == 1) import_put_number(&c->rest, v[0]);
    else import_put_vector(&c->rest, v, count);
    text_add_char(&c->rest, '\n');
}

static void put_turning(importer *c, const char *joint, const double e[4], const double w[3])
{
    const double spin[4] = {0, w[0] / 2, w[1] / 2, w[2] / 2};
    double rate[4];
    quaternion_times(e, spin, rate); /* w stands in the axes of the body */
    put_state(c, joint, ".e'", rate, 4);
}

static size_t positions(import_kind k) { return k == IMPORT_FREE ? 7 : k == IMPORT_SPHERICAL ? 4 : 1; }
static size_t rates(import_kind k) { return k == IMPORT_FREE ? 6 : k == IMPORT_SPHERICAL ? 3 : 1; }

static void put_joint_state(importer *c, const mjcf_joint *j, double *q, const double *v, int has_rates)
{
    if (has_coordinate(j)) {
        const double ours = q[0] - j->ref;
        put_state(c, j->name, "", &ours, 1);
        if (has_rates) put_state(c, j->name, "'", v, 1);
        return;
    }
    double *e = j->kind == IMPORT_FREE ? q + 3 : q;
    if (!normalise(e, 4)) e[0] = 1;
    if (j->kind == IMPORT_FREE) put_state(c, j->name, ".r", q, 3);
    put_state(c, j->name, ".e", e, 4);
    if (!has_rates) return;
    if (j->kind == IMPORT_FREE) put_state(c, j->name, ".r'", v, 3);
    put_turning(c, j->name, e, j->kind == IMPORT_FREE ? v + 3 : v);
}

void mjcf_put_home(mjcf *m)
{
    for (size_t i = 0; i < m->joint_count; i++) {
        const mjcf_joint *j = &m->joints[i];
        double q[7];
        if (j->kind != IMPORT_FREE) continue;
        memcpy(q, j->home.p, 3 * sizeof *q);
        quaternion_of(j->home.R, q + 3);
        put_joint_state(m->c, j, q, NULL, 0);
    }
}

void mjcf_read_keyframe(mjcf *m, xml_node *section)
{
    importer *c = m->c;
    xml_node *key = import_child(section, "key");
    size_t nq = 0, nv = 0;
    section->is_read = 1;
    if (!key) {
        mjcf_put_home(m);
        return;
    }
    for (size_t i = 0; i < m->joint_count; i++) {
        nq += positions(m->joints[i].kind);
        nv += rates(m->joints[i].kind);
    }
    double *q = mem_zeroed(nq + nv + 1, sizeof *q), *v = q + nq;
    if (!q) {
        import_out_of_memory(c);
        return;
    }
    const int has_places = import_numbers(c, key, "qpos", q, nq, nq) > 0,
              has_rates = import_numbers(c, key, "qvel", v, nv, nv) > 0;
    import_value(c, key, "name");
    import_note(c, "it begins as its first keyframe says");
    if (!has_places) mjcf_put_home(m);
    for (size_t i = 0, iq = 0, iv = 0; i < m->joint_count; i++) {
        const mjcf_joint *j = &m->joints[i];
        if (has_places) put_joint_state(c, j, q + iq, v + iv, has_rates);
        iq += positions(j->kind);
        iv += rates(j->kind);
    }
    mem_free(q);
}
