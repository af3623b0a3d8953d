/* Creation survives every failing allocation without a leak; nothing after it allocates. */
#include "check.h"
#include "contact/contact.h"
#include "support/mem_fault.h"

enum { K = 4, N = 3 * K };

static void everything(contact_room *room)
{
    contact_point point[K];
    double W[N * N] = {0}, c[N];
    contact_answer a;
    for (size_t tangents = 0; tangents <= 2; tangents++) {
        const size_t rows = K * (1 + tangents);
        for (size_t i = 0; i < K; i++)
            point[i] = (contact_point){.tangents = tangents, .mu = 0.5, .mu_static = 0.6, .restitution = 0.5};
        for (size_t r = 0; r < rows; r++) {
            c[r] = -1 - 0.1 * (double)r;
            for (size_t k = 0; k < rows; k++) W[r + k * rows] = r == k ? 2 : 0.1;
        }
        const contact_problem p = {.contacts = K, .point = point, .rows = rows, .W = W, .c = c};
        CHECK(contact_rows(K, point) == rows);
        contact_accelerations(room, &p, &a);
        CHECK(a.verdict == CONTACT_ONE && a.residual < 1e-10);
        contact_impulses(room, &p, 0, &a);
        CHECK(a.verdict == CONTACT_ONE && a.energy < 0);
    }
}

int main(void)
{
    for (size_t fail = 1;; fail++) {
        contact_room *room = NULL;
        mem_fault_set(fail);
        const mech_status status = contact_create(K, N, &room);
        if (!mem_fault_hit()) {
            CHECK(status == MECH_OK);
            const size_t calls = mem_fault_calls();
            everything(room);
            CHECK(mem_fault_calls() == calls);
        } else CHECK(status == MECH_ERR_MEMORY && !room);
        contact_free(room);
        CHECK(mem_fault_live() == 0);
        if (!mem_fault_hit()) break;
    }
    contact_free(NULL);
    return check_report();
}
