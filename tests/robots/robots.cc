// Imported robots beside engines that read the same files: URDF fixed to the ground by KDL, free by DART, MJCF by MuJoCo.
// usage: robots kdl|dart|mujoco FILE...
// One line a file: freedoms, and the largest difference of M, of the bias and of accelerations at random states, beside the
// largest entry of each.
#include <mech/import.h>
#include <mech/lang.h>
#include <mech/system.h>

#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/utils/urdf/DartLoader.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl_parser/kdl_parser.hpp>
#include <mujoco/mujoco.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Dense>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using Eigen::MatrixXd;
using Eigen::VectorXd;

enum { STATES = 5 };

static uint64_t seed = 1;
static double random_number() // in -1 .. 1
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return double(int64_t(seed >> 11)) / double(1ll << 52) - 1;
}

static std::string clean(std::string name)
{
    for (char &c : name)
        if (!isalnum((unsigned char)c)) c = '_';
    if (!name.empty() && isdigit((unsigned char)name[0])) name = "_" + name;
    return name;
}

// A model of ours, and its equation at a state.
struct Ours {
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *model = nullptr;
    mech_system *system = nullptr;
    mech_eval *eval = nullptr;
    std::string why;

    Ours(const std::string &file, bool is_free, bool has_passive)
    {
        mech_import_options options;
        char *text = nullptr;
        mech_import_options_default(&options, sizeof options);
        options.is_free = is_free;
        options.keeps_angles = 1;
        if (mech_import_file(file.c_str(), &options, list, &text) == MECH_OK) {
            std::istringstream lines(text);
            std::string kept, line;
            while (std::getline(lines, line)) // the engines' inverse dynamics knows no damping, and no constraint
                if (has_passive || (line.rfind("dissipation", 0) != 0 && line.rfind("constraint", 0) != 0)) kept += line + "\n";
            if (mech_read_text(file.c_str(), kept.c_str(), kept.size(), nullptr, list, &model) == MECH_OK &&
                mech_system_create(model, nullptr, list, &system) == MECH_OK && mech_eval_create(system, MECH_STORAGE_DENSE, &eval) != MECH_OK)
                eval = nullptr;
        }
        mech_text_free(text);
        for (size_t i = 0; i < mech_diagnostics_count(list) && why.empty(); i++)
            if (mech_diagnostics_get(list, i)->severity == MECH_SEVERITY_ERROR) why = mech_diagnostics_get(list, i)->message;
    }
    ~Ours()
    {
        mech_eval_free(eval);
        mech_system_free(system);
        mech_model_free(model);
        mech_diagnostics_free(list);
    }
    size_t count() const { return mech_system_sizes(system).coords; }
    int find(const std::string &name) const
    {
        size_t k = mech_system_find(system, MECH_ITEM_COORD, clean(name).c_str());
        if (k == SIZE_MAX) k = mech_system_find(system, MECH_ITEM_COORD, (clean(name) + "_joint").c_str());
        return k == SIZE_MAX ? -1 : int(k);
    }
    int part(const std::string &name, const char *what, int i) const
    {
        const size_t k = mech_system_find(system, MECH_ITEM_COORD, (clean(name) + what + "[" + std::to_string(i + 1) + "]").c_str());
        if (k == SIZE_MAX) {
            std::cerr << "no coordinate " << clean(name) << what << "\n";
            exit(2);
        }
        return int(k);
    }
    const mech_equation *at(const VectorXd &q, const VectorXd &v)
    {
        if (mech_eval_state(eval, 0, q.data(), v.data(), nullptr) != MECH_OK) std::cerr << "not finite\n";
        return mech_eval_equation(eval);
    }
    VectorXd acceleration(const VectorXd &q, const VectorXd &v)
    {
        const mech_equation *e = at(q, v);
        const long n = long(count()), m = long(mech_system_sizes(system).rows);
        MatrixXd K = MatrixXd::Zero(n + m, n + m);
        VectorXd right(n + m);
        K.topLeftCorner(n, n) = Eigen::Map<const MatrixXd>(e->M_dense, n, n);
        if (m) {
            K.bottomLeftCorner(m, n) = Eigen::Map<const MatrixXd>(e->A_dense, m, n);
            K.topRightCorner(n, m) = K.bottomLeftCorner(m, n).transpose();
            right.tail(m) = Eigen::Map<const VectorXd>(e->b, m);
        }
        right.head(n) = Eigen::Map<const VectorXd>(e->Q, n);
        return K.fullPivLu().solve(right).head(n);
    }
};

