/* Any text: model, system, one instant and a run of a few steps. Nothing is decided by the clock: the same
   text does the same things. */
#include <mech/instant.h>
#include <mech/lang.h>
#include <mech/simulate.h>

#include <math.h>
#include <stdlib.h>

enum { MOST_COORDS = 12, MOST_ROWS = 16, MOST_STEPS = 25 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A run that says it went well holds numbers. */
static void look_at(const mech_sim *sim, size_t coords, mech_status status)
{
    const double *q = mech_sim_q(sim), *v = mech_sim_v(sim);
    for (size_t i = 0; status == MECH_OK && i < coords; i++)
        if (!isfinite(q[i]) || !isfinite(v[i])) abort();
    if (status != MECH_OK && status != MECH_ERR_MEMORY && !mech_sim_error_text(sim)[0]) abort();
    mech_text_free(mech_sim_audit_text(sim));
}

static void run_for_a_while(mech_system *system, mech_method method)
{
    mech_sim_settings settings;
    mech_sim *sim = NULL;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.from = 0;
    settings.until = 0.5;
    settings.output_points = 5;
    settings.method = method;
    settings.max_steps = MOST_STEPS;
    settings.max_events = 10;
    if (mech_sim_create(system, &settings, &sim) == MECH_OK)
        look_at(sim, mech_system_sizes(system).coords, mech_sim_run(sim));
    mech_sim_free(sim);
}

static void one_instant(mech_system *system)
{
    double q[MOST_COORDS] = {0}, v[MOST_COORDS] = {0}, z[MOST_COORDS + 1] = {0};
    mech_instant *instant = NULL;
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    if (mech_instant_create(system, 0, &instant) != MECH_OK) return;
    if (mech_instant_start(instant, 0, q, v, z) == MECH_OK) {
        at.q = q;
        at.v = v;
        at.z = z;
        if (mech_instant_solve(instant, &at) != MECH_OK) mech_text_free(mech_instant_explain(instant));
    }
    mech_instant_free(instant);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_read_options options;
    mech_read_options_default(&options, sizeof options);
    options.no_files = 1;
    options.max_turns = 200;
    if (diagnostics && mech_read_text("fuzz", (const char *)data, size, &options, diagnostics, &model) == MECH_OK &&
        mech_model_coord_count(model) <= MOST_COORDS && mech_model_row_count(model) <= MOST_ROWS &&
        mech_system_from_model(model, diagnostics, &system) == MECH_OK &&
        mech_system_sizes(system).states <= MOST_COORDS) {
        one_instant(system);
        run_for_a_while(system, size % 2 ? MECH_METHOD_RK5 : MECH_METHOD_AUTO);
    }
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return 0;
}
