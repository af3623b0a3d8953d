/* A mechanical system in symbols: coordinates, energies or masses and forces, constraints, laws.
 *
 * A model is built by these calls (or by reading a text, lang.h), then finished once. A finished model is
 * constant: many threads may use it at once. Names are copied; they are as in the language: letters, digits and _,
 * no digit at the beginning, and indices behind (x_2, c[3], r[1,2]). A builder call that cannot accept what it
 * is given adds a diagnostic to the model's list and returns MECH_ERR_MODEL; building may go on, so that
 * all errors come together; mech_model_finish then fails. */
#ifndef MECH_MODEL_H
#define MECH_MODEL_H

#include <mech/expr.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_model mech_model;

/* diagnostics is borrowed and must outlive the model. */
MECH_API MECH_MUST_CHECK mech_status mech_model_create(mech_diagnostics *diagnostics, mech_model **model);
MECH_API void mech_model_free(mech_model *model);
/* The pool its expressions live in; borrowed. */
MECH_API mech_pool *mech_model_pool(const mech_model *model);

/* ---- symbols; none on failure ---- */
MECH_API mech_expr mech_model_time(const mech_model *model);
/* value may use earlier parameters. unit may be NULL; it is a label. */
MECH_API mech_expr mech_model_param(mech_model *model, const char *name, mech_expr value, const char *unit);
/* Velocities and accelerations are time derivatives: mech_dot(pool, x). */
MECH_API mech_expr mech_model_coord(mech_model *model, const char *name, const char *unit);
/* A first-order state; give its rate with mech_model_state_rate once its expression can be built. */
MECH_API mech_expr mech_model_state(mech_model *model, const char *name, const char *unit);
MECH_API mech_status mech_model_state_rate(mech_model *model, mech_expr state, mech_expr rate);
/* A signal that drives the system: an expression of time and parameters ... */
MECH_API mech_expr mech_model_input(mech_model *model, const char *name, mech_expr signal, const char *unit);
/* ... or a column of a CSV file, linear between its points, or held: from each point on its value up to the next one.
   */
MECH_API mech_expr mech_model_input_table(mech_model *model, const char *name, const char *file, const char *column,
                                          const char *unit);
MECH_API mech_expr mech_model_input_held(mech_model *model, const char *name, const char *file, const char *column,
                                         const char *unit);

/* ---- energies, masses and forces; all of them add up ---- */
MECH_API mech_status mech_model_kinetic(mech_model *model, mech_expr energy);
MECH_API mech_status mech_model_potential(mech_model *model, mech_expr energy);
MECH_API mech_status mech_model_dissipation(mech_model *model, mech_expr rate);
/* Entry (a, b) of M, added as it stands (and (b, a) alike); it brings no velocity terms. */
MECH_API mech_status mech_model_mass(mech_model *model, mech_expr coord_a, mech_expr coord_b, mech_expr mass);
/* A force or torque on a velocity, by virtual power: Q += (dV/dq')^T F; `count` components. */
MECH_API mech_status mech_model_force(mech_model *model, const mech_expr *force, const mech_expr *velocity,
                                      size_t count);

/* ---- constraints ---- */
/* residual[i] = 0 for each row. Without derivatives a row is holonomic, with first derivatives
   nonholonomic, with second derivatives it is a row of A q'' = b as it stands. *constraint (may be NULL)
   receives its number, from 0. */
MECH_API mech_status mech_model_constraint(mech_model *model, const char *name, const mech_expr *residual, size_t rows,
                                           size_t *constraint);
/* The constraint, of one row residual = a - b, only pushes: a >= b (side 1, its multiplier is never negative) or a <= b
   (side -1, never positive). A run finds by itself when it is struck, touched and left; at an impact its rate is given
   back times the restitution (none: 0). Events may ask for it, but not release, impose or strike it. */
