/* Loops that sample: eigenvalues over one period beside those of the hold equivalent, by scipy 1.10:
   [Ad Bd; 0 1] = expm([A B; 0 0] T), eigvals(Ad - Bd K), A and B of the cart-pole by hand. */
#include <mech/analyze.h>
#include <mech/lang.h>

#include "check.h"

#define PLANT "param M = 1, m = 0.1, l = 0.5, g = 9.81, T = 0.02\nparam k[1..4] = [-8.489, -53.212, -8.979, -11.948]\n"

/* In two coordinates; and with the bob in the plane, held by the rod: the same motion on a constraint. */
static const char *const plants[] = {
    PLANT "coord x, theta\nkinetic (M + m)/2*x'^2 + m*l*cos(theta)*x'*theta' + m/2*l^2*theta'^2\n"
          "potential m*g*l*cos(theta)\nlet tilt = theta\n",
    PLANT "coord x, b, h\nkinetic M/2*x'^2 + m/2*(b'^2 + h'^2)\npotential m*g*h\n"
          "constraint rod: (b - x)^2 + h^2 = l^2\nguess h = l\ninitial h = l\nlet tilt = atan2(b - x, h)\n"};

static const char *const laws[] = {
    "sampled u = 0\nevery T { set u = -(k[1]*x + k[2]*tilt + k[3]*x' + k[4]*tilt') }\nforce u on x'\n",
    "sampled u = 0, e = 0\nevery T { set u = -(k[1]*x + k[2]*tilt + k[3]*x' + k[4]*tilt') - e; set e = e + T*x }\n"
    "force u on x'\n",
    /* the same in two blocks of one instant: the second sees what the first has set, so it keeps the old sum aside */
    "sampled u = 0, e = 0, old = 0\nevery T { set old = e; set e = e + T*x }\n"
    "every T { set u = -(k[1]*x + k[2]*tilt + k[3]*x' + k[4]*tilt') - old }\nforce u on x'\n"};

static const double expected[][6][2] = {{{0.9588452392952024, 0.027947356111080946},
                                         {0.9588452392952024, -0.027947356111080946},
                                         {0.9328738418134874, 0},
                                         {0.8394680572345498, 0},
                                         {0, 0}},
                                        {{1.0021087796608878, 0},
                                         {0.9590922225137131, 0.03165086234322633},
                                         {0.9590922225137131, -0.03165086234322633},
                                         {0.9308909320092197, 0},
                                         {0.8388482209409064, 0},
                                         {0, 0}}};

/* At rest upright, all 0 but what the plant's guess says. */
static mech_status sampled_of(const char *text, mech_sampled_reading how, const char **why, mech_sampled **sampled)
{
    mech_read_options read;
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_eval *eval = NULL;
    mech_linear *linear = NULL;
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    mech_read_options_default(&read, sizeof read);
    read.sampled = how;
    mech_status status = mech_read_text("test", text, strlen(text), &read, diagnostics, &model);
    if (status == MECH_OK) status = mech_system_create(model, &with, diagnostics, &system);
    if (status == MECH_OK) status = mech_eval_create(system, MECH_STORAGE_DENSE, &eval);
    CHECK(status == MECH_OK);
    double q[3] = {0, 0, 0.5}, v[3] = {0}, z[8] = {0};
    mech_linear_options o;
    mech_linear_options_default(&o, sizeof o);
    o.q = q, o.v = v, o.z = z;
    o.why = why;
    if (status == MECH_OK) status = mech_linearize(system, eval, &o, &linear);
    if (status == MECH_OK) status = mech_sampled_create(system, eval, mech_linear_get(linear), why, sampled);
    mech_linear_free(linear);
    mech_eval_free(eval);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return status;
}

