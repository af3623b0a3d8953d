/* Routh's array in symbols, against hand calculation and document 002. */
#include "unit/analyze/helpers.h"

#include <mech/output.h>

#define HOOP(sign)                                                                                                     \
    "param m = 2, r = 0.2, R = 1, g = 9.8\nlet rho = R + r\ncoord theta, phi\n"                                        \
    "kinetic m/2*((rho*theta')^2 + (r*phi')^2)\npotential " sign "m*g*rho*cos(theta)\n"                                \
    "constraint rolling: r*phi = rho*theta\n"

static mech_symbolic *symbolic(const subject *s, const double *q, const double *v, const char *const *symbols,
                               size_t count)
{
    mech_symbolic_options o;
    mech_symbolic *result = NULL;
    mech_symbolic_options_default(&o, sizeof o);
    o.q = q;
    o.v = v;
    o.symbols = symbols;
    o.symbol_count = count;
    const mech_status status = mech_symbolic_create(s->model, &o, &result);
    if (status != MECH_OK) fprintf(stderr, "symbolic: %s\n", mech_status_text(status));
    CHECK(status == MECH_OK);
    return result;
}

/* (s^2 + B s + K)(s^2 - g/(2 rho)) at the top: a zero row, unstable; with gravity turned: marginal */
static void hoop(void)
{
    static const char *const gains[] = {"K", "B"}, *const more[] = {"K", "B", "g"};
    const double zero[2] = {0};
    subject s;
    if (!subject_text(&s, HOOP(""))) return;
    mech_symbolic *y = symbolic(&s, zero, zero, gains, 2);
    if (y) {
        const mech_symbolic_result *r = mech_symbolic_get(y);
        CHECK(r->is_exact && r->holds && r->is_full && r->degree == 4 && r->factor_count == 2);
        CHECK_TEXT(r->factors[0][0], "s^2 + B*s + K");
        CHECK_TEXT(r->factors[0][1], "s^2 - 49/12");
        CHECK_TEXT(r->polynomial[0], "s^4 + B*s^3 + (K - 49/12)*s^2 - 49/12*B*s - 49/12*K");
        CHECK(r->row_kind[3] == MECH_ROUTH_ZERO_ROW && r->never);
        CHECK_TEXT(r->array[0][2 * 3], "K");
        CHECK_TEXT(r->why_never[0], "s^2 - 49/12");
        mech_routh *routh;
        CHECK(mech_symbolic_routh(y, NULL, &routh) == MECH_OK);
        CHECK(mech_routh_get(routh)->verdict == MECH_VERDICT_UNSTABLE && mech_routh_get(routh)->right == 1 &&
              mech_routh_get(routh)->left == 3);
        mech_routh_free(routh);
    }
    mech_symbolic_free(y);
    y = symbolic(&s, zero, zero, more, 3);
    if (y) {
        CHECK_TEXT(mech_symbolic_get(y)->factors[0][1], "s^2 - 5/12*g");
    }
    mech_symbolic_free(y);
    subject_free(&s);
    if (!subject_text(&s, HOOP("-"))) return;
    y = symbolic(&s, zero, zero, gains, 2);
    if (y) {
        mech_routh *routh;
        CHECK_TEXT(mech_symbolic_get(y)->factors[0][1], "s^2 + 49/12");
        CHECK(mech_symbolic_routh(y, NULL, &routh) == MECH_OK);
        const mech_routh_result *r = mech_routh_get(routh);
        CHECK(r->verdict == MECH_VERDICT_MARGINAL && r->axis == 2 && r->left == 2 &&
              r->row_kind[3] == MECH_ROUTH_ZERO_ROW);
        mech_routh_free(routh);
    }
    mech_symbolic_free(y);
    subject_free(&s);
}

