/* A run whose steps somebody else takes: rates, derivatives, events, all with values by hand. */
#include "simulate/exchange.h"
#include "support/motion.h"

static const double G = 9.81;

typedef struct taken {
    motion m;
    exchange *e;
} taken;

static int take(taken *x, const char *text)
{
    *x = (taken){0};
    if (!motion_read(&x->m, text) || motion_derive(&x->m) != MECH_OK) return 0;
    CHECK(exchange_obstacle(x->m.system) == NULL);
    x->m.settings.until = INFINITY;
    x->m.settings.output_points = 0;
    CHECK(mech_sim_create(x->m.system, &x->m.settings, &x->m.sim) == MECH_OK);
    CHECK(mech_sim_start(x->m.sim) == MECH_OK);
    CHECK(exchange_create(x->m.sim, &x->e) == MECH_OK);
    return x->e != NULL;
}

static void leave(taken *x)
{
    exchange_free(x->e);
    motion_free(&x->m);
}

/* Off its circle, and the rod written twice: A a = -2 |v|^2 - B r' - K r in each of the two rows, which are one. */
static void holds_redundant_rows(void)
{
    taken x;
    const double at[4] = {1.01, 0.02, 0.05, 1.3}, gain = 3;
    double rates[4];
    if (!take(&x, "param g = 9.81\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\n"
                  "constraint rod: x^2 + y^2 = 1\nconstraint again: 2*x^2 + 2*y^2 = 2\ninitial x = 1, y = 0\n"))
        return;
    exchange_set_gain(x.e, gain);
    CHECK(exchange_rates(x.e, 0, at, rates, NULL) == 1);
    const double r = at[0] * at[0] + at[1] * at[1] - 1, rate = 2 * (at[0] * at[2] + at[1] * at[3]),
                 side = -2 * (at[2] * at[2] + at[3] * at[3]) - 2 * gain * rate - gain * gain * r, length = 4 * (r + 1),
                 multiplier = (side + 2 * at[1] * G) / length;
    CHECK_NEAR(rates[0], at[2], 0);
    CHECK_NEAR(rates[1], at[3], 0);
    CHECK_NEAR(rates[2], 2 * at[0] * multiplier, 1e-12);
    CHECK_NEAR(rates[3], -G + 2 * at[1] * multiplier, 1e-12);
    leave(&x);
}

/* x'' = u - x, y = x'' + 2 u: by x, x', u. */
static void has_slopes(void)
{
    taken x;
    const double at[2] = {0.3, 0.1}, *J = NULL;
    const double wanted[3][3] = {{0, -1, -1}, {1, 0, 0}, {0, 1, 3}}; /* columns x, x', u; rows x', x'', y */
    if (!take(&x, "coord x\ninput u = 0\nkinetic x'^2/2\npotential x^2/2\nforce u on x'\noutput y = x'' + 2*u\n"))
        return;
    CHECK(exchange_slopes(x.e, 0, at, &J) == 1);
    for (int c = 0; c < 3 && J; c++)
        for (int row = 0; row < 3; row++) CHECK_NEAR(J[row + 3 * c], wanted[c][row], 1e-14);
    leave(&x);
}

/* Slopes of what looks at multipliers take those there are, the ideal one and the total one with what the law adds: of
   x'' = 2 - r, y'' = x + r with x = y the first is -x/2, the second 1 - x/2. */
static void has_slopes_of_reactions(void)
{
    taken x;
    const double at[4] = {0.6, 0.6, 0, 0}, *J = NULL;
    if (!take(&x, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: y = x\nforce x on y'\nnonideal on a: x = 2\n"
                  "output l = lambda(a)^2, r = reaction(a)^2\n"))
        return;
    exchange_set_gain(x.e, 0);
    CHECK(exchange_slopes(x.e, 0, at, &J) == 1);
    for (int c = 0; c < 4 && J; c++) {
        CHECK_NEAR(J[4 + 6 * c], c == 0 ? 0.3 : 0, 1e-14);
        CHECK_NEAR(J[5 + 6 * c], c == 0 ? -0.7 : 0, 1e-14);
    }
    leave(&x);
}

/* A ball that is dropped: the trigger changes sides where it meets the floor, and `set` turns it round. */
static void happens(void)
{
    taken x;
    const double fall = sqrt(2 / G), past = fall + 1e-9;
    double at[2] = {1 - G * past * past / 2, -G * past}, before[2] = {1 - G * 0.04 / 2, -G * 0.2}, value;
    int is_moved, is_off;
    if (!take(&x, "param g = 9.81\ncoord y\nkinetic y'^2/2\npotential g*y\ninitial y = 1\n"
                  "event floor: y falls through 0 -> set y' = -0.5*y'\n"))
        return;
    CHECK(exchange_indicator_count(x.m.system) == 1);
    CHECK(exchange_next(x.e) == HUGE_VAL);
    CHECK(exchange_indicators(x.e, 0.2, before, &value) == 1);
    CHECK_NEAR(value, before[0], 1e-15);
    CHECK(exchange_step(x.e, 0.2, before, &is_off) == MECH_OK && !is_off);
    CHECK(exchange_event(x.e, 0.2, before, 0, &is_moved) == MECH_OK && !is_moved); /* nothing has passed */
    CHECK(exchange_event(x.e, past, at, 0, &is_moved) == MECH_OK && is_moved);
    CHECK_NEAR(at[1], 0.5 * G * past, 1e-14);
    CHECK(exchange_event(x.e, past, at, 0, &is_moved) == MECH_OK && !is_moved); /* once */
    CHECK_NEAR(motion_when(&x.m, MECH_LOG_EVENT, 0), past, 0);
    leave(&x);
}

