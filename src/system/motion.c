/* The acceleration at once: prepared with the system, asked of an evaluation. */
#include "system/motion.h"

#include "base/mem.h"
#include "base/try.h"
#include "system/compiled.h"

#include <math.h>
#include <string.h>

enum { MOST_OPERATIONS = 4000000, MOST_STATEMENTS = 40000, MOST_ROBUST = 2000, MOST_DIAGNOSED = 600 };

void mech_motion_settings_default(mech_motion_settings *settings, size_t size)
{
    const mech_motion_settings defaults = {.size = sizeof defaults,
                                           .native = MECH_NATIVE_AUTO,
                                           .calls = 1e5,
                                           .most = MOST_STATEMENTS,
                                           .timeout = 60};
    memset(settings, 0, size);
    memcpy(settings, &defaults, size < sizeof defaults ? size : sizeof defaults);
    settings->size = size;
}

void system_motion_free(mech_system *s)
{
    if (!s->motion) return;
    plan_free(s->motion->plain);
    native_free(s->motion->code);
    tape_free(s->motion->tape);
    mem_free(s->motion->monitored);
    mem_free(s->motion);
    s->motion = NULL;
}

/* ---- rows that depend on others ---- */

static mech_status diagnose(const mech_eval *e, system_motion *m, mech_diagnosis *d)
{
    const mech_sizes *k = &e->system->sizes;
    const mech_equation *eq = &e->equation;
    const mech_fundamental_input in = {
        .size = sizeof in, .M = eq->M_dense, .Q = eq->Q, .A = eq->A_dense, .b = eq->b};
    const mech_diagnosis_input input = {.size = sizeof input, .equation = &in};
    const mech_status status = mech_diagnosis_run(d, &input);
    if (status == MECH_ERR_MEMORY) return status;
    if (status != MECH_OK) return MECH_OK; /* nothing is known: all rows stay in */
    for (size_t i = 0; i < k->rows; i++) {
        m->monitored[i] = mech_diagnosis_get(d)->redundant[i];
    }
    return MECH_OK;
}

