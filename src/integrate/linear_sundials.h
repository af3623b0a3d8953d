/* I - gamma J for SUNDIALS without J as a matrix: the problem keeps what it needs of J as a list of values,
   factors for a gamma and solves. */
#ifndef INTEGRATE_LINEAR_SUNDIALS_H
#define INTEGRATE_LINEAR_SUNDIALS_H

#include "integrate/stepper.h"

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

/* NULL when out of memory. The problem is borrowed. */
SUNMatrix linear_matrix(const sim_problem *problem, SUNContext context);
double *linear_values(SUNMatrix J);
SUNLinearSolver linear_solver(const sim_problem *problem, SUNContext context);

#endif
