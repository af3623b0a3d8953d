/* What the files of mech_linear share. */
#ifndef ANALYZE_LINEAR_H
#define ANALYZE_LINEAR_H

#include "analyze/modes.h"
#include "analyze/tangent.h"

struct mech_linear {
    mech_linear_result result;
    mech_linear_options o; /* as they were given: good while it is made */
    tangent t;
    size_t N; /* 2n + states */
    double *A, *C, *D_rows, *basis, *reduced_A, *reduced_C;
    double *E, *D;              /* (N x 3 inputs), (outputs x 3 inputs): by u, u', u'' */
    double *rows_u;             /* (2m x 2 inputs) D_rows by u, u' */
    double *reduced_E;          /* (N x inputs) */
    double *reduced_D;          /* (outputs x 3 inputs) */
    double *by_input;           /* (N x 2 inputs) */
    unsigned char *input_rates; /* (inputs) */
    double *row_size;  /* (2m) what each row of D_rows is measured by: what it is there and beside, in units of t.one */
    double *own_basis; /* (N x N) as basis, in units of t.one */
    double *q, *v, *z, *B, *K, *r, *r_dot, *work, *moved;
    int *cyclic;
    unsigned char *is_cyclic; /* (n) */
    unsigned char *undefined; /* (outputs) */
    unsigned char *is_choice; /* (outputs) */
    const char **kinks;       /* (result.kink_count), or NULL */
    const char **input_kinks; /* (inputs) */
    mech_modes *motion, *constraint;
};

/* linear.c: the rows of the tangent space (2m x N), from what t holds: r by x, then r' by x; 0 where a row does not
   bind. */
void linear_rows(const mech_linear *l, double *to);
/* A, E, C, D and the rows of the tangent space at x = (q, v, z). */
mech_status linear_at(mech_linear *l, double time, const double *x);

/* driven.c: what inputs do on the constraints, which may move with them: input_rates, reduced_E, reduced_D, by_input.
   Needs reduced_A and the tangent space. */
mech_status driven_reduce(mech_linear *l);

/* point.c: what kind of point it is, and why; the evaluation is left there, and so is the linear system. */
mech_status point_classify(mech_linear *l);
/* point.c: outputs without finite derivatives, and those marked already: their rows are NaN. */
void point_mark_undefined(mech_linear *l);

/* choice.c: outputs that are one choice of many, where linear_at was last at the point; the evaluation is left
   there. */
mech_status choice_look(mech_linear *l);

/* rank.c: a row that the point loses, into l->result.lost. Needs the rows of the tangent space; the evaluation and
   the derivatives are left elsewhere. */
mech_status rank_look(mech_linear *l);

/* threshold.c: events that stand at their thresholds at the point, once the tangent space is known. */
mech_status threshold_look(mech_linear *l);

/* kink.c: kinks of the equation at the point, in words, outputs that have one there, and inputs by which there is no
   derivative; once the tangent space is
   known. */
mech_status kink_look(mech_linear *l);

/* linear.c: a copy (2m x N) of rows as D_rows, in units of t.one and by row_size. */
void linear_own_rows(const mech_linear *l, const double *rows, double *to);
/* The entry (i, j) of A in units of t.one and t.time, per unit of A. */
static inline double linear_unit(const mech_linear *l, size_t i, size_t j)
{
    return l->t.time * l->t.one[j] / l->t.one[i];
}

#endif
