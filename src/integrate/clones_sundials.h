/* Vectors and matrices that SUNDIALS may clone when memory runs out. It writes into a clone before it looks
   whether one was made, and some of its failures destroy vectors twice: here a clone is always an address,
   and what is destroyed stays one until the stock is freed. */
#ifndef INTEGRATE_CLONES_SUNDIALS_H
#define INTEGRATE_CLONES_SUNDIALS_H

#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

typedef struct vector_stock vector_stock;

/* Serial vectors of n components. NULL when out of memory. */
vector_stock *vector_stock_create(sunindextype n, SUNContext context);
/* A new one; they are all freed with the stock. */
N_Vector vector_stock_new(vector_stock *stock);
/* 1 once one, or a clone, could not be made: one vector stood in for it, and nothing computed since is to be used. */
int vector_stock_lacks_memory(const vector_stock *stock);
void vector_stock_free(vector_stock *stock); /* last, after everything that has clones */

/* J with its one clone made beforehand: SUNDIALS asks for no more. Both are J's from then on; where one of them, or
   memory, is lacking they are freed: NULL. */
SUNMatrix matrix_with_spare(SUNMatrix J, SUNMatrix spare);

#endif
