/* The fundamental equation, numbers only: given M, Q, A, b and the law C, the acceleration and every part of
   the force of constraint, for constraints of any rank.

       M q'' = Q + Qi + Qni + Qc        A q'' = b
       a = M^-1 Q,  e = b - A a,  B = A M^(-1/2)
       Qi  = M^(1/2) B^+ e                        ideal: does no virtual work
       Qni = M^(1/2) (I - B^+ B) M^(-1/2) C       non-ideal: does the virtual work of C
       Qc  = G u                                  control, where servo rows ask for it

   Where negative masses are allowed M may be indefinite, and M^(1/2) does not exist. Then, with N a basis of null(A),

       q'' = A^+ b + N z,  (N' M N) z = N' (Q + C - M A^+ b),  Qi + Qni = M q'' - Q,  Qi that of C = 0

   the same motion where M is definite; there has to be an inverse of N' M N.

   Matrices are column-major. n coordinates, m rows. */
#ifndef MECH_FUNDAMENTAL_H
#define MECH_FUNDAMENTAL_H

#include <mech/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the solver ---- */

typedef struct mech_fundamental mech_fundamental;

typedef struct mech_fundamental_settings {
    size_t size;     /* set by mech_fundamental_settings_default; lets the struct grow                */
    double rank_tol; /* a row depends on others when less than this part of it is left; default 1e-10 */
    double zero_tol; /* a row is 0 = 0 below this part of the largest row of B, if below its root in A
                        too; 0: rounding level                                                        */
    int refine;      /* steps of refinement on A q'' = b, taken only where it is missed; default 1    */
    int actuators;   /* columns of G at most; 0: n                                                    */
    int lapack_from; /* n + m from which LAPACK factors; 0: the measured default; negative: never     */
} mech_fundamental_settings;

MECH_API void mech_fundamental_settings_default(mech_fundamental_settings *settings, size_t size);

/* Allocates for n >= 1 coordinates and m >= 0 rows; nothing later allocates. settings may be NULL.
   MECH_ERR_ARGUMENT, MECH_ERR_MEMORY; *solver is NULL then. */
MECH_API MECH_MUST_CHECK mech_status mech_fundamental_create(int n, int m, const mech_fundamental_settings *settings,
                                                             mech_fundamental **solver);
/* The same for large systems of few entries: M and A of the input are then values by pattern, M its lower
   triangle, and no matrix of n x n is kept. Laws C are for it, servo rows, z and solve_law are not
   (MECH_ERR_UNSUPPORTED). Where the rank is in doubt a robust path decides; it allocates when first needed. */
typedef struct mech_fundamental_pattern {
    size_t size; /* sizeof(mech_fundamental_pattern) */
    int n, m;
    size_t M_count, A_count;
    const uint32_t *M_row, *M_column; /* lower triangle; copied, as is all else here                     */
    const uint32_t *A_row, *A_column;
    const unsigned char *monitored; /* (m) 1: known to depend on other rows, kept out of the elimination and
                                       watched; NULL: none                                               */
    const double *mass_weight;      /* (m) w > 0: w a'a of this row a, and w a'b, make a singular M definite; see
                                       mech_fundamental_find_mass; NULL: none                            */
} mech_fundamental_pattern;
/* MECH_ERR_LIMIT when elimination fills in too much, MECH_ERR_SINGULAR_MASS when a coordinate has no mass. */
MECH_API MECH_MUST_CHECK mech_status mech_fundamental_create_sparse(const mech_fundamental_pattern *pattern,
                                                                    const mech_fundamental_settings *settings,
                                                                    mech_fundamental **solver);
/* Weights (m) of rows that make M definite at these values, each living within one block of M; all 0 when M is
   definite. MECH_ERR_SINGULAR_MASS: no such rows. */
MECH_API MECH_MUST_CHECK mech_status mech_fundamental_find_mass(const mech_fundamental_pattern *pattern,
                                                                const double *M, const double *A, double *mass_weight);
