/* Contact problems with answers in closed form. */
#include "check.h"
#include "contact/contact.h"

static const double pi = 3.14159265358979323846;

enum { MOST = 8, ROWS = 24 };

/* Rows as they are built up by hand: J over masses. */
typedef struct setup {
    contact_point point[MOST];
    double J[ROWS][12], mass[12], v[12], a[12], W[ROWS * ROWS], c[ROWS];
    size_t contacts, rows, freedom;
    contact_room *room;
    contact_answer answer;
    double after[12];
} setup;

static setup begin(size_t freedom, const double *mass)
{
    setup s = {.freedom = freedom};
    memcpy(s.mass, mass, freedom * sizeof *mass);
    CHECK(contact_create(MOST, ROWS, &s.room) == MECH_OK);
    return s;
}

static void add_row(setup *s, const double *J) { memcpy(s->J[s->rows++], J, s->freedom * sizeof *J); }

static contact_point *add_contact(setup *s, size_t tangents, double mu)
{
    contact_point *at = &s->point[s->contacts++];
    *at = (contact_point){.tangents = tangents, .mu = mu, .mu_static = mu};
    return at;
}

static contact_problem problem(setup *s, const double *x)
{
    for (size_t r = 0; r < s->rows; r++) {
        s->c[r] = 0;
        for (size_t f = 0; f < s->freedom; f++) s->c[r] += s->J[r][f] * x[f];
        for (size_t k = 0; k < s->rows; k++) {
            double sum = 0;
            for (size_t f = 0; f < s->freedom; f++) sum += s->J[r][f] * s->J[k][f] / s->mass[f];
            s->W[r + k * s->rows] = sum;
        }
    }
    return (contact_problem){.contacts = s->contacts, .point = s->point, .rows = s->rows, .W = s->W, .c = s->c};
}

static void finish(setup *s, const double *x)
{
    for (size_t f = 0; f < s->freedom; f++) {
        s->after[f] = x[f];
        for (size_t r = 0; r < s->rows && s->answer.motions > 0; r++)
            s->after[f] += s->J[r][f] * s->answer.motion[0].l[r] / s->mass[f];
    }
}

static void accelerate(setup *s)
{
    const contact_problem p = problem(s, s->a);
    contact_accelerations(s->room, &p, &s->answer);
    finish(s, s->a);
}

static void hit(setup *s)
{
    const contact_problem p = problem(s, s->v);
    contact_impulses(s->room, &p, 0, &s->answer);
    finish(s, s->v);
}

/* ---- impacts of one contact ---- */

/* -e v, whatever the units of the row. */
static void test_bounce(void)
{
    for (int k = -6; k <= 6; k += 3) {
        setup s = begin(1, (double[]){2});
        add_row(&s, (double[]){pow(10, k)});
        add_contact(&s, 0, 0)->restitution = 0.7;
        s.v[0] = -3;
        hit(&s);
        CHECK(s.answer.verdict == CONTACT_ONE && s.answer.is_examined);
        CHECK_NEAR(s.after[0], 0.7 * 3, 1e-14);
        CHECK_NEAR(s.answer.energy, 2 * 9 * (0.49 - 1) / 2, 1e-14);
        s.v[0] = 3; /* it leaves: nothing happens */
        hit(&s);
        CHECK(s.after[0] == 3 && s.answer.motion[0].l[0] == 0);
        contact_free(s.room);
    }
}

/* A ball (inertia 2/5 m r^2) hits a plane with velocity (u, -v) and spin w: the point of contact has u + r w. It
   slips through the impact where mu (1 + e) v (1 + 5/2) < |u + r w|, else it ends at rest: then the normal impulse (1
   + e) m v takes 2/7 m |u + r w| along. */
