/* A four-bar linkage as it is drawn: bodies and joints by C calls.

   Lesson: rods are bodies, hinges are joints; the last hinge closes the loop. The force in every hinge is asked for
   by name, also where a hinge gives a coordinate and has no multiplier. One instant is solved, and compared with a
   model written by hand. */
#include <mech/mech.h>

#include <math.h>
#include <stdio.h>

/* A rod of unit mass per length along its own x. */
static size_t add_rod(mech_bodies *bodies, mech_pool *pool, const char *name, double length)
{
    const mech_expr zero = mech_number(pool, 0), ends[4] = {zero, zero, mech_number(pool, length), zero};
    const mech_solid rod = {
        .size = sizeof rod, .kind = MECH_SOLID_ROD, .extent = ends, .extent_count = 4, .density = mech_number(pool, 1)};
    size_t body = SIZE_MAX;
    if (mech_bodies_body(bodies, name, &body) != MECH_OK || mech_bodies_solid(bodies, body, &rod) != MECH_OK)
        return SIZE_MAX;
    return body;
}

/* A hinge: at x on the first body, at y on the second. */
static size_t add_hinge(mech_bodies *bodies, mech_pool *pool, const char *name, size_t first, double x, size_t second,
                        double y)
{
    const mech_expr before[2] = {mech_number(pool, x), mech_number(pool, 0)},
                    after[2] = {mech_number(pool, y), mech_number(pool, 0)};
    const mech_joint hinge = {.size = sizeof hinge,
                              .kind = MECH_JOINT_REVOLUTE,
                              .before = {.body = first, .at = before},
                              .after = {.body = second, .at = after}};
    size_t joint = SIZE_MAX;
    return mech_bodies_joint(bodies, name, &hinge, &joint) == MECH_OK ? joint : SIZE_MAX;
}

static mech_status build(mech_model *model, mech_bodies **bodies)
{
    mech_pool *pool = mech_model_pool(model);
    const mech_expr gravity[2] = {mech_number(pool, 0), mech_number(pool, -9.81)};
    mech_expr force[2];
    mech_status status = mech_bodies_create(model, gravity, 2, bodies);
    if (status != MECH_OK) return status;
    const size_t crank = add_rod(*bodies, pool, "crank", 1), coupler = add_rod(*bodies, pool, "coupler", 2),
                 rocker = add_rod(*bodies, pool, "rocker", 2);
    add_hinge(*bodies, pool, "A", MECH_GROUND, 0, crank, 0);
    add_hinge(*bodies, pool, "B", crank, 1, coupler, 0);
    add_hinge(*bodies, pool, "C", coupler, 2, rocker, 0);
    const size_t closing = add_hinge(*bodies, pool, "D", MECH_GROUND, 2, rocker, 2); /* the loop closes here */
    status = mech_bodies_joint_wrench(*bodies, closing, MECH_WRENCH_FORCE, force);
    if (status == MECH_OK) status = mech_model_output(model, "Dx", force[0], "N");
    if (status == MECH_OK) status = mech_model_output(model, "Dy", force[1], "N");
    if (status == MECH_OK) status = mech_bodies_finish(*bodies);
    return status == MECH_OK ? mech_model_finish(model) : status;
}

int main(void)
{
    const double q[] = {1, -0.386929124466803, -2.27201742342506},
                 v[] = {1, -1.303724639975772, 0.5506612895136729}; /* A, B, C */
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_bodies *bodies = NULL;
    mech_system *system = NULL;
    mech_instant *instant = NULL;
    mech_instant_input in;
    double miss = 1;
    mech_status status = mech_model_create(diagnostics, &model);
    if (status == MECH_OK) status = build(model, &bodies);
    if (status == MECH_OK) status = mech_system_from_model(model, diagnostics, &system);
    if (status == MECH_OK) status = mech_instant_create(system, 0, &instant);
    mech_instant_input_default(&in, sizeof in);
    in.q = q;
    in.v = v;
    if (status == MECH_OK) status = mech_instant_solve(instant, &in);
    if (status == MECH_OK) {
        const mech_instant_result *r = mech_instant_get(instant);
        miss = fmax(fabs(r->qdd[0] + 6.27714763549349), fabs(r->output[1] - 25.8246368768417));
        printf("A'' = %.9f, the ground carries the rocker with (%.6f, %.6f) N; off by %.1e\n", r->qdd[0], r->output[0],
               r->output[1], miss);
    } else {
        char *why = mech_diagnostics_format(diagnostics);
        fprintf(stderr, "%s: %s\n", mech_status_text(status), why ? why : "");
        mech_text_free(why);
    }
    mech_instant_free(instant);
    mech_system_free(system);
    mech_bodies_free(bodies);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return miss < 1e-9 ? 0 : 1;
}
