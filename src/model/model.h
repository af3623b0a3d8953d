/* What the user said, kept as it was said, and the equations derived from it. Builder calls fill the
   first part, derive.c the second; a finished model is constant. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <mech/model.h>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/strmap.h"
#include "expr/pool.h"

/* Where an item came from: its statement, and the values of the loops around it. */
typedef struct model_origin {
    mech_span span;
    const int64_t *indices; /* innermost last */
    size_t index_count;
} model_origin;

typedef struct model_param {
    const char *name, *unit;
    mech_expr symbol, value; /* value may use earlier parameters */
    double number;           /* the value                        */
    int is_structural;       /* its value shaped the model: it cannot be set afterwards */
    uint32_t origin;
} model_param;

/* What a coordinate is to bodies: nothing; one of a body's own; one of a joint of the tree; the value of another joint,
   which follows from where the bodies are. */
typedef enum model_coord_role { COORD_PLAIN, COORD_PLACES, COORD_JOINS, COORD_SHOWS } model_coord_role;

typedef struct model_coord {
    const char *name, *unit;
    mech_expr q, v, a; /* symbols: position, velocity, acceleration */
    uint32_t origin;
    model_coord_role role;
} model_coord;

typedef struct model_state {
    const char *name, *unit;
    mech_expr symbol, rate;
    int is_sampled; /* held between samples */
    uint32_t origin;
} model_state;

typedef struct model_clock { /* samples at from + k*period */
    mech_expr period, from;
    const mech_expr *sampled, *value; /* (count) symbols of states, and what they become */
    size_t count;
    uint32_t origin;
} model_clock;

typedef struct model_delay { /* value at the time t - lag */
    mech_expr symbol, value, lag;
    uint32_t origin;
} model_delay;

typedef struct model_input {
    const char *name, *unit;
    mech_expr symbol, first, second; /* the signal and its time derivatives, as symbols            */
    mech_expr signal;                /* expression of t and parameters; none when it is a table    */
    const char *file, *column;       /* the table                                                  */
    int is_held;                     /* between its points, in place of straight lines             */
    uint32_t origin;
} model_input;

typedef struct model_term { /* an energy, a rate of dissipation */
    mech_expr value;
    uint32_t origin;
} model_term;

typedef struct model_gap { /* between the ends of a spring: at 0 it has no direction */
    mech_expr square;
    const char *name; /* "spring in line 4" */
} model_gap;

typedef struct model_mass {
    size_t i, j; /* coordinates, i >= j */
    mech_expr value;
    uint32_t origin;
} model_mass;

/* What moves, ready-made: its share of M and of Q, and its energies. Nothing is derived from them. */
typedef struct model_inertia {
    const size_t *coords; /* (count)                                                              */
    size_t count;
    const mech_expr *mass, *force; /* (lower triangle, by rows), (count)                          */
    mech_expr kinetic, potential;
    uint32_t origin;
} model_inertia;

typedef struct model_force {
    const mech_expr *force, *velocity;
    size_t count;
    uint32_t origin;
} model_force;

typedef enum model_level { MODEL_HOLONOMIC, MODEL_NONHOLONOMIC, MODEL_ACCELERATION } model_level;

/* Whether a nonholonomic row that is linear in the velocities can be integrated to a holonomic one, together
   with all constraints of the model: Frobenius' test, see integrable.c. */
typedef enum model_integrable {
    MODEL_INTEGRABLE_NONE, /* not asked: any other row                            */
    MODEL_INTEGRABLE_PROVEN,
    MODEL_INTEGRABLE_REFUTED,
    MODEL_INTEGRABLE_UNDECIDED
} model_integrable;

typedef struct model_row { /* one scalar equation residual = 0 */
    mech_expr residual;
    model_level level;
    int is_linear;               /* in the velocities                                                             */
    int is_rheonomic;            /* time, an input or a state stands in it                                        */
    int is_acatastatic;          /* its velocity form has a term free of velocities, or it is not homogeneous     */
    model_integrable integrable; /* known once the model is finished */
    int by_states;     /* holonomic, and the rates of its states hold velocities: what it does to velocities, A, is not
                          d phi/dq, and the other marks are those of phi' = 0. Known once the model is finished */
    size_t constraint; /* the owner */
    int is_torque;     /* of a joint: its multiplier is no force, and loads no friction */
    mech_expr lambda, reaction; /* symbols, made when first asked for; none otherwise */
} model_row;

