/* Constraints that move with inputs, and forces by their rates, beside closed forms of transfer functions. */
#include "unit/analyze/helpers.h"

#include <complex.h>
#include <math.h>

enum { MOST = 4 };
typedef void (*transfer)(double complex s, double complex *G);

static void over_frequency(const mech_linear_result *l, transfer of)
{
    for (double w = 0; w<200; w = w> 0 ? 1.3 * w : 0.01) {
        double re[MOST], im[MOST];
        double complex G[MOST];
        of(CMPLX(0, w), G);
        CHECK(mech_linear_frequency(l, w, re, im) == MECH_OK);
        for (int k = 0; k < l->outputs * l->inputs; k++)
            CHECK_NEAR(cabs(CMPLX(re[k], im[k]) - G[k]) / (1 + cabs(G[k])), 0, 1e-12);
    }
}

/* is_proper: outputs after a step are finite. */
static void compare(const char *text, transfer of, int is_proper, int rates)
{
    subject s;
    double y[2 * MOST];
    if (!subject_text(&s, text)) return;
    if (subject_find(&s, NULL, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK(s.l->uses_input_rates == (rates != 0));
        for (int k = 0; k < s.l->inputs; k++) CHECK(s.l->input_rates[k] == (rates >> k & 1));
        over_frequency(s.l, of);
        CHECK(mech_linear_step(s.l, 0.1, 2, y) == (is_proper ? MECH_OK : MECH_ERR_UNSUPPORTED));
    }
    subject_free(&s);
}

#define BASE "coord xb, x\ninput u = 0\nkinetic x'^2/2\npotential 50*(x - xb)^2/2\ndissipation (x' - xb')^2/2\n"

/* x'' + x' + 50 x = u' + 50 u */
static double complex base(double complex s) { return (50 + s) / (50 + s + s * s); }
static void of_base(double complex s, double complex *G)
{
    G[0] = base(s);
    G[1] = 1;
    G[2] = s * base(s);
}
static void of_base_rates(double complex s, double complex *G)
{
    G[0] = s;
    G[1] = s * s * base(s); /* s + 49 - ... : as u' at last */
    G[2] = s * s * (base(s) - 1);
    G[3] = (50 + s) * (base(s) - 1);
}
static void moving_base(void)
{
    static const char *const says[] = {"constraint base: xb = u\n",
                                       "constraint base: xb = u\nconstraint same: 2*xb = 2*u\n"};
    char text[500];
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, BASE "%soutput a = x, b = xb, c = x'\n", says[k]);
        compare(text, of_base, 1, 1);
        snprintf(text, sizeof text, BASE "%soutput a = xb', b = x'', c = x'' - xb'', d = 50*(x - xb) + x' - xb'\n",
                 says[k]);
        compare(text, of_base_rates, 0, 1);
    }
}

