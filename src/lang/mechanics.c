/* Energies, masses, forces, constraints, laws and control. */
#include "lang/statement.h"

#include "base/mem.h"
#include "lang/bodies.h"

#include <math.h>

lang_value lang_equation(lang_context *c, const lang_node *left, const lang_node *right)
{
    lang_value a = lang_evaluate(c, left), b = lang_evaluate(c, right);
    const mech_span both = {left->span.source, left->span.start, right->span.end};
    if (a.rank == RANK_ERROR || b.rank == RANK_ERROR) return lang_no_value();
    const int a_is_zero = a.rank == RANK_SCALAR && expr_is_zero(a.scalar),
              b_is_zero = b.rank == RANK_SCALAR && expr_is_zero(b.scalar);
    if (b_is_zero && a.rank != RANK_SCALAR) return a;
    if (a_is_zero && b.rank != RANK_SCALAR) return lang_scale(c, &b, EXPR_MINUS_ONE, both);
    if (!lang_same_shape(&a, &b)) {
        char x[LANG_SHAPE_TEXT], y[LANG_SHAPE_TEXT];
        lang_error(c, MECH_ERR_MODEL, both, NULL, "the left side is %s, the right side %s", lang_shape(&a, x),
                   lang_shape(&b, y));
        return lang_no_value();
    }
    const lang_value r = lang_subtract(c, &a, &b, both);
    return lang_check_fault(c, both) ? r : lang_no_value();
}

const char *lang_full_title(lang_context *c, const lang_title *t, uint32_t *full)
{
    int64_t indices[2];
    const uint32_t own = lang_own_name(c, t->name, t->span);
    if (!own || !lang_title_indices(c, t, indices)) return NULL;
    *full = lang_indexed_name(c, own, indices, t->index_count);
    return *full ? lang_text_of(c, *full) : NULL;
}

const mech_expr *lang_by_column(lang_context *c, const lang_value *v)
{
    mech_expr *items = lang_scratch_take(c, lang_size(v), sizeof *items);
    for (size_t i = 0; items && i < v->rows; i++)
        for (size_t j = 0; j < v->columns; j++) items[j * v->rows + i] = lang_items(v)[i * v->columns + j];
    return items;
}

/* A potential that is linear in velocities makes forces (a charge in a magnetic field); one that is of second degree
   takes from the masses, which is rarely meant. */
static void warn_of_velocities(lang_context *c, const lang_statement *s, mech_expr potential)
{
    expr_gradient g = {0};
    unsigned classes = 0;
    if (!(expr_classes(c->pool, potential) & EXPR_VELOCITY)) return;
    if (expr_gradient_of(c->pool, potential, EXPR_VELOCITY, &g) == MECH_OK)
        for (size_t i = 0; i < g.count; i++) classes |= expr_classes(c->pool, g.items[i].derivative);
    expr_gradient_free(&g);
    if (classes & EXPR_VELOCITY)
        lang_warn(c, s->a->span, "an energy of motion is written: kinetic m/2*x'^2; a loss: dissipation c/2*x'^2",
                  "this potential holds squares of velocities: it takes from the masses");
}

void lang_run_energy(lang_context *c, const lang_statement *s)
{
    const lang_value v = lang_evaluate_scalar(c, s->a, "a number for the energy");
    if (v.rank == RANK_ERROR || !lang_spend_steps(c, expr_at(c->pool, v.scalar)->count, s->span)) return;
    if (s->kind == STATEMENT_POTENTIAL) warn_of_velocities(c, s, v.scalar);
    lang_take_status(c, s->kind == STATEMENT_KINETIC     ? mech_model_kinetic(c->model, v.scalar)
                        : s->kind == STATEMENT_POTENTIAL ? mech_model_potential(c->model, v.scalar)
                                                         : mech_model_dissipation(c->model, v.scalar));
}

static int are_coordinates(lang_context *c, const lang_value *v, mech_span span)
{
    for (size_t i = 0; i < lang_size(v); i++) {
        const mech_expr e = lang_items(v)[i];
        if (expr_is_symbol(c->pool, e) && expr_symbol_of(c->pool, e)->class_bit == EXPR_COORD) continue;
        lang_error(c, MECH_ERR_MODEL, span, "write mass x = m, or mass [x, y] = [[a, b], [b, c]]",
                   "a mass belongs to coordinates");
        return 0;
    }
    return 1;
}