typedef struct model_constraint {
    const char *name;
    size_t first_row, row_count; /* in the model's rows; control rows follow after the natural ones */
    int is_control;
    int waits; /* not in force at the start: events impose or strike it and never release it, or it begins released */
    int side;  /* 1: a >= b, -1: a <= b, it only pushes; 0: an equation */
    mech_expr restitution; /* of a one-sided one */
    uint32_t released_at;  /* the origin of `initial release`; 0: there is none, UINT32_MAX: it has no place */
    mech_expr active;      /* symbol, made when first asked for */
    uint32_t origin;
} model_constraint;

typedef struct model_law {
    mech_law_kind kind;
    const size_t *constraints;
    size_t constraint_count;
    const mech_expr *position, *force;
    size_t count;
    uint32_t origin;
} model_law;

typedef struct model_friction {
    const char *name; /* of one whose bound is given: mu is a force then, and there are no constraints */
    const size_t *constraints;
    size_t constraint_count;
    mech_expr mu, static_mu;
    const mech_expr *velocity;
    size_t count;
    size_t held; /* of one that is set aside: the constraint it became; SIZE_MAX: none */
    uint32_t origin;
} model_friction;

typedef struct model_actuator {
    const char *name;
    mech_expr velocity;
    uint32_t origin;
} model_actuator;

typedef struct model_initial {
    mech_expr target, value;
    int is_fixed;
    uint32_t origin;
} model_initial;

typedef struct model_steady {
    mech_expr velocity, value;
    uint32_t origin;
} model_steady;

typedef struct model_output {
    const char *name, *unit;
    mech_expr value;
    uint32_t origin;
} model_output;

typedef struct model_measure {
    const char *name, *unit;
    mech_measure_kind kind;
    mech_expr value; /* 0 where an event is measured */
    size_t event;    /* SIZE_MAX: none               */
    uint32_t origin;
} model_measure;

typedef struct model_drawing {
    mech_draw_kind kind;
    size_t dimension, count;
    mech_expr *values; /* (count) */
    int turned;
    mech_expr when; /* none: always */
    const char *colour;
    double width;
    uint32_t origin;
} model_drawing;

typedef struct model_event {
    const char *name;
    size_t contact; /* the one-sided constraint whose own event it is + 1; 0: it is the user's */
    mech_expr trigger, condition;
    mech_direction direction;
    const mech_action *actions;
    size_t action_count;
    uint32_t origin;
} model_event;

/* A force that is known once the equation is solved, as a symbol. */
typedef struct model_force_value {
    mech_expr symbol;
    enum {
        MODEL_FORCE_ALONG,
        MODEL_FORCE_AT,
        MODEL_FORCE_FRICTION
    } kind;       /* of control along a coordinate, at an actuator */
    size_t index; /* the coordinate, the actuator, the row of friction */
    uint32_t origin;
} model_force_value;

typedef struct model_stabilize {
    mech_stabilize how;
    const size_t *constraints;
    size_t constraint_count;
    const mech_expr *damping, *stiffness;
    size_t damping_count, stiffness_count;
    uint32_t origin;
} model_stabilize;

typedef struct model_option {
    const char *name, *word;
    mech_expr value;
    uint32_t origin;
} model_option;

/* A sparse vector or matrix entry. */
typedef struct model_entry {
    uint32_t row, column;
    mech_expr value;
} model_entry;

typedef struct model_entries {
    model_entry *items;
    size_t count, capacity;
} model_entries;

/* M q'' = Q, A q'' = b and what belongs to them. Rows stand in the model's order. */
typedef struct model_equations {
    model_entries M;        /* lower triangle, by column then row                              */
    mech_expr *Q;           /* (n)                                                             */
    model_entries A;        /* (m x n), by row then column                                     */
    mech_expr *gradient;    /* (entries of A) d phi/dq, 0 in rows without phi. NULL: it is A, no row is by_states */
    mech_expr *b;           /* (m)                                                             */
    mech_expr *r, *r_dot;   /* (m) excess variables: r = phi or none, r' = phi' or psi or none */
    mech_expr *a0;          /* (m) velocity form, none where the row is not linear             */
    model_entries C;        /* (n x laws): column = law, the generalized force before projection */
    model_entries G;        /* (n x actuators)                                                 */
    model_entries momentum; /* (n, column 0) dL/dv of the terms in which it may jump with the clock */
    model_entries settable; /* (n, column 0) dL/dv of the terms with states in it, where events set states */
    mech_expr kinetic, potential, dissipation; /* sums of the terms                          */
    uint32_t not_quadratic;                    /* origin of the last energy that brings velocities into M       */
    mech_expr energy;                          /* h = q'.dL/dq' - L                                               */
    mech_expr power; /* dh/dt without the constraints' share: impressed power - dL/dt - dissipation */
} model_equations;

