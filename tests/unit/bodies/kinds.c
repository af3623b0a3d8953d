/* Every kind of joint in the tree and as a constraint, written from either side: the same motion and the same forces.
   Two bodies hang on the ground, the first by the joint that is looked at, in places off their origins and turned, the
   second by a hinge; a spring, a force on a point, a torque and a drive act on them. */
#include "support/mechanism.h"
#include "support/random_numbers.h"

enum { IN_TREE, IN_TREE_REVERSED, BY_CONSTRAINT, BY_CONSTRAINT_REVERSED, WAYS };

typedef struct pose { /* of one body, as outputs give it */
    double r[3], R[9], v[3], w[3], a[3];
} pose;

typedef struct shown {
    size_t pose[2], force, torque, load_force, load_torque, hinge, tension;
} shown;

static void rotation(double a, double b, double c, double *R) /* rotz(a) rotx(b) rotz(c), row by row */
{
    const double x[9] = {cos(a) * cos(c) - sin(a) * cos(b) * sin(c),
                         -cos(a) * sin(c) - sin(a) * cos(b) * cos(c),
                         sin(a) * sin(b),
                         sin(a) * cos(c) + cos(a) * cos(b) * sin(c),
                         -sin(a) * sin(c) + cos(a) * cos(b) * cos(c),
                         -cos(a) * sin(b),
                         sin(b) * sin(c),
                         sin(b) * cos(c),
                         cos(b)};
    memcpy(R, x, sizeof x);
}

static size_t show_pose(mechanism *m, const char *name, size_t body)
{
    mech_expr e[21];
    char full[16];
    CHECK(mech_bodies_value(m->bodies, body, MECH_BODY_ORIGIN, e) == MECH_OK);
    CHECK(mech_bodies_value(m->bodies, body, MECH_BODY_ATTITUDE, e + 3) == MECH_OK);
    for (int i = 0; i < 3; i++) e[12 + i] = mech_dot(m->pool, e[i]);
    CHECK(mech_bodies_value(m->bodies, body, MECH_BODY_OMEGA, e + 15) == MECH_OK);
    for (int i = 0; i < 3; i++) e[18 + i] = mech_dot(m->pool, e[12 + i]);
    snprintf(full, sizeof full, "pose_%s", name);
    return show(m, full, e, 21);
}

