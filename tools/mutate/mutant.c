/* MECH_MUTANT=17 brings mutant 17 to life. MECH_MUTANTS_MET=file: a file of bytes, shared with children and kept
   whatever ends the process; byte k becomes 1 when the place of mutant k is come by. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 65536 };
static char nowhere[MOST];
int mech_mutant = 0;
volatile char *mech_mutants_met = nowhere;

static void look_for_shared(const char *path)
{
    const int file = open(path, O_RDWR);
    struct stat about;
    if (file < 0) return;
    if (fstat(file, &about) == 0 && about.st_size >= MOST) {
        void *shared = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (shared != MAP_FAILED) mech_mutants_met = shared;
    }
    close(file);
}

__attribute__((constructor)) static void choose(void)
{
    const char *which = getenv("MECH_MUTANT"), *met = getenv("MECH_MUTANTS_MET");
    if (which) mech_mutant = atoi(which);
    if (met) look_for_shared(met);
}
