/* Mechanisms and robots written in the language, against other programs (the values of tests/unit/bodies) and closed
   forms. */
#include <mech/assemble.h>
#include <mech/lang.h>

#include "base/text.h"
#include "support/robots.h"
#include "support/stewart.h"

/* A mechanism from a text; mechanism_at works on it. */
static mechanism *mechanism_read(const char *text)
{
    mechanism *m = calloc(1, sizeof *m);
    m->list = mech_diagnostics_create();
    const mech_status status = mech_read_text("test", text, strlen(text), NULL, m->list, &m->model);
    mechanism_say(m);
    CHECK(status == MECH_OK);
    if (status != MECH_OK) exit(check_report());
    CHECK(mech_system_from_model(m->model, m->list, &m->system) == MECH_OK);
    CHECK(mech_instant_create(m->system, 0, &m->instant) == MECH_OK);
    return m;
}

static double output_of(const mechanism *m, const char *name)
{
    const size_t i = mech_system_find(m->system, MECH_ITEM_OUTPUT, name);
    CHECK(i != SIZE_MAX);
    return i == SIZE_MAX ? (double)NAN : m->at->output[i];
}

static double acceleration_of(const mechanism *m, const char *name)
{
    const size_t i = mech_system_find(m->system, MECH_ITEM_COORD, name);
    CHECK(i != SIZE_MAX);
    return i == SIZE_MAX ? (double)NAN : m->at->qdd[i];
}

static void put_list(textbuf *out, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? ", " : "[");
        text_add_double(out, x[i]);
    }
    text_add_char(out, ']');
}

static void put_matrix(textbuf *out, const double *x)
{
    for (size_t i = 0; i < 3; i++) {
        text_add(out, i ? ", " : "[");
        put_list(out, x + 3 * i, 3);
    }
    text_add_char(out, ']');
}

/* Links link[1], link[2], ... and joints q[1], q[2], ... */
static mechanism *read_chain(const chain_row *rows, size_t count, const char *rest)
{
    textbuf out = {0};
    text_add(&out, "gravity [0, 0, -9.81]\n");
    for (size_t i = 0; i < count; i++) {
        text_format(&out, "body link[%zu]: mass ", i + 1);
        text_add_double(&out, rows[i].mass);
        text_add(&out, ", center ");
        put_list(&out, rows[i].center, 3);
        text_add(&out, ", inertia ");
        put_matrix(&out, rows[i].inertia);
        text_format(&out, "\njoint q[%zu]: ", i + 1);
        if (rows[i].parent) text_format(&out, "link[%d] at ", rows[i].parent);
        else text_add(&out, "ground at ");
        put_list(&out, rows[i].p, 3);
        text_add(&out, " turned ");
        put_matrix(&out, rows[i].R);
        text_format(&out, " to link[%zu], %s", i + 1, rows[i].is_free ? "free" : "revolute about ");
        if (!rows[i].is_free) put_list(&out, rows[i].axis, 3);
        text_add_char(&out, '\n');
    }
    text_add(&out, rest);
    CHECK(!out.failed);
    mechanism *m = mechanism_read(out.data);
    text_free(&out);
    return m;
}

/* State of the arms: q_i = 0.1 + 0.1*(7i mod 5), q_i' = 0.5 - 0.15*(3i mod 7). */
static void arm_state(size_t n, double *q, double *v)
{
    for (size_t i = 1; i <= n; i++) {
        q[i - 1] = 0.1 + 0.1 * (double)(7 * i % 5);
        v[i - 1] = 0.5 - 0.15 * (double)(3 * i % 7);
    }
}

