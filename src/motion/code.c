/* The acceleration at once: plans and code, made from a system. */
#include "motion/motion.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/try.h"
#include "system/compiled.h"
#include "system/laws.h"

#include <string.h>

enum { MOST_STRAIGHT = 2200, MOST_STATEMENTS = 60000, MOST_DIAGNOSED = 100 };

void mech_motion_settings_default(mech_motion_settings *settings, size_t size)
{
    const mech_motion_settings o = {.native = MECH_NATIVE_AUTO, .calls = 1e5, .most = MOST_STATEMENTS, .timeout = 60};
    options_default(settings, size, &o, sizeof o);
}

void mech_motion_code_free(mech_motion_code *m)
{
    if (!m) return;
    plan_free(m->plain);
    plan_free(m->null);
    native_free(m->native);
    tape_free(m->tape);
    mem_free(m->monitored);
    mem_free(m);
}

const char *mech_motion_obstacle(const mech_system *s)
{
    return s->sizes.coords == 0                     ? "there are no coordinates"
           : s->sizes.rows != s->sizes.natural_rows ? "there are control rows"
           : s->delay_count                         ? "there are delays"
           : s->sizes.frictions                     ? "there is friction"
           : s->allows_negative_mass                ? "negative masses are allowed"
           : !laws_are_explicit(s)                  ? "there are laws that look at the reactions, or are given by z"
                                                    : NULL;
}

static plan_spec spec_of(const mech_system *s, const unsigned char *monitored)
{
    const system_part *M = &s->parts[SECTION_M], *A = &s->parts[SECTION_A];
    return (plan_spec){.n = s->sizes.coords,
                       .m = s->sizes.rows,
                       .M = {M->count, M->row, M->column},
                       .A = {A->count, A->row, A->column},
                       .monitored = monitored,
                       .most_ops = MOTION_OPERATIONS};
}

/* ---- rows that depend on others ---- */

static mech_status diagnose(const mech_eval *e, mech_motion_code *m)
{
    const size_t rows = e->system->sizes.rows;
    const mech_equation *eq = &e->equation;
    const mech_fundamental_input in = {.size = sizeof in, .M = eq->M_dense, .Q = eq->Q, .A = eq->A_dense, .b = eq->b};
    const mech_diagnosis_input input = {.size = sizeof input, .equation = &in};
    mech_diagnosis *d = NULL;
    mech_status status = mech_diagnosis_create((int)e->system->sizes.coords, (int)rows, &d);
    if (status == MECH_OK) status = mech_diagnosis_run(d, &input);
    for (size_t i = 0; i < rows && status == MECH_OK; i++) m->monitored[i] = mech_diagnosis_get(d)->redundant[i];
    mech_diagnosis_free(d);
    return status;
}

/* The same for many rows, by the plan itself. */
static mech_status eliminate(const mech_eval *e, mech_motion_code *m)
{
    plan *all = NULL;
    const plan_spec spec = spec_of(e->system, NULL);
    MECH_TRY(plan_create(&spec, &all));
    double *slots = mem_zeroed(all->slot_count + 1, sizeof *slots);
    if (slots) {
        motion_fill_plan(e, all, e->equation.Q, e->equation.b, slots);
        plan_find_dependent(all, slots, m->monitored);
    }
    mem_free(slots);
    plan_free(all);
    return slots ? MECH_OK : MECH_ERR_MEMORY;
}

/* At the given point; where nothing can be known there, as where a value is not finite, all rows stay in. */
static mech_status find_dependent(const mech_system *s, const mech_motion_settings *given, arena *memory,
                                  mech_motion_code *m)
{
    const size_t n = s->sizes.coords, rows = s->sizes.rows;
    const int is_large = n + rows > MOST_DIAGNOSED;
    if (!given->q || rows == 0) return MECH_OK;
    mech_eval *e;
    double *still;
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(still, n)));
    MECH_TRY(mech_eval_create(s, is_large ? MECH_STORAGE_SPARSE : MECH_STORAGE_DENSE, &e));
    mech_status status = eval_place(e, EVAL_VELOCITY, given->t, given->q, given->v ? given->v : still, given->z);
    if (status == MECH_OK) status = is_large ? eliminate(e, m) : diagnose(e, m);
    mech_eval_free(e);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

/* ---- making ---- */

/* Loops that are long lines all the same, as those of a serial chain of 50 hinges (100000 lines), took gcc 17 s as
   usual, and take 7 s as long lines do. */
static native_kind kind_of(const emit_result *size)
{
    enum { LONG_LOOPS = 10000 };
    if (size->is_scheduled) return NATIVE_SCHEDULED;
    return size->loops && size->statements < LONG_LOOPS ? NATIVE_USUAL : NATIVE_LONG;
}

/* Seconds, from measurements of gcc and of the interpreter: only their ratio decides. Loops are written
   twice, for one turn and for eight. */
static int pays(const emit_result *size, double calls)
{
    const double lines = (double)size->lines, angles = (double)size->angles;
    const double statement = kind_of(size) == NATIVE_LONG ? (size->loops ? 2e-4 : 1e-4) : size->loops ? 1.5e-3 : 3e-4;
    const double compiling = 0.1 + statement * (double)size->statements;
    const double saved = 2.5e-9 * lines + 15e-9 * angles; /* in each call */
    return calls * saved > compiling;
}

