/* What only a C program can do wrong: the reader of texts never gets there. Each refusal in its exact words.
 */
#include "check.h"

#include <math.h>
#include <mech/lang.h>
#include <mech/instant.h>
#include <mech/model.h>
#include <mech/output.h>
#include <mech/simulate.h>
#include <mech/system.h>

static const mech_expr none;

typedef struct bench {
    mech_diagnostics *diagnostics;
    mech_model *m;
    mech_pool *pool;
    mech_expr x, v, one;
} bench;

static void open_bench(bench *b)
{
    b->diagnostics = mech_diagnostics_create();
    CHECK(mech_model_create(b->diagnostics, &b->m) == MECH_OK);
    b->pool = mech_model_pool(b->m);
    b->x = mech_model_coord(b->m, "x", NULL);
    b->v = mech_dot(b->pool, b->x);
    b->one = mech_rational(b->pool, 1, 1);
}

static void close_bench(bench *b)
{
    mech_model_free(b->m);
    mech_diagnostics_free(b->diagnostics);
}

/* The last thing that was said. */
static void said(const bench *b, const char *message, const char *hint)
{
    const mech_diagnostic *d = mech_diagnostics_get(b->diagnostics, mech_diagnostics_count(b->diagnostics) - 1);
    CHECK_TEXT(d ? d->message : NULL, message);
    CHECK_TEXT(d && d->hint ? d->hint : "", hint);
}

static void names(bench *b)
{
    CHECK(mech_model_coord(b->m, "x", NULL).id == 0);
    said(b, "the name 'x' is declared twice", "choose another name, or remove one of the two declarations");
    CHECK(mech_model_coord(b->m, "", NULL).id == 0);
    said(b, "a name is missing", "");
    CHECK(mech_model_param(b->m, "p", b->x, NULL).id == 0);
    said(b, "the value of parameter 'p' may use numbers and earlier parameters only",
         "use 'let' for an abbreviation of coordinates or time");
    CHECK(mech_model_param(b->m, "huge", mech_mul(b->pool, b->one, none), NULL).id == 0);
    said(b, "this expression has no value: a part of it is missing", "");
    CHECK(mech_model_event(b->m, "e", b->x, MECH_DIRECTION_RISES, none, NULL, 0) == MECH_OK);
    CHECK(mech_model_event(b->m, "e", b->x, MECH_DIRECTION_RISES, none, NULL, 0) == MECH_ERR_MODEL);
    said(b, "there are two events named 'e'", "");
}

/* Names are as in the language, whatever they name. */
static void odd_names(bench *b)
{
    static const char *const odd[] = {"a b\n\"", "2x", "x'", "c[", "c[]", "c[1", "c[i]", "c[1]d", "\xCE\xB1", " "};
    static const char *const good[] = {"_", "x_2", "c[3]", "r[1,-2][10]"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) CHECK(mech_model_coord(b->m, odd[i], NULL).id == 0);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) CHECK(mech_model_coord(b->m, good[i], NULL).id != 0);
    CHECK(mech_model_coord(b->m, "a b\n\"", NULL).id == 0);
    said(b, "'a b?\"' is not a name",
         "letters, digits and _, no digit at the beginning, and indices behind: x_2, c[3]");
    CHECK(mech_model_param(b->m, "a b", b->one, NULL).id == 0);
    CHECK(mech_model_constraint(b->m, "a b", &b->x, 1, NULL) == MECH_ERR_MODEL);
    CHECK(mech_model_constraint(b->m, NULL, &b->x, 1, NULL) == MECH_ERR_MODEL);
    CHECK(mech_model_control(b->m, "a b", &b->x, 1, MECH_WEIGHT_NATURE, NULL, 0) == MECH_ERR_MODEL);
    CHECK(mech_model_actuator(b->m, "a b", &b->v, 1) == MECH_ERR_MODEL);
    CHECK(mech_model_output(b->m, "a b", b->x, NULL) == MECH_ERR_MODEL);
    CHECK(mech_model_event(b->m, "a b", b->x, MECH_DIRECTION_RISES, none, NULL, 0) == MECH_ERR_MODEL);
}

/* ---- runs ---- */

static const double nan_gain[] = {NAN}, two_gains[] = {1, 2};

