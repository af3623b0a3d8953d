/* The builder: a model's life and memory, and where its items come from. */
#include "model/model.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *model_push(mech_model *m, void *list_address, size_t *count, size_t *capacity, size_t size)
{
    if (!mem_grow(list_address, capacity, *count + 1, size)) {
        m->out_of_memory = 1;
        return NULL;
    }
    char *base;
    memcpy(&base, list_address, sizeof base);
    void *item = base + *count * size;
    memset(item, 0, size);
    (*count)++;
    return item;
}

mech_status model_error(mech_model *m, const char *hint, const char *format, ...)
{
    char message[600];
    va_list args;
    /* what is wrong with a model that memory ended in may be no fault of its text */
    if (m->out_of_memory || mech_pool_status(m->pool) == MECH_ERR_MEMORY) return MECH_ERR_MEMORY;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diagnostics_add(m->diagnostics, MECH_SEVERITY_ERROR, MECH_ERR_MODEL, model_span(m, m->origin), hint, "%s", message);
    return MECH_ERR_MODEL;
}

/* ---- life ---- */

mech_status mech_model_create(mech_diagnostics *diagnostics, mech_model **model)
{
    if (!model) return MECH_ERR_ARGUMENT;
    *model = NULL;
    if (!diagnostics) return MECH_ERR_ARGUMENT;
    mech_model *m = mem_zeroed(1, sizeof *m);
    if (!m) return MECH_ERR_MEMORY;
    m->diagnostics = diagnostics;
    m->pool = mech_pool_create();
    if (m->pool) m->time = expr_symbol_create(m->pool, "t", EXPR_TIME, 0, 0);
    if (!m->time.id || !strmap_put(&m->symbols, "t", 0)) {
        mech_model_free(m);
        return MECH_ERR_MEMORY;
    }
    expr_symbol_set_dot(m->pool, m->time, EXPR_ONE);
    *model = m;
    return MECH_OK;
}

void mech_model_free(mech_model *m)
{
    if (!m) return;
    if (m->free_mechanism) m->free_mechanism(m->mechanism);
    mech_pool_free(m->pool);
    arena_free(&m->memory);
    mem_free(m->params);
    mem_free(m->coords);
    mem_free(m->states);
    mem_free(m->inputs);
    mem_free(m->kinetic);
    mem_free(m->potential);
    mem_free(m->dissipation);
    mem_free(m->gaps);
    mem_free(m->masses);
    mem_free(m->inertias);
    mem_free(m->forces);
    mem_free(m->rows);
    mem_free(m->constraints);
    mem_free(m->laws);
    mem_free(m->frictions);
    mem_free(m->actuators);
    mem_free(m->initials);
    mem_free(m->steadies);
    mem_free(m->outputs);
    mem_free(m->events);
    mem_free(m->measures);
    mem_free(m->drawings);
    mem_free(m->stabilizers);
    mem_free(m->options);
    mem_free(m->clocks);
    mem_free(m->delays);
    mem_free(m->primed);
    mem_free(m->force_values);
    mem_free(m->set_aside);
    mem_free(m->files);
    mem_free(m->lets);
    mem_free(m->origins);
    strmap_free(&m->symbols);
    strmap_free(&m->constraint_names);
    strmap_free(&m->event_names);
    model_equations_free(&m->equations);
    mem_free(m);
}

mech_model *model_twin(const mech_model *m)
{
    mech_model *twin = mem_alloc(sizeof *twin);
    if (!twin) return NULL;
    *twin = *m;
    twin->pool = expr_pool_copy(m->pool);
    if (twin->pool) return twin;
    mem_free(twin);
    return NULL;
}

void model_twin_free(mech_model *twin)
{
    if (!twin) return;
    mech_pool_free(twin->pool);
    mem_free(twin);
}

mech_pool *mech_model_pool(const mech_model *m) { return m->pool; }

mech_expr mech_model_time(const mech_model *m) { return m->time; }

/* ---- places ---- */

mech_status model_set_origin(mech_model *m, mech_span span, const int64_t *indices, size_t index_count)
{
    model_origin *o = MODEL_PUSH(m, origins);
    int64_t *copy = index_count ? arena_alloc(&m->memory, index_count * sizeof *copy) : NULL;
    if (!o || (index_count && !copy)) return MECH_ERR_MEMORY;
    if (index_count) memcpy(copy, indices, index_count * sizeof *copy);
    *o = (model_origin){span, copy, index_count};
    m->origin = (uint32_t)m->origins_count;
    expr_set_origin(m->pool, m->origin);
    return MECH_OK;
}

mech_status model_keep_let(mech_model *m, const char *name)
{
    const char **let = MODEL_PUSH(m, lets);
    if (!let) return MECH_ERR_MEMORY;
    *let = model_keep(m, name);
    return *let ? MECH_OK : MECH_ERR_MEMORY;
}

mech_status model_keep_file(mech_model *m, const char *path)
{
    const char **file = MODEL_PUSH(m, files);
    if (!file) return MECH_ERR_MEMORY;
    *file = model_keep(m, path);
    return *file ? MECH_OK : MECH_ERR_MEMORY;
}

mech_span model_span(const mech_model *m, uint32_t origin)
{
    return origin && origin <= m->origins_count ? m->origins[origin - 1].span : (mech_span){0};
}

/* ---- helpers ---- */

const mech_expr *model_copy(mech_model *m, const mech_expr *list, size_t n)
{
    mech_expr *copy = n ? arena_alloc(&m->memory, n * sizeof *copy) : NULL;
    if (n && !copy) m->out_of_memory = 1;
    if (copy) memcpy(copy, list, n * sizeof *copy);
    return copy;
}

const char *model_keep(mech_model *m, const char *text)
{
    const char *copy = text ? arena_text(&m->memory, text, strlen(text)) : NULL;
    if (text && !copy) m->out_of_memory = 1;
    return copy;
}

mech_status model_missing(mech_model *m)
{
    const mech_status status = mech_pool_status(m->pool);
    if (status != MECH_OK) return status;
    if (m->out_of_memory) return MECH_ERR_MEMORY;
    const char *fault = expr_take_fault(m->pool);
    return model_error(m, NULL, "this expression has no value: %s", fault ? fault : "a part of it is missing");
}

mech_status model_check_name(mech_model *m, const char *name)
{
    char shown[60];
    if (!name || !*name) return model_error(m, NULL, "a name is missing");
    if (text_is_name(name)) return MECH_OK;
    snprintf(shown, sizeof shown, "%s", name);
    for (char *c = shown; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') *c = '?'; /* a message is one line */
    return model_error(m, "letters, digits and _, no digit at the beginning, and indices behind: x_2, c[3]",
                       "'%s' is not a name", shown);
}

mech_status model_take_name(mech_model *m, const char *name, const char **kept)
{
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    MECH_TRY(model_check_name(m, name));
    if (strmap_get(&m->symbols, name) != SIZE_MAX)
        return model_error(m, "choose another name, or remove one of the two declarations",
                           "the name '%s' is declared twice", name);
    *kept = model_keep(m, name);
    if (*kept && strmap_put(&m->symbols, *kept, 0)) return MECH_OK;
    m->out_of_memory = 1;
    return MECH_ERR_MEMORY;
}
