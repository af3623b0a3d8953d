/* The acceleration at once, asked of an evaluation: code, plans, robust solve, in this order. */
#include "motion/motion.h"

#include "base/mem.h"
#include "base/try.h"
#include "motion/visit.h"
#include "base/tolerances.h"
#include "system/laws.h"

#include <math.h>
#include <string.h>

enum { MOST_ROBUST = 2000 };
enum { LINE = 8 }; /* doubles in a line of the cache: the code's arrays start at one */

/* ---- an evaluation's part ---- */

static void free_part(eval_motion *m)
{
    if (!m) return;
    mech_fundamental_free(m->robust);
    arena_free(&m->memory);
    mem_free(m);
}

static mech_status allocate(const mech_eval *e, eval_motion *m)
{
    const mech_system *s = e->system;
    const mech_motion_code *of = m->of;
    const size_t n = s->sizes.coords, rows = s->sizes.rows;
    const uint32_t plain = of->plain->slot_count, null = of->null ? of->null->slot_count : 0;
    const int is_small = n + rows <= MOST_ROBUST;
    m->parameters = SIZE_MAX;
    double *room;
    MECH_TRY(ARENA_MAKE(&m->memory, ARRAY_OF(m->more, 1 + s->sizes.states + motion_check_count(s)),
                        ARRAY_OF(m->lambda, rows), ARRAY_OF(m->refined, 2 * (n + rows)), ARRAY_OF(m->force, 2 * n),
                        ARRAY_OF(m->slots, plain > null ? plain : null), ARRAY_OF(m->k, of->size.kept),
                        ARRAY_OF(room, of->size.work + LINE)));
    if (of->tape)
        MECH_TRY(ARENA_MAKE(&m->memory, ARRAY_OF(m->tape_slots, of->tape->slot_count),
                            ARRAY_OF(m->values, of->tape->output_count)));
    if (is_small && !e->M_dense) MECH_TRY(ARENA_MAKE(&m->memory, ARRAY_OF(m->M, n * n), ARRAY_OF(m->A, n * rows)));
    m->w = room + (LINE - (uintptr_t)room / sizeof(double) % LINE) % LINE;
    if (of->tape) tape_reset(of->tape, m->tape_slots);
    return is_small ? mech_fundamental_create((int)n, (int)rows, NULL, &m->robust) : MECH_OK;
}

mech_status mech_eval_use_motion(mech_eval *e, const mech_motion_code *code)
{
    if (!e || !code || code->system != e->system) return MECH_ERR_ARGUMENT;
    eval_motion *m = mem_zeroed(1, sizeof *m);
    if (!m) return MECH_ERR_MEMORY;
    m->of = code;
    const mech_status status = allocate(e, m);
    if (status != MECH_OK) {
        free_part(m);
        return status;
    }
    free_part(e->motion);
    e->motion = m;
    e->motion_free = free_part;
    return MECH_OK;
}

/* ---- the acceleration ---- */

/* (M q'' - Q)' v */
static double power_of_reactions(const mech_eval *e, const double *qdd)
{
    const system_part *M = &e->system->parts[SECTION_M];
    const double *v = e->equation.v;
    double power = 0;
    for (size_t i = 0; i < M->count; i++) {
        const double value = e->slots[M->first + i];
        power += v[M->row[i]] * value * qdd[M->column[i]];
        if (M->row[i] != M->column[i]) power += v[M->column[i]] * value * qdd[M->row[i]];
    }
    for (size_t i = 0; i < e->system->sizes.coords; i++) power -= e->equation.Q[i] * v[i];
    return power;
}

/* The rest of a result that came by the stages. */
static void finish_stages(mech_eval *e, const double *lambda, mech_motion *out)
{
    const mech_system *s = e->system;
    const system_part *A = &s->parts[SECTION_A], *energy = &s->parts[SECTION_ENERGY];
    out->power = 0;
    if (out->wants_power) {
        if (energy->count == ENERGY_COUNT && mech_eval_output(e) == MECH_OK) out->power = e->slots[energy->first + 4];
        if (s->sizes.laws) out->power += power_of_reactions(e, out->qdd);
        for (size_t i = 0; i < A->count && !s->sizes.laws; i++)
            out->power += lambda[A->row[i]] * e->slots[A->first + i] * e->equation.v[A->column[i]];
    }
    if (out->rate && s->sizes.states) memcpy(out->rate, e->equation.rate, s->sizes.states * sizeof(double));
}

