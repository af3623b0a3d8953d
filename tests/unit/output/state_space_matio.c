/* What is written as .mat reads back by another's code: the state space, with the same matrices and poles,
 * and tables. */
#include "output/mat_file.h"
#include "unit/analyze/helpers.h"

#include <mech/output.h>

#include <matio.h>

#include <unistd.h>

static int same(mat_t *mat, const char *name, const double *want, size_t rows, size_t columns)
{
    matvar_t *v = Mat_VarRead(mat, name);
    int ok = v && v->rank == 2 && v->dims[0] == rows && v->dims[1] == columns;
    for (size_t i = 0; ok && i < rows * columns; i++) ok = ((const double *)v->data)[i] == want[i];
    Mat_VarFree(v);
    return ok;
}

static int is_text(mat_t *mat, const char *name, size_t cell, const char *want)
{
    matvar_t *cells = Mat_VarRead(mat, name), *v = cells ? Mat_VarGetCell(cells, (int)cell) : NULL;
    const size_t length = strlen(want);
    const int ok =
        v && v->class_type == MAT_C_CHAR && v->dims[1] == length && (length == 0 || memcmp(v->data, want, length) == 0);
    Mat_VarFree(cells);
    return ok;
}

static void test_table(const char *path)
{
    char a[] = "x'[1]", b[] = "t", c[] = "a name that is longer", none[] = "";
    char *names[] = {a, b, c, none};
    double data[] = {1, 2, 3, 4, 5, 6, 7, 8}, by_column[] = {1, 5, 2, 6, 3, 7, 4, 8};
    const mech_table table = {.size = sizeof table, .rows = 2, .columns = 4, .names = names, .data = data};
    const mech_table empty = {.size = sizeof empty, .rows = 0, .columns = 2, .names = names, .data = data};
    CHECK(mech_mat_write(path, &table) == MECH_OK);
    mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
    CHECK(mat && same(mat, "data", by_column, 2, 4) && same(mat, "x_dot_1", by_column, 2, 1) &&
          same(mat, "t", by_column + 2, 2, 1) && same(mat, "a_name_that_is_longer", by_column + 4, 2, 1));
    for (size_t i = 0; mat && i < 4; i++) CHECK(is_text(mat, "names", i, names[i]));
    Mat_Close(mat);
    CHECK(mech_mat_write(path, &empty) == MECH_OK);
    mat = Mat_Open(path, MAT_ACC_RDONLY);
    CHECK(mat && same(mat, "data", by_column, 0, 2) && is_text(mat, "names", 1, "t"));
    Mat_Close(mat);
}

/* A base that moves, x'' + x' + 50 x = u' + 50 u: on the constraints x = xr but x' = xr' + u. */
static void test_rates(const char *path)
{
    subject s;
    const double one = 1, B2[4] = {0, 0, 1, 0}, place[4] = {1, 0, 0, 1}, rate[4] = {0, 0, 1, 0}, none = 0;
    if (!subject_text(&s, "coord xb, x\ninput u = 0\nkinetic x'^2/2\npotential 25*(x - xb)^2\n"
                          "dissipation (x' - xb')^2/2\nconstraint base: xb = u\noutput y = x\n"))
        return;
    if (subject_find(&s, NULL, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK(mech_linear_write(path, s.system, s.l) == MECH_OK);
        mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
        CHECK(mat && same(mat, "rates_of_inputs", &one, 1, 1) && same(mat, "B2", B2, 4, 1));
        CHECK(mat && same(mat, "by_input", place, 4, 1) && same(mat, "by_input_rate", rate, 4, 1));
        CHECK(mat && same(mat, "Dr", &none, 1, 1) && same(mat, "Dr1", &none, 1, 1) && same(mat, "Dr2", &none, 1, 1));
        if (mat) Mat_Close(mat);
    }
    subject_free(&s);
}

/* A variable has room for 2 GiB: more is refused before a byte of it is looked at, and the earlier file
 * stays. */
static void test_limit(const char *path)
{
    static const size_t sizes[][2] = {{1u << 28, 1}, {1u << 14, 1u << 14}, {SIZE_MAX, SIZE_MAX}, {(size_t)1 << 32, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        mat_file f;
        mat_file_open(&f, path);
        mat_file_matrix(&f, "x", NULL, sizes[i][0], sizes[i][1]);
        CHECK(mat_file_close(&f) == MECH_ERR_LIMIT);
    }
    mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
    CHECK(mat && is_text(mat, "names", 1, "t"));
    Mat_Close(mat);
}

int main(void)
{
    char path[] = "/tmp/mech-state-space-XXXXXX.mat";
    const int file = mkstemps(path, 4);
    subject s;
    CHECK(file >= 0);
    if (!subject_text(&s,
                      "param k = 3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential k/2*x^2\nconstraint line: y = 2*x\n"
                      "input u = 0\nforce u on x'\noutput speed = x' + u\n"))
        return 1;
    if (subject_find(&s, NULL, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK(mech_linear_write(path, s.system, s.l) == MECH_OK);
        mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
        CHECK(mat != NULL);
        if (mat) {
            CHECK(same(mat, "A", s.l->A, 4, 4) && same(mat, "B", s.l->E, 4, 1) && same(mat, "C", s.l->C, 1, 4));
            CHECK(same(mat, "rates_of_inputs", (const double[]){0}, 1, 1));
            CHECK(same(mat, "D", s.l->D, 1, 1) && same(mat, "Ar", s.l->reduced_A, 2, 2));
            matvar_t *names = Mat_VarRead(mat, "states");
            CHECK(names && names->dims[0] == 4);
            Mat_VarFree(names);
            Mat_Close(mat);
        }
        CHECK(has_mode(s.l->motion, 0, sqrt(3.0 / 5), 1e-12, 1));
        CHECK_NEAR(s.l->D[0], 1, 1e-15);
        CHECK(mech_linear_write("/nowhere/at/all.mat", s.system, s.l) == MECH_ERR_FILE);
    }
    test_rates(path);
    test_table(path);
    test_limit(path);
    if (file >= 0) close(file);
    unlink(path);
    subject_free(&s);
    return check_report();
}
