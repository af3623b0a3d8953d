/* Each allocation of building a mechanism fails once: an error, no leak. Then it is built as if nothing had been. */
#include "check.h"
#include "support/mem_fault.h"

#include <mech/bodies.h>

static mech_status need(mech_expr e) { return e.id ? MECH_OK : MECH_ERR_MEMORY; }

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const mech_status status_ = (call);                                                                            \
        if (status_ != MECH_OK) return status_;                                                                        \
    } while (0)

static mech_status build(mech_model *m, mech_bodies **b)
{
    mech_pool *p = mech_model_pool(m);
    const mech_expr zero = mech_rational(p, 0, 1), one = mech_rational(p, 1, 1), gravity[3] = {zero, zero, one},
                    axis[3] = {one, one, zero};
    size_t k[3], joint;
    TRY(need(one));
    TRY(mech_bodies_create(m, gravity, 3, b));
    const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        TRY(mech_bodies_body(*b, names[i], &k[i]));
        const mech_solid box = {.size = sizeof(mech_solid),
                                .kind = MECH_SOLID_BOX,
                                .extent = (const mech_expr[]){one, one, one},
                                .extent_count = 3,
                                .density = one,
                                .at = axis};
        TRY(mech_bodies_solid(*b, k[i], &box));
    }
    const mech_joint joints[] = {{.size = sizeof(mech_joint),
                                  .kind = MECH_JOINT_SPHERICAL,
                                  .before = {.body = k[0], .at = axis},
                                  .after = {.body = k[1]}},
                                 {.size = sizeof(mech_joint),
                                  .kind = MECH_JOINT_REVOLUTE,
                                  .before = {.body = MECH_GROUND},
                                  .after = {.body = k[0]},
                                  .axis = axis},
                                 {.size = sizeof(mech_joint),
                                  .kind = MECH_JOINT_SCREW,
                                  .before = {.body = MECH_GROUND},
                                  .after = {.body = k[2]},
                                  .axis = axis,
                                  .number = one,
                                  .by_constraint = 1},
                                 {.size = sizeof(mech_joint),
                                  .kind = MECH_JOINT_SLOT,
                                  .before = {.body = k[1]},
                                  .after = {.body = k[2]},
                                  .axis = axis}};
    const char *const joint_names[] = {"J", "K", "L", "N"};
    for (int i = 0; i < 4; i++) TRY(mech_bodies_joint(*b, joint_names[i], &joints[i], &joint));
    mech_expr force[3], tension, place[3];
    TRY(mech_bodies_spring(*b, &joints[0].before, &joints[0].after, one, one, one, &tension));
    const mech_motor motor = {.size = sizeof(mech_motor), .kind = MECH_MOTOR_PLACE, .drive = one, .rotor = one};
    TRY(mech_bodies_motor(*b, "motor", 1, 0, &motor, NULL));
    TRY(mech_bodies_value(*b, k[1], MECH_BODY_CENTER, place));
    TRY(mech_bodies_joint_wrench(*b, 1, MECH_WRENCH_FORCE, force));
    TRY(mech_model_output(m, "force", force[0], NULL));
    TRY(mech_bodies_joint_wrench(*b, 3, MECH_WRENCH_LOAD_TORQUE, force));
    TRY(mech_model_output(m, "torque", force[2], NULL));
    TRY(mech_bodies_finish(*b));
    return mech_model_finish(m);
}

static mech_status attempt(size_t k, size_t *nodes)
{
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    mech_bodies *b = NULL;
    if (!list) return MECH_ERR_MEMORY;
    mem_fault_set(k);
    mech_status status = mech_model_create(list, &m);
    if (status == MECH_OK) status = build(m, &b);
    if (status == MECH_OK) *nodes = mech_pool_size(mech_model_pool(m));
    mech_bodies_free(b);
    mech_model_free(m);
    mech_diagnostics_free(list);
    return status;
}

int main(void)
{
    size_t k = 1, nodes = 0, again = 0;
    for (;; k++) {
        const mech_status status = attempt(k, &nodes);
        const int was_hit = mem_fault_hit();
        CHECK(mem_fault_live() == 0);
        if (!was_hit) break;
        CHECK(status != MECH_OK);
    }
    mem_fault_set(0);
    CHECK(attempt(0, &again) == MECH_OK && nodes == again);
    printf("%zu allocations\n", k - 1);
    return check_report();
}