MECH_API mech_status mech_model_one_sided(mech_model *model, size_t constraint, int side, mech_expr restitution);
/* The number of a constraint; SIZE_MAX when there is none of that name. */
MECH_API size_t mech_model_find_constraint(const mech_model *model, const char *name);
MECH_API size_t mech_model_constraint_rows(const mech_model *model, size_t constraint);
/* Ideal multiplier, total multiplier of a row (from 0), whether the constraint is in force (1 or 0). A control has no
   multipliers: none, with an error. */
MECH_API mech_expr mech_model_lambda(mech_model *model, size_t constraint, size_t row);
MECH_API mech_expr mech_model_reaction(mech_model *model, size_t constraint, size_t row);
MECH_API mech_expr mech_model_active(mech_model *model, size_t constraint);
/* The ideal generalized force of a constraint along one coordinate: sum of A(row, coord)*lambda(row). */
MECH_API mech_expr mech_model_force_of(mech_model *model, size_t constraint, mech_expr coord);

/* What is known of the whole model, for outputs and events: its energies (as said by all statements in the end), the
   force of control along a coordinate or, where there are actuators, at an actuator (number in their order), and the
   force of friction number `friction` along component `component` of its velocity. Where they have no meaning they are
   refused; what of them cannot be is, when the model is finished. */
typedef enum mech_total { MECH_TOTAL_KINETIC, MECH_TOTAL_POTENTIAL, MECH_TOTAL_ENERGY, MECH_TOTAL_COUNT } mech_total;
MECH_API mech_expr mech_model_total(mech_model *model, mech_total which);
MECH_API mech_expr mech_model_control_along(mech_model *model, mech_expr coord);
MECH_API mech_expr mech_model_control_at(mech_model *model, size_t actuator);
MECH_API mech_expr mech_model_friction_along(mech_model *model, size_t friction, size_t component);

/* ---- laws of constraints that do work ---- */
typedef enum mech_law_kind {
    MECH_LAW_C, /* C += (d position/dq)^T force                                  */
    MECH_LAW_Z  /* the same, but what is given is z: C = M^(1/2) z               */
} mech_law_kind;
MECH_API mech_status mech_model_nonideal(mech_model *model, mech_law_kind kind, const size_t *constraints,
                                         size_t constraint_count, const mech_expr *position, const mech_expr *force,
                                         size_t count);
/* What statements of friction become: Coulomb's law; velocities that are held (V = 0, a nonholonomic
   constraint named "friction on a, b"), to find what friction can hold at rest; or nothing. To be said before
   the first of them. */
typedef enum mech_friction_reading {
    MECH_FRICTION_READING_DRY,
    MECH_FRICTION_READING_HELD,
    MECH_FRICTION_READING_LEFT_OUT
} mech_friction_reading;
MECH_API mech_status mech_model_read_friction(mech_model *model, mech_friction_reading how);
/* Coulomb friction from the total reaction of the constraints; static_mu none: the same as mu. */
MECH_API mech_status mech_model_friction(mech_model *model, const size_t *constraints, size_t constraint_count,
                                         mech_expr mu, const mech_expr *velocity, size_t count, mech_expr static_mu);
/* Dry friction with a given bound: a force or torque of at most `bound` against the velocity, static_bound at rest
   (none: the same). name: what messages and columns call it. */
MECH_API mech_status mech_model_friction_bound(mech_model *model, const char *name, mech_expr bound,
                                               const mech_expr *velocity, size_t count, mech_expr static_bound);

/* ---- control ---- */
/* given: n x n entries by column over the coordinates or, with actuators, over the actuators; else NULL. */
MECH_API mech_status mech_model_control(mech_model *model, const char *name, const mech_expr *residual, size_t rows,
                                        mech_weight weight, const mech_expr *given, size_t given_size);
/* One actuator for each velocity expression: direction (dV/dq')^T. name may be NULL. */
MECH_API mech_status mech_model_actuator(mech_model *model, const char *name, const mech_expr *velocity, size_t count);