static void arms(void)
{
    double q[7], v[7];
    mechanism *m = read_chain(robot_ur5, 6, "output force = q[1].force, torque = q[1].torque\n");
    arm_state(7, q, v);
    mechanism_at(m, q, v);
    near_list(m->at->M, (const double[]){3.07277063493261, 0.246337798068133}, 2, 1e-13);
    CHECK_NEAR(m->at->M[7], 3.92484674703173, 1e-13);
    CHECK_NEAR(m->at->M[8], 1.49305918988183, 1e-13);
    CHECK_NEAR(m->at->M[14], 0.831398571141933, 1e-13);
    CHECK_NEAR(m->at->M[21], 0.241179832703519, 1e-13);
    near_list(m->at->qdd,
              (const double[]){-1.48825228984632, 24.3651799018148, -31.3803642923691, 6.72819860827624,
                               -0.630635107214547, 0.122308515599399},
              6, 1e-12);
    near_list(m->at->output,
              (const double[]){-39.0840253769, -19.9232923743, 80.8798653538, 2.4405320687, 0.7549450372, 0}, 6, 1e-10);
    mechanism_close(m);
    m = read_chain(robot_iiwa, 7, "");
    mechanism_at(m, q, v);
    near_list(m->at->qdd,
              (const double[]){3.2283065323225, 17.0772214618189, -4.76564960774406, 33.3986529804882,
                               -2.64439077971475, 26.6709036980439, 5.11833871360341},
              7, 1e-12);
    mechanism_close(m);
}

/* The joints of solo12 on a free base, by DART. */
static void quadruped(void)
{
    static const double place[] = {0.1, 0.2, 0.5, 0.927361849549575, 0.1, -0.2, 0.3}, rates[] = {0.3, -0.1, 0.2},
                        w[] = {0.4, -0.3, 0.2};
    static const double angles[] = {0.5, 0.2, 0.4, 0.1, 0.3, 0.5, 0.2, 0.4, 0.1, 0.3, 0.5, 0.2},
                        speeds[] = {-0.4, 0.2, -0.25, 0.35, -0.1, 0.5, 0.05, -0.4, 0.2, -0.25, 0.35, -0.1};
    static const double joints[] = {0.104552677357284,  -0.273850912485267, 0.388841647073823,  -0.175148489732806,
                                    -0.330922810465262, -0.477749253515343, -0.510854726810947, -0.12776276700359,
                                    -0.193451560049435, -0.187122939784441, 0.281298130792156,  -0.413593999218575};
    double q[19], v[19];
    memcpy(q, place, sizeof place);
    memcpy(q + 7, angles, sizeof angles);
    memcpy(v, rates, sizeof rates);
    const double *e = q + 3; /* e' = E(e)^T w/2, w in the base's axes */
    v[3] = (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]) / 2;
    v[4] = (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]) / 2;
    v[5] = (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]) / 2;
    v[6] = (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]) / 2;
    memcpy(v + 7, speeds, sizeof speeds);
    mechanism *m = read_chain(robot_solo12, 13, "output own = axes(link[1], link[1].w)\n");
    mechanism_at(m, q, v);
    near_list(m->at->qdd + 7, joints, 12, 1e-11);
    near_list(m->at->output, w, 3, 1e-14);
    mechanism_close(m);
}

static const char stewart_text[] =
    "param rb = 1, rp = 0.6, k = 40000, c = 2000\n"
    "gravity [0, 0, -9.81]\n"
    "let phi = [-pi/12, pi/12, 7*pi/12, 9*pi/12, 15*pi/12, 17*pi/12]\n"
    "let psi = [-7*pi/30, 7*pi/30, 13*pi/30, 27*pi/30, 33*pi/30, 47*pi/30]\n"
    "component actuated_leg(foot, top, head) {\n"
    "    body cylinder: mass 4, center [0, 0, 0.25],  inertia [0.15, 0.15, 0]\n"
    "    body piston:   mass 2, center [0, 0, -0.25], inertia [0.08, 0.08, 0]\n"
    "    joint hook:  ground at foot to cylinder, universal about [1, 0, 0], [0, 1, 0]\n"
    "    joint slide: cylinder to piston, prismatic along [0, 0, 1]\n"
    "    joint ball:  top at head to piston, spherical\n"
    "    spring drive on slide: stiffness k, length 1, damping c\n"
    "}\n"
    "body platform: mass 50, inertia [3, 3, 6]\n"
    "joint pose: ground to platform, free\n"
    "for i in 1..6 { part leg[i]: actuated_leg([rb*cos(phi[i]), rb*sin(phi[i]), 0], platform, [rp*cos(psi[i]), rp*sin(psi[i]), 0]) }\n"
    "output push = [leg[i].drive.force for i in 1..6], leg[1].ball.force\n";

