/* Equilibria and steady motions: least-squares Newton on a = 0, z' = 0, r = 0, r' = 0 and what `steady` says,
   each point brought back to the constraints first. Steps have least norm, so a family is met where it is
   nearest. */
#include "analyze/dense.h"
#include "analyze/tangent.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

enum { MOST_TURNS = 60, MOST_HALVES = 14 };

struct mech_equilibrium {
    mech_equilibrium_result result;
    double *numbers;
    unsigned char *unique;
};

typedef struct search {
    tangent t;
    mech_eval *eval;
    double time;
    int steady;
    size_t n, m, nz, ns; /* coordinates, rows, states, steady statements */
    size_t unknowns, equations;
    double *x;            /* (2n + nz) q, v, z */
    double *trial, *step; /* the same */
    double *residual, *J; /* (equations), (equations x unknowns) */
    double *unit, *zero;  /* (n x n), (n): unit masses, no force */
    mech_fundamental *projector;
    double *block;
    size_t rank;
} search;

void mech_equilibrium_options_default(mech_equilibrium_options *options, size_t size)
{
    mech_equilibrium_options o = {.size = sizeof o, .steady = -1, .tolerance = 1e-11, .tries = 30};
    if (size > sizeof o) memset(options, 0, size);
    memcpy(options, &o, size < sizeof o ? size : sizeof o);
    options->size = size;
}

static mech_status prepare(search *s, const mech_system *system, mech_eval *eval,
                           const mech_equilibrium_options *o)
{
    MECH_TRY(tangent_create(system, &s->t));
    s->eval = eval;
    s->time = o->t;
    s->n = s->t.n;
    s->m = s->t.m;
    s->nz = s->t.sizes.states;
    s->steady = o->steady < 0 ? s->t.sizes.steadies > 0 : o->steady;
    s->ns = s->steady ? s->t.sizes.steadies : 0;
    const size_t N = 2 * s->n + s->nz;
    s->unknowns = s->steady ? N : s->n + s->nz;
    s->equations = s->n + s->nz + 2 * s->m + s->ns;
    const size_t total = 4 * N + s->equations + s->equations * s->unknowns + s->n * s->n + s->n;
    s->block = mem_zeroed(total, sizeof *s->block);
    if (!s->block) return MECH_ERR_MEMORY;
    s->x = s->block;
    s->trial = s->x + N;
    s->step = s->trial + N;
    s->residual = s->step + 2 * N;
    s->J = s->residual + s->equations;
    s->unit = s->J + s->equations * s->unknowns;
    s->zero = s->unit + s->n * s->n;
    for (size_t i = 0; i < s->n; i++) s->unit[i + i * s->n] = 1;
    return mech_fundamental_create((int)s->n, (int)s->m, NULL, &s->projector);
}

/* ---- where to begin ---- */

static void take_initial(search *s)
{
    const mech_equation *e = mech_eval_equation(s->eval);
    for (int pass = 0; pass < 2; pass++) { /* what is not finite at zero may be finite at the given values */
        mech_eval_set_states(s->eval, s->x + 2 * s->n);
        mech_status ignored = mech_eval_position(s->eval, s->time, s->x);
        ignored = mech_eval_velocity(s->eval, s->x + s->n);
        ignored = mech_eval_start(s->eval);
        (void)ignored;
        for (size_t i = 0; i < s->t.sizes.targets; i++) {
            const mech_target target = mech_system_target(s->t.system, i);
            const size_t first = target.variable == MECH_VARIABLE_Q   ? 0
                                 : target.variable == MECH_VARIABLE_V ? s->n
                                                                      : 2 * s->n;
            if (target.variable != MECH_VARIABLE_EXPRESSION && isfinite(e->target_value[i]))
                s->x[first + target.index] = e->target_value[i];
        }
    }
}

/* The k-th beginning: displaced by a fixed sequence of numbers in (-1, 1). */
static void displace(search *s, int k)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)k;
    for (size_t i = 0; i < 2 * s->n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double r = (double)(state >> 11) / 4503599627370496.0 - 1;
        if (i < s->n) s->x[i] += r * (k < 10 ? 0.1 : k < 20 ? 0.7 : 2) * (1 + 0.1 * fabs(s->x[i]));
        else if (s->steady) s->x[i] += 0.1 * r;
    }
}

/* ---- onto the constraints ---- */

