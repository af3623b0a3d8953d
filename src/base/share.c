#include "base/share.h"

#include "base/system.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST_THREADS = 256 };

typedef struct dealer {
    const share *work;
    atomic_size_t next;
    atomic_int status;
} dealer;

static void *work(void *of)
{
    dealer *d = of;
    const share *s = d->work;
    void *worker = NULL;
    mech_status status = s->open(s->user, &worker);
    while (status == MECH_OK && atomic_load(&d->status) == MECH_OK) {
        const size_t k = atomic_fetch_add(&d->next, 1);
        if (k >= s->count) break;
        status = s->item(worker, k);
    }
    if (status != MECH_OK) atomic_store(&d->status, (int)status);
    s->close(worker);
    return NULL;
}

mech_status share_out(const share *s)
{
    pthread_t threads[MOST_THREADS];
    dealer d = {.work = s};
    size_t wanted = s->threads ? s->threads : system_processors(), count = 0;
    if (wanted > MOST_THREADS) wanted = MOST_THREADS;
    if (wanted > s->count) wanted = s->count;
    while (count + 1 < wanted && pthread_create(&threads[count], NULL, work, &d) == 0) count++;
    if (s->count) (void)work(&d);
    for (size_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
    return (mech_status)atomic_load(&d.status);
}
