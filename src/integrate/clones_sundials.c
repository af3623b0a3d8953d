#include "integrate/clones_sundials.h"
#include "base/mem.h"

#include <nvector/nvector_serial.h>

#include <stdint.h>

/* ---- vectors: those of nvector_serial but for where they come from and go ---- */

typedef struct stock_vector {
    struct _generic_N_Vector head;
    struct _N_VectorContent_Serial content;
    struct stock_vector *next;
    int is_used;
    double data[];
} stock_vector;

struct vector_stock {
    struct _generic_N_Vector_Ops ops; /* first: so a vector knows its stock */
    SUNContext context;
    sunindextype n;
    stock_vector *all, *stand_in;
    int lacks_memory;
};

static vector_stock *stock_of(N_Vector v) { return (vector_stock *)(void *)v->ops; }

static stock_vector *make(vector_stock *stock)
{
    const size_t n = (size_t)stock->n;
    if (n > (SIZE_MAX - sizeof(stock_vector)) / sizeof(double)) return NULL;
    stock_vector *v = mem_zeroed(1, sizeof *v + n * sizeof *v->data);
    if (!v) return NULL;
    v->content = (struct _N_VectorContent_Serial){.length = stock->n, .own_data = SUNFALSE, .data = v->data};
    v->head.content = &v->content;
    v->head.ops = &stock->ops;
    v->head.sunctx = stock->context;
    v->next = stock->all;
    stock->all = v;
    return v;
}

N_Vector vector_stock_new(vector_stock *stock)
{
    stock_vector *v = stock->all;
    while (v && v->is_used) v = v->next;
    if (!v) v = make(stock);
    stock->lacks_memory |= !v;
    if (!v) return &stock->stand_in->head;
    v->is_used = 1;
    return &v->head;
}

static N_Vector clone(N_Vector like) { return vector_stock_new(stock_of(like)); }

/* Twice is as good as once. */
static void destroy(N_Vector v)
{
    stock_vector *own = (stock_vector *)(void *)v;
    if (own != stock_of(v)->stand_in) own->is_used = 0;
}

/* The operations, of a vector that is made for them alone. */
static int take_operations(vector_stock *stock)
{
    N_Vector serial = N_VNew_Serial(1, stock->context);
    if (!serial) return 0;
    stock->ops = *serial->ops;
    N_VDestroy(serial);
    stock->ops.nvclone = clone;
    stock->ops.nvcloneempty = NULL;
    stock->ops.nvdestroy = destroy;
    return 1;
}

vector_stock *vector_stock_create(sunindextype n, SUNContext context)
{
    vector_stock *stock = mem_zeroed(1, sizeof *stock);
    if (!stock) return NULL;
    stock->context = context;
    stock->n = n;
    stock->stand_in = take_operations(stock) ? make(stock) : NULL;
    if (!stock->stand_in) {
        vector_stock_free(stock);
        return NULL;
    }
    stock->stand_in->is_used = 1;
    return stock;
}

int vector_stock_lacks_memory(const vector_stock *stock) { return stock->lacks_memory; }

void vector_stock_free(vector_stock *stock)
{
    if (!stock) return;
    for (stock_vector *v = stock->all, *next; v; v = next) {
        next = v->next;
        mem_free(v);
    }
    mem_free(stock);
}

/* ---- a matrix and its spare ---- */

typedef struct spare_operations {
    struct _generic_SUNMatrix_Ops ops; /* first: so a matrix knows its spare */
    SUNMatrix_Ops theirs;
    SUNMatrix spare;
} spare_operations;

static spare_operations *spare_of(SUNMatrix J) { return (spare_operations *)(void *)J->ops; }

static SUNMatrix take_spare(SUNMatrix J)
{
    SUNMatrix spare = spare_of(J)->spare;
    spare_of(J)->spare = NULL;
    return spare;
}

static void destroy_with_spare(SUNMatrix J)
{
    spare_operations *own = spare_of(J);
    if (own->spare) SUNMatDestroy(own->spare);
    J->ops = own->theirs;
    mem_free(own);
    SUNMatDestroy(J);
}

SUNMatrix matrix_with_spare(SUNMatrix J, SUNMatrix spare)
{
    spare_operations *own = J && spare ? mem_zeroed(1, sizeof *own) : NULL;
    if (!own) {
        if (spare) SUNMatDestroy(spare);
        if (J) SUNMatDestroy(J);
        return NULL;
    }
    *own = (spare_operations){.ops = *J->ops, .theirs = J->ops, .spare = spare};
    own->ops.clone = take_spare;
    own->ops.destroy = destroy_with_spare;
    J->ops = &own->ops;
    return J;
}
