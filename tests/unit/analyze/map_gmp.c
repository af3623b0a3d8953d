/* Maps and sweeps: every point agrees with Routh's criterion and with the closed form. */
#include "unit/analyze/helpers.h"

static int same_bytes(const void *a, const void *b, size_t size) { return a && b ? memcmp(a, b, size) == 0 : a == b; }

static void check_same_map(const mech_map_result *a, const mech_map_result *b)
{
    const size_t points = (size_t)a->x.count * (size_t)a->y.count;
    CHECK(same_bytes(a->region, b->region, points) && same_bytes(a->routh, b->routh, points));
    CHECK(a->condition_count == b->condition_count && a->shifts == b->shifts && a->compared == b->compared);
    CHECK(a->defective == b->defective);
    CHECK(same_bytes(a->conditions, b->conditions, points * (size_t)a->condition_count * sizeof *a->conditions));
    CHECK(memcmp(a->counts, b->counts, sizeof a->counts) == 0);
}

/* By five threads; the same by one and by two, to the last bit. */
static mech_map *map_of(subject *s, const double *q, const double *v, const mech_axis *x, const mech_axis *y)
{
    mech_linear_options at;
    mech_map *map = NULL, *other = NULL;
    mech_linear_options_default(&at, sizeof at);
    CHECK(at.threads == 1);
    at.q = q;
    at.v = v;
    at.threads = 5;
    CHECK(mech_map_create(s->system, s->eval, s->model, &at, x, y, &map) == MECH_OK);
    for (at.threads = 1; at.threads <= 2 && map; at.threads++) {
        CHECK(mech_map_create(s->system, s->eval, s->model, &at, x, y, &other) == MECH_OK);
        if (other) check_same_map(mech_map_get(map), mech_map_get(other));
        mech_map_free(other);
    }
    return map;
}

/* The hoop in (K, B), as it is and with gravity turned: marginal exactly where K >= 0, B >= 0 and not less.
 */
static void hoop(int turned)
{
    char text[400];
    subject s;
    const double zero[2] = {0};
    const mech_axis K = {"K", -50, 150, 41}, B = {"B", -10, 20, 31};
    snprintf(text, sizeof text,
             "param m = 2, r = 0.2, R = 1, g = 9.8\nlet rho = R + r\ncoord theta, phi\nkinetic "
             "m/2*((rho*theta')^2 + (r*phi')^2)\n"
             "potential %sm*g*rho*cos(theta)\nconstraint rolling: r*phi = rho*theta\n",
             turned ? "-" : "");
    if (!subject_text(&s, text)) return;
    mech_map *map = map_of(&s, zero, zero, &K, &B);
    if (map) {
        const mech_map_result *r = mech_map_get(map);
        CHECK(r->has_routh && r->disagreements == 0 && r->counts[MECH_REGION_NONE] == 0);
        for (int j = 0; j < 31; j++)
            for (int i = 0; i < 41; i++) {
                const double k = -50 + 5 * i, b = -10 + j;
                const mech_region want = !turned || k < 0 || b < 0 ? MECH_REGION_UNSTABLE : MECH_REGION_MARGINAL;
                CHECK(r->region[i + 41 * j] == want && r->routh[i + 41 * j] == want);
            }
    }
    mech_map_free(map);
    subject_free(&s);
}

/* m x'' = -k x - x', stable where both are positive: a mass that is not positive has no equilibrium to disagree about.
   */
static void no_mass(void)
{
    subject s;
    const double zero[1] = {0};
    const mech_axis m = {"m", -1, 1, 5}, k = {"k", 1, 2, 3};
    if (!subject_text(&s, "param m = 1, k = 1\ncoord x\nkinetic m*x'^2/2\npotential k*x^2/2\ndissipation x'^2/2\n"))
        return;
    mech_map *map = map_of(&s, zero, zero, &m, &k);
    if (map) {
        const mech_map_result *r = mech_map_get(map);
        CHECK(r->counts[MECH_REGION_STABLE] == 6 && r->counts[MECH_REGION_NONE] == 9);
        CHECK(r->has_routh && r->compared == 6 && r->disagreements == 0);
    }
    mech_map_free(map);
    subject_free(&s);
}

/* s^2 + s + k: where k passes through zero x is a shift, and the zero mode counts; where x never matters it does not.
   */
