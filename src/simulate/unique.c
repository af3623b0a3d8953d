/* What is not unique. Along w with A' w = 0 the multipliers may change and nothing moves: q'', Qi and Qni
   stay as they are. A law, an event or an output that changes along such a w has no value of its own, only
   the one of the least-norm choice. Laws and events are refused then, unless the model says `allow
   leastnorm`; outputs are marked. */
#include "simulate/sim.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_SIZE = 200, LENGTHS = 6 };

/* Conditions only jump, so that long steps are tried too. */
static const double lengths[LENGTHS] = {1, -1, 1e3, -1e3, 1e6, -1e6};

/* Values that may look at multipliers, one after the other: C (n), then by event trigger and condition,
   actions, outputs. */
typedef struct probe {
    mech_sim *s;
    size_t events, actions, outputs, count; /* where each begins      */
    double *still, *moved;                  /* (count)                */
    double *lambda;                         /* (rows) at which        */
    double *w;                              /* (rows) null(A')        */
    double *scale;                          /* (count) what single multipliers of w do */
    double step;
} probe;

static void lay_out(mech_sim *s, probe *p)
{
    *p = (probe){.s = s};
    p->events = s->n;
    p->actions = p->events + 2 * s->sizes.events;
    p->outputs = p->actions + s->sizes.actions;
    p->count = p->outputs + s->sizes.outputs;
    double *block = s->unique.work;
    if (!block) return; /* only the counts are wanted */
    p->still = block, block += p->count;
    p->moved = block, block += p->count;
    p->scale = block, block += p->count;
    p->lambda = block, block += s->rows;
    p->w = block;
}

mech_status sim_unique_create(mech_sim *s)
{
    probe p;
    lay_out(s, &p);
    s->unique.work = arena_alloc(&s->memory, (3 * p.count + 2 * s->rows + 1) * sizeof(double));
    s->unique.does = arena_alloc(&s->memory, p.count + 1);
    s->unique.is_choice = arena_alloc(&s->memory, s->sizes.outputs + 1);
    if (!s->unique.work || !s->unique.does || !s->unique.is_choice) return MECH_ERR_MEMORY;
    memset(s->unique.is_choice, 0, s->sizes.outputs + 1);
    return MECH_OK;
}

/* All values with multipliers `lambda`, the ideal and the total ones alike. What is not finite there does not
 * count. */
static void values_at(const probe *p, const double *lambda, double *values)
{
    mech_sim *s = p->s;
    memset(values, 0, p->count * sizeof *values);
    mech_status status = mech_eval_reaction(s->eval, lambda, lambda);
    status = mech_eval_acceleration(s->eval, s->dyn.qdd);
    status = mech_eval_output(s->eval);
    status = mech_eval_start(s->eval);
    for (size_t k = 0; k < s->sizes.events; k++) {
        values[p->events + 2 * k] = s->eq->trigger[k];
        values[p->events + 2 * k + 1] = s->eq->condition[k];
    }
    memcpy(values + p->actions, s->eq->action, s->sizes.actions * sizeof *values);
    memcpy(values + p->outputs, s->eq->output, s->sizes.outputs * sizeof *values);
    if (s->dyn.has_laws) status = dynamics_law(&s->dyn, lambda, lambda, values, NULL);
    (void)status;
    for (size_t i = 0; i < p->count; i++)
        if (!isfinite(values[i])) values[i] = 0;
}

/* p->moved at lambda + step * direction over row `only`, or over all rows (SIZE_MAX) */
static void move(probe *p, const double *direction, size_t only, double step)
{
    for (size_t i = 0; i < p->s->rows; i++)
        p->lambda[i] = p->s->dyn.total[i] + (only == SIZE_MAX || only == i ? step * direction[i] : 0);
    values_at(p, p->lambda, p->moved);
}

/* Does any value change along w, by more than the rounding of what its single multipliers do? */
static int changes_along(probe *p, unsigned char *does)
{
    int any = 0;
    memset(p->scale, 0, p->count * sizeof(double));
    memset(does, 0, p->count);
    for (size_t row = 0; row < p->s->m; row++) {
        if (p->w[row] == 0) continue;
        move(p, p->w, row, p->step);
        for (size_t i = 0; i < p->count; i++) p->scale[i] += fabs(p->moved[i] - p->still[i]);
    }
    for (size_t k = 0; k < LENGTHS; k++) {
        move(p, p->w, SIZE_MAX, lengths[k] * p->step);
        for (size_t i = 0; i < p->count; i++)
            if (fabs(p->moved[i] - p->still[i]) >
                1e-9 * fabs(lengths[k]) * p->scale[i] + 1e-14 * fabs(p->still[i]))
                does[i] = 1, any = 1;
    }
    return any;
}

/* Names of the constraints with a row in w, into `names`: those that value `item` reads, or the others. */
static void list_names(probe *p, size_t item, int that_it_reads, char *names)
{
    mech_sim *s = p->s;
    size_t last = SIZE_MAX, used = 0;
    names[0] = 0;
    for (size_t row = 0; row < s->m && used < NAMES_SIZE; row++) {
        const size_t owner = mech_system_row(s->system, row).constraint;
        if (p->w[row] == 0 || owner == last) continue;
        int reads = 0;
        for (size_t k = 0; k < LENGTHS && !reads; k++) {
            move(p, p->w, row, lengths[k] * p->step);
            reads = p->moved[item] != p->still[item];
        }
        if (reads != that_it_reads) continue;
        last = owner;
        const char *name = mech_system_name(s->system, MECH_ITEM_CONSTRAINT, owner);
        used +=
            (size_t)snprintf(names + used, NAMES_SIZE - used, "%s%s", used ? ", " : "", name ? name : "?");
    }
}

