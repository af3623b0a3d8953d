/* Equilibria over a parameter. From the one that is known, neighbours are sought at the next values, up and down, each
   from the last. Where a branch ends, or the number of its unstable modes changes, others may meet it: they are sought
   from places beside it, nearer and farther. Those that continue one another are a branch; where one begins, ends or
   changes its stability, that is closed in by halving. */
#include "analyze/walk.h"

#include "base/tolerances.h"
#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

/* HALVINGS: what begins like a root, as branches do, is closed in to 1/128 of a step. */
enum { MOST_AT_ONE = 24, HALVINGS = 14, MOST_BESIDE = 12, LEAST_STEPS = 120, NOWHERE = -1 };

typedef struct place {
    double *state; /* (N) */
    mech_region region;
    int right;             /* unstable modes                                                       */
    int family;            /* it is one of a continuum, not by shifts alone, and places beside it are others of it */
    int up, down;          /* number of the place at the next value that it continues to; NOWHERE */
    unsigned char *shifts; /* (n) coordinates that nothing depends on: a search leaves them as they are */
    int branch;
} place;

typedef struct point {
    double value;
    double *state;
    mech_region region;
} point;

typedef struct branch {
    point *points;
    size_t count, capacity;
} branch;

typedef struct finder {
    walk w;
    arena memory; /* of all arrays but those that grow */
    const mech_axis *axis;
    place (*places)[MOST_AT_ONE]; /* (axis->count) */
    int *count;                   /* of places      */
    int (*queue)[2];              /* places whose neighbours were not sought yet */
    size_t queued, taken;
    double *start; /* (N) */
    branch *branches;
    size_t branch_count, branch_capacity;
} finder;

struct mech_branches {
    mech_branches_result result;
    arena memory; /* of its arrays */
};

/* ---- places ---- */

static double distance(const finder *f, const double *a, const double *b)
{
    double most = 0;
    for (size_t i = 0; i < f->w.N; i++) most = fmax(most, fabs(a[i] - b[i]) / (1 + fabs(a[i])));
    return most;
}

static int is_same(const finder *f, const double *a, const double *b) { return distance(f, a, b) < TOL_BRANCH_SAME; }

/* Of the linear system made last. */
static mech_region region_here(const finder *f)
{
    return walk_region(mech_linear_get(f->w.linear), axis_is_gain(f->w.system, f->axis));
}

/* `steady` statements look at coordinate j. */
static int is_prescribed(const finder *f, size_t j)
{
    const mech_pattern p = mech_system_pattern(f->w.system, MECH_MATRIX_D_STEADY);
    for (size_t k = 0; k < p.count; k++)
        if (p.column[k] == j) return 1;
    return 0;
}

/* Of the linear system made last: cyclic coordinates, and the dimension of the set that its equilibrium belongs to less
   their shifts. */
static mech_status find_shifts(finder *f, place *p)
{
    const mech_linear_result *l = mech_linear_get(f->w.linear);
    p->family = f->w.family;
    p->shifts = arena_zeroed(&f->memory, f->w.n, 1);
    for (int k = 0; p->shifts && k < l->cyclic_count; k++) {
        const size_t j = (size_t)l->cyclic[k];
        p->shifts[j] = !is_prescribed(f, j);
        p->family -= p->shifts[j];
    }
    return p->shifts ? MECH_OK : MECH_ERR_MEMORY;
}

static double *copy_state(finder *f, const double *state)
{
    double *copy = arena_alloc(&f->memory, f->w.N * sizeof *copy);
    if (copy) memcpy(copy, state, f->w.N * sizeof *copy);
    return copy;
}

/* The place at value k where an equilibrium stands, a new one if need be; NOWHERE: no room, or modes mean nothing. */
static mech_status place_at(finder *f, int k, const double *state, int *number)
{
    for (*number = 0; *number < f->count[k]; (*number)++)
        if (is_same(f, f->places[k][*number].state, state)) return MECH_OK;
    *number = NOWHERE;
    if (f->count[k] == MOST_AT_ONE) return MECH_OK;
    int found;
    if (state != f->w.now) memcpy(f->w.now, state, f->w.N * sizeof *state);
    MECH_TRY(walk_linearize(&f->w, &found));
    if (!found) return MECH_OK;
    double *copy = copy_state(f, f->w.now);
    if (!copy) return MECH_ERR_MEMORY;
    *number = f->count[k]++;
    f->places[k][*number] = (place){.state = copy,
                                    .region = region_here(f),
                                    .right = mech_linear_get(f->w.linear)->motion->right,
                                    .up = NOWHERE,
                                    .down = NOWHERE,
                                    .branch = NOWHERE};
    MECH_TRY(find_shifts(f, &f->places[k][*number]));
    f->queue[f->queued][0] = k;
    f->queue[f->queued++][1] = *number;
    return MECH_OK;
}

