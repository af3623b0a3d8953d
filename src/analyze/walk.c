#include "analyze/walk.h"

#include "analyze/dense.h"
#include "analyze/search.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/share.h"
#include "base/try.h"
#include "system/owner.h"
#include "system/visit.h"

#include <math.h>
#include <string.h>

mech_status walk_open(walk *w, const mech_system *system, mech_eval *eval, const mech_linear_options *at)
{
    const mech_sizes sizes = mech_system_sizes(system);
    *w = (walk){.system = system, .eval = eval, .n = sizes.coords, .m = sizes.rows, .nz = sizes.states};
    mech_linear_options_default(&w->at, sizeof w->at);
    MECH_TRY(options_take(&w->at, sizeof w->at, at));
    w->N = 2 * w->n + w->nz;
    const size_t N = w->N, cells = w->m * w->m;
    w->start = mem_zeroed(3 * N + 2 * cells + sizes.params + 1, sizeof *w->start);
    if (!w->start) return MECH_ERR_MEMORY;
    w->now = w->start + N;
    w->own = w->now + N;
    w->B = w->own + N;
    w->K = w->B + cells;
    w->saved = w->K + cells;
    const mech_equation *e = mech_eval_equation(eval);
    memcpy(w->saved, e->p, sizes.params * sizeof *w->saved);
    memcpy(w->start, at->q, w->n * sizeof *w->start);
    memcpy(w->start + w->n, at->v, w->n * sizeof *w->start);
    if (w->nz && at->z) memcpy(w->start + 2 * w->n, at->z, w->nz * sizeof *w->start);
    memcpy(w->now, w->start, N * sizeof *w->now);
    (void)mech_gains_of_model(eval, w->B, w->K);
    if (at->B) memcpy(w->B, at->B, cells * sizeof *w->B);
    if (at->K) memcpy(w->K, at->K, cells * sizeof *w->K);
    w->at.B = w->B;
    w->at.K = w->K;
    return MECH_OK;
}

void walk_close(walk *w, const mech_axis *const *axes, int count)
{
    for (int k = 0; w->start && k < count; k++) {
        const size_t param = mech_system_find(w->system, MECH_ITEM_PARAM, axes[k]->name);
        if (param != SIZE_MAX) (void)mech_eval_set_param_at(w->eval, param, w->saved[param]);
    }
    mech_linear_free(w->linear);
    mem_free(w->start);
}

/* ---- workers ---- */

typedef struct walk_work {
    const walk *of;
    void *work;
} walk_work;

static mech_status open_walker(void *user, void **worker)
{
    const walk_work *all = user;
    const walk *of = all->of;
    mech_linear_options at = of->at;
    at.q = of->start;
    at.v = of->start + of->n;
    at.z = of->start + 2 * of->n;
    at.why = NULL; /* for one to write */
    walker *k = *worker = mem_zeroed(1, sizeof *k);
    if (!k) return MECH_ERR_MEMORY;
    k->work = all->work;
    const mech_status status = eval_copy(of->eval, &k->own);
    if (status != MECH_OK && status != MECH_ERR_UNSUPPORTED) return status;
    mech_eval *eval = k->own ? k->own : of->eval;
    eval_visit(eval, &k->standing);
    return k->standing.lacks_memory ? MECH_ERR_MEMORY : walk_open(&k->w, of->system, eval, &at);
}

static void close_walker(void *worker)
{
    walker *k = worker;
    if (!k) return;
    walk_close(&k->w, NULL, 0);
    text_free(&k->standing.out);
    mech_eval_free(k->own);
    mem_free(k);
}

mech_status walk_share(const walk *w, size_t count, mech_status (*item)(void *worker, size_t item), void *work)
{
    walk_work all = {.of = w, .work = work};
    const share s = {.count = count,
                     .threads = eval_has_law(w->eval) ? 1 : w->at.threads,
                     .user = &all,
                     .open = open_walker,
                     .item = item,
                     .close = close_walker};
    return share_out(&s);
}

mech_status walker_begin(walker *k, const double *now)
{
    state_walk back = {.reads = 1, .at = (const unsigned char *)k->standing.out.data};
    back.end = back.at + k->standing.out.length;
    eval_visit(k->w.eval, &back);
    memcpy(k->w.now, now, k->w.N * sizeof *now);
    return back.failed ? MECH_ERR_ARGUMENT : MECH_OK;
}

