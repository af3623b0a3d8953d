/* The solve with laws that look at the reactions: reaction.h, and control beside it. */
#include "fundamental/reaction.h"
#include "fundamental/room.h"

#include "base/try.h"

#include <string.h>

/* The motion under Q and the law f->C (given: there is one), with the least control where there are servo rows;
   whether it reaches them is asked where `must_reach`. */
static mech_status move(mech_fundamental *f, const mech_fundamental_input *in, int given, int must_reach)
{
    memcpy(f->force, in->Q, (size_t)f->n * sizeof *f->force);
    memset(f->Qc, 0, (size_t)f->n * sizeof *f->Qc);
    fundamental_ideal(f, in);
    fundamental_nonideal(f, in->M, given);
    if (!in->servo) return MECH_OK;
    if (must_reach) MECH_TRY(fundamental_control(f, in));
    else {
        MECH_TRY(fundamental_control_prepare(f, in));
        fundamental_control_aim(f, in, f->qdd, in->b);
        for (int i = 0; i < f->n; i++) f->force[i] += f->Qc[i];
    }
    fundamental_ideal(f, in);
    fundamental_nonideal(f, in->M, given);
    return MECH_OK;
}

typedef struct law_call { /* what the search calls back */
    mech_reaction_law law;
    fundamental_accepts accepts;
    void *user;
} law_call;

static int call_law(void *user, const double *lambda, double *C, double *dC)
{
    const law_call *call = user;
    return (int)call->law(call->user, lambda, C, dC);
}

static int call_accepts(void *user, const double *qdd, const double *total)
{
    const law_call *call = user;
    return call->accepts(call->user, qdd, total);
}

/* The rows whose reaction the law reads are to blame. */
static mech_status status_of(mech_fundamental *f, const small_reaction *r, int found)
{
    if (found != SMALL_REACTION_NONE && found != SMALL_REACTION_SEVERAL)
        return found == SMALL_REACTION_ROOM ? MECH_ERR_UNSUPPORTED : (mech_status)found;
    f->culprits = r->count;
    for (int i = 0; i < r->count; i++) f->culprit[i] %= f->m;
    return found == SMALL_REACTION_NONE ? MECH_ERR_NO_REACTION : MECH_ERR_MANY_REACTIONS;
}

mech_status fundamental_solve_law(mech_fundamental *f, const mech_fundamental_input *in, mech_reaction_law law,
                                  fundamental_accepts accepts, void *user, mech_fundamental_output *out)
{
    int given = 0;
    MECH_TRY(fundamental_check(f, in));
    if (f->sparse) return MECH_ERR_UNSUPPORTED;
    if (!law || !out || out->size != sizeof *out) return MECH_ERR_ARGUMENT;
    MECH_TRY(fundamental_factor(f, in));
    MECH_TRY(fundamental_law(f, in, &given));
    f->M = in->M;
    MECH_TRY(move(f, in, given, 0));
    law_call call = {law, accepts, user};
    small_control control = fundamental_control_of(f, in);
    small_reaction r = {.natural = &f->natural,
                        .M = f->M,
                        .m = f->m,
                        .control = in->servo ? &control : NULL,
                        .law = call_law,
                        .no_value = MECH_ERR_NOT_FINITE,
                        .accepts = accepts ? call_accepts : NULL,
                        .user = &call,
                        .room = f->scratch,
                        .which = f->culprit,
                        .read = f->mask_read};
    const int found = small_reaction_find(&r, f->qdd, f->total, f->lambda);
    if (found != SMALL_REACTION_FOUND) return status_of(f, &r, found);
    for (int i = 0; i < f->n; i++) f->C[i] = r.C[i] + (given ? f->C[i] : 0);
    if (given || in->servo) MECH_TRY(move(f, in, 1, 1));
    else fundamental_nonideal(f, in->M, 1); /* the ideal motion still stands */
    return fundamental_deliver(f, in, out);
}

mech_status mech_fundamental_solve_law(mech_fundamental *f, const mech_fundamental_input *in, mech_reaction_law law,
                                       void *user, mech_fundamental_output *out)
{
    return fundamental_solve_law(f, in, law, NULL, user, out);
}
