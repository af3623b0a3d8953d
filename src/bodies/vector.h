/* Vectors and matrices of expressions. Every entry made here is held (pool.h): the recursions of this room stay what
   they are written as. In the plane the third entry of a vector is 0, of an angular velocity the first two. */
#ifndef BODIES_VECTOR_H
#define BODIES_VECTOR_H

#include "expr/pool.h"

typedef struct vec {
    mech_expr x[3];
} vec;

typedef struct mat {
    mech_expr x[3][3]; /* row, column */
} mat;

mech_expr scalar_hold(mech_pool *p, mech_expr e);
/* a b + c d, a b - c d, and below a.b + c.d and M v + a x b. C leaves to the compiler which argument of a call it makes
   first, and nodes that are made in another order print as other sums: here the order is said. */
mech_expr scalar_add_products(mech_pool *p, mech_expr a, mech_expr b, mech_expr c, mech_expr d);
mech_expr scalar_sub_products(mech_pool *p, mech_expr a, mech_expr b, mech_expr c, mech_expr d);
vec vec_zero(void);
vec vec_unit(size_t axis);
vec vec_add(mech_pool *p, vec a, vec b);
vec vec_sub(mech_pool *p, vec a, vec b);
vec vec_scale(mech_pool *p, mech_expr s, vec a);
vec vec_cross(mech_pool *p, vec a, vec b);
mech_expr vec_dot(mech_pool *p, vec a, vec b);
mech_expr vec_two_dots(mech_pool *p, vec a, vec b, vec c, vec d);
int vec_is_zero(vec a);

mat mat_identity(void);
mat mat_zero(void);
mat mat_transpose(mat a);
mat mat_add(mech_pool *p, mat a, mat b);
mat mat_times(mech_pool *p, mat a, mat b);
vec mat_apply(mech_pool *p, mat a, vec v);
vec mat_apply_and_cross(mech_pool *p, mat m, vec v, vec a, vec b);
vec mat_apply_transposed(mech_pool *p, mat a, vec v);
vec mat_column(mat a, size_t column);
/* a b a^T with a symmetric b */
mat mat_turn(mech_pool *p, mat a, mat b);
/* The rotation about a unit vector. */
mat mat_rotation(mech_pool *p, vec axis, mech_expr angle);

#endif
