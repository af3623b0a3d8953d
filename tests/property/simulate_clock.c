/* The clock of a run: it ends where it was asked to, every row stands at its time, whatever cuts the steps; and a run
   need have no end. Motions in closed form. */
#include "support/motion.h"

static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                      MECH_METHOD_IRK};
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- a force that is 1 in the first half of each period of 0.2, -1 in the second ---- */

#define SQUARE "coord x\nkinetic x'^2/2\nforce if(sin(10*pi*t) > 0, 1, -1) on x'\n"

/* Velocity and way from rest at 0: a saw of height 0.1, and its area. */
static double saw(double t)
{
    const double part = t - 0.2 * floor(t / 0.2);
    return part < 0.1 ? part : 0.2 - part;
}

static double area(double t)
{
    const double periods = floor(t / 0.2), part = t - 0.2 * periods, left = 0.2 - part;
    return 0.01 * periods + (part < 0.1 ? part * part / 2 : 0.01 - left * left / 2);
}

/* What a run from rest at `from` gives. */
static double square_x(double t, double from) { return area(t) - area(from) - saw(from) * (t - from); }
static double square_v(double t, double from) { return saw(t) - saw(from); }

typedef struct span {
    double from, until, step;
    size_t points;
    double far; /* what rounding of the clock makes of a time there */
} span;

static const span spans[] = {
    {0, 10, 0, 101, 1e-15},          {0, 10, 0.1, 0, 1e-15},         {0, 1, 0.3, 0, 1e-15},
    {0, 0.35, 0, 2, 1e-15},          {-1, 1, 0, 21, 1e-15},          {-3.3, -0.1, 0.05, 0, 1e-15},
    {0.05, 2.05, 0, 41, 1e-15},      {0.1, 0.3, 0, 5, 1e-15},        {1e6, 1e6 + 1, 0, 11, 1e-9},
    {1e6, 1e6 + 0.25, 0.1, 0, 1e-9}, {-1e4, -1e4 + 1, 0, 21, 1e-11}, {0, 0.2, 0.2, 0, 1e-15},
};
enum { SPANS = sizeof spans / sizeof *spans };

/* When the k-th row by the clock is due; NaN beyond the last. */
static double due(const span *s, size_t k)
{
    if (s->points)
        return k >= s->points       ? (double)NAN
               : k + 1 == s->points ? s->until
                                    : s->from + (s->until - s->from) * ((double)k / (double)(s->points - 1));
    const double t = s->from + (double)k * s->step, before = t - s->step;
    return t < s->until - 1e-9 * s->step ? t : before < s->until - 1e-9 * s->step ? s->until : (double)NAN;
}

/* Every row due stands there, at the very time, in order, and none lies beyond the end. */
static size_t rows_stand(const motion *m, const span *s)
{
    const mech_trajectory *tr = mech_sim_trajectory(m->sim);
    const size_t rows = mech_trajectory_rows(tr);
    size_t k = 0;
    CHECK(rows >= 2 && mech_trajectory_row(tr, 0)[0] == s->from && mech_trajectory_row(tr, rows - 1)[0] == s->until);
    for (size_t i = 0; i < rows; i++) {
        const double t = mech_trajectory_row(tr, i)[0];
        CHECK(t <= s->until && (i == 0 || t >= mech_trajectory_row(tr, i - 1)[0]));
        if (t == due(s, k)) k++;
    }
    if (!isnan(due(s, k))) fprintf(stderr, "from %g until %g: no row at %.17g\n", s->from, s->until, due(s, k));
    CHECK(isnan(due(s, k)));
    return k;
}

static void set_span(motion *m, const span *s, mech_method method)
{
    m->settings.from = s->from;
    m->settings.until = s->until;
    m->settings.output_step = s->step;
    m->settings.output_points = s->points;
    m->settings.method = method;
}

static void follows_square(const motion *m, const span *s)
{
    const mech_trajectory *tr = mech_sim_trajectory(m->sim);
    for (size_t i = 0; i < mech_trajectory_rows(tr); i++) {
        const double *row = mech_trajectory_row(tr, i);
        CHECK_NEAR(row[1], square_x(row[0], s->from), 1e-8 + 50 * s->far);
        CHECK_NEAR(row[2], square_v(row[0], s->from), 1e-8 + 50 * s->far);
    }
}

/* Kinks of the clock fall onto rows and onto the end. */
static void square_waves(void)
{
    for (size_t i = 0; i < SPANS; i++)
        for (size_t k = 0; k < METHODS; k++) {
            motion m;
            if (!motion_read(&m, SQUARE)) return;
            CHECK(motion_derive(&m) == MECH_OK);
            set_span(&m, &spans[i], methods[k]);
            if (motion_may_run(&m)) {
                rows_stand(&m, &spans[i]);
                follows_square(&m, &spans[i]);
                CHECK(mech_sim_time(m.sim) == spans[i].until);
            }
            motion_free(&m);
        }
}

