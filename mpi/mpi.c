/* The part of the library that speaks MPI: bytes from process to process, and nothing else. A shared object of its own,
   opened when it is asked for (src/ensemble/ranks_mpi.c), so that neither programs nor builds need MPI. Calls are made
   by one thread at a time. Each returns 1, or 0. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define PART __attribute__((visibility("default")))

PART int mech_mpi_begin(int *rank, int *ranks);
PART int mech_mpi_send(int to, int tag, const void *bytes, size_t size);
PART int mech_mpi_look(int *from, int *tag, size_t *size);
PART int mech_mpi_receive(int from, int tag, void *bytes, size_t size);

/* Messages that are on their way: a long one waits until its receiver looks, and its sender has better to do. */
typedef struct message {
    struct message *next;
    MPI_Request request;
    char bytes[];
} message;

static message *on_their_way;

static void forget_those_that_arrived(void)
{
    for (message **at = &on_their_way, *m; (m = *at) != NULL;) {
        int is_there = 0;
        if (MPI_Test(&m->request, &is_there, MPI_STATUS_IGNORE) != MPI_SUCCESS || !is_there) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        free(m);
    }
}

static void finish(void)
{
    int is_over = 0;
    if (MPI_Finalized(&is_over) == MPI_SUCCESS && !is_over) MPI_Finalize();
}

/* Parts that MPI opens by itself look for its functions among those that all see. */
static void show_mpi(void)
{
    Dl_info about;
    void *here = NULL;
    int (*const one)(int *) = MPI_Initialized;
    __builtin_memcpy(&here, &one, sizeof here);
    if (dladdr(here, &about) != 0) (void)dlopen(about.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

/* MPI that runs already stays as it is; what was begun here ends with the process. */
int mech_mpi_begin(int *rank, int *ranks)
{
    int is_there = 0, level = MPI_THREAD_SINGLE;
    show_mpi();
    if (MPI_Initialized(&is_there) != MPI_SUCCESS) return 0;
    if (!is_there) {
        if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS) return 0;
        atexit(finish);
    } else if (MPI_Query_thread(&level) != MPI_SUCCESS) return 0;
    return level >= MPI_THREAD_SERIALIZED && MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, ranks) == MPI_SUCCESS;
}

int mech_mpi_send(int to, int tag, const void *bytes, size_t size)
{
    message *m = size <= INT_MAX ? malloc(sizeof *m + size) : NULL;
    forget_those_that_arrived();
    if (!m) return 0;
    memcpy(m->bytes, bytes, size);
    if (MPI_Isend(m->bytes, (int)size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &m->request) != MPI_SUCCESS) {
        free(m);
        return 0;
    }
    m->next = on_their_way;
    on_their_way = m;
    return 1;
}

/* Whether a message waits, from *from and with *tag, or of anyone where they are negative; never waits itself. */
int mech_mpi_look(int *from, int *tag, size_t *size)
{
    int is_there = 0, count = 0;
    MPI_Status status;
    if (MPI_Iprobe(*from < 0 ? MPI_ANY_SOURCE : *from, *tag < 0 ? MPI_ANY_TAG : *tag, MPI_COMM_WORLD, &is_there,
                   &status) != MPI_SUCCESS ||
        !is_there || MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS)
        return 0;
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *size = (size_t)count;
    return 1;
}

int mech_mpi_receive(int from, int tag, void *bytes, size_t size)
{
    return size <= INT_MAX &&
           MPI_Recv(bytes, (int)size, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}