typedef struct mech_fundamental_sparse_info {
    size_t size;           /* of this struct, as the library has it                    */
    size_t operations;     /* of one factorisation and one right side                  */
    size_t solves, robust; /* since creation, and those that the robust path answered  */
    size_t refinements;
    size_t monitored_missed;      /* robust ones because a monitored row was missed         */
    double weakest;               /* least sine of a kept row to the rows eliminated before it, at the last solve */
    const unsigned char *dropped; /* (m) rows that depended on others at the last solve */
} mech_fundamental_sparse_info;
/* After a solve without monitored rows: which rows (m) to monitor. Of each dependency the row with the largest share,
   so that those which stay are as independent as can be. 0: too many rows depend on others to choose, or no memory. */
MECH_API int mech_fundamental_choose_monitored(mech_fundamental *solver, unsigned char *monitored);
/* Zeros for a dense solver. */
MECH_API mech_fundamental_sparse_info mech_fundamental_sparse_info_get(const mech_fundamental *solver);

MECH_API void mech_fundamental_free(mech_fundamental *solver);

/* Borrowed for the call. What is NULL is not given. */
typedef struct mech_fundamental_input {
    size_t size;                 /* sizeof(mech_fundamental_input)                                    */
    const double *M;             /* n x n, positive semi-definite (but see allows_indefinite); the lower triangle is
                                    read                                                              */
    const double *Q;             /* n                                                                 */
    const double *A;             /* m x n                                                             */
    const double *b;             /* m                                                                 */
    const double *C;             /* n: the law of the non-ideal part; or                              */
    const double *z;             /* n: C = M^(1/2) z with the symmetric root. Not both                */
    const unsigned char *active; /* m: 0 for rows that are not in force; NULL: all are                */
    const unsigned char *servo;  /* m: 1 for rows that a control force keeps; NULL: none              */
    mech_weight weight;          /* for servo rows                                                    */
    int actuators;               /* g, columns of G; not read when G is NULL                          */
    const double *G;             /* n x g: directions of the actuators; NULL: every coordinate, g = n */
    const double *W;             /* g x g, for MECH_WEIGHT_GIVEN                                      */
    double rank_tol;             /* 0: that of the settings                                           */
    int is_quick;                /* 1: smallest, residual and the flags but MISSED are not wanted; sparse solvers
                                    leave them out                                                    */
    int is_same;                 /* 1: M, A and active hold what they held in the last solve; sparse solvers keep
                                    their factors                                                     */
    /* 1: M may have negative masses. Not for sparse solvers (MECH_ERR_UNSUPPORTED), and where M is indefinite not for z
       and MECH_WEIGHT_NATURE (MECH_ERR_NOT_DEFINITE) */
    int allows_indefinite;
} mech_fundamental_input;

enum {
    MECH_FUNDAMENTAL_SINGULAR_MASS = 1,  /* M is only semi-definite: a and e are undefined (NaN)         */
    MECH_FUNDAMENTAL_REDUNDANT = 2,      /* rows depend on one another: lambda is the least-norm choice  */
    MECH_FUNDAMENTAL_MISSED = 4,         /* A q'' = b is missed by more than rounding: rows in conflict  */
    MECH_FUNDAMENTAL_INDEFINITE_MASS = 8 /* M is indefinite, as allowed: a and e are NaN where it has no inverse */
};

/* Arrays belong to the caller; NULL: not wanted. On failure the arrays are untouched. */
typedef struct mech_fundamental_output {
    size_t size;      /* sizeof(mech_fundamental_output)                                                */
    double *qdd;      /* n: q''                                                                         */
    double *a;        /* n: the free acceleration                                                       */
    double *e;        /* m: b - A a, for all rows                                                       */
    double *Qi;       /* n                                                                              */
    double *Qni;      /* n                                                                              */
    double *lambda;   /* m: ideal multipliers, Qi = A' lambda, of least norm; 0 for other rows          */
    double *reaction; /* m: multipliers of the whole reaction, A' reaction + C = Qi + Qni             */
    double *Qc;       /* n: control force G u                                                           */
    double *u;        /* g: actuator forces                                                             */
    /* filled in */
    int rank;                  /* of the natural rows in force                                                  */
    int servo_rank;            /* of the servo rows, as the actuators reach them                                */
    double smallest;           /* smallest singular value of B that was kept (estimate, a few per cent)         */
    double largest;            /* largest row norm of B                                                         */
    double rank_tol, zero_tol; /* tolerances that decided                                             */
    double residual;           /* largest |A q'' - b| over the rows in force                                    */
    unsigned flags;
} mech_fundamental_output;

