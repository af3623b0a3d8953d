/* The parts of a run. Each owns its fields, is made and visited for checkpoints in the file named above it, and is
   scratch to nobody else. A field that a later step reads before it is written is visited, or checkpoints lose it. */
#ifndef SIMULATE_PARTS_H
#define SIMULATE_PARTS_H

#include <mech/simulate.h>

#include "base/state.h"
#include "integrate/stepper.h"
#include "simulate/judge.h"
#include "simulate/trajectory.h"
#include "dynamics/dynamics.h"
#include "system/owner.h"

enum { SIM_ERROR_SIZE = 768 };

/* The advance that is under way (run.c). */
typedef struct sim_call {
    int is_moving;  /* a call that moves the run is under way: no other one from its callbacks */
    int is_in_row;  /* a row is handed out: the run is within a step                         */
    double end;     /* time does not go beyond it                                            */
    double length;  /* what would take for ever is measured by it                            */
    double horizon; /* the farthest time asked for so far; before: the end of the run -- sim_span */
    int has_been_asked;
    double held_until; /* the first point of inputs that are held: they change there, as if the caller did it */
} sim_call;

/* What a failure goes back to: the last t and y that belong together (run.c). */
typedef struct sim_good {
    double t, *y; /* (ny) */
} sim_good;

/* How it is integrated (method.c). */
typedef struct sim_way {
    sim_method method;
    int may_turn_stiff;      /* auto, and not yet on the stiff method      */
    rk_counts counts_before; /* of steppers already replaced               */
    int has_told_anew;       /* that the method begins anew at checkpoints */
} sim_way;

/* Onto the constraints (project.c). */
typedef struct sim_onto {
    unsigned char *holonomic, *velocity; /* (rows) masks -- sim_update_active                                       */
    int is_asked;    /* by the stepper, whose history would keep what a projection that waits does in jumps         */
    int is_at_point; /* the point of this evaluation is on the manifold, and evaluated                              */
    int has_factors; /* the solver's factors are of the point evaluated last                                        */
    int is_linear;   /* rows are, in the velocities                                                                 */
} sim_onto;

/* A control row without gains: what the tolerance of a step may make of r and r' at most, and what the errors of the
   steps have made of them. */
typedef struct sim_path {
    double place, rate, place_error, rate_error;
} sim_path;

/* Gains, and the paths of control (gains.c, path.c). */
typedef struct sim_control {
    size_t count_B, count_K;  /* how many gains: 0, 1, m, m*m                              */
    double *B, *K;            /* as they are given; dyn.B, dyn.K list them                 */
    sim_path *path;           /* (m)                                                       */
    unsigned char *has_gains; /* (m) the model or the settings give them                   */
} sim_control;

/* Rows that stand as A q'' = b in the model (given_rows.c). */
typedef struct sim_given_rows {
    int exist;
    double *A_before; /* (pattern of A) where they were looked at last; 0: nowhere */
} sim_given_rows;

/* Large systems by pattern (sparse.c). */
typedef struct sim_sparse {
    unsigned char *monitored; /* (m) */
    double *mass_weight;      /* (m) */
} sim_sparse;

/* What went wrong, and why calls were refused (log.c). */
typedef struct sim_trouble {
    mech_status status; /* of the last evaluation that failed                                    */
    char text[SIM_ERROR_SIZE / 2];
    int is_contradiction; /* ... and shorter steps did not help: constraints contradict one another */
    int lacks_memory;
    char error[SIM_ERROR_SIZE], warning[SIM_ERROR_SIZE];
    char refusal[200]; /* why the last call was not followed: the run stands as it was          */
} sim_trouble;

/* What creation leaves, of what changes (drive.c). */
typedef struct sim_fresh {
    char *bytes; /* NULL: not asked for yet */
    size_t size;
} sim_fresh;

typedef enum sim_watch_state {
    WATCH_FREE,
    WATCH_PENDING, /* just after an event: only what exceeds `floor` counts */
    WATCH_HELD     /* the rows in force keep it where it is: not watched    */
} sim_watch_state;
/* of the step that was looked at last */
typedef enum sim_watch_outcome {
    WATCH_QUIET,
    WATCH_PASSES, /* it crossed, and by its direction or condition sets nothing off */
    WATCH_FIRED
} sim_watch_outcome;

