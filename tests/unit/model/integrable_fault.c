/* Each allocation of reading and finishing a model with nonholonomic rows fails once: an error, no leak. */
#include <mech/lang.h>

#include "check.h"
#include "model/model.h"
#include "support/mem_fault.h"

static const char text[] = "param r = 0.2, R = 1\ncoord rho, theta, phi, x, y\nmass [rho, theta, phi, x, y] = 1\n"
                           "constraint contact: rho = R + r\nconstraint rolling: r*phi' = rho*theta'\n"
                           "constraint edge: x'*sin(theta + phi) = y'*cos(theta)/(2 + sin(x))\ninitial rho = 1.2\n";

/* The verdicts with the k-th allocation failing, or the status. */
static mech_status attempt(size_t k, char verdict[4])
{
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    if (!list) return MECH_ERR_MEMORY;
    mem_fault_set(k);
    const mech_status status = mech_read_text("fault", text, sizeof text - 1, NULL, list, &m);
    for (size_t i = 0; m && i < 3; i++) verdict[i] = "-PRU"[m->rows[i].integrable];
    mech_model_free(m);
    mech_diagnostics_free(list);
    return status;
}

int main(void)
{
    char verdict[4] = "";
    size_t k = 1, missed = 0;
    for (;; k++) {
        const mech_status status = attempt(k, verdict);
        const int was_hit = mem_fault_hit();
        CHECK(mem_fault_live() == 0);
        if (!was_hit) break;
        if (status == MECH_OK) missed++;
        CHECK(status == MECH_ERR_MEMORY || (status == MECH_OK && strcmp(verdict, "-PR") == 0));
    }
    mem_fault_set(0);
    CHECK(attempt(0, verdict) == MECH_OK);
    CHECK_TEXT(verdict, "-PR");
    printf("%zu allocations, %zu failures that did no harm\n", k - 1, missed);
    return check_report();
}
