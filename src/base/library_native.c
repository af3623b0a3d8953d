#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static int find_functions(const library *l)
{
    void *opened = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
    if (!opened) return 0;
    for (size_t i = 0; i < l->count; i++) {
        void *found = dlsym(opened, l->names[i]);
        if (!found) {
            dlclose(opened);
            return 0;
        }
        /* the way POSIX gives from object to function */
        memcpy((char *)l->functions + i * sizeof found, &found, sizeof found);
    }
    return 1;
}

int library_open(library *l)
{
    if (atomic_load_explicit(&l->is_open, memory_order_acquire)) return 1;
    pthread_mutex_lock(&opening);
    int is_open = atomic_load_explicit(&l->is_open, memory_order_relaxed);
    if (!is_open) {
        is_open = find_functions(l);
        atomic_store_explicit(&l->is_open, is_open, memory_order_release);
    }
    pthread_mutex_unlock(&opening);
    return is_open;
}