/* One function whose sign is watched. Its number says what it is: events, frictions, contacts, switches. */
typedef struct sim_watch {
    int sign; /* of the function since the last look; 0: not known yet          */
    sim_watch_state state;
    sim_watch_outcome outcome;
    double floor;
    double largest;                    /* |value| met: the scale of its rounding                         */
    double value;                      /* at watched_until                                               */
    double fired_at, gap, largest_gap; /* events: when last, and the times between       */
    int shrinking;                     /* so many gaps were shorter than the one before                  */
    int frequent;                      /* so many were shorter than the resolution                       */
} sim_watch;

typedef enum sim_contact_state {
    CONTACT_APART,
    CONTACT_CLOSED, /* accumulated impacts ended in contact */
    CONTACT_LEFT    /* it was in force, and still touches   */
} sim_contact_state;
/* by the impact that is under way */
typedef enum sim_contact_strike {
    STRIKE_NONE,
    STRIKE_PUSHES, /* with `restitution`, and it may only push */
    STRIKE_HOLDS   /* the same, and it may pull: imposed       */
} sim_contact_strike;
/* in its impulses */
typedef enum sim_contact_share {
    SHARE_LOADED,
    SHARE_FREE,
    SHARE_OPENS /* ... and it was closed, and leaves */
} sim_contact_share;

typedef struct sim_contact { /* of a constraint that impacts speak of */
    sim_contact_state state;
    size_t normal;  /* which of its rows is pushed along       */
    double push;    /* sign of the multiplier while it pushes; 0: not known */
    double fastest; /* approach met                            */
    sim_contact_strike strike;
    sim_contact_share share;
    double restitution;
} sim_contact;

typedef struct sim_kink {
    double t, hair; /* when, and how well that is known */
    size_t number;
} sim_kink;

typedef struct sim_resolver sim_resolver;
typedef struct sim_turns sim_turns;

typedef struct sim_happening {
    mech_happening_kind kind;
    double t;
    char *text;
    size_t capacity; /* of text */
    const char *name;
} sim_happening;

typedef struct sim_sample { /* of the rank: see passage.c */
    double t, ratio;        /* HUGE_VAL: none                                                 */
    double *y;              /* (2n + nz) where                                                */
} sim_sample;

/* What is watched: the functions whose signs count, how far they were looked at, and what happened without the clock
   advancing (events.c). */
typedef struct sim_events {
    sim_watch *watch; /* (count) */
    size_t count;
    int *was_stuck;                /* (frictions) before what is under way */
    double *values;                /* (6 x count) at the samples last looked at, and scratch */
    unsigned char *does_leave;     /* (events) scratch: a constraint that it strikes begins to separate */
    double watched_until;          /* the time of their values; NaN: none */
    sim_turns *turns;              /* see turns.c; NULL: no function of time alone */
    sim_resolver *resolver;        /* see resolve.c; NULL: nothing is watched */
    size_t open_watch, open_count; /* so many stretches in a row in which it is not known whether this one passes 0 */
    double open_since, open_until;
    /* so many stretches may hide a crossing and back; the first one's watch, and when */
    size_t unresolved, unresolved_watch;
    double unresolved_time;
    size_t first_friction, first_contact, first_switch; /* numbers of watches; before them events */
    size_t switch_count;
    size_t at_instant; /* without the clock advancing */
    double last_time;
    double kinks_since; /* so many kinks since then */
    size_t kinks;
    double strides_since; /* so many steps since then */
    size_t strides;
} sim_events;

/* Kinks of the clock and what jumps there (kink.c). */
typedef struct sim_kinks {
    size_t momentum_count;           /* entries of dL/dv that may jump */
    double *momentum, momentum_time; /* (momentum_count) at the end of the last advance, and when; NaN: not known */
    double *momentum_before, *inputs_before, *impulse; /* (momentum_count) (3 x inputs) (n) scratch */
    sim_kink ahead;  /* of the clock, that steps are to end before; t HUGE_VAL: none */
    double gap;      /* from the end of the step to beyond the kink it ends at */
    double gap_left; /* of it, where t_end lies within: the next advance begins with it */
    size_t gap_kink; /* whose it is; SIZE_MAX: a point's */
} sim_kinks;

/* Near-singular positions (passage.c). */
typedef struct sim_singular {
    sim_sample start, narrow;         /* least kept singular values: at the start of this step, and the least in it */
    sim_sample last;                  /* the latest; its y is not kept */
    sim_sample seen[3];               /* the last least ones, those of steps */
    size_t seen_count, seen_rejected; /* attempts that failed, so far */
    double largest_ratio, passage_ratio, passage_time;
    double *passage_y; /* (2n + nz) */
    int in_passage;
    double clear_step;   /* the last step that stayed clear of singular positions */
    double step_floor;   /* near one: no shorter than this, see rk_set_floor */
    int projects_stages; /* near a singular position */
} sim_singular;

