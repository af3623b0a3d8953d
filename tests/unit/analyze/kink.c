/* abs, min, max, sign and comparisons at the point: those whose two sides have different derivatives are
   named, those that are smooth there all the same, or change over elsewhere, are not. */
#include "unit/analyze/helpers.h"

static const double rest[3] = {0};

static void named_or_not(void)
{
    static const struct {
        const char *text;
        double x;
        const char *kink; /* NULL: none */
    } cases[] = {
        {"potential abs(x)", 0, "abs(x) in line 3"},
        {"potential abs(x - 1)", 1, "abs(x - 1)"},
        {"potential abs(x)", 1e-5, NULL},
        {"force -10*max(0, x) + x - x' on x'", 0, "max(0, x)"},
        {"force -10*min(0, x) - x - x' on x'", 0, "min(0, x)"},
        {"force -x - sign(x') on x'", 0, "sign(x')"},
        {"force -x - abs(x') on x'", 0, "abs(x')"},
        {"potential if(x < 0, x^2, 2*x^2)", 0, "x < 0"},
        {"force if(x <= 0, -x, -2*x) on x'", 0, "x <= 0"},
        {"force -x - 1e-6*abs(x) on x'", 0, "abs(x)"},
        /* the same derivative on both sides */
        {"force -x - x*abs(x) on x'", 0, NULL},
        {"force -x - x'*abs(x') on x'", 0, NULL},
        {"force -x - max(0, x)^2 on x'", 0, NULL},
        {"force -x - 1e6*max(0, x)^2 on x'", 0, NULL}, /* however much it bends */
        {"force if(x < 0, -x, -x - x^3) on x'", 0, NULL},
        {"potential abs(x^2)", 0, NULL},
        {"force if(t < 0, 0, -x) on x'", 0, NULL}, /* time does not move it */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s;
        char text[256];
        snprintf(text, sizeof text, "coord x\nkinetic x'^2/2\n%s\n", cases[k].text);
        if (!subject_text(&s, text)) continue;
        if (subject_linearize(&s, &cases[k].x, rest, NULL, NULL)) {
            const int right = cases[k].kink ? s.l->kink_count == 1 && strstr(s.l->kinks[0], cases[k].kink) != NULL
                                            : s.l->kink_count == 0;
            CHECK(right);
            if (!right)
                fprintf(stderr, "%s: %d, %s\n", cases[k].text, s.l->kink_count, s.l->kink_count ? s.l->kinks[0] : "");
        }
        subject_free(&s);
    }
}

/* A wall that a constraint keeps it at is not felt; beside other coordinates the kink is found whatever its
 * direction. */
static void on_the_constraints(void)
{
    subject s;
    if (subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential abs(x) + y^2\nconstraint held: x = 0\n") &&
        subject_linearize(&s, rest, rest, NULL, NULL))
        CHECK(s.l->kink_count == 0);
    subject_free(&s);
    if (subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential abs(x - y) + x^2 + y^2\n") &&
        subject_linearize(&s, rest, rest, NULL, NULL))
        CHECK(s.l->kink_count == 1);
    subject_free(&s);
    /* masses: x'' = 1/(1 + |x - y|) */
    if (subject_text(&s, "coord x, y\nkinetic y'^2/2\nmass x = 1 + abs(x - y)\nforce 1 on x'\n") &&
        subject_linearize(&s, rest, rest, NULL, NULL))
        CHECK(s.l->kink_count == 1);
    subject_free(&s);
}

/* Kinks of outputs do not touch the motion: x'' = -x has +-i. */
static void of_outputs(void)
{
    subject s;
    if (subject_text(&s, "coord x\nkinetic x'^2/2\npotential x^2/2\noutput bent = abs(x)\noutput fine = x*abs(x)\n") &&
        subject_linearize(&s, rest, rest, NULL, NULL)) {
        CHECK(s.l->kink_count == 0 && s.l->undefined_count == 1 && s.l->undefined[0] && !s.l->undefined[1]);
        CHECK(has_mode(s.l->motion, 0, 1, 1e-12, 1));
        CHECK(isnan(s.l->C[0]) && s.l->C[1] == 0);
    }
    subject_free(&s);
}

/* Of inputs alone: A is what it is, and by the input there is no derivative where the sides differ. u = 0, w = 0.5. */
static void of_inputs(void)
{
    static const struct {
        const char *text, *kink[2];
        double B[2], D[2]; /* by hand; NaN: none */
    } cases[] = {
        {"force max(0, u) + 3*w on x'\noutput y = u + w", {"max(0, u) in line 6", NULL}, {NAN, 3}, {1, 1}},
        {"force abs(u) on x'\noutput y = abs(w)", {"abs(u)", NULL}, {NAN, 0}, {0, 1}},
        {"force if(w > 0.5, 2, 3) on x'\noutput y = 2*u", {NULL, "w > 1/2"}, {0, NAN}, {2, 0}}, /* it jumps itself */
        {"force min(u, w - 0.5) on x'\noutput y = u", {"min(", "min("}, {NAN, NAN}, {1, 0}},
        {"force 2*u on x'\noutput y = floor(2*w) + abs(u)", {"abs(u)", "floor("}, {2, 0}, {NAN, NAN}},
        {"force u*abs(u) + max(0, w) + w on x'\noutput y = max(0, u)^2", {NULL, NULL}, {0, 2}, {0, 0}},
        {"force max(0, u)*x on x'\noutput y = x",
         {NULL, NULL},
         {0, 0},
         {0, 0}}, /* at x = 0 it acts from neither side */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s;
        char text[256];
        snprintf(text, sizeof text, "coord x\nkinetic x'^2/2\ninput u = 0\ninput w = 0.5\npotential x^2/2\n%s\n",
                 cases[k].text);
        if (subject_text(&s, text) && subject_linearize(&s, rest, rest, NULL, NULL)) {
            CHECK(s.l->kink_count == 0 && s.l->undefined_count == 0);
            CHECK_NEAR(s.l->A[1], -1, 1e-12);
            for (int i = 0; i < 2; i++) {
                const char *want = cases[k].kink[i], *found = s.l->input_kinks[i];
                CHECK(want ? found && strstr(found, want) : !found);
                CHECK(isnan(cases[k].B[i]) ? isnan(s.l->E[2 * i + 1]) : s.l->E[2 * i + 1] == cases[k].B[i]);
                CHECK(isnan(cases[k].D[i]) ? isnan(s.l->D[i]) : s.l->D[i] == cases[k].D[i]);
            }
        }
        subject_free(&s);
    }
}

int main(void)
{
    of_inputs();
    named_or_not();
    on_the_constraints();
    of_outputs();
    return check_report();
}
