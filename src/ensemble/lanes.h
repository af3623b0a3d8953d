/* Runs on lanes: what their parts share. Arrays hold the lanes of one component side by side: component i of lane j is
   x[i*LANES + j]. Masks are -1 or 0 in each lane. docs/decisions/0033-lanes-of-runs.md. */
#ifndef ENSEMBLE_LANES_H
#define ENSEMBLE_LANES_H

#include "ensemble/backend.h"

#include "base/chebyshev.h"
#include "compile/tape.h"
#include "integrate/rk_tables.h"

enum { LANES = TAPE_LANES, LANES_POINTS = CHEBYSHEV_MOST + 1, LANES_DEPTH = 48 };

typedef struct lanes_code { /* constant, shared by workers */
    const mech_system *system;
    tape *motion;            /* q'', power, rates; multipliers and what a check has, where there are rows */
    tape *measure;           /* what is measured; NULL: nothing is measured along steps                   */
    mech_motion_code *start; /* for the starts of runs: never compiled, so that no run waits for that */
    const rk_tableau *table;
    int may_turn_stiff;
    int has_dq, has_dv;
    size_t n, m, nz, ny, measures;
    mech_measure_kind *kind; /* (measures) */
} lanes_code;

typedef double lanes_row[LANES];
typedef int64_t lanes_mask[LANES];

/* The step of each lane: what the controller reads and writes. */
typedef struct lanes_clock {
    _Alignas(64) lanes_row t, end, h, used, t_new;
    lanes_row rtol, atol, longest; /* longest step: HUGE_VAL where there is none */
    lanes_row error, before;       /* of this step; log2 of the one before it    */
    lanes_row stiffness;
    lanes_mask is_last, is_accepted, was_rejected;
} lanes_clock;

/* Stretches of a step that wait to be looked at, the next one last. */
typedef struct lanes_stretches {
    double a[LANES_DEPTH], b[LANES_DEPTH];
    size_t count, seen, most; /* so many are looked at, and how many may be */
} lanes_stretches;

typedef struct lanes_run { /* what a lane knows of its run beside numbers that lanes share */
    mech_sim *sim;
    size_t row; /* of the block; SIZE_MAX: it has none */
    size_t steps, next_look;
    double shortest; /* step */
    lanes_stretches stretches;
} lanes_run;

typedef struct lanes_spikes lanes_spikes; /* lanes_spikes.c */

typedef struct lanes {
    const ensemble_job *job;
    const lanes_code *code;
    lanes_run run[LANES];
    mech_sim *whole; /* for runs that are handed on; NULL: there was none */
    size_t handed_on;
    lanes_clock clock;
    _Alignas(64) lanes_mask has_run, doubt, is_fresh; /* fresh: its first slope is to come */
    lanes_row error_sum, free_sum;                    /* of the steps since the account was last looked at */
    lanes_row margin_most;
    double *memory; /* all that follows */
    double *motion_slots, *measure_slots;
    double *params;                              /* (params) rows                                             */
    double *zeros;                               /* a row                                                     */
    double *y, *y_new, *stage, *work, *work2;    /* (ny) rows                                         */
    double *slope[RK_MAX_STAGES + 1];            /* (ny) rows each; the last: at a point that was projected   */
    double *dense[4 + RK_MAX_DENSE];             /* (ny) rows each: the interpolant of the step               */
    double *row_leeway, *rate_leeway;            /* (m) rows                                                  */
    double *check;                               /* rows: r, r', dq, dv, h, kinetic, margin                   */
    double *best, *integral, *size;              /* (measures) rows                                           */
    double *values;                              /* (LANES_POINTS x measures) rows                            */
    double *point;                               /* (measures) rows                                           */
    double *time;                                /* a row: of the states at hand                              */
    double *swift_kept, *swift_low, *swift_high; /* rows, see lanes_swift.c */
    double *swift_lane;                          /* what one lane has of them                                 */
    struct bound *swift_room;
    const struct system_swift *swift; /* NULL: samples tell */
    size_t swift_inputs;
    lanes_spikes *spikes;  /* NULL: there can be none */
    const double **inputs; /* (inputs of the system) rows of the tapes                  */
    double **outputs;      /* (outputs of the tape) rows                                */
} lanes;

