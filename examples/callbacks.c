/* Door 2: a system given by C functions. A pendulum in Cartesian coordinates, its rod written as a
   constraint: M = diag(m, m), Q = (0, -m g), phi = x^2 + y^2 - l^2. The same calls serve a system made from a
   model. */
#include <mech/instant.h>

#include <math.h>
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

/* The equation as numbers, its solution, and a check by hand: the rod pulls with m (v^2/l + g cos) towards
 * the pin. */
static mech_status solve(mech_instant *instant, double m)
{
    const double q[] = {0.6, -0.8}, v[] = {0.8, 0.6}, pull = m * (1 + 0.8 * 9.81);
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.q = q;
    at.v = v;
    const mech_status status = mech_instant_solve(instant, &at);
    if (status != MECH_OK) return status;
    const mech_instant_result *r = mech_instant_get(instant);
    printf("M = [%g %g; %g %g]\n", r->M[0], r->M[2], r->M[1], r->M[3]);
    printf("Q = [%g %g], A = [%g %g], b = [%g]\n", r->Q[0], r->Q[1], r->A[0], r->A[1], r->b[0]);
    printf("q'' = [%g %g]\n", r->qdd[0], r->qdd[1]);
    printf("force of %s = [%g %g], by hand [%g %g]\n", r->group[0].name, r->Qi[0], r->Qi[1], -0.6 * pull, 0.8 * pull);
    return fabs(r->Qi[0] + 0.6 * pull) < 1e-12 * pull && fabs(r->Qi[1] - 0.8 * pull) < 1e-12 * pull
               ? MECH_OK
               : MECH_ERR_NOT_FINITE;
}

int main(void)
{
    static const char *const coords[] = {"x", "y"}, *const rows[] = {"rod"}, *const params[] = {"m", "l", "g"};
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
    mech_instant *instant = NULL;
    mech_status status = mech_system_from_callbacks(&pendulum, NULL, &system);
    if (status == MECH_OK) status = mech_instant_create(system, 0, &instant); /* the last call that allocates */
    if (status == MECH_OK) status = solve(instant, 2);
    if (status == MECH_OK) {
        printf("with m = 3:\n");
        status = mech_eval_set_param(mech_instant_eval(instant), "m", 3);
    }
    if (status == MECH_OK) status = solve(instant, 3);
    if (status != MECH_OK) fprintf(stderr, "%s\n", mech_status_text(status));
    mech_instant_free(instant);
    mech_system_free(system);
    return status != MECH_OK;
}
