/* Contacts in their own coordinates; see moreau.h. */
#include "base/mem.h"
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

static size_t friction_of(const mech_sim *s, size_t constraint)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const mech_friction f = mech_system_friction(s->system, k);
        for (size_t i = 0; i < f.constraint_count; i++)
            if (f.constraints[i] == constraint) return k;
    }
    return SIZE_MAX;
}

size_t sim_own_event(const mech_sim *s, size_t which) { return s->sizes.events - s->sizes.contacts + which; }

mech_status sim_press_create(mech_sim *s)
{
    sim_press *p = &s->contacts.press;
    const size_t k = s->sizes.contacts;
    if (k == 0) return MECH_OK;
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(p->constraint, k), ARRAY_OF(p->friction, k), ARRAY_OF(p->list, k),
                        ARRAY_OF(p->point, k), ARRAY_OF(p->S, FRICTION_MOST * s->n), ARRAY_OF(p->mask, s->rows)));
    for (size_t i = 0; i < k; i++) {
        const mech_event_info event = mech_system_event(s->system, sim_own_event(s, i));
        p->constraint[i] = mech_system_action(s->system, event.first_action).constraints[0];
        p->friction[i] = friction_of(s, p->constraint[i]);
    }
    return MECH_OK;
}

void sim_press_free(mech_sim *s)
{
    contact_free(s->contacts.press.room);
    mem_free(s->contacts.press.block);
    s->contacts.press.room = NULL;
    s->contacts.press.block = NULL;
    s->contacts.press.room_contacts = s->contacts.press.room_rows = 0;
}

/* Room grows with the most contacts that were closed at once: of a heap few of all pairs are. */
static mech_status make_room(mech_sim *s, size_t contacts, size_t rows)
{
    sim_press *p = &s->contacts.press;
    if (contacts <= p->room_contacts && rows <= p->room_rows) return MECH_OK;
    const size_t k = contacts + contacts / 2 + 4, n = rows + rows / 2 + 8;
    sim_press_free(s);
    p->block = mem_zeroed(2 * s->n * n + n * n + 2 * n, sizeof(double));
    if (!p->block) return MECH_ERR_MEMORY;
    p->J = p->block;
    p->change = p->J + s->n * n;
    p->W = p->change + s->n * n;
    p->c = p->W + n * n;
    p->size = p->c + n;
    MECH_TRY(contact_create(k, n, &p->room));
    p->room_contacts = k;
    p->room_rows = n;
    return MECH_OK;
}

/* side*r and what its velocity is made of. */
static void put_normal(mech_sim *s, size_t constraint, size_t at)
{
    sim_press *p = &s->contacts.press;
    const size_t row = mech_system_constraint_rows(s->system, constraint, NULL);
    const double side = mech_system_side(s->system, constraint);
    double *J = p->J + at * s->n;
    memset(J, 0, s->n * sizeof *J);
    p->c[at] = side * s->eq->r_dot[row];
    p->size[at] = fabs(p->c[at]);
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++) {
        if (s->dyn.pattern_A.row[k] != row) continue;
        const size_t j = s->dyn.pattern_A.column[k];
        J[j] = side * s->eq->A[k];
        p->size[at] += fabs(J[j] * s->eq->v[j]);
    }
}

/* Directions in V beside the one that a multiplier of the normal shows in, and how long that is; where it shows in none
   the multiplier itself is the load. */
static size_t find_surface(const mech_sim *s, const friction_law *law, const double *J, const double *S, double *load,
                           double basis[FRICTION_MOST][FRICTION_MOST])
{
    double G[FRICTION_MOST][FRICTION_MOST], w[FRICTION_MOST] = {0}, left = 0, size = 0;
    friction_normal normal = {.rank = 0};
    for (size_t a = 0; a < law->count; a++) {
        w[a] = friction_dot(S + a * s->n, J, s->n);
        for (size_t b = 0; b < law->count; b++) G[a][b] = friction_dot(S + a * s->n, S + b * s->n, s->n);
    }
    friction_solve(law->count, G, w);
    for (size_t j = 0; j < s->n; j++) {
        double rest = J[j];
        for (size_t a = 0; a < law->count; a++) rest -= w[a] * S[a * s->n + j];
        left += rest * rest;
        size += J[j] * J[j];
    }
    *load = 1;
    if (law->count > 1 && sqrt(left) < TOL_FRICTION_SURFACE * sqrt(size)) {
        *load = friction_norm(w, law->count);
        for (size_t a = 0; a < law->count; a++) normal.basis[0][a] = w[a] / *load;
        normal.rank = 1;
    }
    return friction_surface(law, &normal, basis);
}