/* At the given point; where a value there is not finite, all rows stay in. */
static mech_status find_dependent(const mech_system *s, const mech_motion_settings *given, system_motion *m)
{
    const size_t n = s->sizes.coords, rows = s->sizes.rows;
    if (!given->q || rows == 0 || n + rows > MOST_DIAGNOSED) return MECH_OK;
    mech_eval *e = NULL;
    mech_diagnosis *d = NULL;
    double *still = mem_zeroed(n, sizeof *still);
    mech_status status = still ? mech_eval_create(s, MECH_STORAGE_DENSE, &e) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = mech_diagnosis_create((int)n, (int)rows, &d);
    if (status == MECH_OK) status = mech_eval_position(e, given->t, given->q);
    if (status == MECH_OK) status = mech_eval_velocity(e, given->v ? given->v : still);
    if (status == MECH_OK) status = diagnose(e, m, d);
    mech_diagnosis_free(d);
    mech_eval_free(e);
    mem_free(still);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

/* ---- preparing ---- */

/* Seconds, from measurements of gcc and of the interpreter: only their ratio decides. */
static int pays(const emit_result *size, double calls)
{
    const double statements = (double)size->statements, angles = (double)size->angles;
    const double compiling = 0.1 + 3e-4 * statements;
    const double saved = 2.5e-9 * statements + 15e-9 * angles; /* in each call */
    return calls * saved > compiling;
}

static mech_status make_code(const mech_system *s, const mech_motion_settings *given, system_motion *m)
{
    motion_source source = {.system = s,
                            .monitored = m->monitored,
                            .prefix = "mech",
                            .with_power = given->with_power,
                            .most = given->most ? given->most : MOST_STATEMENTS};
    textbuf text = {0};
    emit_prelude(&text);
    const mech_status status = motion_source_make(&source, &text);
    mech_status loaded = MECH_OK;
    if (status == MECH_OK) {
        m->size = source.size;
        m->info.statements = source.size.statements;
        m->info.angles = source.size.angles;
        m->info.row_steps = source.steps;
        m->info.monitored = source.watched;
        if (given->native == MECH_NATIVE_AUTO && !pays(&source.size, given->calls)) {
            m->info.why = "compiling would cost more than it saves";
        } else {
            const native_settings settings = {given->compiler, given->cache, given->timeout};
            loaded = native_load(text.data, text.length, "mech", &settings, &m->code, &m->info.was_cached);
            m->info.why = loaded == MECH_OK ? NULL : "there is no compiler, or it failed";
        }
    }
    text_free(&text);
    if (status == MECH_ERR_MEMORY || loaded == MECH_ERR_MEMORY) return MECH_ERR_MEMORY;
    if (status == MECH_ERR_LIMIT) m->info.why = "the code would be too long";
    else if (status != MECH_OK) m->info.why = "the acceleration needs what the code is not given";
    return MECH_OK;
}

static mech_status prepare(const mech_system *s, const mech_motion_settings *given, system_motion *m)
{
    const system_part *M = &s->parts[SECTION_M], *A = &s->parts[SECTION_A];
    m->monitored = mem_zeroed(s->sizes.rows + 1, 1);
    if (!m->monitored) return MECH_ERR_MEMORY;
    MECH_TRY(find_dependent(s, given, m));
    const plan_spec spec = {.n = s->sizes.coords,
                            .m = s->sizes.rows,
                            .M = {M->count, M->row, M->column},
                            .A = {A->count, A->row, A->column},
                            .monitored = m->monitored,
                            .most_ops = MOST_OPERATIONS};
    MECH_TRY(plan_create(&spec, &m->plain));
    m->info.is_prepared = 1;
    m->info.operations = m->plain->op_count;
    m->info.pivots = m->plain->blocks;
    m->info.monitored = m->plain->watched;
    m->info.why = "it is not a model";
    if (s->kind->prepare != compiled_prepare_jacobian) return MECH_OK;
    m->with_power = given->with_power;
    m->info.why = "it was not asked for";
    if (given->native != MECH_NATIVE_OFF) MECH_TRY(make_code(s, given, m));
    m->info.is_native = m->code != NULL;
    if (m->code) m->motion = native_get_motion(m->code);
    return m->code ? MECH_OK : motion_tape_prepare(s, given, m);
}

mech_status mech_system_prepare_motion(mech_system *s, const mech_motion_settings *settings)
{
    mech_motion_settings given;
    const char *why;
    mech_motion_settings_default(&given, sizeof given);
    if (settings) memcpy(&given, settings, settings->size < sizeof given ? settings->size : sizeof given);
    system_motion_free(s);
    if (!motion_is_plain(s, &why)) return MECH_ERR_UNSUPPORTED;
    system_motion *m = mem_zeroed(1, sizeof *m);
    if (!m) return MECH_ERR_MEMORY;
    const mech_status status = prepare(s, &given, m);
    s->motion = m;
    if (status != MECH_OK) system_motion_free(s);
    return status;
}

mech_motion_info mech_system_motion_info(const mech_system *s)
{
    if (s->motion) return s->motion->info;
    mech_motion_info none = {0};
    (void)motion_is_plain(s, &none.why);
    if (!none.why) none.why = "it was not prepared";
    return none;
}

/* ---- an evaluation's part ---- */

void eval_motion_free(mech_eval *e)
{
    eval_motion *m = e->motion;
    if (!m) return;
    mem_free(m->slots);
    mem_free(m->tape_slots);
    mem_free(m->values);
    mem_free(m->k);
    mem_free(m->w);
    mem_free(m->more);
    mem_free(m->lambda);
    mem_free(m->M);
    mem_free(m->A);
    mech_fundamental_free(m->robust);
    mem_free(m);
    e->motion = NULL;
}

static mech_status allocate(const mech_eval *e, eval_motion *m)
{
    const mech_system *s = e->system;
    const size_t n = s->sizes.coords, rows = s->sizes.rows;
    m->parameters = SIZE_MAX;
    m->more = mem_zeroed(1 + s->sizes.states, sizeof *m->more);
    m->lambda = mem_zeroed(rows + 1, sizeof *m->lambda);
    int done = m->more && m->lambda;
    m->slots = mem_zeroed(s->motion->plain->slot_count + 1, sizeof *m->slots);
    m->k = mem_zeroed(s->motion->size.kept + 1, sizeof *m->k);
    m->w = mem_zeroed(s->motion->size.work + 1, sizeof *m->w);
    done = done && m->slots && m->k && m->w && motion_tape_allocate(s, m) == MECH_OK;
    if (done && n + rows <= MOST_ROBUST) {
        if (!e->M_dense) {
            m->M = mem_zeroed(n * n, sizeof *m->M);
            m->A = mem_zeroed(n * rows + 1, sizeof *m->A);
            done = m->M && m->A;
        }
        if (done) return mech_fundamental_create((int)n, (int)rows, NULL, &m->robust);
    }
    return done ? MECH_OK : MECH_ERR_MEMORY;
}

mech_status mech_eval_prepare_motion(mech_eval *e)
{
    eval_motion_free(e);
    if (!e->system->motion) return MECH_ERR_ARGUMENT;
    e->motion = mem_zeroed(1, sizeof *e->motion);
    if (!e->motion) return MECH_ERR_MEMORY;
    const mech_status status = allocate(e, e->motion);
    if (status != MECH_OK) eval_motion_free(e);
    return status;
}

/* ---- the acceleration ---- */

/* The rest of a result that came by the stages. */
static void finish_stages(mech_eval *e, const double *lambda, mech_motion *out)
{
    const mech_system *s = e->system;
    const system_part *A = &s->parts[SECTION_A], *energy = &s->parts[SECTION_ENERGY];
    out->power = 0;
    if (out->wants_power) {
        if (energy->count == ENERGY_COUNT && mech_eval_output(e) == MECH_OK)
            out->power = e->slots[energy->first + 4];
        for (size_t i = 0; i < A->count; i++)
            out->power += lambda[A->row[i]] * e->slots[A->first + i] * e->equation.v[A->column[i]];
    }
    if (out->rate && s->sizes.states) memcpy(out->rate, e->equation.rate, s->sizes.states * sizeof(double));
}

static void spread(const mech_eval *e, eval_motion *m)
{
    const system_part *M = &e->system->parts[SECTION_M], *A = &e->system->parts[SECTION_A];
    const size_t n = e->system->sizes.coords, rows = e->system->sizes.rows;
    if (e->M_dense) return;
    for (size_t i = 0; i < M->count; i++) {
        const double value = e->slots[M->first + i];
        m->M[M->row[i] + n * M->column[i]] = m->M[M->column[i] + n * M->row[i]] = value;
    }
    for (size_t i = 0; i < A->count; i++) m->A[A->row[i] + rows * A->column[i]] = e->slots[A->first + i];
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
    spread(e, m);
    mech_fundamental_input in = {.size = sizeof in,
                                 .M = e->M_dense ? e->M_dense : m->M,
                                 .Q = eq->Q,
                                 .A = e->A_dense ? e->A_dense : m->A,
                                 .b = eq->b,
                                 .active = e->active};
    mech_fundamental_output result = {.size = sizeof result, .qdd = out->qdd, .lambda = m->lambda};
    const mech_status status = mech_fundamental_solve(m->robust, &in, &result);
    if (status != MECH_OK) {
        e->failed_slot = e->failed_param = SIZE_MAX;
        return e->failure = status;
    }
    out->flags = MECH_MOTION_ROBUST;
    return MECH_OK;
}

static mech_status run_stages(mech_eval *e, double t, const double *q, const double *v)
{
    MECH_TRY(mech_eval_position(e, t, q));
    return mech_eval_velocity(e, v);
}

/* By the stages and the plan, or the robust solve where rows are released or in doubt. */
static mech_status interpret(mech_eval *e, double t, const double *q, const double *v, int all_active,
                             mech_motion *out)
{
    const mech_system *s = e->system;
    const plan *p = s->motion->plain;
    double *slots = e->motion->slots, *lambda = e->motion->lambda;
    MECH_TRY(run_stages(e, t, q, v));
    unsigned flags = PLAN_FLAG_DOUBT;
    if (slots && all_active) {
        const system_part *M = &s->parts[SECTION_M], *A = &s->parts[SECTION_A];
        memcpy(slots, e->slots + M->first, M->count * sizeof *slots);
        if (A->count) memcpy(slots + p->A_first, e->slots + A->first, A->count * sizeof *slots);
        memcpy(slots + p->Q_first, e->equation.Q, p->n * sizeof *slots);
        if (p->m) memcpy(slots + p->b_first, e->equation.b, p->m * sizeof *slots);
        flags = plan_run(p, slots);
        for (size_t i = 0; i < p->n; i++) out->qdd[i] = slots[p->qdd[i]];
        for (size_t i = 0; i < p->m; i++) lambda[i] = p->lambda[i] == PLAN_NONE ? 0 : slots[p->lambda[i]];
    }
    if (flags & PLAN_FLAG_DOUBT) MECH_TRY(solve_robustly(e, out));
    if (out->lambda && p->m) memcpy(out->lambda, lambda, p->m * sizeof *lambda);
    finish_stages(e, lambda, out);
    return MECH_OK;
}

static int is_finite(const double *x, size_t count)
{
    double even = 0, odd = 0; /* x - x is 0 for every finite x; two sums, so that they do not wait */
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        even += x[i] - x[i];
        odd += x[i + 1] - x[i + 1];
    }
    if (i < count) even += x[i] - x[i];
    return even + odd == 0;
}

