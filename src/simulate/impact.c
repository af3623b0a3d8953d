/* Impulses along the normals: M dv = A' p + impulse over the rows in force, A_k v+ = -e A_k v-; with friction: blow.c.
   A contact only pushes: its impulse or what its gap opens by is 0, and neither is negative. Which of the two is found
   by changing sides, the first contact that is on the wrong one at a time; that comes to an end (Murty 1974), and the
   velocities after it are unique. */
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

int sim_is_unilateral(const mech_sim *s, size_t constraint)
{
    const sim_contact *contact = &s->contacts.list[constraint];
    return contact->is_struck || (contact->state == CONTACT_CLOSED && s->eq->active[sim_normal_row(s, constraint)]);
}

/* One impact, on scratch. */
typedef struct blow {
    unsigned char *mask; /* (rows) those in force and those struck, but what is free of load */
    double *wanted;      /* (rows) what their velocities are to change by */
    double *change;      /* (n) of the velocities */
    double *pushed;      /* (n) what single impulses would change them by, about: the scale of their rounding */
} blow;

static void set_up(mech_sim *s, const blow *x)
{
    memcpy(x->mask, s->onto.velocity, s->m);
    memset(x->mask + s->m, 0, s->dyn.nf);
    for (size_t i = 0; i < s->rows; i++) x->wanted[i] = i < s->m && s->onto.velocity[i] ? -s->eq->r_dot[i] : 0;
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        sim_contact *contact = &s->contacts.list[c];
        size_t count;
        const size_t first = mech_system_constraint_rows(s->system, c, &count);
        contact->share = sim_is_joined(s, c) ? SHARE_FREE : SHARE_LOADED;
        if (!contact->is_struck) continue;
        for (size_t i = first; i < first + count; i++) {
            x->mask[i] = contact->share == SHARE_LOADED;
            x->wanted[i] = -(1 + contact->restitution) * s->eq->r_dot[i];
        }
    }
}

/* Change of a row's velocity by the impulses; *size: what rounding is to be compared with. */
static double change_of(const mech_sim *s, const blow *x, size_t row, double *size)
{
    double change = 0;
    *size = 0;
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++) {
        if (s->dyn.pattern_A.row[k] != row) continue;
        const size_t j = s->dyn.pattern_A.column[k];
        change += s->eq->A[k] * x->change[j];
        *size += fabs(s->eq->A[k]) * (fabs(x->change[j]) + fabs(s->eq->v[j]) + x->pushed[j]);
    }
    return change;
}

static void find_pushed(const mech_sim *s, const blow *x)
{
    memset(x->pushed, 0, s->n * sizeof *x->pushed);
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++)
        if (x->mask[s->dyn.pattern_A.row[k]])
            x->pushed[s->dyn.pattern_A.column[k]] += fabs(s->eq->A[k] * s->dyn.lambda[s->dyn.pattern_A.row[k]]);
    for (size_t k = 0; k < s->dyn.pattern_M.count; k++)
        if (s->dyn.pattern_M.row[k] == s->dyn.pattern_M.column[k] && s->eq->M[k] > 0)
            x->pushed[s->dyn.pattern_M.row[k]] /= s->eq->M[k];
}

/* The first contact that pulls, or goes deeper than it should, changes sides. 0: none does. */
static int change_side(mech_sim *s, const blow *x)
{
    double most = 0;
    find_pushed(s, x);
    for (size_t i = 0; i < s->m; i++) most = fmax(most, x->mask[i] ? fabs(s->dyn.lambda[i]) : 0);
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        sim_contact *contact = &s->contacts.list[c];
        const size_t row = sim_normal_row(s, c);
        double size;
        if (!sim_is_unilateral(s, c)) continue;
        const double beyond = contact->push * (change_of(s, x, row, &size) - x->wanted[row]);
        const int is_loaded = contact->share == SHARE_LOADED,
                  pulls = is_loaded && (contact->push * s->dyn.lambda[row] < -TOL_IMPULSE * most ||
                                        beyond > TOL_IMPULSE_RATE * size);
        const int sinks = !is_loaded && beyond < -TOL_IMPULSE * size;
        if (!pulls && !sinks) continue;
        contact->share = is_loaded ? SHARE_FREE : SHARE_LOADED;
        size_t count;
        const size_t first = mech_system_constraint_rows(s->system, c, &count);
        memset(x->mask + first, !is_loaded, count);
        return 1;
    }
    return 0;
}

