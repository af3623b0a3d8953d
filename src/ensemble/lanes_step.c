/* One attempt of all lanes: the step of integrate/rk.c, by the same tables, each lane with its own step. */
#include "ensemble/lanes.h"

#include "base/tolerances.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

enum { MOST_CALLS = 4 }; /* with a check, at the end of a step */

static lanes_terms compact(const double *row, int count)
{
    lanes_terms t = {0};
    for (int j = 0; j < count; j++) {
        if (row[j] == 0) continue;
        t.stage[t.count] = j;
        t.value[t.count++] = row[j];
    }
    return t;
}

/* ---- the slope ---- */

static void aim_inputs(lanes *w, const double *time, const double *y)
{
    const system_inputs *in = &w->code->system->in;
    const size_t n = w->code->n;
    w->inputs[in->t] = time;
    for (size_t i = 0; i < n; i++) {
        w->inputs[in->q + i] = y + i * LANES;
        w->inputs[in->v + i] = y + (n + i) * LANES;
    }
    for (size_t i = 0; i < w->code->nz; i++) w->inputs[in->z + i] = y + (2 * n + i) * LANES;
}

void lanes_evaluate(lanes *w, const double *time, const double *y, double *slope, int with_check)
{
    const lanes_code *c = w->code;
    const size_t n = c->n, nz = c->nz, checks = with_check ? 2 * c->m + 2 * n + 3 : 0;
    _Alignas(64) lanes_mask doubt;
    aim_inputs(w, time, y);
    for (size_t i = 0; i < n; i++) w->outputs[i] = slope + (n + i) * LANES;
    w->outputs[n] = slope + (c->ny - 1) * LANES;
    for (size_t i = 0; i < nz; i++) w->outputs[n + 1 + i] = slope + (2 * n + i) * LANES;
    for (size_t i = 0; i < checks; i++) w->outputs[n + 1 + nz + c->m + i] = w->check + i * LANES;
    memset(doubt, 0, sizeof doubt);
    tape_run_lanes(c->motion, w->inputs, w->motion_slots, n, with_check, w->outputs, doubt);
    memcpy(slope, y + n * LANES, n * LANES * sizeof *slope);
    for (size_t j = 0; j < LANES; j++) w->doubt[j] |= doubt[j];
}

/* ---- the step ---- */

static void take_stage(lanes *w, const lanes_vectors *by, const double *row, int s, double *to)
{
    const lanes_terms terms = compact(row, s);
    by->combine(w->code->ny, &terms, w->slope, w->y, w->clock.used, to);
}

/* Stages, the end and the slope there. What the interpolant alone needs follows where somebody looks at it. */
static void take_stages(lanes *w, const lanes_vectors *by)
{
    const rk_tableau *table = w->code->table;
    lanes_clock *c = &w->clock;
    for (int s = 1; s < table->stages; s++) {
        take_stage(w, by, table->a[s], s, w->stage);
        for (size_t j = 0; j < LANES; j++) w->time[j] = c->t[j] + table->c[s] * c->used[j];
        lanes_evaluate(w, w->time, w->stage, w->slope[s], 0);
    }
    take_stage(w, by, table->a[table->stages], table->stages, w->y_new);
    lanes_evaluate(w, c->t_new, w->y_new, w->slope[table->stages], w->code->m > 0);
}

static void judge(lanes *w, const lanes_vectors *by)
{
    const rk_tableau *table = w->code->table;
    const lanes_terms error = compact(table->e, table->stages + 1), second = compact(table->e3, table->stages + 1);
    const size_t ny = w->code->ny;
    by->combine(ny, &error, w->slope, NULL, NULL, w->work);
    if (second.count) by->combine(ny, &second, w->slope, NULL, NULL, w->work2);
    by->judge(ny - 1, w->y, w->y_new, w->work, second.count ? w->work2 : NULL, &w->clock);
    for (size_t j = 0; j < LANES; j++) w->doubt[j] |= -(int64_t) !(w->clock.error[j] < 1e300);
}

