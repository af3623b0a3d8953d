/* A loop as a function in C. */
#include "compile/shapes_room.h"

#include "base/mem.h"

#include <string.h>

enum { LANES = SHAPES_LANES, ROW = 20 };

typedef struct writer {
    shapes *s;
    const shapes_loop *l;
    textbuf *to;
    uint32_t *load; /* (width) 1 + the cell whose operand was loaded first, by cell */
    size_t stream;
    int lanes;     /* 1: plain; LANES: that many turns at once */
    int scattered; /* with lanes: one by one in and out        */
    size_t turns;  /* of the lanes that are real               */
} writer;

/* ---- addresses ---- */

/* array[...] in turn i + ahead */
static void add_address(const writer *w, const shapes_column *c, int ahead)
{
    const char *array = w->s->arrays[c->array];
    text_add(w->to, array);
    if (w->s->is_scalar[c->array]) return;
    const long long first = (long long)c->base + (long long)ahead * c->stride;
    switch (c->kind) {
    case COLUMN_AFFINE:
        text_format(w->to, "[%lld ", first);
        if (c->stride == 1) text_add(w->to, "+ i]");
        else if (c->stride == -1) text_add(w->to, "- i]");
        else text_format(w->to, "%c %d*i]", c->stride < 0 ? '-' : '+', c->stride < 0 ? -c->stride : c->stride);
        break;
    case COLUMN_TABLE:
        text_format(w->to, "[%u + T%zu_%u[i + %d]]", (unsigned)c->base, w->s->loops, (unsigned)c->table, ahead);
        break;
    default: text_format(w->to, "[%lld]", first); break;
    }
}

static int same_column(const shapes_column *x, const shapes_column *y)
{
    return x->kind == y->kind && x->array == y->array && x->base == y->base && x->stride == y->stride &&
           x->table == y->table;
}

/* ---- operands ---- */

static void add_lanes(const writer *w, const shapes_column *c)
{
    text_add_char(w->to, '{');
    for (int lane = 0; lane < LANES; lane++) {
        if (lane) text_add(w->to, ", ");
        if ((size_t)lane < w->turns) add_address(w, c, lane);
        else text_add(w->to, "0.0");
    }
    text_add_char(w->to, '}');
}

/* Operands from outside are loaded where they are first used. */
static void add_load(writer *w, size_t cell)
{
    const shapes_column *c = &w->l->columns[cell];
    if (cell_kind(w->l->cells[cell].what) != CELL_EXTERNAL || (c->kind == COLUMN_NUMBER && w->lanes == 1) ||
        c->kind == COLUMN_HERE || c->kind == COLUMN_CARRIED)
        return;
    for (size_t k = 0; k < cell; k++)
        if (w->load[k] == k + 1 && same_column(c, &w->l->columns[k])) {
            w->load[cell] = (uint32_t)k + 1;
            return;
        }
    w->load[cell] = (uint32_t)cell + 1;
    text_format(w->to, "        const %s c%zu = ", w->lanes > 1 ? "v8" : "double", cell);
    if (w->lanes == 1) {
        add_address(w, c, 0);
    } else if (c->kind == COLUMN_NUMBER || c->kind == COLUMN_FIXED) {
        if (c->kind == COLUMN_FIXED) add_address(w, c, 0);
        else emit_number(w->to, graph_constant_value(&w->s->g->values[c->base]));
        text_add(w->to, " - (v8){0.0}"); /* keeps the sign of a zero */
    } else if (w->scattered) {
        add_lanes(w, c);
    } else {
        text_add(w->to, "*(const u8 *)&");
        add_address(w, c, 0);
    }
    text_add(w->to, ";\n");
}

static void add_operand(const writer *w, size_t cell)
{
    const uint32_t what = w->l->cells[cell].what;
    const shapes_column *c = &w->l->columns[cell];
    if (cell_sign(what)) text_add_char(w->to, '-');
    if (cell_kind(what) == CELL_INTERNAL) text_format(w->to, "x%zu_%u", w->stream, (unsigned)cell_index(what));
    else if (c->kind == COLUMN_HERE) text_format(w->to, "x%u_%u", (unsigned)c->stream, (unsigned)c->position);
    else if (c->kind == COLUMN_CARRIED)
        text_format(w->to, "r%u_%u_%u", (unsigned)c->stream, (unsigned)c->position, (unsigned)c->base);
    else if (w->load[cell]) text_format(w->to, "c%u", (unsigned)w->load[cell] - 1);
    else emit_number(w->to, graph_constant_value(&w->s->g->values[c->base]));
}

