/* A tape as C on vectors: one statement an operation, slots as variables. For several states at once in registers,
   where the tape itself would read and write its slots. */
#include "compile/tape.h"

#include "base/mem.h"
#include "compile/emit_room.h"
#include "fundamental/plan.h"

#include <string.h>

static const char prelude[] =
    "typedef double vec __attribute__((vector_size(8*WIDE), aligned(8)));\n"
    "typedef long long bits __attribute__((vector_size(8*WIDE), aligned(8)));\n"
    "#define B(x) ((vec){0} + (x))\n"
    "#define WHERE(kept, x) ((vec)((bits)(x) & (kept)))\n"
    "#define SIZE(x) ((vec)((bits)(x) & 0x7fffffffffffffffLL))\n"
    "#define PIVOT(x, A, P) do { const vec a = A, b = P; x = WHERE(a > DROP*b, 1.0/a); f |= ~(a > WEAK*b); } while (0)\n"
    "#define PIVOT2(x, y, z, A, P, C, D, E) do { const vec a = A, b = P, c = C, left = a*c - b*b, whole = D*E; \\\n"
    "    const vec scale = WHERE(left > DROP*whole, 1.0/left); x = c*scale; y = b*scale; z = a*scale; \\\n"
    "    f |= ~(left > WEAK*whole); } while (0)\n"
    "#define INVERT2(x, y, z, A, P, C, D, E) do { const vec a = A, b = P, c = C, left = a*c - b*b, scale = 1.0/left, \\\n"
    "    whole = D*E; x = c*scale; y = b*scale; z = a*scale; f |= ~((left > MASS*whole) & (a > 0.0)); } while (0)\n"
    "#define GUARD(a, b) f |= ~((a > MASS*b) & (a > 0.0))\n"
    "#define MONITOR(a, b) f |= ~(SIZE(a) <= MISSED*SIZE(b))\n"
    "#define CLEAR(a, b) f |= ~(SIZE(a) > PART*b)\n"
    "#define SELECT(a, b, c) (vec)(((bits)(b) & (bits)(a != 0.0)) | ((bits)(c) & (bits)(a == 0.0)))\n"
    "static inline vec roots(vec x) { for (int i = 0; i < WIDE; i++) x[i] = __builtin_sqrt(x[i]); return x; }\n"
    "static inline __attribute__((always_inline)) void turns(vec x, vec *sine, vec *cosine)\n"
    "{\n"
    "    const vec shifted = x*0.63661977236758138 + 0x1.8p52, turns = shifted - 0x1.8p52;\n"
    "    const bits quadrant = (bits)shifted;\n"
    "    vec r = x - turns*1.57079632673412561417e+00;\n"
    "    r = r - turns*6.07710050630396597660e-11;\n"
    "    r = r - turns*2.02226624879595063154e-21;\n"
    "    const vec y = r*r, y2 = y*y, y4 = y2*y2;\n"
    "    const vec s0 = -1.66666666666666324348e-01 + y*8.33333333332248946124e-03;\n"
    "    const vec s1 = -1.98412698298579493134e-04 + y*2.75573137070700676789e-06;\n"
    "    const vec s2 = -2.50507602534068634195e-08 + y*1.58969099521155010221e-10;\n"
    "    const vec c0 = 4.16666666666666019037e-02 + y*-1.38888888888741095749e-03;\n"
    "    const vec c1 = 2.48015872894767294178e-05 + y*-2.75573143513906633035e-07;\n"
    "    const vec c2 = 2.08757232129817482790e-09 + y*-1.13596475577881948265e-11;\n"
    "    const vec sr = r + (r*y)*((s0 + y2*s1) + y4*s2);\n"
    "    const vec half = y*0.5, one = 1.0 - half;\n"
    "    const vec cr = one + (((1.0 - one) - half) + y2*((c0 + y2*c1) + y4*c2));\n"
    "    const bits swap = -(quadrant & 1), si = (bits)sr, ci = (bits)cr;\n"
    "    *sine = (vec)(((si & ~swap) | (ci & swap)) ^ ((quadrant & 2) << 62));\n"
    "    *cosine = (vec)(((ci & ~swap) | (si & swap)) ^ (((quadrant + 1) & 2) << 62));\n"
    "}\n\n";

static const char *const patterns[] = {
#define PATTERN(name, value) [TAPE_##name] = #value,
    TAPE_ARITHMETIC(PATTERN)
#undef PATTERN
        [TAPE_SQRT] = "roots(a)",
    [TAPE_ABS] = "SIZE(a)",
    [TAPE_ADDABS] = "a + SIZE(b)",
    [TAPE_SELECT] = "SELECT(a, b, c)",
};

static void add_slot(textbuf *to, const tape *t, uint32_t slot)
{
    text_format(to, "%c%u", slot < t->constant_count ? 'c' : 's', (unsigned)slot);
}