/* ---- lanes_vector.c: loops over lanes, by the vectors of the processor ---- */

typedef struct lanes_terms { /* the nonzero coefficients of a row of a table */
    int count;
    int stage[RK_MAX_STAGES];
    double value[RK_MAX_STAGES];
} lanes_terms;

typedef struct lanes_vectors {
    /* out = base + h * sum of value*slope; base NULL: 0; h NULL: 1. rows: of out */
    void (*combine)(size_t rows, const lanes_terms *terms, double *const *slope, const double *base, const double *h,
                    double *out);
    /* clock->used, t_new, is_last from h, t and end */
    void (*choose)(lanes_clock *clock);
    /* clock->error from error estimates (rows), second NULL where there is none */
    void (*judge)(size_t rows, const double *y, const double *y_new, const double *first, const double *second,
                  lanes_clock *clock);
    /* accepted or not, and the next step */
    void (*control)(const rk_tableau *table, const int64_t *has_run, lanes_clock *clock);
    /* to = from where the mask is */
    void (*blend)(size_t rows, const int64_t *mask, const double *from, double *to);
    /* to += from where the mask is */
    void (*add)(size_t rows, const int64_t *mask, const double *from, double *to);
    /* |h lambda| of the step, at most so much, into its running mean where accepted */
    void (*stiffness)(size_t rows, double most, const double *first, const double *second, const double *y,
                      const double *stage, lanes_clock *clock);
    /* the interpolant's first four rows */
    void (*hermite)(size_t rows, const double *y, const double *y_new, const double *first, const double *last,
                    const double *h, double *const *dense);
    /* the interpolant at theta (a row) of the step */
    void (*interpolate)(size_t rows, int last, double *const *dense, const double *theta, double *out);
    /* where |x| > most in some row, or is no number: the mask is set */
    void (*beyond)(size_t rows, const double *x, const double *most, int64_t *mask);
    /* where x is not from low to high in some row: the mask is set */
    void (*outside)(size_t rows, const double *x, const double *low, const double *high, int64_t *mask);
} lanes_vectors;
const lanes_vectors *lanes_vectors_get(void);

/* ---- lanes.c ---- */
/* What counts as nothing in the rows of a lane, by the size of their terms where it is. */
void lanes_grow_leeway(lanes *w, size_t lane);

/* ---- lanes_step.c ---- */
/* Slope of y at time, with what a check has where asked; lanes in doubt in w->doubt. */
void lanes_evaluate(lanes *w, const double *time, const double *y, double *slope, int with_check);
/* One attempt of all lanes: clock.is_accepted tells. What lanes accepted is measured and projected. */
void lanes_attempt(lanes *w);

/* ---- lanes_swift.c: do samples of a stretch tell what is between them? system/swift.h ---- */
enum { LANES_KEPT = (LANES_POINTS + 1) / 2 }; /* points of which is kept what is asked */
size_t lanes_swift_inputs(const lanes_code *code);
MECH_MUST_CHECK mech_status lanes_swift_create(lanes *w);
void lanes_swift_begin(lanes *w, size_t lane); /* a run: it depends on nothing that was in its lane before */
/* What was looked at last, as point number `point`. */
void lanes_swift_keep(lanes *w, int point);
/* Of the lanes that are looked at, those of which the points that are kept do not tell. */
void lanes_swift_find(lanes *w, const int64_t *is_looked_at, int64_t *is_swift);

/* ---- lanes_spikes.c: may a spike hide in a step? ---- */
MECH_MUST_CHECK mech_status lanes_spikes_create(lanes *w);
void lanes_spikes_free(lanes *w);
void lanes_spikes_begin(lanes *w, size_t lane); /* a run */
/* Gives steps that would be accepted an error where one may. */
void lanes_spikes_judge(lanes *w);

/* ---- lanes_measure.c ---- */
/* Along the step that was accepted, before it is projected. */
void lanes_measure(lanes *w);

#endif
