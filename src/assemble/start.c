/* The consistent start: Newton's method with the least change in the mass metric, first for positions, then
   for velocities. Rows: the constraints in force and the `initial` values of that level; what is only
   guessed moves. */
#include "assemble/assembly.h"
#include "assemble/onto.h"
#include "base/options.h"
#include "base/try.h"
#include "base/tolerances.h"
#include "fundamental/motion.h"
#include "system/owner.h"
#include "system/sizes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ITERATIONS = 60, MOST_NUDGES = 3 };

mech_status assembly_poll(const mech_assembly *a)
{
    return a->given.interrupt && *a->given.interrupt ? MECH_ERR_INTERRUPTED : MECH_OK;
}

mech_status assembly_set_point(mech_assembly *a)
{
    return eval_place(a->eval, EVAL_VELOCITY, a->given.t, a->y, a->y + a->n, a->y + 2 * a->n);
}

int assembly_is_given(const mech_assembly *a, int level)
{
    return (level == POSITION ? a->given.q : a->given.v) != NULL;
}

/* Is a target with these marks, or one of them all, a row of this level? */
static int asks(const mech_assembly *a, int marks)
{
    return (marks & (a->meets_guesses ? FIXES | GUESSES : FIXES) << a->level) != 0;
}

/* Which rows there are at this level, what they miss, and their entries. */
static void gather(mech_assembly *a)
{
    const int at_position = a->level == POSITION;
    const double *r = at_position ? a->eq->r : a->eq->r_dot, *A = at_position ? a->eq->gradient : a->eq->A;
    for (size_t i = 0; i < a->m; i++) {
        const mech_row row = mech_system_row(a->system, i);
        const int is_holonomic = row.level == MECH_LEVEL_HOLONOMIC;
        /* what goes into a one-sided one is an impact */
        const int belongs = at_position ? is_holonomic
                                        : row.level != MECH_LEVEL_ACCELERATION &&
                                              !(is_holonomic && mech_system_side(a->system, row.constraint) != 0);
        a->seen.active[i] = a->eq->active[i] && belongs && (a->with_control || !row.is_control) && !a->left_out[i];
        a->seen.b[i] = a->seen.active[i] ? -r[i] : 0;
    }
    for (size_t k = 0; k < a->sizes.targets; k++) {
        const size_t i = a->m + k;
        a->seen.active[i] = asks(a, a->target_asks[k]) && !assembly_is_given(a, a->level) && !a->left_out[i];
        a->seen.b[i] = a->seen.active[i] ? a->eq->target_value[k] - a->eq->target[k] : 0;
    }
    for (size_t k = 0; k < a->held.count; k++) {
        const size_t i = a->m + a->sizes.targets + k, j = a->held.coord[k];
        a->seen.active[i] = a->held.is_on && a->held.now[j];
        a->seen.b[i] = a->seen.active[i] ? a->held.at[j] - a->x[j] : 0;
    }
    const size_t held = a->seen.entry_count - a->held.count;
    for (size_t k = 0; k < a->seen.entry_count; k++) {
        const double value = k < a->A.count ? A[k]
                             : k < held     ? a->eq->target_gradient[a->target_entry[k - a->A.count]]
                                            : 1;
        a->seen.entry[k] = a->seen.active[a->seen.entry_row[k]] ? value : 0;
    }
}

void assembly_spread(mech_assembly *a)
{
    const size_t rows = a->rows;
    memset(a->seen.A_dense, 0, rows * a->n * sizeof(double));
    for (size_t k = 0; k < a->seen.entry_count; k++)
        a->seen.A_dense[a->seen.entry_row[k] + a->seen.entry_column[k] * rows] = a->seen.entry[k];
}

/* A row that nothing moves is a number, and what its terms were is not known any more. */
double assemble_leeway(double atol, double row_tol, double weight, double size)
{
    return row_tol > 0 ? row_tol : TOL_UNKNOWN * atol * weight + TOL_LEAST * (weight > 0 ? fmin(1, size) : 1);
}

