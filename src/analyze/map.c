/* Stability over parameters: one equilibrium is followed from the present values, at each point from the one before. A
   map goes along the present value of one parameter, and from there along its rows, which threads share; a sweep goes
   from value to value, and threads share the linear systems there. What they give does not depend on how many there
   are. A search at one point alone begins elsewhere, and may find another equilibrium: such points are told. */
#include "analyze/walk.h"

#include <mech/analyze.h>

#include "base/mem.h"
#include "base/tolerances.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

struct mech_map {
    mech_map_result result;
    size_t counts[4]; /* points in each region */
    arena memory;     /* of the arrays */
    unsigned char *region, *routh;
    double *conditions;
    unsigned char *shifts; /* (points) zero modes of coordinates that nothing depends on there, left out of the modes */
    unsigned char *grows;  /* (points) like a power of time, by modes on the axis that lack eigenvectors */
    unsigned char *axis;   /* (points) roots on the axis by Routh's criterion, all of them; with `routh` */
    double *states;        /* (points x (2n + states)) equilibria, or NULL */
    unsigned char *other;  /* (points) a search of its own finds one of another region; or NULL */
};

struct mech_sweep {
    mech_sweep_result result;
    double *numbers;
    arena memory; /* of the equilibria */
};

/* The equilibrium at these values, from the last one or from the start of the walk. */
static mech_status find_here(walk *w, int *found)
{
    MECH_TRY(walk_find(w, w->now, found));
    return *found ? MECH_OK : walk_find(w, w->start, found);
}

/* And the linear system there. */
static mech_status linearize_here(walk *w, int *found)
{
    MECH_TRY(find_here(w, found));
    return *found ? walk_linearize(w, found) : MECH_OK;
}

/* The equilibria along an axis, from its present value up, then down: (points x (2n + states)). Where there is none:
   NaN, or with `keeps_last` the one before. */
static mech_status follow(walk *w, const mech_axis *axis, int keeps_last, double *states)
{
    const int below = walk_below(w, axis);
    for (int down = 0; down < 2; down++) {
        memcpy(w->now, w->start, w->N * sizeof *w->now);
        for (int k = down ? below - 1 : below; k >= 0 && k < axis->count; k += down ? -1 : 1) {
            double *state = states + (size_t)k * w->N;
            int found;
            MECH_TRY(walk_set(w, axis, axis_value(axis, k)));
            MECH_TRY(find_here(w, &found));
            for (size_t i = 0; i < w->N; i++) state[i] = found || keeps_last ? w->now[i] : (double)NAN;
        }
    }
    return MECH_OK;
}

/* The linear system at the equilibrium that a search of this point's own finds. is_other: there is one, and not at
   `state` (NULL: not known; NaN: none). */
static mech_status linearize_own(walk *w, const double *state, int *is_other)
{
    MECH_TRY(walk_find_own(w, is_other));
    int is_same = *is_other && state;
    for (size_t i = 0; i < w->N && is_same; i++)
        is_same = fabs(w->now[i] - state[i]) <= TOL_OTHER_SAME * fabs(state[i]);
    if (is_same) *is_other = 0;
    return *is_other ? walk_linearize(w, is_other) : MECH_OK;
}

/* ---- the map ---- */

/* Shifts that the modes of the motion leave out. */
static unsigned char shifts_of(const mech_linear_result *l)
{
    const int count = l->freedom - l->motion->n;
    return (unsigned char)(count < 255 ? count : 255);
}

/* Routh's criterion in the two symbols; *symbolic stays NULL where it cannot be had. */
static mech_status ask_routh(const walk *w, const mech_model *model, const mech_axis *x, const mech_axis *y,
                             mech_symbolic **symbolic)
{
    mech_symbolic_options o;
    const char *const names[2] = {x->name, y->name};
    *symbolic = NULL;
    if (!model) return MECH_OK;
    mech_symbolic_options_default(&o, sizeof o);
    o.t = w->at.t;
    o.q = w->start;
    o.v = w->start + w->n;
    o.z = w->start + 2 * w->n;
    o.symbols = names;
    o.symbol_count = 2;
    const mech_status status = mech_symbolic_create(model, &o, symbolic);
    if (status == MECH_ERR_MEMORY) return status;
    if (status == MECH_OK &&
        (!mech_symbolic_get(*symbolic)->holds || mech_symbolic_get(*symbolic)->symbol_count != 2)) {
        mech_symbolic_free(*symbolic);
        *symbolic = NULL;
    }
    return MECH_OK;
}