/* Largest of |r| or |r'| over the rows in force. */
static double miss_of(const search *s, const double *r)
{
    const unsigned char *active = mech_eval_equation(s->eval)->active;
    double largest = 0;
    for (size_t i = 0; i < s->m; i++)
        if (active[i]) largest = fmax(largest, fabs(r[i]));
    return largest;
}

static mech_status evaluate(search *s, const double *x)
{
    mech_eval_set_states(s->eval, x + 2 * s->n);
    MECH_TRY(mech_eval_position(s->eval, s->time, x));
    return mech_eval_velocity(s->eval, x + s->n);
}

/* One least-norm correction of q (or v): the fundamental equation with unit masses and no force. */
static mech_status correct(search *s, const double *rows, const double *r, double *x)
{
    const mech_fundamental_input in = {.size = sizeof in,
                                       .M = s->unit,
                                       .Q = s->zero,
                                       .A = rows,
                                       .b = r,
                                       .active = mech_eval_equation(s->eval)->active,
                                       .rank_tol = 1e-7};
    mech_fundamental_output out = {.size = sizeof out, .qdd = s->step};
    MECH_TRY(mech_fundamental_solve(s->projector, &in, &out));
    for (size_t j = 0; j < s->n; j++) x[j] -= s->step[j];
    return MECH_OK;
}

static mech_status project(search *s, double *x)
{
    const mech_equation *e = mech_eval_equation(s->eval);
    for (int turn = 0; turn < 40; turn++) { /* positions */
        MECH_TRY(evaluate(s, x));
        if (!(miss_of(s, e->r) > 1e-14 * (1 + dense_largest(x, s->n)))) break;
        MECH_TRY(mech_eval_reaction(s->eval, NULL, NULL));
        MECH_TRY(mech_eval_acceleration(s->eval, NULL));
        MECH_TRY(tangent_scatter(&s->t, s->eval));
        MECH_TRY(correct(s, s->t.r_x, e->r, x));
    }
    for (int turn = 0; s->steady && turn < 10; turn++) { /* velocities */
        MECH_TRY(evaluate(s, x));
        if (!(miss_of(s, e->r_dot) > 1e-14 * (1 + dense_largest(x + s->n, s->n)))) break;
        MECH_TRY(mech_eval_reaction(s->eval, NULL, NULL));
        MECH_TRY(mech_eval_acceleration(s->eval, NULL));
        MECH_TRY(tangent_scatter(&s->t, s->eval));
        MECH_TRY(correct(s, s->t.r_dot_x + s->m * s->n, e->r_dot, x + s->n));
    }
    return evaluate(s, x);
}

/* ---- Newton ---- */

/* Residuals at the point the evaluation stands at. */
static mech_status look(search *s, double *size)
{
    const mech_equation *e = mech_eval_equation(s->eval);
    MECH_TRY(tangent_solve(&s->t, s->eval));
    double *r = s->residual;
    memcpy(r, s->t.a, s->n * sizeof *r);
    if (s->nz) memcpy(r + s->n, e->rate, s->nz * sizeof *r);
    double *rows = r + s->n + s->nz;
    for (size_t i = 0; i < s->m; i++) {
        rows[i] = e->active[i] ? e->r[i] : 0;
        rows[s->m + i] = e->active[i] ? e->r_dot[i] : 0;
    }
    if (s->ns) {
        MECH_TRY(mech_eval_start(s->eval));
        for (size_t i = 0; i < s->ns; i++) rows[2 * s->m + i] = e->steady[i] - e->steady_value[i];
    }
    double sum = 0;
    for (size_t i = 0; i < s->equations; i++) sum += r[i] * r[i];
    *size = sqrt(sum);
    return isfinite(sum) ? MECH_OK : MECH_ERR_NOT_FINITE;
}

/* Column of the derivatives that unknown k is. */
static size_t column_of(const search *s, size_t k) { return s->steady || k < s->n ? k : k + s->n; }