double assembly_unit(const mech_assembly *a)
{
    const double unit = fmax(a->given.atol / TOL_ATOL, TOL_UNIT_LEAST);
    return a->given.atol > 0 ? fmin(1, unit) : 1;
}

/* Sums of |A_ij| and, where they are asked for, of |A_ij x_j|, row by row. */
static void weigh_rows(const mech_assembly *a, double *weight, double *size)
{
    memset(weight, 0, a->rows * sizeof *weight);
    for (size_t k = 0; k < a->seen.entry_count; k++) weight[a->seen.entry_row[k]] += fabs(a->seen.entry[k]);
    if (size) memset(size, 0, a->rows * sizeof *size);
    for (size_t k = 0; size && k < a->seen.entry_count; k++)
        size[a->seen.entry_row[k]] += fabs(a->seen.entry[k] * a->x[a->seen.entry_column[k]]);
}

static double may_be_left(const mech_assembly *a, double weight, double size, double terms)
{
    /* in small units the terms there are say more than a number that is not known */
    if (weight == 0 && !(a->given.row_tol > 0) && assembly_unit(a) < 1)
        return TOL_LEAST * fmin(1, terms + size) + TOL_SUM * size;
    return assemble_leeway(a->given.atol, a->given.row_tol, weight, terms + size) + TOL_SUM * size;
}

/* What may be left of each row, into row_size, and how large it is, into row_scale. */
static void measure_rows(mech_assembly *a)
{
    system_sizes sizes;
    double *weight = a->seen.row_size, *size = a->seen.row_scale;
    const int is_known = system_sizes_look(a->eval, 1, a->size_work, &sizes);
    weigh_rows(a, weight, size);
    for (size_t i = 0; i < a->rows; i++) {
        double terms = 1;
        if (i >= a->m + a->sizes.targets) terms = fabs(a->held.at[a->held.coord[i - a->m - a->sizes.targets]]);
        else if (is_known && i >= a->m) terms = fmax(sizes.target[i - a->m], sizes.target_value[i - a->m]);
        else if (is_known) terms = a->level == POSITION ? sizes.r[i] : sizes.r_dot[i];
        a->seen.row_size[i] = may_be_left(a, weight[i], size[i], terms);
        a->seen.row_scale[i] = size[i] + fmin(1, terms);
    }
}

/* The same but for what rows are made of, whose sizes cost more than all else: bounds will do where they leave no
   doubt whether a row is met. 0: they do leave it. */
static int bound_rows(mech_assembly *a)
{
    double *weight = a->seen.row_size, *size = a->seen.row_scale;
    weigh_rows(a, weight, size);
    for (size_t i = 0; i < a->rows; i++) {
        const double miss = a->seen.active[i] ? fabs(a->seen.b[i]) : 0;
        const double least = may_be_left(a, weight[i], size[i], 0), most = may_be_left(a, weight[i], size[i], 1);
        const int is_met = miss <= least, is_off = miss > MET_NEARLY * most;
        if (miss > 0 && least < most && !is_met && !is_off) return 0;
        a->seen.row_size[i] = is_off ? most : least;
    }
    return 1;
}

/* How far the rows are from being met. 0: some value is not finite, and farther than any. */
static int judge_rows(mech_assembly *a)
{
    int is_finite = 1;
    a->seen.norm = a->seen.excess = 0;
    for (size_t i = 0; i < a->rows; i++) {
        const double miss = fabs(a->seen.b[i]);
        if (!a->seen.active[i] || miss == 0) continue;
        /* a slope that is not finite, as that of sqrt at 0, would allow anything to be left */
        const int is_known = isfinite(miss) && isfinite(a->seen.row_size[i]);
        const double part = is_known ? miss / a->seen.row_size[i] : HUGE_VAL;
        is_finite &= is_known;
        a->seen.norm = hypot(a->seen.norm, miss);
        if (part > a->seen.excess) {
            a->seen.excess = part;
            a->seen.worst = i;
        }
    }
    for (size_t k = 0; k < a->M.count; k++) is_finite &= isfinite(a->eq->M[k]) != 0;
    return is_finite;
}

