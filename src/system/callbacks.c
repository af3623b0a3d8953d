/* A system given by C functions. The slots hold the inputs and then every section; matrices are full, so the
   scratch takes M and A as the functions write them and the entries are picked from there. */
#include "system/system.h"

#include "base/mem.h"
#include "base/strmap.h"
#include "base/text.h"
#include "base/try.h"

#include <string.h>

typedef struct system_given {
    mech_callbacks call;
    void *user; /* borrowed */
    double *param_values;
} system_given;

static system_given *of(const mech_system *s) { return s->given; }

static mech_point point_at(const mech_system *s, const double *slots)
{
    const system_inputs *in = &s->in;
    return (mech_point){.size = sizeof(mech_point),
                        .t = slots[in->t],
                        .q = slots + in->q,
                        .v = slots + in->v,
                        .z = slots + in->z,
                        .p = slots + in->p,
                        .lambda = slots + in->lambda,
                        .reaction = slots + in->reaction,
                        .a = slots + in->a};
}

/* Parameters that were not set have their given values. */
static void follow(const mech_system *s, double *slots, double *scratch, const unsigned char *is_set)
{
    (void)scratch;
    for (size_t i = 0; i < s->sizes.params; i++)
        if (!is_set[i]) slots[s->in.p + i] = of(s)->param_values[i];
}

typedef mech_status callback(void *user, const mech_point *at, double *out);

/* Clears a section and has it filled. Of a matrix of `rows` rows (0: it is none) the entries are picked by the
   pattern. */
static mech_status fill(const mech_system *s, callback *function, double *slots, double *scratch,
                        system_section section, size_t rows)
{
    const system_part *part = &s->parts[section], *places = section == SECTION_GRADIENT ? &s->parts[SECTION_A] : part;
    if (!function || part->count == 0) return MECH_OK;
    const mech_point at = point_at(s, slots);
    double *to = rows ? scratch : slots + part->first;
    memset(to, 0, (rows ? s->scratch_count : part->count) * sizeof *to);
    MECH_TRY(function(of(s)->user, &at, to));
    for (size_t k = 0; rows && k < part->count; k++)
        slots[part->first + k] = to[places->row[k] + rows * places->column[k]];
    return MECH_OK;
}

static mech_status run(const mech_system *s, system_stage stage, double *slots, double *scratch)
{
    const mech_callbacks *call = &of(s)->call;
    const size_t n = s->sizes.coords, m = s->sizes.rows;
    switch (stage) {
    case STAGE_CONSTRAINT:
        MECH_TRY(fill(s, call->r, slots, scratch, SECTION_R, 0));
        MECH_TRY(fill(s, call->gradient, slots, scratch, SECTION_GRADIENT, m));
        return fill(s, call->A, slots, scratch, SECTION_A, m);
    case STAGE_POSITION: return fill(s, call->M, slots, scratch, SECTION_M, n);
    case STAGE_VELOCITY:
        if (call->nonholonomic || call->gradient) MECH_TRY(fill(s, call->A, slots, scratch, SECTION_A, m));
        MECH_TRY(fill(s, call->Q, slots, scratch, SECTION_Q, 0));
        MECH_TRY(fill(s, call->b, slots, scratch, SECTION_B, 0));
        MECH_TRY(fill(s, call->r_dot, slots, scratch, SECTION_R_DOT, 0));
        return fill(s, call->rate, slots, scratch, SECTION_RATE, 0);
    case STAGE_REACTION: return fill(s, call->C, slots, scratch, SECTION_C, 0);
    case STAGE_OUTPUT: return fill(s, call->output, slots, scratch, SECTION_OUTPUT, 0);
    default: return MECH_OK;
    }
}

static const system_kind callbacks_kind = {.follow = follow, .run = run};

/* ---- building ---- */

static size_t section_size(const mech_system *s, const mech_callbacks *call, system_section section)
{
    const size_t n = call->coords, m = s->sizes.rows;
    switch (section) {
    case SECTION_R:
    case SECTION_B:
    case SECTION_R_DOT:
    case SECTION_A0: return m;
    case SECTION_A: return m * n;
    case SECTION_GRADIENT: return call->gradient ? m * n : 0;
    case SECTION_M: return n * (n + 1) / 2;
    case SECTION_Q: return n;
    case SECTION_C: return call->C ? n : 0;
    case SECTION_RATE: return call->states;
    case SECTION_OUTPUT: return call->outputs;
    case SECTION_ENERGY: return ENERGY_COUNT;
    default: return 0;
    }
}

static mech_status place_sections(mech_system *s, const mech_callbacks *call)
{
    size_t next = s->in.count;
    for (int k = 0; k < SECTION_COUNT; k++) {
        system_part *part = &s->parts[k];
        part->first = next;
        part->count = section_size(s, call, (system_section)k);
        part->complete = (uint8_t)system_sections[k].stage;
        next += part->count;
        if (k != SECTION_A && k != SECTION_M && k != SECTION_C) continue;
        MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(part->row, part->count), ARRAY_OF(part->column, part->count)));
    }
    if (call->nonholonomic || call->gradient) s->parts[SECTION_A].complete = STAGE_VELOCITY;
    s->slot_count = next;
    system_list_stages(s);
    return MECH_OK;
}

