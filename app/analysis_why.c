/* Why no equilibrium was found, in words: what can be seen from where the search began. */
#include "analysis.h"
#include "say.h"

#include <mech/instant.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMED = 6 };

/* Rows with |r| above the bound, "rod by 0.21, ..."; how many there were. */
static size_t print_rows(const analysis *a, const double *r, double bound)
{
    const unsigned char *active = mech_eval_equation(a->eval)->active;
    size_t count = 0;
    for (size_t i = 0; i < a->sizes.rows; i++) {
        if (!active[i] || !(fabs(r[i]) > bound) || count++ >= MOST_NAMED) continue;
        if (count > 1) say("%s", ", ");
        say("%s", mech_system_row_name(a->system, i));
        say(" by %.6g", r[i]);
    }
    if (count > MOST_NAMED) say(" and %zu more", count - MOST_NAMED);
    return count;
}

static int any_above(const analysis *a, const double *r, double bound)
{
    const unsigned char *active = mech_eval_equation(a->eval)->active;
    for (size_t i = 0; i < a->sizes.rows; i++)
        if (active[i] && fabs(r[i]) > bound) return 1;
    return 0;
}

/* The equation itself cannot be solved there. */
static int print_instant(const analysis *a)
{
    mech_instant *instant = NULL;
    mech_instant_input at;
    const mech_equation *e = mech_eval_equation(a->eval);
    mech_instant_input_default(&at, sizeof at);
    at.t = a->t;
    at.q = e->q;
    at.v = e->v;
    at.z = e->z;
    at.skip_diagnosis = 1;
    int said = 0;
    mech_status status = mech_instant_create(a->system, 0, &instant);
    if (status == MECH_OK) status = mech_instant_solve(instant, &at);
    if (instant && (status == MECH_ERR_SINGULAR_MASS || status == MECH_ERR_NOT_DEFINITE ||
                    status == MECH_ERR_NOT_FINITE || status == MECH_ERR_NOT_UNIQUE)) {
        char *text = mech_instant_explain(instant);
        say("  %s: %s\n", status == MECH_ERR_NOT_UNIQUE ? "there" : "where it began",
            text ? text : mech_status_text(status));
        mech_text_free(text);
        said = 1;
    }
    mech_instant_free(instant);
    return said;
}

static int print_energy(const analysis *a)
{
    static const char *const names[] = {"the kinetic energy", "the potential energy", "the dissipation"};
    const mech_status ignored = mech_eval_output(a->eval);
    (void)ignored;
    const double *energy = mech_eval_equation(a->eval)->energy;
    for (int i = 0; i < 3; i++) {
        if (isfinite(energy[i])) continue;
        say("  where it began %s is not a finite number: the state lies outside its domain\n", names[i]);
        return 1;
    }
    return 0;
}

/* Another value for each number: what one of several states around x is made of. */
static void look_elsewhere(int number, size_t count, const double *x, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = x[i] + number * 0.3 * (1 + fabs(x[i])) * sin(1.7 * (double)number + 2.3 * (double)i);
}

/* Accelerations and rates at rest at one of several states around that where the search began; 0: there are none. */
static int looks_at(const analysis *a, mech_instant *instant, int number, double *q, double *z, const double *still)
{
    const mech_equation *e = mech_eval_equation(a->eval);
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    look_elsewhere(number, a->sizes.coords, e->q, q);
    look_elsewhere(number, a->sizes.states, e->z, z);
    at.t = a->t;
    at.q = q;
    at.v = still;
    at.z = z;
    at.skip_diagnosis = 1;
    return mech_instant_solve(instant, &at) == MECH_OK;
}

/* What is the same in all: other values become 0. */
static void keep_same(size_t count, const double *now, int is_first, double *same)
{
    for (size_t i = 0; i < count; i++)
        same[i] = is_first || fabs(now[i] - same[i]) <= 1e-12 * fabs(same[i]) ? now[i] : 0;
}

static size_t first_of(const double *same, size_t count)
{
    size_t i = 0;
    while (i < count && same[i] == 0) i++;
    return i;
}

/* A coordinate that is accelerated alike wherever it was looked comes to rest nowhere, nor does a state with one
   rate: a sampled value that counts, say. 1: there is one, and it was told. */
