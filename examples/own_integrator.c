/* An integrator of your own: the classical Runge-Kutta method on a pendulum in Cartesian coordinates.

   Lesson: mech_eval_motion gives q'' at any state, mech_assemble brings (q, v) back onto the constraints after each
   step, by the least change in the metric of the masses. Neither allocates. After one period, known in closed form by
   the arithmetic-geometric mean, the pendulum is where it began, and its rod as long as it was to 1e-13, which is
   what mech_assemble promises. */
#include <mech/mech.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "param m = 2, g = 9.81, l = 0.5\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
                           "constraint rod: x^2 + y^2 = l^2\n";

typedef struct program {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_motion_code *code;
    mech_eval *eval;
    mech_assembly *assembly;
} program;

static mech_status make(program *p)
{
    p->diagnostics = mech_diagnostics_create();
    mech_status status = mech_read_text("pendulum", text, strlen(text), NULL, p->diagnostics, &p->model);
    if (status == MECH_OK) status = mech_system_from_model(p->model, p->diagnostics, &p->system);
    if (status == MECH_OK) status = mech_motion_code_create(p->system, NULL, &p->code);
    if (status == MECH_OK) status = mech_eval_create(p->system, MECH_STORAGE_DENSE, &p->eval);
    if (status == MECH_OK) status = mech_eval_use_motion(p->eval, p->code);
    if (status == MECH_OK) status = mech_assembly_create(p->eval, &p->assembly);
    return status;
}

static void discard(program *p)
{
    mech_assembly_free(p->assembly);
    mech_eval_free(p->eval);
    mech_motion_code_free(p->code);
    mech_system_free(p->system);
    mech_model_free(p->model);
    mech_diagnostics_free(p->diagnostics);
}

/* y = (q, v), y' = (v, q''). */
static mech_status slope(program *p, double t, const double *y, double *y_dot)
{
    mech_motion motion = {.size = sizeof motion, .qdd = y_dot + 2};
    memcpy(y_dot, y + 2, 2 * sizeof *y);
    return mech_eval_motion(p->eval, t, y, y + 2, &motion);
}

static mech_status step(program *p, double t, double h, double *y)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double k[4] = {0}, sum[4] = {0}, place[4];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 4; i++) place[i] = y[i] + at[stage] * h * k[i];
        const mech_status status = slope(p, t + at[stage] * h, place, k);
        if (status != MECH_OK) return status;
        for (int i = 0; i < 4; i++) sum[i] += weight[stage] * k[i];
    }
    for (int i = 0; i < 4; i++) y[i] += h * sum[i];
    return MECH_OK;
}

static mech_status project(program *p, double t, double *y)
{
    mech_assemble_options onto;
    mech_assemble_options_default(&onto, sizeof onto);
    onto.t = t;
    onto.q = y;
    onto.v = y + 2;
    const mech_status status = mech_assemble(p->assembly, &onto);
    if (status != MECH_OK) return status;
    memcpy(y, mech_assembly_q(p->assembly), 2 * sizeof *y);
    memcpy(y + 2, mech_assembly_v(p->assembly), 2 * sizeof *y);
    return MECH_OK;
}

/* 2 pi sqrt(l/g) / agm(1, cos(swing/2)) */
static double period(double l, double g, double swing)
{
    double a = 1, b = cos(swing / 2);
    for (int k = 0; k < 8; k++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * acos(-1) * sqrt(l / g) / a;
}

int main(void)
{
    enum { STEPS = 2000 };
    const double swing = 1.5, l = 0.5, start[4] = {l * sin(swing), -l * cos(swing), 0, 0}, T = period(l, 9.81, swing);
    double y[4], miss = 0;
    program p = {0};
    memcpy(y, start, sizeof y);
    mech_status status = make(&p);
    for (int k = 0; k < STEPS && status == MECH_OK; k++) {
        status = step(&p, k * T / STEPS, T / STEPS, y);
        if (status == MECH_OK) status = project(&p, (k + 1) * T / STEPS, y);
    }
    for (int i = 0; i < 4; i++) miss = fmax(miss, fabs(y[i] - start[i]));
    const double stretch = fabs(hypot(y[0], y[1]) - l);
    if (status == MECH_OK) printf("after a period of %.9f s: back to %.1e, rod to %.1e\n", T, miss, stretch);
    else
        fprintf(stderr, "%s: %s\n", mech_status_name(status),
                p.assembly ? mech_assembly_error_text(p.assembly) : mech_status_text(status));
    discard(&p);
    return status == MECH_OK && miss < 1e-9 && stretch < 2e-13 ? 0 : 1;
}
