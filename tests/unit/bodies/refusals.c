/* What is refused, in its exact words. */
#include "support/mechanism.h"

static mech_expr number(mechanism *m, double x) { return mech_number(m->pool, x); }

static void said(mechanism *m, mech_status status, const char *message, const char *hint)
{
    const mech_diagnostic *d = mech_diagnostics_get(m->list, mech_diagnostics_count(m->list) - 1);
    CHECK(status == MECH_ERR_MODEL);
    CHECK_TEXT(d ? d->message : NULL, message);
    CHECK_TEXT(d && d->hint ? d->hint : "", hint);
}

static void creating(void)
{
    mech_bodies *b = (mech_bodies *)1;
    mechanism *m = mechanism_open(3, 0, 0, -9.81);
    CHECK(mech_bodies_create(m->model, NULL, 3, &b) == MECH_ERR_ARGUMENT && !b);
    CHECK(mech_bodies_create(m->model, N3(m, 0, 0, 1), 4, &b) == MECH_ERR_ARGUMENT && !b);
    CHECK(mech_bodies_create(NULL, N3(m, 0, 0, 1), 3, &b) == MECH_ERR_ARGUMENT && !b);
    mech_expr moving[3] = {mech_model_coord(m->model, "x", NULL), number(m, 0), number(m, 0)};
    said(m, mech_bodies_create(m->model, moving, 3, &b), "gravity may use numbers and parameters only",
         "what moves is a coordinate of a joint");
    CHECK(!b);
    mech_bodies_free(NULL);
    mechanism_close(m);
}

static void masses(void)
{
    mechanism *m = mechanism_open(3, 0, 0, -9.81), *plane = mechanism_open(2, 0, -9.81, 0);
    size_t k, f, x[3];
    const double bad[9] = {1, 2, 0, 0, 1, 0, 0, 0, 1};
    mech_bodies *b = m->bodies;
    CHECK(mech_bodies_body(b, "k", &k) == MECH_OK && mech_bodies_body(plane->bodies, "f", &f) == MECH_OK);
    said(m, mech_bodies_body(b, "k", x), "there are two bodies named 'k'", "ground is the body that does not move");
    said(m, mech_bodies_mass(b, k, number(m, -1), NULL, NULL, 0), "a mass is not negative: -1", "");
    said(m, mech_bodies_mass(b, k, number(m, 1), NULL, N3(m, 1, -2, 1), 3), "a moment of inertia is not negative: -2",
         "");
    said(m, mech_bodies_mass(b, k, number(m, 1), NULL, numbers(m, 9, bad), 9), "a matrix of inertia is symmetric", "");
    said(m, mech_bodies_mass(b, k, number(m, 1), NULL, N3(m, 1, 1, 1), 1),
         "an inertia is three moments or a matrix of three rows", "write: inertia [Jx, Jy, Jz]");
    said(plane, mech_bodies_mass(plane->bodies, f, number(plane, 1), NULL, N3(plane, 1, 1, 1), 3),
         "in the plane an inertia is one number", "write: inertia J");
    said(m, mech_bodies_mass(b, k, mech_model_time(m->model), NULL, NULL, 0),
         "a mass may use numbers and parameters only", "what moves is a coordinate of a joint");
    CHECK(mech_bodies_mass(b, MECH_GROUND, number(m, 1), NULL, NULL, 0) == MECH_ERR_ARGUMENT);
    const mech_solid ball = {.size = sizeof(mech_solid),
                             .kind = MECH_SOLID_SPHERE,
                             .extent = N2(plane, 1, 1),
                             .extent_count = 1,
                             .mass = number(plane, 1)};
    said(plane, mech_bodies_solid(plane->bodies, f, &ball), "a sphere is not in the plane",
         "in the plane there are rods, boxes of two edges and discs");
    mech_solid box = {.size = sizeof(mech_solid),
                      .kind = MECH_SOLID_BOX,
                      .extent = N3(m, 1, 2, 3),
                      .extent_count = 2,
                      .mass = number(m, 1)};
    said(m, mech_bodies_solid(b, k, &box), "a box takes 3 numbers, not 2", "");
    box.extent_count = 3;
    box.density = number(m, 2);
    said(m, mech_bodies_solid(b, k, &box), "a box takes either a mass or a density", "write: mass m, or: density d");
    box.density = (mech_expr){0};
    box.extent = N3(m, 1, 0, 3);
    said(m, mech_bodies_solid(b, k, &box), "the size of a box is greater than 0, not 0", "");
    box.extent = N3(m, 1, 1, 3);
    box.turned = numbers(m, 9, bad);
    said(m, mech_bodies_solid(b, k, &box), "'turned' is not a rotation",
         "its columns are three unit vectors at right angles, right-handed: rotz(pi/2)");
    mechanism_close(m);
    mechanism_close(plane);
}

