/* Solids, springs, motors, conditions of one row, planar mechanisms, values: against formulas. */
#include "support/mechanism.h"

#include <mech/simulate.h>

static mech_expr number(mechanism *m, double x) { return mech_number(m->pool, x); }

/* ---- solids ---- */

static const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};

/* Adds R diag(i) R^T + m (d.d 1 - d d^T) to I: moments i in axes R, about a point from which the centre is at d. */
static void add_moments(double *I, const double *R, const double *i, double mass, const double *d)
{
    const double dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) I[3 * r + c] += R[3 * r + k] * i[k] * R[3 * c + k];
            I[3 * r + c] += mass * ((r == c ? dd : 0) - d[r] * d[c]);
        }
}

static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* A body of five solids, and the same as one mass and one matrix by hand: the same accelerations. */
static void sums(void)
{
    const double pi = acos(-1), mass[5] = {2, 3 * 0.1 * 0.2 * 0.3, 1.5, 7 * 4 * pi / 3 * 0.008, 0.4},
                 at[5][3] = {{0.25, 0.3, -0.35}, {0.1, 0, 0}, {0, 0.2, 0.1}, {-0.3, 0, 0.2}, {0, 0, 0.5}};
    const double l[3] = {0.5, 0.2, 0.1}, ll = 0.3; /* rod from [0, 0.2, -0.4] to [0.5, 0.4, -0.3] */
    const double box[3] = {mass[1] * 0.13 / 12, mass[1] * 0.10 / 12, mass[1] * 0.05 / 12};
    const double cylinder[3] = {1.5 * (3 * 0.04 + 0.25) / 12, 1.5 * (3 * 0.04 + 0.25) / 12, 1.5 * 0.04 / 2},
                 ball = 0.4 * mass[3] * 0.04;
    const double sphere[3] = {ball, ball, ball}, disc[3] = {0.4 * 0.09 / 4, 0.4 * 0.09 / 4, 0.4 * 0.09 / 2},
                 none[3] = {0, 0, 0};
    double total = 0, center[3] = {0, 0, 0}, I[9] = {0}, d[5][3], got[7];
    for (int k = 0; k < 5; k++) {
        total += mass[k];
        for (int i = 0; i < 3; i++) center[i] += mass[k] * at[k][i];
    }
    for (int i = 0; i < 3; i++) center[i] /= total;
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 3; i++) d[k][i] = at[k][i] - center[i];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) I[3 * r + c] += mass[0] / 12 * ((r == c ? ll : 0) - l[r] * l[c]);
    add_moments(I, one, none, mass[0], d[0]);
    add_moments(I, turn, box, mass[1], d[1]);
    add_moments(I, turn, cylinder, mass[2], d[2]);
    add_moments(I, one, sphere, mass[3], d[3]);
    add_moments(I, turn, disc, mass[4], d[4]);
    const double q[7] = {0.1, 0.2, 0.3, 0.7, -0.1, 0.5, 0.5}, v[7] = {0.3, 0.1, -0.2, 0.13, -0.2, 0.3, -0.522};
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        mechanism *m = mechanism_open(3, 0, 0, -9.81);
        const size_t b = add_body(m, "b", by_hand ? total : -1, center, I, 9);
        if (!by_hand) {
            const mech_solid solids[5] = {{.size = sizeof(mech_solid),
                                           .kind = MECH_SOLID_ROD,
                                           .extent = numbers(m, 6, (const double[]){0, 0.2, -0.4, 0.5, 0.4, -0.3}),
                                           .extent_count = 6,
                                           .mass = number(m, 2)},
                                          {.size = sizeof(mech_solid),
                                           .kind = MECH_SOLID_BOX,
                                           .extent = N3(m, 0.1, 0.2, 0.3),
                                           .extent_count = 3,
                                           .density = number(m, 3),
                                           .at = numbers(m, 3, at[1]),
                                           .turned = numbers(m, 9, turn)},
                                          {.size = sizeof(mech_solid),
                                           .kind = MECH_SOLID_CYLINDER,
                                           .extent = N2(m, 0.2, 0.5),
                                           .extent_count = 2,
                                           .mass = number(m, 1.5),
                                           .at = numbers(m, 3, at[2]),
                                           .turned = numbers(m, 9, turn)},
                                          {.size = sizeof(mech_solid),
                                           .kind = MECH_SOLID_SPHERE,
                                           .extent = N2(m, 0.2, 0),
                                           .extent_count = 1,
                                           .density = number(m, 7),
                                           .at = numbers(m, 3, at[3])},
                                          {.size = sizeof(mech_solid),
                                           .kind = MECH_SOLID_DISC,
                                           .extent = N2(m, 0.3, 0),
                                           .extent_count = 1,
                                           .mass = number(m, 0.4),
                                           .at = numbers(m, 3, at[4]),
                                           .turned = numbers(m, 9, turn)}};
            for (int k = 0; k < 5; k++) CHECK(mech_bodies_solid(m->bodies, b, &solids[k]) == MECH_OK);
        }
        add_joint(m, "f", (mech_joint){.kind = MECH_JOINT_FREE, .before = {.body = MECH_GROUND}, .after = {.body = b}});
        mech_expr c[3];
        CHECK(mech_bodies_value(m->bodies, b, MECH_BODY_CENTER, c) == MECH_OK);
        show(m, "c", c, 3);
        mechanism_finish(m);
        mechanism_at(m, q, v);
        if (!by_hand) {
            memcpy(got, m->at->qdd, sizeof got);
            mechanism_close(m);
            continue;
        }
        near_list(got, m->at->qdd, 7, 1e-11);
        double want[3]; /* r + R(e) c by Rodrigues' formula: c + 2 e0 u x c + 2 u x (u x c), over e.e */
        const double *e = q + 3, *u = e + 1, ee = e[0] * e[0] + u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        const double x[3] = {u[1] * center[2] - u[2] * center[1], u[2] * center[0] - u[0] * center[2],
                             u[0] * center[1] - u[1] * center[0]};
        const double y[3] = {u[1] * x[2] - u[2] * x[1], u[2] * x[0] - u[0] * x[2], u[0] * x[1] - u[1] * x[0]};
        for (int i = 0; i < 3; i++) want[i] = q[i] + center[i] + 2 * (e[0] * x[i] + y[i]) / ee;
        near_list(m->at->output, want, 3, 1e-13);
        mechanism_close(m);
    }
}

