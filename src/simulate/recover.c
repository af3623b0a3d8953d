/* Where Newton's method finds no start: other ways to one, and what to say where none leads there. That a local search
   stops proves nothing, so only what is proven is called a contradiction. */
#include "simulate/assembly.h"
#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RESTARTS = 24, MOST_COORDS_SHOWN = 6 };

static const double *guess_of(const assembly *a)
{
    return a->s->y_given + (a->level == POSITION ? 0 : a->s->n);
}

/* 1: coordinate j has a value that `initial` fixes. */
static int is_pinned(const assembly *a, size_t j)
{
    const mech_sim *s = a->s;
    const mech_variable plain = a->level == POSITION ? MECH_VARIABLE_Q : MECH_VARIABLE_V;
    for (size_t k = 0; k < s->sizes.targets; k++) {
        const mech_target info = mech_system_target(s->system, k);
        if (info.variable == plain && info.index == j && s->active_start[s->m + k]) return 1;
    }
    return 0;
}

/* The k-th guess: displaced by numbers without pattern, to both sides in turn, farther and farther. Fixed values stay. */
static void displace(assembly *a, int k)
{
    const double *guess = guess_of(a);
    const double size = 0.25 * pow(1.5, k / 2) * (k % 2 ? -1 : 1);
    for (size_t j = 0; j < a->s->n; j++) {
        const double odd = fmod(0.6180339887498949 * (double)(j + 1) * (double)(k / 2 + 1), 1); /* in (0, 1) */
        const double part = j % 2 && k / 2 % 2 ? odd - 1.1 : odd + 0.1;
        a->x[j] = guess[j] + (is_pinned(a, j) ? 0 : size * part * (1 + fabs(guess[j])));
    }
}

/* ---- proofs ---- */

static int moves_only_pinned(const assembly *a, size_t row)
{
    const mech_sim *s = a->s;
    int any = 0; /* sign(x) has no gradient, and moves all the same */
    for (size_t k = 0; k < s->pattern_A.count; k++) {
        if (s->pattern_A.row[k] != row) continue;
        if (!is_pinned(a, s->pattern_A.column[k])) return 0;
        any = 1;
    }
    return any;
}

/* A constraint all of whose coordinates are fixed, and that misses there. */
static int is_proven_by_values(assembly *a)
{
    mech_sim *s = a->s;
    memcpy(s->y_work, a->x, s->n * sizeof *a->x);
    memcpy(a->x, guess_of(a), s->n * sizeof *a->x);
    int proven = 0;
    if (assembly_look(a) && s->n <= 1000)
        for (size_t i = 0; i < s->m && !proven; i++)
            proven = s->active_start[i] && fabs(s->b_start[i]) > 1e3 * s->row_size[i] && moves_only_pinned(a, i);
    memcpy(a->x, s->y_work, s->n * sizeof *a->x);
    assembly_look(a);
    return proven;
}

/* Marks in `member` the rows of the linear conflict that holds the worst row. 0: there is none. */
static int find_linear_conflict(assembly *a, unsigned char *member)
{
    mech_sim *s = a->s;
    const size_t rows = assembly_rows(s);
    memset(member, 0, rows);
    if (!sim_make_dense(s)) return 0;
    assembly_spread(s);
    const mech_fundamental_input equation = sim_start_equation(s, 1e-9);
    const mech_diagnosis_input input = {.size = sizeof input, .equation = &equation, .conflict_abs = 1e3 * s->row_size[a->worst]};
    if (mech_diagnosis_run(s->diagnosis, &input) != MECH_OK) return 0;
    const mech_diagnosis_result *found = mech_diagnosis_get(s->diagnosis);
    for (int k = 0; k < found->conflicts; k++)
        if (found->in_conflict[a->worst + (size_t)k * rows])
            for (size_t i = 0; i < rows; i++) member[i] |= found->in_conflict[i + (size_t)k * rows];
    return member[a->worst];
}

