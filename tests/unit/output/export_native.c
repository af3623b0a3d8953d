/* Exported C: compiles without a warning, and its accelerations, multipliers' force and outputs are the
 * library's. */
#include "check.h"
#include "support/exported.h"
#include "support/law_force.h"

#include <mech/fundamental.h>
#include <mech/instant.h>
#include <mech/lang.h>
#include <mech/output.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 300 };

typedef int acceleration(void *s, double t, const double *q, const double *v, const double *z, const double *u,
                         double *qdd, double *lambda);
typedef void outputs(void *s, double t, const double *q, const double *v, const double *z, const double *u,
                     const double *qdd, const double *lambda, double *y);
typedef void inputs(void *s, double t, double *u);

static void compare(const mech_system *system, void *library, double bound)
{
    void (*start)(void *);
    acceleration *accelerate;
    outputs *output;
    inputs *drive;
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&accelerate = dlsym(library, "made_acceleration");
    *(void **)&output = dlsym(library, "made_outputs");
    *(void **)&drive = dlsym(library, "made_inputs");
    CHECK(start && accelerate && output && drive);
    const mech_sizes k = mech_system_sizes(system);
    const mech_pattern A = mech_system_pattern(system, MECH_MATRIX_A);
    mech_eval *e = NULL;
    mech_fundamental *solver = NULL;
    CHECK(mech_eval_create(system, MECH_STORAGE_DENSE, &e) == MECH_OK);
    CHECK(mech_fundamental_create((int)k.coords, (int)k.rows, NULL, &solver) == MECH_OK);
    const mech_equation *eq = mech_eval_equation(e);
    void *memory = calloc(1, 16 << 20);
    start(memory);
    double q[MOST], v[MOST], z[MOST] = {0}, u[MOST] = {0}, qdd[MOST], lambda[MOST], y[MOST], want[MOST], Qi[MOST],
                             ideal[MOST], laws[MOST];
    for (int round = 0; round < 10; round++) {
        for (size_t i = 0; i < k.coords; i++) {
            q[i] = 0.5 + 0.4 * sin((double)(i + 1) * 1.7 + round);
            v[i] = cos((double)(i + 1) * 2.3 + round);
        }
        drive(memory, 1.25, u);
        const int status = accelerate(memory, 1.25, q, v, z, u, qdd, lambda);
        CHECK(status == 0 || status == 1);
        mech_eval_set_states(e, z);
        CHECK(mech_eval_position(e, 1.25, q) == MECH_OK && mech_eval_velocity(e, v) == MECH_OK);
        for (size_t i = 0; i < k.inputs; i++)
            CHECK(u[i] == eq->u[i] && u[k.inputs + i] == eq->u_dot[i] && u[2 * k.inputs + i] == eq->u_ddot[i]);
        CHECK(law_force(system, e, laws));
        mech_fundamental_input in = {
            .size = sizeof in, .M = eq->M_dense, .Q = eq->Q, .A = eq->A_dense, .b = eq->b, .C = laws};
        mech_fundamental_output out = {.size = sizeof out, .qdd = want, .Qi = ideal};
        CHECK(mech_fundamental_solve(solver, &in, &out) == MECH_OK);
        memset(Qi, 0, sizeof Qi);
        for (size_t i = 0; i < A.count; i++) Qi[A.column[i]] += eq->A[i] * lambda[A.row[i]];
        CHECK(k.rows == 0 || difference(Qi, ideal, k.coords) <= 10 * bound);
        const double error = difference(qdd, want, k.coords);
        if (!(error <= bound)) fprintf(stderr, "error %.1e, status %d\n", error, status);
        CHECK(error <= bound);
        if (k.outputs == 0) continue;
        CHECK(mech_eval_reaction(e, lambda, lambda) == MECH_OK);
        CHECK(mech_eval_acceleration(e, qdd) == MECH_OK && mech_eval_output(e) == MECH_OK);
        output(memory, 1.25, q, v, z, u, qdd, lambda, y);
        CHECK(difference(y, eq->output, k.outputs) < 1e-13);
    }
    free(memory);
    mech_eval_free(e);
    mech_fundamental_free(solver);
}

typedef int derivative(void *s, double t, const double *y, const double *u, double *ydot);

/* J against central differences of eighth order of the exported right-hand side, at a state in general
 * position. */
