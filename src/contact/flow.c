/* One contact through its impact. Time is the normal impulse p; along it velocities change by W f, f = (1, friction):

       slides      f = (1, -mu d),  d the direction of its velocity
       holds       f = (1, -Wtt^-1 Wtn), where that is within mu: then to the end
       begins      f = (1, -mu d) with  Wtn - mu Wtt d = a d, a > 0: the only one, then straight on

   Compression ends where the normal velocity has come to 0, expansion where the work of the normal impulse has given
   back e^2 of what it took (Stronge). In a plane all stretches are straight (Routh). In space the direction turns while
   it slides; there the stretch is integrated by dp = |ut| ds, in which it is smooth up to the end of sliding. */
#include "contact/room.h"

#include <math.h>
#include <string.h>

enum { STRETCHES = 8, STEPS = 200000, STAGES = 7, TRIES = 100, ROWS = 1 + CONTACT_TANGENTS };

typedef struct state {
    double u[ROWS], P[ROWS], work; /* work of the normal impulse since compression or expansion began */
} state;

typedef struct flow {
    size_t rows;
    double W[ROWS][ROWS], mu, still; /* still: sliding below it has stopped */
    int expands;
    double target; /* of work, in expansion */
    state now;
} flow;

static double slip(const state *x) { return hypot(x->u[1], x->u[2]); }

static void change_along(const flow *q, const double *f, double *k)
{
    for (size_t r = 0; r < ROWS; r++) {
        k[r] = 0;
        for (size_t c = 0; c < ROWS; c++) k[r] += q->W[r][c] * f[c];
    }
}

/* Friction that keeps it from sliding, per unit of normal impulse: least where rows cannot move. */
static void holding_force(const flow *q, double *f)
{
    const double a = q->W[1][1], b = q->W[1][2], d = q->W[2][2], det = a * d - b * b;
    f[1] = f[2] = 0;
    if (det > TOL_CONTACT_RANK * (a * a + d * d)) {
        f[1] = -(d * q->W[1][0] - b * q->W[2][0]) / det;
        f[2] = -(a * q->W[2][0] - b * q->W[1][0]) / det;
    } else if (a + d > 0) { /* one direction alone moves */
        const double size = hypot(q->W[1][0], q->W[2][0]) / (a + d);
        const double length = hypot(q->W[1][0], q->W[2][0]);
        for (size_t t = 1; t < ROWS && length > 0; t++) f[t] = -size * q->W[t][0] / length;
    }
}

/* |(a + mu Wtt)^-1 Wtn|, and the vector into d: falls with a. */
static double outward(const flow *q, double a, double *d)
{
    const double A = a + q->mu * q->W[1][1], B = q->mu * q->W[1][2], D = a + q->mu * q->W[2][2], det = A * D - B * B;
    d[0] = (D * q->W[1][0] - B * q->W[2][0]) / det;
    d[1] = (A * q->W[2][0] - B * q->W[1][0]) / det;
    return hypot(d[0], d[1]);
}

static void beginning_force(const flow *q, double *f)
{
    double low = 0, high = hypot(q->W[1][0], q->W[2][0]), d[CONTACT_TANGENTS];
    for (int k = 0; k < TRIES; k++) {
        const double middle = (low + high) / 2;
        if (outward(q, middle, d) > 1) low = middle;
        else high = middle;
    }
    const double length = outward(q, high, d);
    for (size_t t = 0; t < CONTACT_TANGENTS; t++) f[1 + t] = -q->mu * d[t] / length;
}

/* The force of the next stretch; it is straight unless the direction may turn. */
static void choose_force(const flow *q, double *f, int *slides)
{
    const double speed = slip(&q->now);
    f[0] = 1, f[1] = f[2] = 0;
    *slides = 0;
    if (!(q->mu > 0)) return;
    if (speed > q->still) {
        *slides = 1;
        for (size_t t = 1; t < ROWS; t++) f[t] = -q->mu * q->now.u[t] / speed;
        return;
    }
    holding_force(q, f);
    if (hypot(f[1], f[2]) > q->mu) beginning_force(q, f);
}

/* Normal impulse to the end of compression or expansion, with slope k of the normal velocity; HUGE_VAL: never. */
static double to_the_end(const flow *q, double k)
{
    const double u = q->now.u[0], left = q->target - q->now.work;
    if (!q->expands) return k > 0 ? -u / k : HUGE_VAL;
    if (!(left > 0)) return 0;
    const double root = sqrt(fmax(0, u * u + 2 * k * left));
    return u + root > 0 ? 2 * left / (u + root) : HUGE_VAL;
}

static void go_straight(flow *q, const double *f, const double *k, double p)
{
    q->now.work += p * (q->now.u[0] + k[0] * p / 2);
    for (size_t r = 0; r < ROWS; r++) q->now.u[r] += k[r] * p, q->now.P[r] += f[r] * p;
}

/* ---- turning ---- */

static void slope(const flow *q, const state *x, state *out)
{
    const double s = slip(x), f[ROWS] = {s, -q->mu * x->u[1], -q->mu * x->u[2]};
    change_along(q, f, out->u);
    memcpy(out->P, f, sizeof f);
    out->work = s * x->u[0];
}

static void add(state *x, double h, const state *k)
{
    for (size_t r = 0; r < ROWS; r++) x->u[r] += h * k->u[r], x->P[r] += h * k->P[r];
    x->work += h * k->work;
}

