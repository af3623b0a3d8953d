/* A plan: grids, tables and distributions, and the values of run k from k alone. */
#include "ensemble/plan.h"

#include "base/mem.h"
#include "base/try.h"
#include "ensemble/numbers.h"
#include "system/owner.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static mech_status refuse(mech_plan *p, mech_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static mech_status refuse(mech_plan *p, mech_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error, sizeof p->error, format, arguments);
    va_end(arguments);
    return status;
}

mech_status mech_plan_create(const mech_system *system, mech_plan **plan)
{
    if (!plan) return MECH_ERR_ARGUMENT;
    *plan = NULL;
    if (!system) return MECH_ERR_ARGUMENT;
    mech_plan *p = mem_zeroed(1, sizeof *p);
    if (!p) return MECH_ERR_MEMORY;
    p->system = system;
    p->points = 1;
    *plan = p;
    return MECH_OK;
}

void mech_plan_free(mech_plan *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->column_count; i++) mem_free(p->columns[i].name);
    for (size_t i = 0; i < p->axis_count; i++) mem_free(p->axes[i].data);
    mem_free(p->columns);
    mem_free(p->axes);
    mem_free(p);
}

/* ---- what a name is ---- */

static size_t find_target(const mech_system *s, mech_variable variable, size_t index)
{
    for (size_t k = mech_system_sizes(s).targets; k-- > 0;) { /* a later statement counts */
        const mech_target t = mech_system_target(s, k);
        if (t.variable == variable && t.index == index) return k;
    }
    return SIZE_MAX;
}

/* The name as the model has it: Greek letters are spelt out. */
static mech_status take_name(mech_plan *p, plan_column *c, mech_item item, size_t index, const char *mark)
{
    const char *name = mech_system_name(p->system, item, index);
    for (size_t i = 0; i < p->column_count; i++)
        if (p->columns[i].param == c->param && p->columns[i].target == c->target)
            return refuse(p, MECH_ERR_ARGUMENT, "'%s%s' is varied twice", name, mark);
    const size_t length = strlen(name);
    c->name = mem_alloc(length + strlen(mark) + 1);
    if (!c->name) return refuse(p, MECH_ERR_MEMORY, "out of memory");
    memcpy(c->name, name, length);
    memcpy(c->name + length, mark, strlen(mark) + 1);
    return MECH_OK;
}

static mech_status find_start(mech_plan *p, const char *name, plan_column *c)
{
    char plain[256];
    const size_t length = strlen(name);
    const int is_velocity = length > 1 && name[length - 1] == '\'';
    if (length >= sizeof plain) return refuse(p, MECH_ERR_ARGUMENT, "a name of %zu bytes is too long", length);
    memcpy(plain, name, length + 1);
    if (is_velocity) plain[length - 1] = 0;
    mech_variable variable = is_velocity ? MECH_VARIABLE_V : MECH_VARIABLE_Q;
    size_t index = mech_system_find(p->system, MECH_ITEM_COORD, plain);
    if (index == SIZE_MAX && !is_velocity) {
        variable = MECH_VARIABLE_Z;
        index = mech_system_find(p->system, MECH_ITEM_STATE, plain);
    }
    if (index == SIZE_MAX)
        return refuse(p, MECH_ERR_ARGUMENT, "there is no parameter, coordinate, velocity or state '%s'", name);
    c->target = find_target(p->system, variable, index);
    if (c->target == SIZE_MAX)
        return refuse(p, MECH_ERR_ARGUMENT,
                      "the model does not say where %s starts: write `initial %s = 0` (or `guess`) in it", name, name);
    return take_name(p, c, variable == MECH_VARIABLE_Z ? MECH_ITEM_STATE : MECH_ITEM_COORD, index,
                     is_velocity ? "'" : "");
}

