/* The text for a card: functions of a model by the emitter, the frame around them. */
#include "ensemble/card.h"

#include "base/mem.h"
#include "base/try.h"
#include "motion/motion.h"
#include "system/compiled.h"
#include "system/owner.h"

#include <stdio.h>
#include <string.h>

/* ---- which models ---- */

static int refuse(char why[CARD_REASON], const char *words, const char *name)
{
    snprintf(why, CARD_REASON, name ? "%s (%s)" : "%s", words, name);
    return 0;
}

static int has_points(const mech_system *s)
{
    const system_compiled *c = s->compiled;
    for (size_t i = 0; i < c->table_count; i++)
        if (c->tables[i].count) return 1;
    return 0;
}

static int has_accelerations(const mech_system *s)
{
    for (size_t i = 0; i < s->sizes.rows; i++)
        if (mech_system_row(s, i).level == MECH_LEVEL_ACCELERATION) return 1;
    return 0;
}

typedef struct told { /* what an evaluation says of the model */
    size_t kinks;     /* of its measures */
    mech_method method;
} told;

static mech_status ask_model(const mech_system *s, told *of)
{
    mech_eval *eval = NULL;
    const char *word = NULL;
    MECH_TRY(mech_eval_create(s, MECH_STORAGE_SPARSE, &eval));
    (void)eval_measure_kinks(eval, &of->kinks);
    of->method = mech_eval_option(eval, "method", NULL, &word) && word ? mech_method_find(word) : MECH_METHOD_AUTO;
    mech_eval_free(eval);
    return MECH_OK;
}

static int model_serves(const mech_system *s, size_t kinks, char why[CARD_REASON])
{
    const char *obstacle = mech_motion_obstacle(s);
    if (!s->compiled) return refuse(why, "it is not a model", NULL);
    if (s->sizes.contacts) return refuse(why, "there are one-sided constraints", NULL);
    if (s->sizes.events) return refuse(why, "there are events", mech_system_name(s, MECH_ITEM_EVENT, 0));
    if (mech_system_samples(s)) return refuse(why, "there are clocks", NULL);
    if (obstacle) return refuse(why, obstacle, NULL);
    if (mech_system_switch_count(s)) return refuse(why, "the equations have kinks", mech_system_switch_name(s, 0));
    if (kinks) return refuse(why, "a measure has a kink", NULL);
    if (has_points(s)) return refuse(why, "an input is given by points", NULL);
    if (has_accelerations(s)) return refuse(why, "a constraint speaks of accelerations alone", NULL);
    if (system_has_gradient(s)) return refuse(why, "a constraint depends on the rate of a state", NULL);
    return 1;
}

int card_serves(const mech_system *s, const mech_sim_settings *settings, char why[CARD_REASON])
{
    const int way = settings->stabilize < 0 ? (int)mech_system_stabilize(s) : settings->stabilize;
    if (way == MECH_STABILIZE_EXCESS) return refuse(why, "excess variables are damped, not projected", NULL);
    if (settings->start == MECH_START_AS_GIVEN && mech_system_sizes(s).rows)
        return refuse(why, "the start is taken as it is given", NULL);
    told of = {0};
    if (ask_model(s, &of) != MECH_OK) return refuse(why, "there is no memory", NULL);
    const mech_method method = settings->method == MECH_METHOD_COUNT ? of.method : settings->method;
    if (method != MECH_METHOD_AUTO && method != MECH_METHOD_RK5)
        return refuse(why, "the method is not rk5", mech_method_word(method));
    return model_serves(s, of.kinks, why);
}

/* ---- the text ---- */

static const char *const kinds[] = {[MECH_MEASURE_MAX] = "MAX",
                                    [MECH_MEASURE_MIN] = "MIN",
                                    [MECH_MEASURE_MEAN] = "MEAN",
                                    [MECH_MEASURE_RMS] = "RMS",
                                    [MECH_MEASURE_FINAL] = "FINAL"};

static void define(textbuf *to, const char *name, size_t value) { text_format(to, "#define %s %zu\n", name, value); }

static void add_kinds(const mech_system *s, textbuf *to)
{
    text_add(to, "enum { MAX, MIN, MEAN, RMS, FINAL };\nINNER int card_kind(int k)\n{\n    (void)k;\n    return ");
    for (size_t k = 0; k + 1 < s->sizes.measures; k++)
        text_format(to, "k == %zu ? %s : ", k, kinds[mech_system_measure(s, k).kind]);
    text_format(to, "%s;\n}\n\n",
                s->sizes.measures ? kinds[mech_system_measure(s, s->sizes.measures - 1).kind] : "FINAL");
}

/* Lines of a file of the library that are not for the host alone. */
static void add_without_includes(textbuf *to, const char *text)
{
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n');
        const size_t length = end ? (size_t)(end - line) + 1 : strlen(line);
        if (strncmp(line, "#include", 8) != 0) text_add_n(to, line, length);
        line += length;
    }
}

