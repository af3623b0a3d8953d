/* Long equations share much: what they share gets names, and the printers write those. */
#include "output/equations.h"

#include "base/mem.h"

typedef struct shown { /* the expressions that the report shows, each once */
    mech_expr *list;
    size_t count, capacity;
    int failed;
} shown;

static void add(shown *all, mech_expr e)
{
    if (!e.id || all->failed) return;
    if (!mem_grow(&all->list, &all->capacity, all->count + 1, sizeof *all->list)) all->failed = 1;
    else all->list[all->count++] = e;
}

static void add_list(shown *all, const mech_expr *list, size_t count)
{
    for (size_t i = 0; i < count; i++) add(all, list[i]);
}

static void add_entries(shown *all, const model_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) add(all, entries->items[i].value);
}

static void collect(const equations_view *view, shown *all)
{
    const mech_model *m = view->model;
    const model_equations *e = &m->equations;
    if (shows_part(view, PART_M)) add_entries(all, &e->M);
    if (shows_part(view, PART_Q)) add_list(all, e->Q, m->coords_count);
    if (shows_part(view, PART_A) || shows_part(view, PART_VELOCITY)) add_entries(all, &view->A);
    if (shows_part(view, PART_B)) add_list(all, view->b, m->rows_count);
    if (shows_part(view, PART_VELOCITY)) add_list(all, view->a0, m->rows_count);
    if (shows_part(view, PART_R)) add_list(all, view->r, m->rows_count);
    if (shows_part(view, PART_R_DOT)) add_list(all, view->r_dot, m->rows_count);
    if (shows_part(view, PART_C)) add_entries(all, &e->C);
    if (shows_part(view, PART_G)) add_entries(all, &e->G);
    if (shows_part(view, PART_T)) add(all, e->kinetic);
    if (shows_part(view, PART_V)) add(all, e->potential);
    if (shows_part(view, PART_D)) add(all, e->dissipation);
    if (shows_part(view, PART_H)) add(all, e->energy);
    if (shows_part(view, PART_POWER)) add(all, e->power);
}

/* The i-th name in use: the model's own, list after list; NULL after the last. */
static const char *taken(const void *user, size_t i)
{
    const mech_model *m = user;
    if (i < m->pool->symbol_count) return m->pool->symbols[i].name;
    i -= m->pool->symbol_count;
    if (i < m->lets_count) return m->lets[i];
    i -= m->lets_count;
    if (i < m->outputs_count) return m->outputs[i].name;
    i -= m->outputs_count;
    if (i < m->measures_count) return m->measures[i].name;
    i -= m->measures_count;
    return i < m->constraints_count ? m->constraints[i].name : NULL;
}

mech_status equations_name_shared(equations_view *view)
{
    shown all = {0};
    collect(view, &all);
    mech_status status = all.failed ? MECH_ERR_MEMORY : MECH_OK;
    if (status == MECH_OK)
        status = print_names_choose(view->model->pool, all.list, all.count, taken, view->model, &view->names);
    mem_free(all.list);
    return status;
}

/* Each expression in a buffer of its own: the printers cut what is longer than any page. */
static void append(textbuf *part, textbuf *out)
{
    if (part->data) text_add(out, part->data);
    out->failed |= part->failed;
    text_free(part);
}

void equations_put(const equations_view *view, mech_expr e, mech_print_format format, textbuf *out)
{
    textbuf part = {0};
    if (e.id) print_with_names(&view->names, view->model->pool, e, format, &part);
    else text_add(&part, "(none)");
    append(&part, out);
}

void equations_put_definition(const equations_view *view, uint32_t number, mech_print_format format, textbuf *out)
{
    textbuf part = {0};
    print_definition(&view->names, view->model->pool, number, format, &part);
    append(&part, out);
}