/* A ball that is thrown up from its trigger: which side it is on is known from the first step, and it comes back. */
static void comes_back(void)
{
    taken x;
    const double v = 2, back = 2 * v / G + 1e-9;
    double at[2] = {v * back - G * back * back / 2, v - G * back}, up[2] = {v * 0.1 - G * 0.01 / 2, v - G * 0.1};
    int is_moved, is_off;
    if (!take(&x, "param g = 9.81\ncoord y\nkinetic y'^2/2\npotential g*y\ninitial y' = 2\n"
                  "event floor: y falls through 0 -> set y' = -0.5*y'\n"))
        return;
    CHECK(exchange_step(x.e, 0.1, up, &is_off) == MECH_OK && !is_off);
    CHECK(exchange_event(x.e, back, at, 0, &is_moved) == MECH_OK && is_moved);
    CHECK_NEAR(at[1], 0.5 * (G * back - v), 1e-14);
    leave(&x);
}

/* Clocks and points of tables are known ahead. */
static void knows_the_clock(void)
{
    taken x;
    double at[3] = {0.25, 0.5, 0};
    int is_moved;
    if (!take(&x, "coord x\nsampled u = 0\nkinetic x'^2/2\nforce u on x'\nevery 0.5 { set u = x }\n")) return;
    CHECK(exchange_event(x.e, 0, (double[3]){0, 0, 0}, 0, &is_moved) == MECH_OK);
    CHECK_NEAR(exchange_next(x.e), 0.5, 0);
    CHECK(exchange_event(x.e, 0.5, at, 0, &is_moved) == MECH_OK && is_moved);
    CHECK_NEAR(at[2], 0.25, 0);
    CHECK_NEAR(exchange_next(x.e), 1, 0);
    leave(&x);
}

/* The state is put back onto the constraint by the least change; here the masses are equal: along the radius. */
static void projects(void)
{
    taken x;
    double at[4] = {0.6 * 1.001, 0.8 * 1.001, -0.8, 0.6};
    int is_moved, is_off;
    if (!take(&x, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1, y = 0, y' = 1\n"))
        return;
    CHECK(exchange_step(x.e, 0.5, at, &is_off) == MECH_OK && is_off);
    CHECK(exchange_event(x.e, 0.5, at, 1, &is_moved) == MECH_OK && is_moved);
    CHECK_NEAR(at[0], 0.6, 1e-9);
    CHECK_NEAR(at[1], 0.8, 1e-9);
    CHECK(exchange_step(x.e, 0.5, at, &is_off) == MECH_OK && !is_off);
    leave(&x);
}

/* What an importer sets at an event jumps from what it was: its slope, which an output shows, leaves that out, and that
   is said once. A value that is set anew and is the same is no jump. */
static void tells_of_jumping_inputs(void)
{
    taken x;
    double at[2] = {0.5, 1};
    int is_moved, is_off;
    if (!take(&x, "coord x\ninput u = 2\nkinetic x'^2/2\nforce 0*u on x'\noutput s = u'\ninitial x' = 1\n")) return;
    CHECK(exchange_step(x.e, 0.5, at, &is_off) == MECH_OK);
    CHECK(mech_sim_set_input(x.m.sim, 0, 2) == MECH_OK);
    CHECK(exchange_event(x.e, 0.5, at, 0, &is_moved) == MECH_OK);
    CHECK(motion_count(&x.m, MECH_LOG_NOTE) == 0);
    CHECK(mech_sim_set_input(x.m.sim, 0, 3) == MECH_OK);
    CHECK(exchange_event(x.e, 0.5, at, 0, &is_moved) == MECH_OK && !is_moved);
    CHECK(motion_count(&x.m, MECH_LOG_NOTE) == 1 && mech_sim_log_count(x.m.sim) == 2);
    CHECK_TEXT(
        mech_sim_log_get(x.m.sim, 1).text,
        "input u jumps by 1, and its slope u', which is looked at, leaves that out: make it change over a width");
    at[0] = 1;
    CHECK(exchange_step(x.e, 1, at, &is_off) == MECH_OK && mech_sim_set_input(x.m.sim, 0, 1) == MECH_OK);
    CHECK(exchange_event(x.e, 1, at, 0, &is_moved) == MECH_OK && mech_sim_log_count(x.m.sim) == 2);
    leave(&x);
}

/* Nothing is known of the motion where there is none; where there is, two digits. */
static void finds_a_gain(void)
{
    motion m;
    double gain;
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\npotential 50*x^2\ninitial x = 1\nsimulate until 100\n")) return;
    CHECK(exchange_gain(m.system, &gain) == MECH_OK);
    CHECK(gain > 2 && gain < 20); /* the frequency is 10 */
    motion_free(&m);
    if (!motion_read(&m, "coord x\nkinetic (x' + abs(t - 1))^2/2\n")) return;
    CHECK(exchange_obstacle(m.system) != NULL);
    motion_free(&m);
}

int main(void)
{
    holds_redundant_rows();
    has_slopes();
    has_slopes_of_reactions();
    happens();
    comes_back();
    knows_the_clock();
    projects();
    tells_of_jumping_inputs();
    finds_a_gain();
    return check_report();
}
