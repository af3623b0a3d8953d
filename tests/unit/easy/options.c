/* What goes in says how large it is: every call that takes such a struct refuses one whose size was never set, takes
   an older, shorter one, and defaults for NULL where its header says so. */
#include "check.h"

#include <mech/mech.h>

#include <stdlib.h>

/* Sizes that no struct has. */
static const size_t wrong[] = {0, sizeof(size_t), (size_t)-1};

#define REFUSED(it, call)                                                                                              \
    do {                                                                                                               \
        const size_t whole_ = (it).size;                                                                               \
        for (size_t k_ = 0; k_ < sizeof wrong / sizeof *wrong; k_++) {                                                 \
            (it).size = wrong[k_];                                                                                     \
            CHECK((call) == MECH_ERR_ARGUMENT);                                                                        \
        }                                                                                                              \
        (it).size = whole_;                                                                                            \
    } while (0)

/* Of a program that does not know the fields from this one on. */
#define OLDER(type, it, last) ((it).size = offsetof(type, last))

static const char text[] = "param k = 4, c = 0.5\ncoord x, y\nkinetic x'^2/2 + y'^2/2\npotential k/2*(x^2 + y^2)\n"
                           "force -c*x' on x'\nconstraint p: y = 0\nsimulate until 1\n";

typedef struct bench {
    mech_easy *easy;
    mech_diagnostics *said;
    mech_system *system;
    mech_eval *eval;
} bench;

static int says(const bench *b, size_t index, const char *words)
{
    const mech_diagnostic *d = mech_diagnostics_get(b->said, index);
    return d && d->status == MECH_ERR_ARGUMENT && strstr(d->message, words);
}

static void again(bench *b)
{
    mech_diagnostics_free(b->said);
    b->said = mech_diagnostics_create();
}

static void models(bench *b)
{
    const size_t length = strlen(text);
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_read_options read;
    mech_read_options_default(&read, sizeof read);
    REFUSED(read, mech_read_text("m", text, length, &read, b->said, &model));
    CHECK(!model && mech_diagnostics_count(b->said) == 3 && says(b, 0, "size, is set"));
    REFUSED(read, mech_read_file("examples/pendulum-two-coordinates/model.mech", &read, b->said, &model));
    CHECK(!model);
    again(b); /* a list with errors makes no model */
    OLDER(mech_read_options, read, sampled);
    read.sampled = (mech_sampled_reading)77;
    CHECK(mech_read_text("m", text, length, &read, b->said, &model) == MECH_OK);
    mech_model_free(model);
    CHECK(mech_read_text("m", text, length, NULL, b->said, &model) == MECH_OK);

    mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    REFUSED(with, mech_system_create(model, &with, NULL, &system));
    OLDER(mech_system_options, with, with_parameters);
    CHECK(mech_system_create(model, &with, NULL, &system) == MECH_OK && mech_system_has_jacobian(system));
    mech_system_free(system);
    CHECK(mech_system_create(model, NULL, NULL, &system) == MECH_OK && !mech_system_has_jacobian(system));
    mech_system_free(system);

    mech_equations_options how;
    char *out = NULL;
    mech_equations_options_default(&how, sizeof how);
    REFUSED(how, mech_report_equations(model, &how, &out));
    OLDER(mech_equations_options, how, only);
    how.only = "nothing of that name";
    CHECK(mech_report_equations(model, &how, &out) == MECH_OK && out);
    mech_text_free(out);
    CHECK(mech_report_equations(model, NULL, &out) == MECH_OK && out);
    mech_text_free(out);
    mech_model_free(model);

    static const char robot[] = "<robot name='r'><link name='base'/></robot>";
    mech_import_options imports;
    mech_import_options_default(&imports, sizeof imports);
    const size_t before = mech_diagnostics_count(b->said);
    REFUSED(imports, mech_import_text("r", robot, sizeof robot - 1, &imports, b->said, &out));
    CHECK(!out && says(b, before, "size, is set"));
    REFUSED(imports, mech_import_file("examples/pendulum-two-coordinates/model.mech", &imports, b->said, &out));
    OLDER(mech_import_options, imports, place);
    imports.place = "no place";
    mech_status status = mech_import_text("r", robot, sizeof robot - 1, &imports, b->said, &out);
    CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
    mech_text_free(out);
    status = mech_import_text("r", robot, sizeof robot - 1, NULL, b->said, &out);
    CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
    mech_text_free(out);

    mech_model *drawn = NULL;
    CHECK(mech_model_create(b->said, &drawn) == MECH_OK);
    const mech_expr at[2] = {mech_number(mech_model_pool(drawn), 1), mech_number(mech_model_pool(drawn), 2)};
    mech_drawing line = {.size = sizeof line, .kind = MECH_DRAW_POINT, .dimension = 2, .values = at, .count = 2};
    REFUSED(line, mech_model_draw(drawn, &line));
    mech_bodies *bodies = NULL;
    size_t body = SIZE_MAX, joint = SIZE_MAX;
    const size_t errors = mech_diagnostics_count(b->said);
    CHECK(mech_bodies_create(drawn, at, 2, &bodies) == MECH_OK && mech_bodies_body(bodies, "k", &body) == MECH_OK);
    mech_solid disc = {
        .size = sizeof disc, .kind = MECH_SOLID_DISC, .extent = at, .extent_count = 1, .mass = at[0], .turned = at};
    mech_joint hinge = {
        .size = sizeof hinge, .kind = MECH_JOINT_REVOLUTE, .after = {.body = body}, .by_constraint = 77};
    mech_motor motor = {.size = sizeof motor, .kind = MECH_MOTOR_EFFORT, .drive = at[0], .gear = {77}};
    REFUSED(disc, mech_bodies_solid(bodies, body, &disc));
    REFUSED(hinge, mech_bodies_joint(bodies, "J", &hinge, &joint));
    CHECK(mech_diagnostics_count(b->said) == errors + 6 &&
          strstr(mech_diagnostics_get(b->said, errors)->message, "does not say how large it is"));
    OLDER(mech_solid, disc, turned);
    OLDER(mech_joint, hinge, by_constraint);
    OLDER(mech_motor, motor, gear);
    CHECK(mech_bodies_solid(bodies, body, &disc) == MECH_OK);
    CHECK(mech_bodies_joint(bodies, "J", &hinge, &joint) == MECH_OK);
    CHECK(mech_bodies_by_constraint(bodies, joint) == 0);
    REFUSED(motor, mech_bodies_motor(bodies, "M", joint, 0, &motor, NULL));
    CHECK(mech_bodies_motor(bodies, "M", joint, 0, &motor, NULL) == MECH_OK);
    mech_bodies_free(bodies);
    mech_model_free(drawn);
}