static mechanism *make(mech_joint_kind kind, int way, int with_drive, shown *s)
{
    double turned[2][9];
    rotation(0.3, 0.4, -0.7, turned[0]);
    rotation(-0.5, 0.2, 0.9, turned[1]);
    mechanism *m = mechanism_open(3, 0.5, -1, -9.81);
    const size_t one = add_body(m, "one", 2, (const double[]){0.1, -0.2, 0.3}, (const double[]){0.05, 0.06, 0.07}, 3);
    const size_t two = add_body(m, "two", 1.5, (const double[]){0, 0.1, -0.1},
                                (const double[]){0.04, 0.01, 0, 0.01, 0.05, -0.005, 0, -0.005, 0.03}, 9);
    const mech_place base = {MECH_GROUND, N3(m, 0.2, 0.1, -0.3), numbers(m, 9, turned[0])},
                     hand = {one, N3(m, -0.1, 0.15, 0.2), numbers(m, 9, turned[1])};
    const int is_reversed = way & 1, by_constraint = way >= BY_CONSTRAINT;
    mech_joint j = {.size = sizeof(mech_joint),
                    .kind = kind,
                    .before = is_reversed ? hand : base,
                    .after = is_reversed ? base : hand,
                    .axis = N3(m, 1, 2, -2),
                    .number = mech_number(m->pool, 0.4),
                    .by_constraint = by_constraint};
    j.second = N3(m, 2, 1, 1); /* not at right angles */
    if (kind == MECH_JOINT_UNIVERSAL && is_reversed) {
        const mech_expr *swap = j.axis;
        j.axis = j.second, j.second = swap;
    }
    const size_t joint = add_joint(m, "J", j);
    const size_t hinge = add_joint(m, "H",
                                   (mech_joint){.kind = MECH_JOINT_REVOLUTE,
                                                .before = point_of(m, one, 0.3, 0, 0.1),
                                                .after = point_of(m, two, 0, 0, 0.2),
                                                .axis = N3(m, 0, 1, 0)});
    mech_expr tension, tip[3], w[3];
    const mech_place wall = point_of(m, MECH_GROUND, 1, 1, 0.5), end = point_of(m, two, 0.1, 0.2, 0.3);
    CHECK(mech_bodies_spring(m->bodies, &wall, &end, mech_number(m->pool, 30), mech_number(m->pool, 0.4),
                             mech_number(m->pool, 2), &tension) == MECH_OK);
    CHECK(mech_bodies_point(m->bodies, one, N3(m, 0.1, 0.2, 0.3), tip) == MECH_OK &&
          mech_bodies_value(m->bodies, two, MECH_BODY_OMEGA, w) == MECH_OK);
    for (int i = 0; i < 3; i++) tip[i] = mech_dot(m->pool, tip[i]);
    CHECK(mech_model_force(m->model, N3(m, 3, -4, 5), tip, 3) == MECH_OK &&
          mech_model_force(m->model, N3(m, 0.3, 0.2, -0.1), w, 3) == MECH_OK);
    if (with_drive) {
        const mech_motor motor = {.size = sizeof(mech_motor),
                                  .kind = MECH_MOTOR_EFFORT,
                                  .drive = mech_number(m->pool, is_reversed ? -1.5 : 1.5),
                                  .gear = mech_number(m->pool, 2)};
        const size_t driven = kind == MECH_JOINT_UNIVERSAL && is_reversed; /* its axes are exchanged then */
        CHECK(mech_bodies_motor(m->bodies, "drive", joint, driven, &motor, NULL) == MECH_OK);
        CHECK(mech_bodies_spring_on(m->bodies, joint, driven, mech_number(m->pool, 3),
                                    mech_number(m->pool, is_reversed ? -0.2 : 0.2), mech_number(m->pool, 0.5),
                                    NULL) == MECH_OK);
    }
    s->pose[0] = show_pose(m, "one", one);
    s->pose[1] = show_pose(m, "two", two);
    s->force = show_wrench(m, "force", joint, MECH_WRENCH_FORCE, 3);
    s->torque = show_wrench(m, "torque", joint, MECH_WRENCH_TORQUE, 3);
    s->load_force = show_wrench(m, "load_force", joint, MECH_WRENCH_LOAD_FORCE, 3);
    s->load_torque = show_wrench(m, "load_torque", joint, MECH_WRENCH_LOAD_TORQUE, 3);
    s->hinge = show_wrench(m, "hinge", hinge, MECH_WRENCH_FORCE, 3);
    s->tension = show(m, "tension", &tension, 1);
    mechanism_finish(m);
    return m;
}

/* Euler parameters of a rotation that is near none, and their rates for an angular velocity in ground axes. */
static void euler(const double *R, const double *w, double *e, double *rate)
{
    const double e0 = sqrt(1 + R[0] + R[4] + R[8]) / 2;
    const double x[4] = {e0, (R[7] - R[5]) / (4 * e0), (R[2] - R[6]) / (4 * e0), (R[3] - R[1]) / (4 * e0)};
    memcpy(e, x, sizeof x);
    rate[0] = -(x[1] * w[0] + x[2] * w[1] + x[3] * w[2]) / 2;
    rate[1] = (x[0] * w[0] + w[1] * x[3] - w[2] * x[2]) / 2;
    rate[2] = (x[0] * w[1] + w[2] * x[1] - w[0] * x[3]) / 2;
    rate[3] = (x[0] * w[2] + w[0] * x[2] - w[1] * x[1]) / 2;
}

/* Outputs agree, forces of J with a sign. */
static void compare(const double *got, const double *want, const shown *s, double sign, int forces)
{
    for (int k = 0; k < 2; k++) near_list(got + s->pose[k], want + s->pose[k], 21, 1e-10);
    near_list(got + s->hinge, want + s->hinge, 3, 1e-9);
    CHECK_NEAR(got[s->tension], want[s->tension], 1e-12);
    for (size_t i = 0; forces && i < 3; i++) {
        CHECK_NEAR(sign * got[s->force + i], want[s->force + i], 1e-9);
        CHECK_NEAR(sign * got[s->load_force + i], want[s->load_force + i], 1e-9);
    }
}

