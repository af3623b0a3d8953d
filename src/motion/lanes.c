/* Many states at once: blocks of TAPE_LANES through the tape, states in doubt one by one through the robust
 * solve. */
#include <mech/lanes.h>

#include "base/mem.h"
#include "base/try.h"
#include "motion/visit.h"
#include "motion/motion.h"
#include "system/compiled.h"

#include <math.h>
#include <string.h>

enum { W = TAPE_LANES };

struct mech_lanes {
    const mech_system *system;
    const mech_motion_code *motion; /* borrowed                                          */
    const tape *code;
    tape *own;       /* where there is native code and no tape                        */
    mech_eval *eval; /* of states in doubt, and of signals                            */
    size_t count, blocks;
    arena memory;                            /* of all arrays                                                 */
    int is_mixed;                            /* states differ in their parameters: slots for each block       */
    int is_fresh;                            /* the slots stand for the parameters                            */
    double *slots;                           /* (slot_count x W), for each block when mixed; aligned          */
    double *params;                          /* (params x count) when mixed; else (params)                    */
    double *fixed;                           /* (3 inputs x count) when mixed                                 */
    unsigned char *is_set;                   /* (inputs x count) when mixed                                   */
    int64_t *doubt;                          /* (blocks x W) of the parameters                                */
    double *inputs, *values;                 /* of a block that is not full, and what no caller holds         */
    const double **rows;                     /* (inputs) of the block at hand */
    double **to;                             /* (outputs) NULL: nobody asks */
    double *q, *v, *z, *qdd, *lambda, *rate; /* of one state */
    size_t robust;
    int rk4_is_tried;
    native_code *rk4; /* fixed steps; NULL: none, or not tried */
};

void mech_lanes_free(mech_lanes *l)
{
    if (!l) return;
    tape_free(l->own);
    native_free(l->rk4);
    mech_eval_free(l->eval);
    arena_free(&l->memory);
    mem_free(l);
}

static double *aligned(double *p) { return (double *)(((uintptr_t)p + 63) & ~(uintptr_t)63); }

static mech_status make_slots(mech_lanes *l, size_t blocks)
{
    const size_t block = l->code->slot_count * W;
    double *memory = arena_alloc(&l->memory, (blocks * block + 8) * sizeof *memory);
    if (!memory) return MECH_ERR_MEMORY;
    l->slots = aligned(memory);
    for (size_t b = 0; b < blocks; b++) tape_reset_lanes(l->code, l->slots + b * block);
    l->is_fresh = 0;
    return MECH_OK;
}

static mech_status allocate(mech_lanes *l)
{
    const mech_sizes *k = &l->system->sizes;
    const size_t inputs = l->system->in.count, outputs = l->code->output_count;
    MECH_TRY(ARENA_MAKE(&l->memory, ARRAY_OF(l->params, k->params), ARRAY_OF(l->doubt, l->blocks * W),
                        ARRAY_OF(l->inputs, inputs * W), ARRAY_OF(l->values, outputs * W), ARRAY_OF(l->rows, inputs),
                        ARRAY_OF(l->to, outputs), ARRAY_OF(l->q, k->coords), ARRAY_OF(l->v, k->coords),
                        ARRAY_OF(l->qdd, k->coords), ARRAY_OF(l->z, k->states), ARRAY_OF(l->rate, k->states),
                        ARRAY_OF(l->lambda, k->rows)));
    for (size_t i = 0; i < inputs; i++) l->rows[i] = l->inputs + i * W;
    return make_slots(l, 1);
}

static mech_status make_own(mech_lanes *l)
{
    mech_motion_settings given;
    motion_samples samples;
    mech_motion_settings_default(&given, sizeof given);
    MECH_TRY(motion_samples_make(l->system, &given, &l->memory, &samples));
    MECH_TRY(motion_tape_prepare(l->system, l->motion->monitored, &given, &samples, &l->own));
    return l->own ? MECH_OK : MECH_ERR_UNSUPPORTED;
}