/* A mass that is lost between the ends of steps (mass.c). */
typedef struct sim_mass_guard {
    int is_on;                /* M may cease to be definite */
    double *scale, slack, *y; /* (n) at the start; what rounding may take; (ny) scratch */
    size_t *order;            /* (n) in which pivots were taken */
} sim_mass_guard;

/* The account of energy and constraints (audit.c, judge.c). */
typedef struct sim_audit {
    double drift_phi, drift_velocity; /* what the last projection found */
    /* the same, of the last one that the stepper asked for: it stands when the step does */
    double step_phi, step_velocity;
    double energy_start, work_start;
    double last_balance, clear_balance; /* of the last step, of the last clear of singular positions */
    double power_tolerance;             /* of the integrated power, for methods that ask; 0: not yet */
    sim_judge judge;
} sim_audit;

/* What the caller gets: rows and the log (rows.c, log.c). */
typedef struct sim_record {
    mech_trajectory trajectory;
    double *row;        /* (columns) */
    uint32_t *touched;  /* (entries of A) scratch */
    size_t next_output; /* number of the next row by the clock */
    sim_happening *happenings;
    size_t happening_count, happening_capacity;
    size_t happening_made; /* so many have room for their text */
} sim_record;

/* The end of a step by generated code (settle.c). */
typedef struct sim_fast_end {
    int uses_motion;     /* mech_sim_use_motion */
    int has_check;       /* its code may have mech_motion_check */
    int is_settled;      /* the state at t was settled by it: see settle.c */
    size_t settled;      /* steps since the full solve looked */
    double least_margin; /* that it looked at; 0: none */
} sim_fast_end;

/* What counts as nothing (leeway.c). */
typedef struct sim_leeway {
    double *row, *rate;                                    /* (rows) */
    double *reach, *root_mass, *extent, farthest, fastest; /* (2n + nz), (n), (n) the same */
    int atol_is_own;                                       /* nobody gave it */
    double *work;                                          /* see system/sizes.h */
} sim_leeway;

/* What the caller changes between advances (change.c). */
typedef struct sim_outside {
    eval_changes seen;          /* of what callers set: those taken up so far */
    uint64_t functions;         /* what they gave where the last advance ended */
    int functions_changed;      /* ... and do not give any more */
    unsigned char *is_switched; /* (constraints) scratch */
} sim_outside;

/* Whether multipliers that somebody looks at are unique (unique.c). */
typedef struct sim_unique {
    double *work;             /* scratch */
    unsigned char *does;      /* the same */
    int is_due;               /* at the end of the next step: a start at rest shows little */
    unsigned char *is_choice; /* (outputs) its value is the least-norm choice of multipliers */
} sim_unique;

/* What the caller wants: settings, and where it is to begin. */
typedef struct sim_given {
    mech_sim_settings settings;        /* as given */
    int has_q, has_v, has_z, is_fixed; /* in y_start */
    double *y_start;                   /* (ny) what the caller wants to start from */
    unsigned char *active_first;       /* (constraints) in force when it was started */
} sim_given;

/* What implicit methods need (jacobian.c, newton.c). */
typedef struct sim_implicit {
    struct newton *newton;         /* NULL: the Jacobian is dense */
    struct derivative *derivative; /* of the equation; NULL: not made */
} sim_implicit;

/* Numbers that mean nothing between two calls. */
typedef struct sim_scratch {
    double *y_stage, *y_work, *y_row, *zero, *residual, *delta, *metric; /* (ny) (ny) (n) (rows) (n) (n x n) */
    double *row_work, *row_size, *row_scale;                             /* (rows) */
    unsigned char *row_mask;                                             /* (rows) */
    double *M_full, *A_full;                                             /* see sim_make_dense */
} sim_scratch;

/* ---- checkpoints ---- */
void sim_events_visit(mech_sim *s, state_walk *w);
void sim_kinks_visit(mech_sim *s, state_walk *w);
void sim_singular_visit(mech_sim *s, state_walk *w);
void sim_mass_visit(mech_sim *s, state_walk *w);
void sim_audit_visit(mech_sim *s, state_walk *w);
void sim_fast_visit(mech_sim *s, state_walk *w);
void sim_leeway_visit(mech_sim *s, state_walk *w);
void sim_unique_visit(mech_sim *s, state_walk *w);
void sim_friction_visit(mech_sim *s, state_walk *w);
void sim_outside_visit(mech_sim *s, state_walk *w);

#endif
