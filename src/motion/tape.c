/* The acceleration at once, interpreted: the tape of the same graph that generated code is written from. */
#include "motion/motion.h"

#include "system/compiled.h"

mech_status motion_tape_prepare(const mech_system *s, const unsigned char *monitored, const mech_motion_settings *given,
                                const motion_samples *samples, tape **code)
{
    motion_source source = {.system = s,
                            .monitored = monitored,
                            .samples = samples,
                            .with_power = given->with_power,
                            .most = MOTION_OPERATIONS};
    const mech_status status = motion_tape_make(&source, code);
    return status == MECH_ERR_MEMORY ? status : MECH_OK; /* without it stages and plan do the work */
}

mech_status motion_tape_checked(const mech_motion_code *of, const mech_motion_settings *given, tape **code)
{
    arena memory = {0};
    motion_samples samples;
    motion_source source = {.system = of->system,
                            .monitored = of->monitored,
                            .samples = &samples,
                            .with_power = 1,
                            .with_check = of->system->sizes.rows > 0,
                            .most = MOTION_OPERATIONS};
    *code = NULL;
    mech_status status = motion_samples_make(of->system, given, &memory, &samples);
    if (status == MECH_OK) status = motion_tape_make(&source, code);
    arena_free(&memory);
    return status;
}
