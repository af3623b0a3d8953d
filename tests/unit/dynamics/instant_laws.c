/* Laws at one instant: what they may look at, friction that slides, holds and gives way. */
#include "unit/dynamics/instant_helpers.h"

#include "support/rod.h"

#define PENDULUM "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
#define START "initial x = 0.6, y = -0.8, x' = 0.8, y' = 0.6\n"

/* A law that looks at a multiplier which is not unique. */
static void uniqueness(void)
{
    bench_model b;
    open_text(&b,
              PENDULUM "constraint rod: x^2 + y^2 = 1\nconstraint again: x^2 + y^2 = 1\n"
                       "nonideal on rod: [x, y] = -0.1*abs(lambda(rod))*[x', y']\n" START,
              0);
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_NOT_UNIQUE);
    CHECK(says(&b, "'rod'") && says(&b, "leastnorm"));
    close_bench(&b);
    open_text(&b,
              PENDULUM "constraint rod: x^2 + y^2 = 1\nconstraint again: x^2 + y^2 = 1\nallow leastnorm\n"
                       "nonideal on rod: [x, y] = -0.1*abs(lambda(rod))*[x', y']\n" START,
              0);
    const mech_instant_result *r = solved(&b);
    CHECK(!r->diagnosis->unique_lambda[0] && r->Qni[0] != 0);
    close_bench(&b);
    /* the total one too, and friction */
    open_text(&b,
              PENDULUM "constraint rod: x^2 + y^2 = 1\nconstraint again: 2*x^2 + 2*y^2 = 2\n"
                       "nonideal on rod: [x, y] = -0.1*abs(reaction(rod))*[x', y']\n" START,
              0);
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_NOT_UNIQUE && says(&b, "'rod'"));
    close_bench(&b);
    open_text(&b,
              PENDULUM "constraint rod: x^2 + y^2 = 1\nconstraint again: x^2 + y^2 = 1\n"
                       "friction on rod: 0.1, along [x', y']\n" START,
              0);
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_NOT_UNIQUE && says(&b, "'rod'"));
    close_bench(&b);
    /* on both its load is the whole reaction, and that is unique */
    open_text(&b,
              PENDULUM "constraint rod: x^2 + y^2 = 1\nconstraint again: x^2 + y^2 = 1\n"
                       "friction on rod, again: 0.1, along [x', y']\n" START,
              0);
    r = solved(&b);
    CHECK_NEAR(r->law[0].normal, 1 + 0.8 * 9.81, 1e-12);
    close_bench(&b);
    /* of what is said of the two, the sum is the whole reaction; each share is a choice */
    open_text(&b,
              PENDULUM "constraint rod: x^2 + y^2 = 1\nconstraint again: x^2 + y^2 = 1\n"
                       "output one = lambda(rod), both = lambda(rod) + lambda(again), far = x''\n" START,
              0);
    r = solved(&b);
    CHECK(r->output_is_choice[0] && !r->output_is_choice[1] && !r->output_is_choice[2]);
    CHECK_NEAR(r->output[1], -(1 + 0.8 * 9.81) / 2, 1e-12); /* pull/2 for A = 2 (x, y) */
    close_bench(&b);
    /* so it is beside a law that pushes along the rod: the ideal part is as before, the total one less by 2/2 */
    open_text(
        &b,
        PENDULUM
        "constraint rod: x^2 + y^2 = 1\nconstraint again: x^2 + y^2 = 1\nnonideal on rod: [x, y] = 2*[x, y]\n"
        "output one = force(rod, x), both = force(rod, x) + force(again, x), all = reaction(rod) + reaction(again)\n" START,
        0);
    r = solved(&b);
    CHECK(r->output_is_choice[0] && !r->output_is_choice[1] && !r->output_is_choice[2]);
    CHECK_NEAR(r->output[1], -(1 + 0.8 * 9.81) * 0.6, 1e-12);
    CHECK_NEAR(r->output[2], -(1 + 0.8 * 9.81) / 2 - 1, 1e-12);
    close_bench(&b);
    /* the multipliers of a constraint written twice in itself are not unique, its force is */
    open_text(&b,
              PENDULUM "constraint rod: [x^2 + y^2, x^2 + y^2] = [1, 1]\n"
                       "nonideal on rod: [x, y] = -0.1*norm(force(rod))*[x', y']\n" START,
              0);
    r = solved(&b);
    CHECK(!r->diagnosis->unique_lambda[0] && r->diagnosis->unique_force[0]);
    const double pull = 1 + 0.8 * 9.81;
    CHECK_NEAR(r->Qni[0], -0.1 * pull * 0.8, 1e-12);
    close_bench(&b);
}

