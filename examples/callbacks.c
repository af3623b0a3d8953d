/* Door 2: a system given by C functions. A pendulum in Cartesian coordinates, its rod written as a
   constraint: M = diag(m, m), Q = (0, -m g), phi = x^2 + y^2 - l^2. The same calls serve a system made from a
   model. */
#include <mech/system.h>

#include <stdio.h>

enum { MASS, LENGTH, GRAVITY, PARAMS };

static mech_status mass(void *user, const mech_point *at, double *M)
{
    (void)user;
    M[0] = M[3] = at->p[MASS]; /* column-major; the rest is 0 already */
    return MECH_OK;
}

static mech_status force(void *user, const mech_point *at, double *Q)
{
    (void)user;
    Q[1] = -at->p[MASS] * at->p[GRAVITY];
    return MECH_OK;
}

static mech_status residual(void *user, const mech_point *at, double *r) /* phi */
{
    (void)user;
    r[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - at->p[LENGTH] * at->p[LENGTH];
    return MECH_OK;
}

static mech_status jacobian(void *user, const mech_point *at, double *A) /* dphi/dq */
{
    (void)user;
    A[0] = 2 * at->q[0];
    A[1] = 2 * at->q[1];
    return MECH_OK;
}

static mech_status right_side(void *user, const mech_point *at, double *b) /* A q'' = b, from phi'' = 0 */
{
    (void)user;
    b[0] = -2 * (at->v[0] * at->v[0] + at->v[1] * at->v[1]);
    return MECH_OK;
}

static mech_status residual_rate(void *user, const mech_point *at, double *r_dot) /* phi' */
{
    (void)user;
    r_dot[0] = 2 * (at->q[0] * at->v[0] + at->q[1] * at->v[1]);
    return MECH_OK;
}

static mech_status evaluate(mech_eval *eval)
{
    const double q[] = {0.6, -0.8}, v[] = {0.8, 0.6};
    mech_status status = mech_eval_position(eval, 0.0, q);
    if (status == MECH_OK) status = mech_eval_velocity(eval, v);
    if (status != MECH_OK) return status;
    const mech_equation *e = mech_eval_equation(eval);
    printf("M = [%g %g; %g %g]\n", e->M_dense[0], e->M_dense[2], e->M_dense[1], e->M_dense[3]);
    printf("Q = [%g %g]\n", e->Q[0], e->Q[1]);
    printf("A = [%g %g], b = [%g]\n", e->A_dense[0], e->A_dense[1], e->b[0]);
    printf("phi = %g, phi' = %g\n", e->r[0], e->r_dot[0]);
    return MECH_OK;
}

int main(void)
{
    static const char *const coords[] = {"x", "y"}, *const rows[] = {"rod"},
                             *const params[] = {"m", "l", "g"};
    static const double values[PARAMS] = {2, 1, 9.81};
    const mech_callbacks pendulum = {
        .size = sizeof pendulum,
        .coords = 2,
        .holonomic = 1,
        .params = PARAMS,
        .coord_names = coords,
        .constraint_names = rows,
        .param_names = params,
        .param_values = values,
        .M = mass,
        .Q = force,
        .r = residual,
        .A = jacobian,
        .b = right_side,
        .r_dot = residual_rate,
    };
    mech_system *system = NULL;
    mech_eval *eval = NULL;
    mech_status status = mech_system_from_callbacks(&pendulum, NULL, &system);
    if (status == MECH_OK) status = mech_eval_create(system, MECH_STORAGE_DENSE, &eval);
    if (status == MECH_OK) status = evaluate(eval);
    if (status == MECH_OK) {
        printf("with m = 3:\n");
        status = mech_eval_set_param(eval, "m", 3);
    }
    if (status == MECH_OK) status = evaluate(eval);
    if (status != MECH_OK) fprintf(stderr, "%s\n", mech_status_text(status));
    mech_eval_free(eval);
    mech_system_free(system);
    return status != MECH_OK;
}
