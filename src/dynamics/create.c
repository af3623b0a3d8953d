/* What the equation at a state needs, sized by its system. */
#include "dynamics/dynamics.h"

#include "base/try.h"

static void measure(dynamics *d, const mech_system *system, const mech_sizes *sizes, size_t more)
{
    *d = (dynamics){.system = system, .sizes = *sizes, .weight = mech_system_weight(system)};
    d->n = d->sizes.coords;
    d->m = d->sizes.rows;
    d->nf = d->sizes.friction_rows;
    d->rows = d->m + d->nf + more;
    d->has_control = sizes->rows > sizes->natural_rows;
    d->has_laws = d->sizes.laws > 0;
    for (size_t k = 0; k < d->sizes.laws; k++) {
        const mech_law law = mech_system_law(system, k);
        d->laws_use_reaction |= law.uses_reaction;
        d->laws_move_reaction |= law.uses_reaction && (!law.uses_ideal_only || d->has_control);
        d->laws_use_root |= law.kind == MECH_LAW_Z;
    }
    d->actuators = d->sizes.actuators;
    /* M^-1 is over coordinates */
    if (d->actuators && d->weight == MECH_WEIGHT_NATURE) d->weight = MECH_WEIGHT_IDENTITY;
    d->pattern_M = mech_system_pattern(system, MECH_MATRIX_M);
    d->pattern_A = mech_system_pattern(system, MECH_MATRIX_A);
    d->pattern_C = mech_system_pattern(system, MECH_MATRIX_C);
    d->pattern_G = mech_system_pattern(system, MECH_MATRIX_G);
    d->pattern_slip = mech_system_pattern(system, MECH_MATRIX_SLIP);
}

static mech_status allocate(dynamics *d, arena *memory)
{
    const size_t n = d->n, rows = d->rows, actuators = d->sizes.actuators,
                 laws = d->sizes.laws + d->sizes.frictions > 0;
    return ARENA_MAKE(memory, ARRAY_OF(d->S, d->nf * n), ARRAY_OF(d->A, rows > d->m ? rows * n : 0),
                      ARRAY_OF(d->Q_used, n), ARRAY_OF(d->C, n), ARRAY_OF(d->qdd, n), ARRAY_OF(d->Qi, n),
                      ARRAY_OF(d->Qni, n), ARRAY_OF(d->Qc, n), ARRAY_OF(d->b, rows), ARRAY_OF(d->lambda, rows),
                      ARRAY_OF(d->total, rows), ARRAY_OF(d->G, n * actuators),
                      ARRAY_OF(d->u, actuators > n ? actuators : n), ARRAY_OF(d->shown, d->nf),
                      ARRAY_OF(d->push, d->nf ? 2 * n + rows : 0), ARRAY_OF(d->root.vectors, laws * n * n),
                      ARRAY_OF(d->root.matrix, laws * n * n), ARRAY_OF(d->root.d, laws * n),
                      ARRAY_OF(d->root.z, laws * n), ARRAY_OF(d->root.C, laws * n), ARRAY_OF(d->active, rows),
                      ARRAY_OF(d->servo, rows), ARRAY_OF(d->friction, d->sizes.frictions), ARRAY_OF(d->touched, n));
}

static mech_status create(dynamics *d, const mech_system *system, const mech_sizes *sizes, size_t more, arena *memory)
{
    measure(d, system, sizes, more);
    MECH_TRY(allocate(d, memory));
    for (size_t k = 0; k < d->sizes.frictions; k++)
        MECH_TRY(dynamics_create_friction(system, k, memory, &d->friction[k].law));
    d->out = (mech_fundamental_output){
        .size = sizeof d->out, .qdd = d->qdd, .Qi = d->Qi, .Qni = d->Qni, .lambda = d->lambda, .reaction = d->total};
    if (d->has_control) d->out.Qc = d->Qc, d->out.u = d->u;
    return MECH_OK;
}

mech_status dynamics_create_constraints(dynamics *d, const mech_system *system, arena *memory)
{
    mech_sizes sizes = mech_system_sizes(system);
    sizes.laws = sizes.frictions = sizes.friction_rows = sizes.actuators = sizes.contacts = 0;
    return create(d, system, &sizes, 0, memory);
}

mech_status dynamics_create(dynamics *d, const mech_system *system, size_t more, arena *memory)
{
    const mech_sizes sizes = mech_system_sizes(system);
    return create(d, system, &sizes, more, memory);
}

mech_status dynamics_make_solver(dynamics *d)
{
    mech_fundamental_settings settings;
    mech_fundamental_settings_default(&settings, sizeof settings);
    settings.actuators = (int)(d->sizes.actuators > d->n ? d->sizes.actuators : d->n);
    return mech_fundamental_create((int)d->n, (int)d->rows, &settings, &d->solver);
}

mech_status dynamics_make_eval(dynamics *d)
{
    mech_eval *eval;
    MECH_TRY(mech_eval_create(d->system, MECH_STORAGE_DENSE, &eval));
    dynamics_use(d, eval);
    return MECH_OK;
}

void dynamics_use(dynamics *d, mech_eval *eval)
{
    d->eval = eval;
    d->eq = mech_eval_equation(eval);
}