/* A disc and a box in the plane, by density: the moments about the hinge. */
static void plane_solids(void)
{
    const double pi = acos(-1), disc = 5 * pi * 0.04, box = 2 * 0.3 * 0.4;
    mechanism *m = mechanism_open(2, 0, -9.81, 0);
    const size_t b = add_body(m, "b", -1, NULL, NULL, 0);
    const mech_solid solids[2] = {{.size = sizeof(mech_solid),
                                   .kind = MECH_SOLID_DISC,
                                   .extent = N2(m, 0.2, 0),
                                   .extent_count = 1,
                                   .density = number(m, 5),
                                   .at = N2(m, 1, 0)},
                                  {.size = sizeof(mech_solid),
                                   .kind = MECH_SOLID_BOX,
                                   .extent = N2(m, 0.3, 0.4),
                                   .extent_count = 2,
                                   .density = number(m, 2),
                                   .at = N2(m, 0, 0.5)}};
    for (int k = 0; k < 2; k++) CHECK(mech_bodies_solid(m->bodies, b, &solids[k]) == MECH_OK);
    add_joint(m, "J", (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = {.body = MECH_GROUND}, .after = {.body = b}});
    mechanism_finish(m);
    mechanism_at(m, (const double[]){0.4}, (const double[]){2});
    CHECK_NEAR(m->at->M[0], disc * (0.02 + 1) + box * (0.25 / 12 + 0.25), 1e-14);
    CHECK_NEAR(m->at->Q[0], -9.81 * (disc * cos(0.4) - box * 0.5 * sin(0.4)), 1e-14);
    CHECK_NEAR(m->at->energy[0], m->at->M[0] * 2, 1e-14);
    CHECK_NEAR(m->at->energy[1], 9.81 * (disc * sin(0.4) + box * 0.5 * cos(0.4)), 1e-14);
    mechanism_close(m);
}

/* ---- conditions of one row ---- */

