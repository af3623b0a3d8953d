/* Reads "t q... v... z... u... u'... u''..." from standard input for each state, prints what exported code says of it:
   status, qdd, A' lambda, outputs, rates of the states, Jacobian. Compiled with -DNAME=..., -include of its header;
   -DSETTLES: there is friction, -DSLOPES: it has a Jacobian. */
#include <stdio.h>

#define JOIN(a, b) a##b
#define PASTE(a, b) JOIN(a, b)
#define OF(name) PASTE(NAME, name)

enum { N = OF(_COORDS), M = OF(_ROWS), Z = OF(_STATES), U = OF(_INPUTS), Y = OF(_OUTPUTS), SIZE = 2 * N + Z };

static int read_numbers(double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (scanf("%lf", &x[i]) != 1) return 0;
    return 1;
}

int main(void)
{
    static NAME s;
    static double y[SIZE + 1], u[3 * U + 1], qdd[N + 1], lambda[M + 1], out[Y + 1], dot[SIZE + 1];
#ifdef SLOPES
    static double J[SIZE * SIZE + 1];
#endif
    double t;
    while (read_numbers(&t, 1) && read_numbers(y, SIZE) && read_numbers(u, 3 * U)) {
        int status = 0;
        OF(_start)(&s); /* friction begins anew at each */
#ifdef SETTLES
        status = OF(_settle)(&s, t, y, y + N, y + 2 * N, u);
#endif
        if (status >= 0) status = OF(_acceleration)(&s, t, y, y + N, y + 2 * N, u, qdd, lambda);
        printf("%d", status);
        OF(_outputs)(&s, t, y, y + N, y + 2 * N, u, qdd, lambda, out);
        OF(_equation)(&s, t, y, y + N, y + 2 * N, u);
        for (int i = 0; i < N; i++) printf(" %.17g", qdd[i]);
        for (int i = 0; i < N; i++) {
            double force = 0;
            for (int k = 0; k < M; k++) force += s.A[k + i * M] * lambda[k];
            printf(" %.17g", force);
        }
        for (int i = 0; i < Y; i++) printf(" %.17g", out[i]);
        OF(_derivative)(&s, t, y, u, dot);
        for (int i = 0; i < Z; i++) printf(" %.17g", dot[2 * N + i]);
#ifdef SLOPES
        OF(_jacobian)(&s, t, y, u, J);
        for (int i = 0; i < SIZE * SIZE; i++) printf(" %.17g", J[i]);
#endif
        printf("\n");
    }
    return 0;
}
