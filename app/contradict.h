/* Rows that depend on one another at a state off the constraints: do they say the same, or contradict one another? */
#ifndef APP_CONTRADICT_H
#define APP_CONTRADICT_H

#include <mech/output.h>

typedef struct contradiction {
    unsigned char *rows; /* (rows) what stands in mech_instant_report.contradicts; NULL: none */
    char words[512];     /* of the first set, when there is one */
} contradiction;

/* Looks at the instant solved last: for each redundant row whose residuals do not follow from those of the rows that it is
   made of, asks the assembly of a run for a state that meets them alone. MECH_OK, MECH_ERR_CONFLICT with rows and words, or
   another failure. rows is freed by the caller. */
MECH_MUST_CHECK mech_status contradict_find(const mech_system *system, const mech_instant *instant, contradiction *found);

#endif