/* M: lower triangle by column; A: all of it by row; C: one column. */
static void place_patterns(mech_system *s)
{
    const size_t n = s->sizes.coords, m = s->sizes.rows;
    system_part *M = &s->parts[SECTION_M], *A = &s->parts[SECTION_A], *C = &s->parts[SECTION_C];
    size_t k = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++, k++) {
            M->row[k] = (uint32_t)i;
            M->column[k] = (uint32_t)j;
        }
    for (k = 0; k < m * n; k++) {
        A->row[k] = (uint32_t)(k / n);
        A->column[k] = (uint32_t)(k % n);
    }
    for (k = 0; k < C->count; k++) C->row[k] = (uint32_t)k;
}

/* Names are names, and each kind of thing has its own; what stands in the columns of a run shares one list,
 * as in models. */
static mech_status check_names(const mech_system *s)
{
    static const mech_item order[] = {MECH_ITEM_CONSTRAINT, MECH_ITEM_COORD, MECH_ITEM_STATE, MECH_ITEM_PARAM,
                                      MECH_ITEM_OUTPUT};
    strmap constraints = {0}, symbols = {0};
    mech_status status = MECH_OK;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        const system_names *names = &s->names[order[k]];
        strmap *map = order[k] == MECH_ITEM_CONSTRAINT ? &constraints : &symbols;
        for (size_t i = 0; i < names->count && status == MECH_OK; i++) {
            if (!text_is_name(names->name[i]) || strmap_get(map, names->name[i]) != SIZE_MAX)
                status = MECH_ERR_ARGUMENT;
            else if (!strmap_put(map, names->name[i], i)) status = MECH_ERR_MEMORY;
        }
    }
    strmap_free(&constraints);
    strmap_free(&symbols);
    return status;
}

static mech_status list_rows(mech_system *s, const mech_callbacks *call)
{
    const size_t m = s->sizes.rows;
    size_t *all;
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(s->rows, m), ARRAY_OF(s->constraints, m), ARRAY_OF(s->laws, 1),
                        ARRAY_OF(all, m)));
    for (size_t i = 0; i < m; i++) {
        const int holonomic = i < call->holonomic;
        s->rows[i] = (mech_row){i, holonomic ? MECH_LEVEL_HOLONOMIC : MECH_LEVEL_NONHOLONOMIC,
                                holonomic && !call->gradient, 0, 0};
        s->constraints[i] = (system_constraint){.first_row = i, .row_count = 1};
        all[i] = i;
    }
    s->laws[0] = (mech_law){MECH_LAW_C, all, m, 1, 0};
    MECH_TRY(system_set_names(s, MECH_ITEM_COORD, call->coord_names, call->coords, "q"));
    MECH_TRY(system_set_names(s, MECH_ITEM_CONSTRAINT, call->constraint_names, m, "constraint"));
    MECH_TRY(system_set_names(s, MECH_ITEM_STATE, call->state_names, call->states, "z"));
    MECH_TRY(system_set_names(s, MECH_ITEM_PARAM, call->param_names, call->params, "p"));
    MECH_TRY(system_set_names(s, MECH_ITEM_OUTPUT, call->output_names, call->outputs, "y"));
    MECH_TRY(check_names(s));
    return system_name_rows(s);
}

static mech_status build_given(mech_system *s, const mech_callbacks *call, void *user)
{
    system_given *g = arena_zeroed(&s->memory, 1, sizeof *g);
    if (!g) return MECH_ERR_MEMORY;
    const size_t n = call->coords, m = call->holonomic + call->nonholonomic;
    g->call = *call;
    g->user = user;
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(g->param_values, call->params)));
    if (call->params && call->param_values)
        memcpy(g->param_values, call->param_values, call->params * sizeof *g->param_values);
    s->kind = &callbacks_kind;
    s->given = g;
    s->sizes = (mech_sizes){.size = sizeof s->sizes,
                            .coords = n,
                            .rows = m,
                            .natural_rows = m,
                            .constraints = m,
                            .params = call->params,
                            .states = call->states,
                            .outputs = call->outputs,
                            .laws = call->C != NULL};
    s->scratch_count = n * (m > n ? m : n);
    system_place_inputs(s);
    MECH_TRY(list_rows(s, call));
    MECH_TRY(place_sections(s, call));
    place_patterns(s);
    return MECH_OK;
}

/* Callers may have been compiled with the struct as it was before it grew. */
static int take_callbacks(mech_callbacks *into, const mech_callbacks *from)
{
    *into = (mech_callbacks){0};
    if (!from || (from->size != sizeof *into && from->size != offsetof(mech_callbacks, gradient))) return 0;
    memcpy(into, from, from->size);
    into->size = sizeof *into;
    return into->M != NULL;
}

mech_status mech_system_from_callbacks(const mech_callbacks *from, void *user, mech_system **result)
{
    enum { LARGEST = 1 << 15 }; /* full matrices: more coordinates want a sparse system */
    mech_callbacks callbacks;
    if (!result) return MECH_ERR_ARGUMENT;
    *result = NULL;
    if (!take_callbacks(&callbacks, from)) return MECH_ERR_ARGUMENT;
    const size_t m = callbacks.holonomic + callbacks.nonholonomic;
    if ((m && (!callbacks.A || !callbacks.b)) || (callbacks.states && !callbacks.rate)) return MECH_ERR_ARGUMENT;
    if (callbacks.coords > LARGEST || callbacks.holonomic > LARGEST || callbacks.nonholonomic > LARGEST)
        return MECH_ERR_LIMIT;
    mech_system *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    const mech_status status = build_given(s, &callbacks, user);
    if (status == MECH_OK) *result = s;
    else mech_system_free(s);
    return status;
}
