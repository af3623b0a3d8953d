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

enum {
    MECH_INSTANT_INVERSE = 1,    /* accelerations may be given: mech_instant_input.given */
    MECH_INSTANT_CONSTRAINTS = 2 /* the natural constraints by themselves, as the evaluation has them in force: laws,
                                    friction, control and gains are left out. Where the equation has no solution, the
                                    result has their `active`, `rank`, `flags` and `diagnosis` all the same */
};

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
    size_t size; /* set by mech_instant_input_default; lets the struct grow                     */
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
    const double *gains; /* (2) B, K of control rows and, where the model says `stabilize excess`, of all;
                            NULL: the model's. A control row without gains asks for r'' = 0              */
} mech_instant_input;

MECH_API void mech_instant_input_default(mech_instant_input *input, size_t size);

/* Solves. Failures, each explained in words by mech_instant_explain:
   MECH_ERR_CONFLICT        constraints contradict one another; the result is there all the same
   MECH_ERR_NOT_UNIQUE      a law uses a multiplier that is not unique (unless the model allows leastnorm)
   MECH_ERR_NO_REACTION, MECH_ERR_MANY_REACTIONS          Painleve
   MECH_ERR_NOT_REALISABLE  the actuators cannot
   MECH_ERR_SINGULAR_MASS, MECH_ERR_NOT_DEFINITE, MECH_ERR_NOT_FINITE, MECH_ERR_ARGUMENT */
MECH_API MECH_MUST_CHECK mech_status mech_instant_solve(mech_instant *instant, const mech_instant_input *input);

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

/* Where the state stands beside a one-sided constraint. */
typedef enum mech_side {
    MECH_SIDE_NONE,    /* it holds both ways                                       */
    MECH_SIDE_OPEN,    /* apart, or it is left                                     */
    MECH_SIDE_TOUCHES, /* at rest on it: in force where it presses                 */
    MECH_SIDE_STRIKES, /* touched and approached: an impact is due, a run begins with it; here it is taken as open */
    MECH_SIDE_BEYOND   /* refused                                                  */
} mech_side;

typedef enum mech_friction_mode {
    MECH_FRICTION_MODE_OFF, /* its constraints are released                   */
    MECH_FRICTION_MODE_SLIDES,
    MECH_FRICTION_MODE_HOLDS,    /* at rest, and it stays: the rows V = 0 hold     */
    MECH_FRICTION_MODE_GIVES_WAY /* at rest, but it cannot hold: sliding begins    */
} mech_friction_mode;

typedef struct mech_instant_law { /* laws of the model, then statements of friction */
    const char *name;             /* "law on cone", "friction on circle, plane"     */
    int is_friction, is_on;
    mech_law_kind kind;
    const double *C;   /* (n) before projection; for a law given by z: M^(1/2) z */
    const double *Qni; /* (n) projected by itself                                */
    /* friction only */
    mech_friction_mode mode;
    double speed;          /* |V|                                                     */
    double normal;         /* load N from the total reaction; of a given bound: that   */
    double tangential;     /* |force| along V: mu N when it slides, what is needed when it holds */
    double bound;          /* mu N, at rest static mu N                               */
    double asked, allowed; /* of one at rest, whether it holds or gives way: the force that V = 0 asks of it and
                              static mu N; 0 when it slides                       */
} mech_instant_law;

#define MECH_INSTANT_RESULT_FIELDS(X)                                                                                  \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(size_t, n, "coordinates")                                                                                        \
    X(size_t, m, "rows of the system")                                                                                 \
    X(size_t, rows, "m, rows of friction, and with MECH_INSTANT_INVERSE n more")                                       \
    X(size_t, groups, "groups of rows")                                                                                \
    X(size_t, laws, "laws, then statements of friction")                                                               \
    X(size_t, actuators, "length of u")                                                                                \
    X(double, t, "time")                                                                                               \
    X(const double *, q, "(n) positions")                                                                              \
    X(const double *, v, "(n) velocities")                                                                             \
    X(const double *, z, "(states)")                                                                                   \
    X(const unsigned char *, active, "(rows) in force")                                                                \
    X(const double *, M, "(n x n) by column")                                                                          \
    X(const double *, Q, "(n)")                                                                                        \
    X(const double *, A, "(rows x n) by column")                                                                       \
    X(const double *, b, "(rows)")                                                                                     \
    X(const double *, C, "(n) sum over the laws; NULL without laws")                                                   \
    X(const double *, law_z, "(n) z = M^(-1/2) C; NULL without laws, diagnosis or inverse of M")                       \
    X(const double *, r, "(m) how far the state is off the constraints")                                               \
    X(const double *, r_dot, "(m) the same of velocities")                                                             \
    X(const double *, qdd, "(n) accelerations")                                                                        \
    X(const double *, a, "(n) those of the unconstrained system; NaN when M has no inverse")                           \
    X(const double *, e, "(n) by how much they miss the constraints; NaN when M has no inverse")                       \
    X(const double *, Qi, "(n) ideal force of constraint")                                                             \
    X(const double *, Qni, "(n) non-ideal force of constraint")                                                        \
    X(const double *, Qc, "(n) force of control")                                                                      \
    X(const double *, u, "(actuators) control forces; NULL without control")                                           \
    X(const double *, lambda, "(rows) ideal multipliers; NaN where another weight holds, and for control")             \
    X(const double *, reaction, "(rows) total multipliers; NaN likewise")                                              \
    X(const double *, force, "(n x groups) ideal force A_k' lambda_k of each group")                                   \
    X(int, rank, "of the natural rows")                                                                                \
    X(int, servo_rank, "of the rows that control keeps")                                                               \
    X(int, dof, "n - rank - servo_rank")                                                                               \
    X(double, smallest, "least kept singular value of the rows (estimate, a few per cent; all: mech_diagnosis)")       \
    X(double, largest, "largest one")                                                                                  \
    X(double, rank_tol, "relative, in use")                                                                            \
    X(double, residual, "largest miss of A q'' = b")                                                                   \
    X(unsigned, flags, "MECH_FUNDAMENTAL_...")                                                                         \
    X(mech_weight, weight, "that decided")                                                                             \
    X(int, is_reweighted, "1: all rows are held by a force of that weight, not nature's")                              \
    X(double, zwang, "Gauss's deviation (q'' - a)' M (q'' - a); NaN when M is not definite")                           \
    X(double, drift, "largest |r| of natural rows in force")                                                           \
    X(double, drift_rate, "largest |r'| of natural rows in force")                                                     \
    X(const mech_group *, group, "(groups) in the order of the rows")                                                  \
    X(const mech_instant_law *, law, "(laws)")                                                                         \
    X(const double *, output, "(outputs)")                                                                             \
    X(const unsigned char *, output_is_choice,                                                                         \
      "(outputs) 1: uses multipliers that are not unique; NULL: no diagnosis")                                         \
    X(const double *, energy, "(5) as in mech_equation")                                                               \
    X(const mech_diagnosis_result *, diagnosis, "of natural rows (reweighted: all) in force; NULL: skipped")           \
    X(const unsigned char *, side, "(constraints) mech_side of each")                                                  \
    X(const unsigned char *, off_path,                                                                                 \
      "(m) control rows that are off their path, by more than a run at its default tolerance takes, and have no gains: r'' = 0 is asked for")
typedef struct mech_instant_result {
    MECH_INSTANT_RESULT_FIELDS(MECH_FIELD)
} mech_instant_result;

MECH_API const mech_instant_result *mech_instant_get(const mech_instant *instant);

#ifdef __cplusplus
}
#endif
#endif