/* The torque about the point of the other side: t + (P' - P) x f of the first; here about the point of `base`. */
static void compare_torques(const double *got, const double *want, const shown *s, const double *base,
                            const double *hand, int is_reversed)
{
    const double sign = is_reversed ? -1 : 1;
    for (int load = 0; load < 2; load++) {
        const double *t = want + (load ? s->load_torque : s->torque), *f = want + (load ? s->load_force : s->force),
                     *g = got + (load ? s->load_torque : s->torque);
        const double d[3] = {hand[0] - base[0], hand[1] - base[1], hand[2] - base[2]};
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            const double moved = t[i] + (is_reversed ? d[j] * f[k] - d[k] * f[j] : 0);
            CHECK_NEAR(sign * g[i], moved, 1e-9);
        }
    }
}

static int has_value(mech_joint_kind kind) { return kind != MECH_JOINT_SPHERICAL && kind != MECH_JOINT_FIXED; }

static void one_kind(mech_joint_kind kind)
{
    shown s;
    double q[8], v[8], reversed_q[8], reversed_v[8];
    const int with_drive = has_value(kind);
    mechanism *m = make(kind, IN_TREE, with_drive, &s);
    const size_t n = m->model ? mech_model_coord_count(m->model) : 0, own = n - 1;
    for (size_t i = 0; i < n; i++) q[i] = 0.6 * random_signed(), v[i] = random_signed();
    if (kind == MECH_JOINT_SPHERICAL) { /* unit, and the rate at a right angle to it */
        double along = 0, square = 0;
        q[0] = 0.9;
        for (int i = 0; i < 4; i++) square += q[i] * q[i];
        for (int i = 0; i < 4; i++) q[i] /= sqrt(square);
        for (int i = 0; i < 4; i++) along += q[i] * v[i];
        for (int i = 0; i < 4; i++) v[i] -= along * q[i];
    }
    mechanism_at(m, q, v);
    double want[80], hand[3];
    memcpy(want, m->at->output, m->outputs * sizeof *want);
    const double *p = want + s.pose[0], at[3] = {-0.1, 0.15, 0.2}, base[3] = {0.2, 0.1, -0.3};
    for (int i = 0; i < 3; i++) hand[i] = p[i] + p[3 + 3 * i] * at[0] + p[4 + 3 * i] * at[1] + p[5 + 3 * i] * at[2];
    mechanism_close(m);

    m = make(kind, IN_TREE_REVERSED, with_drive, &s);
    for (size_t i = 0; i < n; i++) reversed_q[i] = i < own ? -q[i] : q[i], reversed_v[i] = i < own ? -v[i] : v[i];
    if (kind == MECH_JOINT_UNIVERSAL) { /* its axes are exchanged too */
        reversed_q[0] = -q[1], reversed_q[1] = -q[0];
        reversed_v[0] = -v[1], reversed_v[1] = -v[0];
    }
    if (kind == MECH_JOINT_SPHERICAL) reversed_q[0] = q[0], reversed_v[0] = v[0];
    if (kind != MECH_JOINT_PLANAR) { /* its x and y are in the axes of the place before: other coordinates */
        mechanism_at(m, reversed_q, reversed_v);
        compare(m->at->output, want, &s, -1, 1);
        compare_torques(m->at->output, want, &s, base, hand, 1);
    }
    mechanism_close(m);

    for (int way = BY_CONSTRAINT; way < (kind == MECH_JOINT_PLANAR ? BY_CONSTRAINT_REVERSED : WAYS); way++) {
        double x[12], y[12];
        m = make(kind, way, with_drive, &s);
        CHECK(mech_model_coord_count(m->model) == 8u + (with_drive ? 1u : 0u));
        memcpy(x, p, 3 * sizeof *x);
        memcpy(y, p + 12, 3 * sizeof *y);
        euler(p + 3, p + 15, x + 3, y + 3);
        size_t at_hinge = 7, at_value = 8;
        const char *eighth = mech_model_coord_name(m->model, 7);
        if (with_drive && eighth[0] == 'J') at_hinge = 8, at_value = 7;
        x[at_hinge] = q[own], y[at_hinge] = v[own];
        const double sign = way == BY_CONSTRAINT ? 1 : -1;
        if (with_drive) x[at_value] = sign * q[0], y[at_value] = sign * v[0];
        mechanism_at(m, x, y);
        CHECK_NEAR(m->at->drift, 0, 1e-13);
        CHECK_NEAR(m->at->drift_rate, 0, 1e-13);
        compare(m->at->output, want, &s, sign, 1);
        compare_torques(m->at->output, want, &s, base, hand, way == BY_CONSTRAINT_REVERSED);
        mechanism_close(m);
    }
}

