/* One instant of a system: the fundamental equation at one state, every force, and why.
 *
 *     mech_instant *instant;
 *     mech_instant_create(system, 0, &instant);               allocates; nothing later does
 *     mech_instant_input at;
 *     mech_instant_input_default(&at, sizeof at);
 *     at.q = q, at.v = v;
 *     if (mech_instant_solve(instant, &at) == MECH_OK) ... mech_instant_get(instant)->qdd ...
 *
 * Laws may use lambda() (the ideal multipliers) and reaction() (the total ones, found by Newton's method);
 * friction slides with the total reaction or holds by rows of its own. Friction's normal load: where the row
 * of a constraint lies in the range of S' (S = dV/dq', V the velocity friction acts along) its multiplier is
 * a force on V, else the multiplier itself is the load; the loads of several rows count by their length. */
#ifndef MECH_INSTANT_H
#define MECH_INSTANT_H

#include <mech/fundamental.h>
#include <mech/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_instant mech_instant;

enum { MECH_INSTANT_INVERSE = 1 }; /* accelerations may be given: mech_instant_input.given */

/* New in *instant; the system is borrowed. MECH_ERR_ARGUMENT: no coordinates, or more than the dense solver
   takes; MECH_ERR_UNSUPPORTED: friction along a velocity of more than 3 components; MECH_ERR_MEMORY. */
MECH_API MECH_MUST_CHECK mech_status mech_instant_create(const mech_system *system, unsigned flags,
                                                         mech_instant **instant);
MECH_API void mech_instant_free(mech_instant *instant);
/* Its evaluation: parameters, inputs and constraints in force are set there. Borrowed. */
MECH_API mech_eval *mech_instant_eval(const mech_instant *instant);
MECH_API const mech_system *mech_instant_system(const mech_instant *instant);

/* The model's start as it is written: values of `initial` and `guess` for plain coordinates, velocities and
   states, 0 for the others, into q, v (n) and z (states; may be NULL without states). Nothing is moved onto
   the constraints. */
MECH_API MECH_MUST_CHECK mech_status mech_instant_start(mech_instant *instant, double t, double *q, double *v,
                                                        double *z);

/* Borrowed for the call. */
typedef struct mech_instant_input {
    size_t size;         /* set by mech_instant_input_default; lets the struct grow                     */
    double t;
    const double *q, *v; /* (n)                                                                         */
    const double *z;     /* (states); NULL: as they are                                                 */
    int weight;          /* mech_weight; -1 (default): what the model says. Of control rows or, in a
                            model without, of all rows: then Qi is the force of least u'Wu in place
                            of nature's                                                                 */
    const double *W;     /* (k x k) for MECH_WEIGHT_GIVEN; k = actuators or, without them, n            */
    double rank_tol;     /* 0: the default                                                              */
    const double *given; /* (n) accelerations that the actuators are to produce, NaN: what follows; they
                            take the place of the model's control rows. Only with MECH_INSTANT_INVERSE;
                            NULL: none. Without actuators every coordinate has its own                  */
    int skip_diagnosis;  /* 1: faster; the result has no diagnosis                                      */
} mech_instant_input;

MECH_API void mech_instant_input_default(mech_instant_input *input, size_t size);

/* Solves. Failures, each explained in words by mech_instant_explain:
   MECH_ERR_CONFLICT        constraints contradict one another; the result is there all the same
   MECH_ERR_NOT_UNIQUE      a law uses a multiplier that is not unique (unless the model allows leastnorm)
   MECH_ERR_NO_REACTION, MECH_ERR_MANY_REACTIONS          Painleve
   MECH_ERR_NOT_REALISABLE  the actuators cannot
   MECH_ERR_SINGULAR_MASS, MECH_ERR_NOT_DEFINITE, MECH_ERR_NOT_FINITE, MECH_ERR_ARGUMENT */
MECH_API MECH_MUST_CHECK mech_status mech_instant_solve(mech_instant *instant,
                                                        const mech_instant_input *input);

/* New text, freed with mech_text_free: what the last failure was about, with names. NULL: out of memory. */
MECH_API char *mech_instant_explain(const mech_instant *instant);

/* ---- what is found; borrowed, valid until the next solve ---- */

