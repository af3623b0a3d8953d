/* Exact derivatives of the acceleration and multipliers against differences of the solved equation itself
 * (eighth order). */
#include "unit/analyze/helpers.h"

#include "analyze/tangent.h"

enum { MOST = 40 };

typedef struct place {
    double x[MOST]; /* q v z u u' u'' */
} place;

static int solve_at(subject *s, tangent *t, const place *p)
{
    mech_eval_set_states(s->eval, p->x + t->at.z);
    for (size_t i = 0; i < t->sizes.inputs; i++)
        CHECK(mech_eval_set_input(s->eval, i, p->x[t->at.u + i], p->x[t->at.u_dot + i], p->x[t->at.u_ddot + i]) ==
              MECH_OK);
    mech_status status = mech_eval_position(s->eval, 0.3, p->x);
    if (status == MECH_OK) status = mech_eval_velocity(s->eval, p->x + t->n);
    if (status == MECH_OK) status = tangent_solve(t, NULL, NULL);
    if (status == MECH_OK) status = mech_eval_output(s->eval);
    CHECK(status == MECH_OK);
    return status == MECH_OK;
}

/* Eighth-order central difference of all results by variable k. */
static void difference(subject *s, tangent *t, const place *p, size_t k, double *a, double *rho, double *y)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double h = 5e-3;
    memset(a, 0, t->n * sizeof *a);
    memset(rho, 0, t->m * sizeof *rho);
    memset(y, 0, t->sizes.outputs * sizeof *y);
    for (int step = 1; step <= 4; step++)
        for (int sign = -1; sign <= 1; sign += 2) {
            place q = *p;
            q.x[k] += sign * step * h;
            if (!solve_at(s, t, &q)) return;
            const double w = sign * weight[step - 1] / h;
            for (size_t i = 0; i < t->n; i++) a[i] += w * t->a[i];
            for (size_t i = 0; i < t->m; i++) rho[i] += w * t->reaction[i];
            for (size_t i = 0; i < t->sizes.outputs; i++) y[i] += w * mech_eval_equation(s->eval)->output[i];
        }
}

static void compare(const char *text, const place *p, int with_multipliers)
{
    subject s;
    tangent t;
    double a[MOST], rho[MOST], y[MOST];
    if (!subject_text(&s, text)) return;
    CHECK(tangent_create(s.system, s.eval, &t) == MECH_OK);
    for (size_t k = 0; k < t.columns; k++) {
        difference(&s, &t, p, k, a, rho, y);
        if (!solve_at(&s, &t, p)) break;
        CHECK(tangent_derive(&t) == MECH_OK);
        for (size_t i = 0; i < t.n; i++) CHECK_NEAR(t.a_x[i + k * t.n], a[i], 1e-9);
        for (size_t i = 0; i < t.m && with_multipliers; i++) CHECK_NEAR(t.reaction_x[i + k * t.m], rho[i], 1e-9);
        for (size_t i = 0; i < t.sizes.outputs; i++) CHECK_NEAR(t.output_x[i + k * t.sizes.outputs], y[i], 1e-9);
    }
    tangent_free(&t);
    subject_free(&s);
}

int main(void)
{
    const place p = {{0.9, -0.4, 0.3, 0.5, 0.7, -0.2, 0.6, 0.35, 0.2, -0.1}};
    /* velocity-dependent forces, a nonlinear nonholonomic row, a state, an input in force and constraint */
    compare("param m = 1.3, k = 2\ncoord x, y, z\ninput u = t\nstate w: w' = x*w + u\n"
            "kinetic m/2*(x'^2 + y'^2 + (1 + x^2)*z'^2) + x'*y'*cos(z)/4\npotential k*x^2*y + m*9.8*z\nforce "
            "w*x' + u on y'\n"
            "constraint surface: x^2 + y^2 + sin(z) = 1 + u\nconstraint speed: x'^2 + y'^2 = 0.3 + z'*x\n"
            "output power = x'*x'' + lambda(surface)*y\n",
            &p, 1);
    /* a law that feels its own total reaction, and one that looks at the ideal multiplier */
    compare("param mu = 0.3\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.8*z\nconstraint "
            "bowl: z = x^2 + 0.5*y^2\n"
            "nonideal on bowl: [x, y, z] = -mu*reaction(bowl)*[x', y', z'] - 0.1*lambda(bowl)^2*[x', 0, y']\n"
            "output N = reaction(bowl)*z\n",
            &p, 1);
    /* the same row twice: accelerations and the sum of the multipliers */
    compare("coord x, y, z\nkinetic (x'^2 + 2*y'^2 + z'^2)/2\npotential 9.8*z + x*y\nconstraint bowl: z = "
            "x^2 + 0.5*y^2\n"
            "constraint again: 2*z = 2*x^2 + y^2\noutput Q = force(bowl, x) + force(again, x)\n",
            &p, 0);
    return check_report();
}