/* An equilibrium at value k from a state: its place, or NOWHERE. */
static mech_status seek(finder *f, int k, const double *from, int *number)
{
    int found;
    *number = NOWHERE;
    MECH_TRY(walk_set(&f->w, f->axis, axis_value(f->axis, k)));
    MECH_TRY(walk_find(&f->w, from, &found));
    return found ? place_at(f, k, f->w.now, number) : MECH_OK;
}

/* Others that stand near a place: from beside it along each coordinate that matters. Far ones are left to their own
   neighbours. */
static mech_status seek_beside(finder *f, int k, int number)
{
    const place *p = &f->places[k][number];
    if (p->family > 0) return MECH_OK;
    for (size_t i = 0, along = 0; i < f->w.n && along < MOST_BESIDE; along += !p->shifts[i++])
        for (double off = TOL_BRANCH_BESIDE; !p->shifts[i] && off < 2; off *= 4)
            for (int side = -1; side <= 1; side += 2) {
                memcpy(f->start, p->state, f->w.N * sizeof *f->start);
                f->start[i] += side * off * (1 + fabs(p->state[i]));
                MECH_TRY(walk_set(&f->w, f->axis, axis_value(f->axis, k)));
                int found, other;
                MECH_TRY(walk_find(&f->w, f->start, &found));
                if (found && distance(f, p->state, f->w.now) < 2 * off) MECH_TRY(place_at(f, k, f->w.now, &other));
            }
    return MECH_OK;
}

/* The neighbours of a place at the next value, up or down. */
static mech_status seek_next(finder *f, int k, int number, int step)
{
    const int next = k + step;
    int other;
    if (next < 0 || next >= f->axis->count) return MECH_OK;
    MECH_TRY(seek(f, next, f->places[k][number].state, &other));
    place *p = &f->places[k][number];
    *(step > 0 ? &p->up : &p->down) = other;
    if (other != NOWHERE && f->places[next][other].right == p->right) return MECH_OK;
    MECH_TRY(seek_beside(f, k, number));
    return other == NOWHERE ? MECH_OK : seek_beside(f, next, other);
}

static mech_status seek_all(finder *f, int home)
{
    int number;
    MECH_TRY(seek(f, home, f->w.start, &number));
    if (number == NOWHERE) return MECH_ERR_NO_EQUILIBRIUM;
    MECH_TRY(seek_beside(f, home, number));
    for (; f->taken < f->queued; f->taken++) {
        MECH_TRY(seek_next(f, f->queue[f->taken][0], f->queue[f->taken][1], 1));
        MECH_TRY(seek_next(f, f->queue[f->taken][0], f->queue[f->taken][1], -1));
    }
    return MECH_OK;
}

/* ---- branches ---- */

static mech_status add_point(finder *f, branch *b, size_t at, double value, const double *state, mech_region region)
{
    if (!mem_grow(&b->points, &b->capacity, b->count + 1, sizeof *b->points)) return MECH_ERR_MEMORY;
    double *copy = copy_state(f, state);
    if (!copy) return MECH_ERR_MEMORY;
    memmove(b->points + at + 1, b->points + at, (b->count - at) * sizeof *b->points);
    b->points[at] = (point){value, copy, region};
    b->count++;
    return MECH_OK;
}

/* How far a place lies from where the branch would go on straight. */
static double off_course(const finder *f, const branch *b, const double *state)
{
    const double *last = b->points[b->count - 1].state;
    if (b->count < 2) return distance(f, last, state);
    const double *before = b->points[b->count - 2].state;
    double most = 0;
    for (size_t i = 0; i < f->w.N; i++)
        most = fmax(most, fabs(2 * last[i] - before[i] - state[i]) / (1 + fabs(last[i])));
    return most;
}

