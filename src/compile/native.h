/* Generated C, compiled by the system's compiler and loaded, kept in a cache by what it is. */
#ifndef COMPILE_NATIVE_H
#define COMPILE_NATIVE_H

#include <mech/base.h>

#include <signal.h>

typedef struct native_code native_code;

typedef int (*native_parameters)(const double *p, double *k);
typedef int (*native_motion)(const double *k, double t, const double *q, const double *v, const double *z,
                             const double *u, double *qdd, double *lambda, double *more, double *w);

/* What the compiler is asked to do. */
typedef enum native_kind {
    NATIVE_USUAL,
    NATIVE_SCHEDULED, /* the order of statements is meant                                                      */
    NATIVE_LONG       /* long straight lines, which begin with emit_omissions: half of the time, the same speed */
} native_kind;

typedef struct native_settings {
    const char *compiler; /* a program in PATH or its place; NULL: $MECH_CC or cc                        */
    const char *cache;    /* folder; NULL: mechanician in the XDG cache folder; "": keep nothing          */
    double timeout;       /* seconds the compiler may take; 0: 60                                         */
    native_kind kind;
    const volatile sig_atomic_t *interrupt; /* NULL, or what ends the compiler when it is not 0           */
} native_settings;

typedef struct native_outcome {
    int was_cached;  /* 1: it was not compiled                               */
    const char *why; /* there is no code, in words that stay; NULL: there is */
} native_outcome;

/* New code in *code, freed with native_free. prefix: of its two functions. MECH_ERR_UNSUPPORTED when there is
   no compiler, or it fails; MECH_ERR_MEMORY. A cache that cannot be read or written, or holds something else,
   is no failure. */
MECH_MUST_CHECK mech_status native_load(const char *source, size_t length, const char *prefix,
                                        const native_settings *settings, native_code **code, native_outcome *outcome);
void native_free(native_code *code);
native_parameters native_get_parameters(const native_code *code);
native_motion native_get_motion(const native_code *code);

#endif
