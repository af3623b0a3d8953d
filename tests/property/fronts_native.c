/* Coordinates that M joins all to one another, eliminated by loops in generated code: masses that are a diagonal and
   products a a' of vectors, with rows, with coordinates that hang on one of them, and two of them at once; against a
   Gaussian elimination of the whole equation in long double that knows nothing of plans. And what guards must see: a
   mass that is not definite, rows that depend on one another. */
#include "check.h"

#include "base/text.h"

#include <mech/lang.h>
#include <mech/motion.h>

#include <string.h>

enum { MOST = 64, MOST_FRONTS = 2, FRONT = 26 }; /* FRONT: from here on there are loops */

typedef struct shape {
    size_t size[MOST_FRONTS]; /* coordinates of each front, which come first */
    size_t leaves;            /* each hangs on one coordinate                */
    size_t rows;
    int is_dependent; /* the last row is twice the first */
    int is_constant;  /* the mass                        */
} shape;

typedef struct equation {
    size_t n, rows;
    double diagonal[MOST], along[MOST], force[MOST], A[MOST][MOST]; /* along: the vector a */
} equation;

/* Some numbers without a pattern. */
static double some(size_t i, size_t j) { return 0.1 * (double)((7 * i + 13 * j + i * j) % 19) - 0.85; }

static size_t front_of(const shape *s, size_t i) { return i < s->size[0] ? 0 : i < s->size[0] + s->size[1] ? 1 : 2; }

static equation make_equation(const shape *s)
{
    equation e = {.n = s->size[0] + s->size[1] + s->leaves, .rows = s->rows};
    for (size_t i = 0; i < e.n; i++) {
        e.diagonal[i] = 1 + 0.1 * (double)(i % 5);
        e.along[i] = some(i, 1);
        e.force[i] = some(i, 2);
        for (size_t row = 0; row < s->rows; row++) e.A[row][i] = (i + row) % 3 ? some(i, 3 + row) : 0;
    }
    for (size_t i = 0; s->is_dependent && i < e.n; i++) e.A[s->rows - 1][i] = 2 * e.A[0][i];
    return e;
}

/* 1 + t, or 1: what a a' is multiplied by. */
static double factor_at(const shape *s, double t) { return s->is_constant ? 1 : 1 + t; }

static void write_model(const shape *s, const equation *e, textbuf *to)
{
    for (size_t i = 0; i < e->n; i++)
        text_format(to, "coord q%zu\nkinetic %.17g/2*q%zu'^2\nforce %.17g on q%zu'\n", i, e->diagonal[i], i,
                    e->force[i], i);
    for (size_t f = 0; f < MOST_FRONTS && s->size[f]; f++) {
        text_format(to, "kinetic %s/2*(0", s->is_constant ? "1" : "(1 + t)");
        for (size_t i = 0; i < e->n; i++)
            if (front_of(s, i) == f) text_format(to, " + %.17g*q%zu'", e->along[i], i);
        text_add(to, ")^2\n");
    }
    for (size_t i = 0; i < s->leaves; i++)
        text_format(to, "kinetic (2 + cos(t))/2*(q%zu' + q%zu')^2\n", e->n - 1 - i, 3 * i);
    for (size_t row = 0; row < e->rows; row++) {
        text_format(to, "constraint c%zu: 0", row);
        for (size_t i = 0; i < e->n; i++)
            if (e->A[row][i] != 0) text_format(to, " + %.17g*q%zu", e->A[row][i], i);
        text_add(to, " = 0\n");
    }
}

/* M q'' - A' lambda = force, A q'' = 0; x: q'' and lambda. */
static void solve(const shape *s, const equation *e, double t, long double *x)
{
    static long double K[MOST][MOST + 1];
    const size_t n = e->n, all = n + e->rows;
    memset(K, 0, sizeof K);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            if (front_of(s, i) == front_of(s, j) && front_of(s, i) < 2)
                K[i][j] = (long double)factor_at(s, t) * e->along[i] * e->along[j];
        K[i][i] += e->diagonal[i];
        K[i][all] = e->force[i];
        for (size_t row = 0; row < e->rows; row++) {
            K[n + row][i] = e->A[row][i];
            K[i][n + row] = -e->A[row][i];
        }
    }
    for (size_t i = 0; i < s->leaves; i++) {
        const size_t at[2] = {n - 1 - i, 3 * i};
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) K[at[a]][at[b]] += 2 + cosl(t);
    }
    for (size_t k = 0; k < all; k++) {
        size_t best = k;
        for (size_t i = k; i < all; i++)
            if (fabsl(K[i][k]) > fabsl(K[best][k])) best = i;
        for (size_t j = 0; j <= all; j++) {
            const long double swap = K[k][j];
            K[k][j] = K[best][j];
            K[best][j] = swap;
        }
        for (size_t i = 0; i < all; i++) {
            const long double part = i == k ? 0 : K[i][k] / K[k][k];
            for (size_t j = k; part != 0 && j <= all; j++) K[i][j] -= part * K[k][j];
        }
    }
    for (size_t i = 0; i < all; i++) x[i] = K[i][all] / K[i][i];
}

