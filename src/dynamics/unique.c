/* What is not unique: see unique.h. */
#include "dynamics/unique.h"

#include "base/try.h"
#include "base/tolerances.h"
#include "system/sizes.h"

#include <math.h>
#include <string.h>

enum { LENGTHS = 6 };

/* Conditions only jump, so that long steps are tried too. */
static const double lengths[LENGTHS] = {1, -1, 1e3, -1e3, 1e6, -1e6};

size_t unique_room(size_t rows, size_t count) { return 4 * count + 3 * rows + 1; }

static void look(const unique_probe *p, const double *lambda, const double *total, double *values)
{
    memset(values, 0, p->count * sizeof *values);
    p->values(p->user, lambda, total, values);
    for (size_t i = 0; i < p->count; i++)
        if (!isfinite(values[i])) values[i] = 0;
}

static double largest(const double *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* How large multipliers are that hold forces as large as those at the point. */
static double usual(const dynamics *d)
{
    const double row = largest(d->eq->A, mech_system_pattern(d->system, MECH_MATRIX_A).count);
    return row > 0 ? fmax(largest(d->eq->Q, d->n), largest(d->Qi, d->n)) / row : 0;
}

void unique_begin(unique_probe *p, const dynamics *d, double *room)
{
    double **const parts[] = {&p->still, &p->moved, &p->scale, &p->size, &p->other_lambda, &p->other_total, &p->w};
    for (size_t k = 0; k < 7; room += k < 4 ? p->count : p->rows, k++) *parts[k] = room;
    p->step = fmax(largest(p->total, p->rows), usual(d));
    if (!(p->step > 0)) p->step = 1;
    look(p, p->lambda, p->total, p->still);
}

/* p->moved with the multipliers a way along w: over row `only`, or over all rows (SIZE_MAX). What laws add to the ideal
   ones stays. */
static void move(unique_probe *p, size_t only, double way)
{
    for (size_t i = 0; i < p->rows; i++) {
        const double by = only == SIZE_MAX || only == i ? way * p->w[i] : 0;
        p->other_lambda[i] = p->lambda[i] + by;
        p->other_total[i] = p->total[i] + by;
    }
    look(p, p->other_lambda, p->other_total, p->moved);
}

int unique_reads_any(unique_probe *p)
{
    for (size_t i = 0; i < p->rows; i++) p->w[i] = 1 + 0.37 * cos(1.0 + 2.1 * (double)i);
    for (size_t k = 0; k < LENGTHS; k++) {
        move(p, SIZE_MAX, lengths[k] * p->step);
        if (memcmp(p->moved, p->still, p->count * sizeof(double)) != 0) return 1;
    }
    return 0;
}

/* What of a change is rounding: of the multipliers in w, of the value itself, and of the terms it is made of. */
static double rounding(const unique_probe *p, size_t i, double length)
{
    return TOL_CHOICE * fabs(length) * p->scale[i] + TOL_CHOICE_LEAST * fabs(p->still[i]) +
           TOL_CHOICE_TERMS * p->size[i];
}

/* Which values change along w; whether any does. */
static int changes(unique_probe *p, unsigned char *does)
{
    int any = 0;
    memset(p->scale, 0, p->count * sizeof(double));
    memset(does, 0, p->count);
    for (size_t row = 0; row < p->rows; row++) {
        if (p->w[row] == 0) continue;
        move(p, row, p->step);
        for (size_t i = 0; i < p->count; i++) p->scale[i] += fabs(p->moved[i] - p->still[i]);
    }
    for (size_t k = 0; k < LENGTHS; k++) {
        move(p, SIZE_MAX, lengths[k] * p->step);
        memset(p->size, 0, p->count * sizeof(double));
        if (p->sizes) p->sizes(p->user, p->size);
        for (size_t i = 0; i < p->count; i++)
            if (fabs(p->moved[i] - p->still[i]) > rounding(p, i, lengths[k])) does[i] = 1, any = 1;
    }
    return any;
}

void unique_aim(unique_probe *p, const mech_diagnosis_result *found, size_t row)
{
    const size_t rows = (size_t)found->m;
    memset(p->w, 0, p->rows * sizeof *p->w);
    for (size_t k = 0; k < rows; k++) p->w[k] = k == row ? 1 : -found->depends[row + k * rows];
}

int unique_next(unique_probe *p, const mech_diagnosis_result *found, size_t *row, unsigned char *does)
{
    const size_t rows = (size_t)found->m;
    for (size_t i; (i = *row) < rows;) {
        ++*row;
        if (!found->redundant[i]) continue;
        unique_aim(p, found, i);
        if (changes(p, does)) return 1;
    }
    return 0;
}

int unique_reads(unique_probe *p, size_t item, size_t row)
{
    for (size_t k = 0; k < LENGTHS; k++) {
        move(p, row, lengths[k] * p->step);
        if (p->moved[item] != p->still[item]) return 1;
    }
    return 0;
}

/* ---- laws ---- */

static void law_values(void *user, const double *lambda, const double *total, double *C)
{
    MECH_IGNORE(dynamics_law(user, lambda, total, C, NULL)); /* what is not finite does not count */
}

mech_status dynamics_diagnose(dynamics *d, mech_diagnosis *diagnosis, int is_solved, unsigned char *natural)
{
    for (size_t i = 0; i < d->rows; i++) natural[i] = d->active[i] && !d->servo[i];
    if (is_solved) dynamics_put_stopped(d, natural);
    const mech_fundamental_input equation = dynamics_equation(d, d->eq->Q, natural);
    const mech_diagnosis_input input = {.size = sizeof input, .equation = &equation};
    return mech_diagnosis_run(diagnosis, &input);
}

/* The rows of w that the laws look at. */
static int blame(unique_probe *p, const unsigned char *does, int *culprit)
{
    int count = 0;
    for (size_t row = 0; row < p->rows; row++) {
        int reads = 0;
        for (size_t k = 0; p->w[row] != 0 && k < p->count && !reads; k++) reads = does[k] && unique_reads(p, k, row);
        if (reads) culprit[count++] = (int)row;
    }
    return count;
}

/* Friction that constraints stop counts as what holds: its share is as open as theirs. */
static void hold_stopped(dynamics *d, const unsigned char *natural, int holds)
{
    for (size_t k = 0; k < d->sizes.frictions; k++) {
        const size_t row = d->m + d->friction[k].law.first;
        if (natural[row] && !d->active[row]) d->friction[k].mode.holds = holds;
    }
}

mech_status dynamics_check_laws(dynamics *d, mech_diagnosis *diagnosis, const double *lambda, const double *total,
                                double *room, unsigned char *does, unsigned char *mark, int *culprit, int *culprits)
{
    mech_status status = MECH_OK;
    unique_probe p = {.rows = d->rows,
                      .count = d->n,
                      .lambda = lambda,
                      .total = total ? total : lambda,
                      .values = law_values,
                      .user = d};
    if (!(d->laws_use_reaction || dynamics_slides(d)) || mech_system_allows_leastnorm(d->system)) return MECH_OK;
    MECH_TRY(dynamics_diagnose(d, diagnosis, total != NULL, mark));
    const mech_diagnosis_result *found = mech_diagnosis_get(diagnosis);
    hold_stopped(d, mark, 1);
    unique_begin(&p, d, room);
    size_t row = 0;
    if (unique_next(&p, found, &row, does)) {
        *culprits = blame(&p, does, culprit);
        status = MECH_ERR_NOT_UNIQUE;
    }
    hold_stopped(d, mark, 0);
    return status;
}

/* ---- outputs ---- */

typedef struct reader {
    dynamics *d;
    double *sizes; /* (system_sizes_room) */
} reader;

static void outputs_at(void *user, const double *lambda, const double *total, double *values)
{
    dynamics *d = ((const reader *)user)->d;
    dynamics_show_outputs(d, lambda, total);
    memcpy(values, d->eq->output, d->sizes.outputs * sizeof *values);
}

static void sizes_there(void *user, double *sizes)
{
    const reader *r = user;
    system_value_sizes size;
    if (!system_sizes_values(r->d->eval, r->sizes, &size)) return;
    memcpy(sizes, size.output, r->d->sizes.outputs * sizeof *sizes);
}

void dynamics_mark_outputs(dynamics *d, const mech_diagnosis_result *found, double *room, double *sizes,
                           unsigned char *does, unsigned char *is_choice)
{
    reader r = {d, sizes};
    unique_probe p = {.rows = d->rows,
                      .count = d->sizes.outputs,
                      .lambda = d->lambda,
                      .total = d->total,
                      .values = outputs_at,
                      .sizes = sizes_there,
                      .user = &r};
    if (memchr(found->redundant, 1, d->rows) == NULL || d->sizes.outputs == 0) return;
    unique_begin(&p, d, room);
    for (size_t row = 0; unique_next(&p, found, &row, does);)
        for (size_t k = 0; k < d->sizes.outputs; k++) is_choice[k] |= does[k];
}
