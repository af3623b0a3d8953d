/* What a run asks of its evaluation: callers set it too, and the run must know. */
#ifndef SYSTEM_OWNER_H
#define SYSTEM_OWNER_H

#include <mech/system.h>

/* How often what callers can set was changed by them: parameters, and inputs and constraints in force. */
typedef struct eval_changes {
    size_t params, others;
} eval_changes;
eval_changes eval_changes_get(const mech_eval *eval);

/* From now on the states are the run's own: callers cannot set them. */
void eval_own(mech_eval *eval);
/* From now on callers can set nothing, for this reason (static); NULL: they can again. */
void eval_lock(mech_eval *eval, const char *why);

/* As the functions of <mech/system.h>, by the run itself. */
void eval_take_states(mech_eval *eval, const double *z);
/* A state into the evaluation, by the run itself: the one place, as a position that were set without its states would
   be met by those of the point before. Up to r and A, up to M, or up to the velocities' own. v: NULL without
   velocities, where no law of inputs looks at them; z: NULL where there are no states. */
typedef enum eval_depth { EVAL_CONSTRAINT, EVAL_POSITION, EVAL_VELOCITY } eval_depth;
MECH_MUST_CHECK mech_status eval_place(mech_eval *eval, eval_depth depth, double t, const double *q, const double *v,
                                       const double *z);
/* A state, to that depth or as deep as `initial` looks, with the values of `initial` there; a: accelerations, should it
   look at them. Nothing else of that stage may be read. */
MECH_MUST_CHECK mech_status eval_place_start(mech_eval *eval, eval_depth depth, double t, const double *q,
                                             const double *v, const double *z, const double *a);
/* The values of `initial` and `guess` that the model gives single coordinates, velocities and states, into q, v, z,
   which hold what the others are. given: bits 1 << mech_variable of those that stay as they are. 0: one of the values
   is not finite, and left out. */
int eval_take_initial(mech_eval *eval, double t, double *q, double *v, double *z, unsigned given);
/* Has this statement of `initial` or `guess` another value than the model's: mech_eval_set_initial? */
int eval_initial_is_given(const mech_eval *eval, size_t target);
/* Forces that follow from the solve, for those who look at them: of control (at actuators, else along coordinates) and
   of friction (along its velocities). To be said before mech_eval_acceleration. */
void eval_take_forces(mech_eval *eval, const double *control, const double *friction);
int eval_reads_forces(const mech_eval *eval); /* 0: nobody does */
void eval_put_in_force(mech_eval *eval, size_t constraint, int is_active);

/* What is measured, at the point set last (velocity at least, and the motion where it is looked at): equation.measure.
   Outputs and energy may be anything. */
MECH_MUST_CHECK mech_status eval_measure(mech_eval *eval);
int eval_measures_need_motion(const mech_eval *eval);
/* The same call's values of functions at whose zeros what is measured has a kink or jumps (*count). */
const double *eval_measure_kinks(const mech_eval *eval, size_t *count);
/* Is this coordinate one of a body's own, or one of a joint in the tree, or does it show the value of a joint that is a
   constraint? The inertia of those works along that condition alone. */
int system_coord_places(const mech_system *system, size_t coord);
int system_coord_joins(const mech_system *system, size_t coord);
int system_coord_shows(const mech_system *system, size_t coord);
/* Clocks: how many, their period and first instant with the parameters of this evaluation, and what they set: states
   (count of them) and their new values, both once mech_eval_start was called. */
size_t system_every_count(const mech_system *system);
int system_is_relaxed(const mech_system *system); /* see mech_model_read_sampled */
int system_is_sampled(const mech_system *system, size_t state);
void eval_clock(const mech_eval *eval, size_t clock, double *period, double *from);
const double *eval_samples(const mech_eval *eval, size_t clock, const size_t **state, size_t *count);

/* Delays. How many; how deep they stand in one another (0: not at all); their times with the parameters of this
   evaluation, once mech_eval_start was called; what they are of, at the point set last (velocity at least). */
