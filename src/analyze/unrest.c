/* Why no equilibrium was found, in words: what can be seen from where the search began. */
#include <mech/analyze.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/tolerances.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

enum { MOST_NAMED = 6, PLACES = 8 };

typedef struct unrest {
    const mech_system *system;
    mech_eval *eval;
    const mech_equation *e;
    mech_sizes sizes;
    textbuf text;
} unrest;

/* Constraints that move: rows with |r'| at rest, "rod by 0.21, ...". 1: there are some, and they were told. */
static int tell_moving(unrest *u)
{
    size_t count = 0;
    for (size_t i = 0; i < u->sizes.rows; i++) {
        if (!u->e->active[i] || !(fabs(u->e->r_dot[i]) > TOL_UNREST_MOVES) || count++ >= MOST_NAMED) continue;
        text_add(&u->text, count > 1 ? ", " : "nothing rests while constraints move; at rest velocities miss ");
        text_format(&u->text, "%s by %.6g", mech_system_row_name(u->system, i), u->e->r_dot[i]);
    }
    if (count > MOST_NAMED) text_format(&u->text, " and %zu more", count - MOST_NAMED);
    if (count)
        text_add(&u->text, "\nsay with 'steady' which velocities stay constant, or hold the constraints still\n");
    return count > 0;
}

static int tell_energy(unrest *u)
{
    static const char *const names[] = {"the kinetic energy", "the potential energy", "the dissipation"};
    MECH_IGNORE(mech_eval_output(u->eval));
    for (int i = 0; i < 3; i++) {
        if (isfinite(u->e->energy[i])) continue;
        text_format(&u->text, "where it began %s is not a finite number: the state lies outside its domain\n",
                    names[i]);
        return 1;
    }
    return 0;
}

static mech_status look_at(const unrest *u, mech_instant *instant, const double *q, const double *v, const double *z)
{
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.t = *u->e->t;
    at.q = q;
    at.v = v;
    at.z = z;
    at.skip_diagnosis = 1;
    return mech_instant_solve(instant, &at);
}

/* The equation itself cannot be solved there. */
static int tell_instant(unrest *u, mech_instant *instant)
{
    const mech_status status = look_at(u, instant, u->e->q, u->e->v, u->e->z);
    if (status != MECH_ERR_SINGULAR_MASS && status != MECH_ERR_NOT_DEFINITE && status != MECH_ERR_NOT_FINITE &&
        status != MECH_ERR_NOT_UNIQUE)
        return 0;
    char *why = mech_instant_explain(instant);
    u->text.failed |= !why;
    text_format(&u->text, "%s: %s\n", status == MECH_ERR_NOT_UNIQUE ? "there" : "where it began", why ? why : "");
    mech_text_free(why);
    return 1;
}

/* Another value for each number: what one of several states around x is made of. */
static void look_elsewhere(int number, size_t count, const double *x, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = x[i] + number * 0.3 * (1 + fabs(x[i])) * sin(1.7 * (double)number + 2.3 * (double)i);
}

/* What is the same in all: other values become 0. */
static void keep_same(size_t count, const double *now, int is_first, double *same)
{
    for (size_t i = 0; i < count; i++)
        same[i] = is_first || fabs(now[i] - same[i]) <= TOL_UNREST_SAME * fabs(same[i]) ? now[i] : 0;
}

static size_t first_of(const double *same, size_t count)
{
    size_t i = 0;
    while (i < count && same[i] == 0) i++;
    return i;
}

/* A coordinate that is accelerated alike wherever it was looked, at rest, comes to rest nowhere, nor does a state with
   one rate: a sampled value that counts, say. 1: there is one, and it was told. */
static int tell_driven(unrest *u, mech_instant *instant)
{
    const size_t n = u->sizes.coords, states = u->sizes.states;
    double *room = mem_zeroed(3 * n + 2 * states + 1, sizeof *room), *same = room, *q = room + n, *still = room + 2 * n,
           *rate = room + 3 * n, *z = rate + states;
    int seen = 0;
    u->text.failed |= !room;
    for (; room && seen < PLACES; seen++) {
        look_elsewhere(seen, n, u->e->q, q);
        look_elsewhere(seen, states, u->e->z, z);
        if (look_at(u, instant, q, still, z) != MECH_OK) break;
        keep_same(n, mech_instant_get(instant)->qdd, seen == 0, same);
        if (states) keep_same(states, mech_eval_equation(mech_instant_eval(instant))->rate, seen == 0, rate);
    }
    const size_t driven = seen == PLACES ? first_of(same, n) : n,
                 running = seen == PLACES ? first_of(rate, states) : states;
    if (driven < n)
        text_format(
            &u->text,
            "%s'' is %.6g at each of %d states that were looked at: nothing balances what drives it; a force, a "
            "constraint or 'steady' would\n",
            mech_system_name(u->system, MECH_ITEM_COORD, driven), same[driven], (int)PLACES);
    else if (running < states)
        text_format(
            &u->text,
            "%s never rests: its rate, or what a sample adds to it, is %.6g at each of %d states that were looked "
            "at; leave it out of the model here\n",
            mech_system_name(u->system, MECH_ITEM_STATE, running), rate[running], (int)PLACES);
    mem_free(room);
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
static void tell_carried(unrest *u)
{
    const mech_pattern A = mech_system_pattern(u->system, MECH_MATRIX_A);
    for (size_t k = 0; k < A.count && u->sizes.steadies > 0; k++) {
        const size_t coord = A.column[k], constraint = mech_system_row(u->system, A.row[k]).constraint;
        const int body = body_of(u->system, coord);
        if (!body || !is_joint(mech_system_name(u->system, MECH_ITEM_CONSTRAINT, constraint))) continue;
        text_format(
            &u->text,
            "in a steady motion no coordinate is accelerated; those of %.*s are where it is carried round, since "
            "its joint is a constraint\n",
            body, mech_system_name(u->system, MECH_ITEM_COORD, coord));
        text_add(&u->text, "leave out what makes it one (reaction(JOINT), an event, friction, 'by constraint', "
                           "'coordinates absolute'): JOINT.force and JOINT.torque do without\n");
        return;
    }
}

static mech_unrest tell(unrest *u, mech_instant *instant, mech_status failure)
{
    const int is_steady = u->sizes.steadies > 0;
    if (failure == MECH_ERR_SINGULAR_MASS || failure == MECH_ERR_NOT_UNIQUE)
        return instant && tell_instant(u, instant) ? MECH_UNREST_UNSOLVED : MECH_UNREST_UNKNOWN;
    if (failure != MECH_ERR_NO_EQUILIBRIUM) return MECH_UNREST_UNKNOWN;
    if (!is_steady && tell_moving(u)) return MECH_UNREST_MOVING;
    mech_unrest kind = MECH_UNREST_UNKNOWN;
    if (tell_energy(u) || (instant && tell_instant(u, instant))) kind = MECH_UNREST_UNSOLVED;
    else if (instant && !is_steady && tell_driven(u, instant)) return MECH_UNREST_DRIVEN;
    tell_carried(u);
    return kind;
}

char *mech_equilibrium_explain(const mech_system *system, mech_eval *eval, mech_status failure, mech_unrest *kind)
{
    unrest u = {.system = system, .eval = eval, .e = mech_eval_equation(eval), .sizes = mech_system_sizes(system)};
    mech_instant *instant = NULL;
    u.text.failed = mech_instant_create(system, 0, &instant) == MECH_ERR_MEMORY;
    const mech_unrest found = tell(&u, instant, failure);
    if (kind) *kind = found;
    mech_instant_free(instant);
    return text_take(&u.text);
}