/* A block of weight 20 with friction 0.5 under it, pushed against a wall by P: the wall bears P - F, whatever F within
   +-10 friction takes. Only the sum of both is unique, whether friction holds (half of 5) or is at its bound. */
static void stopped(void)
{
#define BLOCK                                                                                                          \
    "coord x, y, z\nparam P = 30, R = 0\nkinetic x'^2 + y'^2 + z'^2\npotential 20*z\nforce P on x'\nforce R on y'\n"   \
    "constraint floor: z = 0\nconstraint wall: x = 0\n"
    bench_model b;
    open_text(&b,
              BLOCK "friction on floor: 0.5, along x'\noutput N = reaction(wall), F = friction(floor), S = N + F, "
                    "W = reaction(floor)\n",
              0);
    for (int k = 0; k < 2; k++) {
        set_param(&b, "P", k ? 5 : 30);
        const mech_instant_result *r = solved(&b);
        CHECK(r->law[0].mode == (k ? MECH_FRICTION_MODE_HOLDS : MECH_FRICTION_MODE_GIVES_WAY) && r->rank == 2);
        CHECK(r->output_is_choice[0] && r->output_is_choice[1] && !r->output_is_choice[2] && !r->output_is_choice[3]);
        CHECK(r->diagnosis->unique_lambda[0] && !r->diagnosis->unique_lambda[1] && !r->diagnosis->unique_force[1]);
        CHECK_NEAR(r->output[2], k ? -5 : -30, 1e-12);
        CHECK(fabs(r->output[1]) <= 10);
    }
    /* without weight on it friction bears nothing, and the wall all: that is unique */
    close_bench(&b);
    open_text(&b, BLOCK "force 20 on z'\nfriction on floor: 0.5, along x'\noutput N = reaction(wall)\n", 0);
    CHECK_NEAR(solved(&b)->output[0], -30, 1e-12);
    CHECK(!mech_instant_get(b.instant)->output_is_choice[0]);
    close_bench(&b);
    /* along the floor: across the wall its share is open, along it friction bears R = 3, or slides by R = 12 */
    open_text(&b, BLOCK "friction on floor: 0.5, along [x', y']\noutput N = reaction(wall), F = friction(floor)\n", 0);
    set_param(&b, "R", 3);
    const mech_instant_result *r = solved(&b);
    CHECK(r->output_is_choice[0] && r->output_is_choice[1] && !r->output_is_choice[2]);
    CHECK_NEAR(r->output[2], -3, 1e-9);
    set_param(&b, "R", 12);
    r = solved(&b);
    CHECK(!r->output_is_choice[0] && !r->output_is_choice[1] && !r->output_is_choice[2]);
    CHECK_NEAR(r->output[0], -30, 1e-9);
    CHECK_NEAR(r->qdd[1], 1, 1e-9);
    close_bench(&b);
    /* what slides along the wall is loaded by the share: that motion is not unique */
    open_text(&b, BLOCK "friction on floor: 0.5, along x'\nfriction on wall: 0.1, along y'\ninitial y' = 1\n", 0);
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_NOT_UNIQUE && says(&b, "'wall'"));
    close_bench(&b);
#undef BLOCK
}