/* The whole equation at once. Failures: MECH_ERR_NOT_DEFINITE (culprit: the coordinate),
   MECH_ERR_SINGULAR_MASS (culprits: the coordinates that M and A leave undetermined; for an indefinite M those that
   move where N' M N has no inverse), MECH_ERR_NOT_REALISABLE
   (culprits: the servo rows), MECH_ERR_NOT_FINITE, MECH_ERR_ARGUMENT. */
MECH_API MECH_MUST_CHECK mech_status mech_fundamental_solve(mech_fundamental *solver,
                                                            const mech_fundamental_input *input,
                                                            mech_fundamental_output *output);

/* In two phases, for laws that look at the ideal force: first everything with C = 0, then, as often as wanted
   and cheaply, the part of a law C on the same factors. `ideal` is the output of the first phase; `output`
   may be the same struct. Servo rows are not for this way: MECH_ERR_ARGUMENT. */
MECH_API MECH_MUST_CHECK mech_status mech_fundamental_ideal(mech_fundamental *solver,
                                                            const mech_fundamental_input *input,
                                                            mech_fundamental_output *output);
MECH_API MECH_MUST_CHECK mech_status mech_fundamental_nonideal(mech_fundamental *solver, const double *C,
                                                               mech_fundamental_output *output);

/* More right sides on the factors of the last successful solve or ideal call, whose M must still stand: the q'' and
   multipliers (m, NULL: not wanted) of M q'' = Q + A' lambda, A q'' = b, rows in conflict in the sense of least
   squares. For derivatives. MECH_ERR_ARGUMENT when nothing was factored. */
MECH_API MECH_MUST_CHECK mech_status mech_fundamental_again(mech_fundamental *solver, const double *Q, const double *b,
                                                            double *qdd, double *lambda);

/* A law that depends on the total reaction, such as Coulomb's. Fills C (n) and, when dC is not NULL, its
   derivative by the multipliers (n x m; handed over zeroed); a column that is not known is NaN, and found by a
   difference. lambda (m) holds total multipliers; where there are servo rows the ideal ones (m) stand behind them, as
   they depend on the law by way of the control, and dC is n x 2m. */
typedef mech_status (*mech_reaction_law)(void *user, const double *lambda, double *C, double *dC);

/* Solves lambda = lambda_i - (A M^-1 A')^+ A M^-1 C(lambda) by Newton's method from each pattern of signs of
   the multipliers the law reads (up to 6 of them; beyond that, from the ideal ones only). For laws that are
   linear where no sign changes, such as mu |lambda|, this finds every solution. MECH_ERR_NO_REACTION when
   there is none, MECH_ERR_MANY_REACTIONS when there are several (Painleve). The law comes on top of input->C.
   Where there are servo rows lambda is that of the motion under the least control, which depends on C in turn. */
MECH_API MECH_MUST_CHECK mech_status mech_fundamental_solve_law(mech_fundamental *solver,
                                                                const mech_fundamental_input *input,
                                                                mech_reaction_law law, void *user,
                                                                mech_fundamental_output *output);

/* Inverse dynamics: the actuator forces u (g), of least u'Wu, and multipliers lambda (m) that produce given
   accelerations: M q'' = Q + Qni(C) + A' lambda + G u. u and lambda may be NULL. MECH_ERR_NOT_REALISABLE when
   the actuators cannot (culprits: the coordinates where force is missing), MECH_ERR_CONFLICT when q'' breaks
   A q'' = b (culprits: rows). */
MECH_API MECH_MUST_CHECK mech_status mech_fundamental_inverse(mech_fundamental *solver,
                                                              const mech_fundamental_input *input, const double *qdd,
                                                              double *u, double *lambda);

