/* Evaluation: inputs in, stages up to date, results checked and spread out. Allocates only in create. */
#include "system/compiled.h"

#include "base/mem.h"
#include "base/try.h"
#include "system/laws.h"

#include <math.h>
#include <string.h>

static const double *at(const mech_eval *e, system_section section)
{
    return e->slots + e->system->parts[section].first;
}

/* A field of a struct of results: these values. */
static void point(void *to, size_t field, const double *values) { memcpy((char *)to + field, &values, sizeof values); }

static void point_equation(mech_eval *e)
{
    const system_inputs *in = &e->system->in;
    e->equation = (mech_equation){.size = sizeof e->equation,
                                  .p = e->slots + in->p,
                                  .t = e->slots + in->t,
                                  .q = e->slots + in->q,
                                  .z = e->slots + in->z,
                                  .u = e->slots + in->u,
                                  .u_dot = e->slots + in->u_dot,
                                  .u_ddot = e->slots + in->u_ddot,
                                  .v = e->slots + in->v,
                                  .lambda = e->slots + in->lambda,
                                  .reaction = e->slots + in->reaction,
                                  .a = e->slots + in->a,
                                  .active = e->active,
                                  .A_dense = e->A_dense,
                                  .gradient = at(e, system_has_gradient(e->system) ? SECTION_GRADIENT : SECTION_A),
                                  .gradient_dense = e->gradient_dense ? e->gradient_dense : e->A_dense,
                                  .M_dense = e->M_dense,
                                  .target_value = e->target_value};
    for (int k = 0; k < SECTION_COUNT; k++)
        if (system_sections[k].field) point(&e->equation, system_sections[k].field, at(e, (system_section)k));
}

static mech_status allocate(mech_eval *e, mech_storage storage)
{
    const mech_system *s = e->system;
    const size_t n = s->sizes.coords, m = s->sizes.rows;
    MECH_TRY(ARENA_MAKE(&e->memory, ARRAY_OF(e->slots, s->slot_count), ARRAY_OF(e->scratch, s->scratch_count),
                        ARRAY_OF(e->active, m), ARRAY_OF(e->param_is_set, s->sizes.params),
                        ARRAY_OF(e->input_is_set, s->sizes.inputs), ARRAY_OF(e->target_value, s->sizes.targets),
                        ARRAY_OF(e->target_given, s->sizes.targets)));
    if (s->jacobian_count) MECH_TRY(ARENA_MAKE(&e->memory, ARRAY_OF(e->jacobian, s->jacobian_count)));
    if (storage == MECH_STORAGE_SPARSE) return MECH_OK;
    if (system_has_gradient(s)) MECH_TRY(ARENA_MAKE(&e->memory, ARRAY_OF(e->gradient_dense, m * n)));
    return ARENA_MAKE(&e->memory, ARRAY_OF(e->M_dense, n * n), ARRAY_OF(e->A_dense, m * n));
}

mech_status mech_eval_create(const mech_system *s, mech_storage storage, mech_eval **result)
{
    if (!result) return MECH_ERR_ARGUMENT;
    *result = NULL;
    if (!s) return MECH_ERR_ARGUMENT;
    mech_eval *e = mem_zeroed(1, sizeof *e);
    if (!e) return MECH_ERR_MEMORY;
    e->system = s;
    const mech_status status = allocate(e, storage);
    if (status != MECH_OK) {
        mech_eval_free(e);
        return status;
    }
    for (size_t i = 0; i < s->sizes.targets; i++) e->target_given[i] = (double)NAN;
    if (s->compiled) compiled_reset(s, e->slots, e->scratch);
    e->released = s->sizes.rows;
    for (size_t i = 0; i < s->sizes.constraints; i++) eval_put_in_force(e, i, !s->constraints[i].waits);
    e->fresh = -1;
    e->failed_slot = e->failed_param = e->jacobian_parameters = SIZE_MAX;
    e->counts.size = sizeof e->counts;
    e->counts.compilations = s->compilations;
    point_equation(e);
    (void)mech_eval_reset_params(e);
    *result = e;
    return MECH_OK;
}