/* x is 0 after a step, and x' 1, by the damper: 1 - x swings out. */
static void after_a_step(void)
{
    enum { POINTS = 100 };
    subject s;
    double y[POINTS];
    const double dt = 0.05, a = 0.5, w = sqrt(50 - a * a);
    if (!subject_text(&s, BASE "constraint base: xb = u\noutput y = x\n")) return;
    if (subject_find(&s, NULL, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK(mech_linear_step(s.l, dt, POINTS, y) == MECH_OK);
        for (int k = 0; k < POINTS; k++) {
            const double t = k * dt;
            CHECK_NEAR(y[k], 1 - exp(-a * t) * (cos(w * t) - (1 - a) / w * sin(w * t)), 1e-12);
        }
    }
    subject_free(&s);
}

/* x relative to a frame that u moves, with x'' + x/5 + x = -u'', and from outside. */
static void of_frame(double complex s, double complex *G)
{
    G[0] = -s * s / (s * s + s / 5 + 1);
    G[1] = 1 + G[0];
    G[2] = s * G[1];
}

/* A wedge that u moves along, 2 x'' - u'' + 3 x = 0 on y = x - u; f pushes y: 2 x'' + 3 x = f. z' = -z + u'. */
static void of_wedge(double complex s, double complex *G)
{
    const double complex x = s * s / (2 * s * s + 3), z = s / (s + 1);
    G[0] = x + z;
    G[1] = x - 1;
    G[2] = G[3] = 1 / (2 * s * s + 3);
}

/* A wheel that is driven at the speed u: x' = u, and a block on a damper and a spring with it. */
static void of_wheel(double complex s, double complex *G)
{
    G[0] = 1;
    G[1] = 1 / (s * s + s + 4);
}

/* Both coordinates follow two inputs: x + y = u, x - 2 y = w. */
static void of_two(double complex s, double complex *G)
{
    (void)s;
    G[0] = 2 / 3.0;
    G[1] = 1 / 3.0;
    G[2] = 1 / 3.0;
    G[3] = -1 / 3.0;
}

/* A rod of 2 whose pivot u moves, held aslant, at 30 degrees, by a spring of 3 and a force: with s and c of that angle
   4 d'' + 2 c u'' + (2 g/c + 12 c^2) d + 6 c u = 0. */
static void of_rod(double complex s, double complex *G)
{
    const double c = sqrt(0.75), g = 9.81;
    const double complex d = -(2 * c * s * s + 6 * c) / (4 * s * s + 2 * g / c + 12 * c * c);
    G[0] = 1 + 2 * c * d;
    G[1] = d; /* 2 sin(30 deg) */
}

/* Gains of the excess variables have no part in it. */
static void with_gains(void)
{
    subject s;
    const double B = 20, K = 70, zero[2] = {0};
    if (!subject_text(&s, BASE "constraint base: xb = u\noutput a = x, b = xb, c = x'\n")) return;
    if (subject_linearize(&s, zero, zero, &B, &K)) over_frequency(s.l, of_base);
    subject_free(&s);
}

/* Constraints that have a kink at the value of the input have no derivative by it. */
static void kink(void)
{
    subject s;
    double re, im;
    if (!subject_text(&s, BASE "constraint base: xb = abs(u)\noutput y = x\n")) return;
    if (subject_find(&s, NULL, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK(s.l->input_kinks[0] && s.l->input_rates[0] && isnan(s.l->E2[2]) && isnan(s.l->reduced_E[0]));
        CHECK(mech_linear_frequency(s.l, 1, &re, &im) == MECH_OK && isnan(re));
    }
    subject_free(&s);
}

/* Rows that cannot follow have no answer. */
static void contradiction(void)
{
    subject s;
    double re, im;
    if (!subject_text(&s, BASE "constraint base: xb = u\nconstraint wall: xb = 0\noutput y = x\n")) return;
    if (subject_find(&s, NULL, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK(isnan(s.l->by_input[0]) && isnan(s.l->reduced_E[0]));
        CHECK(mech_linear_frequency(s.l, 1, &re, &im) == MECH_OK && isnan(re));
    }
    subject_free(&s);
}

int main(void)
{
    moving_base();
    after_a_step();
    compare("coord x\ninput u = 0\nkinetic (x' + u')^2/2\npotential x^2/2\ndissipation x'^2/10\n"
            "output a = x, b = x + u, c = x' + u'\n",
            of_frame, 1, 1);
    compare("coord x, y\ninput u = 0\ninput f = 0\nstate z: z' = -z + u'\nkinetic (x'^2 + y'^2)/2\npotential 3*x^2/2\n"
            "constraint wedge: y = x - u\nforce f on y'\noutput a = x + z, b = y\n",
            of_wedge, 1, 1);
    compare("coord x, r\ninput u = 0\nkinetic x'^2/2 + r'^2/2\npotential 2*r^2\ndissipation (r' - x')^2/2\n"
            "constraint drive: x' = u\noutput a = x', b = r\n",
            of_wheel, 1, 1);
    compare(
        "coord x, y\ninput u = 0\ninput w = 0\nkinetic x'^2 + y'^2\nconstraint a: x + y = u\nconstraint b: x - 2*y = w\n"
        "output a = x, b = y\n",
        of_two, 1, 3);
    compare("param g = 9.81\ncoord x, y\ninput u = 0\nkinetic (x'^2 + y'^2)/2\n"
            "potential g*y + 3*x^2/2 - (3 + g/sqrt(3))*x\nconstraint rod: (x - u)^2 + y^2 = 4\n"
            "initial x = 1\nguess y = -1.7\noutput a = x, b = y\n",
            of_rod, 1, 1);
    with_gains();
    kink();
    contradiction();
    return check_report();
}
