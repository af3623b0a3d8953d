/* Dry friction at a state: what an instant, a run and exported code share. Free of dependencies but for tolerances; in
 * exported code it stands in one file with others, so all its names begin with friction_.
 *
 * V = S q' are the velocities friction acts along. A multiplier of a constraint that loads it is a force; where
 * its row lies in the range of S' (V is the whole velocity of a point), w = V's components of a unit multiplier,
 * A_row = S' w, and the force on the point is w*lambda however the constraint was written. Where it does not
 * (V is a speed along the surface), the multiplier itself is the force: the constraint must then be written as
 * a length. With f the force of all rows on V and P the projector onto the w:
 *     N^2 = |P f|^2 + sum of lambda^2 over the unseen rows        ft = (I - P) f
 * Slip: C = -S' mu N d, d = V/|V|. Stick while |ft| <= mu_s N. Decision 0005.
 * Friction that no constraint loads has a given bound: mu and mu_s are forces, and N = 1. */
#ifndef DYNAMICS_FRICTION_LAW_H
#define DYNAMICS_FRICTION_LAW_H

#include <stddef.h>

#ifndef SMALL_PART
#define SMALL_PART /* exported code makes these functions its own: static */
#endif

enum { FRICTION_MOST = 3 }; /* components of V */

typedef struct friction_law {
    size_t first, count; /* its rows among all of friction                            */
    const size_t *rows;  /* (row_count) rows of its constraints: they load it         */
    size_t row_count;
    int side; /* one constraint loads it that only pushes: N is signed by it, and below 0 beyond its lift-off; else 0 */
    const unsigned char *may_be_seen; /* (row_count) by its coordinates, which are V's too */
    unsigned char *is_seen;           /* (row_count) the row's force shows in V                    */
    double *w;                        /* (3 x row_count) V's components of a unit multiplier       */
} friction_law;

/* The matrices at a state, by columns: S_aj = S[a + j*S_height], A_ij = A[i + j*A_height]. */
typedef struct friction_state {
    const double *S, *A; /* S: from the law's first row on */
    size_t S_height, A_height, n;
    const unsigned char *active; /* rows in force */
    const double *M, *Q;         /* n x n, n      */
    size_t rows;                 /* of `active`, the first of A */
} friction_state;

/* How large the terms are whose sum is V' (rate), or a force along V: the scale of what is rounding. Both scale like
   what they measure, whatever the units of each coordinate. */
typedef struct friction_sizes {
    double rate, force;
} friction_sizes;

/* Orthonormal directions in V that the constraints hold: the range of P. */
typedef struct friction_normal {
    double basis[FRICTION_MOST][FRICTION_MOST];
    size_t rank;
} friction_normal;

SMALL_PART double friction_dot(const double *a, const double *b, size_t count);
SMALL_PART double friction_norm(const double *a, size_t count);
/* x = G^+ x for a semi-definite G (count <= 3); directions in which G is 0 get 0. G is used up. */
SMALL_PART void friction_solve(size_t count, double G[FRICTION_MOST][FRICTION_MOST], double *x);

/* Whether one of its constraints is in force. */
SMALL_PART int friction_is_on(const friction_law *law, const unsigned char *active);
/* Finds which rows show in V, and their w: of those that may, as others do only by chance. */
SMALL_PART void friction_find_seen(friction_law *law, const friction_state *at);
/* w of the rows that were found to show. One that does not here showed by chance where that was found. */
SMALL_PART void friction_see(const friction_law *law, const friction_state *at);
/* The directions of the seen rows in force. */
SMALL_PART void friction_find_normal(const friction_law *law, const unsigned char *active, friction_normal *normal);
/* x = (I - P) x; returns |P x|^2. */
SMALL_PART double friction_remove_normal(const friction_law *law, const friction_normal *normal, double *x);
/* Orthonormal directions beside those of the normal; returns how many. */
SMALL_PART size_t friction_surface(const friction_law *law, const friction_normal *normal,
                                   double basis[FRICTION_MOST][FRICTION_MOST]);
/* f of the rows in force; returns the sum of lambda^2 over the unseen ones. */
SMALL_PART double friction_force(const friction_law *law, const unsigned char *active, const double *lambda, double *f);
/* N when nothing else presses on V: sqrt(|f|^2 + unseen). */
SMALL_PART double friction_load(const friction_law *law, const unsigned char *active, const double *lambda);
/* C (n) += -S' mu N d and, dC (n x rows) not NULL, its derivative by the multipliers; column (n, or NULL) = the same C.
   */
SMALL_PART void friction_slip(const friction_law *law, const friction_state *at, const double *lambda, double mu,
                              double N, const double *d, double *C, double *dC, double *column);
/* rate = V' = S q'' - b; b of the law's rows. The sizes of its terms, with the multipliers of all A_height rows and the
   bound of the friction itself: where nothing else pulls along V, what it may bear tells force from rounding. */
SMALL_PART friction_sizes friction_rate(const friction_law *law, const friction_state *at, const double *b,
                                        double bound, const double *qdd, const double *total, double *rate);
/* Speeds up to this are rest: a small part of what V could be by what moves, or what the forces make and undo within
   TOL_FRICTION_MOMENT. v: the velocities that V was computed from. */
SMALL_PART double friction_rest_speed(const friction_law *law, const friction_state *at, const double *V,
                                      const double *v);

#endif