void mech_eval_free(mech_eval *e)
{
    if (!e) return;
    eval_law_free(e->law);
    if (e->motion) e->motion_free(e->motion);
    arena_free(&e->memory);
    mem_free(e);
}

const mech_system *mech_eval_system(const mech_eval *e) { return e->system; }
const mech_equation *mech_eval_equation(const mech_eval *e) { return &e->equation; }

mech_counts mech_eval_counts(const mech_eval *e) { return e->counts; }

/* The laws and frictions that entries of a section belong to; what none of the constraints in force has is
   in nobody's way, and need not be a number. */
typedef enum silence { SPEAKS_ALWAYS, OF_LAW_ENTRY, OF_FRICTION, OF_SLIP, OF_SLIP_ENTRY } silence;

static int friction_is_silent(const mech_eval *e, size_t friction)
{
    const mech_friction *f = &e->system->frictions[friction];
    if (f->constraint_count == 0) return 0; /* its bound is given */
    for (size_t c = 0; c < f->constraint_count; c++)
        if (e->active[e->system->constraints[f->constraints[c]].first_row]) return 0;
    return 1;
}

static int slip_is_silent(const mech_eval *e, size_t row)
{
    size_t k = 0;
    while (row >= e->system->frictions[k].first_row + e->system->frictions[k].row_count) k++;
    return friction_is_silent(e, k);
}

static int is_silent(const mech_eval *e, silence kind, size_t index)
{
    const system_part *C = &e->system->parts[SECTION_C], *S = &e->system->parts[SECTION_SLIP_A];
    switch (kind) {
    case SPEAKS_ALWAYS: return 0;
    case OF_LAW_ENTRY: return !laws_is_on(e->system, &e->system->laws[C->column[index]], e->active);
    case OF_FRICTION: return friction_is_silent(e, index);
    case OF_SLIP: return slip_is_silent(e, index);
    case OF_SLIP_ENTRY: return slip_is_silent(e, S->row[index]);
    }
    return 0;
}

/* The first of values that is not finite and counts; `index`: what each belongs to, NULL: its own place. */
static size_t first_failure(const mech_eval *e, const double *values, size_t count, silence kind, const uint32_t *index)
{
    if (system_all_finite(values, count)) return SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]) && !is_silent(e, kind, index ? index[i] : i)) return i;
    return SIZE_MAX;
}

static mech_status fail_at(mech_eval *e, size_t slot)
{
    (void)system_failed(e, MECH_ERR_NOT_FINITE, NULL);
    e->failed_slot = slot;
    return MECH_ERR_NOT_FINITE;
}

static mech_status check_section(mech_eval *e, int section)
{
    static const silence kinds[SECTION_COUNT] = {[SECTION_C] = OF_LAW_ENTRY,      [SECTION_C_REACTION] = OF_LAW_ENTRY,
                                                 [SECTION_MU] = OF_FRICTION,      [SECTION_STATIC_MU] = OF_FRICTION,
                                                 [SECTION_SLIP] = OF_SLIP,        [SECTION_SLIP_B] = OF_SLIP,
                                                 [SECTION_SLIP_A] = OF_SLIP_ENTRY};
    const system_part *part = &e->system->parts[section];
    const uint32_t *index = section == SECTION_C_REACTION ? part->row : NULL;
    const size_t i = first_failure(e, e->slots + part->first, part->count, kinds[section], index);
    return i == SIZE_MAX ? MECH_OK : fail_at(e, part->first + i);
}

static mech_status check_stage(mech_eval *e, int stage)
{
    const mech_system *s = e->system;
    for (int k = 0; k < s->stage_part_count[stage]; k++) MECH_TRY(check_section(e, s->stage_parts[stage][k]));
    return MECH_OK;
}

void system_spread_rows(const mech_eval *e, const double *value, double *dense)
{
    const system_part *A = &e->system->parts[SECTION_A];
    const size_t m = e->system->sizes.rows;
    for (size_t k = 0; k < A->count; k++) dense[A->row[k] + m * A->column[k]] = value[k];
}

