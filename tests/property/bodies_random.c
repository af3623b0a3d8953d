/* Random mechanisms: trees of all kinds of joints, written from either side, with loops of all kinds. M, Q, A and b
   agree with dual numbers at random states, off the conditions too, and velocities and accelerations of frames are
   those of their places. From seed LONG on trees are long, so that masses are seen in axes that all links share.
   `bodies_random SEED` repeats one. */
#include "support/mechanism.h"
#include "support/reference.h"

enum { SYSTEMS = 60, MOST_BODIES = 5, LONG = 1000, LONG_SYSTEMS = 5, LONG_BODIES = 18 };

static size_t compared;
static long double worst;

static void agree(const char *what, uint64_t seed, size_t i, size_t j, long double got, long double want)
{
    const long double error = fabsl(got - want) / (1 + fabsl(want));
    compared++;
    check_count++;
    if (error > worst) worst = error;
    if (error <= 1e-13L) return;
    check_failures++;
    fprintf(stderr, "seed %llu: %s(%zu, %zu) = %.17Lg, want %.17Lg\n", (unsigned long long)seed, what, i, j, got, want);
}

static double number_in(double low, double high) { return (double)random_in(low, high); }

static const mech_expr *some_vector(mechanism *m, double size)
{
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = random_below(3) ? number_in(-size, size) : 0;
    return numbers(m, 3, x);
}

/* rotz(a) rotx(b) in space, a turn in the plane; NULL now and then. */
static const mech_expr *some_axes(mechanism *m, size_t dimension)
{
    const double a = number_in(-3, 3), b = number_in(-3, 3);
    const double plane[] = {cos(a), -sin(a), sin(a), cos(a)},
                 space[] = {cos(a), -sin(a) * cos(b), sin(a) * sin(b), sin(a), cos(a) * cos(b), -cos(a) * sin(b),
                            0,      sin(b),           cos(b)};
    if (random_below(2)) return NULL;
    return dimension == 2 ? numbers(m, 4, plane) : numbers(m, 9, space);
}

static mech_joint some_joint(mechanism *m, size_t dimension, int is_loop)
{
    static const mech_joint_kind plane[] = {MECH_JOINT_REVOLUTE, MECH_JOINT_PRISMATIC, MECH_JOINT_FREE,
                                            MECH_JOINT_FIXED,    MECH_JOINT_DISTANCE,  MECH_JOINT_SLOT};
    const size_t choices = dimension == 2 ? 4 + 2 * (size_t)is_loop : is_loop ? MECH_JOINT_KINDS : MECH_JOINT_FREE + 1u;
    mech_joint j = {.size = sizeof(mech_joint),
                    .kind = dimension == 2 ? plane[random_below(choices)] : (mech_joint_kind)random_below(choices)};
    if (is_loop && j.kind == MECH_JOINT_FREE) j.kind = MECH_JOINT_REVOLUTE;
    double axis[2][3] = {{1, 0, 0}, {0, 1, 0}};
    if (random_below(2)) /* else along axes of the place */
        for (int i = 0; i < 3; i++) axis[0][i] = number_in(-1, 1), axis[1][i] = number_in(-1, 1);
    j.axis = numbers(m, 3, axis[0]);
    j.second = numbers(m, 3, axis[1]);
    j.number = mech_number(m->pool, number_in(0.3, 1));
    return j;
}

static void tie(mechanism *m, size_t dimension, const char *name, mech_joint j, size_t one, size_t two)
{
    const mech_place places[2] = {{one, some_vector(m, 0.5), some_axes(m, dimension)},
                                  {two, some_vector(m, 0.5), some_axes(m, dimension)}};
    const size_t first = random_below(2);
    j.before = places[first];
    j.after = places[1 - first];
    add_joint(m, name, j);
}

/* Long: nearly a chain. */
static size_t some_parent(size_t i, int is_long) { return is_long && random_below(6) ? i - 1 : random_below(i); }

static mechanism *some_mechanism(size_t *dimension, size_t *bodies, int is_long)
{
    *dimension = random_below(3) ? 3 : 2;
    *bodies = is_long ? LONG_BODIES : 1 + random_below(MOST_BODIES);
    mechanism *m = mechanism_open(*dimension, number_in(-3, 3), -9.81, number_in(-3, 3));
    char name[32];
    for (size_t i = 1; i <= *bodies; i++) {
        const double c[3] = {number_in(-0.3, 0.3), number_in(-0.3, 0.3), number_in(-0.3, 0.3)},
                     d = number_in(-0.1, 0.1);
        const double matrix[9] = {0.4, d, 0, d, 0.5, 0.1, 0, 0.1, 0.6}, moments[3] = {0.2, 0.3, 0.4};
        snprintf(name, sizeof name, "b%zu", i);
        const size_t entries = *dimension == 2 ? 1 : random_below(2) ? 9 : 3;
        add_body(m, name, number_in(0.5, 3), c, entries == 9 ? matrix : moments, entries);
        snprintf(name, sizeof name, "j%zu", i);
        tie(m, *dimension, name, some_joint(m, *dimension, 0), some_parent(i, is_long), i);
    }
    for (size_t i = 0; *bodies > 1 && i < 2; i++) {
        snprintf(name, sizeof name, "loop%zu", i);
        const size_t two = 2 + random_below(*bodies - 1);
        tie(m, *dimension, name, some_joint(m, *dimension, 1), random_below(two), two);
    }
    return m;
}

