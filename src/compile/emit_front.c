/* Fronts in straight lines: loops over an array, the same for all of them. */
#include "compile/emit_room.h"

/* The lower triangle of a symmetric matrix, two pivots at a time: column k begins at k*stride with its last row, the
   right side. What lies beyond a column in its last eight numbers takes part and must be a number. Behind the columns
   stand the inverses of the pivots, what each is judged by, and x. Written for vectors of any width, also of one. */
static const char loops[] =
    "#ifndef FRONT_LANES\n"
    "#if defined(__GNUC__)\n"
    "#define FRONT_LANES 8\n"
    "typedef double front_row __attribute__((vector_size(8*sizeof(double)), aligned(sizeof(double)), may_alias));\n"
    "#else\n"
    "#define FRONT_LANES 1\n"
    "typedef double front_row;\n"
    "#endif\n"
    "\n"
    "static int front_eliminate(int size, int all, int stride, double *restrict columns)\n"
    "{\n"
    "    double *inverse = columns + (all - 1)*stride, *whole = inverse + stride;\n"
    "    int f = 0;\n"
    "    for (int k = 0; k < all - 1; k++)\n"
    "        for (int i = all - k; i%8 != 0; i++) columns[k*stride + i] = 0.0;\n"
    "    for (int j = 0; j < size; j += 2) {\n"
    "        const double *x = columns + j*stride;\n"
    "        double *y = columns + (j + 1)*stride;\n"
    "        const double left = x[all - 1 - j], scale = 1.0/left, next = x[all - 2 - j]*scale;\n"
    "        f |= !(left > MASS*whole[j] && left > 0.0);\n"
    "        inverse[j] = scale;\n"
    "        if (j + 2 < all)\n"
    "            for (int i = 0; i < all - 1 - j; i += FRONT_LANES)\n"
    "                *(front_row *)(y + i) -= next * *(const front_row *)(x + i);\n"
    "        if (j + 1 == size) {\n"
    "            for (int k = j + 2; k < all - 1; k++) {\n"
    "                const double a = x[all - 1 - k]*scale;\n"
    "                for (int i = 0; i < all - k; i += FRONT_LANES)\n"
    "                    *(front_row *)(columns + k*stride + i) -= a * *(const front_row *)(x + i);\n"
    "            }\n"
    "            break;\n"
    "        }\n"
    "        const double then = y[all - 2 - j], other = 1.0/then;\n"
    "        f |= !(then > MASS*whole[j + 1] && then > 0.0);\n"
    "        inverse[j + 1] = other;\n"
    "        for (int k = j + 2; k < all - 1; k++) {\n"
    "            const double a = x[all - 1 - k]*scale, b = y[all - 1 - k]*other;\n"
    "            double *z = columns + k*stride;\n"
    "            for (int i = 0; i < all - k; i += FRONT_LANES)\n"
    "                *(front_row *)(z + i) = *(front_row *)(z + i) - a * *(const front_row *)(x + i)\n"
    "                    - b * *(const front_row *)(y + i);\n"
    "        }\n"
    "    }\n"
    "    return f;\n"
    "}\n"
    "\n"
    "/* x begins with -1 for the right side, and what is known of the rows. The last eight of x are still on their\n"
    "   way to memory: a vector would have to wait for them. */\n"
    "static void front_solve(int size, int all, int stride, double *restrict columns)\n"
    "{\n"
    "    const double *inverse = columns + (all - 1)*stride;\n"
    "    double *x = columns + (all + 1)*stride;\n"
    "    for (int j = size; j-- > 0;) {\n"
    "        const double *row = columns + j*stride;\n"
    "        const int count = all - 1 - j;\n"
    "        double sum = 0.0, more = 0.0;\n"
    "        int i = 0;\n"
    "#if FRONT_LANES == 8\n"
    "        front_row old = {0.0};\n"
    "        for (; i + 16 <= count; i += 8) old += *(const front_row *)(row + i) * *(const front_row *)(x + i);\n"
    "        sum = (old[0] + old[1]) + (old[2] + old[3]);\n"
    "        more = (old[4] + old[5]) + (old[6] + old[7]);\n"
    "#endif\n"
    "        for (; i + 1 < count; i += 2) {\n"
    "            sum += row[i]*x[i];\n"
    "            more += row[i + 1]*x[i + 1];\n"
    "        }\n"
    "        if (i < count) sum += row[i]*x[i];\n"
    "        x[count] = -(sum + more)*inverse[j];\n"
    "    }\n"
    "}\n"
    "#endif\n"
    "\n";

void emit_front_loops(const emitter *e)
{
    if (e->g->front_count) text_add(e->to, loops);
}

/* Each has its place in w[] from first to last. */
size_t emit_front_room(const graph *g, uint32_t number)
{
    size_t room = 0;
    for (uint32_t i = 0; i < number; i++) room += front_room(&g->fronts[i]);
    return room;
}

size_t emit_front_operations(const graph *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->front_count; i++) count += g->fronts[i].operations;
    return count;
}

int emit_front_statement(const emitter *e, uint32_t id, const graph_value *v)
{
    if (v->op != GRAPH_PUT && v->op != GRAPH_FRONT && v->op != GRAPH_BACK && v->op != GRAPH_TAKE) return 0;
    const graph_front *f = &e->g->fronts[v->c];
    const size_t at = emit_front_room(e->g, v->c);
    if (v->op == GRAPH_TAKE) {
        text_format(e->to, "    const double x%u = w[%zu];\n", (unsigned)id, at + v->d);
    } else if (v->op == GRAPH_PUT) {
        text_format(e->to, "    w[%zu] = ", at + v->d);
        emit_operand(e, v->a);
        text_add(e->to, ";\n");
    } else {
        text_format(e->to, "    %s(%u, %u, %u, w + %zu);\n",
                    v->op == GRAPH_FRONT ? "f |= front_eliminate" : "front_solve", (unsigned)f->size, (unsigned)f->all,
                    (unsigned)front_stride(f), at);
    }
    return 1;
}
