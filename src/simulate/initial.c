/* The consistent start: Newton's method with the least change in the mass metric, first for positions, then
   for velocities. Rows: the constraints in force and the `initial` values of that level; what is only
   guessed moves. */
#include "simulate/assembly.h"
#include "base/try.h"
#include "system/sizes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ITERATIONS = 60, MOST_NUDGES = 3 };

/* Everything up to the start's values at s->y. What laws and events make of it does not matter here. */
static void evaluate(mech_sim *s)
{
    mech_status status = sim_set_position(s, s->t, s->y);
    status = mech_eval_velocity(s->eval, s->y + s->n);
    status = mech_eval_reaction(s->eval, NULL, NULL);
    status = mech_eval_acceleration(s->eval, s->zero);
    status = mech_eval_start(s->eval);
    (void)status; /* the values that count are looked at one by one */
}

/* POSITION, VELOCITY, or -1 for a state. */
static int target_level(const mech_sim *s, size_t target)
{
    const mech_target info = mech_system_target(s->system, target);
    if (info.variable == MECH_VARIABLE_Q) return POSITION;
    if (info.variable == MECH_VARIABLE_V) return VELOCITY;
    if (info.variable == MECH_VARIABLE_Z) return -1;
    int level = POSITION;
    for (size_t k = 0; k < s->pattern_target.count; k++)
        if (s->pattern_target.row[k] == target && s->pattern_target.column[k] >= s->n &&
            s->pattern_target.column[k] < 2 * s->n)
            level = VELOCITY;
    return level;
}

static int is_given(const mech_sim *s, int level)
{
    return level == POSITION ? s->has_given_q : s->has_given_v;
}

/* Values of plain targets straight into s->y; twice, for values that use other variables. */
static void assign_targets(mech_sim *s)
{
    for (int pass = 0; pass < 2; pass++) {
        evaluate(s);
        for (size_t k = 0; k < s->sizes.targets; k++) {
            const mech_target info = mech_system_target(s->system, k);
            const double value = s->eq->target_value[k];
            if (!isfinite(value)) continue;
            if (info.variable == MECH_VARIABLE_Q && !s->has_given_q) s->y[info.index] = value;
            if (info.variable == MECH_VARIABLE_V && !s->has_given_v) s->y[s->n + info.index] = value;
            if (info.variable == MECH_VARIABLE_Z && !s->has_given_z) s->y[2 * s->n + info.index] = value;
        }
    }
}

static void gather_constraints(assembly *a)
{
    mech_sim *s = a->s;
    const double *r = a->level == POSITION ? s->eq->r : s->eq->r_dot;
    const double *A = a->level == POSITION ? s->eq->gradient : s->eq->A;
    for (size_t i = 0; i < s->m; i++) {
        const mech_row row = mech_system_row(s->system, i);
        const int belongs =
            a->level == POSITION ? row.level == MECH_HOLONOMIC : row.level != MECH_ACCELERATION_LEVEL;
        s->active_start[i] = s->eq->active[i] && belongs && (a->with_control || !row.is_control);
        s->b_start[i] = s->active_start[i] ? -r[i] : 0;
    }
    for (size_t k = 0; k < s->pattern_A.count; k++)
        s->start_value[k] = s->active_start[s->pattern_A.row[k]] ? A[k] : 0;
}

static void gather_targets(assembly *a)
{
    mech_sim *s = a->s;
    const size_t shift = a->level == POSITION ? 0 : s->n;
    for (size_t k = s->pattern_A.count; k < s->start_count; k++) s->start_value[k] = 0;
    for (size_t k = 0; k < s->sizes.targets; k++) {
        const size_t i = s->m + k;
        s->active_start[i] = mech_system_target(s->system, k).is_fixed && target_level(s, k) == a->level &&
                             !is_given(s, a->level);
        s->b_start[i] = s->active_start[i] ? s->eq->target_value[k] - s->eq->target[k] : 0;
    }
    for (size_t k = 0; k < s->pattern_target.count; k++) {
        const size_t i = s->m + s->pattern_target.row[k], column = s->pattern_target.column[k];
        if (s->active_start[i] && column >= shift && column < shift + s->n)
            s->start_value[s->start_place[k]] = s->eq->target_gradient[k];
    }
}

void assembly_spread(mech_sim *s)
{
    const size_t rows = assembly_rows(s);
    memset(s->A_start, 0, rows * s->n * sizeof(double));
    for (size_t k = 0; k < s->start_count; k++)
        s->A_start[s->start_row[k] + s->start_column[k] * rows] = s->start_value[k];
}

