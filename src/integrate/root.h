/* Zero of a function of one variable between two points where its sign differs. */
#ifndef INTEGRATE_ROOT_H
#define INTEGRATE_ROOT_H

/* 0: done, else the search ends with that value. */
typedef int (*root_function)(void *user, double x, double *value);

typedef struct root_bracket {
    double a, fa; /* before the zero                                    */
    double b, fb; /* at or after it: fb is 0 or of the other sign       */
} root_bracket;

/* Narrows the bracket to `width` (or to what doubles resolve), by Brent's method. Returns 0 or what f
   returned. */
int root_narrow(root_function f, void *user, double width, root_bracket *bracket);

/* Three samples on one side, fa, fb, fc > 0 at a < b < c: does their parabola come below `part` of the least of them
   between them? */
int root_may_dip(double a, double fa, double b, double fb, double c, double fc, double part);

/* A point between a and b where |f| is least, by golden section, stopped as soon as f changes its sign or is
   0: returns 1 then with the point in *x, *fx; 0 when it does not; negative what f returned. */
int root_dip(root_function f, void *user, double a, double b, double sign, double width, double *x, double *fx);

#endif
