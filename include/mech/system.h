/* A mechanical system as numbers: the one interface that simulation and analysis see. A compiled model and a
 * set of C callbacks stand behind it alike.
 *
 * A mech_system is constant: threads may share it. A mech_eval is one place of evaluation (one per run or
 * thread): set a state, read the equation.
 *
 *     mech_eval_state(eval, t, q, v, z);          M, A, r, Q, b, r', ...
 *     mech_eval_reaction(eval, lambda, reaction); C
 *     mech_eval_acceleration(eval, a);            events
 *     mech_eval_output(eval);                     outputs, energies
 *
 * A later call needs the earlier ones; a call may be repeated without them. None of these allocates. They
 * return MECH_ERR_NOT_FINITE when a value is not finite (all values are there all the same, and
 * mech_eval_explain names the first one). Matrices are column-major.
 *
 * This page has three parts: 1. what everyone needs, 2. what embedders need, 3. what tool builders need. */
#ifndef MECH_SYSTEM_H
#define MECH_SYSTEM_H

#include <mech/base.h>
#include <mech/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_system mech_system;
typedef struct mech_eval mech_eval;

/* ==========================================================================================================
   1. What everyone needs: make a system, look up names, set a state, read the equation.
   ======================================================================================================== */

/* ---- creation ---- */

/* New system in *system. The model must be finished; it is borrowed and must outlive the system. It stays as it is:
   many threads may make systems of one model at once. What is wrong with input tables goes to diagnostics, which may be
   NULL. */
MECH_API MECH_MUST_CHECK mech_status mech_system_from_model(const mech_model *model, mech_diagnostics *diagnostics,
                                                            mech_system **system);
MECH_API void mech_system_free(mech_system *system);

/* ---- what it is ---- */

#define MECH_SIZES_FIELDS(X)                                                                                           \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(size_t, coords, "n")                                                                                             \
    X(size_t, rows, "m: natural rows, then control rows")                                                              \
    X(size_t, natural_rows, "rows that are not control")                                                               \
    X(size_t, constraints, "a constraint owns one row or several")                                                     \
    X(size_t, params, "parameters")                                                                                    \
    X(size_t, states, "first-order states")                                                                            \
    X(size_t, inputs, "signals that drive the system")                                                                 \
    X(size_t, outputs, "declared outputs")                                                                             \
    X(size_t, events, "declared events, then those of one-sided constraints")                                          \
    X(size_t, actions, "of all events together")                                                                       \
    X(size_t, laws, "columns of C")                                                                                    \
    X(size_t, frictions, "statements of friction")                                                                     \
    X(size_t, friction_rows, "their velocities together")                                                              \
    X(size_t, actuators, "columns of G")                                                                               \
    X(size_t, targets, "statements of initial and guess")                                                              \
    X(size_t, steadies, "statements of steady")                                                                        \
    X(size_t, measures, "what is kept of a run")                                                                       \
    X(size_t, contacts, "one-sided constraints: so many events, the last ones, are their own")
typedef struct mech_sizes {
    MECH_SIZES_FIELDS(MECH_FIELD)
} mech_sizes;
MECH_API mech_sizes mech_system_sizes(const mech_system *system);

typedef enum mech_item {
    MECH_ITEM_COORD,
    MECH_ITEM_CONSTRAINT,
    MECH_ITEM_PARAM,
    MECH_ITEM_STATE,
    MECH_ITEM_INPUT,
    MECH_ITEM_OUTPUT,
    MECH_ITEM_EVENT,
    MECH_ITEM_ACTUATOR,
    MECH_ITEM_MEASURE,
    MECH_ITEM_COUNT
} mech_item;
/* Borrowed from the system; NULL when there is none. */
MECH_API const char *mech_system_name(const mech_system *system, mech_item item, size_t index);
MECH_API const char *mech_system_unit(const mech_system *system, mech_item item, size_t index);
/* SIZE_MAX when there is none of that name. */
MECH_API size_t mech_system_find(const mech_system *system, mech_item item, const char *name);
/* 1: this coordinate is one of a body's own, as its joints are constraints: B.r, B.e, in the plane B.angle. */
MECH_API int mech_system_is_own(const mech_system *system, size_t coord);