static mech_status derive(search *s)
{
    const tangent *t = &s->t;
    const mech_equation *e = mech_eval_equation(s->eval);
    mech_jacobian j;
    MECH_TRY(tangent_derive(&s->t, s->eval, NULL, NULL));
    MECH_TRY(mech_eval_jacobian(s->eval, &j));
    const mech_pattern p = mech_system_pattern(t->system, MECH_MATRIX_D_STEADY);
    const size_t first = s->n + s->nz;
    memset(s->J, 0, s->equations * s->unknowns * sizeof *s->J);
    for (size_t k = 0; k < s->unknowns; k++) {
        const size_t c = column_of(s, k);
        double *to = s->J + k * s->equations;
        memcpy(to, t->a_x + c * s->n, s->n * sizeof *to);
        for (size_t i = 0; i < s->nz; i++) to[s->n + i] = t->rate_x[i + c * s->nz];
        for (size_t i = 0; i < s->m; i++) {
            to[first + i] = e->active[i] ? t->r_x[i + c * s->m] : 0;
            to[first + s->m + i] = e->active[i] ? t->r_dot_x[i + c * s->m] : 0;
        }
        for (size_t i = 0; s->ns && i < p.count; i++)
            if (p.column[i] == c) to[first + 2 * s->m + p.row[i]] += j.steady[i];
    }
    return MECH_OK;
}

static void advance(const search *s, double part, double *to)
{
    memcpy(to, s->x, (2 * s->n + s->nz) * sizeof *to);
    for (size_t k = 0; k < s->unknowns; k++) to[column_of(s, k)] -= part * s->step[k];
}

/* Size of the terms that balance in an equilibrium. */
static double forces(const search *s)
{
    const mech_equation *e = mech_eval_equation(s->eval);
    return 1 + dense_largest(e->Q, s->n) + dense_largest(s->t.lambda, s->m);
}

/* 1 found, 0 stuck. */
static mech_status newton(search *s, double tolerance, int *turns, int *found)
{
    const size_t N = 2 * s->n + s->nz;
    double size;
    *found = 0;
    MECH_TRY(project(s, s->x));
    MECH_TRY(look(s, &size));
    for (int turn = 0; turn < MOST_TURNS; turn++, (*turns)++) {
        if (turn > 0 && size <= 1e-15 * forces(s)) break;
        MECH_TRY(derive(s));
        MECH_TRY(look(s, &size));
        double *step = s->step + N; /* project uses s->step */
        MECH_TRY(dense_least_squares(s->equations, s->unknowns, s->J, s->residual, 1e-9, step, &s->rank));
        double part = 1, next = size;
        int half = 0, better = 0;
        for (; half < MOST_HALVES && !better; half++, part /= 2) {
            memcpy(s->step, step, s->unknowns * sizeof *step);
            advance(s, part, s->trial);
            const mech_status status = project(s, s->trial);
            if (status == MECH_ERR_MEMORY) return status;
            if (status != MECH_OK || look(s, &next) != MECH_OK) continue;
            better = next < size;
        }
        if (!better) break;
        memcpy(s->x, s->trial, N * sizeof *s->x);
        const double gain = size / next;
        size = next;
        if (gain < 1.5 && size <= tolerance * forces(s)) break;
    }
    MECH_TRY(evaluate(s, s->x));
    MECH_TRY(look(s, &size));
    *found = size <= tolerance * forces(s);
    return *found ? derive(s) : MECH_OK;
}

/* ---- what came out ---- */

static mech_status describe_forces(search *s, mech_equilibrium *q, double *Qi, double *Qni)
{
    const mech_equation *e = mech_eval_equation(s->eval);
    mech_equilibrium_result *r = &q->result;
    int *groups = mem_alloc((s->t.sizes.constraints + 1) * sizeof *groups);
    mech_diagnosis *diagnosis = NULL;
    mech_status status = groups ? mech_diagnosis_create((int)s->n, (int)s->m, &diagnosis) : MECH_ERR_MEMORY;
    for (size_t i = 0; i < s->t.sizes.constraints && status == MECH_OK; i++) {
        size_t count;
        (void)mech_system_constraint_rows(s->t.system, i, &count);
        groups[i] = (int)count;
    }
    const mech_fundamental_input in = {.size = sizeof in,
                                       .M = e->M_dense,
                                       .Q = e->Q,
                                       .A = e->A_dense,
                                       .b = e->b,
                                       .active = e->active,
                                       .C = s->t.sizes.laws ? s->t.C : NULL};
    mech_fundamental_output out = {.size = sizeof out, .Qi = Qi, .Qni = Qni};
    const mech_diagnosis_input question = {.size = sizeof question,
                                           .equation = &in,
                                           .group_sizes = groups,
                                           .groups = (int)s->t.sizes.constraints};
    if (status == MECH_OK) status = mech_fundamental_solve(s->t.solver, &in, &out);
    if (status == MECH_OK) status = mech_diagnosis_run(diagnosis, &question);
    if (status == MECH_OK) {
        const mech_diagnosis_result *d = mech_diagnosis_get(diagnosis);
        r->rank = d->rank;
        if (s->m) memcpy(q->unique, d->unique_lambda, s->m);
        if (s->t.sizes.constraints) memcpy(q->unique + s->m, d->unique_force, s->t.sizes.constraints);
    }
    mech_diagnosis_free(diagnosis);
    mem_free(groups);
    return status;
}

