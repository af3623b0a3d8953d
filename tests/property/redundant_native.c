/* Rows that say what others say, in other words, so that symbols do not show it: by every way to an
   acceleration the answer is that of the robust solve. Either from the start, all rows in, as in exported
   code, or only once a parameter has become 0 that told the rows apart when the motion was prepared. */
#include "check.h"
#include "support/exported.h"
#include "support/random_numbers.h"

#include <mech/fundamental.h>
#include <mech/lanes.h>
#include <mech/lang.h>
#include <mech/output.h>
#include <mech/system.h>

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COORDS = 5, ROWS = 4, TERMS = 3, PARAMS = 3, STATES = 4, TEXT = 8000 };

/* ---- random models ---- */

typedef struct term { /* (slope*p - rest/20) * function */
    int slope, rest, param, function, coord, other;
} term;

typedef struct generated {
    size_t n, rows;
    term row[ROWS][TERMS];
    size_t count[ROWS];
    double q[COORDS], v[COORDS];
    char text[TEXT];
    size_t length;
} generated;

static void say(generated *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g->length += (size_t)vsnprintf(g->text + g->length, TEXT - g->length, format, arguments);
    va_end(arguments);
}

static int random_int(int least, int most) { return least + (int)random_below((uint32_t)(most - least + 1)); }

static term random_term(const generated *g)
{
    term t = {.slope = random_int(0, 1) * random_int(1, 3),
              .rest = random_int(-60, 60),
              .param = random_int(0, PARAMS - 1),
              .function = random_int(0, 4),
              .coord = random_int(0, (int)g->n - 1)};
    t.other = (t.coord + random_int(1, (int)g->n - 1)) % (int)g->n;
    if (t.slope == 0 && t.rest == 0) t.rest = 7;
    return t;
}

static void say_function(generated *g, const term *t)
{
    static const char *const forms[] = {"q%d", "sin(q%d)", "q%d*cos(q%d)", "sqrt(q%d^2 + 1)", "q%d*q%d"};
    say(g, forms[t->function], t->coord, t->other);
}

/* factor * the term: the factor before it or inside, as people write and as programs that generate do. */
static void say_term(generated *g, const term *t, int factor)
{
    if (random_below(2)) say(g, " + %d/4*(%d*p%d - %d/20)*", factor, t->slope, t->param, t->rest);
    else say(g, " + (%d/4*p%d - %d/80)*", factor * t->slope, t->param, factor * t->rest);
    say_function(g, t);
}

static void say_row(generated *g, size_t row, int factor)
{
    for (size_t i = 0; i < g->count[row]; i++) say_term(g, &g->row[row][i], factor);
}

static int random_factor(void) { return (random_below(2) ? 1 : -1) * random_int(1, 13); }

/* The last row is a combination of others, and of q0 while `apart` is not 0. */
static void make(generated *g, double apart)
{
    memset(g, 0, sizeof *g);
    g->n = (size_t)random_int(2, COORDS);
    g->rows = (size_t)random_int(2, g->n < ROWS ? (int)g->n : ROWS);
    say(g, "param apart = %g, p0 = %d/10, p1 = %d/7, p2 = %d/20\n", apart, random_int(5, 30), random_int(5, 20),
        random_int(5, 60));
    for (size_t i = 0; i < g->n; i++) say(g, "coord q%zu\n", i);
    for (size_t i = 0; i < g->n; i++)
        say(g, "kinetic %d/10*q%zu'^2 + (q%zu' + sin(q%zu)*q%zu')^2/20\npotential %d/10*q%zu\n", random_int(5, 30), i,
            i, i, (i + 1) % g->n, random_int(-60, 60), i);
    for (size_t r = 0; r + 1 < g->rows; r++) {
        g->count[r] = (size_t)random_int(1, TERMS);
        for (size_t i = 0; i < g->count[r]; i++) g->row[r][i] = random_term(g);
        say(g, "constraint c%zu: 0", r);
        say_row(g, r, 4);
        say(g, " = 0\n");
    }
    say(g, "constraint again: apart*q0");
    say_row(g, 0, random_factor());
    for (size_t r = 1; r + 1 < g->rows; r++)
        if (random_below(2)) say_row(g, r, random_factor());
    say(g, " = 0\n");
}