static mech_status create(mech_lanes *l)
{
    const mech_motion_code *m = l->motion;
    if (!m->tape) MECH_TRY(make_own(l));
    l->code = m->tape ? m->tape : l->own;
    MECH_TRY(allocate(l));
    MECH_TRY(mech_eval_create(l->system, MECH_STORAGE_SPARSE, &l->eval));
    if (l->eval->released) return MECH_ERR_UNSUPPORTED;
    MECH_TRY(mech_eval_use_motion(l->eval, m));
    MECH_TRY(system_run_through(l->eval, STAGE_PARAMETER));
    memcpy(l->params, l->eval->slots + l->system->in.p, l->system->sizes.params * sizeof *l->params);
    return MECH_OK;
}

mech_status mech_lanes_create(const mech_motion_code *code, size_t count, mech_lanes **result)
{
    if (!result) return MECH_ERR_ARGUMENT;
    *result = NULL;
    if (!code || count == 0 || count > SIZE_MAX / 4096) return MECH_ERR_ARGUMENT;
    mech_lanes *l = mem_zeroed(1, sizeof *l);
    if (!l) return MECH_ERR_MEMORY;
    l->system = code->system;
    l->motion = code;
    l->count = count;
    l->blocks = (count + W - 1) / W;
    const mech_status status = create(l);
    if (status != MECH_OK) mech_lanes_free(l);
    else *result = l;
    return status;
}

/* ---- parameters ---- */

/* From now on each state has its own. */
static mech_status separate(mech_lanes *l)
{
    const size_t params = l->system->sizes.params, inputs = l->system->sizes.inputs;
    double *own;
    MECH_TRY(ARENA_MAKE(&l->memory, ARRAY_OF(own, params * l->count), ARRAY_OF(l->fixed, 3 * inputs * l->count),
                        ARRAY_OF(l->is_set, inputs * l->count)));
    MECH_TRY(make_slots(l, l->blocks));
    for (size_t i = 0; i < params; i++)
        for (size_t j = 0; j < l->count; j++) own[i * l->count + j] = l->params[i];
    l->params = own;
    l->is_mixed = 1;
    return MECH_OK;
}

mech_status mech_lanes_take(mech_lanes *l, size_t state, mech_eval *eval)
{
    if (!l || !eval || state >= l->count || eval->system != l->system) return MECH_ERR_ARGUMENT;
    if (eval->law) return MECH_ERR_UNSUPPORTED;
    const mech_sizes *k = &l->system->sizes;
    MECH_TRY(system_run_through(eval, STAGE_PARAMETER));
    if (!l->is_mixed) MECH_TRY(separate(l));
    for (size_t i = 0; i < k->params; i++) l->params[i * l->count + state] = eval->slots[l->system->in.p + i];
    for (size_t i = 0; i < k->inputs; i++) l->is_set[i * l->count + state] = eval->input_is_set[i] == INPUT_SET;
    for (size_t i = 0; i < 3 * k->inputs; i++) l->fixed[i * l->count + state] = eval->slots[l->system->in.u + i];
    l->is_fresh = 0;
    return MECH_OK;
}

static size_t most_in(const mech_lanes *l, size_t block) { return l->count - block * W < W ? l->count - block * W : W; }

/* Input `slot` of the tape for the states of a block; those beyond the last repeat it. */
static void fill(mech_lanes *l, size_t slot, size_t block, const double *row)
{
    double *to = l->inputs + slot * W;
    const size_t most = most_in(l, block);
    l->rows[slot] = most == W ? row + block * W : to;
    if (most == W) return;
    memcpy(to, row + block * W, most * sizeof *to);
    for (size_t j = most; j < W; j++) to[j] = to[most - 1];
}

