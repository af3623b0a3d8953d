/* The part of generated code that is always the same. */
#include "compile/emit.h"

/* Cody and Waite's reduction by pi/2 in three parts of 33 bits, polynomials of fdlibm on [-pi/4, pi/4]; at
   most 1.5 units in the last place for |x| < 1e6, beyond that the C library's. Estrin's order, for latency.
 */
static const char sine[] =
    "#if defined(__GNUC__) && defined(__FMA__) && !defined(__FAST_MATH__)\n"
    "#define SINCOS(W) \\\n"
    "typedef double v##W __attribute__((vector_size(8 * W))); \\\n"
    "typedef long long i##W __attribute__((vector_size(8 * W))); \\\n"
    "static inline __attribute__((always_inline)) void sincos##W(const v##W *at, v##W *sine, v##W *cosine) "
    "\\\n"
    "{ \\\n"
    "    const v##W x = *at; \\\n"
    "    const v##W shifted = x*0.63661977236758138 + 0x1.8p52; \\\n"
    "    const v##W turns = shifted - 0x1.8p52; \\\n"
    "    const i##W quadrant = (i##W)shifted; \\\n"
    "    v##W r = x - turns*1.57079632673412561417e+00; \\\n"
    "    r = r - turns*6.07710050630396597660e-11; \\\n"
    "    r = r - turns*2.02226624879595063154e-21; \\\n"
    "    const v##W y = r*r, y2 = y*y, y4 = y2*y2; \\\n"
    "    const v##W s0 = -1.66666666666666324348e-01 + y*8.33333333332248946124e-03; \\\n"
    "    const v##W s1 = -1.98412698298579493134e-04 + y*2.75573137070700676789e-06; \\\n"
    "    const v##W s2 = -2.50507602534068634195e-08 + y*1.58969099521155010221e-10; \\\n"
    "    const v##W c0 = 4.16666666666666019037e-02 + y*-1.38888888888741095749e-03; \\\n"
    "    const v##W c1 = 2.48015872894767294178e-05 + y*-2.75573143513906633035e-07; \\\n"
    "    const v##W c2 = 2.08757232129817482790e-09 + y*-1.13596475577881948265e-11; \\\n"
    "    const v##W sr = r + (r*y)*((s0 + y2*s1) + y4*s2); \\\n"
    "    const v##W half = y*0.5, one = 1.0 - half; \\\n"
    "    const v##W cr = one + (((1.0 - one) - half) + y2*((c0 + y2*c1) + y4*c2)); \\\n"
    "    const i##W swap = -(quadrant & 1), sflip = (quadrant & 2) << 62, cflip = ((quadrant + 1) & 2) << "
    "62; \\\n"
    "    const i##W si = (i##W)sr, ci = (i##W)cr; \\\n"
    "    *sine = (v##W)(((si & ~swap) | (ci & swap)) ^ sflip); \\\n"
    "    *cosine = (v##W)(((ci & ~swap) | (si & swap)) ^ cflip); \\\n"
    "    const i##W far = (i##W)((x > 1e6) | (x < -1e6) | (x != x)); \\\n"
    "    long long any = 0; \\\n"
    "    for (int i = 0; i < W; i++) any |= far[i]; \\\n"
    "    if (__builtin_expect(any != 0, 0)) \\\n"
    "        for (int i = 0; i < W; i++) { \\\n"
    "            (*sine)[i] = sin(x[i]); \\\n"
    "            (*cosine)[i] = cos(x[i]); \\\n"
    "        } \\\n"
    "}\n"
    "#else\n";

static const char plain_sine[] = "#define SINCOS(W) \\\n"
                                 "typedef double v##W[W]; \\\n"
                                 "static inline void sincos##W(v##W *x, v##W *sine, v##W *cosine) \\\n"
                                 "{ \\\n"
                                 "    for (int i = 0; i < W; i++) { \\\n"
                                 "        (*sine)[i] = sin((*x)[i]); \\\n"
                                 "        (*cosine)[i] = cos((*x)[i]); \\\n"
                                 "    } \\\n"
                                 "}\n"
                                 "#endif\n";

