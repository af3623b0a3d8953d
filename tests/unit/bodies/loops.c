/* Loops: the four-bar linkage in plane and space, the cart with its rod, the Stewart platform. */
#include "support/mechanism.h"
#include "support/stewart.h"

/* Rods of 1, 2, 2 m and 1 kg/m; the loop closes at D. */
static mechanism *four_bar(int in_space, int by_constraint, int is_reversed)
{
    mechanism *m = mechanism_open(in_space ? 3 : 2, 0, -9.81, 0);
    static const double lengths[] = {1, 2, 2};
    static const char *const names[] = {"crank", "coupler", "rocker"};
    size_t k[3];
    for (int i = 0; i < 3; i++) {
        const double l = lengths[i], space[] = {0, 0, 0, l, 0, 0}, plane[] = {0, 0, l, 0};
        const mech_solid rod = {.size = sizeof(mech_solid),
                                .kind = MECH_SOLID_ROD,
                                .extent = numbers(m, in_space ? 6 : 4, in_space ? space : plane),
                                .extent_count = in_space ? 6 : 4,
                                .density = mech_number(m->pool, 1)};
        CHECK(mech_bodies_body(m->bodies, names[i], &k[i]) == MECH_OK &&
              mech_bodies_solid(m->bodies, k[i], &rod) == MECH_OK);
    }
    if (by_constraint) CHECK(mech_bodies_coordinates(m->bodies, MECH_COORDINATES_ABSOLUTE) == MECH_OK);
    const mech_expr *z = in_space ? N3(m, 0, 0, 1) : NULL;
    mech_joint joints[4] = {{.before = point_of(m, MECH_GROUND, 0, 0, 0), .after = point_of(m, k[0], 0, 0, 0)},
                            {.before = point_of(m, k[0], 1, 0, 0), .after = point_of(m, k[1], 0, 0, 0)},
                            {.before = point_of(m, k[1], 2, 0, 0), .after = point_of(m, k[2], 0, 0, 0)},
                            {.before = point_of(m, MECH_GROUND, 2, 0, 0), .after = point_of(m, k[2], 2, 0, 0)}};
    static const char *const joint_names[] = {"A", "B", "C", "D"};
    for (int i = 0; i < 4; i++) {
        mech_joint *j = &joints[i];
        j->kind = MECH_JOINT_REVOLUTE;
        j->axis = z;
        const mech_place before = j->before;
        if (is_reversed) j->before = j->after, j->after = before;
        add_joint(m, joint_names[i], *j);
    }
    return m;
}

static const double bar_q[] = {1, -0.386929124466803, -2.27201742342506},
                    bar_a[] = {-6.27714763549349, 8.76140740023472, -3.35904557391424};

/* The rates of B and C for A' = 1: the closing condition, solved by hand. */
static void bar_rates(double *v)
{
    const double t1 = bar_q[0], t2 = t1 + bar_q[1], t3 = t2 + bar_q[2];
    /* cos, sin of (1; 2; 2) rods: x: -s1 - 2 s2 w2 - 2 s3 w3 = 0, y: c1 + 2 c2 w2 + 2 c3 w3 = 0 */
    const double det = 4 * (sin(t2) * cos(t3) - sin(t3) * cos(t2));
    const double w2 = (-sin(t1) * 2 * cos(t3) + 2 * sin(t3) * cos(t1)) / det,
                 w3 = (-2 * sin(t2) * cos(t1) + 2 * cos(t2) * sin(t1)) / det;
    v[0] = 1;
    v[1] = w2 - 1;
    v[2] = w3 - w2;
}

