/* The k-th allocation fails, k = 1, 2, ...: reading ends with a clean status and leaves nothing behind. */
#include "check.h"
#include "support/mem_fault.h"

#include <mech/lang.h>
#include <mech/outline.h>

static const char good[] =
    "param N = 3, m[1..2] = [1, 2] \"kg\", \xCE\xB1 = 1/3\n"
    "coord x[1..N], theta \"rad\"\n"
    "let R = rotz(theta)*rotx(alpha)\n"
    "let f(s) = p^2 where p = s + m[1]\n"
    "kinetic sum(i in 1..N: m[1]*x[i]'^2)/2 + m[2]*theta'^2/2\n"
    "potential f(x[1])\n"
    "force [1, t] on [x[1]', x[2]']\n"
    "for i in 1..N-1 { constraint c[i]: x[i+1] = x[i] + sin(theta); output n[i] = lambda(c[i]) }\n"
    "if N > 2 { constraint roll: x[1]' = theta' }\n"
    "nonideal on c: x[1] = -x[1]'\n"
    "friction on roll: 1/5, along x[1]', static 1/4\n"
    "state z: z' = x[1] - z\n"
    "input u = sin(t) \"N\"\n"
    "component hung(on, l) { coord a; let p = [l*a, l]; constraint s: a = on; output p; let g(v) = v*l; potential g(a) }\n"
    "for i in 1..2 { part leg[i]: hung(x[i], i) }\n"
    "potential leg[1].a^2; output q = lambda(leg[2].s)\n"
    "gravity [0, -9.81]\n"
    "body b[1]: rod [0, 0] to [1, 0], mass 1, disc 0.1, density 2, at [1, 0]; body b[2]: mass 1, center [0, 1], inertia 0.1\n"
    "point b[1].tip = [1, 0]\n"
    "joint J[1]: ground to b[1], revolute; joint J[2]: b[1].tip to b[2], revolute; joint K: ground at [1, 0] to b[2], distance 1\n"
    "spring k: ground at [0, 2] to b[2], stiffness 1, length 1; damper kd on J[1]: damping 1; motor mo on J[2]: torque 1, rotor 0.1\n"
    "friction on J[2]: torque 1/10\n"
    "output jf = J[1].force, bc = axes(b[2], b[2].c), J[2].load.torque, k.force, on = active(K)\n"
    "initial x[1] = 1, omega(R)[3] = 2\n"
    "event e: n[1] falls through 0 when theta > 0 -> release c, record, set theta' = 0\n"
    "stabilize excess on c, B = 1, K = 2\n"
    "simulate until 3, points 100\n";

static const char bad[] = "param m = \n"
                          "cord y\n"
                          "coord x, theta\n"
                          "kinetic thta'^2 + (x'\n"
                          "potential x/0 + [1, 2]\n"
                          "for i in 1..3 { constraint c: x = i }\n"
                          "event e: x rise through 0 -> stop\n"
                          "let g(s) = h(s)\n"
                          "let h(s) = g(s)\n"
                          "gravity [0, 1]\n"
                          "body b: mass 1\n"
                          "joint J: grund to b, revolute\n"
                          "output b1 = b.q, b2 = J.f\n"
                          "component k(n) { coord w; kinetic n*v'^2; part l: k(n) }\n"
                          "part r: k(1)\n"
                          "part r: k(2)\n"
                          "output a = lambda(d) + g(1) + r.v + x.y\n";

/* Until it goes through without a failure: every status is one the text can have, nothing stays. */
static void run(const char *text, mech_status expected)
{
    for (size_t k = 1;; k++) {
        mech_model *m = NULL;
        mem_fault_set(k);
        mech_diagnostics *d = mech_diagnostics_create();
        const mech_status status = d ? mech_read_text("fault", text, strlen(text), NULL, d, &m) : MECH_ERR_MEMORY;
        const int hit = mem_fault_hit();
        CHECK((status == MECH_OK) == (m != NULL));
        CHECK(status == (hit ? MECH_ERR_MEMORY : expected));
        if (status != (hit ? MECH_ERR_MEMORY : expected))
            fprintf(stderr, "allocation %zu: %s\n", k, mech_status_text(status));
        mem_fault_set(0);
        mech_model_free(m);
        mech_diagnostics_free(d);
        CHECK(mem_fault_live() == 0);
        if (!hit) break;
        if (check_failures > 20) break;
    }
}

/* The dumps have no status: NULL, or the whole text. */
static void run_dumps(void)
{
    for (int which = 0; which < 2; which++)
        for (size_t k = 1;; k++) {
            mem_fault_set(k);
            char *text = which ? mech_dump_tokens(good, sizeof good - 1) : mech_dump_syntax(good, sizeof good - 1);
            const int hit = mem_fault_hit();
            mem_fault_set(0);
            CHECK((text == NULL) == hit);
            mech_text_free(text);
            CHECK(mem_fault_live() == 0);
            if (!hit || check_failures > 20) break;
        }
}

static void run_outline(void)
{
    for (size_t k = 1;; k++) {
        mech_outline *o = NULL;
        mem_fault_set(k);
        const mech_status status = mech_outline_create(NULL, good, sizeof good - 1, &o, NULL);
        const int hit = mem_fault_hit();
        mem_fault_set(0);
        CHECK(status == (hit ? MECH_ERR_MEMORY : MECH_OK) && (o != NULL) == !hit);
        mech_outline_free(o);
        CHECK(mem_fault_live() == 0);
        if (!hit || check_failures > 20) break;
    }
}

int main(void)
{
    run(good, MECH_OK);
    run(bad, MECH_ERR_SYNTAX);
    run_dumps();
    run_outline();
    return check_report();
}
