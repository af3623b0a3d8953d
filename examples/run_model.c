/* A whole simulation: read a model, set a parameter, run it, look at the end and at a column. */
#include <mech/easy.h>
#include <stdio.h>

int main(void)
{
    size_t rows;
    mech_easy *hoop = mech_easy_open("examples/hoop-on-cylinder/model.mech");
    mech_easy_set(hoop, "R", 1.5);
    if (mech_easy_run(hoop) != MECH_OK) {
        fprintf(stderr, "%s\n", mech_easy_error(hoop));
        mech_easy_close(hoop);
        return 1;
    }
    const double *N = mech_easy_column(hoop, "N", &rows);
    for (size_t k = 0; N && k < rows && N[k] > 0; k += 10) printf("contact force %8.4f\n", N[k]);
    printf("at t = %g the hoop is at theta = %.6f\n", mech_easy_value(hoop, "t"), mech_easy_value(hoop, "theta"));
    mech_easy_close(hoop);
    return 0;
}
