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
    "static inline __attribute__((always_inline, unused)) void sincos##W(const v##W *at, v##W *sine, v##W *cosine) "
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
                                 "INNER void sincos##W(v##W *x, v##W *sine, v##W *cosine) \\\n"
                                 "{ \\\n"
                                 "    for (int i = 0; i < W; i++) { \\\n"
                                 "        (*sine)[i] = sin((*x)[i]); \\\n"
                                 "        (*cosine)[i] = cos((*x)[i]); \\\n"
                                 "    } \\\n"
                                 "}\n"
                                 "#endif\n";

/* What a function of the prelude begins with. */
static const char inner[] = "#if defined(__GNUC__)\n"
                            "#define LIKELY(claim) __builtin_expect((claim), 1)\n"
                            "#define INNER static inline __attribute__((unused))\n"
                            "#else\n"
                            "#define LIKELY(claim) (claim)\n"
                            "#define INNER static inline\n"
                            "#endif\n"
                            "\n";

static const char guards[] =
    "/* 1/left where it is clear beside the whole row, 0 where the row depends on those before it */\n"
    "INNER double pivot(double left, double whole, int *flags)\n"
    "{\n"
    "    if (LIKELY(left > WEAK*whole)) return 1.0/left;\n"
    "    *flags |= left > DOUBT*whole ? 4 : left > DROP*whole ? 1 : 3;\n"
    "    return left > DROP*whole ? 1.0/left : 0.0;\n"
    "}\n"
    "\n"
    "/* the inverse of [a b; b c]: x, -y, z */\n"
    "INNER int pivot2(double a, double b, double c, double d, double e, double *x, double *y, "
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
    "INNER int invert2(double a, double b, double c, double d, double e, double *x, double "
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

static void define_all(textbuf *to, int is_single)
{
    define(to, "DROP", is_single ? PLAN_SINGLE_DROP : PLAN_DROP);
    define(to, "DOUBT", is_single ? PLAN_SINGLE_DOUBT : PLAN_DOUBT);
    define(to, "WEAK", is_single ? PLAN_SINGLE_WEAK : PLAN_WEAK);
    define(to, "MASS", is_single ? PLAN_SINGLE_MASS : PLAN_MASS);
    define(to, "MISSED", is_single ? PLAN_SINGLE_MISSED : PLAN_MISSED);
    define(to, "PART", is_single ? PLAN_SINGLE_PART : PLAN_PART);
    text_add_char(to, '\n');
}

void emit_prelude(textbuf *to, int is_single)
{
    text_add(to, "#include <math.h>\n\n");
    define_all(to, is_single);
    text_add(to, inner);
    text_add(to, guards);
    text_add(to, "\n/* sines and cosines of several angles at once */\n");
    text_add(to, sine);
    text_add(to, plain_sine);
    text_add(to, "SINCOS(2)\nSINCOS(4)\nSINCOS(8)\n\n");
}

/* What a card needs in place of the above: one angle a time, the same reduction and polynomials. */
static const char card[] = "#ifdef __CUDACC__\n"
                           "#define restrict __restrict__\n"
                           "#define INNER static __device__ __forceinline__\n"
                           "#define APART static __device__ __noinline__\n"
                           "#define TABLE static __device__ const\n"
                           "#define LOW_BITS(x) __double2loint(x)\n"
                           "#else\n"
                           "#include <math.h>\n"
                           "#include <stddef.h>\n"
                           "#if defined(__GNUC__)\n"
                           "#define INNER static inline __attribute__((unused))\n"
                           "#define APART static __attribute__((unused))\n"
                           "#else\n"
                           "#define INNER static inline\n"
                           "#define APART static\n"
                           "#endif\n"
                           "#define TABLE static const\n"
                           "INNER int low_bits(double x)\n"
                           "{\n"
                           "    union { double of; long long bits; } both;\n"
                           "    both.of = x;\n"
                           "    return (int)(both.bits & 0xffff);\n"
                           "}\n"
                           "#define LOW_BITS(x) low_bits(x)\n"
                           "#endif\n"
                           "#define LIKELY(claim) (claim)\n"
                           "\n";

static const char card_sine[] =
    "\n"
    "/* Of x - (turns of pi/2), by the polynomials of fdlibm; beyond 1e6 by the library. */\n"
    "INNER double reduced(double x, int *turns)\n"
    "{\n"
    "    const double shifted = fma(x, 0.63661977236758138, 6755399441055744.0), nearest = shifted - 6755399441055744.0;\n"
    "    *turns = LOW_BITS(shifted);\n"
    "    return fma(nearest, -2.02226624879595063154e-21, fma(nearest, -6.07710050630396597660e-11,\n"
    "               fma(nearest, -1.57079632673412561417e+00, x)));\n"
    "}\n"
    "\n"
    "INNER double near_sine(double r, double y)\n"
    "{\n"
    "    double s = fma(y, 1.58969099521155010221e-10, -2.50507602534068634195e-08);\n"
    "    s = fma(y, s, 2.75573137070700676789e-06);\n"
    "    s = fma(y, s, -1.98412698298579493134e-04);\n"
    "    s = fma(y, s, 8.33333333332248946124e-03);\n"
    "    s = fma(y, s, -1.66666666666666324348e-01);\n"
    "    return fma(r*y, s, r);\n"
    "}\n"
    "\n"
    "INNER double near_cosine(double y)\n"
    "{\n"
    "    double c = fma(y, -1.13596475577881948265e-11, 2.08757232129817482790e-09);\n"
    "    c = fma(y, c, -2.75573143513906633035e-07);\n"
    "    c = fma(y, c, 2.48015872894767294178e-05);\n"
    "    c = fma(y, c, -1.38888888888741095749e-03);\n"
    "    c = fma(y, c, 4.16666666666666019037e-02);\n"
    "    return fma(y*y, c, fma(y, -0.5, 1.0));\n"
    "}\n"
    "\n"
    "APART void far_sine_cosine(double x, double *sine, double *cosine)\n"
    "{\n"
    "    *sine = sin(x);\n"
    "    *cosine = cos(x);\n"
    "}\n"
    "\n"
    "INNER void sine_cosine(double x, double *sine, double *cosine)\n"
    "{\n"
    "    int turns;\n"
    "    if (!(fabs(x) <= 1e6)) {\n"
    "        double far[2];\n"
    "        far_sine_cosine(x, &far[0], &far[1]);\n"
    "        *sine = far[0];\n"
    "        *cosine = far[1];\n"
    "        return;\n"
    "    }\n"
    "    const double r = reduced(x, &turns), y = r*r, s = near_sine(r, y), c = near_cosine(y);\n"
    "    const double from = turns & 1 ? c : s, other = turns & 1 ? s : c;\n"
    "    *sine = turns & 2 ? -from : from;\n"
    "    *cosine = (turns + 1) & 2 ? -other : other;\n"
    "}\n"
    "\n"
    "INNER double only_sine(double x)\n"
    "{\n"
    "    double sine, cosine;\n"
    "    sine_cosine(x, &sine, &cosine);\n"
    "    return sine;\n"
    "}\n"
    "\n"
    "INNER double only_cosine(double x)\n"
    "{\n"
    "    double sine, cosine;\n"
    "    sine_cosine(x, &sine, &cosine);\n"
    "    return cosine;\n"
    "}\n\n";

void emit_card_prelude(textbuf *to, int is_long)
{
    text_add(to, card);
    text_add(to, is_long ? "#define CARD APART\n" : "#define CARD INNER\n");
    define_all(to, 0);
    text_add(to, guards);
    text_add(to, card_sine);
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
