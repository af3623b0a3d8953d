/* What only a C program can do wrong: the reader of texts never gets there. Each refusal in its exact words.
 */
#include "check.h"

#include <math.h>
#include <mech/lang.h>
#include <mech/instant.h>
#include <mech/model.h>
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
    const mech_diagnostic *d =
        mech_diagnostics_get(b->diagnostics, mech_diagnostics_count(b->diagnostics) - 1);
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
    CHECK(mech_model_event(b->m, "e", b->x, MECH_RISES, none, NULL, 0) == MECH_OK);
    CHECK(mech_model_event(b->m, "e", b->x, MECH_RISES, none, NULL, 0) == MECH_ERR_MODEL);
    said(b, "there are two events named 'e'", "");
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
         "the options are from, until, step, points, rtol, atol, max_step and method");
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
    static const char text[] = "param m = 1\ncoord x\nkinetic m*x'^2\n",
                      includes[] = "include \"other.mech\"\n",
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
    laws(&b);
    options(&b);
    CHECK(mech_model_finish(b.m) == MECH_ERR_MODEL);
    close_bench(&b);
    state_without_a_rate();
    reading();
    instants();
    return check_report();
}
