/* One instant of the models of the documents and the reference problems, from their texts. */
#include "unit/dynamics/instant_helpers.h"

/* Document 002's hoop: nature's weight and the document's (seeds/README, point 4). */
static void hoop(void)
{
    bench_model b;
    open_file(&b, "examples/hoop-on-cylinder/model-two-coordinates.mech", 0);
    b.q[0] = 0.7;
    b.at.weight = MECH_WEIGHT_NATURE;
    const mech_instant_result *r = solved(&b);
    CHECK_NEAR(r->qdd[0], 9.8 / 2.4 * sin(0.7), 1e-14);
    CHECK_NEAR(r->qdd[0] / sin(0.7), 4.08333, 1e-6);
    CHECK_NEAR(r->diagnosis->work_Qi[0], 0, 1e-14);
    CHECK(r->rank == 1 && r->dof == 1 && !r->is_reweighted);
    const double zwang = r->zwang;
    b.at.weight = MECH_WEIGHT_IDENTITY;
    r = solved(&b);
    CHECK_NEAR(r->qdd[0], 9.8 * 1.2 / (0.04 + 1.44) * sin(0.7), 1e-14);
    CHECK_NEAR(r->qdd[0] / sin(0.7), 7.94595, 1e-6);
    CHECK_NEAR(r->Qi[0], -9.8 / 2.4 / (1 / 5.76 + 6.25) * sin(0.7), 1e-14); /* the smaller force ... */
    CHECK(fabs(r->diagnosis->work_Qi[0]) > 1);                              /* ... but it works along the motion */
    CHECK(r->is_reweighted && r->rank == 1 && r->zwang > zwang);
    CHECK(isnan(r->lambda[0]) && r->Qc[0] == 0);
    CHECK_NEAR(r->residual, 0, 1e-13);
    const double W[4] = {1 / 2.88, 0, 0, 1 / 0.08}; /* M^-1 given as a matrix is nature again */
    b.at.weight = MECH_WEIGHT_GIVEN;
    b.at.W = W;
    r = solved(&b);
    CHECK_NEAR(r->qdd[0], 9.8 / 2.4 * sin(0.7), 1e-13);
    CHECK_NEAR(r->diagnosis->work_Qi[0], 0, 1e-13);
    close_bench(&b);
}

/* PROBLEMS.md section 1: Andrews at t = 0. There M q'' = f - G' lambda, so the signs of lambda turn round. */
static void andrews(void)
{
    bench_model b;
    open_file(&b, "examples/andrews/model.mech", 0);
    const mech_instant_result *r = solved(&b);
    const double qdd[7] = {14222.4439199541138705911625887, -10666.8329399655854029433719415};
    const double lambda[6] = {-98.5668703962410896057654982170, 6.12268834425566265503114393122};
    for (int i = 0; i < 7; i++) CHECK(fabs(r->qdd[i] - qdd[i]) <= 1e-12 * 14222.4);
    for (int i = 0; i < 6; i++) CHECK(fabs(r->lambda[i] - lambda[i]) <= 1e-12 * 98.6);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(r->qdd[i] / qdd[i], 1, 1e-12);
        CHECK_NEAR(r->lambda[i] / lambda[i], 1, 1e-12);
    }
    CHECK(r->rank == 6 && r->dof == 1 && r->groups == 3 && r->diagnosis->unique_force[0]);
    close_bench(&b);
}

/* PROBLEMS.md section 5.4: SymPy's four-bar. */
static void four_bar(void)
{
    bench_model b;
    open_file(&b, "examples/four-bar-sympy/model.mech", 0);
    const double v[3] = {0.2, -0.17963733938852067, 0.1309060540601612};
    const double qdd[3] = {0.00487581357677012, -0.01990180857174701, 0.01218057311407353};
    const double force[3] = {0.216273469079666, 0.254331229713589, 0.0185834920370341};
    memcpy(b.v, v, sizeof v);
    const mech_instant_result *r = solved(&b);
    for (int i = 0; i < 3; i++) {
        CHECK(fabs(r->qdd[i] - qdd[i]) <= 1e-12 * 0.02);
        CHECK(fabs(r->Qi[i] - force[i]) <= 1e-12);
    }
    CHECK(r->drift < 1e-12 && r->drift_rate < 1e-12);
    close_bench(&b);
}