static void spinning_ball(double mu, size_t tangents)
{
    const double m = 1.3, r = 0.2, e = 0.6, v = 2, u = 1.5, w = 4, I = 0.4 * m * r * r;
    const double slip = u + r * w, N = (1 + e) * m * v;
    const double friction = fmin(mu * N, 2. / 7 * m * slip);
    const int is_flat = tangents == 1;
    setup s = begin(is_flat ? 3 : 6, is_flat ? (double[]){m, m, I} : (double[]){m, m, m, I, I, I});
    const double angle = is_flat ? 0 : 0.4; /* of the slip in the plane */
    add_contact(&s, tangents, mu)->restitution = e;
    if (is_flat) {
        add_row(&s, (double[]){0, 1, 0});
        add_row(&s, (double[]){1, 0, r});
        memcpy(s.v, (double[]){u, -v, w}, 3 * sizeof(double));
    } else { /* x, z along the plane, y up; spin w about the axis across the slip */
        add_row(&s, (double[]){0, 1, 0, 0, 0, 0});
        add_row(&s, (double[]){1, 0, 0, 0, 0, r});
        add_row(&s, (double[]){0, 0, 1, -r, 0, 0});
        memcpy(s.v, (double[]){u * cos(angle), -v, u * sin(angle), -w * sin(angle), 0, w * cos(angle)},
               6 * sizeof(double));
    }
    hit(&s);
    CHECK(s.answer.verdict == CONTACT_ONE);
    CHECK_NEAR(s.after[1], e * v, 1e-11);
    CHECK_NEAR(s.after[0], (u - friction / m) * cos(angle), 1e-11);
    if (!is_flat) CHECK_NEAR(s.after[2], (u - friction / m) * sin(angle), 1e-11);
    CHECK_NEAR(s.after[is_flat ? 2 : 5], (w - r * friction / I) * cos(angle), 1e-11);
    CHECK(s.answer.motion[0].mode[0] == CONTACT_OPENS);
    contact_free(s.room);
}

static void test_spinning_ball(void)
{
    const double limit = 2.3 / (1.6 * 2 * 3.5); /* slip / ((1 + e) v 7/2) */
    for (size_t tangents = 1; tangents <= 2; tangents++) {
        spinning_ball(0.5 * limit, tangents);
        spinning_ball(limit * (1 - 1e-9), tangents);
        spinning_ball(limit * (1 + 1e-9), tangents);
        spinning_ball(3 * limit, tangents);
    }
}

/* Kane's pendulum of two rods hits the ground with its tip while slip reverses: by Newton's law energy grows. Here it
   is less after than before for every e, and the normal work of expansion is e^2 that of compression. */
static void test_kane(void)
{
    /* two uniform rods of length 1 and mass 1 at 20 and 30 degrees from the vertical, angular velocities -0.1, -0.2:
       generalized coordinates are the angles; J and inverse mass matrix by hand, then Cholesky to unit masses */
    const double t1 = 20 * pi / 180, t2 = 30 * pi / 180, M11 = 4. / 3, M12 = cos(t1 - t2) / 2, M22 = 1. / 3;
    const double jt[2] = {cos(t1), cos(t2)}, jn[2] = {sin(t1), sin(t2)};
    const double L11 = sqrt(M11), L21 = M12 / L11, L22 = sqrt(M22 - L21 * L21);
    for (int k = 0; k <= 20; k++) {
        const double w[2] = {-0.1, -0.2}, e = k / 20.;
        setup s = begin(2, (double[]){1, 1});
        add_row(&s, (double[]){(jn[0] - L21 / L22 * jn[1]) / L11, jn[1] / L22});
        add_row(&s, (double[]){(jt[0] - L21 / L22 * jt[1]) / L11, jt[1] / L22});
        add_contact(&s, 1, 0.5)->restitution = e;
        s.v[0] = L11 * w[0] + L21 * w[1], s.v[1] = L22 * w[1];
        hit(&s);
        const double before = s.v[0] * s.v[0] + s.v[1] * s.v[1],
                     after = s.after[0] * s.after[0] + s.after[1] * s.after[1];
        CHECK(s.c[0] < 0 && after <= before);
        CHECK_NEAR(s.answer.energy, (after - before) / 2, 1e-13);
        CHECK(s.answer.motion[0].w[0] >= 0);
        contact_free(s.room);
    }
}

/* ---- Painleve's rod ---- */

/* A uniform rod of mass 1 and length 2 at th to the horizontal, its lower end on the ground and sliding along: the
   force at its end turns it. W by hand: inertia 1/3, arm (cos, sin). */
static setup rod(double th, double mu, double slip, double ay)
{
    setup s = begin(3, (double[]){1, 1, 1. / 3});
    contact_point *at = add_contact(&s, 1, mu);
    add_row(&s, (double[]){0, 1, -cos(th)});
    add_row(&s, (double[]){1, 0, sin(th)});
    at->is_sliding = 1, at->slip[0] = slip;
    s.a[1] = ay;
    return s;
}

static double rod_limit(double th) { return (1 + 3 * cos(th) * cos(th)) / (3 * sin(th) * cos(th)); }

