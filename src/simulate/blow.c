/* Impulses of contacts with friction, all at once: the numbers of the model as a problem of src/contact, and its answer
   as velocities. Restitution and friction through the impact: decision 0026. */
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

/* What of a run makes one problem. Rows: of each contact its normal, then the directions along its surface. */
typedef struct blow {
    size_t contacts, rows;
    size_t *contact;       /* (contacts) constraints                                     */
    size_t *friction;      /* (contacts) its friction; SIZE_MAX: none                    */
    contact_point *point;  /* (contacts)                                                 */
    unsigned char *was_on; /* (contacts) in force before                                 */
    unsigned char *mask;   /* (rows of the run) in force, and no contact                 */
    double *J, *X;         /* (n x rows) forces along the rows; velocities of unit impulses */
    double *W, *c, *size;  /* (rows x rows), (rows), (rows)                              */
    double *change, *wanted;
} blow;

/* The friction that this constraint alone loads; SIZE_MAX: none, or several do. */
static size_t friction_of(const mech_sim *s, size_t constraint)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->dyn.friction[k].law.row_count == 1 && s->dyn.friction[k].law.rows[0] == sim_normal_row(s, constraint))
            return k;
    return SIZE_MAX;
}

/* Is there anything that impulses along the normals alone would miss: friction, or speeds given back in different
   parts, which could make energy? */
int sim_blow_is_due(const mech_sim *s, int joined)
{
    int has_friction = 0, differ = 0;
    double e = -1;
    if (s->dyn.is_sparse || !s->contacts.touch.room) return 0;
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        const sim_contact *contact = &s->contacts.list[c];
        if (!sim_is_unilateral(s, c)) continue;
        size_t rows;
        (void)mech_system_constraint_rows(s->system, c, &rows);
        if (rows != 1) return 0;
        has_friction |= friction_of(s, c) != SIZE_MAX;
        if (!contact->is_struck) continue;
        if (contact->restitution > 1) return 0;
        const int comes_in = contact->push * s->eq->r_dot[sim_normal_row(s, c)] < -sim_small_speed(s, c);
        if (!comes_in && !(joined && sim_is_joined(s, c))) continue;
        differ |= e >= 0 && contact->restitution != e;
        e = contact->restitution;
    }
    return has_friction || differ;
}

/* What friction there is, with the contacts in force for the time being. */
static mech_status put_in_force(mech_sim *s, blow *b)
{
    for (size_t i = 0; i < b->contacts; i++) {
        b->was_on[i] = s->eq->active[sim_normal_row(s, b->contact[i])] != 0;
        if (!b->was_on[i]) eval_put_in_force(s->eval, b->contact[i], 1);
        b->friction[i] = friction_of(s, b->contact[i]);
        if (b->friction[i] != SIZE_MAX) s->dyn.friction[b->friction[i]].mode.holds = 0;
    }
    sim_update_active(s);
    return sim_friction_turn_on(s);
}

static void put_back(mech_sim *s, const blow *b)
{
    for (size_t i = 0; i < b->contacts; i++)
        if (!b->was_on[i]) eval_put_in_force(s->eval, b->contact[i], 0);
    sim_update_active(s);
    dynamics_metric_over(&s->dyn, s->dyn.active);
}

/* Forces along the rows, velocities before, and the size of their terms. */
static void list_rows(mech_sim *s, blow *b)
{
    const size_t n = s->n;
    b->rows = 0;
    for (size_t i = 0; i < b->contacts; i++) {
        const sim_contact *contact = &s->contacts.list[b->contact[i]];
        const size_t row = sim_normal_row(s, b->contact[i]);
        contact_point *p = &b->point[i];
        for (size_t j = 0; j < n; j++) b->J[j + b->rows * n] = contact->push * s->dyn.A_used[row + j * s->rows];
        b->c[b->rows++] = contact->push * s->eq->r_dot[row];
        *p = (contact_point){.restitution = contact->is_struck ? contact->restitution : 0};
        if (b->friction[i] == SIZE_MAX) continue;
        const dynamics_friction *f = &s->dyn.friction[b->friction[i]];
        const double of_unit = f->law.is_seen[0] ? friction_norm(f->law.w, f->law.count) : 1;
        p->tangents = f->directions < CONTACT_TANGENTS ? f->directions : CONTACT_TANGENTS;
        p->mu = p->mu_static = s->eq->mu[b->friction[i]] * of_unit;
        for (size_t a = 0; a < p->tangents; a++) {
            for (size_t j = 0; j < n; j++)
                b->J[j + b->rows * n] =
                    friction_dot(f->surface[a], s->dyn.S + f->law.first + j * s->dyn.nf, f->law.count);
            b->c[b->rows++] = friction_dot(f->surface[a], s->eq->slip + f->law.first, f->law.count);
        }
    }
}

static double dot(const double *x, const double *y, size_t n, double *size)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += x[j] * y[j], *size += fabs(x[j] * y[j]);
    return sum;
}

