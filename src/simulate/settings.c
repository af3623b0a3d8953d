/* Settings: their defaults, and what the model says where they leave it open. */
#include "simulate/settings.h"
#include "base/options.h"
#include "base/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const words[MECH_METHOD_COUNT] = {
    [MECH_METHOD_AUTO] = "auto",     [MECH_METHOD_RK8] = "rk8",     [MECH_METHOD_RK5] = "rk5",
    [MECH_METHOD_BDF] = "bdf",       [MECH_METHOD_ADAMS] = "adams", [MECH_METHOD_IRK] = "irk",
    [MECH_METHOD_MOREAU] = "moreau",
};

mech_method mech_method_find(const char *word)
{
    for (int k = 0; word && k < MECH_METHOD_COUNT; k++)
        if (strcmp(words[k], word) == 0) return (mech_method)k;
    return MECH_METHOD_COUNT;
}

const char *mech_method_word(mech_method method) { return (unsigned)method < MECH_METHOD_COUNT ? words[method] : "?"; }

void mech_sim_settings_default(mech_sim_settings *settings, size_t size)
{
    const mech_sim_settings defaults = {
        .from = NAN,
        .until = NAN,
        .rtol = NAN,
        .atol = NAN,
        .max_step = NAN,
        .resolution = NAN,
        .method = MECH_METHOD_COUNT,
        .start = MECH_START_ASSEMBLE,
        .stabilize = -1,
        .max_events = 1000,
        .keep_trajectory = 1,
        .rows_at_events = 1,
    };
    options_default(settings, size, &defaults, sizeof defaults);
}

mech_status settings_take(mech_sim_settings *into, const mech_sim_settings *given)
{
    mech_sim_settings_default(into, sizeof *into);
    return options_take(into, sizeof *into, given);
}

static double number(mech_eval *eval, const char *name, double given, double otherwise)
{
    double value;
    if (!isnan(given)) return given;
    return mech_eval_option(eval, name, &value, NULL) && !isnan(value) ? value : otherwise;
}

static double row_count(const mech_sim_settings *s)
{
    return s->output_step > 0 ? (s->until - s->from) / s->output_step + 1 : (double)s->output_points;
}

mech_status settings_check(const mech_sim_settings *s, size_t columns, char *why, size_t size)
{
    const unsigned known = MECH_COLUMNS_ACCELERATIONS | MECH_COLUMNS_MULTIPLIERS | MECH_COLUMNS_FORCES |
                           MECH_COLUMNS_RESIDUALS | MECH_COLUMNS_INPUTS;
    const double most = s->most_numbers > 0 ? (double)s->most_numbers : 2e9, rows = row_count(s);
    const int is_endless = isinf(s->until);
    if (!isfinite(s->from)) snprintf(why, size, "the run begins at no finite time: from is %g", s->from);
    else if (!(s->until > s->from))
        snprintf(why, size, "the run would end (until %g) before it begins (from %g)", s->until, s->from);
    else if (!is_endless && isinf(s->until - s->from))
        snprintf(why, size, "from %g until %g is longer than a number can say", s->from, s->until);
    else if (!(s->rtol > 0 && s->rtol < 1)) snprintf(why, size, "rtol lies between 0 and 1, not at %g", s->rtol);
    else if (!(s->atol > 0 && isfinite(s->atol))) snprintf(why, size, "atol is greater than 0, not %g", s->atol);
    else if (!(s->max_step >= 0 && s->output_step >= 0 && s->first_step >= 0))
        snprintf(why, size, "steps are not negative");
    else if (isinf(s->output_step) || isinf(s->first_step)) snprintf(why, size, "steps are finite");
    else if ((unsigned)s->method >= MECH_METHOD_COUNT) snprintf(why, size, "there is no such method");
    else if (s->start != MECH_START_ASSEMBLE && s->start != MECH_START_AS_GIVEN)
        snprintf(why, size, "there is no start of kind %d", (int)s->start);
    else if (s->stabilize < MECH_STABILIZE_PROJECT || s->stabilize > MECH_STABILIZE_NONE)
        snprintf(why, size, "there is no stabilization of kind %d", s->stabilize);
    else if (!(s->projection_tol >= 0 && isfinite(s->projection_tol)))
        snprintf(why, size, "projection_tol is greater than 0, not %g", s->projection_tol);
    else if (!(s->rank_tol >= 0 && s->rank_tol < 1))
        snprintf(why, size, "rank_tol lies between 0 and 1, not at %g", s->rank_tol);
    else if (!(s->event_tol > 0 && s->event_tol < 1))
        snprintf(why, size, "event_tol lies between 0 and 1, not at %g", s->event_tol);
    else if (!(s->resolution >= 0 && isfinite(s->resolution)))
        snprintf(why, size, "the resolution of triggers is a time, not %g", s->resolution);
    else if (!(s->impact_speed >= 0 && isfinite(s->impact_speed)))
        snprintf(why, size, "impact_speed is not negative, and not %g", s->impact_speed);
    else if (s->columns & ~known) snprintf(why, size, "there are no such columns");
    else if (s->output_step == 0 && s->output_points < 2 && !is_endless)
        snprintf(why, size, "a run has at least 2 points");
    else if (s->output_step == 0 && s->output_points > 0 && is_endless)
        snprintf(why, size, "points are spread over a run, and this one has no end: give the step between rows");
    else if (!(rows * (double)columns <= most) && !is_endless) {
        snprintf(
            why, size,
            "%.3g rows of %zu columns are %.3g GB of text, more than the %.3g numbers a run may write: fewer points, "
            "a longer step between rows, or an earlier end",
            rows, columns, rows * (double)columns * 22e-9, most);
        return MECH_ERR_LIMIT;
    } else return MECH_OK;
    return MECH_ERR_ARGUMENT;
}

void settings_resolve(mech_sim_settings *s, mech_eval *eval, const mech_system *system)
{
    const char *word = NULL;
    double value;
    s->from = number(eval, "from", s->from, 0);
    s->until = number(eval, "until", s->until, s->from + 1);
    s->rtol = number(eval, "rtol", s->rtol, TOL_RTOL);
    s->atol = number(eval, "atol", s->atol, TOL_ATOL);
    s->max_step = number(eval, "max_step", s->max_step, 0);
    if (s->output_step == 0 && s->output_points == 0) {
        s->output_step = number(eval, "step", NAN, 0);
        if (s->output_step == 0 && !isinf(s->until))
            s->output_points = (size_t)fmin(fmax(number(eval, "points", NAN, 101), 2), 1e12);
    }
    if (s->method == MECH_METHOD_COUNT) {
        s->method = MECH_METHOD_AUTO;
        if (mech_eval_option(eval, "method", &value, &word) && word) s->method = mech_method_find(word);
    }
    if (s->stabilize == -1) s->stabilize = (int)mech_system_stabilize(system);
    if (s->event_tol == 0) s->event_tol = TOL_EVENT;
    s->resolution =
        number(eval, "resolution", s->resolution, isfinite(s->until) ? TOL_RESOLUTION * (s->until - s->from) : 0);
    if (s->max_events == 0) s->max_events = 1000;
}
