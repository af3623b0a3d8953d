/* The table of built-in functions. */
#include "lang/call.h"

#include "lang/evaluate.h"

#include <string.h>

static lang_of_values elementary, root, power, fold, choose, clamped, degrees, rounded, modulo, delayed;

/* What else there is to a function. */
enum {
    NAMES_CONSTRAINT = 1, /* its first argument is the name of a constraint, or of what is one */
    MAY_BE_HIDDEN = 2     /* it came later: texts may have functions of their own that are called so */
};

typedef struct builtin {
    const char *name;
    unsigned least, most; /* arguments; most 0: any number */
    lang_of_values *of_values;
    lang_of_call *of_call;
    int which;
    unsigned traits;
    const char *usage;
} builtin;

// clang-format off
static const builtin builtins[] = {
    {"sin",  1, 1, elementary, NULL, MECH_FUNCTION_SIN, 0,  "write sin(x)"},
    {"cos",  1, 1, elementary, NULL, MECH_FUNCTION_COS, 0,  "write cos(x)"},
    {"tan",  1, 1, elementary, NULL, MECH_FUNCTION_TAN, 0,  "write tan(x)"},
    {"asin", 1, 1, elementary, NULL, MECH_FUNCTION_ASIN, 0, "write asin(x)"},
    {"acos", 1, 1, elementary, NULL, MECH_FUNCTION_ACOS, 0, "write acos(x)"},
    {"atan", 1, 1, elementary, NULL, MECH_FUNCTION_ATAN, 0, "write atan(x)"},
    {"sinh", 1, 1, elementary, NULL, MECH_FUNCTION_SINH, 0, "write sinh(x)"},
    {"cosh", 1, 1, elementary, NULL, MECH_FUNCTION_COSH, 0, "write cosh(x)"},
    {"tanh", 1, 1, elementary, NULL, MECH_FUNCTION_TANH, 0, "write tanh(x)"},
    {"exp",  1, 1, elementary, NULL, MECH_FUNCTION_EXP, 0,  "write exp(x)"},
    {"log",  1, 1, elementary, NULL, MECH_FUNCTION_LOG, 0,  "write log(x), the natural logarithm"},
    {"abs",  1, 1, elementary, NULL, MECH_FUNCTION_ABS, 0,  "write abs(x)"},
    {"sign", 1, 1, elementary, NULL, MECH_FUNCTION_SIGN, 0, "write sign(x)"},
    {"atan2", 2, 2, elementary, NULL, MECH_FUNCTION_ATAN2, 0, "write atan2(y, x)"},
    {"sqrt", 1, 1, root,  NULL, 0, 0, "write sqrt(x)"},
    {"pow",  2, 2, power, NULL, 0, 0, "write pow(x, y) or x^y"},
    {"min",  1, 0, fold,  NULL, MECH_FUNCTION_MIN, 0, "write min(a, b)"},
    {"max",  1, 0, fold,  NULL, MECH_FUNCTION_MAX, 0, "write max(a, b)"},
    {"if",   3, 3, choose, NULL, 0, 0, "write if(condition, a, b)"},
    {"dot",   2, 2, lang_fn_dot,   NULL, 0, 0, "write dot(a, b)"},
    {"cross", 2, 2, lang_fn_cross, NULL, 0, 0, "write cross(a, b)"},
    {"norm",  1, 1, lang_fn_norm,  NULL, 0, 0, "write norm(v)"},
    {"sum",   1, 1, lang_fn_sum,   NULL, 0, 0, "write sum(i in 1..N: ...) or sum(v)"},
    {"transpose", 1, 1, lang_fn_transpose, NULL, 0, 0, "write transpose(m)"},
    {"diag",  1, 0, lang_fn_diag,  NULL, 0, 0, "write diag(v) or diag(a, b, c)"},
    {"skew",  1, 1, lang_fn_skew,  NULL, 0, 0, "write skew(v): skew(v)*w is cross(v, w)"},
    {"rotx",  1, 1, lang_fn_rotation, NULL, 0, 0, "write rotx(angle)"},
    {"roty",  1, 1, lang_fn_rotation, NULL, 1, 0, "write roty(angle)"},
    {"rotz",  1, 1, lang_fn_rotation, NULL, 2, 0, "write rotz(angle)"},
    {"quaternion", 1, 1, lang_fn_quaternion, NULL, 0, 0, "write quaternion(e) with e = [e0, e1, e2, e3]"},
    {"omega", 1, 1, lang_fn_omega, NULL, 0, 0, "write omega(R) with a rotation matrix R"},
    {"omega_body", 1, 1, lang_fn_omega, NULL, 1, 0, "write omega_body(R) with a rotation matrix R"},
    {"d",     2, 2, lang_fn_derivative, NULL, 0, 0, "write d(expression, x); time derivatives are primes: x'"},
    {"zeros", 1, 2, NULL, lang_fn_filled, WHICH_ZEROS, 0, "write zeros(n) or zeros(n, m)"},
    {"identity", 1, 1, NULL, lang_fn_filled, WHICH_IDENTITY, 0, "write identity(n)"},
    {"force", 1, 2, NULL, lang_fn_force, 0, NAMES_CONSTRAINT, "write force(NAME) or force(NAME, x)"},
    {"lambda", 1, 1, NULL, lang_fn_multiplier, WHICH_LAMBDA, NAMES_CONSTRAINT, "write lambda(NAME)"},
    {"reaction", 1, 1, NULL, lang_fn_multiplier, WHICH_REACTION, NAMES_CONSTRAINT, "write reaction(NAME)"},
    {"active", 1, 1, NULL, lang_fn_active, 0, NAMES_CONSTRAINT, "write active(NAME)"},
    /* these came later */
    {"axes", 2, 2, NULL, lang_fn_axes, 0, MAY_BE_HIDDEN, "write axes(BODY, v): the components of v in the axes of a body"},
    {"control", 1, 1, NULL, lang_fn_control, 0, NAMES_CONSTRAINT | MAY_BE_HIDDEN, "write control(x) along a coordinate, or control(NAME) of an actuator"},
    {"friction", 1, 1, NULL, lang_fn_friction, 0, NAMES_CONSTRAINT | MAY_BE_HIDDEN, "write friction(NAME): the force of the friction on a constraint or joint"},
    {"clamp", 3, 3, clamped, NULL, 0, MAY_BE_HIDDEN, "write clamp(x, low, high)"},
    {"deg", 1, 1, degrees, NULL, 0, MAY_BE_HIDDEN, "deg(x) gives an angle in degrees; 30 degrees are rad(30)"},
    {"rad", 1, 1, degrees, NULL, 1, MAY_BE_HIDDEN, "write rad(30): 30 degrees, in radians"},
    {"floor", 1, 1, elementary, NULL, MECH_FUNCTION_FLOOR, MAY_BE_HIDDEN, "write floor(x)"},
    {"round", 1, 1, rounded, NULL, 0, MAY_BE_HIDDEN, "write round(x), to the nearest whole number"},
    {"mod", 2, 2, modulo, NULL, 0, MAY_BE_HIDDEN, "write mod(a, b): what is left of a after whole multiples of b"},
    {"delay", 2, 2, delayed, NULL, 0, MAY_BE_HIDDEN, "write delay(x, T): x as it was at the time t - T"},
    {"table", 3, 4, NULL, lang_fn_table, 0, MAY_BE_HIDDEN, "write table(x, \"file.csv\", \"column\") or table(x, \"file.csv\", \"column\", smooth)"},
};
// clang-format on
enum { BUILTINS = sizeof builtins / sizeof *builtins };

