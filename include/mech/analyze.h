/* Stability: Routh-Hurwitz, linearization on the constraints, equilibria and steady motions, gains.
 *
 * Matrices are column-major. Polynomials are given with the highest power first.
 *
 * What is exact is computed by GMP, which ends the process when memory runs out: its memory functions are one for the
 * whole process, so the library leaves them alone. A program that wants other words there sets them
 * (mp_set_memory_functions, before its first call; they may not return), as the command `mech` does. */
#ifndef MECH_ANALYZE_H
#define MECH_ANALYZE_H

#include <mech/base.h>
#include <mech/instant.h>
#include <mech/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- verdicts ---- */

typedef enum mech_verdict {
    MECH_VERDICT_STABLE,    /* all roots to the left of the axis */
    MECH_VERDICT_MARGINAL,  /* none to the right, those on the axis simple (or semisimple) */
    MECH_VERDICT_REPEATED,  /* none to the right, repeated ones on the axis: the matrix must decide */
    MECH_VERDICT_DEFECTIVE, /* repeated ones on the axis without enough eigenvectors: grows like a power of t */
    MECH_VERDICT_UNSTABLE,  /* at least one to the right */
    MECH_VERDICT_UNDECIDED  /* too near to the axis for the accuracy of what was given */
} mech_verdict;
/* "asymptotically stable", ...: static text. */
MECH_API const char *mech_verdict_text(mech_verdict verdict);

/* ---- Routh-Hurwitz ---- */

typedef struct mech_routh mech_routh;

typedef enum mech_routh_row {
    MECH_ROUTH_PLAIN,
    MECH_ROUTH_ZERO_PIVOT, /* began with a zero: the row was extended by itself, shifted (Benidir and
                              Picinbono) */
    MECH_ROUTH_ZERO_ROW    /* was zero: the derivative of the auxiliary polynomial stands in its place */
} mech_routh_row;

#define MECH_ROUTH_RESULT_FIELDS(X)                                                                                    \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(int, degree, "of the polynomial")                                                                                \
    X(int, is_exact, "1: by rational arithmetic")                                                                      \
    X(mech_verdict, verdict, "what the count says")                                                                    \
    X(int, right, "roots to the right of the imaginary axis; -1: undecided")                                           \
    X(int, left, "roots to the left of it; -1: undecided")                                                             \
    X(int, axis, "roots on it; -1: undecided")                                                                         \
    X(int, zero, "of those on the axis, at the origin")                                                                \
    X(int, repeated, "highest multiplicity of a root on the axis; -1: undecided")                                      \
    X(int, rows, "of the array: degree + 1")                                                                           \
    X(int, columns, "of the array: degree/2 + 1")                                                                      \
    X(const double *, array, "(rows x columns); NaN where floating arithmetic gave up")                                \
    X(const unsigned char *, row_kind, "(rows) mech_routh_row")                                                        \
    X(int, sign_changes, "in the first column")
typedef struct mech_routh_result {
    MECH_ROUTH_RESULT_FIELDS(MECH_FIELD)
} mech_routh_result;

/* New result in *routh. Coefficients (degree + 1), highest power first, the first not zero. Exact: the
   doubles, or decimal texts such as "99.98", "1e-3" or "1/3", as the rationals they are. MECH_ERR_ARGUMENT,
   MECH_ERR_LIMIT (degree above 200, numbers of more than 4000 digits), MECH_ERR_UNSUPPORTED (built without
   GMP), MECH_ERR_MEMORY. */
MECH_API MECH_MUST_CHECK mech_status mech_routh_exact(const double *coefficients, int degree, mech_routh **routh);
MECH_API MECH_MUST_CHECK mech_status mech_routh_exact_text(const char *const *coefficients, int degree,
                                                           mech_routh **routh);
/* Floating: coefficient k is known within error[k] (NULL: within half a unit in its last place). The answer
   holds for every polynomial within the bounds, or it is undecided. */
MECH_API MECH_MUST_CHECK mech_status mech_routh_floating(const double *coefficients, const double *error, int degree,
                                                         mech_routh **routh);
MECH_API void mech_routh_free(mech_routh *routh);
/* Borrowed, valid until mech_routh_free. */
MECH_API const mech_routh_result *mech_routh_get(const mech_routh *routh);
/* An entry of the array as text, for people: exact where that is short, else to ten digits. Borrowed; NULL outside. */
MECH_API const char *mech_routh_entry(const mech_routh *routh, int row, int column);
/* The same in full: where the array is exact it is, however long. */
MECH_API const char *mech_routh_entry_full(const mech_routh *routh, int row, int column);

/* Roots of a polynomial as eigenvalues of its companion matrix. */
MECH_API MECH_MUST_CHECK mech_status mech_polynomial_roots(const double *coefficients, int degree, double *real,
                                                           double *imaginary);
