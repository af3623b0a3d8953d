#include "analyze/elimination.h"

void elimination_solve(double complex *M, double complex *b, size_t n, double little)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (cabs(M[i + k * n]) > cabs(M[best + k * n])) best = i;
        for (size_t j = 0; j < n && best != k; j++) {
            const double complex held = M[k + j * n];
            M[k + j * n] = M[best + j * n];
            M[best + j * n] = held;
        }
        const double complex held = b[k];
        b[k] = b[best];
        b[best] = held;
        if (cabs(M[k + k * n]) < little) M[k + k * n] = little;
        for (size_t i = k + 1; i < n; i++) {
            const double complex factor = M[i + k * n] / M[k + k * n];
            for (size_t j = k + 1; j < n && factor != 0; j++) M[i + j * n] -= factor * M[k + j * n];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= M[k + j * n] * b[j];
        b[k] /= M[k + k * n];
    }
}
