/* Settings: their defaults, and what the model says where they leave it open. */
#include "simulate/settings.h"

#include <math.h>
#include <string.h>

static const char *const words[MECH_METHOD_COUNT] = {
    [MECH_METHOD_AUTO] = "auto", [MECH_METHOD_RK8] = "rk8",     [MECH_METHOD_RK5] = "rk5",
    [MECH_METHOD_BDF] = "bdf",   [MECH_METHOD_ADAMS] = "adams", [MECH_METHOD_IRK] = "irk",
};

mech_method mech_method_find(const char *word)
{
    for (int k = 0; word && k < MECH_METHOD_COUNT; k++)
        if (strcmp(words[k], word) == 0) return (mech_method)k;
    return MECH_METHOD_COUNT;
}

const char *mech_method_word(mech_method method)
{
    return (unsigned)method < MECH_METHOD_COUNT ? words[method] : "?";
}

void mech_sim_settings_default(mech_sim_settings *settings, size_t size)
{
    const mech_sim_settings defaults = {
        .size = size, .from = NAN, .until = NAN, .rtol = NAN, .atol = NAN, .max_step = NAN,
        .method = MECH_METHOD_COUNT, .start = MECH_START_ASSEMBLE, .stabilize = -1, .max_events = 1000,
        .keep_trajectory = 1, .rows_at_events = 1,
    };
    memset(settings, 0, size);
    memcpy(settings, &defaults, size < sizeof defaults ? size : sizeof defaults);
}

void settings_take(mech_sim_settings *into, const mech_sim_settings *given)
{
    mech_sim_settings_default(into, sizeof *into);
    if (given) memcpy(into, given, given->size < sizeof *into ? given->size : sizeof *into);
    into->size = sizeof *into;
}

static double number(mech_eval *eval, const char *name, double given, double otherwise)
{
    double value;
    if (!isnan(given)) return given;
    return mech_eval_option(eval, name, &value, NULL) && !isnan(value) ? value : otherwise;
}

static int is_sound(const mech_sim_settings *s)
{
    return isfinite(s->from) && isfinite(s->until) && s->until > s->from && s->rtol > 0 && s->rtol < 1
           && s->atol > 0 && s->max_step >= 0 && s->output_step >= 0 && isfinite(s->rtol) && isfinite(s->atol)
           && s->method < MECH_METHOD_COUNT && s->output_points != 1 && s->first_step >= 0;
}

mech_status settings_resolve(mech_sim_settings *s, mech_eval *eval, const mech_system *system)
{
    const char *word = NULL;
    double value;
    s->from = number(eval, "from", s->from, 0);
    s->until = number(eval, "until", s->until, s->from + 1);
    s->rtol = number(eval, "rtol", s->rtol, 1e-9);
    s->atol = number(eval, "atol", s->atol, 1e-12);
    s->max_step = number(eval, "max_step", s->max_step, 0);
    if (s->output_step == 0 && s->output_points == 0) {
        s->output_step = number(eval, "step", NAN, 0);
        if (s->output_step == 0) s->output_points = (size_t)fmin(fmax(number(eval, "points", NAN, 101), 2), 1e12);
    }
    if (s->method >= MECH_METHOD_COUNT) {
        s->method = MECH_METHOD_AUTO;
        if (mech_eval_option(eval, "method", &value, &word) && word) s->method = mech_method_find(word);
    }
    if (s->stabilize < 0) s->stabilize = (int)mech_system_stabilize(system);
    if (s->projection_tol == 0) s->projection_tol = fmax(1e-3 * s->atol, 1e-13);
    if (s->event_tol == 0) s->event_tol = 1e-14;
    if (s->max_events == 0) s->max_events = 1000;
    return is_sound(s) ? MECH_OK : MECH_ERR_ARGUMENT;
}