static void four_bar_plane(void)
{
    double v[3], w[3], p[3];
    bar_rates(v);
    for (int reversed = 0; reversed < 2; reversed++) {
        const double s = reversed ? -1 : 1;
        mechanism *m = four_bar(0, 0, reversed);
        const size_t f[4] = {
            show_wrench(m, "fA", 0, MECH_WRENCH_FORCE, 2), show_wrench(m, "fB", 1, MECH_WRENCH_FORCE, 2),
            show_wrench(m, "fC", 2, MECH_WRENCH_FORCE, 2), show_wrench(m, "fD", 3, MECH_WRENCH_FORCE, 2)};
        const size_t load = show_wrench(m, "load", 0, MECH_WRENCH_LOAD_TORQUE, 1);
        mechanism_finish(m);
        for (int i = 0; i < 3; i++) w[i] = s * v[i], p[i] = s * bar_q[i];
        mechanism_at(m, p, w);
        CHECK(m->at->m == 2 && m->at->rank == 2 && m->at->dof == 1);
        CHECK_NEAR(m->at->drift, 0, 1e-14);
        for (int i = 0; i < 3; i++) CHECK_NEAR(s * m->at->qdd[i], bar_a[i], 1e-12);
        /* D on the rocker, of an independent model */
        CHECK_NEAR(s * m->at->output[f[3]], 2.00082541505339, 1e-12);
        CHECK_NEAR(s * m->at->output[f[3] + 1], 25.8246368768417, 1e-12);
        CHECK_NEAR(m->at->output[load], 0, 1e-12);
        /* all three rods: A and D carry their weight and their accelerations; those by hand from the angles */
        double x = 0, y = 0, tip_x = 0, tip_y = 0, t = 0, dt = 0, ddt = 0;
        for (int i = 0; i < 3; i++) {
            const double l = i ? 2 : 1;
            t += bar_q[i], dt += v[i], ddt += bar_a[i];
            const double ax = -l * (sin(t) * ddt + cos(t) * dt * dt), ay = l * (cos(t) * ddt - sin(t) * dt * dt);
            x += l * (tip_x + ax / 2), y += l * (tip_y + ay / 2 + 9.81);
            tip_x += ax, tip_y += ay;
        }
        CHECK_NEAR(s * (m->at->output[f[0]] + m->at->output[f[3]]), x, 1e-11);
        CHECK_NEAR(s * (m->at->output[f[0] + 1] + m->at->output[f[3] + 1]), y, 1e-11);
        mechanism_close(m);
    }
}

/* In space three of the five conditions of D say nothing new: same motion, same force across the axis. */
static void four_bar_space(void)
{
    double v[3];
    bar_rates(v);
    mechanism *m = four_bar(1, 0, 0);
    const size_t f = show_wrench(m, "D", 3, MECH_WRENCH_FORCE, 3), t = show_wrench(m, "T", 3, MECH_WRENCH_TORQUE, 3),
                 a = show_wrench(m, "A", 0, MECH_WRENCH_FORCE, 3);
    mechanism_finish(m);
    mechanism_at(m, bar_q, v);
    CHECK(m->at->m == 5 && m->at->rank == 2);
    near_list(m->at->qdd, bar_a, 3, 1e-12);
    near_list(m->at->output + f, (const double[]){2.00082541505339, 25.8246368768417, 0}, 3, 1e-12);
    CHECK(!m->at->output_is_choice[f] && !m->at->output_is_choice[f + 1] && m->at->output_is_choice[f + 2]);
    CHECK(m->at->output_is_choice[t] && m->at->output_is_choice[t + 1] && !m->at->output_is_choice[t + 2]);
    CHECK(!m->at->output_is_choice[a] && !m->at->output_is_choice[a + 1] && m->at->output_is_choice[a + 2]);
    mechanism_close(m);
}

