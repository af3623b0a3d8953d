/* CVODE (BDF, Adams) and ARKODE (implicit Runge-Kutta) behind the stepper interface. Only this file knows
   SUNDIALS; its messages are silenced, its return values say enough. */
#include "integrate/clones_sundials.h"
#include "integrate/linear_sundials.h"
#include "integrate/stepper.h"
#include "base/mem.h"

#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* What both are asked for, by their names for it. */
typedef struct library {
    int (*set_handler)(void *m, void (*handler)(int, const char *, const char *, char *, void *), void *user);
    int (*set_user)(void *m, void *user);
    int (*set_most_steps)(void *m, long int count);
    int (*set_linear)(void *m, SUNLinearSolver solver, SUNMatrix J);
    int (*set_jacobian)(void *m, CVLsJacFn jacobian);
    int (*set_tolerances)(void *m, realtype rtol, N_Vector atol);
    int (*set_first_step)(void *m, realtype h);
    int (*set_least_step)(void *m, realtype h);
    int (*set_longest_step)(void *m, realtype h);
    int (*set_stop)(void *m, realtype t);
    int (*step)(void *m, realtype t_limit, N_Vector y, realtype *t, int how);
    int (*get_next_step)(void *m, realtype *h);
    int (*get_setups)(void *m, long int *count);
    int (*get_dense)(void *m, realtype t, int derivative, N_Vector y);
    void (*free)(void **m);
} library;

#define LIBRARY(name, evolve)                                                                                          \
    {                                                                                                                  \
        .set_handler = name##SetErrHandlerFn, .set_user = name##SetUserData, .set_most_steps = name##SetMaxNumSteps,   \
        .set_linear = name##SetLinearSolver, .set_jacobian = name##SetJacFn, .set_tolerances = name##SVtolerances,     \
        .set_first_step = name##SetInitStep, .set_least_step = name##SetMinStep, .set_longest_step = name##SetMaxStep, \
        .set_stop = name##SetStopTime, .step = evolve, .get_next_step = name##GetCurrentStep,                          \
        .get_setups = name##GetNumLinSolvSetups, .get_dense = name##GetDky, .free = name##Free,                        \
    }
static const library cvode = LIBRARY(CVode, CVode), arkode = LIBRARY(ARKStep, ARKStepEvolve);
_Static_assert(CV_ONE_STEP == ARK_ONE_STEP && CV_TSTOP_RETURN == ARK_TSTOP_RETURN && CV_MEM_FAIL == ARK_MEM_FAIL,
               "one code for both");

typedef struct sundials_stepper {
    sim_stepper base;
    sim_method method;
    const library *library;
    SUNContext context;
    void *memory;           /* CVODE's or ARKODE's */
    vector_stock *vectors;  /* these, and SUNDIALS' own */
    N_Vector y, work, atol; /* y: at base.t        */
    N_Vector old, reached;  /* both ends of the last step */
    SUNMatrix J;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    double rtol, max_step;
    int has_begun, must_restart;
    int value; /* of our function that failed last, which SUNDIALS tells by solver; 0: the last one did not fail */
} sundials_stepper;

static double *data(N_Vector v) { return N_VGetArrayPointer(v); }

/* A failure that no other step would mend stays: SUNDIALS may go on trying, we do not. */
static int rhs(realtype t, N_Vector y, N_Vector ydot, void *user)
{
    sundials_stepper *s = user;
    if (s->value < 0) return s->value;
    s->base.counts.evaluations++;
    return s->value = s->base.problem.f(s->base.problem.user, t, data(y), data(ydot));
}

static int jacobian(realtype t, N_Vector y, N_Vector fy, SUNMatrix J, void *user, N_Vector a, N_Vector b, N_Vector c)
{
    sundials_stepper *s = user;
    (void)fy, (void)a, (void)b, (void)c;
    const sim_problem *p = &s->base.problem;
    if (s->value < 0) return s->value;
    return s->value = p->jacobian(p->user, t, data(y), p->jacobian_values ? linear_values(J) : SM_DATA_D(J));
}

