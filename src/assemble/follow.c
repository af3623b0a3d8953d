/* Values that are kept. The least change in the mass metric gives a coordinate without mass no say, so that a value
   given to it would be undone by the others without a word; and what it makes of a joint depends on the coordinates
   that the bodies have. So values of these that are new, and guesses of them, are held, and the rest follows. A
   part of the system, whose coordinates are joined by rows or masses, goes by itself: where a mass is given a place as
   well, or nothing meets the rows then, it goes as ever. */
#include "assemble/assembly.h"
#include "base/try.h"
#include "system/owner.h"

#include <math.h>
#include <string.h>

/* What may be held, in held.may_now: values that are new; velocities of what was held by its place; others that are
   said; those of them that are tried, that go with what is chosen by themselves, that are chosen. */
enum { NEW_VALUE = 1, OTHER_VALUE = 2, WAS_HELD = 4, IS_TRIED = 8, GOES = 16, IS_CHOSEN = 32 };
enum { HAS_NEW = 1, HAS_NEW_MASS = 2, HAS_HELD = 4, IS_HELD = 8 }; /* of a part, at its root: held.part_has */

static size_t offset_of(const mech_assembly *a, int level) { return level == POSITION ? 0 : a->n; }

static mech_variable variable_of(int level) { return level == POSITION ? MECH_VARIABLE_Q : MECH_VARIABLE_V; }

/* ---- what may be held ---- */

/* Values of this level in a state that is given are new where it differs from what the model says, else where the
   model's value was replaced. */
static void find_new(mech_assembly *a, int level)
{
    unsigned char *is_new = a->held.is_new + offset_of(a, level);
    const double *y = a->y + offset_of(a, level), *model = a->held.y_model + offset_of(a, level);
    for (size_t j = 0; j < a->n; j++) is_new[j] = assembly_is_given(a, level) && y[j] != model[j];
    for (size_t k = 0; k < a->sizes.targets && !assembly_is_given(a, level); k++) {
        const mech_target info = mech_system_target(a->system, k);
        if (info.variable == variable_of(level)) is_new[info.index] |= (unsigned char)eval_initial_is_given(a->eval, k);
    }
}

void assembly_find_new(mech_assembly *a)
{
    const size_t n = a->n;
    double *model = a->held.y_model;
    memset(a->held.is_new, 0, 2 * n);
    memset(a->held.was, 0, n);
    if (!a->held.count || a->given.is_fixed) return;
    memset(model, 0, 2 * n * sizeof *model);
    if (a->nz) memcpy(model + 2 * n, a->y + 2 * n, a->nz * sizeof *model);
    if (a->given.q || a->given.v)
        (void)eval_take_initial(a->eval, a->given.t, model, model + n, model + 2 * n, 1u << MECH_VARIABLE_Z);
    find_new(a, POSITION);
    find_new(a, VELOCITY);
    memcpy(a->held.value, a->y, 2 * n * sizeof *a->y);
}

/* By themselves: values that are new, and others that are said somewhere; joints start at 0 where they are not. 0:
   there is nothing to hold. */
static int mark_values(mech_assembly *a)
{
    const int is_given = assembly_is_given(a, a->level);
    unsigned char *may = a->held.may_now;
    int some = 0;
    memset(may, is_given ? OTHER_VALUE : 0, a->n);
    for (size_t k = 0; k < a->sizes.targets && !is_given; k++) {
        const mech_target info = mech_system_target(a->system, k);
        if (info.variable != variable_of(a->level)) continue;
        may[info.index] = OTHER_VALUE;
        some |= a->held.may_be[info.index] && !system_coord_places(a->system, info.index);
    }
    for (size_t j = 0; j < a->n; j++) {
        if (system_coord_places(a->system, j)) may[j] = 0;
        else if (system_coord_joins(a->system, j) || system_coord_shows(a->system, j)) may[j] = OTHER_VALUE;
        if (a->level == VELOCITY && a->held.was[j]) may[j] = WAS_HELD;
        if (a->held.is_new[offset_of(a, a->level) + j]) may[j] = NEW_VALUE;
        if (!a->held.may_be[j]) may[j] = 0;
        some |= (may[j] & (NEW_VALUE | WAS_HELD)) != 0;
    }
    return some;
}