static mech_status allocate_map(mech_map *map, const mech_symbolic *symbolic, size_t points)
{
    map->region = arena_zeroed(&map->memory, points, 1);
    map->shifts = arena_zeroed(&map->memory, points, 1);
    map->grows = arena_zeroed(&map->memory, points, 1);
    MECH_TRY(arena_status(&map->memory));
    map->result.region = map->region;
    if (!symbolic) return MECH_OK;
    const int count = mech_symbolic_get(symbolic)->condition_count + mech_symbolic_get(symbolic)->marginal_count;
    map->routh = arena_zeroed(&map->memory, points, 1);
    map->axis = arena_zeroed(&map->memory, points, 1);
    map->conditions = arena_zeroed(&map->memory, points * (size_t)count, sizeof *map->conditions);
    MECH_TRY(arena_status(&map->memory));
    map->result.has_routh = 1;
    map->result.routh = map->routh;
    map->result.conditions = map->conditions;
    map->result.condition_count = count;
    return MECH_OK;
}

/* The equilibria of all points, where that is not out of all proportion: gaps are filled from them. */
static mech_status keep_states(mech_map *map, const walk *w)
{
    enum { MOST_NUMBERS = 1 << 24 };
    const size_t points = (size_t)map->result.x.count * (size_t)map->result.y.count;
    if (w->N == 0 || points > MOST_NUMBERS / w->N) return MECH_OK;
    map->result.state = map->states = arena_alloc(&map->memory, points * w->N * sizeof *map->states);
    for (size_t i = 0; map->states && i < points * w->N; i++) map->states[i] = (double)NAN;
    return map->states ? MECH_OK : MECH_ERR_MEMORY;
}

static int has_gains(const mech_map *map, const walk *w)
{
    return axis_is_gain(w->system, &map->result.x) || axis_is_gain(w->system, &map->result.y);
}

/* The region of a point; its equilibrium is kept. */
static void set_region(mech_map *map, const walk *w, size_t at, int found)
{
    const int with_gains = has_gains(map, w);
    map->region[at] = (unsigned char)(found ? walk_region(mech_linear_get(w->linear), with_gains) : MECH_REGION_NONE);
    if (found) map->shifts[at] = shifts_of(mech_linear_get(w->linear));
    if (found) map->grows[at] = (unsigned char)walk_grows(mech_linear_get(w->linear), with_gains);
    if (found && map->states) {
        memcpy(map->states + at * w->N, w->now, w->N * sizeof *w->now);
    }
}

static mech_status fill_point(mech_map *map, walk *w, const mech_symbolic *symbolic, size_t at, const double *values)
{
    int found;
    MECH_TRY(linearize_here(w, &found));
    set_region(map, w, at, found);
    if (!symbolic) return MECH_OK;
    mech_routh *routh;
    const mech_status status = mech_symbolic_routh(symbolic, values, &routh);
    if (status == MECH_ERR_MEMORY) return status;
    map->routh[at] = MECH_REGION_NONE; /* else: whether it is unstable; decide_shifts tells the others apart */
    if (status == MECH_OK) {
        const mech_routh_result *r = mech_routh_get(routh);
        map->routh[at] = r->right ? MECH_REGION_UNSTABLE : MECH_REGION_STABLE;
        map->axis[at] = (unsigned char)r->axis; /* of at most 200 */
    }
    mech_routh_free(routh);
    for (int k = 0; k < map->result.condition_count; k++)
        map->conditions[at * (size_t)map->result.condition_count + (size_t)k] =
            mech_symbolic_condition(symbolic, k, values);
    return MECH_OK;
}

/* What workers share: rows of a map, from equilibria at the present x. */
typedef struct map_rows {
    mech_map *map;
    const mech_symbolic *symbolic;
    int below;       /* points of a row that lie below that x          */
    double *columns; /* (rows x (2n + states)) those equilibria         */
} map_rows;