static void joints(void)
{
    mechanism *m = mechanism_open(3, 0, 0, -9.81), *plane = mechanism_open(2, 0, -9.81, 0);
    mech_bodies *b = m->bodies;
    const size_t k = add_body(m, "k", 1, NULL, NULL, 0), h = add_body(m, "h", 1, NULL, NULL, 0),
                 f = add_body(plane, "f", 1, NULL, NULL, 0);
    mech_expr e[9];
    mech_joint j = {
        .size = sizeof(mech_joint), .kind = MECH_JOINT_REVOLUTE, .before = {.body = k}, .after = {.body = k}};
    said(m, mech_bodies_joint(b, "J", &j, NULL), "joint 'J' ties body 'k' to itself", "");
    j.after.body = h;
    said(m, mech_bodies_joint(b, "J", &j, NULL), "joint 'J' needs an axis",
         "write: about [0, 0, 1], or: along [0, 0, 1]");
    j.axis = N3(m, 0, 0, 0);
    said(m, mech_bodies_joint(b, "J", &j, NULL), "the axis of joint 'J' has length 0", "");
    j.axis = N3(m, 0, 0, 1);
    CHECK(mech_bodies_joint(b, "J", &j, NULL) == MECH_OK); /* waits */
    said(m, mech_bodies_joint(b, "J", &j, NULL), "there are two joints named 'J'", "");
    CHECK(mech_bodies_joint_coord(b, 0, 0).id == 0);
    said(m, MECH_ERR_MODEL, "joint 'J' is not tied to the ground yet",
         "write the joints that lead to it from the ground above this line");
    said(m, mech_bodies_value(b, k, MECH_BODY_ORIGIN, e), "body 'k' is not tied to the ground yet",
         "write the joints that lead to it from the ground above this line");
    j = (mech_joint){.size = sizeof(mech_joint),
                     .kind = MECH_JOINT_DISTANCE,
                     .before = {.body = MECH_GROUND},
                     .after = {.body = k},
                     .number = number(m, 0)};
    said(m, mech_bodies_joint(b, "D", &j, NULL), "the distance of joint 'D' is greater than 0, not 0",
         "for 0 write: spherical (in the plane: revolute)");
    j = (mech_joint){.size = sizeof(mech_joint),
                     .kind = MECH_JOINT_SPHERICAL,
                     .before = {.body = MECH_GROUND},
                     .after = {.body = f}};
    said(plane, mech_bodies_joint(plane->bodies, "S", &j, NULL), "joint 'S': spherical is for models in space",
         "in the plane there are revolute, prismatic, planar, fixed, free, distance and slot");
    said(m, mech_bodies_finish(b), "body 'h' is not tied to the ground by any joint",
         "write a joint to it; joint NAME: ground to BODY, free ties nothing and gives it coordinates");
    CHECK(mech_bodies_finish(b) == MECH_ERR_ARGUMENT);
    mechanism_close(m);
    mechanism_close(plane);
}

