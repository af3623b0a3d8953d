/* Branches of equilibria against closed forms: a pitchfork, a saddle-node, a column that buckles in two ways. */
#include "unit/analyze/helpers.h"

#include <math.h>

static mech_branches *branches_of(subject *s, const double *q, const mech_axis *axis)
{
    const double rest[4] = {0};
    mech_linear_options at;
    mech_branches *branches = NULL;
    mech_linear_options_default(&at, sizeof at);
    at.q = q;
    at.v = rest;
    CHECK(mech_branches_create(s->system, s->eval, &at, axis, &branches) == MECH_OK);
    return branches;
}

/* A bead on a hoop: theta = 0 up to W^2 = g/R, then cos(theta) = g/(R W^2) on both sides; damped, so that what is
   not unstable is stable. From theta = 0 and from beside it. */
static void hoop(double W0, double theta0)
{
    subject s;
    char text[400];
    const double g = 9.81, R = 0.5, critical = sqrt(g / R);
    const mech_axis axis = {"W", 1, 9, 41};
    snprintf(text, sizeof text,
             "param R = 0.5, g = 9.81, W = %.17g\ncoord theta\nkinetic R^2*(theta'^2 + W^2*sin(theta)^2)/2\n"
             "potential -g*R*cos(theta)\ndissipation theta'^2/20\n",
             W0);
    if (!subject_text(&s, text)) return;
    mech_branches *branches = branches_of(&s, &theta0, &axis);
    const mech_branches_result *r = branches ? mech_branches_get(branches) : NULL;
    int straight = 0, bent = 0;
    for (size_t b = 0; r && b < r->branches; b++) {
        const size_t first = r->first[b], last = r->first[b + 1] - 1;
        const double end = r->state[last * 2];
        if (fabs(end) > 3) continue; /* the top of the hoop may be met too */
        straight += fabs(end) < 1e-9;
        bent += fabs(end) > 1;
        for (size_t k = first; k <= last; k++) {
            const double W = r->value[k], theta = r->state[k * 2];
            CHECK(k == first || W > r->value[k - 1]);
            if (fabs(end) < 1e-9) {
                CHECK_NEAR(theta, 0, 1e-9);
                if (fabs(W - critical) > 1e-4)
                    CHECK(r->region[k] == (W < critical ? MECH_REGION_STABLE : MECH_REGION_UNSTABLE));
            } else {
                CHECK_NEAR(cos(theta), g / (R * W * W), 1e-9);
                CHECK(theta * end > 0 && (r->region[k] == MECH_REGION_STABLE || W - critical < 1e-4));
            }
        }
        CHECK_NEAR(r->value[last], 9, 0);
        CHECK_NEAR(r->value[first], fabs(end) < 1e-9 ? 1 : critical, 0.2 * 0x1p-13);
    }
    CHECK(straight == 1 && bent == 2);
    CHECK(mech_eval_equation(s.eval)->p[2] == W0); /* put back */
    mech_branches_free(branches);
    subject_free(&s);
}

/* The same hoop with its turning as a cyclic coordinate, of which the place in the list and the start do not matter:
   each branch is one of a continuum, and those beside it are found all the same. A `steady` statement that says where
   the hoop stands leaves no continuum. */
static void turning_hoop(const char *coords, const char *steady, int theta_at, double psi0)
{
    subject s;
    char text[400];
    const double g = 9.81, R = 0.5, critical = sqrt(g / R);
    const mech_axis axis = {"W", 2, 8, 13};
    double start[2] = {psi0, psi0};
    snprintf(text, sizeof text,
             "param R = 0.5, g = 9.81, W = 3\ncoord %s\nkinetic R^2/2*(th'^2 + sin(th)^2*psi'^2) + psi'^2/10\n"
             "potential -g*R*cos(th)\nsteady psi' = W\n%s",
             coords, steady);
    if (!subject_text(&s, text)) return;
    start[theta_at] = 0;
    mech_branches *branches = branches_of(&s, start, &axis);
    const mech_branches_result *r = branches ? mech_branches_get(branches) : NULL;
    int ways[3] = {0};
    CHECK(r && r->branches == 3 && r->order == 4);
    for (size_t b = 0; r && b < r->branches; b++) {
        const size_t first = r->first[b], last = r->first[b + 1] - 1;
        const double end = r->state[last * 4 + (size_t)theta_at];
        const int way = (end > 0.5) - (end < -0.5);
        ways[1 + way]++;
        for (size_t k = first; k <= last; k++) {
            const double W = r->value[k], *x = r->state + k * 4;
            const double cosine = g / (R * W * W), theta = way ? way * acos(cosine < 1 ? cosine : 1) : 0;
            CHECK_NEAR(x[theta_at], theta, 1e-6);
            CHECK_NEAR(x[1 - theta_at], psi0, 1e-12);
            CHECK_NEAR(x[2 + theta_at], 0, 1e-9);
            CHECK_NEAR(x[3 - theta_at], W, 1e-9);
            if (fabs(W - critical) > 1e-4)
                CHECK(r->region[k] == (way || W < critical ? MECH_REGION_MARGINAL : MECH_REGION_UNSTABLE));
        }
        CHECK_NEAR(r->value[last], 8, 0);
        CHECK_NEAR(r->value[first], way ? critical : 2, 0.1 * 0x1p-13);
    }
    CHECK(ways[0] == 1 && ways[1] == 1 && ways[2] == 1);
    mech_branches_free(branches);
    subject_free(&s);
}

