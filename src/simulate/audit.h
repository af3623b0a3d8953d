/* The account of energy and constraints (audit.c; whether it is good enough: judge.c). */
#ifndef SIMULATE_AUDIT_H
#define SIMULATE_AUDIT_H

#include <mech/simulate.h>

/* What an error of the size of the tolerance, in every component of the state, does to the energy and to the
   constraints; and the sums over the steps taken so far, each with the part of the tolerance that its error was
   estimated at. */
typedef struct sim_judge {
    double energy_weight, position_weight, velocity_weight;
    double energy, position, velocity; /* allowed so far                                  */
    double phi, rate;                  /* residuals at the point noted last               */
    /* the largest at ends of steps: rows between them have the interpolant's error too */
    double most_balance, most_phi, most_rate;
    double last;              /* the balance at the end of the last step         */
    double worst, worst_time; /* what a step's balance missed most, beside what it was allowed; when */
    double worst_miss;        /* and by how much                                 */
} sim_judge;

typedef struct sim_audit {
    double drift_phi, drift_velocity; /* what the last projection found */
    /* the same, of the last one that the stepper asked for: it stands when the step does */
    double step_phi, step_velocity;
    double energy_start, work_start;
    double last_balance, clear_balance; /* of the last step, of the last clear of singular positions */
    double power_tolerance;             /* of the integrated power, for methods that ask; 0: not yet */
    sim_judge judge;
} sim_audit;

void sim_audit_begin(mech_sim *s);
/* After an accepted and projected step, at s->t and s->y. */
mech_status sim_audit_step(mech_sim *s);
/* Residuals and balance at the point evaluated last; energy h and integrated power w there. */
void sim_audit_note(mech_sim *s, const double *r, const double *r_dot, double h, double kinetic, double w);
/* The largest |phi|, |phi'|, |psi| of the rows in force at the point evaluated last. */
void sim_largest_residuals(const mech_sim *s, const double *r, const double *r_dot, double *phi, double *phi_dot,
                           double *psi);
double sim_balance(const mech_sim *s, double h, double w);
/* At the end of a step that stands, before it is projected: what rejected steps, stages, rows between steps and events
   leave does not count. */
void sim_audit_drift(mech_sim *s, double phi, double velocity);

/* judge.c */
/* At a point with all of M, Q, A evaluated. */
void sim_judge_weigh(mech_sim *s);
/* After a step: its balance stands in s->audit.last_balance, its residuals in s->audit.judge. */
void sim_judge_step(mech_sim *s);
/* At the end of the run: the warning into s->warning, or "". */
void sim_judge_close(mech_sim *s);

#endif