static void shifts(int is_held)
{
    subject s;
    const double zero[1] = {0};
    const mech_axis m = {"m", -3, 1, 5}, k = {"k", -2, 2, 5};
    if (!subject_text(&s, is_held
                              ? "param m = 1, k = 1\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\ndissipation x'^2/2\n"
                              : "param m = 1, k = 1\ncoord x\nkinetic x'^2/2\nforce -k*x' on x'\n"))
        return;
    mech_map *map = map_of(&s, zero, zero, &m, &k);
    if (map) {
        const mech_map_result *r = mech_map_get(map);
        CHECK(r->has_routh && r->compared == 25 && r->disagreements == 0 && r->shifts == !is_held);
        for (int i = 0; i < 25; i++) {
            const int row = i / 5; /* k = row - 2 */
            const mech_region want = row < 2   ? MECH_REGION_UNSTABLE
                                     : row > 2 ? MECH_REGION_STABLE
                                               : MECH_REGION_MARGINAL;
            CHECK(r->region[i] == want && r->routh[i] == want);
        }
    }
    mech_map_free(map);
    subject_free(&s);
}

/* The root locus of s^2 + s + k from k = 0 on: 0 and -1 there, although x is a shift at that point only. */
static void locus_through_zero(void)
{
    subject s;
    const double zero[1] = {0};
    const mech_axis k = {"k", 0, 1, 3};
    mech_linear_options at;
    mech_sweep *sweep = NULL;
    mech_linear_options_default(&at, sizeof at);
    at.q = at.v = zero;
    for (int begin = 0; begin < 2; begin++) {
        if (!subject_text(&s, begin ? "param k = 1\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\ndissipation x'^2/2\n"
                                    : "param k = 0\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\ndissipation x'^2/2\n"))
            return;
        CHECK(mech_sweep_create(s.system, s.eval, &at, &k, &sweep) == MECH_OK);
        if (sweep) {
            const mech_sweep_result *r = mech_sweep_get(sweep);
            CHECK(r->modes == 2);
            for (int i = 0; i < 3 && r->modes == 2; i++) { /* s1 + s2 = -1, s1 s2 = k */
                const double *re = r->real + 2 * i, *im = r->imaginary + 2 * i;
                CHECK_NEAR(re[0] + re[1], -1, 1e-12);
                CHECK_NEAR(re[0] * re[1] - im[0] * im[1], 0.5 * i, 1e-12);
            }
        }
        mech_sweep_free(sweep);
        subject_free(&s);
    }
}

/* Bead on a turning hoop: the bottom is lost at Omega^2 = g/R. */
static void bead(void)
{
    subject s;
    const double bottom[2] = {0, -1}, rest[2] = {0};
    const mech_axis omega = {"Omega", 0, 6, 61}, g = {"g", 1, 25, 49};
    if (!subject_text(&s, "param m = 1, R = 1, g = 9.81, Omega = 2\ncoord x, z\nkinetic m/2*(x'^2 + z'^2 + "
                          "(Omega*x)^2)\npotential m*g*z\n"
                          "constraint hoop: x^2 + z^2 = R^2\n"))
        return;
    mech_map *map = map_of(&s, bottom, rest, &omega, &g);
    if (map) {
        const mech_map_result *r = mech_map_get(map);
        CHECK(r->has_routh && r->disagreements == 0);
        for (int j = 0; j < 49; j++)
            for (int i = 0; i < 61; i++) {
                const double w = 0.1 * i, gravity = 1 + 0.5 * j;
                if (fabs(w * w - gravity) < 1e-9) continue; /* on the boundary itself, to the rounding of 0.1 i */
                CHECK(r->region[i + 61 * j] == (w * w > gravity ? MECH_REGION_UNSTABLE : MECH_REGION_MARGINAL));
            }
    }
    mech_map_free(map);
    CHECK_NEAR(mech_eval_equation(s.eval)->p[3], 2, 1e-15); /* parameters are put back */
    mech_sweep *sweep;
    mech_linear_options at;
    mech_linear_options_default(&at, sizeof at);
    at.q = bottom;
    at.v = rest;
    mech_sweep *alone;
    CHECK(mech_sweep_create(s.system, s.eval, &at, &omega, &alone) == MECH_OK);
    at.threads = 3;
    CHECK(mech_sweep_create(s.system, s.eval, &at, &omega, &sweep) == MECH_OK);
    const mech_sweep_result *r = mech_sweep_get(sweep);
    CHECK(r->modes == 2);
    CHECK(same_bytes(r->real, mech_sweep_get(alone)->real, 2 * 61 * sizeof *r->real));
    CHECK(same_bytes(r->imaginary, mech_sweep_get(alone)->imaginary, 2 * 61 * sizeof *r->real));
    mech_sweep_free(alone);
    for (int k = 0; k < 61; k++) {
        const double square = 0.01 * k * k - 9.81;
        CHECK_NEAR(r->real[2 * k], square > 0 ? sqrt(square) : 0, 1e-10);
        CHECK_NEAR(r->imaginary[2 * k], square > 0 ? 0 : sqrt(-square), 1e-10);
    }
    mech_sweep_free(sweep);
    const mech_axis wrong = {"nobody", 0, 1, 5};
    CHECK(mech_sweep_create(s.system, s.eval, &at, &wrong, &sweep) == MECH_ERR_ARGUMENT);
    subject_free(&s);
}

