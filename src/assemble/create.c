/* Making and freeing an assembly: everything it needs is sized from the system here. */
#include "assemble/assembly.h"
#include "base/mem.h"
#include "base/try.h"
#include "base/tolerances.h"
#include "system/owner.h"
#include "system/sizes.h"

#include <limits.h>
#include <string.h>

enum { MOST_DENSE = 400 };

static mech_status allocate(mech_assembly *a)
{
    const size_t n = a->n, rows = a->rows, ny = 2 * n + a->nz, held = a->held.count,
                 entries = a->A.count + a->target.count + held;
    if (!a->is_sparse) MECH_TRY(ARENA_MAKE(&a->memory, ARRAY_OF(a->seen.A_dense, rows * n)));
    MECH_TRY(ARENA_MAKE(
        &a->memory, ARRAY_OF(a->y, ny), ARRAY_OF(a->y_given, ny), ARRAY_OF(a->seen.entry, entries),
        ARRAY_OF(a->seen.entry_row, entries), ARRAY_OF(a->seen.entry_column, entries),
        ARRAY_OF(a->target_entry, a->target.count), ARRAY_OF(a->target_level, a->sizes.targets),
        ARRAY_OF(a->target_asks, a->sizes.targets), ARRAY_OF(a->seen.b, rows), ARRAY_OF(a->seen.row_size, rows),
        ARRAY_OF(a->seen.row_scale, rows), ARRAY_OF(a->seen.weight, rows), ARRAY_OF(a->seen.active, rows),
        ARRAY_OF(a->member, rows), ARRAY_OF(a->is_missed, n), ARRAY_OF(a->joined, n + rows),
        ARRAY_OF(a->left_out, rows), ARRAY_OF(a->zero, n), ARRAY_OF(a->delta, n), ARRAY_OF(a->x_work, n),
        ARRAY_OF(a->x_flat, n + rows), ARRAY_OF(a->metric, a->is_sparse ? a->M.count : n * n),
        ARRAY_OF(a->size_work, system_sizes_room(a->system)), ARRAY_OF(a->moves, 2 * n), ARRAY_OF(a->names, 2 * n),
        ARRAY_OF(a->held.now, n), ARRAY_OF(a->held.at, n), ARRAY_OF(a->held.y_model, ny),
        ARRAY_OF(a->held.is_new, 2 * n), ARRAY_OF(a->held.value, 2 * n), ARRAY_OF(a->held.may_now, n),
        ARRAY_OF(a->held.part, n + rows), ARRAY_OF(a->held.part_has, n), ARRAY_OF(a->held.was, n)));
    for (size_t i = 0; i < 2 * n; i++) {
        const char *name = mech_system_name(a->system, MECH_ITEM_COORD, i % n);
        a->names[i] = arena_format(&a->memory, i < n ? "%s" : "%s'", name ? name : "?");
        if (!a->names[i]) return MECH_ERR_MEMORY;
    }
    return MECH_OK;
}

/* Coordinates whose values may be held: those of joints, and those without mass, which have no entry in M, or one that
   works along constraints alone. Without constraints nothing undoes a value. */
static mech_status list_held(mech_assembly *a)
{
    unsigned char *is_massless;
    MECH_TRY(ARENA_MAKE(&a->memory, ARRAY_OF(a->held.coord, a->n), ARRAY_OF(a->held.may_be, a->n),
                        ARRAY_OF(a->held.is_massless, a->n)));
    if (a->m == 0) return MECH_OK;
    is_massless = a->held.is_massless;
    memset(is_massless, 1, a->n);
    for (size_t k = 0; k < a->M.count; k++) is_massless[a->M.row[k]] = is_massless[a->M.column[k]] = 0;
    for (size_t j = 0; j < a->n; j++) {
        is_massless[j] |= (unsigned char)system_coord_shows(a->system, j);
        a->held.may_be[j] = is_massless[j] || system_coord_joins(a->system, j);
        if (a->held.may_be[j]) a->held.coord[a->held.count++] = j;
    }
    return MECH_OK;
}

/* Entries of the rows: A, then of each target those of its level: velocities where it looks at any, or coordinates;
   then the coordinates that may be held. */
static void list_entries(mech_assembly *a)
{
    const mech_pattern *A = &a->A, *T = &a->target;
    if (A->count) {
        memcpy(a->seen.entry_row, A->row, A->count * sizeof *A->row);
        memcpy(a->seen.entry_column, A->column, A->count * sizeof *A->column);
    }
    a->seen.entry_count = A->count;
    for (size_t k = 0; k < T->count; k++)
        if (T->column[k] / a->n == VELOCITY) a->target_level[T->row[k]] = VELOCITY;
    for (size_t k = 0; k < T->count; k++) {
        if (T->column[k] / a->n != a->target_level[T->row[k]]) continue;
        a->target_entry[a->seen.entry_count - A->count] = k;
        a->seen.entry_row[a->seen.entry_count] = (uint32_t)(a->m + T->row[k]);
        a->seen.entry_column[a->seen.entry_count++] = T->column[k] % (uint32_t)a->n;
    }
    for (size_t k = 0; k < a->held.count; k++) {
        a->seen.entry_row[a->seen.entry_count] = (uint32_t)(a->m + a->sizes.targets + k);
        a->seen.entry_column[a->seen.entry_count++] = (uint32_t)a->held.coord[k];
    }
}