/* Everything up to the start's values at y. What laws and events make of it does not matter here. */
int assembly_look(mech_assembly *a)
{
    MECH_IGNORE(assembly_set_point(a));
    MECH_IGNORE(mech_eval_reaction(a->eval, NULL, NULL));
    MECH_IGNORE(mech_eval_acceleration(a->eval, a->zero));
    MECH_IGNORE(mech_eval_start(a->eval));
    gather(a);
    measure_rows(a);
    return judge_rows(a);
}

/* The same for Newton's method, which asks only whether rows are met: what those of the level need, and no more. */
static int glance(mech_assembly *a)
{
    const eval_depth depth = a->level == POSITION ? EVAL_POSITION : EVAL_VELOCITY;
    const double *q = a->y, *v = q + a->n, *z = v + a->n;
    MECH_IGNORE(asks(a, a->all_ask) ? eval_place_start(a->eval, depth, a->given.t, q, v, z, a->zero)
                                    : eval_place(a->eval, depth, a->given.t, q, v, z));
    gather(a);
    return bound_rows(a) ? judge_rows(a) : assembly_look(a);
}

void assemble_plain_metric(const mech_pattern *M, const double *values, size_t n, int is_sparse, double *to)
{
    double largest = 0;
    for (size_t k = 0; k < M->count; k++)
        if (M->row[k] == M->column[k]) largest = fmax(largest, fabs(values[k]));
    const double least = TOL_METRIC * (largest > 0 ? largest : 1);
    memset(to, 0, (is_sparse ? M->count : n * n) * sizeof *to);
    for (size_t i = 0; i < n && !is_sparse; i++) to[i + i * n] = least;
    for (size_t k = 0; k < M->count; k++)
        if (M->row[k] == M->column[k]) to[is_sparse ? k : M->row[k] * (n + 1)] = fmax(fabs(values[k]), least);
}

/* What fails but for memory and an interrupt has no change: then x is nudged. */
static mech_status newton_change(mech_assembly *a, int *has_change)
{
    mech_fundamental_input in = {.size = sizeof in,
                                 .M = a->is_sparse ? a->eq->M : a->eq->M_dense,
                                 .Q = a->zero,
                                 .A = a->is_sparse ? a->seen.entry : a->seen.A_dense,
                                 .b = a->seen.b,
                                 .active = a->seen.active,
                                 .rank_tol = TOL_RANK};
    unsigned flags;
    MECH_TRY(assembly_poll(a));
    if (!a->is_sparse) assembly_spread(a);
    mech_status status = fundamental_motion(a->solver, &in, a->delta, &flags);
    if (status == MECH_ERR_SINGULAR_MASS || status == MECH_ERR_NOT_DEFINITE) {
        assemble_plain_metric(&a->M, a->eq->M, a->n, a->is_sparse, a->metric);
        in.M = a->metric;
        status = fundamental_motion(a->solver, &in, a->delta, &flags);
    }
    *has_change = status == MECH_OK;
    return status == MECH_ERR_MEMORY || status == MECH_ERR_INTERRUPTED ? status : MECH_OK;
}

static void pin_to(double *x, double value, double unit)
{
    if (fabs(*x - value) <= TOL_PIN * (unit + fabs(value))) *x = value;
}