static void compare_jacobian(const mech_system *system, void *library)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    void (*start)(void *);
    derivative *derive, *jacobian;
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&derive = dlsym(library, "made_derivative");
    *(void **)&jacobian = dlsym(library, "made_jacobian");
    CHECK(start && derive && jacobian);
    const mech_sizes k = mech_system_sizes(system);
    const size_t size = 2 * k.coords + k.states;
    void *memory = calloc(1, 16 << 20);
    double *y = calloc(3 * size + size * size, sizeof *y), *plus = y + size, *slope = plus + size, *J = slope + size;
    double u[MOST] = {0}, worst = 0, largest = 0;
    start(memory);
    for (size_t i = 0; i < size; i++) y[i] = 0.5 + 0.4 * sin((double)(i + 1) * 1.7);
    CHECK(jacobian(memory, 0.25, y, u, J) >= 0);
    for (size_t c = 0; c < size; c++) {
        const double h = 2e-3, at = y[c];
        memset(slope, 0, size * sizeof *slope);
        for (int side = -4; side <= 4; side++) {
            if (side == 0) continue;
            y[c] = at + h * side;
            CHECK(derive(memory, 0.25, y, u, plus) >= 0);
            for (size_t i = 0; i < size; i++) slope[i] += (side > 0 ? 1 : -1) * weight[abs(side) - 1] / h * plus[i];
        }
        y[c] = at;
        for (size_t i = 0; i < size; i++) {
            worst = fmax(worst, fabs(slope[i] - J[i + size * c]));
            largest = fmax(largest, fabs(slope[i]));
        }
    }
    if (!(worst <= 1e-8 * largest)) fprintf(stderr, "jacobian: %.1e of %.1e\n", worst, largest);
    CHECK(worst <= 1e-8 * largest);
    free(memory);
    free(y);
}

static void one(mech_status read, mech_diagnostics *d, mech_model *model, const char *flags, double bound)
{
    mech_system *system = NULL;
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    CHECK(read == MECH_OK && mech_system_create(model, &with, d, &system) == MECH_OK);
    void *library = exported_load(system, 0, flags);
    if (library) {
        compare(system, library, bound);
        compare_jacobian(system, library);
        dlclose(library);
    }
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(d);
}

static void example(const char *path, const char *flags, double bound)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    const mech_status status = mech_read_file(path, NULL, d, &model);
    one(status, d, model, flags, bound);
}

static void text_of(const char *text)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    const mech_status status = mech_read_text("test", text, strlen(text), NULL, d, &model);
    one(status, d, model, "-O1", 1e-13);
}

/* Inputs and states without any parameter: the library's accelerations, and the example against the integrals. From t =
   3/2, where the hat rises from 1/2 by slope 1: x'' = sin(2 pi t) + pi (1/2 + s), y'' = z = 2 exp(-s). */
static void driven(void)
{
    static const char text[] =
        "coord x, y\nkinetic (x'^2 + y'^2)/2\ninput u = sin(2*pi*t)\nstate z: z' = -z\n"
        "input w = file \"tests/support/hat.csv\" column \"u\"\nforce [u + pi*w, z] on [x', y']\n";
    static const char rod[] = "constraint rod: x^2 + (y - u)^2 = pi + w\noutput o = sqrt(2)*u'' + w'\n";
    const double pi = acos(-1), s = 0.01, a = cos(2 * pi * 1.51);
    const double want[] = {-s / (2 * pi) - sin(2 * pi * 1.51) / (4 * pi * pi) + pi * (s * s / 4 + s * s * s / 6),
                           2 * (s - 1 + exp(-s)), (-1 - a) / (2 * pi) + pi * (s / 2 + s * s / 2), 2 * (1 - exp(-s)),
                           2 * exp(-s)};
    char both[600], command[300];
    double got[5];
    snprintf(both, sizeof both, "%s%s", text, rod);
    text_of(both);
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *of = NULL;
    mech_exported files;
    CHECK(mech_read_text("test", text, strlen(text), NULL, d, &model) == MECH_OK &&
          mech_system_from_model(model, d, &of) == MECH_OK);
    const double z[1] = {2};
    const mech_export_start start = {.size = sizeof start, .t = 1.5, .z = z};
    CHECK(mech_export_c(of, "made", &start, &files) == MECH_OK);
    exported_write(&files);
    mech_exported_free(&files);
    CHECK(exported_compile("-O1"));
    snprintf(command, sizeof command, "%s/run", folder);
    FILE *run = popen(command, "r");
    CHECK(run && fscanf(run, "%lf %lf %lf %lf %lf", &got[0], &got[1], &got[2], &got[3], &got[4]) == 5);
    if (run) pclose(run);
    for (int i = 0; i < 5; i++) CHECK_NEAR(got[i], want[i], 1e-14);
    mech_system_free(of);
    mech_model_free(model);
    mech_diagnostics_free(d);
}

/* An input that is held: up to the first point, between points, at one and beyond the last. */
static void held(void)
{
    static const char text[] =
        "coord x\nkinetic x'^2/2\ninput w = file \"tests/support/hat.csv\" column \"u\" held\nforce 1 + w on x'\n";
    static const double times[] = {-1, 0.5, 1.9, 2, 2.9, 3, 5}, want[] = {1, 1, 1, 2, 2, 1, 1};
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *of = NULL;
    void (*start)(void *), (*signals)(void *, double, double *);
    acceleration *accelerate;
    CHECK(mech_read_text("test", text, strlen(text), NULL, d, &model) == MECH_OK &&
          mech_system_from_model(model, d, &of) == MECH_OK);
    void *library = exported_load(of, 0, "-O1"), *memory = calloc(1, 1 << 20);
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&signals = dlsym(library, "made_inputs");
    *(void **)&accelerate = dlsym(library, "made_acceleration");
    start(memory);
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        double u[3], qdd[1];
        const double zero[1] = {0};
        signals(memory, times[k], u);
        CHECK(accelerate(memory, times[k], zero, zero, NULL, u, qdd, NULL) == 0 && qdd[0] == want[k] && u[1] == 0 &&
              u[2] == 0);
    }
    free(memory);
    dlclose(library);
    mech_system_free(of);
    mech_model_free(model);
    mech_diagnostics_free(d);
}

