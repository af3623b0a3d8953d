/* A model built by calls instead of text: a pendulum bob in Cartesian coordinates, its rod as a constraint.
   Prints the derived equations, and shows what a wrong call looks like. */
#include <mech/model.h>
#include <mech/output.h>

#include <stdio.h>

/* m/2*(x'^2 + y'^2) and friends: a builder call takes expressions, expressions are built from symbols */
static mech_status build(mech_model *model)
{
    mech_pool *p = mech_model_pool(model);
    const mech_expr m = mech_model_param(model, "m", mech_number(p, 1.5), "kg");
    const mech_expr l = mech_model_param(model, "l", mech_number(p, 0.8), "m");
    const mech_expr g = mech_model_param(model, "g", mech_number(p, 9.81), "m/s^2");
    const mech_expr x = mech_model_coord(model, "x", "m"), y = mech_model_coord(model, "y", "m");
    const mech_expr two = mech_number(p, 2);
    const mech_expr speed2 = mech_add(p, mech_pow(p, mech_dot(p, x), two), mech_pow(p, mech_dot(p, y), two));
    mech_status status = mech_model_kinetic(model, mech_mul(p, mech_div(p, m, two), speed2));
    if (status != MECH_OK) return status;
    status = mech_model_potential(model, mech_product(p, (mech_expr[]){m, g, y}, 3));
    if (status != MECH_OK) return status;
    const mech_expr length2 = mech_add(p, mech_pow(p, x, two), mech_pow(p, y, two));
    const mech_expr rod = mech_sub(p, length2, mech_pow(p, l, two));
    status = mech_model_constraint(model, "rod", &rod, 1, NULL);
    if (status != MECH_OK) return status;
    status = mech_model_initial(model, x, l, 1);
    return status == MECH_OK ? mech_model_finish(model) : status;
}

static void print_diagnostics(const mech_diagnostics *diagnostics)
{
    char *text = mech_diagnostics_format(diagnostics);
    if (text) fputs(text, stderr);
    mech_text_free(text);
}

/* A kinetic energy of accelerations: refused, with a reason, and nothing is lost. */
static int show_a_refusal(void)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_status status = diagnostics ? mech_model_create(diagnostics, &model) : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        mech_pool *p = mech_model_pool(model);
        const mech_expr x = mech_model_coord(model, "x", NULL);
        status = mech_model_kinetic(model, mech_dot(p, mech_dot(p, x)));
        printf("\na wrong call: %s\n", mech_diagnostics_get(diagnostics, 0)->message);
    }
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return status == MECH_ERR_MODEL;
}

int main(void)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    char *text = NULL;
    mech_status status = diagnostics ? mech_model_create(diagnostics, &model) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = build(model);
    if (status == MECH_OK) status = mech_report_equations(model, NULL, &text);
    if (status == MECH_OK) fputs(text, stdout);
    else fprintf(stderr, "%s\n", mech_status_text(status));
    print_diagnostics(diagnostics);
    mech_text_free(text);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return status != MECH_OK || !show_a_refusal();
}