/* Rows along the surface, behind the normal one at `at`; returns how many. */
static size_t put_tangents(mech_sim *s, size_t friction, size_t at, double *load)
{
    sim_press *p = &s->contacts.press;
    const friction_law *law = &s->dyn.friction[friction].law;
    double basis[FRICTION_MOST][FRICTION_MOST];
    memset(p->S, 0, law->count * s->n * sizeof *p->S);
    for (size_t k = 0; k < s->dyn.pattern_slip.count; k++) {
        const size_t a = s->dyn.pattern_slip.row[k] - law->first;
        if (a < law->count) p->S[a * s->n + s->dyn.pattern_slip.column[k]] = s->eq->slip_A[k];
    }
    const size_t tangents = find_surface(s, law, p->J + at * s->n, p->S, load, basis);
    for (size_t t = 0; t < tangents && t < CONTACT_TANGENTS; t++) {
        const size_t row = at + 1 + t;
        p->c[row] = friction_dot(basis[t], s->eq->slip + law->first, law->count);
        p->size[row] = fabs(p->c[row]);
        for (size_t j = 0; j < s->n; j++) {
            double sum = 0;
            for (size_t a = 0; a < law->count; a++) sum += basis[t][a] * p->S[a * s->n + j];
            p->J[row * s->n + j] = sum;
            p->size[row] += fabs(sum * s->eq->v[j]);
        }
    }
    return tangents;
}

static mech_status put_contact(mech_sim *s, size_t which, contact_point *to)
{
    sim_press *p = &s->contacts.press;
    const size_t constraint = p->constraint[which], friction = p->friction[which], at = p->problem.rows;
    double load = 1;
    *to = (contact_point){.tangents = 0};
    put_normal(s, constraint, at);
    if (friction < SIZE_MAX) {
        to->tangents = put_tangents(s, friction, at, &load);
        to->mu = load * s->eq->mu[friction];
        to->mu_static = load * s->eq->static_mu[friction];
        if (!(to->mu >= 0) || !isfinite(to->mu))
            return sim_blame(s, MECH_ERR_MODEL, "the coefficient of friction on %s is %g, and a negative one pushes",
                             mech_system_name(s->system, MECH_ITEM_CONSTRAINT, constraint), s->eq->mu[friction]);
        if (to->tangents > CONTACT_TANGENTS)
            return sim_blame(
                s, MECH_ERR_MODEL,
                "friction on %s is along a velocity of three components none of which the constraint holds",
                mech_system_name(s->system, MECH_ITEM_CONSTRAINT, constraint));
    }
    p->problem.rows += 1 + to->tangents;
    return MECH_OK;
}

/* inv(M) J' with the rows in force, row by row. */
static mech_status respond(mech_sim *s)
{
    sim_press *p = &s->contacts.press;
    const size_t rows = p->problem.rows;
    mech_fundamental_input in = dynamics_question(&s->dyn, NULL, s->memory.zero, p->mask);
    memcpy(p->mask, s->onto.velocity, s->rows);
    memset(p->mask + s->m, 0, s->dyn.nf);
    for (size_t i = 0; i < p->problem.contacts; i++)
        p->mask[mech_system_constraint_rows(s->system, p->constraint[p->list[i]], NULL)] = 0;
    dynamics_metric_over(&s->dyn, p->mask);
    for (size_t r = 0; r < rows; r++) {
        mech_fundamental_output out = {.size = sizeof out, .qdd = p->change + r * s->n};
        in.Q = p->J + r * s->n;
        in.is_same = r > 0;
        MECH_TRY(sim_remember(s, mech_fundamental_solve(s->dyn.solver, &in, &out)));
    }
    dynamics_metric_over(&s->dyn, s->dyn.active);
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k <= r; k++)
            p->W[r + k * rows] = p->W[k + r * rows] = (friction_dot(p->J + r * s->n, p->change + k * s->n, s->n) +
                                                       friction_dot(p->J + k * s->n, p->change + r * s->n, s->n)) /
                                                      2;
    return MECH_OK;
}

mech_status sim_press_gather(mech_sim *s, size_t count)
{
    sim_press *p = &s->contacts.press;
    size_t most = count;
    for (size_t i = 0; i < count; i++)
        if (p->friction[p->list[i]] < SIZE_MAX) most += CONTACT_TANGENTS;
    MECH_TRY(make_room(s, count, most));
    p->problem = (contact_problem){.contacts = count, .point = p->point, .W = p->W, .c = p->c, .size = p->size};
    for (size_t i = 0; i < count; i++) MECH_TRY(put_contact(s, p->list[i], &p->point[i]));
    return respond(s);
}
