/* Laws that follow reactions by steps and kinks, against closed forms. A step has no slope by the reaction, and a law
   may be flat wherever it is looked at first: both read it all the same. */
#include "support/motion.h"

#include <math.h>

static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                      MECH_METHOD_IRK};
enum { METHODS = sizeof methods / sizeof *methods };

/* The multiplier of a is t - 1, and the law moves x alone. */
#define APART "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: y = 0\nforce 1 - t on y'\nnonideal on a: x = "
/* Here the law on x changes the reaction: F/2 + C/2 where F pulls at y. */
#define JOINED "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: y = x\n"

static void must_be(const char *text, double until, double wanted)
{
    for (size_t i = 0; i < METHODS; i++) {
        motion m;
        if (!motion_read(&m, text)) return;
        CHECK(motion_derive(&m) == MECH_OK);
        motion_settings(&m, 1e-10);
        m.settings.method = methods[i];
        m.settings.until = until;
        if (motion_may_run(&m)) {
            const int failures = check_failures;
            CHECK_NEAR(motion_end(&m, "x'"), wanted, 1e-7);
            CHECK(mech_sim_warning(m.sim)[0] == 0);
            if (check_failures > failures) fprintf(stderr, "  by %s: %s\n", mech_method_word(methods[i]), text);
        }
        motion_free(&m);
    }
}

static void steps_and_kinks(void)
{
    must_be(APART "if(lambda(a) > 0.2, -2, 0)\ninitial x' = 3\n", 2, 3 - 2 * 0.8);
    must_be(APART "if(reaction(a) > 0.2, -2, 0)\ninitial x' = 3\n", 2, 3 - 2 * 0.8);
    must_be(APART "-0.7*sign(reaction(a))*x'\ninitial x' = 1\n", 2, 1);
    must_be(APART "-floor(4*reaction(a))\ninitial x' = 1\n", 2, 1 + (4 + 3 + 2 + 1 - 1 - 2 - 3) / 4.0);
    must_be(APART "-2*max(0, reaction(a) - 0.2)\ninitial x' = 3\n", 2, 3 - 0.64);
    must_be(APART "-0.3*abs(reaction(a))*x'\ninitial x' = 1\n", 2, exp(-0.3));
    must_be(APART "-if(reaction(a) > 0.5, 3, 1)*reaction(a)\ninitial x' = 3\n", 2, 3 - 2 * (1 - 0.25) / 2);
}

/* The ideal reaction is 20, where the law is flat, and so it is at -20. With it the reaction is R = 20 - 1.2 R. */
static void flat_where_it_begins(void)
{
    must_be(JOINED "force -40 on y'\nnonideal on a: x = -2.4*clamp(reaction(a), 5, 10)\n", 1,
            (-40 - 2.4 * (20 / 2.2)) / 2);
}

/* Beyond t = 1.4 the law without its force asks for the force, and with it for none. */
static void steps_that_undo_themselves(void)
{
    must_be(JOINED "force 1 - t on y'\nnonideal on a: x = if(reaction(a) > 0.2, -2, 0)\ninitial x' = 3\n", 1.3,
            3 + (1.3 - 1.3 * 1.3 / 2) / 2);
    motion_refused(JOINED "force 1 - t on y'\nnonideal on a: x = if(reaction(a) > 0.2, -2, 0)\ninitial x' = 3\n"
                          "simulate until 2\n",
                   MECH_ERR_NO_REACTION, "at t = 1.4", "no reaction satisfies the law");
    motion_refused(JOINED "force 1 - t on y'\nnonideal on a: x = if(reaction(a) > 0.2, 2, 0)\ninitial x' = 3\n"
                          "simulate until 2\n",
                   MECH_ERR_MANY_REACTIONS, "several reactions satisfy", "the law");
}

int main(void)
{
    steps_and_kinks();
    flat_where_it_begins();
    steps_that_undo_themselves();
    return check_report();
}