static void add_pattern(const writer *w, const char *pattern, size_t head)
{
    for (const char *p = pattern; *p; p++) {
        if (*p != '%') text_add_char(w->to, *p);
        else add_operand(w, head + 1 + (size_t)(*++p - 'a'));
    }
}

/* ---- statements ---- */

static void add_pair(const writer *w, const graph_value *v, size_t head, unsigned position)
{
    text_format(w->to, "        %s x%zu_%u_0, x%zu_%u_1, x%zu_%u_2;\n        f |= %s%s(",
                w->lanes > 1 ? "v8" : "double", w->stream, position, w->stream, position, w->stream, position,
                v->op == GRAPH_PIVOT2 ? "pivot2" : "invert2", w->lanes > 1 ? "_8" : "");
    for (size_t k = 1; k <= 5; k++) {
        add_operand(w, head + k);
        text_add(w->to, ", ");
    }
    text_format(w->to, "&x%zu_%u_0, &x%zu_%u_1, &x%zu_%u_2);\n", w->stream, position, w->stream, position, w->stream,
                position);
}

static void add_angle(const writer *w, const graph_value *v, size_t head, unsigned position, int is_first)
{
    if (is_first) {
        text_format(w->to, "        v8 a%zu = ", w->stream);
        add_operand(w, head + 1);
        text_format(w->to, ", s%zu, k%zu;\n        sincos8(&a%zu, &s%zu, &k%zu);\n", w->stream, w->stream, w->stream,
                    w->stream, w->stream);
    }
    text_format(w->to, "        const v8 x%zu_%u = %c%zu;\n", w->stream, position, v->op == GRAPH_SIN ? 's' : 'k',
                w->stream);
}

static const char *pattern_of(const graph_value *v, unsigned form, int is_wide)
{
    switch (form) {
    case GRAPH_ADD: return "%a + %b";
    case GRAPH_SUB:
    case SHAPES_SUB_BACK: return "%a - %b";
    case GRAPH_MULADD: return "%a*%b + %c";
    case SHAPES_SUBMUL: return "%c - %a*%b";
    case GRAPH_NONE:
    case GRAPH_INPUT:
    case GRAPH_PART: return "%a";
    case GRAPH_ABS: return is_wide ? "abs8(%a)" : emit_pattern(v);
    case GRAPH_PIVOT: return is_wide ? "pivot_8(%a, %b, &f)" : emit_pattern(v);
    default: return emit_pattern(v);
    }
}

static void add_value(const writer *w, size_t head, unsigned position, int is_first_angle)
{
    const uint32_t id = w->l->cells[head].value;
    const graph_value *v = &w->s->g->values[id & SHAPES_COPIED ? 0 : id];
    const int is_wide = w->lanes > 1;
    if (emit_is_pair(v)) {
        add_pair(w, v, head, position);
    } else if (v->op == GRAPH_GUARD) {
        add_pattern(w, is_wide ? "        f |= guard8(%a, %b);\n" : "        f |= !(%a > MASS*%b && %a > 0.0);\n",
                    head);
    } else if (v->op == GRAPH_CLEAR) {
        add_pattern(w, is_wide ? "        f |= clear8(%a, %b);\n" : "        f |= fabs(%a) > PART*%b ? 0 : 4;\n", head);
    } else if (v->op == GRAPH_MONITOR) {
        add_pattern(w, is_wide ? "        f |= monitor8(%a, %b);\n" : "        f |= !(fabs(%a) <= MISSED*fabs(%b));\n",
                    head);
    } else if (is_wide && emit_is_angle(v)) {
        add_angle(w, v, head, position, is_first_angle);
    } else {
        text_format(w->to, "        const %s x%zu_%u = ", is_wide ? "v8" : "double", w->stream, position);
        add_pattern(w, pattern_of(v, id & SHAPES_COPIED ? GRAPH_NONE : w->s->form[id], is_wide), head);
        if (v->op == GRAPH_PART) text_format(w->to, "_%u", (unsigned)v->b);
        text_add(w->to, ";\n");
    }
}

