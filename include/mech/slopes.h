/* How accelerations, multipliers and rates change with the state, the inputs and the parameters, at one state: for
 * optimization, estimation and integrators of one's own.
 *
 *     const mech_system_options with = {.size = sizeof with, .with_derivatives = 1, .with_parameters = 1};
 *     mech_system_create(model, &with, diagnostics, &system);
 *     mech_slopes_create(system, &slopes);                      allocates; nothing later does
 *     mech_slopes_at(slopes, t, q, v, z);
 *     ... mech_slopes_get(slopes)->qdd_p ...
 *
 * Exact, by the equation differentiated: M da - A' dl = -d(M a - Q - A' l - C), A da = -d(A a - b), on the factors of
 * the equation itself. Beside the constraints it is the equation as an instant has it, <mech/instant.h>: control comes
 * back by the model's gains, other constraints where the model says `stabilize excess`. */
#ifndef MECH_SLOPES_H
#define MECH_SLOPES_H

#include <mech/fundamental.h>
#include <mech/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_slopes mech_slopes;

/* Why a system has none, in a sentence; NULL: it has. Static. Not for laws that are given by z, nor for gains
   of the model that look at parameters while their slopes are asked for. */
MECH_API const char *mech_slopes_obstacle(const mech_system *system);
/* New in *slopes; the system is borrowed. MECH_ERR_UNSUPPORTED: see above, or it was made without derivatives. */
MECH_API MECH_MUST_CHECK mech_status mech_slopes_create(const mech_system *system, mech_slopes **slopes);
MECH_API void mech_slopes_free(mech_slopes *slopes);
/* Its evaluation: parameters, inputs and constraints in force are set there. Borrowed. */
MECH_API mech_eval *mech_slopes_eval(mech_slopes *slopes);

/* At a state; z may be NULL: as they are. Failures: those of mech_eval_state, mech_eval_jacobian and
   mech_fundamental_solve; MECH_ERR_UNSUPPORTED where friction rests, MECH_ERR_NOT_UNIQUE where a law looks at a
   reaction that is not unique. */
MECH_API MECH_MUST_CHECK mech_status mech_slopes_at(mech_slopes *slopes, double t, const double *q, const double *v,
                                                    const double *z);

/* What was found last. Matrices are column-major, a column for each q, v, z, u, p (and one for t); those by p are
   NULL without with_parameters. A parameter that is computed from others counts by itself: its own slope is not in
   theirs. Control has no multipliers: NaN. Where rows depend on one another multipliers are a choice, and their
   slopes NaN; accelerations are not, as long as the rank is the same all around. Borrowed. */
#define MECH_SLOPES_RESULT_FIELDS(X)                                                                                   \
    X(size_t, size, "of this struct, as the library has it")                                                           \
    X(size_t, n, "coordinates")                                                                                        \
    X(size_t, rows, "of constraints")                                                                                  \
    X(size_t, states, "first-order states")                                                                            \
    X(size_t, inputs, "inputs")                                                                                        \
    X(size_t, params, "parameters; 0 without their slopes")                                                            \
    X(const double *, qdd, "(n) accelerations")                                                                        \
    X(const double *, lambda, "(rows) total multipliers; those of ideal constraints where there are no laws")          \
    X(const double *, rate, "(states)")                                                                                \
    X(const double *, qdd_q, "(n x n)")                                                                                \
    X(const double *, qdd_v, "(n x n)")                                                                                \
    X(const double *, qdd_z, "(n x states)")                                                                           \
    X(const double *, qdd_u, "(n x inputs)")                                                                           \
    X(const double *, qdd_p, "(n x params) or NULL")                                                                   \
    X(const double *, qdd_t, "(n)")                                                                                    \
    X(const double *, lambda_q, "(rows x n)")                                                                          \
    X(const double *, lambda_v, "(rows x n)")                                                                          \
    X(const double *, lambda_z, "(rows x states)")                                                                     \
    X(const double *, lambda_u, "(rows x inputs)")                                                                     \
    X(const double *, lambda_p, "(rows x params) or NULL")                                                             \
    X(const double *, lambda_t, "(rows)")                                                                              \
    X(const double *, rate_q, "(states x n)")                                                                          \
    X(const double *, rate_v, "(states x n)")                                                                          \
    X(const double *, rate_z, "(states x states)")                                                                     \
    X(const double *, rate_u, "(states x inputs)")                                                                     \
    X(const double *, rate_p, "(states x params) or NULL")                                                             \
    X(const double *, rate_t, "(states)")                                                                              \
    X(int, rank, "of the rows in force")                                                                               \
    X(unsigned, flags, "MECH_FUNDAMENTAL_...")
typedef struct mech_slopes_result {
    MECH_SLOPES_RESULT_FIELDS(MECH_FIELD)
} mech_slopes_result;
MECH_API const mech_slopes_result *mech_slopes_get(const mech_slopes *slopes);

#ifdef __cplusplus
}
#endif
#endif