/* 1: done. 0: in doubt, or a value is not finite, which the stages will name. */
static int run_code(mech_eval *e, double t, const double *q, const double *v, mech_motion *out)
{
    const mech_system *s = e->system;
    const system_inputs *in = &s->in;
    eval_motion *m = e->motion;
    double *lambda = out->lambda ? out->lambda : m->lambda;
    if (e->fresh < STAGE_PARAMETER && system_run_through(e, STAGE_PARAMETER) != MECH_OK) return 0;
    if (m->parameters != e->counts.parameters) {
        m->parameter_flags = native_get_parameters(s->motion->code)(e->slots + in->p, m->k);
        m->parameters = e->counts.parameters;
    }
    system_stale_from(e, STAGE_CONSTRAINT);
    e->slots[in->t] = t;
    if (s->sizes.inputs) s->kind->signals(s, e->slots, e->scratch, e->input_is_set);
    const int flags =
        m->parameter_flags |
        s->motion->motion(m->k, t, q, v, e->slots + in->z, e->slots + in->u, out->qdd, lambda, m->more, m->w);
    if (flags || !is_finite(out->qdd, s->sizes.coords)) return 0;
    out->power = m->more[0];
    if (out->rate && s->sizes.states) memcpy(out->rate, m->more + 1, s->sizes.states * sizeof(double));
    return 1;
}

mech_status mech_eval_motion(mech_eval *e, double t, const double *q, const double *v, mech_motion *out)
{
    const mech_system *s = e->system;
    if (!e->motion) {
        e->failed_slot = e->failed_param = SIZE_MAX;
        return e->failure = MECH_ERR_ARGUMENT;
    }
    const int all_active = e->released == 0;
    e->counts.motions++;
    out->flags = s->motion->info.monitored ? MECH_MOTION_DEPENDENT : 0;
    if ((s->motion->code || s->motion->tape) && all_active && (s->motion->with_power || !out->wants_power)) {
        const int is_done = s->motion->code
                                ? run_code(e, t, q, v, out)
                                : motion_tape_run(e, t, q, v, out) && is_finite(out->qdd, s->sizes.coords);
        if (is_done) return MECH_OK;
        if (out->leaves_doubt) {
            out->flags |= MECH_MOTION_DOUBT;
            return MECH_OK;
        }
    }
    return interpret(e, t, q, v, all_active, out);
}
