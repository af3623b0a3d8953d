/* Signals from tables, and parameters that may not be set. */
#include "check.h"

#include <mech/system.h>

#include "model/model.h"
#include "base/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static void write_table(const char *text, size_t length)
{
    FILE *out = fopen(path, "wb");
    CHECK(out != NULL);
    if (!out) exit(1);
    fwrite(text, 1, length, out);
    fclose(out);
}

static mech_status try_table(const char *text, const char *column, const char *message, points_table *table)
{
    mech_diagnostics *d = mech_diagnostics_create();
    write_table(text, strlen(text));
    const mech_status status = table_read(path, column, 0, d, (mech_span){0}, table);
    if (message) {
        const mech_diagnostic *first = mech_diagnostics_get(d, 0);
        CHECK(status != MECH_OK && first && strstr(first->message, message) != NULL);
        if (first && !strstr(first->message, message)) fprintf(stderr, "%s\n", first->message);
    } else {
        CHECK(status == MECH_OK);
    }
    mech_diagnostics_free(d);
    return status;
}

static void tables(void)
{
    points_table t;
    CHECK(try_table("# measured\ntime, \"a, b\" ,u\r\n0,9, 1\r\n\n0.5 ,9,2\n2,9,-1", "u", NULL, &t) == MECH_OK);
    CHECK(t.count == 3);
    const struct {
        double t, value, slope;
    } cases[] = {{-1, 1, 0}, {0, 1, 2}, {0.25, 1.5, 2}, {0.5, 2, -2}, {1.25, 0.5, -2}, {2, -1, 0}, {9, -1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value, slope;
        table_at(&t, cases[i].t, &value, &slope);
        CHECK(value == cases[i].value && slope == cases[i].slope);
    }
    table_free(&t);
    CHECK(try_table("u;t\n5;1\n", "u", NULL, &t) == MECH_OK && t.count == 1 && t.t[0] == 1 && t.y[0] == 5);
    table_free(&t);
    try_table("t,u\n0,1\n0,2\n", "u", "time must ascend", &t);
    try_table("t,u\n0,1\n1\n", "u", ":3: the row has 1 field, the header 2", &t);
    try_table("t,u\n0,1\n1,5,2\n", "u", ":3: the row has 3 fields, the header 2", &t); /* 1.5 or 5.2 */
    try_table("t,u,w\n0,1,2\n1,\"2,3\n", "u", ":3: the row has 2 fields, the header 3", &t);
    try_table("u,w\n0,1\n", "u", "its first one would be the time, and that is 'u' itself", &t);
    try_table("t,u,w\n0,1,5\n1,2", "u", ":3: the last line has no line end: it was cut off", &t); /* or 2.5 */
    try_table("t,u\n0,nan\n", "u", "finite", &t);
    try_table("t,u\n0,1x\n", "u", "finite", &t);
    try_table("t,w\n0,1\n", "u", "has no column 'u'", &t);
    try_table("t,u,w,u\n0,1,2,3\n", "u", "columns 2 ('u') and 4 ('u') of the table", &t);
    try_table("t,u,t\n0,1,2\n", "u", "columns 1 ('t') and 3 ('t') of the table", &t);
    try_table("time;u;t\n0;1;2\n", "u", "columns 1 ('time') and 3 ('t') of the table", &t);
    CHECK(try_table("t,w,u,w\n0,1,2,3\n", "u", NULL, &t) == MECH_OK && t.y[0] == 2); /* nobody asks for w */
    table_free(&t);
    try_table("t,u\n", "u", "has no rows", &t);
    try_table("", "u", "is empty", &t);
    mech_diagnostics *d = mech_diagnostics_create();
    CHECK(table_read("no/such/file.csv", "u", 0, d, (mech_span){0}, &t) == MECH_ERR_FILE);
    CHECK_TEXT(mech_diagnostics_get(d, 0)->message, "the table 'no/such/file.csv' cannot be read");
    mech_diagnostics_free(d);
    CHECK(table_read("tests/support/hat.csv", "u", 0, NULL, (mech_span){0}, &t) == MECH_OK && t.count == 5);
    table_free(&t);
}

/* Held: the value of the point before; one that is used by its slope is refused. */
static void held_input(void)
{
    write_table("t,u\n0,3\n2,8\n5,1\n", 16);
    for (int uses_slope = 0; uses_slope < 2; uses_slope++) {
        mech_diagnostics *d = mech_diagnostics_create();
        mech_model *m;
        CHECK(mech_model_create(d, &m) == MECH_OK);
        mech_pool *pool = mech_model_pool(m);
        const mech_expr x = mech_model_coord(m, "x", NULL), v = mech_dot(pool, x),
                        u = mech_model_input_held(m, "u", path, "u", NULL);
        const mech_expr push = uses_slope ? mech_dot(pool, u) : u;
        CHECK(mech_model_kinetic(m, mech_mul(pool, v, v)) == MECH_OK && mech_model_force(m, &push, &v, 1) == MECH_OK &&
              mech_model_finish(m) == MECH_OK);
        mech_system *s;
        mech_eval *e;
        CHECK(mech_system_from_model(m, d, &s) == (uses_slope ? MECH_ERR_MODEL : MECH_OK));
        if (uses_slope)
            CHECK(strstr(mech_diagnostics_get(d, 0)->message, "the slope u' of an input that is held") != NULL);
        static const double times[] = {-1, 0, 1.9, 2, 4, 5, 9}, values[] = {3, 3, 3, 8, 8, 1, 1},
                            next[] = {0, 2, 2, 5, 5, HUGE_VAL, HUGE_VAL};
        if (!uses_slope) {
            CHECK(mech_eval_create(s, MECH_STORAGE_SPARSE, &e) == MECH_OK);
            for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
                CHECK(mech_eval_position(e, times[k], (const double[]){0}) == MECH_OK &&
                      mech_eval_velocity(e, (const double[]){0}) == MECH_OK);
                CHECK(mech_eval_equation(e)->Q[0] == values[k] && mech_eval_equation(e)->u_dot[0] == 0);
                CHECK(mech_eval_next_point(e, times[k]) == next[k]);
            }
            CHECK(mech_eval_set_input(e, 0, 7, 0, 0) == MECH_OK && mech_eval_next_point(e, 0) == HUGE_VAL);
            CHECK(mech_eval_use_signal(e, 0) == MECH_OK && mech_eval_next_point(e, 0) == 2);
            mech_eval_free(e);
        }
        mech_system_free(s);
        mech_model_free(m);
        mech_diagnostics_free(d);
    }
    unlink(path);
}