/* One step of Dormand and Prince; returns its error by the size of the velocities. */
static double take(const flow *q, double h, double size, state *to)
{
    static const double a[STAGES][STAGES - 1] = {
        {0},
        {1. / 5},
        {3. / 40, 9. / 40},
        {44. / 45, -56. / 15, 32. / 9},
        {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
        {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
        {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
    };
    static const double e[STAGES] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
    state k[STAGES], miss = {.work = 0};
    for (size_t i = 0; i < STAGES; i++) {
        *to = q->now;
        for (size_t j = 0; j < i; j++) add(to, h * a[i][j], &k[j]);
        slope(q, to, &k[i]);
        add(&miss, h * e[i], &k[i]);
    }
    double worst = 0;
    for (size_t r = 0; r < ROWS; r++) worst = fmax(worst, fabs(miss.u[r]));
    return worst / size;
}

/* Below 0 until the stretch of compression or expansion is over. */
static double short_of(const flow *q, const state *x) { return q->expands ? x->work - q->target : x->u[0]; }

/* The step is shortened to the end of compression or expansion. */
static void end_within(flow *q, double h, double size)
{
    double low = 0, high = h;
    state x;
    for (int k = 0; k < TRIES; k++) {
        const double middle = (low + high) / 2;
        take(q, middle, size, &x);
        if (short_of(q, &x) < 0) low = middle;
        else high = middle;
    }
    take(q, high, size, &x);
    q->now = x;
    if (!q->expands) q->now.u[0] = 0;
}

/* Until sliding has stopped (0) or compression or expansion is over (1); -1: it takes too many steps. What slides dies
   away: steps that are longer than it lasts would keep a rest of it alive that their errors do not show. */
static int turn(flow *q)
{
    const double most = 2 / (hypot(q->W[1][0], q->W[2][0]) + q->mu * (q->W[1][1] + q->W[2][2]));
    double size = 0, h = fmin(0.1 / (1 + q->mu), most);
    for (size_t r = 0; r < ROWS; r++) size = fmax(size, fabs(q->now.u[r]));
    for (int step = 0; step < STEPS; step++) {
        state x;
        const double error = take(q, h, size, &x), factor = 0.9 * pow(TOL_CONTACT_FLOW / fmax(error, DBL_MIN), 0.2);
        if (error <= TOL_CONTACT_FLOW) {
            if (short_of(q, &x) >= 0 && (q->expands || short_of(q, &q->now) < 0)) {
                end_within(q, h, size);
                return 1;
            }
            q->now = x;
            if (slip(&x) <= q->still) {
                q->now.u[1] = q->now.u[2] = 0;
                return 0;
            }
        }
        h = fmin(h * fmin(fmax(factor, 0.2), 4), most);
    }
    return -1;
}

/* ---- the whole ---- */

/* One stretch. 1: compression or expansion is over, 0: sliding has stopped, -1: neither ever happens. */
static int go(flow *q)
{
    double f[ROWS], k[ROWS];
    int slides;
    choose_force(q, f, &slides);
    if (slides && q->rows > 2) return turn(q);
    change_along(q, f, k);
    const double end = to_the_end(q, k[0]);
    double stop = HUGE_VAL;
    if (slides && k[1] * q->now.u[1] < 0) stop = -q->now.u[1] / k[1];
    const double p = fmin(end, stop);
    if (!(p < HUGE_VAL)) return -1;
    go_straight(q, f, k, p);
    if (stop <= end) q->now.u[1] = 0;
    if (stop < end) return 0;
    if (!q->expands) q->now.u[0] = 0;
    return 1;
}

static int go_on(flow *q)
{
    for (int k = 0; k < STRETCHES; k++) {
        const int what = go(q);
        if (what != 0) return what;
    }
    return -1;
}

const char *flow_impact(const part *s, size_t i, int is_jammed, const double *u, double P[1 + CONTACT_TANGENTS])
{
    const size_t first = s->first[i], rows = s->first[i + 1] - first;
    flow q = {.rows = rows, .mu = s->kind[i] == KIND_SMOOTH ? 0 : s->mu[i]};
    double size = 0;
    for (size_t r = 0; r < rows; r++) {
        q.now.u[r] = u[r];
        size = fmax(size, fabs(u[r]));
        for (size_t c = 0; c < rows; c++) q.W[r][c] = s->W[first + r + (first + c) * s->rows];
    }
    q.still = TOL_CONTACT_STOPPED * fmax(size, s->scale);
    memset(P, 0, ROWS * sizeof *P);
    if (!(q.now.u[0] < 0) && !is_jammed) return NULL;
    if (!(q.W[0][0] > 0)) return "a contact that cannot move is hit";
    if (is_jammed && !(q.now.u[0] < 0)) { /* friction alone has to press */
        double f[ROWS], k[ROWS];
        int slides;
        q.now.u[0] = 0;
        choose_force(&q, f, &slides);
        change_along(&q, f, k);
        if (!(k[0] < 0)) return "friction does not press this contact on";
    }
    const int is_over = go_on(&q) > 0;
    if (!is_over && fabs(q.now.u[0]) > q.still) return "compression does not end";
    q.expands = 1; /* what is held fast at the end of compression gives nothing back */
    q.target = is_over ? -q.now.work * s->restitution[i] * s->restitution[i] : 0;
    q.now.work = 0;
    if (q.target > 0 && go_on(&q) < 0) return "expansion does not end";
    memcpy(P, q.now.P, sizeof q.now.P);
    return NULL;
}
