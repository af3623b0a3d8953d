/* Libraries opened when first needed: by many threads at once, not there, and without a function that was
 * asked for. */
#include "check.h"

#include "base/library.h"

#include <math.h>
#include <pthread.h>

double mech_no_such_function(double x);

#define GOOD(X) X(cos) X(sin)
#define LACKING(X) X(cos) X(mech_no_such_function)

LIBRARY(numbers, GOOD, "libm.so.6")
LIBRARY(lacking, LACKING, "libm.so.6")
LIBRARY(nowhere, GOOD, "libmech-no-such-library.so.1")

enum { THREADS = 8 };

static void *use(void *result)
{
    *(double *)result = numbers_open() ? numbers.cos(0) + numbers.sin(0) : -1;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    double results[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, use, &results[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(results[i] == 1);
    }
    for (int again = 0; again < 2; again++) {
        CHECK(!lacking_open());
        CHECK(!nowhere_open());
    }
    (void)lacking;
    (void)nowhere;
    return check_report();
}