/* PROBLEMS.md section 6, point 5: Udwadia and Kalaba's particle with a constraint that drags. */
static void drag(void)
{
    bench_model b;
    open_file(&b, "examples/uk-nonideal/model.mech", 0);
    const double Qni[3] = {-0.46303348, -0.23151674, 0.13891004}, qdd[3] = {-0.18303348, -0.39151674, 0.23891004};
    const mech_instant_result *r = solved(&b);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(r->Qni[i], Qni[i], 1e-8);
        CHECK_NEAR(r->qdd[i], qdd[i], 1e-8);
    }
    CHECK_NEAR(r->Qi[0], -0.02, 1e-14);
    CHECK_NEAR(r->Qi[1], 0.04, 1e-14);
    CHECK(r->law_z && fabs(r->law_z[0] - r->C[0]) < 1e-14); /* unit mass */
    close_bench(&b);
}

/* DESIGN section 1: friction loads its own contact. */
static void sliding_rod(void)
{
    bench_model b;
    open_file(&b, "examples/sliding-rod/model.mech", 0);
    const mech_instant_result *r = solved(&b);
    CHECK_NEAR(r->qdd[2], 0.64594519482, 1e-10);
    CHECK_NEAR(r->reaction[0], 9.98278958297, 1e-10);
    CHECK_NEAR(r->output[0], r->reaction[0], 1e-14);
    CHECK_NEAR(r->law[0].normal, r->reaction[0], 1e-14);
    CHECK(r->law[0].mode == MECH_FRICTION_MODE_SLIDES);
    for (int i = 0; i < 3; i++) CHECK_NEAR(r->law[0].Qni[i], r->Qni[i], 1e-13);
    set_param(&b, "mu", 1.8);
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_NO_REACTION);
    CHECK(says(&b, "'ground'") && says(&b, "Painleve"));
    b.v[0] = -10, b.v[1] = 5 * cos(1.3), b.v[2] = 5; /* turning so fast that the contact pulls: two answers */
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_MANY_REACTIONS);
    CHECK(says(&b, "more than one reaction of 'ground'"));
    close_bench(&b);
    open_file(&b, "examples/sliding-rod/model-ideal-load.mech", 0);
    r = solved(&b);
    CHECK_NEAR(r->qdd[2], -0.71518710, 1e-8); /* the common mistake has the wrong sign */
    CHECK_NEAR(r->lambda[0], 8.07628843983, 1e-10);
    close_bench(&b);
}

/* Contradictions are named, all of them and nobody else. */
static void conflicts(void)
{
    static const char text[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "constraint first: x' = t\nconstraint innocent: y' = 0\nconstraint second: x' = 2*t\n";
    bench_model b;
    open_text(&b, text, 0);
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_CONFLICT);
    CHECK(says(&b, "'first'") && says(&b, "'second'"));
    char *words = mech_instant_explain(b.instant);
    CHECK(words && !strstr(words, "innocent"));
    mech_text_free(words);
    const mech_instant_result *r = mech_instant_get(b.instant);
    CHECK(r->diagnosis->conflicts == 1 && r->qdd[0] > 1 && r->qdd[0] < 2); /* there all the same: a compromise */
    b.at.skip_diagnosis = 1;
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_CONFLICT && says(&b, "'second'"));
    /* released, the contradiction is gone */
    CHECK(mech_eval_set_active(mech_instant_eval(b.instant), 2, 0) == MECH_OK);
    r = solved(&b);
    CHECK_NEAR(r->qdd[0], 1, 1e-14);
    close_bench(&b);
}

