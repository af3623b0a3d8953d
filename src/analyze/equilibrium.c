/* Equilibria and steady motions: least-squares Newton on a = 0, z' = 0, r = 0, r' = 0 and what `steady` says,
   each point brought back to the constraints first. Steps have least norm, so a family is met where it is
   nearest. */
#include "analyze/dense.h"
#include "analyze/search.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/try.h"
#include "base/tolerances.h"
#include "system/owner.h"

#include <math.h>
#include <string.h>

enum { MOST_TURNS = 60, MOST_HALVES = 14 };
#define LONGEST 0.5 /* step, by the size of the state                            */

void mech_equilibrium_options_default(mech_equilibrium_options *options, size_t size)
{
    const mech_equilibrium_options o = {.steady = -1, .tolerance = TOL_EQUILIBRIUM, .tries = 30};
    options_default(options, size, &o, sizeof o);
}

const char *mech_equilibrium_obstacle(const mech_system *system)
{
    const mech_sizes k = mech_system_sizes(system);
    if (k.frictions) return SMOOTH_AT_REST;
    if (k.contacts)
        return "no equilibrium is searched for with one-sided constraints: write those that press with '=', leave out "
               "those that are open; 'mech linearize FILE --here' takes a state where all are open";
    if (k.natural_rows < k.rows)
        return "under control no equilibrium is searched for: 'mech linearize FILE --here' takes a state as it is";
    if (system_delay_count(system))
        return "no equilibrium is searched for with delays: at rest delay(x, T) is x, so write x in its place and ask "
               "again";
    return mech_analyze_obstacle(system);
}

static mech_status prepare(search *s, const mech_system *system, mech_eval *eval, const mech_equilibrium_options *o)
{
    if (mech_equilibrium_obstacle(system)) return MECH_ERR_UNSUPPORTED;
    MECH_TRY(tangent_create(system, eval, &s->t));
    s->time = o->t;
    s->n = s->t.n;
    s->m = s->t.m;
    s->nz = s->t.sizes.states;
    s->steady = o->steady < 0 ? s->t.sizes.steadies > 0 : o->steady;
    s->ns = s->steady ? s->t.sizes.steadies : 0;
    s->N = 2 * s->n + s->nz;
    s->unknowns = s->steady ? s->N : s->n + s->nz;
    s->equations = s->n + s->nz + 2 * s->m + s->ns + (s->steady ? s->n : 0);
    MECH_TRY(ARENA_MAKE(
        &s->t.memory, ARRAY_OF(s->x, s->N), ARRAY_OF(s->trial, s->N), ARRAY_OF(s->seen, s->N), ARRAY_OF(s->own, s->N),
        ARRAY_OF(s->step, s->N), ARRAY_OF(s->newton, s->N), ARRAY_OF(s->residual, s->equations),
        ARRAY_OF(s->scale, s->equations), ARRAY_OF(s->most, s->equations), ARRAY_OF(s->scaled, s->equations),
        ARRAY_OF(s->J, s->equations * s->unknowns), ARRAY_OF(s->unit, s->n * s->n), ARRAY_OF(s->zero, s->n),
        ARRAY_OF(s->speeds, (s->m + s->ns) * (s->n + 1)), ARRAY_OF(s->is_cyclic, s->n), ARRAY_OF(s->still, s->n)));
    return mech_fundamental_create((int)s->n, (int)s->m, NULL, &s->projector);
}

/* ---- Newton ---- */

/* Residuals at the point the evaluation stands at. */
static mech_status look(search *s, double *size)
{
    const mech_equation *e = s->t.e;
    MECH_TRY(tangent_solve(&s->t, NULL, NULL));
    double *r = s->residual;
    memcpy(r, s->t.a, s->n * sizeof *r);
    if (s->nz) memcpy(r + s->n, e->rate, s->nz * sizeof *r);
    double *rows = r + s->n + s->nz;
    for (size_t i = 0; i < s->m; i++) {
        rows[i] = e->active[i] ? e->r[i] : 0;
        rows[s->m + i] = e->active[i] ? e->r_dot[i] : 0;
    }
    if (s->ns) {
        MECH_TRY(mech_eval_start(s->t.eval));
        for (size_t i = 0; i < s->ns; i++) rows[2 * s->m + i] = e->steady[i] - e->steady_value[i];
    }
    for (size_t i = 0; s->steady && i < s->n; i++) rows[2 * s->m + s->ns + i] = s->still[i] ? e->v[i] : 0;
    /* where an energy has no value there is no system, though its derivatives may go on: log(x) at x < 0.
       What outputs do there does not matter */
    MECH_IGNORE(mech_eval_output(s->t.eval));
    double sum = 0;
    for (size_t i = 0; i < 4; i++) sum += e->energy[i] - e->energy[i];
    for (size_t i = 0; i < s->equations; i++) sum += r[i];
    *size = search_size(s);
    return isfinite(sum) ? MECH_OK : MECH_ERR_NOT_FINITE;
}

