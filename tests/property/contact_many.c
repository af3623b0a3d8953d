/* One motion for any number of contacts: Lemke's and Newton's method. In a plane, for problems that can be searched
   through, their motion is one of all; above, and for cones in space, it meets the laws. */
#include "check.h"
#include "contact/room.h"
#include "support/random_numbers.h"

enum { MOST = 30, ROWS = 3 * MOST, FREEDOM = 30 };

typedef struct problem {
    contact_point point[MOST];
    double J[ROWS][FREEDOM], W[ROWS * ROWS], c[ROWS];
    contact_problem p;
} problem;

static double between(double low, double high) { return low + (high - low) * (random_signed() + 1) / 2; }

/* Bodies in a heap: each contact is between two of them, or with the ground. */
static void make(size_t contacts, size_t tangents, double sliding, size_t freedom, double mu, problem *q)
{
    size_t rows = 0;
    double a[FREEDOM];
    for (size_t f = 0; f < freedom; f++) a[f] = f % 3 == 1 ? between(-2, 0) : between(-1, 1);
    for (size_t i = 0; i < contacts; i++) {
        contact_point *at = &q->point[i];
        *at = (contact_point){.tangents = between(0, 1) < 0.1 ? 0 : tangents, .mu = between(0, mu)};
        at->mu_static = at->mu * (i % 3 == 0 ? 1.2 : 1);
        at->is_sliding = at->tangents && between(0, 1) < sliding;
        at->slip[0] = between(-1, 1), at->slip[1] = between(-1, 1);
        for (size_t t = 0; t <= at->tangents; t++, rows++)
            for (size_t f = 0; f < freedom; f++)
                q->J[rows][f] = (f / 3 + i) % (freedom / 3) < 2 ? between(-1, 1) + (t == 0 && f % 3 == 1) : 0;
    }
    for (size_t r = 0; r < rows; r++) {
        q->c[r] = 0;
        for (size_t f = 0; f < freedom; f++) q->c[r] += q->J[r][f] * a[f];
        for (size_t k = 0; k < rows; k++) {
            double sum = 0;
            for (size_t f = 0; f < freedom; f++) sum += q->J[r][f] * q->J[k][f];
            q->W[r + k * rows] = sum;
        }
    }
    q->p = (contact_problem){.contacts = contacts, .point = q->point, .rows = rows, .W = q->W, .c = q->c};
}

/* In the units given. */
static double worst_of(const problem *q, const double *l)
{
    const size_t n = q->p.rows;
    double size = 0, worst = 0;
    for (size_t r = 0; r < n; r++) size = fmax(size, fmax(fabs(l[r]), fabs(q->c[r])));
    for (size_t i = 0, r = 0; i < q->p.contacts; r += 1 + q->point[i].tangents, i++) {
        const contact_point *at = &q->point[i];
        double w[3] = {0}, f[2] = {0}, slip[2] = {0};
        for (size_t t = 0; t <= at->tangents; t++) {
            w[t] = q->c[r + t];
            for (size_t k = 0; k < n; k++) w[t] += q->W[r + t + k * n] * l[k];
            if (t > 0) f[t - 1] = l[r + t], slip[t - 1] = at->is_sliding ? at->slip[t - 1] : w[t];
        }
        const double speed = hypot(slip[0], slip[1]);
        worst = fmax(worst, fmax(fabs(fmin(l[r], w[0])), fmax(-l[r], -w[0])));
        if (!at->tangents) continue;
        worst = fmax(worst, hypot(f[0], f[1]) - at->mu_static * l[r]);
        if (speed > 1e-8 * size)
            for (int t = 0; t < 2; t++) worst = fmax(worst, fabs(f[t] + at->mu * l[r] * slip[t] / speed));
    }
    return worst / size;
}

