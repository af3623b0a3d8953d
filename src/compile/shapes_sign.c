/* The graph carries signs outside its values, so that along a chain of pivots a*b - c and a*b + c take turns.
   Here each sum gets the sign in which what is added to counts as it is, c + a*b or c - a*b: alike parts are
   alike again. */
#include "compile/shapes_room.h"

static unsigned sign_of(const shapes *s, graph_ref x) { return s->sign[graph_id(x)] ^ (x & 1u); }

void shapes_choose_signs(shapes *s)
{
    for (size_t i = 1; i < s->g->count; i++) {
        const graph_value *v = &s->g->values[i];
        s->form[i] = v->op;
        switch (v->op) {
        case GRAPH_MUL: s->sign[i] = (unsigned char)(sign_of(s, v->a) ^ sign_of(s, v->b)); break;
        case GRAPH_MULADD:
        case GRAPH_MULSUB: {
            const unsigned product = sign_of(s, v->a) ^ sign_of(s, v->b);
            const unsigned whole = sign_of(s, v->c) ^ (v->op == GRAPH_MULSUB);
            s->sign[i] = (unsigned char)whole;
            s->form[i] = product == whole ? GRAPH_MULADD : SHAPES_SUBMUL;
            break;
        }
        case GRAPH_ADD:
        case GRAPH_SUB: {
            const unsigned a = sign_of(s, v->a), b = sign_of(s, v->b) ^ (v->op == GRAPH_SUB);
            s->sign[i] = (unsigned char)(a & b);
            s->form[i] = a == b ? GRAPH_ADD : a ? SHAPES_SUB_BACK : GRAPH_SUB;
            break;
        }
        default: break;
        }
    }
}
