/* What stands behind mech_system and mech_eval: sections of values that every kind of system fills. */
#ifndef SYSTEM_SYSTEM_H
#define SYSTEM_SYSTEM_H

#include <mech/system.h>

#include "system/owner.h"
#include "base/arena.h"
#include "base/text.h"

typedef enum system_stage {
    STAGE_PARAMETER,  /* p                 */
    STAGE_CONSTRAINT, /* t, q, z, u, active */
    STAGE_POSITION,
    STAGE_VELOCITY, /* v                   */
    STAGE_REACTION, /* lambda, reaction    */
    STAGE_EVENT,    /* a                   */
    STAGE_OUTPUT,
    STAGE_START,
    STAGE_COUNT
} system_stage;

/* Every array of results: name, what it is called, the stage that gives it, what its index counts, or row and column of
   an entry; the field of mech_equation that shows it, or size: none. */
#define SYSTEM_SECTIONS(X)                                                                                             \
    X(R, "r", CONSTRAINT, ROW, NONE, r)                                                                                \
    X(A, "A", CONSTRAINT, ROW, COORD, A)                                                                               \
    X(GRADIENT, "gradient of r", CONSTRAINT, ROW, COORD, size)                                                         \
    X(M, "M", POSITION, COORD, COORD, M)                                                                               \
    X(G, "G", POSITION, COORD, ACTUATOR, G)                                                                            \
    X(W, "weight", POSITION, NUMBER, NONE, W)                                                                          \
    X(DAMPING, "damping", POSITION, ROW, ROW, damping)                                                                 \
    X(STIFFNESS, "stiffness", POSITION, ROW, ROW, stiffness)                                                           \
    X(Q, "Q", VELOCITY, COORD, NONE, Q)                                                                                \
    X(B, "b", VELOCITY, ROW, NONE, b)                                                                                  \
    X(R_DOT, "r'", VELOCITY, ROW, NONE, r_dot)                                                                         \
    X(A0, "a0", VELOCITY, ROW, NONE, a0)                                                                               \
    X(RATE, "rate", VELOCITY, STATE, NONE, rate)                                                                       \
    X(MU, "friction", VELOCITY, NUMBER, NONE, mu)                                                                      \
    X(STATIC_MU, "static friction", VELOCITY, NUMBER, NONE, static_mu)                                                 \
    X(SLIP, "slip velocity", VELOCITY, NUMBER, NONE, slip)                                                             \
    X(SLIP_A, "slip row", VELOCITY, NUMBER, NUMBER, slip_A)                                                            \
    X(SLIP_B, "slip right side", VELOCITY, NUMBER, NONE, slip_b)                                                       \
    X(C, "C", REACTION, COORD, LAW, C)                                                                                 \
    X(C_REACTION, "dC/dreaction", REACTION, NUMBER, NUMBER, C_reaction)                                                \
    X(TRIGGER, "event", EVENT, EVENT, NONE, trigger)                                                                   \
    X(CONDITION, "condition of event", EVENT, EVENT, NONE, condition)                                                  \
    X(OUTPUT, "output", OUTPUT, OUTPUT, NONE, output)                                                                  \
    X(ENERGY, "energy", OUTPUT, ENERGY, NONE, energy)                                                                  \
    X(MEASURE, "measure", OUTPUT, MEASURE, NONE, measure)                                                              \
    X(MEASURE_KINK, "kink of a measure", OUTPUT, NUMBER, NONE, size)                                                   \
    X(TARGET, "initial", START, NUMBER, NONE, target)                                                                  \
    X(TARGET_VALUE, "value of initial", START, NUMBER, NONE, size)                                                     \
    X(TARGET_GRADIENT, "gradient of initial", START, NUMBER, NUMBER, target_gradient)                                  \
    X(STEADY, "steady", START, NUMBER, NONE, steady)                                                                   \
    X(STEADY_VALUE, "value of steady", START, NUMBER, NONE, steady_value)                                              \
    X(ACTION, "action", START, NUMBER, NONE, action)                                                                   \
    X(OPTION, "simulate", START, OPTION, NONE, size)                                                                   \
    X(CLOCK, "every", START, NUMBER, NONE, size)                                                                       \
    X(SAMPLE, "sample", START, NUMBER, NONE, size)                                                                     \
    X(DELAYED, "what is delayed", VELOCITY, NUMBER, NONE, size)                                                        \
    X(LAG, "the time of a delay", START, NUMBER, NONE, size)                                                           \
    X(MOMENTUM, "momentum", VELOCITY, COORD, UNSAID, size)                                                             \
    X(SETTABLE, "momentum", VELOCITY, COORD, UNSAID, size)                                                             \
    X(PRIMED, "what is primed", VELOCITY, NUMBER, NONE, size)