typedef struct place { /* numbers for all symbols, without order and never 0 */
    const mech_pool *pool;
    unsigned round;
} place;

static double number_at(void *user, const expr_symbol *symbol)
{
    const place *at = user;
    const double k = (double)(symbol - at->pool->symbols) + 1;
    return 0.6 + 0.5 * fmod(k * 0.6180339887498949 + at->round * 0.4142135623730950, 1);
}

/* Whether entries [i,j] and [j,i] of a mass matrix are one value, however they are written: one expression, or the
   same numbers, beside the masses they couple, wherever the symbols are. */
static int are_one_value(lang_context *c, const lang_value *m, size_t i, size_t j)
{
    enum { ROUNDS = 4 };
    const size_t entries[4] = {i * m->columns + j, j * m->columns + i, i * m->columns + i, j * m->columns + j};
    if (m->items[entries[0]].id == m->items[entries[1]].id) return 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        place at = {c->pool, round};
        double x[4] = {0, 0, 0, 0};
        for (int k = 0; k < 4; k++)
            if (expr_evaluate(c->pool, m->items[entries[k]], number_at, &at, &x[k]) != MECH_OK) return 0;
        const double size = fmax(fabs(x[0]), fmax(fabs(x[1]), sqrt(fabs(x[2] * x[3]))));
        if (!(fabs(x[0] - x[1]) <= 1e-12 * size)) return 0;
    }
    return 1;
}

/* A full matrix over the coordinates q: it must be square and symmetric. */
static void add_mass_matrix(lang_context *c, const lang_statement *s, const lang_value *q, const lang_value *m)
{
    const size_t n = q->rows;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const mech_expr e = m->items[i * n + j];
            if (!are_one_value(c, m, i, j)) {
                lang_error(c, MECH_ERR_MODEL, s->b->span, NULL,
                           "a mass matrix is symmetric; entries [%zu,%zu] and [%zu,%zu] differ", i + 1, j + 1, j + 1,
                           i + 1);
                return;
            }
            if (!expr_is_zero(e)) lang_take_status(c, mech_model_mass(c->model, q->items[i], q->items[j], e));
        }
}

/* mass x = m; mass [x, y] = m (each), = [m1, m2] (diagonal) or a matrix */
void lang_run_mass(lang_context *c, const lang_statement *s)
{
    const lang_value q = lang_evaluate(c, s->a), m = lang_evaluate(c, s->b);
    if (q.rank == RANK_ERROR || m.rank == RANK_ERROR || !are_coordinates(c, &q, s->a->span)) return;
    if (q.rank == RANK_VECTOR && m.rank == RANK_MATRIX && m.rows == q.rows && m.columns == q.rows) {
        add_mass_matrix(c, s, &q, &m);
        return;
    }
    if (m.rank != RANK_SCALAR && !lang_same_shape(&m, &q)) {
        char x[LANG_SHAPE_TEXT], y[LANG_SHAPE_TEXT];
        lang_error(c, MECH_ERR_MODEL, s->b->span, NULL, "the coordinates are %s, the masses %s", lang_shape(&q, x),
                   lang_shape(&m, y));
        return;
    }
    for (size_t i = 0; i < lang_size(&q); i++) {
        const mech_expr x = lang_items(&q)[i];
        lang_take_status(c, mech_model_mass(c->model, x, x, m.rank == RANK_SCALAR ? m.scalar : m.items[i]));
    }
}

/* Two values of one shape, numbers or vectors: a place or velocity and its force. */
static int evaluate_pair(lang_context *c, const lang_node *a, const lang_node *b, lang_value *x, lang_value *y)
{
    char p[LANG_SHAPE_TEXT], q[LANG_SHAPE_TEXT];
    *x = lang_evaluate(c, a);
    *y = lang_evaluate(c, b);
    if (x->rank == RANK_ERROR || y->rank == RANK_ERROR) return 0;
    if (lang_same_shape(x, y)) return 1;
    const mech_span both = {a->span.source, a->span.start, b->span.end};
    lang_error(c, MECH_ERR_MODEL, both, NULL, "these must be alike; they are %s and %s", lang_shape(x, p),
               lang_shape(y, q));
    return 0;
}