/* Eigenvalues of A (n x n), in the order of their real parts, largest first; pairs stand together. */
MECH_API MECH_MUST_CHECK mech_status mech_eigenvalues(int n, const double *A, double *real, double *imaginary);
/* Coefficients (n + 1) of det(s I - A), highest power first: exact for the doubles in A, then rounded. */
MECH_API MECH_MUST_CHECK mech_status mech_characteristic(int n, const double *A, double *coefficients);
/* The exact count for det(s I - A), the doubles in A taken as they are. */
MECH_API MECH_MUST_CHECK mech_status mech_routh_matrix(int n, const double *A, mech_routh **routh);

/* ---- modes of a matrix, told apart to rounding ---- */

typedef struct mech_modes mech_modes;
#define MECH_MODES_RESULT_FIELDS(X)                                                                                    \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(int, n, "order of the matrix")                                                                                   \
    X(const double *, real, "(n - zero) eigenvalues that are not zero")                                                \
    X(const double *, imaginary, "(n - zero) of the same")                                                             \
    X(int, zero, "eigenvalues at zero: found by ranks, not by smallness")                                              \
    X(int, zero_vectors, "their eigenvectors")                                                                         \
    X(int, longest_chain, "largest Jordan block at zero; 1: semisimple, 0: none")                                      \
    X(int, right, "of the others, to the right of the axis")                                                           \
    X(int, left, "to the left of it")                                                                                  \
    X(int, axis, "on it: not farther than `tolerance`, to rounding")                                                   \
    X(int, defective_axis, "1: a repeated pair on the axis lacks eigenvectors")                                        \
    X(double, tolerance, "what counted as on the axis")                                                                \
    X(mech_verdict, verdict, "what they say")                                                                          \
    X(int, routh_right, "exact Routh count of the matrix without its zeros; -1: not available")                        \
    X(int, agree, "1: eigenvalues and Routh say the same (or the axis is too near to compare)")
typedef struct mech_modes_result {
    MECH_MODES_RESULT_FIELDS(MECH_FIELD)
} mech_modes_result;
/* New modes of A (n x n). */
MECH_API MECH_MUST_CHECK mech_status mech_modes_create(int n, const double *A, mech_modes **modes);
MECH_API void mech_modes_free(mech_modes *modes);
/* Borrowed, valid until mech_modes_free. */
MECH_API const mech_modes_result *mech_modes_get(const mech_modes *modes);

/* ---- linearization ---- */

typedef enum mech_point_kind {
    MECH_POINT_EQUILIBRIUM, /* at rest, and stays so */
    MECH_POINT_STEADY,      /* moves with constant velocities, and the matrix stays constant along it */
    MECH_POINT_FROZEN,      /* anything else: eigenvalues depend on the coordinates chosen */
    MECH_POINT_OFF          /* not on its constraints: no state of the system at all */
} mech_point_kind;

typedef struct mech_linear_options {
    size_t size; /* set by mech_linear_options_default */
    double t;
    const double *q, *v; /* (n) where */
    const double *z;     /* (states) */
    /* (m x m) gains of the excess variables; NULL: the model's, or 0 where it has none */
    const double *B, *K;
    double rank_tol; /* of the tangent space, relative; default 1e-9 */
    /* receives, with MECH_ERR_UNSUPPORTED, what is in the way at this state: static words; NULL: nobody asks */
    const char **why;
    /* of maps and sweeps: points at a time; 0: one for each processor. Default 1: functions in C that a system is made
       of must be fit for more */
    size_t threads;
    /* of maps and sweeps: (2n + states) where a search at a point's own values begins, NaN: where the model says. The
       results tell where it ends at other modes than those followed. NULL: none is made */
    const double *begin;
} mech_linear_options;
MECH_API void mech_linear_options_default(mech_linear_options *options, size_t size);

/* x = (q, v, z), x' = A x + E u, y = C x + D u, and where rates of inputs act (uses_input_rates) also + E1 u' + E2 u'',
   + D1 u' + D2 u''. N = 2n + states. Reports and files call E what control theory calls it, B.
   On the constraints, whether they move or not: x = Z xr + by_input u + by_input_rate u' with Z the first `freedom`
   columns of basis, xr' = reduced_A xr + reduced_E u, y = reduced_C xr + reduced_D u + reduced_D1 u' + reduced_D2
   u''. Where no rates act reduced_D is D, and the others are 0. NaN: the constraints do not let the input move. */