/* ---- start, outputs ---- */
/* initial: fixed = 1; guess: fixed = 0. target is a coordinate, a velocity or any expression of them. */
MECH_API mech_status mech_model_initial(mech_model *model, mech_expr target, mech_expr value, int fixed);
/* A constraint that events both impose and release is in force at the start; this makes it wait for them. */
MECH_API mech_status mech_model_initial_release(mech_model *model, size_t constraint);
MECH_API mech_status mech_model_steady(mech_model *model, mech_expr velocity, mech_expr value);
MECH_API mech_status mech_model_output(mech_model *model, const char *name, mech_expr value, const char *unit);

/* ---- measures: what is kept of a run ---- */
typedef enum mech_measure_kind {
    MECH_MEASURE_MAX,
    MECH_MEASURE_MIN,
    MECH_MEASURE_MEAN, /* over time                                  */
    MECH_MEASURE_RMS,
    MECH_MEASURE_FINAL, /* where the run stands                       */
    MECH_MEASURE_TIME,  /* of an event: when it happens first         */
    MECH_MEASURE_COUNT  /* of an event: how often                     */
} mech_measure_kind;
/* "max", "min", "mean", "rms", "final", "time", "count". */
MECH_API const char *mech_measure_word(mech_measure_kind kind);
MECH_API mech_status mech_model_measure(mech_model *model, const char *name, mech_measure_kind kind, mech_expr value,
                                        const char *unit);
/* time and count; the event is one of the model's, by its name. */
MECH_API mech_status mech_model_measure_event(mech_model *model, const char *name, mech_measure_kind kind,
                                              const char *event, const char *unit);
/* ---- what comes late ---- */
/* x at the time t - lag, as a value; before a run begins x is what it is at its start. x: of time, coordinates,
   velocities, states, inputs and other delays. lag: numbers and parameters, above 0. It may stand in forces, rates,
   dissipation, laws, friction, samples, events, outputs and measures. */
MECH_API mech_expr mech_model_delay(mech_model *model, mech_expr x, mech_expr lag);

/* ---- what samples ---- */
/* A value that is held between samples: a state of rate 0 that starts at `value` (numbers and parameters). Its mech_dot
   is 0, which leaves out that it jumps. */
MECH_API mech_expr mech_model_sampled(mech_model *model, const char *name, mech_expr value, const char *unit);
/* At the times from + k*period, k = 0, 1, ..., these sampled values (count) become those; all are computed before any
   is set. Clocks of one instant tick in the order of these calls. period and from: numbers and parameters; from none:
   0. */
MECH_API mech_status mech_model_every(mech_model *model, mech_expr period, mech_expr from, const mech_expr *sampled,
                                      const mech_expr *values, size_t count);
/* What the rate of a sampled value is: 0, or its new value less its old one, whose zeros are the equilibria of the
   sampled loop. To be said before the model is finished. */
typedef enum mech_sampled_reading { MECH_SAMPLED_HELD, MECH_SAMPLED_RELAXED } mech_sampled_reading;
MECH_API mech_status mech_model_read_sampled(mech_model *model, mech_sampled_reading how);

/* ---- what is drawn: <mech/show.h> ---- */
typedef enum mech_draw_kind {
    MECH_DRAW_POINT,    /* values: a point                                                     */
    MECH_DRAW_LINE,     /* two points or more                                                  */
    MECH_DRAW_TRACE,    /* a point, and where it has been                                      */
    MECH_DRAW_CIRCLE,   /* its middle, the radius; then by `turned`                            */
    MECH_DRAW_BOX,      /* its middle, edges; then by `turned`                                 */
    MECH_DRAW_CYLINDER, /* the middles of its ends, the radius                                 */
    MECH_DRAW_SPHERE,   /* its middle, the radius                                              */
    MECH_DRAW_SPRING,   /* two points                                                          */
    MECH_DRAW_ARROW     /* where it begins, a vector, and a number the vector is scaled by     */
} mech_draw_kind;
typedef struct mech_drawing {
    size_t size; /* sizeof(mech_drawing) */
    mech_draw_kind kind;
    size_t dimension;        /* 2 or 3, the same for all drawings of a model; in space z is up          */
    const mech_expr *values; /* as outputs may be                                                       */
    size_t count;
    int turned;         /* 0; 1: an angle follows, in the plane; 2: a matrix of axes follows, row by row    */
    mech_expr when;     /* drawn where it is not 0; none: always                                        */
    const char *colour; /* a word of CSS, or "#rrggbb"; NULL: chosen                                    */
    double width;       /* of lines, in pixels; 0: chosen                                               */
} mech_drawing;
MECH_API mech_status mech_model_draw(mech_model *model, const mech_drawing *drawing);

