/* Which linear nonholonomic constraints are integrable: cases from the literature and corner cases. The
   word after the text has one letter for each row: P proven, R refuted, U undecided, - not asked. */
#include <mech/lang.h>

#include "check.h"
#include "model/model.h"

static void verdicts(const char *name, const char *text, char out[64])
{
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    out[0] = 0;
    if (mech_read_text(name, text, strlen(text), NULL, list, &m) != MECH_OK) {
        char *messages = mech_diagnostics_format(list);
        fprintf(stderr, "%s: %s\n", name, messages);
        mech_text_free(messages);
    }
    for (size_t i = 0; m && i < m->rows_count && i < 63; i++) {
        out[i] = "-PRU"[m->rows[i].integrable];
        out[i + 1] = 0;
    }
    mech_model_free(m);
    mech_diagnostics_free(list);
}

static const struct {
    const char *name, *text, *want;
} cases[] = {
    {"equal velocities", "coord x, y\nmass [x, y] = 1\nconstraint c: x' = y'", "P"},
    {"y' = z x'", "coord x, y, z\nmass [x, y, z] = 1\nconstraint c: y' = z*x'", "R"},
    {"circle", "coord x, y\nmass [x, y] = 1\nconstraint c: x*x' + y*y' = 0", "P"},
    {"two variables always", "coord x, y\nmass [x, y] = 1\nconstraint c: x' = exp(x*y)*y'", "P"},
    {"cylinder on a plane", "param r = 2\ncoord x, phi\nmass [x, phi] = 1\nconstraint roll: x' = r*phi'", "P"},
    {"integrating factor", "coord x, y, z\nmass [x, y, z] = 1\nconstraint c: y*z*x' + 2*x*z*y' + 3*x*y*z' = 0", "P"},
    {"integrating factor, angles",
     "coord x, y, phi\nmass [x, y, phi] = 1\n"
     "constraint c: (1 + x^2)*(cos(phi)*x' + sin(phi)*y' + (y*cos(phi) - x*sin(phi))*phi') = 0",
     "P"},
    {"product of sines, with a factor",
     "coord x, phi, psi\nmass [x, phi, psi] = 1\n"
     "constraint c: exp(x)*(cos(phi)*sin(psi)*phi' + sin(phi)*cos(psi)*psi' - x') = 0\n",
     "P"},
    {"sum of angles, closed",
     "coord x, phi, psi\nmass [x, phi, psi] = 1\n"
     "constraint c: (2 + sin(x))*(cos(phi + psi)*(phi' + psi') + (cos(phi)*cos(psi) - sin(phi)*sin(psi))*x') "
     "= 0\n",
     "P"},
    {"0 by an identity: z = y*tan(x)",
     "coord x, y, z\nmass [x, y, z] = 1\nconstraint c: z' = y'*tan(x) + y/cos(x)^2*x'", "P"},
    {"0 by an identity: z = y*sin(2*x)",
     "coord x, y, z\nmass [x, y, z] = 1\nconstraint c: z' = y'*sin(2*x) + 2*y*(cos(x)^2 - sin(x)^2)*x'", "P"},
    {"hyperbolic functions over one denominator", /* z = y*tanh(x), times cosh(x)^2 */
     "coord x, y, z\nmass [x, y, z] = 1\nconstraint c: cosh(x)^2*z' = cosh(x)^2*tanh(x)*y' + y*x'", "P"},
    {"fractions that meet over one denominator", /* x + z/(y + z), with a factor */
     "coord x, y, z\nmass [x, y, z] = 1\nconstraint c: (1 + x^2)*x' = (1 + x^2)*(z*y' - y*z')/(y + z)^2\ninitial y = 1",
     "P"},
    /* contact makes the hoop's rolling integrable */
    {"hoop, rolling alone",
     "param r = 0.2\ncoord rho, theta, phi\nmass [rho, theta, phi] = 1\nconstraint rolling: r*phi' = "
     "rho*theta'",
     "R"},
    {"hoop on its cylinder",
     "param r = 0.2, R = 1\ncoord rho, theta, phi\nmass [rho, theta, phi] = 1\n"
     "constraint contact: rho = R + r\nconstraint rolling: r*phi' = rho*theta'",
     "-P"},
    {"hoop, contact given by velocities",
     "param r = 0.2\ncoord rho, theta, phi\nmass [rho, theta, phi] = 1\n"
     "constraint contact: rho' = 0\nconstraint rolling: r*phi' = rho*theta'",
     "PP"},
    {"contact that changes with the angle",
     "param r = 0.2\ncoord rho, theta, phi\nmass [rho, theta, phi] = 1\n"
     "constraint contact: rho = 2 + cos(theta)/3\nconstraint rolling: r*phi' = rho*theta'",
     "-P"},
    {"knife edge", "coord x, y, phi\nmass [x, y, phi] = 1\nconstraint edge: x'*sin(phi) = y'*cos(phi)", "R"},
    {"knife edge on a line",
     "coord x, y, phi\nmass [x, y, phi] = 1\nconstraint edge: x'*sin(phi) = y'*cos(phi)\nconstraint line: "
     "phi = 0.4",
     "P-"},
    {"knife edge turned by time",
     "coord x, y, phi\nmass [x, y, phi] = 1\nconstraint edge: x'*sin(phi) = y'*cos(phi)\nconstraint turn: "
     "phi = 0.4*t",
     "R-"},
    {"knife edge on a circle it does not follow", /* away from the tangent both hold the point: x' = y' = 0 */
     "coord x, y, phi\nmass [x, y, phi] = 1\nconstraint edge: x'*sin(phi) = y'*cos(phi)\n"
     "constraint circle: x^2 + y^2 = 4\ninitial x = 2",
     "P-"},
    {"knife edge twice",
     "coord x, y, phi\nmass [x, y, phi] = 1\nconstraint edge: x'*sin(phi) = y'*cos(phi)\n"
     "constraint again: 3*x'*sin(phi) = 3*y'*cos(phi)",
     "RR"},
    {"Chaplygin's sleigh",
     "param a = 0.3\ncoord x, y, phi\nmass [x, y, phi] = 1\nconstraint edge: y'*cos(phi) - x'*sin(phi) = "
     "a*phi'",
     "R"},
    {"upright coin",
     "param r = 0.3\ncoord x, y, phi, psi\nmass [x, y, phi, psi] = 1\n"
     "constraint rolling: [x', y'] = r*phi'*[cos(psi), sin(psi)]",
     "RR"},
    {"coin that does not turn",
     "param r = 0.3\ncoord x, y, phi, psi\nmass [x, y, phi, psi] = 1\n"
     "constraint rolling: [x', y'] = r*phi'*[cos(psi), sin(psi)]\nconstraint straight: psi' = 0",
     "PPP"},
    {"coin whose turning is geared to its rolling",
     "param r = 0.3\ncoord x, y, phi, psi\nmass [x, y, phi, psi] = 1\n"
     "constraint rolling: [x', y'] = r*phi'*[cos(psi), sin(psi)]\nconstraint gear: 5*psi = phi",
     "PP-"},
    {"ball on a plane",
     "param r = 0.1\ncoord x, y, e[1..4]\nlet w = omega(quaternion(e))\nmass [x, y, e[1], e[2], e[3], e[4]] "
     "= 1\n"
     "constraint unit: dot(e, e) = 1\nconstraint rolling: [x' - r*w[2], y' + r*w[1]] = [0, 0]\ninitial e[1] "
     "= 1",
     "-RR"},
    {"car", /* rear and front wheels */
     "param l = 2\ncoord x, y, th, phi\nmass [x, y, th, phi] = 1\n"
     "constraint rear: x'*sin(th) = y'*cos(th)\n"
     "constraint front: x'*sin(th + phi) - y'*cos(th + phi) = l*th'*cos(phi)",
     "RR"},
    {"car with its steering locked", /* it runs on a circle, but where that is stays free: still one row */
     "param l = 2\ncoord x, y, th\nmass [x, y, th] = 1\n"
     "constraint rear: x'*sin(th) = y'*cos(th)\n"
     "constraint front: x'*sin(th + 0.3) - y'*cos(th + 0.3) = l*th'*cos(0.3)",
     "PP"},
    {"Goursat's form", /* the first passes only with the second, which fails */
     "coord x, y, z, w\nmass [x, y, z, w] = 1\nconstraint a: y' = z*x'\nconstraint b: z' = w*x'", "RR"},
    {"a row that needs a mixture of two that fail", /* their sum is x' = 0 */
     "coord x, y, z, w, u, v\nmass [x, y, z, w, u, v] = 1\nconstraint a: x' + y' - z*w' = 0\n"
     "constraint b: x' - y' + z*w' = 0\nconstraint c: u' = x*v'",
     "RRU"},
    {"one fails, one passes",
     "coord x, y, phi, psi\nmass [x, y, phi, psi] = 1\n"
     "constraint edge: x'*sin(phi) = y'*cos(phi)\nconstraint gear: phi' = 2*psi'",
     "RP"},
    /* time */
    {"driven", "coord x\nmass x = 1\nconstraint c: x' = t", "P"},
    {"driven, two variables", "coord x\nmass x = 1\nconstraint c: x' = t*x", "P"},
    {"driven by another", "coord x, y\nmass [x, y] = 1\nconstraint c: x' = t*y", "R"},
    {"pursuit", "coord x, y\nmass [x, y] = 1\nconstraint c: x'*y = y'*(x - cos(t))", "R"},
    {"rates given by time", "coord x, y\nmass [x, y] = 1\nconstraint c: x'*cos(t) - y'*cos(t) = 0", "P"},
    {"moving wall", "coord x, y\nmass [x, y] = 1\nconstraint wall: y = sin(t)\nconstraint c: x' = y*y'", "-P"},
    /* only where the holonomic rows hold */
    {"with the ideal",
     "coord x, y, z, w\nmass [x, y, z, w] = 1\nconstraint circle: x^2 + y^2 = 1\n"
     "constraint c: z' = (x^2 + y^2)*w'\ninitial x = 1",
     "-P"},
    {"zero on the circle, not by symbols",
     "coord x, y, z, w\nmass [x, y, z, w] = 1\nconstraint circle: x^2 + y^2 = 1\n"
     "constraint c: z' = (x^2 + y^2 - 1)*y*w'\ninitial x = 1",
     "-U"},
    /* what cannot be judged */
    {"state", "coord x, y\nmass [x, y] = 1\nstate s: s' = x\nconstraint c: x' = s*y'", "U"},
    {"input", "coord x, y\nmass [x, y] = 1\ninput u = sin(t)\nconstraint c: x' = u*y'", "R"},
    {"input, one variable", "coord x\nmass x = 1\ninput u = sin(t)\nconstraint c: x' = u", "P"},
    {"constant input", "coord x, y\nmass [x, y] = 1\ninput u = 3\nconstraint c: x' = u*y'", "U"},
    {"nonlinear row beside",
     "coord x, y, phi\nmass [x, y, phi] = 1\nconstraint edge: x'*sin(phi) = y'*cos(phi)\n"
     "constraint speed: x'^2 + y'^2 = 1",
     "U-"},
    {"nonlinear row elsewhere",
     "coord x, y, phi, z\nmass [x, y, phi, z] = 1\n"
     "constraint edge: x'*sin(phi) = y'*cos(phi)\nconstraint speed: z'^2 = 1",
     "R-"},
    {"row of accelerations beside",
     "coord x, y, phi\nmass [x, y, phi] = 1\n"
     "constraint edge: x'*sin(phi) = y'*cos(phi)\nconstraint spin: phi'' = 1",
     "R-"},
    {"control beside",
     "coord x, y, phi\nmass [x, y, phi] = 1\nconstraint edge: x'*sin(phi) = y'*cos(phi)\n"
     "control heading: phi' = 0",
     "RP"},
    {"no such point", "coord x, y\nmass [x, y] = 1\nconstraint never: x^2 + y^2 + 1 = 0\nconstraint c: x' = y'", "-U"},
    {"too large", "coord x[1..80]\nfor i in 1..80 { mass x[i] = 1 }\nconstraint c: sum(i in 1..80: x[i]*x[i]') = 0",
     "U"},
    {"many at once",
     "coord x[1..40], y[1..40], a[1..40]\nfor i in 1..40 {\n mass x[i] = 1\n mass y[i] = 1\n mass a[i] = 1\n"
     "constraint edge[i]: x[i]'*sin(a[i]) = y[i]'*cos(a[i])\n}",
     "RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR"},
};

/* The test leaves nothing behind in the model's pool. */
static void leaves_the_pool(void)
{
    static const char text[] = "coord x, y, z\nmass [x, y, z] = 1\nconstraint c: y*x' = z*y'";
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    CHECK(mech_read_text("pool", text, strlen(text), NULL, list, &m) == MECH_OK);
    const size_t before = mech_pool_size(m->pool), symbols = m->pool->symbol_count;
    m->rows[0].integrable = MODEL_INTEGRABLE_NONE;
    CHECK(model_test_integrable(m) == MECH_OK && m->rows[0].integrable == MODEL_INTEGRABLE_REFUTED);
    CHECK(mech_pool_size(m->pool) == before && m->pool->symbol_count == symbols);
    mech_model_free(m);
    mech_diagnostics_free(list);
}

int main(void)
{
    char got[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        verdicts(cases[i].name, cases[i].text, got);
        CHECK_TEXT(got, cases[i].want);
        if (strcmp(got, cases[i].want) != 0) fprintf(stderr, "  in '%s'\n", cases[i].name);
    }
    leaves_the_pool();
    return check_report();
}
