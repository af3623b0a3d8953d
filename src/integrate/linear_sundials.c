/* A matrix type and a solver of our own behind SUNDIALS' interfaces. The matrix is a list of values and the
   gamma of the last I - gamma J made of it. */
#include "integrate/linear_sundials.h"
#include "integrate/clones_sundials.h"
#include "base/mem.h"

#include <string.h>

typedef struct linear_content {
    const sim_problem *problem;
    double gamma;
    double values[];
} linear_content;

static linear_content *content_of(SUNMatrix J) { return J->content; }
double *linear_values(SUNMatrix J) { return content_of(J)->values; }

static SUNMatrix_ID matrix_id(SUNMatrix J)
{
    (void)J;
    return SUNMATRIX_CUSTOM;
}

static void matrix_destroy(SUNMatrix J)
{
    mem_free(J->content);
    J->content = NULL;
    SUNMatFreeEmpty(J);
}

static int matrix_zero(SUNMatrix J)
{
    linear_content *c = content_of(J);
    memset(c->values, 0, c->problem->jacobian_values * sizeof *c->values);
    c->gamma = 0;
    return 0;
}

static int matrix_copy(SUNMatrix from, SUNMatrix to)
{
    const linear_content *a = content_of(from);
    linear_content *b = content_of(to);
    memcpy(b->values, a->values, a->problem->jacobian_values * sizeof *a->values);
    b->gamma = a->gamma;
    return 0;
}

/* J = c J + I */
static int matrix_scale_add_identity(realtype c, SUNMatrix J)
{
    content_of(J)->gamma = -c;
    return 0;
}

static SUNMatrix make(const sim_problem *problem, SUNContext context)
{
    SUNMatrix J = SUNMatNewEmpty(context);
    linear_content *c = mem_zeroed(1, sizeof *c + (problem->jacobian_values + 1) * sizeof(double));
    if (!J || !c) {
        if (J) SUNMatFreeEmpty(J);
        mem_free(c);
        return NULL;
    }
    c->problem = problem;
    J->content = c;
    J->ops->getid = matrix_id;
    J->ops->destroy = matrix_destroy;
    J->ops->zero = matrix_zero;
    J->ops->copy = matrix_copy;
    J->ops->scaleaddi = matrix_scale_add_identity;
    return J;
}

SUNMatrix linear_matrix(const sim_problem *problem, SUNContext context)
{
    return matrix_with_spare(make(problem, context), make(problem, context));
}

/* ---- the solver ---- */

static SUNLinearSolver_Type solver_type(SUNLinearSolver s)
{
    (void)s;
    return SUNLINEARSOLVER_DIRECT;
}

static int solver_setup(SUNLinearSolver s, SUNMatrix J)
{
    const sim_problem *p = s->content;
    return p->jacobian_factor(p->user, content_of(J)->gamma, linear_values(J));
}

static int solver_solve(SUNLinearSolver s, SUNMatrix J, N_Vector x, N_Vector b, realtype tolerance)
{
    const sim_problem *p = s->content;
    (void)tolerance;
    return p->jacobian_solve(p->user, content_of(J)->gamma, linear_values(J), N_VGetArrayPointer(b),
                             N_VGetArrayPointer(x));
}

static int solver_free(SUNLinearSolver s)
{
    SUNLinSolFreeEmpty(s);
    return SUNLS_SUCCESS;
}

SUNLinearSolver linear_solver(const sim_problem *problem, SUNContext context)
{
    SUNLinearSolver s = SUNLinSolNewEmpty(context);
    if (!s) return NULL;
    s->content = (void *)(uintptr_t)problem;
    s->ops->gettype = solver_type;
    s->ops->setup = solver_setup;
    s->ops->solve = solver_solve;
    s->ops->free = solver_free;
    return s;
}