/* The rows `member` at x seen from `here`: gradients as they were, residuals as those foretell (sign(x) jumps). `b` (rows)
   is destroyed. */
static int look_alike(const assembly *a, const unsigned char *member, const double *here, const double *x, double *b)
{
    const mech_sim *s = a->s;
    int alike = 1;
    for (size_t k = 0; k < s->start_count; k++) {
        if (!member[s->start_row[k]]) continue;
        alike &= fabs(s->start_value[k] - here[k]) <= 1e-12 * (1 + fabs(here[k]));
        b[s->start_row[k]] -= here[k] * (a->x[s->start_column[k]] - x[s->start_column[k]]);
    }
    for (size_t i = 0; i < assembly_rows(s); i++)
        alike &= !member[i] || fabs(s->b_start[i] - b[i]) <= 1e-9 * (1 + fabs(s->b_start[i]));
    return alike;
}

/* The rows `member` are the same linear functions here and at other points. */
static int are_linear(assembly *a, const unsigned char *member)
{
    mech_sim *s = a->s;
    int linear = 1;
    const size_t rows = assembly_rows(s);
    double *here = mem_alloc((s->start_count + s->n + 2 * rows) * sizeof *here);
    if (!here) return 0;
    double *x = here + s->start_count, *b = x + s->n;
    memcpy(here, s->start_value, s->start_count * sizeof *here);
    memcpy(x, a->x, s->n * sizeof *x);
    memcpy(b, s->b_start, rows * sizeof *b);
    for (int k = 6; k < 9 && linear; k++) {
        displace(a, k);
        for (size_t j = 0; j < s->n; j++) a->x[j] += 0.1 * (double)(k - 5); /* fixed values too */
        memcpy(b + rows, b, rows * sizeof *b);
        linear = assembly_look(a) && look_alike(a, member, here, x, b + rows);
    }
    memcpy(a->x, x, s->n * sizeof *x);
    assembly_look(a);
    mem_free(here);
    return linear;
}

/* 1: the rows cannot be met together, from wherever the search begins. */
static int is_proven(assembly *a)
{
    unsigned char *member = a->s->active_start + assembly_rows(a->s);
    return a->is_kept || is_proven_by_values(a) || (find_linear_conflict(a, member) && are_linear(a, member));
}

/* ---- other ways ---- */

mech_status assembly_recover(assembly *a, int *is_met)
{
    mech_sim *s = a->s;
    const size_t most = 3000 / (s->n * s->n + 1); /* a person waits seconds, not minutes */
    if (s->is_sparse) return MECH_OK;
    assembly_least_misfit(a);
    MECH_TRY(sim_poll(s));
    *is_met = assembly_is_met(a);
    if (*is_met) return MECH_OK;
    if (a->level == VELOCITY || is_proven(a)) return MECH_OK;
    double *ended = mem_alloc(s->n * sizeof *ended);
    if (!ended) return MECH_ERR_MEMORY;
    memcpy(ended, a->x, s->n * sizeof *ended);
    const mech_status before = s->status;
    mech_status status = MECH_OK;
    for (int k = 0; k < MOST_RESTARTS && (size_t)k < most && !*is_met && status == MECH_OK; k++) {
        displace(a, k);
        status = assembly_newton(a, is_met);
        if (status == MECH_ERR_MEMORY || status == MECH_ERR_INTERRUPTED) break;
        status = MECH_OK; /* a guess where nothing is finite leads nowhere, that is all */
        s->status = before;
    }
    if (!*is_met) {
        memcpy(a->x, ended, s->n * sizeof *ended);
        assembly_look(a);
    }
    mem_free(ended);
    return status;
}

/* ---- words ---- */

static void start_row_name(const mech_sim *s, size_t row, char *buffer, size_t size)
{
    if (row < s->m) {
        sim_row_name(s, row, buffer, size);
        return;
    }
    const mech_target info = mech_system_target(s->system, row - s->m);
    const char *name = info.variable == MECH_VARIABLE_EXPRESSION
                           ? NULL
                           : mech_system_name(s->system, MECH_ITEM_COORD, info.index);
    if (name) snprintf(buffer, size, "initial %s%s", name, info.variable == MECH_VARIABLE_V ? "'" : "");
    else snprintf(buffer, size, "initial value %zu", row - s->m + 1);
}