/* The nearest pair of places at k and k + 1 that continue one another and stand on no common branch yet: 1, or 0. */
static int next_link(const finder *f, int k, int *from, int *to)
{
    double least = HUGE_VAL;
    for (int i = 0; i < f->count[k]; i++) {
        const branch *b = &f->branches[f->places[k][i].branch];
        if (b->points[b->count - 1].state == NULL || b->points[b->count - 1].value != axis_value(f->axis, k)) continue;
        for (int j = 0; j < f->count[k + 1]; j++) {
            const place *p = &f->places[k + 1][j];
            if (p->branch != NOWHERE || (f->places[k][i].up != j && p->down != i)) continue;
            const double off = off_course(f, b, p->state);
            if (off < least) least = off, *from = i, *to = j;
        }
    }
    return least < HUGE_VAL;
}

static mech_status begin_branch(finder *f, int k, place *p)
{
    if (!mem_grow(&f->branches, &f->branch_capacity, f->branch_count + 1, sizeof *f->branches)) return MECH_ERR_MEMORY;
    f->branches[f->branch_count] = (branch){0};
    p->branch = (int)f->branch_count++;
    return add_point(f, &f->branches[p->branch], 0, axis_value(f->axis, k), p->state, p->region);
}

static mech_status link_all(finder *f)
{
    for (int k = 0; k < f->axis->count; k++) {
        int from, to;
        while (k > 0 && next_link(f, k - 1, &from, &to)) {
            place *p = &f->places[k][to];
            p->branch = f->places[k - 1][from].branch;
            branch *b = &f->branches[p->branch];
            MECH_TRY(add_point(f, b, b->count, axis_value(f->axis, k), p->state, p->region));
        }
        for (int i = 0; i < f->count[k]; i++)
            if (f->places[k][i].branch == NOWHERE) MECH_TRY(begin_branch(f, k, &f->places[k][i]));
    }
    return MECH_OK;
}

/* ---- ends and changes, closed in ---- */

static int value_number(const mech_axis *axis, double value)
{
    for (int k = 0; k < axis->count; k++)
        if (axis_value(axis, k) == value) return k;
    return NOWHERE;
}

/* The equilibrium at `value` that continues `state` of a branch, and none that another one's place at k continues to.
   */
static mech_status continue_alone(finder *f, int own, int k, const double *state, double value, int *found)
{
    MECH_TRY(walk_set(&f->w, f->axis, value));
    MECH_TRY(walk_find(&f->w, state, found));
    if (!*found) return MECH_OK;
    memcpy(f->start, f->w.now, f->w.N * sizeof *f->start);
    for (int i = 0; i < f->count[k]; i++) {
        int is_other;
        if (f->places[k][i].branch == own) continue;
        MECH_TRY(walk_find(&f->w, f->places[k][i].state, &is_other));
        *found = !(is_other && is_same(f, f->w.now, f->start));
        if (!*found) return MECH_OK;
    }
    memcpy(f->w.now, f->start, f->w.N * sizeof *f->start);
    return walk_linearize(&f->w, found);
}

/* The end of a branch, before its first point or after its last. */
static mech_status close_end(finder *f, int number, int is_last)
{
    branch *b = &f->branches[number];
    const point *end = &b->points[is_last ? b->count - 1 : 0];
    const int k = value_number(f->axis, end->value), beyond = k + (is_last ? 1 : -1);
    if (k == NOWHERE || beyond < 0 || beyond >= f->axis->count) return MECH_OK;
    double in = end->value, out = axis_value(f->axis, beyond);
    for (int turn = 0; turn < HALVINGS; turn++) {
        const double middle = (in + out) / 2;
        int found;
        /* from the end as it is now: it comes nearer */
        const double *from = b->points[is_last ? b->count - 1 : 0].state;
        MECH_TRY(continue_alone(f, number, k, from, middle, &found));
        if (!found) {
            out = middle;
            continue;
        }
        MECH_TRY(add_point(f, b, is_last ? b->count : 0, middle, f->w.now, region_here(f)));
        in = middle;
    }
    return MECH_OK;
}

/* Where the stability of a branch changes between its points `at` and at + 1. */
static mech_status close_change(finder *f, branch *b, size_t *at)
{
    for (int turn = 0; turn < HALVINGS; turn++) {
        const double middle = (b->points[*at].value + b->points[*at + 1].value) / 2;
        int found;
        MECH_TRY(walk_set(&f->w, f->axis, middle));
        MECH_TRY(walk_find(&f->w, b->points[*at].state, &found));
        if (found) MECH_TRY(walk_linearize(&f->w, &found));
        if (!found) break;
        MECH_TRY(add_point(f, b, *at + 1, middle, f->w.now, region_here(f)));
        if (b->points[*at + 1].region == b->points[*at].region) ++*at;
    }
    return MECH_OK;
}

