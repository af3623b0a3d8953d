/* What bodies weigh: given, or by solids. */
#include "bodies/bodies.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>

/* ---- moving what weighs from frame to frame ---- */

link_mass bodies_no_mass(void) { return (link_mass){EXPR_ZERO, vec_zero(), mat_zero()}; }

/* 2 d.g 1 - d g^T - g d^T with g = h + m d/2: what the inertia gains when its reference point moves by -d. */
static mat shift_of(mech_pool *p, mech_expr mass, vec moment, vec d)
{
    const vec g = vec_add(p, moment, vec_scale(p, mech_mul(p, mech_rational(p, 1, 2), mass), d));
    mech_expr product[3];
    mat r;
    for (int i = 0; i < 3; i++)
        product[i] = scalar_hold(p, mech_mul(p, mech_rational(p, 2, 1), mech_mul(p, d.x[i], g.x[i])));
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, h = (i + 2) % 3;
        r.x[i][i] = scalar_hold(p, mech_add(p, product[j], product[h]));
        r.x[i][j] = r.x[j][i] = scalar_hold(p, mech_neg(p, scalar_add_products(p, d.x[i], g.x[j], g.x[i], d.x[j])));
    }
    return r;
}

void bodies_shift_mass(mech_pool *p, const link_mass *from, vec offset, link_mass *sum)
{
    sum->mass = scalar_hold(p, mech_add(p, sum->mass, from->mass));
    sum->inertia = mat_add(p, sum->inertia, mat_add(p, from->inertia, shift_of(p, from->mass, from->moment, offset)));
    sum->moment = vec_add(p, sum->moment, vec_add(p, from->moment, vec_scale(p, from->mass, offset)));
}

void bodies_body_mass(const mech_bodies *b, const body *k, link_mass *sum)
{
    mech_pool *p = b->pool;
    for (size_t i = 0; i < k->mass_count; i++) {
        const body_mass *part = &k->masses[i];
        const link_mass own = {part->mass, vec_zero(), mat_turn(p, k->axes, part->inertia)};
        const vec center = vec_add(p, k->origin, mat_apply(p, k->axes, part->center));
        bodies_shift_mass(p, &own, center, sum);
    }
}

/* ---- given ---- */

static mech_status check_not_negative(mech_bodies *b, mech_expr e, const char *what)
{
    double value;
    MECH_TRY(bodies_constant(b, e, what, &value));
    return value >= 0 ? MECH_OK : model_error(b->model, NULL, "%s is not negative: %g", what, value);
}

static mech_status add_part(mech_bodies *b, size_t number, const body_mass *part)
{
    if (b->is_finished || number == MECH_GROUND || number >= b->body_count) return MECH_ERR_ARGUMENT;
    body *k = &b->bodies[number];
    if (k->center_asked)
        return model_error(b->model, "give a body all its masses first",
                           "body '%s' gains mass after its mass centre was used", k->name);
    MECH_TRY(check_not_negative(b, part->mass, "a mass"));
    for (int i = 0; i < 3; i++) MECH_TRY(check_not_negative(b, part->inertia.x[i][i], "a moment of inertia"));
    if (!mem_grow(&k->masses, &k->mass_capacity, k->mass_count + 1, sizeof *k->masses)) return MECH_ERR_MEMORY;
    k->masses[k->mass_count++] = *part;
    return MECH_OK;
}

static mech_status check_matrix(mech_bodies *b, mat m)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const double x = bodies_number(b, m.x[i][j]), y = bodies_number(b, m.x[j][i]);
        if (!(fabs(x - y) <= 1e-12 * (fabs(x) + fabs(y))))
            return model_error(b->model, NULL, "a matrix of inertia is symmetric");
    }
    return MECH_OK;
}

/* The largest of the three principal moments of a symmetric matrix, by the cosine formula of its cubic. */
static double largest_moment(double a[3][3])
{
    const double mean = (a[0][0] + a[1][1] + a[2][2]) / 3;
    double square = 0, x[3][3];
    for (int i = 0; i < 9; i++) {
        x[i / 3][i % 3] = a[i / 3][i % 3] - (i % 4 == 0 ? mean : 0);
        square += x[i / 3][i % 3] * x[i / 3][i % 3];
    }
    const double r = sqrt(square / 6);
    if (!(r > 0)) return mean;
    const double determinant = x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
                               x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
                               x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
    return mean + 2 * r * cos(acos(fmax(-1, fmin(1, determinant / (2 * r * r * r)))) / 3);
}

/* Warns where the largest moment is more than the sum of the others, which no mass in space has. [0, 0, J] says that
   only one matters. */
static void check_moments(mech_bodies *b, const body_mass *part)
{
    const double slack = 1e-6; /* of a table's last digits */
    double a[3][3];
    for (int i = 0; i < 9; i++) a[i / 3][i % 3] = bodies_number(b, part->inertia.x[i / 3][i % 3]);
    const double largest = largest_moment(a), others = a[0][0] + a[1][1] + a[2][2] - largest;
    if (!(largest - others > slack * largest) || !(others > slack * largest)) return;
    diagnostics_add(b->model->diagnostics, MECH_SEVERITY_WARNING, MECH_ERR_MODEL,
                    model_span(b->model, b->model->origin), "a solid has its own: body NAME: box [a, b, c], mass m",
                    "no body has these moments of inertia: the largest, %g, exceeds the sum of the others, %g", largest,
                    others);
}

