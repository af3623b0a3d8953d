/* A build without LAPACK: small.c factors systems of any size. */
#include "fundamental/room.h"

int fundamental_dense_from(void) { return 0; }

mech_status fundamental_dense_create(fundamental_dense *d, int n, int m)
{
    (void)n;
    (void)m;
    d->work = NULL;
    return MECH_OK;
}

void fundamental_dense_free(fundamental_dense *d) { d->work = NULL; }

small_status fundamental_dense_factor(fundamental_dense *d, small_solve *s, const double *M, const double *A,
                                      const unsigned char *active, double rank_tol, double zero_tol)
{
    (void)d;
    return small_factor(s, M, A, active, rank_tol, zero_tol);
}