static void cart_poles(void)
{
    for (size_t p = 0; p < 2; p++)
        for (size_t c = 0; c < 3; c++) {
            char text[1500];
            mech_sampled *s = NULL;
            snprintf(text, sizeof text, "%s%s", plants[p], laws[c]);
            CHECK(sampled_of(text, MECH_SAMPLED_RELAXED, NULL, &s) == MECH_OK);
            if (!s) continue;
            const mech_sampled_result *r = mech_sampled_get(s);
            const int count = c == 0 ? 5 : 6;
            CHECK(r->count == count + (c == 2) && r->period == 0.02);
            CHECK(r->outside == (c > 0) && r->circle == 0);
            for (int k = 0; k < count; k++) {
                double nearest = 9;
                for (int j = 0; j < r->count; j++)
                    nearest = fmin(nearest, hypot(r->real[j] - expected[c > 0][k][0],
                                                  fabs(r->imaginary[j]) - fabs(expected[c > 0][k][1])));
                CHECK_NEAR(nearest, 0, k + 1 == count ? 1e-7 : 1e-12); /* zeros may be a chain */
            }
            mech_sampled_free(s);
        }
}

/* Loops that are late by whole samples, beside numpy's eigenvalues of matrices written by hand: x[n+1] = A x[n] + B
   u[n-2]; and u[n] = -3 x[n-3] - 2 v[n-1] - u[n-1]/10. */
static void delays(void)
{
    static const struct {
        const char *text;
        double size[7];
        int count; /* that are not 0 */
    } cases[] = {
        {"param P = 0.1\ncoord x\nkinetic x'^2/2\nsampled u = 0\nforce delay(u, 2*P) on x'\n"
         "every P { set u = -3*x - 2*x' }\n",
         {0.916805565551595, 0.916805565551595, 0.5871701195037786, 0.37484636147390993},
         4},
        {"param P = 0.1\ncoord x\nkinetic x'^2/2\nsampled u = 0\nforce u on x'\n"
         "every P { set u = -3*delay(x, 3*P) - 2*delay(x', P) - 0.1*delay(u, P) }\n",
         {0.95157511169324549, 0.95157511169324549, 0.29912721546145399, 0.29912721546145399, 0.18513701338365368},
         5},
    };
    for (size_t k = 0; k < 2; k++) {
        mech_sampled *s = NULL;
        CHECK(sampled_of(cases[k].text, MECH_SAMPLED_RELAXED, NULL, &s) == MECH_OK);
        if (!s) continue;
        const mech_sampled_result *r = mech_sampled_get(s);
        CHECK(r->outside == 0 && r->circle == 0 && r->count > cases[k].count);
        for (int i = 0; i < r->count; i++)
            CHECK_NEAR(hypot(r->real[i], r->imaginary[i]), cases[k].size[i < 6 ? i : 6],
                       i < cases[k].count ? 1e-12 : 1e-7); /* zeros may be a chain */
        mech_sampled_free(s);
    }
}

static void refusals(void)
{
    static const char *const texts[] = {
        "coord x\nkinetic x'^2\nsampled u = 0, w = 0\nevery 1 { set u = -x }\nevery 2 { set w = x }\nforce u + w on x'\n",
        "coord x\nkinetic x'^2\nsampled u = 0, w = 0\nevery 1 { set u = -x }\nevery 1 from 1/2 { set w = x }\n"
        "force u + w on x'\n",
        "coord x, y\nkinetic x'^2 + y'^2\nsampled u = 0\nevery 1 { set u = -x }\nconstraint c: y' = u\n",
        "coord x\nkinetic x'^2\nforce -x on x'\n", "coord x\nkinetic x'^2\nforce -delay(x, 1) on x'\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *why = NULL;
        mech_sampled *s = NULL;
        CHECK(sampled_of(texts[i], MECH_SAMPLED_RELAXED, &why, &s) == MECH_ERR_UNSUPPORTED);
        CHECK(why && !s);
    }
    mech_sampled *s = NULL;
    CHECK(sampled_of(texts[0], MECH_SAMPLED_HELD, NULL, &s) == MECH_ERR_UNSUPPORTED && !s);
}

int main(void)
{
    cart_poles();
    delays();
    refusals();
    return check_report();
}
