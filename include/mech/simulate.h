/* Motion: from a system and its start to a trajectory, with every force, and an account of how good it is.
 *
 *     mech_sim_settings settings;
 *     mech_sim_settings_default(&settings, sizeof settings);
 *     settings.until = 10;
 *     mech_sim *sim;
 *     if (mech_sim_create(system, &settings, &sim) == MECH_OK && mech_sim_run(sim) != MECH_OK)
 *         puts(mech_sim_error_text(sim));
 *     mech_sim_free(sim);
 *
 * The system is constant and may be shared by runs in many threads; a run belongs to one thread at a time.
 * After mech_sim_create nothing allocates but the trajectory and the log of events, which grow in chunks.
 * The same system, settings and machine give the same bytes. */
#ifndef MECH_SIMULATE_H
#define MECH_SIMULATE_H

#include <mech/assemble.h>
#include <mech/motion.h>

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_sim mech_sim;
typedef struct mech_trajectory mech_trajectory;

typedef enum mech_method {
    MECH_METHOD_AUTO,  /* rk8, moving to bdf when the problem turns out to be stiff     */
    MECH_METHOD_RK8,   /* Dormand-Prince 8(5,3), our own                                */
    MECH_METHOD_RK5,   /* Dormand-Prince 5(4), our own                                  */
    MECH_METHOD_BDF,   /* CVODE's backward differentiation, exact Jacobian              */
    MECH_METHOD_ADAMS, /* CVODE's Adams-Moulton                                         */
    MECH_METHOD_IRK,   /* ARKODE's implicit Runge-Kutta of order 5, exact Jacobian      */
    /* Moreau and Jean, our own: fixed steps of max_step, order 1, one-sided constraints by impulses in each step */
    MECH_METHOD_MOREAU,
    MECH_METHOD_COUNT
} mech_method;
/* "auto", "rk8", "rk5", "bdf", "adams", "irk", "moreau"; MECH_METHOD_COUNT when the word is none of them. */
MECH_API mech_method mech_method_find(const char *word);
MECH_API const char *mech_method_word(mech_method method);

/* What is on the rows of the trajectory besides time, coordinates, velocities, states, outputs, residuals
   and energy. */
enum {
    MECH_COLUMNS_ACCELERATIONS = 1,
    MECH_COLUMNS_MULTIPLIERS = 2, /* lambda(NAME) and reaction(NAME)                              */
    MECH_COLUMNS_FORCES = 4,      /* force(NAME, x) ideal, of each constraint; Qi, Qni of the sum;
                                     nonideal(NAME, x) of each law, friction(NAME, x) of each friction */
    MECH_COLUMNS_RESIDUALS = 8,   /* every row's r and r', not only the largest                   */
    MECH_COLUMNS_INPUTS = 16      /* the inputs, behind the states                                */
};

/* Rows that follow the motion: where a straight line between two rows would miss a column (coordinates, velocities,
   states, outputs, control) by more than 1/500 of its range so far, the distance between rows is halved, at most seven
   times from a hundredth of the run; and there is a row on both sides of a kink. Runs without an end have none. */
enum {
    MECH_FOLLOW_ROWS = 1, /* where neither the settings nor the model say how many rows there are             */
    MECH_FOLLOW_KEPT = 2  /* for figures: rows of their own in mech_sim_curve, whatever the others are       */
};

/* A row of the trajectory as soon as it is known; what is not 0 ends the run (MECH_ERR_INTERRUPTED). */
typedef int (*mech_sim_row)(void *user, const double *row, size_t columns);
/* After each accepted step: where the run is; what is not 0 ends it. */
typedef int (*mech_sim_progress)(void *user, double t, double from, double until);

