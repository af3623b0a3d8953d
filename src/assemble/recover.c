/* Where Newton's method finds no start: other ways to one, and what to say where none leads there. That a local search
   stops proves nothing, so only what is proven is called a contradiction. */
#include "assemble/assembly.h"
#include "base/mem.h"
#include "base/try.h"
#include "base/tolerances.h"
#include "system/owner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RESTARTS = 24, MOST_COORDS_SHOWN = 6 };

static const double *guess_of(const mech_assembly *a) { return a->y_given + (a->level == POSITION ? 0 : a->n); }

/* 1: coordinate j has a value that `initial` fixes. */
static int is_pinned(const mech_assembly *a, size_t j)
{
    const mech_variable plain = a->level == POSITION ? MECH_VARIABLE_Q : MECH_VARIABLE_V;
    for (size_t k = 0; k < a->sizes.targets; k++) {
        const mech_target info = mech_system_target(a->system, k);
        if (info.variable == plain && info.index == j && a->seen.active[a->m + k]) return 1;
    }
    return 0;
}

/* The k-th guess: displaced by numbers without pattern, to both sides in turn, farther and farther, by each coordinate
   and this unit. Fixed values stay. */
static void displace(mech_assembly *a, int k, double unit)
{
    const double *guess = guess_of(a);
    const double size = 0.25 * pow(1.5, k / 2) * (k % 2 ? -1 : 1);
    for (size_t j = 0; j < a->n; j++) {
        const double odd = fmod(0.6180339887498949 * (double)(j + 1) * (double)(k / 2 + 1), 1); /* in (0, 1) */
        const double part = j % 2 && k / 2 % 2 ? odd - 1.1 : odd + 0.1;
        a->x[j] = guess[j] + (is_pinned(a, j) ? 0 : size * part * (unit + fabs(guess[j])));
    }
}

/* ---- proofs ---- */

static int moves_only_pinned(const mech_assembly *a, size_t row)
{
    int any = 0; /* sign(x) has no gradient, and moves all the same */
    for (size_t k = 0; k < a->A.count; k++) {
        if (a->A.row[k] != row) continue;
        if (!is_pinned(a, a->A.column[k])) return 0;
        any = 1;
    }
    return any;
}

/* A constraint all of whose coordinates are fixed, and that misses there. */
static int is_proven_by_values(mech_assembly *a)
{
    memcpy(a->x_work, a->x, a->n * sizeof *a->x);
    memcpy(a->x, guess_of(a), a->n * sizeof *a->x);
    int proven = 0;
    if (assembly_look(a) && a->n <= 1000)
        for (size_t i = 0; i < a->m && !proven; i++)
            proven = a->seen.active[i] && fabs(a->seen.b[i]) > 1e3 * a->seen.row_size[i] && moves_only_pinned(a, i);
    memcpy(a->x, a->x_work, a->n * sizeof *a->x);
    assembly_look(a);
    return proven;
}

/* Marks in a->member the rows of the linear conflict that holds the worst row. 0: there is none. */
static int find_linear_conflict(mech_assembly *a)
{
    const size_t rows = a->rows;
    unsigned char *member = a->member;
    memset(member, 0, rows);
    if (!assembly_make_dense(a)) return 0;
    assembly_spread(a);
    const mech_fundamental_input equation = {.size = sizeof equation,
                                             .M = a->M_dense,
                                             .Q = a->zero,
                                             .A = a->seen.A_dense,
                                             .b = a->seen.b,
                                             .active = a->seen.active,
                                             .rank_tol = TOL_RANK,
                                             .allows_indefinite = mech_system_allows_negative_mass(a->system)};
    const mech_diagnosis_input input = {
        .size = sizeof input, .equation = &equation, .conflict_abs = 1e3 * a->seen.row_size[a->seen.worst]};
    if (mech_diagnosis_run(a->diagnosis, &input) != MECH_OK) return 0;
    const mech_diagnosis_result *found = mech_diagnosis_get(a->diagnosis);
    for (int k = 0; k < found->conflicts; k++)
        if (found->in_conflict[a->seen.worst + (size_t)k * rows])
            for (size_t i = 0; i < rows; i++) member[i] |= found->in_conflict[i + (size_t)k * rows];
    return member[a->seen.worst];
}

/* The rows a->member at x seen from `here`: gradients as they were, residuals as those foretell (sign(x) jumps). `b`
   (rows) is destroyed. */