/* ---- the plane ---- */

typedef struct plane_shown {
    size_t one, two, force, torque, load_force, load_torque, hinge;
} plane_shown;

static size_t show_plane(mechanism *m, const char *name, size_t body) /* r, angle, r', w, r'', w' */
{
    mech_expr e[9];
    CHECK(mech_bodies_value(m->bodies, body, MECH_BODY_ORIGIN, e) == MECH_OK &&
          mech_bodies_value(m->bodies, body, MECH_BODY_ANGLE, e + 2) == MECH_OK);
    for (int i = 0; i < 6; i++) e[3 + i] = mech_dot(m->pool, e[i]);
    return show(m, name, e, 9);
}

static mechanism *make_plane(mech_joint_kind kind, int way, plane_shown *s)
{
    const double inertia[2] = {0.3, 0.2};
    const double turned[2][4] = {{cos(0.4), -sin(0.4), sin(0.4), cos(0.4)},
                                 {cos(-0.7), -sin(-0.7), sin(-0.7), cos(-0.7)}};
    mechanism *m = mechanism_open(2, 0.3, -9.81, 0);
    const size_t one = add_body(m, "one", 2, (const double[]){0.1, -0.2, 0}, inertia, 1),
                 two = add_body(m, "two", 1.5, (const double[]){0.1, 0.1, 0}, inertia + 1, 1);
    const mech_place base = {MECH_GROUND, N2(m, 0.2, 0.1), numbers(m, 4, turned[0])},
                     hand = {one, N2(m, -0.1, 0.15), numbers(m, 4, turned[1])};
    const int is_reversed = way & 1;
    const size_t joint = add_joint(m, "J",
                                   (mech_joint){.kind = kind,
                                                .before = is_reversed ? hand : base,
                                                .after = is_reversed ? base : hand,
                                                .axis = N2(m, 3, -4),
                                                .by_constraint = way >= BY_CONSTRAINT});
    const size_t hinge = add_joint(m, "H",
                                   (mech_joint){.kind = MECH_JOINT_REVOLUTE,
                                                .before = point_of(m, one, 0.3, 0, 0),
                                                .after = point_of(m, two, 0, 0.2, 0)});
    mech_expr p[2], w;
    CHECK(mech_bodies_point(m->bodies, two, N2(m, 0.1, 0.2), p) == MECH_OK &&
          mech_bodies_value(m->bodies, one, MECH_BODY_OMEGA, &w) == MECH_OK);
    for (int i = 0; i < 2; i++) p[i] = mech_dot(m->pool, p[i]);
    const mech_expr torque = mech_number(m->pool, 0.7);
    CHECK(mech_model_force(m->model, N2(m, 3, -4), p, 2) == MECH_OK &&
          mech_model_force(m->model, &torque, &w, 1) == MECH_OK);
    if (kind != MECH_JOINT_FIXED) {
        const mech_motor motor = {.size = sizeof(mech_motor),
                                  .kind = MECH_MOTOR_EFFORT,
                                  .drive = mech_number(m->pool, is_reversed ? -1.5 : 1.5)};
        CHECK(mech_bodies_motor(m->bodies, "drive", joint, 0, &motor, NULL) == MECH_OK);
    }
    s->one = show_plane(m, "one", one);
    s->two = show_plane(m, "two", two);
    s->force = show_wrench(m, "force", joint, MECH_WRENCH_FORCE, 2);
    s->torque = show_wrench(m, "torque", joint, MECH_WRENCH_TORQUE, 1);
    s->load_force = show_wrench(m, "load_force", joint, MECH_WRENCH_LOAD_FORCE, 2);
    s->load_torque = show_wrench(m, "load_torque", joint, MECH_WRENCH_LOAD_TORQUE, 1);
    s->hinge = show_wrench(m, "hinge", hinge, MECH_WRENCH_FORCE, 2);
    mechanism_finish(m);
    return m;
}