typedef enum system_section {
#define SYSTEM_SECTION_ENUM(name, text, stage, row, column, field) SECTION_##name,
    SYSTEM_SECTIONS(SYSTEM_SECTION_ENUM)
#undef SYSTEM_SECTION_ENUM
        SECTION_COUNT
} system_section;

typedef enum system_index {
    INDEX_COORD = MECH_ITEM_COORD,
    INDEX_STATE = MECH_ITEM_STATE,
    INDEX_ACTUATOR = MECH_ITEM_ACTUATOR,
    INDEX_OUTPUT = MECH_ITEM_OUTPUT,
    INDEX_MEASURE = MECH_ITEM_MEASURE,
    INDEX_EVENT = MECH_ITEM_EVENT,
    INDEX_ROW = MECH_ITEM_COUNT,
    INDEX_NUMBER, /* from 1 on */
    INDEX_LAW,
    INDEX_OPTION,
    INDEX_ENERGY,
    INDEX_UNSAID, /* columns that nobody is told of  */
    INDEX_NONE    /* no columns                      */
} system_index;

typedef struct system_section_info {
    const char *text;
    system_stage stage;
    system_index row, column;
    size_t field; /* its place in mech_equation; 0: none */
} system_section_info;
extern const system_section_info system_sections[SECTION_COUNT]; /* names.c */

enum { ENERGY_COUNT = 5 };

/* Derivatives, in the order of mech_matrix. */
typedef enum system_derivative {
    DERIVATIVE_MOTION,
    DERIVATIVE_ROW,
    DERIVATIVE_R,
    DERIVATIVE_R_DOT,
    DERIVATIVE_RATE,
    DERIVATIVE_C,
    DERIVATIVE_OUTPUT,
    DERIVATIVE_STEADY,
    DERIVATIVE_SLIP,
    DERIVATIVE_SLIP_A,
    DERIVATIVE_SLIP_ROW,
    DERIVATIVE_MU,
    DERIVATIVE_G,
    DERIVATIVE_W,
    DERIVATIVE_COUNT
} system_derivative;
/* In place of a slot: a derivative failed, see failed_part. */
#define SYSTEM_FAILED_DERIVATIVE (SIZE_MAX - 1)

/* Where the inputs stand in the slots. */
typedef struct system_inputs {
    size_t p, t, z, u, u_dot, u_ddot, active, q, v, lambda, reaction, a, control, friction, delay, count;
} system_inputs;

typedef struct system_part { /* one section of the slots */
    size_t first, count;
    uint8_t complete;       /* the stage after which all of it stands */
    uint32_t *row, *column; /* pattern, or NULL */
} system_part;

typedef struct system_names {
    const char **name, **unit;
    size_t count;
} system_names;

typedef struct system_constraint {
    size_t first_row, row_count;
    int waits;    /* not in force at the start */
    int side;     /* it only pushes: sign of its multiplier; 0: an equation */
    size_t event; /* its own, of a one-sided one */
} system_constraint;

typedef struct system_clock {
    size_t first, count; /* of all samples */
} system_clock;

