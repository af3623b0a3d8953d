// Simbody: realize to the stage of accelerations; loops closed by two rows each (a point on a line across the plane).
#include "rival.h"

#include <Simbody.h>

#include <cstring>
#include <vector>

using namespace SimTK;

struct Run {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    State state;
};

static void accelerate(void *what)
{
    Run *r = static_cast<Run *>(what);
    r->state.updQ()[0] += 1e-12;
    r->system.realize(r->state, Stage::Acceleration);
}

static Body::Rigid body(double x, double y, double mass, double inertia)
{
    const Vec3 com(x, y, 0);
    return Body::Rigid(MassProperties(mass, com, Inertia(inertia).shiftFromMassCenter(com, mass)));
}

static Transform at(double x, double y, double turn)
{
    return Transform(Rotation(turn, ZAxis), Vec3(x, y, 0));
}

static void close_loop(MobilizedBody &one, const Vec3 &point_one, MobilizedBody &two, const Vec3 &point_two)
{
    Constraint::PointOnLine(one, ZAxis, point_one, two, point_two);
}

static void andrews()
{
    const double *q = andrews_start, *m = andrews_mass, *I = andrews_inertia;
    Run r;
    MobilizedBody &ground = r.matter.Ground();
    MobilizedBody::Pin k1(ground, at(0, 0, q[0]), body(ra, 0, m[0], I[0]), Transform());
    MobilizedBody::Pin k2(k1, at(rr, 0, q[1]), body(-da, 0, m[1], I[1]), Transform());
    MobilizedBody::Pin k3(ground, at(xb, yb, q[2]), body(sb, -sa, m[2], I[2]), Transform());
    MobilizedBody::Pin k5(ground, at(xa, ya, q[4]), body(tb, -ta, m[4], I[4]), Transform());
    MobilizedBody::Pin k4(k5, at(zt, 0, q[3]), body(0, -(ee - ea), m[3], I[3]), Transform());
    MobilizedBody::Pin k7(ground, at(xa, ya, q[6]), body(ua, -ub, m[6], I[6]), Transform());
    MobilizedBody::Pin k6(k7, at(0, -uu, q[5]), body(zf - fa, 0, m[5], I[5]), Transform());
    close_loop(k2, Vec3(-dd, 0, 0), k3, Vec3(0, -ss, 0));
    close_loop(k2, Vec3(-dd, 0, 0), k4, Vec3(0, -ee, 0));
    close_loop(k2, Vec3(-dd, 0, 0), k6, Vec3(zf, 0, 0));
    Force::TwoPointLinearSpring(r.forces, k3, Vec3(sd, -sc, 0), ground, Vec3(xc, yc, 0), c0, l0);
    Force::MobilityConstantForce(r.forces, k1, 0, mom);
    r.state = r.system.realizeTopology();
    r.system.realize(r.state, Stage::Acceleration);
    const double error = std::fabs(k1.getOneUDot(r.state, 0) / andrews_beta_dd - 1);
    rival_say("andrews", 1, rival_time(accelerate, &r, 0.3), error);
}

static void rods(const char *work, int N, bool is_ladder)
{
    Run r;
    Force::UniformGravity(r.forces, r.matter, Vec3(0, -9.81, 0));
    std::vector<MobilizedBody> standing, lying;
    for (int i = 0; i <= (is_ladder ? N : 0); i++) {
        standing.push_back(MobilizedBody::Pin(r.matter.Ground(), at(i, 0, is_ladder ? 1.1 : 0.3),
                                              body(0.5, 0, 1, 1.0 / 12), Transform()));
        if (is_ladder && i < N)
            lying.push_back(
                MobilizedBody::Pin(standing.back(), at(1, 0, -1.1), body(0.5, 0, 1, 1.0 / 12), Transform()));
    }
    for (int k = 1; !is_ladder && k < N; k++)
        standing.push_back(MobilizedBody::Pin(standing.back(), at(1, 0, 0.05 * std::fmod(k, 3)),
                                              body(0.5, 0, 1, 1.0 / 12), Transform()));
    for (int i = 0; is_ladder && i < N; i++) close_loop(lying[i], Vec3(1, 0, 0), standing[i + 1], Vec3(1, 0, 0));
    r.state = r.system.realizeTopology();
    rival_say(work, N, rival_time(accelerate, &r, 0.3), NAN);
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? std::atoi(argv[1]) : 1000;
    andrews();
    for (int k = 0; k < RIVAL_SIZES && rival_sizes[k] <= most; k++) {
        rods("chain", rival_sizes[k], false);
        if (rival_sizes[k] <= 400) rods("ladder", rival_sizes[k], true); // 1000: eight seconds a call
    }
    return 0;
}
