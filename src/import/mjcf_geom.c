/* Masses and moments of geoms. */
#include "import/mjcf.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef enum geom_kind {
    GEOM_SPHERE,
    GEOM_CAPSULE,
    GEOM_ELLIPSOID,
    GEOM_CYLINDER,
    GEOM_BOX,
    GEOM_PLANE,
    GEOM_HFIELD,
    GEOM_OTHER
} geom_kind;

static geom_kind read_kind(const char *word)
{
    static const char *const words[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box", "plane", "hfield"};
    for (int k = 0; k < GEOM_OTHER; k++)
        if (strcmp(word, words[k]) == 0) return (geom_kind)k;
    return GEOM_OTHER;
}

/* How many sizes each has; a capsule or cylinder: radius and half its length. */
static size_t size_count(geom_kind kind)
{
    return kind == GEOM_SPHERE ? 1 : kind == GEOM_CAPSULE || kind == GEOM_CYLINDER ? 2 : 3;
}

static double volume(geom_kind kind, const double s[3])
{
    switch (kind) {
    case GEOM_SPHERE: return 4 * pi / 3 * s[0] * s[0] * s[0];
    case GEOM_CAPSULE: return pi * s[0] * s[0] * (2 * s[1] + 4 * s[0] / 3);
    case GEOM_ELLIPSOID: return 4 * pi / 3 * s[0] * s[1] * s[2];
    case GEOM_CYLINDER: return 2 * pi * s[0] * s[0] * s[1];
    case GEOM_BOX: return 8 * s[0] * s[1] * s[2];
    default: return 0;
    }
}

/* Moments about its own axes, through its middle. */
static void moments(geom_kind kind, double mass, const double s[3], double out[3])
{
    const double a = s[0] * s[0], b = s[1] * s[1], c = s[2] * s[2];
    switch (kind) {
    case GEOM_SPHERE: out[0] = out[1] = out[2] = 2 * mass * a / 5; break;
    case GEOM_CAPSULE: {
        const double ends = mass * (2 * s[0]) / (2 * s[0] + 3 * s[1]), middle = mass - ends; /* shares of the volume */
        out[0] = out[1] = middle * (a / 4 + b / 3) + ends * (2 * a / 5 + b + 3 * s[0] * s[1] / 4);
        out[2] = middle * a / 2 + ends * 2 * a / 5;
        break;
    }
    case GEOM_CYLINDER:
        out[0] = out[1] = mass * (a / 4 + b / 3);
        out[2] = mass * a / 2;
        break;
    default: { /* box and ellipsoid differ by a factor */
        const double f = kind == GEOM_BOX ? mass / 3 : mass / 5;
        out[0] = f * (b + c);
        out[1] = f * (a + c);
        out[2] = f * (a + b);
    }
    }
}

/* 0 after an error. */
static int read_size(mjcf *m, const xml_node *geom, const char *children, geom_kind kind, double half, double s[3])
{
    const size_t need = size_count(kind), given = mjcf_numbers(m, geom, children, "size", s, 1, 3);
    if (half > 0 && given) { /* the length is that of fromto */
        if (kind == GEOM_BOX || kind == GEOM_ELLIPSOID) s[1] = s[0];
        s[need - 1] = half;
    }
    const size_t have = half > 0 && given ? need : given;
    for (size_t i = 0; i < need && have >= need; i++)
        if (!(s[i] > 0)) {
            import_error(m->c, xml_place(geom, "size"), NULL, "a size of this geom is not above 0");
            return 0;
        }
    if (have >= need) return 1;
    import_error(m->c, geom->span, NULL, "this geom needs %zu size%s", need, need > 1 ? "s" : "");
    return 0;
}

static void add_solid(import_body *b, const pose *at, double mass, const double moment[3])
{
    double own[9] = {moment[0], 0, 0, 0, moment[1], 0, 0, 0, moment[2]}, turned[9];
    rotate_inertia(at->R, own, turned);
    shift_inertia(mass, at->p, turned);
    b->mass += mass;
    for (int i = 0; i < 3; i++) b->center[i] += mass * at->p[i];
    for (int i = 0; i < 9; i++) b->inertia[i] += turned[i];
}

void mjcf_center(import_body *b)
{
    double away[3];
    for (int i = 0; i < 3; i++) away[i] = b->center[i] = b->mass > 0 ? b->center[i] / b->mass : 0;
    shift_inertia(-b->mass, away, b->inertia);
    double largest = 0;
    for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(b->inertia[i]));
    for (int i = 0; i < 9; i++)
        if (fabs(b->inertia[i]) < 1e-15 * largest) b->inertia[i] = 0; /* what is left of differences */
}

static int weighs(mjcf *m, const xml_node *geom, const char *children)
{
    const double group = mjcf_number(m, geom, children, "group", 0);
    return group >= m->groups[0] && group <= m->groups[1];
}

void mjcf_weigh_geom(mjcf *m, const xml_node *geom, const char *children, const pose *frame, import_body *b)
{
    const xml_node *at;
    const char *word = mjcf_value(m, geom, children, "type", &at), *mesh = mjcf_value(m, geom, children, "mesh", &at);
    const char *shell = mjcf_value(m, geom, children, "shellinertia", &at), *name = import_value(m->c, geom, "name");
    geom_kind kind = word ? read_kind(word) : mesh ? GEOM_OTHER : GEOM_SPHERE;
    double mass = mjcf_number(m, geom, children, "mass", -1), s[3] = {0}, half = 0, moment[3];
    const double density = mjcf_number(m, geom, children, "density", 1000);
    if (!weighs(m, geom, children) || kind == GEOM_PLANE || kind == GEOM_HFIELD || mass == 0 ||
        (mass < 0 && density == 0))
        return;
    b->is_weighed = 1;
    if (kind == GEOM_OTHER || mesh || (shell && strcmp(shell, "true") == 0)) {
        import_error(m->c, geom->span, "give the body an <inertial>, with the mass and the moments of inertia",
                     kind == GEOM_OTHER || mesh
                         ? "the mass of body '%s' is that of a mesh ('%s'), which is not read"
                         : "the mass of body '%s' is that of a shell ('%s'), which is not computed",
                     b->given,
                     mesh   ? mesh
                     : name ? name
                     : word ? word
                            : "geom");
        return;
    }
    pose own = pose_none();
    const int by_ends = kind != GEOM_SPHERE && mjcf_from_to(m, geom, children, &own, &half);
    if (!by_ends) own = mjcf_pose(m, geom, children);
    if (!read_size(m, geom, children, kind, by_ends ? half : 0, s)) return;
    if (mass < 0) mass = density * volume(kind, s);
    if (!(mass > 0)) import_error(m->c, geom->span, NULL, "the mass of a geom of body '%s' is negative", b->given);
    moments(kind, mass, s, moment);
    own = pose_times(frame, &own);
    add_solid(b, &own, mass, moment);
}