/* What may be left of each row, into row_size, and how large it is, into row_scale. */
static void measure_rows(assembly *a)
{
    mech_sim *s = a->s;
    system_sizes sizes;
    const size_t rows = assembly_rows(s);
    double *weight = s->row_size, *size = s->row_scale;
    const int is_known = system_sizes_look(s->eval, 1, s->size_work, &sizes);
    memset(weight, 0, rows * sizeof *weight);
    memset(size, 0, rows * sizeof *size);
    for (size_t k = 0; k < s->start_count; k++) {
        weight[s->start_row[k]] += fabs(s->start_value[k]);
        size[s->start_row[k]] += fabs(s->start_value[k] * a->x[s->start_column[k]]);
    }
    for (size_t i = 0; i < rows; i++) {
        double terms = 1;
        if (is_known && i >= s->m) terms = fmax(sizes.target[i - s->m], sizes.target_value[i - s->m]);
        else if (is_known) terms = a->level == POSITION ? sizes.r[i] : sizes.r_dot[i];
        s->row_size[i] = sim_leeway_of(s, weight[i], terms + size[i]) + 32 * DBL_EPSILON * size[i];
        s->row_scale[i] = size[i] + fmin(1, terms);
    }
}

int assembly_look(assembly *a)
{
    mech_sim *s = a->s;
    const size_t rows = assembly_rows(s);
    evaluate(s);
    gather_constraints(a);
    gather_targets(a);
    if (!s->is_sparse) assembly_spread(s);
    a->norm = a->excess = a->off = 0;
    measure_rows(a);
    for (size_t i = 0; i < rows; i++) {
        const double miss = fabs(s->b_start[i]);
        if (!s->active_start[i]) continue;
        if (!isfinite(miss)) return 0;
        const double part = miss > 0 ? miss / s->row_size[i] : 0;
        a->norm = hypot(a->norm, miss);
        a->off = fmax(a->off, miss > 0 ? miss / s->row_scale[i] : 0);
        if (part > a->excess) {
            a->excess = part;
            a->worst = i;
        }
    }
    for (size_t k = 0; k < s->pattern_M.count; k++)
        if (!isfinite(s->eq->M[k])) return 0;
    return 1;
}

mech_fundamental_input sim_start_equation(const mech_sim *s, double rank_tol)
{
    return (mech_fundamental_input){.size = sizeof(mech_fundamental_input),
                                    .M = s->M_full,
                                    .Q = s->zero,
                                    .A = s->A_start,
                                    .b = s->b_start,
                                    .active = s->active_start,
                                    .rank_tol = rank_tol,
                                    .allows_indefinite = mech_system_allows_negative_mass(s->system)};
}

mech_status sim_diagnose_rows(mech_sim *s, double rank_tol)
{
    const size_t rows = assembly_rows(s);
    memset(s->A_start, 0, rows * s->n * sizeof(double));
    memset(s->b_start, 0, rows * sizeof(double));
    memset(s->active_start + s->m, 0, rows - s->m);
    for (size_t j = 0; j < s->n; j++)
        memcpy(s->A_start + j * rows, s->A_full + j * s->m, s->m * sizeof(double));
    const mech_fundamental_input equation = sim_start_equation(s, rank_tol);
    const mech_diagnosis_input input = {.size = sizeof input, .equation = &equation};
    return mech_diagnosis_run(s->diagnosis, &input);
}

/* The diagonal of |M|, nowhere 0: a metric whatever M is. */
const double *sim_plain_metric(mech_sim *s)
{
    const mech_pattern *p = &s->pattern_M;
    double largest = 0;
    for (size_t k = 0; k < p->count; k++)
        if (p->row[k] == p->column[k]) largest = fmax(largest, fabs(s->eq->M[k]));
    const double least = 1e-6 * (largest > 0 ? largest : 1);
    if (s->is_sparse) memset(s->metric, 0, p->count * sizeof(double));
    else memset(s->metric, 0, s->n * s->n * sizeof(double));
    for (size_t i = 0; i < s->n && !s->is_sparse; i++) s->metric[i + i * s->n] = least;
    for (size_t k = 0; k < p->count; k++)
        if (p->row[k] == p->column[k])
            s->metric[s->is_sparse ? k : p->row[k] * (s->n + 1)] = fmax(fabs(s->eq->M[k]), least);
    return s->metric;
}

static mech_status newton_change(assembly *a, double *change)
{
    mech_sim *s = a->s;
    mech_fundamental_input in = {.size = sizeof in,
                                 .M = s->is_sparse ? s->eq->M : s->eq->M_dense,
                                 .Q = s->zero,
                                 .A = s->is_sparse ? s->start_value : s->A_start,
                                 .b = s->b_start,
                                 .active = s->active_start,
                                 .rank_tol = 1e-9};
    mech_fundamental_output out = {.size = sizeof out, .qdd = change};
    MECH_TRY(sim_poll(s));
    mech_status status = mech_fundamental_solve(s->assembler, &in, &out);
    if (status != MECH_ERR_SINGULAR_MASS && status != MECH_ERR_NOT_DEFINITE) return status;
    in.M = sim_plain_metric(s);
    return mech_fundamental_solve(s->assembler, &in, &out);
}

