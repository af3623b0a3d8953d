/* The search for an equilibrium or steady motion: its state, and where it begins. */
#ifndef ANALYZE_SEARCH_H
#define ANALYZE_SEARCH_H

#include "analyze/tangent.h"

struct mech_equilibrium {
    mech_equilibrium_result result;
    arena memory; /* of its numbers */
    mech_diagnosis *diagnosis;
    mech_instant *instant; /* of mech_equilibrium_hold, which has no diagnosis of its own; else NULL */
};

typedef struct search {
    tangent t;
    double time;
    int steady;
    size_t n, m, nz, ns, N; /* coordinates, rows, states, steady statements; 2n + nz */
    size_t unknowns, equations;
    double *x;            /* (2n + nz) q, v, z */
    double *trial, *step; /* the same; step: onto the constraints */
    double *newton;       /* the same: the step of Newton's method, by unknowns */
    double *residual, *J; /* (equations), (equations x unknowns): J by the scale of its rows, in units of t.one */
    double *scale, *most; /* (equations) what each residual is measured by, there; the largest met */
    double *scaled;       /* (equations) residuals by their scale */
    double *seen;         /* (2n + nz) largest |x| met */
    double *own;          /* (2n + nz) the model's start, where none is given */
    double *unit, *zero;  /* (n x n), (n): masses that measure coordinates by t.one, no force */
    mech_fundamental *projector;
    double *speeds; /* ((m + ns) x n), (m + ns): r' = 0 and what `steady` says, by v */
    size_t rank;
    unsigned char *is_cyclic; /* (n) coordinates that need no displacing; found when the first beginning failed */
    unsigned char *still;     /* (n) velocities of a steady motion that are to be zero: those of coordinates that
                             matter and do not move where the search begins. Tried first, then let go */
} search;

/* beginning.c */
/* mech_assembly_changed_start of this evaluation. */
mech_status search_find_start(mech_eval *eval, double t, const double *begin, double *x);
/* The k-th beginning into s->x, on the constraints and, for a steady motion, at the velocities that `steady`
   prescribes. */
mech_status search_begin(search *s, const mech_equilibrium_options *o, int k);
/* x onto the constraints by steps of least norm; velocities too when they are unknowns. */
mech_status search_project(search *s, double *x);
/* Position and velocity of the evaluation at x = (q, v, z). */
mech_status search_evaluate(search *s, const double *x);
/* Largest of |r| (rate: |r'|) over the rows in force, each relative to the terms it is made of. */
double search_miss(search *s, int rate, const double *x);

/* Column of the derivatives that unknown k is. */
static inline size_t search_column(const search *s, size_t k) { return s->steady || k < s->n ? k : k + s->n; }

/* scale.c */
/* Residuals by their scale into s->scaled; how large they are together. */
double search_size(search *s);
/* What unknowns and residuals are measured by at the point s->x, where J has just been derived; J is brought to these
   units. */
void search_scale(search *s, double tolerance);
/* A search begins: nothing has been met yet. */
void search_scale_begin(search *s);

#endif