static mech_status go_to(const mech_map *map, walk *w, size_t at, double values[2])
{
    const mech_axis *x = &map->result.x, *y = &map->result.y;
    values[0] = axis_value(x, (int)(at % (size_t)x->count));
    values[1] = axis_value(y, (int)(at / (size_t)x->count));
    MECH_TRY(walk_set(w, x, values[0]));
    return walk_set(w, y, values[1]);
}

/* Half of a row: from the present x up, or down. */
static mech_status fill_half_row(void *worker, size_t item)
{
    walker *k = worker;
    const map_rows *r = k->work;
    walk *w = &k->w;
    const int down = item % 2, count = r->map->result.x.count;
    const size_t j = item / 2;
    MECH_TRY(walker_begin(k, r->columns + j * w->N));
    for (int i = down ? r->below - 1 : r->below; i >= 0 && i < count; i += down ? -1 : 1) {
        const size_t at = (size_t)i + j * (size_t)count;
        double values[2];
        MECH_TRY(go_to(r->map, w, at, values));
        MECH_TRY(fill_point(r->map, w, r->symbolic, at, values));
    }
    return MECH_OK;
}

static mech_status fill_points(mech_map *map, walk *w, const mech_symbolic *symbolic)
{
    const size_t rows = (size_t)map->result.y.count, points = rows * (size_t)map->result.x.count;
    map_rows r = {.map = map, .symbolic = symbolic, .below = walk_below(w, &map->result.x)};
    r.columns = arena_zeroed(&map->memory, rows * w->N, sizeof *r.columns);
    MECH_TRY(arena_status(&map->memory));
    MECH_TRY(follow(w, &map->result.y, 1, r.columns));
    MECH_TRY(walk_share(w, 2 * rows, fill_half_row, &r));
    for (size_t at = 0; at < points; at++) map->counts[map->region[at]]++;
    return MECH_OK;
}

/* ---- points that the walk found empty ---- */

/* From the equilibrium of a neighbour, whose parameters lie at `from`: at once, or by small steps. */
static mech_status continue_from(walk *w, const mech_map *map, const double *state, const double *from,
                                 const double *to, int *found)
{
    enum { STEPS = 8 };
    *found = 0;
    for (int steps = 1; steps <= STEPS && !*found; steps *= STEPS) {
        int is_there = 1;
        memcpy(w->now, state, w->N * sizeof *state);
        for (int k = 1; k <= steps && is_there; k++) {
            const double part = (double)k / steps;
            MECH_TRY(walk_set(w, &map->result.x, k == steps ? to[0] : from[0] + part * (to[0] - from[0])));
            MECH_TRY(walk_set(w, &map->result.y, k == steps ? to[1] : from[1] + part * (to[1] - from[1])));
            MECH_TRY(walk_find(w, w->now, &is_there));
        }
        if (is_there) MECH_TRY(walk_linearize(w, found));
    }
    return MECH_OK;
}