static int look_alike(const mech_assembly *a, const double *here, const double *x, double *b)
{
    const unsigned char *member = a->member;
    int alike = 1;
    for (size_t k = 0; k < a->seen.entry_count; k++) {
        if (!member[a->seen.entry_row[k]]) continue;
        alike &= fabs(a->seen.entry[k] - here[k]) <= TOL_SAME_SLOPE * (1 + fabs(here[k]));
        b[a->seen.entry_row[k]] -= here[k] * (a->x[a->seen.entry_column[k]] - x[a->seen.entry_column[k]]);
    }
    for (size_t i = 0; i < a->rows; i++)
        alike &= !member[i] || fabs(a->seen.b[i] - b[i]) <= TOL_SAME_VALUE * (1 + fabs(a->seen.b[i]));
    return alike;
}

/* The rows a->member are the same linear functions here and at other points. */
static int are_linear(mech_assembly *a)
{
    int linear = 1;
    const size_t rows = a->rows;
    double *here = mem_alloc((a->seen.entry_count + a->n + 2 * rows) * sizeof *here);
    if (!here) return 0;
    double *x = here + a->seen.entry_count, *b = x + a->n;
    memcpy(here, a->seen.entry, a->seen.entry_count * sizeof *here);
    memcpy(x, a->x, a->n * sizeof *x);
    memcpy(b, a->seen.b, rows * sizeof *b);
    for (int k = 6; k < 9 && linear; k++) {
        displace(a, k, 1);
        for (size_t j = 0; j < a->n; j++) a->x[j] += 0.1 * (double)(k - 5); /* fixed values too */
        memcpy(b + rows, b, rows * sizeof *b);
        linear = assembly_look(a) && look_alike(a, here, x, b + rows);
    }
    memcpy(a->x, x, a->n * sizeof *x);
    assembly_look(a);
    mem_free(here);
    return linear;
}

/* 1: the rows cannot be met together, from wherever the search begins. */
static int is_proven(mech_assembly *a)
{
    return a->is_kept || is_proven_by_values(a) || (find_linear_conflict(a) && are_linear(a));
}

/* ---- other ways ---- */

mech_status assembly_recover(mech_assembly *a, int *is_met)
{
    const size_t most = 3000 / (a->n * a->n + 1); /* a person waits seconds, not minutes */
    if (a->is_sparse) return MECH_OK;
    assembly_least_squares(a);
    MECH_TRY(assembly_poll(a));
    *is_met = assembly_is_met(a);
    if (*is_met) return assembly_see_flat(a, SIZE_MAX, is_met);
    if (a->level == VELOCITY || is_proven(a)) return MECH_OK;
    double *ended = mem_alloc(a->n * (sizeof *ended + 1));
    if (!ended) return MECH_ERR_MEMORY;
    unsigned char *is_missed = (unsigned char *)(ended + a->n);
    memcpy(ended, a->x, a->n * sizeof *ended);
    assembly_find_missed(a, is_missed);
    mech_status status = MECH_OK;
    for (int k = 0; k < MOST_RESTARTS && (size_t)k < most && !*is_met && status == MECH_OK; k++) {
        displace(a, k, assembly_unit(a));
        for (size_t j = 0; j < a->n; j++)
            if (!is_missed[j]) a->x[j] = guess_of(a)[j];
        status = assembly_newton(a, is_met);
        if (status == MECH_ERR_MEMORY || status == MECH_ERR_INTERRUPTED) break;
        status = MECH_OK; /* a guess where nothing is finite leads nowhere, that is all */
    }
    if (!*is_met) {
        memcpy(a->x, ended, a->n * sizeof *ended);
        assembly_look(a);
    }
    mem_free(ended);
    return status;
}

/* ---- words ---- */

/* "initial x + y = 2", or its number where that is long. */
static void name_expression(const mech_assembly *a, size_t target, char *buffer, size_t size)
{
    enum { LONGEST = 40 };
    char *text = system_target_text(a->system, target);
    if (text && *text && strlen(text) <= LONGEST) snprintf(buffer, size, "initial %s", text);
    else snprintf(buffer, size, "initial value %zu", target + 1);
    mech_text_free(text);
}

static void start_row_name(const mech_assembly *a, size_t row, char *buffer, size_t size)
{
    if (row < a->m) {
        snprintf(buffer, size, "%s", mech_system_row_name(a->system, row));
        return;
    }
    const mech_target info = mech_system_target(a->system, row - a->m);
    const mech_item kind = info.variable == MECH_VARIABLE_Z ? MECH_ITEM_STATE : MECH_ITEM_COORD;
    const char *name = info.variable == MECH_VARIABLE_EXPRESSION ? NULL : mech_system_name(a->system, kind, info.index);
    if (name)
        snprintf(buffer, size, "%s %s%s", info.is_fixed ? "initial" : "guess", name,
                 info.variable == MECH_VARIABLE_V ? "'" : "");
    else name_expression(a, row - a->m, buffer, size);
}