static const char guards[] =
    "#if defined(__GNUC__)\n"
    "#define LIKELY(claim) __builtin_expect((claim), 1)\n"
    "#define UNUSED __attribute__((unused))\n"
    "#else\n"
    "#define LIKELY(claim) (claim)\n"
    "#define UNUSED\n"
    "#endif\n"
    "\n"
    "/* 1/left where it is clear beside the whole row, 0 where the row depends on those before it */\n"
    "static inline UNUSED double pivot(double left, double whole, int *flags)\n"
    "{\n"
    "    if (LIKELY(left > WEAK*whole)) return 1.0/left;\n"
    "    *flags |= left > DOUBT*whole ? 4 : left > DROP*whole ? 1 : 3;\n"
    "    return left > DROP*whole ? 1.0/left : 0.0;\n"
    "}\n"
    "\n"
    "/* the inverse of [a b; b c]: x, -y, z */\n"
    "static inline UNUSED int pivot2(double a, double b, double c, double d, double e, double *x, double *y, "
    "double *z)\n"
    "{\n"
    "    const double left = a*c - b*b, whole = d*e;\n"
    "    if (LIKELY(left > DROP*whole)) {\n"
    "        const double scale = 1.0/left;\n"
    "        *x = c*scale;\n"
    "        *y = b*scale;\n"
    "        *z = a*scale;\n"
    "        return LIKELY(left > WEAK*whole) ? 0 : left > DOUBT*whole ? 4 : 1;\n"
    "    }\n"
    "    *x = *y = *z = 0.0;\n"
    "    if (a*e >= c*d && a > DROP*d) *x = 1.0/a;\n"
    "    if (!(a*e >= c*d) && c > DROP*e) *z = 1.0/c;\n"
    "    return 3;\n"
    "}\n"
    "\n"
    "/* the same of a mass, which must be definite */\n"
    "static inline UNUSED int invert2(double a, double b, double c, double d, double e, double *x, double "
    "*y, double *z)\n"
    "{\n"
    "    const double left = a*c - b*b, scale = 1.0/left;\n"
    "    *x = c*scale;\n"
    "    *y = b*scale;\n"
    "    *z = a*scale;\n"
    "    return !(left > MASS*(d*e) && a > 0.0);\n"
    "}\n";

static void define(textbuf *to, const char *name, double value)
{
    text_format(to, "#define %s ", name);
    text_add_double(to, value);
    text_add_char(to, '\n');
}

void emit_prelude(textbuf *to)
{
    text_add(to, "#include <math.h>\n\n");
    define(to, "DROP", PLAN_DROP);
    define(to, "DOUBT", PLAN_DOUBT);
    define(to, "WEAK", PLAN_WEAK);
    define(to, "MASS", PLAN_MASS);
    define(to, "MISSED", PLAN_MISSED);
    define(to, "PART", PLAN_PART);
    text_add_char(to, '\n');
    text_add(to, guards);
    text_add(to, "\n/* sines and cosines of several angles at once */\n");
    text_add(to, sine);
    text_add(to, plain_sine);
    text_add(to, "SINCOS(2)\nSINCOS(4)\nSINCOS(8)\n\n");
}

/* Only gcc has names for these. */
void emit_omissions(textbuf *to, int is_long)
{
    text_add(to, "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize (\"no-tree-pre");
    if (is_long)
        text_add(to,
                 ",no-tree-dse,no-dse,no-tree-pta,no-tree-fre,no-tree-sra,no-tree-ccp,no-tree-dominator-opts,\" \\\n"
                 "    \"no-tree-reassoc,no-tree-forwprop,no-tree-copy-prop,no-forward-propagate");
    text_add(to, "\")\n#endif\n");
}
