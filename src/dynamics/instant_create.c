/* The life of an instant: everything is allocated here. */
#include "dynamics/instant.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"
#include "system/sizes.h"

#include <stdio.h>

/* "law on cone", "friction on circle, plane" */
static const char *joined_name(mech_instant *s, const char *what, const size_t *constraints, size_t count)
{
    textbuf text = {0};
    text_add(&text, what);
    for (size_t i = 0; i < count; i++) {
        const char *name = mech_system_name(s->d.system, MECH_ITEM_CONSTRAINT, constraints[i]);
        text_format(&text, "%s%s", i ? ", " : " on ", name ? name : "?");
    }
    const char *copy = text.failed ? NULL : arena_text(&s->memory, text.data, text.length);
    text_free(&text);
    return copy;
}

static mech_status create_laws(mech_instant *s)
{
    const size_t laws = s->d.sizes.laws, count = laws + s->d.sizes.frictions;
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(s->law, count), ARRAY_OF(s->columns, s->d.n * count),
                        ARRAY_OF(s->column_parts, s->d.n * count)));
    for (size_t k = 0; k < count; k++) {
        mech_instant_law *law = &s->law[k];
        char what[48] = "law";
        law->C = s->columns + k * s->d.n;
        law->Qni = s->column_parts + k * s->d.n;
        law->is_friction = k >= laws;
        const mech_law given = mech_system_law(s->d.system, k);
        const mech_friction friction = mech_system_friction(s->d.system, k - laws);
        law->kind = law->is_friction ? MECH_LAW_C : given.kind;
        if (laws > 1) snprintf(what, sizeof what, "law %zu", k + 1);
        law->name = law->is_friction && friction.name ? arena_format(&s->memory, "friction on %s", friction.name)
                    : law->is_friction ? joined_name(s, "friction", friction.constraints, friction.constraint_count)
                                       : joined_name(s, what, given.constraints, given.constraint_count);
        if (!law->name) return MECH_ERR_MEMORY;
    }
    return MECH_OK;
}

static void add_group(mech_instant *s, mech_group group)
{
    s->group_sizes[s->result.groups] = (int)group.row_count;
    s->group[s->result.groups++] = group;
}

static mech_status create_groups(mech_instant *s)
{
    const mech_system *system = s->d.system;
    const size_t most = s->d.rows + s->d.sizes.frictions;
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(s->group, most), ARRAY_OF(s->group_sizes, most)));
    for (size_t i = 0; i < s->d.m;) { /* control rows come after natural ones, whatever the order of declaration */
        const mech_row row = mech_system_row(system, i);
        size_t count;
        mech_system_constraint_rows(system, row.constraint, &count);
        add_group(s, (mech_group){row.is_control ? MECH_GROUP_CONTROL : MECH_GROUP_CONSTRAINT,
                                  mech_system_name(system, MECH_ITEM_CONSTRAINT, row.constraint), row.constraint, i,
                                  count});
        i += count;
    }
    for (size_t k = 0; k < s->d.sizes.frictions; k++)
        add_group(s, (mech_group){MECH_GROUP_FRICTION, s->law[s->d.sizes.laws + k].name, k,
                                  s->d.m + s->d.friction[k].law.first, s->d.friction[k].law.count});
    for (size_t i = s->given_first; i < s->d.rows; i++) {
        const size_t j = i - s->given_first;
        const char *name = arena_format(&s->memory, "given %s''", mech_system_name(system, MECH_ITEM_COORD, j));
        if (!name) return MECH_ERR_MEMORY;
        add_group(s, (mech_group){MECH_GROUP_GIVEN, name, j, i, 1});
    }
    return MECH_OK;
}

static mech_status create_arrays(mech_instant *s)
{
    const size_t n = s->d.n, m = s->d.m, rows = s->d.rows, outputs = s->d.sizes.outputs, most = n > rows ? n : rows;
    const size_t B = mech_system_pattern(s->d.system, MECH_MATRIX_DAMPING).count,
                 K = mech_system_pattern(s->d.system, MECH_MATRIX_STIFFNESS).count;
    MECH_TRY(ARENA_MAKE(
        &s->memory, ARRAY_OF(s->C, n), ARRAY_OF(s->law_z, n), ARRAY_OF(s->a, n), ARRAY_OF(s->e, rows),
        ARRAY_OF(s->force, n * s->result.groups), ARRAY_OF(s->probe, unique_room(rows, n > outputs ? n : outputs)),
        ARRAY_OF(s->size_work, system_sizes_room(s->d.system)), ARRAY_OF(s->zero, most), ARRAY_OF(s->natural, rows),
        ARRAY_OF(s->off_path, m), ARRAY_OF(s->output_is_choice, outputs), ARRAY_OF(s->does, n > outputs ? n : outputs),
        ARRAY_OF(s->mark, rows), ARRAY_OF(s->side, s->d.sizes.constraints), ARRAY_OF(s->culprit, most),
        ARRAY_OF(s->touched, s->d.sizes.constraints)));
    MECH_TRY(dynamics_make_gains(&s->d.B, B > m ? B : m, &s->memory));
    return dynamics_make_gains(&s->d.K, K > m ? K : m, &s->memory);
}

static mech_status build(mech_instant *s, const mech_system *system, unsigned flags)
{
    enum { LARGEST = 20000 };
    dynamics *d = &s->d;
    const mech_sizes sizes = mech_system_sizes(system);
    const size_t more = flags & MECH_INSTANT_INVERSE ? sizes.coords : 0;
    s->is_bare = (flags & MECH_INSTANT_CONSTRAINTS) != 0;
    s->given_first = sizes.rows + (s->is_bare ? 0 : sizes.friction_rows);
    if (sizes.coords < 1 || sizes.coords > LARGEST || s->given_first + more > LARGEST || (s->is_bare && more))
        return MECH_ERR_ARGUMENT;
    MECH_TRY(s->is_bare ? dynamics_create_constraints(d, system, &s->memory)
                        : dynamics_create(d, system, more, &s->memory));
    s->result.active = d->active;
    d->out.Qc = d->Qc;
    d->out.u = d->u;
    MECH_TRY(create_laws(s));
    MECH_TRY(create_groups(s));
    MECH_TRY(create_arrays(s));
    if (s->is_bare) d->out.a = s->a, d->out.e = s->e;
    MECH_TRY(dynamics_make_solver(d));
    MECH_TRY(mech_diagnosis_create((int)d->n, (int)d->rows, &s->diagnosis));
    return dynamics_make_eval(d);
}

mech_status mech_instant_create(const mech_system *system, unsigned flags, mech_instant **instant)
{
    if (!instant) return MECH_ERR_ARGUMENT;
    *instant = NULL;
    if (!system) return MECH_ERR_ARGUMENT;
    mech_instant *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    s->result.size = sizeof s->result;
    const mech_status status = build(s, system, flags);
    if (status == MECH_OK) *instant = s;
    else mech_instant_free(s);
    return status;
}

void mech_instant_free(mech_instant *s)
{
    if (!s) return;
    mech_eval_free(s->d.eval);
    mech_fundamental_free(s->d.solver);
    mech_diagnosis_free(s->diagnosis);
    arena_free(&s->memory);
    mem_free(s);
}

mech_eval *mech_instant_eval(const mech_instant *s) { return s->d.eval; }

const mech_system *mech_instant_system(const mech_instant *s) { return s->d.system; }

const mech_instant_result *mech_instant_get(const mech_instant *s) { return &s->result; }
