/* The tape gives the same bytes for one state and for many, by every kind of vectors the processor has. */
#include "check.h"
#include "support/random_numbers.h"
#include "motion/motion.h"

#include <mech/lang.h>

#include <stdlib.h>
#include <string.h>

enum { W = TAPE_LANES };

typedef struct subject {
    const mech_system *system;
    const tape *code;
    double *one, *many;      /* slots */
    double *inputs, *rows;   /* of one state; (inputs x W) */
    double *values, *wanted; /* (outputs x W) */
    const double **from;
    double **to;
} subject;

static double *aligned(size_t count)
{
    double *p = aligned_alloc(64, (count * sizeof *p / 64 + 1) * 64);
    memset(p, 0, count * sizeof *p);
    return p;
}

static void open_subject(subject *s, const mech_system *system, const tape *code)
{
    const size_t inputs = system->in.count;
    *s = (subject){.system = system, .code = code};
    s->one = aligned(code->slot_count);
    s->many = aligned(code->slot_count * W);
    s->inputs = aligned(inputs);
    s->rows = aligned(inputs * W);
    s->values = aligned(code->output_count * W);
    s->wanted = aligned(code->output_count * W);
    s->from = calloc(inputs + 1, sizeof *s->from);
    s->to = calloc(code->output_count + 1, sizeof *s->to);
    for (size_t i = 0; i < inputs; i++) s->from[i] = s->rows + i * W;
    for (size_t i = 0; i < code->output_count; i++) s->to[i] = s->values + i * W;
}

static void close_subject(subject *s)
{
    void *const all[] = {s->one, s->many, s->inputs, s->rows, s->values, s->wanted, s->from, s->to};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Every lane a state and parameters of its own; some angles beyond what the vector sine reduces. */
static void fill(subject *s)
{
    for (size_t i = 0; i < s->system->in.count * W; i++) s->rows[i] = 1 + random_real();
    for (size_t i = 0; i < s->system->sizes.coords; i++) s->rows[(s->system->in.q + i) * W + 5] = 2e6 + (double)i;
}

static unsigned run_alone(subject *s, size_t lane)
{
    const size_t outputs = s->code->output_count;
    double *values = s->values; /* not yet in use */
    for (size_t i = 0; i < s->system->in.count; i++) s->inputs[i] = s->rows[i * W + lane];
    tape_reset(s->code, s->one);
    unsigned flags = tape_run_parameters(s->code, s->inputs, s->one);
    flags |= tape_run(s->code, s->inputs, s->one, values, 1);
    for (size_t i = 0; i < outputs; i++) s->wanted[i * W + lane] = values[i];
    return flags;
}

static void compare(subject *s, const unsigned *flags, sincos_vectors vectors)
{
    _Alignas(64) int64_t doubt[W] = {0};
    tape code = *s->code;
    code.vectors = vectors;
    code.sincos = sincos_by(vectors);
    tape_reset_lanes(&code, s->many);
    tape_run_parameters_lanes(&code, s->from, s->many, doubt);
    tape_run_lanes(&code, s->from, s->many, s->system->sizes.coords, 1, s->to, doubt);
    for (size_t j = 0; j < W; j++) {
        CHECK((doubt[j] != 0) == (flags[j] != 0));
        for (size_t i = 0; i < code.output_count; i++)
            CHECK(memcmp(&s->values[i * W + j], &s->wanted[i * W + j], sizeof(double)) == 0);
    }
}

static void one_model(const char *path)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_motion_settings settings;
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_OFF;
    CHECK(mech_read_file(path, NULL, diagnostics, &model) == MECH_OK);
    CHECK(mech_system_from_model(model, diagnostics, &system) == MECH_OK);
    mech_motion_code *code = NULL;
    CHECK(mech_motion_code_create(system, &settings, &code) == MECH_OK);
    subject s;
    unsigned flags[W];
    open_subject(&s, system, code->tape);
    fill(&s);
    for (size_t j = 0; j < W; j++) flags[j] = run_alone(&s, j);
    for (int vectors = VECTORS_PLAIN; vectors <= (int)sincos_processor(); vectors++)
        compare(&s, flags, (sincos_vectors)vectors);
    close_subject(&s);
    mech_motion_code_free(code);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

int main(void)
{
    one_model("examples/andrews/model.mech");
    one_model("examples/rolling-disk/model.mech");
    one_model("examples/four-bar-sympy/model.mech");
    return check_report();
}