/* ---- evaluation ---- */

typedef enum mech_storage { MECH_STORAGE_SPARSE, MECH_STORAGE_DENSE } mech_storage;
/* New evaluation in *eval: parameters at their declared values, all else 0; in force are all
   constraints but those that wait for events: that these impose or strike and never release, or that are released
   initially. The system is borrowed. Dense storage keeps M_dense and A_dense besides the entries. */
MECH_API MECH_MUST_CHECK mech_status mech_eval_create(const mech_system *system, mech_storage storage,
                                                      mech_eval **eval);
MECH_API void mech_eval_free(mech_eval *eval);
MECH_API const mech_system *mech_eval_system(const mech_eval *eval);

/* The equation at the point set last. The order of the fields is the order of computation.
   Set by the caller: p to active. By t, q, z and u, computed by mech_eval_constraint: r to gradient_dense; by
   mech_eval_position: M to stiffness. By v too, by mech_eval_velocity: Q to slip_b. By lambda and reaction too, by
   mech_eval_reaction: C and C_reaction. By a too, by mech_eval_acceleration: trigger and condition; by
   mech_eval_output: output to measure; by mech_eval_start: target to steady_value, and action. */
#define MECH_EQUATION_FIELDS(X)                                                                                        \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(const double *, p, "(params)")                                                                                   \
    X(const double *, t, "(1)")                                                                                        \
    X(const double *, q, "(n)")                                                                                        \
    X(const double *, z, "(states)")                                                                                   \
    X(const double *, u, "(inputs) signals at t")                                                                      \
    X(const double *, u_dot, "(inputs) their first derivatives")                                                       \
    X(const double *, u_ddot, "(inputs) their second derivatives")                                                     \
    X(const double *, v, "(n)")                                                                                        \
    X(const double *, lambda, "(m)")                                                                                   \
    X(const double *, reaction, "(m)")                                                                                 \
    X(const double *, a, "(n)")                                                                                        \
    X(const unsigned char *, active, "(m) 1: the row is in force -- mech_eval_set_active")                             \
    X(const double *, r, "(m) excess: phi, 0 for other rows")                                                          \
    X(const double *, A, "(pattern) rows nonlinear in v only after mech_eval_velocity")                                \
    X(const double *, A_dense, "(m x n) NULL when sparse")                                                             \
    X(const double *, gradient,                                                                                        \
      "(pattern of A) d r/dq: what moves positions onto r = 0. A is d r'/dv, which is the same but where the "         \
      "rate of a state in r holds velocities. Rows without r: any")                                                    \
    X(const double *, gradient_dense, "(m x n) NULL when sparse")                                                      \
    X(const double *, M, "(pattern)")                                                                                  \
    X(const double *, M_dense, "(n x n) both triangles; NULL when sparse")                                             \
    X(const double *, G, "(pattern)")                                                                                  \
    X(const double *, W, "(k x k) given weight, k = actuators or n; else empty")                                       \
    X(const double *, damping, "(pattern) gains B of the model")                                                       \
    X(const double *, stiffness, "(pattern) gains K of the model")                                                     \
    X(const double *, Q, "(n)")                                                                                        \
    X(const double *, b, "(m)")                                                                                        \
    X(const double *, r_dot, "(m) excess: phi' or psi, 0 for rows given by accelerations")                             \
    X(const double *, a0, "(m) velocity form A v + a0 = 0, 0 where it is not linear")                                  \
    X(const double *, rate, "(states) z'")                                                                             \
    X(const double *, mu, "(frictions)")                                                                               \
    X(const double *, static_mu, "(frictions)")                                                                        \
    X(const double *, slip, "(friction rows) V")                                                                       \
    X(const double *, slip_A, "(pattern) V = 0 as slip_A q'' = slip_b")                                                \
    X(const double *, slip_b, "(friction rows)")                                                                       \
    X(const double *, C, "(pattern) one column for each law")                                                          \
    X(const double *, C_reaction, "(pattern)")                                                                         \
    X(const double *, trigger, "(events)")                                                                             \
    X(const double *, condition, "(events) 1 where there is none")                                                     \
    X(const double *, output, "(outputs)")                                                                             \
    X(const double *, energy,                                                                                          \
      "(5) kinetic, potential, dissipation, h = q'.dL/dq' - L, and dh/dt without the constraints' share")              \
    X(const double *, measure, "(measures) of what is measured, its value there; 0 for an event")                      \
    X(const double *, target, "(targets)")                                                                             \
    X(const double *, target_value, "(targets)")                                                                       \
    X(const double *, target_gradient, "(pattern)")                                                                    \
    X(const double *, steady, "(steadies)")                                                                            \
    X(const double *, steady_value, "(steadies)")                                                                      \
    X(const double *, action, "(actions) new value of set, restitution of impact")