static void set_start(mech_sim_settings *s) { s->start = (mech_start)9; }
static void set_method(mech_sim_settings *s) { s->method = (mech_method)77; }
static void set_stabilize(mech_sim_settings *s) { s->stabilize = 44; }
static void set_stabilize_below(mech_sim_settings *s) { s->stabilize = -2; }
static void set_rank(mech_sim_settings *s) { s->rank_tol = NAN; }
static void set_event(mech_sim_settings *s) { s->event_tol = -1; }
static void set_projection(mech_sim_settings *s) { s->projection_tol = NAN; }
static void set_impact(mech_sim_settings *s) { s->impact_speed = -1; }
static void set_columns(mech_sim_settings *s) { s->columns = 64; }
static void set_step(mech_sim_settings *s) { s->first_step = INFINITY; }
static void set_output(mech_sim_settings *s) { s->output_step = -1; }
static void set_damping(mech_sim_settings *s)
{
    s->stabilize = MECH_STABILIZE_EXCESS, s->damping = nan_gain, s->damping_count = 1;
}
static void set_gains(mech_sim_settings *s)
{
    s->stabilize = MECH_STABILIZE_EXCESS, s->damping = two_gains, s->damping_count = 2;
}

static void refused_settings(const mech_system *system)
{
    static const struct {
        void (*set)(mech_sim_settings *settings);
        const char *words;
    } cases[] = {
        {set_start, "there is no start of kind 9"},
        {set_method, "there is no such method"},
        {set_stabilize, "there is no stabilization of kind 44"},
        {set_stabilize_below, "there is no stabilization of kind -2"},
        {set_rank, "rank_tol lies between 0 and 1, not at nan"},
        {set_event, "event_tol lies between 0 and 1, not at -1"},
        {set_projection, "projection_tol is greater than 0, not nan"},
        {set_impact, "impact_speed is not negative, and not -1"},
        {set_columns, "there are no such columns"},
        {set_step, "steps are finite"},
        {set_output, "steps are not negative"},
        {set_damping, "a gain is nan"},
        {set_gains, "2 gains are given for 1 rows: 1, one for each row, or a matrix"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mech_sim_settings settings;
        mech_sim *sim;
        mech_sim_settings_default(&settings, sizeof settings);
        cases[i].set(&settings);
        CHECK(mech_sim_create(system, &settings, &sim) == MECH_OK);
        CHECK(mech_sim_run(sim) == MECH_ERR_ARGUMENT);
        CHECK_TEXT(mech_sim_error_text(sim), cases[i].words);
        mech_sim_free(sim);
    }
}

/* A time that is none leaves the run as it was. */
static void refused_times(const mech_system *system)
{
    static const double times[] = {NAN, INFINITY, -INFINITY};
    mech_sim *sim;
    CHECK(mech_sim_create(system, NULL, &sim) == MECH_OK);
    CHECK(mech_sim_start(sim) == MECH_OK);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        CHECK(mech_sim_advance(sim, times[i]) == MECH_ERR_ARGUMENT);
        CHECK(mech_sim_time(sim) == 0 && strstr(mech_sim_error_text(sim), "goes on to a finite time, not to"));
    }
    CHECK(mech_sim_advance(sim, 0.5) == MECH_OK && mech_sim_time(sim) == 0.5 && !*mech_sim_error_text(sim));
    CHECK(mech_sim_advance(sim, 0.25) == MECH_ERR_ARGUMENT && mech_sim_time(sim) == 0.5);
    CHECK_TEXT(mech_sim_error_text(sim), "the run is at t = 0.5, and 0.25 lies before it: runs go forward");
    CHECK(mech_sim_advance(sim, 0.5) == MECH_OK && mech_sim_advance(sim, 1) == MECH_OK && mech_sim_time(sim) == 1);
    mech_sim_free(sim);
}

