/* The life of an instant: everything is allocated here. */
#include "dynamics/instant.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"

#include <stdio.h>
#include <string.h>

static void *zeroed(mech_instant *s, size_t count, size_t size)
{
    if (count > SIZE_MAX / 2 / size) return NULL;
    const size_t bytes = count ? count * size : 1;
    void *block = arena_alloc(&s->memory, bytes);
    if (block) memset(block, 0, bytes);
    return block;
}

/* "law on cone", "friction on circle, plane" */
static const char *joined_name(mech_instant *s, const char *what, const size_t *constraints, size_t count)
{
    textbuf text = {0};
    text_add(&text, what);
    for (size_t i = 0; i < count; i++) {
        const char *name = mech_system_name(s->system, MECH_ITEM_CONSTRAINT, constraints[i]);
        text_format(&text, "%s%s", i ? ", " : " on ", name ? name : "?");
    }
    const char *copy = text.failed ? NULL : arena_text(&s->memory, text.data, text.length);
    text_free(&text);
    return copy;
}

static mech_status create_laws(mech_instant *s)
{
    const size_t laws = s->sizes.laws, count = laws + s->sizes.frictions;
    s->law = zeroed(s, count, sizeof *s->law);
    s->columns = zeroed(s, s->n * count, sizeof *s->columns);
    s->column_parts = zeroed(s, s->n * count, sizeof *s->column_parts);
    if (!s->law || !s->columns || !s->column_parts) return MECH_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        mech_instant_law *law = &s->law[k];
        char what[48] = "law";
        law->C = s->columns + k * s->n;
        law->Qni = s->column_parts + k * s->n;
        law->is_friction = k >= laws;
        const mech_law given = mech_system_law(s->system, k);
        const mech_friction rough = mech_system_friction(s->system, k - laws);
        law->kind = law->is_friction ? MECH_LAW_C : given.kind;
        if (laws > 1) snprintf(what, sizeof what, "law %zu", k + 1);
        law->name = law->is_friction ? joined_name(s, "friction", rough.constraints, rough.constraint_count)
                                     : joined_name(s, what, given.constraints, given.constraint_count);
        if (!law->name) return MECH_ERR_MEMORY;
        s->laws_read |= !law->is_friction && given.uses_reaction;
    }
    s->has_laws = laws > 0;
    return MECH_OK;
}

static mech_status create_friction(mech_instant *s)
{
    s->friction = zeroed(s, s->sizes.frictions, sizeof *s->friction);
    if (!s->friction) return MECH_ERR_MEMORY;
    for (size_t k = 0; k < s->sizes.frictions; k++)
        MECH_TRY(friction_law_create(s->system, k, &s->memory, &s->friction[k].law));
    return MECH_OK;
}

static void add_group(mech_instant *s, mech_group group)
{
    s->group_sizes[s->result.groups] = (int)group.row_count;
    s->group[s->result.groups++] = group;
}

static mech_status create_groups(mech_instant *s)
{
    const mech_system *system = s->system;
    const size_t most = s->rows + s->sizes.frictions;
    s->group = zeroed(s, most, sizeof *s->group);
    s->group_sizes = zeroed(s, most, sizeof *s->group_sizes);
    if (!s->group || !s->group_sizes) return MECH_ERR_MEMORY;
    for (size_t i = 0;
         i < s->m;) { /* control rows come after natural ones, whatever the order of declaration */
        const mech_row row = mech_system_row(system, i);
        size_t count;
        mech_system_constraint_rows(system, row.constraint, &count);
        add_group(s, (mech_group){row.is_control ? MECH_GROUP_CONTROL : MECH_GROUP_CONSTRAINT,
                                  mech_system_name(system, MECH_ITEM_CONSTRAINT, row.constraint),
                                  row.constraint, i, count});
        i += count;
    }
    for (size_t k = 0; k < s->sizes.frictions; k++)
        add_group(s, (mech_group){MECH_GROUP_FRICTION, s->law[s->sizes.laws + k].name, k,
                                  s->m + s->friction[k].law.first, s->friction[k].law.count});
    for (size_t i = s->given_first; i < s->rows; i++) {
        const size_t j = i - s->given_first;
        const char *name =
            arena_format(&s->memory, "given %s''", mech_system_name(system, MECH_ITEM_COORD, j));
        if (!name) return MECH_ERR_MEMORY;
        add_group(s, (mech_group){MECH_GROUP_GIVEN, name, j, i, 1});
    }
    return MECH_OK;
}

