/* What counts as nothing. Tolerances without a unit are measured by the rows themselves, so that the same system
   written in metres or in nanometres moves alike: a row by the terms it is made of, a coordinate by how far it may
   come. Nothing here is looser than 1e-13 where those are 1 or more. */
#include "simulate/sim.h"
#include "system/sizes.h"

#include <math.h>
#include <string.h>

mech_status sim_leeway_create(mech_sim *s)
{
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->leeway.work, system_sizes_room(s->system))));
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(s->leeway.row, s->rows), ARRAY_OF(s->leeway.rate, s->rows),
                           ARRAY_OF(s->leeway.reach, 2 * s->n + s->nz), ARRAY_OF(s->leeway.root_mass, s->n),
                           ARRAY_OF(s->leeway.extent, s->n)));
    for (size_t i = 0; i < 2 * s->n + s->nz; i++) s->leeway.reach[i] = 1;
    return MECH_OK;
}

static double leeway_of(const mech_sim *s, double weight, double size)
{
    return assemble_leeway(s->settings.atol, s->settings.projection_tol, weight, size);
}

/* What the rows are made of, at the point set last, and could be made of as far as the coordinates come. */
void sim_leeway_look(mech_sim *s)
{
    system_sizes sizes;
    const double *speed = s->leeway.reach + s->n;
    SIM_SCRATCH(s);
    double *weight = sim_take_rows(s), *place = sim_take_rows(s), *rate = sim_take_rows(s);
    const int is_known = system_sizes_look(s->eval, 0, s->leeway.work, &sizes);
    for (size_t i = 0; i < s->rows; i++) {
        weight[i] = 0;
        place[i] = is_known && i < s->m ? sizes.r[i] : 1;
        rate[i] = !is_known ? 1 : i < s->m ? sizes.r_dot[i] : sizes.slip[i - s->m];
    }
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++) {
        const size_t i = s->dyn.pattern_A.row[k], j = s->dyn.pattern_A.column[k];
        weight[i] += fmax(fabs(s->eq->gradient[k]), fabs(s->eq->A[k]));
        place[i] += fabs(s->eq->gradient[k]) * s->leeway.reach[j];
        rate[i] += fabs(s->eq->A[k]) * speed[j];
    }
    for (size_t k = 0; k < s->dyn.pattern_slip.count; k++) {
        const size_t i = s->m + s->dyn.pattern_slip.row[k];
        weight[i] += fabs(s->eq->slip_A[k]);
        rate[i] += fabs(s->eq->slip_A[k]) * speed[s->dyn.pattern_slip.column[k]];
    }
    for (size_t i = 0; i < s->rows; i++) {
        s->leeway.row[i] = fmax(s->leeway.row[i], leeway_of(s, weight[i], place[i]));
        s->leeway.rate[i] = fmax(s->leeway.rate[i], leeway_of(s, weight[i], rate[i]));
    }
}

/* sqrt(mass) times a coordinate has one unit for all of them. How far the farthest has come is how far each may come,
   and the same of velocities. Without a mass there is no measure: 1, and so where nothing has moved yet and nothing
   pulls. */
static void set_reach(mech_sim *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const double root = s->leeway.root_mass[i];
        s->leeway.reach[i] = root > 0 && s->leeway.farthest > 0 ? fmin(1, s->leeway.farthest / root) : 1;
        s->leeway.reach[s->n + i] = root > 0 && s->leeway.fastest > 0 ? fmin(1, s->leeway.fastest / root) : 1;
    }
}

static void measure_motion(mech_sim *s, const double *y, double *farthest, double *fastest)
{
    *farthest = *fastest = 0;
    for (size_t i = 0; i < s->n; i++) {
        s->leeway.extent[i] = fmax(s->leeway.extent[i], fabs(y[i]));
        *farthest = fmax(*farthest, s->leeway.root_mass[i] * fabs(y[i]));
        *fastest = fmax(*fastest, s->leeway.root_mass[i] * fabs(y[s->n + i]));
    }
}

