// One acceleration of robots from URDF files: ours (native), MuJoCo (mj_forward, all but the dynamics switched off), DART
// (computeForwardDynamics) and, for arms of one chain, KDL (ChainFdSolver_RNE). All in one process, in turns of short batches:
// the least of each. First the accelerations are compared: where engines differ nothing is timed, and the end is a failure.
// A freedom of the base that turns is compared through the others only: engines have other coordinates there.
// usage: robots SECONDS NAME fixed|free TARGET FILE ...
#include "rival.h"

#include <mech/import.h>
#include <mech/lang.h>
#include <mech/motion.h>

#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/utils/urdf/DartLoader.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl_parser/kdl_parser.hpp>
#include <mujoco/mujoco.h>
#include <urdf_parser/urdf_parser.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

// A joint is known by its name in all engines; the base has its place, attitude and velocities beside.
struct State {
    std::vector<std::string> joints;
    std::vector<double> q, v;
    bool is_free = false;
    double r[3] = {0.1, -0.2, 0.3}, e[4] = {0.5, -0.1, 0.7, 0.5}; // of length 1
    double r_dot[3] = {0.3, 0.2, -0.4}, w[3] = {0.5, -0.3, 0.2};  // w in the axes of the base
};

// Accelerations: of the joints in the order of the state, then of the base's origin.
using Accelerations = std::vector<double>;

struct Engine {
    const char *name;
    double tolerance;
    std::function<void()> once;
    std::function<Accelerations()> result;
    double least = INFINITY;
    int calls = 1;
};

[[noreturn]] static void fail(const std::string &what)
{
    fprintf(stderr, "robots: %s\n", what.c_str());
    exit(1);
}

static std::string clean(std::string name)
{
    for (char &c : name)
        if (!isalnum((unsigned char)c)) c = '_';
    return name;
}

static void erase_all(std::string &text, const std::string &word)
{
    for (size_t at = 0; (at = text.find("<" + word, at)) != std::string::npos;) {
        if (!strchr(" />", text[at + 1 + word.size()])) { // <visualize>
            at++;
            continue;
        }
        const size_t tag = text.find('>', at);
        const bool is_empty = text[tag - 1] == '/';
        text.erase(at, (is_empty ? tag + 1 : text.find("</" + word + ">", at) + word.size() + 3) - at);
    }
}

// The dynamics alone: DART and MuJoCo want the meshes of shapes, and damping is not in KDL.
static std::string dynamics_of(const char *file)
{
    std::ifstream stream(file);
    std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    if (text.empty()) fail(std::string(file) + " is not there");
    for (size_t at; (at = text.find("<!--")) != std::string::npos;) text.erase(at, text.find("-->", at) + 3 - at);
    for (const char *word : {"visual", "collision", "dynamics", "transmission", "gazebo", "safety_controller"}) erase_all(text, word);
    return text;
}

struct Temporary {
    std::string name = "/tmp/mech-rival-XXXXXX.urdf";
    explicit Temporary(const std::string &text)
    {
        const int file = mkstemps(name.data(), 5);
        if (file < 0 || write(file, text.data(), text.size()) != ssize_t(text.size())) fail("cannot write " + name);
        close(file);
    }
    ~Temporary() { remove(name.c_str()); }
};

struct Ours {
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *model = nullptr;
    mech_system *system = nullptr;
    mech_motion_code *code = nullptr;
    mech_eval *eval = nullptr;
    mech_motion_info info{};
    double compile = 0;
    std::vector<double> q, v, qdd;
    std::vector<size_t> at;

