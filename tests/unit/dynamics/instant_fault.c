/* The k-th allocation fails while an instant is made: nothing leaks, nothing crashes. Solving allocates
 * nothing. */
#include "support/mem_fault.h"
#include "unit/dynamics/instant_helpers.h"

static void solves(mech_instant *instant, const bench_model *b)
{
    double given[3] = {1, (double)NAN, (double)NAN};
    mech_instant_input at = b->at;
    mem_fault_set(0);
    for (int i = 0; i < 4; i++) {
        at.given = i == 3 ? given : NULL;
        at.skip_diagnosis = i == 2;
        CHECK(mech_eval_set_param(mech_instant_eval(instant), "mu", i ? 0.3 : 1.8) == MECH_OK);
        CHECK(mech_instant_solve(instant, &at) == (i ? MECH_OK : MECH_ERR_NO_REACTION));
    }
    CHECK(mem_fault_calls() == 0);
}

int main(void)
{
    bench_model b;
    open_file(&b, "examples/sliding-rod/model.mech", 0);
    size_t k = 1;
    for (;; k++) {
        const size_t live = mem_fault_live();
        mech_instant *instant = (mech_instant *)&b;
        mem_fault_set(k);
        const mech_status status = mech_instant_create(b.system, MECH_INSTANT_INVERSE, &instant);
        const int hit = mem_fault_hit();
        mem_fault_set(0);
        CHECK(hit ? status == MECH_ERR_MEMORY && !instant : status == MECH_OK);
        if (!hit) {
            solves(instant, &b);
            mech_instant_free(instant);
            CHECK(mem_fault_live() == live);
            break;
        }
        CHECK(mem_fault_live() == live);
    }
    CHECK(k > 10);
    close_bench(&b);
    return check_report();
}
