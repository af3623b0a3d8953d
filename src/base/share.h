/* Work that consists of items which do not look at one another, dealt out to threads. */
#ifndef BASE_SHARE_H
#define BASE_SHARE_H

#include <mech/base.h>

#include <stddef.h>

typedef struct share {
    size_t count;   /* items                                     */
    size_t threads; /* at most; 0: one for each processor        */
    void *user;
    /* A worker is used by one thread. What an item gives must not depend on its worker, nor on the items that this one
       had before. close is called for what open made, also where it failed. */
    mech_status (*open)(void *user, void **worker);
    mech_status (*item)(void *worker, size_t k);
    void (*close)(void *worker);
} share;

/* MECH_OK, or what a worker failed of: then items may be left out. The caller's thread is one of them; those that
   cannot be had are done without. */
MECH_MUST_CHECK mech_status share_out(const share *work);

#endif