static void run_parameters(mech_lanes *l)
{
    const size_t params = l->system->sizes.params, p = l->system->in.p;
    memset(l->doubt, 0, l->blocks * W * sizeof *l->doubt);
    for (size_t b = 0; b < (l->is_mixed ? l->blocks : 1); b++) {
        for (size_t i = 0; i < params; i++) {
            if (l->is_mixed) fill(l, p + i, b, l->params + i * l->count);
            else
                for (size_t j = 0; j < W; j++) l->inputs[(p + i) * W + j] = l->params[i];
        }
        _Alignas(64) int64_t doubt[W] = {0};
        tape_run_parameters_lanes(l->code, l->rows, l->slots + b * l->code->slot_count * W, doubt);
        memcpy(l->doubt + b * W, doubt, sizeof doubt);
    }
    for (size_t b = 1; !l->is_mixed && b < l->blocks; b++) memcpy(l->doubt + b * W, l->doubt, W * sizeof *l->doubt);
    l->is_fresh = 1;
}

/* ---- one state ---- */

/* Slots of a block: those of all where states share their parameters. */
static double *slots_of(const mech_lanes *l, size_t block)
{
    return l->slots + (l->is_mixed ? block * l->code->slot_count * W : 0);
}

/* The evaluation with the parameters and set inputs of state j. */
static void stand_for(mech_lanes *l, size_t j)
{
    const mech_sizes *k = &l->system->sizes;
    mech_eval *e = l->eval;
    if (!l->is_mixed) return;
    for (size_t i = 0; i < k->params; i++) e->slots[l->system->in.p + i] = l->params[i * l->count + j];
    for (size_t i = 0; i < k->inputs; i++) e->input_is_set[i] = l->is_set[i * l->count + j];
    for (size_t i = 0; i < 3 * k->inputs; i++) e->slots[l->system->in.u + i] = l->fixed[i * l->count + j];
    memset(e->param_is_set, 1, k->params); /* what follows from others was computed where they came from */
    l->system->kind->follow(l->system, e->slots, e->scratch, e->param_is_set); /* what signals make of them */
    system_stale_from(e, STAGE_PARAMETER);
}

static double time_of(const mech_lanes_states *s, size_t j) { return s->t ? s->t[j] : 0; }

/* Inputs of the model: signals of each state's own time. */
static void fill_signals(mech_lanes *l, const mech_lanes_states *s, size_t block)
{
    const system_inputs *in = &l->system->in;
    const size_t inputs = l->system->sizes.inputs;
    for (size_t lane = 0; inputs && lane < W; lane++) {
        const size_t j = block * W + lane < l->count ? block * W + lane : l->count - 1;
        stand_for(l, j);
        l->eval->slots[in->t] = time_of(s, j);
        compiled_signals(l->system, l->eval->slots, l->eval->scratch, l->eval->input_is_set);
        for (size_t i = 0; i < 3 * inputs; i++) l->inputs[(in->u + i) * W + lane] = l->eval->slots[in->u + i];
    }
}

static mech_status solve_one(mech_lanes *l, const mech_lanes_states *s, size_t j, double *qdd, double *lambda,
                             double *rate)
{
    const mech_sizes *k = &l->system->sizes;
    const size_t count = l->count;
    stand_for(l, j);
    for (size_t i = 0; i < k->coords; i++) l->q[i] = s->q[i * count + j], l->v[i] = s->v[i * count + j];
    for (size_t i = 0; i < k->states; i++) l->z[i] = s->z[i * count + j];
    mech_motion motion = {.size = sizeof motion, .qdd = l->qdd, .lambda = l->lambda, .rate = l->rate};
    MECH_TRY(motion_at(l->eval, time_of(s, j), l->q, l->v, l->z, &motion));
    if (motion.flags & MECH_MOTION_DOUBT) return MECH_ERR_LIMIT; /* too large for the robust solve */
    l->robust++;
    for (size_t i = 0; i < k->coords; i++) qdd[i * count + j] = l->qdd[i];
    for (size_t i = 0; lambda && i < k->rows; i++) lambda[i * count + j] = l->lambda[i];
    for (size_t i = 0; rate && i < k->states; i++) rate[i * count + j] = l->rate[i];
    return MECH_OK;
}