/* A mass on a spring with a delayed damper: s^3 + ... and Routh's one condition that is not a coefficient. */
static void third_order(void)
{
    static const char *const symbols[] = {"k", "c", "T", "m"};
    const double zero[1] = {0};
    subject s;
    if (!subject_text(&s, "param m = 2, k = 3, c = 1, T = 0.1\ncoord x\nstate f: f' = (c*x' - f)/T\nkinetic m/2*x'^2\n"
                          "potential k/2*x^2\nforce -f on x'\n"))
        return;
    mech_symbolic *y = symbolic(&s, zero, zero, symbols, 4);
    if (y) {
        const mech_symbolic_result *r = mech_symbolic_get(y);
        /* m T s^3 + m s^2 + (k T + c) s + k: c m > 0 beside the coefficients */
        CHECK(r->degree == 3 && r->is_exact && !r->never);
        const double stable[4] = {3, 1, 0.1, 2}, unstable[4] = {3, -1, 0.1, 2};
        int good = 1, bad = 1;
        for (int k = 0; k < r->condition_count; k++) {
            good = good && mech_symbolic_condition(y, k, stable) > 0;
            bad = bad && mech_symbolic_condition(y, k, unstable) > 0;
        }
        CHECK(good && !bad);
    }
    mech_symbolic_free(y);
    subject_free(&s);
}

/* The rolling disc, its spin w a symbol and phi, x counted from the steady run: six zeros and s^2 + 12/5 w^2
 * - 4/5. */
static void rolling_disk(void)
{
    static const char *const symbols[] = {"w"};
    subject s;
    if (!subject_text(&s,
                      "param m = 1, r = 1, g = 1, w = 1.5\ncoord psi, theta, phi, x, y\n"
                      "let X = x + r*w*t\nlet lean = rotz(psi)*rotx(theta)\nlet centre = [X, y, 0] + r*lean*[0, 0, 1]\n"
                      "let u = [theta', w + phi' + psi'*sin(theta), psi'*cos(theta)]\n"
                      "kinetic m/2*dot(centre', centre') + m*r^2/8*(u[1]^2 + 2*u[2]^2 + u[3]^2)\npotential "
                      "m*g*centre[3]\n"
                      "constraint rolling: [X', y'] = r*(w + phi')*[cos(psi), sin(psi)]\n"))
        return;
    const double zero[5] = {0};
    mech_symbolic *y = symbolic(&s, zero, zero, symbols, 1);
    if (y) {
        CHECK_TEXT(mech_symbolic_get(y)->polynomial[0], "s^8 + (12/5*w^2 - 4/5)*s^6");
    }
    mech_symbolic_free(y);
    subject_free(&s);
}

/* Bead on a turning hoop in the rotating frame: s^2 + g/R - Omega^2 below, with a redundant row. */
static void bead(void)
{
    static const char *const symbols[] = {"Omega", "g"};
    const double bottom[2] = {0, -1}, rest[2] = {0};
    subject s;
    if (!subject_text(&s,
                      "param m = 1, R = 1, g = 9.81, Omega = 5\ncoord x, z\nkinetic m/2*(x'^2 + z'^2 + (Omega*x)^2)\n"
                      "potential m*g*z\nconstraint hoop: x^2 + z^2 = R^2\nconstraint again: x^2 + z^2 = R^2\n"))
        return;
    mech_symbolic *y = symbolic(&s, bottom, rest, symbols, 2);
    if (y) {
        const mech_symbolic_result *r = mech_symbolic_get(y);
        CHECK_TEXT(r->polynomial[0], "s^2 - Omega^2 + g");
        CHECK(r->holds && r->is_exact);
    }
    mech_symbolic_free(y);
    const double aside[2] = {0.9198, -0.3924};
    static const char *const omega[] = {"Omega"};
    y = symbolic(&s, aside, rest, omega, 1); /* this equilibrium moves with Omega */
    if (y) CHECK(!mech_symbolic_get(y)->holds);
    mech_symbolic_free(y);
    subject_free(&s);
}

