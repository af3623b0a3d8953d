/* Robots from files, as the statement `import` reads them: M and accelerations that KDL and DART give (15 digits), at
   q_i = 0.1 + 0.1*(7i mod 5), q_i' = 0.5 - 0.15*(3i mod 7). */
#include "check.h"

#include <mech/instant.h>
#include <mech/lang.h>

#include <stdlib.h>

/* KDL 1.5.1 */
static const double arm6_M[] = {
    3.07277063493261,     0.246337798068133,    0.0504928448338451,   0.000796205159316442, -0.110031398185101,
    -0.00152467101314505, 0.246337798068133,    3.92484674703173,     1.49305918988183,     0.234195368962744,
    0.000470283137021036, 0.017050862157848,    0.0504928448338451,   1.49305918988183,     0.831398571141933,
    0.238463226085351,    0.000470283137021036, 0.017050862157848,    0.000796205159316442, 0.234195368962744,
    0.238463226085351,    0.241179832703519,    0.000470283137021036, 0.017050862157848,    -0.110031398185101,
    0.000470283137021036, 0.000470283137021036, 0.000470283137021036, 0.251784816356017,    0,
    -0.00152467101314505, 0.017050862157848,    0.017050862157848,    0.017050862157848,    0,
    0.0171364731454};
static const double arm6_qdd[] = {-1.48825228984632, 24.3651799018148,   -31.3803642923691,
                                  6.72819860827624,  -0.630635107214547, 0.122308515599399};
static const double arm7_M[] = {0.538199461660592,
                                0.104530191683764,
                                -0.0973757936357043,
                                -0.121450735960333,
                                0.0157067556865081,
                                0.00398907714064193,
                                0.000923051379442667,
                                0.104530191683764,
                                3.31369754300191,
                                0.119796820851897,
                                -1.09967521660256,
                                0.0182178484609187,
                                0.0324037929170852,
                                8.81070633247719e-06,
                                -0.0973757936357043,
                                0.119796820851897,
                                0.112185006578701,
                                -0.0135723737451643,
                                0.00763336744531141,
                                -0.000807217234472721,
                                0.000994429239677357,
                                -0.121450735960333,
                                -1.09967521660256,
                                -0.0135723737451643,
                                0.543252237915336,
                                -0.0084747874848376,
                                -0.0206486436474718,
                                -2.95027919191783e-05,
                                0.0157067556865081,
                                0.0182178484609187,
                                0.00763336744531141,
                                -0.0084747874848376,
                                0.01073958936967,
                                -4.12705363302208e-07,
                                0.000955336489125606,
                                0.00398907714064193,
                                0.0324037929170852,
                                -0.000807217234472721,
                                -0.0206486436474718,
                                -4.12705363302208e-07,
                                0.008760948,
                                0,
                                0.000923051379442667,
                                8.81070633247719e-06,
                                0.000994429239677357,
                                -2.95027919191783e-05,
                                0.000955336489125606,
                                0,
                                0.001};
static const double arm7_qdd[] = {3.2283065323225,   17.0772214618189, -4.76564960774406, 33.3986529804882,
                                  -2.64439077971475, 26.6709036980439, 5.11833871360341};
/* DART 6.12: place, attitude, joints; velocity of the place and turning in the axes of the body, joints; accelerations
   of the joints */
static const double legs12_q[] = {
    0.1, 0.2, 0.5, 0.927361849549575, 0.1, -0.2, 0.3, 0.5, 0.2, 0.4, 0.1, 0.3, 0.5, 0.2, 0.4, 0.1, 0.3, 0.5, 0.2};
static const double legs12_v[] = {
    0.3, -0.1,  0.2,  0.4, -0.29999999999999993, 0.19999999999999998, -0.4, 0.2, -0.25, 0.35, -0.1, 0.5, 0.05, -0.4,
    0.2, -0.25, 0.35, -0.1};
static const double legs12_qdd[] = {0.104552677357284,  -0.273850912485267, 0.388841647073823,  -0.175148489732806,
                                    -0.330922810465262, -0.477749253515343, -0.510854726810947, -0.12776276700359,
                                    -0.193451560049435, -0.187122939784441, 0.281298130792156,  -0.413593999218575};

typedef struct robot {
    mech_diagnostics *list;
    mech_model *model;
    mech_system *system;
    mech_instant *instant;
    size_t n;
} robot;

static robot open_robot(const char *text)
{
    robot r = {.list = mech_diagnostics_create()};
    CHECK(mech_read_text("text", text, strlen(text), NULL, r.list, &r.model) == MECH_OK);
    CHECK(r.model && mech_system_create(r.model, NULL, r.list, &r.system) == MECH_OK &&
          mech_instant_create(r.system, 0, &r.instant) == MECH_OK);
    if (!r.instant) {
        char *words = mech_diagnostics_format(r.list);
        fprintf(stderr, "%s", words ? words : "");
        mech_text_free(words);
    }
    if (r.system) r.n = mech_system_sizes(r.system).coords;
    return r;
}

