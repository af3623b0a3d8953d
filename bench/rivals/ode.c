/* ODE: dWorldStep and dWorldQuickStep on hinged rods; it has no call for the acceleration alone. */
#include "rival.h"

#include <ode/ode.h>

static void step(void *world) { dWorldStep(world, 1e-7); }
static void quick_step(void *world) { dWorldQuickStep(world, 1e-7); }

static dBodyID rod(dWorldID world, double x, double y, double turn)
{
    dMass mass;
    dMatrix3 R;
    const dBodyID body = dBodyCreate(world);
    dMassSetParameters(&mass, 1, 0, 0, 0, 1.0 / 12, 1.0 / 12, 1.0 / 12, 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x + 0.5 * cos(turn), y + 0.5 * sin(turn), 0);
    dRFromAxisAndAngle(R, 0, 0, 1, turn);
    dBodySetRotation(body, R);
    return body;
}

static void hinge(dWorldID world, dBodyID one, dBodyID two, double x, double y)
{
    const dJointID joint = dJointCreateHinge(world, 0);
    dJointAttach(joint, one, two);
    dJointSetHingeAnchor(joint, x, y, 0);
    dJointSetHingeAxis(joint, 0, 0, 1);
}

static void rods(int N, int is_ladder)
{
    const dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0, -9.81, 0);
    dBodyID *standing = calloc((size_t)N + 1, sizeof *standing);
    double x = 0, y = 0;
    for (int i = 0; i < (is_ladder ? N + 1 : N); i++) {
        const double turn = is_ladder ? 1.1 : 0.05 * fmod(i, 3);
        standing[i] = rod(world, is_ladder ? i : x, y, turn);
        hinge(world, standing[i], i && !is_ladder ? standing[i - 1] : 0, is_ladder ? i : x, y);
        if (is_ladder) continue;
        x += cos(turn);
        y += sin(turn);
    }
    for (int i = 0; is_ladder && i < N; i++) {
        const dBodyID lying = rod(world, i + cos(1.1), sin(1.1), 0);
        hinge(world, lying, standing[i], i + cos(1.1), sin(1.1));
        hinge(world, lying, standing[i + 1], i + 1 + cos(1.1), sin(1.1));
    }
    const char *work = is_ladder ? "ladder" : "chain";
    char name[32];
    if (N <= 40) rival_say(work, N, rival_time(step, world, 0.3), NAN); /* its cost grows as the cube */
    snprintf(name, sizeof name, "%s-quick", work);
    rival_say(name, N, rival_time(quick_step, world, 0.3), NAN);
    dWorldDestroy(world);
    free(standing);
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 1000;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    for (int k = 0; k < RIVAL_SIZES && rival_sizes[k] <= most; k++) {
        rods(rival_sizes[k], 0);
        rods(rival_sizes[k], 1);
    }
    dCloseODE();
    return 0;
}