const char *lang_builtin_name(unsigned i) { return i < BUILTINS ? builtins[i].name : NULL; }

const char *lang_builtin_usage(unsigned i) { return i < BUILTINS ? builtins[i].usage : NULL; }

static int has_trait(unsigned i, unsigned trait) { return i < BUILTINS && (builtins[i].traits & trait) != 0; }

int lang_builtin_may_be_hidden(unsigned i) { return has_trait(i, MAY_BE_HIDDEN); }

int lang_builtin_names_constraint(unsigned i) { return has_trait(i, NAMES_CONSTRAINT); }

int lang_builtin_start(lang_context *c)
{
    for (unsigned i = 0; i < BUILTINS; i++) {
        const uint32_t name = lang_intern(&c->names, builtins[i].name, strlen(builtins[i].name));
        if (!name) return 0;
        c->names.items[name].builtin = (uint16_t)(i + 1);
    }
    return 1;
}

lang_value lang_builtin_call(lang_context *c, unsigned index, const lang_node *n)
{
    const builtin *f = &builtins[index];
    if (n->count < f->least || (f->most && n->count > f->most)) {
        lang_error(c, MECH_ERR_MODEL, n->span, f->usage, "%s cannot take %u argument%s", f->name, n->count,
                   n->count == 1 ? "" : "s");
        return lang_no_value();
    }
    if (f->of_call) return f->of_call(c, n, f->which);
    lang_value *v = lang_scratch_take(c, n->count, sizeof *v);
    size_t i = 0;
    int failed = v == NULL;
    for (const lang_node *a = n->first; a && v; a = a->next, i++) {
        v[i] = lang_evaluate(c, a);
        failed |= v[i].rank == RANK_ERROR;
    }
    if (failed) return lang_no_value();
    const lang_value r = f->of_values(c, n, v, n->count, f->which);
    return lang_check_fault(c, n->mark) ? r : lang_no_value();
}