/* Names of functions are in capitals or begin with r; operands are single letters. */
static void add_pattern(textbuf *to, const tape *t, const tape_op *i)
{
    const uint32_t operands[] = {i->a, i->b, i->c, i->d, i->e};
    const char *text = patterns[i->code];
    if (strncmp(text, "roots", 5) == 0) {
        text_add(to, "roots");
        text += 5;
    }
    for (; *text; text++) {
        if (*text >= 'a' && *text <= 'e') add_slot(to, t, operands[*text - 'a']);
        else text_add_char(to, *text);
    }
}

static void add_call(textbuf *to, const tape *t, const char *name, const uint32_t *slots, int count)
{
    text_format(to, "    %s(", name);
    for (int k = 0; k < count; k++) {
        if (k) text_add(to, ", ");
        add_slot(to, t, slots[k]);
    }
    text_add(to, ");\n");
}

static mech_status add_operation(textbuf *to, const tape *t, const tape_op *i)
{
    const uint32_t pair[] = {i->out, i->out + 1, i->out + 2, i->a, i->b, i->c, i->d, i->e};
    switch (i->code) {
    case TAPE_PIVOT: add_call(to, t, "PIVOT", (const uint32_t[]){i->out, i->a, i->b}, 3); return MECH_OK;
    case TAPE_PIVOT2: add_call(to, t, "PIVOT2", pair, 8); return MECH_OK;
    case TAPE_INVERT2: add_call(to, t, "INVERT2", pair, 8); return MECH_OK;
    case TAPE_GUARD: add_call(to, t, "GUARD", &pair[3], 2); return MECH_OK;
    case TAPE_MONITOR: add_call(to, t, "MONITOR", &pair[3], 2); return MECH_OK;
    case TAPE_CLEAR: add_call(to, t, "CLEAR", &pair[3], 2); return MECH_OK;
    case TAPE_ANGLES:
        for (size_t k = 0; k < 8 && t->angles[i->a].arg[k]; k++) {
            const tape_angles *batch = &t->angles[i->a];
            text_add(to, "    far |= (SIZE(");
            add_slot(to, t, batch->arg[k]);
            text_add(to, ") > 1e6);\n    turns(");
            add_slot(to, t, batch->arg[k]);
            text_format(to, ", &s%u, &s%u);\n", (unsigned)batch->sine[k], (unsigned)batch->cosine[k]);
        }
        return MECH_OK;
    case TAPE_CALL:
    case TAPE_END: return MECH_ERR_UNSUPPORTED;
    default: break;
    }
    text_format(to, "    s%u = ", (unsigned)i->out);
    add_pattern(to, t, i);
    text_add(to, ";\n");
    return MECH_OK;
}

/* What stands before the motion: constants, what depends on parameters alone, and the inputs. */
static void add_slots(textbuf *to, const tape *t, const emit_place *inputs, const unsigned char *is_input)
{
    for (size_t k = 0; k < t->constant_count; k++) {
        text_format(to, "    const vec c%zu = B(", k);
        emit_number(to, t->constants[k]);
        text_add(to, ");\n");
    }
    for (size_t k = t->constant_count; k < t->slot_count; k++)
        if (!is_input[k]) text_format(to, "    vec s%zu = *(const vec *)(k + %zu);\n", k, k * TAPE_LANES);
    for (size_t k = 0; k < t->input_count; k++) {
        const emit_place *from = &inputs[t->inputs[k].from];
        text_format(to, "    vec s%u = %s", (unsigned)t->inputs[k].slot, from->array);
        if (from->index != EMIT_SCALAR) text_format(to, "[%u]", (unsigned)from->index);
        text_add(to, ";\n");
    }
}

mech_status tape_emit_vectors(const tape *t, int wide, const emit_place *inputs, const emit_place *outputs,
                              size_t count, textbuf *to)
{
    unsigned char *is_input = mem_zeroed(t->slot_count + 1, 1);
    mech_status status = is_input ? MECH_OK : MECH_ERR_MEMORY;
    if (!is_input) return status;
    for (size_t k = 0; k < t->input_count; k++) is_input[t->inputs[k].slot] = 1;
    text_format(to, "#define WIDE %d\n", wide);
    text_add(to, prelude);
    text_add(
        to,
        "static inline __attribute__((always_inline)) bits slope(const double *k, vec t, const vec *y, vec *to)\n{\n"
        "    bits f = {0}, far = {0};\n");
    add_slots(to, t, inputs, is_input);
    for (const tape_op *i = t->ops + t->motion_first; i->code != TAPE_END && status == MECH_OK; i++)
        status = add_operation(to, t, i);
    for (size_t i = 0; i < count; i++) {
        text_format(to, "    %s[%u] = %s", outputs[i].array, (unsigned)outputs[i].index, t->outputs[i].from ? "-" : "");
        add_slot(to, t, t->outputs[i].slot);
        text_add(to, ";\n");
    }
    text_add(to, "    return f | far;\n}\n\n");
    mem_free(is_input);
    return status == MECH_OK && to->failed ? MECH_ERR_MEMORY : status;
}