#define MECH_LINEAR_RESULT_FIELDS(X)                                                                                   \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(int, n, "coordinates")                                                                                           \
    X(int, states, "first-order states")                                                                               \
    X(int, order, "N = 2n + states")                                                                                   \
    X(int, inputs, "inputs")                                                                                           \
    X(int, outputs, "outputs")                                                                                         \
    X(int, rows, "of constraints")                                                                                     \
    X(const double *, A, "(N x N) all of it")                                                                          \
    X(const double *, E, "(N x inputs)")                                                                               \
    X(const double *, C, "(outputs x N)")                                                                              \
    X(const double *, D, "(outputs x inputs)")                                                                         \
    X(int, uses_input_rates, "1: derivatives of inputs act too: input_rates")                                          \
    X(int, rank_position, "of phi_q: on the constraints")                                                              \
    X(int, rank_velocity, "of all rows of the tangent space, less that")                                               \
    X(int, freedom, "dimension of the tangent space")                                                                  \
    X(const double *, basis, "(N x N): its orthonormal basis, then that of the complement")                            \
    X(const double *, reduced_A, "(freedom x freedom)")                                                                \
    X(const double *, reduced_E, "(freedom x inputs)")                                                                 \
    X(const double *, reduced_C, "(outputs x freedom)")                                                                \
    X(double, leak,                                                                                                    \
      "how far A leaves the tangent space, relative: 0 at steady points, unless rows whose accelerations "             \
      "depend on one another bind the states in different ways")                                                       \
    X(int, cyclic_count, "coordinates that occur nowhere: their shifts are zero modes")                                \
    X(const int *, cyclic, "(cyclic_count) which")                                                                     \
    X(const mech_modes_result *, motion, "of the motion itself, shifts of cyclic coordinates taken out")               \
    X(const mech_modes_result *, constraint, "of the excess variables: what B and K govern")                           \
    X(mech_point_kind, kind, "of the point")                                                                           \
    X(double, largest_acceleration, "of a and z' there")                                                               \
    X(double, change, "of A along the motion, relative")                                                               \
    X(int, varies_with_time, "1: time alone changes it, whatever the coordinates do")                                  \
    X(int, varying_input, "the input to blame for that; -1: none")                                                     \
    X(int, off_count, "rows that the state misses")                                                                    \
    X(const double *, r, "(rows) by how much: phi; 0 where it is met to rounding")                                     \
    X(const double *, r_dot, "(rows) the same: phi' or psi")                                                           \
    X(int, weak,                                                                                                       \
      "near a singular mass matrix the coordinate that has no inertia: modes mean nothing; -1: no such "               \
      "coordinate")                                                                                                    \
    X(int, weak_along, "the coordinate along which it regains its inertia")                                            \
    X(int, lost,                                                                                                       \
      "a row that depends on others at the point, but not beside it: the constraints lose rank there, and "            \
      "modes mean nothing; -1: none")                                                                                  \
    X(int, undefined_count, "outputs without derivatives there (the norm of a velocity at rest)")                      \
    X(const unsigned char *, undefined, "(outputs) 1: so; its rows of C, D and reduced_C are NaN")                     \
    X(const double *, q, "(n) the point: positions")                                                                   \
    X(const double *, v, "(n) velocities")                                                                             \
    X(const double *, z, "(states)")                                                                                   \
    X(const double *, a, "(n) accelerations")                                                                          \
    X(const double *, lambda, "(rows) ideal multipliers")                                                              \
    X(const double *, reaction, "(rows) total multipliers")                                                            \
    X(int, kink_count,                                                                                                 \
      "abs, sign, min, max and comparisons that change over at the point so that the two sides have different "        \
      "derivatives: \"abs(x) in line 3\". Then A is that of neither side, and modes mean nothing")                     \
    X(const char *const *, kinks, "(kink_count) them")                                                                 \
    X(int, accelerates, "1: largest_acceleration is more than what forces that balance leave, in any units")           \
    X(const char *const *, input_kinks,                                                                                \
      "(inputs) what changes over at the value that the input has, \"max(0, u) in line 3\"; NULL: nothing. "           \
      "What jumps there of its columns of E and D, and of those by its rates, has no derivative and is NaN, "          \
      "and so is then its column of reduced_E")                                                                        \
    X(int, event_count,                                                                                                \
      "events that stand at their thresholds there and change the motion (set, impact, impose, release): they "        \
      "act however near the motion stays, and modes are those of the motion without them")                             \
    X(const char *const *, events, "their names")                                                                      \
    X(int, choice_count, "outputs that use multipliers which are not unique")                                          \
    X(const unsigned char *, output_is_choice,                                                                         \
      "(outputs) 1: so; its rows of C, D and reduced_C are one choice of many")                                        \
    X(const unsigned char *, input_rates,                                                                              \
      "(inputs) 1: its derivatives act too, or constraints move with it: E and D are not all it does")                 \
    X(const double *, E1, "(N x inputs) as E, by u'")                                                                  \
    X(const double *, E2, "(N x inputs) as E, by u''")                                                                 \
    X(const double *, D1, "(outputs x inputs) as D, by u'")                                                            \
    X(const double *, D2, "(outputs x inputs) as D, by u''")                                                           \
    X(const double *, reduced_D, "(outputs x inputs)")                                                                 \
    X(const double *, reduced_D1, "(outputs x inputs)")                                                                \
    X(const double *, reduced_D2, "(outputs x inputs)")                                                                \
    X(const double *, by_input, "(N x inputs)")                                                                        \
    X(const double *, by_input_rate, "(N x inputs)")