typedef struct mech_equation {
    MECH_EQUATION_FIELDS(MECH_FIELD)
} mech_equation;
/* Borrowed; the pointers stay the same until mech_eval_free. */
MECH_API const mech_equation *mech_eval_equation(const mech_eval *eval);

/* What is set here takes effect at the next evaluation. On the evaluation of a run (mech_sim_eval) it takes effect at
   the time the run is at, with its next step: velocities jump where constraints ask for it, a constraint that is put in
   force is met as by `impose`, and one whose place jumps ends the run with its name. Refused, with words from
   mech_eval_explain: values that are not finite (MECH_ERR_NOT_FINITE), what does not exist, anything while a run hands
   out a row (MECH_ERR_ARGUMENT). Settings of the run that the model computes from parameters are those of its start. */
/* Parameters that are computed from others follow, unless they were set themselves. MECH_ERR_ARGUMENT: no
   such name; MECH_ERR_MODEL: its value shaped the model, so it cannot change (mech_eval_explain says it in
   words). Nothing is derived or compiled again. */
MECH_API mech_status mech_eval_set_param(mech_eval *eval, const char *name, double value);
MECH_API mech_status mech_eval_set_param_at(mech_eval *eval, size_t param, double value);
/* All back to their declared values. */
MECH_API mech_status mech_eval_reset_params(mech_eval *eval);
/* Another value for a statement of `initial` or `guess`, for starts that come (mech_system_target says what it is of);
   NaN: the model's own again. */
MECH_API mech_status mech_eval_set_initial(mech_eval *eval, size_t target, double value);
/* A constraint is in force (1) or released (0). */
MECH_API mech_status mech_eval_set_active(mech_eval *eval, size_t constraint, int is_active);
/* States take effect at the next constraint or position. MECH_ERR_ARGUMENT for a run, whose states are its own:
   mech_sim_set_start. */
MECH_API mech_status mech_eval_set_states(mech_eval *eval, const double *z);
/* Takes the place of the model's signal until the input is handed back with mech_eval_use_signal. */
MECH_API mech_status mech_eval_set_input(mech_eval *eval, size_t input, double u, double u_dot, double u_ddot);
MECH_API mech_status mech_eval_use_signal(mech_eval *eval, size_t input);

/* A state, all of it: what the parts below would be set by, one after the other. v: NULL, up to what needs no
   velocities. z (states): NULL, as they were set last; MECH_ERR_ARGUMENT for a run, whose states are its own. */
MECH_API MECH_MUST_CHECK mech_status mech_eval_state(mech_eval *eval, double t, const double *q, const double *v,
                                                     const double *z);
/* The parts. The states are those set last: a position that goes with others is set by mech_eval_state. */
/* r, its gradient and A only: what projection iterates on. */
MECH_API MECH_MUST_CHECK mech_status mech_eval_constraint(mech_eval *eval, double t, const double *q);
MECH_API MECH_MUST_CHECK mech_status mech_eval_position(mech_eval *eval, double t, const double *q);
MECH_API MECH_MUST_CHECK mech_status mech_eval_velocity(mech_eval *eval, const double *v);
/* NULL: as they are. */
MECH_API MECH_MUST_CHECK mech_status mech_eval_reaction(mech_eval *eval, const double *lambda, const double *reaction);
MECH_API MECH_MUST_CHECK mech_status mech_eval_acceleration(mech_eval *eval, const double *a);
MECH_API MECH_MUST_CHECK mech_status mech_eval_output(mech_eval *eval);
MECH_API MECH_MUST_CHECK mech_status mech_eval_start(mech_eval *eval);
/* The model's start as it is written: values of `initial` and `guess` for plain coordinates, velocities and states, 0
   for the others, into q, v (n) and z (states; may be NULL without states). Nothing is moved onto the constraints:
   <mech/assemble.h>. MECH_ERR_NOT_FINITE: one of them is not a number, and left at 0. */