/* Which state it was that failed. */
static mech_status told(mech_status status, size_t j, size_t *failed)
{
    if (status != MECH_OK && failed) *failed = j;
    return status;
}

/* ---- all of them ---- */

static void fill_block(mech_lanes *l, const mech_lanes_states *s, size_t block)
{
    const system_inputs *in = &l->system->in;
    const mech_sizes *k = &l->system->sizes;
    for (size_t i = 0; i < k->coords; i++) {
        fill(l, in->q + i, block, s->q + i * l->count);
        fill(l, in->v + i, block, s->v + i * l->count);
    }
    for (size_t i = 0; i < k->states; i++) fill(l, in->z + i, block, s->z + i * l->count);
    if (s->t) fill(l, in->t, block, s->t);
    else l->rows[in->t] = memset(l->inputs + in->t * W, 0, W * sizeof *l->inputs);
    fill_signals(l, s, block);
}

typedef struct outputs { /* rows of the caller, or NULL; first: among the outputs of the tape */
    size_t first, count;
    double *rows;
} outputs;

/* A block goes straight to the rows of the caller; one that is not full by way of `values`. */
static void aim(mech_lanes *l, size_t block, const outputs *o)
{
    const int is_full = most_in(l, block) == W;
    for (size_t i = 0; o->rows && i < o->count; i++)
        l->to[o->first + i] = is_full ? o->rows + i * l->count + block * W : l->values + (o->first + i) * W;
}

static void hand_out(mech_lanes *l, size_t block, const outputs *o)
{
    const size_t most = most_in(l, block);
    for (size_t i = 0; o->rows && i < o->count; i++) {
        if (most < W) memcpy(o->rows + i * l->count + block * W, l->to[o->first + i], most * sizeof *o->rows);
        l->to[o->first + i] = NULL;
    }
}

static mech_status move_block(mech_lanes *l, const mech_lanes_states *s, size_t b, double *qdd, double *lambda,
                              double *rate, size_t *failed)
{
    const mech_sizes *k = &l->system->sizes;
    const outputs all[3] = {
        {0, k->coords, qdd}, {k->coords + 1, k->states, rate}, {k->coords + 1 + k->states, k->rows, lambda}};
    _Alignas(64) int64_t doubt[W];
    memcpy(doubt, l->doubt + b * W, sizeof doubt);
    fill_block(l, s, b);
    for (int i = 0; i < 3; i++) aim(l, b, &all[i]);
    tape_run_lanes(l->code, l->rows, slots_of(l, b), k->coords, lambda != NULL, l->to, doubt);
    for (int i = 0; i < 3; i++) hand_out(l, b, &all[i]);
    for (size_t j = b * W; j < l->count && j < (b + 1) * W; j++)
        if (doubt[j - b * W]) MECH_TRY(told(solve_one(l, s, j, qdd, lambda, rate), j, failed));
    return MECH_OK;
}

mech_status mech_lanes_motion(mech_lanes *l, const mech_lanes_states *s, double *qdd, double *lambda, double *rate,
                              size_t *failed)
{
    if (!l || !s || s->size != sizeof *s || !s->q || !s->v || !qdd || (l->system->sizes.states && !s->z))
        return MECH_ERR_ARGUMENT;
    if (!l->is_fresh) run_parameters(l);
    for (size_t b = 0; b < l->blocks; b++) MECH_TRY(move_block(l, s, b, qdd, lambda, rate, failed));
    return MECH_OK;
}

size_t mech_lanes_robust(const mech_lanes *l) { return l->robust; }

/* ---- fixed steps ---- */

/* States in rows of W: t, then (q, v, z); what was there, and what is in doubt. */
typedef struct steps_block {
    double *t, *y, *doubt;
} steps_block;