static mech_status add_column(mech_plan *p, const char *name, size_t place)
{
    plan_column c = {.param = SIZE_MAX, .target = SIZE_MAX, .axis = p->axis_count, .place = place};
    if (!name) return MECH_ERR_ARGUMENT;
    c.param = mech_system_find(p->system, MECH_ITEM_PARAM, name);
    if (c.param == SIZE_MAX) MECH_TRY(find_start(p, name, &c));
    else if (system_is_structural(p->system, c.param))
        return refuse(p, MECH_ERR_MODEL,
                      "parameter '%s' shapes the model: each of its values is another model, by --set", name);
    else MECH_TRY(take_name(p, &c, MECH_ITEM_PARAM, c.param, ""));
    if (!mem_grow(&p->columns, &p->column_capacity, p->column_count + 1, sizeof *p->columns)) {
        mem_free(c.name);
        return refuse(p, MECH_ERR_MEMORY, "out of memory");
    }
    p->columns[p->column_count++] = c;
    return MECH_OK;
}

static int are_too_many(const mech_plan *p, size_t points, size_t samples)
{
    return (double)points * (double)p->points * (double)(samples ? samples : 1) > 1e15;
}

static mech_status add_axis(mech_plan *p, const plan_axis *axis)
{
    if (are_too_many(p, axis->count, p->samples))
        return refuse(p, MECH_ERR_LIMIT, "there would be more runs than 1e15");
    if (!mem_grow(&p->axes, &p->axis_capacity, p->axis_count + 1, sizeof *p->axes))
        return refuse(p, MECH_ERR_MEMORY, "out of memory");
    p->axes[p->axis_count++] = *axis;
    p->points *= axis->count;
    return MECH_OK;
}

static mech_status check_sobol(mech_plan *p, mech_sequence sequence, size_t drawn)
{
    if (sequence != MECH_SEQUENCE_SOBOL || drawn <= SOBOL_DIMENSIONS) return MECH_OK;
    return refuse(p, MECH_ERR_LIMIT, "Sobol's points have at most %d coordinates here, and %zu names are drawn",
                  (int)SOBOL_DIMENSIONS, drawn);
}

/* A refusal leaves the plan as it was: with so many columns. */
static mech_status keep_columns(mech_plan *p, size_t count, mech_status status)
{
    while (status != MECH_OK && p->column_count > count) mem_free(p->columns[--p->column_count].name);
    return status;
}

mech_status mech_plan_vary(mech_plan *p, const char *name, mech_spread spread, double a, double b, size_t count)
{
    const int is_drawn = plan_is_drawn(spread);
    if (!p || (unsigned)spread > MECH_SPREAD_NORMAL) return MECH_ERR_ARGUMENT;
    if (!isfinite(a) || !isfinite(b) || !isfinite(b - a))
        return refuse(p, MECH_ERR_ARGUMENT, "the bounds of '%s' are not finite numbers", name ? name : "");
    if (spread == MECH_SPREAD_LOG && !(a > 0 && b > 0))
        return refuse(p, MECH_ERR_ARGUMENT, "equal ratios of '%s' want bounds above 0, not %g and %g", name, a, b);
    if (spread == MECH_SPREAD_NORMAL && !(b >= 0))
        return refuse(p, MECH_ERR_ARGUMENT, "the standard deviation of '%s' is negative: %g", name, b);
    if (spread == MECH_SPREAD_UNIFORM && b < a)
        return refuse(p, MECH_ERR_ARGUMENT, "'%s' is drawn from %g to %g: the first is the larger one", name, a, b);
    if (!is_drawn && (count == 0 || (count == 1 && a != b)))
        return refuse(p, MECH_ERR_ARGUMENT, "a grid of '%s' from %g to %g has at least 2 values", name, a, b);
    if (is_drawn && p->samples) MECH_TRY(check_sobol(p, p->sequence, p->drawn + 1));
    const size_t before = p->column_count;
    mech_status status = add_column(p, name, p->drawn);
    if (status == MECH_OK)
        status = add_axis(p, &(plan_axis){.spread = spread, .a = a, .b = b, .count = is_drawn ? 1 : count});
    if (status == MECH_OK) p->drawn += is_drawn != 0;
    return keep_columns(p, before, status);
}

