/* Random impacts of bodies in a plane and in space: energy never grows with e <= 1, contacts push, lie in their cones
   and do not sink in; without restitution they are complementary. All is looked at in the coordinates of the bodies,
   with their masses. */
#include "check.h"
#include "contact/contact.h"
#include "support/random_numbers.h"

enum { MOST = 6, ROWS = 3 * MOST, FREEDOM = 12 };

typedef struct impact {
    contact_point point[MOST];
    double J[ROWS][FREEDOM], mass[FREEDOM], v[FREEDOM], after[FREEDOM];
    double W[ROWS * ROWS], c[ROWS];
    size_t freedom;
    contact_problem p;
} impact;

static double between(double low, double high) { return low + (high - low) * (random_signed() + 1) / 2; }

static void cross(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* A contact of a body with the ground, or of the second with the first, in a frame at random. */
static void add_rows(impact *m, size_t i, size_t *rows, int is_flat)
{
    const size_t bodies = m->freedom / (is_flat ? 3 : 6);
    double n[3] = {between(-0.7, 0.7), 1, is_flat ? 0 : between(-0.7, 0.7)}, t[2][3] = {{1, -n[0], 0}, {0, 0, 0}};
    const double at[3] = {between(-1, 1), between(-1.5, 0), is_flat ? 0 : between(-1, 1)};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), other = hypot(t[0][0], t[0][1]);
    for (int x = 0; x < 3; x++) n[x] /= length, t[0][x] /= other;
    cross(n, t[0], t[1]);
    const size_t body = i % bodies;
    for (size_t r = 0; r <= m->point[i].tangents; r++, (*rows)++) {
        const double *d = r == 0 ? n : t[r - 1];
        double *J = m->J[*rows], turn[3];
        memset(J, 0, FREEDOM * sizeof *J);
        cross(at, d, turn);
        double *own = J + body * (is_flat ? 3 : 6);
        for (int x = 0; x < (is_flat ? 2 : 3); x++) own[x] = d[x];
        for (int x = is_flat ? 2 : 0; x < 3; x++) own[is_flat ? 2 : 3 + x] = turn[x];
        if (body == 1 && i % 4 == 1) /* between the two, at another point of the first */
            for (int x = 0; x < (is_flat ? 2 : 3); x++) J[x] = -d[x];
    }
}

static void make(size_t contacts, int is_flat, double e, impact *m)
{
    size_t rows = 0;
    const int is_one_e = between(0, 1) < 0.3;
    const double all = between(0, 1);
    m->freedom = (is_flat ? 3u : 6u) * (between(0, 1) < 0.5 ? 1u : 2u);
    for (size_t f = 0; f < m->freedom; f++) {
        const int turns = is_flat ? f % 3 == 2 : f % 6 >= 3;
        m->mass[f] = turns ? between(0.05, 0.4) : is_flat ? 1 + (double)(f / 3) : 1 + (double)(f / 6);
        m->v[f] = f % 3 == 1 ? between(-2, 0) : between(-1, 1);
    }
    for (size_t i = 0; i < contacts; i++) {
        contact_point *at = &m->point[i];
        *at = (contact_point){.mu = between(0, 2), .restitution = e < 0 ? (is_one_e ? all : between(0, 1)) : e};
        at->mu_static = 2 * at->mu; /* impulses do not look at it */
        at->tangents = between(0, 1) < 0.2 ? 0 : is_flat ? 1 : 2;
        add_rows(m, i, &rows, is_flat);
    }
    for (size_t r = 0; r < rows; r++) {
        m->c[r] = 0;
        for (size_t f = 0; f < m->freedom; f++) m->c[r] += m->J[r][f] * m->v[f];
        for (size_t k = 0; k < rows; k++) {
            double sum = 0;
            for (size_t f = 0; f < m->freedom; f++) sum += m->J[r][f] * m->J[k][f] / m->mass[f];
            m->W[r + k * rows] = sum;
        }
    }
    m->p = (contact_problem){.contacts = contacts, .point = m->point, .rows = rows, .W = m->W, .c = m->c};
}

static double energy(const impact *m, const double *v)
{
    double sum = 0;
    for (size_t f = 0; f < m->freedom; f++) sum += m->mass[f] * v[f] * v[f] / 2;
    return sum;
}

static double rate(const impact *m, size_t r)
{
    double sum = 0;
    for (size_t f = 0; f < m->freedom; f++) sum += m->J[r][f] * m->after[f];
    return sum;
}

static void look(impact *m, const contact_answer *a, int is_dead)
{
    const double *P = a->motion[0].l;
    double speed = 0, most = 0;
    for (size_t f = 0; f < m->freedom; f++) {
        double sum = 0;
        for (size_t r = 0; r < m->p.rows; r++) sum += m->J[r][f] * P[r];
        m->after[f] = m->v[f] + sum / m->mass[f];
        speed = fmax(speed, fabs(m->v[f]));
    }
    for (size_t r = 0; r < m->p.rows; r++) most = fmax(most, fabs(P[r]));
    const double change = energy(m, m->after) - energy(m, m->v);
    CHECK(change <= 1e-12 * energy(m, m->v));
    CHECK_NEAR(a->energy, change, 1e-11);
    CHECK(a->residual <= 1e-10);
    for (size_t i = 0, r = 0; i < m->p.contacts; r += 1 + m->point[i].tangents, i++) {
        const contact_point *at = &m->point[i];
        const double un = rate(m, r), f[2] = {at->tangents > 0 ? P[r + 1] : 0, at->tangents > 1 ? P[r + 2] : 0};
        CHECK(P[r] >= -1e-10 * most);
        CHECK(un >= -1e-10 * (speed + most));
        CHECK(hypot(f[0], f[1]) <= at->mu * P[r] + 1e-10 * most);
        if (is_dead) CHECK(fabs(fmin(P[r], un)) <= 1e-10 * (speed + most));
    }
}

int main(void)
{
    contact_room *room;
    size_t scaled = 0, several = 0, number = 0, failed = 0;
    if (contact_create(MOST, ROWS, &room) != MECH_OK) return 1;
    for (; number < 1000; number++) {
        impact m;
        contact_answer a;
        const int is_dead = number % 4 == 3, is_flat = number % 2 == 0;
        make(1 + number / 2 % MOST, is_flat, is_dead ? 0 : number % 40 < 4 ? 1 : -1, &m);
        contact_impulses(room, &m.p, 0, &a);
        if (a.verdict == CONTACT_FAILED) {
            fprintf(stderr, "impact %zu of %zu contacts: %s (residual %g)\n", number, m.p.contacts, a.reason,
                    a.residual);
            failed++;
            continue;
        }
        look(&m, &a, is_dead);
        scaled += a.scaled_by < 1, several += a.verdict == CONTACT_SEVERAL;
    }
    printf("%zu impacts, %zu with expansion scaled, %zu with several compressions, %zu failed\n", number, scaled,
           several, failed);
    CHECK(failed == 0);
    contact_free(room);
    return check_report();
}
