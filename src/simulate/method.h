/* How it is integrated (method.c, jacobian.c). */
#ifndef SIMULATE_METHOD_H
#define SIMULATE_METHOD_H

#include <mech/simulate.h>

#include "base/visit.h"
#include "integrate/stepper.h"
#include "simulate/moreau.h"

/* What implicit methods need. */
typedef struct sim_implicit {
    struct implicit *by_pattern;   /* NULL: the Jacobian is dense */
    struct derivative *derivative; /* of the equation; NULL: not made */
} sim_implicit;

typedef struct sim_integration {
    sim_method kind;
    int may_turn_stiff; /* auto, and not yet on the stiff method      */
    int has_told_anew;  /* that the method begins anew at checkpoints */
    sim_implicit implicit;
    sim_moreau moreau;
} sim_integration;

/* The method, its stepper, and what that remembers: before all else, since making a stepper changes the counts. */
MECH_MUST_CHECK mech_status sim_stepper_visit(mech_sim *s, state_walk *w);
void sim_method_free(mech_sim *s);

/* Its steps and evaluations: s->info has those of steppers already replaced. */
void sim_add_counts(const sim_stepper *stepper, mech_sim_info *to);
MECH_MUST_CHECK mech_status sim_choose_method(mech_sim *s);
MECH_MUST_CHECK mech_status sim_use_method(mech_sim *s, sim_method method);
/* To the stiff method for good, where steps say so and it may. */
MECH_MUST_CHECK mech_status sim_follow_stiffness(mech_sim *s);
/* The step that the method would have taken next, for behind a break; 0: it chooses another one there. */
double sim_step_behind(const mech_sim *s);
mech_status sim_start_stepper(mech_sim *s, double step); /* the integrator, at s->t */
/* The same, and the watches. */
mech_status sim_restart(mech_sim *s, double step);

/* Partial derivatives of the right-hand side (jacobian.c). */
int sim_has_jacobian(const mech_sim *s);
MECH_MUST_CHECK mech_status sim_jacobian_create(mech_sim *s);
int sim_jacobian(void *sim, double t, const double *y, double *J);
/* The same by pattern, where s->method.implicit.by_pattern was made: what sim_problem asks for then. */
int sim_pattern_values(void *sim, double t, const double *y, double *values);
int sim_pattern_factor(void *sim, double gamma, const double *values);
int sim_pattern_solve(void *sim, double gamma, const double *values, const double *r, double *x);

#endif