/* Fixed plain variables carry their value exactly, not to rounding. */
static void pin(mech_assembly *a)
{
    const double unit = assembly_unit(a);
    for (size_t j = 0; a->held.is_on && j < a->n; j++)
        if (a->held.now[j]) pin_to(&a->x[j], a->held.at[j], unit);
    const mech_variable plain = a->level == POSITION ? MECH_VARIABLE_Q : MECH_VARIABLE_V;
    if (!(a->all_ask & FIXES << a->level) || assembly_is_given(a, a->level)) return;
    for (size_t k = 0; k < a->sizes.targets; k++) {
        const mech_target info = mech_system_target(a->system, k);
        if (info.variable != plain || !info.is_fixed) continue;
        pin_to(&a->x[info.index], a->eq->target_value[k], unit);
    }
}

static double nudge_size(const mech_assembly *a)
{
    double size = TOL_NUDGE * assembly_unit(a);
    for (size_t j = 0; j < a->n; j++) size = fmax(size, TOL_NUDGE_SIZE * fabs(a->x[j]));
    return size;
}

/* Steps from guesses where a gradient vanishes or nothing is finite: the same ones every time. What is met stays. */
static void nudge(mech_assembly *a, int count)
{
    const double size = nudge_size(a);
    assembly_find_missed(a, a->is_missed);
    for (size_t j = 0; j < a->n; j++)
        if (a->is_missed[j]) a->x[j] += size * (count + 1) * (1 + 0.37 * cos(1.0 + 2.1 * (double)j));
    pin(a);
}

/* Halves the step until the residual falls. 0: it does not. */
static int damped_step(mech_assembly *a)
{
    const double before = a->seen.norm;
    double *x0 = a->x_work, factor = 1;
    memcpy(x0, a->x, a->n * sizeof *x0);
    for (int i = 0; i < 12; i++, factor /= 2) {
        for (size_t j = 0; j < a->n; j++) a->x[j] = x0[j] + factor * a->delta[j];
        pin(a);
        if (glance(a) && (a->seen.norm < (1 - 0.1 * factor) * before || a->seen.excess <= 1)) {
            a->newton.fall[1] = a->newton.fall[0];
            a->newton.fall[0] = a->seen.norm / before;
            a->newton.turns++;
            return 1;
        }
    }
    memcpy(a->x, x0, a->n * sizeof *x0);
    glance(a);
    return 0;
}

int assembly_is_met(const mech_assembly *a) { return a->seen.excess <= MET_NEARLY; }

/* Newton's method doubles the digits of a root, to the last step; of a double root it halves the distance, at each.
   Where the gradient of a constraint vanishes there, the rounding that is left of it would say how the system moves:
   its row, or SIZE_MAX. */
static size_t find_vanishing(const mech_assembly *a)
{
    enum { MANY = 12 };
    if (a->level != POSITION || a->newton.turns <= MANY || fmax(a->newton.fall[0], a->newton.fall[1]) <= TOL_SLOW)
        return SIZE_MAX;
    double *weight = a->seen.row_size;
    weigh_rows(a, weight, NULL);
    for (size_t i = 0; i < a->m; i++)
        if (a->seen.active[i] && weight[i] < TOL_VANISHED * a->seen.weight[i]) return i;
    return SIZE_MAX;
}

/* Once round: a step by which the residual falls; where there is none, a nudge. */
static mech_status go_on(onto *o)
{
    mech_assembly *a = o->user;
    int has_change = 0;
    o->is_done = a->newton.is_finite && a->seen.excess <= 1;
    if (o->is_done || o->turn == o->most) return MECH_OK;
    if (a->newton.is_finite) MECH_TRY(newton_change(a, &has_change));
    if (has_change && damped_step(a)) return MECH_OK;
    /* rounding, a conflict; no help */
    o->is_done = (a->newton.is_finite && assembly_is_met(a)) || a->newton.nudges == MOST_NUDGES || a->held.is_on;
    if (o->is_done) return MECH_OK;
    nudge(a, a->newton.nudges++);
    a->newton.is_finite = glance(a);
    return MECH_OK;
}

