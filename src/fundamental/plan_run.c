/* The plan on doubles. The emitter writes the same operations as C: keep the two alike (compile/graph.c). */
#include "fundamental/plan.h"

#include <math.h>

static unsigned doubt_unless(int is_clear) { return is_clear ? 0 : PLAN_FLAG_DOUBT; }
static unsigned weak_unless(int is_clear) { return is_clear ? 0 : PLAN_FLAG_WEAK; }

/* What is left of a row, d, beside the whole. */
static unsigned look_at(double d, double whole)
{
    return d > PLAN_DOUBT * whole ? weak_unless(d > PLAN_WEAK * whole) : PLAN_FLAG_DOUBT;
}

static unsigned pivot(double d, double whole, double *out)
{
    const int is_kept = d > PLAN_DROP * whole;
    *out = is_kept ? 1 / d : 0;
    return look_at(d, whole) | (is_kept ? 0u : PLAN_FLAG_DROPPED);
}

/* Of two rows that depend on one another the one of which more is left is kept. */
static unsigned drop_one(double a, double c, double d, double e, double *out)
{
    out[0] = out[1] = out[2] = 0;
    if (a * e >= c * d) (void)pivot(a, d, &out[0]);
    else (void)pivot(c, e, &out[2]);
    return PLAN_FLAG_DOUBT | PLAN_FLAG_DROPPED;
}

static void cramer(double a, double b, double c, double det, double *out)
{
    const double scale = 1 / det;
    out[0] = c * scale;
    out[1] = -b * scale;
    out[2] = a * scale;
}

static unsigned pivot2(double a, double b, double c, double d, double e, double *out)
{
    const double det = a * c - b * b, whole = d * e;
    if (!(det > PLAN_DROP * whole)) return drop_one(a, c, d, e, out);
    cramer(a, b, c, det, out);
    return look_at(det, whole);
}

static unsigned invert2(double a, double b, double c, double d, double e, double *out)
{
    const double det = a * c - b * b;
    cramer(a, b, c, det, out);
    return doubt_unless(det > PLAN_MASS * (d * e) && a > 0);
}

static unsigned solve2(double a, double b, double c, double d, double whole, double *out)
{
    const double det = a * d - b * c, scale = 1 / det;
    out[0] = d * scale;
    out[1] = -b * scale;
    out[2] = -c * scale;
    out[3] = a * scale;
    return weak_unless(fabs(det) > PLAN_PART * whole);
}

static unsigned run(const plan *p, size_t first, size_t last, double *s)
{
    unsigned flags = 0;
    const plan_op *const end = p->ops + last;
    for (const plan_op *i = p->ops + first; i != end; i++) {
        const double a = s[i->a], b = s[i->b];
        double *out = &s[i->out];
        switch (i->code) {
        case PLAN_MUL: *out = a * b; break;
        case PLAN_NEGMUL: *out = -(a * b); break;
        case PLAN_MULADD: *out = s[i->c] + a * b; break;
        case PLAN_MULSUB: *out = s[i->c] - a * b; break;
        case PLAN_SIZE: *out = (i->c == PLAN_NONE ? 0 : s[i->c]) + fabs(a * b); break;
        case PLAN_INVERT:
            *out = 1 / a;
            flags |= doubt_unless(a > PLAN_MASS * b && a > 0);
            break;
        case PLAN_INVERT2: flags |= invert2(a, b, s[i->c], s[i->d], s[i->e], out); break;
        case PLAN_PIVOT: flags |= pivot(a, b, out); break;
        case PLAN_PIVOT2: flags |= pivot2(a, b, s[i->c], s[i->d], s[i->e], out); break;
        case PLAN_NEG: *out = -a; break;
        case PLAN_NORM: *out = (i->c == PLAN_NONE ? 0 : s[i->c]) + ldexp(fabs(a), (int)i->d - PLAN_BIAS); break;
        case PLAN_SOLVE:
            *out = 1 / a;
            flags |= weak_unless(fabs(a) > PLAN_PART * b);
            break;
        case PLAN_ADD: *out = a + b; break;
        case PLAN_ROOM: *out = ldexp(fabs(a), (int)i->d - PLAN_BIAS) + PLAN_TINY; break;
        case PLAN_CLEAR: flags |= weak_unless(a > PLAN_PART * b); break;
        case PLAN_BOUND: flags |= weak_unless(1 > PLAN_PART * a); break;
        case PLAN_SOLVE2: flags |= solve2(a, b, s[i->c], s[i->d], s[i->e], out); break;
        default: flags |= doubt_unless(fabs(a) <= PLAN_MISSED * fabs(b)); break;
        }
    }
    return flags;
}

unsigned plan_run(const plan *p, double *slots) { return run(p, 0, p->op_count, slots); }

/* ---- which rows depend on others ---- */

/* 1/d, or 0 when the row is found to depend on those before it. */
static double invert_or_drop(double d, double whole, uint32_t row, unsigned char *dependent)
{
    if (d > PLAN_DEPENDENT * whole) return 1 / d;
    dependent[row] = 1;
    return 0;
}

static void look(const plan_op *i, const plan_cut *cut, double *s, unsigned char *dependent)
{
    double *out = &s[i->out];
    const double a = s[i->a], b = s[i->b];
    if (i->code == PLAN_PIVOT) {
        *out = invert_or_drop(a, b, cut->row[0], dependent);
        return;
    }
    const double c = s[i->c], d = s[i->d], e = s[i->e], det = a * c - b * b;
    if (det > PLAN_DEPENDENT * (d * e)) {
        cramer(a, b, c, det, out);
        return;
    }
    const int keeps_first = a * e >= c * d;
    out[0] = out[1] = out[2] = 0;
    dependent[cut->row[keeps_first]] = 1;
    if (keeps_first) out[0] = invert_or_drop(a, d, cut->row[0], dependent);
    else out[2] = invert_or_drop(c, e, cut->row[1], dependent);
}

void plan_find_dependent(const plan *p, double *s, unsigned char *dependent)
{
    size_t done = 0;
    for (size_t k = 0; k < p->cut_count; k++) { /* a pivot is the first operation after its cut */
        const size_t at = p->cuts[k].op;
        if (p->cuts[k].kind != PLAN_FORWARD) continue;
        (void)run(p, done, at, s);
        look(&p->ops[at], &p->cuts[k], s, dependent);
        done = at + 1;
    }
}
