/* The easy layer: whole runs, driven runs, and what it says when something is wrong. */
#include "check.h"

#include <mech/easy.h>

static const char oscillator[] =
    "param m = 1, k = 4\ncoord x\nkinetic m/2*x'^2\npotential k/2*x^2\ninput u = 0\nforce u on x'\n"
    "output e = m/2*x'^2 + k/2*x^2\ninitial x = 1, x' = 0\nsimulate until 1, points 11\n";

static void runs(void)
{
    mech_easy *easy = mech_easy_open_text(oscillator);
    size_t rows;
    CHECK_NEAR(mech_easy_value(easy, "k"), 4, 0);
    CHECK(mech_easy_run(easy) == MECH_OK);
    CHECK_TEXT(mech_easy_error(easy), "");
    CHECK_TEXT(mech_easy_warning(easy), "");
    CHECK_NEAR(mech_easy_value(easy, "x"), cos(2.0), 1e-9);
    CHECK_NEAR(mech_easy_value(easy, "x'"), -2 * sin(2.0), 1e-8);
    CHECK_NEAR(mech_easy_value(easy, "e"), 2, 1e-9);
    const double *t = mech_easy_column(easy, "t", &rows);
    CHECK(rows == 11 && t && t[10] == 1);
    const double *x = mech_easy_column(easy, "x", NULL);
    for (size_t k = 0; k < rows; k++) CHECK_NEAR(x[k], cos(0.2 * (double)k), 1e-9);
    /* the same from its start, with another stiffness */
    CHECK(mech_easy_set(easy, "k", 9) == MECH_OK);
    mech_easy_settings(easy)->until = 2;
    CHECK(mech_easy_run(easy) == MECH_OK);
    CHECK_NEAR(mech_easy_value(easy, "x"), cos(6.0), 1e-8);
    CHECK_NEAR(mech_easy_value(easy, "t"), 2, 0);
    CHECK(mech_easy_model(easy) && mech_easy_system(easy) && mech_easy_sim(easy) && mech_easy_diagnostics(easy));
    mech_easy_close(easy);
}

/* x'' = -4 x + u: u = 0 for 1 s, then u = 8 from where it is, about x = 2 */
static void is_driven(void)
{
    mech_easy *easy = mech_easy_open_text(oscillator);
    for (int round = 0; round < 2; round++) {
        CHECK(mech_easy_set(easy, "u", 0) == MECH_OK);
        CHECK(mech_easy_advance(easy, 1) == MECH_OK);
        CHECK_NEAR(mech_easy_value(easy, "x"), cos(2.0), 1e-9);
        CHECK(mech_easy_set(easy, "u", 8) == MECH_OK);
        CHECK(mech_easy_advance(easy, 1.5) == MECH_OK);
        CHECK_NEAR(mech_easy_value(easy, "x"), 2 + (cos(2.0) - 2) * cos(1.0) - sin(2.0) * sin(1.0), 1e-9);
        CHECK_NEAR(mech_easy_value(easy, "u"), 8, 0);
        CHECK(mech_easy_reset(easy) == MECH_OK); /* and all of it once more */
    }
    mech_easy_close(easy);
}

/* N shapes the model: it is read again. */
static void is_reshaped(void)
{
    mech_easy *easy = mech_easy_open_text(
        "param N = 1, g = 10\ncoord y[1..N]\nfor i in 1..N { kinetic y[i]'^2/2\npotential g*y[i] }\nsimulate until 1\n");
    CHECK(mech_easy_set(easy, "g", 2) == MECH_OK);
    CHECK(mech_easy_set(easy, "N", 3) == MECH_OK);
    CHECK(mech_easy_run(easy) == MECH_OK);
    CHECK_NEAR(mech_easy_value(easy, "y[3]"), -1, 1e-9);
    CHECK(mech_easy_set(easy, "g", 4) == MECH_OK && mech_easy_run(easy) == MECH_OK);
    CHECK_NEAR(mech_easy_value(easy, "y[2]"), -2, 1e-9);
    mech_easy_close(easy);
}

