/* The acceleration at once: (t, q, v) -> q'', lambda by a plan of elimination made once for the pattern of M and A, as
   generated code where that pays.

       mech_motion_code_create(system, NULL, &code);
       mech_eval_use_motion(eval, code);
       mech_eval_motion(eval, t, q, v, &motion);

   Every pivot is guarded: where the rank is in doubt, that state goes to the robust solve of <mech/fundamental.h>, and
   mech_eval_counts says how often. It is the equation A q'' = b as it stands, also beside the constraints: gains of
   excess variables (`stabilize excess`) take no part. Many states at once: <mech/lanes.h>. */
#ifndef MECH_MOTION_H
#define MECH_MOTION_H

#include <mech/system.h>

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mech_native {
    MECH_NATIVE_AUTO, /* by an estimate of what it costs and saves, before the first call */
    MECH_NATIVE_ON,   /* compile; without a compiler the interpreter does the work: see mech_motion_info.why */
    MECH_NATIVE_OFF
} mech_native;

typedef struct mech_motion_settings {
    size_t size; /* set by mech_motion_settings_default                                        */
    mech_native native;
    double calls;         /* how many are expected: what AUTO weighs; default 1e5                       */
    size_t most;          /* statements of code at most; default 60000                                  */
    const char *compiler; /* a program; NULL: $MECH_CC, or cc                                           */
    const char *cache;    /* folder of compiled code; NULL: in the XDG cache folder; "": none           */
    double timeout;       /* seconds the compiler may take; default 60                                  */
    int with_power;       /* 1: the code gives power too; else asking for it takes the interpreter      */
    double t;             /* a point on the constraints: rows that depend on others there are taken out */
    const double *q, *v;  /* of the elimination and watched; q NULL: none are                           */
    int with_check;       /* 1: short code gives mech_motion_check too                                  */
    size_t straight;      /* statements above which loops over alike parts are tried; default 2200; 1: always */
    const volatile sig_atomic_t *interrupt; /* NULL, or what ends the compiler when it is not 0           */
    const double *z; /* the states of that point; NULL: 0                                         */
} mech_motion_settings;
MECH_API void mech_motion_settings_default(mech_motion_settings *settings, size_t size);

typedef struct mech_motion_code mech_motion_code;

/* New code in *code: the plan, and C compiled and loaded where it was asked for. settings may be NULL. The system is
   borrowed and must outlive it. Constant, as the system is: threads may share it, and many may make code of one system
   at once. MECH_ERR_UNSUPPORTED when negative masses are allowed, or there are control rows, friction, laws that look
   at the reactions or are given by z (mech_motion_obstacle says which), MECH_ERR_LIMIT when elimination fills in too
   much: the motion then comes from mech_eval_velocity and mech_fundamental_solve as ever. */
MECH_API MECH_MUST_CHECK mech_status mech_motion_code_create(const mech_system *system,
                                                             const mech_motion_settings *settings,
                                                             mech_motion_code **code);
MECH_API void mech_motion_code_free(mech_motion_code *code);
/* Why there is no code for a system, in words: "there is friction"; NULL: there is. Static. */
MECH_API const char *mech_motion_obstacle(const mech_system *system);
#define MECH_MOTION_INFO_FIELDS(X)                                                                                     \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(int, is_native, "1: it is compiled")                                                                             \
    X(int, was_cached, "1: the code was there from before")                                                            \
    X(size_t, operations, "of the plan")                                                                               \
    X(size_t, pivots, "of one or two rows or coordinates")                                                             \
    X(size_t, statements, "of the code; 0: none was made")                                                             \
    X(size_t, angles, "whose sine and cosine it takes")                                                                \
    X(size_t, row_steps, "rows subtracted from others to make them shorter")                                           \
    X(size_t, monitored, "rows taken out and watched")                                                                 \
    X(const char *, why, "there is no native code; NULL when there is. Static")                                        \
    X(int, is_null_space, "rows are solved for all but a few coordinates: see mech_counts.fallbacks")                  \
    X(size_t, loops, "functions of code with loops; 0: straight lines")                                                \
    X(size_t, twins, "of the statements give two values at once, of parts that are alike")
typedef struct mech_motion_info {
    MECH_MOTION_INFO_FIELDS(MECH_FIELD)
} mech_motion_info;
MECH_API mech_motion_info mech_motion_code_info(const mech_motion_code *code);
/* mech_eval_motion by this code from now on. The code is borrowed and must outlive the evaluation, or the next one that
   is used. MECH_ERR_ARGUMENT: of another system. */
MECH_API MECH_MUST_CHECK mech_status mech_eval_use_motion(mech_eval *eval, const mech_motion_code *code);

enum {
    MECH_MOTION_ROBUST = 1,    /* the rank was in doubt: the robust solve gave the result                     */
    MECH_MOTION_DEPENDENT = 2, /* rows depend on one another: lambda is one choice, not the one of least norm */
    MECH_MOTION_DOUBT = 4,     /* in doubt, and the robust solve was not wanted or the system is too large    */
    MECH_MOTION_CHECKED = 8    /* check is filled in                                                          */
};
/* Beside the acceleration, at little cost: residuals, energy, and the least changes in the mass metric that
   remove the residuals to first order. The arrays belong to the evaluation. */
typedef struct mech_motion_check {
    size_t size;             /* of this struct, as the library has it                            */
    const double *r, *r_dot; /* (m)                                                              */
    const double *dq;        /* (n) A dq = -r; NULL unless all rows are holonomic and A is d r/dq */
    const double *dv;        /* (n) A dv = -r'; NULL when a row has none                         */
    double h, kinetic;
    double margin; /* the least pivot or determinant of the rows, as a part of its rows    */
} mech_motion_check;

typedef struct mech_motion {
    size_t size;              /* sizeof(mech_motion)                                              */
    double *qdd;              /* (n)                                                              */
    double *lambda;           /* (m) or NULL                                                      */
    double *rate;             /* (states) or NULL                                                 */
    int wants_power;          /* 1: fill in power                                             */
    int leaves_doubt;         /* 1: no robust solve; q'' is not to be used when flags say doubt */
    double power;             /* filled in: dh/dt with the constraints' share, see energy     */
    unsigned flags;           /* filled in                                                    */
    mech_motion_check *check; /* NULL, or to be filled in where the code has it: see flags; needs lambda */
} mech_motion;
/* At the parameters, states, inputs and rows in force of the evaluation; takes the place of position and
   velocity but leaves their results undefined. Allocates nothing. MECH_ERR_ARGUMENT: the evaluation uses no code. */
MECH_API MECH_MUST_CHECK mech_status mech_eval_motion(mech_eval *eval, double t, const double *q, const double *v,
                                                      mech_motion *motion);

#ifdef __cplusplus
}
#endif
#endif
