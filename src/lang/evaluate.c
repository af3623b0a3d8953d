/* Expressions: operators on values. Every operation is checked for arithmetic that has no value. */
#include "lang/evaluate.h"

#include "lang/bodies.h"
#include "lang/call.h"
#include "lang/lexer.h"

void lang_wrong_shape(lang_context *c, const lang_value *v, mech_span span, const char *what)
{
    char shape[LANG_SHAPE_TEXT];
    if (v->rank == RANK_ERROR) return;
    const char *hint = v->rank == RANK_VECTOR   ? "take one entry: v[1]"
                       : v->rank == RANK_MATRIX ? "take one entry: m[1,1]"
                                                : NULL;
    lang_error(c, MECH_ERR_MODEL, span, hint, "expected %s, found %s", what, lang_shape(v, shape));
}

lang_value lang_evaluate_scalar(lang_context *c, const lang_node *n, const char *what)
{
    const lang_value v = lang_evaluate(c, n);
    if (v.rank == RANK_SCALAR || v.rank == RANK_ERROR) return v;
    lang_wrong_shape(c, &v, n->span, what);
    return lang_no_value();
}

/* The value unless the pool could not compute it. */
static lang_value checked(lang_context *c, lang_value v, mech_span span)
{
    return lang_check_fault(c, span) ? v : lang_no_value();
}

static lang_value evaluate_number(lang_context *c, const lang_node *n)
{
    lang_node *cache = (lang_node *)n;
    if (!n->value.id) cache->value = expr_decimal(c->pool, n->text, n->length);
    return checked(c, lang_scalar(n->value), n->span);
}

static lang_value evaluate_name(lang_context *c, const lang_node *n)
{
    lang_binding *b = lang_lookup(c, n->name);
    lang_value total;
    if (!b && lang_total(c, n, &total)) return total;
    if (!b) {
        lang_unknown_name(c, n->name, n->span);
        return lang_no_value();
    }
    if (b->kind == BIND_FUNCTION) {
        const char *hint = arena_format(&c->memory, "it takes %u argument%s: %s(...)", b->function->argument_count,
                                        b->function->argument_count == 1 ? "" : "s", lang_text_of(c, n->name));
        lang_error(c, MECH_ERR_MODEL, n->span, hint, "'%s' is a function", lang_text_of(c, n->name));
        return lang_no_value();
    }
    return lang_value_of(c, b, n->span);
}

/* Of what is more than a value. */
static lang_value value_of_thing(lang_context *c, lang_binding *b, mech_span span)
{
    const char *text = lang_text_of(c, b->name);
    if (b->kind == BIND_JOINT) return lang_joint_value(c, b, span);
    if (b->kind == BIND_POINT) return lang_point_value(c, b, span);
    if (b->kind == BIND_FAMILY) {
        lang_error(c, MECH_ERR_MODEL, span, NULL, "'%s' needs an index: %s[1]", text, text);
        return lang_no_value();
    }
    lang_error(c, MECH_ERR_MODEL, span,
               b->kind == BIND_PART        ? "name something in it: NAME.x"
               : b->kind == BIND_COMPONENT ? "write 'part NAME: COMPONENT(...)', then NAME.x"
               : b->kind == BIND_BODY
                   ? "its origin is NAME.r, its mass centre NAME.c, its attitude NAME.R, its angular velocity NAME.w"
               : b->kind == BIND_SPRING     ? "its force is NAME.force"
               : b->kind == BIND_MOTOR      ? "what it takes is reaction(NAME), where it gives the motion"
               : b->kind == BIND_MEASURE    ? "it is known when a run is over; `let` names what it measures"
               : b->kind == BIND_CONSTRAINT ? "its force is force(NAME), its multiplier lambda(NAME)"
                                            : NULL,
               "'%s' is %s, not a value", text, lang_binding_word(b->kind));
    return lang_no_value();
}

lang_value lang_value_of(lang_context *c, lang_binding *b, mech_span span)
{
    if (b->kind >= BIND_FUNCTION) return value_of_thing(c, b, span);
    /* a loop's index becomes a node of the pool when it is used in an expression, not before */
    if (b->value.rank == RANK_SCALAR && !b->value.scalar.id && b->has_number)
        b->value.scalar = mech_rational(c->pool, (int64_t)b->number, 1);
    return b->value;
}

