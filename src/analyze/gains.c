/* Gains of the excess variables: proposed from a wanted decay, and examined. */
#include "analyze/dense.h"
#include "analyze/modes.h"
#include "analyze/search.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/text.h"
#include "base/try.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

enum { MOST_WARNINGS = 20 };

struct mech_gains {
    mech_gains_result result;
    mech_modes *modes;
    arena memory; /* of gains and warnings */
    const char *warnings[MOST_WARNINGS];
    int failed; /* a warning found no memory */
};

mech_status mech_gains_from_energies(int m, const double *A, const double *C, const double *W, double *B, double *K)
{
    if (m < 0 || (m > 0 && (!A || !C || !W || !B || !K))) return MECH_ERR_ARGUMENT;
    const size_t n = (size_t)m, cells = n * n;
    double *work = mem_alloc((3 * cells + 1) * sizeof *work);
    if (!work) return MECH_ERR_MEMORY;
    memcpy(work, A, cells * sizeof *work);
    memcpy(work + cells, C, cells * sizeof *work);
    memcpy(work + 2 * cells, W, cells * sizeof *work);
    const int regular = dense_solve(n, work, 2 * n, work + cells);
    if (regular) {
        memcpy(B, work + cells, cells * sizeof *B);
        memcpy(K, work + 2 * cells, cells * sizeof *K);
    }
    mem_free(work);
    return regular ? MECH_OK : MECH_ERR_ARGUMENT;
}

void mech_gains_options_default(mech_gains_options *options, size_t size)
{
    const mech_gains_options o = {.damping = 1};
    options_default(options, size, &o, sizeof o);
}

void mech_gains_fill(const mech_system *system, double b, double k, double *B, double *K)
{
    const size_t m = mech_system_sizes(system).rows;
    if (B) memset(B, 0, m * m * sizeof *B);
    if (K) memset(K, 0, m * m * sizeof *K);
    for (size_t i = 0; i < m; i++) {
        const mech_level level = mech_system_row(system, i).level;
        if (B && level != MECH_LEVEL_ACCELERATION) B[i + i * m] = b;
        if (K && level == MECH_LEVEL_HOLONOMIC) K[i + i * m] = k;
    }
}

int mech_gains_of_model(const mech_eval *eval, double *B, double *K)
{
    const mech_system *system = mech_eval_system(eval);
    const mech_equation *e = mech_eval_equation(eval);
    const size_t m = mech_system_sizes(system).rows;
    const mech_pattern b = mech_system_pattern(system, MECH_MATRIX_DAMPING),
                       k = mech_system_pattern(system, MECH_MATRIX_STIFFNESS);
    dense_scatter(b, e->damping, m, m, B);
    dense_scatter(k, e->stiffness, m, m, K);
    return b.count || k.count;
}

/* ---- what the model says of them ---- */

/* x (2n + states): the point to look at, and the evaluation there. */
static mech_status stand(const mech_system *system, mech_eval *eval, mech_equilibrium_options *at, double *x)
{
    const mech_sizes sizes = mech_system_sizes(system);
    const size_t n = sizes.coords;
    mech_equilibrium *rest = NULL;
    if (!at->q) MECH_TRY(search_find_start(eval, at->t, NULL, x));
    if (at->q) memcpy(x, at->q, n * sizeof *x);
    if (at->v) memcpy(x + n, at->v, n * sizeof *x);
    if (at->z && sizes.states) memcpy(x + 2 * n, at->z, sizes.states * sizeof *x);
    at->q = x;
    at->v = x + n;
    at->z = x + 2 * n;
    const mech_status found = mech_equilibrium_find(system, eval, at, &rest);
    if (found == MECH_ERR_MEMORY) return found;
    if (found == MECH_OK || found == MECH_ERR_NO_EQUILIBRIUM) /* which leaves the evaluation on the constraints */
        memcpy(x, rest ? rest->result.q : mech_eval_equation(eval)->q, n * sizeof *x);
    mech_equilibrium_free(rest);
    return mech_eval_state(eval, at->t, x, x + n, x + 2 * n);
}

/* The time scale and method of the run, and the speed of the motion where it can be had: where it cannot for want of
   memory, what is said without it would be another thing. */
