/* A pendulum on a rod of length 1, given by C functions: x^2 + y^2 = 1, mass 1, weight 9.81. Its mass is the test's. */
#ifndef TESTS_ROD_H
#define TESTS_ROD_H

#include <mech/system.h>

static mech_status rod_weight(void *user, const mech_point *at, double *Q)
{
    (void)user, (void)at;
    Q[1] = -9.81;
    return MECH_OK;
}

static mech_status rod_residual(void *user, const mech_point *at, double *r)
{
    (void)user;
    r[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1;
    return MECH_OK;
}

static mech_status rod_residual_rate(void *user, const mech_point *at, double *r_dot)
{
    (void)user;
    r_dot[0] = 2 * (at->q[0] * at->v[0] + at->q[1] * at->v[1]);
    return MECH_OK;
}

static mech_status rod_row(void *user, const mech_point *at, double *A)
{
    (void)user;
    A[0] = 2 * at->q[0];
    A[1] = 2 * at->q[1];
    return MECH_OK;
}

static mech_status rod_right_side(void *user, const mech_point *at, double *b)
{
    (void)user;
    b[0] = -2 * (at->v[0] * at->v[0] + at->v[1] * at->v[1]);
    return MECH_OK;
}

/* coords, holonomic rows and functions, but M */
static mech_callbacks rod_callbacks(void)
{
    return (mech_callbacks){.size = sizeof(mech_callbacks),
                            .coords = 2,
                            .holonomic = 1,
                            .Q = rod_weight,
                            .A = rod_row,
                            .b = rod_right_side,
                            .r = rod_residual,
                            .r_dot = rod_residual_rate};
}

#endif