static mech_status unit_mass(void *user, const mech_point *at, double *M)
{
    (void)user, (void)at;
    M[0] = 1;
    return MECH_OK;
}

static mech_status no_input(void *user, const mech_point *at, double *u)
{
    (void)user, (void)at, (void)u;
    return MECH_OK;
}

static void systems(bench *b)
{
    mech_callbacks given = {.size = sizeof given, .coords = 1, .M = unit_mass};
    mech_system *system = NULL;
    REFUSED(given, mech_system_from_callbacks(&given, NULL, &system));
    OLDER(mech_callbacks, given, gradient);
    CHECK(mech_system_from_callbacks(&given, NULL, &system) == MECH_OK);
    mech_system_free(system);

    mech_input_law law = {.size = sizeof law, .u = no_input};
    REFUSED(law, mech_eval_set_law(b->eval, &law));
    REFUSED(law, mech_sim_set_law(mech_easy_sim(b->easy), &law));

    mech_assembly *assembly = NULL;
    mech_assemble_options start;
    const double none[4] = {NAN, NAN, NAN, NAN}, zero[2] = {0, 0};
    mech_assemble_options_default(&start, sizeof start);
    start.q = start.v = zero;
    CHECK(mech_assembly_create(b->eval, &assembly) == MECH_OK);
    REFUSED(start, mech_assemble(assembly, &start));
    CHECK(strstr(mech_assembly_error_text(assembly), "size, is set"));
    REFUSED(start, mech_assembly_follow(assembly, &start, none));
    OLDER(mech_assemble_options, start, z);
    CHECK(mech_assemble(assembly, &start) == MECH_OK && mech_assemble(assembly, NULL) == MECH_OK);
    mech_assembly_free(assembly);

    mech_instant *instant = NULL;
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.q = at.v = zero;
    CHECK(mech_instant_create(b->system, 0, &instant) == MECH_OK);
    REFUSED(at, mech_instant_solve(instant, &at));
    CHECK(mech_instant_solve(instant, &at) == MECH_OK);
    OLDER(mech_instant_input, at, z);
    CHECK(mech_instant_solve(instant, &at) == MECH_OK);
    mech_instant_report report;
    char *out = NULL;
    mech_instant_report_default(&report, sizeof report);
    REFUSED(report, mech_report_instant(instant, &report, &out));
    OLDER(mech_instant_report, report, title);
    CHECK(mech_report_instant(instant, &report, &out) == MECH_OK);
    mech_text_free(out);
    CHECK(mech_report_instant(instant, NULL, &out) == MECH_OK);
    mech_text_free(out);
    mech_instant_free(instant);
}

