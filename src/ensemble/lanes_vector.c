/* Loops over lanes by vectors as wide as the processor has; the same bits by each kind. */
#include "ensemble/lanes.h"

#include "compile/sincos.h"

#include <math.h>

#define NAMED2(run, name) run##_##name
#define NAMED(run, name) NAMED2(run, name)

#define RUN plain
#define TARGET
#define WIDE 2
#include "ensemble/lanes_vector.inc"

#if HAS_TARGETS
#define RUN avx2
#define TARGET WITH_AVX2
#define WIDE 4
#include "ensemble/lanes_vector.inc"

#define RUN avx512
#define TARGET WITH_AVX512
#define WIDE 8
#include "ensemble/lanes_vector.inc"

const lanes_vectors *lanes_vectors_get(void)
{
    static const lanes_vectors *const ways[VECTORS_COUNT] = {&plain, &avx2, &avx512};
    return ways[sincos_processor()];
}
#else
const lanes_vectors *lanes_vectors_get(void) { return &plain; }
#endif