/* State j as (q, v, z) into `to`, its numbers `apart` from one another. */
static void take_state(const mech_lanes *l, const mech_lanes_moving *s, size_t j, size_t apart, double *to)
{
    const size_t n = l->system->sizes.coords, nz = l->system->sizes.states;
    for (size_t i = 0; i < n; i++) to[i * apart] = s->q[i * l->count + j];
    for (size_t i = 0; i < n; i++) to[(n + i) * apart] = s->v[i * l->count + j];
    for (size_t i = 0; i < nz; i++) to[(2 * n + i) * apart] = s->z[i * l->count + j];
}

/* And back. */
static void give_state(const mech_lanes *l, const mech_lanes_moving *s, size_t j, size_t apart, const double *from)
{
    const size_t n = l->system->sizes.coords, nz = l->system->sizes.states;
    for (size_t i = 0; i < n; i++) s->q[i * l->count + j] = from[i * apart];
    for (size_t i = 0; i < n; i++) s->v[i * l->count + j] = from[(n + i) * apart];
    for (size_t i = 0; i < nz; i++) s->z[i * l->count + j] = from[(2 * n + i) * apart];
}

/* One state by the equation at once, its doubts by the robust solve. y: (2n + nz), work: 4 times as much. */
static mech_status step_one(mech_lanes *l, size_t lane_state, double t, double *y, double h, size_t steps, double *work)
{
    const size_t n = l->system->sizes.coords, nz = l->system->sizes.states, ny = 2 * n + nz;
    double *f = work, *sum = work + ny, *x = sum + ny;
    stand_for(l, lane_state);
    for (size_t step = 0; step < steps; step++) {
        static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
        memset(sum, 0, ny * sizeof *sum);
        for (int k = 0; k < 4; k++) {
            for (size_t i = 0; i < ny; i++) x[i] = k ? y[i] + at[k] * h * f[i] : y[i];
            mech_motion motion = {.size = sizeof motion, .qdd = f + n, .rate = nz ? f + 2 * n : NULL};
            MECH_TRY(motion_at(l->eval, t + ((double)step + at[k]) * h, x, x + n, x + 2 * n, &motion));
            if (motion.flags & MECH_MOTION_DOUBT) return MECH_ERR_LIMIT;
            memcpy(f, x + n, n * sizeof *f);
            for (size_t i = 0; i < ny; i++) sum[i] += weight[k] * f[i];
        }
        for (size_t i = 0; i < ny; i++) y[i] += h / 6 * sum[i];
    }
    return MECH_OK;
}

static mech_status step_alone(mech_lanes *l, const mech_lanes_moving *s, size_t j, double h, size_t steps, double *work)
{
    const size_t n = l->system->sizes.coords, nz = l->system->sizes.states;
    double *y = work;
    take_state(l, s, j, 1, y);
    MECH_TRY(step_one(l, j, s->t ? s->t[j] : 0, y, h, steps, work + 2 * n + nz));
    l->robust++;
    give_state(l, s, j, 1, y);
    if (s->t) s->t[j] += (double)steps * h;
    return MECH_OK;
}

/* Without code: a block by the tape. y_old: what was there. */
static void step_by_tape(mech_lanes *l, size_t b, const steps_block *x, double h, size_t steps, double *work)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    const system_inputs *in = &l->system->in;
    const size_t n = l->system->sizes.coords, nz = l->system->sizes.states, ny = 2 * n + nz;
    double *f = work, *sum = f + ny * W, *stage = sum + ny * W, *time = stage + ny * W;
    _Alignas(64) int64_t doubt[W];
    memcpy(doubt, l->doubt + b * W, sizeof doubt);
    l->rows[in->t] = time;
    for (size_t i = 0; i < n; i++) {
        l->rows[in->q + i] = stage + i * W;
        l->rows[in->v + i] = stage + (n + i) * W;
        l->to[i] = f + (n + i) * W;
    }
    for (size_t i = 0; i < nz; i++) {
        l->rows[in->z + i] = stage + (2 * n + i) * W;
        l->to[n + 1 + i] = f + (2 * n + i) * W;
    }
    for (size_t step = 0; step < steps; step++) {
        memset(sum, 0, ny * W * sizeof *sum);
        for (int k = 0; k < 4; k++) {
            for (size_t i = 0; i < ny * W; i++) stage[i] = k ? x->y[i] + at[k] * h * f[i] : x->y[i];
            for (size_t j = 0; j < W; j++) time[j] = x->t[j] + ((double)step + at[k]) * h;
            tape_run_lanes(l->code, l->rows, slots_of(l, b), n, 0, l->to, doubt);
            memcpy(f, stage + n * W, n * W * sizeof *f);
            for (size_t i = 0; i < ny * W; i++) sum[i] += weight[k] * f[i];
        }
        for (size_t i = 0; i < ny * W; i++) x->y[i] += h / 6 * sum[i];
    }
    for (size_t j = 0; j < W; j++) {
        x->t[j] += (double)steps * h;
        x->doubt[j] = doubt[j] != 0;
    }
    memset(l->to, 0, l->code->output_count * sizeof *l->to);
}