/* The first part alone, by Lemke's and Newton's method: 1 found, into l of the whole. */
static int one_motion(contact_room *room, const problem *q, double *w)
{
    double residual;
    const char *reason = NULL;
    part_scale(room, &q->p, 0);
    memset(room->is_taken, 0, q->p.contacts);
    while (part_next(room)) {
        if (newton_search(room, &residual, &reason) != CONTACT_ONE) return 0;
        for (size_t r = 0; r < room->now.rows; r++) w[room->now.row_of[r]] = room->list[0].w[r] / room->now.unit[r];
    }
    return 1;
}

static void compare_with_all(contact_room *room)
{
    size_t ended = 0, found = 0;
    for (int number = 0; number < 400; number++) {
        problem q;
        contact_answer a;
        double w[ROWS], size = 0;
        make(1 + (size_t)number % 5, 1, number % 2 ? 0.3 : 0, number % 3 ? 6u : 12u, 1.5, &q);
        const int is_found = one_motion(room, &q, w);
        contact_accelerations(room, &q.p, &a);
        for (size_t r = 0; r < q.p.rows; r++) size = fmax(size, fmax(fabs(q.c[r]), is_found ? fabs(w[r]) : 0));
        if (number % 2 == 0) CHECK(is_found); /* nothing slides: there is one, and it is found */
        CHECK(!is_found || a.motions > 0);
        ended += (size_t)is_found, found += a.motions > 0;
        int is_there = !is_found || a.is_continuum || a.motions > a.kept;
        for (size_t m = 0; m < a.kept && !is_there; m++) {
            is_there = 1;
            for (size_t r = 0; r < q.p.rows; r++) is_there &= fabs(a.motion[m].w[r] - w[r]) < 1e-8 * size;
        }
        CHECK(is_there);
    }
    printf("400 in a plane: %zu have a motion, %zu were found by Lemke's and Newton's method\n", found, ended);
    CHECK(ended + 10 > found);
}

static void look_at_laws(contact_room *room, size_t tangents, size_t from, size_t to, double sliding, double mu,
                         size_t most_failed)
{
    size_t failed = 0;
    double worst = 0;
    for (size_t number = 0; number < 150; number++) {
        problem q;
        contact_answer a;
        make(from + number % (to - from + 1), tangents, sliding, number % 2 ? (size_t)FREEDOM : 18, mu, &q);
        contact_accelerations(room, &q.p, &a);
        if (a.verdict == CONTACT_FAILED || a.verdict == CONTACT_NONE) {
            CHECK(a.reason && (a.residual > 0 || a.verdict == CONTACT_NONE));
            failed++;
            continue;
        }
        const double own = worst_of(&q, a.motion[0].l);
        worst = fmax(worst, own);
        CHECK(own < 1e-9);
    }
    printf("150 of %zu to %zu contacts with %zu tangents, %g of them sliding: %zu without an answer, worst %.1e\n",
           from, to, tangents, sliding, failed, worst);
    CHECK(failed <= most_failed);
}

/* One contact between disk a and disk b (SIZE_MAX: the ground) of radius 1 and inertia 1/2: normal from b to a. */
static void add_pair(problem *q, size_t a, size_t b, double nx, double ny)
{
    const size_t i = q->p.contacts++;
    q->point[i] = (contact_point){.tangents = 1, .mu = 0.4, .mu_static = 0.4, .restitution = i % 3 ? 0 : 0.2};
    for (int t = 0; t < 2; t++, q->p.rows++) {
        double *J = q->J[q->p.rows];
        const double x = t ? -ny : nx, y = t ? nx : ny;
        memset(J, 0, FREEDOM * sizeof *J);
        J[3 * a] = x, J[3 * a + 1] = y, J[3 * a + 2] = t ? -1.4142135623730951 : 0;
        if (b == SIZE_MAX) continue;
        J[3 * b] = -x, J[3 * b + 1] = -y, J[3 * b + 2] = t ? -1.4142135623730951 : 0;
    }
}

