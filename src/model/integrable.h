/* Whether linear nonholonomic constraints are integrable: what the parts of the test share. */
#ifndef MODEL_INTEGRABLE_H
#define MODEL_INTEGRABLE_H

#include "model/model.h"

/* Larger groups of coordinates that belong together stay undecided. */
enum { FORMS_MOST = 60, FORMS_POINTS = 4 };

/* sin(u), cos(u) as two symbols with s^2 + c^2 = 1 (hyperbolic: c^2 - s^2 = 1). */
typedef struct forms_atom {
    mech_expr argument, sine, cosine;
    int is_hyperbolic;
    double at[FORMS_POINTS][2];
} forms_atom;

/* What all groups of a model share, so that many small ones cost like their number. */
typedef struct forms_shared {
    uint32_t *image;             /* by symbol of the model: its symbol in the forms' pool, 0: not yet */
    double *value[FORMS_POINTS]; /* by symbol of the model: its number at each point                 */
    double *start;               /* by coordinate: where the search for points begins                */
    size_t *first_entry;         /* by row: its first entry in A; one more at the end                */
} forms_shared;

/* The rows of one group as differential forms  w_j = sum a_jk dx_k  over x = (q, t); time is column n. They
   live in a pool of their own, so that the model's stays as it is. */
typedef struct forms {
    const mech_model *m;
    mech_pool *pool;
    const forms_shared *shared;
    mech_expr *signal; /* 3 for each input: the signal and its derivatives; none for a column of a file */
    size_t n, count;   /* coordinates, forms                                  */
    size_t coord[FORMS_MOST], row[FORMS_MOST];
    int is_exact[FORMS_MOST];  /* a holonomic row: w = d phi                     */
    int is_in[FORMS_MOST];     /* stands in the ideal that is tested             */
    mech_expr phi[FORMS_MOST]; /* of holonomic rows                              */
    mech_expr *a;              /* count x (n+1)                                  */
    mech_expr *d;              /* count x (n+1) x (n+1): dw = sum over k < l of d_kl dx_k dx_l */
    int has_others;            /* rows that are no such forms bind the same coordinates        */
    /* numbers at points of the holonomic rows */
    size_t points;
    double *A[FORMS_POINTS]; /* a, rows scaled to size 1    */
    double *D[FORMS_POINTS]; /* d, with the same scale      */
    forms_atom *atoms;
    size_t atom_count, atom_capacity;
} forms;

/* ---- integrable_numbers.c ---- */
/* Finds the points and the numbers there; fewer than FORMS_POINTS where they cannot be found. */
mech_status forms_sample(forms *f);
/* Value of an expression of the forms' pool at a point. */
double forms_value(forms *f, mech_expr e, size_t point);
typedef enum forms_finding { FORMS_ZERO, FORMS_NONZERO, FORMS_UNCLEAR } forms_finding;
/* dw_j on the vectors that all forms with is_in annihilate, for each of these j (others: FORMS_ZERO).
   *is_complete: no combination of the rows found nonzero is zero there, other than those that are
   combinations of the other rows. */
mech_status forms_test_numbers(forms *f, forms_finding *finding, int *is_complete);

/* ---- integrable_symbols.c ---- */
/* Likewise by symbols: is_zero[j] = 1 where dw_j is zero on these vectors identically, for the rows with
   is_asked[j], else 0. Gives up (all 0) rather than growing without bound. */
mech_status forms_test_symbols(forms *f, const int *is_asked, int *is_zero);

#endif
