/* Bodies and joints as text. */
#include "import/import.h"

#include "base/mem.h"

#include <math.h>

static int is_finite(const import_body *b)
{
    double sum = b->mass; /* of numbers that are finite it may overflow, too: then they are no masses */
    for (int i = 0; i < 3; i++) sum += fabs(b->center[i]);
    for (int i = 0; i < 9; i++) sum += fabs(b->inertia[i]);
    return isfinite(sum);
}

int import_add_body(importer *c, const import_body *body)
{
    if (!is_finite(body))
        import_error(c, body->node->span, NULL, "the mass, centre or inertia of '%s' is too large a number",
                     body->given);
    if (!mem_grow(&c->bodies, &c->body_capacity, c->body_count + 1, sizeof *body)) {
        import_out_of_memory(c);
        return IMPORT_GROUND;
    }
    c->bodies[c->body_count] = *body;
    return (int)c->body_count++;
}

void import_add_joint(importer *c, const import_joint *joint)
{
    if (!mem_grow(&c->joints, &c->joint_capacity, c->joint_count + 1, sizeof *joint)) {
        import_out_of_memory(c);
        return;
    }
    c->joints[c->joint_count++] = *joint;
}

void import_check_inertia(importer *c, const import_body *body, const char *kind)
{
    double moments[3];
    principal_moments(body->inertia, moments);
    const double slack = 1e-9 * moments[2];
    if (moments[0] < -slack)
        import_warning(c, body->node->span, "%s '%s' has a negative moment of inertia, %g", kind, body->given,
                       moments[0]);
    else if (moments[0] + moments[1] < moments[2] - slack)
        import_warning(c, body->node->span, "%s '%s' has moments of inertia that no body has: %g + %g is less than %g",
                       kind, body->given, moments[0], moments[1], moments[2]);
}

/* What overflowed is no name: the language refuses 1/0 with its place. */
void import_put_number(textbuf *t, double value)
{
    if (isfinite(value)) text_add_double(t, value == 0 ? 0.0 : value);
    else text_add(t, "(1/0)");
}

void import_put_vector(textbuf *t, const double *v, int count)
{
    text_add_char(t, '[');
    for (int i = 0; i < count; i++) {
        if (i) text_add(t, ", ");
        import_put_number(t, v[i]);
    }
    text_add_char(t, ']');
}

void import_put_friction(importer *c, const char *joint, import_kind kind, double bound)
{
    text_format(&c->rest, "friction on %s: %s ", joint, kind == IMPORT_REVOLUTE ? "torque" : "force");
    import_put_number(&c->rest, bound);
    text_add_char(&c->rest, '\n');
}

void import_put_limits(importer *c, mech_span span, const char *joint, const double range[2])
{
    static const char *const ends[] = {"low", "high"}, *const signs[] = {">=", "<="};
    if (range[0] > range[1]) {
        import_error(c, span, NULL, "the limits of joint '%s' leave it no place: %g is above %g", joint, range[0],
                     range[1]);
        return;
    }
    for (int k = 0; k < 2; k++) {
        const char *name = import_new_name(c, span, "constraint", arena_format(&c->memory, "%s_%s", joint, ends[k]));
        if (!name) return;
        text_format(&c->rest, "constraint %s: %s %s ", name, joint, signs[k]);
        import_put_number(&c->rest, range[k]);
        text_add_char(&c->rest, '\n');
    }
}

static void put_matrix(textbuf *t, const double m[9])
{
    text_add_char(t, '[');
    for (int i = 0; i < 3; i++) {
        if (i) text_add(t, ", ");
        import_put_vector(t, m + 3 * i, 3);
    }
    text_add_char(t, ']');
}

static int is_zero(const double *v, int count)
{
    while (count > 0 && v[count - 1] == 0) count--;
    return count == 0;
}

static void put_body(textbuf *t, const import_body *b)
{
    const double off[] = {b->inertia[1], b->inertia[2], b->inertia[5]},
                 moments[] = {b->inertia[0], b->inertia[4], b->inertia[8]};
    text_format(t, "body %s: mass ", b->name);
    import_put_number(t, b->mass);
    if (!is_zero(b->center, 3)) {
        text_add(t, ", center ");
        import_put_vector(t, b->center, 3);
    }
    if (!is_zero(off, 3)) {
        text_add(t, ", inertia ");
        put_matrix(t, b->inertia);
    } else if (!is_zero(moments, 3)) {
        text_add(t, ", inertia ");
        import_put_vector(t, moments, 3);
    }
    text_add_char(t, '\n');
}

static int is_unturned(const double R[9])
{
    for (int i = 0; i < 9; i++)
        if (R[i] != (i % 4 == 0)) return 0;
    return 1;
}

static void put_joint(const importer *c, textbuf *t, const import_joint *j)
{
    static const char *const kinds[] = {
        "revolute about ", "prismatic along ", "spherical", "planar normal ", "fixed", "free"};
    const char *ground = c->origin ? c->origin : "ground";
    text_format(t, "joint %s: %s", j->name, j->parent == IMPORT_GROUND ? ground : c->bodies[j->parent].name);
    if (!is_zero(j->before.p, 3)) {
        text_add(t, " at ");
        import_put_vector(t, j->before.p, 3);
    }
    if (!is_unturned(j->before.R)) {
        text_add(t, " turned ");
        put_matrix(t, j->before.R);
    }
    text_format(t, " to %s", j->child == IMPORT_GROUND ? ground : c->bodies[j->child].name);
    if (!is_zero(j->after, 3)) {
        text_add(t, " at ");
        import_put_vector(t, j->after, 3);
    }
    text_format(t, ", %s", kinds[j->kind]);
    if (j->kind == IMPORT_REVOLUTE || j->kind == IMPORT_PRISMATIC || j->kind == IMPORT_PLANAR)
        import_put_vector(t, j->axis, 3);
    text_add_char(t, '\n');
}

/* A body stands before the joint that ties it. */
void import_write(importer *c, textbuf *out)
{
    text_add(out, c->head.data ? c->head.data : "");
    if (!c->options.is_part) {
        text_add(out, "gravity ");
        import_put_vector(out, c->gravity, 3);
        text_add_char(out, '\n');
    }
    if (c->origin)
        text_format(out, "body %s: mass 0\njoint %s_joint: %s to %s, fixed\n", c->origin, c->origin, c->options.place,
                    c->origin);
    char *is_put = mem_zeroed(c->body_count, 1);
    if (!is_put) {
        import_out_of_memory(c);
        return;
    }
    for (size_t i = 0; i < c->joint_count; i++) {
        const import_joint *j = &c->joints[i];
        if (j->child != IMPORT_GROUND && !is_put[j->child]) {
            put_body(out, &c->bodies[j->child]);
            is_put[j->child] = 1;
        }
        put_joint(c, out, j);
    }
    text_add(out, c->rest.data ? c->rest.data : "");
    mem_free(is_put);
}
