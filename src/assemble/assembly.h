/* The consistent start: its rows, and how far from done. start.c is Newton's method, recover.c what is tried and said
   where it gives up, missed.c which coordinates that concerns, least_squares.c where rows miss one another least,
   follow.c coordinates that lead, create.c what all of it stands on. */
#ifndef ASSEMBLE_ASSEMBLY_H
#define ASSEMBLE_ASSEMBLY_H

#include <mech/assemble.h>
#include <mech/fundamental.h>

#include "base/arena.h"

enum { POSITION = 0, VELOCITY = 1 }; /* levels */
/* What a target says of its level: a value that `initial` fixes, or what `guess` says of more than one coordinate. */
enum { FIXES = 1, GUESSES = 4 };
enum { ASSEMBLY_ERROR_SIZE = 768 };
#define MET_NEARLY 1e3 /* times what may be left of a row: what rounding leaves where no step makes it less */

/* Rows of a level, where it was looked at last: constraints, then targets, then coordinates that are held. */
typedef struct assembly_rows {
    size_t entry_count; /* of A, of the targets, of held coordinates */
    uint32_t *entry_row, *entry_column;
    double *entry;         /* (entry_count)                                     */
    double *A_dense;       /* (rows x n) the same; sparse: made when first asked for */
    double *b;             /* (rows) negative residuals                         */
    unsigned char *active; /* (rows)                                            */
    double *row_size;      /* (rows) what may be left of it                     */
    double *row_scale;     /* (rows) what it is made of                         */
    double *weight;        /* (rows) sum of |A_ij| where Newton's method began  */
    double norm;           /* of the residuals over their tolerances            */
    double excess;         /* largest residual over its tolerance               */
    size_t worst;
} assembly_rows;

/* Coordinates whose values may be held, so that the rest follows: follow.c. */
typedef struct assembly_held {
    size_t count;
    size_t *coord;              /* (count)                                           */
    unsigned char *may_be;      /* (n) those: without mass, and joints               */
    unsigned char *is_massless; /* (n) those of them that the metric gives no say    */
    unsigned char *is_new;      /* (2n) values that are new                          */
    double *value;              /* (2n) those                                        */
    unsigned char *may_now;     /* (n) at this level, and which of them              */
    uint32_t *part;             /* (n + rows) what goes by itself: by a coordinate   */
    unsigned char *part_has;    /* (n) by the same                                   */
    int is_on;                  /* those marked in `now` are rows, too               */
    unsigned char *now, *was;   /* (n) are held, were held where their place was new */
    double *at;                 /* (n)                                               */
    double *y_model;            /* (2n + nz) what the model says                     */
} assembly_held;

/* Where Newton's method stands: start.c. */
typedef struct assembly_progress {
    int is_finite;
    int turns;      /* steps it took                                             */
    int nudges;     /* and nudges where there was none                           */
    double fall[2]; /* what the last one, and that before, left of the residuals */
} assembly_progress;

struct mech_assembly {
    /* constant after creation */
    const mech_system *system;
    mech_eval *eval; /* borrowed */
    const mech_equation *eq;
    mech_sizes sizes;
    size_t n, m, nz;
    size_t rows;   /* m + targets + held.count: constraints, `initial` values, held coordinates */
    int is_sparse; /* the evaluation has no dense matrices */
    mech_pattern M, A, target;
    size_t *target_entry;        /* (of the level of each target) number in target_gradient        */
    unsigned char *target_level; /* (targets)                                                      */
    unsigned char *target_asks;  /* (targets) FIXES or GUESSES << its level; 0: it asks for no row */
    int all_ask;                 /* all of these                                                   */
    arena memory;
    mech_fundamental *solver;  /* (n, rows) */
    mech_diagnosis *diagnosis; /* (n, rows); sparse: made when first asked for */
    char **names;              /* (2n) of coordinates and velocities */
    /* the question */
    mech_assemble_options given;
    double *y;       /* (2n + nz) */
    double *y_given; /* (2n + nz) before anything moved */
    /* the level at hand */
    int level;
    int with_control;
    int is_kept;             /* given as a whole and fixed: nothing may move   */
    int meets_guesses;       /* guesses of expressions are rows, too           */
    unsigned char *left_out; /* (rows) 1: for a look beside the point          */
    double *x;               /* (n) what moves: q or v within y                */
    assembly_rows seen;
    assembly_held held;
    assembly_progress newton;
    /* scratch */
    double *zero, *delta, *x_work; /* (n)                              */
    double *x_flat;                /* (n + rows)                       */
    double *metric;                /* (n x n); sparse: (entries of M)  */
    double *M_dense;               /* sparse: made when asked for      */
    double *size_work;             /* see system/sizes.h               */
    unsigned char *member;         /* (rows)                           */
    unsigned char *is_missed;      /* (n)                              */
    uint32_t *joined;              /* (n + rows) see missed.c          */
    /* the answer */
    mech_move *moves; /* (2n) */
    size_t move_count;
    char error[ASSEMBLY_ERROR_SIZE];
};