/* With the stages up to date. */
static mech_status solve_robustly(mech_eval *e, mech_motion *out)
{
    eval_motion *m = e->motion;
    const mech_equation *eq = &e->equation;
    if (!m->robust || out->leaves_doubt) {
        out->flags |= MECH_MOTION_DOUBT;
        return MECH_OK;
    }
    e->counts.robust++;
    if (m->M) system_spread_M(e, m->M);
    if (m->A) system_spread_rows(e, eq->A, m->A);
    mech_fundamental_input in = {.size = sizeof in,
                                 .M = e->M_dense ? e->M_dense : m->M,
                                 .Q = eq->Q,
                                 .A = e->A_dense ? e->A_dense : m->A,
                                 .b = eq->b,
                                 .C = e->system->sizes.laws ? m->force + e->system->sizes.coords : NULL,
                                 .active = e->active};
    mech_fundamental_output result = {.size = sizeof result, .qdd = out->qdd, .lambda = m->lambda};
    const mech_status status = mech_fundamental_solve(m->robust, &in, &result);
    if (status != MECH_OK) return system_failed(e, status, NULL);
    out->flags = MECH_MOTION_ROBUST;
    return MECH_OK;
}

static mech_status run_stages(mech_eval *e, double t, const double *q, const double *v)
{
    const size_t n = e->system->sizes.coords;
    double *force = e->motion->force, *laws = force + n;
    MECH_TRY(eval_place(e, EVAL_VELOCITY, t, q, v, NULL)); /* motion_at has taken the states */
    memcpy(force, e->equation.Q, n * sizeof *force);
    if (e->system->sizes.laws == 0) return MECH_OK;
    MECH_TRY(mech_eval_reaction(e, NULL, NULL));
    memset(laws, 0, n * sizeof *laws);
    laws_add(e->system, MECH_LAW_C, &e->equation, laws);
    for (size_t i = 0; i < n; i++) force[i] += laws[i];
    return MECH_OK;
}

void motion_fill_plan(const mech_eval *e, const plan *p, const double *Q, const double *b, double *slots)
{
    const system_part *M = &e->system->parts[SECTION_M], *A = &e->system->parts[SECTION_A];
    memcpy(slots, e->slots + M->first, M->count * sizeof *slots);
    if (A->count) memcpy(slots + p->A_first, e->slots + A->first, A->count * sizeof *slots);
    memcpy(slots + p->Q_first, Q, p->n * sizeof *slots);
    if (p->m) memcpy(slots + p->b_first, b, p->m * sizeof *slots);
}

/* Solves for these right sides with the M and A of the stages. */
static unsigned run_plan(const mech_eval *e, const plan *p, const double *Q, const double *b, double *qdd,
                         double *lambda)
{
    double *slots = e->motion->slots;
    motion_fill_plan(e, p, Q, b, slots);
    const unsigned flags = plan_run(p, slots);
    for (size_t i = 0; i < p->n; i++) qdd[i] = slots[p->qdd[i]];
    for (size_t i = 0; i < p->m; i++) lambda[i] = p->lambda[i] == PLAN_NONE ? 0 : slots[p->lambda[i]];
    return flags;
}

/* What is left of M q'' = force + A' lambda, A q'' = b, solved for and added: digits that the square of A
   took. An error c of q'', beside q'' or what the force alone would do, becomes one of about c^2; 0 where
   that is too much. */
