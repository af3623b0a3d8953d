/* Events that stand at their thresholds at the point: beside it they act, however near, and the matrix tells nothing of
   that. */
#include "analyze/linear.h"

#include "base/tolerances.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

typedef struct sight {
    double *here, *reach;   /* (events) trigger at the point; how far it goes beside it                   */
    unsigned char *is_open; /* (events) its condition holds at the point, or somewhere beside it          */
    size_t events;          /* those of the model: touching one-sided constraints are refused before this */
} sight;

/* Nothing answers to state z[index]: a count, or a note of what was. */
static int is_idle(const mech_system *system, size_t index)
{
    static const mech_matrix LOOKS[] = {MECH_MATRIX_D_MOTION, MECH_MATRIX_D_ROW,      MECH_MATRIX_D_RATE,
                                        MECH_MATRIX_D_R,      MECH_MATRIX_D_R_DOT,    MECH_MATRIX_D_C,
                                        MECH_MATRIX_D_SLIP,   MECH_MATRIX_D_SLIP_ROW, MECH_MATRIX_D_MU,
                                        MECH_MATRIX_D_G,      MECH_MATRIX_D_W};
    const size_t column = mech_system_columns(system).z + index;
    for (size_t k = 0; k < sizeof LOOKS / sizeof *LOOKS; k++) {
        const mech_pattern p = mech_system_pattern(system, LOOKS[k]);
        for (size_t i = 0; i < p.count; i++)
            if (p.column[i] == column) return 0;
    }
    return 1;
}

static int changes_motion(const mech_system *system, size_t event)
{
    const mech_event_info info = mech_system_event(system, event);
    for (size_t i = 0; i < info.action_count; i++) {
        const mech_action_info action = mech_system_action(system, info.first_action + i);
        if (action.kind == MECH_ACTION_STOP || action.kind == MECH_ACTION_RECORD) continue;
        if (action.kind != MECH_ACTION_SET || action.variable != MECH_VARIABLE_Z || !is_idle(system, action.index))
            return 1;
    }
    return 0;
}

/* Of the size of the state, along the constraints and without pattern. */
static void step_aside(mech_linear *l, size_t number)
{
    const size_t N = l->N;
    memcpy(l->moved, l->q, N * sizeof *l->moved);
    for (size_t j = 0; j < (size_t)l->result.freedom; j++) {
        const double part = fmod(0.6180339887498949 * (double)((j + 1) * (number + 1)), 1) + 0.2;
        const int flips = (((j + 1) >> (number % 4)) + number / 4) % 2 != 0;
        for (size_t i = 0; i < N; i++)
            l->moved[i] += TOL_KINK_NEAR * (flips ? -part : part) * l->own_basis[i + j * N] * l->t.one[i];
    }
}

static mech_status look_beside(mech_linear *l, sight *s)
{
    enum { LOOKS = 16 };
    const mech_equation *e = l->t.e;
    memcpy(s->here, e->trigger, s->events * sizeof *s->here);
    for (size_t k = 0; k < s->events; k++) s->is_open[k] = e->condition[k] != 0;
    for (size_t number = 0; number < LOOKS; number++) {
        step_aside(l, number);
        mech_status status = tangent_stand(&l->t, l->o.t, l->moved);
        if (status == MECH_OK) status = tangent_solve(&l->t, l->B, l->K);
        if (status == MECH_ERR_MEMORY) return status;
        for (size_t k = 0; k < s->events && status == MECH_OK; k++) {
            s->reach[k] = fmax(s->reach[k], fabs(e->trigger[k] - s->here[k]));
            s->is_open[k] |= e->condition[k] != 0;
        }
    }
    return MECH_OK;
}

mech_status threshold_look(mech_linear *l)
{
    const mech_system *system = l->t.system;
    arena *memory = &l->t.memory;
    sight s = {.events = l->t.sizes.events - l->t.sizes.contacts};
    if (s.events == 0 || l->result.freedom == 0) return MECH_OK;
    s.here = arena_zeroed(memory, s.events, sizeof *s.here);
    s.reach = arena_zeroed(memory, s.events, sizeof *s.reach);
    s.is_open = arena_zeroed(memory, s.events, 1);
    const char **names = arena_zeroed(memory, s.events, sizeof *names);
    MECH_TRY(arena_status(memory));
    MECH_TRY(look_beside(l, &s));
    /* within a step aside of the threshold, which state can pass: time alone does not */
    for (size_t k = 0; k < s.events; k++)
        if (s.reach[k] > 0 && fabs(s.here[k]) <= s.reach[k] && s.is_open[k] && changes_motion(system, k))
            names[l->result.event_count++] = mech_system_name(system, MECH_ITEM_EVENT, k);
    l->result.events = names;
    MECH_TRY(linear_at(l, l->o.t, l->q));
    point_mark_undefined(l);
    return MECH_OK;
}
