/* A build without SuiteSparse: the dense solver is the only robust one. */
#include "fundamental/sparse_qr.h"

int sparse_qr_is_there(void) { return 0; }

mech_status sparse_qr_solve(const sparse *s, double rank_tol, const double *Q, const double *b, double *a,
                            double *lambda, size_t *rank)
{
    (void)s, (void)rank_tol, (void)Q, (void)b, (void)a, (void)lambda, (void)rank;
    return MECH_ERR_UNSUPPORTED;
}
