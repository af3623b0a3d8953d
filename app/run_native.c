/* --native: code for a run, and what is said when it was asked for and cannot be had. */
#include "run.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static const char *word(const cli_args *args)
{
    const char *given = cli_value(args, "--no-native") ? "off" : cli_value(args, "--native");
    return given ? given : "auto";
}

int run_native_is_known(const cli_args *args)
{
    const char *given = word(args);
    if (strcmp(given, "auto") == 0 || strcmp(given, "on") == 0 || strcmp(given, "off") == 0) return 1;
    say("mech %s: --native takes auto, on or off, not '%s'\n", args->command, given);
    return 0;
}

static mech_status make_code(const mech_system *system, mech_sim *sim, mech_native native,
                             const volatile sig_atomic_t *interrupt, mech_motion_code **code)
{
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = native;
    settings.calls = 2e4;
    settings.with_power = settings.with_check = 1;
    const char *patience = getenv("MECH_CC_TIMEOUT");
    if (patience && strtod(patience, NULL) > 0) settings.timeout = strtod(patience, NULL);
    settings.t = mech_sim_time(sim);
    settings.q = mech_sim_q(sim);
    settings.v = mech_sim_v(sim);
    settings.z = mech_sim_states(sim);
    settings.interrupt = interrupt;
    const mech_status status = mech_motion_code_create(system, &settings, code);
    return status == MECH_OK ? mech_sim_use_motion(sim, *code) : status;
}

/* What no code can be made for, by the system or the run; NULL: nothing. */
static const char *obstacle(const mech_system *system, mech_sim *sim)
{
    mech_sim_forces forces;
    if (mech_sim_settings_get(sim)->stabilize == MECH_STABILIZE_EXCESS)
        return "excess variables are integrated beside the motion";
    if (mech_sim_forces_now(sim, &forces) == MECH_OK && forces.flags & MECH_FUNDAMENTAL_SINGULAR_MASS)
        return "the mass matrix is singular"; /* the code would be in doubt everywhere */
    return mech_motion_obstacle(system);
}

/* The rows are right without code too, so that the run goes on; but somebody counts on its speed. */
static void say_why_not(const cli_args *args, const mech_motion_code *code, mech_status status, const char *in_the_way)
{
    const mech_motion_info info = code ? mech_motion_code_info(code) : (mech_motion_info){0};
    const char *compiler = getenv("MECH_CC"), *why = in_the_way ? in_the_way : info.why;
    if (status == MECH_OK && info.is_native) return;
    if (!in_the_way && info.statements > 0) { /* there was something to compile */
        say("mech %s: --native on: %s ('%s'; MECH_CC names another one): the run goes on without native code, more slowly\n",
            args->command, why, compiler && *compiler ? compiler : "cc");
        return;
    }
    if (status == MECH_ERR_LIMIT) why = "elimination fills in too much";
    else if (!why || (status != MECH_OK && status != MECH_ERR_UNSUPPORTED)) why = mech_status_text(status);
    say("mech %s: --native on: %s: there is no native code for that, the run goes on without\n", args->command, why);
}

mech_status run_native_start(const cli_args *args, const mech_system *system, mech_sim *sim,
                             const volatile sig_atomic_t *interrupt, mech_motion_code **code)
{
    const char *given = word(args);
    if (strcmp(given, "off") == 0) return MECH_OK;
    const int is_wanted = strcmp(given, "on") == 0;
    const mech_status started = mech_sim_start(sim);
    if (started != MECH_OK) return started;
    const char *in_the_way = obstacle(system, sim);
    const mech_status status =
        in_the_way ? MECH_ERR_UNSUPPORTED
                   : make_code(system, sim, is_wanted ? MECH_NATIVE_ON : MECH_NATIVE_AUTO, interrupt, code);
    if (status == MECH_ERR_MEMORY) return status;
    if (is_wanted && !*interrupt) say_why_not(args, *code, status, in_the_way);
    return MECH_OK;
}
