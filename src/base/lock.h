/* Locks on open files, which end with the process, however it ends: no clock, and no process number that may
   have been given anew. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

typedef enum lock_answer {
    LOCK_HELD,
    LOCK_TAKEN, /* another holds it, or the path names something else by now */
    LOCK_NONE   /* there are no such locks here                              */
} lock_answer;

/* For one holder alone, until the file is closed; never waits. */
lock_answer lock_file(int file);
/* The same for a file that was opened by its path: is what was locked still what stands there? */
lock_answer lock_file_at(int file, const char *path);

#endif
