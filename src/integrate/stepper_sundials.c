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

typedef struct sundials_stepper {
    sim_stepper base;
    sim_method method;
    SUNContext context;
    void *memory;           /* CVODE's or ARKODE's */
    vector_stock *vectors;  /* these, and SUNDIALS' own */
    N_Vector y, work, atol; /* y: at base.t        */
    SUNMatrix J;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    double rtol, max_step;
    int has_begun, must_restart;
    int value; /* of our function that failed last, which SUNDIALS tells by solver; 0: the last one did not fail */
    rk_counts counts;
} sundials_stepper;

static double *data(N_Vector v) { return N_VGetArrayPointer(v); }

/* A failure that no other step would mend stays: SUNDIALS may go on trying, we do not. */
static int rhs(realtype t, N_Vector y, N_Vector ydot, void *user)
{
    sundials_stepper *s = user;
    if (s->value < 0) return s->value;
    s->counts.evaluations++;
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

/* Each of these stops at the first failure: what comes after it relies on it. */
static int set_up_cvode(sundials_stepper *s, double t)
{
    void *m = s->memory;
    if (CVodeSetErrHandlerFn(m, silent, NULL) || CVodeInit(m, rhs, t, s->y) || CVodeSetUserData(m, s) ||
        CVodeSetMaxNumSteps(m, -1))
        return -1;
    if (s->method == SIM_ADAMS) return CVodeSetNonlinearSolver(m, s->nonlinear) ? -1 : 0;
    if (CVodeSetLinearSolver(m, s->linear, s->J) || CVodeSetJacFn(m, jacobian)) return -1;
    if (!s->base.problem.project) return 0;
    return CVodeSetProjFn(m, project) || CVodeSetProjErrEst(m, 0) ? -1 : 0;
}

static int set_up_arkode(sundials_stepper *s)
{
    void *m = s->memory;
    /* Of the pairs of order 5 this one's estimate is not smaller than the error on oscillations without damping (the
       default's is ten times too small). ARKODE believes a rate of convergence it saw many steps ago, with another step
       and Jacobian: after a linear stretch it takes the first iterate unseen. A rate that never falls makes it wait
       until the last correction is itself small. */
    return ARKStepSetErrHandlerFn(m, silent, NULL) || ARKStepSetUserData(m, s) ||
                   ARKStepSetTableNum(m, ARKODE_ESDIRK547L2SA2_7_4_5, ARKODE_ERK_NONE) ||
                   ARKStepSetNonlinCRDown(m, 1) || ARKStepSetMaxNumSteps(m, -1) ||
                   ARKStepSetLinearSolver(m, s->linear, s->J) || ARKStepSetJacFn(m, jacobian)
               ? -1
               : 0;
}

static void free_memory(sundials_stepper *s)
{
    if (s->memory && is_cvode(s)) CVodeFree(&s->memory);
    if (s->memory && !is_cvode(s)) ARKStepFree(&s->memory);
}

static int create_memory(sundials_stepper *s, double t)
{
    const int lmm = s->method == SIM_BDF ? CV_BDF : CV_ADAMS;
    if (has_room())
        s->memory = is_cvode(s) ? CVodeCreate(lmm, s->context) : ARKStepCreate(NULL, rhs, t, s->y, s->context);
    if (s->memory && (is_cvode(s) ? set_up_cvode(s, t) : set_up_arkode(s)) == 0) return 0;
    free_memory(s);
    s->base.lacks_memory = 1; /* nothing else is wrong with what it was given */
    return -1;
}

static int set_limits(sundials_stepper *s, double step)
{
    void *m = s->memory;
    const double first = step > 0 ? step : 0;
    const int bad = is_cvode(s) ? CVodeSVtolerances(m, s->rtol, s->atol) || CVodeSetMaxStep(m, s->max_step) ||
                                      CVodeSetInitStep(m, first)
                                : ARKStepSVtolerances(m, s->rtol, s->atol) || ARKStepSetMaxStep(m, s->max_step) ||
                                      ARKStepSetInitStep(m, first);
    return bad ? -1 : 0;
}

/* A failure for want of memory, in what SUNDIALS returned or in a clone it took for made. */
static int lacks_memory(sundials_stepper *s, int code)
{
    _Static_assert(CV_MEM_FAIL == ARK_MEM_FAIL, "one code for both");
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
    s->counts.evaluations++;
    if (value != 0) return value;
    if (!s->memory) value = create_memory(s, t);
    else value = is_cvode(s) ? CVodeReInit(s->memory, t, s->y) : ARKStepReInit(s->memory, NULL, rhs, t, s->y);
    if (value == 0) value = set_limits(s, step < 0 ? base->h_next : step);
    if (lacks_memory(s, value) || value != 0) return -1;
    s->has_begun = 0;
    s->must_restart = 0;
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
    s->counts.evaluations++;
    if (base->problem.f(base->problem.user, base->t, data(s->y), data(s->work)) != 0) return SIM_RHS_FAILED;
    for (size_t i = 0; i < base->problem.n; i++) data(s->y)[i] += h * data(s->work)[i];
    base->t_old = base->t;
    base->t = t_limit;
    s->must_restart = 1;
    s->counts.steps++;
    return SIM_STEPPED;
}

static sim_step_result step(sim_stepper *base, double t_limit)
{
    sundials_stepper *s = (sundials_stepper *)base;
    const double tick = DBL_EPSILON * fabs(base->t);
    if (s->must_restart && start(base, base->t, base->y, t_limit, -1) != 0) return SIM_RHS_FAILED;
    if (!s->has_begun && t_limit - base->t < 8 * DBL_EPSILON * fmax(fabs(base->t), fabs(t_limit)))
        return step_a_tick(s, t_limit);
    if (!s->has_begun && !has_room()) { /* the first step makes the tables */
        base->lacks_memory = 1;
        return SIM_NO_CONVERGENCE;
    }
    realtype t = base->t, next;
    int code;
    s->value = 0;
    if (is_cvode(s)) {
        CVodeSetStopTime(s->memory, t_limit);
        CVodeSetMinStep(s->memory, 16 * tick); /* shorter ones would not move the clock */
        code = CVode(s->memory, t_limit, s->y, &t, CV_ONE_STEP);
    } else {
        ARKStepSetStopTime(s->memory, t_limit);
        ARKStepSetMinStep(s->memory, 16 * tick);
        code = ARKStepEvolve(s->memory, t_limit, s->y, &t, ARK_ONE_STEP);
    }
    if (code >= 0 && (is_cvode(s) ? CVodeGetCurrentStep : ARKStepGetCurrentStep)(s->memory, &next) == 0)
        base->h_next = fabs(next);
    if (lacks_memory(s, code)) return SIM_NO_CONVERGENCE;
    if (s->value < 0 || (code < 0 && s->value > 0)) return SIM_RHS_FAILED;
    if (code < 0) return failure(code);
    base->t_old = base->t;
    base->t = code == CV_TSTOP_RETURN ? t_limit : t;
    s->has_begun = 1;
    s->counts.steps++;
    return SIM_STEPPED;
}

static int dense(sim_stepper *base, double t, double *y)
{
    sundials_stepper *s = (sundials_stepper *)base;
    const int value = !s->has_begun ? 0
                      : is_cvode(s) ? CVodeGetDky(s->memory, t, 0, s->work)
                                    : ARKStepGetDky(s->memory, t, 0, s->work);
    memcpy(y, data(s->has_begun ? s->work : s->y), base->problem.n * sizeof *y);
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

static void replace(sim_stepper *base, const double *y)
{
    sundials_stepper *s = (sundials_stepper *)base;
    if (memcmp(data(s->y), y, base->problem.n * sizeof *y) == 0) return;
    memcpy(data(s->y), y, base->problem.n * sizeof *y);
    if (s->method != SIM_IRK || s->must_restart || ARKStepReset(s->memory, base->t, s->y) != 0) s->must_restart = 1;
}

static rk_counts counts(const sim_stepper *base)
{
    const sundials_stepper *s = (const sundials_stepper *)base;
    rk_counts all = s->counts;
    long int setups = 0;
    if (s->memory && s->linear &&
        (is_cvode(s) ? CVodeGetNumLinSolvSetups : ARKStepGetNumLinSolvSetups)(s->memory, &setups) == 0)
        all.factorizations = (size_t)setups;
    return all;
}

static void free_stepper(sim_stepper *base)
{
    sundials_stepper *s = (sundials_stepper *)base;
    free_memory(s);
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
    .counts = counts,
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
    if (!s->y || !s->work || !s->atol) return 0;
    if (s->method == SIM_ADAMS) {
        s->nonlinear = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
        return s->nonlinear && !vector_stock_lacks_memory(s->vectors);
    }
    const int is_dense = s->base.problem.jacobian_values == 0;
    s->J = is_dense ? matrix_with_spare(SUNDenseMatrix(n, n, s->context), SUNDenseMatrix(n, n, s->context))
                    : linear_matrix(&s->base.problem, s->context);
    if (!s->J) return 0;
    s->linear = is_dense ? SUNLinSol_Dense(s->y, s->J, s->context) : linear_solver(&s->base.problem, s->context);
    return s->linear != NULL;
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
    s->base.projects_itself = method == SIM_BDF && problem->project;
    s->base.restarts_on_replace = method == SIM_ADAMS;
    s->method = method;
    if (!allocate(s)) {
        free_stepper(&s->base);
        return MECH_ERR_MEMORY;
    }
    *out = &s->base;
    return MECH_OK;
}
