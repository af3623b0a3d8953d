/* Property: the derived M, Q, A, b, r', a_0, h, its power, C and G agree with what dual numbers make of the
   energies, forces and residuals, at random states of random systems and of every shipped model; and what
   the pool builds has the value of the tree it was built from. `derive SEED` repeats one system. */
#include <glob.h>

#include <mech/lang.h>

#include "check.h"
#include "support/random_system.h"

enum { SYSTEMS = 400, STATES = 2 };
static const long double TOLERANCE = 1e-12L;

static const char *const quantities[] = {"built", "M", "Q", "A", "b", "r'", "a_0", "h", "power", "C", "G"};
enum { BUILT, M_ENTRY, Q_ENTRY, A_ENTRY, B_ENTRY, R_DOT, A_0, ENERGY, POWER, C_ENTRY, G_ENTRY, QUANTITIES };
static long double worst[QUANTITIES];
static size_t compared[QUANTITIES];
static const char *subject; /* what is being checked, for the messages */

/* Where the reference itself is finite and not huge. */
static void compare(int quantity, size_t i, size_t j, long double got, long double want)
{
    if (!isfinite(want) || fabsl(want) > 1e8L) return;
    const long double error = fabsl(got - want) / (1 + fabsl(want));
    compared[quantity]++;
    check_count++;
    if (error > worst[quantity]) worst[quantity] = error;
    if (error <= TOLERANCE) return; /* NaN fails */
    check_failures++;
    fprintf(stderr, "%s: %s(%zu, %zu) = %.18Lg, want %.18Lg\n", subject, quantities[quantity], i, j, got, want);
}

/* ---- the quantities of one state ---- */

static long double check_mass(reference *r, size_t i, size_t j)
{
    const long double want = reference_M(r, i, j);
    compare(M_ENTRY, i, j, value_of(&r->at, mech_model_M(r->at.m, i, j)), want);
    return want;
}

/* All of M of a small system, with which the free motion q'' = M^-1 Q is found: 1 and Q is that. */
static int check_small(reference *r, long double *Q)
{
    enum { SMALL = 12 };
    const size_t n = r->at.m->coords_count;
    long double M[SMALL * SMALL];
    if (n > SMALL) return 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) M[i * n + j] = check_mass(r, i, j);
    long double kept[SMALL];
    memcpy(kept, Q, n * sizeof *Q);
    if (solve(M, Q, n)) return 1;
    memcpy(Q, kept, n * sizeof *Q);
    return 0;
}

static void check_motion(reference *r)
{
    const mech_model *m = r->at.m;
    const size_t n = m->coords_count;
    long double *Q = malloc((n + 1) * sizeof *Q), h, rate;
    for (size_t i = 0; i < n; i++) {
        Q[i] = reference_Q(r, i);
        compare(Q_ENTRY, i, 0, value_of(&r->at, mech_model_Q(m, i)), Q[i]);
    }
    const int is_free = check_small(r, Q);
    for (size_t k = 0; n > 12 && k < 400; k++) { /* of a large one what stands in M, and other places */
        const model_entry *e = &m->equations.M.items[random_below(m->equations.M.count)];
        if (k % 2) (void)check_mass(r, random_below(n), random_below(n));
        else (void)check_mass(r, e->row, e->column);
    }
    reference_energy(r, is_free ? Q : NULL, &h, &rate);
    compare(ENERGY, 0, 0, value_of(&r->at, m->equations.energy), h);
    /* dh/dt = power + v.(M q'' - Q), here with q'' = 0 */
    for (size_t i = 0; i < n && !is_free; i++) rate += Q[i] * place_at(&r->at, m->coords[i].v)->c[0];
    compare(POWER, 0, 0, value_of(&r->at, m->equations.power), rate);
    free(Q);
}

static void check_row(reference *r, size_t row)
{
    const mech_model *m = r->at.m;
    const model_level level = m->rows[row].level;
    const size_t order = level == MODEL_HOLONOMIC ? 2 : level == MODEL_NONHOLONOMIC ? 1 : 0;
    long double still[3], pushed[3], velocity_form = 0;
    reference_row(r, row, SIZE_MAX, still);
    compare(B_ENTRY, row, 0, value_of(&r->at, mech_model_b(m, row)), -still[order]);
    for (size_t j = 0; j < m->coords_count; j++) {
        const mech_expr derived = mech_model_A(m, row, j);
        if (m->coords_count > 40 && expr_is_zero(derived) && random_below(40)) continue;
        reference_row(r, row, j, pushed);
        const long double entry = value_of(&r->at, derived);
        compare(A_ENTRY, row, j, entry, pushed[order] - still[order]);
        velocity_form += entry * r->at.value[place_number(&r->at, m->coords[j].v)].c[0];
    }
    if (level != MODEL_ACCELERATION)
        compare(R_DOT, row, 0, value_of(&r->at, m->equations.r_dot[row]), still[order - 1]);
    const mech_expr a0 = mech_model_a0(m, row);
    if (a0.id) compare(A_0, row, 0, value_of(&r->at, a0) + velocity_form, still[order - 1]);
}

