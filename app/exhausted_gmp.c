#include "app.h"
#include "common.h"
#include "exhausted.h"
#include "say.h"

#include <gmp.h>

#include <stdlib.h>

static struct {
    int argc;
    char **argv;
} command;

/* GMP may not be left by a jump, and nothing it computes is written before it is done: there is no file to tidy away.
   */
static void *or_end(void *block)
{
    if (block) return block;
    say("mech: out of memory\n");
    exit(app_end(exit_code(MECH_ERR_MEMORY), command.argc, command.argv));
}

static void *allocate(size_t bytes) { return or_end(malloc(bytes)); }

static void *resize(void *block, size_t old, size_t bytes)
{
    (void)old;
    return or_end(realloc(block, bytes));
}

static void release(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}

void exhausted_prepare(int argc, char **argv)
{
    command.argc = argc;
    command.argv = argv;
    mp_set_memory_functions(allocate, resize, release);
}