/* A Scotch yoke: the pin of a crank in a slot of the yoke, which slides along x: x = r cos(a), F = m x''. */
static void slot(void)
{
    const double r = 0.3, J = 0.2, mass = 4, a = 0.7, w = 3;
    mechanism *m = mechanism_open(2, 0, 0, 0);
    const size_t crank = add_body(m, "crank", 1, NULL, &J, 1), yoke = add_body(m, "yoke", mass, NULL, NULL, 0);
    add_joint(m, "A",
              (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = {.body = MECH_GROUND}, .after = {.body = crank}});
    add_joint(m, "S",
              (mech_joint){.kind = MECH_JOINT_PRISMATIC,
                           .before = {.body = MECH_GROUND},
                           .after = {.body = yoke},
                           .axis = N2(m, 1, 0)});
    const size_t pin = add_joint(m, "pin",
                                 (mech_joint){.kind = MECH_JOINT_SLOT,
                                              .before = point_of(m, crank, r, 0, 0),
                                              .after = point_of(m, yoke, 0, 0.1, 0),
                                              .axis = N2(m, 0, 1)});
    CHECK(mech_bodies_joint_constraint(m->bodies, pin) == 0);
    const size_t force = show_wrench(m, "f", pin, MECH_WRENCH_FORCE, 2),
                 torque = show_wrench(m, "t", pin, MECH_WRENCH_TORQUE, 1),
                 held = show_wrench(m, "s", 1, MECH_WRENCH_TORQUE, 1);
    mechanism_finish(m);
    mechanism_at(m, (const double[]){a, r * cos(a)}, (const double[]){w, -r * sin(a) * w});
    /* (J + m r^2 sin^2) a'' = -m r^2 sin cos w^2 */
    const double turn_up = -mass * r * r * sin(a) * cos(a) * w * w / (J + mass * r * r * sin(a) * sin(a));
    const double x = -r * (sin(a) * turn_up + cos(a) * w * w);
    CHECK(m->at->m == 1);
    CHECK_NEAR(m->at->qdd[0], turn_up, 1e-13);
    CHECK_NEAR(m->at->qdd[1], x, 1e-13);
    near_list(m->at->output + force, (const double[]){mass * x, 0}, 2, 1e-13);
    /* it pushes at the pin, which is r sin(a) - 0.1 above the point after; the guide holds against the arm to the
       yoke's origin */
    CHECK_NEAR(m->at->output[torque], -(r * sin(a) - 0.1) * mass * x, 1e-13);
    CHECK_NEAR(m->at->output[held], r * sin(a) * mass * x, 1e-13);
    mechanism_close(m);
}

/* A ball on a thread, in space: its tension is m (v^2/l + g cos), against the thread's way. */
static void distance(void)
{
    const double l = 1.3, mass = 2, g = 9.81;
    mechanism *m = mechanism_open(3, 0, 0, -g);
    const size_t ball = add_body(m, "ball", mass, NULL, (const double[]){0.1, 0.1, 0.1}, 3);
    const size_t thread = add_joint(m, "thread",
                                    (mech_joint){.kind = MECH_JOINT_DISTANCE,
                                                 .before = point_of(m, MECH_GROUND, 0, 0, 2),
                                                 .after = {.body = ball},
                                                 .number = number(m, l)});
    const size_t force = show_wrench(m, "f", thread, MECH_WRENCH_FORCE, 3);
    mechanism_finish(m);
    CHECK_TEXT(mech_model_coord_name(m->model, 0), "ball.r[1]");
    CHECK_TEXT(mech_model_coord_name(m->model, 6), "ball.e[4]");
    const double s = 0.6 * l, c = 0.8 * l, v = 1.7;
    mechanism_at(m, (const double[]){s, 0, 2 - c, 1, 0, 0, 0}, (const double[]){0, v, 0, 0, 0, 0, 0});
    const double tension = mass * (v * v / l + g * c / l);
    near_list(m->at->output + force, (const double[]){-tension * s / l, 0, tension * c / l}, 3, 1e-13);
    mechanism_close(m);
}

/* ---- motors ---- */

static void motors(void)
{
    const double I = 0.5;
    for (int kind = 0; kind < 3; kind++) {
        mechanism *m = mechanism_open(2, 0, 0, 0);
        const size_t wheel = add_body(m, "wheel", 1, NULL, &I, 1);
        const size_t axle = add_joint(
            m, "axle",
            (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = {.body = MECH_GROUND}, .after = {.body = wheel}});
        const mech_expr t = mech_model_time(m->model), drive = kind == 0 ? number(m, 3) : mech_mul(m->pool, t, t);
        size_t row = 7;
        const mech_motor motor = {.size = sizeof(mech_motor),
                                  .kind = (mech_motor_kind)kind,
                                  .drive = drive,
                                  .rotor = number(m, 0.01),
                                  .gear = number(m, 20)};
        CHECK(mech_bodies_motor(m->bodies, "motor", axle, 0, &motor, &row) == MECH_OK);
        const size_t load = show_wrench(m, "load", axle, MECH_WRENCH_LOAD_TORQUE, 1),
                     none = show_wrench(m, "held", axle, MECH_WRENCH_TORQUE, 1);
        mechanism_finish(m);
        CHECK(row == (kind ? 0 : SIZE_MAX));
        mechanism_at(m, (const double[]){0}, (const double[]){0});
        const double want = kind == 0 ? 60 / (0.5 + 4) : kind == 1 ? 2 : 0;
        CHECK_NEAR(m->at->qdd[0], want, 1e-14);
        CHECK_NEAR(m->at->output[load], 0.5 * want, 1e-14); /* what turns the wheel; the rotor is on the motor's side */
        CHECK_NEAR(m->at->output[none], 0, 1e-14);
        mechanism_close(m);
    }
}