static mech_status look(const mech_system *system, mech_eval *eval, const mech_equilibrium_options *at,
                        mech_gains_options *o)
{
    mech_linear_options there;
    mech_linear *linear = NULL;
    double until = NAN;
    const char *word = NULL;
    if (mech_eval_option(eval, "until", &until, NULL) && isfinite(until) && until > at->t)
        o->time_scale = until - at->t;
    if (mech_eval_option(eval, "method", NULL, &word) && word)
        o->is_implicit = strcmp(word, "bdf") == 0 || strcmp(word, "irk") == 0;
    mech_linear_options_default(&there, sizeof there);
    there.t = at->t;
    there.q = at->q;
    there.v = at->v;
    there.z = at->z;
    const mech_status status = mech_linearize(system, eval, &there, &linear);
    const mech_modes_result *m = status == MECH_OK ? mech_linear_get(linear)->motion : NULL;
    for (int k = 0; m && k < m->n - m->zero; k++) o->fastest = fmax(o->fastest, hypot(m->real[k], m->imaginary[k]));
    mech_linear_free(linear);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

mech_status mech_gains_look(const mech_system *system, mech_eval *eval, const mech_equilibrium_options *begin,
                            mech_gains_options *options)
{
    mech_equilibrium_options at;
    mech_gains_options o;
    const mech_sizes sizes = mech_system_sizes(system);
    mech_equilibrium_options_default(&at, sizeof at);
    mech_gains_options_default(&o, sizeof o);
    if (begin) memcpy(&at, begin, begin->size < sizeof at ? begin->size : sizeof at);
    memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    double *x = mem_zeroed(2 * sizes.coords + sizes.states, sizeof *x);
    mech_status status = x ? stand(system, eval, &at, x) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = look(system, eval, &at, &o);
    if (status == MECH_OK) memcpy(options, &o, options->size < sizeof o ? options->size : sizeof o);
    mem_free(x);
    return status;
}

static void warn(mech_gains *g, textbuf *text)
{
    if (g->result.warning_count < MOST_WARNINGS) {
        const char *kept = text->failed ? NULL : arena_format(&g->memory, "%s", text->data);
        if (kept) g->warnings[g->result.warning_count++] = kept;
        else g->failed = 1;
    }
    text_free(text);
}

/* ---- the proposal ---- */

static void propose(const mech_system *system, const mech_gains_options *o, size_t m, double *B, double *K)
{
    const double scale = o->time_scale > 0 ? o->time_scale : 10, rate = o->decay > 0 ? o->decay : 100 / scale;
    const double damping = o->damping > 0 ? o->damping : 1;
    /* the slowest root of s^2 + 2 d w s + w^2 decays with `rate` */
    const double w = damping <= 1 ? rate / damping : rate * (damping + sqrt(damping * damping - 1));
    for (size_t i = 0; i < m; i++) {
        const mech_level level = mech_system_row(system, i).level;
        if (level == MECH_LEVEL_ACCELERATION) continue;
        B[i + i * m] = level == MECH_LEVEL_HOLONOMIC ? 2 * damping * w : rate;
        if (level == MECH_LEVEL_HOLONOMIC) K[i + i * m] = w * w;
    }
}

/* ---- examination ---- */

/* x = (r of holonomic rows, r' of all but those on accelerations): [0 S; -K S' -B] */
static mech_status excess_modes(mech_gains *g, const mech_system *system, size_t m)
{
    const double *B = g->result.B, *K = g->result.K;
    size_t size = 0, *r, *v; /* (m) where r and r' of each row stand in x; SIZE_MAX: nowhere */
    double *X;
    MECH_TRY(ARENA_MAKE(&g->memory, ARRAY_OF(r, m), ARRAY_OF(v, m), ARRAY_OF(X, 4 * m * m)));
    for (size_t i = 0; i < m; i++) r[i] = mech_system_row(system, i).level == MECH_LEVEL_HOLONOMIC ? size++ : SIZE_MAX;
    for (size_t i = 0; i < m; i++)
        v[i] = mech_system_row(system, i).level != MECH_LEVEL_ACCELERATION ? size++ : SIZE_MAX;
    for (size_t k = 0; k < m; k++) {
        if (r[k] != SIZE_MAX) X[r[k] + v[k] * size] = 1;
        for (size_t i = 0; i < m; i++) {
            if (v[i] == SIZE_MAX || v[k] == SIZE_MAX) continue;
            X[v[i] + v[k] * size] = -B[i + k * m];
            if (r[k] != SIZE_MAX) X[v[i] + r[k] * size] = -K[i + k * m];
        }
    }
    return mech_modes_create((int)size, X, &g->modes);
}

/* Rows that depend on one another must be driven alike: w' A = 0 asks for w' B A = 0 and w' K A = 0. */
static mech_status look_at_dependent(mech_gains *g, const mech_system *system, const mech_equation *e, size_t m,
                                     size_t n)
{
    double *At, *V, *product;
    size_t rank;
    MECH_TRY(ARENA_MAKE(&g->memory, ARRAY_OF(At, m * n), ARRAY_OF(V, m * m), ARRAY_OF(product, m + n)));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) At[j + i * n] = e->active[i] ? e->A_dense[i + j * m] : 0;
    MECH_TRY(dense_null_space(n, m, At, TOL_NULL, V, &rank, NULL));
    g->result.independent = (int)rank;
    for (size_t k = 0; k < m - rank; k++) {
        const double *w = V + k * m;
        for (int which = 0; which < 2; which++) {
            const double *X = which ? g->result.K : g->result.B;
            dense_multiply_transposed(1, m, m, w, X, product); /* w' X */
            dense_multiply(n, m, 1, At, product, product + m); /* A' X' w */
            if (dense_largest(product + m, n) <=
                TOL_GAINS_COMMUTE * (dense_largest(X, m * m) + 1e-300) * (dense_largest(At, m * n) + 1e-300))
                continue;
            textbuf text = {0};
            text_format(&text, "%c differs on rows that depend on one another, so they disagree by it times the drift:",
                        which ? 'K' : 'B');
            for (size_t i = 0, first = 1; i < m; i++) {
                if (fabs(w[i]) < TOL_GAINS_SHARE) continue;
                text_add(&text, first ? " " : ", ");
                text_add(&text, mech_system_row_name(system, i));
                first = 0;
            }
            warn(g, &text);
        }
    }
    return MECH_OK;
}