/* Two laws, the constraint of one of them written twice: the robust solve is needed, and has to know them. */
static void laws(void)
{
    text_of("param m = 2, c = 0.3, g = 9.81\ncoord x, y, s\nstate w: w' = x - w\nlet r = [x, y]\n"
            "kinetic m/2*dot(r', r') + s'^2\npotential m*g*y + s^2\n"
            "constraint wire: y = x^2 + w*s\nconstraint again: 2*y = 2*x^2 + 2*w*s\nconstraint thread: s' = "
            "x*y'\n"
            "nonideal on wire, again: r = -c*r'*norm(r')\nnonideal on thread: [s, x] = [-s'^3, sin(x)*y']\n"
            "output pull = force(thread)\n");
}

/* What _acceleration and _jacobian return for a model of x and y. */
static int returned(const char *text)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *of = NULL;
    void (*start)(void *);
    acceleration *accelerate;
    derivative *jacobian;
    const double y[4] = {1, 0.5, 0.3, -0.2};
    double qdd[2], lambda[2], J[16];
    CHECK(mech_read_text("test", text, strlen(text), NULL, d, &model) == MECH_OK);
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    CHECK(mech_system_create(model, &with, d, &of) == MECH_OK);
    void *library = exported_load(of, 0, "-O1"), *memory = calloc(1, 1 << 20);
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&accelerate = dlsym(library, "made_acceleration");
    *(void **)&jacobian = dlsym(library, "made_jacobian");
    start(memory);
    const int status = accelerate(memory, 0.25, y, y + 2, NULL, NULL, qdd, lambda);
    CHECK(jacobian(memory, 0.25, y, NULL, J) == status);
    free(memory);
    dlclose(library);
    mech_system_free(of);
    mech_model_free(model);
    mech_diagnostics_free(d);
    return status;
}

