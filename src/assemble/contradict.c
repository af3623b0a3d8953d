/* Rows that depend on one another at a state off the constraints: do they say the same, or contradict one another? */
#include <mech/assemble.h>
#include <mech/fundamental.h>

#include "base/mem.h"
#include "base/tolerances.h"
#include "system/owner.h"

#include <math.h>
#include <stdio.h>

static const char *const level_words[] = {"", "position", "velocity", "acceleration"};

/* The part of row i that is row k; of the row itself -1. */
static double share(const mech_instant_result *r, size_t i, size_t k)
{
    return k == i ? -1 : r->diagnosis->depends[i + k * r->rows];
}

/* Does a value of row i not follow from those of the rows that it is made of? Off the constraints also rows that
   agree may miss by what the squares of their residuals bring: the assembly decides. */
static int differs(const mech_instant_result *r, size_t i, const double *values)
{
    double sum = 0, size = 0;
    for (size_t k = 0; k < r->m; k++) {
        sum += share(r, i, k) * values[k];
        size += fabs(share(r, i, k) * values[k]);
    }
    return fabs(sum) > TOL_AGREES * size && fabs(sum) > TOL_AGREES_LEAST;
}

/* The first level at which row i differs; MECH_CONTRADICTION_NONE: none, or not all rows are constraints of nature. */
static mech_contradiction level_of(const mech_system *system, const mech_instant_result *r, size_t i)
{
    int is_holonomic = 1;
    for (size_t k = 0; k < r->rows; k++) {
        if (share(r, i, k) == 0) continue;
        if (k >= r->m || mech_system_row(system, k).is_control) return MECH_CONTRADICTION_NONE;
        is_holonomic = is_holonomic && mech_system_row(system, k).level == MECH_LEVEL_HOLONOMIC;
    }
    if (is_holonomic && differs(r, i, r->r)) return MECH_CONTRADICTION_POSITION;
    if (differs(r, i, r->r_dot)) return MECH_CONTRADICTION_VELOCITY;
    return differs(r, i, r->b) ? MECH_CONTRADICTION_ACCELERATION : MECH_CONTRADICTION_NONE;
}

static int takes_part(const mech_system *system, const mech_instant_result *r, size_t i, size_t constraint)
{
    size_t count;
    const size_t first = mech_system_constraint_rows(system, constraint, &count);
    for (size_t k = first; k < first + count; k++)
        if (share(r, i, k) != 0) return 1;
    return 0;
}

/* The rows in force at the state of the evaluation, A q'' = b, have a solution. */
static mech_status has_acceleration(const mech_eval *eval)
{
    const mech_equation *eq = mech_eval_equation(eval);
    const mech_sizes sizes = mech_system_sizes(mech_eval_system(eval));
    const size_t n = sizes.coords, m = sizes.rows;
    mech_fundamental *solver = NULL;
    double *qdd = mem_alloc((n + 1) * sizeof *qdd);
    mech_status status = qdd ? mech_fundamental_create((int)n, (int)m, NULL, &solver) : MECH_ERR_MEMORY;
    const mech_fundamental_input in = {
        .size = sizeof in, .M = eq->M_dense, .Q = eq->Q, .A = eq->A_dense, .b = eq->b, .active = eq->active};
    mech_fundamental_output out = {.size = sizeof out, .qdd = qdd};
    if (status == MECH_OK) status = mech_fundamental_solve(solver, &in, &out);
    for (size_t i = 0; i < m && status == MECH_OK; i++) {
        double miss = -eq->b[i], size = fabs(miss);
        for (size_t j = 0; j < n; j++) {
            miss += eq->A_dense[i + j * m] * qdd[j];
            size += fabs(eq->A_dense[i + j * m] * qdd[j]);
        }
        if (eq->active[i] && fabs(miss) > TOL_ACCELERATION * size) status = MECH_ERR_CONFLICT;
    }
    mech_fundamental_free(solver);
    mem_free(qdd);
    return status;
}