/* Who is behind the last failure: indices of coordinates or rows, as that failure says. Borrowed, valid until
   the next call with this solver. */
MECH_API const int *mech_fundamental_culprits(const mech_fundamental *solver, int *count);

/* ---- diagnosis: why, not how fast ---- */

typedef struct mech_diagnosis mech_diagnosis;

/* Allocates for n coordinates and m rows. */
MECH_API MECH_MUST_CHECK mech_status mech_diagnosis_create(int n, int m, mech_diagnosis **diagnosis);
MECH_API void mech_diagnosis_free(mech_diagnosis *diagnosis);

typedef struct mech_diagnosis_input {
    size_t size;
    const mech_fundamental_input *equation;  /* M Q A b C or z, active, rank_tol; rows of servo count as rows   */
    const mech_fundamental_output *solution; /* with qdd and, for the virtual work, Qi, Qni, Qc; or NULL */
    const int *group_sizes;                  /* rows of constraint k, in order; NULL: each row is one           */
    int groups;
    double conflict_rel; /* a conflict is larger than this part of the terms; 0: 1e-8       */
    double conflict_abs; /* and larger than this, in units of b                             */
} mech_diagnosis_input;

/* MECH_ERR_NOT_DEFINITE, MECH_ERR_NOT_FINITE, MECH_ERR_ARGUMENT. Conflicts and redundancy are findings, no
   failures; neither is a singular M, even one that leaves coordinates undetermined. */
MECH_API MECH_MUST_CHECK mech_status mech_diagnosis_run(mech_diagnosis *diagnosis, const mech_diagnosis_input *input);

/* lengths of scaled accelerations across and along the constraints; NaN when M is not definite */
typedef struct mech_geometry {
    double Bpb, Tas, Bpe, Nas, Ncs; /* lengths of B^+ b, T a_s, B^+ e, N a_s, N c_s   */
    double qdds;                    /* length of q''_s                                */
    double orthogonality; /* largest |cosine| between the first three and the last two that are more than rounding */
} mech_geometry;

#define MECH_DIAGNOSIS_RESULT_FIELDS(X)                                                                                \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(int, n, "coordinates")                                                                                           \
    X(int, m, "rows")                                                                                                  \
    X(int, rank, "of the rows in force")                                                                               \
    X(unsigned, flags, "MECH_FUNDAMENTAL_...")                                                                         \
    X(const double *, T, "(n x n) projector B^+ B; NULL when M is not definite")                                       \
    X(const double *, N, "(n x n) I - B^+ B; NULL when M is not definite")                                             \
    X(const double *, sigma, "min(n, m) singular values of B, descending")                                             \
    X(const double *, Z, "n x (n - rank): basis of null(A), orthonormal in M when M is definite")                      \
    X(const double *, work_Qi, "(n - rank) virtual work of Qi along each column of Z; NULL: not given")                \
    X(const double *, work_Qni, "(n - rank) of Qni; NULL: not given")                                                  \
    X(const double *, work_Qc, "(n - rank) of Qc; NULL: not given")                                                    \
    X(const unsigned char *, redundant, "m: 1 when the row depends on rows before it")                                 \
    X(const double *, depends, "m x m: entry (i, k) is how much of row k is in redundant row i")                       \
    X(const unsigned char *, unique_lambda, "m: 1 when the multiplier is unique")                                      \
    X(const unsigned char *, unique_force, "groups: 1 when the force of the constraint is unique")                     \
    X(int, conflicts, "sets of rows that contradict one another")                                                      \
    X(const unsigned char *, in_conflict, "m x conflicts: 1 for the members of each set")                              \
    X(double, zwang, "Gauss's deviation (q'' - a)' M (q'' - a); NaN when M is not definite")                           \
    X(mech_geometry, geometry, "of accelerations across and along the constraints")
typedef struct mech_diagnosis_result {
    MECH_DIAGNOSIS_RESULT_FIELDS(MECH_FIELD)
} mech_diagnosis_result;

/* Borrowed, valid until the next run or free. */
MECH_API const mech_diagnosis_result *mech_diagnosis_get(const mech_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif
#endif