mech_status mech_bodies_mass(mech_bodies *b, size_t number, mech_expr mass, const mech_expr *center,
                             const mech_expr *inertia, size_t count)
{
    body_mass part = {
        .mass = mass, .inertia = mat_zero(), .axes = mat_identity(), .moments = vec_zero(), .has_moments = count != 9};
    double value;
    if (count && !inertia) return MECH_ERR_ARGUMENT;
    if (!(count == 0 || (b->dimension == 2 ? count == 1 : count == 3 || count == 9)))
        return model_error(b->model, b->dimension == 2 ? "write: inertia J" : "write: inertia [Jx, Jy, Jz]",
                           b->dimension == 2 ? "in the plane an inertia is one number"
                                             : "an inertia is three moments or a matrix of three rows");
    MECH_TRY(bodies_constant(b, mass, "a mass", &value));
    MECH_TRY(bodies_vector(b, center, "a mass centre", &part.center));
    for (size_t i = 0; i < count; i++) MECH_TRY(bodies_constant(b, inertia[i], "an inertia", &value));
    for (size_t i = 0; i < 9 && count == 9; i++) part.inertia.x[i / 3][i % 3] = inertia[i];
    if (count == 9) MECH_TRY(check_matrix(b, part.inertia));
    for (size_t i = 0; i < count && count <= 3; i++) {
        const size_t k = count == 1 ? 2 : i;
        part.inertia.x[k][k] = part.moments.x[k] = inertia[i];
    }
    MECH_TRY(add_part(b, number, &part));
    if (b->dimension == 3) check_moments(b, &part);
    return MECH_OK;
}

/* ---- solids ---- */

static mech_expr power_product(mech_pool *p, mech_expr factor, mech_expr a, mech_expr b, mech_expr c)
{
    return mech_product(p, (mech_expr[]){factor, a, b, c}, 4);
}

static mech_expr squares_over(mech_pool *p, mech_expr mass, mech_expr a, mech_expr b, int64_t over)
{
    const mech_expr sum = scalar_add_products(p, a, a, b, b);
    return scalar_hold(p, mech_product(p, (mech_expr[]){mech_rational(p, 1, over), mass, sum}, 3));
}

static mech_expr norm_of(mech_pool *p, vec v)
{
    const mech_expr terms[3] = {mech_mul(p, v.x[0], v.x[0]), mech_mul(p, v.x[1], v.x[1]), mech_mul(p, v.x[2], v.x[2])};
    return mech_sqrt(p, mech_sum(p, terms, 3));
}

/* How much of it there is, to be multiplied by the density. */
static mech_expr content_of(mech_bodies *b, const mech_solid *s)
{
    mech_pool *p = b->pool;
    const mech_expr *x = s->extent, pi = mech_pi(p);
    switch (s->kind) {
    case MECH_SOLID_ROD: {
        vec along = vec_zero();
        for (size_t i = 0; i < b->dimension; i++) along.x[i] = mech_sub(p, x[b->dimension + i], x[i]);
        return norm_of(p, along);
    }
    case MECH_SOLID_BOX: return power_product(p, x[0], x[1], b->dimension == 3 ? x[2] : EXPR_ONE, EXPR_ONE);
    case MECH_SOLID_CYLINDER: return power_product(p, pi, x[0], x[0], x[1]);
    case MECH_SOLID_SPHERE: return power_product(p, mech_mul(p, mech_rational(p, 4, 3), pi), x[0], x[0], x[0]);
    default: return power_product(p, pi, x[0], x[0], EXPR_ONE);
    }
}

/* A rod's inertia is m/12 (l.l 1 - l l^T): it has no axes of its own. */
static void rod_inertia(mech_bodies *b, const mech_solid *s, body_mass *part)
{
    mech_pool *p = b->pool;
    vec along = vec_zero(), middle = vec_zero();
    for (size_t i = 0; i < b->dimension; i++) {
        along.x[i] = mech_sub(p, s->extent[b->dimension + i], s->extent[i]);
        middle.x[i] = mech_mul(p, mech_rational(p, 1, 2), mech_add(p, s->extent[b->dimension + i], s->extent[i]));
    }
    along = mat_apply(p, part->axes, along);
    part->center = vec_add(p, part->center, mat_apply(p, part->axes, middle));
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        part->inertia.x[i][i] = squares_over(p, part->mass, along.x[j], along.x[k], 12);
        part->inertia.x[i][j] = part->inertia.x[j][i] = scalar_hold(
            p, mech_product(p, (mech_expr[]){mech_rational(p, -1, 12), part->mass, along.x[i], along.x[j]}, 4));
    }
    int entries = 0; /* along an axis of the body it has moments */
    for (int i = 0; i < 3; i++) entries += !expr_is_zero(along.x[i]);
    part->has_moments = entries <= 1 || b->dimension == 2;
    part->axes = mat_identity();
    for (int i = 0; i < 3; i++) part->moments.x[i] = part->inertia.x[i][i];
}

