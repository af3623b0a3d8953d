/* What the rows of a sweep follow from, in one number: --resume goes on where it is the same. */
#include "common.h"
#include "sweep.h"

#include <mech/output.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* FNV-1a, of 64 bits. */
static void add_bytes(uint64_t *digest, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) *digest = (*digest ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
}

static void add_text(uint64_t *digest, const char *text) { add_bytes(digest, text, strlen(text) + 1); }

static void add_file(uint64_t *digest, const char *path)
{
    struct stat about;
    char *bytes = NULL, length[32];
    size_t size = 0;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode) && mech_checkpoint_read(path, &bytes, &size) == MECH_OK)
        add_bytes(digest, bytes, size);
    else size = (size_t)getpid() ^ (size_t)time(NULL) << 22;
    snprintf(length, sizeof length, "%zu", size);
    add_text(digest, length);
    mech_text_free(bytes);
}

/* Whether a row could depend on it. */
static int counts(const char *option)
{
    static const char *const others[] = {"-o", "--resume", "--threads", "--plot", "--json", "--quiet"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(option, others[i]) == 0) return 0;
    return 1;
}

void sweep_mark(const cli_args *args, const mech_system *system, char mark[SWEEP_MARK])
{
    uint64_t digest = UINT64_C(14695981039346656037);
    const char *tables[CLI_MOST_VALUES + 1], *file;
    for (size_t i = 0; (file = mech_system_file(system, i)); i++) add_file(&digest, file);
    sweep_tables(args, tables);
    for (size_t i = 0; tables[i]; i++) add_file(&digest, tables[i]);
    for (size_t i = 0; i < args->given_count; i++) {
        if (!counts(args->given[i].option->name)) continue;
        add_text(&digest, args->given[i].option->name);
        add_text(&digest, args->given[i].value);
    }
    snprintf(mark, SWEEP_MARK, "mech %.30s %016" PRIx64, mech_version(), digest);
}