void lang_run_force(lang_context *c, const lang_statement *s)
{
    lang_value force, velocity;
    if (!evaluate_pair(c, s->a, s->b, &force, &velocity)) return;
    lang_take_status(c, mech_model_force(c->model, lang_items(&force), lang_items(&velocity), lang_size(&force)));
}

/* Remembers a constraint under its full name and, when it is indexed, in its family. */
static void keep_constraint(lang_context *c, const lang_title *t, uint32_t full, size_t number)
{
    const uint32_t own = lang_own_name(c, t->name, t->span);
    c->names.items[full].constraint = (uint32_t)number + 1;
    if (!t->indices || !own) return;
    if (!c->names.items[own].family) {
        if (!mem_grow(&c->families, &c->family_capacity, c->family_count + 1, sizeof *c->families)) {
            lang_out_of_memory(c);
            return;
        }
        c->families[c->family_count++] = (lang_family){0};
        c->names.items[own].family = (uint32_t)c->family_count;
    }
    lang_family *f = &c->families[c->names.items[own].family - 1];
    if (mem_grow(&f->members, &f->capacity, f->count + 1, sizeof *f->members)) f->members[f->count++] = number;
    else lang_out_of_memory(c);
}

/* The name of a new constraint; NULL when it is taken, which is reported. */
static const char *constraint_name(lang_context *c, const lang_title *t, uint32_t *full)
{
    const char *name = lang_full_title(c, t, full);
    const lang_binding *b = name ? lang_global(c, *full) : NULL;
    if (b && (b->kind == BIND_JOINT || b->kind == BIND_MOTOR)) {
        lang_error(c, MECH_ERR_MODEL, t->span, "choose another name", "there is %s '%s' already",
                   lang_binding_word(b->kind), name);
        return NULL;
    }
    if (!name || !c->names.items[*full].constraint) return name;
    const char *hint = NULL;
    if (lang_loop_depth(c) > 0) {
        hint = arena_format(&c->memory, "inside a loop each needs its own name: %s[i]", lang_text_of(c, t->name));
        if (!hint) lang_out_of_memory(c);
    }
    lang_error(c, MECH_ERR_MODEL, t->span, hint, "there is a constraint '%s' already", name);
    return NULL;
}

/* What the clauses of a one-sided constraint say. */
typedef struct clauses {
    mech_expr restitution, mu, at_rest; /* none: not given */
    lang_value along;
} clauses;

static int read_clauses(lang_context *c, const lang_statement *s, clauses *to)
{
    *to = (clauses){.along = lang_scalar(EXPR_ZERO)};
    const lang_value none = lang_scalar((mech_expr){0});
    const lang_value e = s->c ? lang_evaluate_scalar(c, s->c, "the coefficient of restitution") : none;
    const lang_value mu = s->items ? lang_evaluate_scalar(c, s->items->value, "the coefficient of friction") : none;
    const lang_item *rest = s->items ? s->items->next : NULL;
    const lang_value at_rest = rest ? lang_evaluate_scalar(c, rest->value, "the coefficient at rest") : none;
    if (s->items) to->along = lang_evaluate(c, s->items->target);
    to->restitution = e.scalar;
    to->mu = mu.scalar;
    to->at_rest = at_rest.scalar;
    return e.rank != RANK_ERROR && mu.rank != RANK_ERROR && at_rest.rank != RANK_ERROR && to->along.rank != RANK_ERROR;
}

/* One row that only pushes, under its full name. */
static void add_sided(lang_context *c, const lang_statement *s, uint32_t full, mech_expr r, const clauses *given)
{
    size_t number = SIZE_MAX;
    mech_status status = mech_model_constraint(c->model, lang_text_of(c, full), &r, 1, &number);
    if (status == MECH_OK) status = mech_model_one_sided(c->model, number, s->word, given->restitution);
    lang_take_status(c, status);
    if (status != MECH_OK) {
        c->names.items[s->title.name].is_suspect = 1;
        return;
    }
    lang_title title = s->title;
    if (!title.indices && full != lang_own_name(c, title.name, title.span)) title.indices = s->a; /* of a family */
    keep_constraint(c, &title, full, number);
    if (!given->mu.id || (c->options.drops_zero_friction && lang_are_zero(c, given->mu, given->at_rest))) return;
    lang_take_status(c, mech_model_friction(c->model, &number, 1, given->mu, lang_items(&given->along),
                                            lang_size(&given->along), given->at_rest));
}