/* x' = A x against cos and sin, with steps that are halved before they are squared and with steps that are not */
static void response(double step)
{
    const double A[4] = {0, -4, 1, 0}, start[2] = {1, 0};
    double x[2 * 101];
    CHECK(mech_linear_response(2, A, start, step, 101, x) == MECH_OK);
    for (int k = 0; k < 101; k++) {
        CHECK_NEAR(x[2 * k], cos(2 * step * k), 1e-13);
        CHECK_NEAR(x[2 * k + 1], -2 * sin(2 * step * k), 1e-13);
    }
}

/* A well that moves with b while a slope, too steep at 3 of the points for any rest, lies in the way of the walk along
   the present a: beyond it the well is out of reach, but not from points beside. */
static void gap(void)
{
    subject s;
    const double zero[1] = {0};
    const mech_axis a = {"a", -1, 1, 21}, b = {"b", 0, 1, 21};
    if (!subject_text(&s, "param a = -1, b = 0\ncoord x\nkinetic x'^2/2\n"
                          "potential -exp(-(x - 10*b)^2) + x*exp(-30*((a + 1)^2 + (b - 1/2)^2))\n"))
        return;
    mech_map *map = map_of(&s, zero, zero, &a, &b);
    for (int j = 0; map && j < 21; j++)
        for (int i = 0; i < 21; i++) {
            const double slope = exp(-30 * (pow(0.1 * i, 2) + pow(0.05 * j - 0.5, 2)));
            CHECK((mech_map_get(map)->region[i + 21 * j] == MECH_REGION_NONE) == (slope > sqrt(2 / exp(1))));
        }
    if (map) CHECK(mech_map_get(map)->counts[MECH_REGION_NONE] == 3);
    mech_map_free(map);
    subject_free(&s);
}

/* y'' = -b y + x beside x'' = -a x: (s^2 + a)(s^2 + b), with y growing like t sin(t) where a = b. */
static void defective(void)
{
    subject s;
    const double zero[2] = {0};
    const mech_axis a = {"a", 1, 3, 3}, b = {"b", 2, 4, 3};
    if (!subject_text(&s, "param a = 1, b = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential (a*x^2 + b*y^2)/2\n"
                          "force x on y'\n"))
        return;
    mech_map *map = map_of(&s, zero, zero, &a, &b);
    if (map) {
        const mech_map_result *r = mech_map_get(map);
        CHECK(r->counts[MECH_REGION_MARGINAL] == 9 && r->disagreements == 0);
        CHECK(r->defective == 2); /* at 2 and at 3 */
    }
    mech_map_free(map);
    subject_free(&s);
}

static mech_linear_options followed_from(const double *q, const double *begin)
{
    static const double rest[2];
    mech_linear_options at;
    mech_linear_options_default(&at, sizeof at);
    CHECK(!at.begin);
    at.q = q;
    at.v = rest;
    at.begin = begin;
    return at;
}

/* A bead on a hoop that turns at w, with gravity 20: s^2 + s + 20 - w^2 at the bottom; where w^2 > 20 also
   s^2 + s + w^2 - 400/w^2, where cos(th) = 20/w^2. */
static const char turning_hoop[] = "param w = %g, c = 1\ncoord th\nkinetic (th'^2 + w^2*sin(th)^2)/2\n"
                                   "potential -20*cos(th)\ndissipation c*th'^2/2\nguess th = 1\n";