/* The caller's cuts fall onto kinks, events and points of a table: nothing is lost and nothing moves. */
static void cut_at(motion *m, const span *s, double piece)
{
    CHECK(mech_sim_create(m->system, &m->settings, &m->sim) == MECH_OK);
    mech_status status = mech_sim_start(m->sim);
    if (!motion_has_method(m, status)) return;
    for (size_t i = 1; status == MECH_OK && mech_sim_time(m->sim) < s->until; i++) {
        const double t = fmin(s->from + (double)i * piece, s->until);
        status = mech_sim_advance(m->sim, t);
        CHECK(mech_sim_time(m->sim) == t);
    }
    if (status != MECH_OK) fprintf(stderr, "%s\n", mech_sim_error_text(m->sim));
    CHECK(status == MECH_OK);
    rows_stand(m, s);
}

static void cut_square_waves(void)
{
    static const double pieces[] = {0.1, 0.05, 0.001};
    for (size_t i = 0; i < SPANS; i++)
        for (size_t k = 0; k < METHODS; k++) {
            motion m;
            if (!motion_read(&m, SQUARE)) return;
            CHECK(motion_derive(&m) == MECH_OK);
            set_span(&m, &spans[i], methods[k]);
            cut_at(&m, &spans[i], pieces[(i + k) % 3]);
            if (mech_sim_has_started(m.sim)) follows_square(&m, &spans[i]);
            motion_free(&m);
        }
}

/* A driven block whose driver turns round at 1, 2 and 3, by a kink of the equation or by points of a table: cut there,
   it follows. hat: 0 until 1, up to 1 at 2, down to 0 at 3. */
static void cut_at_jumps(void)
{
    static const char *const texts[] = {
        "input u = file \"tests/support/hat.csv\" column \"u\"\ncoord x\nkinetic x'^2/2\nconstraint drive: x = u\n",
        "coord x\nkinetic x'^2/2\nconstraint drive: x = max(0, min(t - 1, 3 - t))\n"};
    static const span hat = {0, 4, 0, 9, 1e-15};
    static const double pieces[] = {1, 0.5, 0.25};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < METHODS; k++) {
            motion m;
            if (!motion_read(&m, texts[i])) return;
            CHECK(motion_derive(&m) == MECH_OK);
            set_span(&m, &hat, methods[k]);
            cut_at(&m, &hat, pieces[k % 3]);
            for (double t = 0.5; t < 4 && mech_sim_has_started(m.sim); t += 1) {
                CHECK_NEAR(motion_at(&m, t, "x"), fmax(0, fmin(t - 1, 3 - t)), 1e-9);
                CHECK_NEAR(motion_at(&m, t, "x'"), t < 1 || t > 3 ? 0 : t < 2 ? 1 : -1, 1e-9);
            }
            motion_free(&m);
        }
}

/* Events onto rows, onto cuts and onto the end: a clock that ticks each 0.1 and changes a state, and a ball that
   strikes at whole times. */
static void cut_at_events(void)
{
    static const span ticks = {0, 2, 0, 21, 1e-15};
    for (size_t k = 0; k < METHODS; k++)
        for (int way = 0; way < 2; way++) {
            motion m;
            if (!motion_read(&m, "coord y\nkinetic y'^2/2\npotential 8*y\nstate n: n' = 0\nconstraint floor: y = 0\n"
                                 "event hit: y falls through 0 -> impact floor restitution 1\n"
                                 "event tick: sin(5*pi*(t - 0.1)) crosses through 0 -> set n = n + 1\ninitial y = 1\n"))
                return;
            CHECK(motion_derive(&m) == MECH_OK);
            set_span(&m, &ticks, methods[k]);
            if (way == 0 && motion_may_run(&m)) rows_stand(&m, &ticks);
            if (way == 1) cut_at(&m, &ticks, 0.25);
            if (mech_sim_has_started(m.sim)) { /* it falls for 1/2, rises for 1/2, ... */
                CHECK_NEAR(motion_at(&m, 1, "y"), 1, 1e-8);
                CHECK_NEAR(motion_end(&m, "y"), 1, 1e-8);
                CHECK_NEAR(motion_at(&m, 0.7, "y"), 4 * 0.2 - 4 * 0.04, 1e-8);
                CHECK(motion_count(&m, MECH_LOG_IMPACT) == 2);
            }
            motion_free(&m);
        }
}

/* ---- beyond the end, and no end ---- */

