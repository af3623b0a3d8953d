/* Coefficients of the explicit Runge-Kutta pairs, as data: the stepper and the test of their order
   conditions read the same numbers. */
#ifndef INTEGRATE_RK_TABLES_H
#define INTEGRATE_RK_TABLES_H

enum {
    RK_MAX_STAGES = 16, /* the 8(5,3) pair: 12, the new slope, and 3 more for dense output        */
    RK_MAX_DENSE = 4    /* rows of the interpolant beyond the cubic Hermite part                  */
};

typedef struct rk_tableau {
    int order;           /* of the solution that is carried on                                   */
    int stages;          /* before the new slope; slope number `stages` is f(t + h, y1)          */
    int dense_stages;    /* all that the interpolant needs, the new slope included               */
    int dense_rows;      /* rows of d                                                            */
    int dense_order;     /* of the interpolant                                                   */
    int error_order;     /* the step size goes with error^(-1/error_order)                       */
    double beta;         /* weight of the previous error in the step size (PI controller)        */
    double safety;       /* of the step that the error allows this much is taken                 */
    double shrink, grow; /* limits of one change of the step size                                */
    double stability;    /* mean |h*lambda| beyond which stability limits the step: rk.c         */
    double c[RK_MAX_STAGES];
    double a[RK_MAX_STAGES][RK_MAX_STAGES]; /* row `stages` holds the weights b                   */
    double e[RK_MAX_STAGES];                /* error estimate (of order 5 for the 8(5,3) pair)    */
    double e3[RK_MAX_STAGES];               /* second, lower estimate; all 0 where there is none  */
    double d[RK_MAX_DENSE][RK_MAX_STAGES];  /* interpolant, Hairer's nesting (rk.c)               */
} rk_tableau;

/* Dormand & Prince 1980, 5(4), with Shampine's and Hairer's interpolant of order 4. */
extern const rk_tableau rk_dormand_prince5;
/* Dormand & Prince's order 8 with Hairer's estimates of order 5 and 3 and interpolant of order 7;
   Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.5 and II.6. */
extern const rk_tableau rk_dormand_prince8;

#endif