int axis_is_gain(const mech_system *system, const mech_axis *axis)
{
    return mech_system_find(system, MECH_ITEM_PARAM, axis->name) == SIZE_MAX &&
           (strcmp(axis->name, "B") == 0 || strcmp(axis->name, "K") == 0);
}

mech_status axis_check(const mech_system *system, const mech_axis *axis)
{
    if (!axis->name || axis->count < 2 || axis->count > 2000 || !isfinite(axis->low) || !isfinite(axis->high))
        return MECH_ERR_ARGUMENT;
    if (!axis_is_gain(system, axis) && mech_system_find(system, MECH_ITEM_PARAM, axis->name) == SIZE_MAX)
        return MECH_ERR_ARGUMENT;
    return MECH_OK;
}

double axis_value(const mech_axis *axis, int k)
{
    const double part = (double)k / (axis->count - 1);
    return k + 1 == axis->count ? axis->high : axis->low + part * (axis->high - axis->low);
}

mech_status walk_set(walk *w, const mech_axis *axis, double value)
{
    if (!axis_is_gain(w->system, axis)) return mech_eval_set_param(w->eval, axis->name, value);
    const int is_damping = axis->name[0] == 'B';
    mech_gains_fill(w->system, value, value, is_damping ? w->B : NULL, is_damping ? NULL : w->K);
    return MECH_OK;
}

/* tries: 0: as many as are usual. */
static mech_status find_from(walk *w, const double *from, int tries, int *found)
{
    mech_equilibrium_options o;
    mech_equilibrium *e = NULL;
    mech_equilibrium_options_default(&o, sizeof o);
    o.t = w->at.t;
    if (tries) o.tries = tries;
    o.q = from;
    o.v = from + w->n;
    o.z = from + 2 * w->n;
    const mech_status status = mech_equilibrium_find(w->system, w->eval, &o, &e);
    *found = status == MECH_OK;
    if (*found) w->family = mech_equilibrium_get(e)->family;
    if (*found) memcpy(w->now, mech_equilibrium_get(e)->q, w->N * sizeof *w->now);
    mech_equilibrium_free(e);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

mech_status walk_find(walk *w, const double *from, int *found) { return find_from(w, from, 1, found); }

mech_status walk_find_own(walk *w, int *found)
{
    MECH_TRY(search_find_start(w->eval, w->at.t, w->at.begin, w->own));
    return find_from(w, w->own, 0, found);
}

mech_status walk_linearize(walk *w, int *found)
{
    mech_linear_free(w->linear);
    w->linear = NULL;
    w->at.q = w->now;
    w->at.v = w->now + w->n;
    w->at.z = w->now + 2 * w->n;
    const mech_status status = mech_linearize(w->system, w->eval, &w->at, &w->linear);
    *found = status == MECH_OK && !mech_linear_doubt(mech_linear_get(w->linear));
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

static mech_region region_of_modes(const mech_modes_result *m)
{
    if (m->right) return MECH_REGION_UNSTABLE;
    return m->axis || m->zero ? MECH_REGION_MARGINAL : MECH_REGION_STABLE;
}

mech_region walk_region(const mech_linear_result *l, int with_gains)
{
    const mech_region motion = region_of_modes(l->motion);
    const mech_region gains = with_gains ? region_of_modes(l->constraint) : MECH_REGION_STABLE;
    return motion > gains ? motion : gains;
}

int walk_grows(const mech_linear_result *l, int with_gains)
{
    return l->motion->verdict == MECH_VERDICT_DEFECTIVE ||
           (with_gains && l->constraint->verdict == MECH_VERDICT_DEFECTIVE);
}

int walk_nearest(const walk *w, const mech_axis *axis)
{
    const size_t param = mech_system_find(w->system, MECH_ITEM_PARAM, axis->name);
    int best = 0;
    for (int k = 1; param != SIZE_MAX && k < axis->count; k++)
        if (fabs(axis_value(axis, k) - w->saved[param]) < fabs(axis_value(axis, best) - w->saved[param])) best = k;
    return best;
}

int walk_below(const walk *w, const mech_axis *axis)
{
    const size_t param = mech_system_find(w->system, MECH_ITEM_PARAM, axis->name);
    int below = 0;
    while (param != SIZE_MAX && below < axis->count && axis_value(axis, below) < w->saved[param]) below++;
    return below;
}