/* got is written from the other side where is_reversed; its torque is about the point of `base`, that of want about
   `hand`. */
static void compare_plane(const double *got, const double *want, const plane_shown *s, int is_reversed)
{
    const double sign = is_reversed ? -1 : 1, *p = want + s->one,
                 hand[2] = {p[0] - 0.1 * cos(p[2]) - 0.15 * sin(p[2]), p[1] - 0.1 * sin(p[2]) + 0.15 * cos(p[2])};
    near_list(got + s->one, want + s->one, 9, 1e-11);
    near_list(got + s->two, want + s->two, 9, 1e-11);
    near_list(got + s->hinge, want + s->hinge, 2, 1e-10);
    for (size_t load = 0; load < 2; load++) {
        const size_t f = load ? s->load_force : s->force, t = load ? s->load_torque : s->torque;
        CHECK_NEAR(sign * got[f], want[f], 1e-10);
        CHECK_NEAR(sign * got[f + 1], want[f + 1], 1e-10);
        CHECK_NEAR(sign * got[t],
                   want[t] + (is_reversed ? (hand[0] - 0.2) * want[f + 1] - (hand[1] - 0.1) * want[f] : 0), 1e-10);
    }
}

static void one_plane_kind(mech_joint_kind kind)
{
    plane_shown s;
    double want[40];
    const size_t own = kind == MECH_JOINT_FIXED ? 0 : 1;
    double q[2] = {0.8, 2.1}, v[2] = {1.2, -0.7};
    mechanism *m = make_plane(kind, IN_TREE, &s);
    mechanism_at(m, q + 1 - own, v + 1 - own);
    memcpy(want, m->at->output, m->outputs * sizeof *want);
    mechanism_close(m);
    const double back_q[2] = {-0.8, 2.1}, back_v[2] = {-1.2, -0.7};
    m = make_plane(kind, IN_TREE_REVERSED, &s);
    mechanism_at(m, back_q + 1 - own, back_v + 1 - own);
    compare_plane(m->at->output, want, &s, 1);
    mechanism_close(m);
    for (int way = BY_CONSTRAINT; way < WAYS; way++) {
        const double *p = want + s.one, sign = way == BY_CONSTRAINT ? 1 : -1;
        double x[5] = {p[0], p[1], p[2], q[1], sign * q[0]}, y[5] = {p[3], p[4], p[5], v[1], sign * v[0]};
        m = make_plane(kind, way, &s);
        CHECK(mech_model_coord_count(m->model) == 4 + own);
        mechanism_at(m, x, y);
        CHECK_NEAR(m->at->drift, 0, 1e-14);
        CHECK_NEAR(m->at->drift_rate, 0, 1e-14);
        compare_plane(m->at->output, want, &s, way == BY_CONSTRAINT_REVERSED);
        mechanism_close(m);
    }
}

int main(void)
{
    one_plane_kind(MECH_JOINT_REVOLUTE);
    one_plane_kind(MECH_JOINT_PRISMATIC);
    one_plane_kind(MECH_JOINT_FIXED);
    for (mech_joint_kind kind = MECH_JOINT_REVOLUTE; kind <= MECH_JOINT_FIXED; kind++) {
        const int before = check_failures;
        for (int round = 0; round < 3; round++) one_kind(kind);
        if (check_failures > before)
            fprintf(stderr, "joint kind %d: %d failures\n", (int)kind, check_failures - before);
    }
    return check_report();
}