static int print_driven(const analysis *a)
{
    enum { STATES = 8 };
    const size_t n = a->sizes.coords, states = a->sizes.states;
    mech_instant *instant = NULL;
    double *room = calloc(3 * n + 2 * states + 1, sizeof *room), *first = room, *q = room + n, *still = room + 2 * n,
           *rate = room + 3 * n, *z = rate + states;
    int seen = 0;
    if (room && a->sizes.steadies == 0 && mech_instant_create(a->system, 0, &instant) == MECH_OK)
        while (seen < STATES && looks_at(a, instant, seen, q, z, still)) {
            keep_same(n, mech_instant_get(instant)->qdd, seen == 0, first);
            if (states) keep_same(states, mech_eval_equation(mech_instant_eval(instant))->rate, seen == 0, rate);
            seen++;
        }
    const size_t driven = seen == STATES ? first_of(first, n) : n,
                 running = seen == STATES ? first_of(rate, states) : states;
    if (driven < n)
        say("  %s'' is %.6g at each of %d states that were looked at: nothing balances what drives it; a force, a "
            "constraint or 'steady' would\n",
            mech_system_name(a->system, MECH_ITEM_COORD, driven), first[driven], (int)STATES);
    else if (running < states)
        say("  %s never rests: its rate, or what a sample adds to it, is %.6g at each of %d states that were looked at; "
            "leave it out of the model here\n",
            mech_system_name(a->system, MECH_ITEM_STATE, running), rate[running], (int)STATES);
    mech_instant_free(instant);
    free(room);
    return driven < n || running < states;
}

/* How long the name of the body is whose own coordinate this is, one that says how it is turned: B.e, in the plane
   B.angle. 0: it is none. */
static int body_of(const mech_system *system, size_t coord)
{
    const char *name = mech_system_name(system, MECH_ITEM_COORD, coord), *part = strrchr(name, '.');
    if (!mech_system_is_own(system, coord) || !part) return 0;
    return strncmp(part, ".e[", 3) == 0 || strcmp(part, ".angle") == 0 ? (int)(part - name) : 0;
}

/* Does the constraint do more than keep Euler parameters Euler parameters? */
static int is_joint(const char *constraint)
{
    const char *part = strrchr(constraint, '.');
    return !part || strcmp(part, ".unit") != 0;
}

/* A steady motion that carries bodies round is none in their own coordinates, which go on circles. */
static void print_carried(const analysis *a)
{
    const mech_pattern A = mech_system_pattern(a->system, MECH_MATRIX_A);
    for (size_t k = 0; k < A.count && a->sizes.steadies > 0; k++) {
        const size_t coord = A.column[k], constraint = mech_system_row(a->system, A.row[k]).constraint;
        const int body = body_of(a->system, coord);
        if (!body || !is_joint(mech_system_name(a->system, MECH_ITEM_CONSTRAINT, constraint))) continue;
        say("  in a steady motion no coordinate is accelerated; those of %.*s are where it is carried round, since its "
            "joint is a constraint\n",
            body, mech_system_name(a->system, MECH_ITEM_COORD, coord));
        say("  leave out what makes it one (reaction(JOINT), an event, friction, 'by constraint', 'coordinates absolute'): "
            "JOINT.force and JOINT.torque do without\n");
        return;
    }
}

static void print_no_equilibrium(const analysis *a)
{
    const mech_equation *e = mech_eval_equation(a->eval);
    if (a->sizes.steadies == 0 && any_above(a, e->r_dot, 1e-9)) {
        say("%s", "  nothing rests while constraints move; at rest velocities miss ");
        print_rows(a, e->r_dot, 1e-9);
        say("\n");
        say("  say with 'steady' which velocities stay constant, or hold the constraints still\n");
        return;
    }
    const char *here = strcmp(a->word, "linearize") == 0 || strcmp(a->word, "stability") == 0
                           ? "take a state as it is with --here"
                           : "";
    if (!print_energy(a) && !print_instant(a) && print_driven(a)) {
        if (*here) say("  %s\n", here);
        return;
    }
    print_carried(a);
    say("  begin elsewhere with --state NAME=VALUE%s%s\n", *here ? ", or " : "", here);
}

void analysis_why(const analysis *a, mech_status status)
{
    if (!a->eval) return;
    if (status == MECH_ERR_NO_EQUILIBRIUM) print_no_equilibrium(a);
    if (status == MECH_ERR_SINGULAR_MASS || status == MECH_ERR_NOT_UNIQUE) (void)print_instant(a);
}