size_t system_delay_count(const mech_system *system);
size_t system_delay_depth(const mech_system *system);
const double *eval_lags(const mech_eval *eval);
const double *eval_delayed(const mech_eval *eval);
/* Who gives their values (count) at a time; NULL: each is what it is of, at the same instant. */
typedef void (*eval_delay_source)(void *user, double t, double *values);
void eval_set_delay_source(mech_eval *eval, eval_delay_source source, void *user);

/* Its value shaped the model: it cannot change. */
int system_is_structural(const mech_system *system, size_t param);

/* dL/dv of what may jump with the clock, at the point set last (velocity at least): values (count), and their
   coordinates. */
const double *eval_momentum(const mech_eval *eval, const uint32_t **coord, size_t *count);
/* The same of what may jump with a state that an event sets. */
const double *eval_settable(const mech_eval *eval, const uint32_t **coord, size_t *count);
/* What is primed and may jump, after velocities. */
const double *eval_primed(const mech_eval *eval, size_t *count);
/* What statements other than holonomic constraints use of an input: its slope, the slope of its slope. The equation
   uses them; outputs, events, measures, friction, gains and samples show them. */
typedef enum eval_input_use {
    EVAL_USES_SLOPE = 1,
    EVAL_USES_SECOND = 2,
    EVAL_USES_BEYOND_FORCES =
        4, /* anywhere but in forces, dissipation, rates, laws and outputs; or a switch looks at it */
    EVAL_SHOWS_SLOPE = 8,
    EVAL_SHOWS_SECOND = 16,
    EVAL_MAY_JUMP = 32, /* its signal; or the slope of that */
    EVAL_MAY_BEND = 64
} eval_input_use;
unsigned eval_input_uses(const mech_eval *eval, size_t input);
/* The equation uses (or something shows) the slope of a signal that may jump. */
int eval_uses_jumping_slope(const mech_eval *eval);
int eval_shows_jumping_slope(const mech_eval *eval);
/* The energy of motion holds what the clock drives, and that has kinks. */
int eval_has_jumping_momentum(mech_eval *eval);

/* What a switch looks at: time and inputs alone, states too, or coordinates, velocities and what follows from them. */
typedef enum switch_driver { SWITCH_BY_CLOCK, SWITCH_BY_STATES, SWITCH_BY_MOTION } switch_driver;
switch_driver system_switch_driver(const mech_system *system, size_t index);

/* Another one of the same system, where this one stands, with its parameters, inputs and constraints in force. Laws of
   inputs in C stay with their evaluation: MECH_ERR_UNSUPPORTED. */
MECH_MUST_CHECK mech_status eval_copy(mech_eval *eval, mech_eval **copy);
/* As it was made, but for parameters, inputs and constraints in force: no call that comes finds anything of those
   before. */
void eval_forget(mech_eval *eval);

/* The first time after t at which an input given by points has one: those that are linear between them, or those that
   are held. */
double eval_next_point(const mech_eval *eval, double t, int of_held);
/* Inputs that are held between points have their values of time t from now on, at whatever time the evaluation is
   asked. The first of their points after t; HUGE_VAL: none. */
double eval_hold(mech_eval *eval, double t);

/* Where a law of the inputs is in place: du/d(q, v, z) at the point set last, (inputs x (2n + states)) by column, 0
   for inputs it does not give. NULL: there is none. A failure of the law leaves zeros. */
const double *eval_law_slope(mech_eval *eval);

int eval_has_law(const mech_eval *eval);
/* 1: the last call failed with this status for a reason of its own, that mech_eval_explain says. */
int eval_refuses_by(const mech_eval *eval, mech_status status);
/* The system is made of C functions, or a law in C gives inputs. */
int eval_has_functions(const mech_eval *eval);
/* A number for what they give at the point set last (velocity at least): their answers may change behind the
   evaluation's back. */
uint64_t eval_fingerprint(const mech_eval *eval);

/* New text of an initial value, "x + y = 2"; empty where there is none, NULL when out of memory. */
char *system_target_text(const mech_system *system, size_t target);
/* What of the bodies of a model has no inertia, in words; "": nothing. For those whom a singular mass stops. */
const char *system_thin(const mech_system *system);

#endif
