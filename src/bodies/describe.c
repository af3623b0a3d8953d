/* What was made of the bodies, for people: loops, and what the conditions of a joint hold. */
#include "bodies/bodies.h"

#include <math.h>
#include <stdio.h>

/* The joints between body `at` and the ground, its own first; SIZE_MAX where it does not hang on the ground. */
static size_t way_down(const mech_bodies *b, size_t at, size_t *list, size_t room)
{
    size_t count = 0;
    while (at != MECH_GROUND && at != SIZE_MAX && b->bodies[at].joint != SIZE_MAX && count < room) {
        list[count++] = b->bodies[at].joint;
        at = b->bodies[at].parent;
    }
    return at == MECH_GROUND ? count : SIZE_MAX;
}

size_t mech_bodies_loop(const mech_bodies *b, size_t joint, size_t *list, size_t room)
{
    enum { LONGEST = 200 };
    size_t one[LONGEST], other[LONGEST], count = 0;
    if (joint >= b->joint_count || !b->joints[joint].is_done || b->joints[joint].is_tree) return 0;
    size_t m = way_down(b, b->joints[joint].before, one, LONGEST),
           n = way_down(b, b->joints[joint].after, other, LONGEST);
    if (m == SIZE_MAX || n == SIZE_MAX) return 0;          /* a body with coordinates of its own */
    while (m && n && one[m - 1] == other[n - 1]) m--, n--; /* what both hang on */
    for (size_t i = m; i-- > 0;)
        if (count < room) list[count++] = one[i];
    for (size_t i = n; i-- > 0;)
        if (count < room) list[count++] = other[i];
    if (count < room) list[count++] = joint;
    return count;
}

static void numbers_of(const mech_bodies *b, vec v, double x[3])
{
    for (int i = 0; i < 3; i++) x[i] = bodies_number(b, v.x[i]);
}

/* 1: the direction n of both places of a joint is the same, and what the joint turns turns about it. */
static int moves_across(const mech_bodies *b, const body_joint *j, const double *n)
{
    double axis[3], size = 0, along = 0;
    const mat turned[2] = {j->turned_before, j->turned_after};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            double image = 0;
            for (int m = 0; m < 3; m++) image += bodies_number(b, turned[k].x[i][m]) * n[m];
            if (!(fabs(image - n[i]) < 1e-9)) return 0;
        }
    numbers_of(b, j->axis, axis);
    for (int i = 0; i < 3; i++) {
        size += axis[i] * axis[i];
        along += axis[i] * n[i];
    }
    if (j->kind == MECH_JOINT_FIXED) return 1;
    if (j->kind == MECH_JOINT_REVOLUTE || j->kind == MECH_JOINT_PLANAR) return fabs(along * along - size) < 1e-9 * size;
    return j->kind == MECH_JOINT_PRISMATIC && fabs(along) < 1e-9 * sqrt(size);
}

int mech_bodies_loop_is_planar(const mech_bodies *b, const size_t *joints, size_t count)
{
    double n[3] = {0}, size = 0;
    for (size_t i = 0; i < count && size == 0; i++)
        if (b->joints[joints[i]].kind == MECH_JOINT_REVOLUTE) {
            numbers_of(b, b->joints[joints[i]].axis, n);
            size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        }
    if (b->dimension == 2 || !(size > 0)) return b->dimension == 2;
    for (int i = 0; i < 3; i++) n[i] /= size;
    for (size_t i = 0; i < count; i++)
        if (!moves_across(b, &b->joints[joints[i]], n)) return 0;
    return 1;
}

/* 'x' when a direction fixed in the ground is that of an axis, else 0. */
static char axis_letter(const mech_bodies *b, const body_joint *j, vec direction)
{
    if (j->before != MECH_GROUND) return 0;
    for (int i = 0; i < 3; i++) {
        double image = 0;
        for (int m = 0; m < 3; m++)
            image += bodies_number(b, j->turned_before.x[i][m]) * bodies_number(b, direction.x[m]);
        if (fabs(fabs(image) - 1) < 1e-9) return "xyz"[i];
    }
    return 0;
}

typedef enum condition { ALONG_AXES, ACROSS, NORMAL, TILT, TURN, TWIST, ADVANCE, DISTANCE } condition;

/* What row k of a joint holds, and which of its kind it is. */
static condition condition_of(const mech_bodies *b, const body_joint *j, size_t k, size_t *which)
{
    const size_t d = b->dimension, is_coincident = j->kind == MECH_JOINT_REVOLUTE || j->kind == MECH_JOINT_UNIVERSAL ||
                                                   j->kind == MECH_JOINT_SPHERICAL || j->kind == MECH_JOINT_FIXED;
    const size_t first = is_coincident ? d : j->kind == MECH_JOINT_PLANAR ? 1 : d - 1;
    *which = k;
    if (j->kind == MECH_JOINT_DISTANCE) return DISTANCE;
    if (k < first) return is_coincident ? ALONG_AXES : j->kind == MECH_JOINT_PLANAR ? NORMAL : ACROSS;
    *which = k - first;
    if (j->kind == MECH_JOINT_UNIVERSAL) return TWIST;
    if (d == 2 || *which == 2) return j->kind == MECH_JOINT_SCREW ? ADVANCE : TURN;
    return TILT;
}

void mech_bodies_condition(const mech_bodies *b, size_t joint, size_t row, char text[MECH_CONDITION_TEXT])
{
    const body_joint *j = &b->joints[joint];
    size_t which;
    const condition what = condition_of(b, j, row, &which);
    vec across[2] = {vec_unit(0), vec_unit(1)};
    if (!vec_is_zero(j->axis)) bodies_across(b, j->axis, across);
    /* row 0 keeps u before at right angles to n after: it tilts about n x u = w; row 1 about u */
    const char letter = what == ALONG_AXES ? "xyz"[which]
                        : what == ACROSS   ? axis_letter(b, j, across[which])
                        : what == TILT     ? axis_letter(b, j, across[1 - which])
                                           : 0;
    static const char *const with[] = {"along %c", "along %c", "", "tilt about %c"};
    static const char *const without[] = {
        "",      "across its axis", "along its normal", "tilt of its axis", "turn about its axis",
        "twist", "advance",         "its distance"};
    if (letter) snprintf(text, MECH_CONDITION_TEXT, with[what], letter);
    else
        snprintf(text, MECH_CONDITION_TEXT, "%s%s", without[what],
                 what == ACROSS || what == TILT ? which ? " (2)" : " (1)" : "");
}

size_t mech_bodies_gear(const mech_bodies *b) { return b->gear - 1; }

int mech_bodies_by_constraint(const mech_bodies *b, size_t joint)
{
    return joint < b->joint_count ? b->joints[joint].by_constraint : 0;
}

int mech_bodies_joint_is_driven(const mech_bodies *b, size_t joint)
{
    return joint < b->joint_count && b->joints[joint].is_driven;
}

size_t mech_bodies_joint_before(const mech_bodies *b, size_t joint)
{
    return joint < b->joint_count ? b->joints[joint].before : MECH_GROUND;
}

size_t mech_bodies_joint_after(const mech_bodies *b, size_t joint)
{
    return joint < b->joint_count ? b->joints[joint].after : MECH_GROUND;
}

size_t mech_bodies_joint_of(const mech_bodies *b, size_t constraint)
{
    for (size_t i = 0; i < b->joint_count; i++) {
        if (b->joints[i].constraint == constraint) return i;
        for (size_t k = 0; k < JOINT_VALUES; k++)
            if (b->joints[i].value_constraint[k] == constraint) return i;
    }
    return SIZE_MAX;
}