/* After it: contacts that were closed and leave, by more than what dies away: a block that rocks from one to the other
   comes to rest on both. */
static void see_opened(mech_sim *s, const blow *x)
{
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        sim_contact *contact = &s->contacts.list[c];
        const size_t row = sim_normal_row(s, c);
        double size;
        if (contact->share == SHARE_LOADED || !sim_is_unilateral(s, c)) continue;
        const double rate = contact->push * (s->eq->r_dot[row] + change_of(s, x, row, &size));
        if (rate > fmax(TOL_IMPULSE_RATE * size, fmax(sim_small_speed(s, c), s->contacts.touch.slow)))
            contact->share = SHARE_OPENS;
    }
    s->contacts.touch.slow = 0;
}

/* Those in x->mask, on the side that they are found to be on. */
static mech_status find_impulses(mech_sim *s, const blow *x, const double *impulse)
{
    enum { MOST = 10000 };
    int sides = 0;
    set_up(s, x);
    const mech_fundamental_input in =
        dynamics_question(&s->dyn, impulse ? impulse : s->memory.zero, x->wanted, x->mask);
    mech_fundamental_output out = {.size = sizeof out, .qdd = x->change, .lambda = s->dyn.lambda};
    do {
        if (++sides > MOST && in.allows_indefinite)
            return sim_blame(
                s, MECH_ERR_INTEGRATION,
                "with negative mass allowed contacts that only push need not stop what strikes them: no impulses of this impact do");
        if (sides > MOST) return sim_blame(s, MECH_ERR_INTEGRATION, "the impulses of an impact could not be found");
        MECH_TRY(sim_poll(s));
        dynamics_metric_over(&s->dyn, x->mask);
        MECH_TRY(sim_remember(s, mech_fundamental_solve(s->dyn.solver, &in, &out)));
    } while (change_side(s, x));
    dynamics_metric_over(&s->dyn, s->dyn.active);
    return MECH_OK;
}

/* Impulses along the normals give back speeds, and could make energy with what joins them: (constraints) that does, out
   of the impact for a while. Without restitution they join. */
static void take_joined_out(mech_sim *s, unsigned char *joined)
{
    int gives_back = 0;
    for (size_t c = 0; c < s->sizes.constraints; c++)
        gives_back |= s->contacts.list[c].is_struck && s->contacts.list[c].restitution > 0;
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        joined[c] = gives_back && sim_is_joined(s, c);
        if (joined[c]) s->contacts.list[c].is_struck = 0;
    }
}

/* Do the impulses bring one of them beyond? Then all take part. */
static int is_one_passed(mech_sim *s, const blow *x, const unsigned char *joined)
{
    int some = 0;
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        const size_t row = sim_normal_row(s, c);
        double size;
        if (!joined[c]) continue;
        const double rate = s->contacts.list[c].push * (s->eq->r_dot[row] + change_of(s, x, row, &size));
        some |= rate < -fmax(TOL_IMPULSE * size, sim_small_speed(s, c));
    }
    for (size_t c = 0; c < s->sizes.constraints && some; c++) s->contacts.list[c].is_struck |= joined[c];
    return some;
}

mech_status sim_impact(mech_sim *s, const double *impulse)
{
    MECH_TRY(sim_set_point(s, s->t, s->y));
    if (sim_blow_is_due(s, 0)) return sim_blow(s, impulse);
    SIM_SCRATCH(s);
    const blow x = {sim_take_mask(s), sim_take_rows(s), sim_take_coords(s), sim_take_coords(s)};
    unsigned char *joined = sim_take_mask(s); /* each constraint has a row at least */
    sim_gather_rows(s);
    take_joined_out(s, joined);
    MECH_TRY(find_impulses(s, &x, impulse));
    /* where that cannot be found they are struck by what is left, at the same instant */
    if (is_one_passed(s, &x, joined) && sim_blow_is_due(s, 1)) return sim_blow(s, impulse);
    see_opened(s, &x);
    for (size_t i = 0; i < s->n; i++) s->y[s->n + i] += x.change[i];
    return MECH_OK;
}