/* The i-th argument is a number, or that is reported. */
static int is_number(lang_context *c, const lang_node *n, const lang_value *v, size_t i)
{
    const lang_node *a = n->first;
    char shape[LANG_SHAPE_TEXT];
    if (v[i].rank == RANK_SCALAR) return 1;
    for (size_t k = 0; k < i; k++) a = a->next;
    lang_error(c, MECH_ERR_MODEL, a->span, v[i].rank == RANK_VECTOR ? "take one entry: v[1]" : NULL,
               "%s takes numbers; this is %s", lang_text_of(c, n->name), lang_shape(&v[i], shape));
    return 0;
}

static lang_value elementary(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    mech_expr arguments[2] = {{0}, {0}};
    for (size_t i = 0; i < count; i++) {
        if (!is_number(c, n, v, i)) return lang_no_value();
        arguments[i] = v[i].scalar;
    }
    return lang_scalar(mech_call(c->pool, (mech_function)which, arguments, count));
}

static lang_value root(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)count, (void)which;
    return is_number(c, n, v, 0) ? lang_scalar(mech_sqrt(c->pool, v[0].scalar)) : lang_no_value();
}

static lang_value power(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)count, (void)which;
    if (!is_number(c, n, v, 0) || !is_number(c, n, v, 1)) return lang_no_value();
    return lang_scalar(mech_pow(c->pool, v[0].scalar, v[1].scalar));
}

/* min and max of numbers, or of the entries of one vector */
static lang_value fold(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    const int of_vector = count == 1 && v[0].rank == RANK_VECTOR;
    const size_t size = of_vector ? v[0].rows : count;
    mech_expr r = {0};
    for (size_t i = 0; i < size; i++) {
        if (!of_vector && !is_number(c, n, v, i)) return lang_no_value();
        const mech_expr next = of_vector ? v[0].items[i] : v[i].scalar;
        const mech_expr pair[2] = {r, next};
        r = i == 0 ? next : mech_call(c->pool, (mech_function)which, pair, 2);
    }
    return lang_scalar(r);
}