mech_status assembly_onto_all(mech_assembly *a, int *is_met)
{
    *is_met = 0;
    a->newton.turns = a->newton.nudges = 0;
    a->newton.is_finite = glance(a);
    weigh_rows(a, a->seen.weight, NULL);
    MECH_TRY(onto_rows(&(onto){.most = MOST_ITERATIONS, .user = a, .look = go_on}));
    *is_met = a->newton.is_finite && assembly_is_met(a);
    return MECH_OK;
}

/* Marks what is left out beside a point: constraints whose gradients are nothing there, and `initial` values. Returns
   how many constraints. here: (m) sums of |A_ij|. */
static size_t leave_out_flat(mech_assembly *a, double *here)
{
    double most = 1;
    size_t count = 0;
    weigh_rows(a, here, NULL);
    for (size_t i = 0; i < a->m; i++) most = fmax(most, here[i]);
    for (size_t i = 0; i < a->m; i++) {
        a->left_out[i] = a->seen.active[i] && here[i] <= TOL_RANK * most && !mech_system_row(a->system, i).is_control;
        count += a->left_out[i];
    }
    memset(a->left_out + a->m, 1, a->rows - a->m);
    return count;
}

/* By the size of a nudge, in one direction after another, the same ones every time. */
static void step_aside(mech_assembly *a, int count)
{
    const double size = nudge_size(a);
    for (size_t j = 0; j < a->n; j++) a->x[j] += size * cos((count + 1) * (1 + 2.4 * (double)j));
}

/* The same where the search begins or ends at such a point at once: the gradient is nothing beside what it is a step
   aside, and there the other rows do not keep the constraint. One that they keep is redundant: a pin that closes a loop
   in line has such a row. One that is missed to both sides is no square: motions cross there, as those of a
   parallelogram do in line, and velocities say which it is. *row: SIZE_MAX where there is none. */
static mech_status find_flat(mech_assembly *a, size_t *row)
{
    enum { FEWEST_LOOKS = 2, LOOKS = 16 };
    double *x = a->x_flat, *here = x + a->n, *beside = a->seen.row_scale, miss = 0;
    int is_met, is_crossed = 0;
    mech_status status = MECH_OK;
    *row = SIZE_MAX;
    if (a->level != POSITION) return MECH_OK;
    memcpy(x, a->x, a->n * sizeof *x);
    for (int k = 0; k < (*row == SIZE_MAX ? FEWEST_LOOKS : LOOKS) && !is_crossed && status == MECH_OK; k++) {
        if (!leave_out_flat(a, here)) break;
        step_aside(a, k);
        status = assembly_onto_all(a, &is_met);
        memcpy(a->member, a->left_out, a->rows);
        memset(a->left_out, 0, a->rows);
        assembly_look(a);
        weigh_rows(a, beside, NULL);
        for (size_t i = a->m; status == MECH_OK && is_met && i-- > 0;) {
            if (!a->member[i] || !(here[i] < TOL_RANK * beside[i]) || (*row != SIZE_MAX && i != *row)) continue;
            if (!(fabs(a->seen.b[i]) > MET_NEARLY * a->seen.row_size[i])) continue;
            is_crossed |= miss * a->seen.b[i] < 0;
            miss = a->seen.b[i];
            *row = i;
        }
        memcpy(a->x, x, a->n * sizeof *x);
        a->newton.is_finite = assembly_look(a);
    }
    if (is_crossed) *row = SIZE_MAX;
    memset(a->left_out, 0, a->rows);
    return status;
}

mech_status assembly_see_flat(mech_assembly *a, size_t vanishing, int *is_met)
{
    if (vanishing == SIZE_MAX) MECH_TRY(find_flat(a, &vanishing));
    if (vanishing == SIZE_MAX) return MECH_OK;
    *is_met = 0;
    return assembly_report_vanishing(a, vanishing);
}

mech_status assembly_newton(mech_assembly *a, int *is_met)
{
    MECH_TRY(assembly_onto_all(a, is_met));
    if (!*is_met && a->newton.is_finite) assembly_look(a); /* who goes on from here looks at all of it */
    if (*is_met) MECH_TRY(assembly_see_flat(a, find_vanishing(a), is_met));
    return a->newton.is_finite ? MECH_OK : assembly_set_point(a);
}

