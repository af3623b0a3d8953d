/* interrupt_now: wherever it is set, in the start, a projection or a step, the next solve is not begun. */
#include "check.h"
#include "support/rod.h"

#include <mech/simulate.h>

static volatile sig_atomic_t flag;
static long calls, set_at, solves_after;

static mech_status mass(void *user, const mech_point *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1;
    solves_after += flag;
    if (++calls == set_at) flag = 1;
    return MECH_OK;
}

/* A run whose flag is set by the k-th look at the system; 0: never. */
static mech_status run(const mech_system *system, mech_method method, long k, mech_sim **sim)
{
    static const double q[] = {30, 4}; /* far off: the start takes several iterations */
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.until = 1;
    settings.method = method;
    settings.interrupt_now = &flag;
    flag = 0;
    calls = solves_after = 0;
    set_at = k;
    CHECK(mech_sim_create(system, &settings, sim) == MECH_OK);
    CHECK(mech_sim_set_start(*sim, q, NULL, NULL, 0) == MECH_OK);
    return mech_sim_run(*sim);
}

static void check_method(const mech_system *system, mech_method method)
{
    mech_sim *sim;
    long before_start = 0, in_steps = 0, most = 0;
    CHECK(run(system, method, 0, &sim) == MECH_OK);
    const long all = calls;
    mech_sim_free(sim);
    for (long k = 1; k < all - 8; k++) { /* the last few looks are past the last solve */
        const mech_status status = run(system, method, k, &sim);
        CHECK(status == MECH_ERR_INTERRUPTED);
        if (solves_after > most) most = solves_after;
        const char *why = mech_sim_error_text(sim);
        const int is_early = strstr(why, "before the first step") != NULL;
        CHECK(strstr(why, "asked to stop") != NULL);
        CHECK(!is_early || mech_sim_time(sim) == 0);
        before_start += is_early;
        in_steps += !is_early && mech_sim_time(sim) > 0;
        mech_sim_free(sim);
    }
    CHECK(before_start > 5 && in_steps > 50);
    CHECK(most <= 4); /* the same state is looked at again before the next solve */
    printf("%s: %ld places, at most %ld looks after it\n", mech_method_word(method), all, most);
}

int main(void)
{
    mech_callbacks pendulum = rod_callbacks();
    pendulum.M = mass;
    mech_system *system = NULL;
    CHECK(mech_system_from_callbacks(&pendulum, NULL, &system) == MECH_OK);
    check_method(system, MECH_METHOD_RK8);
    check_method(system, MECH_METHOD_RK5);
    mech_system_free(system);
    return check_report();
}
