/* The consistent start of a run, and which of its rows depend on one another. */
#include "simulate/sim.h"

#include <string.h>

mech_status sim_assemble(mech_sim *s)
{
    mech_assemble_options options;
    mech_assemble_options_default(&options, sizeof options);
    options.start = s->settings.start;
    options.t = s->t;
    options.q = s->caller.given.has_q ? s->y : NULL;
    options.v = s->caller.given.has_v ? s->y + s->n : NULL;
    options.z = s->caller.given.has_z ? s->y + 2 * s->n : NULL;
    options.is_fixed = s->caller.given.is_fixed;
    options.atol = s->settings.atol;
    options.row_tol = s->settings.projection_tol;
    options.interrupt = s->settings.interrupt_now;
    const mech_status status = mech_assemble(s->assembly, &options);
    memcpy(s->y, mech_assembly_q(s->assembly), (2 * s->n + s->nz) * sizeof *s->y);
    if (status == MECH_ERR_INTERRUPTED) return sim_asked_to_stop(s);
    if (status == MECH_ERR_CONFLICT || status == MECH_ERR_NO_START || status == MECH_ERR_NOT_FINITE)
        return sim_fail(s, status, "%s", mech_assembly_error_text(s->assembly));
    return sim_remember(s, status);
}

mech_fundamental_settings sim_solver_settings(const mech_sim *s)
{
    mech_fundamental_settings settings;
    mech_fundamental_settings_default(&settings, sizeof settings);
    /* not resolved yet */
    const int way = s->settings.stabilize == -1 ? (int)mech_system_stabilize(s->system) : s->settings.stabilize;
    if (way != MECH_STABILIZE_PROJECT) settings.rank_tol = TOL_RANK_OFF;
    if (s->settings.rank_tol > 0) settings.rank_tol = s->settings.rank_tol;
    return settings;
}

mech_status sim_diagnose_rows(mech_sim *s, const unsigned char *mask, const double *b, double rank_tol)
{
    const mech_fundamental_input equation = {.size = sizeof equation,
                                             .M = s->sparse.M_full,
                                             .Q = s->memory.zero,
                                             .A = s->sparse.A_full,
                                             .b = b ? b : s->memory.zero,
                                             .active = mask,
                                             .rank_tol = rank_tol,
                                             .allows_indefinite = mech_system_allows_negative_mass(s->system)};
    const mech_diagnosis_input input = {
        .size = sizeof input, .equation = &equation, .conflict_abs = b ? TOL_CONFLICT : 0};
    return mech_diagnosis_run(s->unique.of_system, &input);
}