void system_spread_M(const mech_eval *e, double *dense)
{
    const system_part *M = &e->system->parts[SECTION_M];
    const double *value = e->slots + M->first;
    const size_t n = e->system->sizes.coords;
    for (size_t k = 0; k < M->count; k++) {
        const size_t i = M->row[k], j = M->column[k];
        dense[i + n * j] = dense[j + n * i] = value[k];
    }
}

void system_spread(mech_eval *e)
{
    if (e->A_dense) system_spread_rows(e, e->equation.A, e->A_dense);
    if (e->gradient_dense) system_spread_rows(e, e->equation.gradient, e->gradient_dense);
    if (e->M_dense) system_spread_M(e, e->M_dense);
}

static void take_targets(mech_eval *e)
{
    const double *own = at(e, SECTION_TARGET_VALUE);
    for (size_t i = 0; i < e->system->sizes.targets; i++)
        e->target_value[i] = isnan(e->target_given[i]) ? own[i] : e->target_given[i];
}

static void after_stage(mech_eval *e, int stage)
{
    switch (stage) {
    case STAGE_PARAMETER: e->counts.parameters++; break;
    case STAGE_CONSTRAINT: e->counts.constraints++; break;
    case STAGE_POSITION: e->counts.positions++; break;
    case STAGE_VELOCITY: e->counts.velocities++; break;
    case STAGE_REACTION: e->counts.reactions++; break;
    default: break;
    }
    /* A stands after the constraint stage, unless a row is nonlinear in the velocities */
    if (e->A_dense && (stage == STAGE_CONSTRAINT || stage == e->system->parts[SECTION_A].complete))
        system_spread_rows(e, e->equation.A, e->A_dense);
    if (e->gradient_dense && stage == STAGE_CONSTRAINT) system_spread_rows(e, e->equation.gradient, e->gradient_dense);
    if (e->M_dense && stage == STAGE_POSITION) system_spread_M(e, e->M_dense);
    if (stage == STAGE_START) take_targets(e);
}

/* Brings all stages up to `stage` up to date. */
mech_status system_run_through(mech_eval *e, int stage)
{
    while (e->fresh < stage) {
        const int next = e->fresh + 1;
        const mech_status status = e->system->kind->run(e->system, (system_stage)next, e->slots, e->scratch);
        if (status != MECH_OK) return system_failed(e, status, NULL);
        e->fresh = next;
        after_stage(e, next);
    }
    return MECH_OK;
}

mech_status system_run_start(mech_eval *e)
{
    const mech_status status = e->system->kind->run(e->system, STAGE_START, e->slots, e->scratch);
    if (status != MECH_OK) return system_failed(e, status, NULL);
    take_targets(e);
    return MECH_OK;
}

/* The same, and what that stage gives is looked at. */
static mech_status bring_to(mech_eval *e, int stage)
{
    MECH_TRY(system_run_through(e, stage));
    return check_stage(e, stage);
}

static void take(mech_eval *e, size_t first, const double *values, size_t count)
{
    if (count) memcpy(e->slots + first, values, count * sizeof *values);
}

static mech_status misuse(mech_eval *e) { return system_failed(e, MECH_ERR_ARGUMENT, NULL); }

mech_status mech_eval_constraint(mech_eval *e, double t, const double *q)
{
    if (!e || !q) return MECH_ERR_ARGUMENT;
    const mech_system *s = e->system;
    system_stale_from(e, STAGE_CONSTRAINT);
    e->slots[s->in.t] = t;
    take(e, s->in.q, q, s->sizes.coords);
    if (s->sizes.inputs) MECH_TRY(system_take_inputs(e, e->slots + s->in.q, e->slots + s->in.v));
    return bring_to(e, STAGE_CONSTRAINT);
}

mech_status mech_eval_position(mech_eval *e, double t, const double *q)
{
    const mech_status constraint = mech_eval_constraint(e, t, q);
    if (constraint != MECH_OK && constraint != MECH_ERR_NOT_FINITE) return constraint;
    const mech_status position = system_run_through(e, STAGE_POSITION);
    if (constraint != MECH_OK) return constraint;
    MECH_TRY(position);
    return check_stage(e, STAGE_POSITION);
}

