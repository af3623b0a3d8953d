/* How the work of deriving grows with the length of a chain, in sums made, which no machine changes: as a power of it
   by the energies, in whatever way they are written, and with its square at most by a recursion. */
#include "check.h"
#include "support/chain.h"

#include <mech/lang.h>

#include "base/text.h"

typedef struct work {
    double sums, nodes;
} work;

static work of_model(mech_model *m)
{
    const work w = {(double)m->pool->sum_count, (double)mech_pool_size(m->pool)};
    mech_model_free(m);
    return w;
}

static work by_calls(chain_way way, size_t n, int literal)
{
    mech_diagnostics *list = mech_diagnostics_create();
    const work w = of_model(chain_model(way, n, 0, literal, list));
    mech_diagnostics_free(list);
    return w;
}

/* Places by rotation matrices, from which primes make all velocities: what one writes first. */
static work by_text(int n)
{
    textbuf text = {0};
    text_add(&text, "param g = 9.81, m = 1, l = 0.5, Ix = 0.1, Iy = 0.2, Iz = 0.3\n"
                    "let r1(a) = [[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]]\n"
                    "let r2(a) = [[cos(a), 0, sin(a)], [0, 1, 0], [-sin(a), 0, cos(a)]]\n"
                    "let r0(a) = [[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]]\n"
                    "let R0 = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\nlet P0 = [0, 0, 0]\n");
    for (int i = 1; i <= n; i++) {
        text_format(&text, "coord q%d\nlet R%d = R%d*r%d(q%d)\nlet P%d = P%d + R%d*[l, 0, 0]\n", i, i, i - 1, i % 3, i,
                    i, i - 1, i);
        text_format(&text, "let c%d = P%d + R%d*[l/2, 0.1*l, 0]\nlet S%d = transpose(R%d)*R%d'\n", i, i - 1, i, i, i,
                    i);
        text_format(
            &text,
            "kinetic m/2*dot(c%d', c%d') + Ix/2*S%d[3,2]^2 + Iy/2*S%d[1,3]^2 + Iz/2*S%d[2,1]^2\npotential m*g*c%d[3]\n",
            i, i, i, i, i, i);
    }
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    CHECK(!text.failed && mech_read_text("chain", text.data, text.length, NULL, list, &m) == MECH_OK);
    const work w = m ? of_model(m) : (work){0, 0};
    mech_diagnostics_free(list);
    text_free(&text);
    return w;
}

/* The power of the length from one to the other. */
static double power(double few, double many, double times) { return log(many / few) / log(times); }

static void at_most(work few, work many, double times, double most)
{
    const double sums = power(few.sums, many.sums, times), nodes = power(few.nodes, many.nodes, times);
    if (!(sums <= most && nodes <= most)) fprintf(stderr, "sums grow by the power %.2f, nodes by %.2f\n", sums, nodes);
    CHECK(few.sums > 0 && sums <= most && nodes <= most);
}

int main(void)
{
    const work energy = by_calls(CHAIN_KINETIC, 10, 0), text = by_text(10);
    at_most(energy, by_calls(CHAIN_KINETIC, 20, 0), 2, 4);
    at_most(energy, by_calls(CHAIN_KINETIC, 30, 0), 3, 4);
    at_most(text, by_text(20), 2, 4);
    at_most(text, by_text(30), 3, 4);
    for (int literal = 0; literal < 2; literal++) {
        const work recursion = by_calls(CHAIN_INERTIA, 25, literal);
        at_most(recursion, by_calls(CHAIN_INERTIA, 50, literal), 2, 2);
        at_most(recursion, by_calls(CHAIN_INERTIA, 100, literal), 4, 2);
        CHECK(recursion.sums < 10000);
    }
    return check_report();
}