static int refine(mech_eval *e, const plan *p, const double *force, double *qdd, double *lambda)
{
    const system_part *M = &e->system->parts[SECTION_M], *A = &e->system->parts[SECTION_A];
    double *Q = e->motion->refined, *b = Q + p->n, *change = b + p->m, *more = change + p->n;
    memcpy(Q, force, p->n * sizeof *Q);
    if (p->m) memcpy(b, e->equation.b, p->m * sizeof *b);
    for (size_t i = 0; i < M->count; i++) {
        const double value = e->slots[M->first + i];
        Q[M->row[i]] -= value * qdd[M->column[i]];
        if (M->row[i] != M->column[i]) Q[M->column[i]] -= value * qdd[M->row[i]];
    }
    for (size_t i = 0; i < A->count; i++) {
        const double value = e->slots[A->first + i];
        Q[A->column[i]] += value * lambda[A->row[i]];
        b[A->row[i]] -= value * qdd[A->column[i]];
    }
    (void)run_plan(e, p, Q, b, change, more); /* the same pivots: their flags are known */
    double size = 0, most = 0;
    for (size_t i = 0; i < M->count; i++)
        if (M->row[i] == M->column[i]) size = fmax(size, fabs(force[M->row[i]] / e->slots[M->first + i]));
    for (size_t i = 0; i < p->n; i++) {
        most = fmax(most, fabs(change[i]));
        qdd[i] += change[i];
        size = fmax(size, fabs(qdd[i]));
    }
    for (size_t i = 0; i < p->m; i++) lambda[i] += more[i];
    return most <= TOL_REFINED * size;
}

/* The ideal multipliers: without the laws. The acceleration of that motion goes where the force was. 0 when
   they are in doubt. */
static int solve_ideal(mech_eval *e, const plan *p, int is_weak, double *lambda)
{
    double *const qdd = e->motion->force;
    const unsigned flags = run_plan(e, p, e->equation.Q, e->equation.b, qdd, lambda);
    if (flags & PLAN_FLAG_DOUBT) return 0;
    return !(is_weak || flags & PLAN_FLAG_WEAK) || refine(e, p, e->equation.Q, qdd, lambda);
}

enum { FROM_NULL, FROM_PLAIN, FROM_ROBUST };

/* By the stages and the plans from `first` on, or the robust solve where rows are released or in doubt. */
static mech_status interpret(mech_eval *e, double t, const double *q, const double *v, int first, mech_motion *out)
{
    const mech_motion_code *m = e->motion->of;
    const size_t rows = e->system->sizes.rows;
    MECH_TRY(run_stages(e, t, q, v));
    unsigned flags = PLAN_FLAG_DOUBT;
    const double *force = e->motion->force, *b = e->equation.b;
    double *lambda = e->motion->lambda;
    const plan *used = m->plain;
    int is_weak = 0;
    if (first == FROM_NULL && m->null) {
        flags = run_plan(e, used = m->null, force, b, out->qdd, lambda);
        e->counts.fallbacks += flags != 0;
        first = FROM_PLAIN;
    }
    if (first <= FROM_PLAIN && flags) {
        flags = run_plan(e, used = m->plain, force, b, out->qdd, lambda);
        is_weak = flags & PLAN_FLAG_WEAK || first == FROM_PLAIN;
        e->counts.fallbacks += flags & PLAN_FLAG_WEAK && first == FROM_NULL; /* else counted before */
        if (is_weak && !(flags & PLAN_FLAG_DOUBT) && !refine(e, used, force, out->qdd, lambda)) flags = PLAN_FLAG_DOUBT;
    }
    if (!(flags & PLAN_FLAG_DOUBT) && out->lambda && e->system->sizes.laws && !solve_ideal(e, used, is_weak, lambda))
        flags = PLAN_FLAG_DOUBT;
    if (flags & PLAN_FLAG_DOUBT) MECH_TRY(solve_robustly(e, out));
    if (out->lambda && rows) memcpy(out->lambda, lambda, rows * sizeof *out->lambda);
    finish_stages(e, lambda, out);
    return MECH_OK;
}

/* Time, inputs, and what code or tape makes of parameters that changed; 0 when they cannot be had. */
static int prepare(mech_eval *e, double t, const double *q, const double *v)
{
    const mech_system *s = e->system;
    eval_motion *m = e->motion;
    if (e->fresh < STAGE_PARAMETER && system_run_through(e, STAGE_PARAMETER) != MECH_OK) return 0;
    if (m->parameters != e->counts.parameters) {
        m->parameter_flags = m->of->native ? native_get_parameters(m->of->native)(e->slots + s->in.p, m->k)
                                           : (int)tape_run_parameters(m->of->tape, e->slots, m->tape_slots);
        m->parameters = e->counts.parameters;
    }
    system_stale_from(e, STAGE_CONSTRAINT);
    e->slots[s->in.t] = t;
    return !s->sizes.inputs || system_take_inputs(e, q, v) == MECH_OK;
}

