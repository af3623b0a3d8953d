/* Files are not lost: what a command writes is none of what it reads, no two of its files are one, and each can be
   written. */
#ifndef APP_GUARD_H
#define APP_GUARD_H

#include <mech/system.h>

typedef struct guard_file {
    const char *what;   /* "the rows", "the figure"                                    */
    const char *option; /* that names it: "-o", "--plot"                               */
    const char *path;   /* NULL: it is not written                                     */
    int in_new_folder;  /* 1: the command makes its folder; whether it can be written shows then */
    int may_fail;       /* 1: the command does its work without it                     */
} guard_file;

/* Whether both names stand for one file, or would if it were made: links are looked through. */
int guard_is_same(const char *a, const char *b);
/* Asked before anything is written. The files of `system` (may be NULL) are read, and `reads` (a list that ends with
   NULL, or NULL); the first of `writes` is the command's main result. EXIT_OK, or the exit code after a message. */
int guard_files(const char *word, const mech_system *system, const char *const *reads, const guard_file *writes,
                size_t count);

#endif