static void stewart(void)
{
    char name[32];
    mechanism *m = mechanism_read(stewart_text);
    mechanism_at(m, stewart_q, stewart_v);
    near_list(m->at->qdd, stewart_pose, 3, 1e-11);
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "leg[%d].slide", i + 1);
        CHECK_NEAR(acceleration_of(m, name), stewart_slide[i], 1e-11);
    }
    CHECK_NEAR(output_of(m, "push[1]"), 40000 * (stewart_q[9] - 1) + 2000 * stewart_v[9], 1e-14);
    near_list(m->at->output + 6, stewart_ball, 3, 1e-11);
    mechanism_close(m);
}

/* A four-bar linkage, in the plane and in space; joints written from either side. */
static void four_bars(void)
{
    static const char plane[] =
        "param l1 = 1, l2 = 2, l3 = 2, d = 2, rho = 1\n"
        "gravity [0, -9.81]\n"
        "body crank:   rod [0, 0] to [l1, 0], mass rho*l1\n"
        "body coupler: rod [0, 0] to [l2, 0], density rho\n"
        "body rocker:  rod [0, 0] to [l3/2, 0], mass rho*l3/2, rod [l3/2, 0] to [l3, 0], density rho\n"
        "point crank.pin = [l1, 0]\n"
        "joint A: ground to crank, revolute\n"
        "joint B: %s, revolute\n"
        "joint C: coupler at [l2, 0] to rocker, revolute\n"
        "joint D: %s, revolute\n"
        "output D.force, bearing = A.force, pin = B.force, out = C.torque, angle = D, high = crank.pin[2]\n";
    static const char space[] = "gravity [0, -9.81, 0]\n"
                                "body crank:   rod [0, 0, 0] to [1, 0, 0], mass 1\n"
                                "body coupler: rod [0, 0, 0] to [2, 0, 0], mass 2\n"
                                "body rocker:  rod [0, 0, 0] to [2, 0, 0], mass 2\n"
                                "joint A: ground to crank, revolute about [0, 0, 1]\n"
                                "joint B: crank at [1, 0, 0] to coupler, revolute about [0, 0, 2]\n"
                                "joint C: coupler at [2, 0, 0] to rocker, revolute about [0, 0, 1]\n"
                                "joint D: ground at [2, 0, 0] to rocker at [2, 0, 0], revolute about [0, 0, 1]\n"
                                "output D.force\n";
    const double B = -0.386929124466803, C = -2.27201742342506, q[] = {1, B, C, 1 + B + C};
    static const double qdd[] = {-6.27714763549349, 8.76140740023472, -3.35904557391424};
    char text[1200];
    for (int reversed = 0; reversed < 2; reversed++) {
        double rates[4], turned[4];
        /* velocities that meet the loop: its two rows solved by hand */
        const double a = 1, b = 1 + B, c = 1 + B + C;
        /* P' = -l1 s(a) a' ...: with rates of absolute angles a', b', c':  2 s(b) b' + 2 s(c) c' = -s(a) a',  likewise
           cosines */
        const double det = 2 * sin(b) * 2 * cos(c) - 2 * sin(c) * 2 * cos(b);
        const double rb = (-sin(a) * 2 * cos(c) + 2 * sin(c) * cos(a)) / det,
                     rc = (-2 * sin(b) * cos(a) + sin(a) * 2 * cos(b)) / det;
        rates[0] = 1, rates[1] = rb - 1, rates[2] = rc - rb, rates[3] = rc;
        memcpy(turned, q, sizeof turned);
        if (reversed) turned[1] = -q[1], rates[1] = -rates[1], turned[3] = -q[3], rates[3] = -rates[3];
        snprintf(text, sizeof text, plane, reversed ? "coupler to crank.pin" : "crank.pin to coupler",
                 reversed ? "rocker at [l3, 0] to ground at [d, 0]" : "ground at [d, 0] to rocker at [l3, 0]");
        mechanism *m = mechanism_read(text);
        mechanism_at(m, turned, rates);
        const double sign = reversed ? -1 : 1;
        CHECK_NEAR(m->at->qdd[0], qdd[0], 1e-12);
        CHECK_NEAR(m->at->qdd[1], sign * qdd[1], 1e-12);
        CHECK_NEAR(m->at->qdd[2], qdd[2], 1e-12);
        CHECK_NEAR(output_of(m, "D.force[1]"), sign * 2.00082541505339, 1e-12);
        CHECK_NEAR(output_of(m, "D.force[2]"), sign * 25.8246368768417, 1e-12);
        CHECK_NEAR(output_of(m, "angle"), sign * (1 + B + C), 1e-14);
        CHECK_NEAR(output_of(m, "out"), 0, 1e-13); /* a hinge turns freely */
        CHECK_NEAR(output_of(m, "high"), sin(1), 1e-15);
        /* the crank alone: bearing + weight - pin = m c'' with c = (cos A, sin A)/2 */
        const double cx = (-sin(a) * qdd[0] - cos(a)) / 2, cy = (cos(a) * qdd[0] - sin(a)) / 2;
        CHECK_NEAR(output_of(m, "bearing[1]") - sign * output_of(m, "pin[1]"), cx, 1e-12);
        CHECK_NEAR(output_of(m, "bearing[2]") - sign * output_of(m, "pin[2]") - 9.81, cy, 1e-12);
        mechanism_close(m);
        if (reversed) continue;
        m = mechanism_read(space);
        mechanism_at(m, q, rates);
        near_list(m->at->qdd, qdd, 3, 1e-12);
        CHECK(m->at->m == 5 && m->at->rank == 2);
        CHECK_NEAR(output_of(m, "D.force[2]"), 25.8246368768417, 1e-12);
        mechanism_close(m);
    }
}