/* Who goes on beyond the end finds rows at the same distances. */
static void beyond_the_end(void)
{
    motion m;
    if (!motion_read(&m, SQUARE)) return;
    m.settings.until = 1;
    m.settings.output_step = 0.3;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 2) == MECH_OK);
    static const double want[] = {0, 0.3, 0.6, 0.9, 1, 1.2, 1.5, 1.8};
    const mech_trajectory *tr = mech_sim_trajectory(m.sim);
    CHECK(mech_trajectory_rows(tr) == sizeof want / sizeof *want);
    for (size_t i = 0; i < mech_trajectory_rows(tr) && i < sizeof want / sizeof *want; i++)
        CHECK_NEAR(mech_trajectory_row(tr, i)[0], want[i], 1e-15);
    motion_free(&m);
}

/* A kilohertz loop around an oscillator, for so long that counting its calls would end it; the clock and the motion
   stay exact. */
static void without_end(void)
{
    static const double ends[] = {INFINITY, 1e9, 300};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        for (size_t i = 0; i < METHODS; i++) {
            motion m;
            if (!motion_read(&m, "coord x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n")) return;
            CHECK(motion_derive(&m) == MECH_OK);
            motion_settings(&m, 1e-9);
            m.settings.until = ends[k];
            m.settings.output_points = 0;
            m.settings.output_step = 1;
            m.settings.method = methods[i];
            m.settings.most_numbers = SIZE_MAX;
            const int turns = i == 0 && k < 2 ? 150000 : 3000; /* past a hundred thousand steps */
            CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
            mech_status status = mech_sim_start(m.sim);
            if (motion_has_method(&m, status)) {
                for (int n = 1; n <= turns && status == MECH_OK; n++) status = mech_sim_advance(m.sim, n * 1e-3);
                if (status != MECH_OK) fprintf(stderr, "%s\n", mech_sim_error_text(m.sim));
                CHECK(status == MECH_OK && mech_sim_time(m.sim) == turns * 1e-3);
                CHECK_NEAR(mech_sim_q(m.sim)[0], cos(turns * 1e-3), 1e-6);
                CHECK(mech_trajectory_rows(mech_sim_trajectory(m.sim)) == 1 + (size_t)turns / 1000);
            }
            motion_free(&m);
        }
}

/* Events, contact and friction take hairs of time: they find them without an end to measure by, and with one far away.
   A ball from 1 with g = 8 strikes at 1/2 and comes up to 1/4, 1/16, ...: at rest on the floor from 1/2 + 2*(1/4 + 1/8
   + ...) = 3/2 on. A block thrown at 1 with mu g = 1/2 rests after 2. */
static void events_without_end(void)
{
    static const double ends[] = {INFINITY, 1e9, 3};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        for (size_t i = 0; i < METHODS; i++) {
            motion m;
            if (!motion_read(
                    &m,
                    "coord y, x, z\nkinetic (y'^2 + x'^2 + z'^2)/2\npotential 8*y + 5*z\nconstraint floor: y = 0\nconstraint table: z = 0\n"
                    "friction on table: 0.1, along [x']\n"
                    "event hit: y falls through 0 -> impact floor restitution 1/2\ninitial y = 1, x' = 1\n"))
                return;
            CHECK(motion_derive(&m) == MECH_OK);
            motion_settings(&m, 1e-9);
            m.settings.until = ends[k];
            m.settings.output_points = 0;
            m.settings.output_step = 0.5;
            m.settings.method = methods[i];
            m.settings.most_numbers = SIZE_MAX;
            CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
            mech_status status = mech_sim_start(m.sim);
            if (motion_has_method(&m, status)) {
                for (int n = 1; n <= 300 && status == MECH_OK; n++) status = mech_sim_advance(m.sim, n * 1e-2);
                if (status != MECH_OK) fprintf(stderr, "%s\n", mech_sim_error_text(m.sim));
                CHECK(status == MECH_OK && mech_sim_time(m.sim) == 3);
                CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 0), 0.5, 1e-8);
                CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 1), 1, 1e-8);
                CHECK_NEAR(motion_when(&m, MECH_LOG_CONTACT, 0), 1.5, 1e-4);
                CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0), 2, 1e-7);
                CHECK_NEAR(motion_at(&m, 1, "x"), 0.75, 1e-7);
                CHECK_NEAR(motion_at(&m, 3, "x"), 1, 1e-7);
                CHECK_NEAR(motion_at(&m, 3, "y"), 0, 1e-9);
            }
            motion_free(&m);
        }
}

/* What would never come back is still told, however the run ends, within one call: from t = 1 on both sides drive x' to
   0. */