/* [a, b] of numbers is a vector, of vectors a matrix by rows. */
static lang_value evaluate_list(lang_context *c, const lang_node *n)
{
    lang_value r = lang_no_value();
    size_t i = 0;
    int failed = 0; /* go on after an error: the other entries may have their own */
    for (const lang_node *e = n->first; e; e = e->next, i++) {
        const lang_value v = lang_evaluate(c, e);
        char shape[LANG_SHAPE_TEXT], first[LANG_SHAPE_TEXT];
        failed |= v.rank == RANK_ERROR;
        if (failed) continue;
        if (v.rank == RANK_MATRIX) {
            lang_error(c, MECH_ERR_MODEL, e->span, NULL, "a list holds numbers or vectors, not matrices");
            return lang_no_value();
        }
        if (i == 0) r = lang_make(c, v.rank + 1, n->count, v.rows, n->span);
        if (r.rank == RANK_ERROR) return r;
        if (v.rank + 1 != r.rank || v.rows != r.columns) {
            const lang_value head = {.rank = r.rank - 1, .rows = r.columns, .columns = 1};
            lang_error(c, MECH_ERR_MODEL, e->span, NULL, "this entry is %s, the first one %s", lang_shape(&v, shape),
                       lang_shape(&head, first));
            return lang_no_value();
        }
        for (size_t k = 0; k < v.rows; k++) r.items[i * v.rows + k] = lang_items(&v)[k];
    }
    return failed ? lang_no_value() : r;
}

/* The body of a sum or list for one value of its index. */
static lang_value evaluate_turn(lang_context *c, const lang_node *n, int64_t index)
{
    const size_t locals = c->local_count;
    if (!lang_spend_turn(c, n->mark)) return lang_no_value();
    if (!lang_bind_index(c, n->name, index, n->mark)) return lang_no_value();
    const lang_value v = lang_evaluate(c, n->first);
    lang_drop_locals(c, locals);
    return v;
}

/* Adds up the entries of `count` values of one shape that lie one after the other. */
static lang_value add_up(lang_context *c, const mech_expr *items, size_t count, const lang_value *shape, mech_span span)
{
    const size_t size = lang_size(shape);
    lang_value r = lang_make_like(c, shape, span);
    mech_expr *terms = r.rank == RANK_ERROR ? NULL : lang_scratch_take(c, count, sizeof *terms);
    if (!terms) return lang_no_value();
    for (size_t k = 0; k < size; k++) {
        for (size_t i = 0; i < count; i++) terms[i] = items[i * size + k];
        const mech_expr sum = mech_sum(c->pool, terms, count);
        if (r.rank == RANK_SCALAR) r.scalar = sum;
        else r.items[k] = sum;
    }
    return checked(c, r, span);
}

/* sum(i in a..b: e), or the list [e for i in a..b]. */
static lang_value evaluate_each(lang_context *c, const lang_node *n)
{
    lang_bounds bounds;
    lang_value shape = lang_scalar(EXPR_ZERO);
    mech_expr *items = NULL;
    size_t turn = 0;
    if (!lang_range(c, n->first->next, &bounds)) return lang_no_value();
    const size_t count = lang_range_count(&bounds);
    if (!lang_has_turns(c, count, n->first->next->span)) return lang_no_value();
    if (count == 0 && n->kind == NODE_SUM) return shape;
    for (int64_t i = bounds.first; turn < count; i += bounds.step, turn++) {
        const lang_mark mark = lang_scratch_mark(c);
        const lang_value v = evaluate_turn(c, n, i);
        if (v.rank == RANK_ERROR) return v;
        if (turn == 0) {
            shape = v;
            if (!lang_spend_entries(c, count > LANG_MAX_VALUE ? count : count * lang_size(&v), n->span))
                return lang_no_value();
            items = lang_scratch_take(c, count * lang_size(&v), sizeof *items);
        }
        if (!items) return lang_no_value();
        if (!lang_same_shape(&v, &shape) || (v.rank == RANK_MATRIX && n->kind == NODE_EACH)) {
            lang_wrong_shape(c, &v, n->first->span, "a number or a vector, the same in each turn");
            return lang_no_value();
        }
        for (size_t k = 0; k < lang_size(&v); k++) items[turn * lang_size(&v) + k] = lang_items(&v)[k];
        if (turn > 0) lang_scratch_release(c, mark);
    }
    if (n->kind == NODE_SUM) return add_up(c, items, count, &shape, n->mark);
    if (count == 0) {
        lang_error(c, MECH_ERR_MODEL, n->first->next->span, NULL, "this list has no entries");
        return lang_no_value();
    }
    return (lang_value){.rank = shape.rank + 1, .rows = (uint32_t)count, .columns = shape.rows, .items = items};
}

static mech_span joint_span(const lang_node *n) { return (mech_span){n->span.source, n->joint_at, n->joint_at + 1}; }