static mech_status derive(search *s)
{
    const tangent *t = &s->t;
    const mech_equation *e = s->t.e;
    mech_jacobian j;
    MECH_TRY(tangent_derive(&s->t));
    MECH_TRY(mech_eval_jacobian(s->t.eval, &j));
    const mech_pattern p = mech_system_pattern(t->system, MECH_MATRIX_D_STEADY);
    const size_t first = s->n + s->nz;
    memset(s->J, 0, s->equations * s->unknowns * sizeof *s->J);
    for (size_t k = 0; k < s->unknowns; k++) {
        const size_t c = search_column(s, k);
        double *to = s->J + k * s->equations;
        memcpy(to, t->a_x + c * s->n, s->n * sizeof *to);
        for (size_t i = 0; i < s->nz; i++) to[s->n + i] = t->rate_x[i + c * s->nz];
        for (size_t i = 0; i < s->m; i++) {
            to[first + i] = e->active[i] ? t->r_x[i + c * s->m] : 0;
            to[first + s->m + i] = e->active[i] ? t->r_dot_x[i + c * s->m] : 0;
        }
        for (size_t i = 0; s->ns && i < p.count; i++)
            if (p.column[i] == c) to[first + 2 * s->m + p.row[i]] += j.steady[i];
        if (s->steady && c >= s->n && c < 2 * s->n && s->still[c - s->n]) to[first + 2 * s->m + s->ns + c - s->n] = 1;
    }
    return MECH_OK;
}

static mech_status look_at(search *s, const double *x, double *size)
{
    MECH_TRY(search_evaluate(s, x));
    return look(s, size);
}

/* Derivatives where it was looked last; residuals by what they are made of there. */
static mech_status look_around(search *s, double tolerance, double *size)
{
    MECH_TRY(derive(s));
    search_scale(s, tolerance);
    return look(s, size);
}

/* The step that makes the residuals least into s->newton; how long it is in units of t.one. */
static mech_status choose_step(search *s, double *longest)
{
    MECH_TRY(dense_least_squares(s->equations, s->unknowns, s->J, s->scaled, s->newton, &s->rank));
    *longest = dense_largest(s->newton, s->unknowns);
    for (size_t k = 0; k < s->unknowns; k++) s->newton[k] *= s->t.one[search_column(s, k)];
    return MECH_OK;
}

/* What rounding left of 0 becomes 0 where that is no worse: a later look at the point alone could not tell it from a
   state of its own. */