static void close_robot(robot *r)
{
    mech_instant_free(r->instant);
    mech_system_free(r->system);
    mech_model_free(r->model);
    mech_diagnostics_free(r->list);
}

static const mech_instant_result *solve(robot *r, const double *q, const double *v)
{
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.q = q;
    at.v = v;
    CHECK(mech_instant_solve(r->instant, &at) == MECH_OK);
    return mech_instant_get(r->instant);
}

/* All entries to `tolerance` of the largest. */
static void compare(const double *got, const double *want, size_t count, double tolerance)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(want[i]));
    for (size_t i = 0; i < count; i++) CHECK_NEAR(got[i] / largest, want[i] / largest, tolerance);
}

static void check_arm(const char *text, size_t n, const double *M, const double *qdd)
{
    double q[7], v[7];
    robot r = open_robot(text);
    CHECK(r.n == n);
    for (size_t i = 0; i < n; i++) {
        q[i] = 0.1 + 0.1 * (double)(7 * (i + 1) % 5);
        v[i] = 0.5 - 0.15 * (double)(3 * (i + 1) % 7);
    }
    if (r.instant && r.n == n) {
        const mech_instant_result *at = solve(&r, q, v);
        compare(at->M, M, n * n, 1e-13);
        compare(at->qdd, qdd, n, 1e-12);
    }
    close_robot(&r);
}

/* e' = e*(0, w)/2 */
static void turning(const double *e, const double *w, double *rate)
{
    rate[0] = (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]) / 2;
    rate[1] = (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]) / 2;
    rate[2] = (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]) / 2;
    rate[3] = (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]) / 2;
}

static void check_legs(void)
{
    double v[19];
    robot r = open_robot("gravity [0, 0, -9.81]\nimport legs: \"tests/import/legs12.urdf\", free\n");
    CHECK(r.n == 19);
    memcpy(v, legs12_v, 3 * sizeof *v);
    turning(legs12_q + 3, legs12_v + 3, v + 3);
    memcpy(v + 7, legs12_v + 6, 12 * sizeof *v);
    if (r.instant && r.n == 19) compare(solve(&r, legs12_q, v)->qdd + 7, legs12_qdd, 12, 1e-11);
    close_robot(&r);
}

/* (12 + 0.25) q'' = -5 (2.5 - 3) - 0.1*1 - 2*7*(2*2.5) with the servo at 0; its keyframe is the start */
static void check_cart(void)
{
    double q, v;
    robot r = open_robot("gravity [0, 0, -9.81]\nimport cart: \"tests/import/cart.xml\"\n");
    CHECK(r.n == 1);
    if (r.instant && r.n == 1) {
        CHECK(mech_instant_start(r.instant, 0, &q, &v, NULL) == MECH_OK);
        CHECK_NEAR(q, 0.5, 1e-15);
        CHECK_NEAR(v, 1, 1e-15);
        CHECK_NEAR(solve(&r, &q, &v)->qdd[0], (2.5 - 0.1 - 70) / 12.25, 1e-14);
    }
    close_robot(&r);
}

static double acceleration(const robot *r, const mech_instant_result *at, const char *name)
{
    const size_t k = mech_system_find(r->system, MECH_ITEM_COORD, name);
    CHECK(k != SIZE_MAX);
    return k == SIZE_MAX ? HUGE_VAL : at->qdd[k];
}

/* A planar joint across a slope of 0.5 rad: g*sin(0.5) along it. A floating joint: g down, which is along -z of the
   table. */
static void check_puck(void)
{
    double q[10] = {0}, v[10] = {0};
    robot r = open_robot("gravity [0, 0, -9.81]\nimport game: \"tests/import/puck.urdf\"\n");
    CHECK(r.n == 10);
    if (r.instant && r.n == 10) {
        q[mech_system_find(r.system, MECH_ITEM_COORD, "game.slope.angle")] = 0.7;
        q[mech_system_find(r.system, MECH_ITEM_COORD, "game.fall.e[1]")] = 1;
        const mech_instant_result *at = solve(&r, q, v);
        CHECK_NEAR(hypot(acceleration(&r, at, "game.slope.x"), acceleration(&r, at, "game.slope.y")), 9.81 * sin(0.5),
                   1e-14);
        CHECK_NEAR(acceleration(&r, at, "game.slope.angle"), 0, 1e-14);
        CHECK_NEAR(acceleration(&r, at, "game.fall.r[1]"), 0, 1e-14);
        CHECK_NEAR(acceleration(&r, at, "game.fall.r[2]"), 0, 1e-14);
        CHECK_NEAR(acceleration(&r, at, "game.fall.r[3]"), -9.81, 1e-14);
    }
    close_robot(&r);
}

int main(void)
{
    check_arm("gravity [0, 0, -9.81]\nimport arm: \"tests/import/arm6.urdf\"\n", 6, arm6_M, arm6_qdd);
    check_arm("gravity [0, 0, -9.81]\nimport arm: \"tests/import/arm7.urdf\"\n", 7, arm7_M, arm7_qdd);
    check_legs();
    check_cart();
    check_puck();
    return check_report();
}