static const char stepper[] =
    "int mech_parameters(const double *p, double *k) { return 0; }\n"
    "/* t: the step; u: how many; qdd: states in rows, in and out; lambda: times; more: what is in doubt */\n"
    "int mech_motion(" EMIT_ARGUMENTS ")\n"
    "{\n"
    "    const double h = t;\n"
    "    const long steps = (long)u[0];\n"
    "    for (int at = 0; at < LANES; at += WIDE) {\n"
    "        vec y[Y], f[Y + 1], sum[Y], x[Y], start = *(const vec *)(lambda + at), now = start;\n"
    "        bits d = {0};\n"
    "        for (int i = 0; i < Y; i++) y[i] = *(const vec *)(qdd + i*LANES + at);\n"
    "#define SLOPE(x, t) do { d |= slope(k + at, t, x, f); for (int i = 0; i < N; i++) f[i] = x[N + i]; } while (0)\n"
    "        for (long step = 0; step < steps; step++) {\n"
    "            SLOPE(y, now);\n"
    "            for (int i = 0; i < Y; i++) { sum[i] = f[i]; x[i] = y[i] + 0.5*h*f[i]; }\n"
    "            SLOPE(x, now + 0.5*h);\n"
    "            for (int i = 0; i < Y; i++) { sum[i] += 2.0*f[i]; x[i] = y[i] + 0.5*h*f[i]; }\n"
    "            SLOPE(x, now + 0.5*h);\n"
    "            for (int i = 0; i < Y; i++) { sum[i] += 2.0*f[i]; x[i] = y[i] + h*f[i]; }\n"
    "            SLOPE(x, now + h);\n"
    "            for (int i = 0; i < Y; i++) y[i] += h/6.0*(sum[i] + f[i]);\n"
    "            now = start + h*(double)(step + 1);\n"
    "        }\n"
    "        for (int i = 0; i < Y; i++) {\n"
    "            d |= (y[i] - y[i]) != 0.0;\n"
    "            *(vec *)(qdd + i*LANES + at) = y[i];\n"
    "        }\n"
    "        *(vec *)(lambda + at) = now;\n"
    "        *(vec *)(more + at) = (vec)(d & (bits)B(1.0));\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

/* inputs (in.count), to: values of the tape without multipliers. */
static mech_status write_steps(const mech_lanes *l, emit_place *inputs, emit_place *to, textbuf *text)
{
    enum { WIDE = 8 }; /* twice as many are slower: their masks are taken apart */
    const system_inputs *in = &l->system->in;
    const size_t n = l->system->sizes.coords, nz = l->system->sizes.states, ny = 2 * n + nz;
    for (size_t i = 0; i < in->count; i++) inputs[i] = (emit_place){"B(0.0)", EMIT_SCALAR};
    inputs[in->t] = (emit_place){"t", EMIT_SCALAR};
    for (size_t i = 0; i < n; i++) {
        inputs[in->q + i] = (emit_place){"y", (uint32_t)i};
        inputs[in->v + i] = (emit_place){"y", (uint32_t)(n + i)};
        to[i] = (emit_place){"to", (uint32_t)(n + i)};
    }
    to[n] = (emit_place){"to", (uint32_t)ny}; /* the power, which nobody reads */
    for (size_t i = 0; i < nz; i++) {
        inputs[in->z + i] = (emit_place){"y", (uint32_t)(2 * n + i)};
        to[n + 1 + i] = (emit_place){"to", (uint32_t)(2 * n + i)};
    }
    emit_prelude(text, 0);
    MECH_TRY(tape_emit_vectors(l->code, WIDE, inputs, to, n + 1 + nz, text));
    text_format(text, "#define LANES %d\n#define N %zu\n#define Y %zu\n", (int)W, n, ny);
    text_add(text, stepper);
    return text->failed ? MECH_ERR_MEMORY : MECH_OK;
}