/* Cart 5 kg, rod 1 kg and 1 m, at the angle 0.3. */
static void cart_and_rod(void)
{
    mechanism *m = mechanism_read("gravity [0, -9.81]\n"
                                  "body cart: mass 5\n"
                                  "body rod: rod [0, 0] to [0, -1], mass 1\n"
                                  "joint rail: ground to cart, prismatic along [1, 0]\n"
                                  "joint hinge: cart to rod, revolute\n");
    mechanism_at(m, (const double[]){0, 0.3}, (const double[]){0, 0});
    near_list(m->at->M, (const double[]){6, 0.477668244562803, 0.477668244562803, 1.0 / 3}, 4, 1e-14);
    near_list(m->at->qdd, (const double[]){0.390777694167607, -4.90856612658364}, 2, 1e-13);
    mechanism_close(m);
}

/* Joints that other statements name as constraints become some; motors, gears and bounded friction do what they say. */
static void statements(void)
{
    mechanism *m = mechanism_read("gravity [0, -9.81]\n"
                                  "component watch(what) { output on = active(what) }\n"
                                  "body a: mass 2, center [1, 0], inertia 0.5\n"
                                  "joint J: ground to a, revolute\n"
                                  "part w: watch(J)\n");
    CHECK(mech_system_sizes(m->system).coords == 3 && mech_system_sizes(m->system).rows == 2);
    mechanism_close(m);
    /* 20 wheel = -40 pinion: inertia 3 + 4*0.5 felt at the wheel, torque 1 on it and 2*0.3 through the gear, 5*0.2 by a
       motor */
    m = mechanism_read("gravity [0, 0]\n"
                       "body wheel: mass 1, inertia 3\n"
                       "body pinion: mass 1, inertia 0.5\n"
                       "joint W: ground to wheel, revolute\n"
                       "joint P: ground at [1, 0] to pinion, revolute\n"
                       "constraint mesh: 20*W = -40*P\n"
                       "force 1 on W'\n"
                       "force -0.3 on P'\n"
                       "motor drive on P: torque -0.2, gear 5, rotor 0.02\n");
    mechanism_at(m, (const double[]){0, 0}, (const double[]){0, 0});
    /* pinion: 0.5 + 25*0.02 = 1; W'' (3 + 1/4) = 1 + (0.3 + 1)/2 */
    CHECK_NEAR(m->at->qdd[0], 1.65 / 3.25, 1e-14);
    mechanism_close(m);
    m = mechanism_read("gravity [0, 0]\n"
                       "body a: mass 2, inertia 0.5\n"
                       "joint J: ground to a, revolute\n"
                       "motor M on J: angle = t^2\n"
                       "output T = reaction(M)\n");
    mechanism_at(m, (const double[]){0}, (const double[]){0});
    CHECK_NEAR(output_of(m, "T"), 1, 1e-14); /* 0.5 * 2 */
    mechanism_close(m);
}

