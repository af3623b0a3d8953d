/* Functions of a library that is opened when first asked for, and then stays: most commands need none of
   them, and to link what they bring along costs every start some milliseconds. The headers of the library
   declare them. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdatomic.h>
#include <stddef.h>

typedef struct library {
    const char *file;         /* as the loader finds it: "libklu.so.1"                      */
    const char *const *names; /* of its functions (count)                                   */
    size_t count;
    void *functions;    /* a struct of as many pointers, in that order                */
    atomic_int is_open; /* 1 once they are all set, for good                          */
} library;

/* 1 when all functions are there. From any thread; what failed is tried again at the next call. */
int library_open(library *l);

#define LIBRARY_POINTER(name) __typeof__(&name) name;
#define LIBRARY_NAME(name) #name,

/* LABEL.function(...) for each of FUNCTIONS(X), after LABEL_open() has said 1. */
#define LIBRARY(label, FUNCTIONS, path)                                                                                \
    static struct {                                                                                                    \
        FUNCTIONS(LIBRARY_POINTER)                                                                                     \
    } label;                                                                                                           \
    static int label##_open(void)                                                                                      \
    {                                                                                                                  \
        static const char *const names[] = {FUNCTIONS(LIBRARY_NAME)};                                                  \
        static library l = {path, names, sizeof names / sizeof *names, &label, 0};                                     \
        return library_open(&l);                                                                                       \
    }

#endif