/* Each row of a vector opens by itself: NAME[1], NAME[2], ..., or NAME[i,1], ... */
static void run_sided(lang_context *c, const lang_statement *s)
{
    uint32_t full = 0;
    clauses given;
    int64_t indices[2] = {0, 0};
    const char *name = constraint_name(c, &s->title, &full);
    const lang_value r = lang_equation(c, s->a, s->b);
    const int is_read = read_clauses(c, s, &given);
    c->names.items[s->title.name].is_suspect |= !name || r.rank == RANK_ERROR || !is_read;
    if (!name || r.rank == RANK_ERROR || !is_read) return;
    if (r.rank == RANK_SCALAR) {
        add_sided(c, s, full, r.scalar, &given);
        return;
    }
    const uint32_t own = lang_own_name(c, s->title.name, s->title.span);
    if (given.mu.id || s->title.index_count > 1 || r.rank == RANK_MATRIX) {
        c->names.items[s->title.name].is_suspect = 1;
        lang_error(c, MECH_ERR_MODEL, s->span, "write them in a loop: for i in 1..3 { constraint foot[i]: ... }",
                   "these are %zu one-sided constraints%s", lang_size(&r),
                   given.mu.id ? ", each with a friction of its own" : "");
        return;
    }
    if (!own || !lang_title_indices(c, &s->title, indices)) return;
    for (size_t i = 0; i < lang_size(&r) && !lang_is_over(c); i++) {
        indices[s->title.index_count] = (int64_t)i + 1;
        full = lang_indexed_name(c, own, indices, s->title.index_count + 1);
        if (full) add_sided(c, s, full, r.items[i], &given);
    }
}

void lang_run_constraint(lang_context *c, const lang_statement *s)
{
    if (s->word) {
        run_sided(c, s);
        return;
    }
    uint32_t full = 0;
    size_t number = SIZE_MAX;
    const char *name = constraint_name(c, &s->title, &full);
    const lang_value r = lang_equation(c, s->a, s->b);
    if (name && r.rank != RANK_ERROR) {
        const mech_status status = mech_model_constraint(c->model, name, lang_items(&r), lang_size(&r), &number);
        lang_take_status(c, status);
        if (status != MECH_OK) number = SIZE_MAX;
    }
    if (number != SIZE_MAX) keep_constraint(c, &s->title, full, number);
    else c->names.items[s->title.name].is_suspect = 1;
}

void lang_run_nonideal(lang_context *c, const lang_statement *s)
{
    size_t count = 0;
    lang_value position, force;
    const size_t *list = lang_list_constraints(c, s->items, &count);
    if (!evaluate_pair(c, s->a, s->b, &position, &force) || !list) return;
    lang_take_status(c, mech_model_nonideal(c->model, (mech_law_kind)s->word, list, count, lang_items(&position),
                                            lang_items(&force), lang_size(&force)));
}

/* What is dropped is left out; how it was read before. */
static mech_friction_reading read_friction(lang_context *c, int drops)
{
    const mech_friction_reading how = c->model->friction_reading;
    if (drops) c->model->friction_reading = MECH_FRICTION_READING_LEFT_OUT;
    return how;
}

/* friction on J: torque f */
static void run_bound(lang_context *c, const lang_statement *s)
{
    size_t joint, k;
    const lang_value bound = lang_evaluate_scalar(c, s->a, "the bound of the friction");
    const lang_value at_rest = s->c ? lang_evaluate_scalar(c, s->c, "the bound at rest") : lang_scalar((mech_expr){0});
    if (s->items->next)
        lang_error(c, MECH_ERR_MODEL, s->items->next->span, "write a statement for each",
                   "a bound is that of one joint");
    else if (lang_need_bodies(c, s->span) && bound.rank != RANK_ERROR && at_rest.rank != RANK_ERROR &&
             lang_joint_coordinate(c, s->items->target, &joint, &k)) {
        const int turns = lang_joint_turns(c, joint, k);
        if (turns != (s->word == 1)) {
            lang_error(c, MECH_ERR_MODEL, s->span, NULL, "this joint %s: it takes '%s', not '%s'",
                       turns ? "turns" : "slides", turns ? "torque" : "force", turns ? "force" : "torque");
            return;
        }
        const int drops = c->options.drops_zero_friction && lang_are_zero(c, bound.scalar, at_rest.scalar);
        const lang_value q = lang_take_symbol(c, mech_bodies_joint_coord(c->bodies, joint, k));
        if (q.rank == RANK_ERROR) return;
        const char *name = arena_format(&c->memory, "%s%s", mech_bodies_joint_name(c->bodies, joint),
                                        mech_bodies_joint_part(c->bodies, joint, k));
        const mech_expr rate = mech_dot(c->pool, q.scalar);
        if (!name) lang_out_of_memory(c);
        else {
            const mech_friction_reading how = read_friction(c, drops);
            lang_take_status(c, mech_model_friction_bound(c->model, name, bound.scalar, &rate, 1, at_rest.scalar));
            c->model->friction_reading = how;
        }
    }
}

