/* What is not unique where a model starts, for those who write it down elsewhere: code, units. */
#include <mech/assemble.h>

#include "base/try.h"

#include <math.h>
#include <string.h>

enum { LARGEST_DIAGNOSED = 200 }; /* coordinates or rows */

static void take_marks(const mech_instant_result *r, unsigned char *constraints, unsigned char *outputs, size_t count)
{
    for (size_t g = 0; constraints && g < r->groups; g++) {
        const mech_group *group = &r->group[g];
        if (group->kind != MECH_GROUP_CONSTRAINT) continue;
        for (size_t i = group->first_row; i < group->first_row + group->row_count; i++)
            if (r->active[i] && !r->diagnosis->unique_lambda[i]) constraints[group->index] = 1;
    }
    if (outputs && r->output_is_choice) memcpy(outputs, r->output_is_choice, count);
}

static mech_status look(const mech_system *system, mech_instant *instant, const mech_assembly *assembly, double t,
                        unsigned char *constraints, unsigned char *outputs)
{
    const mech_sizes sizes = mech_system_sizes(system);
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.t = t;
    at.q = mech_assembly_q(assembly);
    at.v = mech_assembly_v(assembly);
    at.z = sizes.states ? mech_assembly_z(assembly) : NULL;
    at.skip_diagnosis = sizes.coords > LARGEST_DIAGNOSED || sizes.rows > LARGEST_DIAGNOSED;
    MECH_TRY(mech_instant_solve(instant, &at));
    const mech_instant_result *r = mech_instant_get(instant);
    if (r->diagnosis) take_marks(r, constraints, outputs, sizes.outputs);
    else if (r->flags & MECH_FUNDAMENTAL_REDUNDANT) return MECH_ERR_LIMIT;
    return MECH_OK;
}

mech_status mech_start_choices(const mech_system *system, unsigned char *constraint_is_choice,
                               unsigned char *output_is_choice)
{
    const mech_sizes sizes = mech_system_sizes(system);
    mech_assemble_options options;
    mech_instant *instant = NULL;
    mech_assembly *assembly = NULL;
    const char *word;
    if (constraint_is_choice) memset(constraint_is_choice, 0, sizes.constraints);
    if (output_is_choice) memset(output_is_choice, 0, sizes.outputs);
    if (sizes.rows == 0) return MECH_OK;
    mech_assemble_options_default(&options, sizeof options);
    mech_status status = mech_instant_create(system, 0, &instant);
    if (status == MECH_OK &&
        (mech_eval_option(mech_instant_eval(instant), "from", &options.t, &word) != 1 || !isfinite(options.t)))
        options.t = 0;
    if (status == MECH_OK) status = mech_assembly_create(mech_instant_eval(instant), &assembly);
    if (status == MECH_OK) status = mech_assemble(assembly, &options);
    if (status == MECH_OK) status = look(system, instant, assembly, options.t, constraint_is_choice, output_is_choice);
    mech_assembly_free(assembly);
    mech_instant_free(instant);
    return status;
}
