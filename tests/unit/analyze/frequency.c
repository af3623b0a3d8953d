/* From an input to outputs beside closed forms: m x'' + c x' + k x = u. */
#include "check.h"

#include <mech/analyze.h>
#include <mech/lang.h>

static const double c = 0.2, k = 4;

static void over_frequency(const mech_linear_result *l)
{
    for (double w = 0.01; w < 100; w *= 1.3) {
        double re[2], im[2];
        CHECK(mech_linear_frequency(l, w, re, im) == MECH_OK);
        const double a = k - w * w, b = c * w, size = a * a + b * b; /* y = 1/(a + i b) */
        CHECK_NEAR(re[0], a / size, 1e-12);
        CHECK_NEAR(im[0], -b / size, 1e-12);
        CHECK_NEAR(re[1], (k * a + b * b) / size, 1e-12); /* f = (k + i c w) y */
        CHECK_NEAR(im[1], (b * a - k * b) / size, 1e-12);
    }
}

static void after_a_step(const mech_linear_result *l)
{
    enum { POINTS = 200 };
    double y[2 * POINTS];
    const double dt = 0.1, d = c / 2, w = sqrt(k - d * d);
    CHECK(mech_linear_step(l, dt, POINTS, y) == MECH_OK);
    for (int i = 0; i < POINTS; i++) {
        const double t = dt * i;
        CHECK_NEAR(y[2 * i], (1 - exp(-d * t) * (cos(w * t) + d / w * sin(w * t))) / k, 1e-12);
    }
}

/* Amplitude and phase beside 1/(a + i b) and (k + i c w)/(a + i b), at the frequencies that are proposed: they reach
   far to both sides of the resonance, and meet it. */
static void proposed(const mech_linear_result *l)
{
    double omega[2000], amplitude[4000], phase[4000], until, nearest = 1;
    const size_t most = mech_linear_frequencies(l, NULL), count = mech_linear_frequencies(l, omega);
    CHECK(count <= most && most < 2000 && count > 400);
    CHECK(mech_linear_bode(l, omega, count, amplitude, phase) == MECH_OK);
    for (size_t i = 0; i < count; i++) {
        const double w = omega[i], a = k - w * w, b = c * w, lag = atan2(b, a);
        CHECK(i == 0 || w >= omega[i - 1]);
        CHECK_NEAR(amplitude[2 * i] * hypot(a, b), 1, 1e-10);
        CHECK_NEAR(phase[2 * i], -lag * 180 / acos(-1), 1e-8);
        CHECK_NEAR(amplitude[2 * i + 1] * hypot(a, b) / hypot(k, b), 1, 1e-10);
        CHECK_NEAR(phase[2 * i + 1], (atan2(b, k) - lag) * 180 / acos(-1), 1e-8);
        nearest = fmin(nearest, fabs(w - sqrt(k - c * c / 4)));
    }
    CHECK(omega[0] < 0.1 && omega[count - 1] > 40 && nearest < 1e-12);
    /* the mode dies as e^(-t c/2): by e^-6 */
    CHECK(mech_linear_times(l, &until) == 1001);
    CHECK_NEAR(until, 12 / c, 1e-9);
}

int main(void)
{
    static const char text[] =
        "coord x, y\nkinetic (x'^2 + y'^2)/4\nconstraint tie: x = y\npotential (x^2 + y^2)\n"
        "dissipation 0.05*(x'^2 + y'^2)\ninput u = 0\nforce u on x'\noutput p = x, f = 4*x + 0.2*x'\n";
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    const double zero[4] = {0};
    mech_linear_options options;
    mech_linear *linear = NULL;
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_eval *eval = NULL;
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_linear_options_default(&options, sizeof options);
    CHECK(mech_read_text("model", text, sizeof text - 1, NULL, diagnostics, &model) == MECH_OK);
    CHECK(mech_system_create(model, &with, diagnostics, &system) == MECH_OK);
    CHECK(mech_eval_create(system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    options.q = options.v = options.z = zero;
    CHECK(mech_linearize(system, eval, &options, &linear) == MECH_OK);
    over_frequency(mech_linear_get(linear));
    after_a_step(mech_linear_get(linear));
    proposed(mech_linear_get(linear));
    mech_linear_free(linear);
    mech_eval_free(eval);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return check_report();
}
