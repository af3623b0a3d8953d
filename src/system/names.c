/* What a system is: sizes, names, rows, patterns. All constant. */
#include "system/system.h"

#include "base/mem.h"
#include "base/try.h"
#include "system/compiled.h"

#include <string.h>

void system_list_stages(mech_system *s)
{
    for (int k = 0; k < SECTION_COUNT; k++) {
        const system_part *part = &s->parts[k];
        if (part->count) s->stage_parts[part->complete][s->stage_part_count[part->complete]++] = (uint8_t)k;
    }
}

void system_place_inputs(mech_system *s)
{
    const mech_sizes *k = &s->sizes;
    system_inputs *in = &s->in;
    in->p = 0;
    in->t = in->p + k->params;
    in->z = in->t + 1;
    in->u = in->z + k->states;
    in->u_dot = in->u + k->inputs;
    in->u_ddot = in->u_dot + k->inputs;
    in->active = in->u_ddot + k->inputs;
    in->q = in->active + k->constraints;
    in->v = in->q + k->coords;
    in->lambda = in->v + k->coords;
    in->reaction = in->lambda + k->rows;
    in->a = in->reaction + k->rows;
    in->control = in->a + k->coords;
    in->friction = in->control + s->control_count;
    in->delay = in->friction + k->friction_rows;
    in->count = in->delay + s->delay_count;
}

mech_status system_make_names(mech_system *s, mech_item item, size_t count)
{
    system_names *names = &s->names[item];
    names->count = count;
    return ARENA_MAKE(&s->memory, ARRAY_OF(names->name, count), ARRAY_OF(names->unit, count));
}

mech_status system_set_names(mech_system *s, mech_item item, const char *const *given, size_t count, const char *prefix)
{
    system_names *names = &s->names[item];
    MECH_TRY(system_make_names(s, item, count));
    for (size_t i = 0; i < count; i++) {
        if (given && !given[i]) return MECH_ERR_ARGUMENT;
        names->name[i] = given ? arena_text(&s->memory, given[i], strlen(given[i]))
                               : arena_format(&s->memory, "%s%zu", prefix, i + 1);
        if (!names->name[i]) return MECH_ERR_MEMORY;
    }
    return MECH_OK;
}

const system_section_info system_sections[SECTION_COUNT] = {
#define INFO(name, words, stage, row, column, field)                                                                   \
    {words, STAGE_##stage, INDEX_##row, INDEX_##column, offsetof(mech_equation, field)},
    SYSTEM_SECTIONS(INFO)
#undef INFO
};

mech_status system_name_rows(mech_system *s)
{
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(s->row_names, s->sizes.rows)));
    for (size_t i = 0; i < s->sizes.rows; i++) {
        const system_constraint *c = &s->constraints[s->rows[i].constraint];
        const char *name = s->names[MECH_ITEM_CONSTRAINT].name[s->rows[i].constraint];
        char number[TEXT_ROW];
        s->row_names[i] = c->row_count == 1 ? name
                                            : arena_format(&s->memory, "%s%s", name,
                                                           text_row(number, i - c->first_row, c->row_count));
        if (!s->row_names[i]) return MECH_ERR_MEMORY;
    }
    return MECH_OK;
}

const char *mech_system_row_name(const mech_system *s, size_t row)
{
    return row < s->sizes.rows ? s->row_names[row] : NULL;
}

void mech_system_free(mech_system *s)
{
    if (!s) return;
    if (s->compiled) compiled_free(s->compiled);
    arena_free(&s->memory);
    mem_free(s);
}

mech_sizes mech_system_sizes(const mech_system *s) { return s->sizes; }

const char *mech_system_name(const mech_system *s, mech_item item, size_t index)
{
    if ((unsigned)item >= MECH_ITEM_COUNT || index >= s->names[item].count) return NULL;
    return s->names[item].name[index];
}

const char *mech_system_unit(const mech_system *s, mech_item item, size_t index)
{
    if ((unsigned)item >= MECH_ITEM_COUNT || index >= s->names[item].count) return NULL;
    return s->names[item].unit[index];
}