struct mech_model {
    mech_pool *pool;
    mech_diagnostics *diagnostics; /* borrowed */
    arena memory;
    mech_expr time;
#define MODEL_LIST(type, name)                                                                                         \
    type *name;                                                                                                        \
    size_t name##_count, name##_capacity;
    MODEL_LIST(model_param, params)
    MODEL_LIST(model_coord, coords)
    MODEL_LIST(model_state, states)
    MODEL_LIST(model_input, inputs)
    MODEL_LIST(model_term, kinetic)
    MODEL_LIST(model_term, potential)
    MODEL_LIST(model_term, dissipation)
    MODEL_LIST(model_gap, gaps)
    MODEL_LIST(model_mass, masses)
    MODEL_LIST(model_inertia, inertias)
    MODEL_LIST(model_force, forces)
    MODEL_LIST(model_row, rows)
    MODEL_LIST(model_constraint, constraints)
    MODEL_LIST(model_law, laws)
    MODEL_LIST(model_friction, frictions)
    MODEL_LIST(model_friction, set_aside) /* friction that was read otherwise: held, or left out */
    mech_friction_reading friction_reading;
    MODEL_LIST(model_actuator, actuators)
    MODEL_LIST(model_force_value, force_values)
    MODEL_LIST(model_initial, initials)
    MODEL_LIST(model_steady, steadies)
    MODEL_LIST(model_output, outputs)
    MODEL_LIST(model_event, events)
    MODEL_LIST(model_measure, measures)
    MODEL_LIST(model_clock, clocks)
    MODEL_LIST(model_delay, delays)
    MODEL_LIST(mech_expr, primed) /* what a statement of the equation primes, where it may jump */
    mech_sampled_reading sampled_reading;
    MODEL_LIST(model_drawing, drawings)
    MODEL_LIST(model_stabilize, stabilizers)
    MODEL_LIST(model_option, options)
    MODEL_LIST(const char *, files) /* that were read besides the texts: tables */
    const char *thin;               /* what of the bodies has no inertia, in words, or NULL                       */
    void *mechanism;                /* bodies the model was made of, for reports, and what frees them; or NULL */
    void (*free_mechanism)(void *mechanism);
    MODEL_LIST(const char *, lets)    /* names of values and functions, which leave no other trace */
    MODEL_LIST(model_origin, origins) /* origin k is origins[k-1] */
    mech_weight weight;               /* of the control rows      */
    const mech_expr *given_weight;
    size_t given_weight_size;
    int allow_leastnorm, allow_negative_mass;
    int is_finished;
    int out_of_memory;       /* an allocation failed somewhere: the model cannot be finished */
    strmap symbols;          /* names of parameters, coordinates, states, inputs, outputs, measures */
    strmap constraint_names; /* to their numbers                                             */
    strmap event_names;
    uint32_t origin;                    /* of the items added now                                       */
    size_t derivations;                 /* how often the equations were derived: once                   */
    mech_expr totals[MECH_TOTAL_COUNT]; /* symbols, made when first asked for */
    model_equations equations;
};

/* What derives more from a finished model works on a twin: the same lists, and a pool of its own. So a finished model
   is constant, and what is made from it does not depend on what others made of it. The model must outlive its twin.
   NULL when out of memory. */
mech_model *model_twin(const mech_model *model);
void model_twin_free(mech_model *twin);

/* Items added from now on carry this place; lang calls it before each statement and iteration. */
mech_status model_set_origin(mech_model *model, mech_span span, const int64_t *indices, size_t index_count);
/* The span of an origin number (0: nowhere). */
mech_span model_span(const mech_model *model, uint32_t origin);
/* A value or a function of the text has this name: what is printed later keeps clear of it. */
mech_status model_keep_let(mech_model *model, const char *name);
/* A file was read for it, besides its texts. */
mech_status model_keep_file(mech_model *model, const char *path);
/* A parameter's value was used while the model was read (a loop bound, an index, a structural if). */
void model_mark_structural(mech_model *model, mech_expr param_symbol);
/* Numerical value of an expression of parameters, with their declared values. MECH_ERR_MODEL when it
   holds anything else. */
mech_status model_constant(mech_model *model, mech_expr e, double *value);
/* Borrowed entry or zero. */
mech_expr model_entry_at(const model_entries *entries, size_t row, size_t column);

/* Fills level, is_linear, is_rheonomic, is_acatastatic of a row; adds an error when it cannot be one. */
mech_status model_classify_row(mech_model *model, const char *name, model_row *row);
/* Partials of what velocities do to the rate of e(t, q, z): d e'/dv, symbols are velocities, where its rate was
   given. Else it is de/dq (then symbols are coordinates) unless rates of states in e hold velocities: *by_states. */