/* "x = 1, y = 0.2", ...: where the search ended; a least misfit is not sharper than that. */
static void place(const assembly *a, char *buffer, size_t size)
{
    const mech_sim *s = a->s;
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t j = 0; j < s->n && j < MOST_COORDS_SHOWN && used < size; j++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s%s = %.4g", j ? ", " : "",
                                 mech_system_name(s->system, MECH_ITEM_COORD, j), a->level == POSITION ? "" : "'",
                                 fabs(a->x[j]) < 1e-5 ? 0 : a->x[j]);
    if (s->n > MOST_COORDS_SHOWN && used < size) snprintf(buffer + used, size - used, ", ...");
}

/* Names of the rows `member`; how many. */
static size_t list_rows(const mech_sim *s, const unsigned char *member, char *names, size_t size)
{
    size_t used = 0, count = 0;
    char name[128];
    for (size_t i = 0; i < assembly_rows(s) && used < size; i++) {
        if (!member[i]) continue;
        start_row_name(s, i, name, sizeof name);
        used += (size_t)snprintf(names + used, size - used, "%s%s", count++ ? ", " : "", name);
    }
    return count;
}

/* Is the constraint of this row imposed by events too? Then it was perhaps not meant to be in force yet: the note says why it is. */
static void note_clutch(const mech_sim *s, size_t row, char *note, size_t size)
{
    int is_imposed = 0;
    const size_t constraint = row < s->m ? mech_system_row(s->system, row).constraint : SIZE_MAX;
    const char *name = row < s->m ? mech_system_name(s->system, MECH_ITEM_CONSTRAINT, constraint) : NULL;
    for (size_t i = 0; i < s->sizes.actions && name; i++) {
        const mech_action_info action = mech_system_action(s->system, i);
        for (size_t k = 0; k < action.constraint_count; k++)
            is_imposed |= action.constraints[k] == constraint && (action.kind == MECH_IMPOSE || action.kind == MECH_IMPACT);
    }
    if (is_imposed)
        snprintf(note, size, ". %s is in force from the start, as an event releases it; `initial release %s` begins without it", name, name);
}

mech_status assembly_report(assembly *a)
{
    mech_sim *s = a->s;
    char names[256] = "", name[128], where[224], note[256] = "";
    const size_t rows = assembly_rows(s);
    unsigned char *member = s->active_start + rows;
    MECH_TRY(sim_poll(s));
    const int proven = is_proven(a);
    if (!find_linear_conflict(a, member))
        for (size_t i = 0; i < rows; i++)
            member[i] = s->active_start[i] && fabs(s->b_start[i]) > 1e-3 * fabs(s->b_start[a->worst]);
    const size_t count = list_rows(s, member, names, sizeof names);
    for (size_t i = 0; i < rows && !note[0]; i++)
        if (member[i]) note_clutch(s, i, note, sizeof note);
    const char *what = a->level == POSITION ? "positions" : "velocities";
    const double miss = -s->b_start[a->worst];
    start_row_name(s, a->worst, name, sizeof name);
    place(a, where, sizeof where);
    if (!proven)
        return sim_fail(s, MECH_ERR_NO_START,
                        "no %s were found that meet %s%s: the search ended at %s, where it misses %s by %.6g; give another guess",
                        what, names, count > 1 ? " together" : "", where, name, miss);
    if (count > 1)
        return sim_fail(s, MECH_ERR_CONFLICT, "the start cannot meet these %s together: %s; the nearest misses %s by %.6g%s",
                        what, names, name, miss, note);
    return sim_fail(s, MECH_ERR_CONFLICT, "the start cannot meet the %s of %s: it misses by %.6g%s", what, names, miss, note);
}