MECH_API MECH_MUST_CHECK mech_status mech_eval_initial(mech_eval *eval, double t, double *q, double *v, double *z);

/* New text, freed with mech_text_free: what the last failure was about, with names, time and the expression:
   "Q[theta] is nan at t = 0.5: m*g/x". Where the evaluation itself did not fail: what may have made an
   equation of its numbers fail. NULL when out of memory. */
MECH_API char *mech_eval_explain(const mech_eval *eval);

/* ==========================================================================================================
   2. What embedders need: systems of C functions, laws of inputs, rows, exact derivatives.
   ======================================================================================================== */

/* ---- systems with options, and of C functions ---- */

typedef struct mech_system_options {
    size_t size;          /* sizeof(mech_system_options)                                                       */
    int with_derivatives; /* 1: mech_eval_jacobian, which stiff methods, `auto` and <mech/analyze.h> ask for   */
    int with_parameters;  /* 1: the derivatives by the parameters too: <mech/slopes.h>                          */
} mech_system_options;
/* The same with options; NULL: none. MECH_ERR_ARGUMENT: options without their size. */
MECH_API MECH_MUST_CHECK mech_status mech_system_create(const mech_model *model, const mech_system_options *options,
                                                        mech_diagnostics *diagnostics, mech_system **system);

/* Where a callback is asked. Arrays are borrowed for the call. */
typedef struct mech_point {
    size_t size; /* of this struct, as the library has it */
    double t;
    const double *q, *v;             /* (n); v: the last one given when a position is evaluated */
    const double *z;                 /* (states)                                                */
    const double *p;                 /* (params)                                                */
    const double *lambda, *reaction; /* (m) ideal and total multipliers: only for law, output   */
    const double *a;                 /* (n) accelerations: only for output                      */
} mech_point;

/* A system given by C functions. Rows: holonomic ones first (phi), then nonholonomic ones (psi). Outputs are
   zero when a function is called. A function returns MECH_OK or a failure, which is handed on as it is. A
   function that has nothing to give may be NULL. */
typedef struct mech_callbacks {
    size_t size; /* sizeof(mech_callbacks) */
    size_t coords, holonomic, nonholonomic, states, params, outputs;
    /* names may be NULL: then q1, q2, ...; constraint1, ...; z1, ...; p1, ...; y1, ... They are copied. */
    const char *const *coord_names, *const *constraint_names, *const *state_names, *const *param_names,
                                                                                       *const *output_names;
    const double *param_values; /* (params); NULL: zeros */
    /* depends on t, q, z */
    mech_status (*M)(void *user, const mech_point *at, double *M); /* (n x n), all of it; required   */
    mech_status (*r)(void *user, const mech_point *at, double *r); /* (holonomic) phi                */
    /* (m x n) d r'/dv, which is dphi/dq for holonomic rows (but see gradient); nonholonomic rows may depend on v;
       required if m > 0 */
    mech_status (*A)(void *user, const mech_point *at, double *A);
    /* depends on t, q, z, v */
    mech_status (*Q)(void *user, const mech_point *at, double *Q);         /* (n)                          */
    mech_status (*b)(void *user, const mech_point *at, double *b);         /* (m)                          */
    mech_status (*r_dot)(void *user, const mech_point *at, double *r_dot); /* (m) phi' and psi             */
    mech_status (*rate)(void *user, const mech_point *at, double *rate);   /* (states)                     */
    /* depends on the multipliers too */
    mech_status (*C)(void *user, const mech_point *at, double *C);      /* (n) one law, on all constraints */
    mech_status (*output)(void *user, const mech_point *at, double *y); /* (outputs)                       */
    /* depends on t, q, z: (m x n) d r/dq where that is not A, as A is d r'/dv: where the rate of a state in r depends
       on velocities. Then A may depend on v; rows that are not holonomic are not looked at */
    mech_status (*gradient)(void *user, const mech_point *at, double *gradient);
} mech_callbacks;

