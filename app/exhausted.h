/* Memory that runs out where no status can be handed back. */
#ifndef APP_EXHAUSTED_H
#define APP_EXHAUSTED_H

/* From now on GMP ends the command as any other failure does, with its words and its exit code, and not by abort().
   GMP has these functions once for the whole process: so the program sets them, not the library. */
void exhausted_prepare(int argc, char **argv);

#endif