/* Masses and constraints that leave a coordinate undetermined. */
static void singular(void)
{
    bench_model b;
    open_text(&b, "coord x, y, s\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint odd: x*s = 0\n", 0);
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_SINGULAR_MASS);
    CHECK(says(&b, "leave s undetermined"));
    close_bench(&b);
    open_text(&b, "coord x, y, s\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint slider: s = 2*x\n", 0);
    const mech_instant_result *r = solved(&b);
    CHECK((r->flags & MECH_FUNDAMENTAL_SINGULAR_MASS) && isnan(r->a[0]) && isnan(r->zwang) && !r->diagnosis->T);
    CHECK_NEAR(r->qdd[1], -9.81, 1e-14);
    close_bench(&b);
    open_text(&b, "coord x\nkinetic x'^2/2\npotential 1/x\n", 0);
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_NOT_FINITE && says(&b, "Q[x] is"));
    close_bench(&b);
}

/* Control: weights on two carts (x2'' - x1'' = g), and actuators that cannot. */
static void control(void)
{
    bench_model b;
    open_file(&b, "examples/path-following/model-two-carts.mech", 0);
    b.at.t = 0.5;
    const double gap = -0.1 * 4 * sin(1.0); /* c sin(w t), twice differentiated */
    static const double gains[2] = {2, 1};
    b.at.gains = gains; /* off its path it comes to it like r'' = -2 r' - r */
    const mech_instant_result *r = solved(&b);
    CHECK_NEAR(r->qdd[1] - r->qdd[0], gap - 2 * (0.2 - 0.2 * cos(1.0)) + 0.1 * sin(1.0), 1e-14);
    CHECK(!r->off_path[0]);
    b.at.gains = NULL; /* and without gains not at all */
    r = solved(&b);
    CHECK(r->off_path[0]);
    CHECK(r->weight == MECH_WEIGHT_IDENTITY && r->actuators == 2 && r->servo_rank == 1);
    CHECK_NEAR(r->qdd[1] - r->qdd[0], gap, 1e-14);
    CHECK_NEAR(r->u[0] / r->u[1], -3, 1e-13); /* u ~ A M^-1: the lighter cart works */
    b.at.weight = MECH_WEIGHT_NATURE;
    r = solved(&b);
    CHECK_NEAR(r->u[0] + r->u[1], 0, 1e-14); /* nature pulls both alike */
    CHECK_NEAR(r->qdd[1] - r->qdd[0], gap, 1e-14);
    close_bench(&b);
    open_file(&b, "examples/path-following/model-crane.mech", 0);
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_NOT_REALISABLE);
    CHECK(says(&b, "'path'") && says(&b, "relative degree"));
    b.at.weight = MECH_WEIGHT_NATURE;
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_ARGUMENT && says(&b, "actuators"));
    close_bench(&b);
}

/* Inverse dynamics: what is given is reached by the actuators, the rest follows. */
static void inverse(void)
{
    bench_model b;
    double given[2] = {1, -2};
    open_file(&b, "examples/path-following/model.mech", MECH_INSTANT_INVERSE);
    b.q[0] = 1.2, b.q[1] = -0.5, b.v[0] = 0.3, b.v[1] = 0.7;
    b.at.given = given;
    const mech_instant_result *r = solved(&b);
    CHECK(r->u && r->actuators == 2 && r->dof == 0);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(r->qdd[i], given[i], 1e-13);
        CHECK_NEAR(r->M[i] * given[0] + r->M[i + 2] * given[1], r->Q[i] + r->Qc[i], 1e-12);
    }
    CHECK_NEAR(r->u[0] - r->u[1], r->Qc[0], 1e-12); /* G = [1 -1; 0 1] */
    CHECK_NEAR(r->u[1], r->Qc[1], 1e-12);
    given[1] = (double)NAN; /* the elbow follows */
    r = solved(&b);
    CHECK_NEAR(r->qdd[0], 1, 1e-13);
    CHECK(r->dof == 1);
    b.at.given = NULL;
    r = solved(&b); /* the model's own control again */
    CHECK_NEAR(r->residual, 0, 1e-12);
    close_bench(&b);
}

/* The constraints by themselves: no law, no friction, no control; what is known of them where there is no solution; and
   rows that contradict one another are found without being asked for. */
