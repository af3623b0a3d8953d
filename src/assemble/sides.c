/* A start beyond a one-sided constraint: what is only guessed moves onto it. Its velocities are as given: what goes in
   there is an impact, not a start that does not meet. */
#include "assemble/assembly.h"

#include "base/try.h"
#include "dynamics/sides.h"
#include "system/owner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The one that the state is beyond by most; SIZE_MAX: none. */
static size_t find_beyond(mech_assembly *a, double *by)
{
    size_t found = SIZE_MAX;
    *by = 0;
    for (size_t c = 0; c < a->sizes.constraints; c++) {
        if (side_at(a->system, a->eq, c, 0, a->given.atol) != MECH_SIDE_BEYOND) continue;
        if (fabs(side_excess(a->system, a->eq, c)) < *by) continue;
        *by = fabs(side_excess(a->system, a->eq, c));
        found = c;
    }
    return found;
}

static mech_status refuse(mech_assembly *a, size_t constraint, double by)
{
    snprintf(a->error, sizeof a->error,
             "the start is beyond %s by %.6g%s, and what is fixed leaves no way onto it: begin elsewhere, or write "
             "`guess` where `initial` need not hold",
             mech_system_name(a->system, MECH_ITEM_CONSTRAINT, constraint), by,
             side_has_gap(a->system, constraint) ? "" : " in velocities");
    return MECH_ERR_NO_START;
}

static void take_out_of_force(mech_assembly *a)
{
    for (size_t c = 0; c < a->sizes.constraints; c++)
        if (mech_system_side(a->system, c)) eval_put_in_force(a->eval, c, 0);
}

mech_status assembly_onto_sides(mech_assembly *a, mech_status (*assemble)(mech_assembly *a))
{
    mech_status status = MECH_OK;
    double by;
    take_out_of_force(a);
    MECH_TRY(assemble(a));
    for (size_t turn = 0; turn < a->sizes.contacts && a->given.start != MECH_START_AS_GIVEN; turn++) {
        /* where y stands, whatever was looked at last */
        if (assembly_set_point(a) != MECH_OK) break;
        const size_t worst = find_beyond(a, &by);
        if (worst == SIZE_MAX) break;
        eval_put_in_force(a->eval, worst, 1);
        memcpy(a->y, a->y_given, (2 * a->n + a->nz) * sizeof *a->y);
        status = assemble(a);
        if (status == MECH_ERR_NO_START || status == MECH_ERR_CONFLICT) status = refuse(a, worst, by);
        if (status != MECH_OK) break;
    }
    take_out_of_force(a);
    return status;
}