static void motions(bench *b)
{
    const double q[2] = {0.5, 0}, v[2] = {0, 0};
    double qdd[2], moved[4] = {0.5, 0, 0, 0};
    mech_motion_code *code = NULL;
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    REFUSED(settings, mech_motion_code_create(b->system, &settings, &code));
    OLDER(mech_motion_settings, settings, most);
    CHECK(mech_motion_code_create(b->system, &settings, &code) == MECH_OK);
    mech_motion_code_free(code);
    CHECK(mech_motion_code_create(b->system, NULL, &code) == MECH_OK);

    mech_eval *eval = NULL;
    mech_lanes *lanes = NULL;
    mech_motion motion = {.size = sizeof motion, .qdd = qdd};
    CHECK(mech_eval_create(b->system, MECH_STORAGE_DENSE, &eval) == MECH_OK &&
          mech_eval_use_motion(eval, code) == MECH_OK && mech_lanes_create(code, 1, &lanes) == MECH_OK);
    REFUSED(motion, mech_eval_motion(eval, 0, q, v, &motion));
    mech_lanes_states states = {.size = sizeof states, .q = q, .v = v};
    mech_lanes_moving moving = {.size = sizeof moving, .q = moved, .v = moved + 2};
    REFUSED(states, mech_lanes_motion(lanes, &states, qdd, NULL, NULL, NULL));
    REFUSED(moving, mech_lanes_rk4(lanes, &moving, 1e-3, 1, NULL));
    mech_lanes_free(lanes);
    mech_eval_free(eval);
    mech_motion_code_free(code);
}

static void runs(bench *b)
{
    mech_sim *sim = NULL;
    mech_sim_settings settings = {.until = 5};
    CHECK(mech_sim_create(b->system, &settings, &sim) == MECH_ERR_ARGUMENT && !sim);
    mech_sim_settings_default(&settings, sizeof settings);
    settings.until = 5;
    REFUSED(settings, mech_sim_create(b->system, &settings, &sim));
    OLDER(mech_sim_settings, settings, resolution);
    settings.resolution = -1;
    settings.follow = MECH_FOLLOW_ROWS;
    CHECK(mech_sim_create(b->system, &settings, &sim) == MECH_OK && mech_sim_run(sim) == MECH_OK);
    CHECK(mech_sim_time(sim) == 5 && mech_sim_settings_get(sim)->follow == 0);
    CHECK(mech_sim_settings_get(sim)->size == sizeof settings);
    mech_sim_free(sim);
    CHECK(mech_sim_create(b->system, NULL, &sim) == MECH_OK && mech_sim_run(sim) == MECH_OK && mech_sim_time(sim) == 1);
    mech_sim_free(sim);

    mech_plan *plan = NULL;
    mech_ensemble_settings many;
    mech_ensemble_info info;
    mech_ensemble_settings_default(&many, sizeof many);
    many.threads = 1;
    many.on = MECH_ON_THREADS;
    CHECK(mech_plan_create(b->system, &plan) == MECH_OK &&
          mech_plan_vary(plan, "k", MECH_SPREAD_GRID, 1, 2, 2) == MECH_OK);
    REFUSED(many, mech_ensemble_run(plan, &many, &info));
    mech_sim_settings_default(&settings, sizeof settings);
    many.run = &settings;
    REFUSED(settings, mech_ensemble_run(plan, &many, &info));
    CHECK(strstr(info.why, "size, is set"));
    OLDER(mech_ensemble_settings, many, step);
    many.step = -1;
    CHECK(mech_ensemble_run(plan, &many, &info) == MECH_OK && info.done == 2);
    mech_plan_free(plan);
}

