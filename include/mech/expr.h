/* Symbolic expressions: exact, shared, simplified as they are built.
 *
 * An expression is a small value that names a node of a pool. Equal expressions are the same node, so
 * comparing ids compares expressions. Building functions never fail loudly: they return the expression
 * {0} ("none") when memory runs out or an argument is none, and the pool remembers the first failure. */
#ifndef MECH_EXPR_H
#define MECH_EXPR_H

#include <mech/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_pool mech_pool;

typedef struct mech_expr {
    uint32_t id; /* 0: none */
} mech_expr;

/* Functions an expression may apply. Comparisons and logic give 1 or 0. */
typedef enum mech_function {
    /* one argument */
    MECH_FUNCTION_SIN,
    MECH_FUNCTION_COS,
    MECH_FUNCTION_TAN,
    MECH_FUNCTION_ASIN,
    MECH_FUNCTION_ACOS,
    MECH_FUNCTION_ATAN,
    MECH_FUNCTION_SINH,
    MECH_FUNCTION_COSH,
    MECH_FUNCTION_TANH,
    MECH_FUNCTION_EXP,
    MECH_FUNCTION_LOG,
    MECH_FUNCTION_ABS,
    MECH_FUNCTION_SIGN,
    /* two */
    MECH_FUNCTION_ATAN2,
    MECH_FUNCTION_POW,
    MECH_FUNCTION_MIN,
    MECH_FUNCTION_MAX,
    /* two; 1 or 0 */
    MECH_FUNCTION_LESS,
    MECH_FUNCTION_LESS_EQUAL,
    MECH_FUNCTION_EQUAL,
    MECH_FUNCTION_AND,
    MECH_FUNCTION_OR,
    MECH_FUNCTION_NOT,   /* one; 1 or 0     */
    MECH_FUNCTION_IF,    /* condition, a, b */
    MECH_FUNCTION_FLOOR, /* one: the greatest whole number that is not greater */
    MECH_FUNCTION_COUNT
} mech_function;

typedef enum mech_print_format { MECH_PRINT_TEXT, MECH_PRINT_LATEX, MECH_PRINT_C } mech_print_format;

/* New pool; NULL when out of memory. */
MECH_API mech_pool *mech_pool_create(void);
MECH_API void mech_pool_free(mech_pool *pool);
/* MECH_OK, or what failed first since the pool was made. */
MECH_API mech_status mech_pool_status(const mech_pool *pool);
/* Number of nodes made so far. */
MECH_API size_t mech_pool_size(const mech_pool *pool);

/* Numbers. A double is taken as the shortest decimal that reads back to it: 0.1 is exactly 1/10. */
MECH_API mech_expr mech_number(mech_pool *pool, double value);
MECH_API mech_expr mech_rational(mech_pool *pool, int64_t numerator, int64_t denominator);
MECH_API mech_expr mech_pi(mech_pool *pool);

/* Arithmetic. */
MECH_API mech_expr mech_add(mech_pool *pool, mech_expr a, mech_expr b);
MECH_API mech_expr mech_sub(mech_pool *pool, mech_expr a, mech_expr b);
MECH_API mech_expr mech_mul(mech_pool *pool, mech_expr a, mech_expr b);
MECH_API mech_expr mech_div(mech_pool *pool, mech_expr a, mech_expr b);
MECH_API mech_expr mech_neg(mech_pool *pool, mech_expr a);
MECH_API mech_expr mech_pow(mech_pool *pool, mech_expr base, mech_expr exponent);
MECH_API mech_expr mech_sqrt(mech_pool *pool, mech_expr a);
MECH_API mech_expr mech_sum(mech_pool *pool, const mech_expr *terms, size_t count);
MECH_API mech_expr mech_product(mech_pool *pool, const mech_expr *factors, size_t count);
/* A function with the number of arguments it takes. */
MECH_API mech_expr mech_call(mech_pool *pool, mech_function function, const mech_expr *arguments, size_t count);

/* A function of x given by points (at ascends): straight lines between them, or the cubic spline through them; before
   the first and behind the last point it keeps their values. It costs as much as all its pieces. */
MECH_API mech_expr mech_interpolate(mech_pool *pool, mech_expr x, const double *at, const double *value, size_t count,
                                    int is_smooth);

/* Partial derivative by a symbol (a parameter, coordinate, velocity, ...), all others held. */
MECH_API mech_expr mech_derivative(mech_pool *pool, mech_expr e, mech_expr symbol);
/* Total time derivative. */
MECH_API mech_expr mech_dot(mech_pool *pool, mech_expr e);
/* Replaces symbols by expressions, all at once. */
MECH_API mech_expr mech_substitute(mech_pool *pool, mech_expr e, const mech_expr *symbols, const mech_expr *values,
                                   size_t count);

/* New text, freed with mech_text_free; NULL when out of memory. Text reads back to the same expression. */
MECH_API char *mech_print(const mech_pool *pool, mech_expr e, mech_print_format format);

#ifdef __cplusplus
}
#endif
#endif
