/* A worker asks rank 0 for a block, makes it, and sends its rows with the next question. At first it asks for two:
   while it makes one, the other lies there, so that it need not wait. Messages are looked for between sleeps: MPI's own
   waiting keeps a processor busy, which a run can use better, and a look costs as much as some steps of a run. */
#include "ensemble/ranks.h"

#include "base/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the part that speaks MPI ---- */

static struct {
    int (*begin)(int *rank, int *ranks);
    int (*send)(int to, int tag, const void *bytes, size_t size);
    int (*look)(int *from, int *tag, size_t *size);
    int (*receive)(int from, int tag, void *bytes, size_t size);
} mpi;

static struct {
    int is_joined, rank, ranks;
} joined;
static pthread_mutex_t speaking = PTHREAD_MUTEX_INITIALIZER; /* one thread at a time */

mech_status mech_ensemble_join(const char *part, size_t *rank, size_t *ranks, char *why, size_t size)
{
    static const char *const names[] = {"mech_mpi_begin", "mech_mpi_send", "mech_mpi_look", "mech_mpi_receive"};
    static library l = {NULL, names, 4, &mpi, 0};
    const char *given = getenv("MECH_MPI"), *problem = NULL;
    *rank = 0;
    *ranks = 1;
    pthread_mutex_lock(&speaking);
    if (!joined.is_joined) {
        l.file = given ? given : part ? part : "mpi.so";
        if (!library_open(&l))
            problem =
                "the part that speaks MPI (mpi.so, or what MECH_MPI names) cannot be opened; it is built where MPI "
                "is found (on Debian: libopenmpi-dev)";
        else if (!mpi.begin(&joined.rank, &joined.ranks)) problem = "MPI cannot be begun with threads";
        joined.is_joined = !problem;
    }
    if (joined.is_joined) {
        *rank = (size_t)joined.rank;
        *ranks = (size_t)joined.ranks;
    }
    pthread_mutex_unlock(&speaking);
    if (why && size) snprintf(why, size, "%s", problem ? problem : "");
    return problem ? MECH_ERR_UNSUPPORTED : MECH_OK;
}

mech_status ranks_join(size_t *rank, size_t *ranks, char why[ENSEMBLE_WHY_SIZE])
{
    return mech_ensemble_join(NULL, rank, ranks, why, ENSEMBLE_WHY_SIZE);
}

static int say(int to, int tag, const void *bytes, size_t size)
{
    pthread_mutex_lock(&speaking);
    const int is_said = mpi.send(to, tag, bytes, size);
    pthread_mutex_unlock(&speaking);
    return is_said;
}

enum { BLOCKS_UNDER_WAY = 2 }; /* of a worker */

enum { SHORTEST = 20000, SHORT = 200000, LONGEST = 4000000 }; /* sleeps, in ns */

/* Each sleep is twice the last: little is lost by one of them, measured by what was waited for before. */
static void wait_a_little(long *pause, long most)
{
    const struct timespec of = {0, *pause};
    nanosleep(&of, NULL);
    *pause = 2 * *pause < most ? 2 * *pause : most;
}

/* ---- messages ---- */

typedef struct question { /* the rows of a block, if it has made one, and the wish for another */
    uint64_t identity, handed_on;
    int64_t code;          /* ensemble_code_kind */
    uint64_t first, count; /* count 0: no rows */
    int64_t status;        /* of the block; what is not MECH_OK ends all */
} question;

typedef struct answer {
    uint64_t first, count; /* count 0: it is over */
} answer;

static void pack(textbuf *to, const ensemble_job *job, const question *q, const ensemble_rows *rows)
{
    to->length = 0;
    text_add_n(to, (const char *)q, sizeof *q);
    if (q->count == 0 || q->status != MECH_OK) return;
    text_add_n(to, (const char *)rows->t, rows->count * sizeof *rows->t);
    text_add_n(to, (const char *)rows->status, rows->count * sizeof *rows->status);
    text_add_n(to, (const char *)rows->measures, rows->count * job->measures * sizeof *rows->measures);
    text_add_n(to, (const char *)rows->is_choice, rows->count * job->measures);
    for (size_t k = 0; k < rows->count; k++) {
        const char *words = rows->reason[k] ? rows->reason[k] : "";
        text_add_n(to, words, strlen(words) + 1);
    }
}

static int take_bytes(const char **at, const char *end, void *to, size_t size)
{
    if ((size_t)(end - *at) < size) return 0;
    memcpy(to, *at, size);
    *at += size;
    return 1;
}