/* A mass pushed by a table; N shaped the model. */
static void table_input(void)
{
    write_table("t,u\n0,0\n2,8\n", 12);
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *m;
    CHECK(mech_model_create(d, &m) == MECH_OK);
    mech_pool *pool = mech_model_pool(m);
    const mech_expr N = mech_model_param(m, "N", mech_number(pool, 4), NULL);
    model_mark_structural(m, N);
    const mech_expr x = mech_model_coord(m, "x", NULL), v = mech_dot(pool, x);
    const mech_expr u = mech_model_input_table(m, "u", path, "u", NULL);
    const mech_expr push = mech_add(pool, u, mech_dot(pool, u));
    CHECK(mech_model_kinetic(m, mech_mul(pool, N, mech_mul(pool, v, v))) == MECH_OK);
    CHECK(mech_model_force(m, &push, &v, 1) == MECH_OK);
    CHECK(mech_model_finish(m) == MECH_OK);
    mech_system *s;
    mech_eval *e;
    CHECK(mech_system_from_model(m, d, &s) == MECH_OK);
    CHECK_TEXT(mech_system_file(s, 0), path); /* what is read, for those who write */
    CHECK(mech_system_file(s, 1) == NULL);
    CHECK(mech_eval_create(s, MECH_STORAGE_SPARSE, &e) == MECH_OK);
    CHECK(mech_eval_position(e, 0.5, (const double[]){0}) == MECH_OK);
    CHECK(mech_eval_velocity(e, (const double[]){0}) == MECH_OK);
    CHECK(mech_eval_equation(e)->Q[0] == 2 + 4);
    CHECK(mech_eval_equation(e)->M_dense == NULL && mech_eval_equation(e)->M[0] == 8);
    CHECK(mech_eval_set_param(e, "N", 5) == MECH_ERR_MODEL);
    char *text = mech_eval_explain(e);
    CHECK(strstr(text, "'N' shaped the model") != NULL);
    mech_text_free(text);
    CHECK(mech_eval_equation(e)->p[0] == 4);
    for (int k = 0; k < 3; k++) { /* a value that is none is refused, whichever it is, and the table stays */
        double given[3] = {1, 1, 1};
        given[k] = (double)NAN;
        CHECK(mech_eval_set_input(e, 0, given[0], given[1], given[2]) == MECH_ERR_NOT_FINITE);
    }
    CHECK(mech_eval_position(e, 1, (const double[]){0}) == MECH_OK &&
          mech_eval_velocity(e, (const double[]){0}) == MECH_OK);
    CHECK(mech_eval_equation(e)->Q[0] == 4 + 4);
    mech_eval_free(e);
    mech_system_free(s);
    /* the table is gone: a diagnostic, no system */
    unlink(path);
    CHECK(mech_system_from_model(m, d, &s) == MECH_ERR_FILE && s == NULL);
    CHECK(mech_diagnostics_error_count(d) == 1);
    mech_model_free(m);
    mech_diagnostics_free(d);
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/mech_table_XXXXXX");
    const int fd = mkstemp(path);
    CHECK(fd >= 0);
    if (fd >= 0) close(fd);
    tables();
    held_input();
    table_input();
    unlink(path);
    return check_report();
}