/* Rows that say the same in other words leave the rank in doubt; rows that contradict one another do more. */
static void doubts(void)
{
    CHECK(returned("param a = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                   "constraint c: (a - 11/4)*sin(x) + y = 0\n") == 0);
    CHECK(returned("param a = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                   "constraint c: (a - 11/4)*sin(x) + y = 0\n"
                   "constraint d: 3*(a - 11/4)*sin(x) + 3*y = 0\n") == 1);
    CHECK(returned("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                   "constraint c: x - sin(x*t) = 0\nconstraint d: x^2 = 2\n") == 2);
}

/* Euler parameters without mass along themselves, and next to none about the axis that `spin` holds. */
static const char weak_text[] =
    "param m = 1.3, g = 9.81, A = 0.02, B = 0.03, C = 1e-9, h = 0.2, k = 40\ncoord s, e[1..4], z\n"
    "let R = quaternion(e)\nlet w = omega_body(R)\nlet c = [s, 0, z] + R*[0, h, 0.1]\n"
    "kinetic m/2*dot(c', c') + dot(w, diag(A, B, C)*w)/2\npotential m*g*c[3] + k*s^2/2\n"
    "constraint unit: dot(e, e) = 1\nconstraint hold: z = 0.1*sin(3*t)\nconstraint spin: w[3] = 2\n";

static void cross(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* e w of quaternions, the scalar first, w without one */
static void quaternion_times(const double *e, const double *w, double *out)
{
    cross(e + 1, w, out + 1);
    out[0] = -e[1] * w[0] - e[2] * w[1] - e[3] * w[2];
    for (int i = 0; i < 3; i++) out[1 + i] += e[0] * w[i];
}

/* R x */
static void turned(const double *e, const double *x, double *out)
{
    double once[3], twice[3];
    cross(e + 1, x, once);
    cross(e + 1, once, twice);
    for (int i = 0; i < 3; i++) out[i] = x[i] + 2 * (e[0] * once[i] + twice[i]);
}

/* s'', w1', w2' by Newton and Euler, two equations along the body's axes and one along s,
       m (c'' + g).R(i x r) + (I w' + w x I w)_i = 0,  m c''.x + k s = 0
   with c'' = (s'', 0, z'') + R(w' x r + w x (w x r)), and from them e'' = (e w' + e' w)/2. */
static void weak_motion(double C, double t, const double *q, const double *v, const double *w, double *want)
{
    const double m = 1.3, g = 9.81, I[3] = {0.02, 0.03, C}, r[3] = {0, 0.2, 0.1},
                 Iw[3] = {I[0] * w[0], I[1] * w[1], C * w[2]};
    double arm[2][3], once[3], twice[3], pull[3], gyro[3], K[3][4];
    cross(w, r, once);
    cross(w, once, twice);
    turned(q + 1, twice, pull);
    pull[2] += g - 0.9 * sin(3 * t);
    cross(w, Iw, gyro);
    for (int i = 0; i < 2; i++) {
        const double axis[3] = {i == 0, i == 1, 0};
        cross(axis, r, once);
        turned(q + 1, once, arm[i]);
    }
    K[0][0] = m, K[0][3] = -m * pull[0] - 40 * q[0];
    for (int i = 0; i < 2; i++) {
        K[0][1 + i] = K[1 + i][0] = m * arm[i][0];
        for (int j = 0; j < 2; j++)
            K[1 + i][1 + j] =
                m * (arm[i][0] * arm[j][0] + arm[i][1] * arm[j][1] + arm[i][2] * arm[j][2]) + (i == j ? I[i] : 0);
        K[1 + i][3] = -m * (arm[i][0] * pull[0] + arm[i][1] * pull[1] + arm[i][2] * pull[2]) - gyro[i];
    }
    for (int c = 0; c < 3; c++) /* definite: no pivoting */
        for (int i = 0; i < 3; i++)
            for (int j = 3; j >= c && i != c; j--) K[i][j] -= K[i][c] / K[c][c] * K[c][j];
    const double turn[3] = {K[1][3] / K[1][1], K[2][3] / K[2][2], 0};
    double by_turn[4], by_rate[4];
    quaternion_times(q + 1, turn, by_turn);
    quaternion_times(v + 1, w, by_rate);
    want[0] = K[0][3] / K[0][0];
    for (int i = 0; i < 4; i++) want[1 + i] = (by_turn[i] + by_rate[i]) / 2;
    want[5] = -0.9 * sin(3 * t);
}

static void weak_masses(void)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *of = NULL;
    void (*start)(void *), (*set)(void *, const double *);
    acceleration *accelerate;
    CHECK(mech_read_text("test", weak_text, strlen(weak_text), NULL, d, &model) == MECH_OK &&
          mech_system_from_model(model, d, &of) == MECH_OK);
    void *library = exported_load(of, 0, "-O1"), *memory = calloc(1, 1 << 20);
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&set = dlsym(library, "made_set_parameters");
    *(void **)&accelerate = dlsym(library, "made_acceleration");
    start(memory);
    for (int round = 0; round < 60; round++) {
        static const double inertia[] = {1e-2, 1e-3, 1e-6, 1e-9, 1e-12, 0};
        const double C = inertia[round % 6], t = 0.002 * round, tilt = round < 30 ? 0.001 * round : 0.1 * round;
        const double p[] = {1.3, 9.81, 0.02, 0.03, C, 0.2, 40}, w[3] = {0.7, -0.4 + tilt, 2};
        double q[6] = {0.1, 0.5 + tilt, 0.5, 0.5 - tilt / 3, 0.5, 0.1 * sin(3 * t)}, v[6], qdd[6], lambda[4], want[6];
        const double length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3] + q[4] * q[4]);
        for (int i = 1; i < 5; i++) q[i] /= length;
        quaternion_times(q + 1, w, v + 1);
        for (int i = 1; i < 5; i++) v[i] /= 2;
        v[0] = 0.2;
        v[5] = 0.3 * cos(3 * t);
        set(memory, p);
        const int status = accelerate(memory, t, q, v, NULL, NULL, qdd, lambda);
        weak_motion(C, t, q, v, w, want);
        const double error = difference(qdd, want, 6);
        if (!(error <= 1e-12 && status >= 0 && status < 2))
            fprintf(stderr, "C = %g: error %.1e, status %d\n", C, error, status);
        CHECK(error <= 1e-12);
        CHECK(status == 0 || status == 1);
    }
    free(memory);
    dlclose(library);
    mech_system_free(of);
    mech_model_free(model);
    mech_diagnostics_free(d);
}

static void hostile(void)
{
    text_of("param main = 2, return = 3, system = 9.81\ncoord printf, int, exit\n"
            "kinetic main/2*(printf'^2 + int'^2) + return*exit'^2/2\npotential main*system*int*cos(exit)\n"
            "constraint abort: printf^2 + int^2 = sin(exit)\noutput while = lambda(abort)\n");
}

/* The header of a model, and its library. */
static void *load_text(const char *text, const char *flags, const char *const *words)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *of = NULL;
    mech_exported files = {0};
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1, .with_parameters = 1};
    CHECK(mech_read_text("test", text, strlen(text), NULL, d, &model) == MECH_OK);
    CHECK(mech_system_create(model, &with, d, &of) == MECH_OK);
    CHECK(mech_export_c(of, "made", NULL, &files) == MECH_OK);
    for (; files.header && *words; words++) {
        if (!strstr(files.header, *words)) fprintf(stderr, "not in the header: %s\n", *words);
        CHECK(strstr(files.header, *words) != NULL);
    }
    mech_exported_free(&files);
    void *library = exported_load(of, 0, flags);
    mech_system_free(of);
    mech_model_free(model);
    mech_diagnostics_free(d);
    return library;
}