/* By the parts they are in: others beside what is new, so that joints stay as they are, or guesses. A joint whose place
   was held keeps its velocity before others do, unless velocities are new there. */
static void mark_parts(mech_assembly *a)
{
    const unsigned char *is_new = a->held.is_new + offset_of(a, a->level);
    unsigned char *has = a->held.part_has, *may = a->held.may_now;
    a->meets_guesses = 1;
    assembly_look(a);
    a->meets_guesses = 0;
    assembly_find_parts(a, a->held.part);
    memset(has, 0, a->n);
    for (size_t j = 0; j < a->n; j++) {
        const uint32_t part = a->held.part[j];
        if (is_new[j]) has[part] |= a->held.may_be[j] ? HAS_NEW : HAS_NEW_MASS;
        if (may[j] == WAS_HELD) has[part] |= HAS_HELD;
    }
    for (size_t j = 0; j < a->n; j++) {
        const unsigned char part_has = has[a->held.part[j]];
        if (may[j] == WAS_HELD) may[j] = part_has & HAS_NEW ? OTHER_VALUE : NEW_VALUE;
        if (part_has & HAS_NEW_MASS || (part_has == 0 && assembly_is_given(a, a->level))) may[j] = 0;
    }
}

/* ---- holding it ---- */

/* Holds what has one of these marks in a part, or in all: UINT32_MAX, and the rest of it follows. Not met: x is as it
   was; that is in x_flat in any case. */
static mech_status hold(mech_assembly *a, uint32_t part, int marks, int with_guesses, int *is_met)
{
    const uint32_t *part_of = a->held.part;
    const unsigned char *is_new = a->held.is_new + offset_of(a, a->level);
    const int is_all = part == UINT32_MAX;
    int some = 0;
    *is_met = 0;
    memcpy(a->x_flat, a->x, a->n * sizeof *a->x);
    for (size_t j = 0; j < a->n; j++) {
        a->held.now[j] = (a->held.may_now[j] & marks) && (is_all || part_of[j] == part);
        some |= a->held.now[j];
    }
    if (!some) return MECH_OK;
    for (size_t i = 0; i < a->rows; i++) a->left_out[i] = !is_all && part_of[a->n + i] != part;
    for (size_t j = 0; j < a->n; j++) a->held.at[j] = is_new[j] ? a->held.value[offset_of(a, a->level) + j] : a->x[j];
    a->held.is_on = 1;
    a->meets_guesses = with_guesses;
    const mech_status status = assembly_onto_all(a, is_met);
    a->held.is_on = a->meets_guesses = 0;
    memset(a->left_out, 0, a->rows);
    if (!*is_met) memcpy(a->x, a->x_flat, a->n * sizeof *a->x);
    return status;
}

/* The same for the answer alone. */
static mech_status try(mech_assembly *a, uint32_t part, int marks, int with_guesses, int *is_met)
{
    const mech_status status = hold(a, part, marks, with_guesses, is_met);
    memcpy(a->x, a->x_flat, a->n * sizeof *a->x);
    return status;
}

/* Chooses of a part, beside what is chosen, the values with this mark that go with that, each by itself, if they go all
   together: no value comes before another. */
static mech_status choose(mech_assembly *a, uint32_t part, int mark, int with_guesses)
{
    enum { MOST_TRIED = 64 }; /* a start is searched for each */
    unsigned char *may = a->held.may_now;
    int is_met = 0, count = 0;
    for (size_t j = 0; j < a->n; j++) count += (may[j] & mark) && a->held.part[j] == part;
    if (count > MOST_TRIED) return MECH_OK;
    for (size_t j = 0; j < a->n; j++) {
        if (!(may[j] & mark) || a->held.part[j] != part) continue;
        may[j] |= IS_TRIED;
        MECH_TRY(try(a, part, IS_CHOSEN | IS_TRIED, with_guesses, &is_met));
        may[j] = (unsigned char)((may[j] & ~IS_TRIED) | (is_met ? GOES : 0));
    }
    MECH_TRY(try(a, part, IS_CHOSEN | GOES, with_guesses, &is_met));
    for (size_t j = 0; j < a->n; j++) {
        if (may[j] & GOES && is_met) may[j] |= IS_CHOSEN;
        may[j] &= (unsigned char)~GOES;
    }
    return MECH_OK;
}

