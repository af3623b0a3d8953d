/* MuJoCo: mj_forward; loops closed by soft `connect` constraints, the only kind it has. */
#include "rival.h"

#include <mujoco/mujoco.h>

#include <stdarg.h>
#include <unistd.h>
#include <string.h>

static char *text;
static size_t length, capacity;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    if (capacity - length < 1000) {
        capacity = 2 * capacity + 10000;
        text = realloc(text, capacity);
        if (!text) exit(1);
    }
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(text + length, capacity - length, format, arguments);
    va_end(arguments);
}

static mjModel *compile(void)
{
    char error[1000] = "", name[] = "/tmp/mech-rival-XXXXXX";
    const int file = mkstemp(name);
    FILE *f = file < 0 ? NULL : fdopen(file, "w");
    if (!f) exit(1);
    fwrite(text, 1, length, f);
    fclose(f);
    mjModel *m = mj_loadXML(name, NULL, error, sizeof error);
    remove(name);
    if (!m) {
        fprintf(stderr, "mujoco: %s\n", error);
        exit(1);
    }
    length = 0;
    return m;
}

static void open_model(const char *option, int loops)
{
    add("<mujoco><compiler angle=\"radian\"/><size njmax=\"%d\" nconmax=\"1\" nstack=\"%d\"/>"
        "<option %s><flag contact=\"disable\"/></option>"
        "<default><equality solref=\"-1e6 -2e3\" solimp=\"0.9999 0.9999 0.001\"/></default><worldbody>",
        3 * loops + 10, 100000 + 40000 * loops, option);
}

static void body(const char *name, double x, double y, double turn, double com_x, double com_y, double mass,
                 double inertia)
{
    add("<body name=\"%s\" pos=\"%.17g %.17g 0\" euler=\"0 0 %.17g\"><joint type=\"hinge\" axis=\"0 0 1\"/>"
        "<inertial pos=\"%.17g %.17g 0\" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>",
        name, x, y, turn, com_x, com_y, mass, inertia, inertia, inertia);
}

typedef struct run {
    mjModel *m;
    mjData *d;
} run;

static void forward(void *what)
{
    run *r = what;
    r->d->qpos[0] += 1e-12;
    mj_forward(r->m, r->d);
}

static void andrews(void)
{
    const double *q = andrews_start, *m = andrews_mass, *I = andrews_inertia;
    open_model("gravity=\"0 0 0\"", 3);
    body("k1", 0, 0, q[0], ra, 0, m[0], I[0]);
    body("k2", rr, 0, q[1], -da, 0, m[1], I[1]);
    add("</body></body>");
    body("k3", xb, yb, q[2], sb, -sa, m[2], I[2]);
    add("<site name=\"D\" pos=\"%.17g %.17g 0\"/></body><site name=\"C\" pos=\"%.17g %.17g 0\"/>", sd, -sc, xc, yc);
    body("k5", xa, ya, q[4], tb, -ta, m[4], I[4]);
    body("k4", zt, 0, q[3], 0, -(ee - ea), m[3], I[3]);
    add("</body></body>");
    body("k7", xa, ya, q[6], ua, -ub, m[6], I[6]);
    body("k6", 0, -uu, q[5], zf - fa, 0, m[5], I[5]);
    add("</body></body></worldbody><equality>");
    for (int k = 3; k <= 6; k++)
        if (k != 5) add("<connect body1=\"k2\" body2=\"k%d\" anchor=\"%.17g 0 0\"/>", k, -dd);
    add("</equality><tendon><spatial stiffness=\"%.17g\" springlength=\"%.17g\"><site site=\"D\"/><site "
        "site=\"C\"/>"
        "</spatial></tendon></mujoco>",
        c0, l0);
    run r = {.m = compile()};
    r.d = mj_makeData(r.m);
    r.d->qfrc_applied[0] = mom;
    mj_forward(r.m, r.d);
    const double error = fabs(r.d->qacc[0] / andrews_beta_dd - 1);
    rival_say("andrews", 1, rival_time(forward, &r, 0.3), error);
    mj_deleteData(r.d);
    mj_deleteModel(r.m);
}

/* Rods of 1 m and 1 kg; a chain hangs as a tree, the ladder's upper rods close a loop each. */
static void rods(const char *work, int N, int is_ladder)
{
    char name[32];
    open_model("gravity=\"0 -9.81 0\"", N);
    for (int i = 0; i <= (is_ladder ? N : 0); i++) {
        snprintf(name, sizeof name, "s%d", i);
        body(name, i, 0, is_ladder ? 1.1 : 0.3, 0.5, 0, 1, 1.0 / 12);
        if (is_ladder && i < N) {
            snprintf(name, sizeof name, "t%d", i);
            body(name, 1, 0, -1.1, 0.5, 0, 1, 1.0 / 12);
            add("</body>");
        }
        for (int k = 1; !is_ladder && k < N; k++) {
            snprintf(name, sizeof name, "c%d", k);
            body(name, 1, 0, 0.05 * fmod(k, 3), 0.5, 0, 1, 1.0 / 12);
        }
        for (int k = 1; !is_ladder && k < N; k++) add("</body>");
        add("</body>");
    }
    add("</worldbody><equality>");
    for (int i = 0; is_ladder && i < N; i++) add("<connect body1=\"t%d\" body2=\"s%d\" anchor=\"1 0 0\"/>", i, i + 1);
    add("</equality></mujoco>");
    run r = {.m = compile()};
    r.d = mj_makeData(r.m);
    rival_say(work, N, rival_time(forward, &r, 0.3), NAN);
    mj_deleteData(r.d);
    mj_deleteModel(r.m);
}

/* A chain too deep for a tree of XML: each rod floats in the plane and is connected to the one before. */
static void floating_chain(int N)
{
    double x = 0, y = 0;
    open_model("gravity=\"0 -9.81 0\"", N);
    for (int i = 0; i < N; i++) {
        const double turn = 0.05 * fmod(i, 3);
        add("<body name=\"f%d\" pos=\"%.17g %.17g 0\" euler=\"0 0 %.17g\"><joint type=\"slide\" axis=\"1 0 "
            "0\"/>"
            "<joint type=\"slide\" axis=\"0 1 0\"/><joint type=\"hinge\" axis=\"0 0 1\"/>"
            "<inertial pos=\"0.5 0 0\" mass=\"1\" diaginertia=\"0.08333333333333333 0.08333333333333333 "
            "0.08333333333333333\"/></body>",
            i, x, y, turn);
        x += cos(turn);
        y += sin(turn);
    }
    add("</worldbody><equality><connect body1=\"f0\" anchor=\"0 0 0\"/>");
    for (int i = 1; i < N; i++) add("<connect body1=\"f%d\" body2=\"f%d\" anchor=\"0 0 0\"/>", i, i - 1);
    add("</equality></mujoco>");
    run r = {.m = compile()};
    r.d = mj_makeData(r.m);
    rival_say("chain", N, rival_time(forward, &r, 0.3), NAN);
    mj_deleteData(r.d);
    mj_deleteModel(r.m);
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 1000;
    andrews();
    for (int k = 0; k < RIVAL_SIZES && rival_sizes[k] <= most; k++) {
        if (rival_sizes[k] <= 40) rods("chain", rival_sizes[k], 0);
        else floating_chain(rival_sizes[k]);
        rods("ladder", rival_sizes[k], 1);
    }
    free(text);
    return 0;
}