/* Constraints out of force and in it, the law that goes with one, and the triggers. A unit mass is pushed by 3 along x
   and by its weight: by hand. */
static void released(void)
{
    static const char *const words[] = {"made_q_x = 0",     "made_q_y = 1",    "made_c_floor = 0", "made_c_wall = 1",
                                        "made_e_reach = 0", "made_e_lift = 1", "made_EVENTS = 2",  NULL};
    void *library = load_text("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nforce 3 on x'\n"
                              "constraint floor: y = 0\nconstraint wall: x = 2\ninitial release wall\n"
                              "nonideal on floor: x = -0.5*x'\n"
                              "state w: w' = 7\noutput on = active(floor) + 10*active(wall)\n"
                              "event reach: x rises through 1 when x' > 5 -> impose wall\n"
                              "event lift: lambda(floor) falls through 2 -> release floor\n",
                              "-Os", words),
         *memory = calloc(1, 1 << 20);
    void (*start)(void *), (*set_active)(void *, int, int);
    acceleration *accelerate;
    derivative *derive;
    outputs *triggers, *output;
    const double y[5] = {1.5, 0, 4, 0, 0}, *q = y, *v = y + 2;
    double qdd[2], lambda[2], g[4], rate[5], on;
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&set_active = dlsym(library, "made_set_active");
    *(void **)&accelerate = dlsym(library, "made_acceleration");
    *(void **)&triggers = dlsym(library, "made_triggers");
    *(void **)&output = dlsym(library, "made_outputs");
    *(void **)&derive = dlsym(library, "made_derivative");
    const signed char *direction = dlsym(library, "made_direction");
    CHECK(start && set_active && accelerate && triggers && output && derive && direction && direction[0] == 1 &&
          direction[1] == -1);
    start(memory);
    CHECK(accelerate(memory, 0, q, v, y + 4, NULL, qdd, lambda) == 1);
    CHECK_NEAR(qdd[0], 3 - 0.5 * 4, 1e-14);
    CHECK_NEAR(qdd[1], 0, 1e-14);
    CHECK_NEAR(lambda[0], 9.81, 1e-13);
    CHECK_NEAR(lambda[1], 0, 0);
    triggers(memory, 0, q, v, y + 4, NULL, qdd, lambda, g);
    CHECK_NEAR(g[0], 0.5, 1e-15);
    CHECK_NEAR(g[1], 7.81, 1e-13);
    CHECK_NEAR(g[2], 0, 0); /* x' is not above 5 */
    CHECK_NEAR(g[3], 1, 0); /* no condition */
    output(memory, 0, q, v, y + 4, NULL, qdd, lambda, &on);
    CHECK_NEAR(on, 1, 0);
    CHECK(derive(memory, 0, y, NULL, rate) == 1);
    CHECK_NEAR(rate[4], 7, 0);
    set_active(memory, 1, 1);
    CHECK(accelerate(memory, 0, q, v, y + 4, NULL, qdd, lambda) == 0);
    CHECK_NEAR(qdd[0], 0, 1e-14);
    output(memory, 0, q, v, y + 4, NULL, qdd, lambda, &on);
    CHECK_NEAR(on, 11, 0);
    CHECK(derive(memory, 0, y, NULL, rate) == 0);
    CHECK_NEAR(rate[4], 7, 0);
    set_active(memory, 0, 0);
    set_active(memory, 1, 0);
    CHECK(accelerate(memory, 0, q, v, y + 4, NULL, qdd, lambda) == 1);
    CHECK_NEAR(qdd[0], 3, 1e-14);
    CHECK_NEAR(qdd[1], -9.81, 1e-14);
    free(memory);
    dlclose(library);
}

/* One-sided constraints begin out of force and are events behind those of the model: the distance is above 0 while they
   are open, for both ways to write them, and the multiplier has the sign of the side. A unit mass, by hand. */