static void analyses(bench *b)
{
    const double zero[2] = {0, 0};
    const mech_axis k = {"k", 1, 2, 2}, c = {"c", 0.5, 1, 2};
    mech_linear *linear = NULL;
    mech_map *map = NULL;
    mech_sweep *sweep = NULL;
    mech_branches *branches = NULL;
    mech_linear_options at;
    mech_linear_options_default(&at, sizeof at);
    at.q = at.v = zero;
    REFUSED(at, mech_linearize(b->system, b->eval, &at, &linear));
    REFUSED(at, mech_map_create(b->system, b->eval, NULL, &at, &k, &c, &map));
    REFUSED(at, mech_sweep_create(b->system, b->eval, &at, &k, &sweep));
    REFUSED(at, mech_branches_create(b->system, b->eval, &at, &k, &branches));
    OLDER(mech_linear_options, at, threads);
    CHECK(mech_linearize(b->system, b->eval, &at, &linear) == MECH_OK);
    mech_linear_free(linear);

    mech_symbolic *symbolic = NULL;
    mech_symbolic_options symbols;
    mech_symbolic_options_default(&symbols, sizeof symbols);
    symbols.q = symbols.v = zero;
    REFUSED(symbols, mech_symbolic_create(mech_easy_model(b->easy), &symbols, &symbolic) == MECH_OK
                         ? MECH_OK
                         : MECH_ERR_ARGUMENT);
    CHECK(!symbolic);

    mech_equilibrium *found = NULL;
    mech_equilibrium_options search;
    mech_equilibrium_options_default(&search, sizeof search);
    REFUSED(search, mech_equilibrium_find(b->system, b->eval, &search, &found));
    OLDER(mech_equilibrium_options, search, tries);
    search.tries = -1;
    CHECK(mech_equilibrium_find(b->system, b->eval, &search, &found) == MECH_OK);
    mech_equilibrium_free(found);
    CHECK(mech_equilibrium_find(b->system, b->eval, NULL, &found) == MECH_OK);
    mech_equilibrium_free(found);

    mech_gains *gains = NULL;
    mech_gains_options wanted;
    mech_gains_options_default(&wanted, sizeof wanted);
    REFUSED(wanted, mech_gains_create(b->system, b->eval, &wanted, &gains));
    OLDER(mech_gains_options, wanted, B);
    CHECK(mech_gains_create(b->system, b->eval, &wanted, &gains) == MECH_OK);
    mech_gains_free(gains);
    CHECK(mech_gains_create(b->system, b->eval, NULL, &gains) == MECH_OK);
    mech_gains_free(gains);
}

static void equations(void)
{
    const double M[1] = {1}, Q[1] = {0};
    const uint32_t first[1] = {0};
    double qdd[1], u[1], lambda[1], weight[1];
    mech_fundamental *solver = NULL, *sparse = NULL;
    mech_fundamental_settings settings;
    mech_fundamental_settings_default(&settings, sizeof settings);
    mech_fundamental_pattern pattern = {
        .size = sizeof pattern, .n = 1, .M_count = 1, .M_row = first, .M_column = first};
    REFUSED(settings, mech_fundamental_create(1, 0, &settings, &solver));
    REFUSED(settings, mech_fundamental_create_sparse(&pattern, &settings, &sparse));
    REFUSED(pattern, mech_fundamental_create_sparse(&pattern, NULL, &sparse));
    REFUSED(pattern, mech_fundamental_find_mass(&pattern, M, NULL, weight));
    OLDER(mech_fundamental_settings, settings, refine);
    settings.refine = -7;
    CHECK(mech_fundamental_create_sparse(&pattern, &settings, &sparse) == MECH_OK);
    mech_fundamental_free(sparse);
    CHECK(mech_fundamental_create_sparse(&pattern, NULL, &sparse) == MECH_OK);
    mech_fundamental_free(sparse);
    CHECK(mech_fundamental_create(1, 0, &settings, &solver) == MECH_OK);
    mech_fundamental_free(solver);
    CHECK(mech_fundamental_create(1, 0, NULL, &solver) == MECH_OK);

    mech_fundamental_input in = {.size = sizeof in, .M = M, .Q = Q};
    mech_fundamental_output out = {.size = sizeof out, .qdd = qdd};
    REFUSED(in, mech_fundamental_solve(solver, &in, &out));
    REFUSED(out, mech_fundamental_solve(solver, &in, &out));
    REFUSED(in, mech_fundamental_ideal(solver, &in, &out));
    REFUSED(out, mech_fundamental_ideal(solver, &in, &out));
    CHECK(mech_fundamental_ideal(solver, &in, &out) == MECH_OK);
    REFUSED(out, mech_fundamental_nonideal(solver, Q, &out));
    REFUSED(in, mech_fundamental_inverse(solver, &in, Q, u, lambda));
    CHECK(mech_fundamental_solve(solver, &in, &out) == MECH_OK);
    mech_fundamental_free(solver);

    mech_diagnosis *diagnosis = NULL;
    mech_diagnosis_input question = {.size = sizeof question, .equation = &in};
    CHECK(mech_diagnosis_create(1, 0, &diagnosis) == MECH_OK);
    REFUSED(question, mech_diagnosis_run(diagnosis, &question));
    REFUSED(in, mech_diagnosis_run(diagnosis, &question));
    question.solution = &out;
    REFUSED(out, mech_diagnosis_run(diagnosis, &question));
    mech_diagnosis_free(diagnosis);
}