static void test_painleve(void)
{
    double least = 100, at = 0;
    for (int k = 1; k < 90; k++) {
        const double th = k * pi / 180, limit = rod_limit(th);
        setup s = rod(th, 2 * limit, -1, -9.81);
        accelerate(&s);
        CHECK(s.answer.verdict == CONTACT_NONE && s.answer.is_examined && s.answer.is_without[0]);
        CHECK_NEAR(contact_limit(s.W[0], s.W[1], -1), limit, 1e-13);
        CHECK(contact_limit(s.W[0], s.W[1], 1) == HUGE_VAL);
        const contact_problem p = problem(&s, s.a);
        double mu;
        CHECK(contact_blame(s.room, &p, &mu) == 0);
        CHECK_NEAR(mu, limit, 1e-10);
        if (mu < least) least = mu, at = th;
        s.a[1] = 1; /* pulled off: it flies, or friction presses it on */
        accelerate(&s);
        CHECK(s.answer.verdict == CONTACT_SEVERAL && s.answer.motions == 2);
        CHECK(s.answer.motion[0].mode[0] == CONTACT_SLIDES && s.answer.motion[1].mode[0] == CONTACT_OPENS);
        s.point[0].was = CONTACT_OPENS;
        accelerate(&s);
        CHECK(s.answer.motion[0].mode[0] == CONTACT_OPENS);
        s.point[0].slip[0] = 1; /* the other way: friction lifts */
        s.a[1] = -9.81;
        accelerate(&s);
        CHECK(s.answer.verdict == CONTACT_ONE && s.answer.motions == 1);
        contact_free(s.room);
    }
    CHECK_NEAR(tan(at), 2, 0.05);
    setup s = rod(atan(2), 2, -1, -9.81);
    double mu;
    const contact_problem p = problem(&s, s.a);
    CHECK(contact_blame(s.room, &p, &mu) == 0);
    CHECK_NEAR(mu, 4. / 3, 1e-10);
    contact_free(s.room);
}

/* Where there is no acceleration: the impulse without approach stops the slip. By hand: sliding takes ut from -u to 0
   over p1 = u/(mu Wtt - Wnt'), pressing the end in with un = -|kn| p1; then it sticks, and un rises with
   Wnn - Wnt^2/Wtt to 0. */
static void test_jam(void)
{
    const double th = 1.1, mu = 2, u = 0.7;
    for (int k = 0; k < 3; k++) {
        setup s = rod(th, mu, -u, -9.81);
        const double e = 0.5 * k;
        memcpy(s.v, (double[]){-u, 0, 0}, 3 * sizeof(double));
        s.point[0].restitution = e;
        contact_problem p = problem(&s, s.v);
        contact_impulses(s.room, &p, 1, &s.answer);
        finish(&s, s.v);
        const double Wnn = 1 + 3 * cos(th) * cos(th), Wtt = 1 + 3 * sin(th) * sin(th), Wnt = -3 * sin(th) * cos(th);
        const double kn = Wnn + mu * Wnt, kt = Wnt + mu * Wtt, p1 = u / kt, stick = Wnn - Wnt * Wnt / Wtt;
        const double p2 = -kn * p1 / stick, taken = -kn * p1 * p1 / 2 + stick * p2 * p2 / 2;
        const double p3 = sqrt(2 * e * e * taken / stick);
        CHECK(s.answer.verdict == CONTACT_ONE);
        CHECK(kn < 0);
        CHECK_NEAR(s.answer.motion[0].l[0], p1 + p2 + p3, 1e-13);
        CHECK_NEAR(s.answer.motion[0].l[1], mu * p1 - Wnt / Wtt * (p2 + p3), 1e-13);
        CHECK_NEAR(s.answer.motion[0].w[0], stick * p3, 1e-13);
        CHECK_NEAR(s.answer.motion[0].w[1], 0, 1e-13);
        CHECK(s.answer.energy < 0);
        contact_free(s.room);
    }
    setup s = rod(th, 0.1, -u, -9.81); /* nothing jams */
    memcpy(s.v, (double[]){-u, 0, 0}, 3 * sizeof(double));
    const contact_problem p = problem(&s, s.v);
    contact_impulses(s.room, &p, 1, &s.answer);
    CHECK(s.answer.verdict == CONTACT_NONE);
    contact_free(s.room);
}

/* A point whose normal row leans on its tangents by (a, b): friction holds it by as much of the normal force, so that
   what slid stands still at the end where mu is more, however little (the sliding dies away slowly then). */