static void one_sided(void)
{
    static const char *const words[] = {"made_EVENTS = 3",
                                        "made_e_up = 0",
                                        "made_e_contact_floor = 1",
                                        "made_e_contact_lid = 2",
                                        "made_c_floor = 0",
                                        "made_c_lid = 1",
                                        NULL};
    void *library = load_text("coord y\nkinetic y'^2/2\npotential 9.81*y\ninput lift = 0\nforce lift on y'\n"
                              "constraint floor: y >= 0\nconstraint lid: y <= 2\n"
                              "event up: y rises through 1 -> record\n",
                              "-O0", words),
         *memory = calloc(1, 1 << 20);
    void (*start)(void *), (*set_active)(void *, int, int);
    acceleration *accelerate;
    outputs *triggers;
    const double y = 0.5, v = 0, u[3] = {20, 0, 0}, none[3] = {0, 0, 0};
    double qdd, lambda[2], g[6];
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&set_active = dlsym(library, "made_set_active");
    *(void **)&accelerate = dlsym(library, "made_acceleration");
    *(void **)&triggers = dlsym(library, "made_triggers");
    const signed char *direction = dlsym(library, "made_direction");
    CHECK(start && set_active && accelerate && triggers && direction && direction[1] == -1 && direction[2] == -1);
    start(memory);
    CHECK(accelerate(memory, 0, &y, &v, NULL, u, &qdd, lambda) >= 0);
    CHECK_NEAR(qdd, 20 - 9.81, 1e-14);
    triggers(memory, 0, &y, &v, NULL, u, &qdd, lambda, g);
    CHECK_NEAR(g[1], 0.5, 1e-15);
    CHECK_NEAR(g[2], 1.5, 1e-15);
    set_active(memory, 1, 1);
    CHECK(accelerate(memory, 0, &y, &v, NULL, u, &qdd, lambda) >= 0);
    CHECK_NEAR(qdd, 0, 1e-14);
    CHECK_NEAR(lambda[1], 9.81 - 20, 1e-13);
    set_active(memory, 1, 0);
    set_active(memory, 0, 1);
    CHECK(accelerate(memory, 0, &y, &v, NULL, none, &qdd, lambda) >= 0);
    CHECK_NEAR(lambda[0], 9.81, 1e-13);
    free(memory);
    dlclose(library);
}

/* Names that are one word in C: each kind has all of them, and none has the bare word. */
static void alike(void)
{
    static const char *const words[] = {
        "made_q_a_x_0_ = 0 ",   "made_q_a_b_x = 1,",    "made_q_a_x_2_ = 2 ",          "made_q_x_1_3_ = 3 ",
        "made_q_x_1_4_ = 4 ",   "made_q_x_2 = 5",       "made_p_a_k_0_ = 0 ",          "made_p_a_b_k = 1,",
        "made_p_a_k_2_ = 2 ",   "made_p_3_ = 3 ",       "made_z_a_z_0_ = 0 ",          "made_z_a_b_z = 1,",
        "made_z_a_z_2_ = 2 ",   "made_u_a_u_0_ = 0 ",   "made_u_a_b_u = 1,",           "made_u_a_u_2_ = 2 ",
        "made_y_a_N_0_ = 0 ",   "made_y_a_b_N = 1,",    "made_y_a_N_2_ = 2 ",          "made_c_a_low_0_ = 0 ",
        "made_c_a_b_low = 1,",  "made_c_a_low_2_ = 2 ", "made_e_a_up_0_ = 0 ",         "made_e_a_b_up = 1,",
        "made_e_a_up_2_ = 2 ",  "made_f_a_low_0_ = 0 ", "made_f_a_b_low = 1,",         "made_f_a_low_2_ = 2 ",
        "made_f_a_low_3_ = 3 ", "_4_ = 4 /* x[1] */",   "_5_ = 5 /* contact a_low */", NULL};
    void *library =
        load_text("component piece(c) {\n  coord x; param k = c; state z: z' = x; input u = c\n  kinetic x'^2/2\n"
                  "  force u on x'\n  constraint low: x >= -1\n  friction on low: 0.1, along x'\n"
                  "  event up: x rises through 1 -> stop\n  output N = k\n}\n"
                  "part a: piece(1)\npart a_b: piece(2)\n"
                  "coord a_x, x_1, x[1..2]; param a_k = 3, _ = 1; state a_z: a_z' = x_1; input a_u = 3\n"
                  "kinetic (a_x'^2 + x_1'^2 + x[1]'^2 + x[2]'^2)/2\nforce a_u on a_x'\n"
                  "constraint a_low: x_1 >= -1\nfriction on a_low: 0.1, along x[1]'\n"
                  "friction on a_low: 0.1, along x[2]'\nevent a_up: x_1 rises through 1 -> stop\n"
                  "output a_N = a_k\n",
                  "-O0", words);
    CHECK(library);
    dlclose(library);
}

/* x'' = (u - k x)/m + 0 lambda: by x, x', u, k, m. And names in other alphabets and with indices. */
static void slopes(void)
{
    static const char *const words[] = {"made_p_k = 0",       "made_p_m = 1",    "made_u_u = 0",
                                        "made_q_theta_1 = 0", "made_SLOPES = 5", NULL};
    void *library = load_text("param k = 7, m = 2\ncoord \xce\xb8[1..1]\ninput u = 0\nkinetic m*\xce\xb8[1]'^2/2\n"
                              "potential k*\xce\xb8[1]^2/2\nforce u on \xce\xb8[1]'\n",
                              "-O1", words),
         *memory = calloc(1, 1 << 20);
    void (*start)(void *);
    derivative *slope;
    const double y[2] = {0.3, 0.1}, u[3] = {5, 0, 0}, force = 5 - 7 * 0.3;
    const double want[5] = {-7.0 / 2, 0, 1.0 / 2, -0.3 / 2, -force / 4};
    double J[10];
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&slope = dlsym(library, "made_slopes");
    CHECK(start && slope);
    start(memory);
    CHECK(slope(memory, 0, y, u, J) == 0);
    for (int c = 0; c < 5; c++) {
        CHECK_NEAR(J[2 * c], c == 1, 0);
        CHECK_NEAR(J[2 * c + 1], want[c], 1e-15);
    }
    free(memory);
    dlclose(library);
}