static void look_at_speed(mech_gains *g, const mech_gains_options *o)
{
    const mech_modes_result *r = g->result.modes;
    double fastest = 0, slowest = INFINITY;
    for (int k = 0; k < r->n - r->zero; k++) {
        fastest = fmax(fastest, hypot(r->real[k], r->imaginary[k]));
        slowest = fmin(slowest, -r->real[k]);
    }
    g->result.decay = r->zero ? 0 : isfinite(slowest) ? slowest : 0;
    textbuf text = {0};
    if (r->n > 0 && r->verdict != MECH_VERDICT_STABLE) {
        text_format(&text, "the excess variables do not decay: %s", mech_verdict_text(r->verdict));
        warn(g, &text);
    }
    /* explicit Runge-Kutta methods of order 5 are stable to |h lambda| of about 3.3 */
    if (o->step > 0 && !o->is_implicit && o->step * fastest > 3.3) {
        text_format(&text, "a step of %.4g s is unstable with these gains: an explicit method needs less than %.3g s",
                    o->step, 3.3 / fastest);
        warn(g, &text);
    }
    if (o->fastest > 0 && !o->is_implicit && fastest > 20 * o->fastest) {
        text_format(&text,
                    "stiff for an explicit method: the fastest gain (%.4g 1/s) is %.3g times the fastest "
                    "mode of the motion "
                    "(%.4g 1/s), so steps stay below %.3g s for the gains alone",
                    fastest, fastest / o->fastest, o->fastest, 3.3 / fastest);
        warn(g, &text);
    }
    if (!r->agree) {
        text_format(&text, "eigenvalues (%d to the right) and Routh's criterion (%d) disagree", r->right,
                    r->routh_right);
        warn(g, &text);
    }
}

static mech_status build(mech_gains *g, const mech_system *system, const mech_eval *eval, const mech_gains_options *o)
{
    const mech_sizes sizes = mech_system_sizes(system);
    const size_t m = sizes.rows, cells = m * m;
    double *B, *K;
    MECH_TRY(ARENA_MAKE(&g->memory, ARRAY_OF(B, cells), ARRAY_OF(K, cells)));
    propose(system, o, m, B, K);
    if (o->B) memcpy(B, o->B, cells * sizeof *B);
    if (o->K) memcpy(K, o->K, cells * sizeof *K);
    g->result.rows = (int)m;
    g->result.B = B;
    g->result.K = K;
    g->result.is_diagonal = 1;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            if (i != j && (B[i + j * m] != 0 || K[i + j * m] != 0)) g->result.is_diagonal = 0;
    MECH_TRY(excess_modes(g, system, m));
    g->result.modes = mech_modes_get(g->modes);
    g->result.warnings = g->warnings;
    look_at_speed(g, o);
    MECH_TRY(look_at_dependent(g, system, mech_eval_equation(eval), m, sizes.coords));
    return g->failed ? MECH_ERR_MEMORY : MECH_OK;
}

mech_status mech_gains_create(const mech_system *system, const mech_eval *eval, const mech_gains_options *options,
                              mech_gains **gains)
{
    mech_gains_options o;
    *gains = NULL;
    mech_gains_options_default(&o, sizeof o);
    MECH_TRY(options_take(&o, sizeof o, options));
    if (o.decay < 0 || o.time_scale < 0 || !mech_eval_equation(eval)->A_dense) return MECH_ERR_ARGUMENT;
    mech_gains *g = mem_zeroed(1, sizeof *g);
    if (!g) return MECH_ERR_MEMORY;
    g->result.size = sizeof g->result;
    const mech_status status = build(g, system, eval, &o);
    if (status == MECH_OK) *gains = g;
    else mech_gains_free(g);
    return status;
}

void mech_gains_free(mech_gains *g)
{
    if (!g) return;
    mech_modes_free(g->modes);
    arena_free(&g->memory);
    mem_free(g);
}

const mech_gains_result *mech_gains_get(const mech_gains *g) { return &g->result; }