/* Delayed values: by who gives them, or as what they are of is here; that may hold others. */
static mech_status take_delayed(mech_eval *e)
{
    const mech_system *s = e->system;
    double *to = e->slots + s->in.delay;
    const double *from = e->slots + s->parts[SECTION_DELAYED].first;
    const size_t bytes = s->delay_count * sizeof *to;
    if (e->delayed) {
        e->delayed(e->delayed_user, e->slots[s->in.t], to);
        return MECH_OK;
    }
    for (size_t round = 0; round <= s->delay_depth; round++) {
        MECH_TRY(system_run_through(e, STAGE_VELOCITY));
        if (memcmp(to, from, bytes) == 0) break;
        memcpy(to, from, bytes);
        system_stale_from(e, STAGE_VELOCITY);
    }
    return MECH_OK;
}

mech_status mech_eval_velocity(mech_eval *e, const double *v)
{
    if (!e || !v) return MECH_ERR_ARGUMENT;
    if (e->fresh < STAGE_CONSTRAINT) return misuse(e);
    system_stale_from(e, STAGE_VELOCITY);
    const int is_other = e->law && memcmp(e->slots + e->system->in.v, v, e->system->sizes.coords * sizeof *v) != 0;
    take(e, e->system->in.v, v, e->system->sizes.coords);
    if (is_other) MECH_TRY(system_follow_velocity(e));
    if (e->system->delay_count) MECH_TRY(take_delayed(e));
    return bring_to(e, STAGE_VELOCITY);
}

/* Where the position has no value the velocities are taken all the same, for those who look at single values. */
static mech_status take_velocity(mech_eval *e, const double *v, mech_status position)
{
    if (position == MECH_OK) return mech_eval_velocity(e, v);
    if (position != MECH_ERR_NOT_FINITE) return position;
    take(e, e->system->in.v, v, e->system->sizes.coords);
    MECH_IGNORE(system_run_through(e, STAGE_VELOCITY));
    return position;
}

mech_status eval_place(mech_eval *e, eval_depth depth, double t, const double *q, const double *v, const double *z)
{
    if (z && e->system->sizes.states) eval_take_states(e, z);
    if (v && e->law) take(e, e->system->in.v, v, e->system->sizes.coords); /* which looks at them */
    if (depth == EVAL_CONSTRAINT) return mech_eval_constraint(e, t, q);
    const mech_status position = mech_eval_position(e, t, q);
    return depth == EVAL_POSITION ? position : take_velocity(e, v, position);
}

mech_status mech_eval_state(mech_eval *e, double t, const double *q, const double *v, const double *z)
{
    if (!e || !q) return MECH_ERR_ARGUMENT;
    if (z && e->system->sizes.states) MECH_TRY(mech_eval_set_states(e, z));
    return eval_place(e, v ? EVAL_VELOCITY : EVAL_POSITION, t, q, v, NULL);
}

/* A stage that looks at whatever stands. */
static mech_status ask_again(mech_eval *e, int stage)
{
    if (e->fresh < STAGE_VELOCITY) return misuse(e);
    system_stale_from(e, stage);
    return bring_to(e, stage);
}

mech_status mech_eval_reaction(mech_eval *e, const double *lambda, const double *reaction)
{
    if (e->fresh < STAGE_VELOCITY) return misuse(e);
    if (lambda) take(e, e->system->in.lambda, lambda, e->system->sizes.rows);
    if (reaction) take(e, e->system->in.reaction, reaction, e->system->sizes.rows);
    return ask_again(e, STAGE_REACTION);
}

int eval_reads_forces(const mech_eval *e) { return e->system->reads_forces; }

void eval_take_forces(mech_eval *e, const double *control, const double *friction)
{
    system_stale_from(e, STAGE_EVENT);
    if (control) take(e, e->system->in.control, control, e->system->control_count);
    if (friction) take(e, e->system->in.friction, friction, e->system->sizes.friction_rows);
}

