/* Explicit Runge-Kutta pairs of our own: the step, its error test and its interpolant, after Hairer, Norsett and
   Wanner, Solving Ordinary Differential Equations I (1993), II.4 to II.6. Lean on purpose: for small systems the cost
   of the integrator itself counts. */
#include "integrate/rk_tables.h"
#include "integrate/stepper.h"
#include "base/mem.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_TERMS = RK_MAX_STAGES };

typedef struct terms { /* the nonzero coefficients of one row */
    int count;
    int stage[MAX_TERMS];
    double value[MAX_TERMS];
} terms;

typedef struct rk {
    sim_stepper base;
    const rk_tableau *table;
    size_t n, n_control; /* of the problem */
    size_t stride;       /* n, padded      */
    double rtol, max_step;
    double h_last;    /* visited, up to the stiffness */
    double error_old; /* of the last accepted step, for the PI controller */
    int direction;
    int has_slope; /* slope[stages] is f(t, y); after begin_step slope[0] is */
    int has_end;   /* slope[stages] is f at the end as integrated      */
    int has_fresh; /* a step was accepted whose stiffness was not seen */
    int has_dense; /* the interpolant of the last step is ready        */
    int was_rejected;
    double stiffness;   /* running mean of |h*lambda|                       */
    int error_uses_end; /* the error estimate takes slope[stages]           */
    terms rows[RK_MAX_STAGES], error, error3, dense[RK_MAX_DENSE];
    double *atol;                    /* (n_control)                               */
    double *y, *y_old, *y_new;       /* (n)                                       */
    double *stage, *work, *work2;    /* (n)                                       */
    double *slope[RK_MAX_STAGES];    /* (n) each                                  */
    double *start_slope;             /* (n) f at its start                        */
    double *rcont[4 + RK_MAX_DENSE]; /* (n) each                                  */
    double block[];                  /* of all these                              */
} rk;

static rk *of(const sim_stepper *st) { return (rk *)(uintptr_t)st; }

static terms compact(const double *row, int count)
{
    terms t = {0};
    for (int j = 0; j < count; j++) {
        if (row[j] == 0) continue;
        t.stage[t.count] = j;
        t.value[t.count++] = row[j];
    }
    return t;
}