static void check_laws(reference *r)
{
    const mech_model *m = r->at.m;
    for (size_t law = 0; law < m->laws_count; law++) {
        for (size_t i = 0; i < m->coords_count; i++) {
            long double sum = 0;
            for (size_t k = 0; k < m->laws[law].count; k++)
                sum += slope_by(r, m->laws[law].position[k], m->coords[i].q) * value_of(&r->at, m->laws[law].force[k]);
            compare(C_ENTRY, i, law, value_of(&r->at, model_entry_at(&m->equations.C, i, law)), sum);
        }
    }
    for (size_t k = 0; k < m->actuators_count; k++)
        for (size_t i = 0; i < m->coords_count; i++)
            compare(G_ENTRY, i, k, value_of(&r->at, model_entry_at(&m->equations.G, i, k)),
                    slope_by(r, m->actuators[k].velocity, m->coords[i].v));
}

static void check_state(reference *r)
{
    const size_t rows = r->at.m->rows_count;
    check_motion(r);
    for (size_t row = 0; row < rows; row += 1 + rows / 80) check_row(r, row);
    check_laws(r);
}

/* Each symbol gets a value; parameters near their own. */
static void choose_state(reference *r)
{
    const mech_pool *p = r->at.m->pool;
    for (size_t i = 0; i < p->symbol_count; i++) r->at.value[i] = dual_number(random_in(-1.2L, 1.2L));
    for (size_t i = 0; i < r->at.m->params_count; i++)
        *place_at(&r->at, r->at.m->params[i].symbol) =
            dual_number((long double)r->at.m->params[i].number * random_in(0.9L, 1.1L));
    for (size_t i = 0; i < r->at.m->coords_count; i++) *place_at(&r->at, r->at.m->coords[i].a) = dual_number(0);
}

/* ---- random systems ---- */

/* What the pool built against the trees, value and derivatives along the motion. */
static void check_built(const random_system *s, reference *r)
{
    for (size_t k = 0; k < s->given_count; k++) {
        dual_parts = 1;
        for (size_t i = 0; i < s->n; i++) *place_at(&r->at, s->m->coords[i].a) = dual_number(random_in(-1, 1));
        place_move(&r->moved, &r->at, 0);
        const dual want = tree_value(&r->moved, s->given[k], 1), got = evaluate(&r->moved, trees[s->given[k]].e);
        compare(BUILT, k, 0, got.c[0], want.c[0]);
        compare(BUILT, k, 1, got.c[1], want.c[1]);
        for (size_t i = 0; i < s->n; i++) *place_at(&r->at, s->m->coords[i].a) = dual_number(0);
    }
}

static void random_one(uint64_t seed)
{
    char text[64];
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    random_system s;
    random_state = seed;
    snprintf(text, sizeof text, "seed %llu", (unsigned long long)seed);
    subject = text;
    CHECK(mech_model_create(list, &m) == MECH_OK);
    mech_status status = random_system_create(&s, m);
    if (status == MECH_OK) status = mech_model_finish(m);
    CHECK(status == MECH_OK);
    if (status != MECH_OK) {
        char *messages = mech_diagnostics_format(list);
        fprintf(stderr, "%s: %s\n", subject, messages);
        mech_text_free(messages);
    }
    for (int k = 0; k < STATES && status == MECH_OK; k++) {
        reference r = reference_create(m);
        choose_state(&r);
        check_built(&s, &r);
        check_state(&r);
        reference_free(&r);
    }
    mech_model_free(m);
    mech_diagnostics_free(list);
}

/* ---- shipped models ---- */

static void shipped_one(const char *path)
{
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    subject = path;
    random_state = 1;
    CHECK(mech_read_file(path, NULL, list, &m) == MECH_OK);
    for (int k = 0; k < STATES && m; k++) {
        reference r = reference_create(m);
        choose_state(&r);
        check_state(&r);
        reference_free(&r);
    }
    mech_model_free(m);
    mech_diagnostics_free(list);
}

static void shipped(void)
{
    glob_t found = {0};
    CHECK(glob("examples/*/model*.mech", 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) shipped_one(found.gl_pathv[i]);
    printf("%zu shipped models, %d states each\n", found.gl_pathc, STATES);
    globfree(&found);
}

static void show_worst(void)
{
    for (int k = 0; k < QUANTITIES; k++)
        printf("  %-6s %7zu compared, worst relative error %.1Le\n", quantities[k], compared[k], worst[k]);
    memset(compared, 0, sizeof compared);
    memset(worst, 0, sizeof worst);
}

int main(int argc, char **argv)
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const uint64_t count = argc > 1 ? 1 : SYSTEMS;
    for (uint64_t seed = first; seed < first + count; seed++) random_one(seed);
    printf("%llu random systems, seeds %llu to %llu, %d states each\n", (unsigned long long)count,
           (unsigned long long)first, (unsigned long long)(first + count - 1), STATES);
    show_worst();
    if (argc == 1) {
        shipped();
        show_worst();
    }
    return check_report();
}