mech_status mech_eval_acceleration(mech_eval *e, const double *a)
{
    if (e->fresh < STAGE_VELOCITY) return misuse(e);
    if (a) take(e, e->system->in.a, a, e->system->sizes.coords);
    return ask_again(e, STAGE_EVENT);
}

mech_status mech_eval_output(mech_eval *e) { return ask_again(e, STAGE_OUTPUT); }
mech_status mech_eval_start(mech_eval *e) { return ask_again(e, STAGE_START); }

mech_status eval_measure(mech_eval *e)
{
    system_stale_from(e, STAGE_OUTPUT);
    MECH_TRY(system_run_through(e, STAGE_OUTPUT));
    return check_section(e, SECTION_MEASURE);
}

const double *eval_measure_kinks(const mech_eval *e, size_t *count)
{
    const system_part *part = &e->system->parts[SECTION_MEASURE_KINK];
    *count = part->count;
    return e->slots + part->first;
}

int eval_measures_need_motion(const mech_eval *e) { return e->system->measures_need_motion; }

/* Derivatives of outputs may fail; those of what is silent do not count. */
static size_t failure_in_derivative(const mech_eval *e, int part)
{
    static const silence kinds[DERIVATIVE_COUNT] = {[DERIVATIVE_C] = OF_LAW_ENTRY,
                                                    [DERIVATIVE_SLIP] = OF_SLIP,
                                                    [DERIVATIVE_SLIP_A] = OF_SLIP_ENTRY,
                                                    [DERIVATIVE_SLIP_ROW] = OF_SLIP,
                                                    [DERIVATIVE_MU] = OF_FRICTION};
    const system_part *d = &e->system->derivatives[part];
    if (part == DERIVATIVE_OUTPUT) return SIZE_MAX;
    return first_failure(e, e->jacobian + d->first, d->count, kinds[part], d->row);
}

mech_status mech_eval_jacobian(mech_eval *e, mech_jacobian *result)
{
    static const size_t fields[DERIVATIVE_COUNT] = {
        offsetof(mech_jacobian, motion), offsetof(mech_jacobian, row),      offsetof(mech_jacobian, r),
        offsetof(mech_jacobian, r_dot),  offsetof(mech_jacobian, rate),     offsetof(mech_jacobian, C),
        offsetof(mech_jacobian, output), offsetof(mech_jacobian, steady),   offsetof(mech_jacobian, slip),
        offsetof(mech_jacobian, slip_A), offsetof(mech_jacobian, slip_row), offsetof(mech_jacobian, mu),
        offsetof(mech_jacobian, G),      offsetof(mech_jacobian, W)};
    const mech_system *s = e->system;
    if (!e->jacobian || e->fresh < STAGE_CONSTRAINT) return misuse(e);
    const int is_first = e->jacobian_parameters == SIZE_MAX;
    compiled_jacobian(s, e->slots, e->jacobian, is_first, e->jacobian_parameters != e->counts.parameters);
    e->jacobian_parameters = e->counts.parameters;
    *result = (mech_jacobian){.size = sizeof *result};
    for (int k = 0; k < DERIVATIVE_COUNT; k++) point(result, fields[k], e->jacobian + s->derivatives[k].first);
    for (int k = 0; k < DERIVATIVE_COUNT; k++) {
        const size_t entry = failure_in_derivative(e, k);
        if (entry == SIZE_MAX) continue;
        e->failed_part = (system_derivative)k;
        e->failed_entry = entry;
        return fail_at(e, SYSTEM_FAILED_DERIVATIVE);
    }
    return MECH_OK;
}

mech_status mech_eval_switches(mech_eval *e, double *values)
{
    if (!e->system->compiled) return MECH_OK;
    if (e->fresh < STAGE_VELOCITY) return misuse(e);
    MECH_TRY(system_run_through(e, STAGE_REACTION));
    compiled_switches(e->system, e->slots, e->scratch, values);
    return MECH_OK;
}