typedef struct system_option {
    const char *name, *word;
} system_option;

/* What a kind of system provides. */
typedef struct system_kind {
    /* parameters that follow from others, except those that were set */
    void (*follow)(const mech_system *system, double *slots, double *scratch, const unsigned char *is_set);
    /* one stage: reads inputs and earlier sections, fills its own */
    mech_status (*run)(const mech_system *system, system_stage stage, double *slots, double *scratch);
} system_kind;

struct mech_system {
    const system_kind *kind;
    struct system_compiled *compiled; /* of a model; NULL: of C functions */
    struct system_given *given;       /* of C functions; NULL: of a model  */
    arena memory;                     /* all lists below */
    mech_sizes sizes;
    size_t control_count; /* forces of control that the model may read: at actuators or coordinates */
    system_inputs in;
    system_part parts[SECTION_COUNT];
    uint8_t stage_parts[STAGE_COUNT][SECTION_COUNT],
        stage_part_count[STAGE_COUNT]; /* those that a stage completes, without empty ones */
    size_t slot_count, scratch_count, compilations;
    system_part derivatives[DERIVATIVE_COUNT];
    size_t jacobian_count;                 /* slots of the derivatives; 0: it has none */
    int has_parameter_slopes;              /* those by the parameters are among them  */
    int gains_use_params, gains_use_state; /* the model's gains look at parameters; at anything else */
    /* with the derivatives: "abs(x) in line 3", functions of the state with kinks. Those in the equation first, then
       those that only outputs have */
    const char **kink_text;
    size_t kink_count, kinks_in_equation;
    system_names names[MECH_ITEM_COUNT];
    unsigned char *is_structural; /* (params) */
    unsigned char *input_uses;    /* (inputs) eval_input_use; NULL: none */
    mech_row *rows;
    const char **row_names; /* (m) */
    system_constraint *constraints;
    mech_law *laws;
    mech_friction *frictions;
    mech_target *targets;
    system_stage targets_need,
        values_need; /* stages before STAGE_START that `initial` looks at; its right sides alone */
    mech_event_info *events;
    mech_action_info *actions;
    mech_measure_info *measures;
    int measures_need_motion; /* they look at multipliers or accelerations */
    int reads_forces;         /* friction() or control() is looked at */
    system_option *options;
    system_clock *clocks; /* (clock_count) */
    size_t clock_count;
    size_t delay_count, delay_depth; /* delays; how often they stand in one another, 0: they do not */
    size_t *samples;                 /* the state that each sample sets */
    int is_relaxed;                  /* rates of sampled values are what they become less what they are */
    unsigned char *is_sampled;       /* (states) */
    unsigned char *coord_role;       /* (coords) model_coord_role; NULL: plain ones */
    mech_weight weight;
    mech_stabilize stabilize;
    int allows_leastnorm, allows_negative_mass;
};

/* Who says what an input is: its signal; the caller; or the run, which holds it between the points of a table. */
typedef enum input_setting { INPUT_BY_SIGNAL, INPUT_SET, INPUT_HELD } input_setting;

/* A law of the inputs, with room for what it gives. */
typedef struct eval_law {
    mech_input_law given; /* its list is of its own, in the block */
    size_t *inputs;       /* the one block                        */
    double *u;            /* (count)                              */
    double *slope;        /* (count x (2n + states))              */
    double *all;          /* (inputs x (2n + states))             */
    double *moved;        /* (2n + states)                        */
} eval_law;