/* a + b - c: all of one shape; each entry is one n-ary sum. */
static lang_value evaluate_add(lang_context *c, const lang_node *n)
{
    const lang_value shape = lang_evaluate(c, n->first);
    const size_t size = shape.rank == RANK_ERROR ? 1 : lang_size(&shape);
    int failed = shape.rank == RANK_ERROR;
    size_t done = 0;
    if (n->count > LANG_MAX_VALUE && size > 1) return lang_make(c, RANK_VECTOR, n->count, 1, n->span);
    mech_expr *items = lang_scratch_take(c, size * n->count, sizeof *items);
    if (!items) return lang_no_value();
    for (const lang_node *e = n->first; e; e = e->next, done++) {
        const lang_mark mark = lang_scratch_mark(c);
        const lang_value v = done == 0 ? shape : lang_evaluate(c, e);
        char left[LANG_SHAPE_TEXT], right[LANG_SHAPE_TEXT];
        failed |= v.rank == RANK_ERROR;
        if (failed) continue;
        if (!lang_same_shape(&v, &shape)) {
            lang_error(c, MECH_ERR_MODEL, joint_span(e), NULL,
                       e->joint == TOK_MINUS ? "%s minus %s has no meaning" : "%s plus %s has no meaning",
                       lang_shape(&shape, left), lang_shape(&v, right));
            return lang_no_value();
        }
        for (size_t k = 0; k < size; k++) {
            const mech_expr item = lang_items(&v)[k];
            items[done * size + k] = done > 0 && e->joint == TOK_MINUS ? mech_neg(c->pool, item) : item;
        }
        if (done > 0) lang_scratch_release(c, mark);
    }
    if (failed || !lang_check_fault(c, n->mark)) return lang_no_value();
    return add_up(c, items, n->count, &shape, n->mark);
}

/* a*b/c: the scalar factors as one product over one product, the others from left to right. */
static lang_value evaluate_multiply(lang_context *c, const lang_node *n)
{
    mech_expr *over = lang_scratch_take(c, n->count, sizeof *over);
    mech_expr *under = lang_scratch_take(c, n->count, sizeof *under);
    size_t over_count = 0, under_count = 0;
    lang_value rest = lang_no_value();
    int failed = 0;
    mech_span last_joint = n->mark;
    if (!over || !under) return lang_no_value();
    for (const lang_node *e = n->first; e; e = e->next) {
        const lang_value v = lang_evaluate(c, e);
        const int divides = e != n->first && e->joint == TOK_SLASH;
        char shape[LANG_SHAPE_TEXT];
        failed |= v.rank == RANK_ERROR;
        if (failed) continue;
        if (e != n->first) last_joint = joint_span(e);
        if (divides && (v.rank != RANK_SCALAR || expr_is_zero(v.scalar))) {
            if (v.rank == RANK_SCALAR) lang_error(c, MECH_ERR_MODEL, last_joint, NULL, "division by zero");
            else lang_error(c, MECH_ERR_MODEL, last_joint, NULL, "cannot divide by %s", lang_shape(&v, shape));
            return lang_no_value();
        }
        if (divides) under[under_count++] = v.scalar;
        else if (v.rank == RANK_SCALAR) over[over_count++] = v.scalar;
        else {
            rest = rest.rank == RANK_ERROR ? v : lang_multiply(c, &rest, &v, last_joint);
            if (rest.rank == RANK_ERROR) return rest;
        }
    }
    if (failed) return lang_no_value();
    mech_expr factor = mech_product(c->pool, over, over_count);
    if (under_count > 0) factor = mech_div(c->pool, factor, mech_product(c->pool, under, under_count));
    const lang_value r = rest.rank == RANK_ERROR ? lang_scalar(factor)
                         : expr_is_one(factor)   ? rest
                                                 : lang_scale(c, &rest, factor, last_joint);
    return checked(c, r, last_joint);
}

static lang_value evaluate_power(lang_context *c, const lang_node *n)
{
    const lang_value base = lang_evaluate(c, n->first), exponent = lang_evaluate(c, n->first->next);
    if (base.rank == RANK_ERROR || exponent.rank == RANK_ERROR) return lang_no_value();
    if (base.rank != RANK_SCALAR || exponent.rank != RANK_SCALAR) {
        char shape[LANG_SHAPE_TEXT];
        lang_error(
            c, MECH_ERR_MODEL, n->mark, base.rank == RANK_VECTOR ? "use dot(v, v) for the square of a vector" : NULL,
            "a power is of numbers; this is %s", lang_shape(base.rank != RANK_SCALAR ? &base : &exponent, shape));
        return lang_no_value();
    }
    return checked(c, lang_scalar(mech_pow(c->pool, base.scalar, exponent.scalar)), n->mark);
}

