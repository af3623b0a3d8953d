/* The plan on doubles. The emitter writes the same operations as C: keep the two alike (compile/graph.c). */
#include "fundamental/plan.h"

#include <math.h>

/* 1 where what is left, d, is clear beside the whole, w. */
static unsigned doubt_unless(int is_clear) { return is_clear ? 0 : PLAN_FLAG_DOUBT; }

static unsigned pivot(double d, double whole, double *out)
{
    const int is_kept = d > PLAN_DROP * whole;
    *out = is_kept ? 1 / d : 0;
    return doubt_unless(d > PLAN_DOUBT * whole) | (is_kept ? 0u : PLAN_FLAG_DROPPED);
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
    return doubt_unless(det > PLAN_DOUBT * whole);
}

static unsigned invert2(double a, double b, double c, double d, double e, double *out)
{
    const double det = a * c - b * b;
    cramer(a, b, c, det, out);
    return doubt_unless(det > PLAN_MASS * (d * e) && a > 0);
}

static unsigned step(const plan_op *i, double *s)
{
    const double a = s[i->a], b = s[i->b];
    double *out = &s[i->out];
    switch (i->code) {
    case PLAN_MUL: *out = a * b; return 0;
    case PLAN_NEGMUL: *out = -(a * b); return 0;
    case PLAN_MULADD: *out = s[i->c] + a * b; return 0;
    case PLAN_MULSUB: *out = s[i->c] - a * b; return 0;
    case PLAN_SIZE: *out = (i->c == PLAN_NONE ? 0 : s[i->c]) + fabs(a * b); return 0;
    case PLAN_INVERT: *out = 1 / a; return doubt_unless(a > PLAN_MASS * b && a > 0);
    case PLAN_INVERT2: return invert2(a, b, s[i->c], s[i->d], s[i->e], out);
    case PLAN_PIVOT: return pivot(a, b, out);
    case PLAN_PIVOT2: return pivot2(a, b, s[i->c], s[i->d], s[i->e], out);
    default: return doubt_unless(fabs(a) <= PLAN_MISSED * fabs(b));
    }
}

unsigned plan_run(const plan *p, double *s)
{
    unsigned flags = 0;
    const plan_op *const end = p->ops + p->op_count;
    for (const plan_op *i = p->ops; i != end; i++) flags |= step(i, s);
    return flags;
}

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
    size_t cut = 0;
    for (size_t i = 0; i < p->op_count; i++) {
        const plan_op *op = &p->ops[i];
        while (cut + 1 < p->cut_count && p->cuts[cut + 1].op <= i) cut++;
        if (op->code == PLAN_PIVOT || op->code == PLAN_PIVOT2) look(op, &p->cuts[cut], s, dependent);
        else (void)step(op, s);
    }
}