static mech_status close_all(finder *f)
{
    for (size_t i = 0; i < f->branch_count; i++) {
        branch *b = &f->branches[i];
        MECH_TRY(close_end(f, (int)i, 0));
        MECH_TRY(close_end(f, (int)i, 1));
        for (size_t at = 0; at + 1 < b->count; at++)
            if (b->points[at].region != b->points[at + 1].region) {
                MECH_TRY(close_change(f, b, &at));
                while (at + 1 < b->count && b->points[at].region == b->points[at + 1].region) at++;
            }
    }
    return MECH_OK;
}

/* ---- the result ---- */

static mech_status take_result(const finder *f, mech_branches *all)
{
    size_t points = 0, at = 0;
    for (size_t i = 0; i < f->branch_count; i++) points += f->branches[i].count;
    double *value = arena_zeroed(&all->memory, points, sizeof *value);
    double *state = arena_zeroed(&all->memory, points * f->w.N, sizeof *state);
    unsigned char *region = arena_zeroed(&all->memory, points, 1);
    size_t *first = arena_zeroed(&all->memory, f->branch_count, sizeof *first);
    MECH_TRY(arena_status(&all->memory));
    for (size_t i = 0; i < f->branch_count; i++) {
        const branch *b = &f->branches[i];
        for (size_t k = 0; k < b->count; k++, at++) {
            value[at] = b->points[k].value;
            region[at] = (unsigned char)b->points[k].region;
            memcpy(state + at * f->w.N, b->points[k].state, f->w.N * sizeof *state);
        }
        first[i + 1] = at;
    }
    all->result = (mech_branches_result){.size = sizeof all->result,
                                         .axis = *f->axis,
                                         .order = (int)f->w.N,
                                         .branches = f->branch_count,
                                         .first = first,
                                         .value = value,
                                         .region = region,
                                         .state = state};
    return MECH_OK;
}

static mech_status open_finder(finder *f)
{
    const size_t values = (size_t)f->axis->count;
    f->places = arena_zeroed(&f->memory, values, sizeof *f->places);
    f->count = arena_zeroed(&f->memory, values, sizeof *f->count);
    f->queue = arena_zeroed(&f->memory, values * MOST_AT_ONE, sizeof *f->queue);
    f->start = arena_zeroed(&f->memory, f->w.N, sizeof *f->start);
    return arena_status(&f->memory);
}

static void close_finder(finder *f)
{
    for (size_t i = 0; i < f->branch_count; i++) mem_free(f->branches[i].points);
    mem_free(f->branches);
    arena_free(&f->memory);
}

/* Neighbours are found from one another, so that the values lie close whatever is asked for: the same ones, and others
   between them. */
static mech_axis refined(const mech_axis *axis)
{
    mech_axis fine = *axis;
    if (axis->count > 1) fine.count = (axis->count - 1) * (1 + LEAST_STEPS / (axis->count - 1)) + 1;
    return fine;
}

mech_status mech_branches_create(const mech_system *system, mech_eval *eval, const mech_linear_options *at,
                                 const mech_axis *axis, mech_branches **result)
{
    mech_axis fine;
    finder f = {.axis = &fine};
    *result = NULL;
    MECH_TRY(axis_check(system, axis));
    fine = refined(axis);
    mech_branches *all = mem_zeroed(1, sizeof *all);
    if (!all) return MECH_ERR_MEMORY;
    mech_status status = walk_open(&f.w, system, eval, at);
    if (status == MECH_OK) status = open_finder(&f);
    if (status == MECH_OK) status = seek_all(&f, walk_nearest(&f.w, &fine));
    if (status == MECH_OK) status = link_all(&f);
    if (status == MECH_OK) status = close_all(&f);
    if (status == MECH_OK) status = take_result(&f, all);
    close_finder(&f);
    walk_close(&f.w, &axis, 1);
    if (status == MECH_OK) *result = all;
    else mech_branches_free(all);
    return status;
}

void mech_branches_free(mech_branches *branches)
{
    if (!branches) return;
    arena_free(&branches->memory);
    mem_free(branches);
}

const mech_branches_result *mech_branches_get(const mech_branches *branches) { return &branches->result; }