void lang_run_friction(lang_context *c, const lang_statement *s)
{
    if (s->word) {
        run_bound(c, s);
        return;
    }
    size_t count = 0;
    const size_t *list = lang_list_constraints(c, s->items, &count);
    const lang_value mu = lang_evaluate_scalar(c, s->a, "the coefficient of friction");
    const lang_value along = lang_evaluate(c, s->b);
    const lang_value at_rest =
        s->c ? lang_evaluate_scalar(c, s->c, "the coefficient at rest") : lang_scalar((mech_expr){0});
    if (!list || mu.rank == RANK_ERROR || along.rank == RANK_ERROR || at_rest.rank == RANK_ERROR) return;
    const mech_friction_reading how =
        read_friction(c, c->options.drops_zero_friction && lang_are_zero(c, mu.scalar, at_rest.scalar));
    lang_take_status(c, mech_model_friction(c->model, list, count, mu.scalar, lang_items(&along), lang_size(&along),
                                            at_rest.scalar));
    c->model->friction_reading = how;
}

/* The weight a control statement gives, by column; 0 when reported. All control constraints share one: a
   statement without a weight keeps the one there is. */
static int control_weight(lang_context *c, const lang_statement *s, mech_weight *weight, const mech_expr **given,
                          size_t *size)
{
    *weight = s->word < 0 ? c->model->weight : (mech_weight)s->word;
    *given = c->model->given_weight;
    *size = c->model->given_weight_size;
    if (s->word >= 0 && c->has_weight && (*weight != c->model->weight || s->c)) {
        lang_error(c, MECH_ERR_MODEL, s->span, "give the weight once", "all control constraints share one weight");
        return 0;
    }
    c->has_weight |= s->word >= 0;
    if (!s->c) return 1;
    const lang_value w = lang_evaluate(c, s->c);
    if (w.rank == RANK_ERROR) return 0;
    if (w.rank != RANK_MATRIX || w.rows != w.columns) {
        char shape[LANG_SHAPE_TEXT];
        lang_error(c, MECH_ERR_MODEL, s->c->span, "write 'weight nature', 'weight identity' or 'weight diag(...)'",
                   "a weight is a square matrix, not %s", lang_shape(&w, shape));
        return 0;
    }
    *given = lang_by_column(c, &w);
    *size = lang_size(&w);
    return *given != NULL;
}

void lang_run_control(lang_context *c, const lang_statement *s)
{
    uint32_t full = 0;
    mech_weight weight;
    const mech_expr *given;
    size_t size;
    const char *name = constraint_name(c, &s->title, &full);
    const lang_value r = lang_equation(c, s->a, s->b);
    const int has_weight = control_weight(c, s, &weight, &given, &size);
    if (!name || r.rank == RANK_ERROR || !has_weight) {
        c->names.items[s->title.name].is_suspect = 1;
        return;
    }
    const size_t before = c->model->constraints_count;
    const int is_given = weight == MECH_WEIGHT_GIVEN;
    lang_take_status(c, mech_model_control(c->model, name, lang_items(&r), lang_size(&r), weight,
                                           is_given ? given : NULL, is_given ? size : 0));
    if (c->model->constraints_count > before) keep_constraint(c, &s->title, full, before);
}

void lang_run_actuator(lang_context *c, const lang_statement *s)
{
    uint32_t full = 0;
    const char *name = s->title.name ? lang_full_title(c, &s->title, &full) : NULL;
    const lang_value v = lang_evaluate(c, s->a);
    if (v.rank == RANK_ERROR || (s->title.name && !name)) return;
    lang_take_status(c, mech_model_actuator(c->model, name, lang_items(&v), lang_size(&v)));
}