struct mech_eval {
    const mech_system *system; /* borrowed */
    arena memory;              /* all arrays below                       */
    mech_equation equation;
    double *slots, *scratch;
    unsigned char *active;       /* (m)                                    */
    size_t released;             /* rows that are not in force             */
    unsigned char *param_is_set; /* (params)                               */
    unsigned char *input_is_set; /* (inputs) input_setting                 */
    eval_law *law;               /* NULL: none                             */
    double *target_value;        /* (targets) as the model says, or given  */
    double *target_given;        /* (targets) NaN: as the model says       */
    double *M_dense, *A_dense;   /* NULL when sparse                       */
    double *gradient_dense;      /* NULL when sparse, or the same as A     */
    double *jacobian;            /* NULL: the system has none              */
    size_t jacobian_parameters;  /* counts.parameters when it was computed; SIZE_MAX: never */
    int fresh;                   /* stages up to this one stand; -1: none  */
    mech_counts counts;
    mech_status failure;              /* of the last call that failed, and what it was about */
    size_t failed_slot, failed_param; /* SIZE_MAX: none */
    system_derivative failed_part;    /* with failed_slot SYSTEM_FAILED_DERIVATIVE */
    size_t failed_entry;
    const char *refusal;        /* why it did not take what a caller wanted to set; NULL: failed_... say it. Static */
    struct eval_motion *motion; /* what <mech/motion.h> keeps here, and how it goes; NULL: nothing */
    void (*motion_free)(struct eval_motion *motion);
    eval_delay_source delayed; /* NULL: a delay is what it is of      */
    void *delayed_user;
    eval_changes changes; /* by callers                              */
    int is_owned;         /* see owner.h                             */
    const char *lock;     /* the same                                */
};

/* A call fails, for a reason of its own (static, or NULL): mech_eval_explain. */
static inline mech_status system_failed(mech_eval *e, mech_status status, const char *why)
{
    e->failed_slot = e->failed_param = SIZE_MAX;
    e->refusal = why;
    return e->failure = status;
}

/* x - x is 0 for every finite x; several sums, so that they do not wait for one another */
static inline int system_all_finite(const double *x, size_t count)
{
    double sum[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (size_t k = 0; k < 8; k++) sum[k] += x[i + k] - x[i + k];
    for (; i < count; i++) sum[0] += x[i] - x[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) == 0;
}

/* What was computed with an input of this stage is stale. */
static inline void system_stale_from(mech_eval *e, int stage)
{
    if (e->fresh >= stage) e->fresh = stage - 1;
}

/* input_law.c: inputs at the time and states set: signals, then what the law gives at q, v. */
mech_status system_take_inputs(mech_eval *eval, const double *q, const double *v);
/* The velocities are others: what the law gives is asked again, and what was computed with the inputs is stale where
   it is another. */
mech_status system_follow_velocity(mech_eval *eval);
void eval_law_free(eval_law *law);
/* eval.c: brings all stages up to `stage` up to date. */
mech_status system_run_through(mech_eval *eval, int stage);
/* 1: d r/dq is not A, in some rows. */
static inline int system_has_gradient(const mech_system *s) { return s->parts[SECTION_GRADIENT].count > 0; }
/* Entries of A, or in its pattern, and M of the slots, into full matrices. */
void system_spread_rows(const mech_eval *eval, const double *entries, double *full);
void system_spread_M(const mech_eval *eval, double *full);
/* Both into those of the evaluation. */
void system_spread(mech_eval *eval);

/* names.c */
/* The stage of the start on what stands. What of it looks at later stages than stand is of another point. */
MECH_MUST_CHECK mech_status system_run_start(mech_eval *eval);
/* Lists what each stage completes, once the parts stand. */
void system_list_stages(mech_system *system);
/* Places inputs by the sizes. */
void system_place_inputs(mech_system *system);
/* Room for names and units of so many. */
mech_status system_make_names(mech_system *system, mech_item item, size_t count);
/* Fills names: `prefix`1, `prefix`2, ... where given is NULL. Names are copied. */
mech_status system_set_names(mech_system *system, mech_item item, const char *const *given, size_t count,
                             const char *prefix);
/* Once rows and constraints stand. */
mech_status system_name_rows(mech_system *system);
/* describe.c: "Q[theta]" */
void system_describe_slot(const mech_system *system, size_t slot, textbuf *text);

#endif