static void nulls(const mech_system *system)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *m;
    mech_eval *eval;
    mech_system *other;
    mech_csv *csv;
    mech_exported files;
    const double q[2] = {0, 0};
    CHECK(mech_model_create(d, NULL) == MECH_ERR_ARGUMENT && mech_model_create(NULL, &m) == MECH_ERR_ARGUMENT);
    CHECK(mech_system_from_model(NULL, d, &other) == MECH_ERR_ARGUMENT);
    CHECK(mech_system_from_model(NULL, d, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_sim_create(system, NULL, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_sim_start(NULL) == MECH_ERR_ARGUMENT && mech_sim_run(NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_sim_advance(NULL, 1) == MECH_ERR_ARGUMENT);
    CHECK(mech_eval_create(NULL, MECH_STORAGE_DENSE, &eval) == MECH_ERR_ARGUMENT && eval == NULL);
    CHECK(mech_eval_create(system, MECH_STORAGE_DENSE, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_eval_create(system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    CHECK(mech_eval_position(eval, 0, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_eval_constraint(eval, 0, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_eval_position(NULL, 0, q) == MECH_ERR_ARGUMENT);
    CHECK(mech_eval_position(eval, 0, q) == MECH_OK && mech_eval_velocity(eval, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_eval_velocity(eval, q) == MECH_OK);
    mech_eval_free(eval);
    CHECK(mech_export_c(system, NULL, NULL, &files) == MECH_ERR_ARGUMENT);
    CHECK(mech_export_c(NULL, "name", NULL, &files) == MECH_ERR_ARGUMENT);
    CHECK(mech_export_c(system, "name", NULL, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_csv_open(NULL, NULL, 0, &csv) == MECH_ERR_ARGUMENT && csv == NULL);
    CHECK(mech_csv_open("never.csv", NULL, 2, &csv) == MECH_ERR_ARGUMENT);
    CHECK(mech_csv_open("never.csv", NULL, 0, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_csv_resume("never.csv", 0, NULL, &csv) == MECH_ERR_ARGUMENT);
    mech_diagnostics_free(d);
}

static void runs(void)
{
    static const char text[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x = y\n";
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *m;
    mech_system *system;
    CHECK(mech_read_text("runs", text, sizeof text - 1, NULL, d, &m) == MECH_OK);
    CHECK(mech_system_from_model(m, d, &system) == MECH_OK);
    refused_settings(system);
    refused_times(system);
    nulls(system);
    mech_system_free(system);
    mech_model_free(m);
    mech_diagnostics_free(d);
}

static void laws(bench *b)
{
    size_t c = 0;
    CHECK(mech_model_constraint(b->m, "c", &b->x, 1, &c) == MECH_OK);
    CHECK(mech_model_constraint(b->m, "c", &b->x, 1, NULL) == MECH_ERR_MODEL);
    said(b, "there are two constraints named 'c'",
         "inside a loop let the name carry the index: constraint NAME[i]: ...");
    CHECK(mech_model_constraint(b->m, "d", &none, 1, NULL) == MECH_ERR_MODEL);
    said(b, "constraint 'd' has no value: a part of it is missing", "");
    CHECK(mech_model_steady(b->m, none, b->one) == MECH_ERR_MODEL);
    said(b, "this expression has no value: a part of it is missing", "");
    CHECK(mech_model_friction(b->m, &c, 1, b->one, NULL, 0, none) == MECH_ERR_MODEL);
    said(b, "friction needs a velocity to act along", "write: friction on NAME: mu, along x'");
    const mech_expr z = mech_model_state(b->m, "z", NULL);
    CHECK(mech_model_state_rate(b->m, b->x, b->one) == MECH_ERR_MODEL);
    said(b, "a rate is given to something that is not a state", "");
    CHECK(z.id != 0);
}

static void options(bench *b)
{
    CHECK(mech_model_simulate(b->m, "for", b->one, NULL) == MECH_ERR_MODEL);
    said(b, "there is no run option 'for'",
         "the options are from, until, step, points, rtol, atol, max_step, resolution and method");
    CHECK(mech_model_allow(b->m, "everything") == MECH_ERR_MODEL);
    said(b, "there is nothing named 'everything' to allow", "write: allow leastnorm, or: allow negative mass");
}

static void state_without_a_rate(void)
{
    bench b;
    open_bench(&b);
    CHECK(mech_model_kinetic(b.m, mech_mul(b.pool, b.v, b.v)) == MECH_OK);
    CHECK(mech_model_state(b.m, "z", NULL).id != 0);
    CHECK(mech_model_finish(b.m) == MECH_ERR_MODEL);
    said(&b, "state 'z' has no rate", "write: state z: z' = expression");
    close_bench(&b);
}

/* ---- reading ---- */

static void reading(void)
{
    static const char text[] = "param m = 1\ncoord x\nkinetic m*x'^2\n", includes[] = "include \"other.mech\"\n",
                      reads[] = "input u = file \"/dev/zero\" column \"u\"\n";
    bench b = {.diagnostics = mech_diagnostics_create()};
    const mech_override nan_value = {.name = "m", .value = NAN};
    mech_read_options o;
    mech_read_options_default(&o, sizeof o);
    o.overrides = &nan_value;
    o.override_count = 1;
    CHECK(mech_read_text("text", text, sizeof text - 1, &o, b.diagnostics, &b.m) == MECH_ERR_MODEL);
    said(&b, "the value given for parameter 'm' is not a finite number", "");
    mech_read_options_default(&o, sizeof o);
    o.no_files = 1;
    CHECK(mech_read_text("text", includes, sizeof includes - 1, &o, b.diagnostics, &b.m) == MECH_ERR_FILE);
    said(&b, "this text may not read files", "");
    CHECK(mech_read_text("text", reads, sizeof reads - 1, &o, b.diagnostics, &b.m) == MECH_ERR_FILE);
    said(&b, "this text may not read files", "");
    mech_diagnostics_free(b.diagnostics);
}

/* ---- a system and its instants ---- */

static void words(mech_instant *instant, mech_status status, mech_status want, const char *message)
{
    CHECK(status == want);
    char *why = mech_instant_explain(instant);
    CHECK_TEXT(why, message);
    mech_text_free(why);
}

static void instants(void)
{
    static const char text[] = "param m = 1, N = 2\ncoord x[1..N]\nkinetic m/2*dot(x', x')\n";
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *m = NULL;
    mech_system *system = NULL;
    mech_instant *instant = NULL;
    CHECK(mech_read_text("text", text, sizeof text - 1, NULL, d, &m) == MECH_OK);
    CHECK(mech_system_from_model(m, d, &system) == MECH_OK);
    CHECK(mech_instant_create(system, 0, &instant) == MECH_OK);
    const double q[2] = {0}, v[2] = {0}, given[2] = {1, 2};
    mech_instant_input at;
    words(instant, mech_instant_solve(instant, NULL), MECH_ERR_ARGUMENT, "no input is given");
    mech_instant_input_default(&at, sizeof at);
    words(instant, mech_instant_solve(instant, &at), MECH_ERR_ARGUMENT, "q and v are needed");
    at.q = q;
    at.v = v;
    at.given = given;
    words(instant, mech_instant_solve(instant, &at), MECH_ERR_ARGUMENT,
          "given accelerations need an instant created with MECH_INSTANT_INVERSE");
    at.given = NULL;
    at.weight = MECH_WEIGHT_GIVEN;
    words(instant, mech_instant_solve(instant, &at), MECH_ERR_ARGUMENT, "no weight is given");
    at.weight = (mech_weight)99;
    words(instant, mech_instant_solve(instant, &at), MECH_ERR_ARGUMENT, "there is no such weight");
    mech_instant_free(instant);

    mech_eval *eval = NULL;
    CHECK(mech_eval_create(system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    CHECK(mech_eval_set_param(eval, "m", NAN) != MECH_OK);
    char *why = mech_eval_explain(eval);
    CHECK_TEXT(why, "the parameter 'm' needs a finite value");
    mech_text_free(why);
    CHECK(mech_eval_set_param(eval, "N", 3) != MECH_OK);
    why = mech_eval_explain(eval);
    // clang-format off
    CHECK_TEXT(why, "the parameter 'N' shaped the model when it was read (a bound, an index or a condition), so it cannot be set afterwards");
    // clang-format on
    mech_text_free(why);
    mech_eval_free(eval);
    mech_system_free(system);
    mech_model_free(m);
    mech_diagnostics_free(d);
}

int main(void)
{
    bench b;
    open_bench(&b);
    names(&b);
    odd_names(&b);
    laws(&b);
    options(&b);
    CHECK(mech_model_finish(b.m) == MECH_ERR_MODEL);
    close_bench(&b);
    state_without_a_rate();
    reading();
    instants();
    runs();
    return check_report();
}