/* The text compiled and loaded. Without a compiler that takes it all is well: info.why says so. */
static mech_status load_code(const textbuf *text, const mech_motion_settings *given, mech_motion_code *m)
{
    const native_settings settings = {given->compiler, given->cache, given->timeout, kind_of(&m->size),
                                      given->interrupt};
    native_outcome outcome = {0};
    textbuf all = {0};
    if (settings.kind != NATIVE_USUAL) emit_omissions(&all, settings.kind == NATIVE_LONG);
    emit_prelude(&all, 0);
    text_add_n(&all, text->data, text->length);
    const mech_status status =
        all.failed ? MECH_ERR_MEMORY : native_load(all.data, all.length, "mech", &settings, &m->native, &outcome);
    m->info.was_cached = outcome.was_cached;
    m->info.why = outcome.why;
    text_free(&all);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

static void tell(const motion_source *source, mech_motion_code *m)
{
    m->size = source->size;
    m->info.statements = source->size.statements;
    m->info.angles = source->size.angles;
    m->info.loops = source->size.loops;
    m->info.twins = source->size.twins;
    m->info.row_steps = source->steps;
    m->info.monitored = source->watched;
    m->info.is_null_space = source->is_null;
    m->with_check = source->with_check;
}

static mech_status make_code(const mech_system *s, const mech_motion_settings *given, const motion_samples *samples,
                             int with_twins, mech_motion_code *m)
{
    motion_source source = {.system = s,
                            .monitored = m->monitored,
                            .samples = samples,
                            .prefix = "mech",
                            .with_power = given->with_power,
                            .with_check = given->with_check,
                            .with_twins = with_twins,
                            .straight = given->straight ? given->straight : MOST_STRAIGHT,
                            .most = given->most ? given->most : MOST_STATEMENTS};
    textbuf text = {0};
    mech_status status = motion_source_make(&source, &text);
    const int is_tried = status == MECH_OK && (given->native == MECH_NATIVE_ON || pays(&source.size, given->calls));
    m->info.why = status == MECH_ERR_LIMIT ? "the code would be too long"
                  : status != MECH_OK      ? "the acceleration needs what the code is not given"
                                           : "compiling would cost more than it saves";
    if (status == MECH_OK) tell(&source, m);
    if (is_tried) status = load_code(&text, given, m);
    text_free(&text);
    if (status == MECH_ERR_MEMORY) return status;
    if (is_tried && !m->native && m->size.twins) /* perhaps this compiler has no vectors */
        return make_code(s, given, samples, 0, m);
    return MECH_OK;
}

/* The plans of the interpreter; the first must be there, the second where it costs less. */
static mech_status make_plans(const mech_system *s, const motion_samples *points, mech_motion_code *m)
{
    const plan_spec spec = spec_of(s, m->monitored);
    MECH_TRY(plan_create(&spec, &m->plain));
    const plan_samples samples = {points->count, points->walk, points->A};
    const mech_status status = points->count ? plan_create_null(&spec, &samples, &m->null) : MECH_OK;
    if (status == MECH_ERR_MEMORY) return status;
    if (m->null && !plan_null_pays(m->null, m->plain)) {
        plan_free(m->null);
        m->null = NULL;
    }
    const plan *first = m->null ? m->null : m->plain;
    m->info.size = sizeof m->info;
    m->info.is_null_space = m->null != NULL;
    m->info.operations = first->op_count;
    m->info.pivots = first->blocks;
    m->info.monitored = m->plain->watched;
    return MECH_OK;
}

/* Changes that meet all rows make sense where all rows speak of positions, or of velocities. */
static void find_levels(const mech_system *s, mech_motion_code *m)
{
    m->has_dq = m->has_dv = 1;
    for (size_t i = 0; i < s->sizes.rows; i++) {
        const int level = mech_system_row(s, i).level;
        m->has_dq = m->has_dq && level == MECH_LEVEL_HOLONOMIC && !system_has_gradient(s);
        m->has_dv = m->has_dv && level != MECH_LEVEL_ACCELERATION;
    }
}

/* memory: for the time of the call. */
static mech_status make(const mech_system *s, const mech_motion_settings *given, arena *memory, mech_motion_code *m)
{
    motion_samples samples;
    m->monitored = mem_zeroed(s->sizes.rows + 1, 1);
    if (!m->monitored) return MECH_ERR_MEMORY;
    MECH_TRY(find_dependent(s, given, memory, m));
    MECH_TRY(motion_samples_make(s, given, memory, &samples));
    MECH_TRY(make_plans(s, &samples, m));
    m->info.why = "it is not a model";
    if (!s->compiled) return MECH_OK;
    m->with_power = given->with_power;
    find_levels(s, m);
    m->info.why = "it was not asked for";
    if (given->native != MECH_NATIVE_OFF) MECH_TRY(make_code(s, given, &samples, 1, m));
    m->info.is_native = m->native != NULL;
    if (m->native) m->motion = native_get_motion(m->native);
    return m->native ? MECH_OK : motion_tape_prepare(s, m->monitored, given, &samples, &m->tape);
}

mech_status mech_motion_code_create(const mech_system *s, const mech_motion_settings *settings,
                                    mech_motion_code **result)
{
    mech_motion_settings given;
    if (!result) return MECH_ERR_ARGUMENT;
    *result = NULL;
    if (!s) return MECH_ERR_ARGUMENT;
    mech_motion_settings_default(&given, sizeof given);
    MECH_TRY(options_take(&given, sizeof given, settings));
    if (mech_motion_obstacle(s)) return MECH_ERR_UNSUPPORTED;
    mech_motion_code *m = mem_zeroed(1, sizeof *m);
    if (!m) return MECH_ERR_MEMORY;
    m->system = s;
    arena memory = {0};
    const mech_status status = make(s, &given, &memory, m);
    arena_free(&memory);
    if (status == MECH_OK) *result = m;
    else mech_motion_code_free(m);
    return status;
}

mech_motion_info mech_motion_code_info(const mech_motion_code *m) { return m->info; }