/* The tilted equilibrium is followed up from the present value, though the bottom is all that there is at the point
   nearest to it; a map goes in the same way along both of its axes. */
static void from_the_present_value(void)
{
    char text[300];
    subject s;
    mech_sweep *sweep = NULL;
    mech_map *map = NULL;
    const double tilted[1] = {acos(0.8)}, begin[2] = {(double)NAN, (double)NAN};
    const mech_axis w = {"w", 2, 8, 4}, c = {"c", 0.7, 1.2, 2};
    mech_linear_options at = followed_from(tilted, begin);
    snprintf(text, sizeof text, turning_hoop, 5.0);
    if (!subject_text(&s, text)) return;
    CHECK(mech_sweep_create(s.system, s.eval, &at, &w, &sweep) == MECH_OK);
    if (sweep) {
        const mech_sweep_result *r = mech_sweep_get(sweep);
        CHECK(r->modes == 2 && r->order == 2 && r->others == 0);
        for (int k = 0; k < 4; k++) {
            const double square = pow(2 + 2 * k, 2), is_tilted = square > 20;
            const double product = is_tilted ? square - 400 / square : 20 - square;
            const double *re = r->real + 2 * k, *im = r->imaginary + 2 * k;
            CHECK_NEAR(re[0] * re[1] - im[0] * im[1], product, 1e-9);
            CHECK_NEAR(fabs(r->state[2 * k]), is_tilted ? acos(20 / square) : 0, 1e-9);
            CHECK(r->other[k] == 0);
        }
    }
    mech_sweep_free(sweep);
    for (int turned = 0; turned < 2; turned++) {
        CHECK(mech_map_create(s.system, s.eval, NULL, &at, turned ? &c : &w, turned ? &w : &c, &map) == MECH_OK);
        if (map) CHECK(mech_map_get(map)->counts[MECH_REGION_STABLE] == 8 && mech_map_get(map)->others == 0);
        mech_map_free(map);
    }
    subject_free(&s);
}

/* The bottom is followed to where a search from the guess finds the other one: such points are told, unless the search
   is asked to begin at the bottom, or nobody asks for it. */
static void another_equilibrium(void)
{
    char text[300];
    subject s;
    const double bottom[1] = {0}, guess[2] = {(double)NAN, (double)NAN}, zero[2] = {0};
    const double *const begins[3] = {guess, zero, NULL};
    const mech_axis w = {"w", 2, 8, 4}, c = {"c", 1, 2, 2};
    snprintf(text, sizeof text, turning_hoop, 3.0);
    if (!subject_text(&s, text)) return;
    for (int i = 0; i < 3; i++)
        for (size_t threads = 1; threads < 4; threads++) {
            mech_sweep *sweep = NULL;
            mech_map *map = NULL;
            mech_linear_options at = followed_from(bottom, begins[i]);
            at.threads = threads;
            CHECK(mech_sweep_create(s.system, s.eval, &at, &w, &sweep) == MECH_OK);
            CHECK(mech_map_create(s.system, s.eval, s.model, &at, &w, &c, &map) == MECH_OK);
            if (!sweep || !map) return;
            const mech_sweep_result *r = mech_sweep_get(sweep);
            const mech_map_result *m = mech_map_get(map);
            CHECK(r->others == (i == 0 ? 2 : 0) && m->others == (i == 0 ? 4 : 0) && m->disagreements == 0);
            CHECK(!r->other == !begins[i] && !m->other == !begins[i]);
            for (int k = 0; k < 8; k++) {
                const int is_fast = k % 4 >= 2;
                CHECK(m->region[k] == (is_fast ? MECH_REGION_UNSTABLE : MECH_REGION_STABLE));
                CHECK(m->state[2 * k] == 0 && r->state[2 * (k % 4)] == 0);
                if (i == 0) CHECK(m->other[k] == is_fast && r->other[k % 4] == is_fast);
            }
            mech_sweep_free(sweep);
            mech_map_free(map);
        }
    subject_free(&s);
}

