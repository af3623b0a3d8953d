/* The guarded inverses of a tape, alike for one state and for many: see plan_run.c for the same in the plan.
 */
#ifndef COMPILE_TAPE_GUARD_H
#define COMPILE_TAPE_GUARD_H

#include "compile/sincos.h"
#include "fundamental/plan.h"

#include <math.h>

static ALWAYS_INLINE int tape_look_at(double left, double whole)
{
    return left > PLAN_WEAK * whole ? 0 : left > PLAN_DOUBT * whole ? PLAN_FLAG_WEAK : PLAN_FLAG_DOUBT;
}

/* Flags of the plan, PLAN_FLAG_DOUBT is 1. */
static ALWAYS_INLINE int tape_pivot(double left, double whole, double *out)
{
    *out = left > PLAN_DROP * whole ? 1 / left : 0;
    return tape_look_at(left, whole);
}

/* out[0], -out[stride], out[2 stride]: the inverse of [a b; b c]. Of two rows that depend on one another
   neither is used; the state is in doubt, and the robust solve decides. */
static ALWAYS_INLINE int tape_pivot2(double a, double b, double c, double d, double e, double *out, int stride)
{
    const double left = a * c - b * b, whole = d * e, scale = left > PLAN_DROP * whole ? 1 / left : 0;
    out[0] = c * scale;
    out[stride] = b * scale;
    out[2 * stride] = a * scale;
    return tape_look_at(left, whole);
}

static ALWAYS_INLINE int tape_invert2(double a, double b, double c, double d, double e, double *out, int stride)
{
    const double left = a * c - b * b, scale = 1 / left;
    out[0] = c * scale;
    out[stride] = b * scale;
    out[2 * stride] = a * scale;
    return !((left > PLAN_MASS * (d * e)) & (a > 0));
}

static ALWAYS_INLINE int tape_guard(double a, double b) { return !((a > PLAN_MASS * b) & (a > 0)); }
static ALWAYS_INLINE int tape_clear(double a, double b) { return !(fabs(a) > PLAN_PART * b); }
static ALWAYS_INLINE int tape_monitor(double a, double b) { return !(fabs(a) <= PLAN_MISSED * fabs(b)); }

#endif