struct Differences {
    double M = 0, bias = 0, acceleration = 0;
    static void add(double &worst, double difference, double size) { worst = std::max(worst, difference / std::max(size, 1e-300)); }
};

static std::string base_name(const std::string &file) { return file.substr(file.find_last_of('/') + 1); }

static void tell(const char *engine, const std::string &file, size_t freedoms, const Differences &d)
{
    std::printf("%-8s %-34s %3zu  ", engine, base_name(file).c_str(), freedoms);
    if (std::strcmp(engine, "KDL") == 0) std::printf("%.1e  %.1e  ", d.M, d.bias);
    else std::printf("      -        -  "); // in other coordinates there
    std::printf("%.1e\n", d.acceleration);
}

static bool leave_out(const char *engine, const std::string &file, const std::string &why)
{
    std::printf("%-8s %-34s left out: %s\n", engine, base_name(file).c_str(), why.c_str());
    return false;
}

// KDL: the torques of a tree for given accelerations; with unit ones the columns of M.
static bool by_kdl(const std::string &file)
{
    KDL::Tree tree;
    Ours ours(file, false, false);
    if (!ours.eval) return leave_out("KDL", file, ours.why);
    if (!kdl_parser::treeFromFile(file, tree)) return leave_out("KDL", file, "KDL does not read it");
    const unsigned n = tree.getNrOfJoints();
    if (n == 0) return leave_out("KDL", file, "it has no joints");
    KDL::TreeIdSolver_RNE solver(tree, KDL::Vector(0, 0, -9.81));
    std::vector<int> to(n, -1);
    for (const auto &s : tree.getSegments())
        if (s.second.segment.getJoint().getType() != KDL::Joint::None) to[s.second.q_nr] = ours.find(s.second.segment.getJoint().getName());
    for (int k : to)
        if (k < 0 || ours.count() != n) return leave_out("KDL", file, "KDL has other joints: planar and floating ones are fixed there");
    Differences d;
    for (int turn = 0; turn < STATES; turn++) {
        KDL::JntArray q(n), v(n), a(n), zero(n), tau(n), rest(n);
        VectorXd our_q(n), our_v(n), bias(n);
        MatrixXd M(n, n);
        const KDL::WrenchMap none;
        for (unsigned i = 0; i < n; i++) {
            our_q[to[i]] = q(i) = 2 * random_number();
            our_v[to[i]] = v(i) = 2 * random_number();
        }
        solver.CartToJnt(q, v, zero, none, tau);
        for (unsigned i = 0; i < n; i++) bias[to[i]] = tau(i);
        solver.CartToJnt(q, zero, zero, none, rest);
        for (unsigned j = 0; j < n; j++) {
            KDL::SetToZero(a);
            a(j) = 1;
            solver.CartToJnt(q, zero, a, none, tau);
            for (unsigned i = 0; i < n; i++) M(to[i], to[j]) = tau(i) - rest(i);
        }
        const mech_equation *e = ours.at(our_q, our_v);
        const MatrixXd our_M = Eigen::Map<const MatrixXd>(e->M_dense, n, n);
        const VectorXd our_bias = -Eigen::Map<const VectorXd>(e->Q, n);
        Differences::add(d.M, (our_M - M).cwiseAbs().maxCoeff(), M.cwiseAbs().maxCoeff());
        Differences::add(d.bias, (our_bias - bias).cwiseAbs().maxCoeff(), bias.cwiseAbs().maxCoeff());
        const VectorXd theirs = M.ldlt().solve(-bias), mine = ours.acceleration(our_q, our_v);
        Differences::add(d.acceleration, (theirs - mine).cwiseAbs().maxCoeff(), theirs.cwiseAbs().maxCoeff());
    }
    tell("KDL", file, n, d);
    return d.M < 1e-9 && d.bias < 1e-9 && d.acceleration < 1e-9;
}

static void random_attitude(double e[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) square += (e[i] = random_number()) * e[i];
    for (int i = 0; i < 4; i++) e[i] /= std::sqrt(square);
}

// e' of a turning with w in the body's axes.
static void turning(const double e[4], const double w[3], double rate[4])
{
    const Eigen::Quaterniond p = Eigen::Quaterniond(e[0], e[1], e[2], e[3]) * Eigen::Quaterniond(0, w[0] / 2, w[1] / 2, w[2] / 2);
    rate[0] = p.w(), rate[1] = p.x(), rate[2] = p.y(), rate[3] = p.z();
}