static void four_bar(void)
{
    static const char *const symbols[] = {"c"};
    subject s;
    if (!subject_file(&s, "examples/four-bar-spring/model.mech") || !subject_find(&s, NULL, NULL)) return;
    mech_symbolic *y = symbolic(&s, s.e->q, s.e->v, symbols, 1);
    if (y) {
        const mech_symbolic_result *r = mech_symbolic_get(y);
        CHECK(!r->is_exact && r->degree == 2);
        mech_routh *routh;
        CHECK(mech_symbolic_routh(y, NULL, &routh) == MECH_OK);
        CHECK_NEAR(mech_routh_get(routh)->array[1] / mech_routh_get(routh)->array[0], 0.807952697701683655 * 0.6, 1e-9);
        CHECK_NEAR(mech_routh_get(routh)->array[2] / mech_routh_get(routh)->array[0], 7.68752490594740848 * 0.6, 1e-9);
        mech_routh_free(routh);
    }
    mech_symbolic_free(y);
    subject_free(&s);
}

/* Ziegler's column, masses 2m and m: 2 s^4 + (7 k - 2 P l) s^2 + k^2 without damping, so flutter at
   P l/k = 7/2 - sqrt 2; with equal dampers c at m = l = k = 1 the limit is 41/28 + c^2/2. */
static void ziegler(void)
{
    static const char *const load[] = {"P"}, *const both[] = {"P", "c"};
    const double zero[2] = {0};
    subject s;
    mech_read_options o;
    const mech_override none = {"c", 0};
    mech_read_options_default(&o, sizeof o);
    o.overrides = &none;
    o.override_count = 1;
    s = (subject){.diagnostics = mech_diagnostics_create()};
    if (!subject_open(&s, mech_read_file("examples/ziegler-column/model.mech", &o, s.diagnostics, &s.model))) return;
    mech_symbolic *y = symbolic(&s, zero, zero, load, 1);
    if (y) {
        const mech_symbolic_result *r = mech_symbolic_get(y);
        const double limit = 3.5 - sqrt(2), below[] = {limit - 1e-9}, above[] = {limit + 1e-9};
        CHECK(r->is_exact && r->holds && r->never && r->marginal_count == 2);
        CHECK_TEXT(r->polynomial[0], "s^4 + (-P + 7/2)*s^2 + 1/2");
        CHECK_TEXT(r->marginal[0][0], "-2*P + 7");
        CHECK_TEXT(r->marginal[0][1], "4*P^2 - 28*P + 41");
        CHECK(mech_symbolic_condition(y, 1, below) > 0 && mech_symbolic_condition(y, 1, above) < 0);
    }
    mech_symbolic_free(y);
    y = symbolic(&s, zero, zero, both, 2);
    if (y) {
        const mech_symbolic_result *r = mech_symbolic_get(y);
        CHECK(r->condition_count == 3 && !r->never);
        CHECK_TEXT(r->conditions[0][2], "-28*P + 14*c^2 + 41");
    }
    mech_symbolic_free(y);
    subject_free(&s);
}

/* A sleeping top stands while (C spin)^2 > 4 A m g l. The velocity that `steady` prescribes is a symbol too.
 */
static void sleeping_top(void)
{
    static const char *const symbols[] = {"spin", "l"};
    const double zero[3] = {0}, v[3] = {0, 0, 120};
    subject s;
    if (!subject_file(&s, "examples/sleeping-top/model.mech")) return;
    mech_symbolic *y = symbolic(&s, zero, v, symbols, 2);
    if (y) {
        const mech_symbolic_result *r = mech_symbolic_get(y);
        CHECK(r->is_exact && r->holds && r->never && r->marginal_count == 2);
        CHECK_TEXT(r->marginal[0][1], "spin^2 - 117720*l"); /* 4 A m g / C^2 = 117720 */
    }
    mech_symbolic_free(y);
    /* another velocity than the one prescribed stays a number, and the point is no steady motion of all spins
     */
    const double slow[3] = {0, 0, 100};
    y = symbolic(&s, zero, slow, symbols, 1);
    if (y) CHECK(!mech_symbolic_get(y)->holds);
    mech_symbolic_free(y);
    subject_free(&s);
}