mech_status mech_plan_table(mech_plan *p, const char *const *names, size_t columns, const double *data, size_t rows)
{
    if (!p || !names) return MECH_ERR_ARGUMENT;
    if (columns == 0 || rows == 0 || !data) return refuse(p, MECH_ERR_ARGUMENT, "the table has no rows");
    if (columns > SIZE_MAX / sizeof *data / rows) return MECH_ERR_LIMIT;
    for (size_t i = 0; i < rows * columns; i++)
        if (!isfinite(data[i]))
            return refuse(p, MECH_ERR_ARGUMENT, "row %zu of the table has no finite number for '%s'", i / columns + 1,
                          names[i % columns]);
    double *copy = mem_alloc(rows * columns * sizeof *copy);
    if (!copy) return refuse(p, MECH_ERR_MEMORY, "out of memory");
    memcpy(copy, data, rows * columns * sizeof *copy);
    const size_t before = p->column_count;
    mech_status status = MECH_OK;
    for (size_t i = 0; i < columns && status == MECH_OK; i++) status = add_column(p, names[i], i);
    if (status == MECH_OK) status = add_axis(p, &(plan_axis){.count = rows, .data = copy, .columns = columns});
    if (status != MECH_OK) mem_free(copy);
    return keep_columns(p, before, status);
}

mech_status mech_plan_sample(mech_plan *p, size_t samples, mech_sequence sequence, uint64_t seed)
{
    if (!p || samples == 0) return MECH_ERR_ARGUMENT;
    MECH_TRY(check_sobol(p, sequence, p->drawn));
    if (sequence == MECH_SEQUENCE_SOBOL && samples > UINT32_MAX)
        return refuse(p, MECH_ERR_LIMIT, "there are 2^32 points of Sobol's, and no more");
    if (are_too_many(p, 1, samples)) return refuse(p, MECH_ERR_LIMIT, "there would be more runs than 1e15");
    p->samples = samples;
    p->sequence = sequence;
    p->seed = seed;
    return MECH_OK;
}

const char *mech_plan_error_text(const mech_plan *p) { return p->error; }
size_t mech_plan_runs(const mech_plan *p)
{
    return p->axis_count == 0 ? 0 : p->drawn ? p->points * p->samples : p->points;
}
size_t mech_plan_columns(const mech_plan *p) { return p->column_count; }
const char *mech_plan_name(const mech_plan *p, size_t column)
{
    return column < p->column_count ? p->columns[column].name : NULL;
}

mech_spread mech_plan_spread(const mech_plan *p, size_t column, size_t *count)
{
    const plan_axis *axis = &p->axes[p->columns[column].axis];
    if (count) *count = plan_is_drawn(axis->spread) ? p->samples : axis->count;
    return axis->spread;
}

/* ---- the values ---- */

static double grid_value(const plan_axis *axis, size_t k)
{
    if (k + 1 == axis->count) return axis->b;
    if (k == 0) return axis->a;
    const double part = (double)k / (double)(axis->count - 1);
    return axis->spread == MECH_SPREAD_LOG ? axis->a * pow(axis->b / axis->a, part)
                                           : axis->a + part * (axis->b - axis->a);
}

static double drawn_value(const mech_plan *p, const plan_axis *axis, size_t sample, size_t place)
{
    const double x = p->sequence == MECH_SEQUENCE_SOBOL ? sobol_at(p->seed, (uint32_t)sample, (unsigned)place)
                                                        : random_at(p->seed, sample, (uint32_t)place);
    return axis->spread == MECH_SPREAD_NORMAL ? axis->a + axis->b * normal_quantile(x)
                                              : axis->a + x * (axis->b - axis->a);
}

void mech_plan_point(const mech_plan *p, size_t run, double *values)
{
    const size_t sample = p->drawn ? run % p->samples : 0;
    size_t point = p->drawn ? run / p->samples : run;
    size_t column = p->column_count;
    for (size_t i = p->axis_count; i-- > 0;) {
        const plan_axis *axis = &p->axes[i];
        const size_t k = point % axis->count;
        point /= axis->count;
        for (; column > 0 && p->columns[column - 1].axis == i; column--) {
            const plan_column *c = &p->columns[column - 1];
            values[column - 1] = axis->data                    ? axis->data[k * axis->columns + c->place]
                                 : plan_is_drawn(axis->spread) ? drawn_value(p, axis, sample, c->place)
                                                               : grid_value(axis, k);
        }
    }
}