/* ---- events ---- */
typedef enum mech_direction { MECH_DIRECTION_RISES, MECH_DIRECTION_FALLS, MECH_DIRECTION_CROSSES } mech_direction;
typedef enum mech_action_kind {
    MECH_ACTION_STOP,
    MECH_ACTION_RECORD,
    MECH_ACTION_RELEASE,
    MECH_ACTION_IMPOSE,
    MECH_ACTION_IMPACT,
    MECH_ACTION_SET
} mech_action_kind;
typedef struct mech_action {
    mech_action_kind kind;
    const size_t *constraints; /* release, impose, impact: which                        */
    size_t constraint_count;
    mech_expr target; /* set: coordinate, velocity or state; impact: none               */
    mech_expr value;  /* set: its new value; impact: the coefficient of restitution     */
} mech_action;
/* trigger passes through 0 in the given direction while condition (none: always) is not 0. */
MECH_API mech_status mech_model_event(mech_model *model, const char *name, mech_expr trigger, mech_direction direction,
                                      mech_expr condition, const mech_action *actions, size_t action_count);

/* ---- how to run it ---- */
typedef enum mech_stabilize { MECH_STABILIZE_PROJECT, MECH_STABILIZE_EXCESS, MECH_STABILIZE_NONE } mech_stabilize;
/* damping (B) and stiffness (K): none for the default gains; counts 1 (one for all), m (one per row) or
   m*m (full matrices by column). constraints: only these (count 0: all). */
MECH_API mech_status mech_model_stabilize(mech_model *model, mech_stabilize how, const size_t *constraints,
                                          size_t constraint_count, const mech_expr *damping, size_t damping_count,
                                          const mech_expr *stiffness, size_t stiffness_count);
/* An option of the run by name: "from", "until", "step", "points", "rtol", "atol", "max_step" with a
   number, "method" with a word. */
MECH_API mech_status mech_model_simulate(mech_model *model, const char *option, mech_expr value, const char *word);
/* "leastnorm", "negative_mass". */
MECH_API mech_status mech_model_allow(mech_model *model, const char *what);

/* Checks the whole and derives the equations. The model is constant from here on. */
MECH_API MECH_MUST_CHECK mech_status mech_model_finish(mech_model *model);

/* ---- reading a finished model ---- */
MECH_API size_t mech_model_coord_count(const mech_model *model);
MECH_API size_t mech_model_param_count(const mech_model *model);
MECH_API size_t mech_model_row_count(const mech_model *model);
MECH_API const char *mech_model_coord_name(const mech_model *model, size_t coord);
MECH_API const char *mech_model_param_name(const mech_model *model, size_t param);
MECH_API const char *mech_model_constraint_name(const mech_model *model, size_t constraint);
MECH_API size_t mech_model_constraint_count(const mech_model *model);

/* Derived equations M q'' = Q, A q'' = b, entry by entry; zero where nothing stands. */
MECH_API mech_expr mech_model_M(const mech_model *model, size_t i, size_t j);
MECH_API mech_expr mech_model_Q(const mech_model *model, size_t i);
MECH_API mech_expr mech_model_A(const mech_model *model, size_t row, size_t j);
MECH_API mech_expr mech_model_b(const mech_model *model, size_t row);
/* Velocity form sum_k a_jk q'_k + a_j0 = 0 of a row linear in the velocities; none where it is not. */
MECH_API mech_expr mech_model_a(const mech_model *model, size_t row, size_t j);
MECH_API mech_expr mech_model_a0(const mech_model *model, size_t row);

#ifdef __cplusplus
}
#endif
#endif