static void four_bar_absolute(void)
{
    double v[3], q[9], w[9], t = 0, dt = 0, x = 0, y = 0, vx = 0, vy = 0;
    bar_rates(v);
    mechanism *m = four_bar(0, 1, 0);
    const size_t fA = show_wrench(m, "fA", 0, MECH_WRENCH_FORCE, 2), fD = show_wrench(m, "fD", 3, MECH_WRENCH_FORCE, 2);
    mechanism_finish(m);
    for (int i = 0; i < 3; i++) {
        t += bar_q[i], dt += v[i];
        const double l = i ? 2 : 1;
        q[3 * i] = x, q[3 * i + 1] = y, q[3 * i + 2] = t;
        w[3 * i] = vx, w[3 * i + 1] = vy, w[3 * i + 2] = dt;
        x += l * cos(t), y += l * sin(t);
        vx -= l * sin(t) * dt, vy += l * cos(t) * dt;
    }
    mechanism_at(m, q, w);
    CHECK(m->at->n == 9 && m->at->m == 8 && m->at->rank == 8);
    CHECK_NEAR(m->at->qdd[2], bar_a[0], 1e-11);
    CHECK_NEAR(m->at->qdd[5], bar_a[0] + bar_a[1], 1e-11);
    CHECK_NEAR(m->at->output[fD], 2.00082541505339, 1e-12);
    CHECK_NEAR(m->at->output[fD + 1], 25.8246368768417, 1e-12);
    mechanism *r = four_bar(0, 0, 0);
    const size_t same = show_wrench(r, "fA", 0, MECH_WRENCH_FORCE, 2);
    mechanism_finish(r);
    mechanism_at(r, bar_q, v);
    near_list(m->at->output + fA, r->at->output + same, 2, 1e-11);
    mechanism_close(r);
    mechanism_close(m);
}

/* A four-bar linkage on a carriage that turns: A is the gradient of the conditions, off them too, and the carriage's
   angle has no part in it. */