// Without what is only seen: DART wants the meshes.
static std::string without_shapes(const std::string &file)
{
    std::ifstream stream(file);
    std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    for (size_t at; (at = text.find("<!--")) != std::string::npos;) text.erase(at, text.find("-->", at) + 3 - at);
    for (const std::string word : {"visual", "collision"})
        for (size_t at = 0; (at = text.find("<" + word, at)) != std::string::npos;) {
            if (!strchr(" />", text[at + 1 + word.size()])) { // <visualize>
                at++;
                continue;
            }
            const size_t tag = text.find('>', at), end = text[tag - 1] == '/' ? tag + 1 : text.find("</" + word + ">", at);
            text.erase(at, end == tag + 1 ? end - at : end + word.size() + 3 - at);
        }
    return text;
}

// DART: forward dynamics of a tree whose root moves freely; M and bias have other coordinates there, so accelerations are compared.
static bool by_dart(const std::string &file)
{
    dart::utils::DartLoader loader;
    Ours ours(file, true, false);
    if (!ours.eval) return leave_out("DART", file, ours.why);
    const std::string text = without_shapes(file);
    const auto skeleton = loader.parseSkeletonString(text, "file:///");
    const auto links = urdf::parseURDF(text);
    if (!skeleton || !links) return leave_out("DART", file, "DART does not read it");
    for (auto *body : skeleton->getBodyNodes()) // it gives 1 kg to a link without inertia
        if (const auto link = links->getLink(body->getName()); link && !link->inertial)
            body->setInertia(dart::dynamics::Inertia(1e-30, Eigen::Vector3d::Zero(), 1e-30 * Eigen::Matrix3d::Identity()));
    auto *root = dynamic_cast<dart::dynamics::FreeJoint *>(skeleton->getJoint(0));
    if (!root) return leave_out("DART", file, "the root is not free in DART");
    skeleton->setGravity(Eigen::Vector3d(0, 0, -9.81));
    for (auto *joint : skeleton->getJoints())
        for (size_t k = 0; k < joint->getNumDofs(); k++) {
            joint->setDampingCoefficient(k, 0);
            joint->setSpringStiffness(k, 0);
            joint->setCoulombFriction(k, 0);
            joint->setPositionLowerLimit(k, -INFINITY);
            joint->setPositionUpperLimit(k, INFINITY);
        }
    const size_t n = skeleton->getNumDofs();
    std::vector<int> to(n, -1);
    for (size_t k = 6; k < n; k++) {
        to[k] = ours.find(skeleton->getDof(k)->getJoint()->getName());
        if (to[k] < 0 || skeleton->getDof(k)->getJoint()->getNumDofs() != 1) return leave_out("DART", file, "it has joints of several freedoms");
    }
    if (ours.count() != n + 1) return leave_out("DART", file, "DART has other joints");
    Differences d;
    for (int turn = 0; turn < STATES; turn++) {
        VectorXd q = VectorXd::Zero(long(n + 1)), v = q;
        double e[4], w[3], rate[4];
        Eigen::Vector3d r, r_dot;
        random_attitude(e);
        for (int i = 0; i < 3; i++) r[i] = random_number(), r_dot[i] = random_number(), w[i] = random_number();
        turning(e, w, rate);
        Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
        pose.linear() = Eigen::Quaterniond(e[0], e[1], e[2], e[3]).toRotationMatrix();
        pose.translation() = r;
        root->setTransform(pose);
        root->setLinearVelocity(r_dot);
        root->setAngularVelocity(pose.linear() * Eigen::Vector3d(w[0], w[1], w[2]));
        for (int i = 0; i < 3; i++) q[ours.part("root_joint", ".r", i)] = r[i], v[ours.part("root_joint", ".r", i)] = r_dot[i];
        for (int i = 0; i < 4; i++) q[ours.part("root_joint", ".e", i)] = e[i], v[ours.part("root_joint", ".e", i)] = rate[i];
        for (size_t k = 6; k < n; k++) {
            q[to[k]] = 2 * random_number();
            v[to[k]] = 2 * random_number();
            skeleton->getDof(k)->setPosition(q[to[k]]);
            skeleton->getDof(k)->setVelocity(v[to[k]]);
        }
        skeleton->resetGeneralizedForces();
        skeleton->computeForwardDynamics();
        const VectorXd mine = ours.acceleration(q, v);
        const Eigen::Vector3d theirs = skeleton->getBodyNode(0)->getLinearAcceleration();
        double size = theirs.cwiseAbs().maxCoeff(), difference = 0;
        for (int i = 0; i < 3; i++) difference = std::max(difference, std::fabs(mine[ours.part("root_joint", ".r", i)] - theirs[i]));
        for (size_t k = 6; k < n; k++) {
            const double a = skeleton->getDof(k)->getAcceleration();
            size = std::max(size, std::fabs(a));
            difference = std::max(difference, std::fabs(mine[to[k]] - a));
        }
        Differences::add(d.acceleration, difference, size);
    }
    tell("DART", file, n, d);
    return d.acceleration < 1e-9;
}