/* Holds all there is in a part, or in all, and chooses it. */
static mech_status hold_all(mech_assembly *a, uint32_t part, int with_guesses, int *is_met)
{
    MECH_TRY(hold(a, part, NEW_VALUE | OTHER_VALUE, with_guesses, is_met));
    for (size_t j = 0; *is_met && j < a->n; j++)
        if (a->held.now[j]) a->held.may_now[j] |= IS_CHOSEN;
    return MECH_OK;
}

/* All there is, or what can be; with guesses of expressions, or without. */
static mech_status hold_part(mech_assembly *a, uint32_t part, int *is_met)
{
    *is_met = 0;
    for (int with_guesses = 1; with_guesses >= 0 && !*is_met; with_guesses--) {
        MECH_TRY(hold_all(a, part, with_guesses, is_met));
        if (*is_met) return MECH_OK;
        MECH_TRY(choose(a, part, NEW_VALUE, with_guesses));
        MECH_TRY(choose(a, part, OTHER_VALUE, with_guesses));
        MECH_TRY(hold(a, part, IS_CHOSEN, with_guesses, is_met));
    }
    return MECH_OK;
}

/* Is a value that may be held there in this part? */
static int has_some(const mech_assembly *a, uint32_t part)
{
    int some = 0;
    for (size_t j = part; j < a->n; j++) some |= a->held.part[j] == part && a->held.may_now[j] != 0;
    return some;
}

static mech_status hold_values(mech_assembly *a, int *is_met)
{
    const uint32_t *part_of = a->held.part;
    unsigned char *has = a->held.part_has;
    memset(has, 0, a->n);
    memset(a->held.may_now, 0, a->n);
    if (!a->held.count || !mark_values(a)) return MECH_OK;
    mark_parts(a);
    MECH_TRY(hold_all(a, UINT32_MAX, 1, is_met));
    memset(has, *is_met ? IS_HELD : 0, a->n);
    for (uint32_t part = 0; part < a->n && !*is_met; part++) {
        int is_part_met;
        if (part_of[part] != part || !has_some(a, part)) continue;
        MECH_TRY(hold_part(a, part, &is_part_met));
        if (is_part_met) has[part] = IS_HELD;
    }
    for (size_t i = 0; i < a->rows && !*is_met; i++) {
        const uint32_t part = part_of[a->n + i];
        a->left_out[i] = part < a->n && has[part] == IS_HELD;
    }
    return MECH_OK;
}

/* What is new stands where it is held, but for rounding. What might be held and cannot be, beside what can, is left
   out; all else that is new is put as it is. */
mech_status assembly_hold_values(mech_assembly *a, int *is_met)
{
    const size_t first = offset_of(a, a->level);
    *is_met = 0;
    MECH_TRY(hold_values(a, is_met));
    for (size_t j = 0; j < a->n; j++) {
        const unsigned char may = a->held.may_now[j], is_chosen = may & IS_CHOSEN;
        const int is_left_out = may && !is_chosen && a->held.part_has[a->held.part[j]] == IS_HELD;
        if (!a->held.is_new[first + j] || is_left_out) continue;
        a->x[j] = a->held.value[first + j];
        a->held.was[j] |= is_chosen && (system_coord_joins(a->system, j) || system_coord_shows(a->system, j));
    }
    return MECH_OK;
}

mech_status mech_assembly_follow(mech_assembly *a, const mech_assemble_options *options, const double *values)
{
    if (!a || !options || !options->q || !options->v || !values) return MECH_ERR_ARGUMENT;
    MECH_TRY(assembly_take_options(a, options));
    a->with_control = 0;
    memset(a->held.was, 0, a->n);
    for (size_t i = 0; i < 2 * a->n; i++) {
        a->held.is_new[i] = (unsigned char)!isnan(values[i]);
        a->held.value[i] = values[i];
    }
    for (int level = POSITION; level <= VELOCITY; level++) {
        int is_met;
        assembly_begin_level(a, level);
        MECH_TRY(assembly_hold_values(a, &is_met));
        memset(a->left_out, 0, a->rows);
    }
    return MECH_OK;
}