/* At the state where it starts. */
static void at_its_start(mechanism *m)
{
    mech_eval *eval;
    mech_assembly *assembly;
    CHECK(mech_eval_create(m->system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    CHECK(mech_assembly_create(eval, &assembly) == MECH_OK);
    CHECK(mech_assemble(assembly, NULL) == MECH_OK);
    mechanism_at(m, mech_assembly_q(assembly), mech_assembly_v(assembly));
    mech_assembly_free(assembly);
    mech_eval_free(eval);
}

/* What nothing is said of starts at 0, or at its guess, also where joints are conditions: closed forms. */
static void starts(void)
{
    static const char *const ways[] = {"", "coordinates absolute\n", "output on = active(yaw)\n",
                                       "event cut: t rises through 99 -> release slide, bend\n"};
    const double turn = 0.3, c = cos(turn), s = sin(turn), out = 0.5 + 0.25 * sin(0.2);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "param h = 0.25\n"
            "gravity [0, 0, -9.81]\n%s"
            "body a: mass 1, inertia [1, 2, 3]\n"
            "body b: mass 1, inertia [1, 2, 3]\n"
            "body c: mass 1, inertia [1, 2, 3]\n"
            "body d: mass 1, inertia [1, 2, 3]\n"
            "joint yaw: ground to a, revolute about [0, 0, 1]\n"
            "joint slide: a at [1, 0, 0] turned [[-1, 0, 0], [0, -1, 0], [0, 0, 1]] to b, prismatic along [1, 0, 0]\n"
            "joint bend: c at [0, 0, h] to b at [0.5, 0, 0], revolute about [0, -1, 0]\n"
            "joint rider: c at [0, 0, h] to d, fixed\n"
            "initial yaw = 0.3, yaw' = 0.7, bend' = -0.4\n"
            "guess bend = 0.2\n"
            "output br = b.r, bw = b.w, cr = c.r, cw = c.w, cv = c.r', dr = d.r\n%s",
            i == 1 ? ways[1] : "", i > 1 ? ways[i] : "");
        mechanism *m = mechanism_read(text);
        at_its_start(m);
        const char *const names[] = {"br[1]", "br[2]", "br[3]", "bw[1]", "bw[2]", "bw[3]", "cr[1]", "cr[2]",
                                     "cr[3]", "cw[1]", "cw[2]", "cw[3]", "dr[1]", "dr[2]", "dr[3]"};
        const double want[] = {c,        s,       0,   0,       0,       0.7, out * c, out * s, -0.25 * cos(0.2),
                               -0.4 * s, 0.4 * c, 0.7, 0.5 * c, 0.5 * s, 0};
        for (size_t k = 0; k < sizeof want / sizeof *want; k++) CHECK_NEAR(output_of(m, names[k]), want[k], 1e-13);
        mechanism_close(m);
    }
}

int main(void)
{
    starts();
    arms();
    quadruped();
    stewart();
    four_bars();
    cart_and_rod();
    statements();
    return check_report();
}
