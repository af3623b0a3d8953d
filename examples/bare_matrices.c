/* Door 1: bare matrices. A pendulum in Cartesian coordinates whose length is stated twice, with a rough pin.

   Lesson: hand over M, Q, A, b as they are, redundant rows included, and read off the motion and every force.
 */
#include <mech/fundamental.h>

#include <math.h>
#include <stdio.h>

static void show(const char *name, int count, const double *x)
{
    printf("%-8s", name);
    for (int i = 0; i < count; i++) printf(" %12.6f", x[i]);
    printf("\n");
}

/* What went wrong, in a sentence, and who is behind it. */
static int report(const mech_fundamental *solver, mech_status status)
{
    int count = 0;
    const int *who = solver ? mech_fundamental_culprits(solver, &count) : NULL;
    fprintf(stderr, "error: %s", mech_status_text(status));
    for (int i = 0; i < count; i++) fprintf(stderr, "%s %d", i ? "," : " (index", who[i]);
    fprintf(stderr, count ? ")\n" : "\n");
    return 1;
}

int main(void)
{
    enum { N = 2, ROWS = 2 };
    const double m = 2, g = 9.81, x = 0.6, y = -0.8, vx = 0.8, vy = 0.6; /* length 1, speed 1 */
    const double speed = sqrt(vx * vx + vy * vy);

    /* M q'' = Q; x^2 + y^2 = 1, and once more doubled. Differentiated twice: A q'' = b. Columns first. */
    const double M[N * N] = {m, 0, 0, m};
    const double Q[N] = {0, -m * g};
    const double A[ROWS * N] = {x, 2 * x, y, 2 * y};
    const double b[ROWS] = {-speed * speed, -2 * speed * speed};

    double qdd[N], Qi[N], Qni[N], lambda[ROWS];
    const mech_fundamental_input equation = {.size = sizeof equation, .M = M, .Q = Q, .A = A, .b = b};
    mech_fundamental_output result = {.size = sizeof result, .qdd = qdd, .Qi = Qi, .Qni = Qni, .lambda = lambda};

    mech_fundamental *solver = NULL;
    mech_status status = mech_fundamental_create(N, ROWS, NULL, &solver); /* the only call that allocates */
    if (status == MECH_OK) status = mech_fundamental_ideal(solver, &equation, &result);
    if (status != MECH_OK) {
        const int code = report(solver, status);
        mech_fundamental_free(solver);
        return code;
    }
    printf("smooth pin: rank %d of %d rows%s\n", result.rank, ROWS,
           result.flags & MECH_FUNDAMENTAL_REDUNDANT ? ", redundant: lambda is the least-norm choice" : "");
    show("q''", N, qdd);
    show("Qi", N, Qi);
    show("lambda", ROWS, lambda);

    /* The pin is rough: friction of 0.1 times the ideal force, against the velocity. Same factors, second
     * phase. */
    const double friction = 0.1 * sqrt(Qi[0] * Qi[0] + Qi[1] * Qi[1]);
    const double C[N] = {-friction * vx / speed, -friction * vy / speed};
    status = mech_fundamental_nonideal(solver, C, &result);
    if (status != MECH_OK) {
        const int code = report(solver, status);
        mech_fundamental_free(solver);
        return code;
    }
    printf("rough pin\n");
    show("q''", N, qdd);
    show("Qni", N, Qni);
    mech_fundamental_free(solver);

    /* by hand: the rod pulls with m (v^2 + g cos) = m (1 + 0.8 g) towards the pin */
    const double pull = m * (1 + 0.8 * g);
    return fabs(Qi[0] + pull * x) < 1e-12 && fabs(Qni[0] + 0.1 * pull * vx) < 1e-12 ? 0 : 1;
}