static void moving_base(void)
{
    const double inertia = 2;
    mechanism *m = mechanism_open(2, 0, -9.81, 0);
    const size_t base = add_body(m, "base", 3, NULL, &inertia, 1), crank = add_rod(m, "crank", 1, 1),
                 coupler = add_rod(m, "coupler", 2, 2), rocker = add_rod(m, "rocker", 2, 2);
    add_joint(m, "turn",
              (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = {.body = MECH_GROUND}, .after = {.body = base}});
    add_joint(m, "A", (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = {.body = base}, .after = {.body = crank}});
    add_joint(
        m, "B",
        (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = point_of(m, crank, 1, 0, 0), .after = {.body = coupler}});
    add_joint(
        m, "C",
        (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = point_of(m, coupler, 2, 0, 0), .after = {.body = rocker}});
    add_joint(m, "D",
              (mech_joint){.kind = MECH_JOINT_REVOLUTE,
                           .before = point_of(m, base, 2, 0, 0),
                           .after = point_of(m, rocker, 2, 0, 0)});
    const size_t force = show_wrench(m, "D", 4, MECH_WRENCH_FORCE, 2);
    mechanism_finish(m);
    const double q[4] = {0.3, 0.9, -0.5, -2}, h = 1e-5; /* off the conditions */
    double r[2][2], x[4], A[8];
    const double zero[4] = {0};
    mech_eval *eval = mech_instant_eval(m->instant);
    for (int k = 0; k < 4; k++) {
        for (int side = 0; side < 2; side++) {
            memcpy(x, q, sizeof x);
            x[k] += side ? h : -h;
            CHECK(mech_eval_position(eval, 0, x) == MECH_OK && mech_eval_velocity(eval, zero) == MECH_OK);
            memcpy(r[side], mech_eval_equation(eval)->r, sizeof r[side]);
        }
        for (int i = 0; i < 2; i++) A[2 * k + i] = (r[1][i] - r[0][i]) / (2 * h);
    }
    CHECK(mech_eval_position(eval, 0, q) == MECH_OK);
    near_list(mech_eval_equation(eval)->A_dense, A, 8, 1e-9);
    CHECK(mech_eval_equation(eval)->A_dense[0] == 0 && mech_eval_equation(eval)->A_dense[1] == 0);
    double v[4] = {0};
    bar_rates(v + 1);
    mechanism_at(m, (const double[]){0, bar_q[0], bar_q[1], bar_q[2]}, v);
    const double f[2] = {m->at->output[force], m->at->output[force + 1]};
    mechanism_close(m);
    /* the same in absolute coordinates of all bodies but the carriage: rows in ground axes */
    m = mechanism_open(2, 0, -9.81, 0);
    const size_t k0 = add_body(m, "base", 3, NULL, &inertia, 1), k1 = add_rod(m, "crank", 1, 1),
                 k2 = add_rod(m, "coupler", 2, 2), k3 = add_rod(m, "rocker", 2, 2);
    add_joint(m, "turn",
              (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = {.body = MECH_GROUND}, .after = {.body = k0}});
    CHECK(mech_bodies_coordinates(m->bodies, MECH_COORDINATES_ABSOLUTE) == MECH_OK);
    add_joint(m, "A", (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = {.body = k0}, .after = {.body = k1}});
    add_joint(m, "B",
              (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = point_of(m, k1, 1, 0, 0), .after = {.body = k2}});
    add_joint(m, "C",
              (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = point_of(m, k2, 2, 0, 0), .after = {.body = k3}});
    add_joint(m, "D",
              (mech_joint){
                  .kind = MECH_JOINT_REVOLUTE, .before = point_of(m, k0, 2, 0, 0), .after = point_of(m, k3, 2, 0, 0)});
    const size_t same = show_wrench(m, "D", 4, MECH_WRENCH_FORCE, 2);
    mechanism_finish(m);
    double y[10] = {0}, w[10] = {0}, t = 0, dt = 0, px = 0, py = 0, vx = 0, vy = 0;
    for (int i = 0; i < 3; i++) {
        t += bar_q[i], dt += v[1 + i];
        const double l = i ? 2 : 1;
        y[1 + 3 * i] = px, y[2 + 3 * i] = py, y[3 + 3 * i] = t;
        w[1 + 3 * i] = vx, w[2 + 3 * i] = vy, w[3 + 3 * i] = dt;
        px += l * cos(t), py += l * sin(t);
        vx -= l * sin(t) * dt, vy += l * cos(t) * dt;
    }
    mechanism_at(m, y, w);
    near_list(m->at->output + same, f, 2, 1e-11);
    mechanism_close(m);
}

/* The same loop closed by a constraint on a point, as a user of the values writes it: the joints of the tree carry the
   same. */
