/* What `mech check` finds out by numbers, for its two printers. */
#ifndef OUTPUT_CHECK_H
#define OUTPUT_CHECK_H

#include <mech/fundamental.h>
#include <mech/system.h>

#include "base/text.h"
#include "model/model.h"

typedef struct check_facts {
    const mech_model *model;
    int has_numbers;                        /* the rest was computed                                            */
    mech_status status;                     /* of the solve at the initial state                                */
    char *why;                              /* what failed, in words; NULL                                      */
    size_t rows;                            /* natural ones in force                                            */
    int rank;                               /* of them                                                          */
    int control_rank;                       /* of the rows that control keeps                                   */
    size_t freedom;                         /* what both leave                                                  */
    int is_indefinite;                      /* M at the initial state, as the model allows                      */
    char *moved;                            /* what the assembly moved, as text; NULL: nothing                  */
    char *friction;                         /* of the first friction whose load is no force, a note; NULL: none */
    char *length;                           /* of Euler parameters along which M has no mass; NULL: none        */
    const mech_diagnosis_result *diagnosis; /* NULL where the model is too large for it            */
} check_facts;

void check_text(const check_facts *facts, textbuf *out);
void check_json(const check_facts *facts, textbuf *out);
/* The bodies of a model that has any, as a member of the object that check_json writes. */
void check_bodies_json(const check_facts *facts, textbuf *out);

#endif