/* MECH_ERR_ARGUMENT: it is no such message. */
static mech_status unpack(const char *at, const char *end, const ensemble_job *job, ensemble_rows *rows)
{
    if (!take_bytes(&at, end, rows->t, rows->count * sizeof *rows->t) ||
        !take_bytes(&at, end, rows->status, rows->count * sizeof *rows->status) ||
        !take_bytes(&at, end, rows->measures, rows->count * job->measures * sizeof *rows->measures) ||
        !take_bytes(&at, end, rows->is_choice, rows->count * job->measures))
        return MECH_ERR_ARGUMENT;
    for (size_t k = 0; k < rows->count; k++) {
        const char *stop = memchr(at, 0, (size_t)(end - at));
        if (!stop) return MECH_ERR_ARGUMENT;
        if (stop > at && !(rows->reason[k] = mem_text(at, (size_t)(stop - at)))) return MECH_ERR_MEMORY;
        at = stop + 1;
    }
    for (size_t k = 0; k < rows->count; k++)
        mech_plan_point(job->plan, rows->first + k, rows->values + k * job->columns);
    return MECH_OK;
}

/* ---- rank 0 ---- */

typedef struct peer {                      /* a worker of another rank       */
    ensemble_rows *rows[BLOCKS_UNDER_WAY]; /* that it makes, in their order  */
    size_t count;                          /* of them                        */
    size_t waits;                          /* questions without their answer */
    uint64_t handed_on;
} peer;

static void hear(ranks_dealer *d, const ensemble_job *job, peer *p, int rank, const char *bytes, size_t size)
{
    question q;
    char why[ENSEMBLE_WHY_SIZE];
    const char *at = bytes;
    p->waits++;
    if (!take_bytes(&at, bytes + size, &q, sizeof q)) return;
    p->handed_on = q.handed_on;
    if (q.identity != d->identity) {
        snprintf(why, sizeof why, "rank %d has another model, other options or another version than rank 0", rank);
        d->refuse(d->of, why);
    }
    if (q.count == 0 || p->count == 0) return;
    ensemble_rows *rows = p->rows[0];
    d->give(d->of, rows, q.status != MECH_OK ? (mech_status)q.status : unpack(at, bytes + size, job, rows),
            (int)q.code);
    memmove(p->rows, p->rows + 1, --p->count * sizeof(*p->rows));
}

/* What a message says; 0: there is none. */
static int hear_one(ranks_dealer *d, const ensemble_job *job, peer *peers, textbuf *buffer)
{
    int from = -1, tag = -1;
    size_t size = 0;
    pthread_mutex_lock(&speaking);
    int got = mpi.look(&from, &tag, &size);
    buffer->length = 0;
    if (got) { /* room for it */
        if (size >= buffer->capacity) {
            char *more = mem_resize(buffer->data, size + 1);
            if (more) {
                buffer->data = more;
                buffer->capacity = size + 1;
            }
        }
        got = size < buffer->capacity && mpi.receive(from, tag, buffer->data, size);
    }
    pthread_mutex_unlock(&speaking);
    if (got) hear(d, job, &peers[(size_t)(from - 1) * d->workers + (size_t)tag], from, buffer->data, size);
    return got;
}

/* Answers to those that wait and have so many blocks; how many were told that it is over. */
static size_t answer_those_with(ranks_dealer *d, peer *peers, size_t count, size_t blocks)
{
    size_t over = 0;
    for (size_t i = 0; i < count; i++) {
        peer *p = &peers[i];
        if (p->waits == 0 || p->count != blocks) continue;
        ensemble_rows *rows = NULL;
        const int got = d->take(d->of, blocks, &rows);
        if (got == 0) continue;
        const answer a = got > 0 ? (answer){rows->first, rows->count} : (answer){0, 0};
        p->waits--;
        if (got > 0) p->rows[p->count++] = rows;
        else over++;
        (void)say(1 + (int)(i / d->workers), (int)(i % d->workers), &a, sizeof a);
    }
    return over;
}

/* Those that have nothing to do come first. */
static size_t answer_all(ranks_dealer *d, peer *peers, size_t count)
{
    size_t over = 0;
    for (size_t blocks = 0; blocks < BLOCKS_UNDER_WAY; blocks++) over += answer_those_with(d, peers, count, blocks);
    return over;
}