typedef struct mech_sim_settings {
    size_t size; /* set by mech_sim_settings_default; lets the struct grow            */
    /* NaN: what the model says; else 0 and 1. until INFINITY: no end, for mech_sim_advance: rows are then by
       output_step, or only the first and those at events, and what is measured by the length of the run (gains,
       resolution, steps that all but stand still) by a length of 1, however far one call takes it */
    double from, until;
    double output_step;   /* time between rows; 0: by output_points                            */
    size_t output_points; /* rows from start to end, both included; 0: what the model says, else 101 */
    double rtol, atol;    /* error per step; NaN: what the model says, else 1e-9 and 1e-12     */
    double max_step;      /* NaN: what the model says, else none                               */
    double first_step;    /* 0: chosen                                                         */
    mech_method method;   /* MECH_METHOD_COUNT: what the model says, else auto                 */
    mech_start start;
    int stabilize;                         /* mech_stabilize; -1: what the model says, else project             */
    const double *damping, *stiffness;     /* B, K for excess; NULL: the model's, else the default gains:
                               B = 2/tau, K = 1/tau^2, tau = (until - from)/1000. A control row
                               without gains has to be on its path: the start is refused, and the
                               run ends, with MECH_ERR_OFF_PATH where it is not                   */
    size_t damping_count, stiffness_count; /* 1, rows, or rows*rows (by column)                  */
    double projection_tol;                 /* how far |r|, |r'| may be from 0 after projection, in the units of the
                               constraints; 0: what 1e-3 atol in the coordinates makes of them, and
                               1e-13 of the terms they are made of, or of 1 where those are larger */
    /* rows closer to one another count as dependent; 0: 1e-10, 1e-7 where nothing is projected */
    double rank_tol;
    double event_tol;                       /* resolution of event times relative to the span; 0: 1e-14          */
    double impact_speed;                    /* approach below it ends in contact; 0: 1e-6 of the largest approach */
    size_t max_steps;                       /* in one run; 0: no limit                                           */
    size_t max_events;                      /* at one instant, or without the clock advancing; 0: 1000           */
    unsigned columns;                       /* MECH_COLUMNS_...                                                  */
    int keep_trajectory;                    /* 1: rows are kept (default)                                        */
    int rows_at_events;                     /* 1: a row before and after each event (default)                    */
    const volatile sig_atomic_t *interrupt; /* NULL, or what is looked at after each step        */
    mech_sim_row on_row;
    mech_sim_progress on_progress;
    void *user;
    size_t most_numbers; /* rows times columns of the trajectory at most; 0: 2e9              */
    /* NULL, or what is looked at within the start and within steps too, which are then given up: time and state stay
       those of the last step */
    const volatile sig_atomic_t *interrupt_now;
    /* a time: of events, kinks, contacts and friction, crossings that lie farther apart than this are not missed,
       however long the steps are; NaN: what the model says, else 1e-6 of the span; 0: 1e-6 of what was asked for so
       far, of 1 without an end */
    double resolution;
    /* MECH_FOLLOW_...: further rows where the motion bends */
    unsigned follow;
} mech_sim_settings;

MECH_API void mech_sim_settings_default(mech_sim_settings *settings, size_t size);

/* The implicit methods (and so `auto` on a stiff problem) need derivatives:
   mech_system_options.with_derivatives. Without them `auto` stays explicit and says so.
   settings may be NULL. MECH_ERR_ARGUMENT (no coordinates, nothing to make it of, or settings without their size),
   MECH_ERR_MEMORY, MECH_ERR_LIMIT, MECH_ERR_UNSUPPORTED (friction along more than three velocities); *sim is NULL then.
   What else settings say is looked at by mech_sim_start. The system is borrowed and must outlive the run. */
MECH_API MECH_MUST_CHECK mech_status mech_sim_create(const mech_system *system, const mech_sim_settings *settings,
                                                     mech_sim **sim);
MECH_API void mech_sim_free(mech_sim *sim);

/* The settings of the run; from the start on, with what the model says filled in. Borrowed. */
MECH_API const mech_sim_settings *mech_sim_settings_get(const mech_sim *sim);

/* ---- before the start ---- */
/* The evaluation of this run: what <mech/system.h> sets there takes effect as described under "driving a run".
   Borrowed. */