typedef struct mech_linear_result {
    MECH_LINEAR_RESULT_FIELDS(MECH_FIELD)
} mech_linear_result;

typedef struct mech_linear mech_linear;
/* New linearization in *linear. The system must have been made with derivatives; the evaluation must be dense and
   made after that; its parameters, inputs and active constraints are used. Control takes part with its gains: what it
   keeps is motion, as a state may leave its path; the tangent space is that of the natural constraints. Friction takes
   part where it slides. MECH_ERR_UNSUPPORTED: mech_analyze_obstacle, or friction rests there (options.why).
   MECH_ERR_NOT_UNIQUE: a law looks at a reaction that is not. */
MECH_API MECH_MUST_CHECK mech_status mech_linearize(const mech_system *system, mech_eval *eval,
                                                    const mech_linear_options *options, mech_linear **linear);
MECH_API void mech_linear_free(mech_linear *linear);
MECH_API const mech_linear_result *mech_linear_get(const mech_linear *linear);
/* The shape of mode k of `motion` (one that is not zero), as a state (order): real and imaginary part, of which
   re(shape e^(lambda t)) is a motion. The coordinate that moves most has 1. MECH_ERR_ARGUMENT: there is no such mode.
   */
MECH_API MECH_MUST_CHECK mech_status mech_linear_shape(const mech_linear_result *linear, int mode, double *real,
                                                       double *imaginary);
/* From inputs to outputs at the frequency omega (in radians by unit of time): y = G u e^(i omega t), G (outputs x
   inputs), real and imaginary part. */
MECH_API MECH_MUST_CHECK mech_status mech_linear_frequency(const mech_linear_result *linear, double omega, double *real,
                                                           double *imaginary);
/* The outputs after a step of 1 of each input from the point, at points of time dt apart: (outputs x inputs) for each
   point, one after the other. MECH_ERR_UNSUPPORTED: an output has a part of u' or u'' (reduced_D1, reduced_D2), which a
   step makes infinite. */
MECH_API MECH_MUST_CHECK mech_status mech_linear_step(const mech_linear_result *linear, double dt, size_t points,
                                                      double *y);
/* Frequencies at which mech_linear_frequency shows all there is: evenly on a logarithmic scale about the modes, and
   close about each resonance, however narrow. Into omega, ascending; how many. NULL: how many there may be at most. */
MECH_API size_t mech_linear_frequencies(const mech_linear_result *linear, double *omega);
/* Amplitude and phase, in degrees and without jumps by a turn, at `count` frequencies one after the other: (outputs x
   inputs) for each. */
MECH_API MECH_MUST_CHECK mech_status mech_linear_bode(const mech_linear_result *linear, const double *omega,
                                                      size_t count, double *amplitude, double *phase);
/* How long and at how many points mech_linear_step shows all there is: until the slowest mode has died out, or for ten
   of the longest periods. The points; the time of the last into *until. */
MECH_API size_t mech_linear_times(const mech_linear_result *linear, double *until);
/* Why the modes tell nothing of the motion, in a sentence; NULL: they do, of the frozen point where it is one. Static.
   */
MECH_API const char *mech_linear_doubt(const mech_linear_result *linear);
/* Why a system cannot be linearized at any state, in a sentence; NULL: it can. Static. */
MECH_API const char *mech_analyze_obstacle(const mech_system *system);
/* Why equilibria and steady motions of a system cannot be searched for; NULL: they can. Static. */
MECH_API const char *mech_equilibrium_obstacle(const mech_system *system);

/* ---- loops that sample ---- */

typedef struct mech_sampled mech_sampled;
#define MECH_SAMPLED_RESULT_FIELDS(X)                                                                                  \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(double, period, "of the samples")                                                                                \
    X(int, count, "of states on the constraints, sampled values among them")                                           \
    X(const double *, real,                                                                                            \
      "(count) eigenvalues of the map over one period, by falling size; what is computed anew from sample to "         \
      "sample and not remembered makes zeros")                                                                         \
    X(const double *, imaginary, "(count) of the same")                                                                \
    X(int, outside, "how many lie outside the unit circle")                                                            \
    X(int, circle, "how many lie on it, to rounding")
typedef struct mech_sampled_result {
    MECH_SAMPLED_RESULT_FIELDS(MECH_FIELD)
} mech_sampled_result;
/* New eigenvalues of the sampled loop about a linearization, in *sampled. The model was read with sampled values
   relaxed (mech_model_read_sampled), so that the rows of l.A are those of the plant [A B], and of the samples
   [F, G - 1]. Over a period (x, u) becomes expm([A B; 0 0] T) [1 0; F G] (x, u): with u = -K x the eigenvalues are
   those of Ad - Bd K, and zeros. MECH_ERR_UNSUPPORTED: why (static words, may be NULL). */