void ranks_dismiss(size_t workers)
{
    question q;
    long pause = SHORT;
    for (size_t left = (size_t)(joined.ranks - 1) * workers * BLOCKS_UNDER_WAY; left > 0;) {
        int from = -1, tag = -1;
        size_t size;
        pthread_mutex_lock(&speaking);
        const int got = mpi.look(&from, &tag, &size) && size == sizeof q && mpi.receive(from, tag, &q, size);
        pthread_mutex_unlock(&speaking);
        if (got) (void)say(from, tag, &(answer){0, 0}, sizeof(answer));
        else wait_a_little(&pause, SHORT);
        left -= got != 0;
    }
}

void ranks_deal(ranks_dealer *d, const ensemble_job *job)
{
    const size_t count = (size_t)(joined.ranks - 1) * d->workers;
    peer *peers = mem_zeroed(count + 1, sizeof *peers);
    textbuf buffer = {0};
    if (!peers) {
        d->refuse(d->of, mech_status_text(MECH_ERR_MEMORY));
        ranks_dismiss(d->workers);
        return;
    }
    const size_t all = count * BLOCKS_UNDER_WAY;
    long pause = SHORTEST;
    for (size_t left = all; left > 0;) {
        while (hear_one(d, job, peers, &buffer)) pause = SHORTEST;
        left -= answer_all(d, peers, count);
        if (left > 0) wait_a_little(&pause, left < all ? SHORT : LONGEST); /* at the end it takes no one's time */
    }
    for (size_t i = 0; i < count; i++) d->handed_on += peers[i].handed_on;
    text_free(&buffer);
    mem_free(peers);
}

/* ---- the others ---- */

/* The rows it has made, and a question. */
static int ask(const ensemble_job *job, size_t worker, textbuf *text, const question *q, const ensemble_rows *rows)
{
    pack(text, job, q, rows);
    return !text->failed && say(0, (int)worker, text->data, text->length);
}

static answer hear_answer(size_t worker)
{
    answer a = {0, 0};
    for (long pause = SHORTEST;;) {
        int from = 0, tag = (int)worker;
        size_t size;
        pthread_mutex_lock(&speaking);
        const int got = mpi.look(&from, &tag, &size) && size == sizeof a && mpi.receive(from, tag, &a, sizeof a);
        pthread_mutex_unlock(&speaking);
        if (got) return a;
        wait_a_little(&pause, SHORT);
    }
}

static void free_rows(ensemble_rows *r)
{
    for (size_t k = 0; r->reason && k < r->count; k++) mem_free(r->reason[k]);
    void *const all[] = {r->values, r->measures, r->is_choice, r->t, r->status, r->reason};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    memset(r, 0, sizeof *r);
}

static mech_status make_rows(const ensemble_job *job, const answer *a, ensemble_rows *r)
{
    r->first = (size_t)a->first;
    r->count = (size_t)a->count;
    r->values = mem_zeroed(r->count * job->columns + 1, sizeof *r->values);
    r->measures = mem_zeroed(r->count * job->measures + 1, sizeof *r->measures);
    r->is_choice = mem_zeroed(r->count * job->measures + 1, 1);
    r->t = mem_zeroed(r->count, sizeof *r->t);
    r->status = mem_zeroed(r->count, sizeof *r->status);
    r->reason = mem_zeroed(r->count, sizeof *r->reason);
    if (!r->values || !r->measures || !r->is_choice || !r->t || !r->status || !r->reason) return MECH_ERR_MEMORY;
    for (size_t k = 0; k < r->count; k++) mech_plan_point(job->plan, r->first + k, r->values + k * job->columns);
    return MECH_OK;
}

/* What ends it here is said to rank 0, which ends it everywhere, and answers so. */
mech_status ranks_work(const ensemble_job *job, const ensemble_backend *on, void *shared, uint64_t identity,
                       size_t number)
{
    textbuf text = {0};
    void *worker = NULL;
    question q = {.identity = identity};
    ensemble_rows rows = {0};
    mech_status status = on->create(job, shared, &worker);
    size_t asked = 0; /* questions without their answer */
    while (asked < BLOCKS_UNDER_WAY && ask(job, number, &text, &q, &rows)) asked++;
    while (asked > 0) {
        const answer a = hear_answer(number);
        asked--;
        if (a.count == 0) continue;
        if (status == MECH_OK) status = make_rows(job, &a, &rows);
        if (status == MECH_OK) status = on->run_block(worker, &rows);
        q.first = a.first;
        q.count = a.count;
        q.status = status;
        q.code = ensemble_code_kind(job);
        q.handed_on = worker && on->handed_on ? on->handed_on(worker) : 0;
        asked += ask(job, number, &text, &q, &rows) != 0;
        free_rows(&rows);
    }
    on->free(worker);
    text_free(&text);
    return status;
}
