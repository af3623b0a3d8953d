/* The lists of fields are the structs, whole and in order; what comes out says how large it is; old names are still
   there. */
#include "check.h"

#include <mech/mech.h>

typedef struct field {
    const char *type, *name, *about;
    size_t offset, size;
} field;

#define LISTED(type, name, about) {#type, #name, about, offsetof(THIS, name), sizeof(((THIS *)0)->name)},

/* No field is missing: the next one begins where this one ends, but for what alignment leaves. */
static void is_whole(const char *what, const field *fields, size_t count, size_t size)
{
    CHECK_TEXT(fields[0].name, "size");
    CHECK(fields[0].offset == 0);
    for (size_t k = 0; k < count; k++) {
        const size_t end = fields[k].offset + fields[k].size, next = k + 1 < count ? fields[k + 1].offset : size;
        if (next < end || next - end >= sizeof(double) || !*fields[k].about)
            fprintf(stderr, "%s.%s\n", what, fields[k].name);
        CHECK(next >= end && next - end < sizeof(double));
        CHECK(*fields[k].about && *fields[k].type);
    }
}

#define IS_WHOLE(list)                                                                                                 \
    is_whole(#list, (const field[]){list(LISTED)}, sizeof((const field[]){list(LISTED)}) / sizeof(field), sizeof(THIS))

static void lists(void)
{
#define THIS mech_sizes
    IS_WHOLE(MECH_SIZES_FIELDS);
#undef THIS
#define THIS mech_motion_info
    IS_WHOLE(MECH_MOTION_INFO_FIELDS);
#undef THIS
#define THIS mech_counts
    IS_WHOLE(MECH_COUNTS_FIELDS);
#undef THIS
#define THIS mech_sim_forces
    IS_WHOLE(MECH_SIM_FORCES_FIELDS);
#undef THIS
#define THIS mech_sim_info
    IS_WHOLE(MECH_SIM_INFO_FIELDS);
#undef THIS
#define THIS mech_slopes_result
    IS_WHOLE(MECH_SLOPES_RESULT_FIELDS);
#undef THIS
#define THIS mech_instant_result
    IS_WHOLE(MECH_INSTANT_RESULT_FIELDS);
#undef THIS
#define THIS mech_routh_result
    IS_WHOLE(MECH_ROUTH_RESULT_FIELDS);
#undef THIS
#define THIS mech_modes_result
    IS_WHOLE(MECH_MODES_RESULT_FIELDS);
#undef THIS
#define THIS mech_linear_result
    IS_WHOLE(MECH_LINEAR_RESULT_FIELDS);
#undef THIS
#define THIS mech_sampled_result
    IS_WHOLE(MECH_SAMPLED_RESULT_FIELDS);
#undef THIS
#define THIS mech_equilibrium_result
    IS_WHOLE(MECH_EQUILIBRIUM_RESULT_FIELDS);
#undef THIS
#define THIS mech_gains_result
    IS_WHOLE(MECH_GAINS_RESULT_FIELDS);
#undef THIS
#define THIS mech_map_result
    IS_WHOLE(MECH_MAP_RESULT_FIELDS);
#undef THIS
#define THIS mech_sweep_result
    IS_WHOLE(MECH_SWEEP_RESULT_FIELDS);
#undef THIS
#define THIS mech_branches_result
    IS_WHOLE(MECH_BRANCHES_RESULT_FIELDS);
#undef THIS
#define THIS mech_ensemble_result
    IS_WHOLE(MECH_ENSEMBLE_RESULT_FIELDS);
#undef THIS
#define THIS mech_diagnosis_result
    IS_WHOLE(MECH_DIAGNOSIS_RESULT_FIELDS);
#undef THIS
#define THIS mech_equation
    IS_WHOLE(MECH_EQUATION_FIELDS);
#undef THIS
}

static void sizes(void)
{
    mech_easy *easy = mech_easy_open_text("coord x\nkinetic x'^2/2\nsimulate until 1\n");
    mech_sim_forces forces;
    mech_instant *instant = NULL;
    mech_motion_code *code = NULL;
    CHECK(mech_easy_run(easy) == MECH_OK);
    CHECK(mech_system_sizes(mech_easy_system(easy)).size == sizeof(mech_sizes));
    CHECK(mech_motion_code_create(mech_easy_system(easy), NULL, &code) == MECH_OK);
    CHECK(mech_motion_code_info(code).size == sizeof(mech_motion_info));
    mech_motion_code_free(code);
    CHECK(mech_eval_counts(mech_sim_eval(mech_easy_sim(easy))).size == sizeof(mech_counts));
    CHECK(mech_sim_info_get(mech_easy_sim(easy)).size == sizeof(mech_sim_info));
    CHECK(mech_sim_forces_now(mech_easy_sim(easy), &forces) == MECH_OK && forces.size == sizeof forces);
    CHECK(mech_instant_create(mech_easy_system(easy), 0, &instant) == MECH_OK &&
          mech_instant_get(instant)->size == sizeof(mech_instant_result));
    mech_instant_free(instant);
    mech_easy_close(easy);
}

static void sizes_of_analysis(void)
{
    mech_easy *easy = mech_easy_open_text(
        "param k = 4, c = 0.5\ncoord x\nkinetic x'^2/2\npotential k/2*x^2\nforce -c*x' on x'\nsimulate until 1\n");
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    mech_system *system = NULL;
    mech_eval *eval = NULL;
    mech_linear *linear = NULL;
    mech_equilibrium *found = NULL;
    mech_gains *gains = NULL;
    mech_sweep *sweep = NULL;
    mech_routh *routh = NULL;
    mech_linear_options at;
    mech_linear_options_default(&at, sizeof at);
    const double zero[1] = {0}, polynomial[3] = {1, 0.5, 4};
    at.q = at.v = zero;
    const mech_axis axis = {.name = "k", .low = 1, .high = 2, .count = 2};
    CHECK(mech_system_create(mech_easy_model(easy), &with, NULL, &system) == MECH_OK &&
          mech_eval_create(system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    CHECK(mech_linearize(system, eval, &at, &linear) == MECH_OK &&
          mech_linear_get(linear)->size == sizeof(mech_linear_result) && mech_linear_get(linear)->order == 2);
    CHECK(mech_linear_get(linear)->motion->size == sizeof(mech_modes_result));
    CHECK(mech_equilibrium_find(system, eval, NULL, &found) == MECH_OK &&
          mech_equilibrium_get(found)->size == sizeof(mech_equilibrium_result));
    CHECK(mech_gains_create(system, eval, NULL, &gains) == MECH_OK &&
          mech_gains_get(gains)->size == sizeof(mech_gains_result));
    CHECK(mech_sweep_create(system, eval, &at, &axis, &sweep) == MECH_OK &&
          mech_sweep_get(sweep)->size == sizeof(mech_sweep_result));
    CHECK(mech_routh_floating(polynomial, NULL, 2, &routh) == MECH_OK &&
          mech_routh_get(routh)->size == sizeof(mech_routh_result));
    mech_routh_free(routh);
    mech_sweep_free(sweep);
    mech_gains_free(gains);
    mech_equilibrium_free(found);
    mech_linear_free(linear);
    mech_eval_free(eval);
    mech_system_free(system);
    mech_easy_close(easy);
}

/* What evaluations hand out and take. */
static void sizes_of_evaluation(void)
{
    mech_easy *easy =
        mech_easy_open_text("coord x\nkinetic x'^2/2\npotential x^2\nconstraint c: x = 1\nsimulate until 1\n");
    const mech_model *model = mech_easy_model(easy);
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1}, unsized = {.with_derivatives = 1};
    const double at[1] = {1}, zero[1] = {0};
    mech_system *system = NULL, *none = NULL;
    mech_eval *eval = NULL;
    mech_jacobian slopes;
    CHECK(mech_system_create(model, &unsized, NULL, &none) == MECH_ERR_ARGUMENT && !none);
    CHECK(mech_system_create(model, &with, NULL, &system) == MECH_OK &&
          mech_eval_create(system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    CHECK(mech_eval_equation(eval)->size == sizeof(mech_equation));
    CHECK(mech_system_columns(system).size == sizeof(mech_columns));
    CHECK(mech_eval_position(eval, 0, at) == MECH_OK && mech_eval_velocity(eval, zero) == MECH_OK);
    CHECK(mech_eval_jacobian(eval, &slopes) == MECH_OK && slopes.size == sizeof slopes && slopes.motion && slopes.W);
    mech_eval_free(eval);
    mech_system_free(system);
    mech_easy_close(easy);
}

static mech_status unit_mass(void *user, const mech_point *at, double *M)
{
    *(size_t *)user = at->size;
    M[0] = 1;
    return MECH_OK;
}

static void sizes_of_callbacks(void)
{
    size_t seen = 0;
    const double zero[1] = {0};
    const mech_callbacks given = {.size = sizeof given, .coords = 1, .M = unit_mass};
    mech_system *system = NULL;
    mech_eval *eval = NULL;
    CHECK(mech_system_from_callbacks(&given, &seen, &system) == MECH_OK &&
          mech_eval_create(system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    CHECK(mech_eval_position(eval, 0, zero) == MECH_OK && seen == sizeof(mech_point));
    mech_eval_free(eval);
    mech_system_free(system);
}

static void sizes_of_files(void)
{
    mech_easy *easy = mech_easy_open_text("coord x\nkinetic x'^2/2\nsimulate until 1\n");
    const mech_export_start unsized = {.t = 1};
    const mech_table table = {.rows = 0};
    mech_exported files;
    CHECK(mech_easy_run(easy) == MECH_OK);
    CHECK(mech_export_c(mech_easy_system(easy), "one", &unsized, &files) == MECH_ERR_ARGUMENT);
    CHECK(mech_export_c(mech_easy_system(easy), "one", NULL, &files) == MECH_OK && files.size == sizeof files);
    mech_exported_free(&files);
    CHECK(mech_mat_write("never.mat", &table) == MECH_ERR_ARGUMENT);
    mech_easy_close(easy);
}

int main(void)
{
    lists();
    sizes();
    sizes_of_analysis();
    sizes_of_evaluation();
    sizes_of_callbacks();
    sizes_of_files();
    CHECK(MECH_STOP == MECH_ACTION_STOP && MECH_ERROR == MECH_SEVERITY_ERROR && MECH_SIN == MECH_FUNCTION_SIN);
    CHECK(MECH_FRICTION_HELD == MECH_FRICTION_READING_HELD && MECH_FRICTION_HOLDS == MECH_FRICTION_MODE_HOLDS &&
          MECH_CONTRADICTS_NOTHING == MECH_CONTRADICTION_NONE && MECH_AGREES == MECH_CONTRADICTION_NONE);
    return check_report();
}
