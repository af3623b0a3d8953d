/* Functions of a library that is opened when first asked for, and then stays: few systems are so large, and
   to link it costs every start some milliseconds. FUNCTIONS(X) lists their names; the headers of the library
   declare them. */
#ifndef FUNDAMENTAL_LIBRARY_SUITESPARSE_H
#define FUNDAMENTAL_LIBRARY_SUITESPARSE_H

#include <dlfcn.h>

#define LIBRARY_POINTER(name) __typeof__(&name) name;
#define LIBRARY_FIND(name)                                                                                   \
    *(void **)(void *)&f->name = dlsym(library, #name);                                                      \
    found = found && f->name;

/* struct functions, and load(f): 1 when all of them are there. */
#define LIBRARY(FUNCTIONS, path)                                                                             \
    typedef struct functions {                                                                               \
        FUNCTIONS(LIBRARY_POINTER)                                                                           \
    } functions;                                                                                             \
    static int load(functions *f)                                                                            \
    {                                                                                                        \
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);                                                 \
        int found = library != NULL;                                                                         \
        if (!library) return 0;                                                                              \
        FUNCTIONS(LIBRARY_FIND)                                                                              \
        return found;                                                                                        \
    }

#endif