MECH_API MECH_MUST_CHECK mech_status mech_sampled_create(const mech_system *system, mech_eval *eval,
                                                         const mech_linear_result *linear, const char **why,
                                                         mech_sampled **sampled);
MECH_API void mech_sampled_free(mech_sampled *sampled);
MECH_API const mech_sampled_result *mech_sampled_get(const mech_sampled *sampled);

/* ---- the characteristic polynomial in symbols ---- */

typedef struct mech_symbolic_options {
    size_t size; /* set by mech_symbolic_options_default */
    double t;
    const double *q, *v, *z;    /* the equilibrium or steady motion; z may be NULL */
    const char *const *symbols; /* parameters that stay symbols. "B" and "K", where the model has no
                                   parameters of that name, are gains on all rows */
    size_t symbol_count;
    int full; /* 1: with the excess variables' modes; 0: the motion's own; -1 (default): 1 when B or K
                 is among the symbols */
} mech_symbolic_options;
MECH_API void mech_symbolic_options_default(mech_symbolic_options *options, size_t size);

/* Texts come three times: [0] for people, long numbers to eight digits, [1] LaTeX, likewise, [2] with every number in
   full. Borrowed, valid until mech_symbolic_free. */
typedef struct mech_symbolic_result {
    size_t size; /* of this struct, as the library has it */
    int degree;
    int is_exact; /* 0: a number had to be rounded on the way (to 12 digits) */
    int holds;    /* 0: the point is an equilibrium at the present values of the symbols only */
    int is_full;
    int symbol_count; /* all generators: symbols and functions of them */
    int asked;        /* of these, the first that were asked for       */
    const char *const *symbols[3];
    const double *nominal;     /* (symbol_count) their present values */
    const char *polynomial[3]; /* monic */
    int factor_count;
    const char *const *factors[3]; /* monic, their product is the polynomial */
    int is_cut;                    /* 1: array and conditions grow too large in these symbols: there are none */
    int rows, columns;
    const char *const *array[3];   /* (rows x columns), by row */
    const unsigned char *row_kind; /* mech_routh_row */
    int condition_count;           /* all of them together: asymptotically stable. Each is an expression > 0 */
    const char *const *conditions[3];
    int never;                /* 1: no values of the symbols make it asymptotically stable */
    const char *why_never[3]; /* the factor that forbids it */
    int marginal_count;       /* of factors s^2 + c and s^4 + b s^2 + c: on the axis, marginal, where each > 0 */
    const char *const *marginal[3];
} mech_symbolic_result;

typedef struct mech_symbolic mech_symbolic;
/* New polynomial in *symbolic. MECH_ERR_LIMIT: too large (more than 12 coordinates and rows together, more
   than 11 generators, expressions of more than 4000 terms, work of more than some ten seconds); MECH_ERR_UNSUPPORTED:
   built without GMP, or laws that look at multipliers, friction, servo rows; MECH_ERR_ARGUMENT: no parameter of that
   name. Makes derivatives in the model's pool: do not use the model in another thread meanwhile. */
MECH_API MECH_MUST_CHECK mech_status mech_symbolic_create(const mech_model *model, const mech_symbolic_options *options,
                                                          mech_symbolic **symbolic);
MECH_API void mech_symbolic_free(mech_symbolic *symbolic);
MECH_API const mech_symbolic_result *mech_symbolic_get(const mech_symbolic *symbolic);
/* Value of a condition with the generators at these values (NULL: the present ones); those of `marginal`
   follow after the others. */
MECH_API double mech_symbolic_condition(const mech_symbolic *symbolic, int condition, const double *values);
/* The exact Routh array with the generators at these values (NULL: the present ones). */
MECH_API MECH_MUST_CHECK mech_status mech_symbolic_routh(const mech_symbolic *symbolic, const double *values,
                                                         mech_routh **routh);

/* ---- equilibria and steady motions ---- */

typedef struct mech_equilibrium_options {
    size_t size;             /* set by mech_equilibrium_options_default */
    double t;                /* inputs and moving constraints are taken there */
    const double *q, *v, *z; /* where to begin; q NULL: the start that a run makes of the model */
    int steady;       /* 1: velocities are unknowns too, `steady` statements hold; -1 (default): if there are any */
    double tolerance; /* on residuals, relative to the terms they are made of; default 1e-11 */
    int tries;        /* beginnings, the first as given, the others displaced; default 30 */
} mech_equilibrium_options;
MECH_API void mech_equilibrium_options_default(mech_equilibrium_options *options, size_t size);

