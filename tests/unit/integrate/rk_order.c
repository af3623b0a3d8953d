/* The coefficients against the order conditions: for every rooted tree t up to the order,
   sum_i b_i Phi_i(t) = 1/gamma(t) (Butcher). No number here was copied from the tables' source. */
#include "check.h"
#include "integrate/rk_tables.h"

enum { MAX_ORDER = 8 };

/* A rooted tree by its level sequence; subtrees follow their root. */
typedef struct tree {
    int order;
    int level[MAX_ORDER];
} tree;

/* Next level sequence of the same order in Beyer and Hedetniemi's enumeration; 0 after the last. */
static int next_tree(tree *t)
{
    int p = t->order - 1;
    while (p > 0 && t->level[p] == 1) p--;
    if (p <= 0) return 0;
    int q = p - 1;
    while (t->level[q] != t->level[p] - 1) q--;
    for (int i = p; i < t->order; i++) t->level[i] = t->level[i - (p - q)];
    return 1;
}

/* Elementary weight of the subtree at `root`, for each stage; returns one past the subtree. */
static int weights(const rk_tableau *k, const tree *t, int root, double phi[RK_MAX_STAGES], double *gamma)
{
    int child = root + 1;
    double product[RK_MAX_STAGES], density = 1;
    for (int i = 0; i < k->dense_stages; i++) product[i] = 1;
    while (child < t->order && t->level[child] > t->level[root]) {
        double inner[RK_MAX_STAGES], inner_gamma;
        child = weights(k, t, child, inner, &inner_gamma);
        density *= inner_gamma;
        for (int i = 0; i < k->dense_stages; i++) {
            double sum = 0;
            for (int j = 0; j < i; j++) sum += k->a[i][j] * inner[j];
            product[i] *= sum;
        }
    }
    for (int i = 0; i < k->dense_stages; i++) phi[i] = product[i];
    *gamma = density * (child - root);
    return child;
}

/* Weights of the interpolant at s: the dense output of rk.c applied to unit slopes. */
static void dense_weights(const rk_tableau *k, double s, double w[RK_MAX_STAGES])
{
    for (int j = 0; j < k->dense_stages; j++) {
        const double b = j < k->stages ? k->a[k->stages][j] : 0, last = j == k->stages;
        const double bend = (j == 0) - b;
        const double c[8] = {0, b, bend, b - last - bend, k->d[0][j], k->d[1][j], k->d[2][j], k->d[3][j]};
        double value = c[3 + k->dense_rows];
        for (int i = 2 + k->dense_rows; i >= 0; i--) value = c[i] + (i % 2 == 0 ? s : 1 - s) * value;
        w[j] = value;
    }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void check_tree(const rk_tableau *k, const tree *t, int error_order, int error3_order)
{
    double phi[RK_MAX_STAGES], gamma, w[RK_MAX_STAGES];
    weights(k, t, 0, phi, &gamma);
    if (t->order <= k->order) CHECK_NEAR(dot(k->a[k->stages], phi, k->stages), 1 / gamma, 1e-14);
    if (t->order <= error_order) CHECK_NEAR(dot(k->e, phi, k->dense_stages), 0, 1e-14);
    if (t->order <= error3_order) CHECK_NEAR(dot(k->e3, phi, k->dense_stages), 0, 1e-14);
    if (t->order <= k->dense_order) {
        for (double s = 0; s <= 1; s += 0.125) {
            dense_weights(k, s, w);
            CHECK_NEAR(dot(w, phi, k->dense_stages), pow(s, t->order) / gamma, 1e-13);
        }
    }
}

static int check_pair(const rk_tableau *k, int error_order, int error3_order)
{
    int trees = 0;
    for (int i = 0; i < k->dense_stages; i++) { /* row sums */
        double sum = 0;
        for (int j = 0; j < i; j++) sum += k->a[i][j];
        CHECK_NEAR(sum, k->c[i], 1e-14);
    }
    for (int order = 1; order <= k->order; order++) {
        tree t = {.order = order};
        for (int i = 0; i < order; i++) t.level[i] = i;
        do {
            check_tree(k, &t, error_order, error3_order);
            trees++;
        } while (next_tree(&t));
    }
    return trees;
}

int main(void)
{
    CHECK(check_pair(&rk_dormand_prince5, 4, 0) == 1 + 1 + 2 + 4 + 9);
    CHECK(check_pair(&rk_dormand_prince8, 5, 3) == 1 + 1 + 2 + 4 + 9 + 20 + 48 + 115);
    return check_report();
}