static void files(bench *b)
{
    mech_export_start start = {.size = sizeof start, .t = 1};
    mech_exported exported;
    REFUSED(start, mech_export_c(b->system, "one", &start, &exported));
    OLDER(mech_export_start, start, q);
    CHECK(mech_export_c(b->system, "one", &start, &exported) == MECH_OK);
    mech_exported_free(&exported);

    mech_fmu_options unit;
    mech_fmu_made made = {.size = sizeof made};
    char *out = NULL;
    mech_fmu_options_default(&unit, sizeof unit);
    const size_t before = mech_diagnostics_count(b->said);
    REFUSED(unit, mech_export_fmu(b->system, "never.fmu", &unit, b->said));
    CHECK(says(b, before, "size, is set"));
    REFUSED(unit, mech_fmu_describe(b->system, &unit, &out));
    unit.made = &made;
    REFUSED(made, mech_export_fmu(b->system, "never.fmu", &unit, b->said));
    OLDER(mech_fmu_options, unit, made);
    unit.made = (mech_fmu_made *)&out; /* no such thing */
    CHECK(mech_fmu_describe(b->system, &unit, &out) == MECH_OK && out);
    mech_text_free(out);

    mech_table table = {.size = sizeof table};
    REFUSED(table, mech_mat_write("never.mat", &table));
    const size_t y = 0;
    mech_figure figure = {.size = sizeof figure, .table = &table, .y = &y, .y_count = 1};
    REFUSED(figure, mech_figure_write(&figure, "never.svg"));
    REFUSED(table, mech_figure_write(&figure, "never.svg"));

    const double line[2] = {0, 1};
    const mech_series series = {.curve = {.x = line, .y = line, .count = 2}};
    mech_plot plot = {.size = sizeof plot, .series = &series, .count = 1};
    mech_sheet *drawn = NULL;
    REFUSED(plot, mech_plot_sheet(&plot, &drawn));
    mech_field field = {.size = sizeof field, .x_count = 2, .y_count = 2};
    mech_panel panel = {.size = sizeof panel, .field = &field};
    mech_sheet sheet = {.size = sizeof sheet, .panels = &panel, .panel_count = 1};
    REFUSED(sheet, mech_sheet_svg(&sheet, MECH_SVG_FILE, &out));
    REFUSED(panel, mech_sheet_svg(&sheet, MECH_SVG_FILE, &out));
    REFUSED(field, mech_sheet_svg(&sheet, MECH_SVG_FILE, &out));
    REFUSED(sheet, mech_sheet_text(&sheet, 80, &out));
    REFUSED(sheet, mech_sheet_write(&sheet, "never.svg"));

    mech_page page = {.size = sizeof page};
    REFUSED(page, mech_page_html(&page, &out));
    REFUSED(page, mech_page_write(&page, "never.html"));
}

int main(void)
{
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    bench b = {.easy = mech_easy_open_text(text), .said = mech_diagnostics_create()};
    CHECK(mech_easy_run(b.easy) == MECH_OK &&
          mech_system_create(mech_easy_model(b.easy), &with, NULL, &b.system) == MECH_OK &&
          mech_eval_create(b.system, MECH_STORAGE_DENSE, &b.eval) == MECH_OK);
    models(&b);
    systems(&b);
    motions(&b);
    runs(&b);
    analyses(&b);
    equations();
    files(&b);
    mech_eval_free(b.eval);
    mech_system_free(b.system);
    mech_diagnostics_free(b.said);
    mech_easy_close(b.easy);
    return check_report();
}