/* An empty point, from those of its neighbours that were settled in the round before this one. */
static mech_status try_neighbours(mech_map *map, walk *w, int i, int j, unsigned char *round, unsigned char now,
                                  int *found)
{
    static const int beside[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const mech_axis *x = &map->result.x, *y = &map->result.y;
    const size_t columns = (size_t)x->count, at = (size_t)i + (size_t)j * columns;
    const double to[2] = {axis_value(x, i), axis_value(y, j)};
    *found = 0;
    for (int k = 0; k < 4 && !*found; k++) {
        const int a = i + beside[k][0], b = j + beside[k][1];
        if (a < 0 || b < 0 || a >= x->count || b >= y->count) continue;
        const size_t other = (size_t)a + (size_t)b * columns;
        if (map->region[other] == MECH_REGION_NONE || round[other] != (unsigned char)(now - 1)) continue;
        const double from[2] = {axis_value(x, a), axis_value(y, b)};
        MECH_TRY(continue_from(w, map, map->states + other * w->N, from, to, found));
    }
    if (!*found) return MECH_OK;
    map->counts[MECH_REGION_NONE]--;
    set_region(map, w, at, 1);
    map->counts[map->region[at]]++;
    round[at] = now;
    return MECH_OK;
}

/* Round after round, each from what the one before has added, until nothing is. Their number may wrap: some are tried
   again then. */
static mech_status fill_gaps(mech_map *map, walk *w)
{
    const mech_axis *x = &map->result.x, *y = &map->result.y;
    const size_t points = (size_t)x->count * (size_t)y->count;
    if (!map->states || map->counts[MECH_REGION_NONE] == 0 || map->counts[MECH_REGION_NONE] == points) return MECH_OK;
    unsigned char *round = arena_zeroed(&map->memory, points, 1);
    if (!round) return MECH_ERR_MEMORY;
    int any = 1;
    for (unsigned char now = 1; any; now++) {
        any = 0;
        for (int j = 0; j < y->count; j++)
            for (int i = 0; i < x->count; i++) {
                int found = 0;
                if (map->region[(size_t)i + (size_t)j * (size_t)x->count] == MECH_REGION_NONE)
                    MECH_TRY(try_neighbours(map, w, i, j, round, now, &found));
                any |= found;
            }
    }
    return MECH_OK;
}

/* ---- points whose own equilibrium is another ---- */

static mech_status ask_alone(void *worker, size_t at)
{
    walker *k = worker;
    mech_map *map = k->work;
    walk *w = &k->w;
    const double *state = map->states ? map->states + at * w->N : NULL;
    double values[2];
    int is_other;
    MECH_TRY(walker_begin(k, w->start));
    MECH_TRY(go_to(map, w, at, values));
    MECH_TRY(linearize_own(w, state, &is_other));
    map->other[at] = is_other && walk_region(mech_linear_get(w->linear), has_gains(map, w)) != map->region[at];
    return MECH_OK;
}

static mech_status ask_all_alone(mech_map *map, const walk *w)
{
    const size_t points = (size_t)map->result.x.count * (size_t)map->result.y.count;
    if (!w->at.begin) return MECH_OK;
    map->result.other = map->other = arena_zeroed(&map->memory, points, 1);
    if (!map->other) return MECH_ERR_MEMORY;
    MECH_TRY(walk_share(w, points, ask_alone, map));
    for (size_t at = 0; at < points; at++) map->result.others += map->other[at];
    return MECH_OK;
}

/* ---- all together ---- */

static void set_marginal(mech_map *map, size_t at)
{
    map->counts[map->region[at]]--;
    map->region[at] = MECH_REGION_MARGINAL;
    map->counts[MECH_REGION_MARGINAL]++;
}

/* Shifts are left out where nothing depends on the coordinate anywhere in the map. One that appears at single points,
   as where a stiffness passes through zero, is a zero mode there; and so it is to Routh's criterion, which leaves out
   the same ones. Then the two speak of the same polynomial. */
static void decide_shifts(mech_map *map)
{
    mech_map_result *r = &map->result;
    const size_t points = (size_t)r->x.count * (size_t)r->y.count;
    int least = r->counts[MECH_REGION_NONE] < points ? 255 : 0;
    for (size_t at = 0; at < points; at++)
        if (map->region[at] != MECH_REGION_NONE && map->shifts[at] < least) least = map->shifts[at];
    r->shifts = least;
    for (size_t at = 0; at < points; at++) {
        if (map->region[at] == MECH_REGION_STABLE && map->shifts[at] > least) set_marginal(map, at);
        r->defective += map->region[at] == MECH_REGION_MARGINAL && map->grows[at];
        if (!map->routh) continue;
        if (map->routh[at] == MECH_REGION_STABLE && map->axis[at] > least) map->routh[at] = MECH_REGION_MARGINAL;
        if (map->region[at] == MECH_REGION_NONE) map->routh[at] = MECH_REGION_NONE;
        if (map->routh[at] == MECH_REGION_NONE) continue;
        r->compared++;
        r->disagreements += map->routh[at] != map->region[at];
    }
}

static mech_status fill_map(mech_map *map, walk *w, const mech_model *model)
{
    const mech_axis *x = &map->result.x, *y = &map->result.y;
    mech_symbolic *symbolic;
    MECH_TRY(ask_routh(w, model, x, y, &symbolic));
    mech_status status = allocate_map(map, symbolic, (size_t)x->count * (size_t)y->count);
    if (status == MECH_OK) status = keep_states(map, w);
    if (status == MECH_OK) status = fill_points(map, w, symbolic);
    if (status == MECH_OK) status = fill_gaps(map, w);
    if (status == MECH_OK) status = ask_all_alone(map, w);
    if (status == MECH_OK) decide_shifts(map);
    mech_symbolic_free(symbolic);
    return status;
}

mech_status mech_map_create(const mech_system *system, mech_eval *eval, const mech_model *model,
                            const mech_linear_options *at, const mech_axis *x, const mech_axis *y, mech_map **result)
{
    walk w;
    *result = NULL;
    MECH_TRY(axis_check(system, x));
    MECH_TRY(axis_check(system, y));
    if (mech_same_name(x->name, y->name)) return MECH_ERR_ARGUMENT;
    mech_map *map = mem_zeroed(1, sizeof *map);
    if (!map) return MECH_ERR_MEMORY;
    map->result.size = sizeof map->result;
    map->result.counts = map->counts;
    map->result.x = *x;
    map->result.y = *y;
    mech_status status = walk_open(&w, system, eval, at);
    map->result.order = (int)w.N;
    if (status == MECH_OK) status = fill_map(map, &w, model);
    const mech_axis *const axes[2] = {x, y};
    walk_close(&w, axes, 2);
    if (status == MECH_OK) *result = map;
    else mech_map_free(map);
    return status;
}

void mech_map_free(mech_map *map)
{
    if (!map) return;
    arena_free(&map->memory);
    mem_free(map);
}

const mech_map_result *mech_map_get(const mech_map *map) { return &map->result; }

/* ---- the sweep ---- */

typedef struct sweep_point {
    int n, zero;     /* eigenvalues, zeros of shifts among them             */
    double *numbers; /* (2n) real parts, then imaginary ones; NULL: no modes */
    int is_weak;     /* there are none since masses vanish at its equilibrium */
} sweep_point;

typedef struct sweep_work { /* what workers share */
    const mech_axis *axis;
    double *states;       /* (points x (2n + states)) equilibria; NaN: none */
    unsigned char *other; /* (points) a search of its own finds one of other modes; NULL: nobody asks */
    sweep_point *points;
} sweep_work;

/* Of the linear system made last. */
static const mech_modes_result *modes_of(const sweep_work *s, const walk *w)
{
    const mech_linear_result *l = mech_linear_get(w->linear);
    return axis_is_gain(w->system, s->axis) ? l->constraint : l->motion;
}

/* Those at w->now. */
static mech_status take_modes(const sweep_work *s, walk *w, sweep_point *p)
{
    int found;
    MECH_TRY(walk_linearize(w, &found));
    p->is_weak = !found && w->linear && mech_linear_get(w->linear)->weak >= 0;
    if (!found) return MECH_OK;
    const mech_modes_result *modes = modes_of(s, w);
    const size_t n = (size_t)modes->n;
    p->numbers = mem_alloc((2 * n + 1) * sizeof *p->numbers);
    if (!p->numbers) return MECH_ERR_MEMORY;
    p->n = modes->n;
    p->zero = modes->zero;
    if (n) memcpy(p->numbers, modes->real, n * sizeof *p->numbers);
    if (n) memcpy(p->numbers + n, modes->imaginary, n * sizeof *p->numbers);
    return MECH_OK;
}

/* Is each of n eigenvalues, real parts a and imaginary ones, nearer than this to one of n others? */
static int are_among(int n, const double *a, const double *a_imaginary, const double *b, const double *b_imaginary,
                     double near)
{
    for (int i = 0; i < n; i++) {
        double least = HUGE_VAL;
        for (int k = 0; k < n; k++) least = fmin(least, hypot(a[i] - b[k], a_imaginary[i] - b_imaginary[k]));
        if (least > near) return 0;
    }
    return 1;
}

/* Has the point these modes, and no others? How often each does not count. */
static int has_modes(const sweep_point *p, const mech_modes_result *modes)
{
    const int n = modes->n;
    double most = 0;
    if (!p->numbers || p->n != n) return 0;
    const double *real = p->numbers, *imaginary = real + n;
    for (int i = 0; i < n; i++) most = fmax(most, hypot(modes->real[i], modes->imaginary[i]));
    const double near = TOL_OTHER_MODES * most;
    return are_among(n, real, imaginary, modes->real, modes->imaginary, near) &&
           are_among(n, modes->real, modes->imaginary, real, imaginary, near);
}

/* The modes at one value, and whether its own are others. */
static mech_status take_point(void *of, size_t k)
{
    walker *worker = of;
    const sweep_work *s = worker->work;
    walk *w = &worker->w;
    const double *state = s->states + k * w->N;
    sweep_point *p = &s->points[k];
    int is_other;
    MECH_TRY(walker_begin(worker, state));
    MECH_TRY(walk_set(w, s->axis, axis_value(s->axis, (int)k)));
    if (!isnan(state[0])) MECH_TRY(take_modes(s, w, p));
    if (!s->other) return MECH_OK;
    MECH_TRY(linearize_own(w, state, &is_other));
    s->other[k] = is_other && !has_modes(p, modes_of(s, w));
    return MECH_OK;
}

/* Shifts that are left out at every value leave no column; where others have modes in their place, they are 0. */
static mech_status put_together(mech_sweep *sweep, const sweep_point *points)
{
    const size_t count = (size_t)sweep->result.axis.count;
    size_t most = 0;
    int any = 0, is_weak = 0;
    for (size_t k = 0; k < count; k++) {
        any |= points[k].numbers != NULL;
        is_weak |= points[k].is_weak;
        if ((size_t)points[k].n > most) most = (size_t)points[k].n;
    }
    if (!any) return is_weak ? MECH_ERR_SINGULAR_MASS : MECH_ERR_NO_EQUILIBRIUM;
    sweep->result.modes = (int)most;
    sweep->numbers = mem_alloc((2 * most * count + 1) * sizeof *sweep->numbers);
    if (!sweep->numbers) return MECH_ERR_MEMORY;
    double *real = sweep->numbers, *imaginary = real + most * count;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < most; i++) {
            const sweep_point *p = &points[k];
            const int is_zero = (int)i >= p->n - p->zero;
            real[i + k * most] = !p->numbers ? (double)NAN : is_zero ? 0 : p->numbers[i];
            imaginary[i + k * most] = !p->numbers ? (double)NAN : is_zero ? 0 : p->numbers[(size_t)p->n + i];
        }
    sweep->result.real = real;
    sweep->result.imaginary = imaginary;
    return MECH_OK;
}