static void add_store(const writer *w, const shapes_column *c, const char *sign, unsigned position)
{
    if (w->lanes > 1 && w->scattered) {
        for (size_t lane = 0; lane < w->turns; lane++) {
            text_add(w->to, "        ");
            add_address(w, c, (int)lane);
            text_format(w->to, " = %sx%zu_%u[%zu];\n", sign, w->stream, position, lane);
        }
        return;
    }
    text_add(w->to, w->lanes > 1 ? "        *(u8 *)&" : "        ");
    add_address(w, c, 0);
    text_format(w->to, " = %sx%zu_%u;\n", sign, w->stream, position);
}

/* The place of the result of an operation. */
static shapes_column place_of(const writer *w, size_t head)
{
    return (shapes_column){.kind = w->l->turns > 1 ? COLUMN_AFFINE : COLUMN_FIXED,
                           .array = w->s->stage ? ARRAY_WORK : ARRAY_KEPT,
                           .base = w->s->where[w->l->cells[head].value],
                           .stride = w->l->turns > 1 ? w->l->direction[w->stream] : 0};
}

static void add_stores(const writer *w, size_t head, size_t next, unsigned position)
{
    const shapes_cell *cells = w->l->cells;
    const uint32_t id = cells[head].value;
    if (!(id & SHAPES_COPIED) && w->s->stored[id] && w->l->store[head] == STORE_EACH) {
        const shapes_column place = place_of(w, head);
        add_store(w, &place, "", position);
    }
    if (cell_kind(cells[next - 1].what) == CELL_OUTPUT)
        add_store(w, &w->l->columns[next - 1], cell_sign(cells[next - 1].what) ? "-" : "", position);
}

/* ---- from turn to turn ---- */

static int is_first_use(const shapes_loop *l, size_t cell)
{
    const shapes_column *c = &l->columns[cell];
    if (cell_kind(l->cells[cell].what) != CELL_EXTERNAL || c->kind != COLUMN_CARRIED) return 0;
    for (size_t k = 0; k < cell; k++) {
        const shapes_column *d = &l->columns[k];
        if (cell_kind(l->cells[k].what) == CELL_EXTERNAL && d->kind == COLUMN_CARRIED && d->stream == c->stream &&
            d->position == c->position && d->base == c->base)
            return 0;
    }
    return 1;
}

enum when { BEFORE, TURN };

static void add_carried(const writer *w, enum when when)
{
    for (size_t cell = 0; cell < w->l->width; cell++) {
        const shapes_column *c = &w->l->columns[cell];
        const unsigned stream = c->stream, position = c->position, base = c->base;
        if (!is_first_use(w->l, cell)) continue;
        if (when == BEFORE)
            text_format(w->to, "    double r%u_%u_%u = %s[%u];\n", stream, position, base, w->s->arrays[c->array],
                        base);
        else text_format(w->to, "        r%u_%u_%u = x%u_%u;\n", stream, position, base, stream, position);
    }
}

/* The last results, for those after the loop. */
static void add_last(const writer *w)
{
    for (size_t head = 0; head < w->l->width; head++) {
        if (w->l->store[head] != STORE_LAST) continue;
        const shapes_column *c = &w->l->columns[w->l->carried[head] - 1];
        const long long first = w->s->where[w->l->cells[head].value], turns = (long long)w->l->turns;
        text_format(w->to, "    %s[%lld] = r%u_%u_%u;\n", w->s->arrays[w->s->stage ? ARRAY_WORK : ARRAY_KEPT],
                    first + (turns - 1) * w->l->direction[c->stream], (unsigned)c->stream, (unsigned)c->position,
                    (unsigned)c->base);
    }
}