/* The rate of an expression along the motion, by dual numbers. */
static long double rate_of(reference *r, mech_expr e)
{
    dual_parts = 1;
    place_move(&r->moved, &r->at, 0);
    return evaluate(&r->moved, e).c[1];
}

static void check_frames(reference *r, mechanism *m, uint64_t seed, size_t dimension, size_t bodies)
{
    for (size_t i = 0; i < m->model->coords_count; i++)
        *place_at(&r->at, m->model->coords[i].a) = dual_number(random_in(-1, 1));
    for (size_t k = 1; k <= bodies; k++) {
        mech_expr e[9], w[3];
        for (int what = 0; what < 2; what++) {
            CHECK(mech_bodies_value(m->bodies, k, what ? MECH_BODY_ATTITUDE : MECH_BODY_ORIGIN, e) == MECH_OK);
            for (size_t i = 0; i < (what ? dimension * dimension : dimension); i++) {
                const mech_expr rate = mech_dot(m->pool, e[i]), second = mech_dot(m->pool, rate);
                agree(what ? "R'" : "r'", seed, k, i, value_of(&r->at, rate), rate_of(r, e[i]));
                agree(what ? "R''" : "r''", seed, k, i, value_of(&r->at, second), rate_of(r, rate));
            }
        }
        CHECK(mech_bodies_value(m->bodies, k, MECH_BODY_OMEGA, w) == MECH_OK);
        for (size_t i = 0; i < (dimension == 3 ? 3u : 1u); i++)
            agree("w'", seed, k, i, value_of(&r->at, mech_dot(m->pool, w[i])), rate_of(r, w[i]));
    }
    for (size_t i = 0; i < m->model->coords_count; i++) *place_at(&r->at, m->model->coords[i].a) = dual_number(0);
}

/* Frames are asked for before the model is finished: it is constant afterwards. */
static void ask_frames(mechanism *m, size_t dimension, size_t bodies)
{
    mech_expr e[9];
    for (size_t k = 1; k <= bodies; k++) {
        CHECK(mech_bodies_value(m->bodies, k, MECH_BODY_ATTITUDE, e) == MECH_OK);
        for (size_t i = 0; i < dimension * dimension; i++) CHECK(mech_dot(m->pool, mech_dot(m->pool, e[i])).id);
    }
}

static void check_equations(reference *r, uint64_t seed)
{
    const mech_model *m = r->at.m;
    for (size_t i = 0; i < m->coords_count; i++) {
        agree("Q", seed, i, 0, value_of(&r->at, mech_model_Q(m, i)), reference_Q(r, i));
        for (size_t j = 0; j <= i; j++)
            agree("M", seed, i, j, value_of(&r->at, mech_model_M(m, i, j)), reference_M(r, i, j));
    }
    for (size_t row = 0; row < m->rows_count; row++) {
        long double still[3], pushed[3];
        reference_row(r, row, SIZE_MAX, still);
        agree("b", seed, row, 0, value_of(&r->at, mech_model_b(m, row)), -still[2]);
        for (size_t j = 0; j < m->coords_count; j++) {
            reference_row(r, row, j, pushed);
            agree("A", seed, row, j, value_of(&r->at, mech_model_A(m, row, j)), pushed[2] - still[2]);
        }
    }
}

static void one_system(uint64_t seed)
{
    size_t dimension, bodies;
    random_state = seed;
    mechanism *m = some_mechanism(&dimension, &bodies, seed >= LONG);
    ask_frames(m, dimension, bodies);
    CHECK(mech_bodies_finish(m->bodies) == MECH_OK);
    if (mech_model_coord_count(m->model)) { /* else all is fixed to the ground */
        CHECK(mech_model_finish(m->model) == MECH_OK);
        reference r = reference_create(m->model);
        for (size_t i = 0; i < m->pool->symbol_count; i++) r.at.value[i] = dual_number(random_in(-1.2L, 1.2L));
        for (size_t i = 0; i < m->model->coords_count; i++) *place_at(&r.at, m->model->coords[i].a) = dual_number(0);
        check_equations(&r, seed);
        check_frames(&r, m, seed, dimension, bodies);
        reference_free(&r);
    }
    mechanism_close(m);
}

int main(int argc, char **argv)
{
    if (argc > 1) one_system(strtoull(argv[1], NULL, 10));
    for (uint64_t seed = 1; argc == 1 && seed <= SYSTEMS; seed++) one_system(seed);
    for (uint64_t seed = LONG; argc == 1 && seed < LONG + LONG_SYSTEMS; seed++) one_system(seed);
    printf("%zu entries compared, worst %.1Le\n", compared, worst);
    return check_report();
}