static void values(void)
{
    mechanism *m = mechanism_open(3, 0, 0, -9.81);
    mech_bodies *b = m->bodies;
    const size_t k = add_body(m, "k", -1, NULL, NULL, 0), h = add_body(m, "h", 1, NULL, NULL, 0);
    mech_expr e[9];
    add_joint(m, "F", (mech_joint){.kind = MECH_JOINT_FREE, .before = {.body = MECH_GROUND}, .after = {.body = k}});
    add_joint(m, "G", (mech_joint){.kind = MECH_JOINT_FREE, .before = {.body = MECH_GROUND}, .after = {.body = h}});
    const size_t S =
        add_joint(m, "S", (mech_joint){.kind = MECH_JOINT_SPHERICAL, .before = {.body = k}, .after = {.body = h}});
    said(m, mech_bodies_value(b, k, MECH_BODY_CENTER, e), "body 'k' has no mass, and so no mass centre",
         "take its origin, or a point of it");
    said(m, mech_bodies_value(b, k, MECH_BODY_ANGLE, e), "in space a body has no angle: 'k'",
         "its attitude is R, its angular velocity w");
    CHECK(mech_bodies_value(b, h, MECH_BODY_CENTER, e) == MECH_OK);
    said(m, mech_bodies_mass(b, h, number(m, 1), NULL, NULL, 0), "body 'h' gains mass after its mass centre was used",
         "give a body all its masses first");
    CHECK(mech_bodies_joint_coord(b, S, 1).id == 0);
    said(m, MECH_ERR_MODEL, "joint 'S' closes a loop: it has no coordinates",
         "move the joint up, so that it gives coordinates, or use the values of its bodies");
    CHECK(mech_bodies_joint_coord(b, S, 7).id == 0 && !mech_bodies_joint_part(b, S, 7));
    mechanism_close(m);
}

/* Forces on a body that are no expressions: the tree does not know its joint's force. */
static void unknown_forces(void)
{
    for (int what = 0; what < 5; what++) {
        mechanism *m = mechanism_open(2, 0, -9.81, 0);
        const double inertia = 1;
        const size_t k = add_body(m, "k", 1, (const double[]){0.3, 0, 0}, &inertia, 1);
        mech_expr e[3], rate[2], force[2];
        const size_t J = add_joint(m, "J",
                                   (mech_joint){.kind = what == 4 ? MECH_JOINT_REVOLUTE : MECH_JOINT_FREE,
                                                .before = {.body = MECH_GROUND},
                                                .after = {.body = k}});
        CHECK(mech_bodies_point(m->bodies, k, N2(m, 1, 0), e) == MECH_OK);
        for (int i = 0; i < 2; i++) rate[i] = mech_dot(m->pool, e[i]);
        size_t floor;
        CHECK(mech_model_constraint(m->model, "floor", &e[1], 1, &floor) == MECH_OK);
        CHECK(mech_bodies_joint_wrench(m->bodies, J, MECH_WRENCH_FORCE, force) == MECH_OK);
        const mech_expr energy = mech_mul(m->pool, rate[0], rate[0]), one = number(m, 1);
        if (what == 0)
            CHECK(mech_model_friction(m->model, &floor, 1, number(m, 0.2), rate, 1, (mech_expr){0}) == MECH_OK);
        if (what == 1) CHECK(mech_model_nonideal(m->model, MECH_LAW_C, &floor, 1, e, &one, 1) == MECH_OK);
        if (what == 2) CHECK(mech_model_actuator(m->model, NULL, rate, 1) == MECH_OK);
        if (what == 3) CHECK(mech_model_kinetic(m->model, energy) == MECH_OK);
        const mech_expr x = mech_bodies_joint_coord(m->bodies, J, 0);
        if (what == 4) CHECK(mech_model_nonideal(m->model, MECH_LAW_C, &floor, 1, &x, force, 1) == MECH_OK);
        static const char *const words[] = {"friction", "a law", "an actuator", "a kinetic energy"};
        char text[120];
        snprintf(text, sizeof text, "the force of a joint in the tree is not known where %s acts on a body",
                 words[what & 3]);
        said(m, mech_bodies_finish(m->bodies),
             what == 4 ? "a law may not depend on the force of a joint in the tree" : text,
             "write: by constraint, behind the joint");
        mechanism_close(m);
    }
}

int main(void)
{
    creating();
    masses();
    joints();
    values();
    unknown_forces();
    return check_report();
}