static std::string joint_name(const mjModel *m, int j)
{
    const char *name = m->names + m->name_jntadr[j];
    return *name ? name : "joint" + std::to_string(j + 1);
}

// MuJoCo: accelerations with all that is soft or one-sided switched off; damping, springs and armature are in.
static bool by_mujoco(const std::string &file)
{
    char error[500] = "";
    Ours ours(file, false, true);
    if (!ours.eval) return leave_out("MuJoCo", file, ours.why);
    mjModel *m = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
    if (!m) return leave_out("MuJoCo", file, "MuJoCo: " + std::string(error).substr(0, std::string(error).find('\n')));
    mjData *data = mj_makeData(m);
    Differences d;
    m->opt.density = m->opt.viscosity = 0;
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS | mjDSBL_CLAMPCTRL;
    for (int turn = 0; turn < STATES; turn++) {
        VectorXd q = VectorXd::Zero(long(ours.count())), v = q;
        mj_resetData(m, data);
        for (int j = 0; j < m->njnt; j++) {
            double *x = data->qpos + m->jnt_qposadr[j], *y = data->qvel + m->jnt_dofadr[j], rate[4];
            const std::string name = joint_name(m, j);
            const int type = m->jnt_type[j];
            if (type == mjJNT_FREE)
                for (int i = 0; i < 3; i++) {
                    q[ours.part(name, ".r", i)] = x[i] = random_number();
                    v[ours.part(name, ".r", i)] = y[i] = random_number();
                }
            if (type == mjJNT_FREE || type == mjJNT_BALL) {
                double *e = type == mjJNT_FREE ? x + 3 : x, *w = type == mjJNT_FREE ? y + 3 : y;
                random_attitude(e);
                for (int i = 0; i < 3; i++) w[i] = random_number();
                turning(e, w, rate);
                for (int i = 0; i < 4; i++) q[ours.part(name, ".e", i)] = e[i], v[ours.part(name, ".e", i)] = rate[i];
            } else {
                x[0] = random_number();
                y[0] = random_number();
                q[ours.find(name)] = x[0] - m->qpos0[m->jnt_qposadr[j]];
                v[ours.find(name)] = y[0];
            }
        }
        for (int i = 0; i < m->nu; i++) {
            const char *name = m->names + m->name_actuatoradr[i];
            const std::string input = *name ? clean(name) : clean(joint_name(m, m->actuator_trnid[2 * i])) + "_control";
            size_t u = mech_system_find(ours.system, MECH_ITEM_INPUT, input.c_str());
            if (u == SIZE_MAX) u = mech_system_find(ours.system, MECH_ITEM_INPUT, (input + "_input").c_str());
            if (u == SIZE_MAX) continue;
            data->ctrl[i] = random_number();
            if (mech_eval_set_input(ours.eval, u, data->ctrl[i], 0, 0) != MECH_OK) std::cerr << "input\n";
        }
        mj_forward(m, data);
        const VectorXd mine = ours.acceleration(q, v);
        double size = 0, difference = 0;
        for (int j = 0; j < m->njnt; j++) {
            const double *a = data->qacc + m->jnt_dofadr[j];
            const std::string name = joint_name(m, j);
            if (m->jnt_type[j] == mjJNT_BALL) continue;
            for (int i = 0; i < (m->jnt_type[j] == mjJNT_FREE ? 3 : 1); i++) {
                const int k = m->jnt_type[j] == mjJNT_FREE ? ours.part(name, ".r", i) : ours.find(name);
                size = std::max(size, std::fabs(a[i]));
                difference = std::max(difference, std::fabs(mine[k] - a[i]));
            }
        }
        Differences::add(d.acceleration, difference, size);
    }
    tell("MuJoCo", file, size_t(m->nv), d);
    mj_deleteData(data);
    mj_deleteModel(m);
    return d.acceleration < 1e-8; // it turns inertias to their principal axes by numbers: 8e-9 in all.xml, 4e-14 in aligned.xml
}

int main(int argc, char **argv)
{
    bool all = true;
    for (int i = 2; i < argc; i++) {
        const std::string engine = argv[1];
        all &= engine == "kdl" ? by_kdl(argv[i]) : engine == "dart" ? by_dart(argv[i]) : by_mujoco(argv[i]);
        std::fflush(stdout);
    }
    return all ? 0 : 1;
}