mech_status sim_leeway_begin(mech_sim *s)
{
    const double span = sim_span(s);
    double pull = 0;
    MECH_TRY(sim_set_point(s, s->t, s->y));
    for (size_t k = 0; k < s->dyn.pattern_M.count; k++) {
        const size_t i = s->dyn.pattern_M.row[k];
        if (i != s->dyn.pattern_M.column[k] || !(s->eq->M[k] > 0)) continue;
        s->leeway.root_mass[i] = sqrt(s->eq->M[k]);
        pull = fmax(pull, fabs(s->eq->Q[i]) / s->leeway.root_mass[i]);
    }
    measure_motion(s, s->y, &s->leeway.farthest, &s->leeway.fastest);
    if (s->leeway.fastest == 0) s->leeway.fastest = pull * span;
    if (s->leeway.farthest == 0) s->leeway.farthest = s->leeway.fastest * span;
    set_reach(s);
    sim_leeway_look(s);
    return MECH_OK;
}

mech_status sim_leeway_follow(mech_sim *s, double t, const double *y)
{
    double farthest, fastest;
    measure_motion(s, y, &farthest, &fastest);
    if (farthest <= 2 * s->leeway.farthest && fastest <= 2 * s->leeway.fastest) return MECH_OK;
    s->leeway.farthest = fmax(s->leeway.farthest, farthest);
    s->leeway.fastest = fmax(s->leeway.fastest, fastest);
    set_reach(s);
    if (s->rows == 0) return MECH_OK;
    MECH_TRY(sim_set_point(s, t, y));
    sim_leeway_look(s);
    return MECH_OK;
}

double sim_reach_most(const mech_sim *s)
{
    double most = 0;
    for (size_t i = 0; i < s->n; i++) most = fmax(most, s->leeway.reach[i]);
    return most;
}

double sim_unknown_part(const mech_sim *s, size_t i, double x)
{
    return fmax(TOL_UNKNOWN * s->settings.atol, TOL_LEAST * s->leeway.reach[i]) + TOL_SUM * fabs(x);
}

void sim_row_errors(const mech_sim *s, const double *A, const double *x, double *error)
{
    const mech_sim_settings *o = &s->settings;
    memset(error, 0, s->m * sizeof *error);
    for (size_t k = 0; k < s->dyn.pattern_A.count; k++)
        error[s->dyn.pattern_A.row[k]] += fabs(A[k]) * (o->atol + o->rtol * fabs(x[s->dyn.pattern_A.column[k]]));
}

static sim_miss largest_miss(const mech_sim *s, const unsigned char *mask, const double *r, const double *error,
                             const double *leeway)
{
    sim_miss most = {0, 0, 0};
    for (size_t i = 0; i < s->m; i++) {
        const double noticeable = 100 * fmax(error[i], leeway[i]), size = fabs(r[i]);
        if (mask[i] && size > most.part * noticeable) most = (sim_miss){size / noticeable, size, i};
    }
    return most;
}

sim_misses sim_look_at_misses(mech_sim *s, const double *y)
{
    SIM_SCRATCH(s);
    double *error = sim_take_rows(s);
    sim_misses found;
    sim_row_errors(s, s->eq->gradient, y, error);
    found.phi = largest_miss(s, s->onto.holonomic, s->eq->r, error, s->leeway.row);
    sim_row_errors(s, s->eq->A, y + s->n, error);
    found.rate = largest_miss(s, s->onto.velocity, s->eq->r_dot, error, s->leeway.rate);
    return found;
}

mech_status sim_leeway_close(mech_sim *s)
{
    const double most = 1e6 * s->settings.atol;
    double farthest = 0, least = HUGE_VAL;
    char names[200] = "";
    if (!s->leeway.atol_is_own) return MECH_OK;
    for (size_t i = 0; i < s->n; i++) farthest = fmax(farthest, s->leeway.root_mass[i] * s->leeway.extent[i]);
    for (size_t i = 0; i < s->n; i++) {
        if (!(s->leeway.extent[i] < most && s->leeway.root_mass[i] * s->leeway.extent[i] > TOL_SHARE * farthest))
            continue;
        least = fmin(least, s->leeway.extent[i]);
        sim_list(names, sizeof names, mech_system_name(s->system, MECH_ITEM_COORD, i));
    }
    if (!names[0]) return MECH_OK;
    return sim_log_add(s, MECH_LOG_NOTE, NULL,
                       "%s: within %.2g, where the default atol, %g, is much: give a smaller one", names, least,
                       s->settings.atol);
}