/* x'' = p - x^2 - x': x = sqrt(p) is stable, -sqrt(p) is not, and both end at 0. */
static void saddle_node(void)
{
    subject s;
    const double start = 1;
    const mech_axis axis = {"p", -1, 2, 32};
    if (!subject_text(
            &s, "param p = 1\ncoord x\nkinetic x'^2/2\npotential x^3/3 - p*x\ndissipation x'^2/2\ninitial x = 1\n"))
        return;
    mech_branches *branches = branches_of(&s, &start, &axis);
    const mech_branches_result *r = branches ? mech_branches_get(branches) : NULL;
    CHECK(r && r->branches == 2 && r->order == 2);
    for (size_t b = 0; r && b < r->branches; b++) {
        const int is_stable = r->state[(r->first[b + 1] - 1) * 2] > 0;
        CHECK(r->value[r->first[b]] >= 0 && r->value[r->first[b]] < 0.1 * 0x1p-13);
        CHECK_NEAR(r->value[r->first[b + 1] - 1], 2, 0);
        for (size_t k = r->first[b]; k < r->first[b + 1]; k++) {
            CHECK_NEAR(r->state[k * 2], (is_stable ? 1 : -1) * sqrt(r->value[k]), 1e-6);
            CHECK(r->region[k] == (is_stable ? MECH_REGION_STABLE : MECH_REGION_UNSTABLE));
        }
    }
    mech_branches_free(branches);
    subject_free(&s);
}

/* Two links with springs of 1 under a load P: they buckle at (3 -+ sqrt 5)/2, the second way is unstable. */
static void column(int values)
{
    subject s;
    const double straight[2] = {0, 0}, loads[2] = {(3 - sqrt(5)) / 2, (3 + sqrt(5)) / 2};
    const mech_axis axis = {"P", 0.1, 4, values};
    int ways[2] = {0, 0};
    if (!subject_text(&s, "param P = 1\ncoord a, b\nkinetic (a'^2 + b'^2)/2\n"
                          "potential a^2/2 + (b - a)^2/2 + P*(cos(a) + cos(b))\ndissipation (a'^2 + b'^2)/10\n"))
        return;
    mech_branches *branches = branches_of(&s, straight, &axis);
    const mech_branches_result *r = branches ? mech_branches_get(branches) : NULL;
    CHECK(r && r->branches == 5);
    for (size_t b = 0; r && b < r->branches; b++) {
        const size_t first = r->first[b];
        for (int way = 0; way < 2; way++) {
            if (fabs(r->value[first] - loads[way]) > 0.05 * 0x1p-13) continue;
            ways[way]++;
            CHECK(r->region[first + 20] == (way ? MECH_REGION_UNSTABLE : MECH_REGION_STABLE));
        }
        for (size_t k = first; k < r->first[b + 1]; k++) { /* moments: P sin a = 2 a - b, P sin b = b - a */
            const double *q = r->state + k * 4;
            CHECK_NEAR(r->value[k] * sin(q[0]), 2 * q[0] - q[1], 1e-8);
            CHECK_NEAR(r->value[k] * sin(q[1]), q[1] - q[0], 1e-8);
        }
    }
    CHECK(ways[0] == 2 && ways[1] == 2);
    mech_branches_free(branches);
    subject_free(&s);
}

int main(void)
{
    hoop(1, 0);
    hoop(5, 0);
    hoop(8, 1.2);
    turning_hoop("th, psi", "", 0, 0);
    turning_hoop("psi, th", "", 1, 2.5);
    turning_hoop("th, psi", "steady psi = 1\n", 0, 1);
    saddle_node();
    column(80);
    column(3); /* few values, and the same branches */
    return check_report();
}