static void closed_by_hand(void)
{
    double v[3];
    bar_rates(v);
    mechanism *m[2];
    size_t first[2];
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        m[by_hand] = mechanism_open(2, 0, -9.81, 0);
        const size_t crank = add_rod(m[by_hand], "crank", 1, 1), coupler = add_rod(m[by_hand], "coupler", 2, 2),
                     rocker = add_rod(m[by_hand], "rocker", 2, 2);
        mechanism *c = m[by_hand];
        mech_expr p[2], w;
        add_joint(c, "A",
                  (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = {.body = MECH_GROUND}, .after = {.body = crank}});
        add_joint(c, "B",
                  (mech_joint){
                      .kind = MECH_JOINT_REVOLUTE, .before = point_of(c, crank, 1, 0, 0), .after = {.body = coupler}});
        add_joint(c, "C",
                  (mech_joint){
                      .kind = MECH_JOINT_REVOLUTE, .before = point_of(c, coupler, 2, 0, 0), .after = {.body = rocker}});
        if (by_hand) {
            CHECK(mech_bodies_point(c->bodies, rocker, N2(c, 2, 0), p) == MECH_OK);
            p[0] = mech_mul(c->pool, mech_number(c->pool, 3), mech_sub(c->pool, p[0], mech_number(c->pool, 2)));
            CHECK(mech_model_constraint(c->model, "D", p, 2, NULL) == MECH_OK);
        } else
            add_joint(c, "D",
                      (mech_joint){.kind = MECH_JOINT_REVOLUTE,
                                   .before = point_of(c, MECH_GROUND, 2, 0, 0),
                                   .after = point_of(c, rocker, 2, 0, 0)});
        /* a torque on the coupler from outside */
        CHECK(mech_bodies_value(c->bodies, coupler, MECH_BODY_ANGLE, &w) == MECH_OK);
        w = mech_dot(c->pool, w);
        const mech_expr torque = mech_number(c->pool, 1.5);
        CHECK(mech_model_force(c->model, &torque, &w, 1) == MECH_OK);
        first[by_hand] = show_wrench(c, "A", 0, MECH_WRENCH_FORCE, 2);
        show_wrench(c, "B", 1, MECH_WRENCH_FORCE, 2);
        show_wrench(c, "C", 2, MECH_WRENCH_FORCE, 2);
        show_wrench(c, "loadA", 0, MECH_WRENCH_LOAD_TORQUE, 1);
        mechanism_finish(c);
        mechanism_at(c, bar_q, v);
        CHECK_NEAR(c->at->output[first[by_hand] + 6], 0, 1e-12); /* the torque comes from outside, not through A */
    }
    near_list(m[1]->at->qdd, m[0]->at->qdd, 3, 1e-12);
    near_list(m[1]->at->output + first[1], m[0]->at->output + first[0], 7, 1e-11);
    mechanism_close(m[0]);
    mechanism_close(m[1]);
}

/* Cart 5 kg, rod 1 kg and 1 m hanging on it, turned by 0.3 rad. By hand: M = [6, cos(0.3)/2; ., 1/3], Q = (0, -g
   sin(0.3)/2). */
static void cart(void)
{
    mechanism *m = mechanism_open(2, 0, -9.81, 0);
    const size_t cart = add_body(m, "cart", 5, NULL, NULL, 0);
    size_t rod, force[2];
    const mech_solid solid = {.size = sizeof(mech_solid),
                              .kind = MECH_SOLID_ROD,
                              .extent = numbers(m, 4, (const double[]){0, 0, 0, -1}),
                              .extent_count = 4,
                              .mass = mech_number(m->pool, 1)};
    CHECK(mech_bodies_body(m->bodies, "rod", &rod) == MECH_OK && mech_bodies_solid(m->bodies, rod, &solid) == MECH_OK);
    add_joint(m, "rail",
              (mech_joint){.kind = MECH_JOINT_PRISMATIC,
                           .before = {.body = MECH_GROUND},
                           .after = {.body = cart},
                           .axis = N2(m, 1, 0)});
    add_joint(m, "hinge", (mech_joint){.kind = MECH_JOINT_REVOLUTE, .before = {.body = cart}, .after = {.body = rod}});
    force[0] = show_wrench(m, "rail", 0, MECH_WRENCH_FORCE, 2);
    force[1] = show_wrench(m, "hinge", 1, MECH_WRENCH_FORCE, 2);
    mechanism_finish(m);
    const double q[] = {0.7, 0.3}, v[] = {0.2, 0.4};
    mechanism_at(m, q, (const double[]){0, 0});
    near_list(m->at->M, (const double[]){6, 0.477668244562803, 0.477668244562803, 1. / 3}, 4, 1e-14);
    near_list(m->at->qdd, (const double[]){0.390777694167607, -4.90856612658364}, 2, 1e-14);
    mechanism_at(m, q, v); /* the rail holds all weights and what the rod's rise needs; the hinge what moves the rod */
    const double a = m->at->qdd[0], b = m->at->qdd[1], rise = (sin(0.3) * b + cos(0.3) * 0.16) / 2,
                 side = a + (cos(0.3) * b - sin(0.3) * 0.16) / 2;
    near_list(m->at->output + force[0], (const double[]){0, 6 * 9.81 + rise}, 2, 1e-13);
    near_list(m->at->output + force[1], (const double[]){side, 9.81 + rise}, 2, 1e-13);
    mechanism_close(m);
}