static mech_status deliver(search *s, mech_equilibrium *q)
{
    mech_equilibrium_result *r = &q->result;
    const size_t N = 2 * s->n + s->nz;
    q->numbers = mem_zeroed(N + 2 * s->m + 2 * s->n, sizeof *q->numbers);
    q->unique = mem_zeroed(s->m + s->t.sizes.constraints + 1, 1);
    if (!q->numbers || !q->unique) return MECH_ERR_MEMORY;
    memcpy(q->numbers, s->x, N * sizeof *s->x);
    double *lambda = q->numbers + N, *reaction = lambda + s->m, *Qi = reaction + s->m, *Qni = Qi + s->n;
    memcpy(lambda, s->t.lambda, s->m * sizeof *lambda);
    memcpy(reaction, s->t.reaction, s->m * sizeof *reaction);
    r->n = (int)s->n;
    r->states = (int)s->nz;
    r->rows = (int)s->m;
    r->constraints = (int)s->t.sizes.constraints;
    r->t = s->time;
    r->is_steady = s->steady && dense_largest(s->x + s->n, s->n) > 0;
    r->q = q->numbers;
    r->v = r->q + s->n;
    r->z = r->v + s->n;
    r->lambda = lambda;
    r->reaction = reaction;
    r->Qi = Qi;
    r->Qni = Qni;
    r->unique_lambda = q->unique;
    r->unique_force = q->unique + s->m;
    r->family = (int)(s->unknowns - s->rank);
    r->residual = dense_largest(s->residual, s->equations);
    return describe_forces(s, q, Qi, Qni);
}

static mech_status begin(search *s, const mech_equilibrium_options *o, int k)
{
    const size_t n = s->n;
    memset(s->x, 0, (2 * n + s->nz) * sizeof *s->x);
    if (!o->q) take_initial(s);
    if (o->q) memcpy(s->x, o->q, n * sizeof *s->x);
    if (o->v) memcpy(s->x + n, o->v, n * sizeof *s->x);
    if (o->z && s->nz) memcpy(s->x + 2 * n, o->z, s->nz * sizeof *s->x);
    if (!s->steady) memset(s->x + n, 0, n * sizeof *s->x);
    if (k > 0) displace(s, k);
    return MECH_OK;
}

static mech_status hunt(search *s, const mech_equilibrium_options *o, mech_equilibrium *q)
{
    const size_t most = 1 + 3000 / (s->n * s->n); /* a person waits seconds, not minutes */
    int found = 0;
    for (int k = 0; k < o->tries && (size_t)k < most && !found; k++) {
        MECH_TRY(begin(s, o, k));
        const mech_status status = newton(s, o->tolerance, &q->result.iterations, &found);
        if (status == MECH_ERR_MEMORY) return status;
        if (status != MECH_OK) found = 0;
        q->result.beginnings = k + 1;
    }
    return found ? deliver(s, q) : MECH_ERR_NO_EQUILIBRIUM;
}

mech_status mech_equilibrium_find(const mech_system *system, mech_eval *eval,
                                  const mech_equilibrium_options *options, mech_equilibrium **result)
{
    mech_equilibrium_options o;
    *result = NULL;
    mech_equilibrium_options_default(&o, sizeof o);
    if (options) memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    if (!mech_eval_equation(eval)->M_dense) return MECH_ERR_ARGUMENT;
    mech_equilibrium *q = mem_zeroed(1, sizeof *q);
    if (!q) return MECH_ERR_MEMORY;
    search s = {0};
    mech_status status = prepare(&s, system, eval, &o);
    if (status == MECH_OK) status = hunt(&s, &o, q);
    tangent_free(&s.t);
    mech_fundamental_free(s.projector);
    mem_free(s.block);
    if (status == MECH_OK) *result = q;
    else mech_equilibrium_free(q);
    return status;
}

void mech_equilibrium_free(mech_equilibrium *q)
{
    if (!q) return;
    mem_free(q->numbers);
    mem_free(q->unique);
    mem_free(q);
}

const mech_equilibrium_result *mech_equilibrium_get(const mech_equilibrium *q) { return &q->result; }