/* New system in *system; callbacks is copied, user is borrowed. MECH_ERR_ARGUMENT: a function that is required is
   missing; or names that are missing, no names (<mech/model.h> says what is one), or given twice: coordinates, states,
   parameters and outputs together, constraints among themselves. MECH_ERR_LIMIT: more than 32768 coordinates or rows.
   */
MECH_API MECH_MUST_CHECK mech_status mech_system_from_callbacks(const mech_callbacks *callbacks, void *user,
                                                                mech_system **system);

/* ---- inputs by C functions ---- */

/* Inputs by a law of the caller, u = f(t, q, v, z): feedback in C on a model from text. The model stays as it is, so
   that generated code, events, friction and the account of energy know them as any input. */
typedef struct mech_input_law {
    size_t size;          /* sizeof(mech_input_law)                                                              */
    const size_t *inputs; /* (count) which; copied                                                               */
    size_t count;
    /* u (count), zero when it is called: wherever the equation is evaluated, within steps too, so that it must be a
       function of what it is given (at: t, q, v, z, p) and as smooth as a step is to be long. What is not MECH_OK is
       handed on */
    mech_status (*u)(void *user, const mech_point *at, double *u);
    /* du/d(q, v, z): (count x (2n + states)) by column, zero when it is called. NULL: implicit methods take differences
       */
    mech_status (*slope)(void *user, const mech_point *at, double *slope);
    void *user; /* borrowed                                                                            */
} mech_input_law;
/* Takes the place of signals and of what was set, until it is taken away by NULL. MECH_ERR_ARGUMENT: there is no such
   input, or one that stands where a law cannot give it: in energies, masses, constraints, friction, events, inside abs,
   sign, min, max and comparisons, or by its slope. */
MECH_API mech_status mech_eval_set_law(mech_eval *eval, const mech_input_law *law);

/* ---- rows of constraints ---- */

typedef enum mech_level { MECH_LEVEL_HOLONOMIC, MECH_LEVEL_NONHOLONOMIC, MECH_LEVEL_ACCELERATION } mech_level;
typedef struct mech_row {
    size_t constraint; /* its owner                       */
    mech_level level;
    int is_linear;  /* in the velocities               */
    int is_control; /* a servo row                     */
    int is_torque;  /* of a joint: its multiplier is a torque, which loads no friction */
} mech_row;
MECH_API mech_row mech_system_row(const mech_system *system, size_t row);
/* "rod", or "roll[3]" where a constraint has several rows. Borrowed. */
MECH_API const char *mech_system_row_name(const mech_system *system, size_t row);
/* First row of a constraint; *count (may be NULL) receives how many it has. */
MECH_API size_t mech_system_constraint_rows(const mech_system *system, size_t constraint, size_t *count);
/* 1: it is a >= b and only pushes, -1: a <= b; 0: an equation. */
MECH_API int mech_system_side(const mech_system *system, size_t constraint);

/* ---- exact derivatives, on request: mech_system_options ---- */

/* 1: it was made with them. Systems of C functions have none. */
MECH_API int mech_system_has_jacobian(const mech_system *system);
/* Where the columns of a variable start. */
typedef struct mech_columns {
    size_t size; /* of this struct, as the library has it */
    size_t q, v, z, u, u_dot, u_ddot, a, lambda, reaction, t;
    size_t p; /* mech_system_options.with_parameters */
    size_t count;
} mech_columns;
MECH_API mech_columns mech_system_columns(const mech_system *system);
typedef struct mech_jacobian { /* all by pattern; see MECH_MATRIX_D_MOTION and the following */
    size_t size;               /* of this struct, as the library has it */
    const double *motion, *row, *r, *r_dot, *rate, *C, *output, *steady;
    const double *slip, *slip_A, *slip_row, *mu, *G, *W;
} mech_jacobian;
/* At the point set last, with its q, v, z, u, a, lambda and reaction; MECH_ERR_ARGUMENT when there are none.
   Derivatives of outputs may be NaN or infinite all the same: they have no part in the motion. */
MECH_API MECH_MUST_CHECK mech_status mech_eval_jacobian(mech_eval *eval, mech_jacobian *jacobian);