MECH_API mech_eval *mech_sim_eval(mech_sim *sim);
/* Start from these (q, v: n; states) instead of the model's; any may be NULL. is_fixed: not moved. MECH_ERR_ARGUMENT,
   with words and nothing taken: a value that is not finite, a run that has been started. */
MECH_API mech_status mech_sim_set_start(mech_sim *sim, const double *q, const double *v, const double *states,
                                        int is_fixed);

/* The right-hand side by mech_eval_motion with this code from now on, before the start or after it. The code is of this
   run's system; it is borrowed and must outlive the run. Steps are still watched by the full solve at their ends, and
   take it wherever rows are released, in doubt, or near a singular position. MECH_ERR_UNSUPPORTED when the run needs
   what it does not give. */
MECH_API MECH_MUST_CHECK mech_status mech_sim_use_motion(mech_sim *sim, const mech_motion_code *code);

/* ---- the run ---- */
/* Start, advance to the end, close. */
MECH_API MECH_MUST_CHECK mech_status mech_sim_run(mech_sim *sim);
/* The consistent start and the first row. MECH_ERR_CONFLICT names the constraints and fixed values that
   cannot be met together, with their least misfit; MECH_ERR_ARGUMENT settings that make no sense, or a second start,
   also where the first one failed;
   MECH_ERR_LIMIT more rows than a run may write; MECH_ERR_UNSUPPORTED a method that this build or this system does not
   have; MECH_ERR_NOT_UNIQUE a law or an event that uses what is not unique. All in words by mech_sim_error_text. */
MECH_API MECH_MUST_CHECK mech_status mech_sim_start(mech_sim *sim);
/* To t_end, or to the event that stops the run (mech_sim_has_stopped), which then stays there. On failure time and
   state are those of the last good step. MECH_ERR_ARGUMENT for a time that is not finite or lies before that of the
   run, and before mech_sim_start (the run stands as it was); and after a failure, whose words remain.
   MECH_ERR_NOT_FINITE: an output, energy, event or force is not a number there; the rows before it are kept.
   MECH_ERR_CONFLICT: constraints that agreed at the start come to contradict one another. */
MECH_API MECH_MUST_CHECK mech_status mech_sim_advance(mech_sim *sim, double t_end);
MECH_API int mech_sim_has_stopped(const mech_sim *sim);
/* 1 once there is a start: before, and after a start that failed, time and state mean nothing. */
MECH_API int mech_sim_has_started(const mech_sim *sim);
/* What went wrong, with time, coordinate and residual; else why the last call was refused; "" when nothing did.
   Borrowed. */
MECH_API const char *mech_sim_error_text(const mech_sim *sim);

/* ---- driving a run: what may be set between two calls of mech_sim_advance, inside on_progress, and before the start
   ---- Each takes effect at the time the run is at, exactly: the next step begins there with the new values, and no
   slope of before goes on. All that was set is taken up together, by the next advance or by the next look
   (mech_sim_forces_now, _row_now, _outputs_now). Velocities jump where constraints then ask for others, friction
   decides anew between holding and sliding, and the account shows the energy put in as event_energy. MECH_ERR_ARGUMENT:
   there is no such thing, a row is being handed out, or the run has failed; MECH_ERR_NOT_FINITE: the value is no
   number; MECH_ERR_MODEL: a parameter that shaped the model. mech_sim_error_text says it, and the run stands as it was.
   What C functions read (<mech/system.h>) may change there, too. */
/* An input is held at this value (zero-order hold) until it is set again; mech_eval_use_signal gives it back to the
   model's signal. In a constraint that moves with it a jump cannot be followed: mech_eval_set_input takes its
   derivatives, too. Where the equation uses its slope u' a jump is an impulse that nothing gives: the next advance
   fails with MECH_ERR_MODEL, as at the same jump of a signal. */