/* Is there a state near this one, with an acceleration, that meets the constraints of row i and of those it depends
   on, and no others? */
static mech_status assemble_alone(const mech_instant *instant, const mech_instant_result *r, size_t i)
{
    const mech_system *system = mech_instant_system(instant);
    const double *p = mech_eval_equation(mech_instant_eval(instant))->p;
    const mech_sizes sizes = mech_system_sizes(system);
    mech_assemble_options options;
    mech_eval *eval = NULL;
    mech_assembly *assembly = NULL;
    mech_assemble_options_default(&options, sizeof options);
    options.t = r->t;
    options.q = r->q;
    options.v = r->v;
    options.z = sizes.states ? r->z : NULL;
    mech_status status = mech_eval_create(system, MECH_STORAGE_DENSE, &eval);
    for (size_t k = 0; k < sizes.params && status == MECH_OK; k++)
        if (p[k] != mech_eval_equation(eval)->p[k]) status = mech_eval_set_param_at(eval, k, p[k]);
    for (size_t c = 0; c < sizes.constraints && status == MECH_OK; c++)
        if (!takes_part(system, r, i, c)) status = mech_eval_set_active(eval, c, 0);
    if (status == MECH_OK) status = mech_assembly_create(eval, &assembly);
    if (status == MECH_OK) status = mech_assemble(assembly, &options);
    if (status == MECH_OK) status = has_acceleration(eval);
    mech_assembly_free(assembly);
    mech_eval_free(eval);
    const int is_missed = status == MECH_ERR_CONFLICT || status == MECH_ERR_NO_START;
    return is_missed || status == MECH_ERR_MEMORY ? status : MECH_OK; /* what else is wrong is said elsewhere */
}

static void describe(const mech_system *system, const mech_instant_result *r, size_t i, mech_contradiction level,
                     mech_status status, char *text, size_t size)
{
    const double *values = level == MECH_CONTRADICTION_POSITION   ? r->r
                           : level == MECH_CONTRADICTION_VELOCITY ? r->r_dot
                                                                  : r->b;
    const char *const lead = level == MECH_CONTRADICTION_ACCELERATION ? "right side" : "missed here by";
    const char *const words = status == MECH_ERR_NO_START
                                  ? "no %s was found that meets these constraints together: "
                                  : "these constraints contradict one another, no %s meets them together: ";
    size_t used = (size_t)snprintf(text, size, words, level_words[level]);
    for (size_t k = 0, count = 0; k < r->m && used < size; k++)
        if (share(r, i, k) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s (%s %.6g)", count++ ? ", " : "",
                                     mech_system_row_name(system, k), lead, values[k]);
}

mech_status mech_find_contradictions(const mech_instant *instant, mech_contradictions *found)
{
    const mech_system *system = mech_instant_system(instant);
    const mech_instant_result *r = mech_instant_get(instant);
    *found = (mech_contradictions){.size = sizeof *found};
    if (!r->diagnosis || r->is_reweighted) return MECH_OK;
    for (size_t i = 0; i < r->m; i++) {
        const mech_contradiction level = r->diagnosis->redundant[i] ? level_of(system, r, i) : MECH_CONTRADICTION_NONE;
        if (level == MECH_CONTRADICTION_NONE) continue;
        const mech_status status = assemble_alone(instant, r, i);
        if (status == MECH_OK) continue;
        if (status != MECH_ERR_MEMORY && !found->rows) {
            found->rows = mem_zeroed(r->rows + 1, 1);
            if (found->rows) describe(system, r, i, level, status, found->words, sizeof found->words);
        }
        if (status == MECH_ERR_MEMORY || !found->rows) return MECH_ERR_MEMORY;
        found->rows[i] = (unsigned char)level;
    }
    return found->rows ? MECH_ERR_CONFLICT : MECH_OK;
}

void mech_contradictions_clear(mech_contradictions *found)
{
    mem_free(found->rows);
    found->rows = NULL;
}