/* ==========================================================================================================
   3. What tool builders need, and the house itself: patterns, statements of the model, kinks, counts.
   ======================================================================================================== */

/* ---- sparse matrices ---- */

/* Where the values of a sparse matrix stand: value k is entry (row[k], column[k]). Borrowed. */
typedef struct mech_pattern {
    size_t count;
    const uint32_t *row, *column;
} mech_pattern;
typedef enum mech_matrix {
    MECH_MATRIX_M,          /* (n x n) lower triangle, by column then row                     */
    MECH_MATRIX_A,          /* (m x n) by row then column                                     */
    MECH_MATRIX_G,          /* (n x actuators)                                                */
    MECH_MATRIX_C,          /* (n x laws)                                                     */
    MECH_MATRIX_C_REACTION, /* (entries of C x m): dC_k / d reaction_row                      */
    MECH_MATRIX_DAMPING,    /* (m x m) gains B of the excess variables, where the model has them */
    MECH_MATRIX_STIFFNESS,  /* (m x m) gains K                                                */
    MECH_MATRIX_SLIP,       /* (friction_rows x n): dV/dq' of the velocities of friction      */
    MECH_MATRIX_TARGET,     /* (targets x (2n + states)): d target / d (q, v, z)              */
    /* exact derivatives, empty in a system made without them; columns: mech_system_columns */
    MECH_MATRIX_D_MOTION,   /* (n x columns) of M a - Q - A^T reaction, by q v z u t          */
    MECH_MATRIX_D_ROW,      /* (m x columns) of A a - b, by q v z u t                         */
    MECH_MATRIX_D_R,        /* (m x columns) of r                                             */
    MECH_MATRIX_D_R_DOT,    /* (m x columns) of r'                                            */
    MECH_MATRIX_D_RATE,     /* (states x columns) of z'                                       */
    MECH_MATRIX_D_C,        /* (entries of C x columns) of C                                  */
    MECH_MATRIX_D_OUTPUT,   /* (outputs x columns) of outputs                                 */
    MECH_MATRIX_D_STEADY,   /* (steadies x columns) of what `steady` speaks of                */
    MECH_MATRIX_D_SLIP,     /* (friction_rows x columns) of the velocities V of friction      */
    MECH_MATRIX_D_SLIP_A,   /* (entries of SLIP x columns) of dV/dq'                          */
    MECH_MATRIX_D_SLIP_ROW, /* (friction_rows x columns) of V' = slip_A a - slip_b            */
    MECH_MATRIX_D_MU,       /* (frictions x columns) of mu                                    */
    MECH_MATRIX_D_G,        /* (entries of G x columns) of G                                  */
    MECH_MATRIX_D_W,        /* (entries of W x columns) of the given weight                   */
    MECH_MATRIX_COUNT
} mech_matrix;
MECH_API mech_pattern mech_system_pattern(const mech_system *system, mech_matrix matrix);

/* ---- what the model says ---- */

/* Borrowed lists of constraints. */
typedef struct mech_law {
    mech_law_kind kind;
    const size_t *constraints;
    size_t constraint_count;
    int uses_reaction;   /* C depends on the multipliers */
    int uses_ideal_only; /* where it does, on the ideal ones alone, lambda(), which the law itself does not move */
} mech_law;
MECH_API mech_law mech_system_law(const mech_system *system, size_t law);
typedef struct mech_friction {
    const size_t *constraints;
    size_t constraint_count;
    size_t first_row, row_count; /* in the friction rows */
    const char *name;            /* of one with a given bound, which has no constraints; else NULL */
} mech_friction;
MECH_API mech_friction mech_system_friction(const mech_system *system, size_t friction);
/* What a target or the left side of `set` is: q[index], v[index], z[index], or an expression of them. */
typedef enum mech_variable {
    MECH_VARIABLE_Q,
    MECH_VARIABLE_V,
    MECH_VARIABLE_Z,
    MECH_VARIABLE_EXPRESSION
} mech_variable;
typedef struct mech_target {
    mech_variable variable;
    size_t index;
    int is_fixed; /* initial: 1, guess: 0 */
} mech_target;
MECH_API mech_target mech_system_target(const mech_system *system, size_t target);
typedef struct mech_event_info {
    mech_direction direction;
    int has_condition;
    size_t first_action, action_count;
} mech_event_info;
MECH_API mech_event_info mech_system_event(const mech_system *system, size_t event);
typedef struct mech_action_info {
    mech_action_kind kind;
    const size_t *constraints;
    size_t constraint_count;
    mech_variable variable; /* set: what     */
    size_t index;
} mech_action_info;
MECH_API mech_action_info mech_system_action(const mech_system *system, size_t action);
typedef struct mech_measure_info {
    mech_measure_kind kind;
    size_t event; /* of MECH_MEASURE_TIME and MECH_MEASURE_COUNT; else SIZE_MAX */
} mech_measure_info;
MECH_API mech_measure_info mech_system_measure(const mech_system *system, size_t measure);
/* How control rows are weighed, how drift is held down, and what the model allows. */
MECH_API mech_weight mech_system_weight(const mech_system *system);
MECH_API mech_stabilize mech_system_stabilize(const mech_system *system);
MECH_API int mech_system_allows_leastnorm(const mech_system *system);
MECH_API int mech_system_allows_negative_mass(const mech_system *system);