static void says_what_is_wrong(void)
{
    mech_easy *wrong = mech_easy_open_text("coord x\nkinetic m*x'^2/2\n");
    CHECK(strstr(mech_easy_error(wrong), "model:2:9: error") != NULL);
    CHECK(mech_easy_set(wrong, "m", 1) != MECH_OK);
    CHECK(mech_easy_run(wrong) == MECH_ERR_MODEL && mech_easy_advance(wrong, 1) == MECH_ERR_MODEL &&
          mech_easy_reset(wrong) == MECH_ERR_MODEL);
    CHECK(isnan(mech_easy_value(wrong, "x")) && !mech_easy_column(wrong, "x", NULL));
    CHECK(strstr(mech_easy_error(wrong), "model:2:9: error") != NULL);
    CHECK(!mech_easy_model(wrong) && !mech_easy_system(wrong) && !mech_easy_sim(wrong) && mech_easy_diagnostics(wrong));
    mech_easy_close(wrong);

    mech_easy *nowhere = mech_easy_open("no/such/file.mech");
    CHECK(mech_easy_run(nowhere) == MECH_ERR_FILE && strstr(mech_easy_error(nowhere), "no/such/file.mech") != NULL);
    mech_easy_close(nowhere);

    /* a name that does not exist: nothing runs until it was told */
    mech_easy *easy = mech_easy_open_text(oscillator);
    CHECK(mech_easy_set(easy, "kk", 1) == MECH_ERR_ARGUMENT);
    CHECK(mech_easy_run(easy) == MECH_ERR_ARGUMENT && !mech_easy_sim(easy));
    CHECK_TEXT(mech_easy_error(easy), "there is no parameter or input 'kk' to set");
    CHECK(mech_easy_run(easy) == MECH_OK);
    CHECK_TEXT(mech_easy_error(easy), "");
    CHECK(isnan(mech_easy_value(easy, "y")) && mech_easy_advance(easy, 2) == MECH_ERR_ARGUMENT);
    CHECK_TEXT(mech_easy_error(easy), "there is no column, parameter, input or measure 'y'");
    CHECK(!mech_easy_column(easy, "z", NULL) && mech_easy_run(easy) == MECH_ERR_ARGUMENT);
    CHECK_TEXT(mech_easy_error(easy), "there is no column 'z'");
    CHECK(mech_easy_set(easy, "x", 1) == MECH_ERR_ARGUMENT && strstr(mech_easy_error(easy), "`initial`") != NULL);
    CHECK(mech_easy_run(easy) == MECH_ERR_ARGUMENT);
    CHECK(mech_easy_set(easy, "k", NAN) == MECH_ERR_NOT_FINITE && mech_easy_run(easy) == MECH_ERR_NOT_FINITE);
    CHECK(mech_easy_set(easy, "m", 0) == MECH_OK && mech_easy_run(easy) == MECH_ERR_SINGULAR_MASS);
    CHECK(strstr(mech_easy_error(easy), "x") != NULL);
    CHECK(mech_easy_set(easy, "m", 1) == MECH_OK && mech_easy_run(easy) == MECH_OK);
    mech_easy_settings(easy)->until = INFINITY;
    CHECK(mech_easy_run(easy) == MECH_ERR_ARGUMENT && strstr(mech_easy_error(easy), "without an end") != NULL);
    mech_easy_close(easy);
}

static void takes_null(void)
{
    size_t rows = 7;
    CHECK(mech_easy_set(NULL, "x", 1) == MECH_ERR_MEMORY && mech_easy_run(NULL) == MECH_ERR_MEMORY);
    CHECK(mech_easy_advance(NULL, 1) == MECH_ERR_MEMORY && mech_easy_reset(NULL) == MECH_ERR_MEMORY);
    CHECK(isnan(mech_easy_value(NULL, "x")) && !mech_easy_column(NULL, "x", &rows) && rows == 0);
    CHECK_TEXT(mech_easy_error(NULL), "out of memory");
    CHECK_TEXT(mech_easy_warning(NULL), "");
    CHECK(!mech_easy_settings(NULL) && !mech_easy_sim(NULL) && !mech_easy_system(NULL) && !mech_easy_model(NULL) &&
          !mech_easy_diagnostics(NULL));
    mech_easy_close(NULL);
    mech_easy *empty = mech_easy_open(NULL);
    CHECK(mech_easy_run(empty) != MECH_OK);
    mech_easy_close(empty);
    mech_easy *bare = mech_easy_open_text(oscillator);
    CHECK(mech_easy_set(bare, NULL, 1) == MECH_ERR_ARGUMENT && mech_easy_run(bare) == MECH_ERR_ARGUMENT);
    CHECK(isnan(mech_easy_value(bare, NULL)) && !mech_easy_column(bare, NULL, NULL));
    mech_easy_close(bare);
}

/* What a run warns of, and what reading does. */
static void hands_warnings_on(void)
{
    mech_easy *easy = mech_easy_open_text("param k = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nsimulate until 1\n");
    CHECK(mech_easy_run(easy) == MECH_OK);
    const size_t count = mech_diagnostics_count(mech_easy_diagnostics(easy));
    CHECK((count > 0) == (*mech_easy_warning(easy) != 0));
    mech_easy_close(easy);
}

int main(void)
{
    runs();
    is_driven();
    is_reshaped();
    says_what_is_wrong();
    takes_null();
    hands_warnings_on();
    return check_report();
}