static mech_status create_arrays(mech_instant *s)
{
    const size_t n = s->n, rows = s->rows, actuators = s->sizes.actuators, most = n > rows ? n : rows;
    const size_t square = s->sizes.laws + s->sizes.frictions ? n * n : 0, groups = s->result.groups;
    int failed = 0;
    struct {
        double **to;
        size_t count;
    } const all[] = {
        {&s->A, rows * n},
        {&s->b, rows},
        {&s->G, n * actuators},
        {&s->S, s->sizes.friction_rows * n},
        {&s->C, n},
        {&s->trial, n},
        {&s->root_vectors, square},
        {&s->root_matrix, square},
        {&s->root_d, n},
        {&s->law_z, n},
        {&s->qdd, n},
        {&s->a, n},
        {&s->e, rows},
        {&s->Qi, n},
        {&s->Qni, n},
        {&s->Qc, n},
        {&s->u, actuators > n ? actuators : n},
        {&s->lambda, rows},
        {&s->total, rows},
        {&s->force, n * groups},
        {&s->work, 3 * rows},
        {&s->output_still, 3 * s->sizes.outputs},
        {&s->zero, most},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        failed |= !(*all[i].to = zeroed(s, all[i].count, sizeof(double)));
    s->active = zeroed(s, rows, 1);
    s->servo = zeroed(s, rows, 1);
    s->natural = zeroed(s, rows, 1);
    s->off_path = zeroed(s, s->m, 1);
    s->output_is_choice = zeroed(s, s->sizes.outputs, 1);
    s->culprit = zeroed(s, most, sizeof *s->culprit);
    return failed || !s->output_is_choice || !s->active || !s->servo || !s->natural || !s->off_path || !s->culprit ? MECH_ERR_MEMORY : MECH_OK;
}

static mech_status build(mech_instant *s, unsigned flags)
{
    enum { LARGEST = 20000 };
    const mech_system *system = s->system;
    s->sizes = mech_system_sizes(system);
    s->n = s->sizes.coords;
    s->m = s->sizes.rows;
    s->given_first = s->m + s->sizes.friction_rows;
    s->rows = s->given_first + (flags & MECH_INSTANT_INVERSE ? s->n : 0);
    if (s->n < 1 || s->n > LARGEST || s->rows > LARGEST) return MECH_ERR_ARGUMENT;
    s->pattern_C = mech_system_pattern(system, MECH_MATRIX_C);
    s->pattern_G = mech_system_pattern(system, MECH_MATRIX_G);
    s->pattern_slip = mech_system_pattern(system, MECH_MATRIX_SLIP);
    s->pattern_damping = mech_system_pattern(system, MECH_MATRIX_DAMPING);
    s->pattern_stiffness = mech_system_pattern(system, MECH_MATRIX_STIFFNESS);
    MECH_TRY(create_laws(s));
    MECH_TRY(create_friction(s));
    MECH_TRY(create_groups(s));
    MECH_TRY(create_arrays(s));
    mech_fundamental_settings settings;
    mech_fundamental_settings_default(&settings, sizeof settings);
    settings.actuators = (int)(s->sizes.actuators > s->n ? s->sizes.actuators : s->n);
    MECH_TRY(mech_fundamental_create((int)s->n, (int)s->rows, &settings, &s->solver));
    MECH_TRY(mech_diagnosis_create((int)s->n, (int)s->rows, &s->diagnosis));
    MECH_TRY(mech_eval_create(system, MECH_STORAGE_DENSE, &s->eval));
    s->eq = mech_eval_equation(s->eval);
    return MECH_OK;
}

mech_status mech_instant_create(const mech_system *system, unsigned flags, mech_instant **instant)
{
    if (!instant) return MECH_ERR_ARGUMENT;
    *instant = NULL;
    if (!system) return MECH_ERR_ARGUMENT;
    mech_instant *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    s->system = system;
    s->result.size = sizeof s->result;
    const mech_status status = build(s, flags);
    if (status == MECH_OK) *instant = s;
    else mech_instant_free(s);
    return status;
}

void mech_instant_free(mech_instant *s)
{
    if (!s) return;
    mech_eval_free(s->eval);
    mech_fundamental_free(s->solver);
    mech_diagnosis_free(s->diagnosis);
    arena_free(&s->memory);
    mem_free(s);
}

mech_eval *mech_instant_eval(const mech_instant *s) { return s->eval; }

const mech_system *mech_instant_system(const mech_instant *s) { return s->system; }

const mech_instant_result *mech_instant_get(const mech_instant *s) { return &s->result; }