/* Two laws and friction, each projected by itself: the parts add up. */
static void parts(void)
{
    bench_model b;
    open_text(&b,
              PENDULUM "constraint rod: x^2 + y^2 = 1\n"
                       "nonideal on rod: [x, y] = [-0.3*x', 2]\nnonideal on rod: x = 0.05*reaction(rod)*y\n"
                       "friction on rod: 0.2, along [x', y']\n" START,
              0);
    const mech_instant_result *r = solved(&b);
    CHECK(r->laws == 3 && r->law[2].is_friction);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(r->law[0].Qni[i] + r->law[1].Qni[i] + r->law[2].Qni[i], r->Qni[i], 1e-12);
        CHECK_NEAR(r->law[0].C[i] + r->law[1].C[i] + r->law[2].C[i], r->C[i], 1e-14);
        /* A' total + C = Qi + Qni, with the laws at that total */
        CHECK_NEAR(r->A[(size_t)i * r->rows] * r->reaction[0] + r->C[i], r->Qi[i] + r->Qni[i], 1e-12);
    }
    CHECK_NEAR(r->law[1].C[0], 0.05 * r->reaction[0] * -0.8, 1e-13);
    CHECK_NEAR(r->law[2].normal, 2 * fabs(r->reaction[0]), 1e-12); /* |A| = 2: the force on the point */
    CHECK_TEXT(r->law[0].name, "law 1 on rod");
    CHECK_TEXT(r->law[2].name, "friction on rod");
    /* released, all fall silent */
    CHECK(mech_eval_set_active(mech_instant_eval(b.instant), 0, 0) == MECH_OK);
    r = solved(&b);
    CHECK(r->Qni[0] == 0 && r->Qni[1] == 0 && r->law[2].mode == MECH_FRICTION_MODE_OFF && r->rank == 0);
    CHECK_NEAR(r->qdd[1], -9.81, 1e-14);
    close_bench(&b);
}

static void incline(void)
{
    bench_model b;
    const double g = 9.81, s = 0.5, c = sqrt(0.75);
    open_file(&b, "examples/incline-block/model.mech", 0);
    const mech_instant_result *r = solved(&b); /* thrown up the slope */
    CHECK_NEAR(r->qdd[0], g * (s + 0.3 * c), 1e-13);
    b.v[0] = 0; /* at rest 30 degrees are too steep for 0.3 ... */
    r = solved(&b);
    CHECK(r->law[0].mode == MECH_FRICTION_MODE_GIVES_WAY && r->dof == 1);
    CHECK_NEAR(r->qdd[0], g * (s - 0.3 * c), 1e-13);
    set_param(&b, "mu", 0.7); /* ... and not for 0.7 */
    r = solved(&b);
    CHECK(r->law[0].mode == MECH_FRICTION_MODE_HOLDS && r->dof == 0);
    CHECK_NEAR(r->qdd[0], 0, 1e-14);
    CHECK_NEAR(r->law[0].tangential, g * s, 1e-13);
    CHECK_NEAR(r->law[0].bound, 0.7 * g * c, 1e-13);
    CHECK(r->diagnosis->unique_lambda[0] && r->active[1]);
    close_bench(&b);
}

/* A bead at rest on a rough wire: friction along all of r', of which the wire already holds two directions.
 */
static void bead_at_rest(void)
{
    bench_model b;
    open_file(&b, "examples/rough-bead/model.mech", 0);
    const double angle = 0.1;
    b.q[0] = sin(angle), b.q[1] = 0, b.q[2] = -cos(angle);
    b.v[0] = b.v[1] = b.v[2] = 0;
    const mech_instant_result *r = solved(&b);
    CHECK(r->law[0].mode == MECH_FRICTION_MODE_HOLDS && r->dof == 0);
    CHECK_NEAR(r->law[0].normal, 9.81 * cos(angle), 1e-12);
    CHECK_NEAR(r->law[0].tangential, 9.81 * sin(angle), 1e-12);
    CHECK(r->diagnosis->unique_lambda[0] && r->diagnosis->unique_lambda[1] && r->diagnosis->unique_force[2]);
    b.q[0] = sin(0.3), b.q[2] = -cos(0.3); /* tan 0.3 > 0.2 */
    r = solved(&b);
    CHECK(r->law[0].mode == MECH_FRICTION_MODE_GIVES_WAY);
    CHECK_NEAR(hypot(r->qdd[0], r->qdd[2]), 9.81 * (sin(0.3) - 0.2 * cos(0.3)), 1e-12);
    CHECK(r->qdd[0] < 0);
    close_bench(&b);
}