void assembly_report_moves(mech_assembly *a)
{
    double most[2] = {0, 0};
    a->move_count = 0;
    for (size_t i = 0; i < 2 * a->n; i++) most[i / a->n] = fmax(most[i / a->n], fabs(a->y[i] - a->y_given[i]));
    for (size_t i = 0; i < 2 * a->n; i++) {
        const double from = a->y_given[i], to = a->y[i];
        if (fabs(to - from) > TOL_MOVED * fmax(fabs(from), most[i / a->n]))
            a->moves[a->move_count++] = (mech_move){.name = a->names[i], .from = from, .to = to};
    }
}

/* A guess of an expression says where the search begins as that of a coordinate does: where it is met, with all else,
   or missed least. From there it is let go. */
static mech_status meet_guesses(mech_assembly *a)
{
    int is_met;
    if (assembly_is_given(a, a->level) || !(a->all_ask & GUESSES << a->level)) return MECH_OK;
    memcpy(a->x_flat, a->x, a->n * sizeof *a->x);
    a->meets_guesses = 1;
    const mech_status status = assembly_onto_all(a, &is_met);
    if (status == MECH_OK && !is_met && assembly_look(a)) assembly_least_squares(a);
    a->meets_guesses = 0;
    if (!assembly_look(a)) memcpy(a->x, a->x_flat, a->n * sizeof *a->x);
    return status;
}

/* What is given as a whole must be right as it is, to what people write down. */
static int is_right_as_given(mech_assembly *a)
{
    int is_right = assembly_look(a);
    for (size_t i = 0; i < a->rows; i++) is_right &= !(fabs(a->seen.b[i]) > TOL_GIVEN * a->seen.row_scale[i]);
    return is_right;
}

void assembly_begin_level(mech_assembly *a, int level)
{
    a->level = level;
    a->x = a->y + (level == POSITION ? 0 : a->n);
}

static mech_status assemble_both(mech_assembly *a, int with_control, int *is_met)
{
    *is_met = 1;
    a->with_control = with_control;
    assembly_find_new(a);
    for (int level = POSITION; level <= VELOCITY && *is_met; level++) {
        assembly_begin_level(a, level);
        a->is_kept = assembly_is_given(a, level) && a->given.is_fixed;
        if (a->is_kept) {
            *is_met = is_right_as_given(a);
            continue;
        }
        MECH_TRY(assembly_hold_values(a, is_met));
        if (!*is_met) MECH_TRY(meet_guesses(a));
        memset(a->left_out, 0, a->rows);
        MECH_TRY(assembly_newton(a, is_met));
        /* a servo's path that is not met is approached: it is not worth a search */
        if (!*is_met && !with_control) MECH_TRY(assembly_recover(a, is_met));
    }
    return MECH_OK;
}

/* A value that is no number, as asin(1.5), is no start. */
static mech_status refuse_values(mech_assembly *a, unsigned given)
{
    for (size_t k = 0; k < a->sizes.targets; k++) {
        const mech_target info = mech_system_target(a->system, k);
        const mech_variable level = a->target_level[k] == POSITION ? MECH_VARIABLE_Q : MECH_VARIABLE_V;
        const mech_variable of = info.variable == MECH_VARIABLE_EXPRESSION ? level : info.variable;
        const double value = a->eq->target_value[k];
        if (given & 1u << of || isfinite(value)) continue;
        char *text = system_target_text(a->system, k);
        snprintf(a->error, sizeof a->error, "%s %s: the value is %s", info.is_fixed ? "initial" : "guess",
                 text ? text : "", isnan(value) ? "not a number" : "infinite");
        mech_text_free(text);
        return MECH_ERR_NOT_FINITE;
    }
    return MECH_OK;
}