MECH_API mech_status mech_sim_set_input(mech_sim *sim, size_t input, double value);
/* Inputs by a law in C, u = f(t, q, v, z): <mech/system.h>; NULL: none. What it reads besides may change between two
   advances, too. The sparse implicit methods of large systems leave its slope out of their iteration. */
MECH_API mech_status mech_sim_set_law(mech_sim *sim, const mech_input_law *law);
/* Settings that the model computes from parameters (until, rtol, ...) stay those of the start. */
MECH_API mech_status mech_sim_set_param(mech_sim *sim, size_t param, double value);
/* A constraint is in force (1), met as by `impose` of an event, or released (0). */
MECH_API mech_status mech_sim_set_active(mech_sim *sim, size_t constraint, int is_active);
/* Another state (q, v: n; states; NULL: as it is), now: it is moved onto the constraints as after `set` of an event,
   together with what was set before. What it moves over a threshold sets off no event; what was set before does. On
   failure the run has ended. */
MECH_API mech_status mech_sim_set_state(mech_sim *sim, const double *q, const double *v, const double *states);
/* Back to before the start, also after a failure: no rows, nothing happened. Parameters, inputs and the values of
   mech_sim_set_start stay as they were set, constraints in force are those of the last start. What comes then is what a
   new run would give, byte by byte. Allocates the first time; later only where SUNDIALS or the sparse solver must be
   made anew, and so does the start that follows. */
MECH_API MECH_MUST_CHECK mech_status mech_sim_reset(mech_sim *sim);

/* ---- checkpoints: docs/decisions/0012-checkpoints.md ---- */
/* The run as it stands between two steps: after mech_sim_start or mech_sim_advance, or inside on_progress. New
   bytes with a checksum, freed with mech_text_free; `note` (may be NULL) is the caller's and comes back with
   them. A run with rk5 or rk8 goes on as if nothing had been. The other methods begin anew here, in this
   run too, so that it goes on as the one that is taken up does; mech_sim_log_get says so. */
MECH_API MECH_MUST_CHECK mech_status mech_sim_save(mech_sim *sim, const void *note, size_t note_size, char **bytes,
                                                   size_t *size);
/* Takes up a saved run in a new one made from the same system and settings; in place of mech_sim_start, or after
   it (for mech_sim_use_motion, if the saved run had it). on_row gets the rows that are due from there on.
   MECH_ERR_FILE: not whole, or no such bytes. MECH_ERR_ARGUMENT: of another run; mech_sim_error_text names what
   differs. The run cannot be used after a failure. *note points into bytes. */
MECH_API MECH_MUST_CHECK mech_status mech_sim_restore(mech_sim *sim, const char *bytes, size_t size, const void **note,
                                                      size_t *note_size);

/* ---- where it is; borrowed, valid until the next call that moves the run ---- */
MECH_API double mech_sim_time(const mech_sim *sim);
MECH_API const double *mech_sim_q(const mech_sim *sim);
MECH_API const double *mech_sim_v(const mech_sim *sim);
MECH_API const double *mech_sim_states(const mech_sim *sim);
/* The instant's equation solved: the arrays live in the run. Any may be NULL. */
#define MECH_SIM_FORCES_FIELDS(X)                                                                                      \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(const double *, qdd, "(n) accelerations")                                                                        \
    X(const double *, Qi, "(n) ideal force of constraint")                                                             \
    X(const double *, Qni, "(n) non-ideal force of constraint")                                                        \
    X(const double *, Qc, "(n) force of control")                                                                      \
    X(const double *, lambda, "(rows) ideal multipliers; 0 for control, whose force is Qc")                            \
    X(const double *, reaction, "(rows) total multipliers; 0 for control")                                             \
    X(const double *, u, "(actuators) of control; NULL without control")                                               \
    X(const unsigned char *, active, "(rows) in force, friction's not among them")                                     \
    X(int, rank, "of the rows in force")                                                                               \
    X(unsigned, flags, "MECH_FUNDAMENTAL_...")