size_t mech_system_find(const mech_system *s, mech_item item, const char *name)
{
    if ((unsigned)item >= MECH_ITEM_COUNT || !name) return SIZE_MAX;
    const system_names *names = &s->names[item];
    for (size_t i = 0; i < names->count; i++)
        if (names->name[i] && mech_same_name(names->name[i], name)) return i;
    return SIZE_MAX;
}

/* Number k of a list; beyond its end what stands for none. */
#define ITEM(type, function, list, ...)                                                                                \
    type function(const mech_system *s, size_t k) { return k < s->sizes.list ? s->list[k] : (type){__VA_ARGS__}; }
ITEM(mech_row, mech_system_row, rows, .constraint = SIZE_MAX)
ITEM(mech_law, mech_system_law, laws, 0)
ITEM(mech_friction, mech_system_friction, frictions, 0)
ITEM(mech_target, mech_system_target, targets, .variable = MECH_VARIABLE_EXPRESSION)
ITEM(mech_event_info, mech_system_event, events, 0)
ITEM(mech_measure_info, mech_system_measure, measures, .event = SIZE_MAX)
ITEM(mech_action_info, mech_system_action, actions, 0)
#undef ITEM

size_t mech_system_constraint_rows(const mech_system *s, size_t constraint, size_t *count)
{
    const int known = constraint < s->sizes.constraints;
    if (count) *count = known ? s->constraints[constraint].row_count : 0;
    return known ? s->constraints[constraint].first_row : SIZE_MAX;
}

int mech_system_side(const mech_system *s, size_t constraint)
{
    return constraint < s->sizes.constraints ? s->constraints[constraint].side : 0;
}

mech_pattern mech_system_pattern(const mech_system *s, mech_matrix matrix)
{
    static const uint8_t section[MECH_MATRIX_D_MOTION] = {
        [MECH_MATRIX_M] = SECTION_M,
        [MECH_MATRIX_A] = SECTION_A,
        [MECH_MATRIX_G] = SECTION_G,
        [MECH_MATRIX_C] = SECTION_C,
        [MECH_MATRIX_C_REACTION] = SECTION_C_REACTION,
        [MECH_MATRIX_DAMPING] = SECTION_DAMPING,
        [MECH_MATRIX_STIFFNESS] = SECTION_STIFFNESS,
        [MECH_MATRIX_SLIP] = SECTION_SLIP_A,
        [MECH_MATRIX_TARGET] = SECTION_TARGET_GRADIENT,
    };
    if ((unsigned)matrix >= MECH_MATRIX_COUNT) return (mech_pattern){0};
    const system_part *part =
        matrix < MECH_MATRIX_D_MOTION ? &s->parts[section[matrix]] : &s->derivatives[matrix - MECH_MATRIX_D_MOTION];
    return (mech_pattern){part->count, part->row, part->column};
}

mech_weight mech_system_weight(const mech_system *s) { return s->weight; }

mech_stabilize mech_system_stabilize(const mech_system *s) { return s->stabilize; }

int mech_system_allows_leastnorm(const mech_system *s) { return s->allows_leastnorm; }

int mech_system_allows_negative_mass(const mech_system *s) { return s->allows_negative_mass; }

mech_columns mech_system_columns(const mech_system *s)
{
    const mech_sizes *k = &s->sizes;
    mech_columns c = {.size = sizeof c, .q = 0, .v = k->coords, .z = 2 * k->coords};
    c.u = c.z + k->states;
    c.u_dot = c.u + k->inputs;
    c.u_ddot = c.u_dot + k->inputs;
    c.a = c.u_ddot + k->inputs;
    c.lambda = c.a + k->coords;
    c.reaction = c.lambda + k->rows;
    c.t = c.reaction + k->rows;
    c.p = c.t + 1;
    c.count = c.p + k->params;
    return c;
}

int mech_system_has_jacobian(const mech_system *s) { return s->jacobian_count > 0; }