/* Wells at -1 and 1 by one shape: another equilibrium of the same modes contradicts nobody. */
static void another_alike(void)
{
    subject s;
    mech_sweep *sweep = NULL;
    const double left[1] = {-1}, begin[2] = {1, 0};
    const mech_axis k = {"k", 1, 2, 3};
    const mech_linear_options at = followed_from(left, begin);
    if (!subject_text(&s, "param k = 1\ncoord x\nkinetic x'^2/2\npotential k*(x^2 - 1)^2/8\n")) return;
    CHECK(mech_sweep_create(s.system, s.eval, &at, &k, &sweep) == MECH_OK);
    if (sweep) CHECK(mech_sweep_get(sweep)->others == 0 && fabs(mech_sweep_get(sweep)->state[0] + 1) < 1e-9);
    mech_sweep_free(sweep);
    subject_free(&s);
}

/* Wells at x = -1 and 1 of curvatures k and 4 k, beside y of curvature k: the modes of the left well are all among
   those of the right one, which has another beside them. From either side the other well is told. */
static void another_with_more(void)
{
    subject s;
    const double well[2][4] = {{-1, 0}, {1, 0}};
    const mech_axis k = {"k", 1, 2, 3};
    if (!subject_text(&s, "param k = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                          "potential k*(5*(x^4/4 - x^2/2) + 3*(x^5/5 - x^3/3) + 2*y^2)/4\n"))
        return;
    for (int i = 0; i < 2; i++) {
        mech_sweep *sweep = NULL;
        const mech_linear_options at = followed_from(well[i], well[1 - i]);
        CHECK(mech_sweep_create(s.system, s.eval, &at, &k, &sweep) == MECH_OK);
        if (sweep) CHECK(mech_sweep_get(sweep)->others == 3);
        if (sweep) CHECK(fabs(mech_sweep_get(sweep)->state[0] - well[i][0]) < 1e-9);
        mech_sweep_free(sweep);
    }
    subject_free(&s);
}

/* A well that moves out of reach from value to value, and the guess with it. */
static void none_followed(void)
{
    subject s;
    mech_sweep *sweep = NULL;
    const double zero[1] = {0}, begin[2] = {(double)NAN, (double)NAN};
    const mech_axis b = {"b", 0, 1, 3};
    const mech_linear_options at = followed_from(zero, begin);
    if (!subject_text(&s, "param b = 0\ncoord x\nkinetic x'^2/2\npotential -exp(-(x - 10*b)^2)\nguess x = 10*b\n"))
        return;
    CHECK(mech_sweep_create(s.system, s.eval, &at, &b, &sweep) == MECH_OK);
    const mech_sweep_result *r = sweep ? mech_sweep_get(sweep) : NULL;
    for (int k = 0; r && k < 3; k++) {
        CHECK(isnan(r->real[2 * k]) == (k > 0) && isnan(r->state[2 * k]) == (k > 0));
        CHECK(r->other[k] == (k > 0));
    }
    mech_sweep_free(sweep);
    subject_free(&s);
}

/* Both axes are looked at: an unknown parameter, the same one twice, a single point. */
static void refuses_axes(void)
{
    subject s;
    mech_map *map = NULL;
    mech_linear_options at;
    const double zero[1] = {0};
    const mech_axis k = {"k", 1, 2, 3}, c = {"c", 1, 2, 3}, unknown = {"nobody", 1, 2, 3}, none = {"c", 1, 2, 0};
    if (!subject_text(&s, "param k = 1, c = 1\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\nforce -c*x' on x'\n"))
        return;
    mech_linear_options_default(&at, sizeof at);
    at.q = at.v = zero;
    const mech_axis *const pairs[][2] = {{&unknown, &k}, {&k, &unknown}, {&none, &k}, {&k, &none}, {&k, &k}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        CHECK(mech_map_create(s.system, s.eval, s.model, &at, pairs[i][0], pairs[i][1], &map) == MECH_ERR_ARGUMENT);
        CHECK(!map);
        mech_map_free(map);
    }
    CHECK(mech_map_create(s.system, s.eval, s.model, &at, &k, &c, &map) == MECH_OK);
    mech_map_free(map);
    subject_free(&s);
}

int main(void)
{
    refuses_axes();
    from_the_present_value();
    another_equilibrium();
    another_alike();
    another_with_more();
    none_followed();
    defective();
    gap();
    hoop(0);
    no_mass();
    shifts(0);
    shifts(1);
    locus_through_zero();
    hoop(1);
    bead();
    response(0.1);
    response(0.01);
    return check_report();
}
