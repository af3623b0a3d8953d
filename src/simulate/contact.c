/* Contact within rounding: what rounding hides of a trigger, of a gap, and of a bounce. */
#include "simulate/sim.h"
#include "dynamics/sides.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Between 1/2 and 1, of either sign; the same in each run. */
static double weight(size_t *seed)
{
    *seed = (*seed * 1103515245u + 12345u) & 0x7fffffffu;
    const double x = (double)(*seed >> 8) / (double)(1u << 22);
    return x < 1 ? 0.5 + x / 2 : -(x / 2);
}

/* It cannot be read off a value that is all rounding, such as y - 3*0.1 at y = 0.3. So the state is probed by a
   multiple of what is unknown of it; probed several times, as the shares of coordinates may cancel once. */
void sim_probe_triggers(mech_sim *s, const double *values, int by_tolerance, double *answer)
{
    enum { TIMES = 4 };
    const double much = by_tolerance ? 10 : 1e5; /* above the rounding of the values */
    SIM_SCRATCH(s);
    double *probed = s->events.tried, *y = sim_take_state(s);
    const double time_part = TOL_SUM * fabs(s->t) + TOL_PROBE_TIME * sim_span(s);
    size_t seed = 1;
    memset(answer, 0, s->sizes.events * sizeof *answer);
    for (int i = 0; i < TIMES; i++) {
        for (size_t j = 0; j + 1 < s->ny; j++)
            y[j] = s->y[j] + much * weight(&seed) *
                                 (by_tolerance ? s->settings.atol + s->settings.rtol * fabs(s->y[j])
                                               : sim_unknown_part(s, j, s->y[j]));
        y[s->ny - 1] = s->y[s->ny - 1];
        if (sim_watch_values(s, s->t + much * weight(&seed) * time_part, y, probed) != 0) continue;
        for (size_t k = 0; k < s->sizes.events; k++) {
            const double change = fabs(probed[k] - values[k]) / (by_tolerance ? 1 : much);
            if (change > answer[k]) answer[k] = change; /* nor when it is not finite */
        }
    }
    s->log.failure = MECH_OK;                      /* what was tried is no failure of the run */
    (void)sim_watch_values(s, s->t, s->y, probed); /* the last evaluation is of the state again */
}

/* A row by pattern as positions see it: the gradient of r, or where there is none that of its rate. */
static const double *gradient_of(const mech_sim *s, size_t row)
{
    return mech_system_row(s->system, row).level == MECH_LEVEL_HOLONOMIC ? s->eq->gradient : s->eq->A;
}

/* Sum of A_ij x_j over one row, and what is unknown of its r by the positions in it. */
static double row_times(const mech_sim *s, size_t row, const double *x, double *unknown)
{
    double sum = 0;
    *unknown = 0;
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++) {
        if (s->dyn.pattern_A.row[k] != row) continue;
        sum += s->eq->A[k] * x[s->dyn.pattern_A.column[k]];
        *unknown += fabs(gradient_of(s, row)[k]) *
                    sim_unknown_part(s, s->dyn.pattern_A.column[k], s->eq->q[s->dyn.pattern_A.column[k]]);
    }
    return sum;
}

int sim_has_contact(const mech_sim *s, sim_contact_state state)
{
    for (size_t c = 0; c < s->sizes.constraints; c++)
        if (s->contacts.list[c].state == state) return 1;
    return 0;
}

int sim_is_in_force(const mech_sim *s, size_t constraint)
{
    return s->eq->active[mech_system_constraint_rows(s->system, constraint, NULL)];
}

static int is_on_velocities(const mech_sim *s, size_t constraint)
{
    return mech_system_side(s->system, constraint) && !side_has_gap(s->system, constraint);
}

double sim_small_speed(const mech_sim *s, size_t constraint)
{
    if (is_on_velocities(s, constraint)) return 10 * s->settings.atol; /* nothing bounces */
    if (s->settings.impact_speed > 0) return s->settings.impact_speed;
    return fmax(TOL_SMALL_SPEED * s->contacts.list[constraint].fastest, 10 * s->settings.atol);
}

mech_side sim_side_at(const mech_sim *s, size_t constraint)
{
    return side_at(s->system, s->eq, constraint, sim_small_speed(s, constraint), s->settings.atol);
}