/* It begins to slide where V' points, which is not where it is pushed when masses differ: V' = a d with (a + 3) d1 = 5,
   (9 a + 3) d2 = 7, |d| = 1. */
static void begins(void)
{
    bench_model b;
    const double a = 2.2444195788528636, d[2] = {5 / (a + 3), 7 / (9 * a + 3)};
    open_text(
        &b,
        "coord x, y, z\nkinetic (x'^2 + 9*y'^2 + z'^2)/2\npotential 10*z\nconstraint floor: z = 0\nfriction on floor: 0.3, along [x', y', z']\n"
        "force 5 on x'\nforce 7 on y'\n",
        0);
    const mech_instant_result *r = solved(&b);
    CHECK(r->law[0].mode == MECH_FRICTION_MODE_GIVES_WAY);
    CHECK_NEAR(hypot(d[0], d[1]), 1, 1e-14);
    CHECK_NEAR(r->qdd[0], a * d[0], 1e-10);
    CHECK_NEAR(r->qdd[1], a * d[1], 1e-10);
    close_bench(&b);
}

/* A law by z: C = M^(1/2) z with the symmetric root. M = [5 4; 4 5] = [2 1; 1 2]^2. */
static void by_z(void)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *m = NULL;
    mech_system *system = NULL;
    mech_instant *instant = NULL;
    CHECK(mech_model_create(diagnostics, &m) == MECH_OK);
    mech_pool *p = mech_model_pool(m);
    const mech_expr x = mech_model_coord(m, "x", NULL), y = mech_model_coord(m, "y", NULL),
                    s = mech_model_coord(m, "s", NULL);
    CHECK(mech_model_mass(m, x, x, mech_number(p, 5)) == MECH_OK &&
          mech_model_mass(m, x, y, mech_number(p, 4)) == MECH_OK);
    CHECK(mech_model_mass(m, y, y, mech_number(p, 5)) == MECH_OK &&
          mech_model_mass(m, s, s, mech_number(p, 1)) == MECH_OK);
    size_t c;
    CHECK(mech_model_constraint(m, "stop", &s, 1, &c) == MECH_OK);
    const mech_expr at[2] = {x, y}, z[2] = {mech_number(p, 1), mech_number(p, 3)};
    CHECK(mech_model_nonideal(m, MECH_LAW_Z, &c, 1, at, z, 2) == MECH_OK);
    CHECK(mech_model_finish(m) == MECH_OK && mech_system_from_model(m, diagnostics, &system) == MECH_OK);
    CHECK(mech_instant_create(system, 0, &instant) == MECH_OK);
    const double q[3] = {0}, v[3] = {0};
    mech_instant_input in;
    mech_instant_input_default(&in, sizeof in);
    in.q = q, in.v = v;
    CHECK(mech_instant_solve(instant, &in) == MECH_OK);
    const mech_instant_result *r = mech_instant_get(instant);
    CHECK_NEAR(r->Qni[0], 5, 1e-13);
    CHECK_NEAR(r->Qni[1], 7, 1e-13);
    CHECK_NEAR(r->law_z[0], 1, 1e-13);
    CHECK_NEAR(r->law_z[1], 3, 1e-13);
    mech_instant_free(instant);
    mech_system_free(system);
    mech_model_free(m);
    mech_diagnostics_free(diagnostics);
}

/* The root of a mass that has no inverse: M = 3.125 u u' with u = (0.6, 0.8) gives C = sqrt(3.125) u (u . z), and
   nothing of it across u, where the multiplier of the row would see it. */