static void solid_moments(mech_bodies *b, const mech_solid *s, body_mass *part)
{
    mech_pool *p = b->pool;
    const mech_expr *x = s->extent, m = part->mass, zero = EXPR_ZERO;
    mech_expr *i = part->moments.x;
    if (s->kind == MECH_SOLID_BOX) {
        const mech_expr c = b->dimension == 3 ? x[2] : zero;
        i[0] = squares_over(p, m, x[1], c, 12);
        i[1] = squares_over(p, m, x[0], c, 12);
        i[2] = squares_over(p, m, x[0], x[1], 12);
    } else if (s->kind == MECH_SOLID_SPHERE) {
        i[0] = i[1] = i[2] = squares_over(p, mech_mul(p, mech_rational(p, 2, 1), m), x[0], zero, 5);
    } else {
        const mech_expr across = squares_over(p, m, x[0], zero, 4);
        i[2] = squares_over(p, m, x[0], zero, 2);
        i[0] = i[1] = s->kind == MECH_SOLID_DISC
                          ? across
                          : scalar_hold(p, mech_add(p, across, squares_over(p, m, x[1], zero, 12)));
    }
    mat diagonal = mat_zero();
    for (int k = 0; k < 3; k++) diagonal.x[k][k] = i[k];
    part->inertia = mat_turn(p, part->axes, diagonal);
    part->has_moments = 1;
}

static const char *const solid_names[] = {"a rod", "a box", "a cylinder", "a sphere", "a disc"};

static mech_status check_solid(mech_bodies *b, const mech_solid *s)
{
    static const size_t sizes[] = {0, 3, 2, 1, 1};
    const size_t wanted = s->kind == MECH_SOLID_ROD   ? 2 * b->dimension
                          : s->kind == MECH_SOLID_BOX ? b->dimension
                                                      : sizes[s->kind];
    const char *name = solid_names[s->kind];
    if (b->dimension == 2 && (s->kind == MECH_SOLID_CYLINDER || s->kind == MECH_SOLID_SPHERE))
        return model_error(b->model, "in the plane there are rods, boxes of two edges and discs",
                           "%s is not in the plane", name);
    if (!s->extent || s->extent_count != wanted)
        return model_error(b->model, NULL, "%s takes %zu numbers, not %zu", name, wanted, s->extent_count);
    for (size_t i = 0; i < wanted; i++) {
        double value;
        MECH_TRY(bodies_constant(b, s->extent[i], "the size of a solid", &value));
        if (s->kind != MECH_SOLID_ROD && !(value > 0))
            return model_error(b->model, NULL, "the size of %s is greater than 0, not %g", name, value);
    }
    if (!s->mass.id == !s->density.id)
        return model_error(b->model, "write: mass m, or: density d", "%s takes either a mass or a density", name);
    return MECH_OK;
}

mech_status mech_bodies_solid(mech_bodies *b, size_t number, const mech_solid *given)
{
    body_mass part = {.inertia = mat_zero()};
    mech_solid taken = {0};
    const mech_solid *s = &taken;
    double value;
    if (!given) return MECH_ERR_ARGUMENT;
    MECH_TRY(bodies_take(b, &taken, sizeof taken, given));
    if ((unsigned)s->kind > MECH_SOLID_DISC) return MECH_ERR_ARGUMENT;
    MECH_TRY(check_solid(b, s));
    MECH_TRY(bodies_vector(b, s->at, "the place of a solid", &part.center));
    MECH_TRY(bodies_rotation(b, s->turned, "'turned'", &part.axes));
    if (s->density.id) MECH_TRY(bodies_constant(b, s->density, "a density", &value));
    part.mass = s->mass.id ? s->mass : scalar_hold(b->pool, mech_mul(b->pool, s->density, content_of(b, s)));
    MECH_TRY(bodies_constant(b, part.mass, "a mass", &value));
    if (s->kind == MECH_SOLID_ROD) rod_inertia(b, s, &part);
    else solid_moments(b, s, &part);
    const vec middle = part.center;
    MECH_TRY(bodies_vector(b, s->at, "the place of a solid", &part.center));
    body_solid kept = {.kind = s->kind, .size_count = s->extent_count, .at = part.center, .turned = part.axes};
    for (size_t k = 0; k < s->extent_count && k < SOLID_NUMBERS; k++) kept.size[k] = s->extent[k];
    part.center = middle;
    MECH_TRY(add_part(b, number, &part));
    body *k = &b->bodies[number];
    if (!mem_grow(&k->solids, &k->solid_capacity, k->solid_count + 1, sizeof *k->solids)) return MECH_ERR_MEMORY;
    k->solids[k->solid_count++] = kept;
    return MECH_OK;
}
