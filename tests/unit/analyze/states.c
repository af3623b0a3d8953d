/* States in holonomic rows: the tangent space of phi(q, z) = 0 has d phi/dz in it, and equilibria move the states too. */
#include "unit/analyze/helpers.h"

/* With y = x + 0.7 s, (p - 1.1) s = x and (2 p^2 + 0.4 p + 4.8) x + (0.7 p^2 + 0.63) s = 0: 2 p^3 - 1.1 p^2 + 4.36 p - 4.65 = 0. */
static void unstable_filter(void)
{
    subject s;
    if (!subject_text(&s, "coord x, y\nstate s: s' = -0.3*s - x + 2*y\nkinetic (x'^2 + y'^2)/2\npotential (3.9*x^2 + 0.9*y^2)/2\n"
                          "dissipation 0.2*x'^2\nconstraint c: y = x + 0.7*s\ninitial x = 0.001\n") ||
        !subject_find(&s, NULL, NULL) || !subject_linearize(&s, s.e->q, s.e->v, NULL, NULL))
        return;
    CHECK(s.l->freedom == 3 && s.l->rank_position == 1 && s.l->rank_velocity == 1 && s.l->leak < 1e-14);
    for (int k = 0; k < s.l->motion->n; k++) { /* p(root) = 0, real and imaginary part */
        const double a = s.l->motion->real[k], b = s.l->motion->imaginary[k];
        CHECK_NEAR(2 * (a * a * a - 3 * a * b * b) - 1.1 * (a * a - b * b) + 4.36 * a - 4.65, 0, 1e-12);
        CHECK_NEAR(2 * (3 * a * a * b - b * b * b) - 2.2 * a * b + 4.36 * b, 0, 1e-12);
    }
    CHECK(s.l->motion->n == 3 && s.l->motion->right == 1 && s.l->motion->verdict == MECH_VERDICT_UNSTABLE && s.l->motion->agree);
    subject_free(&s);
}

/* -2 s + y + 1 = 0, y = x + 3 s and 3 x - 1 + y - 2 = 0 at rest: x = 6, y = -15, s = -7; lambda = y - 2. */
static void equilibrium_of_states(void)
{
    subject s;
    if (!subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (3*x^2 + y^2)/2 - x - 2*y\nstate s: s' = -2*s + y + 1\n"
                          "constraint c: y = x + 3*s\ninitial x = 1\n") ||
        !subject_find(&s, NULL, NULL))
        return;
    CHECK_NEAR(s.e->q[0], 6, 1e-12);
    CHECK_NEAR(s.e->q[1], -15, 1e-12);
    CHECK_NEAR(s.e->z[0], -7, 1e-12);
    CHECK_NEAR(s.e->lambda[0], -17, 1e-11);
    CHECK(s.e->family == 0 && s.e->residual < 1e-12);
    subject_free(&s);
}

/* Random models, some with velocities in the rates. Expected: the equilibrium by Newton's method, and the finite eigenvalues of the pencil
   (E, J) of q' = v, M v' = Q + A' l, z' = g, 0 = phi, J by complex steps, E = diag(1, 1, 1, 0), by scipy.linalg.eig. */
