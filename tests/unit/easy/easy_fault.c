/* Every allocation of the easy layer fails once: it is told, and nothing is left behind. */
#include "support/mem_fault.h"
#include "check.h"

#include <mech/easy.h>

static const char text[] =
    "param N = 1, k = 4\ncoord x[1..N]\nfor i in 1..N { kinetic x[i]'^2/2\npotential k/2*x[i]^2\ninitial x[i] = 1 }\n"
    "input u = 0\nforce u on x[1]'\nsimulate until 0.1, points 3\n";

/* All that allocates; 1: it went well, and the number is right. */
static int use(void)
{
    size_t rows = 0;
    mech_easy *easy = mech_easy_open_text(text);
    (void)mech_easy_set(easy, "k", 1);
    (void)mech_easy_set(easy, "N", 2);
    (void)mech_easy_set(easy, "u", 0);
    mech_status status = mech_easy_run(easy);
    const double *x = status == MECH_OK ? mech_easy_column(easy, "x[2]", &rows) : NULL;
    const double last = x ? x[rows - 1] : 0, now = x ? mech_easy_value(easy, "x[2]") : 0;
    if (x) status = mech_easy_advance(easy, 0.2);
    const int is_right = x && status == MECH_OK && fabs(last - cos(0.1)) < 1e-8 && fabs(now - cos(0.1)) < 1e-8;
    CHECK(is_right || *mech_easy_error(easy));
    mech_easy_close(easy);
    return is_right;
}

int main(void)
{
    const size_t live = mem_fault_live();
    int finished = 0;
    for (size_t k = 1; k < 20000 && !finished; k++) {
        mem_fault_set(k);
        const int is_right = use();
        finished = !mem_fault_hit();
        mem_fault_set(0);
        CHECK(is_right || !finished);
        CHECK(mem_fault_live() == live);
    }
    CHECK(finished);
    return check_report();
}