/* ---- a motion ---- */

/* The loop angle counts its turns: a parallelogram driven round three times. A is the crank, D the joint that closes.
   */
static void turns(void)
{
    for (int in_space = 0; in_space < 2; in_space++) {
        mechanism *m = mechanism_open(in_space ? 3 : 2, 0, 0, 0);
        const double inertia[3] = {0.1, 0.1, 0.1};
        size_t k[3];
        const char *const names[] = {"crank", "coupler", "rocker"};
        for (int i = 0; i < 3; i++) k[i] = add_body(m, names[i], 1, NULL, inertia, in_space ? 3 : 1);
        const mech_expr *z = N3(m, 0, 0, 1);
        const size_t A = add_joint(
            m, "A",
            (mech_joint){
                .kind = MECH_JOINT_REVOLUTE, .before = {.body = MECH_GROUND}, .after = {.body = k[0]}, .axis = z});
        const size_t B = add_joint(
            m, "B",
            (mech_joint){
                .kind = MECH_JOINT_REVOLUTE, .before = point_of(m, k[0], 1, 0, 0), .after = {.body = k[1]}, .axis = z});
        const size_t C = add_joint(m, "C",
                                   (mech_joint){.kind = MECH_JOINT_REVOLUTE,
                                                .before = point_of(m, k[1], 2, 0, 0),
                                                .after = point_of(m, k[2], 1, 0, 0),
                                                .axis = z});
        const size_t D = add_joint(m, "D",
                                   (mech_joint){.kind = MECH_JOINT_REVOLUTE,
                                                .before = point_of(m, MECH_GROUND, 2, 0, 0),
                                                .after = {.body = k[2]},
                                                .axis = z});
        const mech_expr a = mech_bodies_joint_coord(m->bodies, A, 0), d = mech_bodies_joint_coord(m->bodies, D, 0);
        CHECK(mech_bodies_joint_coord(m->bodies, D, 0).id == d.id && d.id);
        /* driven off the singular positions 0 and pi the parallelogram stays one: a second row holds the coupler's
           direction */
        const mech_expr rate = mech_sub(m->pool, mech_dot(m->pool, a), number(m, 6.5));
        CHECK(mech_model_constraint(m->model, "drive", &rate, 1, NULL) == MECH_OK);
        const mech_expr parallel = mech_add(m->pool, a, mech_bodies_joint_coord(m->bodies, B, 0));
        CHECK(mech_model_constraint(m->model, "parallel", &parallel, 1, NULL) == MECH_OK);
        CHECK(mech_model_initial(m->model, a, number(m, 0.5), 1) == MECH_OK);
        CHECK(mech_model_initial(m->model, mech_bodies_joint_coord(m->bodies, B, 0), number(m, -0.5), 0) == MECH_OK);
        CHECK(mech_model_initial(m->model, mech_bodies_joint_coord(m->bodies, C, 0), number(m, 0.5), 0) == MECH_OK);
        CHECK(mech_model_initial(m->model, d, number(m, 0.4), 0) == MECH_OK);
        mechanism_finish(m);
        mech_sim_settings settings;
        mech_sim_settings_default(&settings, sizeof settings);
        settings.until = 3;
        settings.rtol = 1e-11;
        mech_sim *run;
        CHECK(mech_sim_create(m->system, &settings, &run) == MECH_OK);
        const mech_status status = mech_sim_run(run);
        if (status != MECH_OK) fprintf(stderr, "%s\n", mech_sim_error_text(run));
        CHECK(status == MECH_OK);
        const mech_trajectory *path = mech_sim_trajectory(run);
        const double *last = mech_trajectory_row(path, mech_trajectory_rows(path) - 1);
        CHECK_NEAR(last[mech_trajectory_find(path, "A")], 0.5 + 19.5, 1e-9);
        CHECK_NEAR(last[mech_trajectory_find(path, "D")], 0.5 + 19.5, 1e-9);
        mech_sim_free(run);
        mechanism_close(m);
    }
}

int main(void)
{
    sums();
    plane_solids();
    slot();
    distance();
    motors();
    turns();
    return check_report();
}
