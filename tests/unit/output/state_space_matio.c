/* The state space written as .mat reads back: the same matrices, the same poles. */
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

int main(void)
{
    char path[] = "/tmp/mech-state-space-XXXXXX.mat";
    const int file = mkstemps(path, 4);
    subject s;
    CHECK(file >= 0);
    if (!subject_text(
            &s,
            "param k = 3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential k/2*x^2\nconstraint line: y = 2*x\n"
            "input u = 0\nforce u on x'\noutput speed = x' + u\n"))
        return 1;
    if (subject_find(&s, NULL, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK(mech_linear_write(path, s.system, s.l) == MECH_OK);
        mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
        CHECK(mat != NULL);
        if (mat) {
            CHECK(same(mat, "A", s.l->A, 4, 4) && same(mat, "B", s.l->E, 4, 1) &&
                  same(mat, "C", s.l->C, 1, 4));
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
    if (file >= 0) close(file);
    unlink(path);
    subject_free(&s);
    return check_report();
}