#define MECH_EQUILIBRIUM_RESULT_FIELDS(X)                                                                              \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(int, n, "coordinates")                                                                                           \
    X(int, states, "first-order states")                                                                               \
    X(int, rows, "of constraints")                                                                                     \
    X(int, constraints, "constraints")                                                                                 \
    X(double, t, "where inputs and moving constraints were taken")                                                     \
    X(int, is_steady, "1: velocities were unknowns too")                                                               \
    X(const double *, q, "(n)")                                                                                        \
    X(const double *, v, "(n)")                                                                                        \
    X(const double *, z, "(states)")                                                                                   \
    X(const double *, lambda, "(rows) ideal multipliers")                                                              \
    X(const double *, reaction, "(rows) total multipliers")                                                            \
    X(const double *, Qi, "(n) ideal force of constraint")                                                             \
    X(const double *, Qni, "(n) non-ideal force of constraint")                                                        \
    X(const unsigned char *, unique_lambda, "(rows) 1: the multiplier is unique")                                      \
    X(const unsigned char *, unique_force, "(constraints) 1: the force is unique")                                     \
    X(int, rank, "of the rows")                                                                                        \
    X(int, family, "dimension of the set of such points it belongs to, to first order")                                \
    X(double, residual, "largest of |a|, |z'|, |r|, |r'| and what `steady` misses")                                    \
    X(int, iterations, "of Newton's method")                                                                           \
    X(int, beginnings, "that were tried")                                                                              \
    X(int, frictions, "statements of friction; of mech_equilibrium_hold, as what follows")                             \
    X(const mech_instant_law *, friction, "(frictions) mode, normal load, what is needed and what it bears")           \
    X(int, holds, "1: it rests there, friction and all")
typedef struct mech_equilibrium_result {
    MECH_EQUILIBRIUM_RESULT_FIELDS(MECH_FIELD)
} mech_equilibrium_result;

typedef struct mech_equilibrium mech_equilibrium;
/* New equilibrium in *found: Newton's method from the first beginning, no step longer than half the size of the state
   (coordinates times the roots of their masses) unless it all but arrives; then from the others, each farther off. Of
   several it is the nearest as a rule, not by proof; of a set one that is near. MECH_ERR_NO_EQUILIBRIUM: none was
   found; MECH_ERR_NO_START: no beginning could be brought onto the constraints. After either the evaluation stands at
   the first beginning, as near to the constraints as it could be brought. The evaluation must be dense and have the
   Jacobian. */
MECH_API MECH_MUST_CHECK mech_status mech_equilibrium_find(const mech_system *system, mech_eval *eval,
                                                           const mech_equilibrium_options *options,
                                                           mech_equilibrium **found);
/* Dry friction makes sets of equilibria. Read the model with friction held (mech_read_options.friction), or
   left out, find an equilibrium of that, and ask here whether the friction of `with_friction`, the same model as it
   is, holds it: new in *rest, with the forces of `with_friction` and a verdict in `holds`. Failures: those of
   mech_instant_solve. */
MECH_API MECH_MUST_CHECK mech_status mech_equilibrium_hold(const mech_system *with_friction,
                                                           const mech_equilibrium_result *found,
                                                           mech_equilibrium **rest);
/* One reading of a model with dry friction: friction held, or left out. The system is made with derivatives, the
   evaluation is dense; both are borrowed until the next reading is asked for. */
typedef struct mech_rest_reading {
    size_t size; /* of this struct, as the library has it */
    const mech_system *system;
    mech_eval *eval;
    mech_equilibrium_options search; /* where to begin; defaults when it is asked for */
} mech_rest_reading;
/* Fills in a reading. What is not MECH_OK ends the search and is handed on. */
typedef mech_status (*mech_rest_read)(void *user, mech_friction_reading how, mech_rest_reading *reading);
/* The first state of rest that the friction of `with_friction` holds: equilibria with friction held where it stands,
   then without any. *found is the equilibrium of the reading, *rest what the friction makes of it.
   MECH_ERR_NO_EQUILIBRIUM: there is none from where the searches began; *rest, if not NULL, is the last that does not
   hold. Other failures: of the readings, of mech_equilibrium_find (MECH_ERR_NO_START, MECH_ERR_MEMORY) and of
   mech_equilibrium_hold. */
MECH_API MECH_MUST_CHECK mech_status mech_equilibrium_rest(const mech_system *with_friction, mech_rest_read read,
                                                           void *user, mech_equilibrium **found,
                                                           mech_equilibrium **rest);
typedef enum mech_unrest {
    MECH_UNREST_UNKNOWN,  /* nothing is seen in the way: another beginning may find one */
    MECH_UNREST_MOVING,   /* constraints move: nothing rests */
    MECH_UNREST_UNSOLVED, /* where it began the equation, or an energy, has no value */
    MECH_UNREST_DRIVEN    /* a coordinate is accelerated alike, or a state has one rate, wherever it was looked */
} mech_unrest;
/* Why a search on this evaluation failed with MECH_ERR_NO_EQUILIBRIUM, or an equation with MECH_ERR_SINGULAR_MASS or
   MECH_ERR_NOT_UNIQUE: what can be seen from where the evaluation stands, a sentence a line, "" where nothing is. New
   text, freed with mech_text_free; NULL: out of memory. kind (may be NULL) receives which it is. */
