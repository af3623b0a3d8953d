/* gravity, coordinates, body, point. */
#include "lang/bodies.h"
#include "lang/statement.h"

#include "lang/lexer.h"

#include <string.h>

int lang_need_bodies(lang_context *c, mech_span span)
{
    if (c->bodies) return 1;
    lang_error(
        c, MECH_ERR_MODEL, span,
        "gravity [0, 0, -9.81] makes a model in space, gravity [0, -9.81] one in the plane, gravity [0, 0, 0] weighs nothing",
        "bodies come after 'gravity'");
    return 0;
}

void lang_run_gravity(lang_context *c, const lang_statement *s)
{
    const lang_value v = lang_evaluate(c, s->a);
    if (v.rank == RANK_ERROR) return;
    if (c->bodies) {
        lang_error(c, MECH_ERR_MODEL, s->span, "leave one of them", "gravity is given twice");
        return;
    }
    if (v.rank != RANK_VECTOR || (v.rows != 2 && v.rows != 3)) {
        char shape[LANG_SHAPE_TEXT];
        lang_error(
            c, MECH_ERR_MODEL, s->a->span,
            "write: gravity [0, 0, -9.81], in the plane: gravity [0, -9.81]; along a coordinate: potential m*g*y",
            "gravity is a vector of 2 or 3, not %s", lang_shape(&v, shape));
        return;
    }
    const mech_status status = mech_bodies_create(c->model, v.items, v.rows, &c->bodies);
    lang_take_status(c, status);
    if (status == MECH_OK) c->dimension = v.rows;
}

void lang_run_coordinates(lang_context *c, const lang_statement *s)
{
    if (lang_need_bodies(c, s->span))
        lang_take_status(c, mech_bodies_coordinates(c->bodies, (mech_coordinates)s->word));
}

const mech_expr *lang_entries(lang_context *c, const lang_node *n, int rank, const char *what)
{
    const lang_value v = lang_evaluate(c, n);
    const lang_value wanted = {
        .rank = rank, .rows = (uint32_t)c->dimension, .columns = rank == RANK_MATRIX ? (uint32_t)c->dimension : 1};
    char have[LANG_SHAPE_TEXT], want[LANG_SHAPE_TEXT];
    if (v.rank == RANK_ERROR) return NULL;
    if (lang_same_shape(&v, &wanted)) return v.items;
    lang_error(c, MECH_ERR_MODEL, n->span, NULL, "%s is %s, as gravity has it, not %s", what, lang_shape(&wanted, want),
               lang_shape(&v, have));
    return NULL;
}

/* One thing a body is made of: a mass with its inertia, or a solid. */
typedef struct heap {
    int word; /* BODY_MASS or that of the solid */
    mech_span span;
    unsigned given;
    mech_expr mass, density;
    mech_expr size[6];
    size_t size_count;
    const mech_expr *at, *turned, *inertia;
    size_t inertia_count;
} heap;

static int is_solid(int word) { return word >= BODY_ROD && word <= BODY_DISC; }

static void add_heap(lang_context *c, size_t body, const heap *h)
{
    static const mech_solid_kind kinds[] = {MECH_SOLID_ROD, MECH_SOLID_BOX, MECH_SOLID_CYLINDER, MECH_SOLID_SPHERE,
                                            MECH_SOLID_DISC};
    if (!h->given && !is_solid(h->word)) return;
    lang_take_status(c, model_set_origin(c->model, h->span, c->loops, c->loop_count));
    if (!is_solid(h->word) && !(h->given & 1u << BODY_MASS)) {
        lang_error(c, MECH_ERR_MODEL, h->span, "write: mass m, center c, inertia I",
                   "this belongs to a mass, which is not given");
        return;
    }
    if (!is_solid(h->word))
        lang_take_status(c, mech_bodies_mass(c->bodies, body, h->mass, h->at, h->inertia, h->inertia_count));
    else
        lang_take_status(c, mech_bodies_solid(c->bodies, body,
                                              &(mech_solid){.size = sizeof(mech_solid),
                                                            .kind = kinds[h->word - BODY_ROD],
                                                            .extent = h->size,
                                                            .extent_count = h->size_count,
                                                            .mass = h->mass,
                                                            .density = h->density,
                                                            .at = h->at,
                                                            .turned = h->turned}));
}

static int take_size(lang_context *c, const lang_item *i, heap *h)
{
    const lang_node *ends[2] = {i->value, i->target};
    for (size_t k = 0; k < 2 && ends[k]; k++) {
        if (i->word == BODY_ROD || i->word == BODY_BOX) {
            const mech_expr *v =
                lang_entries(c, ends[k], RANK_VECTOR, i->word == BODY_ROD ? "the end of a rod" : "the size of a box");
            if (!v) return 0;
            for (size_t d = 0; d < c->dimension; d++) h->size[h->size_count++] = v[d];
        } else {
            const lang_value v = lang_evaluate_scalar(c, ends[k], "a radius or a height");
            if (v.rank == RANK_ERROR) return 0;
            h->size[h->size_count++] = v.scalar;
        }
    }
    return 1;
}

static int take_inertia(lang_context *c, const lang_item *i, heap *h)
{
    const lang_value v = lang_evaluate(c, i->value);
    if (v.rank == RANK_ERROR) return 0;
    const mech_expr *items = lang_items(&v);
    h->inertia_count = lang_size(&v);
    mech_expr *copy = lang_scratch_take(c, h->inertia_count, sizeof *copy);
    if (!copy) return 0;
    memcpy(copy, items, h->inertia_count * sizeof *copy);
    h->inertia = copy;
    return 1;
}