typedef enum mech_group_kind {
    MECH_GROUP_CONSTRAINT, /* a constraint of the model                     */
    MECH_GROUP_CONTROL,    /* one that actuators keep                       */
    MECH_GROUP_FRICTION,   /* velocity = 0 of a statement of friction       */
    MECH_GROUP_GIVEN       /* a given acceleration                          */
} mech_group_kind;

/* Rows that belong together. */
typedef struct mech_group {
    mech_group_kind kind;
    const char *name;
    size_t index; /* of the constraint, friction or coordinate */
    size_t first_row, row_count;
} mech_group;

typedef enum mech_friction_mode {
    MECH_FRICTION_OFF,       /* its constraints are released                   */
    MECH_FRICTION_SLIDES,
    MECH_FRICTION_HOLDS,     /* at rest, and it stays: the rows V = 0 hold     */
    MECH_FRICTION_GIVES_WAY  /* at rest, but it cannot hold: sliding begins    */
} mech_friction_mode;

typedef struct mech_instant_law { /* laws of the model, then statements of friction */
    const char *name;             /* "law on cone", "friction on circle, plane"     */
    int is_friction, is_on;
    mech_law_kind kind;
    const double *C;   /* (n) before projection; for a law given by z: M^(1/2) z */
    const double *Qni; /* (n) projected by itself                                */
    /* friction only */
    mech_friction_mode mode;
    double speed;      /* |V|                                                     */
    double normal;     /* load N from the total reaction                          */
    double tangential; /* |force| along V: mu N when it slides, what is needed when it holds */
    double bound;      /* mu N, at rest static mu N                               */
    double asked, allowed; /* of one at rest, whether it holds or gives way: the force that V = 0 asks of it and
                              static mu N; 0 when it slides                       */
} mech_instant_law;

typedef struct mech_instant_result {
    size_t n, m;      /* coordinates, rows of the system                          */
    size_t rows;      /* m, rows of friction, and with MECH_INSTANT_INVERSE n more */
    size_t groups, laws, actuators; /* actuators: length of u                     */
    double t;
    const double *q, *v, *z;
    const unsigned char *active;  /* (rows) in force                              */
    /* the equation; matrices by column */
    const double *M, *Q, *A, *b;  /* (n x n) (n) (rows x n) (rows)                */
    const double *C;              /* (n) sum over the laws; NULL without laws     */
    const double *law_z;          /* (n) z = M^(-1/2) C; NULL without laws, diagnosis or inverse of M */
    const double *r, *r_dot;      /* (m) how far the state is off the constraints */
    /* its solution */
    const double *qdd, *a, *e;    /* a, e: NaN when M has no inverse              */
    const double *Qi, *Qni, *Qc;  /* (n)                                          */
    const double *u;              /* (actuators) control forces; NULL without control */
    const double *lambda, *total; /* (rows) ideal and total multipliers; NaN where another weight holds, and for control */
    const double *force;          /* (n x groups) ideal force A_k' lambda_k of each group */
    int rank, servo_rank;         /* of the natural rows; of the rows that control keeps */
    int dof;                      /* n - rank - servo_rank                        */
    double smallest, largest, rank_tol, residual;
    unsigned flags;               /* MECH_FUNDAMENTAL_...                         */
    mech_weight weight;           /* that decided                                 */
    int is_reweighted;            /* 1: all rows are held by a force of that weight, not nature's */
    double zwang;                 /* Gauss's deviation (q'' - a)' M (q'' - a); NaN when M is not definite */
    double drift, drift_rate;     /* largest |r|, |r'| of natural rows in force   */
    const mech_group *group;      /* (groups) in the order of the rows            */
    const mech_instant_law *law;  /* (laws)                                       */
    const double *output;         /* (outputs)                                    */
    const unsigned char *output_is_choice; /* (outputs) 1: uses multipliers that are not unique; NULL: no diagnosis */
    const double *energy;         /* (5) as in mech_equation                      */
    const mech_diagnosis_result *diagnosis; /* of natural rows (reweighted: all) in force; NULL: skipped */
} mech_instant_result;

MECH_API const mech_instant_result *mech_instant_get(const mech_instant *instant);

#ifdef __cplusplus
}
#endif
#endif