static void test_hardly_held(void)
{
    const double a = 0.2, b = -0.18, least = hypot(a, b);
    for (int k = 0; k < 60; k++) {
        const double angle = 0.1 * k, mu = least * (1.02 + 0.01 * (k % 13));
        setup s = begin(3, (double[]){1, 1, 1});
        add_contact(&s, 2, mu);
        add_row(&s, (double[]){a + 0.3 * b, b, 1});
        add_row(&s, (double[]){1, 0, 0});
        add_row(&s, (double[]){0.3, 1, 0});
        s.v[0] = cos(angle), s.v[1] = sin(angle), s.v[2] = -4000;
        hit(&s);
        CHECK(s.answer.verdict == CONTACT_ONE);
        for (int i = 0; i < 3; i++) CHECK_NEAR(s.after[i], 0, 1e-9);
        contact_free(s.room);
    }
}

/* ---- several contacts ---- */

/* A table on four feet, without friction: it rests, sum and moments of the forces are right, no single force is unique.
   Its load sits off the middle. With a load beyond a foot it tips about two of them. */
static void test_table(void)
{
    setup s = begin(3, (double[]){10, 2, 3});
    const double foot[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int i = 0; i < 4; i++) {
        add_contact(&s, 0, 0);
        add_row(&s, (double[]){1, foot[i][1], -foot[i][0]});
    }
    const double x = 0.3, y = 0.2, g = 9.81; /* force -m g at (x, y) */
    memcpy(s.a, (double[]){-g, -10 * g * y / 2, 10 * g * x / 3}, 3 * sizeof(double));
    accelerate(&s);
    CHECK(s.answer.verdict == CONTACT_ONE && s.answer.is_examined && s.answer.motions == 1);
    for (int i = 0; i < 3; i++) CHECK_NEAR(s.after[i], 0, 1e-12);
    double sum = 0, least = 0;
    for (int i = 0; i < 4; i++) {
        const double l = s.answer.motion[0].l[i];
        sum += l;
        CHECK(!s.answer.is_force_unique[i]);
        /* least forces: m g (1 + x x_i + y y_i)/4 */
        least = 10 * g * (1 + x * foot[i][0] + y * foot[i][1]) / 4;
        CHECK_NEAR(l, least, 1e-12);
    }
    CHECK_NEAR(sum, 10 * g, 1e-12);
    memcpy(s.a, (double[]){-g, 0, 10 * g * 1.5 / 3}, 3 * sizeof(double)); /* at x = 1.5 */
    accelerate(&s);
    CHECK(s.answer.verdict == CONTACT_ONE);
    CHECK(s.answer.motion[0].mode[1] == CONTACT_OPENS && s.answer.motion[0].mode[2] == CONTACT_OPENS);
    CHECK(s.answer.is_force_unique[0] && s.answer.is_force_unique[3]);
    /* about the feet at x = 1: (m + ...) by hand: turns with m g (1.5 - 1)/(I + m) */
    CHECK_NEAR(s.after[2], 10 * g * 0.5 / (3 + 10), 1e-12);
    contact_free(s.room);
}

/* A sphere in a V groove whose walls stand at b to the horizontal: forces m g/(2 cos b) each; dropped with e = 0 it
   stays, with e it leaves with e v, by symmetry. */
static void test_groove(void)
{
    const double b = 0.6, m = 2, g = 9.81;
    setup s = begin(2, (double[]){m, m});
    for (int i = 0; i < 2; i++) {
        add_contact(&s, 0, 0)->restitution = 0.4;
        add_row(&s, (double[]){i ? sin(b) : -sin(b), cos(b)});
    }
    s.a[1] = -g;
    accelerate(&s);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(s.answer.motion[0].l[i], m * g / (2 * cos(b)), 1e-13);
        CHECK(s.answer.is_force_unique[i]);
    }
    s.v[1] = -3;
    hit(&s);
    CHECK_NEAR(s.after[1], 0.4 * 3, 1e-13);
    CHECK_NEAR(s.after[0], 0, 1e-13);
    CHECK(s.answer.scaled_by == 1);
    contact_free(s.room);
}