static int take_number(lang_context *c, const lang_item *i, const char *what, mech_expr *to)
{
    const lang_value v = lang_evaluate_scalar(c, i->value, what);
    *to = v.scalar;
    return v.rank != RANK_ERROR;
}

/* Whether the property belongs to what it stands behind. */
static int fits(lang_context *c, const lang_item *i, const heap *h)
{
    const char *word = lang_body_words[i->word];
    if (h->given & 1u << i->word) {
        lang_error(
            c, MECH_ERR_MODEL, i->span,
            i->word == BODY_MASS
                ? "what stands behind a solid belongs to it; a mass by itself comes first: mass m, center c, rod P to Q, mass n"
                : "what stands behind a solid belongs to it",
            "'%s' is given twice", word);
        return 0;
    }
    if (is_solid(h->word) && (i->word == BODY_CENTER || i->word == BODY_INERTIA)) {
        lang_error(c, MECH_ERR_MODEL, i->span, i->word == BODY_CENTER ? "the middle of a solid is given by 'at'" : NULL,
                   "a solid takes no '%s': it has its own", word);
        return 0;
    }
    if (!is_solid(h->word) && i->word >= BODY_DENSITY) {
        lang_error(c, MECH_ERR_MODEL, i->span,
                   i->word == BODY_AT ? "the place of a mass is given by 'center'"
                                      : "write it behind the rod, box, cylinder, sphere or disc",
                   "'%s' belongs to a solid", word);
        return 0;
    }
    return 1;
}

static int take_property(lang_context *c, const lang_item *i, heap *h)
{
    if (!fits(c, i, h)) return 0;
    h->given |= 1u << i->word;
    h->span.end = i->span.end;
    switch (i->word) {
    case BODY_MASS: return take_number(c, i, "a mass", &h->mass);
    case BODY_DENSITY: return take_number(c, i, "a density", &h->density);
    case BODY_INERTIA: return take_inertia(c, i, h);
    case BODY_CENTER: return (h->at = lang_entries(c, i->value, RANK_VECTOR, "a mass centre")) != NULL;
    case BODY_AT: return (h->at = lang_entries(c, i->value, RANK_VECTOR, "the middle of a solid")) != NULL;
    default: return (h->turned = lang_entries(c, i->value, RANK_MATRIX, "a rotation")) != NULL;
    }
}

void lang_run_body(lang_context *c, const lang_statement *s)
{
    size_t number = 0;
    if (!lang_need_bodies(c, s->span)) {
        c->names.items[s->title.name].is_suspect = 1;
        return;
    }
    lang_binding *b = lang_name_thing(c, &s->title, BIND_BODY);
    if (!b) return;
    const mech_status status = mech_bodies_body(c->bodies, lang_text_of(c, b->name), &number);
    b->thing = number;
    lang_take_status(c, status);
    heap h = {.word = BODY_MASS, .span = s->span};
    for (const lang_item *i = s->items; i && status == MECH_OK; i = i->next) {
        if (is_solid(i->word)) {
            add_heap(c, number, &h);
            h = (heap){.word = i->word, .span = i->span};
            if (!take_size(c, i, &h)) return;
        } else {
            if (!h.given && h.word == BODY_MASS) h.span = i->span;
            if (!take_property(c, i, &h)) return;
        }
    }
    if (status == MECH_OK) add_heap(c, number, &h);
}

/* The ground is no name that is declared; that of its points begins with it. 0 when out of memory. */
static int bind_ground(lang_context *c, const lang_node *n)
{
    if (n->kind != NODE_NAME || lang_global(c, n->name) || strcmp(lang_text_of(c, n->name), "ground") != 0) return 1;
    lang_binding *b = lang_bind_global(c, n->name, BIND_BODY, lang_no_value(), n->span);
    if (b) b->thing = MECH_GROUND;
    return b != NULL;
}

void lang_run_point(lang_context *c, const lang_statement *s)
{
    const lang_title *t = &s->title;
    const size_t body = lang_need_bodies(c, s->span) ? lang_body_of(c, t->within) : SIZE_MAX;
    if (body == MECH_GROUND && !bind_ground(c, t->within)) return;
    const mech_expr *at = body == SIZE_MAX ? NULL : lang_entries(c, s->a, RANK_VECTOR, "the place of a point");
    if (!at) return;
    lang_value v = {.rank = RANK_VECTOR, .rows = (uint32_t)c->dimension, .columns = 1};
    v.items = (mech_expr *)(uintptr_t)at;
    const uint32_t full = lang_refer(c, t);
    const char *name = lang_text_of(c, t->name);
    if (!full) return;
    if (lang_global(c, full) || strcmp(name, "r") == 0 || strcmp(name, "R") == 0 || strcmp(name, "c") == 0 ||
        strcmp(name, "w") == 0 || (c->dimension == 2 && strcmp(name, "angle") == 0)) {
        lang_error(c, MECH_ERR_MODEL, t->span, "choose another name",
                   lang_global(c, full) ? "'%s' is declared twice" : "'%s' is a value of the body already",
                   lang_text_of(c, full));
        return;
    }
    lang_binding *b = lang_bind_global(c, full, BIND_POINT, lang_kept(c, v), t->span);
    if (b) b->thing = body;
}