mech_status model_virtual_gradient(mech_model *model, mech_expr e, expr_gradient *gradient, int *by_states);
/* The marks of a row by_states, from phi' and its partials by the velocities. */
void model_classify_by_states(mech_model *model, model_row *row, mech_expr r_dot, const expr_gradient *gradient);
/* Appends a zeroed item to one of the model's lists: its address, NULL when out of memory. */
void *model_push(mech_model *model, void *list_address, size_t *count, size_t *capacity, size_t size);
#define MODEL_PUSH(model, list)                                                                                        \
    model_push((model), &(model)->list, &(model)->list##_count, &(model)->list##_capacity, sizeof *(model)->list)
/* Adds an inertia: coordinates (symbols, each once), the entries (i, j <= i) of M at mass[i*(i + 1)/2 + j], what stands
   in Q, and the energies. They must be what Lagrange's equations give: force_i = d(T - V)/dq_i - D0 dT/dv_i, D0 = d/dt
   with the accelerations dropped; that is minus the c of M q'' + c = ..., and with the weight where potential is given
   (it may be none). So v.(M'.v/2 + force) = -V' is known, and no account computes M'. Time, inputs and states may stand
   in it. */
mech_status model_add_inertia(mech_model *model, const mech_expr *coords, size_t count, const mech_expr *mass,
                              const mech_expr *force, mech_expr kinetic, mech_expr potential);
/* Copies into the model's memory; NULL when out of memory, or with nothing to copy. A failure is remembered. */
const char *model_keep(mech_model *model, const char *text);
const mech_expr *model_copy(mech_model *model, const mech_expr *list, size_t n);
/* A building call with an expression that was never made: why. */
mech_status model_missing(mech_model *model);
#define MODEL_NEED(e)                                                                                                  \
    do {                                                                                                               \
        if (!(e).id) return model_missing(m);                                                                          \
    } while (0)
/* Says so when it is not a name. */
mech_status model_check_name(mech_model *model, const char *name);
/* Takes a new name, or says that it is taken. */
mech_status model_take_name(mech_model *model, const char *name, const char **kept);
/* An error at the place of the items added now; returns MECH_ERR_MODEL. Where memory ended, no word: MECH_ERR_MEMORY.
   */
mech_status model_error(mech_model *model, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The factor that all entries of a row of A share (1: none): numbers and whole factors. */
mech_expr model_row_factor(mech_model *model, size_t row);

/* Said where the model's pool is full. */
extern const char model_too_large[];

/* sampled.c */
/* Sampled values stand where they may; their rates, as they are read. Before the equations are derived. */
mech_status model_replace_sampled(mech_model *model);
/* A sampled value that stands in e; NULL: none. */
const char *model_sampled_name(mech_model *model, mech_expr e);

/* degrees.c: warns where an angle in degrees stands in sin, cos or tan as it is. */
mech_status model_check_degrees(mech_model *model);
/* primed.c: e is primed; kept where it holds what jumps, and nothing but states and inputs. */
MECH_MUST_CHECK mech_status model_note_primed(mech_model *model, mech_expr e);
/* A function stands in e that jumps, or (bends) one whose slope does. */
MECH_MUST_CHECK mech_status model_may_jump(const mech_model *model, mech_expr e, int bends, int *may);

/* delays.c */
/* Delayed values stand where they may. Before the equations are derived. */
mech_status model_replace_delays(mech_model *model);
/* Delays of a loop that samples, of whole samples, as sampled values more; `relax` gives those there are their rates.
   */
mech_status model_relax_delays(mech_model *model, mech_status (*relax)(mech_model *model));
/* 1: a delayed value stands in it. */
int model_holds_delay(mech_model *model, mech_expr e);

/* totals.c */
/* 1: a symbol EXPR_LATE stands in it, which has no derivatives. */
int model_holds_late(mech_model *model, mech_expr e);
/* Does a multiplier of a row stand in it? active() is none. */
mech_status model_holds_multiplier(const mech_model *model, mech_expr e, int *holds);
/* And one that is not ideal? */
mech_status model_holds_total_multiplier(const mech_model *model, mech_expr e, int *holds);
/* Energies take the place of their symbols in outputs and events; forces of control and friction are looked at. */
mech_status model_replace_totals(mech_model *model);

/* sided.c: a coefficient that is a number, and wrong. */
mech_status model_check_restitution(mech_model *model, mech_expr e);
/* One-sided constraints get their events, behind those of the user; what these may not do to them is said. */
mech_status model_make_contacts(mech_model *model);

/* derive.c */
mech_status model_derive(mech_model *model);
void model_equations_free(model_equations *equations);

/* integrable.c: sets `integrable` of the linear nonholonomic rows; needs the equations. The model's pool
   gains no nodes. */
mech_status model_test_integrable(mech_model *model);

#endif