/* Three balls of Newton's cradle that touch, e = 1: all contacts at once give -1/3, 2/3, 2/3. */
static void test_cradle(void)
{
    setup s = begin(3, (double[]){1, 1, 1});
    add_contact(&s, 0, 0)->restitution = 1;
    add_row(&s, (double[]){-1, 1, 0});
    add_contact(&s, 0, 0)->restitution = 1;
    add_row(&s, (double[]){0, -1, 1});
    s.v[0] = 1;
    hit(&s);
    CHECK_NEAR(s.after[0], -1. / 3, 1e-14);
    CHECK_NEAR(s.after[1], 2. / 3, 1e-14);
    CHECK_NEAR(s.after[2], 2. / 3, 1e-14);
    CHECK_NEAR(s.answer.energy, 0, 1e-14);
    contact_free(s.room);
}

/* A block on one foot with friction at rest on a slope: holds up to mu, then slides; with mu_static it holds longer. */
static void test_slope(void)
{
    const double m = 3, g = 9.81;
    for (size_t tangents = 1; tangents <= 2; tangents++)
        for (int k = 0; k < 20; k++) {
            const double angle = 0.05 * k, mu = 0.4, rest = 0.6, turn = tangents > 1 ? 0.7 : 0;
            setup s = begin(3, (double[]){m, m, m});
            add_contact(&s, tangents, mu)->mu_static = rest;
            add_row(&s, (double[]){0, 1, 0});
            add_row(&s, (double[]){1, 0, 0});
            if (tangents > 1) add_row(&s, (double[]){0, 0, 1});
            memcpy(s.a, (double[]){g * sin(angle) * cos(turn), -g * cos(angle), g * sin(angle) * sin(turn)},
                   3 * sizeof(double));
            accelerate(&s);
            const int holds = tan(angle) <= rest;
            CHECK(s.answer.verdict == CONTACT_ONE && s.answer.motions == 1 && s.answer.is_examined == (tangents == 1));
            CHECK(s.answer.motion[0].mode[0] == (holds ? CONTACT_HOLDS : CONTACT_SLIDES));
            CHECK_NEAR(s.after[0], holds ? 0 : g * (sin(angle) - mu * cos(angle)) * cos(turn), 1e-12);
            CHECK_NEAR(s.answer.motion[0].l[0], m * g * cos(angle), 1e-12);
            contact_free(s.room);
        }
}

/* Three feet of one body that slide with different friction: too many of them, and the motion fills a range. */
static void test_range(void)
{
    setup s = begin(3, (double[]){1, 1, 1});
    const double mu[3] = {0.1, 0.5, 0.1};
    for (int i = 0; i < 3; i++) {
        contact_point *at = add_contact(&s, 1, mu[i]);
        at->is_sliding = 1, at->slip[0] = 1;
        add_row(&s, (double[]){0, 1, i - 1.});
        add_row(&s, (double[]){1, 0, 0});
    }
    s.a[1] = -10;
    accelerate(&s);
    CHECK(s.answer.verdict == CONTACT_SEVERAL && s.answer.is_continuum && s.answer.is_examined);
    /* all on the outer feet, or all on the middle one */
    CHECK(s.after[0] < -1 && s.after[0] > -5);
    for (int i = 0; i < 3; i++) s.point[i].mu = 0.3; /* the same everywhere: forces are open, the motion is not */
    accelerate(&s);
    CHECK(s.answer.verdict == CONTACT_ONE && !s.answer.is_continuum && !s.answer.is_force_unique[1]);
    CHECK_NEAR(s.after[0], -3, 1e-12);
    contact_free(s.room);
}

/* Eight balls on the ground, in one chain of stacked weights: more than six, without friction, still one motion. */
static void test_many(void)
{
    setup s = begin(8, (double[]){1, 2, 1, 2, 1, 2, 1, 2});
    double above = 0;
    for (size_t i = 0; i < 8; i++) {
        double row[8] = {0};
        row[i] = 1;
        if (i > 0) row[i - 1] = -1;
        add_contact(&s, 0, 0);
        add_row(&s, row);
        s.a[i] = -10;
    }
    accelerate(&s);
    CHECK(s.answer.verdict == CONTACT_ONE && s.answer.is_examined);
    for (size_t i = 8; i-- > 0;) {
        above += 10 * s.mass[i];
        CHECK_NEAR(s.answer.motion[0].l[i], above, 1e-11);
        CHECK(s.answer.is_force_unique[i]);
    }
    contact_free(s.room);
}

int main(void)
{
    test_bounce();
    test_spinning_ball();
    test_kane();
    test_painleve();
    test_jam();
    test_hardly_held();
    test_table();
    test_groove();
    test_cradle();
    test_slope();
    test_range();
    test_many();
    return check_report();
}