static void fill_check(const mech_eval *e, mech_motion *out)
{
    const mech_system *s = e->system;
    const mech_motion_code *of = e->motion->of;
    const size_t n = s->sizes.coords, rows = s->sizes.rows;
    const double *from = e->motion->more + 1 + s->sizes.states, *rest = from + 2 * (n + rows);
    *out->check = (mech_motion_check){.size = sizeof *out->check,
                                      .r = from,
                                      .r_dot = from + rows,
                                      .dq = of->has_dq ? from + 2 * rows : NULL,
                                      .dv = of->has_dv ? from + 2 * rows + n : NULL,
                                      .h = rest[0],
                                      .kinetic = rest[1],
                                      .margin = rest[2]};
    out->flags |= MECH_MOTION_CHECKED;
}

/* Flags of the tape, with those of the parameters. */
static unsigned run_tape(mech_eval *e, const double *q, const double *v, mech_motion *out)
{
    const mech_system *s = e->system;
    const size_t n = s->sizes.coords, rows = s->sizes.rows;
    eval_motion *m = e->motion;
    memcpy(e->slots + s->in.q, q, n * sizeof *q);
    memcpy(e->slots + s->in.v, v, n * sizeof *v);
    const unsigned flags =
        (unsigned)m->parameter_flags | tape_run(m->of->tape, e->slots, m->tape_slots, m->values, out->lambda != NULL);
    if (flags) return flags;
    memcpy(out->qdd, m->values, n * sizeof *m->values);
    if (out->lambda && rows) memcpy(out->lambda, m->values + n + 1 + s->sizes.states, rows * sizeof *m->values);
    return 0;
}

/* Flags of code or tape; DOUBT also when a value is not finite, which the stages will name. */
static unsigned run_at_once(mech_eval *e, double t, const double *q, const double *v, mech_motion *out)
{
    const mech_system *s = e->system;
    const double *z = e->slots + s->in.z, *u = e->slots + s->in.u;
    eval_motion *m = e->motion;
    const mech_motion_code *of = m->of;
    double *lambda = out->lambda || of->size.has_optional ? out->lambda : m->lambda;
    const double *more = of->native ? m->more : m->values + s->sizes.coords; /* power, rates */
    if (!prepare(e, t, q, v)) return PLAN_FLAG_DOUBT;
    const unsigned flags =
        of->native ? (unsigned)(m->parameter_flags | of->motion(m->k, t, q, v, z, u, out->qdd, lambda, m->more, m->w))
                   : run_tape(e, q, v, out);
    if (flags) return flags;
    if (!(of->native && of->size.tests_finite) && !system_all_finite(out->qdd, s->sizes.coords)) return PLAN_FLAG_DOUBT;
    out->power = more[0];
    if (out->rate && s->sizes.states) memcpy(out->rate, more + 1, s->sizes.states * sizeof *more);
    if (of->native && out->check && lambda && of->with_check) fill_check(e, out);
    return 0;
}

mech_status mech_eval_motion(mech_eval *e, double t, const double *q, const double *v, mech_motion *out)
{
    if (out->size != sizeof *out) return system_failed(e, MECH_ERR_ARGUMENT, NULL);
    return motion_at(e, t, q, v, NULL, out);
}

mech_status motion_at(mech_eval *e, double t, const double *q, const double *v, const double *z, mech_motion *out)
{
    const mech_system *s = e->system;
    if (z && s->sizes.states) eval_take_states(e, z);
    if (!e->motion) return system_failed(e, MECH_ERR_ARGUMENT, NULL);
    const mech_motion_code *of = e->motion->of;
    int first = e->released == 0 ? FROM_NULL : FROM_ROBUST;
    e->counts.motions++;
    out->flags = of->info.monitored ? MECH_MOTION_DEPENDENT : 0;
    const int is_at_once = of->native || of->tape;
    if (is_at_once && first == FROM_NULL && (of->with_power || !out->wants_power)) {
        const unsigned flags = run_at_once(e, t, q, v, out);
        if (flags == 0) return MECH_OK;
        if (out->leaves_doubt && !(flags & PLAN_FLAG_WEAK)) {
            out->flags |= MECH_MOTION_DOUBT;
            return MECH_OK;
        }
        e->counts.fallbacks += of->info.is_null_space || flags & PLAN_FLAG_WEAK;
        first = FROM_PLAIN;
    }
    return interpret(e, t, q, v, first, out);
}
