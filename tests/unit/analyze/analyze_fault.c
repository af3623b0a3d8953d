/* The k-th allocation fails while equilibrium, linear system, gains, maps and polynomials are made: nothing
   leaks, and the status says it. */
#include "support/mem_fault.h"
#include "unit/analyze/helpers.h"

static const char *const text =
    "param m = 1, l = 1, g = 9.8, c = 0.1\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
    "constraint rod: x^2 + y^2 = l^2\nnonideal on rod: [x, y] = -c*[x', y']\n"
    "state f: f' = x - f\noutput a = f\nguess x = 0.2, y = -0.9\n";

static const double below[2] = {0, -1}, rest[2] = {0}, none[1] = {0};

static mech_linear_options point(void)
{
    mech_linear_options o;
    mech_linear_options_default(&o, sizeof o);
    o.q = below;
    o.v = rest;
    o.z = none;
    return o;
}

static mech_status find(subject *s)
{
    mech_equilibrium *e;
    const mech_status status = mech_equilibrium_find(s->system, s->eval, NULL, &e);
    mech_equilibrium_free(e);
    return status;
}

static mech_status linearize(subject *s)
{
    mech_linear *l;
    const mech_linear_options o = point();
    const mech_status status = mech_linearize(s->system, s->eval, &o, &l);
    mech_linear_free(l);
    return status;
}

static mech_status gains(subject *s)
{
    mech_gains *g;
    const mech_status status = mech_gains_create(s->system, s->eval, NULL, &g);
    mech_gains_free(g);
    return status;
}

static mech_status look_for_gains(subject *s)
{
    mech_gains_options o;
    mech_gains_options_default(&o, sizeof o);
    return mech_gains_look(s->system, s->eval, NULL, &o);
}

/* Free fall; what is said of it names what is driven. */
static mech_status explain(subject *s)
{
    char *why = mech_equilibrium_explain(s->system, s->eval, MECH_ERR_NO_EQUILIBRIUM, NULL);
    const mech_status status = why ? MECH_OK : MECH_ERR_MEMORY;
    CHECK(!why || strstr(why, "x'' is 3 at each of 8 states"));
    mech_text_free(why);
    return status;
}

static mech_status sweep(subject *s)
{
    mech_sweep *w;
    const mech_linear_options o = point();
    const mech_axis g = {"g", 5, 12, 2};
    const mech_status status = mech_sweep_create(s->system, s->eval, &o, &g, &w);
    mech_sweep_free(w);
    return status;
}

static mech_status branches(subject *s)
{
    mech_branches *b;
    const mech_linear_options o = point();
    const mech_axis g = {"g", 5, 12, 2};
    const mech_status status = mech_branches_create(s->system, s->eval, &o, &g, &b);
    mech_branches_free(b);
    return status;
}

static mech_status routh(subject *s)
{
    mech_routh *r;
    const double c[5] = {1, 2, 3, 4, 5};
    (void)s;
    const mech_status status = mech_routh_floating(c, NULL, 4, &r);
    mech_routh_free(r);
    return status;
}

static mech_status exact(subject *s)
{
    mech_routh *r;
    const double c[5] = {1, 2, 3, 4, 5};
    (void)s;
    const mech_status status = mech_routh_exact(c, 4, &r);
    mech_routh_free(r);
    return status == MECH_ERR_UNSUPPORTED ? MECH_OK : status;
}

static void try_subject(const char *name, subject *s, mech_status (*act)(subject *))
{
    /* what repeats itself thousands of times, as branches do, is met at its first turns and at some later ones */
    const size_t whole = act == branches ? 200 : SIZE_MAX;
    size_t k = 1, hits = 0;
    for (; k < 100000; k += k < whole ? 1 : 1 + k / 20) {
        const size_t live = mem_fault_live();
        mem_fault_set(k);
        const mech_status status = act(s);
        const int hit = mem_fault_hit();
        mem_fault_set(0);
        CHECK(mem_fault_live() == live);
        if (!hit) {
            CHECK(status == MECH_OK);
            break;
        }
        CHECK(status == MECH_ERR_MEMORY);
        hits++;
    }
    printf("%s: %zu failures\n", name, hits);
}

static void try_all(const char *name, mech_status (*act)(subject *))
{
    subject s;
    if (!subject_text(&s, text)) return;
    CHECK(mech_eval_position(s.eval, 0, below) == MECH_OK && mech_eval_velocity(s.eval, rest) == MECH_OK);
    try_subject(name, &s, act);
    subject_free(&s);
}

/* What friction holds, and a steady motion that begins displaced: models of their own. */
static mech_equilibrium_result resting;

static mech_status hold(subject *s)
{
    mech_equilibrium *e;
    const mech_status status = mech_equilibrium_hold(s->system, &resting, &e);
    mech_equilibrium_free(e);
    return status;
}

static void try_text(const char *name, const char *model, mech_status (*act)(subject *))
{
    subject s;
    if (!subject_text(&s, model)) return;
    try_subject(name, &s, act);
    subject_free(&s);
}

/* A pool that ran out of memory stays failed, so every trial has its own model. */
static void try_symbolic(void)
{
    static const char *const symbols[] = {"g", "c"};
    size_t hits = 0;
    for (size_t k = 1; k < 100000; k += 1 + k / 50) {
        subject s;
        mech_symbolic *y;
        mech_symbolic_options o;
        if (!subject_text(&s, text)) return;
        mech_symbolic_options_default(&o, sizeof o);
        o.q = below;
        o.v = rest;
        o.z = none;
        o.symbols = symbols;
        o.symbol_count = 2;
        mem_fault_set(k);
        const mech_status status = mech_symbolic_create(s.model, &o, &y);
        const int hit = mem_fault_hit();
        mem_fault_set(0);
        mech_symbolic_free(y);
        subject_free(&s);
        CHECK(hit || status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
        if (!hit) break;
        CHECK(status == MECH_ERR_MEMORY);
        hits++;
    }
    CHECK(mem_fault_live() == 0);
    printf("symbolic: %zu failures\n", hits);
}

int main(void)
{
    try_all("equilibrium", find);
    try_all("linearize", linearize);
    try_all("gains", gains);
    try_all("look for gains", look_for_gains);
    try_text("explain", "coord x\nkinetic x'^2/2\nforce 3 on x'\nstate s: s' = 2\n", explain);
    try_all("sweep", sweep);
    try_all("branches", branches);
    try_all("routh", routh);
    try_all("exact", exact);
    try_text("steady",
             "param w = 4\ncoord theta, phi\nkinetic (theta'^2 + sin(theta)^2*phi'^2)/2\n"
             "potential -9.81*cos(theta)\ninitial theta = 0\nsteady phi' = w\n",
             find);
    resting = (mech_equilibrium_result){.n = 2, .q = rest, .v = rest};
    try_text("hold",
             "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 5*y - x\nconstraint plane: y = 0\n"
             "friction on plane: 0.3, along x'\n",
             hold);
    try_symbolic();
    return check_report();
}