/* Disks in a box, in rows and columns that may slant. */
static void make_heap(size_t wide, size_t high, double slant, problem *q)
{
    double v[FREEDOM];
    q->p = (contact_problem){.point = q->point, .W = q->W, .c = q->c};
    for (size_t f = 0; f < 3 * wide * high; f++) v[f] = (f % 3 == 1 ? -1 : 0) + 0.3 * random_signed();
    for (size_t r = 0; r < high; r++)
        for (size_t c = 0; c < wide; c++) {
            const size_t a = r * wide + c;
            if (c == 0) add_pair(q, a, SIZE_MAX, 1, 0);
            else add_pair(q, a, a - 1, cos(slant), sin(slant));
            if (c == wide - 1) add_pair(q, a, SIZE_MAX, -1, 0);
            if (r == 0) add_pair(q, a, SIZE_MAX, 0, 1);
            else add_pair(q, a, a - wide, -sin(slant), cos(slant));
        }
    for (size_t r = 0; r < q->p.rows; r++) {
        q->c[r] = 0;
        for (size_t f = 0; f < FREEDOM; f++) q->c[r] += f < 3 * wide * high ? q->J[r][f] * v[f] : 0;
        for (size_t k = 0; k < q->p.rows; k++) {
            double sum = 0;
            for (size_t f = 0; f < FREEDOM; f++) sum += q->J[r][f] * q->J[k][f];
            q->W[r + k * q->p.rows] = sum;
        }
    }
}

static void look_at_heaps(contact_room *room)
{
    double worst = 0;
    for (size_t number = 0; number < 200; number++) {
        problem q;
        contact_answer a;
        make_heap(2 + number % 2, 2 + number / 2 % 2, number % 3 ? 0.05 * (double)(number % 7) : 0, &q);
        contact_impulses(room, &q.p, 0, &a);
        CHECK(a.verdict == CONTACT_ONE || a.verdict == CONTACT_SEVERAL);
        CHECK(a.residual <= 1e-10 && a.energy < 0);
        worst = fmax(worst, a.residual);
    }
    printf("200 heaps: worst %.1e\n", worst);
}

/* Impacts of far more contacts than there are freedoms. Without restitution the laws are those of rest. */
static void look_at_impacts(contact_room *room, size_t tangents)
{
    double worst = 0;
    for (size_t number = 0; number < 150; number++) {
        problem q;
        contact_answer a;
        make(7 + number % 20, tangents, 0, number % 2 ? 12 : 18, 0.6, &q);
        q.p.one_is_enough = number % 3 > 0;
        for (size_t i = 0; i < q.p.contacts; i++) {
            q.point[i].mu_static = q.point[i].mu;
            q.point[i].restitution = number % 5 ? between(0, 1) : 0;
        }
        contact_impulses(room, &q.p, 0, &a);
        CHECK(a.verdict == CONTACT_ONE || a.verdict == CONTACT_SEVERAL);
        double before = 0, size = 0;
        for (size_t r = 0; r < q.p.rows && a.motions > 0; r++) {
            before += a.motion[0].l[r] * (q.c[r] + a.motion[0].w[r]) / 2;
            size += fabs(a.motion[0].l[r] * q.c[r]);
        }
        CHECK(a.energy <= 1e-12 * size && before <= 1e-10 * size && a.residual <= 1e-10);
        if (number % 5 == 0 && a.motions > 0) worst = fmax(worst, worst_of(&q, a.motion[0].l));
    }
    printf("150 impacts of 7 to 26 contacts with %zu tangents: worst %.1e without restitution\n", tangents, worst);
    CHECK(worst < 1e-9);
}

int main(void)
{
    contact_room *room;
    if (contact_create(MOST, ROWS, &room) != MECH_OK) return 1;
    compare_with_all(room);
    look_at_laws(room, 1, 7, MOST, 0, 1.5, 0);
    look_at_laws(room, 2, 1, 6, 0, 0.8, 0);
    look_at_laws(room, 2, 7, 20, 0.2, 0.5, 3);
    look_at_heaps(room);
    look_at_impacts(room, 1);
    look_at_impacts(room, 2);
    contact_free(room);
    return check_report();
}
