/* What a run asks of an integrator, whichever it is: begin, one accepted step, values inside the step. */
#ifndef INTEGRATE_STEPPER_H
#define INTEGRATE_STEPPER_H

#include <mech/base.h>

#include "base/visit.h"

typedef enum sim_method { SIM_RK8, SIM_RK5, SIM_BDF, SIM_ADAMS, SIM_IRK, SIM_MOREAU } sim_method;
enum { SIM_MOST_DEGREE = 12 };
typedef struct sim_method_facts {
    const char *name;
    size_t degree;    /* of its interpolant                            */
    int is_multistep; /* it begins at order one again at each restart  */
    int is_pair;      /* no error test of the last component           */
} sim_method_facts;
extern const sim_method_facts sim_methods[]; /* by sim_method */

/* 0: done; > 0: not here, a smaller step may help; < 0: give up. */
typedef int (*rk_rhs)(void *user, double t, const double *y, double *ydot);
/* Is the step from (t, from) to `to` plain, so that an error in it can only be rounding? */
typedef int (*rk_judge)(void *user, double t, const double *from, const double *to);

typedef struct sim_problem {
    size_t n, n_control; /* components; those that take part in the error test, 1 at least, come first */
    rk_rhs f;
    /* n x n by column, the partial derivatives of f by y; signs as rk_rhs; NULL: not available */
    int (*jacobian)(void *user, double t, const double *y, double *J);
    /* where J is not made: `jacobian` fills in this many values that stand for it, and (I - gamma J) x = r is factored
       and solved by these, which may return what rk_rhs does; 0, NULL: J is dense */
    size_t jacobian_values;
    int (*jacobian_factor)(void *user, double gamma, const double *values);
    int (*jacobian_solve)(void *user, double gamma, const double *values, const double *r, double *x);
    /* moves y onto the constraints; signs as rk_rhs; NULL: do not */
    int (*project)(void *user, double t, double *y);
    void *user;
    /* Our own pairs accept steps no longer than *floor when a shorter one has no smaller error and may_force (NULL:
       always) says 1: for places where rounding, not the step, makes it. Borrowed; looked at in each attempt, so f may
       change it. NULL: none. */
    const double *floor;
    rk_judge may_force;
} sim_problem;

typedef struct rk_counts {
    size_t steps, rejected, evaluations;
    size_t factorizations; /* of Newton's matrix; explicit pairs have none */
} rk_counts;

typedef enum sim_step_result {
    SIM_STEPPED,
    SIM_STEP_TOO_SMALL, /* the error test cannot be met with a step the clock can resolve */
    SIM_RHS_FAILED,     /* the right-hand side gave up                                     */
    SIM_NO_CONVERGENCE  /* the implicit equations were not solved */
} sim_step_result;

typedef struct sim_stepper sim_stepper;
typedef struct sim_stepper_ops {
    /* rtol > 0; max_step 0: none. atol: (n), copied; what is beyond n_control our own pairs leave out, the others where
       it is 0 */
    void (*set_tolerance)(sim_stepper *s, double rtol, const double *atol, double max_step);
    /* Begin (or begin again) at (t, y) towards t_end; step 0: choose the first one. The old step size is kept when
       step < 0. Returns what f returned. */
    int (*start)(sim_stepper *s, double t, const double *y, double t_end, double step);
    /* One accepted step towards t_limit and never past it. */
    sim_step_result (*step)(sim_stepper *s, double t_limit);
    /* The last step again with another end, t inside or near it; its error is told, not tested. */
    sim_step_result (*end_at)(sim_stepper *s, double t);
    /* The last step is not good enough for another reason than its error: again from its start, never past t_limit,
       before y is replaced. NULL: it cannot. */
    sim_step_result (*step_shorter)(sim_stepper *s, double t_limit);
    /* Replace y at the end of the step (a projection). slope: there, where it is known and can be taken; NULL: it is
       evaluated anew in the next step. */
    void (*replace)(sim_stepper *s, const double *y, const double *slope);
    /* Interpolant of the last step, valid on [t_old, t]. Returns what f returned for the stages that only the
       interpolant needs (evaluated once, at the first call after a step). */
    int (*dense)(sim_stepper *s, double t, double *y);
    void (*visit)(sim_stepper *s, state_walk *w); /* all it remembers; NULL: it begins anew instead */
    void (*forget)(sim_stepper *s);               /* as it was made; NULL: another one must be made */
    void (*free)(sim_stepper *s);
} sim_stepper_ops;

struct sim_stepper {
    const sim_stepper_ops *ops;
    sim_problem problem;
    int projects_itself;     /* the method moves its own steps onto the constraints                */
    int lacks_memory;        /* what failed, failed for want of memory                             */
    int restarts_on_replace; /* replacing y costs the method its history: only when it must be    */
    double t, t_old, h_next;
    double free_error; /* of the last component, which stands outside the error test, in its own units */
    double error;      /* of the last step beside its tolerance, as it was estimated; 1 where it is not told */
    rk_counts counts;
    size_t worst;        /* component whose error was largest; SIZE_MAX where it is not told */
    int is_stiff;        /* since the last start; 0 where it is not told */
    const double *y;     /* at t, borrowed; the step's end or what replaced it                 */
    const double *y_old; /* at t_old; NULL when the method does not keep it                    */
};

/* SIM_MOREAU is made by the run itself. SIM_BDF and SIM_IRK need problem->jacobian.
   MECH_ERR_UNSUPPORTED where the build has no SUNDIALS. */
MECH_MUST_CHECK mech_status sim_stepper_create(sim_method method, const sim_problem *problem, sim_stepper **out);
MECH_MUST_CHECK mech_status sim_stepper_create_rk(sim_method method, const sim_problem *problem, sim_stepper **out);
MECH_MUST_CHECK mech_status sim_stepper_create_sundials(sim_method method, const sim_problem *problem,
                                                        sim_stepper **out);
void sim_stepper_free(sim_stepper *s);

#endif