static void add_body(writer *w)
{
    const shapes_loop *l = w->l;
    memset(w->load, 0, l->width * sizeof *w->load);
    for (w->stream = 0; w->stream < l->streams; w->stream++) {
        const size_t end = l->start[w->stream + 1];
        unsigned position = 0, angles = 0;
        for (size_t head = l->start[w->stream], next; head < end; head = next, position++) {
            for (next = head + 1; next < end && cell_kind(l->cells[next].what) != CELL_HEAD; next++) add_load(w, next);
            const uint32_t id = l->cells[head].value;
            const int is_angle = !(id & SHAPES_COPIED) && emit_is_angle(&w->s->g->values[id]);
            add_value(w, head, position, angles == 0);
            angles += (unsigned)is_angle;
            add_stores(w, head, next, position);
        }
    }
}

/* ---- functions ---- */

static void add_tables(const writer *w)
{
    const shapes_loop *l = w->l;
    for (size_t t = 0; t < l->table_count; t++) {
        text_format(w->to, "static const int T%zu_%zu[] = {", w->s->loops, t);
        for (size_t i = 0; i < l->turns; i++) {
            const uint32_t step = l->grid[i * l->width + l->tables[t]] - l->grid[l->tables[t]];
            text_format(w->to, "%s%d,", i % ROW == 0 ? "\n" : "", (int)(int32_t)step);
        }
        text_add(w->to, "};\n");
    }
}

static void add_function(const shapes *s, textbuf *to)
{
    if (s->stage == 0) {
        text_format(to, "static int %s_p%zu(const double *p, double *k)\n{\n    int f = 0;\n    (void)p;\n",
                    s->spec->prefix, s->functions[0]);
        return;
    }
    text_format(to, "static int %s_%zu(" EMIT_ARGUMENTS ")\n", s->spec->prefix, s->functions[1]);
    text_add(to, "{\n    int f = 0;\n    (void)k, (void)t, (void)q, (void)v, (void)z, (void)u;\n"
                 "    (void)qdd, (void)lambda, (void)more, (void)w;\n");
}

static void add_plain(writer *w)
{
    w->lanes = 1;
    add_carried(w, BEFORE);
    if (w->l->turns > 1) text_format(w->to, "    for (int i = 0; i < %zu; i++) {\n", w->l->turns);
    else text_add(w->to, "    {\n");
    add_body(w);
    add_carried(w, TURN);
    text_add(w->to, "    }\n");
    add_last(w);
}

/* The last turns are done twice rather than one by one: no turn needs another. */
static void add_wide(writer *w, int way)
{
    const size_t turns = w->l->turns;
    w->lanes = LANES;
    w->scattered = way == 2;
    w->turns = turns < LANES ? turns : LANES;
    if (turns > LANES)
        text_format(w->to, "    for (int j = 0; j < %zu; j += 8) {\n        const int i = j < %zu ? j : %zu;\n", turns,
                    turns - LANES, turns - LANES);
    else text_add(w->to, "    {\n        const int i = 0;\n        (void)i;\n");
    add_body(w);
    text_add(w->to, "    }\n");
}

void shapes_write(shapes *s, const shapes_loop *l)
{
    writer w = {.s = s, .l = l, .to = &s->body};
    w.load = mem_zeroed(l->width + 1, sizeof *w.load);
    if (!w.load) {
        s->status = MECH_ERR_MEMORY;
        return;
    }
    const int way = shapes_lanes(s, l);
    add_tables(&w);
    add_function(s, w.to);
    if (way) {
        text_add(w.to, "#ifdef WIDE\n");
        add_wide(&w, way);
        text_add(w.to, "#else\n");
    }
    add_plain(&w);
    if (way) text_add(w.to, "#endif\n");
    text_add(w.to, "    return f;\n}\n\n");
    for (size_t cell = 0; cell < l->width; cell++) {
        const uint32_t id = l->cells[cell].value;
        const int is_head = cell_kind(l->cells[cell].what) == CELL_HEAD;
        s->statements += is_head ? 1 : 0;
        if (is_head && s->stage == 1 && !(id & SHAPES_COPIED) && emit_is_angle(&s->g->values[id]))
            s->angles += l->turns;
    }
    s->functions[s->stage]++;
    s->loops++;
    mem_free(w.load);
}