/* What targets ask for; states are met as they are. */
static void list_targets(mech_assembly *a)
{
    for (size_t k = 0; k < a->sizes.targets; k++) {
        const mech_target info = mech_system_target(a->system, k);
        const int is_guess = !info.is_fixed && info.variable == MECH_VARIABLE_EXPRESSION;
        if (info.variable == MECH_VARIABLE_Z || (!info.is_fixed && !is_guess)) continue;
        a->target_asks[k] = (unsigned char)((is_guess ? GUESSES : FIXES) << a->target_level[k]);
        a->all_ask |= a->target_asks[k];
    }
}

mech_fundamental_pattern assemble_pattern(size_t n, size_t rows, const mech_pattern *M, const mech_pattern *A)
{
    return (mech_fundamental_pattern){.size = sizeof(mech_fundamental_pattern),
                                      .n = (int)n,
                                      .m = (int)rows,
                                      .M_count = M->count,
                                      .A_count = A->count,
                                      .M_row = M->row,
                                      .M_column = M->column,
                                      .A_row = A->row,
                                      .A_column = A->column};
}

static mech_status make_solver(mech_assembly *a)
{
    mech_fundamental_settings settings;
    mech_fundamental_settings_default(&settings, sizeof settings);
    settings.rank_tol = TOL_RANK_OFF;
    if (a->is_sparse) {
        const mech_pattern rows = {
            .count = a->seen.entry_count, .row = a->seen.entry_row, .column = a->seen.entry_column};
        const mech_fundamental_pattern pattern = assemble_pattern(a->n, a->rows, &a->M, &rows);
        return mech_fundamental_create_sparse(&pattern, &settings, &a->solver);
    }
    MECH_TRY(mech_fundamental_create((int)a->n, (int)a->rows, &settings, &a->solver));
    return mech_diagnosis_create((int)a->n, (int)a->rows, &a->diagnosis);
}

static mech_status create(mech_assembly *a)
{
    a->sizes = mech_system_sizes(a->system);
    a->n = a->sizes.coords;
    a->m = a->sizes.rows;
    a->nz = a->sizes.states;
    a->is_sparse = a->eq->M_dense == NULL;
    a->M = mech_system_pattern(a->system, MECH_MATRIX_M);
    a->A = mech_system_pattern(a->system, MECH_MATRIX_A);
    a->target = mech_system_pattern(a->system, MECH_MATRIX_TARGET);
    if (a->n == 0) return MECH_ERR_ARGUMENT;
    MECH_TRY(list_held(a));
    a->rows = a->m + a->sizes.targets + a->held.count;
    if (a->n > INT_MAX || a->rows > INT_MAX) return MECH_ERR_LIMIT;
    MECH_TRY(allocate(a));
    list_entries(a);
    list_targets(a);
    return make_solver(a);
}

mech_status mech_assembly_create(mech_eval *eval, mech_assembly **assembly)
{
    if (!assembly) return MECH_ERR_ARGUMENT;
    *assembly = NULL;
    if (!eval) return MECH_ERR_ARGUMENT;
    mech_assembly *a = mem_zeroed(1, sizeof *a);
    if (!a) return MECH_ERR_MEMORY;
    a->system = mech_eval_system(eval);
    a->eval = eval;
    a->eq = mech_eval_equation(eval);
    const mech_status status = create(a);
    if (status == MECH_OK) *assembly = a;
    else mech_assembly_free(a);
    return status;
}

void mech_assembly_free(mech_assembly *a)
{
    if (!a) return;
    mech_fundamental_free(a->solver);
    mech_diagnosis_free(a->diagnosis);
    arena_free(&a->memory);
    mem_free(a);
}

int assemble_make_dense(arena *memory, const mech_pattern *M, const double *values, size_t n, size_t rows,
                        double **M_to, double **A_to, mech_diagnosis **diagnosis)
{
    if (n + rows > MOST_DENSE) return 0;
    if (!*M_to && ARENA_MAKE(memory, ARRAY_OF(*M_to, n * n)) != MECH_OK) return 0;
    if (!*A_to && ARENA_MAKE(memory, ARRAY_OF(*A_to, n * rows)) != MECH_OK) return 0;
    if (!*diagnosis && mech_diagnosis_create((int)n, (int)rows, diagnosis) != MECH_OK) return 0;
    for (size_t k = 0; k < M->count; k++)
        (*M_to)[M->row[k] + M->column[k] * n] = (*M_to)[M->column[k] + M->row[k] * n] = values[k];
    return 1;
}

int assembly_make_dense(mech_assembly *a)
{
    if (a->is_sparse)
        return assemble_make_dense(&a->memory, &a->M, a->eq->M, a->n, a->rows, &a->M_dense, &a->seen.A_dense,
                                   &a->diagnosis);
    a->M_dense = (double *)a->eq->M_dense;
    return 1;
}