static int project(realtype t, N_Vector y, N_Vector correction, realtype eps, N_Vector error, void *user)
{
    sundials_stepper *s = user;
    (void)eps, (void)error;
    const size_t n = s->base.problem.n;
    double *moved = data(correction);
    memcpy(moved, data(y), n * sizeof *moved);
    if (s->value >= 0) s->value = s->base.problem.project(s->base.problem.user, t, moved);
    for (size_t i = 0; i < n; i++) moved[i] -= data(y)[i];
    return s->value;
}

static void silent(int code, const char *module, const char *function, char *message, void *user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static int is_cvode(const sundials_stepper *s) { return s->method != SIM_IRK; }

static void set_tolerance(sim_stepper *base, double rtol, const double *atol, double max_step)
{
    sundials_stepper *s = (sundials_stepper *)base;
    s->rtol = rtol;
    s->max_step = max_step;
    for (size_t i = 0; i < base->problem.n; i++)
        data(s->atol)[i] = i < base->problem.n_control || atol[i] > 0 ? atol[i] : 1e100; /* out of the error test */
}

/* SUNDIALS makes a few small things without looking whether there was memory: its logger, the tables of a Runge-Kutta
   method. A block larger than all of them, taken and given back: they find room where it was. */
static int has_room(void)
{
    enum { ROOM = 64 * 1024 };
    void *room = mem_alloc(ROOM);
    mem_free(room);
    return room != NULL;
}

/* Of the pairs of order 5 this one's estimate is not smaller than the error on oscillations without damping (the
   default's is ten times too small). ARKODE believes a rate of convergence it saw many steps ago, with another step and
   Jacobian: after a linear stretch it takes the first iterate unseen. A rate that never falls makes it wait until the
   last correction is itself small. */
static int choose_pair(void *m)
{
    return ARKStepSetTableNum(m, ARKODE_ESDIRK547L2SA2_7_4_5, ARKODE_ERK_NONE) || ARKStepSetNonlinCRDown(m, 1);
}

/* Stops at the first failure: what comes after it relies on it. 0: all is well. */
static int set_up(sundials_stepper *s, double t)
{
    const library *l = s->library;
    void *m = s->memory;
    if (l->set_handler(m, silent, NULL) || (is_cvode(s) ? CVodeInit(m, rhs, t, s->y) : choose_pair(m))) return -1;
    if (l->set_user(m, s) || l->set_most_steps(m, -1)) return -1;
    if (s->method == SIM_ADAMS) return CVodeSetNonlinearSolver(m, s->nonlinear);
    if (l->set_linear(m, s->linear, s->J) || l->set_jacobian(m, jacobian)) return -1;
    return s->base.projects_itself && (CVodeSetProjFn(m, project) || CVodeSetProjErrEst(m, 0));
}

static int create_memory(sundials_stepper *s, double t)
{
    const int lmm = s->method == SIM_BDF ? CV_BDF : CV_ADAMS;
    if (has_room())
        s->memory = is_cvode(s) ? CVodeCreate(lmm, s->context) : ARKStepCreate(NULL, rhs, t, s->y, s->context);
    if (s->memory && set_up(s, t) == 0) return 0;
    if (s->memory) s->library->free(&s->memory);
    s->base.lacks_memory = 1; /* nothing else is wrong with what it was given */
    return -1;
}

static int set_limits(sundials_stepper *s, double step)
{
    const library *l = s->library;
    return l->set_tolerances(s->memory, s->rtol, s->atol) || l->set_longest_step(s->memory, s->max_step) ||
           l->set_first_step(s->memory, step > 0 ? step : 0);
}

/* A failure for want of memory, in what SUNDIALS returned or in a clone it took for made. */
static int lacks_memory(sundials_stepper *s, int code)
{
    s->base.lacks_memory |= code == CV_MEM_FAIL || vector_stock_lacks_memory(s->vectors);
    return s->base.lacks_memory;
}

static int start(sim_stepper *base, double t, const double *y, double t_end, double step)
{
    sundials_stepper *s = (sundials_stepper *)base;
    (void)t_end;
    memcpy(data(s->y), y, base->problem.n * sizeof *y);
    base->t = base->t_old = t;
    base->y = data(s->y);
    base->y_old = NULL;
    int value = base->problem.f(base->problem.user, t, y, data(s->work)); /* the first slope must exist */
    s->base.counts.evaluations++;
    if (value != 0) return value;
    if (!s->memory) value = create_memory(s, t);
    else value = is_cvode(s) ? CVodeReInit(s->memory, t, s->y) : ARKStepReInit(s->memory, NULL, rhs, t, s->y);
    if (value == 0) value = set_limits(s, step < 0 ? base->h_next : step);
    if (lacks_memory(s, value) || value != 0) return -1;
    s->has_begun = s->must_restart = 0;
    base->counts.factorizations = 0; /* SUNDIALS counts from here on */
    return 0;
}

static sim_step_result failure(int code)
{
    switch (code) {
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR: return SIM_RHS_FAILED;
    case CV_CONV_FAILURE:
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL: return SIM_NO_CONVERGENCE;
    default: return SIM_STEP_TOO_SMALL;
    }
}

/* So close to the end of an advance that SUNDIALS does not begin: along the slope, whose error is that of the clock. */
static sim_step_result step_a_tick(sundials_stepper *s, double t_limit)
{
    sim_stepper *base = &s->base;
    const double h = t_limit - base->t;
    s->base.counts.evaluations++;
    if (base->problem.f(base->problem.user, base->t, data(s->y), data(s->work)) != 0) return SIM_RHS_FAILED;
    for (size_t i = 0; i < base->problem.n; i++) data(s->y)[i] += h * data(s->work)[i];
    base->t_old = base->t;
    base->t = t_limit;
    s->must_restart = 1;
    s->base.counts.steps++;
    return SIM_STEPPED;
}

static sim_step_result step(sim_stepper *base, double t_limit)
{
    sundials_stepper *s = (sundials_stepper *)base;
    if (s->must_restart && start(base, base->t, base->y, t_limit, -1) != 0) return SIM_RHS_FAILED;
    if (!s->has_begun && t_limit - base->t < 8 * DBL_EPSILON * fmax(fabs(base->t), fabs(t_limit)))
        return step_a_tick(s, t_limit);
    if (!s->has_begun && !has_room()) { /* the first step makes the tables */
        base->lacks_memory = 1;
        return SIM_NO_CONVERGENCE;
    }
    const library *l = s->library;
    realtype t = base->t, next;
    long int setups;
    s->value = 0;
    memcpy(data(s->old), data(s->y), base->problem.n * sizeof(double));
    l->set_stop(s->memory, t_limit);
    l->set_least_step(s->memory, 16 * DBL_EPSILON * fabs(base->t)); /* shorter ones would not move the clock */
    const int code = l->step(s->memory, t_limit, s->y, &t, CV_ONE_STEP);
    if (code >= 0 && l->get_next_step(s->memory, &next) == 0) base->h_next = fabs(next);
    if (s->linear && l->get_setups(s->memory, &setups) == 0) base->counts.factorizations = (size_t)setups;
    if (lacks_memory(s, code)) return SIM_NO_CONVERGENCE;
    if (s->value < 0 || (code < 0 && s->value > 0)) return SIM_RHS_FAILED;
    if (code < 0) return failure(code);
    memcpy(data(s->reached), data(s->y), base->problem.n * sizeof(double));
    base->t_old = base->t;
    base->t = code == CV_TSTOP_RETURN ? t_limit : t;
    s->has_begun = 1;
    s->base.counts.steps++;
    return SIM_STEPPED;
}

/* ARKODE weighs both ends, and the weights make 1 to rounding only: what stands, as a counter, stands there too. */
static void keep_standing(const sundials_stepper *s, double *y)
{
    const double *from = data(s->old), *to = data(s->reached);
    for (size_t i = 0; i < s->base.problem.n; i++)
        if (from[i] == to[i] && fabs(y[i] - from[i]) <= 8 * DBL_EPSILON * fabs(from[i])) y[i] = from[i];
}

static int dense(sim_stepper *base, double t, double *y)
{
    sundials_stepper *s = (sundials_stepper *)base;
    const int value = s->has_begun ? s->library->get_dense(s->memory, t, 0, s->work) : 0;
    memcpy(y, data(s->has_begun ? s->work : s->y), base->problem.n * sizeof *y);
    if (s->has_begun && !is_cvode(s)) keep_standing(s, y);
    return value == 0 ? 0 : -1;
}

/* The interpolant is as good as the step: end on it, and begin anew from there. */
static sim_step_result end_at(sim_stepper *base, double t)
{
    sundials_stepper *s = (sundials_stepper *)base;
    if (dense(base, t, data(s->y)) != 0) return SIM_STEP_TOO_SMALL;
    base->t = t;
    s->must_restart = 1;
    return SIM_STEPPED;
}

static void replace(sim_stepper *base, const double *y, const double *slope)
{
    sundials_stepper *s = (sundials_stepper *)base;
    (void)slope;
    if (memcmp(data(s->y), y, base->problem.n * sizeof *y) == 0) return;
    memcpy(data(s->y), y, base->problem.n * sizeof *y);
    if (s->method != SIM_IRK || s->must_restart || ARKStepReset(s->memory, base->t, s->y) != 0) s->must_restart = 1;
}

static void free_stepper(sim_stepper *base)
{
    sundials_stepper *s = (sundials_stepper *)base;
    if (s->memory) s->library->free(&s->memory);
    if (s->nonlinear) SUNNonlinSolFree(s->nonlinear);
    if (s->linear) SUNLinSolFree(s->linear);
    if (s->J) SUNMatDestroy(s->J);
    vector_stock_free(s->vectors);
    if (s->context) SUNContext_Free(&s->context);
    mem_free(s);
}

static const sim_stepper_ops sundials_ops = {
    .set_tolerance = set_tolerance,
    .start = start,
    .step = step,
    .end_at = end_at,
    .replace = replace,
    .dense = dense,
    .free = free_stepper,
};

static int allocate(sundials_stepper *s)
{
    const sunindextype n = (sunindextype)s->base.problem.n;
    if (!has_room() || SUNContext_Create(NULL, &s->context) != 0) return 0;
    s->vectors = vector_stock_create(n, s->context);
    if (!s->vectors) return 0;
    s->y = vector_stock_new(s->vectors);
    s->work = vector_stock_new(s->vectors);
    s->atol = vector_stock_new(s->vectors);
    s->old = vector_stock_new(s->vectors);
    s->reached = vector_stock_new(s->vectors);
    if (s->method == SIM_ADAMS) {
        s->nonlinear = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
    } else if (s->base.problem.jacobian_values) {
        s->J = linear_matrix(&s->base.problem, s->context);
        s->linear = linear_solver(&s->base.problem, s->context);
    } else {
        s->J = matrix_with_spare(SUNDenseMatrix(n, n, s->context), SUNDenseMatrix(n, n, s->context));
        if (s->J) s->linear = SUNLinSol_Dense(s->y, s->J, s->context);
    }
    return (s->nonlinear || (s->J && s->linear)) && !vector_stock_lacks_memory(s->vectors);
}

mech_status sim_stepper_create_sundials(sim_method method, const sim_problem *problem, sim_stepper **out)
{
    *out = NULL;
    if (method != SIM_ADAMS && !problem->jacobian) return MECH_ERR_UNSUPPORTED;
    sundials_stepper *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    s->base.ops = &sundials_ops;
    s->base.problem = *problem;
    s->base.error = 1;
    s->base.worst = SIZE_MAX;
    s->base.projects_itself = method == SIM_BDF && problem->project;
    s->base.restarts_on_replace = method == SIM_ADAMS;
    s->method = method;
    s->library = is_cvode(s) ? &cvode : &arkode;
    if (!allocate(s)) {
        free_stepper(&s->base);
        return MECH_ERR_MEMORY;
    }
    *out = &s->base;
    return MECH_OK;
}