static void still_guarded(void)
{
    static const double ends[] = {INFINITY, 1e9, 3};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        motion m;
        if (!motion_read(&m, "coord x\nkinetic x'^2/2\nforce if(x' > 0, -1, 1) on x'\ninitial x' = 1\n")) return;
        motion_settings(&m, 1e-9);
        m.settings.until = ends[k];
        m.settings.output_points = 0;
        m.settings.output_step = 1;
        m.settings.most_numbers = SIZE_MAX;
        m.settings.max_events = 100;
        CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
        CHECK(mech_sim_advance(m.sim, 0.5) == MECH_OK);
        CHECK_NEAR(mech_sim_q(m.sim)[0], 0.375, 1e-6);
        CHECK(mech_sim_advance(m.sim, 2) == MECH_ERR_INTEGRATION);
        CHECK_NEAR(mech_sim_time(m.sim), 1, 1e-3);
        CHECK(motion_says(&m, "kink", "both"));
        motion_free(&m);
    }
}

static void refused_ends(void)
{
    motion m;
    if (!motion_read(&m, SQUARE)) return;
    m.settings.until = INFINITY;
    CHECK(motion_run(&m) == MECH_ERR_ARGUMENT);
    CHECK(motion_says(&m, "points are spread over a run", "no end"));
    mech_sim_free(m.sim);
    m.settings.output_points = 0;
    CHECK(motion_run(&m) == MECH_ERR_ARGUMENT);
    CHECK(motion_says(&m, "a run without an end", "mech_sim_advance"));
    mech_sim_free(m.sim);
    m.settings.from = -INFINITY;
    CHECK(motion_run(&m) == MECH_ERR_ARGUMENT);
    CHECK(motion_says(&m, "no finite time", "from is -inf"));
    mech_sim_free(m.sim);
    m.settings.from = -1e308, m.settings.until = 1e308;
    CHECK(motion_run(&m) == MECH_ERR_ARGUMENT);
    CHECK(motion_says(&m, "longer than a number can say", "1e+308"));
    motion_free(&m);
}

/* The rate of a state that jumps with the clock, and s = cos(t) in it: z(1) = 0.3 sin(1/2) + 1/2 + sin(1) - sin(1/2).
   Steps of every method end at the jump, so that it costs no digits. */
static void state_that_jumps(void)
{
    static const double tolerances[] = {1e-6, 1e-8, 1e-10};
    for (size_t k = 0; k < METHODS * 3; k++) {
        motion m;
        if (!motion_read(&m, "coord s\nkinetic s'^2/2\npotential s^2/2\nstate z: z' = if(t > 1/2, 1 + s, 0.3*s)\n"
                             "initial s = 1, z = 0\nsimulate until 1\n"))
            return;
        CHECK(motion_derive(&m) == MECH_OK);
        motion_settings(&m, tolerances[k % 3]);
        m.settings.method = methods[k / 3];
        if (motion_may_run(&m)) {
            const double off = fabs(motion_end(&m, "s") - cos(1)) + fabs(motion_end(&m, "s'") + sin(1));
            CHECK_NEAR(motion_end(&m, "z"), 0.5 + sin(1) - 0.7 * sin(0.5), tolerances[k % 3] + 3 * off);
        }
        motion_free(&m);
    }
}

/* A force that jumps with the place: cos(t) down to 1/2, about 3 from there on until it is back, and about 0 again.
   Methods that step over it begin anew before it. */
static void force_that_jumps(void)
{
    const double down = M_PI / 3, speed = sin(down), back = down + 2 * atan(speed / 2.5), left = 2 - back;
    const double s = cos(left) / 2 + speed * sin(left), rate = speed * cos(left) - sin(left) / 2;
    static const double tolerances[] = {1e-6, 1e-8, 1e-10};
    for (size_t k = 0; k < METHODS * 3; k++) {
        const double rtol = tolerances[k % 3];
        motion m;
        if (!motion_read(&m, "coord s\nkinetic s'^2/2\npotential s^2/2\nforce if(s > 0.5, 0, 3) on s'\ninitial s = 1\n"
                             "simulate until 2\n"))
            return;
        CHECK(motion_derive(&m) == MECH_OK);
        motion_settings(&m, rtol);
        m.settings.method = methods[k / 3];
        if (motion_may_run(&m)) {
            CHECK_NEAR(motion_end(&m, "s"), s, 50 * rtol);
            CHECK_NEAR(motion_end(&m, "s'"), rate, 50 * rtol);
        }
        motion_free(&m);
    }
}

int main(void)
{
    state_that_jumps();
    force_that_jumps();
    square_waves();
    cut_square_waves();
    cut_at_jumps();
    cut_at_events();
    beyond_the_end();
    without_end();
    events_without_end();
    still_guarded();
    refused_ends();
    return check_report();
}
