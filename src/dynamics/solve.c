/* The solve: laws by what they look at, control, and friction as its modes stand. */
#include "dynamics/dynamics.h"

#include "base/try.h"
#include "fundamental/room.h"
#include "system/laws.h"
#include "system/owner.h"

#include <string.h>

static mech_status evaluate(dynamics *d, const double *ideal, const double *total)
{
    const mech_status status = mech_eval_reaction(d->eval, ideal, total);
    d->failed_in_eval = status != MECH_OK;
    return status;
}

mech_status dynamics_show(dynamics *d, const double *lambda, const double *total)
{
    mech_status status = mech_eval_reaction(d->eval, lambda, total);
    if (eval_reads_forces(d->eval)) {
        for (size_t k = 0; k < d->sizes.frictions; k++)
            dynamics_friction_along(d, k, total, d->shown + d->friction[k].law.first);
        eval_take_forces(d->eval, d->actuators ? d->u : d->Qc, d->nf ? d->shown : NULL);
    }
    const mech_status then = mech_eval_acceleration(d->eval, d->qdd);
    return status != MECH_OK ? status : then;
}

void dynamics_show_outputs(dynamics *d, const double *lambda, const double *total)
{
    MECH_IGNORE(dynamics_show(d, lambda, total));
    MECH_IGNORE(mech_eval_output(d->eval));
}

mech_status dynamics_law(dynamics *d, const double *ideal, const double *total, double *C, double *dC)
{
    memset(C, 0, d->n * sizeof *C);
    if (d->has_laws) {
        MECH_TRY(evaluate(d, ideal, total));
        laws_add(d->system, MECH_LAW_C, d->eq, C);
        if (dC) laws_add_slopes(d->system, d->eq, dC);
        if (d->laws_use_root) MECH_TRY(dynamics_root_laws(d, C, dC));
    }
    dynamics_friction_law(d, total, C, dC);
    return MECH_OK;
}

/* The solver's callback: under control the ideal multipliers stand behind the total ones. */
static mech_status reaction_law(void *user, const double *lambda, double *C, double *dC)
{
    dynamics *d = user;
    if (dC && d->has_control) laws_lack_slopes(d->system, d->eq, dC + d->n * d->rows);
    return dynamics_law(d, d->has_control ? lambda + d->rows : NULL, lambda, C, dC);
}

static void add_control(dynamics *d, mech_fundamental_input *in)
{
    in->servo = d->servo;
    in->weight = d->weight;
    if (d->actuators) {
        memset(d->G, 0, d->n * d->actuators * sizeof(double));
        for (size_t k = 0; k < d->pattern_G.count; k++)
            d->G[d->pattern_G.row[k] + d->pattern_G.column[k] * d->n] = d->eq->G[k];
        in->actuators = (int)d->actuators;
        in->G = d->G;
    }
    if (in->weight == MECH_WEIGHT_GIVEN) in->W = d->W ? d->W : d->eq->W;
}

mech_fundamental_input dynamics_question(const dynamics *d, const double *Q, const double *b,
                                         const unsigned char *active)
{
    return (mech_fundamental_input){.size = sizeof(mech_fundamental_input),
                                    .M = d->M_used,
                                    .Q = Q,
                                    .A = d->A_used,
                                    .b = b,
                                    .active = active,
                                    .allows_indefinite = mech_system_allows_negative_mass(d->system)};
}

mech_fundamental_input dynamics_equation(const dynamics *d, const double *Q, const unsigned char *active)
{
    mech_fundamental_input in = dynamics_question(d, Q, d->b, active);
    in.rank_tol = d->rank_tol;
    return in;
}

/* The force that goes with M + alpha A'A, and control. */
static void complete(dynamics *d, mech_fundamental_input *in)
{
    if (d->has_singular_mass && !d->is_sparse) {
        memcpy(d->Q_used, d->eq->Q, d->n * sizeof(double));
        for (size_t i = 0; i < d->m; i++)
            for (size_t j = 0; j < d->n && d->active[i] && !d->servo[i]; j++)
                d->Q_used[j] += d->alpha * d->A_used[i + j * d->rows] * d->b[i];
        in->Q = d->Q_used;
    }
    if (d->has_control) add_control(d, in);
}

/* Laws that look at multipliers, and friction that slides. */
static mech_status solve_reactions(dynamics *d, const mech_fundamental_input *in)
{
    if (d->has_laws && !d->has_control) { /* under control the ideal multipliers come with the total ones */
        MECH_TRY(mech_fundamental_ideal(d->solver, in, &d->out));
        MECH_TRY(evaluate(d, d->lambda, d->lambda));
    }
    if (!d->laws_move_reaction && !dynamics_slides(d)) {
        MECH_TRY(dynamics_law(d, d->lambda, d->lambda, d->C, NULL));
        return mech_fundamental_nonideal(d->solver, d->C, &d->out);
    }
    return fundamental_solve_law(d->solver, in, reaction_law, d->modes ? dynamics_accepts : NULL, d, &d->out);
}

mech_status dynamics_solve(dynamics *d, int is_same)
{
    mech_fundamental_input in = dynamics_equation(d, d->eq->Q, d->active);
    complete(d, &in);
    in.is_same = is_same;
    d->failed_in_eval = 0;
    if (d->laws_use_reaction || dynamics_slides(d)) return solve_reactions(d, &in);
    if (!d->has_laws) return mech_fundamental_solve(d->solver, &in, &d->out);
    MECH_TRY(dynamics_law(d, NULL, NULL, d->C, NULL));
    in.C = d->C;
    return mech_fundamental_solve(d->solver, &in, &d->out);
}