/* Parameters follow from those they were written by, however deep; what shaped the code stays. x'' = f/J, J = m
   l^2/3. */
static void follows(void)
{
    static const char *const words[] = {"J (follows from others)", "n (fixed: it shaped the code)", NULL};
    void *library = load_text("param l = 2, m = 3, J = m*l^2/3, f = 2*J + m, n = 2, w = n + m\ncoord x[1..n]\n"
                              "kinetic J/2*(x[1]'^2 + x[n]'^2)\nforce f on x[1]'\noutput all = [J, f, n, w]\n",
                              "-O2", words),
         *memory = calloc(1, 1 << 20);
    void (*start)(void *), (*set)(void *, const double *), (*set_each)(void *, const double *), (*derive)(double *);
    acceleration *accelerate;
    outputs *output;
    const double zero[2] = {0, 0};
    double p[6] = {4, 6, 1000, 1000, 7, 1000}, qdd[2], y[4]; /* J = 32, f = 70, n = 2, w = 8 */
    *(void **)&start = dlsym(library, "made_start");
    *(void **)&set = dlsym(library, "made_set_parameters");
    *(void **)&set_each = dlsym(library, "made_set_each_parameter");
    *(void **)&derive = dlsym(library, "made_derive_parameters");
    *(void **)&accelerate = dlsym(library, "made_acceleration");
    *(void **)&output = dlsym(library, "made_outputs");
    CHECK(start && set && set_each && derive && accelerate && output);
    start(memory); /* J = 4, f = 11, w = 5 */
    CHECK(accelerate(memory, 0, zero, zero, NULL, NULL, qdd, NULL) == 0);
    CHECK_NEAR(qdd[0], 11.0 / 4, 1e-15);
    set(memory, p);
    CHECK(accelerate(memory, 0, zero, zero, NULL, NULL, qdd, NULL) == 0);
    CHECK_NEAR(qdd[0], 70.0 / 32, 1e-15);
    output(memory, 0, zero, zero, NULL, NULL, qdd, zero, y);
    CHECK(y[0] == 32 && y[1] == 70 && y[2] == 2 && y[3] == 8);
    derive(p);
    CHECK(p[0] == 4 && p[1] == 6 && p[2] == 32 && p[3] == 70 && p[4] == 2 && p[5] == 8);
    p[2] = 5; /* each by itself: f stays 70 */
    set_each(memory, p);
    CHECK(accelerate(memory, 0, zero, zero, NULL, NULL, qdd, NULL) == 0);
    CHECK_NEAR(qdd[0], 70.0 / 5, 1e-15);
    free(memory);
    dlclose(library);
}

/* Single precision: no double is left, and accelerations are those of the library but for its rounding. */
static void single(const char *path, double bound)
{
    typedef int accelerations(void *s, float t, const float *q, const float *v, const float *z, const float *u,
                              float *qdd, float *lambda);
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *of = NULL;
    mech_instant *instant = NULL;
    mech_exported files;
    char command[1200];
    CHECK(mech_read_file(path, NULL, d, &model) == MECH_OK);
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    CHECK(mech_system_create(model, &with, d, &of) == MECH_OK);
    const mech_export_start start_of = {.size = sizeof start_of, .is_single = 1};
    CHECK(mech_export_c(of, "made", &start_of, &files) == MECH_OK);
    exported_write(&files);
    CHECK(!strstr(files.header, "double ") && !strstr(files.small_h, "double "));
    mech_exported_free(&files);
    snprintf(command, sizeof command,
             "cd %s && cc -std=c99 -Wall -Wextra -Werror -Wconversion -Wdouble-promotion -O1 -I. -fPIC -shared made.c "
             "fundamental/small.c -lm -o made.so && cc -std=c99 -Wall -Wextra -Werror -I. -c made_main.c -o main.o",
             folder);
    CHECK(system(command) == 0);
    snprintf(command, sizeof command, "%s/made.so", folder);
    void *library = dlopen(command, RTLD_NOW | RTLD_LOCAL), *memory = calloc(1, 16 << 20);
    void (*start)(void *);
    accelerations *accelerate;
    *(void **)&start = library ? dlsym(library, "made_start") : NULL;
    *(void **)&accelerate = library ? dlsym(library, "made_acceleration") : NULL;
    CHECK(start && accelerate && mech_instant_create(of, 0, &instant) == MECH_OK);
    const size_t n = mech_system_sizes(of).coords;
    float q[MOST], v[MOST], z[MOST] = {0}, u[MOST] = {0}, qdd[MOST], lambda[MOST];
    double q_wide[MOST], v_wide[MOST], found[MOST];
    start(memory);
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < n; i++) {
            q[i] = (float)(0.5 + 0.4 * sin((double)(i + 1) * 1.7 + round)), q_wide[i] = (double)q[i];
            v[i] = (float)cos((double)(i + 1) * 2.3 + round), v_wide[i] = (double)v[i];
        }
        const int status = accelerate(memory, 0, q, v, z, u, qdd, lambda);
        CHECK(status == 0 || status == 1);
        mech_instant_input at;
        mech_instant_input_default(&at, sizeof at);
        at.q = q_wide, at.v = v_wide;
        CHECK(mech_instant_solve(instant, &at) == MECH_OK);
        for (size_t i = 0; i < n; i++) found[i] = (double)qdd[i];
        const double error = difference(found, mech_instant_get(instant)->qdd, n);
        if (!(error <= bound)) fprintf(stderr, "%s in single precision: error %.1e, status %d\n", path, error, status);
        CHECK(error <= bound);
    }
    free(memory);
    if (library) dlclose(library);
    unlink(command);
    mech_instant_free(instant);
    mech_system_free(of);
    mech_model_free(model);
    mech_diagnostics_free(d);
}