    Ours(const std::string &text, const State &s)
    {
        const Temporary file(text);
        mech_import_options options;
        mech_motion_settings settings;
        char *imported = nullptr;
        mech_import_options_default(&options, sizeof options);
        mech_motion_settings_default(&settings, sizeof settings);
        options.is_free = s.is_free;
        settings.native = MECH_NATIVE_ON;
        settings.cache = ""; // to see what compiling takes
        if (mech_import_file(file.name.c_str(), &options, list, &imported) != MECH_OK ||
            mech_read_text("robot", imported, strlen(imported), nullptr, list, &model) != MECH_OK ||
            mech_system_from_model(model, list, &system) != MECH_OK || mech_eval_create(system, MECH_STORAGE_DENSE, &eval) != MECH_OK)
            fail("ours cannot read it");
        mech_text_free(imported);
        const double before = compiler_seconds();
        if (mech_motion_code_create(system, &settings, &code) != MECH_OK || mech_eval_use_motion(eval, code) != MECH_OK) fail("there is no code for it");
        compile = compiler_seconds() - before;
        info = mech_motion_code_info(code);
        if (!info.is_native) fail(std::string("no native code: ") + (info.why ? info.why : ""));
        q.resize(mech_system_sizes(system).coords);
        v = qdd = q;
        for (size_t i = 0; i < s.joints.size(); i++) {
            at.push_back(find(clean(s.joints[i])));
            q[at[i]] = s.q[i];
            v[at[i]] = s.v[i];
        }
        if (q.size() != s.joints.size() + (s.is_free ? 7 : 0)) fail("there are other joints in ours");
        for (int i = 0; s.is_free && i < 3; i++) {
            at.push_back(find("root_joint.r[" + std::to_string(i + 1) + "]"));
            q[at.back()] = s.r[i];
            v[at.back()] = s.r_dot[i];
        }
        const Eigen::Quaterniond e(s.e[0], s.e[1], s.e[2], s.e[3]), p = e * Eigen::Quaterniond(0, s.w[0] / 2, s.w[1] / 2, s.w[2] / 2);
        const double rate[4] = {p.w(), p.x(), p.y(), p.z()};
        for (int i = 0; s.is_free && i < 4; i++) {
            const size_t k = find("root_joint.e[" + std::to_string(i + 1) + "]");
            q[k] = s.e[i];
            v[k] = rate[i];
        }
    }
    ~Ours()
    {
        mech_eval_free(eval);
        mech_motion_code_free(code);
        mech_system_free(system);
        mech_model_free(model);
        mech_diagnostics_free(list);
    }
    static double compiler_seconds() // of the processor, in processes that were waited for
    {
        struct rusage use;
        getrusage(RUSAGE_CHILDREN, &use);
        return double(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + 1e-6 * double(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    }
    size_t find(const std::string &name) const
    {
        const size_t k = mech_system_find(system, MECH_ITEM_COORD, name.c_str());
        if (k == SIZE_MAX) fail("ours has no coordinate " + name);
        return k;
    }
    void once()
    {
        mech_motion motion{};
        motion.size = sizeof motion;
        motion.qdd = qdd.data();
        q[0] += 1e-12;
        if (mech_eval_motion(eval, 0, q.data(), v.data(), &motion) != MECH_OK) fail("ours gives no acceleration");
    }
    Accelerations result() const
    {
        Accelerations a;
        for (size_t k : at) a.push_back(qdd[k]);
        return a;
    }
};

struct Mujoco {
    mjModel *m = nullptr;
    mjData *d = nullptr;
    std::vector<int> at;

    Mujoco(std::string text, const std::string &root, const State &s)
    {
        char error[500] = "";
        text.insert(text.rfind("</robot>"), "<mujoco><compiler fusestatic=\"true\"/></mujoco>");
        if (s.is_free)
            text.insert(text.rfind("</robot>"), "<link name=\"world\"/><joint name=\"rival_base\" type=\"floating\"><parent link=\"world\"/><child link=\"" + root + "\"/></joint>");
        const Temporary file(text);
        m = mj_loadXML(file.name.c_str(), nullptr, error, sizeof error);
        if (!m) fail(std::string("MuJoCo: ") + error);
        if (size_t(m->nv) != s.joints.size() + (s.is_free ? 6 : 0)) fail("there are other joints in MuJoCo");
        m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_SENSOR;
        d = mj_makeData(m);
        for (size_t i = 0; i < s.joints.size(); i++) {
            const int j = mj_name2id(m, mjOBJ_JOINT, s.joints[i].c_str());
            if (j < 0) fail("MuJoCo has no joint " + s.joints[i]);
            at.push_back(m->jnt_dofadr[j]);
            d->qpos[m->jnt_qposadr[j]] = s.q[i];
            d->qvel[at[i]] = s.v[i];
        }
        if (!s.is_free) return;
        const int j = mj_name2id(m, mjOBJ_JOINT, "rival_base");
        if (j < 0) fail("MuJoCo has no free base");
        double *x = d->qpos + m->jnt_qposadr[j], *y = d->qvel + m->jnt_dofadr[j];
        for (int i = 0; i < 3; i++) x[i] = s.r[i], y[i] = s.r_dot[i], y[3 + i] = s.w[i], at.push_back(m->jnt_dofadr[j] + i);
        for (int i = 0; i < 4; i++) x[3 + i] = s.e[i];
    }
    ~Mujoco()
    {
        mj_deleteData(d);
        mj_deleteModel(m);
    }
    void once()
    {
        d->qpos[0] += 1e-12;
        mj_forward(m, d);
    }
    Accelerations result() const
    {
        Accelerations a;
        for (int k : at) a.push_back(d->qacc[k]);
        return a;
    }
};

struct Dart {
    dart::dynamics::SkeletonPtr skeleton;
    std::vector<dart::dynamics::DegreeOfFreedom *> at;
    bool is_free;

    Dart(const std::string &text, const urdf::ModelInterface &links, const State &s) : is_free(s.is_free)
    {
        dart::utils::DartLoader loader;
        dart::utils::DartLoader::Options options;
        if (!is_free) options.mDefaultRootJointType = dart::utils::DartLoader::RootJointType::FIXED;
        loader.setOptions(options);
        skeleton = loader.parseSkeletonString(text, "file:///");
        if (!skeleton) fail("DART does not read it");
        if (skeleton->getNumDofs() != s.joints.size() + (is_free ? 6 : 0)) fail("there are other joints in DART");
        for (auto *body : skeleton->getBodyNodes()) // it gives 1 kg to a link without inertia
            if (const auto link = links.getLink(body->getName()); link && !link->inertial)
                body->setInertia(dart::dynamics::Inertia(1e-30, Eigen::Vector3d::Zero(), 1e-30 * Eigen::Matrix3d::Identity()));
        skeleton->setGravity(Eigen::Vector3d(0, 0, -9.81));
        if (is_free) {
            auto *root = dynamic_cast<dart::dynamics::FreeJoint *>(skeleton->getJoint(0));
            if (!root) fail("DART has no free base");
            Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
            pose.linear() = Eigen::Quaterniond(s.e[0], s.e[1], s.e[2], s.e[3]).toRotationMatrix();
            pose.translation() = Eigen::Vector3d(s.r[0], s.r[1], s.r[2]);
            root->setTransform(pose);
            root->setLinearVelocity(Eigen::Vector3d(s.r_dot[0], s.r_dot[1], s.r_dot[2]));
            root->setAngularVelocity(pose.linear() * Eigen::Vector3d(s.w[0], s.w[1], s.w[2]));
        }
        for (size_t i = 0; i < s.joints.size(); i++) {
            auto *joint = skeleton->getJoint(s.joints[i]);
            if (!joint || joint->getNumDofs() != 1) fail("DART has no joint " + s.joints[i]);
            at.push_back(joint->getDof(0));
            at[i]->setPosition(s.q[i]);
            at[i]->setVelocity(s.v[i]);
        }
    }
    void once()
    {
        auto *first = skeleton->getDof(0); // of the root: all else is computed anew
        first->setPosition(first->getPosition() + 1e-12);
        skeleton->computeForwardDynamics();
    }
    Accelerations result() const
    {
        Accelerations a;
        for (auto *dof : at) a.push_back(dof->getAcceleration());
        const Eigen::Vector3d base = skeleton->getBodyNode(0)->getLinearAcceleration();
        for (int i = 0; is_free && i < 3; i++) a.push_back(base[i]);
        return a;
    }
};

struct Kdl {
    KDL::Chain chain;
    std::unique_ptr<KDL::ChainFdSolver_RNE> solver;
    KDL::JntArray q, v, torque, a;
    KDL::Wrenches none;
    std::vector<unsigned> at;

    // The robot as one chain; is_one says whether it is.
    bool is_one(const std::string &text, const State &s)
    {
        KDL::Tree tree;
        if (s.is_free || !kdl_parser::treeFromString(text, tree)) return false;
        for (const auto &segment : tree.getSegments())
            if (segment.second.children.empty() && tree.getChain(tree.getRootSegment()->first, segment.first, chain) &&
                chain.getNrOfJoints() == s.joints.size())
                break;
        const unsigned n = chain.getNrOfJoints();
        if (n != s.joints.size()) return false;
        q.resize(n), v.resize(n), torque.resize(n), a.resize(n);
        KDL::SetToZero(torque);
        none.assign(chain.getNrOfSegments(), KDL::Wrench::Zero());
        at.resize(n);
        unsigned k = 0;
        for (const auto &segment : chain.segments) {
            if (segment.getJoint().getType() == KDL::Joint::None) continue;
            const size_t i = size_t(std::find(s.joints.begin(), s.joints.end(), segment.getJoint().getName()) - s.joints.begin());
            if (i == s.joints.size()) fail("KDL has another joint: " + segment.getJoint().getName());
            at[i] = k;
            q(k) = s.q[i];
            v(k++) = s.v[i];
        }
        solver = std::make_unique<KDL::ChainFdSolver_RNE>(chain, KDL::Vector(0, 0, -9.81));
        return true;
    }
    void once()
    {
        q(0) += 1e-12;
        if (solver->CartToJnt(q, v, torque, none, a) != 0) fail("KDL gives no acceleration");
    }
    Accelerations result() const
    {
        Accelerations found;
        for (unsigned k : at) found.push_back(a(k));
        return found;
    }
};

static double difference(const Accelerations &a, const Accelerations &b)
{
    double largest = 0, size = 0;
    for (size_t i = 0; i < a.size(); i++) {
        if (!std::isfinite(a[i] - b[i])) return INFINITY;
        largest = std::max(largest, std::fabs(a[i] - b[i]));
        size = std::max(size, std::fabs(a[i]));
    }
    return largest / size;
}

static double batch(Engine &engine)
{
    const double start = rival_now();
    for (int i = 0; i < engine.calls; i++) engine.once();
    return (rival_now() - start) / engine.calls;
}

// In turns, batches of a fifth of a millisecond: short beside what a busy machine gives at once.
static void measure(std::vector<Engine> &engines, double seconds)
{
    for (Engine &engine : engines) engine.calls = std::max(1, int(2e-4 / batch(engine)));
    for (const double end = rival_now() + seconds; rival_now() < end;)
        for (Engine &engine : engines) engine.least = std::min(engine.least, batch(engine));
}

static bool robot(double seconds, const char *name, bool is_free, double target, const char *file)
{
    const std::string text = dynamics_of(file);
    const auto links = urdf::parseURDF(text);
    if (!links) fail(std::string("urdfdom does not read ") + file);
    State s;
    s.is_free = is_free;
    for (const auto &joint : links->joints_)
        if (joint.second->type != urdf::Joint::FIXED) {
            const int i = int(s.joints.size()) + 1; // some state without symmetry
            s.joints.push_back(joint.first);
            s.q.push_back(0.1 + 0.1 * (7 * i % 5));
            s.v.push_back(0.5 - 0.15 * (3 * i % 7));
        }
    Ours ours(text, s);
    Mujoco mujoco(text, links->getRoot()->name, s);
    Dart by_dart(text, *links, s);
    Kdl kdl;
    std::vector<Engine> engines = {
        {"ours", 0, [&] { ours.once(); }, [&] { return ours.result(); }},
        {"MuJoCo", 1e-6, [&] { mujoco.once(); }, [&] { return mujoco.result(); }}, // it turns inertias to principal axes by numbers
        {"DART", 1e-9, [&] { by_dart.once(); }, [&] { return by_dart.result(); }},
    };
    if (kdl.is_one(text, s)) engines.push_back({"KDL", 1e-9, [&] { kdl.once(); }, [&] { return kdl.result(); }});
    double differences[4] = {0};
    for (size_t i = 0; i < engines.size(); i++) {
        engines[i].once();
        differences[i] = difference(engines[0].result(), engines[i].result());
        if (differences[i] <= engines[i].tolerance) continue;
        printf("%-10s other accelerations than %s: %.1e of the largest. Not measured.\n", name, engines[i].name, differences[i]);
        return false;
    }
    measure(engines, seconds);
    const double ratio = engines[0].least / engines[1].least;
    printf("%-10s %3zu %6zu %8.2f %8.3f %8.3f %8.3f ", name, s.joints.size() + (is_free ? 6 : 0), ours.info.statements, ours.compile,
           1e6 * engines[0].least, 1e6 * engines[1].least, 1e6 * engines[2].least);
    if (engines.size() == 4) printf("%8.3f ", 1e6 * engines[3].least);
    else printf("%8s ", "-");
    printf("%8.3f %6g  %-11s", ratio, target, ratio <= target ? "reached" : "not reached");
    for (size_t i = 1; i < engines.size(); i++) printf(" %.0e", differences[i]);
    printf("\n");
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    bool all = true;
    printf("%-10s %3s %6s %8s %8s %8s %8s %8s %8s %6s  %-11s %s\n", "robot", "dof", "statem", "compiler", "ours us", "MuJoCo", "DART", "KDL", "/ MuJoCo",
           "target", "", "differences (MuJoCo, DART, KDL)");
    fflush(stdout);
    for (int i = 2; i + 3 < argc; i += 4) all &= robot(atof(argv[1]), argv[i], strcmp(argv[i + 1], "free") == 0, atof(argv[i + 2]), argv[i + 3]);
    return all ? 0 : 1;
}