typedef struct subject {
    mech_diagnostics *list;
    mech_model *model;
    mech_system *system;
    mech_motion_code *code;
    mech_eval *eval;
    double qdd[MOST], lambda[MOST];
} subject;

static subject open_subject(const shape *s, const equation *e)
{
    subject k = {.list = mech_diagnostics_create()};
    textbuf text = {0};
    mech_motion_settings settings;
    write_model(s, e, &text);
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_ON;
    CHECK(mech_read_text("fronts", text.data, text.length, NULL, k.list, &k.model) == MECH_OK);
    CHECK(mech_system_from_model(k.model, k.list, &k.system) == MECH_OK);
    CHECK(mech_motion_code_create(k.system, &settings, &k.code) == MECH_OK);
    CHECK(mech_eval_create(k.system, MECH_STORAGE_DENSE, &k.eval) == MECH_OK);
    CHECK(mech_eval_use_motion(k.eval, k.code) == MECH_OK && mech_motion_code_info(k.code).is_native);
    text_free(&text);
    return k;
}

static void close_subject(subject *k)
{
    mech_eval_free(k->eval);
    mech_motion_code_free(k->code);
    mech_system_free(k->system);
    mech_model_free(k->model);
    mech_diagnostics_free(k->list);
}

/* Flags at rest, by the code alone. */
static unsigned ask(subject *k, double t)
{
    const double still[MOST] = {0};
    mech_motion to = {.size = sizeof to, .qdd = k->qdd, .lambda = k->lambda, .leaves_doubt = 1};
    CHECK(mech_eval_motion(k->eval, t, still, still, &to) == MECH_OK);
    return to.flags;
}

static void agrees(const shape *s)
{
    const equation e = make_equation(s);
    subject k = open_subject(s, &e);
    size_t lines = 0; /* of the elimination alone */
    for (int f = 0; f < MOST_FRONTS; f++) lines += s->size[f] * s->size[f] * (s->size[f] + 6) / 6;
    if (!s->is_constant) CHECK(mech_motion_code_info(k.code).statements < lines);
    for (double t = 0; t < 3; t += 0.7) {
        long double x[MOST];
        solve(s, &e, t, x);
        CHECK(ask(&k, t) == 0);
        for (size_t i = 0; i < e.n; i++) CHECK_NEAR(k.qdd[i], (double)x[i], 1e-13);
        for (size_t i = 0; i < e.rows; i++) CHECK_NEAR(k.lambda[i], (double)x[e.n + i], 1e-12);
    }
    close_subject(&k);
}

/* 1 + t = -2: some vector has v'Mv < 0. */
static void sees_bad_mass(const shape *s)
{
    const equation e = make_equation(s);
    subject k = open_subject(s, &e);
    CHECK(ask(&k, -0.1) == 0);
    CHECK(ask(&k, -3) & MECH_MOTION_DOUBT);
    CHECK(ask(&k, 0.1) == 0);
    close_subject(&k);
}

static void sees_dependent_rows(void)
{
    const shape s = {.size = {27}, .rows = 3, .is_dependent = 1};
    const equation e = make_equation(&s);
    subject k = open_subject(&s, &e);
    CHECK(ask(&k, 0.5) != 0);
    close_subject(&k);
}

int main(void)
{
    static const shape shapes[] = {{.size = {FRONT}},
                                   {.size = {27}, .rows = 1},
                                   {.size = {28}, .rows = 2},
                                   {.size = {29}, .leaves = 4},
                                   {.size = {30}, .rows = 3, .leaves = 3},
                                   {.size = {39}},
                                   {.size = {26, 31}},
                                   {.size = {27, 28}, .rows = 2, .leaves = 5},
                                   {.size = {30}, .is_constant = 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) agrees(&shapes[i]);
    sees_bad_mass(&(shape){.size = {30}});
    sees_bad_mass(&(shape){.size = {29}, .rows = 1, .leaves = 2});
    sees_dependent_rows();
    return check_report();
}