static lang_value evaluate_compare(lang_context *c, const lang_node *n)
{
    const lang_value left = lang_evaluate_scalar(c, n->first, "a number to compare");
    const lang_value right = lang_evaluate_scalar(c, n->first->next, "a number to compare");
    if (left.rank == RANK_ERROR || right.rank == RANK_ERROR) return lang_no_value();
    const int swap = n->op == TOK_GREATER || n->op == TOK_GREATER_EQUAL;
    const mech_function function = n->op == TOK_LESS || n->op == TOK_GREATER               ? MECH_FUNCTION_LESS
                                   : n->op == TOK_LESS_EQUAL || n->op == TOK_GREATER_EQUAL ? MECH_FUNCTION_LESS_EQUAL
                                                                                           : MECH_FUNCTION_EQUAL;
    const mech_expr pair[2] = {swap ? right.scalar : left.scalar, swap ? left.scalar : right.scalar};
    mech_expr e = mech_call(c->pool, function, pair, 2);
    if (n->op == TOK_NOT_EQUAL) e = mech_call(c->pool, MECH_FUNCTION_NOT, &e, 1);
    return checked(c, lang_scalar(e), n->mark);
}

/* and, or; not */
static lang_value evaluate_logic(lang_context *c, const lang_node *n)
{
    lang_value r = lang_evaluate_scalar(c, n->first, "a condition");
    if (n->kind == NODE_NOT && r.rank != RANK_ERROR) r.scalar = mech_call(c->pool, MECH_FUNCTION_NOT, &r.scalar, 1);
    for (const lang_node *e = n->first->next; e && r.rank != RANK_ERROR; e = e->next) {
        const lang_value v = lang_evaluate_scalar(c, e, "a condition");
        if (v.rank == RANK_ERROR) return v;
        const mech_expr pair[2] = {r.scalar, v.scalar};
        r.scalar = mech_call(c->pool, n->kind == NODE_AND ? MECH_FUNCTION_AND : MECH_FUNCTION_OR, pair, 2);
    }
    return checked(c, r, n->mark);
}

static lang_value evaluate_node(lang_context *c, const lang_node *n)
{
    switch ((lang_node_kind)n->kind) {
    case NODE_NUMBER: return evaluate_number(c, n);
    case NODE_NAME: return evaluate_name(c, n);
    case NODE_MEMBER: return lang_member(c, n);
    case NODE_LIST: return evaluate_list(c, n);
    case NODE_SUM:
    case NODE_EACH: return evaluate_each(c, n);
    case NODE_INDEX: return lang_index(c, n);
    case NODE_CALL: return lang_call(c, n);
    case NODE_PRIME: {
        const lang_value v = lang_evaluate(c, n->first);
        return v.rank == RANK_ERROR ? v : checked(c, lang_prime(c, &v, n->op, n->mark), n->mark);
    }
    case NODE_NEGATE: {
        const lang_value v = lang_evaluate(c, n->first);
        return v.rank == RANK_ERROR ? v : checked(c, lang_scale(c, &v, EXPR_MINUS_ONE, n->mark), n->mark);
    }
    case NODE_POWER: return evaluate_power(c, n);
    case NODE_ADD: return evaluate_add(c, n);
    case NODE_MULTIPLY: return evaluate_multiply(c, n);
    case NODE_COMPARE: return evaluate_compare(c, n);
    case NODE_NOT:
    case NODE_AND:
    case NODE_OR: return evaluate_logic(c, n);
    case NODE_TEXT:
        lang_error(c, MECH_ERR_MODEL, n->span, "write table(x, \"file.csv\", \"column\")", "a quoted text is no value");
        return lang_no_value();
    case NODE_RANGE:
    case NODE_COUNT: break;
    }
    lang_error(c, MECH_ERR_MODEL, n->span, NULL, "a range has no value of its own");
    return lang_no_value();
}

/* What it took to make a number: in proportion to the terms of its outermost sum or product. */
static size_t width(const lang_context *c, const lang_value *v)
{
    return v->rank == RANK_SCALAR && v->scalar.id ? expr_at(c->pool, v->scalar)->count / 4 : 0;
}

lang_value lang_evaluate(lang_context *c, const lang_node *n)
{
    if (!n || lang_is_over(c)) return lang_no_value();
    if (c->depth >= LANG_MAX_EVALUATION) {
        lang_limit(c, n->span, "functions and expressions are nested more than %d deep", LANG_MAX_EVALUATION);
        return lang_no_value();
    }
    /* a number holds no memory of the stack: what its parts took can go */
    const lang_mark mark = lang_scratch_mark(c);
    const int is_made =
        n->kind != NODE_NAME && n->kind != NODE_NUMBER && n->kind != NODE_INDEX && n->kind != NODE_MEMBER;
    c->depth++;
    const lang_value v = evaluate_node(c, n);
    c->depth--;
    if (v.rank <= RANK_SCALAR) lang_scratch_release(c, mark);
    return lang_spend_steps(c, 1 + (is_made ? width(c, &v) : 0), n->span) ? v : lang_no_value();
}