/* Compiled where the acceleration is: once, at the first call. */
static mech_status make_steps(mech_lanes *l)
{
    const size_t inputs = l->system->in.count, values = l->code->output_count;
    if (l->rk4_is_tried || !l->motion->native || l->system->sizes.inputs) return MECH_OK;
    l->rk4_is_tried = 1;
    textbuf text = {0};
    emit_place *places = mem_zeroed(inputs + values + 1, sizeof *places);
    mech_status status = places ? write_steps(l, places, places + inputs, &text) : MECH_ERR_MEMORY;
    native_outcome outcome = {0};
    if (status == MECH_OK) status = native_load(text.data, text.length, "mech", NULL, &l->rk4, &outcome);
    text_free(&text);
    mem_free(places);
    return status == MECH_ERR_MEMORY ? status : MECH_OK; /* the tape does it */
}

static mech_status step_block(mech_lanes *l, const mech_lanes_moving *s, size_t b, double h, size_t steps,
                              const steps_block *x, double *work, size_t *failed)
{
    const double count = (double)steps;
    for (size_t lane = 0; lane < W; lane++) {
        const size_t j = b * W + lane < l->count ? b * W + lane : l->count - 1;
        x->t[lane] = s->t ? s->t[j] : 0;
        take_state(l, s, j, W, x->y + lane);
    }
    if (!l->rk4) step_by_tape(l, b, x, h, steps, work);
    else (void)native_get_motion(l->rk4)(slots_of(l, b), h, NULL, NULL, NULL, &count, x->y, x->t, x->doubt, NULL);
    for (size_t lane = 0; lane < most_in(l, b); lane++) {
        const size_t j = b * W + lane;
        if (!x->doubt[lane] && !l->doubt[j]) {
            if (s->t) s->t[j] = x->t[lane];
            give_state(l, s, j, W, x->y + lane);
            continue;
        }
        MECH_TRY(told(step_alone(l, s, j, h, steps, work), j, failed));
    }
    return MECH_OK;
}

mech_status mech_lanes_rk4(mech_lanes *l, const mech_lanes_moving *s, double h, size_t steps, size_t *failed)
{
    if (!l || !s || s->size != sizeof *s || !s->q || !s->v || (l->system->sizes.states && !s->z))
        return MECH_ERR_ARGUMENT;
    if (!isfinite(h) || (double)steps > 1e15) return MECH_ERR_ARGUMENT;
    if (l->system->sizes.inputs) return MECH_ERR_UNSUPPORTED;
    const size_t ny = 2 * l->system->sizes.coords + l->system->sizes.states;
    MECH_TRY(make_steps(l));
    if (!l->is_fresh) run_parameters(l);
    double *memory = mem_zeroed((4 * ny + 4) * W, sizeof *memory);
    if (!memory) return MECH_ERR_MEMORY;
    const steps_block x = {.t = memory, .doubt = memory + W, .y = memory + 2 * W};
    mech_status status = MECH_OK;
    for (size_t b = 0; b < l->blocks && status == MECH_OK; b++)
        status = step_block(l, s, b, h, steps, &x, memory + (2 + ny) * W, failed);
    mem_free(memory);
    return status;
}