/* Four masses in a ring: in two symbols array and conditions grow without bound, the polynomial does not. Its
   coefficients at the present values are those that numpy.poly gives for the 8 x 8 matrix. */
static void too_large_an_array(void)
{
    static const char *const names[] = {"k", "c"};
    static const double want[] = {1,
                                  1.1553305421402436,
                                  16.3107640613173,
                                  11.812377481411396,
                                  84.19569241025204,
                                  31.78275992640353,
                                  153.45368976538919,
                                  14.213515874235302,
                                  60.5828633414885};
    const double zero[4] = {0};
    subject s;
    if (!subject_text(
            &s,
            "param k = 2.3, c = 0.17\ncoord x, y, z, w\nkinetic (x'^2 + 1.13*y'^2 + 1.26*z'^2 + 1.39*w'^2)/2\n"
            "potential k*((x - 0.7*y)^2 + (y - 0.8*z)^2 + (z - 0.9*w)^2 + (w - x)^2)/2 + x^2/2 + y^2/3 + z^2/4 + w^2/5\n"
            "dissipation c*((x' - y')^2 + (y' - z')^2 + (z' - w')^2 + (w' - x')^2)/2\n"))
        return;
    mech_symbolic *y = symbolic(&s, zero, zero, names, 2);
    if (y) {
        const mech_symbolic_result *r = mech_symbolic_get(y);
        CHECK(r->is_cut && r->degree == 8 && r->rows == 0 && r->condition_count == 0 && r->is_exact && r->asked == 2);
        mech_routh *routh;
        CHECK(mech_symbolic_routh(y, NULL, &routh) == MECH_OK);
        const mech_routh_result *array = mech_routh_get(routh);
        for (int k = 0; k <= 8; k++) CHECK_NEAR(array->array[k % 2 + k / 2 * array->rows], want[k], 1e-12 * want[k]);
        CHECK(array->left == 8);
        mech_routh_free(routh);
    }
    mech_symbolic_free(y);
    subject_free(&s);
}

/* The report compares the array it shows with the modes it shows: those of another system are noticed, by their number
   and by their sides. */
static void reports_compare(void)
{
    static const char *const texts[] = {
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2 + y^2/2\ndissipation x'^2/2 + y'^2/2\n",
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2 - y^2/2\ndissipation x'^2/2 + y'^2/2\n",
        "coord x\nkinetic x'^2/2\npotential x^2\ndissipation x'^2/2\n"};
    const double zero[2] = {0};
    subject s;
    if (!subject_text(&s, texts[0]) || !subject_linearize(&s, zero, zero, NULL, NULL)) return;
    for (int k = 0; k < 3; k++) {
        subject other;
        mech_routh *routh = NULL;
        char *text = NULL;
        if (!subject_text(&other, texts[k])) return;
        mech_symbolic *y = symbolic(&other, zero, zero, NULL, 0);
        CHECK(y && mech_symbolic_routh(y, NULL, &routh) == MECH_OK);
        CHECK(y && mech_report_stability(s.system, s.l, routh, mech_symbolic_get(y), "", MECH_REPORT_TEXT, &text) ==
                       MECH_OK);
        CHECK(text && !strstr(text, "DISAGREE") == (k == 0) && !strstr(text, "Routh agree") == (k > 0));
        mech_text_free(text);
        mech_routh_free(routh);
        mech_symbolic_free(y);
        subject_free(&other);
    }
    subject_free(&s);
}

int main(void)
{
    too_large_an_array();
    reports_compare();
    hoop();
    third_order();
    rolling_disk();
    bead();
    four_bar();
    ziegler();
    sleeping_top();
    return check_report();
}