static mech_status fill_sweep(mech_sweep *sweep, walk *w)
{
    const size_t count = (size_t)sweep->result.axis.count;
    sweep_work s = {.axis = &sweep->result.axis};
    s.states = arena_zeroed(&sweep->memory, count * w->N, sizeof *s.states);
    if (w->at.begin) s.other = arena_zeroed(&sweep->memory, count, 1);
    s.points = arena_zeroed(&sweep->memory, count, sizeof *s.points);
    mech_status status = arena_status(&sweep->memory);
    if (status == MECH_OK) status = follow(w, s.axis, 0, s.states);
    if (status == MECH_OK) status = walk_share(w, count, take_point, &s);
    if (status == MECH_OK) status = put_together(sweep, s.points);
    for (size_t k = 0; s.points && k < count; k++) mem_free(s.points[k].numbers);
    for (size_t k = 0; status == MECH_OK && s.other && k < count; k++) sweep->result.others += s.other[k];
    sweep->result.order = (int)w->N;
    sweep->result.state = s.states;
    sweep->result.other = s.other;
    return status;
}

mech_status mech_sweep_create(const mech_system *system, mech_eval *eval, const mech_linear_options *at,
                              const mech_axis *axis, mech_sweep **result)
{
    walk w;
    *result = NULL;
    MECH_TRY(axis_check(system, axis));
    mech_sweep *sweep = mem_zeroed(1, sizeof *sweep);
    if (!sweep) return MECH_ERR_MEMORY;
    sweep->result.size = sizeof sweep->result;
    sweep->result.axis = *axis;
    mech_status status = walk_open(&w, system, eval, at);
    if (status == MECH_OK) status = fill_sweep(sweep, &w);
    walk_close(&w, &axis, 1);
    if (status == MECH_OK) *result = sweep;
    else mech_sweep_free(sweep);
    return status;
}

void mech_sweep_free(mech_sweep *sweep)
{
    if (!sweep) return;
    mem_free(sweep->numbers);
    arena_free(&sweep->memory);
    mem_free(sweep);
}

const mech_sweep_result *mech_sweep_get(const mech_sweep *sweep) { return &sweep->result; }