static void choose_state(generated *g)
{
    for (size_t i = 0; i < g->n; i++) {
        g->q[i] = 1.5 * random_signed();
        g->v[i] = random_signed();
    }
}

/* ---- what is right ---- */

static double largest(const double *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* q''; 0 where the rows that are not repeated are not clearly independent themselves. */
static int ask_robust(const generated *g, mech_eval *e, double *want)
{
    const mech_equation *eq = mech_eval_equation(e);
    mech_fundamental *solver = NULL;
    double strict[COORDS], other[COORDS];
    CHECK(mech_eval_position(e, 0, g->q) == MECH_OK && mech_eval_velocity(e, g->v) == MECH_OK);
    mech_fundamental_input in = {.size = sizeof in, .M = eq->M_dense, .Q = eq->Q, .A = eq->A_dense, .b = eq->b};
    mech_fundamental_output out = {.size = sizeof out, .qdd = want};
    CHECK(mech_fundamental_create((int)g->n, (int)g->rows, NULL, &solver) == MECH_OK);
    CHECK(mech_fundamental_solve(solver, &in, &out) == MECH_OK);
    in.rank_tol = 1e-3; /* the same rank by far, so that a plan may lose its digits and no more */
    out.qdd = strict;
    CHECK(mech_fundamental_solve(solver, &in, &out) == MECH_OK);
    mech_fundamental_free(solver);
    for (size_t i = 0; i < g->n; i++) other[i] = strict[i] - want[i];
    return largest(other, g->n) <= 1e-9 * largest(want, g->n);
}

typedef struct tally {
    size_t asked, skipped;
    double worst;
} tally;

static void compare(const generated *g, const double *qdd, const double *want, const char *way, tally *to)
{
    double miss[COORDS];
    for (size_t i = 0; i < g->n; i++) miss[i] = isfinite(qdd[i]) ? qdd[i] - want[i] : HUGE_VAL;
    const double error = largest(miss, g->n) / fmax(largest(want, g->n), 1e-3);
    to->asked++;
    if (error > to->worst) to->worst = error;
    CHECK(error < 1e-9);
    if (error >= 1e-9) fprintf(stderr, "%s: error %.1e in\n%s", way, error, g->text);
}

/* ---- the library's ways ---- */

static mech_system *read_system(const generated *g, mech_diagnostics *d, mech_model **model)
{
    mech_system *system = NULL;
    CHECK(mech_read_text("random", g->text, g->length, NULL, d, model) == MECH_OK);
    if (*model) CHECK(mech_system_from_model(*model, d, &system) == MECH_OK);
    return system;
}

static void ask(generated *g, mech_system *system, mech_native native, int knows_start, tally *to)
{
    double qdd[COORDS], want[COORDS];
    mech_eval *e = NULL, *plain = NULL;
    mech_lanes *lanes = NULL;
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = native;
    choose_state(g);
    if (knows_start) settings.q = g->q;
    mech_motion_code *code = NULL;
    CHECK(mech_motion_code_create(system, &settings, &code) == MECH_OK);
    CHECK(mech_eval_create(system, MECH_STORAGE_SPARSE, &e) == MECH_OK);
    CHECK(mech_eval_create(system, MECH_STORAGE_DENSE, &plain) == MECH_OK);
    CHECK(mech_eval_use_motion(e, code) == MECH_OK);
    CHECK(mech_eval_set_param(e, "apart", 0) == MECH_OK && mech_eval_set_param(plain, "apart", 0) == MECH_OK);
    CHECK(mech_lanes_create(code, 1, &lanes) == MECH_OK && mech_lanes_take(lanes, 0, e) == MECH_OK);
    for (int k = 0; k < STATES; k++) {
        const mech_lanes_states states = {.size = sizeof states, .q = g->q, .v = g->v};
        mech_motion motion = {.size = sizeof motion, .qdd = qdd};
        choose_state(g);
        if (!ask_robust(g, plain, want)) {
            to->skipped++;
            continue;
        }
        CHECK(mech_eval_motion(e, 0, g->q, g->v, &motion) == MECH_OK);
        compare(g, qdd, want, native == MECH_NATIVE_ON ? "native" : "interpreted", to);
        CHECK(mech_lanes_motion(lanes, &states, qdd, NULL, NULL, NULL) == MECH_OK);
        compare(g, qdd, want, "lanes", to);
    }
    mech_eval_free(e);
    mech_eval_free(plain);
    mech_lanes_free(lanes);
    mech_motion_code_free(code);
}

static void by_library(int count, mech_native native)
{
    static generated g;
    tally t = {0};
    for (int k = 0; k < count; k++) {
        const int tells_apart = k % 2;
        mech_diagnostics *d = mech_diagnostics_create();
        mech_model *model = NULL;
        make(&g, tells_apart);
        mech_system *system = read_system(&g, d, &model);
        if (system) ask(&g, system, native, tells_apart, &t);
        mech_system_free(system);
        mech_model_free(model);
        mech_diagnostics_free(d);
    }
    printf("%s: %d models, %zu answers, %zu states left out, error at most %.1e\n",
           native == MECH_NATIVE_ON ? "native" : "interpreted", count, t.asked, t.skipped, t.worst);
    CHECK(t.asked > 4 * (size_t)count);
}

/* ---- exported code ---- */

static void *load(const mech_system *of)
{
    char command[600];
    mech_exported files;
    CHECK(mech_export_c(of, "made", NULL, &files) == MECH_OK);
    exported_write(&files);
    mech_exported_free(&files);
    snprintf(command, sizeof command,
             "cd %s && cc -std=c99 -O0 -I. -fPIC -shared made.c fundamental/small.c -lm -o made.so", folder);
    CHECK(system(command) == 0);
    snprintf(command, sizeof command, "%s/made.so", folder);
    void *library = dlopen(command, RTLD_NOW | RTLD_LOCAL);
    unlink(command);
    CHECK(library != NULL);
    return library;
}

typedef int acceleration(void *s, double t, const double *q, const double *v, const double *z, const double *u,
                         double *qdd, double *lambda);

static void ask_exported(generated *g, const mech_system *of, void *library, tally *to)
{
    void (*start)(void *);
    acceleration *accelerate;
    double qdd[COORDS], lambda[ROWS], want[COORDS];
    mech_eval *plain = NULL;
    void *memory = calloc(1, 1 << 20);
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&accelerate = dlsym(library, "made_acceleration");
    CHECK(start && accelerate && memory && mech_eval_create(of, MECH_STORAGE_DENSE, &plain) == MECH_OK);
    start(memory);
    for (int k = 0; k < STATES; k++) {
        choose_state(g);
        if (!ask_robust(g, plain, want)) {
            to->skipped++;
            continue;
        }
        CHECK(accelerate(memory, 0, g->q, g->v, NULL, NULL, qdd, lambda) >= 0);
        compare(g, qdd, want, "exported", to);
    }
    mech_eval_free(plain);
    free(memory);
}

static void by_export(int count)
{
    static generated g;
    tally t = {0};
    for (int k = 0; k < count; k++) {
        mech_diagnostics *d = mech_diagnostics_create();
        mech_model *model = NULL;
        make(&g, 0);
        mech_system *of = read_system(&g, d, &model);
        void *library = of ? load(of) : NULL;
        if (library) {
            ask_exported(&g, of, library, &t);
            dlclose(library);
        }
        mech_system_free(of);
        mech_model_free(model);
        mech_diagnostics_free(d);
    }
    printf("exported: %d models, %zu answers, %zu states left out, error at most %.1e\n", count, t.asked, t.skipped,
           t.worst);
    CHECK(t.asked > 2 * (size_t)count);
}

static void make_folder(void)
{
    char path[300];
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/mech-redundant.XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/fundamental", folder);
    CHECK(mkdir(path, 0700) == 0);
}

int main(int argc, char **argv)
{
    const int times = argc > 1 ? atoi(argv[1]) : 1; /* more than the tests' share, by hand */
    char command[300];
    make_folder();
    by_library(300 * times, MECH_NATIVE_OFF);
    by_library(12 * times, MECH_NATIVE_ON);
    by_export(20 * times);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    return check_report();
}
