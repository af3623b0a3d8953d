/* Events at the point: those that stand at their thresholds and change the motion are named, and there is no verdict;
   those that stand elsewhere, stop the run or count are not. */
#include "unit/analyze/helpers.h"

static const double rest[3] = {0};

/* x'' = -x - 0.2 x'. With `set x' = 2*x'` at x = 0 a half period takes x' to 2 exp(-0.1 pi/sqrt(0.99)) = 1.458 of it:
   the matrix says that it dies away, and it grows. */
static void named_or_not(void)
{
    static const struct {
        const char *text;
        const char *event; /* NULL: none */
    } cases[] = {
        {"event a: x crosses through 0 -> set x' = 2*x'", "a"},
        {"event a: x rises through 0 -> set x' = 2*x'", "a"},
        {"event a: x' falls through 0 -> set x = 2*x", "a"},
        {"event a: x^2 + x'^2 rises through 0 -> set x' = 1", "a"},
        {"event a: x'' crosses through 0 -> set x' = 2*x'", "a"},
        {"event far: x crosses through 1 -> stop\nevent a: x crosses through 0 -> set x' = 2*x', record", "a"},
        {"event a: x crosses through 0 when x' > 0 -> set x' = 2*x'", "a"}, /* not at the point, but beside it */
        {"event a: x crosses through 0 when x' < 0 -> set x' = 2*x'", "a"},
        {"constraint c: y = x\nevent a: x rises through 0 -> release c", "a"},
        {"constraint c: y = x\nevent a: x rises through 0 -> impose c", "a"},
        {"constraint c: x = 0\nevent a: x falls through 0 -> impact c restitution 0.5", "a"},
        {"state n: n' = -n\nforce n on x'\nevent a: x crosses through 0 -> set n = 1", "a"},
        /* elsewhere */
        {"event a: x crosses through 0.1 -> set x' = 2*x'", NULL},
        {"event a: x crosses through 1e-5 -> set x' = 2*x'", NULL},
        {"event a: x crosses through 0 when y > 1 -> set x' = 2*x'", NULL},
        {"event a: t rises through 0 -> set x' = 2*x'", NULL}, /* no state moves it */
        /* nothing of the motion changes */
        {"event a: x crosses through 0 -> stop", NULL},
        {"event a: x crosses through 0 -> record", NULL},
        {"state n: n' = 0\nevent a: x crosses through 0 -> set n = n + 1", NULL},
        /* a constraint keeps it there */
        {"constraint c: y = 0\nevent a: y crosses through 0 -> set x' = 2*x'", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s;
        char text[512];
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2)/2\ndissipation 0.1*(x'^2 + y'^2)\n%s\n",
                 cases[k].text);
        if (subject_text(&s, text) && subject_linearize(&s, rest, rest, NULL, NULL)) {
            const char *doubt = mech_linear_doubt(s.l);
            const int right = cases[k].event ? s.l->event_count == 1 && strcmp(s.l->events[0], cases[k].event) == 0 &&
                                                   doubt && strstr(doubt, "threshold")
                                             : s.l->event_count == 0 && !doubt;
            CHECK(right);
            if (!right) fprintf(stderr, "%s: %d\n", cases[k].text, s.l->event_count);
        }
        subject_free(&s);
    }
}

/* Where Newton's method ends: x = 1/3 to rounding, in millimetres as in metres. */
static void to_rounding(void)
{
    static const char *const texts[] = {
        "coord x\nkinetic x'^2/2\npotential (3*x - 1)^2/2\nevent a: 3*x crosses through 1 -> set x' = 2*x'\n",
        "coord x\nkinetic x'^2/2e6\npotential (3*x - 1000)^2/2e6\nevent a: x crosses through 1000/3 -> set x' = 2*x'\n"};
    for (int k = 0; k < 2; k++) {
        subject s;
        if (subject_text(&s, texts[k]) && subject_find(&s, NULL, NULL) &&
            subject_linearize(&s, s.e->q, s.e->v, NULL, NULL))
            CHECK(s.l->event_count == 1);
        subject_free(&s);
    }
}

int main(void)
{
    named_or_not();
    to_rounding();
    return check_report();
}