int sim_is_joined(const mech_sim *s, size_t constraint)
{
    return s->contacts.list[constraint].is_struck && is_on_velocities(s, constraint) &&
           sim_side_at(s, constraint) == MECH_SIDE_OPEN;
}

double sim_approach(const mech_sim *s, size_t constraint)
{
    size_t count;
    const size_t first = mech_system_constraint_rows(s->system, constraint, &count);
    double speed = 0;
    for (size_t i = first; i < first + count; i++) speed = hypot(speed, s->eq->r_dot[i]);
    return speed;
}

size_t sim_normal_row(const mech_sim *s, size_t constraint)
{
    return mech_system_constraint_rows(s->system, constraint, NULL) + s->contacts.list[constraint].normal;
}

/* What a trigger changes by between there and back along the gradient of one row; `first`: of positions, 0, or of
   velocities, s->n. */
static double change_along_row(mech_sim *s, size_t event, size_t row, double step, size_t first)
{
    SIM_SCRATCH(s);
    double *y = sim_take_state(s), *values = s->events.tried, change = 0, size = 0;
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++)
        if (s->dyn.pattern_A.row[k] == row) size = fmax(size, fabs(gradient_of(s, row)[k]));
    for (int way = 1; way >= -1 && size > 0; way -= 2) {
        memcpy(y, s->y, s->ny * sizeof(double));
        for (size_t k = 0; k < s->dyn.pattern_A.count; k++)
            if (s->dyn.pattern_A.row[k] == row)
                y[first + s->dyn.pattern_A.column[k]] += way * step * gradient_of(s, row)[k] / size;
        const int result = sim_watch_values(s, s->t, y, values);
        change += way * values[event];
        s->log.failure = MECH_OK;
        if (sim_watch_values(s, s->t, s->y, values) != 0 || result != 0) return 0; /* A at the state again */
    }
    return isfinite(change) ? change : 0;
}

/* So far along it. */
static double push_step(const mech_sim *s)
{
    double step = fmax(1e3 * s->settings.atol, TOL_PUSH_REACH * sim_reach_most(s));
    for (size_t j = 0; j < s->n; j++) step = fmax(step, TOL_PUSH_STEP * fabs(s->y[j]));
    return step;
}

int sim_moves_trigger(mech_sim *s, size_t event, size_t constraint)
{
    size_t count;
    const size_t first = mech_system_constraint_rows(s->system, constraint, &count);
    const double step = push_step(s);
    int some = 0;
    for (size_t i = first; i < first + count && !some; i++)
        some = change_along_row(s, event, i, step, 0) != 0 || change_along_row(s, event, i, step, s->n) != 0;
    return some;
}

int sim_find_push(mech_sim *s, size_t event, size_t constraint, int side)
{
    sim_contact *contact = &s->contacts.list[constraint];
    size_t count;
    const size_t first = mech_system_constraint_rows(s->system, constraint, &count);
    const double step = push_step(s);
    double most = 0;
    for (size_t i = 0; i < count && side; i++) {
        const double change = change_along_row(s, event, first + i, step, 0);
        if (!(fabs(change) > (1 + TOL_PUSH_CLEAR) * most)) continue;
        most = fabs(change);
        contact->normal = i;
        contact->push = change > 0 ? side : -side;
    }
    return most > 0;
}

/* A row's residual speeds up by this. */
static double row_acceleration(const mech_sim *s, size_t row, double *size)
{
    double sum = -s->eq->b[row];
    *size = fabs(sum);
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++) {
        if (s->dyn.pattern_A.row[k] != row) continue;
        const double part = s->eq->A[k] * s->dyn.qdd[s->dyn.pattern_A.column[k]];
        sum += part;
        *size += fabs(part);
    }
    return sum;
}

int sim_separates(const mech_sim *s, size_t constraint)
{
    const size_t row = sim_normal_row(s, constraint);
    double size;
    if (s->eq->active[row] || s->contacts.list[constraint].push == 0 ||
        fabs(s->eq->r_dot[row]) > sim_small_speed(s, constraint))
        return 0;
    return s->contacts.list[constraint].push * row_acceleration(s, row, &size) >= -TOL_SEPARATES * size;
}