/* Stewart platform. */
static void add_leg(mechanism *m, size_t i, size_t platform, size_t *spring, size_t *force)
{
    static const double phi[] = {-1, 1, 7, 9, 15, 17}, psi[] = {-7, 7, 13, 27, 33, 47}; /* of pi/12, pi/30 */
    const double pi = acos(-1), a = phi[i] * pi / 12, c = psi[i] * pi / 30;
    char name[5][16];
    const char *const stems[] = {"cylinder", "piston", "hook", "slide", "ball"};
    for (int k = 0; k < 5; k++) snprintf(name[k], sizeof name[k], "%s[%zu]", stems[k], i + 1);
    const size_t cylinder = add_body(m, name[0], 4, (const double[]){0, 0, 0.25}, (const double[]){0.15, 0.15, 0}, 3);
    const size_t piston = add_body(m, name[1], 2, (const double[]){0, 0, -0.25}, (const double[]){0.08, 0.08, 0}, 3);
    add_joint(m, name[2],
              (mech_joint){.kind = MECH_JOINT_UNIVERSAL,
                           .before = point_of(m, MECH_GROUND, cos(a), sin(a), 0),
                           .after = {.body = cylinder},
                           .axis = N3(m, 1, 0, 0),
                           .second = N3(m, 0, 1, 0)});
    const size_t slide = add_joint(m, name[3],
                                   (mech_joint){.kind = MECH_JOINT_PRISMATIC,
                                                .before = {.body = cylinder},
                                                .after = {.body = piston},
                                                .axis = N3(m, 0, 0, 1)});
    const size_t ball = add_joint(m, name[4],
                                  (mech_joint){.kind = MECH_JOINT_SPHERICAL,
                                               .before = point_of(m, platform, 0.6 * cos(c), 0.6 * sin(c), 0),
                                               .after = {.body = piston}});
    mech_expr tension;
    CHECK(mech_bodies_spring_on(m->bodies, slide, 0, mech_number(m->pool, 40000), mech_number(m->pool, 1),
                                mech_number(m->pool, 2000), &tension) == MECH_OK);
    if (i) return;
    *spring = show(m, "tension", &tension, 1);
    *force = show_wrench(m, "ball", ball, MECH_WRENCH_FORCE, 3);
}

static void stewart(void)
{
    size_t spring = 0, force = 0, i;
    mechanism *m = mechanism_open(3, 0, 0, -9.81);
    const size_t platform = add_body(m, "platform", 50, NULL, (const double[]){3, 3, 6}, 3);
    add_joint(m, "pose",
              (mech_joint){.kind = MECH_JOINT_FREE, .before = {.body = MECH_GROUND}, .after = {.body = platform}});
    for (i = 0; i < 6; i++) add_leg(m, i, platform, &spring, &force);
    mechanism_finish(m);
    mechanism_at(m, stewart_q, stewart_v);
    CHECK(m->at->n == 25 && m->at->m == 19 && m->at->rank == 19);
    CHECK_NEAR(m->at->drift, 0, 1e-14);
    CHECK_NEAR(m->at->drift_rate, 0, 1e-14);
    near_list(m->at->qdd, stewart_pose, 3, 1e-11);
    for (i = 0; i < 6; i++) CHECK_NEAR(m->at->qdd[7 + 3 * i + 2], stewart_slide[i], 1e-11);
    CHECK_NEAR(m->at->output[spring], 40000 * (stewart_q[9] - 1) + 2000 * stewart_v[9], 1e-14);
    near_list(m->at->output + force, stewart_ball, 3, 1e-11);
    mechanism_close(m);
}

int main(void)
{
    four_bar_plane();
    four_bar_space();
    four_bar_absolute();
    moving_base();
    closed_by_hand();
    cart();
    stewart();
    return check_report();
}