/* What coordinates are measured by where they are 0: 1, and less where atol asks for more than usual. */
double assembly_unit(const mech_assembly *a);
/* What may be left of a row besides what rounding makes of its coordinates; weight: sum of |A_ij|, size: of its
   terms. */
double assemble_leeway(double atol, double row_tol, double weight, double size);
/* The diagonal of |M|, nowhere 0: a metric whatever M is. values: by pattern; to: by pattern too (is_sparse), or (n x
   n). */
void assemble_plain_metric(const mech_pattern *M, const double *values, size_t n, int is_sparse, double *to);

/* create.c: what solvers by pattern are made of. */
mech_fundamental_pattern assemble_pattern(size_t n, size_t rows, const mech_pattern *M, const mech_pattern *A);
/* create.c: dense matrices of a large system (M by pattern spread, A as it is) and a diagnosis, for what is rare, made
   when first asked for. 0: too large, or no memory. */
int assemble_make_dense(arena *memory, const mech_pattern *M, const double *values, size_t n, size_t rows,
                        double **M_to, double **A_to, mech_diagnosis **diagnosis);
/* The same of what was looked at last. */
int assembly_make_dense(mech_assembly *a);
/* start.c: the rows seen last as a matrix: A_dense. */
void assembly_spread(mech_assembly *a);
/* start.c: MECH_ERR_INTERRUPTED when it is to be given up. */
mech_status assembly_poll(const mech_assembly *a);
/* start.c: the evaluation at y. */
MECH_MUST_CHECK mech_status assembly_set_point(mech_assembly *a);
/* start.c: rows and residuals at y. 0: some value is not finite. */
int assembly_look(mech_assembly *a);
/* start.c: 1: what was seen last is met, to rounding. */
int assembly_is_met(const mech_assembly *a);
/* start.c: Newton's method from x. is_met: 1, or 0 with a->worst. */
MECH_MUST_CHECK mech_status assembly_newton(mech_assembly *a, int *is_met);
/* start.c: refuses what is met where its gradient vanishes. vanishing: the row, or SIZE_MAX where it is to be looked
   for. */
MECH_MUST_CHECK mech_status assembly_see_flat(mech_assembly *a, size_t vanishing, int *is_met);
/* start.c: from x, onto all rows but those left out, without a search beside. Not met: x is where it ended. */
MECH_MUST_CHECK mech_status assembly_onto_all(mech_assembly *a, int *is_met);
/* start.c: the question, and y where it begins; what was found before stays, but for words and moves. */
MECH_MUST_CHECK mech_status assembly_take_options(mech_assembly *a, const mech_assemble_options *options);
/* start.c: is the level at hand given as a whole? */
int assembly_is_given(const mech_assembly *a, int level);
/* start.c: the level that is brought onto its rows from here on. */
void assembly_begin_level(mech_assembly *a, int level);
/* start.c: what moved since y_given, but for rounding beside what moved most. */
void assembly_report_moves(mech_assembly *a);
/* follow.c: what is new beside the model, in y. */
void assembly_find_new(mech_assembly *a);
/* follow.c: at this level, the rest follows values that are kept. is_met: with all other rows; else the rows of parts
   where it is so are left out from here on. */
MECH_MUST_CHECK mech_status assembly_hold_values(mech_assembly *a, int *is_met);
/* sides.c: the same `assemble`, and then with the one-sided constraints in force that its state is beyond. */
MECH_MUST_CHECK mech_status assembly_onto_sides(mech_assembly *a, mech_status (*assemble)(mech_assembly *a));
/* missed.c: 1 for coordinates of the rows that were seen missed last, and for those joined to them by rows in force.
   All where what moves such a row is not known. is_missed: (n). */
void assembly_find_missed(mech_assembly *a, unsigned char *is_missed);
/* missed.c: the least coordinate of those that rows in force, or masses, join to each coordinate; behind them, of each
   row: n or more where it has none. part: (n + rows). */
void assembly_find_parts(const mech_assembly *a, uint32_t *part);
/* least_squares.c: moves x to where the sum of squares of the residuals is least. */
void assembly_least_squares(mech_assembly *a);
/* recover.c: where Newton's method gave up: least squares from there, then all of it from displaced guesses. Not met: x
   is where the first search ended. */
MECH_MUST_CHECK mech_status assembly_recover(mech_assembly *a, int *is_met);
/* recover.c: it is met where its gradient vanishes. */
mech_status assembly_report_vanishing(mech_assembly *a, size_t row);
/* recover.c: what is not met, and whether it cannot be. */
MECH_MUST_CHECK mech_status assembly_report(mech_assembly *a);

#endif