MECH_API char *mech_equilibrium_explain(const mech_system *system, mech_eval *eval, mech_status failure,
                                        mech_unrest *kind);
MECH_API void mech_equilibrium_free(mech_equilibrium *equilibrium);
MECH_API const mech_equilibrium_result *mech_equilibrium_get(const mech_equilibrium *equilibrium);

/* ---- gains of the excess variables: r'' = -B r' - K r ---- */

/* Document 002, Eqs. (7)-(8): A r'' = -C r' - W r gives B = A^-1 C, K = A^-1 W; all (m x m).
   MECH_ERR_ARGUMENT: A is singular. */
MECH_API MECH_MUST_CHECK mech_status mech_gains_from_energies(int m, const double *A, const double *C, const double *W,
                                                              double *B, double *K);

typedef struct mech_gains_options {
    size_t size;         /* set by mech_gains_options_default */
    double decay;        /* wanted, 1/s; 0: 100 over the time scale, so that drift dies by e^10 in a tenth of it */
    double time_scale;   /* of the run, s; 0: 10 */
    double damping;      /* 1 (default): critical */
    double fastest;      /* largest |eigenvalue| of the motion; 0: not known */
    double step;         /* a fixed step of the run; 0: none */
    int is_implicit;     /* the method does not mind stiffness */
    const double *B, *K; /* (m x m): examine these instead of proposing */
} mech_gains_options;
MECH_API void mech_gains_options_default(mech_gains_options *options, size_t size);

/* What a model says of the gains that its run wants, into options: the time scale, whether the method is implicit, and
   how fast it moves. The evaluation comes to stand at a point of the constraints: the equilibrium that
   mech_equilibrium_find finds from `begin` (may be NULL) or, without one, where it left off; velocities and states are
   those it began with. */
MECH_API MECH_MUST_CHECK mech_status mech_gains_look(const mech_system *system, mech_eval *eval,
                                                     const mech_equilibrium_options *begin,
                                                     mech_gains_options *options);
/* One number each for all rows, into B and K (m x m; either may be NULL): b on those of positions and velocities, k on
   those of positions. */
MECH_API void mech_gains_fill(const mech_system *system, double b, double k, double *B, double *K);
/* The gains that the model itself has where the evaluation stands, into B and K (m x m). 0: it has none. */
MECH_API int mech_gains_of_model(const mech_eval *eval, double *B, double *K);

#define MECH_GAINS_RESULT_FIELDS(X)                                                                                    \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(int, rows, "m")                                                                                                  \
    X(const double *, B, "(m x m)")                                                                                    \
    X(const double *, K, "(m x m)")                                                                                    \
    X(int, is_diagonal, "1: B and K are")                                                                              \
    X(double, decay, "slowest mode's rate: what was reached")                                                          \
    X(const mech_modes_result *, modes, "of the excess variables: 2 a holonomic row, 1 a nonholonomic one")            \
    X(int, independent, "rows that do not depend on others where the evaluation stands")                               \
    X(int, warning_count, "how many warnings")                                                                         \
    X(const char *const *, warnings, "(warning_count) in words")
typedef struct mech_gains_result {
    MECH_GAINS_RESULT_FIELDS(MECH_FIELD)
} mech_gains_result;

typedef struct mech_gains mech_gains;
/* New proposal in *gains, examined by eigenvalues and Routh's criterion. The evaluation stands at a point of
 * the constraints. */
MECH_API MECH_MUST_CHECK mech_status mech_gains_create(const mech_system *system, const mech_eval *eval,
                                                       const mech_gains_options *options, mech_gains **gains);
MECH_API void mech_gains_free(mech_gains *gains);
MECH_API const mech_gains_result *mech_gains_get(const mech_gains *gains);

/* ---- maps and sweeps over parameters ---- */

typedef struct mech_axis {
    const char *name; /* a parameter, or "B" or "K" where the model has none of that name: a gain on all rows */
    double low, high;
    int count; /* points, both ends included; at least 2 */
} mech_axis;

typedef enum mech_region {
    MECH_REGION_STABLE,
    MECH_REGION_MARGINAL,
    MECH_REGION_UNSTABLE,
    MECH_REGION_NONE
} mech_region;