/* 1: the model has clocks, `every T { ... }`, that set states. */
MECH_API int mech_system_samples(const mech_system *system);
/* 1: the model has delays, `delay(x, T)`: what it does next depends on what it did before. */
MECH_API int mech_system_delays(const mech_system *system);
/* An option of `simulate` ("until", "rtol", ...) with the parameters of this evaluation: 1 and its value or
   word (either may come back as NAN or NULL), 0 when the model does not give it. */
MECH_API int mech_eval_option(mech_eval *eval, const char *name, double *value, const char **word);

/* The files a model was read from, by number: its text, what that includes, the tables of its inputs as they
   were opened. NULL beyond the last, and for callbacks. Borrowed. Who writes a file keeps it off these. */
MECH_API const char *mech_system_file(const mech_system *system, size_t index);

/* New text, freed with mech_text_free: the expression of an output. NULL: there is none, or no memory. */
MECH_API char *mech_system_output_text(const mech_system *system, size_t output);

/* ---- kinks, and points of tables ---- */

/* abs, sign, min, max and comparisons in the equation: how many, and at the point set last (velocity at
   least) the functions at whose zeros they change over. */
MECH_API size_t mech_system_switch_count(const mech_system *system);
/* What it is a kink of, with its place where it has one: "abs(x - 1) in line 3", "x > 1 in line 4"; where that would be
   long, "abs in line 3", "a comparison in line 4". Borrowed. */
MECH_API const char *mech_system_switch_name(const mech_system *system, size_t index);
MECH_API MECH_MUST_CHECK mech_status mech_eval_switches(mech_eval *eval, double *values);

/* The first time after t at which an input given by points (a CSV file) has one, so that its slope jumps there;
   HUGE_VAL when there is none. */
MECH_API double mech_eval_next_point(const mech_eval *eval, double t);

/* ---- how it works ---- */

/* New text, freed with mech_text_free: the instructions by stage. NULL when out of memory. */
MECH_API char *mech_system_dump(const mech_system *system);

/* How often things were computed since creation. compilations: programs the system was built from. */
#define MECH_COUNTS_FIELDS(X)                                                                                          \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(size_t, compilations, "programs the system was built from")                                                      \
    X(size_t, parameters, "changes of parameters taken up")                                                            \
    X(size_t, constraints, "of r and A alone")                                                                         \
    X(size_t, positions, "evaluations of a position")                                                                  \
    X(size_t, velocities, "of velocities")                                                                             \
    X(size_t, reactions, "of laws")                                                                                    \
    X(size_t, motions, "calls of mech_eval_motion, <mech/motion.h>")                                                   \
    X(size_t, robust, "of them, those that the robust solve answered")                                                 \
    X(size_t, fallbacks,                                                                                               \
      "states in which the first plan loses digits or its partition does not serve: the general plan, refined, or the robust solve answered")
typedef struct mech_counts {
    MECH_COUNTS_FIELDS(MECH_FIELD)
} mech_counts;
MECH_API mech_counts mech_eval_counts(const mech_eval *eval);

#ifdef __cplusplus
}
#endif
#endif