static mech_status refuse(probe *p, size_t item)
{
    mech_sim *s = p->s;
    char reads[NAMES_SIZE], others[NAMES_SIZE], who[NAMES_SIZE] = "a law";
    size_t event = SIZE_MAX;
    if (item >= p->actions)
        for (event = 0; item - p->actions >= mech_system_event(s->system, event).first_action +
                                                 mech_system_event(s->system, event).action_count;)
            event++;
    else if (item >= p->events) event = (item - p->events) / 2;
    if (event != SIZE_MAX) {
        const char *name = mech_system_name(s->system, MECH_ITEM_EVENT, event);
        snprintf(who, sizeof who, "event %.180s", name ? name : "?");
    }
    list_names(p, item, 1, reads);
    list_names(p, item, 0, others);
    return sim_fail(
        s, MECH_ERR_NOT_UNIQUE,
        "at t = %.10g: %s uses the reaction of %s, which is not unique because constraints depend on one "
        "another%s%s%s; write the constraint once, or `allow leastnorm` takes the smallest",
        s->t, who, reads, others[0] ? " (it depends on " : "", others, others[0] ? ")" : "");
}

/* Friction takes the whole reaction of its constraints, row by row. */
static mech_status check_friction(mech_sim *s, const mech_diagnosis_result *found)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const mech_friction f = mech_system_friction(s->system, k);
        for (size_t c = 0; c < f.constraint_count; c++) {
            size_t count;
            const size_t first = mech_system_constraint_rows(s->system, f.constraints[c], &count);
            for (size_t i = first; i < first + count; i++)
                if (s->eq->active[i] && !found->unique_lambda[i])
                    return sim_fail(
                        s, MECH_ERR_NOT_UNIQUE,
                        "at t = %.10g: a law uses the reaction of %s, which is not unique because "
                        "constraints depend on one another; write the constraint once, or `allow "
                        "leastnorm` takes the smallest",
                        s->t, mech_system_name(s->system, MECH_ITEM_CONSTRAINT, f.constraints[c]));
        }
    }
    return MECH_OK;
}

static mech_status diagnose(mech_sim *s)
{
    for (size_t i = 0; i < s->m; i++) s->scratch.row_mask[i] = s->eq->active[i] && !s->dyn.servo[i];
    return sim_diagnose_rows(s, s->scratch.row_mask, NULL, s->dyn.out.rank_tol);
}

/* Most models look at no multiplier: all of them moved at once tell. */
static int reads_any(probe *p)
{
    for (size_t i = 0; i < p->s->rows; i++) p->w[i] = 1 + 0.37 * cos(1.0 + 2.1 * (double)i);
    for (size_t k = 0; k < LENGTHS; k++) {
        move(p, p->w, SIZE_MAX, lengths[k] * p->step);
        if (memcmp(p->moved, p->still, p->count * sizeof(double)) != 0) return 1;
    }
    return 0;
}

/* One w for each redundant row i: e_i - sum of depends(i, k) e_k */
static mech_status check_values(mech_sim *s, const mech_diagnosis_result *found)
{
    probe p;
    const size_t rows = s->m;
    const int allowed = mech_system_allows_leastnorm(s->system);
    unsigned char *does = s->unique.does;
    lay_out(s, &p);
    for (size_t i = 0; i < s->rows; i++) p.step = fmax(p.step, fabs(s->dyn.total[i]));
    if (!(p.step > 0)) p.step = 1;
    values_at(&p, s->dyn.total, p.still);
    if (!reads_any(&p)) return MECH_OK;
    for (size_t i = 0; i < s->m; i++) {
        if (!found->redundant[i]) continue;
        for (size_t k = 0; k < s->m; k++) p.w[k] = k == i ? 1 : -found->depends[i + k * rows];
        if (!changes_along(&p, does)) continue;
        for (size_t k = 0; k < s->sizes.outputs; k++) s->unique.is_choice[k] |= does[p.outputs + k];
        for (size_t k = 0; k < p.outputs && !allowed; k++)
            if (does[k]) return refuse(&p, k);
    }
    return MECH_OK;
}

mech_status sim_check_unique(mech_sim *s)
{
    s->unique.is_due = 0;
    if (!(s->dyn.out.flags & MECH_FUNDAMENTAL_REDUNDANT)) return MECH_OK;
    if (!s->dyn.laws_use_reaction && s->sizes.frictions + s->sizes.events + s->sizes.outputs == 0) return MECH_OK;
    if (!sim_make_dense(s)) return MECH_OK; /* too large to say which */
    MECH_TRY(diagnose(s));
    const mech_diagnosis_result *found = mech_diagnosis_get(s->diagnosis);
    if (!mech_system_allows_leastnorm(s->system)) MECH_TRY(check_friction(s, found));
    MECH_TRY(check_values(s, found));
    return sim_accelerate(s, s->t, s->y); /* the evaluation as it was */
}

int mech_sim_output_is_choice(const mech_sim *sim, size_t output)
{
    return output < sim->sizes.outputs && sim->unique.is_choice[output];
}

void sim_unique_visit(mech_sim *s, state_walk *w)
{
    STATE_FIELD(w, s->unique.is_due);
    STATE_ARRAY(w, s->unique.is_choice, s->unique.is_choice ? s->sizes.outputs : 0);
}