double sim_gap_beyond(const mech_sim *s, size_t constraint)
{
    const mech_sim_settings *o = &s->settings;
    const double way =
        TOL_GAP_WAY * fmax(sim_approach(s, constraint), s->contacts.list[constraint].fastest) * sim_span(s);
    size_t count;
    const size_t first = mech_system_constraint_rows(s->system, constraint, &count);
    double worst = 0;
    for (size_t i = first; i < first + count; i++) {
        double size = 0, weight = 0;
        for (size_t k = 0; k < s->dyn.pattern_A.count; k++) {
            if (s->dyn.pattern_A.row[k] != i) continue;
            size += fabs(s->eq->gradient[k] * s->eq->q[s->dyn.pattern_A.column[k]]);
            weight += fabs(s->eq->gradient[k]);
        }
        const double most = way + TOL_GAP_SIZE * size + 1e3 * (o->atol * weight + o->rtol * size);
        const double off = s->eq->r[i];
        if (mech_system_row(s->system, i).level == MECH_LEVEL_HOLONOMIC && fabs(off) > most && fabs(off) > fabs(worst))
            worst = off;
    }
    return worst;
}

/* What drives it back onto the contact, along its approach; and what is known of its gap. */
static double driven_by(const mech_sim *s, size_t constraint, double *known)
{
    size_t count;
    const size_t first = mech_system_constraint_rows(s->system, constraint, &count);
    const double speed = sim_approach(s, constraint);
    double gap = 0, along = 0, acceleration = 0;
    for (size_t i = first; i < first + count; i++) {
        double unknown;
        const double rate = s->eq->r_dot[i], change = row_times(s, i, s->dyn.qdd, &unknown) - s->eq->b[i];
        const double by_clock = rate - row_times(s, i, s->eq->v, &unknown);
        gap = hypot(gap, unknown + TOL_SUM * fabs(s->t * by_clock));
        acceleration = hypot(acceleration, change);
        along += change * rate;
    }
    *known = gap;
    return speed > 0 ? along / speed : acceleration;
}

double sim_rest_speed(const mech_sim *s, size_t constraint)
{
    const double clock = 8 * fmax(s->settings.event_tol * sim_span(s), 4 * DBL_EPSILON * fabs(s->t));
    double gap;
    const double acceleration = driven_by(s, constraint, &gap);
    if (!(acceleration > 0)) return 0; /* nothing brings it back */
    return fmax(4 * sqrt(2 * acceleration * gap), clock * acceleration);
}

double sim_sinking_speed(const mech_sim *s, size_t constraint)
{
    double gap, floor = 0;
    const double acceleration = driven_by(s, constraint, &gap);
    for (size_t i = 0; i < s->sizes.contacts; i++)
        if (s->contacts.press.constraint[i] == constraint) floor = s->events.watch[sim_own_event(s, i)].floor;
    return acceleration > 0 ? 4 * sqrt(2 * acceleration * floor) : 0;
}

double sim_bounces_left(const mech_sim *s, size_t constraint)
{
    double gap;
    const double acceleration = driven_by(s, constraint, &gap), e = s->contacts.list[constraint].restitution;
    if (!(acceleration > 0) || !(e < 1)) return 0;
    return 2 * e / (1 - e) * sim_approach(s, constraint) / acceleration;
}

mech_status sim_contact_create(mech_sim *s)
{
    const size_t k = s->sizes.constraints;
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(s->contacts.list, k)));
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->contacts.touch.list, k), ARRAY_OF(s->contacts.touch.was_on, k),
                        ARRAY_OF(s->contacts.touch.leaves, k), ARRAY_OF(s->contacts.touch.stays, k)));
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        s->contacts.list[c].push = mech_system_side(s->system, c);
        s->contacts.list[c].idle_at = s->contacts.list[c].pressed_at = -HUGE_VAL;
    }
    return MECH_OK;
}

int sim_says_driven(const mech_sim *s, char *text, size_t size)
{
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        if (!(s->contacts.list[c].driven > 0)) continue;
        snprintf(text, size, "impacts on %s add energy: their coefficient of restitution is %g",
                 mech_system_name(s->system, MECH_ITEM_CONSTRAINT, c), s->contacts.list[c].driven);
        return 1;
    }
    return 0;
}