/* "x = 1, y = 0.2", ...: where the search ended; a least misfit is not sharper than that. */
static void place(const mech_assembly *a, char *buffer, size_t size)
{
    size_t used = 0;
    double unit = assembly_unit(a);
    buffer[0] = '\0';
    for (size_t j = 0; j < a->n && unit < 1; j++) unit = fmin(1, fmax(unit, fabs(a->x[j])));
    for (size_t j = 0; j < a->n && j < MOST_COORDS_SHOWN && used < size; j++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s%s = %.4g", j ? ", " : "",
                                 mech_system_name(a->system, MECH_ITEM_COORD, j), a->level == POSITION ? "" : "'",
                                 fabs(a->x[j]) < TOL_SHOWN_ZERO * unit ? 0 : a->x[j]);
    if (a->n > MOST_COORDS_SHOWN && used < size) snprintf(buffer + used, size - used, ", ...");
}

/* Names of the rows a->member; how many. */
static size_t list_rows(const mech_assembly *a, char *names, size_t size)
{
    size_t used = 0, count = 0;
    char name[128];
    for (size_t i = 0; i < a->rows && used < size; i++) {
        if (!a->member[i]) continue;
        start_row_name(a, i, name, sizeof name);
        used += (size_t)snprintf(names + used, size - used, "%s%s", count++ ? ", " : "", name);
    }
    return count;
}

/* Is the constraint of this row imposed by events too? Then it was perhaps not meant to be in force yet: the note
   says why it is. */
static void note_clutch(const mech_assembly *a, size_t row, char *note, size_t size)
{
    int is_imposed = 0;
    const size_t constraint = row < a->m ? mech_system_row(a->system, row).constraint : SIZE_MAX;
    const char *name = row < a->m ? mech_system_name(a->system, MECH_ITEM_CONSTRAINT, constraint) : NULL;
    for (size_t i = 0; i < a->sizes.actions && name; i++) {
        const mech_action_info action = mech_system_action(a->system, i);
        for (size_t k = 0; k < action.constraint_count; k++)
            is_imposed |= action.constraints[k] == constraint &&
                          (action.kind == MECH_ACTION_IMPOSE || action.kind == MECH_ACTION_IMPACT);
    }
    if (is_imposed)
        snprintf(note, size,
                 ". %s is in force from the start, as an event releases it; `initial release %s` begins without it",
                 name, name);
}

mech_status assembly_report_vanishing(mech_assembly *a, size_t row)
{
    char name[128], where[224];
    start_row_name(a, row, name, sizeof name);
    place(a, where, sizeof where);
    snprintf(a->error, sizeof a->error,
             "%s is met at %s, where its gradient vanishes, as that of a square at 0: how the system moves does not "
             "follow from it; begin elsewhere, or write it so that it changes its sign there",
             name, where);
    return MECH_ERR_NO_START;
}

mech_status assembly_report(mech_assembly *a)
{
    char names[256] = "", name[128], where[224], note[256] = "";
    const size_t rows = a->rows;
    unsigned char *member = a->member;
    MECH_TRY(assembly_poll(a));
    const int proven = is_proven(a);
    if (!find_linear_conflict(a))
        for (size_t i = 0; i < rows; i++)
            member[i] =
                a->seen.active[i] && fabs(a->seen.b[i]) > TOL_LEAST_SQUARES_PART * fabs(a->seen.b[a->seen.worst]);
    const size_t count = list_rows(a, names, sizeof names);
    for (size_t i = 0; i < rows && !note[0]; i++)
        if (member[i]) note_clutch(a, i, note, sizeof note);
    const char *what = a->level == POSITION ? "positions" : "velocities";
    const double miss = -a->seen.b[a->seen.worst];
    start_row_name(a, a->seen.worst, name, sizeof name);
    place(a, where, sizeof where);
    if (!proven)
        snprintf(
            a->error, sizeof a->error,
            "no %s were found that meet %s%s: the search ended at %s, where it misses %s by %.6g; give another guess",
            what, names, count > 1 ? " together" : "", where, name, miss);
    else if (count > 1)
        snprintf(a->error, sizeof a->error,
                 "the start cannot meet these %s together: %s; the nearest misses %s by %.6g%s", what, names, name,
                 miss, note);
    else
        snprintf(a->error, sizeof a->error, "the start cannot meet the %s of %s: it misses by %.6g%s", what, names,
                 miss, note);
    return proven ? MECH_ERR_CONFLICT : MECH_ERR_NO_START;
}