static void random_models(void)
{
    static const struct {
        const char *text;
        double point[8];
        int modes;
        double mode[8][2];
    } cases[] = {
        {"coord x0, x1, x2\n"
         "kinetic (1.47*x0'^2 + 1.12*x1'^2 + 1.2*x2'^2)/2\n"
         "potential ((1.371)*x0*x0 + (0.033)*x0*x1 + (0.499)*x0*x2 + (0.033)*x1*x0 + (0.781)*x1*x1 + (-0.165)*x1*x2 + (0.499)*x2*x0 + (-0.165)*x2*x1 + (1.14)*x2*x2)/2 + (-0.06)*x0^3/3 + (0.006)*x1^3/3 + (-0.052000000000000005)*x2^3/3\n"
         "dissipation (0.2*x0'^2 + 0.53*x1'^2 + 0.19*x2'^2)/2\n"
         "force 0.61 on x0'\n"
         "force -0.76 on x1'\n"
         "force -0.14 on x2'\n"
         "state s0: s0' = (0.22)*x0 + (0.88)*x1 + (0.77)*x2 + (-1.77)*s0 + (-0.099)\n"
         "state s1: s1' = (-0.91)*x0 + (-0.01)*x1 + (0.69)*x2 + (-0.77)*s1 + (-0.018)\n"
         "constraint c0: (1.44)*x0 + (-0.61)*x1 + (-0.5)*x2 + (-0.01)*s0 + (-0.46)*s1 + (-0.006)*x0^2 + (0.084)*x1^2 + (0.264)*x2^2 + (0.264)*x0*s0 = 0\n"
         "initial s0 = 0.267, s1 = -0.237\n"
         ,
         {-0.12449688110136667, -0.46643529384059945, 0.08444076808191868, -0.26657230564912476, 0.20548135677555007},
         6, {{-0.1993214403680449, 0.9002825872983089}, {-0.19932144036804486, -0.9002825872983089}, {-1.0325819530543723, 0.0}, {-0.06863076768276563, 1.1905389326907476}, {-0.06863076768276563, -1.1905389326907476}, {-1.810280621640252, 0.0}}},
        {"coord x0, x1\n"
         "kinetic (1.07*x0'^2 + 1.72*x1'^2)/2\n"
         "potential ((0.505)*x0*x0 + (0.061)*x0*x1 + (0.061)*x1*x0 + (1.469)*x1*x1)/2 + (-0.020000000000000004)*x0^3/3 + (-0.044000000000000004)*x1^3/3\n"
         "dissipation (0.56*x0'^2 + 0.38*x1'^2)/2\n"
         "force -0.15 on x0'\n"
         "force -0.47 on x1'\n"
         "state s0: s0' = (0.73)*x0 + (-0.44)*x1 + (-0.31)*s0 + (0.069)\n"
         "constraint c0: (0.79)*x0 + (-0.85)*x1 + (0.57)*s0 + (0.18)*x0^2 + (-0.177)*x1^2 + (0.020000000000000004)*x0*s0 = 0\n"
         "initial s0 = -0.108\n"
         ,
         {-0.288292015639066, -0.294129663772403, -0.03882619147309955},
         3, {{-0.8320545819640373, 0.0}, {-0.15718421698767154, 0.8500140017095711}, {-0.1571842169876715, -0.8500140017095711}}},
        {"coord x0, x1\n"
         "kinetic (0.87*x0'^2 + 1.56*x1'^2)/2\n"
         "potential ((1.141)*x0*x0 + (0.499)*x0*x1 + (0.499)*x1*x0 + (1.412)*x1*x1)/2 + (0.05600000000000001)*x0^3/3 + (0.192)*x1^3/3\n"
         "dissipation (0.25*x0'^2 + 0.6*x1'^2)/2\n"
         "force 0.24 on x0'\n"
         "force -0.26 on x1'\n"
         "state s0: s0' = (-0.26)*x0 + (-0.24)*x1 + (-0.56)*s0 + (0.69)*x0' + (-0.73)*x1' + (0.125)*x0*x1' + (-0.20400000000000001)\n"
         "constraint c0: (0.65)*x0 + (-0.36)*x1 + (0.24)*s0 + (-0.072)*x0^2 + (0.23099999999999998)*x1^2 + (0.07600000000000001)*x0*s0 = 0\n"
         "initial s0 = 0.021\n"
         ,
         {0.07412789344166446, -0.10255839678751197, -0.3547486376175534},
         3, {{-0.40291839016418785, 0.0}, {-0.17371044803401692, 1.1689643083113195}, {-0.1737104480340169, -1.1689643083113195}}},
        {"coord x0, x1, x2, x3\n"
         "kinetic (1.39*x0'^2 + 1.57*x1'^2 + 1.86*x2'^2 + 1.94*x3'^2)/2\n"
         "potential ((2.66)*x0*x0 + (0.93)*x0*x1 + (0.233)*x0*x2 + (0.354)*x0*x3 + (0.93)*x1*x0 + (0.965)*x1*x1 + (-0.087)*x1*x2 + (0.397)*x1*x3 + (0.233)*x2*x0 + (-0.087)*x2*x1 + (1.32)*x2*x2 + (-0.622)*x2*x3 + (0.354)*x3*x0 + (0.397)*x3*x1 + (-0.622)*x3*x2 + (1.493)*x3*x3)/2 + (0.068)*x0^3/3 + (-0.128)*x1^3/3 + (-0.134)*x2^3/3 + (-0.010000000000000002)*x3^3/3\n"
         "dissipation (0.4*x0'^2 + 0.49*x1'^2 + 0.39*x2'^2 + 0.14*x3'^2)/2\n"
         "force 0.46 on x0'\n"
         "force 0.28 on x1'\n"
         "force -0.42 on x2'\n"
         "force 0.23 on x3'\n"
         "state s0: s0' = (-0.64)*x0 + (0.01)*x1 + (-0.18)*x2 + (-0.81)*x3 + (-0.5)*s0 + (-0.17)*x0' + (-0.55)*x1' + (0.2)*x2' + (0.82)*x3' + (0.195)*x0*x1' + (0.15)\n"
         "constraint c0: (1.02)*x0 + (0.91)*x1 + (-0.42)*x2 + (-1.0)*x3 + (0.15)*s0 + (-0.126)*x0^2 + (-0.288)*x1^2 + (0.21)*x2^2 + (0.132)*x3^2 + (-0.128)*x0*s0 = 0\n"
         "initial s0 = 0.12\n"
         ,
         {0.13520160857015592, -0.07918085740429477, -0.20760222119740623, 0.1544796964514858, -0.050161984738226265},
         7, {{-0.1402263543436269, -0.5465436412000348}, {-0.14022635434362693, 0.546543641200035}, {-0.5951897305058972, 0.0}, {-0.10375691883644146, 1.0263488300769672}, {-0.10375691883644146, -1.0263488300769674}, {-0.04346571669400915, 1.194480678799496}, {-0.043465716694009164, -1.1944806787994962}}},
        {"coord x0, x1, x2\n"
         "kinetic (1.19*x0'^2 + 0.99*x1'^2 + 1.33*x2'^2)/2\n"
         "potential ((1.796)*x0*x0 + (-0.103)*x0*x1 + (1.121)*x0*x2 + (-0.103)*x1*x0 + (0.517)*x1*x1 + (-0.082)*x1*x2 + (1.121)*x2*x0 + (-0.082)*x2*x1 + (1.538)*x2*x2)/2 + (-0.142)*x0^3/3 + (-0.03)*x1^3/3 + (0.010000000000000002)*x2^3/3\n"
         "dissipation (0.41*x0'^2 + 0.49*x1'^2 + 0.31*x2'^2)/2\n"
         "force 0.2 on x0'\n"
         "force 0.53 on x1'\n"
         "force 0.84 on x2'\n"
         "state s0: s0' = (0.69)*x0 + (-0.47)*x1 + (-0.04)*x2 + (-1.8)*s0 + (-0.056999999999999995)\n"
         "constraint c0: (2.46)*x0 + (-0.54)*x1 + (-0.84)*x2 + (-0.94)*s0 + (0.273)*x0^2 + (0.056999999999999995)*x1^2 + (-0.189)*x2^2 + (0.064)*x0*s0 = 0\n"
         "initial s0 = 0.237\n"
         ,
         {0.23119333262122405, 1.0388343300823655, 0.3205965429378882, -0.22141810963754588},
         5, {{-0.24598474080626134, 0.606889242775061}, {-0.24598474080626131, -0.606889242775061}, {-0.11713423457763149, 1.3390551765279939}, {-0.11713423457763152, -1.339055176527994}, {-1.5622148900675839, 0.0}}},
        {"coord x0, x1, x2, x3\n"
         "kinetic (1.4*x0'^2 + 1.25*x1'^2 + 0.52*x2'^2 + 0.67*x3'^2)/2\n"
         "potential ((1.726)*x0*x0 + (-1.042)*x0*x1 + (-0.641)*x0*x2 + (0.577)*x0*x3 + (-1.042)*x1*x0 + (2.551)*x1*x1 + (0.138)*x1*x2 + (-1.815)*x1*x3 + (-0.641)*x2*x0 + (0.138)*x2*x1 + (2.315)*x2*x2 + (-0.179)*x2*x3 + (0.577)*x3*x0 + (-1.815)*x3*x1 + (-0.179)*x3*x2 + (2.365)*x3*x3)/2 + (-0.126)*x0^3/3 + (-0.126)*x1^3/3 + (-0.038000000000000006)*x2^3/3 + (-0.032)*x3^3/3\n"
         "dissipation (0.57*x0'^2 + 0.32*x1'^2 + 0.08*x2'^2 + 0.46*x3'^2)/2\n"
         "force 0.78 on x0'\n"
         "force 0.61 on x1'\n"
         "force 0.82 on x2'\n"
         "force 0.64 on x3'\n"
         "state s0: s0' = (-0.18)*x0 + (0.06)*x1 + (-0.19)*x2 + (-0.58)*x3 + (-1.62)*s0 + (-0.65)*x0' + (0.23)*x1' + (-0.75)*x2' + (-0.65)*x3' + (-0.28)*x0*x1' + (-0.06)\n"
         "constraint c0: (0.61)*x0 + (0.05)*x2 + (-0.46)*x3 + (-0.08)*s0 + (0.006)*x0^2 + (-0.183)*x1^2 + (0.156)*x2^2 + (-0.066)*x3^2 + (0.22400000000000003)*x0*s0 = 0\n"
         "initial s0 = 0.261\n"
         ,
         {1.6784232765141325, 1.6054583711242296, 0.8307007033060368, 1.0127169842149348, -0.6240726370233945},
         7, {{-0.2218150744803659, 0.6203828919894815}, {-0.22181507448036591, -0.6203828919894816}, {-1.4545248896026555, 0.0}, {-0.0994752908017315, -1.990427123589083}, {-0.09947529080173151, 1.9904271235890834}, {-0.18722664649169998, -2.1675385149619983}, {-0.18722664649170004, 2.167538514961999}}},
        {"coord x0, x1, x2\n"
         "kinetic (1.9*x0'^2 + 0.73*x1'^2 + 0.98*x2'^2)/2\n"
         "potential ((1.269)*x0*x0 + (-0.696)*x0*x1 + (-0.203)*x0*x2 + (-0.696)*x1*x0 + (1.33)*x1*x1 + (0.493)*x1*x2 + (-0.203)*x2*x0 + (0.493)*x2*x1 + (1.717)*x2*x2)/2 + (-0.188)*x0^3/3 + (0.006)*x1^3/3 + (0.144)*x2^3/3\n"
         "dissipation (0.1*x0'^2 + 0.45*x1'^2 + 0.18*x2'^2)/2\n"
         "force 0.87 on x0'\n"
         "force -0.43 on x1'\n"
         "force 0.63 on x2'\n"
         "state s0: s0' = (0.68)*x0 + (-0.76)*x1 + (0.56)*x2 + (-1.07)*s0 + (0.9)*x0' + (0.44)*x1' + (0.15)*x2' + (-0.28)*x0*x1' + (-0.129)\n"
         "state s1: s1' = (-0.82)*x0 + (-0.27)*x1 + (0.69)*x2 + (-0.53)*s1 + (-0.88)*x0' + (-0.46)*x1' + (0.76)*x2' + (0.33)*x0*x1' + (0.291)\n"
         "constraint c0: (2.0300000000000002)*x0 + (0.84)*x1 + (0.29)*x2 + (0.39)*s0 + (0.65)*s1 + (-0.096)*x0^2 + (0.054)*x1^2 + (0.09)*x2^2 + (0.12)*x0*s0 = 0\n"
         "initial s0 = -0.042, s1 = 0.021\n"
         ,
         {-0.42088272947503197, -0.8576006620758991, 0.30774641392525826, 0.382162840124118, 2.037775551959334},
         6, {{-0.4393401083328272, 0.0}, {-0.9480886972352546, 0.0}, {-0.21977988262268872, 1.0848791848357617}, {-0.21977988262268872, -1.0848791848357617}, {-0.17506049314174724, 1.5081170599659546}, {-0.17506049314174724, -1.5081170599659546}}},
        {"coord x0, x1, x2, x3\n"
         "kinetic (1.44*x0'^2 + 1.46*x1'^2 + 1.94*x2'^2 + 0.76*x3'^2)/2\n"
         "potential ((2.102)*x0*x0 + (0.249)*x0*x1 + (0.148)*x0*x2 + (-0.434)*x0*x3 + (0.249)*x1*x0 + (0.767)*x1*x1 + (0.058)*x1*x2 + (0.503)*x1*x3 + (0.148)*x2*x0 + (0.058)*x2*x1 + (1.634)*x2*x2 + (0.384)*x2*x3 + (-0.434)*x3*x0 + (0.503)*x3*x1 + (0.384)*x3*x2 + (2.655)*x3*x3)/2 + (-0.18200000000000002)*x0^3/3 + (0.11399999999999999)*x1^3/3 + (-0.0)*x2^3/3 + (-0.17800000000000002)*x3^3/3\n"
         "dissipation (0.2*x0'^2 + 0.25*x1'^2 + 0.13*x2'^2 + 0.52*x3'^2)/2\n"
         "force -0.38 on x0'\n"
         "force 0.83 on x1'\n"
         "force 0.98 on x2'\n"
         "force 0.46 on x3'\n"
         "state s0: s0' = (-0.96)*x0 + (-0.36)*x1 + (0.04)*x2 + (-0.79)*x3 + (-1.48)*s0 + (0.252)\n"
         "constraint c0: (0.61)*x0 + (-0.93)*x1 + (-0.74)*x2 + (-0.16)*x3 + (0.64)*s0 + (0.012)*x0^2 + (-0.156)*x1^2 + (-0.081)*x2^2 + (0.129)*x3^2 + (-0.15600000000000003)*x0*s0 = 0\n"
         "constraint c1: (0.02)*x0 + (1.07)*x1 + (-0.02)*x2 + (0.32)*x3 + (-0.05)*s0 + (0.27)*x0^2 + (-0.072)*x1^2 + (0.174)*x2^2 + (-0.189)*x3^2 + (-0.084)*x0*s0 = 0\n"
         "initial s0 = 0.22799999999999998\n"
         ,
         {0.10368671465728864, -0.04218112394547328, 0.14290390158436528, 0.14330512881998259, 0.04064261003037951},
         5, {{-0.9450227309188832, 0.0}, {-0.051893623138793345, 1.1006207823056369}, {-0.051893623138793345, -1.100620782305637}, {-0.34180676011456457, 1.6233581362037137}, {-0.34180676011456446, -1.6233581362037137}}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s;
        if (!subject_text(&s, cases[k].text) || !subject_find(&s, NULL, NULL) || !subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) return;
        for (int i = 0; i < s.e->n + s.e->states; i++)
            CHECK_NEAR(i < s.e->n ? s.e->q[i] : s.e->z[i - s.e->n], cases[k].point[i], 1e-9 * (1 + fabs(cases[k].point[i])));
        CHECK(s.l->motion->n == cases[k].modes && s.l->motion->zero == 0 && s.l->leak < 1e-12 && !mech_linear_doubt(s.l));
        for (int i = 0; i < cases[k].modes; i++) CHECK(has_mode(s.l->motion, cases[k].mode[i][0], cases[k].mode[i][1], 1e-7, 1));
        subject_free(&s);
    }
}

/* Where constraints lose rank there is no tangent space: two lines that cross, a wheel that does not roll where x = 0, rods in one line, a square. */
static void lost_rank(void)
{
    static const struct {
        const char *text;
        int row; /* -1: none is lost */
    } cases[] = {
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (2*x^2 + y^2)/2\nconstraint c: x*y = 0\n", 0},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (2*x^2 + y^2)/2\nconstraint c: x*y' = 0\n", 0},
        {"coord a, b, c\nkinetic (a'^2 + b'^2 + c'^2)/2\npotential (a^2 + b^2/2 + c^2)/2\nconstraint px: cos(a) + 2*cos(b) = 2 + cos(c)\n"
         "constraint py: sin(a) + 2*sin(b) = sin(c)\n", 0},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2)/2\nconstraint c: x^2 = 0\n", 0},
        /* one row too many everywhere, or only on the constraints: nothing is lost */
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint c: x^2 + y^2 = 1\nconstraint d: 2*x^2 + 2*y^2 = 2\nconstraint e: x*x' + y*y' = 0\nguess y = -1\n", -1},
        {"coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential x^2 + y^2 + z^2\nconstraint c: x = y\nconstraint d: z*(x - y) = 0\nconstraint e: y = z + (x - y)^2\n", -1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s;
        if (!subject_text(&s, cases[k].text) || !subject_find(&s, NULL, NULL) || !subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) return;
        CHECK(s.l->lost == cases[k].row);
        CHECK((mech_linear_doubt(s.l) != NULL) == (cases[k].row >= 0));
        if (s.l->lost != cases[k].row) fprintf(stderr, "case %zu: row %d\n", k, s.l->lost);
        subject_free(&s);
    }
}

/* y = s and y = z with different rates leave no motion but y = s = z = 0: the accelerations do not show it, and the tangent space leaks. */
static void two_states(void)
{
    subject s;
    if (!subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\nstate s: s' = -s + x\nstate z: z' = -2*z + x\npotential (2*x^2 + y^2)/2\n"
                          "constraint c: y = s\nconstraint d: y = z\n") ||
        !subject_find(&s, NULL, NULL) || !subject_linearize(&s, s.e->q, s.e->v, NULL, NULL))
        return;
    CHECK(s.l->leak > 0.1 && mech_linear_doubt(s.l) && strstr(mech_linear_doubt(s.l), "leaves the constraints"));
    subject_free(&s);
}

int main(void)
{
    unstable_filter();
    equilibrium_of_states();
    random_models();
    lost_rank();
    two_states();
    return check_report();
}