typedef struct mech_sim_forces {
    MECH_SIM_FORCES_FIELDS(MECH_FIELD)
} mech_sim_forces;
MECH_API MECH_MUST_CHECK mech_status mech_sim_forces_now(mech_sim *sim, mech_sim_forces *forces);
/* The outputs where the run is (outputs), or the whole row that the trajectory would have there (its columns). Nothing
   is recorded. Not within on_row. MECH_ERR_NOT_FINITE: one of them is not a number; the run can go on all the same. */
MECH_API MECH_MUST_CHECK mech_status mech_sim_outputs_now(mech_sim *sim, double *outputs);
MECH_API MECH_MUST_CHECK mech_status mech_sim_row_now(mech_sim *sim, double *row);

/* ---- results ---- */
/* Borrowed; grows while the run goes on. */
MECH_API const mech_trajectory *mech_sim_trajectory(const mech_sim *sim);
/* What figures are drawn from: with MECH_FOLLOW_KEPT rows that follow the motion; where the trajectory's do that, or
   without it, those of the trajectory. */
MECH_API const mech_trajectory *mech_sim_curve(const mech_sim *sim);
MECH_API size_t mech_trajectory_rows(const mech_trajectory *trajectory);
MECH_API size_t mech_trajectory_columns(const mech_trajectory *trajectory);
MECH_API const char *mech_trajectory_name(const mech_trajectory *trajectory, size_t column);
MECH_API const char *mech_trajectory_unit(const mech_trajectory *trajectory, size_t column); /* or NULL */
/* 1: multipliers that are not unique (rows depend on one another) are in it, an output, a multiplier or a force: its
   values are those of the least-norm choice. Looked at after the start and after events that change what is in force:
   once 1, it stays so. */
MECH_API int mech_trajectory_is_choice(const mech_trajectory *trajectory, size_t column);
/* SIZE_MAX when there is none of that name. */
MECH_API size_t mech_trajectory_find(const mech_trajectory *trajectory, const char *name);
MECH_API const double *mech_trajectory_row(const mech_trajectory *trajectory, size_t row);
/* All rows (rows x columns, row after row), or one column of them (rows), at once. */
MECH_API void mech_trajectory_copy(const mech_trajectory *trajectory, double *rows);
MECH_API void mech_trajectory_copy_column(const mech_trajectory *trajectory, size_t column, double *values);

/* What the start moved: by the assembly. */
MECH_API size_t mech_sim_move_count(const mech_sim *sim);
MECH_API mech_move mech_sim_move_get(const mech_sim *sim, size_t index);

/* 1 when the output looks at multipliers that are not unique (rows depend on one another): its value is that of the
   least-norm choice. 2 when it does not, but looks at whether a constraint is active where that is one choice of many.
   Known after the start. */
MECH_API int mech_sim_output_is_choice(const mech_sim *sim, size_t output);

/* What the model's measures say, as far as the last advance came: the largest, least and mean values over all the time
   between, not only at rows. NaN: nothing yet, an event that has not happened. */
MECH_API double mech_sim_measure(const mech_sim *sim, size_t measure);
/* As mech_sim_output_is_choice. */
MECH_API int mech_sim_measure_is_choice(const mech_sim *sim, size_t measure);

/* What happened, in order. */
typedef enum mech_log_kind {
    MECH_LOG_EVENT,  /* an event of the model              */
    MECH_LOG_SWITCH, /* if, abs, sign, min, max            */
    MECH_LOG_STICK,  /* friction                           */
    MECH_LOG_SLIP,
    MECH_LOG_IMPACT,
    MECH_LOG_CONTACT,  /* accumulating impacts ended in it   */
    MECH_LOG_RELEASE,  /* ... and contact ended              */
    MECH_LOG_METHOD,   /* the integrator was changed         */
    MECH_LOG_SINGULAR, /* a near-singular passage            */
    MECH_LOG_BEYOND,   /* it begins beyond what it may strike */
    MECH_LOG_NOTE      /* the model may say something else than is meant */
} mech_log_kind;
typedef struct mech_log_entry {
    mech_log_kind kind;
    double t;
    const char *text; /* one line, for people; names what it is about */
    const char *name; /* event or constraint; NULL when neither       */
} mech_log_entry;
MECH_API size_t mech_sim_log_count(const mech_sim *sim);
MECH_API mech_log_entry mech_sim_log_get(const mech_sim *sim, size_t index);

