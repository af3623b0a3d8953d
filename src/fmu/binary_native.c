/* The sources of a unit become a shared library, by the system's compiler in a folder of our own. */
#include "fmu/code.h"

#include "base/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = FMU_PATH + 128, ARGUMENTS = FMU_CODE_FILES + 16, LONG_CODE = 400000 };

/* Where a file of the unit lies while it is compiled. */
static int place(const fmu_binary *b, const char *name, char path[LONGEST])
{
    return snprintf(path, LONGEST, "%s/%s", b->folder, name + strlen("sources/")) < LONGEST;
}

static int write_file(const char *path, const char *data, size_t length)
{
    FILE *f = fopen(path, "wb");
    const int is_written = f && fwrite(data, 1, length, f) == length;
    return f && fclose(f) == 0 && is_written;
}

static int write_all(const fmu_code *code, const fmu_binary *b)
{
    char path[LONGEST];
    int is_done = snprintf(path, LONGEST, "%s/fundamental", b->folder) < LONGEST && mkdir(path, 0700) == 0;
    for (size_t i = 0; i < code->count && is_done; i++)
        is_done = place(b, code->files[i].name, path) && write_file(path, code->files[i].data, code->files[i].length);
    return is_done;
}

static mech_status compile(const fmu_code *code, int fmi, const fmu_binary *b, const char **why)
{
    char paths[FMU_CODE_FILES][LONGEST], log[LONGEST];
    const char *given = getenv("MECH_CC");
    const char *arguments[ARGUMENTS] = {given && *given ? given : "cc",
                                        "-std=c99",
                                        "-O2",
                                        "-fPIC",
                                        "-shared",
                                        "-fvisibility=hidden",
                                        "-ffp-contract=off",
                                        "-s",
                                        fmi == 2 ? "-DFMI2_OVERRIDE_FUNCTION_PREFIX"
                                                 : "-DFMI3_OVERRIDE_FUNCTION_PREFIX"};
    size_t count = 9;
    for (size_t i = 0; i < code->count; i++)
        if (code->is_source[i] && place(b, code->files[i].name, paths[i])) arguments[count++] = paths[i];
    arguments[count++] = "-o";
    arguments[count++] = b->path;
    arguments[count++] = "-lm";
    snprintf(log, sizeof log, "%s/log", b->folder);
    const mech_status status = spawn_with_input(arguments, "", 0, log);
    if (status == MECH_ERR_UNSUPPORTED) *why = "the compiler was not found";
    else if (status != MECH_OK) *why = "the compiler failed";
    return status == MECH_ERR_FILE ? MECH_ERR_UNSUPPORTED : status;
}

mech_status fmu_binary_make(const fmu_code *code, int fmi, fmu_binary *made, const char **why)
{
    const char *temporary = getenv("TMPDIR");
    *why = "there is no folder in which the compiler could work";
    if (snprintf(made->folder, FMU_PATH, "%s/mech.XXXXXX", temporary && temporary[0] == '/' ? temporary : "/tmp") >=
            FMU_PATH ||
        !mkdtemp(made->folder)) {
        made->folder[0] = '\0';
        return MECH_ERR_UNSUPPORTED;
    }
    snprintf(made->path, sizeof made->path, "%s/unit.so", made->folder);
    const mech_status status = write_all(code, made) ? compile(code, fmi, made, why) : MECH_ERR_UNSUPPORTED;
    if (status != MECH_OK) fmu_binary_remove(code, made);
    return status;
}

void fmu_binary_remove(const fmu_code *code, fmu_binary *made)
{
    char path[LONGEST];
    if (!made->folder[0]) return;
    for (size_t i = 0; i < code->count; i++)
        if (place(made, code->files[i].name, path)) (void)unlink(path);
    (void)unlink(made->path);
    snprintf(path, sizeof path, "%s/log", made->folder);
    (void)unlink(path);
    snprintf(path, sizeof path, "%s/fundamental", made->folder);
    (void)rmdir(path);
    (void)rmdir(made->folder);
    made->folder[0] = '\0';
}