/* What the other rows in force make of the impulse from outside, and of a unit impulse along each row. */
static mech_status respond(mech_sim *s, blow *b, const double *impulse)
{
    const size_t n = s->n;
    mech_fundamental_output out = {.size = sizeof out, .qdd = b->change};
    memcpy(b->mask, s->onto.velocity, s->rows);
    memset(b->mask + s->m, 0, s->dyn.nf);
    for (size_t i = 0; i < b->contacts; i++) b->mask[sim_normal_row(s, b->contact[i])] = 0;
    for (size_t i = 0; i < s->rows; i++) b->wanted[i] = i < s->m && b->mask[i] ? -s->eq->r_dot[i] : 0;
    dynamics_metric_over(&s->dyn, b->mask);
    mech_fundamental_input in = dynamics_question(&s->dyn, impulse ? impulse : s->memory.zero, b->wanted, b->mask);
    MECH_TRY(sim_remember(s, mech_fundamental_solve(s->dyn.solver, &in, &out)));
    memset(b->wanted, 0, s->rows * sizeof *b->wanted);
    for (size_t r = 0; r < b->rows; r++) {
        in.Q = b->J + r * n;
        in.is_same = 1;
        out.qdd = b->X + r * n;
        MECH_TRY(sim_remember(s, mech_fundamental_solve(s->dyn.solver, &in, &out)));
    }
    for (size_t r = 0; r < b->rows; r++) {
        double unused = 0;
        b->size[r] = 0;
        (void)dot(b->J + r * n, s->y + n, n, &b->size[r]);
        b->c[r] += dot(b->J + r * n, b->change, n, &b->size[r]);
        for (size_t k = 0; k <= r; k++) {
            const double w = dot(b->J + r * n, b->X + k * n, n, &unused);
            b->W[r + k * b->rows] = b->W[k + r * b->rows] = w;
        }
    }
    return MECH_OK;
}

static void take_answer(mech_sim *s, const blow *b, const contact_motion *m)
{
    double *v = s->y + s->n;
    for (size_t j = 0; j < s->n; j++) v[j] += b->change[j];
    for (size_t r = 0; r < b->rows; r++)
        for (size_t j = 0; j < s->n; j++) v[j] += b->X[j + r * s->n] * m->l[r];
    for (size_t i = 0, r = 0; i < b->contacts; r += 1 + b->point[i].tangents, i++) {
        sim_contact *contact = &s->contacts.list[b->contact[i]];
        const double least = fmax(sim_small_speed(s, b->contact[i]), s->contacts.touch.slow);
        contact->share = m->mode[i] != CONTACT_OPENS                            ? SHARE_LOADED
                         : m->w[r] > fmax(least, TOL_IMPULSE_RATE * b->size[r]) ? SHARE_OPENS
                                                                                : SHARE_FREE;
    }
    s->contacts.touch.slow = 0;
}

static mech_status answer(mech_sim *s, blow *b, const double *impulse)
{
    contact_answer found;
    list_rows(s, b);
    MECH_TRY(respond(s, b, impulse));
    const contact_problem p = {
        .contacts = b->contacts, .point = b->point, .rows = b->rows, .W = b->W, .c = b->c, .size = b->size};
    contact_impulses(s->contacts.touch.room, &p, 0, &found);
    if (found.verdict == CONTACT_NONE || found.verdict == CONTACT_FAILED)
        return sim_blame(s, MECH_ERR_INTEGRATION, "the impulses of an impact with friction could not be found: %s",
                         found.reason ? found.reason : "");
    take_answer(s, b, &found.motion[0]);
    return MECH_OK;
}

/* Its memory, of the run's own. */
static void take_room(mech_sim *s, blow *b)
{
    const size_t most = 3 * b->contacts;
    b->friction = s->contacts.touch.friction;
    b->was_on = s->contacts.touch.leaves;
    b->point = s->contacts.touch.point;
    b->J = s->contacts.touch.work;
    b->X = b->J + s->n * most;
    b->W = b->X + s->n * most;
    b->c = b->W + most * most;
    b->size = b->c + most;
    b->mask = sim_take_mask(s);
    b->wanted = sim_take_rows(s);
    b->change = sim_take_coords(s);
}

mech_status sim_blow(mech_sim *s, const double *impulse)
{
    blow b = {.contact = s->contacts.touch.list};
    for (size_t c = 0; c < s->sizes.constraints; c++)
        if (sim_is_unilateral(s, c)) b.contact[b.contacts++] = c;
    SIM_SCRATCH(s);
    take_room(s, &b);
    mech_status status = put_in_force(s, &b);
    if (status == MECH_OK) status = answer(s, &b, impulse);
    put_back(s, &b);
    return status;
}

double sim_blow_limit(mech_sim *s, size_t constraint)
{
    size_t only = constraint;
    blow b = {.contact = &only, .contacts = 1};
    double limit = HUGE_VAL;
    if (!s->contacts.touch.room || s->dyn.is_sparse) return limit;
    SIM_SCRATCH(s);
    take_room(s, &b);
    if (put_in_force(s, &b) == MECH_OK) {
        list_rows(s, &b);
        const double slip = b.rows == 2 ? b.c[1] : 0;
        if (slip != 0 && respond(s, &b, NULL) == MECH_OK && b.point[0].mu > 0)
            limit = contact_limit(b.W[0], b.W[1], slip > 0 ? 1 : -1) * s->eq->mu[b.friction[0]] / b.point[0].mu;
    }
    put_back(s, &b);
    return limit;
}

/* Room for contacts that impacts may have; none for more than so many. */
mech_status sim_blow_create(mech_sim *s)
{
    enum { MOST = 200 };
    const size_t k = s->sizes.constraints, most = 3 * k;
    if ((!s->sizes.contacts && !s->sizes.frictions) || k == 0 || k > MOST || s->dyn.is_sparse) return MECH_OK;
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->contacts.touch.point, k), ARRAY_OF(s->contacts.touch.friction, k),
                        ARRAY_OF(s->contacts.touch.work, 2 * s->n * most + most * most + 2 * most)));
    return contact_create(k, most, &s->contacts.touch.room);
}