#define MECH_MAP_RESULT_FIELDS(X)                                                                                      \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(mech_axis, x, "the first axis")                                                                                  \
    X(mech_axis, y, "the second axis")                                                                                 \
    X(const unsigned char *, region,                                                                                   \
      "(x.count by y.count, x first) mech_region; NONE: none was found, neither from the last point nor, in "          \
      "maps of up to 2^24 numbers, from neighbours")                                                                   \
    X(const size_t *, counts, "(4) points in each region")                                                             \
    X(int, has_routh, "Routh's criterion was asked too: the point stays an equilibrium and GMP is there")              \
    X(const unsigned char *, routh,                                                                                    \
      "the same by Routh's criterion, exact, NONE where there is no equilibrium; or NULL")                             \
    X(size_t, disagreements, "points where the two differ, of those compared")                                         \
    X(size_t, compared, "points with an equilibrium at which both were asked")                                         \
    X(int, condition_count, "of the criterion")                                                                        \
    X(const double *, conditions, "(points x condition_count): their values, zero on the boundary; NULL: none")        \
    X(int, shifts, "zero modes left out by both: of coordinates that nothing depends on, anywhere in the map")         \
    X(size_t, defective, "of the marginal points: those that grow like a power of time (MECH_VERDICT_DEFECTIVE)")      \
    X(int, order, "N = 2n + states: of a state")                                                                       \
    X(const double *, state, "(points x N) equilibria, NaN: none; NULL in maps of more than 2^24 numbers")             \
    X(const unsigned char *, other,                                                                                    \
      "(points) 1: a search of its own finds an equilibrium of another region there; NULL: `begin` did not "           \
      "ask")                                                                                                           \
    X(size_t, others, "such points")
typedef struct mech_map_result {
    MECH_MAP_RESULT_FIELDS(MECH_FIELD)
} mech_map_result;

typedef struct mech_map mech_map;
/* Stability of the equilibrium (continued from q, v, z at the present values) over two parameters; the eigenvalues of
   the motion and, where B or K is on an axis, of the excess variables too. model is for Routh's criterion; NULL:
   without. The parameters are put back. */
MECH_API MECH_MUST_CHECK mech_status mech_map_create(const mech_system *system, mech_eval *eval,
                                                     const mech_model *model, const mech_linear_options *at,
                                                     const mech_axis *x, const mech_axis *y, mech_map **map);
MECH_API void mech_map_free(mech_map *map);
MECH_API const mech_map_result *mech_map_get(const mech_map *map);

#define MECH_SWEEP_RESULT_FIELDS(X)                                                                                    \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(mech_axis, axis, "the parameter")                                                                                \
    X(int, modes, "eigenvalues at each point, zeros among them")                                                       \
    X(const double *, real, "(modes x count); NaN: no equilibrium there")                                              \
    X(const double *, imaginary, "(modes x count) of the same")                                                        \
    X(int, order, "N = 2n + states: of a state")                                                                       \
    X(const double *, state, "(count x N) equilibria, NaN: none")                                                      \
    X(const unsigned char *, other,                                                                                    \
      "(count) 1: a search of its own finds an equilibrium of other eigenvalues there; NULL: `begin` did not "         \
      "ask")                                                                                                           \
    X(size_t, others, "such values")
typedef struct mech_sweep_result {
    MECH_SWEEP_RESULT_FIELDS(MECH_FIELD)
} mech_sweep_result;
typedef struct mech_sweep mech_sweep;
/* Eigenvalues of the motion over one parameter, at the equilibrium continued from q, v, z at its present value: a root
   locus. */
MECH_API MECH_MUST_CHECK mech_status mech_sweep_create(const mech_system *system, mech_eval *eval,
                                                       const mech_linear_options *at, const mech_axis *axis,
                                                       mech_sweep **sweep);
MECH_API void mech_sweep_free(mech_sweep *sweep);
MECH_API const mech_sweep_result *mech_sweep_get(const mech_sweep *sweep);

#define MECH_BRANCHES_RESULT_FIELDS(X)                                                                                 \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(mech_axis, axis, "the parameter")                                                                                \
    X(int, order, "N = 2n + states: of a state, coordinates first")                                                    \
    X(size_t, branches, "how many")                                                                                    \
    X(const size_t *, first, "(branches + 1) branch i has the points from first[i] to before first[i + 1]")            \
    X(const double *, value, "(points) of the parameter, ascending along a branch")                                    \
    X(const unsigned char *, region, "(points) mech_region")                                                           \
    X(const double *, state, "(points x N) equilibria")
typedef struct mech_branches_result {
    MECH_BRANCHES_RESULT_FIELDS(MECH_FIELD)
} mech_branches_result;
typedef struct mech_branches mech_branches;
/* Equilibria over one parameter, from the one at q, v, z: followed up and down, with those that meet them where they
   end or change their stability. Beginnings, ends and changes lie between points of the axis, closed in to 2^-14 of
   their distance. Equilibria that meet none of these are not found; at most 24 at one value. The parameter is put
   back. */
MECH_API MECH_MUST_CHECK mech_status mech_branches_create(const mech_system *system, mech_eval *eval,
                                                          const mech_linear_options *at, const mech_axis *axis,
                                                          mech_branches **branches);
MECH_API void mech_branches_free(mech_branches *branches);
MECH_API const mech_branches_result *mech_branches_get(const mech_branches *branches);

/* x (N x points, column after column) at t = k*step of x' = A x from x0: the linear answer beside a run. */
MECH_API MECH_MUST_CHECK mech_status mech_linear_response(int n, const double *A, const double *x0, double step,
                                                          int points, double *x);

#ifdef __cplusplus
}
#endif
#endif
