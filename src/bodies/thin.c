/* Bodies without an inertia about some axis: rods without thickness, point masses. They are none of our business until
   a mass is missed; then the one to name is one that can turn about that axis with nothing else. */
#include "bodies/bodies.h"

#include <math.h>

/* What a link carries, in numbers; moments about the mass centre, in the link's axes. */
typedef struct thin_mass {
    double mass, c[3], I[3][3];
    double small, size; /* moments and squares of lengths that count as nothing */
} thin_mass;

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross3(const double a[3], const double b[3], double to[3])
{
    for (int i = 0; i < 3; i++) to[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void numbers_of(const mech_bodies *b, vec v, double to[3])
{
    for (int i = 0; i < 3; i++) to[i] = bodies_number(b, v.x[i]);
}

/* With the bodies that are fixed to it. 0: it weighs nothing. */
static int weigh(const mech_bodies *b, size_t number, thin_mass *m)
{
    link_mass sum = bodies_no_mass();
    double trace = 0;
    for (size_t k = 1; k < b->body_count; k++)
        if (b->bodies[k].link == b->bodies[number].link) bodies_body_mass(b, &b->bodies[k], &sum);
    m->mass = bodies_number(b, sum.mass);
    if (!(m->mass > 0)) return 0;
    for (int i = 0; i < 3; i++) m->c[i] = bodies_number(b, sum.moment.x[i]) / m->mass;
    const double square = dot3(m->c, m->c);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m->I[i][j] = bodies_number(b, sum.inertia.x[i][j]) - m->mass * ((i == j ? square : 0) - m->c[i] * m->c[j]);
        trace += m->I[i][i];
    }
    m->small = 1e-9 * (trace + m->mass * square);
    m->size = 1e-9 * (trace / m->mass + square);
    return 1;
}

/* The axis through its mass centre about which it has no inertia; 0: it has one about all. A point mass has none about
   any: then all entries are 0. */
static int thin_axis(const mech_bodies *b, const thin_mass *m, double axis[3])
{
    const double trace = m->I[0][0] + m->I[1][1] + m->I[2][2];
    double longest = 0;
    for (int i = 0; i < 3; i++) axis[i] = b->dimension == 2 && i == 2;
    if (b->dimension == 2) return m->I[2][2] <= m->small;
    double across[3];
    cross3(m->I[1], m->I[2], across);
    if (!(dot3(m->I[0], across) <= m->small * trace * trace)) return 0;
    for (int i = 0; i < 3; i++) {
        cross3(m->I[i], m->I[(i + 1) % 3], across);
        const double length = sqrt(dot3(across, across));
        if (!(length > longest) || !(length > 1e-9 * trace * trace)) continue;
        longest = length;
        for (int k = 0; k < 3; k++) axis[k] = across[k] / length;
    }
    return 1;
}

/* Where a joint holds the body and about which axis it turns there, from its mass centre, in the axes of its link. */
static void seen_from(const mech_bodies *b, const body_joint *j, int is_after, const thin_mass *m, double arm[3],
                      double n[3])
{
    mech_pool *p = b->pool;
    const body *k = &b->bodies[is_after ? j->after : j->before];
    const vec at = vec_add(p, k->origin, mat_apply(p, k->axes, is_after ? j->at_after : j->at_before));
    const mat turned = mat_times(p, k->axes, is_after ? j->turned_after : j->turned_before);
    numbers_of(b, at, arm);
    numbers_of(b, mat_apply(p, turned, is_after && j->kind == MECH_JOINT_UNIVERSAL ? j->second : j->axis), n);
    for (int i = 0; i < 3; i++) arm[i] -= m->c[i];
}

static int turns_about(mech_joint_kind kind)
{
    return kind == MECH_JOINT_REVOLUTE || kind == MECH_JOINT_SCREW || kind == MECH_JOINT_CYLINDRICAL ||
           kind == MECH_JOINT_UNIVERSAL || kind == MECH_JOINT_PLANAR;
}

/* Does the joint let it turn about this axis, where that moves nothing else? All entries 0: the axis is not known yet,
   and the joint may say. */
static int lets_turn(const mech_bodies *b, const body_joint *j, const thin_mass *m, const double arm[3],
                     const double n[3], double axis[3])
{
    double out[3];
    if (j->kind == MECH_JOINT_FREE) return 1;
    if (j->kind == MECH_JOINT_PRISMATIC || j->kind == MECH_JOINT_FIXED) return 0;
    const double away = dot3(arm, arm);
    const int is_off = away > m->size, has_axis = dot3(axis, axis) > 0,
              about = b->dimension == 3 && turns_about(j->kind);
    for (int i = 0; i < 3 && !has_axis; i++) axis[i] = about ? n[i] : is_off ? arm[i] / sqrt(away) : 0;
    if (!(dot3(axis, axis) > 0)) return 1;
    cross3(axis, n, out);
    if (about && dot3(out, out) > 1e-9) return 0;
    cross3(axis, arm, out);
    return j->kind == MECH_JOINT_PLANAR || dot3(out, out) <= m->size + 1e-9 * away;
}

/* 1: it can turn about an axis without an inertia, whatever else stands. */
static int is_loose(const mech_bodies *b, size_t number, const thin_mass *m, double axis[3])
{
    const size_t link = b->bodies[number].link;
    for (size_t i = 0; i < b->joint_count; i++) {
        const body_joint *j = &b->joints[i];
        const int before = b->bodies[j->before].link == link, after = b->bodies[j->after].link == link;
        double arm[3], n[3];
        if (before == after) continue;
        seen_from(b, j, after, m, arm, n);
        if (!lets_turn(b, j, m, arm, n, axis)) return 0;
    }
    return 1;
}

const char *bodies_thin(mech_bodies *b)
{
    size_t found = 0;
    for (size_t i = 1, is_sure = 0; i < b->body_count && !is_sure; i++) {
        thin_mass m;
        double axis[3];
        if (!weigh(b, i, &m) || !thin_axis(b, &m, axis)) continue;
        is_sure = (size_t)is_loose(b, i, &m, axis);
        if (!found || is_sure) found = i;
    }
    if (!found) return NULL;
    return arena_format(&b->model->memory,
                        "body '%s' has no inertia about %s, as a %s has none: give it one (inertia, or another solid)",
                        b->bodies[found].name, b->dimension == 2 ? "its mass centre" : "an axis",
                        b->dimension == 2 ? "point mass" : "thin rod or a point mass");
}
