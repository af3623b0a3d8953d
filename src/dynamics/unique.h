/* What is not unique. Along w with A' w = 0 the multipliers may change and nothing moves: q'', Qi and Qni stay as they
   are. A law, an event or an output that changes along such a w has no value of its own, only the one of the least-norm
   choice. It is tested, not parsed: values are looked at with multipliers moved along w. */
#ifndef DYNAMICS_UNIQUE_H
#define DYNAMICS_UNIQUE_H

#include "dynamics/dynamics.h"

typedef struct unique_probe {
    size_t rows, count;
    const double *lambda, *total; /* (rows) multipliers where it is looked: ideal and total                     */
    /* `count` values that may look at them; what is not finite does not count                                  */
    void (*values)(void *user, const double *lambda, const double *total, double *values);
    /* how large the terms are that the values last looked at are made of, 0 where that is not known; may be NULL */
    void (*sizes)(void *user, double *sizes);
    void *user;
    /* unique_begin: */
    double *still, *moved, *scale;      /* (count) there; at other multipliers; what single ones of w do            */
    double *size;                       /* (count) of their terms                                                   */
    double *other_lambda, *other_total; /* (rows)                                                               */
    double *w;                          /* (rows) null(A')                                                         */
    double step;
} unique_probe;

/* Numbers that it needs. */
size_t unique_room(size_t rows, size_t count);
/* d: whose forces say how large multipliers are; those in force may all be 0 to rounding. */
void unique_begin(unique_probe *p, const dynamics *d, double *room);
/* Most models look at no multiplier: all of them moved at once tell. */
int unique_reads_any(unique_probe *p);
/* From *row on, the next row that is redundant and along whose w = e_row - sum of depends(row, k) e_k a value changes,
   by more than the rounding of what its single multipliers do: which, into does (count); *row is behind it. 0: none. */
int unique_next(unique_probe *p, const mech_diagnosis_result *found, size_t *row, unsigned char *does);
/* Does value `item` look at the multiplier of this row? */
int unique_reads(unique_probe *p, size_t item, size_t row);

/* Laws, and friction that slides or is said to, may not look at what is not unique, unless the model allows
   leastnorm: at these multipliers (rows); total NULL: of rows alone, without a solution. MECH_ERR_NOT_UNIQUE: culprit
   (rows) lists the rows that they look at. room: unique_room(rows, n); does: (n); mark: (rows). Other multipliers are
   left in the evaluation. */
MECH_MUST_CHECK mech_status dynamics_check_laws(dynamics *d, mech_diagnosis *diagnosis, const double *lambda,
                                                const double *total, double *room, unsigned char *does,
                                                unsigned char *mark, int *culprit, int *culprits);

/* Which rows depend on others where it was gathered last: natural (rows) receives those that are looked at, of friction
   that constraints stop too where it is solved. */
MECH_MUST_CHECK mech_status dynamics_diagnose(dynamics *d, mech_diagnosis *diagnosis, int is_solved,
                                              unsigned char *natural);
/* Outputs that use what is not unique where it was solved last are marked in is_choice (outputs). room:
   unique_room(rows, outputs); sizes: system_sizes_room; does: (outputs). Other multipliers are left in the
   evaluation. */
void dynamics_mark_outputs(dynamics *d, const mech_diagnosis_result *found, double *room, double *sizes,
                           unsigned char *does, unsigned char *is_choice);

#endif