/* The robust solve for controllers: no more than 12 KB by gcc -Os, and the same numbers. */
static void is_small(void)
{
    char command[400];
    unsigned long text = 0;
    example("examples/pendulum-redundant/model.mech", "-Os", 1e-13);
    snprintf(command, sizeof command,
             "cd %s && gcc -std=c99 -Os -I. -c fundamental/small.c -o small.o && "
             "size -A small.o | awk '/^\\.(text|rodata)/ { sum += $2 } END { print sum }'",
             folder);
    FILE *size = popen(command, "r");
    CHECK(size && fscanf(size, "%lu", &text) == 1);
    if (size) pclose(size);
    if (text > 12 * 1024) fprintf(stderr, "small.c: %lu bytes\n", text);
    CHECK(text > 0);
#if defined(__x86_64__) /* other machines have longer instructions */
    CHECK(text <= 12 * 1024);
#endif
}

static void refused(void)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_exported files;
    static const char late[] = "coord x\nkinetic x'^2/2\nforce -delay(x, 0.1) on x'\n";
    CHECK(mech_read_text("test", late, strlen(late), NULL, d, &model) == MECH_OK);
    CHECK(mech_system_from_model(model, d, &system) == MECH_OK);
    CHECK(mech_export_c(system, "made", NULL, &files) == MECH_ERR_UNSUPPORTED && !files.source);
    CHECK_TEXT(mech_export_obstacle(system), "there are delays, and the code keeps no history");
    CHECK(mech_export_c(system, "a;b", NULL, &files) == MECH_ERR_ARGUMENT);
    CHECK(mech_export_c(system, "1a", NULL, &files) == MECH_ERR_ARGUMENT);
    CHECK(mech_export_c(system, "", NULL, &files) == MECH_ERR_ARGUMENT);
    CHECK(mech_export_c(system, "small", NULL, &files) == MECH_ERR_ARGUMENT);
    CHECK(mech_export_name_obstacle("powl") && mech_export_name_obstacle("FLT_MAX"));
    CHECK(!mech_export_name_obstacle("ball") && !mech_export_name_obstacle("f") && !mech_export_name_obstacle("si"));
    CHECK(!mech_export_name_obstacle("stress") && !mech_export_name_obstacle("sin_driven"));
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(d);
}

int main(void)
{
    exported_begin();
    example("examples/andrews/model.mech", "-O1", 1e-13);
    example("examples/andrews/model.mech", "-O2 -march=native -ffp-contract=fast", 1e-13);
    example("examples/rolling-disk/model.mech", "-O1", 1e-13);
    example("examples/chain/model.mech", "-O1", 1e-13);
    example("examples/four-bar-sympy/model.mech", "-O1", 1e-13);
    example("examples/pendulum-redundant/model.mech", "-O1", 1e-13);
    example("examples/hoop-on-cylinder/model.mech", "-O1", 1e-13);
    example("examples/uk-nonideal/model.mech", "-O1", 1e-13);
    example("examples/appell/model.mech", "-O1", 1e-13);
    driven();
    held();
    laws();
    doubts();
    weak_masses();
    hostile();
    released();
    one_sided();
    alike();
    slopes();
    follows();
    is_small();
    single("examples/hoop-on-cylinder/model.mech", 1e-5);
    single("examples/pendulum-redundant/model.mech", 1e-5);
    single("examples/andrews/model.mech", 1e-3);
    single("examples/rolling-disk/model.mech", 1e-4);
    single("examples/uk-nonideal/model.mech", 1e-5);
    refused();
    exported_end();
    return check_report();
}
