/* A program with functions of its own whose names the library has inside, too. */
#include <mech/easy.h>

#include <math.h>
#include <stdio.h>

int lu_solve(void);
int mem_alloc(void);
int text_free(void);
int lu_solve(void) { return 1; }
int mem_alloc(void) { return 2; }
int text_free(void) { return 3; }

int main(void)
{
    mech_easy *easy = mech_easy_open_text(
        "param k = 4\ncoord x\nkinetic x'^2/2\npotential k/2*x^2\ninitial x = 1\nsimulate until 1\n");
    mech_easy_set(easy, "k", 9);
    if (mech_easy_run(easy) != MECH_OK) fprintf(stderr, "%s\n", mech_easy_error(easy));
    const double x = mech_easy_value(easy, "x");
    mech_easy_close(easy);
    printf("x = %.9f\n", x);
    return !(fabs(x - cos(3.0)) < 1e-8 && lu_solve() + mem_alloc() + text_free() == 6);
}