/* Vectors are padded to whole packs, so that no loop has a remainder. */
enum { PACK = 4, PACKS = 2 };
typedef double pack __attribute__((vector_size(PACK * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Where the processor has wider registers they are used; the results are the same to the last bit. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which run before such choices are made */
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

static size_t padded(size_t n) { return (n + PACK * PACKS - 1) / (PACK * PACKS) * (PACK * PACKS); }

static void lay_out(rk *r)
{
    double *block = r->block,
           **vectors[] = {&r->y, &r->y_old, &r->y_new, &r->stage, &r->work, &r->work2, &r->start_slope, &r->atol};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++, block += r->stride) *vectors[k] = block;
    for (int k = 0; k < r->table->dense_stages; k++, block += r->stride) r->slope[k] = block;
    for (int k = 0; k < 4 + r->table->dense_rows; k++, block += r->stride) r->rcont[k] = block;
    r->base.y = r->y;
    r->base.y_old = r->y_old;
}

/* out = base + h * (sum of value*slope), one pass; base NULL: 0 */
WIDE static void combine(const rk *r, const terms *t, const double *base, double h, double *out)
{
    for (size_t i = 0; i < r->stride; i += PACK * PACKS) {
        const pack *k = (const pack *)(r->slope[t->stage[0]] + i);
        pack *to = (pack *)(out + i), x = t->value[0] * k[0], y = t->value[0] * k[1];
        for (int j = 1; j < t->count; j++) {
            k = (const pack *)(r->slope[t->stage[j]] + i);
            x += t->value[j] * k[0];
            y += t->value[j] * k[1];
        }
        const pack *from = (const pack *)((base ? base : out) + i);
        to[0] = base ? from[0] + h * x : h * x;
        to[1] = base ? from[1] + h * y : h * y;
    }
}

static int evaluate(rk *r, double t, const double *y, double *ydot)
{
    r->base.counts.evaluations++;
    return r->base.problem.f(r->base.problem.user, t, y, ydot);
}

/* Root mean square of x over the tolerances at y. */
static double norm(const rk *r, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < r->n_control; i++) {
        const double scaled = x[i] / (r->atol[i] + r->rtol * fabs(y[i]));
        sum += scaled * scaled;
    }
    return sqrt(sum / (double)r->n_control);
}

/* The first step as HNW I, II.4 have it, after their program */
#define SIZE_UNKNOWN 1e-5   /* of the tolerances: a y, or y', that is smaller says nothing of how long a step may be */
#define FIRST_UNKNOWN 1e-6  /* then the trial takes that */
#define FIRST_LEAST 1e-8    /* of the span: y near 0 says nothing about its scale */
#define SLOPES_VANISH 1e-15 /* y' and y'' by the tolerances: then the trial says how long a step may be */
#define FIRST_LONGER 1e-3   /* of the trial then, or FIRST_UNKNOWN */
/* an error that is smaller counts as that for the next step, so that none is too bold (HNW: facold) */
#define ERROR_LEAST 1e-4

/* From the sizes of y, y', and y'' as seen by one trial Euler step. */
static double first_step(rk *r, double t_end)
{
    const double span = fabs(t_end - r->base.t), sign = r->direction;
    const double limit = r->max_step > 0 && r->max_step < span ? r->max_step : span;
    const double d0 = norm(r, r->y, r->y), d1 = norm(r, r->slope[0], r->y);
    double h0 = d0 < SIZE_UNKNOWN || d1 < SIZE_UNKNOWN ? FIRST_UNKNOWN : 0.01 * d0 / d1;
    h0 = fmin(fmax(h0, FIRST_LEAST * span), limit);
    for (size_t i = 0; i < r->n; i++) r->stage[i] = r->y[i] + sign * h0 * r->slope[0][i];
    if (evaluate(r, r->base.t + sign * h0, r->stage, r->slope[1]) != 0) return h0 * 0.01;
    for (size_t i = 0; i < r->n; i++) r->work[i] = r->slope[1][i] - r->slope[0][i];
    const double d2 = norm(r, r->work, r->y) / h0, largest = d1 > d2 ? d1 : d2;
    double h1 = largest <= SLOPES_VANISH ? (h0 * FIRST_LONGER > FIRST_UNKNOWN ? h0 * FIRST_LONGER : FIRST_UNKNOWN)
                                         : pow(0.01 / largest, 1.0 / r->table->error_order);
    if (!(h1 < 100 * h0)) h1 = 100 * h0; /* also when h1 is not a number */
    return h1 < limit ? h1 : limit;
}

static int start(sim_stepper *st, double t, const double *y, double t_end, double step)
{
    rk *r = of(st);
    r->base.t = r->base.t_old = t;
    r->direction = t_end < t ? -1 : 1;
    memcpy(r->y, y, r->n * sizeof *y);
    memcpy(r->y_old, y, r->n * sizeof *y);
    r->error_old = ERROR_LEAST;
    r->was_rejected = r->base.is_stiff = 0;
    r->stiffness = 0;
    r->has_dense = r->has_slope = r->has_end = r->has_fresh = 0;
    const int value = evaluate(r, t, r->y, r->slope[0]);
    if (value != 0) return value;
    r->has_slope = 1;
    if (step > 0) r->base.h_next = step;
    else if (step == 0 || r->base.h_next <= 0) r->base.h_next = first_step(r, t_end);
    return 0;
}

static void replace(sim_stepper *st, const double *y, const double *slope)
{
    rk *r = of(st);
    if (!slope && memcmp(r->y, y, r->n * sizeof *y) == 0) return;
    memcpy(r->y, y, r->n * sizeof *y);
    r->has_slope = slope != NULL;
    if (!slope) return;
    memcpy(r->slope[r->table->stages], slope, r->n * sizeof *slope);
    r->has_end = 1; /* the end differs from y by a projection at most */
}

/* slope[stages] = f at the end of the step as it was integrated */
static int end_slope(rk *r, double t)
{
    if (r->has_end) return 0;
    const int value = evaluate(r, t, r->y_new, r->slope[r->table->stages]);
    r->has_end = value == 0;
    return value;
}

/* Stages from slope[0] at (t0, y0), step h, and y_new. The slope there is left to who needs it: the next step
   wants it after a projection, the error estimate of the pair of order 8 does without. */
static int run_stages(rk *r, double t0, const double *y0, double h)
{
    const rk_tableau *table = r->table;
    for (int s = 1; s < table->stages; s++) {
        combine(r, &r->rows[s], y0, h, r->stage);
        const int value = evaluate(r, t0 + table->c[s] * h, r->stage, r->slope[s]);
        if (value != 0) return value;
    }
    combine(r, &r->rows[table->stages], y0, h, r->y_new);
    r->has_end = 0;
    return r->error_uses_end ? end_slope(r, t0 + h) : 0;
}

/* Of the step from y0 to y_new; the larger one sets each component's tolerance. */
static double step_error(rk *r, const double *y0, double h)
{
    double sum = 0, sum3 = 0, worst = 0;
    combine(r, &r->error, NULL, 1, r->work);
    const int two = r->error3.count > 0;
    if (two) combine(r, &r->error3, NULL, 1, r->work2);
    for (size_t i = 0; i < r->n_control; i++) {
        const double before = fabs(y0[i]), after = fabs(r->y_new[i]), size = before > after ? before : after;
        const double scale = 1 / (r->atol[i] + r->rtol * size), x = r->work[i] * scale;
        sum += x * x;
        if (two) sum3 += r->work2[i] * scale * (r->work2[i] * scale);
        if (fabs(x) > worst) {
            worst = fabs(x);
            r->base.worst = i;
        }
    }
    const double count = (double)r->n_control;
    if (!two) return fabs(h) * sqrt(sum / count);
    double deno = sum + 0.01 * sum3;
    if (deno < DBL_MIN) deno = 1; /* 1/deno has a value */
    return fabs(h) * sum * sqrt(1 / (count * deno));
}

/* |h*lambda| as the slopes at the end and at the stage before it see it (HNW II, IV.2), as a running mean over about
   20 steps. Held up by stability it swings about 4.5 (2.5 for the pair of order 5); by accuracy it stays below 1.7
   and 1.1. */
static void watch_stiffness(rk *r, double h)
{
    const int s = r->table->stages;
    double num = 0, den = 0;
    for (size_t i = 0; i < r->n_control; i++) {
        const double df = r->slope[0][i] - r->slope[s - 1][i], dy = r->y[i] - r->stage[i];
        num += df * df;
        den += dy * dy;
    }
    const double seen = den > 0 ? fmin(fabs(h) * sqrt(num / den), 2 * r->table->stability) : 0;
    r->stiffness += 0.05 * ((seen >= 0 ? seen : 0) - r->stiffness);
    if (r->stiffness > r->table->stability) r->base.is_stiff = 1;
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

/* The step is good: y, t and what the interpolant needs. */
static void accept(rk *r, double t_new, double h)
{
    r->base.t_old = r->base.t;
    r->base.t = t_new;
    r->h_last = h;
    swap(&r->y_old, &r->y);
    swap(&r->y, &r->y_new);
    r->base.y = r->y;
    r->base.y_old = r->y_old;
    memcpy(r->y_new, r->y, r->n * sizeof *r->y); /* the end as integrated: `replace` may move y */
    r->has_dense = 0;
    r->has_slope = r->has_end;
    r->has_fresh = 1;
}

/* New step size from the error; the PI rule damps its swings. */
static double controlled(const rk *r, double h, double error)
{
    const rk_tableau *t = r->table;
    const double exponent = 1.0 / t->error_order - t->beta * 0.75;
    double factor = pow(error, exponent) / pow(r->error_old, t->beta) / t->safety;
    if (factor > 1 / t->shrink) factor = 1 / t->shrink;
    if (factor < 1 / t->grow) factor = 1 / t->grow;
    return h / factor;
}

static int begin_step(rk *r)
{
    const int s = r->table->stages;
    if (!r->has_slope && evaluate(r, r->base.t, r->y, r->slope[0]) != 0) return 0;
    if (r->has_slope && r->base.t != r->base.t_old) swap(&r->slope[0], &r->slope[s]); /* first same as last */
    if (r->has_fresh) watch_stiffness(r, r->h_last);
    r->has_fresh = r->has_end = 0;
    r->base.t_old = r->base.t; /* slope[0] belongs to (t, y) from here on */
    r->has_slope = 1;
    r->has_dense = 0;
    memcpy(r->start_slope, r->slope[0], r->n * sizeof(double));
    return 1;
}

/* A step that a limit stretches by up to a hundredth is as short as the floor: to try the floor in its place would be
   to try it again. */
static const double STRETCH = 1.01;

static int is_above_floor(const rk *r, double used) { return used > STRETCH * *r->base.problem.floor; }

/* Where a shorter step did not help it is rounding that makes the error. */
static int must_force(const rk *r, double used, double error, double expected)
{
    if (!r->base.problem.floor || is_above_floor(r, used) || !(error < 1e6) || !(error > expected)) return 0;
    return !r->base.problem.may_force || r->base.problem.may_force(r->base.problem.user, r->base.t, r->y, r->y_new);
}

static sim_step_result step(sim_stepper *st, double t_limit)
{
    rk *r = of(st);
    if (!begin_step(r)) return SIM_RHS_FAILED;
    double h = fabs(r->base.h_next);
    if (r->base.problem.floor && h < *r->base.problem.floor) h = *r->base.problem.floor;
    if (r->max_step > 0 && h > r->max_step) h = r->max_step;
    double before = HUGE_VAL, longer = 1; /* the error of the attempt before, and its step */
    for (;;) {
        const double room = fabs(t_limit - r->base.t), smallest = 16 * DBL_EPSILON * fabs(r->base.t) + DBL_MIN;
        const int is_last = STRETCH * h >= room;
        const double used = is_last ? room : h;
        if (used < smallest && !is_last) return SIM_STEP_TOO_SMALL;
        const double signed_h = r->direction * used;
        const int value = run_stages(r, r->base.t, r->y, signed_h);
        if (value < 0) return SIM_RHS_FAILED;
        const double error = value > 0 ? HUGE_VAL : step_error(r, r->y, signed_h);
        const int is_forced = error > 0.5 && must_force(r, used, error, before * sqrt(used / longer));
        before = error;
        longer = used;
        if (error <= 1 || is_forced) {
            double h_new = controlled(r, used, is_forced ? 0.5 : error);
            if (r->was_rejected && h_new > used) h_new = used;
            r->base.error = error;
            r->base.free_error = r->n > r->n_control ? fabs(signed_h * r->work[r->n - 1]) : 0;
            r->error_old = fmin(fmax(error, ERROR_LEAST), 1);
            r->was_rejected = 0;
            /* a step cut short by the limit says little about the next one */
            r->base.h_next = is_last && used < h && h_new < h ? h : h_new;
            accept(r, is_last ? t_limit : r->base.t + signed_h, signed_h);
            r->base.counts.steps++;
            return SIM_STEPPED;
        }
        r->base.counts.rejected++;
        r->was_rejected = 1;
        h = isfinite(error) ? used / fmin(1 / r->table->shrink, pow(error, 1.0 / r->table->error_order) / 0.9)
                            : used / 4;
        if (r->base.problem.floor && h < *r->base.problem.floor && is_above_floor(r, used)) h = *r->base.problem.floor;
        if (h < smallest) return value > 0 ? SIM_RHS_FAILED : SIM_STEP_TOO_SMALL;
        r->base.h_next = h;
    }
}

static sim_step_result step_shorter(sim_stepper *st, double t_limit)
{
    rk *r = of(st);
    r->base.t = r->base.t_old;
    memcpy(r->y, r->y_old, r->n * sizeof(double));
    memcpy(r->slope[0], r->start_slope, r->n * sizeof(double));
    r->has_slope = r->was_rejected = 1;
    r->has_end = r->has_fresh = r->has_dense = 0;
    r->base.h_next = fabs(t_limit - r->base.t);
    r->base.counts.steps--;
    r->base.counts.rejected++;
    return step(st, t_limit);
}

static sim_step_result end_at(sim_stepper *st, double t_end)
{
    rk *r = of(st);
    const double t0 = r->base.t_old, h = t_end - t0;
    memcpy(r->slope[0], r->start_slope, r->n * sizeof(double));
    if (run_stages(r, t0, r->y_old, h) != 0) return SIM_RHS_FAILED;
    r->base.error = step_error(r, r->y_old, h);
    memcpy(r->y, r->y_new, r->n * sizeof(double));
    r->base.t = t_end;
    r->h_last = h;
    r->has_dense = 0;
    r->has_slope = r->has_end;
    return SIM_STEPPED;
}

/* Coefficients of the interpolant: cubic Hermite part, then the pair's own terms. */
static int prepare_dense(rk *r)
{
    const rk_tableau *table = r->table;
    const size_t n = r->n;
    const double h = r->h_last;
    double *const *c = r->rcont;
    if (!r->has_end) {
        const int value = end_slope(r, r->base.t_old + h);
        if (value != 0) return value;
        r->has_slope = memcmp(r->y, r->y_new, n * sizeof *r->y) == 0; /* not replaced */
    }
    for (int s = table->stages + 1; s < table->dense_stages; s++) {
        combine(r, &r->rows[s], r->y_old, h, r->work);
        const int value = evaluate(r, r->base.t_old + table->c[s] * h, r->work, r->slope[s]);
        if (value != 0) return value;
    }
    for (size_t i = 0; i < n; i++) {
        const double dy = r->y_new[i] - r->y_old[i], bend = h * r->slope[0][i] - dy;
        c[0][i] = r->y_old[i];
        c[1][i] = dy;
        c[2][i] = bend;
        c[3][i] = dy - h * r->slope[table->stages][i] - bend;
    }
    for (int k = 0; k < table->dense_rows; k++) combine(r, &r->dense[k], NULL, h, c[4 + k]);
    r->has_dense = 1;
    return 0;
}

static int dense(sim_stepper *st, double t, double *y)
{
    rk *r = of(st);
    double *const *c = r->rcont;
    const int last = 3 + r->table->dense_rows;
    if (r->base.t == r->base.t_old) {
        memcpy(y, r->y, r->n * sizeof *y);
        return 0;
    }
    const int value = r->has_dense ? 0 : prepare_dense(r);
    if (value != 0) return value;
    const double s = r->h_last == 0 ? 0 : (t - r->base.t_old) / r->h_last, s1 = 1 - s;
    for (size_t i = 0; i < r->n; i++) { /* factors alternate s, 1 - s from the outside */
        double x = c[last][i];
        for (int k = last - 1; k >= 0; k--) x = c[k][i] + (k % 2 == 0 ? s : s1) * x;
        y[i] = x;
    }
    return 0;
}

static void visit(sim_stepper *st, state_walk *w)
{
    rk *r = of(st);
    double *vectors[] = {r->y, r->y_old, r->y_new, r->stage, r->start_slope};
    STATE_FIELDS(w, r->base.t, r->base.is_stiff);
    STATE_FIELDS(w, r->h_last, r->stiffness);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) STATE_ARRAY(w, vectors[k], r->n);
    for (int k = 0; k < r->table->dense_stages; k++) STATE_ARRAY(w, r->slope[k], r->n);
    for (int k = 0; k < 4 + r->table->dense_rows; k++) STATE_ARRAY(w, r->rcont[k], r->n);
}

static void forget(sim_stepper *st) { visit(st, &(state_walk){.clears = 1}); }

static void set_tolerance(sim_stepper *st, double rtol, const double *atol, double max_step)
{
    rk *r = of(st);
    r->rtol = rtol;
    memcpy(r->atol, atol, r->n_control * sizeof *atol);
    r->max_step = max_step;
}

static void free_stepper(sim_stepper *st) { mem_free(st); }

static const sim_stepper_ops rk_ops = {
    .set_tolerance = set_tolerance,
    .start = start,
    .step = step,
    .end_at = end_at,
    .step_shorter = step_shorter,
    .replace = replace,
    .dense = dense,
    .visit = visit,
    .forget = forget,
    .free = free_stepper,
};

mech_status sim_stepper_create_rk(sim_method method, const sim_problem *problem, sim_stepper **out)
{
    const rk_tableau *table = method == SIM_RK8 ? &rk_dormand_prince8 : &rk_dormand_prince5;
    const size_t vectors = 8 + (size_t)table->dense_stages + 4 + (size_t)table->dense_rows, n = problem->n;
    *out = NULL;
    if (n > (SIZE_MAX - sizeof(rk)) / sizeof(double) / vectors - PACK * PACKS) return MECH_ERR_LIMIT;
    rk *r = mem_zeroed(1, sizeof *r + vectors * padded(n) * sizeof *r->block);
    if (!r) return MECH_ERR_MEMORY;
    r->base.ops = &rk_ops;
    r->base.problem = *problem;
    r->table = table;
    r->n = n;
    r->n_control = problem->n_control;
    r->stride = padded(n);
    lay_out(r);
    for (int s = 0; s < table->dense_stages; s++) r->rows[s] = compact(table->a[s], s);
    r->error = compact(table->e, table->stages + 1);
    r->error3 = compact(table->e3, table->stages + 1);
    r->error_uses_end = table->e[table->stages] != 0 || table->e3[table->stages] != 0;
    for (int k = 0; k < table->dense_rows; k++) r->dense[k] = compact(table->d[k], table->dense_stages);
    *out = &r->base;
    return MECH_OK;
}