static mech_status assemble(mech_assembly *a)
{
    const unsigned given = (a->given.q ? 1u << MECH_VARIABLE_Q : 0) | (a->given.v ? 1u << MECH_VARIABLE_V : 0) |
                           (a->given.z ? 1u << MECH_VARIABLE_Z : 0);
    int is_met = 0;
    const int is_whole = eval_take_initial(a->eval, a->given.t, a->y, a->y + a->n, a->y + 2 * a->n, given);
    memcpy(a->y_given, a->y, (2 * a->n + a->nz) * sizeof *a->y);
    if (!is_whole) MECH_TRY(refuse_values(a, given));
    if (a->given.start == MECH_START_AS_GIVEN) {
        MECH_IGNORE(assembly_set_point(a)); /* who goes on from there will see */
        return MECH_OK;
    }
    /* a servo's path is met at once where that is possible, else approached */
    if (a->m > a->sizes.natural_rows) MECH_TRY(assemble_both(a, 1, &is_met));
    if (!is_met) {
        memcpy(a->y, a->y_given, (2 * a->n + a->nz) * sizeof *a->y);
        MECH_TRY(assemble_both(a, 0, &is_met));
    }
    if (!is_met) return assembly_report(a);
    assembly_report_moves(a);
    return MECH_OK;
}

void mech_assemble_options_default(mech_assemble_options *options, size_t size)
{
    const mech_assemble_options defaults = {.atol = (double)NAN};
    options_default(options, size, &defaults, sizeof defaults);
}

static void take_values(double *to, const double *given, size_t count)
{
    if (given && count) memcpy(to, given, count * sizeof *to);
    else if (count) memset(to, 0, count * sizeof *to);
}

/* The first failure that has no words of its own gets those of the evaluation. */
static mech_status explain(mech_assembly *a, mech_status status)
{
    if (status == MECH_OK || a->error[0]) return status;
    char *words = status == MECH_ERR_NOT_FINITE ? mech_eval_explain(a->eval) : NULL;
    snprintf(a->error, sizeof a->error, "%s", words ? words : mech_status_text(status));
    mech_text_free(words);
    return status;
}

mech_status assembly_take_options(mech_assembly *a, const mech_assemble_options *options)
{
    a->move_count = 0;
    a->error[0] = 0;
    mech_assemble_options_default(&a->given, sizeof a->given);
    if (options_take(&a->given, sizeof a->given, options) != MECH_OK) {
        snprintf(a->error, sizeof a->error, "%s", OPTIONS_UNSIZED);
        return MECH_ERR_ARGUMENT;
    }
    if (isnan(a->given.atol)) {
        MECH_IGNORE(mech_eval_option(a->eval, "atol", &a->given.atol, NULL));
        a->given.atol = a->given.atol > 0 ? fmin(a->given.atol, TOL_ATOL) : TOL_ATOL;
    }
    take_values(a->y, a->given.q, a->n);
    take_values(a->y + a->n, a->given.v, a->n);
    take_values(a->y + 2 * a->n, a->given.z, a->nz);
    return MECH_OK;
}

mech_status mech_assemble(mech_assembly *a, const mech_assemble_options *options)
{
    MECH_TRY(assembly_take_options(a, options));
    return explain(a, a->sizes.contacts ? assembly_onto_sides(a, assemble) : assemble(a));
}

const char *mech_assembly_error_text(const mech_assembly *a) { return a->error; }
const double *mech_assembly_q(const mech_assembly *a) { return a->y; }
const double *mech_assembly_v(const mech_assembly *a) { return a->y + a->n; }
const double *mech_assembly_z(const mech_assembly *a) { return a->y + 2 * a->n; }
size_t mech_assembly_move_count(const mech_assembly *a) { return a->move_count; }

mech_move mech_assembly_move(const mech_assembly *a, size_t index)
{
    return index < a->move_count ? a->moves[index] : (mech_move){0};
}