static void constraints_alone(void)
{
    bench_model b;
    mech_instant *inverse = NULL;
    open_text(&b,
              "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce 3 on x'\npotential 9.81*y\nconstraint floor: y = 0\n"
              "constraint again: 2*y = 0\nfriction on floor: 0.3, along x'\nnonideal on floor: [x, y] = [-x', 0]\n"
              "control path: x = t^2\ninitial x' = 1\n",
              MECH_INSTANT_CONSTRAINTS);
    const mech_instant_result *r = solved(&b);
    CHECK(r->rows == 3 && r->laws == 0 && r->groups == 3 && r->rank == 1 && r->dof == 1 && !r->active[2]);
    CHECK_NEAR(r->qdd[0], 3, 1e-14);
    CHECK_NEAR(r->qdd[1], 0, 1e-14);
    CHECK_NEAR(r->a[1], -9.81, 1e-14);
    CHECK(r->diagnosis->redundant[1] && !r->diagnosis->unique_lambda[0]);
    CHECK(mech_instant_create(b.system, MECH_INSTANT_CONSTRAINTS | MECH_INSTANT_INVERSE, &inverse) ==
          MECH_ERR_ARGUMENT);
    close_bench(&b);
    open_text(&b,
              "coord x, y, s\nkinetic (x'^2 + y'^2)/2\nconstraint odd: x*s = 0\nconstraint rail: y = 0\n"
              "constraint again: 2*y = 0\n",
              MECH_INSTANT_CONSTRAINTS);
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_SINGULAR_MASS && says(&b, "leave s undetermined"));
    r = mech_instant_get(b.instant);
    CHECK(r->diagnosis && r->diagnosis->rank == 1 && r->diagnosis->redundant[0] && r->diagnosis->redundant[2]);
    close_bench(&b);
    open_text(&b, "coord x\nkinetic x'^2/2\nconstraint a: x'' = 1\nconstraint b: 2*x'' = 3\n",
              MECH_INSTANT_CONSTRAINTS);
    b.at.skip_diagnosis = 1;
    CHECK(mech_instant_solve(b.instant, &b.at) == MECH_ERR_CONFLICT && says(&b, "'a' and 'b' contradict"));
    close_bench(&b);
}

/* A block between a floor and a wall, pulled away from the wall or pressed onto it: of two that touch those that press
   bear what presses them, and what is let go moves. */
static void one_sided(void)
{
    bench_model b;
    open_text(&b,
              "param F = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + F*x\nconstraint floor: y >= 0\n"
              "constraint wall: x >= 0\n",
              0);
    for (int way = 1; way >= -1; way -= 2) {
        set_param(&b, "F", way);
        const mech_instant_result *r = solved(&b);
        CHECK(r->rank == (way > 0 ? 2 : 1) && r->dof == 2 - r->rank);
        CHECK_NEAR(r->lambda[0], 9.81, 1e-14);
        CHECK_NEAR(r->qdd[0], way > 0 ? 0 : 1, 1e-14);
        CHECK_NEAR(r->qdd[1], 0, 1e-14);
        CHECK_NEAR(r->Qi[0], way > 0 ? 1 : 0, 1e-14);
    }
    close_bench(&b);
}

/* Where a contact touches does not depend on the unit it is written in: at half of ten times atol it does, a millionth
   above the floor it does not. */
static void touches_in_any_unit(void)
{
    static const double units[] = {1, 1e6, 1e-6};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (int above = 0; above < 2; above++) {
            bench_model b;
            char text[200];
            snprintf(text, sizeof text, "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: %.17g*y >= 0\n",
                     units[i]);
            open_text(&b, text, 0);
            b.q[0] = above ? 1e-6 : 5e-12;
            const mech_instant_result *r = solved(&b);
            CHECK_NEAR(r->qdd[0], above ? -9.81 : 0, 1e-12);
            if (!above) CHECK_NEAR(r->lambda[0] * units[i], 9.81, 1e-12);
            close_bench(&b);
        }
}

int main(void)
{
    one_sided();
    touches_in_any_unit();
    constraints_alone();
    hoop();
    andrews();
    four_bar();
    drag();
    sliding_rod();
    conflicts();
    singular();
    control();
    inverse();
    return check_report();
}
