/* The k-th allocation fails while a program is built: no leak, no crash; running allocates nothing. */
#include "check.h"
#include "support/mem_fault.h"

#include "compile/program.h"

int main(void)
{
    mech_pool *pool = mech_pool_create();
    mech_expr x[8], sum = EXPR_ZERO;
    program_input inputs[8];
    for (uint32_t i = 0; i < 8; i++) {
        x[i] = expr_symbol_create(pool, "x", EXPR_COORD, 0, i);
        inputs[i] = (program_input){x[i], (uint8_t)(i % 3)};
    }
    for (uint32_t i = 0; i < 300; i++) {
        const mech_expr term = mech_mul(pool, mech_mul(pool, x[i % 8], mech_rational(pool, i, 7)), x[(i / 3) % 8]);
        sum = mech_add(pool, sum, mech_call(pool, MECH_FUNCTION_SIN, &term, 1));
        sum = mech_add(pool, sum, term);
    }
    const program_output outputs[] = {{sum, 1}, {mech_mul(pool, sum, x[2]), 2}, {x[0], 0}};
    const program_spec spec = {pool, inputs, 8, outputs, 3, 3, NULL};
    const size_t before = mem_fault_live();
    program *p = NULL;
    size_t k = 1;
    for (;; k++) {
        mem_fault_set(k);
        const mech_status status = program_create(&spec, NULL, &p);
        if (!mem_fault_hit()) {
            CHECK(status == MECH_OK);
            break;
        }
        if (status == MECH_OK) { /* only giving back spare room may fail */
            program_free(p);
        } else {
            CHECK(status == MECH_ERR_MEMORY && p == NULL);
        }
        CHECK(mem_fault_live() == before);
    }
    CHECK(k > 10);
    static double slots[4096];
    CHECK(p->slot_count <= 4096);
    mem_fault_set(0);
    program_reset(p, slots);
    for (uint32_t s = 0; s < 3; s++) program_run(p, s, slots);
    CHECK(mem_fault_calls() == 0);
    for (k = 1; k < 20; k++) { /* printing may fail too */
        mem_fault_set(k);
        char *text = program_dump(p, NULL, NULL);
        CHECK((text != NULL) == !mem_fault_hit());
        mech_text_free(text);
    }
    mem_fault_set(0);
    program_free(p);
    CHECK(mem_fault_live() == before);
    mech_pool_free(pool);
    return check_report();
}