/* if(condition, a, b), entry by entry */
static lang_value choose(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)count, (void)which;
    if (!is_number(c, n, v, 0)) return lang_no_value();
    if (!lang_same_shape(&v[1], &v[2])) {
        char a[LANG_SHAPE_TEXT], b[LANG_SHAPE_TEXT];
        lang_error(c, MECH_ERR_MODEL, n->span, NULL, "both values of if() must be alike; they are %s and %s",
                   lang_shape(&v[1], a), lang_shape(&v[2], b));
        return lang_no_value();
    }
    lang_value r = lang_make_like(c, &v[1], n->span);
    for (size_t i = 0; r.rank != RANK_ERROR && i < lang_size(&v[1]); i++) {
        const mech_expr three[3] = {v[0].scalar, lang_items(&v[1])[i], lang_items(&v[2])[i]};
        const mech_expr e = mech_call(c->pool, MECH_FUNCTION_IF, three, 3);
        if (r.rank == RANK_SCALAR) r.scalar = e;
        else r.items[i] = e;
    }
    return r;
}

/* clamp(x, low, high): x, but not below low nor above high */
static lang_value clamped(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)which;
    for (size_t i = 0; i < count; i++)
        if (!is_number(c, n, v, i)) return lang_no_value();
    const mech_expr above = mech_call(c->pool, MECH_FUNCTION_MAX, (mech_expr[]){v[0].scalar, v[1].scalar}, 2);
    double low, high;
    if (expr_constant(c->pool, v[1].scalar, &low) && expr_constant(c->pool, v[2].scalar, &high) && low > high) {
        lang_error(c, MECH_ERR_MODEL, n->span, "write clamp(x, low, high)",
                   "clamp has its low end %g above its high end %g", low, high);
        return lang_no_value();
    }
    return lang_scalar(mech_call(c->pool, MECH_FUNCTION_MIN, (mech_expr[]){above, v[2].scalar}, 2));
}

/* An angle, or a vector of them, in degrees; which = 1: in radians. */
static lang_value degrees(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)count;
    mech_pool *p = c->pool;
    const mech_expr half = mech_rational(p, 180, 1);
    const mech_expr factor = which ? mech_div(p, mech_pi(p), half) : mech_div(p, half, mech_pi(p));
    lang_value r = lang_make_like(c, &v[0], n->span);
    for (size_t i = 0; r.rank != RANK_ERROR && i < lang_size(&v[0]); i++) {
        const mech_expr e = mech_mul(p, factor, lang_items(&v[0])[i]);
        if (r.rank == RANK_SCALAR) r.scalar = e;
        else r.items[i] = e;
    }
    return r;
}

/* floor(x + 1/2) */
static lang_value rounded(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)count, (void)which;
    if (!is_number(c, n, v, 0)) return lang_no_value();
    const mech_expr shifted = mech_add(c->pool, v[0].scalar, mech_rational(c->pool, 1, 2));
    return lang_scalar(mech_call(c->pool, MECH_FUNCTION_FLOOR, &shifted, 1));
}

/* a - b*floor(a/b) */
/* delay(x, T), of a vector or matrix entry by entry */
static lang_value delayed(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)count, (void)which;
    if (!is_number(c, n, v, 1)) return lang_no_value();
    lang_value r = lang_make_like(c, &v[0], n->span);
    for (size_t k = 0; r.rank != RANK_ERROR && k < lang_size(&v[0]); k++) {
        const mech_expr e = mech_model_delay(c->model, lang_items(&v[0])[k], v[1].scalar);
        if (!e.id) return lang_take_symbol(c, e);
        if (r.rank == RANK_SCALAR) r.scalar = e;
        else r.items[k] = e;
    }
    return r;
}

static lang_value modulo(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)count, (void)which;
    mech_pool *p = c->pool;
    if (!is_number(c, n, v, 0) || !is_number(c, n, v, 1)) return lang_no_value();
    const mech_expr quotient = mech_div(p, v[0].scalar, v[1].scalar);
    return lang_scalar(
        mech_sub(p, v[0].scalar, mech_mul(p, v[1].scalar, mech_call(p, MECH_FUNCTION_FLOOR, &quotient, 1))));
}