static void by_z_without_inverse(void)
{
    bench_model b;
    open_text(&b,
              "coord y, x, p\nkinetic (x' + 0.75*y')^2 + p'^2\nconstraint tie: x' = p*p'\n"
              "nonideal z on tie: x = 1.791\ninitial p = 1\n",
              0);
    const mech_instant_result *r = solved(&b);
    const double along = sqrt(3.125) * 0.8 * 1.791;
    CHECK_NEAR(r->C[0], 0.6 * along, 1e-14);
    CHECK_NEAR(r->C[1], 0.8 * along, 1e-14);
    CHECK_NEAR(r->lambda[0], 0, 1e-14);
    CHECK_NEAR(r->Qni[2], 0, 1e-14);
    close_bench(&b);
}

/* Document 004, Eqs. (40)-(42), from the text: x'^2 + y'^2 - z'^2 = 2 alpha g(x, y, z, t), C = -a0 |u| u. */
static void appell(void)
{
    bench_model b;
    open_file(&b, "examples/appell/model.mech", 0);
    for (int trial = 0; trial < 200; trial++) {
        const double s = 0.37 * trial, x = cos(s), y = sin(2.1 * s), z = cos(3.7 * s), t = sin(s);
        const double v[3] = {2 * sin(1.3 * s), cos(2.9 * s), 1 + sin(0.7 * s)}, alpha = cos(5 * s), a0 = sin(4.1 * s),
                     F = -9.81;
        const double q[3] = {x, y, z};
        memcpy(b.q, q, sizeof q);
        memcpy(b.v, v, sizeof v);
        b.at.t = t;
        set_param(&b, "alpha", alpha);
        set_param(&b, "a0", a0);
        const mech_instant_result *r = solved(&b);
        const double g_dot = x * v[0] + y * v[1] + v[2] * sin(t) + z * cos(t);
        const double u2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], k = (alpha * g_dot + v[2] * F) / u2,
                     c = 2 * a0 / sqrt(u2);
        const double want[3] = {k * v[0] - c * v[0] * v[2] * v[2], k * v[1] - c * v[1] * v[2] * v[2],
                                F - k * v[2] - c * v[2] * (v[0] * v[0] + v[1] * v[1])};
        const double scale = fabs(want[0]) + fabs(want[1]) + fabs(want[2]) + fabs(F);
        for (int i = 0; i < 3; i++) CHECK(fabs(r->qdd[i] - want[i]) <= 1e-13 * scale);
    }
    close_bench(&b);
}

/* A law given by a C function that looks at the total reaction: no derivative is known, so it is repeated. */
static mech_status unit_mass(void *user, const mech_point *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1;
    return MECH_OK;
}
static mech_status pulling_law(void *user, const mech_point *at,
                               double *C) /* has a part along the rod: it loads itself */
{
    (void)user;
    C[0] = -0.2 * fabs(at->reaction[0]);
    return MECH_OK;
}

static void by_functions(void)
{
    mech_callbacks given = rod_callbacks();
    given.M = unit_mass;
    given.C = pulling_law;
    mech_system *system = NULL;
    mech_instant *instant = NULL;
    CHECK(mech_system_from_callbacks(&given, NULL, &system) == MECH_OK &&
          mech_instant_create(system, 0, &instant) == MECH_OK);
    const double q[2] = {0.6, -0.8}, v[2] = {0.8, 0.6};
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.q = q, at.v = v;
    CHECK(mech_instant_solve(instant, &at) == MECH_OK);
    bench_model b; /* the same from a text, by Newton's method */
    open_text(&b, PENDULUM "constraint rod: x^2 + y^2 = 1\nnonideal on rod: x = -0.2*abs(reaction(rod))\n" START, 0);
    const mech_instant_result *one = mech_instant_get(instant), *other = solved(&b);
    CHECK_NEAR(one->reaction[0], other->reaction[0], 1e-12);
    for (int i = 0; i < 2; i++) CHECK_NEAR(one->qdd[i], other->qdd[i], 1e-12);
    CHECK(fabs(one->reaction[0] - one->lambda[0]) > 0.1);
    close_bench(&b);
    mech_instant_free(instant);
    mech_system_free(system);
}

int main(void)
{
    appell();
    by_functions();
    uniqueness();
    stopped();
    parts();
    incline();
    bead_at_rest();
    begins();
    by_z();
    by_z_without_inverse();
    return check_report();
}