/* Fixed plain variables carry their value exactly, not to rounding. */
static void pin(assembly *a)
{
    mech_sim *s = a->s;
    const mech_variable plain = a->level == POSITION ? MECH_VARIABLE_Q : MECH_VARIABLE_V;
    for (size_t k = 0; k < s->sizes.targets; k++) {
        const mech_target info = mech_system_target(s->system, k);
        if (info.variable != plain || !info.is_fixed || is_given(s, a->level)) continue;
        const double value = s->eq->target_value[k];
        if (fabs(a->x[info.index] - value) <= 1e-9 * (1 + fabs(value))) a->x[info.index] = value;
    }
}

/* Steps from guesses where a gradient vanishes or nothing is finite: the same ones every time. */
static void nudge(assembly *a, int count)
{
    mech_sim *s = a->s;
    double size = 1e-3;
    for (size_t j = 0; j < s->n; j++) size = fmax(size, 1e-2 * fabs(a->x[j]));
    for (size_t j = 0; j < s->n; j++) a->x[j] += size * (count + 1) * (1 + 0.37 * cos(1.0 + 2.1 * (double)j));
    pin(a);
}

/* Halves the step until the residual falls. 0: it does not. */
static int damped_step(assembly *a)
{
    mech_sim *s = a->s;
    const double before = a->norm;
    double *x0 = s->y_work, factor = 1;
    memcpy(x0, a->x, s->n * sizeof *x0);
    for (int i = 0; i < 12; i++, factor /= 2) {
        for (size_t j = 0; j < s->n; j++) a->x[j] = x0[j] + factor * s->delta[j];
        pin(a);
        if (assembly_look(a) && (a->norm < (1 - 0.1 * factor) * before || a->excess <= 1)) return 1;
    }
    memcpy(a->x, x0, s->n * sizeof *x0);
    assembly_look(a);
    return 0;
}

int assembly_is_met(const assembly *a) { return a->excess <= 1e3; }

mech_status assembly_newton(assembly *a, int *is_met)
{
    mech_sim *s = a->s;
    int nudges = 0;
    *is_met = 0;
    int is_finite = assembly_look(a);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        if (is_finite && a->excess <= 1) {
            *is_met = 1;
            return MECH_OK;
        }
        int moved = 0;
        if (is_finite) {
            const mech_status status = newton_change(a, s->delta);
            if (status == MECH_ERR_MEMORY || status == MECH_ERR_INTERRUPTED) return status;
            moved = status == MECH_OK && damped_step(a);
        }
        if (!moved) {
            if (is_finite && a->excess <= 1e3) break; /* stands at rounding or in a conflict */
            if (nudges == MOST_NUDGES) break;
            nudge(a, nudges++);
            is_finite = assembly_look(a);
        }
    }
    *is_met = is_finite && assembly_is_met(a);
    return is_finite ? MECH_OK : sim_set_point(s, s->t, s->y);
}

/* What moved, but for rounding beside what moved most. */
static void report_moves(mech_sim *s)
{
    double most[2] = {0, 0};
    s->move_count = 0;
    for (size_t i = 0; i < 2 * s->n; i++) most[i / s->n] = fmax(most[i / s->n], fabs(s->y[i] - s->y_given[i]));
    for (size_t i = 0; i < 2 * s->n; i++) {
        const double from = s->y_given[i], to = s->y[i];
        if (fabs(to - from) > 1e-12 * fmax(fabs(from), most[i / s->n]))
            s->moves[s->move_count++] = (mech_sim_move){.name = s->move_names[i], .from = from, .to = to};
    }
}

static mech_status assemble_both(mech_sim *s, int with_control, assembly *a, int *is_met)
{
    *is_met = 1;
    for (int level = POSITION; level <= VELOCITY && *is_met; level++) {
        double *x = s->y + (level == POSITION ? 0 : s->n);
        *a = (assembly){.s = s, .level = level, .with_control = with_control, .x = x};
        if (is_given(s, level) && s->given_is_fixed) { /* as a whole: it must be right as it is, to what people write down */
            a->is_kept = 1;
            *is_met = assembly_look(a) && a->off <= 1e-9;
            continue;
        }
        MECH_TRY(assembly_newton(a, is_met));
        /* a servo's path that is not met is approached: it is not worth a search */
        if (!*is_met && !with_control) MECH_TRY(assembly_recover(a, is_met));
    }
    return MECH_OK;
}

mech_status sim_assemble(mech_sim *s)
{
    assembly a;
    int is_met;
    assign_targets(s);
    memcpy(s->y_given, s->y, s->ny * sizeof(double));
    s->move_count = 0;
    if (s->settings.start == MECH_START_AS_GIVEN) return MECH_OK;
    if (s->has_control) { /* a servo's path is met at once where that is possible, else approached */
        MECH_TRY(assemble_both(s, 1, &a, &is_met));
        if (is_met) {
            report_moves(s);
            return MECH_OK;
        }
        memcpy(s->y, s->y_given, s->ny * sizeof(double));
    }
    MECH_TRY(assemble_both(s, 0, &a, &is_met));
    if (!is_met) return assembly_report(&a);
    report_moves(s);
    return MECH_OK;
}