/* The account. Residuals are the largest over accepted steps and rows of the trajectory. */
#define MECH_SIM_INFO_FIELDS(X)                                                                                        \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(mech_method, method, "in use at the end")                                                                        \
    X(const char *, method_text, "in words")                                                                           \
    X(mech_stabilize, stabilize, "how drift is held down")                                                             \
    X(double, phi, "largest |phi| of holonomic rows")                                                                  \
    X(double, phi_dot, "largest |phi'| of holonomic rows")                                                             \
    X(double, psi, "largest |psi| of nonholonomic rows")                                                               \
    X(double, raw_phi, "largest |phi| at the end of steps, before they are projected: the integrator's own drift")     \
    X(double, raw_velocity, "the same of |phi'| and |psi|")                                                            \
    X(double, energy_first, "h = q'.dL/dq' - L at the start")                                                          \
    X(double, energy_last, "h at the end")                                                                             \
    X(double, energy_scale, "largest |h| and kinetic energy met")                                                      \
    X(double, power_integral, "of all that changes h, constraints' share included")                                    \
    X(double, event_energy, "taken out (negative) or put in by impacts and sets")                                      \
    X(double, balance_error, "largest |h - h0 - power_integral - event_energy|")                                       \
    X(int, has_energy, "0: the system has none; the figures above are 0")                                              \
    X(size_t, steps, "accepted")                                                                                       \
    X(size_t, rejected, "steps")                                                                                       \
    X(size_t, evaluations, "of the right-hand side")                                                                   \
    X(size_t, projections, "onto the constraints")                                                                     \
    X(size_t, jacobians, "by implicit methods")                                                                        \
    X(size_t, events, "of the model")                                                                                  \
    X(size_t, samples, "taken by clocks: every T { ... }")                                                             \
    X(int, rank_least, "of the rows")                                                                                  \
    X(int, rank_most, "of the rows")                                                                                   \
    X(double, smallest_singular, "least kept singular value relative to the largest row")                              \
    X(double, smallest_time, "when")                                                                                   \
    X(double, rank_tol, "in use")                                                                                      \
    X(size_t, near_singular, "passages")                                                                               \
    X(size_t, factorizations, "of I - gamma J, by implicit methods, since the last restart")                           \
    X(size_t, solves, "by the sparse solver; 0: dense")                                                                \
    X(size_t, robust, "of them, those that its robust path answered")                                                  \
    X(double, explained, "what the errors of the steps may do to the energy, added up")                                \
    X(double, resolution, "crossings farther apart than this are not missed; 0: nothing is watched")                   \
    X(size_t, fast, "mech_counts.motions; 0 without generated code")                                                   \
    X(size_t, fast_fallbacks, "mech_counts.fallbacks")                                                                 \
    X(size_t, fast_robust, "mech_counts.robust")                                                                       \
    X(double, seconds, "of processor time in mech_sim_run; not part of what is reproducible")                          \
    X(int, rows_are_coarse, "rows that follow the motion would have to lie closer than they may")
typedef struct mech_sim_info {
    MECH_SIM_INFO_FIELDS(MECH_FIELD)
} mech_sim_info;
MECH_API mech_sim_info mech_sim_info_get(const mech_sim *sim);
/* "", or in words: the account misses by more than a hundred times what the errors of the steps explain. After
   mech_sim_run. Borrowed. */
MECH_API const char *mech_sim_warning(const mech_sim *sim);
/* New text, freed with mech_text_free: the account in all details (mech_report_run has the short one) and the first of
   what happened, without the time spent. NULL: out of memory. */
MECH_API char *mech_sim_audit_text(const mech_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