static void make_dense(lanes *w, const lanes_vectors *by)
{
    const rk_tableau *table = w->code->table;
    const size_t ny = w->code->ny;
    _Alignas(64) lanes_mask before;
    memcpy(before, w->doubt, sizeof before);
    for (int s = table->stages + 1; s < table->dense_stages; s++) {
        take_stage(w, by, table->a[s], s, w->work);
        for (size_t j = 0; j < LANES; j++) w->time[j] = w->clock.t[j] + table->c[s] * w->clock.used[j];
        lanes_evaluate(w, w->time, w->work, w->slope[s], 0);
    }
    /* a rejected step is looked at because of its neighbours alone: it must not matter */
    for (size_t j = 0; j < LANES; j++) w->doubt[j] = before[j] | (w->doubt[j] & w->clock.is_accepted[j]);
    by->hermite(ny, w->y, w->y_new, w->slope[0], w->slope[table->stages], w->clock.used, w->dense);
    for (int k = 0; k < table->dense_rows; k++) {
        const lanes_terms terms = compact(table->d[k], table->dense_stages);
        by->combine(ny, &terms, w->slope, NULL, w->clock.used, w->dense[4 + k]);
    }
}

/* ---- onto the constraints ---- */

static void find_missed(lanes *w, const lanes_vectors *by, int64_t *missed)
{
    const lanes_code *c = w->code;
    memset(missed, 0, sizeof(lanes_mask));
    if (c->has_dq) by->beyond(c->m, w->check, w->row_leeway, missed);
    by->beyond(c->m, w->check + c->m * LANES, w->rate_leeway, missed);
    for (size_t j = 0; j < LANES; j++) missed[j] &= w->clock.is_accepted[j] & w->has_run[j];
}

static int any(const int64_t *mask)
{
    int64_t found = 0;
    for (size_t j = 0; j < LANES; j++) found |= mask[j];
    return found != 0;
}

/* Positions and velocities at once: a change of the order of the step's error moves A by as little. What is left is
   seen by the next call. */
static void project(lanes *w, const lanes_vectors *by)
{
    const lanes_code *c = w->code;
    const double *dq = w->check + 2 * c->m * LANES, *dv = dq + c->n * LANES;
    double *slope = w->slope[RK_MAX_STAGES];
    _Alignas(64) lanes_mask missed;
    for (int call = 1; find_missed(w, by, missed), any(missed); call++) {
        if (call == MOST_CALLS) {
            for (size_t j = 0; j < LANES; j++) w->doubt[j] |= missed[j];
            return;
        }
        if (call == 3) { /* the terms that rows are made of may have grown */
            for (size_t j = 0; j < LANES; j++)
                if (missed[j]) lanes_grow_leeway(w, j);
            find_missed(w, by, missed);
        }
        if (c->has_dq) by->add(c->n, missed, dq, w->y);
        by->add(c->n, missed, dv, w->y + c->n * LANES);
        lanes_evaluate(w, w->clock.t, w->y, slope, 1);
        by->blend(c->ny, missed, slope, w->slope[0]);
    }
}

static void note_margin(lanes *w)
{
    const double *margin = w->check + (2 * w->code->m + 2 * w->code->n + 2) * LANES;
    for (size_t j = 0; j < LANES; j++) {
        if (!w->clock.is_accepted[j]) continue;
        if (margin[j] > w->margin_most[j]) w->margin_most[j] = margin[j];
        w->doubt[j] |= -(int64_t) !(margin[j] >= TOL_LANES_MARGIN * w->margin_most[j]);
    }
}

/* What stands of the account until it is looked at. */
static void note_errors(lanes *w)
{
    const double *power = w->work + (w->code->ny - 1) * LANES; /* its own error, in no test */
    for (size_t j = 0; j < LANES; j++) {
        if (!w->clock.is_accepted[j]) continue;
        w->error_sum[j] += w->clock.error[j];
        w->free_sum[j] += fabs(w->clock.used[j] * power[j]);
    }
}

void lanes_attempt(lanes *w)
{
    const lanes_vectors *by = lanes_vectors_get();
    const lanes_code *c = w->code;
    const rk_tableau *table = c->table;
    lanes_clock *k = &w->clock;
    by->choose(k);
    take_stages(w, by);
    judge(w, by);
    lanes_spikes_judge(w);
    by->control(table, w->has_run, k);
    if (!any(k->is_accepted)) return;
    note_errors(w);
    if (c->measure) {
        make_dense(w, by);
        lanes_measure(w);
    }
    by->blend(c->ny, k->is_accepted, w->y_new, w->y);
    by->blend(1, k->is_accepted, k->t_new, k->t);
    by->blend(c->ny, k->is_accepted, w->slope[table->stages], w->slope[0]);
    if (c->m) {
        project(w, by);
        note_margin(w);
    }
    if (!c->may_turn_stiff) return;
    by->stiffness(c->ny - 1, 2 * table->stability, w->slope[0], w->slope[table->stages - 1], w->y, w->stage, k);
    for (size_t j = 0; j < LANES; j++) w->doubt[j] |= -(int64_t)(k->stiffness[j] > table->stability);
}