static mech_status add_measures(const mech_system *s, emit_result *size, textbuf *to)
{
    const mech_model *model = system_model(s);
    const size_t count = s->sizes.measures;
    mech_expr *values = mem_zeroed(count + 1, sizeof *values);
    emit_place *places = mem_zeroed(count + 1, sizeof *places);
    mech_status status = values && places ? MECH_OK : MECH_ERR_MEMORY;
    for (size_t k = 0; status == MECH_OK && k < count; k++) {
        values[k] = model->measures[k].value;
        places[k] = (emit_place){"more", (uint32_t)k};
    }
    if (status == MECH_OK)
        status =
            motion_values_make(s, &(motion_target){.prefix = "measure", .is_card = 1}, values, places, count, size, to);
    mem_free(values);
    mem_free(places);
    return status;
}

static mech_status add_signals(const mech_system *s, emit_result *size, textbuf *to)
{
    const mech_model *model = system_model(s);
    const size_t count = s->sizes.inputs;
    emit_place *places = mem_zeroed(3 * count + 1, sizeof *places);
    if (!places) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < 3 * count; i++)
        if (model->inputs[i / 3].signal.id) places[i] = (emit_place){"more", (uint32_t)(i % 3 * count + i / 3)};
    const mech_status status = motion_program_make(
        s, s->compiled->signals, &(motion_target){.prefix = "signal", .is_card = 1}, places, size, to);
    mem_free(places);
    return status;
}

static int is_along(const mech_system *s)
{
    for (size_t k = 0; k < s->sizes.measures; k++)
        if (mech_system_measure(s, k).kind != MECH_MEASURE_FINAL) return 1;
    return 0;
}

static int has_positions(const mech_system *s)
{
    for (size_t i = 0; i < s->sizes.rows; i++)
        if (mech_system_row(s, i).level == MECH_LEVEL_HOLONOMIC) return 1;
    return 0;
}

static mech_status add_functions(card_source *x, textbuf *to, emit_result size[3])
{
    motion_source source = {.system = x->system,
                            .monitored = x->monitored,
                            .prefix = "model",
                            .most = CARD_MOST_STATEMENTS,
                            .with_check = x->projects,
                            .is_card = 1};
    MECH_TRY(motion_source_make(&source, to));
    size[0] = source.size;
    x->statements = source.size.statements;
    if (x->system->sizes.inputs) MECH_TRY(add_signals(x->system, &size[1], to));
    return x->system->sizes.measures ? add_measures(x->system, &size[2], to) : MECH_OK;
}

static void add_all(card_source *x, const textbuf *functions, const emit_result size[3])
{
    const mech_system *s = x->system;
    textbuf *to = &x->text;
    text_add(to, "/* Runs of a mechanical system on a card. Generated by Mechanician. */\n");
    emit_card_prelude(to, !x->is_fixed && x->statements > CARD_LONG);
    if (functions->data) text_add_n(to, functions->data, functions->length);
    define(to, "UNROLLS", x->statements <= CARD_SHORT);
    define(to, "N", s->sizes.coords);
    define(to, "M", s->sizes.rows);
    define(to, "Z", s->sizes.states);
    define(to, "P", s->sizes.params);
    define(to, "U", s->sizes.inputs);
    define(to, "MEASURES", s->sizes.measures);
    define(to, "ALONG", (size_t)is_along(s));
    define(to, "LOOKS", (size_t)s->measures_need_motion);
    define(to, "PROJECTS", (size_t)x->projects);
    define(to, "FIXED", (size_t)x->is_fixed);
    define(to, "HAS_POSITIONS", (size_t)has_positions(s));
    define(to, "KEPT", size[0].kept);
    define(to, "SIGNAL_KEPT", size[1].kept);
    define(to, "MEASURE_KEPT", size[2].kept);
    define(to, "CARD_BLOCK", CARD_THREADS);
    text_add(to, "#define LEFT_OVER 0.01\n#define NEAR 0.02\n#define FUNCTION APART\n");
    add_kinds(s, to);
    add_without_includes(to, card_text_chebyshev_h);
    add_without_includes(to, card_text_chebyshev_c);
    text_add(to, card_text_frame);
}

mech_status card_source_make(card_source *x)
{
    textbuf functions = {0};
    emit_result size[3] = {0};
    x->text = (textbuf){0};
    const mech_status status = add_functions(x, &functions, size);
    if (status == MECH_OK) add_all(x, &functions, size);
    const int failed = functions.failed || x->text.failed;
    text_free(&functions);
    if (status == MECH_OK && !failed) return MECH_OK;
    text_free(&x->text);
    return status == MECH_OK ? MECH_ERR_MEMORY : status;
}