static mech_status round_off(search *s, double size)
{
    double next;
    for (size_t i = 0; i < s->N; i++) s->trial[i] = fabs(s->x[i]) <= TOL_SEARCH_ZERO * s->t.one[i] ? 0 : s->x[i];
    const mech_status status = look_at(s, s->trial, &next);
    if (status == MECH_OK && next <= fmax(size, TOL_SEARCH_DONE)) memcpy(s->x, s->trial, s->N * sizeof *s->x);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

/* The point a part of the step away, on the constraints, into s->trial; better: it is less than `limit`. */
static mech_status try_step(search *s, double part, double limit, double *size, int *better)
{
    memcpy(s->trial, s->x, s->N * sizeof *s->trial);
    for (size_t k = 0; k < s->unknowns; k++) s->trial[search_column(s, k)] -= part * s->newton[k];
    mech_status status = search_project(s, s->trial);
    if (status == MECH_ERR_MEMORY) return status;
    if (status == MECH_OK) status = look(s, size);
    *better = status == MECH_OK && *size < limit;
    return MECH_OK;
}

/* found: 1, 0 stuck. */
static mech_status newton(search *s, double tolerance, int *turns, int *found)
{
    double size, longest;
    *found = 0;
    search_scale_begin(s);
    MECH_TRY(look_at(s, s->x, &size));
    for (int turn = 0; turn < MOST_TURNS; turn++, (*turns)++) {
        if (turn > 0 && size <= TOL_SEARCH_DONE) break;
        MECH_TRY(look_around(s, tolerance, &size));
        MECH_TRY(choose_step(s, &longest));
        /* the nearest is wanted, and an angle is not turned many times over: no step is longer than half the size of
           the state, but one that all but arrives */
        const int is_long = longest > LONGEST;
        double part = is_long ? LONGEST / longest : 1, next = size;
        int better = 0;
        if (is_long) MECH_TRY(try_step(s, 1, TOL_SEARCH_ALL_BUT * size, &next, &better));
        for (int half = 0; half < MOST_HALVES && !better; half++, part /= 2)
            MECH_TRY(try_step(s, part, size, &next, &better));
        if (!better) break;
        memcpy(s->x, s->trial, s->N * sizeof *s->x);
        const double gain = size / next;
        size = next;
        if (gain < 1.5 && size <= tolerance) break;
    }
    MECH_TRY(look_at(s, s->x, &size));
    MECH_TRY(look_around(s, tolerance, &size));
    if (!(size <= tolerance)) return MECH_OK;
    /* small residuals are not enough: they also vanish on the way to infinity. There the next step is as long as the
       way that lies behind */
    MECH_TRY(choose_step(s, &longest));
    *found = longest <= TOL_SEARCH_STEP;
    return *found ? round_off(s, size) : MECH_OK;
}

/* ---- what came out ---- */

/* Forces of the constraints, and which of them are unique. */
static mech_status describe_forces(search *s, mech_equilibrium *q, double *Qi, double *Qni)
{
    const dynamics *d = &s->t.at_point.d;
    const size_t constraints = d->sizes.constraints;
    int *groups;
    MECH_TRY(ARENA_MAKE(&q->memory, ARRAY_OF(groups, constraints)));
    for (size_t i = 0; i < constraints; i++) {
        size_t count;
        (void)mech_system_constraint_rows(d->system, i, &count);
        groups[i] = (int)count;
    }
    mech_fundamental_input in = dynamics_question(d, d->eq->Q, d->eq->b, d->eq->active);
    if (d->has_laws) in.C = s->t.C;
    mech_fundamental_output out = {.size = sizeof out, .Qi = Qi, .Qni = Qni};
    const mech_diagnosis_input question = {
        .size = sizeof question, .equation = &in, .group_sizes = groups, .groups = (int)constraints};
    MECH_TRY(mech_fundamental_solve(d->solver, &in, &out));
    MECH_TRY(mech_diagnosis_create((int)s->n, (int)s->m, &q->diagnosis));
    MECH_TRY(mech_diagnosis_run(q->diagnosis, &question));
    const mech_diagnosis_result *found = mech_diagnosis_get(q->diagnosis);
    q->result.rank = found->rank;
    q->result.unique_lambda = found->unique_lambda;
    q->result.unique_force = found->unique_force;
    return MECH_OK;
}

static mech_status deliver(search *s, mech_equilibrium *q)
{
    mech_equilibrium_result *r = &q->result;
    double *x, *lambda, *reaction, *Qi, *Qni;
    MECH_TRY(ARENA_MAKE(&q->memory, ARRAY_OF(x, s->N), ARRAY_OF(lambda, s->m), ARRAY_OF(reaction, s->m),
                        ARRAY_OF(Qi, s->n), ARRAY_OF(Qni, s->n)));
    memcpy(x, s->x, s->N * sizeof *x);
    memcpy(lambda, s->t.lambda, s->m * sizeof *lambda);
    memcpy(reaction, s->t.reaction, s->m * sizeof *reaction);
    *r = (mech_equilibrium_result){.size = sizeof *r,
                                   .iterations = r->iterations,
                                   .beginnings = r->beginnings,
                                   .n = (int)s->n,
                                   .states = (int)s->nz,
                                   .rows = (int)s->m,
                                   .constraints = (int)s->t.sizes.constraints,
                                   .t = s->time,
                                   .is_steady = s->steady && dense_largest(s->x + s->n, s->n) > 0,
                                   .q = x,
                                   .v = x + s->n,
                                   .z = x + 2 * s->n,
                                   .lambda = lambda,
                                   .reaction = reaction,
                                   .Qi = Qi,
                                   .Qni = Qni,
                                   .family = (int)(s->unknowns - s->rank),
                                   .residual = dense_largest(s->residual, s->equations),
                                   .holds = 1};
    return describe_forces(s, q, Qi, Qni);
}

/* One beginning. */
static mech_status attempt(search *s, const mech_equilibrium_options *o, int k, int *turns, int *found, int *met)
{
    *found = 0;
    mech_status status = search_begin(s, o, k);
    /* on the constraints, or only as near as they allow? */
    *met |= status != MECH_OK || search_miss(s, 0, s->x) <= TOL_SEARCH_MEETS;
    if (status == MECH_OK) status = newton(s, o->tolerance, turns, found);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

/* A point where coordinates lose their inertia: others are better. */
static mech_status is_weak(search *s, int *weak)
{
    int along;
    const mech_status status = inertia_look(&s->t, s->time, s->x, weak, &along);
    *weak = *weak >= 0;
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

/* Later beginnings leave coordinates alone that nothing depends on. */
static mech_status learn_cyclic(search *s, const mech_equilibrium_options *o)
{
    mech_status status = search_begin(s, o, 0);
    if (status == MECH_OK) status = search_evaluate(s, s->x);
    if (status == MECH_OK) status = tangent_scatter(&s->t, NULL, NULL, NULL);
    if (status == MECH_OK) tangent_measure(&s->t, s->x);
    if (status == MECH_OK) status = cyclic_find(&s->t, s->time, s->x, s->is_cyclic);
    return status == MECH_ERR_MEMORY ? status : MECH_OK; /* where it cannot be told none is taken for cyclic */
}

/* Steady motions in Routh's sense first: coordinates that matter keep their values, only the others move on.
   The vanishing of accelerations alone is also met for an instant by motions that are not steady. */
static mech_status try_still(search *s, const mech_equilibrium_options *o, mech_equilibrium *q, int *found)
{
    int met = 0, weak = 0, any = 0;
    *found = 0;
    MECH_TRY(learn_cyclic(s, o));
    const mech_status status = search_begin(s, o, 0);
    if (status != MECH_OK) return status == MECH_ERR_MEMORY ? status : MECH_OK;
    for (size_t i = 0; i < s->n; i++)
        any |= s->still[i] = !s->is_cyclic[i] &&
                             fabs(s->x[s->n + i]) / s->t.one[s->n + i] <= TOL_STILL * tangent_speed(&s->t, s->x + s->n);
    if (any) MECH_TRY(attempt(s, o, 0, &q->result.iterations, found, &met));
    if (*found) MECH_TRY(is_weak(s, &weak));
    *found = *found && !weak;
    if (*found) q->result.beginnings = 1;
    else memset(s->still, 0, s->n);
    return MECH_OK;
}

static mech_status hunt(search *s, const mech_equilibrium_options *o, mech_equilibrium *q)
{
    const size_t most = 1 + 3000 / (s->n * s->n); /* a person waits seconds, not minutes */
    int found = 0, met = 0, second_best = -1, turns = 0;
    if (s->steady) MECH_TRY(try_still(s, o, q, &found));
    for (int k = 0; k < o->tries && (size_t)k < most && !found; k++) {
        int weak = 0;
        if (k == 1) MECH_TRY(learn_cyclic(s, o));
        MECH_TRY(attempt(s, o, k, &q->result.iterations, &found, &met));
        q->result.beginnings = k + 1;
        if (found) MECH_TRY(is_weak(s, &weak));
        if (weak && second_best < 0) second_best = k;
        if (weak) found = 0;
    }
    if (!found && second_best >= 0) {
        MECH_TRY(attempt(s, o, second_best, &turns, &found, &met));
        q->result.beginnings = second_best + 1;
    }
    if (found) {
        double size;
        MECH_TRY(look_at(s, s->x, &size)); /* looking around has moved the evaluation */
        return deliver(s, q);
    }
    const mech_status back = search_begin(s, o, 0); /* for those who ask why */
    if (back == MECH_ERR_MEMORY) return back;
    return met ? MECH_ERR_NO_EQUILIBRIUM : MECH_ERR_NO_START;
}

/* Without coordinates the search begins where the model does. */
static mech_status begin_there(search *s, mech_equilibrium_options *o)
{
    if (o->q) return MECH_OK;
    MECH_TRY(search_find_start(s->t.eval, o->t, NULL, s->own));
    o->q = s->own;
    if (!o->v) o->v = s->own + s->n;
    if (!o->z) o->z = s->own + 2 * s->n;
    return MECH_OK;
}

mech_status mech_equilibrium_find(const mech_system *system, mech_eval *eval, const mech_equilibrium_options *options,
                                  mech_equilibrium **result)
{
    mech_equilibrium_options o;
    *result = NULL;
    mech_equilibrium_options_default(&o, sizeof o);
    MECH_TRY(options_take(&o, sizeof o, options));
    if (!mech_eval_equation(eval)->M_dense) return MECH_ERR_ARGUMENT;
    mech_equilibrium *q = mem_zeroed(1, sizeof *q);
    if (!q) return MECH_ERR_MEMORY;
    q->result.size = sizeof q->result;
    search s = {0};
    mech_status status = prepare(&s, system, eval, &o);
    if (status == MECH_OK) status = begin_there(&s, &o);
    if (status == MECH_OK) status = hunt(&s, &o, q);
    tangent_free(&s.t);
    mech_fundamental_free(s.projector);
    if (status == MECH_OK) *result = q;
    else mech_equilibrium_free(q);
    return status;
}

void mech_equilibrium_free(mech_equilibrium *q)
{
    if (!q) return;
    mech_instant_free(q->instant);
    mech_diagnosis_free(q->diagnosis);
    arena_free(&q->memory);
    mem_free(q);
}

const mech_equilibrium_result *mech_equilibrium_get(const mech_equilibrium *q) { return &q->result; }
