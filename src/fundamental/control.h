/* Rows kept by control: the least forces in a weight. Over the robust solve, and like it free of dependencies and
   allocation. Also put into exported code, where it stands in one file with others: so all its names begin with small_.

   Natural constraints come first. With g(f) = Q' L^-1 f (small.h) the acceleration that a force f still
   causes in row a of the system is g(a)_2 . g(f)_2, because P M^-1 = L^-T Q [0 0; 0 I] Q' L^-1. So the servo
   problem

       minimise u' W u   subject to   A_s P M^-1 G u = b_s - A_s q_n''

   is again an equation of the same form, with W for M and the reach of the actuators for A. */
#ifndef FUNDAMENTAL_CONTROL_H
#define FUNDAMENTAL_CONTROL_H

#include "fundamental/small.h"

#ifndef SMALL_PART
#define SMALL_PART /* exported code makes these functions its own: static */
#endif

typedef struct small_control {
    small_solve *natural;       /* M and the natural rows in force, factored                                 */
    small_solve *least;         /* of the control problem, with room for g by the rows that it keeps         */
    int m;                      /* rows of A                                                                 */
    const double *A;            /* m x n                                                                     */
    const unsigned char *servo; /* (m) rows that control keeps                                               */
    int g;                      /* forces: actuators, or one for each coordinate                             */
    const double *G;            /* n x g; NULL: along the coordinates                                        */
    const double *W;            /* g x g; NULL: 1                                                            */
    int by_nature;              /* without G: the weight is M^-1, which must be definite                     */
    double rank_tol;
    double *scaled;    /* n x rows kept: work                                                       */
    double *reach;     /* rows kept x g                                                             */
    double *target;    /* (rows kept)                                                               */
    double *direction; /* (n) work                                                                  */
    double *unit;      /* (g x g) work, without W                                                   */
    double *none;      /* (g) work                                                                  */
    double *u, *Qc;    /* (g), (n) what is found                                                    */
} small_control;

/* What the forces do to the rows, factored. SMALL_INDEFINITE: W is not definite. */
SMALL_PART small_status small_control_prepare(small_control *c);
/* Then, as often as wanted, the least u, and Qc, that bring the rows from what they are in the motion qdd to b (m;
   NULL: 0), as far as they can. */
SMALL_PART void small_control_aim(small_control *c, const double *qdd, const double *b);
/* Rows that the last aim does not reach, by more than rounding: how many, and which (m, or NULL). Q, Qi: forces of the
   motion qdd. */
SMALL_PART int small_control_missed(const small_control *c, const double *M, const double *Q, const double *Qi,
                                    const double *qdd, const double *b, int *which);

/* Steps that inverse dynamics shares: the direction of force j (n), the problem of a reach of so many rows factored,
   and the least u for `target`. */
SMALL_PART void small_control_direction(const small_control *c, int j, double *out);
SMALL_PART small_status small_control_factor(small_control *c, int rows);
SMALL_PART void small_control_least(small_control *c);

#endif
