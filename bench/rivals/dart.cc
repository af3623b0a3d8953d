// DART: one step of the world; loops closed by ball-joint constraints.
#include "rival.h"

#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include <vector>

using namespace dart;

static void step(void *world) { static_cast<simulation::World *>(world)->step(); }

static dynamics::BodyNode *rod(const dynamics::SkeletonPtr &skeleton, dynamics::BodyNode *parent, double x, double y,
                               double turn)
{
    dynamics::RevoluteJoint::Properties joint;
    const std::string number = std::to_string(skeleton->getNumBodyNodes());
    joint.mName = "joint" + number; // names of its own, or it writes a line about each
    joint.mAxis = Eigen::Vector3d::UnitZ();
    joint.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(x, y, 0);
    joint.mT_ParentBodyToJoint.linear() = Eigen::AngleAxisd(turn, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    auto pair = skeleton->createJointAndBodyNodePair<dynamics::RevoluteJoint>(
        parent, joint, dynamics::BodyNode::AspectProperties("rod" + number));
    dynamics::Inertia inertia(1.0, Eigen::Vector3d(0.5, 0, 0), Eigen::Matrix3d::Identity() / 12);
    pair.second->setInertia(inertia);
    return pair.second;
}

static void rods(const char *work, int N, bool is_ladder)
{
    auto world = simulation::World::create();
    auto skeleton = dynamics::Skeleton::create();
    std::vector<dynamics::BodyNode *> standing, lying;
    world->setGravity(Eigen::Vector3d(0, -9.81, 0));
    world->setTimeStep(1e-7);
    for (int i = 0; i <= (is_ladder ? N : 0); i++) {
        standing.push_back(rod(skeleton, nullptr, i, 0, is_ladder ? 1.1 : 0.3));
        if (is_ladder && i < N) lying.push_back(rod(skeleton, standing.back(), 1, 0, -1.1));
    }
    for (int k = 1; !is_ladder && k < N; k++)
        standing.push_back(rod(skeleton, standing.back(), 1, 0, 0.05 * std::fmod(k, 3)));
    world->addSkeleton(skeleton);
    for (int i = 0; is_ladder && i < N; i++)
        world->getConstraintSolver()->addConstraint(std::make_shared<constraint::BallJointConstraint>(
            lying[i], standing[i + 1], lying[i]->getTransform() * Eigen::Vector3d(1, 0, 0)));
    rival_say(work, N, rival_time(step, world.get(), 0.3), NAN);
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? std::atoi(argv[1]) : 1000;
    for (int k = 0; k < RIVAL_SIZES && rival_sizes[k] <= most; k++) {
        rods("chain", rival_sizes[k], false);
        if (rival_sizes[k] <= 100) rods("ladder", rival_sizes[k], true); // its cost grows as the cube
    }
    return 0;
}
